//! The lines between two `---` at the top of a markdown file: keys with a text or a list. The part of YAML that people
//! write there, read leniently where YAML would surprise them (a colon in a description is text), strictly where a
//! mistake would go unseen; a fault names its line.

/// A file taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    pub fields: Vec<Field>,
    pub body: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    pub key: String,
    pub value: Value,
    /// From 1.
    pub line: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    Text(String),
    List(Vec<String>),
}

/// What is wrong in which line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct Fault {
    pub line: usize,
    pub what: String,
}

impl Fault {
    pub fn new(line: usize, what: impl Into<String>) -> Fault {
        Fault { line, what: what.into() }
    }
}

impl Value {
    /// A list, or a text that lists by commas.
    pub fn items(&self) -> Vec<String> {
        let clean = |item: &str| Some(item.trim().to_string()).filter(|item| !item.is_empty());
        match self {
            Value::Text(text) => text.split(',').filter_map(clean).collect(),
            Value::List(items) => items.iter().filter_map(|item| clean(item)).collect(),
        }
    }
}

/// `Ok(None)`: the file has no front matter.
pub fn parse(text: &str) -> Result<Option<Document>, Fault> {
    let text = text.trim_start_matches('\u{feff}');
    let lines: Vec<&str> = text.lines().collect();
    if lines.first().is_none_or(|first| first.trim_end() != "---") {
        return Ok(None);
    }
    let Some(end) = lines.iter().skip(1).position(|line| line.trim_end() == "---").map(|at| at + 1) else {
        return Err(Fault::new(1, "expected a line `---` that closes the front matter, got none"));
    };
    let fields = Lines { lines: &lines[..end], at: 1 }.fields()?;
    Ok(Some(Document { fields, body: lines[end + 1..].join("\n").trim().to_string() }))
}

struct Lines<'a> {
    lines: &'a [&'a str],
    at: usize,
}

impl<'a> Lines<'a> {
    fn fields(mut self) -> Result<Vec<Field>, Fault> {
        let mut fields: Vec<Field> = Vec::new();
        while let Some(line) = self.lines.get(self.at).copied() {
            let number = self.at + 1;
            self.at += 1;
            if line.trim().is_empty() || line.trim_start().starts_with('#') {
                continue;
            }
            let (key, rest) = key_of(line)
                .ok_or_else(|| Fault::new(number, format!("expected `key: value`, got `{}`", brief(line))))?;
            if let Some(known) = fields.iter().find(|field| field.key == key) {
                return Err(Fault::new(number, format!("`{key}` is given twice, first in line {}", known.line)));
            }
            let value = self.value(rest.trim(), number)?;
            fields.push(Field { key: key.to_string(), value, line: number });
        }
        Ok(fields)
    }

    fn value(&mut self, rest: &str, number: usize) -> Result<Value, Fault> {
        match rest {
            "" => Ok(self.list_or_text()),
            "|" | "|-" | "|+" => Ok(Value::Text(self.indented().join("\n").trim().to_string())),
            ">" | ">-" | ">+" => Ok(Value::Text(folded(&self.indented()))),
            _ if rest.starts_with('[') => {
                let inner = rest.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
                let inner = inner.ok_or_else(|| Fault::new(number, "expected `]` at the end of the list"))?;
                inner.split(',').map(|item| unquoted(item.trim(), number)).collect::<Result<_, _>>().map(Value::List)
            }
            _ => {
                let mut text = unquoted(rest, number)?;
                for line in self.indented() {
                    text.push(' ');
                    text.push_str(line.trim());
                }
                Ok(Value::Text(text.trim().to_string()))
            }
        }
    }

    /// What is indented below a key without a value.
    fn list_or_text(&mut self) -> Value {
        let mut lines = self.indented();
        // A list may also stand without indentation.
        while let Some(line) = self.lines.get(self.at).filter(|line| line.starts_with("- ")) {
            lines.push(line);
            self.at += 1;
        }
        let item = |line: &&str| line.trim().strip_prefix('-').map(|item| item.trim().to_string());
        let some: Vec<&str> = lines.iter().copied().filter(|line| !line.trim().is_empty()).collect();
        match some.iter().map(item).collect::<Option<Vec<_>>>() {
            Some(items) if !items.is_empty() => {
                Value::List(items.into_iter().map(|item| item.trim_matches(['"', '\'']).to_string()).collect())
            }
            _ => Value::Text(folded(&some)),
        }
    }

    fn indented(&mut self) -> Vec<&'a str> {
        let below = |line: &&&str| line.starts_with([' ', '\t']) || line.trim().is_empty();
        let lines: Vec<&str> = self.lines[self.at.min(self.lines.len())..].iter().take_while(below).copied().collect();
        self.at += lines.len();
        lines
    }
}

fn folded(lines: &[&str]) -> String {
    lines.iter().map(|line| line.trim()).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

fn key_of(line: &str) -> Option<(&str, &str)> {
    let (key, rest) = line.split_once(':')?;
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    (!key.is_empty() && key.chars().all(plain)).then_some((key, rest))
}

fn unquoted(text: &str, number: usize) -> Result<String, Fault> {
    let open = |quote: char| text.strip_prefix(quote).map(|rest| (rest, rest.strip_suffix(quote)));
    match (open('"'), open('\'')) {
        (Some((_, Some(_))), _) => serde_json::from_str(text).map_err(|error| {
            Fault::new(number, format!("expected a text in double quotes, got `{}` ({error})", brief(text)))
        }),
        (_, Some((_, Some(inner)))) => Ok(inner.replace("''", "'")),
        (Some((_, None)), _) | (_, Some((_, None))) => Err(Fault::new(number, "expected a closing quote")),
        (None, None) => Ok(text.to_string()),
    }
}

fn brief(line: &str) -> String {
    crate::harmless::one_line(line).chars().take(60).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[(&str, Value, usize)], body: &str) {
        let document = parse(text).unwrap().unwrap();
        let fields: Vec<_> = document.fields.iter().map(|f| (f.key.as_str(), f.value.clone(), f.line)).collect();
        assert_eq!((fields.as_slice(), document.body.as_str()), (expected, body), "{text}");
    }
    fn text(text: &str) -> Value {
        Value::Text(text.into())
    }
    fn list(items: &[&str]) -> Value {
        Value::List(items.iter().map(|item| item.to_string()).collect())
    }

    #[test]
    fn sa_3_what_people_write_is_read() {
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
        assert_eq!(parse("no front matter"), Ok(None));
        assert_eq!(text("Read, Grep ,").items(), ["Read", "Grep"]);
    }

    #[test]
    fn sa_3_a_fault_names_its_line() {
        for (text, line, words) in [
            ("---\nname: a\n", 1, "closes the front matter"),
            ("---\nname: a\nwhat is this\n---\n", 3, "expected `key: value`, got `what is this`"),
            ("---\nname: \"a\n---\n", 2, "closing quote"),
            ("---\ntools: [a, b\n---\n", 2, "expected `]`"),
            ("---\na: 1\na: 2\n---\n", 3, "first in line 2"),
        ] {
            let fault = parse(text).unwrap_err();
            assert!(fault.line == line && fault.what.contains(words), "{fault}");
        }
    }

    proptest::proptest! {
        /// Files of others are hostile: nothing in them makes the parser panic or run on.
        #[test]
        fn sa_3_any_text_is_read_or_refused(text in "(---\n)?([a-z]{0,3}:? ?[\\[\\]|>\"'\\- \tä]{0,5}\n){0,8}(---\n)?.{0,9}") {
            let _ = parse(&text);
        }
    }
}
