//! What the demo prints.

use cutonce_core::approval::{QUESTION, Request};
use cutonce_core::conversation::ResultPart;
use cutonce_core::event::{Delta, Event, EventKind};
use cutonce_core::harmless::harmless;
use std::io::Write;

pub fn event(event: &Event) -> anyhow::Result<()> {
    match &event.kind {
        EventKind::Delta(Delta::Text(text)) => print!("{}", harmless(text)),
        EventKind::Assistant { .. } => println!("\n"),
        EventKind::ToolFinished(finished) => {
            let mark = if finished.is_error { "✗" } else { "●" };
            println!("{mark} {}{}", finished.name, about(&finished.input));
            let text = finished.content.iter().find_map(|part| match part {
                ResultPart::Text { text } => Some(text.as_str()),
                ResultPart::Image(_) => None,
            });
            let lines: Vec<&str> = text.unwrap_or_default().lines().filter(|line| !line.trim().is_empty()).collect();
            for line in lines.iter().take(3) {
                println!("  ⎿ {}", harmless(line));
            }
            if lines.len() > 3 {
                println!("  ⎿ … {} more lines", lines.len() - 3);
            }
        }
        _ => {}
    }
    std::io::stdout().flush()?;
    Ok(())
}

/// The one field that says what a call is about.
fn about(input: &serde_json::Value) -> String {
    let field = ["command", "pattern", "file_path"].iter().find_map(|name| input.get(name)?.as_str());
    field.map(|text| format!(" {}", harmless(text.lines().next().unwrap_or_default()))).unwrap_or_default()
}

pub fn plan(request: &Request) -> anyhow::Result<()> {
    println!("\n? {QUESTION}");
    for line in request.plan.as_deref().unwrap_or("(no plan)").lines() {
        println!("  │ {}", harmless(line));
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

pub fn permission(tool: &str, reason: &str, preview: Option<&str>) -> anyhow::Result<()> {
    println!("? {tool} ({})", harmless(reason));
    for line in preview.unwrap_or_default().lines() {
        println!("  │ {}", harmless(line));
    }
    std::io::stdout().flush()?;
    Ok(())
}
