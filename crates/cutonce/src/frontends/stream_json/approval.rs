//! A host's answer to a plan (PM-143, HO-2).

use super::SdkHost;
use super::permission::answer_submission;
use cutonce_core::mode::Mode;
use cutonce_core::plan::PlanEvent;
use cutonce_core::plan::approval::{ChoiceKey, NoAnswer, PlanAnswer, PlanExitRequest};
use cutonce_core::plan::rehearsal::{RehearsalNews, RehearsalOrder, RehearsalStart};
use cutonce_core::protocol::event::{AskView, EventKind};
use cutonce_core::protocol::submission::{AskAnswer, OnDone, Submission};
use serde_json::{Value, json};
use std::sync::Arc;

/// A clear no: planning continues with this feedback.
pub(super) fn rejection(ask_id: &str, feedback: String) -> AskAnswer {
    AskAnswer::Plan(PlanAnswer { feedback: Some(feedback), ..PlanAnswer::new(ask_id, ChoiceKey::KeepPlanning) })
}

/// Answers a plan. The input of the answer may name a choice with feedback, comments and notes, or the edited plan
/// (PM-143). Without a choice it is an approval, and the next mode decides which one.
pub(super) fn approve(
    ask: &AskView,
    request: &PlanExitRequest,
    input: Option<&Value>,
    mode: Option<Mode>,
) -> Vec<Submission> {
    let unusable = |why: &str| vec![answer_submission(ask, AskAnswer::Unusable { why: why.into() })];
    let given = |name: &str| input.map(|input| &input[name]).filter(|value| !value.is_null());
    let mode = match given("mode").map(|name| name.as_str().and_then(Mode::parse)) {
        Some(None) => return unusable("it names an unknown mode"),
        Some(named) => named,
        None => mode,
    };
    let (choice, answer_mode, after) = match given("choice") {
        Some(choice) => (choice.clone(), mode, None),
        None => match approving_choice(request, mode) {
            Ok((key, after)) => (json!(key), None, after),
            Err(why) => return unusable(why),
        },
    };
    match given("plan") {
        // A program would send the same again, so an empty plan is refused at once.
        Some(Value::String(plan)) if plan.trim().is_empty() => return unusable("the edited plan is empty"),
        Some(Value::String(_)) | None => {}
        Some(_) => return unusable("the edited plan is not text"),
    }
    let mut answer = json!({"askId": ask.ask_id, "choice": choice, "mode": answer_mode});
    for name in ["plan", "feedback", "comments", "notes", "steps", "model", "effort", "budgetUsd", "scope", "rehearsal"]
    {
        given(name).into_iter().for_each(|value| answer[name] = value.clone());
    }
    let answer = match PlanAnswer::from_json(&answer) {
        Ok(answer) => AskAnswer::Plan(answer),
        Err(NoAnswer::Unreadable(why) | NoAnswer::Failed(why)) => AskAnswer::Unusable { why },
        Err(NoAnswer::Interrupted) => AskAnswer::Unusable { why: "it can't be read".into() },
    };
    // A teammate's plan does not change the mode of this session.
    let own = request.from.is_none();
    std::iter::once(answer_submission(ask, answer))
        .chain(after.filter(|_| own).map(|mode| Submission::SetModeByAnswer { mode }))
        .collect()
}

impl SdkHost {
    /// Rehearses the plan that waits (RH-1); events of the type `plan.rehearsal` follow.
    pub(super) fn rehearse(&mut self, id: &Value, request: &Value) {
        let mut given = request.clone();
        if let Some(fields) = given.as_object_mut() {
            fields.remove("subtype");
        }
        match serde_path_to_error::deserialize::<_, RehearsalStart>(given) {
            Ok(start) => self.order_rehearsal(id, RehearsalOrder::Start(start)),
            Err(error) => self.peer.send_reply(id, Err(format!("the rehearsal can't be read: {error}"))),
        }
    }

    fn order_rehearsal(&mut self, id: &Value, order: RehearsalOrder) {
        let (peer, id) = (self.peer.clone(), id.clone());
        let told = move |done: Result<(), String>| peer.send_reply(&id, done.map(|()| json!({})));
        self.session.submit(Submission::Rehearse { order, on_done: Some(OnDone(Arc::new(told))) });
    }

    pub(super) fn cancel_rehearsal(&mut self, id: &Value, request: &Value) {
        match text_field(request, "rehearsal_id") {
            Ok(rehearsal) => self.order_rehearsal(id, RehearsalOrder::Cancel { id: rehearsal }),
            Err(why) => self.peer.send_reply(id, Err(why)),
        }
    }

    /// A rehearsal was not applied, so the plan still waits: the host is asked again (RH-3).
    pub(super) fn ask_again(&mut self, event: &EventKind) {
        let EventKind::Plan(PlanEvent::Rehearsal(event)) = event else { return };
        if matches!(event.news, RehearsalNews::NotApplied { .. }) {
            let still_waits = self.last_answered.take();
            still_waits.into_iter().for_each(|ask| self.send_ask(&ask));
        }
    }

    /// Keeps a finished rehearsal by name (RH-5).
    pub(super) fn keep_rehearsal(&mut self, id: &Value, request: &Value) {
        let rehearsal = text_field(request, "rehearsal_id");
        let rehearsal = rehearsal.and_then(|found| found.ok_or_else(|| "`rehearsal_id` is missing".into()));
        match rehearsal.and_then(|rehearsal| Ok((rehearsal, text_field(request, "name")?))) {
            Ok((rehearsal, name)) => self.order_rehearsal(id, RehearsalOrder::Keep { id: rehearsal, name }),
            Err(why) => self.peer.send_reply(id, Err(why)),
        }
    }
}

/// A field that may be left out; another type than text is an error.
fn text_field(request: &Value, name: &str) -> Result<Option<String>, String> {
    match &request[name] {
        Value::Null => Ok(None),
        Value::String(text) => Ok(Some(text.clone())),
        _ => Err(format!("`{name}` is not text")),
    }
}

/// The choice for a host that only says "allow", and the mode to set right after it. A mode that the request does not
/// offer is set like set_permission_mode: unavailable modes stay unavailable.
fn approving_choice(request: &PlanExitRequest, mode: Option<Mode>) -> Result<(ChoiceKey, Option<Mode>), &'static str> {
    let Some(mode) = mode else {
        let choice = request.default_approval().or_else(|| request.find_choice(ChoiceKey::Restore));
        return choice.map(|choice| (choice.key, None)).ok_or("no approval is offered");
    };
    if mode.is_read_only() {
        return Err("it allows leaving plan mode and sets plan mode");
    }
    if let Some(named) = request.choice_approving_mode(mode) {
        return Ok((named.key, None));
    }
    // A teammate's mode can't be set from this session (PM-134).
    if request.from.is_some() {
        return Err("it names a mode that the request does not offer");
    }
    // The rest of the batch gets no more rights than named (PM-18), so approve with the least and set the named mode
    // after it.
    let least = request.find_choice(ChoiceKey::Default).ok_or("no approval is offered")?;
    Ok((least.key, Some(mode)))
}
