//! Auto mode in the session (PM-120 to PM-123): a small model judges what only the mode would ask for. What it is shown and what its answer
//! is worth is in cutonce-core's `auto`; that it can answer nothing but an open ask is in `permission`. No clear answer: a person is asked.

use super::Hall;
use super::calls::Report;
use super::options::{Connect, Connected};
use crate::settings::{self, Places};
use cutonce_core::auto::{self, Case, Verdict};
use cutonce_core::conversation::{Block, Message, Response};
use cutonce_core::event::Level;
use cutonce_core::mode::{self, AutoSettings, Mode};
use cutonce_core::permission::{Allowed, Ask, Denied, Why};
use cutonce_core::request::{Prefix, Request, Thinking};
use cutonce_core::rule::Source;
use cutonce_core::settings::Settings;
use cutonce_core::transcript::Body;
use cutonce_core::turn::Said;
use cutonce_tools::tool::{Call, Outcome};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::OnceCell;

/// How long a judgement may take; then a person is asked.
const PATIENCE: Duration = Duration::from_secs(30);
/// Rules that a notice names.
const MOST_NAMED: usize = 8;
/// Tokens of a verdict.
const MOST_TOKENS: u32 = 400;

/// Where the switches of auto mode come from, beside the settings files.
#[derive(Debug, Clone, Default)]
pub(crate) struct AutoSource {
    /// `--settings`.
    pub flag: Option<String>,
    /// Only these of the settings files; None for all.
    pub sources: Option<Vec<Source>>,
    /// $CUTONCE_AUTO_GATE.
    pub gate: Option<String>,
    /// One count for a session and all its agents: a gate that closed is closed for all of them.
    pub(crate) failures: Arc<Failures>,
}

/// Judgements in a row that failed.
#[derive(Debug, Default)]
pub(crate) struct Failures(AtomicU32);

impl Failures {
    fn one_more(&self) -> u32 {
        self.0.fetch_add(1, Ordering::SeqCst) + 1
    }
    /// A judgement that worked; a gate that closed stays closed for the rest of this process.
    fn over(&self) {
        let _ =
            self.0.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |count| (count < auto::MOST_FAILURES).then_some(0));
    }
    fn closed(&self) -> bool {
        self.0.load(Ordering::SeqCst) >= auto::MOST_FAILURES
    }
}

impl AutoSource {
    pub fn switches(&self, settings: &Settings) -> AutoSettings {
        AutoSettings {
            opted_in: settings.auto.enabled,
            gate_open: auto::gate(self.gate.as_deref(), settings.auto.gate).0,
            in_plan: settings.plan.use_auto,
        }
    }
}

/// What the classifier may take for the user's wishes: their own words and the plan they approved, never what a model or a program said.
#[derive(Debug, Clone, Default)]
pub(crate) struct Heard {
    words: Arc<Mutex<Words>>,
    /// Of an agent's session: what it is told are not the user's words.
    deaf: bool,
}

#[derive(Debug, Clone, Default)]
struct Words {
    said: Vec<String>,
    plan: Option<String>,
}

impl Heard {
    /// What a transcript holds of it since the conversation was last cleared.
    pub(crate) fn from_transcript<'a>(bodies: impl IntoIterator<Item = &'a Body>) -> Heard {
        let heard = Heard::default();
        for body in bodies {
            if let Body::User { text, meta: false, .. } = body {
                heard.said(text);
            } else if let Body::User { plan_content: Some(plan), .. } = body {
                heard.approved(plan);
            } else if let Body::Clear { .. } = body {
                heard.forget();
            }
        }
        heard
    }
    /// For the session of an agent: it knows what the user said, and hears nothing.
    pub(crate) fn for_agent(&self) -> Heard {
        Heard { words: self.words.clone(), deaf: true }
    }
    pub(super) fn said(&self, words: &str) {
        if !self.deaf {
            self.lock().said.push(words.to_string());
        }
    }
    pub(super) fn approved(&self, plan: &str) {
        if !self.deaf {
            self.lock().plan = Some(plan.to_string());
        }
    }
    pub(super) fn forget(&self) {
        if !self.deaf {
            *self.lock() = Words::default();
        }
    }
    fn lock(&self) -> MutexGuard<'_, Words> {
        self.words.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a session knows of judging.
pub(super) struct Judge {
    source: AutoSource,
    /// The settings files as they were when they were last read.
    stamp: settings::Stamp,
    model: Arc<OnceCell<Connected>>,
    prefix: Arc<Prefix>,
}

/// A call that was judged.
pub(crate) struct Judged {
    n: usize,
    call: Box<dyn Call>,
    ask: Ask,
    mode: Mode,
    /// None: the person interrupted.
    verdict: Option<Result<(Verdict, f64), String>>,
}

impl Judge {
    pub fn new(source: AutoSource, places: &Places) -> Self {
        let prefix = Prefix { system: auto::INSTRUCTIONS.trim_end().into(), tools: Vec::new() };
        Self { source, stamp: places.stamp(), model: Arc::default(), prefix: Arc::new(prefix) }
    }
}

impl Hall {
    /// Rules that would skip the judgement do not count while auto is active; the user is told which.
    pub(super) fn set_rules_aside(&mut self) {
        let before = self.rules.aside_for_judgement().count();
        self.rules.set_judged(true);
        let aside: Vec<&str> = self.rules.aside_for_judgement().map(|rule| rule.text.as_str()).collect();
        if aside.len() > before {
            let named = aside.iter().take(MOST_NAMED).copied().collect::<Vec<_>>().join(", ");
            let more = match aside.len().saturating_sub(MOST_NAMED) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            self.notice(Level::Info, &format!("Set aside while auto mode judges: {named}{more}."));
        }
    }

    /// A message that starts with a plan holds one that was approved (PM-81).
    pub(super) fn heard_plan(&self, said: &Said) {
        said.plan.iter().for_each(|plan| self.heard.approved(plan));
    }

    /// May the classifier answer this ask?
    pub(super) fn is_judged(&self, ask: &Ask) -> bool {
        self.mode.auto_active() && ask.is_open() && !self.judge.source.failures.closed()
    }

    pub(super) fn judge(&mut self, n: usize, call: Box<dyn Call>, ask: Ask) {
        let (_, input, _) = self.call_facts(n);
        let mode = self.mode.mode();
        let Words { said, plan } = self.heard.lock().clone();
        let case =
            Case { facts: &ask.facts, input: &input, mode, said: &said, plan: plan.as_deref(), rules: &self.rules };
        let Some(message) = case.message() else {
            return self.ask_person(n, call, ask.left_to_a_person("the call is too long to be judged"));
        };
        // No key goes to another model either (MO-4).
        let message = Message::user(self.redactor.redact(&message).into_owned());
        let (connect, name) = self.models.judge();
        let (model, prefix, session) = (self.judge.model.clone(), self.judge.prefix.clone(), self.id.clone());
        let (done, cancel) = (self.done.0.clone(), self.batch_cancel());
        tokio::spawn(async move {
            let asking = verdict(connect, name, model, prefix, message, &session);
            let verdict = tokio::select! {
                biased;
                () = cancel.cancelled() => None,
                verdict = tokio::time::timeout(PATIENCE, asking) => {
                    Some(verdict.unwrap_or_else(|_| Err(format!("no verdict within {} seconds", PATIENCE.as_secs()))))
                }
            };
            let _ = done.send(Report::Judged(Box::new(Judged { n, call, ask, mode, verdict })));
        });
    }

    pub(super) fn judged(&mut self, judged: Judged) {
        let Judged { n, call, ask, mode, verdict } = judged;
        let Some(verdict) = verdict else {
            let why = Why { reason: "the user interrupted".into(), rule: None, source: None };
            let message = "Not run: the user interrupted before it was allowed.".into();
            return self.deny_call(n, Denied { why, message });
        };
        let verdict = match verdict {
            Ok((verdict, cost)) => {
                self.judge.source.failures.over();
                self.tally.cost += cost;
                verdict
            }
            Err(why) => {
                let why = self.redactor.redact(why.lines().next().unwrap_or_default()).into_owned();
                self.judge_failed(&why);
                Verdict::Ask(format!("it could not be judged ({why})"))
            }
        };
        // PM-16: the mode as of now decides; what was judged for another mode is decided anew.
        if self.mode_as_of_now() != mode || !self.mode.auto_active() {
            return self.decide_call(n, call, &Default::default());
        }
        match verdict {
            Verdict::Allow(reason) => self.let_through(n, call, ask, &reason),
            Verdict::Ask(reason) => self.ask_person(n, call, ask.left_to_a_person(&reason)),
            Verdict::Deny(reason) => {
                let message = format!(
                    "Auto mode denied this {} call: {reason}. Do not try to get there another way: go on without it, or tell the user what you need it for.",
                    ask.facts.tool
                );
                let why = Why { reason: format!("auto mode: denied: {reason}"), ..ask.why };
                self.deny_call(n, Denied { why, message });
            }
        }
    }

    fn let_through(&mut self, n: usize, call: Box<dyn Call>, ask: Ask, reason: &str) {
        // What was judged is what runs (PR-6).
        match self.still_true(&*call, ask).map(|ask| Allowed::by_classifier(ask, reason)) {
            Ok(Ok(allowed)) => self.run_call(n, call, allowed, None),
            Ok(Err(ask)) => self.ask_person(n, call, *ask),
            Err(text) => self.finish(n, Outcome::error(text), Duration::ZERO),
        }
    }

    fn judge_failed(&mut self, why: &str) {
        let (failures, most) = (self.judge.source.failures.one_more(), auto::MOST_FAILURES);
        if failures < most {
            return self
                .notice(Level::Warning, &format!("Auto mode could not judge a call ({failures} of {most}): {why}"));
        }
        let text = format!(
            "Auto mode could not judge a call {most} times in a row: its gate is closed until the next start. {why}"
        );
        self.notice(Level::Warning, &text);
        let switches = self.mode.setup().auto;
        self.set_switches(switches);
    }

    /// A turn begins: have the settings of auto mode changed since (PM-122)?
    pub(super) fn reread_switches(&mut self) {
        let stamp = self.places.stamp();
        if stamp == self.judge.stamp {
            return;
        }
        self.judge.stamp = stamp;
        let settings =
            settings::load_from(&self.places, self.judge.source.flag.as_deref(), self.judge.source.sources.as_deref())
                .settings;
        self.set_switches(self.judge.source.switches(&settings));
    }

    fn set_switches(&mut self, mut switches: AutoSettings) {
        switches.gate_open &= !self.judge.source.failures.closed();
        if switches != self.mode.setup().auto {
            self.mode_event(mode::Event::AutoChanged(switches));
        }
    }
}

async fn verdict(
    connect: Arc<dyn Connect>,
    name: String,
    model: Arc<OnceCell<Connected>>,
    prefix: Arc<Prefix>,
    message: Message,
    session: &str,
) -> Result<(Verdict, f64), String> {
    let connected = model.get_or_try_init(|| connect.connect(&name)).await.map_err(|error| error.to_string())?;
    let messages = [Arc::new(message)];
    let request = Request {
        prefix: &prefix,
        messages: &messages,
        max_tokens: MOST_TOKENS.min(connected.max_tokens()),
        thinking: Thinking::Off,
        cache_key: session,
    };
    let response = connected.model.answer(&request, &mut |_| {}).await.map_err(|error| error.to_string())?;
    let cost = connected.info.cost(&response.usage);
    Ok((auto::parse(&words(&response))?, cost))
}

/// Only words: an answer that also calls tools is no verdict.
fn words(response: &Response) -> String {
    let word = |block: &Block| match block {
        Block::Text { text } => Some(text.clone()),
        Block::Thinking { .. } => Some(String::new()),
        Block::ToolUse(_) | Block::Image(_) => None,
    };
    let all: Option<Vec<String>> = response.blocks.iter().map(word).collect();
    all.map(|words| words.concat()).unwrap_or_default()
}
