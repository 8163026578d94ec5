//! Check of the settings of the HP proposal.
//!
//! Invariant: a response that passes can be built, and its tables never lead out of themselves.

use settings::{FieldPath, SettingError};

use super::spec::{HpMarkingSpec, HpResponseSpec, MarkedSet, PropagatingPackets, RateControl, WindowControl};

/// Divisors that a decrease may have.
const DIVISORS: core::ops::RangeInclusive<f64> = 1.01..=256.0;
/// Largest number of entries of a rate table: the IPD has eight bits.
const MOST_RATES: usize = 256;
/// Largest number of entries of a window table.
const MOST_WINDOWS: usize = 65_535;

/// Marking that marks no packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`Naive` marks the packets of full buffers alone, and `propagation: Off` none of these")]
pub struct NothingMarked;

impl SettingError for NothingMarked {
    fn path(&self) -> FieldPath {
        "propagation".into()
    }

    fn help(&self) -> Option<String> {
        Some("write `All`, or a `set` that is `Selective`".to_owned())
    }
}

impl HpMarkingSpec {
    /// Checks that the rule can mark a packet.
    ///
    /// # Errors
    /// [`NothingMarked`] if it cannot.
    pub fn check(&self) -> Result<(), NothingMarked> {
        let marks_none = self.set == MarkedSet::Naive && self.propagation == PropagatingPackets::Off;
        if marks_none { Err(NothingMarked) } else { Ok(()) }
    }
}

/// Fault in the settings of the HP proposal's response. `of` is `rate` or `window`, `table` the name of a field,
/// `entry` an index into that table.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum HpError {
    /// A divisor out of range.
    #[error("a decrease cannot divide by {given}")]
    Divisor {
        /// `rate` or `window`.
        of: &'static str,
        /// Value as written.
        given: f64,
    },
    /// A highest delay or window that leaves no choice.
    #[error("`{field}` is {given}, which leaves nothing to choose")]
    TooFew {
        /// `rate` or `window`.
        of: &'static str,
        /// Name of the field.
        field: &'static str,
        /// Value as written.
        given: u16,
        /// Least value allowed.
        least: u16,
    },
    /// A window of 0.
    #[error("a window of 0 lets nothing go")]
    NoWindow,
    /// A table of the wrong length.
    #[error("`{table}` has {given} entries")]
    Length {
        /// `rate` or `window`.
        of: &'static str,
        /// Name of the table.
        table: &'static str,
        /// Number of entries.
        given: usize,
        /// Least number allowed.
        least: usize,
        /// Greatest number allowed.
        most: usize,
    },
    /// An entry that leads out of the table, or the wrong way.
    #[error("entry {entry} of `{table}` is {given}")]
    Entry {
        /// `rate` or `window`.
        of: &'static str,
        /// Name of the table.
        table: &'static str,
        /// Index of the entry.
        entry: usize,
        /// Value as written.
        given: u32,
        /// Least value allowed.
        least: u32,
        /// Greatest value allowed.
        most: u32,
    },
}

impl SettingError for HpError {
    fn path(&self) -> FieldPath {
        match *self {
            Self::Divisor { of, .. } => FieldPath::from(of).name("divisor"),
            Self::TooFew { of, field, .. } => FieldPath::from(of).name(field),
            Self::NoWindow => "window".into(),
            Self::Length { of, table, .. } => FieldPath::from(of).name(table),
            Self::Entry { of, table, entry, .. } => FieldPath::from(of).name(table).index(entry),
        }
    }

    fn help(&self) -> Option<String> {
        Some(match *self {
            Self::Divisor { .. } => {
                format!("write a number from {} to {}", DIVISORS.start(), DIVISORS.end())
            }
            Self::TooFew { of, least, .. } => format!("write {least} or more, or leave `{of}` out"),
            Self::NoWindow => "write 1 or more".to_owned(),
            Self::Length { least, most, .. } => write_range(least, most),
            Self::Entry { least, most, .. } => write_range(least as usize, most as usize),
        })
    }
}

fn write_range(least: usize, most: usize) -> String {
    if least == most { format!("write {least}") } else { format!("write {least} to {most}") }
}

impl HpResponseSpec {
    /// Checks the control of the rate and of the window.
    ///
    /// # Errors
    /// The first fault.
    pub fn check(&self) -> Result<(), HpError> {
        self.rate.as_ref().map_or(Ok(()), check_rate)?;
        self.window.as_ref().map_or(Ok(()), check_window)
    }
}

fn check_rate(rate: &RateControl) -> Result<(), HpError> {
    let least = |max_ipd: u8| {
        let error = HpError::TooFew { of: "rate", field: "max_ipd", given: 0, least: 1 };
        if max_ipd == 0 { Err(error) } else { Ok(()) }
    };
    match rate {
        RateControl::Aimd { max_ipd, divisor } | RateControl::Fimd { max_ipd, divisor } => {
            least(*max_ipd)?;
            check_divisor("rate", *divisor)
        }
        RateControl::Lipd { max_ipd } => least(*max_ipd),
        RateControl::Derived { rate_decrease } => {
            let table = TableCheck { of: "rate", name: "rate_decrease", length: (2, MOST_RATES) };
            table.check_length(rate_decrease.len())?;
            let last = rate_decrease.len() - 1;
            let mut lowest = 0;
            table.check(rate_decrease.iter().copied().map(u32::from), |ipd| {
                let range = (lowest.max((ipd + 1).min(last)), last);
                lowest = usize::from(rate_decrease[ipd]);
                range
            })
        }
        RateControl::Tables { rate_increase, rate_decrease, new_rate_rpi } => {
            let (n, last) = (rate_increase.len(), rate_increase.len().saturating_sub(1));
            let table = |name| TableCheck { of: "rate", name, length: (n, n) };
            TableCheck { length: (2, MOST_RATES), ..table("rate_increase") }.check_length(n)?;
            table("rate_decrease").check_length(rate_decrease.len())?;
            table("new_rate_rpi").check_length(new_rate_rpi.len())?;
            table("rate_increase").check(rate_increase.iter().copied().map(u32::from), |ipd| (0, ipd))?;
            table("rate_decrease").check(rate_decrease.iter().copied().map(u32::from), |ipd| (ipd, last))?;
            table("new_rate_rpi").check(new_rate_rpi.iter().copied(), |_| (1, u32::MAX as usize))
        }
    }
}

fn check_window(window: &WindowControl) -> Result<(), HpError> {
    match window {
        WindowControl::Fixed(0) => Err(HpError::NoWindow),
        WindowControl::Fixed(_) => Ok(()),
        WindowControl::Aimd { max_window, divisor } | WindowControl::Fimd { max_window, divisor } => {
            if *max_window < 2 {
                let (of, field) = ("window", "max_window");
                return Err(HpError::TooFew { of, field, given: *max_window, least: 2 });
            }
            check_divisor("window", *divisor)
        }
        WindowControl::Derived { window_decrease } => {
            let table = TableCheck { of: "window", name: "window_decrease", length: (2, MOST_WINDOWS) };
            table.check_length(window_decrease.len())?;
            let mut lowest = 1;
            table.check(window_decrease.iter().copied().map(u32::from), |place| {
                let range = (lowest, place.max(1));
                lowest = usize::from(window_decrease[place]);
                range
            })
        }
        WindowControl::Tables { window_increase, window_decrease, new_window_rpi } => {
            let n = window_increase.len();
            let table = |name| TableCheck { of: "window", name, length: (n, n) };
            TableCheck { length: (1, MOST_WINDOWS), ..table("window_increase") }.check_length(n)?;
            table("window_decrease").check_length(window_decrease.len())?;
            table("new_window_rpi").check_length(new_window_rpi.len())?;
            let of = |entries: &[u16]| entries.iter().copied().map(u32::from).collect::<Vec<_>>();
            table("window_increase").check(of(window_increase).into_iter(), |place| (place + 1, n))?;
            table("window_decrease").check(of(window_decrease).into_iter(), |place| (1, place + 1))?;
            table("new_window_rpi").check(new_window_rpi.iter().copied(), |_| (1, u32::MAX as usize))
        }
    }
}

fn check_divisor(of: &'static str, given: f64) -> Result<(), HpError> {
    if DIVISORS.contains(&given) { Ok(()) } else { Err(HpError::Divisor { of, given }) }
}

/// A table that is written out.
#[derive(Clone, Copy)]
struct TableCheck {
    of: &'static str,
    name: &'static str,
    /// Least and greatest number of entries.
    length: (usize, usize),
}

impl TableCheck {
    fn check_length(&self, given: usize) -> Result<(), HpError> {
        let (least, most) = self.length;
        if (least..=most).contains(&given) {
            Ok(())
        } else {
            Err(HpError::Length { of: self.of, table: self.name, given, least, most })
        }
    }

    /// Checks that each entry is in the range of its index.
    fn check(
        &self,
        entries: impl Iterator<Item = u32>,
        mut range: impl FnMut(usize) -> (usize, usize),
    ) -> Result<(), HpError> {
        for (entry, given) in entries.enumerate() {
            let (least, most) = range(entry);
            let (least, most) = (least as u32, most as u32);
            if !(least..=most).contains(&given) {
                return Err(HpError::Entry { of: self.of, table: self.name, entry, given, least, most });
            }
        }
        Ok(())
    }
}
