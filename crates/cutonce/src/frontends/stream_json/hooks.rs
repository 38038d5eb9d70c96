//! Hooks inside the host (HO-1, HO-7): `initialize` registers them, `hook_callback` calls them. Their answers
//! are handled like those of every hook: they approve no plan and lift no denial.

use super::peer::HostPeer;
use async_trait::async_trait;
use cutonce_agent::Hook;
use cutonce_core::hooks::{HookAnswer, HookEvent, HookInput, HookMatcher, HookPayload, OnFailure};
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::time::Duration;

/// Default timeout and the longest allowed one.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(60);
const MAX_TIMEOUT: Duration = Duration::from_secs(3600);

struct HostHook {
    event: HookEvent,
    matcher: HookMatcher,
    callback: String,
    timeout: Duration,
    on_failure: OnFailure,
    peer: HostPeer,
}

/// Builds the host's hooks; unusable ones are reported on stderr.
pub fn build_host_hooks(given: &Map<String, Value>, peer: &HostPeer) -> Vec<Arc<dyn Hook>> {
    let mut hooks: Vec<Arc<dyn Hook>> = Vec::new();
    for (name, groups) in given {
        let Some(event) = HookEvent::parse(name) else {
            eprintln!(
                "cutonce: unknown hook event {}; its hooks are never called",
                cutonce_core::text::sanitize::sanitize(name)
            );
            continue;
        };
        for group in groups.as_array().into_iter().flatten() {
            let callbacks = group["hookCallbackIds"].as_array().into_iter().flatten().filter_map(Value::as_str);
            hooks.extend(callbacks.map(|callback| {
                Arc::new(HostHook {
                    event,
                    matcher: parse_matcher(&group["matcher"]),
                    callback: callback.to_string(),
                    timeout: parse_timeout(&group["timeout"]),
                    on_failure: parse_on_failure(&group["onFailure"]),
                    peer: peer.clone(),
                }) as Arc<dyn Hook>
            }));
        }
    }
    hooks
}

/// An invalid matcher matches everything, so that a guard never disappears.
fn parse_matcher(given: &Value) -> HookMatcher {
    HookMatcher::parse(given.as_str()).unwrap_or_else(|why| {
        eprintln!(
            "cutonce: {}; the hook runs for every call",
            cutonce_core::text::sanitize::sanitize(&why.to_string())
        );
        HookMatcher::Any
    })
}

fn parse_timeout(given: &Value) -> Duration {
    let seconds = given.as_f64().filter(|seconds| seconds.is_finite() && *seconds > 0.0);
    seconds.map_or(DEFAULT_TIMEOUT, |seconds| Duration::from_secs_f64(seconds.min(MAX_TIMEOUT.as_secs_f64())))
}

/// An unknown value blocks, to be safe.
fn parse_on_failure(given: &Value) -> OnFailure {
    match given.as_str() {
        None | Some("continue") => OnFailure::Report,
        Some(_) => OnFailure::Block,
    }
}

#[async_trait]
impl Hook for HostHook {
    fn wants(&self, moment: &HookPayload) -> bool {
        moment.event() == self.event && self.matcher.matches(moment.matcher_subject())
    }

    async fn run(&self, input: &HookInput) -> HookAnswer {
        // The host closed its input to end the session; it gets no more calls, and that is not a failure.
        if self.event == HookEvent::SessionEnd && self.peer.is_gone() {
            return HookAnswer::default();
        }
        let request = json!({"subtype": "hook_callback", "callback_id": self.callback,
            "tool_use_id": input.payload.tool_use_id(), "input": input.to_json()});
        let answer = tokio::time::timeout(self.timeout, self.peer.send_request(request)).await;
        let reply = match answer {
            // The host continues on its own; there is nothing to wait for.
            Ok(Ok(answer)) if answer["async"] == true => Ok(HookAnswer::default()),
            Ok(Ok(Value::Null)) => Ok(HookAnswer::default()),
            Ok(Ok(answer)) => HookAnswer::from_json(self.event, &answer).map_err(|why| why.to_string()),
            Ok(Err(error)) => Err(error.to_string()),
            Err(_) => Err(format!("no answer within {} seconds", self.timeout.as_secs_f32())),
        };
        reply.unwrap_or_else(|why| HookAnswer::for_failure(self.event, &why, self.on_failure))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ho_7_unknown_on_failure_blocks() {
        assert_eq!(parse_on_failure(&Value::Null), OnFailure::Report);
        assert_eq!(parse_on_failure(&json!("continue")), OnFailure::Report);
        assert_eq!(parse_on_failure(&json!("blokc")), OnFailure::Block);
        assert_eq!(parse_timeout(&json!(-1)), DEFAULT_TIMEOUT);
        assert_eq!(parse_timeout(&json!(1e300)), MAX_TIMEOUT);
    }

    #[test]
    fn ho_1_each_callback_becomes_a_hook() {
        let given = json!({"PreToolUse": [{"matcher": "Write|Edit", "hookCallbackIds": ["hook_0", "hook_1"]},
            {"matcher": "(", "hookCallbackIds": ["hook_2"]}], "Dance": [{"hookCallbackIds": ["hook_3"]}]});
        let hooks = build_host_hooks(given.as_object().unwrap(), &HostPeer::default());
        let moment = |tool: &str| HookPayload::PreToolUse {
            tool_name: tool.into(),
            tool_input: Value::Null,
            tool_use_id: String::new(),
        };
        let wanting = |tool: &str| hooks.iter().filter(|hook| hook.wants(&moment(tool))).count();
        assert_eq!((hooks.len(), wanting("Write"), wanting("Bash")), (3, 3, 1));
    }
}
