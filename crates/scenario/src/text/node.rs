//! A value in a scenario's text, with everything in it.
//!
//! Invariant: a node knows where a value begins and ends, and nothing of its meaning.
//!
//! A single value in parentheses after a name (`Paced("1 Gb/s")`, `Some(5)`) is one with that name: steps of a path lead
//! through the name.

use core::ops::Range;

use settings::PathStep;

/// A value in a text.
#[derive(Clone, Debug)]
pub(crate) struct TextNode {
    /// The part of the text that the value takes, from its name or opening bracket to its end.
    pub(crate) span: Range<usize>,
    pub(crate) shape: NodeShape,
}

/// The form of a value, with the values in it.
#[derive(Clone, Debug)]
pub(crate) enum NodeShape {
    /// A number, a text, a character or a name; or several words that lack quotes.
    Scalar,
    /// `( name: value, ... )`, with or without a name before it.
    Fields(Vec<NamedNode>),
    /// `{ key: value, ... }`.
    Map(Vec<NamedNode>),
    /// `[ value, ... ]`.
    List(Vec<TextNode>),
    /// `( value, ... )`, with or without a name before it.
    Tuple { named: bool, values: Vec<TextNode> },
}

/// A field of a struct, or an entry of a map.
#[derive(Clone, Debug)]
pub(crate) struct NamedNode {
    pub(crate) key: String,
    pub(crate) key_span: Range<usize>,
    pub(crate) value: TextNode,
}

impl TextNode {
    /// Returns the value, without a name that wraps it.
    pub(crate) fn inside(&self) -> &Self {
        match &self.shape {
            NodeShape::Tuple { named: true, values } if values.len() == 1 => values[0].inside(),
            _ => self,
        }
    }

    /// Returns the offset at which the content begins, after the opening bracket.
    pub(crate) fn opening(&self, text: &str) -> usize {
        let bracket = match self.shape {
            NodeShape::Scalar => return self.span.end,
            NodeShape::List(_) => '[',
            NodeShape::Map(_) => '{',
            NodeShape::Fields(_) | NodeShape::Tuple { .. } => '(',
        };
        text[self.span.clone()].find(bracket).map_or(self.span.end, |at| self.span.start + at + 1)
    }

    /// Returns the names of the fields or entries; of a list, the names of those elements that have one.
    pub(crate) fn names(&self, text: &str) -> Vec<String> {
        match &self.inside().shape {
            NodeShape::Fields(items) | NodeShape::Map(items) => {
                items.iter().map(|item| item.key.clone()).collect()
            }
            NodeShape::List(nodes) => nodes.iter().filter_map(|node| node.own_name(text)).collect(),
            NodeShape::Scalar | NodeShape::Tuple { .. } => Vec::new(),
        }
    }

    /// Returns the text in the field `name`.
    fn own_name(&self, text: &str) -> Option<String> {
        let NodeShape::Fields(items) = &self.inside().shape else { return None };
        let name = items.iter().find(|item| item.key == "name")?;
        Some(unquoted(&text[name.value.span.clone()]))
    }

    /// Returns the part to which a step leads, with the place of its key, and the step with an index for an element.
    pub(super) fn child(
        &self,
        text: &str,
        step: &PathStep,
    ) -> Option<(Option<Range<usize>>, &Self, PathStep)> {
        match (&self.inside().shape, step) {
            (NodeShape::Fields(items) | NodeShape::Map(items), PathStep::Name(name)) => {
                let item = items.iter().find(|item| item.key == *name)?;
                Some((Some(item.key_span.clone()), &item.value, step.clone()))
            }
            (NodeShape::List(nodes) | NodeShape::Tuple { values: nodes, .. }, PathStep::Index(index)) => {
                Some((None, nodes.get(*index)?, step.clone()))
            }
            (NodeShape::List(nodes), PathStep::Name(name)) => {
                let index = nodes.iter().position(|node| node.own_name(text).as_ref() == Some(name))?;
                Some((None, &nodes[index], PathStep::Index(index)))
            }
            _ => None,
        }
    }

    pub(super) fn part_at(&self, offset: usize) -> Option<(PathStep, &Self)> {
        let holds = |span: &Range<usize>| span.start <= offset && offset <= span.end;
        match &self.inside().shape {
            NodeShape::Fields(items) | NodeShape::Map(items) => {
                let item = items.iter().find(|item| holds(&(item.key_span.start..item.value.span.end)))?;
                Some((PathStep::Name(item.key.clone()), &item.value))
            }
            NodeShape::List(nodes) | NodeShape::Tuple { values: nodes, .. } => {
                let index = nodes.iter().position(|node| holds(&node.span))?;
                Some((PathStep::Index(index), &nodes[index]))
            }
            NodeShape::Scalar => None,
        }
    }

    /// Returns the values directly below this one: of fields, of entries, of elements.
    pub(super) fn values(&self) -> impl Iterator<Item = &Self> {
        let (items, nodes): (&[NamedNode], &[Self]) = match &self.inside().shape {
            NodeShape::Fields(items) | NodeShape::Map(items) => (items, &[]),
            NodeShape::List(nodes) | NodeShape::Tuple { values: nodes, .. } => (&[], nodes),
            NodeShape::Scalar => (&[], &[]),
        };
        items.iter().map(|item| &item.value).chain(nodes)
    }

    #[cfg(test)]
    pub(super) fn parts(&self) -> Vec<(PathStep, &Self)> {
        match &self.inside().shape {
            NodeShape::Fields(items) | NodeShape::Map(items) => {
                items.iter().map(|item| (PathStep::Name(item.key.clone()), &item.value)).collect()
            }
            NodeShape::List(nodes) | NodeShape::Tuple { values: nodes, .. } => {
                nodes.iter().enumerate().map(|(index, node)| (PathStep::Index(index), node)).collect()
            }
            NodeShape::Scalar => Vec::new(),
        }
    }
}

/// Returns a text without its quotes, and a name unchanged.
pub(crate) fn unquoted(written: &str) -> String {
    let quoted = written.contains('"').then(|| ron::from_str(written).ok()).flatten();
    quoted.unwrap_or_else(|| written.to_owned())
}

/// Returns the part of the span on its first line.
pub(crate) fn first_line(text: &str, span: Range<usize>) -> Range<usize> {
    let shown = text[span.clone()].lines().next().unwrap_or_default();
    span.start..span.start + shown.trim_end().len()
}
