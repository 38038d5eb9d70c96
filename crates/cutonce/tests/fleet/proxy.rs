//! A way to a server that can be cut: then its connections end, and new ones too.

use std::io;
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

pub struct Proxy {
    pub port: u16,
    way: Arc<Way>,
}

#[derive(Default)]
struct Way {
    is_cut: AtomicBool,
    open: Mutex<Vec<TcpStream>>,
}

impl Proxy {
    pub fn new(target: u16) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (port, way) = (listener.local_addr().unwrap().port(), Arc::new(Way::default()));
        let shared = way.clone();
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                if let Ok(server) = TcpStream::connect(("127.0.0.1", target)) {
                    shared.forward(client, server);
                }
            }
        });
        Proxy { port, way }
    }
    pub fn cut(&self) {
        self.way.is_cut.store(true, Ordering::SeqCst);
        for stream in self.way.open.lock().unwrap().drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
    pub fn restore(&self) {
        self.way.is_cut.store(false, Ordering::SeqCst);
    }
}

impl Way {
    fn forward(&self, client: TcpStream, server: TcpStream) {
        let mut open = self.open.lock().unwrap();
        if self.is_cut.load(Ordering::SeqCst) {
            return;
        }
        for (from, to) in [(&client, &server), (&server, &client)] {
            let (mut from, mut to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
            thread::spawn(move || {
                let _ = io::copy(&mut from, &mut to);
                let _ = to.shutdown(Shutdown::Both);
            });
        }
        open.extend([client, server]);
    }
}
