//! Rehearsals in the plain review (RH-1 to RH-3, RH-7): `r` starts one, `x` cancels it, `a` applies its result.

use super::plan_review::ReviewStep;
use cutonce_core::plan::approval::{PlanAnswer, PlanExitRequest, ReviewTerms};
use cutonce_core::plan::rehearsal::{
    RehearsalChoice, RehearsalEvent, RehearsalNews, RehearsalOrder, RehearsalResult, RehearsalStart,
};
use cutonce_core::text::sanitize::{one_line, sanitize};

/// Rehearsals of the plan that is reviewed, in the order in which they ended.
#[derive(Debug, Default)]
pub struct PlainRehearsals {
    finished: Vec<(String, bool, RehearsalResult)>,
}

/// What `x` does: cancels all, or one.
pub fn cancel_order(rest: &str) -> ReviewStep {
    let id = Some(rest.trim().to_string()).filter(|id| !id.is_empty());
    ReviewStep::Order(RehearsalOrder::Cancel { id })
}

/// What `r` does: rehearses the plan, with another model if one is named.
pub fn start_order(terms: &ReviewTerms, rest: &str) -> ReviewStep {
    let named = Some(rest.trim().to_string()).filter(|model| !model.is_empty());
    let (steps, model, budget_usd) = (terms.steps.clone(), named.or(terms.model.clone()), terms.budget_usd);
    ReviewStep::Order(RehearsalOrder::Start(RehearsalStart { steps, model, budget_usd }))
}

impl PlainRehearsals {
    pub fn note(&mut self, event: &RehearsalEvent) {
        match &event.news {
            RehearsalNews::Finished { passed, result, .. } => {
                self.finished.push((event.id.clone(), *passed, (**result).clone()));
            }
            RehearsalNews::Stopped { .. } => self.finished.retain(|(id, ..)| *id != event.id),
            RehearsalNews::Started { .. } | RehearsalNews::Progress { .. } | RehearsalNews::NotApplied { .. } => {}
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
        let row = |(id, passed, result): &(String, bool, RehearsalResult)| {
            format!("  {id}  {}, {:.0} s", result.summary(*passed), result.seconds)
        };
        (self.finished.len() > 1).then(|| self.finished.iter().map(row).collect::<Vec<_>>().join("\n"))
    }
}

/// What the user sees of an event.
pub fn event_text(event: &RehearsalEvent) -> String {
    let id = one_line(&event.id);
    match &event.news {
        RehearsalNews::Started { model } => {
            let model = model.as_ref().map(|model| format!(" with {}", one_line(model))).unwrap_or_default();
            format!("rehearsal {id} started{model}; x cancels it")
        }
        RehearsalNews::Progress { text, .. } => format!("rehearsal {id}: {}", one_line(text)),
        RehearsalNews::Stopped { why } => format!("rehearsal {id} ended: {}", one_line(why)),
        RehearsalNews::NotApplied { why } => format!("rehearsal {id} was not applied: {}", one_line(why)),
        RehearsalNews::Finished { passed, result, .. } => {
            let mut text = sanitize(result.diff.trim_end()).into_owned();
            if let Some(report) = &result.report {
                text.push_str(&format!("\n\n{}", sanitize(report.text().trim_end())));
            }
            for denied in &result.denied {
                text.push_str(&format!("\ndenied: {}: {}", one_line(&denied.tool), one_line(&denied.text)));
            }
            format!(
                "{text}\n\nrehearsal {id}: {}\na applies exactly this, a without FILE takes files out",
                result.summary(*passed)
            )
        }
    }
}
