//! The `cutonce` binary: parses the command line and starts a front end or a subcommand. Loads only what that
//! command needs.

#[macro_use]
mod output;

mod cli;
mod commands;
#[cfg(feature = "nats")]
mod event_uplink;
mod frontends;
mod logging;
#[cfg(feature = "nats")]
mod review_uplink;
#[cfg(feature = "nats")]
mod reviewer_events;
#[cfg(feature = "nats")]
mod session_uplink;
mod start;

use clap::Parser;
use cli::args::{Cli, CliCommand};
use cli::host_flags;
use cli::usage::{UsageError, explain_misplaced_flags, explain_mistyped_command, require_persistence, validate_flags};
use commands::{
    completions, demo, doctor, implement, import, key, man, mcp, plan, plans, rehearse, scenario_server, serve,
    sessions, settings_schema, setup, trust,
};
use cutonce_core::exit_code;
use cutonce_core::text::sanitize::sanitize;
use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    // Without this, a command that we start could read our environment, keys included, from /proc (MO-4).
    cutonce_sandbox::forbid_process_inspection();
    cutonce_sandbox::ignore_file_size_signal();
    if is_version_query() {
        let _ = writeln!(std::io::stdout(), "{}", host_flags::version_text(std::env::args_os().nth(1)));
        return ExitCode::SUCCESS;
    }
    let cli = parse_args();
    if let Ok(home) = start::home_dir() {
        logging::init(&home);
        rehearse::clean_up_after_kill(&home);
    }
    let code = match cli.command {
        None => validate_flags(cli.run).and_then(|given| block_on(frontends::run(given))),
        Some(CliCommand::Demo(demo)) => block_on(demo::run(demo)),
        Some(CliCommand::Plan(args)) if args.rehearse => block_on(rehearse::plan_and_rehearse(args.run)),
        Some(CliCommand::Plan(args)) => validate_flags(args.run).and_then(|run| block_on(plan::run(run))),
        Some(CliCommand::Rehearse(args)) => block_on(rehearse::run(args)),
        Some(CliCommand::Rehearsals(args)) => rehearse::kept::run(args),
        Some(CliCommand::Implement(implement)) => block_on(implement::run(*implement)),
        #[cfg(feature = "acp")]
        Some(CliCommand::Acp(run)) => {
            validate_flags(*run).and_then(require_persistence).and_then(|run| block_on(frontends::acp::run(run)))
        }
        #[cfg(feature = "nats")]
        Some(CliCommand::Doctor { json, remote: Some(remote) }) => {
            block_on(async { doctor::report(&commands::doctor_remote::checks(&remote).await?, json) })
        }
        Some(CliCommand::Doctor { json, .. }) => doctor::run(json),
        Some(CliCommand::Sessions(sessions)) => block_on(sessions::run(sessions)),
        Some(CliCommand::Plans(plans)) => plans::run(plans),
        Some(CliCommand::Serve(args)) => block_on(serve::run(args)),
        Some(CliCommand::Trust { dir }) => trust::run(dir),
        Some(CliCommand::Mcp(args)) => block_on(mcp::run(args)),
        Some(CliCommand::Import { source, yes }) => import::run(source, yes),
        Some(CliCommand::Setup) => setup::run(),
        Some(CliCommand::Key { name, remove }) => key::run(&name, remove),
        #[cfg(feature = "nats")]
        Some(CliCommand::Remote(args)) => block_on(commands::remote::run(args)),
        #[cfg(feature = "nats")]
        Some(CliCommand::Submit(args)) => block_on(commands::submit::run(args)),
        #[cfg(feature = "nats")]
        Some(CliCommand::Worker(args)) => block_on(commands::worker::run(args)),
        #[cfg(feature = "nats")]
        Some(CliCommand::Review(args)) => block_on(commands::review::run(args)),
        #[cfg(feature = "nats")]
        Some(CliCommand::Jobs(args)) => block_on(commands::jobs::run(args)),
        Some(CliCommand::Completions { shell }) => completions::run(shell),
        Some(CliCommand::Man) => man::run(),
        Some(CliCommand::SettingsSchema) => settings_schema::run(),
        Some(CliCommand::ScenarioServer(server)) => scenario_server::run(&server),
    };
    match code {
        Ok(code) => ExitCode::from(code),
        Err(error) if output::is_closed_pipe(&error) => ExitCode::from(exit_code::FAILED),
        Err(error) => {
            // The error text may come from a server (TL-10).
            eprintln!("cutonce: {}", sanitize(&format!("{error:#}")));
            let is_usage = error.downcast_ref::<UsageError>().is_some();
            ExitCode::from(if is_usage { exit_code::USAGE } else { exit_code::FAILED })
        }
    }
}

fn parse_args() -> Cli {
    let args: Vec<OsString> = std::env::args_os().collect();
    let why = match Cli::try_parse_from(host_flags::rewrite_args(args.iter().cloned())) {
        Ok(cli) => match explain_mistyped_command(&args) {
            Some(why) => why,
            None => return cli,
        },
        Err(error) => explain_misplaced_flags(&error).unwrap_or_else(|| error.exit()),
    };
    eprintln!("{why}");
    std::process::exit(exit_code::USAGE.into());
}

/// Checks for a lone `--version`. Answered before any setup because scripts call it often.
fn is_version_query() -> bool {
    let mut args = std::env::args_os().skip(1);
    let first = args.next();
    args.next().is_none() && first.is_some_and(|arg| arg == "--version" || arg == "-V" || arg == "-v")
}

fn block_on(work: impl Future<Output = anyhow::Result<u8>>) -> anyhow::Result<u8> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let code = runtime.block_on(async {
        let code = work.await;
        #[cfg(feature = "nats")]
        session_uplink::finish().await;
        code
    });
    // A blocked read of stdin must not delay the exit.
    runtime.shutdown_background();
    code
}
