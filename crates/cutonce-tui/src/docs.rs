//! Tables of the page `docs/terminal.md` are made from the code. `UPDATE=1 cargo test -p cutonce-tui docs` rewrites them.

/// The part of the page between two marks is this table.
pub fn held(name: &str, table: &str) {
    let begins = format!("<!-- {name}: made from the code, UPDATE=1 cargo test -p cutonce-tui docs -->\n");
    let ends = format!("<!-- end of the {name} -->\n");
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/terminal.md");
    let found = || {
        let page = std::fs::read_to_string(&path).unwrap();
        let (before, rest) = page.split_once(&begins).expect("the page has a place for the table");
        let (table, after) = rest.split_once(&ends).expect("the place for the table ends");
        (before.to_string(), table.to_string(), after.to_string())
    };
    let wanted = format!("\n{table}\n");
    if std::env::var_os("UPDATE").is_some() && found().1 != wanted {
        let (before, _, after) = found();
        std::fs::write(&path, format!("{before}{begins}{wanted}{ends}{after}")).unwrap();
    }
    assert!(found().1 == wanted, "run UPDATE=1 cargo test -p cutonce-tui docs -- --test-threads 1");
}
