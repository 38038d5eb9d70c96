//! File access through the editor (HO-5): reads see unsaved text, writes show up in the editor. Used only if
//! the client supports it and after the permission decision; it decides nothing.

use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{FileSystemCapabilities, ReadTextFileRequest, SessionId, WriteTextFileRequest};
use agent_client_protocol::{Client, is_connection_terminated, is_incoming_transport_closed};
use cutonce_tools::disk::{EditorWrite, FileEditor};
use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

/// Timeouts for the editor; after that we use the disk.
const READ_TIMEOUT: Duration = Duration::from_secs(10);
const WRITE_TIMEOUT: Duration = Duration::from_secs(30);

pub struct EditorFiles {
    pub connection: ConnectionTo<Client>,
    pub session: SessionId,
    pub capabilities: FileSystemCapabilities,
    /// Runtime of the connection; file operations run in their own threads.
    pub runtime: tokio::runtime::Handle,
}

impl EditorFiles {
    /// Returns `None` if the client supports neither reads nor writes.
    pub fn if_supported(
        connection: &ConnectionTo<Client>,
        session: &str,
        offers: &FileSystemCapabilities,
    ) -> Option<std::sync::Arc<dyn FileEditor>> {
        if !offers.read_text_file && !offers.write_text_file {
            return None;
        }
        Some(std::sync::Arc::new(EditorFiles {
            connection: connection.clone(),
            session: SessionId::new(session),
            capabilities: offers.clone(),
            runtime: tokio::runtime::Handle::current(),
        }))
    }

    /// Sends the request and blocks this thread until the answer.
    fn send_and_wait<R: agent_client_protocol::JsonRpcRequest>(
        &self,
        request: R,
        patience: Duration,
    ) -> Option<Result<R::Response, agent_client_protocol::Error>>
    where
        R::Response: Send + 'static,
    {
        let (sender, receiver) = mpsc::sync_channel(1);
        let sent = self.connection.send_request(request);
        self.runtime.spawn(async move {
            let _ = sender.send(sent.block_task().await);
        });
        receiver.recv_timeout(patience).ok()
    }
}

impl FileEditor for EditorFiles {
    fn read(&self, path: &Path) -> Option<String> {
        if !self.capabilities.read_text_file {
            return None;
        }
        let request = ReadTextFileRequest::new(self.session.clone(), path);
        self.send_and_wait(request, READ_TIMEOUT)?.ok().map(|answer| answer.content)
    }

    fn write(&self, path: &Path, text: &str) -> EditorWrite {
        if !self.capabilities.write_text_file {
            return EditorWrite::Declined;
        }
        let request = WriteTextFileRequest::new(self.session.clone(), path, text);
        match self.send_and_wait(request, WRITE_TIMEOUT) {
            Some(Ok(_)) => EditorWrite::Written,
            Some(Err(error)) if is_connection_terminated(&error) || is_incoming_transport_closed(&error) => {
                EditorWrite::Lost("the editor disconnected".into())
            }
            Some(Err(_)) => EditorWrite::Declined,
            None => EditorWrite::Lost("the editor did not answer".into()),
        }
    }
}
