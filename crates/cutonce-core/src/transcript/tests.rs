use super::replay::{BEGINNING_MISSING, INTERRUPTED, valid_for_provider};
use super::*;
use crate::conversation::{Message, Opaque, Shared, ToolInput, ToolUse, Wire};
use crate::event::TodoStatus;
use crate::permission::Why;
use crate::rule::{Behavior, Source};
use crate::submission::PermissionAnswer;
use proptest::prelude::*;
use serde_json::json;

fn entry(body: Body) -> Entry {
    Entry { id: "0192".into(), parent: Some("0191".into()), at: "2026-11-15T21:14:03.123Z".into(), body }
}

fn user(text: &str) -> Body {
    Body::User { text: text.into(), images: vec![], meta: false, plan_content: None }
}

fn assistant(calls: &[&str]) -> Body {
    let text = Block::Text { text: "hm".into() };
    let call = |id: &&str| {
        Block::ToolUse(ToolUse {
            id: id.to_string(),
            name: "Read".into(),
            input: ToolInput::Json(json!({ "path": "a" })),
        })
    };
    let blocks = std::iter::once(text).chain(calls.iter().map(call)).collect();
    let usage = Usage { input_tokens: calls.len() as u64, ..Usage::default() };
    Body::Assistant { model: "m".into(), blocks, usage, stop: Stop::ToolUse }
}

fn tool(call_id: &str, output: &str) -> Body {
    named_tool(call_id, "Read", json!({ "path": "a" }), output)
}

fn named_tool(call_id: &str, name: &str, input: Value, output: &str) -> Body {
    let why = Why { reason: "read".into(), rule: Some("Read".into()), source: Some(Source::User) };
    Body::Tool {
        call_id: call_id.into(),
        name: name.into(),
        input,
        output: vec![ResultPart::Text { text: output.into() }],
        is_error: false,
        decision: DecisionRecord { behavior: Behavior::Allow, why },
    }
}

fn reminder(text: &str) -> Body {
    Body::Reminder { kind: "plan_mode".into(), form: None, path: None, exists: None, text: text.into() }
}

fn ask(ask_id: &str, answer: Option<Answer>) -> Body {
    Body::Ask { ask_id: ask_id.into(), kind: "permission".into(), answer }
}

fn run(bodies: impl IntoIterator<Item = Body>) -> Replayed {
    replay(bodies.into_iter().map(entry))
}

/// The conversation in short: `u:`, `a`, `t:`, with the beginning of the text.
fn short(conversation: &[Shared]) -> Vec<String> {
    let text = |blocks: &[Block]| match &blocks[0] {
        Block::Text { text } => text.clone(),
        other => format!("{other:?}"),
    };
    let line = |message: &Shared| match &**message {
        Message::User { content } => format!("u:{}", text(content)),
        Message::Assistant { .. } => "a".to_string(),
        Message::Tool(result) => format!("t:{}:{}", result.call_id, result.as_text()),
    };
    conversation.iter().map(line).collect()
}

#[test]
fn se_6_a_line_starts_with_the_header_and_holds_the_named_fields() {
    let line = entry(tool("c1", "two\nlines")).to_line();
    assert_eq!(
        line,
        r#"{"type":"tool","id":"0192","parent":"0191","at":"2026-11-15T21:14:03.123Z","callId":"c1","name":"Read","input":{"path":"a"},"output":[{"type":"text","text":"two\nlines"}],"isError":false,"decision":{"behavior":"allow","reason":"read","rule":"Read","source":"user"}}"#
    );
    let header = Header::skim(line.as_bytes()).unwrap();
    assert_eq!((header.kind, header.tool, header.id.as_ref()), (Kind::Tool, Some("Read"), "0192"));
    let clear = Entry { parent: None, ..entry(Body::Clear { plan_content: None }) }.to_line();
    assert_eq!(clear, r#"{"type":"clear","id":"0192","parent":null,"at":"2026-11-15T21:14:03.123Z"}"#);
    assert_eq!(Header::skim(clear.as_bytes()).unwrap().parent, None);
}

#[test]
fn se_6_any_order_of_fields_is_read() {
    let line = br#" {"text":"hi","at":"2026","parent":null,"id":"x","type":"user","later":{"type":"mode"}} "#;
    assert_eq!(Header::skim(line), None);
    let expected = Entry { id: "x".into(), parent: None, at: "2026".into(), body: user("hi") };
    assert_eq!(Entry::parse(line), Ok(expected));
}

#[test]
fn se_2_what_is_no_entry_is_skipped_with_a_reason() {
    let check = |line: &[u8], expected: &str| {
        let skip = Entry::parse(line).unwrap_err().to_string();
        assert!(skip.contains(expected), "{:?}: {skip}", String::from_utf8_lossy(line));
    };
    check(b"", "torn");
    check(b"\0\0\0\0", "zero bytes");
    check(b"garbage", "no JSON object");
    check(b"[1]", "does not fit");
    check(b"{\"type\":\"user\",\"id\":\"x\",\"pa", "torn");
    check(b"{\"type\":\"user\",\"text\":\"\xff\"}", "not UTF-8");
    check(br#"{"type":"user","id":"x","parent":null,"at":"t"}"#, "text");
    check(br#"{"type":"user","id":"x","parent":null,"at":"t","text":5}"#, "expected a string");
    check(br#"{"type":"user","parent":null,"at":"t","text":"no id"}"#, "id");
    check(br#"{"type":"hologram","id":"x","parent":null,"at":"t"}"#, "unknown entry type `hologram`");
    check(br#"{"type":"user","id":"x","parent":null,"at":"t","text":"a"}{"type"#, "no JSON object");
}

#[test]
fn ag_3_results_come_in_the_order_of_the_calls_whatever_finished_first() {
    let replayed = run([user("go"), assistant(&["a", "b", "c"]), tool("c", "3"), tool("a", "1"), tool("b", "2")]);
    assert_eq!(short(&replayed.conversation), ["u:go", "a", "t:a:1", "t:b:2", "t:c:3"]);
}

#[test]
fn ag_4_a_call_without_a_result_gets_one() {
    let replayed = run([user("go"), assistant(&["a", "b"]), tool("b", "2")]);
    assert_eq!(short(&replayed.conversation)[2..], [format!("t:a:{INTERRUPTED}"), "t:b:2".into()]);
    let Message::Tool(result) = &*replayed.conversation[2] else { panic!("no result") };
    assert!(result.is_error);
    // The next words close the calls too.
    let replayed = run([user("go"), assistant(&["a"]), user("again"), assistant(&[])]);
    assert_eq!(short(&replayed.conversation), ["u:go", "a", &format!("t:a:{INTERRUPTED}"), "u:again", "a"]);
}

#[test]
fn ag_4_what_was_said_while_calls_ran_follows_their_results() {
    let replayed =
        run([user("go"), assistant(&["a", "b"]), tool("a", "1"), reminder("r"), tool("b", "2"), user("more")]);
    let reminder = "u:<system-reminder>\nr\n</system-reminder>";
    assert_eq!(short(&replayed.conversation), ["u:go", "a", "t:a:1", "t:b:2", reminder, "u:more"]);
}

#[test]
fn se_2_results_that_nobody_waits_for_are_left_out() {
    let replayed =
        run([tool("x", "?"), user("go"), assistant(&["a"]), tool("a", "1"), tool("a", "again"), tool("z", "?")]);
    assert_eq!(short(&replayed.conversation), ["u:go", "a", "t:a:1"]);
    assert_eq!(replayed.counts.tool, 4);
}

#[test]
fn se_2_a_lost_beginning_is_said() {
    let replayed = run([assistant(&["a"]), tool("a", "1")]);
    assert_eq!(short(&replayed.conversation), [&format!("u:{BEGINNING_MISSING}"), "a", "t:a:1"]);
}

#[test]
fn ag_8_a_compaction_is_one_user_message() {
    let compaction = Body::Compaction { summary: "did things".into(), kept: "open todos".into() };
    let replayed = run([user("go"), assistant(&["a"]), compaction, tool("a", "late"), user("on")]);
    assert_eq!(replayed.conversation.len(), 2);
    let first = &short(&replayed.conversation)[0];
    assert!(first.contains("did things") && first.ends_with("open todos"), "{first}");
    assert_eq!((replayed.usage, replayed.counts.compactions), (None, 1));
}

#[test]
fn pm_81_a_clear_starts_over_with_the_plan_if_there_is_one() {
    let replayed = run([user("go"), assistant(&[]), Body::Clear { plan_content: Some("# Plan".into()) }]);
    assert_eq!(replayed.conversation.len(), 1);
    assert!(short(&replayed.conversation)[0].ends_with("# Plan"));
    assert_eq!(run([user("go"), Body::Clear { plan_content: None }]).conversation, []);
}

#[test]
fn se_6_errors_and_snapshots_are_no_part_of_the_conversation() {
    let snapshot = Body::FileSnapshot { key: "before".into(), path: "a".into(), content: None, sha256: None };
    let replayed = run([user("go"), Body::Error { message: "x".into() }, snapshot]);
    assert_eq!(short(&replayed.conversation), ["u:go"]);
}

#[test]
fn pm_12_mode_slug_and_todos_come_back() {
    let mode = |from, to| Body::Mode { from, to, by: By::User };
    let session = |slug: Option<&str>| Body::Session {
        session_id: "s".into(),
        version: "1".into(),
        cwd: "/w".into(),
        branch: Some("main".into()),
        slug: slug.map(str::to_string),
        forked_from: None,
        agent: None,
    };
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

#[test]
fn pm_85_an_ask_is_open_until_answered_or_overtaken() {
    let open = |bodies: Vec<Body>| run(bodies).open_asks.len();
    let yes = Some(Answer::Permission(PermissionAnswer::Allow { remember: vec![] }));
    assert_eq!(open(vec![user("go"), assistant(&["a"]), ask("1", None)]), 1);
    assert_eq!(open(vec![user("go"), assistant(&["a"]), ask("1", None), ask("1", yes)]), 0);
    assert_eq!(open(vec![user("go"), assistant(&["a"]), ask("1", None), tool("a", "interrupted")]), 0);
    assert_eq!(open(vec![user("go"), assistant(&["a"]), ask("1", None), user("never mind")]), 0);
}

/// SE-6: docs/transcript.md is all that an outside reader needs, so its examples are read here.
#[test]
fn se_6_the_documented_lines_are_entries_of_every_type() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/transcript.md");
    let page = std::fs::read_to_string(path).unwrap();
    let mut seen = Vec::new();
    for line in page.lines().filter(|line| line.starts_with('{')) {
        let entry = Entry::parse(line.as_bytes()).unwrap_or_else(|skip| panic!("{skip}: {line}"));
        assert_eq!(entry.to_line(), line, "the example is how it is written");
        seen.push(Kind::of(&entry.body).name());
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
        "ask",
        "compaction",
        "clear",
        "rewind",
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

fn block() -> impl Strategy<Value = Block> {
    prop_oneof![
        text().prop_map(|text| Block::Text { text }),
        (text(), prop::option::of(json_value())).prop_map(|(text, value)| Block::Thinking {
            text,
            opaque: value.map(|value| Opaque { wire: Wire::Anthropic, value }),
        }),
        (text(), json_value()).prop_map(|(id, input)| {
            Block::ToolUse(ToolUse { id, name: "Bash".into(), input: ToolInput::Json(input) })
        }),
        text().prop_map(|json| {
            Block::ToolUse(ToolUse {
                id: "i".into(),
                name: "x".into(),
                input: ToolInput::Invalid { invalid_json: json, error: "e".into() },
            })
        }),
    ]
}

fn body() -> impl Strategy<Value = Body> {
    prop_oneof![
        (text(), any::<bool>(), prop::option::of(text())).prop_map(|(text, meta, plan_content)| Body::User {
            text,
            images: vec![],
            meta,
            plan_content
        }),
        (text(), prop::collection::vec(block(), 0..5), any::<u64>()).prop_map(|(model, blocks, n)| Body::Assistant {
            model,
            blocks,
            usage: Usage { input_tokens: n, ..Usage::default() },
            stop: Stop::Other("odd".into()),
        }),
        (text(), text(), json_value()).prop_map(|(call, output, input)| named_tool(&call, "Bash", input, &output)),
        text().prop_map(|text| reminder(&text)),
        (text(), text()).prop_map(|(summary, kept)| Body::Compaction { summary, kept }),
        (text(), prop::option::of(text())).prop_map(|(path, sha256)| Body::FileSnapshot {
            key: "before".into(),
            path,
            content: None,
            sha256
        }),
    ]
}

/// What happens in one session, as a recipe: it makes sequences that a real session could write.
#[derive(Debug, Clone)]
enum Step {
    User,
    Reminder,
    /// An answer with so many calls, whose results come in the order that this number picks; `lost` of them never.
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

fn write_down(steps: &[Step]) -> Vec<Body> {
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
            Step::Compaction => bodies.push(Body::Compaction { summary: "s".into(), kept: "k".into() }),
            Step::Clear(plan) => bodies.push(Body::Clear { plan_content: plan.then(|| "p".into()) }),
            Step::Error => bodies.push(Body::Error { message: "e".into() }),
        }
    }
    bodies
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn se_6_lines_are_lossless(id in text(), parent in prop::option::of(text()), body in body()) {
        let entry = Entry { id, parent, at: "2026-11-15T21:14:03.123Z".into(), body };
        let line = entry.to_line();
        prop_assert!(!line.contains('\n'));
        prop_assert_eq!(line.find("\"type\":"), Some(1));
        prop_assert_eq!(Entry::parse(line.as_bytes()), Ok(entry));
    }

    #[test]
    fn ag_4_every_prefix_of_a_session_replays_to_what_a_provider_accepts(steps in steps()) {
        let bodies = write_down(&steps);
        for end in 0..=bodies.len() {
            let replayed = run(bodies[..end].to_vec());
            prop_assert_eq!(valid_for_provider(&replayed.conversation), Ok(()), "prefix of {}: {:?}", end, &bodies[..end]);
        }
    }

    #[test]
    fn se_2_so_does_a_session_with_lines_lost_anywhere(steps in steps(), kept in prop::collection::vec(any::<bool>(), 200)) {
        let bodies = write_down(&steps).into_iter().zip(kept).filter(|(_, kept)| *kept).map(|(body, _)| body);
        let replayed = run(bodies);
        prop_assert_eq!(valid_for_provider(&replayed.conversation), Ok(()));
    }

    #[test]
    fn se_2_no_bytes_make_the_reader_panic(line in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = Header::skim(&line);
        let _ = Entry::parse(&line);
    }
}
