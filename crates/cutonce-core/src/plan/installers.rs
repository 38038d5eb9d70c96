//! Commands that install software from the network (PM-62). Plan mode refuses them before they run: they would wait
//! for a network that is not there.

/// Programs with the subcommands that install. An empty subcommand is the program without arguments.
const INSTALLERS: &[(&str, &[&str])] = &[
    ("npm", &["install", "i", "add", "ci", "update", "upgrade"]),
    ("pnpm", &["install", "i", "add", "update", "up", "fetch"]),
    ("yarn", &["", "install", "add", "up", "upgrade"]),
    ("bun", &["install", "i", "add", "update"]),
    ("pip", &["install", "download"]),
    ("pip3", &["install", "download"]),
    ("pipx", &["install", "upgrade"]),
    ("uv", &["add", "sync", "lock", "pip install", "tool install"]),
    ("poetry", &["add", "install", "update"]),
    ("conda", &["install", "create", "update"]),
    ("cargo", &["add", "install", "update", "fetch"]),
    ("rustup", &["install", "update", "toolchain install", "component add", "target add"]),
    ("go", &["get", "install", "mod download"]),
    ("gem", &["install", "update"]),
    ("bundle", &["", "install", "update"]),
    ("composer", &["install", "require", "update"]),
    ("dotnet", &["restore", "add package", "tool install"]),
];

/// The installer that a command is, as `npm install`; `None` for any other command. Words that are not literal are
/// `None`.
pub fn installer(words: &[Option<String>]) -> Option<String> {
    let words: Vec<&str> = words.iter().map(|word| word.as_deref().unwrap_or_default()).collect();
    let (program, rest) = words.split_first()?;
    let program = program.rsplit('/').next().unwrap_or(program);
    if rest.contains(&"--offline") || rest.contains(&"--help") {
        return None;
    }
    if let (true, ["-m", module, rest @ ..]) = (is_python(program), rest) {
        return find_installer(module, rest).map(|found| format!("{program} -m {found}"));
    }
    find_installer(program, rest)
}

fn is_python(program: &str) -> bool {
    program.strip_prefix("python").is_some_and(|version| version.chars().all(|c| c.is_ascii_digit() || c == '.'))
}

fn find_installer(program: &str, rest: &[&str]) -> Option<String> {
    let (_, subcommands) = INSTALLERS.iter().find(|(name, _)| *name == program)?;
    if rest.is_empty() {
        return subcommands.contains(&"").then(|| program.to_string());
    }
    let mut words = rest.iter().filter(|word| !word.starts_with(['-', '+']));
    let (first, second) = (words.next().unwrap_or(&""), words.next().unwrap_or(&""));
    let found =
        subcommands.iter().find(|sub| !sub.is_empty() && (*sub == first || **sub == format!("{first} {second}")));
    found.map(|sub| format!("{program} {sub}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Option<String> {
        installer(&line.split(' ').map(|word| (word != "$X").then(|| word.to_string())).collect::<Vec<_>>())
    }

    #[test]
    fn pm_62_installers_are_recognized() {
        let check = |line: &str, expected: Option<&str>| assert_eq!(of(line).as_deref(), expected, "{line}");
        check("npm install", Some("npm install"));
        check("npm --silent i left-pad", Some("npm i"));
        check("/usr/bin/npm ci", Some("npm ci"));
        check("yarn", Some("yarn"));
        check("pip3 install -r requirements.txt", Some("pip3 install"));
        check("python3.12 -m pip install x", Some("python3.12 -m pip install"));
        check("uv pip install x", Some("uv pip install"));
        check("cargo +nightly add serde", Some("cargo add"));
        check("go mod download", Some("go mod download"));
        check("npm $X", None);
        for other in
            ["npm test", "npm run install-hooks", "npm ls", "cargo build", "go mod tidy -h", "uv pip list", "pip list"]
        {
            check(other, None);
        }
        check("npm install --offline", None);
        check("cargo install --help", None);
        check("pythonic -m pip install", None);
        check("", None);
    }
}
