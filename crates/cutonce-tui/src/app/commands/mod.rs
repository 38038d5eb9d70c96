//! Slash commands (UI-9): the terminal's part of the table in core. An unknown
//! command sends nothing and suggests the nearest name.

mod plan_list;
mod reports;

use super::custom::{self, CustomCommand};
use super::{App, AppMessage, send_to_app};
use crate::composer::CompletionItem;
use crate::overlays::highlighted_item::language_of_file;
use crate::overlays::pager::{PagerContent, PagerItem};
use crate::render::text::one_line;
use crate::render::theme::{Theme, ThemeName};
use cutonce_agent::builder::SessionSelector;
use cutonce_agent::mcp::McpPrompt;
use cutonce_agent::models::ModelError;
use cutonce_core::commands::{self, Frontend, SlashCommand, SlashLine};
use cutonce_core::conversation::Image;
use cutonce_core::exit_code;
use cutonce_core::model_request::Effort;
use cutonce_core::model_selection::model_after_choice;
use cutonce_core::plan::command::{ModeCommand, PlanCommand};
use cutonce_core::protocol::event::NoticeLevel;
use cutonce_core::protocol::submission::{Submission, TaskAttachments};
use std::path::{Path, PathBuf};

/// Prompt that `/init` sends to the model.
pub const INIT_PROMPT: &str = include_str!("../../prompts/init.md");

/// Completion items for `/`: built-in commands, custom commands and MCP prompts.
pub fn completion_items(customs: &[CustomCommand], prompts: &[McpPrompt]) -> Vec<CompletionItem> {
    let own = commands::commands_of(Frontend::Terminal).map(|info| CompletionItem {
        name: format!("/{}", info.name),
        description: info.help.into(),
        takes_arguments: info.takes_arguments(),
    });
    let theirs = customs.iter().map(|one| CompletionItem {
        name: format!("/{}", one.name),
        description: one.description.clone(),
        takes_arguments: one.takes_arguments(),
    });
    let servers = prompts.iter().map(|one| CompletionItem {
        name: format!("/{}", one.command),
        description: one.description.clone(),
        takes_arguments: !one.arguments.is_empty(),
    });
    own.chain(theirs).chain(servers).collect()
}

impl App {
    /// Runs a line that begins with a slash. Returns false if it is not a command, for example a path.
    pub(super) fn run_command(&mut self, line: &str, images: &[Image]) -> bool {
        let (word, words) = match commands::parse_line(Frontend::Terminal, line) {
            // A path, or a prompt of an MCP server (HO-6): the session handles it.
            None | Some(SlashLine::Text) => return false,
            Some(SlashLine::BuiltIn(command, words)) => {
                self.run_builtin(command, words, images);
                return true;
            }
            Some(SlashLine::Custom(word, words)) => (word, words),
        };
        if let Some(custom) = self.session.custom_commands.iter().find(|custom| word[1..] == custom.name).cloned() {
            self.run_custom(&custom, words, images);
            return true;
        }
        if !self.folder_is_trusted() && self.environment.find_commands(true).iter().any(|one| one.name == word[1..]) {
            self.print_notice(NoticeLevel::Warning, &commands::untrusted_command_message(word));
            self.prompt.composer.restore_unsent(line, images.to_vec());
            self.draft_changed();
            return true;
        }
        let own = self.session.custom_commands.iter().map(|custom| custom.name.as_str());
        let message = commands::unknown_command_message(Frontend::Terminal, word, own);
        self.print_notice(NoticeLevel::Warning, &message);
        // Keep the text in the composer.
        self.prompt.composer.restore_unsent(line, images.to_vec());
        self.draft_changed();
        true
    }

    fn run_builtin(&mut self, command: SlashCommand, words: &str, images: &[Image]) {
        match command {
            SlashCommand::Help => self.print_help(),
            SlashCommand::Mode if words.is_empty() && !self.session.modes.is_empty() => self.pick_mode(),
            SlashCommand::Plan | SlashCommand::Mode => self.run_mode_command(command, words, images),
            SlashCommand::Plans => self.run_plans_command(words),
            SlashCommand::Model if words.is_empty() && !self.status.view.model.is_empty() => self.pick_model(),
            SlashCommand::Model => self.show_or_set_model(words),
            SlashCommand::Effort => self.choose_effort(words),
            SlashCommand::Clear => self.clear_conversation(),
            SlashCommand::Compact => self.compact(Some(words.to_string()).filter(|words| !words.is_empty())),
            SlashCommand::Resume => self.pick_session(words),
            SlashCommand::Rewind => self.open_rewind_picker(),
            SlashCommand::Permissions => self.show_rules("", None),
            SlashCommand::Agents => self.show_agents("", None),
            SlashCommand::Mcp => self.show_mcp("", None),
            SlashCommand::Memory => self.open_memory(words),
            SlashCommand::Init => self.send_user_message(INIT_PROMPT.trim().into(), vec![]),
            SlashCommand::Config => self.open_config(words),
            SlashCommand::Status => self.print_status(),
            SlashCommand::Cost => self.print_cost(),
            SlashCommand::Usage => self.print_usage(),
            SlashCommand::Context => self.submit(Submission::DescribeContext),
            SlashCommand::Todos => self.print_todos(),
            SlashCommand::Export => self.export_conversation(words),
            SlashCommand::Copy => self.copy_answer(),
            SlashCommand::Diff => self.show_session_diff(),
            SlashCommand::Review => self.submit(Submission::ReviewChanges { focus: words.into() }),
            SlashCommand::Btw => self.ask_aside(words),
            SlashCommand::Theme if words.is_empty() => self.pick_theme(),
            SlashCommand::Theme => self.set_theme(words),
            SlashCommand::Doctor => {
                let report = (self.environment.doctor)();
                self.print_notice(NoticeLevel::Info, &report);
            }
            SlashCommand::Setup => drop(self.run_setup()),
            SlashCommand::Trust => self.open_trust(),
            SlashCommand::Exit => self.exit = Some(exit_code::SUCCESS),
            // The table does not offer these in the terminal, which has keys for them.
            SlashCommand::Edit | SlashCommand::Tasks => {}
        }
    }

    /// Runs `/plan` or `/mode`. The images belong to the task of `/plan`.
    pub(super) fn run_mode_command(&mut self, command: SlashCommand, words: &str, images: &[Image]) {
        let Some(command) = ModeCommand::from_slash(command, words) else { return };
        let env = &self.environment.env;
        let editor = cutonce_agent::editor::find_editor(env).ok();
        let name = editor.and_then(|editor| Some(editor.program.file_name()?.to_string_lossy().into_owned()));
        let mut attached = TaskAttachments::default();
        if let ModeCommand::Plan(PlanCommand::Describe(task)) = &command {
            attached.images = [images, &self.mentioned_images(task)].concat();
            if let Some(session) = &self.session.handle {
                self.prompt.drafts.assign_to(session.id(), &self.current_draft());
            }
        }
        self.submit(Submission::Command { command, editor: name, attached });
    }

    fn run_custom(&mut self, custom: &CustomCommand, words: &str, images: &[Image]) {
        let text = custom::fill_arguments(&custom.body, words);
        self.submit(Submission::CustomCommand {
            text,
            images: images.to_vec(),
            allow: custom.allow.clone(),
            model: custom.model.clone(),
            typed: None,
        });
        if let Some(session) = &self.session.handle {
            self.prompt.drafts.assign_to(session.id(), &self.current_draft());
        }
    }

    fn clear_conversation(&mut self) {
        match self.session.open_failed {
            true => self.switch_session(SessionSelector::New, false),
            false => self.submit(Submission::Clear),
        }
    }

    pub(super) fn show_or_set_model(&mut self, name: &str) {
        if name.is_empty() && self.status.view.model.is_empty() {
            return self.print_notice(NoticeLevel::Info, self.session.thread.no_session_help());
        }
        if name.is_empty() {
            let model = self.status.view.model.clone();
            return self.print_notice(NoticeLevel::Info, &format!("Model: {model}. Change it with /model NAME."));
        }
        if self.session.open_failed {
            self.session.thread.model = Some(name.to_string());
            self.print_notice(NoticeLevel::Info, &format!("Starting a new session with {name}."));
            return self.switch_session(SessionSelector::New, false);
        }
        let Some(session) = self.session.handle.clone() else {
            return self.submit(Submission::SetModel { model: name.into() });
        };
        let (name, notes) = (name.to_string(), self.messages.clone());
        tokio::spawn(async move {
            let checked = session.can_use(&name).await.map(drop);
            send_to_app(&notes, AppMessage::ModelChecked { name, checked });
        });
    }

    /// Switches to a model that can be connected, or says why not.
    pub(super) fn on_model_checked(&mut self, name: String, checked: Result<(), ModelError>) {
        if let Err(why) = checked {
            let using = self.status.view.model.clone();
            return self.print_notice(NoticeLevel::Warning, &format!("{why} Still using {using}."));
        }
        let model = model_after_choice(&self.session.settings, &name, self.status.view.mode, self.status.view.context);
        self.submit(Submission::SetModel { model: name });
        self.print_notice(NoticeLevel::Info, &format!("Model: {model}, from your next message"));
        self.model_changed(&model);
        self.status.view.model = model;
    }

    pub(super) fn set_theme(&mut self, name: &str) {
        match ThemeName::parse(name) {
            Some(name) => {
                self.theme = Theme::new(name, self.theme.depth);
                self.print_notice(
                    NoticeLevel::Info,
                    &format!("Theme: {}. Set `theme` in the settings to keep it.", name.as_str()),
                );
            }
            None => {
                let names = ThemeName::ALL.map(ThemeName::as_str).join(", ");
                let now = self.theme.name.as_str();
                let none = match name {
                    "" => String::new(),
                    other => format!("Unknown theme {}. ", one_line(other)),
                };
                self.print_notice(NoticeLevel::Info, &format!("{none}Theme: {now}. Available: {names}."));
            }
        }
    }

    /// `/effort`: opens the list, or sets the effort from the next message on.
    pub(super) fn choose_effort(&mut self, name: &str) {
        let effort = Effort::parse(name);
        if name.is_empty() {
            return self.pick_effort();
        }
        if effort.is_none() && name != DEFAULT_EFFORT {
            let known = format!("Unknown effort {}. Known: low, medium, high, max, default.", one_line(name));
            return self.print_notice(NoticeLevel::Warning, &known);
        }
        self.status.effort = effort;
        self.submit(Submission::SetEffort { effort });
        self.print_notice(NoticeLevel::Info, &format!("Effort: {name}, from your next message."));
    }

    /// `/btw`
    fn ask_aside(&mut self, question: &str) {
        if question.is_empty() {
            return self
                .print_notice(NoticeLevel::Info, "Write the question after /btw. The agent works on meanwhile.");
        }
        self.submit(Submission::SideQuestion { question: question.into() });
        self.print_notice(NoticeLevel::Info, "Asked. The answer comes here and does not enter the conversation.");
    }

    /// `/copy`
    fn copy_answer(&mut self) {
        match self.log.last_answer().map(str::to_string) {
            Some(answer) => {
                self.copy_to_clipboard(&answer);
                self.print_notice(NoticeLevel::Info, "Copied the last answer.");
            }
            None => self.print_notice(NoticeLevel::Info, "There is no answer to copy yet."),
        }
    }

    /// `/diff`
    fn show_session_diff(&mut self) {
        let Some(transcript) = self.session.transcript.clone().filter(|path| path.exists()) else {
            return self.print_notice(NoticeLevel::Info, NOTHING_CHANGED);
        };
        match cutonce_agent::storage::session_diff(&transcript) {
            Ok(diffs) if diffs.is_empty() => self.print_notice(NoticeLevel::Info, NOTHING_CHANGED),
            Ok(diffs) => {
                let item = |(path, text): (String, String)| {
                    let new = if text.starts_with("--- /dev/null") { "  new file" } else { "" };
                    PagerItem {
                        title: format!("{}{new}", self.path_shortener.short_path(&path)),
                        body: PagerContent::Diff { language: language_of_file(&path), text: text.into() },
                    }
                };
                let items = diffs.into_iter().map(item).collect();
                self.show_items("Changes of this session", items);
            }
            Err(error) => self.print_notice(NoticeLevel::Warning, &format!("The changes can't be read: {error}")),
        }
    }

    /// `/export [FILE]`
    fn export_conversation(&mut self, file: &str) {
        let Some(transcript) = self.session.transcript.clone().filter(|path| path.exists()) else {
            return self.print_notice(NoticeLevel::Info, EMPTY_CONVERSATION);
        };
        match export_transcript(&transcript, &self.environment.cwd, file) {
            Ok(path) => self.print_notice(NoticeLevel::Info, &format!("Exported to {}", path.display())),
            Err(why) => self.print_notice(NoticeLevel::Warning, &why.to_string()),
        }
    }
}

/// The name of the effort that the settings or the model choose.
pub(super) const DEFAULT_EFFORT: &str = "default";
const NOTHING_CHANGED: &str = "This session changed no file. Changes that commands made are not listed here.";
const EMPTY_CONVERSATION: &str = "The conversation is empty; nothing to export.";

/// Why a conversation was not exported.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    #[error("{EMPTY_CONVERSATION}")]
    Empty,
    #[error("Can't write {}: {source}", path.display())]
    Write { path: PathBuf, source: std::io::Error },
}

/// Exports the conversation to the named file, or to a generated name. Never overwrites a file.
pub fn export_transcript(transcript: &Path, cwd: &Path, file: &str) -> Result<PathBuf, ExportError> {
    let made = format!("cutonce-{}.md", cutonce_agent::storage::transcript_session_id(transcript));
    let path = cwd.join(if file.is_empty() { &made } else { file });
    let text = reports::transcript_to_markdown(transcript).ok_or(ExportError::Empty)?;
    let written =
        std::fs::File::create_new(&path).and_then(|mut file| std::io::Write::write_all(&mut file, text.as_bytes()));
    match written {
        Ok(()) => Ok(path),
        Err(source) => Err(ExportError::Write { path, source }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ui_9_all_contract_commands_exist() {
        let all = "/help /plan /plans /mode /model /effort /clear /compact /resume /rewind /permissions /agents /mcp /memory /init \
                   /config /status /cost /usage /context /todos /export /copy /diff /review /btw /theme /doctor /setup /trust /exit";
        let names: Vec<String> =
            commands::commands_of(Frontend::Terminal).map(|info| format!("/{}", info.name)).collect();
        assert_eq!(all.split_whitespace().collect::<Vec<_>>(), names);
        // The plain front end has the same commands, and more.
        let plain = commands::commands_of(Frontend::Plain).map(|info| format!("/{}", info.name));
        assert_eq!(plain.take(names.len()).collect::<Vec<_>>(), names);
    }

    #[test]
    fn ui_9_docs_list_every_command() {
        let mut table = String::from("| command | what it does |\n|---|---|\n");
        for info in commands::commands_of(Frontend::Terminal) {
            table.push_str(&format!("| `/{}` | {} |\n", info.name, info.help));
        }
        crate::doc_tables::assert_table("commands", &table);
    }
}
