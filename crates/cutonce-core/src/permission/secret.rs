//! Files that hold keys and credentials (SB-2): known by their names, wherever they are.

use std::path::Path;

const FOLDERS: &[&str] = &[".ssh", ".aws", ".gnupg", ".azure", ".kube", ".password-store"];
const FILES: &[&str] =
    &[".netrc", "_netrc", ".pgpass", ".git-credentials", ".npmrc", ".pypirc", "id_rsa", "id_ed25519", "id_ecdsa"];
/// Endings of `.env` files that are meant to be read.
const SAMPLES: &[&str] = &[".example", ".sample", ".template", ".dist", ".defaults", ".schema"];

/// Does this path look like a key or a credential store?
pub fn is_secret(path: &Path) -> bool {
    let in_folder = path.components().any(|c| FOLDERS.iter().any(|folder| c.as_os_str() == *folder));
    // The environment and the memory of processes, ours among them.
    let of_process = path.starts_with("/proc") && ["environ", "mem", "auxv"].iter().any(|name| path.ends_with(name));
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let env = name == ".env" || (name.starts_with(".env.") && !SAMPLES.iter().any(|end| name.ends_with(end)));
    in_folder || env || of_process || FILES.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sb_2_secrets_by_name() {
        for (path, secret) in [
            ("/h/.ssh/id_rsa", true),
            ("/h/.ssh", true),
            ("/p/.env", true),
            ("/p/.env.local", true),
            ("/p/.env.example", false),
            ("/p/.env.production.sample", false),
            ("/p/environment", false),
            ("/h/.netrc", true),
            ("/p/src/ssh.rs", false),
            ("/proc/12/environ", true),
            ("/proc/12/task/13/mem", true),
            ("/proc/12/status", false),
            ("/p/environ", false),
        ] {
            assert_eq!(is_secret(Path::new(path)), secret, "{path}");
        }
    }
}
