//! Shows letters of other scripts that pass for Latin ones (UI-5): `раураl` must not look like `paypal` to a user who
//! approves it.

use std::borrow::Cow;
use std::fmt::Write;

/// Letters that most fonts draw like a Latin letter: Cyrillic, Greek, Armenian, IPA and Roman numerals.
const LOOKALIKES: &str = "аеорсухіјѕһԁԛԝьАВЕЗКМНОРСТУХІЈЅԌԚԜονΑΒΕΖΗΙΚΜΝΟΡΤΥΧօսհոցɑɡɩⅰⅼⅽⅾⅿⅤⅩⅬⅭⅮⅯ";

/// Shows lookalikes as escapes in words that also have Latin letters, and in lines whose only foreign letters are
/// lookalikes. Words and lines of another language stay as they are.
pub(super) fn reveal_lookalikes(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || !text.chars().any(is_lookalike) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let suspicious = line.contains(|c: char| c.is_ascii_alphabetic()) && !line.contains(is_foreign);
        let mut rest = line;
        while !rest.is_empty() {
            let end = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
            let (word, after) = rest.split_at(end);
            let mixed = word.contains(|c: char| c.is_ascii_alphabetic());
            push_word(&mut out, word, suspicious || mixed);
            let gap = after.find(is_word).unwrap_or(after.len());
            out.push_str(&after[..gap]);
            rest = &after[gap..];
        }
    }
    Cow::Owned(out)
}

fn push_word(out: &mut String, word: &str, reveal: bool) {
    for c in word.chars() {
        match reveal && is_lookalike(c) {
            true => drop(write!(out, "\\u{{{:x}}}", u32::from(c))),
            false => out.push(c),
        }
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn is_lookalike(c: char) -> bool {
    !c.is_ascii() && (LOOKALIKES.contains(c) || matches!(c, '\u{ff21}'..='\u{ff3a}' | '\u{ff41}'..='\u{ff5a}'))
}

/// A letter that can only belong to a text in another script.
fn is_foreign(c: char) -> bool {
    let script = matches!(c, '\u{370}'..='\u{58f}' | '\u{1c80}'..='\u{1c8f}' | '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}');
    script && c.is_alphabetic() && !is_lookalike(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ui_5_lookalikes_are_shown_as_escapes() {
        for (text, shown) in [
            ("curl раypal.com", "curl \\u{440}\\u{430}ypal.com"),
            ("run ѕсоре now", "run \\u{455}\\u{441}\\u{43e}\\u{440}\\u{435} now"),
            ("rm -rf ｔmp", "rm -rf \\u{ff54}mp"),
            ("первая строка: cat ора\nplain", "первая строка: cat ора\nplain"),
            ("Ответ: паypal", "Ответ: п\\u{430}ypal"),
            ("файл main.rs и сору", "файл main.rs и сору"),
            ("α and Δt stay, naïve too", "α and Δt stay, naïve too"),
            ("ascii only", "ascii only"),
        ] {
            assert_eq!(reveal_lookalikes(text), shown, "{text}");
        }
    }
}
