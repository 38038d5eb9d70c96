//! `cutonce key NAME`: stores a provider's API key in the system keyring, or in a file that only the user can read
//! (MO-4).

use crate::cli::usage::UsageError;
use cutonce_agent::config::keys::{self, KeyPlace};
use cutonce_core::exit_code;
use cutonce_tui::{EchoMode, TypedLineReader};
use std::io::{IsTerminal, Read, Write};

pub fn run(name: &str, remove: bool) -> anyhow::Result<u8> {
    if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
        // The text may be the key itself: never print it.
        let why =
            "give the name of a variable, such as ANTHROPIC_API_KEY or OPENAI_API_KEY, not the key itself".to_string();
        return Err(UsageError(why).into());
    }
    if remove {
        let in_file = keys::delete_kept_key(&crate::start::home_dir()?, name)?;
        match keys::delete_key(name) {
            Ok(()) => println!("Removed {name} from the keyring."),
            Err(_) if in_file => {}
            Err(error) => {
                anyhow::bail!("can't remove {name}: {error}. If it is set in your environment, unset it there")
            }
        }
        if in_file {
            println!("Removed {name} from the key file.");
        }
        return Ok(exit_code::SUCCESS);
    }
    let Some(key) = read_key(name)? else {
        eprintln!("Cancelled; nothing was stored.");
        return Ok(exit_code::FAILED);
    };
    let kept = keys::keep_key(&crate::start::home_dir()?, name, &key.as_str().into());
    let place = match kept.map_err(|error| anyhow::anyhow!("{}", not_stored_help(name, &error)))? {
        KeyPlace::Keyring => "the keyring".to_string(),
        KeyPlace::File(path) => format!("{}; only you can read it", path.display()),
    };
    println!("Stored {name} in {place}. `cutonce doctor` shows whether it is found; start with `cutonce`.");
    Ok(exit_code::SUCCESS)
}

/// Reads the key: hidden on a terminal, else all of standard input. `None`: cancelled.
fn read_key(name: &str) -> anyhow::Result<Option<String>> {
    let mut key = String::new();
    if std::io::stdin().is_terminal() {
        eprint(&format!("Paste the key for {name}, then press Enter (it is not shown): "));
        let typed = TypedLineReader::new().and_then(|mut terminal| terminal.read(EchoMode::Hidden));
        eprintln!();
        match typed? {
            Some(typed) => key = typed,
            None => return Ok(None),
        }
    } else {
        std::io::stdin().take(MAX_KEY).read_to_string(&mut key)?;
    }
    let key = key.trim();
    if key.is_empty() {
        return Err(UsageError(format!(
            "no key given; run `cutonce key {name}` and paste it, or `cutonce key {name} < FILE`"
        ))
        .into());
    }
    if key.chars().any(|c| c.is_control() || c.is_whitespace()) {
        return Err(UsageError("the key has spaces or several lines; copy only the key itself".into()).into());
    }
    Ok(Some(key.to_string()))
}

/// Keys are much shorter; a longer input is some other file.
const MAX_KEY: u64 = 64 << 10;

fn eprint(text: &str) {
    let mut out = std::io::stderr();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

fn not_stored_help(name: &str, error: &keys::KeyError) -> String {
    format!(
        "can't store {name}: {error}. Set it in the environment instead (export {name}=…, for example in ~/.profile), \
         or name a command that prints it as `apiKeyHelper` in ~/.cutonce/settings.json"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mo_4_failed_keyring_names_the_next_step() {
        let help = not_stored_help("A_KEY", &keys::KeyError::Keyring("no service".into()));
        assert!(
            help.contains("no service") && help.contains("export A_KEY=") && help.contains("apiKeyHelper"),
            "{help}"
        );
        let error = run("sk-ant-oops", false).unwrap_err();
        assert!(error.to_string().contains("not the key itself") && !error.to_string().contains("oops"), "{error}");
    }
}
