//! One key from the front of the bytes: control characters, UTF-8, and the escape sequences of xterm, vt and kitty.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

#[derive(Debug, PartialEq)]
pub enum Parsed {
    /// Not complete yet.
    More,
    /// Understood, but no key: an answer of the terminal, a release, garbage.
    Nothing(usize),
    Key(KeyEvent, usize),
    Paste(usize),
    Focus(usize),
}

pub fn first(bytes: &[u8]) -> Parsed {
    match bytes {
        [] => Parsed::More,
        [0x1b] => Parsed::More,
        [0x1b, b'[', rest @ ..] => csi(rest),
        [0x1b, b'O', rest @ ..] => ss3(rest),
        [0x1b, b']' | b'P' | b'_' | b'^' | b'X', rest @ ..] => string(rest),
        [0x1b, rest @ ..] => match first(rest) {
            Parsed::Key(key, used) => Parsed::Key(KeyEvent::new(key.code, key.modifiers | KeyModifiers::ALT), used + 1),
            Parsed::More => Parsed::More,
            Parsed::Nothing(used) | Parsed::Paste(used) | Parsed::Focus(used) => Parsed::Nothing(used + 1),
        },
        [byte, ..] if *byte < 0x20 || *byte == 0x7f => Parsed::Key(control(*byte), 1),
        _ => character(bytes),
    }
}

fn key(code: KeyCode) -> KeyEvent {
    KeyEvent::new(code, KeyModifiers::NONE)
}

fn control(byte: u8) -> KeyEvent {
    let ctrl = |c: char| KeyEvent::new(KeyCode::Char(c), KeyModifiers::CONTROL);
    match byte {
        b'\r' => key(KeyCode::Enter),
        b'\t' => key(KeyCode::Tab),
        0x7f => key(KeyCode::Backspace),
        0 => ctrl(' '),
        0x1c..=0x1f => ctrl(char::from(byte - 0x1c + b'4')),
        _ => ctrl(char::from(byte + b'a' - 1)),
    }
}

fn character(bytes: &[u8]) -> Parsed {
    let long = match bytes.first() {
        Some(0x00..=0x7f) => 1,
        Some(0xc2..=0xdf) => 2,
        Some(0xe0..=0xef) => 3,
        Some(0xf0..=0xf4) => 4,
        _ => return Parsed::Nothing(1),
    };
    let there = bytes.len().min(long);
    match std::str::from_utf8(&bytes[..there]) {
        Ok(text) => text.chars().next().map_or(Parsed::Nothing(1), |c| {
            let shift = if c.is_uppercase() { KeyModifiers::SHIFT } else { KeyModifiers::NONE };
            Parsed::Key(KeyEvent::new(KeyCode::Char(c), shift), c.len_utf8())
        }),
        Err(error) if error.error_len().is_none() && there < long => Parsed::More,
        Err(_) => Parsed::Nothing(1),
    }
}

/// Answers of the terminal that come as strings: skipped to their terminator.
fn string(rest: &[u8]) -> Parsed {
    match rest.iter().position(|byte| matches!(byte, 0x07 | 0x1b)) {
        Some(at) if rest[at] == 0x07 => Parsed::Nothing(at + 3),
        Some(at) if rest.get(at + 1) == Some(&b'\\') => Parsed::Nothing(at + 4),
        Some(at) if at + 1 < rest.len() => Parsed::Nothing(at + 2),
        _ => Parsed::More,
    }
}

fn ss3(rest: &[u8]) -> Parsed {
    let Some(byte) = rest.first() else { return Parsed::More };
    match named(*byte) {
        Some(code) => Parsed::Key(key(code), 3),
        None if *byte == b'M' => Parsed::Key(key(KeyCode::Enter), 3),
        None => Parsed::Nothing(3),
    }
}

fn named(last: u8) -> Option<KeyCode> {
    Some(match last {
        b'A' => KeyCode::Up,
        b'B' => KeyCode::Down,
        b'C' => KeyCode::Right,
        b'D' => KeyCode::Left,
        b'H' => KeyCode::Home,
        b'F' => KeyCode::End,
        b'P' => KeyCode::F(1),
        b'Q' => KeyCode::F(2),
        b'R' => KeyCode::F(3),
        b'S' => KeyCode::F(4),
        _ => return None,
    })
}

fn csi(rest: &[u8]) -> Parsed {
    let body = rest.iter().take_while(|byte| (0x20..=0x3f).contains(*byte)).count();
    let Some(last) = rest.get(body).copied() else { return Parsed::More };
    let used = body + 3;
    if !(0x40..=0x7e).contains(&last) {
        return Parsed::Nothing(used - 1);
    }
    let params = &rest[..body];
    if params.first().is_some_and(|byte| matches!(byte, b'?' | b'>' | b'<' | b'=')) {
        return Parsed::Nothing(used);
    }
    let numbers = numbers(params);
    let number = |at: usize| numbers.get(at).map_or(0, |(value, _)| *value);
    // The kind of event: 3 is a release.
    let released = numbers.get(1).is_some_and(|(_, kind)| *kind == 3);
    let mods = modifiers(number(1));
    let made = |code: Option<KeyCode>, mods: KeyModifiers| match code {
        Some(code) if !released => Parsed::Key(KeyEvent::new(code, mods), used),
        Some(_) | None => Parsed::Nothing(used),
    };
    match last {
        b'I' | b'O' if params.is_empty() => Parsed::Focus(used),
        b'Z' => Parsed::Key(KeyEvent::new(KeyCode::BackTab, KeyModifiers::SHIFT), used),
        b'~' if number(0) == 200 => Parsed::Paste(used),
        // modifyOtherKeys: 27 ; modifiers ; code.
        b'~' if number(0) == 27 => unicode(number(2), modifiers(number(1)), used),
        b'~' => made(tilde(number(0)), mods),
        b'u' if !released => unicode(number(0), mods, used),
        last => made(named(last), mods),
    }
}

/// `a:b;c:d` as pairs; what is no number is 0.
fn numbers(params: &[u8]) -> Vec<(u32, u32)> {
    let text = std::str::from_utf8(params).unwrap_or_default();
    let value = |text: &str| text.parse::<u32>().unwrap_or(0);
    text.split(';')
        .map(|part| part.split_once(':').map_or((value(part), 0), |(first, second)| (value(first), value(second))))
        .collect()
}

fn modifiers(given: u32) -> KeyModifiers {
    let bits = given.saturating_sub(1);
    let mut mods = KeyModifiers::NONE;
    for (bit, one) in [(1, KeyModifiers::SHIFT), (2, KeyModifiers::ALT), (4, KeyModifiers::CONTROL)] {
        if bits & bit != 0 {
            mods |= one;
        }
    }
    mods
}

fn tilde(number: u32) -> Option<KeyCode> {
    Some(match number {
        1 | 7 => KeyCode::Home,
        2 => KeyCode::Insert,
        3 => KeyCode::Delete,
        4 | 8 => KeyCode::End,
        5 => KeyCode::PageUp,
        6 => KeyCode::PageDown,
        11..=15 => KeyCode::F(number as u8 - 10),
        17..=21 => KeyCode::F(number as u8 - 11),
        23 | 24 => KeyCode::F(number as u8 - 12),
        _ => return None,
    })
}

/// A key by its code point, as kitty and modifyOtherKeys name it.
fn unicode(code: u32, mods: KeyModifiers, used: usize) -> Parsed {
    let code = match code {
        9 if mods.contains(KeyModifiers::SHIFT) => KeyCode::BackTab,
        9 => KeyCode::Tab,
        13 | 57414 => KeyCode::Enter,
        27 => KeyCode::Esc,
        8 | 127 => KeyCode::Backspace,
        57417 => KeyCode::Left,
        57418 => KeyCode::Right,
        57419 => KeyCode::Up,
        57420 => KeyCode::Down,
        57421 => KeyCode::PageUp,
        57422 => KeyCode::PageDown,
        57423 => KeyCode::Home,
        57424 => KeyCode::End,
        57426 => KeyCode::Delete,
        57399..=57408 => KeyCode::Char(char::from(b'0' + (code - 57399) as u8)),
        // Other keys of the private area (locks, media, modifiers alone) mean nothing here.
        57344..=63743 => return Parsed::Nothing(used),
        code => match char::from_u32(code).filter(|c| !c.is_control()) {
            Some(c) => KeyCode::Char(c),
            None => return Parsed::Nothing(used),
        },
    };
    Parsed::Key(KeyEvent::new(code, mods), used)
}
