//! What takes the whole screen, made from what the app knows: the review of a plan (UI-6), the pager (UI-4), the pickers of
//! sessions (UI-15) and of points to go back to (SE-5).

use super::App;
use crate::overlay::Overlay;
use crate::overlay::pager::{Body, Item, Pager};
use crate::overlay::rewind::{Change, Point, RewindPicker, What};
use crate::overlay::sessions::SessionPicker;
use crate::review::{Review, Subject};
use crate::theme::{Depth, Name, Theme as Colours};
use cutonce_agent::rewind;
use cutonce_agent::store::place::{Sessions, own_dir};
use cutonce_agent::store::{Listed, Reader, Scope, list};
use cutonce_core::approval::{Answer, Request};
use cutonce_core::conversation::Block;
use cutonce_core::event::Level;
use cutonce_core::settings::Theme;
use cutonce_core::transcript;
use std::collections::HashMap;
use std::path::Path;
use std::time::SystemTime;

/// Sessions that the picker lists.
const MOST: usize = 10_000;
/// Entries of a session that its preview shows, from its end.
const PREVIEW: usize = 30;
/// A file larger than this is not compared in the preview.
const LARGEST: u64 = 1 << 20;

impl App {
    /// As the settings say; `auto` is the terminal's own colours, which fit a light screen as well as a dark one.
    pub(super) fn chosen_theme(&self) -> Colours {
        let depth = self.theme.depth;
        match self.settings.theme {
            Theme::Auto => Colours::new(Name::Ansi, depth),
            Theme::Dark => Colours::new(Name::Dark, depth),
            Theme::Light => Colours::new(Name::Light, depth),
            Theme::Plain => Colours::new(Name::Ansi, Depth::None),
        }
    }

    /// The branch of the folder, from git's own files: no program is started for it.
    pub(super) fn branch(&self) -> Option<String> {
        let folder = self.around.cwd.ancestors().find(|folder| folder.join(".git").exists())?;
        branch_of(folder)
    }

    pub(super) fn review(
        &mut self,
        request: &Request,
        previous: Option<&str>,
        draft: Option<&Answer>,
    ) -> Box<dyn Overlay> {
        let status = &self.status;
        let share =
            (status.context * 100).checked_div(status.window).and_then(|share| u8::try_from(share.min(100)).ok());
        let subject = Subject {
            request: request.clone(),
            previous: previous.map(str::to_string),
            draft: draft.cloned(),
            home: Some(self.around.home.clone()),
            context: share,
            cost: (status.cost >= 0.005).then(|| format!("${:.2}", status.cost)),
        };
        Box::new(Review::open(subject, self.theme, Some(self.highlighter.clone())))
    }

    pub(super) fn show_items(&mut self, title: &str, items: Vec<Item>) {
        let pager = Pager::new(title, items, self.theme).highlighted(self.highlighter.clone());
        self.cover(Box::new(pager), None);
    }

    /// UI-15.
    pub(super) fn pick_session(&mut self, words: &str) {
        let sessions = Sessions::new(&self.around.home, &self.around.cwd);
        let source = Box::new(move |everywhere: bool| {
            let scope = if everywhere { Scope::All } else { Scope::Project };
            let mut listed = list(&sessions, scope, MOST).unwrap_or_default();
            // One that nobody spoke to is nothing to go on with.
            listed.retain(|one| one.first_message.is_some() || one.plan_title.is_some());
            listed
        });
        let picker = SessionPicker::new(source, Box::new(preview), self.theme, SystemTime::now()).asked(words);
        self.cover(Box::new(picker), None);
    }

    /// SE-5: with what each file would become.
    pub(super) fn rewind(&mut self) {
        if self.turn.is_some() {
            let words = "A turn is on: esc ends it, then something can be put back.";
            return self.notice(Level::Warning, words);
        }
        let Some(transcript) = self.transcript.clone().filter(|path| path.exists()) else {
            return self.notice(Level::Info, "Nothing was said yet: there is nothing to go back to.");
        };
        let points = match rewind::points(&transcript) {
            Ok(points) if points.is_empty() => return self.notice(Level::Info, "There is nothing to go back to."),
            Ok(points) => points,
            Err(error) => return self.notice(Level::Error, &format!("The transcript can't be read: {error}")),
        };
        let mut hashes: HashMap<(String, String), Option<String>> = HashMap::new();
        let shown: Vec<Point> = points.iter().map(|point| shown(point, &mut hashes)).collect();
        self.rewinds = shown.iter().map(|point| (point.id.clone(), point.what.clone())).collect();
        let versions = own_dir(&transcript).join("versions");
        let look = Box::new(move |point: &Point, file: &str| {
            let hash = hashes.get(&(point.id.clone(), file.to_string())).cloned().flatten();
            change(&versions, file, hash.as_deref())
        });
        let picker = RewindPicker::new(shown, look, self.theme);
        self.cover(Box::new(picker), None);
    }

    /// A message that is put back is the draft again, to be said better. True: a turn began meanwhile, and nothing is put back.
    pub(super) fn rewound(&mut self, point: &str, conversation: bool) -> bool {
        if self.turn.is_some() {
            self.rewind();
            return true;
        }
        self.rewinding = conversation;
        let said = self.rewinds.iter().find(|(id, _)| id == point).map(|(_, what)| what.clone());
        if let (true, Some(What::Message(text)), true) = (conversation, said, self.composer.is_empty()) {
            let transcript = self.transcript.as_deref();
            let images = transcript.and_then(|path| rewind::images(path, point).ok()).unwrap_or_default();
            self.composer.give_back(&text, images);
            self.changed();
        }
        false
    }
}

/// Of a checkout, or of a worktree, whose `.git` is a file that says where its own things are.
fn branch_of(folder: &Path) -> Option<String> {
    let git = folder.join(".git");
    let own = match std::fs::read_to_string(&git) {
        Ok(text) => folder.join(text.strip_prefix("gitdir:")?.trim()),
        Err(_) => git,
    };
    let head = std::fs::read_to_string(own.join("HEAD")).ok()?;
    let head = head.trim();
    Some(head.strip_prefix("ref: refs/heads/").unwrap_or(head.get(..8)?).to_string())
}

fn shown(point: &rewind::Point, hashes: &mut HashMap<(String, String), Option<String>>) -> Point {
    for file in &point.files {
        hashes.insert((point.id.clone(), file.path.clone()), file.sha256.clone());
    }
    let time = clock(&point.at, &jiff::Zoned::now());
    let what = match &point.what {
        rewind::What::Message(text) => What::Message(text.clone()),
        rewind::What::Approval { slug, revision } => What::Approval(format!("{slug} rev {revision}")),
    };
    let files = point.files.iter().map(|file| file.path.clone()).collect();
    let last_commands = point.last_commands.clone();
    Point { id: point.id.clone(), time, what, files, commands: point.commands, last_commands }
}

/// Hours and minutes where the person is, with the day where it is another.
fn clock(at: &str, now: &jiff::Zoned) -> String {
    let Ok(at) = at.parse::<jiff::Timestamp>() else { return String::new() };
    let at = at.to_zoned(now.time_zone().clone());
    let form = match (at.date() == now.date(), at.year() == now.year()) {
        (true, _) => "%H:%M",
        (false, true) => "%b %d %H:%M",
        (false, false) => "%Y-%m-%d %H:%M",
    };
    at.strftime(form).to_string()
}

fn change(versions: &Path, file: &str, hash: Option<&str>) -> Change {
    let text = |path: &Path| match std::fs::metadata(path) {
        Ok(about) if about.len() > LARGEST => Err(format!("{file} is too large to compare")),
        Ok(_) => std::fs::read(path)
            .map(|bytes| Some(String::from_utf8_lossy(&bytes).into_owned()))
            .map_err(|error| error.to_string()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.to_string()),
    };
    let then = match hash {
        // The hash becomes a file name.
        Some(hash) if hash.bytes().all(|byte| byte.is_ascii_hexdigit()) => text(&versions.join(hash)),
        Some(_) => Err("its version has no usable name".into()),
        None => Ok(None),
    };
    match (text(Path::new(file)), then) {
        (Ok(now), Ok(then)) => Change { now, then, failed: None },
        (Err(why), _) | (_, Err(why)) => Change { failed: Some(why), ..Change::default() },
    }
}

/// The end of a session's conversation.
fn preview(listed: &Listed) -> Vec<Item> {
    let Ok(mut reader) = Reader::open(&listed.path) else { return Vec::new() };
    let mut items = Vec::new();
    for at in reader.len().saturating_sub(PREVIEW)..reader.len() {
        let Ok(Some(entry)) = reader.entry(at) else { continue };
        match entry.body {
            transcript::Body::User { text, meta: false, .. } => {
                items.push(Item { title: "you".into(), body: Body::Plain(text.into()) });
            }
            transcript::Body::Assistant { blocks, .. } => {
                for block in blocks {
                    if let Block::Text { text } = block {
                        items.push(Item { title: "agent".into(), body: Body::Markdown(text.into()) });
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
    fn se_5_points_have_the_time_of_the_person() {
        let berlin = jiff::tz::TimeZone::fixed(jiff::tz::offset(1));
        let now = "2026-11-16T22:00:00Z".parse::<jiff::Timestamp>().unwrap().to_zoned(berlin);
        assert_eq!(clock("2026-11-16T03:59:30.123Z", &now), "04:59");
        assert_eq!(clock("2026-11-15T23:30:00Z", &now), "00:30");
        assert_eq!(clock("2026-11-12T09:30:00Z", &now), "Nov 12 10:30");
        assert_eq!(clock("2025-11-12T09:30:00Z", &now), "2025-11-12 10:30");
        assert_eq!(clock("nothing like it", &now), "");
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
        assert_eq!(branch_of(dir.path()).as_deref(), Some("outer"));
        assert_eq!(branch_of(&dir.path().join("in")).as_deref(), Some("feature/inner"));
        write(".git/HEAD", "0123456789abcdef\n");
        assert_eq!(branch_of(dir.path()).as_deref(), Some("01234567"));
    }
}
