//! Which turn a request takes, and what exactly it then says.

use super::{Call, Fault, Piece, Script, Turn};
use cutonce_core::conversation::{Usage, Wire, estimate_tokens};
use serde_json::Value;

/// The turns that are left.
pub(super) struct Play {
    turns: Vec<Left>,
    /// All before this one are used up.
    first: usize,
    /// Requests answered so far; makes ids unique.
    requests: u64,
}

/// In a script: the path of the plan file, as the request says it. Its name is random, so no script can know it.
const PLAN: &str = "{plan}";
/// The id of the plan approval request that the request names last: random, too.
const REQUEST: &str = "{request}";

/// In a script: the id of the agent that the request names last.
const AGENT: &str = "{agent}";

struct Left {
    turn: Turn,
    /// As it stands in a JSON body.
    when: Option<String>,
    left: u32,
}

/// A turn as it is answered: ids, counts and the reason to stop are filled in.
pub(super) struct Answer {
    pub id: String,
    pub model: String,
    pub blocks: Vec<Out>,
    pub usage: Usage,
    pub stop: String,
    pub fault: Option<Fault>,
    pub chunk: Option<usize>,
    pub delta: usize,
    pub delay_ms: u64,
}

pub(super) enum Out {
    /// With the seal that has to come back unchanged: a signature, or the encrypted form.
    Thinking {
        text: String,
        seal: String,
    },
    Redacted(String),
    Text(String),
    Refusal(String),
    Call {
        id: String,
        name: String,
        json: String,
    },
}

impl Play {
    pub fn new(script: Script) -> Self {
        let mut play = Self { turns: Vec::new(), first: 0, requests: 0 };
        script.turns.into_iter().for_each(|turn| play.add(turn));
        play
    }

    pub fn add(&mut self, turn: Turn) {
        let when = turn.when.as_ref().map(|when| Value::from(when.as_str()).to_string());
        let when = when.map(|quoted| quoted[1..quoted.len() - 1].to_owned());
        self.turns.push(Left { left: turn.repeat.unwrap_or(1), when, turn });
    }

    /// Whether any turn looks into the request.
    pub fn looks(&self) -> bool {
        self.turns.iter().any(|turn| {
            turn.when.is_some() || turn.turn.holds(PLAN) || turn.turn.holds(REQUEST) || turn.turn.holds(AGENT)
        })
    }

    pub fn left(&self) -> usize {
        self.turns.iter().map(|turn| turn.left as usize).sum()
    }

    /// The answer to this request, or the reason why there is none.
    pub fn take(&mut self, wire: Wire, model: &str, body: &[u8], body_len: usize) -> Result<Answer, String> {
        while self.turns.get(self.first).is_some_and(|turn| turn.left == 0) {
            self.first += 1;
        }
        let text = std::str::from_utf8(body).unwrap_or_default();
        let fits =
            |turn: &&mut Left| turn.left > 0 && turn.when.as_ref().is_none_or(|when| text.contains(when.as_str()));
        let requests = self.requests;
        let Some(found) = self.turns.iter_mut().skip(self.first).find(fits) else {
            return Err(self.none_left());
        };
        self.requests += 1;
        found.left -= 1;
        let n = found.turn.repeat.map(|repeat| repeat - found.left);
        let plan = found.turn.holds(PLAN).then(|| plan_path(text)).flatten();
        let agent = found.turn.holds(AGENT).then(|| agent_id(text)).flatten();
        let asked = found.turn.holds(REQUEST).then(|| request_id(text)).flatten();
        Ok(Answer::new(&found.turn, Ids { wire, request: requests + 1, n, plan, asked, agent }, model, body_len))
    }

    fn none_left(&self) -> String {
        let waiting: Vec<&str> =
            self.turns.iter().filter(|t| t.left > 0).filter_map(|t| t.turn.when.as_deref()).collect();
        match waiting.is_empty() {
            true => format!("the scenario is over: all its turns are played after {} requests", self.requests),
            false => format!("no turn of the scenario fits this request; left are those for: {}", waiting.join(" | ")),
        }
    }
}

struct Ids {
    wire: Wire,
    request: u64,
    n: Option<u32>,
    plan: Option<String>,
    asked: Option<String>,
    agent: Option<String>,
}

impl Ids {
    fn fill(&self, text: &str) -> String {
        let text = match self.n {
            Some(n) => text.replace("{n}", &n.to_string()),
            None => text.to_owned(),
        };
        let text = match &self.plan {
            Some(plan) => text.replace(PLAN, plan),
            None => text,
        };
        let text = match &self.agent {
            Some(agent) => text.replace(AGENT, agent),
            None => text,
        };
        match &self.asked {
            Some(asked) => text.replace(REQUEST, asked),
            None => text,
        }
    }
}

fn agent_id(body: &str) -> Option<String> {
    let (_, rest) = body.rsplit_once("agentId: ")?;
    Some(rest.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '-').collect())
}

/// The request id that was named last.
fn request_id(body: &str) -> Option<String> {
    let (_, after) = body.rsplit_once("request id: ")?;
    let end = after.find(|c: char| !c.is_ascii_alphanumeric() && c != '-').unwrap_or(after.len());
    Some(after[..end].to_string()).filter(|id| !id.is_empty())
}

/// The plan file that was named last: a path in a folder `plans`.
fn plan_path(body: &str) -> Option<String> {
    const FOLDER: &str = "/plans/";
    let named = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let end_of = |at: usize| {
        let from = at + FOLDER.len();
        let name = body[from..].find(|c| !named(c))?;
        (name > 0 && body[from + name..].starts_with(".md")).then_some(from + name + ".md".len())
    };
    let (at, end) = body.rmatch_indices(FOLDER).find_map(|(at, _)| Some((at, end_of(at)?)))?;
    let start = body[..at].rfind([' ', '"', '`', '(', '\\', '\n']).map_or(0, |before| before + 1);
    Some(body[start..end].to_string())
}

impl Answer {
    fn new(turn: &Turn, ids: Ids, model: &str, body_len: usize) -> Self {
        let mut blocks = Vec::new();
        let simple = turn.thinking.iter().cloned().map(Piece::Thinking);
        let simple = simple.chain(turn.text.iter().cloned().map(Piece::Text));
        let simple = simple.chain(turn.calls.iter().cloned().map(Piece::Call));
        for piece in simple.chain(turn.blocks.iter().cloned()) {
            let place = format!("{:04}_{:02}", ids.request, blocks.len());
            blocks.push(match piece {
                Piece::Thinking(text) => Out::Thinking { text: ids.fill(&text), seal: format!("seal_{place}") },
                Piece::Redacted(data) => Out::Redacted(data),
                Piece::Text(text) => Out::Text(ids.fill(&text)),
                Piece::Refusal(text) => Out::Refusal(ids.fill(&text)),
                Piece::Call(call) => out_call(call, &ids, &place, turn.fault == Some(Fault::InvalidJsonCall)),
            });
        }
        let prefix = match ids.wire {
            Wire::Anthropic => "msg",
            Wire::Responses => "resp",
            Wire::Chat => "chatcmpl",
        };
        Self {
            id: format!("{prefix}_{:04}", ids.request),
            model: model.to_owned(),
            stop: turn.stop.clone().unwrap_or_else(|| usual_stop(&blocks).to_owned()),
            usage: turn.usage.unwrap_or_else(|| guess(&blocks, body_len)),
            blocks,
            fault: turn.fault.clone(),
            chunk: turn.chunk,
            delta: turn.delta.unwrap_or(24),
            delay_ms: turn.delay_ms.unwrap_or_default(),
        }
    }
}

fn out_call(call: Call, ids: &Ids, place: &str, break_it: bool) -> Out {
    let mut json = match (call.raw, call.input) {
        (Some(raw), _) | (None, Value::String(raw)) => raw,
        (None, Value::Null) => "{}".to_owned(),
        (None, input) => input.to_string(),
    };
    if break_it {
        json.pop();
    }
    let prefix = if ids.wire == Wire::Anthropic { "toolu" } else { "call" };
    let id = call.id.map_or_else(|| format!("{prefix}_{place}"), |id| ids.fill(&id));
    Out::Call { id, name: call.name, json: ids.fill(&json) }
}

fn usual_stop(blocks: &[Out]) -> &'static str {
    let any = |is: fn(&Out) -> bool| blocks.iter().any(is);
    match () {
        () if any(|block| matches!(block, Out::Refusal(_))) => "refusal",
        () if any(|block| matches!(block, Out::Call { .. })) => "tool_use",
        () => "end_turn",
    }
}

fn guess(blocks: &[Out], body_len: usize) -> Usage {
    let bytes = blocks.iter().map(|block| match block {
        Out::Thinking { text, .. } | Out::Text(text) | Out::Refusal(text) | Out::Redacted(text) => text.len(),
        Out::Call { name, json, .. } => name.len() + json.len(),
    });
    let output_tokens = estimate_tokens(bytes.sum::<usize>()).max(1);
    Usage { input_tokens: estimate_tokens(body_len), output_tokens, ..Usage::default() }
}
