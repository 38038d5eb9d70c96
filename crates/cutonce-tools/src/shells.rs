//! The shells of a session: the working folder that is kept between calls, and background tasks (TL-8).
pub struct Shells {}
