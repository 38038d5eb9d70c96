//! Asks as a host sees them (`can_use_tool`), and what its answers mean (HO-1, HO-2). Whatever is not clearly a yes is none.

use cutonce_core::approval::{self, ChoiceKey, Request};
use cutonce_core::event::{AskKind, AskView, Question};
use cutonce_core::host::{FolderChange, HostAnswer, RuleChange, RuleHow};
use cutonce_core::mode::Mode;
use cutonce_core::permission::{AskedBy, Suggestion};
use cutonce_core::rule::Behavior;
use cutonce_core::submission::{Answer, By, QuestionsAnswer, RememberIn, Submission};
use serde_json::{Value, json};

/// The control request that puts an ask before the host. `lasting`: a rule in the folder's own settings counts in the next session.
pub fn request(ask: &AskView, lasting: bool) -> Value {
    let mut request = json!({
        "subtype": "can_use_tool", "tool_name": ask.tool, "display_name": ask.tool, "input": ask.input,
        "tool_use_id": ask.call_id,
    });
    if let Some(agent) = &ask.agent {
        request["agent_id"] = agent.id.clone().into();
    }
    if let Some(about) = about(&ask.input) {
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
            let by_mode = edits && *by == AskedBy::Mode && from.is_none();
            request["permission_suggestions"] = suggested(by_mode, suggestions, lasting);
        }
        AskKind::Questions(_) | AskKind::EnterPlan | AskKind::Plan { .. } => {
            request["requires_user_interaction"] = true.into();
        }
    }
    request
}

/// The words that hosts know.
fn reason_type(by: &AskedBy) -> &'static str {
    match by {
        AskedBy::Mode => "mode",
        AskedBy::Rule => "rule",
        AskedBy::Hook => "hook",
        AskedBy::Protected | AskedBy::Secret | AskedBy::Unknown => "safetyCheck",
        AskedBy::Classifier(_) => "other",
    }
}

/// One line on what the call is about.
fn about(input: &Value) -> Option<String> {
    let named = ["file_path", "notebook_path", "path", "command", "url", "description"];
    let text = named.iter().find_map(|name| input[*name].as_str())?;
    let line = text.lines().next().unwrap_or_default();
    let line = line.rsplit_once('/').filter(|_| line.starts_with('/')).map_or(line, |(_, name)| name);
    Some(line.chars().take(200).collect())
}

/// What would make the question unnecessary, in the words that `updatedPermissions` takes. A host that always allows sends the whole list
/// back: it is one choice, the narrowest. For an edit in the working folder that is the mode for edits.
fn suggested(by_mode: bool, suggestions: &[Suggestion], lasting: bool) -> Value {
    let Some(narrowest) = suggestions.first() else { return json!([]) };
    if by_mode && narrowest.rules.iter().all(|rule| rule.starts_with("Edit(./")) {
        return json!([{"type": "setMode", "mode": "acceptEdits", "destination": "session"}]);
    }
    let rules: Vec<Value> = narrowest.rules.iter().map(|rule| split(rule)).collect();
    let destination = if lasting { "localSettings" } else { "session" };
    json!([{"type": "addRules", "rules": rules, "behavior": "allow", "destination": destination}])
}

fn split(rule: &str) -> Value {
    match rule.split_once('(').and_then(|(tool, rest)| Some((tool, rest.strip_suffix(')')?))) {
        Some((tool, content)) => json!({"toolName": tool, "ruleContent": content}),
        None => json!({"toolName": rule}),
    }
}

/// What follows from an answer: to be submitted in this order, and words for whoever reads the frames.
#[derive(Debug, Default)]
pub struct Meant {
    pub submissions: Vec<Submission>,
    pub notes: Vec<String>,
    /// The mode was set: to the one in which nobody is asked, or to another.
    pub dont_ask: Option<bool>,
}

/// `result`: what the host sent, or why it could not answer.
pub fn meaning(ask: &AskView, result: Result<Value, String>) -> Meant {
    let said = match result {
        Ok(said) => said,
        Err(why) => return refused(ask, format!("The host could not answer: {why}"), false),
    };
    match said["behavior"].as_str() {
        Some("allow") => allowed(ask, &said),
        Some("deny") => {
            let message = said["message"].as_str().unwrap_or_default().to_string();
            denied(ask, message, said["interrupt"] == true)
        }
        _ => refused(
            ask,
            format!("The host's answer could not be understood: `behavior` is {}", said["behavior"]),
            false,
        ),
    }
}

/// Nobody is left who could answer (HO-3).
pub fn host_gone(ask: &AskView) -> Meant {
    refused(ask, "Not run: the host was gone before it answered.".into(), false)
}

/// The host could decide only about a part of it, and would let the whole run.
pub fn too_large(ask: &AskView) -> Meant {
    refused(ask, "Not run: the call is too large to be shown to the host. Do it in smaller steps.".into(), false)
}

/// Nobody wants to be asked (`dontAsk`).
pub fn nobody_asked(ask: &AskView) -> Meant {
    refused(ask, "Not run: it needs a permission, and this session asks nobody for one. Work without it.".into(), false)
}

fn answer(ask: &AskView, answer: Answer) -> Submission {
    Submission::Answer { ask_id: ask.ask_id.clone(), answer }
}

/// No usable answer: nothing runs, and a plan is not approved (PM-80).
fn refused(ask: &AskView, why: String, interrupt: bool) -> Meant {
    let no = match &ask.kind {
        AskKind::Plan { .. } => Answer::Unusable { why },
        AskKind::Permission { .. } | AskKind::Questions(_) | AskKind::EnterPlan => {
            Answer::Host(HostAnswer::Deny { message: why, interrupt })
        }
    };
    Meant { submissions: vec![answer(ask, no)], ..Meant::default() }
}

/// A clear no. For a plan that is a rejection with feedback: planning goes on (HO-2).
fn denied(ask: &AskView, message: String, interrupt: bool) -> Meant {
    let AskKind::Plan { .. } = &ask.kind else { return refused(ask, message, interrupt) };
    let mut no = approval::Answer::new(&ask.ask_id, ChoiceKey::KeepPlanning);
    no.feedback = Some(message);
    let mut submissions = vec![answer(ask, Answer::Plan(no))];
    submissions.extend(interrupt.then_some(Submission::Interrupt));
    Meant { submissions, ..Meant::default() }
}

fn allowed(ask: &AskView, said: &Value) -> Meant {
    let mut updates = Updates::read(&said["updatedPermissions"]);
    // A yes that came with less than we can carry out would be a yes to more than was meant.
    if let Some(why) = updates.lost.take() {
        return refused(ask, format!("The host's answer could not be carried out: {why}"), false);
    }
    let input = Some(said["updatedInput"].clone()).filter(|input| input.is_object());
    let mut submissions: Vec<Submission> = updates.rules.drain(..).map(Submission::ChangeRules).collect();
    let by_host = |mode| Submission::SetMode { mode, by: By::Host };
    match &ask.kind {
        AskKind::Plan { request, .. } => {
            submissions.extend(plan_allowed(ask, request, input.as_ref(), updates.mode));
        }
        AskKind::Questions(questions) => {
            submissions.extend(updates.mode.map(by_host));
            let given = input.as_ref().and_then(|input| answers(questions, input));
            let given = given.map_or(Answer::Host(HostAnswer::Allow { input: None }), |answers| {
                Answer::Questions(QuestionsAnswer::Answered { answers })
            });
            submissions.push(answer(ask, given));
        }
        AskKind::Permission { .. } | AskKind::EnterPlan => {
            submissions.extend(updates.mode.map(by_host));
            submissions.push(answer(ask, Answer::Host(HostAnswer::Allow { input })));
        }
    }
    // After the answer: the call was judged, and allowed, in the workspace as it was. The next one finds it changed.
    submissions.extend(updates.folders.drain(..).map(Submission::ChangeFolders));
    Meant { submissions, notes: updates.notes, dont_ask: updates.mode.map(|_| updates.dont_ask) }
}

/// The answer may carry the edited plan and the next mode. A mode that the request does not offer is set right after the
/// approval, as set_permission_mode would: what is not available stays unavailable.
fn plan_allowed(ask: &AskView, request: &Request, input: Option<&Value>, mode: Option<Mode>) -> Vec<Submission> {
    if mode == Some(Mode::Plan) {
        let why = "it allows leaving plan mode and sets plan mode".to_string();
        return vec![answer(ask, Answer::Unusable { why })];
    }
    let unusable = |why: &str| vec![answer(ask, Answer::Unusable { why: why.into() })];
    let named = mode.and_then(|mode| request.approving(mode));
    let choice = match (mode, named) {
        (_, Some(named)) => Some(named),
        (None, None) => request.allowing().or_else(|| request.choice(ChoiceKey::Restore)),
        // A teammate's mode is not this session's to set (PM-134).
        (Some(_), None) if request.from.is_some() => {
            return unusable("it names a mode that the request does not offer");
        }
        // What follows in the batch gets no more than was named (PM-18): the named mode comes on top of the least.
        (Some(_), None) => request.choice(ChoiceKey::Default),
    };
    let Some(choice) = choice else { return unusable("no approval is offered") };
    let mut yes = approval::Answer::new(&ask.ask_id, choice.key);
    yes.plan = match input.map(|input| &input["plan"]) {
        None | Some(Value::Null) => None,
        // A program would send the same again: nobody looks at the plan twice.
        Some(Value::String(plan)) if plan.trim().is_empty() => return unusable("the edited plan is empty"),
        Some(Value::String(plan)) => Some(plan.clone()),
        Some(_) => return unusable("the edited plan is no text"),
    };
    // A teammate's plan says nothing about the mode of this session.
    let after = mode
        .filter(|_| named.is_none() && request.from.is_none())
        .map(|mode| Submission::SetMode { mode, by: By::Host });
    std::iter::once(answer(ask, Answer::Plan(yes))).chain(after).collect()
}

/// The answers in the order of the questions: labels or own words, and what the person noted beside them. None where the host gave
/// none that fits a question.
fn answers(questions: &[Question], input: &Value) -> Option<Vec<Vec<String>>> {
    let (given, notes) = (&input["answers"], &input["annotations"]);
    let one = |question: &Question| -> Vec<String> {
        let mut answer = match given.get(&question.question) {
            Some(Value::String(text)) if question.multi_select => chosen(question, text),
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

/// Several labels come as one text, with commas between; a label may hold a comma itself.
fn chosen(question: &Question, text: &str) -> Vec<String> {
    let labels: Vec<&str> = question.options.iter().map(|option| option.label.as_str()).collect();
    if labels.contains(&text) {
        return vec![text.to_string()];
    }
    text.split(", ").map(|part| part.trim().to_string()).filter(|part| !part.is_empty()).collect()
}

/// A mode, which may be a lesser one, or a rule that asks or denies.
fn takes_rights(update: &Value) -> bool {
    match update["type"].as_str() {
        Some("setMode" | "removeDirectories") => true,
        Some("addRules" | "replaceRules") => update["behavior"] != "allow",
        Some("removeRules") => update["behavior"] == "allow",
        _ => false,
    }
}

/// `updatedPermissions`, as far as it means something here.
#[derive(Debug, Default)]
struct Updates {
    rules: Vec<RuleChange>,
    folders: Vec<FolderChange>,
    mode: Option<Mode>,
    /// That mode is `dontAsk`.
    dont_ask: bool,
    notes: Vec<String>,
    /// Why something that takes rights away, or may, could not be read.
    lost: Option<String>,
}

impl Updates {
    fn read(given: &Value) -> Updates {
        let mut updates = Updates::default();
        for update in given.as_array().into_iter().flatten() {
            if let Err(why) = updates.add(update) {
                match takes_rights(update) {
                    true => updates.lost = Some(why),
                    false => updates.notes.push(format!("A permission update was left out: {why}.")),
                }
            }
        }
        updates
    }

    fn add(&mut self, update: &Value) -> Result<(), String> {
        let how = match update["type"].as_str() {
            Some("setMode") => {
                self.dont_ask = update["mode"] == super::DONT_ASK;
                let mode = update["mode"].as_str().and_then(Mode::parse);
                let mode = if self.dont_ask { Some(Mode::Default) } else { mode };
                self.mode = Some(mode.ok_or_else(|| format!("there is no mode {}", update["mode"]))?);
                return Ok(());
            }
            Some("addRules") => RuleHow::Add,
            Some("replaceRules") => RuleHow::Replace,
            Some("removeRules") => RuleHow::Remove,
            Some(kind @ ("addDirectories" | "removeDirectories")) => {
                return self.folders(kind == "addDirectories", update);
            }
            _ => return Err(format!("there is no update of type {}", update["type"])),
        };
        let behavior = match update["behavior"].as_str() {
            Some("allow") => Behavior::Allow,
            Some("ask") => Behavior::Ask,
            Some("deny") => Behavior::Deny,
            _ => return Err(format!("`behavior` is {}", update["behavior"])),
        };
        let where_to = match update["destination"].as_str() {
            Some("userSettings") => RememberIn::User,
            Some("projectSettings") => RememberIn::Project,
            Some("localSettings") => RememberIn::Local,
            Some("session" | "cliArg") | None => RememberIn::Session,
            Some(other) => return Err(format!("there is no destination {other}")),
        };
        let rules: Option<Vec<String>> =
            update["rules"].as_array().map(|rules| rules.iter().filter_map(rule).collect());
        let rules = rules.ok_or("`rules` is no list")?;
        self.rules.push(RuleChange { how, behavior, rules, where_to });
        Ok(())
    }
}

impl Updates {
    fn folders(&mut self, add: bool, update: &Value) -> Result<(), String> {
        let given = update["directories"].as_array().ok_or("`directories` is no list")?;
        let folders: Option<Vec<String>> = given.iter().map(|folder| folder.as_str().map(str::to_string)).collect();
        self.folders
            .push(FolderChange { add, folders: folders.ok_or("`directories` holds something that is no text")? });
        if !matches!(update["destination"].as_str(), Some("session" | "cliArg") | None) {
            self.notes.push("The folders are changed for this session only.".into());
        }
        Ok(())
    }
}

/// A rule without content is about the whole tool; some hosts write null for that.
fn rule(rule: &Value) -> Option<String> {
    let tool = rule["toolName"].as_str()?;
    Some(match rule["ruleContent"].as_str().filter(|content| !content.is_empty()) {
        Some(content) => format!("{tool}({content})"),
        None => tool.to_string(),
    })
}

#[cfg(test)]
#[path = "permission_tests.rs"]
mod tests;
