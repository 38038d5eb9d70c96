//! The table of commands: one row per command or family, what it does, and with which flags it stops doing so.
//! `docs/shell-commands.md` is made from it.

use super::judge::Judged;
use super::word::Word;
use super::{files, git, scripts, tools, wrappers};

/// One row.
pub(super) struct Row {
    /// Names, separated by blanks.
    names: &'static str,
    pub does: Does,
    note: &'static str,
}

pub(super) enum Does {
    /// Changes nothing, but for the flags named.
    Reads(Reads),
    /// A plain file command: changes only the paths it names.
    Files(fn(&[Word]) -> Judged),
    /// Judged by a function of its own.
    Special(fn(&[Word]) -> Judged),
    /// Known to change things.
    Writes(&'static str),
}

pub(super) struct Reads {
    pub operands: Operands,
    /// Flags with which it is unknown.
    pub never: &'static str,
    /// Flags that take a value.
    pub valued: &'static str,
    /// Those of them whose value is a file that is read.
    pub files: &'static str,
    /// Flags that give the pattern, so that the first operand is a path already.
    pub pattern: &'static str,
}

/// What the words that are no flags mean.
#[derive(Clone, Copy)]
pub(super) enum Operands {
    NoPaths,
    Paths,
    /// Folders, with all that is in them.
    Below,
    /// A pattern, then folders; without any, the working folder.
    PatternBelow,
    /// A pattern, then files; with `-r` as PatternBelow.
    Grep,
}

const fn reads(names: &'static str, operands: Operands, never: &'static str, valued: &'static str) -> Row {
    Row { names, does: Does::Reads(Reads { operands, never, valued, files: "", pattern: "" }), note: "" }
}
const fn search(
    names: &'static str,
    operands: Operands,
    never: &'static str,
    valued: &'static str,
    files: &'static str,
    pattern: &'static str,
) -> Row {
    Row { names, does: Does::Reads(Reads { operands, never, valued, files, pattern }), note: "" }
}
const fn special(names: &'static str, judge: fn(&[Word]) -> Judged, note: &'static str) -> Row {
    Row { names, does: Does::Special(judge), note }
}
const fn file(names: &'static str, judge: fn(&[Word]) -> Judged, note: &'static str) -> Row {
    Row { names, does: Does::Files(judge), note }
}
const fn writes(names: &'static str, what: &'static str) -> Row {
    Row { names, does: Does::Writes(what), note: "" }
}

use Operands::{Below, Grep, NoPaths, Paths, PatternBelow};

pub(super) const TABLE: &[Row] = &[
    // Text and files.
    reads("cat tac rev wc comm tsort", Paths, "", ""),
    reads("head tail", Paths, "", "-n -c --lines --bytes"),
    reads("nl", Paths, "", "-b -d -f -h -i -l -n -s -v -w"),
    reads("cut paste", Paths, "", "-d -f -c -b --delimiter --fields --delimiters"),
    reads("fold fmt", Paths, "", "-w --width"),
    reads("expand unexpand", Paths, "", "-t --tabs"),
    reads("column", Paths, "", "-s -o -c -N --separator --output-separator"),
    reads("join", Paths, "", "-t -1 -2 -o -e -a -v -j"),
    reads("cmp", Paths, "", "-n -i"),
    reads(
        "sort",
        Paths,
        "-o --output --compress-program -T --temporary-directory",
        "-k -t -S -o -T --key --field-separator --files0-from",
    ),
    special("uniq", tools::uniq, "a second operand is a file that it writes"),
    reads("tr seq sleep echo basename dirname yes true false : expr factor", NoPaths, "", ""),
    special("printf", tools::printf, "not with `-v`"),
    special("test [", tools::test, "`-v` only with a plain name"),
    special("diff", tools::diff, ""),
    reads("cksum sum md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum", Paths, "", ""),
    reads("base64 base32", Paths, "", "-w --wrap"),
    reads("od", Paths, "", "-A -j -N -t"),
    reads("hexdump hd", Paths, "", "-n -s -e"),
    reads("strings", Paths, "", "-n -e -t"),
    special("xxd", tools::xxd, "not with `-r` or a second operand"),
    reads("stat", Paths, "", "-c --format --printf"),
    search(
        "file",
        Paths,
        "-C --compile",
        "-m -f -F -e -P --magic-file --files-from",
        "-m -f --magic-file --files-from",
        "",
    ),
    reads("ls dir vdir", Paths, "", "-I -w -T --ignore"),
    reads("du", Paths, "", "-d -t -B --max-depth --exclude"),
    reads("df", Paths, "", "-t -x -B"),
    reads("tree", Below, "-o -R --output", "-L -P -I --filelimit --charset"),
    reads("realpath readlink which type", NoPaths, "", ""),
    special("find", tools::find, "`-exec` is judged by what it runs; `-delete`, `-fprint…` and `-fls` write"),
    search(
        "grep egrep fgrep",
        Grep,
        "",
        "-e -f -A -B -C -m -d -D --regexp --file --include --exclude --exclude-dir --max-count --context",
        "-f --file",
        "-e -f --regexp --file",
    ),
    search(
        "rg",
        PatternBelow,
        "--pre --hostname-bin -z --search-zip",
        "-e -f -g -t -T -A -B -C -m -j -M -r -d -E --regexp --file --glob --iglob --type --type-not --max-count --context --max-depth --replace --sort --color --ignore-file",
        "-f --file --ignore-file",
        "-e -f --regexp --file --files --type-list",
    ),
    search(
        "fd fdfind",
        PatternBelow,
        "-x -X --exec --exec-batch",
        "-e -t -d -E -S -o -c -j --extension --type --max-depth --exclude --size --owner --color --search-path --base-directory",
        "--search-path --base-directory",
        "",
    ),
    // jq's own program counts as a path too: an option with two values would otherwise hide a file behind it.
    search("jq", Paths, "", "-f -L --from-file --indent", "-f -L --from-file", ""),
    special(
        "sed",
        scripts::sed,
        "plain scripts only (addresses, `p`, `d`, `q`, `s` without `e` and `w`); with `-i` a plain file command",
    ),
    special(
        "awk gawk mawk nawk",
        scripts::awk,
        "programs without `system`, `getline`, `|`, `>`, `@`, `ARGV`; only `-F` and `-v`",
    ),
    // Archives and binaries.
    special("tar", tools::tar, "only listings: `tar tf x`"),
    special("unzip", tools::unzip, "only `-l`, `-v`, `-Z`, `-t`, `-p`, `-c`"),
    special(
        "gzip gunzip bzip2 bunzip2 xz unxz zstd",
        tools::gzip,
        "reads with `-l`, `-c`, `-t`, not with zstd's `-o`; else writes",
    ),
    special("zcat bzcat xzcat zstdcat", tools::zcat, "not with zstd's `-o`"),
    reads("zipinfo", Paths, "", ""),
    reads("nm objdump readelf size", Paths, "--plugin", ""),
    // The system.
    special("date", tools::date, "not with `-s`, nor a bare number"),
    special("hostname", tools::hostname, "not with a name"),
    reads(
        "pwd id whoami groups logname users who uname arch nproc free uptime printenv tty locale lscpu ps pgrep getconf",
        NoPaths,
        "",
        "",
    ),
    // The shell.
    special("cd pushd popd", tools::cd, "the commands after it are judged from the new folder"),
    special("read unset", wrappers::names, "only plain names that steer no program"),
    special("set", wrappers::set, "only `-e`, `-u`, `-x`, `-f`, `-o pipefail`"),
    reads("wait", NoPaths, "-p", ""),
    reads("jobs", NoPaths, "-x", ""),
    reads("shift times umask", NoPaths, "", ""),
    // Wrappers: what they run is judged.
    special("env", wrappers::env, "judged by what it runs; unknown with `-S`, `-C`"),
    special("timeout", wrappers::timeout, "judged by what it runs"),
    special("nice", wrappers::nice, "judged by what it runs"),
    special("nohup builtin", wrappers::bare, "judged by what it runs"),
    special("stdbuf", wrappers::stdbuf, "judged by what it runs"),
    special("setsid", wrappers::setsid, "judged by what it runs"),
    special("exec", wrappers::exec, "judged by what it runs"),
    special("command", wrappers::command, "judged by what it runs; `-v` looks up"),
    special("xargs", wrappers::xargs, "judged by what it runs, with unknown arguments"),
    special(
        "sh dash",
        wrappers::posix_shell,
        "`-c` with a literal script in plain POSIX words: judged by its commands",
    ),
    special("bash", wrappers::shell, "`-c` with a literal script: judged by its commands"),
    special("eval", wrappers::eval, "literal words: judged by the commands in them"),
    special("trap", wrappers::trap, "a literal script: judged by its commands"),
    special("sudo doas", wrappers::sudo, "changes things, whatever it runs"),
    // Version control and languages.
    special("git", git::git, "the subcommands and forms that read; not with `-c`, `-C`, `--git-dir`, nor after `cd`"),
    special(
        "python python3 perl ruby java pip pip3 gcc g++ clang cc make cmake docker kubectl",
        wrappers::version,
        "only `--version` or `-V`; not rustc and cargo, for which a folder's rust-toolchain file names any program",
    ),
    special("node npm deno bun", tools::node, "only `--version` or `-v`"),
    special("go", tools::go, "only `go version` and `go env`"),
    // Plain file commands.
    file("mkdir", files::mkdir, ""),
    file("touch", files::touch, ""),
    file("rmdir", files::rmdir, ""),
    file("rm", files::rm, "not with `-r`, which is known to change things"),
    file("cp", files::cp, "not with flags that make links"),
    file("mv", files::mv, ""),
    file("tee", files::tee, "reads if it names nothing but /dev/null"),
    // Known to change things.
    writes("ln link", "makes links"),
    writes("dd shred truncate fallocate install split csplit mkfifo mknod patch", "writes files"),
    writes("chmod chown chgrp chattr setfacl setfattr", "changes rights or owners"),
    writes("unlink srm", "deletes files"),
    writes(
        "kill killall pkill reboot shutdown halt poweroff systemctl service launchctl",
        "acts on processes or services",
    ),
    writes("mount umount mkfs fsck swapon swapoff", "changes file systems"),
    writes("apt apt-get dnf yum pacman apk brew snap flatpak dpkg rpm", "installs or removes software"),
    writes(
        "su pkexec runuser chroot passwd useradd usermod userdel groupadd crontab at",
        "acts as or for another user",
    ),
    writes("rsync scp sftp ftp", "copies files"),
];

/// The row of a command.
pub(super) fn find(name: &str) -> Option<&'static Row> {
    TABLE.iter().find(|row| row.names.split(' ').any(|n| n == name))
}

/// The table as docs show it.
pub fn table_markdown() -> String {
    let mut out = String::from("| command | what it is | with these flags it is unknown | note |\n|---|---|---|---|\n");
    for row in TABLE {
        let names = code_list(row.names);
        let (what, never) = match &row.does {
            Does::Reads(reads) => ("reads".to_string(), code_list(reads.never)),
            Does::Files(_) => ("plain file command".to_string(), String::new()),
            Does::Special(_) => ("depends".to_string(), String::new()),
            Does::Writes(what) => (format!("changes things: {what}"), String::new()),
        };
        out.push_str(&format!("| {names} | {what} | {never} | {} |\n", row.note.replace('|', "\\|")));
    }
    out
}

fn code_list(words: &str) -> String {
    words.split_whitespace().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_one_row() {
        let mut names: Vec<&str> = TABLE.iter().flat_map(|row| row.names.split(' ')).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
        assert!(names.iter().all(|n| !n.is_empty()));
    }
}
