//! Plans in the conversation (PM-142): approved plans under a mark, rejected plans in a border with the feedback. Also
//! the plan that `/plan` shows (PM-24).

use super::{AGENT_MARK, EntryContext};
use crate::render::text::{self, RowPrefix};
use crate::render::theme::Theme;
use cutonce_core::mode::Mode;
use cutonce_core::plan::approval::{ChoiceKey, LineComment, PlanAnswer, QuotedComment};
use cutonce_core::plan::command::CURRENT_PLAN;
use cutonce_core::plan::{ENTER_PLAN_MODE, describe_enter};
use cutonce_core::protocol::event::FinishedCall;
use ratatui::text::{Line, Span};

/// Draws a call of EnterPlanMode; `None` for other calls and for failed ones.
pub fn entered_lines(done: &FinishedCall, said: &str, theme: &Theme) -> Option<Vec<Line<'static>>> {
    let entered = done.name == ENTER_PLAN_MODE && !done.is_error;
    entered.then(|| {
        let mark = Span::styled(format!("{AGENT_MARK} "), theme.planning);
        vec![Line::from(vec![mark, Span::styled(describe_enter(said), theme.planning)])]
    })
}

/// Draws an approved plan. `whose` names the teammate that owns it (PM-134); None is the session's own plan.
pub fn approved_lines(
    whose: Option<&str>,
    plan: &str,
    mode: Mode,
    edited: bool,
    page: &EntryContext<'_>,
) -> Vec<Line<'static>> {
    let theme = page.theme;
    let edited = if edited { ", as you edited it" } else { "" };
    let told = match whose {
        Some(name) => format!("Plan of {} approved{edited} → {mode}", text::one_line(name)),
        None => format!("Plan approved{edited} → {mode}"),
    };
    let mut lines = vec![Line::from(vec![
        Span::styled(format!("{AGENT_MARK} "), theme.planning),
        Span::styled(told, theme.planning),
    ])];
    lines.extend(body_lines(plan, page));
    lines
}

pub fn rejected_lines(
    whose: Option<&str>,
    plan: &str,
    feedback: Option<&str>,
    comments: &[QuotedComment],
    page: &EntryContext<'_>,
) -> Vec<Line<'static>> {
    let (width, theme) = (page.width, page.theme);
    let inner = width.saturating_sub(4).max(8);
    let mut inside = page.render_markdown(plan, inner);
    if feedback.is_some() || !comments.is_empty() {
        inside.push(Line::raw(""));
    }
    for (n, part) in feedback.into_iter().flat_map(|words| words.lines()).enumerate() {
        let prefix = RowPrefix {
            first: vec![Span::styled(if n == 0 { "you: " } else { "     " }, theme.comment)],
            next: vec![Span::raw("     ")],
        };
        inside.extend(text::wrap(&Line::raw(text::visible(part).into_owned()), inner, &prefix));
    }
    for comment in comments {
        let quote = text::one_line(comment.quote.as_deref().unwrap_or_default());
        let head = format!("line {}: {}", comment.line, text::fit(&quote, inner.saturating_sub(14)));
        inside.push(Line::styled(text::fit(&head, inner).into_owned(), theme.dim));
        let prefix =
            RowPrefix { first: vec![Span::styled("  you: ", theme.comment)], next: vec![Span::raw("       ")] };
        let words = Line::raw(text::one_line(&comment.text));
        inside.extend(text::wrap(&words, inner, &prefix));
    }
    let title = match whose {
        Some(name) => format!("{AGENT_MARK} Plan of {} not approved, still planning ", text::one_line(name)),
        None => format!("{AGENT_MARK} Plan not approved, still planning "),
    };
    bordered_lines(&title, inside, width, theme)
}

/// Titles of a plan without an answer.
pub const WAITING_TITLE: &str = "Plan waits for your decision: ctrl+p opens it";
pub const WITHDRAWN_TITLE: &str = "Plan not approved, withdrawn";

/// Draws a plan that waits or was withdrawn; without a text only its title.
pub fn open_lines(title: &str, plan: &str, page: &EntryContext<'_>) -> Vec<Line<'static>> {
    if plan.is_empty() {
        return vec![Line::styled(format!("{AGENT_MARK} {title}"), page.theme.planning)];
    }
    let inside = page.render_markdown(plan, page.width.saturating_sub(4).max(8));
    bordered_lines(&format!("{AGENT_MARK} {title} "), inside, page.width, page.theme)
}

/// Draws a plan with its answer from the transcript of an earlier run.
pub fn decided_lines(plan: &str, answer: &PlanAnswer, approved: bool, page: &EntryContext<'_>) -> Vec<Line<'static>> {
    let shown = answer.plan.as_deref().unwrap_or(plan);
    let edited = answer.plan.as_deref().is_some_and(|edited| edited != plan);
    if !approved {
        let comments = quote_comments(shown, &answer.comments);
        return rejected_lines(None, shown, answer.feedback.as_deref(), &comments, page);
    }
    let mode = answer.mode.or(match answer.choice {
        ChoiceKey::AcceptEdits => Some(Mode::AcceptEdits),
        ChoiceKey::Default => Some(Mode::Default),
        ChoiceKey::Restore | ChoiceKey::Clear | ChoiceKey::KeepPlanning | ChoiceKey::Leave => None,
    });
    match mode {
        Some(mode) => self::approved_lines(None, shown, mode, edited, page),
        None => {
            let told = if answer.choice == ChoiceKey::Leave { "Plan kept, plan mode exited" } else { "Plan approved" };
            let mut lines = vec![Line::styled(format!("{AGENT_MARK} {told}"), page.theme.planning)];
            lines.extend(body_lines(shown, page));
            lines
        }
    }
}

/// Adds the commented line to each comment.
pub fn quote_comments(plan: &str, comments: &[LineComment]) -> Vec<QuotedComment> {
    let line = |line: u32| plan.lines().nth(usize::try_from(line).ok()?.checked_sub(1)?);
    let quote = |comment: &LineComment| QuotedComment {
        line: comment.line,
        quote: line(comment.line).map(str::to_string),
        text: comment.text.clone(),
    };
    comments.iter().map(quote).collect()
}

/// Draws the current plan for `/plan` (PM-24).
pub fn current_plan_lines(path: &str, plan: &str, hint: Option<&str>, page: &EntryContext<'_>) -> Vec<Line<'static>> {
    let (width, theme) = (page.width, page.theme);
    let mut lines = vec![
        Line::from(vec![
            Span::styled(format!("{AGENT_MARK} "), theme.planning),
            Span::styled(CURRENT_PLAN, theme.planning),
        ]),
        Line::styled(format!("  {}", text::fit_end(&text::one_line(path), width.saturating_sub(2))), theme.dim),
        Line::raw(""),
    ];
    lines.extend(body_lines(plan, page));
    if let Some(hint) = hint {
        lines.push(Line::raw(""));
        lines.push(Line::styled(format!("  {}", text::fit(&text::one_line(hint), width.saturating_sub(2))), theme.dim));
    }
    lines
}

/// Lines of a plan that the conversation shows; the review and the pager show all of them.
const MAX_PLAN_LINES: usize = 2_000;
const MAX_PLAN_BYTES: usize = 256 << 10;

fn body_lines(plan: &str, page: &EntryContext<'_>) -> Vec<Line<'static>> {
    let end = plan.match_indices('\n').nth(MAX_PLAN_LINES - 1).map_or(plan.len(), |(end, _)| end);
    let (shown, rest) = plan.split_at(end.min(plan.floor_char_boundary(MAX_PLAN_BYTES)));
    let mut lines = page.render_markdown(shown, page.width.saturating_sub(2).max(8));
    let left_out = rest.trim_start_matches('\n').lines().count();
    if left_out > 0 {
        lines.push(Line::styled(
            format!("… {left_out} more lines; /plan open shows them in your editor"),
            page.theme.dim,
        ));
    }
    lines.iter_mut().for_each(|line| line.spans.insert(0, Span::raw("  ")));
    lines
}

fn bordered_lines(title: &str, inside: Vec<Line<'static>>, width: usize, theme: &Theme) -> Vec<Line<'static>> {
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
    use crate::render::highlight::Highlighter;
    use crate::render::markdown::CodeHighlighting;
    use crate::render::theme::{ColourDepth, ThemeName};
    use std::time::{Duration, Instant};

    fn page(width: usize, theme: &Theme) -> EntryContext<'_> {
        EntryContext { width, theme, highlighting: None }
    }

    #[test]
    fn ui_2_code_in_decided_plans_is_highlighted() {
        let (highlighter, theme) = (Highlighter::new(|| {}), Theme::new(ThemeName::Dark, ColourDepth::True));
        let until = Instant::now() + Duration::from_secs(120);
        let page = EntryContext {
            width: 60,
            theme: &theme,
            highlighting: Some(CodeHighlighting { highlighter: &highlighter, deadline: until }),
        };
        let plan = "# Plan\n\n1. Do:\n\n   ```rust\n   fn main() { let a = \"b\"; }\n   ```\n";
        let all = [
            approved_lines(None, plan, Mode::Default, false, &page),
            rejected_lines(None, plan, None, &[], &page),
            decided_lines(plan, &PlanAnswer::new("a", ChoiceKey::Leave), true, &page),
            current_plan_lines("/p.md", plan, None, &page),
        ];
        for lines in all {
            let row = lines.iter().find(|line| text::plain_text(line).contains("fn main")).unwrap();
            let colours: std::collections::HashSet<_> = row.spans.iter().filter_map(|span| span.style.fg).collect();
            assert!(colours.len() > 2, "{row:?}");
        }
    }

    #[test]
    fn pm_142_rejected_plan_has_border_and_feedback() {
        let comments = [QuotedComment { line: 3, quote: Some("1. Guess".into()), text: "measure\u{202e}".into() }];
        let lines =
            rejected_lines(None, "# Plan\n\n1. Guess\n", Some("do not guess"), &comments, &page(40, &Theme::default()));
        let shown: Vec<String> = lines.iter().map(text::plain_text).collect();
        assert!(shown[0].starts_with(&format!("╭─{AGENT_MARK} Plan not approved")), "{shown:?}");
        assert!(shown.iter().all(|line| text::width(line) == 40), "{shown:#?}");
        let all = shown.join("\n");
        for part in ["Guess", "you: do not guess", "line 3: 1. Guess", "you: measure\\u{202e}"] {
            assert!(all.contains(part), "{part} in\n{all}");
        }
    }

    #[test]
    fn pm_142_open_plan_has_border_and_title() {
        for title in [WAITING_TITLE, WITHDRAWN_TITLE] {
            let lines = open_lines(title, "# Plan\n\n1. Guess\n", &page(60, &Theme::default()));
            let shown: Vec<String> = lines.iter().map(text::plain_text).collect();
            assert!(shown[0].starts_with(&format!("╭─{AGENT_MARK} {title}")), "{shown:?}");
            assert!(shown.iter().all(|line| text::width(line) == 60), "{shown:#?}");
            let bare = open_lines(title, "", &page(60, &Theme::default()));
            assert_eq!(bare.iter().map(text::plain_text).collect::<Vec<_>>(), [format!("{AGENT_MARK} {title}")]);
        }
    }

    #[test]
    fn pm_142_plan_of_a_million_lines_is_cut() {
        let plan = "- a line\n".repeat(1_000_000);
        let lines = approved_lines(None, &plan, Mode::Default, false, &page(80, &Theme::default()));
        let last = lines.iter().rev().map(text::plain_text).find(|line| !line.trim().is_empty()).unwrap();
        assert!(lines.len() < 3_000 && last.contains("998000 more lines"), "{} {last}", lines.len());
    }

    #[test]
    fn pm_142_approved_plan_shows_its_mode() {
        let lines = approved_lines(None, "# Plan\n\n- one\n", Mode::AcceptEdits, true, &page(60, &Theme::default()));
        let shown: Vec<String> = lines.iter().map(text::plain_text).collect();
        assert_eq!(shown[0], format!("{AGENT_MARK} Plan approved, as you edited it → acceptEdits"));
        assert!(shown.iter().any(|line| line.contains("one") && !line.contains("- one")), "{shown:?}");
    }
}
