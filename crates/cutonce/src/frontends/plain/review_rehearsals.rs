//! Rehearsals in the plain review (RH-1 to RH-3, RH-7): `r` starts one, `x` cancels it, `a` applies its result.

use super::plan_review::ReviewStep;
use cutonce_core::plan::approval::{PlanAnswer, PlanExitRequest, ReviewTerms};
use cutonce_core::plan::rehearsal::{
    RehearsalChoice, RehearsalEvent, RehearsalNews, RehearsalOrder, RehearsalResult, RehearsalStart,
};
use cutonce_core::text::sanitize::{one_line, sanitize};
use std::collections::BTreeMap;

/// Rehearsals of the plan that is reviewed, in the order in which they ended.
#[derive(Debug, Default)]
pub struct PlainRehearsals {
    /// Ids, a line about each, and the results.
    finished: Vec<(String, String, RehearsalResult)>,
    /// Those of other revisions than the one that waits.
    revisions: BTreeMap<String, u32>,
}

/// What `x` does: cancels all, or one.
pub fn cancel_order(rest: &str) -> ReviewStep {
    let id = Some(rest.trim().to_string()).filter(|id| !id.is_empty());
    ReviewStep::Order(RehearsalOrder::Cancel { id })
}

/// What `r [rev N] [MODEL]` does: rehearses the plan, or another revision of it, with another model if one is named.
pub fn start_order(terms: &ReviewTerms, rest: &str) -> ReviewStep {
    let words: Vec<&str> = rest.split_whitespace().collect();
    let (revision, words) = match words.as_slice() {
        ["rev", number, rest @ ..] => match number.parse() {
            Ok(number) => (Some(number), rest),
            Err(_) => return ReviewStep::Print("Usage: r, r MODEL, or r rev N".into()),
        },
        words => (None, words),
    };
    let model = words.first().map(|model| model.to_string()).or(terms.model.clone());
    // Answers about steps are about the revision that waits.
    let steps = if revision.is_none() { terms.steps.clone() } else { BTreeMap::new() };
    let budget_usd = terms.budget_usd;
    ReviewStep::Order(RehearsalOrder::Start(RehearsalStart { steps, model, budget_usd, revision }))
}

impl PlainRehearsals {
    pub fn note(&mut self, event: &RehearsalEvent) {
        match &event.news {
            RehearsalNews::Finished { passed, result, checks, .. } => {
                self.finished.push((event.id.clone(), result.summary(*passed, checks), (**result).clone()));
            }
            RehearsalNews::Stopped { .. } => self.finished.retain(|(id, ..)| *id != event.id),
            RehearsalNews::Started { revision, .. } => {
                self.revisions.extend(revision.map(|revision| (event.id.clone(), revision)));
            }
            RehearsalNews::Progress { .. }
            | RehearsalNews::NotApplied { .. }
            | RehearsalNews::Kept { .. }
            | RehearsalNews::NotKept { .. } => {}
        }
    }

    /// What `k [ID] [NAME]` does: keeps a result by name.
    pub fn keep_order(&self, rest: &str) -> ReviewStep {
        let words: Vec<&str> = rest.split_whitespace().collect();
        let is_known = |id: &str| self.finished.iter().any(|(known, ..)| known == id);
        let (id, name) = match words.as_slice() {
            [id, name @ ..] if is_known(id) => (Some(id.to_string()), name.first()),
            words => (self.finished.last().map(|(id, ..)| id.clone()), words.first()),
        };
        match id {
            Some(id) => ReviewStep::Order(RehearsalOrder::Keep { id, name: name.map(|name| name.to_string()) }),
            None => ReviewStep::Print("No rehearsal has finished: r starts one.".into()),
        }
    }

    /// `a [ID] [without FILE…]`: the answer that applies a result, and what it would do.
    pub fn choose(&self, request: &PlanExitRequest, rest: &str) -> Result<(PlanAnswer, String), String> {
        let (id, without) = match rest.trim().split_once("without") {
            Some((id, files)) => (id.trim(), files.split_whitespace().map(str::to_string).collect()),
            None => (rest.trim(), Vec::new()),
        };
        let found = match id {
            "" => self.finished.last(),
            id => self.finished.iter().find(|(known, ..)| known == id),
        };
        let (id, _, result) = found.ok_or("No rehearsal has finished: r starts one.")?;
        if let Some(revision) = self.revisions.get(id) {
            let waits = request.revision;
            return Err(format!("Not possible: {id} rehearsed rev {revision}, and rev {waits} waits for approval."));
        }
        let (diff_sha256, without_steps) = (result.diff_sha256.clone(), Vec::new());
        let choice = RehearsalChoice { id: id.clone(), diff_sha256, without, without_steps };
        let out = result.taken_out(&choice).map_err(|why| format!("Not possible: {}.", one_line(&why)))?;
        let approval = request.default_approval().ok_or("No approval is offered.")?;
        let mut text = format!(
            "Will approve rev {} and apply exactly rehearsal {id}, {} of {} files (diff {})",
            request.revision,
            result.files.len() - out.len(),
            result.files.len(),
            result.diff_sha256.chars().take(6).collect::<String>(),
        );
        if !out.is_empty() {
            let out: Vec<String> = out.iter().map(|path| one_line(path)).collect();
            text.push_str(&format!(", without {}; its checks have not run on that", out.join(", ")));
        }
        let answer =
            PlanAnswer { rehearsal: Some(Box::new(choice)), ..PlanAnswer::new(request.ask_id.clone(), approval.key) };
        Ok((answer, format!("{text}. The mode becomes {}.", approval.mode)))
    }

    /// The results side by side (RH-7).
    pub fn table(&self) -> Option<String> {
        let row = |(id, summary, result): &(String, String, RehearsalResult)| {
            let revision = self.revisions.get(id).map(|revision| format!("rev {revision}, ")).unwrap_or_default();
            format!("  {id}  {revision}{summary}, {:.0} s", result.seconds)
        };
        (self.finished.len() > 1).then(|| self.finished.iter().map(row).collect::<Vec<_>>().join("\n"))
    }
}

/// What the user sees of an event.
pub fn event_text(event: &RehearsalEvent) -> String {
    let id = one_line(&event.id);
    match &event.news {
        RehearsalNews::Started { model, revision } => {
            let model = model.as_ref().map(|model| format!(" with {}", one_line(model))).unwrap_or_default();
            let revision = revision.map(|revision| format!(" of rev {revision}")).unwrap_or_default();
            format!("rehearsal {id}{revision} started{model}; x cancels it")
        }
        RehearsalNews::Kept { name } => {
            let name = one_line(name);
            format!("rehearsal {id} is kept as {name}; `cutonce rehearsals apply {name}` applies it later")
        }
        RehearsalNews::NotKept { why } => format!("rehearsal {id} was not kept: {}", one_line(why)),
        RehearsalNews::Progress { text, .. } => format!("rehearsal {id}: {}", one_line(text)),
        RehearsalNews::Stopped { why } => format!("rehearsal {id} ended: {}", one_line(why)),
        RehearsalNews::NotApplied { why } => format!("rehearsal {id} was not applied: {}", one_line(why)),
        RehearsalNews::Finished { passed, result, checks, .. } => {
            let mut text = sanitize(result.diff.trim_end()).into_owned();
            if let Some(report) = &result.report {
                text.push_str(&format!("\n\n{}", sanitize(report.text().trim_end())));
            }
            for denied in &result.denied {
                text.push_str(&format!("\ndenied: {}: {}", one_line(&denied.tool), one_line(&denied.text)));
            }
            if let Some(why) = &result.failure {
                text.push_str(&format!("\nfailed: {}", one_line(why)));
            }
            format!(
                "{text}\n\nrehearsal {id}: {}\na applies exactly this, a without FILE takes files out, k NAME keeps it",
                result.summary(*passed, checks)
            )
        }
    }
}
