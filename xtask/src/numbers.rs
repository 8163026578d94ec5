//! `cargo xtask numbers [--check]`: the numbers of speed and memory in README.md and in the book, from `docs/bench.json`.
//!
//! Invariant: a page has no figure of the present version's speed that is not of the record, which one command made on
//! one machine on one day: `cargo xtask bench --json > docs/bench.json`. A test compares, so a new record without new
//! pages fails. So do scenarios that are new or changed since the record, until the pages say which.
//!
//! | place | found by |
//! |---|---|
//! | a line | its beginning, which no other line of the page has |
//! | rows of a table | the beginning of its header |

mod record;
mod since;

use core::ops::Range;
use std::ffi::OsString;
use std::fs;
use std::process::ExitCode;

use self::record::{Record, grouped, millions};
use self::since::Since;
use crate::cargo::root;

/// A place of a page, and its text by the record.
struct Place {
    page: &'static str,
    /// Beginning of the line, or of the table's header.
    begins: &'static str,
    text: Text,
}

enum Text {
    /// The line as a whole.
    Line(fn(&Record) -> Option<String>),
    /// All rows below the header.
    Rows(fn(&Record) -> Option<String>),
}

const PLACES: &[Place] = &[
    line("README.md", "gran2011-scenario1, congestion control Iba, seed 1:", first_command),
    line("README.md", "| speed on one core, fabrics of 2 to 1,024 hosts |", speed),
    line("README.md", "| 11,664 hosts |", largest),
    line("README.md", "| all scenarios that ship |", shipped),
    line("README.md", "| two cores, one run |", two_threads),
    line("README.md", "Speeds of the table:", machine_of_readme),
    line("docs/comparison.md", "| Backwater | PFC, DCQCN |", compared_by_case),
    line("docs/performance.md", "The measurements of this page", machine_of_page),
    Place { page: "docs/performance.md", begins: "| case | packet-hops |", text: Text::Rows(cases) },
    Place { page: "docs/performance.md", begins: "| scenario | packet-hops |", text: Text::Rows(scenarios) },
];

const fn line(page: &'static str, begins: &'static str, text: fn(&Record) -> Option<String>) -> Place {
    Place { page, begins, text: Text::Line(text) }
}

/// Writes every number; with `--check`, compares instead.
pub(crate) fn run(arguments: &[OsString]) -> ExitCode {
    let check = match arguments {
        [] => false,
        [one] if one == "--check" => true,
        _ => {
            eprintln!("error: `cargo xtask numbers` takes `--check` and nothing else");
            return ExitCode::from(2);
        }
    };
    match stale_pages().and_then(|stale| if check { refused(&stale) } else { written(&stale) }) {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            eprintln!("error: {fault}");
            ExitCode::FAILURE
        }
    }
}

/// Returns the pages that differ from the record, with the text that they should have.
fn stale_pages() -> Result<Vec<(&'static str, String)>, String> {
    let mut record = Record::read(&root().join("docs").join("bench.json"))?;
    let shipped = record.shipped.iter().map(|case| (case.name.as_str(), case.digest.as_str())).collect();
    record.since = Since::read(&root(), &shipped)?;
    if let Some(case) =
        record.cases.iter().find(|case| case.wall_s.is_some_and(|wall| wall > BUSY * case.cpu_s))
    {
        eprintln!(
            "warning: docs/bench.json is of a busy machine, elapsed times in it say little: {} took {:.2} s for {:.2} s of CPU \
             time; record again with no other program",
            case.name,
            case.wall_s.unwrap_or_default(),
            case.cpu_s
        );
    }
    let mut pages: Vec<_> = PLACES.iter().map(|place| place.page).collect();
    pages.dedup();
    let mut stale = Vec::new();
    for page in pages {
        let text = fs::read_to_string(root().join(page)).map_err(|cause| format!("{page}: {cause}"))?;
        let mut renewed = text.clone();
        for place in PLACES.iter().filter(|place| place.page == page) {
            renewed = place.renewed(&renewed, &record)?;
        }
        if renewed != text {
            stale.push((page, renewed));
        }
    }
    Ok(stale)
}

fn refused(stale: &[(&str, String)]) -> Result<(), String> {
    let names: Vec<_> = stale.iter().map(|(page, _)| *page).collect();
    if names.is_empty() {
        eprintln!("numbers: the pages tell what docs/bench.json has");
        return Ok(());
    }
    Err(format!("{} has other numbers than docs/bench.json: run `cargo xtask numbers`", names.join(", ")))
}

fn written(stale: &[(&str, String)]) -> Result<(), String> {
    for (page, text) in stale {
        fs::write(root().join(page), text).map_err(|cause| format!("{page}: {cause}"))?;
        eprintln!("numbers: {page} written anew");
    }
    Ok(())
}

impl Place {
    /// Returns the text of the page with this place as the record has it.
    fn renewed(&self, page: &str, record: &Record) -> Result<String, String> {
        let at = line_that_begins(self.page, page, self.begins)?;
        let missing = || format!("docs/bench.json lacks a case for `{}` of {}", self.begins, self.page);
        let (from, to, text) = match self.text {
            Text::Line(text) => (at, at + 1, text(record).ok_or_else(missing)?),
            Text::Rows(text) => {
                let rows = page.lines().skip(at + 2).take_while(|line| line.starts_with('|')).count();
                (at + 2, at + 2 + rows, text(record).ok_or_else(missing)?)
            }
        };
        let before = page.lines().take(from).chain(text.lines());
        let lines: Vec<_> = before.chain(page.lines().skip(to)).collect();
        Ok(lines.join("\n") + "\n")
    }
}

/// Returns the places in the text of a page, in bytes, with rows that this command writes.
pub(crate) fn written_rows(page: &str, text: &str) -> Vec<Range<usize>> {
    let of_page = PLACES.iter().filter(|place| place.page == page && matches!(place.text, Text::Rows(_)));
    of_page.filter_map(|place| rows_below(text, place.begins)).collect()
}

/// Returns the place, in bytes, of the rows below the header of a table that begins so.
pub(crate) fn rows_below(text: &str, begins: &str) -> Option<Range<usize>> {
    let mut lines = text.match_indices('\n').map(|(at, _)| at + 1);
    let header = lines.find(|&at| text[at..].starts_with(begins))?;
    let below: Vec<_> =
        text[header..].split_inclusive('\n').take_while(|line| line.starts_with('|')).collect();
    let head: usize = below.iter().take(2).map(|line| line.len()).sum();
    let all: usize = below.iter().map(|line| line.len()).sum();
    Some(header + head..header + all)
}

/// Returns the number of the one line of a page that begins so.
pub(crate) fn line_that_begins(name: &str, page: &str, beginning: &str) -> Result<usize, String> {
    let mut found = page.lines().enumerate().filter(|(_, line)| line.starts_with(beginning));
    match (found.next(), found.next()) {
        (Some((at, _)), None) => Ok(at),
        (None, _) => Err(format!("{name} has no line that begins with `{beginning}`")),
        (Some(_), Some(_)) => Err(format!("{name} has two lines that begin with `{beginning}`")),
    }
}

/// Elapsed time on one thread over CPU time from which on other programs have taken the processor.
const BUSY: f64 = 1.2;

/// Cases of 2 to 1,024 hosts with traffic that moves: neither set-up alone nor a million messages at once.
const COMMON: [&str; 14] = [
    "flow2",
    "gran7",
    "light32",
    "a32",
    "b128",
    "c648",
    "d1024",
    "roce-flow2",
    "roce-gran7",
    "roce-light32",
    "roce-a32",
    "roce-b128",
    "roce-c648",
    "roce-d1024",
];

fn first_command(record: &Record) -> Option<String> {
    let case = record.case("gran7")?;
    Some(format!(
        "gran2011-scenario1, congestion control Iba, seed 1: 0.5 s simulated in {:.2} s; {} packet-hops",
        case.wall_s?,
        grouped(case.packet_hops)
    ))
}

fn speed(record: &Record) -> Option<String> {
    let speeds: Option<Vec<_>> = COMMON.iter().map(|case| Some(record.case(case)?.speed)).collect();
    let speeds = speeds?;
    let least = speeds.iter().copied().min_by(f64::total_cmp)?;
    let most = speeds.iter().copied().max_by(f64::total_cmp)?;
    Some(format!(
        "| speed on one core, fabrics of 2 to 1,024 hosts | {} to {} million packet-hops per CPU-second | `cargo xtask bench` |",
        millions(least),
        millions(most)
    ))
}

fn largest(record: &Record) -> Option<String> {
    let case = record.case("f11664")?;
    Some(format!(
        "| 11,664 hosts | {} million packet-hops per CPU-second, {:.0} MB | `cargo xtask bench f11664` |",
        millions(case.speed),
        case.memory? / 1e6
    ))
}

fn shipped(record: &Record) -> Option<String> {
    let total = record.total?;
    Some(format!(
        "| all scenarios that ship | {}{} runs in {:.0} s of CPU time, {} million packet-hops per CPU-second | `cargo xtask bench shipped` |",
        total.scenarios,
        record.since.of_all(total.scenarios),
        total.cpu_s,
        millions(total.packet_hops / total.cpu_s)
    ))
}

fn two_threads(record: &Record) -> Option<String> {
    let ratio = |case: &record::Case| (case.threads == Some(2)).then_some(case.sped_up).flatten();
    let ratios: Vec<f64> =
        COMMON.iter().chain(&["f11664"]).filter_map(|case| ratio(record.case(case)?)).collect();
    let least = ratios.iter().copied().min_by(f64::total_cmp)?;
    let most = ratios.iter().copied().max_by(f64::total_cmp)?;
    Some(format!(
        "| two cores, one run | {least:.1} to {most:.1} times as fast where it is worth dividing, with the same bytes | `cargo xtask bench --threads 2` |"
    ))
}

fn machine_of_readme(record: &Record) -> Option<String> {
    Some(format!(
        "Speeds of the table: {}, {}, the fastest of {} runs of each case; acknowledgements are counted.",
        record.processor, record.day, record.runs
    ))
}

fn machine_of_page(record: &Record) -> Option<String> {
    Some(format!(
        "The measurements of this page that name no machine: {}, {}, version {}, the fastest of {} runs of each case.",
        record.processor, record.day, record.version, record.runs
    ))
}

fn compared_by_case(record: &Record) -> Option<String> {
    let cases = ["roce-a32", "roce-b128", "roce-c648", "roce-d1024"];
    let speeds: Option<Vec<_>> =
        cases.iter().map(|case| Some(format!("{:.2}", record.case(case)?.speed / 1e6))).collect();
    Some(format!(
        "| Backwater | PFC, DCQCN | {} | {}, {} |",
        speeds?.join(" | "),
        record.processor,
        record.day
    ))
}

fn cases(record: &Record) -> Option<String> {
    let row = |case: &record::Case| {
        let memory = case.memory.map_or_else(|| "-".to_owned(), |bytes| format!("{:.0}", bytes / 1e6));
        let sped_up = case.sped_up.map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.2}"));
        format!(
            "| {} | {} | {:.2} | {} | {memory} | {sped_up} |\n",
            case.name,
            grouped(case.packet_hops),
            case.cpu_s,
            millions(case.speed)
        )
    };
    Some(record.cases.iter().map(row).collect())
}

fn scenarios(record: &Record) -> Option<String> {
    let row = |name: &str, packet_hops: f64, cpu_s: f64| {
        let speed = millions(packet_hops / cpu_s);
        format!("| {name} | {} | {cpu_s:.2} | {speed} |\n", grouped(packet_hops as u64))
    };
    let of_case = |case: &record::Case| {
        let changed = if record.since.has_changed(&case.name) { ", changed since" } else { "" };
        row(&format!("{}{changed}", case.name), case.packet_hops as f64, case.cpu_s)
    };
    let rows: String = record.shipped.iter().map(of_case).collect();
    let lacking = record.since.lacking().iter().map(|name| format!("| {name}, new since | - | - | - |\n"));
    let total = record.total?;
    Some(rows + &lacking.collect::<String>() + &row("together", total.packet_hops, total.cpu_s))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pages_tell_what_is_recorded() {
        let stale: Vec<_> = stale_pages().unwrap().into_iter().map(|(page, _)| page).collect();
        assert_eq!(stale, [""; 0], "run `cargo xtask numbers`");
    }

    #[test]
    fn a_line_and_rows_are_found_and_replaced() {
        let record = Record::of(&serde_json::json!({
            "version": "0.1.0", "processor": "a processor", "day": "2026-11-26", "runs": 3,
            "cases": [{"case": "f11664", "packet_hops": 8_764_566, "cpu_s": 3.0, "packet_hops_per_cpu_s": 2_921_522.0,
                "peak_rss_bytes": 230_400_000, "wall_s": 3.0, "threads": 1,
                "on_threads": {"wall_s": 1.5, "threads": 2}}],
        }))
        .unwrap();
        let place = line("page", "| 11,664 hosts |", largest);
        let page = "before\n| 11,664 hosts | 0 |\nafter\n";
        let expected = "before\n| 11,664 hosts | 2.9 million packet-hops per CPU-second, 230 MB | `cargo xtask bench f11664` |\nafter\n";
        assert_eq!(place.renewed(page, &record).unwrap(), expected);
        assert_eq!(place.renewed(expected, &record).unwrap(), expected);
        assert!(place.renewed("nothing\n", &record).unwrap_err().contains("no line"));
        assert!(place.renewed(&[page, page].concat(), &record).unwrap_err().contains("two lines"));
        let rows = Place { page: "page", begins: "| case |", text: Text::Rows(cases) };
        let page = "| case |\n|---|\n| old |\n| older |\n\nafter\n";
        let expected = "| case |\n|---|\n| f11664 | 8,764,566 | 3.00 | 2.9 | 230 | 2.00 |\n\nafter\n";
        assert_eq!(rows.renewed(page, &record).unwrap(), expected);
        assert!(line("page", "before", shipped).renewed("before\n", &record).unwrap_err().contains("lacks"));
    }
}
