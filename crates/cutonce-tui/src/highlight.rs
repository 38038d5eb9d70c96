//! Colours for code, made on a thread of their own (UI-2): loading the grammars takes tens of milliseconds and a hostile line
//! may take longer, so nothing that draws or reads keys ever waits for them. Code is plain until its colours are there.

use crate::text;
use crate::theme::{Depth, Name, Theme};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::Span;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError, mpsc};
use std::time::Instant;
use syntect::easy::HighlightLines;
use syntect::highlighting::FontStyle;
use syntect::parsing::SyntaxSet;
use two_face::theme::{EmbeddedLazyThemeSet, EmbeddedThemeName};

/// A longer line is left plain: grammars are quadratic on some.
const LONGEST_LINE: usize = 1_000;
/// More lines than this in a block are left plain.
const MOST_LINES: usize = 5_000;

/// The way to the thread. It begins with the first block of code and ends with the last handle.
#[derive(Clone)]
pub struct Highlighter {
    shared: Arc<Shared>,
}

struct Shared {
    sender: Mutex<Option<mpsc::Sender<Job>>>,
    /// How many jobs were sent and are not done.
    open: Arc<(Mutex<usize>, Condvar)>,
    wake: Arc<dyn Fn() + Send + Sync>,
}

/// One block of code that gets its colours line by line.
#[derive(Clone)]
pub struct Block {
    inner: Arc<Inner>,
    highlighter: Highlighter,
}

struct Inner {
    language: String,
    theme: Theme,
    state: Mutex<State>,
    lines: Mutex<Vec<Vec<Span<'static>>>>,
    sent: Mutex<usize>,
    lost: AtomicBool,
}

enum State {
    New,
    Open(Box<HighlightLines<'static>>),
}

struct Job {
    block: Arc<Inner>,
    line: String,
}

impl std::fmt::Debug for Highlighter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Highlighter")
    }
}

impl std::fmt::Debug for Block {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Block({})", self.inner.language)
    }
}

impl Highlighter {
    /// `wake` is called from the thread whenever there are new colours.
    pub fn new(wake: impl Fn() + Send + Sync + 'static) -> Highlighter {
        let open = Arc::new((Mutex::new(0), Condvar::new()));
        Highlighter { shared: Arc::new(Shared { sender: Mutex::new(None), open, wake: Arc::new(wake) }) }
    }

    /// None where there will be no colours.
    pub fn open(&self, language: &str, theme: &Theme) -> Option<Block> {
        let colourless =
            theme.depth == Depth::None || language.is_empty() || matches!(language, "text" | "txt" | "plain");
        if colourless {
            return None;
        }
        let inner = Inner {
            language: language.to_string(),
            theme: *theme,
            state: Mutex::new(State::New),
            lines: Mutex::new(Vec::new()),
            sent: Mutex::new(0),
            lost: AtomicBool::new(false),
        };
        Some(Block { inner: Arc::new(inner), highlighter: self.clone() })
    }

    /// All colours of a piece of code that is whole. For threads that may wait.
    pub fn all(&self, language: &str, code: &str, theme: &Theme) -> Option<Vec<Vec<Span<'static>>>> {
        let block = self.open(language, theme)?;
        code.lines().for_each(|line| block.push(&text::visible(line)));
        while !block.lost() && self.wait() {}
        (0..code.lines().count()).map(|number| block.line(number)).collect()
    }

    /// Waits until all that was sent is done; false if there was nothing to wait for.
    pub fn wait(&self) -> bool {
        let (open, done) = &*self.shared.open;
        let mut left = lock(open);
        if *left == 0 {
            return false;
        }
        while *left > 0 {
            left = done.wait(left).unwrap_or_else(PoisonError::into_inner);
        }
        true
    }

    /// The same, but not for longer than this; false as well if it is not done then.
    pub fn wait_until(&self, end: Instant) -> bool {
        let (open, done) = &*self.shared.open;
        let mut left = lock(open);
        let waited = *left > 0;
        while *left > 0 {
            let Some(time) = end.checked_duration_since(Instant::now()).filter(|time| !time.is_zero()) else {
                return false;
            };
            left = done.wait_timeout(left, time).unwrap_or_else(PoisonError::into_inner).0;
        }
        waited
    }

    fn send(&self, job: Job) -> bool {
        let mut sender = lock(&self.shared.sender);
        if sender.is_none() {
            let (send, receive) = mpsc::channel();
            let (open, wake) = (self.shared.open.clone(), self.shared.wake.clone());
            let work = move || work(&receive, &open, &*wake);
            if std::thread::Builder::new().name("highlight".into()).spawn(work).is_err() {
                return false;
            }
            *sender = Some(send);
        }
        let (open, _) = &*self.shared.open;
        *lock(open) += 1;
        let sent = sender.as_ref().is_some_and(|sender| sender.send(job).is_ok());
        if !sent {
            *lock(open) -= 1;
        }
        sent
    }
}

impl Block {
    /// The next line, harmless and without its end.
    pub fn push(&self, line: &str) {
        let mut sent = lock(&self.inner.sent);
        *sent += 1;
        let job = Job { block: self.inner.clone(), line: line.to_string() };
        if *sent > MOST_LINES || self.lost() || !self.highlighter.send(job) {
            self.inner.lost.store(true, Ordering::Relaxed);
        }
    }

    /// A line in colours, once they are there.
    pub fn line(&self, number: usize) -> Option<Vec<Span<'static>>> {
        lock(&self.inner.lines).get(number).cloned()
    }

    /// How many lines have their colours.
    pub fn done(&self) -> usize {
        lock(&self.inner.lines).len()
    }

    /// There will be no more colours: an unknown language, or too much code.
    pub fn lost(&self) -> bool {
        self.inner.lost.load(Ordering::Relaxed)
    }
}

fn work(jobs: &mpsc::Receiver<Job>, open: &(Mutex<usize>, Condvar), wake: &(dyn Fn() + Send + Sync)) {
    while let Ok(job) = jobs.recv() {
        if !job.block.lost.load(Ordering::Relaxed) {
            paint(&job);
        }
        let (count, done) = open;
        let mut left = lock(count);
        *left = left.saturating_sub(1);
        let idle = *left == 0;
        drop(left);
        if idle {
            done.notify_all();
            wake();
        }
    }
}

fn paint(job: &Job) {
    let block = &job.block;
    let mut state = lock(&block.state);
    if matches!(*state, State::New) {
        match syntaxes().find_syntax_by_token(&block.language) {
            Some(syntax) => *state = State::Open(Box::new(HighlightLines::new(syntax, palette(&block.theme)))),
            None => return block.lost.store(true, Ordering::Relaxed),
        }
    }
    let State::Open(lines) = &mut *state else { return };
    let spans = match job.line.len() > LONGEST_LINE {
        true => vec![Span::styled(job.line.clone(), block.theme.code_block)],
        false => match lines.highlight_line(&format!("{}\n", job.line), syntaxes()) {
            Ok(pieces) => pieces.iter().map(|(style, piece)| span(*style, piece, &block.theme)).collect(),
            Err(_) => return block.lost.store(true, Ordering::Relaxed),
        },
    };
    lock(&block.lines).push(spans);
}

fn span(style: syntect::highlighting::Style, piece: &str, theme: &Theme) -> Span<'static> {
    let mut shown = theme.code_block;
    if let Some(color) = color(style.foreground).and_then(|color| theme.foreign(color)) {
        shown = shown.fg(color);
    }
    let modifiers = [
        (FontStyle::BOLD, Modifier::BOLD),
        (FontStyle::ITALIC, Modifier::ITALIC),
        (FontStyle::UNDERLINE, Modifier::UNDERLINED),
    ];
    for (font, modifier) in modifiers {
        if style.font_style.contains(font) {
            shown = shown.add_modifier(modifier);
        }
    }
    Span::styled(piece.trim_end_matches('\n').to_string(), Style { bg: None, ..shown })
}

/// Themes for terminals put the number of a colour where others have red, and say so with the transparency.
fn color(color: syntect::highlighting::Color) -> Option<Color> {
    match color.a {
        0 => Some(match color.r {
            0 => Color::Black,
            1 => Color::Red,
            2 => Color::Green,
            3 => Color::Yellow,
            4 => Color::Blue,
            5 => Color::Magenta,
            6 => Color::Cyan,
            7 => Color::Gray,
            other => Color::Indexed(other),
        }),
        1 => None,
        _ => Some(Color::Rgb(color.r, color.g, color.b)),
    }
}

fn syntaxes() -> &'static SyntaxSet {
    static SYNTAXES: OnceLock<SyntaxSet> = OnceLock::new();
    SYNTAXES.get_or_init(two_face::syntax::extra_newlines)
}

fn palette(theme: &Theme) -> &'static syntect::highlighting::Theme {
    static THEMES: OnceLock<EmbeddedLazyThemeSet> = OnceLock::new();
    let name = match (theme.name, theme.depth) {
        (Name::Ansi, _) | (_, Depth::None | Depth::Sixteen) => EmbeddedThemeName::Ansi,
        (Name::Dark, Depth::Indexed | Depth::True) => EmbeddedThemeName::OneHalfDark,
        (Name::Light, Depth::Indexed | Depth::True) => EmbeddedThemeName::OneHalfLight,
    };
    THEMES.get_or_init(two_face::theme::extra).get(name)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ui_2_code_gets_colours_from_another_thread() {
        let highlighter = Highlighter::new(|| {});
        let theme = Theme::default();
        let code = "fn main() {\n    let x = \"a\"; // why\n}";
        let lines = highlighter.all("rust", code, &theme).unwrap();
        let told: Vec<String> =
            lines.iter().map(|spans| spans.iter().map(|span| span.content.as_ref()).collect()).collect();
        assert_eq!(told.join("\n"), code);
        let colours: std::collections::HashSet<_> = lines.iter().flatten().map(|span| span.style.fg).collect();
        assert!(colours.len() > 2, "{colours:?}");
        assert!(highlighter.all("no such language", code, &theme).is_none());
        assert!(highlighter.all("rust", code, &Theme::new(Name::Dark, Depth::None)).is_none());
    }

    #[test]
    fn ui_10_sixteen_colours_are_the_terminals_own() {
        let highlighter = Highlighter::new(|| {});
        let theme = Theme::new(Name::Dark, Depth::Sixteen);
        let lines = highlighter.all("rs", "let x = 1;", &theme).unwrap();
        let colours: Vec<_> = lines.iter().flatten().filter_map(|span| span.style.fg).collect();
        assert!(colours.iter().all(|color| !matches!(color, Color::Rgb(..))), "{colours:?}");
        assert!(!colours.is_empty());
    }
}
