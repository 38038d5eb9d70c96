//! Model selection: settings × mode × context → model.

use super::*;
use crate::conversation::{OpaqueThinking, ToolInput, ToolResult, ToolUse};
use serde_json::{Value, json};
use std::sync::Arc;

const COMPACT: &str = "(compact first)";

fn settings(model: Value) -> Settings {
    serde_json::from_value(json!({
        "model": model,
        "models": {
            "small": { "id": "small-1", "provider": "x", "class": "other", "context": 100_000 },
            "mid": { "id": "mid-1", "provider": "x", "class": "other", "context": 200_000 },
            "big": { "id": "big-1", "provider": "x", "class": "other", "context": 1_000_000 },
            "tiny": { "id": "tiny-1", "provider": "ollama", "class": "haiku", "context": 32_000 },
            "quick": { "id": "quick-1", "provider": "y", "class": "haiku", "context": 500_000 },
            "solid": { "id": "solid-1", "provider": "y", "class": "sonnet", "context": 500_000 },
        },
    }))
    .unwrap()
}

fn check(model: Value, main: &str, mode: Mode, context: u64, expected: &str) {
    let shown = match select_model(&settings(model.clone()), main, mode, context) {
        ModelSelection::Use(name) => name,
        ModelSelection::CompactFirst => COMPACT.to_string(),
    };
    assert_eq!(shown, expected, "{model} main {main}, {mode}, context {context}");
}

#[test]
fn pm_110_model_by_settings_and_mode() {
    for mode in [Mode::Default, Mode::AcceptEdits, Mode::Auto, Mode::BypassPermissions] {
        check(json!({}), "sonnet", mode, 0, "sonnet");
        check(json!({}), "haiku", mode, 0, "haiku");
        check(json!({ "plan": "opus" }), "sonnet", mode, 0, "sonnet");
        check(json!({ "plan": "opus", "large": "big" }), "sonnet", mode, 500_000, "sonnet");
    }
    check(json!({}), "sonnet", Mode::Plan, 0, "sonnet");
    check(json!({}), "opus", Mode::Plan, 0, "opus");
    check(json!({}), "gpt-5", Mode::Plan, 0, "gpt-5");
    check(json!({ "plan": "opus" }), "sonnet", Mode::Plan, 0, "opus");
    check(json!({ "plan": "haiku" }), "opus", Mode::Plan, 0, "haiku");
    check(json!({ "plan": "opus" }), "haiku", Mode::Plan, 0, "opus");
}

#[test]
fn pm_110_plan_mode_raises_a_haiku_main_model() {
    check(json!({}), "haiku", Mode::Plan, 0, "sonnet");
    check(json!({}), "claude-haiku-4-5-20251001", Mode::Plan, 0, "sonnet");
    check(json!({}), "anthropic/claude-haiku-4-5", Mode::Plan, 0, "sonnet");
    // The user's own table applies; never a provider that may have no key.
    check(json!({}), "quick", Mode::Plan, 0, "solid");
    check(json!({}), "tiny", Mode::Plan, 0, "tiny");
    check(json!({}), "ollama/tiny-1", Mode::Plan, 0, "ollama/tiny-1");
}

#[test]
fn pm_110_opusplan_selects_a_pair() {
    let mut all = settings(json!({}));
    all.model.set_main_model("opusplan");
    let main = all.model.main.clone().unwrap();
    assert_eq!(select_model(&all, &main, Mode::Default, 0), ModelSelection::Use("sonnet".into()));
    assert_eq!(select_model(&all, &main, Mode::Plan, 0), ModelSelection::Use("opus".into()));
}

#[test]
fn pm_111_large_context_in_plan_mode() {
    let pair = || json!({ "plan": "mid" });
    let with_large = || json!({ "plan": "mid", "large": "big" });
    check(pair(), "big", Mode::Plan, 199_999, "mid");
    check(with_large(), "big", Mode::Plan, 199_999, "mid");
    // The plan model's own window decides: a full one can't answer.
    check(pair(), "big", Mode::Plan, 200_000, "big");
    check(with_large(), "mid", Mode::Plan, 200_000, "big");
    check(json!({ "plan": "big", "large": "opus" }), "mid", Mode::Plan, 200_001, "big");
    check(json!({ "plan": "big" }), "mid", Mode::Plan, 999_999, "big");
    // Never a model whose window is too small.
    check(pair(), "mid", Mode::Plan, 200_001, COMPACT);
    check(json!({ "plan": "mid", "large": "small" }), "big", Mode::Plan, 300_000, COMPACT);
    check(json!({ "plan": "small" }), "big", Mode::Plan, 150_000, "big");
    check(json!({ "plan": "small" }), "mid", Mode::Plan, 250_000, COMPACT);
    check(with_large(), "mid", Mode::Plan, 1_000_000, COMPACT);
    // Without model.plan, the main model is used for any context.
    check(json!({ "large": "big" }), "mid", Mode::Plan, 150_000, "mid");
    check(json!({ "large": "opus" }), "big", Mode::Plan, 300_000, "big");
    // Back to a main model whose window is too small for the conversation.
    check(with_large(), "mid", Mode::Default, 300_000, COMPACT);
}

fn answer(thinking: Option<WireFormat>) -> SharedMessage {
    let call = ToolUse { id: "c".into(), name: "Read".into(), input: ToolInput::Json(json!({})) };
    let opaque = thinking.map(|wire| OpaqueThinking { wire, value: json!("sig") });
    let thought = opaque.map(|opaque| ContentBlock::Thinking { text: "hm".into(), opaque: Some(opaque) });
    let blocks = thought.into_iter().chain([ContentBlock::ToolUse(call)]).collect();
    Arc::new(Message::Assistant { model: "m".into(), blocks })
}

#[test]
fn pm_112_switch_if_the_wire_format_accepts_it() {
    let said = || Arc::new(Message::user_text("do it"));
    let result = || Arc::new(Message::Tool(ToolResult::text("c", "ok")));
    let check = |thinking: Option<WireFormat>, to: WireFormat, thinks: bool, expected: bool| {
        let turn = [said(), answer(thinking), result()];
        assert_eq!(can_switch_model(&turn, to, thinks), expected, "{thinking:?} → {to:?}, thinks: {thinks}");
        // At the beginning of a turn, a switch is always possible.
        assert!(can_switch_model(&[said()], to, thinks) && can_switch_model(&[], to, thinks));
    };
    check(Some(WireFormat::Anthropic), WireFormat::Anthropic, true, false);
    check(Some(WireFormat::Anthropic), WireFormat::Anthropic, false, false);
    check(Some(WireFormat::Responses), WireFormat::Responses, true, false);
    check(Some(WireFormat::Chat), WireFormat::Chat, true, false);
    check(Some(WireFormat::Responses), WireFormat::Anthropic, true, false);
    check(None, WireFormat::Anthropic, false, true);
    check(None, WireFormat::Anthropic, true, false);
    check(None, WireFormat::Responses, true, true);
    check(None, WireFormat::Chat, false, true);
    // One thinking block anywhere in the loop is enough.
    let turn = [said(), answer(Some(WireFormat::Anthropic)), result(), answer(None), result()];
    assert!(!can_switch_model(&turn, WireFormat::Anthropic, false));
}

#[test]
fn sa_2_agent_model_is_its_own_or_inherited() {
    let mut settings = Settings::default();
    let model =
        |settings: &Settings, inherited: &str, wish: &str| agent_model(settings, inherited, &AgentModel::parse(wish));
    assert_eq!(model(&settings, "anthropic/claude-opus-4-1", "inherit"), "anthropic/claude-opus-4-1");
    assert_eq!(model(&settings, "sonnet", "small"), "haiku");
    assert_eq!(model(&settings, "ollama/qwen3", "small"), "ollama/qwen3");
    assert_eq!(model(&settings, "sonnet", "plan"), "sonnet");
    assert_eq!(model(&settings, "sonnet", "opus"), "opus");
    (settings.model.small, settings.model.plan) = (Some("tiny".into()), Some("wise".into()));
    assert_eq!(model(&settings, "sonnet", "small"), "tiny");
    assert_eq!(model(&settings, "sonnet", "plan"), "wise");
}
