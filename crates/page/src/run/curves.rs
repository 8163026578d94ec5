//! Goodput, queues and rates over time.
//!
//! Invariant: a value stands at the time of its row. A line that has no row at a time has a gap there.

use std::collections::{BTreeMap, BTreeSet};

use results::reader::{ReadError, RunFacts, RunFiles};
use results::rows::{OutputMomentRow, PortSeriesRow, SourceSeriesRow, TreeRow, WatchRow};
use results::table::TableRow;

use crate::data::{Line, Panel};
use crate::words;

/// Most flows with a line of their own.
const MOST_FLOWS: usize = 64;
/// Most outputs with a line of their own.
const MOST_OUTPUTS: usize = 24;
/// Ratio to the highest flow from which a sum is off at first: beside it the flow would lie at zero.
const FAR: f64 = 20.0;
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
    let highest_flow = flows.iter().map(|flow| largest(&flow.y)).fold(0.0, f64::max);
    let mut lines: Vec<Line> = flows.into_iter().chain(sums).collect();
    for line in &mut lines {
        let is_far = highest_flow > 0.0 && largest(&line.y) > FAR * highest_flow;
        line.shown = match line.kind {
            "flow" => line.shown,
            "total" => named == 0 || named > SHOWN,
            _ => true,
        } && !is_far;
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
    let off = if panel.lines.iter().any(|line| line.kind == "group" && !line.shown) {
        " Groups far above every flow are off at first."
    } else {
        ""
    };
    let left = if left == 0 {
        String::new()
    } else {
        format!(" {left} named flows that got least have no line; `series.csv` has them.")
    };
    panel.about = format!(
        "Payload that hosts took in each of {}, over {}, {}.{highest}{off}{left}",
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
        let has_moments = add_moments(files, &trees, &mut gathered)?;
        sources.push(if has_moments {
            "at roots of congestion trees while they have a tree and at the moments of the fabric, with gaps where it is not \
             known"
        } else {
            "at roots of congestion trees while they have a tree"
        });
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

/// Node, port and lane of a root.
type RootKey<'a> = (&'a str, u32, u32);

/// Adds the queues of roots at the start and at the moments of `timeline.csv`, which has no row for an output without a
/// queue. Returns false without the file. Outputs with all samples are left as they are.
fn add_moments(
    files: RunFiles<'_>,
    trees: &[TreeRow<'_>],
    gathered: &mut Gathered,
) -> Result<bool, ReadError> {
    if !files.has(OutputMomentRow::FILE) {
        return Ok(false);
    }
    let rows: Vec<OutputMomentRow<'_>> = files.rows()?;
    let times: BTreeSet<Instant> = rows.iter().map(|row| instant(row.time_s)).chain([0]).collect();
    let mut roots: BTreeMap<RootKey<'_>, (String, BTreeMap<Instant, f64>)> = BTreeMap::new();
    for tree in trees.iter().filter(|tree| !gathered.places.contains_key(&tree.root())) {
        let nothing = || (tree.root(), times.iter().map(|time| (*time, 0.0)).collect());
        roots.entry((&*tree.root_node, tree.root_port, tree.lane)).or_insert_with(nothing);
    }
    for row in &rows {
        let Some(queue) = row.queue_bytes else { continue };
        if let Some((_, queues)) = roots.get_mut(&(&*row.node, row.port, row.lane)) {
            queues.insert(instant(row.time_s), queue as f64);
        }
    }
    for (name, queues) in roots.into_values() {
        for (time, queue) in queues {
            gathered.add((&name, "output"), time as f64 / 1e12, queue);
        }
    }
    Ok(true)
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

#[cfg(test)]
mod tests {
    use results::{OutputFile, sample};

    use super::*;

    /// Without a row at a moment, a root has no queue then; between moments and trees its queue is not known.
    #[test]
    fn the_queue_of_a_root_begins_at_zero() {
        let mut files = sample::files(&sample::record(), "");
        let header = "time_s,node,port,peer,lane,utilisation,stalled_share,queue_bytes\n";
        let rows = "0.008,H1,1,S1,0,0.5,0.0,\n0.01,S1,2,H3,0,0.5,0.0,7000\n";
        files.retain(|file| !matches!(&*file.name, "timeline.csv" | "port_series.csv"));
        files.push(OutputFile { name: "timeline.csv".to_owned(), contents: [header, rows].concat() });
        let panel = queues(RunFiles::Written(&files)).unwrap().unwrap();
        let line = panel.lines.iter().find(|line| line.name == "S1 port 2 to H3").unwrap();
        let known: Vec<_> = panel.x.iter().map(|time| time * 1e3).zip(line.y.iter().copied()).collect();
        let tree = Some(31_110.0);
        let wanted = [
            (0.0, Some(0.0)),
            (5.0, None),
            (8.0, Some(0.0)),
            (10.0, Some(7000.0)),
            (15.0, tree),
            (20.0, tree),
        ];
        assert_eq!(known, wanted);
        assert!(panel.about.contains("with gaps where it is not known"), "{}", panel.about);
    }

    /// A victim beside a group of hundreds of flows, and beside a group of two.
    #[test]
    fn a_sum_far_above_every_flow_is_off_at_first() {
        let phase = r#"{"name": "p", "from_s": 0.0, "to_s": 0.001}"#;
        let facts = format!(
            r#"{{"scenario": "s", "congestion_control": "Off", "seed": 1, "simulated_s": 0.001, "phases": [{phase}], "others": {{"flows": 0}}}}"#
        );
        let facts: RunFacts = serde_json::from_str(&facts).unwrap();
        for (group, shown) in [("900.0", false), ("20.0", true)] {
            let contents = format!(
                "time_s,kind,name,goodput_bps,flows,lower_quartile_bps,median_bps,upper_quartile_bps\n\
                 0.001,flow,victim,10.0,,,,\n0.001,group,job,{group},2,1.0,1.0,1.0\n0.001,total,total,{group},,,,\n"
            );
            let files = [OutputFile { name: "series.csv".to_owned(), contents }];
            let panel = goodput(RunFiles::Written(&files), &facts).unwrap().unwrap();
            let on = |name: &str| panel.lines.iter().find(|line| line.name == name).unwrap().shown;
            assert_eq!((on("victim"), on("job")), (true, shown));
            assert_eq!(panel.about.contains("off at first"), !shown, "{}", panel.about);
        }
    }
}
