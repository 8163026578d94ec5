//! `ports.svg`: ports by time, as heat maps of queues, use and time stalled.
//!
//! Invariant: a cell is the mean of the samples in its span of time; a port keeps its row in all maps.

use results::RunFiles;
use results::rows::PortSeriesRow;

use super::engine::{Chart, Panel};
use super::fault::FigureFault;
use super::gathered::{by_object, interval};
use super::heat::TimeGrid;

/// Most rows of a map.
const ROWS: usize = 48;
/// Lower ends of the classes of a map, as shares of its highest value.
const CLASSES: [f64; 6] = [0.0, 0.05, 0.2, 0.4, 0.6, 0.8];

/// A value of a sample, if any.
type Quantity<'a> = &'a dyn Fn(&PortSeriesRow<'_>) -> Option<f64>;

/// A value of a port over time.
struct PortCurve<'a> {
    name: String,
    samples: Vec<&'a PortSeriesRow<'a>>,
}

pub(super) fn chart(files: RunFiles<'_>) -> Result<Chart, FigureFault> {
    let facts = files.summary()?;
    let samples: Vec<PortSeriesRow<'_>> = files.rows()?;
    let ports = by_object(&samples, |sample| sample.output()).into_iter();
    let mut ports: Vec<_> = ports.map(|(name, samples)| PortCurve { name, samples }).collect();
    if ports.is_empty() {
        return Err(FigureFault::Empty("the file has no sample of a port"));
    }
    let all = ports.len();
    if all > ROWS {
        let queue = |port: &PortCurve<'_>| {
            port.samples.iter().filter_map(|sample| sample.queue_bytes).sum::<u64>() as f64
        };
        let mut least: Vec<f64> = ports.iter().map(queue).collect();
        least.sort_by(|one, other| other.total_cmp(one));
        let least = least[ROWS - 1];
        ports.retain(|port| queue(port) >= least);
        ports.truncate(ROWS);
    }
    let interval = interval(&samples);
    let maps: [(&str, Quantity<'_>); 3] = [
        ("Queue for the output", &|sample| sample.queue_bytes.map(|queue| queue as f64)),
        ("Use of the link", &|sample| Some(sample.utilisation)),
        ("Time stalled", &|sample| Some(sample.stalled_s / interval)),
    ];
    let mut notes = Vec::new();
    if all > ROWS {
        notes.push(format!("{ROWS} of {all} ports are shown: those with the largest queues."));
    }
    let grid = TimeGrid::of_samples(interval, &facts);
    let mut panels = Vec::new();
    for (place, (title, value)) in maps.into_iter().enumerate() {
        let cells = |port: &PortCurve<'_>| (port.name.clone(), row(port, grid, interval, value));
        let rows: Vec<_> = ports.iter().map(cells).collect();
        // A queue has no upper end of its own; the other two are shares.
        let highest = if place == 0 { highest(&rows) } else { 1.0 };
        if rows.iter().flat_map(|(_, cells)| cells).flatten().all(|value| *value <= 0.0) {
            notes.push(format!("{title}: none, at any of these ports and at any time."));
            continue;
        }
        panels.push(map(title, &rows, grid, highest));
        if place == 0 {
            let kb = (highest / 100.0).round() / 10.0;
            notes.push(format!("100 % of the queue is the highest cell: {kb} KB. 100 % of the other maps is the whole interval."));
        }
    }
    if panels.is_empty() {
        return Err(FigureFault::Empty("no port sent anything, or had to wait"));
    }
    Ok(Chart {
        title: format!("{}, {}: ports over time", facts.scenario, facts.scheme()),
        description: "Heat maps with a row for each port and a column for each span of time; darker is more. A port is stalled while \
                      packets wait with the wire free, for credit or the end of a pause."
            .to_owned(),
        panels,
        columns: 1,
        notes,
        ..Chart::default()
    })
}

/// Returns the highest cell; 1 if there is none above 0.
fn highest(rows: &[(String, Vec<Option<f64>>)]) -> f64 {
    let highest = rows.iter().flat_map(|(_, cells)| cells).flatten().copied().fold(0.0, f64::max);
    if highest > 0.0 { highest } else { 1.0 }
}

/// Returns the mean of each cell of a port's row.
fn row(port: &PortCurve<'_>, grid: TimeGrid, interval: f64, value: Quantity<'_>) -> Vec<Option<f64>> {
    let middle = |sample: &&PortSeriesRow<'_>| Some((sample.time_s - interval / 2.0, value(sample)?));
    grid.means(port.samples.iter().filter_map(middle))
}

/// Returns a map with shares of the highest value as classes.
fn map(title: &str, rows: &[(String, Vec<Option<f64>>)], grid: TimeGrid, highest: f64) -> Panel {
    let class = |value: f64| CLASSES.iter().rposition(|least| value / highest >= *least).unwrap_or(0);
    let ends = CLASSES.iter().skip(1).copied().chain([1.0]);
    let percent = |share: f64| (share * 100.0).round();
    let classes =
        CLASSES.iter().zip(ends).map(|(from, to)| format!("{} to {} %", percent(*from), percent(to)));
    let classed = |(name, cells): &(String, Vec<Option<f64>>)| {
        (name.clone(), cells.iter().map(|cell| cell.map(class)).collect())
    };
    grid.panel(title, classes.collect(), rows.iter().map(classed).collect())
}

#[cfg(test)]
mod tests {
    use results::OutputFile;

    use super::super::engine::Layer;
    use super::*;
    use crate::fixture;

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
