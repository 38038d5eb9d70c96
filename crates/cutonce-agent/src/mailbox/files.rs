//! Mailboxes as files in the cutonce home, for a team on one machine (TM-1).
//!
//! ```text
//! <team>/mail/<name>/00000001.jsonl, …, lock     the box of one reader
//! <team>/mail/<name>.done                        how far its reader is
//! <team>/values/<key>                            what was published
//! ```

use super::segments::{Lines, Place, append, io, open_private, own_folder, tidy};
use super::watch::Watch;
use super::{Delivery, MailError, Mailbox, Reader};
use crate::store::place::{private, write_private};
use async_trait::async_trait;
use cutonce_core::mail::{Message, valid_name};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

/// A published value is small.
const LONGEST_VALUE: u64 = 64 << 10;

#[derive(Debug, Clone)]
pub(crate) struct Files {
    folder: PathBuf,
}

impl Files {
    /// `folder`: the team's own.
    pub fn new(folder: &Path) -> Files {
        Files { folder: folder.to_path_buf() }
    }
    fn mail(&self) -> PathBuf {
        self.folder.join("mail")
    }
    fn box_of(&self, name: &str) -> Result<PathBuf, MailError> {
        if !valid_name(name) {
            return Err(MailError::Refused(format!("{name:?} can't be a name in a team")));
        }
        self.still_there()?;
        own_folder(&self.mail())?;
        Ok(self.mail().join(name))
    }
    /// The folder of a team that is over is not made again by whoever still writes to it.
    fn still_there(&self) -> Result<(), MailError> {
        match self.folder.is_dir() {
            true => own_folder(&self.folder),
            false => Err(MailError::Refused("the team is over".into())),
        }
    }
    fn done_file(&self, name: &str) -> PathBuf {
        self.mail().join(format!("{name}.done"))
    }
    fn value(&self, key: &str) -> Result<PathBuf, MailError> {
        if !key.split('.').all(valid_name) {
            return Err(MailError::Refused(format!("{key:?} can't be the name of a value")));
        }
        Ok(self.folder.join("values").join(key))
    }
}

#[async_trait]
impl Mailbox for Files {
    async fn send(&self, message: &Message) -> Result<(), MailError> {
        message.check().map_err(MailError::Refused)?;
        let (folder, message) = (self.box_of(&message.to)?, message.clone());
        // Waiting for the lock and for the disk must not hold up the session.
        let sent = tokio::task::spawn_blocking(move || append(&folder, &message)).await;
        sent.unwrap_or_else(|error| Err(MailError::Refused(error.to_string())))
    }

    async fn read(&self, name: &str) -> Result<Box<dyn Reader>, MailError> {
        let folder = self.box_of(name)?;
        own_folder(&folder)?;
        let done = read_small(&self.done_file(name))?.and_then(|text| Place::parse(&text));
        let watch = Watch::new(&folder);
        Ok(Box::new(BoxReader { lines: Lines::new(&folder, done), watch, folder }))
    }

    async fn done(&self, name: &str, position: &str) -> Result<(), MailError> {
        let folder = self.box_of(name)?;
        let place = Place::parse(position).ok_or_else(|| MailError::Refused(format!("no position: {position:?}")))?;
        let file = self.done_file(name);
        let written = tokio::task::spawn_blocking(move || {
            write_private(&file, place.to_string().as_bytes())
                .map_err(|error| io("write to the mailbox", &file, error))?;
            tidy(&folder, place);
            Ok(())
        });
        written.await.unwrap_or_else(|error| Err(MailError::Refused(error.to_string())))
    }

    async fn publish(&self, key: &str, value: &str) -> Result<(), MailError> {
        let file = self.value(key)?;
        self.still_there()?;
        own_folder(&self.folder.join("values"))?;
        write_private(&file, value.as_bytes()).map_err(|error| io("publish to the team", &file, error))
    }

    async fn published(&self, key: &str) -> Result<Option<String>, MailError> {
        read_small(&self.value(key)?)
    }

    async fn remove(&self) -> Result<(), MailError> {
        for folder in [self.mail(), self.folder.join("values")] {
            remove_folder(&folder).map_err(|error| io("remove the mailbox", &folder, error))?;
        }
        Ok(())
    }
}

/// At once under this name, then for good: whoever is still writing finds nothing any more.
pub(crate) fn remove_folder(folder: &Path) -> std::io::Result<()> {
    let aside = folder.with_file_name(format!(".gone-{}", crate::new_id()));
    match std::fs::rename(folder, &aside) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        renamed => renamed?,
    }
    // A writer that was inside may leave one file more.
    let removed = (0..3).map(|_| std::fs::remove_dir_all(&aside)).find(Result::is_ok);
    removed.unwrap_or_else(|| std::fs::remove_dir_all(&aside))
}

fn read_small(path: &Path) -> Result<Option<String>, MailError> {
    let failed = |error| io("read", path, error);
    let file = match open_private(path, private().read(true)) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    let mut text = String::new();
    file.take(LONGEST_VALUE).read_to_string(&mut text).map_err(failed)?;
    Ok(Some(text))
}

struct BoxReader {
    lines: Lines,
    watch: Watch,
    folder: PathBuf,
}

#[async_trait]
impl Reader for BoxReader {
    async fn next(&mut self) -> Result<Delivery, MailError> {
        loop {
            match self.lines.next() {
                Ok(Some(delivery)) => return Ok(delivery),
                Ok(None) => self.watch.changed().await,
                Err(error) => return Err(io("read the mailbox", &self.folder, error)),
            }
        }
    }
}
