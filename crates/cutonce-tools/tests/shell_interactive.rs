//! Tests the tools that interact with the user: TodoWrite and AskUserQuestion.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod shell_world;

use cutonce_core::permission::Access;
use cutonce_core::protocol::event::TodoStatus;
use cutonce_core::protocol::submission::QuestionsAnswer;
use cutonce_tools::env::CallContext;
use serde_json::{Value, json};
use shell_world::{World, context, text};

#[tokio::test]
async fn tl_9_todos_are_stored_in_full() {
    let world = World::new();
    let todo = |content: &str, status: &str| json!({"content": content, "status": status, "activeForm": "Doing"});
    let list = json!({"todos": [todo("a", "completed"), todo("b", "in_progress"), todo("c", "pending")]});
    let outcome = world.call("TodoWrite", list).await.unwrap();
    assert_eq!(text(&outcome), "The list is stored: 1 done, 1 in progress, 1 open.");
    let stored = world.here.todos.lock().unwrap().iter().map(|todo| todo.status).collect::<Vec<_>>();
    assert_eq!(stored, [TodoStatus::Completed, TodoStatus::InProgress, TodoStatus::Pending]);
    world.call("TodoWrite", json!({"todos": []})).await.unwrap();
    assert!(world.here.todos.lock().unwrap().is_empty());
    let error = world.call("TodoWrite", json!({"todos": [todo(" ", "pending")]})).await.unwrap_err();
    assert!(error.contains("`todos[0].content`"), "{error}");
    let error = world.call("TodoWrite", json!({"todos": [todo("a", "someday")]})).await.unwrap_err();
    assert!(error.contains("todos[0].status"), "{error}");
}

fn questions() -> Value {
    let options =
        json!([{"label": "Red", "description": "warm"}, {"label": "Blue", "description": "cold", "preview": "~"}]);
    json!({"questions": [
        {"question": "Which colour?", "header": "Colour", "options": options, "multiSelect": true},
        {"question": "And then?", "header": "Then", "options": options},
    ]})
}

async fn answered(answer: Option<QuestionsAnswer>) -> (String, bool) {
    let context = CallContext { answer, ..context() };
    let outcome = World::new().call_in("AskUserQuestion", questions(), &context).await.unwrap();
    (text(&outcome), outcome.is_error)
}

#[tokio::test]
async fn tl_9_answered_and_skipped_questions_differ() {
    let answers = vec![vec!["Red".to_string(), "Blue".to_string()], vec!["my own words".to_string()]];
    let (text, error) = answered(Some(QuestionsAnswer::Answered { answers })).await;
    assert_eq!(text, "The user answered:\n\nWhich colour?\n→ Red, Blue\n\nAnd then?\n→ my own words");
    assert!(!error);
    let (text, error) = answered(Some(QuestionsAnswer::Skipped)).await;
    assert!(text.contains("chose not to answer") && !error, "{text}");
    let (text, error) = answered(None).await;
    assert!(text.contains("No user can answer here") && error, "{text}");
}

#[tokio::test]
async fn tl_9_questions_are_checked_before_asking() {
    let world = World::new();
    let call = world.parse("AskUserQuestion", questions()).unwrap();
    assert!(matches!(call.access(&world.here), Ok(Access::Question)));
    assert_eq!(call.summary(), "Colour, Then");
    let error = world.call("AskUserQuestion", json!({"questions": []})).await.unwrap_err();
    assert!(error.contains("`questions`: expected one to four, got 0"), "{error}");
}
