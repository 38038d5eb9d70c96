//! FL-1: TLS, credentials, and what `doctor --remote` says about a server.

use crate::server::Server;
use crate::stage::{Person, Stage, text};
use async_nats::jetstream;
use cutonce_fleet::remote_record::RemoteRecord;
use cutonce_fleet::server_login::{ServerAccess, take_login};
use cutonce_fleet::streams::FleetStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Linux connects to this machine, but it is no loopback address: TLS is required, and nothing leaves the machine.
const ELSEWHERE: &str = "0.0.0.0";

/// A self-made authority with a certificate for `ELSEWHERE`, and another authority.
struct Certificates {
    folder: tempfile::TempDir,
}

impl Certificates {
    fn new() -> Certificates {
        let certificates = Certificates { folder: tempfile::tempdir().unwrap() };
        certificates.create_authority("ca");
        certificates.create_authority("other");
        let extension = format!("subjectAltName=IP:{ELSEWHERE}\nbasicConstraints=CA:FALSE\n");
        std::fs::write(certificates.path("extension"), extension).unwrap();
        certificates.openssl(
            "req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout server.key -out server.csr -subj /CN=nats",
        );
        certificates.openssl("x509 -req -in server.csr -CA ca.crt -CAkey ca.key -CAcreateserial -out server.crt -days 2 -extfile extension");
        certificates
    }
    fn create_authority(&self, name: &str) {
        let words = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2";
        self.openssl(&format!("{words} -keyout {name}.key -out {name}.crt -subj /CN=cutonce-{name}"));
    }
    fn openssl(&self, words: &str) {
        let mut command = Command::new("openssl");
        let output = command.args(words.split(' ')).current_dir(self.folder.path()).output().unwrap();
        assert!(output.status.success(), "{words}: {}", text(&output.stderr));
    }
    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
    fn text(&self, name: &str) -> String {
        self.path(name).display().to_string()
    }
    fn server(&self) -> Server {
        let (cert, key) = (self.text("server.crt"), self.text("server.key"));
        Server::start_with(&["-js", "--tls", "--tlscert", &cert, "--tlskey", &key])
    }
}

fn elsewhere(server: &Server) -> String {
    server.url().replace("127.0.0.1", ELSEWHERE)
}

fn doctor(person: &Person) -> String {
    text(&person.run(&["doctor", "--remote", "team"]).stdout)
}

/// The one line about the problem.
fn broken(person: &Person) -> String {
    let report = doctor(person);
    let broken: Vec<&str> = report.lines().filter(|line| line.starts_with("BROKEN")).collect();
    assert_eq!(broken.len(), 1, "{report}");
    broken[0].to_string()
}

#[test]
fn fl_1_tls_protects_what_leaves_the_machine() {
    let stage = Stage::new();
    let (certificates, ann) = (Certificates::new(), stage.person("ann"));
    let server = certificates.server();
    let (url, ca) = (elsewhere(&server), certificates.text("ca.crt"));
    // An authority that signed something else, and one that the system does not know.
    let wrong = ann.fails(&["remote", "add", "team", &url, "--ca", &certificates.text("other.crt")]);
    assert!(wrong.contains("its certificate is refused") && wrong.contains("--ca FILE"), "{wrong}");
    assert!(wrong.contains("nothing was stored") && !ann.home.join("remotes/team").exists(), "{wrong}");
    assert!(ann.fails(&["remote", "add", "team", &url]).contains("its certificate is refused"));
    ann.ok(&["remote", "add", "team", &url, "--ca", &ca, "--label", "ann"]);
    let code = ann.ok(&["remote", "invite", "team", "--role", "approve"]);
    let bob = stage.person("bob");
    let untrusted = bob.fails(&["remote", "join", code.trim()]);
    assert!(untrusted.contains("its certificate is refused"), "{untrusted}");
    bob.ok(&["remote", "join", code.trim(), "--label", "bob", "--ca", &ca]);
    assert!(bob.ok(&["remote", "members", "team"]).contains("bob (this machine)"));
    assert!(doctor(&bob).contains("(TLS required)"));
    // The certificate is for another name than this one.
    let other = ann.fails(&["remote", "login", "team", "--servers", &server.url().replace("nats:", "tls:")]);
    assert!(other.contains("not valid for name") && other.contains("use the name in the certificate"), "{other}");
}

#[test]
fn fl_1_plain_connections_off_loopback_are_refused() {
    let stage = Stage::new();
    let ann = stage.person("ann");
    let server = Server::start();
    let error = ann.fails(&["remote", "add", "team", &elsewhere(&server)]);
    assert!(error.contains("it offers no TLS; give the server a certificate"), "{error}");
    assert!(!ann.home.join("remotes/team").exists());
    // A remote that moves to such a server stays where it was.
    ann.ok(&["remote", "add", "team", &server.url()]);
    let moved = ann.fails(&["remote", "login", "team", "--servers", &elsewhere(&server)]);
    assert!(moved.contains("it offers no TLS"), "{moved}");
    assert_eq!(RemoteRecord::load(&ann.home, "team").unwrap().urls, [server.url()]);
    // The same with one server here and one elsewhere: none of them may be plain.
    let mixed = format!("{},{}", server.url(), elsewhere(&server));
    assert!(ann.fails(&["remote", "add", "mixed", &mixed]).contains("it offers no TLS"));
}

fn with_input(person: &Person, args: &[&str], input: &str) -> std::process::Output {
    use std::io::Write;
    let mut command = person.command(args);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

/// Fails if a file of the remote contains the text and is not private.
fn assert_private(home: &Path) {
    use std::os::unix::fs::PermissionsExt;
    for entry in std::fs::read_dir(home).unwrap().map(Result::unwrap) {
        let mode = entry.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{}", entry.path().display());
        match entry.path().is_dir() {
            true => assert_private(&entry.path()),
            false => {
                let path = entry.path();
                let is_empty = entry.metadata().unwrap().len() == 0;
                let is_secret = cutonce_tools::secret_files::leads_to_secret(&path, None);
                assert!(is_empty || is_secret || path.ends_with("reported.json"), "tools can read {}", path.display());
            }
        }
    }
}

#[test]
fn fl_1_passwords_are_kept_in_the_keyring() {
    let stage = Stage::new();
    let server = Server::start_with(&["-js", "--user", "ann", "--pass", "s3cr3t"]);
    let (ann, bob) = (stage.person("ann"), stage.person("bob"));
    let refused = ann.fails(&["remote", "add", "team", &server.url()]);
    assert!(refused.contains("it refuses the credentials of this machine; give others"), "{refused}");
    let url = server.url().replace("nats://", "nats://ann:s3cr3t@");
    ann.ok(&["remote", "add", "team", &url, "--label", "ann"]);
    let record = std::fs::read_to_string(ann.home.join("remotes/team/auth.json")).unwrap();
    assert!(!record.contains("s3cr3t"), "{record}");
    let code = ann.ok(&["remote", "invite", "team", "--role", "approve"]);
    let joined = with_input(&bob, &["remote", "join", code.trim(), "--label", "bob", "--user", "ann"], "s3cr3t\n");
    assert!(joined.status.success(), "{}", text(&joined.stderr));
    assert!(doctor(&bob).contains("credentials in the keyring"), "{}", doctor(&bob));
    assert_private(&bob.home.join("remotes"));
    // The server gets another password.
    drop(server);
    let server = Server::start_with(&["-js", "--user", "ann", "--pass", "n3w"]);
    let wrong = with_input(&bob, &["remote", "login", "team", "--servers", &server.url()], "");
    assert!(text(&wrong.stderr).contains("it refuses the credentials"), "{}", text(&wrong.stderr));
    let changed = ["remote", "login", "team", "--servers", &server.url(), "--user", "ann"];
    let changed = with_input(&bob, &changed, "n3w");
    assert!(changed.status.success(), "{}", text(&changed.stderr));
    bob.ok(&["remote", "remove", "team"]);
    assert!(!bob.home.join("remotes/team").exists(), "credentials and keys are removed");
}

#[test]
fn fl_1_doctor_names_problem_and_next_step() {
    let stage = Stage::new();
    let ann = stage.owner();
    assert!(doctor(&ann).contains("clock      agrees with the server's"), "{}", doctor(&ann));
    let move_to = |url: &str| {
        let mut record = RemoteRecord::load(&ann.home, "team").unwrap();
        let (urls, login) = take_login(vec![url.to_string()]).unwrap();
        ServerAccess { login, ..ServerAccess::default() }.store(&ann.home, &mut record).unwrap();
        record.urls = urls;
        record.save(&ann.home).unwrap();
    };
    let without_jetstream = Server::start_with(&[]);
    move_to(&without_jetstream.url());
    let jetstream = broken(&ann);
    assert!(jetstream.contains("jetstream") && jetstream.contains("nats-server -js"), "{jetstream}");
    let closed = Server::start_with(&["--user", "x", "--pass", "y"]);
    move_to(&closed.url());
    let login = broken(&ann);
    assert!(login.contains("login ") && login.contains("cutonce remote login team"), "{login}");
    move_to(&elsewhere(&without_jetstream));
    let tls = broken(&ann);
    assert!(tls.contains("tls ") && tls.contains("offers no TLS"), "{tls}");
    let config = ann.home.join("limited.conf");
    let permissions = r#"{publish: ["x"], subscribe: ["_INBOX.>"]}"#;
    let users = format!("authorization {{ users = [{{user: a, password: b, permissions: {permissions}}}] }}\n");
    std::fs::write(&config, users).unwrap();
    let limited = Server::start_with(&["-js", "-c", &config.display().to_string()]);
    move_to(&limited.url().replace("nats://", "nats://a:b@"));
    let denied = broken(&ann);
    assert!(denied.contains("login ") && denied.contains("$JS.API.INFO"), "{denied}");
    assert!(denied.contains("let this account publish to"), "{denied}");
    std::fs::write(&config, "max_payload: 64KB\n").unwrap();
    let small = Server::start_with(&["-js", "-c", &config.display().to_string()]);
    move_to(&small.url());
    let payload = broken(&ann);
    assert!(payload.contains("messages up to 64 KB") && payload.contains("max_payload: 1MB"), "{payload}");
    // Another server under the same address: the member log is gone.
    let empty = Server::start();
    move_to(&empty.url());
    let streams = broken(&ann);
    assert!(streams.contains("streams") && streams.contains("restore the store"), "{streams}");
    drop(without_jetstream);
    move_to("nats://127.0.0.1:1");
    let server = broken(&ann);
    assert!(server.contains("server ") && server.contains("is the server running"), "{server}");
}

#[test]
fn fl_1_doctor_finds_lost_streams_and_lockouts() {
    let stage = Stage::new();
    let ann = stage.owner();
    let bob = stage.member(&ann, "bob", "approve");
    let group = RemoteRecord::load(&ann.home, "team").unwrap().group;
    crate::stage::block_on(async {
        let context = jetstream::new(async_nats::connect(stage.nats.url()).await.unwrap());
        context.delete_stream(FleetStream::Jobs.name(&group)).await.unwrap();
    });
    let report = doctor(&bob);
    assert!(report.contains("note    streams") && report.contains("had lost jobs"), "{report}");
    assert!(!doctor(&bob).contains("had lost"), "created again");
    ann.ok(&["remote", "revoke", "team", "bob"]);
    let member = broken(&bob);
    assert!(member.contains("locked out") && member.contains("ask the owner for an invitation"), "{member}");
}

/// A remote that is configured and not asked for costs nothing: no connection, no thread, no file.
#[test]
fn fl_1_without_request_nothing_starts() {
    let stage = Stage::new();
    let ann = stage.owner();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let mut record = RemoteRecord::load(&ann.home, "team").unwrap();
    record.urls = vec![format!("nats://{}", listener.local_addr().unwrap())];
    record.save(&ann.home).unwrap();
    let before = std::fs::read(ann.home.join("remotes/team/auth.json")).unwrap();
    ann.ok(&["-p", "first words"]);
    ann.ok(&["doctor"]);
    assert_eq!(listener.accept().unwrap_err().kind(), std::io::ErrorKind::WouldBlock, "a connection was made");
    assert_eq!(std::fs::read(ann.home.join("remotes/team/auth.json")).unwrap(), before);
    // The same program connects if it is asked to.
    let _session = ann.spawn(&["jobs", "--remote", "team"]);
    crate::stage::wait_until("a connection", || listener.accept().ok());
}

#[test]
fn fl_1_doctor_names_a_store_that_is_too_small() {
    let stage = Stage::new();
    let settings = stage.root.path().join("nats.conf");
    std::fs::write(&settings, "jetstream { max_file_store: 500MB }\n").unwrap();
    let server = Server::start_with(&["-c", &settings.display().to_string()]);
    let ann = stage.person("ann");
    let added = ann.run(&["remote", "add", "team", &server.url(), "--label", "ann"]);
    let told = text(&added.stderr);
    assert!(told.contains("a group needs 817 MB; raise jetstream.max_file_store"), "{told}");
    assert!(doctor(&ann).contains("a group needs 817 MB"), "{}", doctor(&ann));
}
