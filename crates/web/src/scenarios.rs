//! The scenarios that ship.
//!
//! Invariant: a story is the comment at the head of the scenario's file, without its slashes.

use scenario::shipped;
use serde::Serialize;

/// A scenario that ships.
#[derive(Debug, Serialize)]
pub struct ShippedData {
    /// Its name.
    pub name: &'static str,
    /// A sentence on its aim.
    pub about: String,
    /// What to look for, and what to try.
    pub story: String,
    /// The text of its file.
    pub text: &'static str,
}

/// Returns the scenarios that ship, those for learning first.
#[must_use]
pub fn scenarios() -> Vec<ShippedData> {
    let data = |one: &scenario::ShippedScenario| ShippedData {
        name: one.name,
        about: one.about(),
        story: story(one.text),
        text: one.text,
    };
    shipped().iter().map(data).collect()
}

/// Returns the comment at the head of a text.
fn story(text: &str) -> String {
    let lines = text.lines().map_while(|line| line.strip_prefix("//"));
    lines.map(|line| line.strip_prefix(' ').unwrap_or(line)).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_story_is_the_first_comment() {
        assert_eq!(story("// One.\n//\n// Two.\n(\n    // not this\n)\n"), "One.\n\nTwo.");
        for one in scenarios() {
            assert!(one.story.contains("Look for") && !one.story.contains("//"), "{}", one.name);
        }
    }
}
