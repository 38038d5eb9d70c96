//! The page shows the very table that the review uses.

use crate::review::KEYS;

#[test]
fn ui_6_the_docs_name_every_key_of_the_review() {
    let mut table = String::from("| key | what it does |\n|---|---|\n");
    for row in KEYS {
        let keys: Vec<String> = row.named.split(' ').map(|key| format!("`{key}`")).collect();
        table.push_str(&format!("| {} | {} |\n", keys.join(" "), row.does));
    }
    table.push_str("| `1` to `6` | arm a choice; `4` switches clearing the context on and off |\n");
    table.push_str("| `shift+tab` | cycle the mode, as anywhere; the plan is withdrawn then |\n");
    table.push_str("| `ctrl+z` | stop; `fg` comes back |\n");
    crate::docs::held("keys of the review", &table);
}
