//! Rules that the person gave with «don't ask again» in a folder they do not trust (PR-7, PR-2). What the project's own file allows waits
//! for trust, because anybody may have written it; so the person's home keeps which of its rules are the person's word, and those
//! count, in this folder alone.

use super::Places;
use crate::store::place::{Sessions, open_own, private, write_private};
use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// No such file is longer.
const LONGEST: u64 = 4 << 20;

/// By folder: two folders can share one project name.
type Granted = BTreeMap<PathBuf, Vec<String>>;

fn folder(places: &Places) -> PathBuf {
    places.project.canonicalize().unwrap_or_else(|_| places.project.clone())
}

fn file(places: &Places) -> PathBuf {
    Sessions::new(&places.home, folder(places)).dir().join("granted.json")
}

/// The rules of this folder, or why they can't be read.
pub(super) fn rules(places: &Places) -> io::Result<Vec<String>> {
    Ok(read(&file(places))?.remove(&folder(places)).unwrap_or_default())
}

pub(super) fn add(places: &Places, rule: &str) -> io::Result<()> {
    change(places, |rules| {
        if !rules.iter().any(|known| known == rule) {
            rules.push(rule.to_string());
        }
    })
}

/// Take a rule back; false if it is not there.
pub(super) fn remove(places: &Places, rule: &str) -> io::Result<bool> {
    let there = rules(places)?.iter().any(|known| known == rule);
    if there {
        change(places, |rules| rules.retain(|known| known != rule))?;
    }
    Ok(there)
}

fn change(places: &Places, work: impl FnOnce(&mut Vec<String>)) -> io::Result<()> {
    let file = file(places);
    let dir = file.parent().unwrap_or(Path::new("."));
    crate::store::place::create_private_dir(dir)?;
    // Two processes may add at the same time.
    let lock = private().write(true).create(true).truncate(false).open(file.with_extension("lock"))?;
    lock.lock()?;
    let mut all = read(&file)?;
    work(all.entry(folder(places)).or_default());
    write_private(&file, (serde_json::to_string_pretty(&all)? + "\n").as_bytes())
}

fn read(file: &Path) -> io::Result<Granted> {
    let opened = match open_own(std::fs::File::options().read(true), file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Granted::default()),
        opened => opened?,
    };
    let mut text = String::new();
    opened.take(LONGEST).read_to_string(&mut text)?;
    let broken = |error| io::Error::other(format!("{} is broken: {error}; repair or remove it", file.display()));
    serde_json::from_str(&text).map_err(broken)
}
