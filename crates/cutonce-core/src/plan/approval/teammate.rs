//! Shows a teammate's plan to the lead's user (PM-134). Request and answers are as for the session's own
//! plan, without the choices that only work in the own conversation.

use super::answer::{PlanAnswer, mode_after, quote_comments};
use super::request::{ChoiceKey, PlanChoice, PlanExitRequest, new_choice};
use super::result::format_comments;
use crate::mode::Mode;
use crate::team::{PlanApprovalRequest, PlanApprovalResponse};

impl PlanExitRequest {
    /// Builds the request for a teammate's plan. `gives`: the strongest mode that the lead can grant
    /// (PM-132).
    pub fn for_teammate(asked: &PlanApprovalRequest, gives: Mode) -> PlanExitRequest {
        let (ask_id, path) = (asked.request_id.clone(), asked.plan_file_path.clone());
        PlanExitRequest {
            plan: Some(asked.plan_content.clone()),
            sha256: Some(asked.sha256.clone()),
            notice: Some(format!("This is the plan of your teammate {}.", asked.from)),
            from: Some(asked.from.clone()),
            ..PlanExitRequest::of_others(ask_id, path, teammate_choices(gives))
        }
    }
}

fn teammate_choices(gives: Mode) -> Vec<PlanChoice> {
    let mut choices = Vec::new();
    if Mode::AcceptEdits.at_most(gives) == Mode::AcceptEdits {
        choices.push(new_choice(ChoiceKey::AcceptEdits, "Approve, accept edits automatically", Mode::AcceptEdits));
    }
    choices.push(new_choice(ChoiceKey::Default, "Approve, confirm each edit", Mode::Default));
    if matches!(gives, Mode::Auto | Mode::BypassPermissions) {
        choices.push(new_choice(ChoiceKey::Restore, "Approve, the lead's own mode", gives));
    }
    choices.push(new_choice(ChoiceKey::KeepPlanning, "Keep planning, with feedback", Mode::Plan));
    choices
}

/// Converts the user's answer into a response to the teammate; the error says why the answer is invalid. Only
/// a clear approval approves.
pub fn response_to_teammate(request: &PlanExitRequest, answer: PlanAnswer) -> Result<PlanApprovalResponse, String> {
    if answer.ask_id != request.ask_id {
        return Err("the answer is for another request".into());
    }
    let mode = mode_after(request, &answer)?;
    let shown = request.plan.as_deref().unwrap_or_default();
    let plan_content = answer.plan.filter(|text| text != shown);
    if plan_content.as_deref().is_some_and(|text| !crate::plan::has_content(text)) {
        return Err("the edited plan is empty".into());
    }
    let on_lines = format_comments(&quote_comments(answer.comments, plan_content.as_deref().unwrap_or(shown)));
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
    use crate::plan::approval::LineComment;

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
    fn pm_134_request_names_teammate_and_grantable_modes() {
        let keys = |gives| {
            PlanExitRequest::for_teammate(&asked(), gives).choices.iter().map(|choice| choice.key).collect::<Vec<_>>()
        };
        use ChoiceKey::{AcceptEdits, Default, KeepPlanning, Restore};
        assert_eq!(keys(Mode::Default), [Default, KeepPlanning]);
        assert_eq!(keys(Mode::AcceptEdits), [AcceptEdits, Default, KeepPlanning]);
        assert_eq!(keys(Mode::BypassPermissions), [AcceptEdits, Default, Restore, KeepPlanning]);
        assert_eq!(PlanExitRequest::for_teammate(&asked(), Mode::Default).from.as_deref(), Some("ann"));
    }

    #[test]
    fn pm_134_plain_allow_grants_default_mode() {
        for gives in [Mode::Default, Mode::AcceptEdits, Mode::Auto, Mode::BypassPermissions] {
            let request = PlanExitRequest::for_teammate(&asked(), gives);
            assert_eq!(request.default_approval().map(|choice| choice.mode), Some(Mode::Default), "{gives:?}");
        }
    }

    #[test]
    fn pm_134_feedback_comments_and_edit_reach_the_teammate() {
        let request = PlanExitRequest::for_teammate(&asked(), Mode::AcceptEdits);
        let comments = vec![LineComment { line: 2, text: "which one?".into() }];
        let answer = PlanAnswer {
            feedback: Some("Smaller steps.".into()),
            comments,
            ..PlanAnswer::new("r", ChoiceKey::KeepPlanning)
        };
        let sent = response_to_teammate(&request, answer).unwrap();
        assert_eq!((sent.approved, sent.mode), (false, None));
        let feedback = sent.feedback.unwrap();
        assert!(
            feedback.starts_with("Smaller steps.\n\n") && feedback.contains("line 2: `1. Do it`\n  which one?"),
            "{feedback}"
        );
        let edited = PlanAnswer { plan: Some("# Better\n".into()), ..PlanAnswer::new("r", ChoiceKey::AcceptEdits) };
        let sent = response_to_teammate(&request, edited).unwrap();
        assert_eq!(
            (sent.approved, sent.mode, sent.plan_content.as_deref()),
            (true, Some(Mode::AcceptEdits), Some("# Better\n"))
        );
        for bad in [
            PlanAnswer::new("other", ChoiceKey::Default),
            PlanAnswer::new("r", ChoiceKey::Clear),
            PlanAnswer::new("r", ChoiceKey::Leave),
            PlanAnswer { mode: Some(Mode::BypassPermissions), ..PlanAnswer::new("r", ChoiceKey::AcceptEdits) },
            PlanAnswer { plan: Some(" \n".into()), ..PlanAnswer::new("r", ChoiceKey::Default) },
        ] {
            assert!(response_to_teammate(&request, bad.clone()).is_err(), "{bad:?}");
        }
    }
}
