//! HO-5, HO-2, HO-3: `cutonce acp` with the official Python client (PyPI `agent-client-protocol`), over real
//! pipes, with the scenario server as the model. The tests are the scripts in `acp/`; this file installs the
//! client once below the target folder and runs them. Without Python or the package these tests fail.
#![cfg(feature = "acp")]
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

/// The version that docs/reference/acp.md describes.
const CLIENT: &str = "agent-client-protocol==0.12.1";

fn done(what: &str, output: std::io::Result<Output>) {
    let output = output.unwrap_or_else(|error| panic!("{what}: {error}. These tests need python3 with venv and pip."));
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{what} failed ({}):\n{stdout}\n{stderr}", output.status);
}

/// Python with the client, installed by the first test that needs it.
fn python() -> &'static Path {
    static PYTHON: OnceLock<PathBuf> = OnceLock::new();
    PYTHON.get_or_init(|| {
        let venv = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("acp-{}", CLIENT.replace("==", "-")));
        let (python, whole) = (venv.join("bin/python"), venv.join("whole"));
        if !whole.exists() {
            let _ = std::fs::remove_dir_all(&venv);
            done("python3 -m venv", Command::new("python3").args(["-m", "venv"]).arg(&venv).output());
            let mut pip = Command::new(&python);
            pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", CLIENT]);
            done("pip install", pip.output());
            std::fs::write(&whole, CLIENT).unwrap();
        }
        python
    })
}

fn script(name: &str) {
    script_with(name, &[]);
}

/// Runs a script with more variables.
fn script_with(name: &str, variables: &[(&str, &str)]) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/acp").join(format!("{name}.py"));
    let mut command = Command::new(python());
    command.arg("-B").arg(&file).env("CUTONCE_BINARY", env!("CARGO_BIN_EXE_cutonce"));
    command.envs(variables.iter().copied());
    done(name, command.output());
}

#[test]
fn ho_5_modes_and_sessions() {
    script("modes");
}

#[test]
fn ho_2_pm_74_pm_80_plan_exit() {
    script("plan");
}

#[test]
fn rh_8_rehearsals_for_editors_on_a_private_copy() {
    let settings = r#"{"plan": {"rehearsal": {"layer": "copy"}}}"#;
    script_with("plan", &[("TEST_ONLY", "test_rh_"), ("TEST_SETTINGS", settings)]);
}

#[test]
fn ho_5_calls_permissions_todos_and_commands() {
    script("calls");
}

#[test]
fn ag_4_ho_5_cancel() {
    script("cancel");
}

#[test]
fn ho_5_commands_skills_agents_and_long_plans() {
    script("own");
}

#[test]
fn ho_5_prompt_is_answered_after_its_turn() {
    script("turns");
}

#[test]
fn tm_1_pm_134_lead_in_an_editor() {
    script("team");
}

#[test]
fn ho_5_load() {
    script("load");
}

#[test]
fn ho_5_files_through_the_editor() {
    script("files");
}

#[test]
fn ho_3_pm_61_hostile_editors() {
    script("hostile");
}

#[test]
fn ho_6_servers_of_the_editor() {
    script("servers");
}
