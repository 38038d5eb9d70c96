//! Checks that the generated tables in `docs/reference/terminal.md` match the code. `UPDATE=1 cargo test -p cutonce-tui
//! docs` rewrites them.

/// Asserts that the marked section of the page contains this table.
pub fn assert_table(name: &str, table: &str) {
    let begins = format!("<!-- {name}: made from the code, UPDATE=1 cargo test -p cutonce-tui docs -->\n");
    let ends = format!("<!-- end of the {name} -->\n");
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/terminal.md");
    let found = || {
        let page = std::fs::read_to_string(&path).unwrap();
        let (before, rest) = page.split_once(&begins).expect("the page has a start marker for the table");
        let (table, after) = rest.split_once(&ends).expect("the page has an end marker for the table");
        (before.to_string(), table.to_string(), after.to_string())
    };
    let wanted = format!("\n{table}\n");
    if std::env::var_os("UPDATE").is_some() && found().1 != wanted {
        let (before, _, after) = found();
        std::fs::write(&path, format!("{before}{begins}{wanted}{ends}{after}")).unwrap();
    }
    assert!(found().1 == wanted, "run UPDATE=1 cargo test -p cutonce-tui docs -- --test-threads 1");
}
