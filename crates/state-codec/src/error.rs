//! The reason for which bytes are no state.

/// Error: bytes do not have the form of the state that is to be loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StateError {
    /// The bytes end too early.
    #[error("it ends too early, at byte {at}")]
    Truncated {
        /// Position of the first missing byte.
        at: usize,
    },
    /// A value is impossible.
    #[error("byte {at}: {what}")]
    Malformed {
        /// Position after the value.
        at: usize,
        /// Description of the fault.
        what: &'static str,
    },
}
