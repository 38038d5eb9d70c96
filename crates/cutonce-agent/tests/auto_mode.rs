//! Auto mode end to end through the library (PM-120 to PM-123): a scripted classifier that denies everything shows exactly which calls are
//! judged; a shell rule with a wildcard shows whether rules are set aside; the transcript shows what the model was told.

#![allow(clippy::unwrap_used)]

use cutonce_agent::core::event::{EndReason, EventKind};
use cutonce_agent::core::mode::Mode;
use cutonce_agent::core::submission::{By, Submission};
use cutonce_agent::start::{Opened, Start, Which};
use cutonce_agent::{Approver, Events, Session};
use serde_json::json;
use std::path::{Path, PathBuf};

/// What happened to a call.
#[derive(Debug, PartialEq, Eq)]
enum Fate {
    /// The classifier denied it.
    Judged,
    /// The classifier let it through.
    Allowed,
    /// It asked, and nobody could answer.
    Asked,
    /// It ran without asking.
    Ran,
    /// Denied before anybody was asked.
    Denied,
}

struct World {
    folder: tempfile::TempDir,
    session: Option<(Session, Events)>,
}

fn switches(uses: bool) -> serde_json::Value {
    json!({"auto": {"enabled": true}, "plan": {"useAuto": uses, "shell": "readonly"}})
}

impl World {
    async fn new(settings: serde_json::Value, mode: Mode) -> World {
        World::judged_by(r#"{"verdict": "deny", "reason": "not this"}"#, settings, mode).await
    }
    async fn judged_by(verdict: &str, settings: serde_json::Value, mode: Mode) -> World {
        let mut world = World { folder: tempfile::tempdir().unwrap(), session: None };
        std::fs::create_dir_all(world.path("project")).unwrap();
        std::fs::create_dir_all(world.path("home")).unwrap();
        // Every turn tries the same three calls, then ends.
        let mut all = Vec::new();
        for n in 1..=20 {
            let command = format!("touch {n}.txt");
            all.push(json!({"calls": [
                {"name": "WebFetch", "input": {"url": "http://127.0.0.1:9/", "prompt": "x"}},
                {"name": "Write", "input": {"file_path": "a.txt", "content": "x"}},
                {"name": "Bash", "input": {"command": command}}]}));
            all.push(json!({"text": "done"}));
        }
        world.put("main.json", &json!({"turns": all}));
        let deny = json!({"repeat": 1000, "text": verdict});
        world.put("judge.json", &json!({"turns": [deny]}));
        world.settings(settings);
        world.open(Some(mode), Which::New).await;
        world
    }
    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
    fn put(&self, name: &str, value: &serde_json::Value) {
        std::fs::write(self.path(name), value.to_string()).unwrap();
    }
    /// The user's settings, with the classifier and a rule that would skip it.
    fn settings(&self, mut settings: serde_json::Value) {
        settings["auto"]["model"] = format!("scripted/{}", self.path("judge.json").display()).into();
        settings["permissions"] = json!({"allow": ["Bash(touch:*)"]});
        self.put("home/settings.json", &settings);
    }
    async fn open(&mut self, mode: Option<Mode>, which: Which) {
        if let Some((session, mut events)) = self.session.take() {
            session.submit(Submission::Close);
            while events.next().await.is_some() {}
        }
        let start = Start {
            home: self.path("home"),
            cwd: self.path("project"),
            model: Some(format!("scripted/{}", self.path("main.json").display())),
            approver: Approver::Nobody,
            bypass_available: true,
            mode,
            which,
            ..Start::default()
        };
        let Opened { session, events, .. } = start.open().await.unwrap();
        self.session = Some((session, events));
    }
    fn set(&self, mode: Mode) {
        self.session.as_ref().unwrap().0.submit(Submission::SetMode { mode, by: By::Host });
    }
    /// One turn: what became of WebFetch, Write and Bash.
    async fn turn(&mut self) -> [Fate; 3] {
        let (session, events) = self.session.as_mut().unwrap();
        session.say("go on");
        let mut fates = Vec::new();
        loop {
            match events.next().await.unwrap().kind {
                EventKind::ToolFinished(finished) => {
                    let reason = finished.decision.why.reason.clone();
                    fates.push(match () {
                        () if reason.starts_with("auto mode: denied: not this") => Fate::Judged,
                        () if reason.starts_with("auto mode: sure") => Fate::Allowed,
                        () if reason.contains("nobody can answer") => Fate::Asked,
                        () if reason.contains("plan mode is read-only") => Fate::Denied,
                        () if reason.contains("allowed by the rule") => Fate::Ran,
                        () => panic!("{} {reason}", finished.name),
                    });
                }
                EventKind::TurnEnded(ended) => {
                    assert_eq!(ended.reason, EndReason::Completed);
                    return fates.try_into().unwrap();
                }
                _ => {}
            }
        }
    }
    /// How often the model was told that auto is off.
    fn told(&self) -> usize {
        transcripts(&self.path("home/projects")).matches(r#""kind":"auto_mode_exit""#).count()
    }
}

fn transcripts(folder: &Path) -> String {
    let mut text = String::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            text.push_str(&transcripts(&path));
        } else if path.extension().is_some_and(|end| end == "jsonl") {
            text.push_str(&std::fs::read_to_string(&path).unwrap());
        }
    }
    text
}

use Fate::{Allowed, Asked, Denied, Judged, Ran};

#[tokio::test]
async fn pm_120_auto_needs_opt_in_and_gate_and_judges_what_would_be_asked() {
    let mut world = World::new(switches(true), Mode::Auto).await;
    assert_eq!(world.turn().await, [Judged, Judged, Judged], "the wildcard rule is set aside");
    world.set(Mode::Default);
    assert_eq!(world.turn().await, [Asked, Asked, Ran], "and given back");
    for closed in [json!({"auto": {"enabled": false}}), json!({"auto": {"enabled": true, "gate": false}})] {
        let mut world = World::new(closed, Mode::Auto).await;
        assert_eq!(world.turn().await, [Asked, Asked, Ran]);
        assert_eq!(world.told(), 0);
    }
}

#[tokio::test]
async fn pm_120_a_classifier_that_allows_everything_opens_nothing_that_plan_mode_denies() {
    let yes = r#"{"verdict": "allow", "reason": "sure"}"#;
    for before in [Mode::Default, Mode::AcceptEdits, Mode::Auto] {
        let mut world = World::judged_by(yes, switches(true), before).await;
        world.set(Mode::Plan);
        assert_eq!(world.turn().await, [Allowed, Denied, Denied], "{before}");
        assert_eq!(std::fs::read_dir(world.path("project")).unwrap().count(), 0, "{before}");
    }
    let mut world = World::judged_by(yes, switches(true), Mode::Auto).await;
    assert_eq!(world.turn().await, [Allowed, Allowed, Allowed]);
    assert_eq!(std::fs::read_dir(world.path("project")).unwrap().count(), 2);
}

#[tokio::test]
async fn pm_120_repeated_failures_close_the_gate_and_nothing_runs_unjudged() {
    let mut world = World::judged_by("Sure, go ahead!", switches(true), Mode::Auto).await;
    // Each of the three counts as a failure; the third closes the gate, and the rule is back.
    assert_eq!(world.turn().await, [Asked, Asked, Ran]);
    assert_eq!(world.turn().await, [Asked, Asked, Ran]);
    assert_eq!(world.told(), 1);
    world.set(Mode::Auto);
    assert_eq!(world.turn().await, [Asked, Asked, Ran], "it stays closed for this process");
}

#[tokio::test]
async fn pm_121_pm_123_entering_and_leaving_row_by_row() {
    let check = async |before: Mode, uses: bool, in_plan: Fate, told: usize| {
        let row = format!("{before}, plan uses auto: {uses}");
        let mut world = World::new(switches(uses), before).await;
        world.set(Mode::Plan);
        assert_eq!(world.turn().await, [in_plan, Denied, Denied], "{row}");
        world.set(Mode::Default);
        assert_eq!(world.turn().await, [Asked, Asked, Ran], "{row}: rules are given back");
        assert_eq!(world.turn().await, [Asked, Asked, Ran], "{row}");
        assert_eq!(world.told(), told, "{row}: told once, or not at all");
    };
    check(Mode::Plan, true, Judged, 1).await;
    check(Mode::Plan, false, Asked, 0).await;
    check(Mode::Auto, true, Judged, 1).await;
    check(Mode::Auto, false, Asked, 1).await;
    check(Mode::Default, true, Judged, 1).await;
    check(Mode::AcceptEdits, true, Judged, 1).await;
    check(Mode::BypassPermissions, true, Asked, 0).await;
    check(Mode::BypassPermissions, false, Asked, 0).await;
    check(Mode::Default, false, Asked, 0).await;
    check(Mode::AcceptEdits, false, Asked, 0).await;
}

#[tokio::test]
async fn pm_122_settings_that_change_in_plan_mode_row_by_row() {
    let check = async |before: Mode, from: bool, to: serde_json::Value, fate: Fate| {
        let row = format!("{before}, {from} → {to}");
        let mut world = World::new(switches(from), before).await;
        world.set(Mode::Plan);
        world.turn().await;
        world.settings(to);
        assert_eq!(world.turn().await, [fate, Denied, Denied], "{row}");
        world.set(Mode::Default);
        assert_eq!(world.turn().await, [Asked, Asked, Ran], "{row}");
    };
    let closed = json!({"auto": {"enabled": true, "gate": false}, "plan": {"useAuto": true, "shell": "readonly"}});
    let left = json!({"auto": {"enabled": false}, "plan": {"useAuto": true, "shell": "readonly"}});
    let mut same = switches(true);
    same["theme"] = "dark".into();
    check(Mode::Default, true, same.clone(), Judged).await;
    check(Mode::Default, false, switches(true), Judged).await;
    check(Mode::Auto, true, switches(false), Asked).await;
    check(Mode::AcceptEdits, true, closed, Asked).await;
    check(Mode::Default, true, left, Asked).await;
    check(Mode::BypassPermissions, false, switches(true), Asked).await;
    check(Mode::BypassPermissions, true, same, Asked).await;
}

#[tokio::test]
async fn pm_123_to_auto_rules_stay_aside_and_a_resume_sets_them_aside_again() {
    let mut world = World::new(switches(false), Mode::Auto).await;
    world.set(Mode::Plan);
    assert_eq!(world.turn().await, [Asked, Denied, Denied]);
    world.set(Mode::Auto);
    assert_eq!(world.turn().await, [Judged, Judged, Judged]);
    world.open(None, Which::Latest).await;
    assert_eq!(world.turn().await, [Judged, Judged, Judged], "the mode came back with the session");
    world.settings(json!({"auto": {"enabled": false}}));
    world.open(None, Which::Latest).await;
    assert_eq!(world.turn().await, [Asked, Asked, Ran], "no opt-in any more: default, with all rules");
}
