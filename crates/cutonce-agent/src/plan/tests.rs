use super::*;
use cutonce_core::permission::{PathLocation, PathTarget};
use cutonce_core::plan::{PlanStatus, RestoredFrom, RestoredPlan, RevisionOutcome, sha256_hex};
use cutonce_core::transcript::SeenFileMark;
use cutonce_tools::disk::FileAccess;
use cutonce_tools::workspace::{Workspace, resolve_links};
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::sync::Arc;

/// An empty home and an empty project.
struct World {
    _dir: tempfile::TempDir,
    base: PathBuf,
}

impl World {
    fn new() -> World {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        fs::create_dir_all(base.join("proj/src")).unwrap();
        World { _dir: dir, base }
    }
    fn at(&self, path: &str) -> PathBuf {
        self.base.join(path)
    }
    fn home(&self) -> PathBuf {
        self.at("home/.cutonce")
    }
    fn made(&self, session: &str, directory: Option<&str>, names: PlanNaming) -> (PlanFiles, Option<String>) {
        PlanFiles::new(&self.home(), &self.at("proj"), session, directory, names)
    }
    fn files(&self, session: &str) -> PlanFiles {
        self.made(session, None, PlanNaming::Words).0
    }
    fn plan(&self, session: &str) -> PlanFile {
        self.files(session).reserve("").unwrap()
    }
    fn workspace(&self) -> Workspace {
        let home = self.at("home");
        Workspace::new(&self.at("proj"), &[], Some(&home), &self.home(), &self.home().join("own")).unwrap()
    }
    fn is(&self, plan: &PlanFile, given: &str) -> bool {
        plan.matches_target(&self.workspace().resolve(given).unwrap())
    }
}

fn bits(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

fn shown(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn pm_40_plans_folder_is_in_home_or_project() {
    let world = World::new();
    fs::create_dir_all(world.at("proj/.git")).unwrap();
    fs::write(world.at("proj/file"), "").unwrap();
    symlink(world.at("home"), world.at("proj/out")).unwrap();
    symlink("docs", world.at("proj/in")).unwrap();
    symlink("loop", world.at("proj/loop")).unwrap();
    let folder = |directory: Option<&str>| {
        let (files, warning) = world.made("s", directory, PlanNaming::Words);
        (files.folder().strip_prefix(&world.base).unwrap().display().to_string(), warning)
    };
    let default = "home/.cutonce/plans".to_string();
    assert_eq!(folder(None), (default.clone(), None));
    for (given, expected) in [
        ("docs/plans", "proj/docs/plans"),
        ("./docs", "proj/docs"),
        ("src/../p", "proj/p"),
        ("in/p", "proj/docs/p"),
        (".cutonce/plans", "proj/.cutonce/plans"),
        (".claude/plans/x", "proj/.claude/plans/x"),
    ] {
        assert_eq!(folder(Some(given)), (expected.to_string(), None), "{given}");
    }
    for given in [
        "",
        "/tmp",
        "~/p",
        "..",
        "../x",
        ".",
        "out",
        "out/x",
        ".git/p",
        ".cutonce",
        ".cutonce/x",
        "file",
        "file/x",
        "loop",
    ] {
        let (found, warning) = folder(Some(given));
        assert_eq!(found, default, "{given}");
        let warning = warning.unwrap();
        assert!(warning.contains("plansDirectory") && warning.contains("default folder"), "{given}: {warning}");
    }
}

#[test]
fn pm_40_unwritable_folder_is_not_used() {
    let world = World::new();
    let locked = world.at("proj/locked");
    fs::create_dir(&locked).unwrap();
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o555)).unwrap();
    // Permission bits don't restrict root, but a read-only mount does.
    let root = rustix::process::geteuid().is_root();
    let mounted = Small::mount(&locked, "ro");
    for given in ["locked", "locked/deep/plans"].into_iter().filter(|_| !root || mounted.is_some()) {
        let (files, warning) = world.made("s", Some(given), PlanNaming::Words);
        let warning = warning.unwrap();
        assert!(warning.contains("can't be written to"), "{warning}");
        assert_eq!(files.folder(), world.home().join("plans"));
    }
}

#[test]
fn pm_41_reserving_a_name_creates_no_plan() {
    let world = World::new();
    let (one, two) = (world.plan("s1"), world.plan("s2"));
    assert_ne!(one.slug(), two.slug());
    assert_eq!(one.slug().split('-').count(), 3, "{}", one.slug());
    assert_eq!(one.path(), world.home().join("plans").join(format!("{}.md", one.slug())));
    assert!(!one.path().exists());
    assert_eq!(one.read(), PlanContent::Missing);
    assert_eq!(bits(&world.home().join("plans")), 0o700);
    // Nothing was written, so no plan is listed.
    assert_eq!(list_plans(&world.home()), []);
}

#[test]
fn pm_41_concurrent_reservations_get_different_names() {
    let world = World::new();
    // All ask for the same name: each must get its own number.
    let files = world.made("s", None, PlanNaming::Task).0;
    let names: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|_| {
                scope.spawn(|| {
                    (0..8).map(|_| files.reserve("same words").unwrap().slug().to_string()).collect::<Vec<_>>()
                })
            })
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), 64);
}

/// The work of each process of the next test.
fn reserve_as_process(home: &Path) {
    let files = PlanFiles::new(home, Path::new("/"), "s", None, PlanNaming::Task).0;
    for _ in 0..20 {
        println!("reserved {}", files.reserve("same words").unwrap().slug());
    }
}

#[test]
fn pm_41_processes_get_different_names() {
    // The test starts itself several times.
    if let Some(home) = std::env::var_os("PLAN_FILES_TEST_HOME") {
        return reserve_as_process(Path::new(&home));
    }
    let world = World::new();
    let processes: Vec<_> = (0..4)
        .map(|_| {
            std::process::Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "plan::tests::pm_41_processes_get_different_names", "--nocapture"])
                .env("PLAN_FILES_TEST_HOME", world.home())
                .stdout(std::process::Stdio::piped())
                .spawn()
                .unwrap()
        })
        .collect();
    let mut names = Vec::new();
    for process in processes {
        let output = process.wait_with_output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        names.extend(text.lines().filter_map(|line| line.split_once("reserved ").map(|(_, name)| name.to_string())));
    }
    assert_eq!((names.len(), names.iter().collect::<BTreeSet<_>>().len()), (80, 80));
}

#[test]
fn pm_41_name_of_an_existing_plan_is_taken() {
    let world = World::new();
    let date = jiff::Zoned::now().date();
    let files = world.made("s", None, PlanNaming::Task).0;
    let first = files.reserve("migrate auth").unwrap();
    assert_eq!(first.slug(), format!("{date}-migrate-auth"));
    first.write("# P").unwrap();
    first.submit("# P").unwrap();
    // Without its reservation, and then without its file, the name is still taken.
    name_reservation::remove_reservation(&world.home(), first.slug()).unwrap();
    assert_eq!(files.reserve("migrate auth").unwrap().slug(), format!("{date}-migrate-auth-2"));
    fs::remove_file(first.path()).unwrap();
    assert_eq!(files.reserve("migrate auth").unwrap().slug(), format!("{date}-migrate-auth-3"));
}

#[test]
fn pm_42_subagent_has_its_own_file() {
    let world = World::new();
    let plan = world.plan("s");
    let agent = plan.for_agent("a1").unwrap();
    assert_eq!(agent.path(), world.home().join(format!("plans/{}-agent-a1.md", plan.slug())));
    plan.write("# Main").unwrap();
    agent.write("# Agent").unwrap();
    assert_eq!(plan.read().text(), Some("# Main"));
    assert!(world.is(&agent, shown(agent.path())) && !world.is(&agent, shown(plan.path())));
    assert!(plan.for_agent("../x").is_none());
    // The list doesn't show it as a plan, and it is removed with the main one.
    assert_eq!(list_plans(&world.home()).len(), 1);
    remove_plan(&world.home(), plan.slug()).unwrap();
    assert!(!agent.path().exists() && !plan.path().exists());
}

#[test]
fn pm_43_kinds_of_plan_files() {
    let world = World::new();
    let plan = world.plan("s");
    let write = |bytes: &[u8]| fs::write(plan.path(), bytes).unwrap();
    assert_eq!(plan.read(), PlanContent::Missing);
    write(b" \n\t\n");
    assert_eq!(plan.read(), PlanContent::Missing);
    write(b"# P\n");
    assert_eq!(plan.read(), PlanContent::Text("# P\n".into()));
    let unreadable = |part: &str| match plan.read() {
        PlanContent::Unreadable(why) => assert!(why.contains(part), "{why}"),
        other => panic!("{part}: {other:?}"),
    };
    write(b"# \xff\n");
    unreadable("not UTF-8 after byte 2");
    // A long plan, and one that is too long.
    write("five megabytes ".repeat(350_000).as_bytes());
    assert_eq!(plan.read().text().map(str::len), Some(15 * 350_000));
    fs::File::options().write(true).open(plan.path()).unwrap().set_len(file::MAX_PLAN_SIZE + 1).unwrap();
    unreadable("longer than 16 MB");
    fs::remove_file(plan.path()).unwrap();
    fs::create_dir(plan.path()).unwrap();
    unreadable("a folder");
    assert!(plan.write("# P").is_err());
    fs::remove_dir(plan.path()).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, plan.path(), rustix::fs::Mode::from_raw_mode(0o600)).unwrap();
    unreadable("a fifo");
}

#[test]
fn pm_73_unreadable_file_is_not_missing() {
    let world = World::new();
    let plan = world.plan("s");
    plan.write("# P").unwrap();
    fs::set_permissions(world.base.join("home"), fs::Permissions::from_mode(0o755)).unwrap();
    let file = |mode| fs::set_permissions(plan.path(), fs::Permissions::from_mode(mode)).unwrap();
    file(0o000);
    let found = as_user(|| plan.read());
    file(0o600);
    assert!(matches!(&found, PlanContent::Unreadable(why) if why.contains("ermission denied")), "{found:?}");
}

/// Runs as a non-root user, for whom permission bits apply.
fn as_user<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            #[cfg(target_os = "linux")]
            // SAFETY: changes the credentials of this thread only; it ends with the closure.
            unsafe {
                libc::setfsuid(65534)
            };
            work()
        });
        thread.join().unwrap()
    })
}

#[test]
fn pm_44_only_the_exact_path_matches() {
    let world = World::new();
    let plan = world.plan("s");
    let (path, folder) = (plan.path().to_path_buf(), plan.path().parent().unwrap().to_path_buf());
    let name = path.file_name().unwrap().to_str().unwrap();
    // Before the file exists and after.
    assert!(world.is(&plan, shown(&path)));
    plan.write("# P").unwrap();
    assert!(world.is(&plan, shown(&path)) && world.is(&plan, &format!("~/.cutonce/plans/{name}")));
    fs::create_dir(folder.join("sub")).unwrap();
    symlink(&path, world.at("proj/link.md")).unwrap();
    symlink(".", folder.join("here")).unwrap();
    let spelled = |text: String| assert!(!world.is(&plan, &text), "{text}");
    spelled(format!("{}/sub/../{name}", folder.display()));
    spelled(format!("{}/../plans/{name}", folder.display()));
    spelled(format!("{}/{}", folder.display(), name.to_uppercase()));
    spelled(format!("{}/{}x", folder.display(), name));
    spelled(format!("{}/other.md", folder.display()));
    spelled(format!("{}/.revisions/{name}", folder.display()));
    // A link in the project leads to exactly this path; writing through it only writes the plan.
    assert!(world.is(&plan, "link.md"));
}

#[test]
fn pm_44_links_do_not_match() {
    let world = World::new();
    let plan = world.plan("s");
    let victim = world.at("proj/src/victim.rs");
    fs::write(&victim, "fn main() {}").unwrap();
    let target =
        || PathTarget { given: shown(plan.path()).into(), path: plan.path().into(), place: PathLocation::Protected };
    let refused = |why: &str| {
        assert!(!plan.matches_target(&target()), "{why}");
        assert!(matches!(plan.read(), PlanContent::Unreadable(text) if text.contains(why)), "{why}");
    };
    symlink(&victim, plan.path()).unwrap();
    refused("a symbolic link");
    assert!(plan.write("# P").is_err());
    fs::remove_file(plan.path()).unwrap();
    fs::hard_link(&victim, plan.path()).unwrap();
    refused("2 hard links");
    plan.write("# P").unwrap();
    assert_eq!(fs::read_to_string(&victim).unwrap(), "fn main() {}");
    // The folder is replaced by a link after the session has started.
    let folder = plan.path().parent().unwrap();
    fs::rename(folder, world.at("moved")).unwrap();
    symlink(world.at("moved"), folder).unwrap();
    refused("replaced one of its folders");
    assert!(plan.write("# Q").is_err());
}

#[test]
fn pm_44_shown_plan_is_read_and_its_folder_created() {
    let world = World::new();
    let (files, warning) = world.made("s", Some("docs/plans"), PlanNaming::Words);
    assert_eq!(warning, None);
    for plan in [files.reserve("").unwrap(), world.plan("s")] {
        let disk = FileAccess::new(Arc::new(Kept));
        // Like the Write tool: the folder need not exist.
        disk.restore(plan.path(), Some(b"# P")).unwrap();
        plan.write("# Edited by the approver").unwrap();
        assert!(disk.check_fresh(plan.path()).is_err());
        disk.remember_shown(plan.path()).unwrap();
        disk.check_fresh(plan.path()).unwrap();
    }
}

struct Kept;

impl cutonce_tools::disk::VersionStore for Kept {
    fn keep(&self, _: &Path, _: Option<&[u8]>) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn pm_45_write_is_atomic_and_private() {
    let world = World::new();
    let plan = world.plan("s");
    plan.write("# One").unwrap();
    assert_eq!(bits(plan.path()), 0o600);
    let mut open = fs::File::open(plan.path()).unwrap();
    plan.write("# Two").unwrap();
    let mut seen = String::new();
    std::io::Read::read_to_string(&mut open, &mut seen).unwrap();
    assert_eq!((seen.as_str(), plan.read().text()), ("# One", Some("# Two")));
    let left: Vec<_> = fs::read_dir(world.home().join("plans")).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().contains("tmp")), "{left:?}");
}

/// A small mounted file system, unmounted on drop.
struct Small(PathBuf);

impl Small {
    fn mount(at: &Path, options: &str) -> Option<Small> {
        fs::create_dir_all(at).unwrap();
        let mount = std::process::Command::new("mount").args(["-t", "tmpfs", "-o", options, "tmpfs"]).arg(at).output();
        mount.is_ok_and(|output| output.status.success()).then(|| Small(at.into()))
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        let _ = std::process::Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

#[test]
fn pm_45_full_disk_keeps_plan_and_index() {
    let world = World::new();
    let Some(_small) = Small::mount(&world.home(), "size=256k") else { return };
    let plan = world.plan("s");
    plan.write("# Old").unwrap();
    let first = plan.submit("# Old").unwrap();
    let long = format!("# {}", "x".repeat(600_000));
    let error = plan.write(&long).unwrap_err().to_string();
    assert!(error.contains("The disk is full"), "{error}");
    let error = plan.submit(&long).unwrap_err().to_string();
    assert!(error.contains("keep the submitted plan"), "{error}");
    assert_eq!(plan.read().text(), Some("# Old"));
    assert_eq!(plan.revisions().index().revisions, [first]);
    assert_eq!(plan.revisions().text(1).unwrap(), "# Old");
    // With no space at all, no name is reserved, not even partially.
    let rest = (1u64..).map_while(|n| fs::write(world.home().join(format!("{n}")), vec![b'x'; 4096]).ok()).count();
    assert!(rest > 0);
    assert!(world.files("s2").reserve("").is_err());
    assert_eq!(fs::read_dir(world.home().join("plans/.reserved")).unwrap().count(), 1);
}

#[test]
fn pm_46_every_revision_stays_readable() {
    let world = World::new();
    let plan = world.plan("s1");
    plan.write("# One\n").unwrap();
    assert_eq!(plan.submit("# One\n").unwrap().number, 1);
    assert_eq!(plan.record_outcome(1, RevisionOutcome::Rejected, None).unwrap().outcome, RevisionOutcome::Rejected);
    plan.write("# Two\n").unwrap();
    assert_eq!(plan.submit("# Two\n").unwrap().number, 2);
    plan.record_outcome(2, RevisionOutcome::Approved, None).unwrap();
    // A plan for another task replaces the file; the approved revision stays.
    plan.write("# Another task\n").unwrap();
    let revisions = plan.revisions();
    assert_eq!((revisions.text(1).unwrap(), revisions.text(2).unwrap()), ("# One\n".into(), "# Two\n".into()));
    assert_eq!(list_plans(&world.home())[0].approved, Some(2));
    assert_eq!(list_plans(&world.home())[0].status, PlanStatus::Draft);
    let error = revisions.text(9).unwrap_err().to_string();
    assert_eq!(error, format!("{} has no revision 9; the last one is 2", plan.slug()));
    assert!(plan.record_outcome(9, RevisionOutcome::Left, None).is_err());
    let file = world.home().join(format!("plans/.revisions/{}/0002.md", plan.slug()));
    assert_eq!(bits(&file), 0o600);
    fs::write(file, "# Forged\n").unwrap();
    assert!(revisions.text(2).unwrap_err().to_string().contains("no longer what was submitted"));
}

#[test]
fn pm_46_edited_text_is_the_approved_revision() {
    let world = World::new();
    let plan = world.plan("s");
    plan.submit("# Shown").unwrap();
    let approved = plan.record_outcome(1, RevisionOutcome::Approved, Some("# Edited")).unwrap();
    assert_eq!((approved.number, approved.outcome), (2, RevisionOutcome::Approved));
    let outcomes: Vec<_> = plan.revisions().index().revisions.iter().map(|revision| revision.outcome).collect();
    assert_eq!(outcomes, [RevisionOutcome::Rejected, RevisionOutcome::Approved]);
    assert_eq!(plan.revisions().text(2).unwrap(), "# Edited");
}

#[test]
fn pm_46_concurrent_submissions_are_all_recorded() {
    let world = World::new();
    let plan = world.plan("s");
    std::thread::scope(|scope| {
        for n in 0..8 {
            let plan = &plan;
            scope.spawn(move || plan.submit(&format!("# Plan {n}")).unwrap());
        }
    });
    let index = plan.revisions().index();
    let numbers: Vec<u32> = index.revisions.iter().map(|revision| revision.number).collect();
    assert_eq!(numbers, (1..=8).collect::<Vec<_>>());
    for revision in &index.revisions {
        assert_eq!(sha256_hex(&plan.revisions().text(revision.number).unwrap()), revision.sha256);
    }
}

#[test]
fn pm_46_broken_index_is_rebuilt() {
    let world = World::new();
    let plan = world.plan("s");
    plan.submit("# One").unwrap();
    plan.submit("# Two").unwrap();
    let index = world.home().join(format!("plans/.revisions/{}/index.json", plan.slug()));
    for broken in [&b"{\"revisions\": [{\"num"[..], b"\xff\0", b""] {
        fs::write(&index, broken).unwrap();
        let titles: Vec<_> = plan.revisions().index().revisions.into_iter().map(|revision| revision.title).collect();
        assert_eq!(titles, ["One", "Two"]);
    }
    assert_eq!(plan.submit("# Three").unwrap().number, 3);
    assert_eq!(plan.revisions().text(1).unwrap(), "# One");
    assert!(index.with_extension("json.broken").exists());
}

#[test]
fn pm_48_only_a_missing_file_is_restored() {
    let world = World::new();
    let first = world.plan("s");
    let plan = world.files("s").reopen(first.slug()).unwrap();
    assert_eq!(plan.path(), first.path());
    let from = RestoredFrom::FileSnapshot;
    let saved = || Some(RestoredPlan { text: "# Saved".into(), from });
    assert_eq!(plan.restore(None).unwrap(), None);
    assert_eq!(plan.restore(saved()).unwrap(), Some(from));
    assert_eq!(plan.read().text(), Some("# Saved"));
    for held in [&b"# Newer"[..], b"", b"\xff"] {
        fs::write(plan.path(), held).unwrap();
        assert_eq!(plan.restore(saved()).unwrap(), None);
        assert_eq!(fs::read(plan.path()).unwrap(), held);
    }
    // The file or its folder is deleted while in use.
    fs::remove_dir_all(world.home()).unwrap();
    assert_eq!(plan.read(), PlanContent::Missing);
    assert_eq!(plan.restore(saved()).unwrap(), Some(from));
    assert_eq!(bits(&world.home().join("plans")), 0o700);
}

#[test]
fn pm_48_names_from_transcripts_are_checked() {
    let world = World::new();
    let plan = world.plan("s1");
    for bad in ["", "../x", "a/b", ".reserved", "A", "-x", "x.md"] {
        assert!(matches!(world.files("s1").reopen(bad), Err(PlanError::BadName(_))), "{bad}");
        assert!(world.files("s1").fork(bad, "").is_err(), "{bad}");
    }
    let others = world.files("s2").reopen(plan.slug()).unwrap_err();
    assert!(matches!(&others, PlanError::OtherSession { session, .. } if session == "s1"), "{others}");
    // From another machine: the name is free here, so this session owns it.
    world.files("s3").reopen("happy-running-fox").unwrap();
    assert!(world.files("s4").reopen("happy-running-fox").is_err());
    // A crash left the reservation empty.
    fs::write(world.home().join("plans/.reserved/calm-reading-owl"), "").unwrap();
    world.files("s5").reopen("calm-reading-owl").unwrap();
}

#[test]
fn pm_49_fork_copies_to_a_new_name() {
    let world = World::new();
    let plan = world.plan("s1");
    plan.write("# P\r\n").unwrap();
    let (copy, found) = world.files("s2").fork(plan.slug(), "").unwrap();
    assert_eq!(found, PlanContent::Text("# P\r\n".into()));
    assert_ne!(copy.slug(), plan.slug());
    assert_eq!(copy.read(), plan.read());
    // The copy counts as seen like the original, as long as its text is the same.
    let mark = |path: &str| SeenFileMark { path: path.into(), sha256: Some(sha256_hex("# P\r\n")), stamp: None };
    assert_eq!(copy.seen_mark(&[mark("/old.md")]), Some(mark(copy.path().to_str().unwrap())));
    copy.write("# Changed").unwrap();
    assert_eq!(copy.seen_mark(&[mark("/old.md")]), None);
    assert_eq!(plan.read().text(), Some("# P\r\n"));
    // Also from another project's folder, and for a plan whose file is gone.
    let (files, _) = world.made("s3", Some("docs"), PlanNaming::Words);
    let third = files.reserve("").unwrap();
    third.write("# T").unwrap();
    assert_eq!(world.files("s4").fork(third.slug(), "").unwrap().0.read().text(), Some("# T"));
    fs::remove_file(third.path()).unwrap();
    let (fourth, found) = world.files("s4").fork(third.slug(), "").unwrap();
    assert_eq!((found, fourth.path().exists()), (PlanContent::Missing, false));
}

#[test]
fn pm_51_names_come_from_the_task() {
    let world = World::new();
    let files = world.made("s", None, PlanNaming::Task).0;
    let date = jiff::Zoned::now().date();
    let plan = files.reserve("Migrate auth, please!").unwrap();
    // The date may change between the two lines above.
    let tomorrow = date.tomorrow().unwrap();
    let expected = [date, tomorrow].map(|date| format!("{date}-migrate-auth-please"));
    assert!(expected.contains(&plan.slug().to_string()), "{}", plan.slug());
}

#[test]
fn pm_84_replaced_file_has_another_hash() {
    let world = World::new();
    let plan = world.plan("s");
    plan.write("# Shown").unwrap();
    let revision = plan.submit("# Shown").unwrap();
    assert_eq!(plan.read().sha256(), Some(revision.sha256.clone()));
    fs::remove_file(plan.path()).unwrap();
    assert_eq!(plan.read().sha256(), None);
    fs::write(plan.path(), "# Swapped").unwrap();
    assert_ne!(plan.read().sha256(), Some(revision.sha256));
}

#[test]
fn pm_46_list_finds_plans_of_all_projects() {
    let world = World::new();
    let draft = world.plan("s1");
    draft.write("# A draft\n").unwrap();
    let inside = world.made("s2", Some("docs/plans"), PlanNaming::Words).0.reserve("").unwrap();
    inside.write("# In the project\n").unwrap();
    inside.submit("# In the project\n").unwrap();
    let lost = world.plan("s3");
    lost.submit("# Lost\n").unwrap();
    lost.record_outcome(1, RevisionOutcome::Approved, None).unwrap();
    let bad = world.plan("s4");
    fs::write(bad.path(), b"\xff").unwrap();
    // A plan from another machine, and files that are not plans.
    fs::write(world.home().join("plans/old-kept-plan.md"), "words only").unwrap();
    fs::write(world.home().join("plans/Notes.md"), "# N").unwrap();
    fs::write(world.home().join("plans/.reserved/empty-after-crash"), "").unwrap();
    let listed = list_plans(&world.home());
    let about = |slug: &str| listed.iter().find(|plan| plan.slug == slug).unwrap();
    assert_eq!(listed.len(), 5, "{listed:#?}");
    let draft = about(draft.slug());
    assert_eq!((draft.title.as_str(), draft.status, draft.revision), ("A draft", PlanStatus::Draft, 0));
    assert_eq!(draft.project.as_deref(), world.at("proj").to_str());
    assert_eq!(draft.session.as_deref(), Some("s1"));
    let inside = about(inside.slug());
    assert_eq!((inside.status, inside.revision, inside.exists), (PlanStatus::Submitted, 1, true));
    assert!(inside.path.starts_with(world.at("proj/docs/plans")));
    let lost = about(lost.slug());
    assert_eq!((lost.title.as_str(), lost.status, lost.exists), ("Lost", PlanStatus::Approved, false));
    let bad = about(bad.slug());
    assert!(bad.unreadable.as_deref().is_some_and(|why| why.contains("UTF-8")));
    assert_eq!(about("old-kept-plan").title, "words only");
    assert!(listed.windows(2).all(|pair| pair[0].time >= pair[1].time));
    assert_eq!(find_plan(&world.home(), "../../etc/passwd"), None);
}

#[test]
fn pm_40_linked_home_is_resolved() {
    let world = World::new();
    fs::create_dir_all(world.at("real")).unwrap();
    symlink(world.at("real"), world.at("home")).unwrap();
    let plan = world.plan("s");
    assert_eq!(plan.path(), resolve_links(plan.path()).unwrap());
    plan.write("# P").unwrap();
    assert!(world.is(&plan, &format!("~/.cutonce/plans/{}.md", plan.slug())));
    assert_eq!((bits(plan.path()), list_plans(&world.home()).len()), (0o600, 1));
}
