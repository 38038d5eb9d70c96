//! Logins of MCP servers (DU-10) with a real authorization server, the one of PyPI's `mcp`, and with hostile ones.

use crate::stage::{Stage, calls};
use crate::test_program::stderr;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mcp").join(name)
}

/// Python with the package `mcp`, installed once below the target folder.
fn python_with_mcp() -> PathBuf {
    const VERSION: &str = "2.3.0";
    static INSTALLED: OnceLock<PathBuf> = OnceLock::new();
    let folder = INSTALLED.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("mcp-python-{VERSION}"));
        std::fs::create_dir_all(&folder).unwrap();
        let lock = std::fs::File::create(folder.join("lock")).unwrap();
        lock.lock().unwrap();
        let done = folder.join("installed");
        if !done.exists() {
            let run = |command: &mut Command| {
                let output = command.output().expect("python3 with venv is needed (apt-get install python3-venv)");
                assert!(output.status.success(), "{command:?}: {}", stderr(&output));
            };
            run(Command::new("python3").args(["-m", "venv"]).arg(folder.join("venv")));
            let package = format!("mcp=={VERSION}");
            run(Command::new(folder.join("venv/bin/pip")).args(["install", "--quiet", &package]));
            std::fs::write(done, "").unwrap();
        }
        folder
    });
    folder.join("venv/bin/python")
}

/// A server that ends with the test.
struct OauthServer(Child, String);

impl Drop for OauthServer {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl OauthServer {
    fn start(mut command: Command) -> OauthServer {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut port = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut port).unwrap();
        OauthServer(child, format!("http://127.0.0.1:{}/mcp", port.trim()))
    }
    fn real(kind: &str, stage: &Stage) -> OauthServer {
        let mut python = Command::new(python_with_mcp());
        python.arg(script("oauth.py")).arg(kind).arg(stage.log());
        OauthServer::start(python)
    }
    fn hostile(kind: &str) -> OauthServer {
        let mut python = Command::new("python3");
        python.arg(script("oauth_hostile.py")).arg(kind);
        OauthServer::start(python)
    }
}

impl Stage {
    /// Adds the server as `w` to the user's settings.
    fn with_server(self, server: &OauthServer) -> Stage {
        let added = self.command(&["mcp", "add", "--scope", "user", "w", &server.1]).output().unwrap();
        assert!(added.status.success(), "{}", stderr(&added));
        self
    }
    fn log_in(&self, args: &[&str]) -> Output {
        let mut command = self.command(&[&["mcp", "login", "w"], args].concat());
        command.env("BROWSER", format!("python3 {}", script("browser.py").display()));
        command.env("CUTONCE_LOG", "debug").env("MCP_CLIENT_SECRET", "client-secret-0003").output().unwrap()
    }
    fn listed(&self) -> String {
        String::from_utf8(self.command(&["mcp", "list"]).output().unwrap().stdout).unwrap()
    }
    /// Lists the servers until the words are there; a busy server may answer too late for one list.
    fn wait_until_listed(&self, words: &str) {
        let deadline = Instant::now() + Duration::from_secs(30);
        loop {
            let listed = self.listed();
            if listed.contains(words) {
                return;
            }
            assert!(Instant::now() < deadline, "{listed}");
        }
    }
    fn talk(&self) -> Output {
        self.command(&["-p", "go", "--allowedTools", "mcp__w", "--settings", WAIT]).output().unwrap()
    }
    /// The state of the server that a host gets, once it is known.
    fn host_status(&self, args: &[&str]) -> Value {
        let mut child = self.start(args);
        let mut stdin = child.stdin.take().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        let mut ask = || {
            let request = json!({"type": "control_request", "request_id": "1", "request": {"subtype": "mcp_status"}});
            writeln!(stdin, "{request}").unwrap();
            let answer = lines.find(|line| line.contains(r#""type":"control_response""#)).unwrap();
            serde_json::from_str::<Value>(&answer).unwrap()["response"]["response"]["mcpServers"][0].clone()
        };
        let status = std::iter::repeat_with(&mut ask).find(|status| status["status"] != "pending").unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        status
    }
    /// All that this run wrote below the home except the login, and all that the model got.
    fn traces(&self) -> String {
        let mut all = format!("{:?}", self.requests());
        let home = self.ws().parent().unwrap().join("home");
        for entry in walk(&home).into_iter().filter(|path| !path.ends_with("auth.json")) {
            all.push_str(&String::from_utf8_lossy(&std::fs::read(&entry).unwrap()));
        }
        all
    }
    /// Every token that the authorization server issued.
    fn tokens(&self) -> Vec<String> {
        let logged = self.logged();
        let lines = logged.lines().filter_map(|line| line.strip_prefix("issue "));
        lines.flat_map(|line| line.split(' ').map(str::to_string)).collect()
    }
}

const WAIT: &str = r#"{"mcp": {"firstWaitMs": 20000}}"#;

fn walk(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}

fn call(name: &str) -> Value {
    calls(&[(&format!("mcp__w__{name}"), json!({}))])
}

#[test]
fn du_10_login_works_until_logout() {
    let stage = Stage::new(json!([call("whoami"), call("leak"), {"text": "done"}]));
    let server = OauthServer::real("good", &stage);
    let stage = stage.with_server(&server);
    stage.wait_until_listed(" - needs login: cutonce mcp login w\n");
    let hosted = ["-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"];
    assert_eq!(stage.host_status(&hosted)["status"], "needs-auth");
    let login = stage.log_in(&[]);
    assert!(login.status.success(), "{}", stderr(&login));
    assert!(stage.logged().contains("register cutonce http://127.0.0.1:"), "{}", stage.logged());
    assert!(stage.logged().contains(&format!("allow {}", server.1)), "{}", stage.logged());
    stage.wait_until_listed(" - connected, 4 tools");
    let output = stage.talk();
    let expected = [r#"{"result":"alice"}"#, r#"{"result":"the token is [redacted:MCP_LOGIN]"}"#];
    assert_eq!(stage.results(), expected, "{}", stderr(&output));
    let told = format!("{}{}{login:?}{output:?}", stage.traces(), stage.listed());
    assert_eq!(stage.tokens().len(), 2);
    for secret in stage.tokens().iter().map(String::as_str).chain(["client-secret-0003", "\"code-"]) {
        assert!(!told.contains(secret), "{secret} got out");
    }
    let out = stage.command(&["mcp", "logout", "w"]).output().unwrap();
    assert!(String::from_utf8_lossy(&out.stdout).contains("Deleted the login of w"), "{out:?}");
    stage.wait_until_listed("needs login");
}

#[test]
fn du_10_expired_and_refused_tokens_are_renewed() {
    for (kind, at_least) in [("brief", 3), ("good", 1)] {
        let stage =
            Stage::new(json!([call("forget"), call("whoami"), call("lock_out"), call("whoami"), {"text": "done"}]));
        let server = OauthServer::real(kind, &stage);
        let stage = stage.with_server(&server);
        assert!(stage.log_in(&[]).status.success());
        let output = stage.talk();
        let results = stage.results();
        let expected = ["forgotten", "alice", "locked out"].map(|text| json!({"result": text}).to_string());
        assert_eq!(results[..3], expected, "{kind}: {}", stderr(&output));
        assert!(results[3].contains("needs login: cutonce mcp login w"), "{results:?}");
        let renewed = stage.logged().matches("exchange refresh").count();
        assert!(renewed >= at_least, "{kind}: {}", stage.logged());
        stage.wait_until_listed("needs login");
    }
}

#[test]
fn du_10_given_client_needs_no_registration() {
    let stage = Stage::new(json!([call("whoami"), {"text": "done"}]));
    let server = OauthServer::real("given", &stage);
    let stage = stage.with_server(&server);
    let refused = stage.log_in(&[]);
    assert!(stderr(&refused).contains("--client-id ID"), "{}", stderr(&refused));
    let login = stage.log_in(&["--client-id", "mine"]);
    assert!(login.status.success(), "{}", stderr(&login));
    let output = stage.talk();
    assert_eq!(stage.results(), [r#"{"result":"alice"}"#], "{}", stderr(&output));
    // The login belongs to this address only.
    let other = OauthServer::real("given", &stage);
    stage.command(&["mcp", "remove", "w"]).output().unwrap();
    let stage = stage.with_server(&other);
    stage.wait_until_listed("needs login");
}

#[test]
fn du_10_hostile_authorization_servers_get_no_login() {
    let kinds = [
        ("none", "offers no OAuth login"),
        ("html", "offers no OAuth login"),
        ("endless", "it sent more than 256 KB"),
        ("elsewhere", "redirect"),
        ("issuer", "but http://127.0.0.1"),
        ("plain_http", "http://login.example/token does not use HTTPS"),
        ("script", "is not a web address"),
        ("no_pkce", "does not support PKCE"),
        ("no_registration", "registers no clients"),
        ("refuses", "did not register cutonce"),
        ("state", "wrong state"),
        ("denied", "refused it (access_denied: not"),
        ("late_issuer", "it calls itself http://127.0.0.1:1"),
        ("flood", "no token was received: 127.0.0.1: it sent more than 256 KB"),
        ("moves", "no token was received"),
        ("token", "no token was received"),
    ];
    for (kind, why) in kinds {
        let server = OauthServer::hostile(kind);
        let stage = Stage::new(json!([])).with_server(&server);
        let output = stage.log_in(&[]);
        let told = stderr(&output);
        assert!(!output.status.success() && told.contains(why), "{kind}: {output:?}");
        assert!(told.trim().lines().count() == 1 && !told.contains('\u{1b}'), "{kind}: {told}");
        assert!(!walk(stage.ws().parent().unwrap()).iter().any(|path| path.ends_with("auth.json")), "{kind}");
    }
    let stage = Stage::new(json!([]));
    let far = stage.command(&["mcp", "login", "x", "--url", "http://mcp.example/mcp"]).output().unwrap();
    assert!(stderr(&far).contains("does not use HTTPS"), "{}", stderr(&far));
    let program = stage.command(&["mcp", "add", "--scope", "user", "p", "--", "prog"]).output().unwrap();
    assert!(program.status.success());
    for (name, why) in [("p", "is a program"), ("nope", "--url URL")] {
        let told = stage.command(&["mcp", "login", name]).output().unwrap();
        assert!(!told.status.success() && stderr(&told).contains(why), "{}", stderr(&told));
    }
}
