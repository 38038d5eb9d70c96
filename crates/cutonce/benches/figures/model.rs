//! The scripted model that the program talks to: a scenario server in this process (MO-5).

use crate::process::Program;
use anyhow::{Result, anyhow};
use cutonce_models::scenario::{Recorded, Recording, Script, Server};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::path::Path;

pub struct Model(Server);

impl Model {
    /// Plays these turns and keeps the requests.
    pub fn start(turns: Value) -> Result<Model> {
        Model::with(turns, Recording::On)
    }
    /// Plays these turns and keeps nothing, so that its own time does not grow with the conversation.
    pub fn forgetful(turns: Value) -> Result<Model> {
        Model::with(turns, Recording::Off)
    }
    fn with(turns: Value, recording: Recording) -> Result<Model> {
        let script = Script::parse(&json!({ "turns": turns }).to_string()).map_err(|error| anyhow!("{error}"))?;
        Ok(Model(Server::start_with(script, recording)?))
    }
    pub fn address(&self) -> SocketAddr {
        self.0.addr()
    }
    pub fn requests(&self) -> Vec<Recorded> {
        self.0.requests()
    }
    pub fn server(&self) -> &Server {
        &self.0
    }
}

impl Program {
    /// With its model at this address and its home in `room`.
    pub fn talks_to(self, address: SocketAddr, room: &Path) -> Program {
        self.env("ANTHROPIC_BASE_URL", format!("http://{address}"))
            .env("ANTHROPIC_API_KEY", "sk-figures-0001")
            .env("HOME", room)
            .env("CUTONCE_HOME", room.join(".cutonce"))
    }
}
