//! A world to attack: a workspace, a home with secrets, another folder, listeners and a bystander process. The
//! damage is checked from outside: no output of a command is trusted.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used)]

use cutonce_sandbox::{
    ProcessExit, ReadOnlyProfile, ResourceLimits, SandboxLimits, SandboxProfile, SpawnError, SpawnSpec, StdoutMode,
    ThrowawayLayer, WorkspaceWriteProfile,
};
use std::collections::BTreeMap;
use std::ffi::{CString, OsString};
use std::fs;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use tokio::io::AsyncReadExt;

pub const SECRET: &str = "s3cr3t-canary-41d7";

/// The mechanisms that may be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Under {
    Namespaces,
    Landlock,
    /// A kernel whose Landlock does not block signals yet.
    OldLandlock,
    Scratch,
    /// A kernel without Landlock: mounts alone hold.
    Mounts,
}

impl Under {
    pub const ALL: [Under; 5] = [Under::Namespaces, Under::Landlock, Under::OldLandlock, Under::Scratch, Under::Mounts];
    pub fn limits(self) -> SandboxLimits {
        let landlock_at_most = (self == Under::OldLandlock).then_some(3);
        let no_namespaces = matches!(self, Under::Landlock | Under::OldLandlock);
        let no_landlock = self == Under::Mounts;
        SandboxLimits { no_namespaces, no_landlock, landlock_at_most, ..SandboxLimits::default() }
    }
}

pub struct World {
    pub root: PathBuf,
    _dir: tempfile::TempDir,
    tcp: std::net::TcpListener,
    udp: std::net::UdpSocket,
    unix: UnixListener,
    datagram: UnixDatagram,
    abstract_name: String,
    unnamed: UnixListener,
    bystander: Child,
    before: BTreeMap<PathBuf, Entry>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    ids: [u64; 7],
    times: [i64; 4],
    body: Vec<u8>,
    attributes: Vec<u8>,
}

impl World {
    pub fn new() -> Self {
        let dir = tempfile::Builder::new().prefix("cutonce-world-").tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        fs::set_permissions(&root, fs::Permissions::from_mode(0o755)).unwrap();
        for folder in ["ws/src", "ws/docs", "home/.ssh", "home/.config", "out", "tmp", "layers", "s"] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        for (name, text) in FILES {
            fs::write(root.join(name), text.replace("SECRET", SECRET)).unwrap();
            // Files are older than git's index, as they usually are.
            let file = fs::File::options().write(true).open(root.join(name)).unwrap();
            file.set_modified(std::time::SystemTime::now() - std::time::Duration::from_secs(3600)).unwrap();
        }
        fs::set_permissions(root.join("ws/exec.sh"), fs::Permissions::from_mode(0o755)).unwrap();
        std::os::unix::fs::symlink("victim.txt", root.join("ws/link.txt")).unwrap();
        fs::hard_link(root.join("ws/victim.txt"), root.join("out/hard.txt")).unwrap();
        git(&root.join("ws"), &root);
        let abstract_name = format!("cutonce-world-{}-{}", std::process::id(), root.display());
        let address = SocketAddr::from_abstract_name(abstract_name.as_bytes()).unwrap();
        let mut world = Self {
            tcp: std::net::TcpListener::bind("127.0.0.1:0").unwrap(),
            udp: std::net::UdpSocket::bind("127.0.0.1:0").unwrap(),
            unix: UnixListener::bind(root.join("s/stream")).unwrap(),
            datagram: UnixDatagram::bind(root.join("s/dgram")).unwrap(),
            unnamed: UnixListener::bind_addr(&address).unwrap(),
            bystander: Command::new("sleep").arg("3600").env("BYSTANDER", SECRET).stdin(Stdio::null()).spawn().unwrap(),
            before: BTreeMap::new(),
            abstract_name,
            root,
            _dir: dir,
        };
        world.tcp.set_nonblocking(true).unwrap();
        world.udp.set_nonblocking(true).unwrap();
        world.unix.set_nonblocking(true).unwrap();
        world.datagram.set_nonblocking(true).unwrap();
        world.unnamed.set_nonblocking(true).unwrap();
        world.before = world.state();
        world
    }

    pub fn at(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    pub fn profile(&self, under: Under) -> SandboxProfile {
        let scratch = ThrowawayLayer {
            root: self.at("ws"),
            extra_roots: vec![self.at("no-such-cache")],
            storage: self.at("layers"),
        };
        SandboxProfile::ReadOnly(ReadOnlyProfile {
            tmp: self.at("tmp"),
            hide: [".ssh", ".netrc", ".cutonce"]
                .map(|name| self.at("home").join(name))
                .into_iter()
                .chain([self.at("ws/.env"), self.at("ws/docs/.env")])
                .collect(),
            readable: vec![self.at("home/.cutonce/plan.md")],
            scratch: (under == Under::Scratch).then_some(scratch),
            stand_ins: Vec::new(),
            listener: None,
            background: false,
            limits: ResourceLimits::default(),
        })
    }

    pub fn workspace_write(&self, network: bool) -> SandboxProfile {
        SandboxProfile::WorkspaceWrite(self.writing(network))
    }

    pub fn writing(&self, network: bool) -> WorkspaceWriteProfile {
        WorkspaceWriteProfile {
            roots: vec![self.at("ws")],
            tmp: self.at("tmp"),
            hide: vec![self.at("home/.ssh")],
            protect: Vec::new(),
            network,
            layer: None,
            limits: ResourceLimits::default(),
        }
    }

    pub fn filled(&self, script: &str) -> String {
        let pairs = [
            ("@WS@", self.at("ws").display().to_string()),
            ("@HOME@", self.at("home").display().to_string()),
            ("@OUT@", self.at("out").display().to_string()),
            ("@TMP@", self.at("tmp").display().to_string()),
            ("@S@", self.at("s").display().to_string()),
            ("@PORT@", self.tcp.local_addr().unwrap().port().to_string()),
            ("@UDP@", self.udp.local_addr().unwrap().port().to_string()),
            ("@PID@", self.bystander.id().to_string()),
            ("@AGENT@", std::process::id().to_string()),
            ("@ABSTRACT@", self.abstract_name.clone()),
        ];
        pairs.iter().fold(script.to_string(), |text, (name, value)| text.replace(name, value))
    }

    /// The environment that a caller must pass.
    pub fn env(&self) -> Vec<(OsString, OsString)> {
        let rust = ["CARGO_HOME", "RUSTUP_HOME"].into_iter().filter_map(|name| Some((name, std::env::var_os(name)?)));
        let path = std::env::var_os("PATH").unwrap_or_default();
        let own = [
            ("PATH", path),
            ("HOME", self.at("home").into()),
            ("TMPDIR", self.at("tmp").into()),
            ("GIT_OPTIONAL_LOCKS", "0".into()),
            ("GIT_CONFIG_NOSYSTEM", "1".into()),
            ("GIT_CONFIG_COUNT", "1".into()),
            ("GIT_CONFIG_KEY_0", "core.checkStat".into()),
            ("GIT_CONFIG_VALUE_0", "minimal".into()),
            ("PYTHONDONTWRITEBYTECODE", "1".into()),
        ];
        own.into_iter().chain(rust).map(|(name, value)| (name.into(), value)).collect()
    }

    pub fn spawn(&self, profile: SandboxProfile, limits: SandboxLimits, script: &str) -> SpawnSpec {
        let args = ["--norc", "--noprofile", "-c"].map(OsString::from).into_iter().chain([self.filled(script).into()]);
        SpawnSpec::new("/bin/bash", self.at("ws"), self.env()).args(args).profile(profile).limits(limits)
    }

    pub async fn run(&self, under: Under, script: &str) -> (String, ProcessExit) {
        finish(self.spawn(self.profile(under), under.limits(), script)).await.unwrap()
    }

    /// Lists everything that changed.
    pub fn damage(&mut self) -> Vec<String> {
        let after = self.state();
        let mut found = Vec::new();
        for path in self.before.keys().chain(after.keys().filter(|path| !self.before.contains_key(*path))) {
            if self.before.get(path) != after.get(path) {
                found.push(format!("{}: {:?} -> {:?}", path.display(), self.before.get(path), after.get(path)));
            }
        }
        let mut byte = [0u8; 64];
        let reached = [
            ("tcp", self.tcp.accept().is_ok()),
            ("udp", self.udp.recv(&mut byte).is_ok()),
            ("unix", self.unix.accept().is_ok()),
            ("datagram", self.datagram.recv(&mut byte).is_ok()),
            ("abstract", self.unnamed.accept().is_ok()),
            ("the bystander", self.bystander.try_wait().unwrap().is_some()),
        ];
        found.extend(reached.iter().filter(|(_, hit)| *hit).map(|(name, _)| format!("reached {name}")));
        // SAFETY: `getpriority` takes plain numbers.
        let nice = unsafe { libc::getpriority(libc::PRIO_PROCESS, self.bystander.id()) };
        // SAFETY: `getpriority` takes plain numbers.
        if nice != unsafe { libc::getpriority(libc::PRIO_PROCESS, 0) } {
            found.push(format!("the bystander's priority is {nice}"));
        }
        if fs::read_dir(self.at("layers")).unwrap().count() > 0 {
            found.push("a layer is left".into());
        }
        found
    }

    fn state(&self) -> BTreeMap<PathBuf, Entry> {
        let mut all = BTreeMap::new();
        for folder in ["ws", "home", "out", "s"] {
            walk(&self.at(folder), &mut all);
        }
        all.insert(self.root.clone(), entry(&self.root));
        all
    }
}

impl Drop for World {
    fn drop(&mut self) {
        self.bystander.kill().unwrap();
        self.bystander.wait().unwrap();
        // Never clean up a folder with a mount below it.
        let mounts = fs::read_to_string("/proc/self/mounts").unwrap();
        assert!(!mounts.contains(self.root.to_str().unwrap()), "something is mounted below {}", self.root.display());
    }
}

pub async fn finish(spawn: SpawnSpec) -> Result<(String, ProcessExit), SpawnError> {
    let mut running = spawn.output(StdoutMode::Merged).start()?;
    let mut text = Vec::new();
    running.stdout.take().unwrap().read_to_end(&mut text).await.unwrap();
    let ended = running.wait().await.unwrap();
    Ok((String::from_utf8_lossy(&text).into_owned(), ended))
}

const FILES: &[(&str, &str)] = &[
    ("ws/victim.txt", "pear\napple\nbanana\n"),
    ("ws/t.py", "print('hi')\n"),
    ("ws/exec.sh", "#!/bin/sh\ntouch pwned\n"),
    ("ws/Makefile", "all:\n\ttouch made\n\tls made\n"),
    ("ws/Cargo.toml", "[package]\nname = \"demo\"\nversion = \"0.1.0\"\nedition = \"2021\"\n"),
    ("ws/src/lib.rs", "pub fn add(a: i32, b: i32) -> i32 { a + b }\n"),
    ("ws/.env", "TOKEN=SECRET\n"),
    ("ws/docs/.env", "TOKEN=SECRET\n"),
    ("ws/docs/a b.md", "# Title\n"),
    ("home/.bashrc", "# rc\n"),
    ("home/.netrc", "password SECRET\n"),
    ("home/.ssh/id_ed25519", "SECRET\n"),
    ("home/.config/x.toml", "a = 1\n"),
    ("home/.cutonce", ""),
    ("out/outside.txt", "outside\n"),
];

fn git(ws: &Path, root: &Path) {
    // The cutonce home is a folder; created here, because the list above creates only files.
    let home = root.join("home/.cutonce");
    fs::remove_file(&home).unwrap();
    fs::create_dir(&home).unwrap();
    fs::write(home.join("plan.md"), "# Plan\n").unwrap();
    fs::write(home.join("session.jsonl"), SECRET).unwrap();
    let script = "git init -q -b main . && git add -A -f && git commit -qm one && echo more >> t.py && git commit -qam two && git status";
    let status = Command::new("bash")
        .args(["-c", script])
        .current_dir(ws)
        .env("HOME", root.join("home"))
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .envs(["AUTHOR", "COMMITTER"].map(|who| (format!("GIT_{who}_NAME"), "a")))
        .envs(["AUTHOR", "COMMITTER"].map(|who| (format!("GIT_{who}_EMAIL"), "a@b")))
        .stdout(Stdio::null())
        .status()
        .unwrap();
    assert!(status.success());
}

fn walk(folder: &Path, all: &mut BTreeMap<PathBuf, Entry>) {
    all.insert(folder.to_owned(), entry(folder));
    for found in fs::read_dir(folder).unwrap() {
        let path = found.unwrap().path();
        if path.symlink_metadata().unwrap().is_dir() {
            walk(&path, all);
        } else {
            all.insert(path.clone(), entry(&path));
        }
    }
}

fn entry(path: &Path) -> Entry {
    let meta = path.symlink_metadata().unwrap();
    let body = if meta.is_file() {
        fs::read(path).unwrap()
    } else if meta.is_symlink() {
        fs::read_link(path).unwrap().as_os_str().as_bytes().to_vec()
    } else {
        Vec::new()
    };
    let mut attributes = vec![0u8; 4096];
    let name = CString::new(path.as_os_str().as_bytes()).unwrap();
    // SAFETY: `name` is a C string, and the kernel writes at most `attributes.len()` bytes to `attributes`.
    let length = unsafe { libc::llistxattr(name.as_ptr(), attributes.as_mut_ptr().cast(), attributes.len()) };
    attributes.truncate(length.max(0) as usize);
    if meta.is_file() || meta.is_dir() {
        let file = fs::File::open(path).unwrap();
        let mut flags: libc::c_long = 0;
        // SAFETY: the request writes one `c_long` to `flags`, which outlives the call.
        unsafe { libc::ioctl(std::os::fd::AsRawFd::as_raw_fd(&file), libc::FS_IOC_GETFLAGS, &mut flags) };
        attributes.extend(flags.to_ne_bytes());
    }
    let (mode, uid, gid) = (u64::from(meta.mode()), u64::from(meta.uid()), u64::from(meta.gid()));
    let ids = [mode, uid, gid, meta.nlink(), meta.ino(), meta.size(), meta.dev()];
    Entry { ids, times: [meta.mtime(), meta.mtime_nsec(), meta.ctime(), meta.ctime_nsec()], body, attributes }
}
