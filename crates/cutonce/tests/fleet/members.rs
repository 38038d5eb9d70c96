//! FL-1, FL-2: remotes, invitations, roles and lockouts.

use crate::stage::Stage;

#[test]
fn fl_2_members_join_once_and_are_locked_out() {
    let stage = Stage::new();
    let ann = stage.owner();
    let code = ann.ok(&["remote", "invite", "team", "--role", "approve"]);
    let (bob, eve) = (stage.person("bob"), stage.person("eve"));
    bob.ok(&["remote", "join", code.trim(), "--label", "bob"]);
    assert!(eve.fails(&["remote", "join", code.trim()]).contains("was used"), "the code works once");
    assert!(!eve.ok(&["remote", "list"]).contains("team"));
    let members = ann.ok(&["remote", "members", "team", "--json"]);
    assert!(members.lines().count() == 2 && members.contains(r#""label":"bob","role":"approve""#), "{members}");
    assert_eq!(bob.json(&["jobs", "--remote", "team", "--json"]), serde_json::json!([]));
    // A lost laptop is locked out with one command.
    ann.ok(&["remote", "revoke", "team", "bob"]);
    assert!(bob.fails(&["jobs", "--remote", "team"]).contains("locked out"));
    let repo = stage.repo().display().to_string();
    let error = bob.fails(&["submit", "plan", "PLANME", "--remote", "team", "--repo", &repo]);
    assert!(error.contains("locked out"), "{error}");
    // The new key reaches those who stay.
    let carl = stage.member(&ann, "carl", "comment");
    ann.ok(&["remote", "rotate", "team"]);
    assert!(carl.ok(&["remote", "members", "team"]).contains("carl"));
    carl.ok(&["remote", "rotate", "team", "--own"]);
    let members = carl.ok(&["remote", "members", "team"]);
    assert!(members.contains("carl (this machine)") && members.contains("carl (replaced keys)"), "{members}");
}

#[test]
fn fl_2_roles_limit_what_members_do() {
    let stage = Stage::new();
    let ann = stage.owner();
    let (bob, carl) = (stage.member(&ann, "bob", "worker"), stage.member(&ann, "carl", "approve"));
    let repo = stage.repo().display().to_string();
    let submit = ["submit", "plan", "PLANME", "--remote", "team", "--repo", &repo];
    assert!(bob.fails(&submit).contains("role worker can't submit"));
    carl.ok(&submit);
    assert!(carl.fails(&["worker", "--remote", "team"]).contains("role approve can't take jobs"));
    assert!(carl.fails(&["remote", "invite", "team", "--role", "worker"]).contains("only an owner"));
    assert!(carl.fails(&["remote", "revoke", "team", "bob"]).contains("only an owner"));
}

#[test]
fn fl_2_lost_owner_is_locked_out_by_another() {
    let stage = Stage::new();
    let ann = stage.owner();
    let olga = stage.member(&ann, "olga", "owner");
    let bob = stage.member(&olga, "bob", "approve");
    assert!(ann.fails(&["remote", "revoke", "team", "ann"]).contains("can't lock itself out"));
    olga.ok(&["remote", "revoke", "team", "ann"]);
    assert!(ann.fails(&["jobs", "--remote", "team"]).contains("locked out"));
    assert!(ann.fails(&["remote", "revoke", "team", "olga"]).contains("locked out"));
    // The group continues without its founder, with a new key.
    let carl = stage.member(&olga, "carl", "comment");
    let members = bob.ok(&["remote", "members", "team"]);
    assert!(members.contains("carl") && members.contains("locked out"), "{members}");
    assert_eq!(carl.json(&["jobs", "--remote", "team", "--json"]), serde_json::json!([]));
}

#[test]
fn fl_1_remotes_are_stored_without_a_server() {
    let stage = Stage::new();
    let ann = stage.person("ann");
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let url = format!("nats://u:secret@{closed},nats://{closed}");
    let added = ann.run(&["remote", "add", "away", &url]);
    assert!(added.status.success());
    let told = crate::stage::text(&added.stderr);
    assert!(told.contains("not connected yet") && !told.contains("secret"), "{told}");
    let list = ann.ok(&["remote", "list", "--json"]);
    assert!(list.contains(r#""name":"away""#) && !list.contains("secret"), "{list}");
    assert!(ann.fails(&["remote", "add", "away", "nats://x"]).contains("already a remote"));
    assert!(ann.fails(&["remote", "add", "other", "http://x"]).contains("no server address"));
    assert!(ann.fails(&["remote", "add", "c", "nats://127.0.0.1:1", "--creds", "/missing"]).contains("/missing"));
    ann.ok(&["remote", "remove", "away"]);
    assert!(ann.fails(&["remote", "members", "away"]).contains("no remote"));
}
