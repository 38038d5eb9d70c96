//! Questions of MCP servers to the user (DU-10): asked like the model's questions, in every mode, without any right.

use super::SessionState;
use super::asks::{OpenAsk, OpenSubject, waiting_notice};
use super::events::SessionEvent;
use super::parts::Approver;
use crate::mcp::elicitation::{ElicitationNews, ElicitationReply, ElicitationRequest};
use cutonce_core::elicitation::{FieldError, questions_input};
use cutonce_core::protocol::event::{AskKind, AskView, EventKind, NoticeLevel};
use cutonce_core::protocol::host::HostAnswer;
use cutonce_core::protocol::submission::{AskAnswer, QuestionsAnswer};
use cutonce_core::transcript::EntryBody;
use std::sync::Arc;

/// How often an answer that doesn't fit is asked for again.
const MAX_ROUNDS: u32 = 5;

/// A question of a server that is open.
pub(super) struct OpenElicitation {
    request: Box<ElicitationRequest>,
    /// The answers so far, and the field that is asked again.
    answers: Vec<Vec<String>>,
    again: Option<FieldError>,
    rounds: u32,
}

impl OpenElicitation {
    /// All answers, or the one to the field that was asked again.
    fn take_answers(&mut self, answers: Vec<Vec<String>>) {
        match self.again.take() {
            None => self.answers = answers,
            Some(FieldError { field, .. }) => {
                self.answers.resize(self.answers.len().max(field + 1), Vec::new());
                self.answers[field] = answers.into_iter().next().unwrap_or_default();
            }
        }
    }
}

impl SessionState {
    /// Lets servers ask. A subagent's servers ask through its parent.
    pub(super) fn connect_elicitations(&self) {
        let events = self.events.clone();
        self.tools.mcp.servers.elicitations().connect(move |news| {
            // Without a loop the request is dropped, which cancels it.
            let _ = events.send(SessionEvent::Elicitation(news));
        });
    }

    pub(super) fn elicitation_news(&mut self, news: ElicitationNews) {
        match news {
            ElicitationNews::Asked(request) => self.server_asks(request),
            ElicitationNews::Declined { server, why } => {
                self.notice(
                    NoticeLevel::Warning,
                    &format!("A question of the MCP server {server} was declined: {why}."),
                );
            }
            ElicitationNews::Withdrawn { id } => {
                let of_it =
                    |ask: &mut OpenAsk| matches!(&ask.subject, OpenSubject::Elicitation(open) if open.request.id == id);
                let gone: Vec<OpenAsk> = self.asks.0.extract_if(.., of_it).collect();
                gone.into_iter().for_each(|ask| self.close_ask(ask.id, None));
            }
        }
    }

    /// Without a user, the answer is no.
    fn server_asks(&mut self, request: Box<ElicitationRequest>) {
        if self.context.approver == Approver::Present && self.closing.inbox_open {
            let open = OpenElicitation { request, answers: Vec::new(), again: None, rounds: 0 };
            return self.open_elicitation(open);
        }
        let (server, message) = (&request.server, request.form.message());
        let told = format!("The MCP server {server} asks: {message} No user can answer here, so it was declined.");
        self.notice(NoticeLevel::Warning, &told);
        let _ = request.reply.send(ElicitationReply::Decline);
    }

    fn open_elicitation(&mut self, open: OpenElicitation) {
        let form = &open.request.form;
        let questions = open.again.as_ref().map_or_else(|| form.questions(), |wrong| form.question_again(wrong));
        let ask_id = crate::new_id();
        let subject = OpenSubject::Elicitation(open);
        self.append(EntryBody::Ask { ask_id: ask_id.clone(), kind: subject.kind().into(), answer: None });
        self.asks.push(OpenAsk { id: ask_id.clone(), n: None, subject });
        let view = AskView {
            agent: None,
            ask_id,
            call_id: String::new(),
            tool: "AskUserQuestion".into(),
            input: questions_input(&questions),
            kind: AskKind::Questions(questions),
        };
        let (kind, text) = waiting_notice(&view);
        self.emit(EventKind::Ask(Arc::new(view)));
        self.notify_waiting(kind, text);
    }

    /// Takes the answer to a server's question. A field whose answer doesn't fit is asked for again.
    pub(super) fn elicitation_answered(&mut self, mut open: OpenElicitation, answer: AskAnswer) {
        let reply = match answer {
            AskAnswer::Questions(QuestionsAnswer::Answered { answers }) => {
                open.take_answers(answers);
                match open.request.form.fill(&open.answers) {
                    Ok(Some(values)) => ElicitationReply::Accept(values),
                    Ok(None) => ElicitationReply::Decline,
                    Err(wrong) if open.rounds < MAX_ROUNDS => {
                        let again = Some(wrong);
                        return self.open_elicitation(OpenElicitation { rounds: open.rounds + 1, again, ..open });
                    }
                    Err(_) => ElicitationReply::Cancel,
                }
            }
            AskAnswer::Questions(QuestionsAnswer::Skipped) | AskAnswer::Host(HostAnswer::Deny { .. }) => {
                ElicitationReply::Decline
            }
            AskAnswer::Host(_) | AskAnswer::Permission(_) | AskAnswer::Plan(_) | AskAnswer::Unusable { .. } => {
                ElicitationReply::Cancel
            }
        };
        // The server may be gone meanwhile.
        let _ = open.request.reply.send(reply);
    }
}
