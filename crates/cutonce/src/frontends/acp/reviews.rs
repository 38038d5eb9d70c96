//! Plans in permission requests (PM-74, PM-80, PM-87): what the client shows, and what its response means.

use super::asks::{ALLOW, ClientResponse, PermissionPrompt, REJECT, not_offered, permission_option};
use super::calls;
use super::review_rehearsals::ClientRehearsal;
use agent_client_protocol::v1::schema::{
    PermissionOption, PermissionOptionKind, ToolCallContent, ToolCallUpdateFields,
};
pub use cutonce_core::plan::approval::EXIT_QUESTION;
use cutonce_core::plan::approval::{self, ChoiceKey};
use cutonce_core::protocol::submission::AskAnswer;
use serde_json::json;

/// Maximum bytes of a plan, so that its line stays below the 64 KB that some clients accept.
const MAX_PLAN_BYTES: usize = 44_000;

/// Asks before the model enters plan mode (PM-4).
pub(super) fn entry_prompt(fields: ToolCallUpdateFields) -> PermissionPrompt {
    PermissionPrompt {
        fields: fields.content(vec![calls::text_content("The model wants to plan before it changes anything.")]),
        options: vec![
            permission_option(ALLOW, "Enter plan mode → plan", PermissionOptionKind::AllowOnce),
            permission_option(REJECT, "Continue without planning", PermissionOptionKind::RejectOnce),
        ],
    }
}

/// Asks about a plan.
pub(super) fn build_prompt(
    fields: ToolCallUpdateFields,
    request: &approval::PlanExitRequest,
    previous: Option<&str>,
    rehearsal: &ClientRehearsal,
) -> PermissionPrompt {
    let content = rehearsal.content().into_iter().chain(plan_content(request, previous)).collect::<Vec<_>>();
    let options = request.choices.iter().map(choice_option).chain(rehearsal.options(request)).collect();
    PermissionPrompt { fields: fields.title(EXIT_QUESTION.to_string()).content(content), options }
}

/// A plan for review: complete, unless it exceeds the line limit of common clients; then it says where the
/// rest is.
pub fn plan_text(text: &str, path: &str) -> String {
    let text = calls::escape_controls(text);
    let end = text.floor_char_boundary(MAX_PLAN_BYTES);
    match text.len() - end {
        0 => text,
        more => format!("{}\n\n[{more} more bytes of the plan are in {path}]", &text[..end]),
    }
}

/// The plan, the diff to the last submission, and the sandbox and file changes while planning (PM-74, PM-87).
fn plan_content(request: &approval::PlanExitRequest, previous: Option<&str>) -> Vec<ToolCallContent> {
    let mut state = format!("- {}\n", request.layer.describe());
    state.extend(request.scope_method.map(|method| format!("- {}\n", method.describe())));
    state.push_str(&match request.changed_files.as_slice() {
        [] => "- 0 files changed since plan mode was entered\n".to_string(),
        files => format!("- changed since plan mode was entered: {}\n", files.join(", ")),
    });
    state.extend(request.shells.iter().map(|shell| format!("- still running: {shell}\n")));
    if !request.contacted_hosts.is_empty() {
        state.push_str(&format!("- contacted: {}\n", request.contacted_hosts.join(", ")));
    }
    state.extend(request.notice.iter().map(|notice| format!("- {notice}\n")));
    let Some(plan) = &request.plan else {
        return vec![
            calls::text_content(&format!("There is no plan in {}.", request.plan_file_path)),
            calls::text_content(&state),
        ];
    };
    let mut content = vec![calls::text_content(&plan_text(plan, &request.plan_file_path))];
    if let Some(previous) = previous.filter(|previous| *previous != plan) {
        content.push(calls::text_content(&match &request.amends {
            Some(amends) => format!("Changes to the approved revision {}:", amends.revision),
            None => format!("Changed since revision {}:", request.revision.saturating_sub(1)),
        }));
        content.push(calls::fenced_content(
            &calls::truncate_shown(&calls::escape_controls(&crate::frontends::plain::plan_review::plan_diff(
                previous, plan,
            ))),
            "diff",
        ));
    }
    content.push(calls::text_content(&format!("{} (revision {})\n{state}", request.plan_file_path, request.revision)));
    content
}

/// The six choices under their PM-143 names; the labels name the mode that follows. Clients that answer
/// automatically go by kind: the first of a kind does what the kind says, and leaving is not an approval.
fn choice_option(choice: &approval::PlanChoice) -> PermissionOption {
    let kind = match choice.key {
        ChoiceKey::AcceptEdits => PermissionOptionKind::AllowAlways,
        ChoiceKey::Default | ChoiceKey::Restore | ChoiceKey::Clear => PermissionOptionKind::AllowOnce,
        ChoiceKey::KeepPlanning | ChoiceKey::Leave => PermissionOptionKind::RejectOnce,
    };
    permission_option(choice.key.name(), &choice.label, kind)
}

pub(super) fn parse_answer(came: ClientResponse, request: &approval::PlanExitRequest) -> AskAnswer {
    let (option, extra) = match came {
        ClientResponse::Chosen { option, extra } => (option, extra),
        ClientResponse::Answers(_) | ClientResponse::Cancelled | ClientResponse::Disconnected => {
            return AskAnswer::Unusable { why: "the request was cancelled".into() };
        }
        ClientResponse::Failed(why) => return AskAnswer::Unusable { why },
    };
    if !request.choices.iter().any(|choice| choice.key.name() == option) {
        return not_offered(&option);
    }
    let mut answer = json!({"askId": request.ask_id, "choice": option});
    for name in ["mode", "plan", "feedback", "comments", "notes", "steps", "model", "effort", "budgetUsd", "scope"] {
        if let Some(value) = extra.get(name) {
            answer[name] = value.clone();
        }
    }
    match approval::PlanAnswer::from_json(&answer) {
        Ok(answer) => AskAnswer::Plan(answer),
        Err(approval::NoAnswer::Unreadable(why) | approval::NoAnswer::Failed(why)) => AskAnswer::Unusable { why },
        Err(approval::NoAnswer::Interrupted) => AskAnswer::Unusable { why: "the question was closed".into() },
    }
}
