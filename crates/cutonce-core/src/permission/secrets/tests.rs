use super::*;

const HOME: &str = "/home/ann";

fn secret(path: &str) -> bool {
    is_secret(Path::new(path), Some(Path::new(HOME)))
}

#[test]
fn sb_6_credential_files_of_a_home_are_secret() {
    for path in include_str!("home_examples.txt").lines() {
        assert!(secret(&format!("{HOME}/{path}")), "{path}");
    }
}

#[test]
fn sb_6_credential_files_of_projects_are_secret() {
    for path in include_str!("project_examples.txt").lines() {
        assert!(secret(&format!("/srv/shop/{path}")), "{path}");
        assert!(secret(&format!("{HOME}/shop/deep/{path}")), "{path}");
    }
}

#[test]
fn sb_6_ordinary_files_stay_readable() {
    for path in include_str!("ordinary_examples.txt").lines() {
        assert!(!secret(&format!("/srv/shop/{path}")), "{path}");
        assert!(!secret(&format!("{HOME}/shop/{path}")), "{path}");
    }
    for path in
        ["/etc/ssl/certs/ISRG_Root_X1.pem", "/usr/lib/python3/test/keycert.pem", "/proc/12/status", "/etc/passwd"]
    {
        assert!(!secret(path), "{path}");
    }
}

#[test]
fn sb_6_secrets_of_machine_and_processes() {
    for path in [
        "/etc/shadow",
        "/etc/ssl/private/x.pem",
        "/run/secrets/kubernetes.io/serviceaccount/token",
        "/etc/ssh/ssh_host_rsa_key",
        "/proc/12/environ",
        "/proc/12/task/13/mem",
        "/home/bob/.aws/credentials",
        "/backup/ann/.config/gcloud/access_tokens.db",
        "/backup/.SSH/ID_RSA",
    ] {
        assert!(secret(path), "{path}");
    }
}

#[test]
fn sb_6_names_common_in_projects_are_secret_at_home() {
    for path in [".yarnrc.yml", ".bundle/config", ".curlrc"] {
        assert!(secret(&format!("{HOME}/{path}")), "{path}");
        assert!(!secret(&format!("{HOME}/shop/{path}")), "{path}");
        assert!(!is_secret(&Path::new(HOME).join(path), None), "{path}");
    }
}

#[test]
fn sb_6_stores_are_relative_and_named_once() {
    let all: Vec<&str> = home_stores().collect();
    for store in &all {
        assert!(!store.starts_with('/') && !store.ends_with('/') && !store.contains("//"), "{store}");
        assert_eq!(all.iter().filter(|other| other == &store).count(), 1, "{store}");
        assert!(secret(&format!("{HOME}/{store}")) && secret(&format!("{HOME}/{store}/below")), "{store}");
    }
    assert!(system_stores().all(|store| store.starts_with('/')));
}
