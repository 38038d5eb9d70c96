//! The review page in Chromium (RV-4): when a plan of 1,000 lines can be read and answered, and what is loaded for it.

use crate::Bench;
use crate::browser_stage::{Stage, plans};
use crate::table::{Row, median, number};
use crate::webdriver::{Browser, close_browser};
use anyhow::{Context, Result};
use serde_json::Value;
use std::process::{Command, Stdio};

pub fn figures(bench: &Bench) -> Result<Vec<Row>> {
    let usable = "review page: usable with a plan of 1,000 lines";
    let driver = Command::new("chromedriver").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if !driver.is_ok_and(|status| status.success()) {
        return Ok(vec![Row::skipped(usable, "no chromedriver")]);
    }
    let step = |n: usize| format!("{n}. Change part {n}\n   - files: `src/part{n}.rs`\n   - check: `true`\n\n");
    let plan = format!("# A long plan\n\n## Steps\n\n{}", (1..=249).map(step).collect::<String>());
    let stage = Stage::new(&plans(&[&plan]));
    let _term = stage.with_waiting_plan();
    let page = stage.serve();
    let mut browser = Browser::take();
    browser.open(&page.url);
    browser.open_request("A long plan");
    browser.see("Change part 1");
    let address = browser.script("return location.href").as_str().context("an address")?.to_string();
    let (mut times, mut paints, mut last) = (Vec::new(), Vec::new(), Value::Null);
    for _ in 0..bench.rounds(20) {
        browser.open(&address);
        last = browser.until("the plan", MEASURE);
        let time = |name: &str| last[name].as_f64().with_context(|| format!("{name} in {last}"));
        times.push(time("usable")?);
        paints.push(time("paint")?);
    }
    drop(browser);
    close_browser();
    let size = last["bytes"].as_f64().context("sizes")? / 1024.0;
    Ok(vec![
        Row::limit(usable, median(&times), "ms", 300.0),
        Row::known("the same: first contentful paint", format!("{} ms", number(median(&paints)))),
        Row::known("the same: requests", format!("{}, without the events", last["requests"])),
        Row::limit("review page: all its files, compressed", size, "KiB", 80.0),
    ])
}

/// What the browser measured, once the page has drawn its lines and choices.
const MEASURE: &str = "
    const usable = performance.getEntriesByName('usable')[0];
    const paint = performance.getEntriesByName('first-contentful-paint')[0];
    if (!usable || !paint || document.querySelectorAll('[data-line]').length < 1000) return null;
    const files = performance.getEntriesByType('resource').filter((file) => !file.name.includes('/api/events'));
    const own = files.filter((file) => !file.name.includes('/api/'));
    const page = performance.getEntriesByType('navigation')[0];
    return {
      usable: usable.startTime, paint: paint.startTime, requests: files.length + 1,
      bytes: own.reduce((sum, file) => sum + file.encodedBodySize, page.encodedBodySize),
    };";
