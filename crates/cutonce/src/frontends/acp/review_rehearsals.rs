//! Rehearsals for ACP clients (RH-1 to RH-4): an option of the plan's request starts one, a tool call of its own shows
//! what it does, and the request comes back with the result and an option that applies exactly that.

use super::asks::permission_option;
use super::calls;
use agent_client_protocol::v1::schema::{
    PermissionOption, PermissionOptionKind, SessionUpdate, ToolCall, ToolCallContent, ToolCallId, ToolCallStatus,
    ToolCallUpdate, ToolCallUpdateFields, ToolKind,
};
use cutonce_core::plan::PlanEvent;
use cutonce_core::plan::approval::{PlanAnswer, PlanExitRequest};
pub use cutonce_core::plan::rehearsal::RehearsalEvent;
use cutonce_core::plan::rehearsal::{RehearsalChoice, RehearsalNews, RehearsalOrder, RehearsalResult};
use cutonce_core::protocol::event::EventKind;
use cutonce_core::protocol::submission::AskAnswer;
use cutonce_core::text::number::count_noun;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

const REHEARSE: &str = "rehearse";
const APPLY: &str = "apply";
const KEEP: &str = "keep";
/// Calls that the tool call of a rehearsal shows.
const SHOWN_CALLS: usize = 8;

/// The rehearsal of the plan that a client is asked about.
#[derive(Default)]
pub struct ClientRehearsal {
    /// The tool call that shows it.
    call: Option<ToolCallId>,
    calls: Vec<String>,
    /// Id, a line of text, and the result of the rehearsal that ended.
    finished: Option<(String, String, Box<RehearsalResult>)>,
    /// The name by which its result is kept (RH-5).
    kept: Option<String>,
    /// What the client should know before it is asked again.
    note: Option<String>,
}

/// The news of a rehearsal, if this event has some.
pub fn rehearsal_news(kind: &EventKind) -> Option<&RehearsalEvent> {
    match kind {
        EventKind::Plan(PlanEvent::Rehearsal(news)) => Some(news),
        _ => None,
    }
}

/// True if the answer applies a rehearsal.
pub fn applies_rehearsal(answer: &AskAnswer) -> bool {
    matches!(answer, AskAnswer::Plan(plan) if plan.rehearsal.is_some())
}

/// What a client's choice means for rehearsals.
pub enum RehearsalReply {
    Order(RehearsalOrder),
    Apply(Box<PlanAnswer>),
    /// The fields can't be read; the text says why.
    Refused(String),
}

/// Fields of `_meta.cutonce` with `apply`.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct OutFields {
    without: Vec<String>,
    without_steps: Vec<String>,
}

/// Fields of `_meta.cutonce` with `keep`.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct KeepFields {
    name: Option<String>,
}

/// Reads the client's fields; the error names the field.
fn read_fields<T: DeserializeOwned + Default>(extra: &Value) -> Result<T, String> {
    match extra {
        Value::Null => Ok(T::default()),
        fields => serde_path_to_error::deserialize(fields).map_err(|error| format!("`_meta.cutonce`: {error}")),
    }
}

impl ClientRehearsal {
    /// Options of the plan's request: the last ones, so that a client that answers by kind never takes them.
    pub fn options(&self, request: &PlanExitRequest) -> Vec<PermissionOption> {
        if request.plan.is_none() || request.from.is_some() {
            return Vec::new();
        }
        let again = if self.finished.is_some() { "Rehearse again" } else { "Rehearse first, on a copy" };
        let mut options = vec![permission_option(
            REHEARSE,
            &format!("{again} → plan, your files do not change"),
            PermissionOptionKind::RejectOnce,
        )];
        if let (Some((id, _, result)), Some(approval)) = (&self.finished, request.default_approval()) {
            let files = count_noun(result.files.len(), "file");
            let name = format!("Apply exactly {id}, {files} → {}", approval.mode);
            options.push(permission_option(APPLY, &name, PermissionOptionKind::AllowOnce));
        }
        if let (Some((id, ..)), None) = (&self.finished, &self.kept) {
            let name = format!("Keep {id} by name for later → plan, your files do not change");
            options.push(permission_option(KEEP, &name, PermissionOptionKind::RejectOnce));
        }
        options
    }

    /// The result, above the plan.
    pub fn content(&self) -> Vec<ToolCallContent> {
        let note = self.note.iter().map(|note| calls::text_content(note));
        let finished = self.finished.iter().flat_map(|(_, summary, result)| result_content(summary, result));
        note.chain(finished).collect()
    }

    /// Reads a choice; `None` if it is about something else.
    pub fn reply(&self, option: &str, extra: &Value, request: &PlanExitRequest) -> Option<RehearsalReply> {
        if !self.options(request).iter().any(|offered| *offered.option_id.0 == *option) {
            return None;
        }
        Some(self.read_reply(option, extra, request).unwrap_or_else(RehearsalReply::Refused))
    }

    /// Fields that can't be read start and apply nothing: a budget must not be lost on the way.
    fn read_reply(&self, option: &str, extra: &Value, request: &PlanExitRequest) -> Result<RehearsalReply, String> {
        if option == REHEARSE {
            return Ok(RehearsalReply::Order(RehearsalOrder::Start(read_fields(extra)?)));
        }
        let (id, _, result) = self.finished.as_ref().ok_or("no rehearsal has finished")?;
        if option == KEEP {
            let KeepFields { name } = read_fields(extra)?;
            return Ok(RehearsalReply::Order(RehearsalOrder::Keep { id: id.clone(), name }));
        }
        let approval = request.default_approval().ok_or("no approval is offered")?;
        let OutFields { without, without_steps } = read_fields(extra)?;
        let choice =
            RehearsalChoice { id: id.clone(), diff_sha256: result.diff_sha256.clone(), without, without_steps };
        let answer = PlanAnswer::new(request.ask_id.clone(), approval.key);
        Ok(RehearsalReply::Apply(Box::new(PlanAnswer { rehearsal: Some(Box::new(choice)), ..answer })))
    }

    /// The client's fields can't be read, so nothing happened.
    pub fn unreadable(&mut self, why: &str) {
        self.note = Some(format!("The answer could not be used: {}.", calls::one_line(why)));
    }

    /// The rehearsal was not started.
    pub fn refused(&mut self, why: &str) {
        self.note = Some(format!("No rehearsal: {}.", calls::one_line(why)));
    }

    /// Takes news in. Returns updates for the client, and whether it is asked again.
    pub fn news(&mut self, event: &RehearsalEvent) -> (Vec<SessionUpdate>, bool) {
        let id = calls::one_line(&event.id);
        match &event.news {
            RehearsalNews::Started { model, .. } => {
                let call = ToolCallId::new(format!("rehearsal-{}", cutonce_agent::new_id()));
                let with = model.as_ref().map(|model| format!(" with {}", calls::one_line(model))).unwrap_or_default();
                let shown = ToolCall::new(call.clone(), format!("Rehearsal {id}{with}"))
                    .kind(ToolKind::Execute)
                    .status(ToolCallStatus::InProgress);
                (self.call, self.note, self.finished, self.kept) = (Some(call), None, None, None);
                self.calls.clear();
                (vec![SessionUpdate::ToolCall(shown)], false)
            }
            RehearsalNews::Progress { text, .. } => {
                self.calls.push(format!("- {}", calls::one_line(text)));
                self.calls.drain(..self.calls.len().saturating_sub(SHOWN_CALLS));
                let content = vec![calls::text_content(&self.calls.join("\n"))];
                (self.update(ToolCallUpdateFields::new().content(content)), false)
            }
            RehearsalNews::Finished { passed, result, checks, .. } => {
                let status = if *passed { ToolCallStatus::Completed } else { ToolCallStatus::Failed };
                let summary = format!("Rehearsal {id}: {}", result.summary(*passed, checks));
                let content = result_content(&summary, result);
                self.finished = Some((event.id.clone(), summary, result.clone()));
                (self.update(ToolCallUpdateFields::new().status(status).content(content)), true)
            }
            RehearsalNews::Stopped { why } => {
                self.note = Some(format!("The rehearsal {id} ended: {}.", calls::one_line(why)));
                let content = self.note.iter().map(|note| calls::text_content(note)).collect::<Vec<_>>();
                let running = self.finished.take().is_none();
                let fields = ToolCallUpdateFields::new().status(ToolCallStatus::Failed).content(content);
                (if running { self.update(fields) } else { Vec::new() }, running)
            }
            RehearsalNews::Kept { name } => {
                let name = calls::one_line(name);
                self.note =
                    Some(format!("{id} is kept as {name}; `cutonce rehearsals apply {name}` applies it later."));
                self.kept = Some(name);
                (Vec::new(), true)
            }
            RehearsalNews::NotKept { why } => {
                self.note = Some(format!("{id} was not kept: {}.", calls::one_line(why)));
                (Vec::new(), true)
            }
            RehearsalNews::NotApplied { why } => {
                self.note = Some(format!("Nothing was applied: {}.", calls::one_line(why)));
                (Vec::new(), true)
            }
        }
    }

    fn update(&self, fields: ToolCallUpdateFields) -> Vec<SessionUpdate> {
        let update =
            |call: &ToolCallId| SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(call.clone(), fields.clone()));
        self.call.iter().map(update).collect()
    }
}

fn result_content(summary: &str, result: &RehearsalResult) -> Vec<ToolCallContent> {
    let mut content = vec![calls::text_content(summary)];
    content.extend(result.failure.iter().map(|why| calls::text_content(&format!("Failed: {}", calls::one_line(why)))));
    if !result.diff.is_empty() {
        content.push(calls::fenced_content(&calls::truncate_shown(&calls::escape_controls(&result.diff)), "diff"));
    }
    if let Some(report) = &result.report {
        content.push(calls::fenced_content(&calls::truncate_shown(&calls::escape_controls(&report.text())), ""));
    }
    let denied = result.denied.iter();
    let denied: Vec<String> =
        denied.map(|one| format!("- denied: {}: {}", calls::one_line(&one.tool), calls::one_line(&one.text))).collect();
    if !denied.is_empty() {
        content.push(calls::text_content(&denied.join("\n")));
    }
    content
}
