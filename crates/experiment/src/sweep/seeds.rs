//! Lists of seeds with the random streams that they are for: `1..=20`, `traffic=1..=5`.
//!
//! Invariant: lists have the syntax of [`SeedList`].

use super::fault::ValueFault;
use crate::seeds::SeedList;
use crate::unit::UnitSeeds;

/// The random streams that a seed is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SeedKind {
    /// All streams (`seed`).
    Run,
    /// Traffic (`seeds.traffic`).
    Traffic,
    /// Paths (`seeds.ecmp`).
    Ecmp,
    /// Congestion control (`seeds.marking`).
    Marking,
}

impl SeedKind {
    /// All kinds, in the order of columns.
    pub const ALL: [Self; 4] = [Self::Run, Self::Traffic, Self::Ecmp, Self::Marking];

    /// Returns the name on the command line. All streams have the name `run`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Traffic => "traffic",
            Self::Ecmp => "ecmp",
            Self::Marking => "marking",
        }
    }

    /// Returns the seed of this kind, if it is given.
    #[must_use]
    pub const fn of(self, seeds: UnitSeeds) -> Option<u64> {
        match self {
            Self::Run => seeds.run,
            Self::Traffic => seeds.traffic,
            Self::Ecmp => seeds.ecmp,
            Self::Marking => seeds.marking,
        }
    }

    fn set(self, seeds: &mut UnitSeeds, seed: u64) {
        let place = match self {
            Self::Run => &mut seeds.run,
            Self::Traffic => &mut seeds.traffic,
            Self::Ecmp => &mut seeds.ecmp,
            Self::Marking => &mut seeds.marking,
        };
        *place = Some(seed);
    }
}

/// Reads a list of seeds with the kind before it.
pub(crate) fn parse(text: &str) -> Result<(SeedKind, Vec<u64>), ValueFault> {
    let (kind, list) = match text.split_once('=').filter(|(name, _)| !name.contains("..")) {
        Some((name, list)) => {
            let known = SeedKind::ALL.into_iter().find(|kind| kind.name() == name.trim());
            (known.ok_or_else(|| ValueFault::SeedKind { given: name.trim().to_owned() })?, list)
        }
        None => (SeedKind::Run, text),
    };
    Ok((kind, list.parse::<SeedList>()?.0))
}

/// Returns all combinations of seeds of several kinds; an empty combination if there are none.
pub(crate) fn combined(lists: &[(SeedKind, Vec<u64>)]) -> Vec<UnitSeeds> {
    lists.iter().fold(vec![UnitSeeds::default()], |all, (kind, seeds)| {
        let with = |before: &UnitSeeds| {
            let before = *before;
            seeds.iter().map(move |seed| {
                let mut seeds = before;
                kind.set(&mut seeds, *seed);
                seeds
            })
        };
        all.iter().flat_map(with).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seeds::SeedListError;

    #[test]
    fn lists_and_ranges_of_seeds() {
        assert_eq!(parse("1..=3, 9"), Ok((SeedKind::Run, vec![1, 2, 3, 9])));
        assert_eq!(parse("traffic=4..=5"), Ok((SeedKind::Traffic, vec![4, 5])));
        assert_eq!(parse("7"), Ok((SeedKind::Run, vec![7])));
        for wrong in ["", "1..3", "ecmp=", "ecmp=1..2"] {
            assert!(matches!(parse(wrong), Err(ValueFault::Seeds(SeedListError::Form { .. }))), "{wrong}");
        }
        assert_eq!(parse("flows=1"), Err(ValueFault::SeedKind { given: "flows".to_owned() }));
    }

    #[test]
    fn seeds_of_several_kinds_are_combined() {
        let lists = [(SeedKind::Run, vec![1, 2]), (SeedKind::Ecmp, vec![7, 8])];
        let all: Vec<_> = combined(&lists).into_iter().map(|seeds| (seeds.run, seeds.ecmp)).collect();
        assert_eq!(all, [(Some(1), Some(7)), (Some(1), Some(8)), (Some(2), Some(7)), (Some(2), Some(8))]);
        assert_eq!(combined(&[]), [UnitSeeds::default()]);
    }
}
