//! Who gets in (RV-5): the one-time token, cookies, and the checks of each request.

use hyper::header::{COOKIE, HOST, HeaderMap, ORIGIN};
use hyper::{Method, StatusCode};
use sha2::{Digest, Sha256};
use std::sync::{Mutex, PoisonError};

/// A state change carries this header; another site can't add it without the server's consent.
pub const OWN_HEADER: &str = "x-cutonce";
/// Cookies of this many browsers are valid at once; the oldest one goes first.
const MOST_COOKIES: usize = 32;

/// The token and the cookies of one server.
pub struct AccessGate {
    port: u16,
    state: Mutex<GateState>,
}

#[derive(Default)]
struct GateState {
    /// Hash of the token; `None` after its use.
    token: Option<[u8; 32]>,
    cookies: Vec<[u8; 32]>,
}

/// Why a request is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RefusedRequest {
    pub status: StatusCode,
    pub why: &'static str,
}

const fn refused(status: StatusCode, why: &'static str) -> Result<(), RefusedRequest> {
    Err(RefusedRequest { status, why })
}

fn hash(secret: &str) -> [u8; 32] {
    Sha256::digest(secret.as_bytes()).into()
}

/// A random text of 244 bits.
fn new_secret() -> String {
    format!("{}{}", uuid::Uuid::new_v4().simple(), uuid::Uuid::new_v4().simple())
}

impl AccessGate {
    pub fn new(port: u16) -> AccessGate {
        AccessGate { port, state: Mutex::default() }
    }

    fn state(&self) -> std::sync::MutexGuard<'_, GateState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes a new token; an unused earlier one is void.
    pub fn new_token(&self) -> String {
        let token = new_secret();
        self.state().token = Some(hash(&token));
        token
    }

    /// Exchanges the token for a cookie, once.
    pub fn exchange(&self, token: &str) -> Option<String> {
        let mut state = self.state();
        // Hashes are compared, so the time says nothing about the token.
        if state.token != Some(hash(token)) {
            return None;
        }
        state.token = None;
        let cookie = new_secret();
        if state.cookies.len() >= MOST_COOKIES {
            state.cookies.remove(0);
        }
        state.cookies.push(hash(&cookie));
        // Cookies don't know ports: the name keeps the cookies of two servers apart.
        Some(format!("{}={cookie}; Path=/; HttpOnly; SameSite=Strict", self.cookie_name()))
    }

    fn cookie_name(&self) -> String {
        format!("cutonce-{}", self.port)
    }

    /// Checks that the request is meant for this server and comes from its page.
    pub fn check_origin(&self, method: &Method, headers: &HeaderMap) -> Result<(), RefusedRequest> {
        let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
        let own_hosts = [format!("127.0.0.1:{}", self.port), format!("localhost:{}", self.port)];
        let several = headers.get_all(HOST).iter().count() != 1;
        if several || !own_hosts.iter().any(|own| own.eq_ignore_ascii_case(host)) {
            return refused(StatusCode::MISDIRECTED_REQUEST, "This server answers only under its own address.");
        }
        let reads = matches!(*method, Method::GET | Method::HEAD);
        match headers.get(ORIGIN).map(|origin| origin.to_str().unwrap_or_default()) {
            Some(origin) if !origin.eq_ignore_ascii_case(&format!("http://{host}")) => {
                refused(StatusCode::FORBIDDEN, "The request comes from another site.")
            }
            None if !reads => refused(StatusCode::FORBIDDEN, "The request does not say which site it comes from."),
            _ => Ok(()),
        }?;
        let site = headers.get("sec-fetch-site").and_then(|site| site.to_str().ok());
        let opens_page = reads && headers.get("sec-fetch-mode").is_some_and(|mode| mode == "navigate");
        if site.is_some_and(|site| !matches!(site, "same-origin" | "none")) && !opens_page {
            return refused(StatusCode::FORBIDDEN, "The request comes from another site.");
        }
        if !reads && !headers.contains_key(OWN_HEADER) {
            return refused(StatusCode::FORBIDDEN, "The request lacks the header of the review page.");
        }
        Ok(())
    }

    /// Checks the cookie.
    pub fn check_cookie(&self, headers: &HeaderMap) -> Result<(), RefusedRequest> {
        let name = self.cookie_name();
        let sent = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
        let mut pairs = sent.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
        let known = pairs.any(|(key, value)| key == name && self.state().cookies.contains(&hash(value)));
        match known {
            true => Ok(()),
            false => refused(
                StatusCode::UNAUTHORIZED,
                "This browser is not signed in. Open the address that `cutonce serve` printed; \
                 `cutonce serve --new-token` prints a new one.",
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::header::HeaderValue;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, HeaderValue::from_static(value));
        }
        headers
    }

    #[test]
    fn rv_5_token_works_once() {
        let gate = AccessGate::new(7);
        let token = gate.new_token();
        assert_eq!(gate.exchange("guess"), None);
        let cookie = gate.exchange(&token).unwrap();
        assert!(cookie.starts_with("cutonce-7=") && cookie.ends_with("; HttpOnly; SameSite=Strict"), "{cookie}");
        assert_eq!(gate.exchange(&token), None);
        let (first, second) = (gate.new_token(), gate.new_token());
        assert_eq!(gate.exchange(&first), None, "a new token voids the earlier one");
        assert!(gate.exchange(&second).is_some());
    }

    #[test]
    fn rv_5_cookie_of_this_server_is_needed() {
        let gate = AccessGate::new(7);
        let token = gate.new_token();
        let cookie = gate.exchange(&token).unwrap();
        let sent = |value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(COOKIE, HeaderValue::from_str(value).unwrap());
            gate.check_cookie(&headers).is_ok()
        };
        let pair = cookie.split(';').next().unwrap();
        assert!(sent(pair) && sent(&format!("a=b; {pair}")));
        assert!(!sent("cutonce-7=") && !sent("cutonce-7=x") && !sent(&pair.replace("cutonce-7", "cutonce-8")));
        assert!(gate.check_cookie(&HeaderMap::new()).is_err());
    }

    #[test]
    fn rv_5_wrong_host_and_origin_are_refused() {
        let gate = AccessGate::new(7);
        let get = |pairs: &[(&'static str, &'static str)]| gate.check_origin(&Method::GET, &headers(pairs)).is_ok();
        let post = |pairs: &[(&'static str, &'static str)]| gate.check_origin(&Method::POST, &headers(pairs)).is_ok();
        assert!(get(&[("host", "127.0.0.1:7")]) && get(&[("host", "localhost:7")]));
        for bad in ["evil.example", "127.0.0.1", "127.0.0.1:8", "127.0.0.1:7.evil.example", ""] {
            assert!(!get(&[("host", bad)]), "{bad}");
        }
        assert!(!get(&[]) && !get(&[("host", "localhost:7"), ("host", "localhost:7")]));
        let own = [("host", "localhost:7"), ("origin", "http://localhost:7"), ("x-cutonce", "1")];
        assert!(post(&own));
        assert!(!post(&own[..2]), "no header of the page");
        assert!(!post(&[own[0], own[2]]), "no origin");
        for bad in ["http://evil.example", "null", "https://localhost:7", "http://127.0.0.1:7"] {
            assert!(!post(&[own[0], ("origin", bad), own[2]]), "{bad}");
            assert!(!get(&[own[0], ("origin", bad)]), "{bad}");
        }
        assert!(!get(&[own[0], ("sec-fetch-site", "cross-site")]));
        assert!(get(&[own[0], ("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "navigate")]));
    }
}
