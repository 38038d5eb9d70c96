//! `cutonce doctor`: reports what works on this machine, what does not, and why (CL-1). Changes nothing and
//! contacts no server.

use super::doctor_rehearsals;
use crate::{logging, start};
use cutonce_agent::config::{self, LoadedSettings, MANAGED_FILE, SettingsPaths, keys, trust};
use cutonce_agent::language_servers::{self, FoundServer};
use cutonce_agent::storage::paths::user_home;
use cutonce_agent::tools::shell::changes::{ScopeMethod, scope_method};
use cutonce_core::permission::rules::RuleSet;
use cutonce_models::providers::PROVIDERS;
use cutonce_sandbox::{SandboxLimits, SandboxSupport};
use serde_json::json;
use std::io::Write;
use std::path::Path;

/// One line of the report.
pub struct DoctorCheck {
    pub what: &'static str,
    pub state: CheckState,
    pub detail: String,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CheckState {
    Works,
    /// Works with limits, or needs something before its first use.
    Note,
    Broken,
}

impl CheckState {
    fn label(self) -> &'static str {
        match self {
            CheckState::Works => "ok",
            CheckState::Note => "note",
            CheckState::Broken => "BROKEN",
        }
    }
}

pub fn run(as_json: bool) -> anyhow::Result<u8> {
    report(&run_checks()?, as_json)
}

/// Prints the checks; the exit code says whether something is broken.
pub fn report(checks: &[DoctorCheck], as_json: bool) -> anyhow::Result<u8> {
    let mut out = std::io::stdout().lock();
    for check in checks {
        if as_json {
            writeln!(out, "{}", json!({"what": check.what, "state": check.state.label(), "detail": check.detail}))?;
        } else {
            writeln!(out, "{}", check.format_line())?;
        }
    }
    Ok(u8::from(checks.iter().any(|check| check.state == CheckState::Broken)))
}

/// The report as text, for front ends.
pub fn report_text() -> String {
    match run_checks() {
        Ok(checks) => checks.iter().map(DoctorCheck::format_line).collect::<Vec<_>>().join("\n"),
        Err(error) => format!("{error:#}"),
    }
}

impl DoctorCheck {
    fn format_line(&self) -> String {
        format!("{:<7} {:<10} {}", self.state.label(), self.what, self.detail)
    }
}

fn run_checks() -> anyhow::Result<Vec<DoctorCheck>> {
    let (home, cwd) = (start::home_dir()?, start::current_dir()?);
    let mut checks =
        vec![check_program("bash", "the Bash tool"), check_program("git", "branch names and workspace diffs")];
    checks.push(check_home(&home));
    checks.push(check_log(&home));
    let user_home = user_home(&|name| std::env::var_os(name));
    let places =
        SettingsPaths { managed: MANAGED_FILE.into(), home, user_home, project: cwd.clone(), managed_flag: None };
    let loaded = config::load_settings(&places, None);
    checks.extend(check_settings(&loaded, &cwd));
    checks.push(check_trust(&loaded, &cwd, places.user_home.as_deref()));
    checks.push(check_keys(&loaded, &places.home));
    checks.push(check_language_servers(&loaded, &cwd));
    let layer = cutonce_sandbox::sandbox_support();
    checks.extend([check_sandbox(&layer), check_scratch(&layer), check_scope(&places.home)]);
    checks.push(doctor_rehearsals::check(&places.home, &cwd, &loaded.settings));
    Ok(checks)
}

fn check_program(name: &'static str, needed_for: &str) -> DoctorCheck {
    let env: Vec<_> = std::env::vars_os().collect();
    match cutonce_sandbox::find_program(name, &env) {
        Some(path) => DoctorCheck { what: name, state: CheckState::Works, detail: path.display().to_string() },
        None => {
            let state = if name == "bash" { CheckState::Broken } else { CheckState::Note };
            DoctorCheck { what: name, state, detail: format!("not found in PATH; install it, {needed_for} needs it") }
        }
    }
}

/// The nearest existing folder must be writable.
fn check_home(home: &Path) -> DoctorCheck {
    let nearest = home.ancestors().find(|path| path.exists()).unwrap_or(home);
    let probe = tempfile::Builder::new().prefix(".cutonce-doctor-").tempfile_in(nearest);
    match probe {
        Ok(_) => DoctorCheck {
            what: "home",
            state: CheckState::Works,
            detail: format!("{} (sessions, settings, plans)", home.display()),
        },
        Err(error) => DoctorCheck {
            what: "home",
            state: CheckState::Broken,
            detail: format!("can't write to {}: {error}; set CUTONCE_HOME to a writable folder", nearest.display()),
        },
    }
}

/// A log that can't be written stops nothing, but its entries are lost (DU-9).
fn check_log(home: &Path) -> DoctorCheck {
    let path = logging::log_path(home).display().to_string();
    match logging::check_writable(home) {
        Ok(()) => DoctorCheck { what: "log", state: CheckState::Works, detail: path },
        Err(error) => DoctorCheck {
            what: "log",
            state: CheckState::Note,
            detail: format!("can't write {path}: {error}; warnings and errors are lost"),
        },
    }
}

fn check_settings(loaded: &LoadedSettings, cwd: &Path) -> Vec<DoctorCheck> {
    let warn = |warning: &config::SettingsWarning| {
        let state = if warning.is_loud() { CheckState::Broken } else { CheckState::Note };
        DoctorCheck { what: "settings", state, detail: warning.to_string() }
    };
    let mut checks: Vec<DoctorCheck> = loaded.warnings.iter().map(warn).collect();
    let broken = |why: String| DoctorCheck { what: "settings", state: CheckState::Broken, detail: why };
    checks.extend(broken_rules(loaded, cwd).into_iter().map(broken));
    if checks.is_empty() {
        checks.push(DoctorCheck {
            what: "settings",
            state: CheckState::Works,
            detail: "all settings files, keys and rules are valid".into(),
        });
    }
    checks
}

/// Rules that can't be parsed; a session starts without them.
fn broken_rules(loaded: &LoadedSettings, cwd: &Path) -> Vec<String> {
    let home = user_home(&|name| std::env::var_os(name));
    let rules = RuleSet::new(home.as_deref(), cwd, loaded.rules.iter().cloned());
    rules.errors().iter().map(|error| error.to_string()).collect()
}

fn check_trust(loaded: &LoadedSettings, cwd: &Path, user_home: Option<&Path>) -> DoctorCheck {
    let (state, detail) = if loaded.trusted {
        (CheckState::Works, format!("{} is trusted; its settings apply", cwd.display()))
    } else {
        let next = match trust::is_too_broad(cwd, user_home) {
            true => "it is too broad to be trusted; start in a project folder below it",
            false => "see `cutonce trust`",
        };
        (CheckState::Note, format!("{} is not trusted; its settings can only restrict ({next})", cwd.display()))
    };
    DoctorCheck { what: "trust", state, detail }
}

/// Lists the providers that have a key, never the key itself.
fn check_keys(loaded: &LoadedSettings, home: &Path) -> DoctorCheck {
    let custom = loaded.settings.providers.values().filter_map(|provider| provider.key_env.as_deref());
    let mut names: Vec<&str> = PROVIDERS.iter().filter_map(|provider| provider.key_env).chain(custom).collect();
    names.push("ANTHROPIC_AUTH_TOKEN");
    names.sort_unstable();
    names.dedup();
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let mut found = Vec::new();
    for name in names {
        if set(name) {
            found.push(name.to_string());
        } else if keys::in_key_file(home, name) {
            found.push(format!("{name} (auth.json)"));
        } else if keys::in_keyring(name) {
            found.push(format!("{name} (keyring)"));
        }
    }
    if loaded.settings.api_key_helper.is_some() {
        found.push("apiKeyHelper (not run by doctor)".into());
    }
    match found.as_slice() {
        [] => DoctorCheck {
            what: "keys",
            state: CheckState::Note,
            detail:
                "no API key is set; run `cutonce setup`, set ANTHROPIC_API_KEY or OPENAI_API_KEY, or use a local model: --model ollama/NAME"
                    .into(),
        },
        found => DoctorCheck { what: "keys", state: CheckState::Works, detail: found.join(", ") },
    }
}

/// Lists the language servers that are installed (DU-11). Only one that the settings name is missed.
fn check_language_servers(loaded: &LoadedSettings, cwd: &Path) -> DoctorCheck {
    let env: Vec<_> = std::env::vars_os().collect();
    let servers = language_servers::find_servers(&loaded.settings, cwd, &env);
    let found = |server: &FoundServer| {
        server.program.as_ref().map(|program| format!("{} ({})", server.name, program.display()))
    };
    let missing = |server: &FoundServer| {
        (server.configured && server.program.is_none()).then(|| {
            format!(
                "{}: program {:?} not found; install it or change `lsp.{}`",
                server.name, server.command, server.name
            )
        })
    };
    let missing: Vec<String> = servers.iter().filter_map(missing).collect();
    let mut parts: Vec<String> = servers.iter().filter_map(found).collect();
    if parts.is_empty() {
        parts.push(if servers.is_empty() {
            "switched off (`lsp`)".into()
        } else {
            "no language server is installed".into()
        });
    } else if !loaded.trusted {
        parts.push("used in trusted folders only".into());
    }
    let state = if missing.is_empty() { CheckState::Works } else { CheckState::Note };
    parts.extend(missing);
    DoctorCheck { what: "lsp", state, detail: parts.join(", ") }
}

/// Reports the sandbox used in plan mode, and what a stronger one is missing (SB-1, SB-3).
fn check_sandbox(layer: &SandboxSupport) -> DoctorCheck {
    let state = if layer.can_confine() && layer.missing.is_empty() { CheckState::Works } else { CheckState::Note };
    let detail = match layer.missing_reasons() {
        why if why.is_empty() => layer.describe(),
        why => format!("{}; nothing stronger because: {why}", layer.describe()),
    };
    DoctorCheck { what: "sandbox", state, detail }
}

/// Tests whether builds and tests can run on a throwaway layer in plan mode (PM-63), where the session would
/// keep its layers.
fn check_scratch(layer: &SandboxSupport) -> DoctorCheck {
    let tried = match layer.can_confine() {
        false => Err("no sandbox available".into()),
        true => tempfile::Builder::new()
            .prefix("cutonce-doctor-")
            .tempdir()
            .map_err(|error| error.to_string())
            .and_then(|folder| cutonce_sandbox::check_throwaway_layer(folder.path(), SandboxLimits::default())),
    };
    match tried {
        Ok(()) => DoctorCheck {
            what: "scratch",
            state: CheckState::Works,
            detail: "builds and tests in plan mode run on a throwaway copy of the project".into(),
        },
        Err(why) => DoctorCheck {
            what: "scratch",
            state: CheckState::Note,
            detail: format!("no throwaway copies, so commands that write files fail in plan mode: {why}"),
        },
    }
}

/// Reports how commands are kept in a scope (PC-22).
fn check_scope(home: &Path) -> DoctorCheck {
    let (method, why) = scope_method(home);
    describe_scope(method, why)
}

fn describe_scope(method: ScopeMethod, why: Option<String>) -> DoctorCheck {
    match why {
        None => DoctorCheck { what: "scope", state: CheckState::Works, detail: method.describe().into() },
        Some(why) => DoctorCheck {
            what: "scope",
            state: CheckState::Note,
            detail: format!("{}, because: {why}", method.describe()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cutonce_sandbox::{SandboxTier, sandbox_support_within};

    #[test]
    fn du_11_doctor_lists_language_servers() {
        let folder = tempfile::tempdir().unwrap();
        let places = SettingsPaths {
            managed: folder.path().join("none"),
            home: folder.path().join("home"),
            user_home: None,
            project: folder.path().into(),
            managed_flag: None,
        };
        let check = |lsp: &str| check_language_servers(&config::load_settings(&places, Some(lsp)), folder.path());
        let mine = check(r#"{"lsp": {"mine": {"command": "bash", "extensions": [".x"]}}}"#);
        assert!(mine.state == CheckState::Works && mine.detail.starts_with("mine (/"), "{}", mine.detail);
        assert!(mine.detail.ends_with("used in trusted folders only"), "{}", mine.detail);
        let gone = check(r#"{"lsp": {"gone": {"command": "no-such-server", "extensions": [".x"]}}}"#);
        assert!(gone.state == CheckState::Note && gone.detail.contains("change `lsp.gone`"), "{}", gone.detail);
        assert_eq!(check(r#"{"lsp": false}"#).detail, "switched off (`lsp`)");
    }

    #[test]
    fn on_4_doctor_suggests_trust_only_where_it_works() {
        let home = tempfile::tempdir().unwrap();
        let project = home.path().join("project");
        let places = SettingsPaths {
            managed: home.path().join("none"),
            home: home.path().join(".cutonce"),
            user_home: Some(home.path().into()),
            project: project.clone(),
            managed_flag: None,
        };
        let loaded = config::load_settings(&places, None);
        let said = |cwd: &Path| check_trust(&loaded, cwd, Some(home.path())).detail;
        assert!(said(&project).ends_with("(see `cutonce trust`)"), "{}", said(&project));
        let broad = said(home.path());
        assert!(broad.contains("too broad") && !broad.contains("cutonce trust"), "{broad}");
    }

    #[test]
    fn pc_22_doctor_says_what_a_scope_does() {
        let prevents = describe_scope(ScopeMethod::Prevents, None);
        assert_eq!((prevents.state, prevents.detail.contains("can't change")), (CheckState::Works, true));
        let detects = describe_scope(ScopeMethod::Detects, Some("no namespaces".into()));
        assert_eq!(detects.state, CheckState::Note);
        assert!(detects.detail.contains("detected") && detects.detail.ends_with("because: no namespaces"));
    }

    #[test]
    fn sb_1_doctor_names_sandbox_and_missing_parts() {
        let best = SandboxSupport {
            tier: SandboxTier::Namespaces,
            landlock: Some(7),
            missing: Vec::new(),
            trial_failed: false,
        };
        let check = check_sandbox(&best);
        assert!(check.state == CheckState::Works && check.detail.contains("Landlock (version 7)"), "{}", check.detail);
        let missing = vec!["making a user namespace: Operation not permitted".to_string()];
        let less = SandboxSupport { tier: SandboxTier::Landlock, landlock: Some(7), missing, trial_failed: false };
        let check = check_sandbox(&less);
        assert!(check.state == CheckState::Note && check.detail.contains("user namespace: Op"), "{}", check.detail);
    }

    #[test]
    fn sb_3_doctor_reports_missing_sandbox() {
        let limits = SandboxLimits { no_landlock: true, no_namespaces: true, ..SandboxLimits::default() };
        let none = sandbox_support_within(limits);
        let check = check_sandbox(&none);
        assert!(check.state == CheckState::Note, "not broken: commands parsed as read-only still run");
        assert!(check.detail.contains("proven read-only") && check.detail.contains("Landlock"), "{}", check.detail);
        let check = check_scratch(&none);
        assert!(check.state == CheckState::Note && check.detail.contains("no sandbox available"), "{}", check.detail);
    }
}
