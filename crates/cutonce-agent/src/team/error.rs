//! Why a change of the team failed.

use super::mailbox::MailError;

/// Why a team could not be changed, or a message could not be sent.
#[derive(Debug, thiserror::Error)]
pub enum TeamError {
    /// This session has no team.
    #[error("there is no team")]
    NoTeam,
    /// The session has ended.
    #[error("the session has ended")]
    SessionEnded,
    /// The mailbox can't be used.
    #[error(transparent)]
    Mail(#[from] MailError),
    /// Any other failure.
    #[error("{0}")]
    Failed(String),
}

impl From<String> for TeamError {
    fn from(text: String) -> Self {
        TeamError::Failed(text)
    }
}

impl From<&str> for TeamError {
    fn from(text: &str) -> Self {
        TeamError::Failed(text.to_string())
    }
}

impl From<TeamError> for String {
    fn from(error: TeamError) -> Self {
        error.to_string()
    }
}
