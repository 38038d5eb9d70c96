//! Three NATS servers that form a cluster, with their faults: killed, stopped, out of disk.

use crate::server::nats_program;
use crate::waiting::{block_on, wait_until};
use async_nats::jetstream;
use async_nats::jetstream::context::GetStreamErrorKind;
use cutonce_fleet::streams::FleetStream;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

pub const NODES: usize = 3;
/// The server whose disk is small.
pub const SMALL: usize = 2;
/// Its size; the streams of an idle group need about a tenth.
const SMALL_DISK: &str = "16m";

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Disks {
    Large,
    /// That of one server.
    OneSmall,
}

pub struct Cluster {
    nodes: Vec<Node>,
    root: tempfile::TempDir,
}

struct Node {
    port: u16,
    config: PathBuf,
    /// Mounted as a small file system for this server.
    small: Option<PathBuf>,
    child: Option<Child>,
}

impl Cluster {
    pub fn start(disks: Disks) -> Cluster {
        let root = tempfile::Builder::new().prefix("fleet-nats-").tempdir().unwrap();
        let listeners: Vec<TcpListener> = (0..2 * NODES).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
        let ports: Vec<u16> = listeners.iter().map(|one| one.local_addr().unwrap().port()).collect();
        drop(listeners);
        let (clients, routes) = ports.split_at(NODES);
        let mut cluster = Cluster { nodes: Vec::new(), root };
        for (at, port) in clients.iter().enumerate() {
            let is_small = at == SMALL && disks == Disks::OneSmall;
            let node = Node::new(cluster.root.path(), at, *port, routes, is_small);
            cluster.nodes.push(node);
            cluster.restart(at);
        }
        cluster.wait_for_leader();
        cluster
    }

    /// The ports for clients.
    pub fn ports(&self) -> impl Iterator<Item = u16> {
        self.nodes.iter().map(|node| node.port)
    }
    pub fn url(&self) -> String {
        let urls: Vec<String> = self.ports().map(|port| format!("nats://127.0.0.1:{port}")).collect();
        urls.join(",")
    }

    /// Ends a server at once.
    pub fn kill(&mut self, at: usize) {
        if let Some(mut child) = self.nodes[at].child.take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }
    pub fn restart(&mut self, at: usize) {
        let node = &mut self.nodes[at];
        let mut command = match &node.small {
            None => Command::new(nats_program()),
            Some(store) => {
                let mut command = on_small_disk(store);
                command.arg(nats_program());
                command
            }
        };
        command.arg("-c").arg(&node.config).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        node.child = Some(command.spawn().unwrap());
    }
    /// Cuts a server off: its connections stay open, but nothing passes.
    pub fn cut_off(&self, at: usize) {
        self.signal(at, "-STOP");
    }
    pub fn reconnect(&self, at: usize) {
        self.signal(at, "-CONT");
    }
    fn signal(&self, at: usize, signal: &str) {
        let Some(child) = &self.nodes[at].child else { return };
        assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
    }

    /// Free space on the disk of the small server, as it sees it.
    pub fn free_kilobytes(&self, at: usize) -> u64 {
        let (Some(store), Some(child)) = (&self.nodes[at].small, &self.nodes[at].child) else {
            panic!("no small disk")
        };
        let seen = format!("/proc/{}/root{}", child.id(), store.display());
        let told = Command::new("stat").args(["-f", "-c", "%a %S", &seen]).output().unwrap();
        let told = String::from_utf8(told.stdout).unwrap();
        let (blocks, size) = told.trim().split_once(' ').unwrap();
        blocks.parse::<u64>().unwrap() * size.parse::<u64>().unwrap() / 1024
    }

    /// The server that leads a stream.
    pub fn leader(&self, stream: &str) -> usize {
        wait_until("a leader", || {
            block_on(async {
                let context = self.connect().await?;
                let info = context.get_stream(stream).await.ok()?.cached_info().cluster.clone()?;
                info.leader?.strip_prefix('n')?.parse().ok()
            })
        })
    }

    /// Lets other servers than this one lead the cluster, all streams of the group and the queue's consumer.
    pub fn lead_elsewhere(&self, group: &str, at: usize) {
        let name = format!("n{at}");
        wait_until("other leaders", || block_on(self.try_lead_elsewhere(group, &name)));
    }

    async fn try_lead_elsewhere(&self, group: &str, name: &str) -> Option<()> {
        let context = self.connect().await?;
        let step_down = async |what: &str| {
            let asked = context.client().request(format!("$JS.API.{what}"), "".into()).await;
            asked.ok().map(drop)
        };
        let mut moved = false;
        for stream in stream_names(group) {
            let found = context.get_stream(&stream).await.ok()?;
            if found.cached_info().cluster.as_ref()?.leader.as_deref()? == name {
                (moved, _) = (true, step_down(&format!("STREAM.LEADER.STEPDOWN.{stream}")).await?);
            }
        }
        let queue = FleetStream::Queue.name(group);
        let consumers = context.get_stream(&queue).await.ok()?;
        let workers = consumers.consumer_info("workers").await.ok()?;
        if workers.cluster.as_ref()?.leader.as_deref()? == name {
            (moved, _) = (true, step_down(&format!("CONSUMER.LEADER.STEPDOWN.{queue}.workers")).await?);
        }
        (!moved).then_some(())
    }

    /// Whether each stream of records has a leader.
    pub fn has_leaders(&self, group: &str) -> bool {
        let leads = async || {
            // The first server has a large disk.
            let client = async_nats::connect(format!("nats://127.0.0.1:{}", self.nodes[0].port)).await.ok()?;
            let context = jetstream::new(client);
            for stream in FleetStream::ALL {
                let found = context.get_stream(stream.name(group)).await.ok()?;
                found.cached_info().cluster.as_ref()?.leader.as_ref()?;
            }
            Some(())
        };
        block_on(leads()).is_some()
    }

    /// Waits until every server has all of every stream: only then the next one may fail.
    pub fn wait_for_copies(&self, group: &str) {
        wait_until("all copies", || block_on(self.has_all_copies(group)));
    }

    async fn has_all_copies(&self, group: &str) -> Option<()> {
        let context = self.connect().await?;
        for name in stream_names(group) {
            let stream = context.get_stream(&name).await.ok()?;
            let cluster = stream.cached_info().cluster.clone()?;
            let current = cluster.replicas.iter().filter(|copy| copy.current && !copy.offline).count();
            (cluster.leader.is_some() && current == NODES - 1).then_some(())?;
        }
        Some(())
    }

    async fn connect(&self) -> Option<jetstream::Context> {
        let servers: Vec<String> = self.url().split(',').map(str::to_string).collect();
        async_nats::connect(servers).await.ok().map(jetstream::new)
    }

    fn wait_for_leader(&self) {
        wait_until("the cluster", || {
            block_on(async {
                let context = self.connect().await?;
                // Only a leader knows that a stream does not exist.
                let missing = context.get_stream("none").await.err()?;
                matches!(missing.kind(), GetStreamErrorKind::JetStream(_)).then_some(())
            })
        });
    }
}

fn stream_names(group: &str) -> impl Iterator<Item = String> {
    let names = FleetStream::ALL.map(|stream| stream.name(group));
    names.into_iter().chain([format!("OBJ_cutonce-fleet-{group}")])
}

/// Starts a program for which this folder is a small file system of its own.
fn on_small_disk(folder: &Path) -> Command {
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "--mount", "sh", "-c"]);
    command.arg(format!("mount -t tmpfs -o size={SMALL_DISK} tmpfs \"$0\" && exec \"$@\"")).arg(folder);
    command
}

pub fn can_mount_small_disk() -> bool {
    let folder = tempfile::tempdir().unwrap();
    on_small_disk(folder.path()).arg("true").stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

impl Node {
    fn new(root: &Path, at: usize, port: u16, routes: &[u16], is_small: bool) -> Node {
        let store = root.join(format!("store{at}"));
        std::fs::create_dir(&store).unwrap();
        let config = root.join(format!("n{at}.conf"));
        let known: Vec<String> = routes.iter().map(|port| format!("nats://127.0.0.1:{port}")).collect();
        // The limit is larger than the disk: a server that knows its disk is full gets no streams at all.
        let text = format!(
            "server_name: n{at}\nlisten: 127.0.0.1:{port}\n\
             jetstream {{ store_dir: \"{}\", max_file_store: 20GB, max_memory_store: 64MB }}\n\
             cluster {{ name: fleet, no_advertise: true, listen: 127.0.0.1:{}, routes: [{}] }}\n",
            store.display(),
            routes[at],
            known.join(", ")
        );
        std::fs::write(&config, text).unwrap();
        Node { port, config, small: is_small.then_some(store), child: None }
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        (0..NODES).for_each(|at| self.kill(at));
    }
}
