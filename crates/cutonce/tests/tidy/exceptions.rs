//! What the rules let pass, and why. These tables only shrink.

/// (file, its length now, why it is not split)
pub const LONG_FILES: &[(&str, usize, &str)] = &[];

/// (file, function, its length now, why it is not split)
pub const LONG_FUNCTIONS: &[(&str, &str, usize, &str)] = &[];

/// (file, which files it writes and why without a grant)
pub const WRITES_FILES: &[(&str, &str)] =
    &[("crates/cutonce-tools/src/spill.rs", "long output, in the session's own folder: no file of the workspace")];

/// (public item of the library that no face, example or test names, why an embedder needs it)
pub const PUBLIC: &[(&str, &str)] = &[
    ("KeyError", "why a key was not stored or found"),
    ("MailError", "why a team's mailbox failed: part of StartError"),
    ("PlanError", "why a plan can't be had: part of StartError"),
    ("JoinError", "why a team does not take somebody: part of StartError"),
    ("ToolStatus", "in the status of a server"),
    ("Hints", "in the status of a server's tool"),
    ("SetAside", "in the settings that were loaded"),
];

/// (file, what it starts and why not through the sandbox)
pub const STARTS_PROCESSES: &[(&str, &str)] = &[];
