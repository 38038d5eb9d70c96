//! A project in a temporary folder, and tool calls on it.

use cutonce_core::conversation::ResultPart;
use cutonce_core::mode::Mode;
use cutonce_core::permission::rules::RuleSet;
use cutonce_core::permission::{CallFacts, CallRights, Decision, decide};
use cutonce_tools::disk::{FileAccess, VersionStore};
use cutonce_tools::env::{CallContext, ToolEnv};
use cutonce_tools::shell::process::SessionShells;
use cutonce_tools::tool::{AnyTool, ToolCall, ToolError, ToolOutcome};
use cutonce_tools::web::WebClient;
use cutonce_tools::workspace::Workspace;
use serde_json::Value;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use tokio_util::sync::CancellationToken;

pub struct World {
    pub base: PathBuf,
    pub root: PathBuf,
    pub here: ToolEnv,
    pub kept: Arc<Kept>,
    pub cancel: CancellationToken,
    _dir: tempfile::TempDir,
}

/// A version store that records its input and can refuse.
#[derive(Default)]
pub struct Kept {
    pub versions: Mutex<Vec<(PathBuf, Option<Vec<u8>>)>>,
    pub refuses: AtomicBool,
}

impl VersionStore for Kept {
    fn keep(&self, path: &Path, old: Option<&[u8]>) -> io::Result<()> {
        if self.refuses.load(Ordering::SeqCst) {
            return Err(io::Error::other("no room for versions"));
        }
        self.versions.lock().unwrap().push((path.into(), old.map(<[u8]>::to_vec)));
        Ok(())
    }
}

/// A call's result as text.
#[derive(Debug)]
pub struct Got {
    pub text: String,
    pub is_error: bool,
    pub outcome: Option<ToolOutcome>,
}

impl Got {
    #[track_caller]
    pub fn ok(self) -> String {
        assert!(!self.is_error, "{}", self.text);
        self.text
    }
    #[track_caller]
    pub fn error(self) -> String {
        assert!(self.is_error, "{}", self.text);
        self.text
    }
}

impl World {
    pub fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        // Lets a test also access it as another user.
        std::fs::set_permissions(dir.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
        let base = dir.path().canonicalize().unwrap();
        let (root, home) = (base.join("proj"), base.join("home"));
        std::fs::create_dir_all(&root).unwrap();
        std::fs::create_dir_all(home.join(".cutonce/own")).unwrap();
        let cutonce_home = home.join(".cutonce");
        let workspace = Workspace::new(&root, &[], Some(&home), &cutonce_home, &cutonce_home.join("own")).unwrap();
        let kept = Arc::new(Kept::default());
        let here = ToolEnv {
            workspace,
            disk: FileAccess::new(kept.clone()),
            shells: SessionShells::new(vec![]),
            web: WebClient::new(vec![]),
            todos: Mutex::default(),
        };
        Self { base, root, here, kept, cancel: CancellationToken::new(), _dir: dir }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }
    pub fn put(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        path
    }
    pub fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }
    pub fn text(&self, name: &str) -> String {
        String::from_utf8(self.bytes(name)).unwrap()
    }
    /// Lists every name in the root, including our temporary files.
    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.root).unwrap();
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    pub fn parse(&self, tool: &str, input: Value) -> Result<Box<dyn ToolCall>, ToolError> {
        let tool = cutonce_tools::file_tools().into_iter().find(|known| known.name() == tool).unwrap();
        AnyTool::parse(tool, input)
    }
    /// Decides like a user who approves everything.
    pub fn rights(&self, tool: &str, call: &dyn ToolCall) -> Result<CallRights, String> {
        let facts = CallFacts { tool: tool.into(), access: call.access(&self.here)? };
        let rules = RuleSet::new(None, &self.root, []);
        match decide(Mode::Default, &rules, facts) {
            Decision::Allow(allowed) => Ok(allowed.rights),
            Decision::Ask(ask) => Ok(ask.approve("the test says yes").rights),
            Decision::Deny(denied) => Err(denied.message),
        }
    }
    pub fn context(&self) -> CallContext {
        CallContext {
            call_id: "call".into(),
            cancel: self.cancel.clone(),
            output: Arc::new(|_| {}),
            answer: None,
            scope: None,
        }
    }
    pub async fn call(&self, tool: &str, input: Value) -> Got {
        let prepared = self.parse(tool, input).and_then(|call| Ok((self.rights(tool, &*call)?, call)));
        match prepared {
            Err(error) => Got { text: error.into(), is_error: true, outcome: None },
            Ok((rights, call)) => got(call.run(rights, &self.here, &self.context()).await),
        }
    }
}

pub fn got(outcome: ToolOutcome) -> Got {
    let texts = outcome.content.iter().map(|part| match part {
        ResultPart::Text { text } => text.clone(),
        ResultPart::Image(image) => format!("<{} {}>", image.media_type, image.data.len()),
    });
    Got { text: texts.collect(), is_error: outcome.is_error, outcome: Some(outcome) }
}

/// Runs with the file rights of an ordinary user: permission bits do not restrict root.
/// On Linux the file user belongs to the thread, and threads that it starts inherit it.
pub fn as_user<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            #[cfg(target_os = "linux")]
            if rustix::process::geteuid().is_root() {
                // SAFETY: the call takes plain numbers and changes only this thread, which ends with the closure.
                unsafe { libc::setfsuid(65534) };
            }
            work()
        });
        thread.join().unwrap()
    })
}

/// Makes a call inside [`as_user`], which needs its own runtime.
pub fn call_as_user(world: &World, tool: &str, input: Value) -> Got {
    as_user(|| {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(world.call(tool, input))
    })
}

pub fn mode(path: &Path, bits: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(bits)).unwrap();
}

pub fn mkfifo(path: &Path) {
    rustix::fs::mkfifoat(rustix::fs::CWD, path, rustix::fs::Mode::from_raw_mode(0o644)).unwrap();
}
