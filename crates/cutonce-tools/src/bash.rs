//! Bash (TL-8): run a command, keep its folder, bound its output, leave nothing of it behind.

use crate::shells::held::refused;
use crate::shells::{Bash as Shell, DYING, Output, Stream};
use crate::tool::{CallContext, Here, Outcome, Tool};
use async_trait::async_trait;
use cutonce_core::permission::{Access, Held, Rights};
use cutonce_core::shell::{self, Verdict};
use cutonce_sandbox::Ended;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use std::io;
use std::time::Duration;

mod facts;
mod programs;
pub(crate) mod secrets;

/// Milliseconds.
const LONGEST: u64 = 600_000;

pub struct Bash;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BashInput {
    command: String,
    /// What it does, in five to ten words, for the person who watches.
    #[serde(default)]
    #[expect(dead_code, reason = "faces read it from the call")]
    description: Option<String>,
    /// Milliseconds, at most 600000; 120000 if left out. Not for the background.
    #[serde(default)]
    timeout: Option<u64>,
    /// Go on without waiting; the result names the id for BashOutput and KillShell.
    #[serde(default)]
    run_in_background: bool,
}

#[async_trait]
impl Tool for Bash {
    type Input = BashInput;

    fn name(&self) -> &'static str {
        "Bash"
    }
    fn description(&self) -> &str {
        include_str!("bash.md")
    }
    fn read_only(&self, input: &BashInput) -> bool {
        let parsed = shell::parse(&input.command);
        let only_reads = |part: &shell::Part| part.verdict == Verdict::ReadOnly && part.redirects.is_empty();
        !input.run_in_background && parsed.unparsed.is_none() && parsed.parts.iter().all(only_reads)
    }
    /// Not if it may change the folder of those beside it.
    fn parallel(&self, input: &BashInput) -> bool {
        self.read_only(input) && !may_move(&input.command)
    }
    fn touches(&self, input: &BashInput, here: &Here) -> Result<Access, String> {
        check(input)?;
        Ok(Access::Shell(facts::of(&input.command, input.run_in_background, here)))
    }
    fn summary(&self, input: &BashInput) -> String {
        let mut lines = input.command.trim().lines();
        let first = lines.next().unwrap_or_default().to_string();
        if lines.next().is_some() { first + " …" } else { first }
    }
    fn preview(&self, input: &BashInput, _here: &Here) -> Option<String> {
        Some(input.command.clone())
    }
    async fn run(&self, input: BashInput, rights: Rights, here: &Here, call: &CallContext) -> Outcome {
        let held = match rights {
            Rights::Shell(grant) if grant.command() == input.command => grant.held(),
            Rights::Shell(_) => {
                return Outcome::error("Another command was allowed, not this one. It was not started.");
            }
            Rights::Plain | Rights::Write(_) => {
                return Outcome::error("Nobody allowed this command. It was not started.");
            }
        };
        let result = if input.run_in_background {
            in_background(&input, held, here)
        } else {
            in_front(&input, held, here, call).await
        };
        result.unwrap_or_else(Outcome::error)
    }
}

/// PM-63: the model must not think that anything is left of it.
const SCRATCH: &str = "(Plan mode: ran on a scratch copy of the project; what it changed there is gone.)";

const FOLDER_CHANGERS: &[&str] = &["cd", "pushd", "popd"];

/// Could it end in another folder?
fn may_move(command: &str) -> bool {
    let moves = |part: &shell::Part| {
        part.words.first().is_none_or(|word| word.as_deref().is_none_or(|name| FOLDER_CHANGERS.contains(&name)))
    };
    let parsed = shell::parse(command);
    parsed.unparsed.is_some() || parsed.parts.iter().any(moves)
}

fn check(input: &BashInput) -> Result<(), String> {
    if input.command.trim().is_empty() {
        return Err("Invalid input: `command`: expected a command line, got an empty one".into());
    }
    if input.command.contains('\0') {
        return Err("Invalid input: `command`: expected text without NUL characters".into());
    }
    match input.timeout {
        Some(timeout @ (0 | LONGEST..)) if timeout != LONGEST => Err(format!(
            "Invalid input: `timeout`: expected 1 to {LONGEST} milliseconds, got {timeout}. \
             For something that takes longer set `run_in_background`."
        )),
        _ => Ok(()),
    }
}

fn in_background(input: &BashInput, held: Held, here: &Here) -> Result<Outcome, String> {
    let gone = here.shells.check_folder(&here.workspace);
    let task = here.shells.start_task(&input.command, held, &here.workspace)?;
    let (id, file) = (&task.id, task.file());
    let started = format!(
        "Started in the background as {id}. BashOutput shows what it prints, KillShell ends it; all of it goes to {}.",
        file.display()
    );
    let text = gone.into_iter().chain([started]).collect::<Vec<_>>().join("\n");
    Ok(Outcome::text(text).with_display(json!({ "background": id })))
}

/// How a command in front ended.
enum End {
    Itself(io::Result<Ended>),
    TimedOut(Duration),
    Interrupted,
}

async fn in_front(input: &BashInput, held: Held, here: &Here, call: &CallContext) -> Result<Outcome, String> {
    if call.cancel.is_cancelled() {
        return Err("Interrupted before the command was started.".into());
    }
    let gone = here.shells.check_folder(&here.workspace);
    let mut shell = here.shells.start(&input.command, held, &here.workspace)?;
    let mut output = Output::new(&here.workspace.own, here.shells.next_output(), here.shells.redact());
    let mut stream = Stream::new(&*call.output);
    let mut each = |bytes: &[u8]| {
        output.push(bytes);
        stream.push(bytes);
    };
    let timeout = input.timeout.map_or(here.shells.timeout(), Duration::from_millis);
    let end = tokio::select! {
        ended = shell.pump(&mut each) => End::Itself(ended),
        () = tokio::time::sleep(timeout) => End::TimedOut(timeout),
        () = call.cancel.cancelled() => End::Interrupted,
    };
    let alive = match end {
        End::Itself(_) => None,
        End::TimedOut(_) | End::Interrupted => kill(&mut shell, &mut each).await,
    };
    let ended_in = shell.folder();
    let unknown = ended_in.is_none() && may_move(&input.command);
    let folder = here.shells.settle(ended_in, &here.workspace);
    let folder = folder.or_else(|| unknown.then(|| folder_not_told(here)));
    let shown = output.shown();
    let failed = !matches!(end, End::Itself(Ok(Ended::Exited(0))));
    let refused = failed.then(|| refused(held, &shown)).flatten().map(str::to_string);
    let scratch = shell.scratch.then(|| SCRATCH.to_string());
    let notes = gone.into_iter().chain(note(&end)).chain(alive).chain(folder).chain(refused).chain(scratch);
    Ok(outcome(&end, &shown, &notes.collect::<Vec<_>>()))
}

/// Bash tells its folder as it exits: not after `exec`, a trap of the command's own on EXIT, or a kill.
fn folder_not_told(here: &Here) -> String {
    let folder = here.shells.folder(&here.workspace);
    format!(
        "In which folder this ended is not known (it did not exit as a shell does: `exec`, a trap on EXIT, or killed): the working folder is still {}.",
        folder.display()
    )
}

/// Kill all of it and take what it still had printed; says so if something would not die.
async fn kill(shell: &mut Shell, each: &mut impl FnMut(&[u8])) -> Option<String> {
    shell.running.kill();
    let gone = tokio::time::timeout(DYING, shell.pump(each)).await;
    gone.err().map(|_| {
        "Some of its processes could not be killed yet; they belong to another user or hang in the kernel.".into()
    })
}

fn note(end: &End) -> Option<String> {
    match end {
        End::Itself(Ok(Ended::Exited(0))) => None,
        End::Itself(Ok(Ended::Exited(code))) => Some(format!("Exit code {code}")),
        End::Itself(Ok(Ended::Signalled(signal))) => Some(format!("Ended by signal {signal}")),
        End::Itself(Err(error)) => Some(format!("How it ended is not known: {error}")),
        End::TimedOut(after) => Some(format!(
            "Timed out after {} ms: the command and all it started were killed. The output ends there. \
             Set a longer `timeout` (at most {LONGEST}), or `run_in_background`.",
            after.as_millis()
        )),
        End::Interrupted => {
            Some("Interrupted by the user: the command and all it started were killed. The output ends there.".into())
        }
    }
}

fn outcome(end: &End, output: &str, notes: &[String]) -> Outcome {
    let output = output.trim_end();
    let output = if output.is_empty() { "(no output)" } else { output };
    let notes = notes.join("\n");
    let text = if notes.is_empty() { output.to_string() } else { format!("{output}\n\n{notes}") };
    let (code, signal) = match end {
        End::Itself(Ok(Ended::Exited(code))) => (Some(*code), None),
        End::Itself(Ok(Ended::Signalled(signal))) => (None, Some(*signal)),
        End::Itself(Err(_)) | End::TimedOut(_) | End::Interrupted => (None, None),
    };
    let display = json!({
        "exitCode": code,
        "signal": signal,
        "timedOut": matches!(end, End::TimedOut(_)),
        "interrupted": matches!(end, End::Interrupted),
    });
    let made = if code == Some(0) { Outcome::text(text) } else { Outcome::error(text) };
    made.with_display(display)
}

#[cfg(test)]
mod tests {
    use super::facts::target;
    use super::*;
    use cutonce_core::permission::{Place, Target};

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
            let error = check(&input(json)).unwrap_err();
            assert!(error.contains(says), "{error}");
        }
        assert_eq!(check(&input(json!({"command": "ls", "timeout": 600_000}))), Ok(()));
        assert_eq!(check(&input(json!({"command": "ls"}))), Ok(()));
    }

    struct NoVersions;

    impl crate::disk::KeepVersion for NoVersions {
        fn keep(&self, _path: &std::path::Path, _old: Option<&[u8]>) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn pr_5_path_words_start_at_the_folder_of_the_shell() {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        std::fs::create_dir_all(base.join("project/sub")).unwrap();
        let of = |name: &str| base.join(name);
        let workspace =
            crate::workspace::Workspace::new(&of("project"), &[], Some(&base), &of("home"), &of("own")).unwrap();
        let here = Here {
            shells: crate::shells::Shells::new(vec![]),
            disk: crate::disk::Disk::new(std::sync::Arc::new(NoVersions)),
            web: crate::web::Web::new(vec![]),
            todos: std::sync::Mutex::default(),
            workspace,
        };
        here.shells.settle(Some(of("project/sub")), &here.workspace);
        let own = of("own/x");
        let cases = [
            ("file", "project/sub/file", Place::Workspace),
            ("../file", "project/file", Place::Workspace),
            ("../../file", "file", Place::Outside),
            ("~/file", "file", Place::Outside),
            ("./~", "project/sub/~", Place::Workspace),
            ("../.git/config", "project/.git/config", Place::Protected),
            (own.to_str().unwrap(), "own/x", Place::Own),
        ];
        for (given, path, place) in cases {
            assert_eq!(target(given, &here), Target { given: given.into(), path: of(path), place }, "{given}");
        }
        // What can't be resolved may be any place, and what /proc links to is another for each process.
        let odd = target("a\nb/../../../file", &here);
        assert!(odd.place == Place::Protected && !odd.path.starts_with(&base), "{odd:?}");
        assert_eq!(target("/proc/self/cwd/file", &here).place, Place::Protected);
    }

    #[test]
    fn sb_3_a_command_that_must_be_held_does_not_start_without_what_holds_it() {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        let workspace = crate::workspace::Workspace::new(&base, &[], None, &base, &base).unwrap();
        let path = std::env::var_os("PATH").unwrap_or_default();
        let shells = crate::shells::Shells::new(vec![("PATH".into(), path)]);
        for held in [Held::Sandbox, Held::Workspace, Held::Off] {
            let refused = shells.start("touch made", held, &workspace).err();
            assert!(refused.is_some_and(|why| why.starts_with("The command was not started")), "{held:?}");
            assert!(shells.start_task("touch made", held, &workspace).is_err(), "{held:?}");
        }
        assert!(!base.join("made").exists());
    }

    /// What the decision took for a read, and is none: the kernel has the last word.
    #[tokio::test]
    async fn pr_5_what_runs_unasked_is_held_to_what_it_is_said_to_do() {
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
        let here = Here {
            shells: crate::shells::Shells::new(std::env::vars_os().collect()),
            disk: crate::disk::Disk::new(std::sync::Arc::new(NoVersions)),
            web: crate::web::Web::new(vec![]),
            todos: std::sync::Mutex::default(),
            workspace,
        };
        let call = CallContext {
            call_id: "1".into(),
            cancel: Default::default(),
            output: std::sync::Arc::new(|_: &str| {}),
            answer: None,
        };
        let run = async |command: &str, held| {
            let given = input(json!({ "command": command }));
            let outcome = in_front(&given, held, &here, &call).await.unwrap();
            let text: Vec<_> = outcome.content.iter().map(|part| format!("{part:?}")).collect();
            (outcome.is_error, text.concat())
        };
        assert!(run("cat a.txt ../own/long", Held::Reads).await.1.contains("our own spill"));
        let (failed, told) = run("touch made; touch a.txt; echo x > ../made", Held::Reads).await;
        assert!(failed && !of("project/made").exists() && !of("made").exists(), "{told}");
        assert!(run("cat ../home/.ssh/id", Held::Reads).await.0, "a key was shown");
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let connect = format!("exec 3<>/dev/tcp/127.0.0.1/{}", listener.local_addr().unwrap().port());
        assert!(!run(&connect, Held::Parsed).await.0 && run(&connect, Held::Reads).await.0, "there is a network");
        if cutonce_sandbox::available().tier == cutonce_sandbox::Tier::Namespaces {
            assert!(told.contains("It ran unasked because it only reads"), "{told}");
            let (failed, told) = run("touch made && chmod +x made && mv made moved", Held::Files).await;
            assert!(!failed && of("project/moved").exists(), "{told}");
            let (failed, told) = run("touch ../made", Held::Files).await;
            assert!(failed && !of("made").exists() && told.contains("workspace only"), "{told}");
        }
    }

    #[test]
    fn tl_1_the_summary_is_one_line() {
        assert_eq!(Bash.summary(&input(json!({"command": "\nls -l\n"}))), "ls -l");
        assert_eq!(Bash.summary(&input(json!({"command": "cat <<E\nx\nE"}))), "cat <<E …");
    }
}
