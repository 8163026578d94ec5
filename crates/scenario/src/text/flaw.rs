//! Wrong brackets, quotes and commas: the form of a text, not its meaning.
//!
//! Invariant: every kind of flaw has a message and a help.

use core::ops::Range;

use settings::FieldPath;

/// A flaw in the form of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SyntaxFlaw {
    pub(crate) span: Range<usize>,
    /// The innermost value that contains the flaw.
    pub(crate) path: FieldPath,
    pub(crate) kind: SyntaxFlawKind,
}

/// The kinds of flaws. `Display` is the message alone.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum SyntaxFlawKind {
    #[error("the text ends here, and `{}` is not closed", open.last().map_or('(', |(bracket, _)| *bracket))]
    Unclosed {
        /// Open brackets with their offsets, outermost first.
        open: Vec<(char, usize)>,
    },
    #[error("`{found}` does not close `{bracket}`")]
    Mismatch { found: char, bracket: char, opened: usize },
    #[error("this quotation mark is not closed")]
    UnclosedText,
    #[error("this comment is not closed")]
    UnclosedComment,
    #[error("a comma is missing after this")]
    MissingComma,
    #[error("`{found}` is out of place")]
    NoField { found: String },
    #[error("`{name}:` is a field among values without names")]
    Named { name: String },
    #[error("a value is missing here")]
    NoValue,
    #[error("`{name}` is given twice here")]
    Twice { name: String },
    #[error("too many brackets are open here")]
    TooDeep,
    #[error("this comes after the end of the scenario")]
    AfterEnd,
    #[error("a scenario is a list of fields in ( )")]
    NotAScenario,
}

impl SyntaxFlawKind {
    /// Returns the correction. `line` gives the line of an offset.
    pub(crate) fn help(&self, line: impl Fn(usize) -> usize) -> String {
        match self {
            Self::Unclosed { open } => {
                let all = open.iter().rev().map(|(bracket, at)| format!("`{bracket}` of line {}", line(*at)));
                format!("close {}", all.collect::<Vec<_>>().join(", "))
            }
            Self::Mismatch { bracket, opened, .. } => {
                format!("close the `{bracket}` of line {} first", line(*opened))
            }
            Self::UnclosedText => "write the same mark at the end of the text".to_owned(),
            Self::UnclosedComment => "write `*/` at its end".to_owned(),
            Self::MissingComma => "write `,` between two values".to_owned(),
            Self::NoField { .. } => "write `name: value`".to_owned(),
            Self::Named { .. } => "write fields in ( ), and values without names in [ ]".to_owned(),
            Self::NoValue => "write a value, or delete the punctuation mark".to_owned(),
            Self::Twice { .. } => "write it once".to_owned(),
            Self::TooDeep => "close some: at most 100 may be open at once".to_owned(),
            Self::AfterEnd => "delete it: the `)` before it closes the scenario".to_owned(),
            Self::NotAScenario => "write `(`, then `field: value,` for each field, then `)`".to_owned(),
        }
    }
}
