//! The arguments of a command as most programs read them: options, their values, operands.

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
}

/// Reads `words` (without the command's name). `valued` lists the options that take a value: `-n --lines`.
pub(super) fn scan<'a>(words: &'a [Word], valued: &str) -> Scan<'a> {
    let valued: Vec<&str> = valued.split_whitespace().collect();
    let mut scan = Scan::default();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let Some(text) = word.literal.as_deref() else {
            scan.hidden |= word.may_be_flag;
            scan.operands.push(word);
            continue;
        };
        if text == "--" {
            scan.operands.extend(rest);
            break;
        }
        let waits = match text.strip_prefix("--") {
            Some(_) => scan.long(text, &valued),
            None if text.len() > 1 && text.starts_with('-') => scan.cluster(&text[1..], &valued),
            None => {
                scan.operands.push(word);
                None
            }
        };
        if let Some(flag) = waits
            && let Some(value) = rest.next()
        {
            scan.hidden |= value.literal.is_none() && value.may_be_flag;
            scan.values.push((flag, value.clone()));
        }
    }
    scan
}

impl Scan<'_> {
    /// `--name` or `--name=value`; gives the option back if its value is the next word.
    fn long(&mut self, text: &str, valued: &[&str]) -> Option<String> {
        match text.split_once('=') {
            Some((name, value)) => {
                self.flags.push(name.to_string());
                self.values.push((name.to_string(), Word::of_literal(value)));
                None
            }
            None => {
                self.flags.push(text.to_string());
                valued.contains(&text).then(|| text.to_string())
            }
        }
    }

    /// `-abc`; an option that takes a value ends the cluster.
    fn cluster(&mut self, letters: &str, valued: &[&str]) -> Option<String> {
        for (at, letter) in letters.char_indices() {
            let flag = format!("-{letter}");
            self.flags.push(flag.clone());
            if valued.contains(&flag.as_str()) {
                let value = &letters[at + letter.len_utf8()..];
                if value.is_empty() {
                    return Some(flag);
                }
                self.values.push((flag, Word::of_literal(value)));
                return None;
            }
        }
        None
    }

    /// Is one of these options given? Long ones also when abbreviated, as GNU programs allow.
    pub fn has(&self, wanted: &str) -> bool {
        wanted.split_whitespace().any(|want| self.flags.iter().any(|flag| is_flag(flag, want)))
    }
    /// Are all options among these?
    pub fn only(&self, allowed: &str) -> bool {
        let allowed: Vec<&str> = allowed.split_whitespace().collect();
        !self.hidden && self.flags.iter().all(|flag| allowed.contains(&flag.as_str()))
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
