//! Turns asks into permission requests, and the responses into answers (HO-2, PM-74, PM-80). An option that
//! was not offered, a cancelled request and an error never mean yes.

use super::review_rehearsals::{ClientRehearsal, RehearsalReply};
use super::{calls, reviews};
use agent_client_protocol::v1::schema::{
    Meta, PermissionOption, PermissionOptionKind, RequestPermissionOutcome, RequestPermissionResponse, ToolCallContent,
    ToolCallUpdateFields,
};
use agent_client_protocol::{Error, is_connection_terminated, is_incoming_transport_closed};
use cutonce_core::permission::RuleSuggestion;
use cutonce_core::plan::approval::PlanExitRequest;
use cutonce_core::plan::rehearsal::RehearsalOrder;
use cutonce_core::protocol::event::{AskKind, AskView, Question};
use cutonce_core::protocol::submission::{
    AskAnswer, PermissionAnswer, QuestionsAnswer, RememberedRule, RuleDestination,
};
use serde_json::{Value, json};
use std::path::Path;

pub(super) const ALLOW: &str = "allow";
const ALLOW_ALWAYS: &str = "allow_always";
pub(super) const REJECT: &str = "reject";
const DONE: &str = "done";
const SKIP: &str = "skip";

/// Content and options of a permission request.
pub struct PermissionPrompt {
    pub fields: ToolCallUpdateFields,
    pub options: Vec<PermissionOption>,
}

/// The client's response.
pub enum ClientResponse {
    Chosen {
        option: String,
        extra: Value,
    },
    /// The answers to all questions, from a form.
    Answers(Vec<Vec<String>>),
    Cancelled,
    Failed(String),
    /// The client disconnected: no answer at all, and the session is about to end.
    Disconnected,
}

/// How to continue after a response.
pub enum AskStep {
    Answer(AskAnswer),
    /// Send the next question, or the same one for a further choice.
    Ask,
    /// Rehearse the plan; the request comes back with the result.
    Rehearse(RehearsalOrder),
}

/// An ask in progress; several questions are sent one after the other.
pub struct AskInProgress {
    view: std::sync::Arc<AskView>,
    answers: Vec<Vec<String>>,
    /// Options chosen so far, if several are allowed.
    chosen: Vec<String>,
    /// The rehearsal of a plan (RH-1).
    pub rehearsal: ClientRehearsal,
}

impl AskInProgress {
    pub fn new(view: std::sync::Arc<AskView>) -> Self {
        Self { view, answers: Vec::new(), chosen: Vec::new(), rehearsal: ClientRehearsal::default() }
    }

    /// The questions that a form can show.
    pub fn questions(&self) -> Option<&[Question]> {
        match &self.view.kind {
            AskKind::Questions(questions) => Some(questions),
            AskKind::Permission { .. } | AskKind::EnterPlan | AskKind::Plan { .. } => None,
        }
    }

    pub fn build_prompt(&self, cwd: &Path) -> PermissionPrompt {
        let view = &*self.view;
        let fields = ToolCallUpdateFields::new()
            .title(calls::call_title(&view.tool, &view.input))
            .kind(calls::tool_kind(&view.tool))
            .raw_input(calls::raw_input(&view.tool, &view.input));
        match &view.kind {
            AskKind::Permission { why, suggestions, preview, .. } => {
                let (content, locations) = permission_content(view, &why.reason, preview.as_deref(), cwd);
                let locations = Some(locations).filter(|locations| !locations.is_empty());
                let fields = fields.locations(locations).content(content);
                PermissionPrompt { fields, options: permission_options(suggestions) }
            }
            AskKind::EnterPlan => reviews::entry_prompt(fields),
            AskKind::Plan { request, previous, .. } => {
                reviews::build_prompt(fields, request, previous.as_deref(), &self.rehearsal)
            }
            AskKind::Questions(questions) => self.question_prompt(fields, questions),
        }
    }

    fn question_prompt(&self, fields: ToolCallUpdateFields, questions: &[Question]) -> PermissionPrompt {
        let Some(question) = questions.get(self.answers.len()) else {
            return PermissionPrompt {
                fields,
                options: vec![permission_option(SKIP, "Skip", PermissionOptionKind::RejectOnce)],
            };
        };
        let mut words = format!("**{}**\n", question.question);
        for choice in &question.options {
            words.push_str(&format!("- {}: {}\n", choice.label, choice.description));
        }
        if !self.chosen.is_empty() {
            words.push_str(&format!("\nChosen so far: {}\n", self.chosen.join(", ")));
        }
        let open = question.options.iter().enumerate().filter(|(_, choice)| !self.chosen.contains(&choice.label));
        let mut options: Vec<PermissionOption> = open
            .map(|(n, choice)| {
                permission_option(&format!("option-{n}"), &choice.label, PermissionOptionKind::AllowOnce)
            })
            .collect();
        if question.multi_select && !self.chosen.is_empty() {
            options.push(permission_option(DONE, "Done", PermissionOptionKind::AllowOnce));
        }
        options.push(permission_option(SKIP, "Skip the questions", PermissionOptionKind::RejectOnce));
        PermissionPrompt {
            fields: fields.title(calls::one_line(&question.question)).content(vec![calls::text_content(&words)]),
            options,
        }
    }

    /// What the program understood of the call, if it asks for an approval that has one (PC-38).
    pub fn meta(&self) -> Option<Meta> {
        self.view.input.get("contract").map(|contract| own_meta("contract", contract.clone()))
    }

    /// Returns `None` if the client is gone.
    pub fn handle_response(&mut self, came: ClientResponse) -> Option<AskStep> {
        if matches!(came, ClientResponse::Disconnected) {
            return None;
        }
        let view = self.view.clone();
        Some(self.step(&view, came))
    }

    fn step(&mut self, view: &AskView, came: ClientResponse) -> AskStep {
        match &view.kind {
            AskKind::Permission { suggestions, .. } => AskStep::Answer(permission_answer(came, suggestions)),
            AskKind::EnterPlan => AskStep::Answer(permission_answer(came, &[])),
            AskKind::Plan { request, .. } => match self.rehearsal_reply(&came, request) {
                Some(RehearsalReply::Order(order)) => AskStep::Rehearse(order),
                Some(RehearsalReply::Apply(answer)) => AskStep::Answer(AskAnswer::Plan(*answer)),
                Some(RehearsalReply::Refused(why)) => {
                    self.rehearsal.unreadable(&why);
                    AskStep::Ask
                }
                None => AskStep::Answer(reviews::parse_answer(came, request)),
            },
            AskKind::Questions(questions) => self.answer_question(came, questions),
        }
    }

    fn rehearsal_reply(&self, came: &ClientResponse, request: &PlanExitRequest) -> Option<RehearsalReply> {
        match came {
            ClientResponse::Chosen { option, extra } => self.rehearsal.reply(option, extra, request),
            ClientResponse::Cancelled
            | ClientResponse::Answers(_)
            | ClientResponse::Failed(_)
            | ClientResponse::Disconnected => None,
        }
    }

    fn answer_question(&mut self, came: ClientResponse, questions: &[Question]) -> AskStep {
        let skipped = AskStep::Answer(AskAnswer::Questions(QuestionsAnswer::Skipped));
        let (option, extra) = match came {
            ClientResponse::Chosen { option, extra } => (option, extra),
            ClientResponse::Answers(answers) => {
                return AskStep::Answer(AskAnswer::Questions(QuestionsAnswer::Answered { answers }));
            }
            ClientResponse::Cancelled | ClientResponse::Disconnected => return skipped,
            ClientResponse::Failed(why) => return AskStep::Answer(AskAnswer::Unusable { why }),
        };
        let Some(question) = questions.get(self.answers.len()).filter(|_| option != SKIP) else { return skipped };
        let own = extra.get("answer").and_then(Value::as_str).filter(|words| !words.trim().is_empty());
        let label = option.strip_prefix("option-").and_then(|n| question.options.get(n.parse::<usize>().ok()?));
        match (own, label) {
            (Some(words), _) => self.chosen.push(words.to_string()),
            (None, Some(choice)) => {
                self.chosen.push(choice.label.clone());
                if question.multi_select && self.chosen.len() < question.options.len() {
                    return AskStep::Ask;
                }
            }
            (None, None) if option == DONE && !self.chosen.is_empty() => {}
            (None, None) => return AskStep::Answer(not_offered(&option)),
        }
        self.answers.push(std::mem::take(&mut self.chosen));
        if self.answers.len() < questions.len() {
            return AskStep::Ask;
        }
        let answers = std::mem::take(&mut self.answers);
        AskStep::Answer(AskAnswer::Questions(QuestionsAnswer::Answered { answers }))
    }
}

pub fn client_response(result: Result<RequestPermissionResponse, Error>) -> ClientResponse {
    match result {
        Err(error) if is_connection_terminated(&error) || is_incoming_transport_closed(&error) => {
            ClientResponse::Disconnected
        }
        Err(error) => ClientResponse::Failed(format!("the client answered with an error: {}", error.message)),
        Ok(RequestPermissionResponse { outcome: RequestPermissionOutcome::Selected(selected), meta, .. }) => {
            let extra = meta_extra(selected.meta.as_ref()).or_else(|| meta_extra(meta.as_ref()));
            ClientResponse::Chosen { option: selected.option_id.to_string(), extra: extra.unwrap_or_default() }
        }
        Ok(_) => ClientResponse::Cancelled,
    }
}

/// Extra data for a client that knows us: `_meta.cutonce`.
pub fn own_meta(name: &str, value: Value) -> Meta {
    Meta::from_iter([("cutonce".to_string(), json!({ name: value }))])
}

/// Extra fields from a client that knows us: `_meta.cutonce`.
fn meta_extra(meta: Option<&Meta>) -> Option<Value> {
    meta?.get("cutonce").filter(|extra| !extra.is_null()).cloned()
}

pub(super) fn permission_option(id: &str, name: &str, kind: PermissionOptionKind) -> PermissionOption {
    PermissionOption::new(id.to_string(), calls::one_line(name), kind)
}

pub(super) fn not_offered(option: &str) -> AskAnswer {
    AskAnswer::Unusable { why: format!("`{}` was not one of the options", calls::one_line(option)) }
}

fn permission_content(
    view: &AskView,
    why: &str,
    preview: Option<&str>,
    cwd: &Path,
) -> (Vec<ToolCallContent>, Vec<agent_client_protocol::v1::schema::ToolCallLocation>) {
    let path = calls::input_path(&view.input, cwd);
    let (mut content, mut locations) = match (&path, preview) {
        (Some(path), Some(preview)) if preview.starts_with("--- ") => calls::diff_content(path, preview),
        (_, Some(preview)) => (vec![calls::fenced_content(&calls::escape_controls(preview), "")], Vec::new()),
        (_, None) => (Vec::new(), Vec::new()),
    };
    if let Some(command) = view.input.get("command").and_then(Value::as_str) {
        content = vec![calls::fenced_content(&calls::escape_controls(command), "sh")];
    }
    if locations.is_empty() {
        locations = calls::call_locations(&view.input, cwd);
    }
    content.push(calls::text_content(why));
    if let (AskKind::Permission { from: Some(_), .. }, Some(who)) = (&view.kind, view.describe_asker()) {
        content.push(calls::text_content(&format!("Requested by {who}.")));
    }
    (content, locations)
}

fn permission_options(suggestions: &[RuleSuggestion]) -> Vec<PermissionOption> {
    let mut options = vec![permission_option(ALLOW, "Allow", PermissionOptionKind::AllowOnce)];
    if let Some(narrowest) = suggestions.first() {
        let always = || format!("Always allow {}", narrowest.rules.join(", "));
        let name = cutonce_core::permission::addition_label(&narrowest.rules).unwrap_or_else(always);
        options.push(permission_option(ALLOW_ALWAYS, &name, PermissionOptionKind::AllowAlways));
    }
    options.push(permission_option(REJECT, "Reject", PermissionOptionKind::RejectOnce));
    options
}

fn permission_answer(came: ClientResponse, suggestions: &[RuleSuggestion]) -> AskAnswer {
    let (option, extra) = match came {
        ClientResponse::Chosen { option, extra } => (option, extra),
        ClientResponse::Answers(_) | ClientResponse::Cancelled | ClientResponse::Disconnected => {
            return AskAnswer::Permission(PermissionAnswer::Deny { message: String::new(), interrupt: true });
        }
        ClientResponse::Failed(why) => return AskAnswer::Unusable { why },
    };
    let rules = suggestions.first().map(|narrowest| narrowest.rules.clone()).unwrap_or_default();
    let keep = |rule: String| RememberedRule { rule, where_to: RuleDestination::Local };
    AskAnswer::Permission(match option.as_str() {
        ALLOW => PermissionAnswer::Allow { remember: Vec::new() },
        ALLOW_ALWAYS if !rules.is_empty() => {
            PermissionAnswer::Allow { remember: rules.into_iter().map(keep).collect() }
        }
        REJECT => {
            let message = extra.get("feedback").and_then(Value::as_str).unwrap_or_default().to_string();
            PermissionAnswer::Deny { message, interrupt: false }
        }
        other => return not_offered(other),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn chosen(option: &str) -> ClientResponse {
        ClientResponse::Chosen { option: option.into(), extra: Value::Null }
    }

    #[test]
    fn pm_80_only_offered_options_approve() {
        let rules = [RuleSuggestion {
            rules: vec!["Edit(./a)".into()],
            behavior: cutonce_core::permission::rules::RuleBehavior::Allow,
        }];
        let allows = |came, rules: &[RuleSuggestion]| {
            matches!(permission_answer(came, rules), AskAnswer::Permission(PermissionAnswer::Allow { .. }))
        };
        assert!(allows(chosen(ALLOW), &rules) && allows(chosen(ALLOW_ALWAYS), &rules));
        for came in [chosen("yes"), chosen(""), chosen("ALLOW"), chosen(REJECT), ClientResponse::Cancelled] {
            assert!(!allows(came, &rules));
        }
        assert!(!allows(ClientResponse::Failed("x".into()), &rules) && !allows(ClientResponse::Disconnected, &rules));
        // Nothing can be remembered where nothing was suggested.
        assert!(!allows(chosen(ALLOW_ALWAYS), &[]));
    }

    #[test]
    fn ho_5_questions_are_asked_one_by_one() {
        let option = |label: &str| json!({"label": label, "description": "d"});
        let questions: Vec<Question> = serde_json::from_value(json!([
            {"question": "Which?", "header": "h", "options": [option("a"), option("b"), option("c")], "multiSelect": true},
            {"question": "How?", "header": "h", "options": [option("x"), option("y")], "multiSelect": false},
        ]))
        .unwrap();
        let view = AskView {
            agent: None,
            ask_id: "1".into(),
            call_id: "c".into(),
            tool: "AskUserQuestion".into(),
            input: json!({}),
            kind: AskKind::Questions(questions),
        };
        let view = std::sync::Arc::new(view);
        let mut asking = AskInProgress::new(view.clone());
        for option in ["option-1", "option-0"] {
            assert!(matches!(asking.handle_response(chosen(option)), Some(AskStep::Ask)));
        }
        assert_eq!(asking.build_prompt(Path::new("/")).options.len(), 3, "c, done, skip");
        assert!(matches!(asking.handle_response(chosen(DONE)), Some(AskStep::Ask)));
        let expected = QuestionsAnswer::Answered { answers: vec![vec!["b".into(), "a".into()], vec!["y".into()]] };
        assert!(
            matches!(asking.handle_response(chosen("option-1")), Some(AskStep::Answer(AskAnswer::Questions(answer))) if answer == expected)
        );
        let mut asking = AskInProgress::new(view);
        assert!(matches!(
            asking.handle_response(ClientResponse::Cancelled),
            Some(AskStep::Answer(AskAnswer::Questions(QuestionsAnswer::Skipped)))
        ));
        assert!(matches!(
            asking.handle_response(chosen("option-9")),
            Some(AskStep::Answer(AskAnswer::Unusable { .. }))
        ));
    }
}
