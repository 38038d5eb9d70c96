//! Output of the demo.

use cutonce_core::conversation::ResultPart;
use cutonce_core::protocol::event::{AnswerDelta, Event, EventKind};
use cutonce_core::text::sanitize::sanitize;
use std::io::Write;

pub fn print_event(event: &Event) -> anyhow::Result<()> {
    match &event.kind {
        EventKind::Delta(AnswerDelta::Text(text)) => print!("{}", sanitize(text)),
        EventKind::Assistant { .. } => println!("\n"),
        EventKind::ToolFinished(finished) => {
            let mark = if finished.is_error { "✗" } else { "●" };
            println!("{mark} {}{}", finished.name, call_subject(&finished.input));
            let text = finished.content.iter().find_map(|part| match part {
                ResultPart::Text { text } => Some(text.as_str()),
                ResultPart::Image(_) => None,
            });
            let lines: Vec<&str> = text.unwrap_or_default().lines().filter(|line| !line.trim().is_empty()).collect();
            for line in lines.iter().take(3) {
                println!("  ⎿ {}", sanitize(line));
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

/// The input field that best describes a call.
fn call_subject(input: &serde_json::Value) -> String {
    let field = ["command", "pattern", "file_path"].iter().find_map(|name| input.get(name)?.as_str());
    field.map(|text| format!(" {}", sanitize(text.lines().next().unwrap_or_default()))).unwrap_or_default()
}

pub fn print_permission(tool: &str, reason: &str, preview: Option<&str>) -> anyhow::Result<()> {
    println!("? {tool} ({})", sanitize(reason));
    for line in preview.unwrap_or_default().lines() {
        println!("  │ {}", sanitize(line));
    }
    std::io::stdout().flush()?;
    Ok(())
}
