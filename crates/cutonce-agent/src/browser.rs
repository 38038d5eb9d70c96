//! Opens an address in the user's browser (RV-1).

use crate::editor::split_words;
use cutonce_sandbox::{DetachedProgram, find_program};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Openers of the desktop, after $BROWSER.
const OPENERS: [&str; 2] = ["xdg-open", "open"];

/// Opens the address: in $BROWSER, else by xdg-open or open. The error says why not.
pub fn open_in_browser(url: &str, env: Vec<(OsString, OsString)>) -> Result<(), String> {
    let (program, args) = find_browser(url, &env).ok_or("no browser was found; set $BROWSER")?;
    // Not the current folder, which the browser would keep in use.
    let detached = DetachedProgram { program, args, cwd: PathBuf::from("/"), env };
    detached.start().map_err(|error| error.to_string())
}

/// Opens a waiting request on the review page: a page that runs already, else a new one that ends when it is idle. Both
/// are the work of another process, because this one may be the session that waits.
pub fn open_review_page(
    home: &Path,
    session: &str,
    ask_id: &str,
    mut env: Vec<(OsString, OsString)>,
) -> Result<(), String> {
    find_browser("", &env).ok_or("no browser was found; set $BROWSER")?;
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let at = format!("{session}/{ask_id}");
    let args = ["serve", "--new-token", "--open", "--until-idle", "--at", &at].map(OsString::from).to_vec();
    env.retain(|(name, _)| name != "CUTONCE_HOME");
    env.push(("CUTONCE_HOME".into(), home.into()));
    let detached = DetachedProgram { program, args, cwd: PathBuf::from("/"), env };
    detached.start().map_err(|error| error.to_string())
}

/// The program that opens the address, with its arguments.
fn find_browser(url: &str, env: &[(OsString, OsString)]) -> Option<(PathBuf, Vec<OsString>)> {
    let chosen = env.iter().find(|(name, _)| name == "BROWSER").map(|(_, value)| value.to_string_lossy().into_owned());
    // Several are separated by colons; `%s` stands for the address.
    for entry in chosen.iter().flat_map(|chosen| chosen.split(':')) {
        let mut words = split_words(entry).into_iter();
        let Some(program) = words.next().and_then(|name| found_program(&name, env)) else { continue };
        let mut args: Vec<String> = words.collect();
        let places = args.iter_mut().filter(|word| word.contains("%s"));
        let placed = places.map(|word| *word = word.replace("%s", url)).count();
        if placed == 0 {
            args.push(url.to_string());
        }
        return Some((program, args.into_iter().map(OsString::from).collect()));
    }
    OPENERS.iter().find_map(|name| find_program(name, env)).map(|program| (program, vec![url.into()]))
}

fn found_program(name: &str, env: &[(OsString, OsString)]) -> Option<PathBuf> {
    let found = if name.contains('/') { Some(Path::new(name).to_path_buf()) } else { find_program(name, env) };
    found.filter(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rv_1_browser_variable_comes_first() {
        let dir = tempfile::tempdir().unwrap();
        let program = |name: &str| {
            let path = dir.path().join(name);
            std::fs::write(&path, "#!/bin/sh\n").unwrap();
            std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
            path
        };
        let (mine, desktop) = (program("mine"), program("xdg-open"));
        let path = dir.path().as_os_str().to_os_string();
        let find = |browser: &str| {
            find_browser("http://x/#t", &[("BROWSER".into(), browser.into()), ("PATH".into(), path.clone())])
        };
        assert_eq!(find("mine"), Some((mine.clone(), vec!["http://x/#t".into()])));
        assert_eq!(
            find("missing:mine --new %s -x"),
            Some((mine, vec!["--new".into(), "http://x/#t".into(), "-x".into()]))
        );
        assert_eq!(find("missing"), Some((desktop.clone(), vec!["http://x/#t".into()])));
        assert_eq!(find(""), Some((desktop, vec!["http://x/#t".into()])));
    }
}
