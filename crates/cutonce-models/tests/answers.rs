//! MO-1, MO-2, AG-7: requests and answers in each wire format, over a real socket.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod rig;

use cutonce_core::conversation::{
    ContentBlock, Image, Message, ResultPart, StopReason, TokenUsage, ToolInput, ToolResult, WireFormat,
};
use cutonce_core::model_request::{ModelRequest, Thinking};
use cutonce_models::{ModelSignal, connect};
use rig::*;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

fn full_turn() -> Value {
    json!({
        "thinking": "First I look — \u{1F980}.",
        "text": "Let me \"see\".\nNow.",
        "calls": [
            {"name": "Read", "input": {"path": "a.rs", "n": 1}},
            {"name": "Read", "input": {"path": "b.rs"}, "id": "call_given_id"},
        ],
        "usage": {"input_tokens": 100, "output_tokens": 20, "cache_read_input_tokens": 7},
    })
}

#[tokio::test]
async fn mo_2_streams_every_part_of_an_answer() {
    for wire in WIRES {
        let mut rig = Rig::new(wire, json!([full_turn()]));
        let response = rig.ask().await.unwrap();
        assert_eq!(text_of(&response), "Let me \"see\".\nNow.", "{wire:?}");
        assert!(matches!(&response.blocks[0], ContentBlock::Thinking { text, opaque: Some(opaque) }
            if text == "First I look — \u{1F980}." && opaque.wire == wire));
        let calls = calls_of(&response);
        assert_eq!(calls[0].input, ToolInput::Json(json!({"path": "a.rs", "n": 1})));
        assert_eq!((calls.len(), calls[1].id.as_str(), calls[1].name.as_str()), (2, "call_given_id", "Read"));
        let usage =
            TokenUsage { input_tokens: 100, output_tokens: 20, cache_read_input_tokens: 7, ..TokenUsage::default() };
        assert_eq!(response.usage, usage, "{wire:?}");
        assert_eq!(response.stop, StopReason::ToolUse);
        assert_eq!(response.model, rig.model.name());
        let (thought, text, input) = rig.shown();
        assert_eq!((thought.as_str(), text.as_str()), ("First I look — \u{1F980}.", "Let me \"see\".\nNow."));
        assert_eq!(input, "[Read]{\"path\":\"a.rs\",\"n\":1}[Read]{\"path\":\"b.rs\"}");
        assert!(rig.retries().is_empty());
    }
}

#[tokio::test]
async fn ag_3_calls_with_equal_ids_are_distinguished() {
    // Providers reject two results under one id, and would do so for the rest of the conversation.
    for wire in WIRES {
        let call = json!({"name": "Read", "input": {}, "id": "call_given_id"});
        let mut rig = Rig::new(wire, json!([{"calls": [call, call]}]));
        let response = rig.ask().await.unwrap();
        let ids: Vec<&str> = calls_of(&response).iter().map(|call| call.id.as_str()).collect();
        assert!(ids[0] == "call_given_id" && ids[1] != ids[0] && !ids[1].is_empty(), "{wire:?}: {ids:?}");
    }
}

#[tokio::test]
async fn mo_2_answer_is_independent_of_chunking() {
    for wire in WIRES {
        let mut plain = Rig::new(wire, json!([full_turn()]));
        let expected = plain.ask().await.unwrap();
        for chunk in [1, 2, 7, 4096] {
            let mut turn = full_turn();
            turn["chunk"] = json!(chunk);
            turn["delta"] = json!(1);
            let mut rig = Rig::new(wire, json!([turn]));
            assert_eq!(rig.ask().await.unwrap(), expected, "{wire:?} in chunks of {chunk}");
        }
    }
}

#[tokio::test]
async fn mo_2_reasoning_is_sent_back_verbatim() {
    for wire in WIRES {
        let mut rig = Rig::new(wire, json!([full_turn(), {"text": "done"}]));
        let response = rig.ask().await.unwrap();
        rig.keep(&response);
        for call in calls_of(&response) {
            rig.push(Message::Tool(ToolResult::text(&call.id, "content")));
        }
        rig.ask().await.unwrap();
        let body = rig.body(1);
        let thought = "First I look — \u{1F980}.";
        match wire {
            WireFormat::Anthropic => assert_eq!(
                body["messages"][1]["content"][0],
                json!({"type": "thinking", "thinking": thought, "signature": "seal_0001_00"})
            ),
            WireFormat::Responses => assert_eq!(
                body["input"][1],
                json!({
                    "id": "rs_resp_0001_00",
                    "type": "reasoning",
                    "summary": [{"type": "summary_text", "text": thought}],
                    "encrypted_content": "seal_0001_00",
                })
            ),
            WireFormat::Chat => assert_eq!(body["messages"][2]["reasoning_content"], thought),
        }
    }
}

#[tokio::test]
async fn mo_2_redacted_thinking_and_block_order_are_kept() {
    let blocks = json!([
        {"thinking": "one"}, {"redacted": "opaque=="}, {"text": "a"},
        {"call": {"name": "Read", "input": {}}}, {"thinking": "two"}, {"text": "b"},
        {"call": {"name": "Read", "input": {}}},
    ]);
    let mut rig = Rig::new(WireFormat::Anthropic, json!([{ "blocks": blocks }, {"text": "end"}]));
    let response = rig.ask().await.unwrap();
    rig.keep(&response);
    rig.ask().await.unwrap();
    let body = rig.body(1);
    let sent = body["messages"][1]["content"].as_array().unwrap().clone();
    let kinds: Vec<&str> = sent.iter().map(|block| block["type"].as_str().unwrap()).collect();
    let expected = ["thinking", "redacted_thinking", "text", "tool_use", "thinking", "text", "tool_use"];
    assert_eq!(kinds, expected);
    assert_eq!(sent[1]["data"], "opaque==");
    // AG-4: neither call had a result; both got one.
    let results = body["messages"][2]["content"].as_array().unwrap();
    assert!(results.len() == 2 && results.iter().all(|result| result["is_error"] == true));
}

#[tokio::test]
async fn mo_2_conversation_moves_between_providers() {
    let mut turns = full_turn();
    turns["calls"][1]["id"] = json!("functions.Read:1");
    let mut rig = Rig::new(WireFormat::Chat, json!([turns]));
    let response = rig.ask().await.unwrap();
    rig.keep(&response);
    for call in calls_of(&response) {
        rig.push(Message::Tool(ToolResult::text(&call.id, "content")));
    }
    for wire in [WireFormat::Anthropic, WireFormat::Responses] {
        let mut next = Rig::new(wire, json!([{"text": "ok"}]));
        next.messages = rig.messages.clone();
        assert_eq!(text_of(&next.ask().await.unwrap()), "ok");
        let body = next.body(0).to_string();
        assert!(!body.contains("First I look"), "foreign thinking stays at home: {body}");
        assert!(!body.contains("functions.Read:1"), "{body}");
    }
}

#[tokio::test]
async fn mo_2_images_are_sent_in_each_format() {
    let image = || Image { media_type: "image/png".into(), data: "iVBORw0".into() };
    for wire in WIRES {
        let turn = json!({"calls": [{"name": "Read", "input": {}, "id": "call_image_1"}]});
        let mut rig = Rig::new(wire, json!([turn, {"text": "seen"}]));
        rig.push(Message::User { content: vec![ContentBlock::Image(image())] });
        let response = rig.ask().await.unwrap();
        rig.keep(&response);
        let content = vec![ResultPart::Text { text: "a picture".into() }, ResultPart::Image(image())];
        rig.push(Message::Tool(ToolResult { call_id: "call_image_1".into(), content, is_error: false }));
        rig.ask().await.unwrap();
        let body = rig.body(1).to_string();
        let form = if wire == WireFormat::Anthropic { "\"data\":\"iVBORw0\"" } else { "data:image/png;base64,iVBORw0" };
        assert_eq!(body.matches(form).count(), 2, "{wire:?} {body}");
    }
}

#[tokio::test]
async fn mo_2_stop_reasons_and_refusals_are_reported() {
    for wire in WIRES {
        let turns = json!([
            {"text": "a", "stop": "max_tokens"},
            {"blocks": [{"refusal": "I can't."}]},
            {"text": "fine"},
        ]);
        let mut rig = Rig::new(wire, turns);
        assert_eq!(rig.ask().await.unwrap().stop, StopReason::MaxTokens, "{wire:?}");
        let refused = rig.ask().await.unwrap();
        assert_eq!((refused.stop.clone(), text_of(&refused)), (StopReason::Refusal, "I can't.".to_owned()), "{wire:?}");
        assert_eq!(rig.ask().await.unwrap().stop, StopReason::EndTurn, "{wire:?}");
    }
}

#[tokio::test]
async fn mo_2_broken_call_input_is_kept_as_text() {
    for wire in WIRES {
        let turns = json!([
            {"calls": [{"name": "Read", "raw": "{\"path\": "}, {"name": "Read", "raw": ""}]},
            {"calls": [{"name": "Read", "input": {"a": 1}}], "fault": "invalid_json_call"},
        ]);
        let mut rig = Rig::new(wire, turns);
        let response = rig.ask().await.unwrap();
        let calls = calls_of(&response);
        assert!(matches!(&calls[0].input, ToolInput::Invalid { invalid_json, .. } if invalid_json == "{\"path\": "));
        assert_eq!(calls[1].input, ToolInput::Json(json!({})));
        let response = rig.ask().await.unwrap();
        assert!(matches!(&calls_of(&response)[0].input, ToolInput::Invalid { .. }));
    }
}

#[tokio::test]
async fn ag_7_each_request_extends_the_previous_bytes() {
    for wire in WIRES {
        let turn = json!({"text": "step {n}", "calls": [{"name": "Read", "input": {"n": "{n}"}}], "repeat": 6});
        let mut rig = Rig::new(wire, json!([turn]));
        for _ in 0..6 {
            let response = rig.ask().await.unwrap();
            rig.keep(&response);
            let id = calls_of(&response)[0].id.clone();
            rig.push(Message::Tool(ToolResult::text(id, "x".repeat(500))));
        }
        let requests = rig.server.requests();
        let mark = ",\"cache_control\":{\"type\":\"ephemeral\"}";
        for pair in requests.windows(2) {
            let [before, after] = [0, 1].map(|at| String::from_utf8(pair[at].body.to_vec()).unwrap());
            let ends = ["],\"thinking\":", "],\"reasoning\":", "],\"reasoning_effort\":", "]}"];
            let body_end = &before[..ends.iter().filter_map(|end| before.rfind(end)).min().unwrap()];
            // Nothing before the oldest moving breakpoint may change.
            let (_, moving) = before.split_at(before.find("\"messages\":[").unwrap_or(0));
            let fixed = moving.find(mark).map_or(body_end.len(), |at| before.len() - moving.len() + at);
            assert!(wire == WireFormat::Anthropic || fixed == body_end.len());
            assert_eq!(&after[..fixed], &before[..fixed], "{wire:?}");
            assert!(after.replace(mark, "").starts_with(&body_end.replace(mark, "")), "{wire:?}");
        }
        for request in &requests {
            assert_eq!(request.header("content-length").unwrap(), request.body.len().to_string());
        }
        assert_eq!(rig.server.connections(), 1, "the connection is kept between turns");
        assert_eq!(rig.server.times().len(), 6);
    }
}

#[tokio::test]
async fn mo_1_key_header_fits_the_wire_format() {
    for (wire, bearer, name, value) in [
        (WireFormat::Anthropic, false, "x-api-key", KEY.to_owned()),
        (WireFormat::Anthropic, true, "authorization", format!("Bearer {KEY}")),
        (WireFormat::Responses, false, "authorization", format!("Bearer {KEY}")),
        (WireFormat::Chat, false, "authorization", format!("Bearer {KEY}")),
    ] {
        let mut rig = Rig::with(wire, json!([{"text": "x"}]), |endpoint| endpoint.bearer = bearer);
        rig.ask().await.unwrap();
        let request = &rig.server.requests()[0];
        assert_eq!(request.header(name), Some(value.as_str()));
        let both = request.header("x-api-key").is_some() && request.header("authorization").is_some();
        assert!(!both);
        if wire == WireFormat::Anthropic {
            assert_eq!(request.header("anthropic-version"), Some("2023-06-01"));
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn ag_4_dropping_the_answer_closes_the_socket() {
    for wire in WIRES {
        let rig = Rig::new(wire, json!([{"text": "long answer", "fault": {"idle": 3}}]));
        let request = ModelRequest {
            prefix: &rig.prefix,
            messages: &rig.messages,
            max_tokens: 100,
            thinking: Thinking::Off,
            cache_key: "",
        };
        let (heard, mut hears) = tokio::sync::mpsc::unbounded_channel();
        let mut sink = |signal: ModelSignal| {
            let _ = heard.send(signal);
        };
        tokio::select! {
            answer = rig.model.answer(&request, &mut sink) => panic!("{answer:?}"),
            // Part of the answer has arrived; now the user interrupts.
            _ = async { while rig.server.requests().is_empty() { tokio::task::yield_now().await } } => {}
        }
        hears.close();
        assert!(rig.server.wait_for_dropped(1, Duration::from_secs(20)), "{wire:?}");
    }
}

#[tokio::test]
async fn mo_2_reads_fifty_thousand_events() {
    for wire in WIRES {
        let text = "0123456789".repeat(5000);
        let mut rig = Rig::new(wire, json!([{"text": text, "delta": 1}]));
        assert_eq!(text_of(&rig.ask().await.unwrap()), text);
        let deltas = rig.heard.iter().filter(|signal| matches!(signal, ModelSignal::Delta(_)));
        assert_eq!(deltas.count(), 50_000);
    }
}

#[tokio::test]
async fn mo_2_unnamed_and_unknown_events_are_accepted() {
    let anthropic = ": hi\r\n\r\nretry: 100\r\n\r\n\
        data: {\"type\":\"message_start\",\"message\":{\"model\":\"m\",\"usage\":{\"input_tokens\":3}}}\r\n\r\n\
        event: from_the_future\r\ndata: whatever\r\n\r\n\
        data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"server_tool\",\"x\":1}}\r\n\r\n\
        data: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"text\",\"text\":\"h\"}}\r\n\r\n\
        data: {\"type\":\"ping\"}\r\n\r\n\
        data: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"text_delta\",\"text\":\"i\"}}\r\n\r\n\
        data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"new_delta\"}}\r\n\r\n\
        data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":2}}\r\n\r\n\
        data: {\"type\":\"message_stop\"}\r\n\r\n";
    let chat = ": OPENROUTER PROCESSING\n\n\
        data: {\"id\":\"1\",\"model\":\"m\",\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":null,\"reasoning\":\"r\"}}]}\n\n\
        data: {\"choices\":[{\"delta\":{\"content\":\"hi\"},\"finish_reason\":null}],\"x\":{}}\n\n\
        data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":2}}\n\n";
    for (wire, stream) in [(WireFormat::Anthropic, anthropic), (WireFormat::Chat, chat)] {
        let addr = canned(vec![http("200 OK", "text/event-stream; charset=utf-8", stream)]);
        let mut rig = Rig::new(wire, json!([]));
        rig.model = connect(endpoint(wire, &format!("http://{addr}"))).unwrap();
        let response = rig.ask().await.unwrap();
        assert_eq!(text_of(&response), "hi");
        assert_eq!((response.usage.input_tokens, response.usage.output_tokens), (3, 2), "{wire:?}");
    }
}

#[tokio::test]
async fn mo_2_bad_call_indexes_are_understood() {
    let chunk =
        |calls: Value| format!("data: {}\n\n", json!({"choices": [{"index": 0, "delta": {"tool_calls": calls}}]}));
    let stream = [
        // All complete, all with index 0, with distinct ids.
        chunk(json!([{"index": 0, "id": "call_aaaaaa", "function": {"name": "Read", "arguments": "{\"a\":1}"}}])),
        chunk(json!([{"index": 0, "id": "call_bbbbbb", "function": {"name": "Read", "arguments": "{\"b\":2}"}}])),
        // Ids that every answer repeats.
        chunk(json!([{"index": 1, "id": "0", "function": {"name": "Read", "arguments": ""}}])),
        chunk(json!([{"index": 1, "function": {"arguments": "{\"c\":3}"}}])),
        "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n".to_owned(),
    ];
    let addr = canned(vec![http("200 OK", "text/event-stream", &stream.concat())]);
    let mut rig = Rig::new(WireFormat::Chat, json!([]));
    rig.model = connect(endpoint(WireFormat::Chat, &format!("http://{addr}"))).unwrap();
    let response = rig.ask().await.unwrap();
    let calls = calls_of(&response);
    let inputs: Vec<Value> = calls.iter().map(|call| call.input.to_json()).collect();
    assert_eq!(inputs, [json!({"a": 1}), json!({"b": 2}), json!({"c": 3})]);
    assert!(calls[2].id.len() > 9);
    assert_eq!(response.stop, StopReason::ToolUse);
}

#[tokio::test]
async fn mo_2_openrouter_reasoning_details_are_sent_back() {
    let delta = |delta: Value| format!("data: {}\n\n", json!({"choices": [{"delta": delta}]}));
    let detail = |text: Value| json!([{"type": "reasoning.text", "index": 0, "text": text, "signature": null}]);
    let stream = [
        delta(json!({"reasoning": "I ", "reasoning_details": detail(json!("I "))})),
        delta(json!({"reasoning": "see", "reasoning_details": detail(json!("see"))})),
        delta(json!({"reasoning_details": [{"type": "reasoning.text", "index": 0, "signature": "sig"}]})),
        delta(
            json!({"tool_calls": [{"index": 0, "id": "call_123456", "function": {"name": "Read", "arguments": "{}"}}]}),
        ),
        "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n".to_owned(),
    ];
    let addr = canned(vec![http("200 OK", "text/event-stream", &stream.concat())]);
    let mut rig = Rig::new(WireFormat::Chat, json!([{"text": "ok"}]));
    let scenario = rig.model.clone();
    rig.model = connect(endpoint(WireFormat::Chat, &format!("http://{addr}"))).unwrap();
    let response = rig.ask().await.unwrap();
    rig.keep(&response);
    rig.model = scenario;
    rig.ask().await.unwrap();
    let sent = &rig.body(0)["messages"][2];
    assert_eq!(sent["reasoning"], "I see");
    let expected = json!([{"type": "reasoning.text", "index": 0, "text": "I see", "signature": "sig"}]);
    assert_eq!(sent["reasoning_details"], expected);
}

#[tokio::test]
async fn ag_7_concurrent_requests_are_independent() {
    let mut rig = Rig::new(WireFormat::Anthropic, json!([{"text": "yes", "repeat": 2}]));
    rig.push(Message::User { content: vec![] });
    let other = [Arc::new(Message::user_text("something else"))];
    let request = |messages| ModelRequest {
        prefix: &rig.prefix,
        messages,
        max_tokens: 100,
        thinking: Thinking::Off,
        cache_key: "",
    };
    let (first, second) = (request(&rig.messages), request(&other));
    let (mut one, mut two) = (|_| {}, |_| {});
    let (a, b) = tokio::join!(rig.model.answer(&first, &mut one), rig.model.answer(&second, &mut two));
    assert!(a.is_ok() && b.is_ok());
    let bodies: Vec<String> = rig.server.requests().iter().map(|r| r.json()["messages"].to_string()).collect();
    assert!(bodies.iter().any(|body| body.contains("\"go\"") && !body.contains("else")), "{bodies:?}");
    assert!(bodies.iter().any(|body| body.contains("something else") && !body.contains("\"go\"")), "{bodies:?}");
}
