//! Rules about names, comments and texts: plain modern English, one meaning per name.

use super::code::{self, Code, Text};
use super::{allowance, exceptions, product_files, verdict};
use std::collections::BTreeMap;

const COMMENT_WIDTH: usize = 120;
const TEST_NAME_WORDS: usize = 10;

/// Words and phrases that have a plain replacement. They are in halves, so that this list does not contain them.
const BANNED: &[(&str, &str)] = &[
    ("an", "ew"),
    ("who", "ever"),
    ("no", "body"),
    ("some", "body"),
    ("goes", " on"),
    ("go on", " with"),
    ("is", " told"),
    ("are", " told"),
    ("was", " told"),
    ("were", " told"),
];

/// Participles that do not end in -ed or -ing.
const IRREGULAR: &[&str] = &[
    "Said",
    "Held",
    "Told",
    "Lent",
    "Sent",
    "Kept",
    "Shown",
    "Given",
    "Found",
    "Taken",
    "Seen",
    "Heard",
    "Known",
    "Brought",
    "Made",
    "Done",
    "Gone",
    "Written",
    "Begun",
    "Met",
    "Meant",
    "Spoken",
    "Drawn",
    "Chosen",
    "Broken",
    "Hidden",
    "Led",
    "Lost",
    "Built",
    "Spent",
    "Stood",
    "Thought",
    "Caught",
    "Won",
    "Shut",
    "Thrown",
    "Forgotten",
    "Dealt",
    "Laid",
    "Paid",
    "Understood",
    "Withdrawn",
];

/// Nouns that only look like participles.
const NOUNS: &[&str] = &[
    "Seed", "Feed", "Need", "Speed", "Shed", "Embed", "String", "Thing", "King", "Ring", "Spring", "Wing", "Ping",
    "Heading", "Setting", "Listing",
];

/// First words of a doc comment that need the line before it to be understood.
const DANGLING: &[&str] = &["Of", "It", "Its", "The same", "Whose", "As", "To"];

fn is_participle(name: &str) -> bool {
    let one_word = name.chars().filter(char::is_ascii_uppercase).count() == 1 && !name.contains('_');
    let ending = name.len() > 4 && (name.ends_with("ed") || name.ends_with("ing"));
    one_word && !NOUNS.contains(&name) && (ending || IRREGULAR.contains(&name))
}

#[test]
fn types_are_nouns() {
    let mut names = Vec::new();
    for file in product_files("crates/") {
        let types = code::parsed(&file).types().into_iter().filter(|item| is_participle(&item.name));
        names.extend(types.map(|item| (item.name.clone(), format!("{}:{}", file.path, item.line))));
    }
    let mut found = Vec::new();
    for (name, at) in &names {
        if !exceptions::PARTICIPLES.contains(&name.as_str()) {
            found.push(format!("{at} {name}: say what it is, such as `ShellConfinement` for `{}`", "Held"));
        }
    }
    let idle = exceptions::PARTICIPLES.iter().filter(|listed| !names.iter().any(|(name, _)| name == *listed));
    found.extend(idle.map(|name| format!("{name}: remove it from PARTICIPLES")));
    verdict("No type is named with a participle alone.", &found);
}

/// Names defined at several places, with these places.
fn repeated(types: Vec<(String, String)>) -> BTreeMap<String, Vec<String>> {
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, at) in types {
        places.entry(name).or_default().push(at);
    }
    places.into_iter().filter(|(_, places)| places.len() > 1).collect()
}

#[test]
fn type_names_are_unique() {
    let mut types = Vec::new();
    for file in product_files("crates/") {
        let here = code::parsed(&file).types().into_iter();
        types.extend(here.map(|item| (item.name.clone(), format!("{}:{}", file.path, item.line))));
    }
    let repeated = repeated(types);
    let listed = |name: &str| exceptions::REPEATED_TYPES.iter().any(|(known, _)| *known == name);
    let new = repeated.iter().filter(|(name, _)| !listed(name));
    let mut found: Vec<_> = new.map(|(name, places)| format!("{name}: {}", places.join(", "))).collect();
    let idle = exceptions::REPEATED_TYPES.iter().filter(|(name, _)| !repeated.contains_key(*name));
    found.extend(idle.map(|(name, _)| format!("{name}: remove it from REPEATED_TYPES")));
    verdict("A type name has one meaning in the workspace.", &found);
}

/// (line, text) of the first line of each doc comment.
fn doc_starts(text: &str) -> Vec<(usize, &str)> {
    let doc = |line: &str| line.starts_with("//!") || (line.starts_with("///") && !line.starts_with("////"));
    let mut found = Vec::new();
    let mut inside = false;
    for (number, line) in text.lines().map(str::trim).enumerate() {
        if doc(line) && !inside {
            found.push((number + 1, line[3..].trim()));
        }
        inside = doc(line);
    }
    found
}

fn dangles(words: &str) -> bool {
    DANGLING.iter().any(|first| words.strip_prefix(first).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric)))
}

#[test]
fn doc_comments_can_be_read_alone() {
    let mut found = Vec::new();
    for file in product_files("crates/") {
        let dangling = doc_starts(&file.text).into_iter().filter(|(_, words)| dangles(words));
        found.extend(dangling.map(|(line, words)| format!("{}:{line} {words}", file.path)));
    }
    allowance("DANGLING_DOCS", exceptions::DANGLING_DOCS, &found, "doc comments start with Of, It, The same, As, To");
}

/// (line, phrase) of each banned phrase.
fn banned(text: &str) -> Vec<(usize, String)> {
    let phrases: Vec<String> = BANNED.iter().map(|(start, end)| format!("{start}{end}")).collect();
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.to_lowercase();
        for phrase in &phrases {
            let inside = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
            let alone = line.match_indices(phrase.as_str()).filter(|(at, _)| {
                let after = line[at + phrase.len()..].chars().next();
                !inside(line[..*at].chars().next_back()) && !inside(after)
            });
            found.extend(alone.map(|_| (number + 1, phrase.clone())));
        }
    }
    found
}

/// The introduction of a story, without the model's and the user's texts.
fn story_prose(story: &str) -> &str {
    story.split("\n---").next().unwrap_or_default()
}

#[test]
fn texts_use_plain_words() {
    const ENDINGS: [&str; 7] = [".rs", ".md", ".txt", ".story", ".py", ".js", ".html"];
    // These may name the words that they ban.
    let exempt = |path: &str| path.contains("/contract/") || path.contains("glossary") || path == "CONTRIBUTING.md";
    let wanted = |path: &str| ENDINGS.iter().any(|end| path.ends_with(end));
    let mut found = Vec::new();
    for text in code::texts().iter().filter(|text| wanted(&text.path) && !exempt(&text.path)) {
        let words = if text.path.ends_with(".story") { story_prose(&text.text) } else { &text.text };
        found.extend(banned(words).iter().map(|(line, phrase)| format!("{}:{line} {phrase}", text.path)));
    }
    allowance("BANNED_WORDS", exceptions::BANNED_WORDS, &found, "uses of words with a plain replacement");
}

/// Tools whose names are no English words, and tools whose names are.
const TOOL_NAMES: [&str; 10] = [
    "AskUserQuestion",
    "Bash",
    "BashOutput",
    "Glob",
    "Grep",
    "KillShell",
    "LS",
    "NotebookEdit",
    "TodoWrite",
    "WebFetch",
];
const TOOL_WORDS: [&str; 4] = ["Agent", "Edit", "Read", "Write"];

/// Tools that a sentence names. A tool whose name is a word counts only in the middle of a sentence.
fn named_tools(sentence: &str) -> Vec<&'static str> {
    let named = |name: &str, is_word: bool| {
        sentence.match_indices(name).any(|(at, _)| {
            let (before, after) = (&sentence[..at], &sentence[at + name.len()..]);
            let inside = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
            let begins = !before.ends_with([' ', '('])
                || !before.trim_end().ends_with(|c: char| c.is_lowercase() || c == ',' || c == '(');
            !(inside(before.chars().next_back()) || inside(after.chars().next()) || is_word && begins)
        })
    };
    let names = TOOL_NAMES.into_iter().filter(|name| named(name, false));
    names.chain(TOOL_WORDS.into_iter().filter(|name| named(name, true))).collect()
}

/// Texts of tools and of plan mode's refusals for the model: a deny rule may remove every tool but the one that runs,
/// so they name no other. Descriptions mark the passages that do.
#[test]
fn pm_90_results_name_no_other_tool() {
    let of_model = |path: &str| {
        path.starts_with("crates/cutonce-tools/src/") || path == "crates/cutonce-core/src/permission/plan_decision.rs"
    };
    let folder = |path: &str| path.rsplit_once('/').map_or(String::new(), |(folder, _)| folder.to_owned());
    let files: Vec<_> = product_files("crates/").into_iter().filter(|file| of_model(&file.path)).collect();
    let mut own: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for file in &files {
        let names = code::parsed(file).product_strings().map(|(_, text)| text.clone());
        own.entry(folder(&file.path)).or_default().extend(names.filter(|text| !text.contains(' ')));
    }
    let is_own = |path: &str, tool: &str| own.get(&folder(path)).is_some_and(|own| own.iter().any(|name| name == tool));
    let mut found = Vec::new();
    for file in &files {
        // Doc comments are strings, too.
        let rows: Vec<&str> = file.text.lines().collect();
        let is_said = |(line, text): &&(usize, String)| {
            text.contains(' ') && !rows.get(line - 1).is_some_and(|row| row.trim_start().starts_with("//"))
        };
        for (line, text) in code::parsed(file).product_strings().filter(is_said) {
            let others = named_tools(text).into_iter().filter(|tool| !is_own(&file.path, tool));
            found.extend(others.map(|tool| format!("{}:{line} {tool}", file.path)));
        }
    }
    for text in code::texts().iter().filter(|text| of_model(&text.path) && text.path.ends_with(".md")) {
        let unmarked: String = text.text.split('⟦').map(|part| part.rsplit('⟧').next().unwrap_or_default()).collect();
        let others = named_tools(&unmarked).into_iter().filter(|tool| !is_own(&text.path, tool));
        found.extend(others.map(|tool| format!("{} {tool}", text.path)));
    }
    verdict("A text for the model names no other tool, or marks the passage: ⟦Grep: Use Grep.⟧", &found);
}

#[test]
fn comment_lines_fit() {
    let mut found = Vec::new();
    for file in code::rust_files() {
        for (number, line) in file.text.lines().enumerate() {
            let width = line.chars().count();
            if line.trim_start().starts_with("//") && width > COMMENT_WIDTH {
                found.push(format!("{}:{} {width}", file.path, number + 1));
            }
        }
    }
    let what = format!("comment lines have more than {COMMENT_WIDTH} characters");
    allowance("LONG_COMMENT_LINES", exceptions::LONG_COMMENT_LINES, &found, &what);
}

#[test]
fn test_names_are_short() {
    let mut long = Vec::new();
    for file in code::rust_files() {
        let names = code::parsed(&file).tests().iter();
        let names = names.filter(|(_, name)| name.split('_').count() > TEST_NAME_WORDS);
        long.extend(names.map(|(line, name)| (name.clone(), format!("{}:{line}", file.path))));
    }
    let listed = |name: &str| exceptions::LONG_TEST_NAMES.contains(&name);
    let mut found: Vec<_> =
        long.iter().filter(|(name, _)| !listed(name)).map(|(name, at)| format!("{at} {name}")).collect();
    let idle = exceptions::LONG_TEST_NAMES.iter().filter(|listed| !long.iter().any(|(name, _)| name == *listed));
    found.extend(idle.map(|name| format!("{name}: remove it from LONG_TEST_NAMES")));
    verdict(&format!("A test name has at most {TEST_NAME_WORDS} words, with its clause id."), &found);
}

#[test]
fn word_rules_can_fail() {
    assert!(is_participle("Held") && is_participle("Joining") && is_participle("Judged"));
    assert!(!is_participle("HeldFile") && !is_participle("Setting") && !is_participle("Embed"));
    let at = |name: &str| (name.to_owned(), "x.rs:1".to_owned());
    assert_eq!(repeated(vec![at("Plan"), at("Ask"), at("Plan")]).len(), 1);
    assert_eq!(
        doc_starts("/// Of one place.\n/// It is.\nfn f() {}\n    //! To be.\n"),
        [(1, "Of one place."), (4, "To be.")]
    );
    assert!(dangles("Of one place.") && dangles("The same with x.") && dangles("It's"));
    assert!(!dangles("Official name.") && !dangles("Tokens so far.") && !dangles("Ask the user."));
    let text = format!("Start an{}.\nrenewed\nWho{} is{} it.", "ew", "ever", " told");
    let lines: Vec<_> = banned(&text).into_iter().map(|(line, _)| line).collect();
    assert_eq!(lines, [1, 3, 3]);
    assert_eq!(named_tools("Read it. For more use Grep (or Read), not LSP."), ["Grep", "Read"]);
    assert_eq!(named_tools("Edit other files. Write it first."), [""; 0]);
    assert_eq!(story_prose("A story (PM-1).\n\n--- model\n{}"), "A story (PM-1).\n");
    let source = "#[test]\nfn a_b() {}\n#[tokio::test]\nasync fn c() {}\nfn d() {}";
    let code = Code::parse(&Text { path: "crates/x/src/x.rs".into(), text: source.into() });
    assert_eq!(code.tests(), [(2, "a_b".to_owned()), (4, "c".to_owned())]);
}
