//! What a hook answered, and what that means. The answer comes from outside: it is bounded, made harmless, and whatever
//! can't be understood never gives a right.

use super::HookEvent;
use crate::harmless::{for_model, harmless};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Most characters of one hook's words for the model, of a reason, and of a message to the person.
const LONGEST_CONTEXT: usize = 10_000;
const LONGEST_REASON: usize = 2_000;
const LONGEST_TOLD: usize = 500;
/// Most characters of what a hook puts in the place of a tool's output.
const LONGEST_OUTPUT: usize = 100_000;

/// What a PreToolUse or PermissionRequest hook wants; of several, the strictest counts: the order of this enum is that order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Permission {
    /// Answers an ask of the mode. It lifts no denial and no rule, nothing in plan mode, and approves no plan.
    Allow,
    /// A person is asked, even where the mode would let it run.
    Ask,
    Deny,
}

/// What it means that a hook could not do its work.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum OnFailure {
    /// You are told, and the work goes on; a tool call that a hook was to look at asks you first.
    #[default]
    Report,
    /// As if the hook had blocked.
    Block,
}

/// The answer of one hook, or of several together.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reply {
    pub permission: Option<Permission>,
    /// Why, for the model and the record.
    pub reason: String,
    /// PreToolUse, and PermissionRequest with its yes: the call is made with this instead; it is parsed and decided anew.
    pub updated_input: Option<Value>,
    /// PostToolUse: the model reads this in place of what the tool gave. Whether the call failed it does not change.
    pub updated_output: Option<String>,
    /// It must not go on as it was about to: the message is not sent, the turn does not end, the plan is not shown.
    pub block: Option<String>,
    /// The whole turn ends here.
    pub stop: Option<String>,
    /// Words for the model, as data.
    pub context: Vec<String>,
    /// Words for the person.
    pub told: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Answer {
    r#continue: Option<bool>,
    stop_reason: Option<String>,
    system_message: Option<String>,
    decision: Option<String>,
    reason: Option<String>,
    additional_context: Option<String>,
    hook_specific_output: Option<Specific>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Specific {
    hook_event_name: Option<String>,
    permission_decision: Option<String>,
    permission_decision_reason: Option<String>,
    updated_input: Option<Value>,
    updated_tool_output: Option<Value>,
    additional_context: Option<String>,
    /// PermissionRequest.
    decision: Option<Verdict>,
}

/// What a PermissionRequest hook says of the call.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Verdict {
    behavior: String,
    message: Option<String>,
    updated_input: Option<Value>,
    interrupt: bool,
}

impl Reply {
    /// A host's answer, or what a command printed.
    pub fn from_json(event: HookEvent, answer: &Value) -> Result<Reply, String> {
        if !answer.is_object() {
            return Err("the answer is no JSON object".into());
        }
        let answer: Answer =
            serde_path_to_error::deserialize(answer).map_err(|error| format!("the answer can't be used: {error}"))?;
        let mut specific = answer.hook_specific_output.unwrap_or_default();
        if specific.hook_event_name.as_deref().is_some_and(|name| name != event.name()) {
            return Err(format!("the answer is for another event than {}", event.name()));
        }
        let verdict = specific.decision.take().filter(|_| event == HookEvent::PermissionRequest);
        let mut stop = None;
        if let Some(verdict) = verdict {
            let message = said(verdict.message.as_deref());
            stop = (verdict.interrupt && verdict.behavior == "deny").then(|| message.clone());
            specific.permission_decision_reason = verdict.message.map(|_| message);
            specific.permission_decision = Some(verdict.behavior);
            specific.updated_input = verdict.updated_input;
        }
        let mut reply = Reply { updated_input: specific.updated_input, stop, ..Reply::default() };
        reply.updated_output =
            specific.updated_tool_output.filter(|_| event == HookEvent::PostToolUse).map(|output| shown(&output));
        if reply.updated_input.as_ref().is_some_and(|input| !input.is_object()) {
            return Err("`updatedInput` is no object".into());
        }
        let contexts = [answer.additional_context, specific.additional_context];
        reply.context = contexts.into_iter().flatten().filter_map(|text| context(&text)).collect();
        reply.told = answer.system_message.iter().filter_map(|text| told(text)).collect();
        let reason = specific.permission_decision_reason.or_else(|| answer.reason.clone()).unwrap_or_default();
        reply.reason = cut(&for_model(reason.trim()), LONGEST_REASON);
        let wanted = permission(specific.permission_decision.as_deref())?;
        match (answer.decision.as_deref(), event) {
            (None | Some(""), _) => reply.permission = wanted,
            (Some("block" | "deny"), HookEvent::PreToolUse | HookEvent::PermissionRequest) => {
                reply.permission = Some(Permission::Deny);
            }
            (Some("approve" | "allow"), HookEvent::PreToolUse | HookEvent::PermissionRequest) => {
                reply.permission = wanted.or(Some(Permission::Allow));
            }
            (Some("block" | "deny"), _) => reply.block = Some(said(answer.reason.as_deref())),
            // Nothing but a call can be approved, least of all a plan.
            (Some("approve" | "allow"), _) => {}
            (Some(other), _) => return Err(format!("`decision`: expected \"block\", got {:?}", cut(other, 40))),
        }
        if !is_of_calls(event) {
            (reply.permission, reply.updated_input) = (None, None);
        }
        if answer.r#continue == Some(false) {
            reply.stop = Some(said(answer.stop_reason.as_deref().or(answer.reason.as_deref())));
        }
        Ok(reply)
    }

    /// What a command printed, and how it ended: 0 is an answer, 2 blocks with its words on standard error, any other code is a failure
    /// that only the person hears of.
    pub fn from_exit(event: HookEvent, code: i32, stdout: &str, stderr: &str, on_failure: OnFailure) -> Reply {
        match code {
            0 => Reply::from_output(event, stdout, on_failure),
            2 => Reply::blocked(event, said(Some(stderr))),
            code => {
                let why = format!("exit code {code}: {}", first_line(stderr));
                match on_failure {
                    OnFailure::Report => Reply { told: vec![failed(event, &why)], ..Reply::default() },
                    OnFailure::Block => Reply::failed(event, &why, on_failure),
                }
            }
        }
    }

    /// It gave no answer at all: it could not be started, took too long, was killed, or said what nobody understands. What a hook was
    /// to guard is not let through unseen: a call asks.
    pub fn failed(event: HookEvent, why: &str, on_failure: OnFailure) -> Reply {
        let why = failed(event, why);
        match on_failure {
            OnFailure::Block => Reply::blocked(event, why),
            OnFailure::Report => {
                let permission = is_of_calls(event).then_some(Permission::Ask);
                Reply { permission, reason: why.clone(), told: vec![why], ..Reply::default() }
            }
        }
    }

    fn from_output(event: HookEvent, stdout: &str, on_failure: OnFailure) -> Reply {
        let text = stdout.trim();
        if text.starts_with('{') {
            let read = serde_json::from_str(text).map_err(|error| format!("the answer is no JSON: {error}"));
            return read
                .and_then(|answer| Reply::from_json(event, &answer))
                .unwrap_or_else(|why| Reply::failed(event, &why, on_failure));
        }
        // Plain words are for the model where there is a place for them, else for nobody.
        let words = match event {
            HookEvent::UserPromptSubmit | HookEvent::SessionStart => context(text),
            HookEvent::PreToolUse
            | HookEvent::PostToolUse
            | HookEvent::PostToolUseFailure
            | HookEvent::PermissionRequest
            | HookEvent::SessionEnd
            | HookEvent::Stop
            | HookEvent::SubagentStart
            | HookEvent::SubagentStop
            | HookEvent::PreCompact
            | HookEvent::Notification
            | HookEvent::PlanSubmitted
            | HookEvent::PlanDecided => None,
        };
        Reply { context: words.into_iter().collect(), ..Reply::default() }
    }

    fn blocked(event: HookEvent, why: String) -> Reply {
        match event {
            HookEvent::PreToolUse | HookEvent::PermissionRequest => {
                Reply { permission: Some(Permission::Deny), reason: why, ..Reply::default() }
            }
            HookEvent::PostToolUse
            | HookEvent::PostToolUseFailure
            | HookEvent::UserPromptSubmit
            | HookEvent::SessionStart
            | HookEvent::SessionEnd
            | HookEvent::Stop
            | HookEvent::SubagentStart
            | HookEvent::SubagentStop
            | HookEvent::PreCompact
            | HookEvent::Notification
            | HookEvent::PlanSubmitted
            | HookEvent::PlanDecided => Reply { block: Some(why), ..Reply::default() },
        }
    }

    /// Both answers: the strictest permission with its reason, the first block and stop, all words; of several changed inputs
    /// or outputs the last.
    pub fn and(mut self, other: Reply) -> Reply {
        if other.permission > self.permission {
            (self.permission, self.reason) = (other.permission, other.reason);
        }
        self.updated_input = other.updated_input.or(self.updated_input);
        self.updated_output = other.updated_output.or(self.updated_output);
        self.block = self.block.or(other.block);
        self.stop = self.stop.or(other.stop);
        self.context.extend(other.context);
        self.told.extend(other.told);
        self
    }
}

/// A call waits for the answer.
fn is_of_calls(event: HookEvent) -> bool {
    matches!(event, HookEvent::PreToolUse | HookEvent::PermissionRequest)
}

/// What a hook puts in the place of a tool's output, as text: words, the words of an MCP result, or JSON as it is.
fn shown(output: &Value) -> String {
    let parts = output.as_array().or_else(|| output["content"].as_array());
    let words = parts.and_then(|parts| parts.iter().map(|part| part["text"].as_str()).collect::<Option<Vec<_>>>());
    let text = match (output.as_str(), words) {
        (Some(text), _) => text.to_string(),
        (None, Some(words)) => words.join("\n"),
        (None, None) => output.to_string(),
    };
    cut(&for_model(&text), LONGEST_OUTPUT)
}

fn permission(given: Option<&str>) -> Result<Option<Permission>, String> {
    match given {
        None | Some("defer" | "") => Ok(None),
        Some("allow") => Ok(Some(Permission::Allow)),
        Some("ask") => Ok(Some(Permission::Ask)),
        Some("deny") => Ok(Some(Permission::Deny)),
        Some(other) => Err(format!("`permissionDecision`: expected allow, deny or ask, got {:?}", cut(other, 40))),
    }
}

fn failed(event: HookEvent, why: &str) -> String {
    cut(&format!("A {} hook failed: {}", event.name(), harmless(why)), LONGEST_TOLD)
}

/// A reason, or that none was given.
fn said(words: Option<&str>) -> String {
    match words.map(str::trim) {
        None | Some("") => "the hook gave no reason".into(),
        Some(words) => cut(&for_model(words), LONGEST_REASON),
    }
}

fn context(text: &str) -> Option<String> {
    let text = for_model(text.trim()).into_owned();
    (!text.is_empty()).then(|| cut(&text, LONGEST_CONTEXT))
}

fn told(text: &str) -> Option<String> {
    let text = harmless(text.trim()).into_owned();
    (!text.is_empty()).then(|| cut(&text, LONGEST_TOLD))
}

fn first_line(text: &str) -> String {
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or("(no words on standard error)");
    harmless(line.trim()).into_owned()
}

fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{} [cut after {most} characters]", &text[..at]),
        None => text.to_string(),
    }
}
