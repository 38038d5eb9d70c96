//! Large content in the object store: bundles, patches, long texts. Each is encrypted with a key of its own, which only
//! the sealed record that names it carries.

use crate::envelope::{decrypt, encrypt};
use crate::hex;
use crate::member_keys::random_bytes;
use crate::retry::while_server_fails;
use crate::streams::bucket_name;
use crate::{FleetError, FleetLink};
use async_nats::jetstream::object_store::{GetErrorKind, ObjectInfo};
use async_nats::jetstream::stream::LastRawMessageErrorKind;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE;
use serde::{Deserialize, Serialize};
use std::time::Duration;
use tokio::io::AsyncReadExt;

/// Larger content is refused.
pub const MAX_BLOB: usize = 128 << 20;
/// Texts up to this size travel inside their record.
const MAX_INLINE: usize = 48 << 10;

/// What encryption adds.
const SEAL_BYTES: u64 = 64;
/// A server that sends nothing for so long has failed.
const SILENCE: Duration = Duration::from_secs(10);

/// Names stored content and opens it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlobRef {
    pub name: String,
    pub size: u64,
    key: String,
}

/// A text, inside the record or in the object store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum StoredText {
    Inline(String),
    Blob(BlobRef),
}

impl FleetLink {
    pub async fn put_blob(&self, bytes: &[u8]) -> Result<BlobRef, FleetError> {
        if bytes.len() > MAX_BLOB {
            let what =
                format!("{} MB are too much for the remote; the limit is {} MB", bytes.len() >> 20, MAX_BLOB >> 20);
            return Err(FleetError::Refused(what));
        }
        let name = cutonce_agent::new_id();
        let key = hex::text(&random_bytes::<32>()?);
        let sealed = encrypt(key.as_bytes(), &name, bytes)?;
        while_server_fails!(self.connection(), self.put_object(&name, &sealed).await)?;
        Ok(BlobRef { name, size: bytes.len() as u64, key })
    }

    async fn put_object(&self, name: &str, sealed: &[u8]) -> Result<(), FleetError> {
        let store = self.context().get_object_store(bucket_name(&self.group())).await;
        let store = store.map_err(|error| self.server_error("open the object store", &error))?;
        let stored = store.put(name, &mut &*sealed).await;
        stored.map(drop).map_err(|error| self.server_error("store an object", &error))
    }

    pub async fn get_blob(&self, blob: &BlobRef) -> Result<Vec<u8>, FleetError> {
        if blob.size > MAX_BLOB as u64 {
            return Err(FleetError::Refused("a record names an object that is too large; it is not used".into()));
        }
        let sealed = while_server_fails!(self.connection(), self.get_object(blob).await)?;
        let plain = decrypt(blob.key.as_bytes(), &blob.name, &sealed);
        let plain = plain.filter(|plain| plain.len() as u64 == blob.size);
        plain.ok_or_else(|| FleetError::Refused("a stored object was changed on the server; it is not used".into()))
    }

    async fn get_object(&self, blob: &BlobRef) -> Result<Vec<u8>, FleetError> {
        let failed = |error: &dyn std::fmt::Display| self.server_error("read an object", error);
        let store =
            self.context().get_object_store(bucket_name(&self.group())).await.map_err(|error| failed(&error))?;
        let object = match store.get(&blob.name).await {
            Err(error) if error.kind() == GetErrorKind::NotFound => return Err(self.missing_object(blob).await),
            object => object.map_err(|error| failed(&error))?,
        };
        let (mut object, mut sealed) = (object.take(blob.size + SEAL_BYTES + 1), Vec::new());
        loop {
            let read = tokio::time::timeout(SILENCE, object.read_buf(&mut sealed)).await;
            if read.map_err(|_| failed(&"it sends nothing"))?.map_err(|error| failed(&error))? == 0 {
                return Ok(sealed);
            }
        }
    }

    /// Any copy answers for an object, and a copy may be behind: only the leader knows that an object is gone.
    async fn missing_object(&self, blob: &BlobRef) -> FleetError {
        let bucket = bucket_name(&self.group());
        let subject = format!("$O.{bucket}.M.{}", URL_SAFE.encode(&blob.name));
        let stream = self.context().get_stream_no_info(format!("OBJ_{bucket}")).await;
        let last = match stream {
            Ok(stream) => stream.get_last_raw_message_by_subject(&subject).await,
            Err(error) => return self.server_error("read an object", &error),
        };
        match last {
            Ok(message) if !is_deleted(&message.payload) => self.server_error("read an object", &"a copy is behind"),
            Err(error) if error.kind() != LastRawMessageErrorKind::NoMessageFound => {
                self.server_error("read an object", &error)
            }
            _ => FleetError::Refused("an object is no longer on the server; it was removed or expired".into()),
        }
    }

    /// Removes content that no record needs any more.
    pub async fn remove_blob(&self, blob: &BlobRef) -> Result<(), FleetError> {
        let failed = |error: &dyn std::fmt::Display| self.server_error("remove an object", error);
        let store =
            self.context().get_object_store(bucket_name(&self.group())).await.map_err(|error| failed(&error))?;
        store.delete(&blob.name).await.map_err(|error| failed(&error))
    }

    pub async fn put_text(&self, text: &str) -> Result<StoredText, FleetError> {
        match text.len() <= MAX_INLINE {
            true => Ok(StoredText::Inline(text.to_string())),
            false => Ok(StoredText::Blob(self.put_blob(text.as_bytes()).await?)),
        }
    }

    pub async fn get_text(&self, text: &StoredText) -> Result<String, FleetError> {
        match text {
            StoredText::Inline(text) => Ok(text.clone()),
            StoredText::Blob(blob) => {
                let bytes = self.get_blob(blob).await?;
                String::from_utf8(bytes).map_err(|_| FleetError::Refused("a stored text is not valid UTF-8".into()))
            }
        }
    }
}

/// Whether the description of an object says that it was removed.
fn is_deleted(info: &[u8]) -> bool {
    serde_json::from_slice::<ObjectInfo>(info).is_ok_and(|info| info.deleted)
}
