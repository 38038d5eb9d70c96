//! The user's editor, for `/plan open`, `cutonce plans open` (PM-25) and the user's own files (UI-9).

use cutonce_sandbox::{ForegroundProgram, ProcessExit, find_program};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Checked in this order; the first one that is set wins.
const EDITOR_VARIABLES: [&str; 2] = ["VISUAL", "EDITOR"];
/// Fallbacks if neither is set.
const KNOWN_EDITORS: [&str; 8] = ["sensible-editor", "nano", "micro", "nvim", "vim", "vi", "hx", "emacs"];

/// An installed editor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExternalEditor {
    /// The program to start.
    pub program: PathBuf,
    /// Arguments before the file.
    pub args: Vec<OsString>,
}

/// Why a program of the user could not be run on the terminal, or how it failed.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExternalProgramError {
    /// The variable names an editor that does not exist.
    #[error("${variable} is `{value}`, but the program `{program}` was not found")]
    EditorNotFound {
        /// $VISUAL or $EDITOR.
        variable: &'static str,
        /// The variable's value.
        value: String,
        /// The program in it.
        program: String,
    },
    /// No variable names an editor, and none is installed.
    #[error("no editor was found; set $VISUAL or $EDITOR")]
    NoEditor,
    /// Neither $SHELL nor a known shell exists.
    #[error("no shell was found; set $SHELL")]
    NoShell,
    /// The program can't be started here.
    #[error("{0}")]
    NotStarted(String),
    /// The program ended with another code than 0.
    #[error("{program} ended with code {code}")]
    Failed {
        /// Name of the program in messages.
        program: String,
        /// Exit code of the program.
        code: i32,
    },
    /// A signal ended the program.
    #[error("{program} was killed by signal {signal}")]
    Killed {
        /// Name of the program in messages.
        program: String,
        /// The signal's number.
        signal: i32,
    },
}

/// Finds the editor: $VISUAL, else $EDITOR, else a known one. The error says why there is none.
pub fn find_editor(env: &[(OsString, OsString)]) -> Result<ExternalEditor, ExternalProgramError> {
    let value = |name: &'static str| {
        let set = env.iter().find(|(key, _)| key == name).map(|(_, value)| value.to_string_lossy().into_owned());
        set.filter(|value| !value.trim().is_empty()).map(|value| (name, value))
    };
    if let Some((name, value)) = EDITOR_VARIABLES.into_iter().find_map(value) {
        let mut words = split_words(&value).into_iter();
        let program = words.next().unwrap_or_default();
        let found = if program.contains('/') { Some(PathBuf::from(&program)) } else { find_program(&program, env) };
        let found = found.filter(|path| path.is_file());
        let missing = || ExternalProgramError::EditorNotFound { variable: name, value: value.clone(), program };
        let program = found.ok_or_else(missing)?;
        return Ok(ExternalEditor { program, args: words.map(OsString::from).collect() });
    }
    let found = KNOWN_EDITORS.iter().find_map(|name| find_program(name, env));
    let program = found.ok_or(ExternalProgramError::NoEditor)?;
    Ok(ExternalEditor { program, args: Vec::new() })
}

/// Opens a file in the editor on this process's terminal and waits.
/// Blocks: a full-screen front end must release the terminal first.
pub fn open_file(path: &Path, env: Vec<(OsString, OsString)>) -> Result<(), ExternalProgramError> {
    let ExternalEditor { program, mut args } = find_editor(&env)?;
    args.push(path.as_os_str().to_os_string());
    let shown = program.display().to_string();
    // Relative paths in the editor's arguments refer to the current folder.
    let no_folder = |error| ExternalProgramError::NotStarted(format!("the current folder: {error}"));
    let cwd = std::env::current_dir().map_err(no_folder)?;
    run_on_terminal(ForegroundProgram { program, args, cwd, env }, shown)
}

/// Bytes that are read of a recording.
const MAX_RECORD: u64 = 256 << 10;

/// Runs a line in the user's shell on this process's terminal (UI-3), with the user's rights. `script`, a standard
/// program, records what it prints on a terminal of its own, so that interactive programs still work. Returns how it
/// ended, and what it printed for the model (DU-8); `None` if this machine can't record it.
pub fn run_shell_line(
    line: &str,
    cwd: &Path,
    env: Vec<(OsString, OsString)>,
) -> (Result<(), ExternalProgramError>, Option<String>) {
    let record = tempfile::Builder::new().prefix("cutonce-shell-").tempdir().ok();
    let recorder = record.as_ref().and_then(|folder| Some((find_program("script", &env)?, folder.path().join("out"))));
    let run = |program: PathBuf, args: Vec<OsString>| {
        let started = ForegroundProgram { program, args, cwd: cwd.into(), env: env.clone() };
        run_on_terminal(started, "it".to_string())
    };
    let ended = match recorder.as_ref().filter(|_| cfg!(target_os = "linux")) {
        Some((script, file)) => {
            run(script.clone(), vec!["-q".into(), "-e".into(), "-c".into(), line.into(), file.into()])
        }
        None => user_shell(&env).and_then(|shell| run(shell, vec!["-c".into(), line.into()])),
    };
    let printed = recorder.and_then(|(_, file)| read_record(&file));
    (ended, printed)
}

fn user_shell(env: &[(OsString, OsString)]) -> Result<PathBuf, ExternalProgramError> {
    let shell = env.iter().find(|(key, _)| key == "SHELL").map(|(_, value)| PathBuf::from(value));
    let program = shell.filter(|path| path.is_absolute() && path.is_file()).or_else(|| find_program("bash", env));
    program.or_else(|| find_program("sh", env)).ok_or(ExternalProgramError::NoShell)
}

/// Waits for the program. Errors call it `name`.
fn run_on_terminal(started: ForegroundProgram, name: String) -> Result<(), ExternalProgramError> {
    match started.run().map_err(|error| ExternalProgramError::NotStarted(error.to_string()))? {
        ProcessExit::Exited(0) => Ok(()),
        ProcessExit::Exited(code) => Err(ExternalProgramError::Failed { program: name, code }),
        ProcessExit::Signalled(signal) => Err(ExternalProgramError::Killed { program: name, signal }),
    }
}

/// The end of a recording, without the recorder's own lines and without control sequences.
fn read_record(file: &Path) -> Option<String> {
    use std::io::{Read, Seek, SeekFrom};
    let mut file = std::fs::File::open(file).ok()?;
    let length = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(MAX_RECORD))).ok()?;
    let mut bytes = Vec::new();
    file.take(MAX_RECORD).read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes).replace("\r\n", "\n");
    let own = |line: &&str| !line.starts_with("Script started on ") && !line.starts_with("Script done on ");
    let lines: Vec<&str> = text.lines().filter(own).collect();
    Some(without_sequences(&lines.join("\n")).trim_matches('\n').to_string())
}

/// The text without the terminal's control sequences.
fn without_sequences(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('\x1b', Some('[')) => {
                chars.next();
                while chars.next().is_some_and(|c| !('@'..='~').contains(&c)) {}
            }
            ('\x1b', Some(']' | 'P')) => while chars.next().is_some_and(|c| c != '\x07' && c != '\\') {},
            ('\x1b', _) => drop(chars.next()),
            (c, _) if c.is_control() && !matches!(c, '\n' | '\t' | '\r') => {}
            (c, _) => kept.push(c),
        }
    }
    kept
}

/// Splits words and removes quotes: `code --wait`, `"/a b/editor" -x`.
pub(crate) fn split_words(text: &str) -> Vec<String> {
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
    use crate::plan::open_in_editor;

    fn env(set: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
        set.iter().map(|(name, value)| (name.into(), value.into())).collect()
    }

    /// A fake editor that records its arguments and then runs `then`.
    fn fake(dir: &Path, then: &str) -> PathBuf {
        let path = dir.join("my editor");
        std::fs::write(&path, format!("#!/bin/sh\nprintf '%s\\n' \"$@\" > '{}/called'\n{then}\n", dir.display()))
            .unwrap();
        std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        path
    }

    #[test]
    fn pm_25_visual_precedes_editor_and_known_editors() {
        let dir = tempfile::tempdir().unwrap();
        let editor = fake(dir.path(), "");
        let quoted = format!("\"{}\" --wait -x", editor.display());
        let expected = ExternalEditor { program: editor.clone(), args: vec!["--wait".into(), "-x".into()] };
        assert_eq!(find_editor(&env(&[("VISUAL", &quoted), ("EDITOR", "sh")])), Ok(expected));
        let sh = find_editor(&env(&[("VISUAL", " "), ("EDITOR", "sh -c")])).unwrap();
        assert!(sh.program.ends_with("sh") && sh.args == ["-c"], "{sh:?}");
        let error = find_editor(&env(&[("VISUAL", "no-such-editor -w"), ("EDITOR", "sh")])).unwrap_err();
        assert_eq!(error.to_string(), "$VISUAL is `no-such-editor -w`, but the program `no-such-editor` was not found");
        let nano = dir.path().join("nano");
        std::fs::copy(&editor, &nano).unwrap();
        let found = find_editor(&env(&[("PATH", dir.path().to_str().unwrap())]));
        assert!(
            found.as_ref().is_ok_and(|found| found.program == nano) || Path::new("/usr/bin/sensible-editor").exists()
        );
    }

    #[test]
    fn pm_25_opening_reports_the_result() {
        let dir = tempfile::tempdir().unwrap();
        let plan = dir.path().join("a plan.md");
        let open = |then: &str| {
            let editor = fake(dir.path(), then);
            open_in_editor(&plan, env(&[("VISUAL", &format!("'{}' -f", editor.display()))]))
        };
        assert_eq!(open(""), Ok(format!("Opened plan in editor: {}", plan.display())));
        let called = std::fs::read_to_string(dir.path().join("called")).unwrap();
        assert_eq!(called, format!("-f\n{}\n", plan.display()));
        let failed =
            |why: &str| Err(format!("Failed to open plan in editor: {}/my editor {why}", dir.path().display()));
        assert_eq!(open("exit 3"), failed("ended with code 3"));
        assert_eq!(open("kill -9 $$"), failed("was killed by signal 9"));
        // We ignore an interrupt typed in the editor; the editor does not.
        assert_eq!(open("kill -INT $PPID; kill -INT $$"), failed("was killed by signal 2"));
        let none = open_in_editor(&plan, env(&[("EDITOR", "no-such-editor")])).unwrap_err();
        assert!(none.starts_with("Failed to open plan in editor: $EDITOR is"), "{none}");
    }
}
