//! Auto mode end to end through the library (PM-120 to PM-123): a scripted classifier that denies everything shows
//! which calls are classified; a wildcard shell rule shows whether rules are suspended; the transcript shows the
//! reminders.

#![allow(clippy::unwrap_used)]

use cutonce_agent::builder::{OpenedSession, SessionBuilder, SessionSelector};
use cutonce_agent::core::mode::Mode;
use cutonce_agent::core::protocol::event::{EndReason, EventKind};
use cutonce_agent::core::protocol::submission::{ChangedBy, Submission};
use cutonce_agent::{Approver, EventStream, Session};
use serde_json::json;
use std::path::{Path, PathBuf};

/// The outcome of a call.
#[derive(Debug, PartialEq, Eq)]
enum Fate {
    /// The classifier denied it.
    Judged,
    /// The classifier approved it.
    Allowed,
    /// It asked, but there was no approver.
    Asked,
    /// It ran without asking.
    Ran,
    /// Denied without asking.
    Denied,
}

struct World {
    folder: tempfile::TempDir,
    session: Option<(Session, EventStream)>,
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
        world.open(Some(mode), SessionSelector::New).await;
        world
    }
    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
    fn put(&self, name: &str, value: &serde_json::Value) {
        std::fs::write(self.path(name), value.to_string()).unwrap();
    }
    /// The user's settings, with the classifier and a rule that would bypass it.
    fn settings(&self, mut settings: serde_json::Value) {
        settings["auto"]["model"] = format!("scripted/{}", self.path("judge.json").display()).into();
        settings["permissions"] = json!({"allow": ["Bash(touch:*)"]});
        self.put("home/settings.json", &settings);
    }
    async fn open(&mut self, mode: Option<Mode>, which: SessionSelector) {
        if let Some((session, mut events)) = self.session.take() {
            session.submit(Submission::Close);
            while events.next().await.is_some() {}
        }
        let mut builder = SessionBuilder::new(self.path("home"), self.path("project"));
        builder.model.main = Some(format!("scripted/{}", self.path("main.json").display()));
        builder.permissions.approver = Approver::Absent;
        builder.permissions.bypass_available = true;
        builder.permissions.mode = mode;
        builder.resume.selector = which;
        let OpenedSession { session, events, .. } = builder.open().await.unwrap();
        self.session = Some((session, events));
    }
    fn set(&self, mode: Mode) {
        self.session.as_ref().unwrap().0.submit(Submission::SetMode { mode, by: ChangedBy::Host });
    }
    /// Runs one turn and returns the outcomes of WebFetch, Write and Bash.
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
                        () if reason.contains("this session can't ask") => Fate::Asked,
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
    /// How often the model was reminded that auto mode is off.
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
async fn pm_120_auto_needs_opt_in_and_gate() {
    let mut world = World::new(switches(true), Mode::Auto).await;
    assert_eq!(world.turn().await, [Judged, Judged, Judged], "the wildcard rule is suspended");
    world.set(Mode::Default);
    assert_eq!(world.turn().await, [Asked, Asked, Ran], "and restored");
    for closed in [json!({"auto": {"enabled": false}}), json!({"auto": {"enabled": true, "gate": false}})] {
        let mut world = World::new(closed, Mode::Auto).await;
        assert_eq!(world.turn().await, [Asked, Asked, Ran]);
        assert_eq!(world.told(), 0);
    }
}

#[tokio::test]
async fn pm_120_classifier_cannot_override_plan_mode() {
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
async fn pm_120_repeated_failures_close_the_gate() {
    let mut world = World::judged_by("Sure, go ahead!", switches(true), Mode::Auto).await;
    // Each of the three is a failure; the third closes the gate and restores the rule.
    assert_eq!(world.turn().await, [Asked, Asked, Ran]);
    assert_eq!(world.turn().await, [Asked, Asked, Ran]);
    assert_eq!(world.told(), 1);
    world.set(Mode::Auto);
    assert_eq!(world.turn().await, [Asked, Asked, Ran], "it stays closed for this process");
}

#[tokio::test]
async fn pm_121_entering_and_leaving_row_by_row() {
    let check = async |before: Mode, uses: bool, in_plan: Fate, told: usize| {
        let row = format!("{before}, plan uses auto: {uses}");
        let mut world = World::new(switches(uses), before).await;
        world.set(Mode::Plan);
        assert_eq!(world.turn().await, [in_plan, Denied, Denied], "{row}");
        world.set(Mode::Default);
        assert_eq!(world.turn().await, [Asked, Asked, Ran], "{row}: rules are restored");
        assert_eq!(world.turn().await, [Asked, Asked, Ran], "{row}");
        assert_eq!(world.told(), told, "{row}: reminded at most once");
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
async fn pm_122_settings_changed_in_plan_mode() {
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
async fn pm_123_rules_stay_suspended_after_resume() {
    let mut world = World::new(switches(false), Mode::Auto).await;
    world.set(Mode::Plan);
    assert_eq!(world.turn().await, [Asked, Denied, Denied]);
    world.set(Mode::Auto);
    assert_eq!(world.turn().await, [Judged, Judged, Judged]);
    world.open(None, SessionSelector::Latest).await;
    assert_eq!(world.turn().await, [Judged, Judged, Judged], "the mode was restored with the session");
    world.settings(json!({"auto": {"enabled": false}}));
    world.open(None, SessionSelector::Latest).await;
    assert_eq!(world.turn().await, [Asked, Asked, Ran], "without opt-in: default mode with all rules");
}
