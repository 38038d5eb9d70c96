//! Rehearsals of the plan that waits for an answer (RH-1 to RH-4, RH-7): started and cancelled by the user, and applied
//! by an approval that names one.

use super::SessionState;
use super::asks::OpenAsk;
use super::call_runner::CallRef;
use super::events::SessionEvent;
use crate::plan::rehearsal::{AgentNews, FinishedRehearsal, NotApplied, RehearsalBudget, RehearsalError, RehearsalJob};
use crate::plan::{PlanRevisions, read_contract};
use cutonce_core::conversation::TokenUsage;
use cutonce_core::plan::PlanEvent;
use cutonce_core::plan::approval::{self, ApprovalTerms, ApprovedPlan, ChoiceKey, PlanAnswer};
use cutonce_core::plan::progress::{Evidence, StepAnswer};
use cutonce_core::plan::rehearsal::{
    RehearsalChoice, RehearsalEvent, RehearsalNews, RehearsalOrder, RehearsalStart, RehearsedPlan,
};
use cutonce_core::plan::sha256_hex;
use cutonce_core::protocol::event::{EndReason, NoticeLevel};
use cutonce_core::settings::plan::PlanLint;
use cutonce_core::text::number::dollars;
use cutonce_core::turn::{TurnEvent, UserInput};
use cutonce_tools::tool::ToolOutcome;
use std::collections::{BTreeMap, BTreeSet};
use tokio_util::sync::{CancellationToken, DropGuard};

/// The rehearsals of a session. Dropping them ends those that run, and deletes all layers.
#[derive(Default)]
pub(crate) struct Rehearsals {
    started: u32,
    open: BTreeMap<String, OpenRehearsal>,
    /// The approval that waits for the comparison with the workspace.
    applying: Option<(OpenAsk, PlanAnswer)>,
    /// Compared with the workspace a moment ago: its approval applies it.
    checked: Option<(String, OpenRehearsal)>,
}

struct OpenRehearsal {
    /// The plan that is rehearsed.
    sha256: Option<String>,
    /// Answers about its steps.
    steps: BTreeMap<String, StepAnswer>,
    model: String,
    /// Dollars that the session's total contains already.
    counted: f64,
    /// Ends it when dropped.
    _cancel: DropGuard,
    finished: Option<Box<FinishedRehearsal>>,
}

/// What the task of a rehearsal reports.
pub(crate) enum RehearsalReport {
    News(AgentNews),
    Ended(Result<Box<FinishedRehearsal>, RehearsalError>),
    Kept {
        finished: Box<FinishedRehearsal>,
        /// The name, or why it is not kept.
        outcome: Result<String, String>,
    },
    /// The workspace was compared, because the user wants to apply it.
    Checked {
        finished: Box<FinishedRehearsal>,
        outcome: Result<(), NotApplied>,
    },
    Applied {
        call: Option<CallRef>,
        approved: Box<ApprovedPlan>,
        finished: Box<FinishedRehearsal>,
        outcome: AppliedOutcome,
    },
}

/// The files that were taken out, or why nothing was applied.
type AppliedOutcome = Result<BTreeSet<String>, NotApplied>;

impl SessionState {
    pub(super) fn rehearsal_ordered(&mut self, order: RehearsalOrder) -> Result<(), String> {
        match order {
            RehearsalOrder::Start(start) => self.start_rehearsal(start),
            RehearsalOrder::Cancel { id: Some(id) } => match self.planner.rehearsals.open.remove(&id) {
                Some(open) => {
                    self.rehearsal_stopped(&id, open, "it was cancelled");
                    Ok(())
                }
                None => Err(format!("there is no rehearsal {id}")),
            },
            RehearsalOrder::Cancel { id: None } => {
                self.end_rehearsals("it was cancelled");
                Ok(())
            }
            RehearsalOrder::Keep { id, name } => self.keep_rehearsal(id, name),
        }
    }

    /// Keeps a result by name, so that it survives the session (RH-5).
    fn keep_rehearsal(&mut self, id: String, name: Option<String>) -> Result<(), String> {
        let open = self.planner.rehearsals.open.get_mut(&id).ok_or_else(|| format!("there is no rehearsal {id}"))?;
        let mut finished = open.finished.take().ok_or_else(|| format!("the rehearsal {id} has not finished"))?;
        let name = name.unwrap_or_else(|| {
            let short_hash = finished.result.diff_sha256.chars().take(6).collect();
            format!("{}-{id}", finished.result.plan.slug.clone().unwrap_or(short_hash))
        });
        let (events, limits) = (self.events.clone(), self.context.shared.settings.plan.rehearsal);
        tokio::task::spawn_blocking(move || {
            let outcome = finished.keep(&name, limits).map(|()| name).map_err(|why| why.to_string());
            let report = Box::new(RehearsalReport::Kept { finished, outcome });
            let _ = events.send(SessionEvent::Rehearsal { id, report });
        });
        Ok(())
    }

    fn rehearsal_kept(&mut self, id: &str, finished: Box<FinishedRehearsal>, outcome: Result<String, String>) {
        // A kept layer stays, also if the review ended meanwhile.
        if let Some(open) = self.planner.rehearsals.open.get_mut(id) {
            open.finished = Some(finished);
        }
        let news = match outcome {
            Ok(name) => RehearsalNews::Kept { name },
            Err(why) => RehearsalNews::NotKept { why },
        };
        self.rehearsal_news(id, news);
    }

    /// Ends all rehearsals: the plan that they are about no longer waits.
    pub(super) fn end_rehearsals(&mut self, why: &str) {
        for (id, open) in std::mem::take(&mut self.planner.rehearsals.open) {
            self.rehearsal_stopped(&id, open, why);
        }
    }

    fn rehearsal_stopped(&mut self, id: &str, open: OpenRehearsal, why: &str) {
        self.rehearsal_news(id, RehearsalNews::Stopped { why: why.into() });
        // A layer can be large.
        tokio::task::spawn_blocking(move || drop(open));
    }

    fn rehearsal_news(&self, id: &str, news: RehearsalNews) {
        self.plan_event(PlanEvent::Rehearsal(Box::new(RehearsalEvent { id: id.to_string(), news })));
    }

    fn start_rehearsal(&mut self, start: RehearsalStart) -> Result<(), String> {
        let request = self.planner.approval.open_request().ok_or("no plan waits for an answer")?;
        if self.over_budget() {
            return Err(self.used_up_text());
        }
        let waiting = request.plan.clone().ok_or("there is no plan to rehearse")?;
        let other = start.revision.filter(|revision| *revision != request.revision);
        let (plan, contract, sha256) = match other {
            Some(revision) => {
                let text = self.plan_revision(revision)?;
                let contract = read_contract(&self.context.env.workspace.root, &text, PlanLint::Off);
                let sha256 = Some(sha256_hex(&text));
                (text, contract, sha256)
            }
            None => (waiting, request.contract.clone(), request.sha256.clone()),
        };
        let given = PlanAnswer {
            steps: start.steps.clone(),
            model: start.model.clone(),
            budget_usd: start.budget_usd,
            ..PlanAnswer::new(request.ask_id.clone(), ChoiceKey::Default)
        };
        let terms = ApprovalTerms::new(&given, contract).map_err(|why| why.to_string())?;
        let path = request.plan_file_path.clone();
        let approved = terms.approved_contract("", 0);
        let step_ids = approved.map(|approved| approved.approved_steps().map(|step| step.id.clone()).collect());
        let home = self.context.env.workspace.cutonce_home.clone();
        let mut env: Vec<_> = std::env::vars_os().filter(|(name, _)| name != "CUTONCE_HOME").collect();
        env.push(("CUTONCE_HOME".into(), home.clone().into()));
        let model = start.model.unwrap_or_else(|| self.model.selection.main().to_string());
        let job = RehearsalJob {
            root: self.context.env.workspace.root.clone(),
            home,
            env,
            plan: RehearsedPlan { slug: self.planner.slug(), sha256: sha256.clone().unwrap_or_default(), path },
            text: terms.text_for_model(&plan),
            step_ids,
            model: Some(model.clone()),
            max_turns: None,
            budget: self.rehearsal_budget(start.budget_usd),
            limits: self.context.shared.settings.plan.rehearsal,
        };
        self.planner.rehearsals.started += 1;
        let id = format!("r{}", self.planner.rehearsals.started);
        let cancel = CancellationToken::new();
        let open = OpenRehearsal {
            sha256,
            steps: start.steps,
            model: model.clone(),
            counted: 0.0,
            _cancel: cancel.clone().drop_guard(),
            finished: None,
        };
        self.planner.rehearsals.open.insert(id.clone(), open);
        self.rehearsal_news(&id, RehearsalNews::Started { model: Some(model), revision: other });
        let events = self.events.clone();
        tokio::spawn(async move {
            let report = |report: RehearsalReport| {
                // A session that ended needs no report.
                let _ = events.send(SessionEvent::Rehearsal { id: id.clone(), report: Box::new(report) });
            };
            let ended = job.run(&cancel, &|news| report(RehearsalReport::News(news))).await;
            report(RehearsalReport::Ended(ended.map(Box::new)));
        });
        Ok(())
    }

    /// The text of a submitted revision of this plan (RH-7).
    fn plan_revision(&self, revision: u32) -> Result<String, String> {
        let slug = self.planner.slug().ok_or("this plan has no revisions")?;
        let revisions = PlanRevisions::for_plan(&self.context.env.workspace.cutonce_home, &slug);
        revisions.text(revision).map_err(|error| format!("revision {revision} of the plan can't be read: {error}"))
    }

    /// What a rehearsal may spend: its own budget, and no more than the session has left (PC-12).
    fn rehearsal_budget(&self, wanted: Option<f64>) -> Option<RehearsalBudget> {
        let wanted = wanted.map(|usd| RehearsalBudget { usd, source: "the budget chosen in the review" });
        let left = self.context.max_budget.map(|max| RehearsalBudget {
            usd: max - self.model.usage.cost(),
            source: "what the session had left of `--max-budget-usd`",
        });
        wanted.into_iter().chain(left).min_by(|a, b| a.usd.total_cmp(&b.usd))
    }

    fn used_up_text(&self) -> String {
        let most = dollars(self.context.max_budget.unwrap_or_default());
        format!("the session's budget of {most} (`--max-budget-usd`) is used up")
    }

    /// Counts an answer to the agent in the session's total (DU-3), also if the rehearsal was cancelled meanwhile.
    fn rehearsal_used(&mut self, id: &str, model: String, usage: TokenUsage) {
        let open = self.planner.rehearsals.open.get_mut(id);
        let priced = open.as_ref().map_or(model.as_str(), |open| open.model.as_str());
        let cost = self.context.shared.settings.model_info(priced).cost(&usage);
        if let Some(open) = open {
            open.counted += cost;
        }
        self.model.usage.summary(&model, usage, cost);
        self.report_totals();
        if self.over_budget() {
            self.end_rehearsals(&self.used_up_text());
        }
    }

    pub(super) fn rehearsal_reported(&mut self, id: &str, report: RehearsalReport) {
        match report {
            RehearsalReport::News(AgentNews::Called { text, calls }) => {
                if self.planner.rehearsals.open.contains_key(id) {
                    self.rehearsal_news(id, RehearsalNews::Progress { text, calls });
                }
            }
            RehearsalReport::News(AgentNews::Used { model, usage }) => self.rehearsal_used(id, model, usage),
            RehearsalReport::Ended(ended) => self.rehearsal_ended(id, ended),
            RehearsalReport::Kept { finished, outcome } => self.rehearsal_kept(id, finished, outcome),
            RehearsalReport::Checked { finished, outcome } => self.rehearsal_checked(id, finished, outcome),
            RehearsalReport::Applied { call, approved, finished, outcome } => {
                self.rehearsal_applied(call, &approved, &finished, outcome);
                self.end_rehearsals("the plan was approved");
                tokio::task::spawn_blocking(move || drop(finished));
            }
        }
    }

    fn rehearsal_checked(&mut self, id: &str, finished: Box<FinishedRehearsal>, outcome: Result<(), NotApplied>) {
        let Some((ask, answer)) = self.planner.rehearsals.applying.take() else { return };
        // It was cancelled meanwhile.
        let Some(mut open) = self.planner.rehearsals.open.remove(id) else {
            return self.rehearsal_refused(ask, id, "the rehearsal was cancelled");
        };
        open.finished = Some(finished);
        if let Err(why) = outcome {
            self.planner.rehearsals.open.insert(id.to_string(), open);
            return self.rehearsal_refused(ask, id, &why.to_string());
        }
        self.planner.rehearsals.checked = Some((id.to_string(), open));
        self.plan_answered(ask, answer);
        // It was not approved after all.
        if let Some((id, open)) = self.planner.rehearsals.checked.take() {
            self.rehearsal_stopped(&id, open, "the plan was not approved");
        }
    }

    fn rehearsal_ended(&mut self, id: &str, ended: Result<Box<FinishedRehearsal>, RehearsalError>) {
        // It was cancelled meanwhile.
        let Some(mut open) = self.planner.rehearsals.open.remove(id) else { return };
        match ended {
            Ok(finished) => {
                let (passed, result) = (finished.passed, Box::new(finished.result.clone()));
                let checks = finished.checks.clone();
                // What its own agents and summaries cost is known only now.
                let rest = (result.cost_usd - open.counted).max(0.0);
                self.model.usage.summary(&open.model, TokenUsage::default(), rest);
                self.report_totals();
                if let Some(why) = &finished.result.failure {
                    self.notice(NoticeLevel::Warning, &format!("The rehearsal {id} failed: {why}"));
                }
                open.finished = Some(finished);
                self.planner.rehearsals.open.insert(id.to_string(), open);
                self.rehearsal_news(id, RehearsalNews::Finished { passed, result, checks });
            }
            Err(error) => self.rehearsal_stopped(id, open, &error.to_string()),
        }
    }

    /// True if the answer applies a rehearsal that has not been compared with the workspace yet.
    pub(super) fn applies_unchecked(&self, answer: &PlanAnswer) -> bool {
        answer.rehearsal.is_some() && self.planner.rehearsals.checked.is_none()
    }

    /// «Apply exactly this»: compares the workspace before anything is approved (RH-3).
    pub(super) fn check_rehearsal(&mut self, ask: OpenAsk, mut answer: PlanAnswer) {
        let Some(choice) = answer.rehearsal.as_deref().cloned() else { return };
        let finished = match self.take_finished(&choice, &mut answer.steps) {
            Ok(finished) => finished,
            Err(why) => return self.rehearsal_refused(ask, &choice.id, &why),
        };
        self.planner.rehearsals.applying = Some((ask, answer));
        let (events, id) = (self.events.clone(), choice.id.clone());
        tokio::task::spawn_blocking(move || {
            let outcome = finished.check(&choice);
            let report = Box::new(RehearsalReport::Checked { finished, outcome });
            let _ = events.send(SessionEvent::Rehearsal { id, report });
        });
    }

    /// The rehearsal of exactly the plan and the diff that the user saw. The approval is about the steps that it
    /// carried out.
    fn take_finished(
        &mut self,
        choice: &RehearsalChoice,
        steps: &mut BTreeMap<String, StepAnswer>,
    ) -> Result<Box<FinishedRehearsal>, String> {
        let shown = self.planner.approval.open_request().and_then(|request| request.sha256.clone());
        let open = self.planner.rehearsals.open.get_mut(&choice.id);
        let open = open.ok_or_else(|| format!("there is no rehearsal {}", choice.id))?;
        if open.sha256 != shown {
            return Err("it rehearsed another revision of the plan than the one that waits".into());
        }
        if steps.is_empty() {
            steps.clone_from(&open.steps);
        } else if *steps != open.steps {
            return Err("other steps were rehearsed than you approve; rehearse the plan again".into());
        }
        match open.finished.take() {
            Some(finished) if finished.result.diff_sha256 == choice.diff_sha256 => Ok(finished),
            Some(finished) => {
                open.finished = Some(finished);
                Err("the diff is not the one that the rehearsal has".into())
            }
            None => Err(format!("the rehearsal {} has not finished", choice.id)),
        }
    }

    /// Nothing is applied, nothing is approved, and the plan still waits.
    fn rehearsal_refused(&mut self, ask: OpenAsk, id: &str, why: &str) {
        self.rehearsal_news(id, RehearsalNews::NotApplied { why: why.into() });
        self.notice(NoticeLevel::Warning, &format!("Nothing was applied: {why}. The plan still waits for an answer."));
        if self.planner.approval.open_request().is_some() {
            self.asks.push(ask);
        }
    }

    /// The plan is approved: applies the rehearsal that was compared. False if the answer names none.
    pub(super) fn apply_rehearsal(&mut self, n: Option<usize>, approved: &ApprovedPlan) -> bool {
        let Some(choice) = approved.rehearsal.as_deref().cloned() else { return false };
        let Some((id, open)) = self.planner.rehearsals.checked.take() else { return false };
        let Some(mut finished) = open.finished else { return false };
        let (disk, events, approved) = (self.context.env.disk.clone(), self.events.clone(), Box::new(approved.clone()));
        let call = n.map(|n| self.calls.reference(n));
        tokio::task::spawn_blocking(move || {
            let outcome = finished.apply(&disk, &choice);
            let report = Box::new(RehearsalReport::Applied { call, approved, finished, outcome });
            let _ = events.send(SessionEvent::Rehearsal { id, report });
        });
        true
    }

    /// The model learns that the plan was carried out, and how (RH-4).
    fn rehearsal_applied(
        &mut self,
        call: Option<CallRef>,
        approved: &ApprovedPlan,
        finished: &FinishedRehearsal,
        outcome: AppliedOutcome,
    ) {
        let n = call.filter(|call| self.calls.is_open(*call)).map(|call| call.n);
        let out = match outcome {
            Ok(out) => out,
            Err(why) => {
                let text = why.message();
                self.notice(NoticeLevel::Error, &text);
                self.plan_result(n, ToolOutcome::error(format!("{text} The user decides what happens next.")));
                return self.end_with_batch(EndReason::Completed);
            }
        };
        match out.is_empty() {
            true => self.take_over_checks(finished),
            // The user does not want all of it: the model is not urged to do the rest.
            false => self.hold_open_steps(),
        }
        let count = finished.result.files.len().saturating_sub(out.len());
        let noun = if count == 1 { "file" } else { "files" };
        self.notice(NoticeLevel::Info, &format!("Applied the rehearsal: {count} {noun}. /rewind undoes it."));
        let text = approval::applied_result(approved, &finished.result, &out);
        match (n, call) {
            (Some(n), _) => self.complete_call(n, ToolOutcome::text(text)),
            // Interrupted meanwhile.
            (None, Some(_)) => {}
            (None, None) => self.pending.push_back(TurnEvent::Input(UserInput::meta(text))),
        }
    }

    /// The checks passed on exactly what was applied.
    fn take_over_checks(&mut self, finished: &FinishedRehearsal) {
        let steps = finished.result.report.iter().flat_map(|report| &report.steps);
        for check in steps.flat_map(|step| step.checks.clone()).collect::<Vec<_>>() {
            let ran = finished.checks.iter().find(|ran| ran.command == check.command);
            let output = ran.map(|ran| ran.output.clone()).unwrap_or_default();
            let (command, exit_code, stopped, by, at) =
                (check.command, check.exit_code, check.stopped, check.by, check.at);
            self.check_ran(Evidence::Ran { command, exit_code, stopped, by, at, output });
        }
    }
}
