//! Redraws the end of an earlier conversation from its transcript, so that a resumed session has a filled screen.

use super::conversation_log::LogRecord;
use super::path_shortener::PathShortener;
use super::{ConversationEntryKind, EntryContext, tool_call};
use crate::render::diff;
use crate::render::theme::Theme;
use cutonce_agent::storage::TranscriptReader;
use cutonce_agent::storage::paths::own_dir;
use cutonce_core::conversation::{ContentBlock, ResultPart, ToolUse};
use cutonce_core::permission::Why;
use cutonce_core::permission::rules::RuleBehavior;
use cutonce_core::plan::approval::{PlanAnswer, postponed_result};
use cutonce_core::plan::{EXIT_PLAN_MODE, RevisionOutcome};
use cutonce_core::protocol::event::{DecisionRecord, FinishedCall};
use cutonce_core::protocol::submission;
use cutonce_core::transcript::EntryBody;
use ratatui::text::{Line, Span};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Number of transcript entries that are redrawn.
pub const MAX_ENTRIES: usize = 60;
/// Maximum file size for a redrawn diff, in bytes.
const MAX_DIFF_SIZE: usize = 1 << 20;

/// Result of a replay: lines for the scrollback, and records for Ctrl+O (UI-4).
#[derive(Debug, Default)]
pub struct ConversationReplay {
    pub lines: Vec<(ConversationEntryKind, Vec<Line<'static>>)>,
    pub records: Vec<LogRecord>,
    /// Context tokens at the last model answer.
    pub context: Option<u64>,
    /// Answer to a plan whose outcome follows later.
    answer: Option<PlanAnswer>,
    /// The plan as it was submitted last.
    plan: Option<String>,
    /// The decision on the plan is drawn already, so the call that submitted it is not.
    decided: bool,
    /// File state before the next call: path and hash of the content.
    before: Option<(String, Option<String>)>,
    /// Calls without a result so far.
    open: Vec<ToolUse>,
}

/// Paths, file versions and page that the replay draws with.
struct ReplayContext<'a> {
    places: &'a PathShortener,
    versions: PathBuf,
    page: &'a EntryContext<'a>,
}

/// Replays the last `most` entries of a transcript.
pub fn replay_tail(
    transcript: &Path,
    most: usize,
    places: &PathShortener,
    page: &EntryContext<'_>,
) -> ConversationReplay {
    let shown = ReplayContext { places, versions: own_dir(transcript).join("versions"), page };
    let mut found = ConversationReplay::default();
    let Ok(mut reader) = TranscriptReader::open(transcript) else { return found };
    for at in reader.len().saturating_sub(most)..reader.len() {
        let Ok(Some(entry)) = reader.entry(at) else { continue };
        found.add_entry(entry.body, &shown);
    }
    // A pending plan is asked about again (PM-85).
    found.open.retain(|call| call.name != EXIT_PLAN_MODE);
    found.add_unanswered(&shown);
    found
}

impl ConversationReplay {
    fn add_entry(&mut self, body: EntryBody, shown: &ReplayContext<'_>) {
        let (width, theme) = (shown.page.width, shown.page.theme);
        match body {
            EntryBody::User { text, meta: false, .. } => {
                self.add_unanswered(shown);
                self.lines.push((ConversationEntryKind::User, super::user_lines(&text, width, theme)));
                self.records.push(LogRecord::User(text));
            }
            EntryBody::Assistant { blocks, usage, .. } => {
                self.context = Some(usage.context_tokens());
                self.add_unanswered(shown);
                for block in blocks {
                    match block {
                        ContentBlock::Text { text } if !text.trim().is_empty() => {
                            self.lines.push((ConversationEntryKind::Text, text_lines(&text, shown.page)));
                            self.records.push(LogRecord::Text(text));
                        }
                        ContentBlock::Thinking { text, .. } if !text.trim().is_empty() => {
                            self.records.push(LogRecord::Thinking(text))
                        }
                        ContentBlock::ToolUse(call) => self.open.push(call),
                        ContentBlock::Text { .. } | ContentBlock::Thinking { .. } | ContentBlock::Image(_) => {}
                    }
                }
            }
            EntryBody::Tool { call_id, name, input, output, is_error, decision, .. } => {
                self.open.retain(|open| open.id != call_id);
                let before = self.before.take();
                let display = before.filter(|_| !is_error).and_then(|before| shown.rebuild_diff(&name, &input, before));
                let duration_ms = 0;
                let done =
                    FinishedCall { call_id, name, input, content: output, is_error, decision, duration_ms, display };
                self.add_tool(done, shown);
            }
            EntryBody::FileSnapshot { key, path, sha256, .. } if key == "before" => self.before = Some((path, sha256)),
            EntryBody::FileSnapshot { key, content, .. } if key == "plan" => self.plan = content,
            EntryBody::Plan { outcome, .. } => self.add_decision(&outcome, shown),
            EntryBody::Compaction { .. } => self.add_note("(the conversation was compacted)", theme),
            EntryBody::Clear { .. } => self.add_note("(the context was cleared)", theme),
            EntryBody::Ask { answer, .. } => {
                if let Some(submission::AskAnswer::Plan(answer)) = answer {
                    self.answer = Some(answer);
                }
            }
            EntryBody::User { .. }
            | EntryBody::Session { .. }
            | EntryBody::Reminder { .. }
            | EntryBody::Mode { .. }
            | EntryBody::FileSnapshot { .. }
            | EntryBody::Scope { .. }
            | EntryBody::Contract { .. }
            | EntryBody::Evidence { .. }
            | EntryBody::Rewind { .. }
            | EntryBody::Usage { .. }
            | EntryBody::Error { .. } => {}
        }
    }

    /// Draws a plan with the user's decision. Its call may have ended before, by a crash or by "decide later" (PM-80).
    fn add_decision(&mut self, outcome: &str, shown: &ReplayContext<'_>) {
        if outcome == RevisionOutcome::Submitted.name() {
            return;
        }
        let Some((answer, plan)) = self.answer.take().zip(self.plan.clone()) else { return };
        let approved = outcome != RevisionOutcome::Rejected.name();
        self.lines
            .push((ConversationEntryKind::Block, super::reviews::decided_lines(&plan, &answer, approved, shown.page)));
        self.decided = self.open.iter().any(|call| call.name == EXIT_PLAN_MODE);
    }

    /// Draws calls that never got a result because the program ended first.
    fn add_unanswered(&mut self, shown: &ReplayContext<'_>) {
        for ToolUse { id, name, input } in std::mem::take(&mut self.open) {
            if name == EXIT_PLAN_MODE && std::mem::take(&mut self.decided) {
                continue;
            }
            let text = "No result: the program ended first.".to_string();
            let why = Why::from_reason("the program ended first");
            let done = FinishedCall {
                call_id: id,
                name,
                input: input.to_json(),
                content: vec![ResultPart::Text { text }],
                is_error: true,
                decision: DecisionRecord { behavior: RuleBehavior::Deny, why },
                duration_ms: 0,
                display: None,
            };
            self.add_tool(done, shown);
        }
    }

    fn add_note(&mut self, words: &str, theme: &Theme) {
        self.lines.push((ConversationEntryKind::Notice, vec![Line::styled(format!("  {words}"), theme.dim)]));
    }

    /// Draws a finished call. A decided plan is drawn as it was (PM-142).
    fn add_tool(&mut self, done: FinishedCall, shown: &ReplayContext<'_>) {
        let plan = done.input.get("plan").and_then(|plan| plan.as_str()).filter(|_| done.name == EXIT_PLAN_MODE);
        let exit = done.name == EXIT_PLAN_MODE;
        let answer = self.answer.take_if(|_| exit);
        match (plan, answer) {
            (_, _) if exit && std::mem::take(&mut self.decided) => {}
            (Some(plan), None) if exit && tool_call::result_text(&done) == postponed_result() => {
                let lines = super::reviews::open_lines(super::reviews::WAITING_TITLE, plan, shown.page);
                self.lines.push((ConversationEntryKind::Block, lines));
            }
            (Some(plan), Some(answer)) => {
                let lines = super::reviews::decided_lines(plan, &answer, !done.is_error, shown.page);
                self.lines.push((ConversationEntryKind::Block, lines));
            }
            (_, _) if done.name == "TodoWrite" && !done.is_error => {}
            (_, _) => {
                let told = shown.places.short_summary(&done.name, &tool_call::summarize_input(&done.input));
                let lines = tool_call::finished_lines(&done, Some(&told), shown.page);
                self.lines.push((ConversationEntryKind::Tool, lines));
            }
        }
        let summary = tool_call::summarize_input(&done.input);
        self.records.push(LogRecord::Tool { done: Arc::new(done), summary, who: None });
    }
}

impl ReplayContext<'_> {
    /// Rebuilds the diff of an edit from the stored file version and the call's input (UI-4).
    fn rebuild_diff(&self, name: &str, input: &Value, (path, hash): (String, Option<String>)) -> Option<Value> {
        let field = |name: &str| input.get(name).and_then(Value::as_str);
        let named = field("file_path")?;
        if !Path::new(&path).ends_with(named.trim_start_matches("./")) {
            return None;
        }
        let old = match &hash {
            // The hash becomes a file name, so it must be hexadecimal.
            Some(hash) if hash.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
                String::from_utf8(std::fs::read(self.versions.join(hash)).ok()?).ok()?
            }
            Some(_) => return None,
            None => String::new(),
        };
        let new = match name {
            "Write" => field("content")?.to_string(),
            "Edit" if input.get("replace_all").and_then(Value::as_bool) == Some(true) => {
                old.replace(field("old_string")?, field("new_string")?)
            }
            "Edit" => old.replacen(field("old_string")?, field("new_string")?, 1),
            _ => return None,
        };
        (old.len().max(new.len()) <= MAX_DIFF_SIZE).then(|| {
            let counts = diff::count_changes(&old, &new);
            json!({"diff": diff::unified_text(&old, &new), "added": counts.added, "removed": counts.removed})
        })
    }
}

fn text_lines(text: &str, page: &EntryContext<'_>) -> Vec<Line<'static>> {
    let mut lines = page.render_markdown(text, page.width.saturating_sub(2).max(8));
    for (n, line) in lines.iter_mut().enumerate() {
        line.spans.insert(0, Span::raw(if n == 0 { format!("{} ", super::AGENT_MARK) } else { "  ".into() }));
    }
    lines
}
