//! The tables of `bench`: a row for each case, and a row for each shipped scenario with their total.
//!
//! Invariant: ratios, reasons and shortened runs are explained in lines below the tables.

use results::format::{aligned, grouped, plain_table};

use super::against::{self, TOTAL};
use super::cases::SHORTENED_NOTE;
use super::record::{BenchReading, BenchRecord, BenchTotal};

/// Returns the tables, with ratios to an earlier record, if any, and the lines below.
pub(super) fn printed(record: &BenchRecord, before: Option<&BenchRecord>) -> String {
    let on_threads = record.cases.iter().any(|one| one.on_threads.is_some());
    let tables = [table_of_cases(record, on_threads, before), table_of_shipped(record, before)];
    let tables: Vec<_> = tables.into_iter().flatten().collect();
    let processor = record.processor.as_deref().unwrap_or("a processor that the system does not name");
    format!(
        "{}\n\nThe fastest of {}, in a process of its own, on one core of {processor}{}.\n{}{}{}",
        tables.join("\n\n"),
        if record.runs == 1 { "1 run each".to_owned() } else { format!("{} runs each", record.runs) },
        if on_threads { "; elapsed times also on several" } else { "" },
        if record.shipped.is_empty() { String::new() } else { format!("{SHORTENED_NOTE}.\n") },
        fewer_threads(&record.cases),
        before.map_or_else(String::new, |before| against::verdict(record, before))
    )
}

fn table_of_cases(record: &BenchRecord, on_threads: bool, before: Option<&BenchRecord>) -> Option<String> {
    let mut table = plain_table();
    let mut header = header("case");
    if on_threads {
        header.extend(["elapsed (s)", "threads", "elapsed on them (s)", "speed-up"]);
    }
    header.extend(before.map(|_| TIMES));
    table.set_header(header);
    for one in &record.cases {
        let mut row = row(one);
        if on_threads {
            row.extend(sped_up(one));
        }
        row.extend(before.map(|before| against::compared(one, before)));
        table.add_row(row);
    }
    (!record.cases.is_empty()).then(|| aligned(table, 2))
}

fn table_of_shipped(record: &BenchRecord, before: Option<&BenchRecord>) -> Option<String> {
    let total = record.shipped_total?;
    let mut table = plain_table();
    let mut header = header("scenario that ships");
    header.extend(before.map(|_| TIMES));
    table.set_header(header);
    for one in &record.shipped {
        let mut row = row(one);
        row.extend(before.map(|before| against::compared(one, before)));
        table.add_row(row);
    }
    let mut last = row_of_total(total);
    last.extend(before.map(|before| against::compared_total(record, before)));
    table.add_row(last);
    Some(aligned(table, 2))
}

const TIMES: &str = "times as fast";

fn header(first: &'static str) -> Vec<&'static str> {
    vec![first, "digest", "packet-hops", "CPU time (s)", "packet-hops per CPU-second", "peak memory (MB)"]
}

fn row(one: &BenchReading) -> Vec<String> {
    let memory = one.peak_rss_bytes.map(|bytes| format!("{:.1}", bytes as f64 / 1e6));
    let mut row = vec![one.case.clone(), one.digest.clone()];
    row.extend(work(one.packet_hops, one.cpu_s, one.packet_hops_per_cpu_s));
    row.push(memory.unwrap_or_else(|| "-".to_owned()));
    row
}

fn row_of_total(total: BenchTotal) -> Vec<String> {
    let mut row = vec![TOTAL.to_owned(), format!("{} scenarios", total.scenarios)];
    row.extend(work(total.packet_hops, total.cpu_s, total.packet_hops_per_cpu_s));
    row.push("-".to_owned());
    row
}

fn work(packet_hops: u64, cpu_s: f64, packet_hops_per_cpu_s: f64) -> [String; 3] {
    [grouped(packet_hops), format!("{cpu_s:.3}"), grouped(packet_hops_per_cpu_s as u64)]
}

/// Returns a line for each reason for fewer threads than asked for, with the cases that it holds for.
fn fewer_threads(cases: &[BenchReading]) -> String {
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for (case, reason) in cases.iter().filter_map(|one| Some((&one.case, one.fewer_threads.as_ref()?))) {
        match reasons.iter_mut().find(|(known, _)| known == reason) {
            Some((_, cases)) => cases.push(case),
            None => reasons.push((reason, vec![case])),
        }
    }
    let line = |(reason, cases): &(&str, Vec<&str>)| format!("Threads of {}: {reason}.\n", cases.join(", "));
    reasons.iter().map(line).collect()
}

/// Returns the elapsed time of a case on a single thread, the number of threads, the elapsed time on them, and their
/// ratio.
fn sped_up(one: &BenchReading) -> [String; 4] {
    let seconds = |wall: Option<f64>| wall.map_or_else(|| "-".to_owned(), |wall| format!("{wall:.3}"));
    let several = one.on_threads.as_deref();
    let ratio = several.and_then(|several| Some(one.wall_s? / several.wall_s?));
    [
        seconds(one.wall_s),
        several.map_or(1, |several| several.threads).to_string(),
        seconds(several.and_then(|several| several.wall_s)),
        ratio.map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.2}")),
    ]
}

#[cfg(test)]
mod tests {
    use super::super::record::tests::{reading, record};
    use super::*;

    #[test]
    fn a_reading_survives_the_pipe_between_processes() {
        let case = BenchReading {
            case: "a32".to_owned(),
            digest: "0123456789abcdef".to_owned(),
            events: 30_000_000,
            delivered_packets: 1_000_000,
            packet_hops: 3_710_720,
            cpu_s: 0.871_234,
            packet_hops_per_cpu_s: 4_259_155.0,
            peak_rss_bytes: None,
            wall_s: Some(0.9),
            threads: 1,
            on_threads: None,
            fewer_threads: None,
        };
        let on_threads = BenchReading { wall_s: Some(0.5), threads: 2, ..case.clone() };
        let case = BenchReading { on_threads: Some(Box::new(on_threads)), ..case };
        let record = BenchRecord { cases: vec![case], ..record(&[], &[]) };
        let back: BenchRecord = serde_json::from_str(&serde_json::to_string(&record).unwrap()).unwrap();
        insta::assert_snapshot!(printed(&back, None));
        let mut before = back.clone();
        before.cases[0].packet_hops_per_cpu_s /= 2.0;
        before.cases[0].digest.clear();
        insta::assert_snapshot!(printed(&back, Some(&before)));
    }

    #[test]
    fn shipped_scenarios_have_a_table_and_a_total() {
        let before = record(&[("flow2", 4e6)], &[("victim", 3e6)]);
        let now = record(&[("flow2", 2e6)], &[("victim", 1e6), ("ring", 5e5)]);
        insta::assert_snapshot!(printed(&now, Some(&before)));
    }

    #[test]
    fn fewer_threads_than_asked_for_are_told_with_their_cases() {
        let told = |case: &str, reason: &str| {
            let fewer_threads = Some(reason.to_owned()).filter(|reason| !reason.is_empty());
            BenchReading { fewer_threads, ..reading(case, 1.0) }
        };
        let (cores, nodes) =
            ("2 of those asked for: the machine has 2 cores", "1 of those asked for: few nodes");
        let cases = [told("a", cores), told("b", nodes), told("c", ""), told("d", cores)];
        assert_eq!(fewer_threads(&cases), format!("Threads of a, d: {cores}.\nThreads of b: {nodes}.\n"));
    }
}
