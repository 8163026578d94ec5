//! Heat maps over time: a row for each object, a column for each span of time.
//!
//! Invariant: a row without a known value in a column has an empty cell there, never the cell of 0.

use results::reader::RunFacts;

use super::engine::{Axis, Layer, Panel};

/// Most columns of a map.
const COLUMNS: usize = 160;
/// Height of a row, in pixels: room for its name.
const ROW: f64 = 15.0;
/// Upper ends of the classes of shares of time above 0.
const SHARES: [f64; 5] = [0.1, 0.3, 0.6, 0.9, 1.0];

/// Equal spans of time, from the start of a run to its end without a drain.
#[derive(Clone, Copy, Debug)]
pub(super) struct TimeGrid {
    end_s: f64,
    columns: usize,
}

impl TimeGrid {
    /// Returns the grid of spans, none without a sample.
    pub(super) fn of_samples(interval_s: f64, facts: &RunFacts) -> Self {
        let columns = ((facts.end_s() / interval_s).round() as usize).clamp(1, COLUMNS);
        Self { end_s: facts.end_s(), columns }
    }

    /// Returns the finest grid.
    pub(super) fn finest(facts: &RunFacts) -> Self {
        Self { end_s: facts.end_s(), columns: COLUMNS }
    }

    /// Returns the means of values by column, each given with the middle of its interval.
    pub(super) fn means(&self, values: impl Iterator<Item = (f64, f64)>) -> Vec<Option<f64>> {
        let mut sums = vec![(0.0, 0u32); self.columns];
        for (middle_s, value) in values {
            let column = (middle_s / self.end_s * self.columns as f64) as usize;
            let (sum, count) = &mut sums[column.min(self.columns - 1)];
            (*sum, *count) = (*sum + value, *count + 1);
        }
        sums.into_iter().map(|(sum, count)| (count > 0).then(|| sum / f64::from(count))).collect()
    }

    /// Returns the share of each column that these times cover, which do not overlap. Columns that reach beyond
    /// `known_s` have no value.
    pub(super) fn shares(&self, times: &[(f64, f64)], known_s: f64) -> Vec<Option<f64>> {
        let width = self.end_s / self.columns as f64;
        let mut covered = vec![0.0; self.columns];
        for (from, to) in times.iter().map(|(from, to)| (from.min(self.end_s), to.min(self.end_s))) {
            let last = ((to / width) as usize).min(self.columns - 1);
            for (column, covered) in
                covered.iter_mut().enumerate().take(last + 1).skip((from / width) as usize)
            {
                let (left, right) = (width * column as f64, width * (column + 1) as f64);
                *covered += (to.min(right) - from.max(left)).max(0.0);
            }
        }
        let known = |column: usize| width * (column + 1) as f64 <= known_s * (1.0 + 1e-9);
        covered.iter().enumerate().map(|(column, time)| known(column).then_some(time / width)).collect()
    }

    /// Returns the panel of rows with their names, each cell in its class.
    pub(super) fn panel(
        &self,
        title: &str,
        classes: Vec<String>,
        rows: Vec<(String, Vec<Option<usize>>)>,
    ) -> Panel {
        let (time, per_second) = Axis::time(self.end_s);
        let edge = |place: usize| self.end_s * per_second * place as f64 / self.columns as f64;
        // The first row stands at the top, the axis counts from below.
        let y = Axis::of_names("", rows.iter().rev().map(|(name, _)| name.clone()));
        let height = (rows.len() as f64 * ROW).max(2.0 * ROW);
        let columns = (0..self.columns).map(|place| (edge(place), edge(place + 1))).collect();
        let heat = Layer::Heat { classes, columns, rows: rows.into_iter().map(|(_, cells)| cells).collect() };
        Panel { title: title.to_owned(), x: time, y, height, layers: vec![heat] }
    }
}

/// Returns the names of the classes of shares of time.
pub(super) fn share_classes() -> Vec<String> {
    let percent = |share: f64| (share * 100.0).round();
    let ends = [0.0].iter().chain(&SHARES).zip(&SHARES);
    let above = ends.map(|(from, to)| match *from {
        0.0 => format!("up to {} %", percent(*to)),
        from => format!("{} to {} %", percent(from), percent(*to)),
    });
    core::iter::once("never".to_owned()).chain(above).collect()
}

pub(super) fn share_class(share: f64) -> usize {
    if share <= 0.0 { 0 } else { 1 + SHARES.iter().position(|end| share <= *end).unwrap_or(SHARES.len() - 1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_exact_and_stop_where_nothing_is_known() {
        let grid = TimeGrid { end_s: 4.0, columns: 4 };
        let shares = |known| grid.shares(&[(0.5, 0.75), (1.5, 3.0), (3.5, 9.0)], known);
        assert_eq!(shares(f64::INFINITY), [0.25, 0.5, 1.0, 0.5].map(Some));
        assert_eq!(shares(2.5), [Some(0.25), Some(0.5), None, None]);
        assert_eq!(grid.shares(&[], f64::INFINITY), [Some(0.0); 4]);
    }

    #[test]
    fn classes_part_never_from_seldom() {
        assert_eq!([0.0, 1e-9, 0.1, 0.11, 0.9, 1.0, 1.1].map(share_class), [0, 1, 1, 2, 4, 5, 5]);
        assert_eq!(share_classes()[..3], ["never", "up to 10 %", "10 to 30 %"]);
        assert_eq!(share_classes().len(), 6);
    }
}
