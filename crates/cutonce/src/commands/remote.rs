//! `cutonce remote`: servers, members and keys of a group (FL-1, FL-2).

use super::remote_link::{default_label, tell_faults};
use crate::cli::fleet_args::{InviteRole, RemoteAdd, RemoteArgs, RemoteCommand, RemoteJoin};
use crate::start;
use anyhow::Context;
use cutonce_core::exit_code;
use cutonce_core::text::sanitize::sanitize;
use cutonce_fleet::invite_code::InviteCode;
use cutonce_fleet::job::time_text;
use cutonce_fleet::member_list::{FleetMember, MemberRole, is_valid_label};
use cutonce_fleet::remote_record::{RemoteRecord, parse_servers};
use cutonce_fleet::{FleetLink, JoinRequest};
use serde_json::json;
use std::path::{Path, PathBuf};

pub async fn run(args: RemoteArgs) -> anyhow::Result<u8> {
    let home = start::home_dir()?;
    match args.command.unwrap_or_default() {
        RemoteCommand::List { json } => list(&home, json),
        RemoteCommand::Add(add) => self::add(&home, add).await?,
        RemoteCommand::Invite { name, role, json } => invite(&home, &name, role, json).await?,
        RemoteCommand::Join(join) => self::join(&home, join).await?,
        RemoteCommand::Members { name, json } => members(&home, &name, json).await?,
        RemoteCommand::Revoke { name, member } => revoke(&home, &name, &member).await?,
        RemoteCommand::Rotate { name, own } => rotate(&home, &name, own).await?,
        RemoteCommand::Remove { name } => {
            RemoteRecord::remove(&home, &name)?;
            println!("Removed the remote {name} and its keys from this machine.");
        }
    }
    Ok(exit_code::SUCCESS)
}

fn list(home: &Path, as_json: bool) {
    let remotes = RemoteRecord::list(home);
    if remotes.is_empty() && !as_json {
        println!("No remotes. Add one with `cutonce remote add NAME nats://host:4222`.");
    }
    for remote in remotes {
        match remote {
            Ok(remote) if as_json => {
                let id = remote.member_id().ok();
                let row = json!({"name": remote.name, "servers": remote.shown_urls(), "group": remote.group,
                    "label": remote.label, "id": id, "owner": remote.is_founder()});
                println!("{row}");
            }
            Ok(remote) => {
                let role = if remote.is_founder() { "owner" } else { "member" };
                println!("{:<12} {} ({role})", remote.name, sanitize(&remote.shown_urls()));
            }
            Err(error) => eprintln!("cutonce: {}", sanitize(&error.to_string())),
        }
    }
}

async fn add(home: &Path, add: RemoteAdd) -> anyhow::Result<()> {
    if RemoteRecord::exists(home, &add.name) {
        anyhow::bail!("there is already a remote {:?}; remove it first, or choose another name", add.name);
    }
    let label = add.label.unwrap_or_else(default_label);
    if !is_valid_label(&label) {
        anyhow::bail!("invalid label {label:?}: use one short line");
    }
    let mut remote = RemoteRecord::found(&add.name, parse_servers(&add.servers)?, &label)?;
    remote.creds = add.creds.as_deref().map(readable_file).transpose()?;
    remote.ca = add.ca.as_deref().map(readable_file).transpose()?;
    remote.save(home)?;
    println!("Added the remote {}: {}", remote.name, sanitize(&remote.shown_urls()));
    // The group is created with the first connection; a server that is down is no reason to forget it.
    match FleetLink::connect(home, &remote.name).await {
        Ok(link) => tell_faults(&link),
        Err(error) => eprintln!("cutonce: stored, but not connected yet: {}", sanitize(&error.to_string())),
    }
    Ok(())
}

fn readable_file(path: &Path) -> anyhow::Result<PathBuf> {
    std::fs::read(path).with_context(|| format!("can't read {}", path.display()))?;
    Ok(path.canonicalize()?)
}

async fn invite(home: &Path, name: &str, role: InviteRole, as_json: bool) -> anyhow::Result<()> {
    let role = match role {
        InviteRole::Approve => MemberRole::Approve,
        InviteRole::Comment => MemberRole::Comment,
        InviteRole::Worker => MemberRole::Worker,
    };
    let link = FleetLink::connect(home, name).await?;
    let code = link.invite(role).await?.to_text();
    tell_faults(&link);
    if as_json {
        println!(
            "{}",
            json!({"code": code, "role": role.name(), "seconds": cutonce_fleet::member_list::INVITE_SECONDS})
        );
        return Ok(());
    }
    println!("{code}");
    eprintln!("The code works once, within ten minutes: cutonce remote join CODE");
    Ok(())
}

async fn join(home: &Path, join: RemoteJoin) -> anyhow::Result<()> {
    let Some(code) = InviteCode::parse(&join.code) else {
        anyhow::bail!("this is not a complete code of `cutonce remote invite`");
    };
    let request = JoinRequest {
        name: join.name,
        label: join.label.unwrap_or_else(default_label),
        creds: join.creds.as_deref().map(readable_file).transpose()?,
        ca: join.ca.as_deref().map(readable_file).transpose()?,
    };
    let link = FleetLink::join(home, &code, request).await?;
    tell_faults(&link);
    let member = link.require_member()?;
    println!("Joined {} as {} ({}, {}).", link.name(), sanitize(&member.card.label), member.role.name(), member.id);
    Ok(())
}

async fn members(home: &Path, name: &str, as_json: bool) -> anyhow::Result<()> {
    let link = FleetLink::connect(home, name).await?;
    tell_faults(&link);
    let list = link.members();
    for member in list.members() {
        let FleetMember { id, card, role, since, revoked } = member;
        let own = id == link.member_id();
        if as_json {
            let row = json!({"id": id, "label": card.label, "role": role.name(), "since": time_text(*since),
                "revoked": revoked.map(time_text), "self": own});
            println!("{row}");
        } else {
            let state = if revoked.is_some() { " (locked out)" } else { "" };
            let own = if own { " (this machine)" } else { "" };
            println!("{id}  {:<8} {}{own}{state}", role.name(), sanitize(&card.label));
        }
    }
    Ok(())
}

async fn revoke(home: &Path, name: &str, member: &str) -> anyhow::Result<()> {
    let link = FleetLink::connect(home, name).await?;
    let member = link.revoke(member).await?;
    tell_faults(&link);
    println!("Locked out {} ({}). The group has a new key.", sanitize(&member.card.label), member.id);
    Ok(())
}

async fn rotate(home: &Path, name: &str, own: bool) -> anyhow::Result<()> {
    let link = FleetLink::connect(home, name).await?;
    if own {
        link.rotate_own_keys().await?;
        println!("This machine has new keys.");
        return Ok(());
    }
    let epoch = link.rotate_group_key().await?;
    println!("The group has a new key (number {epoch}).");
    Ok(())
}
