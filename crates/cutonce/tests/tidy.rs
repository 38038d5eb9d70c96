//! The repository's rules as tests: a rule without a check is only advice.
//!
//! Each rule is one test. Forbidden code is found in tokens, never in comments or strings. Exceptions are
//! tables in `tidy/exceptions.rs`: each has a reason, and an unneeded one fails too, so the tables only
//! shrink. Rules about shapes are in `tidy/structure.rs`, about names and comments in `tidy/words.rs`, about
//! documents in `tidy/documents.rs`, about the library's public items in `tidy/public.rs`.
#![allow(clippy::expect_used, reason = "a test that can't read the repository must fail")]

#[path = "tidy/code.rs"]
mod code;
#[path = "tidy/documents.rs"]
mod documents;
#[path = "tidy/exceptions.rs"]
mod exceptions;
#[path = "tidy/public.rs"]
mod public;
#[path = "tidy/structure.rs"]
mod structure;
#[path = "tidy/words.rs"]
mod words;

use code::{Code, Text};
use std::collections::{BTreeMap, BTreeSet};

const FILE_LINES: usize = 800;
const FUNCTION_LINES: usize = 70;
const DESCRIPTION_BYTES: usize = 1200;

/// Sibling crates that each crate may depend on. A crate exists only where the compiler must enforce a
/// boundary.
const ARROWS: &[(&str, &[&str])] = &[
    ("cutonce-core", &[]),
    ("cutonce-sandbox", &[]),
    ("cutonce-models", &["cutonce-core"]),
    ("cutonce-tools", &["cutonce-core", "cutonce-sandbox"]),
    ("cutonce-agent", &["cutonce-core", "cutonce-models", "cutonce-sandbox", "cutonce-tools"]),
    ("cutonce-tui", &["cutonce-core", "cutonce-agent"]),
    ("cutonce-serve", &["cutonce-core", "cutonce-agent"]),
    ("cutonce-fleet", &["cutonce-core", "cutonce-agent"]),
    (
        "cutonce",
        &[
            "cutonce-core",
            "cutonce-models",
            "cutonce-sandbox",
            "cutonce-tools",
            "cutonce-agent",
            "cutonce-tui",
            "cutonce-serve",
            "cutonce-fleet",
        ],
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

/// Like `verdict`, for a rule that may wait for a change listed in `PENDING`. A pending rule that holds fails, so that
/// it is switched on.
fn verdict_unless_pending(test: &str, rule: &str, found: &[String]) {
    match exceptions::PENDING.iter().find(|(name, _)| *name == test) {
        Some(_) => assert!(!found.is_empty(), "{test} holds now: remove it from PENDING"),
        None => verdict(rule, found),
    }
}

/// Asserts that a count with an allowance in `exceptions.rs` does not grow. Lower the allowance when the count shrinks.
fn allowance(name: &str, allowed: usize, found: &[String], what: &str) {
    let list = found.join("\n  ");
    assert!(found.len() <= allowed, "\n{} {what}, at most {allowed} ({name}):\n  {list}\n", found.len());
}

#[test]
fn files_stay_short() {
    let mut found = Vec::new();
    let files = code::rust_files();
    for file in &files {
        let lines = file.text.lines().count();
        match exceptions::LONG_FILES.iter().find(|(path, ..)| *path == file.path) {
            Some((_, _, _)) if lines <= FILE_LINES => {
                found.push(format!("{}: {lines} lines now; remove it from LONG_FILES", file.path));
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
    verdict(&format!("A file has at most {FILE_LINES} lines; split it by topic."), &found);
}

#[test]
fn functions_stay_short() {
    let mut found = Vec::new();
    let mut needed = BTreeSet::new();
    for file in code::rust_files() {
        for (line, name, lines) in code::parsed(&file).functions() {
            let lines = *lines;
            let exception = exceptions::LONG_FUNCTIONS.iter().find(|(path, f, ..)| *path == file.path && f == name);
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
            found.push(format!("{path} {name}: short enough or missing; remove it from LONG_FUNCTIONS"));
        }
    }
    verdict(&format!("A function has at most {FUNCTION_LINES} lines."), &found);
}

#[test]
fn files_start_with_a_doc_comment() {
    let files = code::rust_files();
    let told = |file: &&Text| file.path.ends_with("/tests.rs") || file.text.starts_with("//!");
    let silent = files.iter().filter(|file| file.path.contains("/src/") && !told(file));
    let found: Vec<_> = silent.map(|file| format!("{}:1", file.path)).collect();
    verdict("The first line of a file is a `//!` comment that says why the file exists.", &found);
}

#[test]
fn crates_depend_only_on_allowed_siblings() {
    let mut found = Vec::new();
    for manifest in
        code::texts().iter().filter(|text| text.path.starts_with("crates/") && text.path.ends_with("/Cargo.toml"))
    {
        let name = manifest.path.split('/').nth(1).unwrap_or_default();
        let Some((_, allowed)) = ARROWS.iter().find(|(known, _)| *known == name) else {
            found.push(format!(
                "{}: a crate that is missing in ARROWS; add a row with its allowed dependencies",
                manifest.path
            ));
            continue;
        };
        for (line, dependency) in code::dependencies(&manifest.text) {
            let sibling = dependency.starts_with("cutonce");
            if sibling && !allowed.contains(&dependency.as_str()) {
                found.push(format!("{}:{line} {name} must not depend on {dependency}", manifest.path));
            }
            if name == "cutonce-core" && NOT_IN_CORE.contains(&dependency.as_str()) {
                found.push(format!("{}:{line} core is pure: no {dependency}", manifest.path));
            }
        }
    }
    verdict("Crates depend only on allowed siblings (ARCHITECTURE.md).", &found);
}

#[test]
fn core_is_pure() {
    let mut found = Vec::new();
    for file in product_files("crates/cutonce-core/") {
        for path in code::parsed(&file).product_paths() {
            if NOT_IN_CORE_CODE.iter().any(|name| path.names(name)) {
                found.push(format!("{}:{} {}", file.path, path.line, path.text));
            }
        }
    }
    verdict("Core uses no files, clock, processes, network or environment; callers pass them as data.", &found);
}

#[test]
fn pr_3_decide_has_one_caller() {
    let mut calls = Vec::new();
    for file in product_files("crates/").iter().filter(|file| !file.path.starts_with("crates/cutonce-core/")) {
        let uses = code::parsed(file).uses_of("permission::decide");
        calls.extend(uses.into_iter().map(|line| format!("{}:{line}", file.path)));
    }
    let rule = "Exactly one place outside core calls permission::decide, by that path, so that no call bypasses it";
    assert!(calls.len() == 1, "\n{rule}; found {}:\n  {}\n", calls.len(), calls.join("\n  "));
}

#[test]
fn pr_6_one_place_makes_a_write_grant() {
    let mut made = Vec::new();
    for file in product_files("crates/") {
        made.extend(code::parsed(&file).constructions("WriteGrant").iter().map(|line| format!("{}:{line}", file.path)));
    }
    let in_permission = made.iter().all(|at| at.starts_with("crates/cutonce-core/src/permission"));
    let rule = "Only one place creates a WriteGrant, in core's permission module";
    assert!(made.len() == 1 && in_permission, "\n{rule}; found {}:\n  {}\n", made.len(), made.join("\n  "));
}

#[test]
fn pr_6_only_disk_writes_files() {
    let files = product_files("crates/cutonce-tools/");
    let others: Vec<_> =
        files.into_iter().filter(|file| !file.path.starts_with("crates/cutonce-tools/src/disk")).collect();
    let found = uses(&others, exceptions::WRITES_FILES, |path| WRITERS.iter().any(|name| path.names(name)));
    verdict("Only `disk` opens files for writing, and it consumes a WriteGrant.", &found);
}

#[test]
fn only_the_sandbox_starts_processes() {
    let files = product_files("crates/");
    let others: Vec<_> = files.into_iter().filter(|file| !file.path.starts_with("crates/cutonce-sandbox/")).collect();
    let found = uses(&others, exceptions::STARTS_PROCESSES, |path| STARTERS.iter().any(|name| path.names(name)));
    verdict("Only cutonce-sandbox starts processes, because others would run without a sandbox.", &found);
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
    assert!(clauses.len() > 100, "docs/contract has only {} clauses; were they read at all?", clauses.len());
    verdict("Every cited clause id exists in docs/contract.", &found);
}

#[test]
fn no_ignored_tests_and_no_todo() {
    let mut found = Vec::new();
    for file in code::rust_files() {
        let code = code::parsed(&file);
        found.extend(code.attributes("ignore").iter().map(|line| format!("{}:{line} #[ignore]", file.path)));
        for path in code.all_paths().iter().filter(|path| path.macro_call) {
            if ["todo", "unimplemented"].contains(&path.text.as_str()) {
                found.push(format!("{}:{} {}!", file.path, path.line, path.text));
            }
        }
    }
    verdict("No test is ignored, and there is no todo!.", &found);
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
    verdict("The repository names nothing specific to one machine.", &found);
}

#[test]
fn tl_1_every_tool_is_described() {
    let mut found = Vec::new();
    for file in product_files("crates/cutonce-tools/") {
        let code = code::parsed(&file);
        let tools = code.implementors("Tool");
        let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let descriptions: BTreeSet<_> = code.included_texts().iter().filter(|name| name.ends_with(".md")).collect();
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
    verdict(&format!("A tool's description is in an .md file next to it, at most {DESCRIPTION_BYTES} bytes."), &found);
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

/// Files of the product: no tests, no benches, no examples.
fn product_files(below: &str) -> Vec<Text> {
    code::rust_files().into_iter().filter(|file| file.path.starts_with(below) && file.path.contains("/src/")).collect()
}

/// Uses of something that only one place may do, except in the listed files; a listed file without a use
/// fails too.
fn uses(files: &[Text], allowed: &[(&str, &str)], forbidden: impl Fn(&code::PathUse) -> bool) -> Vec<String> {
    let mut found = Vec::new();
    for file in files {
        let hits: Vec<_> = code::parsed(file).product_paths().into_iter().filter(|path| forbidden(path)).collect();
        let listed = allowed.iter().any(|(path, _)| *path == file.path);
        if listed && hits.is_empty() {
            found.push(format!("{}: no longer does it; remove it from the exceptions", file.path));
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
    found.extend(absent.map(|path| format!("{path}: does not exist; remove it from the exceptions")));
}
