//! Renders an answer in the OpenAI Responses format.

use super::ErrorEvent;
use super::playback::{EventWriter, split_deltas, write_json};
use super::player::{AnswerBlock, ScriptedAnswer};
use serde_json::{Value, json};
use std::io::Write;

pub(super) fn write_stream(answer: &ScriptedAnswer, stream: &mut EventWriter) {
    let mut out = NumberedEvents { stream, number: 0 };
    let mut begun = full_response(answer);
    begun["status"] = json!("in_progress");
    begun["output"] = json!([]);
    begun["usage"] = Value::Null;
    begun["incomplete_details"] = Value::Null;
    out.event("response.created", json!({"response": begun}));
    out.event("response.in_progress", json!({"response": begun}));
    for (index, block) in answer.blocks.iter().enumerate() {
        let mut added = output_item(answer, index, block);
        match block {
            AnswerBlock::Thinking { .. } | AnswerBlock::Redacted(_) => added["summary"] = json!([]),
            AnswerBlock::Text(_) | AnswerBlock::Refusal(_) => added["content"] = json!([]),
            AnswerBlock::Call { .. } => added["arguments"] = json!(""),
        }
        if added.get("status").is_some() {
            added["status"] = json!("in_progress");
        }
        out.event("response.output_item.added", json!({"output_index": index, "item": added}));
        write_deltas(answer, index, block, &mut out);
        let done = output_item(answer, index, block);
        out.event("response.output_item.done", json!({"output_index": index, "item": done}));
    }
    let end = full_response(answer);
    let name = if end["status"] == "incomplete" { "response.incomplete" } else { "response.completed" };
    out.event(name, json!({"response": end}));
}

/// Writes events with their type and sequence number.
struct NumberedEvents<'a> {
    stream: &'a mut EventWriter,
    number: u64,
}

impl NumberedEvents<'_> {
    fn event(&mut self, name: &str, mut fields: Value) {
        fields["type"] = json!(name);
        fields["sequence_number"] = json!(self.number);
        self.number += 1;
        self.stream.write_event(Some(name), &fields);
    }

    fn delta(&mut self, name: &str, place: &str, text: &str) {
        let number = self.number;
        self.number += 1;
        self.stream.write_raw(Some(name), |out| {
            let _ = write!(out, "{{\"type\":\"{name}\",\"sequence_number\":{number},{place},\"delta\":");
            write_json(out, text);
            out.push(b'}');
        });
    }
}

fn write_deltas(answer: &ScriptedAnswer, index: usize, block: &AnswerBlock, out: &mut NumberedEvents<'_>) {
    let id = item_id(answer, index, block);
    let at = |more: &str| format!("\"item_id\":\"{id}\",\"output_index\":{index}{more}");
    let with = |mut fields: Value| {
        fields["item_id"] = json!(id);
        fields["output_index"] = json!(index);
        fields
    };
    match block {
        AnswerBlock::Thinking { text, .. } => {
            let part = |text: &str| json!({"summary_index": 0, "part": {"type": "summary_text", "text": text}});
            out.event("response.reasoning_summary_part.added", with(part("")));
            let place = at(",\"summary_index\":0");
            split_deltas(text, answer.delta)
                .for_each(|t| out.delta("response.reasoning_summary_text.delta", &place, t));
            let done = json!({"summary_index": 0, "text": text});
            out.event("response.reasoning_summary_text.done", with(done));
            out.event("response.reasoning_summary_part.done", with(part(text)));
        }
        AnswerBlock::Redacted(_) => {}
        AnswerBlock::Text(text) => {
            let part = |text: &str| json!({"content_index": 0, "part": output_text(text)});
            out.event("response.content_part.added", with(part("")));
            let place = at(",\"content_index\":0,\"logprobs\":[]");
            split_deltas(text, answer.delta).for_each(|t| out.delta("response.output_text.delta", &place, t));
            out.event("response.output_text.done", with(json!({"content_index": 0, "text": text, "logprobs": []})));
            out.event("response.content_part.done", with(part(text)));
        }
        AnswerBlock::Refusal(text) => {
            let part = |text: &str| json!({"content_index": 0, "part": {"type": "refusal", "refusal": text}});
            out.event("response.content_part.added", with(part("")));
            let place = at(",\"content_index\":0");
            split_deltas(text, answer.delta).for_each(|t| out.delta("response.refusal.delta", &place, t));
            out.event("response.refusal.done", with(json!({"content_index": 0, "refusal": text})));
            out.event("response.content_part.done", with(part(text)));
        }
        AnswerBlock::Call { name, json, .. } => {
            let place = at("");
            split_deltas(json, answer.delta)
                .for_each(|t| out.delta("response.function_call_arguments.delta", &place, t));
            out.event("response.function_call_arguments.done", with(json!({"name": name, "arguments": json})));
        }
    }
}

fn output_text(text: &str) -> Value {
    json!({"type": "output_text", "text": text, "annotations": [], "logprobs": []})
}

fn item_id(answer: &ScriptedAnswer, index: usize, block: &AnswerBlock) -> String {
    let prefix = match block {
        AnswerBlock::Thinking { .. } | AnswerBlock::Redacted(_) => "rs",
        AnswerBlock::Text(_) | AnswerBlock::Refusal(_) => "msg",
        AnswerBlock::Call { .. } => "fc",
    };
    format!("{prefix}_{}_{index:02}", answer.id)
}

fn output_item(answer: &ScriptedAnswer, index: usize, block: &AnswerBlock) -> Value {
    let id = item_id(answer, index, block);
    let message = |part: Value| json!({"id": id, "type": "message", "status": "completed", "role": "assistant", "content": [part]});
    match block {
        AnswerBlock::Thinking { text, seal } => json!({
            "id": id,
            "type": "reasoning",
            "summary": [{"type": "summary_text", "text": text}],
            "encrypted_content": seal,
        }),
        AnswerBlock::Redacted(data) => json!({"id": id, "type": "reasoning", "summary": [], "encrypted_content": data}),
        AnswerBlock::Text(text) => message(output_text(text)),
        AnswerBlock::Refusal(text) => message(json!({"type": "refusal", "refusal": text})),
        AnswerBlock::Call { id: call_id, name, json } => json!({
            "id": id,
            "type": "function_call",
            "status": "completed",
            "call_id": call_id,
            "name": name,
            "arguments": json,
        }),
    }
}

pub(super) fn full_response(answer: &ScriptedAnswer) -> Value {
    let items = answer.blocks.iter().enumerate().map(|(index, block)| output_item(answer, index, block));
    let output: Vec<Value> = items.collect();
    let incomplete = match answer.stop.as_str() {
        "end_turn" | "tool_use" | "refusal" => None,
        "max_tokens" => Some("max_output_tokens"),
        other => Some(other),
    };
    let cached = answer.usage.cache_read_input_tokens;
    let input = answer.usage.input_tokens + answer.usage.cache_creation_input_tokens + cached;
    json!({
        "id": answer.id,
        "object": "response",
        "created_at": 0,
        "status": if incomplete.is_some() { "incomplete" } else { "completed" },
        "error": null,
        "incomplete_details": incomplete.map(|reason| json!({"reason": reason})),
        "instructions": null,
        "metadata": {},
        "model": answer.model,
        "output": output,
        "parallel_tool_calls": true,
        "temperature": 1.0,
        "tool_choice": "auto",
        "tools": [],
        "top_p": 1.0,
        "usage": {
            "input_tokens": input,
            "input_tokens_details": {"cached_tokens": cached},
            "output_tokens": answer.usage.output_tokens,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": input + answer.usage.output_tokens,
        },
    })
}

pub(super) fn write_error(event: &ErrorEvent, stream: &mut EventWriter) {
    let fields = json!({
        "type": "error",
        "code": event.kind,
        "message": event.message,
        "param": null,
        "sequence_number": 0,
    });
    stream.write_event(Some("error"), &fields);
}
