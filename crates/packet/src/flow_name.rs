//! Names of flows.
//!
//! Invariant: names that are made together share one text, so that a name takes little more than its letters, of which there may be
//! a million.

use core::fmt::{self, Debug, Display, Formatter};
use core::ops::Deref;
use std::sync::Arc;

/// The name of a flow: a part of a text that it may share with other names.
#[derive(Clone)]
pub struct FlowName {
    text: Arc<String>,
    from: u32,
    to: u32,
}

const _: () = assert!(size_of::<FlowName>() <= 16, "there may be a million flows");

impl FlowName {
    /// Returns these names, each the sequence of its parts, which share one text.
    ///
    /// # Panics
    /// If they have more than 4 GiB of text.
    pub fn together<P: AsRef<str>, const N: usize>(names: impl IntoIterator<Item = [P; N]>) -> Vec<Self> {
        let (mut text, mut ends) = (String::new(), Vec::new());
        for parts in names {
            parts.iter().for_each(|part| text.push_str(part.as_ref()));
            ends.push(u32::try_from(text.len()).expect("less than 4 GiB of names"));
        }
        text.shrink_to_fit();
        let text = Arc::new(text);
        let starts = [0].into_iter().chain(ends.iter().copied());
        starts.zip(&ends).map(|(from, to)| Self { text: Arc::clone(&text), from, to: *to }).collect()
    }
}

impl Deref for FlowName {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text[self.from as usize..self.to as usize]
    }
}

impl AsRef<str> for FlowName {
    fn as_ref(&self) -> &str {
        self
    }
}

impl From<String> for FlowName {
    fn from(name: String) -> Self {
        let to = u32::try_from(name.len()).expect("less than 4 GiB of a name");
        Self { text: Arc::new(name), from: 0, to }
    }
}

impl From<&str> for FlowName {
    fn from(name: &str) -> Self {
        name.to_owned().into()
    }
}

impl Default for FlowName {
    /// The empty name.
    fn default() -> Self {
        "".into()
    }
}

impl PartialEq for FlowName {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for FlowName {}

impl Display for FlowName {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Display::fmt(&**self, f)
    }
}

impl Debug for FlowName {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Debug::fmt(&**self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_made_together_are_those_that_were_given() {
        let names = FlowName::together([["a:", "h1"], ["", ""], ["b:", "ü"]]);
        assert_eq!(names.iter().map(|name| &**name).collect::<Vec<_>>(), ["a:h1", "", "b:ü"]);
        assert_eq!(names[2], FlowName::from("b:ü"));
        assert_ne!(names[0], names[2]);
        assert_eq!(format!("{:>6}|{:?}", names[0], names[2]), "  a:h1|\"b:ü\"");
    }
}
