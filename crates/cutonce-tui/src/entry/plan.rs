//! Plans that were decided on stay in the conversation, rendered (PM-142): approved ones under their mark, rejected ones in a
//! border with the feedback. And the plan that `/plan` shows (PM-24).

use super::{MARK, Page};
use crate::text::{self, Prefix};
use crate::theme::Theme;
use cutonce_core::approval::{Answer, ChoiceKey, Comment, QuotedComment};
use cutonce_core::command::CURRENT_PLAN;
use cutonce_core::mode::Mode;
use ratatui::text::{Line, Span};

/// `whose`: the teammate's whose plan it is (PM-134); None: the session's own.
pub fn approved(whose: Option<&str>, plan: &str, mode: Mode, edited: bool, page: &Page<'_>) -> Vec<Line<'static>> {
    let theme = page.theme;
    let edited = if edited { ", as you edited it" } else { "" };
    let told = match whose {
        Some(name) => format!("Plan of {} approved{edited} → {mode}", text::one_line(name)),
        None => format!("Plan approved{edited} → {mode}"),
    };
    let mut lines =
        vec![Line::from(vec![Span::styled(format!("{MARK} "), theme.plan), Span::styled(told, theme.plan)])];
    lines.extend(body(plan, page));
    lines
}

pub fn rejected(
    whose: Option<&str>,
    plan: &str,
    feedback: Option<&str>,
    comments: &[QuotedComment],
    page: &Page<'_>,
) -> Vec<Line<'static>> {
    let (width, theme) = (page.width, page.theme);
    let inner = width.saturating_sub(4).max(8);
    let mut inside = page.markdown(plan, inner);
    if feedback.is_some() || !comments.is_empty() {
        inside.push(Line::raw(""));
    }
    for (n, part) in feedback.into_iter().flat_map(|words| words.lines()).enumerate() {
        let prefix = Prefix {
            first: vec![Span::styled(if n == 0 { "you: " } else { "     " }, theme.comment)],
            next: vec![Span::raw("     ")],
        };
        inside.extend(text::wrap(&Line::raw(text::visible(part).into_owned()), inner, &prefix));
    }
    for comment in comments {
        let quote = text::one_line(comment.quote.as_deref().unwrap_or_default());
        let head = format!("line {}: {}", comment.line, text::fit(&quote, inner.saturating_sub(14)));
        inside.push(Line::styled(text::fit(&head, inner).into_owned(), theme.dim));
        let prefix = Prefix { first: vec![Span::styled("  you: ", theme.comment)], next: vec![Span::raw("       ")] };
        let words = Line::raw(text::one_line(&comment.text));
        inside.extend(text::wrap(&words, inner, &prefix));
    }
    let title = match whose {
        Some(name) => format!("{MARK} Plan of {} not approved, it plans on ", text::one_line(name)),
        None => format!("{MARK} Plan not approved, planning goes on "),
    };
    bordered(&title, inside, width, theme)
}

/// A plan of an earlier run with its answer, as the transcript has them.
pub fn decided(plan: &str, answer: &Answer, approved: bool, page: &Page<'_>) -> Vec<Line<'static>> {
    let shown = answer.plan.as_deref().unwrap_or(plan);
    let edited = answer.plan.as_deref().is_some_and(|edited| edited != plan);
    if !approved {
        let comments = quoted(shown, &answer.comments);
        return rejected(None, shown, answer.feedback.as_deref(), &comments, page);
    }
    let mode = answer.mode.or(match answer.choice {
        ChoiceKey::AcceptEdits => Some(Mode::AcceptEdits),
        ChoiceKey::Default => Some(Mode::Default),
        ChoiceKey::Restore | ChoiceKey::Clear | ChoiceKey::KeepPlanning | ChoiceKey::Leave => None,
    });
    match mode {
        Some(mode) => self::approved(None, shown, mode, edited, page),
        None => {
            let told = if answer.choice == ChoiceKey::Leave { "Plan kept, plan mode left" } else { "Plan approved" };
            let mut lines = vec![Line::styled(format!("{MARK} {told}"), page.theme.plan)];
            lines.extend(body(shown, page));
            lines
        }
    }
}

/// Comments with the lines that they are on.
pub fn quoted(plan: &str, comments: &[Comment]) -> Vec<QuotedComment> {
    let line = |line: u32| plan.lines().nth(usize::try_from(line).ok()?.checked_sub(1)?);
    let quote = |comment: &Comment| QuotedComment {
        line: comment.line,
        quote: line(comment.line).map(str::to_string),
        text: comment.text.clone(),
    };
    comments.iter().map(quote).collect()
}

/// PM-24.
pub fn current(path: &str, plan: &str, hint: Option<&str>, page: &Page<'_>) -> Vec<Line<'static>> {
    let (width, theme) = (page.width, page.theme);
    let mut lines = vec![
        Line::from(vec![Span::styled(format!("{MARK} "), theme.plan), Span::styled(CURRENT_PLAN, theme.plan)]),
        Line::styled(format!("  {}", text::fit_end(&text::one_line(path), width.saturating_sub(2))), theme.dim),
        Line::raw(""),
    ];
    lines.extend(body(plan, page));
    if let Some(hint) = hint {
        lines.push(Line::raw(""));
        lines.push(Line::styled(format!("  {}", text::fit(&text::one_line(hint), width.saturating_sub(2))), theme.dim));
    }
    lines
}

fn body(plan: &str, page: &Page<'_>) -> Vec<Line<'static>> {
    let mut lines = page.markdown(plan, page.width.saturating_sub(2).max(8));
    lines.iter_mut().for_each(|line| line.spans.insert(0, Span::raw("  ")));
    lines
}

fn bordered(title: &str, inside: Vec<Line<'static>>, width: usize, theme: &Theme) -> Vec<Line<'static>> {
    let across = width.saturating_sub(2);
    let title = text::fit(title, across.saturating_sub(2)).into_owned();
    let rest = "─".repeat(across.saturating_sub(text::width(&title) + 1));
    let mut lines = vec![Line::styled(format!("╭─{title}{rest}╮"), theme.border)];
    for line in inside {
        let used = text::line_width(&line);
        let mut spans = vec![Span::styled("│ ", theme.border)];
        spans.extend(line.spans);
        spans.push(Span::raw(" ".repeat(width.saturating_sub(used + 4))));
        spans.push(Span::styled(" │", theme.border));
        lines.push(Line::from(spans));
    }
    lines.push(Line::styled(format!("╰{}╯", "─".repeat(across)), theme.border));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::highlight::Highlighter;
    use crate::markdown::Colours;
    use crate::theme::{Depth, Name};
    use std::time::{Duration, Instant};

    fn page(width: usize, theme: &Theme) -> Page<'_> {
        Page { width, theme, colours: None }
    }

    #[test]
    fn ui_2_code_of_a_decided_plan_has_its_colours_also_in_a_list() {
        let (highlighter, theme) = (Highlighter::new(|| {}), Theme::new(Name::Dark, Depth::True));
        let until = Instant::now() + Duration::from_secs(120);
        let page = Page { width: 60, theme: &theme, colours: Some(Colours { highlighter: &highlighter, until }) };
        let plan = "# Plan\n\n1. Do:\n\n   ```rust\n   fn main() { let a = \"b\"; }\n   ```\n";
        let all = [
            approved(None, plan, Mode::Default, false, &page),
            rejected(None, plan, None, &[], &page),
            decided(plan, &Answer::new("a", ChoiceKey::Leave), true, &page),
            current("/p.md", plan, None, &page),
        ];
        for lines in all {
            let row = lines.iter().find(|line| text::plain(line).contains("fn main")).unwrap();
            let colours: std::collections::HashSet<_> = row.spans.iter().filter_map(|span| span.style.fg).collect();
            assert!(colours.len() > 2, "{row:?}");
        }
    }

    #[test]
    fn pm_142_a_rejected_plan_stands_in_a_border_with_its_feedback() {
        let comments = [QuotedComment { line: 3, quote: Some("1. Guess".into()), text: "measure\u{202e}".into() }];
        let lines =
            rejected(None, "# Plan\n\n1. Guess\n", Some("do not guess"), &comments, &page(40, &Theme::default()));
        let shown: Vec<String> = lines.iter().map(text::plain).collect();
        assert!(shown[0].starts_with(&format!("╭─{MARK} Plan not approved")), "{shown:?}");
        assert!(shown.iter().all(|line| text::width(line) == 40), "{shown:#?}");
        let all = shown.join("\n");
        for part in ["Guess", "you: do not guess", "line 3: 1. Guess", "you: measure\\u{202e}"] {
            assert!(all.contains(part), "{part} in\n{all}");
        }
    }

    #[test]
    fn pm_142_an_approved_plan_stays_rendered_and_says_where_it_led() {
        let lines = approved(None, "# Plan\n\n- one\n", Mode::AcceptEdits, true, &page(60, &Theme::default()));
        let shown: Vec<String> = lines.iter().map(text::plain).collect();
        assert_eq!(shown[0], format!("{MARK} Plan approved, as you edited it → acceptEdits"));
        assert!(shown.iter().any(|line| line.contains("one") && !line.contains("- one")), "{shown:?}");
    }
}
