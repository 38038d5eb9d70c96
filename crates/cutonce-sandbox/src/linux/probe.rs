//! Finding out what works, by doing it: a short-lived process takes each confinement on and ends.

use super::confine::{Confinement, Laid};
use super::landlock;
use super::launch::{Fault, Launch, Program, Stage};
use crate::layer::{Layer, Limits, Tier, available_within};
use std::io;
use std::path::Path;

/// The strongest tier that works.
pub(crate) fn layer(limits: Limits) -> Layer {
    let none = |why: String| Layer { tier: Tier::None, landlock: None, missing: vec![why] };
    let abi = match landlock::version() {
        _ if limits.no_landlock => return none("Landlock: left out on demand".into()),
        Ok(abi) => limits.landlock_at_most.map_or(abi, |most| abi.min(most)),
        Err(error) => return none(format!("the kernel has no Landlock, or it is switched off ({error})")),
    };
    if limits.no_seccomp {
        return none("seccomp: left out on demand".into());
    }
    let mut missing = Vec::new();
    for tier in [Tier::Namespaces, Tier::Landlock] {
        match attempt(tier, abi, limits) {
            Ok(()) => return Layer { tier, landlock: Some(abi), missing },
            Err(why) => missing.push(why),
        }
    }
    Layer { tier: Tier::None, landlock: Some(abi), missing }
}

fn attempt(tier: Tier, abi: u32, limits: Limits) -> Result<(), String> {
    match tier {
        Tier::Namespaces if limits.no_namespaces => Err("user namespaces: left out on demand".into()),
        Tier::Landlock if abi < landlock::OLDEST => {
            Err(format!("Landlock is of version {abi}: before version {} files can be truncated", landlock::OLDEST))
        }
        Tier::Namespaces | Tier::Landlock => run(Confinement::trial(tier, abi)?),
        Tier::Seatbelt | Tier::None => Err("not on Linux".into()),
    }
}

/// In a folder made below `layers` for the purpose.
pub(crate) fn scratch(layers: &Path, limits: Limits) -> Result<(), String> {
    let layer = available_within(limits);
    if layer.tier != Tier::Namespaces {
        return Err(layer.why());
    }
    let folder = super::scratch::Folder::new(layers).map_err(|error| error.to_string())?;
    let [over, upper, work] = ["over", "upper0", "work0"].map(|name| folder.path().join(name));
    for made in [&over, &upper, &work] {
        std::fs::create_dir(made).map_err(|error| error.to_string())?;
    }
    run(Confinement::layer_trial(Laid { over, upper, work }, layer.landlock.unwrap_or(0))?)
}

fn run(confinement: Confinement) -> Result<(), String> {
    let launch = Launch { program: Program::Nothing, confinement: Some(confinement) };
    match launch.start() {
        Ok((started, lifeline)) => {
            started.reap(0);
            drop(lifeline);
            Ok(())
        }
        Err(fault) => Err(explain(&launch, fault)),
    }
}

/// What could not be done, and why.
pub(crate) fn explain(launch: &Launch, fault: Fault) -> String {
    let what = match fault.stage {
        Stage::Supervisor => "starting a process".into(),
        Stage::UserNamespace => "making a user namespace".into(),
        Stage::Mounts => launch.confinement.as_ref().map_or_else(String::new, |one| one.step_name(fault.at)),
        Stage::Capabilities => "dropping capabilities".into(),
        Stage::Landlock => "Landlock".into(),
        Stage::Filter => "seccomp".into(),
        Stage::Folder => "changing the folder".into(),
        Stage::Program => "starting the program".into(),
    };
    format!("{what}: {}", io::Error::from_raw_os_error(fault.errno))
}
