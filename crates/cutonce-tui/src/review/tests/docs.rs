//! The page shows the very table that the review uses. `UPDATE=1 cargo test -p cutonce-tui docs` rewrites it.

use crate::review::KEYS;

const BEGINS: &str = "<!-- keys of the review: made from the code, UPDATE=1 cargo test -p cutonce-tui docs -->\n";
const ENDS: &str = "<!-- end of the keys of the review -->\n";

#[test]
fn ui_6_the_docs_name_every_key_of_the_review() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/terminal.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let mut table = String::from("| key | what it does |\n|---|---|\n");
    for row in KEYS {
        let keys: Vec<String> = row.named.split(' ').map(|key| format!("`{key}`")).collect();
        table.push_str(&format!("| {} | {} |\n", keys.join(" "), row.does));
    }
    table.push_str("| `1` to `6` | arm a choice; `4` switches clearing the context on and off |\n");
    let (before, rest) = page.split_once(BEGINS).expect("the page has a place for the keys");
    let (_, after) = rest.split_once(ENDS).expect("the place for the keys ends");
    let wanted = format!("{before}{BEGINS}\n{table}\n{ENDS}{after}");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &wanted).unwrap();
    }
    assert!(std::fs::read_to_string(&path).unwrap() == wanted, "run UPDATE=1 cargo test -p cutonce-tui docs");
}
