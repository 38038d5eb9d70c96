//! The pure heart of cutonce: what a conversation is, what a face may send and see, which call is
//! allowed, what the next step of a turn is. Nothing here knows a file, a socket, a clock, a
//! random number or an environment variable; all of those come in as data (ARCHITECTURE.md).

pub mod agent;
pub mod approval;
pub mod auto;
pub mod braces;
pub mod command;
pub mod conversation;
pub mod event;
pub mod front_matter;
pub mod harmless;
pub mod hook;
pub mod host;
pub mod image;
pub mod mail;
pub mod mode;
pub mod models;
pub mod permission;
pub mod plan;
pub mod prompts;
pub mod reminder;
pub mod request;
pub mod rule;
pub mod schema;
pub mod settings;
pub mod shell;
pub mod skill;
pub mod slash;
pub mod submission;
pub mod surrogates;
pub mod tasks;
pub mod template;
pub mod transcript;
pub mod turn;
