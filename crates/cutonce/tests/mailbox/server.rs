//! A NATS server on a free port, with its store in a temporary folder; it ends with the test.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

pub struct Server {
    child: Child,
    port: u16,
    _store: tempfile::TempDir,
}

/// Debian installs servers in sbin, which may be missing from PATH.
pub fn nats_program() -> PathBuf {
    let path = format!("{}:/usr/sbin:/usr/local/sbin", std::env::var("PATH").unwrap_or_default());
    let found = std::env::split_paths(&path).map(|folder| folder.join("nats-server")).find(|file| file.is_file());
    found.expect("nats-server is needed (Debian: apt-get install nats-server)")
}

impl Server {
    pub fn start() -> Server {
        Server::start_with(&["-js"])
    }
    /// A server with these arguments besides address, port and store.
    pub fn start_with(args: &[&str]) -> Server {
        let store = tempfile::tempdir().unwrap();
        let mut command = Command::new(nats_program());
        command.args(["-a", "127.0.0.1", "-p", "-1", "-sd"]).arg(store.path()).args(args);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let (mut port, mut told) = (None, String::new());
        for line in lines.by_ref().map_while(Result::ok) {
            if let Some((_, address)) = line.split_once("Listening for client connections on ") {
                port = address.trim().rsplit_once(':').and_then(|(_, port)| port.parse().ok());
            }
            told.push_str(&line);
            if line.contains("Server is ready") {
                break;
            }
        }
        // It blocks if its output is not read.
        std::thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
        Server { child, port: port.unwrap_or_else(|| panic!("nats-server did not start: {told}")), _store: store }
    }
    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
