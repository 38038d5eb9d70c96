//! Freshness during the implementation (PC-13): at a resume and at the start of a step, a planned file that someone
//! else changed interrupts. The user continues, re-plans or cancels.

use super::SessionState;
use super::asks::OpenSubject;
use super::parts::Approver;
use super::plan_question::{PlanQuestion, chosen_option, option};
use crate::plan::{content_of, park_plan};
use crate::storage::versions::{FileVersions, content_hash};
use cutonce_core::mode::{self, Mode};
use cutonce_core::permission::{Access, CallFacts, Decision, DeniedCall, Why};
use cutonce_core::plan::StaleFile;
use cutonce_core::plan::progress::{Evidence, StepState};
use cutonce_core::protocol::event::{EndReason, NoticeLevel};
use cutonce_core::protocol::submission::{AskAnswer, ChangedBy};
use cutonce_core::text::sanitize::one_line;
use cutonce_core::turn::TurnEvent;
use cutonce_tools::files::unified_diff;
use std::path::Path;

const CONTINUE: &str = "Continue";
const REPLAN: &str = "Plan again";
const CANCEL: &str = "Cancel";

impl SessionState {
    /// Keeps the planned files as they are at the approval, so that a later change can be shown.
    pub(super) fn stamp_contents(&self, files: impl Iterator<Item = String>) {
        let versions = FileVersions::new(self.transcript.store.clone());
        for path in files {
            let small =
                content_of(&self.context.env.workspace.root.join(path)).filter(|bytes| bytes.len() <= 256 << 10);
            // Without the content, a later change has no diff.
            let _ = small.map(|bytes| versions.store_content(&bytes, false));
        }
    }

    /// The files of open steps that differ from what this session knows; all of them, or one.
    fn stale_files(&self, only: Option<&str>) -> Vec<StaleFile> {
        let Some(work) = &self.planner.work else { return Vec::new() };
        let root = &self.context.env.workspace.root;
        let versions = FileVersions::new(self.transcript.store.clone());
        let open = work.progress.plan().approved_steps().filter(|step| work.progress.state(step) == StepState::Open);
        let planned = open.flat_map(|step| step.files.iter().map(move |file| (step, file)));
        let mut found: Vec<StaleFile> = Vec::new();
        for (step, file) in planned.filter(|(_, file)| only.is_none_or(|only| only == file.path)) {
            let Some(known) = work.progress.known_content(&file.path) else { continue };
            let now = content_of(&root.join(&file.path));
            if known == now.as_deref().map(content_hash).as_deref() || found.iter().any(|stale| stale.path == file.path)
            {
                continue;
            }
            let old = versions.read_version(known).ok();
            let diff = old.map(|old| unified_diff(&file.path, old.as_deref(), &now.unwrap_or_default()));
            found.push(StaleFile { step: step.id.clone(), path: file.path.clone(), diff });
        }
        found
    }

    /// A step starts with the first write to one of its files. If someone else changed that file, the write waits for
    /// the user.
    pub(super) fn starts_fresh(&mut self, facts: &CallFacts, decision: Decision) -> Decision {
        let (Access::Write(target), false) = (&facts.access, self.mode.is_planning()) else { return decision };
        let path = target.path.strip_prefix(&self.context.env.workspace.root).ok().map(|path| path.to_string_lossy());
        let Some(path) = path.filter(|_| !matches!(decision, Decision::Deny(_))) else { return decision };
        let stale = self.stale_files(Some(&path));
        if stale.is_empty() {
            return decision;
        }
        let text = describe(&stale);
        if let Some(work) = &mut self.planner.work {
            work.stale = stale;
        }
        self.hold_open_steps();
        self.end_with_batch(EndReason::Completed);
        let message = format!(
            "Not run: {text} since the approval. The user is asked whether to continue, to plan again, or to cancel."
        );
        Decision::Deny(DeniedCall { why: Why::from_reason(text), message })
    }

    /// After a resume: the files of open steps may have changed while no session ran. Without an approver the first
    /// write finds it.
    pub(super) fn check_freshness(&mut self) {
        if self.context.approver != Approver::Present {
            return;
        }
        let stale = self.stale_files(None);
        if let Some(work) = &mut self.planner.work {
            work.stale = stale;
        }
        self.ask_about_stale();
    }

    /// Asks about files that changed under open steps; false if no one is asked. Without an approver a notice says what
    /// happened.
    pub(super) fn ask_about_stale(&mut self) -> bool {
        let stale = self.planner.work.as_mut().map(|work| std::mem::take(&mut work.stale)).unwrap_or_default();
        if stale.is_empty() {
            return false;
        }
        let diffs: Vec<&str> = stale.iter().filter_map(|file| file.diff.as_deref()).collect();
        let preview = (!diffs.is_empty()).then(|| diffs.join("\n"));
        let asked = self.ask_about_plan(PlanQuestion {
            subject: OpenSubject::Stale,
            header: "Freshness",
            what: format!("{} since the approval.", describe(&stale)),
            question: "Continue with the plan?".into(),
            otherwise: "The turn ended: plan again, or send a message to continue.",
            options: vec![
                option(CONTINUE, "The plan is carried out on the changed files.", preview),
                option(REPLAN, "Plan mode: the agent amends the plan. Steps that are done stay done.", None),
                option(CANCEL, "The implementation ends; the plan is parked.", None),
            ],
        });
        if let Some(work) = self.planner.work.as_mut().filter(|_| !asked) {
            work.told_stale = true;
        }
        asked
    }

    /// Only a clear answer does something; a message of the user continues.
    pub(super) fn stale_answered(&mut self, answer: &AskAnswer) {
        let stale = describe(&self.stale_files(None));
        match chosen_option(answer) {
            Some(CONTINUE) => {
                self.accept_stale();
                self.release_open_steps();
                self.continue_turn(format!(
                    "Since the approval, {stale}. The user wants you to continue with the plan: read these files again first."
                ));
            }
            Some(REPLAN) => {
                self.begin_amendment();
                self.mode_event(mode::ModeEvent::Set { to: Mode::Plan, by: ChangedBy::User });
                self.continue_turn(format!("Since the approval, {stale}. Read these files again and amend the plan."));
            }
            Some(CANCEL) => {
                let slug = self.implemented_plan();
                self.end_implementation();
                // A plan from a file has no revisions to park.
                let _ = slug.map(|slug| park_plan(self.planner.files.home(), &slug));
                self.notice(NoticeLevel::Info, "The implementation was cancelled; the plan is parked.");
                self.pending.push_back(TurnEvent::EndConfirmed);
            }
            Some(_) | None => self.pending.push_back(TurnEvent::EndConfirmed),
        }
    }

    /// The user continues: what is there now is known.
    pub(super) fn accept_stale(&mut self) {
        for file in self.stale_files(None) {
            self.note_content(&file.path);
        }
    }

    /// Notes the content of a planned file that this session is responsible for, also through its hooks.
    pub(super) fn note_content(&mut self, path: &str) {
        let after = content_of(&self.context.env.workspace.root.join(path)).as_deref().map(content_hash);
        let known = self.planner.work.as_ref().and_then(|work| work.progress.known_content(path));
        if known.is_some_and(|known| known != after.as_deref()) {
            self.observe(Evidence::Seen { path: path.to_string(), after });
        }
    }

    /// A call of this session ended: its hooks may have formatted the file.
    pub(super) fn note_touched(&mut self, touched: &[std::path::PathBuf]) {
        let root = self.context.env.workspace.root.clone();
        let planned: Vec<String> = touched.iter().filter_map(|path| Some(relative(path, &root)?.to_string())).collect();
        let written = |path: &String| self.planner.work.as_ref().is_some_and(|work| work.progress.has_written(path));
        let written: Vec<String> = planned.into_iter().filter(written).collect();
        written.iter().for_each(|path| self.note_content(path));
    }
}

/// Which files changed under which steps: «b.txt changed under step 2».
fn describe(stale: &[StaleFile]) -> String {
    let mut steps: Vec<&str> = stale.iter().map(|file| file.step.as_str()).collect();
    steps.dedup();
    let paths: Vec<String> = stale.iter().map(|file| one_line(&file.path)).collect();
    let noun = if steps.len() == 1 { "step" } else { "steps" };
    format!("{} changed under {noun} {}", paths.join(", "), steps.join(", "))
}

fn relative<'a>(path: &'a Path, root: &Path) -> Option<&'a str> {
    path.strip_prefix(root).ok()?.to_str()
}
