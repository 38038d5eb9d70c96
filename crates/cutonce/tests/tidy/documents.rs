//! Rules about documents: links and paths exist, the glossary covers the modules, the guide's commands exist.

use super::code::{self, Text};
use super::{product_files, verdict, verdict_unless_pending};
use std::collections::{BTreeMap, BTreeSet};

const GLOSSARY: &str = "docs/dev/glossary.md";
const EMPTY_WORDS: &[&str] =
    &["util", "utils", "helper", "helpers", "manager", "service", "services", "common", "misc", "shared"];

fn markdown() -> impl Iterator<Item = &'static Text> {
    code::texts().iter().filter(|text| text.path.ends_with(".md"))
}

/// (line, text) of the lines outside code blocks, or of those inside.
fn lines(text: &str, in_code: bool) -> Vec<(usize, &str)> {
    let mut inside = false;
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            inside = !inside;
        } else if inside == in_code {
            found.push((number + 1, line));
        }
    }
    found
}

/// The text between backticks.
fn code_spans(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

/// The relative link targets of a line, without their anchors.
fn links(line: &str) -> Vec<&str> {
    let outside: Vec<&str> = line.split('`').step_by(2).collect();
    let mut found = Vec::new();
    for part in outside.iter().flat_map(|part| part.split("](").skip(1)) {
        let target = part.split([')', ' ', '#']).next().unwrap_or_default();
        if !target.is_empty() && !target.contains("://") && !target.starts_with("mailto:") {
            found.push(target);
        }
    }
    found
}

/// Resolves `../x` against the folder of a document.
fn resolve(document: &str, target: &str) -> String {
    let mut parts: Vec<&str> = document.split('/').collect();
    parts.pop();
    for part in target.split('/').filter(|part| !part.is_empty() && *part != ".") {
        if part == ".." {
            parts.pop();
        } else {
            parts.push(part);
        }
    }
    parts.join("/")
}

#[test]
fn links_lead_to_files() {
    let mut found = Vec::new();
    let mut seen = 0;
    for text in markdown() {
        for (number, line) in lines(&text.text, false) {
            for target in links(line) {
                seen += 1;
                if !code::exists(&resolve(&text.path, target)) {
                    found.push(format!("{}:{number} {target}", text.path));
                }
            }
        }
    }
    assert!(seen > 30, "only {seen} links; were they read at all?");
    verdict("Relative links in documents lead to files.", &found);
}

/// The repository path that a code span of ARCHITECTURE.md stands for: `core/turn.rs` is in the crate cutonce-core.
fn architecture_path(span: &str) -> Option<String> {
    let plain = |c: char| c.is_alphanumeric() || "_-./*".contains(c);
    let (first, rest) = span.split_once('/')?;
    if !span.chars().all(plain) {
        return None;
    }
    let rest = rest.trim_end_matches('/');
    let rest =
        rest.rsplit_once('*').map_or(rest, |(before, _)| before.rsplit_once('/').map_or("", |(folder, _)| folder));
    match first {
        "core" | "sandbox" | "models" | "tools" | "agent" | "tui" => Some(format!("crates/cutonce-{first}/src/{rest}")),
        "cutonce" => Some(format!("crates/cutonce/src/{rest}")),
        "crates" | "docs" | "scripts" | "scenarios" | ".ci" => Some(format!("{first}/{rest}")),
        _ => None,
    }
}

#[test]
fn architecture_paths_exist() {
    let text = code::read("ARCHITECTURE.md").unwrap_or_default();
    let mut found = Vec::new();
    let mut seen = 0;
    for (number, line) in lines(&text, false) {
        for (span, path) in code_spans(line).filter_map(|span| Some((span, architecture_path(span)?))) {
            seen += 1;
            // A module is named `x.rs` here, whether it has parts or not.
            let folder = path.strip_suffix(".rs").map(|module| format!("{module}/mod.rs"));
            if !code::exists(&path) && !folder.is_some_and(|path| code::exists(&path)) {
                found.push(format!("ARCHITECTURE.md:{number} {span}"));
            }
        }
    }
    assert!(seen > 30, "only {seen} paths; were they read at all?");
    verdict_unless_pending("architecture_paths_exist", "Every path in ARCHITECTURE.md exists.", &found);
}

/// (crate, module) of each module below a crate's root.
fn top_modules(paths: &[&str]) -> BTreeSet<(String, String)> {
    let mut found = BTreeSet::new();
    for path in paths {
        let Some((name, below)) = path.strip_prefix("crates/").and_then(|path| path.split_once("/src/")) else {
            continue;
        };
        let module = below.split('/').next().unwrap_or_default().trim_end_matches(".rs");
        if !["lib", "main", "tests", "bin"].contains(&module) {
            found.insert((name.to_owned(), module.to_owned()));
        }
    }
    found
}

/// The first cells of the glossary's tables, in lower case and without backticks.
fn glossary_terms(glossary: &str) -> BTreeSet<String> {
    let rows = glossary.lines().filter_map(|line| line.strip_prefix("| "));
    rows.filter_map(|row| row.split(" |").next()).map(|cell| cell.replace('`', "").to_lowercase()).collect()
}

fn is_term(terms: &BTreeSet<String>, module: &str) -> bool {
    let words = module.replace('_', " ");
    terms.contains(module) || terms.contains(&words) || terms.contains(words.trim_end_matches('s'))
}

#[test]
fn module_names_are_in_the_glossary() {
    let files = code::rust_files();
    let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
    let terms = glossary_terms(&code::read(GLOSSARY).unwrap_or_default());
    let unknown = top_modules(&paths).into_iter().filter(|(_, module)| !is_term(&terms, module));
    let mut found: Vec<_> = unknown.map(|(name, module)| format!("{name}: {module}")).collect();
    for text in code::texts().iter().filter(|text| text.path.starts_with("crates/")) {
        let mut words = text.path.split(['/', '_', '-', '.']);
        if let Some(word) = words.find(|word| EMPTY_WORDS.contains(word)) {
            found.push(format!("{}: `{word}` says nothing about the content", text.path));
        }
    }
    verdict_unless_pending(
        "module_names_are_in_the_glossary",
        "Every module of a crate's root is a noun of docs/dev/glossary.md.",
        &found,
    );
}

/// Modules that the second table of the glossary lists for a crate that has no such module.
fn absent_modules(glossary: &str, known: &BTreeSet<(String, String)>) -> Vec<String> {
    let (_, section) = glossary.split_once("## Module names").unwrap_or_default();
    let mut found = Vec::new();
    for row in section.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = row.split('|').map(|cell| cell.trim().trim_matches('`')).collect();
        let [_, module, crates, ..] = cells.as_slice() else { continue };
        for name in crates.split(", ") {
            let name = if name == "cutonce" { name.to_owned() } else { format!("cutonce-{name}") };
            if !known.contains(&(name.clone(), module.to_string())) {
                found.push(format!("{GLOSSARY}: {name} has no module `{module}`"));
            }
        }
    }
    found
}

#[test]
fn glossary_modules_exist() {
    let files = code::rust_files();
    let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
    let known = top_modules(&paths);
    let found = absent_modules(&code::read(GLOSSARY).unwrap_or_default(), &known);
    verdict("The modules that the glossary names exist.", &found);
    let row = "## Module names\n| `gone` | core | A module. |";
    assert_eq!(absent_modules(row, &known).len(), 1, "the rule can fail");
}

#[test]
fn glossary_types_exist() {
    let glossary = code::read(GLOSSARY).unwrap_or_default();
    let mut known = BTreeSet::new();
    for file in product_files("crates/") {
        known.extend(code::parsed(&file).identifiers().iter());
    }
    let mut found = Vec::new();
    let mut terms = Vec::new();
    let (_, section) = glossary.split_once("|---|---|---|\n").unwrap_or_default();
    for row in section.lines().take_while(|line| line.starts_with("| ")) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        terms.extend(cells.get(1).map(|term| term.to_lowercase()));
        let is_name = |span: &&str| span.starts_with(|c: char| c.is_ascii_uppercase());
        let names = cells.get(2).into_iter().flat_map(|cell| code_spans(cell)).filter(is_name);
        let missing = names.filter(|name| !known.contains(&name.split("::").next().unwrap_or_default().to_owned()));
        found.extend(missing.map(|name| format!("{GLOSSARY}: {name}")));
    }
    assert!(terms.len() > 100, "only {} terms; were they read at all?", terms.len());
    found.extend(terms.windows(2).filter(|pair| pair[0] >= pair[1]).map(|pair| {
        format!("{GLOSSARY}: `{}` comes after `{}`; terms are unique and in alphabetical order", pair[0], pair[1])
    }));
    verdict_unless_pending(
        "glossary_types_exist",
        "The types that the glossary names exist, and its terms are in order.",
        &found,
    );
}

/// The words of a command line of the guide up to its comment or pipe, without the program's name.
fn command_words(line: &str) -> Option<Vec<&str>> {
    let start = line.find("cutonce ").filter(|at| *at == 0 || line[..*at].ends_with("| "))?;
    let quoted: Vec<&str> = line[start..].split('"').step_by(2).collect();
    let words = quoted.into_iter().flat_map(str::split_whitespace).skip(1);
    Some(words.take_while(|word| !["#", "|", "<", ">", "--"].contains(word)).collect())
}

fn help(arguments: &[&str]) -> String {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_cutonce"));
    let output = command.args(arguments).arg("--help").output().expect("the program runs");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The subcommands that a help text lists.
fn subcommands(help: &str) -> BTreeSet<&str> {
    let list = help.split_once("Commands:\n").map_or("", |(_, list)| list.split("\n\n").next().unwrap_or_default());
    list.lines()
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .collect()
}

#[test]
fn guide_commands_exist() {
    let pages = markdown().filter(|text| text.path.starts_with("docs/guide/") || text.path == "README.md");
    let (mut found, mut seen) = (Vec::new(), 0);
    let mut helps: BTreeMap<Vec<&str>, String> = BTreeMap::new();
    for page in pages {
        let blocks =
            lines(&page.text, true).into_iter().flat_map(|(number, line)| line.split("; ").map(move |l| (number, l)));
        let spans = lines(&page.text, false);
        let spans = spans.iter().flat_map(|(number, line)| code_spans(line).map(|span| (*number, span)));
        for (number, words) in blocks.chain(spans).filter_map(|(number, line)| Some((number, command_words(line)?))) {
            seen += 1;
            let mut path = Vec::new();
            for word in &words {
                let text = helps.entry(path.clone()).or_insert_with(|| help(&path));
                if !subcommands(text).contains(word) {
                    break;
                }
                path.push(*word);
            }
            let text = helps.entry(path.clone()).or_insert_with(|| help(&path)).clone();
            let flags = words.iter().filter(|word| word.starts_with('-'));
            let unknown = flags.filter(|flag| !text.split([' ', ',', '\n', '[']).any(|known| known == **flag));
            found.extend(unknown.map(|flag| format!("{}:{number} {flag}", page.path)));
            let first = words.first().filter(|word| path.is_empty() && !word.starts_with('-'));
            found.extend(first.map(|word| format!("{}:{number} {word}: not a command", page.path)));
        }
    }
    assert!(seen > 30, "only {seen} commands; were they read at all?");
    verdict("Commands and flags in the guide exist.", &found);
}

#[test]
fn documents_are_self_contained() {
    let outside = format!("{}/shared", "..");
    let mut found = Vec::new();
    for text in code::texts() {
        let lines = text.text.lines().enumerate().filter(|(_, line)| line.contains(&outside));
        found.extend(lines.map(|(number, _)| format!("{}:{}", text.path, number + 1)));
    }
    verdict("Nothing in the repository refers to files outside it.", &found);
}

#[test]
fn document_rules_can_fail() {
    assert_eq!(links("see [a](../b.md#c), [d](https://e.f) and `[g](h)` [i](j/)"), ["../b.md", "j/"]);
    assert_eq!(resolve("docs/guide/a.md", "../dev/./b.md"), "docs/dev/b.md");
    assert_eq!(lines("a\n```\nb\n```\nc", false), [(1, "a"), (5, "c")]);
    assert_eq!(lines("a\n```\nb\n```\nc", true), [(3, "b")]);
    assert_eq!(architecture_path("core/turn.rs").as_deref(), Some("crates/cutonce-core/src/turn.rs"));
    assert_eq!(architecture_path("core/prompts/*.md").as_deref(), Some("crates/cutonce-core/src/prompts"));
    assert_eq!(architecture_path("docs/contract/").as_deref(), Some("docs/contract"));
    assert_eq!((architecture_path("a/b"), architecture_path("step(state, event)")), (None, None));
    let modules =
        top_modules(&["crates/x/src/a.rs", "crates/x/src/b/c.rs", "crates/x/src/lib.rs", "crates/x/tests/d.rs"]);
    assert_eq!(modules.iter().map(|(_, module)| module.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    let terms = glossary_terms("| Plan review | `PlanReview` | x |\n| `web` | y |\n| Hook | | z |");
    assert!(is_term(&terms, "plan_review") && is_term(&terms, "web") && is_term(&terms, "hooks"));
    assert!(!is_term(&terms, "door"));
    assert_eq!(command_words("x | cutonce -p \"why -x\" --json # y"), Some(vec!["-p", "--json"]));
    assert_eq!(command_words("cd cutonce x"), None);
    assert_eq!(
        subcommands("a\n\nCommands:\n  plan  x\n        wrapped\n  key  y\n\nOptions:\n  -p"),
        BTreeSet::from(["plan", "key"])
    );
}
