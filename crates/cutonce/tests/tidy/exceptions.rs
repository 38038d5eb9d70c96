//! Exceptions to the rules, with reasons. These tables only shrink.

/// (file, its length now, why it is not split)
pub const LONG_FILES: &[(&str, usize, &str)] = &[];

/// (file, function, its length now, why it is not split)
pub const LONG_FUNCTIONS: &[(&str, &str, usize, &str)] = &[];

/// (file, which files it writes and why without a grant)
pub const WRITES_FILES: &[(&str, &str)] =
    &[("crates/cutonce-tools/src/spill.rs", "long output, in the session's own folder: no file of the workspace")];

/// (public item that no front end, example or test names, why an embedder needs it)
pub const PUBLIC: &[(&str, &str)] = &[
    ("MailError", "why a team's mailbox failed: part of StartError"),
    ("PlanError", "why a plan can't be had: part of StartError"),
    ("JoinError", "why a team refuses a member: part of StartError"),
    ("RehearsalError", "error of RehearsalJob::run"),
    ("KeepError", "error of FinishedRehearsal::keep"),
    ("ListedProgress", "in the list of plans"),
    ("ToolStatus", "in the status of a server"),
    ("ToolHints", "in the status of a server's tool"),
    ("LoginError", "why a login failed"),
    ("McpError", "why a server can't be used"),
    ("OauthClient", "a field of `LoginTarget` and of a definition"),
    ("TeamError", "why a team operation failed"),
    ("WorkingDirs", "part of SessionBuilder"),
    ("ModelOverrides", "part of SessionBuilder"),
    ("HostParts", "part of SessionBuilder"),
    ("MainAgentChoice", "part of SessionBuilder"),
    ("InstructionFile", "in the loaded instructions"),
    ("InstructionScope", "in the loaded instructions"),
    ("KeySource", "where a key was found"),
    ("ExternalEditor", "the user's editor, for front ends"),
    ("ExternalProgramError", "why the user's editor or shell failed, for front ends"),
    ("HookSet", "returned by Session::hooks"),
    ("ProcessWork", "in the trait RemoteServer"),
    ("ChangeSignal", "in the trait RemoteServer"),
    ("notify_changed", "called by servers of an embedder"),
    ("read_resource", "for embedders: session.mcp()"),
    ("get_prompt", "for embedders: session.mcp()"),
    ("WorkspaceChanges", "in the plan functions"),
    ("ResumedTranscript", "returned by the transcript reader"),
    ("ListedAgent", "returned by the list of agents"),
];

/// (file, what it starts and why not through the sandbox)
pub const STARTS_PROCESSES: &[(&str, &str)] = &[];

/// (file that walks a folder tree itself, why the one walker does not fit)
pub const OWN_WALKS: &[(&str, &str)] = &[
    ("crates/cutonce-tools/src/files/walk.rs", "the one walker"),
    (
        "crates/cutonce-agent/src/plan/workspace_diff/walk.rs",
        "two million files: a folder's files share a buffer and are looked up from the open folder",
    ),
    ("crates/cutonce-tools/src/disk/layer/collect.rs", "walks the layer and the workspace together, with whiteouts"),
    ("crates/cutonce-tools/src/disk/layer/record.rs", "opens closed folders, and enters ignored ones with known files"),
    (
        "crates/cutonce-tools/src/shell/linked_files.rs",
        "protected places are bounded, and entries near the top come first",
    ),
    ("crates/cutonce-agent/src/mcp/process_work.rs", "walks processes, not folders"),
    ("crates/cutonce-sandbox/src/linux/watch.rs", "the sandbox does not depend on tools"),
    ("crates/cutonce-sandbox/src/linux/landlock.rs", "the sandbox does not depend on tools; follows a list of paths"),
    ("crates/cutonce-sandbox/src/linux/confine.rs", "the sandbox does not depend on tools; follows a list of paths"),
];

/// (struct, its number of fields now, why it is not split)
pub const LARGE_STRUCTS: &[(&str, usize, &str)] =
    &[("Settings", 34, "plain data: one field per setting"), ("Theme", 29, "plain data: one field per style")];

/// (type name, why it is defined more than once)
pub const REPEATED_TYPES: &[(&str, &str)] =
    &[("FamilyLifeline", "one per operating system"), ("SupervisedChild", "one per operating system")];

/// Types that are named with a participle alone.
pub const PARTICIPLES: &[&str] = &["Arrived", "Closing", "Connected", "Decided", "Flushed", "Prepared", "Thinking"];

/// Tests whose name has more than 10 words.
pub const LONG_TEST_NAMES: &[&str] = &["pm_120_auto_needs_the_opt_in_and_the_open_gate"];

/// Number of doc comments that can't be read alone.
pub const DANGLING_DOCS: usize = 3;

/// Number of comment lines that are too long.
pub const LONG_COMMENT_LINES: usize = 0;

/// Number of uses of banned words.
pub const BANNED_WORDS: usize = 5;

/// Number of files outside plan rooms that name plans or plan mode.
pub const PLAN_FILES: usize = 45;

/// (rule, the change after which it holds and leaves this list)
pub const PENDING: &[(&str, &str)] = &[];
