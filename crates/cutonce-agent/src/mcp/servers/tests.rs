//! Servers that start late, fail, change their lists or signal endlessly.

use super::*;
use serde_json::json;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

/// Answers each `tools/list` when the test allows it.
struct Late {
    gate: Semaphore,
    lists: Mutex<Vec<Result<Vec<Value>, RemoteError>>>,
    bell: Mutex<Option<Arc<ChangeSignal>>>,
}

impl Late {
    fn new(lists: Vec<Result<Vec<Value>, RemoteError>>) -> Arc<Late> {
        Arc::new(Late { gate: Semaphore::new(0), lists: Mutex::new(lists), bell: Mutex::default() })
    }
    fn bell(&self) -> Arc<ChangeSignal> {
        self.bell.lock().unwrap().clone().unwrap()
    }
}

#[async_trait::async_trait]
impl RemoteServer for Late {
    async fn list_tools(&self) -> Result<Vec<Value>, RemoteError> {
        self.gate.acquire().await.unwrap().forget();
        self.lists.lock().unwrap().remove(0)
    }
    async fn call(&self, _: &str, _: Value, _: &CancellationToken) -> Result<Value, RemoteError> {
        Ok(json!({}))
    }
    fn set_change_signal(&self, bell: Arc<ChangeSignal>) {
        *self.bell.lock().unwrap() = Some(bell);
    }
}

async fn until(servers: &McpServers, there: impl Fn(&McpServerStatus) -> bool) {
    let mut changed = servers.0.changed.subscribe();
    while !there(&servers.status()[0]) {
        changed.changed().await.unwrap();
    }
}

fn names(news: &ServerUpdates) -> Option<Vec<String>> {
    let tools = news.tools.as_ref()?;
    Some(tools.iter().map(|tool| cutonce_tools::tool::AnyTool::name(&**tool).to_string()).collect())
}

#[tokio::test]
async fn ho_6_changed_tools_wait_for_the_next_turn() {
    let late = Late::new(vec![Ok(vec![json!({"name": "a"})]), Ok(vec![json!({"name": "b"})])]);
    let servers = McpServers::new(ServersSetup::default());
    servers.add_remote("one", late.clone()).unwrap();
    assert!(servers.add_remote("one ", late.clone()).is_err(), "names are too similar");
    assert!(servers.is_pending(None) && names(&servers.take_updates(true)).is_none());
    late.gate.add_permits(1);
    servers.wait_until_started(None).await;
    assert_eq!(names(&servers.take_updates(false)).unwrap(), ["mcp__one__a"]);
    late.gate.add_permits(1);
    for _ in 0..1_000 {
        late.bell().notify_changed();
    }
    until(&servers, |status| status.tools[0].server_name == "b").await;
    assert!(names(&servers.take_updates(false)).is_none(), "the list stays unchanged within a turn");
    assert_eq!(names(&servers.take_updates(true)).unwrap(), ["mcp__one__b"]);
    late.bell().notify_down("it ended");
    until(&servers, |status| status.state != McpServerState::Connected).await;
    let news = servers.take_updates(true);
    assert_eq!((names(&news), news.notices.as_slice()), (None, ["MCP server one: it ended".to_string()].as_slice()));
    assert!(servers.remove("one").await);
    assert_eq!(names(&servers.take_updates(true)).unwrap(), Vec::<String>::new());
}

#[tokio::test]
async fn ho_6_silent_server_fails_after_its_timeout() {
    let policy = McpPolicy { connect_timeout: Duration::from_millis(20), ..McpPolicy::default() };
    let servers = McpServers::new(ServersSetup { policy, ..ServersSetup::default() });
    servers.add_remote("slow", Late::new(vec![])).unwrap();
    servers.wait_until_started(None).await;
    assert_eq!(servers.status()[0].state, McpServerState::Failed("it did not answer within 0.02 seconds".into()));
}

#[tokio::test]
async fn ho_6_project_servers_need_approval() {
    let servers = McpServers::new(ServersSetup::default());
    let declare =
        |name: &str, scope, definition| DeclaredServer { name: name.into(), scope, file: "f".into(), definition };
    servers.add(declare("p", ServerScope::Project, json!({"command": "x"})));
    servers.add(declare("l", ServerScope::Local, json!({"command": "x"})));
    servers.add(declare("u", ServerScope::User, json!({"command": "x"})));
    servers.add(declare("off", ServerScope::User, json!({"command": "x", "disabled": true})));
    servers.add(declare("bad", ServerScope::User, json!({"command": 7})));
    let states: Vec<McpServerState> = servers.status().into_iter().map(|status| status.state).collect();
    let failed = |why: &str| McpServerState::Failed(why.into());
    let expected = [
        McpServerState::NeedsApproval,
        McpServerState::NeedsApproval,
        failed("this build has no MCP client"),
        McpServerState::Disabled,
        failed("f: `command`: expected a text, got 7"),
    ];
    assert_eq!(states, expected);
    assert!(servers.reconnect("p").is_err() && servers.approve("p").is_err());
}
