//! An answer as Anthropic Messages sends it.

use super::ErrorEvent;
use super::play::{Answer, Out};
use super::render::{Stream, deltas, write_json};
use serde_json::{Value, json};
use std::io::Write;

pub(super) fn stream(answer: &Answer, stream: &mut Stream) {
    let mut message = whole(answer);
    message["content"] = json!([]);
    message["stop_reason"] = Value::Null;
    message["usage"]["output_tokens"] = json!(1);
    stream.event(Some("message_start"), &json!({"type": "message_start", "message": message}));
    for (index, block) in answer.blocks.iter().enumerate() {
        let start = json!({"type": "content_block_start", "index": index, "content_block": begun(block)});
        stream.event(Some("content_block_start"), &start);
        if index == 0 {
            stream.event(Some("ping"), &json!({"type": "ping"}));
        }
        grow(answer, index, block, stream);
        stream.event(Some("content_block_stop"), &json!({"type": "content_block_stop", "index": index}));
    }
    let delta = json!({"stop_reason": answer.stop, "stop_sequence": null});
    let usage = json!({"output_tokens": answer.usage.output_tokens});
    stream.event(Some("message_delta"), &json!({"type": "message_delta", "delta": delta, "usage": usage}));
    stream.event(Some("message_stop"), &json!({"type": "message_stop"}));
}

fn grow(answer: &Answer, index: usize, block: &Out, stream: &mut Stream) {
    let mut delta = |kind: &str, field: &str, text: &str| {
        stream.raw(Some("content_block_delta"), |out| {
            let _ = write!(
                out,
                "{{\"type\":\"content_block_delta\",\"index\":{index},\"delta\":{{\"type\":\"{kind}\",\"{field}\":"
            );
            write_json(out, text);
            out.extend_from_slice(b"}}");
        });
    };
    match block {
        Out::Thinking { text, seal } => {
            deltas(text, answer.delta).for_each(|piece| delta("thinking_delta", "thinking", piece));
            delta("signature_delta", "signature", seal);
        }
        Out::Redacted(_) => {}
        Out::Text(text) | Out::Refusal(text) => {
            deltas(text, answer.delta).for_each(|piece| delta("text_delta", "text", piece));
        }
        Out::Call { json, .. } => {
            deltas(json, answer.delta).for_each(|piece| delta("input_json_delta", "partial_json", piece));
        }
    }
}

fn begun(block: &Out) -> Value {
    match block {
        Out::Thinking { .. } => json!({"type": "thinking", "thinking": "", "signature": ""}),
        Out::Redacted(data) => json!({"type": "redacted_thinking", "data": data}),
        Out::Text(_) | Out::Refusal(_) => json!({"type": "text", "text": ""}),
        Out::Call { id, name, .. } => json!({"type": "tool_use", "id": id, "name": name, "input": {}}),
    }
}

pub(super) fn whole(answer: &Answer) -> Value {
    let content: Vec<Value> = answer
        .blocks
        .iter()
        .map(|block| match block {
            Out::Thinking { text, seal } => json!({"type": "thinking", "thinking": text, "signature": seal}),
            Out::Text(text) | Out::Refusal(text) => json!({"type": "text", "text": text}),
            Out::Call { id, name, json } => {
                let input: Value = serde_json::from_str(json).unwrap_or_default();
                json!({"type": "tool_use", "id": id, "name": name, "input": input})
            }
            Out::Redacted(_) => begun(block),
        })
        .collect();
    json!({
        "id": answer.id,
        "type": "message",
        "role": "assistant",
        "model": answer.model,
        "content": content,
        "stop_reason": answer.stop,
        "stop_sequence": null,
        "usage": {
            "input_tokens": answer.usage.input_tokens,
            "cache_creation_input_tokens": answer.usage.cache_creation_input_tokens,
            "cache_read_input_tokens": answer.usage.cache_read_input_tokens,
            "output_tokens": answer.usage.output_tokens,
        },
    })
}

pub(super) fn error(event: &ErrorEvent, stream: &mut Stream) {
    let error = json!({"type": event.kind, "message": event.message});
    stream.event(Some("error"), &json!({"type": "error", "error": error}));
}
