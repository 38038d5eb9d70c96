//! Who gets in (RV-5), over plain HTTP.

use crate::http::request;
use crate::stage::{Stage, plans};
use serde_json::json;

crate::tests!(
    rv_5_every_answer_forbids_scripts_and_frames,
    rv_5_without_cookie_there_is_no_data,
    rv_5_wrong_host_or_origin_is_refused,
    rv_5_token_works_once,
    rv_5_strangers_send_little,
    rv_5_broken_requests_change_nothing,
    rv_5_change_needs_cookie_and_header,
    rv_5_other_users_reach_nothing,
    rv_5_other_users_take_no_place,
    rv_5_page_survives_lack_of_descriptors,
    rv_5_page_off_loopback_is_wanted_and_warned,
    rv_5_commands_of_a_session_get_nothing,
    rv_3_late_answer_says_who_answered,
    rv_3_answer_is_bound_to_the_shown_hash,
    rv_3_host_hears_that_the_page_answered,
    rv_1_sessions_of_a_home_are_private,
);

fn rv_5_every_answer_forbids_scripts_and_frames() {
    let stage = Stage::new(&plans(&[]));
    let page = stage.serve();
    let host = format!("127.0.0.1:{}", page.port);
    for path in ["/", "/app.js", "/app.css", "/api/board", "/nowhere", "/review/a/b"] {
        let answer = request(page.port, "GET", path, &[("Host", &host)], "");
        let policy = answer.header("content-security-policy").unwrap();
        assert!(policy.contains("default-src 'none'") && policy.contains("script-src 'self'"), "{path}: {policy}");
        assert!(!policy.contains("unsafe-inline") && policy.contains("frame-ancestors 'none'"), "{path}: {policy}");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{path}");
        assert_eq!(answer.header("x-frame-options"), Some("DENY"), "{path}");
        assert_eq!(answer.header("access-control-allow-origin"), None, "{path}");
    }
}

fn rv_5_without_cookie_there_is_no_data() {
    let stage = Stage::new(&plans(&["# Secret plan\n\n1. Hide it\n"]));
    let (_term, page) = (stage.with_waiting_plan(), stage.serve());
    let (cookie, path, ask) = page.sign_in_to_review();
    let host = format!("127.0.0.1:{}", page.port);
    let paths = ["/", "/api/board", "/api/events", "/api/plan/x", &path, "/review/x/y"];
    let key = page.key();
    let cookies = ["", "cutonce=1", &cookie[..cookie.len() - 1], &cookie.replace("cutonce-", "cutonce_")];
    // A server on another port of this machine gets the cookie, but not the key.
    for (stolen, key) in
        cookies.map(|stolen| (stolen, key.as_str())).into_iter().chain([(&*cookie, "1"), (&*cookie, "")])
    {
        for path in paths {
            let headers = [("Host", host.as_str()), ("Cookie", stolen), ("X-Cutonce", key)];
            let answer = request(page.port, "GET", path, &headers, "");
            let expected = if path.starts_with("/api/") { 401 } else { 200 };
            assert_eq!(answer.status, expected, "{path} with {stolen}");
            assert!(!answer.body.contains("Secret") && !answer.body.contains(&ask), "{path} with {stolen}");
        }
    }
    let seen = page.call(&cookie, "GET", &path, "");
    assert!(seen.status == 200 && seen.body.contains("Secret plan"), "{seen:?}");
}

fn rv_5_wrong_host_or_origin_is_refused() {
    let stage = Stage::new(&plans(&[]));
    let page = stage.serve();
    let cookie = page.sign_in();
    let own = format!("127.0.0.1:{}", page.port);
    for host in ["evil.example", "evil.example:80", "127.0.0.1", "127.0.0.1:1", "0.0.0.0", "[::1]"] {
        for path in ["/", "/app.js", "/api/board"] {
            let answer = request(page.port, "GET", path, &[("Host", host), ("Cookie", &cookie)], "");
            assert_eq!(answer.status, 421, "{host} {path}");
        }
    }
    for origin in ["http://evil.example", "null", "https://127.0.0.1", &format!("http://localhost:{}", page.port)] {
        let headers = [("Host", own.as_str()), ("Origin", origin), ("Cookie", &cookie), ("X-Cutonce", &page.key())];
        assert_eq!(request(page.port, "GET", "/api/board", &headers, "").status, 403, "{origin}");
        assert_eq!(request(page.port, "POST", "/api/render", &headers, "{}").status, 403, "{origin}");
    }
    let key = page.key();
    let cross = [("Host", own.as_str()), ("Cookie", &cookie), ("X-Cutonce", &key), ("Sec-Fetch-Site", "cross-site")];
    assert_eq!(request(page.port, "GET", "/api/board", &cross, "").status, 403);
    assert_eq!(page.call(&cookie, "GET", "/api/board", "").status, 200);
}

fn rv_5_token_works_once() {
    let stage = Stage::new(&plans(&[]));
    let page = stage.serve();
    assert!(page.url.ends_with(&format!("#{}", page.token)) && page.url.contains(&format!(":{}/", page.port)));
    let login = |token: &str| page.call("", "POST", "/api/login", &json!({ "token": token }).to_string()).status;
    assert_eq!((login("guess"), login("")), (403, 403));
    let cookie = page.sign_in();
    assert_eq!(login(&page.token), 403, "the token was used");
    // Another process of the user makes a new one; the cookie stays valid.
    let made = stage.command(&["serve", "--new-token", "--print-json"]).output().unwrap();
    let told: serde_json::Value = serde_json::from_slice(&made.stdout).unwrap();
    assert_eq!((made.status.success(), told["port"].as_u64()), (true, Some(page.port.into())), "{made:?}");
    assert_eq!(login(told["token"].as_str().unwrap()), 200);
    assert_eq!(page.call(&cookie, "GET", "/api/board", "").status, 200);
}

/// Other users of this machine can reach the port: what they send must not fill the memory.
fn rv_5_strangers_send_little() {
    let stage = Stage::new(&plans(&[]));
    let page = stage.serve();
    let host = format!("127.0.0.1:{}", page.port);
    let origin = format!("http://{host}");
    let headers = [("Host", host.as_str()), ("Origin", &origin), ("X-Cutonce", "1")];
    let body = format!("{{\"token\": \"{}\"}}", "x".repeat(5_000));
    assert_eq!(request(page.port, "POST", "/api/login", &headers, &body).status, 413);
    assert!(!page.sign_in().is_empty(), "the token is still good");
}

fn rv_5_broken_requests_change_nothing() {
    let stage = Stage::new(&plans(&["# Plan\n\n1. Step\n"]));
    let (mut term, page) = (stage.with_waiting_plan(), stage.serve());
    let (cookie, path, ask) = page.sign_in_to_review();
    let body = answer_body(&ask, &json!(cutonce_core::plan::sha256_hex("# Plan\n\n1. Step\n")), "acceptEdits");
    let (own, key) = (format!("127.0.0.1:{}", page.port), page.key());
    let send = |target: &str, more: &str, body: &str| {
        let head = format!(
            "POST {target} HTTP/1.1\r\nHost: {own}\r\nOrigin: http://{own}\r\nCookie: {cookie}\r\nX-Cutonce: {key}\r\n"
        );
        crate::http::exchange(page.port, &format!("{head}{more}Connection: close\r\n\r\n{body}")).status
    };
    let (path, length) = (format!("{path}/answer"), format!("Content-Length: {}\r\n", body.len()));
    assert_eq!(send(&format!("http://evil.example{path}"), &length, &body), 421, "a target on another host");
    assert_eq!(send(&path, &format!("Origin: http://evil.example\r\n{length}"), &body), 403, "two origins");
    assert_eq!(send(&path, &format!("Host: {own}\r\n{length}"), &body), 421, "two hosts");
    assert_eq!(send(&path, &format!("{length}Content-Length: 1\r\n"), &body), 400, "two lengths");
    assert_eq!(send(&path, "Transfer-Encoding: chunked\r\n", &format!("zz\r\n{body}\r\n")), 400, "no chunk");
    assert!(term.contents().contains("request changes"), "the plan still waits");
    term.press("esc").unwrap();
}

fn rv_5_change_needs_cookie_and_header() {
    let stage = Stage::new(&plans(&["# Plan\n\n1. Step\n"]));
    let (mut term, page) = (stage.with_waiting_plan(), stage.serve());
    let (cookie, path, ask) = page.sign_in_to_review();
    let path = format!("{path}/answer");
    let body = json!({"answer": {"kind": "plan", "askId": ask, "choice": "acceptEdits"}}).to_string();
    let (host, origin) = (format!("127.0.0.1:{}", page.port), format!("http://127.0.0.1:{}", page.port));
    let key = page.key();
    let all = [("Host", host.as_str()), ("Origin", &origin), ("Cookie", &cookie), ("X-Cutonce", &key)];
    for missing in ["Origin", "Cookie", "X-Cutonce"] {
        let headers: Vec<_> = all.iter().filter(|(name, _)| *name != missing).copied().collect();
        let answer = request(page.port, "POST", &path, &headers, &body);
        assert!(matches!(answer.status, 401 | 403), "{missing}: {answer:?}");
    }
    for bad in [
        "",
        "{",
        "[]",
        r#"{"answer": {"kind": "plan", "choice": "yes"}}"#,
        r#"{"answer": {"kind": "unusable", "why": ""}}"#,
    ] {
        let answer = page.call(&cookie, "POST", &path, bad);
        assert!(matches!(answer.status, 400 | 409), "{bad}: {answer:?}");
    }
    assert_eq!(page.call(&cookie, "GET", &path, "").status, 404, "an address changes nothing");
    assert!(term.contents().contains("request changes"), "the plan still waits");
    term.press("esc").unwrap();
}

fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata("/proc/self").is_ok_and(|about| about.uid() == 0)
}

/// Another user who has seen the token, for example in the command line of a browser, can't use it.
fn rv_5_other_users_reach_nothing() {
    if !is_root() {
        return eprintln!("skipped: only root can act for another user");
    }
    let stage = Stage::new(&plans(&[]));
    let page = stage.serve();
    let script = r#"exec 3<>"/dev/tcp/127.0.0.1/$1"
        body="{\"token\": \"$2\"}"
        printf 'POST /api/login HTTP/1.1\r\nHost: 127.0.0.1:%s\r\nOrigin: http://127.0.0.1:%s\r\nX-Cutonce: 1\r\nContent-Length: %s\r\nConnection: close\r\n\r\n%s' "$1" "$1" "${#body}" "$body" >&3
        cat <&3"#;
    let mut stranger = std::process::Command::new("setpriv");
    stranger.args([
        "--reuid=65534",
        "--clear-groups",
        "bash",
        "-c",
        script,
        "bash",
        &page.port.to_string(),
        &page.token,
    ]);
    let told = stranger.current_dir("/").output().unwrap();
    let told = String::from_utf8_lossy(&told.stdout).into_owned();
    assert!(told.starts_with("HTTP/1.1 403") && told.contains("belongs to another user"), "{told}");
    assert!(!page.sign_in().is_empty(), "the token is still good");
}

/// Another user who keeps many connections open does not lock the owner out.
fn rv_5_other_users_take_no_place() {
    if !is_root() {
        return eprintln!("skipped: only root can act for another user");
    }
    let stage = Stage::new(&plans(&[]));
    let page = stage.serve();
    // More connections than the page has places, with nothing sent.
    let script = r#"for i in {1..400}; do exec {fd}<>"/dev/tcp/127.0.0.1/$1"; done 2>/dev/null; echo open; read -r"#;
    let mut stranger = std::process::Command::new("setpriv");
    stranger.args(["--reuid=65534", "--clear-groups", "bash", "-c", script, "bash", &page.port.to_string()]);
    let piped = std::process::Stdio::piped;
    let mut stranger = stranger.current_dir("/").stdin(piped()).stdout(piped()).spawn().unwrap();
    let mut told = String::new();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(stranger.stdout.take().unwrap()), &mut told).unwrap();
    assert_eq!(told, "open\n");
    let cookie = page.sign_in();
    assert_eq!(page.call(&cookie, "GET", "/api/board", "").status, 200);
    drop(stranger.stdin.take());
    stranger.wait().unwrap();
}

fn rv_5_page_survives_lack_of_descriptors() {
    let stage = Stage::new(&plans(&[]));
    let own = stage.command(&[]);
    let mut limited = std::process::Command::new("bash");
    limited.args(["-c", "ulimit -n 40; exec \"$0\" serve --print-json"]).arg(own.get_program());
    limited.current_dir(own.get_current_dir().unwrap()).env_clear();
    limited.envs(own.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let mut page = crate::stage::Page::start(limited);
    let connect = |_| std::net::TcpStream::connect(("127.0.0.1", page.port)).unwrap();
    let crowd: Vec<_> = (0..60).map(connect).collect();
    // Looking at a connection needs one more.
    page.until_descriptors(|open| open >= 39);
    drop(crowd);
    page.until_descriptors(|open| open < 30);
    let cookie = page.sign_in();
    assert_eq!(page.call(&cookie, "GET", "/api/board", "").status, 200);
}

/// An address of this machine off loopback, if it has one.
fn outside_address() -> Option<std::net::Ipv4Addr> {
    // Connecting a datagram socket sends nothing; it chooses the address.
    let socket = std::net::UdpSocket::bind("0.0.0.0:0").ok()?;
    socket.connect("192.0.2.1:9").ok()?;
    match socket.local_addr().ok()?.ip() {
        std::net::IpAddr::V4(ip) if !ip.is_loopback() && !ip.is_unspecified() => Some(ip),
        _ => None,
    }
}

fn rv_5_page_off_loopback_is_wanted_and_warned() {
    let stage = Stage::new(&plans(&[]));
    let refused = |args: &[&str], why: &str| {
        let ended = stage.command(args).output().unwrap();
        let told = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert!(!ended.status.success() && told.contains(why), "{args:?}: {told}");
    };
    refused(&["serve", "--bind", "0.0.0.0"], "every network of this machine");
    refused(&["serve", "--bind", "192.0.2.1"], "can't listen on 192.0.2.1:0");
    let Some(ip) = outside_address() else { return eprintln!("skipped: this machine has no other address") };
    refused(&["serve", "--bind", &ip.to_string(), "--open"], "--open works on loopback only");
    let mut command = stage.command(&["serve", "--print-json", "--bind", &ip.to_string()]);
    let warnings = tempfile::NamedTempFile::new().unwrap();
    command.stderr(warnings.reopen().unwrap());
    let page = crate::stage::Page::start(command);
    assert!(page.url.starts_with(&format!("http://{ip}:{}/#", page.port)), "{}", page.url);
    let reached = |host: &str| {
        let text = format!("GET / HTTP/1.1\r\nHost: {host}:{}\r\nConnection: close\r\n\r\n", page.port);
        crate::http::exchange_at((ip, page.port).into(), &text).status
    };
    assert_eq!((reached(&ip.to_string()), reached("127.0.0.1"), reached("evil.example")), (200, 421, 421));
    let address = format!("{:08X}:{:04X}", u32::from_le_bytes(ip.octets()), page.port);
    assert_eq!(page.listening(), [address], "it does not listen elsewhere");
    let warned = std::fs::read_to_string(warnings.path()).unwrap();
    assert!(warned.contains("warning: the page listens on") && warned.contains("not encrypted"), "{warned}");
}

/// Connects to the sockets of sessions and of the page, and prints how much each one says.
const PROBE: &str = "import glob, socket
for path in sorted(glob.glob('RUN/*'), key=lambda path: path.rsplit('.')[-1]):
    s = socket.socket(socket.AF_UNIX)
    s.connect(path)
    print(path.rsplit('.')[-1], 'says', 'something' if s.recv(1) else 'nothing')
";

/// A command of one session can't answer the plan of another, nor get a token of the page.
fn rv_5_commands_of_a_session_get_nothing() {
    let stage = Stage::new(&plans(&["# Plan\n\n1. Step\n"]));
    let mut term = stage.with_waiting_plan();
    let page = stage.serve();
    page.first_waiting(&page.sign_in());
    let run = stage.home().join("run");
    let probe = PROBE.replace("RUN", run.to_str().unwrap());
    let own = std::process::Command::new("python3").args(["-c", &probe]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&own.stdout), "serve says something\nsock says something\n", "{own:?}");
    std::fs::write(stage.workspace().join("probe.py"), probe).unwrap();
    let attack = json!({"name": "Bash", "input": {"command": "setsid python3 probe.py < /dev/null"}});
    let turns = json!([{"calls": [attack]}, {"text": "tried"}]);
    let other = Stage::new(&json!({ "turns": turns }).to_string());
    let mut session = stage.command(&["-p", "try it", "--permission-mode", "bypassPermissions"]);
    let ended = session.env("ANTHROPIC_BASE_URL", other.model_address()).env("IS_SANDBOX", "1").output().unwrap();
    assert!(ended.status.success(), "{ended:?}");
    let told = other.last_request();
    let said = told.rsplit("\"messages\"").next().unwrap_or_default();
    assert!(said.contains("serve says nothing\\nsock says nothing"), "{said}");
    term.press("esc").unwrap();
}

fn answer_body(ask: &str, sha256: &serde_json::Value, choice: &str) -> String {
    json!({"sha256": sha256, "answer": {"kind": "plan", "askId": ask, "choice": choice}}).to_string()
}

fn rv_3_late_answer_says_who_answered() {
    let stage = Stage::new(&plans(&["# Plan\n\n1. Step\n"]));
    let (mut term, page) = (stage.with_waiting_plan(), stage.serve());
    let (cookie, path, ask) = page.sign_in_to_review();
    let open: serde_json::Value = serde_json::from_str(&page.call(&cookie, "GET", &path, "").body).unwrap();
    let body = answer_body(&ask, &open["plan"]["sha256"], "acceptEdits");
    term.press("2").unwrap();
    term.see("enter confirm").unwrap();
    term.press("enter").unwrap();
    term.see("Done as planned").unwrap();
    let late = page.call(&cookie, "POST", &format!("{path}/answer"), &body);
    assert_eq!(late.status, 409, "{late:?}");
    assert!(late.body.contains("Answered in the terminal: approved, each edit is confirmed."), "{late:?}");
}

fn rv_3_answer_is_bound_to_the_shown_hash() {
    let stage = Stage::new(&plans(&["# Plan\n\n1. Step\n"]));
    let (mut term, page) = (stage.with_waiting_plan(), stage.serve());
    let (cookie, path, ask) = page.sign_in_to_review();
    let path = format!("{path}/answer");
    for other in [json!(null), json!("0".repeat(64))] {
        let answer = page.call(&cookie, "POST", &path, &answer_body(&ask, &other, "acceptEdits"));
        assert_eq!(answer.status, 409, "{answer:?}");
        assert!(answer.body.contains("The plan changed since this page showed it"), "{answer:?}");
    }
    let sha256 = json!(cutonce_core::plan::sha256_hex("# Plan\n\n1. Step\n"));
    assert_eq!(page.call(&cookie, "POST", &path, &answer_body(&ask, &sha256, "acceptEdits")).status, 200);
    term.see("Answered in the browser: approved, edits are accepted automatically.").unwrap();
    term.see("Done as planned").unwrap();
}

fn rv_1_sessions_of_a_home_are_private() {
    use std::os::unix::fs::PermissionsExt;
    let stage = Stage::new(&plans(&["# Plan\n\n1. Step\n"]));
    let mut term = stage.with_waiting_plan();
    let page = stage.serve();
    page.first_waiting(&page.sign_in());
    let run = stage.home().join("run");
    let mode = |path: &std::path::Path| path.symlink_metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&run), 0o700);
    let names: Vec<_> = std::fs::read_dir(&run).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(names.len(), 2, "{names:?}");
    names.iter().for_each(|path| assert_eq!(mode(path), 0o600, "{path:?}"));
    // The end of a session removes its socket; a killed one is found out.
    term.press("esc").unwrap();
    term.see("waits").unwrap();
    term.press("ctrl+c ctrl+c").unwrap();
    term.end().unwrap();
    while names.iter().any(|path| path.extension().unwrap() == "sock" && path.exists()) {
        std::thread::yield_now();
    }
}

/// Reads frames of a host until one fits.
fn read_frame(
    lines: &mut impl Iterator<Item = std::io::Result<String>>,
    fits: impl Fn(&serde_json::Value) -> bool,
) -> serde_json::Value {
    loop {
        let line = lines.next().expect("the session continues").unwrap();
        let frame: serde_json::Value = serde_json::from_str(&line).unwrap();
        if fits(&frame) {
            return frame;
        }
    }
}

fn rv_3_host_hears_that_the_page_answered() {
    use std::io::{BufRead, BufReader, Write};
    let stage = Stage::new(&plans(&["# Plan\n\n1. Step\n"]));
    let args = ["-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"];
    let more = ["--permission-prompt-tool", "stdio", "--permission-mode", "plan"];
    let mut command = stage.command(&[&args[..], &more[..]].concat());
    let piped = std::process::Stdio::piped;
    let mut host = command.stdin(piped()).stdout(piped()).spawn().unwrap();
    let mut input = host.stdin.take().unwrap();
    let message = json!({"type": "user", "message": {"role": "user", "content": "do it"}});
    writeln!(input, "{message}").unwrap();
    let mut lines = BufReader::new(host.stdout.take().unwrap()).lines();
    let asked = read_frame(&mut lines, |frame| frame["request"]["subtype"] == "can_use_tool");
    let page = stage.serve();
    let cookie = page.sign_in();
    let (session, ask) = page.first_waiting(&cookie);
    let sha256 = json!(cutonce_core::plan::sha256_hex("# Plan\n\n1. Step\n"));
    let body = answer_body(&ask, &sha256, "acceptEdits");
    assert_eq!(page.call(&cookie, "POST", &format!("/api/request/{session}/{ask}/answer"), &body).status, 200);
    let mut heard = std::collections::BTreeSet::new();
    while heard.len() < 2 {
        let frame = read_frame(&mut lines, |frame| {
            frame["type"] == "control_cancel_request" || frame.to_string().contains("plan.approved")
        });
        if frame["type"] == "control_cancel_request" {
            assert_eq!(frame["request_id"], asked["request_id"]);
            heard.insert("cancelled");
        } else {
            assert!(frame.to_string().contains(r#""by":"browser""#), "{frame}");
            heard.insert("approved");
        }
    }
    drop(input);
    host.wait().unwrap();
}
