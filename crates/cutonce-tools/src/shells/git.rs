//! Settings for git in the environment of commands (PR-5): no file of a repository can lift them.

use std::ffi::OsString;

const COUNT: &str = "GIT_CONFIG_COUNT";

type Env = Vec<(OsString, OsString)>;

/// Git takes no repository that it merely comes upon without a `.git`: a checkout can bring such a folder in plain files, and
/// its settings name programs to run.
pub(super) fn without_bare_repositories(env: Env) -> Env {
    with(env, "safe.bareRepository", "explicit")
}

/// The environment with this setting, after those that are in it already.
pub(super) fn with(mut env: Env, key: &str, value: &str) -> Env {
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
    fn pr_5_settings_for_git_come_after_those_of_the_user() {
        let of = |list: &[(&str, &str)]| list.iter().map(|(n, v)| (n.into(), v.into())).collect::<Env>();
        let ours = |at: &str| (format!("GIT_CONFIG_KEY_{at}").into(), OsString::from("safe.bareRepository"));
        let fresh = without_bare_repositories(of(&[("A", "b")]));
        assert!(fresh.contains(&("GIT_CONFIG_COUNT".into(), "1".into())) && fresh.contains(&ours("0")), "{fresh:?}");
        assert_eq!(without_bare_repositories(fresh.clone()), fresh, "once is enough");
        let users = of(&[("GIT_CONFIG_COUNT", "1"), ("GIT_CONFIG_KEY_0", "a.b"), ("GIT_CONFIG_VALUE_0", "c")]);
        let both = without_bare_repositories(users.clone());
        assert!(both.contains(&users[1]) && both.contains(&ours("1")), "{both:?}");
        assert!(both.contains(&("GIT_CONFIG_COUNT".into(), "2".into())), "{both:?}");
        let odd = without_bare_repositories(of(&[("GIT_CONFIG_COUNT", "many")]));
        assert!(odd.contains(&ours("0")) && odd.iter().filter(|(name, _)| name == COUNT).count() == 1, "{odd:?}");
    }
}
