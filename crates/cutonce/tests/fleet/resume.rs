//! FL-4: a session continues in a clone of its repository; elsewhere the user decides.

use crate::pty::Term;
use crate::stage::{Person, Stage, git};

const ID: &str = "019a0000-0000-7000-8000-000000000009";

/// Resumes on a terminal and answers the question about the folder.
fn resume_on_terminal(person: &Person, answer: &str) -> (u32, String) {
    let args = ["-p", "second words", "--resume", ID, "--remote", "team"];
    let mut term = Term::start(person.terminal_command(&args), (100, 30)).unwrap();
    term.see("is no clone of that repository").unwrap();
    term.see("[y/N]").unwrap();
    term.press(answer).unwrap();
    term.press("enter").unwrap();
    let code = term.end().unwrap();
    (code, term.contents())
}

#[test]
fn fl_4_user_decides_in_a_folder_without_clone() {
    let stage = Stage::new();
    let ann = stage.owner();
    ann.ok(&["-p", "first words", "--session-id", ID, "--remote", "team"]);
    let [other, plain] = ["other", "plain"].map(|name| stage.root.path().join(name));
    for folder in [&other, &plain] {
        std::fs::create_dir(folder).unwrap();
    }
    git(&other, &["init", "-q"]);
    let commit =
        ["-c", "user.name=a", "-c", "user.email=a@example.invalid", "commit", "-q", "--allow-empty", "-m", "x"];
    git(&other, &commit);
    let bob = stage.member(&ann, "bob", "approve");
    for folder in [&other, &plain] {
        let (code, screen) = resume_on_terminal(&bob.in_folder(folder), "n");
        assert!(code != 0 && screen.contains("not continued"), "{screen}");
    }
    let before = stage.model.requests().len();
    let (code, screen) = resume_on_terminal(&bob.in_folder(&plain), "y");
    assert_eq!(code, 0, "{screen}");
    let last = String::from_utf8_lossy(&stage.model.requests().last().unwrap().body).into_owned();
    assert!(stage.model.requests().len() > before && last.contains("first words") && last.contains("second words"));
    // Unknown sessions and strangers.
    let unknown = bob.fails(&["-p", "x", "--resume", &ID.replace('9', "8"), "--remote", "team"]);
    assert!(unknown.contains("session"), "{unknown}");
    ann.ok(&["remote", "revoke", "team", "bob"]);
    let carl = stage.member(&ann, "carl", "comment");
    ann.ok(&["remote", "revoke", "team", "carl"]);
    let error = carl.fails(&["-p", "x", "--resume", ID, "--remote", "team"]);
    assert!(error.contains("locked out"), "{error}");
}

/// A session without a repository has nothing to compare: the user decides there, too.
#[test]
fn fl_4_sessions_without_repository_are_asked_about() {
    let stage = Stage::new();
    let ann = stage.owner();
    let [here, there] = ["here", "there"].map(|name| stage.root.path().join(name));
    for folder in [&here, &there] {
        std::fs::create_dir(folder).unwrap();
    }
    ann.in_folder(&here).ok(&["-p", "first words", "--session-id", ID, "--remote", "team"]);
    let bob = stage.member(&ann, "bob", "approve");
    let error = bob.in_folder(&there).fails(&["-p", "x", "--resume", ID, "--remote", "team"]);
    assert!(error.contains("is no clone of that repository; start in a clone of it"), "{error}");
}
