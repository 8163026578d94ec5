//! Where in a scenario a value stands: `flows[2].to`, `cables.host.speed`.
//!
//! Invariant: a path that is printed is one that `--set` takes. Names of enum variants are no part of it.

use core::fmt::{self, Display, Formatter};

use serde_path_to_error::Segment;

/// One step down.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Step {
    /// To a field, a map's entry, or an element of a list that has this name.
    Name(String),
    /// To an element of a list.
    Index(usize),
}

/// The way from the whole scenario to one of its values.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Path(Vec<Step>);

/// A text that is no path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PathError {
    #[error("a name is missing between the dots")]
    NoName,
    #[error("an index is a whole number in brackets")]
    Index,
    #[error("a quotation mark is not closed")]
    Quote,
}

impl Path {
    /// Reads a path: names with dots between them, indices in brackets; a name that holds a dot or a
    /// bracket stands in quotes.
    pub(crate) fn parse(text: &str) -> Result<Self, PathError> {
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

    /// What the reader of a file had reached, but for the names of enum variants and for what it could
    /// not name.
    pub(crate) fn of_reader(reached: &serde_path_to_error::Path) -> Self {
        let step = |segment: &Segment| match segment {
            Segment::Seq { index } => Some(Step::Index(*index)),
            Segment::Map { key } => Some(Step::Name(key.clone())),
            Segment::Enum { .. } | Segment::Unknown => None,
        };
        Self(reached.iter().filter_map(step).collect())
    }

    pub(crate) fn steps(&self) -> &[Step] {
        &self.0
    }

    /// The path of a field or a map's entry of this value.
    pub(crate) fn name(&self, name: &str) -> Self {
        self.step(Step::Name(name.to_owned()))
    }

    /// The path of an element of this list.
    pub(crate) fn index(&self, index: usize) -> Self {
        self.step(Step::Index(index))
    }

    /// The path that `relative`, as another crate writes it, means below this one.
    pub(crate) fn join(&self, relative: &str) -> Self {
        let more = Self::parse(relative).unwrap_or_default();
        Self(self.0.iter().cloned().chain(more.0).collect())
    }

    pub(crate) fn step(&self, step: Step) -> Self {
        Self(self.0.iter().cloned().chain([step]).collect())
    }

    pub(crate) fn starts_with(&self, other: &Self) -> bool {
        self.0.starts_with(&other.0)
    }

    /// The names on the way, last first.
    pub(crate) fn names_upwards(&self) -> impl Iterator<Item = &str> {
        self.0.iter().rev().filter_map(|step| match step {
            Step::Name(name) => Some(name.as_str()),
            Step::Index(_) => None,
        })
    }
}

/// A path as it stands in the code.
impl From<&str> for Path {
    fn from(text: &str) -> Self {
        Self::parse(text).expect("a path in the code is well-formed")
    }
}

fn first_step(text: &str) -> Result<(Step, &str), PathError> {
    if let Some(rest) = text.strip_prefix('[') {
        let (number, after) = rest.split_once(']').ok_or(PathError::Index)?;
        let index = number.trim().parse().map_err(|_| PathError::Index)?;
        return Ok((Step::Index(index), after));
    }
    if let Some(rest) = text.strip_prefix('"') {
        let (name, after) = rest.split_once('"').ok_or(PathError::Quote)?;
        return Ok((Step::Name(name.to_owned()), after));
    }
    let end = text.find(['.', '[']).unwrap_or(text.len());
    let name = text[..end].trim();
    if name.is_empty() { Err(PathError::NoName) } else { Ok((Step::Name(name.to_owned()), &text[end..])) }
}

impl Display for Path {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (i, step) in self.0.iter().enumerate() {
            match step {
                Step::Index(index) => write!(f, "[{index}]")?,
                Step::Name(name) => {
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
            assert_eq!(Path::from(text).to_string(), text);
        }
    }

    #[test]
    fn what_is_no_path_is_refused() {
        assert_eq!(Path::parse(""), Err(PathError::NoName));
        assert_eq!(Path::parse("a..b"), Err(PathError::NoName));
        assert_eq!(Path::parse("a."), Err(PathError::NoName));
        assert_eq!(Path::parse("a[x]"), Err(PathError::Index));
        assert_eq!(Path::parse("a[1"), Err(PathError::Index));
        assert_eq!(Path::parse("a[1]b"), Err(PathError::NoName));
        assert_eq!(Path::parse("a.\"b"), Err(PathError::Quote));
    }
}
