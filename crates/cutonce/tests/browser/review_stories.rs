//! More of the terminal's review stories, played on the page (RV-7). Each test names the stories that it plays.

use crate::stage::{Stage, plans};
use crate::webdriver::Browser;
use serde_json::{Value, json};

crate::tests!(
    rv_7_clear_with_a_note_and_a_mode,
    rv_7_enter_plan_mode_and_back_to_the_earlier,
    rv_7_leave_without_a_plan,
    rv_7_plan_replaced_while_shown,
    rv_7_findings_changed_files_and_own_answers,
    rv_7_plan_of_a_teammate,
    rv_7_decide_later,
    rv_7_deny_with_words_and_skip_questions,
    rv_7_amended_plan_keeps_checked_steps,
);

fn call(name: &str, input: Value) -> Value {
    json!({ "name": name, "input": input })
}

fn write(path: &str, content: &str) -> Value {
    call("Write", json!({"file_path": path, "content": content}))
}

/// A turn that submits this plan.
fn submit(plan: &str) -> Value {
    json!({"calls": [write("{plan}", plan), call("ExitPlanMode", json!({}))]})
}

fn stage(turns: &[Value]) -> Stage {
    Stage::new(&json!({ "turns": turns }).to_string())
}

fn settings(stage: &Stage, settings: &Value) {
    std::fs::write(stage.home().join("settings.json"), settings.to_string()).unwrap();
}

/// plan/clear-and-start, screen/review-notes
fn rv_7_clear_with_a_note_and_a_mode() {
    let turns = [
        json!({"calls": [call("Read", json!({"file_path": "a.txt"}))]}),
        submit("# Plan\n\n1. Write b\n"),
        json!({"calls": [write("b.txt", "b\n")]}),
        json!({"text": "implemented from the plan"}),
        json!({"text": "nothing is left"}),
    ];
    let stage = stage(&turns);
    std::fs::write(stage.workspace().join("a.txt"), "MARKER-BEFORE\n").unwrap();
    let (mut term, _page, mut browser) = stage.open_review("Plan");
    browser.click("Approve, clear the context and start → default");
    browser.see("The context is cleared and only the plan stays.");
    let choose =
        "const mode = document.querySelector('dialog #mode'); if (mode) mode.value = 'acceptEdits'; return !!mode";
    browser.until("the mode after the approval", choose);
    browser.fill("dialog textarea", "use tabs");
    browser.click("Confirm");
    browser.hear("Answered in the browser: approved, with a cleared context.");
    term.see("implemented from the plan").unwrap();
    let told = stage.last_request();
    assert!(told.contains("use tabs") && !told.contains("MARKER-BEFORE"), "{}", told.len());
    assert_eq!(stage.disk("b.txt").as_deref(), Some("b\n"), "edits are accepted");
}

/// plan/model-asks-to-enter, plan/approve-each-way
fn rv_7_enter_plan_mode_and_back_to_the_earlier() {
    let turns = [
        json!({"calls": [call("EnterPlanMode", json!({}))]}),
        submit("# Two files\n\n1. Write b\n"),
        json!({"text": "Done as before."}),
        json!({"text": "Done."}),
    ];
    let stage = stage(&turns);
    settings(&stage, &json!({"plan": {"entry": "ask"}}));
    let mut term = stage.terminal("bypassPermissions", &[("IS_SANDBOX", "1")]);
    let page = stage.serve();
    let mut browser = page.open_in_browser();
    browser.open_request("The model wants to enter plan mode");
    browser.click("Enter plan mode");
    browser.see("The agent plans first and changes nothing until you approve a plan.");
    browser.click("Confirm");
    browser.open(&format!("http://127.0.0.1:{}/", page.port));
    browser.open_request("Two files");
    browser.see("Write b");
    let back =
        "return [...document.querySelectorAll('.choice.restore')].map((choice) => choice.textContent)[0] ?? null";
    let label = browser.until("the choice of the earlier mode", back).as_str().unwrap().to_string();
    assert!(label.ends_with("→ bypassPermissions"), "{label}");
    browser.click(&label);
    browser.see("as before plan mode");
    browser.click("Confirm");
    browser.hear("Answered in the browser: approved, back to the earlier mode.");
    term.see("Done as before.").unwrap();
}

/// plan/no-plan-to-approve
fn rv_7_leave_without_a_plan() {
    let stage = stage(&[json!({"calls": [call("ExitPlanMode", json!({}))]}), json!({"text": "out of plan mode"})]);
    let mut term = stage.terminal("plan", &[]);
    let page = stage.serve();
    let mut browser = page.open_in_browser();
    browser.open_request("Exit plan mode without a plan?");
    let shown = "return [document.querySelectorAll('[data-line]').length, document.querySelectorAll('.tools').length]";
    browser.see("no plan");
    assert_eq!(browser.script(shown), json!([0, 0]));
    let label = browser.until("a choice", "return document.querySelector('.choice')?.textContent ?? null");
    browser.click(label.as_str().unwrap());
    browser.see("Plan mode ends without a plan");
    browser.click("Confirm");
    term.see("out of plan mode").unwrap();
}

/// plan/plan-replaced-while-shown
fn rv_7_plan_replaced_while_shown() {
    let stage = Stage::new(&plans(&["# Plan\n\n1. Harmless\n"]));
    let (mut term, _page, mut browser) = stage.open_review("Plan");
    browser.see("Harmless");
    let plans = std::fs::read_dir(stage.home().join("plans")).unwrap().map(|entry| entry.unwrap().path());
    let file = plans.into_iter().find(|path| path.extension().is_some_and(|extension| extension == "md")).unwrap();
    std::fs::write(file, "# Plan\n\n1. Delete everything\n").unwrap();
    browser.click("Approve, accept edits automatically → acceptEdits");
    browser.click("Confirm");
    // Nothing is approved: the page shows what changed first.
    let changed = "return document.querySelector('.row.add')?.textContent.includes('Delete everything')";
    browser.until("the replaced line", changed);
    assert_eq!(browser.script("return document.querySelectorAll('.choice:enabled').length"), 0);
    assert!(!term.contents().contains("Done as planned"));
    browser.click_css(".notice button");
    browser.click("Leave plan mode and keep the plan; nothing runs → default");
    browser.click("Confirm");
    term.see("plan mode was left, the plan is kept").unwrap();
}

/// contract/findings, plan/changed-files, screen/questions
fn rv_7_findings_changed_files_and_own_answers() {
    let option = |label: &str| json!({"label": label, "description": label});
    let question = |question: &str, several: bool| {
        let options = [option("Cookies"), option("Table")];
        json!({"question": question, "header": "Store", "multiSelect": several, "options": options})
    };
    let plan = "# Plan\n\n## First\n\n1. Change a, TBD\n   - files: gone.txt (change)\n\n## Second\n\n2. More\n";
    let turns = [
        json!({"calls": [call("AskUserQuestion", json!({"questions": [question("Which?", true), question("Why?", false)]}))]}),
        submit(plan),
        submit(plan),
        json!({"text": "Done."}),
    ];
    let stage = stage(&turns);
    let mut term = stage.terminal("plan", &[]);
    term.see("Which?").unwrap();
    let page = stage.serve();
    let mut browser = page.open_in_browser();
    browser.open_request("Which?");
    browser.click("Send answers");
    browser.hear("Question 1 has no answer yet.");
    browser.click_css("input[name=q0][value=Cookies]");
    browser.click_css("input[name=q0][value=Table]");
    browser.fill("input[aria-label='Your own answer to: Why?']", "speed");
    std::fs::write(stage.workspace().join("other.txt"), "of another program\n").unwrap();
    browser.click("Send answers");
    browser.see("Cookies, Table · speed");
    browser.click("Confirm");
    browser.open(&format!("http://127.0.0.1:{}/", page.port));
    browser.open_request("Plan");
    browser.see("about the plan");
    let marked = "return document.querySelector('[data-line=\"6\"].finding .t')?.dataset.finding ?? null";
    assert!(browser.until("the finding at its line", marked).as_str().unwrap().contains("gone.txt"));
    browser.click_css(".facts:not(.warn) summary");
    browser.see("Changed since plan mode was entered: other.txt");
    browser.click_css(".outline li:nth-child(3) a");
    assert_eq!(browser.script("return document.activeElement.getAttribute('aria-label')"), "Comment on line 8");
    assert!(stage.last_request().contains("speed"));
    term.press("esc").unwrap();
}

/// screen/team-plan
fn rv_7_plan_of_a_teammate() {
    let member = json!({"name": "ann", "task": "Write hello.txt.", "planModeRequired": true});
    let team = call("TeamCreate", json!({"teamName": "red", "members": [member]}));
    let mut turns =
        vec![submit("# Greeting\n\n1. Write hello.txt\n"), json!({"calls": [write("hello.txt", "Hello!\n")]})];
    turns.push(json!({"text": "Finished."}));
    turns.iter_mut().for_each(|turn| turn["when"] = json!("You are `ann`"));
    turns.push(json!({"when": "do it", "calls": [team]}));
    turns.push(json!({"when": "do it", "text": "Noted.", "repeat": 9}));
    let stage = stage(&turns);
    let mut term = stage.terminal("acceptEdits", &[]);
    term.see("Greeting").unwrap();
    let page = stage.serve();
    let mut browser = page.open_in_browser();
    browser.open_request("Greeting");
    browser.see("The teammate ann");
    let rehearsal =
        "return [...document.querySelectorAll('.tools button')].find((b) => b.textContent === 'Rehearsal').hidden";
    assert_eq!(browser.script(rehearsal), true, "only an own plan is rehearsed");
    browser.click("Approve, accept edits automatically → acceptEdits");
    browser.click("Confirm");
    browser.hear("Answered in the browser: approved");
    let written = stage.workspace().join("hello.txt");
    while !written.exists() {
        std::thread::yield_now();
    }
}

/// screen/decide-later
fn rv_7_decide_later() {
    let stage = Stage::new(&plans(&["# Plan\n\n1. Step\n"]));
    let (mut term, _page, mut browser) = stage.open_review("Plan");
    browser.see("Step");
    term.press("esc").unwrap();
    term.see("Plan waits for your decision").unwrap();
    // The plan waits here, too, and the answer starts the next turn.
    browser.click("Approve, confirm each edit → default");
    browser.click("Confirm");
    browser.hear("Answered in the browser: approved, each edit is confirmed.");
    term.see("Done as planned").unwrap();
}

/// screen/permission, screen/questions-skipped
fn rv_7_deny_with_words_and_skip_questions() {
    let options = json!([{"label": "A", "description": "a"}, {"label": "B", "description": "b"}]);
    let turns = [
        json!({"calls": [call("Bash", json!({"command": "touch a.txt"}))]}),
        json!({"calls": [call("Bash", json!({"command": "touch b.txt"}))]}),
        json!({"calls": [call("AskUserQuestion", json!({"questions": [{"question": "Which?", "header": "W", "options": options}]}))]}),
        json!({"text": "All done."}),
    ];
    let stage = stage(&turns);
    let mut term = stage.terminal("default", &[]);
    let page = stage.serve();
    let mut browser = Browser::take();
    let address = format!("http://127.0.0.1:{}/", page.port);
    browser.open(&page.url);
    browser.open_request("touch a.txt");
    browser.click("Deny");
    browser.fill("dialog textarea", "not this one");
    browser.click("Confirm");
    browser.hear("Answered in the browser: denied.");
    browser.open(&address);
    browser.open_request("touch b.txt");
    let remember = "return [...document.querySelectorAll('.choice')].map((choice) => choice.textContent).find((label) => label.includes('touch'))";
    let label = browser.until("a scope", remember).as_str().unwrap().to_string();
    browser.click(&label);
    browser.see("calls like it are not asked about any more");
    browser.click("Confirm");
    browser.open(&address);
    browser.open_request("Which?");
    browser.click("Skip the questions");
    browser.click("Confirm");
    browser.hear("Answered in the browser: skipped.");
    term.see("All done.").unwrap();
    assert_eq!((stage.disk("a.txt"), stage.disk("b.txt").is_some()), (None, true));
    assert!(stage.last_request().contains("not this one"));
}

/// contract/amend
fn rv_7_amended_plan_keeps_checked_steps() {
    let plan = "# Plan\n\n## Steps\n\n1. Write a\n   - files: a.txt (new)\n   - check: `test -f a.txt`\n2. Write b\n   - files: b.txt (new)\n";
    let amended = plan.replace("Write b", "Write c").replace("b.txt", "c.txt");
    let turns = [
        submit(plan),
        json!({"calls": [write("a.txt", "a\n"), call("Bash", json!({"command": "test -f a.txt"}))]}),
        json!({"text": "a is done."}),
        json!({"text": "b must be c."}),
        json!({"text": "Please amend the plan."}),
        submit(&amended),
        json!({"calls": [write("c.txt", "c\n")]}),
        json!({"text": "done"}),
        json!({"text": "done again"}),
    ];
    let stage = stage(&turns);
    let (mut term, page, mut browser) = stage.open_review("Plan");
    browser.click("Approve, accept edits automatically → acceptEdits");
    browser.click("Confirm");
    term.see("Please amend the plan.").unwrap();
    term.see("accept edits on").unwrap();
    term.send(b"/plan amend").unwrap();
    term.press("enter").unwrap();
    term.see("plan mode on").unwrap();
    term.send(b"write c instead").unwrap();
    term.press("enter").unwrap();
    // The page of the first request shows what changed before it accepts an answer.
    browser.open(&format!("http://127.0.0.1:{}/", page.port));
    browser.until("the amended plan", "return document.querySelector('a[href^=\"/review/\"]')");
    browser.open_request("Plan");
    browser.see("Write c");
    browser.click("Steps");
    browser.see("✓ done and checked");
    assert_eq!(browser.script("return document.querySelectorAll('input[name=step-1]').length"), 0);
    browser.click("Approve, accept edits automatically → acceptEdits");
    browser.click("Confirm");
    browser.hear("Answered in the browser: approved");
    while stage.disk("c.txt").is_none() {
        std::thread::yield_now();
    }
}
