//! Asks as permission requests, and what comes back as answers (HO-2, PM-74, PM-80). An option that was not offered, a
//! cancelled request and an error never count as a yes.

use super::calls;
use agent_client_protocol::v1::schema::{
    Meta, PermissionOption, PermissionOptionKind, RequestPermissionOutcome, RequestPermissionResponse, ToolCallContent,
    ToolCallUpdateFields,
};
use agent_client_protocol::{Error, is_connection_terminated, is_incoming_transport_closed};
use cutonce_core::approval::{self, ChoiceKey, QUESTION};
use cutonce_core::event::{AskKind, AskView, Question};
use cutonce_core::permission::Suggestion;
use cutonce_core::submission::{Answer, PermissionAnswer, QuestionsAnswer, Remember, RememberIn};
use serde_json::{Value, json};
use std::path::Path;

const ALLOW: &str = "allow";
const ALWAYS: &str = "allow_always";
const REJECT: &str = "reject";
const DONE: &str = "done";
const SKIP: &str = "skip";

/// What the client is shown, and may choose.
pub struct Shown {
    pub fields: ToolCallUpdateFields,
    pub options: Vec<PermissionOption>,
}

/// What came back.
pub enum Came {
    Chosen {
        option: String,
        extra: Value,
    },
    Cancelled,
    Broken(String),
    /// The client went away: no answer at all, and the session is about to end.
    Gone,
}

/// What to do with it.
pub enum Next {
    Answer(Answer),
    /// The next question, or the same one for a further choice.
    Ask,
}

/// An ask on its way through the client: several questions are asked one after the other.
pub struct Asking {
    view: std::sync::Arc<AskView>,
    answers: Vec<Vec<String>>,
    /// Chosen so far, where several may be.
    chosen: Vec<String>,
}

impl Asking {
    pub fn new(view: std::sync::Arc<AskView>) -> Self {
        Self { view, answers: Vec::new(), chosen: Vec::new() }
    }

    pub fn show(&self, cwd: &Path) -> Shown {
        let view = &*self.view;
        let fields = ToolCallUpdateFields::new()
            .title(calls::title(&view.tool, &view.input))
            .kind(calls::kind(&view.tool))
            .raw_input(calls::raw_input(&view.tool, &view.input));
        match &view.kind {
            AskKind::Permission { why, suggestions, preview, .. } => {
                let (content, locations) = permission(view, &why.reason, preview.as_deref(), cwd);
                let locations = Some(locations).filter(|locations| !locations.is_empty());
                let fields = fields.locations(locations).content(content);
                Shown { fields, options: permission_options(suggestions) }
            }
            AskKind::EnterPlan => Shown {
                fields: fields.content(vec![calls::text("The model wants to plan before it changes anything.")]),
                options: vec![
                    option(ALLOW, "Enter plan mode → plan", PermissionOptionKind::AllowOnce),
                    option(REJECT, "Go on without planning", PermissionOptionKind::RejectOnce),
                ],
            },
            AskKind::Plan { request, previous, .. } => {
                let fields = fields.title(QUESTION.to_string()).content(plan(request, previous.as_deref()));
                Shown { fields, options: request.choices.iter().map(choice).collect() }
            }
            AskKind::Questions(questions) => self.question(fields, questions),
        }
    }

    fn question(&self, fields: ToolCallUpdateFields, questions: &[Question]) -> Shown {
        let Some(question) = questions.get(self.answers.len()) else {
            return Shown { fields, options: vec![option(SKIP, "Skip", PermissionOptionKind::RejectOnce)] };
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
            .map(|(n, choice)| option(&format!("option-{n}"), &choice.label, PermissionOptionKind::AllowOnce))
            .collect();
        if question.multi_select && !self.chosen.is_empty() {
            options.push(option(DONE, "Done", PermissionOptionKind::AllowOnce));
        }
        options.push(option(SKIP, "Skip the questions", PermissionOptionKind::RejectOnce));
        Shown { fields: fields.title(calls::one_line(&question.question)).content(vec![calls::text(&words)]), options }
    }

    /// None: nothing is to be done, as there is nobody left.
    pub fn next(&mut self, came: Came) -> Option<Next> {
        if matches!(came, Came::Gone) {
            return None;
        }
        let view = self.view.clone();
        Some(self.step(&view, came))
    }

    fn step(&mut self, view: &AskView, came: Came) -> Next {
        match &view.kind {
            AskKind::Permission { suggestions, .. } => Next::Answer(permission_answer(came, suggestions)),
            AskKind::EnterPlan => Next::Answer(permission_answer(came, &[])),
            AskKind::Plan { request, .. } => Next::Answer(plan_answer(came, request)),
            AskKind::Questions(questions) => self.answered(came, questions),
        }
    }

    fn answered(&mut self, came: Came, questions: &[Question]) -> Next {
        let skipped = Next::Answer(Answer::Questions(QuestionsAnswer::Skipped));
        let (option, extra) = match came {
            Came::Chosen { option, extra } => (option, extra),
            Came::Cancelled | Came::Gone => return skipped,
            Came::Broken(why) => return Next::Answer(Answer::Unusable { why }),
        };
        let Some(question) = questions.get(self.answers.len()).filter(|_| option != SKIP) else { return skipped };
        let own = extra.get("answer").and_then(Value::as_str).filter(|words| !words.trim().is_empty());
        let label = option.strip_prefix("option-").and_then(|n| question.options.get(n.parse::<usize>().ok()?));
        match (own, label) {
            (Some(words), _) => self.chosen.push(words.to_string()),
            (None, Some(choice)) => {
                self.chosen.push(choice.label.clone());
                if question.multi_select && self.chosen.len() < question.options.len() {
                    return Next::Ask;
                }
            }
            (None, None) if option == DONE && !self.chosen.is_empty() => {}
            (None, None) => return Next::Answer(not_offered(&option)),
        }
        self.answers.push(std::mem::take(&mut self.chosen));
        if self.answers.len() < questions.len() {
            return Next::Ask;
        }
        let answers = std::mem::take(&mut self.answers);
        Next::Answer(Answer::Questions(QuestionsAnswer::Answered { answers }))
    }
}

pub fn came(result: Result<RequestPermissionResponse, Error>) -> Came {
    match result {
        Err(error) if is_connection_terminated(&error) || is_incoming_transport_closed(&error) => Came::Gone,
        Err(error) => Came::Broken(format!("the client answered with an error: {}", error.message)),
        Ok(RequestPermissionResponse { outcome: RequestPermissionOutcome::Selected(selected), meta, .. }) => {
            let extra = extra(selected.meta.as_ref()).or_else(|| extra(meta.as_ref()));
            Came::Chosen { option: selected.option_id.to_string(), extra: extra.unwrap_or_default() }
        }
        Ok(_) => Came::Cancelled,
    }
}

/// What a client that knows us may say beside its choice: `_meta.cutonce`.
fn extra(meta: Option<&Meta>) -> Option<Value> {
    meta?.get("cutonce").filter(|extra| extra.is_object()).cloned()
}

fn option(id: &str, name: &str, kind: PermissionOptionKind) -> PermissionOption {
    PermissionOption::new(id.to_string(), calls::one_line(name), kind)
}

fn not_offered(option: &str) -> Answer {
    Answer::Unusable { why: format!("`{}` was not among the options", calls::one_line(option)) }
}

fn permission(
    view: &AskView,
    why: &str,
    preview: Option<&str>,
    cwd: &Path,
) -> (Vec<ToolCallContent>, Vec<agent_client_protocol::v1::schema::ToolCallLocation>) {
    let path = calls::path(&view.input, cwd);
    let (mut content, mut locations) = match (&path, preview) {
        (Some(path), Some(preview)) if preview.starts_with("--- ") => calls::diffs(path, preview),
        (_, Some(preview)) => (vec![calls::fenced(&calls::judged(preview), "")], Vec::new()),
        (_, None) => (Vec::new(), Vec::new()),
    };
    if let Some(command) = view.input.get("command").and_then(Value::as_str) {
        content = vec![calls::fenced(&calls::judged(command), "sh")];
    }
    if locations.is_empty() {
        locations = calls::locations(&view.input, cwd);
    }
    content.push(calls::text(why));
    if let (AskKind::Permission { from: Some(_), .. }, Some(who)) = (&view.kind, view.asker()) {
        content.push(calls::text(&format!("It is a call of {who}.")));
    }
    (content, locations)
}

fn permission_options(suggestions: &[Suggestion]) -> Vec<PermissionOption> {
    let mut options = vec![option(ALLOW, "Allow", PermissionOptionKind::AllowOnce)];
    if let Some(narrowest) = suggestions.first() {
        let name = format!("Always allow {}", narrowest.rules.join(", "));
        options.push(option(ALWAYS, &name, PermissionOptionKind::AllowAlways));
    }
    options.push(option(REJECT, "Reject", PermissionOptionKind::RejectOnce));
    options
}

fn permission_answer(came: Came, suggestions: &[Suggestion]) -> Answer {
    let (option, extra) = match came {
        Came::Chosen { option, extra } => (option, extra),
        Came::Cancelled | Came::Gone => {
            return Answer::Permission(PermissionAnswer::Deny { message: String::new(), interrupt: true });
        }
        Came::Broken(why) => return Answer::Unusable { why },
    };
    let rules = suggestions.first().map(|narrowest| narrowest.rules.clone()).unwrap_or_default();
    let keep = |rule: String| Remember { rule, where_to: RememberIn::Local };
    Answer::Permission(match option.as_str() {
        ALLOW => PermissionAnswer::Allow { remember: Vec::new() },
        ALWAYS if !rules.is_empty() => PermissionAnswer::Allow { remember: rules.into_iter().map(keep).collect() },
        REJECT => {
            let message = extra.get("feedback").and_then(Value::as_str).unwrap_or_default().to_string();
            PermissionAnswer::Deny { message, interrupt: false }
        }
        other => return not_offered(other),
    })
}

/// The plan, the diff to the last submission, and what held while it was made (PM-74, PM-87).
fn plan(request: &approval::Request, previous: Option<&str>) -> Vec<ToolCallContent> {
    let mut state = format!("- {}\n", request.layer.describe());
    state.push_str(&match request.changed_files.as_slice() {
        [] => "- 0 files changed since plan mode was entered\n".to_string(),
        files => format!("- changed since plan mode was entered: {}\n", files.join(", ")),
    });
    state.extend(request.shells.iter().map(|shell| format!("- still running: {shell}\n")));
    state.extend(request.notice.iter().map(|notice| format!("- {notice}\n")));
    let Some(plan) = &request.plan else {
        return vec![calls::text(&format!("There is no plan in {}.", request.plan_file_path)), calls::text(&state)];
    };
    let mut content = vec![calls::text(&calls::plan(plan, &request.plan_file_path))];
    if let Some(previous) = previous.filter(|previous| *previous != plan) {
        content.push(calls::text(&format!("Changed since revision {}:", request.revision.saturating_sub(1))));
        content.push(calls::fenced(&calls::cut(&calls::judged(&crate::plain_plan::diff(previous, plan))), "diff"));
    }
    content.push(calls::text(&format!("{} (revision {})\n{state}", request.plan_file_path, request.revision)));
    content
}

/// The six choices under their names of PM-143; the labels name the mode that follows. Clients that answer for
/// themselves go by kind: the first of a kind is what it says, and leaving is no approval.
fn choice(choice: &approval::Choice) -> PermissionOption {
    let kind = match choice.key {
        ChoiceKey::AcceptEdits => PermissionOptionKind::AllowAlways,
        ChoiceKey::Default | ChoiceKey::Restore | ChoiceKey::Clear => PermissionOptionKind::AllowOnce,
        ChoiceKey::KeepPlanning | ChoiceKey::Leave => PermissionOptionKind::RejectOnce,
    };
    option(&key_name(choice.key), &choice.label, kind)
}

fn key_name(key: ChoiceKey) -> String {
    serde_json::to_value(key).ok().and_then(|name| name.as_str().map(str::to_string)).unwrap_or_default()
}

fn plan_answer(came: Came, request: &approval::Request) -> Answer {
    let (option, extra) = match came {
        Came::Chosen { option, extra } => (option, extra),
        Came::Cancelled | Came::Gone => return Answer::Unusable { why: "the request was cancelled".into() },
        Came::Broken(why) => return Answer::Unusable { why },
    };
    if !request.choices.iter().any(|choice| key_name(choice.key) == option) {
        return not_offered(&option);
    }
    let mut answer = json!({"askId": request.ask_id, "choice": option});
    for name in ["mode", "plan", "feedback", "comments", "notes"] {
        if let Some(value) = extra.get(name) {
            answer[name] = value.clone();
        }
    }
    match approval::Answer::read(&answer) {
        Ok(answer) => Answer::Plan(answer),
        Err(approval::NoAnswer::Unreadable(why) | approval::NoAnswer::Failed(why)) => Answer::Unusable { why },
        Err(approval::NoAnswer::Escape | approval::NoAnswer::Interrupted) => {
            Answer::Unusable { why: "the question was closed".into() }
        }
        Err(approval::NoAnswer::HostGone | approval::NoAnswer::TimedOut) => {
            Answer::Unusable { why: "nobody answered".into() }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(option: &str) -> Came {
        Came::Chosen { option: option.into(), extra: Value::Null }
    }

    #[test]
    fn pm_80_only_an_offered_option_is_a_yes() {
        let rules = [Suggestion { rules: vec!["Edit(./a)".into()], behavior: cutonce_core::rule::Behavior::Allow }];
        let allows = |came, rules: &[Suggestion]| {
            matches!(permission_answer(came, rules), Answer::Permission(PermissionAnswer::Allow { .. }))
        };
        assert!(allows(chosen(ALLOW), &rules) && allows(chosen(ALWAYS), &rules));
        for came in [chosen("yes"), chosen(""), chosen("ALLOW"), chosen(REJECT), Came::Cancelled] {
            assert!(!allows(came, &rules));
        }
        assert!(!allows(Came::Broken("x".into()), &rules) && !allows(Came::Gone, &rules));
        // Nothing can be remembered where nothing was suggested.
        assert!(!allows(chosen(ALWAYS), &[]));
    }

    #[test]
    fn ho_5_several_questions_and_several_choices_are_asked_one_after_the_other() {
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
        let mut asking = Asking::new(view.clone());
        for option in ["option-1", "option-0"] {
            assert!(matches!(asking.next(chosen(option)), Some(Next::Ask)));
        }
        assert_eq!(asking.show(Path::new("/")).options.len(), 3, "c, done, skip");
        assert!(matches!(asking.next(chosen(DONE)), Some(Next::Ask)));
        let expected = QuestionsAnswer::Answered { answers: vec![vec!["b".into(), "a".into()], vec!["y".into()]] };
        assert!(
            matches!(asking.next(chosen("option-1")), Some(Next::Answer(Answer::Questions(answer))) if answer == expected)
        );
        let mut asking = Asking::new(view);
        assert!(matches!(
            asking.next(Came::Cancelled),
            Some(Next::Answer(Answer::Questions(QuestionsAnswer::Skipped)))
        ));
        assert!(matches!(asking.next(chosen("option-9")), Some(Next::Answer(Answer::Unusable { .. }))));
    }
}
