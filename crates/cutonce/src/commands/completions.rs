//! `cutonce completions`: prints a shell completion script.

use crate::cli::args::Cli;
use clap::CommandFactory;
use cutonce_core::exit_code;
use std::io::Write;

pub fn run(shell: clap_complete::Shell) -> anyhow::Result<u8> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "cutonce", &mut script);
    std::io::stdout().write_all(&script)?;
    Ok(exit_code::SUCCESS)
}
