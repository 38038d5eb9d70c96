//! The live panel of subagents and teammates (UI-14). Folded, each takes one line; Ctrl+T also shows the
//! latest calls. The result of a subagent becomes a line of the conversation, and Ctrl+O shows all it did.

use super::App;
use crate::entries::conversation_log::LogRecord;
use crate::entries::tool_call::{self, live_row, wide_row};
use crate::entries::{self, ConversationEntryKind, format_count, format_duration};
use crate::render::text::{self, RowPrefix};
use crate::render::theme::Theme;
use crate::status_line::spinner_frame;
use cutonce_core::conversation::ContentBlock;
use cutonce_core::protocol::event::{
    AgentActivity, AgentEnd, AgentEvent, AgentProgress, AgentRef, AgentStart, EventKind, NoticeLevel, TeamEvent,
    Teammate,
};
use cutonce_core::subagent::AgentColor;
use cutonce_core::team::TeammateState;
use ratatui::text::Line;
use std::collections::VecDeque;
use std::time::Instant;

/// Maximum number of agents shown; the rest is summarized.
const MAX_AGENTS: usize = 6;
/// Maximum number of teammates shown, one row each.
const MAX_MEMBERS: usize = 12;
/// Maximum number of earlier calls shown per agent when unfolded.
pub const MAX_RECENT_CALLS: usize = 3;
/// Maximum number of finished agents remembered until their tool call ends, too.
const MAX_SHOWN_CALLS: usize = 100;
const MAX_INDENT: usize = 4;
/// Maximum length of a teammate message in the conversation; Ctrl+O shows the rest.
const MAX_MESSAGE_CHARS: usize = 600;
/// Below this width an agent's row is shortened.
const NARROW_WIDTH: usize = 60;

#[derive(Debug, Default)]
pub struct AgentsPanel {
    /// Running subagents, each after its parent.
    agents: Vec<AgentRow>,
    team: String,
    members: Vec<Teammate>,
    /// Tool calls whose agent's result is already shown, so that their own lines are not printed again.
    shown_calls: VecDeque<String>,
}

/// A running subagent.
#[derive(Debug)]
struct AgentRow {
    id: String,
    call_id: String,
    /// Agent name and task: `Explore: who reads sid`.
    description: String,
    color: Option<AgentColor>,
    depth: usize,
    background: bool,
    started: Instant,
    progress: AgentProgress,
    /// Previous calls, the latest last.
    recent_calls: VecDeque<String>,
}

impl AgentsPanel {
    /// True if an agent is running, so that its time has to be redrawn.
    pub fn is_active(&self) -> bool {
        !self.agents.is_empty()
    }
    pub fn agent_count(&self) -> usize {
        self.agents.len()
    }
    /// True if the agent of this call has its own row.
    pub fn shows_call(&self, call_id: &str) -> bool {
        self.agents.iter().any(|agent| agent.call_id == call_id)
    }
    /// Task of a running agent.
    pub fn task_of(&self, id: &str) -> Option<String> {
        let agent = self.agents.iter().find(|agent| agent.id == id)?;
        agent.description.split_once(": ").map(|(_, task)| task.to_string())
    }
    /// True once if the result of this call is already shown.
    pub fn take_shown_call(&mut self, call_id: &str) -> bool {
        let at = self.shown_calls.iter().position(|told| told == call_id);
        at.and_then(|at| self.shown_calls.remove(at)).is_some()
    }

    pub fn add_agent(&mut self, agent: &AgentRef, start: &AgentStart, now: Instant) {
        self.agents.retain(|known| known.id != agent.id);
        let parent = agent.parent.as_ref().and_then(|id| self.agents.iter().position(|known| known.id == *id));
        let depth = parent.map_or(0, |at| self.agents[at].depth + 1);
        let after = |at: usize| self.agents.iter().skip(at + 1).take_while(|one| one.depth >= depth).count() + at + 1;
        let place = parent.map_or(self.agents.len(), after);
        self.agents.insert(
            place,
            AgentRow {
                id: agent.id.clone(),
                call_id: agent.call_id.clone(),
                description: format!("{}: {}", agent.name, start.description),
                color: agent.color,
                depth,
                background: start.background,
                started: now,
                progress: AgentProgress::default(),
                recent_calls: VecDeque::new(),
            },
        );
    }

    pub fn update_agent(&mut self, id: &str, progress: AgentProgress) {
        let Some(agent) = self.agents.iter_mut().find(|agent| agent.id == id) else { return };
        let before = std::mem::replace(&mut agent.progress, progress);
        if !before.current_call.is_empty() && before.current_call != agent.progress.current_call {
            agent.recent_calls.push_back(before.current_call);
            agent.recent_calls.drain(..agent.recent_calls.len().saturating_sub(MAX_RECENT_CALLS));
        }
    }

    /// Removes an agent from the panel and returns its description.
    pub fn remove_agent(&mut self, agent: &AgentRef) -> String {
        let at = self.agents.iter().position(|known| known.id == agent.id);
        let Some(known) = at.map(|at| self.agents.remove(at)) else { return agent.name.clone() };
        if !known.background {
            self.shown_calls.push_back(known.call_id);
            self.shown_calls.drain(..self.shown_calls.len().saturating_sub(MAX_SHOWN_CALLS));
        }
        known.description
    }

    pub fn set_roster(&mut self, team: String, members: Vec<Teammate>) {
        (self.team, self.members) = (team, members);
    }

    /// Draws the panel. `calls` is `None` if it is folded, else the number of earlier calls to show per agent.
    pub fn render(
        &self,
        frame: usize,
        now: Instant,
        calls: Option<usize>,
        width: usize,
        theme: &Theme,
    ) -> Vec<Line<'static>> {
        let unfolded = calls.is_some();
        let mut lines = Vec::new();
        for agent in self.agents.iter().take(MAX_AGENTS) {
            lines.extend(agent.render(frame, now, calls, width, theme));
        }
        if let more @ 1.. = self.agents.len().saturating_sub(MAX_AGENTS) {
            lines.push(Line::styled(format!("  … {}", text::count_noun(more, "more agent")), theme.dim));
        }
        lines.extend(self.team_lines(unfolded, width, theme));
        lines
    }

    fn team_lines(&self, unfolded: bool, width: usize, theme: &Theme) -> Vec<Line<'static>> {
        let here = |member: &&Teammate| unfolded || member.state != TeammateState::Ended;
        let mut members: Vec<&Teammate> = self.members.iter().filter(here).collect();
        // Teammates that wait for the user first, then working ones, so that these are not cut off.
        members.sort_by_key(|member| match member.state {
            TeammateState::AwaitingApproval => 0,
            TeammateState::Working => 1,
            TeammateState::Idle => 2,
            TeammateState::Ended => 3,
        });
        if members.is_empty() {
            return Vec::new();
        }
        let team = text::one_line(&self.team);
        if !unfolded {
            let told = team_summary(&format!("  team {team}: "), &members, width);
            let asks = members.iter().any(|one| one.state == TeammateState::AwaitingApproval);
            let style = if asks { theme.planning } else { theme.dim };
            return vec![Line::styled(text::fit(&told, width).into_owned(), style)];
        }
        let mut lines = vec![Line::styled(text::fit(&format!("  team {team}"), width).into_owned(), theme.dim)];
        for member in members.iter().take(MAX_MEMBERS) {
            let own = [(member.own_process, "its own process"), (member.planning_required, "must plan first")];
            let own: Vec<&str> = own.into_iter().filter(|(so, _)| *so).map(|(_, words)| words).collect();
            let style = match member.state {
                TeammateState::Working => theme.text,
                TeammateState::AwaitingApproval => theme.planning,
                TeammateState::Idle | TeammateState::Ended => theme.dim,
            };
            let left = format!("    {}  {}", text::one_line(&member.name), member.state.describe());
            lines.push(live_row(&left, &own.join(", "), width, style, theme.dim));
        }
        if let more @ 1.. = members.len().saturating_sub(MAX_MEMBERS) {
            lines.push(Line::styled(format!("    … {}", text::count_noun(more, "more teammate")), theme.dim));
        }
        lines
    }
}

/// Summarizes teammates in one line: as many as fit, then the number of the others.
fn team_summary(head: &str, members: &[&Teammate], width: usize) -> String {
    let mut told = head.to_string();
    for (n, one) in members.iter().enumerate() {
        let apart = if n == 0 { "" } else { " · " };
        let next = format!("{apart}{} {}", text::one_line(&one.name), state_label(one.state));
        let more = format!(" +{}", members.len() - n);
        let room = width.saturating_sub(if n + 1 < members.len() { more.len() } else { 0 });
        if n > 0 && text::width(&told) + text::width(&next) > room {
            return text::fit(&(told + &more), width).into_owned();
        }
        told.push_str(&next);
    }
    text::fit(&told, width).into_owned()
}

/// Short name of a teammate state.
fn state_label(state: TeammateState) -> &'static str {
    match state {
        TeammateState::Working => "works",
        TeammateState::Idle => "is idle",
        TeammateState::AwaitingApproval => "waits for you (ctrl+p)",
        TeammateState::Ended => "has ended",
    }
}

impl AgentRow {
    fn render(
        &self,
        frame: usize,
        now: Instant,
        calls: Option<usize>,
        width: usize,
        theme: &Theme,
    ) -> Vec<Line<'static>> {
        let indent = "  ".repeat(self.depth.min(MAX_INDENT));
        let seconds = now.saturating_duration_since(self.started).as_secs().max(self.progress.elapsed_ms / 1_000);
        let what = text::one_line(text::truncate_chars(&self.description, 300).as_ref());
        // On a narrow screen, show the task and the current call instead of the agent type.
        let little = width < NARROW_WIDTH;
        let what = what.split_once(": ").filter(|_| little).map_or(what.clone(), |(_, about)| about.to_string());
        let doing = text::one_line(text::truncate_chars(&self.progress.current_call, 300).as_ref());
        let now_at = if calls.is_some() || doing.is_empty() { String::new() } else { format!(" · {doing}") };
        let left = format!("{indent}{} {what}{now_at}", spinner_frame(frame));
        let background = if self.background { "background · " } else { "" };
        let count = text::count_noun(self.progress.tools as usize, "call");
        let tokens = format_count(self.progress.tokens);
        let right = match little {
            true => format_duration(seconds),
            false => format!("{background}{count} · {tokens} tokens  {}", format_duration(seconds)),
        };
        let row = if calls.is_some() { wide_row } else { live_row };
        let mut lines = vec![row(&left, &right, width, theme.agent_style(self.color), theme.dim)];
        if let Some(most) = calls {
            let earlier = self.recent_calls.iter().skip(self.recent_calls.len().saturating_sub(most));
            let before = earlier.map(|call| text::one_line(text::truncate_chars(call, 300).as_ref()));
            for call in before.chain((!doing.is_empty()).then_some(doing)) {
                let prefix = RowPrefix::spaces(indent.len() + 4);
                let room = width.saturating_sub(indent.len() + 4);
                lines.extend(text::wrap(&Line::styled(text::fit(&call, room).into_owned(), theme.dim), width, &prefix));
            }
        }
        lines
    }
}

impl App {
    pub(super) fn on_team_event(&mut self, event: TeamEvent) {
        match event {
            TeamEvent::Message { from, to, text } => {
                let (who, said) = (format!("{from} → {to}: "), text::truncate_chars(&text, MAX_MESSAGE_CHARS));
                let lines = entries::notice_lines(
                    NoticeLevel::Info,
                    &format!("{who}{said}"),
                    self.content_width(),
                    &self.theme,
                );
                self.print_entry(ConversationEntryKind::Notice, lines);
                self.log.push(LogRecord::Notice(format!("{who}{text}")));
            }
            TeamEvent::Roster { team, members } => self.activity.agents.set_roster(team, members),
        }
    }

    pub(super) fn on_agent_event(&mut self, event: AgentEvent) {
        let AgentEvent { agent, activity: what } = event;
        match what {
            AgentActivity::Started(start) => self.activity.agents.add_agent(&agent, &start, Instant::now()),
            AgentActivity::Progress(progress) => self.activity.agents.update_agent(&agent.id, progress),
            AgentActivity::Emitted(said) => self.record_agent_event(&agent, &said),
            AgentActivity::Ended(end) => self.agent_ended(&agent, &end),
        }
    }

    /// Records a subagent's messages and tool calls for Ctrl+O.
    fn record_agent_event(&mut self, agent: &AgentRef, said: &EventKind) {
        let who = agent.name.clone();
        match said {
            EventKind::Assistant { blocks, .. } => {
                for block in blocks.iter() {
                    if let ContentBlock::Text { text } = block
                        && !text.trim().is_empty()
                    {
                        self.log.push(LogRecord::Agent { who: who.clone(), text: text.clone() });
                    }
                }
            }
            EventKind::ToolFinished(done) => {
                let summary = tool_call::summarize_input(&done.input);
                self.log.push(LogRecord::Tool { done: done.clone(), summary, who: Some(who) });
            }
            EventKind::Notice { level: NoticeLevel::Warning | NoticeLevel::Error, text } => {
                self.print_notice(NoticeLevel::Warning, &format!("{who}: {text}"));
            }
            _ => {}
        }
    }

    fn agent_ended(&mut self, agent: &AgentRef, end: &AgentEnd) {
        let what = self.activity.agents.remove_agent(agent);
        // Results of nested agents are included in those of their parent.
        if agent.parent.is_none() {
            self.finish_text();
            let lines = tool_call::agent_end_lines(&what, end, self.content_width(), &self.theme);
            self.print_entry(ConversationEntryKind::Tool, lines);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn agent(id: &str, parent: Option<&str>) -> AgentRef {
        let parent = parent.map(str::to_string);
        AgentRef { id: id.into(), name: "Explore".into(), call_id: format!("call-{id}"), parent, color: None }
    }

    fn start(description: &str, background: bool) -> AgentStart {
        AgentStart { description: description.into(), model: "m".into(), background, resumed: false }
    }

    fn shown(crew: &AgentsPanel, now: Instant, unfolded: bool, width: usize) -> Vec<String> {
        crew.render(2, now, unfolded.then_some(MAX_RECENT_CALLS), width, &Theme::default())
            .iter()
            .map(text::plain_text)
            .collect()
    }

    fn doing(doing: &str, tools: u32) -> AgentProgress {
        AgentProgress { current_call: doing.into(), tools, tokens: 18_200, elapsed_ms: 0 }
    }

    #[test]
    fn ui_14_agent_rows_show_call_tokens_and_time() {
        let begun = Instant::now();
        let mut crew = AgentsPanel::default();
        crew.add_agent(&agent("a", None), &start("who reads sid", false), begun);
        crew.add_agent(&agent("b", None), &start("old keys", true), begun);
        crew.add_agent(&agent("c", Some("a")), &start("inner", false), begun);
        crew.update_agent("a", doing("Read src/a.rs", 1));
        crew.update_agent("a", doing("Grep sign_cookie", 14));
        let now = begun + Duration::from_secs(41);
        let row = |left: &str, right: &str| format!("{left}  {right}");
        let wanted = [
            row("⠹ Explore: who reads sid · Grep sign_cookie", "14 calls · 18k tokens  41s"),
            row("  ⠹ Explore: inner", "0 calls · 0 tokens  41s"),
            row("⠹ Explore: old keys", "background · 0 calls · 0 tokens  41s"),
        ];
        assert_eq!(shown(&crew, now, false, 79), wanted);
        assert_eq!(shown(&crew, now, false, 40)[0], "⠹ who reads sid · Grep sign_cookie  41s");
        let open = shown(&crew, now, true, 79).join("\n");
        assert!(open.contains("\n    Read src/a.rs\n    Grep sign_cookie\n"), "{open}");
        let none = crew.render(2, now, Some(0), 79, &Theme::default());
        assert!(none.iter().all(|line| !text::plain_text(line).contains("Read src/a.rs")), "{none:?}");
        for width in [20, 40, 60] {
            assert!(shown(&crew, now, true, width).iter().all(|line| text::width(line) <= width));
        }
        assert_eq!(crew.remove_agent(&agent("a", None)), "Explore: who reads sid");
        assert!(crew.take_shown_call("call-a") && !crew.take_shown_call("call-a") && !crew.shows_call("call-a"));
        crew.remove_agent(&agent("b", None));
        assert!(!crew.take_shown_call("call-b"), "the call of a background agent ended long before");
    }

    #[test]
    fn ui_14_open_agents_use_the_whole_width() {
        let begun = Instant::now();
        let mut crew = AgentsPanel::default();
        let (task, call) = ("find every caller of the old cookie ".repeat(5), "Grep ".to_string() + &"x".repeat(200));
        crew.add_agent(&agent("a", None), &start(&task, false), begun);
        crew.update_agent("a", doing("Read src/a.rs", 1));
        crew.update_agent("a", doing(&call, 2));
        for width in [60, 80, 120, 200] {
            let lines = shown(&crew, begun, true, width);
            let by_name = |start: &str| lines.iter().find(|line| line.trim_start().starts_with(start)).unwrap();
            let (row, call) = (&lines[0], by_name("Grep"));
            assert_eq!(text::width(call), width, "{lines:?}");
            assert!(call.ends_with('…') && text::width(row) + 1 >= width, "{lines:?}");
        }
    }

    #[test]
    fn ui_14_extra_agents_are_counted_and_text_sanitized() {
        let mut crew = AgentsPanel::default();
        for n in 0..9 {
            crew.add_agent(&agent(&n.to_string(), None), &start("\x1b[2J\u{202e}\n evil", false), Instant::now());
        }
        let lines = shown(&crew, Instant::now(), false, 60);
        assert_eq!(lines.len(), 7);
        assert_eq!(lines[6], "  … 3 more agents");
        assert!(lines.iter().all(|line| !line.chars().any(|c| c.is_control() || c == '\u{202e}')), "{lines:?}");
    }

    #[test]
    fn ui_14_teammates_fold_to_one_line() {
        let mut crew = AgentsPanel::default();
        let member = |name: &str, state, own_process, planning_required| Teammate {
            name: name.into(),
            state,
            own_process,
            planning_required,
        };
        crew.set_roster(
            "red".into(),
            vec![
                member("ann", TeammateState::AwaitingApproval, true, true),
                member("bob", TeammateState::Working, false, false),
                member("cid", TeammateState::Ended, false, false),
            ],
        );
        let now = Instant::now();
        assert_eq!(shown(&crew, now, false, 79), ["  team red: ann waits for you (ctrl+p) · bob works"]);
        let open = shown(&crew, now, true, 79);
        assert_eq!(open[0], "  team red");
        assert!(open[1].starts_with("    ann  waiting for your answer to its plan"), "{open:?}");
        assert!(open[1].ends_with("its own process, must plan first") && open[3].contains("cid  ended"), "{open:?}");
        crew.set_roster(String::new(), Vec::new());
        assert!(shown(&crew, now, true, 79).is_empty());
        // With many teammates, waiting and working ones are named first.
        let idle = (0..9).map(|n| member(&format!("idle{n}"), TeammateState::Idle, false, false));
        let busy = [("wes", TeammateState::AwaitingApproval), ("wil", TeammateState::Working)];
        let busy = busy.map(|(name, state)| member(name, state, false, false));
        crew.set_roster("red".into(), idle.chain(busy.into_iter().rev()).collect());
        assert_eq!(
            shown(&crew, now, false, 79),
            ["  team red: wes waits for you (ctrl+p) · wil works · idle0 is idle +8"]
        );
        assert_eq!(shown(&crew, now, false, 44), ["  team red: wes waits for you (ctrl+p) +10"]);
        assert!(text::width(&shown(&crew, now, false, 30)[0]) <= 30);
        assert!(shown(&crew, now, true, 79)[2].starts_with("    wil  working"));
    }
}
