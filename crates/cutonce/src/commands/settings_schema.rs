//! `cutonce settings-schema`: prints the JSON schema of the settings.

use cutonce_core::exit_code;
use std::io::Write;

pub fn run() -> anyhow::Result<u8> {
    let schema = serde_json::to_string_pretty(&cutonce_core::settings::settings_schema())?;
    writeln!(std::io::stdout(), "{schema}")?;
    Ok(exit_code::SUCCESS)
}
