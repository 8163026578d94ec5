//! Costs of a choice: measures beside that of a question, by which another setting is better than the best.
//!
//! Invariant: a cost is clear. The intervals of both numbers leave a gap, and the difference is no small share.

use measures::{Direction, Quantity};

/// Quantities that a choice may cost.
pub(crate) const QUANTITIES: [Quantity; 3] = [Quantity::Goodput, Quantity::P99, Quantity::JobCompletion];
/// Largest number of costs that are named.
const MOST: usize = 3;
/// Smallest difference that is named, as a share of the larger number.
const LEAST: f64 = 0.05;

/// Share of the longer time by which the times of runs may differ that rates are means over.
const TIMES: f64 = 0.01;

/// A measure by which another setting is better.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Cost {
    /// Difference as a share of the larger number.
    pub(crate) share: f64,
    words: String,
}

/// A mean, and half the width of its interval, 0 without one.
pub(crate) type Spread = (f64, f64);

/// Returns true if times of runs, in seconds, differ so much that rates over them are no cost.
pub(crate) fn times_differ(times: impl IntoIterator<Item = f64>) -> bool {
    let (least, most) = times
        .into_iter()
        .fold((f64::INFINITY, 0.0_f64), |(least, most), time| (least.min(time), most.max(time)));
    most - least > TIMES * most
}

/// Returns true if a quantity is a rate over the time of a run, and true if it depends on the messages of its group.
pub(crate) const fn depends_on(quantity: Quantity) -> (bool, bool) {
    match quantity {
        Quantity::Goodput | Quantity::LeastGoodput => (true, true),
        Quantity::P99 => (false, true),
        _ => (false, false),
    }
}

/// Returns the cost of a number against another setting's number, with these words; `None` if it is not clearly worse.
pub(crate) fn of(
    own: Spread,
    theirs: Spread,
    better: Direction,
    words: impl FnOnce() -> String,
) -> Option<Cost> {
    let by = match better {
        Direction::Larger => theirs.0 - own.0,
        Direction::Smaller => own.0 - theirs.0,
    };
    let share = by / own.0.abs().max(theirs.0.abs());
    (share > LEAST && by > own.1 + theirs.1).then(|| Cost { share, words: words() })
}

/// Returns the largest costs as a list, the largest first; `None` if there are none.
pub(crate) fn listed(mut costs: Vec<Cost>) -> Option<String> {
    costs.sort_by(|one, other| other.share.total_cmp(&one.share));
    let words: Vec<_> = costs.into_iter().take(MOST).map(|cost| cost.words).collect();
    (!words.is_empty()).then(|| words.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cost_is_clear_and_the_largest_is_first() {
        let cost = |own, theirs, better| of(own, theirs, better, || format!("{own:?} {theirs:?}"));
        assert_eq!(cost((10.0, 0.0), (10.4, 0.0), Direction::Larger), None, "less than a twentieth");
        assert_eq!(cost((10.0, 1.0), (12.0, 1.0), Direction::Larger), None, "no gap");
        assert_eq!(cost((12.0, 0.0), (10.0, 0.0), Direction::Larger), None, "better");
        assert_eq!(cost((0.0, 0.0), (0.0, 0.0), Direction::Larger), None);
        let small = cost((12.0, 0.5), (10.0, 0.5), Direction::Smaller).expect("a cost");
        let large = cost((1.0, 0.0), (10.0, 0.0), Direction::Larger).expect("a cost");
        let listed = listed(vec![small.clone(), large, small.clone(), small]).expect("there are costs");
        assert!(listed.starts_with("(1.0, 0.0)") && listed.matches("; ").count() == 2, "{listed}");
    }
}
