//! Collects the paths in a command's arguments. For an unknown command they are the only hint at what it changes,
//! so protected paths and path rules are checked against them (PR-1, PR-4).

use crate::shell::PathWord;
use crate::shell::parse::word::ShellWord;

/// Options whose value names files that the command skips.
const EXCLUDE_OPTIONS: &[&str] =
    &["--exclude", "--exclude-dir", "--exclude-from", "--ignore", "--ignore-path", "--ignore-pattern"];
/// Options that locate git's own files, which git may write.
const GIT_FOLDER_OPTIONS: &[&str] = &["--git-dir", "--work-tree"];
/// git subcommands that name files without writing them.
const GIT_NON_WRITERS: &[&str] = &["add", "stage", "commit", "push", "pull", "fetch", "log", "show", "diff"];
/// Maximum length of a path or name on any file system; a longer word is plain text.
const LONGEST_PATH: usize = 4_096;
const LONGEST_NAME: usize = 255;

/// Every path in the arguments, including `of=x` and `--target=x`.
pub(in crate::shell) fn mentioned_paths(args: &[ShellWord]) -> Vec<PathWord> {
    let (mut found, mut left_out) = (Vec::new(), false);
    for word in args {
        let skipped = std::mem::take(&mut left_out);
        match word.literal.as_deref() {
            // `$HOME/.bashrc`, or a glob.
            None => found.push(word.path.clone()),
            Some(text) if EXCLUDE_OPTIONS.contains(&text) || GIT_FOLDER_OPTIONS.contains(&text) => left_out = true,
            Some(_) if skipped => {}
            Some(text) => found.extend(literal_paths(word, text)),
        }
    }
    found.retain(|path| !matches!(path, PathWord::Unknown | PathWord::Pipe));
    found
}

fn literal_paths(word: &ShellWord, text: &str) -> Vec<PathWord> {
    match text.split_once('=') {
        Some((name, _)) if EXCLUDE_OPTIONS.contains(&name) || GIT_FOLDER_OPTIONS.contains(&name) => vec![],
        // A file name may contain `=`.
        Some((name, value)) if name.contains('/') => vec![word.path.clone(), value_path(value)],
        Some((_, value)) => vec![value_path(value)],
        None if text.starts_with("--") => vec![],
        // `-o.git/x`
        None if text.starts_with('-') => {
            let glued = text.char_indices().nth(2).and_then(|(at, _)| text.get(at..));
            glued.filter(|value| is_like_a_path(value)).map(value_path).into_iter().collect()
        }
        None => vec![word.path.clone()],
    }
}

/// Path of an option's value. Bash expands `~` after `=`, too.
fn value_path(value: &str) -> PathWord {
    match value {
        "~" => PathWord::Exact("~".into()),
        _ if value.starts_with("~/") => PathWord::Exact(value.into()),
        _ => ShellWord::from_literal(value).path,
    }
}

/// Paths in the arguments of an unknown command. Skips words that don't look like paths, such as `test` in `npm test`.
pub(in crate::shell) fn paths_of_unknown_command(name: &ShellWord, args: &[ShellWord]) -> Vec<PathWord> {
    // `source` reads the file.
    if name.is("source") || name.is(".") {
        return Vec::new();
    }
    let mut found = if name.is("find") { find_paths(args) } else { mentioned_paths(args) };
    if name.literal.as_deref().and_then(super::program_name) == Some("git") && is_git_without_output(args) {
        let noted: Vec<&PathWord> = args.iter().map(|word| &word.path).collect();
        found.retain(|path| !noted.contains(&path));
    }
    found.retain(|path| match path {
        PathWord::Exact(path) => is_like_a_path(path),
        PathWord::Glob(_) | PathWord::Below(_) => true,
        PathWord::Repository | PathWord::Pipe | PathWord::Unknown => false,
    });
    found
}

/// Start folders and output files of find; its patterns are not paths.
fn find_paths(args: &[ShellWord]) -> Vec<PathWord> {
    let is_test = |word: &&ShellWord| word.literal.as_deref().is_some_and(|text| text.starts_with(['-', '(', '!']));
    let begins = args.iter().take_while(|word| !is_test(word));
    let prints = |text: &str| text.starts_with("-fprint") || text == "-fls";
    let printed = args.windows(2).filter(|pair| pair[0].literal.as_deref().is_some_and(prints)).map(|pair| &pair[1]);
    begins.chain(printed).map(|word| word.path.clone()).collect()
}

/// True for `git add` and similar, without an `-o` that writes.
fn is_git_without_output(args: &[ShellWord]) -> bool {
    let texts = || args.iter().filter_map(|word| word.literal.as_deref());
    let subcommand = texts().find(|text| !text.starts_with('-'));
    subcommand.is_some_and(|name| GIT_NON_WRITERS.contains(&name))
        && !texts().any(|text| text == "-o" || text == "--output")
}

fn is_like_a_path(text: &str) -> bool {
    let address = text.contains("://") && !text.starts_with("file:");
    let fits = text.len() <= LONGEST_PATH && text.split('/').all(|name| name.len() <= LONGEST_NAME);
    let device = matches!(text, "/dev/null" | "/dev/stdin" | "/dev/stdout" | "/dev/stderr");
    text.contains(['/', '.']) && fits && !address && !device && !text.contains(char::is_control)
}
