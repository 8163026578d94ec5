//! Quantities as text: three significant digits, of an instant six, and the largest multiple of the unit that does not
//! exceed the value.
//!
//! Invariant: every sentence, page and estimate spells times, rates and sizes here.

/// Dimension of a quantity. Its plain unit is s, bit/s, B or B/s.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dimension {
    /// Time, in seconds.
    Time,
    /// Rate, in bit/s.
    Rate,
    /// Size, in bytes.
    Size,
    /// Rate, in bytes/s.
    ByteRate,
}

/// Zeros at the end of the decimals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Zeros {
    /// Kept: `2.40 ms`, as columns of numbers and means with intervals need them.
    Kept,
    /// Dropped: `2.4 ms`, as in sentences.
    Dropped,
}

impl Dimension {
    /// Returns multiples of the unit, the largest first.
    const fn multiples(self) -> &'static [(f64, &'static str)] {
        match self {
            Self::Time => &[(1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns")],
            Self::Rate => &[(1e12, "Tb/s"), (1e9, "Gb/s"), (1e6, "Mb/s"), (1e3, "kb/s"), (1.0, "b/s")],
            Self::Size => &[(1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "KB"), (1.0, "B")],
            Self::ByteRate => &[(1e12, "TB/s"), (1e9, "GB/s"), (1e6, "MB/s"), (1e3, "KB/s"), (1.0, "B/s")],
        }
    }
}

/// Returns a quantity in the largest multiple that does not exceed it, else in the smallest; 0 in the plain unit.
#[must_use]
pub fn spelled(value: f64, dimension: Dimension, zeros: Zeros) -> String {
    // 999.6 rounds to the next multiple.
    let (size, unit) = multiple(value, dimension, 0.9995);
    format!("{} {unit}", digits(value / size, zeros))
}

/// Returns a time in s as sentences have it: `2.4 ms`.
#[must_use]
pub fn time(seconds: f64) -> String {
    spelled(seconds, Dimension::Time, Zeros::Dropped)
}

/// Returns a rate in bit/s as sentences have it: `26.1 Gb/s`.
#[must_use]
pub fn rate(bps: f64) -> String {
    spelled(bps, Dimension::Rate, Zeros::Dropped)
}

/// Returns a number of bytes as sentences have it: `1.5 MB`.
#[must_use]
pub fn size(bytes: f64) -> String {
    spelled(bytes, Dimension::Size, Zeros::Dropped)
}

/// Returns an instant of simulated time, in s, with a fitting unit. It has six significant digits, to tell runs apart
/// that differ little, without zeros at the end of its decimals.
#[must_use]
pub fn instant(seconds: f64) -> String {
    let (size, unit) = multiple(seconds, Dimension::Time, 1.0 - 0.5e-6);
    format!("{} {unit}", with_digits(seconds / size, 6, Zeros::Dropped))
}

/// Returns a number with three significant digits; 0 and what is no finite number as they are.
#[must_use]
pub fn digits(value: f64, zeros: Zeros) -> String {
    with_digits(value, 3, zeros)
}

/// Returns the largest multiple of the unit such that a quantity is at least this share of it, else the smallest. For 0
/// it is the plain unit.
fn multiple(value: f64, dimension: Dimension, least: f64) -> (f64, &'static str) {
    let multiples = dimension.multiples();
    let fits = |(size, _): &&(f64, &str)| value.abs() >= *size * least;
    let plain = |(size, _): &&(f64, &str)| *size == 1.0;
    let found = if value == 0.0 { multiples.iter().find(plain) } else { multiples.iter().find(fits) };
    *found.unwrap_or(&multiples[multiples.len() - 1])
}

/// Returns a number with these significant digits, at least 1.
fn with_digits(value: f64, significant: usize, zeros: Zeros) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    // The exponent belongs to the rounded number: 0.9997 is 1.00.
    let after_first = significant - 1;
    let rounded: f64 = format!("{value:.after_first$e}").parse().expect("a printed number is a number");
    let decimals = (after_first as f64 - rounded.abs().log10().floor()).clamp(0.0, 9.0) as usize;
    let text = format!("{value:.decimals$}");
    let is_short = zeros == Zeros::Kept || !text.contains('.');
    if is_short { text } else { text.trim_end_matches('0').trim_end_matches('.').to_owned() }
}

/// Returns elapsed real time in words, to a precision that an estimate has: `640 ms`, `12.5 s`, `8 min`, `3.2 h`.
#[must_use]
pub fn elapsed(seconds: f64) -> String {
    match seconds {
        s if s < 0.001 => "less than 1 ms".to_owned(),
        s if s < 1.0 => format!("{:.0} ms", s * 1e3),
        s if s < 120.0 => format!("{s:.1} s"),
        s if s < 7200.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_have_three_digits_and_a_fitting_unit() {
        let short = |dimension| move |value: f64| spelled(value, dimension, Zeros::Dropped);
        let times = [0.5, 0.0123, 1.5e-6, 0.0, 12.0, 3e-10, 0.999_7e-3];
        let spelled_times = ["500 ms", "12.3 ms", "1.5 us", "0 s", "12 s", "0.3 ns", "1 ms"];
        assert_eq!(times.map(short(Dimension::Time)), spelled_times);
        let rates = [26.1e9, 999.9e6, 4e11, 0.0];
        assert_eq!(rates.map(short(Dimension::Rate)), ["26.1 Gb/s", "1 Gb/s", "400 Gb/s", "0 b/s"]);
        assert_eq!([1234.0, 1.0, -31_110.0].map(short(Dimension::Size)), ["1.23 KB", "1 B", "-31.1 KB"]);
        assert_eq!(spelled(0.0024, Dimension::Time, Zeros::Kept), "2.40 ms");
        assert_eq!([digits(0.9, Zeros::Kept), digits(0.999_7, Zeros::Kept)], ["0.900", "1.00"]);
        assert_eq!(digits(f64::INFINITY, Zeros::Kept), "inf");
    }

    #[test]
    fn instants_have_six_digits_and_a_fitting_unit() {
        let instants =
            [0.002_718_597_119, 8.192e-6, 0.06, 0.0, 1.234_567_891, 12e-12, 0.000_999_6, 1_234.567_8];
        let texts =
            ["2.7186 ms", "8.192 us", "60 ms", "0 s", "1.23457 s", "0.012 ns", "999.6 us", "1234.57 s"];
        assert_eq!(instants.map(instant), texts);
    }

    #[test]
    fn elapsed_time_is_an_estimate() {
        let texts = [0.0, 0.64, 12.53, 119.0, 480.0, 11_520.0].map(elapsed);
        assert_eq!(texts, ["less than 1 ms", "640 ms", "12.5 s", "119.0 s", "8 min", "3.2 h"]);
    }
}
