use super::*;
use crate::wire::anthropic::AnthropicProtocol;
use crate::wire::chat::ChatProtocol;
use crate::wire::responses::ResponsesProtocol;
use cutonce_core::conversation::{ModelResponse, OpaqueThinking};
use cutonce_core::model_request::{Effort, Thinking, ToolSpec};
use serde_json::json;

fn prefix() -> Arc<PromptPrefix> {
    let tool = |name: &str| ToolSpec { name: name.into(), description: "d".into(), schema: json!({"type": "object"}) };
    Arc::new(PromptPrefix { system: "You are \"it\".".into(), tools: vec![tool("Read"), tool("Bash")] })
}

fn request<'a>(prefix: &'a Arc<PromptPrefix>, messages: &'a [SharedMessage], thinking: Thinking) -> ModelRequest<'a> {
    ModelRequest { prefix, messages, max_tokens: 8000, thinking, cache_key: "session-1" }
}

fn endpoint(wire: WireFormat) -> Endpoint {
    let model = match wire {
        WireFormat::Anthropic => "claude-sonnet-4-5",
        WireFormat::Responses => "gpt-5",
        WireFormat::Chat => "qwen3",
    };
    Endpoint::new("p", wire, "http://127.0.0.1:1", model)
}

fn bytes<P: WireProtocol>(encoder: &mut RequestEncoder, messages: &[SharedMessage], thinking: Thinking) -> Vec<u8> {
    let prefix = prefix();
    bytes_with::<P>(encoder, &prefix, messages, thinking)
}

fn bytes_with<P: WireProtocol>(
    encoder: &mut RequestEncoder,
    prefix: &Arc<PromptPrefix>,
    messages: &[SharedMessage],
    thinking: Thinking,
) -> Vec<u8> {
    let protocol = P::new(&endpoint(P::WIRE));
    let request = request(prefix, messages, thinking);
    let thinking = protocol.thinking_request(&request, false);
    encoder.encode_body(&protocol, &request, &thinking).concat()
}

fn body<P: WireProtocol>(messages: &[Message], thinking: Thinking) -> Value {
    let messages: Vec<SharedMessage> = messages.iter().cloned().map(Arc::new).collect();
    serde_json::from_slice(&bytes::<P>(&mut RequestEncoder::default(), &messages, thinking)).unwrap()
}

fn call(id: &str, input: Value) -> ContentBlock {
    ContentBlock::ToolUse(ToolUse { id: id.into(), name: "Read".into(), input: ToolInput::Json(input) })
}

fn text(text: &str) -> ContentBlock {
    ContentBlock::Text { text: text.into() }
}

fn thinking(wire: WireFormat, value: Value) -> ContentBlock {
    ContentBlock::Thinking { text: "hm".into(), opaque: Some(OpaqueThinking { wire, value }) }
}

fn assistant(blocks: Vec<ContentBlock>) -> Message {
    Message::Assistant { model: "m".into(), blocks }
}

fn result(id: &str, text: &str) -> Message {
    Message::Tool(ToolResult::text(id, text))
}

fn picture() -> Image {
    Image { media_type: "image/png".into(), data: "iVBO".into() }
}

/// Builds turns of two parallel calls, sometimes with a user message between.
fn long(turns: usize) -> Vec<SharedMessage> {
    let mut messages = vec![Message::user_text("go \u{1F980}\n\"now\"")];
    for turn in 0..turns {
        let (a, b) = (format!("call_a_{turn:04}"), format!("call_b_{turn:04}"));
        let opaque = [
            (WireFormat::Anthropic, json!({"signature": "s"})),
            (WireFormat::Chat, json!({"field": "reasoning_content"})),
        ];
        let (wire, value) = opaque[turn % 2].clone();
        let blocks = vec![thinking(wire, value), text("see"), call(&a, json!({"n": turn})), call(&b, json!({}))];
        let big = "A".repeat(if turn % 3 == 0 { 5000 } else { 1 });
        messages.extend([assistant(blocks), result(&b, "B"), result(&a, &big)]);
        if turn % 5 == 4 {
            messages.push(Message::user_text("and then"));
        }
    }
    messages.into_iter().map(Arc::new).collect()
}

fn grows<P: WireProtocol>() {
    let (all, prefix) = (long(40), prefix());
    let mut encoder = RequestEncoder::default();
    let mut before: Option<(usize, Vec<u8>)> = None;
    let requests: Vec<usize> = (1..=all.len()).filter(|end| all.get(*end).is_none_or(is_assistant)).collect();
    for end in requests {
        let known = before.as_ref().map_or(0, |(end, _)| *end);
        let encoded = encoder.encoded;
        let now = bytes_with::<P>(&mut encoder, &prefix, &all[..end], Thinking::Budget(2000));
        assert_eq!(encoder.encoded - encoded, end - known, "only new messages are encoded");
        let scratch = bytes_with::<P>(&mut RequestEncoder::default(), &prefix, &all[..end], Thinking::Budget(2000));
        assert_eq!(String::from_utf8_lossy(&now), String::from_utf8_lossy(&scratch));
        if let Some((_, before)) = before {
            assert_stable(&before, &now, P::BREAKPOINTS);
        }
        before = Some((end, now));
    }
    let joined: usize = encoder.segments.iter().map(|segment| segment.groups).sum();
    assert!(joined > encoder.groups.len() / 2, "old groups go out together");
}

/// Asserts that the earlier request is a prefix of the later one, except for moved breakpoints.
fn assert_stable(before: &[u8], now: &[u8], breakpoints: usize) {
    let mark = ",\"cache_control\":{\"type\":\"ephemeral\"}";
    let clean = |body: &[u8]| {
        let text = String::from_utf8(body.to_vec()).unwrap();
        let moving = text.rfind("\"messages\":[").or_else(|| text.rfind("\"input\":[")).unwrap();
        let (fixed, messages) = text.split_at(moving);
        assert!(messages.matches(mark).count() <= breakpoints);
        format!("{fixed}{}", messages.replace(mark, ""))
    };
    let (before, now) = (clean(before), clean(now));
    // The thinking fields come after the messages.
    let ends = ["],\"thinking\":", "],\"reasoning\":", "],\"reasoning_effort\":", "]}"];
    let end = ends.iter().filter_map(|end| before.rfind(end)).min().unwrap();
    assert!(now.starts_with(&before[..end]), "{before}\n{now}");
}

#[test]
fn ag_7_only_new_messages_are_encoded_anthropic() {
    grows::<AnthropicProtocol>();
}

#[test]
fn ag_7_only_new_messages_are_encoded_responses() {
    grows::<ResponsesProtocol>();
}

#[test]
fn ag_7_only_new_messages_are_encoded_chat() {
    grows::<ChatProtocol>();
}

#[test]
fn ag_7_queued_message_joins_the_last_group() {
    let mut messages = long(3);
    let (mut encoder, prefix) = (RequestEncoder::default(), prefix());
    bytes_with::<AnthropicProtocol>(&mut encoder, &prefix, &messages, Thinking::Off);
    messages.push(Arc::new(Message::user_text("wait")));
    let now = bytes_with::<AnthropicProtocol>(&mut encoder, &prefix, &messages, Thinking::Off);
    assert_eq!(now, bytes_with::<AnthropicProtocol>(&mut RequestEncoder::default(), &prefix, &messages, Thinking::Off));
    // Removing a message in the middle has the same result as never adding it.
    let all = long(40);
    for end in [all.len(), 50, 51, 20, 90, 3, 120] {
        let now = bytes_with::<AnthropicProtocol>(&mut encoder, &prefix, &all[..end], Thinking::Off);
        let scratch =
            bytes_with::<AnthropicProtocol>(&mut RequestEncoder::default(), &prefix, &all[..end], Thinking::Off);
        assert_eq!(String::from_utf8_lossy(&now), String::from_utf8_lossy(&scratch), "{end}");
    }
    // A replaced conversation (compaction, rewind) leaves nothing behind.
    let other = [Arc::new(Message::user_text("summary"))];
    let now = bytes_with::<AnthropicProtocol>(&mut encoder, &prefix, &other, Thinking::Off);
    assert_eq!(now, bytes_with::<AnthropicProtocol>(&mut RequestEncoder::default(), &prefix, &other, Thinking::Off));
}

#[test]
fn ag_7_cached_body_equals_a_fresh_one() {
    let (all, prefix) = (long(30), prefix());
    let other =
        [Message::user_text("other"), assistant(vec![call("c", json!({}))]), result("c", "C"), assistant(vec![])];
    let other: Vec<SharedMessage> = other.into_iter().map(Arc::new).collect();
    let mut random = fastrand::Rng::with_seed(7);
    let mut encoder = RequestEncoder::default();
    for _ in 0..400 {
        let from = if random.usize(..4) == 0 { random.usize(..6) } else { 0 };
        let mut messages = all[from..random.usize(from..=all.len())].to_vec();
        for _ in 0..random.usize(..3) {
            let at = random.usize(..=messages.len());
            messages.insert(at, other[random.usize(..other.len())].clone());
        }
        let now = bytes_with::<AnthropicProtocol>(&mut encoder, &prefix, &messages, Thinking::Off);
        let scratch =
            bytes_with::<AnthropicProtocol>(&mut RequestEncoder::default(), &prefix, &messages, Thinking::Off);
        assert_eq!(String::from_utf8_lossy(&now), String::from_utf8_lossy(&scratch));
    }
}

#[test]
fn ag_7_anthropic_has_at_most_four_breakpoints() {
    let messages = long(6);
    let text = String::from_utf8(bytes::<AnthropicProtocol>(&mut RequestEncoder::default(), &messages, Thinking::Off))
        .unwrap();
    assert_eq!(text.matches("cache_control").count(), 4);
    let body: Value = serde_json::from_str(&text).unwrap();
    let mark = json!({"type": "ephemeral"});
    assert_eq!(body["tools"][1]["cache_control"], mark);
    assert_eq!(body["system"][0]["cache_control"], mark);
    let sent = body["messages"].as_array().unwrap();
    for back in [1, 3] {
        let content = sent[sent.len() - back]["content"].as_array().unwrap();
        assert_eq!(content.last().unwrap()["cache_control"], mark, "{back} from the end");
    }
}

#[test]
fn mo_2_anthropic_requests_fit_the_api() {
    let own = json!({"type": "thinking", "signature": "sig=="});
    let messages = [
        Message::User { content: vec![text("look"), text(""), ContentBlock::Image(picture())] },
        assistant(vec![
            thinking(WireFormat::Anthropic, own),
            thinking(WireFormat::Anthropic, json!({"type": "redacted_thinking", "data": "xyz"})),
            thinking(WireFormat::Chat, json!({"field": "reasoning_content"})),
            text("  \n"),
            call("functions.Read:0", json!({"b": 1, "a": 2})),
            call("b", json!([1])),
        ]),
        Message::Tool(ToolResult {
            call_id: "b".into(),
            content: vec![ResultPart::Image(picture()), ResultPart::Text { text: String::new() }],
            is_error: true,
        }),
        Message::user_text("also"),
    ];
    use cutonce_core::conversation::ResultPart;
    let body = body::<AnthropicProtocol>(&messages, Thinking::Budget(50_000));
    assert_eq!(body["thinking"], json!({"type": "enabled", "budget_tokens": 6000}));
    assert_eq!((&body["stream"], &body["max_tokens"]), (&json!(true), &json!(8000)));
    let sent = &body["messages"];
    let image = json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBO"}});
    assert_eq!(sent[0]["content"].as_array().unwrap().len(), 2);
    let id = sent[1]["content"][2]["id"].as_str().unwrap().to_owned();
    assert!(id.starts_with("functions_Read_0-"), "{id}");
    let expected = json!([
        {"type": "thinking", "thinking": "hm", "signature": "sig=="},
        {"type": "redacted_thinking", "data": "xyz"},
        {"type": "tool_use", "id": id, "name": "Read", "input": {"b": 1, "a": 2}},
        {"type": "tool_use", "id": "b", "name": "Read", "input": {"value": [1]}},
    ]);
    assert_eq!(sent[1]["content"], expected);
    let expected = json!([
        {"type": "tool_result", "tool_use_id": id, "content": [{"type": "text", "text": NO_RESULT}], "is_error": true},
        {"type": "tool_result", "tool_use_id": "b", "content": [image]},
        {"type": "text", "text": "also", "cache_control": {"type": "ephemeral"}},
    ]);
    assert_eq!(sent[2]["content"], expected);
}

#[test]
fn mo_2_responses_requests_fit_the_api() {
    use cutonce_core::conversation::ResultPart;
    let item = json!({"id": "rs_1", "type": "reasoning", "summary": [], "encrypted_content": "enc"});
    let messages = [
        Message::User { content: vec![text("look"), ContentBlock::Image(picture())] },
        assistant(vec![
            thinking(WireFormat::Responses, item.clone()),
            thinking(WireFormat::Responses, json!({"id": "rs_2", "type": "reasoning", "summary": []})),
            text("hm"),
            call("call_1", json!({"a": 1})),
            thinking(WireFormat::Responses, item.clone()),
        ]),
        Message::Tool(ToolResult {
            call_id: "call_1".into(),
            content: vec![ResultPart::Text { text: "t".into() }, ResultPart::Image(picture())],
            is_error: false,
        }),
        assistant(vec![thinking(WireFormat::Responses, item.clone())]),
        assistant(vec![call("call_2", json!({}))]),
    ];
    let body = body::<ResponsesProtocol>(&messages, Thinking::Effort(Effort::High));
    assert_eq!(body["reasoning"], json!({"effort": "high", "summary": "auto"}));
    assert_eq!(body["include"], json!(["reasoning.encrypted_content"]));
    assert_eq!((&body["store"], &body["prompt_cache_key"]), (&json!(false), &json!("session-1")));
    assert_eq!(body["instructions"], "You are \"it\".");
    assert_eq!(body["tools"][0]["strict"], false);
    let image = json!({"type": "input_image", "image_url": "data:image/png;base64,iVBO", "detail": "auto"});
    let expected = json!([
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "look"}, image]},
        item,
        {"type": "message", "role": "assistant", "content": "hm"},
        {"type": "function_call", "call_id": "call_1", "name": "Read", "arguments": "{\"a\":1}"},
        {"type": "function_call_output", "call_id": "call_1", "output": [{"type": "input_text", "text": "t"}, image]},
        {"type": "function_call", "call_id": "call_2", "name": "Read", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "call_2", "output": NO_RESULT},
    ]);
    assert_eq!(body["input"], expected);
}

#[test]
fn mo_2_chat_requests_fit_the_api() {
    use cutonce_core::conversation::ResultPart;
    let reasoning = || thinking(WireFormat::Chat, json!({"field": "reasoning_content"}));
    let broken = ToolInput::Invalid { invalid_json: "{\"a".into(), error: "e".into() };
    let messages = [
        Message::user_text("look"),
        assistant(vec![
            reasoning(),
            call("call_0001", json!({"a": 1})),
            ContentBlock::ToolUse(ToolUse { id: "call_0002".into(), name: "Read".into(), input: broken }),
        ]),
        Message::Tool(ToolResult {
            call_id: "call_0001".into(),
            content: vec![ResultPart::Text { text: "t".into() }, ResultPart::Image(picture())],
            is_error: false,
        }),
        result("call_0002", "bad input"),
        Message::user_text("more"),
        assistant(vec![reasoning(), text("done")]),
        Message::user_text("thanks"),
        Message::user_text("bye"),
    ];
    let body = body::<ChatProtocol>(&messages, Thinking::Off);
    assert_eq!(body["stream_options"], json!({"include_usage": true}));
    assert_eq!((body.get("reasoning_effort"), &body["max_tokens"]), (None, &json!(8000)));
    let function = |arguments: &str| json!({"name": "Read", "arguments": arguments});
    let expected = json!([
        {"role": "system", "content": "You are \"it\"."},
        {"role": "user", "content": "look"},
        {"role": "assistant", "content": null, "reasoning_content": "hm", "tool_calls": [
            {"id": "call_0001", "type": "function", "function": function("{\"a\":1}")},
            {"id": "call_0002", "type": "function", "function": function("{\"invalid_json\":\"{\\\"a\"}")},
        ]},
        {"role": "tool", "tool_call_id": "call_0001", "content": "t"},
        {"role": "tool", "tool_call_id": "call_0002", "content": "bad input"},
        {"role": "user", "content": [
            {"type": "text", "text": "Images in the result of call call_0001:"},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBO"}},
            {"type": "text", "text": "more"},
        ]},
        {"role": "assistant", "content": "done"},
        {"role": "user", "content": "thanks\n\nbye"},
    ]);
    assert_eq!(body["messages"], expected);
}

#[test]
fn mo_2_anthropic_thinks_where_the_api_allows() {
    let signed = || thinking(WireFormat::Anthropic, json!({"signature": "s"}));
    let think =
        |messages: &[Message]| body::<AnthropicProtocol>(messages, Thinking::Budget(2000)).get("thinking").is_some();
    let tail = |first: ContentBlock| {
        vec![
            Message::user_text("go"),
            assistant(vec![first, call("c1", json!({}))]),
            result("c1", "r"),
            assistant(vec![call("c2", json!({}))]),
            result("c2", "r"),
        ]
    };
    assert!(think(&[Message::user_text("go")]));
    assert!(think(&tail(signed())));
    // In a loop that another provider began: not before the next user message.
    let mut foreign = tail(thinking(WireFormat::Chat, json!({"field": "reasoning"})));
    assert!(!think(&foreign));
    let sent = body::<AnthropicProtocol>(&tail(text("x")), Thinking::Budget(2000));
    assert!(!sent.to_string().contains("\"thinking\""));
    foreign.extend([assistant(vec![text("done")]), Message::user_text("next")]);
    assert!(think(&foreign));
    // A budget that does not fit into the answer.
    let small = [Arc::new(Message::user_text("go"))];
    let (prefix, protocol) = (prefix(), AnthropicProtocol::new(&endpoint(WireFormat::Anthropic)));
    let request = ModelRequest { max_tokens: 1000, ..request(&prefix, &small, Thinking::Budget(5000)) };
    assert_eq!(protocol.thinking_request(&request, false).fields, None);
}

#[test]
fn mo_2_each_model_has_its_thinking_style() {
    let (prefix, messages) = (prefix(), [Arc::new(Message::user_text("go"))]);
    let ask = |model: &str, thinking: Thinking| {
        let endpoint = Endpoint { model: model.into(), ..endpoint(WireFormat::Anthropic) };
        let thinking =
            AnthropicProtocol::new(&endpoint).thinking_request(&request(&prefix, &messages, thinking), false);
        thinking.fields.map(|fields| fields["thinking"]["type"].as_str().unwrap_or_default().to_owned())
    };
    let (budget, effort) = (Thinking::Budget(3000), Thinking::Effort(Effort::Medium));
    for (model, with_budget, with_effort) in [
        ("claude-3-5-haiku-latest", None, None),
        ("claude-3-7-sonnet-latest", Some("enabled"), Some("enabled")),
        ("claude-sonnet-4-20250514", Some("enabled"), Some("enabled")),
        ("claude-haiku-4-5", Some("enabled"), Some("enabled")),
        ("claude-opus-4-6", Some("enabled"), Some("adaptive")),
        ("claude-opus-4-7", Some("adaptive"), Some("adaptive")),
        ("glm-5", Some("enabled"), Some("enabled")),
    ] {
        assert_eq!(ask(model, budget).as_deref(), with_budget, "{model}");
        assert_eq!(ask(model, effort).as_deref(), with_effort, "{model}");
        assert_eq!(ask(model, Thinking::Off), None);
    }
}

/// Checks each API's rules over every way to split a conversation.
#[test]
fn mo_2_any_conversation_part_is_a_valid_request() {
    let all = long(5);
    for start in 0..all.len() {
        for end in start..=all.len() {
            let piece = &all[start..end];
            let body = |bytes: Vec<u8>| -> Value { serde_json::from_slice(&bytes).unwrap() };
            for level in [Thinking::Off, Thinking::Budget(2000)] {
                valid_anthropic(&body(bytes::<AnthropicProtocol>(&mut RequestEncoder::default(), piece, level)));
                valid_responses(&body(bytes::<ResponsesProtocol>(&mut RequestEncoder::default(), piece, level)));
                valid_chat(&body(bytes::<ChatProtocol>(&mut RequestEncoder::default(), piece, level)));
            }
        }
    }
}

fn ids(content: &Value, kind: &str, field: &str) -> Vec<String> {
    let blocks = content.as_array().unwrap().iter().filter(|block| block["type"] == kind);
    blocks.map(|block| block[field].as_str().unwrap().to_owned()).collect()
}

fn valid_anthropic(body: &Value) {
    let messages = body["messages"].as_array().unwrap();
    assert_eq!(messages[0]["role"], "user");
    assert_eq!(messages.last().unwrap()["role"], "user");
    for pair in messages.windows(2) {
        assert_ne!(pair[0]["role"], pair[1]["role"]);
        if pair[0]["role"] == "assistant" {
            assert_eq!(
                ids(&pair[0]["content"], "tool_use", "id"),
                ids(&pair[1]["content"], "tool_result", "tool_use_id")
            );
        } else {
            assert_eq!(ids(&pair[1]["content"], "tool_result", "tool_use_id"), Vec::<String>::new());
        }
    }
    assert!(ids(&messages[0]["content"], "tool_result", "tool_use_id").is_empty());
}

fn valid_responses(body: &Value) {
    let input = &body["input"];
    let (mut calls, mut outputs) =
        (ids(input, "function_call", "call_id"), ids(input, "function_call_output", "call_id"));
    calls.sort();
    outputs.sort();
    assert_eq!(calls, outputs);
}

fn valid_chat(body: &Value) {
    let mut open: Vec<String> = Vec::new();
    for message in body["messages"].as_array().unwrap() {
        if message["role"] == "tool" {
            let id = message["tool_call_id"].as_str().unwrap();
            let at = open.iter().position(|call| call == id).expect("a tool message without its call");
            open.remove(at);
            continue;
        }
        assert!(open.is_empty(), "a call without its tool message");
        let calls = message["tool_calls"].as_array().cloned().unwrap_or_default();
        open = calls.iter().map(|call| call["id"].as_str().unwrap().to_owned()).collect();
    }
    assert!(open.is_empty());
    assert_ne!(body["messages"].as_array().unwrap().last().unwrap()["role"], "assistant");
}

#[test]
fn mo_2_odd_ids_fit_and_stay_distinct() {
    assert_eq!(call_id("toolu_01AbC-x"), "toolu_01AbC-x");
    let (dot, colon) = (call_id("a.b").into_owned(), call_id("a:b").into_owned());
    assert_ne!(dot, colon);
    for id in [&*dot, &*colon, &*call_id(""), &*call_id(&"x".repeat(99)), &*call_id("é".repeat(50).as_str())] {
        assert!(id.len() <= 40 && id.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c)), "{id}");
    }
}

/// Decoders neither panic on any bytes nor take nonsense for an answer.
#[test]
fn mo_3_decoders_survive_nonsense() {
    fn run<P: WireProtocol>(events: &[(&str, &[u8])]) -> Result<ModelResponse, String> {
        let mut decoder = P::Decoder::default();
        for (name, data) in events {
            decoder.handle_event(name, data, &mut |_| {}).map_err(|trouble| format!("{trouble:?}"))?;
        }
        decoder.finish().map_err(|trouble| format!("{trouble:?}"))
    }
    let nonsense: &[(&str, &[u8])] = &[
        ("content_block_delta", b"{\"index\":4294967295,\"delta\":{\"type\":\"text_delta\"}}"),
        ("content_block_stop", b"{}"),
        ("from_the_future", b"not json at all"),
        ("ping", b""),
    ];
    assert_eq!(run::<AnthropicProtocol>(nonsense), Err("StreamEnded".into()));
    assert_eq!(run::<ResponsesProtocol>(nonsense), Err("StreamEnded".into()));
    assert_eq!(run::<ChatProtocol>(&[("", b"{\"choices\":[]}"), ("", b"[DONE]")]), Err("StreamEnded".into()));
    for data in [&b"\xff\xfe"[..], b"[]", b"{\"index\":-1}", b"7", b"{\"delta\":{\"text\":7}}"] {
        assert!(run::<AnthropicProtocol>(&[("content_block_delta", data)]).unwrap_err().contains("Malformed"));
        assert!(run::<ResponsesProtocol>(&[("response.output_item.done", data)]).unwrap_err().contains("Malformed"));
    }
    for data in [&b"\xff\xfe"[..], b"{\"choices\":7}", b"7"] {
        assert!(run::<ChatProtocol>(&[("", data)]).unwrap_err().contains("Malformed"), "{data:?}");
    }
}
