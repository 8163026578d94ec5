//! The account of an export: the fate of each value that the target does not hold as it is.
//!
//! Invariant: a value without an entry stands in the target exactly.

use core::fmt::{self, Display, Formatter};

/// A file for a cluster's tool, and the account of its values.
#[derive(Clone, Debug)]
pub struct Exported {
    /// Text of the file.
    pub text: String,
    /// Values that the file holds differently or not at all, and values that it has of its own.
    pub account: Vec<ValueAccount>,
}

/// A value, and its fate.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueAccount {
    /// Path of the field of the scenario; for an assumed value its name in the target.
    pub field: String,
    /// The value's fate.
    pub fate: ValueFate,
    /// The reason.
    pub why: String,
}

/// The fate of a value.
#[derive(Clone, Debug, PartialEq)]
pub enum ValueFate {
    /// The target holds another value.
    Rounded {
        /// Value of the scenario.
        wanted: String,
        /// Value in the target, in the scenario's words.
        written: String,
        /// Difference of the written value from the wanted value, relative to the latter; `None` for values that are no
        /// numbers.
        difference: Option<f64>,
    },
    /// The target has no place for the value.
    LeftOut {
        /// Value of the scenario.
        wanted: String,
    },
    /// The target needs a value that no field of the scenario has.
    Assumed {
        /// Value in the target.
        written: String,
    },
}

impl ValueAccount {
    /// Enters a number that the target holds differently. Equal numbers have no entry.
    pub(super) fn rounded(
        field: impl Into<String>,
        (wanted, written): (impl Display, impl Display),
        difference: f64,
        why: impl Into<String>,
    ) -> Self {
        let (wanted, written) = (wanted.to_string(), written.to_string());
        let fate = ValueFate::Rounded { wanted, written, difference: Some(difference) };
        Self { field: field.into(), fate, why: why.into() }
    }

    /// Enters a value without a place.
    pub(super) fn left_out(
        field: impl Into<String>,
        wanted: impl Into<String>,
        why: impl Into<String>,
    ) -> Self {
        Self { field: field.into(), fate: ValueFate::LeftOut { wanted: wanted.into() }, why: why.into() }
    }

    /// Enters a value of the target's own.
    pub(super) fn assumed(
        name: impl Into<String>,
        written: impl Into<String>,
        why: impl Into<String>,
    ) -> Self {
        Self { field: name.into(), fate: ValueFate::Assumed { written: written.into() }, why: why.into() }
    }
}

/// Writes the entry in a line.
impl Display for ValueAccount {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { field, fate, why } = self;
        match fate {
            ValueFate::Rounded { wanted, written, difference } => {
                write!(f, "rounded: {field}: {wanted} wanted, {written} written")?;
                if let Some(difference) = difference {
                    write!(f, " ({:+.3} %)", difference * 100.0)?;
                }
                write!(f, ": {why}")
            }
            ValueFate::LeftOut { wanted } => write!(f, "left out: {field}: {wanted}: {why}"),
            ValueFate::Assumed { written } => write!(f, "assumed: {field}: {written}: {why}"),
        }
    }
}
