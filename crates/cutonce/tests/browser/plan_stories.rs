//! The terminal's review stories, played on the page (RV-1 to RV-4, RV-7).

use crate::stage::{Stage, plans};
use crate::webdriver::Browser;
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

crate::tests!(
    rv_2_approve_in_the_browser,
    rv_2_send_back_with_comments,
    rv_2_edit_goes_with_the_choice,
    rv_2_steps_model_and_budget,
    rv_2_questions_and_permissions,
    rv_2_long_plan_is_shown_whole,
    rv_2_plan_of_2_mb_is_shown_whole,
    rv_3_page_that_slept_shows_changes,
    ho_9_rv_3_all_pages_and_terminal_hear,
    rv_4_keyboard_alone_comments_and_approves,
    rv_4_axe_finds_no_violation,
    rv_4_wide_tables_and_right_to_left_text,
    rv_5_hostile_plan_stays_text,
    rv_1_key_w_opens_the_plan,
    rv_2_page_listens_before_it_loads,
    rv_6_exported_plan_takes_comments,
);

const PLAN: &str = "# Move sessions to cookies\n\nThe store goes away.\n\n## Steps\n\n1. Sign the cookie\n   - files: sign.txt\n2. Drop the table\n   - files: table.txt\n";

fn rv_2_approve_in_the_browser() {
    let stage = Stage::new(&plans(&[PLAN]));
    let mut term = stage.with_waiting_plan();
    let page = stage.serve();
    let mut browser = page.open_in_browser();
    browser.see("Waiting for you");
    let listed = "return document.querySelectorAll('[role=list] a[href^=\"/review/\"]').length";
    browser.until("the request", listed);
    browser.open_request("Move sessions to cookies");
    browser.see("Sign the cookie");
    assert_eq!(browser.script("return document.querySelectorAll('[data-line]').length"), PLAN.lines().count());
    assert_eq!(browser.script("return location.hash"), "");
    browser.click("Approve, accept edits automatically → acceptEdits");
    let asked = browser.until("the confirmation", "return document.querySelector('[role=dialog]')?.innerText");
    let asked = asked.as_str().unwrap_or_default();
    assert!(asked.contains("is approved. The agent starts at once and changes files without asking."), "{asked}");
    browser.click("Confirm");
    browser.hear("Answered in the browser: approved, edits are accepted automatically.");
    term.see("Answered in the browser: approved, edits are accepted automatically.").unwrap();
    term.see("Done as planned").unwrap();
}

fn rv_2_send_back_with_comments() {
    let second = PLAN.replace("Drop the table", "Keep the table for a month");
    let stage = Stage::new(&plans(&[PLAN, &second]));
    let (mut term, _page, mut browser) = stage.open_review("Move sessions to cookies");
    browser.comment(9, "keep it for a month");
    browser.hear("Comment on line 9 saved");
    browser.click("Keep planning, with feedback → plan");
    browser.see("Sent along: 1 comment.");
    browser.fill("dialog textarea", "safer please");
    browser.click("Confirm");
    browser.hear("Revision 2 waits now.");
    let told = stage.last_request();
    assert!(told.contains("keep it for a month") && told.contains("safer please"), "{told}");
    // What changed is shown first; the choices wait for that.
    browser.see("Keep the table for a month");
    let enabled = "return document.querySelectorAll('.choice:enabled').length";
    assert_eq!(browser.script(enabled), 0);
    browser.click("Continue with revision 2");
    assert!(browser.script(enabled).as_u64() > Some(3));
    browser.click("Diff");
    browser.until("the diff", "return document.querySelector('.row.add mark')?.textContent");
    browser.click("Approve, confirm each edit → default");
    browser.click("Confirm");
    term.see("Done as planned").unwrap();
}

fn rv_2_edit_goes_with_the_choice() {
    let stage = Stage::new(&plans(&[PLAN]));
    let (mut term, _page, mut browser) = stage.open_review("Move sessions to cookies");
    browser.click("Edit");
    browser.fill("textarea", "# Mine\n\n1. Only this\n");
    browser.click("Approve, confirm each edit → default");
    browser.see("Sent along: your edit.");
    browser.click("Confirm");
    term.see("Done as planned").unwrap();
    let told = stage.last_request();
    assert!(told.contains("Approved Plan (edited by user)") && told.contains("1. Only this"), "{told}");
}

fn rv_2_steps_model_and_budget() {
    let stage = Stage::new(&plans(&[PLAN]));
    let (mut term, _page, mut browser) = stage.open_review("Move sessions to cookies");
    browser.click("Steps");
    browser.see("2. Drop the table");
    browser.click_css("input[name=step-2][value=park]");
    browser.click_css("input[name=step-1][value=drop]");
    browser.click("Approve, accept edits automatically → acceptEdits");
    browser.hear("No step is approved");
    browser.click_css("input[name=step-1][value=approve]");
    // No number: the browser gives the field no value, which must not mean "no limit".
    browser.fill("#budget", "1e");
    browser.click("Approve, accept edits automatically → acceptEdits");
    browser.hear("The budget can't be read");
    browser.fill("#budget", "2.50");
    browser.see("1 step parked, budget $2.50");
    browser.click("Approve, accept edits automatically → acceptEdits");
    browser.click("Confirm");
    browser.hear("Answered in the browser: approved");
    term.see("Done").unwrap();
    let told = stage.last_request();
    assert!(told.contains("do not implement these steps") && told.contains("2. Drop the table (parked)"), "{told}");
    // The page of the plan shows the evidence.
    browser.follow("Follow the plan");
    browser.see("Report");
    browser.see("2. Drop the table");
}

fn rv_2_questions_and_permissions() {
    let asks = json!({"questions": [{"question": "Which store?", "header": "Store", "options": [
        {"label": "Cookies", "description": "no table"}, {"label": "Table", "description": "as now"}]}]});
    let script = json!({"turns": [
        {"calls": [{"name": "AskUserQuestion", "input": asks}]},
        {"calls": [{"name": "Write", "input": {"file_path": "made.txt", "content": "x"}}]},
        {"text": "All done."}]});
    let stage = Stage::new(&script.to_string());
    let mut term = stage.terminal("default", &[]);
    term.see("Which store?").unwrap();
    let page = stage.serve();
    let mut browser = page.open_in_browser();
    browser.open_request("Which store?");
    browser.click_css("input[value=Cookies]");
    browser.click("Send answers");
    browser.see("The agent gets your answers and continues: Cookies");
    browser.click("Confirm");
    browser.hear("Answered in the browser: answered.");
    browser.open(&format!("http://127.0.0.1:{}/", page.port));
    browser.open_request("Write");
    browser.click("Allow once");
    browser.click("Confirm");
    browser.hear("Answered in the browser: allowed.");
    term.see("All done.").unwrap();
    assert_eq!(stage.disk("made.txt").as_deref(), Some("x"));
    assert!(stage.last_request().contains("Cookies"));
}

fn rv_2_long_plan_is_shown_whole() {
    let long: String = (1..=6_000).map(|line| format!("- line {line} of a long plan\n")).collect();
    let stage = Stage::new(&plans(&[&format!("# Long\n\n{long}")]));
    let (mut term, _page, mut browser) = stage.open_review("Long");
    browser.see("line 10 of a long plan");
    browser.until("all lines", "return document.querySelectorAll('[data-line]').length === 6002");
    browser.fill("input[type=search]", "line 5999 ");
    browser.see("1 of 1");
    term.press("esc").unwrap();
}

fn rv_2_plan_of_2_mb_is_shown_whole() {
    let line = "- a line with many words, to make the plan as large as one may be ".repeat(16);
    let lines: String = (1..=1_900).map(|number| format!("{line}{number}\n")).collect();
    let plan = format!("# Large\n\n{lines}");
    assert!((1_900_000..2 << 20).contains(&plan.len()), "{}", plan.len());
    let stage = Stage::new(&plans(&[&plan]));
    let (mut term, _page, mut browser) = stage.open_review("Large");
    browser.until("all lines", "return document.querySelectorAll('[data-line]').length === 1902");
    let last = "return document.querySelector('[data-line=\"1902\"] .t').textContent.endsWith(' 1900')";
    assert_eq!(browser.script(last), true);
    take_pictures(&mut browser, "plan of 2 MB");
    browser.click("Leave plan mode and keep the plan; nothing runs → default");
    browser.click("Confirm");
    term.see("Answered in the browser: plan mode was left").unwrap();
}

/// Sends the plan back from the terminal, with these words.
fn request_changes(term: &mut crate::pty::Term, words: &str) {
    term.press("5").unwrap();
    term.see("What should change?").unwrap();
    term.send(words.as_bytes()).unwrap();
    term.see(words).unwrap();
    // Earlier, Enter does not confirm.
    term.see("enter send").unwrap();
    term.press("enter").unwrap();
}

fn rv_3_page_that_slept_shows_changes() {
    let second = PLAN.replace("Drop the table", "Keep the table");
    let stage = Stage::new(&plans(&[PLAN, &second]));
    let (mut term, _page, mut browser) = stage.open_review("Move sessions to cookies");
    browser.see("Sign the cookie");
    browser.cdp("Page.setWebLifecycleState", json!({"state": "frozen"}));
    request_changes(&mut term, "keep it");
    term.see("Plan rev 2").unwrap();
    browser.cdp("Page.setWebLifecycleState", json!({"state": "active"}));
    browser.see("Revision 2 waits now.");
    browser.until("the change", "return document.querySelector('.row.add')?.textContent.includes('Keep the table')");
    assert_eq!(browser.script("return document.querySelectorAll('.choice:enabled').length"), 0);
    browser.click("Continue with revision 2");
    browser.click("Approve, confirm each edit → default");
    browser.click("Confirm");
    term.see("Answered in the browser").unwrap();
    term.see("Done as planned").unwrap();
}

fn ho_9_rv_3_all_pages_and_terminal_hear() {
    let stage = Stage::new(&plans(&[PLAN]));
    let (mut term, _page, mut browser) = stage.open_review("Move sessions to cookies");
    browser.see("Sign the cookie");
    let (first, address) = (browser.window(), browser.script("return location.href"));
    let _second = browser.new_window();
    browser.open(address.as_str().unwrap());
    browser.click("Leave plan mode and keep the plan; nothing runs → default");
    browser.see("Nothing runs. Plan mode ends");
    // The terminal is faster.
    term.press("2").unwrap();
    term.see("enter confirm").unwrap();
    term.press("enter").unwrap();
    let told = "Answered in the terminal: approved, each edit is confirmed.";
    browser.hear(told);
    browser.until("no choice", "return !document.querySelector('.choice') && !document.querySelector('dialog')");
    browser.switch(&first);
    browser.hear(told);
    term.see("Done as planned").unwrap();
}

fn rv_4_keyboard_alone_comments_and_approves() {
    let stage = Stage::new(&plans(&[PLAN]));
    let mut term = stage.with_waiting_plan();
    let page = stage.serve();
    let mut browser = page.open_in_browser();
    browser.see("Move sessions to cookies");
    let (tab, enter, down) = ("\u{e004}", "\u{e007}", "\u{e015}");
    let focus = "const now = document.activeElement; \
                 return now.matches('a, button') ? (now.getAttribute('aria-label') ?? now.textContent) : ''";
    let reach = |browser: &mut Browser, what: &str| {
        for _ in 0..40 {
            if browser.script(focus).as_str().is_some_and(|name| name.contains(what)) {
                return;
            }
            browser.keys(tab);
        }
        panic!("Tab does not lead to {what}");
    };
    reach(&mut browser, "Move sessions to cookies");
    browser.keys(enter);
    browser.see("Sign the cookie");
    reach(&mut browser, "Comment on line 1");
    browser.keys(down);
    browser.keys(down);
    assert_eq!(browser.script(focus), "Comment on line 3");
    browser.keys(enter);
    browser.keys("is it?");
    reach(&mut browser, "Save comment");
    browser.keys(enter);
    browser.hear("Comment on line 3 saved");
    reach(&mut browser, "Approve, confirm each edit");
    browser.keys(enter);
    browser.see("Sent along: 1 comment.");
    reach(&mut browser, "Confirm");
    browser.keys(enter);
    term.see("Done as planned").unwrap();
    assert!(stage.last_request().contains("is it?"));
}

/// axe-core from npm, in the target folder.
pub fn axe() -> String {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("axe");
    let script = folder.join("node_modules/axe-core/axe.min.js");
    if !script.exists() {
        std::fs::create_dir_all(&folder).unwrap();
        let args = ["install", "--no-audit", "--no-fund", "--silent", "--prefix", ".", "axe-core@4.10.3"];
        let done = Command::new("npm").args(args).current_dir(&folder).status().unwrap();
        assert!(done.success(), "npm install axe-core");
    }
    std::fs::read_to_string(script).unwrap()
}

/// Widths and colour schemes in which each page is checked.
const LOOKS: [(u32, &str); 4] = [(1440, "light"), (1440, "dark"), (390, "dark"), (390, "light")];
/// Further looks for pictures.
const MORE_LOOKS: [(u32, &str); 2] = [(768, "light"), (768, "dark")];

/// What a finger would miss. Lines of a plan keep their height; links within sentences are text.
const SMALL_TARGETS: &str = "const all = document.querySelectorAll(
        'button:not(.n), summary, select, textarea, input[type=text], input[type=search], input[type=number], .radios label, .option, a.row, nav a, .brand');
    const height = (one) => Math.round(one.getBoundingClientRect().height);
    return [...all].filter((one) => one.checkVisibility() && height(one) > 0 && height(one) < 44).map((one) => `${one.textContent} ${height(one)}`)";

/// Checks the page as it is, in light and dark, on a phone and a wide screen; nothing may be cut off.
pub fn check_accessibility(browser: &mut Browser, axe: &str, what: &str) {
    if browser.script("return typeof axe === 'undefined'") == true {
        browser.script(axe);
    }
    let more = MORE_LOOKS.iter().filter(|_| std::env::var_os("SHOTS").is_some());
    for (width, scheme) in LOOKS.iter().chain(more).copied() {
        browser.resize(width, 900);
        browser.set_scheme(scheme);
        let name = format!("{what}-{width}-{scheme}");
        run_axe(browser, &name);
        let fits = browser.script("return document.documentElement.scrollWidth <= innerWidth");
        assert_eq!(fits, true, "{name}: nothing is cut off");
        if width < 768 {
            assert_eq!(browser.script(SMALL_TARGETS), json!([]), "{name}: a finger needs 44 pixels");
        }
        browser.picture(&name);
    }
    browser.resize(1280, 900);
    browser.set_scheme("");
}

/// Pictures in all looks, if they are wanted.
fn take_pictures(browser: &mut Browser, what: &str) {
    for (width, scheme) in LOOKS.iter().chain(&MORE_LOOKS).filter(|_| std::env::var_os("SHOTS").is_some()) {
        browser.resize(*width, 900);
        browser.set_scheme(scheme);
        browser.picture(&format!("{what}-{width}-{scheme}"));
    }
    browser.resize(1280, 900);
    browser.set_scheme("");
}

fn run_axe(browser: &mut Browser, what: &str) {
    let found = browser.script_async(
        "const done = arguments[arguments.length - 1]; \
         axe.run(document).then((r) => done(r.violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html).slice(0, 3).join(' ')}`)), \
         (e) => done([String(e)]))",
    );
    assert_eq!(found, json!([]), "{what}");
}

fn rv_4_axe_finds_no_violation() {
    let second = PLAN.replace("Drop the table", "Keep the table");
    let stage = Stage::new(&plans(&[PLAN, &second]));
    let mut term = stage.with_waiting_plan();
    request_changes(&mut term, "keep it");
    term.see("Plan rev 2").unwrap();
    let page = stage.serve();
    let mut browser = Browser::take();
    let axe = axe();
    browser.open(&page.url);
    browser.see("Move sessions to cookies");
    check_accessibility(&mut browser, &axe, "board");
    browser.open_request("Move sessions to cookies");
    browser.see("Sign the cookie");
    browser.comment(7, "sign it with the old key, too");
    check_accessibility(&mut browser, &axe, "plan");
    browser.click("Steps");
    check_accessibility(&mut browser, &axe, "steps");
    browser.click("Steps");
    browser.click("Diff");
    browser.until("the diff", "return document.querySelector('.row.add')");
    check_accessibility(&mut browser, &axe, "diff");
    browser.click("Keep planning, with feedback → plan");
    browser.see("Nothing is approved.");
    check_accessibility(&mut browser, &axe, "dialog");
    browser.click("Cancel");
    browser.click("Rehearsal");
    browser.see("A rehearsal carries the plan out");
    check_accessibility(&mut browser, &axe, "rehearsals");
    term.press("esc").unwrap();
}

fn rv_4_wide_tables_and_right_to_left_text() {
    let row = |cell: &str| format!("|{}\n", format!(" {cell} |").repeat(12));
    let arabic = "\u{647}\u{630}\u{627} \u{646}\u{635} `a_call()` \u{639}\u{631}\u{628}\u{64a}.";
    let plan = format!("# Wide\n\n{}{}{}\n{arabic}\n", row("name"), row("---"), row("`x` y"));
    let stage = Stage::new(&plans(&[&plan]));
    let (_term, _page, mut browser) = stage.open_review("Wide");
    browser.resize(390, 900);
    browser.see("a_call()");
    let narrow = "return [...document.querySelectorAll('.t .cell')].filter((cell) => cell.getBoundingClientRect().width < 60).length";
    assert_eq!(browser.script(narrow), 0, "columns that can be read");
    let columns = "const left = (line) => [...document.querySelectorAll(`[data-line='${line}'] .cell`)].map((cell) => cell.getBoundingClientRect().left);
        return left(3).length === 12 && String(left(3)) === String(left(5))";
    assert_eq!(browser.script(columns), true, "aligned columns");
    let code = "return getComputedStyle(document.querySelector('.cell')).display + ' ' + getComputedStyle(document.querySelector('.cell code')).display";
    assert_eq!(browser.script(code), "block inline", "code stays in its sentence");
    let line = "const line = document.querySelector(\"[data-line='7'] .t\"); const words = document.createRange();
        words.selectNodeContents(line); const code = getComputedStyle(line.querySelector('code'));
        return [Math.round(line.getBoundingClientRect().right - words.getBoundingClientRect().right), code.direction, code.unicodeBidi]";
    assert_eq!(browser.script(line), json!([0, "ltr", "isolate"]), "at the right edge, with code as it is typed");
}

fn rv_5_hostile_plan_stays_text() {
    let hostile = "# <img src=x onerror=\"window.hacked=1\">Title\n\n<script>window.hacked=2</script>\n\n\
        [click](javascript:window.hacked=3) ![pixel](http://127.0.0.1:1/pixel.png)\n\n\
        </div></div></main><iframe src=\"http://127.0.0.1:1/\"></iframe>\n\n\
        safe \u{202e}txt.exe\u{202c} and p\u{430}ssword\n\n```html\n<svg onload=window.hacked=4>\n```\n";
    let stage = Stage::new(&plans(&[hostile]));
    let (mut term, _page, mut browser) = stage.open_review("Title");
    browser.see("<script>window.hacked=2</script>");
    browser.see("\\u{202e}txt.exe");
    assert_eq!(browser.script("return window.hacked ?? null"), Value::Null);
    let strangers = "return document.querySelectorAll('main script, main iframe, main img, main svg, [onerror], a[href^=javascript]').length";
    assert_eq!(browser.script(strangers), 0);
    assert_eq!(browser.script("return document.querySelectorAll('[data-line]').length"), hostile.lines().count());
    let loaded = "return performance.getEntriesByType('resource').map((r) => new URL(r.name).host).filter((h) => h !== location.host)";
    assert_eq!(browser.script(loaded), json!([]));
    term.press("esc").unwrap();
}

fn rv_2_page_listens_before_it_loads() {
    let stage = Stage::new(&plans(&[PLAN]));
    let _term = stage.with_waiting_plan();
    let page = stage.serve();
    let mut browser = Browser::take();
    // Records in which order the page listens and loads. A change between the two would be lost in the other order.
    let record = "window.order = []; const [ask, Listen] = [window.fetch, window.EventSource];
        window.fetch = (path, ...rest) => { window.order.push(path.split('?')[0]); return ask(path, ...rest); };
        window.EventSource = class extends Listen {
            constructor(path) { super(path); this.addEventListener('open', () => window.order.push('listens')); } };";
    browser.cdp("Page.addScriptToEvaluateOnNewDocument", json!({ "source": record }));
    browser.open(&page.url);
    browser.see("Move sessions to cookies");
    let order = browser.script("return window.order.slice(0, 3)");
    assert_eq!(order, json!(["/api/login", "listens", "/api/board"]));
}

fn rv_1_key_w_opens_the_plan() {
    let stage = Stage::new(&plans(&[PLAN]));
    let opener = stage.path("my-browser");
    let seen = stage.path("opened");
    let script = format!("#!/bin/sh\nprintf %s \"$1\" > {0}.part && mv {0}.part {0}\n", seen.display());
    std::fs::write(&opener, script).unwrap();
    std::fs::set_permissions(&opener, PermissionsExt::from_mode(0o755)).unwrap();
    let mut term = stage.with_waiting_plan_in(&[("BROWSER", opener.to_str().unwrap())]);
    term.press("w").unwrap();
    let url = wait_for_file(&seen);
    assert!(url.contains("/review/") && url.contains('#'), "{url}");
    let mut browser = Browser::take();
    browser.open(&url);
    browser.see("Sign the cookie");
    browser.click("Leave plan mode and keep the plan; nothing runs → default");
    browser.click("Confirm");
    term.see("Answered in the browser: plan mode was left, the plan is kept.").unwrap();
    // The page that `w` started is ended by its process id.
    let port = url.split(':').nth(2).and_then(|rest| rest.split('/').next()).unwrap().to_string();
    let found = Command::new("sh").args(["-c", &format!("for p in /proc/[0-9]*; do grep -qz until-idle $p/cmdline 2>/dev/null && tr '\\0' '\\n' < $p/environ 2>/dev/null | grep -q {} && basename $p; done; true", stage.path("").display())]).output().unwrap();
    for pid in String::from_utf8_lossy(&found.stdout).split_whitespace() {
        let _ = Command::new("kill").arg(pid).status();
    }
    assert!(!port.is_empty());
}

fn wait_for_file(path: &Path) -> String {
    loop {
        if let Ok(text) = std::fs::read_to_string(path) {
            return text;
        }
        std::thread::yield_now();
    }
}

fn rv_6_exported_plan_takes_comments() {
    let stage = Stage::new(&plans(&[PLAN]));
    let mut term = stage.with_waiting_plan();
    term.press("esc").unwrap();
    let listed = stage.command(&["plans", "list", "--json"]).output().unwrap();
    let slug = serde_json::from_slice::<Value>(&listed.stdout).unwrap()["slug"].as_str().unwrap().to_string();
    let file = stage.workspace().join(format!("{slug}.html"));
    let mut export = stage.in_terminal(&["plans", "export", &slug, "--html"], &[]);
    export.see(&format!("{slug}.html")).unwrap();
    export.end().unwrap();
    let mut browser = Browser::take();
    browser.open(&format!("file://{}", file.display()));
    browser.comment(7, "which key?");
    // The download is caught on its way to the disk.
    browser
        .script("URL.createObjectURL = (blob) => { blob.text().then((text) => (window.saved = text)); return '#'; }");
    browser.click("Save comments to a file");
    let saved = browser.until("the comments", "return window.saved ?? null");
    let comments = stage.workspace().join("comments.json");
    std::fs::write(&comments, saved.as_str().unwrap()).unwrap();
    let read = stage.command(&["plans", "comments", comments.to_str().unwrap()]).output().unwrap();
    let told = String::from_utf8_lossy(&read.stdout).into_owned();
    assert!(told.contains("7: 1. Sign the cookie\n    which key?"), "{told} {read:?}");
}
