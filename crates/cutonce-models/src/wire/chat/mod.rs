//! OpenAI-compatible Chat Completions, the format that nearly every server speaks: encodes requests.
//! `stream` decodes answers.

mod stream;

use crate::providers::endpoint::Endpoint;
use crate::wire::encode::{
    NO_RESULT, ThinkingRequest, UserPart, UserSide, WireProtocol, call_id, data_url, fit_identifier, push_json,
    string_input, to_json, tool_name,
};
use crate::wire::responses::{is_reasoning_model, reasoning_effort};
use cutonce_core::conversation::{ContentBlock, Image, OpaqueThinking, ResultPart, WireFormat};
use cutonce_core::model_request::{ModelRequest, PromptPrefix};
use serde::Serialize;
use serde_json::{Value, json};
use std::borrow::Cow;

pub(crate) struct ChatProtocol {
    model: String,
    /// True for OpenAI's own server, which knows fields that others may reject.
    openai: bool,
}

impl WireProtocol for ChatProtocol {
    type Decoder = stream::ChatStream;
    const WIRE: WireFormat = WireFormat::Chat;
    const PATH: &'static str = "/chat/completions";

    fn new(endpoint: &Endpoint) -> Self {
        let openai = url::Url::parse(&endpoint.base_url)
            .is_ok_and(|url| url.host_str().is_some_and(|host| host == "openai.com" || host.ends_with(".openai.com")));
        Self { model: endpoint.model.clone(), openai }
    }

    fn thinking_request(&self, request: &ModelRequest<'_>, plain: bool) -> ThinkingRequest {
        let effort = reasoning_effort(&self.model, request.thinking)
            .filter(|_| !plain && is_reasoning_model(&self.model) != Some(false));
        // Reasoning is always sent back: servers that want it back think unasked.
        ThinkingRequest { fields: effort.map(|effort| json!({"reasoning_effort": effort})), resend_thinking: true }
    }

    fn request_head(&self, request: &ModelRequest<'_>) -> Vec<u8> {
        #[derive(Serialize)]
        struct ChatHead<'a> {
            model: &'a str,
            stream: bool,
            stream_options: Value,
            #[serde(skip_serializing_if = "Option::is_none")]
            max_tokens: Option<u32>,
            #[serde(skip_serializing_if = "Option::is_none")]
            max_completion_tokens: Option<u32>,
            #[serde(skip_serializing_if = "Option::is_none")]
            prompt_cache_key: Option<Cow<'a, str>>,
        }
        to_json(&ChatHead {
            model: &self.model,
            stream: true,
            stream_options: json!({"include_usage": true}),
            max_tokens: (!self.openai).then_some(request.max_tokens),
            max_completion_tokens: self.openai.then_some(request.max_tokens),
            prompt_cache_key: (self.openai && !request.cache_key.is_empty())
                .then(|| fit_identifier(request.cache_key, 64)),
        })
    }

    fn request_prefix(&self, prefix: &PromptPrefix) -> Vec<u8> {
        let tools: Vec<Value> = prefix
            .tools
            .iter()
            .map(|tool| {
                let function = json!({"name": tool.name, "description": tool.description, "parameters": tool.schema});
                json!({"type": "function", "function": function})
            })
            .collect();
        let mut out = Vec::new();
        if !tools.is_empty() {
            out.extend_from_slice(b",\"tools\":");
            out.extend(to_json(&tools));
        }
        out.extend_from_slice(b",\"messages\":[");
        if !prefix.system.trim().is_empty() {
            out.extend(to_json(&json!({"role": "system", "content": prefix.system})));
        }
        out
    }

    fn assistant_message(&self, blocks: &[ContentBlock], _: &ThinkingRequest, out: &mut Vec<u8>) {
        let texts: Vec<&str> = blocks
            .iter()
            .filter_map(|block| match block {
                ContentBlock::Text { text } if !text.is_empty() => Some(text.as_str()),
                ContentBlock::Text { .. }
                | ContentBlock::Thinking { .. }
                | ContentBlock::ToolUse(_)
                | ContentBlock::Image(_) => None,
            })
            .collect();
        let calls: Vec<ChatCall<'_>> = blocks.iter().filter_map(ChatCall::from_block).collect();
        if texts.is_empty() && calls.is_empty() {
            return;
        }
        let reasoning = if calls.is_empty() { ChatReasoning::default() } else { ChatReasoning::from_blocks(blocks) };
        push_json(
            out,
            &ChatMessage::Assistant {
                content: (!texts.is_empty()).then(|| texts.join("\n")),
                reasoning,
                tool_calls: calls,
            },
        );
    }

    fn user_message(&self, user: &UserSide<'_>, out: &mut Vec<u8>) {
        let mut parts: Vec<ChatPart<'_>> = Vec::new();
        for (id, result) in &user.results {
            let content = result.map_or(NO_RESULT.to_owned(), |result| result.as_text());
            push_json(out, &ChatMessage::Tool { tool_call_id: call_id(id), content });
            // A tool message contains only text; its images follow in a user message.
            let images: Vec<&Image> =
                result.iter().flat_map(|result| result.content.iter().filter_map(result_image)).collect();
            if !images.is_empty() {
                parts.push(ChatPart::text(format!("Images in the result of call {}:", call_id(id))));
                parts.extend(images.into_iter().map(ChatPart::image));
            }
        }
        parts.extend(user.parts.iter().map(|said| match said {
            UserPart::Text(text) => ChatPart::Text { text: Cow::Borrowed(text) },
            UserPart::Image(image) => ChatPart::image(image),
        }));
        if !parts.is_empty() {
            push_json(out, &ChatMessage::User { content: ChatContent::from_parts(parts) });
        }
    }
}

fn result_image(part: &ResultPart) -> Option<&Image> {
    match part {
        ResultPart::Image(image) => Some(image),
        ResultPart::Text { .. } => None,
    }
}

#[derive(Serialize)]
#[serde(tag = "role", rename_all = "snake_case")]
enum ChatMessage<'a> {
    User {
        content: ChatContent<'a>,
    },
    Assistant {
        content: Option<String>,
        #[serde(flatten)]
        reasoning: ChatReasoning<'a>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<ChatCall<'a>>,
    },
    Tool {
        tool_call_id: Cow<'a, str>,
        content: String,
    },
}

/// The reasoning of an answer with calls, under the field name that the server used.
#[derive(Serialize, Default)]
struct ChatReasoning<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_content: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_details: Option<&'a Value>,
}

impl<'a> ChatReasoning<'a> {
    fn from_blocks(blocks: &'a [ContentBlock]) -> Self {
        let mut all = Self::default();
        for block in blocks {
            let ContentBlock::Thinking { text, opaque: Some(OpaqueThinking { wire: WireFormat::Chat, value }) } = block
            else {
                continue;
            };
            match value["field"].as_str() {
                Some("reasoning_content") => all.reasoning_content.get_or_insert_default().push_str(text),
                Some("reasoning") => all.reasoning.get_or_insert_default().push_str(text),
                _ => {}
            }
            all.reasoning_details = value.get("details").or(all.reasoning_details);
        }
        all
    }
}

#[derive(Serialize)]
struct ChatCall<'a> {
    id: Cow<'a, str>,
    r#type: &'static str,
    function: ChatFunction<'a>,
}

#[derive(Serialize)]
struct ChatFunction<'a> {
    name: Cow<'a, str>,
    arguments: String,
}

impl<'a> ChatCall<'a> {
    fn from_block(block: &'a ContentBlock) -> Option<Self> {
        let ContentBlock::ToolUse(call) = block else { return None };
        let function = ChatFunction { name: tool_name(&call.name), arguments: string_input(&call.input) };
        Some(Self { id: call_id(&call.id), r#type: "function", function })
    }
}

/// A plain string if there is only text: the templates of many local models support nothing else.
#[derive(Serialize)]
#[serde(untagged)]
enum ChatContent<'a> {
    Text(String),
    Parts(Vec<ChatPart<'a>>),
}

impl<'a> ChatContent<'a> {
    fn from_parts(parts: Vec<ChatPart<'a>>) -> Self {
        let texts: Option<Vec<&str>> = parts
            .iter()
            .map(|part| match part {
                ChatPart::Text { text } => Some(&**text),
                ChatPart::ImageUrl { .. } => None,
            })
            .collect();
        match texts {
            Some(texts) => ChatContent::Text(texts.join("\n\n")),
            None => ChatContent::Parts(parts),
        }
    }
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum ChatPart<'a> {
    Text { text: Cow<'a, str> },
    ImageUrl { image_url: ImageUrl },
}

#[derive(Serialize)]
struct ImageUrl {
    url: String,
}

impl ChatPart<'_> {
    fn text(text: String) -> Self {
        ChatPart::Text { text: Cow::Owned(text) }
    }
    fn image(image: &Image) -> Self {
        ChatPart::ImageUrl { image_url: ImageUrl { url: data_url(image) } }
    }
}
