//! Checks of the command line that the parser can't do (CL-2, CL-3).

use crate::cli::args::{Cli, RunFlags};
use crate::start::current_dir;
use clap::CommandFactory;
use clap::error::{ContextKind, ErrorKind};
use cutonce_agent::config;
use cutonce_agent::storage::StoreError;
use cutonce_agent::storage::paths::valid_id;
use cutonce_core::text::nearest_name::nearest_name;
use cutonce_core::text::sanitize::one_line;
use std::ffi::OsString;

/// Letters of the shortest command that a mistyped word can mean.
const SHORTEST_NAME: usize = 4;

/// The command line is invalid: exit code 2 (CL-3).
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct UsageError(pub String);

/// A clearer text for flags in front of a command, which the parser reports with the wrong word.
pub fn explain_misplaced_flags(error: &clap::Error) -> Option<String> {
    let misplaced = error.kind() == ErrorKind::ArgumentConflict && error.get(ContextKind::InvalidSubcommand).is_some();
    misplaced.then(|| {
        "error: the flags of a command come after it, and a prompt is one argument

  cutonce plan \"TASK\" --model NAME
  cutonce --model NAME \"PROMPT\"

For more information, try '--help'."
            .to_string()
    })
}

/// Explains a lone word that is almost the name of a command, which would start a conversation (CL-3).
pub fn explain_mistyped_command(args: &[OsString]) -> Option<String> {
    let [_, word] = args else { return None };
    let word = word.to_str()?;
    let cli = Cli::command();
    // A short name is near to too many words.
    let listed = cli.get_subcommands().filter(|command| !command.is_hide_set()).map(|command| command.get_name());
    let near =
        nearest_name(&word.to_lowercase(), listed.chain(["help"]).filter(|name| name.len() >= SHORTEST_NAME), 1)?;
    Some(format!(
        "error: there is no command `{0}`. Did you mean this?

  cutonce {near}

To start a conversation with this word: cutonce -- {0}",
        one_line(word)
    ))
}

/// Validates flags before any front end starts (CL-2, CL-3). Makes a settings path absolute, so that it names
/// the same file wherever the session works.
pub fn validate_flags(run: RunFlags) -> anyhow::Result<RunFlags> {
    if let Some(id) = run.session.session_id.as_deref().filter(|id| !valid_id(id)) {
        return Err(UsageError(format!("--session-id: {}", StoreError::BadId { id: id.into() })).into());
    }
    if let Some(why) = run.host.usage_error() {
        return Err(UsageError(why).into());
    }
    let Some(given) = run.settings.as_deref() else { return Ok(run) };
    let cwd = current_dir()?;
    if let Some(why) = config::flag_error(given, &cwd) {
        return Err(UsageError(why).into());
    }
    let json = given.trim_start().starts_with('{');
    let settings = if json { given.to_string() } else { cwd.join(given).display().to_string() };
    Ok(RunFlags { settings: Some(settings), ..run })
}

/// Rejects `--no-session-persistence` for interactive front ends: they list and resume earlier sessions
/// (HO-1).
pub fn require_persistence(run: RunFlags) -> anyhow::Result<RunFlags> {
    if run.host.no_session_persistence {
        let why = "--no-session-persistence only works with -p or --input-format stream-json";
        return Err(UsageError(why.into()).into());
    }
    Ok(run)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[test]
    fn cl_3_a_mistyped_command_starts_no_conversation() {
        let told = |args: &[&str]| {
            let args: Vec<OsString> = ["cutonce"].iter().chain(args).map(OsString::from).collect();
            explain_mistyped_command(&args)
        };
        for (typed, meant) in
            [("docter", "doctor"), ("plna", "plan"), ("Implment", "implement"), ("session", "sessions")]
        {
            let why = told(&[typed]).unwrap();
            assert!(why.contains(&format!("cutonce {meant}\n")) && why.contains("cutonce -- "), "{why}");
        }
        for prompt in ["hello", "hey", "test", "fix", "report", "--model", "", "plna the release", "doctor"] {
            assert_eq!(told(&[prompt]), None, "{prompt}");
        }
        assert_eq!((told(&[]), told(&["-p", "docter"]), told(&["--", "docter"])), (None, None, None));
    }

    #[test]
    fn cl_3_flags_before_a_command_are_explained() {
        let told = |args: &[&str]| explain_misplaced_flags(&Cli::try_parse_from(args).unwrap_err());
        let why = told(&["cutonce", "--model", "m", "plan", "write b"]).unwrap();
        assert!(why.contains("come after it") && !why.contains("write b"), "{why}");
        assert_eq!(told(&["cutonce", "--no-such-flag"]), None);
    }
}
