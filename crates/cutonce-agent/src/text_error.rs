//! Errors that only a person or the model reads: one sentence, without kinds that a caller could distinguish.

/// Defines an error type that contains one sentence.
macro_rules! text_error {
    ($(#[$doc:meta])* $vis:vis $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
        #[error("{0}")]
        $vis struct $name(String);

        impl From<String> for $name {
            fn from(text: String) -> Self {
                $name(text)
            }
        }
        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                $name(text.to_string())
            }
        }
        impl From<$name> for String {
            fn from(error: $name) -> Self {
                error.0
            }
        }
    };
}

pub(crate) use text_error;
