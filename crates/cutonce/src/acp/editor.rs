//! The editor's side of files (HO-5): unsaved text is seen, and what is written shows in the editor. Only where the client
//! offers it, and only for what was decided before: this carries text and decides nothing.

use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{FileSystemCapabilities, ReadTextFileRequest, SessionId, WriteTextFileRequest};
use agent_client_protocol::{Client, is_connection_terminated, is_incoming_transport_closed};
use cutonce_tools::disk::{Editor, Handed};
use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

/// An editor that does not answer in time is asked no further; the disk counts.
const READING: Duration = Duration::from_secs(10);
const WRITING: Duration = Duration::from_secs(30);

pub struct Port {
    pub connection: ConnectionTo<Client>,
    pub session: SessionId,
    pub offers: FileSystemCapabilities,
    /// Where the connection lives; files are worked on in threads of their own.
    pub runtime: tokio::runtime::Handle,
}

impl Port {
    /// None where the client offers nothing of it.
    pub fn offered(
        connection: &ConnectionTo<Client>,
        session: &str,
        offers: &FileSystemCapabilities,
    ) -> Option<std::sync::Arc<dyn Editor>> {
        if !offers.read_text_file && !offers.write_text_file {
            return None;
        }
        Some(std::sync::Arc::new(Port {
            connection: connection.clone(),
            session: SessionId::new(session),
            offers: offers.clone(),
            runtime: tokio::runtime::Handle::current(),
        }))
    }

    /// Sends the request and waits in this thread.
    fn ask<R: agent_client_protocol::JsonRpcRequest>(
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

impl Editor for Port {
    fn read(&self, path: &Path) -> Option<String> {
        if !self.offers.read_text_file {
            return None;
        }
        let request = ReadTextFileRequest::new(self.session.clone(), path);
        self.ask(request, READING)?.ok().map(|answer| answer.content)
    }

    fn write(&self, path: &Path, text: &str) -> Handed {
        if !self.offers.write_text_file {
            return Handed::Declined;
        }
        let request = WriteTextFileRequest::new(self.session.clone(), path, text);
        match self.ask(request, WRITING) {
            Some(Ok(_)) => Handed::Written,
            Some(Err(error)) if is_connection_terminated(&error) || is_incoming_transport_closed(&error) => {
                Handed::Lost("it is gone".into())
            }
            Some(Err(_)) => Handed::Declined,
            None => Handed::Lost("it did not answer".into()),
        }
    }
}
