//! `cutonce serve`: the review page in a browser (RV-1).

use crate::cli::args::ServeArgs;
use crate::frontends::stop_signals::StopSignals;
use crate::start;
use anyhow::Context;
use cutonce_agent::browser::open_in_browser;
use cutonce_agent::config::{self, MANAGED_FILE, SettingsPaths};
use cutonce_agent::review_socket::{AddressSocket, PageAddress, request_address};
use cutonce_agent::storage::paths::user_home;
use cutonce_core::exit_code;
use cutonce_serve::{ListenAddress, LocalSource, ModelOption, ReviewServer, ReviewSource, ServeOptions};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// A server that was started for one review ends after this time without pages and sessions.
const IDLE_LIMIT: Duration = Duration::from_secs(300);

/// The pause after a process that got no address.
const ANSWER_PAUSE: Duration = Duration::from_millis(50);

pub async fn run(args: ServeArgs) -> anyhow::Result<u8> {
    let home = start::home_dir()?;
    let mut stop = StopSignals::new()?;
    let listen = match &args.bind {
        Some(name) => ListenAddress::find(name).await?,
        None => ListenAddress::LOOPBACK,
    };
    // Other users see the command line of a browser; on loopback, its token is worth nothing to them.
    anyhow::ensure!(
        listen.is_loopback() || !args.open,
        "--open works on loopback only; open the printed address in your browser"
    );
    if args.new_token
        && let Some(address) = request_address(&home, args.port).await
        && (!args.open || address.is_on_loopback())
    {
        tell(&args, &address)?;
        return Ok(exit_code::SUCCESS);
    }
    let source = LocalSource::new(&home).with_context(|| format!("can't watch {}", home.join("run").display()))?;
    let mut sources: Vec<Arc<dyn ReviewSource>> = vec![Arc::new(source)];
    #[cfg(feature = "nats")]
    if let Some(remote) = &args.remote {
        let link = super::remote_link::connect(Some(remote)).await?;
        link.require_member()?;
        sources.push(Arc::new(super::review_remote::RemoteSource::new(link)));
    }
    let port = args.port.unwrap_or_default();
    let options = ServeOptions { home: home.clone(), address: listen.clone(), port, models: models(&home)?, sources };
    let server = ReviewServer::start(options).await?;
    let port = server.port();
    let (new_token, sessions, pages) = (server.token_maker(), server.session_counter(), server.page_counter());
    let make_address = || PageAddress::new(&listen.host(port), port, new_token());
    let addresses = AddressSocket::new(&home, port)
        .inspect_err(|error| eprintln!("cutonce: `cutonce serve --new-token` will not find this server: {error}"));
    tell(&args, &make_address())?;
    if !listen.is_loopback() {
        eprintln!("cutonce: {}", outside_warning(&listen.host(port)));
    }
    let gives_addresses = async {
        let Ok(addresses) = &addresses else { return std::future::pending().await };
        loop {
            // Out of descriptors, for example: there are some again later.
            if let Err(error) = addresses.answer_next(make_address).await {
                tracing::warn!("can't give out an address of the review page: {error}");
                tokio::time::sleep(ANSWER_PAUSE).await;
            }
        }
    };
    let idle = async {
        if !args.until_idle {
            std::future::pending::<()>().await;
        }
        loop {
            tokio::time::sleep(IDLE_LIMIT).await;
            if pages() == 0 && sessions() == 0 {
                return;
            }
        }
    };
    tokio::select! {
        code = stop.next() => Ok(code),
        never = server.run() => match never {},
        never = gives_addresses => match never {},
        () = idle => Ok(exit_code::SUCCESS),
    }
}

/// What a page off loopback means.
fn outside_warning(host: &str) -> String {
    format!(
        "warning: the page listens on {host}, which other machines can reach. The connection is not encrypted: those who \
         read this network's traffic can read your plans and answer them. `ssh -L` to a page on loopback is safer."
    )
}

/// The models that this user can choose, with their prices.
fn models(home: &Path) -> anyhow::Result<Vec<ModelOption>> {
    let places = SettingsPaths {
        managed: MANAGED_FILE.into(),
        home: home.to_path_buf(),
        user_home: user_home(&|name| std::env::var_os(name)),
        project: start::current_dir()?,
        managed_flag: None,
    };
    Ok(ModelOption::list(&config::load_settings(&places, None).settings))
}

/// Says where the page is, and opens it if wanted.
fn tell(args: &ServeArgs, address: &PageAddress) -> anyhow::Result<()> {
    match args.print_json {
        true => println!("{}", serde_json::to_string(address)?),
        false => {
            println!("{}", address.url);
            eprintln!("cutonce: open this address in a browser; its token works once. Ctrl+C ends the review page.");
        }
    }
    if args.open {
        let url = match args.at.as_deref().and_then(|at| at.split_once('/')) {
            Some((session, ask)) => address.of_request(session, ask),
            None => address.url.clone(),
        };
        if let Err(why) = open_in_browser(&url, std::env::vars_os().collect()) {
            eprintln!("cutonce: can't open a browser: {why}");
        }
    }
    Ok(())
}
