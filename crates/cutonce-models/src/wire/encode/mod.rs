//! Builds the request body from shared pieces (AG-7). What was encoded for an earlier turn is sent again as the
//! same bytes, so a turn costs only what is new in it.
//!
//! A conversation consists of groups: an assistant message, or a run of tool results and user messages. Any input
//! becomes something that the provider accepts: each call gets its result, and each result has its call.

use crate::http::body::RequestBody;
use crate::providers::endpoint::Endpoint;
use crate::wire::decode::StreamDecoder;
use bytes::Bytes;
use cutonce_core::conversation::{
    ContentBlock, Image, Message, SharedMessage, ToolInput, ToolResult, ToolUse, WireFormat,
};
use cutonce_core::model_request::{ModelRequest, PromptPrefix};
use serde::{Serialize, Serializer};
use serde_json::Value;
use std::borrow::Cow;
use std::sync::Arc;

/// One wire format.
pub(crate) trait WireProtocol: Send + Sync + Sized + 'static {
    type Decoder: StreamDecoder;
    const WIRE: WireFormat;
    /// Path below the base URL.
    const PATH: &'static str;
    fn new(endpoint: &Endpoint) -> Self;
    /// Decides what this request asks of the model's thinking; `plain` if the server is known to refuse any.
    fn thinking_request(&self, request: &ModelRequest<'_>, plain: bool) -> ThinkingRequest;
    fn headers(&self, _thinking: &ThinkingRequest) -> Vec<(&'static str, &'static str)> {
        Vec::new()
    }
    /// Encodes everything before the prefix as a JSON object; the encoder drops its closing brace.
    fn request_head(&self, request: &ModelRequest<'_>) -> Vec<u8>;
    /// Encodes from the comma after the head to the bracket that opens the messages, or to a first message in it.
    fn request_prefix(&self, prefix: &PromptPrefix) -> Vec<u8>;
    /// Encodes the wire messages of a group, each with a leading comma; writes nothing if the group is empty.
    fn assistant_message(&self, blocks: &[ContentBlock], thinking: &ThinkingRequest, out: &mut Vec<u8>);
    fn user_message(&self, user: &UserSide<'_>, out: &mut Vec<u8>);
    /// Number of final user groups that carry a cache breakpoint.
    const BREAKPOINTS: usize = 0;
    fn with_breakpoint(&self, group: &Bytes) -> [Bytes; 2] {
        [group.clone(), Bytes::new()]
    }
}

/// What a request asks of the model's thinking, in the fields of the wire format.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ThinkingRequest {
    /// Fields that ask for thinking; `None` asks for nothing. They may change from turn to turn, so they come after
    /// the messages.
    pub fields: Option<Value>,
    /// True if the thinking of earlier answers is sent back.
    pub resend_thinking: bool,
}

/// Everything on the user's side between two answers.
pub(crate) struct UserSide<'a> {
    /// The result of each call of the previous answer, in order; `None` if it never came.
    pub results: Vec<(&'a str, Option<&'a ToolResult>)>,
    pub parts: Vec<UserPart<'a>>,
}

pub(crate) enum UserPart<'a> {
    Text(Cow<'a, str>),
    Image(&'a Image),
}

/// Result text for a call that never got one (AG-4).
pub(crate) const NO_RESULT: &str = "No result: the call was interrupted before it finished.";
const TRUNCATED_NOTE: &str = "(The conversation before this point is not shown.)";
const CONTINUE_NOTE: &str = "Continue.";

/// Encodes requests and caches the output by the identity of its messages.
#[derive(Default)]
pub(crate) struct RequestEncoder {
    prefix: Option<(Arc<PromptPrefix>, Bytes)>,
    send_back: bool,
    /// Encoded messages, kept alive so that no other message gets the same address. One list, so that a turn finds
    /// unchanged messages by comparing addresses, without reading them.
    known: Vec<SharedMessage>,
    groups: Vec<MessageGroup>,
    segments: Vec<GroupSegment>,
    /// Messages encoded so far; tests use it to prove that old ones are not encoded again.
    #[cfg(test)]
    pub encoded: usize,
}

struct MessageGroup {
    /// End of its messages in `known`.
    end: usize,
    note: Option<&'static str>,
    user: bool,
    bytes: Bytes,
}

/// Old groups joined into one piece: a long conversation is sent in few large writes.
struct GroupSegment {
    groups: usize,
    bytes: Bytes,
}

const SEGMENT_SIZE: usize = 32 << 10;
/// Number of newest groups that are never joined: they may still grow, and the breakpoints move over them.
const UNJOINED_GROUPS: usize = 4;

/// Below this size, copying is cheaper than sending a separate piece.
const SMALL_PIECE: usize = 4 << 10;

/// Joins small neighbours into one piece. Only the newest groups are small, so this costs no more in a long
/// conversation than in a short one.
fn join_small(parts: Vec<Bytes>) -> Vec<Bytes> {
    let mut all: Vec<Bytes> = Vec::new();
    let mut small: Vec<u8> = Vec::new();
    for part in parts {
        match part.len() {
            0 => {}
            len if len < SMALL_PIECE => small.extend_from_slice(&part),
            _ => {
                all.extend((!small.is_empty()).then(|| Bytes::from(std::mem::take(&mut small))));
                all.push(part);
            }
        }
    }
    all.extend((!small.is_empty()).then(|| Bytes::from(small)));
    all
}

/// A run of messages that forms one group.
struct MessageRun<'a> {
    messages: &'a [SharedMessage],
    /// Text to add where the conversation would otherwise begin or end with the assistant.
    note: Option<&'static str>,
    user: bool,
}

impl RequestEncoder {
    pub fn encode_body<P: WireProtocol>(
        &mut self,
        protocol: &P,
        request: &ModelRequest<'_>,
        thinking: &ThinkingRequest,
    ) -> RequestBody {
        let mut head = protocol.request_head(request);
        head.pop();
        let prefix = self.encode_prefix(protocol, request.prefix);
        self.update_groups(protocol, request.messages, thinking);
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
        // Every message has a leading comma; the first one in its list must not.
        if let Some(first) = parts[begin..].iter_mut().find(|part| !part.is_empty() && opens) {
            *first = first.slice(1..);
        }
        parts.push(match &thinking.fields {
            Some(fields) => {
                let mut end = to_json(fields);
                end.splice(..1, *b"],");
                Bytes::from(end)
            }
            None => Bytes::from_static(b"]}"),
        });
        RequestBody::new(join_small(parts))
    }

    fn encode_prefix<P: WireProtocol>(&mut self, protocol: &P, prefix: &Arc<PromptPrefix>) -> Bytes {
        if let Some((known, bytes)) = &self.prefix
            && Arc::ptr_eq(known, prefix)
        {
            return bytes.clone();
        }
        let bytes = Bytes::from(protocol.request_prefix(prefix));
        self.prefix = Some((prefix.clone(), bytes.clone()));
        bytes
    }

    /// Updates the groups; unchanged groups at the beginning are kept.
    fn update_groups<P: WireProtocol>(&mut self, protocol: &P, messages: &[SharedMessage], thinking: &ThinkingRequest) {
        if self.send_back != thinking.resend_thinking {
            self.known.clear();
            self.groups.clear();
            self.send_back = thinking.resend_thinking;
        }
        let same = self.known.iter().zip(messages).take_while(|(known, message)| Arc::ptr_eq(known, message)).count();
        // A group's end depends on the next message: only a group followed by a known message is settled.
        let mut kept = self.groups.partition_point(|group| group.end < same);
        let start = kept.checked_sub(1).map_or(0, |last| self.groups[last].end);
        let runs = split_runs(&messages[start..], kept == 0);
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
                (false, Some(Message::Assistant { blocks, .. })) => {
                    protocol.assistant_message(blocks, thinking, &mut out)
                }
                _ => protocol.user_message(&pair_results(self.known.last(), run), &mut out),
            }
            #[cfg(test)]
            {
                self.encoded += run.messages.len();
            }
            self.known.extend_from_slice(run.messages);
            let (end, bytes) = (self.known.len(), Bytes::from(out));
            self.groups.push(MessageGroup { end, note: run.note, user: run.user, bytes });
        }
        self.join_old_groups(kept);
    }

    /// Drops segments of groups beyond `same`, and joins groups that have become old.
    fn join_old_groups(&mut self, same: usize) {
        let mut covered: usize = self.segments.iter().map(|segment| segment.groups).sum();
        while covered > same {
            covered -= self.segments.pop().map_or(covered, |segment| segment.groups);
        }
        let settled = self.groups.len().saturating_sub(UNJOINED_GROUPS);
        let (mut start, mut size) = (covered, 0);
        for end in covered..settled {
            size += self.groups[end].bytes.len();
            if size >= SEGMENT_SIZE {
                let groups = &self.groups[start..=end];
                let bytes = match groups {
                    [group] => group.bytes.clone(),
                    _ => groups.iter().map(|group| &*group.bytes).collect::<Vec<_>>().concat().into(),
                };
                self.segments.push(GroupSegment { groups: groups.len(), bytes });
                (start, size) = (end + 1, 0);
            }
        }
    }
}

fn is_assistant(message: &SharedMessage) -> bool {
    matches!(**message, Message::Assistant { .. })
}

/// Splits a conversation, or its rest, so that it begins and ends on the user's side and every call has a
/// result.
fn split_runs(messages: &[SharedMessage], begins: bool) -> Vec<MessageRun<'_>> {
    let mut runs = Vec::new();
    let mut rest = messages;
    if begins && rest.first().is_none_or(is_assistant) {
        runs.push(MessageRun { messages: &[], note: Some(TRUNCATED_NOTE), user: true });
    }
    while let Some(first) = rest.first() {
        let assistant = is_assistant(first);
        let end = if assistant { 1 } else { rest.iter().position(is_assistant).unwrap_or(rest.len()) };
        let (run, after) = rest.split_at(end);
        runs.push(MessageRun { messages: run, note: None, user: !assistant });
        rest = after;
        if assistant && rest.first().is_none_or(is_assistant) {
            let calls = first.tool_calls().next().is_some();
            if calls || rest.is_empty() {
                runs.push(MessageRun { messages: &[], note: (!calls).then_some(CONTINUE_NOTE), user: true });
            }
        }
    }
    runs
}

/// Pairs the results of a run with the calls of the previous answer.
fn pair_results<'a>(before: Option<&'a SharedMessage>, run: &MessageRun<'a>) -> UserSide<'a> {
    let given = || {
        run.messages.iter().filter_map(|message| match &**message {
            Message::Tool(result) => Some(result),
            Message::User { .. } | Message::Assistant { .. } => None,
        })
    };
    let calls: Vec<&ToolUse> = before.map(|message| message.tool_calls().collect()).unwrap_or_default();
    let result_of = |call: &ToolUse| given().find(|result| result.call_id == call.id);
    let results = calls.iter().map(|call| (call.id.as_str(), result_of(call))).collect();
    let mut said: Vec<UserPart<'_>> = run.note.iter().map(|note| UserPart::Text(Cow::Borrowed(*note))).collect();
    for message in run.messages {
        match &**message {
            Message::Tool(result) if !calls.iter().any(|call| call.id == result.call_id) => {
                said.push(UserPart::Text(format!("Result of an earlier tool call:\n{}", result.as_text()).into()));
            }
            Message::User { content } => said.extend(content.iter().filter_map(|block| match block {
                ContentBlock::Text { text } if !text.trim().is_empty() => {
                    Some(UserPart::Text(Cow::Borrowed(text.as_str())))
                }
                ContentBlock::Image(image) => Some(UserPart::Image(image)),
                ContentBlock::Text { .. } | ContentBlock::Thinking { .. } | ContentBlock::ToolUse(_) => None,
            })),
            Message::Tool(_) | Message::Assistant { .. } => {}
        }
    }
    UserSide { results, parts: said }
}

/// Appends a comma and the value. Called only with our own types, which all serialize.
pub(crate) fn push_json(out: &mut Vec<u8>, value: &impl Serialize) {
    out.push(b',');
    if let Err(error) = serde_json::to_writer(&mut *out, value) {
        tracing::error!(%error, "a message could not be encoded");
        out.extend_from_slice(b"null");
    }
}

pub(crate) fn to_json(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(value).unwrap_or_else(|error| {
        tracing::error!(%error, "a request could not be encoded");
        b"{}".to_vec()
    })
}

/// Returns a data URL, the image form of the OpenAI formats.
pub(crate) fn data_url(image: &Image) -> String {
    format!("data:{};base64,{}", image.media_type, image.data)
}

/// Shortens and cleans an id or tool name: what one provider made must fit the rules of all.
pub(crate) fn fit_identifier<'a>(text: &'a str, max: usize) -> Cow<'a, str> {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !text.is_empty() && text.len() <= max && text.chars().all(plain) {
        return Cow::Borrowed(text);
    }
    // FNV-1a keeps different ids distinct after special characters are removed.
    let hash = text
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    let kept: String = text.chars().map(|c| if plain(c) { c } else { '_' }).take(max.saturating_sub(17)).collect();
    Cow::Owned(format!("{kept}-{hash:016x}"))
}

/// Fits an id into OpenAI's limit of 40 characters; Anthropic and Responses allow more.
pub(crate) fn call_id(id: &str) -> Cow<'_, str> {
    fit_identifier(id, 40)
}

pub(crate) fn tool_name(name: &str) -> Cow<'_, str> {
    fit_identifier(name, 64)
}

/// Serializes a call's input as a JSON object, the form that Anthropic accepts.
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

/// Returns a call's input as a JSON string, the form that the OpenAI formats accept.
pub(crate) fn string_input(input: &ToolInput) -> String {
    String::from_utf8(to_json(&ObjectInput(input))).unwrap_or_default()
}

#[cfg(test)]
mod tests;
