//! Several runs side by side: a table on the terminal, a file.
//!
//! Invariant: each run has a column, in the order of the runs. Rows are matched by the names of phases
//! and flows, and a missing value is a dash.

mod by_name;
mod compared_phase;
mod completions;
mod flow_numbers;
mod groups;
mod jobs;
mod large_groups;
mod measured;
#[cfg(test)]
mod oracle;
mod phases;
mod printed;
mod remarks;
mod row;
mod victims;
mod whole_run;

pub use printed::{Shown, TableLine, tables};
pub use remarks::{ComparedRemark, remarks};
pub use row::{ComparedRun, ComparisonRow, RowKind};
pub use whole_run::DONE;

use serde_json::{Map, Value, json};

use crate::rows::CompareRow;
use crate::summary::Summary;
use crate::table::TableRow;
use flow_numbers::FlowNumbers;
use measures::Measure;
use measures::censoring::CensoredValue;
use measures::run::Missing;

/// Name and version of the format of [`Comparison::json`]. It changes if a field changes its meaning or is removed.
pub const SCHEMA: &str = "backwater-comparison/3";

/// Returns the default label of a run, by its place: A, B, C.
#[must_use]
pub fn letter(place: usize) -> String {
    char::from_u32('A' as u32 + place as u32).map_or_else(|| place.to_string(), String::from)
}

/// Several runs side by side.
#[derive(Debug)]
pub struct Comparison<'a> {
    runs: &'a [ComparedRun<'a>],
    rows: Vec<ComparisonRow>,
    /// Measures that the user names and a run lacks: the run's place, the measure, the reason.
    missing: Vec<(usize, Measure, Missing)>,
}

impl<'a> Comparison<'a> {
    /// Compares runs by these measures, or by the numbers of all topics if there are none.
    #[must_use]
    pub fn of(runs: &'a [ComparedRun<'a>], measures: Option<&[Measure]>) -> Self {
        let Some(measures) = measures else { return Self { runs, rows: all_rows(runs), missing: vec![] } };
        let (rows, missing) = measured::rows(runs, measures);
        Self { runs, rows, missing }
    }

    /// Returns the rows, in the order of tables.
    #[must_use]
    pub fn rows(&self) -> &[ComparisonRow] {
        &self.rows
    }

    /// Returns the rows of victims' waits by these measures, with the topic of other such rows.
    #[must_use]
    pub fn victim_rows(runs: &[ComparedRun<'_>], measures: &[Measure]) -> Vec<ComparisonRow> {
        victims::rows_of(runs, measures)
    }

    /// Returns the comparison as tables, in lines of at most `width` characters where possible.
    #[must_use]
    pub fn printed(&self, width: usize, shown: Shown) -> String {
        let mut text = String::new();
        for run in self.runs {
            let Summary { congestion_control, seed, simulated_s, digest, .. } = run.summary;
            let asked = run.asked.strip_prefix(run.label).and_then(|rest| rest.strip_prefix('='));
            text += &format!(
                "{}  {}: congestion control {congestion_control}, seed {seed}, {simulated_s} s, digest {digest}\n",
                run.label,
                asked.unwrap_or(run.asked)
            );
        }
        let labels: Vec<_> = self.runs.iter().map(|run| run.label.to_owned()).collect();
        let lines: Vec<_> = self.rows.iter().map(TableLine::of).collect();
        text += &tables(&lines, &labels, (width, shown));
        text + &self.missing_in_words().concat()
    }

    /// Returns a line for each measure that the user names and a run lacks.
    #[must_use]
    pub fn missing_in_words(&self) -> Vec<String> {
        let line = |(run, measure, reason): &(usize, Measure, Missing)| {
            format!("{}: no {measure}: {reason}\n", self.runs[*run].label)
        };
        self.missing.iter().map(line).collect()
    }

    /// Returns `compare.csv`: one row for each number and run.
    #[must_use]
    pub fn csv(&self) -> String {
        let cells = self.rows.iter().flat_map(|row| {
            let cells = self.runs.iter().zip(&row.cells);
            cells.map(move |(run, cell)| file_row(run, row, cell.map(|cell| row.kind.scaled(cell))))
        });
        CompareRow::csv(cells)
    }

    /// Returns the comparison as JSON: the runs, and a row for each number, with its value in each run by label.
    #[must_use]
    pub fn json(&self) -> Value {
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
                (run.label.to_owned(), json!(cell.map(|cell| row.kind.scaled(cell))))
            };
            let values: Map<String, Value> = self.runs.iter().zip(&row.cells).map(value).collect();
            json!({
                "topic": row.topic,
                "phase": row.phase,
                "what": row.what,
                "measure": row.measure,
                "unit": row.kind.word(),
                "better": row.kind.better(),
                "values": values,
            })
        };
        let runs = self.runs.iter().map(run).collect::<Vec<_>>();
        let rows = self.rows.iter().map(row).collect::<Vec<_>>();
        let missing = |(run, measure, reason): &(usize, Measure, Missing)| json!({ "run": self.runs[*run].label, "measure": measure, "reason": reason.to_string() });
        let missing = self.missing.iter().map(missing).collect::<Vec<_>>();
        let mut all = json!({ "schema": SCHEMA, "runs": runs, "rows": rows });
        if !missing.is_empty() {
            all["missing"] = missing.into();
        }
        all
    }
}

fn all_rows(runs: &[ComparedRun<'_>]) -> Vec<ComparisonRow> {
    let (phases, numbers) = (compared_phase::phases(runs), FlowNumbers::of(runs));
    let rows = [
        jobs::rows(runs),
        phases::goodput_rows(runs, &phases),
        phases::fairness_rows(&phases),
        victims::rows(runs, &numbers),
        groups::rows(runs),
        completions::flow_rows(runs),
        completions::message_rows(runs, &numbers),
        whole_run::rows(runs),
    ];
    rows.concat()
}

/// Returns the row of a run's value in `compare.csv`.
fn file_row<'a>(
    run: &ComparedRun<'a>,
    row: &'a ComparisonRow,
    value: Option<CensoredValue>,
) -> CompareRow<'a> {
    // A value that is not known has bounds.
    let bounds = value.filter(|value| value.exact().is_none());
    CompareRow {
        run: run.label.into(),
        asked: run.asked.into(),
        topic: row.topic.into(),
        phase: Some(row.phase.as_str()).filter(|phase| !phase.is_empty()).map(Into::into),
        what: row.what.as_str().into(),
        value: value.and_then(CensoredValue::exact),
        unit: row.kind.word().into(),
        at_least: bounds.map(CensoredValue::at_least),
        at_most: bounds.and_then(CensoredValue::at_most),
        measure: row.measure.as_ref().map(|measure| measure.to_string().into()),
        better: row.kind.better().map(Into::into),
        seed: run.summary.seed,
    }
}

#[cfg(test)]
mod tests {
    use measures::run::Posting;
    use telemetry::{MarginRecord, PauseRecord};
    use units::{Bytes, Span};

    use super::*;
    use crate::format::WIDTH;
    use crate::sample;

    const ENDS: [Posting; 4] = [Posting::Endless; 4];

    fn with_runs<T>(look: impl FnOnce(&[ComparedRun<'_>]) -> T) -> T {
        let (first, mut second) = (sample::record(), sample::record());
        second.flows[1].name = "F3".into();
        second.congestion = telemetry::Congestion::default();
        second.lanes[0].pause = Some(paused());
        let summaries = [&first, &second].map(|record| Summary::new(sample::CONTEXT, record, sample::cost()));
        look(&[
            ComparedRun { label: "A", asked: "first", summary: &summaries[0], record: &first, ends: &ENDS },
            ComparedRun {
                label: "B",
                asked: "second:seed=3",
                summary: &summaries[1],
                record: &second,
                ends: &ENDS,
            },
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
        insta::assert_snapshot!(with_runs(|runs| Comparison::of(runs, None).printed(WIDTH, Shown::All)));
    }

    #[test]
    fn what_a_screen_holds_is_printed_briefly() {
        insta::assert_snapshot!(with_runs(|runs| Comparison::of(runs, None).printed(WIDTH, Shown::Brief)));
    }

    #[test]
    fn a_label_stands_once_before_its_run() {
        let headed = with_runs(|runs| {
            let labelled = ComparedRun { label: "off", asked: "off=victim:seed=3", ..runs[0] };
            Comparison::of(&[labelled, runs[1]], None).printed(WIDTH, Shown::All)
        });
        assert!(headed.starts_with("off  victim:seed=3: congestion control Iba"), "{headed}");
        assert!(headed.contains("\nB  second:seed=3: congestion control"), "{headed}");
    }

    #[test]
    fn the_file_has_a_row_for_each_number_and_run() {
        let (file, numbers) =
            with_runs(|runs| (Comparison::of(runs, None).csv(), Comparison::of(runs, None).rows.len()));
        assert_eq!(file.lines().count(), 1 + 2 * numbers);
        assert!(file.contains("B,second:seed=3,goodput,F2 starts,F3,2.0,Gb/s,,,,larger,7\n"), "{file}");
        assert!(file.contains("A,first,goodput,F2 starts,F3,,Gb/s,,,,larger,7\n"), "{file}");
        assert!(file.contains("A,first,messages,to 10 MB,p99,,us,10000.0,,,smaller,7\n"), "{file}");
    }

    #[test]
    fn measures_that_the_user_names_are_the_rows() {
        let list = Measure::read_list("p99(contributors), goodput(F2, 2), pause_frames(all)").unwrap();
        let (text, json) = with_runs(|runs| {
            let comparison = Comparison::of(runs, Some(&list));
            (comparison.printed(WIDTH, Shown::All), comparison.json())
        });
        insta::assert_snapshot!(text.split_once("\n\n").unwrap().1);
        let goodput = json!({
            "topic": "measures", "phase": "", "what": "goodput(F2, 2), Gb/s", "measure": "goodput(F2, 2)",
            "unit": "Gb/s", "better": "larger", "values": { "A": 2.0, "B": null },
        });
        assert_eq!(json["rows"][1], goodput);
    }

    /// Flows of a large group have rows in files, and the group's row in tables.
    #[test]
    fn a_large_group_stands_for_its_flows() {
        let (mut record, mut summary) = (sample::record(), None);
        let flow = record.flows[0].clone();
        let named = |place| telemetry::FlowRecord { name: format!("S{place}").into(), ..flow.clone() };
        record.flows.splice(1..1, (0..8).map(named));
        for victim in record.congestion.roots.iter_mut().flat_map(|root| &mut root.victims) {
            victim.flow = 3;
        }
        let summary = summary.insert(Summary::new(sample::CONTEXT, &record, sample::cost()));
        let run = ComparedRun { label: "A", asked: "first", summary, record: &record, ends: &ENDS };
        let comparison = Comparison::of(std::slice::from_ref(&run), None);
        let printed =
            [Shown::Brief, Shown::All].map(|shown| comparison.printed(WIDTH, shown).contains(" S2 "));
        assert_eq!(printed, [false, true]);
        let victims: Vec<_> =
            comparison.rows.iter().filter(|row| row.topic == victims::TOPIC).map(|row| &row.what).collect();
        assert_eq!(victims, ["contributors"]);
        assert!(comparison.csv().contains(",S2,"));
    }

    /// Rows without `--measures` that are measures have the same number as with it.
    #[test]
    fn rows_that_are_measures_can_be_named() {
        let (named, by_name) = with_runs(|runs| {
            let rows = Comparison::of(runs, None).rows;
            let named: Vec<_> = rows.into_iter().filter(|row| row.measure.is_some()).collect();
            let list: Vec<_> = named.iter().filter_map(|row| row.measure.clone()).collect();
            (named, Comparison::of(runs, Some(&list)).rows)
        });
        assert!(named.len() > 20, "{named:?}");
        for (row, same) in named.iter().zip(&by_name) {
            // A run in which nobody waited has no victim in its table.
            let differs = |(one, other): (&Option<CensoredValue>, &Option<CensoredValue>)| {
                one.is_some_and(|one| {
                    other.is_some_and(|other| row.kind.scaled(one) != row.kind.scaled(other))
                })
            };
            assert!(!row.cells.iter().zip(&same.cells).any(differs), "{row:?} {same:?}");
        }
    }

    #[test]
    fn json_has_a_row_for_each_number_with_the_value_of_each_run() {
        let (json, numbers) =
            with_runs(|runs| (Comparison::of(runs, None).json(), Comparison::of(runs, None).rows.len()));
        assert_eq!(json["runs"][1]["label"], "B");
        let rows = json["rows"].as_array().unwrap();
        assert_eq!(rows.len(), numbers);
        let row = rows.iter().find(|row| row["phase"] == "F2 starts" && row["what"] == "F3").unwrap();
        assert_eq!((&row["unit"], &row["values"]), (&json!("Gb/s"), &json!({ "A": null, "B": 2.0 })));
    }
}
