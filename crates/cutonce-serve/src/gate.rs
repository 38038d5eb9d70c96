//! Who gets in (RV-5): the one-time token, what a browser gets for it, and the checks of each request.
//!
//! A signed-in browser has a cookie and a key. Browsers send cookies of 127.0.0.1 to servers on all its ports, so
//! another server can learn the cookie. The key is in the page's own storage, which belongs to one port.

use crate::page_hosts::PageHosts;
use cutonce_core::sync::LockUnpoisoned;
use hyper::header::{COOKIE, HOST, HeaderMap, ORIGIN};
use hyper::{Method, StatusCode, Uri};
use sha2::{Digest, Sha256};
use std::sync::Mutex;

/// Carries the page's key. A state change needs it; another site can't add it without the server's consent.
pub const OWN_HEADER: &str = "x-cutonce";
/// This many browsers are signed in at once; the oldest one goes first.
const MOST_BROWSERS: usize = 32;

/// The token and the signed-in browsers of one server.
pub struct AccessGate {
    address: PageHosts,
    state: Mutex<GateState>,
}

#[derive(Default)]
struct GateState {
    /// Hash of the token; `None` after its use.
    token: Option<[u8; 32]>,
    browsers: Vec<SignedInBrowser>,
}

/// Hashes of what a browser has.
struct SignedInBrowser {
    cookie: [u8; 32],
    key: [u8; 32],
}

/// What a browser gets for the token.
#[derive(Debug, PartialEq, Eq)]
pub struct SignIn {
    /// The value of `Set-Cookie`.
    pub cookie: String,
    pub key: String,
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
    pub fn new(address: PageHosts) -> AccessGate {
        AccessGate { address, state: Mutex::default() }
    }

    fn state(&self) -> std::sync::MutexGuard<'_, GateState> {
        self.state.lock_unpoisoned()
    }

    /// Makes a new token; an unused earlier one is void.
    pub fn new_token(&self) -> String {
        let token = new_secret();
        self.state().token = Some(hash(&token));
        token
    }

    /// Exchanges the token, once.
    pub fn exchange(&self, token: &str) -> Option<SignIn> {
        let mut state = self.state();
        // Hashes are compared, so the time says nothing about the token.
        if state.token != Some(hash(token)) {
            return None;
        }
        state.token = None;
        let (cookie, key) = (new_secret(), new_secret());
        if state.browsers.len() >= MOST_BROWSERS {
            state.browsers.remove(0);
        }
        state.browsers.push(SignedInBrowser { cookie: hash(&cookie), key: hash(&key) });
        // Cookies don't know ports: the name keeps the cookies of two servers apart.
        let cookie = format!("{}={cookie}; Path=/; HttpOnly; SameSite=Strict", self.cookie_name());
        Some(SignIn { cookie, key })
    }

    fn cookie_name(&self) -> String {
        format!("cutonce-{}", self.address.port)
    }

    /// Checks that the request is meant for this server and comes from its page.
    pub fn check_origin(&self, method: &Method, target: &Uri, headers: &HeaderMap) -> Result<(), RefusedRequest> {
        let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
        let several = headers.get_all(HOST).iter().count() != 1;
        // A request to a proxy names the host in its target, too.
        let elsewhere = target.authority().is_some_and(|authority| !self.address.contains(authority.as_str()));
        if several || elsewhere || !self.address.contains(host) {
            return refused(StatusCode::MISDIRECTED_REQUEST, "This server answers only under its own address.");
        }
        let reads = matches!(*method, Method::GET | Method::HEAD);
        if headers.get_all(ORIGIN).iter().count() > 1 {
            return refused(StatusCode::FORBIDDEN, "The request names several sites.");
        }
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

    /// Checks the cookie and the key. An event stream can't send headers: it has the key in its address.
    pub fn check_sign_in(&self, headers: &HeaderMap, key_in_address: Option<&str>) -> Result<(), RefusedRequest> {
        let name = self.cookie_name();
        let sent = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
        let pairs = sent.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
        let mut cookies = pairs.filter(|(known, _)| *known == name).map(|(_, value)| hash(value));
        let in_header = headers.get(OWN_HEADER).and_then(|key| key.to_str().ok());
        let key = hash(key_in_address.or(in_header).unwrap_or_default());
        let state = self.state();
        let known =
            cookies.any(|cookie| state.browsers.iter().any(|browser| browser.cookie == cookie && browser.key == key));
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
    use crate::page_hosts::ListenAddress;
    use hyper::header::HeaderValue;

    fn gate() -> AccessGate {
        AccessGate::new(PageHosts::new(&ListenAddress::LOOPBACK, 7))
    }

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, HeaderValue::from_static(value));
        }
        headers
    }

    #[test]
    fn rv_5_token_works_once() {
        let gate = gate();
        let token = gate.new_token();
        assert_eq!(gate.exchange("guess"), None);
        let SignIn { cookie, .. } = gate.exchange(&token).unwrap();
        assert!(cookie.starts_with("cutonce-7=") && cookie.ends_with("; HttpOnly; SameSite=Strict"), "{cookie}");
        assert_eq!(gate.exchange(&token), None);
        let (first, second) = (gate.new_token(), gate.new_token());
        assert_eq!(gate.exchange(&first), None, "a new token voids the earlier one");
        assert!(gate.exchange(&second).is_some());
    }

    #[test]
    fn rv_5_cookie_and_key_of_this_server_are_needed() {
        let gate = gate();
        let sign_in = || {
            let SignIn { cookie, key } = gate.exchange(&gate.new_token()).unwrap();
            (cookie.split(';').next().unwrap().to_string(), key)
        };
        let ((pair, key), (other_pair, other_key)) = (sign_in(), sign_in());
        let sent = |cookie: &str, key: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(COOKIE, HeaderValue::from_str(cookie).unwrap());
            headers.insert(OWN_HEADER, HeaderValue::from_str(key).unwrap());
            gate.check_sign_in(&headers, None).is_ok()
        };
        assert!(sent(&pair, &key) && sent(&format!("a=b; {pair}"), &key) && sent(&other_pair, &other_key));
        for bad in ["cutonce-7=", "cutonce-7=x", &pair.replace("cutonce-7", "cutonce-8"), &other_pair] {
            assert!(!sent(bad, &key), "{bad}");
        }
        assert!(!sent(&pair, "") && !sent(&pair, "1"), "a server on another port knows the cookie, not the key");
        let mut headers = HeaderMap::new();
        headers.insert(COOKIE, HeaderValue::from_str(&pair).unwrap());
        assert!(gate.check_sign_in(&headers, Some(&key)).is_ok() && gate.check_sign_in(&headers, None).is_err());
        assert!(gate.check_sign_in(&HeaderMap::new(), Some(&key)).is_err());
    }

    #[test]
    fn rv_5_wrong_host_and_origin_are_refused() {
        let gate = gate();
        let get = |pairs: &[(&'static str, &'static str)]| {
            gate.check_origin(&Method::GET, &Uri::from_static("/"), &headers(pairs)).is_ok()
        };
        let post = |pairs: &[(&'static str, &'static str)]| {
            gate.check_origin(&Method::POST, &Uri::from_static("/"), &headers(pairs)).is_ok()
        };
        assert!(get(&[("host", "127.0.0.1:7")]) && get(&[("host", "localhost:7")]));
        for bad in ["evil.example", "127.0.0.1", "127.0.0.1:8", "127.0.0.1:7.evil.example", ""] {
            assert!(!get(&[("host", bad)]), "{bad}");
        }
        assert!(!get(&[]) && !get(&[("host", "localhost:7"), ("host", "localhost:7")]));
        let own = [("host", "localhost:7"), ("origin", "http://localhost:7"), ("x-cutonce", "1")];
        assert!(post(&own));
        assert!(!post(&[own[0], own[1], ("origin", "http://evil.example"), own[2]]), "two origins");
        let to = |target| gate.check_origin(&Method::GET, &Uri::from_static(target), &headers(&own)).is_ok();
        assert!(to("http://localhost:7/x") && !to("http://evil.example/x"), "a target with a host of its own");
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
