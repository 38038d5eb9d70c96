//! The plan of the demo: where it is written, how it is shown, and the answer to it.

use super::answers::{DemoAnswer, DemoAnswers};
use super::{PAUSE, TASK};
use cutonce_core::mode::Mode;
use cutonce_core::plan::approval::{ChoiceKey, EXIT_QUESTION, PlanAnswer, PlanExitRequest};
use cutonce_core::plan::report::PlanReport;
use cutonce_core::plan::{self, PlanEvent};
use cutonce_core::protocol::event::EventKind;
use cutonce_core::protocol::submission::AskAnswer;
use cutonce_core::text::sanitize::sanitize;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The report of the implementation (PC-35).
pub type DemoReport = Box<PlanReport>;

/// Where the plan of the demo's task is written.
pub fn file_path(project: &Path) -> PathBuf {
    let slug = plan::task_name(&jiff::Zoned::now().date().to_string(), TASK);
    project.join("plans").join(plan::plan_file_name(&slug))
}

/// The mode that an approval leads to, if this event reports one.
pub fn approved_mode(event: &EventKind) -> Option<Mode> {
    match event {
        EventKind::Plan(PlanEvent::Approved { mode, .. }) => Some(*mode),
        _ => None,
    }
}

/// Shows the plan and asks for a choice; without a user, the demo approves after a pause. Input that ends leaves plan
/// mode without an approval.
pub async fn answer(request: &PlanExitRequest, answers: &mut DemoAnswers) -> anyhow::Result<AskAnswer> {
    print_plan(request)?;
    let choice = loop {
        match answers.next("  your choice (a number): ")? {
            DemoAnswer::Typed(typed) => match request.choice_with_digit(&typed) {
                Some(choice) => break choice.key,
                None => println!("  That is none of the numbers above."),
            },
            DemoAnswer::Ended => {
                println!("\n  The input ended: nothing is approved.");
                break ChoiceKey::Leave;
            }
            DemoAnswer::ByItself => {
                tokio::time::sleep(PAUSE).await;
                println!("  1 (the demo approves by itself here)\n");
                break ChoiceKey::AcceptEdits;
            }
        }
    };
    Ok(AskAnswer::Plan(PlanAnswer::new(request.ask_id.clone(), choice)))
}

fn print_plan(request: &PlanExitRequest) -> anyhow::Result<()> {
    println!("\n? {EXIT_QUESTION}");
    for line in request.plan.as_deref().unwrap_or("(no plan)").lines() {
        println!("  │ {}", sanitize(line));
    }
    println!(
        "  {} files changed since plan mode was entered; {}",
        request.changed_files.len(),
        request.layer.describe()
    );
    for choice in &request.choices {
        println!("  {} {}", request.digit(choice.key).unwrap_or(' '), choice.label);
    }
    std::io::stdout().flush()?;
    Ok(())
}
