//! A file with all its mutants, each chosen by its number.
//!
//! ```text
//! fn f(a: u32) -> u32 {            fn f(a: u32) -> u32 { if is(1) { return 0; }
//!     a + 1                            (if is(2) { a - 1 } else if is(3) { a * 1 } else { a + 1 })
//! }                                }
//! ```
//!
//! Invariant: with no mutant chosen the file does what it did. The text of one mutant holds no other, so that
//! nested places make the file longer by the sum of their lengths, not by the product.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;

use crate::listing::Mutant;
use crate::places::{Place, Places};

/// A file as rewritten, and the way back from its text to the mutants.
#[derive(Debug, Default)]
pub(crate) struct Rewritten {
    pub(crate) text: String,
    /// Ranges of the text, and the mutants that a fault there may come from.
    owned: Vec<(Range<usize>, Vec<u32>)>,
    /// Parts that were copied: where they stand, and where they stood.
    copied: Vec<(Range<usize>, usize)>,
}

impl Rewritten {
    /// Returns the numbers of the mutants, of those given, which the compiler may object to at `fault`.
    pub(crate) fn owners(&self, fault: &Range<usize>, mutants: &[&Mutant]) -> Vec<u32> {
        let around =
            self.owned.iter().filter(|(range, _)| range.start <= fault.start && fault.end <= range.end);
        if let Some((_, owners)) = around.min_by_key(|(range, _)| range.len()) {
            return owners.clone();
        }
        let copied = self.copied.iter().find(|(range, _)| range.contains(&fault.start));
        let Some(stood) = copied.map(|(range, from)| from + fault.start - range.start) else {
            return Vec::new();
        };
        let beside =
            |mutant: &&&Mutant| mutant.function.as_ref().is_some_and(|function| function.contains(&stood));
        mutants.iter().filter(beside).map(|mutant| mutant.number).collect()
    }
}

/// Text put around a part of the file.
struct Site {
    range: Range<usize>,
    /// Pieces of text before the range; a piece that belongs to a mutant names it.
    before: Vec<(String, Option<u32>)>,
    after: &'static str,
}

/// Returns `source` with the mutants, all of that file and each with a place.
pub(crate) fn rewrite(source: &str, places: &Places, mutants: &[&Mutant]) -> Rewritten {
    let mut sites = sites(source, places, mutants);
    sites.sort_by_key(|site| (site.range.start, !site.range.is_empty(), Reverse(site.range.end)));
    let mut rewritten = Rewritten::default();
    rewritten.emit(source, 0..source.len(), &mut sites.into_iter().peekable());
    rewritten
}

fn sites(source: &str, places: &Places, mutants: &[&Mutant]) -> Vec<Site> {
    let mut sites = Vec::new();
    let mut expressions: BTreeMap<(usize, usize), Vec<&Mutant>> = BTreeMap::new();
    for mutant in mutants {
        let number = mutant.number;
        match places.get(&mutant.span) {
            Some(Place::Expression(range)) => {
                expressions.entry((range.start, range.end)).or_default().push(mutant);
            }
            Some(Place::Body(at)) => {
                let text = format!(" if ::mutant_switch::is({number}) {{ return {}; }} ", mutant.replacement);
                sites.push(Site { range: *at..*at, before: vec![(text, Some(number))], after: "" });
            }
            Some(Place::Arm(at)) => {
                let text = format!(" if !::mutant_switch::is({number})");
                sites.push(Site { range: *at..*at, before: vec![(text, Some(number))], after: "" });
            }
            None => {}
        }
    }
    for ((start, end), mutants) in expressions {
        let range = start..end;
        let mut before = vec![("(".to_owned(), None)];
        for mutant in mutants {
            before.push((format!("if ::mutant_switch::is({}) {{ ", mutant.number), None));
            before.push((mutant.applied(source, &range), Some(mutant.number)));
            before.push((" } else ".to_owned(), None));
        }
        before.push(("{ ".to_owned(), None));
        sites.push(Site { range, before, after: " })" });
    }
    sites
}

impl Rewritten {
    fn emit(
        &mut self,
        source: &str,
        range: Range<usize>,
        sites: &mut std::iter::Peekable<std::vec::IntoIter<Site>>,
    ) {
        let mut at = range.start;
        while let Some(site) = sites.next_if(|site| site.range.start < range.end) {
            self.copy(source, at..site.range.start);
            at = site.range.end;
            let start = self.text.len();
            let mut owners = Vec::new();
            for (piece, owner) in site.before {
                let start = self.text.len();
                self.text.push_str(&piece);
                if let Some(owner) = owner {
                    self.owned.push((start..self.text.len(), vec![owner]));
                    owners.push(owner);
                }
            }
            self.emit(source, site.range, sites);
            self.text.push_str(site.after);
            self.owned.push((start..self.text.len(), owners));
        }
        self.copy(source, at..range.end);
    }

    fn copy(&mut self, source: &str, range: Range<usize>) {
        let start = self.text.len();
        self.text.push_str(&source[range.clone()]);
        self.copied.push((start..self.text.len(), range.start));
    }
}

/// Returns `source` with mutants that do not overlap in place of the original, and the range in which each one's
/// function then stands.
pub(crate) fn replaced(source: &str, mutants: &[&Mutant]) -> (String, Vec<(Range<usize>, u32)>) {
    let mut ordered = mutants.to_vec();
    ordered.sort_by_key(|mutant| mutant.span.start);
    let (mut text, mut at) = (String::new(), 0);
    for mutant in &ordered {
        text.push_str(&source[at..mutant.span.start]);
        text.push_str(&mutant.replacement);
        at = mutant.span.end;
    }
    text.push_str(&source[at..]);
    let moved = |position: usize| {
        let before = ordered.iter().filter(|mutant| mutant.span.end <= position);
        before.fold(position, |moved, mutant| moved + mutant.replacement.len() - mutant.span.len())
    };
    let ranges = ordered.iter().map(|mutant| {
        let around = mutant.function.as_ref().unwrap_or(&mutant.span);
        let end = moved(around.end);
        (moved(around.start)..end, mutant.number)
    });
    let ranges = ranges.collect();
    (text, ranges)
}
