//! `cutonce scenario-server FILE`: serves the scripted model to other programs (MO-5).

use crate::cli::args;
use anyhow::Context;
use cutonce_core::exit_code;
use cutonce_models::scripted::{LoopbackServer, ScenarioScript};
use std::io::Read;

pub fn run(args: &args::ScenarioServerArgs) -> anyhow::Result<u8> {
    let text = std::fs::read_to_string(&args.file).with_context(|| format!("can't read {}", args.file.display()))?;
    let server = LoopbackServer::start_on(ScenarioScript::parse(&text).map_err(anyhow::Error::msg)?, args.port)?;
    println!("listening on {}", server.addr());
    // Runs until the parent process closes our stdin.
    let _ = std::io::stdin().read_to_end(&mut Vec::new());
    if let Some(folder) = &args.record {
        std::fs::create_dir_all(folder)?;
        for (n, request) in server.requests().iter().enumerate() {
            std::fs::write(folder.join(format!("{:03}.json", n + 1)), &request.body)?;
        }
    }
    Ok(exit_code::SUCCESS)
}
