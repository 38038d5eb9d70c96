//! The table of known commands: one row per command or family, with its effect and its harmless options.
//! `docs/reference/shell-commands.md` is generated from it.

use crate::shell::analyze::CommandJudgement;
use crate::shell::analyze::{file_commands, git, script_languages, special_commands, wrappers};
use crate::shell::parse::word::ShellWord;

/// One row of the table.
pub(super) struct CommandRow {
    /// Command names, separated by spaces.
    names: &'static str,
    pub does: CommandEffect,
    note: &'static str,
}

pub(super) enum CommandEffect {
    /// Changes nothing with the listed options.
    Reads(ReadOnlyOptions),
    /// A plain file command: changes only the paths it names.
    Files(fn(&[ShellWord]) -> CommandJudgement),
    /// Judged by its own function.
    JudgedBy(fn(&[ShellWord]) -> CommandJudgement),
    /// Known to change things.
    Writes(&'static str),
    /// Known to change files, including those it names.
    Changes(&'static str),
}

pub(super) struct ReadOnlyOptions {
    pub operands: OperandMeaning,
    /// Options with which the command only reads, in the syntax of [`crate::shell::analyze::args`]. Any other makes it
    /// unknown.
    pub options: &'static str,
    /// Options that supply the pattern, so that the first operand is already a path.
    pub pattern: &'static str,
    /// No option of the program writes or runs anything, so an expansion can only change what is read.
    pub any_option_is_harmless: bool,
    /// The program reads more options from `@file`.
    pub reads_option_files: bool,
}

/// Meaning of the operands.
#[derive(Clone, Copy)]
pub(super) enum OperandMeaning {
    NoPaths,
    Paths,
    /// Folders with all their content.
    Below,
    /// A pattern, then folders; the working folder by default.
    PatternBelow,
    /// A pattern, then files; with `-r` like `PatternBelow`.
    Grep,
}

/// Row for a program without any option that writes or runs something.
const fn reads(names: &'static str, operands: OperandMeaning, options: &'static str) -> CommandRow {
    CommandRow {
        names,
        does: CommandEffect::Reads(ReadOnlyOptions {
            operands,
            options,
            pattern: "",
            any_option_is_harmless: true,
            reads_option_files: false,
        }),
        note: "",
    }
}
/// Row for a program that has options which write or run something, so no expansion may hide one.
const fn reads_strictly(names: &'static str, operands: OperandMeaning, options: &'static str) -> CommandRow {
    CommandRow {
        names,
        does: CommandEffect::Reads(ReadOnlyOptions {
            operands,
            options,
            pattern: "",
            any_option_is_harmless: false,
            reads_option_files: false,
        }),
        note: "",
    }
}
/// Row for binutils: strict, and they read options from `@file`.
const fn reads_binary(names: &'static str, options: &'static str) -> CommandRow {
    let does = CommandEffect::Reads(ReadOnlyOptions {
        operands: OperandMeaning::Paths,
        options,
        pattern: "",
        any_option_is_harmless: false,
        reads_option_files: true,
    });
    CommandRow { names, does, note: "not with `@file`" }
}
const fn searches(
    names: &'static str,
    operands: OperandMeaning,
    loose: bool,
    options: &'static str,
    pattern: &'static str,
) -> CommandRow {
    CommandRow {
        names,
        does: CommandEffect::Reads(ReadOnlyOptions {
            operands,
            options,
            pattern,
            any_option_is_harmless: loose,
            reads_option_files: false,
        }),
        note: "",
    }
}
const fn judged_by(names: &'static str, judge: fn(&[ShellWord]) -> CommandJudgement, note: &'static str) -> CommandRow {
    CommandRow { names, does: CommandEffect::JudgedBy(judge), note }
}
const fn file_command(
    names: &'static str,
    judge: fn(&[ShellWord]) -> CommandJudgement,
    note: &'static str,
) -> CommandRow {
    CommandRow { names, does: CommandEffect::Files(judge), note }
}
const fn changes(names: &'static str, what: &'static str) -> CommandRow {
    CommandRow { names, does: CommandEffect::Changes(what), note: "" }
}
const fn writes(names: &'static str, what: &'static str) -> CommandRow {
    CommandRow { names, does: CommandEffect::Writes(what), note: "" }
}

use OperandMeaning::{Below, Grep, NoPaths, Paths, PatternBelow};

pub(super) const COMMAND_TABLE: &[CommandRow] = &[
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
    reads_strictly(
        "sort",
        Paths,
        "-k= -t= -S= -bcCdfghiMmnrRsuVz --key= --field-separator= --buffer-size= --parallel= --batch-size= --sort= --check? --debug --dictionary-order --general-numeric-sort --human-numeric-sort --ignore-case --ignore-leading-blanks --ignore-nonprinting --merge --month-sort --numeric-sort --random-sort --reverse --stable --unique --version-sort --zero-terminated",
    ),
    judged_by("uniq", special_commands::uniq, "writes its second operand"),
    reads("tr seq sleep echo basename dirname yes true false : expr factor", NoPaths, "*"),
    judged_by("printf", special_commands::printf, "not with `-v`, nor with `%n`, which sets a variable"),
    judged_by("test [", special_commands::test, "`-v` only with a plain name; no word that may become `-v`"),
    judged_by("diff", special_commands::diff, "with `-r` it follows links and may read any file"),
    // A list of checksums can name any file.
    reads(
        "cksum sum md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum",
        Paths,
        "-c! --check! -a= -l= -brstwz --algorithm= --length= --binary --text --tag --untagged --raw --base64 --zero --quiet --status --strict --warn --ignore-missing",
    ),
    reads_strictly("base64 base32", Paths, "-w= -dDi --wrap= --decode --ignore-garbage"),
    reads(
        "od",
        Paths,
        "-A= -j= -N= -S= -t= -w? -abcdfiloshvxX --address-radix= --skip-bytes= --read-bytes= --format= --output-duplicates --width?",
    ),
    reads("hexdump hd", Paths, "-n= -s= -e= -bcCdovx --length= --skip= --format= --canonical --no-squeezing"),
    reads_binary(
        "strings",
        "-# -n= -e= -t= -s= -afow --all --bytes= --encoding= --radix= --print-file-name --output-separator= --include-all-whitespace",
    ),
    judged_by("xxd", special_commands::xxd, "not with `-r` or a second operand"),
    reads("stat", Paths, "-c= -fLtx --format= --printf= --file-system --dereference --terse"),
    reads_strictly(
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
    reads_strictly(
        "tree",
        Below,
        "-L= -P= -I= -l! -acCdDfFghinNpqQrsStuUvxAJX --filelimit= --charset= --sort= --timefmt= --dirsfirst --filesfirst --du --gitignore --ignore-case --inodes --matchdirs --noreport --prune --si",
    ),
    reads("realpath readlink which type", NoPaths, "*"),
    judged_by(
        "find",
        special_commands::find,
        "`-exec` is judged by the command it runs; `-delete`, `-fprint…` and `-fls` write; with `-L` or `-execdir` it may read any file",
    ),
    searches(
        "grep egrep fgrep",
        Grep,
        true,
        "-# -e= -f@ -A= -B= -C= -m= -d= -D= -R! -abcEFGhHiIlLnoPqrsTuUvVwxyzZ --regexp= --file@ --exclude-from@ --include= --exclude= --exclude-dir= --max-count= --context= --after-context= --before-context= --directories= --devices= --binary-files= --label= --group-separator= --color? --colour? --dereference-recursive! --basic-regexp --byte-offset --count --extended-regexp --files-with-matches --files-without-match --fixed-strings --ignore-case --initial-tab --invert-match --line-buffered --line-number --line-regexp --no-filename --no-group-separator --no-ignore-case --no-messages --null --null-data --only-matching --perl-regexp --quiet --recursive --silent --text --version --with-filename --word-regexp",
        "-e -f --regexp --file",
    ),
    searches(
        "rg",
        PatternBelow,
        false,
        "-e= -f@ -g= -t= -T= -A= -B= -C= -m= -j= -M= -r= -d= -E= -L! -abcFhHiIlnNopPqsSuUvVwx0. --regexp= --file@ --ignore-file@ --glob= --iglob= --type= --type-not= --type-add= --type-clear= --max-count= --context= --after-context= --before-context= --max-depth= --max-filesize= --max-columns= --replace= --sort= --sortr= --color= --colors= --threads= --encoding= --engine= --context-separator= --field-context-separator= --field-match-separator= --path-separator= --dfa-size-limit= --regex-size-limit= --follow! --binary --block-buffered --byte-offset --case-sensitive --column --count --count-matches --crlf --files --files-with-matches --files-without-match --fixed-strings --glob-case-insensitive --heading --help --hidden --ignore-case --include-zero --invert-match --json --line-buffered --line-number --line-regexp --max-columns-preview --mmap --multiline --multiline-dotall --no-config --no-filename --no-heading --no-ignore --no-ignore-dot --no-ignore-exclude --no-ignore-files --no-ignore-global --no-ignore-parent --no-ignore-vcs --no-line-number --no-messages --no-mmap --no-unicode --null --null-data --one-file-system --only-matching --passthru --pcre2 --pretty --quiet --smart-case --stats --stop-on-nonmatch --text --trim --type-list --unrestricted --version --vimgrep --with-filename --word-regexp",
        "-e -f --regexp --file --files --type-list",
    ),
    searches(
        "fd fdfind",
        PatternBelow,
        false,
        "-e= -t= -d= -E= -S= -o= -c= -j= -L! -HIusigFap01qV --extension= --type= --max-depth= --min-depth= --exact-depth= --exclude= --size= --owner= --changed-within= --changed-before= --color= --threads= --max-results= --search-path@ --base-directory@ --and= --follow! --absolute-path --case-sensitive --fixed-strings --full-path --glob --hidden --ignore-case --no-ignore --no-ignore-parent --no-ignore-vcs --one-file-system --print0 --prune --quiet --regex --strip-cwd-prefix? --unrestricted --version",
        "",
    ),
    judged_by("jq", script_languages::jq, "not with `-f`, `-L`, or a program with imports"),
    judged_by(
        "sed",
        script_languages::sed,
        "plain scripts only (addresses, `p`, `d`, `q`, `s` without `e` and `w`); with `-i` a plain file command",
    ),
    judged_by(
        "awk gawk mawk nawk",
        script_languages::awk,
        "programs without `system`, `getline`, `|`, `>`, `@`, `ARGV`; only `-F` and `-v`",
    ),
    // Archives and binaries.
    judged_by("tar", special_commands::tar, "only listings: `tar tf x`"),
    judged_by("unzip", special_commands::unzip, "only `-l`, `-v`, `-Z`, `-t`, `-p`, `-c`"),
    judged_by(
        "gzip gunzip bzip2 bunzip2 xz unxz zstd",
        special_commands::gzip,
        "reads with `-c`, or with `-l` or `-t` without `-d`; not with zstd's `-o`; otherwise writes",
    ),
    judged_by("zcat bzcat xzcat zstdcat", special_commands::zcat, "not with zstd's `-o`"),
    judged_by("zipinfo", special_commands::zipinfo, ""),
    reads_binary(
        "nm",
        "-f= -t= -aABCDgnoprSPsuUv --format= --radix= --debug-syms --defined-only --demangle? --dynamic --extern-only --no-demangle --no-sort --numeric-sort --portability --print-armap --print-file-name --print-size --reverse-sort --size-sort --undefined-only",
    ),
    // Without options that print sources or debug sections: both name more files to read.
    reads_binary(
        "objdump",
        "-j= -M= -adDfhprRstTxzCw --section= --disassembler-options= --disassemble? --disassemble-all --all-headers --archive-headers --demangle? --dynamic-reloc --dynamic-syms --file-headers --full-contents --no-show-raw-insn --private-headers --reloc --section-headers --headers --start-address= --stop-address= --syms --wide",
    ),
    reads_binary(
        "readelf",
        "-x= -p= -R= -aAcCdDeghIlnrsStuVW --hex-dump= --string-dump= --relocated-dump= --all --arch-specific --demangle? --dynamic --dyn-syms --file-header --headers --histogram --notes --program-headers --relocs --section-details --section-groups --section-headers --sections --segments --symbols --syms --version-info --wide",
    ),
    reads_binary("size", "-ABGdotx --common --format= --radix= --totals"),
    // The system.
    judged_by("date", special_commands::date, "not with `-s` or a bare number"),
    judged_by("hostname", special_commands::hostname, "only without a name"),
    reads("pwd id whoami groups logname uname nproc free uptime printenv tty locale", NoPaths, "*"),
    reads("who users", Paths, "-abdHlmpqrstTuw --all --boot --count --dead --heading --login --lookup --mesg --users"),
    // On macOS, arch runs its arguments.
    judged_by("arch", special_commands::without_arguments, "only without arguments"),
    reads_strictly(
        "lscpu",
        NoPaths,
        "-abceJpxy --all --bytes --caches? --extended? --hex --json --offline --online --parse? --physical",
    ),
    judged_by("ps", special_commands::ps, "`ps aux`, `ps -ef`, `-o`, `-p`; no options that show environment variables"),
    reads_strictly(
        "pgrep",
        NoPaths,
        "-d= -g= -G= -P= -r= -s= -t= -u= -U= -acfilnovwx --delimiter= --euid= --full --group= --list-full --list-name --newest --oldest --parent= --uid=",
    ),
    reads_strictly("getconf", NoPaths, "-a"),
    // The shell.
    judged_by("cd pushd popd", special_commands::cd, "later commands are judged in the new folder"),
    judged_by("read", wrappers::read, "only plain names that control no program"),
    judged_by("unset", wrappers::unset, "only plain names that control no program"),
    judged_by("set", wrappers::set, "only `-e`, `-u`, `-x`, `-f`, `-o pipefail`"),
    reads_strictly("wait", NoPaths, "-fn"),
    reads_strictly("jobs", NoPaths, "-lnprs"),
    reads("shift times umask", NoPaths, "*"),
    // Wrappers: the inner command is judged.
    judged_by("env", wrappers::env, "judged by the command it runs; unknown with `-S`, `-C`"),
    judged_by("timeout", wrappers::timeout, "judged by the command it runs"),
    judged_by("nice", wrappers::nice, "judged by the command it runs"),
    judged_by("nohup builtin", wrappers::without_options, "judged by the command it runs"),
    judged_by("stdbuf", wrappers::stdbuf, "judged by the command it runs"),
    judged_by("setsid", wrappers::setsid, "judged by the command it runs"),
    judged_by("exec", wrappers::exec, "judged by the command it runs"),
    judged_by("command", wrappers::command, "judged by the command it runs; `-v` looks up"),
    judged_by("xargs", wrappers::xargs, "judged by the command it runs, with unknown arguments"),
    judged_by("sh dash", wrappers::posix_shell, "`-c` with a literal POSIX script: judged by its commands"),
    judged_by("bash", wrappers::shell, "`-c` with a literal script: judged by its commands"),
    judged_by("eval", wrappers::eval, "literal arguments: judged by their commands"),
    judged_by("trap", wrappers::trap, "a literal script: judged by its commands"),
    judged_by("sudo doas", wrappers::sudo, "changes things, with any command"),
    // Version control and languages.
    judged_by("git", git::git, "subcommands and forms that only read; not with `-c`, `-C`, `--git-dir`, or after `cd`"),
    judged_by(
        "python python3 perl ruby java pip pip3 gcc g++ clang cc make cmake docker kubectl",
        wrappers::version_only,
        "only `--version` or `-V`; not rustc, cargo and go, because a file in the folder can choose the toolchain to run",
    ),
    judged_by("node npm deno bun", special_commands::node, "only `--version` or `-v`"),
    // Plain file commands.
    file_command("mkdir", file_commands::mkdir, ""),
    file_command("touch", file_commands::touch, ""),
    file_command("rmdir", file_commands::rmdir, ""),
    file_command("rm", file_commands::rm, "not with `-r`, which changes things"),
    file_command("cp", file_commands::cp, "not with options that create links"),
    file_command("mv", file_commands::mv, ""),
    file_command("tee", file_commands::tee, "only reads if its only target is /dev/null"),
    // Known to change things.
    changes("ln link", "creates links"),
    changes("dd shred truncate fallocate install split csplit mkfifo mknod patch", "writes files"),
    changes("chmod chown chgrp chattr setfacl setfattr", "changes permissions or owners"),
    changes("unlink srm", "deletes files"),
    writes(
        "kill killall pkill reboot shutdown halt poweroff systemctl service launchctl",
        "acts on processes or services",
    ),
    writes("mount umount mkfs fsck swapon swapoff", "changes file systems"),
    writes("apt apt-get dnf yum pacman apk brew snap flatpak dpkg rpm", "installs or removes software"),
    writes(
        "su pkexec runuser chroot passwd useradd usermod userdel groupadd crontab at",
        "acts as another user, or changes accounts or schedules",
    ),
    changes("rsync scp sftp ftp", "copies files"),
];

/// The row of a command, if it is known.
pub(super) fn find_row(name: &str) -> Option<&'static CommandRow> {
    COMMAND_TABLE.iter().find(|row| row.names.split(' ').any(|n| n == name))
}

/// The table as Markdown, for the docs.
pub fn command_table_markdown() -> String {
    let mut out = String::from(
        "| command | what it is | with these options; any other makes it unknown | note |\n|---|---|---|---|\n",
    );
    for row in COMMAND_TABLE {
        let names = code_list(row.names);
        let (what, options) = match &row.does {
            CommandEffect::Reads(ReadOnlyOptions { options: "*", .. }) => ("reads".to_string(), "any".to_string()),
            CommandEffect::Reads(reads) => ("reads".to_string(), code_list(reads.options)),
            CommandEffect::Files(_) => ("plain file command".to_string(), String::new()),
            CommandEffect::JudgedBy(_) => ("depends".to_string(), String::new()),
            CommandEffect::Writes(what) | CommandEffect::Changes(what) => {
                (format!("changes things: {what}"), String::new())
            }
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
        let mut names: Vec<&str> = COMMAND_TABLE.iter().flat_map(|row| row.names.split(' ')).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
        assert!(names.iter().all(|n| !n.is_empty()));
    }
}
