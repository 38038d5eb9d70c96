//! The pure core of cutonce: conversations, the protocol with front ends, permission decisions and the
//! steps of a turn. Nothing here uses files, sockets, clocks, random numbers or environment
//! variables; all of those are passed in as data (ARCHITECTURE.md).

pub mod call;
pub mod classifier;
pub mod commands;
pub mod conversation;
pub mod elicitation;
pub mod exit_code;
pub mod hooks;
pub mod image;
pub mod json_schema;
pub mod mode;
pub mod model_request;
pub mod model_selection;
pub mod permission;
pub mod plan;
pub mod prompts;
pub mod protocol;
pub mod settings;
pub mod shell;
pub mod skills;
pub mod subagent;
pub mod sync;
pub mod team;
pub mod text;
pub mod transcript;
pub mod turn;
