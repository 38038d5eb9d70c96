//! Hooks that run inside the host (HO-1, HO-7): `initialize` names them, `hook_callback` calls them. What their answers mean is decided
//! where it is decided for every hook; they approve no plan and lift no denial.

use super::peer::Peer;
use async_trait::async_trait;
use cutonce_agent::Hook;
use cutonce_core::hook::{HookEvent, HookInput, Matcher, Moment, OnFailure, Reply};
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::time::Duration;

/// Where the host names no timeout, and the longest that it can name.
const TIMEOUT: Duration = Duration::from_secs(60);
const LONGEST: Duration = Duration::from_secs(3600);

struct HostHook {
    event: HookEvent,
    matcher: Matcher,
    callback: String,
    timeout: Duration,
    on_failure: OnFailure,
    peer: Peer,
}

/// The host's hooks; what can't be used is named on standard error.
pub fn of_host(given: &Map<String, Value>, peer: &Peer) -> Vec<Arc<dyn Hook>> {
    let mut hooks: Vec<Arc<dyn Hook>> = Vec::new();
    for (name, groups) in given {
        let Some(event) = HookEvent::parse(name) else {
            eprintln!("cutonce: hooks for {} are never called here", cutonce_core::harmless::harmless(name));
            continue;
        };
        for group in groups.as_array().into_iter().flatten() {
            let callbacks = group["hookCallbackIds"].as_array().into_iter().flatten().filter_map(Value::as_str);
            hooks.extend(callbacks.map(|callback| {
                Arc::new(HostHook {
                    event,
                    matcher: matcher(&group["matcher"]),
                    callback: callback.to_string(),
                    timeout: timeout(&group["timeout"]),
                    on_failure: on_failure(&group["onFailure"]),
                    peer: peer.clone(),
                }) as Arc<dyn Hook>
            }));
        }
    }
    hooks
}

/// A guard that nobody can read must not vanish: it looks at everything.
fn matcher(given: &Value) -> Matcher {
    Matcher::parse(given.as_str()).unwrap_or_else(|why| {
        eprintln!("cutonce: {}; the hook runs for every one", cutonce_core::harmless::harmless(&why));
        Matcher::Any
    })
}

fn timeout(given: &Value) -> Duration {
    let seconds = given.as_f64().filter(|seconds| seconds.is_finite() && *seconds > 0.0);
    seconds.map_or(TIMEOUT, |seconds| Duration::from_secs_f64(seconds.min(LONGEST.as_secs_f64())))
}

/// A word that we do not know is the careful one.
fn on_failure(given: &Value) -> OnFailure {
    match given.as_str() {
        None | Some("continue") => OnFailure::Report,
        Some(_) => OnFailure::Block,
    }
}

#[async_trait]
impl Hook for HostHook {
    fn wants(&self, moment: &Moment) -> bool {
        moment.event() == self.event && self.matcher.fits(moment.subject())
    }

    async fn run(&self, input: &HookInput) -> Reply {
        // The host ended the session by closing its input: it hears nothing more, and that is no failure.
        if self.event == HookEvent::SessionEnd && self.peer.is_gone() {
            return Reply::default();
        }
        let request = json!({"subtype": "hook_callback", "callback_id": self.callback,
            "tool_use_id": input.moment.tool_use_id(), "input": input.to_json()});
        let answer = tokio::time::timeout(self.timeout, self.peer.request(request)).await;
        let reply = match answer {
            // Done in the host's own time: there is nothing to wait for.
            Ok(Ok(answer)) if answer["async"] == true => Ok(Reply::default()),
            Ok(Ok(Value::Null)) => Ok(Reply::default()),
            Ok(Ok(answer)) => Reply::from_json(self.event, &answer),
            Ok(Err(why)) => Err(why),
            Err(_) => Err(format!("no answer within {} seconds", self.timeout.as_secs_f32())),
        };
        reply.unwrap_or_else(|why| Reply::failed(self.event, &why, self.on_failure))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ho_7_a_failure_that_blocks_is_the_careful_reading() {
        assert_eq!(on_failure(&Value::Null), OnFailure::Report);
        assert_eq!(on_failure(&json!("continue")), OnFailure::Report);
        assert_eq!(on_failure(&json!("blokc")), OnFailure::Block);
        assert_eq!(timeout(&json!(-1)), TIMEOUT);
        assert_eq!(timeout(&json!(1e300)), LONGEST);
    }

    #[test]
    fn ho_1_each_callback_is_a_hook_of_its_own() {
        let given = json!({"PreToolUse": [{"matcher": "Write|Edit", "hookCallbackIds": ["hook_0", "hook_1"]},
            {"matcher": "(", "hookCallbackIds": ["hook_2"]}], "Dance": [{"hookCallbackIds": ["hook_3"]}]});
        let hooks = of_host(given.as_object().unwrap(), &Peer::default());
        let moment = |tool: &str| Moment::PreToolUse {
            tool_name: tool.into(),
            tool_input: Value::Null,
            tool_use_id: String::new(),
        };
        let wanting = |tool: &str| hooks.iter().filter(|hook| hook.wants(&moment(tool))).count();
        assert_eq!((hooks.len(), wanting("Write"), wanting("Bash")), (3, 3, 1));
    }
}
