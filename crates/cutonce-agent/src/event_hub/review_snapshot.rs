//! What a listener that comes late must know: open asks, the steps of the plan that is implemented, and rehearsals.

use cutonce_core::plan::rehearsal::{RehearsalEvent, RehearsalNews};
use cutonce_core::plan::report::PlanReport;
use cutonce_core::plan::{PlanEvent, StepProgress};
use cutonce_core::protocol::event::{AskView, EventKind};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The last state of everything that can be reviewed.
#[derive(Default)]
pub struct ReviewSnapshot {
    asks: Vec<Arc<AskView>>,
    steps: BTreeMap<String, StepProgress>,
    /// The report, once the implementation ended.
    report: Option<Box<PlanReport>>,
    /// How each rehearsal started, and its last news.
    rehearsals: BTreeMap<String, Vec<RehearsalEvent>>,
}

impl ReviewSnapshot {
    pub fn note(&mut self, kind: &EventKind) {
        match kind {
            EventKind::Ask(ask) => self.asks.push(ask.clone()),
            EventKind::AskClosed { ask_id, .. } => self.asks.retain(|ask| ask.ask_id != *ask_id),
            EventKind::Plan(PlanEvent::Step(step)) => {
                self.steps.insert(step.step.clone(), step.clone());
                self.report = None;
            }
            EventKind::Plan(PlanEvent::Report(report)) => self.report = Some(report.clone()),
            EventKind::Plan(PlanEvent::Approved { .. } | PlanEvent::Implement { .. }) => {
                self.steps.clear();
                self.report = None;
            }
            EventKind::Plan(PlanEvent::Rehearsal(event)) => self.note_rehearsal(event),
            _ => {}
        }
    }

    fn note_rehearsal(&mut self, event: &RehearsalEvent) {
        match event.news {
            RehearsalNews::Stopped { .. } => {
                self.rehearsals.remove(&event.id);
                return;
            }
            // The result stays what it was.
            RehearsalNews::Kept { .. } | RehearsalNews::NotKept { .. } => return,
            _ => {}
        }
        let known = self.rehearsals.entry(event.id.clone()).or_default();
        known.truncate(1);
        known.push(event.clone());
    }

    /// The events that a new listener gets.
    pub fn events(&self) -> Vec<EventKind> {
        let asks = self.asks.iter().flat_map(|ask| ask.announcement().into_iter().chain([EventKind::Ask(ask.clone())]));
        let steps = self.steps.values().map(|step| EventKind::Plan(PlanEvent::Step(step.clone())));
        let report = self.report.iter().map(|report| EventKind::Plan(PlanEvent::Report(report.clone())));
        let rehearsals = self.rehearsals.values().flatten();
        let rehearsals = rehearsals.map(|event| EventKind::Plan(PlanEvent::Rehearsal(Box::new(event.clone()))));
        asks.chain(steps).chain(report).chain(rehearsals).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cutonce_core::plan::progress::StepState;

    #[test]
    fn rv_2_late_listener_gets_steps_and_rehearsals() {
        let mut snapshot = ReviewSnapshot::default();
        let step = |state| {
            let (step, files) = ("1".to_string(), Vec::new());
            EventKind::Plan(PlanEvent::Step(StepProgress {
                step,
                state,
                files,
                check: None,
                exit_code: None,
                stopped: None,
                output: String::new(),
            }))
        };
        let rehearsal =
            |id: &str, news| EventKind::Plan(PlanEvent::Rehearsal(Box::new(RehearsalEvent { id: id.into(), news })));
        let progress = |calls| RehearsalNews::Progress { text: "Bash".into(), calls };
        snapshot.note(&step(StepState::Open));
        snapshot.note(&step(StepState::Checked));
        for id in ["r1", "r2"] {
            snapshot.note(&rehearsal(id, RehearsalNews::Started { model: None, revision: None }));
            snapshot.note(&rehearsal(id, progress(1)));
            snapshot.note(&rehearsal(id, progress(2)));
        }
        snapshot.note(&rehearsal("r1", RehearsalNews::Stopped { why: "it was cancelled".into() }));
        let expected = [
            step(StepState::Checked),
            rehearsal("r2", RehearsalNews::Started { model: None, revision: None }),
            rehearsal("r2", progress(2)),
        ];
        assert_eq!(format!("{:?}", snapshot.events()), format!("{expected:?}"));
    }
}
