//! `cutonce trust`: lets a folder's own settings loosen permissions (PR-2).

use crate::start;
use anyhow::Context;
use cutonce_agent::config::trust as trusted;
use cutonce_core::exit_code;
use std::path::PathBuf;

pub fn run(dir: Option<PathBuf>) -> anyhow::Result<u8> {
    let dir = match dir {
        Some(dir) => dir,
        None => start::current_dir()?,
    };
    let dir = dir.canonicalize().with_context(|| format!("can't trust {}", dir.display()))?;
    let user_home = cutonce_agent::storage::paths::user_home(&|name| std::env::var_os(name));
    trusted::trust_folder(&start::home_dir()?, user_home.as_deref(), &dir)
        .with_context(|| format!("can't trust {}", dir.display()))?;
    println!("{} is now trusted. Its settings apply from the next start.", dir.display());
    Ok(exit_code::SUCCESS)
}
