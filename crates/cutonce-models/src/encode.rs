//! The request body out of shared pieces (AG-7): what was encoded for an earlier turn is sent again as the same
//! bytes, so that a turn costs what is new in it.
//!
//! A conversation falls into groups: an assistant message, or a run of tool results and user messages. Whatever is
//! handed over becomes something that the provider accepts: each call gets its result, each result has its call.

use crate::body::Pieces;
use crate::decode::Decoder;
use crate::endpoint::Endpoint;
use bytes::Bytes;
use cutonce_core::conversation::{Block, Image, Message, Shared, ToolInput, ToolResult, ToolUse, Wire};
use cutonce_core::request::{Prefix, Request};
use serde::{Serialize, Serializer};
use serde_json::Value;
use std::borrow::Cow;
use std::sync::Arc;

/// One wire format.
pub(crate) trait Protocol: Send + Sync + Sized + 'static {
    type Decoder: Decoder;
    const WIRE: Wire;
    /// Below the base URL.
    const PATH: &'static str;
    fn new(endpoint: &Endpoint) -> Self;
    /// What this request asks of the model's thinking; `plain` when the server is known to refuse any.
    fn plan(&self, request: &Request<'_>, plain: bool) -> Plan;
    fn headers(&self, _plan: &Plan) -> Vec<(&'static str, &'static str)> {
        Vec::new()
    }
    /// From the opening brace up to the prefix: a whole JSON object, whose closing brace the encoder drops.
    fn head(&self, request: &Request<'_>) -> Vec<u8>;
    /// From the comma after the head up to and with the bracket that opens the messages, or a first message in it.
    fn prefix(&self, prefix: &Prefix) -> Vec<u8>;
    /// The wire messages of a group, each with a comma before it. Nothing, where nothing is left to say.
    fn assistant(&self, blocks: &[Block], plan: &Plan, out: &mut Vec<u8>);
    fn user(&self, user: &UserSide<'_>, out: &mut Vec<u8>);
    /// How many of the last user groups carry a cache breakpoint, and a group that carries one.
    const BREAKPOINTS: usize = 0;
    fn with_breakpoint(&self, group: &Bytes) -> [Bytes; 2] {
        [group.clone(), Bytes::new()]
    }
}

/// What a request asks of the model's thinking, in the wire's own terms.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Plan {
    /// The fields that ask for thinking; None asks for nothing. They may change from turn to turn, so they stand
    /// behind the messages.
    pub thinking: Option<Value>,
    /// Whether thinking of earlier answers goes back.
    pub send_back: bool,
}

/// What stands on the user's side between two answers.
pub(crate) struct UserSide<'a> {
    /// For each call of the answer before, in its order: the result, or none if it never came.
    pub results: Vec<(&'a str, Option<&'a ToolResult>)>,
    pub said: Vec<Said<'a>>,
}

pub(crate) enum Said<'a> {
    Text(Cow<'a, str>),
    Image(&'a Image),
}

/// The result of a call that never got one (AG-4).
pub(crate) const NO_RESULT: &str = "No result: the call was interrupted before it finished.";
const CUT_OFF: &str = "(The conversation before this point is not shown.)";
const GO_ON: &str = "Continue.";

/// Keeps what it encoded, by the identity of what was encoded.
#[derive(Default)]
pub(crate) struct Encoder {
    prefix: Option<(Arc<Prefix>, Bytes)>,
    send_back: bool,
    /// What was encoded, held so that no other message can come to the same address. In one list, so that a turn finds
    /// out what is still the same by comparing addresses, without looking at a single old message.
    known: Vec<Shared>,
    groups: Vec<Group>,
    segments: Vec<Segment>,
    /// Messages encoded so far; tests prove by it that old ones are not encoded again.
    #[cfg(test)]
    pub encoded: usize,
}

struct Group {
    /// Where its messages end in `known`.
    end: usize,
    note: Option<&'static str>,
    user: bool,
    bytes: Bytes,
}

/// Old groups joined into one piece, once: a long conversation goes out in few large writes.
struct Segment {
    groups: usize,
    bytes: Bytes,
}

const SEGMENT: usize = 32 << 10;
/// The newest groups stay as they are: they may still grow, and the breakpoints move over them.
const UNSETTLED: usize = 4;

/// Below this a piece costs more as one of many than as a copy.
const SMALL: usize = 4 << 10;

/// Neighbours that are small become one piece. The newest groups are such, so that this costs no more in a long
/// conversation than in a short one.
fn joined(parts: Vec<Bytes>) -> Vec<Bytes> {
    let mut all: Vec<Bytes> = Vec::new();
    let mut small: Vec<u8> = Vec::new();
    for part in parts {
        match part.len() {
            0 => {}
            len if len < SMALL => small.extend_from_slice(&part),
            _ => {
                all.extend((!small.is_empty()).then(|| Bytes::from(std::mem::take(&mut small))));
                all.push(part);
            }
        }
    }
    all.extend((!small.is_empty()).then(|| Bytes::from(small)));
    all
}

/// A run of messages that makes one group.
struct Run<'a> {
    messages: &'a [Shared],
    /// Said where the conversation would otherwise begin or end with the assistant.
    note: Option<&'static str>,
    user: bool,
}

impl Encoder {
    pub fn body<P: Protocol>(&mut self, protocol: &P, request: &Request<'_>, plan: &Plan) -> Pieces {
        let mut head = protocol.head(request);
        head.pop();
        let prefix = self.prefix(protocol, request.prefix);
        self.update(protocol, request.messages, plan);
        let users = self.groups.iter().enumerate().filter(|(_, group)| group.user && !group.bytes.is_empty());
        let marked_from = users.rev().take(P::BREAKPOINTS).last().map_or(usize::MAX, |(index, _)| index);
        let opens = prefix.last() == Some(&b'[');
        let mut parts = vec![Bytes::from(head), prefix];
        let begin = parts.len();
        let mut covered = 0;
        for segment in &self.segments {
            if covered + segment.groups > marked_from {
                break;
            }
            covered += segment.groups;
            parts.push(segment.bytes.clone());
        }
        for (index, group) in self.groups.iter().enumerate().skip(covered) {
            match index >= marked_from && group.user {
                true => parts.extend(protocol.with_breakpoint(&group.bytes)),
                false => parts.push(group.bytes.clone()),
            }
        }
        // Every message has a comma before it; the first one in its list must not.
        if let Some(first) = parts[begin..].iter_mut().find(|part| !part.is_empty() && opens) {
            *first = first.slice(1..);
        }
        parts.push(match &plan.thinking {
            Some(fields) => {
                let mut end = json(fields);
                end.splice(..1, *b"],");
                Bytes::from(end)
            }
            None => Bytes::from_static(b"]}"),
        });
        Pieces::new(joined(parts))
    }

    fn prefix<P: Protocol>(&mut self, protocol: &P, prefix: &Arc<Prefix>) -> Bytes {
        if let Some((known, bytes)) = &self.prefix
            && Arc::ptr_eq(known, prefix)
        {
            return bytes.clone();
        }
        let bytes = Bytes::from(protocol.prefix(prefix));
        self.prefix = Some((prefix.clone(), bytes.clone()));
        bytes
    }

    /// Brings the groups up to date: those at the beginning that are still the same stay as they are.
    fn update<P: Protocol>(&mut self, protocol: &P, messages: &[Shared], plan: &Plan) {
        if self.send_back != plan.send_back {
            self.known.clear();
            self.groups.clear();
            self.send_back = plan.send_back;
        }
        let same = self.known.iter().zip(messages).take_while(|(known, message)| Arc::ptr_eq(known, message)).count();
        // Where a group ends depends on the message behind it: only one with a known message behind it is settled.
        let mut kept = self.groups.partition_point(|group| group.end < same);
        let start = kept.checked_sub(1).map_or(0, |last| self.groups[last].end);
        let runs = runs(&messages[start..], kept == 0);
        let mut end = start;
        let mut new = 0;
        while let (Some(group), Some(run)) = (self.groups.get(kept), runs.get(new)) {
            let is_same = group.end == end + run.messages.len()
                && group.end <= same
                && (group.user, group.note) == (run.user, run.note);
            if !is_same {
                break;
            }
            (end, kept, new) = (group.end, kept + 1, new + 1);
        }
        self.groups.truncate(kept);
        self.known.truncate(end);
        for run in &runs[new..] {
            let mut out = Vec::new();
            match (run.user, run.messages.first().map(|message| &**message)) {
                (false, Some(Message::Assistant { blocks, .. })) => protocol.assistant(blocks, plan, &mut out),
                _ => protocol.user(&user_side(self.known.last(), run), &mut out),
            }
            #[cfg(test)]
            {
                self.encoded += run.messages.len();
            }
            self.known.extend_from_slice(run.messages);
            let (end, bytes) = (self.known.len(), Bytes::from(out));
            self.groups.push(Group { end, note: run.note, user: run.user, bytes });
        }
        self.settle(kept);
    }

    /// Forgets segments of groups beyond `same`, and joins groups that have become old.
    fn settle(&mut self, same: usize) {
        let mut covered: usize = self.segments.iter().map(|segment| segment.groups).sum();
        while covered > same {
            covered -= self.segments.pop().map_or(covered, |segment| segment.groups);
        }
        let settled = self.groups.len().saturating_sub(UNSETTLED);
        let (mut start, mut size) = (covered, 0);
        for end in covered..settled {
            size += self.groups[end].bytes.len();
            if size >= SEGMENT {
                let groups = &self.groups[start..=end];
                let bytes = match groups {
                    [group] => group.bytes.clone(),
                    _ => groups.iter().map(|group| &*group.bytes).collect::<Vec<_>>().concat().into(),
                };
                self.segments.push(Segment { groups: groups.len(), bytes });
                (start, size) = (end + 1, 0);
            }
        }
    }
}

fn is_assistant(message: &Shared) -> bool {
    matches!(**message, Message::Assistant { .. })
}

/// Splits a conversation, or what follows a group of it, so that it begins and ends on the user's side and no calls are
/// left without results.
fn runs(messages: &[Shared], begins: bool) -> Vec<Run<'_>> {
    let mut runs = Vec::new();
    let mut rest = messages;
    if begins && rest.first().is_none_or(is_assistant) {
        runs.push(Run { messages: &[], note: Some(CUT_OFF), user: true });
    }
    while let Some(first) = rest.first() {
        let assistant = is_assistant(first);
        let end = if assistant { 1 } else { rest.iter().position(is_assistant).unwrap_or(rest.len()) };
        let (run, after) = rest.split_at(end);
        runs.push(Run { messages: run, note: None, user: !assistant });
        rest = after;
        if assistant && rest.first().is_none_or(is_assistant) {
            let calls = first.calls().next().is_some();
            if calls || rest.is_empty() {
                runs.push(Run { messages: &[], note: (!calls).then_some(GO_ON), user: true });
            }
        }
    }
    runs
}

/// Pairs the results of a run with the calls of the answer before it.
fn user_side<'a>(before: Option<&'a Shared>, run: &Run<'a>) -> UserSide<'a> {
    let given = || {
        run.messages.iter().filter_map(|message| match &**message {
            Message::Tool(result) => Some(result),
            Message::User { .. } | Message::Assistant { .. } => None,
        })
    };
    let calls: Vec<&ToolUse> = before.map(|message| message.calls().collect()).unwrap_or_default();
    let result_of = |call: &ToolUse| given().find(|result| result.call_id == call.id);
    let results = calls.iter().map(|call| (call.id.as_str(), result_of(call))).collect();
    let mut said: Vec<Said<'_>> = run.note.iter().map(|note| Said::Text(Cow::Borrowed(*note))).collect();
    for message in run.messages {
        match &**message {
            Message::Tool(result) if !calls.iter().any(|call| call.id == result.call_id) => {
                said.push(Said::Text(format!("Result of an earlier tool call:\n{}", result.as_text()).into()));
            }
            Message::User { content } => said.extend(content.iter().filter_map(|block| match block {
                Block::Text { text } if !text.trim().is_empty() => Some(Said::Text(Cow::Borrowed(text.as_str()))),
                Block::Image(image) => Some(Said::Image(image)),
                Block::Text { .. } | Block::Thinking { .. } | Block::ToolUse(_) => None,
            })),
            Message::Tool(_) | Message::Assistant { .. } => {}
        }
    }
    UserSide { results, said }
}

/// Appends a comma and the value. Only our own types go through here; they all serialize.
pub(crate) fn push(out: &mut Vec<u8>, value: &impl Serialize) {
    out.push(b',');
    if let Err(error) = serde_json::to_writer(&mut *out, value) {
        tracing::error!(%error, "a message could not be encoded");
        out.extend_from_slice(b"null");
    }
}

pub(crate) fn json(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(value).unwrap_or_else(|error| {
        tracing::error!(%error, "a request could not be encoded");
        b"{}".to_vec()
    })
}

/// A data URL, as the OpenAI formats take images.
pub(crate) fn data_url(image: &Image) -> String {
    format!("data:{};base64,{}", image.media_type, image.data)
}

/// Call ids and tool names travel between providers: what one made must fit the rules of all.
pub(crate) fn fitting<'a>(text: &'a str, max: usize) -> Cow<'a, str> {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !text.is_empty() && text.len() <= max && text.chars().all(plain) {
        return Cow::Borrowed(text);
    }
    // FNV-1a keeps different ids different after the odd characters are gone.
    let hash = text
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    let kept: String = text.chars().map(|c| if plain(c) { c } else { '_' }).take(max.saturating_sub(17)).collect();
    Cow::Owned(format!("{kept}-{hash:016x}"))
}

/// Every id fits OpenAI's 40 characters; Anthropic and Responses allow more.
pub(crate) fn call_id(id: &str) -> Cow<'_, str> {
    fitting(id, 40)
}

pub(crate) fn tool_name(name: &str) -> Cow<'_, str> {
    fitting(name, 64)
}

/// The input of a call as a JSON object, which is what Anthropic takes.
pub(crate) struct ObjectInput<'a>(pub &'a ToolInput);

impl Serialize for ObjectInput<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            ToolInput::Json(value) if value.is_object() => value.serialize(serializer),
            ToolInput::Json(value) => serializer.collect_map([("value", value)]),
            ToolInput::Invalid { invalid_json, .. } => serializer.collect_map([("invalid_json", invalid_json)]),
        }
    }
}

/// The same as a string of JSON, which is what the OpenAI formats take.
pub(crate) fn string_input(input: &ToolInput) -> String {
    String::from_utf8(json(&ObjectInput(input))).unwrap_or_default()
}

#[cfg(test)]
mod tests;
