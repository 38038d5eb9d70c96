//! Bash (TL-8): runs a command, keeps its folder, limits its output, and leaves no process behind.

use crate::env::{CallContext, ToolEnv};
use crate::shell::changes::ScopedResult;
use crate::shell::confine::{
    FILE_LIMIT, FILE_LIMIT_SIGNAL, FORK_REFUSED, is_offline_exit, refusal_hint, refused_access,
};
use crate::shell::process::{BackgroundTask, CommandOutput, KILL_TIMEOUT, OutputStream, RunningBash as Shell};
use crate::shell::reached_limit::ReachedLimit;
use crate::tool::{Tool, ToolError, ToolOutcome};
use async_trait::async_trait;
use cutonce_core::permission::{Access, CallRights, ShellConfinement};
use cutonce_core::shell::{self, CommandVerdict};
use cutonce_sandbox::{ProcessExit, ResourceKind, ResourceLimits};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use std::fmt;
use std::io;
use std::time::Duration;

mod facts;
mod git_config;
mod globs;
mod programs;
pub mod secrets;

/// Maximum timeout in milliseconds.
const MAX_TIMEOUT_MS: u64 = 600_000;

pub struct BashTool;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BashInput {
    command: String,
    /// What it does, in five to ten words, for the user.
    #[serde(default)]
    #[expect(dead_code, reason = "front ends read it from the call")]
    description: Option<String>,
    /// Milliseconds, at most 600000; 120000 if left out. Not for the background.
    #[serde(default)]
    timeout: Option<u64>,
    /// The result names its id.
    #[serde(default)]
    run_in_background: bool,
}

#[async_trait]
impl Tool for BashTool {
    type Input = BashInput;

    fn name(&self) -> &'static str {
        "Bash"
    }
    fn description(&self) -> &str {
        include_str!("bash.md")
    }
    fn read_only(&self, input: &BashInput) -> bool {
        let parsed = shell::parse(&input.command);
        let only_reads =
            |part: &shell::CommandPart| part.verdict == CommandVerdict::ReadOnly && part.redirects.is_empty();
        !input.run_in_background && parsed.unparsed.is_none() && parsed.parts.iter().all(only_reads)
    }
    /// False if it may change the folder of parallel calls.
    fn parallel(&self, input: &BashInput) -> bool {
        self.read_only(input) && !may_change_folder(&input.command)
    }
    fn access(&self, input: &BashInput, here: &ToolEnv) -> Result<Access, ToolError> {
        check_input(input)?;
        Ok(Access::Shell(facts::shell_facts(&input.command, input.run_in_background, here)))
    }
    fn summary(&self, input: &BashInput) -> String {
        let mut lines = input.command.trim().lines();
        let first = lines.next().unwrap_or_default().to_string();
        if lines.next().is_some() { first + " …" } else { first }
    }
    fn preview(&self, input: &BashInput, _here: &ToolEnv) -> Option<String> {
        Some(input.command.clone())
    }
    async fn run(&self, input: BashInput, rights: CallRights, here: &ToolEnv, call: &CallContext) -> ToolOutcome {
        let held = match rights {
            CallRights::Shell(grant) if grant.command() == input.command => grant.confinement(),
            CallRights::Shell(_) => {
                return ToolOutcome::error("Another command was approved, not this one. It was not started.");
            }
            CallRights::Plain | CallRights::Write(_) => {
                return ToolOutcome::error("This command was not approved. It was not started.");
            }
        };
        let result = if input.run_in_background {
            run_in_background(&input, held, here, call).await
        } else {
            run_in_foreground(&input, held, here, call).await
        };
        result.unwrap_or_else(ToolOutcome::error)
    }
}

/// PM-63: tells the model that none of its changes remain.
const THROWAWAY_NOTE: &str = "(Plan mode: ran on a scratch copy of the project; what it changed there is gone.)";

const FOLDER_CHANGERS: &[&str] = &["cd", "pushd", "popd"];

/// True if the command could end in another folder.
fn may_change_folder(command: &str) -> bool {
    let moves = |part: &shell::CommandPart| {
        part.words.first().is_none_or(|word| word.as_deref().is_none_or(|name| FOLDER_CHANGERS.contains(&name)))
    };
    let parsed = shell::parse(command);
    parsed.unparsed.is_some() || parsed.parts.iter().any(moves)
}

fn check_input(input: &BashInput) -> Result<(), ToolError> {
    if input.command.trim().is_empty() {
        return Err("Invalid input: `command`: expected a command line, got an empty one".into());
    }
    if input.command.contains('\0') {
        return Err("Invalid input: `command`: expected text without NUL characters".into());
    }
    match input.timeout {
        Some(timeout @ (0 | MAX_TIMEOUT_MS..)) if timeout != MAX_TIMEOUT_MS => Err(format!(
            "Invalid input: `timeout`: expected 1 to {MAX_TIMEOUT_MS} milliseconds, got {timeout}. \
             For something that takes longer set `run_in_background`."
        )
        .into()),
        _ => Ok(()),
    }
}

async fn run_in_background(
    input: &BashInput,
    held: ShellConfinement,
    here: &ToolEnv,
    call: &CallContext,
) -> Result<ToolOutcome, ToolError> {
    let gone = here.shells.check_folder(&here.workspace);
    let scope = (call.scope.clone(), &here.disk);
    let task = here.shells.start_task(&input.command, held, &here.workspace, scope).await?;
    let (id, file) = (&task.id, task.output_file());
    let started = format!(
        "Started in the background as {id}; it ends with the session at the latest. Its output goes to {}.",
        file.display()
    );
    let text = gone.into_iter().chain([started]).collect::<Vec<_>>().join("\n");
    Ok(ToolOutcome::text(text).with_display(json!({ "background": id })))
}

/// The result of a command that the user put into the background (DU-7).
fn background_outcome(task: &BackgroundTask, printed: &str) -> ToolOutcome {
    let printed = match printed.trim_end() {
        "" => "(no output so far)",
        printed => printed,
    };
    let text = format!(
        "{printed}\n\nThe user put this command into the background as {id}; it still runs. \
         Its later output goes to {file}.",
        id = task.id,
        file = task.output_file().display()
    );
    ToolOutcome::text(text).with_display(json!({ "background": task.id }))
}

/// How a foreground command ended.
enum CommandEnd {
    Exited(io::Result<ProcessExit>),
    OverLimit(ReachedLimit),
    TimedOut(CommandTimeout),
    Interrupted,
}

/// How long a command may run.
struct CommandTimeout {
    after: Duration,
    /// The call sets it; else the settings do.
    of_call: bool,
}

impl CommandTimeout {
    fn new(input: &BashInput, usual: Duration) -> CommandTimeout {
        let after = input.timeout.map_or(usual, Duration::from_millis);
        CommandTimeout { after, of_call: input.timeout.is_some() }
    }
}

impl fmt::Display for CommandTimeout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let source = if self.of_call { "`timeout` of the call" } else { "`shell.timeoutMs`" };
        write!(f, "it took longer than {} ms ({source})", self.after.as_millis())
    }
}

async fn run_in_foreground(
    input: &BashInput,
    held: ShellConfinement,
    here: &ToolEnv,
    call: &CallContext,
) -> Result<ToolOutcome, ToolError> {
    if call.cancel.is_cancelled() {
        return Err("Interrupted before the command was started.".into());
    }
    let gone = here.shells.check_folder(&here.workspace);
    let started_in = here.shells.working_folder(&here.workspace);
    let (mut shell, mut layer) =
        here.shells.start_command(&input.command, held, &here.workspace, call.scope.clone()).await?;
    let mut output =
        CommandOutput::new(&here.workspace.session_folder, here.shells.next_output_name(), here.shells.redactor());
    let mut stream = OutputStream::new(&*call.output);
    let mut each = |bytes: &[u8]| {
        output.push(bytes);
        stream.push(bytes);
    };
    let timeout = CommandTimeout::new(input, here.shells.timeout());
    let to_background = here.shells.background_requested();
    let end = tokio::select! {
        ended = shell.pump_output(&mut each) => match (&ended, shell.over_limit()) {
            (Ok(ProcessExit::Signalled(_)), Some(over)) => CommandEnd::OverLimit(over),
            _ => CommandEnd::Exited(ended),
        },
        () = tokio::time::sleep(timeout.after) => CommandEnd::TimedOut(timeout),
        () = call.cancel.cancelled() => CommandEnd::Interrupted,
        () = to_background => {
            let task = here.shells.adopt(&input.command, (shell, layer), (&here.workspace, &here.disk));
            return Ok(background_outcome(&task, &output.finish()));
        }
    };
    let alive = match end {
        CommandEnd::Exited(_) | CommandEnd::OverLimit(_) => None,
        CommandEnd::TimedOut(_) | CommandEnd::Interrupted => kill_shell(&mut shell, &mut each).await,
    };
    let scoped = match &mut layer {
        Some(layer) => Some(layer.settle(&here.disk, true).await),
        None => None,
    };
    let decided = scoped.iter().flat_map(|scoped| scoped.outside.clone()).collect();
    let aside = shell.set_protected_aside(&here.disk, decided).await;
    let ended_in = shell.final_folder();
    let unknown = ended_in.is_none() && may_change_folder(&input.command);
    let folder = here.shells.store_folder(ended_in, &here.workspace);
    let folder = folder.or_else(|| unknown.then(|| unknown_folder_note(here)));
    let shown = output.finish();
    let refused = failure_hint(held, &input.command, &end, &shown);
    let scratch = shell.scratch.then(|| THROWAWAY_NOTE.to_string());
    let outside = scoped.iter().flat_map(|scoped| scoped.notes.clone()).chain(aside);
    let notes = gone.into_iter().chain(end_note(&end)).chain(alive).chain(folder).chain(refused).chain(scratch);
    let outcome = build_outcome(&end, &shown, &notes.chain(outside).collect::<Vec<_>>(), shell.limits());
    let outcome = match started_in == here.workspace.root {
        true => outcome,
        false => with_detail(outcome, "folder", json!(started_in.to_string_lossy())),
    };
    let outcome = match refused_access(held, &shown, &here.workspace.root) {
        Some(part) => with_detail(outcome, "refused", json!(part)),
        None => outcome,
    };
    Ok(match scoped {
        Some(scoped) => with_changed_files(outcome, &scoped),
        None => outcome,
    })
}

/// Adds to what front ends and the plan's progress learn about the command.
fn with_detail(mut outcome: ToolOutcome, name: &str, value: serde_json::Value) -> ToolOutcome {
    if let Some(serde_json::Value::Object(display)) = &mut outcome.display {
        display.insert(name.into(), value);
    }
    outcome
}

/// Tells front ends and the plan's progress which files the command changed.
fn with_changed_files(outcome: ToolOutcome, scoped: &ScopedResult) -> ToolOutcome {
    let outcome = with_detail(with_detail(outcome, "changed", json!(scoped.changed)), "outside", json!(scoped.outside));
    match scoped.refused.is_empty() {
        true => outcome,
        false => with_detail(outcome, "notApplied", json!(scoped.refused)),
    }
}

/// Note for a command that did not report its folder: after `exec`, an EXIT trap of its own, or a kill.
fn unknown_folder_note(here: &ToolEnv) -> String {
    let folder = here.shells.working_folder(&here.workspace);
    format!(
        "The folder in which this ended is unknown (the shell did not exit normally: `exec`, a trap on EXIT, or killed): the working folder is still {}.",
        folder.display()
    )
}

/// Kills the whole process tree and takes its remaining output; the text says if a process would not die.
async fn kill_shell(shell: &mut Shell, each: &mut impl FnMut(&[u8])) -> Option<String> {
    shell.running.kill();
    let gone = tokio::time::timeout(KILL_TIMEOUT, shell.pump_output(each)).await;
    gone.err().map(|_| {
        "Some of its processes could not be killed yet; they belong to another user or hang in the kernel.".into()
    })
}

/// Explains why a command failed, if the sandbox is the reason.
fn failure_hint(held: ShellConfinement, command: &str, end: &CommandEnd, shown: &str) -> Option<String> {
    let exit_code = match end {
        CommandEnd::Exited(Ok(ProcessExit::Exited(0))) => return None,
        CommandEnd::Exited(Ok(ProcessExit::Signalled(FILE_LIMIT_SIGNAL))) => return Some(FILE_LIMIT.to_string()),
        CommandEnd::Exited(Ok(ProcessExit::Exited(code))) => *code,
        _ => 1,
    };
    refusal_hint(held, shown, is_offline_exit(command, exit_code)).map(str::to_string)
}

fn end_note(end: &CommandEnd) -> Option<String> {
    match end {
        CommandEnd::Exited(Ok(ProcessExit::Exited(0))) => None,
        CommandEnd::Exited(Ok(ProcessExit::Exited(code))) => Some(format!("Exit code {code}")),
        CommandEnd::Exited(Ok(ProcessExit::Signalled(signal))) => Some(format!("Ended by signal {signal}")),
        CommandEnd::Exited(Err(error)) => Some(format!("How it ended is unknown: {error}")),
        CommandEnd::OverLimit(limit) => Some(format!(
            "The sandbox ended the command and all it started, because it {limit}. The output ends there."
        )),
        CommandEnd::TimedOut(timeout) => Some(format!(
            "Timed out after {} ms: the command and all it started were killed. The output ends there. \
             Set a longer `timeout` (at most {MAX_TIMEOUT_MS}), or `run_in_background`.",
            timeout.after.as_millis()
        )),
        CommandEnd::Interrupted => {
            Some("Interrupted by the user: the command and all it started were killed. The output ends there.".into())
        }
    }
}

/// The limit of the sandbox that the command reached (SB-7). The kernel may refuse processes before we end the command.
fn limit_reached(end: &CommandEnd, output: &str, limits: ResourceLimits) -> Option<ReachedLimit> {
    match end {
        CommandEnd::OverLimit(limit) => Some(*limit),
        CommandEnd::Exited(Ok(ProcessExit::Signalled(FILE_LIMIT_SIGNAL))) => Some(ReachedLimit::of_file(limits)),
        _ if FORK_REFUSED.iter().any(|sign| output.contains(sign)) => {
            Some(ReachedLimit::new(ResourceKind::Processes, limits))
        }
        _ => None,
    }
}

/// What stopped a command that has no exit code, in words that follow "stopped:".
fn stop_reason(end: &CommandEnd, limits: ResourceLimits) -> Option<String> {
    match end {
        CommandEnd::Exited(Ok(ProcessExit::Exited(_))) => None,
        CommandEnd::Exited(Ok(ProcessExit::Signalled(FILE_LIMIT_SIGNAL))) => {
            Some(format!("it {}", ReachedLimit::of_file(limits)))
        }
        CommandEnd::Exited(Ok(ProcessExit::Signalled(signal))) => Some(format!("ended by signal {signal}")),
        CommandEnd::Exited(Err(error)) => Some(format!("how it ended is unknown ({error})")),
        CommandEnd::OverLimit(limit) => Some(format!("it {limit}")),
        CommandEnd::TimedOut(timeout) => Some(timeout.to_string()),
        CommandEnd::Interrupted => Some("interrupted by the user".to_string()),
    }
}

fn build_outcome(end: &CommandEnd, output: &str, notes: &[String], limits: ResourceLimits) -> ToolOutcome {
    let output = output.trim_end();
    let output = if output.is_empty() { "(no output)" } else { output };
    let notes = notes.join("\n");
    let text = if notes.is_empty() { output.to_string() } else { format!("{output}\n\n{notes}") };
    let (code, signal) = match end {
        CommandEnd::Exited(Ok(ProcessExit::Exited(code))) => (Some(*code), None),
        CommandEnd::Exited(Ok(ProcessExit::Signalled(signal))) => (None, Some(*signal)),
        CommandEnd::Exited(Err(_)) | CommandEnd::OverLimit(_) | CommandEnd::TimedOut(_) | CommandEnd::Interrupted => {
            (None, None)
        }
    };
    let mut display = json!({
        "exitCode": code,
        "signal": signal,
        "timedOut": matches!(end, CommandEnd::TimedOut(_)),
        "interrupted": matches!(end, CommandEnd::Interrupted),
    });
    if let Some(why) = stop_reason(end, limits) {
        display["stopped"] = why.into();
    }
    if let Some(limit) = limit_reached(end, output, limits) {
        display["overLimit"] = limit.to_string().into();
    }
    let made = if code == Some(0) { ToolOutcome::text(text) } else { ToolOutcome::error(text) };
    made.with_display(display)
}

#[cfg(test)]
mod tests {
    use super::facts::resolve_target;
    use super::*;
    use cutonce_core::permission::{PathLocation, PathTarget};

    fn input(json: serde_json::Value) -> BashInput {
        serde_json::from_value(json).unwrap()
    }

    #[test]
    fn ag_6_bad_input_names_the_field() {
        let bad = [
            (json!({"command": " \n"}), "`command`"),
            (json!({"command": "a\0b"}), "`command`"),
            (json!({"command": "ls", "timeout": 0}), "got 0"),
            (json!({"command": "ls", "timeout": 600_001}), "got 600001"),
        ];
        for (json, says) in bad {
            let error = check_input(&input(json)).unwrap_err();
            assert!(error.as_str().contains(says), "{error}");
        }
        assert_eq!(check_input(&input(json!({"command": "ls", "timeout": 600_000}))), Ok(()));
        assert_eq!(check_input(&input(json!({"command": "ls"}))), Ok(()));
    }

    struct NoVersions;

    impl crate::disk::VersionStore for NoVersions {
        fn keep(&self, _path: &std::path::Path, _old: Option<&[u8]>) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn pr_5_paths_start_at_the_shells_folder() {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        std::fs::create_dir_all(base.join("project/sub")).unwrap();
        let of = |name: &str| base.join(name);
        let workspace =
            crate::workspace::Workspace::new(&of("project"), &[], Some(&base), &of("home"), &of("own")).unwrap();
        let here = ToolEnv {
            shells: crate::shell::process::SessionShells::new(vec![]),
            disk: crate::disk::FileAccess::new(std::sync::Arc::new(NoVersions)),
            web: crate::web::WebClient::new(vec![]),
            todos: std::sync::Mutex::default(),
            workspace,
        };
        here.shells.store_folder(Some(of("project/sub")), &here.workspace);
        let own = of("own/x");
        let cases = [
            ("file", "project/sub/file", PathLocation::Workspace),
            ("../file", "project/file", PathLocation::Workspace),
            ("../../file", "file", PathLocation::Outside),
            ("~/file", "file", PathLocation::Outside),
            ("./~", "project/sub/~", PathLocation::Workspace),
            ("../.git/config", "project/.git/config", PathLocation::Protected),
            (own.to_str().unwrap(), "own/x", PathLocation::Own),
        ];
        for (given, path, place) in cases {
            assert_eq!(
                resolve_target(given, &here),
                PathTarget { given: given.into(), path: of(path), place },
                "{given}"
            );
        }
        // An unresolvable path may be any place, and links in /proc differ for each process.
        let odd = resolve_target("a\nb/../../../file", &here);
        assert!(odd.place == PathLocation::Protected && !odd.path.starts_with(&base), "{odd:?}");
        assert_eq!(resolve_target("/proc/self/cwd/file", &here).place, PathLocation::Protected);
    }

    #[tokio::test]
    async fn sb_3_confined_command_needs_its_sandbox() {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        let workspace = crate::workspace::Workspace::new(&base, &[], None, &base, &base).unwrap();
        let path = std::env::var_os("PATH").unwrap_or_default();
        let shells = crate::shell::process::SessionShells::new(vec![("PATH".into(), path)]);
        for held in [ShellConfinement::WorkspaceSandbox, ShellConfinement::Disabled] {
            let refused = shells.start_command("touch made", held, &workspace, None).await.err();
            assert!(refused.is_some_and(|why| why.as_str().starts_with("The command was not started")), "{held:?}");
            let disk = crate::disk::FileAccess::new(std::sync::Arc::new(NoVersions));
            let started = shells.start_task("touch made", held, &workspace, (None, &disk)).await;
            assert!(started.is_err(), "{held:?}");
        }
        assert!(!base.join("made").exists());
    }

    /// Marks a test process that another test started.
    const STARTED: &str = "CUTONCE_TEST_STARTED_APART";

    fn allow_descriptors(most: u64) {
        let limit = libc::rlimit { rlim_cur: most, rlim_max: 1024 };
        // SAFETY: `limit` outlives the call.
        assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit) }, 0);
    }

    /// The trial's result is kept per process, so this test runs in one of its own.
    #[test]
    fn sb_3_one_failed_trial_does_not_last() {
        if std::env::var_os(STARTED).is_none() {
            let mut again = std::process::Command::new(std::env::current_exe().unwrap());
            again.args(["--exact", "shell::bash::tests::sb_3_one_failed_trial_does_not_last"]).env(STARTED, "1");
            let output = again.output().unwrap();
            let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success() && text.contains("1 passed"), "{text}");
            return;
        }
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        let workspace = crate::workspace::Workspace::new(&base, &[], None, &base, &base).unwrap();
        let shells = crate::shell::process::SessionShells::new(std::env::vars_os().collect());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            for held in [ShellConfinement::PlanSandbox, ShellConfinement::PlanReadOnly, ShellConfinement::AutoReadOnly]
            {
                // No descriptor is left for a trial.
                allow_descriptors(3);
                let refused = shells.start_command("touch made", held, &workspace, None).await.err();
                allow_descriptors(1024);
                let why = refused.map(|why| why.as_str().to_string()).unwrap_or_default();
                assert!(why.contains("the sandbox can't confine it") && why.contains("Too many open files"), "{why}");
            }
            for held in [ShellConfinement::PlanSandbox, ShellConfinement::PlanReadOnly, ShellConfinement::AutoReadOnly]
            {
                let (mut shell, _) =
                    shells.start_command("echo ran; touch made", held, &workspace, None).await.unwrap();
                let mut output = Vec::new();
                shell.pump_output(|bytes| output.extend_from_slice(bytes)).await.unwrap();
                let output = String::from_utf8_lossy(&output);
                let unmade = !base.join("made").exists();
                // Bash may first complain about the locale of this machine.
                assert!(output.lines().any(|line| line == "ran") && unmade, "{held:?}: {output}");
            }
        });
    }

    /// A command that the decision wrongly took for a read: the kernel stops it.
    #[tokio::test]
    async fn pr_5_auto_run_commands_are_confined() {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        let of = |name: &str| base.join(name);
        for folder in ["project", "own", "home/.ssh"] {
            std::fs::create_dir_all(of(folder)).unwrap();
        }
        std::fs::write(of("project/a.txt"), "in the project").unwrap();
        std::fs::write(of("own/long"), "our own spill").unwrap();
        std::fs::write(of("home/.ssh/id"), "a key").unwrap();
        let (home, own) = (of("home"), of("own"));
        let workspace = crate::workspace::Workspace::new(&of("project"), &[], Some(&home), &own, &own).unwrap();
        let here = ToolEnv {
            shells: crate::shell::process::SessionShells::new(std::env::vars_os().collect()),
            disk: crate::disk::FileAccess::new(std::sync::Arc::new(NoVersions)),
            web: crate::web::WebClient::new(vec![]),
            todos: std::sync::Mutex::default(),
            workspace,
        };
        let call = CallContext {
            call_id: "1".into(),
            cancel: Default::default(),
            output: std::sync::Arc::new(|_: &str| {}),
            answer: None,
            scope: None,
        };
        let run = async |command: &str, held| {
            let given = input(json!({ "command": command }));
            let outcome = run_in_foreground(&given, held, &here, &call).await.unwrap();
            let text: Vec<_> = outcome.content.iter().map(|part| format!("{part:?}")).collect();
            (outcome.is_error, text.concat())
        };
        let (failed, told) = run("touch made; cat a.txt", ShellConfinement::PlanReadOnly).await;
        assert!(!failed && told.contains("in the project") && !of("project/made").exists(), "{told}");
        assert!(run("cat a.txt ../own/long", ShellConfinement::AutoReadOnly).await.1.contains("our own spill"));
        let (failed, told) = run("touch made; touch a.txt; echo x > ../made", ShellConfinement::AutoReadOnly).await;
        assert!(failed && !of("project/made").exists() && !of("made").exists(), "{told}");
        assert!(run("cat ../home/.ssh/id", ShellConfinement::AutoReadOnly).await.0, "a key was read");
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let connect = format!("exec 3<>/dev/tcp/127.0.0.1/{}", listener.local_addr().unwrap().port());
        assert!(
            !run(&connect, ShellConfinement::ParsedReadOnly).await.0
                && run(&connect, ShellConfinement::AutoReadOnly).await.0,
            "there is a network"
        );
        if cutonce_sandbox::sandbox_support().tier == cutonce_sandbox::SandboxTier::Namespaces {
            assert!(told.contains("It ran without asking because it only reads"), "{told}");
            let (failed, told) =
                run("touch made && chmod +x made && mv made moved", ShellConfinement::AutoWorkspace).await;
            assert!(!failed && of("project/moved").exists(), "{told}");
            let (failed, told) = run("touch ../made", ShellConfinement::AutoWorkspace).await;
            assert!(failed && !of("made").exists() && told.contains("workspace only"), "{told}");
        }
    }

    #[test]
    fn tl_1_summary_is_one_line() {
        assert_eq!(BashTool.summary(&input(json!({"command": "\nls -l\n"}))), "ls -l");
        assert_eq!(BashTool.summary(&input(json!({"command": "cat <<E\nx\nE"}))), "cat <<E …");
    }
}
