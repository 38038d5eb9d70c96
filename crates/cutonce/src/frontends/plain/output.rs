//! The only output path of the plain front end. Names, model output and files can't send control sequences to
//! the terminal or hide text (TL-10, UI-5). Nothing is left out, because the user may have to judge it.

use cutonce_core::text::sanitize::reveal_hidden;
use std::io::{IsTerminal, Write};

/// Prints without a newline.
pub fn print_text(text: &str) {
    print!("{}", reveal_hidden(text));
    let _ = std::io::stdout().flush();
}

/// Prints one or more lines.
pub fn print_lines(text: &str) {
    println!("{}", reveal_hidden(text));
}

/// Prints a line to stderr.
pub fn print_stderr(text: &str) {
    eprintln!("{}", reveal_hidden(text));
}

/// Prints the notification (PM-88). These are the only raw bytes for the terminal, and they contain no
/// outside text.
pub fn print_notification(sign: &str) {
    if std::io::stdout().is_terminal() {
        print!("{sign}");
    }
}

/// Copies a text to the clipboard of the terminal (DU-5). The text is sent in base64, so it can't control anything.
pub fn copy_to_clipboard(text: &str) {
    print_notification(&cutonce_tui::clipboard_sequence(text, std::env::var_os("TMUX").is_some()));
    let _ = std::io::stdout().flush();
}

/// Adds a margin to each line of outside text, so that no line looks like ours.
pub fn with_margin(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(|line| format!("  | {line}").trim_end().to_string()).collect();
    lines.join("\n")
}
