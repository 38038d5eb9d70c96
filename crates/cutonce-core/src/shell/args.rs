//! The arguments of a command as most programs read them: options, their values, operands. Which options a command
//! has is a text of its row; an option that is not in it makes the command unknown (PR-5).

use super::word::Word;

/// Options and operands told apart.
#[derive(Debug, Default)]
pub(super) struct Scan<'a> {
    /// `-o` or `--output`, one entry each; clusters taken apart.
    pub flags: Vec<String>,
    /// Options with their values, where they have one.
    pub values: Vec<(String, Word)>,
    pub operands: Vec<&'a Word>,
    /// An expansion that may turn into an option.
    pub hidden: bool,
    /// An option that the row does not know, or a value that may be one.
    pub odd: bool,
    /// Values that are files which are read; also every option behind an operand with its value: where a program reads options
    /// only before its operands (BSD, POSIXLY_CORRECT), these are files.
    pub files: Vec<Word>,
    /// An option that leads to places nobody can tell from here: it follows links, or reads a list of names.
    pub anywhere: bool,
}

/// What stands behind an option.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Takes {
    Nothing,
    Value,
    /// A file that is read.
    File,
    /// A value only if it is attached: `--color=never`.
    Attached,
    /// Nothing, and leads anywhere.
    Anywhere,
}

/// The options of a row: `-abc` are letters without a value; behind a name `=` is a value, `@` a file that is read, `?` a
/// value that may be attached, `!` an option that leads anywhere. `-#` is a bare number, `*` any option at all.
struct Known<'o>(&'o str);

impl Known<'_> {
    fn takes(&self, flag: &str) -> Option<Takes> {
        if self.0 == "*" {
            return Some(Takes::Nothing);
        }
        self.0.split_whitespace().find_map(|entry| {
            let (name, takes) = match entry.char_indices().last()? {
                (at, '=') => (&entry[..at], Takes::Value),
                (at, '@') => (&entry[..at], Takes::File),
                (at, '?') => (&entry[..at], Takes::Attached),
                (at, '!') => (&entry[..at], Takes::Anywhere),
                _ => (entry, Takes::Nothing),
            };
            let letters = !name.starts_with("--") && takes == Takes::Nothing;
            let found = name == flag
                || (letters
                    && flag.len() == 2
                    && flag != "-#"
                    && flag.chars().nth(1).is_some_and(|c| name[1..].contains(c)));
            found.then_some(takes)
        })
    }
    fn takes_numbers(&self) -> bool {
        self.0.split_whitespace().any(|entry| entry == "-#")
    }
}

/// Reads `words` (without the command's name) by the options of a row.
pub(super) fn scan<'a>(words: &'a [Word], options: &str) -> Scan<'a> {
    let known = Known(options);
    let mut scan = Scan::default();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let Some(text) = word.literal.as_deref() else {
            match attached_glob(word) {
                Some((name, value)) => scan.long_with(name, value, &known),
                None => {
                    scan.hidden |= word.may_be_flag;
                    scan.operands.push(word);
                }
            }
            continue;
        };
        if text == "--" {
            scan.operands.extend(rest);
            break;
        }
        if !scan.operands.is_empty() && text.len() > 1 && text.starts_with('-') {
            scan.files.push(word.clone());
        }
        let waits = match text.strip_prefix("--") {
            Some(_) => scan.long(text, &known),
            None if text.len() > 1 && text.starts_with('-') => scan.cluster(&text[1..], &known),
            None => {
                scan.operands.push(word);
                None
            }
        };
        if let Some(flag) = waits
            && let Some(value) = rest.next()
        {
            // If the program took no value here, this would be an option that nobody looked at.
            scan.odd |= value.literal.as_deref().is_some_and(is_option);
            scan.hidden |= !value.one;
            if !scan.operands.is_empty() {
                scan.files.push(value.clone());
            }
            scan.value(flag, value.clone(), &known);
        }
    }
    scan
}

/// `--include=*.rs`: whatever the glob finds begins the same way.
fn attached_glob(word: &Word) -> Option<(&str, Word)> {
    let (name, value) = word.text.split_once('=')?;
    let plain = name.strip_prefix("--")?.bytes().all(|b| b.is_ascii_lowercase() || b == b'-');
    let value = super::word::read(value);
    let glob = matches!(value.path, super::PathWord::Glob(_)) && matches!(word.path, super::PathWord::Glob(_));
    (plain && glob).then_some((name, value))
}

/// Not `-` and not a negative number.
fn is_option(text: &str) -> bool {
    text.len() > 1 && text.starts_with('-') && !text[1..].bytes().all(|b| b.is_ascii_digit())
}

impl Scan<'_> {
    fn value(&mut self, flag: String, value: Word, known: &Known<'_>) {
        if known.takes(&flag) == Some(Takes::File) {
            self.files.push(value.clone());
        }
        self.values.push((flag, value));
    }

    /// `--name=value`.
    fn long_with(&mut self, name: &str, value: Word, known: &Known<'_>) {
        self.odd |= !matches!(known.takes(name), Some(Takes::Value | Takes::File | Takes::Attached)) && known.0 != "*";
        self.flags.push(name.to_string());
        self.value(name.to_string(), value, known);
    }

    /// `--name` or `--name=value`; gives the option back if its value is the next word.
    fn long(&mut self, text: &str, known: &Known<'_>) -> Option<String> {
        if let Some((name, value)) = text.split_once('=') {
            self.long_with(name, Word::of_literal(value), known);
            return None;
        }
        self.flags.push(text.to_string());
        match known.takes(text) {
            Some(Takes::Value | Takes::File) => return Some(text.to_string()),
            Some(Takes::Anywhere) => self.anywhere = true,
            Some(Takes::Nothing | Takes::Attached) => {}
            None => self.odd = true,
        }
        None
    }

    /// `-abc`; an option that takes a value ends the cluster.
    fn cluster(&mut self, letters: &str, known: &Known<'_>) -> Option<String> {
        if known.takes_numbers() && letters.bytes().all(|b| b.is_ascii_digit()) {
            self.flags.push("-#".into());
            return None;
        }
        for (at, letter) in letters.char_indices() {
            let flag = format!("-{letter}");
            self.flags.push(flag.clone());
            let value = &letters[at + letter.len_utf8()..];
            match known.takes(&flag) {
                Some(Takes::Nothing) => {}
                Some(Takes::Anywhere) => self.anywhere = true,
                Some(Takes::Value | Takes::File) if value.is_empty() => return Some(flag),
                Some(Takes::Value | Takes::File | Takes::Attached) => {
                    self.value(flag, Word::of_literal(value), known);
                    return None;
                }
                None => self.odd = true,
            }
        }
        None
    }

    /// Is one of these options given? Long ones also when abbreviated, as GNU programs allow.
    pub fn has(&self, wanted: &str) -> bool {
        wanted.split_whitespace().any(|want| self.flags.iter().any(|flag| is_flag(flag, want)))
    }
    /// Is every option one that the row knows, and stays so whatever expansions give?
    pub fn plain(&self) -> bool {
        !self.hidden && !self.odd
    }
    /// The values of these options.
    pub fn values_of(&self, wanted: &str) -> Vec<&Word> {
        let is_wanted = |flag: &str| wanted.split_whitespace().any(|want| is_flag(flag, want));
        self.values.iter().filter(|(flag, _)| is_wanted(flag)).map(|(_, value)| value).collect()
    }
}

fn is_flag(flag: &str, wanted: &str) -> bool {
    flag == wanted || (flag.len() > 2 && flag.starts_with("--") && wanted.starts_with(flag))
}
