//! A row of a comparison: one number of every run.

use measures::censoring::CensoredValue;
use measures::run::{MeasuredRun, Posting, twelve_digits};
use measures::{Direction, Measure, Quantity, Unit};
use telemetry::RunRecord;

use crate::format::grouped;
use crate::summary::Summary;

/// A run in a comparison.
#[derive(Clone, Copy, Debug)]
pub struct ComparedRun<'a> {
    /// Name of the run in headings.
    pub label: &'a str,
    /// Scenario and overrides, as given on the command line.
    pub asked: &'a str,
    /// Summary of the run.
    pub summary: &'a Summary,
    /// Record of the run.
    pub record: &'a RunRecord,
    /// For each flow, the end of its posting.
    pub ends: &'a [Posting],
}

impl<'a> ComparedRun<'a> {
    /// Returns the run as measures read it.
    #[must_use]
    pub const fn measured(&self) -> MeasuredRun<'a> {
        MeasuredRun { record: self.record, ends: self.ends }
    }
}

/// A row of the comparison, with a cell for each run.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparisonRow {
    /// Topic: `goodput`, `completion`.
    pub topic: &'static str,
    /// Phase or bin of sizes; empty if the row is about neither.
    pub phase: String,
    /// Name of the flow or number.
    pub what: String,
    /// The measure of the row, if sweeps and tunings can name it.
    pub measure: Option<Measure>,
    /// Value of each run, in the plain unit; `None` if a run has none.
    pub cells: Vec<Option<CensoredValue>>,
    /// Unit and better direction.
    pub kind: RowKind,
    /// True for a flow of a large group, which has a row for all its flows.
    pub is_member: bool,
}

impl ComparisonRow {
    /// Returns a row without cells.
    pub(super) const fn empty(topic: &'static str, phase: String, what: String, kind: RowKind) -> Self {
        Self { topic, phase, what, measure: None, cells: vec![], kind, is_member: false }
    }

    /// Returns true if a run has a value.
    pub(super) fn has_value(&self) -> bool {
        self.cells.iter().any(Option::is_some)
    }
}

/// Unit and better direction of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowKind {
    /// A count, for which no direction is better.
    Count,
    /// A number with a unit.
    Number {
        /// Its unit.
        unit: Unit,
        /// Direction that is better.
        better: Direction,
    },
}

impl RowKind {
    /// Returns the kind of a quantity of `measures`.
    #[must_use]
    pub const fn of(quantity: Quantity) -> Self {
        let info = quantity.info();
        Self::Number { unit: info.unit, better: info.better }
    }

    /// Returns the word for better numbers; `None` for a count.
    #[must_use]
    pub const fn better(self) -> Option<&'static str> {
        match self {
            Self::Count => None,
            Self::Number { better, .. } => Some(better.word()),
        }
    }

    /// Returns the unit of columns and files: its word, and the factor from the plain unit.
    const fn scale(self) -> (&'static str, f64) {
        match self {
            Self::Count | Self::Number { unit: Unit::Packets, .. } => ("count", 1.0),
            Self::Number { unit: Unit::MessagesPerSecond, .. } => ("messages/s", 1.0),
            Self::Number { unit: Unit::BitsPerSecond, .. } => ("Gb/s", 1e-9),
            Self::Number { unit: Unit::Seconds, .. } => ("us", 1e6),
            Self::Number { unit: Unit::Bytes, .. } => ("bytes", 1.0),
            Self::Number { unit: Unit::BytesPerSecond, .. } => ("GB/s", 1e-9),
            Self::Number { unit: Unit::One, .. } => ("1", 1.0),
        }
    }

    /// Returns the word of the unit in files.
    #[must_use]
    pub const fn word(self) -> &'static str {
        self.scale().0
    }

    /// Returns a value in the unit of files, rounded to six decimals; a share, which may be tiny, to nine.
    #[must_use]
    pub fn scaled(self, value: CensoredValue) -> CensoredValue {
        let (word, factor) = self.scale();
        // Without the noise of the product, a bound at a whole step would be rounded to the step beyond it.
        value.map(|value| twelve_digits(value * factor)).rounded(if word == "1" { 9 } else { 6 })
    }

    /// Returns a value as tables print it.
    #[must_use]
    pub fn printed(self, value: CensoredValue) -> String {
        let scaled = self.scaled(value);
        match self.word() {
            "Gb/s" | "GB/s" => scaled.printed(2),
            "us" => scaled.printed(1),
            "1" => scaled.printed(share_decimals(scaled.at_least())),
            _ => grouped(scaled.at_least() as u64),
        }
    }

    /// Returns a mean, half the width of an interval or a difference as tables print it. Counts below 100 have a
    /// decimal, since a mean of counts is no count.
    #[must_use]
    pub fn printed_mean(self, value: f64) -> String {
        let scaled = value * self.scale().1;
        match self.word() {
            "Gb/s" | "GB/s" => format!("{scaled:.2}"),
            "us" => format!("{scaled:.1}"),
            "1" => format!("{scaled:.*}", share_decimals(scaled.abs())),
            _ if scaled.abs() < 100.0 && scaled.fract() != 0.0 => format!("{scaled:.1}"),
            _ => {
                let sign = if scaled < -0.5 { "-" } else { "" };
                format!("{sign}{}", grouped(scaled.abs().round() as u64))
            }
        }
    }

    /// Returns the name of a row with its unit, where a table has rows of several units.
    pub(super) fn named(self, title: &str) -> String {
        match self.word() {
            unit @ ("Gb/s" | "GB/s" | "us" | "bytes") => format!("{title}, {unit}"),
            _ => title.to_owned(),
        }
    }
}

/// Returns the decimals of a share or an index: three, and of a share below a tenth as many as three digits need.
fn share_decimals(share: f64) -> usize {
    let zeros = if share > 0.0 { -share.log10().floor() - 1.0 } else { 0.0 };
    3 + zeros.clamp(0.0, 6.0) as usize
}

#[cfg(test)]
mod tests {
    use units::Span;

    use super::*;

    #[test]
    fn a_bound_of_microseconds_keeps_its_digits() {
        let kind = RowKind::of(Quantity::Last);
        for tenths in 1..=2000_u32 {
            let bound =
                CensoredValue::AtLeast { at_least: Span::from_ps(u64::from(tenths) * 100_000).seconds() };
            let printed = format!("≥ {}.{}", tenths / 10, tenths % 10);
            assert_eq!(kind.printed(bound), printed);
        }
    }

    #[test]
    fn means_have_the_digits_of_their_column() {
        let printed = |quantity, value| RowKind::of(quantity).printed_mean(value);
        assert_eq!(printed(Quantity::Goodput, -1.245_1e9), "-1.25");
        assert_eq!(printed(Quantity::P99, 1.5e-6), "1.5");
        assert_eq!(printed(Quantity::Fairness, -0.0625), "-0.0625");
        let counts = [12_345.6, -1234.0, 17.25, -3.0].map(|value| RowKind::Count.printed_mean(value));
        assert_eq!(counts, ["12,346", "-1,234", "17.2", "-3"]);
    }

    #[test]
    fn a_tiny_share_has_three_digits() {
        let kind = RowKind::of(Quantity::Stalled);
        let printed = [0.0, 1.25, 0.9375, 0.1, 0.0625, 0.000_012_34].map(|share| kind.printed(share.into()));
        assert_eq!(printed, ["0.000", "1.250", "0.938", "0.100", "0.0625", "0.0000123"]);
        assert_eq!(kind.scaled(1.234_567_891_2e-5.into()), 1.2346e-5.into());
    }

    #[test]
    fn numbers_are_scaled_from_plain_units() {
        let written = |quantity, value: f64| {
            let kind = RowKind::of(quantity);
            (kind.named(quantity.name()), kind.printed(value.into()), kind.scaled(value.into()))
        };
        let goodput = written(Quantity::Goodput, 13.245e9);
        assert_eq!(goodput, ("goodput, Gb/s".to_owned(), "13.25".to_owned(), 13.245.into()));
        let queue = written(Quantity::QueuePeak, 31_110.0);
        assert_eq!(queue, ("queue_peak, bytes".to_owned(), "31,110".to_owned(), 31_110.0.into()));
        let waited = written(Quantity::Waited, 2.5e-3);
        assert_eq!(waited, ("waited, us".to_owned(), "2500.0".to_owned(), 2500.0.into()));
        assert_eq!(RowKind::Count.better(), None);
        assert_eq!(RowKind::of(Quantity::Goodput).better(), Some("larger"));
    }
}
