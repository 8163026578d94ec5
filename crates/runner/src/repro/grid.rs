//! A grid of cases: fabric by background load by contributors by severity of a hot spot. For each, whether the
//! guideline's parameters squelch the hot spot, and if not, whether others do.
//!
//! Invariant: what stands on the axes, what counts as squelched and what is searched are data of the claims file; a case
//! depends on nothing but its own row.
//!
//! ```text
//! severity    what the hot port is offered, in links: s = contributions + uniform load
//! deliverable what all others are offered, and one link: (N b - s + min(s, 1)) / N of a link each
//! squelched   the total in the second half of the hot spot is at least a given share of that
//! ```

use report::File;
use report::curves::{Axis, Line, Point, Scale};
use report::printed::{aligned, plain_table};
use serde::Deserialize;

use super::claims::Run;
use super::parallel;
use super::tuning::Tuning;
use crate::engine;
use crate::failure::Failure;

/// The grid, as written.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Grid {
    /// What its files are called, without `.csv` and `.svg`.
    name: String,
    /// What it shows.
    title: String,
    /// The scenario of every run, which has the guideline's parameters.
    scenario: String,
    /// What is set in every run.
    set: Vec<String>,
    /// What is set for a run without control.
    off: String,
    /// What is set for the traffic, with `LOAD`, `CONTRIBUTORS`, `FRACTION` and `TARGET` for what differs.
    traffic: String,
    fabrics: Vec<Fabric>,
    /// How many hosts contribute; all if none is said.
    contributors: Vec<Option<u32>>,
    /// What the hot port is offered, in links.
    severities: Vec<f64>,
    /// From which share of what can be delivered on a hot spot counts as squelched.
    squelched: f64,
    /// What is tried, one after the other, where the guideline's parameters do not squelch it.
    search: Vec<Vec<Tuning>>,
}

/// A fabric.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Fabric {
    name: String,
    /// Hosts; the last is the hot one.
    ports: u32,
    /// Links from host to host.
    hops: u32,
    /// What is set for it.
    set: String,
    /// Loads of a host, as shares of its link.
    backgrounds: Vec<f64>,
}

/// One case, before it is run.
#[derive(Clone, Debug)]
struct Case<'a> {
    fabric: &'a Fabric,
    background: f64,
    contributors: Option<u32>,
    severity: f64,
    /// The share of a contributor's load that is redirected.
    fraction: f64,
}

/// What came of a case: totals in the second half of the hot spot, as shares of what can be delivered.
#[derive(Clone, Debug)]
struct Found {
    off: f64,
    guideline: f64,
    /// What squelched it where the guideline did not, and with which total; else what came nearest.
    best: Option<(usize, f64)>,
    verdict: Word,
}

/// What became of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Word {
    /// Nothing was to be squelched: without control enough is delivered, and with it too.
    Nothing,
    /// The guideline squelches it.
    Guideline,
    /// Parameters that were searched do.
    Search,
    /// Nothing that was tried does.
    No,
}

impl Word {
    const ALL: [Self; 4] = [Self::Nothing, Self::Guideline, Self::Search, Self::No];

    const fn text(self) -> &'static str {
        match self {
            Self::Nothing => "nothing to squelch",
            Self::Guideline => "guideline",
            Self::Search => "search",
            Self::No => "no",
        }
    }
}

impl Grid {
    /// What is wrong with it.
    pub(crate) fn fault(&self) -> Option<String> {
        let named = ["LOAD", "CONTRIBUTORS", "FRACTION", "TARGET"];
        if let Some(missing) = named.into_iter().find(|word| !self.traffic.contains(word)) {
            return Some(format!("the traffic of {} has no {missing}", self.name));
        }
        self.cases().is_empty().then(|| format!("the grid {} has no case", self.name))
    }

    /// Every combination in which the hot port can be offered as much as is wanted.
    fn cases(&self) -> Vec<Case<'_>> {
        let mut cases = Vec::new();
        for fabric in &self.fabrics {
            for &background in &fabric.backgrounds {
                for &contributors in &self.contributors {
                    for &severity in &self.severities {
                        let fraction = fraction(fabric.ports, background, contributors, severity);
                        if fraction > 0.0 && fraction <= 1.0 {
                            cases.push(Case { fabric, background, contributors, severity, fraction });
                        }
                    }
                }
            }
        }
        cases
    }

    /// Runs all cases, and puts them into words and files.
    pub(crate) fn run(&self) -> Result<(String, Vec<File>), Failure> {
        let cases = self.cases();
        let weight = |case: &Case<'_>| u64::from(case.fabric.ports * case.fabric.hops);
        let found = parallel::all("cases", &cases, weight, |case| self.found(case))?;
        let rows: Vec<_> = cases.iter().zip(&found).collect();
        Ok((self.printed(&rows), vec![self.file(&rows), self.figure(&rows)]))
    }

    fn found(&self, case: &Case<'_>) -> Result<Found, Failure> {
        let off = self.share(case, Some(&self.off), &[])?;
        let guideline = self.share(case, None, &[])?;
        let mut best: Option<(usize, f64)> = None;
        if guideline < self.squelched {
            for (place, tune) in self.search.iter().enumerate() {
                let share = self.share(case, None, tune)?;
                if best.is_none_or(|(_, most)| share > most) {
                    best = Some((place, share));
                }
                if share >= self.squelched {
                    break;
                }
            }
        }
        let verdict = match best {
            None if off >= self.squelched => Word::Nothing,
            None => Word::Guideline,
            Some((_, share)) if share >= self.squelched => Word::Search,
            Some(_) => Word::No,
        };
        Ok(Found { off, guideline, best, verdict })
    }

    /// What a run of the case delivers in the second half of the hot spot, as a share of what can be delivered.
    fn share(&self, case: &Case<'_>, control: Option<&String>, tune: &[Tuning]) -> Result<f64, Failure> {
        let run = self.case(case, control, tune);
        let plan = engine::plan(&run.scenario, &run.settings()?, Some(1))?;
        let link = plan.cable(0).data_rate().get() as f64;
        let outcome = engine::run(&plan, false, &mut |_| {})?;
        let total = outcome.summary.phases[1].settled_total_goodput_bps;
        Ok(total / link / (f64::from(case.fabric.ports) * case.deliverable()))
    }

    fn case(&self, case: &Case<'_>, control: Option<&String>, tune: &[Tuning]) -> Run {
        let contributors =
            case.contributors.map_or_else(|| "All".to_owned(), |count| format!("First({count})"));
        let traffic = self
            .traffic
            .replace("LOAD", &format!("{:?}", case.background))
            .replace("CONTRIBUTORS", &contributors)
            .replace("FRACTION", &format!("{:?}", case.fraction))
            .replace("TARGET", &format!("h{}", case.fabric.ports));
        let own = [case.fabric.set.clone(), traffic];
        let set = self.set.iter().cloned().chain(own).chain(control.cloned()).collect();
        Run { scenario: self.scenario.clone(), set, tune: tune.to_vec() }
    }

    fn printed(&self, rows: &[(&Case<'_>, &Found)]) -> String {
        let mut table = plain_table();
        let words = Word::ALL.map(Word::text).map(str::to_owned);
        table.set_header(["fabric".to_owned(), "cases".to_owned()].into_iter().chain(words));
        let count = |of: &dyn Fn(&Case<'_>) -> bool| {
            let of = || rows.iter().filter(|(case, _)| of(case));
            let counted = |word| of().filter(|(_, found)| found.verdict == word).count().to_string();
            [of().count().to_string()].into_iter().chain(Word::ALL.map(counted))
        };
        for fabric in &self.fabrics {
            let own = |case: &Case<'_>| core::ptr::eq(case.fabric, fabric);
            table.add_row([fabric.name.clone()].into_iter().chain(count(&own)));
        }
        table.add_row(["all".to_owned()].into_iter().chain(count(&|_| true)));
        let mut text = super::filled(&self.title) + "\n\n" + &aligned(table, 6) + "\n\n";
        for (case, found) in rows.iter().filter(|(_, found)| found.best.is_some()) {
            let Some((place, share)) = found.best else { continue };
            text += &format!(
                "{}: {}; no control {:.3}, guideline {:.3}, {:?} {share:.3}\n",
                found.verdict.text(),
                case.words(),
                found.off,
                found.guideline,
                self.search[place],
            );
        }
        text
    }

    fn file(&self, rows: &[(&Case<'_>, &Found)]) -> File {
        let header = [
            "fabric",
            "ports",
            "background",
            "contributors",
            "severity",
            "fraction",
            "deliverable",
            "no_control",
            "guideline",
            "verdict",
            "searched",
            "with_searched",
        ];
        let row = |(case, found): &(&Case<'_>, &Found)| {
            let best = found.best.map(|(place, share)| (format!("{:?}", self.search[place]), share));
            vec![
                case.fabric.name.clone(),
                case.fabric.ports.to_string(),
                case.background.to_string(),
                case.contributors.map_or_else(|| "all".to_owned(), |count| count.to_string()),
                case.severity.to_string(),
                format!("{:.6}", case.fraction),
                format!("{:.6}", case.deliverable()),
                format!("{:.6}", found.off),
                format!("{:.6}", found.guideline),
                found.verdict.text().to_owned(),
                best.as_ref().map_or_else(String::new, |(tune, _)| tune.clone()),
                best.map_or_else(String::new, |(_, share)| format!("{share:.6}")),
            ]
        };
        let contents = report::tables::csv(header.map(str::to_owned).to_vec(), rows.iter().map(row));
        File { name: format!("{}.csv", self.name), contents }
    }

    /// All cases in the order of what they deliver, without control, with the guideline, and with what was searched.
    fn figure(&self, rows: &[(&Case<'_>, &Found)]) -> File {
        let line = |name: &str, share: &dyn Fn(&Found) -> f64| {
            let mut shares: Vec<_> = rows.iter().map(|(_, found)| share(found)).collect();
            shares.sort_by(f64::total_cmp);
            let point = |(place, y): (usize, f64)| Point { x: (place + 1) as f64, y, ci95: None };
            Line { name: name.to_owned(), points: shares.into_iter().enumerate().map(point).collect() }
        };
        let searched =
            |found: &Found| found.best.map_or(found.guideline, |(_, share)| share.max(found.guideline));
        let lines = [
            line("no control", &|found| found.off),
            line("guideline", &|found| found.guideline),
            line("guideline, else the best of the search", &searched),
        ];
        let axis = Axis {
            x: "cases, each line in its own order".to_owned(),
            y: "share of what can be delivered".to_owned(),
            scale: Scale::Linear,
        };
        let levels = [(format!("squelched: {}", self.squelched), self.squelched)];
        let contents = report::curves::drawn(&self.title, &axis, &lines, &levels);
        File { name: format!("{}.svg", self.name), contents }
    }
}

impl Case<'_> {
    /// What can be delivered, as a share of a link for each host.
    fn deliverable(&self) -> f64 {
        let hosts = f64::from(self.fabric.ports);
        (hosts * self.background - self.severity + self.severity.min(1.0)) / hosts
    }

    fn words(&self) -> String {
        let who = self.contributors.map_or_else(|| "all hosts".to_owned(), |count| format!("{count} hosts"));
        format!(
            "{}, background {}, {who} to {} % of the hot port",
            self.fabric.name,
            self.background,
            self.severity * 100.0
        )
    }
}

/// Which share of a contributor's load has to be redirected so that the hot port is offered so many links. Hosts send
/// nothing to themselves: the hot port has `background` of uniform load without a hot spot.
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
    use super::super::claims::{PAPERS, Paper};
    use super::*;

    #[test]
    fn every_fabric_has_cases_that_can_be_run() {
        let grids = PAPERS.iter().filter_map(|(name, text)| Paper::read(name, text).grid);
        for grid in grids {
            let cases = grid.cases();
            assert!(cases.len() >= 200, "{} cases", cases.len());
            for fabric in &grid.fabrics {
                let case = cases.iter().find(|case| core::ptr::eq(case.fabric, fabric));
                let run = grid.case(case.expect("a fabric has a case"), None, &[]);
                let plan = engine::plan(&run.scenario, &run.set, None);
                let plan = plan.unwrap_or_else(|fault| panic!("{}: {}", fabric.name, fault.message(false)));
                assert_eq!((plan.graph().hosts(), plan.phases().len()), (fabric.ports as usize, 2));
            }
        }
    }

    /// The first four cases, one of each verdict.
    #[test]
    fn cases_are_counted_listed_filed_and_drawn() {
        let grid = PAPERS.iter().find_map(|(name, text)| Paper::read(name, text).grid).expect("a grid");
        let cases = grid.cases();
        let found = [
            (0.95, 0.99, None, Word::Nothing),
            (0.4, 0.97, None, Word::Guideline),
            (0.4, 0.5, Some((1, 0.93)), Word::Search),
            (0.3, 0.4, Some((2, 0.6)), Word::No),
        ];
        let found = found.map(|(off, guideline, best, verdict)| Found { off, guideline, best, verdict });
        let rows: Vec<_> = cases.iter().zip(&found).collect();
        let printed = grid.printed(&rows);
        let all: Vec<_> =
            printed.lines().find(|line| line.contains(" all ")).unwrap().split_whitespace().collect();
        assert_eq!(all, ["all", "4", "1", "1", "1", "1"]);
        assert!(
            printed.contains(&format!("\nsearch: {}; no control 0.400, guideline 0.500, ", cases[2].words()))
        );
        assert!(printed.contains(&format!("\nno: {}; ", cases[3].words())));
        let file = grid.file(&rows).contents;
        assert_eq!(file.lines().count(), 5);
        assert!(file.lines().nth(4).unwrap().ends_with(",0.600000"), "{file}");
        assert!(grid.figure(&rows).contents.contains("squelched: 0.9"));
    }

    #[test]
    fn the_demonstration_s_fraction_comes_back() {
        // 9 % of 80 % from 31 hosts: 31 * 0.09 * 0.8 + 0.91 * 0.8 = 2.96 links.
        assert!((fraction(32, 0.8, None, 31.0 * 0.072 + 0.728) - 0.09).abs() < 1e-12);
        // Three hosts that send all they have, at 0.8, and the uniform load of the 28 others.
        let severity = 3.0 * 0.8 + 28.0 * 0.8 / 31.0;
        assert!((fraction(32, 0.8, Some(3), severity) - 1.0).abs() < 1e-12);
    }
}
