//! `cutonce man`: prints the man page, made from the command line's own help (ON-6). It has all subcommands, because
//! no other page is installed.

use crate::cli::args::Cli;
use clap::{Command, CommandFactory};
use clap_mangen::Man;
use cutonce_core::exit_code;
use std::io::Write;

pub fn run() -> anyhow::Result<u8> {
    std::io::stdout().write_all(&page()?)?;
    Ok(exit_code::SUCCESS)
}

fn page() -> anyhow::Result<Vec<u8>> {
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    let (man, mut page) = (Man::new(command.clone()), Vec::new());
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    writeln!(page, ".SH SYNOPSIS\n.B cutonce\n[OPTIONS] [PROMPT]\n.br\n.B cutonce\nCOMMAND")?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    writeln!(page, ".SH COMMANDS")?;
    write_commands(&mut page, &command)?;
    man.render_extra_section(&mut page)?;
    Ok(page)
}

/// Writes what each subcommand does, its usage and its options.
fn write_commands(page: &mut Vec<u8>, parent: &Command) -> anyhow::Result<()> {
    for command in parent.get_subcommands().filter(|command| !command.is_hide_set()) {
        let alone = command.clone().disable_help_flag(true).disable_help_subcommand(true);
        let usage = alone.clone().render_usage().to_string();
        writeln!(page, ".SS {}", escape(command.get_bin_name().unwrap_or(command.get_name())))?;
        writeln!(page, "{}\n.PP\n{}", escape(&about(command)), escape(usage.trim()))?;
        let mut options = Vec::new();
        Man::new(alone).render_options_section(&mut options)?;
        let options = String::from_utf8_lossy(&options);
        // The section's own heading would end the list of commands.
        options.lines().filter(|line| !line.starts_with(".SH")).try_for_each(|line| writeln!(page, "{line}"))?;
        write_commands(page, command)?;
    }
    Ok(())
}

fn about(command: &Command) -> String {
    command.get_about().map(ToString::to_string).unwrap_or_default()
}

/// The text for roff: no line begins a request, and a hyphen can be copied.
fn escape(text: &str) -> String {
    let escaped = text.lines().map(|line| line.trim().replace('\\', "\\e").replace('-', "\\-"));
    let guarded = escaped.map(|line| if line.starts_with(['.', '\'']) { format!("\\&{line}") } else { line });
    guarded.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn on_6_man_page_has_each_command_and_flag() {
        let page = String::from_utf8(page().unwrap()).unwrap().replace("\\-", "-");
        let mut command = Cli::command();
        command.build();
        let mut open = vec![command];
        while let Some(command) = open.pop() {
            for argument in command.get_arguments().filter(|argument| !argument.is_hide_set()) {
                let flag = argument.get_long().map(|long| format!("--{long}")).unwrap_or_default();
                assert!(page.contains(&flag), "{} {flag}", command.get_name());
            }
            let inner = command.get_subcommands().filter(|inner| !inner.is_hide_set() && inner.get_name() != "help");
            for inner in inner {
                let name = inner.get_bin_name().unwrap_or_default();
                assert!(page.contains(&format!("\n.SS {name}\n")), "{name}\n{page}");
                open.push(inner.clone());
            }
        }
        assert!(!page.contains("cutonce-demo(1)"), "no other page is installed");
    }
}
