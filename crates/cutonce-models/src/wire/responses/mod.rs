//! OpenAI Responses without state on the server: encodes requests. `stream` decodes answers.

mod stream;

use crate::providers::endpoint::Endpoint;
use crate::wire::encode::{
    NO_RESULT, ThinkingRequest, UserPart, UserSide, WireProtocol, call_id, data_url, fit_identifier, push_json,
    string_input, to_json, tool_name,
};
use cutonce_core::conversation::{ContentBlock, OpaqueThinking, ResultPart, ToolResult, WireFormat};
use cutonce_core::model_request::{Effort, ModelRequest, PromptPrefix, Thinking};
use serde::Serialize;
use serde_json::{Value, json};
use std::borrow::Cow;

pub(crate) struct ResponsesProtocol {
    model: String,
}

impl WireProtocol for ResponsesProtocol {
    type Decoder = stream::ResponsesStream;
    const WIRE: WireFormat = WireFormat::Responses;
    const PATH: &'static str = "/responses";

    fn new(endpoint: &Endpoint) -> Self {
        Self { model: endpoint.model.clone() }
    }

    fn thinking_request(&self, request: &ModelRequest<'_>, plain: bool) -> ThinkingRequest {
        let effort = reasoning_effort(&self.model, request.thinking);
        let thinks = !plain && is_reasoning_model(&self.model).unwrap_or(effort.is_some());
        // The server stores nothing, so reasoning comes back only if we ask for its encrypted form.
        let fields = thinks.then(|| match effort {
            Some(effort) => json!({
                "reasoning": {"effort": effort, "summary": "auto"},
                "include": ["reasoning.encrypted_content"],
            }),
            None => json!({"include": ["reasoning.encrypted_content"]}),
        });
        ThinkingRequest { resend_thinking: fields.is_some(), fields }
    }

    fn request_head(&self, request: &ModelRequest<'_>) -> Vec<u8> {
        #[derive(Serialize)]
        struct ResponsesHead<'a> {
            model: &'a str,
            stream: bool,
            store: bool,
            max_output_tokens: u32,
            parallel_tool_calls: bool,
            #[serde(skip_serializing_if = "Option::is_none")]
            prompt_cache_key: Option<Cow<'a, str>>,
        }
        to_json(&ResponsesHead {
            model: &self.model,
            stream: true,
            store: false,
            max_output_tokens: request.max_tokens.max(16),
            parallel_tool_calls: true,
            prompt_cache_key: (!request.cache_key.is_empty()).then(|| fit_identifier(request.cache_key, 64)),
        })
    }

    fn request_prefix(&self, prefix: &PromptPrefix) -> Vec<u8> {
        #[derive(Serialize)]
        struct ResponsesTool<'a> {
            r#type: &'static str,
            name: &'a str,
            description: &'a str,
            parameters: &'a Value,
            strict: bool,
        }
        let mut out = Vec::new();
        if !prefix.system.trim().is_empty() {
            out.extend_from_slice(b",\"instructions\":");
            out.extend(to_json(&prefix.system));
        }
        let tools: Vec<ResponsesTool<'_>> = prefix
            .tools
            .iter()
            .map(|tool| ResponsesTool {
                r#type: "function",
                name: &tool.name,
                description: &tool.description,
                parameters: &tool.schema,
                strict: false,
            })
            .collect();
        if !tools.is_empty() {
            out.extend_from_slice(b",\"tools\":");
            out.extend(to_json(&tools));
        }
        out.extend_from_slice(b",\"input\":[");
        out
    }

    fn assistant_message(&self, blocks: &[ContentBlock], thinking: &ThinkingRequest, out: &mut Vec<u8>) {
        // The API rejects reasoning without the item that followed it; an interrupted answer may end with it.
        let said = |block: &ContentBlock| match block {
            ContentBlock::Text { text } => !text.is_empty(),
            ContentBlock::ToolUse(_) => true,
            ContentBlock::Thinking { .. } | ContentBlock::Image(_) => false,
        };
        let end = blocks.iter().rposition(said).map_or(0, |last| last + 1);
        for block in &blocks[..end] {
            match block {
                ContentBlock::Text { text } if !text.is_empty() => push_json(out, &InputItem::assistant_text(text)),
                ContentBlock::Thinking {
                    opaque: Some(OpaqueThinking { wire: WireFormat::Responses, value }), ..
                } if thinking.resend_thinking && value["encrypted_content"].is_string() => {
                    push_json(out, value);
                }
                ContentBlock::ToolUse(call) => push_json(
                    out,
                    &InputItem::FunctionCall {
                        call_id: call_id(&call.id),
                        name: tool_name(&call.name),
                        arguments: string_input(&call.input),
                    },
                ),
                ContentBlock::Text { .. } | ContentBlock::Thinking { .. } | ContentBlock::Image(_) => {}
            }
        }
    }

    fn user_message(&self, user: &UserSide<'_>, out: &mut Vec<u8>) {
        for (id, result) in &user.results {
            push_json(out, &InputItem::FunctionCallOutput { call_id: call_id(id), output: result_content(*result) });
        }
        let content: Vec<ResponsesPart<'_>> = user.parts.iter().map(ResponsesPart::from).collect();
        if !content.is_empty() {
            push_json(out, &InputItem::Message { role: "user", content: ResponsesContent::Parts(content) });
        }
    }
}

/// Effort to ask for; `None` leaves it to the model.
pub(crate) fn reasoning_effort(model: &str, thinking: Thinking) -> Option<&'static str> {
    const BEYOND_HIGH: &[&str] = &["codex-max", "gpt-5.2", "gpt-5.3", "gpt-5.4", "gpt-5.5"];
    Some(match thinking {
        Thinking::Off => return None,
        Thinking::Budget(0..4096) | Thinking::Effort(Effort::Low) => "low",
        Thinking::Budget(4096..16_384) | Thinking::Effort(Effort::Medium) => "medium",
        Thinking::Budget(_) | Thinking::Effort(Effort::High) => "high",
        Thinking::Effort(Effort::Max) => match BEYOND_HIGH.iter().any(|name| model.contains(name)) {
            true => "xhigh",
            false => "high",
        },
    })
}

/// True if an OpenAI model reasons; `None` for names of other vendors.
pub(crate) fn is_reasoning_model(model: &str) -> Option<bool> {
    const NEVER: &[&str] = &["gpt-3", "gpt-4", "chatgpt-", "gpt-5-chat"];
    const ALWAYS: &[&str] = &["gpt-5", "gpt-oss", "o1", "o3", "o4", "codex"];
    let name = model.rsplit('/').next().unwrap_or(model);
    let one_of = |names: &[&str]| names.iter().any(|start| name.starts_with(start));
    if one_of(NEVER) {
        return Some(false);
    }
    one_of(ALWAYS).then_some(true)
}

/// Encodes a text alone as a string, which every server accepts; images need the list.
fn result_content(result: Option<&ToolResult>) -> ResponsesContent<'_> {
    let Some(result) = result else { return ResponsesContent::Text(NO_RESULT.into()) };
    if !result.content.iter().any(|part| matches!(part, ResultPart::Image(_))) {
        return ResponsesContent::Text(result.as_text().into());
    }
    let parts = result.content.iter().filter_map(|part| match part {
        ResultPart::Text { text } => (!text.is_empty()).then_some(ResponsesPart::InputText { text }),
        ResultPart::Image(image) => Some(ResponsesPart::InputImage { image_url: data_url(image), detail: "auto" }),
    });
    ResponsesContent::Parts(parts.collect())
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum InputItem<'a> {
    Message { role: &'static str, content: ResponsesContent<'a> },
    FunctionCall { call_id: Cow<'a, str>, name: Cow<'a, str>, arguments: String },
    FunctionCallOutput { call_id: Cow<'a, str>, output: ResponsesContent<'a> },
}

impl<'a> InputItem<'a> {
    fn assistant_text(text: &'a str) -> Self {
        InputItem::Message { role: "assistant", content: ResponsesContent::Text(text.into()) }
    }
}

#[derive(Serialize)]
#[serde(untagged)]
enum ResponsesContent<'a> {
    Text(Cow<'a, str>),
    Parts(Vec<ResponsesPart<'a>>),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum ResponsesPart<'a> {
    InputText { text: &'a str },
    InputImage { image_url: String, detail: &'static str },
}

impl<'a> From<&'a UserPart<'_>> for ResponsesPart<'a> {
    fn from(said: &'a UserPart<'_>) -> Self {
        match said {
            UserPart::Text(text) => ResponsesPart::InputText { text },
            UserPart::Image(image) => ResponsesPart::InputImage { image_url: data_url(image), detail: "auto" },
        }
    }
}
