//! OpenAI-compatible Chat Completions, the format that nearly every server speaks: how a request is written.
//! How the answer is read stands in `stream`.

mod stream;

use crate::encode::{
    NO_RESULT, Plan, Protocol, Said, UserSide, call_id, data_url, fitting, json, push, string_input, tool_name,
};
use crate::endpoint::Endpoint;
use crate::responses::{effort, reasons};
use cutonce_core::conversation::{Block, Image, Opaque, ResultPart, Wire};
use cutonce_core::request::{Prefix, Request};
use serde::Serialize;
use serde_json::{Value, json};
use std::borrow::Cow;

pub(crate) struct Chat {
    model: String,
    /// OpenAI's own server, which knows fields that others may refuse.
    openai: bool,
}

impl Protocol for Chat {
    type Decoder = stream::ChatStream;
    const WIRE: Wire = Wire::Chat;
    const PATH: &'static str = "/chat/completions";

    fn new(endpoint: &Endpoint) -> Self {
        let openai = url::Url::parse(&endpoint.base_url)
            .is_ok_and(|url| url.host_str().is_some_and(|host| host == "openai.com" || host.ends_with(".openai.com")));
        Self { model: endpoint.model.clone(), openai }
    }

    fn plan(&self, request: &Request<'_>, plain: bool) -> Plan {
        let effort = effort(&self.model, request.thinking).filter(|_| !plain && reasons(&self.model) != Some(false));
        // Reasoning goes back whether or not it is asked for: servers that want it back think by themselves.
        Plan { thinking: effort.map(|effort| json!({"reasoning_effort": effort})), send_back: true }
    }

    fn head(&self, request: &Request<'_>) -> Vec<u8> {
        #[derive(Serialize)]
        struct Head<'a> {
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
        json(&Head {
            model: &self.model,
            stream: true,
            stream_options: json!({"include_usage": true}),
            max_tokens: (!self.openai).then_some(request.max_tokens),
            max_completion_tokens: self.openai.then_some(request.max_tokens),
            prompt_cache_key: (self.openai && !request.cache_key.is_empty()).then(|| fitting(request.cache_key, 64)),
        })
    }

    fn prefix(&self, prefix: &Prefix) -> Vec<u8> {
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
            out.extend(json(&tools));
        }
        out.extend_from_slice(b",\"messages\":[");
        if !prefix.system.trim().is_empty() {
            out.extend(json(&json!({"role": "system", "content": prefix.system})));
        }
        out
    }

    fn assistant(&self, blocks: &[Block], _: &Plan, out: &mut Vec<u8>) {
        let texts: Vec<&str> = blocks
            .iter()
            .filter_map(|block| match block {
                Block::Text { text } if !text.is_empty() => Some(text.as_str()),
                Block::Text { .. } | Block::Thinking { .. } | Block::ToolUse(_) | Block::Image(_) => None,
            })
            .collect();
        let calls: Vec<Call<'_>> = blocks.iter().filter_map(Call::of).collect();
        if texts.is_empty() && calls.is_empty() {
            return;
        }
        let reasoning = if calls.is_empty() { Reasoning::default() } else { Reasoning::of(blocks) };
        push(
            out,
            &WireMessage::Assistant {
                content: (!texts.is_empty()).then(|| texts.join("\n")),
                reasoning,
                tool_calls: calls,
            },
        );
    }

    fn user(&self, user: &UserSide<'_>, out: &mut Vec<u8>) {
        let mut parts: Vec<Part<'_>> = Vec::new();
        for (id, result) in &user.results {
            let content = result.map_or(NO_RESULT.to_owned(), |result| result.as_text());
            push(out, &WireMessage::Tool { tool_call_id: call_id(id), content });
            // A tool message holds only text; its images follow as the user's.
            let images: Vec<&Image> =
                result.iter().flat_map(|result| result.content.iter().filter_map(image)).collect();
            if !images.is_empty() {
                parts.push(Part::text(format!("Images in the result of call {}:", call_id(id))));
                parts.extend(images.into_iter().map(Part::image));
            }
        }
        parts.extend(user.said.iter().map(|said| match said {
            Said::Text(text) => Part::Text { text: Cow::Borrowed(text) },
            Said::Image(image) => Part::image(image),
        }));
        if !parts.is_empty() {
            push(out, &WireMessage::User { content: Words::of(parts) });
        }
    }
}

fn image(part: &ResultPart) -> Option<&Image> {
    match part {
        ResultPart::Image(image) => Some(image),
        ResultPart::Text { .. } => None,
    }
}

#[derive(Serialize)]
#[serde(tag = "role", rename_all = "snake_case")]
enum WireMessage<'a> {
    User {
        content: Words<'a>,
    },
    Assistant {
        content: Option<String>,
        #[serde(flatten)]
        reasoning: Reasoning<'a>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<Call<'a>>,
    },
    Tool {
        tool_call_id: Cow<'a, str>,
        content: String,
    },
}

/// The reasoning of an answer with calls, under the name by which the server sent it.
#[derive(Serialize, Default)]
struct Reasoning<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_content: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_details: Option<&'a Value>,
}

impl<'a> Reasoning<'a> {
    fn of(blocks: &'a [Block]) -> Self {
        let mut all = Self::default();
        for block in blocks {
            let Block::Thinking { text, opaque: Some(Opaque { wire: Wire::Chat, value }) } = block else { continue };
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
struct Call<'a> {
    id: Cow<'a, str>,
    r#type: &'static str,
    function: Function<'a>,
}

#[derive(Serialize)]
struct Function<'a> {
    name: Cow<'a, str>,
    arguments: String,
}

impl<'a> Call<'a> {
    fn of(block: &'a Block) -> Option<Self> {
        let Block::ToolUse(call) = block else { return None };
        let function = Function { name: tool_name(&call.name), arguments: string_input(&call.input) };
        Some(Self { id: call_id(&call.id), r#type: "function", function })
    }
}

/// A plain string where there is only text: the templates of many local models know nothing else.
#[derive(Serialize)]
#[serde(untagged)]
enum Words<'a> {
    Text(String),
    Parts(Vec<Part<'a>>),
}

impl<'a> Words<'a> {
    fn of(parts: Vec<Part<'a>>) -> Self {
        let texts: Option<Vec<&str>> = parts
            .iter()
            .map(|part| match part {
                Part::Text { text } => Some(&**text),
                Part::ImageUrl { .. } => None,
            })
            .collect();
        match texts {
            Some(texts) => Words::Text(texts.join("\n\n")),
            None => Words::Parts(parts),
        }
    }
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Part<'a> {
    Text { text: Cow<'a, str> },
    ImageUrl { image_url: ImageUrl },
}

#[derive(Serialize)]
struct ImageUrl {
    url: String,
}

impl Part<'_> {
    fn text(text: String) -> Self {
        Part::Text { text: Cow::Owned(text) }
    }
    fn image(image: &Image) -> Self {
        Part::ImageUrl { image_url: ImageUrl { url: data_url(image) } }
    }
}
