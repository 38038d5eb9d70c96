//! The real program on a real pty, and under tmux: it always restores the terminal (UI-13), idle costs
//! nothing (UI-12), colours match the terminal (UI-10), and the scrollback survives resizing in a terminal
//! that rewraps (UI-1).
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that can't go on must fail")]

#[path = "stories/pty.rs"]
#[allow(dead_code, reason = "shared with the stories")]
mod pty;

#[path = "terminal/dialogs.rs"]
mod dialogs;
#[path = "terminal/drafts.rs"]
mod drafts;
#[path = "terminal/plain.rs"]
mod plain;
#[path = "terminal/signals.rs"]
mod signals;
#[path = "terminal/tasks.rs"]
mod tasks;
#[path = "support/test_program.rs"]
mod test_program;

use portable_pty::CommandBuilder;
use pty::Term;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

struct Stage {
    program: test_program::TestProgram,
}

impl Stage {
    fn new(script: &str) -> Stage {
        let script: serde_json::Value = serde_json::from_str(script).unwrap();
        // A short name, so that the path of a plan fits a line.
        Stage { program: test_program::TestProgram::new("t", |_| script["turns"].clone()) }
    }

    fn variables(&self) -> Vec<(&'static str, String)> {
        self.program.variables()
    }

    fn shell(&self) -> Term {
        self.shell_with("", &[])
    }

    /// The program as a child of a shell, so that the screen shows what the shell finds afterwards.
    fn shell_with(&self, args: &str, extra: &[(&str, &str)]) -> Term {
        let mut command = CommandBuilder::new("/bin/sh");
        let program = env!("CARGO_BIN_EXE_cutonce");
        let root = self.program.path("").display().to_string();
        command.args([
            "-c",
            &format!(
                "trap : INT; stty -a | tr -d '\\n' > {root}/before; sh -c 'echo $$ > {root}/pid; exec {program} {args}'; code=$?; \
                 stty -a | tr -d '\\n' > {root}/after; echo ended $code"
            ),
        ]);
        command.cwd(self.program.path("ws"));
        command.env_clear();
        command.env("TERM", "xterm");
        self.variables().into_iter().for_each(|(name, value)| command.env(name, value));
        extra.iter().for_each(|(name, value)| command.env(name, value));
        Term::start(command, (80, 24)).unwrap()
    }

    /// The terminal's modes are the same as before.
    fn assert_given_back(&self, term: &Term) {
        let read = |name: &str| std::fs::read_to_string(self.program.path(name)).unwrap();
        assert_eq!(read("before"), read("after"));
        assert!(!term.alternate(), "the alternate screen was left on");
        let raw = String::from_utf8_lossy(&term.raw);
        for (on, off) in [("\x1b[?2004h", "\x1b[?2004l"), ("\x1b[>1u", "\x1b[<1u")] {
            if let Some(last_on) = raw.rfind(on) {
                assert!(raw.rfind(off).is_some_and(|last_off| last_off > last_on), "{on:?} was left on");
            }
        }
        let (shown, hidden) = (raw.rfind("\x1b[?25h"), raw.rfind("\x1b[?25l"));
        assert!(shown >= hidden, "the cursor was left hidden");
    }

    /// The program's pid, as written by the shell.
    fn pid(&self) -> String {
        std::fs::read_to_string(self.program.path("pid")).unwrap().trim().to_string()
    }
}

const TALK: &str = r#"{"turns": [{"text": "Hello."}, {"text": "Again."}]}"#;

#[test]
fn ui_13_signals_restore_terminal_and_keep_draft() {
    for (signal, code) in [("TERM", "143"), ("HUP", "129"), ("INT", "130")] {
        let stage = Stage::new(TALK);
        let mut term = stage.shell();
        term.see("›").unwrap();
        term.send(b"half a thought").unwrap();
        term.see("half a thought").unwrap();
        let sent = Command::new("kill").args([&format!("-{signal}"), &stage.pid()]).status().unwrap();
        assert!(sent.success());
        term.see(&format!("ended {code}")).unwrap();
        term.end().unwrap();
        stage.assert_given_back(&term);
        // A new start in the folder restores the draft (UI-3).
        let mut again = stage.shell();
        again.see("› half a thought").unwrap();
        again.press("ctrl+c ctrl+c").unwrap();
        again.see("ended 0").unwrap();
    }
}

const PLANS: &str = r##"{"turns": [
  {"calls": [
    {"name": "Write", "input": {"file_path": "{plan}", "content": "# Careful\n\n1. Measure twice\n"}},
    {"name": "ExitPlanMode", "input": {}}]},
  {"text": "Cut once."}
]}"##;

/// PM-85: however the program ends, a waiting plan is shown again and was not rejected.
#[test]
fn pm_85_waiting_plan_survives_signals() {
    for (signal, code) in [("TERM", "143"), ("HUP", "129")] {
        let stage = Stage::new(PLANS);
        let mut term = stage.shell_with("--permission-mode plan", &[]);
        term.see("/help").unwrap();
        term.send(b"plan it\r").unwrap();
        term.see("request changes").unwrap();
        let sent = Command::new("kill").args([&format!("-{signal}"), &stage.pid()]).status().unwrap();
        assert!(sent.success());
        term.see(&format!("ended {code}")).unwrap();
        term.end().unwrap();
        stage.assert_given_back(&term);
        let mut again = stage.shell_with("--continue", &[]);
        again.see("request changes").unwrap();
        assert!(!again.whole().contains("not approved"), "{}", again.whole());
        again.press("esc").unwrap();
        again.see("The plan was not approved").unwrap();
        again.press("ctrl+c ctrl+c").unwrap();
        again.see("ended 0").unwrap();
    }
}

/// The product panics when the draft has this text, in builds with debug assertions only.
#[cfg(debug_assertions)]
#[test]
fn ui_13_panic_restores_terminal_and_keeps_draft() {
    let stage = Stage::new(TALK);
    let mut term = stage.shell_with("", &[("CUTONCE_TEST_PANIC_AT", "half a thought")]);
    term.see("/help").unwrap();
    term.send(b"hi\r").unwrap();
    term.see("Hello.").unwrap();
    term.until("be idle", |screen| !screen.contains("interrupt")).unwrap();
    term.send(b"half a thought").unwrap();
    term.see("ended 101").unwrap();
    term.end().unwrap();
    assert!(term.whole().contains("panicked"), "{}", term.whole());
    stage.assert_given_back(&term);
    let mut again = stage.shell_with("--continue", &[]);
    again.see("Hello.").unwrap();
    again.see("› half a thought").unwrap();
    again.press("ctrl+c ctrl+c").unwrap();
    again.see("ended 0").unwrap();
}

/// An editor that takes over the terminal and crashes.
const CRASHES: &str = "#!/bin/sh\nprintf '\\033[?1049h\\033[H\\033[?25l'; stty raw -echo; kill -SEGV $$\n";

#[test]
fn ui_13_crashed_editor_restores_terminal_and_draft() {
    let stage = Stage::new(TALK);
    let editor = stage.program.path("editor");
    std::fs::write(&editor, CRASHES).unwrap();
    std::fs::set_permissions(&editor, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let mut term = stage.shell_with("", &[("EDITOR", &editor.display().to_string())]);
    term.see("/help").unwrap();
    term.send(b"hi\r").unwrap();
    term.see("Hello.").unwrap();
    term.until("be idle", |screen| !screen.contains("interrupt")).unwrap();
    term.send(b"half a thought").unwrap();
    term.see("› half a thought").unwrap();
    term.press("ctrl+g").unwrap();
    term.see("signal 11").unwrap();
    // Not on the editor's screen, but on the one with the conversation.
    assert!(!term.alternate(), "the editor's screen was left on");
    // Keys arrive one by one and unechoed, as before.
    term.send(b", and more").unwrap();
    term.see("› half a thought, and more").unwrap();
    assert_eq!(term.whole().matches("Hello.").count(), 1, "{}", term.whole());
    term.press("ctrl+c ctrl+c").unwrap();
    term.see("ended 0").unwrap();
    term.end().unwrap();
    stage.assert_given_back(&term);
}

/// Counts the requested colours: true colour, 256, 16.
fn colours(raw: &[u8]) -> (bool, bool, bool) {
    let (raw, mut found) = (String::from_utf8_lossy(raw), (false, false, false));
    for (codes, _) in raw.split("\x1b[").skip(1).filter_map(|rest| rest.split_once('m')) {
        let Ok(codes) = codes.split(';').map(str::parse::<u16>).collect::<Result<Vec<_>, _>>() else { continue };
        let mut codes = codes.into_iter();
        while let Some(code) = codes.next() {
            match (code, codes.as_slice().first()) {
                (38 | 48, Some(2)) => (found.0, _) = (true, codes.nth(3)),
                (38 | 48, Some(5)) => (found.1, _) = (true, codes.nth(1)),
                (30..=37 | 40..=47 | 90..=97 | 100..=107, _) => found.2 = true,
                _ => {}
            }
        }
    }
    found
}

#[test]
fn ui_10_themes_follow_terminal_colours_and_no_color() {
    let text = "# Title\n\nA `word`.\n\n```rust\nfn main() { let x = \"s\"; }\n```\n";
    let talk = serde_json::json!({"turns": [{"text": text}]}).to_string();
    let check = |theme: &str, extra: &[(&str, &str)], expected: (bool, bool, bool)| {
        let stage = Stage::new(&talk);
        stage.program.write_settings(&serde_json::json!({"theme": theme}));
        let mut term = stage.shell_with("--permission-mode plan", extra);
        // The mode is known once the settings are loaded; only later output is checked.
        term.see("plan mode on").unwrap();
        let from = term.raw.len();
        term.send(b"hi\r").unwrap();
        term.see("fn main").unwrap();
        term.until("be idle", |screen| !screen.contains("interrupt")).unwrap();
        term.press("ctrl+d").unwrap();
        term.see("ended 0").unwrap();
        assert_eq!(colours(&term.raw[from..]), expected, "{theme} {extra:?}");
    };
    let (full, many) = ([("TERM", "xterm-256color"), ("COLORTERM", "truecolor")], [("TERM", "xterm-256color")]);
    check("dark", &full, (true, false, false));
    check("light", &full, (true, false, false));
    check("dark", &many, (false, true, false));
    check("ansi", &full, (false, false, true));
    check("dark", &[("TERM", "xterm")], (false, false, true));
    check("dark", &[full[0], full[1], ("NO_COLOR", "1")], (false, false, false));
}

#[test]
fn ui_10_dumb_terminal_runs_the_plan_flow() {
    let plan = "# Count\n\n1. Guess\n";
    let write = serde_json::json!({"name": "Write", "input": {"file_path": "{plan}", "content": plan}});
    let exit = serde_json::json!({"name": "ExitPlanMode", "input": {}});
    let made = serde_json::json!({"name": "Write", "input": {"file_path": "a.txt", "content": "42\n"}});
    let edit = serde_json::json!({"file_path": "{plan}", "old_string": "Guess", "new_string": "Count"});
    let edit = serde_json::json!({"name": "Edit", "input": edit});
    let turns = [vec![write, exit.clone()], vec![edit, exit], vec![made]];
    let turns: Vec<_> = turns.into_iter().map(|calls| serde_json::json!({"calls": calls})).collect();
    let turns = [turns, vec![serde_json::json!({"text": "Counted."})]].concat();
    let stage = Stage::new(&serde_json::json!({"turns": turns}).to_string());
    let mut term = stage.shell_with("--permission-mode plan", &[("TERM", "dumb")]);
    term.see(">").unwrap();
    // Enter alone confirms the choice of a number.
    for (say, cue) in [
        ("count the users", "answer (a number"),
        ("c 3 never guess", "1 comment is sent"),
        ("5 think again", "Press Enter to confirm"),
        ("", "plan rev 2"),
        ("2 mind the gap", "Press Enter to confirm"),
        ("", "don't ask again"),
        ("1", "Counted."),
    ] {
        term.send(format!("{say}\r").as_bytes()).unwrap();
        let shown = |screen: &str| say.is_empty() || screen.rfind(cue) > screen.rfind(say);
        term.until(cue, |screen| screen.contains(say) && screen.contains(cue) && shown(screen)).unwrap();
    }
    term.send(b"/exit\r").unwrap();
    term.see("ended 0").unwrap();
    assert!(!term.raw.contains(&0x1b), "{}", String::from_utf8_lossy(&term.raw).escape_debug());
    assert_eq!(std::fs::read_to_string(stage.program.path("ws/a.txt")).unwrap(), "42\n");
    let seen = stage.program.bodies().pop().unwrap_or_default();
    assert!(seen.contains("never guess") && seen.contains("mind the gap"), "{seen}");
}

#[test]
fn ui_5_continued_typing_never_answers() {
    let call = serde_json::json!({"name": "Bash", "input": {"command": "touch made"}});
    let text = "Words that give time to begin a sentence before the question comes.";
    let turns = serde_json::json!([{"delta": 6, "delay_ms": 60, "text": text, "calls": [call]}, {"text": "Not done."}]);
    let stage = Stage::new(&serde_json::json!({"turns": turns}).to_string());
    let mut term = stage.shell();
    term.see("/help").unwrap();
    term.send(b"go\r").unwrap();
    term.see("interrupt").unwrap();
    // Types letters past the dialog and longer than any delay; then Enter, together with the last letter.
    let (mut typed, mut since) = (String::new(), None);
    while since.is_none_or(|since: Instant| since.elapsed() < Duration::from_secs(2)) {
        term.send(b"x").unwrap();
        typed.push('x');
        term.watch(Duration::from_millis(20));
        if since.is_none() && term.contents().contains("wants to run") {
            since = Some(Instant::now());
        }
    }
    term.send(b"x\r").unwrap();
    term.see("enter or a digit chooses").unwrap();
    assert!(!stage.program.path("ws/made").exists(), "Enter behind a sentence approved");
    term.press("esc").unwrap();
    term.see("Interrupted. Tell the agent").unwrap();
    let shown = |screen: &str| screen.matches('x').count() > typed.len();
    term.until("have the whole sentence as the draft", shown).unwrap();
    term.press("ctrl+c ctrl+c").unwrap();
    term.see("ended 0").unwrap();
}

#[test]
fn ui_13_kill_keeps_the_draft() {
    let stage = Stage::new(TALK);
    let mut term = stage.shell();
    term.see("/help").unwrap();
    term.send("äh, 日本".as_bytes()).unwrap();
    term.see("äh, 日本").unwrap();
    assert!(Command::new("kill").args(["-9", &stage.pid()]).status().unwrap().success());
    term.see("ended 137").unwrap();
    let mut again = stage.shell();
    again.see("› äh, 日本").unwrap();
    again.press("ctrl+c ctrl+c").unwrap();
    again.see("ended 0").unwrap();
}

/// UI-13, SE-3: after a kill, the restarted program shows what was asked; the call did not run.
#[test]
fn ui_13_restart_reports_leftover_draft() {
    let stage = Stage::new(r#"{"turns": [{"calls": [{"name": "Bash", "input": {"command": "touch made"}}]}]}"#);
    let mut term = stage.shell();
    term.see("/help").unwrap();
    term.send(b"do it\r").unwrap();
    term.see("wants to run").unwrap();
    assert!(Command::new("kill").args(["-9", &stage.pid()]).status().unwrap().success());
    term.see("ended 137").unwrap();
    let mut again = stage.shell_with("--continue", &[]);
    again.see("✗ Bash touch made").unwrap();
    again.see("the program ended first").unwrap();
    assert!(!stage.program.path("ws/made").exists());
    again.press("ctrl+c ctrl+c").unwrap();
    again.see("ended 0").unwrap();
}

/// A shell with job control, at its prompt.
fn job_shell(stage: &Stage) -> Term {
    let mut command = CommandBuilder::new("bash");
    command.args(["--norc", "--noprofile", "-i"]);
    command.cwd(stage.program.path("ws"));
    command.env_clear();
    command.env("TERM", "xterm");
    command.env("PS1", "shell$ ");
    stage.variables().into_iter().for_each(|(name, value)| command.env(name, value));
    let mut term = Term::start(command, (80, 24)).unwrap();
    term.see("shell$").unwrap();
    term
}

#[test]
fn ui_13_ctrl_z_and_fg_work() {
    let stage = Stage::new(TALK);
    let mut term = job_shell(&stage);
    term.send(format!("{}\r", env!("CARGO_BIN_EXE_cutonce")).as_bytes()).unwrap();
    term.see("/help").unwrap();
    term.send(b"kept").unwrap();
    term.see("› kept").unwrap();
    term.press("ctrl+z").unwrap();
    term.see("Stopped").unwrap();
    term.send(b"echo sane; fg\r").unwrap();
    term.see("sane").unwrap();
    term.see("› kept").unwrap();
    term.press("ctrl+c ctrl+c").unwrap();
    term.until("end", |screen| screen.trim_end().ends_with("shell$")).unwrap();
    term.send(b"exit\r").unwrap();
    term.end().unwrap();
}

/// The program in a shell with job control, with its pid written to a file.
fn as_a_job(stage: &Stage) -> Term {
    let mut term = job_shell(stage);
    let (root, program) = (stage.program.path("").display().to_string(), env!("CARGO_BIN_EXE_cutonce"));
    term.send(format!("sh -c 'echo $$ > {root}/pid; exec {program}'\r").as_bytes()).unwrap();
    term.see("/help").unwrap();
    term
}

fn signal(name: &str, stage: &Stage) {
    assert!(Command::new("kill").args([&format!("-{name}"), &stage.pid()]).status().unwrap().success());
}

#[test]
fn ui_13_stop_signal_restores_terminal_first() {
    let stage = Stage::new(TALK);
    let mut term = as_a_job(&stage);
    term.send(b"kept").unwrap();
    term.see("› kept").unwrap();
    let from = term.raw.len();
    signal("TSTP", &stage);
    term.see("Stopped").unwrap();
    // The live area is gone and bracketed paste is off; then the shell prints its message.
    assert!(!term.contents().contains("› kept"), "{}", term.contents());
    let raw = String::from_utf8_lossy(&term.raw[from..]).into_owned();
    let (given, told) = (raw.find("\x1b[?2004l").unwrap(), raw.find("Stopped").unwrap());
    assert!(given < told, "{}", raw.escape_debug());
    term.send(b"fg\r").unwrap();
    term.see("› kept").unwrap();
    // It stops again, also by its key.
    signal("TSTP", &stage);
    term.until("stop again", |screen| screen.matches("Stopped").count() == 2).unwrap();
    term.send(b"fg\r").unwrap();
    term.see("› kept").unwrap();
    term.press("ctrl+z").unwrap();
    term.until("stop by its key", |screen| screen.matches("Stopped").count() == 3).unwrap();
    term.send(b"fg\r").unwrap();
    term.see("› kept").unwrap();
    term.press("ctrl+c ctrl+c").unwrap();
    term.until("end", |screen| screen.trim_end().ends_with("shell$")).unwrap();
}

#[test]
fn ui_13_ctrl_z_works_full_screen() {
    let stage = Stage::new(TALK);
    let mut term = as_a_job(&stage);
    term.send(b"hi\r").unwrap();
    term.see("Hello.").unwrap();
    term.until("be idle", |screen| !screen.contains("interrupt")).unwrap();
    term.press("ctrl+o").unwrap();
    term.see("q back").unwrap();
    term.press("ctrl+z").unwrap();
    term.see("Stopped").unwrap();
    assert!(!term.alternate(), "the shell is left on the alternate screen");
    term.send(b"fg\r").unwrap();
    term.until("be on the whole screen again", |screen| screen.contains("q back") && screen.contains("Hello."))
        .unwrap();
    assert!(term.alternate());
    term.press("q").unwrap();
    term.see("/help").unwrap();
    term.press("ctrl+c ctrl+c").unwrap();
    term.until("end", |screen| screen.trim_end().ends_with("shell$")).unwrap();
}

#[test]
fn ui_13_nothing_is_drawn_while_in_background() {
    let words: String = (0..4_000).map(|n| format!("word {n} ")).collect();
    let script = serde_json::json!({"turns": [{"text": words, "delta": 8, "delay_ms": 20}]});
    let stage = Stage::new(&script.to_string());
    let mut term = as_a_job(&stage);
    term.send(b"go\r").unwrap();
    // Streaming output could be drawn at any moment.
    term.see("word 20").unwrap();
    signal("STOP", &stage);
    term.see("Stopped").unwrap();
    let from = term.raw.len();
    term.send(b"fg\r").unwrap();
    term.until("be drawn again", |screen| screen.rfind("interrupt") > screen.rfind("Stopped")).unwrap();
    let raw = String::from_utf8_lossy(&term.raw[from..]).into_owned();
    // The shell's line editor switches its own bracketed paste off; after that it is ours.
    let ours = &raw[raw.find("\x1b[?2004l").unwrap()..];
    let (taken, drawn) = (ours.find("\x1b[?2004h").unwrap(), ours.find("\x1b[?2026h").unwrap());
    assert!(taken < drawn, "{}", ours.escape_debug());
    term.press("esc").unwrap();
    term.see("Interrupted").unwrap();
    term.press("ctrl+c ctrl+c").unwrap();
    term.until("end", |screen| screen.trim_end().ends_with("shell$")).unwrap();
}

#[test]
fn ui_13_fg_works_after_external_stop() {
    for stop in ["TSTP", "STOP"] {
        let stage = Stage::new(TALK);
        let mut term = as_a_job(&stage);
        term.send(b"kept").unwrap();
        term.see("› kept").unwrap();
        signal(stop, &stage);
        term.see("Stopped").unwrap();
        term.send(b"fg\r").unwrap();
        // Keys arrive one by one again.
        term.until("be back", |screen| screen.rfind("› kept") > screen.rfind("Stopped")).unwrap();
        term.send(b", and more").unwrap();
        term.see("› kept, and more").unwrap();
        term.press("ctrl+c ctrl+c").unwrap();
        term.until("end", |screen| screen.trim_end().ends_with("shell$")).unwrap();
        term.send(b"exit\r").unwrap();
        term.end().unwrap();
    }
}

#[test]
fn ui_13_a_closed_terminal_ends_the_program() {
    let stage = Stage::new(TALK);
    let mut term = stage.shell();
    term.see("/help").unwrap();
    let pid = stage.pid();
    let process = format!("/proc/{pid}");
    drop(term);
    let deadline = Instant::now() + Duration::from_secs(20);
    while Path::new(&process).exists() && !is_zombie(&process) {
        assert!(Instant::now() < deadline, "it still runs without a terminal");
        std::thread::yield_now();
    }
}

fn is_zombie(process: &str) -> bool {
    std::fs::read_to_string(format!("{process}/stat")).is_ok_and(|stat| stat.contains(") Z "))
}

/// Voluntary and forced context switches of all threads so far.
fn switches(pid: &str) -> u64 {
    let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).unwrap().flatten();
    let of = |status: String| {
        let lines = status.lines().filter(|line| line.contains("ctxt_switches"));
        lines.filter_map(|line| line.split_whitespace().last()?.parse::<u64>().ok()).sum::<u64>()
    };
    tasks.filter_map(|task| std::fs::read_to_string(task.path().join("status")).ok()).map(of).sum()
}

#[test]
fn ui_12_idle_causes_no_wakeups() {
    let stage = Stage::new(TALK);
    let mut term = stage.shell();
    term.see("/help").unwrap();
    term.send(b"hi\r").unwrap();
    term.see("Hello.").unwrap();
    term.until("be idle", |screen| !screen.contains("interrupt")).unwrap();
    assert_idle(&stage, &mut term);
    term.press("ctrl+d").unwrap();
    term.see("ended 0").unwrap();
}

/// The program draws nothing and does not wake up.
fn assert_idle(stage: &Stage, term: &mut Term) {
    term.settle();
    let pid = stage.pid();
    let (before, raw) = (switches(&pid), term.raw.len());
    // This sleep is the measured time span.
    (0..3).for_each(|_| term.settle());
    assert_eq!(term.raw.len(), raw, "something was drawn");
    assert!(switches(&pid) - before <= 2, "{} wakeups while idle", switches(&pid) - before);
}

struct Tmux {
    socket: String,
}

impl Tmux {
    fn run(&self, args: &[&str]) -> String {
        let output = Command::new("tmux").args(["-L", &self.socket, "-f", "/dev/null"]).args(args).output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }
    /// Scrollback and screen, with wrapped lines joined.
    fn whole(&self) -> String {
        self.run(&["capture-pane", "-p", "-J", "-S", "-"])
    }
    fn until(&self, cue: &str) {
        self.until_that(cue, |whole| whole.contains(cue));
    }
    fn until_that(&self, what: &str, holds: impl Fn(&str) -> bool) {
        let deadline = Instant::now() + Duration::from_secs(30);
        while !holds(&self.whole()) {
            assert!(Instant::now() < deadline, "never saw {what} in\n{}", self.whole());
            std::thread::yield_now();
        }
    }
    fn size(&self, columns: u16, rows: u16) {
        self.run(&["resize-window", "-x", &columns.to_string(), "-y", &rows.to_string()]);
    }

    /// The program in a window of 80x24, below a line of the shell.
    fn start(stage: &Stage, name: &str) -> Tmux {
        let tmux = Tmux { socket: format!("cutonce-test-{name}-{}", std::process::id()) };
        let mut line = String::from("env");
        for (name, value) in stage.variables() {
            line.push_str(&format!(" {name}='{value}'"));
        }
        let (ws, program) = (stage.program.path("ws"), env!("CARGO_BIN_EXE_cutonce"));
        line = format!("cd {}; echo shell-history-above; {line} {program}; sleep 60", ws.display());
        tmux.run(&["new-session", "-d", "-x", "80", "-y", "24", &line]);
        tmux.until("/help");
        tmux
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        let _ = Command::new("tmux").args(["-L", &self.socket, "kill-server"]).output();
    }
}

#[test]
fn ui_1_scrollback_survives_resizing_in_tmux() {
    let lines: Vec<String> = (1..=60).map(|n| format!("row {n:03} of the answer")).collect();
    let text = lines.join("\n\n");
    let script = serde_json::json!({"turns": [{"text": text, "delta": 20, "delay_ms": 8}, {"text": "Second answer."}]});
    let stage = Stage::new(&script.to_string());
    let tmux = Tmux::start(&stage, "scroll");
    tmux.run(&["send-keys", "tell me", "Enter"]);
    tmux.until("row 003");
    // Many resizes while it streams.
    for (x, y) in [("60", "20"), ("100", "30"), ("40", "15"), ("41", "15"), ("90", "24"), ("57", "18"), ("80", "24")] {
        tmux.run(&["resize-window", "-x", x, "-y", y]);
    }
    tmux.until("row 060");
    for (x, y) in [("50", "20"), ("120", "40"), ("80", "24")] {
        tmux.run(&["resize-window", "-x", x, "-y", y]);
    }
    tmux.run(&["send-keys", "again", "Enter"]);
    tmux.until("Second answer.");
    let whole = tmux.whole();
    assert!(whole.contains("shell-history-above"), "what was above is gone:\n{whole}");
    for line in &lines {
        assert_eq!(whole.matches(line.as_str()).count(), 1, "{line} in\n{whole}");
    }
    let order: Vec<usize> = lines.iter().map(|line| whole.find(line.as_str()).unwrap()).collect();
    assert!(order.is_sorted());
    assert_eq!(
        whole.matches("\n› ").count() + whole.matches("\n›\n").count(),
        1,
        "the live area stands once:\n{whole}"
    );
}

/// Streamed output is complete row by row, also within one long item, and the live area fits a window of half
/// the size: no row is lost or doubled. The draft is as long as the composer is high.
#[test]
fn ui_1_ui_11_halving_the_window_leaves_no_remains() {
    let code: Vec<String> = (0..40).map(|n| format!("let line_{n:02} = {n};")).collect();
    let words: Vec<String> = (0..150).map(|n| format!("word{n:03}")).collect();
    let inner: String = code.iter().map(|line| format!("   {line}\n")).collect();
    let text = format!("1. Do this:\n\n   ```rust\n{inner}   ```\n\n   {}", words.join(" "));
    let turn = serde_json::json!({"text": text, "delta": 20_000, "fault": {"idle": 4}});
    let stage = Stage::new(&serde_json::json!({"turns": [turn]}).to_string());
    let tmux = Tmux::start(&stage, "halved");
    tmux.run(&["send-keys", "go", "Enter"]);
    tmux.until("word149");
    let draft: Vec<String> = (0..80).map(|n| format!("draft{n:02}")).collect();
    tmux.run(&["send-keys", "-l", &draft.join(" ")]);
    tmux.until("draft79");
    for (size, cue) in [((40, 15), false), ((80, 24), true), ((40, 15), false), ((80, 24), true)] {
        tmux.size(size.0, size.1);
        // As wide as we draw it ourselves.
        tmux.until_that(&format!("{size:?}"), |whole| {
            whole.lines().any(|line| line.ends_with("draft79") && (line.len() > 40) == cue)
        });
    }
    tmux.run(&["send-keys", "Escape"]);
    tmux.until("Interrupted");
    tmux.run(&["send-keys", "C-c"]);
    tmux.until_that("no draft", |whole| !whole.contains("draft79"));
    let whole = tmux.whole();
    for once in code.iter().chain(&words).map(String::as_str).chain(["1. Do this:"]) {
        assert_eq!(whole.matches(once).count(), 1, "{once} in\n{whole}");
    }
    assert!(!whole.contains("draft") && !whole.contains("rows above"), "{whole}");
}

#[test]
fn ui_1_ui_11_resizing_a_dialog_leaves_no_remains() {
    let option = |n: usize| {
        let about = format!("about {n}: {}", "words that explain it ".repeat(7));
        serde_json::json!({"label": format!("Choice {n}"), "description": about, "preview": "first\nsecond\nthird"})
    };
    let options: Vec<_> = (1..=4).map(option).collect();
    let question = serde_json::json!({"question": "Which store shall it be?", "header": "Store", "options": options});
    let ask = serde_json::json!({"name": "AskUserQuestion", "input": {"questions": [question]}});
    let make = serde_json::json!({"name": "Bash", "input": {"command": "touch made"}});
    let (said, calls) = ("A line that is said before.", [vec![ask], vec![make]]);
    let [first, second] = calls;
    let turns = serde_json::json!([{"text": said, "calls": first}, {"calls": second}, {"text": "Done with both."}]);
    let stage = Stage::new(&serde_json::json!({"turns": turns}).to_string());
    let tmux = Tmux::start(&stage, "dialog");
    tmux.run(&["send-keys", "go", "Enter"]);
    // A tall dialog on its own screen: the conversation above it is redrawn for each size.
    tmux.until("ctrl+o all");
    tmux.until(said);
    for (size, small) in [((40, 15), true), ((200, 60), false), ((40, 15), true), ((80, 24), false)] {
        tmux.size(size.0, size.1);
        tmux.until_that(&format!("{size:?}"), |whole| {
            // Wrapped where it is narrow.
            let broken = !whole.contains("← back · ctrl+o all");
            whole.contains("› 1 Choice 1") && broken == small && whole.contains("esc skips")
        });
    }
    tmux.run(&["send-keys", "2"]);
    tmux.until("Your answers");
    tmux.run(&["send-keys", "Enter"]);
    // A short dialog in the live area. Only our own output is wrapped into rows.
    let hint = "enter or a digit chooses · ←→ scope of 2 · esc stops · ctrl+o all of it";
    tmux.until(hint);
    for (size, broken) in [((40, 15), true), ((200, 60), false), ((40, 15), true), ((80, 24), false)] {
        tmux.size(size.0, size.1);
        tmux.until_that(&format!("{size:?}"), |whole| {
            whole.contains("enter or a digit chooses") && whole.contains(hint) != broken
        });
    }
    tmux.run(&["send-keys", "1"]);
    tmux.until("Done with both.");
    tmux.until_that("an idle screen", |whole| whole.contains("/help") && !whole.contains("interrupt"));
    let whole = tmux.whole();
    for once in ["shell-history-above", said, "Done with both.", "● Bash touch made"] {
        assert_eq!(whole.matches(once).count(), 1, "{once} in\n{whole}");
    }
    for rest in ["? Store", "Choice 1", "words that explain", "Your answers", "wants to run", "digit chooses", "why:"] {
        assert!(!whole.contains(rest), "{rest} stayed in\n{whole}");
    }
    assert_eq!(whole.matches("\n› ").count() + whole.matches("\n›\n").count(), 1, "{whole}");
}

/// A terminal offers the most tools.
#[test]
fn du_12_first_request_has_at_most_16_kb() {
    let stage = Stage::new(r#"{"turns": [{"text": "Hello."}]}"#);
    let mut term = stage.shell();
    term.see("claude-").unwrap();
    term.send(b"hi").unwrap();
    term.press("enter").unwrap();
    term.see("Hello.").unwrap();
    term.press("ctrl+d").unwrap();
    assert_eq!(term.end().unwrap(), 0);
    let size = stage.program.model.requests().first().unwrap().body.len();
    assert!(size <= 16 * 1024, "{size} bytes");
}
