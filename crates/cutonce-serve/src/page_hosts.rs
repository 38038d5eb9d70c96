//! Where the page listens, and under which names it answers (RV-5): loopback, or an address that the user named.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

/// The address on which the page listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListenAddress {
    pub ip: IpAddr,
    /// The name by which the user gave it, if it was not a number.
    name: Option<String>,
}

/// Why the page can't listen on an address.
#[derive(Debug, thiserror::Error)]
pub enum ListenAddressError {
    #[error("can't find the address {name}: {source}")]
    Unknown { name: String, source: io::Error },
    #[error(
        "{0} would open the page on every network of this machine; name one of its addresses, or forward the port with ssh -L"
    )]
    Everywhere(IpAddr),
}

impl ListenAddress {
    /// Reached from this machine only.
    pub const LOOPBACK: ListenAddress = ListenAddress { ip: IpAddr::V4(Ipv4Addr::LOCALHOST), name: None };

    /// An address of this machine, as a number or a name.
    pub async fn find(text: &str) -> Result<ListenAddress, ListenAddressError> {
        let number = text.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>().ok();
        let found = match number {
            Some(ip) => ListenAddress { ip, name: None },
            None => {
                let unknown = |source| ListenAddressError::Unknown { name: text.to_string(), source };
                let mut ips = tokio::net::lookup_host((text, 0)).await.map_err(unknown)?;
                let ip = ips.next().ok_or_else(|| unknown(io::ErrorKind::NotFound.into()))?.ip();
                ListenAddress { ip, name: Some(text.to_string()) }
            }
        };
        match found.ip.is_unspecified() {
            true => Err(ListenAddressError::Everywhere(found.ip)),
            false => Ok(found),
        }
    }

    pub fn is_loopback(&self) -> bool {
        self.ip.is_loopback()
    }

    /// The address of a page on this port, as a browser writes it.
    pub fn host(&self, port: u16) -> String {
        match &self.name {
            Some(name) => format!("{name}:{port}"),
            None => SocketAddr::new(self.ip, port).to_string(),
        }
    }
}

/// The values of `Host` that mean this server. Other names may lead here by a trick of their DNS server.
pub struct PageHosts {
    pub port: u16,
    hosts: Vec<String>,
}

impl PageHosts {
    pub fn new(address: &ListenAddress, port: u16) -> PageHosts {
        let mut hosts = vec![address.host(port), SocketAddr::new(address.ip, port).to_string()];
        if address.is_loopback() {
            hosts.push(format!("localhost:{port}"));
        }
        PageHosts { port, hosts }
    }

    pub fn contains(&self, host: &str) -> bool {
        self.hosts.iter().any(|own| own.eq_ignore_ascii_case(host))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn rv_5_page_answers_only_under_its_address() {
        let hosts = |address: &ListenAddress| PageHosts::new(address, 80);
        let outside = ListenAddress::find("192.0.2.7").await.unwrap();
        assert!(!outside.is_loopback() && hosts(&outside).contains("192.0.2.7:80"));
        for other in ["localhost:80", "127.0.0.1:80", "192.0.2.8:80", "192.0.2.7", "evil.example:80"] {
            assert!(!hosts(&outside).contains(other), "{other}");
        }
        let named = ListenAddress::find("localhost").await.unwrap();
        assert!(named.is_loopback() && named.host(80) == "localhost:80");
        let six = ListenAddress::find("::1").await.unwrap();
        assert!(hosts(&six).contains("[::1]:80") && six.is_loopback());
        for everywhere in ["0.0.0.0", "::", "[::]"] {
            let refused = ListenAddress::find(everywhere).await;
            assert!(matches!(refused, Err(ListenAddressError::Everywhere(_))), "{refused:?}");
        }
    }
}
