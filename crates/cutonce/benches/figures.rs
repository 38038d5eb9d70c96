//! Benchmarks the promised figures, each against a reference in the same run, because machines are noisy.
//!
//! `cargo bench -p cutonce --bench figures` prints the table. After `--`: `--quick` for a short run, `--only
//! WORD` for the figures of one group, `--update` to write docs/dev/benchmark.md.

#[path = "figures/acp.rs"]
mod acp;
#[path = "figures/agents.rs"]
mod agents;
#[path = "figures/bare.rs"]
mod bare;
#[path = "../tests/browser/stage.rs"]
#[allow(dead_code, clippy::unwrap_used, clippy::expect_used, reason = "shared with the tests of the page")]
mod browser_stage;
#[path = "figures/contract.rs"]
mod contract;
#[cfg(feature = "nats")]
#[path = "figures/fleet.rs"]
mod fleet;
#[cfg(feature = "nats")]
#[path = "../tests/fleet/load.rs"]
mod fleet_load;
#[path = "figures/host.rs"]
mod host;
#[path = "../tests/browser/http.rs"]
#[allow(dead_code, clippy::unwrap_used, clippy::expect_used, reason = "shared with the tests of the page")]
mod http;
#[path = "figures/mail.rs"]
mod mail;
#[path = "figures/model.rs"]
mod model;
#[path = "figures/paced.rs"]
mod paced;
#[path = "figures/page.rs"]
mod page;
#[path = "figures/process.rs"]
mod process;
#[path = "../tests/stories/pty.rs"]
#[allow(dead_code, reason = "shared with the stories")]
mod pty;
#[path = "figures/rehearsal.rs"]
mod rehearsal;
#[path = "figures/resume.rs"]
mod resume;
#[path = "figures/search.rs"]
mod search;
#[path = "figures/servers.rs"]
mod servers;
#[path = "figures/spawn.rs"]
mod spawn;
#[path = "figures/start.rs"]
mod start;
#[path = "figures/stream.rs"]
mod stream;
#[path = "figures/table.rs"]
mod table;
#[path = "figures/terminal.rs"]
mod terminal;
#[path = "../tests/support/test_program.rs"]
mod test_program;
#[path = "figures/transcript.rs"]
mod transcript;
#[path = "figures/tree.rs"]
mod tree;
#[path = "figures/turns.rs"]
mod turns;
#[path = "../tests/browser/webdriver.rs"]
#[allow(dead_code, clippy::unwrap_used, clippy::expect_used, reason = "shared with the tests of the page")]
mod webdriver;

use anyhow::{Context, Result, bail};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use table::{Row, Verdict};

/// Shared settings and folders for a group of figures.
pub struct Bench {
    /// Fewer rounds and smaller inputs: checks that the benchmark works, without reliable figures.
    pub quick: bool,
    /// Removed when the benchmark ends.
    pub folder: PathBuf,
}

impl Bench {
    /// Creates a new folder below the benchmark's own.
    pub fn room(&self, name: &str) -> Result<PathBuf> {
        let room = self.folder.join(name);
        std::fs::create_dir(&room).with_context(|| format!("making {}", room.display()))?;
        Ok(room)
    }
    pub fn rounds(&self, full: usize) -> usize {
        if self.quick { (full / 5).max(3) } else { full }
    }
}

type Measure = fn(&Bench) -> Result<Vec<Row>>;
type Inner = fn(&[OsString]) -> Result<()>;

/// All groups, in the order of the table.
const GROUPS: &[(&str, Measure)] = &[
    ("start", start::figures),
    ("acp", acp::figures),
    ("servers", servers::figures),
    ("contract", contract::figures),
    ("turns", turns::figures),
    ("search", search::figures),
    ("rehearsal", rehearsal::figures),
    ("resume", resume::figures),
    ("stream", stream::figures),
    ("spawn", spawn::figures),
    ("host", host::figures),
    ("mail", mail::figures),
    #[cfg(feature = "nats")]
    ("fleet", fleet::figures),
    ("agents", agents::figures),
    ("terminal", terminal::figures),
    ("page", page::figures),
];

/// Inner modes in which this binary starts itself.
const INNER: &[(&str, Inner)] =
    &[(process::LAUNCH, process::launch), (search::GREP, search::grep), (search::GLOB, search::glob)];

fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().skip(1).collect();
    let inner = args.first().and_then(|first| INNER.iter().find(|(flag, _)| first == flag));
    let done = match inner {
        Some((_, run)) => run(&args[1..]).map(|()| true),
        None => Options::parse(&args).and_then(|options| bench(&options)),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("figures: {error:#}");
            ExitCode::FAILURE
        }
    }
}

#[derive(Default)]
struct Options {
    /// Cargo passes `--bench` for benchmarks; under test (`--all-targets`) there is nothing to do.
    bench: bool,
    quick: bool,
    update: bool,
    only: Option<String>,
}

impl Options {
    fn parse(args: &[OsString]) -> Result<Options> {
        let mut options = Options::default();
        let mut args = args.iter().map(|arg| arg.to_string_lossy());
        while let Some(arg) = args.next() {
            match &*arg {
                "--bench" => options.bench = true,
                "--quick" => options.quick = true,
                "--update" => options.update = true,
                "--only" => options.only = Some(args.next().context("--only wants the name of a group")?.into()),
                other => bail!("unknown option {other}; there are --quick, --only GROUP and --update"),
            }
        }
        let known = |name: &String| GROUPS.iter().any(|(group, _)| group == name);
        if let Some(name) = options.only.as_ref().filter(|name| !known(name)) {
            let names: Vec<_> = GROUPS.iter().map(|(group, _)| *group).collect();
            bail!("no group {name}; there are {}", names.join(", "));
        }
        if options.update && (options.quick || options.only.is_some()) {
            bail!("--update writes a whole, full run: not with --quick or --only");
        }
        Ok(options)
    }
}

/// Measures, prints, and returns whether every target was met.
fn bench(options: &Options) -> Result<bool> {
    if !options.bench {
        return Ok(true);
    }
    let folder = tempfile::Builder::new().prefix("cutonce-figures-").tempdir()?;
    let bench = Bench { quick: options.quick, folder: folder.path().canonicalize()? };
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().unwrap_or_default().to_string();
    let mut rows = Vec::new();
    for (group, measure) in GROUPS {
        if options.only.as_ref().is_some_and(|only| only != group) {
            continue;
        }
        eprintln!("measuring: {group}");
        rows.extend(measure(&bench).unwrap_or_else(|error| {
            eprintln!("{group}: {error:#}");
            vec![Row::failed(group, format!("{error:#}"))]
        }));
    }
    let text = table::render(&rows);
    println!("{text}");
    if options.update {
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/dev/benchmark.md");
        std::fs::write(&page, table::page(&text, &load)?).with_context(|| format!("writing {}", page.display()))?;
    }
    folder.close().context("removing the bench's folder")?;
    Ok(!rows.iter().any(|row| matches!(row.verdict, Verdict::Missed | Verdict::Failed(_))))
}
