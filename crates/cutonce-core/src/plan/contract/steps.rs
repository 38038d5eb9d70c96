//! Finds the steps of a plan (PC-1): numbered headings, else the list below a heading such as Steps, else the only
//! ordered list.

use super::markdown::{ItemMarker, LineKind, PlanLine};
use super::sections::{self, StepNumber};

/// The lines of one step, as indexes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StepLines {
    pub first: usize,
    pub last: usize,
    pub title: String,
    /// The number that the plan gives the step.
    pub number: Option<u32>,
    pub is_heading: bool,
}

pub(super) fn find_steps(lines: &[PlanLine<'_>]) -> Vec<StepLines> {
    let headings = heading_steps(lines);
    if !headings.is_empty() {
        return headings;
    }
    section_list(lines).or_else(|| only_list(lines)).unwrap_or_default()
}

/// A numbered heading.
struct NumberedHeading {
    at: usize,
    level: usize,
    number: StepNumber,
}

fn heading_steps(lines: &[PlanLine<'_>]) -> Vec<StepLines> {
    let numbered: Vec<NumberedHeading> = lines
        .iter()
        .enumerate()
        .filter_map(|(at, line)| match line.kind {
            LineKind::Heading { level, text } if level <= 6 => {
                sections::read_number(text).map(|number| NumberedHeading { at, level, number })
            }
            _ => None,
        })
        .collect();
    let group = |has_word: bool, level: usize| -> Vec<&NumberedHeading> {
        let fits = |heading: &&NumberedHeading| heading.number.has_word == has_word && heading.level == level;
        numbered.iter().filter(fits).collect()
    };
    let many =
        |(word, level): (bool, usize)| Some(group(word, level)).filter(|group| group.len() > 1 && are_steps(group));
    let single = |(word, level): (bool, usize)| {
        let alone = |group: &Vec<&NumberedHeading>| group.len() == 1 && group[0].number.number <= 1 && are_steps(group);
        Some(group(word, level)).filter(alone)
    };
    let forms = [true, false];
    let all = || forms.into_iter().flat_map(|word| (1..=6).map(move |level| (word, level)));
    let chosen = all().find_map(many).or_else(|| all().filter(|(_, level)| *level > 1).find_map(single));
    chosen.unwrap_or_default().into_iter().map(|heading| heading_step(lines, heading)).collect()
}

/// Numbered headings of which one is a known section (`1. Overview`) number sections, not steps.
fn are_steps(group: &[&NumberedHeading]) -> bool {
    let section = |heading: &&NumberedHeading| {
        let title = &heading.number.title;
        sections::is_steps_section(title) || sections::is_introduction(title)
    };
    group.iter().all(|heading| heading.number.has_word) || !group.iter().any(section)
}

fn heading_step(lines: &[PlanLine<'_>], heading: &NumberedHeading) -> StepLines {
    let ends = |line: &PlanLine<'_>| matches!(line.kind, LineKind::Heading { level, .. } if level <= heading.level);
    let length = lines[heading.at + 1..].iter().take_while(|line| !ends(line)).count();
    let title = match heading.number.title.is_empty() {
        true => lines[heading.at].content().to_string(),
        false => heading.number.title.clone(),
    };
    StepLines {
        first: heading.at,
        last: trim_blank(lines, heading.at, heading.at + length),
        title,
        number: Some(heading.number.number),
        is_heading: true,
    }
}

/// Index of the last line that is not blank.
fn trim_blank(lines: &[PlanLine<'_>], first: usize, last: usize) -> usize {
    let separates = |line: &PlanLine<'_>| line.kind == LineKind::Blank || line.text == "---" || line.text == "***";
    (first..=last).rev().find(|at| lines.get(*at).is_some_and(|line| !separates(line))).unwrap_or(first)
}

/// The first list of steps below a heading named Steps, Plan, Implementation, Tasks or Changes.
fn section_list(lines: &[PlanLine<'_>]) -> Option<Vec<StepLines>> {
    let named: Vec<(usize, usize)> = lines
        .iter()
        .enumerate()
        .filter_map(|(at, line)| match line.kind {
            LineKind::Heading { level, text } if sections::is_steps_section(text) => Some((at, level)),
            _ => None,
        })
        .collect();
    let is_heading =
        |line: &PlanLine<'_>, limit: usize| matches!(line.kind, LineKind::Heading { level, .. } if level <= limit);
    // A list directly below the name is better than one in a part of its section.
    let near = named.iter().map(|(at, _)| (*at, 7));
    let far = named.iter().map(|(at, level)| (*at, *level));
    let end =
        |at: usize, limit: usize| at + 1 + lines[at + 1..].iter().take_while(|line| !is_heading(line, limit)).count();
    let level_at = |at: usize| named.iter().find(|(name, _)| *name == at).map_or(0, |(_, level)| *level);
    near.chain(far).find_map(|(at, limit)| {
        let start = find_list(lines, at + 1, end(at, limit))?;
        Some(read_list(lines, start, end(at, level_at(at))).0)
    })
}

fn find_list(lines: &[PlanLine<'_>], from: usize, to: usize) -> Option<usize> {
    (from..to).find(|at| {
        let line = &lines[*at];
        let steps = matches!(line.kind, LineKind::Item { marker: ItemMarker::Ordered(_) | ItemMarker::Checkbox, .. });
        steps && line.indent < 4 && !is_nested(lines, from, *at)
    })
}

/// True if the item is below a bullet of less indentation.
fn is_nested(lines: &[PlanLine<'_>], from: usize, at: usize) -> bool {
    let indent = lines[at].indent;
    let before = lines[from..at].iter().rev().find(|line| line.kind != LineKind::Blank && line.indent < indent);
    before.is_some_and(|line| matches!(line.kind, LineKind::Item { .. }))
}

/// The only ordered list at the top level.
fn only_list(lines: &[PlanLine<'_>]) -> Option<Vec<StepLines>> {
    let mut found: Option<Vec<StepLines>> = None;
    let mut other = false;
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        match line.kind {
            LineKind::Heading { text, .. } => other = sections::is_other_section(text),
            LineKind::Item { marker: ItemMarker::Ordered(_), .. } if line.indent < 2 && !other => {
                let heading = |line: &PlanLine<'_>| matches!(line.kind, LineKind::Heading { .. });
                let to = at + lines[at..].iter().take_while(|line| !heading(line)).count();
                let (list, next) = read_list(lines, at, to);
                at = next;
                // Questions to the user are no steps.
                if !list.iter().all(|step| step.title.ends_with(['?', '？'])) && found.replace(list).is_some() {
                    return None;
                }
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    found
}

/// Reads the list that starts here, and the index after it. It ends at a paragraph or heading, unless the numbers
/// continue behind it.
fn read_list(lines: &[PlanLine<'_>], start: usize, to: usize) -> (Vec<StepLines>, usize) {
    let base = lines[start].indent;
    // First line, number, and last line if a heading follows.
    let mut items: Vec<(usize, Option<u32>, Option<usize>)> = Vec::new();
    let mut end = start + 1;
    let (mut after_blank, mut interrupted) = (false, false);
    let mut at = start;
    while at < to {
        let line = &lines[at];
        match line.kind {
            LineKind::Heading { .. } if at > start && line.indent <= base => {
                interrupted = true;
                items.last_mut().map(|item| item.2.get_or_insert(end - 1));
            }
            LineKind::Item { marker, .. } if is_sibling(lines[start].kind, marker, line.indent, base) => {
                let number = number_of(marker);
                let last = items.last().and_then(|(_, number, _)| *number);
                let continues = last.zip(number).is_some_and(|(last, number)| last.checked_add(1) == Some(number));
                if interrupted && !continues {
                    break;
                }
                items.push((at, number, None));
                (interrupted, end) = (false, at + 1);
            }
            LineKind::Blank => {}
            _ if line.indent > base || line.is_code() && !after_blank => end = if interrupted { end } else { at + 1 },
            _ if after_blank => interrupted = true,
            _ => end = if interrupted { end } else { at + 1 },
        }
        after_blank = line.kind == LineKind::Blank || (after_blank && line.is_code());
        at += 1;
    }
    let ends = items.iter().skip(1).map(|(next, ..)| next - 1).chain([end - 1]);
    let steps = items.iter().zip(ends).map(|((first, number, cut), last)| StepLines {
        first: *first,
        last: trim_blank(lines, *first, cut.unwrap_or(last)),
        title: item_title(lines[*first].content()),
        number: *number,
        is_heading: false,
    });
    (steps.collect(), end.max(start + 1))
}

/// Title of a list item: `Step 2:` and the like are numbers.
fn item_title(content: &str) -> String {
    let plain = super::markdown::without_emphasis(content);
    match sections::read_number(&plain) {
        Some(number) if number.has_word && !number.title.is_empty() => number.title,
        _ => content.to_string(),
    }
}

fn is_sibling(first: LineKind<'_>, marker: ItemMarker, indent: usize, base: usize) -> bool {
    let ordered = matches!(first, LineKind::Item { marker: ItemMarker::Ordered(_), .. });
    let fits = match marker {
        ItemMarker::Ordered(_) => ordered,
        ItemMarker::Checkbox => !ordered,
        ItemMarker::Bullet => false,
    };
    fits && indent < base + 2
}

fn number_of(marker: ItemMarker) -> Option<u32> {
    match marker {
        ItemMarker::Ordered(number) => Some(number),
        ItemMarker::Bullet | ItemMarker::Checkbox => None,
    }
}
