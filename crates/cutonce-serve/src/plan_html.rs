//! Renders a plan as HTML, one element per source line (RV-2). All text is escaped, and what hides or reorders text is
//! shown; nothing in a plan becomes markup (RV-5).

use cutonce_core::text::sanitize::{one_line, reveal_hidden};
use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use serde::Serialize;
use std::fmt::Write;
use std::ops::Range;

/// What the terminal understands.
const OPTIONS: Options = Options::ENABLE_TABLES.union(Options::ENABLE_STRIKETHROUGH).union(Options::ENABLE_TASKLISTS);
/// Deeper lists look like this.
const MAX_DEPTH: usize = 8;

/// Deeper emphasis is not marked: each line repeats what is open on it.
const MAX_OPEN: usize = 8;

/// A plan as HTML.
#[derive(Debug, Clone, Default)]
pub struct RenderedPlan {
    /// The elements of the lines.
    pub lines: Vec<String>,
    pub outline: Vec<OutlineEntry>,
}

impl RenderedPlan {
    /// About what it takes in memory.
    pub fn bytes(&self) -> usize {
        self.lines.iter().map(|line| line.len() + size_of::<String>()).sum()
    }
}

/// A heading.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OutlineEntry {
    pub line: usize,
    pub level: u8,
    pub text: String,
}

/// Escapes text for HTML content and quoted attributes, and shows what is hidden in it.
pub fn escape(text: &str) -> String {
    let shown = reveal_hidden(text);
    let mut out = String::with_capacity(shown.len() + 8);
    for c in shown.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// Renders all lines of a plan.
pub fn render_plan(text: &str) -> RenderedPlan {
    let mut renderer = LineRenderer::new(text);
    for (event, range) in Parser::new_ext(text, OPTIONS).into_offset_iter() {
        renderer.event(event, range);
    }
    renderer.finish()
}

#[derive(Default)]
struct LineParts {
    classes: &'static str,
    depth: usize,
    quoted: bool,
    html: String,
}

struct LineRenderer<'a> {
    text: &'a str,
    sources: Vec<&'a str>,
    /// Offsets at which lines begin.
    starts: Vec<usize>,
    lines: Vec<LineParts>,
    /// Open inline elements: what opens them on a further line, and what closes them.
    open: Vec<(&'static str, &'static str)>,
    /// Open elements that are not marked.
    unmarked: usize,
    quotes: usize,
    current: usize,
    /// The next number of each open list; `None` for bullets.
    lists: Vec<Option<u64>>,
    in_code: bool,
    /// Where links and images lead.
    targets: Vec<(String, String)>,
    heading: Option<OutlineEntry>,
    outline: Vec<OutlineEntry>,
}

impl<'a> LineRenderer<'a> {
    fn new(text: &'a str) -> LineRenderer<'a> {
        let sources: Vec<&str> = text.lines().collect();
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        LineRenderer {
            text,
            lines: sources.iter().map(|_| LineParts::default()).collect(),
            sources,
            starts,
            open: Vec::new(),
            unmarked: 0,
            quotes: 0,
            current: 0,
            lists: Vec::new(),
            in_code: false,
            targets: Vec::new(),
            heading: None,
            outline: Vec::new(),
        }
    }

    fn line_at(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset).saturating_sub(1)
    }

    /// The lines of a range, without a newline at its end.
    fn lines_of(&self, range: &Range<usize>) -> Range<usize> {
        let last = self.line_at(range.end.max(range.start + 1) - 1);
        self.line_at(range.start)..(last + 1).min(self.lines.len())
    }

    /// Adds HTML to a line. Open elements are closed on the last line and opened again on this one.
    fn push(&mut self, line: usize, html: &str) {
        if line != self.current {
            let closes: String = self.open.iter().rev().map(|(_, close)| *close).collect();
            let opens: String = self.open.iter().map(|(open, _)| *open).collect();
            if let Some(last) = self.lines.get_mut(self.current) {
                last.html.push_str(&closes);
            }
            self.current = line;
            if let Some(next) = self.lines.get_mut(line) {
                next.html.push_str(&opens);
            }
        }
        if let Some(next) = self.lines.get_mut(line) {
            next.html.push_str(html);
        }
    }

    fn open(&mut self, line: usize, html: &'static str, close: &'static str) {
        self.open_first(line, html, html, close);
    }

    /// Opens an element that looks different on its further lines.
    fn open_first(&mut self, line: usize, first: &str, further: &'static str, close: &'static str) {
        if self.open.len() >= MAX_OPEN {
            self.unmarked += 1;
            return;
        }
        self.push(line, first);
        self.open.push((further, close));
    }

    /// Closes the innermost element, on the line with the last text.
    fn close(&mut self) {
        if self.unmarked > 0 {
            self.unmarked -= 1;
        } else if let Some((_, close)) = self.open.pop() {
            self.push(self.current, close);
        }
    }

    fn classify(&mut self, lines: Range<usize>, classes: &'static str) {
        self.lines.get_mut(lines).into_iter().flatten().for_each(|line| line.classes = classes);
    }

    fn event(&mut self, event: Event, range: Range<usize>) {
        let line = self.line_at(range.start);
        match event {
            Event::Start(tag) => self.start(tag, &range),
            Event::End(tag) => self.end(tag),
            Event::Text(text) if self.in_code => self.push_lines(line, &text),
            Event::Text(text) => {
                self.push(line, &escape(&text));
                if let Some(heading) = &mut self.heading {
                    heading.text.push_str(&text);
                }
                if let Some((_, shown)) = self.targets.last_mut() {
                    shown.push_str(&text);
                }
            }
            Event::Code(text) => {
                if let Some(heading) = &mut self.heading {
                    heading.text.push_str(&text);
                }
                match self.lines_of(&range).len() {
                    0 | 1 => self.push(line, &format!("<code>{}</code>", escape(&text))),
                    _ => self.push_source(&range, "<code>", "</code>"),
                }
            }
            Event::Html(text) => {
                self.classify(self.lines_of(&range), "html");
                self.push_lines(line, &text);
            }
            Event::InlineHtml(_) => self.push_source(&range, "", ""),
            Event::TaskListMarker(done) => self.push(line, if done { "☑ " } else { "☐ " }),
            Event::Rule => self.classify(line..line + 1, "dim"),
            Event::FootnoteReference(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                self.push(line, &escape(&text));
            }
            Event::SoftBreak | Event::HardBreak => {}
        }
    }

    /// Adds text that may have several lines, from this line on.
    fn push_lines(&mut self, first: usize, text: &str) {
        for (at, part) in text.trim_end_matches('\n').split('\n').enumerate() {
            self.push(first + at, &escape(part.trim_end_matches('\r')));
        }
    }

    /// Adds a part of the source as it is.
    fn push_source(&mut self, range: &Range<usize>, open: &str, close: &str) {
        let Some(source) = self.text.get(range.clone()) else { return };
        let first = self.line_at(range.start);
        for (at, part) in source.split('\n').enumerate() {
            self.push(first + at, &format!("{open}{}{close}", escape(part.trim_end_matches('\r'))));
        }
    }

    fn start(&mut self, tag: Tag, range: &Range<usize>) {
        let line = self.line_at(range.start);
        match tag {
            Tag::Heading { level, .. } => {
                self.classify(line..line + 1, heading_class(level));
                self.heading = Some(OutlineEntry { line: line + 1, level: level as u8, text: String::new() });
            }
            Tag::BlockQuote(_) => {
                self.quotes += 1;
                // The lines of an inner quote are among them.
                if self.quotes == 1 {
                    let lines = self.lines_of(range);
                    self.lines.get_mut(lines).into_iter().flatten().for_each(|line| line.quoted = true);
                }
            }
            Tag::CodeBlock(kind) => {
                let lines = self.lines_of(range);
                self.in_code = true;
                self.classify(lines.clone(), "code");
                if let CodeBlockKind::Fenced(_) = kind {
                    let ends = [lines.start, lines.end.saturating_sub(1)];
                    ends.into_iter().for_each(|line| self.classify(line..line + 1, "code dim"));
                }
            }
            Tag::List(first) => self.lists.push(first),
            Tag::Item => self.start_item(line, range),
            // What is left of a table is the line under its head.
            Tag::Table(_) => self.classify(self.lines_of(range), "dim sep"),
            Tag::TableHead => self.classify(line..line + 1, "tr th"),
            Tag::TableRow => self.classify(line..line + 1, "tr"),
            Tag::TableCell => self.open(line, "<span class=\"cell\">", "</span>"),
            Tag::Emphasis => self.open(line, "<em>", "</em>"),
            Tag::Strong => self.open(line, "<strong>", "</strong>"),
            Tag::Strikethrough => self.open(line, "<del>", "</del>"),
            Tag::Link { dest_url, .. } => {
                self.targets.push((dest_url.to_string(), String::new()));
                match is_safe_link(&dest_url) {
                    true => self.open_link(line, &dest_url),
                    false => self.open(line, "<span class=\"link\">", "</span>"),
                }
            }
            Tag::Image { dest_url, .. } => {
                self.targets.push((dest_url.to_string(), String::new()));
                self.open(line, "<span class=\"image\">", "</span>");
                self.push(line, "image: ");
            }
            _ => {}
        }
    }

    /// Links don't nest. A long address is not repeated on further lines.
    fn open_link(&mut self, line: usize, url: &str) {
        let url = escape(url);
        let link = format!("<a href=\"{url}\" title=\"{url}\" target=\"_blank\" rel=\"noopener noreferrer nofollow\">");
        self.open_first(line, &link, "<a>", "</a>");
    }

    fn start_item(&mut self, line: usize, range: &Range<usize>) {
        let depth = self.lists.len();
        // A deeper item lies within the lines of the item at the maximum depth.
        if depth <= MAX_DEPTH {
            let lines = self.lines_of(range);
            self.lines.get_mut(lines).into_iter().flatten().for_each(|line| line.depth = depth);
        }
        let marker = match self.lists.last_mut() {
            Some(Some(number)) => {
                *number += 1;
                format!("{}.", *number - 1)
            }
            Some(None) | None => "•".into(),
        };
        self.push(line, &format!("<span class=\"mark\">{marker}</span> "));
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(_) => {
                if let Some(heading) = self.heading.take() {
                    self.outline.push(OutlineEntry { text: one_line(heading.text.trim()), ..heading });
                }
            }
            TagEnd::CodeBlock => self.in_code = false,
            TagEnd::BlockQuote(_) => self.quotes = self.quotes.saturating_sub(1),
            TagEnd::List(_) => drop(self.lists.pop()),
            TagEnd::TableCell | TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => self.close(),
            TagEnd::Link | TagEnd::Image => {
                self.close();
                if let Some((target, shown)) = self.targets.pop()
                    && target != shown
                    && !target.is_empty()
                {
                    self.push(self.current, &format!(" <span class=\"url\">({})</span>", escape(&target)));
                }
            }
            _ => {}
        }
    }

    fn finish(self) -> RenderedPlan {
        let mut lines = Vec::with_capacity(self.lines.len());
        for (number, (mut line, source)) in (1..).zip(self.lines.into_iter().zip(&self.sources)) {
            if line.html.is_empty() && !source.trim().is_empty() {
                // What renders as nothing is shown as it is: definitions, underlines, fences.
                line.html = escape(source);
                if !line.classes.starts_with("code") && !matches!(line.classes, "html" | "dim sep") {
                    line.classes = "dim";
                }
            }
            lines.push(line_element(number, &line));
        }
        RenderedPlan { lines, outline: self.outline }
    }
}

fn line_element(number: usize, line: &LineParts) -> String {
    let mut classes = String::from("l");
    if !line.classes.is_empty() {
        let _ = write!(classes, " {}", line.classes);
    }
    if line.depth > 0 {
        let _ = write!(classes, " d{}", line.depth);
    }
    if line.quoted {
        classes.push_str(" q");
    }
    format!(
        "<div class=\"{classes}\" data-line=\"{number}\"><button type=\"button\" class=\"n\" tabindex=\"-1\" \
         aria-label=\"Comment on line {number}\">{number}</button><div class=\"t\">{}</div></div>",
        line.html
    )
}

fn heading_class(level: HeadingLevel) -> &'static str {
    match level {
        HeadingLevel::H1 => "h h1",
        HeadingLevel::H2 => "h h2",
        HeadingLevel::H3 => "h h3",
        HeadingLevel::H4 | HeadingLevel::H5 | HeadingLevel::H6 => "h h4",
    }
}

/// Only web and mail links can be followed; a plan has no links into the page itself.
fn is_safe_link(url: &str) -> bool {
    let lower = url.trim_start().to_ascii_lowercase();
    ["https://", "http://", "mailto:"].iter().any(|scheme| lower.starts_with(scheme))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(line: &str) -> &str {
        let start = line.find("<div class=\"t\">").unwrap() + "<div class=\"t\">".len();
        &line[start..line.len() - "</div></div>".len()]
    }

    fn bodies(text: &str) -> Vec<String> {
        render_plan(text).lines.iter().map(|line| body(line).to_string()).collect()
    }

    #[test]
    fn rv_2_each_source_line_is_one_element() {
        let plan = "# Plan *x*\n\nA **bold\nword** and `code`\n\n1. one\n   - files: a.rs\n2. two\n\n```rust\nlet a = 1;\n\nlet b;\n```\n| a | b |\n|---|---|\n| 1 | 2 |\n\n[ref]: http://x\n";
        let rendered = render_plan(plan);
        assert_eq!(rendered.lines.len(), plan.lines().count());
        for (number, line) in rendered.lines.iter().enumerate() {
            assert!(line.contains(&format!("data-line=\"{}\"", number + 1)), "{line}");
            assert!(line.contains(&format!("aria-label=\"Comment on line {}\"", number + 1)), "{line}");
        }
        let shown = bodies(plan);
        assert_eq!(shown[0], "Plan <em>x</em>");
        assert_eq!(
            (shown[2].as_str(), shown[3].as_str()),
            ("A <strong>bold</strong>", "<strong>word</strong> and <code>code</code>")
        );
        assert_eq!(
            (shown[5].as_str(), shown[6].as_str()),
            ("<span class=\"mark\">1.</span> one", "<span class=\"mark\">•</span> files: a.rs")
        );
        assert_eq!((shown[9].as_str(), shown[10].as_str(), shown[12].as_str()), ("```rust", "let a = 1;", "let b;"));
        assert_eq!(shown[16], "<span class=\"cell\">1</span><span class=\"cell\">2</span>");
        assert_eq!(shown[18], "[ref]: http://x");
        assert_eq!(rendered.outline, [OutlineEntry { line: 1, level: 1, text: "Plan x".into() }]);
    }

    #[test]
    fn rv_5_plan_text_is_never_markup() {
        let hostile = [
            "<script>alert(1)</script>",
            "a <img src=x onerror=alert(1)> b",
            "[x](javascript:alert(1)) [y](data:text/html,<script>) [z](\"onmouseover=alert(1) )",
            "![x](http://evil.example/pixel.png)",
            "`<b>`",
            "    <i>indented</i>",
            "[l](http://a/\"><script>alert(1)</script>)",
            "# <svg/onload=alert(1)>",
            "| <b> | <script> |\n|--|--|\n| <i> | </div></div> |",
            "text \u{202e}gpj.exe \u{200b}hidden",
        ];
        let own = ["<code>", "</code>", "<em>", "</em>", "<strong>", "</strong>", "<del>", "</del>", "</span>", "</a>"];
        for text in hostile {
            for line in bodies(text) {
                let mut rest = line.as_str();
                while let Some(at) = rest.find('<') {
                    rest = &rest[at..];
                    let known = own.iter().any(|tag| rest.starts_with(tag))
                        || rest.starts_with("<span class=\"")
                        || rest.starts_with("<a href=\"http");
                    assert!(known, "{text}: {line}");
                    let end = rest.find('>').unwrap();
                    let tag = rest[..end].to_ascii_lowercase();
                    assert!(
                        !tag.contains("onerror") && !tag.contains("javascript:") && !tag.contains("src="),
                        "{line}"
                    );
                    rest = &rest[end..];
                }
            }
        }
        assert_eq!(bodies("a \u{202e}b")[0], "a \\u{202e}b");
    }

    /// A few kilobytes must not become gigabytes, nor take minutes.
    #[test]
    fn rv_5_hostile_nesting_stays_small() {
        let (words, url) = ("x\n".repeat(2_000), "u".repeat(2_000));
        let plans = [
            format!("{}\n{words}{}", "*a ".repeat(2_000), "a* ".repeat(2_000)),
            format!("[{words}](http://{url})"),
            format!("{}{words}", "- ".repeat(2_000)),
            format!("{}{words}", ">".repeat(2_000)),
            format!("{}\n{words}{}", "![".repeat(2_000), "](a)".repeat(2_000)),
        ];
        for plan in plans {
            let rendered: usize = render_plan(&plan).lines.iter().map(String::len).sum();
            assert!(rendered < 2_000_000, "{}: {rendered}", &plan[..9]);
        }
    }

    #[test]
    fn rv_2_elements_are_closed_on_every_line() {
        let plan = "*a\nb **c\nd** e* [l\nm](http://x/y) `co\nde` <b\nx> ~~s\nt~~\n> q\n> *r\n> s*\n";
        for line in render_plan(plan).lines {
            for tag in ["em", "strong", "del", "span", "a", "code", "div", "button"] {
                let opens = line.matches(&format!("<{tag}>")).count() + line.matches(&format!("<{tag} ")).count();
                assert_eq!(opens, line.matches(&format!("</{tag}>")).count(), "{tag}: {line}");
            }
        }
    }
}
