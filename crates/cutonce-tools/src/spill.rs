//! Stores text too long for a result in a file of the session's own folder, where Read and Grep may look.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Maximum file size, so that endless output does not fill the disk.
const MAX_FILE_SIZE: u64 = 200_000_000;

/// Removes secrets from stored text (SE-1, MO-4).
pub trait StreamRedactor: Send + Sync {
    /// Returns redacted bytes, and how many of the given ones they cover. Unless these are the last, a possible start
    /// of a secret is left for the next call.
    fn redact_part(&self, bytes: &[u8], last: bool) -> (Vec<u8>, usize);
}

/// An optional redactor; `None` redacts nothing.
pub type OptionalRedactor = Option<Arc<dyn StreamRedactor>>;

/// A file that grows up to a limit; the rest is dropped.
pub(crate) struct SpillFile {
    redact: OptionalRedactor,
    /// Bytes that may be the start of a secret.
    waiting: Vec<u8>,
    path: PathBuf,
    file: Option<File>,
    room: u64,
    /// Why the file is incomplete.
    cut: Option<String>,
}

/// Stores all of it in a new file of the session's own folder; returns a note for the model that says where.
pub fn store_text(folder: &Path, stem: &str, ext: &str, bytes: &[u8], redact: OptionalRedactor) -> String {
    let mut spill = SpillFile::create(folder, stem, ext, redact);
    spill.push(bytes);
    spill.finish()
}

impl SpillFile {
    /// Creates `stem.ext` in the folder, or `stem-2.ext` and so on if that exists. A failure is reported by `note`.
    pub(crate) fn create(folder: &Path, stem: &str, ext: &str, redact: OptionalRedactor) -> Self {
        Self::create_with_limit(MAX_FILE_SIZE, folder, stem, ext, redact)
    }

    fn create_with_limit(limit: u64, folder: &Path, stem: &str, ext: &str, redact: OptionalRedactor) -> Self {
        let waiting = Vec::new();
        match create_file(folder, stem, ext) {
            Ok((path, file)) => Self { redact, waiting, path, file: Some(file), room: limit, cut: None },
            Err(error) => Self {
                redact,
                waiting,
                path: folder.join(format!("{stem}.{ext}")),
                file: None,
                room: 0,
                cut: Some(format!("it could not be saved: {error}")),
            },
        }
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) {
        if self.redact.is_none() {
            return self.write(bytes);
        }
        if self.file.is_some() {
            self.waiting.extend_from_slice(bytes);
            self.write_redacted(false);
        }
    }

    /// Ends the input: writes the waiting bytes.
    pub(crate) fn flush_waiting(&mut self) {
        self.write_redacted(true);
    }

    fn write_redacted(&mut self, last: bool) {
        let Some(redact) = &self.redact else { return };
        let (clean, used) = redact.redact_part(&self.waiting, last);
        self.waiting.drain(..used);
        self.write(&clean);
    }

    fn write(&mut self, bytes: &[u8]) {
        let Some(file) = &mut self.file else { return };
        let fits = bytes.len().min(usize::try_from(self.room).unwrap_or(usize::MAX));
        let written = file.write_all(bytes.get(..fits).unwrap_or_default());
        self.room -= fits as u64;
        if let Err(error) = written {
            self.cut = Some(format!("the rest could not be saved: {error}"));
            self.file = None;
        } else if fits < bytes.len() {
            self.cut = Some("what came after that was dropped".into());
            self.file = None;
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Ends the input; returns the note.
    pub(crate) fn finish(mut self) -> String {
        self.flush_waiting();
        self.note()
    }

    /// Tells the model where the whole text is.
    pub(crate) fn note(&self) -> String {
        let path = self.path.display();
        match &self.cut {
            None => format!("All of it is in {path}: read parts of that file, or search it, to see more."),
            Some(why) => format!("The first part is in {path}; {why}."),
        }
    }
}

fn create_file(folder: &Path, stem: &str, ext: &str) -> io::Result<(PathBuf, File)> {
    let mut builder = std::fs::DirBuilder::new();
    std::os::unix::fs::DirBuilderExt::mode(builder.recursive(true), 0o700).create(folder)?;
    let mut number = 1;
    loop {
        let name = if number == 1 { format!("{stem}.{ext}") } else { format!("{stem}-{number}.{ext}") };
        let path = folder.join(name);
        match OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            made => return made.map(|file| (path, file)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tl_8_spill_file_is_bounded_and_says_so() {
        let dir = tempfile::tempdir().unwrap();
        let mut spill = SpillFile::create_with_limit(10, dir.path(), "out", "txt", None);
        spill.push(b"123456");
        assert!(spill.note().starts_with("All of it"), "{}", spill.note());
        spill.push(b"7890ab");
        spill.push(b"cd");
        assert_eq!(std::fs::read(spill.path()).unwrap(), b"1234567890");
        assert!(spill.note().contains("dropped"), "{}", spill.note());
    }

    #[test]
    fn tl_8_spill_keeps_other_files_and_reports_errors() {
        let dir = tempfile::tempdir().unwrap();
        let first = SpillFile::create_with_limit(10, dir.path(), "out", "txt", None);
        let second = SpillFile::create_with_limit(10, dir.path(), "out", "txt", None);
        assert_ne!(first.path(), second.path());
        let file = dir.path().join("file");
        std::fs::write(&file, "").unwrap();
        let mut none = SpillFile::create_with_limit(10, &file, "out", "txt", None);
        none.push(b"1");
        assert!(none.note().contains("could not be saved"), "{}", none.note());
    }
}
