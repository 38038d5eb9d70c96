//! Allow rules that would skip auto mode's judgement (PM-120): while auto is active they stay where they are and only do not count, so that
//! they come back exactly as they were (PM-123). There is nothing to lose and nothing to put back twice.

use super::{Behavior, CommandPattern, Rule, Rules, Source, Spec, ToolName, Written};

/// Programs that run whatever they are given, by themselves or through another one.
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
    /// Would it let a call through that the classifier should see: any shell rule with a wildcard, any interpreter, any agent?
    pub fn skips_judgement(&self) -> bool {
        let ToolName::Named(tool) = &self.tool else { return false };
        match (&self.behavior, tool.as_str(), &self.spec) {
            (Behavior::Deny | Behavior::Ask, _, _) => false,
            (Behavior::Allow, "Agent", _) => true,
            (Behavior::Allow, "Bash", Spec::All) => true,
            (Behavior::Allow, "Bash", Spec::Command(pattern)) => match pattern {
                CommandPattern::Prefix(_) | CommandPattern::Wildcard(_) => true,
                CommandPattern::Exact(spelled) => spelled.words().any(is_interpreter),
            },
            (Behavior::Allow, _, _) => false,
        }
    }
}

/// `/usr/bin/python3.12` is python.
fn is_interpreter(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word).to_ascii_lowercase();
    let bare = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    INTERPRETERS.contains(&name.as_str()) || INTERPRETERS.contains(&bare)
}

impl Rules {
    /// The same rules for another session, whose own mode says what counts there.
    pub fn unjudged(mut self) -> Rules {
        self.judged = false;
        self
    }
    /// Auto became active, or is not any more. To say the same twice changes nothing.
    pub fn set_judged(&mut self, judged: bool) {
        self.judged = judged;
    }
    /// Would this allow rule be set aside at once? Then there is no use in offering it.
    pub(crate) fn would_be_aside(&self, text: &str) -> bool {
        let (behavior, source, base) = (Behavior::Allow, Source::Session, self.cwd.clone());
        let written = Written { behavior, text: text.into(), source, base };
        self.judged && self.understand(&written).is_ok_and(|rule| rule.skips_judgement())
    }
    /// The rules that do not count now because the classifier judges instead.
    pub fn aside_for_judgement(&self) -> impl Iterator<Item = &Rule> {
        self.rules.iter().filter(|rule| self.judged && rule.skips_judgement())
    }
}
