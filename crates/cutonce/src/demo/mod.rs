//! `cutonce demo`: the main job on a fresh machine, no key, no network. The model's words are a script; everything
//! else (loop, tools, permission, shell, transcript, the provider client over a socket) is the real path.

use crate::cli::{Demo, Run};
use crate::start::{self, Face, Started};
use anyhow::Context;
use cutonce_agent::Approver;
use cutonce_core::event::{AskKind, AskView, Delta, EndReason, Event, EventKind};
use cutonce_core::harmless::harmless;
use cutonce_core::mode::Mode;
use cutonce_core::submission::{Answer, PermissionAnswer, Submission};
use std::io::{BufRead, IsTerminal, Write};
use std::path::Path;

const FILES: [(&str, &str); 3] = [
    ("src/total.sh", include_str!("total.sh")),
    ("test.sh", include_str!("test.sh")),
    ("README.md", "# A tiny shop\n\n`src/total.sh` adds up prices, `test.sh` tests it.\n"),
];
const SCENARIO: &str = include_str!("scenario.json");
const TASK: &str = "The test fails: a basket of 100, 200 and 300 cents is said to cost 500. Find out why and fix it.";

pub async fn run(args: Demo) -> anyhow::Result<u8> {
    let temp = tempfile::Builder::new().prefix("cutonce-demo-").tempdir()?;
    let project = args.dir.clone().unwrap_or_else(|| temp.path().join("shop"));
    lay_out(&project)?;
    let script = temp.path().join("scenario.json");
    std::fs::write(&script, SCENARIO)?;
    let run = Run {
        model: Some(format!("scripted/{}", script.display())),
        permission_mode: Some(Mode::Default),
        ..Run::default()
    };
    let place = start::Place { home: temp.path().join("home"), cwd: project.clone() };
    let started = start::open_in(&run, Face { approver: Approver::Present }, place).await?;
    println!("A scripted model works in {}\n\n> {TASK}\n", project.display());
    let by_hand = !args.yes && std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    let ended = play(started, by_hand).await?;
    close(&project, ended)
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

async fn play(started: Started, by_hand: bool) -> anyhow::Result<EndReason> {
    let Started { session, mut events, .. } = started;
    session.say(TASK);
    session.submit(Submission::Close);
    let mut reason = EndReason::Completed;
    while let Some(event) = events.next().await {
        match &event.kind {
            EventKind::Ask(ask) => {
                let answer = Answer::Permission(decide(ask, by_hand)?);
                session.submit(Submission::Answer { ask_id: ask.ask_id.clone(), answer });
            }
            EventKind::TurnEnded(ended) => reason = ended.reason.clone(),
            _ => show(&event)?,
        }
    }
    Ok(reason)
}

/// The person on a terminal, else the demo itself, says yes; either way the question is the real one.
fn decide(ask: &AskView, by_hand: bool) -> anyhow::Result<PermissionAnswer> {
    let AskKind::Permission { why, preview, .. } = &ask.kind else {
        return Ok(PermissionAnswer::Deny { message: String::new(), interrupt: false });
    };
    println!("? {} ({})", ask.tool, harmless(&why.reason));
    for line in preview.as_deref().unwrap_or_default().lines() {
        println!("  │ {}", harmless(line));
    }
    if !by_hand {
        println!("  yes (the demo answers by itself here)\n");
        return Ok(PermissionAnswer::Allow { remember: vec![] });
    }
    print!("  enter = yes, n = no: ");
    std::io::stdout().flush()?;
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line)?;
    Ok(match line.trim() {
        "" | "y" | "yes" => PermissionAnswer::Allow { remember: vec![] },
        words => PermissionAnswer::Deny { message: words.into(), interrupt: false },
    })
}

fn show(event: &Event) -> anyhow::Result<()> {
    match &event.kind {
        EventKind::Delta(Delta::Text(text)) => print!("{}", harmless(text)),
        EventKind::Assistant { .. } => println!("\n"),
        EventKind::ToolStarted { name, summary, .. } => println!("● {name} {}", harmless(summary)),
        EventKind::ToolFinished(finished) => {
            let text = finished.content.iter().find_map(|part| match part {
                cutonce_core::conversation::ResultPart::Text { text } => Some(text.as_str()),
                cutonce_core::conversation::ResultPart::Image(_) => None,
            });
            let lines: Vec<&str> = text.unwrap_or_default().lines().collect();
            for line in lines.iter().take(6) {
                println!("  ⎿ {}", harmless(line));
            }
            if lines.len() > 6 {
                println!("  ⎿ … {} more lines", lines.len() - 6);
            }
        }
        _ => {}
    }
    std::io::stdout().flush()?;
    Ok(())
}

/// The disk decides whether it worked, not the model.
fn close(project: &Path, reason: EndReason) -> anyhow::Result<u8> {
    let fixed = std::fs::read_to_string(project.join("src/total.sh"))?.contains("in \"$@\"");
    match (&reason, fixed) {
        (EndReason::Completed, true) => {
            println!("The file on disk is fixed. Everything but the model's words was real.");
            Ok(0)
        }
        (EndReason::Completed, false) => {
            println!("The file was not changed: the edit was not allowed. Nothing happens without a yes.");
            Ok(0)
        }
        (reason, _) => anyhow::bail!("the demo did not run to its end: {reason:?}"),
    }
}
