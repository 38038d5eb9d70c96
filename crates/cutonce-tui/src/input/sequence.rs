//! Parses one key from the start of the bytes: control characters, UTF-8, and escape sequences of xterm, vt and kitty.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

#[derive(Debug, PartialEq)]
pub enum ParsedSequence {
    /// Incomplete; more bytes are needed.
    Incomplete,
    /// Bytes to skip: a terminal reply, a key release, or garbage.
    Skip(usize),
    Key(KeyEvent, usize),
    PasteStart(usize),
    Focus(usize),
}

pub fn parse_first(bytes: &[u8]) -> ParsedSequence {
    match bytes {
        [] => ParsedSequence::Incomplete,
        [0x1b] => ParsedSequence::Incomplete,
        [0x1b, b'[', rest @ ..] => parse_csi(rest),
        [0x1b, b'O', rest @ ..] => parse_ss3(rest),
        [0x1b, b']' | b'P' | b'_' | b'^' | b'X', rest @ ..] => skip_string(rest),
        [0x1b, rest @ ..] => match parse_first(rest) {
            ParsedSequence::Key(key, used) => {
                ParsedSequence::Key(KeyEvent::new(key.code, key.modifiers | KeyModifiers::ALT), used + 1)
            }
            ParsedSequence::Incomplete => ParsedSequence::Incomplete,
            ParsedSequence::Skip(used) | ParsedSequence::PasteStart(used) | ParsedSequence::Focus(used) => {
                ParsedSequence::Skip(used + 1)
            }
        },
        [byte, ..] if *byte < 0x20 || *byte == 0x7f => ParsedSequence::Key(control_key(*byte), 1),
        _ => parse_char(bytes),
    }
}

fn plain_key(code: KeyCode) -> KeyEvent {
    KeyEvent::new(code, KeyModifiers::NONE)
}

fn control_key(byte: u8) -> KeyEvent {
    let ctrl = |c: char| KeyEvent::new(KeyCode::Char(c), KeyModifiers::CONTROL);
    match byte {
        b'\r' => plain_key(KeyCode::Enter),
        b'\t' => plain_key(KeyCode::Tab),
        0x7f => plain_key(KeyCode::Backspace),
        0 => ctrl(' '),
        0x1c..=0x1f => ctrl(char::from(byte - 0x1c + b'4')),
        _ => ctrl(char::from(byte + b'a' - 1)),
    }
}

fn parse_char(bytes: &[u8]) -> ParsedSequence {
    let long = match bytes.first() {
        Some(0x00..=0x7f) => 1,
        Some(0xc2..=0xdf) => 2,
        Some(0xe0..=0xef) => 3,
        Some(0xf0..=0xf4) => 4,
        _ => return ParsedSequence::Skip(1),
    };
    let there = bytes.len().min(long);
    match std::str::from_utf8(&bytes[..there]) {
        Ok(text) => text.chars().next().map_or(ParsedSequence::Skip(1), |c| {
            let shift = if c.is_uppercase() { KeyModifiers::SHIFT } else { KeyModifiers::NONE };
            ParsedSequence::Key(KeyEvent::new(KeyCode::Char(c), shift), c.len_utf8())
        }),
        Err(error) if error.error_len().is_none() && there < long => ParsedSequence::Incomplete,
        Err(_) => ParsedSequence::Skip(1),
    }
}

/// Skips a terminal reply in string form, up to its terminator.
fn skip_string(rest: &[u8]) -> ParsedSequence {
    match rest.iter().position(|byte| matches!(byte, 0x07 | 0x1b)) {
        Some(at) if rest[at] == 0x07 => ParsedSequence::Skip(at + 3),
        Some(at) if rest.get(at + 1) == Some(&b'\\') => ParsedSequence::Skip(at + 4),
        Some(at) if at + 1 < rest.len() => ParsedSequence::Skip(at + 2),
        _ => ParsedSequence::Incomplete,
    }
}

fn parse_ss3(rest: &[u8]) -> ParsedSequence {
    let Some(byte) = rest.first() else { return ParsedSequence::Incomplete };
    match key_for_final_byte(*byte) {
        Some(code) => ParsedSequence::Key(plain_key(code), 3),
        None if *byte == b'M' => ParsedSequence::Key(plain_key(KeyCode::Enter), 3),
        None => ParsedSequence::Skip(3),
    }
}

fn key_for_final_byte(last: u8) -> Option<KeyCode> {
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

fn parse_csi(rest: &[u8]) -> ParsedSequence {
    let body = rest.iter().take_while(|byte| (0x20..=0x3f).contains(*byte)).count();
    let Some(last) = rest.get(body).copied() else { return ParsedSequence::Incomplete };
    let used = body + 3;
    if !(0x40..=0x7e).contains(&last) {
        return ParsedSequence::Skip(used - 1);
    }
    let params = &rest[..body];
    if params.first().is_some_and(|byte| matches!(byte, b'?' | b'>' | b'<' | b'=')) {
        return ParsedSequence::Skip(used);
    }
    let numbers = parse_params(params);
    let number = |at: usize| numbers.get(at).map_or(0, |(value, _)| *value);
    // Event kind 3 is a key release.
    let released = numbers.get(1).is_some_and(|(_, kind)| *kind == 3);
    let mods = parse_modifiers(number(1));
    let made = |code: Option<KeyCode>, mods: KeyModifiers| match code {
        Some(code) if !released => ParsedSequence::Key(KeyEvent::new(code, mods), used),
        Some(_) | None => ParsedSequence::Skip(used),
    };
    match last {
        b'I' | b'O' if params.is_empty() => ParsedSequence::Focus(used),
        b'Z' => ParsedSequence::Key(KeyEvent::new(KeyCode::BackTab, KeyModifiers::SHIFT), used),
        b'~' if number(0) == 200 => ParsedSequence::PasteStart(used),
        // modifyOtherKeys: 27 ; modifiers ; code.
        b'~' if number(0) == 27 => key_for_code_point(number(2), parse_modifiers(number(1)), used),
        b'~' => made(key_for_number(number(0)), mods),
        b'u' if !released => key_for_code_point(number(0), mods, used),
        last => made(key_for_final_byte(last), mods),
    }
}

/// Parses `a:b;c:d` as pairs. Anything that is not a number becomes 0.
fn parse_params(params: &[u8]) -> Vec<(u32, u32)> {
    let text = std::str::from_utf8(params).unwrap_or_default();
    let value = |text: &str| text.parse::<u32>().unwrap_or(0);
    text.split(';')
        .map(|part| part.split_once(':').map_or((value(part), 0), |(first, second)| (value(first), value(second))))
        .collect()
}

fn parse_modifiers(given: u32) -> KeyModifiers {
    let bits = given.saturating_sub(1);
    let mut mods = KeyModifiers::NONE;
    for (bit, one) in [(1, KeyModifiers::SHIFT), (2, KeyModifiers::ALT), (4, KeyModifiers::CONTROL)] {
        if bits & bit != 0 {
            mods |= one;
        }
    }
    mods
}

fn key_for_number(number: u32) -> Option<KeyCode> {
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

/// Key for a code point, as sent by kitty and modifyOtherKeys.
fn key_for_code_point(code: u32, mods: KeyModifiers, used: usize) -> ParsedSequence {
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
        // Other keys of the private use area (locks, media, modifiers alone) are ignored.
        57344..=63743 => return ParsedSequence::Skip(used),
        code => match char::from_u32(code).filter(|c| !c.is_control()) {
            Some(c) => KeyCode::Char(c),
            None => return ParsedSequence::Skip(used),
        },
    };
    ParsedSequence::Key(KeyEvent::new(code, mods), used)
}
