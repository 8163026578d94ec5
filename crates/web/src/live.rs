//! A run as the page sees it while it goes on: curves, and the fabric.
//!
//! Invariant: looking changes nothing of the run. Memory is bounded: lines are few, and [`Curves`] have few points.

use fabric::{Look, SteppedRun};
use page::numbers::Numbers;
use scenario::Plan;
use serde::Serialize;
use telemetry::SeriesColumn;

use crate::curves::{Curves, Joined, LiveLine, LivePanel, Words};
use crate::live_fabric::{LiveFabric, LiveFabricData};

/// Most flows with a line.
const MOST_FLOWS: usize = 16;
/// Most queues with a line.
const MOST_QUEUES: usize = 8;
/// Most queues whose values are kept, so that a queue that becomes one of the longest has its past.
const MOST_KEPT: usize = 64;

/// Progress of a run.
#[derive(Debug, Serialize)]
pub struct ProgressData {
    /// Simulated time so far, in s.
    pub now_s: f64,
    /// Simulated time of the whole run, in s; the longest if the run ends when its traffic is delivered.
    pub end_s: f64,
    /// Events so far.
    pub events: u64,
    /// New points of the curves.
    pub panels: Vec<LivePanel>,
    /// All outputs since the last report.
    pub fabric: LiveFabricData,
}

/// What the page sees.
#[derive(Debug)]
pub(crate) struct Live {
    /// Named flows, in their order.
    flows: Vec<String>,
    goodput: Curves,
    /// Rows of the series of goodput that have a place in its curves.
    rows: usize,
    queues: Curves,
    /// Longest queue so far, by output.
    peaks: Vec<f64>,
    /// Names of outputs: node and peer.
    outputs: Vec<String>,
    rates: Curves,
    marks: Curves,
    /// Time in s and marks of the last look.
    marked: (f64, u64),
    fabric: LiveFabric,
}

impl Live {
    /// Returns the curves of a run at time zero.
    pub(crate) fn new(run: &SteppedRun) -> Self {
        let plan = run.plan();
        let named = plan.workload().flows.iter().filter(|flow| flow.named).take(MOST_FLOWS);
        let outputs = outputs(plan);
        let mut live = Self {
            flows: named.map(|flow| flow.name.to_string()).collect(),
            goodput: Curves::new(GOODPUT, Joined::Mean),
            rows: 0,
            queues: Curves::new(QUEUES, Joined::Larger),
            peaks: vec![0.0; outputs.len()],
            outputs,
            rates: Curves::new(RATES, Joined::Later),
            marks: Curves::new(MARKS, Joined::Mean),
            marked: (0.0, 0),
            fabric: LiveFabric::new(plan),
        };
        let columns = (0..).zip(&run.series().columns);
        let is_flow = |column: &SeriesColumn| matches!(column, SeriesColumn::Flow(_));
        let (flows, sums): (Vec<_>, Vec<_>) = columns.partition(|(_, column)| is_flow(column));
        flows
            .iter()
            .take(MOST_FLOWS)
            .chain(&sums)
            .for_each(|(place, _)| live.goodput.add_line(*place, f64::NAN));
        (0..live.flows.len() as u32).for_each(|flow| live.rates.add_line(flow, f64::NAN));
        live.marks.add_line(0, 0.0);
        live
    }

    /// Notes goodput, queues, rates and marks.
    pub(crate) fn look(&mut self, run: &SteppedRun) {
        let now_s = run.now().seconds();
        if now_s <= self.marked.0 {
            return;
        }
        self.take_goodput(run);
        let look = run.look();
        self.take_queues(now_s, &look);
        let allowed = |flow| run.allowed_rate(flow).map_or(f64::NAN, |rate| rate.get() as f64);
        self.rates.push(now_s, allowed);
        let (before_s, before) = self.marked;
        self.marks.push(now_s, |_| (look.marked - before) as f64 / (now_s - before_s));
        self.marked = (now_s, look.marked);
    }

    /// Returns the progress, with all that is new since the last.
    pub(crate) fn progress(&mut self, run: &SteppedRun, numbers: &mut Numbers) -> ProgressData {
        let goodput = self.news_of_goodput(run, numbers);
        let queues = self.queues.news(
            self.longest(),
            |output| line(self.outputs[output as usize].clone(), "output"),
            numbers,
        );
        let limited = self.rates.subjects().filter(|flow| self.rates.has_value(*flow)).collect();
        let rates =
            self.rates.news(limited, |flow| line(self.flows[flow as usize].clone(), "source"), numbers);
        let marked = if self.marked.1 > 0 { vec![0] } else { Vec::new() };
        let marks = self.marks.news(marked, |_| line("marked packets a second".to_owned(), "total"), numbers);
        ProgressData {
            now_s: run.now().seconds(),
            end_s: run.end().seconds(),
            events: run.events(),
            panels: [goodput, queues, rates, marks].into_iter().flatten().collect(),
            fabric: self.fabric.since_last((run.now(), &run.last_trees()), run.look(), numbers),
        }
    }

    fn take_goodput(&mut self, run: &SteppedRun) {
        let series = run.series();
        let interval_s = series.interval.seconds();
        for row in &series.rows[self.rows..] {
            self.rows += 1;
            let rate = |column: u32| row[column as usize].get() as f64 * 8.0 / interval_s;
            self.goodput.push(self.rows as f64 * interval_s, rate);
        }
    }

    fn news_of_goodput(&mut self, run: &SteppedRun, numbers: &mut Numbers) -> Option<LivePanel> {
        let workload = run.plan().workload();
        let columns = &run.series().columns;
        let is_alone = self.flows.is_empty();
        let named = |column: u32| match columns[column as usize] {
            SeriesColumn::Flow(flow) => line(workload.flows[flow as usize].name.to_string(), "flow"),
            SeriesColumn::Group(group) => line(workload.groups[group as usize].name.to_string(), "group"),
            SeriesColumn::Others => line("all other flows together".to_owned(), "others"),
            SeriesColumn::Total => {
                LiveLine { shown: is_alone, ..line("all flows together".to_owned(), "total") }
            }
        };
        self.goodput.news(self.goodput.subjects().collect(), named, numbers)
    }

    /// Notes the queues. Those that are the longest so far have a line.
    fn take_queues(&mut self, now_s: f64, look: &Look) {
        let queues = self.fabric.queues(look);
        for (output, queue) in (0..).zip(&queues) {
            let peak = &mut self.peaks[output as usize];
            let before = core::mem::replace(peak, peak.max(*queue));
            if *queue > before && !self.queues.subjects().any(|one| one == output) {
                self.keep_queue(output, before);
            }
        }
        self.queues.push(now_s, |output| queues[output as usize]);
    }

    /// Gives an output a line, if it has one of the longest queues so far, in place of the shortest of these. Its past is known if it never
    /// had a queue.
    fn keep_queue(&mut self, output: u32, peak_before: f64) {
        let peak = |output: u32| self.peaks[output as usize];
        if self.queues.subjects().count() >= MOST_KEPT {
            let shortest = self.queues.subjects().min_by(|one, other| peak(*one).total_cmp(&peak(*other)));
            let Some(shortest) = shortest.filter(|shortest| peak(*shortest) < peak(output)) else { return };
            self.queues.remove(shortest);
        }
        self.queues.add_line(output, if peak_before > 0.0 { f64::NAN } else { 0.0 });
    }

    /// Returns the outputs with the longest queues so far, the longest first.
    fn longest(&self) -> Vec<u32> {
        let peak = |output: &u32| self.peaks[*output as usize];
        let mut outputs: Vec<u32> = self.queues.subjects().collect();
        outputs.sort_by(|one, other| peak(other).total_cmp(&peak(one)));
        outputs.truncate(MOST_QUEUES);
        outputs.sort_unstable();
        outputs
    }
}

const GOODPUT: Words = Words {
    id: "goodput",
    heading: "Goodput over time",
    about: "Payload that hosts took in, in each interval.",
    unit: "bit/s",
};

const QUEUES: Words = Words {
    id: "queues",
    heading: "Queues so far",
    about: "Packets that wait in a switch for an output, at the eight longest queues.",
    unit: "B",
};

const RATES: Words = Words {
    id: "rates",
    heading: "Rates so far",
    about: "The largest rate on the wire that congestion control allows a flow.",
    unit: "bit/s",
};

const MARKS: Words = Words {
    id: "marks",
    heading: "Marks so far",
    about: "Packets that switches marked, a second.",
    unit: "1/s",
};

fn line(name: String, kind: &'static str) -> LiveLine {
    LiveLine { name, kind, shown: true }
}

/// Returns the names of all outputs.
fn outputs(plan: &Plan) -> Vec<String> {
    let graph = plan.graph();
    let nodes = graph.host_ids().chain(graph.switch_ids());
    let of = |node| {
        graph.ports(node).iter().map(move |far| format!("{} to {}", graph.name(node), graph.name(far.peer)))
    };
    nodes.flat_map(of).collect()
}
