//! The paths that the words of a command spell out, whatever the command does with them. For a command that nobody knows they
//! are the only hint at what it changes: a protected place or a path that a rule names is then not passed by (PR-1, PR-4).

use super::PathWord;
use super::word::Word;

/// Options whose value is what the command leaves alone.
const LEAVES_OUT: &[&str] =
    &["--exclude", "--exclude-dir", "--exclude-from", "--ignore", "--ignore-path", "--ignore-pattern"];
/// These say where git's own files are; that git writes there is what git is for.
const WHERE_GIT_IS: &[&str] = &["--git-dir", "--work-tree"];
/// Files that git takes note of without writing them.
const GIT_NOTES: &[&str] = &["add", "stage", "commit", "push", "pull", "fetch", "log", "show", "diff"];
/// No file system has longer paths, or longer names in them: such a word is a text.
const LONGEST_PATH: usize = 4_096;
const LONGEST_NAME: usize = 255;

/// Every path that the words spell out, `of=x` and `--target=x` included.
pub(super) fn paths(args: &[Word]) -> Vec<PathWord> {
    let (mut found, mut left_out) = (Vec::new(), false);
    for word in args {
        let skipped = std::mem::take(&mut left_out);
        match word.literal.as_deref() {
            // `$HOME/.bashrc`, or a glob.
            None => found.push(word.path.clone()),
            Some(text) if LEAVES_OUT.contains(&text) || WHERE_GIT_IS.contains(&text) => left_out = true,
            Some(_) if skipped => {}
            Some(text) => found.extend(spelled(word, text)),
        }
    }
    found.retain(|path| !matches!(path, PathWord::Unknown | PathWord::Pipe));
    found
}

fn spelled(word: &Word, text: &str) -> Vec<PathWord> {
    match text.split_once('=') {
        Some((name, _)) if LEAVES_OUT.contains(&name) || WHERE_GIT_IS.contains(&name) => vec![],
        // A file may be called so.
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

/// Bash fills in the home folder behind a `=`, too.
fn value_path(value: &str) -> PathWord {
    match value {
        "~" => PathWord::Exact("~".into()),
        _ if value.starts_with("~/") => PathWord::Exact(value.into()),
        _ => Word::of_literal(value).path,
    }
}

/// The same of a command that nobody knows, as far as the words look like paths: `npm test` is no word about the folder `test`.
pub(super) fn by_unknown(name: &Word, args: &[Word]) -> Vec<PathWord> {
    // A file that is run in this shell is read.
    if name.is("source") || name.is(".") {
        return Vec::new();
    }
    let mut found = if name.is("find") { of_find(args) } else { paths(args) };
    if name.literal.as_deref().and_then(super::judge::program) == Some("git") && notes_only(args) {
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

/// Where find begins, and the files it prints to. Its patterns name nothing.
fn of_find(args: &[Word]) -> Vec<PathWord> {
    let is_test = |word: &&Word| word.literal.as_deref().is_some_and(|text| text.starts_with(['-', '(', '!']));
    let begins = args.iter().take_while(|word| !is_test(word));
    let prints = |text: &str| text.starts_with("-fprint") || text == "-fls";
    let printed = args.windows(2).filter(|pair| pair[0].literal.as_deref().is_some_and(prints)).map(|pair| &pair[1]);
    begins.chain(printed).map(|word| word.path.clone()).collect()
}

/// `git add`, and no `-o` that would write.
fn notes_only(args: &[Word]) -> bool {
    let texts = || args.iter().filter_map(|word| word.literal.as_deref());
    let subcommand = texts().find(|text| !text.starts_with('-'));
    subcommand.is_some_and(|name| GIT_NOTES.contains(&name)) && !texts().any(|text| text == "-o" || text == "--output")
}

fn is_like_a_path(text: &str) -> bool {
    let address = text.contains("://") && !text.starts_with("file:");
    let fits = text.len() <= LONGEST_PATH && text.split('/').all(|name| name.len() <= LONGEST_NAME);
    let device = matches!(text, "/dev/null" | "/dev/stdin" | "/dev/stdout" | "/dev/stderr");
    text.contains(['/', '.']) && fits && !address && !device && !text.contains(char::is_control)
}
