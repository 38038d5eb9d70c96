use super::list::{continue_latest, find, list};
use super::*;
use cutonce_core::conversation::{Block, Message, ResultPart, Shared, Stop, ToolInput, ToolUse, Usage};
use cutonce_core::event::DecisionRecord;
use cutonce_core::mode::Mode;
use cutonce_core::permission::Why;
use cutonce_core::rule::Behavior;
use cutonce_core::submission::By;
use cutonce_core::transcript::replay::valid_for_provider;
use serde_json::{Value, json};

struct World {
    home: tempfile::TempDir,
}

impl World {
    fn new() -> Self {
        Self { home: tempfile::tempdir().unwrap() }
    }
    fn sessions(&self) -> Sessions {
        self.of("/w")
    }
    fn of(&self, cwd: &str) -> Sessions {
        Sessions::new(self.home.path().join("home"), cwd)
    }
    fn create(&self) -> Store {
        Store::create(&self.sessions(), None, Default::default()).unwrap()
    }
    /// A transcript with these bytes, as if another program had written it.
    fn with(&self, bytes: &[u8]) -> PathBuf {
        let path = self.sessions().transcript("s");
        create_private_dir(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        path
    }
}

fn open(path: &Path) -> (Store, Resumed) {
    Store::open(path, Default::default(), DEFAULT_BUDGET).unwrap()
}

fn session(cwd: &str, branch: &str) -> Body {
    Body::Session {
        session_id: "s".into(),
        version: "0".into(),
        cwd: cwd.into(),
        branch: Some(branch.into()),
        slug: None,
        forked_from: None,
        agent: None,
    }
}

fn user(text: &str) -> Body {
    Body::User { text: text.into(), images: vec![], meta: false, plan_content: None }
}

fn assistant(call: Option<&str>) -> Body {
    let text = Block::Text { text: "hm".into() };
    let call = call
        .map(|id| Block::ToolUse(ToolUse { id: id.into(), name: "Read".into(), input: ToolInput::Json(json!({})) }));
    let blocks = std::iter::once(text).chain(call).collect();
    Body::Assistant { model: "m".into(), blocks, usage: Usage::default(), stop: Stop::EndTurn }
}

fn tool(call_id: &str, name: &str, input: Value, output: &str) -> Body {
    let why = Why { reason: "r".into(), rule: None, source: None };
    Body::Tool {
        call_id: call_id.into(),
        name: name.into(),
        input,
        output: vec![ResultPart::Text { text: output.into() }],
        is_error: false,
        decision: DecisionRecord { behavior: Behavior::Allow, why },
    }
}

fn texts(conversation: &[Shared]) -> Vec<String> {
    let line = |message: &Shared| match &**message {
        Message::User { content } | Message::Assistant { blocks: content, .. } => match &content[0] {
            Block::Text { text } => text.clone(),
            other => format!("{other:?}"),
        },
        Message::Tool(result) => result.as_text(),
    };
    conversation.iter().map(line).collect()
}

#[test]
fn se_1_nothing_is_on_disk_before_the_first_entry_and_then_only_for_the_user() {
    let world = World::new();
    let store = world.create();
    store.sync().unwrap();
    assert!(!world.home.path().join("home").exists());
    let entry = store.append(user("hi")).unwrap();
    let text = std::fs::read_to_string(store.path()).unwrap();
    assert_eq!(text, format!("{}\n", entry.to_line()));
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
fn se_6_entries_have_a_v7_id_their_parent_and_the_time() {
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
fn mo_4_keys_do_not_reach_the_transcript() {
    let world = World::new();
    let redactor = Redactor::new(vec![("OPENAI_API_KEY".into(), "sk-1234567890\"x".into())]);
    let store = Store::create(&world.sessions(), None, Arc::new(redactor)).unwrap();
    store.append(user("the key is sk-1234567890\"x, keep it")).unwrap();
    let text = std::fs::read_to_string(store.path()).unwrap();
    assert!(!text.contains("1234567890") && text.contains("[redacted:OPENAI_API_KEY], keep it"), "{text}");
    drop(store);
}

#[test]
fn se_2_a_write_torn_at_any_byte_loses_only_itself() {
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
        assert_eq!(valid_for_provider(&resumed.replayed.conversation), Ok(()), "cut at {cut}");
        store.append(user("after the crash")).unwrap();
        drop(store);
        assert!(std::fs::read(&path).unwrap().starts_with(&whole[..cut]), "what was there is kept");
        let mut reader = Reader::open(&path).unwrap();
        assert_eq!(reader.len(), complete + 1, "cut at {cut}");
        for at in 0..reader.len() {
            assert!(reader.entry(at).unwrap().is_some(), "cut at {cut}, entry {at}");
        }
    }
}

#[test]
fn se_2_garbage_in_the_middle_is_skipped_with_its_line_and_nothing_else_is_lost() {
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
    let reasons: Vec<String> = resumed.skips.first.iter().map(index::Skipped::to_string).collect();
    for expected in
        ["line 2: no JSON", "line 3: not UTF-8", "line 4: zero bytes", "line 6: unknown entry type `hologram`"]
    {
        assert!(reasons.iter().any(|reason| reason.starts_with(expected)), "{expected}: {reasons:#?}");
    }
}

#[test]
fn se_2_long_lines_are_fine_and_endless_ones_are_skipped() {
    let world = World::new();
    let store = world.create();
    let long = "x".repeat(5 << 20);
    store.append(user(&long)).unwrap();
    let path = store.path().to_path_buf();
    drop(store);
    let file = File::options().append(true).open(&path).unwrap();
    let size = file.metadata().unwrap().len();
    // A hole of zeros, as a crash of the machine can leave it: one line of 65 MB.
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
fn se_1_a_transcript_that_leads_elsewhere_is_refused_and_nothing_is_written_there() {
    let world = World::new();
    let path = world.with(b"");
    let other = world.home.path().join("other");
    std::fs::write(&other, "theirs\n").unwrap();
    for name in [path.clone(), path.with_extension("lock")] {
        let _ = std::fs::remove_file(&name);
        std::os::unix::fs::symlink(&other, &name).unwrap();
        let refused = Store::open(&path, Default::default(), DEFAULT_BUDGET).unwrap_err().to_string();
        assert!(refused.contains("symbolic link"), "{refused}");
        assert_eq!(std::fs::read_to_string(&other).unwrap(), "theirs\n");
        std::fs::remove_file(&name).unwrap();
        std::fs::write(&path, "").unwrap();
    }
    std::fs::remove_file(&path).unwrap();
    let fifo = std::process::Command::new("mkfifo").arg(&path).status().unwrap();
    assert!(fifo.success());
    let refused = Store::open(&path, Default::default(), DEFAULT_BUDGET).unwrap_err().to_string();
    assert!(refused.contains("no regular file"), "{refused}");
    assert!(Reader::open(&path).is_err());
}

#[test]
fn se_2_an_empty_file_is_an_empty_session() {
    let world = World::new();
    let (store, resumed) = open(&world.with(b""));
    assert_eq!((resumed.replayed.conversation.len(), resumed.skips.total), (0, 0));
    assert_eq!(store.append(user("hi")).unwrap().parent, None);
}

#[test]
fn se_4_the_second_process_is_told_and_may_fork() {
    let world = World::new();
    let store = world.create();
    store.append(user("hi")).unwrap();
    let error = Store::open(store.path(), Default::default(), DEFAULT_BUDGET).unwrap_err();
    let StoreError::InUse { pid, .. } = &error else { panic!("{error}") };
    assert_eq!(*pid, Some(std::process::id()));
    assert!(error.to_string().contains("--fork-session"), "{error}");
    let (fork, resumed) = Store::fork(store.path(), &world.sessions(), Default::default(), DEFAULT_BUDGET).unwrap();
    assert_ne!(fork.id(), store.id());
    assert_eq!(texts(&resumed.replayed.conversation), ["hi"]);
    fork.append(user("mine")).unwrap();
    let path = store.path().to_path_buf();
    drop(store);
    assert!(!path.with_extension("lock").exists());
    assert_eq!(open(&path).1.replayed.conversation.len(), 1, "the original does not see the fork");
}

#[test]
fn sa_1_a_fork_has_the_transcripts_of_its_agents_for_itself() {
    let world = World::new();
    let store = world.create();
    store.append(user("hi")).unwrap();
    let agent = store.sidechain("agent-1").unwrap();
    agent.append(user("look")).unwrap();
    // What is no transcript of an agent stays where it is.
    std::fs::create_dir(store.own_dir().join("agents/agent-1")).unwrap();
    let (fork, _) = Store::fork(store.path(), &world.sessions(), Default::default(), DEFAULT_BUDGET).unwrap();
    let theirs = fork.sidechain_path("agent-1").unwrap();
    let (copy, resumed) = open(&theirs);
    assert_eq!(texts(&resumed.replayed.conversation), ["look"]);
    copy.append(user("and on")).unwrap();
    assert_eq!(
        std::fs::read_dir(theirs.parent().unwrap()).unwrap().flatten().filter(|file| file.path().is_dir()).count(),
        0
    );
    let ours = store.sidechain_path("agent-1").unwrap();
    assert!(!std::fs::read_to_string(ours).unwrap().contains("and on"), "the original does not see the fork");
}

#[test]
fn se_4_a_lock_file_left_by_a_crash_locks_nothing() {
    let world = World::new();
    let path = world.with(b"");
    std::fs::write(path.with_extension("lock"), "4194304\n").unwrap();
    let _store = open(&path);
}

#[test]
fn cl_2_a_chosen_id_must_be_new_and_a_file_name() {
    let world = World::new();
    let create = |id: &str| Store::create(&world.sessions(), Some(id.into()), Default::default());
    let store = create("mine").unwrap();
    store.append(user("hi")).unwrap();
    assert!(matches!(create("mine"), Err(StoreError::Exists { .. })));
    assert!(matches!(create("../mine"), Err(StoreError::BadId { .. })));
    // Both were made before either wrote.
    let (a, b) = (create("two").unwrap(), create("two").unwrap());
    a.append(user("a")).unwrap();
    assert!(b.append(user("b")).is_err());
}

#[test]
fn se_5_a_rewind_and_its_fork_hold_only_the_chain() {
    let world = World::new();
    let store = world.create();
    let first = store.append(user("keep")).unwrap();
    store.append(user("undo")).unwrap();
    store.rewind_to(&first.id);
    let rewind = store.append(Body::Rewind { to: first.id.clone(), files: vec![] }).unwrap();
    assert_eq!(rewind.parent.as_deref(), Some(first.id.as_str()));
    store.append(user("instead")).unwrap();
    let path = store.path().to_path_buf();
    let (fork, forked) = Store::fork(&path, &world.of("/elsewhere"), Default::default(), DEFAULT_BUDGET).unwrap();
    drop(store);
    assert_eq!(texts(&open(&path).1.replayed.conversation), ["keep", "instead"]);
    assert_eq!(texts(&forked.replayed.conversation), ["keep", "instead"]);
    let copy = std::fs::read_to_string(fork.path()).unwrap();
    assert!(!copy.contains("undo"), "{copy}");
    assert_eq!(fork.last_id(), forked.last_id);
}

/// About 50 MB: a mode, todos and a plan early on, then long tool loops with a user message now and then.
fn large(world: &World) -> PathBuf {
    let store = world.create();
    store.append(session("/w", "main")).unwrap();
    store.append(user("the beginning")).unwrap();
    store.append(Body::Mode { from: Mode::Default, to: Mode::AcceptEdits, by: By::User }).unwrap();
    let todos = json!({ "todos": [{ "content": "Do", "status": "pending", "activeForm": "Doing" }] });
    store.append(tool("t", "TodoWrite", todos, "ok")).unwrap();
    let plan = Body::Plan { slug: "calm-sea".into(), revision: 1, sha256: "0".into(), outcome: "approved".into() };
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
fn se_2_a_large_session_comes_back_by_parsing_only_its_end() {
    let world = World::new();
    let path = large(&world);
    let size = std::fs::metadata(&path).unwrap().len();
    assert!(size > 45 << 20, "{size}");
    let budget = 500_000;
    let mut reader = Reader::open(&path).unwrap();
    let resumed = reader.resume(budget).unwrap();
    assert!(resumed.parsed_bytes < 2 * budget as u64, "{} of {size} bytes parsed", resumed.parsed_bytes);
    let replayed = &resumed.replayed;
    assert_eq!(valid_for_provider(&replayed.conversation), Ok(()));
    let shown = texts(&replayed.conversation);
    assert!(shown[0].starts_with("round "), "cut at a message of the user: {}", shown[0]);
    let held: usize = shown.iter().map(String::len).sum();
    assert!(held > budget / 2 && held < budget, "{held}");
    assert!(resumed.left_out > 5000, "{}", resumed.left_out);
    assert_eq!((replayed.mode, replayed.todos.len()), (Some(Mode::AcceptEdits), 1));
    assert_eq!((replayed.slug.as_deref(), replayed.branch.as_deref()), (Some("calm-sea"), Some("main")));
    assert_eq!((replayed.counts.user, replayed.counts.assistant, replayed.counts.tool), (430, 3000, 3001));
    // The whole of it is there, too.
    assert_eq!(reader.resume(usize::MAX).unwrap().left_out, 0);
}

#[test]
fn ag_8_what_came_before_a_compaction_is_not_read() {
    let world = World::new();
    let store = world.create();
    store.append(user(&"x".repeat(1 << 20))).unwrap();
    store.append(Body::Compaction { summary: "sum".into(), kept: "kept".into() }).unwrap();
    for text in ["a", "b"] {
        store.append(user(text)).unwrap();
    }
    let path = store.path().to_path_buf();
    drop(store);
    let (_store, resumed) = open(&path);
    assert_eq!(resumed.replayed.conversation.len(), 3);
    assert!(resumed.parsed_bytes < 10_000 && resumed.left_out == 0, "{resumed:?}");
    // However small the budget: the summary and the last entry are there.
    let resumed = Reader::open(&path).unwrap().resume(0).unwrap();
    let shown = texts(&resumed.replayed.conversation);
    assert!(shown[0].contains("sum") && shown[1] == "b" && shown.len() == 2, "{shown:?}");
    assert_eq!(resumed.left_out, 1);
}

#[test]
fn se_2_a_broken_compaction_brings_back_what_it_replaced() {
    let world = World::new();
    let store = world.create();
    store.append(user("before")).unwrap();
    let compaction = store.append(Body::Compaction { summary: "s".into(), kept: "k".into() }).unwrap().to_line();
    store.append(user("after")).unwrap();
    let text = std::fs::read_to_string(store.path()).unwrap();
    drop(store);
    let broken = text.replace(&compaction, &compaction.replace("\"summary\":\"s\"", "\"summary\":{{"));
    let (_store, resumed) = open(&world.with(broken.as_bytes()));
    assert_eq!(texts(&resumed.replayed.conversation), ["before", "after"]);
    assert_eq!(resumed.skips.total, 1);
}

#[test]
fn ag_4_a_cut_inside_one_long_turn_still_starts_where_a_provider_accepts_it() {
    let world = World::new();
    let store = world.create();
    store.append(user("go")).unwrap();
    for round in 0..20 {
        let call = format!("c{round}");
        store.append(assistant(Some(&call))).unwrap();
        store.append(tool(&call, "Read", json!({}), &"y".repeat(1000))).unwrap();
    }
    for budget in (0..30_000).step_by(700) {
        let resumed = Reader::open(store.path()).unwrap().resume(budget).unwrap();
        assert_eq!(valid_for_provider(&resumed.replayed.conversation), Ok(()), "budget {budget}");
    }
}

#[test]
fn se_3_sessions_are_listed_with_what_a_picker_shows() {
    let world = World::new();
    assert_eq!(list(&world.sessions(), Scope::All, 10).unwrap(), []);
    let store = world.create();
    store.append(session("/w", "main")).unwrap();
    store.append(Body::User { text: "made".into(), images: vec![], meta: true, plan_content: None }).unwrap();
    store.append(user("fix the\n\x1b[31mlogin   bug")).unwrap();
    store.append(Body::Mode { from: Mode::Default, to: Mode::Plan, by: By::User }).unwrap();
    let content = Some("\n# Fix the login\n\nsteps".to_string());
    store.append(Body::FileSnapshot { key: "plan".into(), path: "p".into(), content, sha256: None }).unwrap();
    let last = store.append(session("/w", "topic")).unwrap();
    let listed = list(&world.sessions(), Scope::Project, 10).unwrap().pop().unwrap();
    assert_eq!(listed.id, store.id());
    assert_eq!(listed.first_message.as_deref(), Some("fix the \\u{1b}[31mlogin bug"));
    assert_eq!((listed.branch.as_deref(), listed.mode), (Some("topic"), Some(Mode::Plan)));
    assert_eq!(listed.plan_title.as_deref(), Some("Fix the login"));
    assert_eq!((listed.last_at, listed.entries, listed.exact), (Some(last.at), 6, true));
}

#[test]
fn se_3_a_list_reads_only_both_ends_of_a_large_file() {
    let world = World::new();
    let store = world.create();
    store.append(session("/w", "main")).unwrap();
    let instructions = "i".repeat(300 << 10);
    let reminder = |text: String| Body::Reminder { kind: "k".into(), form: None, path: None, exists: None, text };
    store.append(reminder(instructions.clone())).unwrap();
    store.append(user("behind the instructions")).unwrap();
    for _ in 0..10 {
        store.append(reminder(instructions.clone())).unwrap();
    }
    let last = store.append(reminder("x".repeat(200 << 10))).unwrap();
    let listed = list(&world.sessions(), Scope::Project, 10).unwrap().pop().unwrap();
    assert_eq!(listed.first_message.as_deref(), Some("behind the instructions"));
    assert_eq!((listed.last_at, listed.mode, listed.exact), (Some(last.at), None, false));
    assert_eq!(listed.cwd.as_deref(), Some("/w"));
}

#[test]
fn se_3_resume_finds_by_id_prefix_or_words_and_says_when_several_fit() {
    let world = World::new();
    let make = |cwd: &str, id: &str, text: &str| {
        let store = Store::create(&world.of(cwd), Some(id.into()), Default::default()).unwrap();
        store.append(session(cwd, "main")).unwrap();
        store.append(user(text)).unwrap();
        store.path().to_path_buf()
    };
    let login = make("/w", "aa11", "Fix the login");
    let logout = make("/w", "aa22", "fix the LOGOUT");
    let other = make("/other", "bb33", "something else");
    let sessions = world.sessions();
    assert_eq!(find(&sessions, "aa11").unwrap(), login);
    assert_eq!(find(&sessions, " logout ").unwrap(), logout);
    assert_eq!(find(&sessions, "bb").unwrap(), other, "other projects come second");
    assert_eq!(find(&sessions, "bb33").unwrap(), other);
    let several = find(&sessions, "fix the").unwrap_err().to_string();
    assert!(several.contains("2 sessions fit") && several.contains("aa11"), "{several}");
    assert!(matches!(find(&sessions, "nothing"), Err(StoreError::NotFound { .. })));
    assert!(matches!(find(&sessions, "../aa11"), Err(StoreError::NotFound { .. })));
    assert!(matches!(find(&sessions, ""), Err(StoreError::NotFound { .. })));
}

#[test]
fn se_3_a_session_that_went_on_elsewhere_is_listed_in_both_folders_and_in_no_third() {
    let world = World::new();
    let (first, second) = (world.of("/a/b"), world.of("/elsewhere"));
    let store = Store::create(&first, None, Default::default()).unwrap();
    store.append(session("/a/b", "main")).unwrap();
    store.append(user("hello")).unwrap();
    drop(store.clone());
    let path = store.path().to_path_buf();
    let listed = |sessions: &Sessions| list(sessions, Scope::Project, 9).unwrap().len();
    assert_eq!((listed(&first), listed(&second)), (1, 0));
    elsewhere::note(&first, &path).unwrap();
    elsewhere::note(&second, &path).unwrap();
    elsewhere::note(&second, &path).unwrap();
    store.append(session("/elsewhere", "main")).unwrap();
    assert_eq!((listed(&first), listed(&second)), (1, 1));
    assert_eq!(continue_latest(&first).unwrap(), path);
    assert_eq!(continue_latest(&second).unwrap(), path);
    // Two folders with one project name share the folder of their sessions, not the sessions.
    assert_eq!((listed(&world.of("/a-b")), listed(&world.of("/else.where"))), (0, 0));
    let (fork, resumed) = Store::fork(&path, &world.of("/a-b"), Default::default(), DEFAULT_BUDGET).unwrap();
    assert_eq!(resumed.copied_from.as_deref(), Some(store.id()));
    let mut entry = session("/a-b", "main");
    if let Body::Session { forked_from, .. } = &mut entry {
        *forked_from = resumed.copied_from;
    }
    fork.append(entry).unwrap();
    assert_eq!((listed(&world.of("/a-b")), listed(&first)), (1, 1), "where a fork came from is not where it is");
}

#[test]
fn se_3_a_note_that_leads_out_of_the_sessions_is_none() {
    let world = World::new();
    let sessions = world.of("/w");
    let outside = world.home.path().join("s.jsonl");
    std::fs::write(&outside, format!("{}\n", serde_json::to_string(&user("x")).unwrap())).unwrap();
    for project in ["../..", "..", "/tmp", ""] {
        let note = json!({ "project": project, "cwds": ["/w"] }).to_string();
        place::write_private(&sessions.dir().join("s.elsewhere"), note.as_bytes()).unwrap();
        assert!(list(&sessions, Scope::Project, 9).unwrap().is_empty(), "{project}");
    }
}

#[test]
fn se_3_continue_takes_the_latest_of_this_folder() {
    let world = World::new();
    // Both folders have the project name `-a-b`.
    let (here, there) = (world.of("/a/b"), world.of("/a-b"));
    let make = |sessions: &Sessions, cwd: &str, age: u64, said: bool| {
        let store = Store::create(sessions, None, Default::default()).unwrap();
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
    // Only opened, or a teammate's own: nobody said anything there.
    make(&here, "/a/b", 50, false);
    make(&there, "/a-b", 100, true);
    assert_eq!(continue_latest(&here).unwrap(), latest);
    assert!(continue_latest(&world.of("/none")).is_err());
    assert_eq!(list(&here, Scope::All, 10).unwrap().len(), 4);
}
