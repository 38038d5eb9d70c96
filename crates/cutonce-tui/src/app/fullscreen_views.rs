//! Builds full-screen views from the app state: the plan review (UI-6), the pager (UI-4), and the pickers for
//! sessions (UI-15) and rewind points (SE-5).

use super::App;
use crate::overlays::pager::{Pager, PagerContent, PagerItem};
use crate::overlays::rewind_picker::{FileComparison, RewindEntry, RewindEntryKind, RewindPicker};
use crate::overlays::session_picker::SessionPicker;
use crate::render::theme::{ColourDepth, Theme as Colours, ThemeName};
use cutonce_agent::storage::paths::{ProjectSessions, own_dir};
use cutonce_agent::storage::rewind;
use cutonce_agent::storage::{ListedSession, SessionScope, TranscriptReader, list_sessions};
use cutonce_core::conversation::ContentBlock;
use cutonce_core::protocol::event::NoticeLevel;
use cutonce_core::settings::ThemeSetting;
use cutonce_core::transcript;
use std::collections::HashMap;
use std::path::Path;
use std::time::SystemTime;

/// Maximum number of sessions in the picker.
const MAX_SESSIONS: usize = 10_000;
/// Number of entries at the end of a session that its preview shows.
const PREVIEW_ENTRIES: usize = 30;
/// Larger files are not compared in the preview.
const MAX_COMPARED_SIZE: u64 = 1 << 20;

impl App {
    /// Theme from the settings. `auto` uses the terminal's own colours, which fit light and dark screens.
    pub(super) fn chosen_theme(&self) -> Colours {
        let depth = self.theme.depth;
        match self.session.settings.theme {
            ThemeSetting::Auto => Colours::new(ThemeName::Ansi, depth),
            ThemeSetting::Dark => Colours::new(ThemeName::Dark, depth),
            ThemeSetting::Light => Colours::new(ThemeName::Light, depth),
            ThemeSetting::Plain => Colours::new(ThemeName::Ansi, ColourDepth::None),
        }
    }

    /// Current git branch, read from git's files without starting a program.
    pub(super) fn current_branch(&self) -> Option<String> {
        let folder = self.environment.cwd.ancestors().find(|folder| folder.join(".git").exists())?;
        git_branch(folder)
    }

    pub(super) fn show_items(&mut self, title: &str, items: Vec<PagerItem>) {
        let pager = Pager::new(title, items, self.theme).with_highlighter(self.highlighter.clone());
        self.open_overlay(Box::new(pager), None);
    }

    /// Opens the session picker (UI-15).
    pub(super) fn pick_session(&mut self, words: &str) {
        let sessions = ProjectSessions::new(&self.environment.home, &self.environment.cwd);
        let source = Box::new(move |everywhere: bool| {
            let scope = if everywhere { SessionScope::All } else { SessionScope::Project };
            let mut listed = list_sessions(&sessions, scope, MAX_SESSIONS).unwrap_or_default();
            // Skip sessions without any message.
            listed.retain(|one| one.first_message.is_some() || one.title.is_some());
            listed
        });
        let picker =
            SessionPicker::new(source, Box::new(session_preview), self.theme, SystemTime::now()).with_search(words);
        self.open_overlay(Box::new(picker), None);
    }

    /// Opens the rewind picker with the changes of each file (SE-5).
    pub(super) fn open_rewind_picker(&mut self) {
        if self.turn.is_some() {
            let words = "The agent is working. Press Esc to stop it, then rewind.";
            return self.print_notice(NoticeLevel::Warning, words);
        }
        let Some(transcript) = self.session.transcript.clone().filter(|path| path.exists()) else {
            return self.print_notice(NoticeLevel::Info, "The conversation is empty; nothing to rewind to.");
        };
        let points = match rewind::rewind_points(&transcript) {
            Ok(points) if points.is_empty() => return self.print_notice(NoticeLevel::Info, "Nothing to rewind to."),
            Ok(points) => points,
            Err(error) => return self.print_notice(NoticeLevel::Error, &format!("Can't read the transcript: {error}")),
        };
        let mut hashes: HashMap<(String, String), Option<String>> = HashMap::new();
        let shown: Vec<RewindEntry> = points.iter().map(|point| rewind_entry(point, &mut hashes)).collect();
        self.rewind.points = shown.iter().map(|point| (point.id.clone(), point.kind.clone())).collect();
        let versions = own_dir(&transcript).join("versions");
        let look = Box::new(move |point: &RewindEntry, file: &str| {
            let hash = hashes.get(&(point.id.clone(), file.to_string())).cloned().flatten();
            compare_file(&versions, file, hash.as_deref())
        });
        let picker = RewindPicker::new(shown, look, self.theme);
        self.open_overlay(Box::new(picker), None);
    }

    /// Puts the message of a rewind point back into the composer. Returns true if a turn started meanwhile
    /// and the rewind is cancelled.
    pub(super) fn restore_message(&mut self, point: &str, conversation: bool) -> bool {
        if self.turn.is_some() {
            self.open_rewind_picker();
            return true;
        }
        self.rewind.in_progress = conversation;
        let said = self.rewind.points.iter().find(|(id, _)| id == point).map(|(_, what)| what.clone());
        if let (true, Some(RewindEntryKind::Message(text)), true) =
            (conversation, said, self.prompt.composer.is_empty())
        {
            let transcript = self.session.transcript.as_deref();
            let images = transcript.and_then(|path| rewind::message_images(path, point).ok()).unwrap_or_default();
            self.prompt.composer.restore_unsent(&text, images);
            self.draft_changed();
        }
        false
    }
}

/// Branch of a checkout, or of a worktree whose `.git` is a file that names its git directory.
fn git_branch(folder: &Path) -> Option<String> {
    let git = folder.join(".git");
    let own = match std::fs::read_to_string(&git) {
        Ok(text) => folder.join(text.strip_prefix("gitdir:")?.trim()),
        Err(_) => git,
    };
    let head = std::fs::read_to_string(own.join("HEAD")).ok()?;
    let head = head.trim();
    Some(head.strip_prefix("ref: refs/heads/").unwrap_or(head.get(..8)?).to_string())
}

fn rewind_entry(point: &rewind::RewindPoint, hashes: &mut HashMap<(String, String), Option<String>>) -> RewindEntry {
    for file in &point.files {
        hashes.insert((point.id.clone(), file.path.clone()), file.sha256.clone());
    }
    let time = format_time(&point.at, &jiff::Zoned::now());
    let what = match &point.what {
        rewind::RewindTarget::Message(text) => RewindEntryKind::Message(text.clone()),
        rewind::RewindTarget::Approval { slug, revision } => {
            RewindEntryKind::Approval(format!("{slug} rev {revision}"))
        }
    };
    let files = point.files.iter().map(|file| file.path.clone()).collect();
    let last_commands = point.last_commands.clone();
    RewindEntry { id: point.id.clone(), time, kind: what, files, commands: point.commands, last_commands }
}

/// Formats a time in the user's time zone, with the date if it is another day.
fn format_time(at: &str, now: &jiff::Zoned) -> String {
    let Ok(at) = at.parse::<jiff::Timestamp>() else { return String::new() };
    let at = at.to_zoned(now.time_zone().clone());
    let form = match (at.date() == now.date(), at.year() == now.year()) {
        (true, _) => "%H:%M",
        (false, true) => "%b %d %H:%M",
        (false, false) => "%Y-%m-%d %H:%M",
    };
    at.strftime(form).to_string()
}

fn compare_file(versions: &Path, file: &str, hash: Option<&str>) -> FileComparison {
    let text = |path: &Path| match std::fs::metadata(path) {
        Ok(about) if about.len() > MAX_COMPARED_SIZE => Err(format!("{file} is too large to compare")),
        Ok(_) => std::fs::read(path)
            .map(|bytes| Some(String::from_utf8_lossy(&bytes).into_owned()))
            .map_err(|error| error.to_string()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.to_string()),
    };
    let then = match hash {
        // The hash is used as a file name.
        Some(hash) if hash.bytes().all(|byte| byte.is_ascii_hexdigit()) => text(&versions.join(hash)),
        Some(_) => Err("the stored version has an invalid name".into()),
        None => Ok(None),
    };
    match (text(Path::new(file)), then) {
        (Ok(now), Ok(then)) => FileComparison { now, then, failed: None },
        (Err(why), _) | (_, Err(why)) => FileComparison { failed: Some(why), ..FileComparison::default() },
    }
}

/// Preview items: the end of a session's conversation.
fn session_preview(listed: &ListedSession) -> Vec<PagerItem> {
    let Ok(mut reader) = TranscriptReader::open(&listed.path) else { return Vec::new() };
    let mut items = Vec::new();
    for at in reader.len().saturating_sub(PREVIEW_ENTRIES)..reader.len() {
        let Ok(Some(entry)) = reader.entry(at) else { continue };
        match entry.body {
            transcript::EntryBody::User { text, meta: false, .. } => {
                items.push(PagerItem { title: "you".into(), body: PagerContent::Plain(text.into()) });
            }
            transcript::EntryBody::Assistant { blocks, .. } => {
                for block in blocks {
                    if let ContentBlock::Text { text } = block {
                        items.push(PagerItem { title: "agent".into(), body: PagerContent::Markdown(text.into()) });
                    }
                }
            }
            _ => {}
        }
    }
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn se_5_points_show_local_time() {
        let berlin = jiff::tz::TimeZone::fixed(jiff::tz::offset(1));
        let now = "2026-11-16T22:00:00Z".parse::<jiff::Timestamp>().unwrap().to_zoned(berlin);
        assert_eq!(format_time("2026-11-16T03:59:30.123Z", &now), "04:59");
        assert_eq!(format_time("2026-11-15T23:30:00Z", &now), "00:30");
        assert_eq!(format_time("2026-11-12T09:30:00Z", &now), "Nov 12 10:30");
        assert_eq!(format_time("2025-11-12T09:30:00Z", &now), "2025-11-12 10:30");
        assert_eq!(format_time("nothing like it", &now), "");
    }

    #[test]
    fn ui_8_a_worktree_has_its_own_branch() {
        let dir = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = dir.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write(".git/HEAD", "ref: refs/heads/outer\n");
        write(".git/worktrees/in/HEAD", "ref: refs/heads/feature/inner\n");
        write("in/.git", &format!("gitdir: {}/.git/worktrees/in\n", dir.path().display()));
        assert_eq!(git_branch(dir.path()).as_deref(), Some("outer"));
        assert_eq!(git_branch(&dir.path().join("in")).as_deref(), Some("feature/inner"));
        write(".git/HEAD", "0123456789abcdef\n");
        assert_eq!(git_branch(dir.path()).as_deref(), Some("01234567"));
    }
}
