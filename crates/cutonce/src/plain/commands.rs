//! The commands of the plain face (UI-9): all that the terminal has, as lines. An unknown one sends nothing.

use super::pick::{Picked, Picking, Points, SessionList};
use super::{Plain, out, tell};
use crate::editor::editor_name;
use cutonce_agent::commands::{self as own_commands, Custom};
use cutonce_agent::editor;
use cutonce_agent::instructions::Instructions;
use cutonce_agent::settings::{self, Places};
use cutonce_agent::start::Which;
use cutonce_core::command;
use cutonce_core::harmless::one_line;
use cutonce_core::slash::{self, Line, Slash};
use cutonce_core::submission::{RememberIn, Submission, Told};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The composer's Ctrl+G, as a word.
pub const EDIT: &str = "/edit";
/// Ctrl+T and Ctrl+X of the terminal.
pub const TASKS: &str = "/tasks";

impl Plain {
    /// A line that begins with a slash: true if it was one for us.
    pub(super) fn command(&mut self, line: &str) -> bool {
        match slash::parse(line) {
            None | Some(Line::Words) => false,
            Some(Line::Ours(slash, words)) => {
                self.carry_out(slash, words, line);
                true
            }
            Some(Line::Theirs(word, words)) => {
                let customs = self.customs();
                match customs.iter().find(|custom| word[1..] == custom.name) {
                    Some(_) if !self.asks.is_empty() => self.answer_first(),
                    Some(custom) => self.session.submit(custom.prompt(words, Vec::new())),
                    None if word == EDIT => self.edit_message(words),
                    None if word == TASKS => self.tasks(words),
                    None if self.is_the_projects(&word[1..]) => self.tell(&slash::untrusted(word)),
                    None => self.tell(&slash::unknown(word, customs.iter().map(|custom| custom.name.as_str()))),
                }
                true
            }
        }
    }

    fn carry_out(&mut self, slash: Slash, words: &str, line: &str) {
        match slash {
            // At any time (PM-17), also with a question open.
            Slash::Plan | Slash::Mode => {
                if let Some(command) = command::parse(line) {
                    self.session.submit(Submission::Command { command, editor: editor_name() });
                }
            }
            Slash::Clear | Slash::Compact | Slash::Resume | Slash::Rewind | Slash::Init if !self.asks.is_empty() => {
                self.answer_first();
            }
            Slash::Clear => self.session.submit(Submission::Clear),
            Slash::Compact if self.busy || self.compacting => {
                self.tell("The conversation can be compacted between turns: Ctrl+C ends this one.");
            }
            Slash::Compact => {
                self.compacting = true;
                out::say("compacting; Ctrl+C interrupts it");
                let focus = Some(words.to_string()).filter(|words| !words.is_empty());
                self.session.submit(Submission::Compact { focus, told: None });
            }
            Slash::Resume if self.busy => {
                self.tell("A turn is on: Ctrl+C ends it, then another session can be opened.")
            }
            Slash::Resume => {
                let own = Some(self.session.id().to_string());
                let list = SessionList::new(&self.about.home, &self.about.cwd, own, words);
                self.pick(Picking::Session(list));
            }
            Slash::Rewind if self.busy => self.tell("A turn is on: Ctrl+C ends it, then something can be put back."),
            Slash::Rewind => match Points::of(&self.about.transcript) {
                Ok(Some(points)) => self.pick(Picking::Point(points)),
                Ok(None) => self.tell("There is nothing to go back to."),
                Err(error) => self.tell(&format!("The transcript can't be read: {error}")),
            },
            Slash::Init => self.session.say(cutonce_tui::INIT.trim()),
            Slash::Model if words.is_empty() => {
                let now = one_line(&self.about.model);
                self.tell(&format!("The model is {now}. /model NAME changes it from the next request on."));
            }
            Slash::Model => {
                self.session.submit(Submission::SetModel { model: words.into() });
                self.tell(&format!("The next request goes to {}.", one_line(words)));
            }
            Slash::Help => self.tell(&tell::help(&self.customs())),
            Slash::Plans => self.tell(&tell::plans(&self.about)),
            Slash::Permissions => self.tell(&tell::permissions(&self.about, &self.places(), &self.flags)),
            Slash::Agents => self.agents(words),
            Slash::Mcp => self.mcp(words),
            Slash::Memory => self.memory(words),
            Slash::Config => self.config(words),
            Slash::Status => self.tell(&tell::status(&self.about, self.session.id())),
            Slash::Cost => self.tell(&tell::cost(&self.about)),
            Slash::Todos => self.tell(&tell::todos(&self.about)),
            Slash::Export => self.export(words),
            Slash::Theme => {
                self.tell("Plain lines have no colours and no theme; the terminal's is set by `theme` in the settings.")
            }
            Slash::Doctor => self.tell(&crate::doctor::text()),
            Slash::Exit => self.session.submit(Submission::Close),
        }
    }

    /// Words of ours, then what was open before.
    pub(super) fn tell(&self, text: &str) {
        out::say(text);
        self.again();
    }

    pub(super) fn answer_first(&self) {
        self.tell("Something waits for your answer; that comes first.");
    }

    fn places(&self) -> Places {
        let user_home = cutonce_agent::store::place::user_home(&|name| std::env::var_os(name));
        let (home, project) = (self.about.home.clone(), self.about.cwd.clone());
        let managed_flag = self.flags.managed.clone();
        Places { managed: settings::MANAGED.into(), home, user_home, project, managed_flag }
    }

    /// As they are now: whoever writes one needs no new start.
    fn customs(&self) -> Vec<Custom> {
        let trusted = settings::load(&self.places(), self.flags.settings.as_deref()).trusted;
        own_commands::find(&self.about.home, &self.about.cwd, trusted)
    }

    /// A command that would be there if the folder were trusted.
    fn is_the_projects(&self, name: &str) -> bool {
        own_commands::find(&self.about.home, &self.about.cwd, true).iter().any(|custom| custom.name == name)
    }

    fn agents(&mut self, name: &str) {
        let (agents, _) = cutonce_agent::agents::files::list(self.session.agents());
        let path = agents.into_iter().find(|agent| agent.name == name).map(|agent| agent.path);
        match path {
            Some(Some(path)) => self.edit_file(&path),
            Some(None) => self.tell("That one is built in: there is no file to edit."),
            None => {
                let listing = crate::agents::listing(self.session.agents());
                self.tell(&format!("{listing}\n/agents NAME opens the file of one in your editor."));
            }
        }
    }

    fn mcp(&mut self, words: &str) {
        let servers = self.session.mcp();
        let all = servers.status();
        let (word, name) = words.split_once(' ').unwrap_or((words, ""));
        let done = match (word, name.trim()) {
            ("agree", name) if !name.is_empty() => Some((servers.agree(name), "may start from now on")),
            ("restart", name) if !name.is_empty() => Some((servers.reconnect(name), "is started anew")),
            _ => None,
        };
        match (done, all.iter().find(|one| one.name == words)) {
            (Some((Ok(()), how)), _) => self.tell(&format!("{} {how}.", one_line(name.trim()))),
            (Some((Err(why), _)), _) => self.tell(&why),
            (None, Some(one)) => self.tell(&tell::server(one)),
            (None, None) => self.tell(&tell::servers(&all)),
        }
    }

    /// `/tasks`, `/tasks end ID` (UI-14).
    fn tasks(&mut self, words: &str) {
        let Some(id) = words.strip_prefix("end ").map(str::trim) else { return self.tell(&tell::tasks(&self.about)) };
        let (ended, prompts) = (id.to_string(), self.is_idle());
        let told = move |how: Result<(), String>| {
            out::say(&how.map_or_else(|why| why, |()| format!("{ended} was ended, with all it started.")));
            if prompts {
                out::show("\n> ");
            }
        };
        self.session.submit(Submission::StopTask { id: id.to_string(), told: Told(Arc::new(told)) });
    }

    fn memory(&mut self, which: &str) {
        let (home, cwd) = (self.about.home.clone(), self.about.cwd.clone());
        let mut all = Instructions::new(&home, self.places().user_home, &cwd);
        let mut files: Vec<PathBuf> = all.load().into_iter().map(|one| one.path).collect();
        for usual in [cwd.join("AGENTS.md"), home.join("AGENTS.md")] {
            if !files.contains(&usual) {
                files.push(usual);
            }
        }
        self.choose_file("Instruction files", &files, which, "/memory");
    }

    fn config(&mut self, which: &str) {
        let places = self.places();
        let kinds = [RememberIn::User, RememberIn::Project, RememberIn::Local];
        let files: Vec<PathBuf> = kinds.into_iter().filter_map(|place| places.file(place)).collect();
        self.choose_file("Settings, the last one wins", &files, which, "/config");
    }

    fn choose_file(&mut self, title: &str, files: &[PathBuf], which: &str, command: &str) {
        match which.parse::<usize>().ok().and_then(|n| files.get(n.wrapping_sub(1))) {
            Some(file) => self.edit_file(file),
            None => self.tell(&tell::files(title, files, command)),
        }
    }

    fn edit_file(&mut self, path: &Path) {
        if let Some(folder) = path.parent() {
            let _ = std::fs::create_dir_all(folder);
        }
        let opened = self.gate.lend(|| editor::open_file(path, std::env::vars_os().collect()));
        match opened {
            Ok(()) => self.tell(&format!("Edited {}; what it says counts from the next start on.", path.display())),
            Err(why) => self.tell(&format!("{} was not edited: {why}", path.display())),
        }
    }

    fn export(&mut self, file: &str) {
        if !self.about.transcript.exists() {
            return self.tell("Nothing was said yet.");
        }
        match cutonce_tui::exported(&self.about.transcript, &self.about.cwd, file) {
            Ok(path) => self.tell(&format!("Written to {}", path.display())),
            Err(why) => self.tell(&why),
        }
    }

    /// `!`: a line for the person's own shell, with their rights (UI-3).
    pub(super) fn shell(&mut self, line: &str) {
        if !line.is_empty() {
            let ran = self.gate.lend(|| editor::shell_line(line, &self.about.cwd, std::env::vars_os().collect()));
            if let Err(why) = ran {
                out::say(&why);
            }
        }
        self.again();
    }

    fn pick(&mut self, picking: Picking) {
        out::show(&picking.show());
        self.picking = Some(picking);
    }

    /// A line while something is picked. A command leaves the list.
    pub(super) fn picked(&mut self, mut picking: Picking, line: &str) {
        if line.starts_with('/') {
            return self.line(line);
        }
        match picking.step(line) {
            Picked::Say(text) => {
                out::show(&text);
                self.picking = Some(picking);
            }
            Picked::Back => self.tell("Nothing was changed."),
            Picked::Open { id, fork } => self.switch = Some((Which::Find(id), fork)),
            Picked::Rewind { to, files, conversation, said } => {
                if let Some(said) = said {
                    out::say(&format!("What you had said:\n{}", out::margined(&said)));
                }
                self.session.submit(Submission::Rewind { to, files, conversation });
            }
        }
    }
}
