//! Auto mode's classifier (PM-120): its input and its answers. It sees the call's facts, the user's messages
//! and the rules as one JSON document; never a tool's output or other text of the agent. Without a clear
//! answer, the user is asked.

use crate::mode::Mode;
use crate::permission::rules::{RuleBehavior, RuleSet};
use crate::permission::{Access, CallFacts, PartFacts, PathScope, PathTarget, ShellFacts};
use crate::settings::{ModelClass, Settings};
use crate::shell::CommandVerdict as ShellVerdict;
use crate::text::sanitize::sanitize_for_model;
use serde::Deserialize;
use serde_json::{Value, json};

/// Instructions for the classifier; the same bytes for every call.
pub const CLASSIFIER_INSTRUCTIONS: &str = include_str!("../prompts/classifier.md");

/// Maximum length of a call that is classified; a longer one is not, because nothing of it may be hidden.
const MAX_CALL_LEN: usize = 60_000;
/// Maximum number of characters of user messages, the latest first.
const MAX_USER_TEXT: usize = 12_000;
/// Maximum number of rules shown per behavior.
const MAX_RULES: usize = 200;
const MAX_REASON_LEN: usize = 400;

/// Number of consecutive failures that close the gate.
pub const MAX_FAILURES: u32 = 3;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClassifierVerdict {
    Allow(String),
    Ask(String),
    Deny(String),
}

/// A call to classify, with its context.
#[derive(Debug)]
pub struct ClassifierCase<'a> {
    pub facts: &'a CallFacts,
    pub input: &'a Value,
    pub mode: Mode,
    pub user_messages: &'a [String],
    /// The last plan that the user approved.
    pub approved_text: Option<&'a str>,
    pub rules: &'a RuleSet,
}

impl ClassifierCase<'_> {
    /// The message for the classifier; `None` if the call is too long to be shown whole.
    pub fn to_message(&self) -> Option<String> {
        let call = json!({"tool": self.facts.tool, "input": self.input, "touches": access_json(&self.facts.access)});
        if call.to_string().len() > MAX_CALL_LEN {
            return None;
        }
        let document = json!({
            "user_said": latest_messages(self.user_messages),
            "approved_plan": self.approved_text.map(|text| text.chars().take(MAX_USER_TEXT).collect::<String>()),
            "mode": self.mode,
            "working_folder": self.rules.cwd(),
            "rules": rules_json(self.rules),
            "call": call,
        });
        Some(format!("Call to judge: {}\n{document}", self.facts.tool))
    }
}

/// The latest user messages that fit, in their order.
fn latest_messages(said: &[String]) -> Vec<String> {
    let mut left = MAX_USER_TEXT;
    let mut kept = Vec::new();
    for words in said.iter().rev() {
        let words: String = words.chars().take(left).collect();
        left -= words.chars().count();
        kept.push(words);
        if left == 0 {
            break;
        }
    }
    kept.reverse();
    kept
}

fn rules_json(rules: &RuleSet) -> Value {
    let of = |behavior: RuleBehavior| -> Vec<&str> {
        let wanted = rules.rules().iter().filter(|rule| rule.behavior == behavior);
        wanted.take(MAX_RULES).map(|rule| rule.text.as_str()).collect()
    };
    json!({"allow": of(RuleBehavior::Allow), "ask": of(RuleBehavior::Ask), "deny": of(RuleBehavior::Deny)})
}

fn access_json(access: &Access) -> Value {
    match access {
        Access::Internal => json!("nothing of the user's"),
        Access::Question => json!("asks the user"),
        Access::Kill { .. } => json!("ends a command that runs in the background"),
        Access::Read(targets) => json!({"reads": targets.iter().map(target_json).collect::<Vec<_>>()}),
        Access::Write(target) => json!({"writes": [target_json(target)]}),
        Access::Fetch { url, host } => json!({"fetches": url, "host": host}),
        Access::Agent { kind } => json!({"starts_agent": kind}),
        Access::Skill { name } => json!({"reads_skill": name}),
        Access::Mcp { read_only, .. } => json!({"mcp_tool": true, "its_server_says_read_only": read_only}),
        Access::Shell(shell) => shell_json(shell),
    }
}

fn shell_json(shell: &ShellFacts) -> Value {
    let part = |part: &PartFacts| {
        let does = match &part.part.verdict {
            ShellVerdict::ReadOnly => "only reads".to_string(),
            ShellVerdict::FileCommand => "changes the files it names".to_string(),
            ShellVerdict::Writes(what) => what.to_string(),
            ShellVerdict::Unknown => "not known".to_string(),
        };
        let reaches = |all: &[PathScope]| all.iter().map(scope_json).collect::<Vec<_>>();
        json!({"command": part.part.text, "does": does, "reads": reaches(&part.reads),
            "writes": reaches(&part.writes), "redirects_to": reaches(&part.redirects)})
    };
    json!({"runs": shell.parts.iter().map(part).collect::<Vec<_>>(), "in_background": shell.background})
}

fn scope_json(reach: &PathScope) -> Value {
    match reach {
        PathScope::Exact(target) => target_json(target),
        PathScope::Below(target) => json!({"below": target_json(target)}),
        PathScope::Unknown => json!("unknown location"),
    }
}

fn target_json(target: &PathTarget) -> Value {
    json!({"path": target.path, "place": target.place.describe()})
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ClassifierAnswer {
    verdict: VerdictName,
    reason: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum VerdictName {
    Allow,
    Ask,
    Deny,
}

/// Parses the answer strictly: one object with a known verdict and a reason. A code fence around it is
/// removed.
pub fn parse_verdict(answer: &str) -> Result<ClassifierVerdict, String> {
    let text = answer.trim();
    let fenced = text.strip_prefix("```json").or_else(|| text.strip_prefix("```"));
    let text = fenced.and_then(|rest| rest.trim_end().strip_suffix("```")).unwrap_or(text).trim();
    let answer: ClassifierAnswer = serde_json::from_str(text).map_err(|error| format!("no verdict: {error}"))?;
    let reason = sanitize_for_model(answer.reason.trim()).replace('\n', " ");
    let reason: String = reason.trim_end_matches('.').chars().take(MAX_REASON_LEN).collect();
    if reason.is_empty() {
        return Err("no verdict: it gives no reason".into());
    }
    Ok(match answer.verdict {
        VerdictName::Allow => ClassifierVerdict::Allow(reason),
        VerdictName::Ask => ClassifierVerdict::Ask(reason),
        VerdictName::Deny => ClassifierVerdict::Deny(reason),
    })
}

/// The classifier's model: `auto.model`, else `model.small`, else a haiku-class model of the main model's
/// provider, else the main model.
pub fn classifier_model(settings: &Settings, main: &str) -> String {
    if let Some(name) = settings.auto.model.clone().or_else(|| settings.model.small.clone()) {
        return name;
    }
    let provider = settings.model_info(main).provider;
    let own = settings.models.keys().map(String::as_str).filter(|name| !name.ends_with('*'));
    let small = own.chain(["haiku"]).find(|name| {
        let info = settings.model_info(name);
        info.class == ModelClass::Haiku && info.provider == provider
    });
    small.unwrap_or(main).to_string()
}

/// Combines $CUTONCE_AUTO_GATE and `auto.gate`: a yes or no in the variable wins; any other value is ignored
/// with a warning.
pub fn gate_is_open(variable: Option<&str>, setting: bool) -> (bool, Option<String>) {
    let word = variable.unwrap_or_default().trim().to_ascii_lowercase();
    match word.as_str() {
        "" => (setting, None),
        "1" | "true" | "yes" | "on" | "open" => (true, None),
        "0" | "false" | "no" | "off" | "closed" => (false, None),
        _ => (setting, Some("CUTONCE_AUTO_GATE is neither on nor off; ignored".into())),
    }
}

#[cfg(test)]
mod tests;
