//! Rules about shapes: one event loop, one caller of each machine, sizes of structs, folders, dependencies.

use super::code::{self, Code, Text};
use super::{exceptions, product_files, verdict, verdict_unless_pending};
use std::collections::{BTreeMap, BTreeSet};

const STRUCT_FIELDS: usize = 25;
const SESSION_STATE_FIELDS: usize = 20;
const SESSION: &str = "crates/cutonce-agent/src/session";
const EVENT_LOOP: &str = "crates/cutonce-agent/src/session/event_loop.rs";
const RECEIVE: &[&str] = &["recv", "try_recv", "recv_many", "blocking_recv", "poll_recv"];

/// A file's path with its code.
type ParsedFile<'a> = (String, &'a Code);

fn parsed_product(below: &str) -> Vec<ParsedFile<'static>> {
    product_files(below).into_iter().map(|file| (file.path.clone(), code::parsed(&file))).collect()
}

/// Loops that wait on the session's inbox, as `file:line`.
fn inbox_loops(files: &[ParsedFile]) -> Vec<String> {
    let mut found = Vec::new();
    for (path, code) in files.iter().filter(|(path, _)| path.starts_with(SESSION)) {
        let selects = ["select", "select_biased"].into_iter().flat_map(|name| code.macro_bodies(name));
        let reads = |body: &str| body.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == "inbox");
        found.extend(selects.filter(|(_, body)| reads(body)).map(|(line, _)| format!("{path}:{line}")));
    }
    found
}

#[test]
fn one_select_reads_the_inbox() {
    let files = parsed_product("crates/cutonce-agent/");
    let (own, mut found): (Vec<_>, Vec<_>) = inbox_loops(&files).into_iter().partition(|at| at.starts_with(EVENT_LOOP));
    if own.len() != 1 {
        found.push(format!("{EVENT_LOOP}: has {} select! on the inbox instead of one", own.len()));
    }
    for (path, code) in files.iter().filter(|(path, _)| path.starts_with(SESSION) && path != EVENT_LOOP) {
        for (receiver, method) in ["inbox", "events"].iter().flat_map(|r| RECEIVE.iter().map(move |m| (*r, *m))) {
            let lines = code.method_calls(receiver, method);
            found.extend(lines.iter().map(|line| format!("{path}:{line} {receiver}.{method}")));
        }
    }
    verdict_unless_pending(
        "one_select_reads_the_inbox",
        "Only the event loop reads the session's inbox and events, in one select!.",
        &found,
    );
}

/// Callers outside core of the turn machine and of the call machine. In the session, only a plan's phase has another
/// `step`: any other receiver may be the turn under another name.
fn machine_callers(files: &[ParsedFile]) -> (Vec<String>, Vec<String>) {
    let (mut turn, mut call) = (Vec::new(), Vec::new());
    for (path, code) in files.iter().filter(|(path, _)| !path.starts_with("crates/cutonce-core/")) {
        let is_turn = |of: &str| of == "turn" || (path.starts_with(SESSION) && of != "phase");
        let steps = code.receivers_of("step").into_iter().filter(|(_, of)| is_turn(of));
        turn.extend(steps.map(|(line, _)| format!("{path}:{line}")));
        turn.extend(code.uses_of("Turn::step").iter().map(|line| format!("{path}:{line}")));
        call.extend(code.uses_of("call::step").iter().map(|line| format!("{path}:{line}")));
    }
    (turn, call)
}

#[test]
fn each_machine_has_one_caller() {
    let (turn, call) = machine_callers(&parsed_product("crates/"));
    let mut found = Vec::new();
    for (name, callers) in [("turn.step(", turn), ("call::step(", call)] {
        if callers.len() != 1 {
            found.push(format!("{name}…) has {} callers: {}", callers.len(), callers.join(", ")));
        }
    }
    verdict_unless_pending(
        "each_machine_has_one_caller",
        "The turn machine and the call machine have one caller each, so that no effect is dropped.",
        &found,
    );
}

fn most_fields(name: &str) -> usize {
    match name {
        "SessionState" => SESSION_STATE_FIELDS,
        _ => STRUCT_FIELDS,
    }
}

#[test]
fn structs_stay_small() {
    let mut large = Vec::new();
    for file in product_files("crates/") {
        let types = code::parsed(&file).types().into_iter();
        large.extend(types.filter(|item| item.fields > most_fields(&item.name)));
    }
    let mut found = Vec::new();
    for item in &large {
        match exceptions::LARGE_STRUCTS.iter().find(|(name, ..)| *name == item.name) {
            Some((_, limit, _)) if item.fields == *limit => {}
            Some((_, limit, _)) => {
                found.push(format!(
                    "{}: {} fields, listed with {limit}; the number only shrinks",
                    item.name, item.fields
                ));
            }
            None => found.push(format!("{}: {} fields", item.name, item.fields)),
        }
    }
    let listed = exceptions::LARGE_STRUCTS.iter().map(|(name, ..)| *name);
    let idle = listed.filter(|name| !large.iter().any(|item| item.name == *name));
    found.extend(idle.map(|name| format!("{name}: remove it from LARGE_STRUCTS")));
    verdict(&format!("A struct has at most {STRUCT_FIELDS} fields; group them."), &found);
}

/// Folders with Rust files but without `mod.rs`, and modules that have both `x.rs` and `x/`.
fn module_faults(paths: &BTreeSet<&str>) -> Vec<String> {
    let mut found = BTreeSet::new();
    for path in paths.iter().filter(|path| path.contains("/src/")) {
        let Some((folder, _)) = path.rsplit_once('/') else { continue };
        let own = folder.ends_with("/src") || folder.ends_with("/src/bin");
        if !own && !paths.contains(format!("{folder}/mod.rs").as_str()) {
            found.insert(format!("{folder}/mod.rs is missing"));
        }
        if !own && paths.contains(format!("{folder}.rs").as_str()) {
            found.insert(format!("{folder}.rs: move it to {folder}/mod.rs"));
        }
    }
    found.into_iter().collect()
}

#[test]
fn modules_with_parts_use_mod_rs() {
    let files = code::rust_files();
    let paths: BTreeSet<&str> = files.iter().map(|file| file.path.as_str()).collect();
    verdict_unless_pending(
        "modules_with_parts_use_mod_rs",
        "A module with parts is a folder `x/` with `x/mod.rs`.",
        &module_faults(&paths),
    );
}

/// Dependencies of a manifest that no code of the crate names.
fn unused(manifest: &str, identifiers: &BTreeSet<String>) -> Vec<String> {
    let names = code::dependencies(manifest).into_iter().map(|(_, name)| name);
    names.filter(|name| !identifiers.contains(&name.replace('-', "_"))).collect()
}

#[test]
fn dependencies_are_used() {
    let mut identifiers: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for file in code::rust_files() {
        let name = file.path.split('/').nth(1).unwrap_or_default();
        identifiers.entry(name.to_owned()).or_default().extend(code::parsed(&file).identifiers().iter().cloned());
    }
    let mut found = Vec::new();
    for (name, identifiers) in &identifiers {
        let manifest = code::read(&format!("crates/{name}/Cargo.toml")).unwrap_or_default();
        found.extend(unused(&manifest, identifiers).into_iter().map(|dependency| format!("{name}: {dependency}")));
    }
    verdict("Every dependency is used by its crate.", &found);
}

/// True if the file belongs to a plan room: a folder or file about plan mode.
fn in_plan_room(path: &str) -> bool {
    const ROOMS: &[&str] =
        &["plan", "approval", "reminder", "review", "changes", "workspace_diff", "rehears", "contract"];
    path.split_once("/src/").is_some_and(|(_, path)| {
        path.split('/').any(|part| {
            let mode = part.starts_with("mode") && !part.starts_with("model");
            mode || ROOMS.iter().any(|room| part.starts_with(room))
        })
    })
}

/// True if `plan`, `plans` or `Plan` is a word of the identifier.
fn names_plan(identifier: &str) -> bool {
    let after = |at: usize| identifier[at + "Plan".len()..].chars().next();
    identifier.split('_').any(|word| word == "plan" || word == "plans")
        || identifier.match_indices("Plan").any(|(at, _)| !after(at).is_some_and(|c| c.is_ascii_lowercase()))
}

/// Product files outside plan rooms that name plans or plan mode.
fn plan_files(files: &[ParsedFile]) -> Vec<String> {
    let names = |code: &Code| code.product_identifiers().iter().any(|identifier| names_plan(identifier));
    let outside = files.iter().filter(|(path, code)| !in_plan_room(path) && names(code));
    outside.map(|(path, _)| path.clone()).collect()
}

#[test]
fn plans_stay_in_plan_rooms() {
    let found = plan_files(&parsed_product("crates/"));
    super::allowance("PLAN_FILES", exceptions::PLAN_FILES, &found, "files outside plan rooms name plans");
}

/// Functions that list one folder.
const LISTS: [&str; 4] = ["read_dir", "read_from", "fdopendir", "scandir"];
/// Methods that take from a queue of folders and add to it.
const QUEUE_ENDS: [&str; 6] = ["pop", "pop_front", "pop_back", "pop_first", "pop_last", "swap_remove"];
const QUEUE_STARTS: [&str; 4] = ["push", "push_back", "push_front", "extend"];

/// What a function names, itself or through at most `steps` other functions of its file.
fn reached<'a>(calls: &BTreeMap<&str, BTreeSet<&'a str>>, name: &str, steps: usize) -> BTreeSet<&'a str> {
    let mut seen: BTreeSet<&'a str> = calls.get(name).into_iter().flatten().copied().collect();
    for _ in 0..steps {
        let next: Vec<&'a str> = seen.iter().filter_map(|name| calls.get(name)).flatten().copied().collect();
        seen.extend(next);
    }
    seen
}

/// Functions of a file that walk a folder tree, as `line name`: a listing of one folder, called in a loop over waiting
/// folders or recursively, in one function or through others of the file; and uses of a crate that walks.
fn walks(code: &Code) -> Vec<String> {
    // `f(…)`, `Self::f(…)` and `self.f(…)` are functions of the file; `File::open` and `file.open()` are not.
    let mut used = code.calls_on("self");
    for path in code.product_paths().into_iter().filter(|path| !path.imported && !path.defined) {
        let name = path.text.rsplit(['.', ':']).next().unwrap_or_default();
        let is_own = path.called && (path.text == name || path.text.strip_prefix("Self::") == Some(name));
        if is_own || LISTS.contains(&name) || QUEUE_ENDS.contains(&name) || QUEUE_STARTS.contains(&name) {
            used.push((path.line, name));
        }
    }
    let names_in = |from: usize, length: usize| {
        let inside = used.iter().filter(move |(line, _)| (from..from + length).contains(line));
        inside.map(|(_, name)| *name).collect::<BTreeSet<&str>>()
    };
    let mut calls: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (from, name, length) in code.functions() {
        calls.entry(name).or_default().extend(names_in(*from, *length));
    }
    let is_walk = |name: &str| {
        let near = reached(&calls, name, 1);
        let has = |names: &[&str]| names.iter().any(|name| near.contains(name));
        let by_queue = has(&QUEUE_ENDS) && has(&QUEUE_STARTS);
        has(&LISTS) && (by_queue || reached(&calls, name, 2).contains(name))
    };
    let own =
        code.functions().iter().filter(|(_, name, _)| is_walk(name)).map(|(line, name, _)| format!("{line} {name}"));
    let crates = ["WalkBuilder::new", "WalkDir", "walkdir", "jwalk", "globwalk", "nftw"];
    let by_crate = code.product_paths().into_iter().filter(|path| crates.iter().any(|name| path.names(name)));
    own.chain(by_crate.map(|path| format!("{} {}", path.line, path.text))).collect()
}

#[test]
fn one_walker_of_folder_trees() {
    let mut found = Vec::new();
    let files = parsed_product("crates/");
    for (path, code) in &files {
        let walks = walks(code);
        match exceptions::OWN_WALKS.iter().any(|(known, _)| known == path) {
            true if walks.is_empty() => found.push(format!("{path}: no longer walks; remove it from OWN_WALKS")),
            true => {}
            false => found.extend(walks.iter().map(|walk| format!("{path}:{walk}"))),
        }
    }
    let listed = exceptions::OWN_WALKS.iter().filter(|(known, _)| !files.iter().any(|(path, _)| path == known));
    found.extend(listed.map(|(path, _)| format!("{path}: does not exist; remove it from OWN_WALKS")));
    verdict("Folder trees are walked by tools/files/walk.rs; a walk that differs is listed in OWN_WALKS.", &found);
}

#[test]
fn walk_rule_can_fail() {
    let parse = |text: &str| Code::parse(&Text { path: "crates/x/src/x.rs".into(), text: text.into() });
    for walk in [
        "fn f(a: &Path) { for e in fs::read_dir(a) { f(&e.path()); } }",
        "fn f() { while let Some(a) = open.pop() { open.extend(a.read_dir()); } }",
        "fn f() { while let Some(a) = open.pop_front() { open.extend(list(a)); } }\nfn list(a: P) { fs::read_dir(a); }",
        "impl A { fn f(&self) { for e in self.list() { self.g(e); } }\nfn g(&self, e: E) { self.f(); }
            fn list(&self) { Dir::read_from(&self.fd); } }",
        "use ignore::WalkBuilder; fn f() { WalkBuilder::new(a); }",
        "use walkdir::WalkDir as W; fn f() { W::new(a); }",
    ] {
        assert!(!walks(&parse(walk)).is_empty(), "{walk}");
    }
    for plain in [
        "fn f(a: &Path) { for e in fs::read_dir(a) { g(e); } }\nfn g(e: E) {}",
        "fn f() { while let Some(a) = open.pop() { open.extend(g(a)); } }\nfn other() { fs::read_dir(a); }",
        "fn f() { let file = File::open(a); fs::read_dir(b); }\nfn open() { f(); }",
        "#[cfg(test)] mod tests { fn f(a: &Path) { for e in fs::read_dir(a) { f(&e.path()); } } }",
    ] {
        assert_eq!(walks(&parse(plain)), Vec::<String>::new(), "{plain}");
    }
}

#[test]
fn structure_rules_can_fail() {
    let parse = |path: &str, text: &str| Code::parse(&Text { path: path.into(), text: text.into() });
    let path = "crates/cutonce-agent/src/session/x.rs";
    let source = "async fn f(&mut self) { tokio::select! { s = self.inbox.recv() => self.state.turn.step(s), } }
        fn g() { call::step(a, b); }
        #[cfg(test)]
        mod tests { fn t() { turn.step(1); } }";
    let code = parse(path, source);
    let files = [(path.to_owned(), &code)];
    assert_eq!(inbox_loops(&files), [format!("{path}:1")]);
    assert_eq!(code.method_calls("inbox", "recv"), [1]);
    let (turn, call) = machine_callers(&files);
    assert_eq!((turn.len(), call.len()), (1, 1), "the caller in the test does not count");
    for hidden in [
        "use core::call::step as next; fn f() { next(a, b); }",
        "use core::call::*; fn f() { step(a, b); }",
        "fn f() { let next = call::step; next(a, b); }",
    ] {
        let code = parse(path, hidden);
        assert!(!machine_callers(&[(path.to_owned(), &code)]).1.is_empty(), "{hidden}");
    }
    for hidden in [
        "fn f(s: &mut S) { let other = &mut s.turn; other.step(e); }",
        "fn f() { Turn::step(&mut s.turn, e); }",
        "fn f() { (&mut s.turn).step(e); }",
    ] {
        let code = parse(path, hidden);
        assert!(!machine_callers(&[(path.to_owned(), &code)]).0.is_empty(), "{hidden}");
    }
    let code = parse("crates/x/src/x.rs", "struct A { a: u8, b: u8 } enum B { C } type D = u8;");
    let types: Vec<_> = code.types().iter().map(|item| (item.name.clone(), item.fields)).collect();
    assert_eq!(types, [("A".to_owned(), 2), ("B".to_owned(), 0), ("D".to_owned(), 0)]);
    let paths = BTreeSet::from(["crates/x/src/lib.rs", "crates/x/src/a.rs", "crates/x/src/a/b.rs"]);
    assert_eq!(module_faults(&paths).len(), 2);
    let identifiers = BTreeSet::from(["libc".to_owned()]);
    assert_eq!(unused("[dependencies]\nserde-json = \"1\"\nlibc = \"1\"", &identifiers), ["serde-json"]);
    assert!(in_plan_room("crates/x/src/plan/a.rs") && !in_plan_room("crates/x/src/model.rs"));
    let code = parse("crates/x/src/turn.rs", "fn f(m: Mode) -> bool { m == Mode::Plan }");
    assert_eq!(plan_files(&[("crates/x/src/turn.rs".to_owned(), &code)]), ["crates/x/src/turn.rs"]);
    for (identifier, names) in [
        ("plan", true),
        ("old_plans", true),
        ("PlanFile", true),
        ("planning", false),
        ("Planner", false),
        ("explanation", false),
    ] {
        assert_eq!(names_plan(identifier), names, "{identifier}");
    }
}
