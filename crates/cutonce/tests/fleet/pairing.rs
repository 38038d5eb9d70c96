//! FL-2: who becomes a member: codes that race, SSH keys, and new keys of members and group.

use crate::stage::{Person, Running, Stage, text};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

#[test]
fn fl_2_one_of_many_wins_with_a_code() {
    let stage = Stage::new();
    let ann = stage.owner();
    let code = ann.ok(&["remote", "invite", "team", "--role", "comment"]);
    let people: Vec<Person> = (0..6).map(|number| stage.person(&format!("p{number}"))).collect();
    let join = |person: &Person| person.spawn(&["remote", "join", code.trim()]);
    let joins: Vec<Running> = people.iter().map(join).collect();
    let mut joined = 0;
    for (mut join, person) in joins.into_iter().zip(&people) {
        let mut told = String::new();
        join.0.stderr.take().unwrap().read_to_string(&mut told).unwrap();
        match join.end() {
            Some(0) => {
                joined += 1;
                assert!(person.ok(&["remote", "members", "team"]).contains("(this machine)"));
            }
            _ => {
                assert!(told.contains("this code was used, withdrawn or is older than ten minutes"), "{told}");
                assert!(!person.home.join("remotes/team").exists(), "nothing is left behind");
            }
        }
    }
    assert_eq!(joined, 1);
    assert_eq!(ann.ok(&["remote", "members", "team"]).lines().count(), 2);
    // A code that ends with a new key of the group, one that was mistyped, one of another group.
    let withdrawn = ann.ok(&["remote", "invite", "team", "--role", "comment"]);
    ann.ok(&["remote", "rotate", "team"]);
    let late = stage.person("late");
    assert!(late.fails(&["remote", "join", withdrawn.trim()]).contains("was used, withdrawn"));
    let mistyped = withdrawn.trim().replace("cutonce1-", "cutonce1-A");
    assert!(late.fails(&["remote", "join", &mistyped]).contains("neither a complete code nor an address"));
}

/// Keys of real people, by ssh-keygen.
struct SshKeys(PathBuf);

impl SshKeys {
    fn new(stage: &Stage) -> SshKeys {
        let folder = stage.root.path().join("ssh");
        std::fs::create_dir(&folder).unwrap();
        SshKeys(folder)
    }
    fn create(&self, name: &str) -> String {
        let file = self.0.join(name);
        let mut command = Command::new("ssh-keygen");
        command.args(["-q", "-t", "ed25519", "-N", "", "-C", name, "-f"]).arg(&file);
        assert!(command.status().unwrap().success());
        file.display().to_string()
    }
    /// A file of allowed signers with these names and keys.
    fn allow(&self, lines: &[(&str, &str)]) -> String {
        let line = |(options, name): &(&str, &str)| {
            let key = std::fs::read_to_string(self.0.join(format!("{name}.pub"))).unwrap();
            format!("{name}@example.com {options}{key}")
        };
        let file = self.0.join("allowed_signers");
        std::fs::write(&file, lines.iter().map(line).collect::<String>()).unwrap();
        file.display().to_string()
    }
}

/// An owner that admits SSH keys, and the address that it printed.
fn admitting(ann: &Person, role: &str, signers: &str) -> (Running, String) {
    let mut owner = ann.spawn(&["remote", "invite", "team", "--role", role, "--signers", signers]);
    let mut address = String::new();
    BufReader::new(owner.0.stdout.as_mut().unwrap()).read_line(&mut address).unwrap();
    assert!(address.starts_with("cutonce1g-"), "{address}");
    (owner, address.trim().to_string())
}

#[test]
fn fl_2_ssh_keys_join_without_a_code() {
    let stage = Stage::new();
    let ann = stage.owner();
    let keys = SshKeys::new(&stage);
    let [bob_key, eve_key] = ["bob", "eve"].map(|name| keys.create(name));
    let (mut owner, address) = admitting(&ann, "approve", &keys.allow(&[("", "bob")]));
    let (bob, eve) = (stage.person("bob"), stage.person("eve"));
    let _waiting = eve.spawn(&["remote", "join", &address, "--ssh-key", &eve_key, "--label", "eve"]);
    let mut told = BufReader::new(owner.0.stderr.take().unwrap());
    let mut read_until = |part: &str| {
        let lines = told.by_ref().lines().map(Result::unwrap);
        lines.into_iter().find(|line| line.contains(part)).unwrap_or_else(|| panic!("{part}"))
    };
    read_until("eve is not admitted: its SSH key is not in the file of allowed signers");
    let joined = bob.ok(&["remote", "join", &address, "--ssh-key", &bob_key, "--label", "bob"]);
    assert!(joined.contains("Joined team as bob (approve"), "{joined}");
    let admitted = read_until("Admitted bob (approve");
    assert!(admitted.contains("SSH key of bob@example.com SHA256:"), "{admitted}");
    assert_eq!(owner.end(), Some(0), "each key of the file was admitted");
    let members = ann.ok(&["remote", "members", "team"]);
    assert!(members.contains("bob, SSH key of bob@example.com") && !members.contains("eve"), "{members}");
    // The member works like any other, and can be locked out.
    assert_eq!(bob.json(&["jobs", "--remote", "team", "--json"]), serde_json::json!([]));
    ann.ok(&["remote", "revoke", "team", "bob"]);
    assert!(bob.fails(&["jobs", "--remote", "team"]).contains("locked out"));
}

#[test]
fn fl_2_ssh_signatures_count_only_here_and_now() {
    let stage = Stage::new();
    let ann = stage.owner();
    let keys = SshKeys::new(&stage);
    let [old_key, git_key] = ["old", "git"].map(|name| keys.create(name));
    let options = [("valid-before=\"20200101\" ", "old"), ("namespaces=\"git\" ", "git")];
    let (mut owner, address) = admitting(&ann, "worker", &keys.allow(&options));
    let mut told = BufReader::new(owner.0.stderr.take().unwrap()).lines().map(Result::unwrap);
    for (name, key) in [("old", &old_key), ("git", &git_key)] {
        let _join = stage.person(name).spawn(&["remote", "join", &address, "--ssh-key", key, "--label", name]);
        let part = format!("{name} is not admitted");
        assert!(told.by_ref().any(|line| line.contains(&part)), "{part}");
    }
    assert_eq!(ann.ok(&["remote", "members", "team"]).lines().count(), 1);
    let person = stage.person("none");
    let missing = person.fails(&["remote", "join", &address, "--ssh-key", "/missing"]);
    assert!(missing.contains("can't read the key /missing"), "{missing}");
    assert!(person.fails(&["remote", "join", &address]).contains("--ssh-key FILE"));
    let empty = stage.root.path().join("empty");
    std::fs::write(&empty, "# no signer\n").unwrap();
    let args = ["remote", "invite", "team", "--role", "worker", "--signers", &empty.display().to_string()];
    assert!(ann.fails(&args).contains("names no signer"));
}

#[test]
fn fl_2_new_keys_reach_members_and_old_ones_end() {
    let stage = Stage::new();
    let ann = stage.owner();
    let (bob, carl) = (stage.member(&ann, "bob", "approve"), stage.member(&ann, "carl", "worker"));
    let stolen = stage.root.path().join("stolen");
    copy_folder(&bob.home, &stolen);
    let before = ann.submit_task(&[]);
    assert!(ann.ok(&["remote", "rotate", "team"]).contains("number 2"));
    bob.ok(&["remote", "rotate", "team", "--own"]);
    assert!(ann.ok(&["remote", "rotate", "team"]).contains("number 3"));
    let after = bob.submit_task(&[]);
    // Each member reads what was written with any key, the worker too.
    carl.ok(&["worker", "--remote", "team", "--exit-when-idle"]);
    for id in [&before, &after] {
        assert_eq!(ann.job(id)["state"], "waiting");
        assert_eq!(bob.job(id)["state"], "waiting");
    }
    // The keys that bob had before.
    let thief = bob.in_home(&stolen);
    assert!(thief.fails(&["jobs", "--remote", "team"]).contains("locked out"));
    let error = ann.fails(&["remote", "rotate", "team", "--own"]);
    assert!(error.contains("the root of the group"), "{error}");
    let members = ann.ok(&["remote", "members", "team"]);
    assert_eq!(members.lines().filter(|line| line.contains("replaced keys")).count(), 1, "{members}");
}

fn copy_folder(from: &Path, to: &Path) {
    assert!(Command::new("cp").arg("-a").arg(from).arg(to).stdout(Stdio::null()).status().unwrap().success());
}

/// A long session must know a lockout at once, although the old key still opens what the lost laptop writes.
#[test]
fn fl_2_lockout_counts_in_running_sessions() {
    let stage = Stage::new();
    let ann = stage.owner();
    let bob = stage.member(&ann, "bob", "approve");
    let lost = stage.root.path().join("lost");
    copy_folder(&bob.home, &lost);
    crate::stage::block_on(async {
        use cutonce_fleet::FleetLink;
        use cutonce_fleet::job::JobEvent;
        use cutonce_fleet::streams::FleetStream;
        let running = FleetLink::connect(&ann.home, "team").await.unwrap();
        let laptop = FleetLink::connect(&lost, "team").await.unwrap();
        let mut events = running.follow::<JobEvent>(FleetStream::Jobs, ">", 1).await.unwrap();
        laptop.publish_job_event("j", &JobEvent::Cancelled).await.unwrap();
        assert_eq!(events.next().await.unwrap().author.card.label, "bob");
        FleetLink::connect(&ann.home, "team").await.unwrap().revoke("bob").await.unwrap();
        // The laptop does not know of its lockout.
        laptop.publish_job_event("j", &JobEvent::Retried).await.unwrap();
        running.publish_job_event("j", &JobEvent::Cancelled).await.unwrap();
        assert_eq!(events.next().await.unwrap().author.card.label, "ann", "the lost laptop is not heard");
        assert!(running.take_faults().iter().any(|fault| fault.contains("locked out")));
    });
    assert!(text(&bob.run(&["jobs", "--remote", "team"]).stderr).contains("locked out"));
}

/// A machine that stops between storing its new keys and hearing that they count.
#[test]
fn fl_2_interrupted_rotation_ends_with_the_next_start() {
    let stage = Stage::new();
    let ann = stage.owner();
    let bob = stage.member(&ann, "bob", "approve");
    let path = bob.home.join("remotes/team/auth.json");
    let read = || serde_json::from_slice::<serde_json::Value>(&std::fs::read(&path).unwrap()).unwrap();
    let before = read();
    bob.ok(&["remote", "rotate", "team", "--own"]);
    let mut interrupted = before.clone();
    interrupted["nextSeed"] = read()["seed"].clone();
    std::fs::write(&path, interrupted.to_string()).unwrap();
    assert!(bob.ok(&["remote", "members", "team"]).contains("bob (this machine)\n"));
    assert_eq!((&read()["seed"], &read()["nextSeed"]), (&interrupted["nextSeed"], &serde_json::Value::Null));
    // Keys that the log never got are not used.
    let mut unheard = read();
    unheard["nextSeed"] = "7".repeat(64).into();
    std::fs::write(&path, unheard.to_string()).unwrap();
    assert!(bob.ok(&["remote", "members", "team"]).contains("bob (this machine)\n"));
}

/// A process that runs for long must not write old keys over new ones, nor bring back a removed remote.
#[test]
fn fl_2_running_processes_keep_what_others_stored() {
    use cutonce_fleet::FleetLink;
    let stage = Stage::new();
    let ann = stage.owner();
    let bob = stage.member(&ann, "bob", "approve");
    crate::stage::block_on(async {
        let running = FleetLink::connect(&bob.home, "team").await.unwrap();
        bob.ok(&["remote", "rotate", "team", "--own"]);
        ann.ok(&["remote", "rotate", "team"]);
        running.refresh_members().await.unwrap();
        assert!(running.require_member().is_err(), "it has the old keys");
        assert!(bob.ok(&["remote", "members", "team"]).contains("bob (this machine)\n"));
        let running = FleetLink::connect(&bob.home, "team").await.unwrap();
        bob.ok(&["remote", "remove", "team"]);
        ann.ok(&["remote", "rotate", "team"]);
        running.refresh_members().await.unwrap();
        assert!(!bob.home.join("remotes/team").exists());
    });
}

#[test]
fn fl_2_locked_out_worker_loses_no_job() {
    let stage = Stage::new();
    let ann = stage.owner();
    let bob = stage.member(&ann, "bob", "worker");
    let mut worker = bob.spawn(&["worker", "--remote", "team"]);
    let mut log = BufReader::new(worker.0.stderr.take().unwrap()).lines().map(Result::unwrap);
    assert!(log.by_ref().any(|line| line.contains("takes jobs of team")));
    ann.ok(&["remote", "revoke", "team", "bob"]);
    let id = ann.submit_task(&[]);
    assert!(log.any(|line| line.contains("locked out")));
    assert_eq!(worker.end(), Some(1));
    ann.ok(&["worker", "--remote", "team", "--exit-when-idle"]);
    assert_eq!(ann.job(&id)["worker"], "ann");
    assert_eq!(ann.job(&id)["state"], "waiting");
}
