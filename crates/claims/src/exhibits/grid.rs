//! A grid of hot spots: fabric by background load by contributors by severity. Each case tests whether the guideline's
//! parameters squelch the hot spot, and if they do not, whether other parameters do.
//!
//! Invariant: the axes, the criterion and the parameters of the search are data of the claims file. A case does not
//! depend on the other cases.
//!
//! ```text
//! severity     load offered to the hot port, in links: s = contributions + uniform load
//! deliverable  load offered to all other ports, and one link: (N b - s + min(s, 1)) / N of a link for each host
//! squelched    total goodput in the second half of the hot spot is at least a given share of the deliverable load
//! whole        total goodput over all of the hot spot, which counts the fall at its beginning, as a share of that load
//! port         goodput received by the hot port in the second half, as a share of its link
//! ```

use experiment::{RelativeSetting, RunSpec, SimulationError, pool, simulate};
use fabric::RunOptions;
use figures::engine::{Axis, Chart, Ink, Layer, Line, Panel, Reduction};
use measures::PhasePart;
use results::OutputFile;
use results::format::{aligned, plain_table};
use results::table::{ColumnSchema, ColumnType, decimal};
use serde::Deserialize;

use crate::language::Measure;
use crate::layout::wrapped;
use crate::measurement::measured;

/// A grid of hot spots.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HotSpotGrid {
    /// Name of its files, without `.csv` and `.svg`.
    name: String,
    /// Title of the table and the figure.
    title: String,
    /// Scenario of every run, which has the guideline's parameters.
    scenario: String,
    /// Overrides of every run.
    set: Vec<String>,
    /// Override that switches congestion control off.
    off: String,
    /// Override of the traffic, in which `LOAD`, `CONTRIBUTORS`, `FRACTION` and `TARGET` stand for the case's values.
    traffic: String,
    /// Fabrics with their background loads.
    fabrics: Vec<GridFabric>,
    /// Numbers of contributing hosts; `None` for all.
    contributors: Vec<Option<u32>>,
    /// Loads offered to the hot port, in links.
    severities: Vec<f64>,
    /// Share of the deliverable load from which on a hot spot counts as squelched.
    squelched: f64,
    /// Parameters to try, set after set, where the guideline's do not squelch the hot spot.
    search: Vec<Vec<RelativeSetting>>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct GridFabric {
    /// Name in the tables.
    name: String,
    /// Number of hosts; the last is the hot spot.
    ports: u32,
    /// Number of links from host to host.
    hops: u32,
    /// Override that chooses the fabric.
    set: String,
    /// Background loads of a host, as shares of its link.
    backgrounds: Vec<f64>,
    /// Loads offered to the hot port, in links, in place of the grid's; the grid's if left out.
    #[serde(default)]
    severities: Option<Vec<f64>>,
    /// Number of seeds, from 1 on. Each is a case of its own.
    #[serde(default = "one")]
    seeds: u64,
}

const fn one() -> u64 {
    1
}

/// A case of the grid.
#[derive(Clone, Debug)]
struct HotSpot<'a> {
    fabric: &'a GridFabric,
    /// Load of a host, as a share of its link.
    background: f64,
    /// Number of contributing hosts; `None` for all.
    contributors: Option<u32>,
    /// Load offered to the hot port, in links.
    severity: f64,
    /// Share of a contributor's load that is redirected to the hot port.
    fraction: f64,
    /// Seed of its runs.
    seed: u64,
}

/// Goodput of a run: the totals as shares of the deliverable load.
#[derive(Clone, Copy, Debug)]
struct Delivered {
    /// Total in the second half of the hot spot.
    settled: f64,
    /// Total over all of it.
    whole: f64,
    /// Goodput received by the hot port in the second half, as a share of its link.
    port: f64,
}

#[derive(Clone, Debug)]
struct SearchResult {
    /// Shares without congestion control.
    off: Delivered,
    /// Shares with the guideline's parameters.
    guideline: Delivered,
    /// Place and shares of the best parameters of the search, by the second half; `None` where nothing was searched.
    best: Option<(usize, Delivered)>,
    remedy: Remedy,
}

/// Parameters that squelch a hot spot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Remedy {
    /// None are needed: enough is delivered without congestion control, and with it too.
    Unneeded,
    /// The guideline's.
    Guideline,
    /// Parameters of the search.
    Search,
    /// None of those tried.
    NoneFound,
}

impl Remedy {
    const ALL: [Self; 4] = [Self::Unneeded, Self::Guideline, Self::Search, Self::NoneFound];

    const fn word(self) -> &'static str {
        match self {
            Self::Unneeded => "nothing to squelch",
            Self::Guideline => "guideline",
            Self::Search => "search",
            Self::NoneFound => "no",
        }
    }
}

impl HotSpotGrid {
    /// Returns the fault of the grid, if any.
    pub(crate) fn fault(&self) -> Option<String> {
        let named = ["LOAD", "CONTRIBUTORS", "FRACTION", "TARGET"];
        if let Some(missing) = named.into_iter().find(|word| !self.traffic.contains(word)) {
            return Some(format!("the traffic of {} has no {missing}", self.name));
        }
        self.cases().is_empty().then(|| format!("the grid {} has no case", self.name))
    }

    /// Returns all combinations in which the contributors can offer the hot port the wanted load.
    fn cases(&self) -> Vec<HotSpot<'_>> {
        let mut cases = Vec::new();
        for fabric in &self.fabrics {
            for &background in &fabric.backgrounds {
                for &contributors in &self.contributors {
                    for &severity in fabric.severities.as_ref().unwrap_or(&self.severities) {
                        let fraction = fraction(fabric.ports, background, contributors, severity);
                        if fraction > 0.0 && fraction <= 1.0 {
                            let case =
                                |seed| HotSpot { fabric, background, contributors, severity, fraction, seed };
                            cases.extend((1..=fabric.seeds).map(case));
                        }
                    }
                }
            }
        }
        cases
    }

    /// Simulates all cases. Returns the printed table, and the files.
    ///
    /// # Errors
    /// If a run cannot start, or stops early.
    pub(crate) fn run(&self) -> Result<(String, Vec<OutputFile>), SimulationError> {
        let cases = self.cases();
        // Events of a run grow with its hosts and the hops of its packets.
        let weight = |case: &HotSpot<'_>| u64::from(case.fabric.ports * case.fabric.hops);
        let results = pool::work_through(Some("cases"), &cases, weight, |case| self.search(case))?;
        let rows: Vec<_> = cases.iter().zip(&results).collect();
        Ok((self.printed(&rows), vec![self.file(&rows), self.figure(&rows)]))
    }

    fn search(&self, case: &HotSpot<'_>) -> Result<SearchResult, SimulationError> {
        let off = self.share(case, Some(&self.off), &[])?;
        let guideline = self.share(case, None, &[])?;
        let mut best: Option<(usize, Delivered)> = None;
        if guideline.settled < self.squelched {
            for (place, tune) in self.search.iter().enumerate() {
                let share = self.share(case, None, tune)?;
                if best.is_none_or(|(_, most)| share.settled > most.settled) {
                    best = Some((place, share));
                }
                // The search costs a run for each set, and the first set that squelches decides the verdict.
                if share.settled >= self.squelched {
                    break;
                }
            }
        }
        let remedy = match best {
            None if off.settled >= self.squelched => Remedy::Unneeded,
            None => Remedy::Guideline,
            Some((_, share)) if share.settled >= self.squelched => Remedy::Search,
            Some(_) => Remedy::NoneFound,
        };
        Ok(SearchResult { off, guideline, best, remedy })
    }

    /// Simulates a case.
    fn share(
        &self,
        case: &HotSpot<'_>,
        control: Option<&String>,
        tune: &[RelativeSetting],
    ) -> Result<Delivered, SimulationError> {
        let plan = self.run_of(case, control, tune).plan(case.seed)?;
        let link = plan.cable(0).rate.get() as f64;
        let outcome = simulate(&plan, RunOptions::default(), &mut |_| {})?;
        let deliverable = link * f64::from(case.fabric.ports) * case.deliverable();
        let phase = &outcome.summary.phases[1];
        let received = Measure::Received { host: case.target(), phase: 2, over: PhasePart::SecondHalf };
        let received = measured(&received, &outcome).expect("a hot spot has flows to its target");
        Ok(Delivered {
            settled: phase.second_half_total_goodput_bps / deliverable,
            whole: phase.total_goodput_bps / deliverable,
            port: received[0] / link,
        })
    }

    fn run_of(&self, case: &HotSpot<'_>, control: Option<&String>, tune: &[RelativeSetting]) -> RunSpec {
        let contributors =
            case.contributors.map_or_else(|| "All".to_owned(), |count| format!("First({count})"));
        let traffic = self
            .traffic
            .replace("LOAD", &format!("{:?}", case.background))
            .replace("CONTRIBUTORS", &contributors)
            .replace("FRACTION", &format!("{:?}", case.fraction))
            .replace("TARGET", &case.target());
        let own = [case.fabric.set.clone(), traffic];
        let set = self.set.iter().cloned().chain(own).chain(control.cloned()).collect();
        RunSpec { scenario: self.scenario.clone(), set, tune: tune.to_vec() }
    }

    fn printed(&self, rows: &[(&HotSpot<'_>, &SearchResult)]) -> String {
        let mut table = plain_table();
        let words = Remedy::ALL.map(Remedy::word).map(str::to_owned);
        let last = ["of all, over the whole hot spot".to_owned()];
        table.set_header(["fabric".to_owned(), "cases".to_owned()].into_iter().chain(words).chain(last));
        let count = |of: &dyn Fn(&HotSpot<'_>) -> bool| {
            let of = || rows.iter().filter(|(case, _)| of(case));
            let counted = |remedy| of().filter(|(_, result)| result.remedy == remedy).count().to_string();
            let whole = of().filter(|(_, result)| result.is_squelched_over_the_whole(self.squelched)).count();
            let counts = [of().count().to_string()].into_iter().chain(Remedy::ALL.map(counted));
            counts.chain([whole.to_string()])
        };
        for fabric in &self.fabrics {
            let own = |case: &HotSpot<'_>| core::ptr::eq(case.fabric, fabric);
            table.add_row([fabric.name.clone()].into_iter().chain(count(&own)));
        }
        table.add_row(["all".to_owned()].into_iter().chain(count(&|_| true)));
        let mut text = wrapped(&self.title) + "\n\n" + &aligned(table, 6) + "\n\n";
        for (case, result) in rows {
            let Some((place, share)) = result.best else { continue };
            text += &format!(
                "{}: {}; no control {:.3}, guideline {:.3}, {:?} {:.3}\n",
                result.remedy.word(),
                case.words(),
                result.off.settled,
                result.guideline.settled,
                self.search[place],
                share.settled,
            );
        }
        text
    }

    fn file(&self, rows: &[(&HotSpot<'_>, &SearchResult)]) -> OutputFile {
        let row = |(case, result): &(&HotSpot<'_>, &SearchResult)| {
            let best = result.best.map(|(place, share)| (format!("{:?}", self.search[place]), share));
            vec![
                case.fabric.name.clone(),
                case.fabric.ports.to_string(),
                decimal(case.background),
                case.contributors.map_or_else(|| "all".to_owned(), |count| count.to_string()),
                decimal(case.severity),
                format!("{:.6}", case.fraction),
                case.seed.to_string(),
                format!("{:.6}", case.deliverable()),
                format!("{:.6}", result.off.settled),
                format!("{:.6}", result.guideline.settled),
                result.remedy.word().to_owned(),
                best.as_ref().map_or_else(String::new, |(tune, _)| tune.clone()),
                best.as_ref().map_or_else(String::new, |(_, share)| format!("{:.6}", share.settled)),
                format!("{:.6}", result.off.whole),
                format!("{:.6}", result.guideline.whole),
                best.as_ref().map_or_else(String::new, |(_, share)| format!("{:.6}", share.whole)),
                format!("{:.6}", result.off.port),
                format!("{:.6}", result.guideline.port),
                best.map_or_else(String::new, |(_, share)| format!("{:.6}", share.port)),
            ]
        };
        let header = Self::schema().into_iter().map(|column| column.name.into_owned()).collect();
        let contents = results::format::csv(header, rows.iter().map(row));
        OutputFile { name: format!("{}.csv", self.name), contents }
    }

    pub(crate) fn schema() -> Vec<ColumnSchema> {
        let text = |name, required, meaning| ColumnSchema::new(name, ColumnType::String, required, meaning);
        let number = |name, meaning| ColumnSchema::new(name, ColumnType::Number, true, meaning);
        vec![
            text("fabric", true, "the network"),
            ColumnSchema::new("ports", ColumnType::Integer, true, "its hosts"),
            number("background", "load of each host, as a share of its link"),
            text("contributors", true, "hosts that contribute to the hot spot: `all`, or their number"),
            number("severity", "offered load of the hot port, in links"),
            number("fraction", "share of a contributor's load that goes to it"),
            ColumnSchema::new("seed", ColumnType::Integer, true, "seed of its runs"),
            number("deliverable", "deliverable load, as a share of a link per host"),
            number(
                "no_control",
                "total in the second half of the hot spot without congestion control, as a share of the deliverable load",
            ),
            number("guideline", "the same with the guideline's parameters"),
            text(
                "verdict",
                true,
                "`guideline` squelches it, `search` found parameters that do, `no`: none that was tried does; `nothing to \
                 squelch`",
            ),
            text(
                "searched",
                false,
                "the parameters found, else those that came nearest; empty without a search",
            ),
            ColumnSchema::new(
                "with_searched",
                ColumnType::Number,
                false,
                "their total, as a share of the deliverable load",
            ),
            number("no_control_whole", "`no_control` over the whole of the hot spot"),
            number("guideline_whole", "`guideline` over the whole of it"),
            ColumnSchema::new(
                "with_searched_whole",
                ColumnType::Number,
                false,
                "`with_searched` over the whole of it",
            ),
            number(
                "no_control_port",
                "goodput of the hot port in the second half, as a share of its link, without control",
            ),
            number("guideline_port", "the same with the guideline's parameters"),
            ColumnSchema::new("with_searched_port", ColumnType::Number, false, "the same with those found"),
        ]
    }

    /// Returns the title.
    pub(crate) fn title(&self) -> &str {
        &self.title
    }

    /// Returns the name of the grid's files, without their endings.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Draws the shares of all cases in rising order: without control, with the guideline, and with the search.
    fn figure(&self, rows: &[(&HotSpot<'_>, &SearchResult)]) -> OutputFile {
        let line = |place: usize, name: &str, share: &dyn Fn(&SearchResult) -> f64| {
            let mut shares: Vec<_> = rows.iter().map(|(_, result)| share(result)).collect();
            shares.sort_by(f64::total_cmp);
            let points = (1..).zip(shares).map(|(case, y)| (f64::from(case), Some(y))).collect();
            Line { reduction: Reduction::None, ..Line::new(name, Ink::Palette(place), points) }
        };
        let lines = [
            line(0, "no control", &|result| result.off.settled),
            line(1, "guideline", &|result| result.guideline.settled),
            line(2, "guideline, else the best of the search", &|result| result.with_search().settled),
            line(3, "the same over the whole of the hot spot", &|result| result.with_search().whole),
        ];
        let values = lines.iter().flat_map(|line| line.points.iter().filter_map(|(_, y)| *y));
        let y = Axis::from_zero("share of what can be delivered", values.chain([self.squelched]));
        let level = Layer::Level { name: format!("squelched: {}", self.squelched), value: self.squelched };
        let panel = Panel {
            title: String::new(),
            x: Axis::linear("cases, each line in its own order", 0.0, rows.len() as f64 + 1.0),
            y,
            height: 320.0,
            layers: core::iter::once(level).chain(lines.into_iter().map(Layer::Line)).collect(),
        };
        let chart = Chart {
            title: self.title.clone(),
            description: "Goodput of every case as a share of what can be delivered, in rising order."
                .to_owned(),
            panels: vec![panel],
            columns: 1,
            ..Chart::default()
        };
        OutputFile { name: format!("{}.svg", self.name), contents: chart.svg() }
    }
}

impl SearchResult {
    /// Returns the shares with the guideline's parameters, or with the search's where it found better parameters.
    fn with_search(&self) -> Delivered {
        let searched = self.best.map(|(_, share)| share);
        searched.filter(|share| share.settled > self.guideline.settled).unwrap_or(self.guideline)
    }

    /// Returns whether the deliverable load is delivered over the whole of the hot spot, its beginning included.
    fn is_squelched_over_the_whole(&self, squelched: f64) -> bool {
        self.with_search().whole >= squelched
    }
}

impl HotSpot<'_> {
    /// Returns the name of the host at the hot port.
    fn target(&self) -> String {
        format!("h{}", self.fabric.ports)
    }

    /// Returns the deliverable load, as a share of a link for each host.
    fn deliverable(&self) -> f64 {
        let hosts = f64::from(self.fabric.ports);
        (hosts * self.background - self.severity + self.severity.min(1.0)) / hosts
    }

    fn words(&self) -> String {
        let who = self.contributors.map_or_else(|| "all hosts".to_owned(), |count| format!("{count} hosts"));
        format!(
            "{}, background {}, {who} to {} % of the hot port, seed {}",
            self.fabric.name,
            self.background,
            self.severity * 100.0,
            self.seed
        )
    }
}

/// Returns the share of a contributor's load that has to be redirected so that `severity` links are offered to the hot
/// port. Hosts send nothing to themselves: without a hot spot, the uniform load of the hot port is `background`.
///
/// ```text
/// all      s = (N-1) h b + (1-h) b                           h = (s - b) / ((N-2) b)
/// c hosts  s = c h b + c (1-h) b / (N-1) + (N-1-c) b / (N-1) h = (s - b) / (c b (N-2)/(N-1))
/// ```
fn fraction(ports: u32, background: f64, contributors: Option<u32>, severity: f64) -> f64 {
    let others = f64::from(ports - 1);
    let count = contributors.map_or(others, f64::from);
    (severity - background) / (count * background * (others - 1.0) / others)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exhibits::assert_as_schema;
    use crate::paper::{PAPERS, Paper};

    #[test]
    fn every_fabric_has_cases_that_can_be_run() {
        let grids = PAPERS.iter().filter_map(|(name, text)| Paper::read(name, text).grid);
        for grid in grids {
            let cases = grid.cases();
            assert!(cases.len() >= 200, "{} cases", cases.len());
            for fabric in &grid.fabrics {
                let case = cases.iter().find(|case| core::ptr::eq(case.fabric, fabric));
                let run = grid.run_of(case.expect("a fabric has a case"), None, &[]);
                let plan = run.plan(1).unwrap_or_else(|fault| panic!("{}: {fault}", fabric.name));
                assert_eq!((plan.graph().hosts(), plan.phases().len()), (fabric.ports as usize, 2));
            }
        }
    }

    /// The first four cases. Each has its remedy.
    #[test]
    fn cases_are_counted_listed_filed_and_drawn() {
        let grid = PAPERS.iter().find_map(|(name, text)| Paper::read(name, text).grid).expect("a grid");
        let cases = grid.cases();
        let results = [
            (0.95, 1.01, None, Remedy::Unneeded),
            (0.4, 0.97, None, Remedy::Guideline),
            (0.4, 0.5, Some((1, 0.93)), Remedy::Search),
            (0.3, 0.4, Some((2, 0.6)), Remedy::NoneFound),
        ];
        // Over the whole of the hot spot a tenth less.
        let of = |settled| Delivered { settled, whole: 0.9 * settled, port: 0.5 * settled };
        let results = results.map(|(off, guideline, best, remedy)| {
            let best = best.map(|(place, share)| (place, of(share)));
            SearchResult { off: of(off), guideline: of(guideline), best, remedy }
        });
        let rows: Vec<_> = cases.iter().zip(&results).collect();
        let printed = grid.printed(&rows);
        let all: Vec<_> =
            printed.lines().find(|line| line.contains(" all ")).unwrap().split_whitespace().collect();
        assert_eq!(all, ["all", "4", "1", "1", "1", "1", "1"]);
        assert!(
            printed.contains(&format!("\nsearch: {}; no control 0.400, guideline 0.500, ", cases[2].words()))
        );
        assert!(printed.contains(&format!("\nno: {}; ", cases[3].words())));
        assert_as_schema(&grid.file(&rows), &HotSpotGrid::schema());
        let file = grid.file(&rows).contents;
        assert_eq!(file.lines().count(), 5);
        assert!(
            file.lines()
                .nth(4)
                .unwrap()
                .contains(",0.600000,0.270000,0.360000,0.540000,0.150000,0.200000,0.300000"),
            "{file}"
        );
        assert!(grid.figure(&rows).contents.contains("squelched: 0.9"));
    }

    #[test]
    fn the_demonstration_s_fraction_is_recovered() {
        // 9 % of 80 % from 31 hosts: 31 * 0.09 * 0.8 + 0.91 * 0.8 = 2.96 links.
        assert!((fraction(32, 0.8, None, 31.0 * 0.072 + 0.728) - 0.09).abs() < 1e-12);
        // Three hosts redirect their whole load of 0.8; the 28 others send uniform load.
        let severity = 3.0 * 0.8 + 28.0 * 0.8 / 31.0;
        assert!((fraction(32, 0.8, Some(3), severity) - 1.0).abs() < 1e-12);
    }
}
