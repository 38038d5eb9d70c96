//! `cutonce demo`: plan mode on a fresh machine, no key, no network. The model's words are a script; everything else (loop,
//! tools, permission, kernel sandbox, approval, transcript, the provider client over a socket) is the real path.

mod show;

use crate::cli::{Demo, Run};
use crate::start::{self, Face, Started};
use anyhow::Context;
use cutonce_agent::Approver;
use cutonce_core::approval::{self, ChoiceKey};
use cutonce_core::event::{AskKind, AskView, EndReason, EventKind};
use cutonce_core::mode::Mode;
use cutonce_core::plan::{self, PlanEvent};
use cutonce_core::rule::Behavior;
use cutonce_core::submission::{Answer, PermissionAnswer, Submission};
use std::io::{BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

const FILES: [(&str, &str); 3] = [
    ("src/total.sh", include_str!("total.sh")),
    ("test.sh", include_str!("test.sh")),
    ("README.md", "# A tiny shop\n\n`src/total.sh` adds up prices, `test.sh` tests it.\n"),
];
const SCENARIO: &str = include_str!("scenario.json");
const TASK: &str = "The test fails: a basket of 100, 200 and 300 cents is said to cost 500. Find out why and fix it.";
/// The plan goes into the project, named after the task: then the script can name it too.
const SETTINGS: &str = r#"{"plansDirectory": "plans", "plan": {"names": "task"}}"#;
/// Long enough to see what is approved when the demo answers by itself.
const PAUSE: Duration = Duration::from_millis(800);

/// What the demo saw with its own eyes, not through the model.
#[derive(Default)]
struct Seen {
    denied: Vec<String>,
    unchanged_while_planning: Option<bool>,
    layer: String,
    approved: Option<String>,
}

pub async fn run(args: Demo) -> anyhow::Result<u8> {
    let temp = tempfile::Builder::new().prefix("cutonce-demo-").tempdir()?;
    let project = args.dir.clone().unwrap_or_else(|| temp.path().join("shop"));
    lay_out(&project)?;
    let project = project.canonicalize()?;
    let script = temp.path().join("scenario.json");
    let slug = plan::task_name(&jiff::Zoned::now().date().to_string(), TASK);
    let plan_path = project.join("plans").join(plan::file_name(&slug));
    std::fs::write(&script, SCENARIO.replace("@PLAN@", &plan_path.display().to_string()))?;
    let run = Run {
        prompt: Some(TASK.into()),
        model: Some(format!("scripted/{}", script.display())),
        permission_mode: Some(Mode::Plan),
        settings: Some(SETTINGS.into()),
        ..Run::default()
    };
    let place = start::Place { home: temp.path().join("home"), cwd: project.clone() };
    let started = start::open_in(&run, Face { approver: Approver::Present }, place).await?;
    println!("A scripted model works in {}\n⏸ plan mode on\n\n> {TASK}\n", project.display());
    let by_hand = !args.yes && std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    let mut seen = Seen::default();
    let ended = play(started, by_hand, &project, &mut seen).await?;
    let code = close(&project, &ended, &seen)?;
    if args.dir.is_none() {
        println!("The folder is gone now; --dir FOLDER keeps it.");
    }
    Ok(code)
}

/// The throwaway repository.
fn lay_out(project: &Path) -> anyhow::Result<()> {
    for (name, text) in FILES {
        let path = project.join(name);
        if path.exists() {
            anyhow::bail!("{} exists already; the demo needs an empty folder (--dir)", path.display());
        }
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).with_context(|| format!("{} can't be made", parent.display()))?;
        }
        std::fs::write(&path, text).with_context(|| format!("{} can't be written", path.display()))?;
    }
    Ok(())
}

async fn play(started: Started, by_hand: bool, project: &Path, seen: &mut Seen) -> anyhow::Result<EndReason> {
    let Started { session, mut events, .. } = started;
    session.say(TASK);
    session.submit(Submission::Close);
    let mut reason = EndReason::Completed;
    while let Some(event) = events.next().await {
        match &event.kind {
            EventKind::Ask(ask) => {
                if let AskKind::Plan { request, .. } = &ask.kind {
                    seen.unchanged_while_planning = Some(is_as_laid_out(project));
                    seen.layer = request.layer.describe().to_string();
                }
                let answer = answer(ask, by_hand).await?;
                session.submit(Submission::Answer { ask_id: ask.ask_id.clone(), answer });
            }
            EventKind::ToolFinished(finished) if finished.decision.behavior == Behavior::Deny => {
                seen.denied.push(finished.name.clone());
                show::event(&event)?;
            }
            EventKind::Plan(PlanEvent::Approved { mode, .. }) => seen.approved = Some(mode.to_string()),
            EventKind::TurnEnded(ended) => reason = ended.reason.clone(),
            _ => show::event(&event)?,
        }
    }
    Ok(reason)
}

/// Not one byte of the project differs from what the demo wrote; the plan file is not part of it.
fn is_as_laid_out(project: &Path) -> bool {
    FILES.iter().all(|(name, text)| std::fs::read_to_string(project.join(name)).is_ok_and(|now| now == *text))
}

/// The person on a terminal, else the demo itself after a pause; either way the question is the real one.
async fn answer(ask: &AskView, by_hand: bool) -> anyhow::Result<Answer> {
    match &ask.kind {
        AskKind::Plan { request, .. } => {
            show::plan(request)?;
            let choice = if by_hand { choose(request)? } else { ChoiceKey::AcceptEdits };
            if !by_hand {
                tokio::time::sleep(PAUSE).await;
                println!("  1 (the demo approves by itself here)\n");
            }
            Ok(Answer::Plan(approval::Answer::new(request.ask_id.clone(), choice)))
        }
        AskKind::Permission { why, preview, .. } => {
            show::permission(&ask.tool, &why.reason, preview.as_deref())?;
            Ok(Answer::Permission(permission(by_hand)?))
        }
        AskKind::Questions(_) | AskKind::EnterPlan => Ok(Answer::Unusable { why: "the demo has no answer".into() }),
    }
}

fn choose(request: &approval::Request) -> anyhow::Result<ChoiceKey> {
    loop {
        let line = typed("  your choice (a number): ")?;
        if let Some(choice) = request.with_digit(line.trim()) {
            return Ok(choice.key);
        }
    }
}

fn permission(by_hand: bool) -> anyhow::Result<PermissionAnswer> {
    if !by_hand {
        println!("  yes (the demo answers by itself here)\n");
        return Ok(PermissionAnswer::Allow { remember: vec![] });
    }
    Ok(match typed("  enter = yes, n = no: ")?.as_str() {
        "" | "y" | "yes" => PermissionAnswer::Allow { remember: vec![] },
        words => PermissionAnswer::Deny { message: words.into(), interrupt: false },
    })
}

fn typed(prompt: &str) -> anyhow::Result<String> {
    print!("{prompt}");
    std::io::stdout().flush()?;
    let mut line = String::new();
    if std::io::stdin().lock().read_line(&mut line)? == 0 {
        anyhow::bail!("the input ended before an answer");
    }
    Ok(line.trim().to_string())
}

/// The disk decides what was proven, not the model.
fn close(project: &Path, reason: &EndReason, seen: &Seen) -> anyhow::Result<u8> {
    let fixed = std::fs::read_to_string(project.join("src/total.sh"))?.contains("in \"$@\"");
    let plan: Option<PathBuf> = std::fs::read_dir(project.join("plans"))
        .ok()
        .and_then(|mut entries| entries.next())
        .and_then(|entry| entry.ok().map(|entry| entry.path()));
    println!("What was proven, by looking at the disk:");
    let held = seen.unchanged_while_planning == Some(true);
    println!(
        "  {} while planning not one byte of the project changed; refused: {}",
        mark(held),
        seen.denied.join(", ")
    );
    println!("  {} {}", mark(!seen.layer.is_empty()), seen.layer);
    println!("  {} the plan was written to {}", mark(plan.is_some()), plan.unwrap_or_default().display());
    match &seen.approved {
        Some(mode) => println!("  {} approved, then implemented in {mode} mode; the file is fixed", mark(fixed)),
        None => println!("  {} not approved, so nothing was changed", mark(!fixed)),
    }
    let sound = held && fixed == seen.approved.is_some();
    match reason {
        EndReason::Completed | EndReason::Interrupted { .. } if sound => Ok(0),
        reason => anyhow::bail!("the demo did not go as it should: {reason:?}"),
    }
}

fn mark(good: bool) -> &'static str {
    if good { "✓" } else { "✗" }
}
