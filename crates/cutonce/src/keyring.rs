//! `cutonce key NAME`: keep a provider's key in the operating system's keyring (MO-4).

use anyhow::Context;
use std::io::{IsTerminal, Read};

pub fn run(name: &str, remove: bool) -> anyhow::Result<u8> {
    if remove {
        cutonce_agent::keys::forget(name).with_context(|| format!("{name} could not be removed from the keyring"))?;
        println!("{name} is no longer in the keyring.");
        return Ok(0);
    }
    if std::io::stdin().is_terminal() {
        eprintln!("Type or paste the key, then Enter and Ctrl+D:");
    }
    let mut key = String::new();
    std::io::stdin().read_to_string(&mut key)?;
    let key = key.trim();
    if key.is_empty() {
        return Err(crate::start::Usage(format!("no key on standard input; run: cutonce key {name} < file")).into());
    }
    cutonce_agent::keys::store(name, &key.into())
        .with_context(|| format!("{name} could not be stored in the keyring"))?;
    println!("{name} is in the keyring; it is used where the environment has none.");
    Ok(0)
}
