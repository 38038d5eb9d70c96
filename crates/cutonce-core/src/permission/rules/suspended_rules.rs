//! Suspends allow rules that would bypass auto mode's classifier (PM-120). The rules stay in the list and are only
//! skipped while auto mode is active, so they can't be lost or duplicated when it ends (PM-123).

use super::{CommandPattern, ConfigSource, Rule, RuleBehavior, RuleSet, RuleSpec, ToolName, WrittenRule};

/// Programs that can run any code or command they get as an argument.
const INTERPRETERS: &[&str] = &[
    ".",
    "ash",
    "awk",
    "bash",
    "bun",
    "bunx",
    "cmd",
    "csh",
    "dash",
    "deno",
    "doas",
    "docker",
    "env",
    "eval",
    "exec",
    "expect",
    "find",
    "fish",
    "gawk",
    "gdb",
    "ipython",
    "java",
    "julia",
    "ksh",
    "lua",
    "make",
    "mawk",
    "nice",
    "node",
    "nodejs",
    "nohup",
    "npx",
    "osascript",
    "parallel",
    "perl",
    "php",
    "pnpx",
    "podman",
    "powershell",
    "pwsh",
    "pypy",
    "python",
    "rscript",
    "ruby",
    "sed",
    "setsid",
    "sh",
    "source",
    "ssh",
    "stdbuf",
    "su",
    "sudo",
    "tclsh",
    "time",
    "timeout",
    "tsx",
    "uvx",
    "watch",
    "xargs",
    "zsh",
];

impl Rule {
    /// True if the rule would allow a call that the classifier should check: shell wildcards, interpreters, subagents.
    pub fn bypasses_classifier(&self) -> bool {
        let ToolName::Named(tool) = &self.tool else { return false };
        match (&self.behavior, tool.as_str(), &self.spec) {
            (RuleBehavior::Deny | RuleBehavior::Ask, _, _) => false,
            (RuleBehavior::Allow, "Agent", _) => true,
            (RuleBehavior::Allow, "Bash", RuleSpec::All) => true,
            (RuleBehavior::Allow, "Bash", RuleSpec::Command(pattern)) => match pattern {
                CommandPattern::Prefix(_) | CommandPattern::Wildcard(_) => true,
                CommandPattern::Exact(spelled) => spelled.words().any(is_interpreter),
            },
            (RuleBehavior::Allow, _, _) => false,
        }
    }
}

/// Recognizes interpreters by program name: `/usr/bin/python3.12` is python.
fn is_interpreter(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word).to_ascii_lowercase();
    let bare = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    INTERPRETERS.contains(&name.as_str()) || INTERPRETERS.contains(&bare)
}

impl RuleSet {
    /// Returns these rules without suspension, for a session with a mode of its own.
    pub fn without_suspension(mut self) -> RuleSet {
        self.classifier_active = false;
        self
    }
    /// Starts or ends the suspension when auto mode starts or ends. Idempotent.
    pub fn set_suspended(&mut self, judged: bool) {
        self.classifier_active = judged;
    }
    /// True if this allow rule would be suspended immediately, so that offering it is useless.
    pub(crate) fn would_be_suspended(&self, text: &str) -> bool {
        let (behavior, source, base) = (RuleBehavior::Allow, ConfigSource::Session, self.cwd.clone());
        let written = WrittenRule { behavior, text: text.into(), source, base };
        self.classifier_active && self.parse_rule(&written).is_ok_and(|rule| rule.bypasses_classifier())
    }
    /// Rules that are currently suspended because the classifier decides instead.
    pub fn suspended_rules(&self) -> impl Iterator<Item = &Rule> {
        self.rules.iter().filter(|rule| self.classifier_active && rule.bypasses_classifier())
    }
}
