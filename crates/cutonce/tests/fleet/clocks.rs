//! FL-1 to FL-5 with wrong clocks: a machine may be a day ahead or behind. Its programs run with a small library that
//! moves the time.

use crate::stage::{Person, Stage};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

const DAY: i64 = 24 * 3600;

/// Moves the wall clock of a program by CLOCK_SHIFT seconds.
const LIBRARY: &str = r#"
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
static long shift(void) { const char *by = getenv("CLOCK_SHIFT"); return by ? atol(by) : 0; }
int clock_gettime(clockid_t id, struct timespec *now) {
    int failed = syscall(SYS_clock_gettime, id, now);
    if (!failed && id == CLOCK_REALTIME) now->tv_sec += shift();
    return failed;
}
int gettimeofday(struct timeval *now, void *zone) {
    struct timespec at;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &at);
    now->tv_sec = at.tv_sec;
    now->tv_usec = at.tv_nsec / 1000;
    return 0;
}
time_t time(time_t *now) {
    struct timespec at;
    clock_gettime(CLOCK_REALTIME, &at);
    if (now) *now = at.tv_sec;
    return at.tv_sec;
}
"#;

fn build_library(folder: &Path) -> String {
    let (source, library) = (folder.join("clock.c"), folder.join("clock.so"));
    std::fs::write(&source, LIBRARY).unwrap();
    let built = Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&library).arg(&source).status().unwrap();
    assert!(built.success(), "rustc needs a C compiler, too");
    library.display().to_string()
}

fn with_clock(person: Person, library: &str, shift: i64) -> Person {
    let more = vec![("LD_PRELOAD", library.to_string()), ("CLOCK_SHIFT", shift.to_string())];
    person.with_variables(more)
}

#[test]
fn fl_2_clocks_of_members_do_not_matter() {
    let stage = Stage::new();
    let library = build_library(stage.root.path());
    let ann = stage.owner();
    let join = |name: &str, role: &str, shift: i64| {
        let code = ann.ok(&["remote", "invite", "team", "--role", role]);
        let person = with_clock(stage.person(name), &library, shift);
        person.ok(&["remote", "join", code.trim(), "--label", name]);
        person
    };
    let (bob, wanda) = (join("bob", "approve", -DAY), join("wanda", "worker", DAY));
    let told = bob.ok(&["doctor", "--remote", "team"]);
    assert!(told.contains("behind the server's"), "{told}");
    // Bob submits after Ann; the id that his machine chose is older.
    let ids = [ann.submit_task(&["--then", "implement"]), bob.submit_task(&[])];
    assert!(ids[1] < ids[0], "{ids:?}");
    let listed = |who: &Person| -> Vec<Value> {
        let rows = who.json(&["jobs", "--remote", "team", "--json"]);
        rows.as_array().unwrap().iter().map(|row| row["id"].clone()).collect()
    };
    assert_eq!((listed(&ann), listed(&bob)), (vec![json!(ids[0]), json!(ids[1])], vec![json!(ids[0]), json!(ids[1])]));
    let exits = ["worker", "--remote", "team", "--exit-when-idle"];
    wanda.ok(&exits);
    assert_eq!(bob.job(&ids[1])["state"], "waiting");
    bob.ok(&["review", &ids[0], "--remote", "team", "--approve"]);
    wanda.ok(&exits);
    let follower = ann.job(&format!("{}-implement", ids[0]));
    assert_eq!((&follower["state"], &follower["attempts"]), (&json!("done"), &json!(1)), "{follower}");
    // A lockout counts for a machine whose clock says that it was tomorrow.
    ann.ok(&["remote", "revoke", "team", "bob"]);
    assert!(bob.fails(&["submit", "plan", "x", "--remote", "team", "--repo", "."]).contains("locked out"));
}

#[test]
fn fl_2_ssh_join_names_a_wrong_clock() {
    let stage = Stage::new();
    let library = build_library(stage.root.path());
    let ann = stage.owner();
    let key = stage.root.path().join("key");
    let made = Command::new("ssh-keygen").args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(&key).status().unwrap();
    assert!(made.success());
    let signers = stage.root.path().join("allowed");
    let public = std::fs::read_to_string(key.with_extension("pub")).unwrap();
    std::fs::write(&signers, format!("eve@example.com {public}")).unwrap();
    let args = ["remote", "invite", "team", "--role", "worker", "--signers", &signers.display().to_string()];
    let mut owner = ann.spawn(&args);
    let mut address = String::new();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(owner.0.stdout.take().unwrap()), &mut address).unwrap();
    let join = ["remote", "join", address.trim(), "--ssh-key", &key.display().to_string(), "--label", "eve"];
    for (shift, direction) in [(3600, "ahead of"), (-DAY, "behind")] {
        let why = with_clock(stage.person("eve"), &library, shift).fails(&join);
        assert!(why.contains(&format!("{direction} the server's; the owner would refuse")), "{why}");
    }
    // Five minutes are no reason to refuse.
    with_clock(stage.person("eve"), &library, 300).ok(&join);
    assert_eq!(owner.end(), Some(0));
}
