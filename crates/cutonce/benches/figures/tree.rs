//! A tree of source-like files to search in; the same seed gives the same bytes.

use anyhow::Result;
use std::path::Path;

/// Words in the tree's lines; the needles are not among them.
const WORDS: &[&str] = &[
    "let", "mut", "return", "buffer", "index", "value", "fn", "struct", "match", "self", "token", "reader", "parse",
    "line", "column", "error", "result", "option", "string", "vector", "request", "response", "handler", "session",
    "socket", "frame", "event", "0x7f", "{", "}", "=>", "->", "(", ")", ";", "//", "TODO", "cache", "entry",
];

/// Occurs in about one file of a hundred.
pub const LITERAL: &str = "quokka_ledger";
/// Occurs in about one file of ten, on several lines, and needs the regex engine.
pub const REGEX: &str = r"wombat_[a-z]+\(\d{2,}\)";

const FILES_IN_A_FOLDER: usize = 50;

/// Writes `files` files below `root`: most of a few KB, some large, a few binary, a few ignored.
pub fn grow(root: &Path, files: usize, seed: u64) -> Result<()> {
    let mut random = fastrand::Rng::with_seed(seed);
    std::fs::create_dir_all(root.join(".git"))?;
    std::fs::write(root.join(".gitignore"), "generated/\n*.bak\n")?;
    let mut folder = root.to_path_buf();
    let mut text = String::new();
    for at in 0..files {
        if at % FILES_IN_A_FOLDER == 0 {
            folder = folder_of(root, at / FILES_IN_A_FOLDER);
            std::fs::create_dir_all(&folder)?;
        }
        let ending = ["rs", "rs", "rs", "md", "toml", "ts", "py", "bak"][random.usize(..8)];
        let path = folder.join(format!("file_{at}.{ending}"));
        if random.usize(..200) == 0 {
            std::fs::write(path, (0..4096).map(|_| random.u8(..)).collect::<Vec<u8>>())?;
            continue;
        }
        fill(&mut text, &mut random);
        std::fs::write(path, &text)?;
    }
    Ok(())
}

/// Folders are nested four deep, and every twentieth is ignored.
fn folder_of(root: &Path, number: usize) -> std::path::PathBuf {
    let inner = if number % 20 == 19 { "generated" } else { "src" };
    root.join(format!("crate_{}", number / 50))
        .join(inner)
        .join(format!("part_{}", number / 5 % 10))
        .join(format!("m{number}"))
}

fn fill(text: &mut String, random: &mut fastrand::Rng) {
    text.clear();
    let size = match random.usize(..100) {
        0 => 120_000,
        1..10 => random.usize(10_000..40_000),
        _ => random.usize(200..6_000),
    };
    let literal = random.usize(..100) == 0;
    let regex = random.usize(..10) == 0;
    while text.len() < size {
        for _ in 0..random.usize(0..14) {
            text.push_str(WORDS[random.usize(..WORDS.len())]);
            text.push(' ');
        }
        if regex && random.usize(..20) == 0 {
            text.push_str(&format!("wombat_{}({})", WORDS[3], random.usize(10..9999)));
        }
        text.push('\n');
    }
    if literal {
        text.push_str("    let quokka_ledger = 1;\n");
    }
}
