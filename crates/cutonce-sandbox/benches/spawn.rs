//! Measures what starting a program costs under each profile, compared to a plain spawn (SB-5).
//! `cargo bench -p cutonce-sandbox --bench spawn [ROUNDS] [MEGABYTES]`: MEGABYTES is how much memory we allocate.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use cutonce_sandbox::{
    ReadOnlyProfile, ResourceLimits, SandboxLimits, SandboxProfile, SpawnSpec, ThrowawayLayer, sandbox_support,
};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

fn main() {
    let mut numbers = std::env::args().skip(1).filter_map(|arg| arg.parse::<usize>().ok());
    let (rounds, megabytes) = (numbers.next().unwrap_or(200), numbers.next().unwrap_or(40));
    let held = vec![1u8; megabytes << 20];
    let dir = tempfile::tempdir().unwrap();
    for folder in ["project", "tmp", "layers", "home/.ssh"] {
        std::fs::create_dir_all(dir.path().join(folder)).unwrap();
    }
    for file in ["project/.env", "home/.netrc"] {
        std::fs::write(dir.path().join(file), "x").unwrap();
    }
    let (second, all) = (SandboxLimits { no_namespaces: true, ..SandboxLimits::default() }, SandboxLimits::default());
    let kinds: Vec<(&str, SandboxProfile, SandboxLimits)> = vec![
        ("supervisor, no profile", SandboxProfile::Unconfined, all),
        ("Landlock, seccomp", read_only(dir.path(), false, false), second),
        ("  plus 3 hidden paths", read_only(dir.path(), true, false), second),
        ("namespaces, Landlock, seccomp", read_only(dir.path(), false, false), all),
        ("  plus 3 hidden paths", read_only(dir.path(), true, false), all),
        ("throwaway layer", read_only(dir.path(), true, true), all),
    ];
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut times = vec![Vec::new(); kinds.len() + 1];
    for _ in 0..rounds {
        // Interleaved, so that a busy moment affects all of them.
        times[0].push(timed(|| plain(dir.path())));
        for (index, (_, profile, limits)) in kinds.iter().enumerate() {
            let spawn = || {
                let env = vec![("PATH".into(), "/usr/bin:/bin".into())];
                let spawn = SpawnSpec::new("/bin/bash", dir.path().join("project"), env).args(["-c", "exit 0"]);
                let spawn = spawn.profile(profile.clone()).limits(*limits);
                runtime.block_on(async { spawn.start().unwrap().wait().await.unwrap() });
            };
            times[index + 1].push(timed(spawn));
        }
    }
    println!("{}; {rounds} rounds, {} MB allocated", sandbox_support().describe(), held.len() >> 20);
    let (low, base) = (quantile(&mut times[0], 0.1), quantile(&mut times[0], 0.5));
    println!("{:34} {base:6.2} ms  (p10 {low:.2})", "plain spawn");
    for ((name, _, _), times) in kinds.iter().zip(&mut times[1..]) {
        let (low, middle) = (quantile(times, 0.1), quantile(times, 0.5));
        println!("{name:34} {middle:6.2} ms  {:+6.2} over plain  (p10 {low:.2})", middle - base);
    }
}

fn plain(folder: &Path) {
    let mut command = Command::new("/bin/bash");
    command.args(["-c", "exit 0"]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    assert!(command.current_dir(folder.join("project")).status().unwrap().success());
}

fn read_only(dir: &Path, hide: bool, scratch: bool) -> SandboxProfile {
    let hidden = ["home/.ssh", "home/.netrc", "project/.env"].map(|name| dir.join(name));
    let layer = ThrowawayLayer { root: dir.join("project"), extra_roots: Vec::new(), storage: dir.join("layers") };
    SandboxProfile::ReadOnly(ReadOnlyProfile {
        tmp: dir.join("tmp"),
        hide: if hide { hidden.to_vec() } else { Vec::new() },
        readable: Vec::new(),
        scratch: scratch.then_some(layer),
        stand_ins: Vec::new(),
        listener: None,
        background: false,
        limits: ResourceLimits::default(),
    })
}

fn timed(run: impl FnOnce()) -> f64 {
    let start = Instant::now();
    run();
    start.elapsed().as_secs_f64() * 1e3
}

fn quantile(times: &mut [f64], at: f64) -> f64 {
    times.sort_by(f64::total_cmp);
    times[((times.len() - 1) as f64 * at) as usize]
}
