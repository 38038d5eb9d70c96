//! Chooses the turn for a request and fills in its answer.

use super::{ScenarioScript, ScriptedBlock, ScriptedCall, ScriptedFault, ScriptedTurn};
use cutonce_core::conversation::{TokenUsage, WireFormat, estimate_tokens};
use serde_json::Value;

/// The remaining turns of a scenario.
pub(super) struct ScenarioPlayer {
    turns: Vec<RemainingTurn>,
    /// Index of the first turn that is not used up.
    first: usize,
    /// Requests answered so far; makes ids unique.
    requests: u64,
}

/// Placeholder in a script: the path of the plan file in the request. The name is random, so no script can know it.
const PLAN: &str = "{plan}";
/// Placeholder in a script: the random id of the plan approval request that the request names last.
const REQUEST: &str = "{request}";

/// Placeholder in a script: the id of the agent that the request names last.
const AGENT: &str = "{agent}";

struct RemainingTurn {
    turn: ScriptedTurn,
    /// The `when` text, escaped as in a JSON body.
    when: Option<String>,
    /// The `unless` text, likewise.
    unless: Option<String>,
    left: u32,
}

/// A turn ready to send: ids, counts and stop reason are filled in.
pub(super) struct ScriptedAnswer {
    pub id: String,
    pub model: String,
    pub blocks: Vec<AnswerBlock>,
    pub usage: TokenUsage,
    pub stop: String,
    pub fault: Option<ScriptedFault>,
    pub chunk: Option<usize>,
    pub delta: usize,
    pub delay_ms: u64,
}

pub(super) enum AnswerBlock {
    /// With the opaque data that must come back unchanged: a signature, or the encrypted form.
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

impl ScenarioPlayer {
    pub fn new(script: ScenarioScript) -> Self {
        let mut play = Self { turns: Vec::new(), first: 0, requests: 0 };
        script.turns.into_iter().for_each(|turn| play.add(turn));
        play
    }

    pub fn add(&mut self, turn: ScriptedTurn) {
        let (when, unless) = (turn.when.as_deref().map(json_escaped), turn.unless.as_deref().map(json_escaped));
        self.turns.push(RemainingTurn { left: turn.repeat.unwrap_or(1), when, unless, turn });
    }

    /// True if any turn depends on the request's content.
    pub fn inspects_requests(&self) -> bool {
        self.turns.iter().any(|turn| {
            turn.when.is_some()
                || turn.unless.is_some()
                || turn.turn.contains_text(PLAN)
                || turn.turn.contains_text(REQUEST)
                || turn.turn.contains_text(AGENT)
        })
    }

    pub fn remaining(&self) -> usize {
        self.turns.iter().map(|turn| turn.left as usize).sum()
    }

    /// Returns the answer to this request, or the reason why there is none.
    pub fn next_answer(
        &mut self,
        wire: WireFormat,
        model: &str,
        body: &[u8],
        body_len: usize,
    ) -> Result<ScriptedAnswer, String> {
        while self.turns.get(self.first).is_some_and(|turn| turn.left == 0) {
            self.first += 1;
        }
        let text = std::str::from_utf8(body).unwrap_or_default();
        let fits = |turn: &&mut RemainingTurn| {
            let barred = turn.unless.as_ref().is_some_and(|unless| text.contains(unless.as_str()));
            turn.left > 0 && !barred && turn.when.as_ref().is_none_or(|when| text.contains(when.as_str()))
        };
        let requests = self.requests;
        let Some(found) = self.turns.iter_mut().skip(self.first).find(fits) else {
            return Err(self.no_turn_reason());
        };
        self.requests += 1;
        found.left -= 1;
        let n = found.turn.repeat.map(|repeat| repeat - found.left);
        let file = found.turn.contains_text(PLAN).then(|| named_file(text)).flatten();
        let agent = found.turn.contains_text(AGENT).then(|| agent_id(text)).flatten();
        let asked = found.turn.contains_text(REQUEST).then(|| request_id(text)).flatten();
        Ok(ScriptedAnswer::new(
            &found.turn,
            Placeholders { wire, request: requests + 1, n, file, asked, agent },
            model,
            body_len,
        ))
    }

    fn no_turn_reason(&self) -> String {
        let waiting: Vec<&str> =
            self.turns.iter().filter(|t| t.left > 0).filter_map(|t| t.turn.when.as_deref()).collect();
        match waiting.is_empty() {
            true => format!("the scenario is over: all turns were used after {} requests", self.requests),
            false => {
                format!("no remaining turn of the scenario matches this request; remaining: {}", waiting.join(" | "))
            }
        }
    }
}

/// The text as it is written inside a JSON string.
fn json_escaped(text: &str) -> String {
    let quoted = Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

struct Placeholders {
    wire: WireFormat,
    request: u64,
    n: Option<u32>,
    file: Option<String>,
    asked: Option<String>,
    agent: Option<String>,
}

impl Placeholders {
    fn fill(&self, text: &str) -> String {
        let text = match self.n {
            Some(n) => text.replace("{n}", &n.to_string()),
            None => text.to_owned(),
        };
        let text = match &self.file {
            Some(file) => text.replace(PLAN, file),
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

/// Returns the request id that the body names last.
fn request_id(body: &str) -> Option<String> {
    let (_, after) = body.rsplit_once("request id: ")?;
    let end = after.find(|c: char| !c.is_ascii_alphanumeric() && c != '-').unwrap_or(after.len());
    Some(after[..end].to_string()).filter(|id| !id.is_empty())
}

/// Returns the plan file that the body names last: a path in a folder `plans`.
fn named_file(body: &str) -> Option<String> {
    const FOLDER: &str = "/plans/";
    let named = |c: char| c.is_alphanumeric() || c == '-';
    let end_of = |at: usize| {
        let from = at + FOLDER.len();
        let name = body[from..].find(|c| !named(c))?;
        (name > 0 && body[from + name..].starts_with(".md")).then_some(from + name + ".md".len())
    };
    let (at, end) = body.rmatch_indices(FOLDER).find_map(|(at, _)| Some((at, end_of(at)?)))?;
    let start = body[..at].rfind([' ', '"', '`', '(', '\\', '\n']).map_or(0, |before| before + 1);
    Some(body[start..end].to_string())
}

impl ScriptedAnswer {
    fn new(turn: &ScriptedTurn, ids: Placeholders, model: &str, body_len: usize) -> Self {
        let mut blocks = Vec::new();
        let simple = turn.thinking.iter().cloned().map(ScriptedBlock::Thinking);
        let simple = simple.chain(turn.text.iter().cloned().map(ScriptedBlock::Text));
        let simple = simple.chain(turn.calls.iter().cloned().map(ScriptedBlock::Call));
        for piece in simple.chain(turn.blocks.iter().cloned()) {
            let place = format!("{:04}_{:02}", ids.request, blocks.len());
            blocks.push(match piece {
                ScriptedBlock::Thinking(text) => {
                    AnswerBlock::Thinking { text: ids.fill(&text), seal: format!("seal_{place}") }
                }
                ScriptedBlock::Redacted(data) => AnswerBlock::Redacted(data),
                ScriptedBlock::Text(text) => AnswerBlock::Text(ids.fill(&text)),
                ScriptedBlock::Refusal(text) => AnswerBlock::Refusal(ids.fill(&text)),
                ScriptedBlock::Call(call) => {
                    answer_call(call, &ids, &place, turn.fault == Some(ScriptedFault::InvalidJsonCall))
                }
            });
        }
        let prefix = match ids.wire {
            WireFormat::Anthropic => "msg",
            WireFormat::Responses => "resp",
            WireFormat::Chat => "chatcmpl",
        };
        Self {
            id: format!("{prefix}_{:04}", ids.request),
            model: model.to_owned(),
            stop: turn.stop.clone().unwrap_or_else(|| default_stop(&blocks).to_owned()),
            usage: turn.usage.unwrap_or_else(|| estimate_usage(&blocks, body_len)),
            blocks,
            fault: turn.fault.clone(),
            chunk: turn.chunk,
            delta: turn.delta.unwrap_or(24),
            delay_ms: turn.delay_ms.unwrap_or_default(),
        }
    }
}

fn answer_call(call: ScriptedCall, ids: &Placeholders, place: &str, break_it: bool) -> AnswerBlock {
    let mut json = match (call.raw, call.input) {
        (Some(raw), _) | (None, Value::String(raw)) => raw,
        (None, Value::Null) => "{}".to_owned(),
        (None, input) => input.to_string(),
    };
    if break_it {
        json.pop();
    }
    let prefix = if ids.wire == WireFormat::Anthropic { "toolu" } else { "call" };
    let id = call.id.map_or_else(|| format!("{prefix}_{place}"), |id| ids.fill(&id));
    AnswerBlock::Call { id, name: call.name, json: ids.fill(&json) }
}

fn default_stop(blocks: &[AnswerBlock]) -> &'static str {
    let any = |is: fn(&AnswerBlock) -> bool| blocks.iter().any(is);
    match () {
        () if any(|block| matches!(block, AnswerBlock::Refusal(_))) => "refusal",
        () if any(|block| matches!(block, AnswerBlock::Call { .. })) => "tool_use",
        () => "end_turn",
    }
}

fn estimate_usage(blocks: &[AnswerBlock], body_len: usize) -> TokenUsage {
    let bytes = blocks.iter().map(|block| match block {
        AnswerBlock::Thinking { text, .. }
        | AnswerBlock::Text(text)
        | AnswerBlock::Refusal(text)
        | AnswerBlock::Redacted(text) => text.len(),
        AnswerBlock::Call { name, json, .. } => name.len() + json.len(),
    });
    let output_tokens = estimate_tokens(bytes.sum::<usize>()).max(1);
    TokenUsage { input_tokens: estimate_tokens(body_len), output_tokens, ..TokenUsage::default() }
}
