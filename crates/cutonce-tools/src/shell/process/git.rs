//! Git settings in the environment of commands (PR-5), which no file of a repository can override.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

const COUNT: &str = "GIT_CONFIG_COUNT";
const OPTIONAL_LOCKS: &str = "GIT_OPTIONAL_LOCKS";

/// Longer files are not the user's own handwriting.
const MAX_ATTRIBUTES: usize = 64 * 1024;

type EnvVars = Vec<(OsString, OsString)>;

/// Makes git ignore repositories without a `.git` that it happens to find: a checkout can contain such a folder as
/// plain files, and its settings name programs to run.
pub(crate) fn reject_bare_repositories(env: EnvVars) -> EnvVars {
    with_setting(env, "safe.bareRepository", "explicit")
}

/// For a command that only the parser confines: git starts no program that a repository names, and does not write its
/// index (SB-3). What these settings can't reach, `bash::git_config` refuses.
pub(crate) fn without_repository_programs(mut env: EnvVars) -> EnvVars {
    env.retain(|(name, _)| name != OPTIONAL_LOCKS);
    env.push((OPTIONAL_LOCKS.into(), "0".into()));
    with_setting(with_setting(env, "core.fsmonitor", "false"), "core.hooksPath", "/dev/null")
}

/// Builds git's attributes for closed files: it shows that they differ, and their sizes, but not their content. The
/// user's own attributes come first, because a setting can name one file only.
pub(crate) fn closed_attributes(closed: &[PathBuf], home: Option<&Path>) -> String {
    let users = home.and_then(|home| std::fs::read_to_string(home.join(".config/git/attributes")).ok());
    let mut text = users.filter(|text| text.len() < MAX_ATTRIBUTES).unwrap_or_default();
    let is_plain = |name: &&str| name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-'));
    let names = closed.iter().filter_map(|path| path.file_name()?.to_str()).filter(is_plain);
    for name in BTreeSet::from_iter(names) {
        text.push_str(&format!("\n{name} -diff"));
    }
    text.push('\n');
    text
}

/// Adds a setting to the environment, after existing ones.
pub(crate) fn with_setting(mut env: EnvVars, key: &str, value: &str) -> EnvVars {
    let count = env.iter().find(|(name, _)| name == COUNT).and_then(|(_, count)| count.to_str()?.parse().ok());
    let count: usize = count.unwrap_or(0);
    let has = |name: String, value: &str| env.iter().any(|(n, v)| *n == *name && *v == *value);
    let is_set = |at| has(format!("GIT_CONFIG_KEY_{at}"), key) && has(format!("GIT_CONFIG_VALUE_{at}"), value);
    if count < 1_000 && (0..count).any(is_set) {
        return env;
    }
    let set = [
        (COUNT.to_string(), (count + 1).to_string()),
        (format!("GIT_CONFIG_KEY_{count}"), key.to_string()),
        (format!("GIT_CONFIG_VALUE_{count}"), value.to_string()),
    ];
    env.retain(|(name, _)| !set.iter().any(|(ours, _)| name == ours.as_str()));
    env.extend(set.into_iter().map(|(name, value)| (name.into(), value.into())));
    env
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pr_5_git_settings_follow_the_users() {
        let of = |list: &[(&str, &str)]| list.iter().map(|(n, v)| (n.into(), v.into())).collect::<EnvVars>();
        let ours = |at: &str| (format!("GIT_CONFIG_KEY_{at}").into(), OsString::from("safe.bareRepository"));
        let fresh = reject_bare_repositories(of(&[("A", "b")]));
        assert!(fresh.contains(&("GIT_CONFIG_COUNT".into(), "1".into())) && fresh.contains(&ours("0")), "{fresh:?}");
        assert_eq!(reject_bare_repositories(fresh.clone()), fresh, "once is enough");
        let users = of(&[("GIT_CONFIG_COUNT", "1"), ("GIT_CONFIG_KEY_0", "a.b"), ("GIT_CONFIG_VALUE_0", "c")]);
        let both = reject_bare_repositories(users.clone());
        assert!(both.contains(&users[1]) && both.contains(&ours("1")), "{both:?}");
        assert!(both.contains(&("GIT_CONFIG_COUNT".into(), "2".into())), "{both:?}");
        let odd = reject_bare_repositories(of(&[("GIT_CONFIG_COUNT", "many")]));
        assert!(odd.contains(&ours("0")) && odd.iter().filter(|(name, _)| name == COUNT).count() == 1, "{odd:?}");
    }
}
