//! A run in steps, and its results.
//!
//! Invariant: the results are those of the command line, whatever the steps.

use std::time::Duration;

use fabric::{RunError, SteppedRun};
use page::numbers::Numbers;
use results::manifest::{FolderKind, Manifest, PlanIdentity, RunEnd, SCHEMA};
use results::{OutputFile, RunCost, Summary};
use scenario::Plan;
use serde::Serialize;
use telemetry::{RunRecord, Timeline};
use units::{Span, Time};

use crate::checking::{Case, GraphData, graph, page_data, plan_of, refusal};
use crate::live::{Live, ProgressData};

/// End of a run without results.
#[derive(Clone, Debug, Serialize, thiserror::Error)]
#[error("{message}")]
pub struct EndOfRun {
    /// `fault`, `refused`, `deadlock`, `violation`.
    pub how: &'static str,
    /// The message that the command line prints.
    pub message: String,
}

/// Results of a run.
#[derive(Debug)]
pub struct ResultData {
    /// Digest of the run, in hexadecimal.
    pub digest: String,
    /// Data of the report's page, as JSON without its numbers.
    pub page: String,
    /// Numbers of the page's data.
    pub numbers: Numbers,
    /// Files that `backwater sim` writes.
    pub files: Vec<OutputFile>,
}

/// A run of a case.
#[derive(Debug)]
pub struct Session {
    run: SteppedRun,
    sets: Vec<String>,
    live: Live,
}

impl Session {
    /// Begins the run of a case.
    ///
    /// # Errors
    /// If the case has a fault, or is too large for a page.
    pub fn new(case: &Case) -> Result<Self, EndOfRun> {
        let plan = plan_of(case).map_err(|fault| EndOfRun { how: "fault", message: fault.to_string() })?;
        if let Some(message) = refusal(&plan) {
            return Err(EndOfRun { how: "refused", message });
        }
        let run = SteppedRun::new(plan, Timeline::MOST);
        let live = Live::new(&run);
        Ok(Self { run, sets: case.sets.clone(), live })
    }

    /// Returns the sampling interval in s.
    #[must_use]
    pub fn sample_s(&self) -> f64 {
        self.run.plan().sample().seconds()
    }

    /// Advances by a simulated time in s. Returns true once the run is over.
    ///
    /// # Errors
    /// If packets are in a deadlock, or an invariant of the simulator is violated.
    pub fn advance(&mut self, by_s: f64) -> Result<bool, EndOfRun> {
        let by = Span::from_ps((by_s * 1e12).clamp(1.0, 1e18) as u64);
        let to = Time::from_ps(self.run.now().ps().saturating_add(by.ps()));
        let is_over = self.run.advance(to).map_err(|error| failed(&error))?;
        self.live.look(&self.run);
        Ok(is_over)
    }

    /// Returns the graph of the fabric.
    #[must_use]
    pub fn graph(&self) -> GraphData {
        graph(self.run.plan())
    }

    /// Returns the progress since the last call, and adds its arrays to `numbers`.
    #[must_use]
    pub fn progress(&mut self, numbers: &mut Numbers) -> ProgressData {
        self.live.progress(&self.run, numbers)
    }

    /// Ends a run that is over, and returns its results. `elapsed_s` is the elapsed time, which the page knows.
    ///
    /// # Errors
    /// If an invariant of the simulator is violated.
    pub fn finish(self, elapsed_s: f64) -> Result<ResultData, EndOfRun> {
        let (plan, record) = self.run.finish().map_err(|error| failed(&error))?;
        let cost = RunCost { wall: Duration::from_secs_f64(elapsed_s.max(0.0)), peak_rss: None };
        let summary = Summary::of_plan(&plan, env!("CARGO_PKG_VERSION"), &record, cost);
        let files = figures::output(&summary, &record, plan.resolved()).files;
        let violated = |message| EndOfRun { how: "violation", message };
        let manifest = manifest(&plan, &record, &self.sets);
        drop(record);
        let (page, numbers) = page_data(&files, &manifest).map_err(violated)?;
        Ok(ResultData { digest: summary.digest, page, numbers, files })
    }
}

/// Returns the end of a run that failed.
fn failed(error: &RunError) -> EndOfRun {
    let how = match error {
        RunError::Deadlock(_) => "deadlock",
        RunError::Violation(_) => "violation",
    };
    EndOfRun { how, message: error.to_string() }
}

/// Returns the manifest of a run, for the sentences of its page.
fn manifest(plan: &Plan, record: &RunRecord, sets: &[String]) -> Manifest {
    Manifest {
        schema: SCHEMA.to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        commit: None,
        kind: FolderKind::Run,
        verdict: None,
        command: Vec::new(),
        plans: vec![PlanIdentity {
            scenario: plan.name().to_owned(),
            overrides: sets.to_vec(),
            seed: plan.seed(),
            plan_digest: plan.digest().to_string(),
            own_policies: Vec::new(),
        }],
        ended: RunEnd::of(record),
        files: Vec::new(),
        undrawn: Vec::new(),
        chosen: None,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// Returns a number of the data as a place.
    fn whole(number: &serde_json::Value) -> usize {
        number.as_u64().and_then(|number| number.try_into().ok()).expect("it is a place")
    }

    fn case(name: &str, sets: &[&str]) -> Case {
        let text = scenario::shipped().iter().find(|one| one.name == name).expect("it ships").text.to_owned();
        Case {
            name: name.to_owned(),
            text,
            sets: sets.iter().map(|set| (*set).to_owned()).collect(),
            seed: None,
        }
    }

    fn finished(case: &Case, step_s: f64) -> ResultData {
        let mut session = Session::new(case).expect("it can run");
        while !session.advance(step_s).expect("it goes on") {}
        session.finish(1.0).expect("it ends well")
    }

    #[test]
    fn the_digest_is_that_of_the_command_line_whatever_the_steps() {
        let case = case("roce-victim", &[]);
        let plan = plan_of(&case).expect("it is right");
        let record = fabric::simulate(&plan, fabric::RunOptions::default(), &mut |_| {}).expect("it runs");
        let native = format!("{:016x}", record.digest);
        for step_s in [1.0, 50e-6, 37.7e-6, 1e-3] {
            let result = finished(&case, step_s);
            assert_eq!(result.digest, native, "{step_s}");
            assert!(
                result.page.contains("\"leads\"") && result.files.iter().any(|file| file.name == "flows.csv")
            );
        }
    }

    /// Joined, the reports of progress are the curves, of which the goodput is that of the results; and the loads of
    /// the reports add up to the load of the whole run.
    #[test]
    fn reports_of_progress_add_up_to_the_results() {
        let case = case("roce-victim", &["congestion_control=Dcqcn(preset: Recommended)"]);
        let mut session = Session::new(&case).expect("it can run");
        let (mut joined, mut sent, mut is_over) = (BTreeMap::new(), Vec::new(), false);
        for step in 1.. {
            let mut numbers = Numbers::default();
            let progress = session.progress(&mut numbers);
            let json = serde_json::to_value(&progress).expect("data are plain");
            join(&mut joined, &json, &numbers);
            let interval_s = progress.fabric.to_s - progress.fabric.from_s;
            sent.resize(numbers.shorts.len() / 2, 0.0);
            let load = numbers.shorts.iter().map(|part| f64::from(*part) / 1e4 * interval_s);
            sent.iter_mut().zip(load).for_each(|(sum, share)| *sum += share);
            if is_over {
                break;
            }
            is_over = session.advance(1e-5 * f64::from(step)).expect("it goes on");
        }
        let graph = session.graph();
        assert_eq!(sent.len(), graph.outputs.len() / 3);
        let end_s = session.run.end().seconds();
        assert_eq!(joined.keys().collect::<Vec<_>>(), ["goodput", "marks", "queues", "rates"]);
        let result = session.finish(1.0).expect("it ends well");
        let page: serde_json::Value = serde_json::from_str(&result.page).expect("it is JSON");
        let range = &page["panels"][0]["lines"][0]["y"]["f64"];
        let [from, length] = [0, 1].map(|place| whole(&range[place]));
        let expected = &result.numbers.floats[from..from + length];
        let [x, y, ..] = &joined["goodput"][..] else { panic!("{joined:?}") };
        assert_eq!((x.len(), y.len()), (expected.len(), expected.len()));
        for (at, (one, other)) in y.iter().zip(expected).enumerate() {
            assert!((one - other).abs() <= 1e-3 * other.abs() + 1.0, "{at}: {one} and {other}");
        }
        let ports = result.files.iter().find(|file| file.name == "ports.csv").expect("it is there");
        let mut reader = ports.contents.lines();
        let column = reader.next().and_then(|head| head.split(',').position(|name| name == "utilisation"));
        let column = column.expect("there is such a column");
        let used: Vec<f64> = reader
            .map(|row| row.split(',').nth(column).expect("it has it").parse().expect("a number"))
            .collect();
        assert_eq!(used.len(), sent.len(), "one lane each");
        for (port, (used, sent)) in used.iter().zip(&sent).enumerate() {
            // Each report rounds to a ten-thousandth.
            assert!((used - sent / end_s).abs() < 2e-4, "port {port}: {used} and {}", sent / end_s);
        }
    }

    /// Adds the new points of all panels to those of before, as the page does.
    fn join(joined: &mut BTreeMap<String, Vec<Vec<f64>>>, progress: &serde_json::Value, numbers: &Numbers) {
        for panel in progress["panels"].as_array().expect("panels are a list") {
            let lines = joined.entry(panel["id"].as_str().expect("it has a name").to_owned()).or_default();
            let arrays = core::iter::once(&panel["x"]).chain(panel["y"].as_array().expect("a list"));
            if !panel["lines"].is_null() {
                *lines = vec![Vec::new(); arrays.clone().count()];
            }
            for (line, range) in lines.iter_mut().zip(arrays) {
                let at = |place: usize| whole(&range["f64"][place]);
                line.extend(&numbers.floats[at(0)..][..at(1)]);
            }
        }
    }

    #[test]
    fn faults_and_deadlocks_have_the_words_of_the_command_line() {
        let fault = Session::new(&case("victim", &["link.mtu=3 KiB"])).expect_err("no such MTU");
        assert!(fault.how == "fault" && fault.message.contains("--set link.mtu=3 KiB"), "{fault}");
        let mut ring = Session::new(&case("ring", &["routing=MinHop", "dependency_cycles=Allowed"]))
            .expect("it can run");
        let ended = loop {
            match ring.advance(100e-6) {
                Ok(is_over) => assert!(!is_over, "it has a deadlock"),
                Err(ended) => break ended,
            }
        };
        assert!(
            ended.how == "deadlock" && ended.message.contains("s1, port 2, VL0: waits for room at s2"),
            "{ended}"
        );
        let large =
            Session::new(&case("victim", &["duration=\"200 s\"", "sample=\"1 ms\""])).expect_err("too large");
        assert!(large.how == "refused" && large.message.contains("MB"), "{large}");
    }
}
