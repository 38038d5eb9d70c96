//! MO-5: tests the scripted provider and the scenario server alone.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod rig;

use cutonce_core::conversation::{Message, WireFormat};
use cutonce_models::scripted::{LoopbackServer, RequestRecording};
use cutonce_models::{Endpoint, connect, resolve};
use rig::*;
use serde_json::{Value, json};
use std::sync::Arc;

#[tokio::test]
async fn mo_5_scenario_file_uses_the_real_path() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("story.json");
    let turns = json!([{"calls": [{"name": "Read", "input": {}}]}, {"fault": {"status": 529}}, {"text": "done"}]);
    std::fs::write(&path, json!({"turns": turns, "expect": "for another reader"}).to_string()).unwrap();
    for (name, wire) in [
        ("scripted", WireFormat::Anthropic),
        ("scripted+responses", WireFormat::Responses),
        ("scripted+chat", WireFormat::Chat),
    ] {
        let choice = resolve(&format!("{name}/{}", path.display()), &|_| None, &[]).unwrap();
        let mut rig = Rig::new(wire, json!([]));
        rig.model = choice.connect().unwrap();
        assert_eq!(rig.model.wire(), wire);
        let response = rig.ask().await.unwrap();
        assert_eq!(calls_of(&response)[0].name, "Read");
        assert_eq!(text_of(&rig.ask().await.unwrap()), "done");
        assert_eq!(rig.retries().len(), 1);
        let error = rig.ask().await.unwrap_err();
        assert!(error.message.contains("the scenario is over: all turns were used after 3 requests"), "{error}");
    }
    let missing = resolve("scripted/no/such.json", &|_| None, &[]).unwrap().connect().err().unwrap();
    assert!(missing.message.contains("Cannot play the scenario no/such.json"), "{missing}");
}

#[tokio::test]
async fn mo_5_turns_match_their_requests() {
    let turns = json!([
        {"text": "for \"b\"\n", "when": "say \"b\"\n"},
        {"text": "for a", "when": "say a"},
        {"text": "for anyone"},
    ]);
    let mut rig = Rig::new(WireFormat::Chat, turns);
    for (say, expected) in [("say a", "for a"), ("say \"b\"\n!", "for \"b\"\n"), ("say a", "for anyone")] {
        rig.messages = vec![Arc::new(Message::user_text(say))];
        assert_eq!(text_of(&rig.ask().await.unwrap()), expected);
    }
    let mut rig = Rig::new(WireFormat::Chat, json!([{"text": "x", "when": "never said"}]));
    let error = rig.ask().await.unwrap_err();
    assert!(error.message.contains("remaining: never said"), "{error}");
}

#[tokio::test]
async fn mo_5_repeated_turn_numbers_its_uses() {
    let turn = json!({"text": "turn {n}", "calls": [{"name": "Read", "input": {"path": "f{n}"}}], "repeat": 3});
    let mut rig = Rig::new(WireFormat::Responses, json!([turn, {"text": "keeps {n}"}]));
    for n in 1..=3 {
        let response = rig.ask().await.unwrap();
        assert_eq!(text_of(&response), format!("turn {n}"));
        assert_eq!(calls_of(&response)[0].input.to_json(), json!({"path": format!("f{n}")}));
    }
    assert_eq!(text_of(&rig.ask().await.unwrap()), "keeps {n}");
}

#[tokio::test]
async fn mo_5_unrecorded_server_keeps_no_requests() {
    for wire in WIRES {
        let turns = json!({"turns": [{"text": "fast {n}", "repeat": 2}]});
        let server = LoopbackServer::start_with(script(turns), RequestRecording::Off).unwrap();
        let mut rig = Rig::new(wire, json!([]));
        rig.model = connect(Endpoint { model: "m-1".into(), ..endpoint(wire, &server.base_url(wire)) }).unwrap();
        rig.push(Message::user_text("long ".repeat(100_000)));
        let response = rig.ask().await.unwrap();
        assert_eq!((text_of(&response).as_str(), response.model.as_str()), ("fast 1", "m-1"));
        assert_eq!(text_of(&rig.ask().await.unwrap()), "fast 2");
        assert!(server.requests().is_empty());
        assert_eq!((server.remaining_turns(), server.times().len(), server.connections()), (0, 2, 1));
    }
}

#[tokio::test]
async fn mo_5_non_streaming_clients_get_the_full_answer() {
    let turn = json!({"thinking": "t", "text": "hello", "calls": [{"name": "Read", "input": {"a": 1}}], "repeat": 3});
    let server = LoopbackServer::start(script(json!({ "turns": [turn] }))).unwrap();
    let http = reqwest::Client::builder().no_proxy();
    let _ = rustls::crypto::ring::default_provider().install_default();
    let http = http.build().unwrap();
    let post = async |path: &str| -> Value {
        let url = format!("http://{}{path}", server.addr());
        let sent = http.post(url).body("{\"stream\": false, \"model\": \"m\"}").send().await.unwrap();
        serde_json::from_slice(&sent.bytes().await.unwrap()).unwrap()
    };
    let answer = post("/v1/messages").await;
    assert_eq!(answer["content"][1], json!({"type": "text", "text": "hello"}));
    assert_eq!((&answer["stop_reason"], &answer["model"]), (&json!("tool_use"), &json!("m")));
    let answer = post("/v1/responses").await;
    assert_eq!(answer["output"][1]["content"][0]["text"], "hello");
    let answer = post("/chat/completions").await;
    assert_eq!(answer["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"], "{\"a\":1}");
    let models = http.get(format!("http://{}/v1/models", server.addr())).send().await.unwrap();
    assert!(String::from_utf8_lossy(&models.bytes().await.unwrap()).contains("scripted"));
    assert_eq!(post("/v1/other").await["error"]["type"], "not_found_error");
}
