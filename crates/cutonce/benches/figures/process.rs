//! Runs a program and measures it: wall time, processor time, peak memory.
//!
//! The kernel counts a child's peak memory from the fork on, so a child of a large process looks large.
//! Therefore a launcher starts each program: this binary again, before it has used much memory.

use anyhow::{Context, Result, bail, ensure};
use std::ffi::OsString;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

pub const LAUNCH: &str = "--launch";

/// The cost of one run.
#[derive(Debug, Clone)]
pub struct Run {
    pub wall: Duration,
    pub cpu: Duration,
    pub peak_kib: u64,
    pub stdout: PathBuf,
}

impl Run {
    pub fn peak_mb(&self) -> f64 {
        self.peak_kib as f64 * 1024.0 / 1e6
    }
    pub fn output(&self) -> Result<String> {
        std::fs::read_to_string(&self.stdout).context("reading a program's output")
    }
}

/// A program to measure, with everything its run depends on.
#[derive(Debug, Clone)]
pub struct Program {
    path: PathBuf,
    args: Vec<OsString>,
    env: Vec<(String, OsString)>,
    folder: PathBuf,
}

impl Program {
    pub fn new(path: impl Into<PathBuf>, folder: &Path) -> Program {
        Program { path: path.into(), args: Vec::new(), env: Vec::new(), folder: folder.into() }
    }
    /// The program under test.
    pub fn cutonce(folder: &Path) -> Program {
        Program::new(env!("CARGO_BIN_EXE_cutonce"), folder)
    }
    /// This binary in one of its inner modes.
    pub fn own(folder: &Path) -> Result<Program> {
        Ok(Program::new(std::env::current_exe().context("finding this binary")?, folder))
    }
    pub fn args<A: Into<OsString>>(mut self, args: impl IntoIterator<Item = A>) -> Program {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }
    pub fn env(mut self, name: &str, value: impl Into<OsString>) -> Program {
        self.env.push((name.into(), value.into()));
        self
    }

    /// Runs it to its end. Returns when its first line came, when it ended, and all that it printed.
    pub fn run_for_first_line(&self) -> Result<(Duration, Duration, String)> {
        let mut command = Command::new(&self.path);
        command.args(&self.args).current_dir(&self.folder).env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("LANG", "C.UTF-8");
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let start = Instant::now();
        let mut child = command.spawn().with_context(|| format!("starting {}", self.path.display()))?;
        let mut lines = BufReader::new(child.stdout.take().context("its output")?);
        let mut text = String::new();
        lines.read_line(&mut text)?;
        let first = start.elapsed();
        lines.read_to_string(&mut text)?;
        let ended = child.wait()?;
        ensure!(ended.success(), "{} {:?} ended with {ended}", self.path.display(), self.args);
        Ok((first, start.elapsed(), text))
    }

    /// Runs it to its end. `out` is the folder for its output.
    pub fn run(&self, out: &Path) -> Result<Run> {
        let (stdout, stderr) = (out.join("stdout"), out.join("stderr"));
        let mut launcher = Command::new(std::env::current_exe().context("finding this binary")?);
        launcher.arg(LAUNCH).arg(&stdout).arg(&stderr).arg(&self.path).args(&self.args);
        launcher.current_dir(&self.folder).env_clear();
        // A minimal environment, so that the user's own does not change the figures.
        launcher.env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("LANG", "C.UTF-8");
        launcher.envs(self.env.iter().map(|(name, value)| (name, value)));
        let told = launcher.stdin(Stdio::null()).stderr(Stdio::inherit()).output().context("starting the launcher")?;
        ensure!(told.status.success(), "the launcher of {} failed", self.path.display());
        let told = String::from_utf8(told.stdout)?;
        let numbers = told.split_whitespace().map(str::parse).collect::<Result<Vec<u64>, _>>()?;
        let [wall, cpu, peak_kib, code] = numbers[..] else { bail!("the launcher said {told:?}") };
        if code != 0 {
            let words = std::fs::read_to_string(&stderr).unwrap_or_default();
            bail!("{} {:?} ended with {code}: {}", self.path.display(), self.args, words.trim());
        }
        Ok(Run { wall: Duration::from_nanos(wall), cpu: Duration::from_nanos(cpu), peak_kib, stdout })
    }
}

/// Slow programs run less often.
const FEWEST_ROUNDS: usize = 7;
const LONGEST: Duration = Duration::from_secs(30);

/// Alternates between both sides, so that a slow moment of the machine affects both.
pub fn in_turns(rounds: usize, out: &Path, ours: &Program, theirs: &Program) -> Result<(Vec<Run>, Vec<Run>)> {
    // The first round warms the caches of both sides and is not counted.
    ours.run(out)?;
    theirs.run(out)?;
    let mut runs = (Vec::new(), Vec::new());
    let start = Instant::now();
    for done in 0..rounds {
        if done >= FEWEST_ROUNDS && start.elapsed() > LONGEST {
            break;
        }
        runs.0.push(ours.run(out)?);
        runs.1.push(theirs.run(out)?);
    }
    Ok(runs)
}

/// The launcher: `--launch STDOUT STDERR PROGRAM ARGS…`; prints wall and processor nanoseconds, peak KiB,
/// exit code.
pub fn launch(args: &[OsString]) -> Result<()> {
    let [stdout, stderr, program, args @ ..] = args else { bail!("{LAUNCH} wants STDOUT STDERR PROGRAM ARGS…") };
    let mut command = Command::new(program);
    command.args(args).stdout(File::create(stdout)?).stderr(File::create(stderr)?);
    let start = Instant::now();
    let child = command.spawn().with_context(|| format!("starting {}", program.display()))?;
    let pid = libc::pid_t::try_from(child.id())?;
    let mut status = 0;
    // SAFETY: rusage is plain data for which zeroes are valid, and both pointers outlive the call.
    let (waited, usage) = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        (libc::wait4(pid, &mut status, 0, &mut usage), usage)
    };
    let wall = start.elapsed();
    ensure!(waited == pid, "waiting for {}: {}", program.display(), std::io::Error::last_os_error());
    let code = if libc::WIFEXITED(status) { libc::WEXITSTATUS(status) } else { 128 + libc::WTERMSIG(status) };
    let cpu = duration(usage.ru_utime) + duration(usage.ru_stime);
    println!("{} {} {} {code}", wall.as_nanos(), cpu.as_nanos(), usage.ru_maxrss);
    Ok(())
}

fn duration(time: libc::timeval) -> Duration {
    Duration::from_secs(time.tv_sec.unsigned_abs()) + Duration::from_micros(time.tv_usec.unsigned_abs())
}
