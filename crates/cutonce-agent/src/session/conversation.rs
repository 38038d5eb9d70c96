//! The conversation: what a request sends, and how messages, results and reminders join it (SE-1, AG-8).

use super::{SessionState, parts};
use cutonce_core::conversation::{Message, SharedMessage, estimate_tokens};
use cutonce_core::mode;
use cutonce_core::model_request::PromptPrefix;
use cutonce_core::protocol::event::EventKind;
use cutonce_core::sync::LockUnpoisoned;
use cutonce_core::transcript::{self, EntryBody};
use cutonce_core::turn::UserInput;
use std::sync::Arc;

/// What a request sends. A clone of the messages is cheap: each is shared.
pub(super) struct Conversation {
    pub messages: Vec<SharedMessage>,
    pub prefix: Arc<PromptPrefix>,
    /// The prefix in plan mode, for hosts that want denied tools hidden (PM-66).
    pub planning_prefix: Option<Arc<PromptPrefix>>,
    /// Tokens of the context as the provider last counted them, and bytes added since (AG-8).
    pub counted: u64,
    pub uncounted: usize,
    /// Index of the first message of the current turn.
    pub turn_start: usize,
}

impl Conversation {
    pub fn push(&mut self, message: Message) {
        self.uncounted += parts::size_of(&message);
        self.messages.push(Arc::new(message));
    }
    /// Tokens that the next request would take.
    pub fn context(&self) -> u64 {
        self.counted + estimate_tokens(self.uncounted)
    }
    /// Bytes of system prompt and tools.
    pub fn prefix_size(&self) -> usize {
        let tool =
            |tool: &cutonce_core::model_request::ToolSpec| tool.description.len() + tool.schema.to_string().len();
        self.prefix.system.len() + self.prefix.tools.iter().map(tool).sum::<usize>()
    }
    /// Removes all messages; the provider has counted nothing of what follows.
    pub fn clear(&mut self) {
        self.messages.clear();
        (self.counted, self.uncounted, self.turn_start) = (0, self.prefix_size(), 0);
    }
}

impl SessionState {
    /// Records a message: first in the transcript, then in the conversation, then on the screen (SE-1).
    pub(super) fn record_input(&mut self, input: UserInput) {
        if !input.meta && !input.silent {
            self.answer_review_with_message(&input.text);
            self.user_continues();
        }
        self.flush_results();
        if let Some(overrides) = &input.overrides {
            self.apply_overrides(&overrides.allow, overrides.model.clone());
        }
        let id = self.append(EntryBody::from_input(&input));
        if let Some(mail) = &input.mail {
            self.mail_recorded(mail, &id);
        }
        self.conversation.push(transcript::user_message(&input.text, &input.images));
        input.implements.iter().for_each(|text| self.classifier.context.approved(text));
        if !input.meta {
            self.memory.user_messages.push(input.text.clone());
            let typed = input.typed.as_deref().unwrap_or(&input.text);
            self.classifier.context.user_said(typed);
            if !input.verbatim {
                self.tools.mcp.note_mentions(typed);
                let typed = typed.to_string();
                self.add_mentioned_files(&typed);
            }
            if !input.silent {
                self.planner.approval.note_user_message();
                self.mode_event(mode::ModeEvent::UserTurn);
            }
        }
        self.prompt_context(&input);
        self.emit(EventKind::User { id, text: input.text, meta: input.meta });
    }

    /// The results of a finished batch join the conversation in call order (AG-3), then the reminders.
    pub(super) fn flush_results(&mut self) {
        for result in self.calls.take_results() {
            self.conversation.push(Message::Tool(result));
        }
        for (kind, text) in std::mem::take(&mut self.memory.reminders) {
            self.append(EntryBody::Reminder { kind, form: None, path: None, exists: None, text: text.clone() });
            self.conversation.push(transcript::reminder_message(&text));
        }
    }

    pub(super) fn record_interrupt(&mut self, in_tools: bool) {
        let text = match in_tools {
            true => "[Request interrupted by user for tool use]",
            false => "[Request interrupted by user]",
        };
        self.append(EntryBody::from_input(&UserInput::meta(text)));
        self.conversation.push(Message::user_text(text));
    }

    /// Starts over with an empty conversation.
    pub(super) fn clear(&mut self) {
        self.session_ends("clear");
        self.append(EntryBody::cleared());
        self.keep_name();
        self.mode_event(mode::ModeEvent::Cleared);
        self.conversation.clear();
        // What was said and read before does not belong to this conversation any more (TL-3, AG-8).
        (self.memory.user_messages, self.memory.files) = (Vec::new(), Vec::new());
        self.classifier.context.forget();
        self.context.env.disk.forget();
        self.context.env.todos.lock_unpoisoned().clear();
        self.emit(EventKind::Cleared);
        self.emit(EventKind::Todos(vec![]));
        self.session_started("clear");
    }

    /// Reports that a message of the user waits; messages of the program are not reported. It does not wait for a plan:
    /// it is the answer to it (PM-80).
    pub(super) fn report_queued(&mut self, input: UserInput) {
        if !input.meta && !input.silent {
            self.answer_review_with_message(&input.text);
            self.user_continues();
        }
        if !input.meta {
            self.emit(EventKind::Queued { text: input.text });
        }
    }
}
