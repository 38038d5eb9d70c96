//! The commands of the guide are run as they are printed (ON-6): blocks marked `sh`, line by line, each page in a new
//! project, with the scripted model and a NATS server. `sh other` runs on another machine: a home of its own.
//! `sh norun` marks what needs a package, a root user or a server elsewhere; a tidy test checks the flags there.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "tests")]

#[path = "stories/pty.rs"]
#[allow(dead_code, reason = "the stories use more of it")]
mod pty;
#[path = "mailbox/server.rs"]
mod server;

use cutonce_models::scripted::{LoopbackServer, RecordedRequest, ScriptedTurn};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Quits a program on a terminal once its status line shows the model.
const SESSION_IS_OPEN: &str = "claude-";

/// Addresses of the guide that stand for something of this machine.
const NATS_ADDRESS: &str = "nats://nats.example.com:4222";
const REPOSITORY_ADDRESS: &str = "https://host/repo.git";

/// Where the lines of a block are run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Machine {
    Own,
    Other,
}

struct GuideStage {
    root: tempfile::TempDir,
    server: LoopbackServer,
    nats: Option<server::Server>,
    machine: Machine,
    /// The invitation and the first job that were printed.
    code: String,
    job: String,
    /// Name and hash of the plan that was printed last.
    plan: Option<(String, String)>,
}

/// The lines of the blocks that are run, with their numbers and machines.
fn runnable_lines(page: &str) -> Vec<(usize, Machine, &str)> {
    let (mut inside, mut found) = (None, Vec::new());
    for (number, line) in page.lines().enumerate() {
        match (line.strip_prefix("```"), inside) {
            (Some("sh"), None) => inside = Some(Some(Machine::Own)),
            (Some("sh other"), None) => inside = Some(Some(Machine::Other)),
            (Some(_), None) => inside = Some(None),
            (Some(_), Some(_)) => inside = None,
            (None, Some(Some(machine))) if !line.trim().is_empty() => found.push((number + 1, machine, line)),
            (None, _) => {}
        }
    }
    found
}

/// A plan with steps, for the page about the contract.
const STEPS: &str = "# Greeting\n\n## Steps\n\n1. Write the greeting\n   - files: greeting.txt (new)\n   - check: `test -f greeting.txt`\n";

/// Plans when it is asked to, else says that it is done. The plan with steps is implemented.
fn answer(request: &RecordedRequest) -> ScriptedTurn {
    let body = String::from_utf8_lossy(&request.body);
    if body.contains("greeting") && !body.contains("tool_result") {
        let turn = match body.contains("Plan mode is on") {
            true => serde_json::json!({"calls": [
                {"name": "Write", "input": {"file_path": "{plan}", "content": STEPS}},
                {"name": "ExitPlanMode", "input": {}}
            ]}),
            false => serde_json::json!({"calls": [
                {"name": "Write", "input": {"file_path": "greeting.txt", "content": "hello\n"}}
            ]}),
        };
        return serde_json::from_value(turn).unwrap();
    }
    let turn = match body.contains("Plan mode is on") && !body.contains("tool_result") {
        true => serde_json::json!({"calls": [
            {"name": "Write", "input": {"file_path": "{plan}", "content": "# Plan\n\n1. Sign the cookies\n   - check: true\n"}},
            {"name": "ExitPlanMode", "input": {}}
        ]}),
        false => serde_json::json!({"text": "Done."}),
    };
    serde_json::from_value(turn).unwrap()
}

/// Whether a command opens the terminal program: only flags, and no prompt for `-p`.
fn opens_terminal(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    let quiet = ["-p", "--print", "--version", "--help"];
    words.first() == Some(&"cutonce")
        && words.get(1).is_none_or(|word| word.starts_with('-'))
        && !words.iter().any(|word| quiet.contains(word))
}

impl GuideStage {
    fn new() -> GuideStage {
        let root = tempfile::Builder::new().prefix("guide-").tempdir().unwrap();
        let server = LoopbackServer::start_with_callback(answer).unwrap();
        let (code, job) = (String::new(), String::new());
        let stage = GuideStage { root, server, nats: None, machine: Machine::Own, code, job, plan: None };
        for folder in ["home/.cutonce", "other/.cutonce", "bin", "my-project"] {
            std::fs::create_dir_all(stage.path(folder)).unwrap();
        }
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_cutonce"), stage.path("bin/cutonce")).unwrap();
        for home in ["home", "other"] {
            let tips = stage.path(home).join(".cutonce/tips.json");
            std::fs::write(tips, r#"{"sessions":0,"shown":null,"greeted":true}"#).unwrap();
        }
        let git = "git init -q . && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m first";
        stage.run(git).unwrap();
        stage
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    fn variables(&self) -> Vec<(String, String)> {
        let text = |name: &str| self.path(name).display().to_string();
        let path = format!("{}:{}", text("bin"), std::env::var("PATH").unwrap_or_default());
        let address = self.server.addr();
        let home = match self.machine {
            Machine::Own => "home",
            Machine::Other => "other",
        };
        let all = [
            ("PATH", path),
            ("HOME", text(home)),
            ("CUTONCE_HOME", text(&format!("{home}/.cutonce"))),
            ("LANG", "C.UTF-8".into()),
            ("TERM", "xterm".into()),
            ("BROWSER", "true".into()),
            ("ANTHROPIC_API_KEY", "sk-ant-guide-0001".into()),
            ("ANTHROPIC_BASE_URL", format!("http://{address}")),
        ];
        all.into_iter().map(|(name, value)| (name.to_string(), value)).collect()
    }

    /// Replaces the placeholders of the guide by what exists here.
    fn fill(&self, line: &str) -> String {
        let (name, hash) = self.plan.clone().unwrap_or_default();
        let is_job = line.starts_with("cutonce jobs") || line.starts_with("cutonce review");
        let word = |word: &str| match word {
            "NAME" => name.clone(),
            "HASH" => hash.clone(),
            "CODE" => self.code.clone(),
            "ID" if is_job => self.job.clone(),
            NATS_ADDRESS => self.nats.as_ref().map(server::Server::url).unwrap_or_default(),
            REPOSITORY_ADDRESS => format!("file://{}", self.path("my-project").display()),
            "ID" => latest_session(&self.path("home/.cutonce/projects")).unwrap_or_default(),
            other => other.to_string(),
        };
        line.split(' ').map(word).collect::<Vec<_>>().join(" ")
    }

    /// Runs one line in bash; returns its standard output and error.
    fn run(&self, line: &str) -> Result<(String, String), String> {
        let mut bash = Command::new("bash");
        bash.args(["-euo", "pipefail", "-c", line]).env_clear().envs(self.variables());
        let output = bash.current_dir(self.path("my-project")).output().map_err(|error| error.to_string())?;
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        let shown = String::from_utf8_lossy(&output.stdout).into_owned();
        if output.status.success() { Ok((shown, told)) } else { Err(format!("{}: {told}{shown}", output.status)) }
    }

    /// Runs one line on a terminal until a session is open, then quits it.
    fn open(&self, line: &str) -> Result<(), String> {
        let mut command = portable_pty::CommandBuilder::new("bash");
        command.args(["-c", line]);
        command.cwd(self.path("my-project"));
        command.env_clear();
        self.variables().into_iter().for_each(|(name, value)| command.env(name, value));
        let mut term = pty::Term::start(command, (80, 24))?;
        term.see(SESSION_IS_OPEN)?;
        term.press("ctrl+d")?;
        match term.end()? {
            0 => Ok(()),
            code => Err(format!("exit code {code}; the screen:\n{}", term.contents())),
        }
    }

    /// Runs the review page until it has printed its address, then ends it.
    fn serve(&self, line: &str) -> Result<(), String> {
        let mut bash = Command::new("bash");
        bash.args(["-c", &format!("exec {line}")]).env_clear().envs(self.variables());
        let page = bash.current_dir(self.path("my-project")).stdout(Stdio::piped()).spawn();
        let mut page = page.map_err(|error| error.to_string())?;
        let mut told = String::new();
        let read = page.stdout.take().map(|out| BufReader::new(out).read_line(&mut told));
        let _ = page.kill();
        let _ = page.wait();
        match read {
            Some(Ok(_)) if told.contains("http://127.0.0.1:") => Ok(()),
            _ => Err(format!("no address: {told}")),
        }
    }

    fn play(&mut self, machine: Machine, line: &str) -> Result<(), String> {
        let line = line.split("   #").next().unwrap_or_default().trim();
        self.machine = machine;
        if line.contains(NATS_ADDRESS) {
            self.nats = Some(server::Server::start());
        }
        let mut line = self.fill(line);
        if line.starts_with("cutonce worker") {
            // Without it a worker waits for more jobs.
            line.push_str(" --exit-when-idle");
        }
        if line == "cd my-project" {
            return Ok(());
        }
        if opens_terminal(&line) {
            return self.open(&line);
        }
        if line.starts_with("cutonce serve") {
            return self.serve(&line);
        }
        let (shown, told) = self.run(&line)?;
        if shown.starts_with("cutonce1-") {
            self.code = shown.trim().to_string();
        }
        if line.starts_with("cutonce submit") && self.job.is_empty() {
            self.job = shown.trim().to_string();
        }
        let field =
            |name: &str| told.lines().find_map(|line| line.strip_prefix(name)).map(|text| text.trim().to_string());
        self.plan = field("plan: ").zip(field("sha256: ")).or(self.plan.take());
        Ok(())
    }
}

fn latest_session(projects: &Path) -> Option<String> {
    let folders = std::fs::read_dir(projects).ok()?.flatten();
    let files = folders.flat_map(|folder| std::fs::read_dir(folder.path()).into_iter().flatten().flatten());
    let transcripts = files.map(|file| file.path()).filter(|path| path.extension().is_some_and(|end| end == "jsonl"));
    let latest = transcripts.max_by_key(|path| path.metadata().and_then(|about| about.modified()).ok())?;
    latest.file_stem().map(|name| name.to_string_lossy().into_owned())
}

#[test]
fn on_6_commands_of_the_guide_run() {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide");
    let mut pages: Vec<PathBuf> = std::fs::read_dir(guide).unwrap().map(|page| page.unwrap().path()).collect();
    pages.sort();
    let (mut seen, mut failed) = (0, Vec::new());
    for page in pages {
        let text = std::fs::read_to_string(&page).unwrap();
        let lines = runnable_lines(&text);
        let mut stage = (!lines.is_empty()).then(GuideStage::new);
        for (number, machine, line) in lines {
            seen += 1;
            if let Some(Err(why)) = stage.as_mut().map(|stage| stage.play(machine, line)) {
                failed.push(format!("{}:{number} {line}\n{why}", page.file_name().unwrap_or_default().display()));
            }
        }
    }
    assert!(seen > 15, "only {seen} commands; were they read at all?");
    assert!(failed.is_empty(), "{}", failed.join("\n\n"));
}

/// Blocks marked `json` are settings that count as they are printed, except those of other programs.
#[test]
fn on_6_settings_of_the_guide_are_valid() {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide");
    let mut seen = 0;
    for path in std::fs::read_dir(guide).unwrap().map(|page| page.unwrap().path()) {
        let page = std::fs::read_to_string(&path).unwrap();
        for block in page.split("```json\n").skip(1).map(|rest| rest.split("```").next().unwrap_or_default()) {
            let value: serde_json::Value = serde_json::from_str(block).unwrap();
            if value.get("agent_servers").is_some() {
                // Zed's settings.
                continue;
            }
            seen += 1;
            let (_, problems) = cutonce_core::settings::check_settings(value);
            assert!(problems.is_empty(), "{}: {}", path.display(), problems[0]);
        }
    }
    assert!(seen > 3, "only {seen} blocks; were they read at all?");
}

/// The screens of the guide are those of stories: a page with screens has a story here.
#[test]
fn on_6_screens_of_the_guide_are_real() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let pages = [
        ("contract", "contract/guide", 4),
        ("install", "screen/setup", 1),
        ("permissions", "screen/permission", 1),
        ("plan-mode", "screen/plan-review", 1),
        ("quick-start", "screen/plan-review", 2),
        ("rehearsal", "rehearse/terminal", 3),
        ("terminal", "screen/pickers", 1),
        ("troubleshooting", "screen/bad-provider", 1),
    ];
    for path in std::fs::read_dir(root.join("docs/guide")).unwrap().map(|entry| entry.unwrap().path()) {
        let name = path.file_stem().unwrap().to_str().unwrap();
        let page = std::fs::read_to_string(&path).unwrap();
        let Some((_, story, least)) = pages.into_iter().find(|(listed, ..)| *listed == name) else {
            assert!(!page.contains("```text\n"), "{name}.md has a screen: add its story here");
            continue;
        };
        let scenes = std::fs::read_to_string(root.join(format!("scenarios/{story}.story"))).unwrap();
        let screens: Vec<&str> =
            page.split("```text\n").skip(1).map(|rest| rest.split("```").next().unwrap_or_default()).collect();
        assert!(screens.len() >= least, "only {} screens", screens.len());
        for screen in screens {
            assert!(scenes.contains(screen.trim_end()), "not a screen of scenarios/{story}.story:\n{screen}");
        }
    }
}

#[test]
fn on_6_blocks_and_terminals_are_distinguished() {
    let page = "```sh\na\n```\n```\nb\n```\n```sh norun\nc\n```\n```sh other\nd\n```";
    assert_eq!(runnable_lines(page), [(2, Machine::Own, "a"), (11, Machine::Other, "d")]);
    assert!(opens_terminal("cutonce --continue") && opens_terminal("cutonce"));
    assert!(
        !opens_terminal("cutonce -p x")
            && !opens_terminal("cutonce plans list")
            && !opens_terminal("ls | cutonce -p x")
    );
}
