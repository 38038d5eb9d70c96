//! Receives the browser's answer on a loopback port (RFC 8252).

use super::LoginError;
use cutonce_core::text::sanitize::one_line;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use url::Url;

/// Maximum size of a request's head; codes are much shorter.
const MAX_HEAD: usize = 16 << 10;
/// Maximum time for one request; a browser may open connections that it does not use.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum number of connections that are open at once.
const MAX_CONNECTIONS: usize = 16;
const PATH: &str = "/callback";

/// What the browser brought back.
#[derive(PartialEq, Eq)]
pub(super) struct CallbackAnswer {
    pub code: String,
    pub issuer: Option<String>,
}

/// A port that waits for the browser.
pub(super) struct CallbackListener {
    listener: TcpListener,
    redirect_uri: String,
}

impl CallbackListener {
    /// Listens on this port, or on a free one.
    pub async fn bind(port: Option<u16>) -> Result<CallbackListener, LoginError> {
        let failed = |error: std::io::Error| {
            let which = port.map_or("a loopback port".to_string(), |port| format!("port {port}"));
            LoginError::Address(format!("{which} can't be used for the browser's answer: {error}"))
        };
        let listener = TcpListener::bind(("127.0.0.1", port.unwrap_or(0))).await.map_err(failed)?;
        let port = listener.local_addr().map_err(failed)?.port();
        Ok(CallbackListener { listener, redirect_uri: format!("http://127.0.0.1:{port}{PATH}") })
    }

    pub fn redirect_uri(&self) -> &str {
        &self.redirect_uri
    }

    /// Waits for the answer that belongs to `state`.
    pub async fn wait(self, state: &str) -> Result<CallbackAnswer, LoginError> {
        let (sender, mut answers) = mpsc::channel(1);
        let state: Arc<str> = state.into();
        let accept = tokio::spawn(accept_all(self.listener, self.redirect_uri, state, sender));
        let answer = answers.recv().await;
        accept.abort();
        answer.unwrap_or_else(|| Err(LoginError::Answer("the loopback port was closed".into())))
    }
}

type AnswerSender = mpsc::Sender<Result<CallbackAnswer, LoginError>>;

async fn accept_all(listener: TcpListener, base: String, state: Arc<str>, sender: AnswerSender) {
    let slots = Arc::new(tokio::sync::Semaphore::new(MAX_CONNECTIONS));
    loop {
        let Ok(slot) = slots.clone().acquire_owned().await else { return };
        let Ok((stream, _)) = listener.accept().await else { return };
        let (base, state, sender) = (base.clone(), state.clone(), sender.clone());
        tokio::spawn(async move {
            let _ = tokio::time::timeout(REQUEST_TIMEOUT, serve(stream, &base, &state, &sender)).await;
            drop(slot);
        });
    }
}

/// Answers one request; the browser's page is sent before the login continues.
async fn serve(mut stream: TcpStream, base: &str, state: &str, sender: &AnswerSender) -> std::io::Result<()> {
    let mut head = Vec::new();
    let mut part = [0; 2048];
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        let read = stream.read(&mut part).await?;
        if read == 0 || head.len() + read > MAX_HEAD {
            return Ok(());
        }
        head.extend_from_slice(&part[..read]);
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let target = head.strip_prefix("GET ").and_then(|rest| rest.split(' ').next()).unwrap_or_default();
    let address = Url::parse(base).and_then(|base| base.join(target)).ok();
    // Browsers also ask for an icon.
    let Some(address) = address.filter(|address| address.path() == PATH) else {
        return send_page(&mut stream, "404 Not Found", "There is nothing here.").await;
    };
    let answer = parse_answer(&address, state);
    let (status, text) = match &answer {
        Ok(_) => ("200 OK", "cutonce has the answer. You can close this page and return to the terminal."),
        Err(_) => ("400 Bad Request", "The login was not completed. The terminal says why."),
    };
    send_page(&mut stream, status, text).await?;
    let _ = sender.try_send(answer);
    Ok(())
}

async fn send_page(stream: &mut TcpStream, status: &str, text: &str) -> std::io::Result<()> {
    let body = format!("<!doctype html><meta charset=\"utf-8\"><title>cutonce</title><p>{text}</p>\n");
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\nConnection: close\r\n\
         Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\nX-Content-Type-Options: nosniff\r\n\
         Content-Security-Policy: default-src 'none'; frame-ancestors 'none'\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).await?;
    stream.write_all(body.as_bytes()).await?;
    stream.shutdown().await
}

/// Takes the code from the address that the browser was sent to.
pub(super) fn parse_answer(address: &Url, state: &str) -> Result<CallbackAnswer, LoginError> {
    let value = |name: &str| {
        let mut found = address.query_pairs().filter(|(key, _)| key == name).map(|(_, value)| value.into_owned());
        // A repeated parameter is ambiguous, so it does not count (RFC 6749, 3.1).
        found.next().filter(|_| found.next().is_none())
    };
    let text = |text: &str| super::super::tool::sanitize_and_truncate(&one_line(text), super::MAX_TEXT);
    if value("state").as_deref() != Some(state) {
        let why = "the browser's answer belongs to another login (wrong state), so it was not used. Run it again";
        return Err(LoginError::Answer(why.into()));
    }
    if let Some(error) = value("error") {
        let detail = value("error_description").map(|detail| format!(": {}", text(&detail))).unwrap_or_default();
        return Err(LoginError::Answer(format!("the authorization server refused it ({}{detail})", text(&error))));
    }
    match value("code").filter(|code| !code.is_empty()) {
        Some(code) => Ok(CallbackAnswer { code, issuer: value("iss") }),
        None => Err(LoginError::Answer("the browser's answer has no code. Run it again".into())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(query: &str) -> Result<CallbackAnswer, LoginError> {
        parse_answer(&Url::parse(&format!("http://127.0.0.1:1/callback?{query}")).unwrap(), "st4te")
    }

    #[test]
    fn du_10_callback_needs_the_right_state_and_one_code() {
        assert!(parse("code=c&state=st4te&iss=i").is_ok_and(|answer| answer.code == "c"));
        let refused = [
            ("code=c&state=other", "wrong state"),
            ("code=c", "wrong state"),
            ("code=c&state=st4te&state=st4te", "wrong state"),
            ("code=c&code=d&state=st4te", "has no code"),
            ("error=access_denied&error_description=no%1b%5b31mway&state=st4te", "refused it (access_denied: no"),
            ("state=st4te&code=", "has no code"),
        ];
        for (query, why) in refused {
            let error = parse(query).err().map(|error| error.to_string()).unwrap_or_default();
            assert!(error.contains(why) && !error.contains('\u{1b}'), "{query}: {error}");
        }
    }

    #[tokio::test]
    async fn du_10_idle_connections_do_not_block_the_answer() {
        let listener = CallbackListener::bind(None).await.unwrap();
        let address = listener.redirect_uri()["http://".len()..].trim_end_matches(PATH).to_string();
        let _idle = TcpStream::connect(&address).await.unwrap();
        let waiting = tokio::spawn(listener.wait("st4te"));
        for (target, status) in [("/favicon.ico", "404"), ("/callback?code=c&state=st4te", "200")] {
            let mut stream = TcpStream::connect(&address).await.unwrap();
            stream.write_all(format!("GET {target} HTTP/1.1\r\nHost: x\r\n\r\n").as_bytes()).await.unwrap();
            let mut page = String::new();
            stream.read_to_string(&mut page).await.unwrap();
            assert!(page.contains(&format!("HTTP/1.1 {status} ")), "{page}");
        }
        assert!(waiting.await.unwrap().is_ok_and(|answer| answer.code == "c"));
    }
}
