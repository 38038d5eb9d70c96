//! Decodes one word of a command from its source: literal value, path, and the canonical spelling that rules match.
//! Independent of the parser's own decoding, which normalizes too much.

use crate::shell::PathWord;

/// A word, as far as it is known without running anything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::shell) struct ShellWord {
    /// The value, if the word has no expansion and no glob.
    pub literal: Option<String>,
    /// The path that the word names, if it is used as a path.
    pub path: PathWord,
    /// The spelling that rules match.
    pub text: String,
    /// True if the word could become an option or several words.
    pub may_be_flag: bool,
    /// True if the word stays one word for any value of its expansions.
    pub is_single: bool,
}

impl ShellWord {
    pub fn from_literal(value: &str) -> ShellWord {
        ShellWord {
            literal: Some(value.to_string()),
            path: literal_path(value),
            text: canonical_quoting(value),
            may_be_flag: value.starts_with('-'),
            is_single: true,
        }
    }
    /// A word with unknown value.
    pub fn unknown(raw: &str) -> ShellWord {
        ShellWord { literal: None, path: PathWord::Unknown, text: raw.to_string(), may_be_flag: true, is_single: false }
    }
    pub fn is(&self, value: &str) -> bool {
        self.literal.as_deref() == Some(value)
    }
}

/// Decodes the source of one word.
pub(in crate::shell) fn decode_word(raw: &str) -> ShellWord {
    let mut reader = WordDecoder { rest: raw.chars().collect(), at: 0, out: String::new(), ..WordDecoder::default() };
    reader.decode();
    let WordDecoder { out, is_unknown: open, glob_at, tilde, from_home_variable: home, .. } = reader;
    if open {
        return ShellWord {
            may_be_flag: !starts_safely_quoted(raw),
            is_single: is_one_quoted(raw),
            ..ShellWord::unknown(raw)
        };
    }
    let path = match glob_at {
        Some(at) => glob_path(&out, at, tilde),
        None if tilde => PathWord::Exact(out.clone()),
        None => literal_path(&out),
    };
    if glob_at.is_some() || home {
        let may_be_flag = glob_at == Some(0) || out.starts_with('-');
        return ShellWord { literal: None, path, text: raw.to_string(), may_be_flag, is_single: glob_at.is_none() };
    }
    if tilde {
        let plain = out.chars().skip(1).all(is_plain);
        let text = if plain { out.clone() } else { raw.to_string() };
        return ShellWord { literal: Some(out), path, text, may_be_flag: false, is_single: true };
    }
    ShellWord { path, ..ShellWord::from_literal(&out) }
}

/// True for `"src/$x"`: for any x this is one word that starts with `s`.
fn starts_safely_quoted(raw: &str) -> bool {
    let inner = raw.strip_prefix('"').and_then(|r| r.strip_suffix('"'));
    inner.is_some_and(|inner| {
        !inner.contains('"') && inner.starts_with(|c: char| c.is_ascii_alphanumeric() || "/+._%:,=".contains(c))
    })
}

/// True for `"$x"`, which is one word; false for `"$@"` and `"${a[@]}"`.
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

/// Path of a glob. Matches stay below the folder before the first special character, unless `..` follows.
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

/// The folder that a glob searches: everything before the first component with a special character.
pub(in crate::shell) fn glob_folder(glob: &str) -> &str {
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

/// Canonical spelling of a literal: bare if that is safe, otherwise in single quotes.
pub(in crate::shell) fn canonical_quoting(value: &str) -> String {
    if !value.is_empty() && value.chars().all(is_plain) || matches!(value, "[" | "]" | "{}" | "!" | "[[" | "]]") {
        return value.to_string();
    }
    format!("'{}'", value.replace('\'', r"'\''"))
}

pub(in crate::shell) fn is_name(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[derive(Default)]
struct WordDecoder {
    rest: Vec<char>,
    at: usize,
    out: String,
    /// True after an expansion or unsupported syntax.
    is_unknown: bool,
    /// Position of the first glob character in `out`.
    glob_at: Option<usize>,
    tilde: bool,
    /// The word starts with $HOME: a known path, but not a literal.
    from_home_variable: bool,
}

impl WordDecoder {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.rest.get(self.at + ahead).copied()
    }

    fn decode(&mut self) {
        if self.peek(0) == Some('~') {
            self.start_tilde();
        }
        while let Some(c) = self.peek(0) {
            self.at += 1;
            match c {
                '\'' => self.read_single_quoted(),
                '"' => self.read_double_quoted(),
                '\\' => self.read_escape(),
                '$' => self.read_dollar(),
                '`' | '<' | '>' | '(' | ')' | ';' | '&' | '|' => self.is_unknown = true,
                '*' | '?' => self.push_glob(c),
                '[' if self.rest[self.at..].contains(&']') => self.push_glob(c),
                '{' if self.is_brace_expansion() => self.is_unknown = true,
                c if c.is_whitespace() => self.is_unknown = true,
                c => self.out.push(c),
            }
            if self.is_unknown {
                return;
            }
        }
    }

    fn start_tilde(&mut self) {
        match self.peek(1) {
            None | Some('/') => self.tilde = true,
            // `~user`, `~+`, `~-`; also `~"x"`, which is literal but not worth handling.
            Some(_) => self.is_unknown = true,
        }
    }

    fn push_glob(&mut self, c: char) {
        self.glob_at.get_or_insert(self.out.len());
        self.out.push(c);
    }

    fn read_single_quoted(&mut self) {
        while let Some(c) = self.peek(0) {
            self.at += 1;
            if c == '\'' {
                return;
            }
            self.out.push(c);
        }
        self.is_unknown = true;
    }

    fn read_double_quoted(&mut self) {
        while let Some(c) = self.peek(0) {
            self.at += 1;
            match c {
                '"' => return,
                '`' => self.is_unknown = true,
                '\\' => match self.peek(0) {
                    Some('\n') => self.at += 1,
                    Some(next) if "$`\"\\".contains(next) => {
                        self.at += 1;
                        self.out.push(next);
                    }
                    _ => self.out.push('\\'),
                },
                '$' => self.read_dollar_expansion(),
                c => self.out.push(c),
            }
            if self.is_unknown {
                return;
            }
        }
        self.is_unknown = true;
    }

    fn read_escape(&mut self) {
        match self.peek(0) {
            Some('\n') => self.at += 1,
            Some(c) => {
                self.at += 1;
                self.out.push(c);
            }
            None => self.is_unknown = true,
        }
    }

    fn read_dollar(&mut self) {
        match self.peek(0) {
            Some('\'') => {
                self.at += 1;
                self.read_ansi_quoted();
            }
            Some('"') => self.is_unknown = true,
            _ => self.read_dollar_expansion(),
        }
    }

    /// Reads `$` where a following quote has no special meaning.
    fn read_dollar_expansion(&mut self) {
        if self.out.is_empty() && self.take_home() {
            self.from_home_variable = true;
            self.tilde = true;
            self.out.push('~');
            return;
        }
        let expands = self.peek(0).is_some_and(|c| c.is_alphanumeric() || "_{([@*#?!$-".contains(c));
        match expands {
            true => self.is_unknown = true,
            false => self.out.push('$'),
        }
    }

    /// Consumes `$HOME` or `${HOME}` before a slash or the end.
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

    /// Reads `$'…'` with ANSI C escapes.
    fn read_ansi_quoted(&mut self) {
        while let Some(c) = self.peek(0) {
            self.at += 1;
            match c {
                '\'' => return,
                '\\' => self.read_ansi_escape(),
                c => self.out.push(c),
            }
            if self.is_unknown {
                return;
            }
        }
        self.is_unknown = true;
    }

    fn read_ansi_escape(&mut self) {
        let Some(c) = self.peek(0) else {
            self.is_unknown = true;
            return;
        };
        self.at += 1;
        match c {
            'n' => self.out.push('\n'),
            't' => self.out.push('\t'),
            '\\' | '\'' | '"' | '?' => self.out.push(c),
            'x' => self.push_char_code(16, 2),
            'u' => self.push_char_code(16, 4),
            'U' => self.push_char_code(16, 8),
            '0'..='7' => {
                self.at -= 1;
                self.push_char_code(8, 3);
            }
            _ => self.is_unknown = true,
        }
    }

    fn push_char_code(&mut self, radix: u32, most: usize) {
        let digits: String =
            self.rest[self.at..].iter().take(most).take_while(|c| c.is_digit(radix)).copied().collect();
        self.at += digits.len();
        match u32::from_str_radix(&digits, radix).ok().filter(|n| (1..0x80).contains(n)).and_then(char::from_u32) {
            Some(c) => self.out.push(c),
            // NUL ends the word in bash, and bytes above ASCII depend on the locale.
            None => self.is_unknown = true,
        }
    }

    /// True for `{a,b}` or `{1..3}`, after the opening brace.
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
            let word = decode_word(raw);
            assert_eq!((word.literal.as_deref(), word.text.as_str()), (literal, text), "{raw}");
            if word.literal.is_some() {
                assert_eq!(decode_word(&word.text).text, word.text, "spelled twice: {raw}");
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
            assert_eq!(decode_word(raw).path, path, "{raw}");
        }
    }
}
