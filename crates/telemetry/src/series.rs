//! Payload delivered over time.
//!
//! Invariant: every row has a value for each column. A flow counts in the total, and in one group or in the others or in
//! neither; a named flow has a column of its own besides.

use units::{Bytes, Span};

/// Payload delivered over time, sample by sample.
#[derive(Clone, Debug, Default)]
pub struct Series {
    /// Time from sample to sample.
    pub interval: Span,
    /// Columns: named flows in order, groups in order, all others if there are any, and the total.
    pub columns: Vec<SeriesColumn>,
    /// One row a sample, the first at one interval after the start: payload delivered within the interval that ends
    /// there, by column.
    pub rows: Vec<Vec<Bytes>>,
}

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

impl Series {
    /// Returns the place of a column, if the series has it.
    #[must_use]
    pub fn place(&self, column: SeriesColumn) -> Option<usize> {
        self.columns.iter().position(|one| *one == column)
    }

    /// Returns the payload of a column, by sample; no value if the series lacks the column.
    pub fn values(&self, column: SeriesColumn) -> impl Iterator<Item = Bytes> {
        let place = self.place(column);
        self.rows.iter().filter_map(move |row| place.map(|place| row[place]))
    }
}
