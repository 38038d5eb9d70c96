//! A listening socket in a command's own network, for our process (PM-67): the supervisor makes it there and sends it
//! to us. A socket belongs to the network in which it was made, no matter which process accepts its connections.

use super::sys::sys;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;

/// Connections that wait to be accepted.
const BACKLOG: usize = 64;

/// The way from the supervisor to us.
#[derive(Debug)]
pub(crate) struct ListenerChannel {
    ours: OwnedFd,
    theirs: OwnedFd,
}

/// The kernel's `msghdr`.
#[repr(C)]
struct MessageHeader {
    name: usize,
    name_length: u32,
    parts: *const libc::iovec,
    part_count: usize,
    control: *mut DescriptorMessage,
    control_length: usize,
    flags: u32,
}

/// A control message with one descriptor, as the kernel lays it out on 64-bit machines.
#[repr(C)]
struct DescriptorMessage {
    length: usize,
    level: i32,
    kind: i32,
    descriptor: i32,
    padding: i32,
}

/// Length of a control message with one descriptor, without padding.
const DESCRIPTOR_LENGTH: usize = 20;

impl ListenerChannel {
    pub(crate) fn new() -> io::Result<Self> {
        let (ours, theirs) = UnixStream::pair()?;
        Ok(Self { ours: ours.into(), theirs: theirs.into() })
    }

    pub(crate) fn sending_end(&self) -> RawFd {
        self.theirs.as_raw_fd()
    }

    /// Receives the socket that the supervisor sent before the program started.
    pub(crate) fn receive(&self) -> Option<OwnedFd> {
        let mut byte = 0u8;
        let part = libc::iovec { iov_base: (&raw mut byte).cast(), iov_len: 1 };
        let mut control = DescriptorMessage { length: 0, level: 0, kind: 0, descriptor: -1, padding: 0 };
        let header = message_header(&part, &mut control);
        let flags = libc::MSG_CMSG_CLOEXEC | libc::MSG_DONTWAIT;
        // SAFETY: `header` and everything it points to are locals with the kernel's layout and the sizes given in it.
        let received = unsafe { sys!(SYS_recvmsg, self.ours.as_raw_fd(), &raw const header, flags) };
        let is_descriptor = control.level == libc::SOL_SOCKET && control.kind == libc::SCM_RIGHTS;
        if received != Ok(1) || !is_descriptor || control.length != DESCRIPTOR_LENGTH || control.descriptor < 0 {
            return None;
        }
        // SAFETY: the kernel just gave us this descriptor, and no other owner exists.
        Some(unsafe { OwnedFd::from_raw_fd(control.descriptor) })
    }
}

fn message_header(part: &libc::iovec, control: &mut DescriptorMessage) -> MessageHeader {
    let control_length = size_of::<DescriptorMessage>();
    MessageHeader { name: 0, name_length: 0, parts: part, part_count: 1, control, control_length, flags: 0 }
}

/// Listens on this port of the loopback device, and sends the socket through the channel.
///
/// # Safety
/// Call only in the supervisor, in a network namespace of its own; `channel` is the sending end.
pub(crate) unsafe fn listen_and_send(port: u16, channel: RawFd) -> Result<(), i32> {
    let address = libc::sockaddr_in {
        sin_family: libc::AF_INET as libc::sa_family_t,
        sin_port: port.to_be(),
        sin_addr: libc::in_addr { s_addr: u32::from_ne_bytes([127, 0, 0, 1]) },
        sin_zero: [0; 8],
    };
    let mut byte = 0u8;
    let part = libc::iovec { iov_base: (&raw mut byte).cast(), iov_len: 1 };
    // SAFETY: all pointers lead to locals with the kernel's layout and the sizes that we pass; `socket` is closed here.
    unsafe {
        let socket = sys!(SYS_socket, libc::AF_INET, libc::SOCK_STREAM | libc::SOCK_CLOEXEC, 0)?;
        sys!(SYS_bind, socket, &raw const address, size_of_val(&address))?;
        sys!(SYS_listen, socket, BACKLOG)?;
        let mut control = DescriptorMessage {
            length: DESCRIPTOR_LENGTH,
            level: libc::SOL_SOCKET,
            kind: libc::SCM_RIGHTS,
            descriptor: socket as i32,
            padding: 0,
        };
        let header = message_header(&part, &mut control);
        sys!(SYS_sendmsg, channel, &raw const header, 0)?;
        sys!(SYS_close, socket).map(drop)
    }
}
