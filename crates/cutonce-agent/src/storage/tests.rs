use super::list::{find_latest, find_session, list_sessions};
use super::paths::create_private_dir;
use super::redact::Redactor;
use super::*;
use cutonce_core::conversation::{
    ContentBlock, Message, ResultPart, SharedMessage, StopReason, TokenUsage, ToolInput, ToolUse,
};
use cutonce_core::mode::Mode;
use cutonce_core::permission::Why;
use cutonce_core::permission::rules::RuleBehavior;
use cutonce_core::protocol::event::DecisionRecord;
use cutonce_core::protocol::submission::ChangedBy;
use cutonce_core::transcript::EntryBody;
use cutonce_core::transcript::replay::check_valid_for_provider;
use serde_json::{Value, json};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

struct World {
    home: tempfile::TempDir,
}

impl World {
    fn new() -> Self {
        Self { home: tempfile::tempdir().unwrap() }
    }
    fn sessions(&self) -> ProjectSessions {
        self.of("/w")
    }
    fn of(&self, cwd: &str) -> ProjectSessions {
        ProjectSessions::new(self.home.path().join("home"), cwd)
    }
    fn create(&self) -> TranscriptStore {
        TranscriptStore::create(&self.sessions(), None, Default::default()).unwrap()
    }
    /// A transcript with these bytes, as if written by another program.
    fn with(&self, bytes: &[u8]) -> PathBuf {
        let path = self.sessions().transcript("s");
        create_private_dir(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        path
    }
}

fn open(path: &Path) -> (TranscriptStore, ResumedTranscript) {
    TranscriptStore::open(path, Default::default(), DEFAULT_BUDGET).unwrap()
}

fn session(cwd: &str, branch: &str) -> EntryBody {
    EntryBody::Session {
        session_id: "s".into(),
        version: "0".into(),
        cwd: cwd.into(),
        branch: Some(branch.into()),
        slug: None,
        forked_from: None,
        agent: None,
    }
}

fn user(text: &str) -> EntryBody {
    EntryBody::User { text: text.into(), images: vec![], meta: false, plan_content: None }
}

fn assistant(call: Option<&str>) -> EntryBody {
    let text = ContentBlock::Text { text: "hm".into() };
    let call = call.map(|id| {
        ContentBlock::ToolUse(ToolUse { id: id.into(), name: "Read".into(), input: ToolInput::Json(json!({})) })
    });
    let blocks = std::iter::once(text).chain(call).collect();
    EntryBody::Assistant { model: "m".into(), blocks, usage: TokenUsage::default(), stop: StopReason::EndTurn }
}

fn tool(call_id: &str, name: &str, input: Value, output: &str) -> EntryBody {
    let why = Why::from_reason("r");
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

fn texts(conversation: &[SharedMessage]) -> Vec<String> {
    let line = |message: &SharedMessage| match &**message {
        Message::User { content } | Message::Assistant { blocks: content, .. } => match &content[0] {
            ContentBlock::Text { text } => text.clone(),
            other => format!("{other:?}"),
        },
        Message::Tool(result) => result.as_text(),
    };
    conversation.iter().map(line).collect()
}

#[test]
fn se_1_first_entry_creates_a_private_file() {
    let world = World::new();
    let store = world.create();
    store.sync().unwrap();
    assert!(!world.home.path().join("home").exists());
    let entry = store.append(user("hi")).unwrap();
    let text = std::fs::read_to_string(store.path()).unwrap();
    let line = entry.to_line();
    assert!(text.starts_with(&format!("{},\"sum\":\"", line.strip_suffix('}').unwrap())), "{text}");
    assert_eq!(text.lines().count(), 1);
    assert_eq!(store.path(), world.home.path().join(format!("home/projects/-w/{}.jsonl", store.id())));
    store.sync().unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(store.path()), 0o600);
        for dir in store.path().ancestors().skip(1).take(3) {
            assert_eq!(mode(dir), 0o700, "{}", dir.display());
        }
    }
}

#[test]
fn se_6_entries_have_id_parent_and_time() {
    let world = World::new();
    let store = world.create();
    let first = store.append(user("1")).unwrap();
    let second = store.clone().append(user("2")).unwrap();
    assert_eq!((first.parent.as_deref(), second.parent.as_deref()), (None, Some(first.id.as_str())));
    assert_eq!(uuid::Uuid::parse_str(&second.id).unwrap().get_version_num(), 7);
    assert!(second.id > first.id);
    second.at.parse::<jiff::Timestamp>().unwrap();
    assert_eq!(second.at.len(), "2026-11-15T21:14:03.123Z".len(), "{}", second.at);
}

#[test]
fn mo_4_transcript_contains_no_keys() {
    let world = World::new();
    let redactor = Redactor::new(vec![("OPENAI_API_KEY".into(), "sk-1234567890\"x".into())]);
    let store = TranscriptStore::create(&world.sessions(), None, Arc::new(redactor)).unwrap();
    store.append(user("the key is sk-1234567890\"x, keep it")).unwrap();
    let text = std::fs::read_to_string(store.path()).unwrap();
    assert!(!text.contains("1234567890") && text.contains("[redacted:OPENAI_API_KEY], keep it"), "{text}");
    drop(store);
}

#[test]
fn se_2_torn_write_loses_only_itself() {
    let world = World::new();
    let store = world.create();
    for body in
        [user("first"), assistant(Some("c")), tool("c", "Read", json!({ "a": "ü\"}" }), "two\nlines }"), user("last")]
    {
        store.append(body).unwrap();
    }
    let whole = std::fs::read(store.path()).unwrap();
    drop(store);
    let ends: Vec<usize> = memchr::memchr_iter(b'\n', &whole).collect();
    for cut in ends[0] + 1..=whole.len() {
        let path = world.with(&whole[..cut]);
        let complete = ends.iter().filter(|end| **end <= cut).count();
        let torn = !ends.iter().any(|end| *end == cut || *end + 1 == cut);
        let (store, resumed) = open(&path);
        assert_eq!(resumed.skips.total, usize::from(torn), "cut at {cut}: {:?}", resumed.skips);
        assert_eq!(check_valid_for_provider(&resumed.replayed.conversation), Ok(()), "cut at {cut}");
        store.append(user("after the crash")).unwrap();
        drop(store);
        assert!(std::fs::read(&path).unwrap().starts_with(&whole[..cut]), "existing bytes are kept");
        let mut reader = TranscriptReader::open(&path).unwrap();
        assert_eq!(reader.len(), complete + 1, "cut at {cut}");
        for at in 0..reader.len() {
            assert!(reader.entry(at).unwrap().is_some(), "cut at {cut}, entry {at}");
        }
    }
}

#[test]
fn se_2_only_garbage_lines_are_skipped() {
    let world = World::new();
    let store = world.create();
    let lines: Vec<String> = ["one", "two", "three", "four", "five"]
        .map(|text| store.append(user(text)).unwrap().to_line())
        .into_iter()
        .collect();
    drop(store);
    let unknown = lines[1].replace("\"type\":\"user\"", "\"type\":\"hologram\"");
    let mut bytes = Vec::new();
    for part in [
        lines[0].as_bytes(),
        b"garbage",
        b"\xff\xfe{\"type\":\"user\"}",
        &[0; 5000],
        b"",
        unknown.as_bytes(),
        &[&[0; 300][..], lines[2].as_bytes()].concat(),
        &[&lines[0].as_bytes()[..50], lines[3].as_bytes()].concat(),
        &vec![b'x'; 3 << 20],
        lines[4].as_bytes(),
    ] {
        bytes.extend_from_slice(part);
        bytes.push(b'\n');
    }
    let (_store, resumed) = open(&world.with(&bytes));
    assert_eq!(texts(&resumed.replayed.conversation), ["one", "three", "four", "five"]);
    let mut skipped: Vec<usize> = resumed.skips.first.iter().map(|skip| skip.line).collect();
    skipped.sort_unstable();
    assert_eq!(skipped, [2, 3, 4, 6, 7, 8, 9]);
    let reasons: Vec<String> = resumed.skips.first.iter().map(index::SkippedLine::to_string).collect();
    for expected in [
        "line 2: not a JSON object",
        "line 3: not UTF-8",
        "line 4: zero bytes",
        "line 6: unknown entry type `hologram`",
    ] {
        assert!(reasons.iter().any(|reason| reason.starts_with(expected)), "{expected}: {reasons:#?}");
    }
}

#[test]
fn se_2_only_overlong_lines_are_skipped() {
    let world = World::new();
    let store = world.create();
    let long = "x".repeat(5 << 20);
    store.append(user(&long)).unwrap();
    let path = store.path().to_path_buf();
    drop(store);
    let file = File::options().append(true).open(&path).unwrap();
    let size = file.metadata().unwrap().len();
    // A hole of zeros, as a system crash can leave it: one line of 65 MB.
    file.set_len(size + (65 << 20)).unwrap();
    drop(file);
    let (store, resumed) = open(&path);
    assert_eq!(resumed.skips.first[0].reason.to_string(), "longer than 67108864 bytes");
    assert_eq!(texts(&resumed.replayed.conversation), [long]);
    store.append(user("on")).unwrap();
    drop(store);
    assert_eq!(open(&path).1.replayed.conversation.len(), 2);
}

#[test]
fn se_1_linked_transcript_is_rejected_and_untouched() {
    let world = World::new();
    let path = world.with(b"");
    let other = world.home.path().join("other");
    std::fs::write(&other, "theirs\n").unwrap();
    for name in [path.clone(), path.with_extension("lock")] {
        let _ = std::fs::remove_file(&name);
        std::os::unix::fs::symlink(&other, &name).unwrap();
        let refused = TranscriptStore::open(&path, Default::default(), DEFAULT_BUDGET).unwrap_err().to_string();
        assert!(refused.contains("symbolic link"), "{refused}");
        assert_eq!(std::fs::read_to_string(&other).unwrap(), "theirs\n");
        std::fs::remove_file(&name).unwrap();
        std::fs::write(&path, "").unwrap();
    }
    std::fs::remove_file(&path).unwrap();
    let fifo = std::process::Command::new("mkfifo").arg(&path).status().unwrap();
    assert!(fifo.success());
    let refused = TranscriptStore::open(&path, Default::default(), DEFAULT_BUDGET).unwrap_err().to_string();
    assert!(refused.contains("a pipe, device or folder"), "{refused}");
    assert!(TranscriptReader::open(&path).is_err());
}

#[test]
fn se_2_empty_file_is_an_empty_session() {
    let world = World::new();
    let (store, resumed) = open(&world.with(b""));
    assert_eq!((resumed.replayed.conversation.len(), resumed.skips.total), (0, 0));
    assert_eq!(store.append(user("hi")).unwrap().parent, None);
}

#[test]
fn se_4_second_process_fails_and_may_fork() {
    let world = World::new();
    let store = world.create();
    store.append(user("hi")).unwrap();
    let error = TranscriptStore::open(store.path(), Default::default(), DEFAULT_BUDGET).unwrap_err();
    let StoreError::InUse { pid, .. } = &error else { panic!("{error}") };
    assert_eq!(*pid, Some(std::process::id()));
    assert!(error.to_string().contains("--fork-session"), "{error}");
    let (fork, resumed) =
        TranscriptStore::fork(store.path(), &world.sessions(), Default::default(), DEFAULT_BUDGET).unwrap();
    assert_ne!(fork.id(), store.id());
    assert_eq!(texts(&resumed.replayed.conversation), ["hi"]);
    fork.append(user("mine")).unwrap();
    let path = store.path().to_path_buf();
    drop(store);
    assert!(!path.with_extension("lock").exists());
    assert_eq!(open(&path).1.replayed.conversation.len(), 1, "the original is unaffected by the fork");
}

#[test]
fn sa_1_fork_copies_subagent_transcripts() {
    let world = World::new();
    let store = world.create();
    store.append(user("hi")).unwrap();
    let agent = store.create_sidechain("agent-1").unwrap();
    agent.append(user("look")).unwrap();
    // Other files are not copied.
    std::fs::create_dir(store.own_dir().join("agents/agent-1")).unwrap();
    let (fork, _) = TranscriptStore::fork(store.path(), &world.sessions(), Default::default(), DEFAULT_BUDGET).unwrap();
    let theirs = fork.sidechain_path("agent-1").unwrap();
    let (copy, resumed) = open(&theirs);
    assert_eq!(texts(&resumed.replayed.conversation), ["look"]);
    copy.append(user("and on")).unwrap();
    assert_eq!(
        std::fs::read_dir(theirs.parent().unwrap()).unwrap().flatten().filter(|file| file.path().is_dir()).count(),
        0
    );
    let ours = store.sidechain_path("agent-1").unwrap();
    assert!(!std::fs::read_to_string(ours).unwrap().contains("and on"), "the original is unaffected by the fork");
}

#[test]
fn se_4_leftover_lock_file_locks_nothing() {
    let world = World::new();
    let path = world.with(b"");
    std::fs::write(path.with_extension("lock"), "4194304\n").unwrap();
    let _store = open(&path);
}

#[test]
fn cl_2_chosen_id_must_be_new_and_valid() {
    let world = World::new();
    let create = |id: &str| TranscriptStore::create(&world.sessions(), Some(id.into()), Default::default());
    let store = create("mine").unwrap();
    store.append(user("hi")).unwrap();
    assert!(matches!(create("mine"), Err(StoreError::Exists { .. })));
    assert!(matches!(create("../mine"), Err(StoreError::BadId { .. })));
    // Both were created before either wrote.
    let (a, b) = (create("two").unwrap(), create("two").unwrap());
    a.append(user("a")).unwrap();
    assert!(b.append(user("b")).is_err());
}

#[test]
fn se_5_rewind_and_fork_contain_only_the_chain() {
    let world = World::new();
    let store = world.create();
    let first = store.append(user("keep")).unwrap();
    store.append(user("undo")).unwrap();
    store.rewind_to(&first.id);
    let rewind = store.append(EntryBody::Rewind { to: first.id.clone(), files: vec![] }).unwrap();
    assert_eq!(rewind.parent.as_deref(), Some(first.id.as_str()));
    store.append(user("instead")).unwrap();
    let path = store.path().to_path_buf();
    let (fork, forked) =
        TranscriptStore::fork(&path, &world.of("/elsewhere"), Default::default(), DEFAULT_BUDGET).unwrap();
    drop(store);
    assert_eq!(texts(&open(&path).1.replayed.conversation), ["keep", "instead"]);
    assert_eq!(texts(&forked.replayed.conversation), ["keep", "instead"]);
    let copy = std::fs::read_to_string(fork.path()).unwrap();
    assert!(!copy.contains("undo"), "{copy}");
    assert_eq!(fork.last_id(), forked.last_id);
}

/// About 50 MB: a mode, todos and a plan early on, then long tool loops with occasional user messages.
fn large(world: &World) -> PathBuf {
    let store = world.create();
    store.append(session("/w", "main")).unwrap();
    store.append(user("the beginning")).unwrap();
    store.append(EntryBody::Mode { from: Mode::Default, to: Mode::AcceptEdits, by: ChangedBy::User }).unwrap();
    let todos = json!({ "todos": [{ "content": "Do", "status": "pending", "activeForm": "Doing" }] });
    store.append(tool("t", "TodoWrite", todos, "ok")).unwrap();
    let plan = EntryBody::Plan { slug: "calm-sea".into(), revision: 1, sha256: "0".into(), outcome: "approved".into() };
    store.append(plan).unwrap();
    let output = "0123456789abcdef".repeat(16 << 10 >> 4);
    for round in 0..3000 {
        if round % 7 == 0 {
            store.append(user(&format!("round {round}"))).unwrap();
        }
        let call = format!("call-{round}");
        store.append(assistant(Some(&call))).unwrap();
        store.append(tool(&call, "Read", json!({ "path": "x" }), &output)).unwrap();
    }
    store.path().to_path_buf()
}

#[test]
fn se_2_large_session_parses_only_its_end() {
    let world = World::new();
    let path = large(&world);
    let size = std::fs::metadata(&path).unwrap().len();
    assert!(size > 45 << 20, "{size}");
    let budget = 500_000;
    let mut reader = TranscriptReader::open(&path).unwrap();
    let resumed = reader.resume(budget).unwrap();
    assert!(resumed.parsed_bytes < 2 * budget as u64, "{} of {size} bytes parsed", resumed.parsed_bytes);
    let replayed = &resumed.replayed;
    assert_eq!(check_valid_for_provider(&replayed.conversation), Ok(()));
    let shown = texts(&replayed.conversation);
    assert!(shown[0].starts_with("round "), "starts at a user message: {}", shown[0]);
    let held: usize = shown.iter().map(String::len).sum();
    assert!(held > budget / 2 && held < budget, "{held}");
    assert!(resumed.left_out > 5000, "{}", resumed.left_out);
    assert_eq!((replayed.mode, replayed.todos.len()), (Some(Mode::AcceptEdits), 1));
    assert_eq!((replayed.slug.as_deref(), replayed.branch.as_deref()), (Some("calm-sea"), Some("main")));
    assert_eq!((replayed.counts.user, replayed.counts.assistant, replayed.counts.tool), (430, 3000, 3001));
    // The complete conversation is available, too.
    assert_eq!(reader.resume(usize::MAX).unwrap().left_out, 0);
}

#[test]
fn ag_8_entries_before_a_compaction_are_skipped() {
    let world = World::new();
    let store = world.create();
    store.append(user(&"x".repeat(1 << 20))).unwrap();
    store.append(EntryBody::Compaction { summary: "sum".into(), kept: "kept".into() }).unwrap();
    for text in ["a", "b"] {
        store.append(user(text)).unwrap();
    }
    let path = store.path().to_path_buf();
    drop(store);
    let (_store, resumed) = open(&path);
    assert_eq!(resumed.replayed.conversation.len(), 3);
    assert!(resumed.parsed_bytes < 10_000 && resumed.left_out == 0, "{resumed:?}");
    // Even with a tiny budget, the summary and the last entry are loaded.
    let resumed = TranscriptReader::open(&path).unwrap().resume(0).unwrap();
    let shown = texts(&resumed.replayed.conversation);
    assert!(shown[0].contains("sum") && shown[1] == "b" && shown.len() == 2, "{shown:?}");
    assert_eq!(resumed.left_out, 1);
}

#[test]
fn se_2_broken_compaction_restores_earlier_entries() {
    let world = World::new();
    let store = world.create();
    store.append(user("before")).unwrap();
    store.append(EntryBody::Compaction { summary: "s".into(), kept: "k".into() }).unwrap();
    store.append(user("after")).unwrap();
    let text = std::fs::read_to_string(store.path()).unwrap();
    drop(store);
    let broken = text.replace("\"summary\":\"s\"", "\"summary\":{{");
    let (_store, resumed) = open(&world.with(broken.as_bytes()));
    assert_eq!(texts(&resumed.replayed.conversation), ["before", "after"]);
    assert_eq!(resumed.skips.total, 1);
}

#[test]
fn ag_4_cut_turn_starts_at_a_valid_message() {
    let world = World::new();
    let store = world.create();
    store.append(user("go")).unwrap();
    for round in 0..20 {
        let call = format!("c{round}");
        store.append(assistant(Some(&call))).unwrap();
        store.append(tool(&call, "Read", json!({}), &"y".repeat(1000))).unwrap();
    }
    for budget in (0..30_000).step_by(700) {
        let resumed = TranscriptReader::open(store.path()).unwrap().resume(budget).unwrap();
        assert_eq!(check_valid_for_provider(&resumed.replayed.conversation), Ok(()), "budget {budget}");
    }
}

#[test]
fn se_3_list_contains_the_picker_fields() {
    let world = World::new();
    assert_eq!(list_sessions(&world.sessions(), SessionScope::All, 10).unwrap(), []);
    let store = world.create();
    store.append(session("/w", "main")).unwrap();
    store.append(EntryBody::User { text: "made".into(), images: vec![], meta: true, plan_content: None }).unwrap();
    store.append(user("fix the\n\x1b[31mlogin   bug")).unwrap();
    store.append(EntryBody::Mode { from: Mode::Default, to: Mode::Plan, by: ChangedBy::User }).unwrap();
    let content = Some("\n# Fix the login\n\nsteps".to_string());
    store.append(EntryBody::FileSnapshot { key: "plan".into(), path: "p".into(), content, sha256: None }).unwrap();
    let last = store.append(session("/w", "topic")).unwrap();
    let listed = list_sessions(&world.sessions(), SessionScope::Project, 10).unwrap().pop().unwrap();
    assert_eq!(listed.id, store.id());
    assert_eq!(listed.first_message.as_deref(), Some("fix the \\u{1b}[31mlogin bug"));
    assert_eq!((listed.branch.as_deref(), listed.mode), (Some("topic"), Some(Mode::Plan)));
    assert_eq!(listed.title.as_deref(), Some("Fix the login"));
    assert_eq!((listed.last_at, listed.entries, listed.exact), (Some(last.at), 6, true));
}

#[test]
fn se_3_list_reads_only_both_ends() {
    let world = World::new();
    let store = world.create();
    store.append(session("/w", "main")).unwrap();
    let instructions = "i".repeat(300 << 10);
    let reminder = |text: String| EntryBody::Reminder { kind: "k".into(), form: None, path: None, exists: None, text };
    store.append(reminder(instructions.clone())).unwrap();
    store.append(user("behind the instructions")).unwrap();
    for _ in 0..10 {
        store.append(reminder(instructions.clone())).unwrap();
    }
    let last = store.append(reminder("x".repeat(200 << 10))).unwrap();
    let listed = list_sessions(&world.sessions(), SessionScope::Project, 10).unwrap().pop().unwrap();
    assert_eq!(listed.first_message.as_deref(), Some("behind the instructions"));
    assert_eq!((listed.last_at, listed.mode, listed.exact), (Some(last.at), None, false));
    assert_eq!(listed.cwd.as_deref(), Some("/w"));
}

#[test]
fn se_3_resume_finds_by_id_or_text() {
    let world = World::new();
    let make = |cwd: &str, id: &str, text: &str| {
        let store = TranscriptStore::create(&world.of(cwd), Some(id.into()), Default::default()).unwrap();
        store.append(session(cwd, "main")).unwrap();
        store.append(user(text)).unwrap();
        store.path().to_path_buf()
    };
    let login = make("/w", "aa11", "Fix the login");
    let logout = make("/w", "aa22", "fix the LOGOUT");
    let other = make("/other", "bb33", "something else");
    let sessions = world.sessions();
    assert_eq!(find_session(&sessions, "aa11").unwrap(), login);
    assert_eq!(find_session(&sessions, " logout ").unwrap(), logout);
    assert_eq!(find_session(&sessions, "bb").unwrap(), other, "other projects are searched last");
    assert_eq!(find_session(&sessions, "bb33").unwrap(), other);
    let several = find_session(&sessions, "fix the").unwrap_err().to_string();
    assert!(several.contains("2 sessions match") && several.contains("aa11"), "{several}");
    assert!(matches!(find_session(&sessions, "nothing"), Err(StoreError::NotFound { .. })));
    assert!(matches!(find_session(&sessions, "../aa11"), Err(StoreError::NotFound { .. })));
    assert!(matches!(find_session(&sessions, ""), Err(StoreError::NotFound { .. })));
}

#[test]
fn se_3_moved_session_is_listed_in_both_folders() {
    let world = World::new();
    let (first, second) = (world.of("/a/b"), world.of("/elsewhere"));
    let store = TranscriptStore::create(&first, None, Default::default()).unwrap();
    store.append(session("/a/b", "main")).unwrap();
    store.append(user("hello")).unwrap();
    drop(store.clone());
    let path = store.path().to_path_buf();
    let listed = |sessions: &ProjectSessions| list_sessions(sessions, SessionScope::Project, 9).unwrap().len();
    assert_eq!((listed(&first), listed(&second)), (1, 0));
    session_links::add_link(&first, &path).unwrap();
    session_links::add_link(&second, &path).unwrap();
    session_links::add_link(&second, &path).unwrap();
    store.append(session("/elsewhere", "main")).unwrap();
    assert_eq!((listed(&first), listed(&second)), (1, 1));
    assert_eq!(find_latest(&first).unwrap(), path);
    assert_eq!(find_latest(&second).unwrap(), path);
    // Two folders with one project name share the storage folder, but not their sessions.
    assert_eq!((listed(&world.of("/a-b")), listed(&world.of("/else.where"))), (0, 0));
    let (fork, resumed) = TranscriptStore::fork(&path, &world.of("/a-b"), Default::default(), DEFAULT_BUDGET).unwrap();
    assert_eq!(resumed.copied_from.as_deref(), Some(store.id()));
    let mut entry = session("/a-b", "main");
    if let EntryBody::Session { forked_from, .. } = &mut entry {
        *forked_from = resumed.copied_from;
    }
    fork.append(entry).unwrap();
    assert_eq!((listed(&world.of("/a-b")), listed(&first)), (1, 1), "a fork is not listed in its original's folder");
}

#[test]
fn se_3_link_out_of_the_sessions_is_ignored() {
    let world = World::new();
    let sessions = world.of("/w");
    let outside = world.home.path().join("s.jsonl");
    std::fs::write(&outside, format!("{}\n", serde_json::to_string(&user("x")).unwrap())).unwrap();
    for project in ["../..", "..", "/tmp", ""] {
        let note = json!({ "project": project, "cwds": ["/w"] }).to_string();
        paths::write_private(&sessions.dir().join("s.elsewhere"), note.as_bytes()).unwrap();
        assert!(list_sessions(&sessions, SessionScope::Project, 9).unwrap().is_empty(), "{project}");
    }
}

#[test]
fn se_3_continue_selects_the_latest_here() {
    let world = World::new();
    // Both folders have the project name `-a-b`.
    let (here, there) = (world.of("/a/b"), world.of("/a-b"));
    let make = |sessions: &ProjectSessions, cwd: &str, age: u64, said: bool| {
        let store = TranscriptStore::create(sessions, None, Default::default()).unwrap();
        store.append(session(cwd, "main")).unwrap();
        if said {
            store.append(user("hello")).unwrap();
        }
        let time = SystemTime::now() - Duration::from_secs(age);
        File::options().append(true).open(store.path()).unwrap().set_modified(time).unwrap();
        store.path().to_path_buf()
    };
    use std::time::{Duration, SystemTime};
    make(&here, "/a/b", 300, true);
    let latest = make(&here, "/a/b", 200, true);
    // Sessions without a user message: only opened, or a teammate's.
    make(&here, "/a/b", 50, false);
    make(&there, "/a-b", 100, true);
    assert_eq!(find_latest(&here).unwrap(), latest);
    assert!(find_latest(&world.of("/none")).is_err());
    assert_eq!(list_sessions(&here, SessionScope::All, 10).unwrap().len(), 4);
}

fn new_store(home: &Path) -> TranscriptStore {
    let store = TranscriptStore::create(&ProjectSessions::new(home, "/w"), None, Default::default()).unwrap();
    store.append(EntryBody::Error { message: "first".into() }).unwrap();
    store
}

fn second(store: &TranscriptStore) -> String {
    let appended = store.append(EntryBody::Error { message: "second".into() }).map(|_| ());
    appended.and_then(|()| store.sync()).unwrap_err().to_string()
}

#[test]
fn se_1_deleted_or_shortened_transcript_is_noticed() {
    let home = tempfile::tempdir().unwrap();
    let store = new_store(home.path());
    std::fs::remove_file(store.path()).unwrap();
    assert!(second(&store).contains("it was deleted"), "{}", second(&store));
    // A new file with this name does not help: the first entry is lost.
    std::fs::write(store.path(), "").unwrap();
    assert!(second(&store).contains("it was deleted"), "{}", second(&store));

    let store = new_store(home.path());
    File::options().write(true).open(store.path()).unwrap().set_len(10).unwrap();
    assert!(second(&store).contains("shortened"), "{}", second(&store));
    assert!(store.sync().is_err());
}

#[test]
fn se_2_damaged_line_is_skipped_by_its_checksum() {
    let home = tempfile::tempdir().unwrap();
    let store = new_store(home.path());
    store.append(EntryBody::Error { message: "second".into() }).unwrap();
    let (path, text) = (store.path().to_path_buf(), std::fs::read_to_string(store.path()).unwrap());
    drop(store);
    std::fs::write(&path, text.replace("first", "worst")).unwrap();
    let mut reader = TranscriptReader::open(&path).unwrap();
    assert!(reader.entry(0).unwrap().is_none() && reader.entry(1).unwrap().is_some());
    let told = reader.resume(DEFAULT_BUDGET).unwrap().skips.describe().unwrap();
    assert!(told.contains("checksum"), "{told}");
}
