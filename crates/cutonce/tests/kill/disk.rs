//! A disk below the program, as a preloaded library: it kills the program at one of its operations, and records what
//! was synced, so that a test can drop all that was not.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Counts operations that change the disk, in the main program only. `DISK_KILL_AT` names the one before which the
/// program is killed; `DISK_LOG` gets a line for each sync: the file's size and path.
const SOURCE: &str = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
static long done;
static pid_t first;
__attribute__((constructor)) static void start(void) { first = getpid(); }
static void step(void) {
    const char *at = getenv("DISK_KILL_AT");
    if (getpid() != first) return;
    if (__atomic_add_fetch(&done, 1, __ATOMIC_SEQ_CST) == (at ? atol(at) : -1)) {
        kill(first, SIGKILL);
        for (;;) pause();
    }
}
static void record(int fd) {
    const char *log = getenv("DISK_LOG");
    char link[64], path[4096], line[4200];
    struct stat meta;
    if (!log || getpid() != first || fstat(fd, &meta)) return;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length <= 0) return;
    path[length] = 0;
    int size = snprintf(line, sizeof line, "%lld %s\n", (long long)meta.st_size, path);
    int out = syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (out >= 0) {
        syscall(SYS_write, out, line, size);
        syscall(SYS_close, out);
    }
}
#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
int fdatasync(int fd) { step(); int r = REAL(fdatasync)(fd); record(fd); return r; }
int fsync(int fd) { step(); int r = REAL(fsync)(fd); record(fd); return r; }
ssize_t write(int fd, const void *data, size_t size) {
    struct stat meta;
    if (!fstat(fd, &meta) && S_ISREG(meta.st_mode)) step();
    return REAL(write)(fd, data, size);
}
int rename(const char *from, const char *to) { step(); return REAL(rename)(from, to); }
int unlink(const char *path) { step(); return REAL(unlink)(path); }
int mkdir(const char *path, mode_t mode) { step(); return REAL(mkdir)(path, mode); }
int ftruncate64(int fd, off_t size) { step(); return REAL(ftruncate64)(fd, size); }
"#;

pub struct Disk {
    folder: tempfile::TempDir,
}

impl Disk {
    pub fn new() -> Result<Disk, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let source = folder.path().join("disk.c");
        std::fs::write(&source, SOURCE).map_err(|error| error.to_string())?;
        let mut command = Command::new("cc");
        command.args(["-shared", "-fPIC", "-w", "-o"]).arg(folder.path().join("disk.so")).arg(&source).arg("-ldl");
        match command.status() {
            Ok(status) if status.success() => Ok(Disk { folder }),
            other => Err(format!("cc: {other:?}")),
        }
    }

    fn library(&self) -> OsString {
        self.folder.path().join("disk.so").into()
    }

    /// The environment of a program that is killed before its operation `at`.
    pub fn killing(&self, at: u64) -> Vec<(&'static str, OsString)> {
        vec![("LD_PRELOAD", self.library()), ("DISK_KILL_AT", at.to_string().into())]
    }

    /// The environment of a program whose syncs are recorded in `log`.
    pub fn recording(&self, log: &Path) -> Vec<(&'static str, OsString)> {
        vec![("LD_PRELOAD", self.library()), ("DISK_LOG", log.into())]
    }
}

/// What was synced: the size of each file at its last sync.
pub fn synced(log: &Path) -> Result<BTreeMap<PathBuf, u64>, String> {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    let line = |line: &str| {
        let (size, path) = line.split_once(' ').ok_or_else(|| format!("a line of the log: {line}"))?;
        Ok((PathBuf::from(path), size.parse().map_err(|_| format!("a size: {size}"))?))
    };
    text.lines().map(line).collect()
}
