//! A small WebDriver client, and one Chromium that all tests share.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(30);
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// Chromium with its driver; ends with the last test.
pub struct Chromium {
    driver: Child,
    port: u16,
    session: String,
}

static SHARED: Mutex<Option<Chromium>> = Mutex::new(None);

/// The browser, for one test at a time.
pub struct Browser(MutexGuard<'static, Option<Chromium>>);

/// Ends the shared browser.
pub fn close_browser() {
    if let Some(mut chromium) = SHARED.lock().unwrap_or_else(PoisonError::into_inner).take() {
        let _ = chromium.call("DELETE", "", Value::Null);
        let _ = chromium.driver.kill();
        let _ = chromium.driver.wait();
    }
}

impl Chromium {
    fn start() -> Chromium {
        let mut driver = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromedriver; scripts/test installs chromium and chromium-driver");
        let mut lines = BufReader::new(driver.stdout.take().unwrap()).lines();
        let port = lines.find_map(|line| {
            let line = line.ok()?;
            let (_, rest) = line.split_once("started successfully on port ")?;
            rest.trim_end_matches('.').parse().ok()
        });
        // The driver writes more later and must not block.
        std::thread::spawn(move || lines.for_each(drop));
        let mut chromium =
            Chromium { driver, port: port.expect("chromedriver names its port"), session: String::new() };
        let args = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"];
        let wanted = json!({"capabilities": {"alwaysMatch": {"goog:chromeOptions": {"args": args}}}});
        let made = chromium.request("POST", "/session", &wanted).expect("chromium starts");
        chromium.session = made["sessionId"].as_str().unwrap().to_string();
        chromium
    }

    fn call(&mut self, method: &str, path: &str, body: Value) -> Result<Value, String> {
        let path = format!("/session/{}{path}", self.session);
        self.request(method, &path, &body)
    }

    fn request(&self, method: &str, path: &str, body: &Value) -> Result<Value, String> {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n",
            body.len()
        );
        let answer = super::http::exchange(self.port, &format!("{head}{body}"));
        let value: Value = serde_json::from_str(&answer.body).map_err(|error| format!("{error}: {}", answer.body))?;
        let value = value["value"].clone();
        match value.get("error") {
            Some(error) if answer.status != 200 => Err(format!("{error}: {}", value["message"])),
            _ => Ok(value),
        }
    }
}

impl Browser {
    /// Waits for the browser, and gives it an empty window.
    pub fn take() -> Browser {
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        shared.get_or_insert_with(Chromium::start);
        let mut browser = Browser(shared);
        let _ = browser.call("DELETE", "/cookie", Value::Null);
        browser.new_window();
        browser.resize(1280, 900);
        browser
    }

    fn call(&mut self, method: &str, path: &str, body: Value) -> Result<Value, String> {
        self.0.as_mut().expect("the browser runs").call(method, path, body)
    }

    /// A new window, which becomes the current one; returns its handle.
    pub fn new_window(&mut self) -> String {
        let made = self.call("POST", "/window/new", json!({"type": "window"})).unwrap();
        let handle = made["handle"].as_str().unwrap().to_string();
        self.switch(&handle);
        handle
    }

    pub fn window(&mut self) -> String {
        self.call("GET", "/window", Value::Null).unwrap().as_str().unwrap().to_string()
    }

    pub fn switch(&mut self, handle: &str) {
        self.call("POST", "/window", json!({ "handle": handle })).unwrap();
    }

    pub fn resize(&mut self, width: u32, height: u32) {
        self.cdp(
            "Emulation.setDeviceMetricsOverride",
            json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false}),
        );
    }

    /// `light`, `dark`, or the browser's own.
    pub fn set_scheme(&mut self, scheme: &str) {
        let features = json!([{"name": "prefers-color-scheme", "value": scheme}]);
        self.cdp("Emulation.setEmulatedMedia", json!({ "features": features }));
    }

    /// A command of the DevTools protocol.
    pub fn cdp(&mut self, command: &str, params: Value) -> Value {
        self.call("POST", "/goog/cdp/execute", json!({"cmd": command, "params": params})).unwrap()
    }

    pub fn open(&mut self, url: &str) {
        self.call("POST", "/url", json!({ "url": url })).unwrap();
    }

    /// Runs a script and returns what it returns.
    pub fn script(&mut self, script: &str) -> Value {
        self.call("POST", "/execute/sync", json!({"script": script, "args": []})).unwrap()
    }

    /// Runs a script that reports to its last argument.
    pub fn script_async(&mut self, script: &str) -> Value {
        self.call("POST", "/execute/async", json!({"script": script, "args": []})).unwrap()
    }

    /// The visible text of the page.
    pub fn text(&mut self) -> String {
        self.script("return document.body.innerText").as_str().unwrap_or_default().to_string()
    }

    /// Waits until the script returns something true.
    pub fn until(&mut self, what: &str, script: &str) -> Value {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let seen = self.script(script);
            if !matches!(seen, Value::Null | Value::Bool(false)) {
                return seen;
            }
            assert!(Instant::now() < deadline, "{what} was not seen in time:\n{}", self.text());
            std::thread::yield_now();
        }
    }

    pub fn see(&mut self, words: &str) {
        let words_json = json!(words);
        self.until(words, &format!("return document.body.innerText.includes({words_json})"));
    }

    /// Waits until a change was announced with these words.
    pub fn hear(&mut self, words: &str) {
        let words_json = json!(words);
        self.until(
            words,
            &format!("return document.querySelector('[role=status]').textContent.includes({words_json})"),
        );
    }

    fn find(&mut self, what: &str, script: &str) -> String {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let found = self.script(script);
            if let Some(id) = found.get(ELEMENT).and_then(Value::as_str) {
                return id.to_string();
            }
            assert!(Instant::now() < deadline, "{what} was not found in time:\n{}", self.text());
            std::thread::yield_now();
        }
    }

    /// Finds an element and does something with it. The page may replace the element meanwhile: then both again.
    fn on_element(&mut self, what: &str, script: &str, act: impl Fn(&mut Browser, &str) -> Result<(), String>) {
        loop {
            let id = self.find(what, script);
            match act(self, &format!("/element/{id}")) {
                Err(why) if why.contains("stale element") => {}
                done => return done.unwrap(),
            }
        }
    }

    fn click_found(&mut self, what: &str, script: &str) {
        self.on_element(what, script, |browser, element| {
            browser.call("POST", &format!("{element}/click"), json!({})).map(drop)
        });
    }

    /// Clicks the button with this accessible name, as the browser computes it.
    pub fn click(&mut self, name: &str) {
        let wanted = json!(name);
        let script = format!(
            "const name = (e) => (e.getAttribute('aria-label') ?? e.textContent).trim(); \
             const open = document.querySelector('dialog[open]') ?? document; \
             return [...open.querySelectorAll('button')].find((e) => name(e) === {wanted} && e.checkVisibility() && !e.disabled)"
        );
        self.on_element(name, &script, |browser, element| {
            let label = browser.call("GET", &format!("{element}/computedlabel"), Value::Null)?;
            assert_eq!(label, wanted, "the accessible name");
            browser.call("POST", &format!("{element}/click"), json!({})).map(drop)
        });
    }

    /// Clicks a link by its words.
    pub fn follow(&mut self, words: &str) {
        let words_json = json!(words);
        let script =
            format!("return [...document.querySelectorAll('a')].find((a) => a.textContent.includes({words_json}))");
        self.click_found(words, &script);
    }

    /// Opens a waiting request by its words, once it is in the list.
    pub fn open_request(&mut self, words: &str) {
        let words_json = json!(words);
        let links = "document.querySelectorAll('a[href^=\"/review/\"]')";
        self.click_found(words, &format!("return [...{links}].find((a) => a.textContent.includes({words_json}))"));
    }

    /// Comments on a line of the plan.
    pub fn comment(&mut self, line: u32, text: &str) {
        self.click(&format!("Comment on line {line}"));
        self.fill("textarea", text);
        self.click("Save comment");
    }

    /// Opens a waiting request as [`open_request`](Self::open_request) does.
    pub fn showing(mut self, words: &str) -> Browser {
        self.open_request(words);
        self
    }

    /// Rehearses the open plan and waits for the result.
    pub fn rehearse(&mut self) {
        self.click("Rehearsal");
        self.click("Start rehearsal");
        self.hear("Rehearsal r1 finished");
    }

    /// Types into the element; the text replaces what is there.
    pub fn fill(&mut self, selector: &str, text: &str) {
        let script = format!("return document.querySelector({})", json!(selector));
        self.on_element(selector, &script, |browser, element| {
            browser.call("POST", &format!("{element}/clear"), json!({}))?;
            browser.call("POST", &format!("{element}/value"), json!({ "text": text })).map(drop)
        });
    }

    pub fn click_css(&mut self, selector: &str) {
        self.click_found(selector, &format!("return document.querySelector({})", json!(selector)));
    }

    /// Presses keys on what has the focus.
    pub fn keys(&mut self, keys: &str) {
        let script = "return document.activeElement";
        let id = self.find("the focus", script);
        self.call("POST", &format!("/element/{id}/value"), json!({ "text": keys })).unwrap();
    }

    /// Saves a picture of the page in $SHOTS, if that is set.
    pub fn picture(&mut self, name: &str) {
        let Some(folder) = std::env::var_os("SHOTS") else { return };
        let shot = self.cdp("Page.captureScreenshot", json!({"format": "png"}));
        let file = std::path::Path::new(&folder).join(format!("{}.b64", name.replace(' ', "-")));
        std::fs::write(file, shot["data"].as_str().unwrap_or_default()).unwrap();
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let Some(chromium) = self.0.as_mut() else { return };
        // Windows of this test are closed; the first one keeps the browser running.
        if let Ok(Value::Array(handles)) = chromium.call("GET", "/window/handles", Value::Null) {
            for handle in handles.iter().skip(1) {
                let _ = chromium.call("POST", "/window", json!({ "handle": handle }));
                let _ = chromium.call("DELETE", "/window", Value::Null);
            }
            let _ = chromium.call("POST", "/window", json!({ "handle": handles[0] }));
        }
    }
}
