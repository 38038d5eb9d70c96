//! The scripted model that the program talks to: a scenario server in this process (MO-5).

use crate::process::Program;
use anyhow::{Result, anyhow};
use cutonce_models::scripted::{LoopbackServer, RecordedRequest, RequestRecording, ScenarioScript};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::path::Path;

pub struct Model(LoopbackServer);

impl Model {
    /// Plays these turns and records the requests.
    pub fn start(turns: Value) -> Result<Model> {
        Model::with(turns, RequestRecording::On)
    }
    /// Plays these turns and records nothing, so that its own time does not grow with the conversation.
    pub fn forgetful(turns: Value) -> Result<Model> {
        Model::with(turns, RequestRecording::Off)
    }
    fn with(turns: Value, recording: RequestRecording) -> Result<Model> {
        let script =
            ScenarioScript::parse(&json!({ "turns": turns }).to_string()).map_err(|error| anyhow!("{error}"))?;
        Ok(Model(LoopbackServer::start_with(script, recording)?))
    }
    pub fn address(&self) -> SocketAddr {
        self.0.addr()
    }
    pub fn requests(&self) -> Vec<RecordedRequest> {
        self.0.requests()
    }
    pub fn server(&self) -> &LoopbackServer {
        &self.0
    }
}

impl Program {
    /// Points the program at this model, with its home in `room`.
    pub fn talks_to(self, address: SocketAddr, room: &Path) -> Program {
        self.env("ANTHROPIC_BASE_URL", format!("http://{address}"))
            .env("ANTHROPIC_API_KEY", "sk-figures-0001")
            .env("HOME", room)
            .env("CUTONCE_HOME", room.join(".cutonce"))
    }
}
