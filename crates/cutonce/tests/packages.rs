//! The packages of a release (ON-1): each is built by `scripts/package`, installed into an empty folder and run.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "tests")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn run(program: &str, args: &[&str]) -> Output {
    let output = Command::new(program).args(args).output().unwrap_or_else(|error| panic!("{program}: {error}"));
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{program} {args:?}: {told}{}", String::from_utf8_lossy(&output.stdout));
    output
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// The packages of the tested binary, without its debug information.
fn build_packages(work: &Path) -> PathBuf {
    let (binary, out) = (work.join("cutonce"), work.join("packages"));
    run("strip", &["-o", text(&binary), env!("CARGO_BIN_EXE_cutonce")]);
    let script = root().join("scripts/package");
    run("python3", &[text(&script), "--fast", "--binary", text(&binary), "--out", text(&out)]);
    out
}

/// The one package whose name ends like this.
fn package(out: &Path, ending: &str) -> PathBuf {
    let mut found = std::fs::read_dir(out).unwrap().map(|entry| entry.unwrap().path());
    found.find(|path| text(path).ends_with(ending)).unwrap_or_else(|| panic!("no {ending} in {}", out.display()))
}

/// Runs what was installed, away from the repository.
fn check_installed(prefix: &Path, home: &Path) {
    let program = prefix.join("bin/cutonce");
    let start = |args: &[&str]| {
        let output = Command::new(&program).args(args).current_dir(home).env("CUTONCE_HOME", home).output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(start(&["--version"]).contains(env!("CARGO_PKG_VERSION")));
    assert!(start(&["demo", "--yes"]).contains("the bug is fixed"));
}

fn check_extras(prefix: &Path) {
    let page = std::fs::read_to_string(prefix.join("share/man/man1/cutonce.1")).unwrap();
    assert!(page.contains(".TH cutonce 1") && page.contains("permission\\-mode"), "{page}");
    let completions = std::fs::read_to_string(prefix.join("share/bash-completion/completions/cutonce")).unwrap();
    assert!(completions.contains("--permission-mode"));
}

#[test]
fn on_1_each_package_installs_and_runs() {
    let work = tempfile::Builder::new().prefix("packages-").tempdir().unwrap();
    let at = |name: &str| work.path().join(name);
    let out = build_packages(work.path());
    std::fs::create_dir(at("home")).unwrap();

    let tarball = package(&out, ".tar.gz");
    run("sh", &[text(&out.join("install.sh")), "--prefix", text(&at("tarball")), text(&tarball)]);
    check_installed(&at("tarball"), &at("home"));
    check_extras(&at("tarball"));
    let mut relative = Command::new("sh");
    relative.args([&out.join("install.sh"), Path::new("--prefix"), Path::new("my tools"), &tarball]);
    let told = String::from_utf8(relative.current_dir(work.path()).output().unwrap().stdout).unwrap();
    assert!(told.contains("PATH=\"/") && told.contains("/my tools/bin:"), "PATH needs absolute folders: {told}");

    run("python3", &["-m", "venv", "--without-pip", text(&at("venv"))]);
    let python = at("venv").join("bin/python3");
    let wheel = package(&out, ".whl");
    let pip = ["-m", "pip", "--python", text(&python), "install", "--quiet", "--no-index", "--no-deps", text(&wheel)];
    run("python3", &pip);
    check_installed(&at("venv"), &at("home"));
    check_extras(&at("venv"));

    let npm = package(&out, ".tgz");
    let cache = at("npm-cache");
    let options = ["--offline", "--no-audit", "--no-fund", "--cache", text(&cache)];
    run("npm", &[&["install", "--global", "--prefix", text(&at("npm")), text(&npm)][..], &options].concat());
    check_installed(&at("npm"), &at("home"));

    let debian = at("debian");
    for folder in ["updates", "info", "triggers"] {
        std::fs::create_dir_all(debian.join("var/lib/dpkg").join(folder)).unwrap();
    }
    std::fs::write(debian.join("var/lib/dpkg/status"), "").unwrap();
    let deb = package(&out, ".deb");
    let whole_root = format!("--root={}", debian.display());
    // The empty root has no libc6.
    run(
        "dpkg",
        &[&whole_root, "--force-depends", "--force-not-root", "--force-script-chrootless", "--install", text(&deb)],
    );
    check_installed(&debian.join("usr"), &at("home"));
    assert!(debian.join("usr/share/man/man1/cutonce.1.gz").is_file());
}

#[test]
fn on_1_damaged_tarball_is_not_installed() {
    let work = tempfile::Builder::new().prefix("packages-").tempdir().unwrap();
    let out = work.path();
    let install = |tarball: &Path| {
        let script = root().join("scripts/install.sh");
        let prefix = out.join("prefix");
        Command::new("sh").args([&script, Path::new("--prefix"), &prefix, tarball]).output().unwrap()
    };
    let tarball = out.join("cutonce-1.tar.gz");
    std::fs::write(&tarball, "not what was released").unwrap();
    std::fs::write(out.join("SHA256SUMS-here"), format!("{}  cutonce-1.tar.gz\n", "0".repeat(64))).unwrap();
    let refused = install(&tarball);
    let told = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && told.contains("does not match SHA256SUMS-here"), "{told}");
    std::fs::remove_file(out.join("SHA256SUMS-here")).unwrap();
    let told = String::from_utf8_lossy(&install(&tarball).stderr).into_owned();
    assert!(told.contains("can't be unpacked"), "{told}");
    assert!(!out.join("prefix").exists());
}

/// The lines of the workflow's steps that run something, and its platforms.
#[test]
fn on_1_release_workflow_calls_the_script() {
    let workflow = std::fs::read_to_string(root().join(".github/workflows/release.yml")).unwrap();
    assert!(workflow.contains("\n      - run: scripts/package --out packages\n"), "{workflow}");
    for platform in ["linux-x86_64", "linux-aarch64", "macos-aarch64", "macos-x86_64"] {
        let row = format!("\n          - {{ platform: {platform}, runner: ");
        assert_eq!(workflow.matches(&row).count(), 1, "{platform}");
    }
    // YAML has no tabs.
    assert!(!workflow.contains('\t') && workflow.contains("packages/install.sh --prefix"), "{workflow}");
}
