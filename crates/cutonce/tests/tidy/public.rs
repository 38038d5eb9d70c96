//! The library's public items are a promise to embedders: each needs a use outside, or a reason.

use super::code::{self, Text};
use super::{exceptions, verdict};
use std::collections::BTreeSet;

const LIBRARY: &str = "crates/cutonce-agent/src/";

/// The module of a file: `config/keys` for `config/keys.rs`, empty for the crate's root.
fn module(path: &str) -> &str {
    let module = path.strip_prefix(LIBRARY).unwrap_or(path);
    let module = module.strip_suffix(".rs").unwrap_or(module);
    if module == "lib" { "" } else { module.strip_suffix("/mod").unwrap_or(module) }
}

/// Modules that can be reached from outside, because each module on the way is `pub mod`.
fn reachable(files: &[&Text]) -> BTreeSet<String> {
    let mut declared = BTreeSet::from([String::new()]);
    for file in files {
        let names = file.text.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'));
        let parent = module(&file.path);
        declared.extend(names.map(|name| if parent.is_empty() { name.to_owned() } else { format!("{parent}/{name}") }));
    }
    let open = |path: &String| path.match_indices('/').all(|(at, _)| declared.contains(&path[..at]));
    declared.iter().filter(|path| open(path)).cloned().collect()
}

/// Names that `pub use` exports again.
fn exported(files: &[&Text]) -> BTreeSet<String> {
    let uses = files.iter().flat_map(|file| file.text.split("\npub use ").skip(1));
    let lists = uses.filter_map(|text| text.split(';').next());
    lists.flat_map(|list| list.split(|c: char| !c.is_alphanumeric() && c != '_').map(str::to_owned)).collect()
}

/// The type of an `impl` line: `Session` for `impl<'a> Drop for Session<'a> {`.
fn implementor(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("impl")?;
    let rest = rest.rsplit_once(" for ").map_or(rest, |(_, name)| name);
    let rest = if rest.starts_with('<') { rest.split_once("> ")?.1 } else { rest };
    rest.trim_start().split(|c: char| !c.is_alphanumeric() && c != '_').next()
}

/// (file, line, name) of each item that can be named from outside.
fn public_items<'a>(files: &[&'a Text]) -> Vec<(&'a str, usize, &'a str)> {
    let (reachable, exported) = (reachable(files), exported(files));
    let mut types: BTreeSet<&str> = BTreeSet::new();
    let mut items = Vec::new();
    for file in files {
        let open = reachable.contains(module(&file.path));
        let mut owner = None;
        for (number, line) in file.text.lines().enumerate() {
            owner = implementor(line).or(owner).filter(|_| line != "}");
            let Some(name) = code::public_item(line) else { continue };
            let top = !line.starts_with(' ');
            if top && (open || exported.contains(name)) {
                types.insert(name);
                items.push((file.path.as_str(), number + 1, name, None));
            } else if !top {
                items.extend(owner.map(|owner| (file.path.as_str(), number + 1, name, Some(owner))));
            }
        }
    }
    let named = items.into_iter().filter(|(.., owner)| owner.is_none_or(|owner| types.contains(owner)));
    named.map(|(path, line, name, _)| (path, line, name)).collect()
}

#[test]
fn ho_4_public_items_have_a_reason() {
    let files = code::rust_files();
    let library: Vec<&Text> = files.iter().filter(|file| file.path.starts_with(LIBRARY)).collect();
    let outside = |file: &&Text| {
        [
            "crates/cutonce/",
            "crates/cutonce-fleet/",
            "crates/cutonce-tui/",
            "crates/cutonce-serve/",
            "crates/cutonce-agent/examples/",
            "crates/cutonce-agent/tests/",
        ]
        .iter()
        .any(|folder| file.path.starts_with(folder))
            && !file.path.starts_with("crates/cutonce/tests/tidy")
    };
    let apart = |c: char| !c.is_alphanumeric() && c != '_';
    let named: BTreeSet<&str> = files.iter().filter(outside).flat_map(|file| file.text.split(apart)).collect();
    let unused: Vec<_> = public_items(&library).into_iter().filter(|(.., name)| !named.contains(name)).collect();
    let listed = |name: &str| exceptions::PUBLIC.iter().any(|(known, _)| *known == name);
    let new = unused.iter().filter(|(.., name)| !listed(name));
    let mut found: Vec<_> =
        new.map(|(path, line, name)| format!("{path}:{line} {name}: pub(crate), or a reason in PUBLIC")).collect();
    let idle = exceptions::PUBLIC.iter().filter(|(name, _)| !unused.iter().any(|(.., unused)| unused == name));
    found.extend(idle.map(|(name, _)| format!("{name}: remove it from PUBLIC")));
    verdict("Every public item of the library needs a reason.", &found);
}

#[test]
fn the_public_rule_can_fail() {
    let text = |path: &str, text: &str| Text { path: format!("{LIBRARY}{path}"), text: text.into() };
    let files = [
        text("lib.rs", "pub mod a;\nmod b;\npub use b::{Shown, x};"),
        text("a/mod.rs", "pub mod c;\npub struct Open;\nimpl Open {\n    pub fn go(&self) {}\n}\nmod d;"),
        text("a/c.rs", "pub fn free() {}\nstruct Own;\nimpl Own {\n    pub fn not(&self) {}\n}"),
        text("a/d.rs", "pub fn closed() {}"),
        text("b.rs", "pub struct Shown;\npub struct Inner;\nimpl<'a> From<u8> for Shown {\n    pub fn y() {}\n}"),
    ];
    let names: Vec<&str> = public_items(&files.iter().collect::<Vec<_>>()).into_iter().map(|(.., name)| name).collect();
    assert_eq!(names, ["a", "c", "Open", "go", "free", "Shown", "y"]);
}
