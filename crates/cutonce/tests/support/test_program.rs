//! The environment of the program in tests: its own home and the scripted model, nothing else of this machine.

use std::net::SocketAddr;
use std::path::Path;

/// Variables of a program with this home, whose model answers at `model`.
pub fn program_variables(home: &Path, model: SocketAddr) -> Vec<(&'static str, String)> {
    vec![
        ("PATH", std::env::var("PATH").unwrap_or_default()),
        ("HOME", home.display().to_string()),
        ("CUTONCE_HOME", home.join(".cutonce").display().to_string()),
        ("LANG", "C.UTF-8".into()),
        ("ANTHROPIC_API_KEY", "sk-test-0001".into()),
        ("ANTHROPIC_BASE_URL", format!("http://{model}")),
    ]
}
