//! What the page shows, as JSON: the board, a request, a plan. Plan text goes out as escaped HTML only, or as a JSON
//! string for the editor.

use crate::plan_diff::diff_html;
use crate::plan_html::{RenderedPlan, render_plan};
use crate::plan_rehearsals::shown_output;
use crate::review_board::{ClosedRequest, FoundRequest, ReviewBoard, ReviewedSession};
use crate::review_source::JOB_TOOL;
use cutonce_agent::plan::{ListedPlan, PlanRevisions, find_plan, list_plans, read_contract, read_plan};
use cutonce_core::model_request::Effort;
use cutonce_core::plan::approval::{ChoiceKey, PlanChoice, PlanExitRequest};
use cutonce_core::plan::{CostEstimate, StepProgress, plan_title, sha256_hex};
use cutonce_core::protocol::review_request::{WaitingRequest, WaitingSubject};
use cutonce_core::settings::plan::PlanLint;
use cutonce_core::sync::LockUnpoisoned;
use cutonce_core::text::sanitize::{one_line, reveal_hidden};
use serde_json::{Value, json};
use std::cmp::Reverse;
use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Arc, Mutex};

/// Lines that a page gets at first; it loads the others while the user scrolls (RV-2).
pub const FIRST_LINES: usize = 5_000;
/// Waiting requests and jobs that the lists have at first (RV-1).
const FIRST_ROWS: usize = 200;
/// Rendered plans that are kept, and the bytes of all of them but the newest.
const MOST_RENDERED: usize = 8;
const MOST_RENDERED_BYTES: usize = 64 << 20;

/// Rendered plans, by hash.
#[derive(Default)]
pub struct RenderedPlans(Mutex<VecDeque<(String, Arc<RenderedPlan>)>>);

impl RenderedPlans {
    fn get(&self, text: &str) -> Arc<RenderedPlan> {
        let sha256 = sha256_hex(text);
        let mut kept = self.0.lock_unpoisoned();
        if let Some((_, rendered)) = kept.iter().find(|(known, _)| *known == sha256) {
            return rendered.clone();
        }
        let rendered = Arc::new(render_plan(text));
        let bytes =
            |kept: &VecDeque<(String, Arc<RenderedPlan>)>| kept.iter().map(|(_, one)| one.bytes()).sum::<usize>();
        while kept.len() >= MOST_RENDERED || bytes(&kept) > MOST_RENDERED_BYTES {
            kept.pop_front();
        }
        kept.push_back((sha256, rendered.clone()));
        rendered
    }

    /// A plan's first lines and its outline.
    pub fn page(&self, text: &str) -> Value {
        let rendered = self.get(text);
        json!({
            "sha256": sha256_hex(text),
            "total": rendered.lines.len(),
            "html": rendered.lines.iter().take(FIRST_LINES).map(String::as_str).collect::<String>(),
            "outline": rendered.outline,
        })
    }

    /// Lines from this number on, as many as a page gets at once.
    pub fn more(&self, text: &str, from: usize) -> Value {
        let rendered = self.get(text);
        let lines = rendered.lines.iter().skip(from.saturating_sub(1)).take(FIRST_LINES);
        json!({ "html": lines.map(String::as_str).collect::<String>() })
    }
}

/// The title of a request, on one line.
pub fn request_title(request: &WaitingRequest) -> String {
    let title = match &request.subject {
        WaitingSubject::Plan { request: plan, .. } => match &plan.plan {
            Some(text) => plan_title(text).unwrap_or_else(|| "A plan without a title".into()),
            // The text comes when the request is opened.
            None if plan.sha256.is_some() => request.text.clone(),
            None => "Exit plan mode without a plan?".into(),
        },
        WaitingSubject::Questions { questions } => {
            questions.first().map_or_else(|| "A question".into(), |question| question.question.clone())
        }
        WaitingSubject::EnterPlan => "The model wants to enter plan mode".into(),
        WaitingSubject::Permission { .. } => {
            format!("{}: {}", request.tool, first_words(&request.text))
        }
    };
    one_line(&title)
}

/// The first line of what would run; of a diff, the name of its file.
fn first_words(text: &str) -> &str {
    let mut lines = text.lines();
    let first = lines.next().unwrap_or_default();
    let names = first.strip_prefix("--- ").zip(lines.next().and_then(|second| second.strip_prefix("+++ ")));
    match names {
        Some((old, "/dev/null")) => old.strip_prefix("a/").unwrap_or(old),
        Some((_, new)) => new.strip_prefix("b/").unwrap_or(new),
        None => first,
    }
}

fn kind_name(subject: &WaitingSubject) -> &'static str {
    match subject {
        WaitingSubject::Plan { .. } => "plan",
        WaitingSubject::Questions { .. } => "questions",
        WaitingSubject::EnterPlan => "enterPlan",
        WaitingSubject::Permission { .. } => "permission",
    }
}

/// What the first page asks for.
#[derive(Debug, Clone, Copy, Default)]
pub struct BoardQuery<'a> {
    /// All requests and jobs, not only the newest.
    pub all: bool,
    /// Only requests whose title, project or asker has these words.
    pub find: &'a str,
}

/// The first page: what waits, what runs, and all plans.
pub fn board_view(board: &ReviewBoard, home: &Path, query: BoardQuery) -> Value {
    let sessions = board.sessions();
    let open =
        sessions.iter().flat_map(|(id, session)| session.waiting.iter().map(move |request| (id, session, request)));
    let mut waiting: Vec<(&String, &ReviewedSession, &Arc<WaitingRequest>)> = open.collect();
    waiting.sort_by_key(|(_, _, request)| Reverse((request.since, request.ask_id.clone())));
    let total = waiting.len();
    let words = query.find.to_lowercase();
    waiting.retain(|(_, session, request)| {
        let asker = request.asker.as_deref().unwrap_or_default();
        let has = |text: &str| text.to_lowercase().contains(&words);
        words.is_empty() || has(&request_title(request)) || has(&session.project) || has(asker)
    });
    let shown = if query.all { usize::MAX } else { FIRST_ROWS };
    let row = |(id, session, request): &(&String, &ReviewedSession, &Arc<WaitingRequest>)| {
        json!({
            "session": id, "ask": request.ask_id, "kind": kind_name(&request.subject),
            "title": request_title(request), "project": one_line(&session.project), "since": request.since,
            "asker": request.asker.as_deref().map(one_line), "revision": request.plan().map(|plan| plan.revision),
        })
    };
    let rows: Vec<Value> = waiting.iter().take(shown).map(row).collect();
    let jobs = board.jobs();
    let job_total = jobs.as_ref().map_or(0, Vec::len);
    let runs = |plan: &ListedPlan| {
        sessions.iter().any(|(id, session)| plan.session.as_ref() == Some(id) && session.implements)
    };
    let plans: Vec<Value> = list_plans(home).iter().map(|plan| listed(home, plan, runs(plan))).collect();
    json!({
        "waiting": rows,
        "total": total,
        "found": waiting.len(),
        "reading": board.is_reading(),
        "sessions": sessions.len(),
        "plans": plans,
        "jobs": jobs.map(|jobs| jobs.into_iter().take(shown).collect::<Vec<_>>()),
        "jobTotal": job_total,
        "troubles": board.troubles(),
    })
}

fn listed(home: &Path, plan: &ListedPlan, runs: bool) -> Value {
    // What became of an approved plan (PC-35).
    let report = plan.approved.and_then(|_| PlanRevisions::for_plan(home, &plan.slug).report().ok().flatten());
    json!({
        "outcome": report.as_ref().map(|report| report.counts()), "drift": report.as_ref().map(|report| report.drift),
        "slug": plan.slug, "title": one_line(&plan.title), "status": plan.status.name(), "revision": plan.revision,
        "project": plan.project.as_deref().map(one_line), "time": plan.time, "runs": runs,
    })
}

/// One request: open with everything about it, or closed with who answered.
pub fn request_view(board: &ReviewBoard, rendered: &RenderedPlans, session: &str, ask_id: &str) -> Option<Value> {
    let (project, request) = match board.find(session, ask_id)? {
        FoundRequest::Open { project, request } => (project, request),
        FoundRequest::Closed(closed) => return Some(closed_view(board, &closed)),
    };
    let mut view = json!({
        "state": "open", "kind": kind_name(&request.subject), "session": session, "ask": ask_id,
        "title": request_title(&request), "project": one_line(&project), "since": request.since,
        "asker": request.asker.as_deref().map(one_line), "text": reveal_hidden(&request.text), "tool": one_line(&request.tool),
        "editable": request.tool != JOB_TOOL,
    });
    match &request.subject {
        WaitingSubject::Plan { request: plan, previous, draft } => {
            let (of_job, request) = (request.tool == JOB_TOOL, plan);
            plan_parts(&mut view, request, rendered, of_job);
            let own = request.from.is_none() && request.plan.is_some();
            view["local"] = json!(board.is_local(session));
            view["rehearses"] = json!(own && board.can_rehearse(session));
            let applies = request.default_approval();
            view["applies"] = json!(applies.map(|choice| json!({ "key": choice.key, "mode": choice.mode })));
            view["previous"] = json!(previous.as_ref().is_some_and(|previous| Some(previous) != request.plan.as_ref()));
            view["amends"] = json!(request.amends.as_ref().map(|amends| amends.revision));
            view["draft"] = json!(draft);
        }
        WaitingSubject::Questions { questions } => view["questions"] = json!(questions),
        WaitingSubject::EnterPlan => view["choices"] = enter_choices(),
        WaitingSubject::Permission { why, scopes } => {
            view["why"] = json!(reveal_hidden(why));
            let remember = scopes.iter().map(|scope| {
                json!({
                    "key": "allow", "label": capitalized(&one_line(&scope.label)),
                    "consequence": "The call runs now, and calls like it are not asked about any more.",
                    "answer": {"kind": "permission", "behavior": "allow", "remember": scope.remember},
                })
            });
            let mut choices = vec![json!({
                "key": "allow", "label": "Allow once", "consequence": "The call runs now, with what is shown above.",
                "answer": {"kind": "permission", "behavior": "allow", "remember": []},
            })];
            choices.extend(remember);
            choices.push(json!({
                "key": "deny", "label": "Deny", "consequence": "The call does not run; the agent continues without it.",
                "answer": {"kind": "permission", "behavior": "deny", "message": "", "interrupt": false},
            }));
            view["choices"] = json!(choices);
        }
    }
    Some(view)
}

fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
}

fn enter_choices() -> Value {
    json!([
        {"key": "allow", "label": "Enter plan mode", "consequence": "The agent plans first and changes nothing until you approve a plan.",
         "answer": {"kind": "permission", "behavior": "allow", "remember": []}},
        {"key": "deny", "label": "Stay in this mode", "consequence": "The agent continues without a plan.",
         "answer": {"kind": "permission", "behavior": "deny", "message": "", "interrupt": false}},
    ])
}

fn closed_view(board: &ReviewBoard, closed: &ClosedRequest) -> Value {
    let next = board.open_plan(&closed.session).filter(|_| closed.request.plan().is_some());
    json!({
        "state": "closed", "kind": kind_name(&closed.request.subject), "session": closed.session,
        "ask": closed.request.ask_id, "title": request_title(&closed.request), "told": closed.told,
        "sha256": closed.request.plan().and_then(|plan| plan.sha256.clone()),
        "next": next.map(|next| json!({ "ask": next.ask_id, "revision": next.plan().map(|plan| plan.revision) })),
    })
}

fn plan_parts(view: &mut Value, request: &PlanExitRequest, rendered: &RenderedPlans, of_job: bool) {
    let choices = request.choices.iter().map(|choice| {
        let (approved, then) = consequence(request, choice, of_job);
        json!({
            "key": choice.key, "label": choice.label, "mode": choice.mode, "then": then,
            "consequence": approved.iter().cloned().chain([then.clone()]).collect::<Vec<_>>().join(" "),
            "approves": approves(choice.key),
        })
    });
    view["choices"] = choices.collect();
    view["revision"] = json!(request.revision);
    view["path"] = json!(one_line(&request.plan_file_path));
    view["plan"] = request.plan.as_deref().map_or(Value::Null, |plan| rendered.page(plan));
    view["contract"] = json!(request.contract);
    view["estimate"] = json!(request.estimate.as_ref().map(CostEstimate::text));
    view["efforts"] = json!([Effort::Low, Effort::Medium, Effort::High, Effort::Max].map(Effort::name));
    let mut facts = Vec::new();
    if !of_job {
        facts.push(request.layer.describe().to_string());
        facts.extend(request.scope_method.map(|method| method.describe().to_string()));
        facts.push(match request.changed_files.len() {
            0 => "No file changed since plan mode was entered.".into(),
            _ => format!("Changed since plan mode was entered: {}", request.changed_files.join(", ")),
        });
    }
    let more = [
        ("Background commands that still run", &request.shells),
        ("Hosts that commands contacted", &request.contacted_hosts),
    ];
    facts.extend(
        more.iter().filter(|(_, list)| !list.is_empty()).map(|(name, list)| format!("{name}: {}", list.join(", "))),
    );
    facts.extend(request.notice.clone());
    view["facts"] = json!(facts.iter().map(|fact| one_line(fact)).collect::<Vec<_>>());
}

fn approves(key: ChoiceKey) -> bool {
    matches!(key, ChoiceKey::AcceptEdits | ChoiceKey::Default | ChoiceKey::Restore | ChoiceKey::Clear)
}

/// What exactly happens after this choice: what is approved, and what follows.
fn consequence(request: &PlanExitRequest, choice: &PlanChoice, of_job: bool) -> (Option<String>, String) {
    let sha = request.sha256.as_deref().and_then(|sha| sha.get(..6)).unwrap_or_default();
    let who =
        request.from.as_deref().map_or_else(|| "The agent".into(), |name| format!("The teammate {}", one_line(name)));
    let approved = Some(format!("Revision {} (sha {sha}) is approved.", request.revision));
    let mode = choice.mode;
    match choice.key {
        ChoiceKey::KeepPlanning if of_job => (None, "Nothing is approved. The job ends; a retry plans again.".into()),
        _ if of_job => (approved, "The job is done; nothing runs on this machine.".into()),
        ChoiceKey::AcceptEdits => {
            (approved, format!("{who} starts at once and changes files without asking. The context is kept."))
        }
        ChoiceKey::Default => {
            (approved, format!("{who} starts at once and asks before each edit. The context is kept."))
        }
        ChoiceKey::Restore if request.plan.is_none() => {
            (None, format!("Plan mode ends without a plan, and the mode becomes {mode}."))
        }
        ChoiceKey::Restore => {
            (approved, format!("{who} starts at once in the mode {mode}, as before plan mode. The context is kept."))
        }
        ChoiceKey::Clear => (
            approved,
            format!("The context is cleared and only the plan stays. {who} starts at once in the mode {mode}."),
        ),
        ChoiceKey::KeepPlanning => {
            (None, format!("Nothing is approved. {who} keeps planning, with your comments and your text."))
        }
        ChoiceKey::Leave => {
            (None, format!("Nothing runs. Plan mode ends, the mode becomes {mode}, and the plan stays in its file."))
        }
    }
}

/// The difference from what a page has shown, or from the last submission, to the plan of a request.
pub fn request_diff(board: &ReviewBoard, session: &str, ask_id: &str, shown: Option<&str>) -> Option<Value> {
    let Some(FoundRequest::Open { request, .. }) = board.find(session, ask_id) else { return None };
    let WaitingSubject::Plan { request, previous, .. } = &request.subject else { return None };
    let old = match shown {
        Some(sha256) => board.shown_plan(sha256),
        None => previous.clone(),
    }?;
    Some(diff_view(&old, request.plan.as_deref().unwrap_or_default()))
}

/// The rehearsals of the plan that waits: a row for each, or the whole result of one.
pub fn rehearsals_view(board: &ReviewBoard, session: &str, ask_id: &str, id: Option<&str>) -> Option<Value> {
    let Some(FoundRequest::Open { .. }) = board.find(session, ask_id) else { return None };
    let (_, session) = board.sessions().into_iter().find(|(known, _)| known == session)?;
    match id {
        Some(id) => session.rehearsals.result(id),
        None => Some(json!({ "rehearsals": session.rehearsals.rows() })),
    }
}

pub fn diff_view(old: &str, new: &str) -> Value {
    let diff = diff_html(old, new);
    json!({ "html": diff.html, "added": diff.added, "removed": diff.removed })
}

/// A plan with its state, revisions and evidence.
pub fn plan_view(board: &ReviewBoard, rendered: &RenderedPlans, home: &Path, slug: &str) -> Option<Value> {
    let plan = find_plan(home, slug)?;
    let text = plan_text(home, &plan);
    let revisions = PlanRevisions::for_plan(home, slug);
    let sessions = board.sessions();
    let live = sessions.iter().find(|(id, _)| plan.session.as_ref() == Some(id)).map(|(id, session)| (id, session));
    let contract = match (&text, plan.project.as_deref()) {
        (Some(text), Some(project)) => read_contract(Path::new(project), text, PlanLint::Off),
        _ => None,
    };
    let waiting = live.and_then(|(id, session)| {
        let open = session.waiting.iter().find(|request| request.plan().is_some())?;
        Some(json!({ "session": id, "ask": open.ask_id }))
    });
    let mut view = listed(home, &plan, live.is_some_and(|(_, session)| session.implements));
    view["path"] = json!(one_line(&plan.path.to_string_lossy()));
    view["sha256"] = json!(plan.sha256);
    view["plan"] = text.as_deref().map_or(Value::Null, |text| rendered.page(text));
    view["contract"] = json!(contract);
    view["report"] = json!(revisions.report().ok().flatten());
    let steps = live.iter().flat_map(|(_, session)| session.steps.values().cloned());
    let steps = steps.map(|step| StepProgress { output: shown_output(&step.output), ..step });
    view["steps"] = json!(steps.collect::<Vec<_>>());
    view["waiting"] = json!(waiting);
    let revisions = revisions.index().revisions;
    let history = revisions.iter().map(
        |revision| json!({ "number": revision.number, "time": revision.time, "outcome": revision.outcome.name() }),
    );
    view["revisions"] = history.collect();
    Some(view)
}

/// The plan's file, or its last revision if the file is gone.
pub fn plan_text(home: &Path, plan: &ListedPlan) -> Option<String> {
    let found = read_plan(&plan.path).text().map(str::to_string);
    found.or_else(|| PlanRevisions::for_plan(home, &plan.slug).text(plan.revision).ok())
}

/// The difference of the last two revisions of a plan.
pub fn plan_diff(home: &Path, slug: &str) -> Option<Value> {
    let plan = find_plan(home, slug)?;
    let text = plan_text(home, &plan)?;
    let revisions = PlanRevisions::for_plan(home, slug);
    let now = sha256_hex(&text);
    let earlier = revisions.index().revisions.into_iter().rev().find(|revision| revision.sha256 != now)?;
    Some(diff_view(&revisions.text(earlier.number).ok()?, &text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rv_1_request_about_a_diff_names_its_file() {
        assert_eq!(first_words("--- /dev/null\n+++ b/src/new.rs\n@@ -0,0 +1 @@\n"), "src/new.rs");
        assert_eq!(first_words("--- a/old.rs\n+++ /dev/null\n"), "old.rs");
        assert_eq!(first_words("--- a/x\n"), "--- a/x");
        assert_eq!(first_words("cargo test\n--- b"), "cargo test");
    }
}
