use super::replay::{BEGINNING_MISSING, INTERRUPTED_RESULT, check_valid_for_provider};
use super::*;
use crate::conversation::{Message, OpaqueThinking, SharedMessage, ToolInput, ToolUse, WireFormat};
use crate::permission::Why;
use crate::permission::rules::{ConfigSource, RuleBehavior};
use crate::protocol::event::TodoStatus;
use proptest::prelude::*;
use serde_json::json;

fn entry(body: EntryBody) -> TranscriptEntry {
    TranscriptEntry { id: "0192".into(), parent: Some("0191".into()), at: "2026-11-15T21:14:03.123Z".into(), body }
}

fn user(text: &str) -> EntryBody {
    EntryBody::User { text: text.into(), images: vec![], meta: false, plan_content: None }
}

fn assistant(calls: &[&str]) -> EntryBody {
    let text = ContentBlock::Text { text: "hm".into() };
    let call = |id: &&str| {
        ContentBlock::ToolUse(ToolUse {
            id: id.to_string(),
            name: "Read".into(),
            input: ToolInput::Json(json!({ "path": "a" })),
        })
    };
    let blocks = std::iter::once(text).chain(calls.iter().map(call)).collect();
    let usage = TokenUsage { input_tokens: calls.len() as u64, ..TokenUsage::default() };
    EntryBody::Assistant { model: "m".into(), blocks, usage, stop: StopReason::ToolUse }
}

fn tool(call_id: &str, output: &str) -> EntryBody {
    named_tool(call_id, "Read", json!({ "path": "a" }), output)
}

fn named_tool(call_id: &str, name: &str, input: Value, output: &str) -> EntryBody {
    let why = Why { reason: "read".into(), rule: Some("Read".into()), source: Some(ConfigSource::User) };
    EntryBody::Tool {
        call_id: call_id.into(),
        name: name.into(),
        input,
        output: vec![ResultPart::Text { text: output.into() }],
        is_error: false,
        decision: DecisionRecord { behavior: RuleBehavior::Allow, why },
        seen: vec![],
    }
}

fn reminder(text: &str) -> EntryBody {
    EntryBody::Reminder { kind: "plan_mode".into(), form: None, path: None, exists: None, text: text.into() }
}

fn mode(from: Mode, to: Mode) -> EntryBody {
    EntryBody::Mode { from, to, by: ChangedBy::User }
}

fn session(slug: Option<&str>) -> EntryBody {
    EntryBody::Session {
        session_id: "s".into(),
        version: "1".into(),
        cwd: "/w".into(),
        branch: Some("main".into()),
        slug: slug.map(str::to_string),
        forked_from: None,
        agent: None,
    }
}

fn run(bodies: impl IntoIterator<Item = EntryBody>) -> ReplayedSession {
    replay_session(bodies.into_iter().map(entry))
}

/// Short form of the conversation: `u:`, `a`, `t:`, with the beginning of the text.
fn short(conversation: &[SharedMessage]) -> Vec<String> {
    let text = |blocks: &[ContentBlock]| match &blocks[0] {
        ContentBlock::Text { text } => text.clone(),
        other => format!("{other:?}"),
    };
    let line = |message: &SharedMessage| match &**message {
        Message::User { content } => format!("u:{}", text(content)),
        Message::Assistant { .. } => "a".to_string(),
        Message::Tool(result) => format!("t:{}:{}", result.call_id, result.as_text()),
    };
    conversation.iter().map(line).collect()
}

#[test]
fn se_6_line_starts_with_the_header() {
    let line = entry(tool("c1", "two\nlines")).to_line();
    assert_eq!(
        line,
        r#"{"type":"tool","id":"0192","parent":"0191","at":"2026-11-15T21:14:03.123Z","callId":"c1","name":"Read","input":{"path":"a"},"output":[{"type":"text","text":"two\nlines"}],"isError":false,"decision":{"behavior":"allow","reason":"read","rule":"Read","source":"user"}}"#
    );
    let header = EntryHeader::skim(line.as_bytes()).unwrap();
    assert_eq!((header.kind, header.tool, header.id.as_ref()), (EntryKind::Tool, Some("Read"), "0192"));
    let clear = TranscriptEntry { parent: None, ..entry(EntryBody::Clear { plan_content: None }) }.to_line();
    assert_eq!(clear, r#"{"type":"clear","id":"0192","parent":null,"at":"2026-11-15T21:14:03.123Z"}"#);
    assert_eq!(EntryHeader::skim(clear.as_bytes()).unwrap().parent, None);
}

#[test]
fn se_6_fields_are_read_in_any_order() {
    let line = br#" {"text":"hi","at":"2026","parent":null,"id":"x","type":"user","later":{"type":"mode"}} "#;
    assert_eq!(EntryHeader::skim(line), None);
    let expected = TranscriptEntry { id: "x".into(), parent: None, at: "2026".into(), body: user("hi") };
    assert_eq!(TranscriptEntry::parse(line), Ok(expected));
}

#[test]
fn se_2_invalid_lines_are_skipped_with_a_reason() {
    let check = |line: &[u8], expected: &str| {
        let skip = TranscriptEntry::parse(line).unwrap_err().to_string();
        assert!(skip.contains(expected), "{:?}: {skip}", String::from_utf8_lossy(line));
    };
    check(b"", "torn");
    check(b"\0\0\0\0", "zero bytes");
    check(b"garbage", "not a JSON object");
    check(b"[1]", "a field is invalid");
    check(b"{\"type\":\"user\",\"id\":\"x\",\"pa", "torn");
    check(b"{\"type\":\"user\",\"text\":\"\xff\"}", "not UTF-8");
    check(br#"{"type":"user","id":"x","parent":null,"at":"t"}"#, "text");
    check(br#"{"type":"user","id":"x","parent":null,"at":"t","text":5}"#, "expected a string");
    check(br#"{"type":"user","parent":null,"at":"t","text":"no id"}"#, "id");
    check(br#"{"type":"hologram","id":"x","parent":null,"at":"t"}"#, "unknown entry type `hologram`");
    check(br#"{"type":"user","id":"x","parent":null,"at":"t","text":"a"}{"type"#, "not a JSON object");
}

#[test]
fn ag_3_results_follow_the_order_of_calls() {
    let replayed = run([user("go"), assistant(&["a", "b", "c"]), tool("c", "3"), tool("a", "1"), tool("b", "2")]);
    assert_eq!(short(&replayed.conversation), ["u:go", "a", "t:a:1", "t:b:2", "t:c:3"]);
}

#[test]
fn ag_4_call_without_a_result_gets_one() {
    let replayed = run([user("go"), assistant(&["a", "b"]), tool("b", "2")]);
    assert_eq!(short(&replayed.conversation)[2..], [format!("t:a:{INTERRUPTED_RESULT}"), "t:b:2".into()]);
    let Message::Tool(result) = &*replayed.conversation[2] else { panic!("no result") };
    assert!(result.is_error);
    // The next user message closes the calls too.
    let replayed = run([user("go"), assistant(&["a"]), user("again"), assistant(&[])]);
    assert_eq!(short(&replayed.conversation), ["u:go", "a", &format!("t:a:{INTERRUPTED_RESULT}"), "u:again", "a"]);
}

#[test]
fn ag_4_messages_during_calls_follow_their_results() {
    let replayed =
        run([user("go"), assistant(&["a", "b"]), tool("a", "1"), reminder("r"), tool("b", "2"), user("more")]);
    let reminder = "u:<system-reminder>\nr\n</system-reminder>";
    assert_eq!(short(&replayed.conversation), ["u:go", "a", "t:a:1", "t:b:2", reminder, "u:more"]);
}

#[test]
fn se_2_results_without_a_call_are_dropped() {
    let replayed =
        run([tool("x", "?"), user("go"), assistant(&["a"]), tool("a", "1"), tool("a", "again"), tool("z", "?")]);
    assert_eq!(short(&replayed.conversation), ["u:go", "a", "t:a:1"]);
    assert_eq!(replayed.counts.tool, 4);
}

#[test]
fn se_2_lost_beginning_is_marked() {
    let replayed = run([assistant(&["a"]), tool("a", "1")]);
    assert_eq!(short(&replayed.conversation), [&format!("u:{BEGINNING_MISSING}"), "a", "t:a:1"]);
}

#[test]
fn ag_8_compaction_is_one_user_message() {
    let compaction = EntryBody::Compaction { summary: "did things".into(), kept: "open todos".into() };
    let replayed = run([user("go"), assistant(&["a"]), compaction, tool("a", "late"), user("on")]);
    assert_eq!(replayed.conversation.len(), 2);
    let first = &short(&replayed.conversation)[0];
    assert!(first.contains("did things") && first.ends_with("open todos"), "{first}");
    assert_eq!((replayed.usage, replayed.counts.compactions), (None, 1));
}

#[test]
fn pm_80_waiting_plan_is_open_until_answered() {
    let ask = |id: &str, kind: &str, why: Option<&str>| EntryBody::Ask {
        ask_id: id.into(),
        kind: kind.into(),
        answer: why.map(|why| AskAnswer::Unusable { why: why.into() }),
    };
    let open = |entries: Vec<EntryBody>| run(entries).open_asks.into_iter().map(|ask| ask.ask_id).collect::<Vec<_>>();
    let waits = || vec![user("go"), assistant(&["a"]), ask("1", PLAN_ASK, None), tool("a", "later")];
    let after = |more: Vec<EntryBody>| open(waits().into_iter().chain(more).collect());
    assert_eq!(after(vec![]), ["1"]);
    // A second run asks again; a message of the program or a compaction decides nothing.
    let compaction = EntryBody::Compaction { summary: "s".into(), kept: String::new() };
    assert_eq!(after(vec![compaction, ask("2", PLAN_ASK, None), assistant(&[])]), ["2"]);
    assert_eq!(after(vec![ask("2", PLAN_ASK, None), ask("2", PLAN_ASK, Some("no"))]), [""; 0]);
    let left = EntryBody::Mode { from: Mode::Plan, to: Mode::Default, by: ChangedBy::User };
    assert_eq!(after(vec![left]), [""; 0]);
    assert_eq!(after(vec![EntryBody::Clear { plan_content: None }]), [""; 0]);
    // Any other ask belongs to its call.
    assert_eq!(open(vec![user("go"), assistant(&["a"]), ask("1", "permission", None), tool("a", "x")]), [""; 0]);
}

#[test]
fn pm_81_clear_restarts_with_the_plan() {
    let replayed = run([user("go"), assistant(&[]), EntryBody::Clear { plan_content: Some("# Plan".into()) }]);
    assert_eq!(replayed.conversation.len(), 1);
    assert!(short(&replayed.conversation)[0].ends_with("# Plan"));
    assert_eq!(run([user("go"), EntryBody::Clear { plan_content: None }]).conversation, []);
}

#[test]
fn se_6_errors_and_snapshots_are_not_in_the_conversation() {
    let snapshot = EntryBody::FileSnapshot { key: "before".into(), path: "a".into(), content: None, sha256: None };
    let replayed = run([user("go"), EntryBody::Error { message: "x".into() }, snapshot]);
    assert_eq!(short(&replayed.conversation), ["u:go"]);
}

#[test]
fn pm_12_mode_slug_and_todos_are_restored() {
    let todo = json!({ "todos": [{ "content": "Do", "status": "in_progress", "activeForm": "Doing" }] });
    let replayed = run([
        session(Some("calm-sea")),
        mode(Mode::Default, Mode::AcceptEdits),
        mode(Mode::AcceptEdits, Mode::Plan),
        named_tool("t", "TodoWrite", todo, "ok"),
        session(None),
    ]);
    assert_eq!((replayed.mode, replayed.pre_plan_mode), (Some(Mode::Plan), Some(Mode::AcceptEdits)));
    assert_eq!(replayed.slug.as_deref(), Some("calm-sea"));
    assert_eq!((replayed.todos.len(), replayed.todos[0].status), (1, TodoStatus::InProgress));
    assert_eq!(run([mode(Mode::Default, Mode::Plan), mode(Mode::Plan, Mode::Default)]).pre_plan_mode, None);
}

/// PM-85: asked again after a crash, the request has no call. A turn that runs meanwhile does not close it.
#[test]
fn pm_85_plan_waits_after_a_second_crash() {
    let asked = |id: &str| EntryBody::Ask { ask_id: id.into(), kind: PLAN_ASK.into(), answer: None };
    let start = || vec![mode(Mode::Default, Mode::Plan), user("go"), assistant(&["a"]), asked("1"), session(None)];
    let waits = |after: Vec<EntryBody>| {
        run(start().into_iter().chain(after)).open_asks.into_iter().map(|ask| ask.ask_id).collect::<Vec<_>>()
    };
    assert_eq!(waits(vec![user("and?"), asked("2")]), ["2"]);
    assert_eq!(waits(vec![user("and?"), asked("2"), assistant(&[])]), ["2"]);
    assert_eq!(waits(vec![user("and?"), assistant(&["b"]), tool("b", "ok"), asked("2")]), ["2"]);
}

/// SE-6: docs/reference/transcript.md must suffice for an outside reader, so this test parses its examples.
#[test]
fn se_6_documented_lines_cover_every_entry_type() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/transcript.md");
    let page = std::fs::read_to_string(path).unwrap();
    let mut seen = Vec::new();
    for line in page.lines().filter(|line| line.starts_with('{')) {
        let entry = TranscriptEntry::parse(line.as_bytes()).unwrap_or_else(|skip| panic!("{skip}: {line}"));
        assert_eq!(entry.to_line(), line, "the example matches the written form");
        seen.push(EntryKind::of_body(&entry.body).name());
    }
    seen.sort_unstable();
    seen.dedup();
    let mut all = [
        "session",
        "user",
        "assistant",
        "tool",
        "reminder",
        "mode",
        "file_snapshot",
        "plan",
        "scope",
        "contract",
        "evidence",
        "ask",
        "compaction",
        "clear",
        "rewind",
        "usage",
        "error",
    ];
    all.sort_unstable();
    assert_eq!(seen, all);
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![any::<String>(), "[a-z\"\\\\\n\u{2028}\u{0}\u{1b}]{0,12}"]
}

fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        text().prop_map(Value::from)
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((text(), inner), 0..4).prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

fn block() -> impl Strategy<Value = ContentBlock> {
    prop_oneof![
        text().prop_map(|text| ContentBlock::Text { text }),
        (text(), prop::option::of(json_value())).prop_map(|(text, value)| ContentBlock::Thinking {
            text,
            opaque: value.map(|value| OpaqueThinking { wire: WireFormat::Anthropic, value }),
        }),
        (text(), json_value()).prop_map(|(id, input)| {
            ContentBlock::ToolUse(ToolUse { id, name: "Bash".into(), input: ToolInput::Json(input) })
        }),
        text().prop_map(|json| {
            ContentBlock::ToolUse(ToolUse {
                id: "i".into(),
                name: "x".into(),
                input: ToolInput::Invalid { invalid_json: json, error: "e".into() },
            })
        }),
    ]
}

fn body() -> impl Strategy<Value = EntryBody> {
    prop_oneof![
        (text(), any::<bool>(), prop::option::of(text())).prop_map(|(text, meta, plan_content)| EntryBody::User {
            text,
            images: vec![],
            meta,
            plan_content
        }),
        (text(), prop::collection::vec(block(), 0..5), any::<u64>()).prop_map(|(model, blocks, n)| {
            EntryBody::Assistant {
                model,
                blocks,
                usage: TokenUsage { input_tokens: n, ..TokenUsage::default() },
                stop: StopReason::Other("odd".into()),
            }
        }),
        (text(), text(), json_value()).prop_map(|(call, output, input)| named_tool(&call, "Bash", input, &output)),
        text().prop_map(|text| reminder(&text)),
        (text(), text()).prop_map(|(summary, kept)| EntryBody::Compaction { summary, kept }),
        (text(), prop::option::of(text())).prop_map(|(path, sha256)| EntryBody::FileSnapshot {
            key: "before".into(),
            path,
            content: None,
            sha256
        }),
    ]
}

/// One step of a session, used to generate entry sequences that a real session could write.
#[derive(Debug, Clone)]
enum Step {
    User,
    Reminder,
    /// An answer with this many calls, whose results come in the order that `order` picks; if `lost`, the
    /// last never comes.
    Answer {
        calls: usize,
        order: u64,
        lost: bool,
    },
    Compaction,
    Clear(bool),
    Error,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        3 => Just(Step::User),
        1 => Just(Step::Reminder),
        4 => (0usize..5, any::<u64>(), prop::bool::weighted(0.2)).prop_map(|(calls, order, lost)| Step::Answer { calls, order, lost }),
        1 => Just(Step::Compaction),
        1 => any::<bool>().prop_map(Step::Clear),
        1 => Just(Step::Error),
    ];
    prop::collection::vec(step, 1..25)
}

fn write_down(steps: &[Step]) -> Vec<EntryBody> {
    let mut bodies = vec![user("first")];
    for (at, step) in steps.iter().enumerate() {
        match step {
            Step::User => bodies.push(user("more")),
            Step::Reminder => bodies.push(reminder("r")),
            Step::Answer { calls, order, lost } => {
                let ids: Vec<String> = (0..*calls).map(|call| format!("{at}-{call}")).collect();
                bodies.push(assistant(&ids.iter().map(String::as_str).collect::<Vec<_>>()));
                let mut open = ids;
                let mut order = *order;
                while !open.is_empty() {
                    let next = open.remove(order as usize % open.len());
                    order = order.rotate_right(7);
                    if !(*lost && open.is_empty()) {
                        bodies.push(tool(&next, "done"));
                    }
                    if order % 3 == 0 {
                        bodies.push(reminder("between"));
                    }
                }
            }
            Step::Compaction => bodies.push(EntryBody::Compaction { summary: "s".into(), kept: "k".into() }),
            Step::Clear(plan) => bodies.push(EntryBody::Clear { plan_content: plan.then(|| "p".into()) }),
            Step::Error => bodies.push(EntryBody::Error { message: "e".into() }),
        }
    }
    bodies
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn se_6_lines_are_lossless(id in text(), parent in prop::option::of(text()), body in body()) {
        let entry = TranscriptEntry { id, parent, at: "2026-11-15T21:14:03.123Z".into(), body };
        let line = entry.to_line();
        prop_assert!(!line.contains('\n'));
        prop_assert_eq!(line.find("\"type\":"), Some(1));
        prop_assert_eq!(TranscriptEntry::parse(line.as_bytes()), Ok(entry));
    }

    #[test]
    fn ag_4_every_prefix_replays_to_a_valid_conversation(steps in steps()) {
        let bodies = write_down(&steps);
        for end in 0..=bodies.len() {
            let replayed = run(bodies[..end].to_vec());
            prop_assert_eq!(check_valid_for_provider(&replayed.conversation), Ok(()), "prefix of {}: {:?}", end, &bodies[..end]);
        }
    }

    #[test]
    fn se_2_lost_lines_replay_to_a_valid_conversation(steps in steps(), kept in prop::collection::vec(any::<bool>(), 200)) {
        let bodies = write_down(&steps).into_iter().zip(kept).filter(|(_, kept)| *kept).map(|(body, _)| body);
        let replayed = run(bodies);
        prop_assert_eq!(check_valid_for_provider(&replayed.conversation), Ok(()));
    }

    #[test]
    fn se_2_reader_never_panics(line in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = EntryHeader::skim(&line);
        let _ = TranscriptEntry::parse(&line);
    }
}

/// DU-3: a resume continues from the last recorded totals, and counts the answers that came after them.
#[test]
fn du_3_replay_continues_the_totals() {
    let usage = |input_tokens| TokenUsage { input_tokens, output_tokens: 1, ..TokenUsage::default() };
    let answer = |tokens| {
        let blocks = vec![ContentBlock::Text { text: "a".into() }];
        EntryBody::Assistant {
            model: "claude-sonnet-4-5".into(),
            blocks,
            usage: usage(tokens),
            stop: StopReason::EndTurn,
        }
    };
    let mut totals = UsageTotals::default();
    totals.add("claude-sonnet-4-5", usage(10), 0.5);
    totals.add("other", usage(5), 0.25);
    let replayed = run([user("go"), answer(10), EntryBody::Usage { totals }, user("more"), answer(100)]);
    let settings = crate::settings::Settings::default();
    let used = replayed.priced_totals(&settings);
    assert_eq!((used.sent(), used.received()), (115, 3));
    let price = settings.model_info("claude-sonnet-4-5").cost(&usage(100));
    assert!(price > 0.0 && (used.cost() - 0.75 - price).abs() < 1e-9, "{used:?}");
}
