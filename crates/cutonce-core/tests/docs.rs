//! The docs show the very tables that the code uses. `UPDATE=1 cargo test -p cutonce-core` rewrites them.

use std::path::PathBuf;

fn docs(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name)
}

fn check(name: &str, expected: impl Fn(&str) -> String) {
    let path = docs(name);
    let now = std::fs::read_to_string(&path).unwrap_or_default();
    let expected = expected(&now);
    if std::env::var_os("UPDATE").is_some() {
        let written = std::fs::write(&path, &expected);
        assert!(written.is_ok(), "{}: {written:?}", path.display());
        return;
    }
    assert_eq!(now, expected, "docs/{name} is not up to date: run `UPDATE=1 cargo test -p cutonce-core --test docs`");
}

#[test]
fn pr_4_the_docs_show_the_table_of_modes() {
    check("permissions.md", |now| {
        let (before, rest) = now.split_once("rewrites it -->\n").expect("the block begins");
        let (_, after) = rest.split_once("<!-- /modes -->").expect("the block ends");
        let table = cutonce_core::permission::table_markdown();
        format!("{before}rewrites it -->\n\n{table}\n<!-- /modes -->{after}")
    });
}

#[test]
fn pr_5_the_docs_show_the_table_of_commands() {
    check("shell-commands.md", |_| {
        format!(
            "# Shell commands\n\n\
             What cutonce knows about commands. *Reads* means that the command changes nothing; a *plain file command*\n\
             changes only the paths that it names; *depends* is decided by the words that follow. A command that is not\n\
             here, or that has an option which is not in the third column, is unknown, and that asks. In that column `-abc` are single\n\
             letters; behind a name `=` is a value, `@` a file that is read, `?` a value that may be attached, `!` an option with\n\
             which nobody can say what is read; `-#` is a bare number. See [permissions.md](permissions.md).\n\n\
             Made from the code: `UPDATE=1 cargo test -p cutonce-core` rewrites it.\n\n{}",
            cutonce_core::shell::table_markdown()
        )
    });
}
