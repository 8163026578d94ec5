//! Several runs side by side: one table on the terminal, one file.
//!
//! Invariant: each run has a column, in the order in which the runs are given. Rows are matched by the names of phases
//! and flows, and a missing value is a dash.

mod completions;
mod groups;
mod measures;
mod row;

pub use row::ComparedRun;

use serde_json::{Map, Value, json};
use telemetry::RunRecord;
use units::Span;

use crate::censoring::{BOUND_NOTE, CensoredValue};
use crate::format::in_blocks;
use crate::summary::Summary;
use crate::table::{Column, Table};
use row::{ComparisonRow, ValueUnit};

/// Name and version of the format of [`json()`]. It changes if a field changes its meaning or is removed.
pub const SCHEMA: &str = "backwater-comparison/3";

/// Number of victims that are printed: those that waited longest in any run.
const VICTIMS: usize = 5;

/// Returns the label of a run without one, by its place: A, B, C.
#[must_use]
pub fn letter(place: usize) -> String {
    char::from_u32('A' as u32 + place as u32).map_or_else(|| place.to_string(), String::from)
}

/// Returns the comparison as tables, in lines of at most `width` characters where possible.
#[must_use]
pub fn printed(runs: &[ComparedRun<'_>], width: usize) -> String {
    let mut text = String::new();
    for run in runs {
        let Summary { congestion_control, seed, simulated_s, digest, .. } = run.summary;
        let asked = run.asked.strip_prefix(run.label).and_then(|rest| rest.strip_prefix('='));
        text += &format!(
            "{}  {}: congestion control {congestion_control}, seed {seed}, {simulated_s} s, digest {digest}\n",
            run.label,
            asked.unwrap_or(run.asked)
        );
    }
    let rows = rows(runs);
    for (topic, title) in TOPICS {
        let of_topic: Vec<&ComparisonRow> = rows.iter().filter(|row| row.topic == topic).collect();
        if of_topic.is_empty() {
            continue;
        }
        text += &format!("\n{title}\n{}\n", table(&of_topic, runs, width));
        let mut cells = of_topic.iter().flat_map(|row| &row.cells).flatten();
        if cells.any(|cell| cell.exact().is_none()) {
            text += &format!("{BOUND_NOTE}\n");
        }
    }
    text
}

const TOPICS: [(&str, &str); 8] = [
    ("goodput", "Goodput over the second half of each phase, in Gb/s"),
    ("fairness", "Jain's index of the named flows that were active, over the second half of each phase"),
    ("victims", "Time that flows waited behind a root that they do not use, added up, in us"),
    (groups::TOPIC, "Groups of flows over the whole run"),
    ("completion", "Completion of flows with an end that have begun: their number, and their times in us"),
    (
        completions::POSTED,
        "Completion of messages by size: their number, their times in us, and their slowdown against the empty fabric",
    ),
    (
        completions::COMMON,
        "Completion of the messages that every run delivered, by size: their number, times in us, and slowdown",
    ),
    ("run", "Over the whole run"),
];

fn table(rows: &[&ComparisonRow], runs: &[ComparedRun<'_>], width: usize) -> String {
    let with_phase = rows.iter().any(|row| !row.phase.is_empty());
    let mut header = if with_phase {
        let key = match rows[0].topic {
            completions::POSTED | completions::COMMON => "size",
            groups::TOPIC => "group",
            _ => "phase",
        };
        vec![key.to_owned()]
    } else {
        vec![]
    };
    header.push(String::new());
    header.extend(runs.iter().map(|run| run.label.to_owned()));
    // A phase is named in its first row only.
    let starts = |place: usize| place == 0 || rows[place - 1].phase != rows[place].phase;
    let line = |(place, row): (usize, &&ComparisonRow)| {
        let mut cells = if with_phase {
            vec![if starts(place) { row.phase.clone() } else { String::new() }]
        } else {
            vec![]
        };
        cells.push(row.what.clone());
        cells.extend(
            row.cells.iter().map(|cell| cell.map_or_else(|| "-".to_owned(), |cell| row.unit.of(cell))),
        );
        cells
    };
    let lines: Vec<_> = rows.iter().enumerate().map(line).collect();
    let keys = if with_phase { 2 } else { 1 };
    in_blocks(&header, &lines, keys, keys, width)
}

/// A row of `compare.csv`.
#[derive(Debug)]
pub struct CompareRow<'a> {
    run: &'a ComparedRun<'a>,
    row: &'a ComparisonRow,
    value: Option<CensoredValue>,
}

impl CompareRow<'_> {
    /// Returns the bounds of a value that is not known.
    fn bounds(&self) -> Option<CensoredValue> {
        self.value.filter(|value| value.exact().is_none())
    }
}

/// Returns `compare.csv`: one row for each number and run.
#[must_use]
pub fn table_file(runs: &[ComparedRun<'_>]) -> String {
    let rows = rows(runs);
    let cells = rows.iter().flat_map(|row| {
        let cells = runs.iter().zip(&row.cells);
        cells.map(move |(run, cell)| CompareRow { run, row, value: cell.map(|cell| cell.rounded(6)) })
    });
    file_table().csv(cells)
}

/// Returns the definition of `compare.csv`.
#[must_use]
pub fn file_table<'a>() -> Table<CompareRow<'a>> {
    let columns: [Column<CompareRow<'a>>; 9] = [
        Column::text("run", "the run's label or letter", |row| row.run.label),
        Column::text("asked", "its argument on the command line", |row| row.run.asked),
        Column::text(
            "topic",
            "`goodput` (of the second half, by phase, flow and group), `fairness`, `victims`, `groups` (over the whole run), \
             `completion` (of flows), `messages` (all posted), `common messages` (delivered by every run), `run`",
            |row| row.row.topic,
        ),
        Column::optional_text(
            "phase",
            "the phase, the group or the bin of sizes, where there is one",
            |row| Some(row.row.phase.as_str()).filter(|phase| !phase.is_empty()),
        ),
        Column::text("what", "the flow or the count", |row| &row.row.what),
        Column::optional_number(
            "value",
            "the number, empty where there is none, or only bounds of it",
            |row| row.value.and_then(CensoredValue::exact),
        ),
        Column::text("unit", "`Gb/s`, `us`, `count`, or `1` for an index", |row| row.row.unit.word()),
        Column::optional_number(
            "at_least",
            "the lower bound, where unfinished messages or flows could change the number",
            |row| row.bounds().map(CensoredValue::at_least),
        ),
        Column::optional_number("at_most", "the upper bound, where there is one", |row| {
            row.bounds().and_then(CensoredValue::at_most)
        }),
    ];
    Table { file: "compare.csv", contents: "one row per number and run", columns: columns.into() }
}

/// Returns the comparison as JSON: the runs, and a row for each number, with its value in each run by label.
///
/// # Panics
/// Never: the values are plain data.
#[must_use]
pub fn json(runs: &[ComparedRun<'_>]) -> String {
    let run = |run: &ComparedRun<'_>| {
        let Summary { scenario, congestion_control, seed, simulated_s, digest, .. } = run.summary;
        json!({
            "label": run.label,
            "asked": run.asked,
            "scenario": scenario,
            "congestion_control": congestion_control,
            "seed": seed,
            "simulated_s": simulated_s,
            "digest": digest,
        })
    };
    let row = |row: &ComparisonRow| {
        let value = |(run, cell): (&ComparedRun<'_>, &Option<CensoredValue>)| {
            (run.label.to_owned(), json!(cell.map(|cell| cell.rounded(6))))
        };
        let values: Map<String, Value> = runs.iter().zip(&row.cells).map(value).collect();
        json!({
            "topic": row.topic,
            "phase": row.phase,
            "what": row.what,
            "unit": row.unit.word(),
            "values": values,
        })
    };
    let runs_of = runs.iter().map(run).collect::<Vec<_>>();
    let rows = rows(runs).iter().map(row).collect::<Vec<_>>();
    let all = json!({ "schema": SCHEMA, "runs": runs_of, "rows": rows });
    serde_json::to_string_pretty(&all).expect("the values are plain data") + "\n"
}

fn rows(runs: &[ComparedRun<'_>]) -> Vec<ComparisonRow> {
    [
        goodput_rows(runs),
        fairness_rows(runs),
        victim_rows(runs),
        groups::rows(runs),
        completions::flow_rows(runs),
        completions::message_rows(runs),
        measures::rows(runs),
    ]
    .concat()
}

/// Returns each name once, in the order of first appearance.
fn union<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut all = Vec::new();
    for name in names {
        if !all.contains(&name) {
            all.push(name);
        }
    }
    all
}

fn phases<'a>(runs: &[ComparedRun<'a>]) -> Vec<&'a str> {
    union(runs.iter().flat_map(|run| run.summary.phases.iter().map(|phase| phase.name.as_str())))
}

fn goodput_rows(runs: &[ComparedRun<'_>]) -> Vec<ComparisonRow> {
    let mut rows = Vec::new();
    for phase in phases(runs) {
        let of = |run: &ComparedRun<'_>| run.summary.phases.iter().position(|one| one.name == phase);
        let flows = union(runs.iter().flat_map(|run| {
            let phase = of(run).map(|place| &run.summary.phases[place]);
            phase.into_iter().flat_map(|phase| &phase.flows).map(|flow| flow.flow.as_str())
        }));
        let row = |what: &str, cells| ComparisonRow {
            topic: "goodput",
            phase: phase.to_owned(),
            what: what.to_owned(),
            cells,
            unit: ValueUnit::Gbps,
        };
        for flow in flows {
            let cell = |run: &ComparedRun<'_>| {
                let phase = &run.summary.phases[of(run)?];
                let flow = phase.flows.iter().find(|one| one.flow == flow)?;
                (flow.active || flow.second_half_goodput_bps > 0.0)
                    .then_some((flow.second_half_goodput_bps / 1e9).into())
            };
            let cells: Vec<_> = runs.iter().map(cell).collect();
            if cells.iter().any(Option::is_some) {
                rows.push(row(flow, cells));
            }
        }
        rows.extend(groups::goodput_rows(runs, phase));
        if runs.iter().any(|run| run.summary.others.flows > 0) {
            let cell = |run: &ComparedRun<'_>| {
                let others = &run.summary.phases[of(run)?].others;
                (run.summary.others.flows > 0).then_some((others.second_half_total_goodput_bps / 1e9).into())
            };
            rows.push(row("flows without name or group", runs.iter().map(cell).collect()));
        }
        let total = |run: &ComparedRun<'_>| {
            Some((run.summary.phases[of(run)?].second_half_total_goodput_bps / 1e9).into())
        };
        rows.push(row("total", runs.iter().map(total).collect()));
    }
    rows
}

fn fairness_rows(runs: &[ComparedRun<'_>]) -> Vec<ComparisonRow> {
    let row = |phase: &str| {
        let cell = |run: &ComparedRun<'_>| {
            let phase = run.summary.phases.iter().find(|one| one.name == phase)?;
            let several = phase.flows.iter().filter(|flow| flow.active).count() > 1;
            phase.second_half_jain.filter(|_| several).map(CensoredValue::Exact)
        };
        ComparisonRow {
            topic: "fairness",
            phase: String::new(),
            what: phase.to_owned(),
            cells: runs.iter().map(cell).collect(),
            unit: ValueUnit::Share,
        }
    };
    phases(runs).into_iter().map(row).filter(|row| row.cells.iter().any(Option::is_some)).collect()
}

/// Returns the time that a flow of this name waited as a victim; `None` if there is no such flow.
fn waited(record: &RunRecord, name: &str) -> Option<Span> {
    let flow = record.flows.iter().position(|flow| *flow.name == *name)? as u32;
    let victims = record.congestion.roots.iter().flat_map(|root| &root.victims);
    Some(victims.filter(|victim| victim.flow == flow).map(|victim| victim.waited).sum())
}

fn victim_rows(runs: &[ComparedRun<'_>]) -> Vec<ComparisonRow> {
    let names = union(runs.iter().flat_map(|run| {
        let victims = run.record.congestion.roots.iter().flat_map(|root| &root.victims);
        victims.map(|victim| &*run.record.flows[victim.flow as usize].name)
    }));
    let mut rows: Vec<(Span, ComparisonRow)> = names
        .into_iter()
        .map(|name| {
            let spans: Vec<_> = runs.iter().map(|run| waited(run.record, name)).collect();
            let cells = spans.iter().map(|span| span.map(|span| (span.seconds() * 1e6).into())).collect();
            let longest = spans.into_iter().flatten().max().unwrap_or_default();
            let what = name.to_owned();
            (
                longest,
                ComparisonRow { topic: "victims", phase: String::new(), what, cells, unit: ValueUnit::Us },
            )
        })
        .collect();
    rows.sort_by_key(|(longest, _)| std::cmp::Reverse(*longest));
    let rest = rows.split_off(rows.len().min(VICTIMS));
    let mut rows: Vec<_> = rows.into_iter().map(|(_, row)| row).collect();
    if !rest.is_empty() {
        let waited = |row: &ComparisonRow, place: usize| row.cells[place].and_then(CensoredValue::exact);
        let sum = |place: usize| rest.iter().filter_map(|(_, row)| waited(row, place)).sum::<f64>();
        let what = format!("{} other flows together", rest.len());
        let cells = (0..runs.len()).map(|place| Some(sum(place).into())).collect();
        rows.push(ComparisonRow { topic: "victims", phase: String::new(), what, cells, unit: ValueUnit::Us });
    }
    rows
}

#[cfg(test)]
mod tests {
    use telemetry::{MarginRecord, PauseRecord};
    use units::Bytes;

    use super::*;
    use crate::format::WIDTH;
    use crate::sample;

    fn with_runs<T>(look: impl FnOnce(&[ComparedRun<'_>]) -> T) -> T {
        let (first, mut second) = (sample::record(), sample::record());
        second.flows[1].name = "F3".into();
        second.congestion = telemetry::Congestion::default();
        second.lanes[0].pause = Some(paused());
        let summaries = [&first, &second].map(|record| Summary::new(sample::CONTEXT, record, sample::cost()));
        look(&[
            ComparedRun { label: "A", asked: "first", summary: &summaries[0], record: &first },
            ComparedRun { label: "B", asked: "second:seed=3", summary: &summaries[1], record: &second },
        ])
    }

    fn paused() -> PauseRecord {
        let threshold = MarginRecord { load: Bytes::new(900), limit: Bytes::new(1000), counts: None };
        PauseRecord {
            sent: 17,
            heard: 16,
            paused: Span::from_us(123),
            dropped_at_input: 0,
            dropped_at_output: 0,
            threshold,
            headroom: None,
        }
    }

    #[test]
    fn runs_stand_side_by_side() {
        insta::assert_snapshot!(with_runs(|runs| printed(runs, WIDTH)));
    }

    #[test]
    fn a_label_stands_once_before_its_run() {
        let headed = with_runs(|runs| {
            let labelled = ComparedRun { label: "off", asked: "off=victim:seed=3", ..runs[0] };
            printed(&[labelled, runs[1]], WIDTH)
        });
        assert!(headed.starts_with("off  victim:seed=3: congestion control Iba"), "{headed}");
        assert!(headed.contains("\nB  second:seed=3: congestion control"), "{headed}");
    }

    #[test]
    fn the_file_has_a_row_for_each_number_and_run() {
        let (file, numbers) = with_runs(|runs| (table_file(runs), rows(runs).len()));
        assert_eq!(file.lines().count(), 1 + 2 * numbers);
        assert!(file.contains("B,second:seed=3,goodput,F2 starts,F3,2.0,Gb/s,,\n"), "{file}");
        assert!(file.contains("A,first,goodput,F2 starts,F3,,Gb/s,,\n"), "{file}");
        assert!(file.contains("A,first,messages,to 10 MB,p99,,us,10000.0,\n"), "{file}");
    }

    #[test]
    fn json_has_a_row_for_each_number_with_the_value_of_each_run() {
        let (text, numbers) = with_runs(|runs| (json(runs), rows(runs).len()));
        let json: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(json["runs"][1]["label"], "B");
        let rows = json["rows"].as_array().unwrap();
        assert_eq!(rows.len(), numbers);
        let row = rows.iter().find(|row| row["phase"] == "F2 starts" && row["what"] == "F3").unwrap();
        assert_eq!((&row["unit"], &row["values"]), (&json!("Gb/s"), &json!({ "A": null, "B": 2.0 })));
    }
}
