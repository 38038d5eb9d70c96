//! The planning part of a session that opens: its plan file, instructions, tools, and the transcript entries that
//! restore the mode.

use super::{SessionBuilder, StartError, planning_phase, read_bodies};
pub(super) use crate::plan::rehearsal::recover_applying;
use crate::plan::{PlanError, PlanFiles};
use crate::session::{Approver, ImplementationWork, Planner, plan_tools};
use crate::storage::{EphemeralStore, TranscriptReader, TranscriptStore, implementation_entries};
use cutonce_core::mode;
use cutonce_core::permission::rules::RuleSet;
use cutonce_core::plan::reminder::{self, PlanInstructions};
use cutonce_core::plan::{self, PlanningTools};
use cutonce_core::prompts::ASK_TOOL;
use cutonce_core::settings::Settings;
use cutonce_core::subagent::AGENT_TOOL;
use cutonce_core::transcript::EntryKind;
use cutonce_tools::tool::AnyTool;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

/// Entries needed to restore the mode (PM-12).
pub(super) const MODE_KINDS: [EntryKind; 9] = [
    EntryKind::Session,
    EntryKind::Plan,
    EntryKind::Scope,
    EntryKind::Contract,
    EntryKind::User,
    EntryKind::Mode,
    EntryKind::Reminder,
    EntryKind::Compaction,
    EntryKind::Clear,
];
/// Entries that may contain the plan's text (PM-48).
const PLAN_TEXT_KINDS: [EntryKind; 5] =
    [EntryKind::FileSnapshot, EntryKind::Tool, EntryKind::User, EntryKind::Clear, EntryKind::Reminder];

/// Maximum size of a template.
const MAX_TEMPLATE: u64 = 16 << 10;

impl SessionBuilder {
    /// EnterPlanMode and ExitPlanMode, as far as they are offered (PM-32).
    pub(super) fn planning_tools(&self, settings: &Settings, rules: &RuleSet) -> Vec<Arc<dyn AnyTool>> {
        // The lead answers a teammate's plan, so an approver is present.
        let approver = self.permissions.approver == Approver::Present || self.team.join.is_some();
        let enter = plan::is_enter_offered(settings.plan.entry, approver, self.permissions.user_away);
        let offers = |tool: &str| self.offers_tool(tool) && !rules.denies_tool(tool);
        let agents = offers(AGENT_TOOL);
        let questions = self.permissions.approver == Approver::Present && offers(ASK_TOOL);
        let (write, edit) = (offers("Write"), offers("Edit"));
        let planning = PlanningTools { questions, write, edit, explore_agents: agents, plan_agents: agents };
        plan_tools(settings.plan.eagerness, enter, planning)
    }

    /// Sets up the plan file. A resumed session reopens or restores its earlier file (PM-48, PM-49).
    pub(super) fn build_planner(
        &self,
        settings: &Settings,
        store: &TranscriptStore,
        state: &mode::ModeState,
        passing: &Option<EphemeralStore>,
        notices: &mut Vec<String>,
    ) -> Result<Planner, StartError> {
        let variable = |name: &str| {
            let value = self.env.iter().find(|(key, _)| key == name).map(|(_, value)| value.to_string_lossy());
            value.map(|value| value.into_owned())
        };
        let root = self.dirs.cwd.canonicalize().unwrap_or_else(|_| self.dirs.cwd.clone());
        // An ephemeral session deletes its plan, so `plansDirectory` is ignored.
        let directory = settings.plans_directory.as_deref().filter(|_| passing.is_none());
        let home = passing.as_ref().map_or(self.dirs.home.as_path(), EphemeralStore::home);
        let (files, warning) = PlanFiles::new(home, &root, store.id(), directory, settings.plan.names);
        notices.extend(warning);
        let (explore, plans) = (variable("CUTONCE_PLAN_EXPLORE_AGENTS"), variable("CUTONCE_PLAN_AGENTS"));
        let counts = reminder::plan_agent_limits(explore.as_deref(), plans.as_deref(), &settings.plan);
        notices.extend(counts.warnings.iter().cloned());
        let interview = variable("CUTONCE_PLAN_INTERVIEW");
        let workflow = reminder::effective_workflow(interview.as_deref(), settings.plan.workflow);
        let mut instructions = PlanInstructions::new(workflow, settings.plan.length, &counts);
        instructions.custom_text = self.prompt.custom_workflow.clone().map(Ok);
        let deny_read = settings.sandbox.deny_read.iter().map(|path| self.expand_path(path)).collect();
        let mut planner = Planner::new(files, instructions, deny_read);
        let request = self.prompt.first_request.clone().unwrap_or_default();
        if state.is_planning() && store.path().exists() {
            planner.entered = last_mode_change(store.path());
            planner.phase = planning_phase::restore_phase(store.path(), state.slug(), workflow);
        }
        if store.path().exists() {
            let entries = implementation_entries(store.path());
            planner.work = ImplementationWork::restore(&entries.unwrap_or_default(), &root);
        }
        match state.slug() {
            Some(slug) => self.reopen_plan_file(&mut planner, slug, store, &request, notices)?,
            // A name of the kind `task` waits for the first message (PM-51).
            None if state.is_planning() && !planner.files.named_by_task() => {
                planner.file = Some(planner.files.reserve(&request)?);
            }
            None => {}
        }
        Ok(planner)
    }

    fn reopen_plan_file(
        &self,
        planner: &mut Planner,
        slug: &str,
        store: &TranscriptStore,
        request: &str,
        notices: &mut Vec<String>,
    ) -> Result<(), StartError> {
        let file = match planner.files.reopen(slug) {
            Ok(file) => file,
            // A fork gets a new name and a copy; the original stays unchanged.
            Err(PlanError::OtherSession { .. }) => planner.files.fork(slug, request)?.0,
            Err(error) => return Err(error.into()),
        };
        if !file.path().exists() {
            let bodies = read_bodies(store.path(), &PLAN_TEXT_KINDS)?;
            if let Some(from) = file.restore(plan::restore_plan(&bodies))? {
                notices.push(format!("The plan file was missing and has been restored from {from}."));
            }
        }
        planner.file = Some(file);
        Ok(())
    }
}

/// When the mode was last changed.
fn last_mode_change(transcript: &Path) -> Option<SystemTime> {
    let (_, entry) = TranscriptReader::open(transcript).ok()?.last_entry_of(EntryKind::Mode).ok()??;
    entry.at.parse::<jiff::Timestamp>().ok().map(SystemTime::from)
}

/// The text of `.cutonce/plan.md`, from trusted folders only.
pub(super) fn read_template(project: &Path, trusted: bool, notices: &mut Vec<String>) -> Option<String> {
    let path = project.join(".cutonce/plan.md");
    let size = path.metadata().ok().filter(|meta| trusted && meta.is_file())?.len();
    if size > MAX_TEMPLATE {
        notices.push(format!("{} is not used: it is longer than {MAX_TEMPLATE} bytes.", path.display()));
        return None;
    }
    match std::fs::read_to_string(&path) {
        Ok(text) => Some(text).filter(|text| !text.trim().is_empty()),
        Err(error) => {
            notices.push(format!("{} is not used: {error}.", path.display()));
            None
        }
    }
}
