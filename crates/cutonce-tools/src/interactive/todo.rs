//! TodoWrite (TL-9): the todo list that the user sees.

use crate::env::{CallContext, ToolEnv};
use crate::tool::{Tool, ToolError, ToolOutcome};
use async_trait::async_trait;
use cutonce_core::permission::{Access, CallRights};
use cutonce_core::protocol::event::{TodoItem, TodoStatus};
use cutonce_core::sync::LockUnpoisoned;
use schemars::JsonSchema;
use serde::Deserialize;

pub struct TodoWriteTool;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TodoWriteInput {
    /// The whole list; an empty one clears it.
    todos: Vec<TodoItem>,
}

#[async_trait]
impl Tool for TodoWriteTool {
    type Input = TodoWriteInput;

    fn name(&self) -> &'static str {
        "TodoWrite"
    }
    fn description(&self) -> &str {
        include_str!("todo_write.md")
    }
    /// True: nothing of the user's is changed.
    fn read_only(&self, _input: &TodoWriteInput) -> bool {
        true
    }
    /// False: of two lists in one answer the later one wins.
    fn parallel(&self, _input: &TodoWriteInput) -> bool {
        false
    }
    fn access(&self, input: &TodoWriteInput, _here: &ToolEnv) -> Result<Access, ToolError> {
        for (at, todo) in input.todos.iter().enumerate() {
            for (field, text) in [("content", &todo.content), ("activeForm", &todo.active_form)] {
                if text.trim().is_empty() {
                    return Err(
                        format!("Invalid input: `todos[{at}].{field}`: expected text, got an empty string").into()
                    );
                }
            }
        }
        Ok(Access::Internal)
    }
    fn summary(&self, input: &TodoWriteInput) -> String {
        count_summary(&input.todos)
    }
    async fn run(
        &self,
        input: TodoWriteInput,
        _rights: CallRights,
        here: &ToolEnv,
        _call: &CallContext,
    ) -> ToolOutcome {
        let text = format!("The list is stored: {}.", count_summary(&input.todos));
        *here.todos.lock_unpoisoned() = input.todos;
        ToolOutcome::text(text)
    }
}

fn count_summary(todos: &[TodoItem]) -> String {
    let count = |status: TodoStatus| todos.iter().filter(|todo| todo.status == status).count();
    let (done, now, open) = (count(TodoStatus::Completed), count(TodoStatus::InProgress), count(TodoStatus::Pending));
    format!("{done} done, {now} in progress, {open} open")
}
