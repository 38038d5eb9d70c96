//! The command line (CL-1, CL-2): one definition that feeds the parser, the help and the completions. `start`
//! turns the parsed flags into a session.

use crate::cli::host_flags::HostFlags;
use crate::cli::usage::UsageError;
use clap::{Arg, Args, Parser, Subcommand, ValueEnum};
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
    pub run: RunFlags,
    #[command(subcommand)]
    pub command: Option<CliCommand>,
}

#[derive(Debug, Default, Args)]
pub struct RunFlags {
    /// The task; without -p it starts a conversation
    pub prompt: Option<String>,
    /// Print the answer and exit; standard input is appended to the prompt
    #[arg(short, long)]
    pub print: bool,
    /// Format of standard output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub output_format: OutputFormat,
    /// Format of standard input
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub input_format: InputFormat,
    /// With stream-json output: send parts of the answer as they arrive
    #[arg(long)]
    pub include_partial_messages: bool,
    /// Model as provider/name (anthropic/…, openai/…, openai-chat/…, ollama/…), a bare name or an alias
    #[arg(long, value_name = "MODEL")]
    pub model: Option<String>,
    #[command(flatten)]
    pub permissions: PermissionFlags,
    #[command(flatten)]
    pub session: SessionFlags,
    /// Stop after this many model requests in one turn
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_turns: Option<u32>,
    /// Stop when the session has cost this much, in US dollars
    #[arg(long, value_name = "USD", value_parser = parse_budget)]
    pub max_budget_usd: Option<f64>,
    /// Replace the built-in system prompt with this text
    #[arg(long, value_name = "TEXT")]
    pub system_prompt: Option<String>,
    /// Append this text to the system prompt
    #[arg(long, value_name = "TEXT")]
    pub append_system_prompt: Option<String>,
    /// Settings as a file or JSON text; they override project and user settings
    #[arg(long, value_name = "FILE|JSON")]
    pub settings: Option<String>,
    /// MCP servers as files or JSON text: {"mcpServers": {…}}
    #[arg(long, value_name = "FILE|JSON", num_args = 1..)]
    pub mcp_config: Vec<String>,
    /// Use only the MCP servers of --mcp-config
    #[arg(long)]
    pub strict_mcp_config: bool,
    /// Add a folder to the workspace
    #[arg(long, value_name = "DIR", num_args = 1..)]
    pub add_dir: Vec<PathBuf>,
    /// Log progress to stderr
    #[arg(long)]
    pub verbose: bool,
    /// Run as a teammate of this team (with --name); the lead's session created the team
    #[arg(long, value_name = "TEAM", requires = "name")]
    pub team: Option<String>,
    /// Name of the teammate to run as
    #[arg(long, value_name = "NAME", requires = "team")]
    pub name: Option<String>,
    /// Plain lines only: for screen readers, dumb terminals and pipes
    #[arg(long)]
    pub plain: bool,
    #[command(flatten)]
    pub host: HostFlags,
}

// Flags that set the permission mode and rules. No doc comment here and below: clap would use it as help.
#[derive(Debug, Default, Args)]
pub struct PermissionFlags {
    /// Start in this permission mode: default, acceptEdits, plan, auto, bypassPermissions
    #[arg(long, value_name = "MODE", value_parser = parse_mode)]
    pub permission_mode: Option<cutonce_core::mode::Mode>,
    /// Never ask: run everything except what deny rules and protected paths forbid (same as --permission-mode
    /// bypassPermissions)
    #[arg(long)]
    pub dangerously_skip_permissions: bool,
    /// Allow switching to bypassPermissions later, without starting in it
    #[arg(long)]
    pub allow_dangerously_skip_permissions: bool,
    /// Allow rules, such as "Bash(git log:*)" Edit
    #[arg(long = "allowedTools", alias = "allowed-tools", value_name = "RULES", num_args = 1..)]
    pub allowed_tools: Vec<String>,
    /// Deny rules
    #[arg(long = "disallowedTools", alias = "disallowed-tools", value_name = "RULES", num_args = 1..)]
    pub disallowed_tools: Vec<String>,
    /// For hosts: remove tools that plan mode denies from the model's tool list
    #[arg(long, hide = true)]
    pub hide_disallowed_tools: bool,
}

// Flags that choose the session to open.
#[derive(Debug, Default, Args)]
pub struct SessionFlags {
    /// Continue the latest session of this folder
    #[arg(short, long)]
    pub r#continue: bool,
    /// Resume a session by id or search text
    #[arg(short, long, value_name = "ID", num_args = 0..=1, default_missing_value = "")]
    pub resume: Option<String>,
    /// With --continue or --resume: continue in a copy and leave the original unchanged
    #[arg(long)]
    pub fork_session: bool,
    /// Use this id (a UUID) for the new session
    #[arg(long, value_name = "UUID")]
    pub session_id: Option<String>,
    /// Publish the session to this remote; with --resume: continue a session of another machine
    #[cfg(feature = "nats")]
    #[arg(long, value_name = "NAME")]
    pub remote: Option<String>,
}

/// A program whose configuration can be imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ImportSource {
    /// Claude Code: ~/.claude, ~/.claude.json and .claude of this folder
    Claude,
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
pub enum CliCommand {
    /// Try plan mode with a scripted model in a throwaway repository: no key, no network
    Demo(DemoArgs),
    /// Plan a task without changing anything, and print the plan
    #[command(mut_args(plan_arg))]
    Plan(Box<PlanArgs>),
    /// Implement a plan, by name or file, in a new conversation; running this approves exactly that text
    #[command(mut_args(implement_arg))]
    Implement(Box<ImplementArgs>),
    /// Carry a plan out on a throwaway layer over the workspace, and print the diff and the report
    Rehearse(RehearseArgs),
    /// List, show, apply and discard rehearsals that were kept by name
    Rehearsals(RehearsalsArgs),
    /// Serve editors that speak the Agent Client Protocol, on stdin and stdout
    #[cfg(feature = "acp")]
    #[command(mut_args(acp_arg))]
    Acp(Box<RunFlags>),
    /// Check what works on this machine, what does not, and why
    Doctor {
        /// Print JSON
        #[arg(long)]
        json: bool,
        /// Check this remote: server, membership, streams, jobs
        #[cfg(feature = "nats")]
        #[arg(long, value_name = "NAME")]
        remote: Option<String>,
    },
    /// List sessions, newest first
    Sessions(SessionsArgs),
    /// List, show and compare the plans of all sessions and projects, with every submitted revision
    Plans(PlansArgs),
    /// Review plans and questions of all running sessions in a browser
    Serve(ServeArgs),
    /// Trust this folder, so that its own settings may loosen permissions
    Trust {
        /// Folder to trust; the current one by default
        dir: Option<PathBuf>,
    },
    /// List, add, remove and approve MCP servers
    Mcp(McpArgs),
    /// Take over settings, rules, hooks and MCP servers of another agent; shows them first
    Import {
        /// The agent to take them from
        source: ImportSource,
        /// Write without asking
        #[arg(long)]
        yes: bool,
    },
    /// Choose a provider and store its key, or use a model server of this machine
    Setup,
    /// Store a provider's API key (typed without being shown, or read from standard input)
    Key {
        /// Variable that the key replaces, such as ANTHROPIC_API_KEY
        name: String,
        /// Remove the key
        #[arg(long)]
        remove: bool,
    },
    /// Manage remotes: servers through which people and machines share reviews, sessions and jobs
    #[cfg(feature = "nats")]
    Remote(crate::cli::fleet_args::RemoteArgs),
    /// Give a job to the workers of a remote, and print its id
    #[cfg(feature = "nats")]
    Submit(crate::cli::fleet_args::SubmitArgs),
    /// Take jobs of a remote and run them in clones of their own
    #[cfg(feature = "nats")]
    Worker(crate::cli::fleet_args::WorkerArgs),
    /// Read and answer plans that wait on a remote
    #[cfg(feature = "nats")]
    Review(crate::cli::fleet_args::ReviewArgs),
    /// List, show, cancel, retry and fetch the jobs of a remote
    #[cfg(feature = "nats")]
    Jobs(crate::cli::fleet_args::JobsArgs),
    /// Print a shell completion script
    Completions {
        /// Shell to complete in
        shell: clap_complete::Shell,
    },
    /// Print the man page
    Man,
    /// Print the JSON schema of the settings
    #[command(hide = true)]
    SettingsSchema,
    /// Serve a scenario file in the wire format of every provider
    #[command(hide = true)]
    ScenarioServer(ScenarioServerArgs),
}

#[derive(Debug, Args)]
pub struct PlanArgs {
    /// Then rehearse the plan: carry it out on a throwaway layer, and print the diff and the report too
    #[arg(long)]
    pub rehearse: bool,
    #[command(flatten)]
    pub run: RunFlags,
}

#[derive(Debug, Args)]
pub struct RehearseArgs {
    /// Plan name or file; `cutonce plans list` lists the plans
    pub plan: String,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Apply the changes if all checks passed
    #[arg(long)]
    pub apply: bool,
    /// Keep the result by this name, unless it is applied; `cutonce rehearsals` lists it
    #[arg(long, value_name = "NAME")]
    pub keep: Option<String>,
    /// Log progress to stderr
    #[arg(long)]
    pub verbose: bool,
    /// Model as provider/name, a bare name or an alias
    #[arg(long, value_name = "MODEL")]
    pub model: Option<String>,
    /// Stop after this many model requests
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_turns: Option<u32>,
    /// Stop when the rehearsal has cost this much, in US dollars
    #[arg(long, value_name = "USD", value_parser = parse_budget)]
    pub max_budget_usd: Option<f64>,
}

#[derive(Debug, Args)]
pub struct RehearsalsArgs {
    #[command(subcommand)]
    pub command: Option<RehearsalsCommand>,
}

#[derive(Debug, Subcommand)]
pub enum RehearsalsCommand {
    /// List kept rehearsals (the default)
    List {
        /// Print JSON, one object per line
        #[arg(long)]
        json: bool,
    },
    /// Print the diff and the report
    Show {
        /// Name of the kept rehearsal
        name: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Apply exactly this, all or nothing; then it is no longer kept
    Apply {
        /// Name of the kept rehearsal
        name: String,
        /// File to take out; the option can be given several times
        #[arg(long, value_name = "FILE")]
        without: Vec<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Delete a kept rehearsal
    Discard {
        /// Name of the kept rehearsal
        name: String,
    },
}

#[derive(Debug, Args)]
pub struct ImplementArgs {
    /// Refuse a plan whose SHA-256 differs from this one
    #[arg(long, value_name = "HASH")]
    pub sha256: Option<String>,
    /// Implement the plan even if files that it names changed since it was submitted
    #[arg(long)]
    pub allow_stale: bool,
    #[command(flatten)]
    pub run: RunFlags,
}

#[derive(Debug, Args)]
pub struct DemoArgs {
    /// Folder for the throwaway repository; a temporary folder by default
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
    /// Answer the permission question with yes, also on a terminal
    #[arg(long)]
    pub yes: bool,
}

#[derive(Debug, Args)]
pub struct SessionsArgs {
    /// List the sessions of all projects, not only of this folder
    #[arg(long)]
    pub all: bool,
    /// Print JSON, one object per line
    #[arg(long)]
    pub json: bool,
    /// Watch a session that is published on this remote: its id follows
    #[cfg(feature = "nats")]
    #[arg(long, value_name = "NAME", requires = "search", conflicts_with = "all")]
    pub remote: Option<String>,
    /// Only sessions whose first message or id contains this text
    pub search: Option<String>,
}

#[derive(Debug, Args)]
pub struct ServeArgs {
    /// Open the page in your browser ($BROWSER, xdg-open, open)
    #[arg(long)]
    pub open: bool,
    /// Print {url, port, token} as JSON instead of the address
    #[arg(long)]
    pub print_json: bool,
    /// Print a new address of the page that is already running; start one if there is none
    #[arg(long)]
    pub new_token: bool,
    /// Port; a free one by default
    #[arg(long, value_name = "N")]
    pub port: Option<u16>,
    /// Listen on this address of the machine instead of loopback: other machines can then reach the page, unencrypted
    #[arg(long, value_name = "ADDR")]
    pub bind: Option<String>,
    /// Show plans and jobs of this remote, too
    #[cfg(feature = "nats")]
    #[arg(long, value_name = "NAME")]
    pub remote: Option<String>,
    /// The request to open: SESSION/ASK
    #[arg(long, hide = true, value_name = "REQUEST")]
    pub at: Option<String>,
    /// End when no page is open and no session waits any more
    #[arg(long, hide = true)]
    pub until_idle: bool,
}

#[derive(Debug, Args)]
pub struct PlansArgs {
    #[command(subcommand)]
    pub command: Option<PlansCommand>,
}

#[derive(Debug, Subcommand)]
pub enum PlansCommand {
    /// List plans, newest first (the default)
    List(PlansList),
    /// Print a plan
    Show {
        /// Plan name, as `list` shows it; `NAME@N` is its Nth submitted revision
        #[arg(value_name = "NAME")]
        slug: String,
        /// Print the Nth submitted revision instead of the current file
        #[arg(short, long, value_name = "N")]
        revision: Option<u32>,
        /// Print the steps with their files, checks and findings
        #[arg(long)]
        steps: bool,
        /// Print the steps as JSON
        #[arg(long, requires = "steps")]
        json: bool,
    },
    /// Print the report of a plan's implementation
    Status {
        /// Plan name; the plan of this folder that was implemented last by default
        #[arg(value_name = "NAME")]
        slug: Option<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Show changes since the last submission, or between the last two submissions
    Diff {
        /// Plan name, as `list` shows it
        #[arg(value_name = "NAME")]
        slug: String,
        /// Old revision
        from: Option<u32>,
        /// New revision; the current file by default
        to: Option<u32>,
    },
    /// Open a plan in your editor ($VISUAL, $EDITOR)
    Open {
        /// Plan name, as `list` shows it
        #[arg(value_name = "NAME")]
        slug: String,
    },
    /// Write a plan to a file or to standard output
    Export(PlansExport),
    /// Print the comments of an exported HTML file
    Comments {
        /// The file that the page saved
        file: PathBuf,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Remove a plan and all its revisions
    Rm {
        /// Plan name, as `list` shows it
        #[arg(value_name = "NAME")]
        slug: String,
        /// Do not ask for confirmation
        #[arg(short, long)]
        yes: bool,
    },
}

impl Default for PlansCommand {
    fn default() -> Self {
        PlansCommand::List(PlansList::default())
    }
}

#[derive(Debug, Default, Args)]
pub struct PlansList {
    /// Only plans of this folder
    #[arg(long)]
    pub here: bool,
    /// Print JSON, one object per line
    #[arg(long)]
    pub json: bool,
    /// Only plans whose name, title or project contains this text
    pub search: Option<String>,
}

#[derive(Debug, Args)]
pub struct PlansExport {
    /// Plan name, as `list` shows it
    #[arg(value_name = "NAME")]
    pub slug: String,
    /// File to write; standard output by default, with --html NAME.html
    pub file: Option<PathBuf>,
    /// Export the Nth submitted revision instead of the current file
    #[arg(short, long, value_name = "N")]
    pub revision: Option<u32>,
    /// Overwrite an existing file
    #[arg(long)]
    pub force: bool,
    /// Write one HTML file in which others can comment on lines; `cutonce plans comments` reads their comments
    #[arg(long)]
    pub html: bool,
}

#[derive(Debug, Args)]
pub struct McpArgs {
    #[command(subcommand)]
    pub command: Option<McpCommand>,
}

#[derive(Debug, Subcommand)]
pub enum McpCommand {
    /// List servers and their status (the default); starts those that may start
    List {
        /// Print JSON, one object per line
        #[arg(long)]
        json: bool,
        /// Do not start any server
        #[arg(long)]
        no_check: bool,
    },
    /// Show one server: where it is configured, what it starts, its tools
    Get {
        /// Server name, as `list` shows it
        name: String,
    },
    /// Add a server: `add NAME -- COMMAND ARGS…`, or `add --transport http NAME URL`
    Add(McpAdd),
    /// Add a server from a JSON definition
    AddJson {
        /// Name of the new server
        name: String,
        /// Definition, such as {"command": "npx", "args": ["some-server"]} or {"type": "http", "url": "https://…"}
        json: String,
        /// local: .cutonce/settings.local.json; project: .mcp.json, shared with the team; user: all your projects
        #[arg(short, long, value_enum, default_value_t)]
        scope: McpScope,
    },
    /// Remove a server
    Remove {
        /// Server name, as `list` shows it
        name: String,
        /// Only from this file
        #[arg(short, long, value_enum)]
        scope: Option<McpScope>,
    },
    /// Log in to a server that needs OAuth, in your browser
    #[cfg(feature = "mcp")]
    Login(McpLogin),
    /// Delete the login of a server
    #[cfg(feature = "mcp")]
    Logout {
        /// Server name, as `list` shows it
        name: String,
        /// Address of a server that a host provides
        #[arg(long)]
        url: Option<String>,
    },
    /// Approve a project's server for this folder, as it is defined now
    #[command(alias = "agree")]
    Approve {
        /// Server name, as `list` shows it
        name: String,
    },
    /// Withdraw the approval
    #[command(alias = "refuse")]
    Deny {
        /// Server name, as `list` shows it
        name: String,
    },
}

impl Default for McpCommand {
    fn default() -> Self {
        McpCommand::List { json: false, no_check: false }
    }
}

#[cfg(feature = "mcp")]
#[derive(Debug, Args)]
pub struct McpLogin {
    /// Server name, as `list` shows it
    pub name: String,
    /// Address of a server that a host provides
    #[arg(long)]
    pub url: Option<String>,
    /// Client that you registered with the authorization server; its secret, if any, comes from $MCP_CLIENT_SECRET
    #[arg(long, value_name = "ID")]
    pub client_id: Option<String>,
    /// Scopes to ask for, instead of those that the server names
    #[arg(long, value_name = "SCOPE")]
    pub scope: Vec<String>,
    /// Loopback port for the browser's answer, if you registered one
    #[arg(long, value_name = "PORT")]
    pub callback_port: Option<u16>,
    /// Print the address instead of opening the browser
    #[arg(long)]
    pub no_browser: bool,
}

#[derive(Debug, Args)]
pub struct McpAdd {
    /// local: .cutonce/settings.local.json; project: .mcp.json, shared with the team; user: all your projects
    #[arg(short, long, value_enum, default_value_t)]
    pub scope: McpScope,
    /// Transport; by default http for a URL, else stdio
    #[arg(short, long, value_enum)]
    pub transport: Option<McpTransport>,
    /// Environment variable for the command, KEY=VALUE; ${NAME} is expanded at each start
    #[arg(short, long, value_name = "KEY=VALUE")]
    pub env: Vec<String>,
    /// HTTP header for the URL, "Name: value"
    #[arg(short = 'H', long, value_name = "HEADER")]
    pub header: Vec<String>,
    /// Name of the new server
    pub name: String,
    /// Command with its arguments (after `--`), or URL
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
pub struct ScenarioServerArgs {
    pub file: PathBuf,
    /// Write each request body to this folder
    #[arg(long, value_name = "DIR")]
    pub record: Option<PathBuf>,
    #[arg(long, default_value_t = 0)]
    pub port: u16,
}

/// Help of `cutonce plan`: PROMPT is the task.
fn plan_arg(arg: Arg) -> Arg {
    const SET_BY_PLAN: &[&str] =
        &["print", "permission_mode", "dangerously_skip_permissions", "allow_dangerously_skip_permissions", "plain"];
    subcommand_arg(arg, Some(("TASK", "The task to plan; standard input is appended")), SET_BY_PLAN)
}

/// Help of `cutonce implement`: PROMPT is the plan.
fn implement_arg(arg: Arg) -> Arg {
    // It starts a new conversation.
    const NO_EARLIER_SESSION: &[&str] = &["continue", "resume", "fork_session"];
    subcommand_arg(arg, Some(("PLAN", "Name of a plan, or a file with a plan")), NO_EARLIER_SESSION)
}

/// Help of `cutonce acp`: the editor sends the prompts and chooses the session.
#[cfg(feature = "acp")]
fn acp_arg(arg: Arg) -> Arg {
    const FROM_EDITOR: &[&str] =
        &["print", "output_format", "continue", "resume", "fork_session", "session_id", "plain"];
    subcommand_arg(arg, None, FROM_EDITOR)
}

/// Adapts the help of one flag to a subcommand.
/// Hides `hidden`, the host flags, and PROMPT unless `prompt` has another name and help for it.
fn subcommand_arg(arg: Arg, prompt: Option<(&'static str, &'static str)>, hidden: &[&str]) -> Arg {
    const FOR_HOSTS: &[&str] = &["input_format", "include_partial_messages", "team", "name"];
    let is_prompt = arg.get_id().as_str() == "prompt";
    let id = arg.get_id().as_str();
    let hide = arg.is_hide_set()
        || arg.get_help_heading().is_some()
        || FOR_HOSTS.contains(&id)
        || hidden.contains(&id)
        || (is_prompt && prompt.is_none());
    match prompt.filter(|_| is_prompt) {
        Some((name, help)) => arg.value_name(name).help(help),
        None => arg.hide(hide),
    }
}

/// Rejects `nan` and `inf`: such a limit would never be reached.
pub fn parse_budget(given: &str) -> Result<f64, UsageError> {
    let dollars = given.parse::<f64>().map_err(|error| UsageError(error.to_string()))?;
    Some(dollars)
        .filter(|dollars| dollars.is_finite())
        .ok_or_else(|| UsageError("expected an amount in dollars".into()))
}

fn parse_mode(name: &str) -> Result<cutonce_core::mode::Mode, UsageError> {
    use cutonce_core::mode::Mode;
    Mode::parse(name).ok_or_else(|| {
        let names: Vec<_> = Mode::ALL.iter().map(|mode| mode.name()).collect();
        UsageError(format!("expected one of {}", names.join(", ")))
    })
}

/// Splits rules at commas and spaces; commas inside parentheses belong to the rule.
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
    fn cl_2_command_line_definition_is_valid() {
        Cli::command().debug_assert();
    }

    #[test]
    fn cl_1_mcp_add_accepts_common_spellings() {
        let add = |args: &[&str]| {
            let args = ["cutonce", "mcp", "add"].iter().chain(args);
            match Cli::try_parse_from(args).unwrap().command {
                Some(CliCommand::Mcp(McpArgs { command: Some(McpCommand::Add(add)) })) => add,
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
    fn cl_2_budget_must_be_finite() {
        let budget = |given: &str| Cli::try_parse_from(["cutonce", "--max-budget-usd", given]).ok();
        assert!(["nan", "inf", "x"].iter().all(|given| budget(given).is_none()));
        assert_eq!(budget("0.5").and_then(|cli| cli.run.max_budget_usd), Some(0.5));
    }

    #[test]
    fn cl_2_commas_in_parentheses_stay_in_rule() {
        let given = ["Bash(git log:*),Edit".to_string(), "Read(a,b) Grep".to_string()];
        assert_eq!(split_rules(&given), ["Bash(git log:*)", "Edit", "Read(a,b)", "Grep"]);
    }

    #[test]
    fn cl_2_flags_accept_both_forms() {
        for args in [["cutonce", "--model=m", "-p"].as_slice(), &["cutonce", "-p", "--model", "m"]] {
            assert_eq!(Cli::try_parse_from(args).unwrap().run.model.as_deref(), Some("m"));
        }
        let cli = Cli::try_parse_from(["cutonce", "--resume", "--print"]).unwrap();
        assert_eq!(cli.run.session.resume.as_deref(), Some(""));
    }
}
