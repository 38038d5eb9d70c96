//! Print macros that never panic. Stdout and stderr may be closed or full, and that must not abort the
//! session (CL-3). They shadow the standard macros of the same names.

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
    ($($words:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr(), $($words)*);
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

/// Columns for one line of a list: those of the terminal, or no limit if standard output is not a terminal.
pub fn list_width() -> usize {
    use std::io::IsTerminal as _;
    match std::io::stdout().is_terminal() {
        true => cutonce_tui::terminal_columns(),
        false => usize::MAX,
    }
}
