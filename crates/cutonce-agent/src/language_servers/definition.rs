//! Which language servers there are: the known ones and those of the settings.

use cutonce_core::settings::Settings;
use cutonce_core::settings::language_servers::ALL_SERVERS;
use cutonce_sandbox::find_program;
use serde_json::{Map, Value};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// A language server as it is started.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LanguageServerDefinition {
    pub name: String,
    pub command: String,
    pub args: Vec<String>,
    /// With the dot: `.rs`.
    pub extensions: Vec<String>,
    pub root_markers: Vec<String>,
    pub options: Map<String, Value>,
    pub env: Vec<(OsString, OsString)>,
    /// True if the settings name it: then the user expects it to work.
    pub configured: bool,
}

/// A language server that needs no settings.
struct KnownServer {
    name: &'static str,
    command: &'static str,
    args: &'static [&'static str],
    extensions: &'static [&'static str],
    root_markers: &'static [&'static str],
    /// JSON.
    options: &'static str,
}

const KNOWN: [KnownServer; 4] = [
    KnownServer {
        name: "rust-analyzer",
        command: "rust-analyzer",
        args: &[],
        extensions: &[".rs"],
        root_markers: &["Cargo.toml", "rust-project.json"],
        // `cargo check` would compile everything once more and rarely end in time; the model runs it itself.
        options: r#"{"checkOnSave": false, "cachePriming": {"enable": false}}"#,
    },
    KnownServer {
        name: "pyright",
        command: "pyright-langserver",
        args: &["--stdio"],
        extensions: &[".py", ".pyi"],
        root_markers: &["pyrightconfig.json", "pyproject.toml", "setup.py", "setup.cfg", "requirements.txt"],
        options: "{}",
    },
    KnownServer {
        name: "typescript-language-server",
        command: "typescript-language-server",
        args: &["--stdio"],
        extensions: &[".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"],
        root_markers: &["tsconfig.json", "jsconfig.json", "package.json"],
        // Fetching types needs the network, which it does not have.
        options: r#"{"disableAutomaticTypingAcquisition": true}"#,
    },
    KnownServer {
        name: "gopls",
        command: "gopls",
        args: &[],
        extensions: &[".go"],
        root_markers: &["go.work", "go.mod"],
        options: "{}",
    },
];

impl KnownServer {
    fn definition(&self) -> LanguageServerDefinition {
        let owned = |words: &[&str]| words.iter().map(|word| word.to_string()).collect();
        LanguageServerDefinition {
            name: self.name.into(),
            command: self.command.into(),
            args: owned(self.args),
            extensions: owned(self.extensions),
            root_markers: owned(self.root_markers),
            options: serde_json::from_str(self.options).unwrap_or_default(),
            env: Vec::new(),
            configured: false,
        }
    }
}

impl LanguageServerDefinition {
    fn named(name: &str) -> LanguageServerDefinition {
        let known = KNOWN.iter().find(|known| known.name == name).map(KnownServer::definition);
        known.unwrap_or_else(|| LanguageServerDefinition {
            name: name.into(),
            command: String::new(),
            args: Vec::new(),
            extensions: Vec::new(),
            root_markers: Vec::new(),
            options: Map::new(),
            env: Vec::new(),
            configured: false,
        })
    }

    /// True if the server checks files of this name.
    pub fn matches(&self, path: &Path) -> bool {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        self.extensions.iter().any(|extension| name.len() > extension.len() && name.ends_with(extension.as_str()))
    }

    /// Returns the root of the project that the file belongs to: the outermost folder with a marker, within `folder`.
    pub fn root(&self, file: &Path, folder: &Path) -> PathBuf {
        let marked = |above: &&Path| self.root_markers.iter().any(|marker| above.join(marker).exists());
        let inside = file.ancestors().skip(1).take_while(|above| above.starts_with(folder));
        inside.filter(marked).last().unwrap_or(folder).to_path_buf()
    }

    /// Finds the program.
    pub fn program(&self, folder: &Path, env: &[(OsString, OsString)]) -> Option<PathBuf> {
        match self.command.contains('/') {
            true => Some(folder.join(&self.command)).filter(|program| program.is_file()),
            false => find_program(&self.command, env),
        }
    }
}

/// Returns the servers of these settings, the user's own first. A server that can't be started is described in
/// `notices`.
pub(crate) fn definitions(settings: &Settings, notices: &mut Vec<String>) -> Vec<LanguageServerDefinition> {
    if settings.lsp.get(ALL_SERVERS).is_some_and(|all| all.disabled) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (name, given) in settings.lsp.iter().filter(|(name, given)| *name != ALL_SERVERS && !given.disabled) {
        let mut server = LanguageServerDefinition { configured: true, ..LanguageServerDefinition::named(name) };
        let given = given.clone();
        server.command = given.command.unwrap_or(server.command);
        server.args = given.args.unwrap_or(server.args);
        server.extensions = given.extensions.unwrap_or(server.extensions).into_iter().map(with_dot).collect();
        server.root_markers = given.root_markers.unwrap_or(server.root_markers);
        server.options = given.options.unwrap_or(server.options);
        server.env = given.env.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
        if server.command.is_empty() || server.extensions.is_empty() {
            notices.push(format!(
                "`lsp.{name}`: expected `command` and `extensions`, because this server is not known; it is not started"
            ));
            continue;
        }
        found.push(server);
    }
    let unnamed = KNOWN.iter().filter(|known| !settings.lsp.contains_key(known.name));
    found.extend(unnamed.map(KnownServer::definition));
    found
}

fn with_dot(extension: String) -> String {
    if extension.starts_with('.') { extension } else { format!(".{extension}") }
}

/// The protocol's name for the language of a file.
pub(super) fn language_id(path: &Path) -> String {
    let extension = path.extension().unwrap_or_default().to_string_lossy().into_owned();
    let known = match extension.as_str() {
        "rs" => "rust",
        "py" | "pyi" => "python",
        "ts" | "mts" | "cts" => "typescript",
        "tsx" => "typescriptreact",
        "js" | "mjs" | "cjs" => "javascript",
        "jsx" => "javascriptreact",
        _ => return extension,
    };
    known.to_string()
}

/// A language server and whether it is installed, for `cutonce doctor`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundServer {
    /// The server's name in the settings.
    pub name: String,
    /// The command that starts it.
    pub command: String,
    /// Where its program is; `None` if it is not installed.
    pub program: Option<PathBuf>,
    /// True if the settings name it.
    pub configured: bool,
}

/// Lists the language servers of these settings. Starts nothing.
pub fn find_servers(settings: &Settings, folder: &Path, env: &[(OsString, OsString)]) -> Vec<FoundServer> {
    let all = definitions(settings, &mut Vec::new());
    let found = |server: LanguageServerDefinition| FoundServer {
        program: server.program(folder, env),
        configured: server.configured,
        name: server.name,
        command: server.command,
    };
    all.into_iter().map(found).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn settings(lsp: Value) -> Settings {
        let (value, problems) = cutonce_core::settings::check_settings(json!({ "lsp": lsp }));
        assert!(problems.is_empty(), "{problems:?}");
        serde_json::from_value(value).unwrap()
    }

    fn names(lsp: Value) -> Vec<String> {
        definitions(&settings(lsp), &mut Vec::new()).into_iter().map(|server| server.name).collect()
    }

    #[test]
    fn du_11_four_servers_are_known_by_default() {
        let known = ["rust-analyzer", "pyright", "typescript-language-server", "gopls"];
        assert_eq!(names(json!({})), known);
        assert_eq!(names(json!(true)), known);
        assert_eq!(names(json!({"pyright": {"disabled": true}})), [known[0], known[2], known[3]]);
        assert!(names(json!(false)).is_empty());
        assert!(KNOWN.iter().all(|known| serde_json::from_str::<Map<String, Value>>(known.options).is_ok()));
    }

    #[test]
    fn du_11_settings_add_and_change_servers() {
        let lsp = json!({
            "mine": {"command": ["my-server", "--stdio"], "extensions": ["foo"], "options": {"a": {"b": 1}}},
            "pyright": {"command": "/opt/pyright"},
            "half": {"command": "x"},
        });
        let mut notices = Vec::new();
        let servers = definitions(&settings(lsp), &mut notices);
        assert_eq!((servers[0].name.as_str(), servers[0].args.clone()), ("mine", vec!["--stdio".to_string()]));
        assert!(servers[0].matches(Path::new("/w/a.foo")) && !servers[0].matches(Path::new("/w/.foo")));
        assert_eq!((servers[1].command.as_str(), servers[1].args.len()), ("/opt/pyright", 1));
        assert!(servers[1].matches(Path::new("/w/a.py")) && servers[1].configured);
        assert!(notices.len() == 1 && notices[0].contains("`lsp.half`"), "{notices:?}");
    }

    #[test]
    fn du_11_root_is_the_outermost_marked_folder() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("a/b/src");
        std::fs::create_dir_all(&inner).unwrap();
        let server = LanguageServerDefinition::named("rust-analyzer");
        let file = inner.join("lib.rs");
        assert_eq!(server.root(&file, folder.path()), folder.path());
        for marked in ["a/b", "a"] {
            std::fs::write(folder.path().join(marked).join("Cargo.toml"), "").unwrap();
            assert_eq!(server.root(&file, folder.path()), folder.path().join(marked));
        }
    }
}
