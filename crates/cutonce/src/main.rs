//! The program: reads the command line and hands over to a face. Nothing is loaded that the command does not need.

#[macro_use]
mod print;

#[cfg(feature = "acp")]
mod acp;
mod agents;
mod cli;
mod cli_host;
mod demo;
mod doctor;
mod editor;
mod frames;
mod headless;
mod implement;
mod keyring;
mod mcp;
mod plain;
mod plain_plan;
mod plans;
mod scenario_server;
mod sdk;
mod sessions;
mod start;
mod teammate;
mod tui;

use clap::{CommandFactory, Parser};
use cli::{Cli, Command, InputFormat, OutputFormat, Run};
use cutonce_agent::Approver;
use cutonce_core::mode::Mode;
use headless::First;
use std::io::{IsTerminal, Read, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    // A command that we start could otherwise read our environment, keys included, from /proc (MO-4).
    cutonce_sandbox::keep_private();
    if asks_version() {
        let _ = writeln!(std::io::stdout(), "{}", cli_host::version(std::env::args_os().nth(1)));
        return ExitCode::SUCCESS;
    }
    let cli = Cli::parse_from(cli_host::args(std::env::args_os()));
    let code = match cli.command {
        None => start::sound(cli.run).and_then(|given| block_on(run(given))),
        Some(Command::Demo(demo)) => block_on(demo::run(demo)),
        Some(Command::Plan(run)) => start::sound(*run).and_then(|run| block_on(plan_run(run))),
        Some(Command::Implement(implement)) => block_on(implement_run(*implement)),
        #[cfg(feature = "acp")]
        Some(Command::Acp(run)) => start::sound(*run).and_then(start::kept).and_then(|run| block_on(acp::run(run))),
        Some(Command::Doctor { json }) => doctor::run(json),
        Some(Command::Sessions(sessions)) => sessions::run(&sessions),
        Some(Command::Plans(plans)) => plans::run(plans),
        Some(Command::Trust { dir }) => start::trust(dir),
        Some(Command::Mcp(args)) => block_on(mcp::run(args)),
        Some(Command::Key { name, remove }) => keyring::run(&name, remove),
        Some(Command::Completions { shell }) => completions(shell),
        Some(Command::SettingsSchema) => print_schema(),
        Some(Command::ScenarioServer(server)) => scenario_server::run(&server),
    };
    match code {
        Ok(code) => ExitCode::from(code),
        Err(error) if print::is_closed_pipe(&error) => ExitCode::from(1),
        Err(error) => {
            // Its words may be a server's (TL-10).
            eprintln!("cutonce: {}", cutonce_core::harmless::harmless(&format!("{error:#}")));
            ExitCode::from(error.downcast_ref::<start::Usage>().map_or(1, |_| 2))
        }
    }
}

/// `--version` alone is answered before anything else is set up: scripts ask it often.
fn asks_version() -> bool {
    let mut args = std::env::args_os().skip(1);
    let first = args.next();
    args.next().is_none() && first.is_some_and(|arg| arg == "--version" || arg == "-V" || arg == "-v")
}

fn block_on(work: impl Future<Output = anyhow::Result<u8>>) -> anyhow::Result<u8> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let code = runtime.block_on(work);
    // A blocked reader of standard input must not hold the exit.
    runtime.shutdown_background();
    code
}

async fn run(run: Run) -> anyhow::Result<u8> {
    if run.input_format == InputFormat::StreamJson {
        return sdk::run(run).await;
    }
    let headless = run.print || run.output_format != OutputFormat::Text || run.input_format != InputFormat::Text;
    if headless {
        return headless_run(run).await;
    }
    let run = start::kept(run)?;
    if run.team.is_some() && !is_terminal() && !run.plain {
        let started = start::open(&run, start::Face { approver: Approver::Nobody }).await?;
        return teammate::run(started).await;
    }
    if !is_terminal() && !run.plain {
        return Err(start::Usage(
            "no terminal here: use -p \"prompt\" to print an answer, or --plain to talk in lines".into(),
        )
        .into());
    }
    if tui::fits(&run) {
        return tui::run(run, None).await;
    }
    plain::begin(run).await
}

/// `cutonce plan`: headless, in plan mode; prints the plan (PM-76).
async fn plan_run(run: Run) -> anyhow::Result<u8> {
    headless_run(Run { print: true, permission_mode: Some(Mode::Plan), dangerously_skip_permissions: false, ..run })
        .await
}

async fn implement_run(args: cli::Implement) -> anyhow::Result<u8> {
    let Some(what) = args.run.prompt.clone() else {
        return Err(
            start::Usage("implement which plan? name it, or a file: `cutonce plans list` lists them".into()).into()
        );
    };
    let chosen = implement::choose(&what, args.sha256.as_deref())?;
    let run = start::sound(Run { prompt: None, ..args.run })?;
    let headless = run.print || run.output_format != OutputFormat::Text || !is_terminal();
    let run = if headless { run } else { start::kept(run)? };
    if !headless && tui::fits(&run) {
        chosen.settle()?;
        return tui::run(run, Some(First::Implement { plan: chosen.plan, path: chosen.path })).await;
    }
    let approver = if headless { Approver::Nobody } else { Approver::Present };
    let started = start::open(&run, start::Face { approver }).await?;
    chosen.settle()?;
    let first = First::Implement { plan: chosen.plan, path: chosen.path };
    if headless {
        headless::run(started, Some(first), face_of(&run)).await
    } else {
        plain::run(started, Some(first), run).await
    }
}

fn is_terminal() -> bool {
    std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
}

fn face_of(run: &Run) -> headless::Headless {
    headless::Headless { output: run.output_format, partial: run.include_partial_messages, verbose: run.verbose }
}

async fn headless_run(run: Run) -> anyhow::Result<u8> {
    if run.input_format == InputFormat::StreamJson {
        return sdk::run(run).await;
    }
    let prompt = prompt_with_stdin(run.prompt.as_deref())?;
    let started = start::open(&run, start::Face { approver: Approver::Nobody }).await?;
    headless::run(started, Some(prompt), face_of(&run)).await
}

/// The prompt with standard input appended, where there is one (CL-1).
fn prompt_with_stdin(prompt: Option<&str>) -> anyhow::Result<First> {
    const MOST: u64 = 10 << 20;
    let mut piped = Vec::new();
    let stdin = std::io::stdin();
    if !stdin.is_terminal() {
        stdin.lock().take(MOST + 1).read_to_end(&mut piped)?;
    }
    if piped.len() as u64 > MOST {
        anyhow::bail!(
            "standard input is over 10 MB; name the file in the prompt instead, so that the agent can read it"
        );
    }
    let piped = String::from_utf8_lossy(&piped);
    let prompt = prompt.filter(|prompt| !prompt.trim().is_empty()).map(str::to_string);
    let piped = Some(piped.trim_end()).filter(|piped| !piped.trim().is_empty()).map(str::to_string);
    match (prompt, piped) {
        (Some(prompt), Some(piped)) => Ok(First::Piped { prompt, piped }),
        (Some(words), None) | (None, Some(words)) => Ok(First::Say(words)),
        (None, None) => Err(start::Usage("-p needs a prompt: as an argument or on standard input".into()).into()),
    }
}

fn completions(shell: clap_complete::Shell) -> anyhow::Result<u8> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "cutonce", &mut script);
    std::io::stdout().write_all(&script)?;
    Ok(0)
}

fn print_schema() -> anyhow::Result<u8> {
    let schema = serde_json::to_string_pretty(&cutonce_core::settings::schema())?;
    writeln!(std::io::stdout(), "{schema}")?;
    Ok(0)
}
