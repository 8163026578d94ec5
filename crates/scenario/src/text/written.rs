//! The fields that a text writes, for controls that change them one by one.
//!
//! Invariant: a path is one that `--set` takes, and a place one of the [manual](crate::manual). The text's meaning is not known here: a
//! field may be unknown, and its value wrong.

use settings::FieldPath;

use super::node::{NodeShape, TextNode, unquoted};
use super::scenario_text::ScenarioText;

/// Longest value that is given as it is written, in bytes.
const LONGEST: usize = 80;

/// A field that a text writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenField {
    /// Path of the field, as `--set` takes it: elements by their names where they have one, without choices.
    pub path: String,
    /// Path of the field in the manual: with choices, elements as `[]`.
    pub place: String,
    /// Value as it is written; of a long one with fields the name of the choice, of others nothing.
    pub value: String,
    /// True if the value has fields of its own.
    pub has_fields: bool,
}

impl ScenarioText {
    /// Returns the fields that the text writes, with its overrides, in order, each before those within it; none if brackets or quotes
    /// are wrong.
    ///
    /// ```
    /// let text = scenario::ScenarioText::new("a.ron", "(link: (mtu: \"2 KiB\"), flows: [(name: \"F\", load: Paced(\"1 Gb/s\"))])");
    /// let paths: Vec<_> = text.written().into_iter().map(|field| field.path).collect();
    /// assert_eq!(paths, ["link", "link.mtu", "flows.F.name", "flows.F.load"]);
    /// ```
    #[must_use]
    pub fn written(&self) -> Vec<WrittenField> {
        let mut found = Vec::new();
        if let Ok(outline) = self.outline() {
            let at = Site { path: FieldPath::default(), place: String::new() };
            walk(self.text(), outline.root(), &at, &mut found);
        }
        found
    }
}

/// Path and place of a node.
struct Site {
    path: FieldPath,
    place: String,
}

impl Site {
    fn field(&self, name: &str) -> Self {
        let dot = if self.place.is_empty() { "" } else { "." };
        Self { path: self.path.name(name), place: format!("{}{dot}{name}", self.place) }
    }
}

/// Adds the fields below a node.
fn walk(text: &str, node: &TextNode, at: &Site, found: &mut Vec<WrittenField>) {
    match &node.shape {
        NodeShape::Fields(items) | NodeShape::Map(items) => {
            let choice = choice(text, node);
            let place = choice.map_or_else(|| at.place.clone(), |name| at.field(name).place);
            let within = Site { path: at.path.clone(), place };
            for item in items {
                let site = within.field(&item.key);
                found.extend(field(text, &item.value, &site));
                walk(text, &item.value, &site, found);
            }
        }
        NodeShape::List(nodes) => {
            for (index, node) in nodes.iter().enumerate() {
                let path = name(text, node).map_or_else(|| at.path.index(index), |name| at.path.name(&name));
                walk(text, node, &Site { path, place: format!("{}[]", at.place) }, found);
            }
        }
        NodeShape::Scalar | NodeShape::Tuple { .. } => {}
    }
}

/// Returns a field with its value; `None` for lists and maps, which have no value of one line.
fn field(text: &str, node: &TextNode, at: &Site) -> Option<WrittenField> {
    let has_fields = match node.shape {
        NodeShape::List(_) | NodeShape::Map(_) => return None,
        NodeShape::Fields(_) => true,
        NodeShape::Scalar | NodeShape::Tuple { .. } => false,
    };
    let written = &text[node.span.clone()];
    let is_short = written.len() <= LONGEST && !written.contains('\n');
    // A long value without fields, such as a sequence, is not told by its name.
    let name = choice(text, node).filter(|_| has_fields).unwrap_or_default();
    let value = if is_short { written } else { name };
    Some(WrittenField {
        path: at.path.to_string(),
        place: at.place.clone(),
        value: value.to_owned(),
        has_fields,
    })
}

/// Names that may stand before the fields of an element, and are no choice: a list of jobs has no other elements.
const OF_ELEMENTS: [&str; 1] = ["Job"];

/// Returns the name before the parentheses of a choice.
fn choice<'t>(text: &'t str, node: &TextNode) -> Option<&'t str> {
    let name = text[node.span.clone()].split(['(', '{']).next()?.trim();
    let is_name =
        name.starts_with(|c: char| c.is_ascii_alphabetic()) && !matches!(node.shape, NodeShape::Scalar);
    (is_name && !OF_ELEMENTS.contains(&name)).then_some(name)
}

/// Returns the text in the field `name` of an element.
fn name(text: &str, node: &TextNode) -> Option<String> {
    let NodeShape::Fields(items) = &node.inside().shape else { return None };
    let item = items.iter().find(|item| item.key == "name")?;
    Some(unquoted(&text[item.value.span.clone()]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shipped;

    /// Every written field of every shipped scenario has a place in the manual, and `--set` takes its path with its own value.
    #[test]
    fn paths_are_those_of_the_manual_and_of_set() {
        for scenario in shipped() {
            let text = ScenarioText::new("a.ron", scenario.text);
            let fields = text.written();
            assert!(fields.len() > 10, "{}", scenario.name);
            for field in fields {
                let found = crate::manual::find(&field.place);
                assert!(found.is_ok(), "{}: {} has no entry", scenario.name, field.place);
                if !field.value.is_empty() && !field.has_fields {
                    let set = text.clone().set(&format!("{}={}", field.path, field.value));
                    assert!(set.is_ok(), "{}: {} = {}", scenario.name, field.path, field.value);
                }
            }
        }
    }
}
