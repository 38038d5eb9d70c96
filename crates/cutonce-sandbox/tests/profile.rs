//! Tests profiles on a real kernel with plain commands. `hostile.rs` has the attacks.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod world;

use cutonce_sandbox::{
    KeptLayer, ProcessExit, ResourceKind, ResourceLimits, SandboxLimits, SandboxProfile, SandboxTier, SpawnError,
    WorkspaceWriteProfile, check_throwaway_layer, sandbox_support, sandbox_support_within,
};
use std::os::unix::fs::MetadataExt;
use world::{SECRET, Under, World, finish};

#[tokio::test]
async fn sb_3_nothing_runs_without_a_sandbox() {
    let mut world = World::new();
    let without = [
        SandboxLimits { no_landlock: true, no_namespaces: true, ..SandboxLimits::default() },
        SandboxLimits { no_seccomp: true, ..SandboxLimits::default() },
        SandboxLimits { no_namespaces: true, landlock_at_most: Some(2), ..SandboxLimits::default() },
    ];
    for limits in without {
        let layer = sandbox_support_within(limits);
        assert_eq!(layer.tier, SandboxTier::None, "{limits:?}");
        assert!(!layer.can_confine() && !layer.missing_reasons().is_empty());
        for profile in [world.profile(Under::Namespaces), world.profile(Under::Scratch), world.workspace_write(false)] {
            let error = finish(world.spawn(profile, limits, "touch @WS@/pwned @TMP@/pwned")).await.unwrap_err();
            assert!(matches!(error, SpawnError::NotConfined { .. }), "{error}");
        }
    }
    assert!(!world.at("tmp/pwned").exists());
    assert_eq!(world.damage(), Vec::<String>::new());
}

#[tokio::test]
async fn sb_3_throwaway_layer_needs_namespaces_and_folder() {
    let world = World::new();
    let refused = |limits, profile| {
        let spawn = world.spawn(profile, limits, "true");
        async { matches!(finish(spawn).await, Err(SpawnError::NotConfined { .. })) }
    };
    assert!(refused(Under::Landlock.limits(), world.profile(Under::Scratch)).await);
    assert!(check_throwaway_layer(&world.at("layers"), Under::Landlock.limits()).is_err());
    let SandboxProfile::ReadOnly(mut read_only) = world.profile(Under::Scratch) else { unreachable!() };
    read_only.scratch.as_mut().unwrap().storage = world.at("no-such-folder");
    assert!(refused(SandboxLimits::default(), SandboxProfile::ReadOnly(read_only.clone())).await);
    read_only.scratch = None;
    read_only.tmp = world.at("no-such-folder");
    assert!(refused(SandboxLimits::default(), SandboxProfile::ReadOnly(read_only)).await);
}

#[tokio::test]
async fn sb_2_harness_detects_each_kind_of_damage() {
    let python = |code: &str| format!("python3 -c \"import os,socket; {code}\"");
    let damaging = [
        "touch pwned".to_string(),
        "echo x >> victim.txt".into(),
        "chmod 600 victim.txt".into(),
        "touch -d 2001-01-01 @OUT@/outside.txt".into(),
        "ln @WS@/t.py @OUT@/again".into(),
        "kill @PID@; until grep -q ') Z' /proc/@PID@/stat; do :; done".into(),
        "renice -n 19 -p @PID@".into(),
        "exec 3<>/dev/tcp/127.0.0.1/@PORT@".into(),
        "echo x > /dev/udp/127.0.0.1/@UDP@".into(),
        python("socket.socket(socket.AF_UNIX).connect('@S@/stream')"),
        python("socket.socketpair(socket.AF_UNIX,socket.SOCK_DGRAM)[0].sendto(b'x','@S@/dgram')"),
        python("socket.socket(socket.AF_UNIX).connect('\\0@ABSTRACT@')"),
    ];
    for script in damaging {
        let mut world = World::new();
        assert_eq!(world.damage(), Vec::<String>::new());
        finish(world.spawn(SandboxProfile::Unconfined, SandboxLimits::default(), &script)).await.unwrap();
        assert!(!world.damage().is_empty(), "{script}");
    }
}

#[tokio::test]
async fn sb_1_sandbox_support_has_a_description() {
    let layer = sandbox_support();
    assert!(layer.describe().contains("Landlock"), "{layer:?}");
    let second = sandbox_support_within(SandboxLimits { no_namespaces: true, ..SandboxLimits::default() });
    assert_eq!(second.tier, SandboxTier::Landlock, "{second:?}");
    assert!(second.missing_reasons().contains("namespaces"), "{second:?}");
}

#[tokio::test]
async fn pm_63_only_the_command_sees_its_writes() {
    let mut world = World::new();
    let script = "make -s && ls made && echo x > victim.txt && cat victim.txt && rm -rf src && ls; chmod 700 docs; touch -d 2001-01-01 t.py; ln -s a b";
    let (text, ended) = world.run(Under::Scratch, script).await;
    assert!(text.contains("made\nx\n") && !text.contains("src"), "{text}");
    assert_eq!(ended, ProcessExit::Exited(0), "{text}");
    assert_eq!(world.damage(), Vec::<String>::new());
}

#[tokio::test]
async fn pm_63_throwaway_layer_has_its_own_network() {
    let mut world = World::new();
    let script = r#"python3 - <<'E'
import socket
s = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen()
c = socket.create_connection(s.getsockname()); print('loopback works')
try: socket.create_connection(('127.0.0.1', @PORT@)); print('reached')
except OSError as e: print('not outside')
E"#;
    let (text, _) = world.run(Under::Scratch, script).await;
    assert_eq!(text, "loopback works\nnot outside\n");
    assert_eq!(world.damage(), Vec::<String>::new());
}

#[tokio::test]
async fn pm_63_dropping_a_command_removes_its_layer() {
    let world = World::new();
    let running = world.spawn(world.profile(Under::Scratch), SandboxLimits::default(), "sleep 1000").start().unwrap();
    assert_eq!(std::fs::read_dir(world.at("layers")).unwrap().count(), 1);
    let supervisor = running.id().unwrap();
    drop(running);
    // The layer is removed after the last process of the tree.
    while std::fs::read_dir(world.at("layers")).unwrap().count() > 0 {
        std::thread::yield_now();
    }
    assert!(!std::path::Path::new("/proc").join(supervisor.to_string()).exists());
}

#[tokio::test]
async fn sb_4_workspace_write_changes_workspace_only() {
    for limits in [SandboxLimits::default(), Under::Landlock.limits()] {
        let world = World::new();
        let script = "echo new > made && mkdir d && mv made d/ && cat d/made && chmod 600 victim.txt; echo x > @OUT@/outside.txt; touch @HOME@/pwned; cat @HOME@/.ssh/id_ed25519";
        let (text, _) = finish(world.spawn(world.workspace_write(false), limits, script)).await.unwrap();
        assert!(text.starts_with("new\n"), "{text}");
        assert!(!text.contains(SECRET));
        assert!(world.at("ws/d/made").exists() && !world.at("home/pwned").exists());
        assert_eq!(std::fs::read_to_string(world.at("out/outside.txt")).unwrap(), "outside\n");
    }
}

#[tokio::test]
async fn sb_4_protected_places_stay_read_only() {
    for limits in [SandboxLimits::default(), Under::Landlock.limits()] {
        let mut world = World::new();
        std::fs::create_dir_all(world.at("ws/sub/.git/hooks")).unwrap();
        std::fs::create_dir(world.at("ws/open")).unwrap();
        let names = [".git", "sub/.git", ".mcp.json", ".cutonce", "sub/.envrc"];
        let protect: Vec<_> = names.iter().map(|name| world.at("ws").join(name)).collect();
        let profile = SandboxProfile::WorkspaceWrite(WorkspaceWriteProfile { protect, ..world.writing(false) });
        let script = "echo x > .git/hooks/pre-commit; echo x >> .git/config; mv .git away; rm -rf sub/.git; \
            echo x > sub/.git/hooks/pre-commit; echo x > .mcp.json; echo x > made; mv -f made .mcp.json; \
            ln .git/config open/config; \
            mkdir -p .cutonce/hooks; echo x > .cutonce/settings.local.json; rm -rf .cutonce; ln -sfn sub .cutonce; \
            echo x > sub/.envrc; mkdir open/d; echo x > open/d/new; echo changed > victim.txt; \
            git status --short; cat .git/HEAD";
        let (text, _) = finish(world.spawn(profile, limits, script)).await.unwrap();
        assert!(text.contains("ref: refs/heads/main"), "{text}");
        assert!(!text.contains("?? .mcp.json") && !text.contains("?? .cutonce"), "{text}");
        let there = |name: &str| world.at("ws").join(name).symlink_metadata().is_ok();
        assert!(there(".git/HEAD") && there("sub/.git/hooks") && !there("away") && !there("open/config"), "{text}");
        for made in [".git/hooks/pre-commit", "sub/.git/hooks/pre-commit", ".mcp.json", ".cutonce", "sub/.envrc"] {
            assert!(!there(made), "{made}: {text}");
        }
        assert!(there("open/d/new"), "{text}");
        assert_eq!(std::fs::read_to_string(world.at("ws/victim.txt")).unwrap(), "changed\n");
        let config = std::fs::read_to_string(world.at("ws/.git/config")).unwrap();
        assert!(!config.contains('x'), "{config}");
        let _ = world.damage();
    }
}

/// Landlock alone can't hide a file in a writable folder: then its neighbours are writable, and it stays closed.
#[tokio::test]
async fn sb_4_hidden_file_in_the_workspace_stays_closed() {
    for limits in [SandboxLimits::default(), Under::Landlock.limits()] {
        let world = World::new();
        std::fs::create_dir(world.at("ws/conf")).unwrap();
        std::fs::write(world.at("ws/conf/key.pem"), SECRET).unwrap();
        std::fs::write(world.at("ws/conf/open"), "old").unwrap();
        let hide = vec![world.at("ws/conf/key.pem")];
        let profile = SandboxProfile::WorkspaceWrite(WorkspaceWriteProfile { hide, ..world.writing(false) });
        let script =
            "cat conf/key.pem; cp conf/key.pem out; ln conf/key.pem out; echo x > conf/key.pem; echo new > conf/open";
        let (text, _) = finish(world.spawn(profile, limits, script)).await.unwrap();
        assert!(!text.contains(SECRET), "{text}");
        let read = |name: &str| std::fs::read_to_string(world.at(name)).unwrap_or_default();
        assert!(!read("ws/out").contains(SECRET) && read("ws/conf/key.pem") == SECRET, "{text}");
        assert_eq!(read("ws/conf/open"), "new\n");
    }
}

#[tokio::test]
async fn sb_4_folders_around_protected_places_are_not_renamed() {
    let world = World::new();
    std::fs::create_dir_all(world.at("ws/packages/lib/.git/hooks")).unwrap();
    std::fs::create_dir_all(world.at("ws/packages/other")).unwrap();
    let protect = vec![world.at("ws/.git"), world.at("ws/packages/lib/.git")];
    let profile = SandboxProfile::WorkspaceWrite(WorkspaceWriteProfile { protect, ..world.writing(false) });
    let script = "mv packages/lib away; mv packages gone; mkdir -p packages/lib/.git/hooks; \
        echo x > packages/lib/.git/hooks/pre-commit; \
        echo x > packages/lib/made; mv packages/other packages/renamed; mv packages/lib/made packages/made";
    let (text, _) = finish(world.spawn(profile, SandboxLimits::default(), script)).await.unwrap();
    let there = |name: &str| world.at("ws").join(name).exists();
    assert!(there("packages/lib/.git/hooks") && !there("packages/lib/.git/hooks/pre-commit"), "{text}");
    assert!(there("packages/renamed") && there("packages/made"), "{text}");
}

#[tokio::test]
async fn sb_4_protected_links_are_not_replaced() {
    let world = World::new();
    std::fs::write(world.at("ws/AGENTS.md"), "rules\n").unwrap();
    std::fs::create_dir_all(world.at("ws/conf/editor")).unwrap();
    for (target, link) in
        [("AGENTS.md", "middle"), ("middle", "CLAUDE.md"), ("conf/editor", ".vscode"), ("nowhere", ".envrc")]
    {
        std::os::unix::fs::symlink(target, world.at("ws").join(link)).unwrap();
    }
    let protect = ["CLAUDE.md", ".vscode", ".envrc"].map(|name| world.at("ws").join(name)).to_vec();
    let profile = SandboxProfile::WorkspaceWrite(WorkspaceWriteProfile { protect, ..world.writing(false) });
    let script = "cat CLAUDE.md; ls -d .vscode/; for f in CLAUDE.md middle .vscode .envrc; do rm -f $f; mv $f x; ln -sfn src $f; \
        echo evil > $f; done; echo evil > .vscode/tasks.json; mv conf y; mv AGENTS.md z; echo evil > AGENTS.md";
    let (text, _) = finish(world.spawn(profile, SandboxLimits::default(), script)).await.unwrap();
    assert!(text.starts_with("rules\n.vscode/\n"), "{text}");
    for (target, link) in
        [("AGENTS.md", "middle"), ("middle", "CLAUDE.md"), ("conf/editor", ".vscode"), ("nowhere", ".envrc")]
    {
        assert_eq!(std::fs::read_link(world.at("ws").join(link)).unwrap(), std::path::Path::new(target), "{text}");
    }
    assert_eq!(std::fs::read_to_string(world.at("ws/AGENTS.md")).unwrap(), "rules\n", "{text}");
    assert!(!world.at("ws/conf/editor/tasks.json").exists() && !world.at("ws/nowhere").exists(), "{text}");
}

#[tokio::test]
async fn mo_4_confined_commands_do_not_open_our_memory() {
    cutonce_sandbox::forbid_process_inspection();
    // SAFETY: `prctl` with `PR_GET_DUMPABLE` only reads a flag of this process.
    let closed = || unsafe { libc::prctl(libc::PR_GET_DUMPABLE, 0, 0, 0, 0) } == 0;
    let world = World::new();
    for under in Under::ALL {
        let running = world.spawn(world.profile(under), under.limits(), "sleep 1000").start().unwrap();
        assert!(closed(), "{under:?}, while a command runs");
        // The supervisor shares our memory.
        let supervisor = format!("/proc/{}/environ", running.id().unwrap());
        // SAFETY: `geteuid` takes no arguments, accesses no memory and can't fail.
        assert!(unsafe { libc::geteuid() } == 0 || std::fs::read(supervisor).is_err(), "{under:?}");
        drop(running);
        assert!(closed(), "{under:?}, afterwards");
    }
}

#[tokio::test]
async fn sb_7_hidden_files_on_a_layer_need_no_mounts() {
    let world = World::new();
    let SandboxProfile::ReadOnly(mut profile) = world.profile(Under::Scratch) else { unreachable!() };
    let folder = world.at("ws/many/closed");
    std::fs::create_dir_all(&folder).unwrap();
    for number in 0..50 {
        std::fs::write(folder.join(format!("{number}.env")), SECRET).unwrap();
        profile.hide.push(folder.join(format!("{number}.env")));
    }
    std::fs::set_permissions(&folder, std::os::unix::fs::PermissionsExt::from_mode(0o555)).unwrap();
    let script = "stat -c '%a %s %Y' many/closed many/closed/7.env; cat many/closed/*.env | grep -c s3cr3t; \
        rm -f many/closed/7.env; chmod 755 many/closed; rm many/closed/7.env; cat many/closed/7.env; mv many moved; \
        cat moved/closed/*.env | grep -c s3cr3t; grep -c many /proc/self/mountinfo";
    let spawn = world.spawn(SandboxProfile::ReadOnly(profile), SandboxLimits::default(), script);
    let (text, _) = finish(spawn).await.unwrap();
    let about = |path: &std::path::Path| {
        let meta = std::fs::metadata(path).unwrap();
        format!("{:o} {} {}", meta.mode() & 0o777, meta.len(), meta.mtime())
    };
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], about(&folder), "{text}");
    assert_eq!(
        lines[1].split(' ').skip(1).collect::<Vec<_>>(),
        about(&folder.join("7.env")).split(' ').skip(1).collect::<Vec<_>>(),
        "{text}"
    );
    let counts: Vec<&str> = lines.iter().copied().filter(|line| line.parse::<u32>().is_ok()).collect();
    assert_eq!(counts, ["0", "0", "0"], "{text}");
    assert_eq!(std::fs::read_to_string(folder.join("7.env")).unwrap(), SECRET);
    std::fs::set_permissions(&folder, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
}

#[tokio::test]
async fn sb_7_thousands_of_hidden_files_stay_hidden() {
    let world = World::new();
    let mut hide = Vec::new();
    for number in 0..3_000 {
        let folder = world.at("out").join(format!("p{number}"));
        std::fs::create_dir(&folder).unwrap();
        for name in [".env", "a", "b"] {
            std::fs::write(folder.join(name), SECRET).unwrap();
        }
        hide.push(folder.join(".env"));
    }
    let SandboxProfile::ReadOnly(mut profile) = world.profile(Under::Namespaces) else { unreachable!() };
    profile.hide = hide;
    let script = "cat @OUT@/p*/.env | wc -c; cat @OUT@/p2999/a";
    let spawn = world.spawn(SandboxProfile::ReadOnly(profile), SandboxLimits::default(), script);
    let (text, _) = finish(spawn).await.unwrap();
    assert!(text.ends_with(&format!("0\n{SECRET}")), "{text}");
}

#[tokio::test]
async fn sb_7_limits_apply_to_the_command() {
    let world = World::new();
    for limits in [SandboxLimits::default(), Under::Landlock.limits()] {
        let SandboxProfile::ReadOnly(mut profile) = world.profile(Under::Namespaces) else { unreachable!() };
        profile.limits =
            ResourceLimits { memory: Some(64 << 20), file_size: Some(1 << 20), ..ResourceLimits::default() };
        let script = "ulimit -H -d -f; python3 -c 'print(len(bytearray(1 << 28)))' 2>&1 | tail -1; \
            head -c 2000000 /dev/zero > $TMPDIR/big; stat -c %s $TMPDIR/big";
        let (text, _) = finish(world.spawn(SandboxProfile::ReadOnly(profile), limits, script)).await.unwrap();
        assert!(text.contains("MemoryError") && text.ends_with("1048576\n"), "{text}");
        std::fs::remove_file(world.at("tmp/big")).unwrap();
    }
}

/// Runs a script that ends only if a limit ends it.
async fn over_limit(world: &World, under: Under, limits: ResourceLimits, script: &str) -> Option<ResourceKind> {
    let SandboxProfile::ReadOnly(mut profile) = world.profile(under) else { unreachable!() };
    profile.limits = limits;
    let mut running = world.spawn(SandboxProfile::ReadOnly(profile), under.limits(), script).start().unwrap();
    let _output = running.stdout.take();
    running.wait().await.unwrap();
    running.over_limit()
}

#[tokio::test]
async fn sb_7_disk_filler_ends_with_its_limit() {
    let mut world = World::new();
    let limits = ResourceLimits { disk: Some(8 << 20), ..ResourceLimits::default() };
    let fill = |at: &str| {
        format!("i=0; while [ $i -lt 90 ] && head -c 1000000 /dev/zero > {at}/f$i; do i=$((i+1)); done; sleep 600")
    };
    for (under, at) in [(Under::Namespaces, "$TMPDIR"), (Under::Landlock, "$TMPDIR"), (Under::Scratch, "@WS@")] {
        let over = over_limit(&world, under, limits, &fill(at)).await;
        assert_eq!(over, Some(ResourceKind::Disk), "{under:?}");
        for entry in std::fs::read_dir(world.at("tmp")).unwrap() {
            std::fs::remove_file(entry.unwrap().path()).unwrap();
        }
    }
    assert_eq!(world.damage(), Vec::<String>::new());
}

#[tokio::test]
async fn sb_7_many_processes_end_with_their_limit() {
    let world = World::new();
    let limits = ResourceLimits { processes: Some(100), ..ResourceLimits::default() };
    for under in [Under::Namespaces, Under::Landlock, Under::Scratch] {
        let over = over_limit(&world, under, limits, "for i in {1..200}; do sleep 600 & done; wait").await;
        assert_eq!(over, Some(ResourceKind::Processes), "{under:?}");
    }
    assert_eq!(over_limit(&world, Under::Namespaces, limits, "for i in {1..20}; do sleep 0 & done; wait").await, None);
}

#[tokio::test]
async fn sb_7_memory_is_limited_for_all_processes_together() {
    let world = World::new();
    let limits = ResourceLimits { total_memory: Some(128 << 20), ..ResourceLimits::default() };
    let hold = "for i in 1 2 3; do python3 -c 'import time; a = b\"x\" * (80 << 20); time.sleep(600)' & done; wait";
    for under in [Under::Namespaces, Under::Landlock] {
        assert_eq!(over_limit(&world, under, limits, hold).await, Some(ResourceKind::Memory), "{under:?}");
    }
}

#[tokio::test]
async fn sb_4_network_follows_the_profile() {
    let script = "exec 3<>/dev/tcp/127.0.0.1/@PORT@ && echo connected";
    for limits in [SandboxLimits::default(), Under::Landlock.limits()] {
        for network in [true, false] {
            let mut world = World::new();
            let (text, _) = finish(world.spawn(world.workspace_write(network), limits, script)).await.unwrap();
            assert_eq!(text.contains("connected"), network, "{limits:?}: {text}");
            assert_eq!(world.damage().iter().any(|one| one == "reached tcp"), network);
        }
    }
}

#[tokio::test]
async fn tl_8_exit_status_is_reported_under_every_layer() {
    let world = World::new();
    for under in Under::ALL {
        assert_eq!(world.run(under, "exit 37").await.1, ProcessExit::Exited(37), "{under:?}");
        assert_eq!(world.run(under, "kill -KILL 0").await.1, ProcessExit::Signalled(9), "{under:?}");
        if under != Under::OldLandlock {
            assert_eq!(world.run(under, "kill -TERM $$").await.1, ProcessExit::Signalled(15), "{under:?}");
        }
    }
}

/// Runs a script on a kept layer over the workspace.
async fn run_on_layer(world: &World, layer: &KeptLayer, through: &[&str], script: &str) -> String {
    let mount = layer.mount(through.iter().map(|name| world.at("ws").join(name)).collect());
    let profile = WorkspaceWriteProfile { layer: Some(mount), ..world.writing(false) };
    let spawn = world.spawn(SandboxProfile::WorkspaceWrite(profile), SandboxLimits::default(), script);
    finish(spawn).await.unwrap().0
}

#[tokio::test]
async fn pc_21_commands_see_earlier_results_on_a_layer() {
    let mut world = World::new();
    let store = tempfile::tempdir().unwrap();
    let layer = KeptLayer::open(&world.at("ws"), store.path(), 4).unwrap();
    let first = "echo x > victim.txt; mkdir new; echo y > new/file; rm -rf src; echo done";
    assert_eq!(run_on_layer(&world, &layer, &[], first).await, "done\n");
    let second = "cat victim.txt new/file; ls src; rm new/file; ls new; echo z > victim.txt";
    let text = run_on_layer(&world, &layer, &[], second).await;
    assert!(text.starts_with("x\ny\n") && text.contains("cannot access 'src'"), "{text}");
    assert_eq!(run_on_layer(&world, &layer, &[], "cat victim.txt; ls new").await, "z\n");
    assert_eq!(std::fs::read_to_string(layer.upper().join("victim.txt")).unwrap(), "z\n");
    drop(layer);
    assert_eq!(world.damage(), Vec::<String>::new());
}

#[tokio::test]
async fn pc_21_through_folders_are_written_directly() {
    let world = World::new();
    std::fs::create_dir_all(world.at("ws/target/deep")).unwrap();
    let store = tempfile::tempdir().unwrap();
    let layer = KeptLayer::open(&world.at("ws"), store.path(), 4).unwrap();
    let script = "echo built > target/deep/out; echo x > made; cat target/deep/out; rm -rf target/deep/*.o";
    let text = run_on_layer(&world, &layer, &["target", "missing"], script).await;
    assert_eq!(text, "built\n");
    assert_eq!(std::fs::read_to_string(world.at("ws/target/deep/out")).unwrap(), "built\n");
    assert!(!world.at("ws/made").exists() && layer.upper().join("made").exists());
    assert!(!layer.upper().join("target/deep").exists());
}

#[tokio::test]
async fn rh_1_layer_cannot_be_reached_from_inside() {
    let mut world = World::new();
    let store = tempfile::tempdir().unwrap();
    let layer = KeptLayer::open(&world.at("ws"), store.path(), 4).unwrap();
    let storage = store.path().canonicalize().unwrap();
    let script = format!(
        "ls -R {0}/*/upper {0}/*/layer-*; echo x > {0}/*/upper/pwned; touch {0}/*/pwned; echo x > @OUT@/pwned; umount @WS@; mount --bind @OUT@ @WS@; mknod dev b 8 0; touch inside",
        storage.display()
    );
    let text = run_on_layer(&world, &layer, &[], &world.filled(&script)).await;
    assert!(!text.contains("victim") && layer.upper().join("inside").exists(), "{text}");
    assert!(!layer.upper().join("pwned").exists() && !layer.upper().join("dev").exists(), "{text}");
    drop(layer);
    assert_eq!(world.damage(), Vec::<String>::new());
}

#[tokio::test]
async fn rh_1_unconfined_program_runs_on_a_layer() {
    let mut world = World::new();
    let store = tempfile::tempdir().unwrap();
    let layer = KeptLayer::open(&world.at("ws"), store.path(), 4).unwrap();
    let profile = SandboxProfile::Layered(layer.mount(Vec::new()));
    let script =
        "echo x > victim.txt; rm -rf src; ls -A STORE/layer-of-*; cat victim.txt; unshare -Ur true && echo nests";
    let script = script.replace("STORE", &store.path().display().to_string());
    let spawn = world.spawn(profile, SandboxLimits::default(), &script);
    let (text, ended) = finish(spawn).await.unwrap();
    assert_eq!((text.as_str(), ended), ("x\nnests\n", ProcessExit::Exited(0)));
    assert_eq!(std::fs::read_to_string(layer.upper().join("victim.txt")).unwrap(), "x\n");
    drop(layer);
    assert_eq!(world.damage(), Vec::<String>::new());
}
