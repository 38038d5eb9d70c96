//! `cutonce mcp login` and `logout`: OAuth logins of MCP servers, in the user's browser (DU-10).

use crate::cli::args::McpLogin;
use anyhow::Context;
use cutonce_agent::browser::open_in_browser;
use cutonce_agent::mcp::login::{LoginFlow, LoginOptions, LoginStore};
use cutonce_agent::mcp::{LoginTarget, McpServers, names};
use cutonce_core::exit_code;
use cutonce_core::text::sanitize::sanitize;
use std::io::{BufRead, IsTerminal};
use std::path::{Path, PathBuf};
use tokio::sync::mpsc;

/// The secret of a client that the user registered, as other agents name it.
const SECRET_VARIABLE: &str = "MCP_CLIENT_SECRET";

pub async fn log_in((servers, home): (McpServers, PathBuf), login: McpLogin) -> anyhow::Result<u8> {
    let target = find_target(&servers, &home, &login.name, login.url.as_deref())?;
    let secret = std::env::var(SECRET_VARIABLE).ok().filter(|secret| !secret.trim().is_empty());
    let options = LoginOptions {
        client_secret: secret.map(|secret| secret.trim().into()),
        client_id: login.client_id.or(target.client.id),
        scopes: if login.scope.is_empty() { target.client.scopes } else { login.scope },
        callback_port: login.callback_port.or(target.client.callback_port),
    };
    let failed = |error| anyhow::anyhow!("can't log in to {}: {error}", target.name);
    let flow = LoginFlow::start(target.store.clone(), &target.name, &target.url, options).await.map_err(failed)?;
    let opened = match login.no_browser {
        true => Err(String::new()),
        false => open_in_browser(flow.browser_url(), std::env::vars_os().collect()),
    };
    match opened {
        Ok(()) => println!("Your browser opens this page; log in there:"),
        Err(why) if why.is_empty() => println!("Open this page in your browser and log in there:"),
        Err(why) => println!("The browser was not started ({why}). Open this page yourself and log in there:"),
    }
    println!("{}", sanitize(flow.browser_url()));
    let pasted = read_pasted_lines();
    if pasted.is_some() {
        println!("If the browser is on another machine, paste the address of the page at which it ends.");
    }
    flow.finish(pasted).await.map_err(failed)?;
    println!("Logged in to {}. The login is in {}.", target.name, target.store.place());
    println!("Running sessions use it after /mcp, r (restart).");
    Ok(exit_code::SUCCESS)
}

pub fn log_out((servers, home): &(McpServers, PathBuf), name: &str, url: Option<&str>) -> anyhow::Result<u8> {
    let target = find_target(servers, home, name, url)?;
    match target.store.delete()? {
        true => {
            println!("Deleted the login of {}. The server may still accept the token until it expires.", target.name)
        }
        false => println!("There is no login of {}.", target.name),
    }
    Ok(exit_code::SUCCESS)
}

/// The server of the settings, or the one at this address that only a host knows.
fn find_target(servers: &McpServers, home: &Path, name: &str, url: Option<&str>) -> anyhow::Result<LoginTarget> {
    let Some(url) = url else {
        let found = servers.login_target(name);
        return found.with_context(|| {
            format!("can't log in to {name:?} (`cutonce mcp list` lists the servers; one of a host needs --url URL)")
        });
    };
    let called = names::server_name(name).with_context(|| format!("{name:?} is not a valid MCP server name"))?;
    let store = LoginStore::new(home, &called, url);
    Ok(LoginTarget { name: called, url: url.to_string(), client: Default::default(), store })
}

/// Lines that the user types; `None` without a terminal. The thread ends with the process.
fn read_pasted_lines() -> Option<mpsc::Receiver<String>> {
    if !std::io::stdin().is_terminal() {
        return None;
    }
    let (sender, lines) = mpsc::channel(1);
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            if sender.blocking_send(line).is_err() {
                return;
            }
        }
    });
    Some(lines)
}
