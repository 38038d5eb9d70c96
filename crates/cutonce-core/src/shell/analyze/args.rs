//! Splits arguments into options, values and operands, as most programs do. A command's table row lists its
//! options; any other option makes the command unknown (PR-5).

use crate::shell::parse::word::ShellWord;

/// Arguments split into options, values and operands.
#[derive(Debug, Default)]
pub(in crate::shell) struct ArgScan<'a> {
    /// `-o` or `--output`, one entry each; clusters are split.
    pub flags: Vec<String>,
    /// Options that have a value, with that value.
    pub values: Vec<(String, ShellWord)>,
    pub operands: Vec<&'a ShellWord>,
    /// True if an expansion may become an option.
    pub may_hide_option: bool,
    /// True if there is an option that is not in the row, or a value that looks like an option.
    pub has_unknown_option: bool,
    /// Values that are input files. Also options after an operand, with their values: BSD programs and
    /// POSIXLY_CORRECT treat these as files.
    pub files: Vec<ShellWord>,
    /// True if an option makes the inputs unpredictable: it follows links or reads a list of file names.
    pub reads_anywhere: bool,
}

/// The value that an option takes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OptionValue {
    Nothing,
    Value,
    /// An input file.
    File,
    /// An optional attached value: `--color=never`.
    Attached,
    /// No value; the command may then read any file.
    Anywhere,
}

/// The options of a row. `-abc` are letters without a value. After a name, `=` means a value, `@` an input file,
/// `?` an optional attached value, `!` that any file may be read. `-#` is a bare number, `*` any option.
struct KnownOptions<'o>(&'o str);

impl KnownOptions<'_> {
    fn takes(&self, flag: &str) -> Option<OptionValue> {
        if self.0 == "*" {
            return Some(OptionValue::Nothing);
        }
        self.0.split_whitespace().find_map(|entry| {
            let (name, takes) = match entry.char_indices().last()? {
                (at, '=') => (&entry[..at], OptionValue::Value),
                (at, '@') => (&entry[..at], OptionValue::File),
                (at, '?') => (&entry[..at], OptionValue::Attached),
                (at, '!') => (&entry[..at], OptionValue::Anywhere),
                _ => (entry, OptionValue::Nothing),
            };
            let letters = !name.starts_with("--") && takes == OptionValue::Nothing;
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

/// Splits `words` (without the command name) by the options of a row.
pub(in crate::shell) fn scan_args<'a>(words: &'a [ShellWord], options: &str) -> ArgScan<'a> {
    let known = KnownOptions(options);
    let mut scan = ArgScan::default();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let Some(text) = word.literal.as_deref() else {
            match attached_glob(word) {
                Some((name, value)) => scan.add_long_with_value(name, value, &known),
                None => {
                    scan.may_hide_option |= word.may_be_flag;
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
            Some(_) => scan.add_long_option(text, &known),
            None if text.len() > 1 && text.starts_with('-') => scan.add_cluster(&text[1..], &known),
            None => {
                scan.operands.push(word);
                None
            }
        };
        if let Some(flag) = waits
            && let Some(value) = rest.next()
        {
            // If the program takes no value here, this is an unchecked option.
            scan.has_unknown_option |= value.literal.as_deref().is_some_and(is_option);
            scan.may_hide_option |= !value.is_single;
            if !scan.operands.is_empty() {
                scan.files.push(value.clone());
            }
            scan.add_value(flag, value.clone(), &known);
        }
    }
    scan
}

/// Splits `--include=*.rs`: every match of the glob starts with the same option.
fn attached_glob(word: &ShellWord) -> Option<(&str, ShellWord)> {
    let (name, value) = word.text.split_once('=')?;
    let plain = name.strip_prefix("--")?.bytes().all(|b| b.is_ascii_lowercase() || b == b'-');
    let value = crate::shell::parse::word::decode_word(value);
    let glob =
        matches!(value.path, crate::shell::PathWord::Glob(_)) && matches!(word.path, crate::shell::PathWord::Glob(_));
    (plain && glob).then_some((name, value))
}

/// True for an option, not for `-` or a negative number.
fn is_option(text: &str) -> bool {
    text.len() > 1 && text.starts_with('-') && !text[1..].bytes().all(|b| b.is_ascii_digit())
}

impl ArgScan<'_> {
    fn add_value(&mut self, flag: String, value: ShellWord, known: &KnownOptions<'_>) {
        if known.takes(&flag) == Some(OptionValue::File) {
            self.files.push(value.clone());
        }
        self.values.push((flag, value));
    }

    /// Adds `--name=value`.
    fn add_long_with_value(&mut self, name: &str, value: ShellWord, known: &KnownOptions<'_>) {
        self.has_unknown_option |=
            !matches!(known.takes(name), Some(OptionValue::Value | OptionValue::File | OptionValue::Attached))
                && known.0 != "*";
        self.flags.push(name.to_string());
        self.add_value(name.to_string(), value, known);
    }

    /// Adds `--name` or `--name=value`. Returns the option if its value is the next word.
    fn add_long_option(&mut self, text: &str, known: &KnownOptions<'_>) -> Option<String> {
        if let Some((name, value)) = text.split_once('=') {
            self.add_long_with_value(name, ShellWord::from_literal(value), known);
            return None;
        }
        self.flags.push(text.to_string());
        match known.takes(text) {
            Some(OptionValue::Value | OptionValue::File) => return Some(text.to_string()),
            Some(OptionValue::Anywhere) => self.reads_anywhere = true,
            Some(OptionValue::Nothing | OptionValue::Attached) => {}
            None => self.has_unknown_option = true,
        }
        None
    }

    /// Adds a cluster `-abc`; an option with a value ends the cluster.
    fn add_cluster(&mut self, letters: &str, known: &KnownOptions<'_>) -> Option<String> {
        if known.takes_numbers() && letters.bytes().all(|b| b.is_ascii_digit()) {
            self.flags.push("-#".into());
            return None;
        }
        for (at, letter) in letters.char_indices() {
            let flag = format!("-{letter}");
            self.flags.push(flag.clone());
            let value = &letters[at + letter.len_utf8()..];
            match known.takes(&flag) {
                Some(OptionValue::Nothing) => {}
                Some(OptionValue::Anywhere) => self.reads_anywhere = true,
                Some(OptionValue::Value | OptionValue::File) if value.is_empty() => return Some(flag),
                Some(OptionValue::Value | OptionValue::File | OptionValue::Attached) => {
                    self.add_value(flag, ShellWord::from_literal(value), known);
                    return None;
                }
                None => self.has_unknown_option = true,
            }
        }
        None
    }

    /// True if one of these options is present. Long options may be abbreviated, as in GNU programs.
    pub fn has_option(&self, wanted: &str) -> bool {
        wanted.split_whitespace().any(|want| self.flags.iter().any(|flag| is_flag(flag, want)))
    }
    /// True if all options are known and no expansion can add another.
    pub fn is_plain(&self) -> bool {
        !self.may_hide_option && !self.has_unknown_option
    }
    /// Values of these options.
    pub fn values_of(&self, wanted: &str) -> Vec<&ShellWord> {
        let is_wanted = |flag: &str| wanted.split_whitespace().any(|want| is_flag(flag, want));
        self.values.iter().filter(|(flag, _)| is_wanted(flag)).map(|(_, value)| value).collect()
    }
}

fn is_flag(flag: &str, wanted: &str) -> bool {
    flag == wanted || (flag.len() > 2 && flag.starts_with("--") && wanted.starts_with(flag))
}
