//! `repro`: published results, run again and compared.
//!
//! Invariant: output folders that cannot be written to are refused before the runs.

use std::path::PathBuf;
use std::time::Instant;

use backwater::provenance::manifest;
use claims::tunings::{TUNING, shipped_tunings};
use claims::{
    Bite, Judgement, Paper, PartChoice, Reproduction, UnknownPaper, UnknownPart, Verdict, numbers_file,
    printed,
};
use clap::Args;
use experiment::tuning::{Advice, Judged};
use results::format::counted;
use results::manifest::FolderKind;
use results::tables::printed::written;
use results::{Manifest, OutputError, ResultFolder};

use crate::failure::Failure;
use crate::folder_name;
use crate::terminal::{print, print_exactly};
use crate::tuning::{self, TuningRun};

#[derive(Args, Debug)]
pub(crate) struct ReproOptions {
    /// Name of the paper [default: all papers]; `tuning` searches for better settings than those of papers, which
    /// takes some minutes.
    paper: Option<String>,
    /// Judge this claim of the paper alone, with the runs that it needs; several times for several claims.
    #[arg(long, value_name = "NAME", requires = "paper", conflicts_with = "list")]
    claim: Vec<String>,
    /// Draw this figure or table of the paper alone, with the runs that it needs; several times for several.
    #[arg(long, value_name = "NAME", requires = "paper", conflicts_with = "list")]
    figure: Vec<String>,
    /// Print the names of claims, figures and tables, with the number of runs that each needs; run nothing.
    #[arg(long)]
    list: bool,
    /// Print a JSON list of claims instead of a table.
    #[arg(long)]
    json: bool,
    /// Run for the paper's own time instead of a tenth of it, and with more seeds.
    #[arg(long)]
    full: bool,
    /// Ask each claim also of the runs under which it must fail.
    #[arg(long)]
    teeth: bool,
    /// Folder for numbers, tables and figures, which go to `repro-PAPER` in it, or `repro-PAPER-full`.
    #[arg(long, value_name = "DIR", default_value = "out")]
    out: PathBuf,
    /// Overwrite the results of another command.
    #[arg(long)]
    force: bool,
}

impl From<UnknownPaper> for Failure {
    fn from(unknown: UnknownPaper) -> Self {
        Self::Worded { error: unknown.to_string(), help: unknown.help }
    }
}

impl From<UnknownPart> for Failure {
    fn from(unknown: UnknownPart) -> Self {
        Self::Worded { error: unknown.to_string(), help: unknown.help() }
    }
}

/// Refuses a part of `repro tuning`.
fn no_part_of_tuning() -> Failure {
    Failure::Worded {
        error: "`repro tuning` has neither claims nor figures".to_owned(),
        help: "name a paper, such as `backwater repro gran2011 --list`, or leave the option out".to_owned(),
    }
}

impl ReproOptions {
    /// Returns the options that choose a part of the paper, each with its name.
    fn part(&self) -> Vec<(&'static str, &str)> {
        let claims = self.claim.iter().map(|name| ("--claim", name.as_str()));
        claims.chain(self.figure.iter().map(|name| ("--figure", name.as_str()))).collect()
    }
}

/// Simulates the papers' runs, judges the claims, prints them, writes tables and figures.
pub(crate) fn run(options: &ReproOptions) -> Result<(), Failure> {
    if options.paper.as_deref() == Some(TUNING) {
        let has_part = options.list || !options.part().is_empty();
        return if has_part { Err(no_part_of_tuning()) } else { tunings(options) };
    }
    let mut papers = Paper::shipped(options.paper.as_deref())?;
    if options.list {
        let contents: Vec<_> = papers.iter().map(Paper::contents).collect();
        print(&contents.join("\n"));
        return Ok(());
    }
    if !options.part().is_empty() {
        let choice = PartChoice {
            claims: &options.claim,
            figures: &options.figure,
            full: options.full,
            teeth: options.teeth,
        };
        papers = papers.into_iter().map(|paper| paper.part(choice)).collect::<Result<_, _>>()?;
    }
    for paper in &papers {
        opened(paper, options)?;
    }
    let began = Instant::now();
    let reproduction = Reproduction::simulate(&papers, options.full, options.teeth)?;
    let (mut judgements, mut bites, mut exhibits) = (Vec::new(), Vec::new(), String::new());
    for paper in &papers {
        let judged = reproduction.judgements(paper)?;
        let asked = if options.teeth { reproduction.bites(paper)? } else { Vec::new() };
        let mut of_paper = reproduction.exhibits(paper)?;
        if !judged.is_empty() {
            of_paper.files.insert(0, numbers_file(&judged, &asked));
        }
        exhibits += &of_paper.printed;
        let ((manifest, folder), files) = (opened(paper, options)?, of_paper.files);
        folder.write(&manifest, &files)?;
        let names: Vec<_> = files.iter().map(|file| file.name.as_str()).collect();
        exhibits += &written(folder.path(), &names);
        judgements.extend(judged);
        bites.extend(asked);
    }
    if options.json {
        let json = if options.teeth {
            serde_json::to_string_pretty(&serde_json::json!({ "claims": judgements, "teeth": bites }))
        } else {
            serde_json::to_string_pretty(&judgements)
        };
        let json = json.expect("judgements are plain data");
        print_exactly(&(json + "\n"));
    } else {
        print(&printed::judgements_table(&papers, &judgements));
        print(&exhibits);
        let (totals, runs) = (printed::totals(&judgements), reproduction.runs());
        let totals = if totals.is_empty() { totals } else { totals + "\n" };
        if options.teeth {
            print(&(printed::bites_table(&bites) + "\n"));
        }
        let seconds = began.elapsed().as_secs_f64();
        print(&format!("{totals}{} in {seconds:.1} s\n", counted(runs, "run")));
    }
    verdict(&judgements, &bites)
}

/// Tunes the scenarios that ship with a baseline, and prints each answer.
fn tunings(options: &ReproOptions) -> Result<(), Failure> {
    let began = Instant::now();
    let (mut failed, mut runs, mut answers) = (0, 0, Vec::new());
    for shipped in shipped_tunings() {
        let job = shipped.job(options.full);
        let name = format!("repro-tuning{}", if options.full { "-full" } else { "" });
        let out = options.out.join(name).join(&shipped.name);
        let run =
            TuningRun { out: &out, force: options.force, threads: None, quiet: false, tells_budget: false };
        let finished = tuning::run(&job, run)?;
        let winner = finished.tuned.judged.first().filter(|_| finished.tuned.advice() == Advice::Change);
        failed += usize::from(!winner.is_some_and(Judged::beats_baseline));
        runs += finished.tuned.runs;
        if options.json {
            answers.push(finished.json(&job));
        } else {
            let files = written(&out, finished.files());
            print(&format!("Baseline: {}\n{}\n{files}\n", shipped.baseline, finished.printed(&job)));
        }
    }
    if options.json {
        print_exactly(&format!("[{}]\n", answers.join(",").trim_end()));
    } else {
        let better = shipped_tunings().len() - failed;
        let seconds = began.elapsed().as_secs_f64();
        print(&format!(
            "{better} of {} beat their baseline\n{} in {seconds:.1} s\n",
            counted(better + failed, "tuning"),
            counted(runs, "run")
        ));
    }
    if failed == 0 { Ok(()) } else { Err(Failure::TuningsFailed(failed)) }
}

/// Opens the folder of a paper's tables and figures, and returns their manifest.
fn opened(paper: &Paper, options: &ReproOptions) -> Result<(Manifest, ResultFolder), OutputError> {
    let full = options.full.then_some("--full");
    let part = options.part();
    let words = part.iter().flat_map(|(option, name)| [*option, *name]);
    let command = ["backwater", "repro", &paper.name].into_iter().chain(words).chain(full).map(str::to_owned);
    let manifest =
        Manifest { command: command.collect(), ..manifest(FolderKind::Reproduction, Vec::new(), []) };
    // A part leaves the results of the whole alone.
    let named: String = part.iter().map(|(option, name)| format!(",{}={name}", &option[2..])).collect();
    let name = format!("repro-{}{}{named}", paper.name, full.map_or("", |_| "-full"));
    let name = folder_name::safe(&name);
    let folder = ResultFolder::open(&options.out.join(name), &manifest, options.force)?;
    Ok((manifest, folder))
}

fn verdict(judgements: &[Judgement], bites: &[Bite]) -> Result<(), Failure> {
    let failed = judgements.iter().filter(|one| one.verdict == Verdict::Fail).count();
    let toothless = bites.iter().filter(|one| !one.bites).count();
    match (failed, toothless) {
        (0, 0) => Ok(()),
        (0, toothless) => Err(Failure::ClaimsToothless(toothless)),
        (failed, _) => Err(Failure::ClaimsFailed(failed)),
    }
}
