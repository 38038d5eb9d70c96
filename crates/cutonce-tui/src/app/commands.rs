//! The commands of the composer (UI-9): one table that is read by the dispatcher, the list behind `/` and `/help`. An unknown
//! command sends nothing; the nearest one is named.

mod tell;

use super::App;
use super::custom::{self, Custom};
use crate::composer::Offer;
use crate::theme::{Name, Theme};
use cutonce_agent::mcp::Prompt;
use cutonce_agent::start::Which;
use cutonce_core::command;
use cutonce_core::conversation::Image;
use cutonce_core::event::Level;
use cutonce_core::slash;
use cutonce_core::submission::Submission;
use std::path::{Path, PathBuf};

/// What `/init` asks the model to do.
pub const INIT: &str = include_str!("../prompts/init.md");

struct Entry {
    name: &'static str,
    words: &'static str,
    /// It takes arguments.
    takes: bool,
    run: fn(&mut App, &str),
}

const fn entry(name: &'static str, words: &'static str, takes: bool, run: fn(&mut App, &str)) -> Entry {
    Entry { name, words, takes, run }
}

const COMMANDS: &[Entry] = &[
    entry("/help", "keys and commands", false, |app, _| app.help()),
    entry(
        "/plan",
        "enter plan mode, show the plan; open edits it, off leaves; words are the task",
        true,
        App::plan_or_mode,
    ),
    entry("/plans", "plans of this folder", false, |app, _| app.tell_plans()),
    entry("/mode", "show or set the mode: default, acceptEdits, plan, …", true, App::plan_or_mode),
    entry("/model", "show or set the model", true, App::model),
    entry("/clear", "start over with an empty conversation", false, |app, _| app.start_over()),
    entry("/compact", "replace the beginning by a summary; words say what to keep", true, |app, words| {
        let focus = Some(words.to_string()).filter(|words| !words.is_empty());
        app.compact(focus);
    }),
    entry("/resume", "go on with another session; words search", true, App::pick_session),
    entry("/rewind", "put files, conversation or both back to an earlier point", false, |app, _| app.rewind()),
    entry("/permissions", "the rules that hold here; add and remove some", false, |app, _| app.show_rules("", None)),
    entry("/agents", "the kinds of agents there are; edit them, make your own", false, |app, _| {
        app.show_agents("", None)
    }),
    entry("/mcp", "MCP servers: agree to them, switch them off and on, start them anew", false, |app, _| {
        app.show_mcp("", None)
    }),
    entry("/memory", "instruction files, to edit", true, App::memory),
    entry("/init", "have an AGENTS.md written for this repository", false, |app, _| {
        app.say(INIT.trim().into(), vec![])
    }),
    entry("/config", "settings files, to edit", true, App::config),
    entry("/status", "session, model, mode, folders", false, |app, _| app.tell_status()),
    entry("/cost", "tokens and money so far", false, |app, _| app.tell_cost()),
    entry("/todos", "the agent's todo list", false, |app, _| app.tell_todos()),
    entry("/export", "write the conversation to a file", true, App::export),
    entry("/theme", "dark, light or ansi", true, App::set_theme),
    entry("/doctor", "what works on this machine", false, |app, _| {
        let report = (app.around.doctor)();
        app.notice(Level::Info, &report);
    }),
    entry("/exit", "quit", false, |app, _| app.exit = Some(0)),
];

/// What `/` offers.
pub fn offers(customs: &[Custom], prompts: &[Prompt]) -> Vec<Offer> {
    let own = COMMANDS.iter().map(|one| Offer { name: one.name.into(), words: one.words.into(), takes: one.takes });
    let theirs = customs.iter().map(|one| Offer {
        name: format!("/{}", one.name),
        words: one.description.clone(),
        takes: one.takes_arguments(),
    });
    let servers = prompts.iter().map(|one| Offer {
        name: format!("/{}", one.called),
        words: one.description.clone(),
        takes: !one.arguments.is_empty(),
    });
    own.chain(theirs).chain(servers).collect()
}

impl App {
    /// A line that begins with a slash: true if it was one for us. A path is none.
    pub(super) fn command(&mut self, line: &str, images: &[Image]) -> bool {
        let (word, words) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let words = words.trim();
        if let Some(entry) = COMMANDS.iter().find(|entry| entry.name == word) {
            (entry.run)(self, if word == "/plan" || word == "/mode" { line } else { words });
            return true;
        }
        if let Some(custom) = self.customs.iter().find(|custom| word[1..] == custom.name).cloned() {
            self.run_custom(&custom, words, images);
            return true;
        }
        // A path, or a prompt of an MCP server (HO-6): the session knows what to do with it.
        if word[1..].contains('/') || word.starts_with("/mcp__") {
            return false;
        }
        // Hidden: how the terminal is given back after a panic can be tried, with a draft that must outlive it (UI-13).
        if word == "/panic-now" {
            self.composer.set_text(words);
            self.changed();
            self.keep_draft();
        }
        assert!(word != "/panic-now", "asked for by /panic-now");
        if !self.trusted()
            && custom::find(&self.around.home, &self.around.cwd, true).iter().any(|one| one.name == word[1..])
        {
            self.notice(Level::Warning, &slash::untrusted(word));
            self.composer.give_back(line, images.to_vec());
            self.changed();
            return true;
        }
        let names = COMMANDS.iter().map(|entry| entry.name.to_string());
        let names: Vec<String> = names.chain(self.customs.iter().map(|custom| format!("/{}", custom.name))).collect();
        let nearest = names.iter().min_by_key(|name| strsim::damerau_levenshtein(name, word));
        let hint = nearest.map(|name| format!(" The nearest is {name}.")).unwrap_or_default();
        let shown = crate::text::one_line(word);
        self.notice(Level::Warning, &format!("There is no command {shown}; nothing was sent.{hint}"));
        // What was written is not lost.
        self.composer.give_back(line, images.to_vec());
        self.changed();
        true
    }

    fn plan_or_mode(&mut self, line: &str) {
        let Some(command) = command::parse(line) else { return };
        let env = &self.around.env;
        let editor = cutonce_agent::editor::find(env).ok();
        let name = editor.and_then(|editor| Some(editor.program.file_name()?.to_string_lossy().into_owned()));
        if matches!(command, command::Command::Plan(command::PlanCommand::Describe(_)))
            && let Some(session) = &self.session
        {
            self.drafts.belongs_to(session.id(), &self.draft());
        }
        self.submit(Submission::Command { command, editor: name });
    }

    fn run_custom(&mut self, custom: &Custom, words: &str, images: &[Image]) {
        let text = custom::fill(&custom.body, words);
        self.submit(Submission::Prompt {
            text,
            images: images.to_vec(),
            allow: custom.allow.clone(),
            model: custom.model.clone(),
            typed: None,
        });
        if let Some(session) = &self.session {
            self.drafts.belongs_to(session.id(), &self.draft());
        }
    }

    fn start_over(&mut self) {
        match self.failed {
            true => self.switch(Which::New, false),
            false => self.submit(Submission::Clear),
        }
    }

    fn model(&mut self, name: &str) {
        if name.is_empty() {
            let model = self.status.model.clone();
            return self.notice(
                Level::Info,
                &format!("The model is {model}. /model NAME changes it from the next request on."),
            );
        }
        if self.failed {
            self.home.model = Some(name.to_string());
            self.notice(Level::Info, &format!("A new session with {name}."));
            return self.switch(Which::New, false);
        }
        self.submit(Submission::SetModel { model: name.into() });
        self.notice(Level::Info, &format!("The next request goes to {name}."));
    }

    fn set_theme(&mut self, name: &str) {
        match Name::parse(name) {
            Some(name) => {
                self.theme = Theme::new(name, self.theme.depth);
                self.notice(Level::Info, &format!("The theme is {}. `theme` in the settings keeps it.", name.as_str()));
            }
            None => {
                let names = Name::ALL.map(Name::as_str).join(", ");
                let now = self.theme.name.as_str();
                let none = match name {
                    "" => String::new(),
                    other => format!("There is no theme {}. ", crate::text::one_line(other)),
                };
                self.notice(Level::Info, &format!("{none}The theme is {now}; there are {names}."));
            }
        }
    }

    /// `/export [FILE]`
    fn export(&mut self, file: &str) {
        let Some(transcript) = self.transcript.clone().filter(|path| path.exists()) else {
            return self.notice(Level::Info, NOTHING_SAID);
        };
        match exported(&transcript, &self.around.cwd, file) {
            Ok(path) => self.notice(Level::Info, &format!("Written to {}", path.display())),
            Err(why) => self.notice(Level::Warning, &why),
        }
    }
}

const NOTHING_SAID: &str = "Nothing was said yet: there is nothing to write.";

/// The conversation, written to a file of this name, or of one that is made; never over a file that is there.
pub fn exported(transcript: &Path, cwd: &Path, file: &str) -> Result<PathBuf, String> {
    let made = format!("cutonce-{}.md", cutonce_agent::store::id_of(transcript));
    let path = cwd.join(if file.is_empty() { &made } else { file });
    let text = tell::as_markdown(transcript).ok_or(NOTHING_SAID)?;
    let written =
        std::fs::File::create_new(&path).and_then(|mut file| std::io::Write::write_all(&mut file, text.as_bytes()));
    written.map_err(|error| format!("{} was not written: {error}", path.display()))?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ui_9_every_command_of_the_contract_is_there() {
        let all = "/help /plan /plans /mode /model /clear /compact /resume /rewind /permissions /agents /mcp /memory /init \
                   /config /status /cost /todos /export /theme /doctor /exit";
        let names: Vec<&str> = COMMANDS.iter().map(|entry| entry.name).collect();
        assert_eq!(all.split_whitespace().collect::<Vec<_>>(), names);
        // The plain face has the same.
        assert_eq!(cutonce_core::slash::Slash::ALL.map(|slash| slash.name()).to_vec(), names);
    }

    #[test]
    fn ui_9_the_docs_name_every_command() {
        let mut table = String::from("| command | what it does |\n|---|---|\n");
        for entry in COMMANDS {
            table.push_str(&format!("| `{}` | {} |\n", entry.name, entry.words));
        }
        crate::docs::held("commands", &table);
    }
}
