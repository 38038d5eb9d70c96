//! The official Claude Agent SDKs drive the program (HO-1 to HO-3), Python and TypeScript, as their users would: each function
//! `ho_…` of the scripts beside this file is a test. The SDKs come from their registries, pinned, once per target folder.

use libtest_mimic::{Arguments, Failed, Trial};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

const PYTHON_SDK: &str = "0.2.182";
const TYPESCRIPT_SDK: &str = "0.3.325";

/// How long one test may take before it counts as hanging; never waited for when all is well.
const PATIENCE: Duration = Duration::from_secs(60);

fn main() {
    let args = Arguments::from_args();
    let scripts: &[&str] =
        &["python.py", "control.py", "frames.py", "hooks.py", "messages.py", "options.py", "trouble.py"];
    let python = Arc::new(Sdk { scripts, mark: "async def ho_", install: python, made: OnceLock::new() });
    let scripts: &[&str] = &["typescript.mjs"];
    let node = Arc::new(Sdk { scripts, mark: "tests.ho_", install: typescript, made: OnceLock::new() });
    let mut trials = Vec::new();
    for (language, sdk) in [("python", python), ("typescript", node)] {
        for (script, name) in sdk.tests() {
            let (sdk, called) = (sdk.clone(), format!("{language}::{name}"));
            let test = move || sdk.test(script, &name).map_err(Failed::from);
            trials.push(Trial::test(called, test));
        }
    }
    assert!(!trials.is_empty(), "no test found");
    libtest_mimic::run(&args, trials).exit();
}

/// One SDK: how to get it, and its scripts of tests.
struct Sdk {
    scripts: &'static [&'static str],
    mark: &'static str,
    install: fn(&Path) -> Result<PathBuf, String>,
    /// The interpreter that knows the SDK, installed when the first test needs it.
    made: OnceLock<Result<PathBuf, String>>,
}

impl Sdk {
    /// Script and name.
    fn tests(&self) -> Vec<(&'static str, String)> {
        let name = |rest: &str| rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
        let mut tests = Vec::new();
        for script in self.scripts {
            let text = std::fs::read_to_string(path_of(script)).unwrap_or_default();
            let named = text.lines().filter_map(|line| line.strip_prefix(self.mark));
            tests.extend(named.map(|rest| (*script, format!("ho_{}", name(rest)))));
        }
        tests
    }

    fn test(&self, script: &str, name: &str) -> Result<(), String> {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let interpreter = self.made.get_or_init(|| (self.install)(folder)).clone()?;
        let mut command = Command::new(interpreter);
        command.arg(path_of(script)).arg(name).env("CUTONCE_BIN", env!("CARGO_BIN_EXE_cutonce"));
        command.env("SDK_FOLDER", folder.join(format!("sdk-typescript-{TYPESCRIPT_SDK}")));
        command.env("PYTHONDONTWRITEBYTECODE", "1").env_remove("CLAUDECODE").env_remove("CLAUDE_CONFIG_DIR");
        let output = patiently(command)?;
        if output.status.success() {
            return Ok(());
        }
        let told = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Err(format!("{}\n{}{}", output.status, told(&output.stdout), told(&output.stderr)))
    }
}

fn path_of(script: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sdk").join(script)
}

fn patiently(mut command: Command) -> Result<Output, String> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| e.to_string())?;
    let (done, watch) = std::sync::mpsc::channel::<()>();
    let id = child.id();
    let watcher = std::thread::spawn(move || {
        let late = watch.recv_timeout(PATIENCE) == Err(std::sync::mpsc::RecvTimeoutError::Timeout);
        if late {
            let _ = Command::new("kill").args(["-9", &id.to_string()]).status();
        }
        late
    });
    let (mut out, mut err) = (child.stdout.take(), child.stderr.take());
    let reader = std::thread::spawn(move || read(&mut err));
    let stdout = read(&mut out);
    let stderr = reader.join().unwrap_or_default();
    let status = child.wait().map_err(|error| error.to_string())?;
    let _ = done.send(());
    match watcher.join() {
        Ok(false) => Ok(Output { status, stdout, stderr }),
        _ => Err(format!("still running after {PATIENCE:?}\n{}", String::from_utf8_lossy(&stderr))),
    }
}

fn read(from: &mut Option<impl std::io::Read>) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Some(from) = from {
        let _ = from.read_to_end(&mut bytes);
    }
    bytes
}

/// A virtual environment with the SDK; the source package, because the other one brings a program of 200 MB.
fn python(folder: &Path) -> Result<PathBuf, String> {
    let place = folder.join(format!("sdk-python-{PYTHON_SDK}"));
    install(&place, |place| {
        ran(Command::new("python3").args(["-m", "venv"]).arg(place))?;
        let package = format!("claude-agent-sdk=={PYTHON_SDK}");
        ran(Command::new(place.join("bin/pip")).args(["install", "-q", "--no-binary", "claude-agent-sdk", &package]))
    })?;
    Ok(place.join("bin/python"))
}

/// The package without its optional parts, which are the reference program.
fn typescript(folder: &Path) -> Result<PathBuf, String> {
    let place = folder.join(format!("sdk-typescript-{TYPESCRIPT_SDK}"));
    install(&place, |place| {
        std::fs::create_dir_all(place).map_err(|error| error.to_string())?;
        let package = format!("@anthropic-ai/claude-agent-sdk@{TYPESCRIPT_SDK}");
        let flags = ["install", "--no-audit", "--no-fund", "--omit=optional", "--prefix"];
        ran(Command::new("npm").args(flags).arg(place).arg(package))
    })?;
    Ok(PathBuf::from("node"))
}

/// Made once: a folder without its mark is half an installation and made anew.
fn install(place: &Path, make: impl Fn(&Path) -> Result<(), String>) -> Result<(), String> {
    let mark = place.join("installed");
    if mark.exists() {
        return Ok(());
    }
    let _ = std::fs::remove_dir_all(place);
    let started = Instant::now();
    make(place)?;
    eprintln!("installed {} in {:?}", place.display(), started.elapsed());
    std::fs::write(mark, "").map_err(|error| error.to_string())
}

fn ran(command: &mut Command) -> Result<(), String> {
    let said = format!("{command:?}");
    let output = command.output().map_err(|error| format!("{said}: {error}; .ci/run installs what is missing"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("{said}: {}\n{}", output.status, String::from_utf8_lossy(&output.stderr)))
}
