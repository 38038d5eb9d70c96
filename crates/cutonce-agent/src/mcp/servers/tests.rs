//! Servers that come late, fail, change their lists, or ring without end.

use super::*;
use serde_json::json;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

/// Answers each `tools/list` when it is let.
struct Late {
    gate: Semaphore,
    lists: Mutex<Vec<Result<Vec<Value>, RemoteError>>>,
    bell: Mutex<Option<Arc<Bell>>>,
}

impl Late {
    fn new(lists: Vec<Result<Vec<Value>, RemoteError>>) -> Arc<Late> {
        Arc::new(Late { gate: Semaphore::new(0), lists: Mutex::new(lists), bell: Mutex::default() })
    }
    fn bell(&self) -> Arc<Bell> {
        self.bell.lock().unwrap().clone().unwrap()
    }
}

#[async_trait::async_trait]
impl Remote for Late {
    async fn list_tools(&self) -> Result<Vec<Value>, RemoteError> {
        self.gate.acquire().await.unwrap().forget();
        self.lists.lock().unwrap().remove(0)
    }
    async fn call(&self, _: &str, _: Value, _: &CancellationToken) -> Result<Value, RemoteError> {
        Ok(json!({}))
    }
    fn watch(&self, bell: Arc<Bell>) {
        *self.bell.lock().unwrap() = Some(bell);
    }
}

async fn until(servers: &Servers, there: impl Fn(&Status) -> bool) {
    let mut changed = servers.0.changed.subscribe();
    while !there(&servers.status()[0]) {
        changed.changed().await.unwrap();
    }
}

fn names(news: &News) -> Option<Vec<String>> {
    let tools = news.tools.as_ref()?;
    Some(tools.iter().map(|tool| cutonce_tools::tool::AnyTool::name(&**tool).to_string()).collect())
}

#[tokio::test]
async fn ho_6_tools_join_when_they_are_known_and_changes_wait_for_a_turn() {
    let late = Late::new(vec![Ok(vec![json!({"name": "a"})]), Ok(vec![json!({"name": "b"})])]);
    let servers = Servers::new(Setup::default());
    servers.add_remote("one", late.clone()).unwrap();
    assert!(servers.add_remote("one ", late.clone()).is_err(), "a name that reads the same");
    assert!(servers.is_pending(None) && names(&servers.take_news(true)).is_none());
    late.gate.add_permits(1);
    servers.settled(None).await;
    assert_eq!(names(&servers.take_news(false)).unwrap(), ["mcp__one__a"]);
    late.gate.add_permits(1);
    for _ in 0..1_000 {
        late.bell().changed();
    }
    until(&servers, |status| status.tools[0].given == "b").await;
    assert!(names(&servers.take_news(false)).is_none(), "in the middle of a turn the list stays");
    assert_eq!(names(&servers.take_news(true)).unwrap(), ["mcp__one__b"]);
    late.bell().went_down("it ended");
    until(&servers, |status| status.state != State::Connected).await;
    let news = servers.take_news(true);
    assert_eq!((names(&news), news.notices.as_slice()), (None, ["MCP server one: it ended".to_string()].as_slice()));
    assert!(servers.remove("one").await);
    assert_eq!(names(&servers.take_news(true)).unwrap(), Vec::<String>::new());
}

#[tokio::test]
async fn ho_6_a_server_that_never_answers_has_failed_after_its_time() {
    let policy = Policy { connect_timeout: Duration::from_millis(20), ..Policy::default() };
    let servers = Servers::new(Setup { policy, ..Setup::default() });
    servers.add_remote("slow", Late::new(vec![])).unwrap();
    servers.settled(None).await;
    assert_eq!(servers.status()[0].state, State::Failed("it did not answer within 0.02 seconds".into()));
}

#[tokio::test]
async fn ho_6_nothing_of_a_project_starts_without_agreement() {
    let servers = Servers::new(Setup::default());
    let declare = |name: &str, scope, definition| Declared { name: name.into(), scope, file: "f".into(), definition };
    servers.add(declare("p", Scope::Project, json!({"command": "x"})));
    servers.add(declare("l", Scope::Local, json!({"command": "x"})));
    servers.add(declare("u", Scope::User, json!({"command": "x"})));
    servers.add(declare("off", Scope::User, json!({"command": "x", "disabled": true})));
    servers.add(declare("bad", Scope::User, json!({"command": 7})));
    let states: Vec<State> = servers.status().into_iter().map(|status| status.state).collect();
    let failed = |why: &str| State::Failed(why.into());
    let expected = [
        State::NeedsAgreement,
        State::NeedsAgreement,
        failed("this build has no MCP client"),
        State::Disabled,
        failed("f: `command`: expected a text, got 7"),
    ];
    assert_eq!(states, expected);
    assert!(servers.reconnect("p").is_err() && servers.agree("p").is_err());
}
