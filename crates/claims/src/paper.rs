//! A claims file, and the papers that ship: `fixtures/claims/PAPER.ron`.
//!
//! Invariant: a paper that has been read has no fault that can be found without a run.

use std::collections::{BTreeMap, BTreeSet};

use experiment::{Job, RunSpec, SeedCount};
use figures::engine::chart;
use results::schema::{FileFormat, FileSchema};
use serde::Deserialize;

use crate::exhibits::{
    BarFigure, CombinationTable, GoodputFigure, HotSpotGrid, ParameterSweep, ShareFigure, numbers,
};
use crate::language::{Claim, ClaimRole, ClaimStatus, Expectation, References};
use crate::tunings::TUNING;

macro_rules! papers {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../../fixtures/claims/", $name, ".ron")))),*]
    };
}

/// Papers with claims, by the name that `repro` takes, with the text of their claims file.
pub const PAPERS: &[(&str, &str)] = papers![
    "hp2001",
    "santos2003",
    "gran2011",
    "pfister2005",
    "zhu2015",
    "zhu2016",
    "paths",
    "jobs",
    "cross"
];

/// A claims file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Paper {
    /// Name that `repro` takes.
    #[serde(skip)]
    pub name: String,
    /// Authors, title, place and year.
    pub reference: String,
    /// Number of seeds of each run that claims name.
    #[serde(default)]
    pub seeds: SeedCount,
    /// Runs, by the name that claims use.
    pub runs: BTreeMap<String, RunSpec>,
    /// Further runs under which claims must fail, by name; only `--teeth` simulates them.
    #[serde(default)]
    pub alternatives: BTreeMap<String, RunSpec>,
    /// Further overrides of `--full`, by scenario: the paper's own times.
    pub full: BTreeMap<String, Vec<String>>,
    /// Numbers that others are measured in or compared with.
    pub references: References,
    /// Reported results.
    pub claims: Vec<Claim>,
    /// Tables of many runs: organisation by marking by response.
    #[serde(default)]
    pub tables: Vec<CombinationTable>,
    /// Figures of a setting over its range.
    #[serde(default)]
    pub sweeps: Vec<ParameterSweep>,
    /// Cases that are simulated with `--full` only.
    #[serde(default)]
    pub grid: Option<HotSpotGrid>,
    /// Figures of some of the runs, each with the first seed.
    #[serde(default)]
    pub figures: Vec<GoodputFigure>,
    /// Figures of the shares of flows in some of the runs, as means over the seeds.
    #[serde(default)]
    pub shares: Vec<ShareFigure>,
    /// Figures of numbers of some of the runs, as means over the seeds.
    #[serde(default)]
    pub bars: Vec<BarFigure>,
}

/// There are no claims of a paper.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there are no claims of a paper `{name}`")]
pub struct UnknownPaper {
    /// Name that was asked for.
    pub name: String,
    /// Names of the papers with claims, the most similar first.
    pub help: String,
}

/// Papers that differ in name from their scenarios: the beginning of the scenarios' name, and the paper.
const SCENARIOS_OF: [(&str, &str); 1] = [("conext2016", "zhu2016")];

impl Paper {
    /// Returns the tables and figures that `repro` writes, by their path below the folder of results. The grid's come
    /// with `--full`.
    #[must_use]
    pub fn files(&self) -> Vec<FileSchema> {
        let folder = format!("repro-{}", self.name);
        let file = |name: &str, ending: &str, contents: &str, format| FileSchema {
            name: format!("{folder}/{name}.{ending}"),
            contents: contents.to_owned().into(),
            format,
        };
        let svg = FileFormat::Other("image/svg+xml");
        let table = |table: &CombinationTable| {
            let format = FileFormat::Table(table.schema());
            file(&table.name, "csv", "one row per combination of organisation, marking and response", format)
        };
        let figure = |name: &str| {
            let points = FileFormat::Table(chart::columns());
            [
                file(name, "svg", "a figure", svg.clone()),
                file(name, "csv", "the numbers of the figure of this name", points),
            ]
        };
        let names = self.sweeps.iter().map(|sweep| &sweep.name);
        let names = names.chain(self.figures.iter().map(|figure| &figure.name));
        let names = names.chain(self.shares.iter().map(|figure| &figure.name));
        let names = names.chain(self.bars.iter().map(|figure| &figure.name));
        let claims = FileFormat::Table(numbers::columns());
        let mut files = vec![file(numbers::NAME, "csv", "one row per number of a claim", claims)];
        files.extend(self.tables.iter().map(table));
        files.extend(names.flat_map(|name| figure(name)));
        if let Some(grid) = &self.grid {
            let cases = FileFormat::Table(HotSpotGrid::schema());
            let folder = format!("{folder}-full");
            let name = |ending: &str| format!("{folder}/{}.{ending}", grid.name());
            let contents = "one row per case: a hot spot, and the parameters that squelch it";
            files.push(FileSchema { name: name("csv"), contents: contents.into(), format: cases });
            let contents = "the cases in the order of their throughput";
            files.push(FileSchema { name: name("svg"), contents: contents.into(), format: svg });
        }
        files
    }

    /// Returns the papers that ship: the paper of this name, or all.
    ///
    /// # Errors
    /// If there is no paper of this name.
    pub fn shipped(name: Option<&str>) -> Result<Vec<Self>, UnknownPaper> {
        let is_wanted = |shipped: &str| name.is_none_or(|name| name == shipped);
        let papers: Vec<_> = PAPERS
            .iter()
            .filter(|(shipped, _)| is_wanted(shipped))
            .map(|(name, text)| Self::read(name, text))
            .collect();
        match name {
            Some(name) if papers.is_empty() => Err(UnknownPaper {
                name: name.to_owned(),
                help: scenario::help_with_name(
                    SCENARIOS_OF
                        .iter()
                        .find(|(of, _)| name.starts_with(of))
                        .map_or(name, |(_, paper)| *paper),
                    PAPERS.iter().map(|(name, _)| *name).chain([TUNING]),
                    "papers with claims",
                ),
            }),
            _ => Ok(papers),
        }
    }

    /// Reads a claims file and checks it as far as possible without a run.
    ///
    /// # Panics
    /// If the file has a fault: claims files are part of the program.
    #[must_use]
    pub fn read(name: &str, text: &str) -> Self {
        let paper: Self = ron::from_str(text).unwrap_or_else(|fault| panic!("claims of {name}: {fault}"));
        if let Some(fault) = paper.fault() {
            panic!("claims of {name}: {fault}");
        }
        Self { name: name.to_owned(), ..paper }
    }

    /// Returns the run of a name, with the paper's own times if `full`.
    ///
    /// # Panics
    /// If there is no run of this name.
    #[must_use]
    pub fn run(&self, name: &str, full: bool) -> RunSpec {
        let run = self.runs.get(name).unwrap_or_else(|| &self.alternatives[name]);
        let longer = self.full.get(&run.scenario).filter(|_| full);
        RunSpec { set: run.set.iter().chain(longer.into_iter().flatten()).cloned().collect(), ..run.clone() }
    }

    /// Returns all jobs that the claims and exhibits look at, except for the grid's; with `teeth`, also the jobs of the
    /// alternatives.
    #[must_use]
    pub fn jobs(&self, full: bool, teeth: bool) -> BTreeSet<Job> {
        let with = |run: RunSpec, count: SeedCount| {
            count.seeds(full).map(move |seed| Job { run: run.clone(), seed })
        };
        let alternatives = self.alternatives.keys().filter(|_| teeth);
        let claimed =
            self.runs.keys().chain(alternatives).flat_map(|name| with(self.run(name, full), self.seeds));
        let tables = self.tables.iter().flat_map(|table| {
            table.rows().into_iter().flat_map(|row| with(row.run, table.seeds)).collect::<Vec<_>>()
        });
        let sweeps = self.sweeps.iter().flat_map(|sweep| {
            sweep.runs(&self.runs).into_iter().flat_map(|run| with(run, sweep.seeds)).collect::<Vec<_>>()
        });
        claimed.chain(tables).chain(sweeps).collect()
    }

    /// Returns the first fault, if any.
    fn fault(&self) -> Option<String> {
        if self.seeds.lacks_one() {
            return Some("every run needs a seed".to_owned());
        }
        self.fault_of_measures().or_else(|| self.fault_of_claims()).or_else(|| self.fault_of_exhibits())
    }

    fn fault_of_measures(&self) -> Option<String> {
        let quantities =
            self.references.iter().map(|(name, quantity)| (name, &quantity.run, &quantity.measure));
        let claims = self.claims.iter().map(|claim| (&claim.id, &claim.run, &claim.measure));
        for (name, run, measure) in quantities.chain(claims) {
            if !self.runs.contains_key(run) {
                return Some(format!("{name} looks at `{run}`, which is not among the runs"));
            }
            if let Some(fault) = measure.fault() {
                return Some(format!("{name} {fault}"));
            }
        }
        None
    }

    fn fault_of_claims(&self) -> Option<String> {
        let mut ids: Vec<_> = self.claims.iter().map(|claim| &claim.id).collect();
        ids.sort();
        if let Some(twice) = ids.windows(2).find(|pair| pair[0] == pair[1]) {
            return Some(format!("two claims are called `{}`", twice[0]));
        }
        self.claims.iter().find_map(|claim| {
            let unit = self.references.fault_of_claim(claim);
            unit.or_else(|| References::fault_of_range(claim)).or_else(|| self.fault_of_alternatives(claim))
        })
    }

    fn fault_of_alternatives(&self, claim: &Claim) -> Option<String> {
        let known = |name: &String| self.runs.contains_key(name) || self.alternatives.contains_key(name);
        let id = &claim.id;
        if let Some(name) = claim.fails_under.iter().find(|name| !known(name)) {
            return Some(format!("{id} fails under `{name}`, which is not among the runs or alternatives"));
        }
        let judged = claim.expect != Expectation::Report && !matches!(claim.status, ClaimStatus::Failing(_));
        if judged && claim.role != ClaimRole::Check && claim.fails_under.is_empty() {
            return Some(format!("{id} names no run in `fails_under`, and may be unable to fail"));
        }
        claim.fails_under.contains(&claim.run).then(|| format!("{id} fails under its own run"))
    }

    fn fault_of_exhibits(&self) -> Option<String> {
        let (runs, references) = (&self.runs, &self.references);
        let tables = self.tables.iter().find_map(|table| table.fault(references));
        tables
            .or_else(|| self.sweeps.iter().find_map(|sweep| sweep.fault(runs, references)))
            .or_else(|| self.grid.as_ref().and_then(HotSpotGrid::fault))
            .or_else(|| self.figures.iter().find_map(|figure| figure.fault(runs)))
            .or_else(|| self.shares.iter().find_map(|figure| figure.fault(runs)))
            .or_else(|| self.bars.iter().find_map(|figure| figure.fault(runs)))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    #[test]
    fn files_have_names_of_their_own() {
        let files: Vec<_> = PAPERS.iter().flat_map(|(name, text)| Paper::read(name, text).files()).collect();
        let names: BTreeSet<_> = files.iter().map(|file| file.name.as_str()).collect();
        assert_eq!(names.len(), files.len());
        for name in [
            "santos2003/readings.csv",
            "pfister2005/stays.svg",
            "pfister2005-full/grid.csv",
            "zhu2016/queues.csv",
            "hp2001/claims.csv",
        ] {
            assert!(names.contains(format!("repro-{name}").as_str()), "no {name} in {names:?}");
        }
    }
    use crate::exhibits::table::Combination;
    use crate::language::Measure;

    #[test]
    fn every_paper_s_claims_can_be_read() {
        for (name, text) in PAPERS {
            assert!(!Paper::read(name, text).claims.is_empty());
        }
    }

    #[test]
    fn full_runs_take_the_paper_s_times() {
        let paper = Paper::shipped(Some("gran2011")).unwrap().remove(0);
        assert_eq!(paper.run("scenario 1 off", false), paper.runs["scenario 1 off"]);
        let full = paper.run("scenario 1 off", true);
        assert_eq!(full.set[0], "congestion_control=Off");
        assert_eq!(full.set[1], "duration=5 s");
    }

    #[test]
    fn every_claim_has_its_flows_and_phases_in_its_run() {
        for paper in Paper::shipped(None).unwrap() {
            let claims = paper.claims.iter().flat_map(|claim| {
                let runs = core::iter::once(&claim.run).chain(&claim.fails_under);
                runs.map(|run| (run, &claim.measure))
            });
            let references = paper.references.iter().map(|(_, quantity)| (&quantity.run, &quantity.measure));
            for ((name, measure), full) in
                claims.chain(references).flat_map(|wanted| [(wanted, false), (wanted, true)])
            {
                let run = paper.run(name, full);
                let plan = experiment::plan(&run.scenario, &run.set, None).unwrap();
                let phase = measure.phase().unwrap_or(1);
                assert!(phase <= plan.phases().len(), "{name} has no phase {phase}");
                let to = if let Measure::Ratio { to, .. } = measure { &to[..] } else { &[] };
                for flow in measure.flows().iter().chain(to) {
                    let fits = |name: &str| match flow.strip_suffix('*') {
                        Some(beginning) => name.starts_with(beginning),
                        None => name == flow,
                    };
                    let found = plan.workload().flows.iter().any(|one| one.named && fits(&one.name));
                    assert!(found, "{name} has no flow {flow}");
                }
            }
        }
    }

    #[test]
    fn every_row_of_a_table_is_a_plan_of_its_own() {
        for paper in Paper::shipped(None).unwrap() {
            for table in &paper.tables {
                let plan = |row: &Combination| {
                    let plan = experiment::plan(&row.run.scenario, &row.run.set, None);
                    plan.unwrap_or_else(|fault| panic!("{row:?}: {fault}")).resolved()
                };
                let rows = table.rows();
                let plans: BTreeSet<_> = rows.iter().map(plan).collect();
                assert_eq!(plans.len(), rows.len(), "two rows of {} are the same run", table.name);
            }
        }
    }

    const SOUND: &str = r#"(
        reference: "Someone 2000",
        runs: {"off": (scenario: "one-flow", set: ["congestion_control=Off"])},
        full: {},
        references: {"C": (run: "off", measure: Goodput(flows: ["F1"], phase: 1))},
        claims: [(
            id: "alone", statement: "F1 gets C", source: "section 1", run: "off",
            measure: Goodput(flows: ["F1"], phase: 1), unit: Of("C"), expect: AtLeast(1.0),
            fails_under: ["slow"],
        )],
        alternatives: {"slow": (scenario: "one-flow", set: ["flows.F1.load.Saturate=1"])},
    )"#;

    #[test]
    fn faults_of_a_paper_are_found() {
        assert_eq!(Paper::read("sound", SOUND).claims[0].status, ClaimStatus::Expected);
        for (from, to, fault) in [
            (r#"run: "off", measure: Goodput(flows: ["F1"], phase: 1))"#, "", "unterminated"),
            (r#"source: "section 1", run: "off""#, r#"source: "", run: "on""#, "not among the runs"),
            (r#"Of("C")"#, r#"Of("D")"#, "not among the references"),
            (r#"Of("C")"#, "One", "does not fit"),
            (r#"flows: ["F1"], phase: 1), unit"#, r#"flows: [], phase: 1), unit"#, "needs a flow"),
            (r#"phase: 1), unit"#, r#"phase: 0), unit"#, "needs a flow"),
            ("AtLeast(1.0)", r#"MoreThan("D")"#, "not among the references"),
            (r#"fails_under: ["slow"]"#, "fails_under: []", "unable to fail"),
            (r#"["slow"]"#, r#"["fast"]"#, "not among the runs or alternatives"),
            (r#"["slow"]"#, r#"["off"]"#, "under its own run"),
            ("AtLeast(1.0)", "Report", "needs `measured`"),
            ("AtLeast(1.0)", "AtLeast(1.0), measured: Some((0.9, 1.0))", "no effect"),
            ("AtLeast(1.0)", "Report, measured: Some((1.0, 0.9))", "no range"),
            (r#"Of("C"), expect: AtLeast(1.0)"#, r#"Ms, expect: AtLeast(1.0)"#, "does not fit"),
            (
                r#"Goodput(flows: ["F1"], phase: 1), unit"#,
                r#"TimeToReach(flows: ["F1"], phase: 1, share: 0.9), unit"#,
                "before its own",
            ),
        ] {
            let Ok(paper) = ron::from_str::<Paper>(&SOUND.replacen(from, to, 1)) else {
                assert_eq!(fault, "unterminated");
                continue;
            };
            assert!(paper.fault().is_some_and(|found| found.contains(fault)), "{fault}");
        }
    }

    /// The values of the claims on another simulator equal its own output.
    #[test]
    fn results_of_the_other_simulator_are_its_files() {
        let paper = Paper::shipped(Some("cross")).unwrap().remove(0);
        let mut compared = 0;
        for claim in &paper.claims {
            let Measure::Completion(statistic) = claim.measure else { continue };
            let Expectation::Within { value, .. } = claim.expect else { panic!("{} has no range", claim.id) };
            let name = &paper.runs[&claim.run].scenario;
            let mut known = experiment::configurations::CONFIGURATIONS.iter();
            let its = known.find(|one| one.name == name).expect("it ships").completion_times().collect();
            let its = statistic.of(its).expect("there are some") * 1e3;
            assert!((value - its).abs() < 1e-6, "{}: {value}, not {its}", claim.id);
            compared += 1;
        }
        assert_eq!(compared, 8);
    }

    #[test]
    fn pages_tell_the_number_of_claims() {
        let page = |name: &str| {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name);
            fs::read_to_string(&path).unwrap_or_else(|cause| panic!("{name}: {cause}"))
        };
        let papers = Paper::shipped(None).unwrap();
        let is_claim = |claim: &&Claim| claim.role == ClaimRole::Test && claim.expect != Expectation::Report;
        let claims: Vec<_> = papers.iter().flat_map(|paper| &paper.claims).filter(is_claim).collect();
        let with = |is: fn(&ClaimStatus) -> bool| claims.iter().filter(|claim| is(&claim.status)).count();
        let all = claims.len();
        let met = with(|status| *status == ClaimStatus::Expected);
        let undecided = with(|status| matches!(status, ClaimStatus::Undecided(_)));
        let known = with(|status| matches!(status, ClaimStatus::Failing(_)));
        let told = format!(
            "| {all}: {met} hold, {undecided} with the seeds of `--full`, {known} are known not to, each with its reason |"
        );
        assert!(page("README.md").contains(&told), "README.md does not say `{told}`");
        // Two files of claims are no paper's.
        let told = format!("| {all} claims, {} papers and ns-3 |", papers.len() - 2);
        assert!(page("docs/comparison.md").contains(&told), "docs/comparison.md does not say `{told}`");
    }
}
