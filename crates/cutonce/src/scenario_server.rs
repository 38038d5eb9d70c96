//! `cutonce scenario-server FILE`: the scripted model for software that is not ours (MO-5).

use crate::cli;
use anyhow::Context;
use cutonce_models::scenario::{Script, Server};
use std::io::Read;

pub fn run(args: &cli::ScenarioServer) -> anyhow::Result<u8> {
    let text = std::fs::read_to_string(&args.file).with_context(|| format!("{} can't be read", args.file.display()))?;
    let server = Server::start_on(Script::parse(&text).map_err(anyhow::Error::msg)?, args.port)?;
    println!("listening on {}", server.addr());
    // Lives as long as whoever started it holds standard input open.
    let _ = std::io::stdin().read_to_end(&mut Vec::new());
    if let Some(folder) = &args.record {
        std::fs::create_dir_all(folder)?;
        for (n, request) in server.requests().iter().enumerate() {
            std::fs::write(folder.join(format!("{:03}.json", n + 1)), &request.body)?;
        }
    }
    Ok(0)
}
