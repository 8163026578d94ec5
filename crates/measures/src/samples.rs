//! Goodput over time: the samples within a time, and the time until a level is reached.
//!
//! Invariant: a sample covers the interval that ends with it, and counts for a time only if all of it lies within.

use telemetry::{Phase, Series};
use units::{Span, Time};

use crate::censoring::CensoredValue;

/// The samples of a series that lie between two times.
#[derive(Clone, Copy, Debug)]
pub struct Samples<'a> {
    series: &'a Series,
    from: Time,
    /// First row, and the row after the last.
    rows: (usize, usize),
}

impl<'a> Samples<'a> {
    /// Selects the samples between two times.
    #[must_use]
    pub fn between(series: &'a Series, from: Time, to: Time) -> Self {
        let interval = series.interval.ps().max(1);
        let row = |number: u64| usize::try_from(number).unwrap_or(usize::MAX).min(series.rows.len());
        let (first, end) = (row(from.ps().div_ceil(interval)), row(to.ps() / interval));
        Self { series, from, rows: (first, end.max(first)) }
    }

    /// Selects the samples of a phase.
    #[must_use]
    pub fn of_phase(series: &'a Series, phase: &Phase) -> Self {
        Self::between(series, phase.from, phase.to)
    }

    /// Selects the samples of the second half of a phase.
    #[must_use]
    pub fn of_second_half(series: &'a Series, phase: &Phase) -> Self {
        Self::between(series, phase.second_half, phase.to)
    }

    /// Returns the payload of these columns of the series together in each sample, in bytes.
    #[must_use]
    pub fn bytes(&self, columns: &[usize]) -> Vec<f64> {
        let rows = &self.series.rows[self.rows.0..self.rows.1];
        rows.iter().map(|row| columns.iter().map(|column| row[*column].get() as f64).sum()).collect()
    }

    /// Returns the time from the start of the selection to the end of the first sample with at least `wanted` bytes in
    /// all columns together. `None` if no sample has.
    #[must_use]
    pub fn time_to(&self, columns: &[usize], wanted: f64) -> Option<Span> {
        let place = self.bytes(columns).iter().position(|bytes| *bytes >= wanted)?;
        let end = (self.series.interval * (self.rows.0 + place) as u64 + self.series.interval).after_start();
        Some(end.since(self.from))
    }
}

/// Returns the time from the start of a phase to the end of its first sample with at least `wanted` bytes in all
/// columns together. If none has, the length of the phase is a lower bound. `None` without a sample.
#[must_use]
pub fn recovery(series: &Series, columns: &[usize], phase: &Phase, wanted: f64) -> Option<CensoredValue> {
    let samples = Samples::of_phase(series, phase);
    if samples.rows.0 == samples.rows.1 {
        return None;
    }
    let at_least = phase.to.since(phase.from).seconds();
    let time = samples.time_to(columns, wanted).map(|time| CensoredValue::Exact(time.seconds()));
    Some(time.unwrap_or(CensoredValue::AtLeast { at_least }))
}

#[cfg(test)]
mod tests {
    use units::Bytes;

    use super::*;

    fn us(us: u64) -> Time {
        Span::from_us(us).after_start()
    }

    /// Five samples of 10 us: 0, 1, 2, 3, 4 bytes, and twice as many in a second column.
    fn series() -> Series {
        let row = |bytes: u64| vec![Bytes::new(bytes), Bytes::new(2 * bytes)];
        Series { interval: Span::from_us(10), rows: (0..5).map(row).collect(), ..Series::default() }
    }

    #[test]
    fn a_sample_that_lies_only_partly_within_does_not_count() {
        let series = series();
        let bytes = |from, to| Samples::between(&series, us(from), us(to)).bytes(&[0]);
        assert_eq!(bytes(10, 40), [1.0, 2.0, 3.0]);
        assert_eq!(bytes(9, 41), [1.0, 2.0, 3.0]);
        assert_eq!(bytes(11, 39), [2.0]);
        assert!(bytes(11, 19).is_empty());
        assert_eq!(bytes(0, 900), [0.0, 1.0, 2.0, 3.0, 4.0]);
        assert!(bytes(70, 900).is_empty());
        assert!(Samples::between(&Series::default(), us(0), us(9)).bytes(&[0]).is_empty());
    }

    #[test]
    fn time_counts_from_the_start_of_the_phase_to_the_end_of_the_sample() {
        let series = series();
        let phase = |from, to| Phase::new(String::new(), us(from), us(to));
        let recovery = |phase: Phase, wanted| recovery(&series, &[0, 1], &phase, wanted);
        assert_eq!(recovery(phase(10, 50), 6.0), Some(CensoredValue::Exact(20e-6)));
        assert_eq!(recovery(phase(8, 50), 6.0), Some(CensoredValue::Exact(22e-6)));
        assert_eq!(recovery(phase(10, 50), 13.0), Some(CensoredValue::AtLeast { at_least: 40e-6 }));
        assert_eq!(recovery(phase(11, 19), 1.0), None);
        let second_half = Samples::of_second_half(&series, &phase(10, 50));
        assert_eq!(second_half.bytes(&[0]), [3.0, 4.0]);
    }
}
