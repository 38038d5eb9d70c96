//! Custom commands (UI-9): `.cutonce/commands/*.md` and `.claude/commands/*.md` of the user and, if the folder is
//! trusted, of the project. A file's text is the prompt; its front matter sets description, allowed tools and model.

use crate::config::markdown_files::find_markdown_files;
use cutonce_core::conversation::Image;
use cutonce_core::protocol::submission::Submission;
use cutonce_core::text::front_matter::{FieldValue, parse_front_matter, text_below_front_matter};
use cutonce_core::text::truncate::first_line;
use cutonce_tools::secret_files::leads_to_secret;
use std::path::Path;

/// Maximum size of a command file.
const MAX_FILE_SIZE: u64 = 64 << 10;
/// Maximum number of files per folder.
const MAX_COMMANDS_PER_DIR: usize = 200;
/// Commands for Claude Code, read in place.
const CLAUDE_COMMANDS: &str = ".claude/commands";

/// A custom command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CustomCommand {
    /// The name typed after the `/`.
    pub name: String,
    /// One line, for lists.
    pub description: String,
    /// The prompt, with placeholders for arguments.
    pub body: String,
    /// Allow rules for its turn.
    pub allow: Vec<String>,
    /// The model for its turn, if set.
    pub model: Option<String>,
}

impl CustomCommand {
    /// The submission for a call with these arguments.
    pub fn to_submission(&self, words: &str, images: Vec<Image>) -> Submission {
        let (allow, model) = (self.allow.clone(), self.model.clone());
        Submission::CustomCommand { text: fill_arguments(&self.body, words), images, allow, model, typed: None }
    }
    /// Whether the prompt has placeholders for arguments.
    pub fn takes_arguments(&self) -> bool {
        self.body.contains("$ARGUMENTS") || (1..=9).any(|n| self.body.contains(&format!("${n}")))
    }
}

/// Folders whose commands count.
#[derive(Debug, Clone, Copy)]
pub struct CommandFolders<'a> {
    /// The cutonce home; `None`: none of the user's commands.
    pub home: Option<&'a Path>,
    /// $HOME.
    pub user_home: Option<&'a Path>,
    /// The project.
    pub cwd: &'a Path,
    /// The user trusts the project.
    pub trusted: bool,
}

/// The user's commands, then the project's; the first with a name wins.
pub fn find_commands(folders: CommandFolders<'_>) -> Vec<CustomCommand> {
    let mut found: Vec<CustomCommand> = Vec::new();
    let CommandFolders { home, user_home, cwd, trusted } = folders;
    let user = [home.map(|home| home.join("commands")), home.and(user_home).map(|home| home.join(CLAUDE_COMMANDS))];
    let project = [cwd.join(".cutonce/commands"), cwd.join(CLAUDE_COMMANDS)].map(|folder| trusted.then_some(folder));
    for folder in user.into_iter().chain(project).flatten() {
        for custom in commands_in_folder(&folder) {
            if !found.iter().any(|known| known.name == custom.name) {
                found.push(custom);
            }
        }
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
}

fn commands_in_folder(folder: &Path) -> Vec<CustomCommand> {
    find_markdown_files(folder, MAX_COMMANDS_PER_DIR).iter().filter_map(|path| read_command(path)).collect()
}

fn read_command(path: &Path) -> Option<CustomCommand> {
    let name = path.file_stem()?.to_str()?.to_string();
    let fits = name.chars().all(|c| c.is_alphanumeric() || "-_:".contains(c));
    let fits = fits && !leads_to_secret(path, None);
    let small = std::fs::metadata(path).is_ok_and(|about| about.len() <= MAX_FILE_SIZE);
    let text = (fits && small).then(|| std::fs::read_to_string(path).ok()).flatten()?;
    Some(parse_command(name, &text))
}

/// A command whose front matter has an error keeps its prompt; it gets no rules and no model, and its description says
/// why.
fn parse_command(name: String, text: &str) -> CustomCommand {
    let body = text_below_front_matter(text);
    let fields = match parse_front_matter(text) {
        Ok(document) => document.map(|document| document.fields).unwrap_or_default(),
        Err(error) => {
            let description = format!("its front matter can't be read: {error}");
            return CustomCommand { name, description, body, ..CustomCommand::default() };
        }
    };
    let field = |wanted: &str| fields.iter().find(|field| field.key == wanted).map(|field| &field.value);
    let text = |wanted: &str| {
        let value = field(wanted)?;
        Some(match value {
            FieldValue::Text(text) => text.clone(),
            FieldValue::List(items) => items.join(", "),
        })
        .filter(|value| !value.is_empty())
    };
    let first = first_line(&body);
    CustomCommand {
        description: text("description")
            .unwrap_or_else(|| first.trim_start_matches('#').trim().chars().take(100).collect()),
        allow: field("allowed-tools").map(FieldValue::items).unwrap_or_default(),
        model: text("model"),
        body,
        name,
    }
}

/// Replaces `$ARGUMENTS` by all arguments and `$1` to `$9` by single ones. Without placeholders, the arguments follow
/// the text. Placeholders in arguments are not expanded.
pub fn fill_arguments(body: &str, words: &str) -> String {
    let each: Vec<&str> = words.split_whitespace().collect();
    let mut out = String::with_capacity(body.len() + words.len());
    let (mut rest, mut used) = (body, false);
    while let Some(at) = rest.find('$') {
        out.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        let digit = after.chars().next().and_then(|c| c.to_digit(10)).filter(|n| *n > 0);
        if let Some(next) = after.strip_prefix("ARGUMENTS") {
            (used, rest) = (true, next);
            out.push_str(words);
        } else if let Some(n) = digit {
            (used, rest) = (true, &after[1..]);
            out.push_str(each.get(n as usize - 1).copied().unwrap_or_default());
        } else {
            out.push('$');
            rest = after;
        }
    }
    out.push_str(rest);
    if !used && !words.is_empty() {
        out.push_str("\n\n");
        out.push_str(words);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ui_9_commands_have_arguments_tools_and_model() {
        let text = "---\ndescription: Fix an issue\nallowed-tools: Bash(git log:*, x), Edit\nmodel: haiku\n---\nFix $1 like $ARGUMENTS costs $5.\n";
        let custom = parse_command("fix".into(), text);
        assert_eq!(custom.allow, ["Bash(git log:*, x)", "Edit"]);
        assert_eq!((custom.description.as_str(), custom.model.as_deref()), ("Fix an issue", Some("haiku")));
        assert_eq!(fill_arguments(&custom.body, "a $1 b"), "Fix a like a $1 b costs .");
        assert_eq!(parse_command("fix".into(), &text.replace('\n', "\r\n")), custom, "Windows line endings");
        let listed = text.replace("Bash(git log:*, x), Edit", "[Bash(git log:*, x), \"Edit\"]");
        assert_eq!(parse_command("fix".into(), &listed), custom, "a list");
        assert_eq!(fill_arguments("Plain", "more words"), "Plain\n\nmore words");
        assert!(custom.takes_arguments() && !parse_command("x".into(), "# Title\nno").takes_arguments());
        assert_eq!(parse_command("x".into(), "# Title\nno").description, "Title");
    }

    #[test]
    fn ui_9_bad_front_matter_grants_nothing() {
        let broken = parse_command("x".into(), "---\nallowed-tools: Bash\nmodel: \"haiku\n---\nDo it.\n");
        assert_eq!((broken.body.as_str(), broken.allow.len(), broken.model), ("Do it.", 0, None));
        assert!(broken.description.contains("line 3: expected a closing quote"), "{}", broken.description);
        let open = parse_command("x".into(), "---\nmodel: haiku\n");
        assert_eq!((open.body.as_str(), open.model), ("---\nmodel: haiku", None));
    }

    #[test]
    fn ui_9_project_commands_need_trust() {
        let (home, cwd) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let write = |folder: &Path, name: &str, text: &str| {
            std::fs::create_dir_all(folder).unwrap();
            std::fs::write(folder.join(name), text).unwrap();
        };
        write(&home.path().join("commands"), "fix.md", "mine");
        write(&cwd.path().join(".cutonce/commands"), "fix.md", "theirs");
        write(&cwd.path().join(".cutonce/commands"), "ship.md", "ship it");
        write(&cwd.path().join(".cutonce/commands"), "../bad name.md", "no");
        write(&cwd.path().join(".claude/commands/deep"), "from-claude.md", "old friend");
        write(&home.path().join(".claude/commands"), "own-claude.md", "my own");
        let names = |trusted| {
            let (home, cwd) = (home.path(), cwd.path());
            find_commands(CommandFolders { home: Some(home), user_home: Some(home), cwd, trusted })
                .iter()
                .map(|one| format!("{} {}", one.name, one.body))
                .collect::<Vec<_>>()
        };
        assert_eq!(names(false), ["fix mine", "own-claude my own"]);
        assert_eq!(names(true), ["fix mine", "from-claude old friend", "own-claude my own", "ship ship it"]);
    }
}
