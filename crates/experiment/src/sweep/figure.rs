//! The figure of a sweep: measures against a varied field, with intervals over seeds and a line for each setting.
//!
//! Invariant: it is drawn from `results.csv` alone; the answer in `sweep.json` only says which fields are conditions,
//! and chooses the measure that it shows. A mean with a bound among its numbers has an arrow upwards in place of an
//! interval, and a note counts such points.

use std::collections::BTreeMap;

use figures::engine::{Axis, AxisScale, Chart, Ink, Layer, Line, Panel};
use measures::Measure;
use results::column;
use results::csv_text::{self, CsvTable};
use results::distinct::distinct;
use results::format::counted;
use results::reader::{ReadError, RunFiles};
use results::rows::SweepRow;
use results::sweep::{ANSWER, SweepAnswer};
use results::table::TableRow;

use crate::statistics::Estimate;

/// Measures that are drawn if none are named, as far as the table has them.
const USUAL: [&str; 2] = ["goodput(all)", "p99(all)"];
/// Number of the table's own measures that are drawn if it has none of the usual.
const OWN: usize = 2;
/// Largest number of lines of a panel.
const MOST_LINES: usize = 12;
/// Ratio of the largest value to the smallest from which an axis is logarithmic.
const LOGARITHMIC: f64 = 40.0;

/// The axes that a figure of a sweep has.
#[derive(Clone, Copy, Debug, Default)]
pub struct SweepAxes<'a> {
    /// Path of the varied field on the horizontal axis; `None` for a condition with numbers, or another field.
    pub x: Option<&'a str>,
    /// Measures, a panel for each; none for throughput and latency.
    pub y: &'a [Measure],
}

/// Reason why a sweep has no figure.
#[derive(Debug, thiserror::Error)]
pub enum SweepFigureFault {
    /// The table is missing or wrong.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// No field is varied.
    #[error("the sweep varies no field, so that there is nothing to draw against")]
    NothingVaried,
    /// The field is not varied.
    #[error("the sweep does not vary `{given}`")]
    UnknownField {
        /// The field asked for.
        given: String,
        /// Fields that are varied.
        known: Vec<String>,
    },
    /// The table has no such measure.
    #[error("the table of the sweep has no column of `{given}`")]
    UnknownMeasure {
        /// The measure.
        given: String,
        /// Measures of the table.
        known: Vec<String>,
    },
}

impl SweepFigureFault {
    /// Returns the correction.
    #[must_use]
    pub fn help(&self) -> String {
        match self {
            Self::Read(_) => "name the folder of a sweep, with `results.csv`".to_owned(),
            Self::NothingVaried => "vary a field by `--vary` or `--range`".to_owned(),
            Self::UnknownField { known, .. } => format!("name one of {}", known.join(", ")),
            Self::UnknownMeasure { known, .. } if known.is_empty() => {
                "no run has results: run the sweep first".to_owned()
            }
            Self::UnknownMeasure { given, known } => format!(
                "name one of {}, or add the column by `backwater sweep collect DIR --measures '{given}'`",
                known.join(", ")
            ),
        }
    }
}

/// Draws the sweep of a folder.
///
/// # Errors
/// If the folder has no table of a sweep, or the table lacks a field or measure that is asked for.
pub fn chart(files: RunFiles<'_>, title: &str, axes: SweepAxes<'_>) -> Result<Chart, SweepFigureFault> {
    let file = SweepRow::FILE;
    let malformed = |fault: String| ReadError::Malformed { file: file.to_owned(), fault };
    let read = csv_text::table(&files.text(file)?).map_err(|error| malformed(error.to_string()))?;
    let table = SweepTable::of(read).map_err(malformed)?;
    let answer = answer(files)?;
    let conditions = answer.as_ref().map_or(&[][..], |answer| &answer.conditions);
    let x = table.horizontal(axes.x, conditions)?;
    let asked = answer.filter(|answer| answer.is_asked && axes.y.is_empty());
    let asked = asked.and_then(|answer| answer.measure.parse().ok());
    let asked = asked.filter(|asked| table.measures.iter().any(|(_, measure)| measure == asked));
    let y = table.vertical(asked.as_ref().map_or(axes.y, core::slice::from_ref))?;
    let lines = table.lines(&x);
    let shown = &lines[..lines.len().min(MOST_LINES)];
    let mut notes = Vec::new();
    if lines.len() > shown.len() {
        let more = counted(lines.len() - shown.len(), "further setting");
        notes.push(format!("{more} are not drawn: narrow the sweep, or name another field by --x."));
    }
    let mut panels = Vec::with_capacity(y.len());
    for measure in &y {
        let drawn = table.panel(&x, measure, shown).map_err(malformed)?;
        panels.push(drawn.panel);
        if drawn.bounds > 0 {
            let points = counted(drawn.bounds, "point");
            notes.push(format!(
                "{measure}, a lower bound with an arrow, since messages were not delivered: {points}."
            ));
        }
        if drawn.missing > 0 {
            let points = counted(drawn.missing, "point");
            notes.push(format!("{measure}, without the number of some seeds or of all: {points}."));
        }
    }
    let names: Vec<_> = y.iter().map(ToString::to_string).collect();
    let seeds = distinct(table.column(column!(SweepRow: seed)).map_err(malformed)?).len();
    let description = format!(
        "{} against {}: means over {} with 95 % intervals, a line for each setting.",
        names.join(" and "),
        x.name,
        counted(seeds, "seed")
    );
    notes.insert(0, format!("Means over {} with 95 % intervals.", counted(seeds, "seed")));
    let title = format!("{title}: {} against {}", names.join(" and "), x.name);
    Ok(Chart { title, description, panels, columns: 1, notes, ..Chart::default() })
}

/// Returns the sweep's answer, if it has one.
fn answer(files: RunFiles<'_>) -> Result<Option<SweepAnswer>, ReadError> {
    if !files.has(ANSWER) {
        return Ok(None);
    }
    let malformed =
        |error: serde_json::Error| ReadError::Malformed { file: ANSWER.to_owned(), fault: error.to_string() };
    SweepAnswer::read(&files.text(ANSWER)?).map(Some).map_err(malformed)
}

/// The table of a sweep, and the places of its columns.
struct SweepTable {
    table: CsvTable,
    /// Columns of varied fields.
    settings: Vec<usize>,
    /// Columns of measures, with the measures.
    measures: Vec<(usize, Measure)>,
}

/// The horizontal axis: a column of a varied field.
struct Horizontal {
    column: usize,
    name: String,
    /// Value of each run, in the unit of the axis.
    values: Vec<f64>,
    axis: Axis,
}

/// A line: a setting without the field on the horizontal axis, and its runs.
struct SweepLine {
    name: String,
    runs: Vec<usize>,
}

/// A panel, and the numbers of its points that need a note.
struct Drawn {
    panel: Panel,
    bounds: usize,
    missing: usize,
}

/// Numbers of the seeds of a point.
struct Point {
    x: f64,
    known: Vec<f64>,
    bounds: Vec<f64>,
    missing: usize,
}

impl SweepTable {
    fn of(table: CsvTable) -> Result<Self, String> {
        let place = |name: &str| {
            table
                .header
                .iter()
                .position(|column| column == name)
                .ok_or_else(|| format!("there is no column `{name}`"))
        };
        let settings = place(column!(SweepRow: run))? + 1..place(column!(SweepRow: seed))?;
        let (from, to) = (place(column!(SweepRow: lost_packets))? + 1, place(column!(SweepRow: digest))?);
        let measure = |place: usize| Some((place, Measure::read_first(&table.header[place]).ok()?));
        // The column behind a measure that tells bounds is no measure of its own.
        let own = |(place, (measure, rest)): (usize, (Measure, &str))| {
            let unit = measure.quantity.info().unit.suffix();
            (rest == unit).then_some((place, measure))
        };
        let measures = (from..to).filter_map(measure).filter_map(own).collect();
        Ok(Self { settings: settings.collect(), measures, table })
    }

    fn column(&self, name: &str) -> Result<Vec<&str>, String> {
        let place = self.table.header.iter().position(|column| column == name);
        let place = place.ok_or_else(|| format!("there is no column `{name}`"))?;
        Ok(self.cells(place))
    }

    fn cells(&self, place: usize) -> Vec<&str> {
        self.table.rows.iter().map(|row| &row[place]).collect()
    }

    fn numbers(&self, place: usize) -> Option<Vec<f64>> {
        self.cells(place).iter().map(|cell| cell.parse().ok()).collect()
    }

    /// Returns the column of this path; else of a condition, of a load, of the field with the most numbers, or the first.
    fn horizontal(&self, asked: Option<&str>, conditions: &[String]) -> Result<Horizontal, SweepFigureFault> {
        let name = |place: &usize| named_unit(&self.table.header[*place]).0;
        let known = || self.settings.iter().map(|place| name(place).to_owned()).collect();
        let count = |place: &usize| distinct(self.cells(*place)).len();
        let column = match asked {
            Some(path) => {
                let found = self.settings.iter().find(|place| name(place) == path.trim());
                let unknown = || SweepFigureFault::UnknownField { given: path.to_owned(), known: known() };
                *found.ok_or_else(unknown)?
            }
            None => {
                let varied = || self.settings.iter().filter(|place| count(place) > 1);
                let rank = |place: &&usize| {
                    let name = name(place);
                    let is_condition = conditions.iter().any(|condition| condition == name);
                    (self.numbers(**place).is_some(), is_condition, name.ends_with("load"), count(place))
                };
                // Of equal columns the first counts.
                *varied().rev().max_by_key(rank).ok_or(SweepFigureFault::NothingVaried)?
            }
        };
        let (name, unit) = named_unit(&self.table.header[column]);
        let (values, axis) = match self.numbers(column) {
            Some(numbers) => {
                let (word, size) = scale(unit, &numbers);
                let values: Vec<_> = numbers.iter().map(|number| number / size).collect();
                let axis = fitting(&labelled(name, word), &values, false);
                (values, axis)
            }
            None => {
                let cells = self.cells(column);
                let names = distinct(cells.iter().copied());
                let place =
                    |cell: &&str| names.iter().position(|name| name == cell).unwrap_or(0) as f64 + 0.5;
                let values = cells.iter().map(place).collect();
                (values, Axis::of_names(name, names.iter().map(|name| (*name).to_owned())))
            }
        };
        Ok(Horizontal { column, name: name.to_owned(), values, axis })
    }

    /// Returns the measures that are drawn.
    fn vertical(&self, asked: &[Measure]) -> Result<Vec<Measure>, SweepFigureFault> {
        let known: Vec<_> = self.measures.iter().map(|(_, measure)| measure.clone()).collect();
        let words = || known.iter().map(ToString::to_string).collect::<Vec<_>>();
        if let Some(measure) = asked.iter().find(|measure| !known.contains(measure)) {
            return Err(SweepFigureFault::UnknownMeasure { given: measure.to_string(), known: words() });
        }
        if !asked.is_empty() {
            return Ok(asked.to_vec());
        }
        let of_name = |name: &&str| known.iter().find(|measure| measure.to_string() == **name).cloned();
        let usual: Vec<_> = USUAL.iter().filter_map(of_name).collect();
        let own = if usual.is_empty() { known.into_iter().take(OWN).collect() } else { usual };
        if own.is_empty() {
            return Err(SweepFigureFault::UnknownMeasure { given: USUAL[0].to_owned(), known: Vec::new() });
        }
        Ok(own)
    }

    /// Returns the settings without the field on the horizontal axis, in the order of the table.
    fn lines(&self, x: &Horizontal) -> Vec<SweepLine> {
        let others = self.settings.iter().filter(|place| **place != x.column);
        let others: Vec<_> =
            others.filter(|place| distinct(self.cells(**place)).len() > 1).copied().collect();
        let mut lines: Vec<SweepLine> = Vec::new();
        let mut places = BTreeMap::new();
        for (run, row) in self.table.rows.iter().enumerate() {
            let words = others.iter().map(|place| format!("{}={}", self.table.header[*place], &row[*place]));
            let name = words.collect::<Vec<_>>().join(", ");
            let next = lines.len();
            let place = *places.entry(name.clone()).or_insert(next);
            if place == next {
                let name = if name.is_empty() { "all runs".to_owned() } else { name };
                lines.push(SweepLine { name, runs: Vec::new() });
            }
            lines[place].runs.push(run);
        }
        lines
    }

    fn panel(&self, x: &Horizontal, measure: &Measure, lines: &[SweepLine]) -> Result<Drawn, String> {
        let (place, _) = self.measures.iter().find(|(_, one)| one == measure).expect("it was looked up");
        let flags = self.column(&format!("{measure}_censored")).unwrap_or_default();
        let cells = self.cells(*place);
        let all: Vec<f64> = cells.iter().filter_map(|cell| cell.parse().ok()).collect();
        let unit = measure.quantity.info().unit;
        let (word, size) = scale(unit.symbol(), &all);
        let (mut bounds, mut missing, mut layers, mut tops) = (0, 0, Vec::new(), Vec::new());
        for (line_place, line) in lines.iter().enumerate() {
            let mut points = Vec::new();
            let mut intervals = Vec::new();
            for point in points_of(line, x, &cells, &flags)? {
                bounds += usize::from(!point.bounds.is_empty());
                missing += usize::from(point.missing > 0);
                let numbers: Vec<f64> =
                    point.known.iter().chain(&point.bounds).map(|one| one / size).collect();
                if numbers.is_empty() {
                    points.push((point.x, None));
                    continue;
                }
                let Estimate { mean, ci95, .. } = Estimate::of(&numbers);
                points.push((point.x, Some(mean)));
                tops.push(mean);
                if !point.bounds.is_empty() {
                    intervals.push((point.x, mean, f64::INFINITY));
                }
                if let Some(half) = ci95.filter(|half| *half > 0.0 && point.bounds.is_empty()) {
                    // No measure is below 0.
                    intervals.push((point.x, (mean - half).max(0.0), mean + half));
                    tops.push(mean + half);
                }
            }
            let line = Line::new(line.name.clone(), Ink::Palette(line_place), points);
            layers.push(Layer::Line(Line { intervals, dots: true, ..line }));
        }
        let y = fitting(&labelled(measure.quantity.name(), word), &tops, true);
        Ok(Drawn {
            panel: Panel { title: measure.to_string(), x: x.axis.clone(), y, height: 220.0, layers },
            bounds,
            missing,
        })
    }
}

/// Returns the points of a line in rising order.
fn points_of(line: &SweepLine, x: &Horizontal, cells: &[&str], flags: &[&str]) -> Result<Vec<Point>, String> {
    let mut places: Vec<f64> = line.runs.iter().map(|run| x.values[*run]).collect();
    places.sort_by(f64::total_cmp);
    places.dedup();
    let of_place = |place: f64| {
        let mut point = Point { x: place, known: Vec::new(), bounds: Vec::new(), missing: 0 };
        for run in line.runs.iter().filter(|run| x.values[**run].total_cmp(&place).is_eq()) {
            match (cells[*run], flags.get(*run)) {
                ("", _) => point.missing += 1,
                (cell, flag) => {
                    let number = cell.parse().map_err(|_| format!("`{cell}` is no number"))?;
                    let is_bound = flag.is_some_and(|flag| *flag == "true");
                    if is_bound { point.bounds.push(number) } else { point.known.push(number) }
                }
            }
        }
        Ok(point)
    };
    places.into_iter().map(of_place).collect()
}

/// Returns an axis that holds these values: logarithmic if they span decades, else from 0 or around them.
fn fitting(label: &str, values: &[f64], from_zero: bool) -> Axis {
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if least > 0.0 && most / least >= LOGARITHMIC {
        return Axis::log(label, values.iter().copied());
    }
    if from_zero {
        return Axis::from_zero(label, values.iter().copied());
    }
    let room = 0.04 * (most - least);
    let axis = Axis::linear(label, least - room, most + room);
    debug_assert_eq!(axis.scale, AxisScale::Linear);
    axis
}

fn labelled(name: &str, unit: &str) -> String {
    if unit.is_empty() { name.to_owned() } else { format!("{name} ({unit})") }
}

/// Returns the unit of an axis, and its size in the unit of the table.
fn scale(unit: &str, values: &[f64]) -> (&'static str, f64) {
    let most = values.iter().copied().fold(0.0, f64::max);
    let of = |units: &[(&'static str, f64)]| {
        let fits = units.iter().find(|(_, size)| most >= *size);
        *fits.or(units.last()).expect("every quantity has a unit")
    };
    match unit {
        "bit/s" => of(&[("Tb/s", 1e12), ("Gb/s", 1e9), ("Mb/s", 1e6), ("kb/s", 1e3)]),
        "s" => of(&[("s", 1.0), ("ms", 1e-3), ("us", 1e-6), ("ns", 1e-9)]),
        "B" => of(&[("MB", 1e6), ("KB", 1e3), ("B", 1.0)]),
        "B/s" => of(&[("GB/s", 1e9), ("MB/s", 1e6), ("B/s", 1.0)]),
        "m" => ("m", 1.0),
        "packets" => ("packets", 1.0),
        _ => ("", 1.0),
    }
}

/// Returns the path of a varied field without the unit at its end, and the unit.
fn named_unit(column: &str) -> (&str, &'static str) {
    let units = [("_bps", "bit/s"), ("_bytes", "B"), ("_s", "s"), ("_m", "m")];
    let found = units.iter().find_map(|(ending, unit)| Some((column.strip_suffix(ending)?, *unit)));
    found.unwrap_or((column, ""))
}

#[cfg(test)]
mod tests {
    use results::OutputFile;

    use super::*;

    /// Two schemes at two loads with two seeds; the second scheme's last p99 is a bound, and a run has no result.
    const TABLE: &str = "run,traffic.u.load,scheme,seed,ended,lost_packets,goodput(all)_bps,p99(all)_s,p99(all)_censored,digest,name\n\
        1,0.5,off,1,complete,0,10000000000.0,0.001,false,a,a\n\
        2,0.5,off,2,complete,0,12000000000.0,0.003,false,b,b\n\
        3,0.9,off,1,complete,0,20000000000.0,0.004,true,c,c\n\
        4,0.9,off,2,complete,0,20000000000.0,0.004,false,d,d\n\
        5,0.5,on,1,complete,0,11000000000.0,0.002,false,e,e\n\
        6,0.5,on,2,over_time,0,,,,f,f\n";

    fn drawn(axes: SweepAxes<'_>) -> Result<Chart, SweepFigureFault> {
        let files = [OutputFile { name: "results.csv".to_owned(), contents: TABLE.to_owned() }];
        chart(RunFiles::Written(&files), "demo", axes)
    }

    /// A condition is on the horizontal axis, a line for each setting; conditions without numbers are not.
    #[test]
    fn conditions_are_on_the_horizontal_axis() {
        let table = "run,depth,link.mtu_bytes,routing,seed,ended,lost_packets,goodput(all)_bps,digest,name\n\
            1,1,1024,a,1,complete,0,1.0,a,a\n\
            2,2,1024,a,1,complete,0,2.0,b,b\n\
            3,3,2048,b,1,complete,0,3.0,c,c\n";
        let axis = |conditions: &[&str]| {
            let answer = SweepAnswer {
                schema: results::sweep::SCHEMA.to_owned(),
                scenarios: Vec::new(),
                measure: "goodput(all)".to_owned(),
                better: "larger".to_owned(),
                is_asked: false,
                conditions: conditions.iter().map(|&name| name.to_owned()).collect(),
                choices: Vec::new(),
                verdict: results::verdict::Verdict {
                    loss: String::new(),
                    cause: String::new(),
                    confidence: String::new(),
                    advice: String::new(),
                    kind: results::verdict::VerdictKind::Runs,
                    measure: None,
                },
                cases: Vec::new(),
            };
            let file = |name: &str, contents: String| OutputFile { name: name.to_owned(), contents };
            let files = [file("results.csv", table.to_owned()), file(ANSWER, answer.json())];
            chart(RunFiles::Written(&files), "demo", SweepAxes::default()).unwrap().title
        };
        assert_eq!(axis(&[]), "demo: goodput(all) against depth");
        assert_eq!(axis(&["link.mtu"]), "demo: goodput(all) against link.mtu");
        assert_eq!(axis(&["routing"]), "demo: goodput(all) against depth");
    }

    /// The mean of 10 and 12 is 11, and Student's t with one degree of freedom 12.706.
    #[test]
    fn throughput_and_latency_stand_over_load_with_intervals() {
        let chart = drawn(SweepAxes::default()).unwrap();
        assert_eq!(chart.title, "demo: goodput(all) and p99(all) against traffic.u.load");
        let csv = chart.csv();
        let row = "goodput(all),line,scheme=off,traffic.u.load,0.5,goodput (Gb/s),11.0,0.0,23.706205\n";
        assert!(csv.contains(row), "{csv}");
        // Equal seeds have no interval to draw. A bound has no upper end.
        assert!(csv.contains("scheme=off,traffic.u.load,0.9,goodput (Gb/s),20.0,,\n"), "{csv}");
        assert!(csv.contains("scheme=off,traffic.u.load,0.9,p99 (ms),4.0,4.0,\n"), "{csv}");
        assert!(csv.contains("scheme=on,traffic.u.load,0.5,p99 (ms),2.0,,\n"), "{csv}");
        let notes = chart.notes.join("\n");
        assert!(
            notes.contains(
                "p99(all), a lower bound with an arrow, since messages were not delivered: 1 point."
            ),
            "{notes}"
        );
        assert!(
            notes.contains("goodput(all), without the number of some seeds or of all: 1 point."),
            "{notes}"
        );
        assert!(chart.svg().starts_with("<svg") || chart.svg().contains("<svg"));
    }

    /// The measure of the answer is drawn if it was asked for and the table has it.
    #[test]
    fn the_measure_that_was_asked_for_is_drawn() {
        let titles = |measure: &str, is_asked: bool| -> Vec<String> {
            let [loss, cause, confidence, advice] = [(); 4].map(|()| String::new());
            let answer = SweepAnswer {
                schema: results::sweep::SCHEMA.to_owned(),
                scenarios: Vec::new(),
                measure: measure.to_owned(),
                better: "smaller".to_owned(),
                is_asked,
                conditions: Vec::new(),
                choices: Vec::new(),
                verdict: results::verdict::Verdict {
                    loss,
                    cause,
                    confidence,
                    advice,
                    kind: results::verdict::VerdictKind::Runs,
                    measure: None,
                },
                cases: Vec::new(),
            };
            let file = |name: &str, contents: String| OutputFile { name: name.to_owned(), contents };
            let files = [file("results.csv", TABLE.to_owned()), file(ANSWER, answer.json())];
            let chart = chart(RunFiles::Written(&files), "demo", SweepAxes::default()).unwrap();
            chart.panels.into_iter().map(|panel| panel.title).collect()
        };
        assert_eq!(titles("p99(all)", true), ["p99(all)"]);
        let usual = ["goodput(all)", "p99(all)"];
        assert_eq!(titles("p99(all)", false), usual);
        assert_eq!(titles("p99(victim)", true), usual);
    }

    #[test]
    fn axes_can_be_named_and_unknown_names_are_refused_with_those_that_there_are() {
        let p99 = ["p99(all)".parse::<Measure>().unwrap()];
        let chart = drawn(SweepAxes { x: Some("scheme"), y: &p99 }).unwrap();
        assert_eq!(chart.panels.len(), 1);
        let names: Vec<_> = chart.panels[0].x.names.iter().map(|(_, name)| name.as_str()).collect();
        assert_eq!(names, ["off", "on"]);
        let fault = drawn(SweepAxes { x: Some("load"), y: &[] }).unwrap_err();
        assert_eq!(fault.to_string(), "the sweep does not vary `load`");
        assert_eq!(fault.help(), "name one of traffic.u.load, scheme");
        let other = ["p50(all)".parse::<Measure>().unwrap()];
        let fault = drawn(SweepAxes { x: None, y: &other }).unwrap_err();
        assert!(fault.help().starts_with("name one of goodput(all), p99(all), or add "), "{}", fault.help());
    }
}
