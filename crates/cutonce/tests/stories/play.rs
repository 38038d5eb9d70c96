//! Plays a story: each section does or expects something, in order.

use crate::machine::Machine;
use crate::screen;
use crate::story::{Section, Story};
use crate::views;
use cutonce_models::scripted;
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

/// Timeout for a run or an expected line; only reached on failure.
const PATIENCE: Duration = Duration::from_secs(20);

/// The user's settings, below the home folder.
const USER_SETTINGS: &str = ".cutonce/settings.json";

/// What a story is played on. Its expectations are the same for all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoryForm {
    AsWritten,
    /// A setting makes rehearsals work on a private copy of the workspace (RH-8).
    PrivateCopy,
    /// The kernel has no overlays, so rehearsals work on a private copy too: for a program with settings of its own.
    NoOverlays,
}

impl StoryForm {
    /// What the name of the test ends with.
    pub fn suffix(self) -> &'static str {
        match self {
            StoryForm::AsWritten => "",
            StoryForm::PrivateCopy => " on a private copy",
            StoryForm::NoOverlays => " without overlays",
        }
    }

    /// The folder below the home in which rehearsals have their layers.
    fn layers(self) -> &'static str {
        match self {
            StoryForm::AsWritten => ".cutonce/layers/rehearsals",
            StoryForm::PrivateCopy | StoryForm::NoOverlays => ".cutonce-rehearsals",
        }
    }

    /// The user's settings in this form.
    fn settings(self, written: &str) -> Result<String, String> {
        if self != StoryForm::PrivateCopy {
            return Ok(written.into());
        }
        let mut settings: serde_json::Value = serde_json::from_str(written).map_err(text)?;
        settings["plan"]["rehearsal"]["layer"] = "copy".into();
        Ok(settings.to_string())
    }
}

struct Stage {
    form: StoryForm,
    root: tempfile::TempDir,
    /// Where runs start.
    cwd: PathBuf,
    server: Option<scripted::LoopbackServer>,
    env: BTreeMap<String, String>,
    machine: Machine,
    stdin: String,
    talk: Option<String>,
    ran: Option<Ran>,
    term: Option<crate::pty::Term>,
    before: BTreeMap<String, String>,
    /// Model requests that were shown already.
    seen: usize,
    /// A free port of this machine.
    port: String,
}

struct Ran {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

/// Plays it; returns the differences and stores the actual output in the story.
pub fn play(story: &mut Story, form: StoryForm) -> Result<Vec<String>, String> {
    let mut stage = Stage::new(form)?;
    let mut differences = Vec::new();
    let talks: Vec<Option<String>> = (0..story.sections.len())
        .map(|at| story.sections.get(at + 1).filter(|next| next.head == "talk").map(|next| next.body.clone()))
        .collect();
    for (section, talk) in story.sections.iter_mut().zip(talks) {
        stage.talk = talk;
        let (word, rest) =
            section.head.split_once(' ').map_or((section.head.clone(), ""), |(word, rest)| (word.into(), rest));
        let rest = rest.to_string();
        match word.as_str() {
            "file" => stage.file(&rest, &section.body)?,
            "sh" => stage.sh(&section.body)?,
            "model" => stage.model(&section.body)?,
            "env" => stage.env(&rest)?,
            "machine" => stage.machine = Machine::parse(&rest)?,
            "in" => stage.folder(&rest)?,
            "stdin" => stage.stdin = section.body.clone(),
            "talk" => {}
            "run" => stage.run(&rest)?,
            "pty" => stage.pty(&rest)?,
            "keys" => stage.keys(&section.body)?,
            "shows" | "history" => {
                let found = stage.shown(&word, section.body.trim_end())?;
                compare(section, &word, found, &mut differences);
            }
            _ => {
                let found = stage.view(&word, &rest)?;
                compare(section, &word, found, &mut differences);
            }
        }
    }
    Ok(differences)
}

fn compare(section: &mut Section, word: &str, found: String, differences: &mut Vec<String>) {
    let (expected, head) = match word {
        "exit" => (section.head.trim_start_matches("exit ").to_string(), Some(format!("exit {found}"))),
        _ => (section.body.trim_end().to_string(), None),
    };
    if expected == found.trim_end() {
        return;
    }
    let diff = similar::TextDiff::from_lines(expected.as_str(), found.trim_end());
    differences.push(format!("--- {}\n{}", section.head, diff.unified_diff().context_radius(3)));
    match head {
        Some(head) => section.head = head,
        None => section.body = format!("{}\n\n", found.trim_end()),
    }
}

impl Stage {
    fn new(form: StoryForm) -> Result<Self, String> {
        let root = tempfile::Builder::new().prefix("story-").tempdir().map_err(text)?;
        for folder in ["ws", "home"] {
            std::fs::create_dir(root.path().join(folder)).map_err(text)?;
        }
        let stage = Self {
            form,
            cwd: root.path().join("ws"),
            root,
            server: None,
            env: BTreeMap::new(),
            machine: if form == StoryForm::NoOverlays { Machine::without_overlays() } else { Machine::default() },
            stdin: String::new(),
            talk: None,
            ran: None,
            term: None,
            before: BTreeMap::new(),
            seen: 0,
            port: free_port()?,
        };
        if form == StoryForm::PrivateCopy {
            std::fs::create_dir(stage.home().join(".cutonce")).map_err(text)?;
            std::fs::write(stage.home().join(USER_SETTINGS), form.settings("{}")?).map_err(text)?;
        }
        Ok(stage)
    }

    fn ws(&self) -> PathBuf {
        self.root.path().join("ws")
    }
    fn home(&self) -> PathBuf {
        self.root.path().join("home")
    }
    /// `$SLUG` and `$PLAN` are the name and path of the latest plan, `$MODEL` is the address of the scripted model,
    /// `$LAYERS` is the folder with the layers of rehearsals.
    fn fill(&self, given: &str) -> String {
        let text = given.replace("$LAYERS", &format!("$HOME/{}", self.form.layers()));
        let text = text.replace("$WS", &self.ws().display().to_string());
        let text = text.replace("$HOME", &self.home().display().to_string());
        let text = match &self.server {
            Some(server) => text.replace("$MODEL", &server.addr().to_string()),
            None => text,
        };
        let text = text.replace("$PORT", &self.port);
        match views::plans(&self.home()).last() {
            Some((slug, path)) => text.replace("$SLUG", slug).replace("$PLAN", path),
            None => text,
        }
    }

    fn file(&mut self, path: &str, body: &str) -> Result<(), String> {
        let mut content = self.fill(body.trim_end_matches('\n')) + "\n";
        let path = match path.strip_prefix("~/") {
            Some(below) => {
                if below == USER_SETTINGS {
                    content = self.form.settings(&content)?;
                }
                self.home().join(below)
            }
            None => self.ws().join(path),
        };
        std::fs::create_dir_all(path.parent().ok_or("a file needs a name")?).map_err(text)?;
        std::fs::write(path, content).map_err(text)
    }

    fn sh(&self, script: &str) -> Result<(), String> {
        let mut bash = Command::new("bash");
        bash.args(["-euc", &self.fill(script)]).current_dir(self.ws());
        // Variables of the user, such as GIT_AUTHOR_NAME, must not change a story.
        let path = std::env::var_os("PATH").unwrap_or_default();
        bash.env_clear().env("PATH", path).env("HOME", self.home()).env("LANG", "C.UTF-8");
        let output = bash.output().map_err(text)?;
        if output.status.success() { Ok(()) } else { Err(format!("sh: {}", String::from_utf8_lossy(&output.stderr))) }
    }

    fn model(&mut self, script: &str) -> Result<(), String> {
        let script = scripted::ScenarioScript::parse(&self.fill(script)).map_err(text)?;
        self.server = Some(scripted::LoopbackServer::start(script).map_err(text)?);
        self.seen = 0;
        Ok(())
    }

    fn env(&mut self, assignment: &str) -> Result<(), String> {
        let (name, value) = assignment.split_once('=').ok_or("env NAME=VALUE")?;
        let value = value.replace("$PATH", &std::env::var("PATH").unwrap_or_default());
        self.env.insert(name.into(), self.fill(&value));
        Ok(())
    }

    /// The folder below the workspace where the next runs start.
    fn folder(&mut self, below: &str) -> Result<(), String> {
        self.cwd = self.ws().join(below);
        std::fs::create_dir_all(&self.cwd).map_err(text)
    }

    fn run(&mut self, line: &str) -> Result<(), String> {
        self.before = views::files(&self.ws());
        let words = words(&self.fill(line))?;
        let (program, args) = words.split_first().ok_or("run what?")?;
        if program != "cutonce" {
            return Err(format!("a story runs cutonce, not {program}"));
        }
        let mut command = Command::new(env!("CARGO_BIN_EXE_cutonce"));
        command.args(args).current_dir(&self.cwd).env_clear().envs(self.variables());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        self.machine.apply(&mut command);
        let input = std::mem::take(&mut self.stdin);
        self.ran = Some(self.watch(command, input)?);
        Ok(())
    }

    /// The whole environment of a run.
    fn variables(&self) -> Vec<(String, String)> {
        let home = self.home().display().to_string();
        let mut all = vec![
            ("PATH".to_string(), std::env::var("PATH").unwrap_or_default()),
            ("CUTONCE_HOME".into(), format!("{home}/.cutonce")),
            ("HOME".into(), home),
            ("LANG".into(), "C.UTF-8".into()),
            ("ANTHROPIC_API_KEY".into(), "sk-ant-story-key-0001".into()),
            ("OPENAI_API_KEY".into(), "sk-openai-story-key-0002".into()),
        ];
        // No story finds the model servers of this machine.
        let local = ["OLLAMA_HOST", "LLAMACPP_BASE_URL", "LMSTUDIO_BASE_URL", "VLLM_BASE_URL"];
        all.extend(local.map(|name| (name.to_string(), "http://127.0.0.1:1".to_string())));
        if let Some(server) = &self.server {
            all.push(("ANTHROPIC_BASE_URL".into(), format!("http://{}", server.addr())));
            all.push(("OPENAI_BASE_URL".into(), format!("http://{}/v1", server.addr())));
        }
        all.extend(self.env.iter().map(|(name, value)| (name.clone(), value.clone())));
        all
    }

    /// Only a story that writes this file itself shows the greeting of the first start (ON-3).
    fn skip_greeting(&self) -> Result<(), String> {
        let file = self.home().join(".cutonce/tips.json");
        if file.exists() {
            return Ok(());
        }
        std::fs::create_dir_all(self.home().join(".cutonce")).map_err(text)?;
        std::fs::write(file, r#"{"sessions":0,"shown":null,"greeted":true}"#).map_err(text)
    }

    /// `COLUMNSxROWS cutonce …`: starts it on a terminal of that size without waiting.
    fn pty(&mut self, line: &str) -> Result<(), String> {
        self.before = views::files(&self.ws());
        self.skip_greeting()?;
        let (size, line) = line.split_once(' ').ok_or("pty COLUMNSxROWS cutonce …")?;
        let words = words(&self.fill(line))?;
        let args = words.split_first().filter(|(program, _)| *program == "cutonce").ok_or("a story runs cutonce")?.1;
        let mut command = portable_pty::CommandBuilder::new(env!("CARGO_BIN_EXE_cutonce"));
        command.args(args);
        command.cwd(&self.cwd);
        command.env_clear();
        command.env("TERM", "xterm");
        self.variables().into_iter().for_each(|(name, value)| command.env(name, value));
        let size = screen::size(size)?;
        self.term = Some(self.machine.run(|| crate::pty::Term::start(command, size))?);
        Ok(())
    }

    /// Steps at the terminal, one per line.
    fn keys(&mut self, lines: &str) -> Result<(), String> {
        let mut term = self.term.take().ok_or("keys: nothing runs on a terminal")?;
        for line in lines.lines().filter(|line| !line.trim().is_empty()) {
            let line = self.fill(line);
            match line.strip_prefix("! ") {
                Some(script) => {
                    let pid = term.child.process_id().unwrap_or_default();
                    self.sh(&script.replace("$PID", &pid.to_string()))?;
                }
                None => screen::step(&mut term, &line).map_err(|why| format!("`{line}`: {why}"))?,
            }
        }
        self.term = Some(term);
        Ok(())
    }

    /// The screen (or the scrollback) once it matches, else its last state.
    fn shown(&mut self, word: &str, expected: &str) -> Result<String, String> {
        let mut term = self.term.take().ok_or("nothing runs on a terminal")?;
        let (ws, home) = (self.ws(), self.home());
        let found = screen::shown(&mut term, word == "history", expected, |raw| views::normal(raw, &ws, &home));
        self.term = Some(term);
        Ok(found)
    }

    /// Runs to the end, and types the lines of a `talk` section when their cue appears.
    fn watch(&self, mut command: Command, input: String) -> Result<Ran, String> {
        let mut child = command.spawn().map_err(text)?;
        let mut stdin = child.stdin.take().ok_or("no stdin")?;
        let (sender, receiver) = mpsc::channel();
        let out = follow(child.stdout.take().ok_or("no stdout")?, 0, sender.clone());
        let err = follow(child.stderr.take().ok_or("no stderr")?, 1, sender);
        match &self.talk {
            Some(talk) => self.speak(talk, child.id(), &receiver, &mut stdin).inspect_err(|_| {
                let _ = child.kill();
            })?,
            // A program that does not read its input closes it; that is not a failure.
            None => stdin.write_all(input.as_bytes()).unwrap_or_default(),
        }
        drop(stdin);
        let status = child.wait().map_err(text)?;
        let gather = |thread: std::thread::JoinHandle<Vec<u8>>| {
            thread
                .join()
                .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
                .map_err(|_| "reader died".to_string())
        };
        Ok(Ran { code: status.code(), stdout: gather(out)?, stderr: gather(err)? })
    }

    /// `< cue` waits until it appears (on either stream), `> text` types it, `! script` runs bash meanwhile
    /// ($PID is the program).
    fn speak(
        &self,
        talk: &str,
        pid: u32,
        screen: &mpsc::Receiver<Piece>,
        stdin: &mut impl Write,
    ) -> Result<(), String> {
        let mut shown = [String::new(), String::new()];
        for line in talk.lines().filter(|line| !line.trim().is_empty()) {
            if let Some(cue) = line.strip_prefix("< ") {
                // The prompt: a `>` elsewhere, as in a command, does not count.
                let cue = if cue == ">" { "\n> " } else { cue };
                let on = loop {
                    match shown.iter().position(|stream| stream.contains(cue)) {
                        Some(on) => break on,
                        None => {
                            let never = |_| format!("never saw `{cue}` in:\n{}", shown.join("\n(stderr)\n"));
                            let (on, more) = screen.recv_timeout(PATIENCE).map_err(never)?;
                            shown[on].push_str(&String::from_utf8_lossy(&more));
                        }
                    }
                };
                shown[on] = shown[on].split_off(shown[on].find(cue).map_or(0, |at| at + cue.len()));
            } else if let Some(words) = line.strip_prefix("> ") {
                writeln!(stdin, "{words}").map_err(text)?;
            } else if let Some(script) = line.strip_prefix("! ") {
                self.sh(&script.replace("$PID", &pid.to_string()))?;
            } else {
                return Err(format!("talk: a line starts with `< `, `> ` or `! `: {line}"));
            }
        }
        Ok(())
    }

    fn view(&mut self, word: &str, rest: &str) -> Result<String, String> {
        if let Some(mut term) = self.term.take() {
            if word != "exit" {
                return Err(format!("`{word}`: the program still runs; `exit` waits for its end"));
            }
            let code = term.end()?;
            self.ran = Some(Ran { code: i32::try_from(code).ok(), stdout: term.whole(), stderr: String::new() });
        }
        let ran = self.ran.as_ref().ok_or("nothing was run yet")?;
        let placed = |raw: &str| views::placed(raw, &self.ws(), &self.home());
        let raw = match word {
            "exit" => return Ok(ran.code.map_or("signal".into(), |code| code.to_string())),
            "stdout" => ran.stdout.clone(),
            "stderr" => ran.stderr.clone(),
            "frames" => views::frames(&placed(&ran.stdout))?,
            "disk" => views::changes(&self.before, &views::files(&self.ws())),
            "transcript" => views::transcript(&self.home().join(".cutonce"), rest, placed)?,
            "seen" => {
                let server = self.server.as_ref().ok_or("no model was set")?;
                let requests = server.requests();
                let shown = views::seen(&requests, self.seen, rest == "whole")?;
                self.seen = requests.len();
                shown
            }
            other => return Err(format!("unknown section `{other}`")),
        };
        Ok(views::normal(&raw, &self.ws(), &self.home()).replace(&self.port, "$PORT"))
    }
}

/// A port that no program listens on now.
fn free_port() -> Result<String, String> {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").map_err(text)?;
    Ok(listener.local_addr().map_err(text)?.port().to_string())
}

/// The stream (0 out, 1 err) and its output.
type Piece = (usize, Vec<u8>);

fn follow(
    mut stream: impl Read + Send + 'static,
    which: usize,
    tell: mpsc::Sender<Piece>,
) -> std::thread::JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let (mut all, mut chunk) = (Vec::new(), [0; 4096]);
        while let Ok(n @ 1..) = stream.read(&mut chunk) {
            all.extend_from_slice(&chunk[..n]);
            let _ = tell.send((which, chunk[..n].to_vec()));
        }
        all
    })
}

/// Splits text into words like a shell: quotes group.
fn words(line: &str) -> Result<Vec<String>, String> {
    let (mut words, mut word, mut quote, mut open) = (Vec::new(), String::new(), None, false);
    for c in line.chars() {
        match (quote, c) {
            (Some(q), c) if c == q => quote = None,
            (Some(_), c) => word.push(c),
            (None, '"' | '\'') => (quote, open) = (Some(c), true),
            (None, ' ') if open || !word.is_empty() => {
                words.push(std::mem::take(&mut word));
                open = false;
            }
            (None, ' ') => {}
            (None, c) => word.push(c),
        }
    }
    if quote.is_some() {
        return Err("an open quote".into());
    }
    if open || !word.is_empty() {
        words.push(word);
    }
    Ok(words)
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}
