//! The event loop: receives submissions and reports of tasks, steps the turn machine, performs its effects.
//!
//! This is the only place that reads the inbox, and the only caller of the turn machine. Nothing here or below waits:
//! what takes time is a task that reports a [`SessionEvent`].

use super::SessionState;
use super::events::{SessionEvent, TaskResult};
use super::parts::Approver;
use cutonce_core::mode;
use cutonce_core::protocol::event::{EndReason, EventKind, NoticeLevel, TurnSummary};
use cutonce_core::protocol::submission::Submission;
use cutonce_core::transcript::EntryBody;
use cutonce_core::turn::{TurnEffect, TurnEvent, TurnOverrides, UserInput};
use std::time::Duration;
use tokio::sync::mpsc;

/// How long hooks without a result may run after the session ended.
const HOOK_GRACE: Duration = Duration::from_secs(5);

/// Owns the session's state and both of its channels.
pub(crate) struct EventLoop {
    pub(super) state: SessionState,
    pub(super) inbox: mpsc::UnboundedReceiver<Submission>,
    pub(super) events: mpsc::UnboundedReceiver<SessionEvent>,
}

impl EventLoop {
    pub(super) async fn run(mut self, effects: Vec<mode::ModeEffect>) {
        self.state.open(effects);
        while self.settle() {
            let servers = self.state.tools.mcp.servers.clone();
            tokio::select! {
                biased;
                Some(event) = self.events.recv() => self.state.handle_event(event),
                submission = self.inbox.recv(), if self.state.closing.inbox_open => match submission {
                    Some(submission) => self.state.handle_submission(submission),
                    None => self.state.inbox_closed(),
                },
                () = servers.wait_for_updates(), if self.state.turn.idle() => self.state.report_servers(),
            }
        }
        self.close().await;
    }

    /// Performs everything that is pending. False if the session is over.
    fn settle(&mut self) -> bool {
        loop {
            while let Some(event) = self.state.pending.pop_front() {
                for effect in self.state.turn.step(event) {
                    self.state.perform(effect);
                }
            }
            self.state.recheck_agents();
            if self.state.turn.idle() && self.state.pending.is_empty() {
                self.state.restart_with_plan();
            }
            if !self.state.pending.is_empty() {
                continue;
            }
            if !self.state.is_over() {
                return true;
            }
            // A result that arrived meanwhile still counts: a subagent's answer is not lost to a closing session.
            if !self.take_reports() {
                return false;
            }
        }
    }

    /// Handles what tasks have reported so far; false if there was nothing.
    fn take_reports(&mut self) -> bool {
        let mut any = false;
        while let Ok(event) = self.events.try_recv() {
            self.state.handle_event(event);
            any = true;
        }
        any
    }

    /// Ends everything that belongs to the session, then reports that it is closed.
    async fn close(mut self) {
        if let Some(agents) = self.state.context.agents.clone() {
            agents.shut_down().await;
        }
        self.state.wait_for_teammates().await;
        self.state.session_ends("other");
        let _ = tokio::time::timeout(HOOK_GRACE, self.state.hooks.wait_for_notified()).await;
        self.take_reports();
        self.state.tools.mcp.servers.close().await;
        if let (None, Some(servers)) = (&self.state.subagent, &self.state.context.shared.language_servers) {
            servers.close().await;
        }
        self.state.context.env.shells.end_all().await;
        self.state.record_usage();
        self.state.sync();
        // Listeners may look at the disk when they see the event.
        self.state.closing.ephemeral = None;
        self.state.emit(EventKind::Closed);
    }
}

impl SessionState {
    /// Performs what the initial mode brings, and submits a plan again that a crash left open (PM-85).
    fn open(&mut self, effects: Vec<mode::ModeEffect>) {
        self.connect_elicitations();
        self.hide_secrets();
        self.open_workspace_sandbox();
        if self.mode.is_planning() && !effects.contains(&mode::ModeEffect::PlanEntered) {
            self.plan_resumed();
        }
        for effect in effects {
            if let mode::ModeEffect::RecordChange { from, to, by } = &effect {
                self.append(EntryBody::Mode { from: *from, to: *to, by: *by });
            }
            self.mode_effect(effect);
        }
        self.record_earlier_spending();
        self.follow_implementation();
        self.session_started(if self.conversation.messages.is_empty() { "startup" } else { "resume" });
        self.subagent_started();
        self.team_opened();
        self.check_freshness();
        if self.planner.reopen && self.mode.is_planning() && self.context.approver == Approver::Present {
            self.planner.reopen = false;
            self.submit_plan(None, None);
        }
    }

    fn perform(&mut self, effect: TurnEffect) {
        match effect {
            TurnEffect::BeginTurn => self.begin_turn(),
            TurnEffect::RecordInput(input) => self.record_input(input),
            TurnEffect::Queued(input) => self.report_queued(input),
            TurnEffect::Unqueued(input) => self.emit(EventKind::Unqueued { text: input.text, images: input.images }),
            TurnEffect::Prepare => {
                self.flush_results();
                self.prepare_request();
            }
            TurnEffect::Request => self.start_request(),
            TurnEffect::StopRequest => self.stop_request(),
            TurnEffect::ConfirmEnd => self.confirm_end(),
            TurnEffect::ConfirmStop(reason) => self.confirm_stop(&reason),
            TurnEffect::StopConfirmEnd => {
                self.tasks.stop();
                self.close_implementation_asks();
            }
            TurnEffect::StartCall(n) => self.start_call(n),
            TurnEffect::SkipCall(n) => self.skip_call(n),
            TurnEffect::StopCalls => self.stop_calls(),
            TurnEffect::WithdrawAsks => self.withdraw_asks("the session ends"),
            TurnEffect::Compact { focus, automatic } => self.start_compaction(focus, automatic),
            TurnEffect::StopCompaction => self.stop_compaction(),
            TurnEffect::EndTurn(reason) => self.end_turn(reason),
        }
    }

    fn handle_event(&mut self, event: SessionEvent) {
        match event {
            SessionEvent::Task { id, result } => {
                if self.tasks.finish(id) {
                    self.task_finished(result);
                }
            }
            SessionEvent::Call { call, report } => self.call_reported(call, *report),
            SessionEvent::ChangedOutside { call, changes, reply } => self.ask_about_outside(call, &changes, reply),
            SessionEvent::Elicitation(news) => self.elicitation_news(news),
            SessionEvent::Rehearsal { id, report } => self.rehearsal_reported(&id, *report),
            SessionEvent::PlanChecked { call, checked, draft } => {
                self.plan_checked(call, checked, draft.map(|draft| *draft));
            }
            SessionEvent::PlanHooked { call, plan, reply } => self.plan_hooked(call, *plan, reply),
            SessionEvent::InputHooked { id, reply } => self.input_hooked(id, reply),
            SessionEvent::HooksNotified { event, reply } => self.hooks_notified(event, reply),
            SessionEvent::Team(report) => self.team_report(report),
            SessionEvent::Evidence(evidence) => self.check_ran(evidence),
            SessionEvent::ScopeExtended(path) => self.extend_scope(&path),
            SessionEvent::AsideAnswered { question, response } => self.aside_answered(&question, response),
            SessionEvent::AgentStarted(agent) => self.agent_started(&agent),
            SessionEvent::AgentEnded(ending) => self.agent_ended(*ending),
        }
    }

    fn task_finished(&mut self, result: TaskResult) {
        match result {
            TaskResult::ModelConnected { name, connected } => self.model_connected(name, connected),
            TaskResult::ServersReady => self.prepare_request(),
            TaskResult::BudgetChanged => self.budget_changed(),
            TaskResult::MentionRead { mention, text } => self.mention_read(&mention, text),
            TaskResult::Answered { response, took } => self.request_finished(response, took),
            TaskResult::FallbackConnected { name, connected, failed } => {
                self.fallback_connected(name, connected, failed);
            }
            TaskResult::StopHooked { event, reply } => self.stop_hooked(event, reply),
            TaskResult::CompactHooked(reply) => self.compact_hooked(reply),
            TaskResult::Summarized(response) => self.summarized(response),
            TaskResult::Panicked => self.task_panicked(),
        }
    }

    fn task_panicked(&mut self) {
        self.tasks.reservation = None;
        let message = "The request failed inside cutonce; this is a bug.".to_string();
        let event = match self.tasks.compaction.is_some() {
            true => self.no_summary(&message),
            false => TurnEvent::Failed { message, status: None },
        };
        self.pending.push_back(event);
    }

    /// What a submission means for the turn; what concerns only state is done here.
    fn handle_submission(&mut self, submission: Submission) {
        match submission {
            Submission::User { text, images } => self.accept_input(UserInput::from_user(text, images)),
            Submission::HostMessage { text, images, verbatim, silent } => {
                self.accept_input(UserInput { verbatim, silent, ..UserInput::from_user(text, images) });
            }
            Submission::CustomCommand { text, images, allow, model, typed } => {
                let overrides = Some(Box::new(TurnOverrides { allow, model }));
                self.accept_input(UserInput { overrides, typed, ..UserInput::from_user(text, images) });
            }
            Submission::Unqueue => self.pending.push_back(TurnEvent::Unqueue),
            Submission::Interrupt => self.interrupt(TurnEvent::Interrupted),
            Submission::Shutdown => {
                self.closing.now = true;
                self.interrupt(TurnEvent::Shutdown);
                self.request_close();
            }
            Submission::Close => self.request_close(),
            Submission::Compact { focus, on_done } => self.request_compaction(focus, on_done),
            Submission::Answer { ask_id, answer } => self.answer(&ask_id, answer),
            Submission::AnswerFrom { answer, by, on_done } => self.answer_from(*answer, by, &on_done),
            Submission::PlanVotes { ask_id, members } => self.plan_votes(&ask_id, members),
            Submission::PostponePlan { ask_id } => self.postpone_plan(&ask_id),
            Submission::Rehearse { order, on_done } => {
                let done = self.rehearsal_ordered(order);
                match on_done {
                    Some(on_done) => (on_done.0)(done),
                    None => {
                        done.unwrap_or_else(|why| self.notice(NoticeLevel::Warning, &format!("No rehearsal: {why}.")))
                    }
                }
            }
            Submission::SetMode { mode, by } => self.mode_event(mode::ModeEvent::Set { to: mode, by }),
            Submission::SetModeByAnswer { mode } => self.set_mode_by_answer(mode),
            Submission::CycleMode => self.mode_event(mode::ModeEvent::Cycle),
            Submission::Command { command, editor, attached } => self.command(command, editor.as_deref(), attached),
            Submission::Implement(chosen) => self.implement(chosen),
            Submission::SetModel { model } => self.model.selection.choose(model),
            Submission::SetEffort { effort } => self.model.selection.set_effort(effort),
            Submission::SideQuestion { question } => self.ask_aside(question),
            Submission::ReviewChanges { focus } => self.review_changes(&focus),
            Submission::ShellOutput { line, output } => self.add_shell_output(&line, &output),
            Submission::Background => self.context.env.shells.move_to_background(),
            Submission::DescribeContext => self.describe_context(),
            Submission::SetThinking { budget } => self.model.selection.set_thinking(budget),
            Submission::Team(news) => self.team_news(news),
            Submission::ChangeRules(change) => self.change_rules(change),
            Submission::ChangeFolders(change) => self.change_folders(change),
            Submission::StopTask { id, on_done } => (on_done.0)(self.stop_task(&id)),
            Submission::WhenFlushed(mark) => (mark.0)(),
            Submission::WhenIdle(mark) => self.closing.when_idle.push(mark),
            Submission::Clear if self.turn.idle() => self.clear_by_user(),
            Submission::Clear => {
                self.notice(NoticeLevel::Warning, "The agent is working. Stop it first, then clear the conversation.")
            }
            Submission::Rewind { to, files, conversation } if self.turn.idle() => {
                self.rewind(&to, files, conversation);
            }
            Submission::Rewind { .. } => {
                self.notice(NoticeLevel::Warning, "The agent is working. Stop it first, then rewind.")
            }
        }
    }

    /// An interrupt or the end: input that waits for hooks is cancelled, subagents stop, the machine does the rest.
    fn interrupt(&mut self, event: TurnEvent) {
        self.cancel_pending_inputs();
        self.stop_agents();
        self.pending.push_back(event);
    }

    fn request_close(&mut self) {
        self.closing.requested = true;
        self.refuse_team_calls();
    }

    fn inbox_closed(&mut self) {
        self.closing.inbox_open = false;
        self.pending.push_back(TurnEvent::InboxClosed);
    }

    /// True if the session is idle and nothing can start another turn. Calls the callbacks that wait for that.
    fn is_over(&mut self) -> bool {
        if !self.turn.idle() {
            return false;
        }
        if !self.hooks.message_pending() {
            self.closing.when_idle.drain(..).for_each(|mark| (mark.0)());
        }
        let waits_for_team = !self.closing.now && self.team_works();
        let ends = (self.closing.requested && !waits_for_team) || !self.closing.inbox_open;
        ends && !self.hooks.input_pending()
    }

    fn begin_turn(&mut self) {
        self.apply_thinking();
        self.begin_corrections();
        self.conversation.turn_start = self.conversation.messages.len();
        self.hooks.turn_began();
        self.reread_switches();
        self.model.usage.begin();
        self.implementation_turn_began();
        self.team_state(true);
        self.emit(EventKind::TurnStarted);
    }

    fn end_turn(&mut self, reason: EndReason) {
        self.flush_results();
        if let EndReason::Interrupted { in_tools } = &reason {
            self.record_interrupt(*in_tools);
        }
        if let EndReason::Failed { message, .. } = &reason {
            tracing::error!("{}", self.context.shared.redactor.redact(message));
            self.append(EntryBody::Error { message: message.clone() });
        }
        self.keep_plan();
        let report = self.report_implementation(&reason).map(Box::new);
        self.drop_overrides();
        self.record_usage();
        self.sync();
        let reason = self.durable_reason(reason);
        self.team_state(false);
        let ended = TurnSummary { report, ..self.summarize_turn(reason, self.turn.requests()) };
        self.emit(EventKind::TurnEnded(ended));
        self.restart_with_plan();
    }

    /// A turn that is not on disk did not succeed (SE-1).
    fn durable_reason(&mut self, reason: EndReason) -> EndReason {
        match (self.transcript.lost.take(), reason) {
            (Some(message), EndReason::Completed | EndReason::MaxTurns(_) | EndReason::MaxBudget) => {
                EndReason::Failed { message, status: None }
            }
            (_, reason) => reason,
        }
    }
}
