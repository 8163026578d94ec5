//! The fields of `docs/bench.json` that pages tell.
//!
//! Invariant: a field that is missing is a fault that names it.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::since::Since;

/// The record.
#[derive(Debug)]
pub(super) struct Record {
    pub(super) version: String,
    pub(super) processor: String,
    /// Day of the measurement, in words.
    pub(super) day: String,
    pub(super) runs: u64,
    pub(super) cases: Vec<Case>,
    pub(super) shipped: Vec<Case>,
    pub(super) total: Option<Total>,
    /// Scenarios that are new or changed since the record was made.
    pub(super) since: Since,
}

/// The cost of a case.
#[derive(Debug)]
pub(super) struct Case {
    pub(super) name: String,
    /// Digest of the run; empty if the record has none.
    pub(super) digest: String,
    pub(super) packet_hops: u64,
    pub(super) cpu_s: f64,
    /// Packet-hops per CPU-second.
    pub(super) speed: f64,
    /// Elapsed seconds.
    pub(super) wall_s: Option<f64>,
    /// Peak memory in bytes.
    pub(super) memory: Option<f64>,
    /// Threads of the second measurement.
    pub(super) threads: Option<u64>,
    /// Elapsed time on one thread over that on these.
    pub(super) sped_up: Option<f64>,
}

/// The cost of all shipped scenarios.
#[derive(Clone, Copy, Debug)]
pub(super) struct Total {
    pub(super) scenarios: u64,
    pub(super) packet_hops: f64,
    pub(super) cpu_s: f64,
}

impl Record {
    /// Reads a record.
    pub(super) fn read(path: &Path) -> Result<Self, String> {
        let text = fs::read_to_string(path).map_err(|cause| format!("{}: {cause}", path.display()))?;
        let value: Value =
            serde_json::from_str(&text).map_err(|cause| format!("{}: {cause}", path.display()))?;
        Self::of(&value).ok_or_else(|| {
            format!("{} lacks fields that pages tell: write `cargo xtask bench --json` to it", path.display())
        })
    }

    /// Returns the record of these fields; `None` if a field is missing.
    pub(super) fn of(value: &Value) -> Option<Self> {
        let text = |name: &str| Some(value[name].as_str()?.to_owned());
        let cases = |name: &str| -> Option<Vec<_>> {
            value[name].as_array().into_iter().flatten().map(Case::of).collect()
        };
        let total = &value["shipped_total"];
        Some(Self {
            version: text("version")?,
            processor: text("processor")?,
            day: day(value["day"].as_str()?)?,
            runs: value["runs"].as_u64()?,
            cases: cases("cases")?,
            shipped: cases("shipped")?,
            total: total["scenarios"].as_u64().and_then(|scenarios| {
                let number = |name: &str| total[name].as_f64();
                Some(Total { scenarios, packet_hops: number("packet_hops")?, cpu_s: number("cpu_s")? })
            }),
            since: Since::default(),
        })
    }

    /// Returns a case.
    pub(super) fn case(&self, name: &str) -> Option<&Case> {
        self.cases.iter().find(|case| case.name == name)
    }
}

impl Case {
    fn of(value: &Value) -> Option<Self> {
        let wall_s = value["wall_s"].as_f64();
        let several = &value["on_threads"];
        Some(Self {
            name: value["case"].as_str()?.to_owned(),
            digest: value["digest"].as_str().unwrap_or_default().to_owned(),
            packet_hops: value["packet_hops"].as_u64()?,
            cpu_s: value["cpu_s"].as_f64()?,
            speed: value["packet_hops_per_cpu_s"].as_f64()?,
            wall_s,
            memory: value["peak_rss_bytes"].as_f64(),
            threads: several["threads"].as_u64(),
            sped_up: several["wall_s"].as_f64().and_then(|several| Some(wall_s? / several)),
        })
    }
}

/// Returns `26 November 2026` for `2026-11-26`.
fn day(date: &str) -> Option<String> {
    const MONTHS: [&str; 12] = [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ];
    let mut parts = date.splitn(3, '-');
    let (year, month, day) = (parts.next()?, parts.next()?.parse::<usize>().ok()?, parts.next()?);
    let month = MONTHS.get(month.checked_sub(1)?)?;
    Some(format!("{} {month} {year}", day.parse::<u8>().ok()?))
}

/// Returns a number in millions with one decimal.
pub(super) fn millions(number: f64) -> String {
    format!("{:.1}", number / 1e6)
}

/// Groups digits by thousands.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_days_are_in_words() {
        assert_eq!([0, 999, 1000, 12_345_678].map(grouped).join(" "), "0 999 1,000 12,345,678");
        assert_eq!(day("2026-11-06").as_deref(), Some("6 November 2026"));
        assert_eq!([day("2026-13-06"), day("2026-00-06"), day("today")], [None, None, None]);
        assert_eq!(millions(7_849_999.0), "7.8");
    }
}
