//! `cutonce demo`: shows plan mode on a fresh machine, without key or network. The model is scripted;
//! everything else (loop, tools, permissions, kernel sandbox, approval, transcript, the provider client over
//! a socket) is the real code.

mod answers;
mod guide;
mod review;
mod show;

use crate::cli::args::{DemoArgs, PermissionFlags, RunFlags};
use crate::frontends::terminal;
use crate::output::print_wrapped;
use crate::start::{self, FrontendOptions, StartedSession};
use answers::{DemoAnswer, DemoAnswers};
use anyhow::Context;
use cutonce_agent::Approver;
use cutonce_core::exit_code;
use cutonce_core::mode::Mode;
use cutonce_core::permission::rules::RuleBehavior;
use cutonce_core::protocol::event::{AskKind, AskView, EndReason, EventKind};
use cutonce_core::protocol::submission::{AskAnswer, PermissionAnswer, Submission};
use std::path::{Path, PathBuf};
use std::time::Duration;

const FILES: [(&str, &str); 3] = [
    ("src/total.sh", include_str!("total.sh")),
    ("test.sh", include_str!("test.sh")),
    ("README.md", "# A tiny shop\n\n`src/total.sh` adds up prices, `test.sh` tests it.\n"),
];
const SCENARIO: &str = include_str!("scenario.json");
const TASK: &str =
    "The test fails: a basket of 100, 200 and 300 cents costs 500 instead of 600. Find out why and fix it.";
/// Puts the plan into the project, named after the task, so that the script knows its path.
/// The scope is enforced, so that a file outside the plan is refused without a question (PC-20).
const SETTINGS: &str = r#"{"plansDirectory": "plans", "plan": {"names": "task", "scope": "enforce"}}"#;
/// Pause before the demo answers by itself, so that viewers can read the question.
const PAUSE: Duration = Duration::from_millis(800);

/// Facts that the demo observed itself, without asking the model.
#[derive(Default)]
struct DemoFacts {
    denied: Vec<String>,
    unchanged_while_planning: Option<bool>,
    layer: String,
    approved: Option<String>,
    /// The user refused a call after the approval.
    refused: bool,
    /// The report of the implementation (PC-35).
    report: Option<review::DemoReport>,
}

pub async fn run(args: DemoArgs) -> anyhow::Result<u8> {
    let temp = tempfile::Builder::new().prefix("cutonce-demo-").tempdir().map_err(|error| {
        let folder = std::env::temp_dir();
        anyhow::anyhow!(
            "the demo can't write in {} ({}); set TMPDIR to a folder that you can write",
            folder.display(),
            error.kind()
        )
    })?;
    let project = args.dir.clone().unwrap_or_else(|| temp.path().join("shop"));
    create_project(&project)?;
    let project = project.canonicalize()?;
    let script = temp.path().join("scenario.json");
    let path = review::file_path(&project);
    std::fs::write(&script, SCENARIO.replace("@PLAN@", &path.display().to_string()))?;
    let run = RunFlags {
        prompt: Some(TASK.into()),
        model: Some(format!("scripted/{}", script.display())),
        permissions: PermissionFlags { permission_mode: Some(Mode::READ_ONLY), ..PermissionFlags::default() },
        settings: Some(SETTINGS.into()),
        ..RunFlags::default()
    };
    let place = start::SessionDirs { home: temp.path().join("home"), cwd: project.clone() };
    if !args.yes && terminal::is_usable(&run) {
        let code = terminal::run_in(run, None, place, Some(guide::explain)).await?;
        print_state(&project, args.dir.is_none())?;
        return Ok(code);
    }
    let started = start::open_session_in(&run, FrontendOptions { approver: Approver::Present }, place).await?;
    println!("A scripted model works in {}\n⏸ plan mode on\n\n> {TASK}\n", project.display());
    let mut seen = DemoFacts::default();
    let ended = drive_demo(started, DemoAnswers::new(args.yes), &project, &mut seen).await?;
    let code = print_result(&project, &ended, &seen)?;
    if args.dir.is_none() {
        print_wrapped("The folder was removed; --dir FOLDER keeps it.");
    }
    Ok(code)
}

/// Creates the throwaway repository, in a folder that is new or empty.
fn create_project(project: &Path) -> anyhow::Result<()> {
    if std::fs::read_dir(project).is_ok_and(|mut entries| entries.next().is_some()) {
        anyhow::bail!("{} is not empty; the demo needs a new or empty folder (--dir)", project.display());
    }
    for (name, text) in FILES {
        let path = project.join(name);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).with_context(|| format!("can't create {}", parent.display()))?;
        }
        std::fs::write(&path, text).with_context(|| format!("can't write {}", path.display()))?;
    }
    Ok(())
}

async fn drive_demo(
    started: StartedSession,
    mut answers: DemoAnswers,
    project: &Path,
    seen: &mut DemoFacts,
) -> anyhow::Result<EndReason> {
    let StartedSession { session, mut events, .. } = started;
    session.say(TASK);
    session.submit(Submission::Close);
    let mut reason = EndReason::Completed;
    while let Some(event) = events.next().await {
        match &event.kind {
            EventKind::Ask(ask) => {
                if let Some(request) = ask.exit_request() {
                    seen.unchanged_while_planning = Some(is_unchanged(project));
                    seen.layer = request.layer.describe().to_string();
                }
                let answer = answer_ask(ask, &mut answers).await?;
                seen.refused |= matches!(answer, AskAnswer::Permission(PermissionAnswer::Deny { .. }));
                session.submit(Submission::Answer { ask_id: ask.ask_id.clone(), answer });
            }
            EventKind::ToolFinished(finished) if finished.decision.behavior == RuleBehavior::Deny => {
                // A later denial may be the user's answer.
                if seen.unchanged_while_planning.is_none() {
                    seen.denied.push(finished.name.clone());
                }
                show::print_event(&event)?;
            }
            EventKind::TurnEnded(ended) => {
                reason = ended.reason.clone();
                seen.report = ended.report.clone().or(seen.report.take());
            }
            kind => match review::approved_mode(kind) {
                Some(mode) => seen.approved = Some(mode.to_string()),
                None => show::print_event(&event)?,
            },
        }
    }
    Ok(reason)
}

/// True if every project file still has the content that the demo wrote. The plan file is not checked.
fn is_unchanged(project: &Path) -> bool {
    FILES.iter().all(|(name, text)| std::fs::read_to_string(project.join(name)).is_ok_and(|now| now == *text))
}

/// Asks for an answer, or gives one after a pause. The question is the real one either way.
async fn answer_ask(ask: &AskView, answers: &mut DemoAnswers) -> anyhow::Result<AskAnswer> {
    if let Some(request) = ask.exit_request() {
        return review::answer(request, answers).await;
    }
    match &ask.kind {
        AskKind::Permission { why, preview, .. } => {
            show::print_permission(&ask.tool, &why.reason, preview.as_deref())?;
            Ok(AskAnswer::Permission(answer_permission(answers)?))
        }
        _ => Ok(AskAnswer::Unusable { why: "the demo has no answer".into() }),
    }
}

fn answer_permission(answers: &mut DemoAnswers) -> anyhow::Result<PermissionAnswer> {
    let deny = |message: String| PermissionAnswer::Deny { message, interrupt: false };
    Ok(match answers.next("  1 yes, 3 no (or say what to do instead): ")? {
        DemoAnswer::ByItself => {
            println!("  yes (the demo answers by itself here)\n");
            PermissionAnswer::Allow { remember: vec![] }
        }
        DemoAnswer::Ended => deny(String::new()),
        DemoAnswer::Typed(typed) => match typed.as_str() {
            "" | "1" | "y" | "yes" => PermissionAnswer::Allow { remember: vec![] },
            "3" | "n" | "no" => deny(String::new()),
            _ => deny(typed),
        },
    })
}

/// Checks the files on disk, not the model's claims, and prints the result.
fn print_result(project: &Path, reason: &EndReason, seen: &DemoFacts) -> anyhow::Result<u8> {
    let fixed = std::fs::read_to_string(project.join("src/total.sh"))?.contains("in \"$@\"");
    let written: Option<PathBuf> = std::fs::read_dir(project.join("plans"))
        .ok()
        .and_then(|mut entries| entries.next())
        .and_then(|entry| entry.ok().map(|entry| entry.path()));
    println!("Verified on disk:");
    let held = seen.unchanged_while_planning == Some(true);
    print_wrapped(&format!(
        "  {} no file of the project changed while planning; denied: {}",
        check_mark(held),
        seen.denied.join(", ")
    ));
    print_wrapped(&format!("  {} {}", check_mark(!seen.layer.is_empty()), seen.layer));
    print_wrapped(&format!(
        "  {} the plan was written to {}",
        check_mark(written.is_some()),
        written.unwrap_or_default().display()
    ));
    let (as_chosen, told) = describe_outcome(seen, fixed);
    print_wrapped(&format!("  {} {told}", check_mark(as_chosen)));
    if let Some(report) = &seen.report {
        print_wrapped(&format!("  {} {}", check_mark(report.is_complete()), report.summary()));
        if !report.denied.is_empty() {
            let stopped = !report.denied.iter().any(|path| project.join(path).exists());
            print_wrapped(&format!("  {} stopped outside the plan: {}", check_mark(stopped), report.denied.join(", ")));
        }
    }
    let sound = held && as_chosen;
    match reason {
        EndReason::Completed | EndReason::Interrupted { .. } if sound => Ok(exit_code::SUCCESS),
        reason => anyhow::bail!("the demo failed: {reason:?}"),
    }
}

/// What came of the user's choices, and whether the files agree with it.
fn describe_outcome(seen: &DemoFacts, fixed: bool) -> (bool, String) {
    match (&seen.approved, fixed) {
        (Some(mode), true) => (true, format!("approved, then implemented in {mode} mode; the bug is fixed")),
        (Some(_), false) if seen.refused => {
            (true, "approved, but you refused a step, so the bug is still there".to_string())
        }
        (Some(mode), false) => (false, format!("approved in {mode} mode, but the bug is still there")),
        (None, false) => (true, "not approved, so nothing was changed".to_string()),
        (None, true) => (false, "not approved, but src/total.sh was changed".to_string()),
    }
}

/// Says how the terminal demo left the project.
fn print_state(project: &Path, removed: bool) -> anyhow::Result<()> {
    let now = match is_unchanged(project) {
        true => "no file of the project was changed",
        false => "src/total.sh was changed, after you approved the plan",
    };
    print_wrapped(&format!("Demo over: {now}."));
    match removed {
        true => print_wrapped("The folder was removed; `cutonce demo --dir FOLDER` keeps it."),
        false => print_wrapped(&format!("The project is in {}, with the plan in plans/.", project.display())),
    }
    println!("Start your own work with `cutonce`.");
    Ok(())
}

fn check_mark(good: bool) -> &'static str {
    if good { "✓" } else { "✗" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn on_2_demo_writes_only_into_an_empty_folder() {
        let folder = tempfile::tempdir().unwrap();
        let own = folder.path().join("own.txt");
        std::fs::write(&own, "mine").unwrap();
        let error = create_project(folder.path()).unwrap_err().to_string();
        assert!(error.contains("is not empty"), "{error}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing was written");
        std::fs::remove_file(own).unwrap();
        create_project(folder.path()).unwrap();
        assert!(is_unchanged(folder.path()));
    }

    #[test]
    fn on_2_outcome_is_true_after_each_choice() {
        let seen = |approved: Option<&str>, refused| DemoFacts {
            approved: approved.map(str::to_string),
            refused,
            ..DemoFacts::default()
        };
        let told = |seen: &DemoFacts, fixed| describe_outcome(seen, fixed);
        assert!(told(&seen(Some("acceptEdits"), false), true).0);
        let refused = told(&seen(Some("default"), true), false);
        assert!(refused.0 && refused.1.contains("still there"), "{refused:?}");
        assert!(told(&seen(None, false), false).1.contains("not approved"));
        assert!(!told(&seen(Some("default"), false), false).0 && !told(&seen(None, false), true).0);
    }
}
