//! A run in steps, with its curves so far, and its results.
//!
//! Invariant: the results are those of the command line, whatever the steps. A curve so far holds at most 1,000 points; a longer
//! one is thinned, and the results then have every sample.

use std::collections::BTreeMap;
use std::time::Duration;

use fabric::{RunError, SteppedRun};
use report::manifest::{FolderKind, Manifest, PlanIdentity, RunEnd, SCHEMA};
use report::{OutputFile, RunCost, RunIdentity, Summary};
use scenario::Plan;
use serde::Serialize;
use telemetry::{RunEnding, RunRecord, SeriesColumn};
use units::{Span, Time};

use crate::checking::{Case, page_data, plan_of, refusal};

/// Most points of a curve so far.
pub(crate) const MOST_POINTS: usize = 1000;
/// Most lines of a curve so far.
const MOST_LINES: usize = 16;
/// Moments of the fabric's picture, as the command line has them.
const MOMENTS: usize = 64;

/// End of a run without results.
#[derive(Clone, Debug, Serialize, thiserror::Error)]
#[error("{message}")]
pub struct EndOfRun {
    /// `fault`, `refused`, `deadlock`, `violation`.
    pub how: &'static str,
    /// The message that the command line prints.
    pub message: String,
}

/// Progress of a run.
#[derive(Debug, Serialize)]
pub struct ProgressData {
    /// Simulated time so far, in s.
    pub now_s: f64,
    /// Simulated time of the whole run, in s; the longest if the run ends when its traffic is delivered.
    pub end_s: f64,
    /// Events so far.
    pub events: u64,
    /// True once the run is over.
    pub is_over: bool,
    /// Curves so far.
    pub panels: Vec<LivePanel>,
}

/// Curves so far.
#[derive(Debug, Serialize)]
pub struct LivePanel {
    /// `goodput`, `queues`, `rates`, `marks`.
    pub id: &'static str,
    /// Heading.
    pub heading: &'static str,
    /// A sentence.
    pub about: &'static str,
    /// Unit of the values: `bit/s`, `B`, or `1/s`.
    pub unit: &'static str,
    /// Times in s.
    pub x: Vec<f64>,
    /// Lines.
    pub lines: Vec<LiveLine>,
    /// Samples behind each point; 1 if the lines have every sample.
    pub samples_a_pair: usize,
}

/// A line of the curves so far.
#[derive(Debug, Serialize)]
pub struct LiveLine {
    /// Name of its subject.
    pub name: String,
    /// Kind of its subject: `flow`, `group`, `others`, `total`, `output`, `source`.
    pub kind: &'static str,
    /// Values, one for each time.
    pub y: Vec<Option<f64>>,
    /// True if the line is on at first.
    pub shown: bool,
}

/// Results of a run.
#[derive(Debug, Serialize)]
pub struct ResultData {
    /// Digest of the run, in hexadecimal.
    pub digest: String,
    /// Data of the report's page, as JSON.
    #[serde(skip)]
    pub page: String,
    /// Files that `backwater sim` writes.
    pub files: Vec<FileData>,
}

/// A file of a run.
#[derive(Debug, Serialize)]
pub struct FileData {
    /// Its name.
    pub name: String,
    /// Its text.
    pub contents: String,
}

/// Values at the ends of steps.
#[derive(Debug, Default)]
struct Looks {
    times: Vec<f64>,
    /// Queues in bytes, by output.
    queues: BTreeMap<String, BTreeMap<usize, f64>>,
    /// Rates in bit/s, by flow.
    rates: Vec<Vec<Option<f64>>>,
    /// Packets marked so far.
    marked: Vec<u64>,
}

/// A run of a case.
#[derive(Debug)]
pub struct Session {
    run: SteppedRun,
    sets: Vec<String>,
    names: Vec<String>,
    looks: Looks,
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
        let flows = &plan.workload().flows;
        let named = flows.iter().filter(|flow| flow.named).take(MOST_LINES);
        let names: Vec<String> = named.map(|flow| flow.name.to_string()).collect();
        Ok(Self {
            run: SteppedRun::new(plan, MOMENTS),
            sets: case.sets.clone(),
            names,
            looks: Looks::default(),
        })
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
        self.look();
        Ok(is_over)
    }

    /// Returns the progress, with the curves so far.
    #[must_use]
    pub fn progress(&self) -> ProgressData {
        ProgressData {
            now_s: self.run.now().ps() as f64 / 1e12,
            end_s: self.run.end().ps() as f64 / 1e12,
            events: self.run.events(),
            is_over: self.run.now() >= self.run.end(),
            panels: vec![self.goodput(), self.queues(), self.rates(), self.marks()]
                .into_iter()
                .filter(|panel| !panel.lines.is_empty())
                .collect(),
        }
    }

    /// Ends a run that is over, and returns its results. `elapsed_s` is the elapsed time, which the page knows.
    ///
    /// # Errors
    /// If an invariant of the simulator is violated.
    pub fn finish(self, elapsed_s: f64) -> Result<ResultData, EndOfRun> {
        let (plan, record) = self.run.finish().map_err(|error| failed(&error))?;
        let identity = RunIdentity {
            scenario: plan.name(),
            congestion_control: plan.congestion_control(),
            seed: plan.seed(),
            version: env!("CARGO_PKG_VERSION"),
        };
        let cost = RunCost { wall: Duration::from_secs_f64(elapsed_s.max(0.0)), peak_rss: None };
        let summary = Summary::new(identity, &record, cost);
        let files = report::output(&summary, &record, plan.resolved()).files;
        let violated = |message| EndOfRun { how: "violation", message };
        let page = page_data(&files, &manifest(&plan, &record, &self.sets)).map_err(violated)?;
        let file = |OutputFile { name, contents }| FileData { name, contents };
        Ok(ResultData { digest: summary.digest, page, files: files.into_iter().map(file).collect() })
    }

    /// Notes queues, rates and marks.
    fn look(&mut self) {
        let looks = &mut self.looks;
        if looks.times.len() >= MOST_POINTS {
            return; // The results have every sample.
        }
        let seen = self.run.look();
        let at = looks.times.len();
        looks.times.push(self.run.now().ps() as f64 / 1e12);
        looks.marked.push(seen.marked);
        let graph = self.run.plan().graph();
        for output in seen.outputs {
            let peer = graph.far_end((output.node, output.port)).0;
            let name = format!("{} to {}", graph.name(output.node), graph.name(peer));
            *looks.queues.entry(name).or_default().entry(at).or_insert(0.0) += output.waiting.get() as f64;
        }
        let rates = (0..self.names.len() as u32).map(|flow| self.run.allowed_rate(flow));
        looks.rates.push(rates.map(|rate| rate.map(|rate| rate.get() as f64)).collect());
    }

    fn goodput(&self) -> LivePanel {
        let series = self.run.series();
        let samples = series.rows.len().div_ceil(MOST_POINTS).max(1);
        let seconds = series.interval.seconds();
        let bins: Vec<_> = series.rows.chunks(samples).collect();
        let end = |place: usize| ((place + 1) * samples).min(series.rows.len()) as f64 * seconds;
        let plan = self.run.plan();
        let line = |(place, column): (usize, &SeriesColumn)| {
            let (name, kind) = match *column {
                SeriesColumn::Flow(flow) => (plan.workload().flows[flow as usize].name.to_string(), "flow"),
                SeriesColumn::Group(group) => {
                    (plan.workload().groups[group as usize].name.to_string(), "group")
                }
                SeriesColumn::Others => ("all other flows together".to_owned(), "others"),
                SeriesColumn::Total => ("all flows together".to_owned(), "total"),
            };
            let of_bin = |rows: &&[Vec<units::Bytes>]| {
                let bytes: u64 = rows.iter().map(|row| row[place].get()).sum();
                Some(bytes as f64 * 8.0 / (seconds * rows.len() as f64))
            };
            let is_alone = self.names.is_empty();
            LiveLine { name, kind, y: bins.iter().map(of_bin).collect(), shown: kind != "total" || is_alone }
        };
        let columns = series.columns.iter().enumerate();
        let (flows, sums): (Vec<_>, Vec<_>) =
            columns.partition(|(_, column)| matches!(column, SeriesColumn::Flow(_)));
        LivePanel {
            id: "goodput",
            heading: "Goodput over time",
            about: "Payload that hosts took in, in each interval.",
            unit: "bit/s",
            x: (0..bins.len()).map(end).collect(),
            lines: flows.into_iter().take(MOST_LINES).chain(sums).map(line).collect(),
            samples_a_pair: samples,
        }
    }

    /// Returns the longest queues. An output without an entry at a time has no packet that waits.
    fn queues(&self) -> LivePanel {
        let count = self.looks.times.len();
        let peak = |values: &BTreeMap<usize, f64>| values.values().copied().fold(0.0, f64::max);
        let mut outputs: Vec<_> = self.looks.queues.iter().collect();
        outputs.sort_by(|one, other| peak(other.1).total_cmp(&peak(one.1)));
        let line = |(name, values): (&String, &BTreeMap<usize, f64>)| LiveLine {
            name: name.clone(),
            kind: "output",
            y: (0..count).map(|at| Some(values.get(&at).copied().unwrap_or(0.0))).collect(),
            shown: true,
        };
        self.panel("queues", "B", outputs.into_iter().take(8).map(line).collect())
    }

    fn rates(&self) -> LivePanel {
        let line = |(flow, name): (usize, &String)| LiveLine {
            name: name.clone(),
            kind: "source",
            y: self.looks.rates.iter().map(|rates| rates[flow]).collect(),
            shown: true,
        };
        let lines = self.names.iter().enumerate().map(line);
        let is_limited = |line: &LiveLine| line.y.iter().any(Option::is_some);
        self.panel("rates", "bit/s", lines.filter(is_limited).collect())
    }

    /// Returns the packets marked in each interval between looks, a second.
    fn marks(&self) -> LivePanel {
        let Looks { times, marked, .. } = &self.looks;
        let before = |at: usize| if at == 0 { (0.0, 0) } else { (times[at - 1], marked[at - 1]) };
        let rate = |at: usize| {
            let (time, marks) = before(at);
            Some((marked[at] - marks) as f64 / (times[at] - time).max(1e-12))
        };
        let y = (0..times.len()).map(rate).collect();
        let line = LiveLine { name: "marked packets a second".to_owned(), kind: "total", y, shown: true };
        let has_any = marked.last().is_some_and(|all| *all > 0);
        self.panel("marks", "1/s", if has_any { vec![line] } else { Vec::new() })
    }

    fn panel(&self, id: &'static str, unit: &'static str, lines: Vec<LiveLine>) -> LivePanel {
        let (heading, about) = match id {
            "queues" => {
                ("Queues so far", "Packets that wait in a switch for an output, at the eight longest queues.")
            }
            "rates" => {
                ("Rates so far", "The largest rate on the wire that congestion control allows a flow.")
            }
            _ => ("Marks so far", "Packets that switches marked, a second."),
        };
        LivePanel { id, heading, about, unit, x: self.looks.times.clone(), lines, samples_a_pair: 1 }
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
    let simulated_s = record.simulated.seconds();
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
        }],
        ended: match record.ended {
            RunEnding::AtDuration => RunEnd::Complete,
            RunEnding::Done => RunEnd::Done { done_s: simulated_s },
            RunEnding::NotDone => RunEnd::NotDone { simulated_s },
            RunEnding::Interrupted => RunEnd::Interrupted { simulated_s },
        },
        files: Vec::new(),
        undrawn: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn curves_so_far_grow() {
        let mut session =
            Session::new(&case("roce-victim", &["congestion_control=Dcqcn(preset: Recommended)"]))
                .expect("it can run");
        (0..30).for_each(|_| assert!(!session.advance(1e-4).expect("it goes on")));
        let before = session.progress();
        let ids: Vec<_> = before.panels.iter().map(|panel| panel.id).collect();
        assert_eq!(ids, ["goodput", "queues", "rates", "marks"]);
        session.advance(1e-3).expect("it goes on");
        for (one, other) in before.panels.iter().zip(session.progress().panels) {
            assert!(
                other.x.len() > one.x.len() && other.lines.iter().all(|line| line.y.len() == other.x.len())
            );
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
