//! Quantities as text, with three significant digits.
//!
//! Invariant: a quantity that is exactly a short number is written as that number.

use crate::format::grouped;

/// Returns a time in seconds with a fitting unit.
pub(super) fn time(seconds: f64) -> String {
    scaled(seconds, &[(1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns")])
}

/// Returns a rate in bit/s with a fitting unit.
pub(super) fn rate(bps: f64) -> String {
    scaled(bps, &[(1e12, "Tb/s"), (1e9, "Gb/s"), (1e6, "Mb/s"), (1e3, "kb/s"), (1.0, "b/s")])
}

/// Returns a number of bytes with a fitting unit.
pub(super) fn bytes(bytes: f64) -> String {
    scaled(bytes, &[(1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "KB"), (1.0, "B")])
}

/// Returns a count with its noun, in the plural unless it is one.
pub(super) fn count(count: usize, noun: &str) -> String {
    let plural = match (count, noun.strip_suffix('y')) {
        (1, _) => noun.to_owned(),
        (_, Some(stem)) if !noun.ends_with("ay") => format!("{stem}ies"),
        _ if noun.ends_with("ch") => format!("{noun}es"),
        _ => format!("{noun}s"),
    };
    format!("{} {plural}", thousands(count))
}

/// Returns a count with a comma between thousands.
pub(super) fn thousands(count: usize) -> String {
    grouped(count as u64)
}

/// Returns a value in the largest unit that does not exceed it, else in the smallest.
fn scaled(value: f64, units: &[(f64, &str)]) -> String {
    let fits = |(size, _): &&(f64, &str)| value.abs() >= *size * 0.9995;
    let last = units.last().copied().unwrap_or((1.0, ""));
    let (size, unit) = if value == 0.0 {
        units.iter().copied().find(|(size, _)| *size == 1.0).unwrap_or(last)
    } else {
        units.iter().find(fits).copied().unwrap_or(last)
    };
    format!("{} {unit}", short(value / size))
}

/// Returns a number with three significant digits, without zeros at the end of its decimals.
pub(super) fn short(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    let digits = (2.0 - value.abs().log10().floor()).clamp(0.0, 9.0) as usize;
    let text = format!("{value:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_have_three_digits_and_a_fitting_unit() {
        let times = [0.5, 0.0123, 1.5e-6, 0.0, 12.0, 3e-10];
        assert_eq!(times.map(time), ["500 ms", "12.3 ms", "1.5 us", "0 s", "12 s", "0.3 ns"]);
        assert_eq!([26.1e9, 999.9e6, 4e11, 0.0].map(rate), ["26.1 Gb/s", "1 Gb/s", "400 Gb/s", "0 b/s"]);
        assert_eq!([1234.0, 1.0].map(bytes), ["1.23 KB", "1 B"]);
        assert_eq!(
            [count(1, "tree"), count(1234, "branch"), count(0, "query")],
            ["1 tree", "1,234 branches", "0 queries"]
        );
    }
}
