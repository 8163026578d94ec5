//! The path of a field: `flows[2].to`, `cables.host.speed`.
//!
//! Invariant: a printed path parses as itself. Names of enum variants are not part of a path.

use core::fmt::{self, Display, Formatter};

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PathStep {
    /// A field, an entry of a map, or the element of a list that has this name.
    Name(String),
    /// An element of a list, counted from 0.
    Index(usize),
}

/// The path from a setting as a whole to one of its values. The empty path is the setting itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct FieldPath(Vec<PathStep>);

/// The reason that a text is not a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// Two dots in a row, or one at an end.
    #[error("a name is missing between the dots")]
    NoName,
    /// Brackets without a whole number.
    #[error("an index is a whole number in brackets")]
    Index,
    /// A quotation mark without its twin.
    #[error("a quotation mark is not closed")]
    Quote,
}

/// Returns the path of an override, `PATH=VALUE`; the whole text without a sign in it.
///
/// ```
/// assert_eq!(settings::path_of("duration = 1 ms"), "duration");
/// ```
#[must_use]
pub fn path_of(set: &str) -> &str {
    set.split_once('=').map_or(set, |(path, _)| path).trim()
}

impl FieldPath {
    /// Parses a path: names separated by dots, indices in brackets. A name that contains a dot or a bracket
    /// stands in quotes.
    ///
    /// # Errors
    /// If a name or an index is missing, or a quotation mark is not closed.
    pub fn parse(text: &str) -> Result<Self, PathError> {
        let mut steps = Vec::new();
        let mut rest = text.trim();
        while !rest.is_empty() {
            let (step, after) = first_step(rest)?;
            steps.push(step);
            rest = match after.strip_prefix('.') {
                Some("") => return Err(PathError::NoName),
                Some(more) => more,
                None if after.is_empty() || after.starts_with('[') => after,
                None => return Err(PathError::NoName),
            };
        }
        if steps.is_empty() { Err(PathError::NoName) } else { Ok(Self(steps)) }
    }

    /// Returns the steps, outermost first.
    #[must_use]
    pub fn steps(&self) -> &[PathStep] {
        &self.0
    }

    /// Returns the path of a field, or of an entry of a map, of this value.
    #[must_use]
    pub fn name(&self, name: &str) -> Self {
        self.step(PathStep::Name(name.to_owned()))
    }

    /// Returns the path of an element of this list.
    #[must_use]
    pub fn index(&self, index: usize) -> Self {
        self.step(PathStep::Index(index))
    }

    /// Returns the path `relative`, moved below this one.
    #[must_use]
    pub fn join(&self, relative: &Self) -> Self {
        Self([self.0.as_slice(), &relative.0].concat())
    }

    /// Returns the path one step below this one.
    #[must_use]
    pub fn step(&self, step: PathStep) -> Self {
        Self(self.0.iter().cloned().chain([step]).collect())
    }

    /// Goes one step down.
    pub fn push(&mut self, step: PathStep) {
        self.0.push(step);
    }

    /// Goes one step up; the empty path stays empty.
    pub fn pop(&mut self) {
        self.0.pop();
    }

    /// Returns true if this path is `other` or lies below it.
    #[must_use]
    pub fn starts_with(&self, other: &Self) -> bool {
        self.0.starts_with(&other.0)
    }

    /// Returns the names among the steps, innermost first.
    pub fn names_upwards(&self) -> impl Iterator<Item = &str> {
        self.0.iter().rev().filter_map(|step| match step {
            PathStep::Name(name) => Some(name.as_str()),
            PathStep::Index(_) => None,
        })
    }
}

/// Parses a path that is written in the code.
///
/// # Panics
/// If the text is not a path.
impl From<&str> for FieldPath {
    fn from(text: &str) -> Self {
        Self::parse(text).expect("a path in the code is well-formed")
    }
}

fn first_step(text: &str) -> Result<(PathStep, &str), PathError> {
    if let Some(rest) = text.strip_prefix('[') {
        let (number, after) = rest.split_once(']').ok_or(PathError::Index)?;
        let index = number.trim().parse().map_err(|_| PathError::Index)?;
        return Ok((PathStep::Index(index), after));
    }
    if let Some(rest) = text.strip_prefix('"') {
        let (name, after) = rest.split_once('"').ok_or(PathError::Quote)?;
        return Ok((PathStep::Name(name.to_owned()), after));
    }
    let end = text.find(['.', '[']).unwrap_or(text.len());
    let name = text[..end].trim();
    if name.is_empty() { Err(PathError::NoName) } else { Ok((PathStep::Name(name.to_owned()), &text[end..])) }
}

impl Display for FieldPath {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (i, step) in self.0.iter().enumerate() {
            match step {
                PathStep::Index(index) => write!(f, "[{index}]")?,
                PathStep::Name(name) => {
                    let dot = if i == 0 { "" } else { "." };
                    let quote = if name.is_empty() || name.contains(['.', '[', ' ']) { "\"" } else { "" };
                    write!(f, "{dot}{quote}{name}{quote}")?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_reads_back_as_printed() {
        for text in ["duration", "flows[2].to", "flows.F3.start", "cables.\"2.5 m\".speed", "m[0][1]"] {
            assert_eq!(FieldPath::from(text).to_string(), text);
        }
    }

    #[test]
    fn other_texts_are_refused() {
        assert_eq!(FieldPath::parse(""), Err(PathError::NoName));
        assert_eq!(FieldPath::parse("a..b"), Err(PathError::NoName));
        assert_eq!(FieldPath::parse("a."), Err(PathError::NoName));
        assert_eq!(FieldPath::parse("a[x]"), Err(PathError::Index));
        assert_eq!(FieldPath::parse("a[1"), Err(PathError::Index));
        assert_eq!(FieldPath::parse("a[1]b"), Err(PathError::NoName));
        assert_eq!(FieldPath::parse("a.\"b"), Err(PathError::Quote));
    }
}
