//! Values in files of OpenSM: numbers, masks of ports, entries of a congestion control table.
//!
//! Invariant: a value of another form, or out of its range, is a fault at its place.

use core::ops::Range;
use std::collections::BTreeSet;

use scenario::Diagnostic;

use crate::import::source::{SourceText, decimal};

/// Reads a number as C does: decimal, hexadecimal behind `0x`, or octal behind `0`.
pub(super) fn number(
    source: SourceText<'_>,
    at: &Range<usize>,
    text: &str,
    most: u64,
) -> Result<u64, Diagnostic> {
    let digits = |digits: &str, radix: u32| {
        let plain = !digits.is_empty() && digits.chars().all(|digit| digit.is_digit(radix));
        plain.then(|| u64::from_str_radix(digits, radix).ok()).flatten()
    };
    let lower = text.to_ascii_lowercase();
    let number = match (lower.strip_prefix("0x"), lower.strip_prefix('0')) {
        (Some(hex), _) => digits(hex, 16),
        (None, Some(octal)) if !octal.is_empty() => digits(octal, 8),
        _ => digits(&lower, 10),
    };
    number.filter(|number| *number <= most).ok_or_else(|| {
        let help = format!("write a number from 0 to {most}, or {most:#x} in hexadecimal");
        source.wrong(at, format!("`{text}` is not a number in its range"), &help)
    })
}

/// Reads a mask of 256 ports in hexadecimal.
pub(super) fn mask(
    source: SourceText<'_>,
    at: &Range<usize>,
    text: &str,
) -> Result<BTreeSet<u8>, Diagnostic> {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")).unwrap_or(text);
    if digits.is_empty() || digits.len() > 64 || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        let help = "write up to 64 hexadecimal digits, the last of which has ports 0 to 3";
        return Err(source.wrong(at, format!("`{text}` is not a mask of 256 ports"), help));
    }
    let mut ports = BTreeSet::new();
    for (place, digit) in digits.chars().rev().enumerate() {
        let digit = digit.to_digit(16).unwrap_or(0);
        ports.extend((0..4).filter(|bit| digit >> bit & 1 == 1).map(|bit| (place * 4 + bit) as u8));
    }
    Ok(ports)
}

/// Reads `SHIFT:MULTIPLIER`.
pub(super) fn entry(source: SourceText<'_>, at: &Range<usize>, text: &str) -> Result<(u8, u16), Diagnostic> {
    let wrong = || {
        let help = "write a shift from 0 to 3 and a multiplier from 0 to 16383: `0:12`";
        source.wrong(at, format!("`{text}` is not an entry of a congestion control table"), help)
    };
    let (shift, times) = text.trim().split_once(':').ok_or_else(wrong)?;
    let shift = decimal(shift.trim()).filter(|shift| *shift <= 3).ok_or_else(wrong)?;
    let times = decimal(times.trim()).filter(|times| *times <= 0x3FFF).ok_or_else(wrong)?;
    Ok((shift, times))
}
