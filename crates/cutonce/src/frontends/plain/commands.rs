//! Slash commands of the plain front end (UI-9): everything the terminal offers, as lines. An unknown command
//! sends nothing.

use super::editor::editor_name;
use super::pick_list::{PickList, PickResult, RewindList, SessionList};
use super::{PlainFrontend, output, reports};
use cutonce_agent::builder::SessionSelector;
use cutonce_agent::config::commands::{self as own_commands, CustomCommand};
use cutonce_agent::config::instructions::InstructionLoader;
use cutonce_agent::config::{self, SettingsPaths};
use cutonce_agent::editor;
use cutonce_core::commands::{self, Frontend, SlashCommand, SlashLine};
use cutonce_core::model_request::Effort;
use cutonce_core::plan::command::{ModeCommand, PlanCommand};
use cutonce_core::protocol::submission::{OnDone, RuleDestination, Submission, TaskAttachments};
use cutonce_core::text::sanitize::{one_line, without_os_codes};
use std::path::{Path, PathBuf};
use std::sync::Arc;

impl PlainFrontend {
    /// Handles a slash command; returns false if the line is none.
    pub(super) fn run_command(&mut self, line: &str) -> bool {
        match commands::parse_line(Frontend::Plain, line) {
            None | Some(SlashLine::Text) => false,
            Some(SlashLine::BuiltIn(slash, words)) => {
                self.run_builtin(slash, words);
                true
            }
            Some(SlashLine::Custom(word, words)) => {
                let customs = self.custom_commands();
                match customs.iter().find(|custom| word[1..] == custom.name) {
                    Some(_) if !self.asks.is_empty() => self.say_answer_first(),
                    Some(custom) => self.session.submit(custom.to_submission(words, Vec::new())),
                    None if self.is_untrusted_command(&word[1..]) => {
                        self.print_notice(&commands::untrusted_command_message(word))
                    }
                    None => self.print_notice(&commands::unknown_command_message(
                        Frontend::Plain,
                        word,
                        customs.iter().map(|custom| custom.name.as_str()),
                    )),
                }
                true
            }
        }
    }

    fn run_builtin(&mut self, slash: SlashCommand, words: &str) {
        match slash {
            // Allowed at any time (PM-17), also while a question is open.
            SlashCommand::Plan | SlashCommand::Mode => {
                if let Some(command) = ModeCommand::from_slash(slash, words) {
                    let attached = self.task_attachments(&command);
                    self.session.submit(Submission::Command { command, editor: editor_name(), attached });
                }
            }
            SlashCommand::Clear
            | SlashCommand::Compact
            | SlashCommand::Resume
            | SlashCommand::Rewind
            | SlashCommand::Init
                if !self.asks.is_empty() =>
            {
                self.say_answer_first();
            }
            SlashCommand::Clear => self.session.submit(Submission::Clear),
            SlashCommand::Compact => self.start_compaction(words),
            SlashCommand::Resume if self.busy => {
                self.print_notice("The agent is working. Press Ctrl+C to stop it, then resume.")
            }
            SlashCommand::Resume => self.open_session_list(words),
            SlashCommand::Rewind if self.busy => {
                self.print_notice("The agent is working. Press Ctrl+C to stop it, then rewind.")
            }
            SlashCommand::Rewind => self.open_rewind_list(),
            SlashCommand::Init => self.session.say(cutonce_tui::INIT_PROMPT.trim()),
            SlashCommand::Model if words.is_empty() => {
                let now = one_line(&self.report.view.model);
                self.print_notice(&format!("Model: {now}. /model NAME changes it."));
            }
            SlashCommand::Model => {
                self.model_to = Some(words.to_string());
            }
            SlashCommand::Help => self.print_notice(&reports::help_text(&self.custom_commands())),
            SlashCommand::Plans => self.run_plans_command(words),
            SlashCommand::Permissions => {
                self.print_notice(&reports::permissions_text(&self.report, &self.settings_places(), &self.flags))
            }
            SlashCommand::Agents => self.show_agents(words),
            SlashCommand::Mcp => self.manage_mcp(words),
            SlashCommand::Memory => self.open_memory(words),
            SlashCommand::Config => self.open_config(words),
            SlashCommand::Status => self.print_notice(&reports::status_text(&self.report, self.session.id())),
            SlashCommand::Usage => self.print_notice(&cutonce_agent::storage::usage_report(&self.report.home)),
            SlashCommand::Cost => self.print_notice(&reports::cost_text(&self.report)),
            SlashCommand::Todos => self.print_notice(&reports::todos_text(&self.report)),
            SlashCommand::Export => self.export_conversation(words),
            SlashCommand::Theme => {
                self.print_notice("Plain mode has no colours. The `theme` setting applies to the terminal.")
            }
            SlashCommand::Trust => self.trust_folder(words),
            SlashCommand::Diff => self.print_notice(&reports::diff_text(&self.report)),
            SlashCommand::Copy => self.copy_answer(),
            SlashCommand::Context => self.session.submit(Submission::DescribeContext),
            SlashCommand::Review => self.session.submit(Submission::ReviewChanges { focus: words.into() }),
            SlashCommand::Btw if words.is_empty() => self.print_notice("Write the question after /btw."),
            SlashCommand::Btw => self.session.submit(Submission::SideQuestion { question: words.into() }),
            SlashCommand::Effort => self.set_effort(words),
            SlashCommand::Setup => self.run_setup(),
            SlashCommand::Doctor => self.print_notice(&crate::commands::doctor::report_text()),
            SlashCommand::Exit => self.session.submit(Submission::Close),
            // Replaces Ctrl+G of the terminal.
            SlashCommand::Edit => self.edit_message(words),
            // Replaces Ctrl+T and Ctrl+X of the terminal.
            SlashCommand::Tasks => self.manage_tasks(words),
        }
    }

    /// The images that the task of `/plan` names.
    fn task_attachments(&self, command: &ModeCommand) -> TaskAttachments {
        match command {
            ModeCommand::Plan(PlanCommand::Describe(task)) => {
                TaskAttachments { images: self.mentioned_images(task), typed: None }
            }
            ModeCommand::Plan(_) | ModeCommand::Mode(_) => TaskAttachments::default(),
        }
    }

    fn open_session_list(&mut self, words: &str) {
        let own = Some(self.session.id().to_string());
        let list = SessionList::new(&self.report.home, &self.report.cwd, own, words);
        self.open_list(PickList::Session(list));
    }

    fn open_rewind_list(&mut self) {
        match RewindList::from_transcript(&self.report.transcript) {
            Ok(Some(points)) => self.open_list(PickList::Point(points)),
            Ok(None) => self.print_notice("Nothing to rewind to."),
            Err(error) => self.print_notice(&format!("Can't read the transcript: {error}")),
        }
    }

    /// `/setup`: the user chooses a model, which this session then uses (ON-3).
    fn run_setup(&mut self) {
        if !crate::frontends::is_terminal() {
            return self.print_notice("The setup asks on a terminal. Run `cutonce setup` there.");
        }
        let home = self.report.home.clone();
        self.model_to = self.gate.lend_terminal(|| crate::commands::setup::choose_model(&home));
    }

    fn start_compaction(&mut self, words: &str) {
        if self.busy || self.compacting {
            return self.print_notice("The agent is working. Press Ctrl+C to stop it, then compact.");
        }
        self.compacting = true;
        output::print_lines("compacting; Ctrl+C cancels");
        let focus = Some(words.to_string()).filter(|words| !words.is_empty());
        self.session.submit(Submission::Compact { focus, on_done: None });
    }

    /// `/copy`: the terminal that shows the lines has the clipboard (DU-5).
    fn copy_answer(&self) {
        if self.report.last_answer.is_empty() {
            return self.print_notice("There is no answer to copy yet.");
        }
        if !crate::frontends::is_terminal() {
            return self.print_notice("Nothing was copied: only a terminal has a clipboard. /export writes a file.");
        }
        output::copy_to_clipboard(&self.report.last_answer);
        self.print_notice("Copied the last answer.");
    }

    /// `/effort [NAME]` (DU-5).
    fn set_effort(&self, name: &str) {
        let effort = Effort::parse(name);
        if effort.is_none() && name != "default" {
            return self.print_notice("/effort NAME sets it: low, medium, high, max, default.");
        }
        self.session.submit(Submission::SetEffort { effort });
        self.print_notice(&format!("Effort: {name}, from your next message."));
    }

    /// `/trust`: shows what would be used; `/trust yes` trusts the folder (ON-4).
    fn trust_folder(&self, words: &str) {
        let loaded = cutonce_agent::config::load_settings(&self.settings_places(), None);
        if loaded.trusted {
            return self.print_notice("This folder is trusted; its settings are in use.");
        }
        if words != "yes" {
            let named: Vec<&str> = loaded.set_aside.iter().map(|one| one.describe()).collect();
            let named = if named.is_empty() { "commands, skills and agents".into() } else { named.join(", ") };
            return self
                .print_notice(&format!("Ignored here until you trust this folder: {named}. `/trust yes` trusts it."));
        }
        let (home, cwd) = (&self.report.home, &self.report.cwd);
        let user_home = self.settings_places().user_home;
        match cutonce_agent::config::trust::trust_folder(home, user_home.as_deref(), cwd) {
            Ok(()) => self.print_notice("This folder is now trusted. Its settings apply from the next session."),
            Err(error) => self.print_notice(&format!("Not trusted: {error}")),
        }
    }

    /// Prints a message, then shows again what was open.
    pub(super) fn print_notice(&self, text: &str) {
        output::print_lines(&without_os_codes(text));
        self.show_again();
    }

    pub(super) fn say_answer_first(&self) {
        self.print_notice("Answer the open question first.");
    }

    fn settings_places(&self) -> SettingsPaths {
        let user_home = cutonce_agent::storage::paths::user_home(&|name| std::env::var_os(name));
        let (home, project) = (self.report.home.clone(), self.report.cwd.clone());
        let managed_flag = self.flags.managed.clone();
        SettingsPaths { managed: config::MANAGED_FILE.into(), home, user_home, project, managed_flag }
    }

    /// Reads the custom commands now, so that new ones need no restart.
    fn custom_commands(&self) -> Vec<CustomCommand> {
        let trusted = config::load_settings(&self.settings_places(), self.flags.settings.as_deref()).trusted;
        self.find_commands(trusted)
    }

    fn find_commands(&self, trusted: bool) -> Vec<CustomCommand> {
        let user_home = cutonce_agent::storage::paths::user_home(&|name| std::env::var_os(name));
        own_commands::find_commands(own_commands::CommandFolders {
            home: Some(&self.report.home),
            user_home: user_home.as_deref(),
            cwd: &self.report.cwd,
            trusted,
        })
    }

    /// True for a project command that is missing only because the folder is not trusted.
    fn is_untrusted_command(&self, name: &str) -> bool {
        self.find_commands(true).iter().any(|custom| custom.name == name)
    }

    fn show_agents(&mut self, name: &str) {
        let (agents, _) = cutonce_agent::subagent::definition_files::list_agents(self.session.agents());
        let path = agents.into_iter().find(|agent| agent.name == name).map(|agent| agent.path);
        match path {
            Some(Some(path)) => self.edit_file(&path),
            Some(None) => self.print_notice("This agent is built in; there is no file to edit."),
            None => {
                let listing = super::agents::agents_listing(self.session.agents());
                self.print_notice(&format!("{listing}\n/agents NAME opens its file in your editor."));
            }
        }
    }

    fn manage_mcp(&mut self, words: &str) {
        let servers = self.session.mcp();
        let all = servers.status();
        let (word, name) = words.split_once(' ').unwrap_or((words, ""));
        let done = match (word, name.trim()) {
            ("approve", name) if !name.is_empty() => Some((servers.approve(name), "may start now")),
            ("restart", name) if !name.is_empty() => Some((servers.reconnect(name), "is restarting")),
            _ => None,
        };
        match (done, all.iter().find(|one| one.name == words)) {
            (Some((Ok(()), how)), _) => self.print_notice(&format!("{} {how}.", one_line(name.trim()))),
            (Some((Err(why), _)), _) => self.print_notice(&why.to_string()),
            (None, Some(one)) => self.print_notice(&reports::server_text(one)),
            (None, None) => self.print_notice(&reports::servers_text(&all)),
        }
    }

    /// `/tasks`, `/tasks end ID` (UI-14).
    fn manage_tasks(&mut self, words: &str) {
        let Some(id) = words.strip_prefix("end ").map(str::trim) else {
            return self.print_notice(&reports::tasks_text(&self.report));
        };
        let (ended, prompts) = (id.to_string(), self.is_idle());
        let told = move |how: Result<(), String>| {
            output::print_lines(&how.map_or_else(|why| why, |()| format!("Stopped {ended} and its child processes.")));
            if prompts {
                output::print_text("\n> ");
            }
        };
        self.session.submit(Submission::StopTask { id: id.to_string(), on_done: OnDone(Arc::new(told)) });
    }

    fn open_memory(&mut self, which: &str) {
        let (home, cwd) = (self.report.home.clone(), self.report.cwd.clone());
        let mut all = InstructionLoader::new(&home, self.settings_places().user_home, &cwd);
        let mut files: Vec<PathBuf> = all.load().into_iter().map(|one| one.path).collect();
        for usual in [cwd.join("AGENTS.md"), home.join("AGENTS.md")] {
            if !files.contains(&usual) {
                files.push(usual);
            }
        }
        self.choose_file("Instruction files", &files, which, "/memory");
    }

    fn open_config(&mut self, which: &str) {
        let places = self.settings_places();
        let kinds = [RuleDestination::User, RuleDestination::Project, RuleDestination::Local];
        let files: Vec<PathBuf> = kinds.into_iter().filter_map(|place| places.rule_file(place)).collect();
        self.choose_file("Settings (later files override earlier ones)", &files, which, "/config");
    }

    fn choose_file(&mut self, title: &str, files: &[PathBuf], which: &str, command: &str) {
        match which.parse::<usize>().ok().and_then(|n| files.get(n.wrapping_sub(1))) {
            Some(file) => self.edit_file(file),
            None => self.print_notice(&reports::files_text(title, files, command)),
        }
    }

    fn edit_file(&mut self, path: &Path) {
        if let Some(folder) = path.parent() {
            let _ = std::fs::create_dir_all(folder);
        }
        let opened = self.gate.lend_terminal(|| editor::open_file(path, std::env::vars_os().collect()));
        match opened {
            Ok(()) => self.print_notice(&format!("Edited {}. It applies from the next start.", path.display())),
            Err(why) => self.print_notice(&format!("Could not edit {}: {why}", path.display())),
        }
    }

    fn export_conversation(&mut self, file: &str) {
        if !self.report.transcript.exists() {
            return self.print_notice("The conversation is empty.");
        }
        match cutonce_tui::export_transcript(&self.report.transcript, &self.report.cwd, file) {
            Ok(path) => self.print_notice(&format!("Written to {}", path.display())),
            Err(why) => self.print_notice(&why.to_string()),
        }
    }

    /// `!`: runs a line in the user's own shell, with the user's rights (UI-3).
    pub(super) fn run_shell(&mut self, line: &str) {
        if !line.is_empty() {
            let (ended, printed) = self
                .gate
                .lend_terminal(|| editor::run_shell_line(line, &self.report.cwd, std::env::vars_os().collect()));
            if let Err(why) = ended {
                output::print_lines(&why.to_string());
            }
            if let Some(printed) = printed {
                self.session.submit(Submission::ShellOutput { line: line.into(), output: printed });
            }
        }
        self.show_again();
    }

    fn open_list(&mut self, picking: PickList) {
        output::print_text(&picking.render());
        self.picking = Some(picking);
    }

    /// Handles a line while a list is open. A command closes the list.
    pub(super) fn pick_from_list(&mut self, mut picking: PickList, line: &str) {
        if line.starts_with('/') {
            return self.handle_line(line);
        }
        match picking.step(line) {
            PickResult::Print(text) => {
                output::print_text(&text);
                self.picking = Some(picking);
            }
            PickResult::Cancel => self.print_notice("Cancelled; nothing was changed."),
            PickResult::Open { id, fork } => self.switch_to = Some((SessionSelector::Find(id), fork)),
            PickResult::Rewind { to, files, conversation, said } => {
                if let Some(said) = said {
                    output::print_lines(&format!("Your message was:\n{}", output::with_margin(&said)));
                }
                self.session.submit(Submission::Rewind { to, files, conversation });
            }
        }
    }
}
