//! What the rules let pass, and why. These tables only shrink.

/// (file, its length now, why it is not split)
pub const LONG_FILES: &[(&str, usize, &str)] = &[];

/// (file, function, its length now, why it is not split)
pub const LONG_FUNCTIONS: &[(&str, &str, usize, &str)] = &[];

/// (file, which files it writes and why without a grant)
pub const WRITES_FILES: &[(&str, &str)] =
    &[("crates/cutonce-tools/src/spill.rs", "long output, in the session's own folder: no file of the workspace")];

/// (file, what it starts and why not through the sandbox)
pub const STARTS_PROCESSES: &[(&str, &str)] = &[];
