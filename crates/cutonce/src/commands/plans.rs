//! `cutonce plans`: the plans of all sessions and projects, with every submitted revision (PM-46).

use crate::cli::args;
use crate::output;
use crate::start;
use cutonce_agent::plan::{self, ListedPlan, PlanRevisions};
use cutonce_agent::storage::{self, SessionLock, StoreError};
use cutonce_core::exit_code;
use cutonce_core::plan::PlanContent;
use cutonce_core::settings::plan::PlanLint;
use cutonce_core::text::sanitize::sanitize;
use cutonce_tui::render::text::fit;
use std::io::{BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Comments of a person; a larger file is something else.
const MAX_COMMENT_FILE: u64 = 8 << 20;

pub fn run(args: args::PlansArgs) -> anyhow::Result<u8> {
    let home = start::home_dir()?;
    match args.command.unwrap_or_default() {
        args::PlansCommand::List(list) => print_list(&home, &list),
        args::PlansCommand::Show { slug, revision, steps, json } => {
            let (slug, revision) = split_revision(&slug, revision)?;
            if steps { print_steps(&home, &slug, revision, json) } else { print_plan(&home, &slug, revision) }
        }
        args::PlansCommand::Status { slug, json } => print_status(&home, slug.as_deref(), json),
        args::PlansCommand::Diff { slug, from, to } => {
            let diff = diff_revisions(&home, &slug, from, to)?;
            print_page(&sanitize(&diff), "redirect the output to get all of it")
        }
        args::PlansCommand::Open { slug } => open_plan(&home, &slug),
        args::PlansCommand::Export(export) => self::export_plan(&home, &export),
        args::PlansCommand::Comments { file, json } => print_comments(&home, &file, json),
        args::PlansCommand::Rm { slug, yes } => remove_plan(&home, &slug, yes),
    }
}

fn print_list(home: &Path, args: &args::PlansList) -> anyhow::Result<u8> {
    let plans = plan::list_plans(home);
    let words = args.search.as_deref().unwrap_or_default().to_lowercase();
    let here = args.here.then(std::env::current_dir).transpose()?;
    let wanted = plans.iter().filter(|plan| {
        let project = plan.project.as_deref().map(Path::new);
        let told = [plan.slug.as_str(), &plan.title, plan.project.as_deref().unwrap_or_default()];
        here.as_deref().is_none_or(|here| project == Some(here))
            && told.iter().any(|text| text.to_lowercase().contains(&words))
    });
    let wanted: Vec<&ListedPlan> = wanted.collect();
    let mut out = std::io::stdout().lock();
    if args.json {
        for plan in wanted {
            writeln!(out, "{}", serde_json::to_string(plan)?)?;
        }
        return Ok(exit_code::SUCCESS);
    }
    if wanted.is_empty() {
        eprintln!("{}", if plans.is_empty() { "No plans yet." } else { "No plan matches." });
    }
    let (width, most) =
        (wanted.iter().map(|plan| plan.slug.chars().count()).max().unwrap_or_default(), output::list_width());
    for plan in wanted {
        writeln!(out, "{}", fit(&plan_line(plan, width), most))?;
    }
    Ok(exit_code::SUCCESS)
}

fn plan_line(plan: &ListedPlan, width: usize) -> String {
    let at = plan.time.replace('T', " ");
    let at = at.get(..16).unwrap_or(&at);
    let revision = if plan.revision == 0 { "-".into() } else { format!("r{}", plan.revision) };
    let note = match (&plan.unreadable, plan.exists) {
        (Some(why), _) => format!("  (unreadable: {why})"),
        (None, false) => "  (file missing)".into(),
        (None, true) => String::new(),
    };
    let title = if plan.title.is_empty() { "(no title)" } else { plan.title.as_str() };
    let project = plan.project.as_deref().unwrap_or("-");
    let (status, slug) = (plan.status.name(), &plan.slug);
    let line = format!("{slug:<width$}  {status:<9}  {revision:>3}  {at:<16}  {title}  [{project}]{note}");
    sanitize(&line).replace('\n', " ")
}

fn print_plan(home: &Path, slug: &str, revision: Option<u32>) -> anyhow::Result<u8> {
    let text = plan_text(home, &find_plan(home, slug)?, revision)?;
    print_page(&sanitize(&text), &format!("`cutonce plans open {slug}` opens the plan in your editor"))
}

/// Splits `NAME@N`.
fn split_revision(slug: &str, revision: Option<u32>) -> anyhow::Result<(String, Option<u32>)> {
    match slug.split_once('@') {
        None => Ok((slug.to_string(), revision)),
        Some((slug, number)) => match number.parse() {
            Ok(number) => Ok((slug.to_string(), Some(number))),
            Err(_) => anyhow::bail!("`{}` is not the number of a revision; use NAME@N", sanitize(number)),
        },
    }
}

/// Prints what the program understands of a plan (PC-4).
fn print_steps(home: &Path, slug: &str, revision: Option<u32>, json: bool) -> anyhow::Result<u8> {
    let plan = find_plan(home, slug)?;
    let text = plan_text(home, &plan, revision)?;
    let root = plan.project.as_deref().map_or(std::env::current_dir()?, Into::into);
    let contract = plan::read_contract(&root, &text, PlanLint::Show);
    if json {
        return print_text(&format!("{}\n", serde_json::to_string(&contract)?));
    }
    match contract {
        Some(contract) => print_text(&sanitize(&contract.text())),
        None => print_text("The plan has no recognisable steps.\n"),
    }
}

/// Prints the report of an implementation (PC-35).
fn print_status(home: &Path, slug: Option<&str>, json: bool) -> anyhow::Result<u8> {
    let slug = match slug {
        Some(slug) => find_plan(home, slug)?.slug,
        None => last_implemented(home)?,
    };
    let Some(report) = PlanRevisions::for_plan(home, &slug).report()? else {
        anyhow::bail!("{slug} was not implemented yet; `cutonce implement {slug}` does that")
    };
    match json {
        true => print_text(&format!("{}\n", serde_json::to_string(&report)?)),
        false => print_text(&sanitize(&report.text())),
    }
}

/// The plan of this folder with the newest report.
fn last_implemented(home: &Path) -> anyhow::Result<String> {
    let here = std::env::current_dir()?;
    let plans = plan::list_plans(home);
    let ours = plans.iter().filter(|plan| plan.project.as_deref().map(Path::new) == Some(here.as_path()));
    let reported = ours.filter_map(|plan| Some((PlanRevisions::for_plan(home, &plan.slug).reported_at()?, plan)));
    match reported.max_by_key(|(at, _)| *at) {
        Some((_, plan)) => Ok(plan.slug.clone()),
        None => anyhow::bail!("no plan of this folder was implemented yet; `cutonce plans list` lists the plans"),
    }
}

/// Compares two revisions, or one revision and the current file. Without numbers, compares the newest two
/// versions.
fn diff_revisions(home: &Path, slug: &str, from: Option<u32>, to: Option<u32>) -> anyhow::Result<String> {
    let plan = find_plan(home, slug)?;
    let revisions = PlanRevisions::for_plan(home, slug);
    let index = revisions.index();
    let submitted_now = index.last().is_some_and(|last| plan.sha256.as_deref() == Some(last.sha256.as_str()));
    // The same text may be submitted again after an approval; only a revision with another text is worth comparing.
    let earlier = index.revisions.iter().rev().find(|revision| Some(&revision.sha256) != plan.sha256.as_ref());
    let earlier = earlier.map(|revision| revision.number);
    let (from, to) = match (from, to) {
        (Some(from), to) => (from, to.or((!plan.exists).then_some(plan.revision))),
        (None, _) if plan.revision == 0 => {
            anyhow::bail!("{slug} was never submitted; there is nothing to compare")
        }
        (None, _) if plan.exists && !submitted_now => (plan.revision, None),
        (None, _) => match earlier {
            Some(earlier) => (earlier, Some(plan.revision)),
            None => anyhow::bail!("{slug} has not changed since it was first submitted; there is nothing to compare"),
        },
    };
    let (old, new) = (revisions.text(from)?, plan_text(home, &plan, to)?);
    let name = |number: Option<u32>| match number {
        Some(number) => format!("{slug} revision {number}"),
        None => format!("{slug} now"),
    };
    if old == new {
        return Ok(format!("{} and {} are the same\n", name(Some(from)), name(to)));
    }
    // The timeout bounds the comparison of two long, unrelated plans.
    let diff = similar::TextDiff::configure().timeout(Duration::from_secs(2)).diff_lines(&old, &new);
    let mut unified = diff.unified_diff();
    unified.header(&name(Some(from)), &name(to)).context_radius(3);
    Ok(unified.to_string())
}

fn open_plan(home: &Path, slug: &str) -> anyhow::Result<u8> {
    let plan = find_plan(home, slug)?;
    if !plan.exists && plan.unreadable.is_none() {
        anyhow::bail!(
            "the file of {slug} is missing; `cutonce plans export {slug} FILE` writes its last revision to a file"
        );
    }
    match cutonce_agent::plan::open_in_editor(&plan.path, std::env::vars_os().collect()) {
        Ok(told) => println!("{}", sanitize(&told)),
        Err(told) => anyhow::bail!("{}", sanitize(&told)),
    }
    Ok(exit_code::SUCCESS)
}

fn export_plan(home: &Path, args: &args::PlansExport) -> anyhow::Result<u8> {
    let text = plan_text(home, &find_plan(home, &args.slug)?, args.revision)?;
    let text = if args.html { cutonce_serve::export_html(&args.slug, &text) } else { text };
    // A page is a file, unless it goes into a pipe.
    let page = (args.html && std::io::stdout().is_terminal()).then(|| PathBuf::from(format!("{}.html", args.slug)));
    let Some(file) = args.file.as_ref().or(page.as_ref()) else {
        // A pipe gets the plan unchanged; a terminal gets no control sequences.
        let terminal = std::io::stdout().is_terminal();
        return match terminal {
            true => print_page(&sanitize(&text), "name a file to get all of it"),
            false => print_text(&text),
        };
    };
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // The original error names the temporary file, which means nothing to the user.
    let failed = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => anyhow::anyhow!("{} exists; --force overwrites it", file.display()),
        std::io::ErrorKind::NotFound => {
            anyhow::anyhow!("can't write {}: the folder {} does not exist", file.display(), folder.display())
        }
        kind => anyhow::anyhow!("can't write {}: {}", file.display(), std::io::Error::from(kind)),
    };
    let mut temporary = tempfile::Builder::new()
        .permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666))
        .tempfile_in(folder)
        .map_err(failed)?;
    temporary.write_all(text.as_bytes()).map_err(failed)?;
    let placed = if args.force { temporary.persist(file) } else { temporary.persist_noclobber(file) };
    placed.map_err(|error| failed(error.error))?;
    if args.file.is_none() {
        println!("{}", file.display());
    }
    Ok(exit_code::SUCCESS)
}

/// Prints the comments from an exported plan with their lines (RV-6).
fn print_comments(home: &Path, file: &Path, json: bool) -> anyhow::Result<u8> {
    let bounded = std::fs::metadata(file).is_ok_and(|about| about.is_file() && about.len() <= MAX_COMMENT_FILE);
    let read = match bounded {
        true => std::fs::read_to_string(file).map_err(|error| error.to_string()),
        false => Err("it is missing, too large or not a file".into()),
    };
    let comments = read.and_then(|text| cutonce_serve::read_comments(&text));
    let comments = comments.map_err(|why| anyhow::anyhow!("can't read comments from {}: {why}", file.display()))?;
    if json {
        return print_text(&format!("{}\n", serde_json::to_string(&comments)?));
    }
    let plan = find_plan(home, &comments.slug)?;
    let revisions = PlanRevisions::for_plan(home, &plan.slug);
    let index = revisions.index();
    let exported = index.revisions.iter().find(|revision| revision.sha256 == comments.sha256);
    let text = match exported {
        Some(revision) => revisions.text(revision.number)?,
        None => plan_text(home, &plan, None)?,
    };
    if plan.sha256.as_deref() != Some(comments.sha256.as_str()) {
        eprintln!("cutonce: {} changed since it was exported", plan.slug);
    }
    let lines: Vec<&str> = text.lines().collect();
    let mut shown = format!("{} ({})\n", plan.slug, plan.title);
    for comment in &comments.comments {
        let quote = lines.get(comment.line as usize - 1).copied().unwrap_or("(no such line)");
        shown.push_str(&format!("\n{}: {quote}\n    {}\n", comment.line, comment.text.replace('\n', "\n    ")));
    }
    print_text(&sanitize(&shown))
}

fn remove_plan(home: &Path, slug: &str, yes: bool) -> anyhow::Result<u8> {
    let plan = find_plan(home, slug)?;
    // Keeps the session locked until everything is removed, so that it can't be opened meanwhile.
    let _lock = lock_session(home, &plan)?;
    if !yes {
        let revisions = match plan.revision {
            0 => String::new(),
            1 => " and its revision".into(),
            several => format!(" and its {several} revisions"),
        };
        let question = format!("Remove {slug} ({}), its file {}{revisions}?", plan.title, plan.path.display());
        eprint!("{} [y/N] ", sanitize(&question));
        let mut answer = String::new();
        std::io::stdin().lock().read_line(&mut answer)?;
        if !matches!(answer.trim().to_lowercase().as_str(), "y" | "yes") {
            eprintln!("Cancelled; nothing was removed.");
            return Ok(exit_code::FAILED);
        }
    }
    plan::remove_plan(home, slug)?;
    eprintln!("Removed {slug}.");
    Ok(exit_code::SUCCESS)
}

/// Locks the plan's session so that it can't be opened; an error if it is open.
fn lock_session(home: &Path, plan: &ListedPlan) -> anyhow::Result<Option<SessionLock>> {
    let Some(session) = &plan.session else { return Ok(None) };
    let sessions = storage::ProjectSessions::new(home, plan.project.as_deref().unwrap_or("/"));
    let Some(transcript) =
        storage::find_session(&sessions, session).ok().filter(|path| storage::transcript_session_id(path) == *session)
    else {
        return Ok(None);
    };
    match SessionLock::acquire(&transcript) {
        Ok(lock) => Ok(Some(lock)),
        Err(StoreError::InUse { id, pid }) => {
            let pid = pid.map(|pid| format!(" (pid {pid})")).unwrap_or_default();
            anyhow::bail!("{} is in use by session {id}{pid}; close that session first", plan.slug)
        }
        Err(error) => Err(error.into()),
    }
}

/// The text of a revision; without a number the current file, or the last revision if the file is missing.
fn plan_text(home: &Path, plan: &ListedPlan, revision: Option<u32>) -> Result<String, anyhow::Error> {
    let revisions = PlanRevisions::for_plan(home, &plan.slug);
    if let Some(number) = revision {
        return Ok(revisions.text(number)?);
    }
    match plan::read_plan(&plan.path) {
        PlanContent::Text(text) => Ok(text),
        PlanContent::Unreadable(why) => anyhow::bail!("can't read {}: {why}", plan.path.display()),
        PlanContent::Missing => {
            eprintln!("cutonce: {} is missing or empty; showing revision {}", plan.path.display(), plan.revision);
            Ok(revisions.text(plan.revision)?)
        }
    }
}

/// Finds a plan by name; the error suggests the most similar name.
fn find_plan(home: &Path, slug: &str) -> anyhow::Result<ListedPlan> {
    if let Some(plan) = plan::find_plan(home, slug) {
        return Ok(plan);
    }
    let plans = plan::list_plans(home);
    let alike = plans.iter().map(|plan| (strsim::jaro_winkler(&plan.slug, slug), plan));
    let nearest = alike.filter(|(alike, _)| *alike > 0.75).max_by(|a, b| a.0.total_cmp(&b.0));
    let hint = match nearest {
        Some((_, plan)) => format!("did you mean `{}`?", plan.slug),
        None => "`cutonce plans list` lists them".into(),
    };
    anyhow::bail!("no plan is called `{}`; {hint}", sanitize(slug))
}

/// Prints what a user can read at once; `whole` says how to get the rest. A file or pipe gets everything.
fn print_page(text: &str, whole: &str) -> anyhow::Result<u8> {
    if !std::io::stdout().is_terminal() {
        return print_text(text);
    }
    let (shown, left_out) = output::first_page(text);
    let printed = print_text(shown)?;
    if left_out > 0 {
        eprintln!("cutonce: {left_out} more lines are not shown; {whole}.");
    }
    Ok(printed)
}

fn print_text(text: &str) -> anyhow::Result<u8> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    if !text.is_empty() && !text.ends_with('\n') && out.is_terminal() {
        writeln!(out)?;
    }
    out.flush()?;
    Ok(exit_code::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cutonce_agent::plan::PlanFiles;
    use cutonce_core::settings::plan::PlanNaming;

    fn plan(home: &Path) -> plan::PlanFile {
        PlanFiles::new(home, Path::new("/some/project"), "s1", None, PlanNaming::Words).0.reserve("").unwrap()
    }

    #[test]
    fn pm_46_plans_diff_compares_submissions() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path().canonicalize().unwrap();
        let plan = plan(&home);
        let told = |from, to| match diff_revisions(&home, plan.slug(), from, to) {
            Ok(text) => text.replace(plan.slug(), "SLUG"),
            Err(error) => error.to_string().replace(plan.slug(), "SLUG"),
        };
        plan.write("# P\n").unwrap();
        assert_eq!(told(None, None), "SLUG was never submitted; there is nothing to compare");
        plan.submit("# P\n").unwrap();
        let same = "SLUG has not changed since it was first submitted; there is nothing to compare";
        assert_eq!(told(None, None), same);
        plan::record_approval(&home, plan.slug(), "# P\n").unwrap();
        assert_eq!(plan.submit("# P\n").unwrap().number, 2);
        assert_eq!(
            (told(None, None).as_str(), told(Some(1), Some(2)).as_str()),
            (same, "SLUG revision 1 and SLUG revision 2 are the same\n")
        );
        plan.write("# P\nmore\n").unwrap();
        assert_eq!(told(None, None), "--- SLUG revision 2\n+++ SLUG now\n@@ -1 +1,2 @@\n # P\n+more\n");
        plan.submit("# P\nmore\n").unwrap();
        let both = "--- SLUG revision 2\n+++ SLUG revision 3\n@@ -1 +1,2 @@\n # P\n+more\n";
        assert_eq!((told(None, None).as_str(), told(Some(2), Some(3)).as_str()), (both, both));
        // Backwards, a plan without its file, and a revision that does not exist.
        assert!(told(Some(3), Some(2)).ends_with("\n-more\n"));
        std::fs::remove_file(plan.path()).unwrap();
        assert_eq!(told(Some(2), None), both);
        assert_eq!(told(Some(7), None), "SLUG has no revision 7; the last one is 3");
    }

    #[test]
    fn pm_46_plan_in_use_is_not_removed() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path().canonicalize().unwrap();
        let project = Path::new("/some/project");
        let plan = plan(&home);
        plan.write("# P").unwrap();
        plan.submit("# P").unwrap();
        let transcript = storage::ProjectSessions::new(&home, project).transcript("s1");
        std::fs::create_dir_all(transcript.parent().unwrap()).unwrap();
        std::fs::write(&transcript, "").unwrap();
        let lock = SessionLock::acquire(&transcript).unwrap();
        let error = remove_plan(&home, plan.slug(), true).unwrap_err().to_string();
        let pid = std::process::id();
        let expected = format!("{} is in use by session s1 (pid {pid}); close that session first", plan.slug());
        assert_eq!(error, expected);
        assert_eq!(plan.read().text(), Some("# P"));
        drop(lock);
        assert_eq!(remove_plan(&home, plan.slug(), true).unwrap(), 0);
        assert!(!plan.path().exists() && plan::list_plans(&home).is_empty());
        assert!(transcript.exists(), "the session stays");
    }
}
