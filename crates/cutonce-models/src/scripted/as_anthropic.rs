//! Renders an answer in the Anthropic Messages format.

use super::ErrorEvent;
use super::playback::{EventWriter, split_deltas, write_json};
use super::player::{AnswerBlock, ScriptedAnswer};
use serde_json::{Value, json};
use std::io::Write;

pub(super) fn write_stream(answer: &ScriptedAnswer, stream: &mut EventWriter) {
    let mut message = full_message(answer);
    message["content"] = json!([]);
    message["stop_reason"] = Value::Null;
    message["usage"]["output_tokens"] = json!(1);
    stream.write_event(Some("message_start"), &json!({"type": "message_start", "message": message}));
    for (index, block) in answer.blocks.iter().enumerate() {
        let start = json!({"type": "content_block_start", "index": index, "content_block": block_start(block)});
        stream.write_event(Some("content_block_start"), &start);
        if index == 0 {
            stream.write_event(Some("ping"), &json!({"type": "ping"}));
        }
        write_deltas(answer, index, block, stream);
        stream.write_event(Some("content_block_stop"), &json!({"type": "content_block_stop", "index": index}));
    }
    let delta = json!({"stop_reason": answer.stop, "stop_sequence": null});
    let usage = json!({"output_tokens": answer.usage.output_tokens});
    stream.write_event(Some("message_delta"), &json!({"type": "message_delta", "delta": delta, "usage": usage}));
    stream.write_event(Some("message_stop"), &json!({"type": "message_stop"}));
}

fn write_deltas(answer: &ScriptedAnswer, index: usize, block: &AnswerBlock, stream: &mut EventWriter) {
    let mut delta = |kind: &str, field: &str, text: &str| {
        stream.write_raw(Some("content_block_delta"), |out| {
            let _ = write!(
                out,
                "{{\"type\":\"content_block_delta\",\"index\":{index},\"delta\":{{\"type\":\"{kind}\",\"{field}\":"
            );
            write_json(out, text);
            out.extend_from_slice(b"}}");
        });
    };
    match block {
        AnswerBlock::Thinking { text, seal } => {
            split_deltas(text, answer.delta).for_each(|piece| delta("thinking_delta", "thinking", piece));
            delta("signature_delta", "signature", seal);
        }
        AnswerBlock::Redacted(_) => {}
        AnswerBlock::Text(text) | AnswerBlock::Refusal(text) => {
            split_deltas(text, answer.delta).for_each(|piece| delta("text_delta", "text", piece));
        }
        AnswerBlock::Call { json, .. } => {
            split_deltas(json, answer.delta).for_each(|piece| delta("input_json_delta", "partial_json", piece));
        }
    }
}

fn block_start(block: &AnswerBlock) -> Value {
    match block {
        AnswerBlock::Thinking { .. } => json!({"type": "thinking", "thinking": "", "signature": ""}),
        AnswerBlock::Redacted(data) => json!({"type": "redacted_thinking", "data": data}),
        AnswerBlock::Text(_) | AnswerBlock::Refusal(_) => json!({"type": "text", "text": ""}),
        AnswerBlock::Call { id, name, .. } => json!({"type": "tool_use", "id": id, "name": name, "input": {}}),
    }
}

pub(super) fn full_message(answer: &ScriptedAnswer) -> Value {
    let content: Vec<Value> = answer
        .blocks
        .iter()
        .map(|block| match block {
            AnswerBlock::Thinking { text, seal } => json!({"type": "thinking", "thinking": text, "signature": seal}),
            AnswerBlock::Text(text) | AnswerBlock::Refusal(text) => json!({"type": "text", "text": text}),
            AnswerBlock::Call { id, name, json } => {
                let input: Value = serde_json::from_str(json).unwrap_or_default();
                json!({"type": "tool_use", "id": id, "name": name, "input": input})
            }
            AnswerBlock::Redacted(_) => block_start(block),
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
            "server_tool_use": {"web_search_requests": answer.usage.web_searches},
        },
    })
}

pub(super) fn write_error(event: &ErrorEvent, stream: &mut EventWriter) {
    let error = json!({"type": event.kind, "message": event.message});
    stream.write_event(Some("error"), &json!({"type": "error", "error": error}));
}
