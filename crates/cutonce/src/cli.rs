//! The command line (CL-1, CL-2): one table that feeds parser, help and completions. What was typed is here; what it
//! means is `start`.

use crate::cli_host::HostFlags;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Parser)]
#[command(
    name = "cutonce",
    version,
    about = "A coding agent for the terminal: it plans before it cuts",
    after_help = "Start with `cutonce demo` (no key, no network) or `cutonce doctor` (what works on this machine).",
    args_conflicts_with_subcommands = true
)]
pub struct Cli {
    #[command(flatten)]
    pub run: Run,
    #[command(subcommand)]
    pub command: Option<Command>,
}

#[derive(Debug, Default, Args)]
pub struct Run {
    /// What to do; without -p it opens the conversation
    pub prompt: Option<String>,
    /// Print the answer and exit; standard input is appended to the prompt
    #[arg(short, long)]
    pub print: bool,
    /// With -p: what goes to standard output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub output_format: OutputFormat,
    /// With -p: what comes on standard input
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub input_format: InputFormat,
    /// With stream-json output: pieces of the answer as they arrive
    #[arg(long)]
    pub include_partial_messages: bool,
    /// The model, as provider/name (anthropic/…, openai/…, openai-chat/…, ollama/…), a bare name or an alias
    #[arg(long, value_name = "MODEL")]
    pub model: Option<String>,
    /// Start in this permission mode: default, acceptEdits, plan, auto, bypassPermissions
    #[arg(long, value_name = "MODE", value_parser = parse_mode)]
    pub permission_mode: Option<cutonce_core::mode::Mode>,
    /// Run everything but what deny rules and protected paths forbid (the same as --permission-mode bypassPermissions)
    #[arg(long)]
    pub dangerously_skip_permissions: bool,
    /// Make bypassPermissions reachable later without starting in it
    #[arg(long)]
    pub allow_dangerously_skip_permissions: bool,
    /// Rules that allow, such as "Bash(git log:*)" Edit
    #[arg(long = "allowedTools", alias = "allowed-tools", value_name = "RULES", num_args = 1..)]
    pub allowed_tools: Vec<String>,
    /// Rules that deny
    #[arg(long = "disallowedTools", alias = "disallowed-tools", value_name = "RULES", num_args = 1..)]
    pub disallowed_tools: Vec<String>,
    /// Go on with the latest session of this folder
    #[arg(short, long)]
    pub r#continue: bool,
    /// Go on with a session: its id, or words to search for
    #[arg(short, long, value_name = "ID", num_args = 0..=1, default_missing_value = "")]
    pub resume: Option<String>,
    /// With --continue or --resume: go on in a copy, the original stays as it is
    #[arg(long)]
    pub fork_session: bool,
    /// Use this id (a UUID) for the new session
    #[arg(long, value_name = "UUID")]
    pub session_id: Option<String>,
    /// End after this many requests to the model in one turn
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_turns: Option<u32>,
    /// End when the session has cost this much, in dollars
    #[arg(long, value_name = "USD", value_parser = parse_budget)]
    pub max_budget_usd: Option<f64>,
    /// Use this text instead of the built-in system prompt
    #[arg(long, value_name = "TEXT")]
    pub system_prompt: Option<String>,
    /// Add this text to the system prompt
    #[arg(long, value_name = "TEXT")]
    pub append_system_prompt: Option<String>,
    /// Settings as a file or as JSON text; stronger than the files of project and user
    #[arg(long, value_name = "FILE|JSON")]
    pub settings: Option<String>,
    /// MCP servers, as files or as JSON text: {"mcpServers": {…}}
    #[arg(long, value_name = "FILE|JSON", num_args = 1..)]
    pub mcp_config: Vec<String>,
    /// Use only the MCP servers of --mcp-config
    #[arg(long)]
    pub strict_mcp_config: bool,
    /// A further folder that belongs to the workspace
    #[arg(long, value_name = "DIR", num_args = 1..)]
    pub add_dir: Vec<PathBuf>,
    /// Tell on standard error what happens
    #[arg(long)]
    pub verbose: bool,
    /// For hosts: tools that plan mode denies leave the list that the model is given
    #[arg(long, hide = true)]
    pub hide_disallowed_tools: bool,
    /// Be a teammate of this team (with --name); the lead has made it with TeamCreate
    #[arg(long, value_name = "TEAM", requires = "name")]
    pub team: Option<String>,
    /// The teammate to be
    #[arg(long, value_name = "NAME", requires = "team")]
    pub name: Option<String>,
    #[command(flatten)]
    pub host: HostFlags,
    /// Plain lines only: for screen readers, dumb terminals and pipes
    #[arg(long)]
    pub plain: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum OutputFormat {
    #[default]
    Text,
    Json,
    StreamJson,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum InputFormat {
    #[default]
    Text,
    StreamJson,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// A scripted model works on a throwaway repository: no key, no network
    Demo(Demo),
    /// Plan a task without changing anything, and print the plan
    Plan(Box<Run>),
    /// Implement a plan, by its name or file, in a fresh conversation; running this approves exactly that text
    Implement(Box<Implement>),
    /// Serve editors that speak the Agent Client Protocol, on standard input and output
    #[cfg(feature = "acp")]
    Acp(Box<Run>),
    /// What works on this machine, what does not, and why
    Doctor {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// List sessions, newest first
    Sessions(Sessions),
    /// The plans of all sessions and projects, with every version that was submitted
    Plans(Plans),
    /// Trust this folder: its own settings may then loosen permissions
    Trust {
        /// The folder; the current one if not given
        dir: Option<PathBuf>,
    },
    /// MCP servers: list, add, remove, agree to a project's
    Mcp(Mcp),
    /// Keep a provider's key in the operating system's keyring (read from standard input)
    Key {
        /// The variable it stands for, such as ANTHROPIC_API_KEY
        name: String,
        /// Remove it instead
        #[arg(long)]
        remove: bool,
    },
    /// Print a completion script
    Completions { shell: clap_complete::Shell },
    /// Print the JSON schema of the settings
    #[command(hide = true)]
    SettingsSchema,
    /// Serve a scenario file in every provider's wire format
    #[command(hide = true)]
    ScenarioServer(ScenarioServer),
}

#[derive(Debug, Args)]
pub struct Implement {
    /// Refuse a plan whose SHA-256 is not this one
    #[arg(long, value_name = "HASH")]
    pub sha256: Option<String>,
    /// Here PROMPT is the plan's name, or a file that holds a plan
    #[command(flatten)]
    pub run: Run,
}

#[derive(Debug, Args)]
pub struct Demo {
    /// Where to make the throwaway repository; a temporary folder if not given
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
    /// Answer the permission question with yes, also on a terminal
    #[arg(long)]
    pub yes: bool,
}

#[derive(Debug, Args)]
pub struct Sessions {
    /// Of all projects, not only of this folder
    #[arg(long)]
    pub all: bool,
    /// As JSON, one object a line
    #[arg(long)]
    pub json: bool,
    /// Only those whose first message or id holds this
    pub search: Option<String>,
}

#[derive(Debug, Args)]
pub struct Plans {
    #[command(subcommand)]
    pub what: Option<PlansWhat>,
}

#[derive(Debug, Subcommand)]
pub enum PlansWhat {
    /// List plans, newest first (the default)
    List(PlansList),
    /// Print a plan
    Show {
        /// Its name, as `list` shows it
        slug: String,
        /// As it was submitted the Nth time, not as it stands
        #[arg(short, long, value_name = "N")]
        revision: Option<u32>,
    },
    /// What changed since the last submission; or, if nothing did, between the last two
    Diff {
        slug: String,
        /// From this revision
        from: Option<u32>,
        /// To this one; to the plan as it stands if not given
        to: Option<u32>,
    },
    /// Open a plan in your editor ($VISUAL, $EDITOR)
    Open { slug: String },
    /// Write a plan to a file, or to standard output
    Export(PlansExport),
    /// Remove a plan with all its revisions
    Rm {
        slug: String,
        /// Do not ask
        #[arg(short, long)]
        yes: bool,
    },
}

impl Default for PlansWhat {
    fn default() -> Self {
        PlansWhat::List(PlansList::default())
    }
}

#[derive(Debug, Default, Args)]
pub struct PlansList {
    /// Only those of this folder
    #[arg(long)]
    pub here: bool,
    /// As JSON, one object a line
    #[arg(long)]
    pub json: bool,
    /// Only those whose name, title or project holds this
    pub search: Option<String>,
}

#[derive(Debug, Args)]
pub struct PlansExport {
    pub slug: String,
    /// The file to write
    pub file: Option<PathBuf>,
    /// As it was submitted the Nth time, not as it stands
    #[arg(short, long, value_name = "N")]
    pub revision: Option<u32>,
    /// Overwrite the file if it is there
    #[arg(long)]
    pub force: bool,
}

#[derive(Debug, Args)]
pub struct Mcp {
    #[command(subcommand)]
    pub what: Option<McpWhat>,
}

#[derive(Debug, Subcommand)]
pub enum McpWhat {
    /// List servers and how they are (the default); those that may start are started for it
    List {
        /// As JSON, one object a line
        #[arg(long)]
        json: bool,
        /// Start nothing
        #[arg(long)]
        no_check: bool,
    },
    /// One server: where it is named, what it starts, its tools
    Get { name: String },
    /// Add a server: `add NAME -- COMMAND ARGS…`, or `add --transport http NAME URL`
    Add(McpAdd),
    /// Add a server by its definition
    AddJson {
        name: String,
        json: String,
        #[arg(short, long, value_enum, default_value_t)]
        scope: McpScope,
    },
    /// Remove a server
    Remove {
        name: String,
        /// From this file only
        #[arg(short, long, value_enum)]
        scope: Option<McpScope>,
    },
    /// Let a server that the project names start in this folder, as it is written now
    Agree { name: String },
    /// Take the agreement back
    Refuse { name: String },
}

impl Default for McpWhat {
    fn default() -> Self {
        McpWhat::List { json: false, no_check: false }
    }
}

#[derive(Debug, Args)]
pub struct McpAdd {
    /// local: .cutonce/settings.local.json; project: .mcp.json, for all who work on it; user: all your projects
    #[arg(short, long, value_enum, default_value_t)]
    pub scope: McpScope,
    /// How it is reached; told by the form of the target if not given
    #[arg(short, long, value_enum)]
    pub transport: Option<McpTransport>,
    /// A variable for the command, KEY=VALUE; ${NAME} in it is filled in at each start
    #[arg(short, long, value_name = "KEY=VALUE")]
    pub env: Vec<String>,
    /// A header for the URL, "Name: value"
    #[arg(short = 'H', long, value_name = "HEADER")]
    pub header: Vec<String>,
    pub name: String,
    /// The command with its arguments (after `--`), or the URL
    #[arg(required = true, num_args = 1.., value_name = "COMMAND|URL")]
    pub target: Vec<String>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum McpScope {
    #[default]
    Local,
    Project,
    User,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum McpTransport {
    Stdio,
    Http,
}

#[derive(Debug, Args)]
pub struct ScenarioServer {
    pub file: PathBuf,
    /// Write each request body to this folder
    #[arg(long, value_name = "DIR")]
    pub record: Option<PathBuf>,
    #[arg(long, default_value_t = 0)]
    pub port: u16,
}

/// `nan` would be a limit that is never reached.
fn parse_budget(given: &str) -> Result<f64, String> {
    let dollars = given.parse::<f64>().map_err(|error| error.to_string())?;
    Some(dollars).filter(|dollars| dollars.is_finite()).ok_or_else(|| "expected an amount in dollars".to_string())
}

fn parse_mode(name: &str) -> Result<cutonce_core::mode::Mode, String> {
    use cutonce_core::mode::Mode;
    Mode::parse(name).ok_or_else(|| {
        let names: Vec<_> = Mode::ALL.iter().map(|mode| mode.name()).collect();
        format!("expected one of {}", names.join(", "))
    })
}

/// Rules as typed: several words, each a list by commas; commas inside parentheses belong to the rule.
pub fn split_rules(given: &[String]) -> Vec<String> {
    let mut rules = Vec::new();
    for text in given {
        let (mut depth, mut rule) = (0usize, String::new());
        for c in text.chars() {
            match c {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 && (c == ',' || c.is_whitespace()) {
                rules.extend(Some(std::mem::take(&mut rule)).filter(|rule| !rule.is_empty()));
            } else {
                rule.push(c);
            }
        }
        rules.extend(Some(rule).filter(|rule| !rule.is_empty()));
    }
    rules
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn cl_2_the_table_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn cl_1_mcp_add_takes_what_users_of_other_agents_type() {
        let add = |args: &[&str]| {
            let args = ["cutonce", "mcp", "add"].iter().chain(args);
            match Cli::try_parse_from(args).unwrap().command {
                Some(Command::Mcp(Mcp { what: Some(McpWhat::Add(add)) })) => add,
                other => panic!("{other:?}"),
            }
        };
        for args in [["x", "-e", "K=V", "--", "cmd", "-a"], ["-e", "K=V", "x", "--", "cmd", "-a"]] {
            let add = add(&args);
            assert_eq!(
                (add.name.as_str(), add.env.as_slice(), add.target.as_slice()),
                ("x", ["K=V".to_string()].as_slice(), ["cmd".to_string(), "-a".into()].as_slice())
            );
        }
        let http = add(&["--transport", "http", "x", "http://h/mcp", "--header", "A: b", "--scope", "user"]);
        assert_eq!(
            (http.transport, http.scope, http.header.len(), http.target.len()),
            (Some(McpTransport::Http), McpScope::User, 1, 1)
        );
    }

    #[test]
    fn cl_2_a_budget_is_an_amount() {
        let budget = |given: &str| Cli::try_parse_from(["cutonce", "--max-budget-usd", given]).ok();
        assert!(["nan", "inf", "x"].iter().all(|given| budget(given).is_none()));
        assert_eq!(budget("0.5").and_then(|cli| cli.run.max_budget_usd), Some(0.5));
    }

    #[test]
    fn cl_2_commas_inside_a_rule_belong_to_it() {
        let given = ["Bash(git log:*),Edit".to_string(), "Read(a,b) Grep".to_string()];
        assert_eq!(split_rules(&given), ["Bash(git log:*)", "Edit", "Read(a,b)", "Grep"]);
    }

    #[test]
    fn cl_2_flags_take_both_forms() {
        for args in [["cutonce", "--model=m", "-p"].as_slice(), &["cutonce", "-p", "--model", "m"]] {
            assert_eq!(Cli::try_parse_from(args).unwrap().run.model.as_deref(), Some("m"));
        }
        let cli = Cli::try_parse_from(["cutonce", "--resume", "--print"]).unwrap();
        assert_eq!(cli.run.resume.as_deref(), Some(""));
    }
}
