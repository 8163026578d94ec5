//! `ports.svg`: ports by time, as heat maps of queues, use and time held back.
//!
//! Invariant: a cell is the mean of the samples in its span of time; a port keeps its row in all maps.

use super::engine::{Axis, Chart, Layer, Panel};
use super::fault::FigureFault;
use super::gathered::{by_object, interval};
use crate::reader::{PortSample, RunFacts, RunFiles};

/// Most rows and columns of a map.
const ROWS: usize = 48;
const COLUMNS: usize = 160;
/// Lower ends of the classes of a map, as shares of its highest value.
const CLASSES: [f64; 6] = [0.0, 0.05, 0.2, 0.4, 0.6, 0.8];

/// A value of a sample, if it has one.
type Quantity<'a> = &'a dyn Fn(&PortSample) -> Option<f64>;

/// A value of a port over time.
struct PortCurve<'a> {
    name: String,
    samples: Vec<&'a PortSample>,
}

/// Returns the figure of a run.
pub(super) fn chart(files: RunFiles<'_>) -> Result<Chart, FigureFault> {
    let facts = files.summary()?;
    let samples: Vec<PortSample> = files.rows("port_series.csv")?;
    let ports = by_object(&samples, |sample| sample.output()).into_iter();
    let mut ports: Vec<_> = ports.map(|(name, samples)| PortCurve { name, samples }).collect();
    if ports.is_empty() {
        return Err(FigureFault::Empty("the file has no sample of a port"));
    }
    let all = ports.len();
    if all > ROWS {
        let queue =
            |port: &PortCurve<'_>| port.samples.iter().filter_map(|sample| sample.queue_bytes).sum::<f64>();
        let mut least: Vec<f64> = ports.iter().map(queue).collect();
        least.sort_by(|one, other| other.total_cmp(one));
        let least = least[ROWS - 1];
        ports.retain(|port| queue(port) >= least);
        ports.truncate(ROWS);
    }
    let interval = interval(&samples);
    let maps: [(&str, Quantity<'_>); 3] = [
        ("Queue for the output", &|sample| sample.queue_bytes),
        ("Use of the link", &|sample| Some(sample.utilisation)),
        ("Time without credit, or paused, with packets waiting", &|sample| Some(sample.stalled_s / interval)),
    ];
    let mut notes = Vec::new();
    if all > ROWS {
        notes.push(format!("{ROWS} of {all} ports are shown: those with the largest queues."));
    }
    let mut panels = Vec::new();
    for (place, (title, value)) in maps.into_iter().enumerate() {
        // A queue has no upper end of its own; the other two are shares.
        let highest = if place == 0 { highest(&ports, interval, value, &facts) } else { 1.0 };
        let panel = map(title, &ports, interval, highest, value, &facts);
        panels.push(panel);
        if place == 0 {
            let kb = (highest / 100.0).round() / 10.0;
            notes.push(format!("100 % of the queue is the highest cell: {kb} KB. 100 % of the other two is the whole interval."));
        }
    }
    Ok(Chart {
        title: format!("{}, {}: ports over time", facts.scenario, facts.scheme()),
        description: "Heat maps with a row for each port and a column for each span of time; darker is more."
            .to_owned(),
        panels,
        columns: 1,
        notes,
    })
}

/// Returns the number of the column of a sample.
fn column(sample: &PortSample, interval: f64, facts: &RunFacts) -> usize {
    let middle = (sample.time_s - interval / 2.0) / facts.end_s();
    ((middle * columns(interval, facts) as f64) as usize).min(columns(interval, facts) - 1)
}

fn columns(interval: f64, facts: &RunFacts) -> usize {
    ((facts.end_s() / interval).round() as usize).clamp(1, COLUMNS)
}

/// Returns the mean of each cell of a port's row.
fn row(port: &PortCurve<'_>, interval: f64, value: Quantity<'_>, facts: &RunFacts) -> Vec<Option<f64>> {
    let mut sums = vec![(0.0, 0u32); columns(interval, facts)];
    for sample in &port.samples {
        if let Some(value) = value(sample) {
            let (sum, count) = &mut sums[column(sample, interval, facts)];
            (*sum, *count) = (*sum + value, *count + 1);
        }
    }
    sums.into_iter().map(|(sum, count)| (count > 0).then(|| sum / f64::from(count))).collect()
}

fn highest(ports: &[PortCurve<'_>], interval: f64, value: Quantity<'_>, facts: &RunFacts) -> f64 {
    let cells = ports.iter().flat_map(|port| row(port, interval, value, facts));
    let highest = cells.flatten().fold(0.0, f64::max);
    if highest > 0.0 { highest } else { 1.0 }
}

fn map(
    title: &str,
    ports: &[PortCurve<'_>],
    interval: f64,
    highest: f64,
    value: Quantity<'_>,
    facts: &RunFacts,
) -> Panel {
    let (time, per_second) = Axis::time(facts.end_s());
    let class = |value: f64| CLASSES.iter().rposition(|least| value / highest >= *least).unwrap_or(0);
    let classed = |port: &PortCurve<'_>| {
        row(port, interval, value, facts).into_iter().map(|cell| cell.map(class)).collect()
    };
    let count = columns(interval, facts);
    let edge = |place: usize| facts.end_s() * per_second * place as f64 / count as f64;
    let ends = CLASSES.iter().skip(1).copied().chain([1.0]);
    let percent = |share: f64| (share * 100.0).round();
    let classes =
        CLASSES.iter().zip(ends).map(|(from, to)| format!("{} to {} %", percent(*from), percent(to)));
    let heat = Layer::Heat {
        classes: classes.collect(),
        columns: (0..count).map(|place| (edge(place), edge(place + 1))).collect(),
        rows: ports.iter().map(classed).collect(),
    };
    // The first row stands at the top, the axis counts from below.
    let y = Axis::of_names("", ports.iter().rev().map(|port| port.name.clone()));
    let height = (ports.len() as f64 * 15.0).max(60.0);
    Panel { title: title.to_owned(), x: time, y, height, layers: vec![heat] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::OutputFile;
    use crate::figures::fixture;

    #[test]
    fn cells_are_means_in_classes_of_the_highest() {
        let mut files = fixture::files();
        let header = "time_s,node,port,peer,lane,queue_bytes,buffer_bytes,sent_bytes,utilisation,stalled_s,marked_packets\n";
        let row = |ms: u32, port: u32, queue: u32, stalled: f64| {
            format!("{:?},S1,{port},H{port},0,{queue},0,0,0.5,{stalled:?},0\n", f64::from(ms) / 1e3)
        };
        let rows =
            [row(10, 1, 0, 0.0), row(10, 2, 9000, 0.01), row(20, 1, 100, 0.005), row(20, 2, 10_000, 0.0)];
        files.retain(|file| file.name != "port_series.csv");
        files.push(OutputFile {
            name: "port_series.csv".to_owned(),
            contents: header.to_owned() + &rows.concat(),
        });
        let chart = chart(RunFiles::Written(&files)).expect("there are samples");
        let rows = |panel: usize| {
            let Layer::Heat { rows, .. } = &chart.panels[panel].layers[0] else {
                panic!("the panel is a map")
            };
            rows.clone()
        };
        assert_eq!(rows(0), [[Some(0), Some(0)], [Some(5), Some(5)]]);
        assert_eq!(rows(2), [[Some(0), Some(3)], [Some(5), Some(0)]]);
        assert!(chart.svg().contains(">S1 port 2 to H2</text>"));
    }
}
