//! MO-3, MO-4: every fault ends in recovery or in one clear message, in each wire format, over a real socket.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod rig;

use cutonce_core::conversation::{StopReason, WireFormat};
use cutonce_core::model_request::Thinking;
use cutonce_models::{Endpoint, FaultKind, ModelSignal, RetryPolicy, connect};
use rig::*;
use serde_json::{Value, json};
use std::time::Duration;

fn good() -> Value {
    json!({"thinking": "hm", "text": "whole answer", "calls": [{"name": "Read", "input": {"path": "a"}}]})
}

fn with_fault(fault: Value) -> Value {
    let mut turn = good();
    turn["fault"] = fault;
    turn
}

#[tokio::test]
async fn mo_3_transient_faults_are_retried_and_reported() {
    let faults = [
        (json!({"status": 408}), Some(408), "answered 408"),
        (json!({"status": 409}), Some(409), "answered 409"),
        (json!({"status": 429, "retry_after": "0"}), Some(429), "answered 429"),
        (json!({"status": 500, "retry_after_ms": "0"}), Some(500), "answered 500"),
        (json!({"status": 529, "message": "Overloaded"}), Some(529), "answered 529: Overloaded"),
        (json!({"status": 502, "body": "<html><h1>Bad Gateway</h1>"}), Some(502), "502: the web page «Bad Gateway»"),
        (json!("cut"), None, "cut the stream in the middle of the answer"),
        (json!({"cut": 0}), None, "cut the stream in the middle of the answer"),
        (json!("half_event"), None, "cut the stream in the middle of an event"),
        (json!("malformed_event"), None, "sent a malformed event"),
        (json!("refuse"), None, "no connection to http://127.0.0.1"),
        (
            json!({"error": {"type": "overloaded_error", "message": "Overloaded"}}),
            Some(529),
            "answered 529: Overloaded",
        ),
        (json!({"error": {"type": "server_error", "message": "oops"}}), Some(500), "answered 500: oops"),
    ];
    for wire in WIRES {
        for (fault, status, reason) in &faults {
            let mut rig = Rig::new(wire, json!([with_fault(fault.clone()), good()]));
            let response = rig.ask().await.unwrap();
            assert_eq!(
                (text_of(&response).as_str(), &response.stop),
                ("whole answer", &StopReason::ToolUse),
                "{wire:?} {fault}"
            );
            assert_eq!(calls_of(&response).len(), 1);
            let retries = rig.retries();
            assert_eq!(retries.len(), 1, "{wire:?} {fault} {retries:?}");
            assert_eq!(retries[0].0, *status, "{wire:?} {fault}");
            assert!(retries[0].1.contains(reason), "{wire:?} {fault}: {}", retries[0].1);
            assert_eq!(rig.shown().1, "whole answer", "what was shown before the retry is void");
            let requests = rig.server.requests();
            assert_eq!(requests[0].body, requests[1].body, "the same request again");
        }
    }
}

#[tokio::test]
async fn mo_3_silent_stream_is_retried() {
    for wire in WIRES {
        for fault in [json!("idle"), json!({"idle": 4})] {
            let turns = json!([with_fault(fault), good()]);
            let mut rig = Rig::with(wire, turns, |endpoint| endpoint.idle_timeout = Duration::from_millis(300));
            assert_eq!(text_of(&rig.ask().await.unwrap()), "whole answer");
            let host = rig.server.addr().to_string();
            assert_eq!(rig.retries()[0].1, format!("{host} sent nothing for 0.3 s"));
            // The silence was reported before it was given up.
            let first =
                rig.heard.iter().find(|signal| !matches!(signal, ModelSignal::Delta(_) | ModelSignal::Usage(_)));
            assert_eq!(first, Some(&ModelSignal::Waiting { host, seconds: 0 }), "{:?}", rig.heard);
        }
    }
}

/// A silent provider costs the whole timeout each time, so it is not asked eleven times.
#[tokio::test]
async fn mo_3_silent_provider_is_retried_twice() {
    for wire in WIRES {
        let mut turn = with_fault(json!("idle"));
        turn["repeat"] = json!(9);
        let mut rig = Rig::with(wire, json!([turn]), |endpoint| endpoint.idle_timeout = Duration::from_millis(100));
        let error = rig.ask().await.unwrap_err();
        assert_eq!((error.kind, rig.server.requests().len()), (FaultKind::Exhausted, 3), "{error}");
    }
}

#[tokio::test]
async fn mo_3_retries_are_limited() {
    for wire in WIRES {
        for fault in
            [json!({"status": 503, "message": "down"}), json!("cut"), json!("malformed_event"), json!("refuse")]
        {
            let mut turn = with_fault(fault.clone());
            turn["repeat"] = json!(9);
            let mut rig = Rig::new(wire, json!([turn]));
            let error = rig.ask().await.unwrap_err();
            assert_eq!(error.kind, FaultKind::Exhausted, "{error}");
            assert!(error.message.contains("No answer after 4 attempts: "), "{error}");
            assert_eq!((rig.server.requests().len(), rig.retries().len()), (4, 3), "{wire:?} {fault}");
            let Some(ModelSignal::Retry { attempt, max, .. }) =
                rig.heard.iter().rfind(|s| matches!(s, ModelSignal::Retry { .. }))
            else {
                panic!()
            };
            assert_eq!((*attempt, *max), (3, 3));
        }
    }
}

#[tokio::test]
async fn mo_3_unreachable_server_is_one_clear_message() {
    for wire in WIRES {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let addr = listener.local_addr().unwrap();
        drop(listener);
        let mut rig = Rig::new(wire, json!([]));
        rig.model =
            connect(Endpoint { retry: RetryPolicy::instant(10), ..endpoint(wire, &format!("http://{addr}")) }).unwrap();
        let error = rig.ask().await.unwrap_err();
        assert_eq!((error.kind, error.status), (FaultKind::Exhausted, None));
        assert!(
            error.message.starts_with(&format!("No answer after 3 attempts: no connection to http://{addr}")),
            "{error}"
        );
        assert!(error.message.ends_with("Is the server running, and on that port?"), "{error}");
    }
}

#[tokio::test]
async fn mo_3_final_errors_quote_the_provider_immediately() {
    let check = [
        (400, "tools.0: bad schema", FaultKind::Refused, "Sending it again would not help."),
        (401, "invalid key", FaultKind::Key, "Set ACME_KEY to a valid key, or store one: cutonce key ACME_KEY."),
        (403, "not yours", FaultKind::Key, "Check what the key may use."),
        (404, "no such model", FaultKind::NotFound, "Check the model's name and the base URL."),
        (413, "too big", FaultKind::TooLong, "Use /compact."),
        (422, "unprocessable", FaultKind::Refused, "Sending it again would not help."),
        (400, "prompt is too long: 2 tokens > 1 maximum", FaultKind::TooLong, "Use /compact."),
    ];
    for wire in WIRES {
        for (status, words, kind, hint) in check {
            let mut rig = Rig::new(wire, json!([{"fault": {"status": status, "message": words}}, good()]));
            let error = rig.ask().await.unwrap_err();
            assert_eq!((error.kind, error.status), (kind, Some(status)), "{error}");
            assert!(error.message.contains(words) && error.message.ends_with(hint), "{error}");
            assert!(rig.heard.is_empty() && rig.server.remaining_turns() == 1);
        }
        let after =
            json!({"fault": {"error": {"type": "invalid_request_error", "message": "context window exceeded"}}});
        let mut rig = Rig::new(wire, json!([after]));
        assert_eq!(rig.ask().await.unwrap_err().kind, FaultKind::TooLong);
    }
}

#[tokio::test]
async fn mo_3_hour_long_wait_is_reported() {
    let mut rig = Rig::new(WireFormat::Anthropic, json!([{"fault": {"status": 429, "retry_after": "3600"}}]));
    let error = rig.ask().await.unwrap_err();
    assert!(error.message.contains("asks to wait 3600 s"), "{error}");
    assert!(rig.heard.is_empty());
}

#[tokio::test]
async fn mo_4_no_message_contains_the_key() {
    let echo = format!("{{\"error\":{{\"message\":\"key {KEY} is bad\"}}}}");
    for wire in WIRES {
        for status in [400, 401, 403, 404, 422, 429, 500] {
            let fault = json!({"fault": {"status": status, "body": echo}, "repeat": 9});
            let mut rig = Rig::new(wire, json!([fault]));
            let error = rig.ask().await.unwrap_err();
            let all = format!("{error} {error:?} {:?}", rig.heard);
            assert!(all.contains("key [key] is bad") && !all.contains(KEY), "{all}");
        }
        let error = json!({"error": {"type": "server_error", "message": format!("echo {KEY}")}});
        let mut rig = Rig::new(wire, json!([{"fault": error, "repeat": 9}]));
        let error = rig.ask().await.unwrap_err();
        let all = format!("{error:?} {:?}", rig.heard);
        assert!(all.contains("[key]") && !all.contains(KEY), "{all}");
    }
    let mut rig =
        Rig::with(WireFormat::Chat, json!([]), |endpoint| endpoint.key = Some("bad\nkey-text".to_owned().into()));
    let error = rig.ask().await.unwrap_err();
    assert!(
        error.message.contains("characters that are not allowed in a header")
            && !format!("{error:?}").contains("key-text")
    );
}

#[tokio::test]
async fn mo_3_html_instead_of_a_stream_is_reported() {
    for wire in WIRES {
        let addr = canned(vec![http("200 OK", "text/html", "<html><title>Welcome</title></html>")]);
        let mut rig = Rig::new(wire, json!([]));
        rig.model = connect(endpoint(wire, &format!("http://{addr}"))).unwrap();
        let error = rig.ask().await.unwrap_err();
        let words = "answered with text/html instead of an event stream: the web page «Welcome»\nA proxy";
        assert!(error.message.contains(words), "{error}");
    }
}

#[tokio::test]
async fn mo_3_garbage_answer_is_retried() {
    for garbage in
        [&b"\x16\x03\x01\x02\x00 not http at all"[..], b"", b"HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\ndata: {"]
    {
        let addr = canned(vec![garbage.to_vec(); 4]);
        let mut rig = Rig::new(WireFormat::Chat, json!([]));
        rig.model = connect(endpoint(WireFormat::Chat, &format!("http://{addr}"))).unwrap();
        let error = rig.ask().await.unwrap_err();
        assert_eq!((error.kind, rig.retries().len()), (FaultKind::Exhausted, 3), "{error}");
    }
}

#[tokio::test]
async fn mo_3_endless_event_is_rejected() {
    let body = format!("data: {}", "x".repeat(17 << 20));
    let addr = canned(vec![http("200 OK", "text/event-stream", &body)]);
    let mut rig = Rig::new(WireFormat::Chat, json!([]));
    rig.model = connect(endpoint(WireFormat::Chat, &format!("http://{addr}"))).unwrap();
    let error = rig.ask().await.unwrap_err();
    assert!(error.message.contains("over 16 MB"), "{error}");
}

#[tokio::test]
async fn mo_2_unsupported_thinking_is_not_requested_again() {
    for (wire, words) in [
        (WireFormat::Chat, "\"llama\" does not support thinking"),
        (WireFormat::Responses, "Unsupported parameter: 'reasoning.effort' is not supported with this model."),
        (WireFormat::Anthropic, "thinking is not supported on this model"),
    ] {
        let turns = json!([{"fault": {"status": 400, "message": words}}, {"text": "a"}, {"text": "b"}]);
        let mut rig = Rig::new(wire, turns);
        rig.thinking = Thinking::Budget(3000);
        assert_eq!(text_of(&rig.ask().await.unwrap()), "a", "{wire:?}");
        assert_eq!(rig.retries().len(), 1);
        assert_eq!(text_of(&rig.ask().await.unwrap()), "b");
        let asks =
            |at: usize| ["thinking", "reasoning", "reasoning_effort"].iter().any(|f| rig.body(at).get(f).is_some());
        assert_eq!([asks(0), asks(1), asks(2)], [true, false, false], "{wire:?}");
    }
}

#[tokio::test]
async fn mo_3_server_without_tls_is_reported() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let addr = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        while let Ok((mut socket, _)) = listener.accept() {
            let _ = std::io::Write::write_all(&mut socket, b"HTTP/1.1 400 Bad Request\r\n\r\n");
        }
    });
    let mut rig = Rig::new(WireFormat::Anthropic, json!([]));
    rig.model = connect(endpoint(WireFormat::Anthropic, &format!("https://{addr}"))).unwrap();
    let error = rig.ask().await.unwrap_err();
    let told = ["No answer after 4 attempts: no connection to https://127.0.0.1", "No secure connection to acme"];
    assert!(told.iter().any(|start| error.message.starts_with(start)), "{error}");
}

/// DU-3: what a provider reported before the answer failed or was cut.
#[tokio::test]
async fn du_3_usage_of_unfinished_answers_is_reported() {
    let anthropic = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"model\":\"m\",\"usage\":{\"input_tokens\":7}}}\n\n";
    let chat = "data: {\"choices\":[{\"delta\":{\"content\":\"half\"}}],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":1}}\n\n";
    let responses = "event: response.failed\ndata: {\"type\":\"response.failed\",\"response\":{\"model\":\"m\",\"status\":\"failed\",\"error\":{\"code\":\"server_error\",\"message\":\"no\"},\"usage\":{\"input_tokens\":7,\"output_tokens\":1}}}\n\n";
    for (wire, body) in WIRES.into_iter().zip([anthropic, responses, chat]) {
        let addr = canned(vec![http("200 OK", "text/event-stream", body)]);
        let mut endpoint = endpoint(wire, &format!("http://{addr}"));
        endpoint.retry = RetryPolicy::instant(0);
        let mut rig = Rig::new(wire, json!([]));
        rig.model = connect(endpoint).unwrap();
        assert!(rig.ask().await.is_err(), "{wire:?}");
        let reported = rig.heard.iter().find_map(|signal| match signal {
            ModelSignal::Usage(usage) => Some(usage.input_tokens),
            _ => None,
        });
        assert_eq!(reported, Some(7), "{wire:?}");
    }
}
