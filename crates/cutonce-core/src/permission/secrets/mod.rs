//! The one list of files with keys and credentials (SB-6). Read, Grep, Glob, Bash, instruction files and the
//! sandbox's hidden paths all ask here.
//!
//! The list is about names, because a decision must not open a file to learn whether it may be opened.

mod stores;

use std::path::{Component, Path};

/// Files in any folder, in lower case.
const FILES: &[&str] = &[
    ".boto",
    ".clasprc.json",
    ".cvspass",
    ".databrickscfg",
    ".dockercfg",
    ".dockerconfigjson",
    ".esmtprc",
    ".fetchmailrc",
    ".ftpconfig",
    ".git-credentials",
    ".gitcookies",
    ".google_authenticator",
    ".histfile",
    ".history",
    ".htpasswd",
    ".iceauthority",
    ".lesshst",
    ".mbsyncrc",
    ".mongorc.js",
    ".mongoshrc.js",
    ".msmtprc",
    ".my.cnf",
    ".mylogin.cnf",
    ".netrc",
    ".npmrc",
    ".offlineimaprc",
    ".p4tickets",
    ".pg_service.conf",
    ".pgpass",
    ".pypirc",
    ".remote-sync.json",
    ".renviron",
    ".restic-password",
    ".rhistory",
    ".runtimeconfig.json",
    ".s3cfg",
    ".sentryclirc",
    ".smbcredentials",
    ".terraformrc",
    ".vault-token",
    ".viminfo",
    ".xauthority",
    ".zhistory",
    "_netrc",
    "accesstokens.json",
    "application_default_credentials.json",
    "auth.json",
    "authkey.p8",
    "cookies.txt",
    "dev.secret.exs",
    "filezilla.xml",
    "ftp-sync.json",
    "key.properties",
    "key3.db",
    "key4.db",
    "keyfile.json",
    "keystore.json",
    "keystore.properties",
    "kubeconfig",
    "local.settings.json",
    "local_settings.py",
    "localsettings.php",
    "login data",
    "logins.json",
    "pgpass.conf",
    "prod.secret.exs",
    "recentservers.xml",
    "secret_token.rb",
    "secring.gpg",
    "sentry.properties",
    "settings.local.php",
    "sftp-config.json",
    "sftp.json",
    "signing.properties",
    "signons.sqlite",
    "sitemanager.xml",
    "terraform.rc",
    "token.json",
    "token.pickle",
    "wallet.dat",
    "wp-config.php",
];

/// Endings of key files, key stores and other files that contain keys.
const KEY_ENDINGS: &[&str] = &[
    "1pif",
    "agekey",
    "agilekeychain",
    "bcfks",
    "bks",
    "jceks",
    "jks",
    "kdb",
    "kdbx",
    "key",
    "keychain",
    "keypair",
    "keystore",
    "keytab",
    "kubeconfig",
    "kwallet",
    "opvault",
    "ovpn",
    "p12",
    "p8",
    "pem",
    "pfx",
    "pk8",
    "pkcs12",
    "ppk",
    "private_key",
    "psafe3",
    "tfstate",
    "tfvars",
];
/// Names of private SSH keys; a `.pub` next to one is public.
const KEY_KINDS: &[&str] = &["rsa", "dsa", "ecdsa", "ed25519"];
/// Words of a `.pem` file that contains no private key.
const PUBLIC_WORDS: &[&str] = &["ca", "cacert", "cacerts", "bundle", "chain", "fullchain", "pub", "public"];
/// Certificates and keys in these folders come with the system.
const PUBLIC_FOLDERS: &[&str] = &["/usr/share", "/usr/lib", "/usr/lib64", "/etc/ssl/certs", "/etc/pki", "/nix/store"];
/// Endings of data files. Code that is only named after secrets stays readable.
const DATA_ENDINGS: &[&str] = &[
    "cfg",
    "conf",
    "csv",
    "db",
    "ini",
    "json",
    "json5",
    "jsonc",
    "plist",
    "properties",
    "sqlite",
    "toml",
    "txt",
    "xml",
    "yaml",
    "yml",
];
/// What editors and users append to the name of a copy.
const COPY_ENDINGS: &[&str] = &["~", ".bak", ".backup", ".old", ".orig", ".save", ".swp", ".swo", ".tmp"];
/// Words that mark a file as a sample without real values.
const SAMPLE_WORDS: &[&str] =
    &["example", "examples", "sample", "template", "tmpl", "tpl", "dist", "defaults", "schema"];

/// True if this resolved path is a key, a credential store or inside one. `home` is the user's home folder.
pub fn is_secret(path: &Path, home: Option<&Path>) -> bool {
    let in_home = home.and_then(|home| path.strip_prefix(home).ok());
    in_home.is_some_and(|inner| starts_with_any(&names_of(inner), stores::IN_HOME))
        || stores::OF_SYSTEM.iter().any(|store| path.starts_with(store))
        || is_process_memory(path)
        || is_in_store(path)
        || path.file_name().is_some_and(|name| has_secret_name(path, &name.to_string_lossy().to_ascii_lowercase()))
}

/// All stores of a home folder, relative to it. A folder closes everything below it.
pub fn home_stores() -> impl Iterator<Item = &'static str> {
    stores::IN_HOME.iter().chain(stores::ANYWHERE).copied()
}

/// Stores outside any home folder, absolute.
pub fn system_stores() -> impl Iterator<Item = &'static str> {
    stores::OF_SYSTEM.iter().copied()
}

/// Environment and memory of processes, including our own.
fn is_process_memory(path: &Path) -> bool {
    path.starts_with("/proc") && ["environ", "mem", "auxv"].iter().any(|name| path.ends_with(name))
}

/// Also finds the store in another user's home, in a backup or in a repository of dotfiles.
fn is_in_store(path: &Path) -> bool {
    let names = names_of(path);
    let starts = (0..names.len()).filter(|at| names[*at].starts_with('.'));
    starts.into_iter().any(|at| starts_with_any(&names[at..], stores::ANYWHERE))
}

/// A name that is not UTF-8 is in no list.
fn names_of(path: &Path) -> Vec<&str> {
    let normal = path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_str().unwrap_or("\u{fffd}")),
        Component::Prefix(_) | Component::RootDir | Component::CurDir | Component::ParentDir => None,
    });
    normal.collect()
}

/// Ignores case, because some disks do.
fn starts_with_any(names: &[&str], stores: &[&str]) -> bool {
    stores.iter().any(|store| {
        let mut names = names.iter();
        store.split('/').all(|part| names.next().is_some_and(|name| name.eq_ignore_ascii_case(part)))
    })
}

fn has_secret_name(path: &Path, name: &str) -> bool {
    let original = COPY_ENDINGS.iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name);
    is_secret_file(path, name) || is_secret_file(path, original)
}

fn is_secret_file(path: &Path, name: &str) -> bool {
    let words: Vec<&str> = name.split(['.', '-', '_']).filter(|word| !word.is_empty()).collect();
    if words.iter().any(|word| SAMPLE_WORDS.contains(word)) {
        return false;
    }
    FILES.contains(&name)
        || is_env_file(name)
        || is_key_file(path, name, &words)
        || is_credential_data(name, &words)
        || (name.starts_with('.') && name.ends_with("_history"))
        || (name.starts_with("ssh_host_") && name.ends_with("_key"))
        || is_hidden_token(name, &words)
        || [".vault_pass", ".vault-pass", "vault_pass", "vault-pass", "utc--", "krb5cc_"]
            .iter()
            .any(|start| name.starts_with(start))
}

/// `.env`, `.env.local`, `.envrc`, `prod.env`, `.dev.vars` and the like.
fn is_env_file(name: &str) -> bool {
    let after =
        name.strip_prefix(".envrc").or_else(|| name.strip_prefix(".env")).or_else(|| name.strip_prefix(".dev.vars"));
    after.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '-', '_'])) || name.ends_with(".env")
}

/// `.api_key`, `.github_token`, `.db-password`: hidden files without an ending. A folder of code has no such name.
fn is_hidden_token(name: &str, words: &[&str]) -> bool {
    let ends = ["token", "secret", "password", "passwd", "credential", "credentials", "creds", "apikey"];
    let key = ["api", "private", "secret"].iter().any(|kind| words.ends_with(&[kind, "key"]));
    name.starts_with('.') && (key || words.last().is_some_and(|word| ends.contains(word)))
}

fn is_key_file(path: &Path, name: &str, words: &[&str]) -> bool {
    let ending = name.rsplit_once('.').map(|(_, ending)| ending);
    let ssh = |kind: &&str| {
        let named = name.strip_prefix("id_").is_some_and(|rest| rest.starts_with(*kind));
        named || name.strip_suffix(*kind).is_some_and(|rest| rest.len() > 1 && rest.ends_with(['_', '-']))
    };
    if ending != Some("pub") && KEY_KINDS.iter().any(ssh) {
        return true;
    }
    let public = || {
        let certificate = ending == Some("pem") && words.iter().any(|word| PUBLIC_WORDS.contains(word));
        certificate || PUBLIC_FOLDERS.iter().any(|folder| path.starts_with(folder))
    };
    let exported = ["asc", "gpg", "pgp"].iter().any(|kind| ending == Some(kind))
        && words.iter().any(|word| ["private", "secret", "priv"].contains(word));
    // `terraform.tfstate.backup` and `prod.tfvars.json` contain the same.
    let terraform = name.contains(".tfstate.") || name.contains(".tfvars.");
    terraform || exported || (ending.is_some_and(|ending| KEY_ENDINGS.contains(&ending)) && !public())
}

/// `secrets.yaml`, `gcp-credentials.json`, `client_secret_1.json`, `service-account.json`, `passwords.txt`.
fn is_credential_data(name: &str, words: &[&str]) -> bool {
    let Some((stem, ending)) = name.rsplit_once('.').filter(|(_, ending)| DATA_ENDINGS.contains(ending)) else {
        return false;
    };
    let stem_words = &words[..words.len().saturating_sub(1)];
    let has = |wanted: &[&str]| stem_words.iter().any(|word| wanted.contains(word));
    let ends = |wanted: &[&str]| stem_words.last().is_some_and(|word| wanted.contains(word));
    let joined = stem.replace(['-', '_', '.'], "");
    let cloud = ["serviceaccount", "adminsdk"].iter().any(|sign| joined.contains(sign)) || ends(&["key"]);
    has(&["secret", "secrets", "credential", "credentials", "cred", "creds"])
        || ends(&["password", "passwords", "passwd", "apikey", "apikeys"])
        || (ending == "json" && cloud)
}

#[cfg(test)]
mod tests;
