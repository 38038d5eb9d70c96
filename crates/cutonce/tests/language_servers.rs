//! Language servers through the program (DU-11): pyright, typescript-language-server and rust-analyzer as they are, and
//! servers that lie, flood, hang and die.
#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "language_servers/stage.rs"]
mod stage;
#[path = "support/test_program.rs"]
mod test_program;

use serde_json::{Value, json};
use stage::{Stage, call, edit, real_servers, write};
use std::process::Command;
use test_program::stderr;

/// Edits that nothing is wrong with.
fn harmless_edits(number: usize) -> Vec<Value> {
    (0..number).map(|n| write(&format!("{n}.bad"), &format!("{n}\n"))).collect()
}

#[test]
fn du_11_edit_reports_what_it_caused() {
    for kind in ["push", "pull", "asks"] {
        let turns = vec![
            call("Read", json!({"file_path": "a.bad"})),
            edit("a.bad", "two", "BAD two"),
            edit("a.bad", "BAD two", "two\nWARN me\nHINT"),
            write("sub/new.bad", "fine\nBAD new\n"),
            write("other.txt", "BAD"),
        ];
        let stage = Stage::new(Stage::own(kind), turns);
        stage.file("a.bad", "one\ntwo\nBAD old\n");
        let (results, output) = stage.play();
        let news = |n: usize| results[n].split_once("New diagnostics").map(|(_, news)| news.to_string());
        let head = " after this edit, from own:\n";
        assert_eq!(news(1), Some(format!("{head}a.bad:2:1 error BAD word in: BAD two")), "{kind} {}", stderr(&output));
        assert_eq!(news(2), Some(format!("{head}a.bad:3:1 warning WARN word in: WARN me")), "{kind}");
        assert_eq!(news(3), Some(format!("{head}sub/new.bad:2:1 error BAD word in: BAD new")), "{kind}");
        assert!(news(0).is_none() && news(4).is_none(), "{results:?}");
        assert!(!stderr(&output).contains("Language server"), "{}", stderr(&output));
    }
}

#[test]
fn du_11_untrusted_folder_starts_no_server() {
    let stage = Stage::new(json!({}), vec![write("a.bad", "BAD"), write("b.bad", "BAD")]);
    stage.settings(&json!({"lsp": Stage::own("push")}));
    let (results, _) = stage.play();
    assert!(results.len() == 2 && results.iter().all(|text| !text.contains("diagnostics")), "{results:?}");
    // A project can't bring its own server either.
    let stage = Stage::new(json!({}), vec![write("a.bad", "BAD")]);
    stage.settings(&json!({}));
    stage.file(".cutonce/settings.json", &json!({"lsp": Stage::own("push")}).to_string());
    let (results, output) = stage.play();
    assert!(!results[0].contains("diagnostics") && stderr(&output).contains("lsp"), "{}", stderr(&output));
}

#[test]
fn du_11_disabled_server_is_not_started() {
    let mut off = Stage::own("push");
    off["own"]["disabled"] = json!(true);
    for lsp in [off, json!(false)] {
        let stage = Stage::new(lsp, vec![write("a.bad", "BAD")]);
        assert!(!stage.play().0[0].contains("diagnostics"));
    }
}

#[test]
fn du_11_server_is_confined() {
    let stage = Stage::new(Stage::own("prisoner"), vec![write("a.bad", "x")]);
    stage.file(".env", "SECRET=1\n");
    let (results, output) = stage.play();
    let told = &results[0];
    for (what, expected) in [("write", "EROFS"), ("change", "E"), ("secret", "E"), ("network", "E")] {
        assert!(told.contains(&format!("{what}: {expected}")), "{told} {}", stderr(&output));
    }
    assert!(told.contains("private folder: done") && told.contains("secrets in the environment: []"), "{told}");
    assert!(!stage.ws().join("planted").exists());
}

#[test]
fn du_11_hostile_diagnostics_are_short_and_harmless() {
    let stage = Stage::new(Stage::own("hostile"), vec![write("a.bad", "x")]);
    let (results, _) = stage.play();
    let told = &results[0];
    assert!(told.contains("a.bad:1:1 error ") && told.ends_with(" more"), "{told}");
    assert!(told.len() < 5_000 && told.lines().count() < 30, "{} bytes", told.len());
    assert!(!told.contains('\u{1b}') && !told.contains('\u{202e}'), "{told:?}");
}

#[test]
fn du_11_broken_server_costs_one_notice() {
    let cases = [
        ("crash", "it ended with exit code 1; its last output: this server is broken"),
        ("nonsense", "it does not speak the protocol: it sent \"Welcome to the language server!\" instead of a header"),
        ("giant", "it does not speak the protocol: it sent a message of more than 8 MB"),
        ("flood", "it sent too many messages"),
        ("deaf", "5 times in a row it was too slow to report on an edit"),
    ];
    for (kind, why) in cases {
        let stage = Stage::new(Stage::own(kind), harmless_edits(7));
        let (results, output) = stage.play();
        assert!(results.len() == 7 && results.iter().all(|text| text.starts_with("Created ")), "{kind} {results:?}");
        let told = stderr(&output);
        let notices: Vec<&str> = told.lines().filter(|line| line.contains("Language server own is off")).collect();
        assert!(notices.len() == 1 && notices[0].contains(why), "{kind}: {told}");
        assert!(notices[0].contains("`cutonce doctor` lists the servers; set `lsp.own` to"), "{told}");
    }
}

#[test]
fn du_11_hanging_server_ends_with_the_session() {
    let stage = Stage::new(Stage::own("hang"), harmless_edits(20));
    let (results, output) = stage.play();
    assert!(results.len() == 20 && !stderr(&output).contains("Language server"), "{}", stderr(&output));
}

#[test]
fn du_11_missing_program_is_named_if_configured() {
    let missing = json!({"gone": {"command": "no-such-server", "extensions": [".bad"]}});
    let (_, output) = Stage::new(missing, harmless_edits(2)).play();
    let told = stderr(&output);
    assert!(told.matches("the program \"no-such-server\" was not found").count() == 1, "{told}");
    // A known server that is not installed is no problem.
    let mut stage = Stage::new(json!({}), vec![write("a.go", "package a\n")]);
    stage.path = None;
    assert!(!stderr(&stage.play().1).contains("Language server"));
}

#[test]
fn du_11_dead_server_is_restarted_a_few_times() {
    let edits = (0..8).map(|n| edit("a.bad", &format!("{n}"), &format!("{}", n + 1)));
    let edits = edits.flat_map(|edit| [edit, call("Bash", json!({"command": "sleep 0.3"}))]);
    let turns = [call("Read", json!({"file_path": "a.bad"}))].into_iter().chain(edits).collect();
    let stage = Stage::new(Stage::own("dies"), turns);
    stage.file("a.bad", "0\n");
    let told = stderr(&stage.play().1);
    assert!(told.matches("is off for this session: it ended with exit code 7").count() == 1, "{told}");
}

#[test]
fn du_11_first_request_has_nothing_of_servers() {
    let stage = Stage::new(Stage::own("push"), vec![write("a.bad", "BAD")]);
    stage.play();
    let first = &stage.requests()[0];
    assert!(!first.to_lowercase().contains("language server") && !first.contains("iagnostics"), "{first}");
}

/// Turns that each make another mistake in a file, with time for a server to start.
fn mistakes(file: &str, first: &str, mistake: impl Fn(usize) -> String) -> Vec<Value> {
    let mut turns = vec![call("Read", json!({"file_path": file})), json!({"text": "read"})];
    for n in 0..100 {
        turns.push(edit(file, first, &format!("{first}{}", mistake(n))));
        turns.push(call("Bash", json!({"command": "sleep 0.3"})));
        turns.push(json!({"text": "edited"}));
    }
    turns
}

#[test]
fn du_11_real_pyright_reports_type_errors() {
    let turns = mistakes("app.py", "# here\n", |n| format!("x{n}: int = \"text\"\n"));
    let mut stage = Stage::new(json!({}), turns);
    stage.path = Some(real_servers());
    stage.file("app.py", "old: int = \"was wrong before\"\n# here\n");
    let told = stage.play_until("from pyright:");
    assert!(told.contains("app.py:3:") && told.contains("error") && told.contains("\"int\""), "{told}");
    assert!(!told.contains("app.py:1:"), "the old error is not new: {told}");
}

#[test]
fn du_11_real_typescript_server_reports_type_errors() {
    let turns = mistakes("src/app.ts", "// here\n", |n| format!("export const x{n}: number = \"text\";\n"));
    let mut stage = Stage::new(json!({}), turns);
    stage.path = Some(real_servers());
    stage.file("src/app.ts", "const old: number = \"was wrong before\";\n// here\n");
    stage.file("tsconfig.json", "{\"compilerOptions\": {\"strict\": true}}");
    let told = stage.play_until("from typescript-language-server:");
    assert!(told.contains("src/app.ts:3:") && told.contains("not assignable to type 'number'"), "{told}");
    assert!(!told.contains("src/app.ts:1:"), "the old error is not new: {told}");
}

#[test]
fn du_11_real_gopls_reports_type_errors() {
    let version = Command::new("gopls").arg("version").output();
    if !version.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: gopls is not installed (apt-get install gopls golang-go)");
        return;
    }
    let turns = mistakes("app.go", "// here\n", |n| format!("var X{n} int = \"text\"\n"));
    let stage = Stage::new(json!({}), turns);
    stage.file("go.mod", "module example.com/app\n\ngo 1.19\n");
    stage.file("app.go", "package app\n\n// here\n");
    let told = stage.play_until("from gopls:");
    assert!(told.contains("app.go:4:") && told.contains("as int value in variable declaration"), "{told}");
}

#[test]
fn du_11_real_rust_analyzer_reports_type_errors() {
    let version = Command::new("rust-analyzer").arg("--version").output();
    if !version.is_ok_and(|output| output.status.success()) {
        // No package registry has it; rustup and distributions do.
        eprintln!("skipped: rust-analyzer is not installed (rustup component add rust-analyzer)");
        return;
    }
    let turns = mistakes("src/lib.rs", "// here\n", |n| format!("pub fn f{n}() -> u8 {{\n    \"text\"\n}}\n"));
    let stage = Stage::new(json!({}), turns);
    stage.file("Cargo.toml", "[package]\nname = \"app\"\nversion = \"0.1.0\"\nedition = \"2024\"\n");
    stage.file("Cargo.lock", "version = 4\n\n[[package]]\nname = \"app\"\nversion = \"0.1.0\"\n");
    stage.file("src/lib.rs", "// here\npub fn old() -> u8 {\n    \"was wrong before\"\n}\n");
    let told = stage.play_until("from rust-analyzer:");
    assert!(told.contains("src/lib.rs:3:") && told.contains("expected u8, found &'static str"), "{told}");
    assert!(!stage.ws().join("target").exists(), "it writes nothing to the workspace");
}
