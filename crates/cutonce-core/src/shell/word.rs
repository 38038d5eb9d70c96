//! One word of a command, decoded from its source: its literal value if it has one, the path it names, and the
//! one spelling by which rules know it. Independent of the parser's own decoding, which normalises too much.

use super::PathWord;

/// A word as far as it can be known without running anything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    /// Its value, if there is no expansion and no glob in it.
    pub literal: Option<String>,
    /// The path it names if it is used as one.
    pub path: PathWord,
    /// The spelling that rules see.
    pub text: String,
    /// Could it turn into an option, or into several words?
    pub may_be_flag: bool,
    /// Is it one word for sure, whatever an expansion in it gives?
    pub one: bool,
}

impl Word {
    pub fn of_literal(value: &str) -> Word {
        Word {
            literal: Some(value.to_string()),
            path: literal_path(value),
            text: quote(value),
            may_be_flag: value.starts_with('-'),
            one: true,
        }
    }
    /// A word of which nothing is known.
    pub fn open(raw: &str) -> Word {
        Word { literal: None, path: PathWord::Unknown, text: raw.to_string(), may_be_flag: true, one: false }
    }
    pub fn is(&self, value: &str) -> bool {
        self.literal.as_deref() == Some(value)
    }
}

/// Decodes the source of one word.
pub(super) fn read(raw: &str) -> Word {
    let mut reader = Reader { rest: raw.chars().collect(), at: 0, out: String::new(), ..Reader::default() };
    reader.run();
    let Reader { out, open, glob_at, tilde, home, .. } = reader;
    if open {
        return Word { may_be_flag: !starts_safely_quoted(raw), one: is_one_quoted(raw), ..Word::open(raw) };
    }
    let path = match glob_at {
        Some(at) => glob_path(&out, at, tilde),
        None if tilde => PathWord::Exact(out.clone()),
        None => literal_path(&out),
    };
    if glob_at.is_some() || home {
        let may_be_flag = glob_at == Some(0) || out.starts_with('-');
        return Word { literal: None, path, text: raw.to_string(), may_be_flag, one: glob_at.is_none() };
    }
    if tilde {
        let plain = out.chars().skip(1).all(is_plain);
        let text = if plain { out.clone() } else { raw.to_string() };
        return Word { literal: Some(out), path, text, may_be_flag: false, one: true };
    }
    Word { path, ..Word::of_literal(&out) }
}

/// `"src/$x"`: whatever x is, this stays one word that begins with `s`.
fn starts_safely_quoted(raw: &str) -> bool {
    let inner = raw.strip_prefix('"').and_then(|r| r.strip_suffix('"'));
    inner.is_some_and(|inner| {
        !inner.contains('"') && inner.starts_with(|c: char| c.is_ascii_alphanumeric() || "/+._%:,=".contains(c))
    })
}

/// `"$x"` is one word; `"$@"` and `"${a[@]}"` are many.
fn is_one_quoted(raw: &str) -> bool {
    let inner = raw.strip_prefix('"').and_then(|r| r.strip_suffix('"'));
    let numbers = matches!(raw, "$?" | "$#" | "$$" | "$!");
    numbers || inner.is_some_and(|inner| !inner.contains(['"', '@']))
}

fn literal_path(value: &str) -> PathWord {
    match value {
        "" => PathWord::Unknown,
        _ if value.starts_with('~') => PathWord::Exact(format!("./{value}")),
        _ => PathWord::Exact(value.to_string()),
    }
}

/// A glob reaches only below the folder before its first special character, unless it climbs with `..` after it.
fn glob_path(decoded: &str, at: usize, tilde: bool) -> PathWord {
    let before = decoded.get(..at).unwrap_or(decoded);
    let from = before.rfind('/').map_or(0, |slash| slash + 1);
    // `.*` and `.?` match `..` in older shells.
    let climbs = |c: &str| c.starts_with("..") || [".*", ".?", ".["].iter().any(|dots| c.starts_with(dots));
    if decoded[from..].split('/').any(climbs) {
        return PathWord::Unknown;
    }
    match decoded.starts_with('~') && !tilde {
        true => PathWord::Glob(format!("./{decoded}")),
        false => PathWord::Glob(decoded.to_string()),
    }
}

/// The folder that a glob looks into: all before the first part with a special character in it.
pub(super) fn glob_folder(glob: &str) -> &str {
    let before = &glob[..glob.find(['*', '?', '[']).unwrap_or(glob.len())];
    match before.rfind('/') {
        Some(0) => "/",
        Some(slash) => &before[..slash],
        None => ".",
    }
}

/// Characters that need no quotes anywhere in a word.
fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_@%+=:,./-".contains(c) || (!c.is_ascii() && c.is_alphanumeric())
}

/// The one spelling of a literal: bare where that is safe, else in single quotes.
pub(super) fn quote(value: &str) -> String {
    if !value.is_empty() && value.chars().all(is_plain) || matches!(value, "[" | "]" | "{}" | "!" | "[[" | "]]") {
        return value.to_string();
    }
    format!("'{}'", value.replace('\'', r"'\''"))
}

pub(super) fn is_name(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[derive(Default)]
struct Reader {
    rest: Vec<char>,
    at: usize,
    out: String,
    /// An expansion, or something we don't read.
    open: bool,
    /// Where in `out` the first glob character stands.
    glob_at: Option<usize>,
    tilde: bool,
    /// Began with $HOME: a known path, but no literal.
    home: bool,
}

impl Reader {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.rest.get(self.at + ahead).copied()
    }

    fn run(&mut self) {
        if self.peek(0) == Some('~') {
            self.start_tilde();
        }
        while let Some(c) = self.peek(0) {
            self.at += 1;
            match c {
                '\'' => self.single(),
                '"' => self.double(),
                '\\' => self.escape(),
                '$' => self.dollar(),
                '`' | '<' | '>' | '(' | ')' | ';' | '&' | '|' => self.open = true,
                '*' | '?' => self.glob(c),
                '[' if self.rest[self.at..].contains(&']') => self.glob(c),
                '{' if self.is_brace_expansion() => self.open = true,
                c if c.is_whitespace() => self.open = true,
                c => self.out.push(c),
            }
            if self.open {
                return;
            }
        }
    }

    fn start_tilde(&mut self) {
        match self.peek(1) {
            None | Some('/') => self.tilde = true,
            // `~user`, `~+`, `~-`, but also `~"x"`, which is literal: not worth telling apart.
            Some(_) => self.open = true,
        }
    }

    fn glob(&mut self, c: char) {
        self.glob_at.get_or_insert(self.out.len());
        self.out.push(c);
    }

    fn single(&mut self) {
        while let Some(c) = self.peek(0) {
            self.at += 1;
            if c == '\'' {
                return;
            }
            self.out.push(c);
        }
        self.open = true;
    }

    fn double(&mut self) {
        while let Some(c) = self.peek(0) {
            self.at += 1;
            match c {
                '"' => return,
                '`' => self.open = true,
                '\\' => match self.peek(0) {
                    Some('\n') => self.at += 1,
                    Some(next) if "$`\"\\".contains(next) => {
                        self.at += 1;
                        self.out.push(next);
                    }
                    _ => self.out.push('\\'),
                },
                '$' => self.dollar_quoted(),
                c => self.out.push(c),
            }
            if self.open {
                return;
            }
        }
        self.open = true;
    }

    fn escape(&mut self) {
        match self.peek(0) {
            Some('\n') => self.at += 1,
            Some(c) => {
                self.at += 1;
                self.out.push(c);
            }
            None => self.open = true,
        }
    }

    fn dollar(&mut self) {
        match self.peek(0) {
            Some('\'') => {
                self.at += 1;
                self.ansi();
            }
            Some('"') => self.open = true,
            _ => self.dollar_quoted(),
        }
    }

    /// `$` where quotes mean nothing special after it.
    fn dollar_quoted(&mut self) {
        if self.out.is_empty() && self.take_home() {
            self.home = true;
            self.tilde = true;
            self.out.push('~');
            return;
        }
        let expands = self.peek(0).is_some_and(|c| c.is_alphanumeric() || "_{([@*#?!$-".contains(c));
        match expands {
            true => self.open = true,
            false => self.out.push('$'),
        }
    }

    /// `$HOME` or `${HOME}` before a slash or the end.
    fn take_home(&mut self) -> bool {
        for form in ["HOME", "{HOME}"] {
            let len = form.len();
            let here: String = self.rest[self.at..].iter().take(len).collect();
            let ends = match self.peek(len) {
                None | Some('/') => true,
                Some('"') => matches!(self.peek(len + 1), None | Some('/')),
                Some(_) => false,
            };
            if here == form && ends {
                self.at += len;
                return true;
            }
        }
        false
    }

    /// `$'…'`: the escapes of ANSI C.
    fn ansi(&mut self) {
        while let Some(c) = self.peek(0) {
            self.at += 1;
            match c {
                '\'' => return,
                '\\' => self.ansi_escape(),
                c => self.out.push(c),
            }
            if self.open {
                return;
            }
        }
        self.open = true;
    }

    fn ansi_escape(&mut self) {
        let Some(c) = self.peek(0) else {
            self.open = true;
            return;
        };
        self.at += 1;
        match c {
            'n' => self.out.push('\n'),
            't' => self.out.push('\t'),
            '\\' | '\'' | '"' | '?' => self.out.push(c),
            'x' => self.code(16, 2),
            'u' => self.code(16, 4),
            'U' => self.code(16, 8),
            '0'..='7' => {
                self.at -= 1;
                self.code(8, 3);
            }
            _ => self.open = true,
        }
    }

    fn code(&mut self, radix: u32, most: usize) {
        let digits: String =
            self.rest[self.at..].iter().take(most).take_while(|c| c.is_digit(radix)).copied().collect();
        self.at += digits.len();
        match u32::from_str_radix(&digits, radix).ok().filter(|n| (1..0x80).contains(n)).and_then(char::from_u32) {
            Some(c) => self.out.push(c),
            // NUL ends the word in bash, and bytes above ASCII depend on the locale.
            None => self.open = true,
        }
    }

    /// `{a,b}` or `{1..3}` after the opening brace.
    fn is_brace_expansion(&self) -> bool {
        let rest: String = self.rest[self.at..].iter().collect();
        rest.contains('}') && (rest.contains(',') || rest.contains(".."))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pr_5_words_have_one_spelling() {
        for (raw, literal, text) in [
            ("rm", Some("rm"), "rm"),
            (r"\rm", Some("rm"), "rm"),
            (r#"r""m"#, Some("rm"), "rm"),
            ("'r'm", Some("rm"), "rm"),
            (r"$'\x72m'", Some("rm"), "rm"),
            (r"$'\162m'", Some("rm"), "rm"),
            (r"$'\u0072m'", Some("rm"), "rm"),
            ("r\\\nm", Some("rm"), "rm"),
            ("'a b'", Some("a b"), "'a b'"),
            (r#""a \"b\" \$c""#, Some("a \"b\" $c"), "'a \"b\" $c'"),
            (r"it\'s", Some("it's"), r"'it'\''s'"),
            ("''", Some(""), "''"),
            ("a$", Some("a$"), "'a$'"),
            ("$x", None, "$x"),
            ("\"$x\"", None, "\"$x\""),
            ("`a`", None, "`a`"),
            ("{a,b}", None, "{a,b}"),
            ("{}", Some("{}"), "{}"),
            ("a*", None, "a*"),
            ("[", Some("["), "["),
            ("~/x", Some("~/x"), "~/x"),
            ("~root/x", None, "~root/x"),
            (r"$'\0'", None, r"$'\0'"),
            ("$\"x\"", None, "$\"x\""),
        ] {
            let word = read(raw);
            assert_eq!((word.literal.as_deref(), word.text.as_str()), (literal, text), "{raw}");
            if word.literal.is_some() {
                assert_eq!(read(&word.text).text, word.text, "spelled twice: {raw}");
            }
        }
    }

    #[test]
    fn pr_5_words_as_paths() {
        let glob = |p: &str| PathWord::Glob(p.into());
        let exact = |p: &str| PathWord::Exact(p.into());
        for (raw, path) in [
            ("src/a.rs", exact("src/a.rs")),
            ("~/x", exact("~/x")),
            ("'~/x'", exact("./~/x")),
            ("$HOME/x", exact("~/x")),
            ("\"$HOME\"/x", exact("~/x")),
            ("\"${HOME}/x y\"", exact("~/x y")),
            ("$HOMER/x", PathWord::Unknown),
            ("*.rs", glob("*.rs")),
            ("src/*/a.rs", glob("src/*/a.rs")),
            ("/*", glob("/*")),
            ("a*/../x", PathWord::Unknown),
            (".*", PathWord::Unknown),
            (".env*", glob(".env*")),
            ("~/*.x", glob("~/*.x")),
            ("'~'/*.x", glob("./~/*.x")),
            ("$x/y", PathWord::Unknown),
        ] {
            assert_eq!(read(raw).path, path, "{raw}");
        }
    }
}
