//! Runs whose waits in trees and whose times of messages are better in opposite directions.
//!
//! Invariant: both differ by more than rounding and chance of a seed could: by a share of the larger number.

use measures::Quantity;

use super::row::SeededRow;
use super::{SeededComparison, SeededRun};
use crate::statistics::Estimate;

/// Share of the larger number from which runs differ.
const DIFFERENCE: f64 = 0.05;

impl SeededComparison {
    /// Says which of both counts for what, if a run waits longer than the first and has a shorter p99, or the reverse;
    /// `None` if no run does.
    pub(super) fn opposite(&self, group: &str) -> Option<String> {
        let seeds = self.seeds.len();
        let (waited, p99) = (self.row_of(group, Quantity::Waited)?, self.row_of(group, Quantity::P99)?);
        let both = |run: usize| Some([waited.estimate(run, seeds)?, p99.estimate(run, seeds)?]);
        let first = both(0)?;
        let mut others = (1..self.runs.len()).filter_map(|run| Some((run, both(run)?)));
        let (run, other) = others.find(|(_, other)| {
            let [waited, p99] = [0, 1].map(|place| direction(first[place].mean, other[place].mean));
            waited * p99 < 0
        })?;
        let words = |numbers: [Estimate; 2], SeededRun { label, .. }: &SeededRun| {
            let unit = Quantity::Waited.info().unit;
            format!("{} and {} with {label}", numbers[0].spelled(unit), numbers[1].spelled(unit))
        };
        Some(format!(
            "Waits and p99 of {group} go opposite ways, {} but {}: waits add up over flows and over the trees of others, \
             and say where congestion reaches; p99 is the time of a message, and says what it costs.",
            words(first, &self.runs[0]),
            words(other, &self.runs[run])
        ))
    }

    fn row_of(&self, group: &str, quantity: Quantity) -> Option<&SeededRow> {
        self.rows.iter().find(|row| {
            let measure = row.row.measure.as_ref();
            measure.is_some_and(|one| one.group == group && one.quantity == quantity && one.phase.is_none())
        })
    }
}

/// Returns 1 if the second number is clearly larger, -1 if it is clearly smaller, else 0.
fn direction(one: f64, other: f64) -> i32 {
    match other - one {
        more if more > DIFFERENCE * other => 1,
        less if -less > DIFFERENCE * one => -1,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::direction;

    #[test]
    fn a_direction_takes_a_clear_difference() {
        assert_eq!(
            [(1.0, 1.2), (1.2, 1.0), (1.0, 1.01)].map(|(one, other)| direction(one, other)),
            [1, -1, 0]
        );
    }
}
