//! Anthropic Messages: how a request is written. How the answer is read stands in `stream`.

mod stream;

use crate::encode::{NO_RESULT, ObjectInput, Plan, Protocol, Said, UserSide, call_id, json, push, tool_name};
use crate::endpoint::Endpoint;
use bytes::Bytes;
use cutonce_core::conversation::{Block, Image, Message, Opaque, ResultPart, Shared, ToolResult, Wire};
use cutonce_core::request::{Effort, Prefix, Request, Thinking};
use serde::Serialize;
use serde_json::{Value, json};
use std::borrow::Cow;

pub(crate) struct Anthropic {
    model: String,
    style: Style,
}

/// How a model is asked to think.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    Never,
    /// With a budget of tokens.
    Manual,
    /// With a budget, or as it sees fit.
    Either,
    /// Only as it sees fit; it may think unasked.
    Adaptive,
}

/// Which models think how; the first part of a name that matches counts. Names without `claude` are other vendors'
/// models behind the same format, where the budget is the common form.
const STYLES: &[(&str, Style)] = &[
    ("claude-2", Style::Never),
    ("claude-instant", Style::Never),
    ("claude-3-7", Style::Manual),
    ("claude-3", Style::Never),
    ("-4-0", Style::Manual),
    ("-4-1", Style::Manual),
    ("-4-2025", Style::Manual),
    ("-4-5", Style::Manual),
    ("-4-6", Style::Either),
    ("claude", Style::Adaptive),
    ("", Style::Manual),
];

const MIN_BUDGET: u32 = 1024;

impl Protocol for Anthropic {
    type Decoder = stream::AnthropicStream;
    const WIRE: Wire = Wire::Anthropic;
    const PATH: &'static str = "/v1/messages";
    const BREAKPOINTS: usize = 2;

    fn new(endpoint: &Endpoint) -> Self {
        let model = endpoint.model.clone();
        let style = STYLES.iter().find(|(part, _)| model.contains(part)).map_or(Style::Manual, |(_, style)| *style);
        Self { model, style }
    }

    fn plan(&self, request: &Request<'_>, plain: bool) -> Plan {
        let wanted = if plain { None } else { self.thinking(request) };
        // Where the model cannot think unasked, its old thinking has no place in a request without thinking.
        let send_back = wanted.is_some() || self.style == Style::Adaptive;
        Plan { thinking: wanted, send_back }
    }

    fn headers(&self, plan: &Plan) -> Vec<(&'static str, &'static str)> {
        let mut headers = vec![("anthropic-version", "2023-06-01")];
        let manual = plan.thinking.as_ref().is_some_and(|fields| fields["thinking"]["type"] == "enabled");
        if manual && self.model.contains("claude") {
            headers.push(("anthropic-beta", "interleaved-thinking-2025-05-14"));
        }
        headers
    }

    fn head(&self, request: &Request<'_>) -> Vec<u8> {
        #[derive(Serialize)]
        struct Head<'a> {
            model: &'a str,
            max_tokens: u32,
            stream: bool,
        }
        json(&Head { model: &self.model, max_tokens: request.max_tokens, stream: true })
    }

    fn prefix(&self, prefix: &Prefix) -> Vec<u8> {
        #[derive(Serialize)]
        struct Tool<'a> {
            name: &'a str,
            description: &'a str,
            input_schema: &'a Value,
            #[serde(skip_serializing_if = "Option::is_none")]
            cache_control: Option<Ephemeral>,
        }
        let last = prefix.tools.len().wrapping_sub(1);
        let tools = prefix.tools.iter().enumerate().map(|(index, tool)| Tool {
            name: &tool.name,
            description: &tool.description,
            input_schema: &tool.schema,
            cache_control: (index == last).then_some(Ephemeral::BREAKPOINT),
        });
        let tools: Vec<Tool<'_>> = tools.collect();
        let mut out = Vec::new();
        if !tools.is_empty() {
            out.extend_from_slice(b",\"tools\":");
            out.extend(json(&tools));
        }
        if !prefix.system.trim().is_empty() {
            let system = [json!({"type": "text", "text": prefix.system, "cache_control": Ephemeral::BREAKPOINT})];
            out.extend_from_slice(b",\"system\":");
            out.extend(json(&system));
        }
        out.extend_from_slice(b",\"messages\":[");
        out
    }

    fn assistant(&self, blocks: &[Block], plan: &Plan, out: &mut Vec<u8>) {
        let mut content: Vec<Content<'_>> = blocks.iter().filter_map(|block| assistant_content(block, plan)).collect();
        // The API refuses an answer that ends with thinking; an interrupted one may.
        while content.last().is_some_and(Content::is_thinking) {
            content.pop();
        }
        if !content.is_empty() {
            push(out, &WireMessage { role: "assistant", content });
        }
    }

    fn user(&self, user: &UserSide<'_>, out: &mut Vec<u8>) {
        let results = user.results.iter().map(|(id, result)| tool_result(id, *result));
        let said = user.said.iter().map(|said| match said {
            Said::Text(text) => Content::Text { text },
            Said::Image(image) => Content::Image { source: Source::from(*image) },
        });
        let content: Vec<Content<'_>> = results.chain(said).collect();
        if !content.is_empty() {
            push(out, &WireMessage { role: "user", content });
        }
    }

    /// The breakpoint is the last field of the last block, so that all bytes before it stay as they are.
    fn with_breakpoint(&self, group: &Bytes) -> [Bytes; 2] {
        const END: &[u8] = b"}]}";
        match group.ends_with(END) {
            true => [
                group.slice(..group.len() - END.len()),
                Bytes::from_static(b",\"cache_control\":{\"type\":\"ephemeral\"}}]}"),
            ],
            false => [group.clone(), Bytes::new()],
        }
    }
}

impl Anthropic {
    /// The fields that ask for thinking in this request.
    fn thinking(&self, request: &Request<'_>) -> Option<Value> {
        let budget = |tokens: u32| {
            let tokens = tokens.min(request.max_tokens / 4 * 3).max(MIN_BUDGET);
            let fits = tokens < request.max_tokens && !loop_without_thinking(request.messages);
            fits.then(|| json!({"thinking": {"type": "enabled", "budget_tokens": tokens}}))
        };
        let adaptive = |effort: Option<Effort>| {
            let thinking = json!({"type": "adaptive", "display": "summarized"});
            Some(match effort {
                Some(effort) => json!({"thinking": thinking, "output_config": {"effort": effort}}),
                None => json!({"thinking": thinking}),
            })
        };
        match (self.style, request.thinking) {
            (Style::Never, _) | (_, Thinking::Off) => None,
            (Style::Manual | Style::Either, Thinking::Budget(tokens)) => budget(tokens),
            (Style::Manual, Thinking::Effort(effort)) => budget(match effort {
                Effort::Low => 4_096,
                Effort::Medium => 10_240,
                Effort::High => 24_576,
                Effort::Max => 32_768,
            }),
            (Style::Either | Style::Adaptive, Thinking::Effort(effort)) => adaptive(Some(effort)),
            (Style::Adaptive, Thinking::Budget(_)) => adaptive(None),
        }
    }
}

/// A budget may not be set in the middle of a tool loop whose first answer did not begin with thinking (it came from
/// another provider, or thinking was off then). The next message of the user begins a new loop.
fn loop_without_thinking(messages: &[Shared]) -> bool {
    let mut results = false;
    let mut first = None;
    for message in messages.iter().rev() {
        match &**message {
            Message::Tool(_) => results = true,
            Message::User { .. } => {}
            Message::Assistant { blocks, .. } => {
                if !results && message.calls().next().is_none() {
                    break;
                }
                first = Some(blocks);
                results = false;
            }
        }
    }
    first.is_some_and(|blocks| blocks.first().is_none_or(|block| thinking_content(block).is_none()))
}

fn assistant_content<'a>(block: &'a Block, plan: &Plan) -> Option<Content<'a>> {
    match block {
        Block::Text { text } => (!text.trim().is_empty()).then_some(Content::Text { text }),
        Block::Thinking { .. } => plan.send_back.then(|| thinking_content(block)).flatten(),
        Block::ToolUse(call) => Some(Content::ToolUse {
            id: call_id(&call.id),
            name: tool_name(&call.name),
            input: ObjectInput(&call.input),
        }),
        Block::Image(_) => None,
    }
}

/// Thinking goes back only with the signature that this wire gave it.
fn thinking_content(block: &Block) -> Option<Content<'_>> {
    let Block::Thinking { text, opaque: Some(Opaque { wire: Wire::Anthropic, value }) } = block else { return None };
    if let Some(data) = value["data"].as_str() {
        return Some(Content::RedactedThinking { data });
    }
    value["signature"].as_str().map(|signature| Content::Thinking { thinking: text, signature })
}

fn tool_result<'a>(id: &'a str, result: Option<&'a ToolResult>) -> Content<'a> {
    let tool_use_id = call_id(id);
    let Some(result) = result else {
        let content = vec![Content::Text { text: NO_RESULT }];
        return Content::ToolResult { tool_use_id, content, is_error: true };
    };
    let content = result.content.iter().filter_map(|part| match part {
        ResultPart::Text { text } => (!text.trim().is_empty()).then_some(Content::Text { text }),
        ResultPart::Image(image) => Some(Content::Image { source: Source::from(image) }),
    });
    let content: Vec<Content<'_>> = content.collect();
    // The API takes only text in a result that is an error.
    let images = content.iter().any(|part| matches!(part, Content::Image { .. }));
    Content::ToolResult { tool_use_id, content, is_error: result.is_error && !images }
}

#[derive(Serialize)]
struct WireMessage<'a> {
    role: &'static str,
    content: Vec<Content<'a>>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Content<'a> {
    Text {
        text: &'a str,
    },
    Image {
        source: Source<'a>,
    },
    Thinking {
        thinking: &'a str,
        signature: &'a str,
    },
    RedactedThinking {
        data: &'a str,
    },
    ToolUse {
        id: Cow<'a, str>,
        name: Cow<'a, str>,
        input: ObjectInput<'a>,
    },
    ToolResult {
        tool_use_id: Cow<'a, str>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        content: Vec<Content<'a>>,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        is_error: bool,
    },
}

impl Content<'_> {
    fn is_thinking(&self) -> bool {
        matches!(self, Content::Thinking { .. } | Content::RedactedThinking { .. })
    }
}

#[derive(Serialize)]
#[serde(tag = "type", rename = "base64")]
struct Source<'a> {
    media_type: &'a str,
    data: &'a str,
}

impl<'a> From<&'a Image> for Source<'a> {
    fn from(image: &'a Image) -> Self {
        Self { media_type: &image.media_type, data: &image.data }
    }
}

#[derive(Serialize)]
#[serde(tag = "type", rename = "ephemeral")]
struct Ephemeral {}

impl Ephemeral {
    const BREAKPOINT: Self = Self {};
}
