//! The explaining line of the demo in the terminal (ON-2). It must be true after each choice.

use cutonce_tui::{ChoiceKey, GuidePlace, GuideText, GuideView};

pub fn explain(view: &GuideView) -> GuideText {
    let approved = matches!(
        view.choice,
        Some(ChoiceKey::AcceptEdits | ChoiceKey::Default | ChoiceKey::Restore | ChoiceKey::Clear)
    );
    let (long, short) = match view.place {
        GuidePlace::Review => {
            ("The plan waits for you. Try r rehearse, 1 approve, 5 request changes.", "r rehearse 1 approve 5 change")
        }
        GuidePlace::RehearsalRuns => {
            ("An agent carries the plan out on a layer. Your files don't change.", "It works on a layer.")
        }
        GuidePlace::RehearsalResult => {
            ("This is the result: enter shows the diff, a applies exactly this.", "enter diff, a applies this.")
        }
        GuidePlace::ReviewWaits => ("The plan still waits for you: ctrl+p opens it.", "ctrl+p opens the plan."),
        GuidePlace::Question => {
            ("Nothing runs before you answer: 1 allows it, 3 refuses it.", "1 allows it, 3 refuses it.")
        }
        GuidePlace::Working if approved && view.applied => {
            ("Applied: exactly the files that the rehearsal showed. /rewind undoes it.", "Applied. /rewind undoes it.")
        }
        GuidePlace::Working if approved => {
            ("You approved the plan: only its files may change now.", "Approved: only its files change")
        }
        GuidePlace::Working if view.choice == Some(ChoiceKey::KeepPlanning) => {
            ("You asked for changes: nothing is approved, the agent revises the plan.", "Nothing approved: it revises.")
        }
        GuidePlace::Working => {
            ("A scripted agent plans. It may read; ✗ marks what plan mode refused.", "It plans. ✗ marks refused calls.")
        }
        GuidePlace::Idle if approved && view.refused => {
            ("Over: you refused a step, so it did not run. ctrl+c twice quits.", "It did not run. ctrl+c quits.")
        }
        GuidePlace::Idle if approved && view.applied => {
            ("Over: exactly what the rehearsal showed is applied. ctrl+c twice quits.", "It is applied. ctrl+c quits.")
        }
        GuidePlace::Idle if approved => {
            ("Over: NOTES.md was stopped. ctrl+p report, ctrl+c twice quits.", "ctrl+p report, ctrl+c quits.")
        }
        GuidePlace::Idle => {
            ("Over: nothing was approved, so nothing changed. ctrl+c twice quits.", "Nothing changed. ctrl+c quits.")
        }
    };
    GuideText { long, short }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn on_2_guide_claims_an_approval_only_after_one() {
        let view = |place, choice, refused| GuideView { place, choice, refused, applied: false };
        let said = |place, choice, refused| explain(&view(place, choice, refused)).long;
        for choice in [None, Some(ChoiceKey::KeepPlanning), Some(ChoiceKey::Leave)] {
            assert!(!said(GuidePlace::Working, choice, false).contains("You approved"));
            assert!(said(GuidePlace::Idle, choice, false).contains("nothing changed"));
        }
        assert!(said(GuidePlace::Working, Some(ChoiceKey::Default), false).contains("You approved"));
        assert!(said(GuidePlace::Idle, Some(ChoiceKey::AcceptEdits), true).contains("did not run"));
        assert!(!said(GuidePlace::Idle, Some(ChoiceKey::AcceptEdits), false).contains("nothing changed"));
        let applied = GuideView { applied: true, ..view(GuidePlace::Idle, Some(ChoiceKey::Default), false) };
        assert!(explain(&applied).long.contains("what the rehearsal showed is applied"));
        let refused = GuideView { applied: true, ..view(GuidePlace::Idle, None, false) };
        assert!(explain(&refused).long.contains("nothing changed"));
    }

    #[test]
    fn on_2_guide_fits_into_80_and_40_columns() {
        let places = [
            GuidePlace::Review,
            GuidePlace::RehearsalRuns,
            GuidePlace::RehearsalResult,
            GuidePlace::ReviewWaits,
            GuidePlace::Question,
            GuidePlace::Working,
            GuidePlace::Idle,
        ];
        let choices = [None, Some(ChoiceKey::KeepPlanning), Some(ChoiceKey::AcceptEdits)];
        for (place, choice) in places.into_iter().flat_map(|place| choices.map(|choice| (place, choice))) {
            for refused in [false, true] {
                let text = explain(&GuideView { place, choice, refused, applied: refused });
                // The line begins with ` demo  `.
                assert!(text.long.chars().count() <= 73 && text.short.chars().count() <= 33, "{text:?}");
            }
        }
    }
}
