//! Runs side by side over several seeds: means with intervals, and differences with the first run, seed by seed.
//!
//! Invariant: a number that a seed does not know is never part of a mean; a bound of any seed makes the mean a bound.
//! The runs of one seed have the same random streams, so differences are paired by seed.
//!
//! | module | contents |
//! |---|---|
//! | `headline` | the measure that an answer is about |
//! | `row` | a row of the table, with a value for each run and seed |
//! | `story` | the facts of the first seed that the answer names |
//! | `answer` | the answer in four sentences |
//! | `opposite` | runs whose waits and times of messages go opposite ways |
//! | `cost` | rows in which the best run is worse than another |

mod answer;
mod cost;
mod headline;
mod opposite;
mod row;
mod story;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use measures::Measure;
use measures::run::one;
use results::comparison::{
    ComparedRemark, ComparedRun, Comparison, SCHEMA, Shown, TableLine, remarks, tables,
};
use serde_json::{Value, json};
use telemetry::RunEnding;

use crate::statistics::Reading;
use row::SeededRow;
use story::Story;

pub use answer::CompareCommand;

/// Runs side by side, over a seed or several.
#[derive(Debug, Default)]
pub struct SeededComparison {
    measures: Option<Vec<Measure>>,
    /// Seeds of the first run, in their order.
    seeds: Vec<u64>,
    runs: Vec<SeededRun>,
    rows: Vec<SeededRow>,
    /// Places of rows by topic, phase and name.
    places: BTreeMap<(&'static str, String, String), usize>,
    /// Measures of the rows about victims, from the first seed.
    victims: Vec<Measure>,
    story: Option<Story>,
    /// Measures that a run lacks in the first seed, in words.
    missing: Vec<String>,
    /// Remarks on the runs of the first seed.
    remarks: Vec<ComparedRemark>,
    csv: String,
}

/// A run with several seeds.
#[derive(Debug)]
struct SeededRun {
    label: String,
    asked: String,
    scenario: String,
    congestion_control: String,
    simulated_s: f64,
    own_seeds: Vec<u64>,
    digests: Vec<String>,
    /// Number of the headline by seed.
    readings: BTreeMap<usize, Reading>,
}

impl SeededComparison {
    /// Starts a comparison by these measures, or by the numbers of all topics if there are none.
    #[must_use]
    pub fn new(measures: Option<&[Measure]>) -> Self {
        Self { measures: measures.map(<[Measure]>::to_vec), ..Self::default() }
    }

    /// Adds the runs of a seed, which are the same runs in the same order for every seed, and returns their own
    /// comparison.
    ///
    /// # Panics
    /// If there are fewer or more runs than before.
    pub fn add<'a>(&mut self, runs: &'a [ComparedRun<'a>]) -> Comparison<'a> {
        let comparison = Comparison::of(runs, self.measures.as_deref());
        if self.seeds.is_empty() {
            self.runs = runs.iter().map(SeededRun::of).collect();
            self.story = Some(Story::of(runs, comparison.rows(), self.measures.as_deref()));
            self.victims = row::victims(comparison.rows());
            self.missing = comparison.missing_in_words();
            self.remarks = remarks(runs);
        }
        assert_eq!(runs.len(), self.runs.len(), "every seed has all runs");
        let headline = &self.story.as_ref().expect("the first seed has a story").measure;
        for (seeded, run) in self.runs.iter_mut().zip(runs) {
            let reading = match run.record.ended {
                // It did a part of its work, and no time brings the rest.
                RunEnding::Stuck => Reading::Missing,
                _ => Reading::from(&one(run.measured(), headline)),
            };
            seeded.readings.insert(self.seeds.len(), reading);
            seeded.own_seeds.push(run.summary.seed);
            seeded.digests.push(run.summary.digest.clone());
        }
        let rows = row::with_same_victims(comparison.rows(), runs, &self.victims);
        for row in rows {
            self.add_row(row);
        }
        self.seeds.push(runs[0].summary.seed);
        let csv = comparison.csv();
        let (header, lines) = csv.split_once('\n').expect("a table has a header");
        if self.csv.is_empty() {
            self.csv = format!("{header}\n");
        }
        self.csv += lines;
        comparison
    }

    fn add_row(&mut self, row: results::comparison::ComparisonRow) {
        let (seed, next) = (self.seeds.len(), self.rows.len());
        let key = (row.topic, row.phase.clone(), row.what.clone());
        let place = *self.places.entry(key).or_insert(next);
        if place == next {
            self.rows.push(SeededRow::of(row, seed));
        } else {
            self.rows[place].add(&row, seed);
        }
    }

    /// Returns `compare.csv`: a row for each number, run and seed.
    #[must_use]
    pub fn csv(&self) -> &str {
        &self.csv
    }

    /// Returns the tables over all seeds, in lines of at most `width` characters where possible.
    #[must_use]
    pub fn printed(&self, width: usize, shown: Shown) -> String {
        let mut text = String::new();
        for run in &self.runs {
            let SeededRun { label, asked, congestion_control, simulated_s, own_seeds, .. } = run;
            let asked = asked.strip_prefix(label).and_then(|rest| rest.strip_prefix('=')).unwrap_or(asked);
            let seeds: Vec<_> = own_seeds.iter().map(ToString::to_string).collect();
            text += &format!(
                "{label}  {asked}: congestion control {congestion_control}, seeds {}, {simulated_s} s\n",
                seeds.join(", ")
            );
        }
        text +=
            "Means over the seeds with 95 % intervals; differences with the first run are paired by seed.\n";
        let columns: Vec<_> = self.runs.iter().map(|run| run.label.clone()).collect();
        let differences = self.runs[1..].iter().map(|run| format!("{} - {}", run.label, self.runs[0].label));
        let columns: Vec<_> = columns.into_iter().chain(differences).collect();
        let lines: Vec<TableLine<'_>> = self.rows.iter().map(|row| row.line(self.seeds.len())).collect();
        text += &tables(&lines, &columns, (width, shown));
        text + &self.missing.concat()
    }

    /// Returns the comparison over several seeds as JSON: the runs, and a row for each number, with means, intervals
    /// and differences by label.
    #[must_use]
    pub fn json(&self) -> Value {
        let run = |run: &SeededRun| {
            json!({
                "label": run.label,
                "asked": run.asked,
                "scenario": run.scenario,
                "congestion_control": run.congestion_control,
                "seed": run.own_seeds[0],
                "simulated_s": run.simulated_s,
                "digest": run.digests[0],
                "digests": run.digests,
            })
        };
        let labels: Vec<_> = self.runs.iter().map(|run| run.label.as_str()).collect();
        json!({
            "schema": SCHEMA,
            "seeds": self.seeds,
            "runs": self.runs.iter().map(run).collect::<Vec<_>>(),
            "rows": self.rows.iter().map(|row| row.json(&labels, self.seeds.len())).collect::<Vec<_>>(),
        })
    }
}

impl SeededRun {
    fn of(run: &ComparedRun<'_>) -> Self {
        Self {
            label: run.label.to_owned(),
            asked: run.asked.to_owned(),
            scenario: run.summary.scenario.clone(),
            congestion_control: run.summary.congestion_control.clone(),
            simulated_s: run.summary.simulated_s,
            own_seeds: Vec::new(),
            digests: Vec::new(),
            readings: BTreeMap::new(),
        }
    }
}
