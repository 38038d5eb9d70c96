//! From what was typed to an open session.

use crate::cli::{InputFormat, Run, split_rules};
use crate::plain::tell::About;
use anyhow::Context;
use cutonce_agent::settings;
use cutonce_agent::start::{Offered, Start, Which};
use cutonce_agent::store::place::valid_id;
use cutonce_agent::store::{Sessions, StoreError};
use cutonce_agent::tools::tool::AnyTool;
use cutonce_agent::{Approver, Events, Hook, Session, trust as trusted};
use cutonce_core::agent::{Definition, parse_given};
use cutonce_core::mode::Mode;
use cutonce_core::settings::Notifications;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// What was typed can't be meant: exit code 2 (CL-3).
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Usage(pub String);

/// What the face can do.
pub struct Face {
    pub approver: Approver,
}

/// What a face brings along.
#[derive(Default)]
pub struct Brought {
    pub hooks: Vec<Arc<dyn Hook>>,
    pub agents: Vec<Definition>,
}

/// Where a session lives and works.
pub struct Place {
    pub home: PathBuf,
    pub cwd: PathBuf,
}

pub struct Started {
    pub session: Session,
    pub events: Events,
    pub cwd: String,
    /// The name that chooses its model again.
    pub model: String,
    /// Which variable held the key, for hosts.
    pub key_source: &'static str,
    /// The sign that something waits for the person (PM-88).
    pub notifications: Notifications,
    /// For a face that tells of it.
    pub about: About,
    /// What can be called by name.
    pub offered: Offered,
    /// What the person or host should know of how it was opened.
    pub notices: Vec<String>,
}

/// `~/.cutonce` or $CUTONCE_HOME (CL-4).
pub fn home() -> anyhow::Result<PathBuf> {
    cutonce_agent::store::place::home(&|name| std::env::var_os(name))
        .context("neither CUTONCE_HOME nor HOME is set: there is no place for sessions and settings")
}

/// The folder that the program was started in.
pub fn cwd() -> anyhow::Result<PathBuf> {
    std::env::current_dir().context("the current folder is gone; change to one that exists")
}

pub async fn open(run: &Run, face: Face) -> anyhow::Result<Started> {
    open_in(run, face, Place { home: home()?, cwd: cwd()? }).await
}

/// What was typed, if it can be meant: flags that nothing could go on without are looked at before any face begins (CL-2,
/// CL-3). A file is named so that it is the same one wherever a session works.
pub fn sound(run: Run) -> anyhow::Result<Run> {
    if let Some(id) = run.session_id.as_deref().filter(|id| !valid_id(id)) {
        return Err(Usage(format!("--session-id: {}", StoreError::BadId { id: id.into() })).into());
    }
    if let Some(why) = run.host.unusable() {
        return Err(Usage(why).into());
    }
    let Some(given) = run.settings.as_deref() else { return Ok(run) };
    let cwd = cwd()?;
    if let Some(why) = settings::unusable(given, &cwd) {
        return Err(Usage(why).into());
    }
    let json = given.trim_start().starts_with('{');
    let settings = if json { given.to_string() } else { cwd.join(given).display().to_string() };
    Ok(Run { settings: Some(settings), ..run })
}

/// Who talks to a person goes back to earlier sessions and lists them: there is none that leaves nothing (HO-1).
pub fn kept(run: Run) -> anyhow::Result<Run> {
    if run.host.no_session_persistence {
        let why = "--no-session-persistence goes with -p or --input-format stream-json";
        return Err(Usage(why.into()).into());
    }
    Ok(run)
}

/// What a session is started with, as it was typed.
pub fn start_of(run: &Run, approver: Approver, place: &Place) -> anyhow::Result<Start> {
    // Two flags that contradict each other: the one that takes rights away wins, the other is what it returns to (PM-26).
    let plans = run.permission_mode == Some(Mode::Plan);
    let skips = run.dangerously_skip_permissions.then_some(Mode::BypassPermissions);
    let mode = if plans { run.permission_mode } else { skips.or(run.permission_mode) };
    // The same for `dontAsk`, which is default mode with nobody to ask.
    let mode = if run.host.dont_ask { Some(Mode::Default) } else { mode };
    Ok(Start {
        home: place.home.clone(),
        user_home: cutonce_agent::store::place::user_home(&|name| std::env::var_os(name)),
        cwd: place.cwd.clone(),
        env: std::env::vars_os().collect(),
        settings: run.settings.clone(),
        managed_settings: run.host.managed_settings.clone(),
        agent: run.host.agent.clone().filter(|name| !name.is_empty()),
        main: None,
        passing: run.host.no_session_persistence,
        only_skills: run.host.skills.clone(),
        plan_instructions: run.host.plan_instructions.clone(),
        only_tools: run.host.only_tools(),
        setting_sources: run.host.sources(),
        thinking: run.host.thinking(),
        allow: split_rules(&run.allowed_tools),
        deny: split_rules(&run.disallowed_tools),
        model: run.model.clone(),
        fallback_model: run.host.fallback_model.clone().filter(|model| !model.is_empty()),
        mode,
        base_mode: skips.filter(|_| plans),
        bypass_available: run.allow_dangerously_skip_permissions,
        approver,
        request: run.prompt.clone(),
        which: which(run)?,
        fork: run.fork_session,
        resume_at: run.host.resume_at(),
        add_dirs: run.add_dir.clone(),
        max_turns: run.max_turns,
        max_budget: run.max_budget_usd,
        system_prompt: run.host.system_prompt(run.system_prompt.as_deref())?,
        append_system_prompt: run.append_system_prompt.clone(),
        hide_disallowed_tools: run.hide_disallowed_tools,
        mcp_config: run.mcp_config.clone(),
        strict_mcp_config: run.strict_mcp_config,
        mcp_wait: mcp_wait(run),
        agents: agents(run)?,
        tools: own_tools(run)?,
        hooks: Vec::new(),
        editor: None,
        join: run.team.clone().zip(run.name.clone()).map(|(team, name)| cutonce_agent::team::Join { team, name }),
        program: std::env::current_exe().ok(),
        connect: None,
    })
}

/// The form that the answer must have is a tool of ours beside the session's (HO-1).
fn own_tools(run: &Run) -> anyhow::Result<Vec<Arc<dyn AnyTool>>> {
    let form = run.host.answer_form().map_err(Usage)?;
    Ok(form.into_iter().map(|form| Arc::new(form) as Arc<dyn AnyTool>).collect())
}

/// The agents of `--agents` (SA-2).
fn agents(run: &Run) -> anyhow::Result<Vec<Definition>> {
    let Some(given) = &run.host.agents else { return Ok(Vec::new()) };
    let given = serde_json::from_str(given).map_err(|error| Usage(format!("--agents is no JSON: {error}")))?;
    Ok(parse_given(&given).map_err(|error| Usage(format!("--agents: {error}")))?)
}

pub async fn open_in(run: &Run, face: Face, place: Place) -> anyhow::Result<Started> {
    open_with(run, face, place, Brought::default()).await
}

pub async fn open_with(run: &Run, face: Face, place: Place, brought: Brought) -> anyhow::Result<Started> {
    let mut start = start_of(run, face.approver, &place)?;
    start.hooks = brought.hooks;
    // A host's own hold those of `--agents` as well.
    if !brought.agents.is_empty() {
        start.agents = brought.agents;
    }
    let opened = start.open().await?;
    for notice in &opened.notices {
        eprintln!("cutonce: {}", cutonce_core::harmless::harmless(notice));
    }
    let key_source = if std::env::var_os("ANTHROPIC_API_KEY").is_some() { "ANTHROPIC_API_KEY" } else { "none" };
    let about = About::new(&opened, &place.home, &place.cwd);
    Ok(Started {
        about,
        session: opened.session,
        events: opened.events,
        cwd: place.cwd.display().to_string(),
        model: opened.model,
        key_source,
        notifications: opened.notifications,
        offered: opened.offered,
        notices: opened.notices,
    })
}

/// The first message, with what its agent says before it (HO-1).
pub fn after_first(words: Option<String>, text: String) -> String {
    words.map_or(text.clone(), |words| format!("{words}\n\n{text}"))
}

/// A host that hands over servers itself counts on their tools: it waits for those that are being started, a little while.
fn mcp_wait(run: &Run) -> Option<Duration> {
    let host = run.input_format == InputFormat::StreamJson && !run.mcp_config.is_empty();
    host.then_some(Duration::from_secs(3))
}

pub fn which(run: &Run) -> anyhow::Result<Which> {
    let usage = |text: &str| Err(Usage(text.into()).into());
    if run.host.resume_at().is_some() && run.resume.is_none() && !run.r#continue {
        return usage("--resume-session-at needs --continue or --resume");
    }
    match (run.r#continue, &run.resume, &run.session_id) {
        (true, Some(_), _) => usage("--continue and --resume exclude each other"),
        (true, None, Some(_)) | (false, Some(_), Some(_)) => {
            usage("--session-id names a new session; it can't go with --continue or --resume")
        }
        (true, None, None) => Ok(Which::Latest),
        (false, Some(words), None) if words.is_empty() => {
            usage("--resume needs an id or words to search for here; `cutonce sessions` lists them")
        }
        (false, Some(words), None) => Ok(Which::Find(words.clone())),
        (false, None, Some(id)) => Ok(Which::NewWithId(id.clone())),
        (false, None, None) if run.fork_session => usage("--fork-session needs --continue or --resume"),
        (false, None, None) => Ok(Which::New),
    }
}

/// Nothing to go on with is no failure for whoever sits before it: a new session then, and these words. `-p` fails instead.
pub const NOTHING_HERE: &str = "There is nothing to go on with in this folder: this is a new session.";

/// `--continue` where there is no session.
pub fn begins_anew(run: &Run) -> anyhow::Result<bool> {
    let nothing = || -> anyhow::Result<bool> {
        let latest = cutonce_agent::store::continue_latest(&Sessions::new(&home()?, &cwd()?));
        Ok(matches!(latest, Err(StoreError::NotFound { .. })))
    };
    Ok(run.r#continue && run.resume.is_none() && run.session_id.is_none() && !run.fork_session && nothing()?)
}

/// What the person has to pick from (UI-15): all sessions, or the several that the words of `--resume` fit.
pub fn to_pick(run: &Run) -> anyhow::Result<Option<String>> {
    let Some(words) = run.resume.as_deref().filter(|_| !run.r#continue && run.session_id.is_none()) else {
        return Ok(None);
    };
    let several = || -> anyhow::Result<bool> {
        let found = cutonce_agent::store::find(&Sessions::new(&home()?, &cwd()?), words);
        Ok(matches!(found, Err(StoreError::Several { .. })))
    };
    Ok((words.is_empty() || several()?).then(|| words.to_string()))
}

/// `cutonce trust` (PR-2).
pub fn trust(dir: Option<PathBuf>) -> anyhow::Result<u8> {
    let dir = match dir {
        Some(dir) => dir,
        None => cwd()?,
    };
    let dir = dir.canonicalize().with_context(|| format!("{} can't be trusted", dir.display()))?;
    let user_home = cutonce_agent::store::place::user_home(&|name| std::env::var_os(name));
    trusted::add(&home()?, user_home.as_deref(), &dir)
        .with_context(|| format!("{} can't be trusted", dir.display()))?;
    println!("{} is trusted now: its own settings count from the next start.", dir.display());
    Ok(0)
}
