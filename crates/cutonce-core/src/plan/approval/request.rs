//! Plan approval requests as shown to approvers (PM-73, PM-74, PM-87).

use super::answer::{PlanAnswer, mode_after};
use super::terms::ApprovalTerms;
use crate::mode::{Mode, ModeState};
use crate::plan::contract::PlanContract;
use crate::plan::scope::ScopeMethod;
use crate::plan::{CostEstimate, PlanContent, PlanFreshness};
use serde::{Deserialize, Serialize};

/// Question of every request.
pub const EXIT_QUESTION: &str = "Exit plan mode?";

/// An ExitPlanMode call with everything the session collected for it.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanSubmission {
    pub ask_id: String,
    pub content: PlanContent,
    pub path: String,
    /// The number of this version (PM-46); 0 without a plan.
    pub revision: u32,
    pub layer: EnforcementLevel,
    /// Workspace files that changed since plan mode was entered, except the plan file.
    pub changed_files: Vec<String>,
    /// Background shells that are still running.
    pub shells: Vec<String>,
    /// Hosts that commands contacted, as `host:port` (PM-67).
    pub contacted_hosts: Vec<String>,
    /// What the program understood of the plan, with findings (PC-4).
    pub contract: Option<PlanContract>,
    /// How the planned files differ from an earlier submission of this text (PC-13).
    pub freshness: Option<PlanFreshness>,
    /// How commands will be kept in the scope; `None` without one (PC-22).
    pub scope_method: Option<ScopeMethod>,
    /// What the implementation may cost (PC-12).
    pub estimate: Option<CostEstimate>,
    /// The approved revision that this plan amends (PC-40).
    pub amends: Option<AmendedRevision>,
    /// Findings go back to the model first (`plan.lint`).
    pub fix_findings: bool,
}

/// The revision that is being implemented while its amendment waits for an answer (PC-40).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AmendedRevision {
    pub revision: u32,
    /// From its text to the one that waits, in unified form.
    pub diff: String,
}

/// The layer that confined shell commands during this stay in plan mode (PM-87).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum EnforcementLevel {
    /// The kernel's read-only sandbox.
    Sandbox,
    /// The sandbox, with a throwaway layer for builds and tests (PM-63).
    Scratch,
    /// Only commands proven read-only by parsing, in the sandbox.
    ReadonlySandbox,
    /// Only commands proven read-only by parsing.
    Readonly,
    /// There was no shell.
    Off,
}

impl EnforcementLevel {
    pub fn describe(self) -> &'static str {
        match self {
            EnforcementLevel::Sandbox => "commands ran in the read-only sandbox",
            EnforcementLevel::Scratch => "commands ran in the read-only sandbox, builds on a throwaway layer",
            EnforcementLevel::ReadonlySandbox => "only commands that parse as read-only ran, in the read-only sandbox",
            EnforcementLevel::Readonly => "only commands that parse as read-only ran; no sandbox confined them",
            EnforcementLevel::Off => "no commands could run",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ChoiceKey {
    AcceptEdits,
    Default,
    Restore,
    Clear,
    KeepPlanning,
    Leave,
}

impl ChoiceKey {
    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            ChoiceKey::AcceptEdits => "acceptEdits",
            ChoiceKey::Default => "default",
            ChoiceKey::Restore => "restore",
            ChoiceKey::Clear => "clear",
            ChoiceKey::KeepPlanning => "keepPlanning",
            ChoiceKey::Leave => "leave",
        }
    }

    /// True for the choices that approve the plan.
    pub fn approves(self) -> bool {
        match self {
            ChoiceKey::AcceptEdits | ChoiceKey::Default | ChoiceKey::Restore | ChoiceKey::Clear => true,
            ChoiceKey::KeepPlanning | ChoiceKey::Leave => false,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanChoice {
    pub key: ChoiceKey,
    pub label: String,
    /// The mode that follows; the label contains its name.
    pub mode: Mode,
}

/// An open request; `plan.exit_request` for hosts (PM-143).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanExitRequest {
    pub ask_id: String,
    /// The whole plan; null if there is none (PM-73).
    pub plan: Option<String>,
    pub plan_file_path: String,
    /// Hash of the plan that is shown; the answer is bound to it (PM-84).
    pub sha256: Option<String>,
    pub revision: u32,
    pub choices: Vec<PlanChoice>,
    pub layer: EnforcementLevel,
    pub changed_files: Vec<String>,
    pub shells: Vec<String>,
    /// Hosts that commands contacted, as `host:port` (PM-67).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contacted_hosts: Vec<String>,
    /// Explains why the earlier mode is not offered (PM-83).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
    /// The teammate who wrote the plan (PM-134); `None` for the session's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// What the program understood of the plan; none if it has no steps (PC-4).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contract: Option<PlanContract>,
    /// How the planned files differ from an earlier submission of this text (PC-13).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub freshness: Option<PlanFreshness>,
    /// How commands will be kept in the scope; none without one (PC-22).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope_method: Option<ScopeMethod>,
    /// What the implementation may cost; none without a history to rest on (PC-12).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimate: Option<CostEstimate>,
    /// The approved revision that this plan amends; none if it is the first (PC-40).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub amends: Option<AmendedRevision>,
    /// The stay in plan mode that this request would end.
    pub(super) stay: u32,
}

impl PlanExitRequest {
    /// The plan of a job (FL-2): members approve it with this label, or send it back; nothing else is offered. `plan`
    /// may come later.
    pub fn for_job(ask_id: String, name: String, sha256: Option<String>, approve: Option<&str>) -> PlanExitRequest {
        let approve =
            approve.map(|label| PlanChoice { key: ChoiceKey::Restore, label: label.into(), mode: Mode::Default });
        let keep = choices_with_plan(Mode::Default).into_iter().find(|choice| choice.key == ChoiceKey::KeepPlanning);
        let choices = approve.into_iter().chain(keep).collect();
        PlanExitRequest { sha256, revision: 1, ..PlanExitRequest::of_others(ask_id, name, choices) }
    }

    /// A plan that this session did not make, with nothing but its name and the choices.
    pub(super) fn of_others(ask_id: String, plan_file_path: String, choices: Vec<PlanChoice>) -> PlanExitRequest {
        PlanExitRequest {
            ask_id,
            plan: None,
            plan_file_path,
            sha256: None,
            revision: 0,
            choices,
            layer: EnforcementLevel::Sandbox,
            changed_files: Vec::new(),
            shells: Vec::new(),
            contacted_hosts: Vec::new(),
            notice: None,
            from: None,
            contract: None,
            freshness: None,
            scope_method: None,
            estimate: None,
            amends: None,
            stay: 0,
        }
    }

    pub(super) fn new(state: &ModeState, submission: PlanSubmission) -> PlanExitRequest {
        let (back, notice) = state.mode_after_leaving();
        let plan = submission.content.text().map(str::to_string);
        PlanExitRequest {
            choices: if plan.is_some() { choices_with_plan(back) } else { choices_without_plan(back) },
            sha256: submission.content.sha256(),
            plan,
            ask_id: submission.ask_id,
            plan_file_path: submission.path,
            revision: submission.revision,
            layer: submission.layer,
            changed_files: submission.changed_files,
            shells: submission.shells,
            contacted_hosts: submission.contacted_hosts,
            notice,
            from: None,
            contract: submission.contract,
            freshness: submission.freshness,
            scope_method: submission.scope_method,
            estimate: submission.estimate,
            amends: submission.amends,
            stay: state.visit_number(),
        }
    }

    /// Why this answer could not be carried out, before it is taken (RV-3). `edited`: the contract of the plan in the
    /// answer, if that has one.
    pub fn check_answer(&self, answer: &PlanAnswer, edited: Option<PlanContract>) -> Result<(), String> {
        mode_after(self, answer)?;
        if !matches!(answer.choice, ChoiceKey::KeepPlanning | ChoiceKey::Leave) {
            let contract = if answer.plan.is_some() { edited } else { self.contract.clone() };
            ApprovalTerms::new(answer, contract).map_err(|why| why.to_string())?;
        }
        Ok(())
    }

    pub fn find_choice(&self, key: ChoiceKey) -> Option<&PlanChoice> {
        self.choices.iter().find(|choice| choice.key == key)
    }

    /// The digit for a choice in every front end. With a plan, digits follow the contract (PM-74), even if
    /// the third choice is missing.
    pub fn digit(&self, key: ChoiceKey) -> Option<char> {
        let at = self.choices.iter().position(|choice| choice.key == key)?;
        Some(match (self.plan.is_some(), key) {
            (true, ChoiceKey::AcceptEdits) => '1',
            (true, ChoiceKey::Default) => '2',
            (true, ChoiceKey::Restore) => '3',
            (true, ChoiceKey::Clear) => '4',
            (true, ChoiceKey::KeepPlanning) => '5',
            (true, ChoiceKey::Leave) => '6',
            (false, _) => char::from(b'1' + at.min(8) as u8),
        })
    }

    /// The choice with this digit.
    pub fn choice_with_digit(&self, typed: &str) -> Option<&PlanChoice> {
        self.choices.iter().find(|choice| self.digit(choice.key).map(String::from).as_deref() == Some(typed))
    }

    /// The approving choice that leads to this mode without clearing the context, for hosts that answer with
    /// a mode instead of a choice.
    pub fn choice_approving_mode(&self, mode: Mode) -> Option<&PlanChoice> {
        let keys = [ChoiceKey::AcceptEdits, ChoiceKey::Default, ChoiceKey::Restore];
        self.choices.iter().find(|choice| keys.contains(&choice.key) && choice.mode == mode)
    }

    /// The approving choice that restores the earlier mode, for hosts that only answer "allow".
    pub fn default_approval(&self) -> Option<&PlanChoice> {
        if self.from.is_some() {
            // A teammate has no earlier mode here, so a plain "allow" grants the least (PM-134).
            return self.find_choice(ChoiceKey::Default);
        }
        let back = self.choices.iter().find(|choice| matches!(choice.key, ChoiceKey::Restore | ChoiceKey::Leave));
        back.and_then(|choice| self.choice_approving_mode(choice.mode))
    }
}

/// The choices with a plan (PM-74). The third is omitted if it equals one of the first two.
fn choices_with_plan(back: Mode) -> Vec<PlanChoice> {
    let mut choices = vec![
        new_choice(ChoiceKey::AcceptEdits, "Approve, accept edits automatically", Mode::AcceptEdits),
        new_choice(ChoiceKey::Default, "Approve, confirm each edit", Mode::Default),
    ];
    if !matches!(back, Mode::AcceptEdits | Mode::Default) {
        choices.push(new_choice(ChoiceKey::Restore, "Approve, back to the earlier mode", back));
    }
    choices.extend([
        new_choice(ChoiceKey::Clear, "Approve, clear the context and start", Mode::Default),
        new_choice(ChoiceKey::KeepPlanning, "Keep planning, with feedback", Mode::Plan),
        new_choice(ChoiceKey::Leave, "Leave plan mode and keep the plan; nothing runs", back),
    ]);
    choices
}

/// The choices without a plan: leave or stay (PM-73).
fn choices_without_plan(back: Mode) -> Vec<PlanChoice> {
    vec![
        new_choice(ChoiceKey::Restore, "Leave plan mode without a plan", back),
        new_choice(ChoiceKey::KeepPlanning, "Keep planning", Mode::Plan),
    ]
}

pub(super) fn new_choice(key: ChoiceKey, words: &str, mode: Mode) -> PlanChoice {
    PlanChoice { key, label: format!("{words} → {mode}"), mode }
}
