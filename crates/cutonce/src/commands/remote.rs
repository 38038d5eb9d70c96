//! `cutonce remote`: servers, members and keys of a group (FL-1, FL-2).

use super::remote_link::{default_label, tell_faults};
use super::remote_ssh;
use crate::cli::fleet_args::{AccessArgs, InviteRole, RemoteAdd, RemoteArgs, RemoteCommand, RemoteJoin, RemoteLogin};
use crate::start;
use anyhow::Context;
use cutonce_core::exit_code;
use cutonce_core::text::sanitize::sanitize;
use cutonce_fleet::invite_code::InviteCode;
use cutonce_fleet::job::time_text;
use cutonce_fleet::member_list::{FleetMember, MemberRole, is_valid_label};
use cutonce_fleet::remote_record::{RemoteRecord, parse_servers};
use cutonce_fleet::server_login::{ServerAccess, ServerLogin, take_login};
use cutonce_fleet::ssh_pairing::GroupAddress;
use cutonce_fleet::{FleetError, FleetLink, JoinRequest};
use cutonce_tui::{EchoMode, TypedLineReader};
use serde_json::json;
use std::io::{BufRead, IsTerminal, Read};
use std::path::{Path, PathBuf};

/// Passwords are much shorter.
const MAX_PASSWORD: u64 = 4 << 10;

pub async fn run(args: RemoteArgs) -> anyhow::Result<u8> {
    let home = start::home_dir()?;
    match args.command.unwrap_or_default() {
        RemoteCommand::List { json } => list(&home, json),
        RemoteCommand::Add(add) => self::add(&home, add).await?,
        RemoteCommand::Invite { name, role, signers: None, json } => invite(&home, &name, role, json).await?,
        RemoteCommand::Invite { name, role, signers: Some(signers), json } => {
            remote_ssh::admit(&home, &name, member_role(role), &signers, json).await?;
        }
        RemoteCommand::Login(login) => self::login(&home, login).await?,
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
    let (urls, login) = take_login(parse_servers(&add.servers)?)?;
    let access = server_access(add.access, login)?;
    let mut remote = RemoteRecord::found(&add.name, urls, &label)?;
    access.store(home, &mut remote)?;
    remote.save(home)?;
    // The group is created with the first connection; a server that is down is no reason to forget it.
    match FleetLink::connect(home, &remote.name).await {
        Ok(link) => tell_faults(&link),
        Err(error) if matches!(&error, FleetError::Connection { fault, .. } if !fault.may_pass()) => {
            RemoteRecord::remove(home, &remote.name)?;
            return Err(anyhow::Error::from(error).context("nothing was stored"));
        }
        Err(error) => eprintln!("cutonce: stored, but not connected yet: {}", sanitize(&error.to_string())),
    }
    println!("Added the remote {}: {}", remote.name, sanitize(&remote.shown_urls()));
    Ok(())
}

/// What the flags say about credentials; `login` was in the addresses.
fn server_access(args: AccessArgs, login: Option<ServerLogin>) -> anyhow::Result<ServerAccess> {
    let creds = args.creds.as_deref().map(readable_file).transpose()?;
    let ca = args.ca.as_deref().map(readable_file).transpose()?;
    let from_file = match (&creds, args.keyring) {
        (Some(path), true) => Some(ServerLogin::Credentials(std::fs::read_to_string(path)?)),
        _ => None,
    };
    let asked = match args.user {
        Some(user) => Some(ServerLogin::Password { password: read_password(&user)?, user }),
        None => None,
    };
    let creds = creds.filter(|_| !args.keyring);
    anyhow::ensure!(
        creds.is_none() || login.is_none(),
        "the address has a password, and --creds names a file; give one of them"
    );
    Ok(ServerAccess { creds, ca, login: from_file.or(asked).or(login) })
}

/// Reads a password: hidden on a terminal, else the first line of standard input.
fn read_password(user: &str) -> anyhow::Result<String> {
    let typed = match std::io::stdin().is_terminal() {
        true => {
            eprint!("Password of {} (it is not shown): ", sanitize(user));
            let typed = TypedLineReader::new().and_then(|mut terminal| terminal.read(EchoMode::Hidden));
            eprintln!();
            typed?.context("cancelled; nothing was stored")?
        }
        false => {
            let mut line = String::new();
            std::io::stdin().lock().take(MAX_PASSWORD).read_line(&mut line)?;
            line
        }
    };
    let password = typed.trim_end_matches(['\r', '\n']);
    anyhow::ensure!(!password.is_empty(), "no password was given");
    Ok(password.to_string())
}

/// Replaces what this machine knows about the servers, and tries it.
async fn login(home: &Path, args: RemoteLogin) -> anyhow::Result<()> {
    let before = RemoteRecord::load(home, &args.name)?;
    let mut remote = before.clone();
    let given = match &args.servers {
        Some(servers) => {
            let (urls, login) = take_login(parse_servers(servers)?)?;
            remote.urls = urls;
            login
        }
        None => None,
    };
    let keeps = args.access.creds.is_none() && args.access.user.is_none() && given.is_none();
    let mut access = server_access(args.access, given)?;
    if keeps {
        let known = ServerAccess::of(home, &before)?;
        (access.creds, access.login) = (known.creds, known.login);
    }
    access.ca = access.ca.or(before.ca);
    FleetLink::try_access(&remote, &access).await?;
    access.store(home, &mut remote)?;
    remote.save(home)?;
    println!("Changed the remote {}: {}", remote.name, sanitize(&remote.shown_urls()));
    Ok(())
}

fn readable_file(path: &Path) -> anyhow::Result<PathBuf> {
    std::fs::read(path).with_context(|| format!("can't read {}", path.display()))?;
    Ok(path.canonicalize()?)
}

async fn invite(home: &Path, name: &str, role: InviteRole, as_json: bool) -> anyhow::Result<()> {
    let role = member_role(role);
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

fn member_role(role: InviteRole) -> MemberRole {
    match role {
        InviteRole::Approve => MemberRole::Approve,
        InviteRole::Comment => MemberRole::Comment,
        InviteRole::Worker => MemberRole::Worker,
        InviteRole::Owner => MemberRole::Owner,
    }
}

async fn join(home: &Path, join: RemoteJoin) -> anyhow::Result<()> {
    let (code, address) = (InviteCode::parse(&join.code), GroupAddress::parse(&join.code));
    anyhow::ensure!(
        code.is_some() || address.is_some(),
        "this is neither a complete code nor an address of `cutonce remote invite`"
    );
    let label = join.label.unwrap_or_else(default_label);
    let request = JoinRequest { name: join.name, label, access: server_access(join.access, None)? };
    let link = match (code, address) {
        (Some(code), _) => FleetLink::join(home, &code, request).await?,
        (None, Some(address)) => remote_ssh::join(home, &address, request, join.ssh_key.as_deref()).await?,
        (None, None) => return Ok(()),
    };
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
        let FleetMember { id, card, role, signer, since, revoked, replaced } = member;
        let own = id == link.member_id();
        if as_json {
            let row = json!({"id": id, "label": card.label, "role": role.name(), "since": time_text(*since), "signer": signer,
                "revoked": revoked.map(time_text), "replaced": replaced, "self": own});
            println!("{row}");
        } else {
            let state = match (revoked, replaced) {
                (None, _) => "",
                (Some(_), true) => " (replaced keys)",
                (Some(_), false) => " (locked out)",
            };
            let own = if own { " (this machine)" } else { "" };
            let signer = signer.as_ref().map(|name| format!(", SSH key of {name}")).unwrap_or_default();
            println!("{id}  {:<8} {}{own}{}{state}", role.name(), sanitize(&card.label), sanitize(&signer));
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
        println!(
            "This machine has new keys. If the old ones leaked, the owner should run `cutonce remote rotate` too."
        );
        return Ok(());
    }
    let epoch = link.rotate_group_key().await?;
    println!("The group has a new key (number {epoch}).");
    Ok(())
}
