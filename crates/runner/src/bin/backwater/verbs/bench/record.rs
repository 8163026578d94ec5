//! What `bench` measures, as `--json` prints and `--against` reads it.
//!
//! Invariant: a field keeps its meaning while [`SCHEMA`] has the same name, so records of earlier versions can be read.

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use settings::files::{MOST_TEXT, limited_text};

use crate::failure::Failure;

/// Name and version of the JSON format; the version rises when a field changes its meaning or disappears.
pub(super) const SCHEMA: &str = "backwater-bench-1";

/// Output of `--json`: all that a later comparison needs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct BenchRecord {
    pub(super) schema: String,
    pub(super) version: String,
    /// Name of the processor; `None` where the system does not tell.
    pub(super) processor: Option<String>,
    /// Day of the measurement, in UTC, such as `2026-11-26`; `None` in records of earlier versions.
    #[serde(default)]
    pub(super) day: Option<String>,
    /// Number of runs of each case.
    pub(super) runs: u32,
    /// Fastest run of each case, by CPU time.
    pub(super) cases: Vec<BenchReading>,
    /// Fastest run of each shipped scenario, on a single thread; empty if not asked for, and in records of earlier
    /// versions.
    #[serde(default)]
    pub(super) shipped: Vec<BenchReading>,
    /// Sum over all shipped scenarios, if asked for.
    #[serde(default)]
    pub(super) shipped_total: Option<BenchTotal>,
}

/// Cost of a run of a case.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct BenchReading {
    pub(super) case: String,
    pub(super) digest: String,
    pub(super) events: u64,
    pub(super) delivered_packets: u64,
    pub(super) packet_hops: u64,
    /// Processor time of the process, in seconds; elapsed time of the run where the system does not tell.
    pub(super) cpu_s: f64,
    pub(super) packet_hops_per_cpu_s: f64,
    pub(super) peak_rss_bytes: Option<u64>,
    /// Elapsed time of the run, its set-up and record included, in seconds: the least of all runs. `None` in records of
    /// earlier versions.
    #[serde(default)]
    pub(super) wall_s: Option<f64>,
    #[serde(default = "one_thread")]
    pub(super) threads: usize,
    /// The same case on several threads, if that is measured.
    #[serde(default)]
    pub(super) on_threads: Option<Box<BenchReading>>,
    /// Reason for fewer threads than asked for. It is printed below the table, and is no part of records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) fewer_threads: Option<String>,
}

/// The number of threads of records of earlier versions.
const fn one_thread() -> usize {
    1
}

/// Sum of readings.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct BenchTotal {
    /// Number of readings.
    pub(super) scenarios: usize,
    pub(super) packet_hops: u64,
    pub(super) cpu_s: f64,
    pub(super) packet_hops_per_cpu_s: f64,
}

impl BenchTotal {
    /// Returns the sum; `None` if there are no readings.
    #[expect(single_use_lifetimes, reason = "stable Rust wants a name for a lifetime within `impl Trait`")]
    pub(super) fn of<'a>(readings: impl IntoIterator<Item = &'a BenchReading>) -> Option<Self> {
        let mut total = Self { scenarios: 0, packet_hops: 0, cpu_s: 0.0, packet_hops_per_cpu_s: 0.0 };
        for reading in readings {
            total.scenarios += 1;
            total.packet_hops += reading.packet_hops;
            total.cpu_s += reading.cpu_s;
        }
        total.packet_hops_per_cpu_s = (total.packet_hops as f64 / total.cpu_s).round();
        (total.scenarios > 0).then_some(total)
    }
}

/// Returns the day of this time, in UTC.
pub(super) fn day(time: SystemTime) -> String {
    let is_leap = |year: u64| year.is_multiple_of(4) && !year.is_multiple_of(100) || year.is_multiple_of(400);
    let mut days = time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs() / 86_400;
    let mut year = 1970;
    while days >= 365 + u64::from(is_leap(year)) {
        days -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let february = 28 + u64::from(is_leap(year));
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    format!("{year}-{month:02}-{:02}", days + 1)
}

impl BenchRecord {
    /// Reads the output of an earlier `--json`.
    pub(super) fn read(path: &Path) -> Result<Self, Failure> {
        let wrong = |fault: String| Failure::BenchRecord { path: path.display().to_string(), fault };
        let text = limited_text(path, MOST_TEXT).map_err(|cause| wrong(cause.to_string()))?;
        let record: Self = serde_json::from_str(&text).map_err(|cause| wrong(cause.to_string()))?;
        if record.schema == SCHEMA {
            Ok(record)
        } else {
            Err(wrong(format!("its schema is {}, not {SCHEMA}", record.schema)))
        }
    }

    /// Returns the reading of a case, or else of the shipped scenario with that name.
    pub(super) fn of(&self, case: &str) -> Option<&BenchReading> {
        self.cases.iter().chain(&self.shipped).find(|reading| reading.case == case)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::time::Duration;

    use super::*;

    /// Returns a reading of a million packet-hops at this speed.
    pub(in super::super) fn reading(case: &str, packet_hops_per_cpu_s: f64) -> BenchReading {
        BenchReading {
            case: case.to_owned(),
            digest: "0123456789abcdef".to_owned(),
            events: 2_500_000,
            delivered_packets: 250_000,
            packet_hops: 1_000_000,
            cpu_s: 1e6 / packet_hops_per_cpu_s,
            packet_hops_per_cpu_s,
            peak_rss_bytes: Some(12_000_000),
            wall_s: None,
            threads: 1,
            on_threads: None,
            fewer_threads: None,
        }
    }

    /// Returns a record of cases and of shipped scenarios at these speeds.
    pub(in super::super) fn record(cases: &[(&str, f64)], shipped: &[(&str, f64)]) -> BenchRecord {
        let readings =
            |all: &[(&str, f64)]| all.iter().map(|(case, speed)| reading(case, *speed)).collect::<Vec<_>>();
        let shipped = readings(shipped);
        BenchRecord {
            schema: SCHEMA.to_owned(),
            version: "0.1.0".to_owned(),
            processor: Some("a processor".to_owned()),
            day: None,
            runs: 3,
            cases: readings(cases),
            shipped_total: BenchTotal::of(&shipped),
            shipped,
        }
    }

    #[test]
    fn the_record_of_an_earlier_version_is_read() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/bench.json");
        let record = BenchRecord::read(&path).unwrap();
        assert!(record.of("a32").is_some_and(|reading| reading.packet_hops > 0));
        let mut earlier = serde_json::to_value(&record).unwrap();
        let fields = earlier.as_object_mut().unwrap();
        fields.remove("shipped");
        fields.remove("shipped_total");
        let earlier: BenchRecord = serde_json::from_value(earlier).unwrap();
        assert!(earlier.shipped.is_empty() && earlier.shipped_total.is_none());
    }

    #[test]
    fn days_have_their_date() {
        let date = |days: u64| day(UNIX_EPOCH + Duration::from_secs(days * 86_400 + 86_399));
        assert_eq!(
            [0, 30, 31, 58, 59, 364, 365].map(date).join(" "),
            "1970-01-01 1970-01-31 1970-02-01 1970-02-28 1970-03-01 1970-12-31 1971-01-01"
        );
        // The leap day of 2000, and the last days of 2024 and 2025.
        assert_eq!([11_016, 20_088, 20_453].map(date).join(" "), "2000-02-29 2024-12-31 2025-12-31");
    }

    #[test]
    fn a_total_adds_work_and_time() {
        assert_eq!(BenchTotal::of([]), None);
        let total = BenchTotal::of(&[reading("a", 1e6), reading("b", 5e5)]).unwrap();
        assert_eq!((total.scenarios, total.packet_hops, total.cpu_s), (2, 2_000_000, 3.0));
        assert_eq!(total.packet_hops_per_cpu_s, 666_667.0);
    }
}
