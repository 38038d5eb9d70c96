//! Keys of a rehearsal's page: the row at the bottom, and all of them for `?` (DU-7).

use super::run_list::{RehearsalRun, RunState};
use super::{PageView, RehearsalPage};
use crate::plan_review::PlanReview;
use crate::render::text::{self, RowPrefix};
use crate::render::theme::Theme;
use ratatui::text::{Line, Span};

const EARLIER: &str = "v earlier rev  ";

const OF_RUNNING: &[(&str, &str)] = &[("x", "cancel it; your files do not change")];
const OF_STOPPED: &[(&str, &str)] = &[("d", "remove it from the list")];
const OF_RESULT: &[(&str, &str)] = &[
    ("enter", "open the diff, the output or the whole text"),
    ("[ ]", "in an open one: the previous or next"),
    ("space x", "take the file or step out of what is applied, or put it back"),
    ("a", "apply exactly this; enter confirms, /rewind undoes it"),
    ("s", "keep the result by name, for `cutonce rehearsals`"),
    ("d", "discard it; your files do not change"),
];
const OF_ALL: &[(&str, &str)] = &[
    ("r", "rehearse again, with the model, steps and budget chosen in the plan"),
    ("v", "rehearse an earlier revision of the plan"),
    ("c", "compare all rehearsals; enter opens one"),
    ("tab", "the next rehearsal"),
    ("↑ ↓ j k", "another row"),
    ("PgUp PgDn", "a page up or down; with two panes, of the diff"),
    ("esc", "one step back; a running rehearsal continues"),
];

/// Keys for several rehearsals.
pub(super) fn other_keys(review: &PlanReview, count: usize) -> String {
    let compare = if count > 1 { "c compare  tab next  " } else { "" };
    let earlier = if review.subject.request.revision > 1 { EARLIER } else { "" };
    format!("{compare}{earlier}")
}

/// The key for an earlier revision, if it is among those.
fn earlier_key(more: &str) -> &str {
    if more.ends_with(EARLIER) { EARLIER } else { "" }
}

/// The row at the bottom, each wording shorter than the one before. All name `?` or are its page.
pub(super) fn key_texts(run: &RehearsalRun, page: RehearsalPage, more: &str) -> Vec<String> {
    let keys: [String; 4] = match (&run.state, page.view) {
        (_, PageView::Keys { .. }) => return vec!["↑↓ scroll  esc back".to_string()],
        (_, PageView::Table { .. }) => [
            format!("enter opens it  r another one  {}? all keys  esc back", earlier_key(more)),
            "enter opens it  r another one  ? all keys  esc back".to_string(),
            "enter open  r another  ? keys  esc".to_string(),
            "enter  ?  esc".to_string(),
        ],
        (RunState::Running, _) => [
            format!("x cancel  r another one  {more}? all keys  esc back to the plan"),
            format!("x cancel  r another  {more}? keys  esc back"),
            "x cancel  r another  ? keys  esc back".to_string(),
            "x cancel  ?  esc".to_string(),
        ],
        (RunState::Stopped(_), _) => [
            format!("r rehearse again  d remove  {more}? all keys  esc back to the plan"),
            format!("r again  d remove  {more}? keys  esc back"),
            "r again  d remove  ? keys  esc back".to_string(),
            "r again  d  ?  esc".to_string(),
        ],
        (RunState::Finished(_), PageView::Part { .. }) => [
            "↑↓ PgUp PgDn scroll  [ ] previous, next  space takes it out  a apply exactly this  ? all keys  esc list"
                .to_string(),
            "↑↓ scroll  [ ] previous, next  space takes it out  a apply  ? keys  esc list".to_string(),
            "↑↓  [ ] next  space out  a apply  ? keys  esc list".to_string(),
            "[ ] next  spc out  a apply  ?  esc".to_string(),
        ],
        (RunState::Finished(_), PageView::Rows { .. }) => [
            format!(
                "a apply exactly this  space take out or put back  enter open  s keep by name  d discard  r again  {more}? keys  esc back"
            ),
            format!("a apply exactly this  space out  enter open  s keep  d discard  {more}? keys  esc"),
            format!("a apply  space out  enter open  {more}? keys  esc"),
            "a apply  spc out  s keep  ? keys  esc".to_string(),
        ],
    };
    keys.into()
}

/// All keys of the page.
pub(super) fn help_rows(run: &RehearsalRun, width: usize, theme: &Theme) -> Vec<Line<'static>> {
    let own = match run.state {
        RunState::Running => OF_RUNNING,
        RunState::Stopped(_) => OF_STOPPED,
        RunState::Finished(_) => OF_RESULT,
    };
    let row = |(keys, does): &(&str, &str)| {
        let first = vec![Span::styled(format!("{} ", text::pad_to(keys, 10)), theme.strong)];
        let next = vec![Span::raw(" ".repeat(11))];
        text::wrap(&Line::styled(does.to_string(), theme.text), width, &RowPrefix { first, next })
    };
    own.iter().chain(OF_ALL).flat_map(row).collect()
}
