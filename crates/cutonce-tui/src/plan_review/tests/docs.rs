//! Keeps the key table in the docs equal to the one in the code.

use crate::plan_review::REVIEW_KEYS;

#[test]
fn ui_6_docs_list_every_review_key() {
    let mut table = String::from("| key | what it does |\n|---|---|\n");
    for row in REVIEW_KEYS {
        let keys: Vec<String> = row.key_names.split(' ').map(|key| format!("`{key}`")).collect();
        table.push_str(&format!("| {} | {} |\n", keys.join(" "), row.help));
    }
    table.push_str("| `1` to `6` | arm a choice; `4` toggles clearing the context |\n");
    table.push_str("| `shift+tab` | cycle the mode; this withdraws the plan |\n");
    table.push_str("| `ctrl+z` | suspend; `fg` resumes |\n");
    crate::doc_tables::assert_table("keys of the review", &table);
}
