//! Rehearsals of a waiting plan as the page shows them (RV-2, RH-2, RH-7): a row for each, and the result with its diff
//! by file and step.

use crate::plan_html::escape;
use cutonce_core::plan::rehearsal::{RehearsalEvent, RehearsalNews};
use cutonce_core::text::sanitize::{one_line, reveal_hidden, sanitize};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

/// Longer differences of one file are cut; `cutonce rehearse` prints them whole.
const MAX_ROWS: usize = 3_000;
/// What the shell tool reports of a silent command.
const NO_OUTPUT: &str = "(no output)";

/// The rehearsals of one session, by id.
#[derive(Debug, Clone, Default)]
pub struct PlanRehearsals(BTreeMap<String, KnownRehearsal>);

#[derive(Debug, Clone)]
struct KnownRehearsal {
    model: Option<String>,
    /// The plan's revision, if it is not the one that waits.
    revision: Option<u32>,
    /// The name by which its result is kept (RH-5).
    kept: Option<String>,
    /// The last news about its work.
    news: Arc<RehearsalNews>,
}

impl PlanRehearsals {
    /// Takes the news of a rehearsal; returns a sentence about it, if the user should hear one.
    pub fn note(&mut self, event: RehearsalEvent) -> Option<String> {
        let id = one_line(&event.id);
        let told = match &event.news {
            RehearsalNews::Started { .. } => Some(format!("Rehearsal {id} started.")),
            RehearsalNews::Progress { .. } => None,
            RehearsalNews::Finished { passed, result, checks, .. } => {
                Some(format!("Rehearsal {id} finished: {}.", result.summary(*passed, checks)))
            }
            RehearsalNews::Stopped { why } => Some(format!("Rehearsal {id} ended: {}.", one_line(why))),
            // The result stays, and so does the plan.
            RehearsalNews::NotApplied { why } => {
                return Some(format!("Rehearsal {id} was not applied: {}.", one_line(why)));
            }
            RehearsalNews::Kept { name } => {
                let name = one_line(name);
                let told =
                    format!("Rehearsal {id} is kept as {name}; `cutonce rehearsals apply {name}` applies it later.");
                if let Some(known) = self.0.get_mut(&event.id) {
                    known.kept = Some(name);
                }
                return Some(told);
            }
            RehearsalNews::NotKept { why } => {
                return Some(format!("Rehearsal {id} was not kept: {}.", one_line(why)));
            }
        };
        let (model, revision) = match &event.news {
            RehearsalNews::Started { model, revision } => (model.clone(), *revision),
            _ => self.0.get(&event.id).map(|known| (known.model.clone(), known.revision)).unwrap_or_default(),
        };
        self.0.insert(event.id, KnownRehearsal { model, revision, kept: None, news: Arc::new(event.news) });
        told
    }

    /// Forgets all: the plan has its answer.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// A row for each, in the order of their start.
    pub fn rows(&self) -> Value {
        let mut ids: Vec<&String> = self.0.keys().collect();
        // r2 comes before r10.
        ids.sort_by_key(|id| (id.len(), id.to_string()));
        ids.into_iter().filter_map(|id| Some(row(id, self.0.get(id)?))).collect()
    }

    /// The result of a finished one, with its diff as HTML.
    pub fn result(&self, id: &str) -> Option<Value> {
        let known = self.0.get(id)?;
        let RehearsalNews::Finished { result, checks, .. } = &*known.news else { return None };
        let mut view = row(id, known);
        let files = result.files.iter().map(|file| {
            json!({
                "path": file.path, "shown": one_line(&file.path), "kind": file.kind, "added": file.added, "removed": file.removed,
                "steps": result.steps_of(file), "html": file_html(&result.diff_of(file)),
            })
        });
        view["files"] = files.collect();
        view["report"] = json!(result.report);
        let denied = result.denied.iter();
        let denied = denied.map(|one| json!({ "tool": one_line(&one.tool), "text": reveal_hidden(&one.text) }));
        view["denied"] = denied.collect();
        view["base"] = json!(result.base);
        view["failure"] = json!(result.failure.as_deref().map(one_line));
        let ran = checks.iter().map(|check| {
            let (command, output) = (reveal_hidden(&check.command), shown_output(&check.output));
            let stopped = check.stopped.as_deref().map(one_line);
            json!({ "step": check.step, "command": command, "exitCode": check.exit_code, "stopped": stopped, "output": output })
        });
        view["ran"] = ran.collect();
        Some(view)
    }
}

/// What a program printed, without colours; nothing if it printed nothing.
pub fn shown_output(output: &str) -> String {
    let shown = sanitize(output.trim_end());
    if shown == NO_OUTPUT { String::new() } else { shown.into_owned() }
}

fn row(id: &str, known: &KnownRehearsal) -> Value {
    let mut row = json!({ "id": id, "model": known.model.as_deref().map(one_line), "revision": known.revision, "kept": known.kept });
    match &*known.news {
        RehearsalNews::Started { .. }
        | RehearsalNews::NotApplied { .. }
        | RehearsalNews::Kept { .. }
        | RehearsalNews::NotKept { .. } => row["state"] = "started".into(),
        RehearsalNews::Progress { text, calls } => {
            row["state"] = "progress".into();
            row["text"] = one_line(text).into();
            row["calls"] = json!(calls);
        }
        RehearsalNews::Stopped { why } => {
            row["state"] = "stopped".into();
            row["why"] = one_line(why).into();
        }
        RehearsalNews::Finished { passed, result, checks, .. } => {
            let figures = result.figures(checks);
            row["state"] = "finished".into();
            row["passed"] = json!(passed);
            row["checks"] = json!([figures.checks_passed, figures.checks]);
            row["changed"] = json!(figures.files);
            row["added"] = json!(figures.added);
            row["removed"] = json!(figures.removed);
            row["refused"] = json!(figures.denied);
            row["drift"] = json!(result.report.as_ref().is_some_and(|report| report.drift));
            row["costUsd"] = json!(result.cost_usd);
            row["seconds"] = json!(result.seconds);
            row["diffSha256"] = json!(result.diff_sha256);
            row["sha256"] = json!(result.plan.sha256);
        }
    }
    row
}

/// The rows of one file's diff: what is said about its mode, then its lines.
fn file_html(diff: &str) -> String {
    let mut html = String::new();
    let (mut old, mut new) = (0_usize, 0_usize);
    let header = diff.lines().take_while(|line| !is_content(line));
    for line in header.filter(|line| tells_a_mode(line)) {
        push_row(&mut html, "same note", "", (None, None), line);
    }
    for (at, line) in diff.lines().skip_while(|line| !is_content(line)).enumerate() {
        if at == MAX_ROWS {
            html.push_str("<div class=\"hunk\">The rest is not shown: the difference is too long.</div>");
            break;
        }
        if let Some((old_start, new_start)) = hunk_start(line) {
            (old, new) = (old_start, new_start);
            let _ = write!(html, "<div class=\"hunk\">{}</div>", escape(line));
            continue;
        }
        let (class, spoken, numbers) = match line.as_bytes().first() {
            Some(b'+') => ("add", "added: ", (None, Some(new))),
            Some(b'-') => ("del", "removed: ", (Some(old), None)),
            Some(b' ') => ("same", "", (Some(old), Some(new))),
            _ => ("same note", "", (None, None)),
        };
        old += usize::from(numbers.0.is_some());
        new += usize::from(numbers.1.is_some());
        let text = if numbers == (None, None) { line } else { line.get(1..).unwrap_or_default() };
        push_row(&mut html, class, spoken, numbers, text);
    }
    html
}

fn push_row(html: &mut String, class: &str, spoken: &str, numbers: (Option<usize>, Option<usize>), text: &str) {
    let number = |number: Option<usize>| number.map(|number| number.to_string()).unwrap_or_default();
    let spoken = if spoken.is_empty() { String::new() } else { format!("<span class=\"sr\">{spoken}</span>") };
    let sign = match class {
        "add" => "+",
        "del" => "−",
        _ => " ",
    };
    let _ = write!(
        html,
        "<div class=\"row {class}\"><span class=\"on\">{}</span><span class=\"nn\">{}</span>\
         <span class=\"sign\" aria-hidden=\"true\">{sign}</span><span class=\"dt\">{spoken}{}</span></div>",
        number(numbers.0),
        number(numbers.1),
        escape(text.trim_end_matches('\r')),
    );
}

/// True for a mode that users should see: an executable file, a link, a change.
fn tells_a_mode(line: &str) -> bool {
    line.contains(" mode ") && !line.ends_with("file mode 100644")
}

/// True for the first line after the header of a file.
fn is_content(line: &str) -> bool {
    line.starts_with("@@ ") || line.starts_with("Binary ") || line.starts_with("GIT binary")
}

/// The first lines of `@@ -OLD,… +NEW,… @@`.
fn hunk_start(line: &str) -> Option<(usize, usize)> {
    let (old, new) = line.strip_prefix("@@ -")?.split_once(" +")?;
    let start = |range: &str| range.split([',', ' ']).next()?.parse().ok();
    Some((start(old)?, start(new)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use cutonce_core::plan::rehearsal::{RehearsalResult, RehearsedFile, RehearsedKind};
    use cutonce_core::plan::report::{PlanReport, ReportedStep};

    fn finished(diff: &str, paths: &[&str]) -> RehearsalEvent {
        let file =
            |path: &&str| RehearsedFile { path: path.to_string(), kind: RehearsedKind::Change, added: 1, removed: 1 };
        let step = ReportedStep { id: "1".into(), changed: vec![paths[0].to_string()], ..ReportedStep::default() };
        let report = Some(PlanReport { steps: vec![step], ..PlanReport::default() });
        let files = paths.iter().map(file).collect();
        let result = RehearsalResult { diff: diff.into(), files, report, ..RehearsalResult::default() };
        let json = json!({ "id": "r1", "state": "finished", "passed": true, "result": result });
        serde_json::from_value(json).unwrap()
    }

    #[test]
    fn rv_2_rehearsal_diff_is_shown_by_file_and_step() {
        let diff = "diff --git a/src/a b.rs b/src/a b.rs\n--- a/src/a b.rs\n+++ b/src/a b.rs\n@@ -3,2 +3,2 @@ fn x\n same\n-<b>old\n+--- new\n\\ No newline at end of file\n\
                    diff --git a/bin b/bin\nBinary files a/bin and b/bin differ\n";
        let mut rehearsals = PlanRehearsals::default();
        let told = rehearsals.note(finished(diff, &["src/a b.rs", "bin"])).unwrap();
        assert!(told.starts_with("Rehearsal r1 finished: passed"), "{told}");
        let view = rehearsals.result("r1").unwrap();
        assert_eq!((&view["files"][0]["steps"], &view["files"][1]["steps"]), (&json!(["1"]), &json!([])));
        let html = view["files"][0]["html"].as_str().unwrap();
        assert!(html.contains("@@ -3,2 +3,2 @@") && html.contains("&lt;b&gt;old") && !html.contains("<b>"), "{html}");
        assert!(html.contains("<span class=\"on\">4</span>") && html.contains("--- new"), "{html}");
        assert!(view["files"][1]["html"].as_str().unwrap().contains("Binary files"));
    }

    #[test]
    fn rv_2_odd_file_names_have_their_diff_and_steps() {
        let path = r#""\303\244 \"x\n""#;
        let header = format!("diff --git \"a/{0} \"b/{0}", &path[1..]);
        let diff = format!(
            "{header}\nnew file mode 100755\n--- /dev/null\n+++ \"b/x\"\n@@ -0,0 +1 @@\n+a\u{202e}b\u{1b}[2J\n"
        );
        let mut event = finished(&diff, &[path]);
        let RehearsalNews::Finished { result, .. } = &mut event.news else { unreachable!() };
        result.report.as_mut().unwrap().steps[0].changed = vec!["ä \"x\n".into()];
        let mut rehearsals = PlanRehearsals::default();
        rehearsals.note(event);
        let view = rehearsals.result("r1").unwrap();
        assert_eq!(view["files"][0]["steps"], json!(["1"]));
        let html = view["files"][0]["html"].as_str().unwrap();
        assert!(html.contains("class=\"row add\"") && html.contains("new file mode 100755"), "{html}");
        assert!(!html.contains('\u{202e}') && !html.contains('\u{1b}'), "{html}");
    }

    #[test]
    fn rh_5_kept_result_has_its_name() {
        let mut rehearsals = PlanRehearsals::default();
        rehearsals.note(finished("", &["a"]));
        let news = RehearsalNews::Kept { name: "spring\u{7}".into() };
        let told = rehearsals.note(RehearsalEvent { id: "r1".into(), news }).unwrap();
        assert!(told.contains("`cutonce rehearsals apply spring"), "{told}");
        assert_eq!(
            (&rehearsals.rows()[0]["state"], &rehearsals.rows()[0]["kept"]),
            (&json!("finished"), &json!(one_line("spring\u{7}")))
        );
    }

    #[test]
    fn rh_7_rows_keep_the_order_of_starts() {
        let mut rehearsals = PlanRehearsals::default();
        for number in 1..=11 {
            let news = RehearsalNews::Started { model: Some(format!("m{number}")), revision: None };
            rehearsals.note(RehearsalEvent { id: format!("r{number}"), news });
        }
        rehearsals.note(RehearsalEvent { id: "r2".into(), news: RehearsalNews::Stopped { why: "cancelled".into() } });
        let rows = rehearsals.rows();
        assert_eq!(
            (&rows[1]["id"], &rows[1]["model"], &rows[1]["why"]),
            (&json!("r2"), &json!("m2"), &json!("cancelled"))
        );
        assert_eq!(rows[10]["id"], "r11");
        assert_eq!(rehearsals.result("r1"), None);
    }
}
