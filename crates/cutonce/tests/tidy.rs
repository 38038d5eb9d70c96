//! The rules of the house, held by tests: a rule that nothing checks is only advice.
//!
//! Each rule is a test of its own. What a rule forbids is found in the code's tokens, never in comments or
//! strings. Exceptions are tables in `tidy/exceptions.rs`: each has a reason, and one that is no longer
//! needed fails too, so the tables only shrink.
#![allow(clippy::expect_used, reason = "a test that can't read the repository must fail")]

#[path = "tidy/code.rs"]
mod code;
#[path = "tidy/exceptions.rs"]
mod exceptions;

use code::{Code, Text};
use std::collections::{BTreeMap, BTreeSet};

const FILE_LINES: usize = 800;
const FUNCTION_LINES: usize = 70;
const DESCRIPTION_BYTES: usize = 1200;

/// Which sibling crates each crate may know. A crate exists only where the compiler must guard something.
const ARROWS: &[(&str, &[&str])] = &[
    ("cutonce-core", &[]),
    ("cutonce-sandbox", &[]),
    ("cutonce-models", &["cutonce-core"]),
    ("cutonce-tools", &["cutonce-core", "cutonce-sandbox"]),
    ("cutonce-agent", &["cutonce-core", "cutonce-models", "cutonce-sandbox", "cutonce-tools"]),
    ("cutonce-tui", &["cutonce-core", "cutonce-agent"]),
    (
        "cutonce",
        &["cutonce-core", "cutonce-models", "cutonce-sandbox", "cutonce-tools", "cutonce-agent", "cutonce-tui"],
    ),
];

/// Time, randomness, files and the network come into core as data.
const NOT_IN_CORE: &[&str] =
    &["tokio", "reqwest", "hyper", "uuid", "fastrand", "rand", "getrandom", "jiff", "tempfile", "rustix", "libc"];
const NOT_IN_CORE_CODE: &[&str] =
    &["std::fs", "std::env", "std::process", "std::net", "std::thread::sleep", "SystemTime", "Instant"];

/// Ways to change a file. `.persist` is how a temporary file becomes a real one.
const WRITERS: &[&str] = &[
    "File::create",
    "File::create_new",
    "File::options",
    "OpenOptions::new",
    "fs::write",
    "fs::rename",
    "fs::copy",
    "fs::hard_link",
    "fs::remove_file",
    "fs::remove_dir_all",
    "fs::set_permissions",
    ".persist",
    ".persist_noclobber",
    ".set_len",
];

/// Ways to start a process.
const STARTERS: &[&str] = &["process::Command", "libc::fork", "libc::vfork", "libc::execve", "libc::posix_spawn"];

fn verdict(rule: &str, found: &[String]) {
    assert!(found.is_empty(), "\n{rule}\n  {}\n", found.join("\n  "));
}

#[test]
fn files_stay_short() {
    let mut found = Vec::new();
    let files = code::rust_files();
    for file in &files {
        let lines = file.text.lines().count();
        match exceptions::LONG_FILES.iter().find(|(path, ..)| *path == file.path) {
            Some((_, _, _)) if lines <= FILE_LINES => {
                found.push(format!("{}: {lines} lines now; take it off LONG_FILES", file.path));
            }
            Some((_, limit, _)) if lines > *limit => {
                found.push(format!("{}: {lines} lines, was {limit}; the list only shrinks", file.path));
            }
            Some(_) => {}
            None if lines > FILE_LINES => found.push(format!("{}: {lines} lines", file.path)),
            None => {}
        }
    }
    gone(exceptions::LONG_FILES.iter().map(|(path, ..)| *path), &files, &mut found);
    verdict(&format!("A file has at most {FILE_LINES} lines: split it by meaning, not by size."), &found);
}

#[test]
fn functions_stay_short() {
    let mut found = Vec::new();
    let mut needed = BTreeSet::new();
    for file in code::rust_files() {
        for (line, name, lines) in Code::parse(&file).functions() {
            let exception = exceptions::LONG_FUNCTIONS.iter().find(|(path, f, ..)| *path == file.path && *f == name);
            if lines <= FUNCTION_LINES {
                continue;
            }
            needed.insert((file.path.clone(), name.clone()));
            match exception {
                Some((.., limit, _)) if lines <= *limit => {}
                Some((.., limit, _)) => {
                    found.push(format!(
                        "{}:{line} {name}: {lines} lines, was {limit}; the list only shrinks",
                        file.path
                    ));
                }
                None => found.push(format!("{}:{line} {name}: {lines} lines", file.path)),
            }
        }
    }
    for (path, name, ..) in exceptions::LONG_FUNCTIONS {
        if !needed.contains(&(path.to_string(), name.to_string())) {
            found.push(format!("{path} {name}: short enough or gone; take it off LONG_FUNCTIONS"));
        }
    }
    verdict(&format!("A function has at most {FUNCTION_LINES} lines: one step of the story each."), &found);
}

#[test]
fn files_say_why_they_exist() {
    let files = code::rust_files();
    let told = |file: &&Text| file.path.ends_with("/tests.rs") || file.text.starts_with("//!");
    let silent = files.iter().filter(|file| file.path.contains("/src/") && !told(file));
    let found: Vec<_> = silent.map(|file| format!("{}:1", file.path)).collect();
    verdict("A file reads from the top: its first line is `//!` and says why it exists.", &found);
}

#[test]
fn crates_know_only_their_neighbours() {
    let mut found = Vec::new();
    for manifest in
        code::texts().iter().filter(|text| text.path.starts_with("crates/") && text.path.ends_with("/Cargo.toml"))
    {
        let name = manifest.path.split('/').nth(1).unwrap_or_default();
        let Some((_, allowed)) = ARROWS.iter().find(|(known, _)| *known == name) else {
            found.push(format!(
                "{}: a crate that ARROWS does not know; add a row that says what it may know",
                manifest.path
            ));
            continue;
        };
        for (line, dependency) in code::dependencies(&manifest.text) {
            let sibling = dependency.starts_with("cutonce");
            if sibling && !allowed.contains(&dependency.as_str()) {
                found.push(format!("{}:{line} {name} must not know {dependency}", manifest.path));
            }
            if name == "cutonce-core" && NOT_IN_CORE.contains(&dependency.as_str()) {
                found.push(format!("{}:{line} core is pure: no {dependency}", manifest.path));
            }
        }
    }
    verdict("The arrows between the crates (ARCHITECTURE.md).", &found);
}

#[test]
fn core_is_pure() {
    let mut found = Vec::new();
    for file in product_files("crates/cutonce-core/") {
        for path in Code::parse(&file).product_paths() {
            if NOT_IN_CORE_CODE.iter().any(|name| path.names(name)) {
                found.push(format!("{}:{} {}", file.path, path.line, path.text));
            }
        }
    }
    verdict("Core touches no file, clock, process, network or environment: they come in as data.", &found);
}

#[test]
fn pr_3_one_place_asks_for_the_decision() {
    let mut calls = Vec::new();
    for file in product_files("crates/").iter().filter(|file| !file.path.starts_with("crates/cutonce-core/")) {
        let paths = Code::parse(file).product_paths();
        let imported = paths.iter().any(|path| path.imported && path.text.ends_with("permission::decide"));
        for path in paths.iter().filter(|path| path.called && !path.defined) {
            if path.text.ends_with("permission::decide") || (imported && path.text == "decide") {
                calls.push(format!("{}:{}", file.path, path.line));
            }
        }
    }
    let rule = "Exactly one place outside core calls permission::decide, so that no call goes around it";
    assert!(calls.len() == 1, "\n{rule}; found {}:\n  {}\n", calls.len(), calls.join("\n  "));
}

#[test]
fn pr_6_one_place_makes_a_write_grant() {
    let mut made = Vec::new();
    for file in product_files("crates/") {
        made.extend(Code::parse(&file).constructions("WriteGrant").iter().map(|line| format!("{}:{line}", file.path)));
    }
    let in_permission = made.iter().all(|at| at.starts_with("crates/cutonce-core/src/permission"));
    let rule = "A WriteGrant is made in one place, in core's permission module";
    assert!(made.len() == 1 && in_permission, "\n{rule}; found {}:\n  {}\n", made.len(), made.join("\n  "));
}

#[test]
fn pr_6_only_disk_writes_files() {
    let files = product_files("crates/cutonce-tools/");
    let others: Vec<_> =
        files.into_iter().filter(|file| !file.path.starts_with("crates/cutonce-tools/src/disk")).collect();
    let found = uses(&others, exceptions::WRITES_FILES, |path| WRITERS.iter().any(|name| path.names(name)));
    verdict("Only `disk` opens files for writing, with a WriteGrant that it uses up.", &found);
}

#[test]
fn only_the_sandbox_starts_processes() {
    let files = product_files("crates/");
    let others: Vec<_> = files.into_iter().filter(|file| !file.path.starts_with("crates/cutonce-sandbox/")).collect();
    let found = uses(&others, exceptions::STARTS_PROCESSES, |path| STARTERS.iter().any(|name| path.names(name)));
    verdict("Only cutonce-sandbox starts processes: what runs elsewhere is held by nothing.", &found);
}

/// What the library shows is a promise: an item that nobody outside of it names is not shown without a reason.
#[test]
fn ho_4_what_is_public_has_a_reason() {
    let files = code::rust_files();
    let library = |file: &&Text| file.path.starts_with("crates/cutonce-agent/src/");
    let outside = |file: &&Text| {
        ["crates/cutonce/", "crates/cutonce-tui/", "crates/cutonce-agent/examples/", "crates/cutonce-agent/tests/"]
            .iter()
            .any(|folder| file.path.starts_with(folder))
            && !file.path.starts_with("crates/cutonce/tests/tidy")
    };
    let apart = |c: char| !c.is_alphanumeric() && c != '_';
    let named: BTreeSet<&str> =
        files.iter().filter(outside).flat_map(|file| file.text.split(apart)).filter(|word| !word.is_empty()).collect();
    let (mut found, mut needed) = (Vec::new(), BTreeSet::new());
    for file in files.iter().filter(library) {
        for (number, line) in file.text.lines().enumerate() {
            let Some(name) = code::public_item(line).filter(|name| !named.contains(name)) else { continue };
            needed.insert(name);
            if !exceptions::PUBLIC.iter().any(|(known, _)| *known == name) {
                found.push(format!("{}:{} {name}: pub(crate), or a reason in PUBLIC", file.path, number + 1));
            }
        }
    }
    let idle = exceptions::PUBLIC.iter().filter(|(name, _)| !needed.contains(name));
    found.extend(idle.map(|(name, _)| format!("{name}: take it off PUBLIC")));
    verdict("Nothing in the library is public without a reason.", &found);
}

#[test]
fn clause_ids_exist() {
    let clauses = code::clauses();
    let prefixes: BTreeSet<&str> = clauses.iter().filter_map(|id| id.split('-').next()).collect();
    let mut found = Vec::new();
    for text in code::texts() {
        for (number, line) in text.text.lines().enumerate() {
            let unknown = code::clause_ids(line, &prefixes).into_iter().filter(|id| !clauses.contains(id));
            found.extend(unknown.map(|id| format!("{}:{} {id}", text.path, number + 1)));
        }
    }
    assert!(clauses.len() > 100, "docs/contract holds {} clauses: were they read at all?", clauses.len());
    verdict("A clause id that is cited is one of docs/contract.", &found);
}

#[test]
fn nothing_is_switched_off_or_left_open() {
    let mut found = Vec::new();
    for file in code::rust_files() {
        let code = Code::parse(&file);
        found.extend(code.attributes("ignore").iter().map(|line| format!("{}:{line} #[ignore]", file.path)));
        for path in code.all_paths().iter().filter(|path| path.macro_call) {
            if ["todo", "unimplemented"].contains(&path.text.as_str()) {
                found.push(format!("{}:{} {}!", file.path, path.line, path.text));
            }
        }
    }
    verdict("No test is switched off and nothing is left for later.", &found);
}

#[test]
fn nothing_names_this_machine() {
    let mut needles: BTreeMap<String, &str> = BTreeMap::new();
    for folder in ["work", "root"] {
        needles.insert(format!("/{folder}/"), "a path of one machine");
    }
    for (name, end) in [
        ("py", "pi.org"),
        ("pythonhosted", ".org"),
        ("npmjs", ".org"),
        ("deb.debian", ".org"),
        ("static.crates", ".io"),
    ] {
        needles.insert(format!("{name}{end}"), "a package registry's host: name packages, not where they come from");
    }
    let mut found = Vec::new();
    for text in code::texts().iter().filter(|text| text.path != "Cargo.lock") {
        for (number, line) in text.text.lines().enumerate() {
            for (needle, why) in &needles {
                if code::stands_alone(line, needle) {
                    found.push(format!("{}:{} {needle}: {why}", text.path, number + 1));
                }
            }
        }
    }
    verdict("The repository works anywhere.", &found);
}

#[test]
fn tl_1_every_tool_is_described() {
    let mut found = Vec::new();
    for file in product_files("crates/cutonce-tools/") {
        let code = Code::parse(&file);
        let tools = code.implementors("Tool");
        let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let descriptions: BTreeSet<_> =
            code.included_texts().into_iter().filter(|name| name.ends_with(".md")).collect();
        if descriptions.len() < tools.len() {
            found.push(format!(
                "{}: {} tools ({}) but {} descriptions",
                file.path,
                tools.len(),
                tools.join(", "),
                descriptions.len()
            ));
        }
        for name in descriptions {
            match code::read(&format!("{folder}/{name}")) {
                None => found.push(format!("{folder}/{name}: missing")),
                Some(text) if text.trim().is_empty() => found.push(format!("{folder}/{name}: empty")),
                Some(text) if text.len() > DESCRIPTION_BYTES => {
                    found.push(format!("{folder}/{name}: {} bytes; every request carries it", text.len()));
                }
                Some(_) => {}
            }
        }
    }
    verdict(
        &format!("A tool's words for the model are in an .md file beside it, at most {DESCRIPTION_BYTES} bytes."),
        &found,
    );
}

#[test]
fn names_are_nouns_of_the_contract() {
    const EMPTY_WORDS: &[&str] =
        &["util", "utils", "helper", "helpers", "manager", "service", "services", "common", "misc", "shared"];
    let mut found = Vec::new();
    for text in code::texts().iter().filter(|text| text.path.starts_with("crates/")) {
        let mut words = text.path.split(['/', '_', '-', '.']);
        if let Some(word) = words.find(|word| EMPTY_WORDS.contains(word)) {
            found.push(format!("{}: `{word}` says nothing about what is in it", text.path));
        }
    }
    verdict("Names are the contract's nouns: no util, helper, manager, service, common.", &found);
}

#[test]
fn documents_stand_alone() {
    let outside = format!("{}/shared", "..");
    let mut found = Vec::new();
    for text in code::texts() {
        let lines = text.text.lines().enumerate().filter(|(_, line)| line.contains(&outside));
        found.extend(lines.map(|(number, _)| format!("{}:{}", text.path, number + 1)));
    }
    verdict("Nothing in the repository refers to what lies outside it.", &found);
}

#[test]
fn the_rules_can_fail() {
    let source = r#"
        //! std::fs in a comment
        use std::{env as e, process::{Command as C}};
        fn f() { let s = "std::fs::write"; vec![std::fs::write("a", "b")]; decide(); x.persist(); todo!() }
        struct Grant { a: u8 }
        impl Grant { fn new() -> Grant { Self { a: 1 } } }
        #[cfg(test)]
        mod tests { #[ignore] fn t() { std::fs::read("x"); } }
    "#;
    let code = Code::parse(&Text { path: "crates/x/src/x.rs".into(), text: source.into() });
    let paths = code.product_paths();
    let has = |name: &str| paths.iter().filter(|path| path.names(name)).map(|path| path.line).collect::<Vec<_>>();
    assert_eq!(has("std::fs"), [4], "the code, not the comment, the string or the test");
    assert_eq!((has("std::env"), has("process::Command"), has(".persist")), (vec![3], vec![3], vec![4]));
    assert!(paths.iter().any(|path| path.text == "decide" && path.called && !path.defined));
    assert!(paths.iter().any(|path| path.text == "todo" && path.macro_call));
    assert_eq!((code.constructions("Grant"), code.attributes("ignore")), (vec![6], vec![8]));
    assert_eq!(code.functions()[0], (4, "f".to_owned(), 1));
    let prefixes = BTreeSet::from(["PM"]);
    assert_eq!(code::clause_ids("PM-12, xPM-2, fn pm_10_x()", &prefixes), ["PM-12", "PM-10"]);
    assert_eq!(code::dependencies("[dependencies]\na.workspace = true\n[x.dependencies.b]\n[lints]\nc = 1").len(), 2);
    assert_eq!(code::public_item("    pub async fn next(&mut self)"), Some("next"));
    assert_eq!((code::public_item("pub(crate) fn f()"), code::public_item("    pub name: String,")), (None, None));
    assert!(code::stands_alone("in /den/x", "/den/") && !code::stands_alone("a/den/x", "/den/"));
}

/// The files of the product itself: no tests, no benches, no examples.
fn product_files(below: &str) -> Vec<Text> {
    code::rust_files().into_iter().filter(|file| file.path.starts_with(below) && file.path.contains("/src/")).collect()
}

/// Uses of something that only one place may do, but for the listed files; a listed file without a use fails too.
fn uses(files: &[Text], allowed: &[(&str, &str)], forbidden: impl Fn(&code::PathUse) -> bool) -> Vec<String> {
    let mut found = Vec::new();
    for file in files {
        let hits: Vec<_> = Code::parse(file).product_paths().into_iter().filter(|path| forbidden(path)).collect();
        let listed = allowed.iter().any(|(path, _)| *path == file.path);
        if listed && hits.is_empty() {
            found.push(format!("{}: does it no more; take it off the exceptions", file.path));
        }
        if !listed {
            found.extend(hits.iter().map(|path| format!("{}:{} {}", file.path, path.line, path.text)));
        }
    }
    gone(allowed.iter().map(|(path, _)| *path), files, &mut found);
    found
}

fn gone<'a>(listed: impl Iterator<Item = &'a str>, files: &[Text], found: &mut Vec<String>) {
    let absent = listed.filter(|path| !files.iter().any(|file| file.path == *path));
    found.extend(absent.map(|path| format!("{path}: is gone; take it off the exceptions")));
}
