//! Subagents in plain lines: progress, and the list of `/agents`.

use cutonce_agent::subagent::definition_files;
use cutonce_core::protocol::event::{AgentActivity, AgentEvent, AgentOutcome, EventKind};
use cutonce_core::subagent::AgentCatalog;
use cutonce_core::text::sanitize::one_line;

/// One line about a subagent event; `None` if it is not worth one.
pub fn event_line(event: &AgentEvent) -> Option<String> {
    let name = one_line(&event.agent.name);
    match &event.activity {
        AgentActivity::Started(start) => {
            let aside = if start.background { ", in the background" } else { "" };
            Some(format!("◆ {name}: {} ({}{aside})", one_line(&start.description), one_line(&start.model)))
        }
        AgentActivity::Ended(end) => {
            let how = match &end.outcome {
                AgentOutcome::Done => "done".to_string(),
                AgentOutcome::Stopped => "stopped".to_string(),
                AgentOutcome::Failed(why) => format!("failed: {}", one_line(why)),
            };
            let (tokens, seconds) = (end.usage.context_tokens(), end.elapsed_ms as f64 / 1000.0);
            Some(format!("◆ {name}: {how} · {} tool uses · {tokens} tokens · {seconds:.1} s", end.tools))
        }
        AgentActivity::Emitted(kind) => match &**kind {
            EventKind::ToolStarted { name: tool, summary, .. } => {
                let summary = summary.lines().next().unwrap_or_default();
                Some(format!("  {name}: {} {}", one_line(tool), one_line(summary)))
            }
            _ => None,
        },
        AgentActivity::Progress(_) => None,
    }
}

/// Text of `/agents`.
pub fn agents_listing(catalog: &AgentCatalog) -> String {
    let (agents, errors) = definition_files::list_agents(catalog);
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
