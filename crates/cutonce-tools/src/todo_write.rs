//! TodoWrite (TL-9): the list of what is to be done, which the person sees.

use crate::tool::{CallContext, Here, Outcome, Tool};
use async_trait::async_trait;
use cutonce_core::event::{Todo, TodoStatus};
use cutonce_core::permission::{Access, Rights};
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::PoisonError;

pub struct TodoWrite;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TodoWriteInput {
    /// The whole list; an empty one clears it.
    todos: Vec<Todo>,
}

#[async_trait]
impl Tool for TodoWrite {
    type Input = TodoWriteInput;

    fn name(&self) -> &'static str {
        "TodoWrite"
    }
    fn description(&self) -> &str {
        include_str!("todo_write.md")
    }
    /// Nothing of the user's is changed.
    fn read_only(&self, _input: &TodoWriteInput) -> bool {
        true
    }
    /// Of two lists in one answer the later one counts.
    fn parallel(&self, _input: &TodoWriteInput) -> bool {
        false
    }
    fn touches(&self, input: &TodoWriteInput, _here: &Here) -> Result<Access, String> {
        for (at, todo) in input.todos.iter().enumerate() {
            for (field, text) in [("content", &todo.content), ("activeForm", &todo.active_form)] {
                if text.trim().is_empty() {
                    return Err(format!("Invalid input: `todos[{at}].{field}`: expected words, got an empty text"));
                }
            }
        }
        Ok(Access::Internal)
    }
    fn summary(&self, input: &TodoWriteInput) -> String {
        counts(&input.todos)
    }
    async fn run(&self, input: TodoWriteInput, _rights: Rights, here: &Here, _call: &CallContext) -> Outcome {
        let text = format!("The list is stored: {}.", counts(&input.todos));
        *here.todos.lock().unwrap_or_else(PoisonError::into_inner) = input.todos;
        Outcome::text(text)
    }
}

fn counts(todos: &[Todo]) -> String {
    let count = |status: TodoStatus| todos.iter().filter(|todo| todo.status == status).count();
    let (done, now, open) = (count(TodoStatus::Completed), count(TodoStatus::InProgress), count(TodoStatus::Pending));
    format!("{done} done, {now} in progress, {open} open")
}
