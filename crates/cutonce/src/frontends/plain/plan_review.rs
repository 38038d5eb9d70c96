//! The plan review in plain lines (PM-73, PM-74, PM-84, PM-87): everything is reachable with numbered
//! choices. A number selects a choice and says exactly what it would do; Enter confirms it.

use super::editor::{EditError, edit_text};
use super::output;
use super::review_rehearsals::{PlainRehearsals, cancel_order, start_order};
use super::review_terms::{TERMS_HELP, contract_text, terms_text};
use crate::output::{PAGE_BYTES, PAGE_LINES, first_page};
use cutonce_agent::plan;
use cutonce_core::mode::Mode;
use cutonce_core::plan::approval::{
    ChoiceKey, EXIT_QUESTION, LineComment, PlanAnswer, PlanChoice, PlanExitRequest, ReviewTerms,
};
use cutonce_core::plan::contract::PlanContract;
use cutonce_core::plan::rehearsal::RehearsalOrder;
use cutonce_core::settings::Settings;
use cutonce_core::settings::plan::PlanLint;
use cutonce_core::text::sanitize::{one_line, reveal_hidden};
use std::path::Path;

/// The user's input for a plan request so far.
#[derive(Debug, Default)]
pub struct PlainReview {
    comments: Vec<LineComment>,
    notes: Option<String>,
    edited: Option<String>,
    /// The plan changed while it was shown, so the changes are shown too (PM-84).
    changed_since_shown: bool,
    /// The first line of the part that is shown, from 0.
    page_start: usize,
    /// Steps, model, effort and budget (PC-11, PC-12).
    pub(super) terms: ReviewTerms,
    /// The contract of the plan as the user edited it.
    edited_contract: Option<PlanContract>,
    /// Chosen but not confirmed.
    armed: Option<PlanAnswer>,
    pub rehearsals: PlainRehearsals,
}

/// Result of a line in the review.
#[derive(Debug, PartialEq)]
pub enum ReviewStep {
    Answer(PlanAnswer),
    /// Print this and wait for the next line.
    Print(String),
    /// Open this text in the editor.
    Edit(String),
    /// Send this to the session and wait for the next line.
    Order(RehearsalOrder),
}

pub fn render_review(request: &PlanExitRequest, previous: Option<&str>, review: &PlainReview) -> String {
    let mut text = match &request.from {
        Some(from) => format!("\n? {} asks: {EXIT_QUESTION}\n", one_line(from)),
        None => format!("\n? {EXIT_QUESTION}\n"),
    };
    match &request.plan {
        Some(plan) => {
            let revision = if request.from.is_some() { String::new() } else { format!(" rev {}", request.revision) };
            text.push_str(&format!("  plan{revision} in {}\n\n", one_line(&request.plan_file_path)));
            text.push_str(&render_page(review.edited.as_ref().unwrap_or(plan), review.page_start));
        }
        None => text.push_str(&format!("  There is no plan in {}.\n", one_line(&request.plan_file_path))),
    }
    if let (true, Some(plan), Some(previous)) = (review.changed_since_shown, &request.plan, previous)
        && plan != previous
    {
        text.push_str(&format!("\n  changed since it was shown:\n{}\n", render_diff(previous, plan)));
    }
    if let (false, Some(amends), Some(plan)) = (review.changed_since_shown, &request.amends, &request.plan) {
        let changes = render_diff(previous.unwrap_or_default(), plan);
        text.push_str(&format!("\n  changes to the approved revision {}:\n{changes}\n", amends.revision));
    }
    if review.edited.is_some() {
        text.push_str("\n  This is the plan as you edited it.\n");
    }
    if let Some(contract) = review.contract(request) {
        text.push_str(&contract_text(request, contract, &review.terms));
    }
    if request.from.is_none() {
        text.push_str(&render_environment(request));
    }
    if let Some(notice) = &request.notice {
        text.push_str(&format!("  {}\n", one_line(notice)));
    }
    text.push_str(&render_choices(request));
    if request.plan.is_some() {
        let diff = match (previous, &request.amends) {
            (None, _) => "",
            (Some(_), None) => ", d diff to the last submission",
            (Some(_), Some(_)) => ", d diff to the approved revision",
        };
        text.push_str(&format!("  c LINE TEXT comment, n TEXT note, e edit{diff}, r rehearse\n"));
        if review.contract(request).is_some() {
            text.push_str(TERMS_HELP);
        }
        let plan = review.edited.as_ref().or(request.plan.as_ref());
        if plan.is_some_and(|plan| plan.lines().nth(PAGE_LINES).is_some()) {
            text.push_str("  p show the next lines of the plan, p LINE from this line on\n");
        }
    }
    text.push_str("answer (a number, optionally with text): ");
    text
}

/// Longest part of a line that is shown.
const MAX_LINE: usize = 4_000;

/// Renders the plan from a line on, as much as a user can read at once, and says what is left out.
fn render_page(plan: &str, start: usize) -> String {
    let mut text = String::new();
    let mut shown = start;
    for (n, line) in plan.lines().enumerate().skip(start).take(PAGE_LINES) {
        let (line, cut) = match line.char_indices().nth(MAX_LINE) {
            Some((end, _)) => (&line[..end], format!(" … {} more characters", line[end..].chars().count())),
            None => (line, String::new()),
        };
        text.push_str(&format!("{:>5}  {}{cut}\n", n + 1, reveal_hidden(line)));
        shown = n + 1;
        if text.len() > PAGE_BYTES {
            break;
        }
    }
    let left_out = plan.lines().count().saturating_sub(shown);
    if left_out > 0 {
        text.push_str(&format!("\n  … {left_out} more lines: p shows the next ones, p LINE starts at a line\n"));
    }
    text
}

/// Renders the diff between two submissions, as much as a user can read at once.
fn render_diff(previous: &str, plan: &str) -> String {
    let diff = plan_diff(previous, plan);
    let (shown, left_out) = first_page(&diff);
    let more = if left_out > 0 { format!("\n  … {left_out} more lines") } else { String::new() };
    output::with_margin(shown) + &more
}

/// Lists the choices with their fixed digits, and the modes that can follow a cleared context.
fn render_choices(request: &PlanExitRequest) -> String {
    let mut text = String::new();
    for choice in &request.choices {
        let digit = request.digit(choice.key).unwrap_or('?');
        text.push_str(&format!("  {digit} {}\n", one_line(&choice.label)));
        if choice.key == ChoiceKey::Clear {
            let modes: Vec<String> = modes_after_clear(request).iter().map(|mode| format!("{digit} {mode}")).collect();
            text.push_str(&format!("    or choose the mode: {}\n", modes.join(", ")));
        }
    }
    text
}

/// Modes that can follow a cleared context: those of the approvals before it (PM-74.4).
fn modes_after_clear(request: &PlanExitRequest) -> Vec<Mode> {
    let keys = [ChoiceKey::AcceptEdits, ChoiceKey::Default, ChoiceKey::Restore];
    keys.into_iter().filter_map(|key| request.find_choice(key)).map(|choice| choice.mode).collect()
}

/// The sandbox and the files that changed meanwhile (PM-87). Unknown for a teammate's plan.
fn render_environment(request: &PlanExitRequest) -> String {
    let mut text = format!("\n  shell: {}\n", request.layer.describe());
    if let Some(method) = request.scope_method {
        text.push_str(&format!("  scope: {}\n", method.describe()));
    }
    text.push_str(&match request.changed_files.as_slice() {
        [] => "  0 files changed since plan mode was entered\n".to_string(),
        files => format!("  changed since plan mode was entered: {}\n", one_line(&files.join(", "))),
    });
    for shell in &request.shells {
        text.push_str(&format!("  still running: {}\n", one_line(shell)));
    }
    if !request.contacted_hosts.is_empty() {
        text.push_str(&format!("  contacted: {}\n", one_line(&request.contacted_hosts.join(", "))));
    }
    text
}

/// The line diff between two submissions.
pub fn plan_diff(previous: &str, plan: &str) -> String {
    similar::TextDiff::from_lines(previous, plan).unified_diff().context_radius(2).to_string()
}

impl PlainReview {
    /// Restores the user's input for a plan that changed meanwhile. An edit that left an empty plan is
    /// dropped.
    pub fn from_draft(draft: &PlanAnswer) -> PlainReview {
        let words = [&draft.notes, &draft.feedback].into_iter().flatten().next().cloned();
        let edited = draft.plan.clone().filter(|plan| !plan.trim().is_empty());
        PlainReview {
            comments: draft.comments.clone(),
            notes: words,
            edited,
            terms: ReviewTerms::of_answer(draft),
            changed_since_shown: true,
            ..Self::default()
        }
    }

    pub fn set_edit(&mut self, request: &PlanExitRequest, text: String) {
        let old = self.contract(request).cloned();
        self.edited = (request.plan.as_ref() != Some(&text)).then_some(text);
        let root = std::env::current_dir().unwrap_or_default();
        self.edited_contract = self.edited.as_deref().and_then(|text| plan::read_contract(&root, text, PlanLint::Show));
        let new = self.contract(request).cloned();
        self.terms.follow_steps(old.as_ref(), new.as_ref());
    }

    /// What the program understood of the plan that is shown.
    pub(super) fn contract<'a>(&'a self, request: &'a PlanExitRequest) -> Option<&'a PlanContract> {
        if self.edited.is_some() { self.edited_contract.as_ref() } else { request.contract.as_ref() }
    }

    /// Handles a line of the user. The settings have the prices of models.
    pub fn step(
        &mut self,
        request: &PlanExitRequest,
        previous: Option<&str>,
        line: &str,
        settings: &Settings,
    ) -> ReviewStep {
        let armed = self.armed.take();
        let (word, rest) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
        let plan = self.edited.as_ref().or(request.plan.as_ref());
        match (word, plan, armed) {
            ("" | "y" | "yes", _, Some(answer)) if rest.trim().is_empty() => ReviewStep::Answer(answer),
            // «yes, but …» is not a yes (PM-80).
            ("y" | "yes", _, _) if !rest.trim().is_empty() => {
                let keep = request.digit(ChoiceKey::KeepPlanning).map(String::from).unwrap_or_default();
                ReviewStep::Print(format!(
                    "A yes takes no text; nothing was chosen. `{keep} TEXT` keeps planning with that text."
                ))
            }
            ("d", Some(plan), _) => {
                let told = |old: &str| render_diff(old, plan);
                ReviewStep::Print(previous.map_or("There is no earlier submission.".into(), told))
            }
            ("p", Some(plan), _) => {
                let plan = plan.clone();
                self.turn_page(&plan, rest)
            }
            ("s" | "m" | "f" | "b", Some(_), _) => self.change_terms(request, word, rest, settings),
            ("e", Some(plan), _) => ReviewStep::Edit(plan.clone()),
            ("c", Some(plan), _) => {
                let plan = plan.clone();
                self.add_comment(&plan, rest)
            }
            ("n", Some(_), _) => {
                self.notes = Some(rest.to_string()).filter(|note| !note.is_empty());
                ReviewStep::Print("The note is sent with your choice.".into())
            }
            ("r", Some(_), _) if request.from.is_none() => start_order(&self.terms, rest),
            ("x", Some(_), _) => cancel_order(rest),
            ("a", Some(_), _) => self.arm_rehearsal(request, rest),
            ("k", Some(_), _) => self.rehearsals.keep_order(rest),
            _ => self.arm_choice(request, word, rest),
        }
    }

    /// Shows the part that follows, or the one that starts at a line.
    fn turn_page(&mut self, plan: &str, rest: &str) -> ReviewStep {
        let lines = plan.lines().count();
        let start = match rest.trim() {
            "" => self.page_start + PAGE_LINES,
            line => match line.parse::<usize>() {
                Ok(line) => line.saturating_sub(1),
                Err(_) => return ReviewStep::Print("Usage: p, or p LINE".into()),
            },
        };
        if start >= lines {
            return ReviewStep::Print(format!("The plan ends at line {lines}."));
        }
        self.page_start = start;
        ReviewStep::Print(render_page(plan, start).trim_end().to_string())
    }

    fn add_comment(&mut self, plan: &str, rest: &str) -> ReviewStep {
        let lines = plan.lines().count();
        let parsed = rest.split_once(' ').and_then(|(line, words)| Some((line.parse::<u32>().ok()?, words.trim())));
        match parsed {
            Some((line, _)) if !(1..=lines).contains(&(line as usize)) => {
                ReviewStep::Print(format!("There is no line {line} (1 to {lines})."))
            }
            Some((line, text)) if !text.is_empty() => {
                self.comments.push(LineComment { line, text: text.to_string() });
                ReviewStep::Print(match self.comments.len() {
                    1 => "1 comment is sent with your choice.".into(),
                    n => format!("{n} comments are sent with your choice."),
                })
            }
            _ => ReviewStep::Print("Usage: c LINE TEXT".into()),
        }
    }

    /// «Apply exactly this» (RH-3); nothing happens before it is confirmed.
    fn arm_rehearsal(&mut self, request: &PlanExitRequest, rest: &str) -> ReviewStep {
        match self.rehearsals.choose(request, rest) {
            Ok((mut answer, told)) => {
                self.terms.add_to(&mut answer);
                self.armed = Some(answer);
                ReviewStep::Print(format!("{told}\nPress Enter to confirm, or enter another choice."))
            }
            Err(why) => ReviewStep::Print(why),
        }
    }

    /// Selects a choice; nothing happens before it is confirmed.
    fn arm_choice(&mut self, request: &PlanExitRequest, word: &str, rest: &str) -> ReviewStep {
        let Some(choice) = request.choice_with_digit(word) else {
            let digits: Vec<String> =
                request.choices.iter().filter_map(|choice| request.digit(choice.key)).map(String::from).collect();
            return ReviewStep::Print(format!("Choose one of {}.", digits.join(", ")));
        };
        if choice.key.approves() && self.contract(request).is_some_and(|contract| self.terms.exclude_all(contract)) {
            return ReviewStep::Print("No step is approved: `s STEP approve` approves one.".into());
        }
        let mut answer = PlanAnswer::new(request.ask_id.clone(), choice.key);
        let mut words = rest.trim();
        let mut follows = choice.mode;
        if choice.key == ChoiceKey::Clear {
            let (first, others) = words.split_once(' ').unwrap_or((words, ""));
            if let Some(mode) = modes_after_clear(request).into_iter().find(|mode| mode.name() == first) {
                (answer.mode, follows, words) = (Some(mode), mode, others.trim());
            } else if Mode::parse(first).is_some() {
                return ReviewStep::Print(format!(
                    "{first} is not available here. {}",
                    render_choices(request).trim_start()
                ));
            }
        }
        let along: Vec<&str> = [Some(words), self.notes.as_deref()].into_iter().flatten().collect();
        let along = Some(along.join("\n\n").trim().to_string()).filter(|words| !words.is_empty());
        match choice.key {
            // Feedback has only one field, so a note is appended to it.
            ChoiceKey::KeepPlanning => answer.feedback = along,
            ChoiceKey::AcceptEdits | ChoiceKey::Default | ChoiceKey::Restore | ChoiceKey::Clear | ChoiceKey::Leave => {
                answer.notes = along;
            }
        }
        answer.comments = self.comments.clone();
        answer.plan = self.edited.clone();
        if choice.key.approves() {
            self.terms.add_to(&mut answer);
        }
        let told = format!(
            "{}\nPress Enter to confirm, or enter another choice.",
            describe_choice(request, choice, follows, &answer)
        );
        self.armed = Some(answer);
        ReviewStep::Print(told)
    }
}

/// Says exactly what the choice would do.
fn describe_choice(request: &PlanExitRequest, choice: &PlanChoice, follows: Mode, answer: &PlanAnswer) -> String {
    let whose = request.from.as_ref().map(|from| format!(" of {}", one_line(from))).unwrap_or_default();
    let sha: String = request.sha256.as_deref().unwrap_or_default().chars().take(6).collect();
    let plan = match (&answer.plan, request.from.is_some()) {
        (Some(_), _) => format!("the plan{whose} as you edited it"),
        (None, true) => format!("the plan{whose} (sha {sha})"),
        (None, false) => format!("rev {} (sha {sha})", request.revision),
    };
    let mut text = match (choice.key, request.plan.is_some()) {
        (ChoiceKey::AcceptEdits | ChoiceKey::Default | ChoiceKey::Restore, true) => {
            format!("Will approve {plan} and continue in {follows}")
        }
        (ChoiceKey::Clear, _) => format!("Will approve {plan}, clear the context and start in {follows}"),
        (ChoiceKey::KeepPlanning, _) => "Will approve nothing and keep planning".to_string(),
        (ChoiceKey::Leave, _) => {
            format!("Will exit plan mode and keep the plan; starts nothing; the mode becomes {follows}")
        }
        (ChoiceKey::AcceptEdits | ChoiceKey::Default | ChoiceKey::Restore, false) => {
            format!("Will exit plan mode without a plan; the mode becomes {follows}")
        }
    };
    text.push_str(&terms_text(answer));
    if let Some(words) = answer.feedback.as_ref().or(answer.notes.as_ref()) {
        text.push_str(&format!("; your text: {}", one_line(words)));
    }
    match answer.comments.len() {
        0 => {}
        1 => text.push_str("; 1 comment"),
        n => text.push_str(&format!("; {n} comments")),
    }
    if answer.plan.is_some() && choice.key == ChoiceKey::KeepPlanning {
        text.push_str("; with your edit");
    }
    text + "."
}
/// Opens the plan and returns a message about the result.
pub fn open_editor(path: &Path) -> String {
    plan::open_in_editor(path, std::env::vars_os().collect()).unwrap_or_else(|why| why)
}

/// Lets the user edit a copy of a plan. If the editor fails, nothing changes.
pub fn edit_plan_copy(text: &str) -> Result<String, EditError> {
    edit_text("plan.md", text, |path| plan::open_in_editor(path, std::env::vars_os().collect()).map(drop))
}
