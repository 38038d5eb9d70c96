//! Joining a remote with an SSH key (FL-2): the owner admits keys of an allowed_signers file, without a secret code.

use super::remote_link::tell_faults;
use super::ssh_signature;
use anyhow::Context;
use cutonce_agent::storage::paths::user_home;
use cutonce_core::text::sanitize::sanitize;
use cutonce_fleet::member_list::{INVITE_SECONDS, MemberRole};
use cutonce_fleet::ssh_pairing::{GroupAddress, PendingJoin, SignedRequest};
use cutonce_fleet::{FleetLink, JoinRequest};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::time::Instant;

/// The key that OpenSSH uses by default.
const DEFAULT_KEY: &str = ".ssh/id_ed25519";

/// Admits machines that ask with an SSH key of the file: one per line of it, for ten minutes.
pub async fn admit(home: &Path, name: &str, role: MemberRole, signers: &Path, as_json: bool) -> anyhow::Result<()> {
    let count = ssh_signature::count_signers(signers)?;
    let signers = signers.canonicalize()?;
    let link = FleetLink::connect(home, name).await?;
    let address = link.address().to_text();
    let mut requests = link.follow_requests().await?;
    match as_json {
        true => println!("{}", json!({"address": address, "role": role.name(), "seconds": INVITE_SECONDS})),
        false => println!("{address}"),
    }
    eprintln!(
        "On the other machine, within ten minutes: cutonce remote join ADDRESS --ssh-key FILE\n\
         The address is no secret. Waiting for {count} of {}; Ctrl+C ends this.",
        signers.display()
    );
    let end = Instant::now() + Duration::from_secs(INVITE_SECONDS);
    let mut admitted = 0;
    while admitted < count {
        let Ok(request) = tokio::time::timeout_at(end, requests.next()).await else { break };
        let request = request?;
        let label = sanitize(&request.card.label).into_owned();
        match admit_one(&link, &request, role, &signers).await {
            Ok(told) => {
                admitted += 1;
                eprintln!("{told}");
            }
            Err(error) => eprintln!("cutonce: {label} is not admitted: {}", sanitize(&format!("{error:#}"))),
        }
    }
    tell_faults(&link);
    anyhow::ensure!(admitted > 0, "no machine with an allowed SSH key asked within ten minutes");
    Ok(())
}

async fn admit_one(
    link: &FleetLink,
    request: &SignedRequest,
    role: MemberRole,
    signers: &Path,
) -> anyhow::Result<String> {
    anyhow::ensure!(
        request.is_recent(),
        "the request was signed more than ten minutes ago, or a clock is wrong; check both clocks"
    );
    let text = request.text(&link.record().group);
    let (signer, fingerprint) = ssh_signature::check(signers, &text, &request.signature).await?;
    let member = link.admit(request, role, &signer).await?;
    let (label, signer) = (sanitize(&member.card.label), sanitize(&signer));
    Ok(format!("Admitted {label} ({}, {}), SSH key of {signer} {}", role.name(), member.id, sanitize(&fingerprint)))
}

/// Signs the keys of this machine with the user's SSH key, asks, and waits for the owner.
pub async fn join(
    home: &Path,
    address: &GroupAddress,
    request: JoinRequest,
    key: Option<&Path>,
) -> anyhow::Result<FleetLink> {
    let key = match key {
        Some(key) => key.to_path_buf(),
        None => default_key().context("name your SSH key with --ssh-key FILE")?,
    };
    let pending = PendingJoin::open(home, address, request).await?;
    let signature = ssh_signature::sign(&key, &pending.text())?;
    eprintln!("Asked with {}; waiting for the owner to admit this machine.", key.display());
    Ok(pending.join(signature).await?)
}

fn default_key() -> Option<PathBuf> {
    let path = user_home(&|name| std::env::var_os(name))?.join(DEFAULT_KEY);
    path.exists().then_some(path)
}
