//! What the page says when something is gone (RV-3): its server, the session, or the chance to answer.

use crate::plan_stories::{axe, check_accessibility};
use crate::stage::{Stage, plans};

crate::tests!(
    rv_3_page_says_that_its_server_is_gone,
    rv_3_page_says_that_the_session_ended,
    rv_3_page_shows_a_late_answer
);

const PLAN: &str = "# Move sessions to cookies\n\n1. Sign the cookie\n2. Drop the table\n";
const LEAVE: &str = "Leave plan mode and keep the plan; nothing runs → default";

fn rv_3_page_says_that_its_server_is_gone() {
    let stage = Stage::new(&plans(&[PLAN]));
    let (mut term, page, mut browser) = stage.open_review("Move sessions to cookies");
    browser.see("Sign the cookie");
    let axe = axe();
    browser.script(&axe);
    drop(page);
    browser.until("the lost connection", "return document.getElementById('live').dataset.state === 'off'");
    browser.click(LEAVE);
    browser.hear("The review page can’t reach cutonce serve. Is it still running?");
    check_accessibility(&mut browser, &axe, "server gone");
    // The terminal still answers.
    term.press("6").unwrap();
    term.see("enter confirm").unwrap();
    term.press("enter").unwrap();
}

fn rv_3_page_says_that_the_session_ended() {
    let stage = Stage::new(&plans(&[PLAN]));
    let (term, _page, mut browser) = stage.open_review("Move sessions to cookies");
    browser.see("Sign the cookie");
    drop(term);
    browser.hear("The session has ended");
    browser.until("no choice", "return !document.querySelector('.choice')");
    check_accessibility(&mut browser, &axe(), "session gone");
}

fn rv_3_page_shows_a_late_answer() {
    let stage = Stage::new(&plans(&[PLAN]));
    let (mut term, _page, mut browser) = stage.open_review("Move sessions to cookies");
    browser.see("Sign the cookie");
    browser.comment(3, "with which key?");
    browser.click(LEAVE);
    term.press("2").unwrap();
    term.see("enter confirm").unwrap();
    term.press("enter").unwrap();
    browser.hear("Answered in the terminal: approved, each edit is confirmed.");
    browser.until("no choice", "return !document.querySelector('.choice') && !document.querySelector('dialog')");
    browser.see("Not sent: the plan was answered first.");
    check_accessibility(&mut browser, &axe(), "late answer");
    term.see("Done as planned").unwrap();
}
