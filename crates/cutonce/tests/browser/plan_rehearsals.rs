//! Rehearsals and evidence on the page (RV-2, RH-1 to RH-3, RH-7, PC-32, PC-35).

use crate::plan_stories::{axe, check_accessibility};
use crate::stage::Stage;
use serde_json::{Value, json};

crate::tests!(
    rv_2_rehearsal_is_applied_without_a_file,
    rv_2_much_rehearsal_news_is_one_load,
    rh_5_result_is_kept_by_name_in_the_browser,
    rh_7_rehearsals_are_compared_and_cancelled,
    rh_2_rh_3_failed_check_and_a_changed_file,
    rh_5_reached_limit_is_named_in_the_browser,
    pc_32_rv_2_evidence_and_report,
);

const PLAN: &str = "# Say hello\n\n## Steps\n\n1. Write the greeting\n   - files: hello.txt (new)\n   - check: grep -q hello hello.txt\n2. Write the farewell\n   - files: bye.txt (new)\n";

fn write(path: &str, content: &str) -> Value {
    json!({"name": "Write", "input": {"file_path": path, "content": content}})
}

fn bash(command: &str) -> Value {
    json!({"name": "Bash", "input": {"command": command}})
}

fn submit() -> Value {
    json!({"calls": [write("{plan}", PLAN), {"name": "ExitPlanMode", "input": {}}]})
}

fn script(turns: &[Value]) -> String {
    json!({ "turns": turns }).to_string()
}

/// What the agent of a rehearsal does.
fn rehearses() -> [Value; 2] {
    let calls = [write("hello.txt", "hello\n"), write("bye.txt", "<b>bye</b>\n"), bash("grep -q hello hello.txt")];
    [json!({ "calls": calls }), json!({"text": "Both are written."})]
}

fn rv_2_rehearsal_is_applied_without_a_file() {
    let end = [json!({"text": "Applied."}), json!({"text": "Nothing is left."})];
    let stage = Stage::new(&script(&[&[submit()], &rehearses()[..], &end[..]].concat()));
    let (mut term, _page, mut browser) = stage.open_review("Say hello");
    browser.rehearse();
    assert_eq!((stage.disk("hello.txt"), stage.disk("bye.txt")), (None, None), "the workspace does not change");
    browser.see("2 files");
    browser.see("<b>bye</b>");
    browser.see("grep -q hello hello.txt");
    browser.see("exited 0");
    let rows = "return [...document.querySelectorAll('.file')].map((file) => file.querySelector('summary').innerText.replace(/\\s+/g, ' '))";
    assert_eq!(browser.script(rows), json!(["bye.txt new +1 −0 step 2", "hello.txt new +1 −0 step 1"]));
    check_accessibility(&mut browser, &axe(), "the result of a rehearsal");
    browser.click_css("input[aria-label='Apply bye.txt']");
    browser.see("1 of 2 files; the checks have not run on this selection");
    browser.click("Apply exactly this");
    browser.see("Taken out: bye.txt.");
    browser.click("Confirm");
    browser.hear("Answered in the browser: approved");
    term.see("Answered in the browser: approved").unwrap();
    term.see("Applied the rehearsal: 1 file").unwrap();
    assert_eq!((stage.disk("hello.txt").as_deref(), stage.disk("bye.txt")), (Some("hello\n"), None));
}

fn rv_2_much_rehearsal_news_is_one_load() {
    let stage = Stage::new(&script(&[&[submit()], &rehearses()[..]].concat()));
    let (_term, _page, mut browser) = stage.open_review("Say hello");
    browser.see("Write the farewell");
    // The list of rehearsals comes late.
    browser.script(
        "window.held = []; const ask = window.fetch; window.fetch = (path, ...rest) => (path.endsWith('/rehearsals') \
         ? new Promise((go) => window.held.push(() => go(ask(path, ...rest)))) : ask(path, ...rest))",
    );
    browser.rehearse();
    assert_eq!(browser.script("return window.held.length"), 1, "the other news waits for this load");
    browser.script("window.held[0]()");
    browser.until("one more load, for all the news since", "return window.held.length === 2");
    browser.script("window.held[1]()");
    browser.see("2 files");
}

fn rh_5_result_is_kept_by_name_in_the_browser() {
    let stage = Stage::new(&script(&[&[submit()], &rehearses()[..]].concat()));
    let (mut term, _page, mut browser) = stage.open_review("Say hello");
    browser.rehearse();
    browser.click("Keep rehearsal r1");
    browser.see("the plan still waits");
    check_accessibility(&mut browser, &axe(), "the dialog that keeps a result");
    browser.fill("#keep-name", "../up");
    browser.click("Confirm");
    browser.hear("Rehearsal r1 was not kept");
    browser.click("Keep rehearsal r1");
    browser.fill("#keep-name", "spring");
    browser.click("Confirm");
    browser.hear("Rehearsal r1 is kept as spring");
    browser.see("kept as spring");
    browser.until("no second offer", "return document.querySelector(\"[aria-label='Keep rehearsal r1']\") === null");
    // The result outlives its review.
    browser.click("Discard rehearsal r1");
    browser.hear("Rehearsal r1 ended");
    term.press("esc").unwrap();
    let list = stage.command(&["rehearsals"]).output().unwrap();
    assert!(String::from_utf8_lossy(&list.stdout).contains("spring"), "{list:?}");
    let applied = stage.command(&["rehearsals", "apply", "spring"]).output().unwrap();
    assert!(applied.status.success(), "{applied:?}");
    assert_eq!(stage.disk("hello.txt").as_deref(), Some("hello\n"));
}

/// rehearse/terminal, rehearse/plain: a check that fails, a call outside the plan, and a file that changes meanwhile.
fn rh_2_rh_3_failed_check_and_a_changed_file() {
    let plan = PLAN.replace("grep -q hello hello.txt", "cat hello.txt; false");
    let calls = [write("hello.txt", "hi <b>there</b>\n"), bash("cat hello.txt; false"), write("extra.txt", "x\n")];
    let submitted = json!({"calls": [write("{plan}", &plan), {"name": "ExitPlanMode", "input": {}}]});
    let turns = [submitted, json!({ "calls": calls }), json!({"text": "It is written."})];
    let stage = Stage::new(&script(&[&turns[..], &vec![json!({"text": "Still open."}); 4]].concat()));
    let (mut term, _page, mut browser) = stage.open_review("Say hello");
    browser.rehearse();
    browser.see("not passed");
    // A failed check is unfolded, and its output is text.
    let output = "return document.querySelector('.ran[open] pre')?.textContent ?? null";
    assert!(browser.until("the output", output).as_str().unwrap().contains("hi <b>there</b>"));
    browser.see("Denied: would have been asked");
    browser.see("extra.txt");
    std::fs::write(stage.workspace().join("hello.txt"), "of another program\n").unwrap();
    browser.click("Apply exactly this");
    browser.click("Confirm");
    browser.hear("Rehearsal r1 was not applied");
    assert_eq!(stage.disk("hello.txt").as_deref(), Some("of another program\n"));
    assert!(browser.script("return document.querySelectorAll('.choice:enabled').length").as_u64() > Some(3));
    term.press("esc").unwrap();
}

fn rh_5_reached_limit_is_named_in_the_browser() {
    let [mut calls, end] = rehearses();
    calls["usage"] = json!({"input_tokens": 100_000, "output_tokens": 1_000});
    let stage = Stage::new(&script(&[submit(), calls, end]));
    let (mut term, _page, mut browser) = stage.open_review("Say hello");
    browser.click("Rehearsal");
    browser.fill("#rehearsal-budget", "0.01");
    browser.click("Start rehearsal");
    browser.hear("Rehearsal r1 finished");
    browser.see("stopped: it used up its budget of $0.01 (the budget chosen in the review)");
    assert_eq!(stage.disk("hello.txt"), None);
    term.press("esc").unwrap();
}

fn rh_7_rehearsals_are_compared_and_cancelled() {
    let waits = json!({"calls": [bash("echo started; read -r line < /dev/zero")]});
    let turns = [&[submit()], &rehearses()[..], &rehearses()[..], &[waits, json!({"text": "never"})][..]].concat();
    let stage = Stage::new(&script(&turns));
    let (mut term, _page, mut browser) = stage.open_review("Say hello");
    let address = browser.script("return location.pathname").as_str().unwrap().to_string();
    browser.rehearse();
    browser.fill("#rehearsal-model", "claude-opus-4-1");
    browser.click("Start rehearsal");
    browser.hear("Rehearsal r2 finished");
    // A page that comes later knows them too.
    let second = stage.serve();
    browser.open(&format!("http://127.0.0.1:{}{address}#{}", second.port, second.token));
    browser.click("Rehearsal");
    let rows = "return document.querySelectorAll('.rehearsals tbody tr').length";
    browser.until("both rehearsals", &format!("{rows} === 2"));
    browser.see("claude-opus-4-1");
    let pressed = |id: &str| {
        format!(
            "return document.querySelector(\"[aria-label='Show rehearsal {id}']\")?.getAttribute('aria-pressed') === 'true'"
        )
    };
    browser.until("the last result", &pressed("r2"));
    check_accessibility(&mut browser, &axe(), "compared rehearsals");
    browser.click("Show rehearsal r1");
    browser.until("the first result", &pressed("r1"));
    browser.click("Discard rehearsal r1");
    browser.hear("Rehearsal r1 ended: it was cancelled.");
    browser.click("Start rehearsal");
    browser.click("Cancel rehearsal r3");
    browser.hear("Rehearsal r3 ended: it was cancelled.");
    browser.until("what is left", &pressed("r2").replace("?.getAttribute('aria-pressed') === 'true'", " === null"));
    browser.see("Apply exactly this");
    term.press("esc").unwrap();
}

fn pc_32_rv_2_evidence_and_report() {
    let question = json!({"questions": [{"question": "Go on?", "header": "Go", "options": [
        {"label": "Yes", "description": "the farewell"}, {"label": "No", "description": "stop"}]}]});
    let plan = PLAN.replace("grep -q", "grep");
    let stage = Stage::new(&script(&[
        json!({"calls": [write("{plan}", &plan), {"name": "ExitPlanMode", "input": {}}]}),
        json!({"calls": [write("hello.txt", "hello\n"), bash("grep hello hello.txt"), {"name": "AskUserQuestion", "input": question}]}),
        json!({"calls": [write("bye.txt", "bye\n")]}),
        json!({"text": "Both are written."}),
    ]));
    let mut term = stage.with_waiting_plan();
    term.press("1").unwrap();
    term.see("enter confirm").unwrap();
    term.press("enter").unwrap();
    term.see("Go on?").unwrap();
    // The page starts in the middle of the implementation.
    let page = stage.serve();
    let mut browser = page.open_in_browser();
    browser.until("the plan in work", "return document.querySelector('.plans .state.runs')");
    browser.follow("Say hello");
    browser.see("1 of 2 steps checked");
    let states = "return [...document.querySelectorAll('.steps .word')].map((word) => word.textContent)";
    assert_eq!(browser.script(states), json!(["checked", "open"]));
    browser.see("exited 0");
    browser.click_css(".ran summary");
    let output = browser.script("return document.querySelector('.ran[open] pre').textContent");
    assert_eq!(output, "hello", "what the check printed");
    let axe = axe();
    check_accessibility(&mut browser, &axe, "evidence");
    let (evidence, address) = (browser.window(), format!("http://127.0.0.1:{}/", page.port));
    browser.new_window();
    browser.open(&address);
    browser.open_request("Go on?");
    browser.see("The agent asks");
    check_accessibility(&mut browser, &axe, "a question");
    browser.click_css("input[value=Yes]");
    browser.click("Send answers");
    browser.click("Confirm");
    browser.switch(&evidence);
    browser.see("Done as planned; nothing drifted.");
    check_accessibility(&mut browser, &axe, "the report");
    assert_eq!(browser.script(states), json!(["checked", "changed"]));
    browser.open(&address);
    browser.until("the finished plan", "return document.querySelector('.plans .state.done')");
    browser.see("1 checked, 1 changed · no drift");
    term.see("Both are written.").unwrap();
}
