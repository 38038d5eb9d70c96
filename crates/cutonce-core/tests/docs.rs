//! The docs contain tables generated from the code. `UPDATE=1 cargo test -p cutonce-core` rewrites them.

use std::path::PathBuf;

fn docs(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference").join(name)
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
    assert_eq!(now, expected, "{name} is not up to date: run `UPDATE=1 cargo test -p cutonce-core --test docs`");
}

#[test]
fn pr_4_docs_show_the_permission_table() {
    check("permissions.md", |now| {
        let (before, rest) = now.split_once("rewrites it -->\n").expect("the block begins");
        let (_, after) = rest.split_once("<!-- /modes -->").expect("the block ends");
        let table = cutonce_core::permission::permission_table_markdown();
        format!("{before}rewrites it -->\n\n{table}\n<!-- /modes -->{after}")
    });
}

#[test]
fn pr_5_docs_show_the_command_table() {
    check("shell-commands.md", |_| {
        format!(
            "# Shell commands\n\n\
             What cutonce knows about commands. *Reads* means that the command changes nothing. A *plain file command*\n\
             changes only the paths that it names. *Depends* means that the arguments decide. A command that is not listed here,\n\
             or an option that is not in the third column, is unknown, and unknown commands ask. In that column `-abc` are single\n\
             letters. After a name, `=` means a value, `@` an input file, `?` an optional attached value, and `!` an option with\n\
             which the command may read any file. `-#` is a bare number. See [permissions.md](permissions.md).\n\n\
             Generated from the code: `UPDATE=1 cargo test -p cutonce-core` rewrites it.\n\n{}",
            cutonce_core::shell::command_table_markdown()
        )
    });
}
