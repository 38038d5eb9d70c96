//! Detects which kernel mechanisms can enforce a profile here, by trying them (SB-1, SB-3).

/// The strongest sandbox that works here, and why a stronger one does not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SandboxSupport {
    pub tier: SandboxTier,
    /// The Landlock version of the kernel.
    pub landlock: Option<u32>,
    /// Reasons why stronger tiers do not work, one each.
    pub missing: Vec<String>,
    /// A trial failed for lack of a resource, such as processes: it says nothing about the kernel, and the next call
    /// repeats it (SB-3).
    pub trial_failed: bool,
}

/// Sandbox strength, from strongest to none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SandboxTier {
    /// Linux: own namespaces with read-only mounts, seccomp, and Landlock if the kernel has it.
    Namespaces,
    /// Linux: Landlock and seccomp. No throwaway layer.
    Landlock,
    /// macOS.
    Seatbelt,
    /// Nothing: only commands proven read-only by parsing may run (PM-62).
    None,
}

/// Mechanisms to treat as missing: for tests, and for users who want less. Not an environment variable, so that
/// no command can change it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SandboxLimits {
    pub no_namespaces: bool,
    pub no_landlock: bool,
    pub no_seccomp: bool,
    /// Maximum Landlock version to use.
    pub landlock_at_most: Option<u32>,
}

impl SandboxSupport {
    #[cfg(target_os = "linux")]
    pub(crate) fn none() -> SandboxSupport {
        SandboxSupport { tier: SandboxTier::None, landlock: None, missing: Vec::new(), trial_failed: false }
    }

    /// True if any profile can be enforced.
    pub fn can_confine(&self) -> bool {
        self.tier != SandboxTier::None
    }

    /// True if this machine has no sandbox at all; false also after a failed trial, which may succeed later.
    pub fn is_missing(&self) -> bool {
        self.tier == SandboxTier::None && !self.trial_failed
    }

    /// Describes the active sandbox to the user (PM-87, `cutonce doctor`).
    pub fn describe(&self) -> String {
        let landlock = self.landlock.map(|abi| format!("Landlock (version {abi}), ")).unwrap_or_default();
        match self.tier {
            SandboxTier::Namespaces => format!("the kernel: read-only mounts in own namespaces, {landlock}seccomp"),
            SandboxTier::Landlock => format!("the kernel: {landlock}seccomp"),
            SandboxTier::Seatbelt => "the kernel: Seatbelt".into(),
            SandboxTier::None => "no kernel sandbox: only commands proven read-only by parsing run".into(),
        }
    }

    /// Explains to the user why no stronger sandbox is used; empty for the strongest.
    pub fn missing_reasons(&self) -> String {
        self.missing.join("; ")
    }
}

/// Returns the sandbox support of this process; probed until the trials give an answer.
#[cfg(target_os = "linux")]
pub fn sandbox_support() -> SandboxSupport {
    sandbox_support_within(SandboxLimits::default())
}

/// Like [`sandbox_support`], with some mechanisms treated as missing; remembered per value.
#[cfg(target_os = "linux")]
pub fn sandbox_support_within(limits: SandboxLimits) -> SandboxSupport {
    static FOUND: std::sync::Mutex<Vec<(SandboxLimits, SandboxSupport)>> = std::sync::Mutex::new(Vec::new());
    let mut found = FOUND.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some((_, layer)) = found.iter().find(|(tried, _)| *tried == limits) {
        return layer.clone();
    }
    let layer = crate::linux::probe::probe_support(limits);
    if !layer.trial_failed {
        found.push((limits, layer.clone()));
    }
    layer
}

/// Checks whether throwaway layers can be kept in this folder by making one; the error says why not.
#[cfg(target_os = "linux")]
pub fn check_throwaway_layer(layers: &std::path::Path, limits: SandboxLimits) -> Result<(), String> {
    crate::linux::probe::probe_scratch(layers, limits)
}

/// Returns the sandbox support of this process.
#[cfg(not(target_os = "linux"))]
pub fn sandbox_support() -> SandboxSupport {
    sandbox_support_within(SandboxLimits::default())
}

/// Like [`sandbox_support`]; the limits apply to Linux only.
#[cfg(not(target_os = "linux"))]
pub fn sandbox_support_within(_limits: SandboxLimits) -> SandboxSupport {
    let missing = |why: &str| vec![why.to_string()];
    match cfg!(target_os = "macos") && std::path::Path::new(crate::seatbelt::SANDBOX_EXEC).exists() {
        true => SandboxSupport {
            tier: SandboxTier::Seatbelt,
            landlock: None,
            missing: missing("throwaway layers need Linux"),
            trial_failed: false,
        },
        false => SandboxSupport {
            tier: SandboxTier::None,
            landlock: None,
            missing: missing("no supported sandbox on this system"),
            trial_failed: false,
        },
    }
}

/// Always an error: throwaway layers need Linux.
#[cfg(not(target_os = "linux"))]
pub fn check_throwaway_layer(_layers: &std::path::Path, _limits: SandboxLimits) -> Result<(), String> {
    Err("throwaway layers need Linux".into())
}
