//! Which user of this machine is at the other end of a connection (RV-5). A token or cookie that another user has seen,
//! for example in the command line of a browser, is worth nothing to that user.

use std::io;
use std::net::{IpAddr, SocketAddr};

/// Who opened a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PeerUser {
    /// The user of this process, or root, which can do everything anyway.
    Own,
    /// Another user of this machine, or an unknown one.
    Other,
    /// A process of another machine.
    Remote,
}

/// Tables of connections: IPv4, and IPv6, which has IPv4 connections of some programs too.
#[cfg(target_os = "linux")]
const TABLES: [&str; 2] = ["/proc/net/tcp", "/proc/net/tcp6"];
/// The kernel may leave out a line if the table changes while it is read.
#[cfg(target_os = "linux")]
const MAX_READS: usize = 3;

/// Finds out who opened this connection to us.
#[cfg(target_os = "linux")]
pub fn peer_user(peer: SocketAddr, own: SocketAddr) -> PeerUser {
    for _ in 0..MAX_READS {
        match find_owner(peer, own) {
            Ok(Some(owner)) => return owner.user(rustix::process::geteuid().as_raw()),
            Ok(None) => {}
            Err(error) => {
                tracing::warn!("can't find out who connects to the review page: {error}");
                return PeerUser::Other;
            }
        }
    }
    // A connection to loopback can't come from elsewhere.
    if own.ip().is_loopback() { PeerUser::Other } else { PeerUser::Remote }
}

#[cfg(not(target_os = "linux"))]
pub fn peer_user(_peer: SocketAddr, _own: SocketAddr) -> PeerUser {
    PeerUser::Own
}

/// The owner of a connection's other end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct SocketOwner {
    uid: u32,
    /// 0 if no process has the socket any more; then the user is not known.
    inode: u64,
}

impl SocketOwner {
    fn user(self, own: u32) -> PeerUser {
        match self.inode != 0 && (self.uid == own || self.uid == 0) {
            true => PeerUser::Own,
            false => PeerUser::Other,
        }
    }
}

#[cfg(target_os = "linux")]
fn find_owner(peer: SocketAddr, own: SocketAddr) -> io::Result<Option<SocketOwner>> {
    for table in TABLES {
        match std::fs::read_to_string(table) {
            Ok(text) => {
                if let Some(owner) = owner_in(&text, peer, own) {
                    return Ok(Some(owner));
                }
            }
            // A kernel without IPv6.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(None)
}

/// The owner of the socket with this local and this remote address.
fn owner_in(table: &str, local: SocketAddr, remote: SocketAddr) -> Option<SocketOwner> {
    let wanted = [hex_addresses(local), hex_addresses(remote)];
    table.lines().skip(1).find_map(|line| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let (from, to) = (*fields.get(1)?, *fields.get(2)?);
        let is_wanted = (0..2).any(|form| wanted[0][form] == from && wanted[1][form] == to);
        let owner = SocketOwner { uid: fields.get(7)?.parse().ok()?, inode: fields.get(9)?.parse().ok()? };
        is_wanted.then_some(owner)
    })
}

/// The address as the kernel prints it in either table: words in the order of this machine.
fn hex_addresses(address: SocketAddr) -> [String; 2] {
    let word = |bytes: [u8; 4]| format!("{:08X}", u32::from_ne_bytes(bytes));
    let (short, long) = match address.ip().to_canonical() {
        IpAddr::V4(ip) => (word(ip.octets()), ip.to_ipv6_mapped()),
        IpAddr::V6(ip) => (String::new(), ip),
    };
    let long: String = long.octets().chunks_exact(4).map(|four| word([four[0], four[1], four[2], four[3]])).collect();
    [format!("{short}:{:04X}", address.port()), format!("{long}:{:04X}", address.port())]
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;
    use std::net::{TcpListener, TcpStream};

    #[test]
    fn rv_5_other_end_of_a_connection_is_ours() {
        for place in ["127.0.0.1:0", "[::1]:0"] {
            // Some machines have no IPv6.
            let Ok(listener) = TcpListener::bind(place) else { continue };
            let own = listener.local_addr().unwrap();
            let client = TcpStream::connect(own).unwrap();
            let (_server, peer) = listener.accept().unwrap();
            assert_eq!(peer_user(peer, own), PeerUser::Own, "{place}");
            let stranger = SocketAddr::new(peer.ip(), 1);
            assert_eq!(peer_user(stranger, own), PeerUser::Other, "{place}");
            drop(client);
            assert_eq!(peer_user(peer, own), PeerUser::Other, "{place}: a socket without a process");
        }
        let elsewhere = "192.0.2.1:9".parse().unwrap();
        assert_eq!(peer_user("192.0.2.2:9".parse().unwrap(), elsewhere), PeerUser::Remote);
    }

    #[test]
    fn rv_5_users_are_told_apart() {
        let owner = |uid, inode| SocketOwner { uid, inode }.user(1000);
        assert_eq!((owner(1000, 5), owner(0, 5)), (PeerUser::Own, PeerUser::Own));
        assert_eq!((owner(1001, 5), owner(1000, 0), owner(0, 0)), (PeerUser::Other, PeerUser::Other, PeerUser::Other));
    }
}
