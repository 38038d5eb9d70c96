//! Finds out which confinements work by trying them: a short-lived process applies each one and ends.

use super::confine::{KernelConfinement, OverlayLayer, RefusalReason, describe_error, is_passing};
use super::landlock;
use super::launch::{LaunchFault, LaunchSpec, LaunchStage, LaunchTarget};
use crate::layer::{SandboxLimits, SandboxSupport, SandboxTier, sandbox_support_within};
use std::io;
use std::path::Path;

/// Returns the strongest tier that works.
pub(crate) fn probe_support(limits: SandboxLimits) -> SandboxSupport {
    let mut support = SandboxSupport::none();
    if limits.no_seccomp {
        support.missing.push("seccomp: disabled by request".into());
        return support;
    }
    match landlock::supported_version() {
        _ if limits.no_landlock => support.missing.push("Landlock: disabled by request".into()),
        Ok(abi) => support.landlock = Some(limits.landlock_at_most.map_or(abi, |most| abi.min(most))),
        Err(error) => {
            support.missing.push(format!("the kernel has no Landlock, or it is disabled ({})", describe_error(&error)))
        }
    }
    let tiers = [Some(SandboxTier::Namespaces), support.landlock.map(|_| SandboxTier::Landlock)];
    for tier in tiers.into_iter().flatten() {
        match probe_tier(tier, support.landlock, limits) {
            Ok(()) => return SandboxSupport { tier, ..support },
            Err(refused) => {
                support.missing.push(refused.why);
                support.trial_failed |= refused.passing;
            }
        }
    }
    support
}

fn probe_tier(tier: SandboxTier, abi: Option<u32>, limits: SandboxLimits) -> Result<(), RefusalReason> {
    match tier {
        SandboxTier::Namespaces if limits.no_namespaces => Err("user namespaces: disabled by request".into()),
        SandboxTier::Landlock if abi.is_none_or(|abi| abi < landlock::MIN_VERSION) => Err(format!(
            "Landlock has version {}; before version {} it does not prevent truncation",
            abi.unwrap_or(0),
            landlock::MIN_VERSION
        )
        .into()),
        SandboxTier::Namespaces | SandboxTier::Landlock => run_probe(KernelConfinement::for_tier_probe(tier, abi)?),
        SandboxTier::Seatbelt | SandboxTier::None => Err("not on Linux".into()),
    }
}

/// Tries a throwaway layer in a folder created below `layers`.
pub(crate) fn probe_scratch(layers: &Path, limits: SandboxLimits) -> Result<(), String> {
    let layer = sandbox_support_within(limits);
    if layer.tier != SandboxTier::Namespaces {
        return Err(layer.missing_reasons());
    }
    let folder = super::scratch::ScratchFolder::new(layers).map_err(|error| error.to_string())?;
    let [over, upper, work] = ["over", "upper0", "work0"].map(|name| folder.path().join(name));
    for made in [&over, &upper, &work] {
        std::fs::create_dir(made).map_err(|error| error.to_string())?;
    }
    let laid = OverlayLayer { covered: over, upper, work };
    let probed = KernelConfinement::for_scratch_probe(laid, layer.landlock).and_then(run_probe);
    probed.map_err(|refused| refused.why)
}

fn run_probe(confinement: KernelConfinement) -> Result<(), RefusalReason> {
    let launch =
        LaunchSpec { program: LaunchTarget::Nothing, confinement: Some(confinement), group: None, held_file: None };
    match launch.start() {
        Ok((started, lifeline)) => {
            started.reap(0);
            drop(lifeline);
            Ok(())
        }
        Err(fault) => Err(RefusalReason { why: explain_fault(&launch, fault), passing: is_passing(fault.errno) }),
    }
}

/// Describes what failed, and why.
pub(crate) fn explain_fault(launch: &LaunchSpec, fault: LaunchFault) -> String {
    let what = match fault.stage {
        LaunchStage::Supervisor => "starting a process".into(),
        LaunchStage::UserNamespace => "entering the namespaces".into(),
        LaunchStage::Mounts => launch.confinement.as_ref().map_or_else(String::new, |one| one.step_name(fault.at)),
        LaunchStage::Capabilities => "dropping capabilities".into(),
        LaunchStage::Landlock => "Landlock".into(),
        LaunchStage::Filter => "seccomp".into(),
        LaunchStage::Folder => "changing the folder".into(),
        LaunchStage::Program => "starting the program".into(),
    };
    format!("{what}: {}", describe_error(&io::Error::from_raw_os_error(fault.errno)))
}
