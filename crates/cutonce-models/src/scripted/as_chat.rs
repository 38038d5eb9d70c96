//! Renders an answer in the OpenAI-compatible Chat Completions format.

use super::ErrorEvent;
use super::playback::{EventWriter, split_deltas, write_json};
use super::player::{AnswerBlock, ScriptedAnswer};
use serde_json::{Value, json};
use std::io::Write;

pub(super) fn write_stream(answer: &ScriptedAnswer, stream: &mut EventWriter) {
    let mut chunk = |delta: &dyn Fn(&mut Vec<u8>), finish: Option<&str>| {
        stream.write_raw(None, |out| {
            write_head(answer, out);
            out.extend_from_slice(b"\"choices\":[{\"index\":0,\"delta\":{");
            delta(out);
            out.extend_from_slice(b"},\"logprobs\":null,\"finish_reason\":");
            write_json(out, &finish);
            out.extend_from_slice(b"}],\"usage\":null}");
        });
    };
    let field = |name: &'static str, text: &str| {
        let text = text.to_owned();
        move |out: &mut Vec<u8>| {
            let _ = write!(out, "\"{name}\":");
            write_json(out, &text);
        }
    };
    chunk(&|out| out.extend_from_slice(b"\"role\":\"assistant\",\"content\":\"\""), None);
    let mut calls = 0;
    for block in &answer.blocks {
        match block {
            AnswerBlock::Thinking { text, .. } => {
                split_deltas(text, answer.delta).for_each(|piece| chunk(&field("reasoning_content", piece), None));
            }
            AnswerBlock::Redacted(_) => {}
            AnswerBlock::Text(text) => {
                split_deltas(text, answer.delta).for_each(|piece| chunk(&field("content", piece), None))
            }
            AnswerBlock::Refusal(text) => {
                split_deltas(text, answer.delta).for_each(|piece| chunk(&field("refusal", piece), None))
            }
            AnswerBlock::Call { id, name, json } => {
                let function = json!({"name": name, "arguments": ""});
                let begun = json!([{"index": calls, "id": id, "type": "function", "function": function}]);
                chunk(&|out| write_calls(out, &begun), None);
                for piece in split_deltas(json, answer.delta) {
                    let grown = json!([{"index": calls, "function": {"arguments": piece}}]);
                    chunk(&|out| write_calls(out, &grown), None);
                }
                calls += 1;
            }
        }
    }
    chunk(&|_| {}, Some(finish_reason(answer)));
    stream.write_raw(None, |out| {
        write_head(answer, out);
        out.extend_from_slice(b"\"choices\":[],\"usage\":");
        write_json(out, &usage_fields(answer));
        out.push(b'}');
    });
    stream.write_raw(None, |out| out.extend_from_slice(b"[DONE]"));
}

fn write_calls(out: &mut Vec<u8>, calls: &Value) {
    out.extend_from_slice(b"\"tool_calls\":");
    write_json(out, calls);
}

fn write_head(answer: &ScriptedAnswer, out: &mut Vec<u8>) {
    let _ = write!(out, "{{\"id\":\"{}\",\"object\":\"chat.completion.chunk\",\"created\":0,\"model\":", answer.id);
    write_json(out, &answer.model);
    out.push(b',');
}

fn finish_reason(answer: &ScriptedAnswer) -> &str {
    match answer.stop.as_str() {
        "end_turn" => "stop",
        "tool_use" => "tool_calls",
        "max_tokens" => "length",
        // A refusal has its own field; only the filter's is a stop reason.
        "refusal" if answer.blocks.iter().any(|block| matches!(block, AnswerBlock::Refusal(_))) => "stop",
        "refusal" => "content_filter",
        other => other,
    }
}

fn usage_fields(answer: &ScriptedAnswer) -> Value {
    let cached = answer.usage.cache_read_input_tokens;
    let prompt = answer.usage.input_tokens + answer.usage.cache_creation_input_tokens + cached;
    json!({
        "prompt_tokens": prompt,
        "completion_tokens": answer.usage.output_tokens,
        "total_tokens": prompt + answer.usage.output_tokens,
        "prompt_tokens_details": {"cached_tokens": cached},
    })
}

pub(super) fn full_message(answer: &ScriptedAnswer) -> Value {
    let joined = |of: fn(&AnswerBlock) -> Option<&str>| {
        let texts: Vec<&str> = answer.blocks.iter().filter_map(of).collect();
        if texts.is_empty() { Value::Null } else { json!(texts.concat()) }
    };
    let calls: Vec<Value> = answer
        .blocks
        .iter()
        .filter_map(|block| match block {
            AnswerBlock::Call { id, name, json } => {
                Some(json!({"id": id, "type": "function", "function": {"name": name, "arguments": json}}))
            }
            AnswerBlock::Thinking { .. }
            | AnswerBlock::Redacted(_)
            | AnswerBlock::Text(_)
            | AnswerBlock::Refusal(_) => None,
        })
        .collect();
    let mut message = json!({
        "role": "assistant",
        "content": joined(|block| if let AnswerBlock::Text(text) = block { Some(text) } else { None }),
        "refusal": joined(|block| if let AnswerBlock::Refusal(text) = block { Some(text) } else { None }),
    });
    let reasoning = joined(|block| if let AnswerBlock::Thinking { text, .. } = block { Some(text) } else { None });
    if !reasoning.is_null() {
        message["reasoning_content"] = reasoning;
    }
    if !calls.is_empty() {
        message["tool_calls"] = json!(calls);
    }
    let choice = json!({"index": 0, "message": message, "logprobs": null, "finish_reason": finish_reason(answer)});
    json!({
        "id": answer.id,
        "object": "chat.completion",
        "created": 0,
        "model": answer.model,
        "choices": [choice],
        "usage": usage_fields(answer),
    })
}

pub(super) fn write_error(event: &ErrorEvent, stream: &mut EventWriter) {
    let error = json!({"message": event.message, "type": event.kind, "code": event.kind, "param": null});
    stream.write_event(None, &json!({"error": error}));
}
