//! macOS: a profile as Seatbelt's own text. Written and tested as text; it has not been run yet.
#![cfg_attr(not(target_os = "macos"), allow(dead_code))]

use crate::profile::{Profile, ReadOnly, WorkspaceWrite};
use std::path::{Path, PathBuf};

/// What runs a program under such a text.
pub(crate) const PROGRAM: &str = "/usr/bin/sandbox-exec";

/// Later rules win. None if the profile confines nothing, or if this can't hold it: there are no throwaway layers.
pub(crate) fn profile(profile: &Profile) -> Option<String> {
    match profile {
        Profile::Open => None,
        Profile::ReadOnly(ReadOnly { scratch: Some(_), .. }) => None,
        Profile::ReadOnly(ReadOnly { tmp, hide, readable, scratch: None }) => {
            Some(text(std::slice::from_ref(tmp), hide, readable, false))
        }
        Profile::WorkspaceWrite(WorkspaceWrite { roots, tmp, hide, network }) => {
            let write: Vec<PathBuf> = roots.iter().chain([tmp]).cloned().collect();
            Some(text(&write, hide, &[], *network))
        }
    }
}

fn text(write: &[PathBuf], hide: &[PathBuf], readable: &[PathBuf], network: bool) -> String {
    let mut lines = vec![
        "(version 1)".to_string(),
        "(allow default)".into(),
        "(deny file-write*)".into(),
        "(deny signal)".into(),
        "(allow signal (target same-sandbox))".into(),
        "(deny process-info* (target others))".into(),
        "(deny mach-lookup)".into(),
        "(deny appleevent-send)".into(),
        "(deny iokit-open)".into(),
        "(deny file-read* (regex #\"^/dev/tty\"))".into(),
        "(allow file-write-data (literal \"/dev/null\") (literal \"/dev/zero\"))".into(),
    ];
    let network = if network { "(deny network* (remote unix-socket))" } else { "(deny network*)" };
    lines.push(network.into());
    lines.extend(write.iter().map(|path| format!("(allow file-write* (subpath {}))", quoted(path))));
    for path in hide {
        // The names and sizes stay in sight: git compares them.
        lines.push(format!("(deny file-read-data file-write* (subpath {}))", quoted(path)));
    }
    lines.extend(readable.iter().map(|path| format!("(allow file-read-data (subpath {}))", quoted(path))));
    lines.join("\n")
}

/// Seatbelt compares resolved paths: /tmp is /private/tmp there.
fn quoted(path: &Path) -> String {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let escaped = path.to_string_lossy().replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{escaped}\"")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Scratch;

    fn read_only(tmp: &Path) -> ReadOnly {
        ReadOnly {
            tmp: tmp.into(),
            hide: vec!["/no/such/home/.ssh".into()],
            readable: vec!["/no/such/home/.ssh/plan.md".into()],
            scratch: None,
        }
    }

    #[test]
    fn sb_2_denies_come_before_what_is_allowed_again() {
        let dir = tempfile::tempdir().unwrap();
        let text = profile(&Profile::ReadOnly(read_only(dir.path()))).unwrap();
        let at = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part} in {text}"));
        let tmp = format!("(allow file-write* (subpath \"{}\"))", dir.path().canonicalize().unwrap().display());
        assert!(at("(deny file-write*)") < at(&tmp));
        assert!(at(&tmp) < at("(deny file-read-data file-write* (subpath \"/no/such/home/.ssh\"))"));
        assert!(at("home/.ssh\"))") < at("(allow file-read-data (subpath \"/no/such/home/.ssh/plan.md\"))"));
        assert!(text.contains("(deny network*)"));
    }

    #[test]
    fn sb_2_links_are_resolved_and_quotes_escaped() {
        let dir = tempfile::tempdir().unwrap();
        let odd = dir.path().join("a\"b\\c");
        std::fs::create_dir(&odd).unwrap();
        std::os::unix::fs::symlink(&odd, dir.path().join("link")).unwrap();
        let text = quoted(&dir.path().join("link"));
        assert!(text.ends_with(r#"/a\"b\\c""#), "{text}");
    }

    #[test]
    fn sb_3_a_throwaway_layer_can_not_be_had() {
        let scratch = Some(Scratch { root: "/p".into(), also: vec![], layers: "/l".into() });
        assert_eq!(profile(&Profile::ReadOnly(ReadOnly { scratch, ..read_only(Path::new("/tmp")) })), None);
        assert_eq!(profile(&Profile::Open), None);
    }

    #[test]
    fn sb_4_network_leaves_unix_sockets_out() {
        let write = WorkspaceWrite { roots: vec!["/p".into()], tmp: "/no/such/t".into(), hide: vec![], network: true };
        let text = profile(&Profile::WorkspaceWrite(write)).unwrap();
        assert!(text.contains("(deny network* (remote unix-socket))") && !text.contains("(deny network*)"));
        assert!(text.contains("(allow file-write* (subpath \"/p\"))"));
    }
}
