//! Code highlighting on a separate thread (UI-2). Loading the grammars takes tens of milliseconds and a hostile line
//! may take longer, so drawing and key input never wait for it. Code is plain until its colours arrive.

use crate::render::theme::{ColourDepth, Theme, ThemeName};
use cutonce_core::sync::LockUnpoisoned;
use cutonce_core::sync::WaitUnpoisoned;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::Span;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError, mpsc};
use std::time::Instant;
use syntect::easy::HighlightLines;
use syntect::highlighting::FontStyle;
use syntect::parsing::SyntaxSet;
use two_face::theme::{EmbeddedLazyThemeSet, EmbeddedThemeName};

/// Maximum bytes of a highlighted line. Some grammars are quadratic.
const MAX_LINE: usize = 1_000;
/// Maximum highlighted lines in a block.
const MAX_LINES: usize = 5_000;

/// Handle to the highlighter thread. The thread starts with the first code block and ends with the last handle.
#[derive(Clone)]
pub struct Highlighter {
    shared: Arc<HighlightQueue>,
}

struct HighlightQueue {
    sender: Mutex<Option<mpsc::Sender<HighlightJob>>>,
    /// Number of jobs that are not done yet.
    open_jobs: Arc<(Mutex<usize>, Condvar)>,
    wake: Arc<dyn Fn() + Send + Sync>,
}

/// A code block that is highlighted line by line.
#[derive(Clone)]
pub struct HighlightedBlock {
    inner: Arc<BlockState>,
    highlighter: Highlighter,
}

struct BlockState {
    language: String,
    theme: Theme,
    state: Mutex<GrammarState>,
    lines: Mutex<Vec<Vec<Span<'static>>>>,
    sent: Mutex<usize>,
    abandoned: AtomicBool,
}

enum GrammarState {
    New,
    Open(Box<HighlightLines<'static>>),
}

struct HighlightJob {
    block: Arc<BlockState>,
    line: String,
}

impl std::fmt::Debug for Highlighter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Highlighter")
    }
}

impl std::fmt::Debug for HighlightedBlock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Block({})", self.inner.language)
    }
}

impl Highlighter {
    /// Creates a handle. The thread calls `wake` whenever it has finished all jobs.
    pub fn new(wake: impl Fn() + Send + Sync + 'static) -> Highlighter {
        let open = Arc::new((Mutex::new(0), Condvar::new()));
        Highlighter {
            shared: Arc::new(HighlightQueue { sender: Mutex::new(None), open_jobs: open, wake: Arc::new(wake) }),
        }
    }

    /// Opens a code block. None if it can't be highlighted.
    pub fn open_block(&self, language: &str, theme: &Theme) -> Option<HighlightedBlock> {
        let colourless =
            theme.depth == ColourDepth::None || language.is_empty() || matches!(language, "text" | "txt" | "plain");
        if colourless {
            return None;
        }
        let inner = BlockState {
            language: language.to_string(),
            theme: *theme,
            state: Mutex::new(GrammarState::New),
            lines: Mutex::new(Vec::new()),
            sent: Mutex::new(0),
            abandoned: AtomicBool::new(false),
        };
        Some(HighlightedBlock { inner: Arc::new(inner), highlighter: self.clone() })
    }

    /// Waits until all jobs are done. Returns false if there were none.
    pub fn wait_idle(&self) -> bool {
        let (open, done) = &*self.shared.open_jobs;
        let mut left = open.lock_unpoisoned();
        if *left == 0 {
            return false;
        }
        while *left > 0 {
            left = done.wait_unpoisoned(left);
        }
        true
    }

    /// Like `wait`, with a deadline. Also returns false if jobs are left when it passes.
    pub fn wait_idle_until(&self, end: Instant) -> bool {
        let (open, done) = &*self.shared.open_jobs;
        let mut left = open.lock_unpoisoned();
        let waited = *left > 0;
        while *left > 0 {
            let Some(time) = end.checked_duration_since(Instant::now()).filter(|time| !time.is_zero()) else {
                return false;
            };
            left = done.wait_timeout(left, time).unwrap_or_else(PoisonError::into_inner).0;
        }
        waited
    }

    fn send_job(&self, job: HighlightJob) -> bool {
        let mut sender = self.shared.sender.lock_unpoisoned();
        if sender.is_none() {
            let (send, receive) = mpsc::channel();
            let (open, wake) = (self.shared.open_jobs.clone(), self.shared.wake.clone());
            let work = move || run_jobs(&receive, &open, &*wake);
            if std::thread::Builder::new().name("highlight".into()).spawn(work).is_err() {
                return false;
            }
            *sender = Some(send);
        }
        let (open, _) = &*self.shared.open_jobs;
        *open.lock_unpoisoned() += 1;
        let sent = sender.as_ref().is_some_and(|sender| sender.send(job).is_ok());
        if !sent {
            *open.lock_unpoisoned() -= 1;
        }
        sent
    }
}

impl HighlightedBlock {
    /// Adds the next line, sanitized and without its newline.
    pub fn push_line(&self, line: &str) {
        let mut sent = self.inner.sent.lock_unpoisoned();
        *sent += 1;
        let job = HighlightJob { block: self.inner.clone(), line: line.to_string() };
        if *sent > MAX_LINES || self.is_abandoned() || !self.highlighter.send_job(job) {
            self.inner.abandoned.store(true, Ordering::Relaxed);
        }
    }

    /// The highlighted line, or None while it is not ready.
    pub fn line(&self, number: usize) -> Option<Vec<Span<'static>>> {
        self.inner.lines.lock_unpoisoned().get(number).cloned()
    }

    /// Number of highlighted lines.
    pub fn finished_lines(&self) -> usize {
        self.inner.lines.lock_unpoisoned().len()
    }

    /// True if highlighting was given up: unknown language or too much code.
    pub fn is_abandoned(&self) -> bool {
        self.inner.abandoned.load(Ordering::Relaxed)
    }
}

fn run_jobs(jobs: &mpsc::Receiver<HighlightJob>, open: &(Mutex<usize>, Condvar), wake: &(dyn Fn() + Send + Sync)) {
    while let Ok(job) = jobs.recv() {
        if !job.block.abandoned.load(Ordering::Relaxed) {
            highlight_line(&job);
        }
        let (count, done) = open;
        let mut left = count.lock_unpoisoned();
        *left = left.saturating_sub(1);
        let idle = *left == 0;
        drop(left);
        if idle {
            done.notify_all();
            wake();
        }
    }
}

fn highlight_line(job: &HighlightJob) {
    let block = &job.block;
    let mut state = block.state.lock_unpoisoned();
    if matches!(*state, GrammarState::New) {
        match syntaxes().find_syntax_by_token(&block.language) {
            Some(syntax) => {
                *state = GrammarState::Open(Box::new(HighlightLines::new(syntax, syntax_theme(&block.theme))))
            }
            None => return block.abandoned.store(true, Ordering::Relaxed),
        }
    }
    let GrammarState::Open(lines) = &mut *state else { return };
    let spans = match job.line.len() > MAX_LINE {
        true => vec![Span::styled(job.line.clone(), block.theme.code_block)],
        false => match lines.highlight_line(&format!("{}\n", job.line), syntaxes()) {
            Ok(pieces) => pieces.iter().map(|(style, piece)| styled_span(*style, piece, &block.theme)).collect(),
            Err(_) => return block.abandoned.store(true, Ordering::Relaxed),
        },
    };
    block.lines.lock_unpoisoned().push(spans);
}

fn styled_span(style: syntect::highlighting::Style, piece: &str, theme: &Theme) -> Span<'static> {
    let mut shown = theme.code_block;
    // Backgrounds are not drawn: text that is readable only on its own background takes that colour (diffs).
    let color = [style.foreground, style.background].into_iter().find(|color| is_readable(*color, theme));
    if let Some(color) = color.and_then(convert_color).and_then(|color| theme.reduce_colour(color)) {
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

/// True if the colour differs enough from the terminal's background in a light or dark theme.
fn is_readable(color: syntect::highlighting::Color, theme: &Theme) -> bool {
    // Brightness from 0 to 1. An alpha below 2 marks a colour of the terminal's own palette.
    let parts = [(color.r, 0.299), (color.g, 0.587), (color.b, 0.114)];
    let brightness: f32 = parts.iter().map(|(part, weight)| f32::from(*part) / 255.0 * weight).sum();
    match theme.name {
        _ if color.a < 2 => true,
        ThemeName::Light => brightness < 0.75,
        ThemeName::Dark => brightness > 0.3,
        ThemeName::Ansi => true,
    }
}

/// Converts a theme colour. Terminal themes store a palette index in `r` and mark it with an alpha of 0.
fn convert_color(color: syntect::highlighting::Color) -> Option<Color> {
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

fn syntax_theme(theme: &Theme) -> &'static syntect::highlighting::Theme {
    static THEMES: OnceLock<EmbeddedLazyThemeSet> = OnceLock::new();
    let name = match (theme.name, theme.depth) {
        (ThemeName::Ansi, _) | (_, ColourDepth::None | ColourDepth::Sixteen) => EmbeddedThemeName::Ansi,
        (ThemeName::Dark, ColourDepth::Indexed | ColourDepth::True) => EmbeddedThemeName::OneHalfDark,
        (ThemeName::Light, ColourDepth::Indexed | ColourDepth::True) => EmbeddedThemeName::OneHalfLight,
    };
    THEMES.get_or_init(two_face::theme::extra).get(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::text;

    /// Highlights complete code and waits for the result.
    fn highlight_all(
        highlighter: &Highlighter,
        language: &str,
        code: &str,
        theme: &Theme,
    ) -> Option<Vec<Vec<Span<'static>>>> {
        let block = highlighter.open_block(language, theme)?;
        code.lines().for_each(|line| block.push_line(&text::visible(line)));
        while !block.is_abandoned() && highlighter.wait_idle() {}
        (0..code.lines().count()).map(|number| block.line(number)).collect()
    }

    #[test]
    fn ui_2_code_is_highlighted_on_another_thread() {
        let highlighter = Highlighter::new(|| {});
        let theme = Theme::default();
        let code = "fn main() {\n    let x = \"a\"; // why\n}";
        let lines = highlight_all(&highlighter, "rust", code, &theme).unwrap();
        let told: Vec<String> =
            lines.iter().map(|spans| spans.iter().map(|span| span.content.as_ref()).collect()).collect();
        assert_eq!(told.join("\n"), code);
        let colours: std::collections::HashSet<_> = lines.iter().flatten().map(|span| span.style.fg).collect();
        assert!(colours.len() > 2, "{colours:?}");
        assert!(highlight_all(&highlighter, "no such language", code, &theme).is_none());
        assert!(highlight_all(&highlighter, "rust", code, &Theme::new(ThemeName::Dark, ColourDepth::None)).is_none());
    }

    #[test]
    fn ui_10_diff_fences_are_readable_in_every_theme() {
        let highlighter = Highlighter::new(|| {});
        for name in [ThemeName::Light, ThemeName::Dark] {
            let theme = Theme::new(name, ColourDepth::True);
            let lines = highlight_all(&highlighter, "diff", "@@ -1 +1 @@\n-old\n+new\n same", &theme).unwrap();
            let colours: Vec<_> = lines.iter().map(|line| line.iter().find_map(|span| span.style.fg)).collect();
            for span in lines.iter().flatten() {
                let Some(Color::Rgb(r, g, b)) = span.style.fg else { continue };
                let color = syntect::highlighting::Color { r, g, b, a: 255 };
                assert!(is_readable(color, &theme), "{name:?}: {span:?}");
            }
            assert!(colours[1].is_some() && colours[1] != colours[2], "{name:?}: {colours:?}");
        }
    }

    #[test]
    fn ui_10_sixteen_colours_use_the_terminal_palette() {
        let highlighter = Highlighter::new(|| {});
        let theme = Theme::new(ThemeName::Dark, ColourDepth::Sixteen);
        let lines = highlight_all(&highlighter, "rs", "let x = 1;", &theme).unwrap();
        let colours: Vec<_> = lines.iter().flatten().filter_map(|span| span.style.fg).collect();
        assert!(colours.iter().all(|color| !matches!(color, Color::Rgb(..))), "{colours:?}");
        assert!(!colours.is_empty());
    }
}
