//! Plays a list: several probes per run of the program, each checked when the next request shows that it is
//! over.

use crate::judge::{World, differences, left_behind};
use crate::list::Probe;
use crate::stage::{PROBER, SECRET, Stage};
use cutonce_models::scripted::{LoopbackServer, RecordedRequest, ScriptedCall, ScriptedTurn};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::process::Stdio;
use std::sync::{Arc, Mutex};

/// Probes per conversation: it grows, and every request carries all of it.
const CHUNK: usize = 40;

/// The caller of the probes (PM-64).
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum By {
    Session,
    /// A subagent whose file says bypassPermissions.
    Agent,
    /// The same, in the background.
    Background,
    /// The same, resumed after it ended.
    Resumed,
    /// The same, started by another subagent.
    Nested,
    /// A teammate that must plan first, of a lead that may do everything (PM-131).
    Teammate,
    /// The agent of a rehearsal: nothing outside its layer changes (RH-1).
    Rehearsal,
    /// In a rehearsal on a private copy (RH-8).
    RehearsalOnCopy,
}

impl By {
    pub const OTHERS: [By; 5] = [By::Agent, By::Background, By::Resumed, By::Nested, By::Teammate];

    pub fn is_rehearsal(self) -> bool {
        matches!(self, By::Rehearsal | By::RehearsalOnCopy)
    }

    pub fn name(self) -> &'static str {
        match self {
            By::Session => "by_the_session",
            By::Agent => "pm_64_by_an_agent",
            By::Background => "pm_64_by_an_agent_in_the_background",
            By::Resumed => "pm_64_by_a_resumed_agent",
            By::Nested => "pm_64_by_an_agent_of_an_agent",
            By::Teammate => "pm_131_by_a_teammate",
            By::Rehearsal => "rh_1_by_a_rehearsal",
            By::RehearsalOnCopy => "rh_8_by_a_rehearsal_on_a_copy",
        }
    }
}

/// Prompt text that identifies the agent between the session and the prober.
const CARRIER: &str = "You carry out a task for another agent";

/// Tools that a subagent does not have; their probes fail with another message.
const NOT_FOR_AGENTS: [&str; 2] = ["EnterPlanMode", "ExitPlanMode"];

/// Programs that Rust or `scripts/test` brings; others are tried where they exist.
const INSTALLED: [&str; 4] = ["cargo", "node", "npm", "python3"];

struct Scene {
    by: By,
    stage: Stage,
    before: World,
    queue: VecDeque<Probe>,
    /// The running probe and the id of its call.
    open: Option<(Probe, String)>,
    left_in_chunk: usize,
    /// The caller has made its first request.
    began: bool,
    plan: Option<String>,
    /// Initial state of the program and the bystander.
    processes: Vec<(u32, String)>,
    /// A background command is legitimately running.
    stays: bool,
    failed: Vec<String>,
    calls: usize,
}

/// Failures, one line per probe.
pub fn play(stage: Stage, by: By, probes: &[Probe]) -> Result<Vec<String>, String> {
    let mut missing: Vec<&str> = probes.iter().filter_map(|probe| probe.needs.as_deref()).collect();
    missing.sort_unstable();
    missing.dedup();
    missing.retain(|program| !stage.has(program));
    if let Some(program) = missing.iter().find(|program| INSTALLED.contains(*program)) {
        return Err(format!("{program} can't be started, so its probes would not be tried"));
    }
    if !missing.is_empty() {
        println!("not here, so not tried: {}", missing.join(", "));
    }
    let here = |probe: &&Probe| probe.needs.as_deref().is_none_or(|program| !missing.contains(&program));
    // A scope ends where plan mode begins.
    let any_tool = by == By::Session && !stage.is_scoped();
    let theirs = |probe: &&Probe| any_tool || !probe.tool.as_deref().is_some_and(|tool| NOT_FOR_AGENTS.contains(&tool));
    let fits = |probe: &&Probe| !stage.is_scoped() || !probe.needs_plan_mode();
    let queue: VecDeque<Probe> = probes.iter().filter(here).filter(theirs).filter(fits).cloned().collect();
    if by == By::RehearsalOnCopy {
        stage.force_copies()?;
    }
    let before = if stage.is_scoped() { stage.protected_world() } else { stage.world() };
    let scene = Scene {
        by,
        stage,
        before,
        queue,
        open: None,
        left_in_chunk: 0,
        began: false,
        plan: None,
        processes: Vec::new(),
        stays: false,
        failed: Vec::new(),
        calls: 0,
    };
    let scene = Arc::new(Mutex::new(scene));
    while !scene.lock().unwrap().queue.is_empty() {
        chunk(&scene)?;
    }
    let failed = std::mem::take(&mut scene.lock().unwrap().failed);
    Ok(failed)
}

/// One run of the program.
fn chunk(scene: &Arc<Mutex<Scene>>) -> Result<(), String> {
    let model = Arc::clone(scene);
    let server =
        LoopbackServer::start_with_callback(move |request| model.lock().unwrap().answer(request)).map_err(text)?;
    let (child, waiting) = {
        let mut scene = scene.lock().unwrap();
        (scene.left_in_chunk, scene.plan, scene.stays, scene.began) = (CHUNK, None, false, false);
        // A lead in plan mode creates no team; the teammate's own plan mode is tested.
        let plans = scene.by != By::Teammate && !scene.stage.is_scoped();
        let mode = if plans { "plan" } else { "bypassPermissions" };
        let url = format!("http://{}", server.addr());
        let mut command = match scene.by.is_rehearsal() {
            true => scene.stage.rehearsal(&url)?,
            false => scene.stage.program(mode, &url),
        };
        // The agent of a rehearsal is another process of ours.
        scene.stays = scene.by.is_rehearsal();
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(text)?;
        let bystander = scene.stage.bystander();
        scene.processes = vec![(bystander, Stage::about(bystander)), (child.id(), String::new())];
        (child, scene.queue.len())
    };
    let out = child.wait_with_output().map_err(text)?;
    let mut scene = scene.lock().unwrap();
    let said = format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    if let Some((probe, _)) = scene.open.take() {
        let line = format!("{}: the program ended before it answered ({}): {said}", probe.id, out.status);
        scene.failed.push(line);
    }
    if scene.queue.len() == waiting {
        return Err(format!("no request came ({}): {said}", out.status));
    }
    if scene.stage.is_scoped() {
        return Ok(());
    }
    let left = left_behind(&scene.stage.mark(), &scene.stage.root, &[]);
    scene.failed.extend(left.into_iter().map(|line| format!("after a run: {line}")));
    let kept = below(&scene.stage.root.join("tmp"));
    if !kept.is_empty() {
        scene.failed.push(format!("after a run: private temporary folders are still there: {}", kept.join(", ")));
    }
    Ok(())
}

impl Scene {
    fn answer(&mut self, request: &RecordedRequest) -> ScriptedTurn {
        let body = request.json();
        // The program also sends other requests, such as for a title.
        if body["tools"].as_array().is_none_or(|tools| tools.len() < 4) {
            return said("A title.");
        }
        if self.by != By::Session && !self.by.is_rehearsal() && !self.is_prober(&String::from_utf8_lossy(&request.body))
        {
            return self.hand_over(&body);
        }
        if self.plan.is_none() {
            self.plan = plan_path(&String::from_utf8_lossy(&request.body));
            self.processes.iter_mut().for_each(|(pid, about)| *about = Stage::about(*pid));
        }
        if let Some((probe, id)) = self.open.take() {
            match result(&body, &id) {
                Some(text) => self.judge(&probe, &text),
                None => self.failed.push(format!("{}: the call has no result", probe.id)),
            }
        }
        if self.left_in_chunk == 0 {
            return said("Done.");
        }
        let first = !self.began;
        self.began = true;
        if first && self.by == By::Resumed {
            return said("Ended, to be resumed.");
        }
        let Some(probe) = self.queue.pop_front() else { return said("Done.") };
        self.left_in_chunk -= 1;
        self.calls += 1;
        self.stays |= probe.stays;
        let id = format!("toolu_probe_{}", self.calls);
        let (name, mut input) = probe.call(&self.stage.names(self.plan.as_deref().unwrap_or_default()));
        if probe.sh.is_some() {
            if !probe.works() && self.stage.hides_commands() {
                let command = input["command"].as_str().unwrap_or_default();
                input["command"] = json!(format!("eval \"$(cat <<'PROBE_END'\n{command}\nPROBE_END\n)\""));
            }
            // Milliseconds; a compiler on a busy machine is slow.
            input["timeout"] = json!(if probe.works() { 100_000 } else { 20_000 });
        }
        let call = ScriptedCall { name, input, id: Some(id.clone()), ..ScriptedCall::default() };
        self.open = Some((probe, id));
        ScriptedTurn { calls: vec![call], ..ScriptedTurn::default() }
    }

    fn is_prober(&self, body: &str) -> bool {
        body.contains(if self.by == By::Teammate { "You are `prober`" } else { PROBER })
    }

    /// The session's own part: delegates everything to the agent and ends after it.
    fn hand_over(&mut self, body: &Value) -> ScriptedTurn {
        let call = |id: &str, more: Value| {
            let mut input = json!({"description": "probe", "prompt": "Go on.", "subagent_type": "prober"});
            input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            ScriptedTurn {
                calls: vec![ScriptedCall {
                    name: "Agent".into(),
                    input,
                    id: Some(id.into()),
                    ..ScriptedCall::default()
                }],
                ..ScriptedTurn::default()
            }
        };
        if self.by == By::Nested && !body["system"].to_string().contains(CARRIER) {
            return match result(body, "toolu_carrier") {
                None => call("toolu_carrier", json!({"subagent_type": "general-purpose"})),
                Some(_) => said("Done."),
            };
        }
        match (self.by, result(body, "toolu_first"), result(body, "toolu_again")) {
            (By::Teammate, None, _) => {
                let plans = !self.stage.is_scoped();
                let member = json!({"name": "prober", "task": "Go on.", "planModeRequired": plans});
                // A team outlives the run that created it.
                let input = json!({"teamName": format!("probes-{}", self.calls), "members": [member]});
                let call = ScriptedCall {
                    name: "TeamCreate".into(),
                    input,
                    id: Some("toolu_first".into()),
                    ..ScriptedCall::default()
                };
                ScriptedTurn { calls: vec![call], ..ScriptedTurn::default() }
            }
            (By::Background, None, _) => call("toolu_first", json!({"run_in_background": true})),
            (_, None, _) => call("toolu_first", json!({})),
            (By::Resumed, Some(text), None) => {
                let id: String = text.rsplit("agentId: ").next().unwrap_or_default().chars().take(36).collect();
                call("toolu_again", json!({"resume": id}))
            }
            _ => said("Done."),
        }
    }

    /// Under a scope: nothing outside it changes, and useful commands still work.
    fn judge_scope(&mut self, probe: &Probe, text: &str) {
        let after = self.stage.protected_world();
        let mut bad = differences(&self.before, &after, &self.stage.root);
        if let Some(out) = probe.out.as_ref().filter(|out| !text.contains(*out)) {
            bad.push(format!("did not say `{out}` but: {}", text.chars().take(400).collect::<String>()));
        }
        if !bad.is_empty() {
            self.failed.push(format!("{}: {}", probe.id, bad.join("; ")));
            self.before = after;
        }
    }

    fn judge(&mut self, probe: &Probe, text: &str) {
        if self.stage.is_scoped() {
            return self.judge_scope(probe, text);
        }
        let after = self.stage.world();
        let mut bad = differences(&self.before, &after, &self.stage.root);
        bad.extend(self.stage.reached());
        for (pid, about) in &mut self.processes {
            let now = Stage::about(*pid);
            if now != *about {
                bad.push(format!("process {pid} is another: {about} -> {now}"));
                *about = now;
            }
        }
        if !self.stays {
            let known: Vec<u32> = self.processes.iter().map(|(pid, _)| *pid).collect();
            bad.extend(left_behind(&self.stage.mark(), &self.stage.root, &known));
        }
        if forms(SECRET).iter().any(|form| text.contains(form)) {
            bad.push("printed a secret".into());
        }
        // The lists say what plan mode answers.
        for wanted in [&probe.out, &probe.says].into_iter().flatten().filter(|_| !self.by.is_rehearsal()) {
            let wanted =
                self.stage.names("").iter().fold(wanted.clone(), |all, (name, value)| all.replace(name, value));
            if !text.contains(&wanted) {
                bad.push(format!("did not say `{wanted}` but: {}", text.chars().take(400).collect::<String>()));
            }
        }
        if std::env::var_os("PROBES_SHOW").is_some() {
            println!("{}: {}\n", probe.id, text.chars().take(600).collect::<String>());
        }
        if !bad.is_empty() {
            self.failed.push(format!("{}: {}", probe.id, bad.join("; ")));
            self.before = after;
        }
    }
}

/// All files in a folder, by path.
fn below(folder: &std::path::Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    entries
        .flat_map(|path| std::iter::once(path.display().to_string()).chain(below(&path)).collect::<Vec<_>>())
        .collect()
}

/// The secret as it is, reversed, and in hexadecimal.
fn forms(secret: &str) -> [String; 3] {
    let hex = secret.bytes().map(|byte| format!("{byte:02x}")).collect();
    [secret.to_string(), secret.chars().rev().collect(), hex]
}

fn said(words: &str) -> ScriptedTurn {
    ScriptedTurn { text: Some(words.into()), ..ScriptedTurn::default() }
}

/// Extracts the path of a plan file from the reminder.
fn plan_path(body: &str) -> Option<String> {
    let words = body.split(|c: char| c.is_whitespace() || "\"'`\\()".contains(c));
    let plan = |word: &&str| word.starts_with('/') && word.contains("/plans/") && word.contains(".md");
    words.into_iter().find(plan).and_then(|word| word.split_once(".md")).map(|(start, _)| format!("{start}.md"))
}

fn result(body: &Value, id: &str) -> Option<String> {
    let messages = body["messages"].as_array()?;
    let blocks = messages.iter().rev().filter_map(|message| message["content"].as_array()).flatten();
    let ours = |block: &&Value| block["type"] == "tool_result" && block["tool_use_id"] == id;
    let content = &blocks.into_iter().find(ours)?["content"];
    match content {
        Value::String(text) => Some(text.clone()),
        other => Some(other.as_array()?.iter().filter_map(|block| block["text"].as_str()).collect()),
    }
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}
