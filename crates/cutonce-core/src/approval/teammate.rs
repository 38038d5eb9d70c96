//! A teammate's plan before the lead's user (PM-134): the same request and the same answers as for a plan of one's own, but
//! for what only the own conversation can do.

use super::answer::{Answer, mode_after, quote};
use super::request::{Choice, ChoiceKey, Layer, Request, choice};
use super::result::comments;
use crate::mail::{PlanApprovalRequest, PlanApprovalResponse};
use crate::mode::Mode;

impl Request {
    /// `gives`: the most that the lead can give (PM-132).
    pub fn of_teammate(asked: &PlanApprovalRequest, gives: Mode) -> Request {
        Request {
            ask_id: asked.request_id.clone(),
            plan: Some(asked.plan_content.clone()),
            plan_file_path: asked.plan_file_path.clone(),
            sha256: Some(asked.sha256.clone()),
            revision: 0,
            choices: choices(gives),
            layer: Layer::Sandbox,
            changed_files: Vec::new(),
            shells: Vec::new(),
            notice: Some(format!("This is the plan of your teammate {}.", asked.from)),
            from: Some(asked.from.clone()),
            stay: 0,
        }
    }
}

fn choices(gives: Mode) -> Vec<Choice> {
    let mut choices = Vec::new();
    if Mode::AcceptEdits.at_most(gives) == Mode::AcceptEdits {
        choices.push(choice(ChoiceKey::AcceptEdits, "Approve, accept edits automatically", Mode::AcceptEdits));
    }
    choices.push(choice(ChoiceKey::Default, "Approve, confirm each edit", Mode::Default));
    if matches!(gives, Mode::Auto | Mode::BypassPermissions) {
        choices.push(choice(ChoiceKey::Restore, "Approve, the lead's own mode", gives));
    }
    choices.push(choice(ChoiceKey::KeepPlanning, "Keep planning, with feedback", Mode::Plan));
    choices
}

/// What the user's answer says to the teammate; the error says why it is no answer. What is not clearly an approval is none.
pub fn to_teammate(request: &Request, answer: Answer) -> Result<PlanApprovalResponse, String> {
    if answer.ask_id != request.ask_id {
        return Err("the answer is for another request".into());
    }
    let mode = mode_after(request, &answer)?;
    let shown = request.plan.as_deref().unwrap_or_default();
    let plan_content = answer.plan.filter(|text| text != shown);
    if plan_content.as_deref().is_some_and(|text| !crate::plan::exists(text)) {
        return Err("the edited plan is empty".into());
    }
    let on_lines = comments(&quote(answer.comments, plan_content.as_deref().unwrap_or(shown)));
    let said = [answer.feedback, answer.notes].into_iter().flatten().chain([on_lines.trim().to_string()]);
    let said: Vec<String> = said.filter(|words| !words.trim().is_empty()).collect();
    let approved = match answer.choice {
        ChoiceKey::AcceptEdits | ChoiceKey::Default | ChoiceKey::Restore => true,
        ChoiceKey::KeepPlanning | ChoiceKey::Clear | ChoiceKey::Leave => false,
    };
    Ok(PlanApprovalResponse {
        request_id: request.ask_id.clone(),
        approved,
        feedback: Some(said.join("\n\n")).filter(|said| !said.is_empty()),
        mode: approved.then_some(mode),
        plan_content,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::approval::Comment;

    fn asked() -> PlanApprovalRequest {
        PlanApprovalRequest {
            from: "ann".into(),
            timestamp: String::new(),
            plan_file_path: "/p".into(),
            plan_content: "# Plan\n1. Do it\n".into(),
            sha256: "x".into(),
            request_id: "r".into(),
        }
    }

    #[test]
    fn pm_134_the_user_sees_who_asks_and_only_modes_that_the_lead_has() {
        let keys =
            |gives| Request::of_teammate(&asked(), gives).choices.iter().map(|choice| choice.key).collect::<Vec<_>>();
        use ChoiceKey::{AcceptEdits, Default, KeepPlanning, Restore};
        assert_eq!(keys(Mode::Default), [Default, KeepPlanning]);
        assert_eq!(keys(Mode::AcceptEdits), [AcceptEdits, Default, KeepPlanning]);
        assert_eq!(keys(Mode::BypassPermissions), [AcceptEdits, Default, Restore, KeepPlanning]);
        assert_eq!(Request::of_teammate(&asked(), Mode::Default).from.as_deref(), Some("ann"));
    }

    #[test]
    fn pm_134_a_host_that_just_allows_gives_the_least() {
        for gives in [Mode::Default, Mode::AcceptEdits, Mode::Auto, Mode::BypassPermissions] {
            let request = Request::of_teammate(&asked(), gives);
            assert_eq!(request.allowing().map(|choice| choice.mode), Some(Mode::Default), "{gives:?}");
        }
    }

    #[test]
    fn pm_134_the_users_words_comments_and_edit_reach_the_teammate() {
        let request = Request::of_teammate(&asked(), Mode::AcceptEdits);
        let comments = vec![Comment { line: 2, text: "which one?".into() }];
        let answer =
            Answer { feedback: Some("Smaller steps.".into()), comments, ..Answer::new("r", ChoiceKey::KeepPlanning) };
        let sent = to_teammate(&request, answer).unwrap();
        assert_eq!((sent.approved, sent.mode), (false, None));
        let feedback = sent.feedback.unwrap();
        assert!(
            feedback.starts_with("Smaller steps.\n\n") && feedback.contains("line 2: `1. Do it`\n  which one?"),
            "{feedback}"
        );
        let edited = Answer { plan: Some("# Better\n".into()), ..Answer::new("r", ChoiceKey::AcceptEdits) };
        let sent = to_teammate(&request, edited).unwrap();
        assert_eq!(
            (sent.approved, sent.mode, sent.plan_content.as_deref()),
            (true, Some(Mode::AcceptEdits), Some("# Better\n"))
        );
        for bad in [
            Answer::new("other", ChoiceKey::Default),
            Answer::new("r", ChoiceKey::Clear),
            Answer::new("r", ChoiceKey::Leave),
            Answer { mode: Some(Mode::BypassPermissions), ..Answer::new("r", ChoiceKey::AcceptEdits) },
            Answer { plan: Some(" \n".into()), ..Answer::new("r", ChoiceKey::Default) },
        ] {
            assert!(to_teammate(&request, bad.clone()).is_err(), "{bad:?}");
        }
    }
}
