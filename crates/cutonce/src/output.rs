//! Print macros that never panic. Stdout and stderr may be closed or full, and that must not abort the
//! session (CL-3). They shadow the standard macros of the same names. Messages for the user carry no error codes of the
//! system.

macro_rules! print {
    ($($words:tt)*) => {{
        use std::io::Write as _;
        let _ = write!(std::io::stdout(), $($words)*);
    }};
}

macro_rules! println {
    ($($words:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stdout(), $($words)*);
    }};
}

macro_rules! eprintln {
    () => { eprintln!("") };
    ($($words:tt)*) => {{
        use std::io::Write as _;
        let text = format!($($words)*);
        let _ = writeln!(std::io::stderr(), "{}", cutonce_core::text::sanitize::without_os_codes(&text));
    }};
}

/// True if the error is only that the reader of our output is gone (`| head -1`). There is nothing to report
/// then.
pub fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let closed = |cause: &(dyn std::error::Error + 'static)| {
        let io = cause.downcast_ref::<std::io::Error>();
        io.is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
    };
    error.chain().any(closed)
}

/// Most that is printed at once for a user to read.
pub const PAGE_LINES: usize = 2_000;
pub const PAGE_BYTES: usize = 256 << 10;

/// The beginning of a text that a user can read at once, and how many lines follow it.
pub fn first_page(text: &str) -> (&str, usize) {
    let lines = text.match_indices('\n').nth(PAGE_LINES - 1).map_or(text.len(), |(end, _)| end);
    let end = lines.min(text.floor_char_boundary(PAGE_BYTES));
    let (shown, rest) = text.split_at(end);
    (shown, rest.trim_start_matches('\n').lines().count())
}

/// Columns for one line of a list: those of the terminal, or no limit if standard output is not a terminal.
pub fn list_width() -> usize {
    use std::io::IsTerminal as _;
    match std::io::stdout().is_terminal() {
        true => cutonce_tui::terminal_columns(),
        false => usize::MAX,
    }
}

/// Prints a long line, on a terminal wrapped between words.
pub fn print_wrapped(line: &str) {
    wrap_words(line, list_width()).iter().for_each(|row| println!("{row}"));
}

/// The words of a line in rows of at most `columns`; later rows are indented. A word that is too long for a row, such
/// as an address, has a row of its own.
fn wrap_words(line: &str, columns: usize) -> Vec<String> {
    let mut rows: Vec<String> = Vec::new();
    for word in line.split(' ') {
        match rows.last_mut() {
            Some(row) if row.chars().count() + 1 + word.chars().count() <= columns => {
                row.push(' ');
                row.push_str(word);
            }
            Some(_) => rows.push(format!("  {word}")),
            None => rows.push(word.to_string()),
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pm_76_page_has_a_limited_number_of_lines() {
        let plan = "a line\n".repeat(1_000_000);
        let (shown, left_out) = first_page(plan.trim_end());
        assert_eq!((shown.lines().count(), left_out), (2_000, 998_000));
        assert_eq!(first_page("one\ntwo"), ("one\ntwo", 0));
        let long = "é".repeat(1 << 20);
        let (shown, left_out) = first_page(&long);
        assert_eq!((shown.len(), left_out), (PAGE_BYTES, 1));
    }

    #[test]
    fn on_3_long_errors_wrap_between_words() {
        let line =
            "✗ anthropic refused the key (401): invalid x-api-key. Copy it again from the console and paste it here.";
        let rows = wrap_words(line, 40);
        assert!(rows.len() > 2 && rows.iter().all(|row| row.chars().count() <= 40), "{rows:?}");
        let joined = rows.iter().map(|row| row.trim_start()).collect::<Vec<_>>().join(" ");
        assert_eq!(joined, line);
        assert_eq!(wrap_words(&"x".repeat(50), 40), ["x".repeat(50)]);
    }
}
