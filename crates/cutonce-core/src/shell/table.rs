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
    /// Known to change files, those that it names among them.
    Changes(&'static str),
}

pub(super) struct Reads {
    pub operands: Operands,
    /// The options with which it only reads ([`super::args`] says how they are written); with any other it is unknown.
    pub options: &'static str,
    /// Options that give the pattern, so that the first operand is a path already.
    pub pattern: &'static str,
    /// None of the program's options writes or runs anything, so an expansion changes at most what is read.
    pub loose: bool,
    /// Reads more options from `@file`.
    pub reads_at: bool,
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

/// A program none of whose options, known or not, writes or runs anything.
const fn reads(names: &'static str, operands: Operands, options: &'static str) -> Row {
    Row { names, does: Does::Reads(Reads { operands, options, pattern: "", loose: true, reads_at: false }), note: "" }
}
/// A program that also has options which write, or run something: no expansion may hide one.
const fn strict(names: &'static str, operands: Operands, options: &'static str) -> Row {
    Row { names, does: Does::Reads(Reads { operands, options, pattern: "", loose: false, reads_at: false }), note: "" }
}
/// The binutils: strict, and they read options from `@file`.
const fn binary(names: &'static str, options: &'static str) -> Row {
    let does = Does::Reads(Reads { operands: Operands::Paths, options, pattern: "", loose: false, reads_at: true });
    Row { names, does, note: "not with `@file`" }
}
const fn search(
    names: &'static str,
    operands: Operands,
    loose: bool,
    options: &'static str,
    pattern: &'static str,
) -> Row {
    Row { names, does: Does::Reads(Reads { operands, options, pattern, loose, reads_at: false }), note: "" }
}
const fn special(names: &'static str, judge: fn(&[Word]) -> Judged, note: &'static str) -> Row {
    Row { names, does: Does::Special(judge), note }
}
const fn file(names: &'static str, judge: fn(&[Word]) -> Judged, note: &'static str) -> Row {
    Row { names, does: Does::Files(judge), note }
}
const fn changes(names: &'static str, what: &'static str) -> Row {
    Row { names, does: Does::Changes(what), note: "" }
}
const fn writes(names: &'static str, what: &'static str) -> Row {
    Row { names, does: Does::Writes(what), note: "" }
}

use Operands::{Below, Grep, NoPaths, Paths, PatternBelow};

pub(super) const TABLE: &[Row] = &[
    // Text and files.
    reads(
        "cat",
        Paths,
        "-AbeEnstTuv --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs --show-nonprinting",
    ),
    reads("tac", Paths, "-br -s= --before --regex --separator="),
    reads("rev tsort", Paths, ""),
    reads("wc", Paths, "-clmwL --bytes --chars --lines --words --max-line-length --total="),
    reads("comm", Paths, "-123z --check-order --nocheck-order --output-delimiter= --total --zero-terminated"),
    reads("head", Paths, "-# -n= -c= -qvz --lines= --bytes= --quiet --silent --verbose --zero-terminated"),
    reads(
        "tail",
        Paths,
        "-# -n= -c= -s= -fFqrvz --lines= --bytes= --follow? --quiet --silent --verbose --retry --pid= --sleep-interval= --zero-terminated",
    ),
    reads(
        "nl",
        Paths,
        "-b= -d= -f= -h= -i= -l= -n= -s= -v= -w= -p --body-numbering= --number-format= --number-separator= --number-width= --starting-line-number=",
    ),
    reads(
        "cut",
        Paths,
        "-d= -f= -c= -b= -nsz --delimiter= --fields= --characters= --bytes= --complement --only-delimited --output-delimiter= --zero-terminated",
    ),
    reads("paste", Paths, "-d= -sz --delimiters= --serial --zero-terminated"),
    reads("fold", Paths, "-# -w= -bs --width= --bytes --spaces"),
    reads(
        "fmt",
        Paths,
        "-# -w= -p= -g= -cstu --width= --prefix= --goal= --crown-margin --split-only --tagged-paragraph --uniform-spacing",
    ),
    reads("expand unexpand", Paths, "-# -t= -ai --tabs= --initial --all --first-only"),
    reads(
        "column",
        Paths,
        "-s= -o= -c= -N= -R= -H= -O= -W= -E= -l= -tdexJL --table --separator= --output-separator= --output-width= --table-columns= --table-right= --table-hide= --table-noheadings --json --fillrows --keep-empty-lines",
    ),
    reads(
        "join",
        Paths,
        "-t= -1= -2= -o= -e= -a= -v= -j= -iz --header --check-order --nocheck-order --ignore-case --zero-terminated",
    ),
    reads("cmp", Paths, "-n= -i= -bls --bytes= --ignore-initial= --print-bytes --verbose --quiet --silent"),
    strict(
        "sort",
        Paths,
        "-k= -t= -S= -bcCdfghiMmnrRsuVz --key= --field-separator= --buffer-size= --parallel= --batch-size= --sort= --check? --debug --dictionary-order --general-numeric-sort --human-numeric-sort --ignore-case --ignore-leading-blanks --ignore-nonprinting --merge --month-sort --numeric-sort --random-sort --reverse --stable --unique --version-sort --zero-terminated",
    ),
    special("uniq", tools::uniq, "a second operand is a file that it writes"),
    reads("tr seq sleep echo basename dirname yes true false : expr factor", NoPaths, "*"),
    special("printf", tools::printf, "not with `-v`, nor with `%n`, which sets a variable"),
    special("test [", tools::test, "`-v` only with a plain name; no word that may turn into one"),
    special("diff", tools::diff, "with `-r` it follows links, so nobody can say what it reads"),
    // A list of sums names files anywhere.
    reads(
        "cksum sum md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum",
        Paths,
        "-c! --check! -a= -l= -brstwz --algorithm= --length= --binary --text --tag --untagged --raw --base64 --zero --quiet --status --strict --warn --ignore-missing",
    ),
    strict("base64 base32", Paths, "-w= -dDi --wrap= --decode --ignore-garbage"),
    reads(
        "od",
        Paths,
        "-A= -j= -N= -S= -t= -w? -abcdfiloshvxX --address-radix= --skip-bytes= --read-bytes= --format= --output-duplicates --width?",
    ),
    reads("hexdump hd", Paths, "-n= -s= -e= -bcCdovx --length= --skip= --format= --canonical --no-squeezing"),
    binary(
        "strings",
        "-# -n= -e= -t= -s= -afow --all --bytes= --encoding= --radix= --print-file-name --output-separator= --include-all-whitespace",
    ),
    special("xxd", tools::xxd, "not with `-r` or a second operand"),
    reads("stat", Paths, "-c= -fLtx --format= --printf= --file-system --dereference --terse"),
    strict(
        "file",
        Paths,
        "-F= -e= -P= -bhikLnNprsv0 --separator= --brief --mime --mime-type --mime-encoding --dereference --no-dereference --keep-going --no-pad --print0 --raw --extension --version",
    ),
    reads(
        "ls dir vdir",
        Paths,
        "-I= -w= -T= -H! -L! -aAbBcCdfFgGhiklmnNopqQrRsStuUvxXZ1 --all --almost-all --author --block-size= --classify? --color? --colour? --directory --escape --file-type --format= --full-time --group-directories-first --hide= --human-readable --ignore= --indicator-style= --inode --literal --no-group --numeric-uid-gid --quote-name --recursive --reverse --show-control-chars --si --size --sort= --tabsize= --time= --time-style= --width= --zero",
    ),
    reads(
        "du",
        Paths,
        "-d= -t= -B= -D! -H! -L! -abchklmPsSx0 --max-depth= --exclude= --threshold= --block-size= --all --apparent-size --bytes --human-readable --inodes --no-dereference --null --one-file-system --separate-dirs --si --summarize --time? --total",
    ),
    reads(
        "df",
        Paths,
        "-t= -x= -B= -aghHiklmPT --type= --exclude-type= --block-size= --output? --all --human-readable --inodes --local --portability --print-type --si --total",
    ),
    strict(
        "tree",
        Below,
        "-L= -P= -I= -l! -acCdDfFghinNpqQrsStuUvxAJX --filelimit= --charset= --sort= --timefmt= --dirsfirst --filesfirst --du --gitignore --ignore-case --inodes --matchdirs --noreport --prune --si",
    ),
    reads("realpath readlink which type", NoPaths, "*"),
    special(
        "find",
        tools::find,
        "`-exec` is judged by what it runs; `-delete`, `-fprint…` and `-fls` write; `-L` leads anywhere, and so does `-execdir`",
    ),
    search(
        "grep egrep fgrep",
        Grep,
        true,
        "-# -e= -f@ -A= -B= -C= -m= -d= -D= -R! -abcEFGhHiIlLnoPqrsTuUvVwxyzZ --regexp= --file@ --exclude-from@ --include= --exclude= --exclude-dir= --max-count= --context= --after-context= --before-context= --directories= --devices= --binary-files= --label= --group-separator= --color? --colour? --dereference-recursive! --basic-regexp --byte-offset --count --extended-regexp --files-with-matches --files-without-match --fixed-strings --ignore-case --initial-tab --invert-match --line-buffered --line-number --line-regexp --no-filename --no-group-separator --no-ignore-case --no-messages --null --null-data --only-matching --perl-regexp --quiet --recursive --silent --text --version --with-filename --word-regexp",
        "-e -f --regexp --file",
    ),
    search(
        "rg",
        PatternBelow,
        false,
        "-e= -f@ -g= -t= -T= -A= -B= -C= -m= -j= -M= -r= -d= -E= -L! -abcFhHiIlnNopPqsSuUvVwx0. --regexp= --file@ --ignore-file@ --glob= --iglob= --type= --type-not= --type-add= --type-clear= --max-count= --context= --after-context= --before-context= --max-depth= --max-filesize= --max-columns= --replace= --sort= --sortr= --color= --colors= --threads= --encoding= --engine= --context-separator= --field-context-separator= --field-match-separator= --path-separator= --dfa-size-limit= --regex-size-limit= --follow! --binary --block-buffered --byte-offset --case-sensitive --column --count --count-matches --crlf --files --files-with-matches --files-without-match --fixed-strings --glob-case-insensitive --heading --help --hidden --ignore-case --include-zero --invert-match --json --line-buffered --line-number --line-regexp --max-columns-preview --mmap --multiline --multiline-dotall --no-config --no-filename --no-heading --no-ignore --no-ignore-dot --no-ignore-exclude --no-ignore-files --no-ignore-global --no-ignore-parent --no-ignore-vcs --no-line-number --no-messages --no-mmap --no-unicode --null --null-data --one-file-system --only-matching --passthru --pcre2 --pretty --quiet --smart-case --stats --stop-on-nonmatch --text --trim --type-list --unrestricted --version --vimgrep --with-filename --word-regexp",
        "-e -f --regexp --file --files --type-list",
    ),
    search(
        "fd fdfind",
        PatternBelow,
        false,
        "-e= -t= -d= -E= -S= -o= -c= -j= -L! -HIusigFap01qV --extension= --type= --max-depth= --min-depth= --exact-depth= --exclude= --size= --owner= --changed-within= --changed-before= --color= --threads= --max-results= --search-path@ --base-directory@ --and= --follow! --absolute-path --case-sensitive --fixed-strings --full-path --glob --hidden --ignore-case --no-ignore --no-ignore-parent --no-ignore-vcs --one-file-system --print0 --prune --quiet --regex --strip-cwd-prefix? --unrestricted --version",
        "",
    ),
    special("jq", scripts::jq, "not with `-f`, `-L`, or a program that imports"),
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
        "reads with `-c`, or with `-l` or `-t` without `-d`; not with zstd's `-o`; else writes",
    ),
    special("zcat bzcat xzcat zstdcat", tools::zcat, "not with zstd's `-o`"),
    special("zipinfo", tools::zipinfo, ""),
    binary(
        "nm",
        "-f= -t= -aABCDgnoprSPsuUv --format= --radix= --debug-syms --defined-only --demangle? --dynamic --extern-only --no-demangle --no-sort --numeric-sort --portability --print-armap --print-file-name --print-size --reverse-sort --size-sort --undefined-only",
    ),
    // Not what prints sources or debugging sections: both name files to be read.
    binary(
        "objdump",
        "-j= -M= -adDfhprRstTxzCw --section= --disassembler-options= --disassemble? --disassemble-all --all-headers --archive-headers --demangle? --dynamic-reloc --dynamic-syms --file-headers --full-contents --no-show-raw-insn --private-headers --reloc --section-headers --headers --start-address= --stop-address= --syms --wide",
    ),
    binary(
        "readelf",
        "-x= -p= -R= -aAcCdDeghIlnrsStuVW --hex-dump= --string-dump= --relocated-dump= --all --arch-specific --demangle? --dynamic --dyn-syms --file-header --headers --histogram --notes --program-headers --relocs --section-details --section-groups --section-headers --sections --segments --symbols --syms --version-info --wide",
    ),
    binary("size", "-ABGdotx --common --format= --radix= --totals"),
    // The system.
    special("date", tools::date, "not with `-s`, nor a bare number"),
    special("hostname", tools::hostname, "not with a name"),
    reads("pwd id whoami groups logname uname nproc free uptime printenv tty locale", NoPaths, "*"),
    reads("who users", Paths, "-abdHlmpqrstTuw --all --boot --count --dead --heading --login --lookup --mesg --users"),
    // The arch of macOS runs what it is given.
    special("arch", tools::alone, "only alone"),
    strict(
        "lscpu",
        NoPaths,
        "-abceJpxy --all --bytes --caches? --extended? --hex --json --offline --online --parse? --physical",
    ),
    special("ps", tools::ps, "`ps aux`, `ps -ef`, `-o`, `-p`; nothing that shows the environment of processes"),
    strict(
        "pgrep",
        NoPaths,
        "-d= -g= -G= -P= -r= -s= -t= -u= -U= -acfilnovwx --delimiter= --euid= --full --group= --list-full --list-name --newest --oldest --parent= --uid=",
    ),
    strict("getconf", NoPaths, "-a"),
    // The shell.
    special("cd pushd popd", tools::cd, "the commands after it are judged from the new folder"),
    special("read", wrappers::read, "only plain names that steer no program"),
    special("unset", wrappers::unset, "only plain names that steer no program"),
    special("set", wrappers::set, "only `-e`, `-u`, `-x`, `-f`, `-o pipefail`"),
    strict("wait", NoPaths, "-fn"),
    strict("jobs", NoPaths, "-lnprs"),
    reads("shift times umask", NoPaths, "*"),
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
        "only `--version` or `-V`; not rustc, cargo and go, for which a file of the folder names the toolchain that runs",
    ),
    special("node npm deno bun", tools::node, "only `--version` or `-v`"),
    // Plain file commands.
    file("mkdir", files::mkdir, ""),
    file("touch", files::touch, ""),
    file("rmdir", files::rmdir, ""),
    file("rm", files::rm, "not with `-r`, which is known to change things"),
    file("cp", files::cp, "not with flags that make links"),
    file("mv", files::mv, ""),
    file("tee", files::tee, "reads if it names nothing but /dev/null"),
    // Known to change things.
    changes("ln link", "makes links"),
    changes("dd shred truncate fallocate install split csplit mkfifo mknod patch", "writes files"),
    changes("chmod chown chgrp chattr setfacl setfattr", "changes rights or owners"),
    changes("unlink srm", "deletes files"),
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
    changes("rsync scp sftp ftp", "copies files"),
];

/// The row of a command.
pub(super) fn find(name: &str) -> Option<&'static Row> {
    TABLE.iter().find(|row| row.names.split(' ').any(|n| n == name))
}

/// The table as docs show it.
pub fn table_markdown() -> String {
    let mut out = String::from(
        "| command | what it is | with these options; any other makes it unknown | note |\n|---|---|---|---|\n",
    );
    for row in TABLE {
        let names = code_list(row.names);
        let (what, options) = match &row.does {
            Does::Reads(Reads { options: "*", .. }) => ("reads".to_string(), "any".to_string()),
            Does::Reads(reads) => ("reads".to_string(), code_list(reads.options)),
            Does::Files(_) => ("plain file command".to_string(), String::new()),
            Does::Special(_) => ("depends".to_string(), String::new()),
            Does::Writes(what) | Does::Changes(what) => (format!("changes things: {what}"), String::new()),
        };
        out.push_str(&format!("| {names} | {what} | {options} | {} |\n", row.note.replace('|', "\\|")));
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
