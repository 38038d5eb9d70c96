//! PR-5 against real bash: runs lines that were judged read-only, and checks that no hidden command runs.
//!
//! Lines combine places and disguises, sometimes with a stray character. The selection is deterministic, so failures
//! are reproducible; `CASES=100000` tests more lines.

use cutonce_core::shell::{CommandVerdict, parse};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const PLACES: &[&str] = &[
    "echo @",
    "echo \"@\"",
    "echo '@'",
    "echo $(@)",
    "echo \"$(@)\"",
    "echo `@`",
    "cat <(@)",
    "(@)",
    "{ @; }",
    "ls; @",
    "@ | cat",
    "ls || @",
    "ls & @",
    "if @; then ls; fi",
    "for i in 1 2; do @; done",
    "case a in a) @;; esac",
    "case @ in a) ls;; esac",
    "case a in @) ls;; esac",
    "echo ${x:-@}",
    "echo \"${x:-@}\"",
    "echo ${x:='@'}",
    "echo ${x/a/@}",
    "echo ${x%@}",
    "echo ${x:@}",
    "echo ${x^^@}",
    "x=@",
    "x='@'",
    "x=\"@\"; echo $x",
    "x=(@)",
    "x=([0]=@)",
    "cat <<E\n@\nE",
    "cat <<'E'\n@\nE",
    "cat <<-E\n\t@\n\tE",
    "cat <<E <<'F'\n@\nE\n@\nF",
    "cat <<'E' <<F\n@\nE\n@\nF",
    "cat <<E\n\\@\nE",
    "cat <<E\n'@'\nE",
    "cat <<< @",
    "cat <<< '@'",
    "[[ -n @ ]]",
    "[[ @ == a ]]",
    "[[ a =~ @ ]]",
    "[[ '@' -eq 0 ]]",
    "((@))",
    "echo $((@))",
    "echo $(( x[@] ))",
    "x='@'; echo $((x))",
    "x='@'; eval \"$x\"",
    "x='@'; $x",
    "x='@'; echo ${x@P}",
    "x='@'; echo ${!x}",
    "printf -v @ a",
    "test -v '@'",
    "[ -v '@' ]",
    "read @ <<< a",
    "declare '@=1'",
    "declare x='@'",
    "local x=@",
    "export LANG='@'",
    "unset '@'",
    "a['@']=1",
    "a[@]=1",
    "echo ${a[@]}",
    "echo ${a['@']}",
    "trap '@' EXIT",
    "eval '@'",
    "eval \"@\"",
    "bash -c '@'",
    "sh -c '@'",
    "env @",
    "command @",
    "exec @",
    "f() { @; }; f",
    "! @",
    "time @",
    "echo \\@",
    "echo \\$(@)",
    "echo $'@'",
    "echo $\"@\"",
    "ls #'\n@",
    "ls \\\n@",
    "echo {a,@}",
    "echo @{a,b}",
    "> @",
    "< @",
    "echo >& '@'",
    "echo 2>'@'",
    "PS4='@'; set -x; ls",
    "coproc @",
    "tee >(@)",
    "let '@'",
];
const DISGUISES: &[&str] = &[
    "evil",
    "$(evil)",
    "`evil`",
    "a[$(evil)]",
    "a[`evil`]",
    "\\`evil\\`",
    "\\$(evil)",
    "'$(evil)'",
    "${x:-$(evil)}",
    "\"$(evil)\"",
    "a[$(evil)]=1",
    "'evil'",
];
const STRAYS: &[&str] = &["", "", "", "'", "\"", "\\", "`", "\n", " ", ";", "$", "#", "(", ")", "}"];

fn line() -> impl Strategy<Value = String> {
    let places = prop::collection::vec(prop::sample::select(PLACES), 1..4);
    let stray = (prop::sample::select(STRAYS), any::<prop::sample::Index>());
    (places, prop::sample::select(DISGUISES), stray).prop_map(|(places, disguise, (stray, at))| {
        let line = places.iter().fold(disguise.to_string(), |inner, place| place.replace('@', &inner));
        let at = at.index(line.chars().count() + 1);
        line.chars().take(at).chain(stray.chars()).chain(line.chars().skip(at)).collect()
    })
}

fn only_reads(line: &str) -> bool {
    let parsed = parse(line);
    parsed.unparsed.is_none() && parsed.parts.iter().all(|part| part.verdict == CommandVerdict::ReadOnly)
}

/// A folder with the programs that the lines use, and one program that leaves a marker.
fn stage() -> PathBuf {
    let stage = std::env::temp_dir().join(format!("cutonce-against-bash-{}", std::process::id()));
    let script = "#!/bin/bash\n: > \"$MARK\"\n";
    let made = std::fs::create_dir_all(stage.join("bin")).and_then(|()| std::fs::create_dir_all(stage.join("work")));
    assert!(made.is_ok(), "{made:?}");
    for (name, text) in [
        ("evil", script),
        ("ls", "#!/bin/bash\n:\n"),
        ("tee", "#!/bin/bash\n:\n"),
        ("cat", "#!/bin/bash\nwhile read -r l; do :; done\n"),
    ] {
        let path = stage.join("bin").join(name);
        let written = std::fs::write(&path, text)
            .and_then(|()| std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)));
        assert!(written.is_ok(), "{written:?}");
    }
    for shell in ["bash", "sh", "env"] {
        let real = ["/bin", "/usr/bin"].iter().map(|dir| Path::new(dir).join(shell)).find(|path| path.exists());
        let linked = real.map(|real| std::os::unix::fs::symlink(real, stage.join("bin").join(shell)));
        assert!(linked.is_some(), "no {shell} here");
    }
    stage
}

/// True if the line runs the hidden command.
fn runs_it(stage: &Path, line: &str) -> bool {
    let mark = stage.join("mark");
    let output = Command::new(stage.join("bin/bash"))
        .args(["-c", line])
        .current_dir(stage.join("work"))
        .env_clear()
        .env("PATH", stage.join("bin"))
        .env("MARK", &mark)
        .stdin(Stdio::null())
        .output();
    assert!(output.is_ok(), "bash did not start: {output:?}");
    std::fs::remove_file(mark).is_ok()
}

#[test]
fn pr_5_read_only_lines_run_no_hidden_command() {
    let cases: usize = std::env::var("CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(2_500);
    let stage = stage();
    assert!(runs_it(&stage, "echo $(evil)"), "the stage does not work");
    let mut runner = TestRunner::deterministic();
    let strategy = line();
    let mut tried = 0;
    let mut holes = Vec::new();
    for _ in 0..cases {
        let Ok(tree) = strategy.new_tree(&mut runner) else { continue };
        let line = tree.current();
        if only_reads(&line) {
            tried += 1;
            if runs_it(&stage, &line) {
                holes.push(line);
            }
        }
    }
    let _ = std::fs::remove_dir_all(&stage);
    assert!(holes.is_empty(), "judged as reading, and yet:\n{holes:#?}");
    assert!(tried > cases / 20, "only {tried} lines were tried");
}
