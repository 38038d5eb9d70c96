//! Flags that programs pass (HO-1): those of the Claude Agent SDKs that mean something here, and what becomes of the others.

use crate::cli::Cli;
use anyhow::Context;
use clap::{Args, CommandFactory};
use cutonce_agent::settings::managed_unusable;
use cutonce_agent::start::ResumeAt;
use cutonce_agent::structured::StructuredOutput;
use cutonce_core::request::Effort;
use cutonce_core::rule::Source;
use cutonce_core::settings::ThinkingChoice;
use std::ffi::OsString;
use std::path::PathBuf;

/// Flags of other programs that take rights away and that nothing here obeys: going on without them would be more than was given.
pub const REFUSED: [&str; 4] = ["bare", "disable-slash-commands", "safe-mode", "worktree"];

#[derive(Debug, Default, Args)]
#[command(next_help_heading = "For programs that drive cutonce (--input-format stream-json)")]
pub struct HostFlags {
    /// Who answers permission questions: `stdio` for the program itself
    #[arg(long, value_name = "stdio")]
    pub permission_prompt_tool: Option<String>,
    /// Only these of the built-in tools, separated by commas; `default` for all
    #[arg(long, value_name = "NAMES")]
    pub tools: Option<String>,
    /// Only these settings files and instructions: user, project, local; empty for none
    #[arg(long, value_name = "SOURCES")]
    pub setting_sources: Option<String>,
    /// Subagents as JSON: name → {description, prompt, tools, model}
    #[arg(long, value_name = "JSON")]
    pub agents: Option<String>,
    /// Be this agent: its prompt, tools and model for the main thread
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
    /// Settings as JSON that hold this run as an administrator's do; they can only tighten
    #[arg(long, value_name = "JSON")]
    pub managed_settings: Option<String>,
    /// The same, brought by `initialize`
    #[arg(long, hide = true)]
    pub managed_settings_in_initialize: bool,
    /// `none`: nobody is asked, what would ask is denied
    #[arg(long, value_name = "WHO", value_parser = ["host", "none"])]
    pub permission_prompts: Option<String>,
    /// Leave nothing of the session on disk; it can't be resumed
    #[arg(long)]
    pub no_session_persistence: bool,
    /// Use the text of this file instead of the built-in system prompt
    #[arg(long, value_name = "FILE")]
    pub system_prompt_file: Option<PathBuf>,
    /// How hard the model thinks: low, medium, high, max
    #[arg(long, value_name = "EFFORT")]
    pub effort: Option<String>,
    /// Tokens the model may think; 0 for none
    #[arg(long, value_name = "N")]
    pub max_thinking_tokens: Option<u32>,
    /// `disabled` turns thinking off
    #[arg(long, value_name = "HOW")]
    pub thinking: Option<String>,
    /// Answers the rest of a turn in which the model fails for good; several, with commas between, in their order
    #[arg(long, value_name = "MODELS")]
    pub fallback_model: Option<String>,
    /// The answer must fit this JSON schema; the result carries it as structured_output
    #[arg(long, value_name = "SCHEMA")]
    pub json_schema: Option<String>,
    /// With --resume: go on from this message, by its uuid, instead of from the last
    #[arg(long, value_name = "UUID")]
    pub resume_session_at: Option<String>,
    /// With --resume-session-at: only if nothing but the turn of this message is dropped
    #[arg(long, value_name = "UUID")]
    pub resume_drops_turn: Option<String>,
    /// Say each message back when it joins the conversation
    #[arg(long)]
    pub replay_user_messages: bool,
    /// Deny what would ask (the mode `dontAsk` of other programs)
    #[arg(long, hide = true)]
    pub dont_ask: bool,
    /// `skills` of `initialize`: only these
    #[arg(skip)]
    pub skills: Option<Vec<String>>,
    /// `planModeInstructions` of `initialize`
    #[arg(skip)]
    pub plan_instructions: Option<String>,
    /// What was passed and means nothing here
    #[arg(long, hide = true)]
    pub not_known: Vec<String>,
}

impl HostFlags {
    /// Can the program be asked?
    pub fn asks(&self) -> bool {
        self.permission_prompt_tool.as_deref() == Some("stdio") && self.permission_prompts.as_deref() != Some("none")
    }

    /// What can't be meant, before anything begins (CL-3). A flag that takes rights away is obeyed or it stops the start.
    pub fn unusable(&self) -> Option<String> {
        let refused: Vec<String> = self
            .not_known
            .iter()
            .filter(|name| REFUSED.contains(&name.as_str()))
            .map(|name| format!("--{name}"))
            .collect();
        if !refused.is_empty() {
            return Some(format!(
                "{} would take rights from this run and is not obeyed here; leave it out, or use --tools, --disallowedTools \
                 and --setting-sources",
                refused.join(", ")
            ));
        }
        match (&self.resume_session_at, &self.resume_drops_turn) {
            (_, Some(turn)) if turn.is_empty() => {
                return Some("--resume-drops-turn needs the uuid of a message".into());
            }
            (None, Some(_)) => return Some("--resume-drops-turn goes with --resume-session-at".into()),
            (Some(_), _) | (None, None) => {}
        }
        self.managed_settings.as_deref().and_then(managed_unusable)
    }

    pub fn only_tools(&self) -> Option<Vec<String>> {
        let given = self.tools.as_deref().filter(|given| *given != "default")?;
        let names = given.split(',').map(|name| name.trim().to_string());
        Some(names.filter(|name| !name.is_empty()).collect())
    }

    pub fn sources(&self) -> Option<Vec<Source>> {
        let named = |name: &str| match name.trim() {
            "user" => Some(Source::User),
            "project" => Some(Source::Project),
            "local" => Some(Source::Local),
            _ => None,
        };
        Some(self.setting_sources.as_deref()?.split(',').filter_map(named).collect())
    }

    pub fn thinking(&self) -> Option<ThinkingChoice> {
        let effort = self.effort.as_deref().and_then(Effort::parse);
        let off = self.thinking.as_deref() == Some("disabled");
        let budget = self.max_thinking_tokens.or(off.then_some(0));
        (effort.is_some() || budget.is_some()).then_some(ThinkingChoice { effort, budget })
    }

    /// The tool that hands over the answer in the form of `--json-schema`.
    pub fn answer_form(&self) -> Result<Option<StructuredOutput>, String> {
        let Some(text) = &self.json_schema else { return Ok(None) };
        let schema = serde_json::from_str(text).map_err(|error| format!("--json-schema is no JSON: {error}"))?;
        StructuredOutput::new(schema).map(Some)
    }

    /// Where a resumed session goes on; an empty message means the last.
    pub fn resume_at(&self) -> Option<ResumeAt> {
        let message = self.resume_session_at.clone().filter(|message| !message.is_empty())?;
        Some(ResumeAt { message, drops_turn: self.resume_drops_turn.clone() })
    }

    /// An empty prompt means: none of its own.
    pub fn system_prompt(&self, text: Option<&str>) -> anyhow::Result<Option<String>> {
        if let Some(path) = &self.system_prompt_file {
            let text = std::fs::read_to_string(path)
                .with_context(|| format!("--system-prompt-file {} can't be read", path.display()))?;
            return Ok(Some(text));
        }
        Ok(text.filter(|text| !text.trim().is_empty()).map(str::to_string))
    }
}

/// The version. Hosts ask with `-v` and want the version of the protocol first.
pub fn version(flag: Option<OsString>) -> String {
    let own = env!("CARGO_PKG_VERSION");
    match flag.is_some_and(|flag| flag == "-v") {
        true => format!("{} (cutonce {own})", crate::frames::SPOKEN_VERSION),
        false => format!("cutonce {own}"),
    }
}

/// The arguments as the parser takes them. A program that speaks stream-json may be newer than we are: what we do not know is
/// set aside and told with --verbose; a person who mistypes still gets an error.
pub fn args(given: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let given: Vec<OsString> = given.into_iter().collect();
    let words: Vec<&str> = given.iter().map(|arg| arg.to_str().unwrap_or_default()).collect();
    let host = words.windows(2).any(|pair| pair == ["--input-format", "stream-json"])
        || words.contains(&"--input-format=stream-json");
    if !host {
        return given;
    }
    let known = Flags::of_the_table();
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
        } else if known.has(name) {
            kept.push(arg);
            let value = if !inline && known.takes_value(name) { args.next() } else { None };
            match (value, kept.last_mut()) {
                // A value is a value, also where it begins like a flag: a prompt may be a list.
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

/// The long flags of the program's own table, and which of them take a value.
struct Flags(Vec<(String, bool)>);

impl Flags {
    fn of_the_table() -> Self {
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
    fn has(&self, name: &str) -> bool {
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

    fn parsed(words: &[&str]) -> crate::cli::Run {
        let all = ["cutonce", "--input-format", "stream-json"].iter().chain(words).map(OsString::from);
        Cli::try_parse_from(args(all)).unwrap().run
    }

    #[test]
    fn ho_1_the_flags_of_both_sdks_are_taken_in_both_forms() {
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
        assert_eq!(run.resume.as_deref(), Some("-x"));
        assert_eq!(run.system_prompt.as_deref(), Some(""));
        assert_eq!(run.host.system_prompt(Some("")).unwrap(), None);
        assert_eq!(run.host.only_tools(), Some(vec![]));
        assert_eq!(run.host.sources(), Some(vec![]));
        assert_eq!(run.host.thinking().unwrap().budget, Some(0));
        assert!(run.host.dont_ask && run.host.asks() && run.fork_session && run.verbose);
        for name in ["betas", "plugin-dir", "session-mirror", "future"] {
            assert!(run.host.not_known.iter().any(|known| known == name), "{name}");
        }
    }

    #[test]
    fn ho_1_what_takes_rights_away_is_obeyed_or_refused() {
        let unusable = |words: &[&str]| parsed(words).host.unusable().unwrap_or_default();
        for name in REFUSED {
            assert!(unusable(&[&format!("--{name}")]).starts_with(&format!("--{name} would")), "{name}");
        }
        for (words, why) in [
            (["--resume-session-at=m", "--resume-drops-turn="], "needs the uuid"),
            (["--verbose", "--resume-drops-turn=t"], "goes with --resume-session-at"),
            (["--managed-settings", "{"], "--managed-settings: it is no JSON"),
        ] {
            assert!(unusable(&words).contains(why), "{words:?}: {}", unusable(&words));
        }
        let whole =
            ["--permission-prompt-tool", "stdio", "--permission-prompts=none", "--agent", "a", "--plugin-dir", "/p"];
        let run = parsed(&whole);
        assert_eq!((run.host.unusable(), run.host.asks(), run.host.agent.as_deref()), (None, false, Some("a")));
        assert!(Cli::try_parse_from(["cutonce", "--permission-prompts", "somebody"]).is_err());
    }

    #[test]
    fn cl_2_a_person_who_mistypes_is_told() {
        let mistyped = ["cutonce", "-p", "hi", "--modle", "x"].map(OsString::from);
        assert!(Cli::try_parse_from(args(mistyped)).is_err());
    }

    #[test]
    fn ho_1_the_version_that_hosts_check_comes_first() {
        assert!(version(Some("-v".into())).starts_with(crate::frames::SPOKEN_VERSION));
        assert!(version(Some("--version".into())).starts_with("cutonce "));
    }
}
