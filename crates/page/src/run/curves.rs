//! Goodput, queues and rates over time.
//!
//! Invariant: a value stands at the time of its row. A line that has no row at a time has a gap there.

use std::collections::{BTreeMap, BTreeSet};

use results::reader::{ReadError, RunFacts, RunFiles};
use results::rows::{PortSeriesRow, SourceSeriesRow, TreeRow, WatchRow};
use results::table::TableRow;

use crate::data::{Line, Panel};
use crate::words;

/// Most flows with a line of their own.
const MOST_FLOWS: usize = 64;
/// Most outputs with a line of their own.
const MOST_OUTPUTS: usize = 24;
/// Lines that are on at first.
const SHOWN: usize = 8;

pub(super) fn panels(files: RunFiles<'_>, facts: &RunFacts) -> Result<Vec<Panel>, ReadError> {
    let panels = [goodput(files, facts)?, queues(files)?, rates(files)?];
    Ok(panels.into_iter().flatten().map(Panel::decimated).collect())
}

/// Returns the panels that the files have no data for: name, heading, and the way to get them.
pub(super) fn missing(panels: &[Panel]) -> Vec<(&'static str, &'static str, &'static str)> {
    let all = [
        (
            "queues",
            "Queues over time",
            "No queue was seen: no congestion tree, and no port that the scenario asks for.",
        ),
        (
            "rates",
            "Rates over time",
            "The run recorded no rates of sources. The scenario's field `series: (busiest_sources: 8)` records the rate, \
             window and congestion control of the eight busiest flows.",
        ),
    ];
    all.into_iter().filter(|(id, ..)| panels.iter().all(|panel| panel.id != *id)).collect()
}

/// Values by line and time, in the order in which lines appear.
#[derive(Default)]
struct Gathered {
    lines: Vec<(String, &'static str)>,
    places: BTreeMap<String, usize>,
    values: Vec<BTreeMap<Instant, f64>>,
}

/// A time in whole picoseconds, which orders rows of several files.
type Instant = u64;

fn instant(seconds: f64) -> Instant {
    (seconds * 1e12).round() as Instant
}

impl Gathered {
    fn add(&mut self, (name, kind): (&str, &'static str), time_s: f64, value: f64) {
        let place = match self.places.get(name) {
            Some(place) => *place,
            None => {
                self.places.insert(name.to_owned(), self.lines.len());
                self.lines.push((name.to_owned(), kind));
                self.values.push(BTreeMap::new());
                self.lines.len() - 1
            }
        };
        self.values[place].insert(instant(time_s), value);
    }

    /// Returns the times of all lines, and the lines. A line has a gap where it has no row.
    fn lined_up(self, further: impl IntoIterator<Item = f64>) -> (Vec<f64>, Vec<Line>) {
        let mut times: BTreeSet<Instant> = self.values.iter().flat_map(|line| line.keys().copied()).collect();
        times.extend(further.into_iter().map(instant));
        let line = |((name, kind), values): ((String, &'static str), BTreeMap<Instant, f64>)| Line {
            name,
            kind,
            y: times.iter().map(|time| values.get(time).copied()).collect(),
            shown: true,
        };
        let lines = self.lines.into_iter().zip(self.values).map(line).collect();
        (times.iter().map(|time| *time as f64 / 1e12).collect(), lines)
    }
}

/// Keeps the lines with the largest values, and turns on the first of them.
fn limited(mut lines: Vec<Line>, most: usize, of: fn(&[Option<f64>]) -> f64) -> (Vec<Line>, usize) {
    lines.sort_by(|one, other| of(&other.y).total_cmp(&of(&one.y)));
    let left = lines.len().saturating_sub(most);
    lines.truncate(most);
    for (place, line) in lines.iter_mut().enumerate() {
        line.shown = place < SHOWN;
    }
    (lines, left)
}

fn largest(y: &[Option<f64>]) -> f64 {
    y.iter().copied().flatten().fold(0.0, f64::max)
}

fn sum(y: &[Option<f64>]) -> f64 {
    y.iter().copied().flatten().sum()
}

fn goodput(files: RunFiles<'_>, facts: &RunFacts) -> Result<Option<Panel>, ReadError> {
    let rows = files.series()?;
    let mut gathered = Gathered::default();
    for row in &*rows {
        let kind = match &*row.kind {
            "flow" => "flow",
            "group" => "group",
            "others" => "others",
            _ => "total",
        };
        // A flow and a group may have the same name.
        gathered.add((&format!("{kind} {}", row.name), kind), row.time_s, row.goodput_bps);
    }
    let (x, lines) = gathered.lined_up([]);
    let (flows, sums): (Vec<_>, Vec<_>) = lines.into_iter().partition(|line| line.kind == "flow");
    let named = flows.len();
    let order: Vec<String> = flows.iter().map(|line| line.name.clone()).collect();
    let (mut flows, left) = limited(flows, MOST_FLOWS, sum);
    flows.sort_by_key(|line| order.iter().position(|name| *name == line.name));
    let mut lines: Vec<Line> = flows.into_iter().chain(sums).collect();
    for line in &mut lines {
        line.shown = match line.kind {
            "flow" => line.shown,
            "total" => named == 0 || named > SHOWN,
            _ => true,
        };
        let kind = format!("{} ", line.kind);
        line.name = line.name.strip_prefix(&kind).unwrap_or(&line.name).to_owned();
        line.name = match line.kind {
            "others" => "all other flows together".to_owned(),
            "total" => "all flows together".to_owned(),
            _ => line.name.clone(),
        };
    }
    // Where there is nothing else, the others are all.
    let others_are_all = named == 0 && lines.iter().all(|line| line.kind != "group");
    lines.retain(|line| line.kind != "others" || !others_are_all);
    if x.is_empty() {
        return Ok(None);
    }
    let heading = "Goodput over time".to_owned();
    let mut panel =
        Panel { id: "goodput", heading, about: String::new(), unit: "bit/s", x, lines, samples_a_pair: 1 };
    let groups = panel.lines.iter().filter(|line| line.kind == "group").count();
    let highest = panel.highest().map_or_else(String::new, |(line, y, x)| {
        format!(" The highest value of a line is {}, of {} at {}.", words::rate(y), line.name, words::time(x))
    });
    let left = if left == 0 {
        String::new()
    } else {
        format!(" {left} named flows that got least have no line; `series.csv` has them.")
    };
    panel.about = format!(
        "Payload that hosts took in each of {}, over {}, {}.{highest}{left}",
        words::count(panel.x.len(), "sample"),
        words::time(facts.end_s()),
        subjects(named, groups)
    );
    Ok(Some(panel))
}

/// Returns the subjects of the curves of goodput: named flows and groups, where there are some, and all flows.
fn subjects(named: usize, groups: usize) -> String {
    let counts = [(named, "named flow"), (groups, "group")];
    let some: Vec<String> = counts
        .iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, noun)| words::count(*number, noun))
        .collect();
    let all = "for all flows together";
    if some.is_empty() { all.to_owned() } else { format!("by {}, and {all}", some.join(" and ")) }
}

fn queues(files: RunFiles<'_>) -> Result<Option<Panel>, ReadError> {
    let mut gathered = Gathered::default();
    let mut sources = Vec::new();
    if files.has(PortSeriesRow::FILE) {
        let rows: Vec<PortSeriesRow<'_>> = files.rows()?;
        sources.push("at ports that the scenario asks for");
        for row in &rows {
            if let Some(queue) = row.queue_bytes {
                gathered.add((&row.output(), "output"), row.time_s, queue as f64);
            }
        }
    }
    let trees: Vec<TreeRow<'_>> = files.rows()?;
    if !trees.is_empty() {
        sources.push("at roots of congestion trees while they have a tree");
    }
    for row in &trees {
        gathered.add((&row.root(), "output"), row.time_s, row.queue_bytes as f64);
    }
    if files.has(WatchRow::FILE) {
        let rows: Vec<WatchRow<'_>> = files.rows()?;
        for row in rows.iter().filter(|row| row.quantity == "queue_bytes") {
            gathered.add((&format!("{} (watched)", row.object), "output"), row.time_s, row.value);
        }
    }
    // Times of all samples, so that a line has gaps where it has no row.
    let samples = files.series()?;
    let (x, lines) = gathered.lined_up(samples.iter().map(|row| row.time_s));
    let (lines, left) = limited(lines, MOST_OUTPUTS, largest);
    if lines.is_empty() {
        return Ok(None);
    }
    let heading = "Queues over time".to_owned();
    let mut panel =
        Panel { id: "queues", heading, about: String::new(), unit: "B", x, lines, samples_a_pair: 1 };
    let highest = panel.highest().map_or_else(String::new, |(line, y, x)| {
        format!(" The longest queue is {}, at {} at {}.", words::bytes(y), line.name, words::time(x))
    });
    let left =
        if left == 0 { String::new() } else { format!(" {left} outputs with shorter queues have no line.") };
    panel.about =
        format!("Packets that wait in a switch for an output, {}.{highest}{left}", sources.join(", and "));
    if sources.is_empty() {
        panel.about = format!(
            "Packets that wait in a switch for the outputs that the scenario watches.{highest}{left}"
        );
    }
    Ok(Some(panel))
}

fn rates(files: RunFiles<'_>) -> Result<Option<Panel>, ReadError> {
    let mut rows = Vec::new();
    if files.has(SourceSeriesRow::FILE) {
        rows.extend(files.source_series()?);
    }
    if files.has(WatchRow::FILE) {
        let watched: Vec<WatchRow<'_>> = files.rows()?;
        let known: BTreeSet<String> = rows.iter().map(|row: &WatchRow<'_>| row.object.to_string()).collect();
        rows.extend(watched.into_iter().filter(|row| !known.contains(&*row.object)));
    }
    let mut gathered = Gathered::default();
    for row in rows.iter().filter(|row| row.quantity == "rate_bps") {
        gathered.add((&row.object, "source"), row.time_s, row.value);
    }
    let (x, lines) = gathered.lined_up([]);
    let (lines, left) = limited(lines, MOST_FLOWS, largest);
    if lines.is_empty() {
        return Ok(None);
    }
    let heading = "Rates over time".to_owned();
    let least = lines.iter().flat_map(|line| line.y.iter().copied().flatten()).fold(f64::INFINITY, f64::min);
    let left = if left == 0 { String::new() } else { format!(" {left} further flows have no line.") };
    let about = format!(
        "The largest rate on the wire that congestion control allows a flow, at each sample, of {}. The lowest is {}.{left}",
        words::count(lines.len(), "flow"),
        words::rate(least)
    );
    Ok(Some(Panel { id: "rates", heading, about, unit: "bit/s", x, lines, samples_a_pair: 1 }))
}
