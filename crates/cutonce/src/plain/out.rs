//! The one way from the plain face to the terminal: whatever a line is made of (names of tools, agents and servers, words of
//! models, files and people), nothing in it steers the terminal or hides (TL-10, UI-5). Nothing is left out, either: somebody
//! may have to judge it.

use cutonce_core::harmless::visible;
use std::io::{IsTerminal, Write};

/// As it comes, without an end of line.
pub fn show(text: &str) {
    print!("{}", visible(text));
    let _ = std::io::stdout().flush();
}

/// A line, or several.
pub fn say(text: &str) {
    println!("{}", visible(text));
}

/// A line beside the conversation, on standard error.
pub fn log(text: &str) {
    eprintln!("{}", visible(text));
}

/// The only bytes that are meant for the terminal itself: one sign that something waits (PM-88). Made here, of no words from
/// outside.
pub fn sign(sign: &str) {
    if std::io::stdout().is_terminal() {
        print!("{sign}");
    }
}

/// Text from outside with a margin before each of its lines, so that none of them looks like one of ours.
pub fn margined(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(|line| format!("  | {line}").trim_end().to_string()).collect();
    lines.join("\n")
}
