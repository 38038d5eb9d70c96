//! Who works besides the agent itself (UI-14): subagents and teammates, live. Folded each is a line; Ctrl+T shows what they
//! did last. What an agent came to is a line of the conversation, all it did is behind Ctrl+O.

use super::App;
use crate::entry::log::Record;
use crate::entry::tool::{self, live_row};
use crate::entry::{self, Kind, short_count, took};
use crate::status::spinner;
use crate::text::{self, Prefix};
use crate::theme::Theme;
use cutonce_core::agent::Color;
use cutonce_core::conversation::Block;
use cutonce_core::event::{
    AgentDoes, AgentEnd, AgentEvent, AgentProgress, AgentRef, AgentStart, EventKind, Level, TeamEvent, Teammate,
};
use cutonce_core::mail::TeammateState;
use ratatui::text::Line;
use std::collections::VecDeque;
use std::time::Instant;

/// Agents that are shown; the rest is counted.
const MOST: usize = 6;
/// The same of teammates, a row each.
const MOST_MEMBERS: usize = 12;
/// Earlier calls of an agent that are shown unfolded.
const RECENT: usize = 3;
/// Agents that have ended and whose call still has to.
const MOST_TOLD: usize = 100;
const DEEPEST: usize = 4;
/// Of a message between teammates that stands in the conversation; Ctrl+O has all of it.
const MOST_SAID: usize = 600;
/// Below so many columns an agent's row says less.
const LITTLE: usize = 60;

#[derive(Debug, Default)]
pub struct Crew {
    /// Each after the one that started it.
    agents: Vec<Agent>,
    team: String,
    members: Vec<Teammate>,
    /// Calls whose agent's end stands in the conversation: their own lines would say it twice.
    told: VecDeque<String>,
}

/// A subagent that works.
#[derive(Debug)]
struct Agent {
    id: String,
    call_id: String,
    /// `Explore: who reads sid`
    what: String,
    color: Option<Color>,
    depth: usize,
    background: bool,
    since: Instant,
    progress: AgentProgress,
    /// What it did before, the latest last.
    recent: VecDeque<String>,
}

impl Crew {
    /// Does somebody work of whom the time goes on?
    pub fn works(&self) -> bool {
        !self.agents.is_empty()
    }
    pub fn agents(&self) -> usize {
        self.agents.len()
    }
    /// The agent of this call has a line of its own.
    pub fn shows(&self, call_id: &str) -> bool {
        self.agents.iter().any(|agent| agent.call_id == call_id)
    }
    /// What an agent was told to do.
    pub fn task_of(&self, id: &str) -> Option<String> {
        let agent = self.agents.iter().find(|agent| agent.id == id)?;
        agent.what.split_once(": ").map(|(_, task)| task.to_string())
    }
    /// This call's end was told already; true once.
    pub fn was_told(&mut self, call_id: &str) -> bool {
        let at = self.told.iter().position(|told| told == call_id);
        at.and_then(|at| self.told.remove(at)).is_some()
    }

    pub fn started(&mut self, agent: &AgentRef, start: &AgentStart, now: Instant) {
        self.agents.retain(|known| known.id != agent.id);
        let parent = agent.parent.as_ref().and_then(|id| self.agents.iter().position(|known| known.id == *id));
        let depth = parent.map_or(0, |at| self.agents[at].depth + 1);
        let after = |at: usize| self.agents.iter().skip(at + 1).take_while(|one| one.depth >= depth).count() + at + 1;
        let place = parent.map_or(self.agents.len(), after);
        self.agents.insert(
            place,
            Agent {
                id: agent.id.clone(),
                call_id: agent.call_id.clone(),
                what: format!("{}: {}", agent.name, start.description),
                color: agent.color,
                depth,
                background: start.background,
                since: now,
                progress: AgentProgress::default(),
                recent: VecDeque::new(),
            },
        );
    }

    pub fn progressed(&mut self, id: &str, progress: AgentProgress) {
        let Some(agent) = self.agents.iter_mut().find(|agent| agent.id == id) else { return };
        let before = std::mem::replace(&mut agent.progress, progress);
        if !before.doing.is_empty() && before.doing != agent.progress.doing {
            agent.recent.push_back(before.doing);
            agent.recent.drain(..agent.recent.len().saturating_sub(RECENT));
        }
    }

    /// Takes it off the list; what it was.
    pub fn ended(&mut self, agent: &AgentRef) -> String {
        let at = self.agents.iter().position(|known| known.id == agent.id);
        let Some(known) = at.map(|at| self.agents.remove(at)) else { return agent.name.clone() };
        if !known.background {
            self.told.push_back(known.call_id);
            self.told.drain(..self.told.len().saturating_sub(MOST_TOLD));
        }
        known.what
    }

    pub fn roster(&mut self, team: String, members: Vec<Teammate>) {
        (self.team, self.members) = (team, members);
    }

    pub fn lines(&self, frame: usize, now: Instant, unfolded: bool, width: usize, theme: &Theme) -> Vec<Line<'static>> {
        let mut lines = Vec::new();
        for agent in self.agents.iter().take(MOST) {
            lines.extend(agent.lines(frame, now, unfolded, width, theme));
        }
        if let more @ 1.. = self.agents.len().saturating_sub(MOST) {
            lines.push(Line::styled(format!("  … {}", text::counted(more, "more agent")), theme.dim));
        }
        lines.extend(self.team_lines(unfolded, width, theme));
        lines
    }

    fn team_lines(&self, unfolded: bool, width: usize, theme: &Theme) -> Vec<Line<'static>> {
        let here = |member: &&Teammate| unfolded || member.state != TeammateState::Ended;
        let mut members: Vec<&Teammate> = self.members.iter().filter(here).collect();
        // Who waits for the person comes first, then who works: these are not the ones to be left out.
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
            let told = folded(&format!("  team {team}: "), &members, width);
            let asks = members.iter().any(|one| one.state == TeammateState::AwaitingApproval);
            let style = if asks { theme.plan } else { theme.dim };
            return vec![Line::styled(text::fit(&told, width).into_owned(), style)];
        }
        let mut lines = vec![Line::styled(text::fit(&format!("  team {team}"), width).into_owned(), theme.dim)];
        for member in members.iter().take(MOST_MEMBERS) {
            let own = [(member.own_process, "its own process"), (member.plan_mode_required, "must plan first")];
            let own: Vec<&str> = own.into_iter().filter(|(so, _)| *so).map(|(_, words)| words).collect();
            let style = match member.state {
                TeammateState::Working => theme.text,
                TeammateState::AwaitingApproval => theme.plan,
                TeammateState::Idle | TeammateState::Ended => theme.dim,
            };
            let left = format!("    {}  {}", text::one_line(&member.name), member.state.describe());
            lines.push(live_row(&left, &own.join(", "), width, style, theme.dim));
        }
        if let more @ 1.. = members.len().saturating_sub(MOST_MEMBERS) {
            lines.push(Line::styled(format!("    … {}", text::counted(more, "more teammate")), theme.dim));
        }
        lines
    }
}

/// As many as fit, and how many more there are.
fn folded(head: &str, members: &[&Teammate], width: usize) -> String {
    let mut told = head.to_string();
    for (n, one) in members.iter().enumerate() {
        let apart = if n == 0 { "" } else { " · " };
        let next = format!("{apart}{} {}", text::one_line(&one.name), word(one.state));
        let more = format!(" +{}", members.len() - n);
        let room = width.saturating_sub(if n + 1 < members.len() { more.len() } else { 0 });
        if n > 0 && text::width(&told) + text::width(&next) > room {
            return text::fit(&(told + &more), width).into_owned();
        }
        told.push_str(&next);
    }
    text::fit(&told, width).into_owned()
}

/// The state where there is little room.
fn word(state: TeammateState) -> &'static str {
    match state {
        TeammateState::Working => "works",
        TeammateState::Idle => "is idle",
        TeammateState::AwaitingApproval => "waits for you (ctrl+p)",
        TeammateState::Ended => "has ended",
    }
}

impl Agent {
    fn lines(&self, frame: usize, now: Instant, unfolded: bool, width: usize, theme: &Theme) -> Vec<Line<'static>> {
        let indent = "  ".repeat(self.depth.min(DEEPEST));
        let seconds = now.saturating_duration_since(self.since).as_secs().max(self.progress.elapsed_ms / 1_000);
        let what = text::one_line(text::bounded(&self.what, 300).as_ref());
        // Where there is little room: what it is about and what it does, not what kind of agent it is.
        let little = width < LITTLE;
        let what = what.split_once(": ").filter(|_| little).map_or(what.clone(), |(_, about)| about.to_string());
        let doing = text::one_line(text::bounded(&self.progress.doing, 300).as_ref());
        let now_at = if unfolded || doing.is_empty() { String::new() } else { format!(" · {doing}") };
        let left = format!("{indent}{} {what}{now_at}", spinner(frame));
        let background = if self.background { "background · " } else { "" };
        let calls = text::counted(self.progress.tools as usize, "call");
        let tokens = short_count(self.progress.tokens);
        let right = match little {
            true => took(seconds),
            false => format!("{background}{calls} · {tokens} tokens  {}", took(seconds)),
        };
        let mut lines = vec![live_row(&left, &right, width, theme.of_agent(self.color), theme.dim)];
        if unfolded {
            let before = self.recent.iter().map(|call| text::one_line(text::bounded(call, 300).as_ref()));
            for call in before.chain((!doing.is_empty()).then_some(doing)) {
                let prefix = Prefix::spaces(indent.len() + 4);
                let room = width.saturating_sub(indent.len() + 4);
                lines.extend(text::wrap(&Line::styled(text::fit(&call, room).into_owned(), theme.dim), width, &prefix));
            }
        }
        lines
    }
}

impl App {
    pub(super) fn team(&mut self, event: TeamEvent) {
        match event {
            TeamEvent::Message { from, to, text } => {
                let (who, said) = (format!("{from} → {to}: "), text::bounded(&text, MOST_SAID));
                let lines = entry::notice(Level::Info, &format!("{who}{said}"), self.width(), &self.theme);
                self.commit(Kind::Notice, lines);
                self.log.push(Record::Notice(format!("{who}{text}")));
            }
            TeamEvent::Roster { team, members } => self.crew.roster(team, members),
        }
    }

    pub(super) fn agent(&mut self, event: AgentEvent) {
        let AgentEvent { agent, what } = event;
        match what {
            AgentDoes::Started(start) => self.crew.started(&agent, &start, Instant::now()),
            AgentDoes::Progress(progress) => self.crew.progressed(&agent.id, progress),
            AgentDoes::Says(said) => self.agent_says(&agent, &said),
            AgentDoes::Ended(end) => self.agent_ended(&agent, &end),
        }
    }

    /// What it says and does is kept for Ctrl+O.
    fn agent_says(&mut self, agent: &AgentRef, said: &EventKind) {
        let who = agent.name.clone();
        match said {
            EventKind::Assistant { blocks, .. } => {
                for block in blocks.iter() {
                    if let Block::Text { text } = block
                        && !text.trim().is_empty()
                    {
                        self.log.push(Record::Agent { who: who.clone(), text: text.clone() });
                    }
                }
            }
            EventKind::ToolFinished(done) => {
                let summary = tool::summary_of(&done.input);
                self.log.push(Record::Tool { done: done.clone(), summary, who: Some(who) });
            }
            EventKind::Notice { level: Level::Warning | Level::Error, text } => {
                self.notice(Level::Warning, &format!("{who}: {text}"));
            }
            _ => {}
        }
    }

    fn agent_ended(&mut self, agent: &AgentRef, end: &AgentEnd) {
        let what = self.crew.ended(agent);
        // What an agent's own agents came to, and used, is in what it came to and used.
        if agent.parent.is_none() {
            self.status.tokens.0 += end.usage.context() - end.usage.output_tokens;
            self.status.tokens.1 += end.usage.output_tokens;
            self.end_speech();
            let lines = tool::agent_ended(&what, end, self.width(), &self.theme);
            self.commit(Kind::Tool, lines);
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

    fn shown(crew: &Crew, now: Instant, unfolded: bool, width: usize) -> Vec<String> {
        crew.lines(2, now, unfolded, width, &Theme::default()).iter().map(text::plain).collect()
    }

    fn doing(doing: &str, tools: u32) -> AgentProgress {
        AgentProgress { doing: doing.into(), tools, tokens: 18_200, elapsed_ms: 0 }
    }

    #[test]
    fn ui_14_agents_show_name_what_they_do_calls_tokens_and_time() {
        let begun = Instant::now();
        let mut crew = Crew::default();
        crew.started(&agent("a", None), &start("who reads sid", false), begun);
        crew.started(&agent("b", None), &start("old keys", true), begun);
        crew.started(&agent("c", Some("a")), &start("inner", false), begun);
        crew.progressed("a", doing("Read src/a.rs", 1));
        crew.progressed("a", doing("Grep sign_cookie", 14));
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
        for width in [20, 40, 60] {
            assert!(shown(&crew, now, true, width).iter().all(|line| text::width(line) <= width));
        }
        assert_eq!(crew.ended(&agent("a", None)), "Explore: who reads sid");
        assert!(crew.was_told("call-a") && !crew.was_told("call-a") && !crew.shows("call-a"));
        crew.ended(&agent("b", None));
        assert!(!crew.was_told("call-b"), "the call of one in the background ended long before");
    }

    #[test]
    fn ui_14_more_agents_than_fit_are_counted_and_hostile_words_are_harmless() {
        let mut crew = Crew::default();
        for n in 0..9 {
            crew.started(&agent(&n.to_string(), None), &start("\x1b[2J\u{202e}\n evil", false), Instant::now());
        }
        let lines = shown(&crew, Instant::now(), false, 60);
        assert_eq!(lines.len(), 7);
        assert_eq!(lines[6], "  … 3 more agents");
        assert!(lines.iter().all(|line| !line.chars().any(|c| c.is_control() || c == '\u{202e}')), "{lines:?}");
    }

    #[test]
    fn ui_14_teammates_are_a_line_folded_and_a_line_each_unfolded() {
        let mut crew = Crew::default();
        let member = |name: &str, state, own_process, plan_mode_required| Teammate {
            name: name.into(),
            state,
            own_process,
            plan_mode_required,
        };
        crew.roster(
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
        assert!(open[1].starts_with("    ann  waits for your answer to its plan"), "{open:?}");
        assert!(open[1].ends_with("its own process, must plan first") && open[3].contains("cid  ended"), "{open:?}");
        crew.roster(String::new(), Vec::new());
        assert!(shown(&crew, now, true, 79).is_empty());
        // Of many, those are named who wait and who work.
        let idle = (0..9).map(|n| member(&format!("idle{n}"), TeammateState::Idle, false, false));
        let busy = [("wes", TeammateState::AwaitingApproval), ("wil", TeammateState::Working)];
        let busy = busy.map(|(name, state)| member(name, state, false, false));
        crew.roster("red".into(), idle.chain(busy.into_iter().rev()).collect());
        assert_eq!(
            shown(&crew, now, false, 79),
            ["  team red: wes waits for you (ctrl+p) · wil works · idle0 is idle +8"]
        );
        assert_eq!(shown(&crew, now, false, 44), ["  team red: wes waits for you (ctrl+p) +10"]);
        assert!(text::width(&shown(&crew, now, false, 30)[0]) <= 30);
        assert!(shown(&crew, now, true, 79)[2].starts_with("    wil  working"));
    }
}
