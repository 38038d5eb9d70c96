//! Plans in the terminal: which ones wait for a review, when a review opens, and how the conversation shows
//! the decision (PM-80, PM-134, PM-142).

use super::{App, AppMessage, send_to_app};
use crate::entries::{self, ConversationEntryKind};
use crate::overlays::Overlay;
use crate::overlays::pager::{PagerContent, PagerItem};
use crate::plan_review::{ModelChoice, PlanReview, RehearsalList, ReviewSubject, SharedRehearsals};
use crate::render::text;
use crate::render::theme::Theme;
use cutonce_core::mode::Mode;
use cutonce_core::plan::approval::{ChoiceKey, PlanAnswer, PlanExitRequest, price_text};
use cutonce_core::plan::rehearsal::{RehearsalEvent, RehearsalNews, RehearsalOrder};
use cutonce_core::plan::report::PlanReport;
use cutonce_core::plan::{EXIT_PLAN_MODE, PlanEvent};
use cutonce_core::protocol::event::{AskKind, AskView, FinishedCall, NoticeLevel};
use cutonce_core::protocol::submission::{AskAnswer, OnDone, Submission};
use cutonce_core::settings::models::ModelInfo;
use ratatui::text::Line;
use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;

/// Plans that wait for the user's review, and the last decision.
#[derive(Default)]
pub struct PendingReviews {
    /// The session's own plan first, then those of teammates in order of arrival.
    plans: VecDeque<Arc<AskView>>,
    /// The user closed the review or started typing: it now opens only by its key.
    pub opens_by_key_only: bool,
    /// The session's own plan waits after its turn: the user decides later (PM-80).
    postponed: bool,
    /// Feedback that the conversation shows with its plan; a message with the same text is not repeated.
    shown_feedback: Option<String>,
    /// The plan that was just answered, with the answer. Both are needed to report the decision (PM-142).
    decided: Option<(Arc<AskView>, PlanAnswer)>,
    /// The report of the last implementation, for its page (PC-35).
    report: Option<Box<PlanReport>>,
    /// Rehearsals of the session's own plan (RH-1).
    rehearsals: SharedRehearsals,
    /// The conversation shows the decision already: the call that submitted the plan needs no line.
    decision_shown: bool,
}

impl PendingReviews {
    pub fn is_pending(&self) -> bool {
        !self.plans.is_empty()
    }
    /// True if a plan of this session waits for an answer.
    pub fn own_is_pending(&self) -> bool {
        self.plans.iter().any(|ask| teammate_name(ask).is_none())
    }
    /// True if the agent is blocked until the user answers.
    pub fn blocks_agent(&self) -> bool {
        self.own_is_pending() && !self.postponed
    }
    /// True if the first plan may open by itself. A teammate's plan does not interrupt a running turn.
    pub fn first_may_open(&self, working: bool) -> bool {
        !self.opens_by_key_only && self.plans.front().is_some_and(|ask| !working || teammate_name(ask).is_none())
    }
    /// Queues a plan. `typing`: the composer has text; `working`: a turn is running.
    pub fn add(&mut self, ask: Arc<AskView>, typing: bool, working: bool) {
        let own = teammate_name(&ask).is_none();
        if self.plans.is_empty() || own {
            self.opens_by_key_only = typing;
        }
        if own {
            self.postponed = !working;
            self.plans.push_front(ask);
        } else {
            self.plans.push_back(ask);
        }
    }
    /// Line above the composer while a plan waits.
    pub fn waiting_line(&self, theme: &Theme) -> Option<Line<'static>> {
        let first = self.plans.front()?;
        let whose = teammate_name(first).map_or("A".to_string(), |name| format!("{}'s", text::one_line(name)));
        let more = match self.plans.len() - 1 {
            0 => String::new(),
            more => format!(" ({more} more)"),
        };
        Some(Line::styled(format!("  {whose} plan is ready{more}: ctrl+p opens it"), theme.planning))
    }
    /// True once for a message that the conversation showed as feedback to a plan.
    pub fn take_shown_feedback(&mut self, message: &str) -> bool {
        self.shown_feedback.take().is_some_and(|feedback| feedback.trim() == message.trim())
    }
    /// Forgets what belonged to a turn that ended in `mode`.
    pub fn turn_ended(&mut self, mode: Mode) {
        self.shown_feedback = None;
        if mode.is_read_only() && self.decided.take().is_some() {
            // The answer neither approved nor rejected the plan.
            self.decision_shown = false;
        }
    }
}

/// Name of the teammate whose plan this ask is about, if any.
fn teammate_name(ask: &AskView) -> Option<&str> {
    ask.exit_request().and_then(|request| request.from.as_deref())
}

/// The plan as it was answered: edited by the user, or as it was submitted.
fn answered_text(ask: &AskView, answer: PlanAnswer) -> Option<String> {
    answer.plan.or_else(|| ask.exit_request()?.plan.clone())
}

impl App {
    /// Opens the first pending plan on the whole screen.
    pub(super) fn open_review(&mut self) {
        let Some(ask) = self.asks.reviews.plans.front().cloned() else { return };
        let AskKind::Plan { request, previous, draft } = &ask.kind else { return };
        let overlay = self.plan_review(request, previous.as_deref(), draft.as_ref());
        self.open_overlay(overlay, Some(ask.ask_id.clone()));
    }

    /// Ctrl+P: the plan that waits, or else the report of the last implementation (PC-35).
    pub(super) fn open_review_or_report(&mut self) {
        match &self.asks.reviews.report {
            _ if self.asks.reviews.is_pending() => self.open_review(),
            Some(report) => {
                let (title, text) = (report.summary(), report.text());
                self.show_items(
                    &title,
                    vec![PagerItem { title: "Report".into(), body: PagerContent::Plain(text.into()) }],
                );
            }
            None => self.print_notice(NoticeLevel::Info, "No plan waits for a review, and none was implemented here."),
        }
    }

    fn plan_review(
        &self,
        request: &PlanExitRequest,
        previous: Option<&str>,
        draft: Option<&PlanAnswer>,
    ) -> Box<dyn Overlay> {
        let status = &self.status;
        let share =
            (status.view.context * 100).checked_div(status.window).and_then(|share| u8::try_from(share.min(100)).ok());
        let subject = ReviewSubject {
            request: request.clone(),
            previous: previous.map(str::to_string),
            draft: draft.cloned(),
            home: Some(self.environment.home.clone()),
            context: share,
            cost: (status.view.cost >= 0.005).then(|| format!("${:.2}", status.view.cost)),
            project: Some(self.environment.cwd.clone()),
            models: self.models_to_implement(),
            rehearsals: match request.from {
                Some(_) => SharedRehearsals::default(),
                None => self.asks.reviews.rehearsals.clone(),
            },
        };
        let vim = self.session.settings.editor_mode == cutonce_core::settings::EditorMode::Vim;
        Box::new(PlanReview::open(subject, self.theme, Some(self.highlighter.clone())).with_vim(vim))
    }

    /// Models for the implementation, the current one first: the user's own, and those of the same provider (PC-12).
    fn models_to_implement(&self) -> Vec<ModelChoice> {
        let settings = &self.session.settings;
        let current = self.status.view.model.clone();
        let info = settings.model_info(&current);
        let mut names = vec![(current, info.clone())];
        let usable = |(name, known): &(String, ModelInfo)| {
            known.id != info.id && (settings.models.contains_key(name) || known.provider == info.provider)
        };
        names.extend(settings.known_models().into_iter().filter(usable));
        let choice = |(name, info): (String, ModelInfo)| ModelChoice { name, price: price_text(info.price.as_ref()) };
        names.into_iter().map(choice).collect()
    }

    pub(super) fn answer_review(&mut self, answer: PlanAnswer) {
        let decided = (!answer.choice.approves()).then_some(answer.choice);
        (self.guide.choice, self.guide.applied) = (decided, answer.rehearsal.is_some());
        // The session compares the workspace first; if it refuses, the review opens again.
        self.asks.reviews.opens_by_key_only |= answer.rehearsal.is_some();
        self.submit(Submission::Answer { ask_id: answer.ask_id.clone(), answer: AskAnswer::Plan(answer) });
    }

    /// Removes a plan that was answered, here or elsewhere, or withdrawn.
    pub(super) fn review_closed(&mut self, ask_id: &str, answer: Option<AskAnswer>) {
        let at = self.asks.reviews.plans.iter().position(|ask| ask.ask_id == ask_id);
        let Some(ask) = at.and_then(|at| self.asks.reviews.plans.remove(at)) else { return };
        if teammate_name(&ask).is_none() {
            *self.asks.reviews.rehearsals.borrow_mut() = RehearsalList::default();
        }
        match (teammate_name(&ask), answer) {
            (None, Some(AskAnswer::Plan(answer))) => self.asks.reviews.decided = Some((ask, answer)),
            (None, _) => self.report_withdrawn(&ask),
            (Some(_), answer) => self.teammate_answered(&ask, answer),
        }
    }

    /// Handles Esc on a plan: nothing is decided, the turn ends, and the plan waits (PM-80).
    pub(super) fn dismiss_review(&mut self, looked_at: Option<&str>) {
        let reviews = &mut self.asks.reviews;
        let at = reviews.plans.iter().position(|ask| Some(ask.ask_id.as_str()) == looked_at);
        let Some((at, ask)) = at.and_then(|at| Some((at, reviews.plans.get(at)?.clone()))) else { return };
        if teammate_name(&ask).is_some() {
            // A teammate's plan stays pending behind the others; only an answer resolves it (PM-132).
            reviews.opens_by_key_only = !reviews.own_is_pending();
            let ask = reviews.plans.remove(at);
            return reviews.plans.extend(ask);
        }
        reviews.opens_by_key_only = true;
        if std::mem::replace(&mut reviews.postponed, true) {
            return;
        }
        self.report_waiting(&ask);
        self.submit(Submission::PostponePlan { ask_id: ask.ask_id.clone() });
    }

    pub(super) fn shows_own_review(&self) -> bool {
        let looked_at = self.asks.overlay_ask();
        let own = |ask: &Arc<AskView>| Some(ask.ask_id.as_str()) == looked_at && teammate_name(ask).is_none();
        self.asks.reviews.plans.iter().any(own)
    }

    /// The user types: a review that could open by itself now opens only by its key.
    pub(super) fn require_review_key(&mut self) {
        let opens = self.asks.review_may_open(true, self.turn.is_some());
        if opens && !self.prompt.composer.is_empty() {
            self.asks.reviews.opens_by_key_only = true;
        }
    }

    /// Starts or ends a rehearsal; a refusal is shown in the review.
    pub(super) fn order_rehearsal(&mut self, order: RehearsalOrder) {
        let notes = self.messages.clone();
        let told = move |done: Result<(), String>| {
            if let Err(why) = done {
                send_to_app(&notes, AppMessage::RehearsalRefused(why));
            }
        };
        self.submit(Submission::Rehearse { order, on_done: Some(OnDone(Arc::new(told))) });
    }

    pub(super) fn rehearsal_refused(&mut self, why: &str) {
        self.asks.reviews.rehearsals.borrow_mut().refused(why);
    }

    /// News of a rehearsal. A user who does not see the review gets its end as a notice.
    fn rehearsal_event(&mut self, event: &RehearsalEvent) {
        let told = self.asks.reviews.rehearsals.borrow_mut().apply(event);
        if matches!(event.news, RehearsalNews::NotApplied { .. }) {
            self.asks.reviews.opens_by_key_only = false;
            (self.guide.choice, self.guide.applied) = (None, false);
        }
        if let Some(words) = told.filter(|_| self.asks.reviews.own_is_pending() && !self.shows_own_review()) {
            self.print_notice(NoticeLevel::Info, &words);
        }
    }

    pub(super) fn plan_event(&mut self, event: PlanEvent) {
        match event {
            PlanEvent::Enter { plan_file_path, .. } => {
                self.path_shortener.own_file = Some(plan_file_path.into());
            }
            PlanEvent::Approved { choice, mode, edited, .. } => {
                self.guide.choice = Some(choice);
                self.report_approved(mode, edited)
            }
            PlanEvent::Denied { feedback, comments, .. } => {
                self.asks.reviews.shown_feedback = feedback.clone();
                let Some((ask, answer)) = self.take_decided() else { return };
                let plan = answered_text(&ask, answer).unwrap_or_default();
                let lines = entries::reviews::rejected_lines(
                    None,
                    &plan,
                    feedback.as_deref(),
                    &comments,
                    &self.entry_context(),
                );
                self.print_entry(ConversationEntryKind::Block, lines);
            }
            PlanEvent::Phase { .. }
            | PlanEvent::ModeChanged { .. }
            | PlanEvent::File { .. }
            | PlanEvent::ExitRequest(_)
            | PlanEvent::Check { .. }
            | PlanEvent::Step(_) => {}
            PlanEvent::Rehearsal(event) => self.rehearsal_event(&event),
            PlanEvent::Report(report) => {
                let drift = if report.drift { report.drift_text() } else { String::new() };
                let told = format!("{}\n{}\n{drift}", report.title(), report.counts());
                let level = if report.drift { NoticeLevel::Warning } else { NoticeLevel::Info };
                self.print_notice(level, &format!("{}\nctrl+p opens the report.", told.trim_end()));
                self.asks.reviews.report = Some(report);
            }
            PlanEvent::Implement { plan_file_path, .. } => {
                self.print_notice(NoticeLevel::Info, &format!("Implementing the plan: {plan_file_path}"));
            }
        }
    }

    /// The plan that was just answered, to be shown in place of the call that submitted it.
    fn take_decided(&mut self) -> Option<(Arc<AskView>, PlanAnswer)> {
        // Between turns no call waits whose line this replaces.
        self.asks.reviews.decision_shown = self.turn.is_some();
        self.asks.reviews.decided.take()
    }

    fn report_approved(&mut self, mode: Mode, edited: bool) {
        let Some((ask, answer)) = self.take_decided() else { return };
        let lines = match answered_text(&ask, answer) {
            Some(plan) => entries::reviews::approved_lines(None, &plan, mode, edited, &self.entry_context()),
            None => {
                let text = format!("Left plan mode without a plan → {mode}");
                entries::notice_lines(NoticeLevel::Info, &text, self.content_width(), &self.theme)
            }
        };
        self.print_entry(ConversationEntryKind::Block, lines);
    }

    /// Reports the decision on a teammate's plan, from here or elsewhere, or that it is void (PM-134).
    fn teammate_answered(&mut self, ask: &AskView, answer: Option<AskAnswer>) {
        let Some(request) = ask.exit_request() else { return };
        let from = request.from.as_deref();
        let Some(AskAnswer::Plan(answer)) = answer else {
            let who = from.unwrap_or_default();
            return self.print_notice(NoticeLevel::Info, &format!("{who}'s plan no longer needs your review."));
        };
        let edited = answer.plan.is_some() && answer.plan != request.plan;
        let plan = answer.plan.or_else(|| request.plan.clone()).unwrap_or_default();
        let approves = matches!(answer.choice, ChoiceKey::AcceptEdits | ChoiceKey::Default | ChoiceKey::Restore);
        let mode = request.find_choice(answer.choice).map_or(Mode::Plan, |choice| choice.mode);
        let lines = if approves {
            entries::reviews::approved_lines(from, &plan, mode, edited, &self.entry_context())
        } else {
            let quoted = entries::reviews::quote_comments(&plan, &answer.comments);
            entries::reviews::rejected_lines(from, &plan, answer.feedback.as_deref(), &quoted, &self.entry_context())
        };
        self.print_entry(ConversationEntryKind::Block, lines);
    }

    /// True if the conversation shows the decision on a plan, so that the call that submitted it needs no line.
    pub(super) fn shows_decision(&mut self, done: &FinishedCall) -> bool {
        done.name == EXIT_PLAN_MODE && (std::mem::take(&mut self.asks.reviews.decision_shown) || self.report_left(done))
    }

    /// Reports a plan that the user left with the sixth choice (PM-74), which has no event of its own, as it looks
    /// after a resume. Returns false if the plan was not left.
    fn report_left(&mut self, done: &FinishedCall) -> bool {
        let left = self.asks.reviews.decided.take_if(|(_, answer)| answer.choice == ChoiceKey::Leave);
        let Some((ask, answer)) = left else { return false };
        let Some(request) = ask.exit_request() else { return false };
        let Some(plan) = request.plan.as_deref().filter(|_| !done.is_error) else { return false };
        let lines = entries::reviews::decided_lines(plan, &answer, true, &self.entry_context());
        self.print_entry(ConversationEntryKind::Block, lines);
        true
    }

    fn report_waiting(&mut self, ask: &AskView) {
        let Some(request) = ask.exit_request() else { return };
        let plan = request.plan.as_deref().unwrap_or_default();
        let lines = entries::reviews::open_lines(entries::reviews::WAITING_TITLE, plan, &self.entry_context());
        self.print_entry(ConversationEntryKind::Block, lines);
        // It replaces the line of the call.
        self.asks.reviews.decision_shown = true;
    }

    /// Reports that the session's own plan needs no answer any more: it was not approved (PM-142).
    fn report_withdrawn(&mut self, ask: &AskView) {
        let Some(request) = ask.exit_request() else { return };
        let shown = std::mem::take(&mut self.asks.reviews.postponed);
        let Some(plan) = request.plan.as_deref().filter(|_| self.exit.is_none()) else { return };
        // A plan that was shown while it waited is not repeated.
        let plan = if shown { "" } else { plan };
        let lines = entries::reviews::open_lines(entries::reviews::WITHDRAWN_TITLE, plan, &self.entry_context());
        self.print_entry(ConversationEntryKind::Block, lines);
        self.asks.reviews.decision_shown = !shown;
    }

    /// Shows the plan as `/plan` does (PM-24).
    pub(super) fn show_current_plan(&mut self, path: &str, plan: &str, hint: Option<&str>) {
        let lines = entries::reviews::current_plan_lines(path, plan, hint, &self.entry_context());
        self.print_entry(ConversationEntryKind::Block, lines);
    }

    /// `/plan open` (PM-25).
    /// Opens the plan that is shown on the review page (RV-1). A page that runs already is used, else one is started.
    pub(super) fn open_review_in_browser(&mut self) {
        let (Some(session), Some(ask_id)) = (&self.session.handle, self.asks.overlay_ask()) else { return };
        let (home, env) = (self.environment.home.clone(), self.environment.env.clone());
        if let Err(why) = cutonce_agent::browser::open_review_page(&home, session.id(), ask_id, env) {
            self.print_notice(NoticeLevel::Warning, &format!("The plan was not opened in the browser: {why}"));
        }
    }

    pub(super) fn open_plan_in_editor(&mut self, path: &str) {
        let (path, env) = (path.to_string(), self.environment.env.clone());
        match self.lend_terminal(move || cutonce_agent::plan::open_in_editor(Path::new(&path), env)) {
            Some(Ok(words)) => self.print_notice(NoticeLevel::Info, &words),
            Some(Err(why)) => {
                self.move_below_output();
                self.print_notice(NoticeLevel::Warning, &why);
            }
            None => {}
        }
    }
}
