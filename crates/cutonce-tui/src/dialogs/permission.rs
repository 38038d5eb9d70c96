//! The permission dialog (UI-5): shows exactly what will run or change, why it asks, and the rule that «don't
//! ask again» would store (PR-7).

use super::{DialogReply, RenderedDialog, bounded_rows, digit_index, draw_text_field, option_line};
use crate::overlays::highlighted_item::language_of_file;
use crate::overlays::pager::{PagerContent, PagerItem};
use crate::render::diff;
use crate::render::text;
use crate::render::theme::Theme;
use crate::text_area::TextArea;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use cutonce_core::mode::Mode;
use cutonce_core::permission::{RuleSuggestion, Why};
use cutonce_core::protocol::event::{AskKind, AskView};
use cutonce_core::protocol::rule_scopes::{RuleScope, rule_scopes};
use cutonce_core::protocol::submission::{AskAnswer, PermissionAnswer, RememberedRule};
use ratatui::text::{Line, Span};
use std::cell::RefCell;

/// Minimum number of rows for the command or diff.
const MIN_REQUEST_ROWS: usize = 3;
/// Maximum rows per choice and rules named in it; Ctrl+O shows all.
const MAX_OPTION_ROWS: usize = 3;
const MAX_RULES: usize = 8;
/// Maximum rows of the message that denies the request.
const MAX_DENIAL_ROWS: usize = 3;

#[derive(Debug)]
pub struct PermissionDialog {
    tool: String,
    /// What the tool wants to do: run, change, read, fetch.
    verb: &'static str,
    /// The command, the diff, or the tool input.
    request: String,
    is_diff: bool,
    /// File that would change.
    path: Option<String>,
    why: String,
    options: Vec<PermissionChoice>,
    /// The scopes of «don't ask again»; ← and → choose one.
    scopes: Vec<RuleScope>,
    focused: usize,
    /// Scroll offset in the rows of `what`.
    top: usize,
    /// The denial message. Esc closes its field and keeps the text.
    denial_text: TextArea,
    /// The field for the denial message is open.
    denying: bool,
    /// Esc also stops the turn. It can't stop a teammate's.
    stops_turn: bool,
    /// Mode when the question was asked, and the mode now.
    asked_in: Mode,
    mode: Mode,
    /// Cached rows of `what` and their width, so that a long diff is not rendered for every key.
    rows: RefCell<(usize, Vec<Line<'static>>)>,
}

#[derive(Debug, Clone)]
enum PermissionChoice {
    Once,
    Always(RuleScope),
    No,
}

impl PermissionChoice {
    /// Zero-based digit of the choice. The digits are the same in every dialog, so that a habitual «no» never
    /// means yes.
    fn digit_index(&self) -> usize {
        match self {
            PermissionChoice::Once => 0,
            PermissionChoice::Always(_) => 1,
            PermissionChoice::No => 2,
        }
    }
}

impl PermissionDialog {
    pub fn new(
        ask: &AskView,
        who: Option<&str>,
        why: &Why,
        suggestions: &[RuleSuggestion],
        mode: Mode,
    ) -> PermissionDialog {
        let what = ask.request_text();
        // Offer the narrowest rule that covers the call first (PR-7).
        let scopes = rule_scopes(suggestions);
        let always = scopes.first().cloned().map(PermissionChoice::Always);
        let rule =
            why.rule.as_ref().filter(|rule| !why.reason.contains(rule.as_str())).map(|rule| format!(" ({rule})"));
        let path = ["file_path", "notebook_path"].iter().find_map(|field| ask.input.get(field)?.as_str());
        PermissionDialog {
            // A command may look like a diff; only a file tool has a real one.
            is_diff: path.is_some() && what.starts_with("--- ") && what.contains("\n+++ "),
            path: path.map(|path| text::one_line(text::truncate_chars(path, 1_000).as_ref())),
            request: what,
            verb: ask.verb(),
            tool: who.map_or_else(|| ask.tool.clone(), |who| format!("{} ({who})", ask.tool)),
            why: format!("{}{}", why.reason, rule.unwrap_or_default()),
            options: [PermissionChoice::Once].into_iter().chain(always).chain([PermissionChoice::No]).collect(),
            scopes,
            focused: 0,
            top: 0,
            denial_text: TextArea::default(),
            denying: false,
            stops_turn: !matches!(ask.kind, AskKind::Permission { from: Some(_), .. }),
            asked_in: mode,
            mode,
            rows: RefCell::default(),
        }
    }

    /// The user changed the mode while the question is open. A yes is used, except in plan mode, which decides again.
    pub fn set_mode(&mut self, mode: Mode) {
        self.mode = mode;
    }

    /// Why the call asks. After a mode change the reason of the earlier mode is out of date.
    fn reason(&self) -> String {
        match self.mode {
            mode if mode == self.asked_in => format!("why: {}", self.why),
            mode if mode.checks_answers_again() => {
                format!("Asked in {} mode. Plan mode is on now and checks it again after a yes.", self.asked_in)
            }
            mode => format!(
                "Asked in {} mode. You are in {mode} mode now; this one still needs your answer.",
                self.asked_in
            ),
        }
    }

    /// The full request and every rule that would be stored, for the pager.
    pub fn full_request(&self) -> Vec<PagerItem> {
        let title = self.path.clone().unwrap_or_default();
        let body = match self.is_diff {
            true => PagerContent::Diff { language: language_of_file(&title), text: self.request.as_str().into() },
            false => PagerContent::Plain(self.request.as_str().into()),
        };
        let rules = self.options.iter().filter_map(all_rules);
        let rules = rules.map(|rules| PagerItem { title: String::new(), body: PagerContent::Plain(rules.into()) });
        [PagerItem { title, body }].into_iter().chain(rules).collect()
    }

    pub fn paste(&mut self, pasted: &str) {
        if self.denying {
            self.denial_text.insert_limited(pasted);
        }
    }

    /// The keys, or where the focused rules would be kept (DU-2).
    pub fn hint(&self) -> String {
        let keys = match (self.options.get(self.focused), self.scopes.len() > 1) {
            _ if self.denying => "enter denies with this message · esc back",
            (Some(PermissionChoice::Always(scope)), true) => {
                return format!("{} · ←→ scope of 2 · esc stops · ctrl+o all", scope.place());
            }
            (_, true) => "enter or a digit chooses · ←→ scope of 2 · esc stops · ctrl+o all of it",
            (_, false) => "enter or a digit chooses · esc no, and stop · ctrl+o shows all of it",
        };
        keys.to_string()
    }

    pub fn on_key(&mut self, key: KeyEvent) -> DialogReply {
        if self.denying {
            return self.edit_denial(key);
        }
        let last = self.options.len() - 1;
        if let Some(n) = digit_index(key).and_then(|n| self.options.iter().position(|option| option.digit_index() == n))
        {
            return self.choose(n);
        }
        match crate::input::keymap::key_name(key).as_str() {
            // Esc denies and stops the turn; 3 denies and continues with the user's words.
            "esc" => deny_reply(String::new(), self.stops_turn),
            "enter" => self.choose(self.focused),
            "up" => self.focus_option(self.focused.checked_sub(1).unwrap_or(last)),
            "down" | "tab" => self.focus_option(if self.focused == last { 0 } else { self.focused + 1 }),
            "left" => self.change_scope(self.scopes.len().saturating_sub(1)),
            "right" => self.change_scope(1),
            "pgdn" | "ctrl+d" => self.scroll_to(self.top.saturating_add(5)),
            "pgup" | "ctrl+u" => self.scroll_to(self.top.saturating_sub(5)),
            "ctrl+o" => DialogReply::Details,
            _ => DialogReply::Nothing,
        }
    }

    /// Moves to another scope of «don't ask again» and focuses that choice (DU-2).
    fn change_scope(&mut self, by: usize) -> DialogReply {
        let always = self.options.iter().position(|option| matches!(option, PermissionChoice::Always(_)));
        let Some((at, PermissionChoice::Always(scope))) = always.and_then(|at| Some((at, self.options.get_mut(at)?)))
        else {
            return DialogReply::Nothing;
        };
        let now = self.scopes.iter().position(|known| known == scope).unwrap_or_default();
        if let Some(next) = self.scopes.get((now + by) % self.scopes.len().max(1)) {
            *scope = next.clone();
        }
        self.focus_option(at)
    }

    fn focus_option(&mut self, at: usize) -> DialogReply {
        self.focused = at;
        DialogReply::Redraw
    }
    /// Scrolls; drawing limits the offset to the number of rows.
    fn scroll_to(&mut self, top: usize) -> DialogReply {
        self.top = top.min(self.request.len());
        DialogReply::Redraw
    }

    fn choose(&mut self, n: usize) -> DialogReply {
        match self.options.get(n) {
            Some(PermissionChoice::Once) => allow_reply(Vec::new()),
            Some(PermissionChoice::Always(scope)) => allow_reply(scope.remembered()),
            Some(PermissionChoice::No) => {
                self.focused = n;
                self.denying = true;
                DialogReply::Redraw
            }
            None => DialogReply::Nothing,
        }
    }

    fn edit_denial(&mut self, key: KeyEvent) -> DialogReply {
        match key.code {
            KeyCode::Enter if key.modifiers == KeyModifiers::NONE => {
                return deny_reply(self.denial_text.text().trim().to_string(), false);
            }
            KeyCode::Esc => self.denying = false,
            _ if self.denial_text.handle_key(key) => {}
            _ => return DialogReply::Nothing,
        }
        DialogReply::Redraw
    }

    pub fn draw(&self, width: usize, most: usize, theme: &Theme) -> RenderedDialog {
        let asked = Line::from(vec![
            Span::styled(text::one_line(&self.tool), theme.strong),
            Span::styled(format!(" wants to {}", self.verb), theme.text),
            Span::styled(
                self.path
                    .as_ref()
                    .filter(|_| self.is_diff)
                    .map(|path| format!(" {}", text::fit_end(path, width * 2)))
                    .unwrap_or_default(),
                theme.strong,
            ),
        ]);
        let prefix = text::RowPrefix { first: vec![Span::styled("? ", theme.warning)], next: vec![Span::raw("  ")] };
        let mut lines = text::wrap(&asked, width, &prefix);
        // Title, part of the request and all choices are visible on the smallest screen; reason and rules
        // shrink first.
        let words_room = MAX_DENIAL_ROWS.min(most.saturating_sub(lines.len() + self.options.len() + 2)).max(1);
        let instead =
            self.denying.then(|| draw_text_field("    say instead: ", &self.denial_text, width, words_room, theme));
        let choices = self.options.len() + instead.as_ref().map_or(0, |(rows, _)| rows.len());
        let spare = most.saturating_sub(lines.len() + choices + MIN_REQUEST_ROWS);
        let mut below = crate::entries::marked_lines("  ", &self.reason(), width, 4, theme.dim, theme);
        below.truncate(spare.clamp(1, 4));
        let mut spare = spare.saturating_sub(below.len());
        let mut cursor = None;
        for (n, option) in self.options.iter().enumerate() {
            let rows = option_line(option.digit_index(), choice_label(option), n == self.focused, width, theme);
            let rows = bounded_rows(rows, (1 + spare).min(MAX_OPTION_ROWS), width, theme);
            spare = spare.saturating_sub(rows.len() - 1);
            below.extend(rows);
        }
        if let Some((rows, (row, column))) = instead {
            cursor = Some((below.len() + row, column));
            below.extend(rows);
        }
        let room = most.saturating_sub(below.len() + lines.len()).max(MIN_REQUEST_ROWS);
        lines.extend(self.request_rows(width, room, theme));
        let above = lines.len();
        lines.extend(below);
        RenderedDialog { lines, cursor: cursor.map(|(row, column)| (row + above, column)) }
    }

    fn request_rows(&self, width: usize, room: usize, theme: &Theme) -> Vec<Line<'static>> {
        let inner = width.saturating_sub(2).max(4);
        let mut made = self.rows.borrow_mut();
        if made.0 != inner {
            let rows = if self.is_diff {
                diff::render_unified(&self.request, inner, theme, usize::MAX)
            } else {
                text::wrap_plain(text::truncate_chars(self.request.trim_end(), 20_000).as_ref(), inner, theme.code)
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
            lines.push(Line::styled(
                format!("… {above}{} (pgdn, ctrl+o)", text::count_noun(left, "more line")),
                theme.dim,
            ));
        }
        lines.iter_mut().for_each(|line| line.spans.insert(0, Span::raw("  ")));
        lines
    }
}

/// Lists all rules that a choice would store, for the pager.
fn all_rules(choice: &PermissionChoice) -> Option<String> {
    match choice {
        PermissionChoice::Always(scope) => {
            let each: Vec<String> = scope.rules.iter().map(|rule| format!("  {}", text::one_line(rule))).collect();
            Some(format!("«don't ask again» means these rules, {}:\n{}", scope.place(), each.join("\n")))
        }
        PermissionChoice::Once | PermissionChoice::No => None,
    }
}

fn choice_label(choice: &PermissionChoice) -> String {
    match choice {
        PermissionChoice::Once => "yes".into(),
        PermissionChoice::Always(scope) => {
            let rules = &scope.rules;
            let named = rules.iter().take(MAX_RULES).map(|rule| text::one_line(rule)).collect::<Vec<_>>().join(", ");
            let more = match rules.len().saturating_sub(MAX_RULES) {
                0 => String::new(),
                more => format!(" and {}", text::count_noun(more, "more rule")),
            };
            scope.label(&format!("{named}{more}"))
        }
        PermissionChoice::No => "no, and say what to do instead".into(),
    }
}

fn allow_reply(remember: Vec<RememberedRule>) -> DialogReply {
    DialogReply::Answer(AskAnswer::Permission(PermissionAnswer::Allow { remember }))
}

fn deny_reply(message: String, interrupt: bool) -> DialogReply {
    DialogReply::Answer(AskAnswer::Permission(PermissionAnswer::Deny { message, interrupt }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use cutonce_core::permission::AskCause;
    use cutonce_core::permission::rules::RuleBehavior;
    use cutonce_core::protocol::submission::RuleDestination;

    fn dialog(preview: &str) -> PermissionDialog {
        let why = Why::from_reason("commands ask in default mode");
        let suggestions =
            vec![RuleSuggestion { rules: vec!["Bash(cargo test:*)".into()], behavior: RuleBehavior::Allow }];
        let ask = AskView {
            agent: None,
            ask_id: "a".into(),
            call_id: "c".into(),
            tool: "Bash".into(),
            input: serde_json::json!({}),
            kind: AskKind::Permission {
                by: AskCause::Mode,
                why: why.clone(),
                suggestions: suggestions.clone(),
                preview: Some(preview.into()),
                from: None,
            },
        };
        PermissionDialog::new(&ask, None, &why, &suggestions, Mode::Default)
    }

    fn key(name: KeyCode) -> KeyEvent {
        KeyEvent::from(name)
    }

    #[test]
    fn ui_5_dialog_shows_command_reason_and_rule() {
        let shown = dialog("cargo test -p session\necho done").draw(60, 20, &Theme::default()).lines;
        let shown: Vec<String> = shown.iter().map(text::plain_text).collect();
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
    fn du_2_focused_rules_name_their_place() {
        let mut ask = dialog("x");
        assert!(ask.hint().starts_with("enter or a digit chooses"), "{}", ask.hint());
        ask.on_key(key(KeyCode::Down));
        assert!(ask.hint().starts_with("stored in .cutonce/settings.local.json"), "{}", ask.hint());
        ask.on_key(key(KeyCode::Right));
        assert!(ask.hint().starts_with("kept until the session ends"), "{}", ask.hint());
        assert!(ask.hint().chars().count() < 77, "{}", ask.hint());
    }

    fn remembers(where_to: RuleDestination) -> DialogReply {
        allow_reply(vec![RememberedRule { rule: "Bash(cargo test:*)".into(), where_to }])
    }

    #[test]
    fn ui_5_esc_denies_and_a_paste_never_answers() {
        let mut ask = dialog("x");
        assert_eq!(ask.on_key(key(KeyCode::Esc)), deny_reply(String::new(), true));
        ask.paste("1\n");
        assert_eq!(ask.on_key(key(KeyCode::Char('x'))), DialogReply::Nothing);
        assert_eq!(ask.on_key(key(KeyCode::Char('3'))), DialogReply::Redraw);
        "use 1".chars().for_each(|c| assert_eq!(ask.on_key(key(KeyCode::Char(c))), DialogReply::Redraw));
        assert_eq!(ask.on_key(key(KeyCode::Enter)), deny_reply("use 1".into(), false));
        assert_eq!(dialog("x").on_key(key(KeyCode::Char('2'))), remembers(RuleDestination::Local));
        // The arrows change how long the rule applies (DU-2).
        let mut scoped = dialog("x");
        assert_eq!(scoped.on_key(key(KeyCode::Right)), DialogReply::Redraw);
        assert!(choice_label(&scoped.options[1]).contains("don't ask again in this session"));
        assert_eq!(scoped.on_key(key(KeyCode::Enter)), remembers(RuleDestination::Session));
        assert_eq!(scoped.on_key(key(KeyCode::Left)), DialogReply::Redraw);
        assert_eq!(scoped.on_key(key(KeyCode::Char('2'))), remembers(RuleDestination::Local));
        assert_eq!(dialog("x").on_key(key(KeyCode::Char('9'))), DialogReply::Nothing);
        // Without a rule to store, «no» keeps its digit.
        let mut bare = dialog("x");
        bare.options.remove(1);
        assert_eq!(bare.on_key(key(KeyCode::Char('2'))), DialogReply::Nothing);
        assert_eq!(bare.on_key(key(KeyCode::Char('3'))), DialogReply::Redraw);
        assert!(bare.denying);
    }

    #[test]
    fn ui_5_denial_message_survives_esc() {
        let mut ask = dialog("x");
        ask.on_key(key(KeyCode::Char('3')));
        "use z".chars().for_each(|c| drop(ask.on_key(key(KeyCode::Char(c)))));
        assert_eq!(ask.on_key(key(KeyCode::Esc)), DialogReply::Redraw);
        assert_eq!(ask.on_key(key(KeyCode::Char('3'))), DialogReply::Redraw);
        assert_eq!(ask.on_key(key(KeyCode::Enter)), deny_reply("use z".into(), false));
    }

    #[test]
    fn pm_17_reason_follows_the_mode() {
        let mut ask = dialog("x");
        let shown = |ask: &PermissionDialog| {
            let lines = ask.draw(100, 20, &Theme::default()).lines;
            lines.iter().map(text::plain_text).collect::<Vec<_>>().join("\n")
        };
        ask.set_mode(Mode::AcceptEdits);
        let now = shown(&ask);
        assert!(!now.contains("why:") && now.contains("You are in acceptEdits mode now"), "{now}");
        ask.set_mode(Mode::Plan);
        assert!(shown(&ask).contains("Plan mode is on now"), "{}", shown(&ask));
        ask.set_mode(Mode::Default);
        assert!(shown(&ask).contains("why: commands ask in default mode"), "{}", shown(&ask));
    }

    #[test]
    fn ui_5_small_screens_show_command_and_all_choices() {
        let mut ask = dialog(&format!("echo {}; rm -rf out", "very-long-word ".repeat(60)));
        ask.options[1] = PermissionChoice::Always(RuleScope {
            rules: (0..100).map(|n| format!("Bash(touch f{n})")).collect(),
            destination: RuleDestination::Local,
        });
        ask.why = "a reason that is itself quite long and takes more than one row of a narrow screen".into();
        for (width, most) in [(79, 18), (39, 10), (39, 8)] {
            let shown: Vec<String> =
                ask.draw(width, most, &Theme::default()).lines.iter().map(text::plain_text).collect();
            assert!(shown.len() <= most, "{} rows of {most}: {shown:#?}", shown.len());
            for wanted in
                ["? Bash wants to run", "  echo very-long", "› 1 yes", "  2 yes, and don't", "  3 no, and say"]
            {
                assert!(shown.iter().any(|row| row.starts_with(wanted)), "{wanted} in {shown:#?}");
            }
        }
        assert!(ask.full_request().iter().any(|item| item.body.text().contains("Bash(touch f99)")));
        // The user can scroll to the end of a long line.
        for _ in 0..40 {
            ask.on_key(key(KeyCode::PageDown));
        }
        let shown: Vec<String> = ask.draw(79, 18, &Theme::default()).lines.iter().map(text::plain_text).collect();
        assert!(shown.iter().any(|row| row.contains("rm -rf out")), "{shown:#?}");
    }

    #[test]
    fn ui_5_large_diff_is_shown_completely() {
        let lines: String = (0..20_000).map(|n| format!("+line {n}\n")).collect();
        let diff = format!("--- /dev/null\n+++ a\n@@ -0,0 +1,20002 @@\n+{}\n{lines}+evil\n", "x".repeat(70_000));
        let mut ask = dialog(&diff);
        (ask.is_diff, ask.path, ask.verb) = (true, Some("src/a.rs".into()), "change");
        let drawn = |ask: &PermissionDialog| {
            ask.draw(79, 14, &Theme::default()).lines.iter().map(text::plain_text).collect::<Vec<_>>()
        };
        assert!(drawn(&ask)[0].ends_with("wants to change src/a.rs"), "{:?}", drawn(&ask));
        let told = drawn(&ask).into_iter().find(|row| row.contains("more lines")).unwrap();
        assert!(told.contains("20,0"), "{told}");
        ask.on_key(key(KeyCode::PageDown));
        ask.on_key(key(KeyCode::PageDown));
        assert!(drawn(&ask).iter().any(|row| row.contains("69,000 more characters")), "{:?}", drawn(&ask));
        ask.top = usize::MAX;
        assert!(drawn(&ask).iter().any(|row| row.ends_with("20002 + evil")), "{:?}", drawn(&ask));
        let whole = ask.full_request();
        assert!(whole[0].title == "src/a.rs" && whole[0].body.text() == diff);
    }

    #[test]
    fn ui_5_denial_message_is_editable() {
        let mut ask = dialog("x");
        ask.on_key(key(KeyCode::Char('3')));
        "use z".chars().for_each(|c| drop(ask.on_key(key(KeyCode::Char(c)))));
        let control = |c: char| KeyEvent::new(KeyCode::Char(c), KeyModifiers::CONTROL);
        ask.on_key(key(KeyCode::Home));
        ask.on_key(key(KeyCode::Char('!')));
        let drawn = ask.draw(60, 20, &Theme::default());
        let (row, column) = drawn.cursor.unwrap();
        assert_eq!(text::plain_text(&drawn.lines[row]), "    say instead: !use z");
        assert_eq!(column, 18);
        for one in [control('e'), control('w'), control('j'), key(KeyCode::Char('y'))] {
            assert_eq!(ask.on_key(one), DialogReply::Redraw);
        }
        let drawn = ask.draw(60, 20, &Theme::default());
        assert_eq!(drawn.cursor, Some((drawn.lines.len() - 1, 18)));
        assert_eq!(ask.on_key(key(KeyCode::Enter)), deny_reply("!use \ny".into(), false));
    }

    #[test]
    fn ui_5_long_command_can_be_scrolled() {
        let long: String = (0..200).map(|n| format!("echo {n}\n")).collect();
        let mut ask = dialog(&long);
        let drawn = |ask: &PermissionDialog| {
            ask.draw(60, 14, &Theme::default()).lines.iter().map(text::plain_text).collect::<Vec<_>>()
        };
        assert!(
            drawn(&ask).len() <= 14 && drawn(&ask).iter().any(|line| line.contains("more lines")),
            "{:?}",
            drawn(&ask)
        );
        (0..60).for_each(|_| drop(ask.on_key(key(KeyCode::PageDown))));
        assert!(drawn(&ask).iter().any(|line| line.contains("echo 199")), "{:?}", drawn(&ask));
    }
}
