//! Front matter: the lines between two `---` at the top of a markdown file, with keys and text or list
//! values. Accepts the common part of YAML: lenient where YAML surprises users (a colon in a description is
//! text), strict where a mistake would go unnoticed. Errors name the line.

/// A file split into front matter fields and body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MarkdownDocument {
    pub fields: Vec<FrontMatterField>,
    pub body: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrontMatterField {
    pub key: String,
    pub value: FieldValue,
    /// Line number, starting at 1.
    pub line: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldValue {
    Text(String),
    List(Vec<String>),
}

/// An error with its line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct FrontMatterError {
    pub line: usize,
    pub message: String,
}

impl FrontMatterError {
    pub fn new(line: usize, what: impl Into<String>) -> FrontMatterError {
        FrontMatterError { line, message: what.into() }
    }
}

impl FieldValue {
    /// The items of a list or of a comma-separated text.
    pub fn items(&self) -> Vec<String> {
        let items = match self {
            FieldValue::Text(text) => split_items(text),
            FieldValue::List(items) => items.iter().map(String::as_str).collect(),
        };
        items.into_iter().map(|item| item.trim().to_string()).filter(|item| !item.is_empty()).collect()
    }
}

/// Splits at commas, except in parentheses: `Bash(git log:*, x)` is one item.
fn split_items(text: &str) -> Vec<&str> {
    let mut depth = 0usize;
    text.split(|c: char| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    })
    .collect()
}

/// Parses a file; `Ok(None)` if it has no front matter.
pub fn parse_front_matter(text: &str) -> Result<Option<MarkdownDocument>, FrontMatterError> {
    let lines = lines_of(text);
    if lines.first().is_none_or(|first| !is_fence(first)) {
        return Ok(None);
    }
    let Some(end) = closing_line(&lines) else {
        return Err(FrontMatterError::new(1, "expected a line `---` that closes the front matter, got none"));
    };
    let fields = FrontMatterLines { lines: &lines[..end], at: 1 }.parse_fields()?;
    Ok(Some(MarkdownDocument { fields, body: lines[end + 1..].join("\n").trim().to_string() }))
}

/// The text without its front matter, even if that has errors. All of it, if no line closes the front matter.
pub fn text_below_front_matter(text: &str) -> String {
    lines_of(text)[front_matter_lines(text)..].join("\n").trim().to_string()
}

/// How many lines the front matter has, with those that open and close it; 0 if there is none or no line closes it.
pub fn front_matter_lines(text: &str) -> usize {
    let lines = lines_of(text);
    lines.first().filter(|first| is_fence(first)).and_then(|_| closing_line(&lines)).map_or(0, |end| end + 1)
}

fn lines_of(text: &str) -> Vec<&str> {
    text.trim_start_matches('\u{feff}').lines().collect()
}

fn is_fence(line: &str) -> bool {
    line.trim_end() == "---"
}

/// The index of the line that closes the front matter.
fn closing_line(lines: &[&str]) -> Option<usize> {
    lines.iter().skip(1).position(|line| is_fence(line)).map(|at| at + 1)
}

struct FrontMatterLines<'a> {
    lines: &'a [&'a str],
    at: usize,
}

impl<'a> FrontMatterLines<'a> {
    fn parse_fields(mut self) -> Result<Vec<FrontMatterField>, FrontMatterError> {
        let mut fields: Vec<FrontMatterField> = Vec::new();
        while let Some(line) = self.lines.get(self.at).copied() {
            let number = self.at + 1;
            self.at += 1;
            if line.trim().is_empty() || line.trim_start().starts_with('#') {
                continue;
            }
            let (key, rest) = split_key(line).ok_or_else(|| {
                FrontMatterError::new(number, format!("expected `key: value`, got `{}`", shorten_line(line)))
            })?;
            if let Some(known) = fields.iter().find(|field| field.key == key) {
                return Err(FrontMatterError::new(
                    number,
                    format!("`{key}` is given twice, first in line {}", known.line),
                ));
            }
            let value = self.parse_value(rest.trim(), number)?;
            fields.push(FrontMatterField { key: key.to_string(), value, line: number });
        }
        Ok(fields)
    }

    fn parse_value(&mut self, rest: &str, number: usize) -> Result<FieldValue, FrontMatterError> {
        match rest {
            "" => Ok(self.parse_list_or_text()),
            "|" | "|-" | "|+" => Ok(FieldValue::Text(self.take_indented().join("\n").trim().to_string())),
            ">" | ">-" | ">+" => Ok(FieldValue::Text(fold_lines(&self.take_indented()))),
            _ if rest.starts_with('[') => {
                let inner = rest.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
                let inner =
                    inner.ok_or_else(|| FrontMatterError::new(number, "expected `]` at the end of the list"))?;
                split_items(inner)
                    .into_iter()
                    .map(|item| unquote(item.trim(), number))
                    .collect::<Result<_, _>>()
                    .map(FieldValue::List)
            }
            _ => {
                let mut text = unquote(rest, number)?;
                for line in self.take_indented() {
                    text.push(' ');
                    text.push_str(line.trim());
                }
                Ok(FieldValue::Text(text.trim().to_string()))
            }
        }
    }

    /// Reads the indented lines below a key without a value.
    fn parse_list_or_text(&mut self) -> FieldValue {
        let mut lines = self.take_indented();
        // A list may also be unindented.
        while let Some(line) = self.lines.get(self.at).filter(|line| line.starts_with("- ")) {
            lines.push(line);
            self.at += 1;
        }
        let item = |line: &&str| line.trim().strip_prefix('-').map(|item| item.trim().to_string());
        let some: Vec<&str> = lines.iter().copied().filter(|line| !line.trim().is_empty()).collect();
        match some.iter().map(item).collect::<Option<Vec<_>>>() {
            Some(items) if !items.is_empty() => {
                FieldValue::List(items.into_iter().map(|item| item.trim_matches(['"', '\'']).to_string()).collect())
            }
            _ => FieldValue::Text(fold_lines(&some)),
        }
    }

    fn take_indented(&mut self) -> Vec<&'a str> {
        let below = |line: &&&str| line.starts_with([' ', '\t']) || line.trim().is_empty();
        let lines: Vec<&str> = self.lines[self.at.min(self.lines.len())..].iter().take_while(below).copied().collect();
        self.at += lines.len();
        lines
    }
}

fn fold_lines(lines: &[&str]) -> String {
    lines.iter().map(|line| line.trim()).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

fn split_key(line: &str) -> Option<(&str, &str)> {
    let (key, rest) = line.split_once(':')?;
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    (!key.is_empty() && key.chars().all(plain)).then_some((key, rest))
}

fn unquote(text: &str, number: usize) -> Result<String, FrontMatterError> {
    let open = |quote: char| text.strip_prefix(quote).map(|rest| (rest, rest.strip_suffix(quote)));
    match (open('"'), open('\'')) {
        (Some((_, Some(_))), _) => serde_json::from_str(text).map_err(|error| {
            FrontMatterError::new(
                number,
                format!("expected a text in double quotes, got `{}` ({error})", shorten_line(text)),
            )
        }),
        (_, Some((_, Some(inner)))) => Ok(inner.replace("''", "'")),
        (Some((_, None)), _) | (_, Some((_, None))) => Err(FrontMatterError::new(number, "expected a closing quote")),
        (None, None) => Ok(text.to_string()),
    }
}

fn shorten_line(line: &str) -> String {
    crate::text::sanitize::one_line(line).chars().take(60).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[(&str, FieldValue, usize)], body: &str) {
        let document = parse_front_matter(text).unwrap().unwrap();
        let fields: Vec<_> = document.fields.iter().map(|f| (f.key.as_str(), f.value.clone(), f.line)).collect();
        assert_eq!((fields.as_slice(), document.body.as_str()), (expected, body), "{text}");
    }
    fn text(text: &str) -> FieldValue {
        FieldValue::Text(text.into())
    }
    fn list(items: &[&str]) -> FieldValue {
        FieldValue::List(items.iter().map(|item| item.to_string()).collect())
    }

    #[test]
    fn sa_3_common_front_matter_is_parsed() {
        check(
            "---\nname: a\ndescription: Use: when, \"x\"\n---\nBody\n",
            &[("name", text("a"), 2), ("description", text("Use: when, \"x\""), 3)],
            "Body",
        );
        check(
            "---\r\n# note\r\na: \"q \\n w\"\r\nb: 'it''s'\r\n---\r\n",
            &[("a", text("q \n w"), 3), ("b", text("it's"), 4)],
            "",
        );
        check(
            "---\na: [x, \"y\"]\nb:\n  - one\n  - 'two'\nc:\n- z\nd: last\n---\n",
            &[
                ("a", list(&["x", "y"]), 2),
                ("b", list(&["one", "two"]), 3),
                ("c", list(&["z"]), 6),
                ("d", text("last"), 8),
            ],
            "",
        );
        check(
            "---\na: |\n  one\n  two\nb: >\n  one\n  two\nc: one\n  two\n---\n\nx\n---\ny",
            &[("a", text("one\n  two"), 2), ("b", text("one two"), 5), ("c", text("one two"), 8)],
            "x\n---\ny",
        );
        assert_eq!(parse_front_matter("no front matter"), Ok(None));
        assert_eq!(text("Read, Grep ,").items(), ["Read", "Grep"]);
    }

    #[test]
    fn sa_3_front_matter_errors_name_their_line() {
        for (text, line, words) in [
            ("---\nname: a\n", 1, "closes the front matter"),
            ("---\nname: a\nwhat is this\n---\n", 3, "expected `key: value`, got `what is this`"),
            ("---\nname: \"a\n---\n", 2, "closing quote"),
            ("---\ntools: [a, b\n---\n", 2, "expected `]`"),
            ("---\na: 1\na: 2\n---\n", 3, "first in line 2"),
        ] {
            let fault = parse_front_matter(text).unwrap_err();
            assert!(fault.line == line && fault.message.contains(words), "{fault}");
        }
    }

    proptest::proptest! {
        /// Files may be hostile: no input makes the parser panic or hang.
        #[test]
        fn sa_3_parser_accepts_or_rejects_any_text(text in "(---\n)?([a-z]{0,3}:? ?[\\[\\]|>\"'\\- \tä]{0,5}\n){0,8}(---\n)?.{0,9}") {
            let _ = parse_front_matter(&text);
        }
    }
}
