//! Payload delivered over time.
//!
//! Invariant: every row has a value for each column, and a spread for each column of several flows. A flow counts in
//! the total, and in its group, in the others or in neither. A named flow has a column of its own besides.

use units::{Bytes, Span};

/// Payload delivered over time, sample by sample.
#[derive(Clone, Debug, Default)]
pub struct Series {
    /// Time from sample to sample.
    pub interval: Span,
    /// Columns: named flows in order, groups in order, all others if there are any, and the total.
    pub columns: Vec<SeriesColumn>,
    /// A row for each sample, the first at an interval after the start: payload delivered within the interval that
    /// ends there, by column.
    pub rows: Vec<Vec<Bytes>>,
    /// A row for each sample: the spread over the flows of each group in order, then over all others if there are
    /// any.
    pub spreads: Vec<Vec<FlowSpread>>,
}

state_codec::state!(Series { interval: plan, columns: plan, rows, spreads });

/// Quartiles of the payload that each of several flows delivered within a sampling interval, by nearest rank.
///
/// A flow counts if it has begun before the end of the interval. It must also have delivered payload within the
/// interval, or have a message at its end that is not complete at its source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlowSpread {
    /// Number of flows that count; without any, the quartiles are 0.
    pub flows: u32,
    /// Lower quartile.
    pub lower: Bytes,
    /// Median.
    pub median: Bytes,
    /// Upper quartile.
    pub upper: Bytes,
}

state_codec::value!(FlowSpread { flows, lower, median, upper });

impl FlowSpread {
    /// Most flows of a column over which quartiles are taken. Of more flows, an evenly spaced selection in their
    /// order is taken.
    pub const MOST: usize = 16_384;

    /// Memory of a spread, in bytes.
    pub const SIZE: usize = 32;

    /// Returns the spread of payloads, which are put into another order.
    #[must_use]
    pub fn of(payloads: &mut [Bytes]) -> Self {
        let Some(last) = payloads.len().checked_sub(1) else { return Self::default() };
        let mut at = |quarter: usize| {
            let rank = (payloads.len() * quarter).div_ceil(4).saturating_sub(1).min(last);
            *payloads.select_nth_unstable(rank).1
        };
        let (lower, median, upper) = (at(1), at(2), at(3));
        Self { flows: payloads.len() as u32, lower, median, upper }
    }
}

const _: () = assert!(size_of::<FlowSpread>() <= FlowSpread::SIZE, "the estimate of memory counts on it");

/// The flows of a column of the [`Series`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeriesColumn {
    /// The named flow with this index in the record.
    Flow(u32),
    /// All flows of the group with this index in the record.
    Group(u32),
    /// All flows with neither a name nor a group.
    Others,
    /// All flows.
    Total,
}

impl SeriesColumn {
    /// Returns true if the series has spreads over the flows of the column.
    #[must_use]
    pub const fn is_spread(self) -> bool {
        matches!(self, Self::Group(_) | Self::Others)
    }
}

impl Series {
    /// Returns the place of a column, if the series has it.
    #[must_use]
    pub fn place(&self, column: SeriesColumn) -> Option<usize> {
        self.columns.iter().position(|one| *one == column)
    }

    /// Returns the spread over the flows of a column at a sample; `None` if the column is a single flow, or the total.
    #[must_use]
    pub fn spread(&self, row: usize, column: SeriesColumn) -> Option<&FlowSpread> {
        // Only these columns have a spread, so the place counts among them alone.
        let several = self.columns.iter().filter(|one| one.is_spread());
        let place = several.clone().position(|one| *one == column)?;
        self.spreads.get(row)?.get(place)
    }

    /// Returns the payload of a column, by sample; no value if the series lacks the column.
    pub fn values(&self, column: SeriesColumn) -> impl Iterator<Item = Bytes> {
        let place = self.place(column);
        self.rows.iter().filter_map(move |row| place.map(|place| row[place]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spread(payloads: impl IntoIterator<Item = u64>) -> (u32, [u64; 3]) {
        let mut payloads: Vec<_> = payloads.into_iter().map(Bytes::new).collect();
        let FlowSpread { flows, lower, median, upper } = FlowSpread::of(&mut payloads);
        (flows, [lower, median, upper].map(Bytes::get))
    }

    #[test]
    fn quartiles_are_nearest_ranks() {
        assert_eq!(spread([]), (0, [0; 3]));
        assert_eq!(spread([7]), (1, [7; 3]));
        assert_eq!(spread([4, 1, 3, 2]), (4, [1, 2, 3]));
        assert_eq!(spread((1..=100).rev()), (100, [25, 50, 75]));
        assert_eq!(spread((1..=101).rev()), (101, [26, 51, 76]));
    }

    #[test]
    fn a_column_of_several_flows_has_a_spread() {
        let spreads = vec![vec![FlowSpread { flows: 1, ..FlowSpread::default() }, FlowSpread::default()]];
        let columns =
            vec![SeriesColumn::Flow(0), SeriesColumn::Group(0), SeriesColumn::Others, SeriesColumn::Total];
        let series = Series { columns, spreads, ..Series::default() };
        assert_eq!(series.spread(0, SeriesColumn::Group(0)).map(|spread| spread.flows), Some(1));
        assert_eq!(series.spread(0, SeriesColumn::Others).map(|spread| spread.flows), Some(0));
        for (row, column) in [(0, SeriesColumn::Flow(0)), (0, SeriesColumn::Total), (1, SeriesColumn::Others)]
        {
            assert_eq!(series.spread(row, column), None);
        }
    }
}
