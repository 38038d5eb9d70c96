//! May this run? (UI-5): exactly what will run or change, why it asks, and the rule that «don't ask again» would store (PR-7).

use super::{Drawn, Reply, bounded_rows, digit, option_line, written};
use crate::diff;
use crate::overlay::coloured::language;
use crate::overlay::pager::{Body, Item};
use crate::review::field::Field;
use crate::text;
use crate::theme::Theme;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use cutonce_core::event::AskView;
use cutonce_core::permission::{Suggestion, Why};
use cutonce_core::submission::{Answer, PermissionAnswer, Remember, RememberIn};
use ratatui::text::{Line, Span};
use std::cell::RefCell;

/// Rows of what is asked about that are always there.
const LEAST_WHAT: usize = 3;
/// Rows of a choice, and rules that it names; Ctrl+O has all.
const MOST_OPTION: usize = 3;
const MOST_RULES: usize = 8;
/// Rows of the words that are said instead.
const MOST_WORDS: usize = 3;

#[derive(Debug)]
pub struct Permission {
    tool: String,
    /// The command, the diff, or the input.
    what: String,
    is_diff: bool,
    /// The file that would change.
    path: Option<String>,
    why: String,
    options: Vec<Choice>,
    at: usize,
    /// Rows of `what` that are scrolled past.
    top: usize,
    /// What the agent should do instead, while it is being written.
    instead: Option<Field>,
    /// The rows of `what` and the width they were made for: a long diff is not made anew for every key.
    rows: RefCell<(usize, Vec<Line<'static>>)>,
}

#[derive(Debug, Clone)]
enum Choice {
    Once,
    Always(Vec<String>),
    No,
}

impl Choice {
    /// Its digit, less one: the same in every dialog, so that a hand that knows «no» does not say yes.
    fn place(&self) -> usize {
        match self {
            Choice::Once => 0,
            Choice::Always(_) => 1,
            Choice::No => 2,
        }
    }
}

impl Permission {
    pub fn new(
        ask: &AskView,
        who: Option<&str>,
        why: &Why,
        suggestions: &[Suggestion],
        preview: Option<&str>,
    ) -> Permission {
        let input = || serde_json::to_string_pretty(&ask.input).unwrap_or_default();
        let what = preview.map_or_else(input, str::to_string);
        // The narrowest rule that covers it (PR-7).
        let always = suggestions.first().map(|suggestion| Choice::Always(suggestion.rules.clone()));
        let rule =
            why.rule.as_ref().filter(|rule| !why.reason.contains(rule.as_str())).map(|rule| format!(" ({rule})"));
        let path = ["file_path", "notebook_path"].iter().find_map(|field| ask.input.get(field)?.as_str());
        Permission {
            // A command may look like one; only a file has one.
            is_diff: path.is_some() && what.starts_with("--- ") && what.contains("\n+++ "),
            path: path.map(|path| text::one_line(text::bounded(path, 1_000).as_ref())),
            what,
            tool: who.map_or_else(|| ask.tool.clone(), |who| format!("{} ({who})", ask.tool)),
            why: format!("{}{}", why.reason, rule.unwrap_or_default()),
            options: [Choice::Once].into_iter().chain(always).chain([Choice::No]).collect(),
            at: 0,
            top: 0,
            instead: None,
            rows: RefCell::default(),
        }
    }

    /// All of it, and every rule that would be stored.
    pub fn whole(&self) -> Vec<Item> {
        let title = self.path.clone().unwrap_or_default();
        let body = match self.is_diff {
            true => Body::Diff { language: language(&title), text: self.what.as_str().into() },
            false => Body::Plain(self.what.as_str().into()),
        };
        let rules = self.options.iter().filter_map(all_rules);
        let rules = rules.map(|rules| Item { title: String::new(), body: Body::Plain(rules.into()) });
        [Item { title, body }].into_iter().chain(rules).collect()
    }

    pub fn paste(&mut self, pasted: &str) {
        if let Some(words) = &mut self.instead {
            words.insert(pasted);
        }
    }

    pub fn hint(&self) -> &'static str {
        match self.instead {
            Some(_) => "enter says no with these words · esc back",
            None => "enter or a digit chooses · esc no · ctrl+o shows all of it",
        }
    }

    pub fn key(&mut self, key: KeyEvent) -> Reply {
        if self.instead.is_some() {
            return self.write(key);
        }
        let last = self.options.len() - 1;
        if let Some(n) = digit(key).and_then(|n| self.options.iter().position(|option| option.place() == n)) {
            return self.choose(n);
        }
        match crate::keymap::name_of(key).as_str() {
            "esc" => no(String::new()),
            "enter" => self.choose(self.at),
            "up" => self.focus(self.at.checked_sub(1).unwrap_or(last)),
            "down" | "tab" => self.focus(if self.at == last { 0 } else { self.at + 1 }),
            "pgdn" | "ctrl+d" => self.scroll(self.top.saturating_add(5)),
            "pgup" | "ctrl+u" => self.scroll(self.top.saturating_sub(5)),
            "ctrl+o" => Reply::Details,
            _ => Reply::Nothing,
        }
    }

    fn focus(&mut self, at: usize) -> Reply {
        self.at = at;
        Reply::Redraw
    }
    /// Where it ends the rows say, once they are drawn.
    fn scroll(&mut self, top: usize) -> Reply {
        self.top = top.min(self.what.len());
        Reply::Redraw
    }

    fn choose(&mut self, n: usize) -> Reply {
        match self.options.get(n) {
            Some(Choice::Once) => yes(&[]),
            Some(Choice::Always(rules)) => yes(rules),
            Some(Choice::No) => {
                self.at = n;
                self.instead = Some(Field::default());
                Reply::Redraw
            }
            None => Reply::Nothing,
        }
    }

    fn write(&mut self, key: KeyEvent) -> Reply {
        let Some(words) = &mut self.instead else { return Reply::Nothing };
        match key.code {
            KeyCode::Enter if key.modifiers == KeyModifiers::NONE => return no(words.text().trim().to_string()),
            KeyCode::Esc => self.instead = None,
            _ if words.key(key) => {}
            _ => return Reply::Nothing,
        }
        Reply::Redraw
    }

    pub fn draw(&self, width: usize, most: usize, theme: &Theme) -> Drawn {
        let verb = if self.is_diff { "wants to change" } else { "wants to run" };
        let asked = Line::from(vec![
            Span::styled(text::one_line(&self.tool), theme.strong),
            Span::styled(format!(" {verb}"), theme.text),
            Span::styled(
                self.path
                    .as_ref()
                    .filter(|_| self.is_diff)
                    .map(|path| format!(" {}", text::fit_end(path, width * 2)))
                    .unwrap_or_default(),
                theme.strong,
            ),
        ]);
        let prefix = text::Prefix { first: vec![Span::styled("? ", theme.warning)], next: vec![Span::raw("  ")] };
        let mut lines = text::wrap(&asked, width, &prefix);
        // The head, some of what is asked about, and every choice are there on the smallest screen; reason and rules give way.
        let words_room = MOST_WORDS.min(most.saturating_sub(lines.len() + self.options.len() + 2)).max(1);
        let instead = self.instead.as_ref().map(|words| written("    say instead: ", words, width, words_room, theme));
        let choices = self.options.len() + instead.as_ref().map_or(0, |(rows, _)| rows.len());
        let spare = most.saturating_sub(lines.len() + choices + LEAST_WHAT);
        let mut below = super::super::entry::marked("  ", &format!("why: {}", self.why), width, 4, theme.dim, theme);
        below.truncate(spare.clamp(1, 4));
        let mut spare = spare.saturating_sub(below.len());
        let mut cursor = None;
        for (n, option) in self.options.iter().enumerate() {
            let rows = option_line(option.place(), words(option), n == self.at, width, theme);
            let rows = bounded_rows(rows, (1 + spare).min(MOST_OPTION), width, theme);
            spare = spare.saturating_sub(rows.len() - 1);
            below.extend(rows);
        }
        if let Some((rows, (row, column))) = instead {
            cursor = Some((below.len() + row, column));
            below.extend(rows);
        }
        let room = most.saturating_sub(below.len() + lines.len()).max(LEAST_WHAT);
        lines.extend(self.what_lines(width, room, theme));
        let above = lines.len();
        lines.extend(below);
        Drawn { lines, cursor: cursor.map(|(row, column)| (row + above, column)) }
    }

    fn what_lines(&self, width: usize, room: usize, theme: &Theme) -> Vec<Line<'static>> {
        let inner = width.saturating_sub(2).max(4);
        let mut made = self.rows.borrow_mut();
        if made.0 != inner {
            let rows = if self.is_diff {
                diff::unified(&self.what, inner, theme, usize::MAX)
            } else {
                text::wrap_plain(text::bounded(self.what.trim_end(), 20_000).as_ref(), inner, theme.code)
            };
            *made = (inner, rows);
        }
        let all = &made.1;
        let top = self.top.min(all.len().saturating_sub(room.saturating_sub(1)));
        let left = all.len().saturating_sub(top + room);
        let take = if left > 0 || top > 0 { room.saturating_sub(1) } else { room };
        let left = all.len().saturating_sub(top + take);
        let mut lines: Vec<Line<'static>> = all.iter().skip(top).take(take).cloned().collect();
        if left > 0 || top > 0 {
            let above = if top > 0 { format!("{top} above, ") } else { String::new() };
            lines
                .push(Line::styled(format!("… {above}{} (pgdn, ctrl+o)", text::counted(left, "more line")), theme.dim));
        }
        lines.iter_mut().for_each(|line| line.spans.insert(0, Span::raw("  ")));
        lines
    }
}

/// All rules that a choice would store, for the whole screen.
fn all_rules(choice: &Choice) -> Option<String> {
    match choice {
        Choice::Always(rules) => {
            let each: Vec<String> = rules.iter().map(|rule| format!("  {}", text::one_line(rule))).collect();
            Some(format!("«don't ask again» would store:\n{}", each.join("\n")))
        }
        Choice::Once | Choice::No => None,
    }
}

fn words(choice: &Choice) -> String {
    match choice {
        Choice::Once => "yes".into(),
        Choice::Always(rules) => {
            let named = rules.iter().take(MOST_RULES).map(|rule| text::one_line(rule)).collect::<Vec<_>>().join(", ");
            let more = match rules.len().saturating_sub(MOST_RULES) {
                0 => String::new(),
                more => format!(" and {}", text::counted(more, "more rule")),
            };
            format!("yes, and don't ask again here for {named}{more}")
        }
        Choice::No => "no, and say what to do instead".into(),
    }
}

fn yes(rules: &[String]) -> Reply {
    let keep = |rule: &String| Remember { rule: rule.clone(), where_to: RememberIn::Local };
    Reply::Answer(Answer::Permission(PermissionAnswer::Allow { remember: rules.iter().map(keep).collect() }))
}

fn no(message: String) -> Reply {
    Reply::Answer(Answer::Permission(PermissionAnswer::Deny { message, interrupt: false }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use cutonce_core::event::AskKind;
    use cutonce_core::rule::Behavior;

    fn dialog(preview: &str) -> Permission {
        let why = Why { reason: "commands ask in default mode".into(), rule: None, source: None };
        let suggestions = vec![Suggestion { rules: vec!["Bash(cargo test:*)".into()], behavior: Behavior::Allow }];
        let ask = AskView {
            agent: None,
            ask_id: "a".into(),
            call_id: "c".into(),
            tool: "Bash".into(),
            input: serde_json::json!({}),
            kind: AskKind::EnterPlan,
        };
        Permission::new(&ask, None, &why, &suggestions, Some(preview))
    }

    fn key(name: KeyCode) -> KeyEvent {
        KeyEvent::from(name)
    }

    #[test]
    fn ui_5_it_shows_the_whole_command_the_reason_and_the_rule() {
        let shown = dialog("cargo test -p session\necho done").draw(60, 20, &Theme::default()).lines;
        let shown: Vec<String> = shown.iter().map(text::plain).collect();
        assert_eq!(
            shown,
            [
                "? Bash wants to run",
                "  cargo test -p session",
                "  echo done",
                "  why: commands ask in default mode",
                "› 1 yes",
                "  2 yes, and don't ask again here for Bash(cargo test:*)",
                "  3 no, and say what to do instead",
            ]
        );
    }

    #[test]
    fn ui_5_esc_is_no_a_paste_is_no_answer_and_no_may_have_words() {
        let mut ask = dialog("x");
        assert_eq!(ask.key(key(KeyCode::Esc)), no(String::new()));
        ask.paste("1\n");
        assert_eq!(ask.key(key(KeyCode::Char('x'))), Reply::Nothing);
        assert_eq!(ask.key(key(KeyCode::Char('3'))), Reply::Redraw);
        "use 1".chars().for_each(|c| assert_eq!(ask.key(key(KeyCode::Char(c))), Reply::Redraw));
        assert_eq!(ask.key(key(KeyCode::Enter)), no("use 1".into()));
        assert_eq!(dialog("x").key(key(KeyCode::Char('2'))), yes(&["Bash(cargo test:*)".into()]));
        assert_eq!(dialog("x").key(key(KeyCode::Char('9'))), Reply::Nothing);
        // Without a rule to store «no» keeps its digit.
        let mut bare = dialog("x");
        bare.options.remove(1);
        assert_eq!(bare.key(key(KeyCode::Char('2'))), Reply::Nothing);
        assert_eq!(bare.key(key(KeyCode::Char('3'))), Reply::Redraw);
        assert!(bare.instead.is_some());
    }

    #[test]
    fn ui_5_many_rules_and_small_screens_leave_head_command_and_every_choice() {
        let mut ask = dialog(&format!("echo {}; rm -rf out", "very-long-word ".repeat(60)));
        ask.options[1] = Choice::Always((0..100).map(|n| format!("Bash(touch f{n})")).collect());
        ask.why = "a reason that is itself quite long and goes on for more than one row of a narrow screen".into();
        for (width, most) in [(79, 18), (39, 10), (39, 8)] {
            let shown: Vec<String> = ask.draw(width, most, &Theme::default()).lines.iter().map(text::plain).collect();
            assert!(shown.len() <= most, "{} rows of {most}: {shown:#?}", shown.len());
            for wanted in
                ["? Bash wants to run", "  echo very-long", "› 1 yes", "  2 yes, and don't", "  3 no, and say"]
            {
                assert!(shown.iter().any(|row| row.starts_with(wanted)), "{wanted} in {shown:#?}");
            }
        }
        assert!(ask.whole().iter().any(|item| item.body.text().contains("Bash(touch f99)")));
        // The end of a long line can be scrolled to.
        for _ in 0..40 {
            ask.key(key(KeyCode::PageDown));
        }
        let shown: Vec<String> = ask.draw(79, 18, &Theme::default()).lines.iter().map(text::plain).collect();
        assert!(shown.iter().any(|row| row.contains("rm -rf out")), "{shown:#?}");
    }

    #[test]
    fn ui_5_a_diff_is_whole_behind_a_long_line_and_beyond_sixty_kilobytes() {
        let lines: String = (0..20_000).map(|n| format!("+line {n}\n")).collect();
        let diff = format!("--- /dev/null\n+++ a\n@@ -0,0 +1,20002 @@\n+{}\n{lines}+evil\n", "x".repeat(70_000));
        let mut ask = dialog(&diff);
        (ask.is_diff, ask.path) = (true, Some("src/a.rs".into()));
        let drawn =
            |ask: &Permission| ask.draw(79, 14, &Theme::default()).lines.iter().map(text::plain).collect::<Vec<_>>();
        assert!(drawn(&ask)[0].ends_with("wants to change src/a.rs"), "{:?}", drawn(&ask));
        let told = drawn(&ask).into_iter().find(|row| row.contains("more lines")).unwrap();
        assert!(told.contains("20,0"), "{told}");
        ask.key(key(KeyCode::PageDown));
        ask.key(key(KeyCode::PageDown));
        assert!(drawn(&ask).iter().any(|row| row.contains("69,000 more characters")), "{:?}", drawn(&ask));
        ask.top = usize::MAX;
        assert!(drawn(&ask).iter().any(|row| row.ends_with("20002 + evil")), "{:?}", drawn(&ask));
        let whole = ask.whole();
        assert!(whole[0].title == "src/a.rs" && whole[0].body.text() == diff);
    }

    #[test]
    fn ui_5_the_words_that_are_said_instead_are_edited_like_any_text() {
        let mut ask = dialog("x");
        ask.key(key(KeyCode::Char('3')));
        "use z".chars().for_each(|c| drop(ask.key(key(KeyCode::Char(c)))));
        let control = |c: char| KeyEvent::new(KeyCode::Char(c), KeyModifiers::CONTROL);
        ask.key(key(KeyCode::Home));
        ask.key(key(KeyCode::Char('!')));
        let drawn = ask.draw(60, 20, &Theme::default());
        let (row, column) = drawn.cursor.unwrap();
        assert_eq!(text::plain(&drawn.lines[row]), "    say instead: !use z");
        assert_eq!(column, 18);
        for one in [control('e'), control('w'), control('j'), key(KeyCode::Char('y'))] {
            assert_eq!(ask.key(one), Reply::Redraw);
        }
        let drawn = ask.draw(60, 20, &Theme::default());
        assert_eq!(drawn.cursor, Some((drawn.lines.len() - 1, 18)));
        assert_eq!(ask.key(key(KeyCode::Enter)), no("!use \ny".into()));
    }

    #[test]
    fn ui_5_a_long_command_is_counted_and_can_be_scrolled() {
        let long: String = (0..200).map(|n| format!("echo {n}\n")).collect();
        let mut ask = dialog(&long);
        let drawn =
            |ask: &Permission| ask.draw(60, 14, &Theme::default()).lines.iter().map(text::plain).collect::<Vec<_>>();
        assert!(
            drawn(&ask).len() <= 14 && drawn(&ask).iter().any(|line| line.contains("more lines")),
            "{:?}",
            drawn(&ask)
        );
        (0..60).for_each(|_| drop(ask.key(key(KeyCode::PageDown))));
        assert!(drawn(&ask).iter().any(|line| line.contains("echo 199")), "{:?}", drawn(&ask));
    }
}
