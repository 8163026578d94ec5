//! Lists and ranges of values, as users write them.
//!
//! Invariant: a comma within brackets or quotes divides nothing. The ends of a range are exactly as written; no value
//! is rounded to another value's place without a fault.

use units::{Bytes, Length, Rate, Span};

use super::fault::ValueFault;

/// Significant digits of the values between the ends of a range.
const DIGITS: i32 = 4;
/// Largest number of values of a range.
const MOST_STEPS: usize = 10_000;

/// Divides a text at each `divider` outside brackets and quotes. The parts are trimmed.
pub(crate) fn divided(text: &str, divider: char) -> Result<Vec<&str>, ValueFault> {
    let (mut parts, mut start) = (Vec::new(), 0);
    let mut open = Vec::new();
    let mut quoted = false;
    let mut escaped = false;
    for (at, letter) in text.char_indices() {
        if quoted {
            quoted = letter != '"' || escaped;
            escaped = letter == '\\' && !escaped;
            continue;
        }
        match letter {
            '"' => quoted = true,
            '(' => open.push(')'),
            '[' => open.push(']'),
            '{' => open.push('}'),
            ')' | ']' | '}' if open.pop() != Some(letter) => {
                return Err(ValueFault::Bracket { bracket: letter });
            }
            ')' | ']' | '}' => {}
            _ if letter == divider && open.is_empty() => {
                parts.push(text[start..at].trim());
                start = at + letter.len_utf8();
            }
            _ => {}
        }
    }
    match (quoted, open.pop()) {
        (true, _) => return Err(ValueFault::Open { missing: '"' }),
        (_, Some(missing)) => return Err(ValueFault::Open { missing }),
        _ => {}
    }
    parts.push(text[start..].trim());
    Ok(parts)
}

/// Reads a list of values. It has at least 1, none of them empty or twice there.
pub(crate) fn list(text: &str) -> Result<Vec<String>, ValueFault> {
    let values = divided(text, ',')?;
    for (place, value) in values.iter().enumerate() {
        if value.is_empty() {
            return Err(ValueFault::Empty);
        }
        if values[..place].contains(value) {
            return Err(ValueFault::Twice { value: (*value).to_owned() });
        }
    }
    Ok(values.into_iter().map(str::to_owned).collect())
}

/// A range of values between two ends: `lin:1 us..10 us:4`, `log:10 KB..400 KB:5`; without the number of values for a
/// Latin hypercube.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ValueRange {
    scale: Scale,
    from: String,
    to: String,
    /// The ends in the smallest unit of their kind.
    ends: [f64; 2],
    kind: Kind,
    /// Number of values, at least 2.
    pub(crate) steps: Option<usize>,
}

/// Distances between the values of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scale {
    /// Equal differences.
    Linear,
    /// Equal ratios.
    Logarithmic,
}

/// Kind of the values of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Whole numbers without a unit.
    Whole,
    /// Numbers without a unit, with a point.
    Real,
    /// Times, in ps.
    Time,
    /// Amounts of data, in bytes.
    Data,
    /// Rates, in bit/s.
    Rate,
    /// Lengths, in mm.
    Length,
}

impl ValueRange {
    pub(crate) fn parse(text: &str) -> Result<Self, ValueFault> {
        let form = || ValueFault::RangeForm { given: text.to_owned() };
        let (scale, rest) = text.trim().split_once(':').ok_or_else(form)?;
        let scale = match scale.trim() {
            "lin" => Scale::Linear,
            "log" => Scale::Logarithmic,
            _ => return Err(form()),
        };
        let (from, rest) = rest.split_once("..").ok_or_else(form)?;
        let (to, steps) = match rest.split_once(':') {
            Some((to, steps)) => (to, Some(steps)),
            None => (rest, None),
        };
        let (from, to) = (from.trim(), to.trim().trim_start_matches('=').trim());
        let steps = steps.map(|steps| count(steps.trim())).transpose()?;
        let ends = |value: &str| quantity(value).ok_or_else(|| ValueFault::End { given: value.to_owned() });
        let ((kind, low), (other, high)) = (ends(from)?, ends(to)?);
        let kind = match (kind, other) {
            (a, b) if a == b => a,
            (Kind::Whole, Kind::Real) | (Kind::Real, Kind::Whole) => Kind::Real,
            _ => return Err(ValueFault::Ends { from: from.to_owned(), to: to.to_owned() }),
        };
        if low >= high {
            return Err(ValueFault::Order { from: from.to_owned(), to: to.to_owned() });
        }
        if scale == Scale::Logarithmic && low <= 0.0 {
            return Err(ValueFault::LogOfZero { from: from.to_owned() });
        }
        Ok(Self { scale, from: from.to_owned(), to: to.to_owned(), ends: [low, high], kind, steps })
    }

    /// Returns the values of a range with a number of steps, from end to end.
    pub(crate) fn values(&self) -> Result<Vec<String>, ValueFault> {
        let steps = self.steps.ok_or(ValueFault::NoSteps)?;
        let values: Vec<_> = (0..steps).map(|step| self.at(step as f64 / (steps - 1) as f64)).collect();
        match values.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(ValueFault::TooDense { steps, value: pair[0].clone() }),
            None => Ok(values),
        }
    }

    /// Returns the value at a share of the range, 0 to 1. The ends are as written; values between them have four
    /// significant digits, whole numbers and quantities as many as their smallest unit allows.
    pub(crate) fn at(&self, share: f64) -> String {
        if share <= 0.0 {
            return self.from.clone();
        }
        if share >= 1.0 {
            return self.to.clone();
        }
        let [low, high] = self.ends;
        let exact = match self.scale {
            Scale::Linear => low + (high - low) * share,
            Scale::Logarithmic => low * (high / low).powf(share),
        };
        // Rounding may not lead out of the range.
        let value = rounded(exact).clamp(low, high);
        let whole = || value.round() as u64;
        if let Some(text) = self.in_unit_of_ends(value.round()) {
            return text;
        }
        match self.kind {
            Kind::Whole => whole_text(exact.round().clamp(low, high)),
            Kind::Real => real_text(value),
            Kind::Time => Span::from_ps(whole()).to_string(),
            Kind::Data => Bytes::new(whole()).to_string(),
            Kind::Rate => Rate::bps(whole()).to_string(),
            Kind::Length => Length::from_mm(whole()).to_string(),
        }
    }

    /// Writes a quantity in the unit that both ends have, if it is exact there.
    fn in_unit_of_ends(&self, value: f64) -> Option<String> {
        let unit = |text: &str| -> Option<String> {
            let bare = text.trim_matches('"').trim();
            let at = bare.find(|c: char| !c.is_ascii_digit() && !"._".contains(c))?;
            Some(bare[at..].trim().to_owned())
        };
        let own = unit(&self.from).filter(|own| unit(&self.to).as_ref() == Some(own))?;
        let (kind, size) = quantity(&format!("1 {own}"))?;
        let text = format!("{} {own}", value / size);
        (quantity(&text) == Some((kind, value))).then_some(text)
    }
}

fn count(text: &str) -> Result<usize, ValueFault> {
    let steps = text.parse().ok().filter(|steps| (2..=MOST_STEPS).contains(steps));
    steps.ok_or_else(|| ValueFault::Steps { given: text.to_owned(), most: MOST_STEPS })
}

/// Returns the kind of a value, and the value in the smallest unit of this kind.
pub(crate) fn quantity(text: &str) -> Option<(Kind, f64)> {
    let text = text.trim().trim_matches('"').trim();
    if let Ok(number) = text.replace('_', "").parse::<f64>() {
        let kind = if text.contains(['.', 'e', 'E']) { Kind::Real } else { Kind::Whole };
        return number.is_finite().then_some((kind, number));
    }
    let time = text.parse::<Span>().ok().map(|time| (Kind::Time, time.ps() as f64));
    let data = || text.parse::<Bytes>().ok().map(|bytes| (Kind::Data, bytes.get() as f64));
    let rate = || text.parse::<Rate>().ok().map(|rate| (Kind::Rate, rate.get() as f64));
    let length = || text.parse::<Length>().ok().map(|length| (Kind::Length, length.mm() as f64));
    time.or_else(data).or_else(rate).or_else(length)
}

/// Rounds to [`DIGITS`] significant digits.
fn rounded(value: f64) -> f64 {
    if value == 0.0 {
        return value;
    }
    let exponent = DIGITS - 1 - value.abs().log10().floor() as i32;
    // Multiplication by a negative power of ten is not exact; division by a positive power is.
    if exponent >= 0 {
        let scale = 10f64.powi(exponent);
        (value * scale).round() / scale
    } else {
        let scale = 10f64.powi(-exponent);
        (value / scale).round() * scale
    }
}

fn whole_text(value: f64) -> String {
    format!("{value:.0}")
}

/// Writes a number with a point, as RON wants it for a float.
fn real_text(value: f64) -> String {
    results::table::decimal(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(text: &str) -> Vec<String> {
        ValueRange::parse(text).unwrap().values().unwrap()
    }

    #[test]
    fn commas_in_brackets_and_quotes_divide_nothing() {
        let values = list(r#"Off, Iba(a: [1, 2], b: "x,)"), {"a,": 1},"\"," "#).unwrap();
        assert_eq!(values, ["Off", r#"Iba(a: [1, 2], b: "x,)")"#, r#"{"a,": 1}"#, r#""\",""#]);
        assert_eq!(list("a,"), Err(ValueFault::Empty));
        assert_eq!(list("a,b, a"), Err(ValueFault::Twice { value: "a".to_owned() }));
        assert_eq!(list("f(1"), Err(ValueFault::Open { missing: ')' }));
        assert_eq!(list("f(1]"), Err(ValueFault::Bracket { bracket: ']' }));
        assert_eq!(list("\"a"), Err(ValueFault::Open { missing: '"' }));
        assert_eq!(divided("a=1;2 ; b=(;)", ';').unwrap(), ["a=1", "2", "b=(;)"]);
    }

    #[test]
    fn ranges_have_exact_ends_and_keep_units() {
        assert_eq!(range("lin:1..10:4"), ["1", "4", "7", "10"]);
        assert_eq!(range("lin: 1 us .. 2 us : 5"), ["1 us", "1.25 us", "1.5 us", "1.75 us", "2 us"]);
        assert_eq!(range("log:10 KB..400 KB:3"), ["10 KB", "63.25 KB", "400 KB"]);
        assert_eq!(range("log:10 KB..160 KB:5"), ["10 KB", "20 KB", "40 KB", "80 KB", "160 KB"]);
        assert_eq!(
            range("log:1 Mb/s..100 Gb/s:6"),
            ["1 Mb/s", "10 Mb/s", "100 Mb/s", "1 Gb/s", "10 Gb/s", "100 Gb/s"]
        );
        assert_eq!(range("log:0.001..1.0:4"), ["0.001", "0.01", "0.1", "1.0"]);
        assert_eq!(range("lin:0..1.0:3"), ["0", "0.5", "1.0"]);
        assert_eq!(
            range("lin:1000001..1000005:5")[1],
            "1000002",
            "whole numbers are not rounded to four digits"
        );
        assert_eq!(range("lin:1 m..3 m:3"), ["1 m", "2 m", "3 m"]);
    }

    #[test]
    fn faults_of_ranges_are_named() {
        let fault = |text: &str| match ValueRange::parse(text) {
            Ok(range) => range.values().unwrap_err(),
            Err(fault) => fault,
        };
        let text = str::to_owned;
        assert_eq!(fault("1..3:3"), ValueFault::RangeForm { given: text("1..3:3") });
        assert_eq!(fault("lin:1:3"), ValueFault::RangeForm { given: text("lin:1:3") });
        assert_eq!(fault("lin:1..3"), ValueFault::NoSteps);
        assert_eq!(fault("lin:1..3:1"), ValueFault::Steps { given: text("1"), most: MOST_STEPS });
        assert_eq!(fault("lin:1 us..3 KiB:3"), ValueFault::Ends { from: text("1 us"), to: text("3 KiB") });
        assert_eq!(fault("lin:3..1:3"), ValueFault::Order { from: text("3"), to: text("1") });
        assert_eq!(fault("log:0..1:3"), ValueFault::LogOfZero { from: text("0") });
        assert_eq!(fault("lin:a..1:3"), ValueFault::End { given: text("a") });
        assert_eq!(fault("lin:1..3:9"), ValueFault::TooDense { steps: 9, value: text("1") });
    }
}
