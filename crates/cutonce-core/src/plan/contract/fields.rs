//! Reads the fields of a step (PC-2): files, checks and order; and the checks of the whole plan.

use super::markdown::{self, LineKind, PlanLine};
use super::paths::{self, kind_mark};
use super::steps::StepLines;
use super::{FileFact, PlanFacts, PlanStep, PlannedFile, PlannedKind, RejectedPath, commands, sections};
use crate::text::{sanitize::one_line, truncate::with_ellipsis};
use std::collections::BTreeSet;

/// Maximum length of a title, which reminders repeat.
const MAX_TITLE_CHARS: usize = 200;
/// Maximum number of files, checks and predecessors of one step.
const MAX_FIELD_VALUES: usize = 200;

/// Columns that make a line code.
const CODE_INDENT: usize = 4;

/// What a line of a step says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    Files(PlannedKind),
    /// A label such as `Create:`, which counts only if a path follows.
    Label(PlannedKind),
    Check,
    After,
    Risk,
}

fn field_by_name(name: &str) -> Option<Field> {
    let field = match name {
        "file" | "files" | "files touched" | "files affected" => Field::Files(PlannedKind::Any),
        "files to change" | "files to modify" | "files to edit" | "files to update" | "modified files" => {
            Field::Files(PlannedKind::Change)
        }
        "files to create" | "files to add" | "new files" | "new file" => Field::Files(PlannedKind::New),
        "files to delete" | "files to remove" => Field::Files(PlannedKind::Delete),
        "check" | "checks" | "verify" | "verifies" | "verification" | "verifications" => Field::Check,
        "after" | "afters" => Field::After,
        "risk" | "risks" => Field::Risk,
        "create" | "creates" | "add" | "adds" | "new" => Field::Label(PlannedKind::New),
        "modify" | "modifies" | "change" | "changes" | "edit" | "edits" | "update" | "updates" => {
            Field::Label(PlannedKind::Change)
        }
        "delete" | "deletes" | "remove" | "removes" => Field::Label(PlannedKind::Delete),
        "test" | "tests" | "rename" | "renames" | "move" | "moves" => Field::Label(PlannedKind::Any),
        _ => return None,
    };
    Some(field)
}

/// Splits `**Files:** a` into field and value.
fn split_field(content: &str) -> Option<(Field, &str)> {
    let at = content.char_indices().take(40).find(|(_, c)| matches!(c, ':' | '：'))?;
    let before = content[..at.0].trim();
    let name = before.trim_matches(|c: char| matches!(c, '*' | '_' | '`') || c.is_whitespace());
    let value = &content[at.0 + at.1.len_utf8()..];
    // The emphasis may end behind the colon; other stars belong to a pattern.
    let marks = before.len() - before.trim_start_matches(['*', '_']).len();
    let value = value.strip_prefix(&before[..marks]).filter(|_| !before.ends_with(['*', '_'])).unwrap_or(value).trim();
    field_by_name(&name.to_ascii_lowercase()).map(|field| (field, value))
}

/// Collects the fields of one step.
struct StepReader<'a> {
    facts: &'a dyn PlanFacts,
    step: PlanStep,
    rejected: &'a mut Vec<RejectedPath>,
}

/// Reads one step of the plan; paths that no contract can contain go to `rejected`.
pub(super) fn read_step(
    lines: &[PlanLine<'_>],
    found: &StepLines,
    position: usize,
    facts: &dyn PlanFacts,
    rejected: &mut Vec<RejectedPath>,
) -> PlanStep {
    let number = |at: usize| lines.get(at).map_or(0, |line| line.number);
    let step = PlanStep {
        id: position.to_string(),
        title: clean_title(&found.title),
        lines: [number(found.first), number(found.last)],
        ..PlanStep::default()
    };
    let mut reader = StepReader { facts, step, rejected };
    let body = &lines[found.first..=found.last];
    let used = reader.read_fields(body);
    if reader.step.files.is_empty() && !used.iter().any(|(_, field)| matches!(field, Field::Files(_))) {
        reader.guess_files(body, &used);
    }
    let says = |line: &PlanLine<'_>| line.kind != LineKind::Blank && !is_rule(line.text);
    reader.step.has_text = match found.is_heading {
        true => body.iter().skip(1).any(says),
        false => body.iter().skip(1).any(says) || reader.step.title.chars().any(char::is_alphanumeric),
    };
    reader.step
}

fn is_rule(text: &str) -> bool {
    text.len() >= 3 && text.chars().all(|c| matches!(c, '-' | '*' | '_'))
}

fn clean_title(title: &str) -> String {
    with_ellipsis(one_line(&markdown::without_emphasis(title)), MAX_TITLE_CHARS)
}

impl StepReader<'_> {
    /// Reads all fields; returns the lines that belong to one.
    fn read_fields(&mut self, body: &[PlanLine<'_>]) -> Vec<(usize, Field)> {
        let mut used = Vec::new();
        let mut at = 1;
        while let Some(line) = body.get(at) {
            let field = split_field(line.content()).filter(|_| !line.is_code());
            let Some((field, value)) = field.filter(|(field, value)| is_really_a_field(*field, value, body, at)) else {
                at += 1;
                continue;
            };
            used.push((at, field));
            self.read_value(field, value, line.number);
            let last = self.read_more(field, value, body, at);
            used.extend((at + 1..last).map(|line| (line, field)));
            at = last;
        }
        used
    }

    fn read_value(&mut self, field: Field, value: &str, line: u32) {
        match field {
            Field::Files(kind) | Field::Label(kind) => self.add_paths(value, kind, line),
            Field::Check if is_nothing(value) => {}
            Field::Check => self.add_checks(commands::in_value(value), line),
            Field::After => {
                self.step.after_line = line;
                self.step.after.extend(read_after(value));
                self.step.after.truncate(MAX_FIELD_VALUES);
            }
            Field::Risk => {}
        }
    }

    /// Reads the lines below a field that continue it; returns the index after them.
    fn read_more(&mut self, field: Field, value: &str, body: &[PlanLine<'_>], start: usize) -> usize {
        let is_item = matches!(body[start].kind, LineKind::Item { .. });
        let indent = body[start].indent;
        let mut at = start + 1;
        while let Some(line) = body.get(at) {
            match line.kind {
                LineKind::Blank if body.get(at + 1).is_some_and(|next| next.is_code() && value.is_empty()) => at += 1,
                LineKind::Fence { language } if field == Field::Check && value.is_empty() => {
                    let length = body[at + 1..].iter().take_while(|line| line.kind == LineKind::Code).count();
                    let code: Vec<&str> = body[at + 1..at + 1 + length].iter().map(|line| line.text).collect();
                    self.add_checks(commands::in_block(language, &code), line.number + 1);
                    at += length + 2;
                }
                LineKind::Item { text, .. } if line.indent > indent || (!is_item && line.indent >= indent) => {
                    if split_field(text).is_some_and(|(field, value)| is_really_a_field(field, value, body, at)) {
                        return at.min(body.len());
                    }
                    if !matches!(field, Field::Label(_)) || value.is_empty() {
                        self.read_value(field, text, line.number);
                    }
                    at += 1;
                }
                _ => break,
            }
        }
        at.min(body.len())
    }

    fn add_checks(&mut self, commands: Vec<String>, line: u32) {
        for command in commands {
            if !self.step.checks.contains(&command) && self.step.checks.len() < MAX_FIELD_VALUES {
                self.step.checks.push(command);
                self.step.check_lines.push(line);
            }
        }
    }

    fn add_paths(&mut self, value: &str, kind: PlannedKind, line: u32) {
        // Full-width brackets mark a path like others.
        let value = value.replace('（', " (").replace('）', ")");
        for (path, own) in read_paths(&value) {
            self.add_path(&path, own.unwrap_or(kind), line);
        }
    }

    fn add_path(&mut self, given: &str, kind: PlannedKind, line: u32) {
        let is_full = self.step.files.len() >= MAX_FIELD_VALUES;
        let rejection = match paths::normalize_path(given, self.facts.root()) {
            Ok(path) => match self.step.files.iter_mut().find(|file| file.path == path) {
                Some(known) if known.kind == PlannedKind::Any => return known.kind = kind,
                Some(_) => return,
                None if is_full => "the step names too many files",
                None => return self.step.files.push(PlannedFile { path, kind, line }),
            },
            Err(why) => why,
        };
        let path = crate::text::sanitize::one_line(given);
        self.rejected.push(RejectedPath { step: self.step.id.clone(), line, path, why: rejection });
    }

    /// Takes the paths in backticks, if the step has no field for files.
    fn guess_files(&mut self, body: &[PlanLine<'_>], used: &[(usize, Field)]) {
        let taken: BTreeSet<usize> = used.iter().map(|(line, _)| *line).collect();
        for (at, line) in body.iter().enumerate() {
            if line.is_code() || taken.contains(&at) {
                continue;
            }
            let (spans, _) = markdown::code_spans(line.content());
            for (_, span) in spans {
                let (word, kind) = split_mark(span);
                let known = || paths::may_be_name(word) && self.facts.file(word) != FileFact::Missing;
                let inside = paths::normalize_path(word, self.facts.root()).is_ok();
                if inside && (paths::is_path_like(word) || known()) {
                    self.add_path(word, kind.unwrap_or_default(), line.number);
                }
            }
        }
        self.step.guessed = !self.step.files.is_empty();
    }
}

/// A label is a field only if its value starts with a path; `after:` and `check:` may start a sentence.
fn is_really_a_field(field: Field, value: &str, body: &[PlanLine<'_>], at: usize) -> bool {
    let below = body.get(at + 1).map(|line| line.kind);
    match field {
        Field::Label(_) if value.is_empty() => {
            let next = body.get(at + 1).filter(|line| matches!(line.kind, LineKind::Item { .. }));
            next.is_some_and(|line| starts_with_path(line.content()))
        }
        Field::Label(_) => starts_with_path(value),
        Field::After => !value.is_empty() && is_reference_list(value),
        Field::Check => !value.is_empty() || below.is_some(),
        Field::Files(_) | Field::Risk => true,
    }
}

fn starts_with_path(text: &str) -> bool {
    match text.strip_prefix('`').and_then(|rest| rest.split_once('`')) {
        Some((span, _)) => paths::is_path_like(split_mark(span).0),
        None => text.split_whitespace().next().is_some_and(|word| paths::is_path_like(trim_word(word))),
    }
}

/// Splits a mark from a path in one span: `src/a.rs (new)`.
fn split_mark(span: &str) -> (&str, Option<PlannedKind>) {
    match span.rsplit_once(" (").map(|(path, mark)| (path.trim(), kind_mark(mark))) {
        Some((path, Some(kind))) => (path, Some(kind)),
        _ => (span, None),
    }
}

fn trim_word(word: &str) -> &str {
    let word = match word.strip_prefix('[').and_then(|rest| rest.split_once("](")) {
        Some((text, _)) => text.trim_matches('`'),
        None => word,
    };
    let word = word.trim_start_matches(['"', '\'', '(']).trim_end_matches(['"', '\'', ')', ',', ';', ':', '.', '，']);
    let inner = |marks: &&str| word.strip_prefix(*marks)?.strip_suffix(*marks).filter(|inner| is_emphasized(inner));
    ["***", "**", "*", "__", "_"].iter().find_map(inner).unwrap_or(word)
}

/// Whether the marks around a path are emphasis, not a part of the pattern or name: `**src/a.rs**`, but `**/*`.
fn is_emphasized(inner: &str) -> bool {
    let plain = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '/');
    inner.contains(['.', '/'])
        && !inner.starts_with('/')
        && plain(inner.trim_start_matches('.').chars().next())
        && plain(inner.chars().last())
}

/// The paths of a `files:` value with their marks.
fn read_paths(value: &str) -> Vec<(String, Option<PlannedKind>)> {
    let (spans, rest) = markdown::code_spans(value);
    if spans.is_empty() {
        return split_list(value).into_iter().flat_map(read_bare_paths).collect();
    }
    let mut found: Vec<(String, Option<PlannedKind>)> = Vec::new();
    let mut leading = None;
    for (at, (before, span)) in spans.iter().enumerate() {
        let (words, mark) = take_mark(before);
        match found.last_mut().filter(|_| at > 0 && mark.is_some()) {
            Some(last) if last.1.is_none() => last.1 = mark,
            _ => leading = mark,
        }
        let (word, own) = split_mark(span);
        let entries = split_list(&words);
        let bare =
            if at == 0 { &entries[..entries.len() - 1] } else { entries.get(1..entries.len() - 1).unwrap_or_default() };
        found.extend(bare.iter().flat_map(|entry| read_bare_paths(entry)));
        let ends = [entries.first(), entries.last()];
        let follows = ends.into_iter().skip(usize::from(at == 0)).flatten().all(|entry| is_separator(entry));
        let listed = follows && !word.is_empty() && !word.contains(['(', '=', '<', '|']);
        if listed || paths::is_path_like(word) {
            found.push((word.to_string(), own.or(leading.take())));
        }
    }
    let (_, mark) = take_mark(rest);
    if let Some(last) = found.last_mut().filter(|last| last.1.is_none()) {
        last.1 = mark;
    }
    if let Some(tail) = rest.trim_start().strip_prefix([',', ';', '、', '，']) {
        found.extend(split_list(tail).into_iter().flat_map(read_bare_paths));
    }
    found
}

/// Takes a mark such as `(new)` out of a text.
fn take_mark(text: &str) -> (String, Option<PlannedKind>) {
    let mark = text.find('(').and_then(|start| {
        let end = start + text[start..].find(')')?;
        kind_mark(&text[start..=end]).map(|kind| (start, end, kind))
    });
    match mark {
        Some((start, end, kind)) => (format!("{}{}", &text[..start], &text[end + 1..]), Some(kind)),
        None => (text.to_string(), None),
    }
}

/// True if only commas or `and` are between two paths.
fn is_separator(words: &str) -> bool {
    let words = words.trim_matches(|c: char| c.is_whitespace() || ",;&+*_、，→>-".contains(c));
    words.is_empty() || ["and", "und", "et", "y", "和", "と", "to"].contains(&words)
}

/// Splits a list at commas outside braces.
fn split_list(value: &str) -> Vec<&str> {
    let mut depth = 0_i32;
    value
        .split(|c: char| {
            depth += i32::from(c == '{') - i32::from(c == '}');
            matches!(c, ',' | ';' | '、' | '，') && depth <= 0
        })
        .collect()
}

/// The paths at the start of one entry without backticks.
fn read_bare_paths(entry: &str) -> Vec<(String, Option<PlannedKind>)> {
    const NOTHING: &[&str] = &["none", "n/a", "-", "–", "—", "no", "nothing", "tbd", "todo"];
    let mut found: Vec<(String, Option<PlannedKind>)> = Vec::new();
    let mut leading = None;
    let words: Vec<&str> = entry.split_whitespace().collect();
    let alone = words.iter().filter(|word| kind_mark(word).is_none() || !word.starts_with('(')).count() == 1;
    for word in words {
        if let Some(kind) = kind_mark(word).filter(|_| word.starts_with(['(', '['])) {
            match found.last_mut() {
                Some(last) => last.1 = Some(kind),
                None => leading = Some(kind),
            }
            continue;
        }
        let path = trim_word(word);
        let nothing = NOTHING.contains(&path.to_ascii_lowercase().as_str());
        if !nothing && !path.is_empty() && (paths::is_path_like(path) || (alone && is_bare_name(path))) {
            found.push((path.to_string(), leading.take()));
        } else if !is_separator(word) {
            break;
        }
    }
    found
}

/// A single word in a `files:` field is a path even without a slash.
fn is_bare_name(word: &str) -> bool {
    !word.contains(['(', ')', '=', '<', '>', '|', '`']) && !word.starts_with('-') && !word.contains("://")
}

/// The steps that an `after:` field names.
fn read_after(value: &str) -> Vec<String> {
    let plain = markdown::without_emphasis(value).replace(['`', '#', '[', ']', '(', ')'], " ");
    if is_nothing(&plain) {
        return vec![];
    }
    let mut found = Vec::new();
    for entry in plain.split([',', ';', '、', '，', '&', '+']).flat_map(|entry| entry.split(" and ")) {
        let entry = entry.trim().trim_end_matches('.');
        let number =
            entry.trim_start_matches(|c: char| !c.is_ascii_digit()).trim_end_matches(|c: char| !c.is_ascii_digit());
        let range = number
            .split_once(['-', '–'])
            .and_then(|(from, to)| Some((from.trim().parse::<u32>().ok()?, to.trim().parse::<u32>().ok()?)));
        match range {
            Some((from, to)) if from <= to && to - from < 100 => found.extend((from..=to).map(|n| n.to_string())),
            _ if !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) => {
                found.push(number.to_string())
            }
            _ if !entry.is_empty() => found.push(crate::text::sanitize::one_line(entry)),
            _ => {}
        }
    }
    found.dedup();
    found
}

fn is_nothing(value: &str) -> bool {
    let value = value.trim().trim_end_matches('.').to_lowercase();
    ["", "none", "n/a", "-", "–", "—", "nothing", "no"].contains(&value.as_str())
}

/// A short list of steps, not a sentence.
fn is_reference_list(value: &str) -> bool {
    let short = value.split_whitespace().count() <= 4 && !value.contains(['.', '`', '=', '(', '{']);
    short
        || value.chars().all(|c| c.is_ascii_digit() || c.is_whitespace() || ",-–&#".contains(c))
        || value.split([',', ';']).all(|entry| sections::read_number(&format!("{entry}:")).is_some())
}

/// Turns the plan's own numbers and titles in `after` into ids.
pub(super) fn resolve_after(steps: &mut [PlanStep], found: &[StepLines]) {
    let by_number = |name: &str| {
        let number: u32 = name.parse().ok()?;
        found.iter().position(|step| step.number == Some(number))
    };
    let by_position = |name: &str| {
        let unnumbered = found.iter().all(|step| step.number.is_none());
        name.parse::<usize>().ok().filter(|at| unnumbered && (1..=found.len()).contains(at)).map(|at| at - 1)
    };
    let titles: Vec<String> = steps.iter().map(|step| step.title.to_lowercase()).collect();
    for step in steps {
        for name in &mut step.after {
            let lower = name.to_lowercase();
            let by_title = || titles.iter().position(|title| *title == lower);
            if let Some(at) = by_number(name).or_else(|| by_position(name)).or_else(by_title) {
                *name = (at + 1).to_string();
            }
        }
        step.after.dedup();
    }
}

/// The commands of Verification sections outside steps, with their lines.
pub(super) fn plan_checks(lines: &[PlanLine<'_>], in_step: impl Fn(usize) -> bool) -> Vec<(u32, String)> {
    let mut found = Vec::new();
    let mut section: Option<usize> = None;
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        match line.kind {
            LineKind::Heading { level, text } => {
                section = match section {
                    Some(open) if level > open => Some(open),
                    _ => (sections::is_verification_section(text) && !in_step(at)).then_some(level),
                };
            }
            LineKind::Fence { language } if section.is_some() => {
                let length = lines[at + 1..].iter().take_while(|line| line.kind == LineKind::Code).count();
                let code: Vec<&str> = lines[at + 1..at + 1 + length].iter().map(|line| line.text).collect();
                found.extend(commands::in_block(language, &code).into_iter().map(|command| (line.number + 1, command)));
                at += length;
            }
            LineKind::Text if section.is_some() && is_indented_code(lines, at) => {
                let length = lines[at..].iter().take_while(|line| line.indent >= CODE_INDENT).count();
                let code: Vec<&str> = lines[at..at + length].iter().map(|line| line.text).collect();
                found.extend(commands::in_block("", &code).into_iter().map(|command| (line.number, command)));
                at += length - 1;
            }
            LineKind::Item { .. } | LineKind::Text if section.is_some() => {
                found.extend(commands::in_prose(line.content()).into_iter().map(|command| (line.number, command)));
            }
            _ => {}
        }
        at += 1;
    }
    found
}

/// True if a code block without a fence starts here: behind a blank line, and not as a part of a list.
fn is_indented_code(lines: &[PlanLine<'_>], at: usize) -> bool {
    let after_blank = at.checked_sub(1).is_some_and(|before| lines[before].kind == LineKind::Blank);
    let outer = lines[..at].iter().rev().find(|line| line.kind != LineKind::Blank && line.indent < CODE_INDENT);
    let in_list = outer.is_some_and(|line| matches!(line.kind, LineKind::Item { .. }));
    lines[at].indent >= CODE_INDENT && after_blank && !in_list
}
