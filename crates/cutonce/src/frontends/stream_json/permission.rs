//! Permission requests to a host (`can_use_tool`) and the meaning of its answers (HO-1, HO-2). Only a clear
//! yes is a yes.

use super::approval;
use super::peer::RequestError;
use cutonce_core::mode::Mode;
use cutonce_core::permission::rules::RuleBehavior;
use cutonce_core::permission::{AskCause, RuleSuggestion};
use cutonce_core::protocol::event::{AskKind, AskView, Question};
use cutonce_core::protocol::host::{FolderChange, HostAnswer, RuleChange, RuleChangeKind};
use cutonce_core::protocol::submission::{AskAnswer, QuestionsAnswer, RuleDestination, Submission};
use serde_json::{Value, json};

/// Builds the control request for an ask. `lasting`: a rule in the local settings applies in the next
/// session.
pub fn build_request(ask: &AskView, lasting: bool) -> Value {
    let mut request = json!({
        "subtype": "can_use_tool", "tool_name": ask.tool, "display_name": ask.tool, "input": ask.input,
        "tool_use_id": ask.call_id,
    });
    if let Some(agent) = &ask.agent {
        request["agent_id"] = agent.id.clone().into();
    }
    if let Some(about) = call_subject(&ask.input) {
        request["description"] = about.into();
    }
    match &ask.kind {
        AskKind::Permission { by, why, suggestions, from, .. } => {
            if let Some(teammate) = from {
                request["teammate"] = teammate.clone().into();
            }
            request["decision_reason"] = why.reason.clone().into();
            request["decision_reason_type"] = reason_type(by).into();
            let edits = ["Write", "Edit", "NotebookEdit"].contains(&ask.tool.as_str());
            let by_mode = edits && *by == AskCause::Mode && from.is_none();
            request["permission_suggestions"] = suggestion_json(by_mode, suggestions, lasting);
        }
        _ => request["requires_user_interaction"] = true.into(),
    }
    request
}

/// Reason types under the names that hosts know.
fn reason_type(by: &AskCause) -> &'static str {
    match by {
        AskCause::Mode => "mode",
        AskCause::Rule => "rule",
        AskCause::Hook => "hook",
        AskCause::ProtectedPath | AskCause::SecretRead | AskCause::UnknownWrites | AskCause::OutOfScope => {
            "safetyCheck"
        }
        AskCause::Classifier(_) => "other",
    }
}

/// One line that describes the call.
fn call_subject(input: &Value) -> Option<String> {
    let named = ["file_path", "notebook_path", "path", "command", "url", "description"];
    let text = named.iter().find_map(|name| input[*name].as_str())?;
    let line = text.lines().next().unwrap_or_default();
    let line = line.rsplit_once('/').filter(|_| line.starts_with('/')).map_or(line, |(_, name)| name);
    Some(line.chars().take(200).collect())
}

/// Suggestions in the form of `updatedPermissions`. A host that always allows returns the whole list, so it
/// contains one choice, the narrowest. For an edit in the workspace that is acceptEdits mode.
fn suggestion_json(by_mode: bool, suggestions: &[RuleSuggestion], lasting: bool) -> Value {
    let Some(narrowest) = suggestions.first() else { return json!([]) };
    if by_mode && narrowest.rules.iter().all(|rule| rule.starts_with("Edit(./")) {
        return json!([{"type": "setMode", "mode": "acceptEdits", "destination": "session"}]);
    }
    let rules: Vec<Value> = narrowest.rules.iter().map(|rule| rule_json(rule)).collect();
    let destination = if lasting { "localSettings" } else { "session" };
    json!([{"type": "addRules", "rules": rules, "behavior": "allow", "destination": destination}])
}

fn rule_json(rule: &str) -> Value {
    match rule.split_once('(').and_then(|(tool, rest)| Some((tool, rest.strip_suffix(')')?))) {
        Some((tool, content)) => json!({"toolName": tool, "ruleContent": content}),
        None => json!({"toolName": rule}),
    }
}

/// Effects of an answer: submissions in this order, and notes for the readers of the frames.
#[derive(Debug, Default)]
pub struct AnswerEffects {
    pub submissions: Vec<Submission>,
    pub notes: Vec<String>,
    /// Set if the answer sets the mode: whether that is `dontAsk`.
    pub dont_ask: Option<bool>,
}

/// Interprets an answer; `result` is what the host sent, or why it could not answer.
pub fn interpret_answer(ask: &AskView, result: Result<Value, RequestError>) -> AnswerEffects {
    let said = match result {
        Ok(said) => said,
        Err(why) => return refuse_ask(ask, format!("The host could not answer: {why}"), false),
    };
    match said["behavior"].as_str() {
        Some("allow") => allow_ask(ask, &said),
        Some("deny") => {
            let message = said["message"].as_str().unwrap_or_default().to_string();
            deny_ask(ask, message, said["interrupt"] == true)
        }
        _ => refuse_ask(ask, format!("Invalid answer from the host: `behavior` is {}", said["behavior"]), false),
    }
}

/// The host is gone and can't answer (HO-3).
pub fn answer_for_gone_host(ask: &AskView) -> AnswerEffects {
    refuse_ask(ask, "Not run: the host disconnected before it answered.".into(), false)
}

/// The host would see only a part of the call but allow all of it.
pub fn request_too_large(ask: &AskView) -> AnswerEffects {
    refuse_ask(ask, "Not run: the call is too large to show to the host. Use smaller steps.".into(), false)
}

/// `dontAsk` is on.
pub fn asking_disabled(ask: &AskView) -> AnswerEffects {
    refuse_ask(
        ask,
        "Not run: it needs permission, and this session does not ask for any. Continue without it.".into(),
        false,
    )
}

pub(super) fn answer_submission(ask: &AskView, answer: AskAnswer) -> Submission {
    Submission::Answer { ask_id: ask.ask_id.clone(), answer }
}

/// No usable answer: the call does not run and a plan is not approved (PM-80).
fn refuse_ask(ask: &AskView, why: String, interrupt: bool) -> AnswerEffects {
    let no = match ask.exit_request() {
        Some(_) => AskAnswer::Unusable { why },
        None => AskAnswer::Host(HostAnswer::Deny { message: why, interrupt }),
    };
    AnswerEffects { submissions: vec![answer_submission(ask, no)], ..AnswerEffects::default() }
}

/// A clear no. For a plan it is a rejection with feedback: planning continues (HO-2).
fn deny_ask(ask: &AskView, message: String, interrupt: bool) -> AnswerEffects {
    if ask.exit_request().is_none() {
        return refuse_ask(ask, message, interrupt);
    }
    let mut submissions = vec![answer_submission(ask, approval::rejection(&ask.ask_id, message))];
    submissions.extend(interrupt.then_some(Submission::Interrupt));
    AnswerEffects { submissions, ..AnswerEffects::default() }
}

fn allow_ask(ask: &AskView, said: &Value) -> AnswerEffects {
    let mut updates = PermissionUpdates::parse(&said["updatedPermissions"]);
    // If we can't apply every restriction, the yes would allow more than the host meant.
    if let Some(why) = updates.unusable_restriction.take() {
        return refuse_ask(ask, format!("Could not apply the host's answer: {why}"), false);
    }
    let input = Some(said["updatedInput"].clone()).filter(|input| input.is_object());
    let mut submissions: Vec<Submission> = updates.rules.drain(..).map(Submission::ChangeRules).collect();
    let by_answer = |mode| Submission::SetModeByAnswer { mode };
    match (&ask.kind, ask.exit_request()) {
        (_, Some(request)) => submissions.extend(approval::approve(ask, request, input.as_ref(), updates.mode)),
        (AskKind::Questions(questions), None) => {
            submissions.extend(updates.mode.map(by_answer));
            let given = input.as_ref().and_then(|input| question_answers(questions, input));
            let given = given.map_or(AskAnswer::Host(HostAnswer::Allow { input: None }), |answers| {
                AskAnswer::Questions(QuestionsAnswer::Answered { answers })
            });
            submissions.push(answer_submission(ask, given));
        }
        (_, None) => {
            submissions.extend(updates.mode.map(by_answer));
            submissions.push(answer_submission(ask, AskAnswer::Host(HostAnswer::Allow { input })));
        }
    }
    // After the answer, because the call was decided for the workspace as it was. The next call sees the
    // change.
    submissions.extend(updates.folders.drain(..).map(Submission::ChangeFolders));
    AnswerEffects { submissions, notes: updates.notes, dont_ask: updates.mode.map(|_| updates.dont_ask) }
}

/// Answers in the order of the questions: labels or the user's own text, plus the user's notes. Returns
/// `None` if the host answered none of the questions.
fn question_answers(questions: &[Question], input: &Value) -> Option<Vec<Vec<String>>> {
    let (given, notes) = (&input["answers"], &input["annotations"]);
    let one = |question: &Question| -> Vec<String> {
        let mut answer = match given.get(&question.question) {
            Some(Value::String(text)) if question.multi_select => split_labels(question, text),
            Some(Value::String(text)) => vec![text.clone()],
            Some(Value::Array(list)) => list.iter().filter_map(|text| text.as_str().map(str::to_string)).collect(),
            _ => Vec::new(),
        };
        let note = notes.get(&question.question).and_then(|beside| beside["notes"].as_str());
        answer.extend(note.filter(|note| !note.trim().is_empty()).map(|note| format!("(the user adds: {note})")));
        answer
    };
    let answers: Vec<Vec<String>> = questions.iter().map(one).collect();
    answers.iter().any(|answer| !answer.is_empty()).then_some(answers)
}

/// Splits several labels in one comma separated text; a single label may contain a comma itself.
fn split_labels(question: &Question, text: &str) -> Vec<String> {
    let labels: Vec<&str> = question.options.iter().map(|option| option.label.as_str()).collect();
    if labels.contains(&text) {
        return vec![text.to_string()];
    }
    text.split(", ").map(|part| part.trim().to_string()).filter(|part| !part.is_empty()).collect()
}

/// True for updates that may restrict: a mode, or a rule that asks or denies.
fn may_restrict(update: &Value) -> bool {
    match update["type"].as_str() {
        Some("setMode" | "removeDirectories") => true,
        Some("addRules" | "replaceRules") => update["behavior"] != "allow",
        Some("removeRules") => update["behavior"] == "allow",
        _ => false,
    }
}

/// Why a permission update of the host is invalid.
#[derive(Debug, thiserror::Error)]
enum UpdateError {
    #[error("unknown update type {0}")]
    UnknownType(Value),
    #[error("unknown mode {0}")]
    UnknownMode(Value),
    #[error("`behavior` is {0}")]
    UnknownBehavior(Value),
    #[error("unknown destination {0}")]
    UnknownDestination(String),
    #[error("`{0}` is not a list")]
    NotAList(&'static str),
    #[error("`directories` contains something other than text")]
    NotText,
}

/// The supported parts of `updatedPermissions`.
#[derive(Debug, Default)]
struct PermissionUpdates {
    rules: Vec<RuleChange>,
    folders: Vec<FolderChange>,
    mode: Option<Mode>,
    /// The mode is `dontAsk`.
    dont_ask: bool,
    notes: Vec<String>,
    /// Why an update that restricts, or may restrict, is invalid.
    unusable_restriction: Option<String>,
}

impl PermissionUpdates {
    fn parse(given: &Value) -> PermissionUpdates {
        let mut updates = PermissionUpdates::default();
        for update in given.as_array().into_iter().flatten() {
            if let Err(why) = updates.add_update(update) {
                match may_restrict(update) {
                    true => updates.unusable_restriction = Some(why.to_string()),
                    false => updates.notes.push(format!("Ignored a permission update: {why}.")),
                }
            }
        }
        updates
    }

    fn add_update(&mut self, update: &Value) -> Result<(), UpdateError> {
        let how = match update["type"].as_str() {
            Some("setMode") => {
                self.dont_ask = update["mode"] == super::DONT_ASK;
                let mode = update["mode"].as_str().and_then(Mode::parse);
                let mode = if self.dont_ask { Some(Mode::Default) } else { mode };
                self.mode = Some(mode.ok_or_else(|| UpdateError::UnknownMode(update["mode"].clone()))?);
                return Ok(());
            }
            Some("addRules") => RuleChangeKind::Add,
            Some("replaceRules") => RuleChangeKind::Replace,
            Some("removeRules") => RuleChangeKind::Remove,
            Some(kind @ ("addDirectories" | "removeDirectories")) => {
                return self.add_folders(kind == "addDirectories", update);
            }
            _ => return Err(UpdateError::UnknownType(update["type"].clone())),
        };
        let behavior = match update["behavior"].as_str() {
            Some("allow") => RuleBehavior::Allow,
            Some("ask") => RuleBehavior::Ask,
            Some("deny") => RuleBehavior::Deny,
            _ => return Err(UpdateError::UnknownBehavior(update["behavior"].clone())),
        };
        let where_to = match update["destination"].as_str() {
            Some("userSettings") => RuleDestination::User,
            Some("projectSettings") => RuleDestination::Project,
            Some("localSettings") => RuleDestination::Local,
            Some("session" | "cliArg") | None => RuleDestination::Session,
            Some(other) => return Err(UpdateError::UnknownDestination(other.to_string())),
        };
        let rules: Option<Vec<String>> =
            update["rules"].as_array().map(|rules| rules.iter().filter_map(rule_text).collect());
        let rules = rules.ok_or(UpdateError::NotAList("rules"))?;
        self.rules.push(RuleChange { kind: how, behavior, rules, destination: where_to });
        Ok(())
    }
}

impl PermissionUpdates {
    fn add_folders(&mut self, add: bool, update: &Value) -> Result<(), UpdateError> {
        let given = update["directories"].as_array().ok_or(UpdateError::NotAList("directories"))?;
        let folders: Option<Vec<String>> = given.iter().map(|folder| folder.as_str().map(str::to_string)).collect();
        self.folders.push(FolderChange { add, folders: folders.ok_or(UpdateError::NotText)? });
        if !matches!(update["destination"].as_str(), Some("session" | "cliArg") | None) {
            self.notes.push("The folders apply to this session only.".into());
        }
        Ok(())
    }
}

/// Formats a rule. A rule without content covers the whole tool; some hosts send null for that.
fn rule_text(rule: &Value) -> Option<String> {
    let tool = rule["toolName"].as_str()?;
    Some(match rule["ruleContent"].as_str().filter(|content| !content.is_empty()) {
        Some(content) => format!("{tool}({content})"),
        None => tool.to_string(),
    })
}

#[cfg(test)]
#[path = "permission_tests.rs"]
mod tests;
