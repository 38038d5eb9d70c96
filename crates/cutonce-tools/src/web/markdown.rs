//! Converts HTML to markdown in one pass over its tokens (TL-9).
//!
//! There is no tree and no recursion, so that a hostile page can't exhaust the stack: a stack overflow ends the whole
//! program, not only the call. Work and output are linear in the size of the page.

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::{Rawtext, Rcdata, ScriptData};
use html5ever::tokenizer::{BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer};
use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering};

/// Tags without readable content.
const SKIPPED_TAGS: [&str; 7] = ["template", "svg", "canvas", "object", "math", "select", "datalist"];
/// Tags whose content is not markup and not shown.
const RAW_TAGS: [&str; 6] = ["style", "noscript", "iframe", "noembed", "noframes", "xmp"];
/// Tags around which a blank line belongs.
const BLOCK_TAGS: [&str; 11] =
    ["p", "table", "dl", "figure", "form", "fieldset", "details", "article", "section", "main", "blockquote"];
/// Tags that start and end a line.
const LINE_TAGS: [&str; 16] = [
    "div",
    "header",
    "footer",
    "nav",
    "aside",
    "address",
    "tr",
    "caption",
    "dt",
    "dd",
    "figcaption",
    "summary",
    "legend",
    "option",
    "body",
    "html",
];
/// Maximum levels of lists and quotes that indent a line, so that deep nesting costs no more than plain text.
const MAX_INDENT: usize = 8;
/// Maximum length of a link's address.
const MAX_ADDRESS: usize = 2_000;
/// Bytes between two looks at `stop`.
const CHUNK: usize = 1 << 10;

/// Converts a page; `None` if `stop` was set before the end.
pub(super) fn to_markdown(html: &str, stop: &AtomicBool) -> Option<String> {
    let tokenizer = Tokenizer::new(MarkdownSink::default(), Default::default());
    let input = BufferQueue::default();
    let mut rest = html;
    while !rest.is_empty() {
        if stop.load(Ordering::Relaxed) {
            return None;
        }
        let (chunk, after) = rest.split_at(rest.floor_char_boundary(CHUNK.max(4)));
        rest = after;
        input.push_back(StrTendril::from(chunk));
        let _ = tokenizer.feed(&input);
    }
    tokenizer.end();
    Some(tokenizer.sink.0.into_inner().finish())
}

#[derive(Default)]
struct MarkdownSink(RefCell<MarkdownWriter>);

impl TokenSink for MarkdownSink {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let mut writer = self.0.borrow_mut();
        match token {
            Token::CharacterTokens(text) => writer.text(&text),
            Token::TagToken(tag) if tag.kind == TagKind::EndTag => writer.end_tag(&tag.name),
            Token::TagToken(tag) => {
                let name = &*tag.name;
                writer.start_tag(&tag);
                if name == "script" {
                    return TokenSinkResult::RawData(ScriptData);
                } else if RAW_TAGS.contains(&name) {
                    return TokenSinkResult::RawData(Rawtext);
                } else if matches!(name, "title" | "textarea") {
                    return TokenSinkResult::RawData(Rcdata);
                } else if name == "plaintext" {
                    return TokenSinkResult::Plaintext;
                }
            }
            Token::DoctypeToken(_)
            | Token::CommentToken(_)
            | Token::NullCharacterToken
            | Token::EOFToken
            | Token::ParseError(_) => {}
        }
        TokenSinkResult::Continue
    }
}

/// Writes markdown; spaces, line breaks and opening marks wait until text follows them.
#[derive(Default)]
struct MarkdownWriter {
    out: String,
    space: bool,
    /// Line breaks before the next text.
    breaks: usize,
    /// Marks before the next text, with the tag that they belong to.
    marks: Vec<(String, String)>,
    /// The tag whose content is skipped, and how often it is open.
    skipped: Option<(String, usize)>,
    /// The open lists: the next number, or `None` for bullets.
    lists: Vec<Option<usize>>,
    quotes: usize,
    bold: usize,
    italic: usize,
    code: usize,
    /// The address of the open link.
    link: Option<String>,
    /// Inside `<pre>`; the language until its fence is written.
    preformatted: bool,
    fence: Option<String>,
    /// Cells of the current row, whether all are headers, and where the row starts.
    cells: usize,
    headers: usize,
    row_start: usize,
}

impl MarkdownWriter {
    fn finish(mut self) -> String {
        self.end_preformatted();
        self.end_link();
        self.out.truncate(self.out.trim_end().len());
        self.out
    }

    fn text(&mut self, text: &str) {
        if self.skipped.is_some() {
            return;
        }
        if self.preformatted {
            return self.preformatted_text(text);
        }
        for word in text.split_inclusive(|c: char| c.is_ascii_whitespace()) {
            let bare = word.trim_end_matches(|c: char| c.is_ascii_whitespace());
            if !bare.is_empty() {
                self.open_line();
                self.out.push_str(bare);
            }
            self.space |= bare.len() < word.len();
        }
    }

    /// Writes what waits before text: line breaks with their indentation, or a space, then marks.
    fn open_line(&mut self) {
        if self.breaks > 0 || self.out.is_empty() {
            let breaks = if self.out.is_empty() { 0 } else { self.breaks };
            (0..breaks).for_each(|_| self.out.push('\n'));
            self.indent();
        } else if self.space {
            self.out.push(' ');
        }
        (self.breaks, self.space) = (0, false);
        for (_, mark) in std::mem::take(&mut self.marks) {
            self.out.push_str(&mark);
        }
    }

    fn indent(&mut self) {
        (0..self.quotes.min(MAX_INDENT)).for_each(|_| self.out.push_str("> "));
        // The marker of an item is one of its marks.
        (1..self.lists.len().min(MAX_INDENT)).for_each(|_| self.out.push_str("  "));
    }

    fn preformatted_text(&mut self, text: &str) {
        let mut text = text;
        if let Some(language) = self.fence.take() {
            text = text.strip_prefix('\n').unwrap_or(text);
            self.open_line();
            self.out.push_str("```");
            self.out.push_str(&language);
            self.out.push('\n');
            self.indent();
        }
        for (at, line) in text.split('\n').enumerate() {
            if at > 0 {
                self.out.push('\n');
                self.indent();
            }
            self.out.push_str(line);
        }
    }

    fn end_preformatted(&mut self) {
        if std::mem::take(&mut self.preformatted) && self.fence.take().is_none() {
            if !self.out.ends_with('\n') {
                self.out.push('\n');
                self.indent();
            }
            self.out.push_str("```");
        }
    }

    fn new_line(&mut self, breaks: usize) {
        if !self.preformatted {
            self.breaks = self.breaks.max(breaks);
        }
    }

    fn start_tag(&mut self, tag: &Tag) {
        let name = &*tag.name;
        if let Some((skipped, open)) = &mut self.skipped {
            *open += usize::from(skipped == name);
            return;
        }
        if name == "script" || RAW_TAGS.contains(&name) || name == "title" || SKIPPED_TAGS.contains(&name) {
            if !(tag.self_closing && matches!(name, "svg" | "math")) {
                self.skipped = Some((name.to_string(), 1));
            }
            return;
        }
        self.start_block(tag, name);
        self.start_inline(tag, name);
    }

    fn start_block(&mut self, tag: &Tag, name: &str) {
        match name {
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                self.new_line(2);
                let level = name.bytes().last().map_or(1, |digit| usize::from(digit - b'0'));
                self.mark(name, format!("{} ", "#".repeat(level)));
            }
            "ul" | "ol" | "menu" => {
                self.new_line(if self.lists.is_empty() { 2 } else { 1 });
                let first = attribute(tag, "start").and_then(|start| start.parse().ok()).unwrap_or(1);
                self.lists.push((name == "ol").then_some(first));
            }
            "li" => {
                self.new_line(1);
                self.marks.retain(|(of, _)| of != "li");
                let marker = match self.lists.last_mut() {
                    Some(Some(number)) => {
                        let marker = format!("{number}. ");
                        *number = number.saturating_add(1);
                        marker
                    }
                    Some(None) | None => "- ".to_string(),
                };
                self.mark("li", marker);
            }
            "pre" => {
                self.new_line(2);
                self.preformatted = true;
                self.fence = Some(language(tag));
            }
            "tr" => self.end_row(),
            "td" | "th" => self.start_cell(name == "th"),
            "br" if self.preformatted => self.preformatted_text("\n"),
            "br" => self.new_line(1),
            "hr" => {
                self.new_line(2);
                self.text("---");
                self.new_line(2);
            }
            _ => {}
        }
        if name == "blockquote" {
            self.quotes += 1;
        }
        self.block_boundary(name);
    }

    fn start_inline(&mut self, tag: &Tag, name: &str) {
        match name {
            "b" | "strong" => {
                self.bold += 1;
                if self.bold == 1 {
                    self.mark("b", "**".into());
                }
            }
            "i" | "em" => {
                self.italic += 1;
                if self.italic == 1 {
                    self.mark("i", "*".into());
                }
            }
            "code" | "kbd" | "samp" | "tt" if !self.preformatted => {
                self.code += 1;
                if self.code == 1 {
                    self.mark("code", "`".into());
                }
            }
            "code" => {
                if let Some(fence) = self.fence.as_mut().filter(|fence| fence.is_empty()) {
                    *fence = language(tag);
                }
            }
            "a" => {
                self.end_link();
                let address = attribute(tag, "href").map(str::trim).filter(|address| is_shown(address));
                if let Some(address) = address.filter(|_| !self.preformatted && self.code == 0) {
                    self.link = Some(address.to_string());
                    self.mark("a", "[".into());
                }
            }
            "img" => {
                let words = attribute(tag, "alt").unwrap_or_default();
                match attribute(tag, "src").map(str::trim).filter(|source| is_shown(source)) {
                    Some(source) if !self.preformatted => self.text(&format!("![{words}]({source})")),
                    _ => self.text(words),
                }
            }
            _ => {}
        }
    }

    fn end_tag(&mut self, name: &str) {
        if let Some((skipped, open)) = &mut self.skipped {
            *open -= usize::from(skipped == name);
            if *open == 0 {
                self.skipped = None;
            }
            return;
        }
        match name {
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                self.close_mark(name, "");
                self.new_line(2);
            }
            "ul" | "ol" | "menu" => {
                self.lists.pop();
                self.new_line(if self.lists.is_empty() { 2 } else { 1 });
            }
            "li" => {
                self.close_mark("li", "");
                self.new_line(1);
            }
            "pre" => {
                self.end_preformatted();
                self.new_line(2);
            }
            "blockquote" => self.quotes = self.quotes.saturating_sub(1),
            "tr" | "table" => self.end_row(),
            "b" | "strong" if self.bold > 0 => {
                self.bold -= 1;
                if self.bold == 0 {
                    self.close_mark("b", "**");
                }
            }
            "i" | "em" if self.italic > 0 => {
                self.italic -= 1;
                if self.italic == 0 {
                    self.close_mark("i", "*");
                }
            }
            "code" | "kbd" | "samp" | "tt" if !self.preformatted && self.code > 0 => {
                self.code -= 1;
                if self.code == 0 {
                    self.close_mark("code", "`");
                }
            }
            "a" => self.end_link(),
            _ => {}
        }
        self.block_boundary(name);
    }

    fn block_boundary(&mut self, name: &str) {
        if BLOCK_TAGS.contains(&name) {
            self.new_line(2);
        } else if LINE_TAGS.contains(&name) {
            self.new_line(1);
        }
    }

    fn mark(&mut self, tag: &str, mark: String) {
        // An unclosed tag without text would add marks without end.
        if !self.marks.iter().any(|(of, _)| of == tag) {
            self.marks.push((tag.to_string(), mark));
        }
    }

    /// Ends a mark: without text since its start, it disappears.
    fn close_mark(&mut self, tag: &str, closing: &str) {
        let waiting = self.marks.len();
        self.marks.retain(|(of, _)| of != tag);
        if self.marks.len() == waiting {
            self.out.push_str(closing);
        }
    }

    fn end_link(&mut self) {
        if let Some(address) = self.link.take() {
            self.close_mark("a", &format!("]({address})"));
        }
    }

    fn start_cell(&mut self, header: bool) {
        if self.cells == 0 {
            self.row_start = self.out.len();
        } else if self.breaks == 0 {
            // Without a break since the cell before, both are on one line.
            self.text(" | ");
        }
        self.cells += 1;
        self.headers += usize::from(header);
    }

    /// A row of headers on one line is followed by the line that makes it a table's head.
    fn end_row(&mut self) {
        let (cells, headers) = (std::mem::take(&mut self.cells), std::mem::take(&mut self.headers));
        let row = self.out.get(self.row_start..).unwrap_or_default().trim_start();
        if cells > 1 && headers == cells && !row.is_empty() && !row.contains('\n') {
            self.new_line(1);
            self.text(&vec!["---"; cells.min(100)].join(" | "));
            self.new_line(1);
        }
        self.row_start = self.out.len();
    }
}

fn attribute<'a>(tag: &'a Tag, name: &str) -> Option<&'a str> {
    tag.attrs.iter().find(|attribute| &*attribute.name.local == name).map(|attribute| &*attribute.value)
}

/// Leaves out addresses that carry their data or run code.
fn is_shown(address: &str) -> bool {
    let scheme = address.get(..11).unwrap_or(address).to_ascii_lowercase();
    !address.is_empty()
        && address.len() <= MAX_ADDRESS
        && !address.contains(['\n', '\r'])
        && !["data:", "javascript:"].iter().any(|start| scheme.starts_with(start))
}

/// The language of a code block, from a class such as `language-rust`.
fn language(tag: &Tag) -> String {
    let classes = attribute(tag, "class").unwrap_or_default().split_ascii_whitespace();
    let named = classes.filter_map(|class| class.strip_prefix("language-").or_else(|| class.strip_prefix("lang-")));
    named
        .filter(|name| name.len() <= 20 && name.chars().all(|c| c.is_alphanumeric() || "+-#".contains(c)))
        .take(1)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn markdown(html: &str) -> String {
        to_markdown(html, &AtomicBool::new(false)).unwrap()
    }

    #[test]
    fn tl_9_elements_become_markdown() {
        for (html, expected) in [
            ("<h2> Two <em>words</em></h2><p>Text\n  here</p>", "## Two *words*\n\nText here"),
            ("<p>A <b>bold</b>, <i></i>empty and <code>a_b</code></p>", "A **bold**, empty and `a_b`"),
            ("<ul><li>one<ul><li>inner</li></ul></li><li>two</li></ul>x", "- one\n  - inner\n- two\n\nx"),
            ("<ol start=3><li>a<li>b</ol>", "3. a\n4. b"),
            (
                "<pre><code class=\"language-rust\">\nfn a() {\n    1\n}\n</code></pre>after",
                "```rust\nfn a() {\n    1\n}\n```\n\nafter",
            ),
            ("<blockquote><p>said</p><p>more</p></blockquote>me", "> said\n\n> more\n\nme"),
            (
                "<a href='/x'><img alt=i src=/i.png></a> <a>none</a> <a href='javascript:1'>js</a>",
                "[![i](/i.png)](/x) none js",
            ),
            ("<table><tr><th>A<th>B</tr><tr><td>1</td><td>2</td></tr></table>", "A | B\n--- | ---\n1 | 2"),
            ("a<br>b<hr>c", "a\nb\n\n---\n\nc"),
            ("&lt;b&gt; &amp; &eacute;", "<b> & é"),
            ("<title>t</title>x<script>if (a<b) {}</script><svg><text>no</text></svg><svg/>y<!-- <p>no</p> -->", "xy"),
            ("</b></a></li></ul></pre></blockquote>x", "x"),
        ] {
            assert_eq!(markdown(html), expected, "{html}");
        }
    }

    #[test]
    fn tl_9_hostile_nesting_ends_in_text() {
        for part in [
            "<x></>",
            "<x><!--</x>-->",
            "<div>",
            "<ul><li>",
            "<blockquote>",
            "<b a=1><p>",
            "<table><tr><td>",
            "<a href=x>",
            "<h1>",
            "<pre>",
            "<svg>",
            "<select>",
            "<li>",
            "<i></b>",
        ] {
            let page = format!("words {}", part.repeat(200_000));
            let text = markdown(&page);
            assert!(text.starts_with("words") && text.len() < 8 * page.len(), "{part}: {}", text.len());
        }
    }

    #[test]
    fn tl_9_conversion_stops_on_request() {
        assert_eq!(to_markdown("<p>x", &AtomicBool::new(true)), None);
    }
}
