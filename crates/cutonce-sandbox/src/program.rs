//! Finds a program as a shell would: by the PATH of the environment it will run in.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// Returns the first executable file of this name on the PATH of `env`, else in the usual system folders.
pub fn find_program(name: &str, env: &[(OsString, OsString)]) -> Option<PathBuf> {
    let path = env.iter().find(|(key, _)| key == "PATH").map(|(_, value)| value.as_os_str());
    let usual = OsStr::new("/usr/local/bin:/usr/bin:/bin");
    [path.unwrap_or_default(), usual]
        .into_iter()
        .flat_map(std::env::split_paths)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(name))
        .find(|file| is_executable(file))
}

fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tl_8_finds_only_executables_on_the_given_path() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("no-such-program-elsewhere");
        std::fs::write(&file, "#!/bin/sh\n").unwrap();
        let env = vec![("PATH".into(), dir.path().as_os_str().to_owned())];
        assert_eq!(find_program("no-such-program-elsewhere", &env), None);
        std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        assert_eq!(find_program("no-such-program-elsewhere", &env), Some(file));
        assert_eq!(find_program("no-such-program-elsewhere", &[]), None);
    }

    #[test]
    fn tl_8_relative_path_entries_are_ignored() {
        let env = vec![("PATH".into(), ".:src".into())];
        assert_eq!(find_program("lib.rs", &env), None);
        assert!(find_program("sh", &env).is_some_and(|path| path.is_absolute()));
    }
}
