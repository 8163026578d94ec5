//! Settings of single switches and adapters, which inherit from `switch` and `adapter` the fields that they do not state.
//!
//! Invariant: a field that an entry of `switches` or `adapters` states is never replaced. A size of memory replaces the other
//! way to state it: an entry with `memory` does not inherit `buffer`, and the reverse.
//!
//! An entry may be a pattern (`leaf*`). The entry of a name that a pattern matches inherits from the pattern's entry what that
//! states, and the rest from `switch` or `adapter`. Two patterns that match one name are refused later.
//!
//! The text of a field is copied into the entry, before the text is read.

use core::ops::Range;

use settings::glob;

use crate::text::{NamedNode, NodeShape, Outline, TextNode};

/// The fields with entries, and the field whose settings these inherit.
const HEIRS: [(&str, &str); 2] = [("switches", "switch"), ("adapters", "adapter")];

/// Fields that an entry does not inherit if it states another one.
const REPLACED: [(&str, &[&str]); 2] =
    [("memory", &["buffer", "buffers"]), ("buffer", &["memory", "provisioned"])];

/// A text in which every entry states what it inherits.
pub(crate) struct Inherited {
    pub(crate) text: String,
    /// Offset in the original text, and length, of each insertion, in order.
    insertions: Vec<(usize, usize)>,
}

impl Inherited {
    pub(crate) fn new(text: &str) -> Self {
        // Few scenarios have such entries, and the outline takes as long as reading.
        let may_have = HEIRS.iter().any(|(heirs, _)| text.contains(heirs));
        let outline = if may_have { Outline::new(text).ok() } else { None };
        let insertions = outline.map(|outline| insertions(text, &outline)).unwrap_or_default();
        let mut inherited = String::with_capacity(text.len());
        let mut from = 0;
        for (at, inserted) in &insertions {
            inherited += &text[from..*at];
            inherited += inserted;
            from = *at;
        }
        inherited += &text[from..];
        let lengths = insertions.into_iter().map(|(at, inserted)| (at, inserted.len()));
        Self { text: inherited, insertions: lengths.collect() }
    }

    /// Inserts a text.
    pub(crate) fn insert(&mut self, at: usize, text: &str) {
        let origin = self.origin(&(at..at)).start;
        self.text.insert_str(at, text);
        let place = self.insertions.partition_point(|(before, _)| *before < origin);
        match self.insertions.get_mut(place) {
            // Within a text that was copied there, or beside it.
            Some((same, length)) if *same == origin => *length += text.len(),
            _ => self.insertions.insert(place, (origin, text.len())),
        }
    }

    /// Returns the part of the original text from which this part comes; of an insertion, its place.
    pub(crate) fn origin(&self, span: &Range<usize>) -> Range<usize> {
        let origin = |offset: usize| {
            let mut inserted = 0;
            for (at, length) in &self.insertions {
                if offset < at + inserted {
                    break;
                }
                if offset < at + inserted + length {
                    return *at;
                }
                inserted += length;
            }
            offset - inserted
        };
        origin(span.start)..origin(span.end)
    }
}

/// Returns the text to insert at each entry, in the order of the text.
fn insertions(text: &str, outline: &Outline) -> Vec<(usize, String)> {
    let mut all = Vec::new();
    for (heirs, owner) in HEIRS {
        let (heirs, owner) = (outline.reach(text, &heirs.into()), outline.reach(text, &owner.into()));
        if heirs.steps + owner.steps < 2 {
            continue;
        }
        let shapes = (&heirs.node.inside().shape, &owner.node.inside().shape);
        let (NodeShape::Map(entries), NodeShape::Fields(fields)) = shapes else { continue };
        for entry in entries {
            let pattern = entries.iter().find(|pattern| is_of_pattern(entry, pattern));
            let of_pattern = pattern.and_then(|pattern| own_fields(&pattern.value)).unwrap_or_default();
            all.extend(insertion(text, &entry.value, [of_pattern, fields]));
        }
    }
    all.sort();
    all
}

/// Returns true if an entry has a name that the other entry, a pattern, matches.
fn is_of_pattern(entry: &NamedNode, pattern: &NamedNode) -> bool {
    !glob::is_wild(&entry.key) && glob::is_wild(&pattern.key) && glob::matches(&pattern.key, &entry.key)
}

/// Returns the fields that an entry states.
fn own_fields(entry: &TextNode) -> Option<&[NamedNode]> {
    match &entry.inside().shape {
        NodeShape::Fields(own) => Some(own.as_slice()),
        NodeShape::Tuple { values, .. } if values.is_empty() => Some(&[]),
        NodeShape::Scalar | NodeShape::Map(_) | NodeShape::List(_) | NodeShape::Tuple { .. } => None,
    }
}

/// Returns the text to insert at an entry: of the fields of its owners, nearest first, those that it does not state.
fn insertion(text: &str, entry: &TextNode, owners: [&[NamedNode]; 2]) -> Option<(usize, String)> {
    let mut stated: Vec<&str> = own_fields(entry)?.iter().map(|field| field.key.as_str()).collect();
    let mut copied = String::new();
    for owner in owners {
        let replaced =
            |name: &str| REPLACED.iter().any(|(by, these)| stated.contains(by) && these.contains(&name));
        let inherits = |field: &&NamedNode| !stated.contains(&field.key.as_str()) && !replaced(&field.key);
        let inherited: Vec<_> = owner.iter().filter(inherits).collect();
        for field in &inherited {
            copied += &format!("{}: {}, ", field.key, &text[field.value.span.clone()]);
        }
        stated.extend(inherited.iter().map(|field| field.key.as_str()));
    }
    (!copied.is_empty()).then(|| (entry.inside().opening(text), copied))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inherited(text: &str) -> String {
        Inherited::new(text).text
    }

    #[test]
    fn an_entry_states_what_it_inherits() {
        let text = "(adapter: (a: 1, b: [2]), adapters: {\"h1\": (b: [3]), \"h2\": ()})";
        assert_eq!(
            inherited(text),
            "(adapter: (a: 1, b: [2]), adapters: {\"h1\": (a: 1, b: [3]), \"h2\": (a: 1, b: [2], )})"
        );
    }

    #[test]
    fn a_size_of_memory_replaces_the_other() {
        let text = "(switch: (buffer: 1, latency: 2), switches: {\"s\": (memory: 3)})";
        assert_eq!(
            inherited(text),
            "(switch: (buffer: 1, latency: 2), switches: {\"s\": (latency: 2, memory: 3)})"
        );
    }

    #[test]
    fn an_entry_inherits_from_the_pattern_that_matches_its_name() {
        let text = "(switch: (a: 1, b: 2, buffer: 3), switches: {\"s*\": (b: 4, memory: 5), \"s1\": (a: 6), \"t\": (buffer: 7)})";
        assert_eq!(
            inherited(text),
            "(switch: (a: 1, b: 2, buffer: 3), switches: {\"s*\": (a: 1, b: 4, memory: 5), \"s1\": (b: 4, memory: 5, a: 6), \
             \"t\": (a: 1, b: 2, buffer: 7)})"
        );
    }

    #[test]
    fn a_place_leads_back_to_the_text() {
        let text = "(adapter: (a: 1), adapters: {\"h\": (b: 2)}, c: 3)";
        let inherited = Inherited::new(text);
        for word in ["adapters", "b: 2", "c: 3"] {
            let at = inherited.text.find(word).expect("it is there");
            assert_eq!(
                inherited.origin(&(at..at + 1)).start,
                text.find(word).expect("it is there"),
                "{word}"
            );
        }
        let copied = inherited.text.rfind("a: 1").expect("it is copied");
        assert_eq!(inherited.origin(&(copied..copied + 4)).start, text.find("b: 2").expect("it is there"));
        assert_eq!(Inherited::new("(a: 1").text, "(a: 1", "a text with a flaw stays");
    }
}
