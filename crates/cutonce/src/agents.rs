//! Subagents for people who read lines: what they do, and the list of `/agents`.

use cutonce_agent::agents::files;
use cutonce_core::agent::Catalog;
use cutonce_core::event::{AgentDoes, AgentEvent, AgentHow, EventKind};
use cutonce_core::harmless::one_line;

/// The one line that tells of it, where it is worth one.
pub fn line(event: &AgentEvent) -> Option<String> {
    let name = one_line(&event.agent.name);
    match &event.what {
        AgentDoes::Started(start) => {
            let aside = if start.background { ", in the background" } else { "" };
            Some(format!("◆ {name}: {} ({}{aside})", one_line(&start.description), one_line(&start.model)))
        }
        AgentDoes::Ended(end) => {
            let how = match &end.how {
                AgentHow::Done => "done".to_string(),
                AgentHow::Stopped => "stopped".to_string(),
                AgentHow::Failed(why) => format!("failed: {}", one_line(why)),
            };
            let (tokens, seconds) = (end.usage.context(), end.elapsed_ms as f64 / 1000.0);
            Some(format!("◆ {name}: {how} · {} tool uses · {tokens} tokens · {seconds:.1} s", end.tools))
        }
        AgentDoes::Says(kind) => match &**kind {
            EventKind::ToolStarted { name: tool, summary, .. } => {
                let summary = summary.lines().next().unwrap_or_default();
                Some(format!("  {name}: {} {}", one_line(tool), one_line(summary)))
            }
            _ => None,
        },
        AgentDoes::Progress(_) => None,
    }
}

/// `/agents`.
pub fn listing(catalog: &Catalog) -> String {
    let (agents, errors) = files::list(catalog);
    let mut lines = Vec::new();
    for agent in agents {
        let path = agent.path.map(|path| format!(" · {}", path.display())).unwrap_or_default();
        lines.push(format!("{} ({}{path})", one_line(&agent.name), agent.source.name()));
        lines.push(format!("  {}", one_line(&agent.description)));
        lines.push(format!("  tools: {} · model: {}", agent.tools, one_line(&agent.model)));
    }
    lines.extend(errors.iter().map(|error| format!("! {}", one_line(error))));
    lines.join("\n")
}
