//! Fetching pages within bounds: size, time, and no private addresses unless the user named them (TL-9).
pub struct Web {}
