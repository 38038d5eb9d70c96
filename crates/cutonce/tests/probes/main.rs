//! Plan mode against hostile calls: every line of scenarios/probes/ tries to change something, contact
//! something or read a secret, or is a useful command that must run without asking (PM-2, PM-3, PM-60 to
//! PM-63, SB-1 to SB-3).
//!
//! A scripted model makes the calls, one per request, in the session or in a subagent (PM-64). Between two
//! requests the system is compared with its earlier state; the program's own claims are ignored. It runs in
//! its own mount namespace if the case needs no rights for that: a successful escape must not be able to
//! mount over what is cleaned up here. As root the lists also run as root; `PROBES_ONLY=part-of-an-id` runs
//! only matching probes.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that can't set its stage must fail")]

mod judge;
mod list;
mod play;
mod stage;

use libtest_mimic::{Arguments, Failed, Trial};
use list::Probe;
use play::By;
use stage::{Rules, Stage, Who};
use std::path::Path;
use std::sync::Arc;

fn main() {
    let mut args = Arguments::from_args();
    // The tests wait for processes most of the time.
    args.test_threads.get_or_insert(4 * std::thread::available_parallelism().map_or(1, usize::from));
    if !cfg!(target_os = "linux") {
        return;
    }
    let lists = list::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios/probes"));
    let whos = if stage::is_root() { vec![Who::User(4242), Who::Root] } else { vec![Who::Ourselves] };
    let mut trials = vec![Trial::test("pm_2_the_lists_are_long_enough", {
        let lists = lists.clone();
        move || counted(&lists)
    })];
    trials.push(Trial::test("pm_2_the_judge_sees_every_kind_of_change", || sees_changes().map_err(Failed::from)));
    for (number, (clauses, probes)) in lists.into_iter().enumerate() {
        let probes: Arc<Vec<Probe>> = Arc::new(probes.into_iter().filter(wanted).collect());
        for (who, rules, by) in runs(&whos, number, probes.iter().all(Probe::works)) {
            let clauses = if rules == Rules::Scoped { "pc_20" } else { &clauses };
            let name = format!("{clauses}::{number}::{}::{}::{}", who.name(), rules.name(), by.name());
            let probes = Arc::clone(&probes);
            trials.push(Trial::test(name, move || told(&probes, who, rules, by).map_err(Failed::from)));
        }
    }
    libtest_mimic::run(&args, trials).exit();
}

/// The runs of the list with this number. Bypass includes what Allowed allows. Agents and teammates (PM-64,
/// PM-131) play with everything enabled that could loosen permissions; they take turns over the lists, to save
/// time. `PROBES_ALL=1` plays everything by everyone.
fn runs(whos: &[Who], number: usize, useful: bool) -> Vec<(Who, Rules, By)> {
    let all = std::env::var_os("PROBES_ALL").is_some();
    let mut runs = Vec::new();
    for (at, who) in whos.iter().enumerate() {
        let session = Rules::ALL.into_iter().filter(|rules| match rules {
            // Builds need a throwaway layer.
            Rules::NoScratch => !useful,
            Rules::Bypass => true,
            Rules::None => all || at == 0,
            Rules::Allowed => all,
            Rules::Scoped => false,
        });
        runs.extend(session.map(|rules| (*who, rules, By::Session)));
        if at == 0 && !useful {
            runs.extend([By::Rehearsal, By::RehearsalOnCopy].map(|by| (*who, Rules::None, by)));
        }
        let others = By::OTHERS.into_iter().enumerate();
        let turn = |other: usize| all || (at == 0 && (other + number).is_multiple_of(2));
        runs.extend(others.filter(|(other, _)| turn(*other)).map(|(_, by)| (*who, Rules::Bypass, by)));
    }
    // A scope holds no one but the user's own processes, so root does not play. The others take turns.
    if let Some(who) = whos.iter().map(|who| if *who == Who::User(4242) { Who::User(4343) } else { *who }).next() {
        let others = [By::Agent, By::Background, By::Teammate];
        let turn = others.iter().enumerate().filter(|(at, _)| all || number % others.len() == *at).map(|(_, by)| *by);
        runs.extend([By::Session].into_iter().chain(turn).map(|by| (who, Rules::Scoped, by)));
    }
    runs
}

fn wanted(probe: &Probe) -> bool {
    std::env::var("PROBES_ONLY").ok().is_none_or(|part| probe.id.contains(&part))
}

/// At least a hundred escapes and thirty useful commands, each with a unique name.
fn counted(lists: &[(String, Vec<Probe>)]) -> Result<(), Failed> {
    let all: Vec<&Probe> = lists.iter().flat_map(|(_, probes)| probes).collect();
    let works = all.iter().filter(|probe| probe.works()).count();
    let mut ids: Vec<&str> = all.iter().map(|probe| probe.id.as_str()).collect();
    ids.sort_unstable();
    if let Some(twice) = ids.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(format!("two probes have the name {}", twice[0]).into());
    }
    match (all.len() - works, works) {
        (100.., 30..) => Ok(()),
        (escapes, works) => Err(format!("{escapes} escapes and {works} useful commands").into()),
    }
}

fn told(probes: &[Probe], who: Who, rules: Rules, by: By) -> Result<(), String> {
    let stage = Stage::new(who, rules)?;
    let failed = play::play(stage, by, probes)?;
    match failed.is_empty() {
        true => Ok(()),
        false => Err(format!("{} of {} probes:\n{}", failed.len(), probes.len(), failed.join("\n"))),
    }
}

/// Checks the observer: one that sees nothing would pass everything.
fn sees_changes() -> Result<(), String> {
    let mut stage = Stage::new(Who::Ourselves, Rules::None)?;
    let root = stage.root.clone();
    let at = |name: &str| root.join(name).display().to_string();
    let changes = [
        format!("printf PEAR | dd of={} conv=notrunc", at("ws/victim.txt")),
        format!("touch {}", at("ws/t.py")),
        format!("chmod 600 {}", at("ws/data.json")),
        format!("chmod 755 {}", at("ws/exec.sh")),
        format!("ln {} {}", at("ws/main.c"), at("tmp/link")),
        format!("mkdir {}", at("home/.new")),
        format!("rm {}", at("out/outside.txt")),
        format!("touch /tmp/{0} && mv /tmp/{0} /var/tmp/", stage.tag),
        format!("rm /var/tmp/{}", stage.tag),
    ];
    let mut before = stage.world();
    for change in changes {
        let done = std::process::Command::new("sh").args(["-c", &format!("({change}) 2>/dev/null")]).status();
        let after = stage.world();
        if !done.is_ok_and(|status| status.success()) || judge::differences(&before, &after, &root).is_empty() {
            return Err(format!("not seen: {change}"));
        }
        before = after;
    }
    let _reached = std::os::unix::net::UnixStream::connect(root.join("s/d.sock")).map_err(|error| error.to_string())?;
    if stage.reached() != ["reached a unix socket"] {
        return Err("a connection was not seen".into());
    }
    let mut left = std::process::Command::new("sleep").arg("60").env("PROBE_MARK", &stage.tag).spawn().unwrap();
    // It has the new environment once it has the new name.
    while !std::fs::read_to_string(format!("/proc/{}/comm", left.id())).is_ok_and(|name| name.trim() == "sleep") {
        std::thread::yield_now();
    }
    let seen = judge::left_behind(&stage.mark(), &root, &[]);
    left.kill().and_then(|()| left.wait()).map_err(|error| error.to_string())?;
    if seen.len() == 1 { Ok(()) } else { Err(format!("a process was not seen: {seen:?}")) }
}
