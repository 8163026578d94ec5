//! The outline of a scenario's text: the part of the text that is the value at a path.
//!
//! Invariant: an outline belongs to one text. It knows the beginning and the end of values, and nothing of their
//! meaning, so it exists even for a text with wrong values.

use core::ops::Range;

use settings::FieldPath;

use super::flaw::SyntaxFlaw;
use super::node::{NodeShape, TextNode, first_line};
use super::scan;

/// The outline of one text.
#[derive(Clone, Debug)]
pub(crate) struct Outline {
    root: TextNode,
}

/// The end of a path, as far as a text has it.
#[derive(Clone, Debug)]
pub(crate) struct ReachedNode<'a> {
    /// The value at the path, or the nearest above it.
    pub(crate) node: &'a TextNode,
    /// The place of its key, if it is a field or a map's entry.
    pub(crate) key_span: Option<Range<usize>>,
    /// The path of the value, with indices for elements.
    pub(crate) path: FieldPath,
    /// Number of steps of the path that lead here.
    pub(crate) steps: usize,
}

impl Outline {
    /// Scans a scenario's text.
    pub(crate) fn new(text: &str) -> Result<Self, SyntaxFlaw> {
        Ok(Self { root: scan::document(text)? })
    }

    /// Returns the whole value.
    pub(super) fn root(&self) -> &TextNode {
        &self.root
    }

    /// Returns the value at this path, or the nearest above it.
    pub(crate) fn reach(&self, text: &str, path: &FieldPath) -> ReachedNode<'_> {
        let mut site = ReachedNode { node: &self.root, key_span: None, path: FieldPath::default(), steps: 0 };
        for step in path.steps() {
            let Some((key_span, node, step)) = site.node.child(text, step) else { break };
            site = ReachedNode { node, key_span, path: site.path.step(step), steps: site.steps + 1 };
        }
        site
    }

    /// Returns the part to underline for a fault at this path: a value on one line whole; of a longer one its key and
    /// its opening bracket.
    pub(crate) fn span(&self, text: &str, path: &FieldPath) -> Range<usize> {
        let ReachedNode { node, key_span, .. } = self.reach(text, path);
        if !text[node.span.clone()].contains('\n') {
            return node.span.clone();
        }
        let opening = node.opening(text);
        let start = key_span.map_or(node.span.start, |key| key.start);
        first_line(text, start..opening)
    }

    /// Returns the part to underline for a fault in the name at the end of this path.
    pub(crate) fn key_span(&self, text: &str, path: &FieldPath) -> Range<usize> {
        let site = self.reach(text, path);
        let own = site.key_span.clone().filter(|_| site.steps == path.steps().len());
        own.unwrap_or_else(|| self.span(text, path))
    }

    /// The names that stand in front of the value at this path, outermost first: its variants, and `Some`.
    pub(crate) fn variants<'t>(&self, text: &'t str, path: &FieldPath) -> Vec<&'t str> {
        let site = self.reach(text, path);
        if site.steps < path.steps().len() {
            return Vec::new();
        }
        let mut nodes = vec![site.node];
        while let NodeShape::Tuple { named: true, values } = &nodes[nodes.len() - 1].shape
            && let [inner] = values.as_slice()
        {
            nodes.push(inner);
        }
        let name = |node: &TextNode| {
            let written = &text[node.span.clone()];
            let end = written.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(written.len());
            Some(&written[..end]).filter(|name| name.starts_with(char::is_alphabetic))
        };
        nodes.into_iter().filter_map(name).collect()
    }

    /// Returns the path of the innermost value at this offset.
    pub(crate) fn path_at(&self, offset: usize) -> FieldPath {
        let mut path = FieldPath::default();
        let mut node = &self.root;
        while let Some((step, inner)) = node.part_at(offset) {
            path = path.step(step);
            node = inner;
        }
        path
    }

    /// Returns all quoted values without their marks, also those of a variant such as `Fixed("1 KiB")`, and the offset of each.
    /// [`path_at`](Self::path_at) tells the path: most callers need few.
    pub(crate) fn texts<'t>(&self, text: &'t str) -> Vec<(usize, &'t str)> {
        let mut nodes = vec![&self.root];
        let mut texts = Vec::new();
        while let Some(node) = nodes.pop() {
            let span = &node.inside().span;
            if let Some(inner) = text[span.clone()].strip_prefix('"').and_then(|rest| rest.strip_suffix('"'))
            {
                texts.push((span.start, inner));
            }
            nodes.extend(node.values());
        }
        texts.sort_unstable();
        texts
    }

    /// Returns the paths of all values, outermost first.
    #[cfg(test)]
    pub(crate) fn paths(&self) -> Vec<FieldPath> {
        let mut all = vec![(FieldPath::default(), &self.root)];
        let mut next = 0;
        while let Some((path, node)) = all.get(next).cloned() {
            all.extend(node.parts().into_iter().map(|(step, part)| (path.step(step), part)));
            next += 1;
        }
        all.into_iter().map(|(path, _)| path).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::shipped;

    #[test]
    fn every_value_is_a_value_by_itself() {
        for scenario in shipped() {
            let outline = Outline::new(scenario.text).expect("a shipped scenario has an outline");
            let paths = outline.paths();
            assert!(paths.len() > 40, "{}: {} paths", scenario.name, paths.len());
            for path in paths {
                let site = outline.reach(scenario.text, &path);
                assert_eq!((site.steps, &site.path), (path.steps().len(), &path));
                let value = &scenario.text[site.node.span.clone()];
                assert!(ron::from_str::<ron::Value>(value).is_ok(), "{path} is `{value}`");
            }
        }
    }

    #[test]
    fn marks_within_texts_and_comments_do_not_count() {
        let text = r###"( a: "]\")", /* ( /* " */ */ b: r#"""}"#, c: '\'', // {
            d: Some(X(1, 'x')), e: {"k]": [b"\"", r"\"]}, )"###;
        let outline = Outline::new(text).expect("it is well-formed");
        let value = |path: &str| {
            let site = outline.reach(text, &path.into());
            (site.steps, &text[site.node.span.clone()])
        };
        assert_eq!(value("a"), (1, r#""]\")""#));
        assert_eq!(value("b"), (1, r##"r#"""}"#"##));
        assert_eq!(value("c"), (1, r"'\''"));
        assert_eq!(value("d[1]"), (2, "'x'"));
        assert_eq!(value("e.\"k]\"[1]"), (3, "r\"\\\""));
    }
}
