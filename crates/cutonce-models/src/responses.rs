//! OpenAI Responses, without state on the server: how a request is written. How the answer is read stands in `stream`.

mod stream;

use crate::encode::{
    NO_RESULT, Plan, Protocol, Said, UserSide, call_id, data_url, fitting, json, push, string_input, tool_name,
};
use crate::endpoint::Endpoint;
use cutonce_core::conversation::{Block, Opaque, ResultPart, ToolResult, Wire};
use cutonce_core::request::{Effort, Prefix, Request, Thinking};
use serde::Serialize;
use serde_json::{Value, json};
use std::borrow::Cow;

pub(crate) struct Responses {
    model: String,
}

impl Protocol for Responses {
    type Decoder = stream::ResponsesStream;
    const WIRE: Wire = Wire::Responses;
    const PATH: &'static str = "/responses";

    fn new(endpoint: &Endpoint) -> Self {
        Self { model: endpoint.model.clone() }
    }

    fn plan(&self, request: &Request<'_>, plain: bool) -> Plan {
        let effort = effort(&self.model, request.thinking);
        let thinks = !plain && reasons(&self.model).unwrap_or(effort.is_some());
        // Reasoning comes back only if its encrypted form is asked for: nothing is stored on the server.
        let thinking = thinks.then(|| match effort {
            Some(effort) => json!({
                "reasoning": {"effort": effort, "summary": "auto"},
                "include": ["reasoning.encrypted_content"],
            }),
            None => json!({"include": ["reasoning.encrypted_content"]}),
        });
        Plan { send_back: thinking.is_some(), thinking }
    }

    fn head(&self, request: &Request<'_>) -> Vec<u8> {
        #[derive(Serialize)]
        struct Head<'a> {
            model: &'a str,
            stream: bool,
            store: bool,
            max_output_tokens: u32,
            parallel_tool_calls: bool,
            #[serde(skip_serializing_if = "Option::is_none")]
            prompt_cache_key: Option<Cow<'a, str>>,
        }
        json(&Head {
            model: &self.model,
            stream: true,
            store: false,
            max_output_tokens: request.max_tokens.max(16),
            parallel_tool_calls: true,
            prompt_cache_key: (!request.cache_key.is_empty()).then(|| fitting(request.cache_key, 64)),
        })
    }

    fn prefix(&self, prefix: &Prefix) -> Vec<u8> {
        #[derive(Serialize)]
        struct Tool<'a> {
            r#type: &'static str,
            name: &'a str,
            description: &'a str,
            parameters: &'a Value,
            strict: bool,
        }
        let mut out = Vec::new();
        if !prefix.system.trim().is_empty() {
            out.extend_from_slice(b",\"instructions\":");
            out.extend(json(&prefix.system));
        }
        let tools: Vec<Tool<'_>> = prefix
            .tools
            .iter()
            .map(|tool| Tool {
                r#type: "function",
                name: &tool.name,
                description: &tool.description,
                parameters: &tool.schema,
                strict: false,
            })
            .collect();
        if !tools.is_empty() {
            out.extend_from_slice(b",\"tools\":");
            out.extend(json(&tools));
        }
        out.extend_from_slice(b",\"input\":[");
        out
    }

    fn assistant(&self, blocks: &[Block], plan: &Plan, out: &mut Vec<u8>) {
        // Reasoning is refused without the item that followed it; an interrupted answer may end with it.
        let said = |block: &Block| match block {
            Block::Text { text } => !text.is_empty(),
            Block::ToolUse(_) => true,
            Block::Thinking { .. } | Block::Image(_) => false,
        };
        let end = blocks.iter().rposition(said).map_or(0, |last| last + 1);
        for block in &blocks[..end] {
            match block {
                Block::Text { text } if !text.is_empty() => push(out, &Item::assistant(text)),
                Block::Thinking { opaque: Some(Opaque { wire: Wire::Responses, value }), .. }
                    if plan.send_back && value["encrypted_content"].is_string() =>
                {
                    push(out, value);
                }
                Block::ToolUse(call) => push(
                    out,
                    &Item::FunctionCall {
                        call_id: call_id(&call.id),
                        name: tool_name(&call.name),
                        arguments: string_input(&call.input),
                    },
                ),
                Block::Text { .. } | Block::Thinking { .. } | Block::Image(_) => {}
            }
        }
    }

    fn user(&self, user: &UserSide<'_>, out: &mut Vec<u8>) {
        for (id, result) in &user.results {
            push(out, &Item::FunctionCallOutput { call_id: call_id(id), output: output(*result) });
        }
        let content: Vec<Part<'_>> = user.said.iter().map(Part::from).collect();
        if !content.is_empty() {
            push(out, &Item::Message { role: "user", content: Words::Parts(content) });
        }
    }
}

/// The effort to ask for; None leaves it to the model.
pub(crate) fn effort(model: &str, thinking: Thinking) -> Option<&'static str> {
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

/// Whether a model of OpenAI's reasons; None for names that are not theirs.
pub(crate) fn reasons(model: &str) -> Option<bool> {
    const NEVER: &[&str] = &["gpt-3", "gpt-4", "chatgpt-", "gpt-5-chat"];
    const ALWAYS: &[&str] = &["gpt-5", "gpt-oss", "o1", "o3", "o4", "codex"];
    let name = model.rsplit('/').next().unwrap_or(model);
    let one_of = |names: &[&str]| names.iter().any(|start| name.starts_with(start));
    if one_of(NEVER) {
        return Some(false);
    }
    one_of(ALWAYS).then_some(true)
}

/// A text alone goes as a string, which every server takes; images need the list.
fn output(result: Option<&ToolResult>) -> Words<'_> {
    let Some(result) = result else { return Words::Text(NO_RESULT.into()) };
    if !result.content.iter().any(|part| matches!(part, ResultPart::Image(_))) {
        return Words::Text(result.as_text().into());
    }
    let parts = result.content.iter().filter_map(|part| match part {
        ResultPart::Text { text } => (!text.is_empty()).then_some(Part::InputText { text }),
        ResultPart::Image(image) => Some(Part::InputImage { image_url: data_url(image), detail: "auto" }),
    });
    Words::Parts(parts.collect())
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Item<'a> {
    Message { role: &'static str, content: Words<'a> },
    FunctionCall { call_id: Cow<'a, str>, name: Cow<'a, str>, arguments: String },
    FunctionCallOutput { call_id: Cow<'a, str>, output: Words<'a> },
}

impl<'a> Item<'a> {
    fn assistant(text: &'a str) -> Self {
        Item::Message { role: "assistant", content: Words::Text(text.into()) }
    }
}

#[derive(Serialize)]
#[serde(untagged)]
enum Words<'a> {
    Text(Cow<'a, str>),
    Parts(Vec<Part<'a>>),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Part<'a> {
    InputText { text: &'a str },
    InputImage { image_url: String, detail: &'static str },
}

impl<'a> From<&'a Said<'_>> for Part<'a> {
    fn from(said: &'a Said<'_>) -> Self {
        match said {
            Said::Text(text) => Part::InputText { text },
            Said::Image(image) => Part::InputImage { image_url: data_url(image), detail: "auto" },
        }
    }
}
