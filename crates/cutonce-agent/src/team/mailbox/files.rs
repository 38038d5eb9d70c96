//! File mailboxes in the cutonce home, for a team on one machine (TM-1).
//!
//! ```text
//! <team>/mail/<name>/00000001.jsonl, …, lock     the mailbox of one reader
//! <team>/mail/<name>.done                        the reader's position
//! <team>/values/<key>                            published values
//! ```

use super::folder_watch::FolderWatch;
use super::segments::{
    MailPosition, MailRead, SegmentReader, append, clear, ensure_own_folder, io_error, open_private,
    remove_read_segments, size_if_full,
};
use super::{Delivery, MailError, Mailbox, MailboxReader};
use crate::storage::paths::{private_options, write_private};
use async_trait::async_trait;
use cutonce_core::team::{TeamMessage, is_valid_name};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

/// Maximum size of a published value.
const MAX_VALUE: u64 = 64 << 10;

#[derive(Debug, Clone)]
pub(crate) struct FileMailbox {
    folder: PathBuf,
}

impl FileMailbox {
    /// `folder` is the team's folder.
    pub fn new(folder: &Path) -> FileMailbox {
        FileMailbox { folder: folder.to_path_buf() }
    }
    fn mail_folder(&self) -> PathBuf {
        self.folder.join("mail")
    }
    fn box_folder(&self, name: &str) -> Result<PathBuf, MailError> {
        if !is_valid_name(name) {
            return Err(MailError::Refused(format!("invalid member name {name:?}")));
        }
        self.check_exists()?;
        ensure_own_folder(&self.mail_folder())?;
        Ok(self.mail_folder().join(name))
    }
    /// Fails if the team was deleted, so that late writers don't create its folder again.
    fn check_exists(&self) -> Result<(), MailError> {
        match self.folder.is_dir() {
            true => ensure_own_folder(&self.folder),
            false => Err(MailError::Refused("the team was deleted".into())),
        }
    }
    fn done_file(&self, name: &str) -> PathBuf {
        self.mail_folder().join(format!("{name}.done"))
    }
    fn value_path(&self, key: &str) -> Result<PathBuf, MailError> {
        if !key.split('.').all(is_valid_name) {
            return Err(MailError::Refused(format!("invalid value name {key:?}")));
        }
        Ok(self.folder.join("values").join(key))
    }
}

#[async_trait]
impl Mailbox for FileMailbox {
    async fn send(&self, message: &TeamMessage) -> Result<(), MailError> {
        message.check_limits().map_err(MailError::Refused)?;
        let (folder, message) = (self.box_folder(&message.to)?, message.clone());
        // Waiting for the lock and the disk must not block the session.
        let sent = tokio::task::spawn_blocking(move || append(&folder, &message)).await;
        sent.unwrap_or_else(|error| Err(MailError::Refused(error.to_string())))
    }

    async fn read(&self, name: &str) -> Result<Box<dyn MailboxReader>, MailError> {
        let folder = self.box_folder(name)?;
        ensure_own_folder(&folder)?;
        let done_file = self.done_file(name);
        let done = read_done(&done_file)?;
        let watch = FolderWatch::new(&folder);
        let (at, name) = (folder.clone(), name.to_string());
        // A mailbox may be large; reading it must not block the session.
        let lines = tokio::task::spawn_blocking(move || SegmentReader::new(&at, done)).await;
        let lines = lines.map_err(|error| MailError::Refused(error.to_string()))?;
        Ok(Box::new(FileMailboxReader { lines, watch, folder, done_file, name, delivered: None }))
    }

    async fn mark_done(&self, name: &str, position: &str) -> Result<(), MailError> {
        let folder = self.box_folder(name)?;
        let place = MailPosition::parse(position)
            .ok_or_else(|| MailError::Refused(format!("invalid position: {position:?}")))?;
        let file = self.done_file(name);
        let written = tokio::task::spawn_blocking(move || {
            write_private(&file, place.to_string().as_bytes())
                .map_err(|error| io_error("write to the mailbox", &file, error))?;
            remove_read_segments(&folder, place);
            Ok(())
        });
        written.await.unwrap_or_else(|error| Err(MailError::Refused(error.to_string())))
    }

    async fn publish(&self, key: &str, value: &str) -> Result<(), MailError> {
        let file = self.value_path(key)?;
        self.check_exists()?;
        ensure_own_folder(&self.folder.join("values"))?;
        write_private(&file, value.as_bytes()).map_err(|error| io_error("publish to the team", &file, error))
    }

    async fn look_up(&self, key: &str) -> Result<Option<String>, MailError> {
        read_small(&self.value_path(key)?)
    }

    async fn remove(&self) -> Result<(), MailError> {
        for folder in [self.mail_folder(), self.folder.join("values")] {
            remove_folder(&folder).map_err(|error| io_error("remove the mailbox", &folder, error))?;
        }
        Ok(())
    }
}

/// Renames the folder before deleting it, so that concurrent writers find nothing.
pub(crate) fn remove_folder(folder: &Path) -> std::io::Result<()> {
    let aside = folder.with_file_name(format!(".gone-{}", crate::new_id()));
    match std::fs::rename(folder, &aside) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        renamed => renamed?,
    }
    // A concurrent writer may still add a file, so retry.
    let removed = (0..3).map(|_| std::fs::remove_dir_all(&aside)).find(Result::is_ok);
    removed.unwrap_or_else(|| std::fs::remove_dir_all(&aside))
}

fn read_small(path: &Path) -> Result<Option<String>, MailError> {
    let failed = |error| io_error("read", path, error);
    let file = match open_private(path, private_options().read(true)) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    let mut text = String::new();
    file.take(MAX_VALUE).read_to_string(&mut text).map_err(failed)?;
    Ok(Some(text))
}

fn read_done(path: &Path) -> Result<Option<MailPosition>, MailError> {
    Ok(read_small(path)?.and_then(|text| MailPosition::parse(&text)))
}

struct FileMailboxReader {
    lines: SegmentReader,
    watch: FolderWatch,
    folder: PathBuf,
    done_file: PathBuf,
    name: String,
    /// The position after the last message.
    delivered: Option<MailPosition>,
}

impl FileMailboxReader {
    /// Empties a full mailbox that was read to its end, once every message is done. It contains something else than
    /// messages, and its reader could get none any more.
    fn clear_if_full(&mut self) -> Result<(), MailError> {
        let Some(bytes) = size_if_full(&self.folder) else { return Ok(()) };
        if self.delivered > read_done(&self.done_file)? {
            return Ok(());
        }
        let Some(begin) = clear(&self.folder, self.lines.position())? else { return Ok(()) };
        self.lines.continue_at(begin);
        write_private(&self.done_file, begin.to_string().as_bytes())
            .map_err(|error| io_error("write to the mailbox", &self.done_file, error))?;
        Err(MailError::Damaged { name: self.name.clone(), megabytes: bytes >> 20 })
    }
}

#[async_trait]
impl MailboxReader for FileMailboxReader {
    async fn next(&mut self) -> Result<Delivery, MailError> {
        loop {
            match self.lines.next() {
                Ok(MailRead::Message(delivery)) => {
                    self.delivered = MailPosition::parse(&delivery.position);
                    return Ok(delivery);
                }
                Ok(MailRead::More) => tokio::task::yield_now().await,
                Ok(MailRead::End) => {
                    self.clear_if_full()?;
                    self.watch.wait_for_change().await;
                }
                Err(error) => return Err(io_error("read the mailbox", &self.folder, error)),
            }
        }
    }
}
