//! Answers of hooks and their meaning. They are external input: limited in size and sanitized, and an answer
//! that can't be parsed never grants anything.

use super::HookEvent;
use crate::text::sanitize::{sanitize, sanitize_for_model};
use crate::text::truncate::{first_line, truncate_chars};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Maximum number of characters of one hook's text for the model.
const MAX_CONTEXT_LEN: usize = 10_000;
const MAX_REASON_LEN: usize = 2_000;
const MAX_USER_MESSAGE_LEN: usize = 500;
/// Maximum number of characters that a hook puts in place of a tool's output.
const MAX_OUTPUT_LEN: usize = 100_000;

/// Decision of a PreToolUse or PermissionRequest hook. If several hooks decide, the strictest wins; variants
/// are ordered by strictness.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum HookPermission {
    /// Answers an ask of the mode. Does not lift denials or rules, has no effect in plan mode, and approves
    /// no plan.
    Allow,
    /// Ask the user, even if the mode would let the call run.
    Ask,
    Deny,
}

/// What happens if a hook fails.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum OnFailure {
    /// Report the failure to you and continue; a tool call that the hook should have checked asks you first.
    #[default]
    Report,
    /// Treat the failure as if the hook had blocked.
    Block,
}

/// The answer of one hook, or the combined answer of several.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HookAnswer {
    pub permission: Option<HookPermission>,
    /// The reason, for the model and the transcript.
    pub reason: String,
    /// PreToolUse, and PermissionRequest with "allow": input that replaces the call's; it is parsed and
    /// decided again.
    pub updated_input: Option<Value>,
    /// PostToolUse: text that replaces the tool's output for the model. Does not change whether the call
    /// failed.
    pub updated_output: Option<String>,
    /// Reason to block the action: the message is not sent, the turn does not end, the plan is not shown.
    pub block: Option<String>,
    /// Reason to end the whole turn.
    pub stop: Option<String>,
    /// Text for the model, as data.
    pub context: Vec<String>,
    /// Messages for the user.
    pub user_messages: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct HookAnswerJson {
    r#continue: Option<bool>,
    stop_reason: Option<String>,
    system_message: Option<String>,
    decision: Option<String>,
    reason: Option<String>,
    additional_context: Option<String>,
    hook_specific_output: Option<HookSpecificJson>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct HookSpecificJson {
    hook_event_name: Option<String>,
    permission_decision: Option<String>,
    permission_decision_reason: Option<String>,
    updated_input: Option<Value>,
    updated_tool_output: Option<Value>,
    additional_context: Option<String>,
    /// Only for PermissionRequest.
    decision: Option<PermissionDecisionJson>,
}

/// Decision of a PermissionRequest hook about the call.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct PermissionDecisionJson {
    behavior: String,
    message: Option<String>,
    updated_input: Option<Value>,
    interrupt: bool,
}

/// Why a hook's answer can't be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HookAnswerError {
    #[error("the answer is not JSON: {0}")]
    NotJson(String),
    #[error("the answer is not a JSON object")]
    NotAnObject,
    #[error("the answer can't be used: {0}")]
    Malformed(String),
    #[error("the answer is for another event than {0}")]
    OtherEvent(&'static str),
    #[error("`updatedInput` is not an object")]
    InputNotAnObject,
    #[error("`decision`: expected \"block\", got {0:?}")]
    UnknownDecision(String),
    #[error("`permissionDecision`: expected allow, deny or ask, got {0:?}")]
    UnknownPermission(String),
}

impl HookAnswer {
    /// Parses a host's answer or a command's output.
    pub fn from_json(event: HookEvent, answer: &Value) -> Result<HookAnswer, HookAnswerError> {
        if !answer.is_object() {
            return Err(HookAnswerError::NotAnObject);
        }
        let answer: HookAnswerJson =
            serde_path_to_error::deserialize(answer).map_err(|error| HookAnswerError::Malformed(error.to_string()))?;
        let mut specific = answer.hook_specific_output.unwrap_or_default();
        if specific.hook_event_name.as_deref().is_some_and(|name| name != event.name()) {
            return Err(HookAnswerError::OtherEvent(event.name()));
        }
        let verdict = specific.decision.take().filter(|_| event == HookEvent::PermissionRequest);
        let mut stop = None;
        if let Some(verdict) = verdict {
            let message = reason_or_default(verdict.message.as_deref());
            stop = (verdict.interrupt && verdict.behavior == "deny").then(|| message.clone());
            specific.permission_decision_reason = verdict.message.map(|_| message);
            specific.permission_decision = Some(verdict.behavior);
            specific.updated_input = verdict.updated_input;
        }
        let mut reply = HookAnswer { updated_input: specific.updated_input, stop, ..HookAnswer::default() };
        reply.updated_output =
            specific.updated_tool_output.filter(|_| event == HookEvent::PostToolUse).map(|output| output_text(&output));
        if reply.updated_input.as_ref().is_some_and(|input| !input.is_object()) {
            return Err(HookAnswerError::InputNotAnObject);
        }
        let contexts = [answer.additional_context, specific.additional_context];
        reply.context = contexts.into_iter().flatten().filter_map(|text| model_context(&text)).collect();
        reply.user_messages = answer.system_message.iter().filter_map(|text| user_message(text)).collect();
        let reason = specific.permission_decision_reason.or_else(|| answer.reason.clone()).unwrap_or_default();
        reply.reason = truncate_chars(&sanitize_for_model(reason.trim()), MAX_REASON_LEN);
        let wanted = parse_permission(specific.permission_decision.as_deref())?;
        match (answer.decision.as_deref(), event) {
            (None | Some(""), _) => reply.permission = wanted,
            (Some("block" | "deny"), HookEvent::PreToolUse | HookEvent::PermissionRequest) => {
                reply.permission = Some(HookPermission::Deny);
            }
            (Some("approve" | "allow"), HookEvent::PreToolUse | HookEvent::PermissionRequest) => {
                reply.permission = wanted.or(Some(HookPermission::Allow));
            }
            (Some("block" | "deny"), _) => reply.block = Some(reason_or_default(answer.reason.as_deref())),
            // A hook can only approve calls, never a plan.
            (Some("approve" | "allow"), _) => {}
            (Some(other), _) => {
                return Err(HookAnswerError::UnknownDecision(truncate_chars(other, 40)));
            }
        }
        if !decides_call(event) {
            (reply.permission, reply.updated_input) = (None, None);
        }
        if answer.r#continue == Some(false) {
            reply.stop = Some(reason_or_default(answer.stop_reason.as_deref().or(answer.reason.as_deref())));
        }
        Ok(reply)
    }

    /// Interprets a command's exit: 0 is an answer on stdout, 2 blocks with stderr as the reason, any other
    /// code is a failure that is reported to the user only.
    pub fn from_exit(event: HookEvent, code: i32, stdout: &str, stderr: &str, on_failure: OnFailure) -> HookAnswer {
        match code {
            0 => HookAnswer::from_output(event, stdout, on_failure),
            2 => HookAnswer::for_block(event, reason_or_default(Some(stderr))),
            code => {
                let why = format!("exit code {code}: {}", first_error_line(stderr));
                match on_failure {
                    OnFailure::Report => {
                        HookAnswer { user_messages: vec![failure_message(event, &why)], ..HookAnswer::default() }
                    }
                    OnFailure::Block => HookAnswer::for_failure(event, &why, on_failure),
                }
            }
        }
    }

    /// Answer of a hook that failed: not started, timed out, killed, or unparsable output. A call that the
    /// hook should have checked asks the user.
    pub fn for_failure(event: HookEvent, why: &str, on_failure: OnFailure) -> HookAnswer {
        let why = failure_message(event, why);
        match on_failure {
            OnFailure::Block => HookAnswer::for_block(event, why),
            OnFailure::Report => {
                let permission = decides_call(event).then_some(HookPermission::Ask);
                HookAnswer { permission, reason: why.clone(), user_messages: vec![why], ..HookAnswer::default() }
            }
        }
    }

    fn from_output(event: HookEvent, stdout: &str, on_failure: OnFailure) -> HookAnswer {
        let text = stdout.trim();
        if text.starts_with('{') {
            let read = serde_json::from_str(text).map_err(|error| HookAnswerError::NotJson(error.to_string()));
            return read
                .and_then(|answer| HookAnswer::from_json(event, &answer))
                .unwrap_or_else(|why| HookAnswer::for_failure(event, &why.to_string(), on_failure));
        }
        // Plain text is context for the model for these two events; otherwise it is ignored.
        let adds_context = matches!(event, HookEvent::UserPromptSubmit | HookEvent::SessionStart);
        let words = if adds_context { model_context(text) } else { None };
        HookAnswer { context: words.into_iter().collect(), ..HookAnswer::default() }
    }

    fn for_block(event: HookEvent, why: String) -> HookAnswer {
        if matches!(event, HookEvent::PreToolUse | HookEvent::PermissionRequest) {
            return HookAnswer { permission: Some(HookPermission::Deny), reason: why, ..HookAnswer::default() };
        }
        HookAnswer { block: Some(why), ..HookAnswer::default() }
    }

    /// Combines two answers: the strictest permission with its reason, the first block and stop, all texts,
    /// and the last changed input and output.
    pub fn merge(mut self, other: HookAnswer) -> HookAnswer {
        if other.permission > self.permission {
            (self.permission, self.reason) = (other.permission, other.reason);
        }
        self.updated_input = other.updated_input.or(self.updated_input);
        self.updated_output = other.updated_output.or(self.updated_output);
        self.block = self.block.or(other.block);
        self.stop = self.stop.or(other.stop);
        self.context.extend(other.context);
        self.user_messages.extend(other.user_messages);
        self
    }
}

/// True if a call waits for the answer.
fn decides_call(event: HookEvent) -> bool {
    matches!(event, HookEvent::PreToolUse | HookEvent::PermissionRequest)
}

/// Converts replaced tool output to text: a string, the texts of an MCP result, or the JSON itself.
fn output_text(output: &Value) -> String {
    let parts = output.as_array().or_else(|| output["content"].as_array());
    let words = parts.and_then(|parts| parts.iter().map(|part| part["text"].as_str()).collect::<Option<Vec<_>>>());
    let text = match (output.as_str(), words) {
        (Some(text), _) => text.to_string(),
        (None, Some(words)) => words.join("\n"),
        (None, None) => output.to_string(),
    };
    truncate_chars(&sanitize_for_model(&text), MAX_OUTPUT_LEN)
}

fn parse_permission(given: Option<&str>) -> Result<Option<HookPermission>, HookAnswerError> {
    match given {
        None | Some("defer" | "") => Ok(None),
        Some("allow") => Ok(Some(HookPermission::Allow)),
        Some("ask") => Ok(Some(HookPermission::Ask)),
        Some("deny") => Ok(Some(HookPermission::Deny)),
        Some(other) => Err(HookAnswerError::UnknownPermission(truncate_chars(other, 40))),
    }
}

fn failure_message(event: HookEvent, why: &str) -> String {
    truncate_chars(&format!("A {} hook failed: {}", event.name(), sanitize(why)), MAX_USER_MESSAGE_LEN)
}

/// The given reason, or a default.
fn reason_or_default(words: Option<&str>) -> String {
    match words.map(str::trim) {
        None | Some("") => "the hook gave no reason".into(),
        Some(words) => truncate_chars(&sanitize_for_model(words), MAX_REASON_LEN),
    }
}

fn model_context(text: &str) -> Option<String> {
    let text = sanitize_for_model(text.trim()).into_owned();
    (!text.is_empty()).then(|| truncate_chars(&text, MAX_CONTEXT_LEN))
}

fn user_message(text: &str) -> Option<String> {
    let text = sanitize(text.trim()).into_owned();
    (!text.is_empty()).then(|| truncate_chars(&text, MAX_USER_MESSAGE_LEN))
}

fn first_error_line(text: &str) -> String {
    match first_line(text) {
        "" => "(nothing on stderr)".to_string(),
        line => sanitize(line).into_owned(),
    }
}
