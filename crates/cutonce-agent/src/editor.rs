//! The user's editor, for `/plan open` and `cutonce plans open` (PM-25), and for files of their own (UI-9).

use cutonce_core::command;
use cutonce_sandbox::{Ended, Foreground, find_program};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Asked in this order; the first one that is set counts.
const VARIABLES: [&str; 2] = ["VISUAL", "EDITOR"];
/// Looked for where neither is set.
const KNOWN: [&str; 8] = ["sensible-editor", "nano", "micro", "nvim", "vim", "vi", "hx", "emacs"];

/// An editor that is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Editor {
    /// What is started.
    pub program: PathBuf,
    /// What it is given before the file.
    pub args: Vec<OsString>,
}

/// The editor by this environment: $VISUAL, else $EDITOR, else one that is found. Otherwise why there is none.
pub fn find(env: &[(OsString, OsString)]) -> Result<Editor, String> {
    let value = |name: &'static str| {
        let set = env.iter().find(|(key, _)| key == name).map(|(_, value)| value.to_string_lossy().into_owned());
        set.filter(|value| !value.trim().is_empty()).map(|value| (name, value))
    };
    if let Some((name, value)) = VARIABLES.into_iter().find_map(value) {
        let mut words = words(&value).into_iter();
        let program = words.next().unwrap_or_default();
        let found = if program.contains('/') { Some(PathBuf::from(&program)) } else { find_program(&program, env) };
        let found = found.filter(|path| path.is_file());
        let program = found.ok_or_else(|| format!("${name} is `{value}`, but there is no program `{program}`"))?;
        return Ok(Editor { program, args: words.map(OsString::from).collect() });
    }
    let found = KNOWN.iter().find_map(|name| find_program(name, env));
    let program = found.ok_or("no editor was found; set $VISUAL or $EDITOR")?;
    Ok(Editor { program, args: Vec::new() })
}

/// Opens a plan in the editor with this process's terminal and waits. What to tell the user, either way. Blocks: a face
/// with a screen of its own gives up the terminal first.
pub fn open_plan(path: &Path, env: Vec<(OsString, OsString)>) -> Result<String, String> {
    match open_file(path, env) {
        Ok(()) => Ok(command::opened(&path.display().to_string())),
        Err(why) => Err(command::not_opened(&why)),
    }
}

/// Opens a file in the editor and waits; why it could not. Blocks as [`open_plan`] does.
pub fn open_file(path: &Path, env: Vec<(OsString, OsString)>) -> Result<(), String> {
    let Editor { program, mut args } = find(&env)?;
    args.push(path.as_os_str().to_os_string());
    let shown = program.display().to_string();
    // Relative paths in the editor's arguments mean what they mean in the user's shell.
    let cwd = std::env::current_dir().map_err(|error| format!("the current folder: {error}"))?;
    match (Foreground { program, args, cwd, env }).run().map_err(|error| error.to_string())? {
        Ended::Exited(0) => Ok(()),
        Ended::Exited(code) => Err(format!("{shown} ended with code {code}")),
        Ended::Signalled(signal) => Err(format!("{shown} was ended by signal {signal}")),
    }
}

/// A line for the user's own shell, on this process's terminal (UI-3): their command, with their rights. Err says why it did
/// not run; what it came to is on the terminal.
pub fn shell_line(line: &str, cwd: &Path, env: Vec<(OsString, OsString)>) -> Result<(), String> {
    let shell = env.iter().find(|(key, _)| key == "SHELL").map(|(_, value)| PathBuf::from(value));
    let program = shell.filter(|path| path.is_absolute() && path.is_file()).or_else(|| find_program("bash", &env));
    let program = program.or_else(|| find_program("sh", &env)).ok_or("no shell was found; set $SHELL")?;
    let args = vec!["-c".into(), line.into()];
    match (Foreground { program, args, cwd: cwd.into(), env }).run().map_err(|error| error.to_string())? {
        Ended::Exited(0) => Ok(()),
        Ended::Exited(code) => Err(format!("it ended with code {code}")),
        Ended::Signalled(signal) => Err(format!("it was ended by signal {signal}")),
    }
}

/// `code --wait`, `"/a b/editor" -x`: words, with quotes around those that hold blanks.
fn words(text: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for c in text.chars() {
        match (quote, c) {
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (Some(open), c) if c == open => quote = None,
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (None | Some(_), c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env(set: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
        set.iter().map(|(name, value)| (name.into(), value.into())).collect()
    }

    /// An editor that writes down what it was called with and does what `then` says.
    fn fake(dir: &Path, then: &str) -> PathBuf {
        let path = dir.join("my editor");
        std::fs::write(&path, format!("#!/bin/sh\nprintf '%s\\n' \"$@\" > '{}/called'\n{then}\n", dir.display()))
            .unwrap();
        std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        path
    }

    #[test]
    fn pm_25_visual_comes_before_editor_and_both_before_what_is_found() {
        let dir = tempfile::tempdir().unwrap();
        let editor = fake(dir.path(), "");
        let quoted = format!("\"{}\" --wait -x", editor.display());
        let expected = Editor { program: editor.clone(), args: vec!["--wait".into(), "-x".into()] };
        assert_eq!(find(&env(&[("VISUAL", &quoted), ("EDITOR", "sh")])), Ok(expected));
        let sh = find(&env(&[("VISUAL", " "), ("EDITOR", "sh -c")])).unwrap();
        assert!(sh.program.ends_with("sh") && sh.args == ["-c"], "{sh:?}");
        let error = find(&env(&[("VISUAL", "no-such-editor -w"), ("EDITOR", "sh")])).unwrap_err();
        assert_eq!(error, "$VISUAL is `no-such-editor -w`, but there is no program `no-such-editor`");
        let nano = dir.path().join("nano");
        std::fs::copy(&editor, &nano).unwrap();
        let found = find(&env(&[("PATH", dir.path().to_str().unwrap())]));
        assert!(
            found.as_ref().is_ok_and(|found| found.program == nano) || Path::new("/usr/bin/sensible-editor").exists()
        );
    }

    #[test]
    fn pm_25_opening_says_what_happened() {
        let dir = tempfile::tempdir().unwrap();
        let plan = dir.path().join("a plan.md");
        let open = |then: &str| {
            let editor = fake(dir.path(), then);
            open_plan(&plan, env(&[("VISUAL", &format!("'{}' -f", editor.display()))]))
        };
        assert_eq!(open(""), Ok(format!("Opened plan in editor: {}", plan.display())));
        let called = std::fs::read_to_string(dir.path().join("called")).unwrap();
        assert_eq!(called, format!("-f\n{}\n", plan.display()));
        let failed =
            |why: &str| Err(format!("Failed to open plan in editor: {}/my editor {why}", dir.path().display()));
        assert_eq!(open("exit 3"), failed("ended with code 3"));
        assert_eq!(open("kill -9 $$"), failed("was ended by signal 9"));
        // What is typed at the editor is not for us: we ignore it meanwhile, it does not.
        assert_eq!(open("kill -INT $PPID; kill -INT $$"), failed("was ended by signal 2"));
        let none = open_plan(&plan, env(&[("EDITOR", "no-such-editor")])).unwrap_err();
        assert!(none.starts_with("Failed to open plan in editor: $EDITOR is"), "{none}");
    }
}
