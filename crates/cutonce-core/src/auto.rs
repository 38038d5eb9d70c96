//! Auto mode's judgement (PM-120): what the classifier is shown, and what its answer is worth. It sees the call's facts, the user's words
//! and the rules, as one JSON document; never a tool's output, never the agent's own words beside the call. Anything but a clear answer is
//! none, and none means that a person is asked.

use crate::harmless::for_model;
use crate::mode::Mode;
use crate::permission::{Access, Facts, PartFacts, Place, Reach, ShellFacts, Target};
use crate::rule::{Behavior, Rules};
use crate::settings::{Class, Settings};
use crate::shell::Verdict as ShellVerdict;
use serde::Deserialize;
use serde_json::{Value, json};

/// The classifier's instructions; the same bytes for every call.
pub const INSTRUCTIONS: &str = include_str!("prompts/classifier.md");

/// A call that is longer than this is not judged: nothing of it may be left out of sight.
const LONGEST_CALL: usize = 60_000;
/// Most characters of the user's words, the latest first.
const LONGEST_SAID: usize = 12_000;
/// Most rules that are shown.
const MOST_RULES: usize = 200;
const LONGEST_REASON: usize = 400;

/// So many failures in a row close the gate.
pub const MOST_FAILURES: u32 = 3;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    Allow(String),
    Ask(String),
    Deny(String),
}

/// One call to be judged.
#[derive(Debug)]
pub struct Case<'a> {
    pub facts: &'a Facts,
    pub input: &'a Value,
    pub mode: Mode,
    pub said: &'a [String],
    /// The plan that the user approved last.
    pub plan: Option<&'a str>,
    pub rules: &'a Rules,
}

impl Case<'_> {
    /// What the classifier reads; None: too long to be seen through.
    pub fn message(&self) -> Option<String> {
        let call = json!({"tool": self.facts.tool, "input": self.input, "touches": touches(&self.facts.access)});
        if call.to_string().len() > LONGEST_CALL {
            return None;
        }
        let document = json!({
            "user_said": latest(self.said),
            "approved_plan": self.plan.map(|plan| plan.chars().take(LONGEST_SAID).collect::<String>()),
            "mode": self.mode,
            "working_folder": self.rules.cwd(),
            "rules": rules(self.rules),
            "call": call,
        });
        Some(format!("Call to judge: {}\n{document}", self.facts.tool))
    }
}

/// The latest words of the user that fit, in their order.
fn latest(said: &[String]) -> Vec<String> {
    let mut left = LONGEST_SAID;
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

fn rules(rules: &Rules) -> Value {
    let of = |behavior: Behavior| -> Vec<&str> {
        let wanted = rules.rules().iter().filter(|rule| rule.behavior == behavior);
        wanted.take(MOST_RULES).map(|rule| rule.text.as_str()).collect()
    };
    json!({"allow": of(Behavior::Allow), "ask": of(Behavior::Ask), "deny": of(Behavior::Deny)})
}

fn touches(access: &Access) -> Value {
    match access {
        Access::Internal => json!("nothing of the user's"),
        Access::Question => json!("asks the user"),
        Access::Kill { .. } => json!("ends a command that runs in the background"),
        Access::Read(targets) => json!({"reads": targets.iter().map(place).collect::<Vec<_>>()}),
        Access::Write(target) => json!({"writes": [place(target)]}),
        Access::Fetch { url, host } => json!({"fetches": url, "host": host}),
        Access::Agent { kind } => json!({"starts_agent": kind}),
        Access::Skill { name } => json!({"reads_skill": name}),
        Access::Mcp { read_only, .. } => json!({"mcp_tool": true, "its_server_says_read_only": read_only}),
        Access::Shell(shell) => shell_facts(shell),
    }
}

fn shell_facts(shell: &ShellFacts) -> Value {
    let part = |part: &PartFacts| {
        let does = match &part.part.verdict {
            ShellVerdict::ReadOnly => "only reads".to_string(),
            ShellVerdict::FileCommand => "changes the files it names".to_string(),
            ShellVerdict::Writes(what) => what.to_string(),
            ShellVerdict::Unknown => "not known".to_string(),
        };
        let reaches = |all: &[Reach]| all.iter().map(reach).collect::<Vec<_>>();
        json!({"command": part.part.text, "does": does, "reads": reaches(&part.reads),
            "writes": reaches(&part.writes), "redirects_to": reaches(&part.redirects)})
    };
    json!({"runs": shell.parts.iter().map(part).collect::<Vec<_>>(), "in_background": shell.background})
}

fn reach(reach: &Reach) -> Value {
    match reach {
        Reach::Exact(target) => place(target),
        Reach::Below(target) => json!({"below": place(target)}),
        Reach::Unknown => json!("nobody can say where"),
    }
}

fn place(target: &Target) -> Value {
    let place = match target.place {
        Place::Workspace => "workspace",
        Place::Protected => "protected",
        Place::Outside => "outside the workspace",
        Place::Own => "the agent's own folder",
        Place::PlanFile => "the plan file",
    };
    json!({"path": target.path, "place": place})
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    verdict: Word,
    reason: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Word {
    Allow,
    Ask,
    Deny,
}

/// The answer, strictly: one object, a known verdict and a reason. A fence of code around it is taken off.
pub fn parse(answer: &str) -> Result<Verdict, String> {
    let text = answer.trim();
    let fenced = text.strip_prefix("```json").or_else(|| text.strip_prefix("```"));
    let text = fenced.and_then(|rest| rest.trim_end().strip_suffix("```")).unwrap_or(text).trim();
    let answer: Answer = serde_json::from_str(text).map_err(|error| format!("no verdict: {error}"))?;
    let reason = for_model(answer.reason.trim()).replace('\n', " ");
    let reason: String = reason.trim_end_matches('.').chars().take(LONGEST_REASON).collect();
    if reason.is_empty() {
        return Err("no verdict: it gives no reason".into());
    }
    Ok(match answer.verdict {
        Word::Allow => Verdict::Allow(reason),
        Word::Ask => Verdict::Ask(reason),
        Word::Deny => Verdict::Deny(reason),
    })
}

/// The model that judges: `auto.model`, else `model.small`, else a haiku-class row or alias of the main model's provider, else the main one.
pub fn model(settings: &Settings, main: &str) -> String {
    if let Some(name) = settings.auto.model.clone().or_else(|| settings.model.small.clone()) {
        return name;
    }
    let provider = settings.model_info(main).provider;
    let own = settings.models.keys().map(String::as_str).filter(|name| !name.ends_with('*'));
    let small = own.chain(["haiku"]).find(|name| {
        let info = settings.model_info(name);
        info.class == Class::Haiku && info.provider == provider
    });
    small.unwrap_or(main).to_string()
}

/// What $CUTONCE_AUTO_GATE says: a word for yes or no wins over `auto.gate`; anything else is told and ignored.
pub fn gate(variable: Option<&str>, setting: bool) -> (bool, Option<String>) {
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
