//! An answer as servers of OpenAI-compatible Chat Completions send it.

use super::ErrorEvent;
use super::play::{Answer, Out};
use super::render::{Stream, deltas, write_json};
use serde_json::{Value, json};
use std::io::Write;

pub(super) fn stream(answer: &Answer, stream: &mut Stream) {
    let mut chunk = |delta: &dyn Fn(&mut Vec<u8>), finish: Option<&str>| {
        stream.raw(None, |out| {
            head(answer, out);
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
            Out::Thinking { text, .. } => {
                deltas(text, answer.delta).for_each(|piece| chunk(&field("reasoning_content", piece), None));
            }
            Out::Redacted(_) => {}
            Out::Text(text) => deltas(text, answer.delta).for_each(|piece| chunk(&field("content", piece), None)),
            Out::Refusal(text) => deltas(text, answer.delta).for_each(|piece| chunk(&field("refusal", piece), None)),
            Out::Call { id, name, json } => {
                let function = json!({"name": name, "arguments": ""});
                let begun = json!([{"index": calls, "id": id, "type": "function", "function": function}]);
                chunk(&|out| call(out, &begun), None);
                for piece in deltas(json, answer.delta) {
                    let grown = json!([{"index": calls, "function": {"arguments": piece}}]);
                    chunk(&|out| call(out, &grown), None);
                }
                calls += 1;
            }
        }
    }
    chunk(&|_| {}, Some(finish(answer)));
    stream.raw(None, |out| {
        head(answer, out);
        out.extend_from_slice(b"\"choices\":[],\"usage\":");
        write_json(out, &usage(answer));
        out.push(b'}');
    });
    stream.raw(None, |out| out.extend_from_slice(b"[DONE]"));
}

fn call(out: &mut Vec<u8>, calls: &Value) {
    out.extend_from_slice(b"\"tool_calls\":");
    write_json(out, calls);
}

fn head(answer: &Answer, out: &mut Vec<u8>) {
    let _ = write!(out, "{{\"id\":\"{}\",\"object\":\"chat.completion.chunk\",\"created\":0,\"model\":", answer.id);
    write_json(out, &answer.model);
    out.push(b',');
}

fn finish(answer: &Answer) -> &str {
    match answer.stop.as_str() {
        "end_turn" => "stop",
        "tool_use" => "tool_calls",
        "max_tokens" => "length",
        // A refusal is told by its own field; only the filter's is a reason to stop.
        "refusal" if answer.blocks.iter().any(|block| matches!(block, Out::Refusal(_))) => "stop",
        "refusal" => "content_filter",
        other => other,
    }
}

fn usage(answer: &Answer) -> Value {
    let cached = answer.usage.cache_read_input_tokens;
    let prompt = answer.usage.input_tokens + answer.usage.cache_creation_input_tokens + cached;
    json!({
        "prompt_tokens": prompt,
        "completion_tokens": answer.usage.output_tokens,
        "total_tokens": prompt + answer.usage.output_tokens,
        "prompt_tokens_details": {"cached_tokens": cached},
    })
}

pub(super) fn whole(answer: &Answer) -> Value {
    let joined = |of: fn(&Out) -> Option<&str>| {
        let texts: Vec<&str> = answer.blocks.iter().filter_map(of).collect();
        if texts.is_empty() { Value::Null } else { json!(texts.concat()) }
    };
    let calls: Vec<Value> = answer
        .blocks
        .iter()
        .filter_map(|block| match block {
            Out::Call { id, name, json } => {
                Some(json!({"id": id, "type": "function", "function": {"name": name, "arguments": json}}))
            }
            Out::Thinking { .. } | Out::Redacted(_) | Out::Text(_) | Out::Refusal(_) => None,
        })
        .collect();
    let mut message = json!({
        "role": "assistant",
        "content": joined(|block| if let Out::Text(text) = block { Some(text) } else { None }),
        "refusal": joined(|block| if let Out::Refusal(text) = block { Some(text) } else { None }),
    });
    let reasoning = joined(|block| if let Out::Thinking { text, .. } = block { Some(text) } else { None });
    if !reasoning.is_null() {
        message["reasoning_content"] = reasoning;
    }
    if !calls.is_empty() {
        message["tool_calls"] = json!(calls);
    }
    let choice = json!({"index": 0, "message": message, "logprobs": null, "finish_reason": finish(answer)});
    json!({
        "id": answer.id,
        "object": "chat.completion",
        "created": 0,
        "model": answer.model,
        "choices": [choice],
        "usage": usage(answer),
    })
}

pub(super) fn error(event: &ErrorEvent, stream: &mut Stream) {
    let error = json!({"message": event.message, "type": event.kind, "code": event.kind, "param": null});
    stream.event(None, &json!({"error": error}));
}
