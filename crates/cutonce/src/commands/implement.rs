//! `cutonce implement PLAN|FILE`: starts a new conversation from a plan. Running it approves exactly that
//! text (PM-76, PM-84).

use super::approval;
use crate::cli::args::{ImplementArgs, OutputFormat, RunFlags};
use crate::cli::usage::{UsageError, require_persistence, validate_flags};
use crate::frontends::print::{self, FirstInput, PrintOptions};
use crate::frontends::{is_terminal, plain, terminal};
use crate::start;
use cutonce_agent::Approver;
use cutonce_core::exit_code;

pub async fn run(args: ImplementArgs) -> anyhow::Result<u8> {
    let Some(what) = args.run.prompt.clone() else {
        return Err(UsageError(
            "no plan given: pass a plan name or a file; `cutonce plans list` lists the plans".into(),
        )
        .into());
    };
    let chosen = approval::choose(&what, args.sha256.as_deref())?;
    let run = validate_flags(RunFlags { prompt: None, ..args.run })?;
    let headless = run.print || run.output_format != OutputFormat::Text || !is_terminal();
    if !args.allow_stale && !chosen.confirm_fresh(headless)? {
        return Ok(exit_code::STALE);
    }
    let run = if headless { run } else { require_persistence(run)? };
    if !headless && terminal::is_usable(&run) {
        let first = FirstInput::Implement(chosen.approve()?);
        return terminal::run(run, Some(first)).await;
    }
    let approver = if headless { Approver::Absent } else { Approver::Present };
    let opening = async {
        let started = start::open_session(&run, start::FrontendOptions { approver }).await?;
        Ok((started, FirstInput::Implement(chosen.approve()?)))
    };
    if headless {
        let options = PrintOptions { implements: true, ..print::print_options(&run) };
        return print::run(opening, options).await;
    }
    let (started, first) = opening.await?;
    plain::run_plain(started, Some(first), run).await
}
