//! Designs that are known beforehand: the full grid and the Latin hypercube.
//!
//! Invariant: a design depends on its seed alone, and its points are different settings where the space has that many.

use event_kernel::stream;
use rand::RngExt;
use rand::seq::SliceRandom;

use super::point::Point;
use super::space::Space;

/// Largest number of points of a grid.
const MOST_POINTS: usize = 1_000_000;

/// Returns the full grid with at most `budget` points. Every parameter has the same number of levels, as many as fit. A
/// parameter with fewer values has all of them. Levels lie in the middle of equal parts of the range.
#[must_use]
pub(super) fn grid(space: &Space, budget: usize) -> Vec<Point> {
    let counts: Vec<_> =
        space.parameters.iter().map(|one| one.values.count().unwrap_or(usize::MAX)).collect();
    let budget = budget.clamp(1, MOST_POINTS);
    let size =
        |levels: usize| counts.iter().try_fold(1_usize, |all, count| all.checked_mul(levels.min(*count)));
    let fits = |levels: &usize| size(*levels).is_some_and(|all| all <= budget);
    let most = counts.iter().copied().filter(|count| *count < usize::MAX).max().unwrap_or(1).max(budget);
    // The size grows with the number of levels.
    let levels = (1..=most).take_while(fits).last().unwrap_or(1);
    let mut points = vec![Vec::new()];
    for count in counts {
        let own = levels.min(count);
        let middle = |level: usize| (level as f64 + 0.5) / own as f64;
        points = points
            .into_iter()
            .flat_map(|start: Vec<f64>| {
                (0..own).map(move |level| start.iter().copied().chain([middle(level)]).collect())
            })
            .collect();
    }
    points.into_iter().map(Point::new).collect()
}

/// Returns a Latin hypercube: each parameter's range is divided into `count` equal parts, and each part holds a single
/// point.
#[must_use]
pub(super) fn latin_hypercube(dimensions: usize, count: usize, seed: u64) -> Vec<Point> {
    // McKay, Beckman and Conover (1979): parts in an order of their own for each parameter, a drawn place in each part.
    let mut random = stream(seed, "latin hypercube", "design");
    let columns: Vec<Vec<f64>> = (0..dimensions)
        .map(|_| {
            let mut parts: Vec<usize> = (0..count).collect();
            parts.shuffle(&mut random);
            parts.into_iter().map(|part| (part as f64 + random.random::<f64>()) / count as f64).collect()
        })
        .collect();
    (0..count).map(|row| Point::new(columns.iter().map(|column| column[row]).collect())).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_part_of_each_range_holds_one_point() {
        for count in [1, 2, 7, 40] {
            let points = latin_hypercube(5, count, 3);
            for dimension in 0..5 {
                let parts: BTreeSet<_> = points
                    .iter()
                    .map(|point| (point.coordinates()[dimension] * count as f64) as usize)
                    .collect();
                assert_eq!(parts, (0..count).collect(), "dimension {dimension} of {count} points");
            }
        }
    }

    #[test]
    fn a_design_depends_on_its_seed_alone() {
        assert_eq!(latin_hypercube(3, 9, 4), latin_hypercube(3, 9, 4));
        assert_ne!(latin_hypercube(3, 9, 4), latin_hypercube(3, 9, 5));
    }

    #[test]
    fn a_grid_has_every_combination_once_and_keeps_to_its_budget() {
        for (name, budget, expected) in [("iba", 300, 243), ("hp", 30, 27), ("pfc", 1, 1), ("pfc", 40, 36)] {
            let space = Space::find(name).unwrap_or_else(|error| panic!("{error}"));
            let points = grid(&space, budget);
            let different: BTreeSet<_> = points.iter().map(|point| space.overrides(point)).collect();
            assert_eq!((points.len(), different.len()), (expected, expected), "{name}");
        }
    }

    /// A parameter with few values has no more levels than these.
    #[test]
    fn a_grid_of_few_values_is_complete() {
        let space = Space::find("pfc").unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(grid(&space, usize::MAX).len(), 11 * 121);
    }
}
