//! The scope of the lead's plan in its teammates (PC-23), and their evidence in the lead. A teammate asks and is denied
//! as the lead would be; what it writes and runs counts for the lead's steps.

use super::SessionState;
use cutonce_core::mode;
use cutonce_core::permission::added_path;
use cutonce_core::plan::progress::Evidence;
use cutonce_core::plan::scope::PlanScope;
use cutonce_core::protocol::submission::{AskAnswer, PermissionAnswer};
use cutonce_core::transcript::EntryBody;
use cutonce_tools::files::freeze_rules;

impl SessionState {
    /// The lead's side: shares the scope with the members. An amendment in progress does not lift it.
    pub(super) fn publish_scope(&self) {
        if let Some(team) = self.team.as_ref().filter(|_| !self.is_teammate()) {
            team.handle.set_scope(self.mode.whole_scope().cloned());
        }
    }

    /// The teammate's side: from now on the lead's scope decides.
    pub(super) fn take_lead_scope(&mut self, scope: Option<PlanScope>) {
        if self.mode.whole_scope() == scope.as_ref() {
            return self.follow_implementation();
        }
        self.append(EntryBody::Scope { scope: scope.clone() });
        self.mode_event(mode::ModeEvent::ScopeSet(scope));
        self.follow_implementation();
    }

    /// A scope that comes from the lead.
    pub(super) fn has_lead_scope(&self) -> bool {
        self.is_teammate() && self.mode.whole_scope().is_some()
    }

    /// The teammate's side: the lead's user added a file. The lead confirms it to all.
    pub(super) fn extend_lead_scope(&mut self, path: &str) {
        let Some(mut scope) = self.mode.whole_scope().cloned() else { return };
        scope.add(path);
        freeze_rules(&self.context.env.workspace.root, &mut scope);
        self.take_lead_scope(Some(scope));
    }

    /// An answer about a command, or about a teammate's call, may add files to the plan (PC-24).
    pub(super) fn extend_scope_by(&mut self, answer: &AskAnswer) {
        let AskAnswer::Permission(PermissionAnswer::Allow { remember }) = answer else { return };
        for path in remember.iter().filter_map(|remembered| added_path(&remembered.rule)) {
            self.extend_scope(path);
        }
    }

    /// The teammate's side: what it observed goes to the lead, which has the plan's steps.
    pub(super) fn send_evidence(&self, evidence: Evidence) {
        if let Some(team) = self.team.as_ref().filter(|_| self.has_lead_scope()) {
            team.handle.report_evidence(evidence);
        }
    }

    /// The lead's side: a teammate's evidence. Its paths are relative to the workspace.
    pub(super) fn team_evidence(&mut self, evidence: Evidence) {
        let root = self.context.env.workspace.root.clone();
        self.check_ran(match evidence {
            Evidence::Wrote { path, before, after, exempt, modes, together } => {
                let path = root.join(path).to_string_lossy().into_owned();
                Evidence::Wrote { path, before, after, exempt, modes, together }
            }
            // Only the lead's own session reminds and spends.
            Evidence::Ran { .. } | Evidence::Denied { .. } => evidence,
            Evidence::Seen { .. } | Evidence::Reminded | Evidence::Spent { .. } => return,
        });
    }
}
