//! `cutonce import claude`: takes over what the user configured for Claude Code. Shows what it would do first.

use crate::cli::args::ImportSource;
use crate::frontends;
use crate::start;
use anyhow::Context;
use cutonce_agent::config::{ClaudeImport, SettingsPaths};
use cutonce_core::exit_code;
use cutonce_core::text::sanitize::one_line;
use cutonce_tui::{EchoMode, TypedLineReader};
use std::io::Write;

pub fn run(source: ImportSource, yes: bool) -> anyhow::Result<u8> {
    let ImportSource::Claude = source;
    let places = SettingsPaths::new(&|name| std::env::var_os(name), start::current_dir()?)
        .context("neither CUTONCE_HOME nor HOME is set; set one of them")?;
    let import = ClaudeImport::prepare(&places);
    print_import(&import);
    if import.files.is_empty() {
        println!("Nothing to write.");
        return Ok(exit_code::SUCCESS);
    }
    if !yes && !agrees()? {
        println!("Nothing was written. `cutonce import claude --yes` writes it.");
        return Ok(exit_code::SUCCESS);
    }
    import.apply()?;
    println!("Done. `cutonce doctor` checks the result.");
    Ok(exit_code::SUCCESS)
}

fn print_import(import: &ClaudeImport) {
    for file in &import.files {
        println!("Adds to {}:", file.path.display());
        file.additions.iter().for_each(|line| println!("  {}", one_line(line)));
    }
    if !import.in_place.is_empty() {
        println!("Used where they are:");
        import.in_place.iter().for_each(|path| println!("  {}", path.display()));
    }
    if !import.left_out.is_empty() {
        println!("Not taken over:");
        import.left_out.iter().for_each(|line| println!("  {}", one_line(line)));
    }
}

/// Asks on a terminal; without one, the answer is no.
fn agrees() -> anyhow::Result<bool> {
    if !frontends::is_terminal() {
        return Ok(false);
    }
    print!("Write this? [y/N] ");
    std::io::stdout().flush()?;
    let typed = TypedLineReader::new()?.read(EchoMode::Shown)?;
    println!();
    Ok(typed.is_some_and(|typed| matches!(typed.trim(), "y" | "yes")))
}
