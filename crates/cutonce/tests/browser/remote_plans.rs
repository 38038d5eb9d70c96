//! `cutonce serve --remote`: plans of other people's sessions and jobs on the page (FL-2, FL-5), with a real NATS
//! server.

use crate::fleet_load::{request_review, request_reviews};
use crate::fleet_stage::{Running, Stage, block_on, wait_until};
use crate::plan_stories::{axe, check_accessibility};
use crate::stage::Page;
use crate::webdriver::Browser;
use cutonce_core::plan::sha256_hex;
use cutonce_fleet::FleetLink;
use cutonce_fleet::blob::StoredText;
use cutonce_fleet::review::ReviewRecord;
use serde_json::Value;
use std::process::Stdio;

crate::tests!(
    fl_2_page_answers_a_remote_session,
    fl_2_rh_1_page_rehearses_a_remote_plan,
    fl_5_page_lists_cancels_and_retries_jobs,
    fl_2_member_who_comments_cannot_approve,
    fl_2_members_add_nothing_to_the_session_of_another,
    fl_7_page_opens_with_the_newest_plans,
);

/// Ann's session, in which a plan waits.
fn planning_session(ann: &crate::fleet_stage::Person) -> Running {
    let mut command = ann.command(&["--plain", "--permission-mode", "plan", "--remote", "team", "PLANME please"]);
    Running(command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
}

fn remote_page(person: &crate::fleet_stage::Person) -> Page {
    Page::start(person.command(&["serve", "--remote", "team", "--print-json"]))
}

fn fl_2_page_answers_a_remote_session() {
    let stage = Stage::new();
    let ann = stage.owner();
    let bob = stage.member(&ann, "bob", "approve");
    let _session = planning_session(&ann);
    let page = remote_page(&bob);
    let mut browser = page.open_in_browser();
    browser.see("session of ann");
    browser.open_request("Plan");
    browser.see("Add new.txt.");
    assert_eq!(browser.script("return document.querySelectorAll('[data-line]').length"), 3);
    // The choices of the session itself, not those of a job.
    browser.click("Approve, accept edits automatically → acceptEdits");
    browser.see("changes files without asking");
    browser.click("Cancel");
    browser.comment(3, "why?");
    browser.click("Approve, confirm each edit → default");
    browser.click("Confirm");
    browser.hear("Answered by bob: approved, each edit is confirmed.");
    let waiting = || bob.json(&["review", "--remote", "team", "--json"]);
    wait_until("no open request", || (waiting() == Value::from(Vec::<Value>::new())).then_some(()));
    // The model got the comment with the approval.
    let told = || stage.model.requests().iter().any(|request| String::from_utf8_lossy(&request.body).contains("why?"));
    wait_until("the comment", || told().then_some(()));
}

fn fl_2_rh_1_page_rehearses_a_remote_plan() {
    let stage = Stage::new();
    let ann = stage.owner();
    let bob = stage.member(&ann, "bob", "approve");
    let _session = planning_session(&ann);
    let page = remote_page(&bob);
    let mut browser = page.open_in_browser();
    browser.open_request("Plan");
    browser.rehearse();
    browser.see("new.txt");
    let file = stage.repo().join("new.txt");
    assert!(!file.exists(), "the workspace does not change");
    browser.click("Apply exactly this");
    browser.click("Confirm");
    browser.hear("Answered by bob: approved");
    wait_until("the file", || file.exists().then_some(()));
}

fn fl_5_page_lists_cancels_and_retries_jobs() {
    let stage = Stage::new();
    let ann = stage.owner();
    let id = ann.submit_task(&["--then", "implement"]);
    let page = remote_page(&ann);
    let mut browser = page.open_in_browser();
    let state = |state: &str| format!("return document.querySelector('.jobs .state')?.textContent === '{state}'");
    browser.until("the job", &state("queued"));
    browser.see("PLANME please");
    check_accessibility(&mut browser, &axe(), "jobs");
    browser.click(&format!("Cancel job {id}"));
    browser.see("The job ends now");
    browser.click("Confirm");
    browser.hear(&format!("Cancelled job {id}."));
    browser.until("the end", &state("cancelled"));
    browser.click(&format!("Retry job {id}"));
    browser.click("Confirm");
    browser.hear(&format!("Job {id} is queued again."));
    ann.ok(&["worker", "--remote", "team", "--exit-when-idle"]);
    browser.until("its plan", &state("waiting"));
    browser.open_request("job of ann");
    browser.see("Add new.txt.");
    let hidden = "return [...document.querySelectorAll('.tools button')].find((b) => b.textContent === 'Edit').hidden";
    assert_eq!(browser.script(hidden), true, "a job's plan is approved as it is");
    browser.click("Approve; a worker then implements it");
    browser.click("Confirm");
    browser.hear("Answered by ann: approved");
    ann.ok(&["worker", "--remote", "team", "--exit-when-idle"]);
    assert_eq!(ann.job(&format!("{id}-implement"))["state"], "done");
    browser.open(&format!("http://127.0.0.1:{}/", page.port));
    browser.until("both jobs", "return document.querySelectorAll('.jobs .job-done').length === 2");
    check_accessibility(&mut browser, &axe(), "ended jobs");
}

fn fl_2_member_who_comments_cannot_approve() {
    let stage = Stage::new();
    let ann = stage.owner();
    let carl = stage.member(&ann, "carl", "comment");
    let id = ann.submit_task(&[]);
    ann.ok(&["worker", "--remote", "team", "--exit-when-idle"]);
    let page = remote_page(&carl);
    let mut browser = page.open_in_browser();
    browser.open_request("job of ann");
    browser.see("Add new.txt.");
    let choices = "return [...document.querySelectorAll('.choice')].map((choice) => choice.textContent)";
    assert_eq!(browser.script(choices), serde_json::json!(["Keep planning, with feedback → plan"]));
    browser.comment(3, "which folder?");
    browser.click("Keep planning, with feedback → plan");
    browser.fill("dialog textarea", "smaller steps");
    browser.click("Confirm");
    browser.hear("Answered by carl: sent back");
    let feedback = ann.job(&id)["decision"]["feedback"].as_str().unwrap().to_string();
    assert_eq!(feedback, "smaller steps\nLine 3: which folder?");
}

fn fl_2_members_add_nothing_to_the_session_of_another() {
    let stage = Stage::new();
    let ann = stage.owner();
    let (bob, eve) = (stage.member(&ann, "bob", "approve"), stage.member(&ann, "eve", "comment"));
    let request = async |home, ask: &str, session: &str, project: &str| {
        let link = FleetLink::connect(home, "team").await.unwrap();
        let (text, sha256) = (StoredText::Inline("# Plan\n".into()), sha256_hex("# Plan\n"));
        let (session, project) = (session.to_string(), project.to_string());
        let record = ReviewRecord::Requested { session, project, text, sha256, request: None };
        link.publish_review(ask, &record).await.unwrap();
    };
    block_on(async {
        request(&ann.home, "ask-1", "session-1", "/home/ann/shop").await;
        request(&eve.home, "ask-2", "session-1", "/home/eve/trap").await;
        // An id that the page would take for a job.
        request(&eve.home, "ask-3", "job-1", "/home/eve/job").await;
    });
    let page = Page::start(bob.command(&["serve", "--remote", "team", "--print-json"]));
    let mut browser = Browser::take();
    browser.open(&page.url);
    browser.until("both", "return document.querySelectorAll('[aria-label=\"Waiting requests\"] li').length === 2");
    let rows = "return [...document.querySelectorAll('[aria-label=\"Waiting requests\"] .meta')].map((row) => \
        [...row.children].slice(0, 2).map((part) => part.textContent).join(', '))";
    assert_eq!(browser.script(rows), serde_json::json!(["trap, session of eve", "shop, session of ann"]));
}

fn fl_7_page_opens_with_the_newest_plans() {
    let stage = Stage::new();
    let ann = stage.owner();
    let plans = 1_200;
    block_on(async {
        let link = FleetLink::connect(&ann.home, "team").await.unwrap();
        request_reviews(&link, plans).await.unwrap();
        request_review(&link, 9_000_000).await.unwrap();
    });
    let page = Page::start(ann.command(&["serve", "--remote", "team", "--print-json"]));
    let mut browser = Browser::take();
    browser.open(&page.url);
    let count = format!("return document.querySelector('.count')?.textContent === '{}'", plans + 1);
    browser.until("all plans", &count);
    browser.until("the end", "return document.querySelector('.reading').hidden");
    let rows = "const rows = document.querySelectorAll('[aria-label=\"Waiting requests\"] a'); \
        return [rows.length, rows[0].getAttribute('href')]";
    assert_eq!(browser.script(rows), serde_json::json!([200, "/review/session-9000000/ask-9000000"]));
    check_accessibility(&mut browser, &axe(), "many waiting plans");
    browser.fill("[aria-label='Find a request']", "no such plan");
    browser.see("No request matches.");
    browser.fill("[aria-label='Find a request']", "SESSION OF ANN");
    browser.until(
        "the plans again",
        "return document.querySelectorAll('[aria-label=\"Waiting requests\"] a').length === 200",
    );
    browser.click("Show all that wait");
    let all =
        format!("return document.querySelectorAll('[aria-label=\"Waiting requests\"] a').length === {}", plans + 1);
    browser.until("all rows", &all);
}
