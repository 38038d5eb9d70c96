use super::*;
use cutonce_core::permission::{Place, Target};
use cutonce_core::plan::{Outcome, Restored, RestoredFrom, Status, sha256};
use cutonce_tools::disk::Disk;
use cutonce_tools::workspace::{Workspace, resolve_links};
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::sync::Arc;

/// A home and a project, both empty.
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
    fn made(&self, session: &str, directory: Option<&str>, names: Names) -> (PlanFiles, Option<String>) {
        PlanFiles::new(&self.home(), &self.at("proj"), session, directory, names)
    }
    fn files(&self, session: &str) -> PlanFiles {
        self.made(session, None, Names::Words).0
    }
    fn plan(&self, session: &str) -> PlanFile {
        self.files(session).reserve("").unwrap()
    }
    fn workspace(&self) -> Workspace {
        let home = self.at("home");
        Workspace::new(&self.at("proj"), &[], Some(&home), &self.home(), &self.home().join("own")).unwrap()
    }
    fn is(&self, plan: &PlanFile, given: &str) -> bool {
        plan.is(&self.workspace().resolve(given).unwrap())
    }
}

fn bits(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

fn shown(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn pm_40_plans_are_in_the_home_or_in_a_folder_of_the_project() {
    let world = World::new();
    fs::create_dir_all(world.at("proj/.git")).unwrap();
    fs::write(world.at("proj/file"), "").unwrap();
    symlink(world.at("home"), world.at("proj/out")).unwrap();
    symlink("docs", world.at("proj/in")).unwrap();
    symlink("loop", world.at("proj/loop")).unwrap();
    let folder = |directory: Option<&str>| {
        let (files, warning) = world.made("s", directory, Names::Words);
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
fn pm_40_a_folder_that_cant_be_written_to_is_not_used() {
    let world = World::new();
    let locked = world.at("proj/locked");
    fs::create_dir(&locked).unwrap();
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o555)).unwrap();
    // Permission bits do not bind root; a disk that is mounted for reading does.
    let root = rustix::process::geteuid().is_root();
    let mounted = Small::mount(&locked, "ro");
    for given in ["locked", "locked/deep/plans"].into_iter().filter(|_| !root || mounted.is_some()) {
        let (files, warning) = world.made("s", Some(given), Names::Words);
        let warning = warning.unwrap();
        assert!(warning.contains("can't be written to"), "{warning}");
        assert_eq!(files.folder(), world.home().join("plans"));
    }
}

#[test]
fn pm_41_a_name_is_reserved_without_making_the_plan() {
    let world = World::new();
    let (one, two) = (world.plan("s1"), world.plan("s2"));
    assert_ne!(one.slug(), two.slug());
    assert_eq!(one.slug().split('-').count(), 3, "{}", one.slug());
    assert_eq!(one.path(), world.home().join("plans").join(format!("{}.md", one.slug())));
    assert!(!one.path().exists());
    assert_eq!(one.read(), Found::Nothing);
    assert_eq!(bits(&world.home().join("plans")), 0o700);
    // Nothing was written, so there is no plan to list.
    assert_eq!(list(&world.home()), []);
}

#[test]
fn pm_41_two_at_once_never_get_the_same_name() {
    let world = World::new();
    // One name for all: each must end up with a number of its own.
    let files = world.made("s", None, Names::Task).0;
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

/// Not a test of its own: what the processes of the next one run.
#[test]
fn pm_41_in_another_process() {
    let Some(home) = std::env::var_os("PLAN_FILES_TEST_HOME") else { return };
    let files = PlanFiles::new(Path::new(&home), Path::new("/"), "s", None, Names::Task).0;
    for _ in 0..20 {
        println!("reserved {}", files.reserve("same words").unwrap().slug());
    }
}

#[test]
fn pm_41_two_processes_never_get_the_same_name() {
    let world = World::new();
    let processes: Vec<_> = (0..4)
        .map(|_| {
            std::process::Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "plan_files::tests::pm_41_in_another_process", "--nocapture"])
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
fn pm_41_a_name_whose_plan_is_there_is_not_free() {
    let world = World::new();
    let date = jiff::Zoned::now().date();
    let files = world.made("s", None, Names::Task).0;
    let first = files.reserve("migrate auth").unwrap();
    assert_eq!(first.slug(), format!("{date}-migrate-auth"));
    first.write("# P").unwrap();
    first.submit("# P").unwrap();
    // Without its reservation, and then without its file, the name still stands for a plan.
    reserved::remove(&world.home(), first.slug()).unwrap();
    assert_eq!(files.reserve("migrate auth").unwrap().slug(), format!("{date}-migrate-auth-2"));
    fs::remove_file(first.path()).unwrap();
    assert_eq!(files.reserve("migrate auth").unwrap().slug(), format!("{date}-migrate-auth-3"));
}

#[test]
fn pm_42_a_subagent_has_a_file_of_its_own() {
    let world = World::new();
    let plan = world.plan("s");
    let agent = plan.of_agent("a1").unwrap();
    assert_eq!(agent.path(), world.home().join(format!("plans/{}-agent-a1.md", plan.slug())));
    plan.write("# Main").unwrap();
    agent.write("# Agent").unwrap();
    assert_eq!(plan.read().text(), Some("# Main"));
    assert!(world.is(&agent, shown(agent.path())) && !world.is(&agent, shown(plan.path())));
    assert!(plan.of_agent("../x").is_none());
    // It is no plan of its own in the list, and goes with the main one.
    assert_eq!(list(&world.home()).len(), 1);
    remove(&world.home(), plan.slug()).unwrap();
    assert!(!agent.path().exists() && !plan.path().exists());
}

#[test]
fn pm_43_what_a_plan_file_can_be() {
    let world = World::new();
    let plan = world.plan("s");
    let write = |bytes: &[u8]| fs::write(plan.path(), bytes).unwrap();
    assert_eq!(plan.read(), Found::Nothing);
    write(b" \n\t\n");
    assert_eq!(plan.read(), Found::Nothing);
    write(b"# P\n");
    assert_eq!(plan.read(), Found::Plan("# P\n".into()));
    let unreadable = |part: &str| match plan.read() {
        Found::Unreadable(why) => assert!(why.contains(part), "{why}"),
        other => panic!("{part}: {other:?}"),
    };
    write(b"# \xff\n");
    unreadable("not UTF-8 after byte 2");
    // Long, but a plan; and far too long.
    write("five megabytes ".repeat(350_000).as_bytes());
    assert_eq!(plan.read().text().map(str::len), Some(15 * 350_000));
    fs::File::options().write(true).open(plan.path()).unwrap().set_len(file::LONGEST_PLAN + 1).unwrap();
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
fn pm_73_a_file_without_permission_is_unreadable_and_not_missing() {
    let world = World::new();
    let plan = world.plan("s");
    plan.write("# P").unwrap();
    fs::set_permissions(world.base.join("home"), fs::Permissions::from_mode(0o755)).unwrap();
    let found = as_user(|| plan.read());
    assert!(matches!(&found, Found::Unreadable(why) if why.contains("ermission denied")), "{found:?}");
}

/// As somebody who is not root, for whom permission bits count.
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
fn pm_44_only_exactly_this_path_is_the_plan_file() {
    let world = World::new();
    let plan = world.plan("s");
    let (path, folder) = (plan.path().to_path_buf(), plan.path().parent().unwrap().to_path_buf());
    let name = path.file_name().unwrap().to_str().unwrap();
    // Before it exists and after.
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
    // A link in the project leads to exactly this path; whoever writes through it writes the plan and nothing else.
    assert!(world.is(&plan, "link.md"));
}

#[test]
fn pm_44_links_do_not_pass_as_the_plan_file() {
    let world = World::new();
    let plan = world.plan("s");
    let victim = world.at("proj/src/victim.rs");
    fs::write(&victim, "fn main() {}").unwrap();
    let target = || Target { given: shown(plan.path()).into(), path: plan.path().into(), place: Place::Protected };
    let refused = |why: &str| {
        assert!(!plan.is(&target()), "{why}");
        assert!(matches!(plan.read(), Found::Unreadable(text) if text.contains(why)), "{why}");
    };
    symlink(&victim, plan.path()).unwrap();
    refused("a symbolic link");
    assert!(plan.write("# P").is_err());
    fs::remove_file(plan.path()).unwrap();
    fs::hard_link(&victim, plan.path()).unwrap();
    refused("2 hard links");
    plan.write("# P").unwrap();
    assert_eq!(fs::read_to_string(&victim).unwrap(), "fn main() {}");
    // The folder itself is swapped for a link after the session has started.
    let folder = plan.path().parent().unwrap();
    fs::rename(folder, world.at("moved")).unwrap();
    symlink(world.at("moved"), folder).unwrap();
    refused("took the place of one of its folders");
    assert!(plan.write("# Q").is_err());
}

#[test]
fn pm_44_a_shown_plan_counts_as_read_and_disk_makes_its_folder() {
    let world = World::new();
    let (files, warning) = world.made("s", Some("docs/plans"), Names::Words);
    assert_eq!(warning, None);
    for plan in [files.reserve("").unwrap(), world.plan("s")] {
        let disk = Disk::new(Arc::new(Kept));
        // As Write does it: the folder need not be there.
        disk.put_back(plan.path(), Some(b"# P")).unwrap();
        plan.write("# Edited by the approver").unwrap();
        assert!(disk.check_fresh(plan.path()).is_err());
        disk.remember_shown(plan.path()).unwrap();
        disk.check_fresh(plan.path()).unwrap();
    }
}

struct Kept;

impl cutonce_tools::disk::KeepVersion for Kept {
    fn keep(&self, _: &Path, _: Option<&[u8]>) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn pm_45_a_write_replaces_the_file_whole_and_for_the_user_alone() {
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

/// A small file system, where one can be mounted; it goes away with the value.
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
fn pm_45_a_full_disk_leaves_the_old_plan_and_the_index_whole() {
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
    // Nothing at all is left: then no name is reserved, and no half of one.
    let rest = (1u64..).map_while(|n| fs::write(world.home().join(format!("{n}")), vec![b'x'; 4096]).ok()).count();
    assert!(rest > 0);
    assert!(world.files("s2").reserve("").is_err());
    assert_eq!(fs::read_dir(world.home().join("plans/.reserved")).unwrap().count(), 1);
}

#[test]
fn pm_46_every_submitted_version_is_kept_and_readable() {
    let world = World::new();
    let plan = world.plan("s1");
    plan.write("# One\n").unwrap();
    assert_eq!(plan.submit("# One\n").unwrap().number, 1);
    assert_eq!(plan.settle(1, Outcome::Rejected, None).unwrap().outcome, Outcome::Rejected);
    plan.write("# Two\n").unwrap();
    assert_eq!(plan.submit("# Two\n").unwrap().number, 2);
    plan.settle(2, Outcome::Approved, None).unwrap();
    // A plan for another task takes the file's place; what was approved stays.
    plan.write("# Another task\n").unwrap();
    let revisions = plan.revisions();
    assert_eq!((revisions.text(1).unwrap(), revisions.text(2).unwrap()), ("# One\n".into(), "# Two\n".into()));
    assert_eq!(list(&world.home())[0].approved, Some(2));
    assert_eq!(list(&world.home())[0].status, Status::Draft);
    let error = revisions.text(9).unwrap_err().to_string();
    assert_eq!(error, format!("{} has no revision 9; the last one is 2", plan.slug()));
    assert!(plan.settle(9, Outcome::Left, None).is_err());
    let file = world.home().join(format!("plans/.revisions/{}/0002.md", plan.slug()));
    assert_eq!(bits(&file), 0o600);
    fs::write(file, "# Forged\n").unwrap();
    assert!(revisions.text(2).unwrap_err().to_string().contains("not what was submitted"));
}

#[test]
fn pm_46_what_was_approved_is_the_edited_text() {
    let world = World::new();
    let plan = world.plan("s");
    plan.submit("# Shown").unwrap();
    let approved = plan.settle(1, Outcome::Approved, Some("# Edited")).unwrap();
    assert_eq!((approved.number, approved.outcome), (2, Outcome::Approved));
    let outcomes: Vec<_> = plan.revisions().index().revisions.iter().map(|revision| revision.outcome).collect();
    assert_eq!(outcomes, [Outcome::Rejected, Outcome::Approved]);
    assert_eq!(plan.revisions().text(2).unwrap(), "# Edited");
}

#[test]
fn pm_46_submissions_at_once_all_get_on_record() {
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
        assert_eq!(sha256(&plan.revisions().text(revision.number).unwrap()), revision.sha256);
    }
}

#[test]
fn pm_46_a_broken_index_is_rebuilt_from_the_files() {
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
fn pm_48_a_lost_file_is_restored_and_one_that_is_there_is_not_touched() {
    let world = World::new();
    let first = world.plan("s");
    let plan = world.files("s").adopt(first.slug()).unwrap();
    assert_eq!(plan.path(), first.path());
    let from = RestoredFrom::FileSnapshot;
    let saved = || Some(Restored { text: "# Saved".into(), from });
    assert_eq!(plan.restore(None).unwrap(), None);
    assert_eq!(plan.restore(saved()).unwrap(), Some(from));
    assert_eq!(plan.read().text(), Some("# Saved"));
    for held in [&b"# Newer"[..], b"", b"\xff"] {
        fs::write(plan.path(), held).unwrap();
        assert_eq!(plan.restore(saved()).unwrap(), None);
        assert_eq!(fs::read(plan.path()).unwrap(), held);
    }
    // Deleted, or its whole folder, while in use.
    fs::remove_dir_all(world.home()).unwrap();
    assert_eq!(plan.read(), Found::Nothing);
    assert_eq!(plan.restore(saved()).unwrap(), Some(from));
    assert_eq!(bits(&world.home().join("plans")), 0o700);
}

#[test]
fn pm_48_a_name_from_a_transcript_is_not_believed() {
    let world = World::new();
    let plan = world.plan("s1");
    for bad in ["", "../x", "a/b", ".reserved", "A", "-x", "x.md"] {
        assert!(matches!(world.files("s1").adopt(bad), Err(PlanError::BadName(_))), "{bad}");
        assert!(world.files("s1").fork(bad, "").is_err(), "{bad}");
    }
    let others = world.files("s2").adopt(plan.slug()).unwrap_err();
    assert!(matches!(&others, PlanError::Others { session, .. } if session == "s1"), "{others}");
    // From another machine: nobody has it here, so it is this session's.
    world.files("s3").adopt("happy-running-fox").unwrap();
    assert!(world.files("s4").adopt("happy-running-fox").is_err());
    // A crash left the reservation empty.
    fs::write(world.home().join("plans/.reserved/calm-reading-owl"), "").unwrap();
    world.files("s5").adopt("calm-reading-owl").unwrap();
}

#[test]
fn pm_49_a_fork_has_a_copy_under_a_new_name() {
    let world = World::new();
    let plan = world.plan("s1");
    plan.write("# P\r\n").unwrap();
    let (copy, found) = world.files("s2").fork(plan.slug(), "").unwrap();
    assert_eq!(found, Found::Plan("# P\r\n".into()));
    assert_ne!(copy.slug(), plan.slug());
    assert_eq!(copy.read(), plan.read());
    copy.write("# Changed").unwrap();
    assert_eq!(plan.read().text(), Some("# P\r\n"));
    // Also from a project's folder, although the fork has another one; and of a plan that is gone.
    let (files, _) = world.made("s3", Some("docs"), Names::Words);
    let third = files.reserve("").unwrap();
    third.write("# T").unwrap();
    assert_eq!(world.files("s4").fork(third.slug(), "").unwrap().0.read().text(), Some("# T"));
    fs::remove_file(third.path()).unwrap();
    let (fourth, found) = world.files("s4").fork(third.slug(), "").unwrap();
    assert_eq!((found, fourth.path().exists()), (Found::Nothing, false));
}

#[test]
fn pm_51_names_from_the_task() {
    let world = World::new();
    let files = world.made("s", None, Names::Task).0;
    let date = jiff::Zoned::now().date();
    let plan = files.reserve("Migrate auth, please!").unwrap();
    // The day may end between the two lines above.
    let tomorrow = date.tomorrow().unwrap();
    let expected = [date, tomorrow].map(|date| format!("{date}-migrate-auth-please"));
    assert!(expected.contains(&plan.slug().to_string()), "{}", plan.slug());
}

#[test]
fn pm_84_a_file_replaced_meanwhile_has_another_hash() {
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
fn pm_46_the_list_finds_all_plans_of_all_projects() {
    let world = World::new();
    let draft = world.plan("s1");
    draft.write("# A draft\n").unwrap();
    let inside = world.made("s2", Some("docs/plans"), Names::Words).0.reserve("").unwrap();
    inside.write("# In the project\n").unwrap();
    inside.submit("# In the project\n").unwrap();
    let lost = world.plan("s3");
    lost.submit("# Lost\n").unwrap();
    lost.settle(1, Outcome::Approved, None).unwrap();
    let bad = world.plan("s4");
    fs::write(bad.path(), b"\xff").unwrap();
    // From another machine, and things that are no plans.
    fs::write(world.home().join("plans/old-kept-plan.md"), "words only").unwrap();
    fs::write(world.home().join("plans/Notes.md"), "# N").unwrap();
    fs::write(world.home().join("plans/.reserved/empty-after-crash"), "").unwrap();
    let listed = list(&world.home());
    let about = |slug: &str| listed.iter().find(|plan| plan.slug == slug).unwrap();
    assert_eq!(listed.len(), 5, "{listed:#?}");
    let draft = about(draft.slug());
    assert_eq!((draft.title.as_str(), draft.status, draft.revision), ("A draft", Status::Draft, 0));
    assert_eq!(draft.project.as_deref(), world.at("proj").to_str());
    assert_eq!(draft.session.as_deref(), Some("s1"));
    let inside = about(inside.slug());
    assert_eq!((inside.status, inside.revision, inside.exists), (Status::Submitted, 1, true));
    assert!(inside.path.starts_with(world.at("proj/docs/plans")));
    let lost = about(lost.slug());
    assert_eq!((lost.title.as_str(), lost.status, lost.exists), ("Lost", Status::Approved, false));
    let bad = about(bad.slug());
    assert!(bad.unreadable.as_deref().is_some_and(|why| why.contains("UTF-8")));
    assert_eq!(about("old-kept-plan").title, "words only");
    assert!(listed.windows(2).all(|pair| pair[0].time >= pair[1].time));
    assert_eq!(find(&world.home(), "../../etc/passwd"), None);
}

#[test]
fn a_home_that_is_reached_by_a_link_is_resolved_once() {
    let world = World::new();
    fs::create_dir_all(world.at("real")).unwrap();
    symlink(world.at("real"), world.at("home")).unwrap();
    let plan = world.plan("s");
    assert_eq!(plan.path(), resolve_links(plan.path()).unwrap());
    plan.write("# P").unwrap();
    assert!(world.is(&plan, &format!("~/.cutonce/plans/{}.md", plan.slug())));
    assert_eq!((bits(plan.path()), list(&world.home()).len()), (0o600, 1));
}
