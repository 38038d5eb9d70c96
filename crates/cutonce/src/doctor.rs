//! `cutonce doctor`: what works on this machine, what does not, and why (CL-1). Changes nothing, asks no server.

use crate::start;
use cutonce_agent::settings::{self, Loaded, MANAGED, Places};
use cutonce_agent::store::place::user_home;
use cutonce_core::rule::Rules;
use cutonce_models::provider::PROVIDERS;
use cutonce_sandbox::{Layer, Limits};
use serde_json::json;
use std::io::Write;
use std::path::Path;

/// One line of the report.
struct Check {
    what: &'static str,
    state: State,
    detail: String,
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    Works,
    /// Works with less, or needs something before its first use.
    Note,
    Broken,
}

impl State {
    fn mark(self) -> &'static str {
        match self {
            State::Works => "ok",
            State::Note => "note",
            State::Broken => "BROKEN",
        }
    }
}

pub fn run(as_json: bool) -> anyhow::Result<u8> {
    let checks = checks()?;
    let mut out = std::io::stdout().lock();
    for check in &checks {
        if as_json {
            writeln!(out, "{}", json!({"what": check.what, "state": check.state.mark(), "detail": check.detail}))?;
        } else {
            writeln!(out, "{}", check.line())?;
        }
    }
    Ok(u8::from(checks.iter().any(|check| check.state == State::Broken)))
}

/// The report for a face.
pub fn text() -> String {
    match checks() {
        Ok(checks) => checks.iter().map(Check::line).collect::<Vec<_>>().join("\n"),
        Err(error) => format!("{error:#}"),
    }
}

impl Check {
    fn line(&self) -> String {
        format!("{:<7} {:<10} {}", self.state.mark(), self.what, self.detail)
    }
}

fn checks() -> anyhow::Result<Vec<Check>> {
    let (home, cwd) = (start::home()?, start::cwd()?);
    let mut checks = vec![program("bash", "the Bash tool"), program("git", "the branch in prompts, diffs of work")];
    checks.push(home_folder(&home));
    let user_home = user_home(&|name| std::env::var_os(name));
    let places = Places { managed: MANAGED.into(), home, user_home, project: cwd.clone(), managed_flag: None };
    let loaded = settings::load(&places, None);
    checks.extend(settings_files(&loaded, &cwd));
    checks.push(folder_trust(&loaded, &cwd));
    checks.push(keys(&loaded));
    let layer = cutonce_sandbox::available();
    checks.extend([sandbox(&layer), scratch(&layer)]);
    Ok(checks)
}

fn program(name: &'static str, needed_for: &str) -> Check {
    let env: Vec<_> = std::env::vars_os().collect();
    match cutonce_sandbox::find_program(name, &env) {
        Some(path) => Check { what: name, state: State::Works, detail: path.display().to_string() },
        None => {
            let state = if name == "bash" { State::Broken } else { State::Note };
            Check { what: name, state, detail: format!("not on the PATH; needed for {needed_for}: install it") }
        }
    }
}

/// The nearest folder that exists must be ours to write.
fn home_folder(home: &Path) -> Check {
    let nearest = home.ancestors().find(|path| path.exists()).unwrap_or(home);
    let probe = tempfile::Builder::new().prefix(".cutonce-doctor-").tempfile_in(nearest);
    match probe {
        Ok(_) => Check {
            what: "home",
            state: State::Works,
            detail: format!("{} (sessions, settings, plans)", home.display()),
        },
        Err(error) => Check {
            what: "home",
            state: State::Broken,
            detail: format!("{} can't be written: {error}; set CUTONCE_HOME to a folder that can", nearest.display()),
        },
    }
}

fn settings_files(loaded: &Loaded, cwd: &Path) -> Vec<Check> {
    let warn = |warning: &settings::Warning| {
        let state = if warning.is_loud() { State::Broken } else { State::Note };
        Check { what: "settings", state, detail: warning.to_string() }
    };
    let mut checks: Vec<Check> = loaded.warnings.iter().map(warn).collect();
    let broken = |why: String| Check { what: "settings", state: State::Broken, detail: why };
    checks.extend(broken_rules(loaded, cwd).into_iter().map(broken));
    if checks.is_empty() {
        checks.push(Check {
            what: "settings",
            state: State::Works,
            detail: "no unknown key, no broken file, no broken rule".into(),
        });
    }
    checks
}

/// Rules that could not be understood: a session starts without them.
fn broken_rules(loaded: &Loaded, cwd: &Path) -> Vec<String> {
    let home = user_home(&|name| std::env::var_os(name));
    let rules = Rules::new(home.as_deref(), cwd, loaded.rules.iter().cloned());
    rules.errors().iter().map(|error| error.to_string()).collect()
}

fn folder_trust(loaded: &Loaded, cwd: &Path) -> Check {
    let (state, detail) = if loaded.trusted {
        (State::Works, format!("{} is trusted: its own settings count", cwd.display()))
    } else {
        (State::Note, format!("{} is not trusted: its settings may only tighten (cutonce trust)", cwd.display()))
    };
    Check { what: "trust", state, detail }
}

/// Which providers have a key; never the key itself.
fn keys(loaded: &Loaded) -> Check {
    let custom = loaded.settings.providers.values().filter_map(|provider| provider.key_env.as_deref());
    let mut names: Vec<&str> = PROVIDERS.iter().filter_map(|provider| provider.key_env).chain(custom).collect();
    names.push("ANTHROPIC_AUTH_TOKEN");
    names.sort_unstable();
    names.dedup();
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let mut found = Vec::new();
    for name in names {
        match (set(name), cutonce_agent::keys::in_keyring(name)) {
            (true, _) => found.push(name.to_string()),
            (false, true) => found.push(format!("{name} (keyring)")),
            (false, false) => {}
        }
    }
    if loaded.settings.api_key_helper.is_some() {
        found.push("apiKeyHelper (not asked here)".into());
    }
    match found.as_slice() {
        [] => Check {
            what: "keys",
            state: State::Note,
            detail: "no provider's key is set; set ANTHROPIC_API_KEY or OPENAI_API_KEY, or use a local server: --model ollama/NAME".into(),
        },
        found => Check { what: "keys", state: State::Works, detail: found.join(", ") },
    }
}

/// Which layer holds the shell in plan mode, and what a stronger one lacks (SB-1, SB-3).
fn sandbox(layer: &Layer) -> Check {
    let state = if layer.holds() && layer.missing.is_empty() { State::Works } else { State::Note };
    let detail = match layer.why() {
        why if why.is_empty() => layer.text(),
        why => format!("{}; no more than that: {why}", layer.text()),
    };
    Check { what: "sandbox", state, detail }
}

/// Do builds and tests run on a throwaway layer in plan mode (PM-63)? Tried, where the session would keep its layers.
fn scratch(layer: &Layer) -> Check {
    let tried = match layer.holds() {
        false => Err("nothing holds the shell".into()),
        true => tempfile::Builder::new()
            .prefix("cutonce-doctor-")
            .tempdir()
            .map_err(|error| error.to_string())
            .and_then(|folder| cutonce_sandbox::scratch_works(folder.path(), Limits::default())),
    };
    match tried {
        Ok(()) => Check {
            what: "scratch",
            state: State::Works,
            detail: "builds and tests in plan mode run on a throwaway copy of the project".into(),
        },
        Err(why) => Check {
            what: "scratch",
            state: State::Note,
            detail: format!("no throwaway copies, so builds that write fail in plan mode: {why}"),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cutonce_sandbox::{Tier, available_within};

    #[test]
    fn sb_1_says_which_layer_holds_and_why_not_a_higher_one() {
        let best = Layer { tier: Tier::Namespaces, landlock: Some(7), missing: Vec::new() };
        let check = sandbox(&best);
        assert!(check.state == State::Works && check.detail.contains("Landlock (version 7)"), "{}", check.detail);
        let missing = vec!["making a user namespace: Operation not permitted".to_string()];
        let less = Layer { tier: Tier::Landlock, landlock: Some(7), missing };
        let check = sandbox(&less);
        assert!(check.state == State::Note && check.detail.contains("user namespace: Op"), "{}", check.detail);
    }

    #[test]
    fn sb_3_says_that_only_parsed_commands_run_where_nothing_holds() {
        let none = available_within(Limits { no_landlock: true, ..Limits::default() });
        let check = sandbox(&none);
        assert!(check.state == State::Note, "not broken: what is proven read-only still runs");
        assert!(check.detail.contains("proven read-only") && check.detail.contains("Landlock"), "{}", check.detail);
        let check = scratch(&none);
        assert!(check.state == State::Note && check.detail.contains("nothing holds"), "{}", check.detail);
    }
}
