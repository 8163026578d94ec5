//! Accepted survivors, as docs/mutants.md lists them.
//!
//! Invariant: a survivor is named by file and change, without a line number, so that edits elsewhere leave it valid. The
//! number of places that survive must be the listed one, neither more nor fewer.
//!
//! ```text
//! - `FILE: CHANGE`: the reason
//! - `FILE: CHANGE` (2 places): the reason
//! ```

use std::collections::BTreeMap;

use crate::outcomes::{Outcome, Tested};

/// Survivors that are listed with a reason, and the number of places of each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Survivors(BTreeMap<String, usize>);

impl Survivors {
    /// Reads the list items of the page that begin with a mutant.
    #[must_use]
    pub fn read(page: &str) -> Self {
        let items = page.lines().filter_map(|line| {
            let (name, rest) = line.strip_prefix("- `crates/")?.split_once('`')?;
            let places = rest.strip_prefix(" (").and_then(|rest| rest.split_once(" places)"));
            Some((format!("crates/{name}"), places.and_then(|(count, _)| count.parse().ok()).unwrap_or(1)))
        });
        Self(items.collect())
    }

    /// Returns the faults of the crate in `folder`: survivors that are not listed, and listed ones that survive no more. `all` are the
    /// names of all its mutants, `tested` those of this run: a name is judged once all its places were tested.
    #[must_use]
    pub fn faults(&self, folder: &str, all: &[String], tested: &[Tested]) -> Vec<String> {
        let mut places: BTreeMap<&str, usize> = BTreeMap::new();
        for name in all {
            *places.entry(name).or_default() += 1;
        }
        let mut found: BTreeMap<String, (usize, usize)> = BTreeMap::new();
        for mutant in tested {
            let (tested, survive) = found.entry(mutant.name()).or_default();
            *tested += 1;
            *survive += usize::from(mutant.outcome == Outcome::Missed);
        }
        let unlisted = found.iter().filter_map(|(name, (_, survive))| {
            let accepted = self.0.get(name).copied().unwrap_or(0);
            (*survive > accepted).then(|| {
                format!("{name}: {survive} survive, {accepted} accepted: write a test, or list it in docs/mutants.md")
            })
        });
        let ours = format!("{folder}/");
        let gone =
            self.0.iter().filter(|(name, _)| name.starts_with(&ours)).filter_map(|(name, accepted)| {
                let places = places.get(name.as_str()).copied().unwrap_or(0);
                let (tested, survive) = found.get(name).copied().unwrap_or((0, 0));
                (tested == places && survive < *accepted).then(|| {
                    format!("{name}: {accepted} accepted, {survive} survive: correct docs/mutants.md")
                })
            });
        unlisted.chain(gone).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "# Mutants\n\n- `cargo`: no survivor\n- `crates/a/b.rs: replace || with && in f`: equal\n\
                        - `crates/a/b.rs: replace < with <= in g` (2 places): speed\n";

    fn mutant(place: &str, outcome: Outcome) -> Tested {
        let place = place.to_owned();
        Tested { number: 1, place, outcome, test: String::new(), tests: 0, left_out: 0, alone: false }
    }

    fn faults(tested: &[Tested]) -> usize {
        let all = [
            "crates/a/b.rs: replace || with && in f",
            "crates/a/b.rs: replace < with <= in g",
            "crates/a/b.rs: replace < with <= in g",
            "crates/a/c.rs: replace h with ()",
        ];
        Survivors::read(PAGE).faults("crates/a", &all.map(str::to_owned), tested).len()
    }

    #[test]
    fn what_survives_is_what_is_listed() {
        let f = mutant("crates/a/b.rs:1:1: replace || with && in f", Outcome::Missed);
        let g = [4, 7]
            .map(|line| mutant(&format!("crates/a/b.rs:{line}:1: replace < with <= in g"), Outcome::Missed));
        let h = mutant("crates/a/c.rs:1:1: replace h with ()", Outcome::Caught);
        let [g1, g2] = g;
        let as_listed = [f, g1, g2, h];
        assert_eq!(faults(&as_listed), 0);
        let mut more = as_listed.clone();
        more[3].outcome = Outcome::Missed;
        assert_eq!(faults(&more), 1, "a survivor that is not listed");
        for at in 0..3 {
            let mut fewer = as_listed.clone();
            fewer[at].outcome = Outcome::Caught;
            assert_eq!(faults(&fewer), 1, "a listed one is caught");
            let rest: Vec<_> =
                fewer.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, one)| one.clone()).collect();
            assert_eq!(faults(&rest), 0, "one that was not tested is not judged");
        }
    }

    #[test]
    fn a_listed_one_that_no_longer_exists_is_a_fault() {
        assert_eq!(Survivors::read(PAGE).faults("crates/a", &[], &[]).len(), 2);
        assert_eq!(Survivors::read(PAGE).faults("crates/other", &[], &[]).len(), 0);
    }
}
