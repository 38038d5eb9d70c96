//! The official Claude Agent SDKs drive the program (HO-1 to HO-3), Python and TypeScript: each function
//! `ho_…` in the scripts here is a test. The SDKs come pinned from their registries, once per target folder.

use libtest_mimic::{Arguments, Failed, Trial};
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

const PYTHON_SDK: &str = "0.2.182";
const TYPESCRIPT_SDK: &str = "0.3.325";

/// Timeout for one test; only reached if it hangs. `serve.py` has the same one.
const PATIENCE: Duration = Duration::from_secs(60);

fn main() {
    let mut args = Arguments::from_args();
    // The tests wait for processes most of the time.
    args.test_threads.get_or_insert(4 * std::thread::available_parallelism().map_or(1, usize::from));
    let scripts: &[&str] =
        &["python.py", "control.py", "frames.py", "hooks.py", "messages.py", "options.py", "trouble.py"];
    let python = Arc::new(Sdk { scripts, mark: "async def ho_", install: python, made: OnceLock::new() });
    let server = Arc::new(OnceLock::new());
    let scripts: &[&str] = &["typescript.mjs"];
    let node = Arc::new(Sdk { scripts, mark: "tests.ho_", install: typescript, made: OnceLock::new() });
    let mut trials = Vec::new();
    for (script, name) in python.tests() {
        let (sdk, server) = (python.clone(), server.clone());
        let called = format!("python::{name}");
        let test = move || PythonServer::of(&server, &sdk)?.test(script, &name);
        trials.push(Trial::test(called, move || test().map_err(Failed::from)));
    }
    for (script, name) in node.tests() {
        let sdk = node.clone();
        let called = format!("typescript::{name}");
        trials.push(Trial::test(called, move || sdk.test(script, &name).map_err(Failed::from)));
    }
    assert!(!trials.is_empty(), "no test found");
    libtest_mimic::run(&args, trials).exit();
}

/// One SDK: how to install it, and its test scripts.
struct Sdk {
    scripts: &'static [&'static str],
    mark: &'static str,
    install: fn(&Path) -> Result<PathBuf, String>,
    /// The interpreter with the SDK, installed when the first test needs it.
    made: OnceLock<Result<PathBuf, String>>,
}

impl Sdk {
    /// Script and test name.
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

    /// The interpreter on this script.
    fn command(&self, script: &str) -> Result<Command, String> {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let interpreter = self.made.get_or_init(|| (self.install)(folder)).clone()?;
        let mut command = Command::new(interpreter);
        command.arg(path_of(script)).env("CUTONCE_BIN", env!("CARGO_BIN_EXE_cutonce"));
        command.env("SDK_FOLDER", folder.join(format!("sdk-typescript-{TYPESCRIPT_SDK}")));
        command.env("PYTHONDONTWRITEBYTECODE", "1").env_remove("CLAUDECODE").env_remove("CLAUDE_CONFIG_DIR");
        Ok(command)
    }

    fn test(&self, script: &str, name: &str) -> Result<(), String> {
        let mut command = self.command(script)?;
        command.arg(name);
        let output = patiently(command)?;
        if output.status.success() {
            return Ok(());
        }
        let told = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Err(format!("{}\n{}{}", output.status, told(&output.stdout), told(&output.stderr)))
    }
}

/// `serve.py`, which has imported the SDK and forks for each test. It ends with this process, which holds its stdin.
struct PythonServer {
    socket: PathBuf,
    _process: Child,
    _folder: tempfile::TempDir,
}

impl PythonServer {
    fn of<'a>(server: &'a OnceLock<Result<Self, String>>, sdk: &Sdk) -> Result<&'a Self, String> {
        server.get_or_init(|| Self::start(sdk)).as_ref().map_err(Clone::clone)
    }

    fn start(sdk: &Sdk) -> Result<Self, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let socket = folder.path().join("tests");
        let mut command = sdk.command("serve.py")?;
        command.arg(&socket).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().map_err(|error| error.to_string())?;
        let mut ready = [0; 6];
        let stdout = process.stdout.as_mut().ok_or("no stdout")?;
        stdout.read_exact(&mut ready).map_err(|error| format!("serve.py did not start: {error}"))?;
        Ok(Self { socket, _process: process, _folder: folder })
    }

    fn test(&self, script: &str, name: &str) -> Result<(), String> {
        let talk = || -> std::io::Result<String> {
            let mut stream = UnixStream::connect(&self.socket)?;
            // The test has ended itself by then.
            stream.set_read_timeout(Some(PATIENCE + Duration::from_secs(5)))?;
            writeln!(stream, "{} {name}", script.trim_end_matches(".py"))?;
            let mut said = Vec::new();
            stream.read_to_end(&mut said)?;
            Ok(String::from_utf8_lossy(&said).into_owned())
        };
        let said = talk().map_err(|error| error.to_string())?;
        if said.lines().next_back() == Some("passed") { Ok(()) } else { Err(said) }
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

fn read(from: &mut Option<impl Read>) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Some(from) = from {
        let _ = from.read_to_end(&mut bytes);
    }
    bytes
}

/// A virtual environment with the SDK from the source package, because the wheel contains a 200 MB program.
fn python(folder: &Path) -> Result<PathBuf, String> {
    let place = folder.join(format!("sdk-python-{PYTHON_SDK}"));
    install(&place, |place| {
        ran(Command::new("python3").args(["-m", "venv"]).arg(place))?;
        let package = format!("claude-agent-sdk=={PYTHON_SDK}");
        ran(Command::new(place.join("bin/pip")).args(["install", "-q", "--no-binary", "claude-agent-sdk", &package]))
    })?;
    Ok(place.join("bin/python"))
}

/// The package without its optional parts, which contain the reference program.
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

/// Installs once: a folder without its mark is a partial installation and is created again.
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
