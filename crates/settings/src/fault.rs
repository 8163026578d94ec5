//! A fault in a setting.
//!
//! Invariant: the message names the value and the reason; the help says what to write instead. Neither repeats the
//! other, and neither names the place, which the path does.

use core::error::Error;

use crate::path::FieldPath;

/// A value that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Path of the field at fault.
    pub path: FieldPath,
    /// The value and the reason: "a message of 0 B cannot be sent".
    pub message: String,
    /// Proposal of a right value, as a full clause: "write 1 B to 2 GiB"; `None` if there is none.
    pub help: Option<String>,
}

impl Fault {
    /// Moves the fault below `parent`, where the setting stands in a larger one.
    #[must_use]
    pub fn below(self, parent: &FieldPath) -> Self {
        Self { path: parent.join(&self.path), ..self }
    }
}

/// A typed error about one setting. Its `Display` is the message of the fault alone.
pub trait SettingError: Error {
    /// Returns the path of the field at fault, relative to the setting that was checked.
    fn path(&self) -> FieldPath;

    /// Returns a proposal of a right value; `None` if there is none.
    fn help(&self) -> Option<String>;

    /// Returns the error in its parts.
    fn fault(&self) -> Fault {
        Fault { path: self.path(), message: self.to_string(), help: self.help() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_moves_below_its_parent() {
        let fault = Fault { path: "to".into(), message: "wrong".to_owned(), help: None };
        assert_eq!(fault.below(&"links[3]".into()).path.to_string(), "links[3].to");
    }
}
