//! Successive halving: many settings with few seeds, then half of them with twice as many (Jamieson and Talwalkar
//! 2016). If asked for, duration takes the place of seeds.
//!
//! Invariant: the last rung has all seeds and the whole duration, and all rungs together keep to the budget.

/// A rung: the number of settings that are compared, and the number of seeds that each has by then.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rung {
    pub(super) settings: usize,
    /// Seeds of each setting, including seeds of earlier rungs.
    pub(super) seeds: usize,
    pub(super) share: f64,
}

/// Returns the rungs for this many settings and seeds.
///
/// # Panics
/// If there are no settings or no seeds.
#[must_use]
pub(super) fn rungs(settings: usize, seeds: usize) -> Vec<Rung> {
    assert!(settings > 0 && seeds > 0, "{settings} settings with {seeds} seeds");
    let mut rungs = vec![Rung { settings, seeds: 1, share: 1.0 }];
    while let Some(last) = rungs.last().filter(|last| last.seeds < seeds) {
        rungs.push(Rung {
            settings: last.settings.div_ceil(2),
            seeds: (last.seeds * 2).min(seeds),
            share: 1.0,
        });
    }
    rungs
}

/// Returns the number of runs that the rungs take.
#[must_use]
pub(super) fn cost(rungs: &[Rung]) -> usize {
    let earlier = [0].into_iter().chain(rungs.iter().map(|rung| rung.seeds));
    rungs.iter().zip(earlier).map(|(rung, earlier)| rung.settings * (rung.seeds - earlier)).sum()
}

/// Returns the rungs with the most settings that take at most `budget` runs; `None` if not even a single setting does.
#[must_use]
pub(super) fn within(budget: usize, seeds: usize) -> Option<Vec<Rung>> {
    (1..=budget).map(|settings| rungs(settings, seeds)).take_while(|rungs| cost(rungs) <= budget).last()
}

/// Shares of the duration, rung by rung.
pub(super) const SHARES: [f64; 3] = [0.25, 0.5, 1.0];

/// Returns the rungs of durations with the most settings that take at most `budget` runs, each counted whole. `None` if
/// not even a single setting does.
pub(super) fn of_durations(budget: usize, seeds: usize) -> Option<Vec<Rung>> {
    let rungs = |settings: usize| -> Vec<Rung> {
        let of =
            |(round, share): (usize, f64)| Rung { settings: settings.div_ceil(1 << round), seeds, share };
        SHARES.into_iter().enumerate().map(of).collect()
    };
    let cost = |rungs: &[Rung]| rungs.iter().map(|rung| rung.settings * rung.seeds).sum::<usize>();
    (1..=budget).map(rungs).take_while(|rungs| cost(rungs) <= budget).last()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_the_settings_get_twice_the_seeds() {
        let rung = |settings, seeds| Rung { settings, seeds, share: 1.0 };
        assert_eq!(rungs(16, 8), [rung(16, 1), rung(8, 2), rung(4, 4), rung(2, 8)]);
        assert_eq!(rungs(5, 3), [rung(5, 1), rung(3, 2), rung(2, 3)]);
        assert_eq!(rungs(4, 1), [rung(4, 1)]);
        // 16 + 8 + 4 * 2 + 2 * 4.
        assert_eq!(cost(&rungs(16, 8)), 40);
    }

    #[test]
    fn the_budget_is_kept_and_used() {
        for seeds in 1..10 {
            for budget in seeds..200 {
                let rungs = within(budget, seeds).expect("one setting fits");
                assert!(cost(&rungs) <= budget);
                assert!(cost(&super::rungs(rungs[0].settings + 1, seeds)) > budget);
                assert_eq!(rungs.last().map(|rung| rung.seeds), Some(seeds));
            }
        }
        assert_eq!(within(2, 3), None);
    }
}
