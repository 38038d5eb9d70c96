//! Stories at a terminal: the steps of a `keys` section, and a screen as text that is identical in every run.

use crate::pty::Term;

pub fn size(text: &str) -> Result<(u16, u16), String> {
    let (columns, rows) = text.split_once('x').ok_or("a size is COLUMNSxROWS")?;
    let number = |text: &str| text.parse::<u16>().map_err(|error| error.to_string());
    Ok((number(columns)?, number(rows)?))
}

/// `< cue` waits until it is shown, `gone cue` until it is not; `> text` types, `press keys` presses keys,
/// `rush keys` sends them in one write like typeahead, `paste text` pastes (`\\n` is a newline), `size 40x15`
/// resizes the window.
pub fn step(term: &mut Term, line: &str) -> Result<(), String> {
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    match word {
        "<" => term.see(rest),
        "gone" => term.until(&format!("lose `{rest}`"), |screen| !screen.contains(rest)),
        ">" => term.send(rest.as_bytes()),
        "press" => term.press(rest),
        "rush" => term.rush(rest),
        "paste" => term.send(format!("\x1b[200~{}\x1b[201~", rest.replace("\\n", "\r")).as_bytes()),
        "size" => {
            let (columns, rows) = size(rest)?;
            term.resize(columns, rows)
        }
        _ => Err("a line starts with <, gone, >, press, rush, paste, size or !".into()),
    }
}

/// The screen once it matches; otherwise the stable screen.
pub fn shown(term: &mut Term, whole: bool, expected: &str, named: impl Fn(&str) -> String) -> String {
    let text = |term: &mut Term| normal(&named(&if whole { term.whole() } else { term.contents() }));
    if whole || std::env::var_os("UPDATE").is_some() {
        term.settle();
    } else {
        let _ = term.until("fit", |screen| normal(&named(screen)) == expected);
    }
    text(term)
}

/// Times, counts and spinners differ between runs, and so does the space around them.
fn normal(raw: &str) -> String {
    let mut out = String::new();
    for line in raw.lines() {
        let line = line.trim_end();
        let (named, changed) = counted(line);
        // A call that took no time shows none; its columns are squeezed anyway.
        let call = ["● ", "✗ "].iter().any(|mark| named.starts_with(mark));
        let line = if changed || call { squeezed(&named) } else { named };
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out.trim_end().to_string()
}

/// Replaces numbers that end in `s`, `%`, `tokens` or follow a `$`, and spinners. Returns true if there were
/// any.
fn counted(line: &str) -> (String, bool) {
    let mut words: Vec<String> = line.split(' ').map(str::to_string).collect();
    let mut changed = false;
    for at in 0..words.len() {
        let next = words.get(at + 1).cloned().unwrap_or_default();
        let number = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit() || ".k,M".contains(c));
        let word = words[at].clone();
        let named = match word.chars().next_back() {
            // A plan's name varies in length and may be cut.
            _ if word.contains("/plans/") || (word.starts_with('…') && word.ends_with(".md")) => {
                Some("<plan>".into())
            }
            // A time of day.
            _ if word.len() == 5 && word.split(':').all(|part| part.len() == 2 && number(part)) => {
                Some("<time>".into())
            }
            Some('s') if number(&word[..word.len() - 1]) => Some(String::new()),
            Some('m') if number(&word[..word.len() - 1]) => Some(String::new()),
            Some('%') if number(&word[..word.len() - 1]) => Some("<n>%".to_string()),
            _ if word.starts_with('$') && number(&word[1..]) => Some("$<n>".into()),
            _ if number(&word) && (next.starts_with("tokens") || next == "…") => Some("<n>".into()),
            Some(c) if "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏".contains(c) => Some("⠋".into()),
            _ => None,
        };
        if let Some(named) = named {
            words[at] = named;
            changed = true;
        }
    }
    (words.join(" "), changed)
}

/// Runs of spaces inside the line become two.
fn squeezed(line: &str) -> String {
    let indent = line.len() - line.trim_start().len();
    let mut out = line[..indent].to_string();
    let mut spaces = 0;
    for c in line.trim_start().chars() {
        match c {
            ' ' => spaces += 1,
            c => {
                out.push_str(&" ".repeat(spaces.min(2)));
                spaces = 0;
                out.push(c);
            }
        }
    }
    out
}
