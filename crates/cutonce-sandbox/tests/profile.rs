//! Profiles on a real kernel, by a few plain commands. `hostile.rs` has the attacks.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod world;

use cutonce_sandbox::{Ended, Limits, Profile, SpawnError, Tier, available, available_within, scratch_works};
use world::{SECRET, Under, World, finish};

#[tokio::test]
async fn sb_3_without_a_layer_nothing_runs() {
    let mut world = World::new();
    let without = [
        Limits { no_landlock: true, ..Limits::default() },
        Limits { no_seccomp: true, ..Limits::default() },
        Limits { no_namespaces: true, landlock_at_most: Some(2), ..Limits::default() },
    ];
    for limits in without {
        let layer = available_within(limits);
        assert_eq!(layer.tier, Tier::None, "{limits:?}");
        assert!(!layer.holds() && !layer.why().is_empty());
        for profile in [world.profile(Under::Namespaces), world.profile(Under::Scratch), world.workspace_write(false)] {
            let error = finish(world.spawn(profile, limits, "touch @WS@/pwned @TMP@/pwned")).await.unwrap_err();
            assert!(matches!(error, SpawnError::Unheld { .. }), "{error}");
        }
    }
    assert!(!world.at("tmp/pwned").exists());
    assert_eq!(world.damage(), Vec::<String>::new());
}

#[tokio::test]
async fn sb_3_a_throwaway_layer_needs_namespaces_and_a_folder() {
    let world = World::new();
    let refused = |limits, profile| {
        let spawn = world.spawn(profile, limits, "true");
        async { matches!(finish(spawn).await, Err(SpawnError::Unheld { .. })) }
    };
    assert!(refused(Under::Landlock.limits(), world.profile(Under::Scratch)).await);
    assert!(scratch_works(&world.at("layers"), Under::Landlock.limits()).is_err());
    let Profile::ReadOnly(mut read_only) = world.profile(Under::Scratch) else { unreachable!() };
    read_only.scratch.as_mut().unwrap().layers = world.at("no-such-folder");
    assert!(refused(Limits::default(), Profile::ReadOnly(read_only.clone())).await);
    read_only.scratch = None;
    read_only.tmp = world.at("no-such-folder");
    assert!(refused(Limits::default(), Profile::ReadOnly(read_only)).await);
}

#[tokio::test]
async fn sb_2_the_judge_sees_each_kind_of_damage() {
    let python = |code: &str| format!("python3 -c \"import os,socket; {code}\"");
    let damaging = [
        "touch pwned".to_string(),
        "echo x >> victim.txt".into(),
        "chmod 600 victim.txt".into(),
        "touch -d 2001-01-01 @OUT@/outside.txt".into(),
        "ln @WS@/t.py @OUT@/again".into(),
        "kill @PID@; until grep -q ') Z' /proc/@PID@/stat; do :; done".into(),
        "renice -n 10 -p @PID@".into(),
        "exec 3<>/dev/tcp/127.0.0.1/@PORT@".into(),
        "echo x > /dev/udp/127.0.0.1/@UDP@".into(),
        python("socket.socket(socket.AF_UNIX).connect('@S@/stream')"),
        python("socket.socketpair(socket.AF_UNIX,socket.SOCK_DGRAM)[0].sendto(b'x','@S@/dgram')"),
        python("socket.socket(socket.AF_UNIX).connect('\\0@ABSTRACT@')"),
    ];
    for script in damaging {
        let mut world = World::new();
        assert_eq!(world.damage(), Vec::<String>::new());
        finish(world.spawn(Profile::Open, Limits::default(), &script)).await.unwrap();
        assert!(!world.damage().is_empty(), "{script}");
    }
}

#[tokio::test]
async fn sb_1_the_layer_has_words() {
    let layer = available();
    assert!(layer.text().contains("Landlock"), "{layer:?}");
    let second = available_within(Limits { no_namespaces: true, ..Limits::default() });
    assert_eq!(second.tier, Tier::Landlock, "{second:?}");
    assert!(second.why().contains("namespaces"), "{second:?}");
}

#[tokio::test]
async fn pm_63_a_scratch_command_sees_its_writes_and_nobody_else_does() {
    let mut world = World::new();
    let script = "make -s && ls made && echo x > victim.txt && cat victim.txt && rm -rf src && ls; chmod 700 docs; touch -d 2001-01-01 t.py; ln -s a b";
    let (text, ended) = world.run(Under::Scratch, script).await;
    assert!(text.contains("made\nx\n") && !text.contains("src"), "{text}");
    assert_eq!(ended, Ended::Exited(0), "{text}");
    assert_eq!(world.damage(), Vec::<String>::new());
}

#[tokio::test]
async fn pm_63_scratch_has_a_network_of_its_own() {
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
async fn pm_63_dropping_a_running_scratch_command_leaves_no_layer() {
    let world = World::new();
    let running = world.spawn(world.profile(Under::Scratch), Limits::default(), "sleep 1000").start().unwrap();
    assert_eq!(std::fs::read_dir(world.at("layers")).unwrap().count(), 1);
    let supervisor = running.id().unwrap();
    drop(running);
    // The layer goes when the family has.
    while std::fs::read_dir(world.at("layers")).unwrap().count() > 0 {
        std::thread::yield_now();
    }
    assert!(!std::path::Path::new("/proc").join(supervisor.to_string()).exists());
}

#[tokio::test]
async fn sb_4_workspace_write_writes_the_workspace_only() {
    for limits in [Limits::default(), Under::Landlock.limits()] {
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
async fn sb_4_network_is_as_the_profile_says() {
    let script = "exec 3<>/dev/tcp/127.0.0.1/@PORT@ && echo connected";
    for limits in [Limits::default(), Under::Landlock.limits()] {
        for network in [true, false] {
            let mut world = World::new();
            let (text, _) = finish(world.spawn(world.workspace_write(network), limits, script)).await.unwrap();
            assert_eq!(text.contains("connected"), network, "{limits:?}: {text}");
            assert_eq!(world.damage().iter().any(|one| one == "reached tcp"), network);
        }
    }
}

#[tokio::test]
async fn tl_8_signals_and_codes_are_reported_under_every_layer() {
    let world = World::new();
    for under in Under::ALL {
        assert_eq!(world.run(under, "exit 37").await.1, Ended::Exited(37), "{under:?}");
        assert_eq!(world.run(under, "kill -KILL 0").await.1, Ended::Signalled(9), "{under:?}");
        if under != Under::OldLandlock {
            assert_eq!(world.run(under, "kill -TERM $$").await.1, Ended::Signalled(15), "{under:?}");
        }
    }
}
