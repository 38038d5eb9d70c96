//! Auto mode in the session (PM-120 to PM-123): a small model classifies what only the mode would ask for. What it sees
//! and what its answer means is in cutonce-core's `auto`; that it can only answer an open ask is in `permission`.
//! Without a clear answer a user is asked.

use super::SessionState;
use super::call_runner::CallReport;
use super::events::SessionEvent;
use super::parts::{Connect, Connected};
use super::usage::RequestMeter;
use crate::config::{self, SettingsPaths};
use cutonce_core::call::{CallEvent, CallState};
use cutonce_core::classifier::{self, ClassifierCase, ClassifierVerdict};
use cutonce_core::conversation::{ContentBlock, Message, ModelResponse};
use cutonce_core::mode::{self, AutoModeGate};
use cutonce_core::model_request::{ModelRequest, PromptPrefix, Thinking};
use cutonce_core::permission::rules::ConfigSource;
use cutonce_core::protocol::event::NoticeLevel;
use cutonce_core::settings::Settings;
use cutonce_core::sync::LockUnpoisoned;
use cutonce_core::transcript::EntryBody;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;
use tokio::sync::OnceCell;
use tokio::sync::mpsc::UnboundedSender;

/// How long the classifier may take; then a user is asked.
const PATIENCE: Duration = Duration::from_secs(30);
/// How many rules a notice names.
const MOST_NAMED: usize = 8;
/// Maximum tokens of a verdict.
const MOST_TOKENS: u32 = 400;

/// Sources of the auto mode switches, in addition to the settings files.
#[derive(Debug, Clone, Default)]
pub(crate) struct AutoSource {
    /// `--settings`.
    pub flag: Option<String>,
    /// Read only these settings files; `None` for all.
    pub sources: Option<Vec<ConfigSource>>,
    /// $CUTONCE_AUTO_GATE.
    pub gate: Option<String>,
    /// Shared by a session and its subagents: a gate that closed is closed for all of them.
    pub(crate) failures: Arc<Failures>,
}

/// Failures of the classifier in a row.
#[derive(Debug, Default)]
pub(crate) struct Failures(AtomicU32);

impl Failures {
    fn one_more(&self) -> u32 {
        self.0.fetch_add(1, Ordering::SeqCst) + 1
    }
    /// Resets the count after a success; a gate that closed stays closed for the rest of this process.
    fn over(&self) {
        let _ = self
            .0
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |count| (count < classifier::MAX_FAILURES).then_some(0));
    }
    fn closed(&self) -> bool {
        self.0.load(Ordering::SeqCst) >= classifier::MAX_FAILURES
    }
}

impl AutoSource {
    pub fn switches(&self, settings: &Settings) -> AutoModeGate {
        AutoModeGate::from_settings(settings, classifier::gate_is_open(self.gate.as_deref(), settings.auto.gate).0)
    }
}

/// What the classifier may take for the user's wishes: the user's messages and the plan they approved, never text of a
/// model or a program.
#[derive(Debug, Clone, Default)]
pub(crate) struct ClassifierContext {
    wishes: Arc<Mutex<UserWishes>>,
    /// Set for a subagent's session: its prompts are not the user's messages.
    read_only: bool,
}

#[derive(Debug, Clone, Default)]
struct UserWishes {
    messages: Vec<String>,
    approved: Option<String>,
}

impl ClassifierContext {
    /// Reads it from a transcript, since the conversation was last cleared.
    pub(crate) fn from_transcript<'a>(bodies: impl IntoIterator<Item = &'a EntryBody>) -> ClassifierContext {
        let context = ClassifierContext::default();
        for body in bodies {
            if let EntryBody::User { text, meta: false, .. } = body {
                context.user_said(text);
            } else if let Some(text) = body.approved_text() {
                context.approved(text);
            } else if let EntryBody::Clear { .. } = body {
                context.forget();
            }
        }
        context
    }
    /// A context for a subagent, which reads this one and adds nothing to it.
    pub(crate) fn for_agent(&self) -> ClassifierContext {
        ClassifierContext { wishes: self.wishes.clone(), read_only: true }
    }
    pub(super) fn user_said(&self, text: &str) {
        if !self.read_only {
            self.lock().messages.push(text.to_string());
        }
    }
    /// A message that starts with a plan contains one that was approved (PM-81).
    pub(super) fn approved(&self, text: &str) {
        if !self.read_only {
            self.lock().approved = Some(text.to_string());
        }
    }
    pub(super) fn forget(&self) {
        if !self.read_only {
            *self.lock() = UserWishes::default();
        }
    }
    fn lock(&self) -> MutexGuard<'_, UserWishes> {
        self.wishes.lock_unpoisoned()
    }
}

/// The classifier of a session.
pub(super) struct Classifier {
    source: AutoSource,
    /// The settings files when they were last read.
    stamp: config::SettingsStamp,
    model: Arc<OnceCell<Connected>>,
    prefix: Arc<PromptPrefix>,
    pub context: ClassifierContext,
}

impl Classifier {
    pub fn new(source: AutoSource, places: &SettingsPaths, context: ClassifierContext) -> Self {
        let prefix = PromptPrefix { system: classifier::CLASSIFIER_INSTRUCTIONS.trim_end().into(), tools: Vec::new() };
        Self { source, stamp: places.stamp(), model: Arc::default(), prefix: Arc::new(prefix), context }
    }
}

impl SessionState {
    /// Rules that would skip the classifier are suspended while auto is active; the user learns which.
    pub(super) fn set_rules_aside(&mut self) {
        let before = self.permissions.rules.suspended_rules().count();
        self.permissions.rules.set_suspended(true);
        let aside: Vec<&str> = self.permissions.rules.suspended_rules().map(|rule| rule.text.as_str()).collect();
        if aside.len() > before {
            let named = aside.iter().take(MOST_NAMED).copied().collect::<Vec<_>>().join(", ");
            let more = match aside.len().saturating_sub(MOST_NAMED) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            self.notice(NoticeLevel::Info, &format!("Suspended in auto mode: {named}{more}."));
        }
    }

    /// True if the classifier may answer open asks.
    pub(super) fn classifier_on(&self) -> bool {
        self.mode.auto_active() && !self.classifier.source.failures.closed()
    }

    /// Asks the classifier about a call, in a task.
    pub(super) fn classify(&mut self, n: usize) {
        let Some(CallState::Classifying { ask, .. }) = self.calls.state(n) else { return };
        let (_, input, _) = self.calls.facts(n);
        let mode = self.mode.mode();
        let UserWishes { messages, approved } = self.classifier.context.lock().clone();
        let (said, approved, rules) = (&messages[..], approved.as_deref(), &self.permissions.rules);
        let Some(message) = (ClassifierCase {
            facts: &ask.facts,
            input: &input,
            mode,
            user_messages: said,
            approved_text: approved,
            rules,
        })
        .to_message() else {
            return self.verdict(n, ClassifierVerdict::Ask("the call is too long to be judged".into()));
        };
        // No key is sent to another model either (MO-4).
        let message = Message::user_text(self.context.shared.redactor.redact(&message).into_owned());
        let (connect, name) = self.model.selection.classifier();
        let (model, prefix) = (self.classifier.model.clone(), self.classifier.prefix.clone());
        let (session, cancel) = (self.context.id.clone(), self.calls.cancel.clone());
        let (report, events) = (self.call_reporter(n), self.events.clone());
        self.tasks.asides.start(async move {
            let asking = verdict((connect, name, model), prefix, message, &session, events);
            if let Some(verdict) = cancel.run_until_cancelled(tokio::time::timeout(PATIENCE, asking)).await {
                let late = |_| Err(format!("no verdict within {} seconds", PATIENCE.as_secs()));
                report(CallReport::Classified(verdict.unwrap_or_else(late)));
            }
        });
    }

    pub(super) fn classified(&mut self, n: usize, verdict: Result<ClassifierVerdict, String>) {
        let verdict = match verdict {
            Ok(verdict) => {
                self.classifier.source.failures.over();
                verdict
            }
            Err(why) => {
                let why = self.context.shared.redactor.redact(why.lines().next().unwrap_or_default()).into_owned();
                self.classifier_failed(&why);
                ClassifierVerdict::Ask(format!("it could not be judged ({why})"))
            }
        };
        self.verdict(n, verdict);
    }

    fn verdict(&mut self, n: usize, verdict: ClassifierVerdict) {
        let now = self.call_now(n);
        let classifier_on = self.mode.auto_active();
        self.step_call(n, CallEvent::Classified { now, classifier_on, verdict });
    }

    fn classifier_failed(&mut self, why: &str) {
        let (failures, most) = (self.classifier.source.failures.one_more(), classifier::MAX_FAILURES);
        if failures < most {
            return self.notice(
                NoticeLevel::Warning,
                &format!("Auto mode could not judge a call ({failures} of {most}): {why}"),
            );
        }
        let text = format!(
            "Auto mode could not judge a call {most} times in a row: its gate is closed until the next start. {why}"
        );
        self.notice(NoticeLevel::Warning, &text);
        let switches = self.mode.setup().auto;
        self.set_switches(switches);
    }

    /// Reads the settings of auto mode again if their files changed (PM-122); at the start of a turn.
    pub(super) fn reread_switches(&mut self) {
        let stamp = self.context.shared.places.stamp();
        if stamp == self.classifier.stamp {
            return;
        }
        self.classifier.stamp = stamp;
        let settings = config::load_settings_from(
            &self.context.shared.places,
            self.classifier.source.flag.as_deref(),
            self.classifier.source.sources.as_deref(),
        )
        .settings;
        self.set_switches(self.classifier.source.switches(&settings));
    }

    fn set_switches(&mut self, mut switches: AutoModeGate) {
        switches.gate_open &= !self.classifier.source.failures.closed();
        if switches != self.mode.setup().auto {
            self.mode_event(mode::ModeEvent::AutoChanged(switches));
        }
    }
}

async fn verdict(
    (connect, name, model): (Arc<dyn Connect>, String, Arc<OnceCell<Connected>>),
    prefix: Arc<PromptPrefix>,
    message: Message,
    session: &str,
    events: UnboundedSender<SessionEvent>,
) -> Result<ClassifierVerdict, String> {
    let connected = model.get_or_try_init(|| connect.connect(&name)).await.map_err(|error| error.to_string())?;
    let messages = [Arc::new(message)];
    let request = ModelRequest {
        prefix: &prefix,
        messages: &messages,
        max_tokens: MOST_TOKENS.min(connected.max_tokens()),
        thinking: Thinking::Off,
        cache_key: session,
    };
    let mut meter = RequestMeter::new(Arc::default(), connected.clone(), events);
    let response = connected.model.answer(&request, &mut |signal| meter.note(&signal)).await;
    meter.ended(&response);
    classifier::parse_verdict(&answer_text(&response.map_err(|error| error.to_string())?))
}

/// The text of the answer; one that also calls tools is no verdict.
fn answer_text(response: &ModelResponse) -> String {
    let word = |block: &ContentBlock| match block {
        ContentBlock::Text { text } => Some(text.clone()),
        ContentBlock::Thinking { .. } => Some(String::new()),
        ContentBlock::ToolUse(_) | ContentBlock::Image(_) => None,
    };
    let all: Option<Vec<String>> = response.blocks.iter().map(word).collect();
    all.map(|words| words.concat()).unwrap_or_default()
}
