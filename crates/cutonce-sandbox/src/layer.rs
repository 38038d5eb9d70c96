//! Which kernel mechanisms can hold a profile here, found out by trying them (SB-1, SB-3).

/// The strongest that works here, and what a stronger one lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layer {
    pub tier: Tier,
    /// The kernel's version of Landlock.
    pub landlock: Option<u32>,
    /// Why a stronger tier does not work, one reason each.
    pub missing: Vec<String>,
}

/// From strong to none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tier {
    /// Linux: own namespaces with read-only mounts, Landlock, seccomp.
    Namespaces,
    /// Linux: Landlock and seccomp. No throwaway layer.
    Landlock,
    /// macOS.
    Seatbelt,
    /// Nothing: only commands proven read-only by parsing may run (PM-62).
    None,
}

/// What to do as if it were not there: for tests, and for people who want less. A value and not a variable of the
/// environment, so that nothing a command sets can change it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Limits {
    pub no_namespaces: bool,
    pub no_landlock: bool,
    pub no_seccomp: bool,
    /// At most this version of Landlock.
    pub landlock_at_most: Option<u32>,
}

impl Layer {
    /// Can a profile be held at all?
    pub fn holds(&self) -> bool {
        self.tier != Tier::None
    }

    /// For people: which layer holds (PM-87, `cutonce doctor`).
    pub fn text(&self) -> String {
        let version = self.landlock.map(|abi| format!(" (version {abi})")).unwrap_or_default();
        match self.tier {
            Tier::Namespaces => format!("the kernel: read-only mounts in own namespaces, Landlock{version}, seccomp"),
            Tier::Landlock => format!("the kernel: Landlock{version} and seccomp"),
            Tier::Seatbelt => "the kernel: Seatbelt".into(),
            Tier::None => "no kernel sandbox: only commands proven read-only by parsing run".into(),
        }
    }

    /// For people: why it is not a stronger one; empty if it is the strongest.
    pub fn why(&self) -> String {
        self.missing.join("; ")
    }
}

/// What works in this process; tried once.
#[cfg(target_os = "linux")]
pub fn available() -> Layer {
    available_within(Limits::default())
}

/// As [`available`], with some things as if they were not there; tried once for each value.
#[cfg(target_os = "linux")]
pub fn available_within(limits: Limits) -> Layer {
    static FOUND: std::sync::Mutex<Vec<(Limits, Layer)>> = std::sync::Mutex::new(Vec::new());
    let mut found = FOUND.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some((_, layer)) = found.iter().find(|(tried, _)| *tried == limits) {
        return layer.clone();
    }
    let layer = crate::linux::probe::layer(limits);
    found.push((limits, layer.clone()));
    layer
}

/// Can throwaway layers be kept in this folder? Tried, there, each time; else why not.
#[cfg(target_os = "linux")]
pub fn scratch_works(layers: &std::path::Path, limits: Limits) -> Result<(), String> {
    crate::linux::probe::scratch(layers, limits)
}

/// What works in this process.
#[cfg(not(target_os = "linux"))]
pub fn available() -> Layer {
    available_within(Limits::default())
}

/// As [`available`]; the limits are about Linux.
#[cfg(not(target_os = "linux"))]
pub fn available_within(_limits: Limits) -> Layer {
    let missing = |why: &str| vec![why.to_string()];
    match cfg!(target_os = "macos") && std::path::Path::new(crate::seatbelt::PROGRAM).exists() {
        true => Layer { tier: Tier::Seatbelt, landlock: None, missing: missing("throwaway layers need Linux") },
        false => Layer { tier: Tier::None, landlock: None, missing: missing("this system has no sandbox we know") },
    }
}

/// Throwaway layers need Linux.
#[cfg(not(target_os = "linux"))]
pub fn scratch_works(_layers: &std::path::Path, _limits: Limits) -> Result<(), String> {
    Err("throwaway layers need Linux".into())
}
