//! `cutonce plans`: the plans of all sessions and projects, with every version that was submitted (PM-46).

use crate::cli;
use crate::start;
use cutonce_agent::editor;
use cutonce_agent::plan_files::{self, ListedPlan, Revisions};
use cutonce_agent::store::{self, Lock, StoreError};
use cutonce_core::harmless::harmless;
use cutonce_core::plan::Found;
use std::io::{BufRead, IsTerminal, Write};
use std::path::Path;
use std::time::Duration;

pub fn run(args: cli::Plans) -> anyhow::Result<u8> {
    let home = start::home()?;
    match args.what.unwrap_or_default() {
        cli::PlansWhat::List(list) => print_list(&home, &list),
        cli::PlansWhat::Show { slug, revision } => show(&home, &slug, revision),
        cli::PlansWhat::Diff { slug, from, to } => print(&harmless(&diff(&home, &slug, from, to)?)),
        cli::PlansWhat::Open { slug } => open(&home, &slug),
        cli::PlansWhat::Export(export) => self::export(&home, &export),
        cli::PlansWhat::Rm { slug, yes } => remove(&home, &slug, yes),
    }
}

fn print_list(home: &Path, args: &cli::PlansList) -> anyhow::Result<u8> {
    let plans = plan_files::list(home);
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
        return Ok(0);
    }
    if wanted.is_empty() {
        eprintln!("{}", if plans.is_empty() { "No plan yet." } else { "No plan fits." });
    }
    let width = wanted.iter().map(|plan| plan.slug.len()).max().unwrap_or_default();
    for plan in wanted {
        writeln!(out, "{}", line(plan, width))?;
    }
    Ok(0)
}

fn line(plan: &ListedPlan, width: usize) -> String {
    let at = plan.time.replace('T', " ");
    let at = at.get(..16).unwrap_or(&at);
    let revision = if plan.revision == 0 { "-".into() } else { format!("r{}", plan.revision) };
    let note = match (&plan.unreadable, plan.exists) {
        (Some(why), _) => format!("  (unreadable: {why})"),
        (None, false) => "  (the file is gone)".into(),
        (None, true) => String::new(),
    };
    let title = if plan.title.is_empty() { "(no title)" } else { plan.title.as_str() };
    let project = plan.project.as_deref().unwrap_or("-");
    let (status, slug) = (plan.status.name(), &plan.slug);
    let line = format!("{slug:<width$}  {status:<9}  {revision:>3}  {at:<16}  {title}  [{project}]{note}");
    harmless(&line).replace('\n', " ")
}

fn show(home: &Path, slug: &str, revision: Option<u32>) -> anyhow::Result<u8> {
    let text = text(home, &find(home, slug)?, revision)?;
    print(&harmless(&text))
}

/// Of two revisions, or of one and the plan as it stands; without any, what is newest.
fn diff(home: &Path, slug: &str, from: Option<u32>, to: Option<u32>) -> anyhow::Result<String> {
    let plan = find(home, slug)?;
    let revisions = Revisions::of(home, slug);
    let index = revisions.index();
    let submitted_now = index.last().is_some_and(|last| plan.sha256.as_deref() == Some(last.sha256.as_str()));
    let before_last = index.revisions.iter().rev().nth(1).map(|revision| revision.number);
    let (from, to) = match (from, to) {
        (Some(from), to) => (from, to.or((!plan.exists).then_some(plan.revision))),
        (None, _) if plan.revision == 0 => {
            anyhow::bail!("{slug} was never submitted: there is nothing to compare with")
        }
        (None, _) if plan.exists && !submitted_now => (plan.revision, None),
        (None, _) => match before_last {
            Some(before) => (before, Some(plan.revision)),
            None => anyhow::bail!("{slug} was submitted once and has not changed since: there is nothing to compare"),
        },
    };
    let (old, new) = (revisions.text(from)?, text(home, &plan, to)?);
    let name = |number: Option<u32>| match number {
        Some(number) => format!("{slug} revision {number}"),
        None => format!("{slug} now"),
    };
    // Two long plans with nothing in common need not be compared to the last line.
    let diff = similar::TextDiff::configure().timeout(Duration::from_secs(2)).diff_lines(&old, &new);
    let mut unified = diff.unified_diff();
    unified.header(&name(Some(from)), &name(to)).context_radius(3);
    Ok(unified.to_string())
}

fn open(home: &Path, slug: &str) -> anyhow::Result<u8> {
    let plan = find(home, slug)?;
    if !plan.exists && plan.unreadable.is_none() {
        anyhow::bail!(
            "the file of {slug} is gone; its last revision is kept: `cutonce plans export {slug} FILE` writes it out"
        );
    }
    match editor::open_plan(&plan.path, std::env::vars_os().collect()) {
        Ok(told) => println!("{}", harmless(&told)),
        Err(told) => anyhow::bail!("{}", harmless(&told)),
    }
    Ok(0)
}

fn export(home: &Path, args: &cli::PlansExport) -> anyhow::Result<u8> {
    let text = text(home, &find(home, &args.slug)?, args.revision)?;
    let Some(file) = &args.file else {
        // A pipe gets the plan byte by byte; a terminal nothing that could control it.
        let terminal = std::io::stdout().is_terminal();
        return if terminal { print(&harmless(&text)) } else { print(&text) };
    };
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // The temporary file's name, which the error would tell, is nothing to the user.
    let failed = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => anyhow::anyhow!("{} exists; --force overwrites it", file.display()),
        std::io::ErrorKind::NotFound => {
            anyhow::anyhow!("can't write {}: there is no folder {}", file.display(), folder.display())
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
    Ok(0)
}

fn remove(home: &Path, slug: &str, yes: bool) -> anyhow::Result<u8> {
    let plan = find(home, slug)?;
    // Held until all is removed, so that the session can't be opened in between.
    let _lock = hold(home, &plan)?;
    if !yes {
        let revisions = match plan.revision {
            0 => String::new(),
            1 => " and its revision".into(),
            several => format!(" and its {several} revisions"),
        };
        let question = format!("Remove {slug} ({}), its file {}{revisions}?", plan.title, plan.path.display());
        eprint!("{} [y/N] ", harmless(&question));
        let mut answer = String::new();
        std::io::stdin().lock().read_line(&mut answer)?;
        if !matches!(answer.trim().to_lowercase().as_str(), "y" | "yes") {
            eprintln!("Nothing was removed.");
            return Ok(1);
        }
    }
    plan_files::remove(home, slug)?;
    eprintln!("Removed {slug}.");
    Ok(0)
}

/// Keeps the plan's session from being opened; an error if it is open.
fn hold(home: &Path, plan: &ListedPlan) -> anyhow::Result<Option<Lock>> {
    let Some(session) = &plan.session else { return Ok(None) };
    let sessions = store::Sessions::new(home, plan.project.as_deref().unwrap_or("/"));
    let Some(transcript) = store::find(&sessions, session).ok().filter(|path| store::id_of(path) == *session) else {
        return Ok(None);
    };
    match Lock::take(&transcript) {
        Ok(lock) => Ok(Some(lock)),
        Err(StoreError::InUse { id, pid }) => {
            let pid = pid.map(|pid| format!(" (pid {pid})")).unwrap_or_default();
            anyhow::bail!("{} is in use by session {id}{pid}; close that session first", plan.slug)
        }
        Err(error) => Err(error.into()),
    }
}

/// The text of a revision; of the plan as it stands, if none is named; of the last revision, where the file is gone.
fn text(home: &Path, plan: &ListedPlan, revision: Option<u32>) -> Result<String, anyhow::Error> {
    let revisions = Revisions::of(home, &plan.slug);
    if let Some(number) = revision {
        return Ok(revisions.text(number)?);
    }
    match plan_files::read(&plan.path) {
        Found::Plan(text) => Ok(text),
        Found::Unreadable(why) => anyhow::bail!("{} can't be read: {why}", plan.path.display()),
        Found::Nothing => {
            eprintln!("cutonce: {} is gone or empty; this is revision {}", plan.path.display(), plan.revision);
            Ok(revisions.text(plan.revision)?)
        }
    }
}

/// The plan of this name, or an error that names the nearest one.
fn find(home: &Path, slug: &str) -> anyhow::Result<ListedPlan> {
    if let Some(plan) = plan_files::find(home, slug) {
        return Ok(plan);
    }
    let plans = plan_files::list(home);
    let alike = plans.iter().map(|plan| (strsim::jaro_winkler(&plan.slug, slug), plan));
    let nearest = alike.filter(|(alike, _)| *alike > 0.75).max_by(|a, b| a.0.total_cmp(&b.0));
    let hint = match nearest {
        Some((_, plan)) => format!("did you mean `{}`?", plan.slug),
        None => "`cutonce plans list` lists them".into(),
    };
    anyhow::bail!("no plan is called `{}`; {hint}", harmless(slug))
}

fn print(text: &str) -> anyhow::Result<u8> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    if !text.is_empty() && !text.ends_with('\n') && out.is_terminal() {
        writeln!(out)?;
    }
    out.flush()?;
    Ok(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cutonce_agent::plan_files::PlanFiles;
    use cutonce_core::settings::plan::Names;

    fn plan(home: &Path) -> plan_files::PlanFile {
        PlanFiles::new(home, Path::new("/some/project"), "s1", None, Names::Words).0.reserve("").unwrap()
    }

    #[test]
    fn pm_46_the_diff_between_submissions_can_be_shown() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path().canonicalize().unwrap();
        let plan = plan(&home);
        let told = |from, to| match diff(&home, plan.slug(), from, to) {
            Ok(text) => text.replace(plan.slug(), "SLUG"),
            Err(error) => error.to_string().replace(plan.slug(), "SLUG"),
        };
        plan.write("# P\n").unwrap();
        assert_eq!(told(None, None), "SLUG was never submitted: there is nothing to compare with");
        plan.submit("# P\n").unwrap();
        assert_eq!(told(None, None), "SLUG was submitted once and has not changed since: there is nothing to compare");
        plan.write("# P\nmore\n").unwrap();
        assert_eq!(told(None, None), "--- SLUG revision 1\n+++ SLUG now\n@@ -1 +1,2 @@\n # P\n+more\n");
        plan.submit("# P\nmore\n").unwrap();
        let both = "--- SLUG revision 1\n+++ SLUG revision 2\n@@ -1 +1,2 @@\n # P\n+more\n";
        assert_eq!((told(None, None).as_str(), told(Some(1), Some(2)).as_str()), (both, both));
        // Backwards, a plan without its file, and a revision that never was.
        assert!(told(Some(2), Some(1)).ends_with("\n-more\n"));
        std::fs::remove_file(plan.path()).unwrap();
        assert_eq!(told(Some(1), None), both);
        assert_eq!(told(Some(7), None), "SLUG has no revision 7; the last one is 2");
    }

    #[test]
    fn pm_46_a_plan_of_a_session_in_use_is_not_removed() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path().canonicalize().unwrap();
        let project = Path::new("/some/project");
        let plan = plan(&home);
        plan.write("# P").unwrap();
        plan.submit("# P").unwrap();
        let transcript = store::Sessions::new(&home, project).transcript("s1");
        std::fs::create_dir_all(transcript.parent().unwrap()).unwrap();
        std::fs::write(&transcript, "").unwrap();
        let lock = Lock::take(&transcript).unwrap();
        let error = remove(&home, plan.slug(), true).unwrap_err().to_string();
        let pid = std::process::id();
        let expected = format!("{} is in use by session s1 (pid {pid}); close that session first", plan.slug());
        assert_eq!(error, expected);
        assert_eq!(plan.read().text(), Some("# P"));
        drop(lock);
        assert_eq!(remove(&home, plan.slug(), true).unwrap(), 0);
        assert!(!plan.path().exists() && plan_files::list(&home).is_empty());
        assert!(transcript.exists(), "the session stays");
    }
}
