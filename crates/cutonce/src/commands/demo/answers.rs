//! Who answers the questions of the demo in plain lines (ON-2): the user on a terminal, the lines of a pipe, or the
//! demo itself.

use std::io::{IsTerminal, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// Longest wait for the first line of a pipe: the standard input of a script may stay open without a line.
const FIRST_LINE: Duration = Duration::from_secs(3);

/// An answer to a question of the demo.
#[derive(Debug, PartialEq, Eq)]
pub enum DemoAnswer {
    Typed(String),
    /// No user answers, so the demo does.
    ByItself,
    /// The input ended after earlier answers: nothing more is approved.
    Ended,
}

/// The source of answers.
pub struct DemoAnswers {
    /// `None` if the demo answers by itself.
    lines: Option<Receiver<String>>,
    /// A user is present: on a terminal, or because a line came.
    present: bool,
    echoed: bool,
}

impl DemoAnswers {
    /// Reads standard input, unless the demo answers everything (`--yes`).
    pub fn new(automatic: bool) -> DemoAnswers {
        let terminal = std::io::stdin().is_terminal();
        DemoAnswers { lines: (!automatic).then(read_lines), present: terminal, echoed: terminal }
    }

    pub fn next(&mut self, prompt: &str) -> anyhow::Result<DemoAnswer> {
        let Some(lines) = &self.lines else { return Ok(DemoAnswer::ByItself) };
        print!("{prompt}");
        std::io::stdout().flush()?;
        let line = match self.present {
            true => lines.recv().map_err(RecvTimeoutError::from),
            false => lines.recv_timeout(FIRST_LINE),
        };
        match line {
            Ok(line) => {
                self.present = true;
                if !self.echoed {
                    println!("{line}");
                }
                Ok(DemoAnswer::Typed(line))
            }
            Err(_) if self.present => Ok(DemoAnswer::Ended),
            Err(_) => {
                self.lines = None;
                Ok(DemoAnswer::ByItself)
            }
        }
    }
}

/// The lines of standard input. The thread ends with the input or the program.
fn read_lines() -> Receiver<String> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let typed = std::io::stdin().lines().map_while(Result::ok);
        typed.take_while(|line| sender.send(line.trim().to_string()).is_ok()).for_each(drop);
    });
    receiver
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(lines: &[&str]) -> DemoAnswers {
        let (sender, receiver) = channel();
        lines.iter().for_each(|line| sender.send(line.to_string()).unwrap());
        DemoAnswers { lines: Some(receiver), present: false, echoed: true }
    }

    #[test]
    fn on_2_input_that_ends_approves_nothing() {
        let mut some = answers(&["5"]);
        assert_eq!(some.next("").unwrap(), DemoAnswer::Typed("5".into()));
        assert_eq!(some.next("").unwrap(), DemoAnswer::Ended);
        let mut none = answers(&[]);
        assert_eq!(none.next("").unwrap(), DemoAnswer::ByItself);
        assert_eq!(none.next("").unwrap(), DemoAnswer::ByItself);
        assert_eq!(DemoAnswers::new(true).next("").unwrap(), DemoAnswer::ByItself);
    }
}
