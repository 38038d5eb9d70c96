//! Whether a command is a check of the plan (PC-31).

/// One piece of a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Word(String),
    /// `&&`, `||`, `;`, `|`, `&`, `(`, `)`, `<`.
    Operator(&'static str),
    /// `>`, `2>>`, `&>`: with the target, if it is attached.
    Output {
        has_target: bool,
    },
}

/// True if both are the same command without a `cd` into the workspace, assignments, redirections of output and
/// whitespace.
pub fn is_same_command(check: &str, command: &str, root: &str) -> bool {
    let normal = normal_command(check, root);
    !normal.is_empty() && normal == normal_command(command, root)
}

/// The words of a command without what PC-31 removes.
pub(super) fn normal_command(command: &str, root: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut at_start = true;
    let mut skip_target = false;
    for piece in split_pieces(command) {
        match piece {
            Piece::Word(_) if skip_target => skip_target = false,
            Piece::Word(word) if at_start && is_assignment(&word) => {}
            Piece::Word(word) => {
                words.push(word);
                at_start = false;
            }
            Piece::Operator(operator) => {
                (at_start, skip_target) = (true, false);
                // An empty command is left of assignments only.
                let empty = words.last().is_none_or(|last| is_operator(last)) && operator != "(";
                if !(empty && [";", "&&"].contains(&operator)) {
                    words.push(operator.to_string());
                }
            }
            Piece::Output { has_target } => skip_target = !has_target,
        }
        drop_leading_cd(&mut words, root);
    }
    while words.last().is_some_and(|word| word == ";") {
        words.pop();
    }
    words
}

fn is_operator(word: &str) -> bool {
    ["&&", "||", ";", "|", "&", "("].contains(&word)
}

/// Removes `cd ROOT &&` at the start.
fn drop_leading_cd(words: &mut Vec<String>, root: &str) {
    if let [cd, folder, operator] = words.as_slice()
        && cd == "cd"
        && (operator == "&&" || operator == ";")
        && is_root(folder, root)
    {
        words.clear();
    }
}

fn is_root(folder: &str, root: &str) -> bool {
    let folder = folder.trim_matches(['"', '\'']);
    let folder = if folder.len() > 1 { folder.trim_end_matches('/') } else { folder };
    folder == "." || (!root.is_empty() && folder == root.trim_end_matches('/'))
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        plain && name.chars().next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
    })
}

fn split_pieces(command: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut word = String::new();
    let mut rest = command;
    while let Some(c) = rest.chars().next() {
        if let Some((piece, length)) = operator(rest, &word) {
            let digits = matches!(piece, Piece::Output { .. }) && word.chars().all(|c| c.is_ascii_digit());
            if !word.is_empty() && !digits {
                pieces.push(Piece::Word(std::mem::take(&mut word)));
            }
            word.clear();
            pieces.push(piece);
            rest = &rest[length..];
            continue;
        }
        let length = match c {
            '\\' => c.len_utf8() + rest[1..].chars().next().map_or(0, char::len_utf8),
            '\'' | '"' => quoted_len(rest, c),
            _ => c.len_utf8(),
        };
        match c {
            c if c.is_whitespace() => {
                if !word.is_empty() {
                    pieces.push(Piece::Word(std::mem::take(&mut word)));
                }
            }
            '\\' if rest[..length].ends_with('\n') => {}
            _ => word.push_str(&rest[..length]),
        }
        rest = &rest[length..];
    }
    if !word.is_empty() {
        pieces.push(Piece::Word(word));
    }
    pieces
}

/// Length of a quoted string at the start, with its quotes.
fn quoted_len(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' if quote == '"' => escaped = true,
            c if c == quote => return at + c.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

/// The operator at the start, with its length.
fn operator(rest: &str, word: &str) -> Option<(Piece, usize)> {
    const OUTPUTS: &[&str] = &["&>>", "&>", ">>", ">|", ">&", ">"];
    const OPERATORS: &[&str] = &["&&", "||", ";", "|", "&", "(", ")", "<"];
    if rest.starts_with('\n') {
        return Some((Piece::Operator(";"), 1));
    }
    if rest.starts_with('(') && word.ends_with('$') {
        return None;
    }
    if let Some(output) = OUTPUTS.iter().find(|output| rest.starts_with(**output)) {
        // `2>&1` has its target right behind.
        let digits = rest[output.len()..].bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'-').count();
        let digits = if *output == ">&" { digits } else { 0 };
        return Some((Piece::Output { has_target: digits > 0 }, output.len() + digits));
    }
    let found = OPERATORS.iter().find(|operator| rest.starts_with(**operator))?;
    Some((Piece::Operator(found), found.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pc_31_same_commands_are_recognised() {
        let root = "/home/me/project";
        for command in [
            "cargo test -p a",
            "  cargo   test\t-p a ",
            "cd /home/me/project && cargo test -p a",
            "cd . ; cargo test -p a",
            "cd \"/home/me/project/\" && RUST_LOG=debug cargo test -p a",
            "CI=1 RUST_BACKTRACE=1 cargo test -p a 2>&1",
            "cargo test -p a > /tmp/out 2>&1",
            "cargo test -p a &> out.txt;",
            "cargo test 2>/dev/null -p a",
            "cargo test \\\n -p a",
        ] {
            assert!(is_same_command("cargo test -p a", command, root), "{command}");
        }
        for command in [
            "cargo test",
            "cargo test -p b",
            "cd sub && cargo test -p a",
            "cd /tmp && cargo test -p a",
            "cargo test -p a || true",
            "cargo test -p a | tail -3",
            "cargo test -p a; true",
            "echo cargo test -p a",
            "! cargo test -p a",
            "(cargo test -p a)",
            "cargo test -p a < x",
            "cargo test -p a &",
            "cargo test '-p a'",
            "",
        ] {
            assert!(!is_same_command("cargo test -p a", command, root), "{command}");
        }
        assert!(is_same_command("A=1 make && ./x", "make > y && B=2 ./x", root));
        assert!(!is_same_command("", "", root) && !is_same_command("A=1", "B=2", root));
    }
}
