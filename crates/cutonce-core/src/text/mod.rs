//! Functions on plain text: make it safe to show, fill templates, read front matter.

pub mod front_matter;
pub mod glob_braces;
mod lookalikes;
pub mod nearest_name;
pub mod number;
pub mod offered;
pub mod sanitize;
pub mod surrogates;
pub mod template;
pub mod truncate;
