//! Why a language server can't be used.

/// Why a server ended or was ended.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum ServerFailure {
    #[error("it could not be started: {0}")]
    NotStarted(String),
    /// The output ended; how the program ended is not known yet.
    #[error("its output ended")]
    Closed,
    #[error("{0}")]
    Exited(String),
    #[error("it did not answer within {0} seconds")]
    NoAnswer(u64),
    #[error("{0} times in a row it was too slow to report on an edit")]
    Slow(u32),
    #[error("it does not speak the protocol: it sent {0}")]
    Nonsense(String),
    #[error("it sent too many messages")]
    Flood,
}

impl ServerFailure {
    /// True if a restart may help.
    pub fn may_restart(&self) -> bool {
        matches!(self, ServerFailure::Closed | ServerFailure::Exited(_))
    }
}
