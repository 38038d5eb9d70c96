//! `cutonce man`: prints the man page, made from the command line's own help (ON-6).

use crate::cli::args::Cli;
use clap::CommandFactory;
use cutonce_core::exit_code;
use std::io::Write;

pub fn run() -> anyhow::Result<u8> {
    let mut page = Vec::new();
    clap_mangen::Man::new(Cli::command()).render(&mut page)?;
    std::io::stdout().write_all(&page)?;
    Ok(exit_code::SUCCESS)
}
