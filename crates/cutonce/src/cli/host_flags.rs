//! Flags that host programs pass (HO-1): those of the Claude Agent SDKs that we support, and the handling of
//! unknown ones.

use crate::cli::args::Cli;
use crate::cli::usage::UsageError;
use anyhow::Context;
use clap::{Args, CommandFactory};
use cutonce_agent::builder::ResumeAt;
use cutonce_agent::config::managed_error;
use cutonce_agent::structured_output::StructuredOutput;
use cutonce_core::model_request::Effort;
use cutonce_core::permission::rules::ConfigSource;
use cutonce_core::settings::ThinkingSettings;
use std::ffi::OsString;
use std::path::PathBuf;

/// Flags of other programs that restrict a run and that we do not support. We refuse to start, because
/// ignoring them would grant more than the host intended.
pub const UNSUPPORTED_RESTRICTIONS: [&str; 4] = ["bare", "disable-slash-commands", "safe-mode", "worktree"];

#[derive(Debug, Default, Args)]
#[command(next_help_heading = "For programs that drive cutonce (--input-format stream-json)")]
pub struct HostFlags {
    /// Where permission questions go: `stdio` asks the host program
    #[arg(long, value_name = "stdio")]
    pub permission_prompt_tool: Option<String>,
    /// Only these built-in tools, comma separated; `default` for all
    #[arg(long, value_name = "NAMES")]
    pub tools: Option<String>,
    /// Load only these settings and instructions: user, project, local; empty for none
    #[arg(long, value_name = "SOURCES")]
    pub setting_sources: Option<String>,
    /// Subagents as JSON: name → {description, prompt, tools, model}
    #[arg(long, value_name = "JSON")]
    pub agents: Option<String>,
    /// Run the main conversation as this agent: its prompt, tools and model
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
    /// Managed settings as JSON, for this run; they can only restrict
    #[arg(long, value_name = "JSON")]
    pub managed_settings: Option<String>,
    /// Managed settings come with `initialize`
    #[arg(long, hide = true)]
    pub managed_settings_in_initialize: bool,
    /// `none`: deny whatever would ask
    #[arg(long, value_name = "WHO", value_parser = ["host", "none"])]
    pub permission_prompts: Option<String>,
    /// Keep the session off the disk; it can't be resumed
    #[arg(long)]
    pub no_session_persistence: bool,
    /// Replace the built-in system prompt with the text of this file
    #[arg(long, value_name = "FILE")]
    pub system_prompt_file: Option<PathBuf>,
    /// Thinking effort: low, medium, high, max
    #[arg(long, value_name = "EFFORT")]
    pub effort: Option<String>,
    /// Maximum thinking tokens; 0 turns thinking off
    #[arg(long, value_name = "N")]
    pub max_thinking_tokens: Option<u32>,
    /// `disabled` turns thinking off
    #[arg(long, value_name = "HOW")]
    pub thinking: Option<String>,
    /// Models to finish a turn with if the main model fails; comma separated, tried in order
    #[arg(long, value_name = "MODELS")]
    pub fallback_model: Option<String>,
    /// The answer must match this JSON schema; the result carries it as structured_output
    #[arg(long, value_name = "SCHEMA")]
    pub json_schema: Option<String>,
    /// With --resume: continue after this message (a uuid) instead of the last one
    #[arg(long, value_name = "UUID")]
    pub resume_session_at: Option<String>,
    /// With --resume-session-at: only if this message's turn is all that is dropped
    #[arg(long, value_name = "UUID")]
    pub resume_drops_turn: Option<String>,
    /// Echo each user message when it joins the conversation
    #[arg(long)]
    pub replay_user_messages: bool,
    /// The user reads a chat channel and can't approve plans: the model can't enter plan mode by itself
    #[arg(long)]
    pub channels: bool,
    /// Deny whatever would ask (the mode `dontAsk` of other programs)
    #[arg(long, hide = true)]
    pub dont_ask: bool,
    /// `skills` from `initialize`: offer only these.
    #[arg(skip)]
    pub skills: Option<Vec<String>>,
    /// `planModeInstructions` from `initialize`.
    #[arg(skip)]
    pub custom_workflow: Option<String>,
    /// Unknown flags that the host passed
    #[arg(long, hide = true)]
    pub not_known: Vec<String>,
}

impl HostFlags {
    /// True if permission questions can be sent to the host.
    pub fn asks_host(&self) -> bool {
        self.permission_prompt_tool.as_deref() == Some("stdio") && self.permission_prompts.as_deref() != Some("none")
    }

    /// Returns why the flags can't be used, before anything starts (CL-3). A flag that restricts the run is
    /// obeyed or stops the start.
    pub fn usage_error(&self) -> Option<String> {
        let refused: Vec<String> = self
            .not_known
            .iter()
            .filter(|name| UNSUPPORTED_RESTRICTIONS.contains(&name.as_str()))
            .map(|name| format!("--{name}"))
            .collect();
        if !refused.is_empty() {
            return Some(format!(
                "{} would restrict this run but is not supported; remove it, or use --tools, --disallowedTools and \
                 --setting-sources",
                refused.join(", ")
            ));
        }
        match (&self.resume_session_at, &self.resume_drops_turn) {
            (_, Some(turn)) if turn.is_empty() => {
                return Some("--resume-drops-turn needs the uuid of a message".into());
            }
            (None, Some(_)) => return Some("--resume-drops-turn needs --resume-session-at".into()),
            (Some(_), _) | (None, None) => {}
        }
        self.managed_settings.as_deref().and_then(managed_error)
    }

    pub fn only_tools(&self) -> Option<Vec<String>> {
        let given = self.tools.as_deref().filter(|given| *given != "default")?;
        let names = given.split(',').map(|name| name.trim().to_string());
        Some(names.filter(|name| !name.is_empty()).collect())
    }

    pub fn parsed_sources(&self) -> Option<Vec<ConfigSource>> {
        let named = |name: &str| match name.trim() {
            "user" => Some(ConfigSource::User),
            "project" => Some(ConfigSource::Project),
            "local" => Some(ConfigSource::Local),
            _ => None,
        };
        Some(self.setting_sources.as_deref()?.split(',').filter_map(named).collect())
    }

    pub fn thinking(&self) -> Option<ThinkingSettings> {
        let effort = self.effort.as_deref().and_then(Effort::parse);
        let off = self.thinking.as_deref() == Some("disabled");
        let budget = self.max_thinking_tokens.or(off.then_some(0));
        (effort.is_some() || budget.is_some()).then_some(ThinkingSettings { effort, budget })
    }

    /// Builds the tool that returns the answer as `--json-schema` demands.
    pub fn structured_output_tool(&self) -> Result<Option<StructuredOutput>, UsageError> {
        let Some(text) = &self.json_schema else { return Ok(None) };
        let schema = serde_json::from_str(text)
            .map_err(|error| UsageError(format!("--json-schema is not valid JSON: {error}")))?;
        StructuredOutput::new(schema).map(Some).map_err(|error| UsageError(error.to_string()))
    }

    /// Message to resume from; an empty value means the last.
    pub fn resume_at(&self) -> Option<ResumeAt> {
        let message = self.resume_session_at.clone().filter(|message| !message.is_empty())?;
        Some(ResumeAt { message, drops_turn: self.resume_drops_turn.clone() })
    }

    /// Replacement for the system prompt; an empty text means none.
    pub fn system_prompt(&self, text: Option<&str>) -> anyhow::Result<Option<String>> {
        if let Some(path) = &self.system_prompt_file {
            let text = std::fs::read_to_string(path)
                .with_context(|| format!("can't read --system-prompt-file {}", path.display()))?;
            return Ok(Some(text));
        }
        Ok(text.filter(|text| !text.trim().is_empty()).map(str::to_string))
    }
}

/// The version text. Hosts ask with `-v` and expect the protocol version first.
pub fn version_text(flag: Option<OsString>) -> String {
    let own = env!("CARGO_PKG_VERSION");
    match flag.is_some_and(|flag| flag == "-v") {
        true => format!("{} (cutonce {own})", crate::frontends::stream_json::frames::PROTOCOL_VERSION),
        false => format!("cutonce {own}"),
    }
}

/// Rewrites the arguments for the parser. A stream-json host may be newer than we are, so its unknown flags
/// are set aside and reported with --verbose. Without a host, unknown flags stay errors.
pub fn rewrite_args(given: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let given: Vec<OsString> = given.into_iter().collect();
    let words: Vec<&str> = given.iter().map(|arg| arg.to_str().unwrap_or_default()).collect();
    let host = words.windows(2).any(|pair| pair == ["--input-format", "stream-json"])
        || words.contains(&"--input-format=stream-json");
    if !host {
        return given;
    }
    let known = KnownFlags::from_cli();
    let (mut kept, mut set_aside) = (Vec::new(), Vec::new());
    let mut args = given.into_iter().peekable();
    kept.extend(args.next());
    while let Some(arg) = args.next() {
        let word = arg.to_string_lossy().into_owned();
        let Some(flag) = word.strip_prefix("--").filter(|flag| !flag.is_empty()) else {
            kept.push(arg);
            continue;
        };
        let (name, inline) = flag.split_once('=').map_or((flag, false), |(name, _)| (name, true));
        if word == "--permission-mode=dontAsk"
            || (word == "--permission-mode" && args.peek().is_some_and(|next| next == "dontAsk"))
        {
            args.next_if(|_| !inline);
            kept.push("--dont-ask".into());
        } else if known.contains(name) {
            kept.push(arg);
            let value = if !inline && known.takes_value(name) { args.next() } else { None };
            match (value, kept.last_mut()) {
                // A value stays a value even if it starts like a flag: a prompt may be a Markdown list.
                (Some(value), Some(flag)) if value.to_string_lossy().starts_with('-') => {
                    flag.push("=");
                    flag.push(value);
                }
                (value, _) => kept.extend(value),
            }
        } else {
            args.next_if(|next| !inline && !next.to_string_lossy().starts_with('-'));
            set_aside.push(name.to_string());
        }
    }
    kept.extend(set_aside.into_iter().map(|name| format!("--not-known={name}").into()));
    kept
}

/// Long flags of our command line, and whether each takes a value.
struct KnownFlags(Vec<(String, bool)>);

impl KnownFlags {
    fn from_cli() -> Self {
        let command = Cli::command();
        let mut flags = vec![("help".to_string(), false), ("version".to_string(), false)];
        for arg in command.get_arguments() {
            let value =
                arg.get_action().takes_values() && arg.get_num_args().is_none_or(|range| range.min_values() > 0);
            let names = arg.get_long().into_iter().chain(arg.get_all_aliases().into_iter().flatten());
            flags.extend(names.map(|name| (name.to_string(), value)));
        }
        Self(flags)
    }
    fn contains(&self, name: &str) -> bool {
        self.0.iter().any(|(known, _)| known == name)
    }
    fn takes_value(&self, name: &str) -> bool {
        self.0.iter().any(|(known, value)| known == name && *value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    fn parsed(words: &[&str]) -> crate::cli::args::RunFlags {
        let all = ["cutonce", "--input-format", "stream-json"].iter().chain(words).map(OsString::from);
        Cli::try_parse_from(rewrite_args(all)).unwrap().run
    }

    #[test]
    fn pm_32_channels_is_a_flag() {
        assert!(parsed(&["--channels"]).host.channels && !parsed(&[]).host.channels);
    }

    #[test]
    fn ho_1_sdk_flags_parse_in_both_forms() {
        let run = parsed(&[
            "--output-format",
            "stream-json",
            "--verbose",
            "--system-prompt",
            "",
            "--tools",
            "",
            "--allowedTools",
            "A,B(c,d)",
            "--max-turns",
            "3",
            "--betas",
            "one,two",
            "--permission-prompt-tool",
            "stdio",
            "--setting-sources=",
            "--resume=-x",
            "--plugin-dir",
            "/p",
            "--session-mirror",
            "--fork-session",
            "--max-thinking-tokens",
            "0",
            "--permission-mode",
            "dontAsk",
            "--future=-1",
        ]);
        let listed =
            parsed(&["--system-prompt", "- a bot\n- nice", "--append-system-prompt", "--- x", "--allowedTools", "A"]);
        assert_eq!(listed.system_prompt.as_deref(), Some("- a bot\n- nice"));
        assert_eq!(listed.append_system_prompt.as_deref(), Some("--- x"));
        assert_eq!(run.max_turns, Some(3));
        assert_eq!(run.session.resume.as_deref(), Some("-x"));
        assert_eq!(run.system_prompt.as_deref(), Some(""));
        assert_eq!(run.host.system_prompt(Some("")).unwrap(), None);
        assert_eq!(run.host.only_tools(), Some(vec![]));
        assert_eq!(run.host.parsed_sources(), Some(vec![]));
        assert_eq!(run.host.thinking().unwrap().budget, Some(0));
        assert!(run.host.dont_ask && run.host.asks_host() && run.session.fork_session && run.verbose);
        for name in ["betas", "plugin-dir", "session-mirror", "future"] {
            assert!(run.host.not_known.iter().any(|known| known == name), "{name}");
        }
    }

    #[test]
    fn ho_1_restricting_flags_are_obeyed_or_refused() {
        let unusable = |words: &[&str]| parsed(words).host.usage_error().unwrap_or_default();
        for name in UNSUPPORTED_RESTRICTIONS {
            assert!(unusable(&[&format!("--{name}")]).starts_with(&format!("--{name} would")), "{name}");
        }
        for (words, why) in [
            (["--resume-session-at=m", "--resume-drops-turn="], "needs the uuid"),
            (["--verbose", "--resume-drops-turn=t"], "needs --resume-session-at"),
            (["--managed-settings", "{"], "--managed-settings: not JSON"),
        ] {
            assert!(unusable(&words).contains(why), "{words:?}: {}", unusable(&words));
        }
        let whole =
            ["--permission-prompt-tool", "stdio", "--permission-prompts=none", "--agent", "a", "--plugin-dir", "/p"];
        let run = parsed(&whole);
        assert_eq!((run.host.usage_error(), run.host.asks_host(), run.host.agent.as_deref()), (None, false, Some("a")));
        assert!(Cli::try_parse_from(["cutonce", "--permission-prompts", "anyone"]).is_err());
    }

    #[test]
    fn cl_2_mistyped_flags_are_errors() {
        let mistyped = ["cutonce", "-p", "hi", "--modle", "x"].map(OsString::from);
        assert!(Cli::try_parse_from(rewrite_args(mistyped)).is_err());
    }

    #[test]
    fn ho_1_host_version_starts_with_protocol() {
        assert!(version_text(Some("-v".into())).starts_with(crate::frontends::stream_json::frames::PROTOCOL_VERSION));
        assert!(version_text(Some("--version".into())).starts_with("cutonce "));
    }
}
