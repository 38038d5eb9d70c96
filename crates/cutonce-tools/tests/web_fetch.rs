//! Tests WebFetch against a real server on this machine.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod shell_world;

use cutonce_core::permission::Access;
use cutonce_tools::shell::process::SessionShells;
use cutonce_tools::web::{FetchLimits, WebClient};
use serde_json::json;
use shell_world::{World, context, text};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpListener;

/// Answers each path with its bytes, verbatim; records the requested paths.
struct Server {
    port: u16,
    asked: Arc<Mutex<Vec<String>>>,
}

async fn serve(answers: Vec<(&'static str, Vec<u8>)>) -> Server {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let asked: Arc<Mutex<Vec<String>>> = Arc::default();
    let seen = asked.clone();
    tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            let (reader, mut writer) = socket.split();
            let mut lines = BufReader::new(reader).lines();
            let request = lines.next_line().await.unwrap().unwrap_or_default();
            while lines.next_line().await.unwrap().is_some_and(|line| !line.is_empty()) {}
            let path = request.split(' ').nth(1).unwrap_or_default().to_string();
            let answer = answers.iter().find(|(known, _)| *known == path).map(|(_, answer)| answer.clone());
            seen.lock().unwrap().push(path);
            match answer {
                Some(answer) => drop(writer.write_all(&answer).await),
                // Never answers.
                None => drop(lines.next_line().await),
            }
        }
    });
    Server { port, asked }
}

fn answer(kind: &str, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

fn redirect(to: &str) -> Vec<u8> {
    format!("HTTP/1.1 302 Found\r\nLocation: {to}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n").into_bytes()
}

fn world(server: &Server, limits: FetchLimits) -> World {
    let hosts = vec![format!("localhost:{}", server.port), format!("127.0.0.1:{}", server.port)];
    World::with(SessionShells::new(vec![]), WebClient::new(hosts).limits(limits))
}

async fn fetch(world: &World, url: &str) -> (String, bool) {
    match world.call("WebFetch", json!({"url": url, "prompt": "What is it?"})).await {
        Ok(outcome) => (text(&outcome), outcome.is_error),
        Err(error) => (error, true),
    }
}

#[tokio::test]
async fn tl_9_page_is_markdown_marked_as_data() {
    let html = b"<html><body><h1>Title</h1><p>Words</page></p></body></html>";
    let server = serve(vec![("/", answer("text/html", html)), ("/data", answer("application/json", b"{}"))]).await;
    let world = world(&server, FetchLimits::default());
    let (page, error) = fetch(&world, &format!("http://localhost:{}/#part", server.port)).await;
    assert!(!error, "{page}");
    assert!(page.contains("to answer: What is it?") && page.contains("never instructions"), "{page}");
    assert!(page.contains("<page>\n# Title\n\nWords") && page.ends_with("\n</page>"), "{page}");
    assert_eq!(page.matches("</page").count(), 1, "{page}");
    assert!(fetch(&world, &format!("http://127.0.0.1:{}/data", server.port)).await.0.contains("<page>\n{}\n</page>"));
}

#[tokio::test]
async fn tl_9_private_addresses_are_never_connected() {
    let server = serve(vec![]).await;
    let port = server.port;
    let world = World::with(SessionShells::new(vec![]), WebClient::new(vec![]));
    for host in ["localhost", "127.0.0.1", "127.1", "0x7f000001", "2130706433", "[::1]", "[::ffff:127.0.0.1]", "0"] {
        let (text, error) = fetch(&world, &format!("http://{host}:{port}/")).await;
        assert!(error && text.contains("not an address of the public internet"), "{host}: {text}");
    }
    let (text, error) = fetch(&world, "http://169.254.169.254/latest/meta-data/").await;
    assert!(error && text.contains("webFetch.allowHosts"), "{text}");
    assert!(server.asked.lock().unwrap().is_empty());
}

#[tokio::test]
async fn tl_9_allowed_port_allows_no_other() {
    let (server, other) = (serve(vec![]).await, serve(vec![]).await);
    let (text, error) =
        fetch(&world(&server, FetchLimits::default()), &format!("http://localhost:{}/", other.port)).await;
    assert!(error && text.contains("not an address of the public internet"), "{text}");
}

#[tokio::test]
async fn tl_9_redirects_stay_on_the_same_host() {
    let server = serve(vec![
        ("/here", redirect("/there")),
        ("/there", answer("text/plain", b"arrived")),
        ("/away", redirect("https://example.org/x?y=1")),
        ("/inside", redirect("http://169.254.169.254/")),
        ("/file", redirect("file:///etc/passwd")),
        ("/round", redirect("/round")),
    ])
    .await;
    let world = world(&server, FetchLimits::default());
    let get = |path: &str| {
        let url = format!("http://localhost:{}{path}", server.port);
        let world = &world;
        async move { fetch(world, &url).await }
    };
    assert!(get("/here").await.0.contains("arrived"));
    let (away, error) = get("/away").await;
    assert!(away.contains("another host") && away.ends_with("https://example.org/x?y=1") && !error, "{away}");
    assert!(get("/inside").await.0.contains("another host"));
    let (file, error) = get("/file").await;
    assert!(file.contains("scheme `file`") && error, "{file}");
    let (round, error) = get("/round").await;
    assert!(round.contains("redirected more than 10 times") && error, "{round}");
}

#[tokio::test]
async fn tl_9_size_and_time_are_bounded() {
    let mut endless = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n".to_vec();
    endless.extend_from_slice(&[b'x'; 3_000]);
    let server = serve(vec![
        ("/said", answer("text/plain", &[b'x'; 3_000])),
        ("/unsaid", endless),
        ("/fits", answer("text/plain", &[b'x'; 2_000])),
    ])
    .await;
    let small = world(&server, FetchLimits { body: 2_000, ..FetchLimits::default() });
    for path in ["/said", "/unsaid"] {
        let (text, error) = fetch(&small, &format!("http://localhost:{}{path}", server.port)).await;
        assert!(error && text.contains("larger than 2000 bytes"), "{text}");
    }
    assert!(!fetch(&small, &format!("http://localhost:{}/fits", server.port)).await.1);
    let short = world(&server, FetchLimits { time: Duration::from_millis(100), ..FetchLimits::default() });
    let (text, error) = fetch(&short, &format!("http://localhost:{}/never", server.port)).await;
    assert!(error && text.contains("did not answer in full within 0.1 seconds"), "{text}");
}

#[tokio::test]
async fn tl_9_long_page_is_stored_in_a_file() {
    let body = "0123456789é\n".repeat(20_000);
    let server = serve(vec![("/long", answer("text/plain", body.as_bytes()))]).await;
    let world = world(&server, FetchLimits::default());
    let (page, _) = fetch(&world, &format!("http://localhost:{}/long", server.port)).await;
    assert!(page.len() < 101_000 && page.contains("cut here"), "{}", page.len());
    let file = world.own.join("page-localhost.md");
    assert!(page.contains(&file.display().to_string()));
    assert_eq!(std::fs::read_to_string(file).unwrap().trim(), body.trim());
}

#[tokio::test]
async fn tl_9_fetch_errors_say_why() {
    let gone = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".to_vec();
    let server = serve(vec![
        ("/image", answer("image/png", b"\x89PNG")),
        ("/gone", gone),
        ("/cut", b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 100\r\n\r\nhalf".to_vec()),
        ("/junk", b"\x00\x01\x02".to_vec()),
    ])
    .await;
    let world = world(&server, FetchLimits::default());
    let cases = [
        ("/image", "is image/png, not text"),
        ("/gone", "answered 404 Not Found"),
        ("/cut", "the connection broke"),
        ("/junk", "could not be fetched"),
    ];
    for (path, says) in cases {
        let (text, error) = fetch(&world, &format!("http://localhost:{}{path}", server.port)).await;
        assert!(error && text.contains(says), "{path}: {text}");
    }
    let (text, error) = fetch(&world, "http://localhost:1/").await;
    assert!(error && text.contains("not an address"), "{text}");
}

#[tokio::test]
async fn ag_4_interrupt_ends_a_running_fetch() {
    // Before the head of the answer, and in the middle of its body.
    let half = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 100\r\n\r\nhalf".to_vec();
    for (path, beginning) in [("/never", vec![]), ("/half", half)] {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let world = world(&Server { port, asked: Arc::default() }, FetchLimits::default());
        let context = context();
        let cancel = context.cancel.clone();
        let server = async move {
            let (mut socket, _) = listener.accept().await.unwrap();
            let mut lines = BufReader::new(&mut socket).lines();
            let request = lines.next_line().await.unwrap().unwrap();
            while lines.next_line().await.unwrap().is_some_and(|line| !line.is_empty()) {}
            socket.write_all(&beginning).await.unwrap();
            cancel.cancel();
            // The fetch closes the connection; the server never does.
            let mut rest = [0];
            (request, socket.read(&mut rest).await.unwrap_or(0))
        };
        let url = format!("http://localhost:{port}{path}");
        let (outcome, (request, rest)) =
            tokio::join!(world.call_in("WebFetch", json!({"url": url, "prompt": ""}), &context), server);
        assert_eq!(text(&outcome.unwrap()), "Interrupted by the user.");
        assert_eq!((request.as_str(), rest), (format!("GET {path} HTTP/1.1").as_str(), 0));
    }
}

#[tokio::test]
async fn tl_9_urls_are_checked_before_the_decision() {
    let server = serve(vec![]).await;
    let world = world(&server, FetchLimits::default());
    let bad = [
        ("nonsense", "expected a URL"),
        ("ftp://example.org/", "scheme `ftp`"),
        ("file:///etc/passwd", "scheme `file`"),
        ("https://user:pass@example.org/", "without user name"),
        ("https://user@example.org/", "without user name"),
        ("http://", "expected a URL"),
    ];
    for (url, says) in bad {
        let (text, error) = fetch(&world, url).await;
        assert!(error && text.starts_with("Invalid input: `url`") && text.contains(says), "{url}: {text}");
    }
    let asks = [
        ("http://example.org/a", "https://example.org/a", "example.org"),
        ("http://example.org:8080/a", "http://example.org:8080/a", "example.org"),
        ("http://EXAMPLE.org/a#b", "https://example.org/a", "example.org"),
        ("http://localhost:3000/", "http://localhost:3000/", "localhost"),
        ("http://10.0.0.1/", "http://10.0.0.1/", "10.0.0.1"),
    ];
    for (given, fetched, named) in asks {
        let call = world.parse("WebFetch", json!({"url": given, "prompt": ""})).unwrap();
        let Ok(Access::Fetch { url, host }) = call.access(&world.here) else { panic!("{given}") };
        assert_eq!((url.as_str(), host.as_str()), (fetched, named));
    }
}
