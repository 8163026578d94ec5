//! Comparison with an earlier record: ratios of speed, and the names of the slower cases.
//!
//! Invariant: a ratio compares packet-hops per CPU-second on a single thread, now over then. The line of a total
//! compares the scenarios that both records have.

use super::record::{BenchReading, BenchRecord, BenchTotal};

/// Least ratio that is not named as slower. The fastest of three runs scatters by some hundredths on a quiet machine.
const NOTED: f64 = 0.95;

/// Name of the sum over all shipped scenarios.
pub(super) const TOTAL: &str = "total";

/// Speed of a case or of the total, against an earlier record.
struct Ratio<'a> {
    name: &'a str,
    value: f64,
    same_digest: bool,
}

/// Returns how many times as fast a case is as before, with a note if the digest differs: then the work differs, too.
pub(super) fn compared(now: &BenchReading, before: &BenchRecord) -> String {
    ratio(now, before).map_or_else(|| "-".to_owned(), |ratio| ratio.cell())
}

/// Returns how many times as fast the shipped scenarios are together.
pub(super) fn compared_total(now: &BenchRecord, before: &BenchRecord) -> String {
    ratio_of_totals(now, before).map_or_else(|| "-".to_owned(), |ratio| ratio.cell())
}

/// Returns the lines below the tables: the earlier version, the slower cases, and those that have nothing to compare
/// with.
pub(super) fn verdict(now: &BenchRecord, before: &BenchRecord) -> String {
    let readings = || now.cases.iter().chain(&now.shipped);
    let ratios = readings().filter_map(|reading| ratio(reading, before)).chain(ratio_of_totals(now, before));
    let slower: Vec<_> = ratios.filter(|ratio| ratio.value < NOTED).map(|ratio| ratio.named()).collect();
    let slower = if slower.is_empty() {
        format!("No case is less than {NOTED} times as fast as then.\n")
    } else {
        format!("Less than {NOTED} times as fast as then: {}.\n", slower.join(", "))
    };
    let unknown: Vec<_> = readings().filter(|one| before.of(&one.case).is_none()).collect();
    let unknown: Vec<_> = unknown.into_iter().map(|one| one.case.as_str()).collect();
    let unknown = match unknown.as_slice() {
        [] => String::new(),
        names => format!("Not measured then: {}.\n", names.join(", ")),
    };
    let other_machine = if now.processor == before.processor {
        ""
    } else {
        "The processors differ, so the ratios are of machines as well as of versions.\n"
    };
    let processor = before.processor.as_deref().unwrap_or("a processor that the system did not name");
    let day = before.day.as_ref().map_or_else(String::new, |day| format!(", {day}"));
    format!("Compared with version {} on {processor}{day}.\n{other_machine}{unknown}{slower}", before.version)
}

fn ratio<'a>(now: &'a BenchReading, before: &BenchRecord) -> Option<Ratio<'a>> {
    let then = before.of(&now.case)?;
    let value = now.packet_hops_per_cpu_s / then.packet_hops_per_cpu_s;
    Some(Ratio { name: &now.case, value, same_digest: now.digest == then.digest })
}

fn ratio_of_totals(now: &BenchRecord, before: &BenchRecord) -> Option<Ratio<'static>> {
    let earlier = |now: &BenchReading| before.shipped.iter().find(|then| then.case == now.case);
    let both = || now.shipped.iter().filter_map(|now| Some((now, earlier(now)?)));
    let speed = BenchTotal::of(both().map(|(now, _)| now))?.packet_hops_per_cpu_s;
    let then = BenchTotal::of(both().map(|(_, then)| then))?.packet_hops_per_cpu_s;
    let same_digest = both().all(|(now, then)| now.digest == then.digest);
    Some(Ratio { name: TOTAL, value: speed / then, same_digest })
}

impl Ratio<'_> {
    fn cell(&self) -> String {
        format!("{:.2}{}", self.value, if self.same_digest { "" } else { " (another digest)" })
    }

    fn named(&self) -> String {
        format!("{} ({:.2})", self.name, self.value)
    }
}

#[cfg(test)]
mod tests {
    use super::super::record::tests::{reading, record};
    use super::*;

    #[test]
    fn slower_cases_are_named_with_their_ratio() {
        let before = record(&[("a", 100.0), ("b", 100.0), ("c", 100.0)], &[("x", 100.0)]);
        let same = verdict(&before, &before);
        assert_eq!(
            same,
            "Compared with version 0.1.0 on a processor.\nNo case is less than 0.95 times as fast as then.\n"
        );
        let now = record(&[("a", 38.0), ("b", 96.0), ("d", 1.0)], &[("x", 94.0)]);
        let worse = verdict(&now, &before);
        assert_eq!(
            worse,
            "Compared with version 0.1.0 on a processor.\nNot measured then: d.\n\
             Less than 0.95 times as fast as then: a (0.38), x (0.94), total (0.94).\n"
        );
        let elsewhere = BenchRecord { processor: None, ..before.clone() };
        assert!(verdict(&elsewhere, &before).contains("The processors differ"));
    }

    #[test]
    fn a_total_is_over_scenarios_of_both_records() {
        let before = record(&[], &[("x", 100.0), ("gone", 1.0)]);
        let now = record(&[], &[("x", 200.0), ("new", 1.0)]);
        assert_eq!(compared_total(&now, &before), "2.00");
        assert_eq!(compared_total(&record(&[("x", 1.0)], &[]), &before), "-");
        assert_eq!(compared(&reading("x", 50.0), &before), "0.50");
        let other = BenchReading { digest: "another".to_owned(), ..reading("x", 50.0) };
        assert_eq!(compared(&other, &before), "0.50 (another digest)");
        assert_eq!(compared(&reading("y", 50.0), &before), "-");
    }
}
