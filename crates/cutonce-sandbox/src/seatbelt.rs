//! macOS: renders a profile as Seatbelt policy text. Tested as text only; it has not been run yet.
#![cfg_attr(not(target_os = "macos"), allow(dead_code))]

use crate::profile::{ReadOnlyProfile, SandboxProfile, WorkspaceWriteProfile};
use std::path::{Path, PathBuf};

/// The system program that runs a command under a Seatbelt policy.
pub(crate) const SANDBOX_EXEC: &str = "/usr/bin/sandbox-exec";

/// Renders the policy; later rules win. `None` if the profile confines nothing or needs a layer.
pub(crate) fn policy_text(profile: &SandboxProfile) -> Option<String> {
    match profile {
        SandboxProfile::Unconfined | SandboxProfile::Layered(_) => None,
        SandboxProfile::ReadOnly(ReadOnlyProfile { scratch: Some(_), .. })
        | SandboxProfile::WorkspaceWrite(WorkspaceWriteProfile { layer: Some(_), .. }) => None,
        SandboxProfile::ReadOnly(ReadOnlyProfile { tmp, hide, readable, scratch: None, .. }) => {
            Some(render_policy(std::slice::from_ref(tmp), (hide, &[]), readable, false))
        }
        SandboxProfile::WorkspaceWrite(WorkspaceWriteProfile { roots, tmp, hide, protect, network, .. }) => {
            let write: Vec<PathBuf> = roots.iter().chain([tmp]).cloned().collect();
            Some(render_policy(&write, (hide, protect), &[], *network))
        }
    }
}

fn render_policy(
    write: &[PathBuf],
    (hide, protect): (&[PathBuf], &[PathBuf]),
    readable: &[PathBuf],
    network: bool,
) -> String {
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
    lines.extend(write.iter().map(|path| format!("(allow file-write* (subpath {}))", quote_path(path))));
    lines.extend(protect.iter().map(|path| format!("(deny file-write* (subpath {}))", quote_path(path))));
    for path in hide {
        // Names and sizes stay visible: git compares them.
        lines.push(format!("(deny file-read-data file-write* (subpath {}))", quote_path(path)));
    }
    lines.extend(readable.iter().map(|path| format!("(allow file-read-data (subpath {}))", quote_path(path))));
    lines.join("\n")
}

/// Quotes a resolved path: Seatbelt compares resolved paths, and /tmp is /private/tmp there.
fn quote_path(path: &Path) -> String {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let escaped = path.to_string_lossy().replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{escaped}\"")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{ResourceLimits, ThrowawayLayer};

    fn read_only(tmp: &Path) -> ReadOnlyProfile {
        ReadOnlyProfile {
            tmp: tmp.into(),
            hide: vec!["/no/such/home/.ssh".into()],
            readable: vec!["/no/such/home/.ssh/plan.md".into()],
            scratch: None,
            stand_ins: Vec::new(),
            listener: None,
            background: false,
            limits: ResourceLimits::default(),
        }
    }

    #[test]
    fn sb_2_denies_precede_allowed_exceptions() {
        let dir = tempfile::tempdir().unwrap();
        let text = policy_text(&SandboxProfile::ReadOnly(read_only(dir.path()))).unwrap();
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
        let text = quote_path(&dir.path().join("link"));
        assert!(text.ends_with(r#"/a\"b\\c""#), "{text}");
    }

    #[test]
    fn sb_3_scratch_layer_is_not_supported() {
        let scratch = Some(ThrowawayLayer { root: "/p".into(), extra_roots: vec![], storage: "/l".into() });
        assert_eq!(
            policy_text(&SandboxProfile::ReadOnly(ReadOnlyProfile { scratch, ..read_only(Path::new("/tmp")) })),
            None
        );
        assert_eq!(policy_text(&SandboxProfile::Unconfined), None);
    }

    #[test]
    fn sb_4_network_excludes_unix_sockets() {
        let write = WorkspaceWriteProfile {
            roots: vec!["/p".into()],
            tmp: "/no/such/t".into(),
            hide: vec![],
            protect: vec!["/p/.git".into()],
            network: true,
            layer: None,
            limits: ResourceLimits::default(),
        };
        let text = policy_text(&SandboxProfile::WorkspaceWrite(write)).unwrap();
        assert!(text.contains("(deny network* (remote unix-socket))") && !text.contains("(deny network*)"));
        assert!(text.contains("(allow file-write* (subpath \"/p\"))"));
    }
}
