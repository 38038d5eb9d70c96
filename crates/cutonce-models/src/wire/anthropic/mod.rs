//! Anthropic Messages: encodes requests. `stream` decodes answers.

mod stream;

use crate::providers::endpoint::Endpoint;
use crate::wire::encode::{
    NO_RESULT, ObjectInput, ThinkingRequest, UserPart, UserSide, WireProtocol, call_id, push_json, to_json, tool_name,
};
use bytes::Bytes;
use cutonce_core::conversation::{
    ContentBlock, Image, Message, OpaqueThinking, ResultPart, SharedMessage, ToolResult, WireFormat,
};
use cutonce_core::model_request::{Effort, ModelRequest, PromptPrefix, Thinking};
use serde::Serialize;
use serde_json::{Value, json};
use std::borrow::Cow;

/// The value of the header `anthropic-version`.
pub(crate) const API_VERSION: &str = "2023-06-01";

pub(crate) struct AnthropicProtocol {
    model: String,
    style: ThinkingStyle,
}

/// How a model is asked to think.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ThinkingStyle {
    Never,
    /// Thinks with a token budget.
    Budget,
    /// Thinks with a token budget or adaptively.
    BudgetOrAdaptive,
    /// Thinks only adaptively, and possibly without being asked.
    Adaptive,
}

/// Thinking style by model name; the first matching part of a name wins. Names without `claude` are models of
/// other vendors behind the same format, where a budget is common.
const THINKING_STYLES: &[(&str, ThinkingStyle)] = &[
    ("claude-2", ThinkingStyle::Never),
    ("claude-instant", ThinkingStyle::Never),
    ("claude-3-7", ThinkingStyle::Budget),
    ("claude-3", ThinkingStyle::Never),
    ("-4-0", ThinkingStyle::Budget),
    ("-4-1", ThinkingStyle::Budget),
    ("-4-2025", ThinkingStyle::Budget),
    ("-4-5", ThinkingStyle::Budget),
    ("-4-6", ThinkingStyle::BudgetOrAdaptive),
    ("claude", ThinkingStyle::Adaptive),
    ("", ThinkingStyle::Budget),
];

const MIN_BUDGET: u32 = 1024;

impl WireProtocol for AnthropicProtocol {
    type Decoder = stream::AnthropicStream;
    const WIRE: WireFormat = WireFormat::Anthropic;
    const PATH: &'static str = "/v1/messages";
    const BREAKPOINTS: usize = 2;

    fn new(endpoint: &Endpoint) -> Self {
        let model = endpoint.model.clone();
        let style = THINKING_STYLES
            .iter()
            .find(|(part, _)| model.contains(part))
            .map_or(ThinkingStyle::Budget, |(_, style)| *style);
        Self { model, style }
    }

    fn thinking_request(&self, request: &ModelRequest<'_>, plain: bool) -> ThinkingRequest {
        let wanted = if plain { None } else { self.thinking_fields(request) };
        // A model that never thinks unasked does not accept old thinking in a request without thinking.
        let send_back = wanted.is_some() || self.style == ThinkingStyle::Adaptive;
        ThinkingRequest { fields: wanted, resend_thinking: send_back }
    }

    fn headers(&self, thinking: &ThinkingRequest) -> Vec<(&'static str, &'static str)> {
        let mut headers = vec![("anthropic-version", API_VERSION)];
        let manual = thinking.fields.as_ref().is_some_and(|fields| fields["thinking"]["type"] == "enabled");
        if manual && self.model.contains("claude") {
            headers.push(("anthropic-beta", "interleaved-thinking-2025-05-14"));
        }
        headers
    }

    fn request_head(&self, request: &ModelRequest<'_>) -> Vec<u8> {
        #[derive(Serialize)]
        struct AnthropicHead<'a> {
            model: &'a str,
            max_tokens: u32,
            stream: bool,
        }
        to_json(&AnthropicHead { model: &self.model, max_tokens: request.max_tokens, stream: true })
    }

    fn request_prefix(&self, prefix: &PromptPrefix) -> Vec<u8> {
        #[derive(Serialize)]
        struct AnthropicTool<'a> {
            name: &'a str,
            description: &'a str,
            input_schema: &'a Value,
            #[serde(skip_serializing_if = "Option::is_none")]
            cache_control: Option<CacheControl>,
        }
        let last = prefix.tools.len().wrapping_sub(1);
        let tools = prefix.tools.iter().enumerate().map(|(index, tool)| AnthropicTool {
            name: &tool.name,
            description: &tool.description,
            input_schema: &tool.schema,
            cache_control: (index == last).then_some(CacheControl::BREAKPOINT),
        });
        let tools: Vec<AnthropicTool<'_>> = tools.collect();
        let mut out = Vec::new();
        if !tools.is_empty() {
            out.extend_from_slice(b",\"tools\":");
            out.extend(to_json(&tools));
        }
        if !prefix.system.trim().is_empty() {
            let system = [json!({"type": "text", "text": prefix.system, "cache_control": CacheControl::BREAKPOINT})];
            out.extend_from_slice(b",\"system\":");
            out.extend(to_json(&system));
        }
        out.extend_from_slice(b",\"messages\":[");
        out
    }

    fn assistant_message(&self, blocks: &[ContentBlock], thinking: &ThinkingRequest, out: &mut Vec<u8>) {
        let mut content: Vec<AnthropicContent<'_>> =
            blocks.iter().filter_map(|block| assistant_content(block, thinking)).collect();
        // The API rejects an answer that ends with thinking; an interrupted one may.
        while content.last().is_some_and(AnthropicContent::is_thinking) {
            content.pop();
        }
        if !content.is_empty() {
            push_json(out, &AnthropicMessage { role: "assistant", content });
        }
    }

    fn user_message(&self, user: &UserSide<'_>, out: &mut Vec<u8>) {
        let results = user.results.iter().map(|(id, result)| tool_result(id, *result));
        let said = user.parts.iter().map(|said| match said {
            UserPart::Text(text) => AnthropicContent::Text { text },
            UserPart::Image(image) => AnthropicContent::Image { source: ImageSource::from(*image) },
        });
        let content: Vec<AnthropicContent<'_>> = results.chain(said).collect();
        if !content.is_empty() {
            push_json(out, &AnthropicMessage { role: "user", content });
        }
    }

    /// Adds the breakpoint as the last field of the last block, so that all earlier bytes stay unchanged.
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

impl AnthropicProtocol {
    /// Returns the fields that ask for thinking in this request.
    fn thinking_fields(&self, request: &ModelRequest<'_>) -> Option<Value> {
        let budget = |tokens: u32| {
            let tokens = tokens.min(request.max_tokens / 4 * 3).max(MIN_BUDGET);
            let fits = tokens < request.max_tokens && !is_loop_without_thinking(request.messages);
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
            (ThinkingStyle::Never, _) | (_, Thinking::Off) => None,
            (ThinkingStyle::Budget | ThinkingStyle::BudgetOrAdaptive, Thinking::Budget(tokens)) => budget(tokens),
            (ThinkingStyle::Budget, Thinking::Effort(effort)) => budget(match effort {
                Effort::Low => 4_096,
                Effort::Medium => 10_240,
                Effort::High => 24_576,
                Effort::Max => 32_768,
            }),
            (ThinkingStyle::BudgetOrAdaptive | ThinkingStyle::Adaptive, Thinking::Effort(effort)) => {
                adaptive(Some(effort))
            }
            (ThinkingStyle::Adaptive, Thinking::Budget(_)) => adaptive(None),
        }
    }
}

/// True inside a tool loop whose first answer did not begin with thinking, where no budget may be set: it came from
/// another provider, or thinking was off. The next user message begins a new loop.
fn is_loop_without_thinking(messages: &[SharedMessage]) -> bool {
    let mut results = false;
    let mut first = None;
    for message in messages.iter().rev() {
        match &**message {
            Message::Tool(_) => results = true,
            Message::User { .. } => {}
            Message::Assistant { blocks, .. } => {
                if !results && message.tool_calls().next().is_none() {
                    break;
                }
                first = Some(blocks);
                results = false;
            }
        }
    }
    first.is_some_and(|blocks| blocks.first().is_none_or(|block| thinking_content(block).is_none()))
}

fn assistant_content<'a>(block: &'a ContentBlock, thinking: &ThinkingRequest) -> Option<AnthropicContent<'a>> {
    match block {
        ContentBlock::Text { text } => (!text.trim().is_empty()).then_some(AnthropicContent::Text { text }),
        ContentBlock::Thinking { .. } => thinking.resend_thinking.then(|| thinking_content(block)).flatten(),
        ContentBlock::ToolUse(call) => Some(AnthropicContent::ToolUse {
            id: call_id(&call.id),
            name: tool_name(&call.name),
            input: ObjectInput(&call.input),
        }),
        ContentBlock::Image(_) => None,
    }
}

/// Encodes thinking, only with the signature that this wire format gave it.
fn thinking_content(block: &ContentBlock) -> Option<AnthropicContent<'_>> {
    let ContentBlock::Thinking { text, opaque: Some(OpaqueThinking { wire: WireFormat::Anthropic, value }) } = block
    else {
        return None;
    };
    if let Some(data) = value["data"].as_str() {
        return Some(AnthropicContent::RedactedThinking { data });
    }
    value["signature"].as_str().map(|signature| AnthropicContent::Thinking { thinking: text, signature })
}

fn tool_result<'a>(id: &'a str, result: Option<&'a ToolResult>) -> AnthropicContent<'a> {
    let tool_use_id = call_id(id);
    let Some(result) = result else {
        let content = vec![AnthropicContent::Text { text: NO_RESULT }];
        return AnthropicContent::ToolResult { tool_use_id, content, is_error: true };
    };
    let content = result.content.iter().filter_map(|part| match part {
        ResultPart::Text { text } => (!text.trim().is_empty()).then_some(AnthropicContent::Text { text }),
        ResultPart::Image(image) => Some(AnthropicContent::Image { source: ImageSource::from(image) }),
    });
    let content: Vec<AnthropicContent<'_>> = content.collect();
    // The API accepts only text in an error result.
    let images = content.iter().any(|part| matches!(part, AnthropicContent::Image { .. }));
    AnthropicContent::ToolResult { tool_use_id, content, is_error: result.is_error && !images }
}

#[derive(Serialize)]
struct AnthropicMessage<'a> {
    role: &'static str,
    content: Vec<AnthropicContent<'a>>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum AnthropicContent<'a> {
    Text {
        text: &'a str,
    },
    Image {
        source: ImageSource<'a>,
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
        content: Vec<AnthropicContent<'a>>,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        is_error: bool,
    },
}

impl AnthropicContent<'_> {
    fn is_thinking(&self) -> bool {
        matches!(self, AnthropicContent::Thinking { .. } | AnthropicContent::RedactedThinking { .. })
    }
}

#[derive(Serialize)]
#[serde(tag = "type", rename = "base64")]
struct ImageSource<'a> {
    media_type: &'a str,
    data: &'a str,
}

impl<'a> From<&'a Image> for ImageSource<'a> {
    fn from(image: &'a Image) -> Self {
        Self { media_type: &image.media_type, data: &image.data }
    }
}

#[derive(Serialize)]
#[serde(tag = "type", rename = "ephemeral")]
struct CacheControl {}

impl CacheControl {
    const BREAKPOINT: Self = Self {};
}
