//! The review page (RV-1 to RV-7): plans and questions of all running sessions of this user, in a browser.
//!
//! It knows sessions only through a [`ReviewSource`]: what waits, what happens, and answers. [`LocalSource`] reaches
//! the sessions of this machine; another source may reach those of other machines. `review_server.rs` speaks HTTP,
//! `gate.rs` and `peer_user.rs` decide who gets in, `review_views.rs` makes what the page shows. The assets are in the
//! binary.

mod assets;
mod gate;
mod page_hosts;
mod peer_user;
mod plan_diff;
mod plan_export;
mod plan_html;
mod plan_rehearsals;
mod review_board;
mod review_server;
mod review_source;
mod review_views;

pub use page_hosts::{ListenAddress, ListenAddressError};
pub use plan_export::{ExportedComments, export_html, read_comments};
pub use review_server::{ModelOption, ReviewServer, ServeError, ServeOptions};
pub use review_source::{JOB_TOOL, JobChange, ListedJob, LocalSource, RefusedMessage, ReviewSource, SourceUpdate};
