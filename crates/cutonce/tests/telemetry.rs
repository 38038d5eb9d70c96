//! CL-6: only requests to the chosen provider and tool fetches leave the machine. So no URL may be in the
//! code except those in the provider table.
#![allow(clippy::expect_used, reason = "a test that can't read the repository must fail")]

use std::path::{Path, PathBuf};

/// Files that may contain a URL, and why.
const ALLOWED: &[(&str, &str)] = &[("cutonce-models/src/providers/mod.rs", "the table of providers")];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the crates can be read") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// Product code without tests and comments that names a remote host.
fn addresses(code: &str) -> Vec<&str> {
    let code = code.split("#[cfg(test)]").next().unwrap_or_default();
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines
        .flat_map(|line| line.split("://").skip(1))
        .map(|rest| rest.split(['/', '"', ':', ' ', '`', '{', ')']).next().unwrap_or_default())
        .filter(|host| host.contains('.') && !host.starts_with("127.") && !host.starts_with("example"))
        .collect()
}

#[test]
fn cl_6_no_address_but_the_providers() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    for entry in std::fs::read_dir(&crates).expect("the crates") {
        let src = entry.expect("a crate").path().join("src");
        if src.is_dir() {
            sources(&src, &mut files);
        }
    }
    assert!(files.len() > 100, "only {} files found", files.len());
    let mut seen = 0;
    for file in files {
        let name = file.display().to_string();
        let code = std::fs::read_to_string(&file).expect("a source file");
        if name.ends_with("tests.rs") {
            continue;
        }
        let found = addresses(&code);
        match ALLOWED.iter().find(|(allowed, _)| name.ends_with(allowed)) {
            Some(_) => seen += found.len(),
            None => assert!(found.is_empty(), "{name} names {found:?}: nothing but the provider may be asked"),
        }
    }
    assert!(seen > 3, "the table of providers was not found: the test looks in the wrong place");
}

#[test]
fn cl_6_the_test_can_fail() {
    assert_eq!(addresses("let url = \"https://stats.vendor.com/ping\";"), ["stats.vendor.com"]);
    assert!(addresses("// see https://docs.rs/x\nlet a = \"http://127.0.0.1:1\";").is_empty());
}
