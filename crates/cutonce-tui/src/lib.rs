//! The terminal: a face over a session (UI-1 to UI-15). It submits and reads events; it knows nothing of how they come about.

pub mod diff;
pub mod highlight;
pub mod markdown;
pub mod overlay;
pub mod review;
pub mod text;
pub mod theme;
