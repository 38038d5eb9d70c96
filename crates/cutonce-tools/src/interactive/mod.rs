//! The tools that involve the user or the session: questions, the todo list, skills.

pub(crate) mod ask;
pub mod skill;
pub(crate) mod todo;
