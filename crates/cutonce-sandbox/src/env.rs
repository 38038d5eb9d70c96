//! The environment of started programs: the user's, without secrets, and told that nobody sits at a terminal
//! (TL-8, MO-4). Pure: the variables come in as data.

use std::ffi::{OsStr, OsString};

/// What the settings say about names. `*` stands for any characters.
#[derive(Debug, Clone, Default)]
pub struct Names {
    /// Given to programs although they look secret (`shell.keepEnv`).
    pub keep: Vec<String>,
    /// Secret although they don't look it: the variables that hold the keys of configured providers.
    pub secret: Vec<String>,
}

/// Names whose values are secrets.
const SECRET: &[&str] = &[
    "*API_KEY*",
    "*APIKEY*",
    "*ACCESS_KEY*",
    "*PRIVATE_KEY*",
    "*SIGNING_KEY*",
    "*ENCRYPTION_KEY*",
    "*_KEY",
    "*TOKEN",
    "*_TOKEN_*",
    "*SECRET*",
    "*PASSWORD*",
    "*PASSWD*",
    "*PASSPHRASE*",
    "*_PASS",
    "*_PWD",
    "*CREDENTIAL*",
    "*_AUTH",
    "*AUTHORIZATION*",
    "*_PAT",
    "*_JWT",
    "*_COOKIE",
    "*_DSN",
    "*WEBHOOK*",
    "*CONNECTION_STRING*",
    "*_CUSTOM_HEADERS",
    "AWS_SESSION*",
];

/// Names as above that only say where a secret is: kept from programs, but nothing to hide in texts.
const POINTER: &[&str] = &["*_FILE", "*_PATH", "*_DIR", "*_URI", "GOOGLE_APPLICATION_CREDENTIALS"];

/// No secrets, but not for programs either: settings of the agent's own providers, what changes the meaning
/// of a command behind the back of whoever judged it, and what asks for colours.
const REMOVED: &[&str] = &[
    "ANTHROPIC_*",
    "OPENAI_*",
    "BASH_ENV",
    "ENV",
    "CDPATH",
    "SHELLOPTS",
    "BASHOPTS",
    "GLOBIGNORE",
    "PROMPT_COMMAND",
    "PS4",
    "BASH_FUNC_*",
    "OLDPWD",
    "COLORTERM",
    "FORCE_COLOR",
    "CLICOLOR_FORCE",
];

/// Nobody can answer, page or look at colours.
const SET: &[(&str, &str)] = &[
    ("TERM", "dumb"),
    ("NO_COLOR", "1"),
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("MANPAGER", "cat"),
    // A password prompt fails instead of waiting; an editor takes the text as it is.
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_EDITOR", "true"),
    ("DEBIAN_FRONTEND", "noninteractive"),
    // What a script printed before it was killed is not lost in its buffer.
    ("PYTHONUNBUFFERED", "1"),
    // So that a script can tell who runs it.
    ("CUTONCE", "1"),
];

/// The environment for started programs.
pub fn scrubbed(vars: impl IntoIterator<Item = (OsString, OsString)>, names: &Names) -> Vec<(OsString, OsString)> {
    let kept = |name: &OsStr| matches_any(&name.to_string_lossy(), &names.keep);
    let mut env: Vec<_> = vars
        .into_iter()
        .filter(|(name, value)| kept(name) || !is_withheld(name, value, names))
        .filter(|(name, _)| kept(name) || !SET.iter().any(|(set, _)| name == set))
        .collect();
    let set = SET.iter().filter(|(name, _)| !env.iter().any(|(has, _)| has == name)).collect::<Vec<_>>();
    env.extend(set.into_iter().map(|(name, value)| (name.into(), value.into())));
    env
}

/// The values that must not appear in transcripts, logs and error texts, longest first, each with the name of its variable.
/// Short ones and plain words ("postgres") are left out: hiding them would garble text and protect nothing.
pub fn secrets(vars: impl IntoIterator<Item = (OsString, OsString)>, names: &Names) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (name, value) in vars {
        let (name, value) = (name.to_string_lossy().to_ascii_uppercase(), value.to_string_lossy().into_owned());
        if let Some(password) = url_password(&value) {
            found.push((name.clone(), password.to_string()));
            found.push((name, value));
        } else if is_secret_name(&name, names) && !matches_any(&name, POINTER) {
            found.push((name, value.trim().to_string()));
        }
    }
    found.retain(|(_, value)| value.chars().count() >= 8 && !is_plain_word(value));
    found.sort_by(|(a_name, a), (b_name, b)| b.len().cmp(&a.len()).then_with(|| (a, a_name).cmp(&(b, b_name))));
    found.dedup_by(|next, kept| next.1 == kept.1);
    found
}

fn is_withheld(name: &OsStr, value: &OsStr, names: &Names) -> bool {
    let name = name.to_string_lossy().to_ascii_uppercase();
    is_secret_name(&name, names) || matches_any(&name, REMOVED) || url_password(&value.to_string_lossy()).is_some()
}

fn is_secret_name(upper: &str, names: &Names) -> bool {
    matches_any(upper, SECRET) || names.secret.iter().any(|name| matches(upper, &name.to_ascii_uppercase()))
}

/// The password of a URL such as `postgres://user:password@host/db`.
fn url_password(value: &str) -> Option<&str> {
    let (_, rest) = value.split_once("://")?;
    let authority = rest.split(['/', '?', '#', ' ']).next()?;
    let (user, _) = authority.rsplit_once('@')?;
    let (_, password) = user.split_once(':')?;
    (!password.is_empty()).then_some(password)
}

fn is_plain_word(value: &str) -> bool {
    let one_case = |test: fn(&u8) -> bool| value.bytes().all(|byte| test(&byte));
    value.len() < 16 && (one_case(u8::is_ascii_lowercase) || one_case(u8::is_ascii_uppercase))
}

fn matches_any<P: AsRef<str>>(name: &str, patterns: &[P]) -> bool {
    patterns.iter().any(|pattern| matches(name, pattern.as_ref()))
}

/// `*` stands for any characters, at either end of the pattern.
fn matches(name: &str, pattern: &str) -> bool {
    match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
        (Some(rest), Some(_)) => rest.strip_suffix('*').is_none_or(|part| name.contains(part)),
        (Some(end), None) => name.ends_with(end),
        (None, Some(start)) => name.starts_with(start),
        (None, None) => name == pattern,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vars(list: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
        list.iter().map(|(name, value)| (name.into(), value.into())).collect()
    }
    fn names_left(list: &[(&str, &str)], names: &Names) -> Vec<String> {
        let set = |name: &OsString| SET.iter().any(|(set, _)| name == set);
        let left = scrubbed(vars(list), names).into_iter().filter(|(name, _)| !set(name));
        left.map(|(name, _)| name.to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn mo_4_secrets_are_taken_out_and_the_rest_stays() {
        let secret = [
            "ANTHROPIC_API_KEY",
            "OPENAI_API_KEY",
            "openrouter_api_key",
            "ANTHROPIC_AUTH_TOKEN",
            "ANTHROPIC_BASE_URL",
            "GITHUB_TOKEN",
            "GH_TOKEN",
            "NPM_TOKEN",
            "TOKEN",
            "VAULT_TOKEN",
            "AWS_ACCESS_KEY_ID",
            "AWS_SECRET_ACCESS_KEY",
            "AWS_SESSION_TOKEN",
            "DB_PASSWORD",
            "PGPASSWORD",
            "MYSQL_PWD",
            "SSH_PASSPHRASE",
            "CLIENT_SECRET_ID",
            "GOOGLE_APPLICATION_CREDENTIALS",
            "DEPLOY_PRIVATE_KEY_PEM",
            "STRIPE_KEY",
            "SENTRY_DSN",
            "SLACK_WEBHOOK_URL",
        ];
        for name in secret {
            assert_eq!(names_left(&[(name, "value-of-it")], &Names::default()), Vec::<String>::new(), "{name}");
        }
        let plain = [
            "PATH",
            "HOME",
            "PWD",
            "LANG",
            "USER",
            "SSH_AUTH_SOCK",
            "XAUTHORITY",
            "DISPLAY",
            "CARGO_HOME",
            "RUSTFLAGS",
            "VIRTUAL_ENV",
            "HTTPS_PROXY",
            "KEYBOARD",
            "MONKEY",
            "TOKENIZERS_PARALLELISM",
            "JAVA_HOME",
            "XDG_SESSION_ID",
        ];
        for name in plain {
            assert_eq!(names_left(&[(name, "/value")], &Names::default()), [name]);
        }
    }

    #[test]
    fn mo_4_a_password_in_a_url_is_a_secret_whatever_the_name() {
        let list =
            [("DATABASE_URL", "postgres://app:hunter2-hunter2@db:5432/app"), ("HTTPS_PROXY", "http://proxy:8080")];
        assert_eq!(names_left(&list, &Names::default()), ["HTTPS_PROXY"]);
        let found = secrets(vars(&list), &Names::default()).into_iter().map(|(_, value)| value);
        assert_eq!(found.collect::<Vec<_>>(), ["postgres://app:hunter2-hunter2@db:5432/app", "hunter2-hunter2"]);
        assert_eq!(names_left(&[("REPO", "https://git@example.org/x:y@z")], &Names::default()), ["REPO"]);
    }

    #[test]
    fn tl_8_the_settings_keep_and_add_names() {
        let names = Names { keep: vec!["NPM_TOKEN".into(), "MY_*".into()], secret: vec!["work_llm".into()] };
        let list = [("NPM_TOKEN", "t"), ("MY_API_KEY", "k"), ("WORK_LLM", "w"), ("GH_TOKEN", "g")];
        assert_eq!(names_left(&list, &names), ["NPM_TOKEN", "MY_API_KEY"]);
        let named = secrets(vars(&[("WORK_LLM", "abcd-1234")]), &names);
        assert_eq!(named, [("WORK_LLM".to_string(), "abcd-1234".to_string())]);
    }

    #[test]
    fn tl_8_what_changes_the_meaning_of_commands_is_taken_out() {
        let list = [("BASH_ENV", "x"), ("CDPATH", "/etc"), ("BASH_FUNC_ls%%", "() { rm x; }"), ("SHELLOPTS", "xtrace")];
        assert_eq!(names_left(&list, &Names::default()), Vec::<String>::new());
    }

    #[test]
    fn tl_8_programs_are_told_that_there_is_no_terminal() {
        let env = scrubbed(vars(&[("TERM", "xterm"), ("PAGER", "less")]), &Names::default());
        let of = |name: &str| env.iter().filter(|(key, _)| key == name).map(|(_, v)| v.clone()).collect::<Vec<_>>();
        assert_eq!(of("TERM"), ["dumb"]);
        assert_eq!(of("PAGER"), ["cat"]);
        let kept = Names { keep: vec!["TERM".into()], ..Names::default() };
        let env = scrubbed(vars(&[("TERM", "xterm")]), &kept);
        assert_eq!(env.iter().filter(|(key, _)| key == "TERM").map(|(_, v)| v).collect::<Vec<_>>(), ["xterm"]);
    }

    #[test]
    fn mo_4_values_for_the_redactor_are_no_words_paths_or_crumbs() {
        let list = [
            ("POSTGRES_PASSWORD", "postgres"),
            ("PIN_TOKEN", "1234"),
            ("GOOGLE_APPLICATION_CREDENTIALS", "/home/a/key.json"),
            ("OPENAI_BASE_URL", "http://localhost:8080/v1"),
            ("A_TOKEN", " sk-short-1 \n"),
            ("B_TOKEN", "sk-a-longer-one"),
            ("C_TOKEN", "sk-a-longer-one"),
        ];
        let found = secrets(vars(&list), &Names::default());
        let found: Vec<_> = found.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(found, [("B_TOKEN", "sk-a-longer-one"), ("A_TOKEN", "sk-short-1")]);
    }
}
