//! `repro`: published results, run again and compared.
//!
//! Invariant: output folders that cannot be written to are refused before the runs.

use std::path::PathBuf;
use std::time::Instant;

use claims::{Bite, Judgement, Paper, Reproduction, Verdict, printed};
use clap::Args;
use report::folder;
use report::tables::printed::written;

use crate::failure::Failure;
use crate::terminal::print;

#[derive(Args, Debug)]
pub(crate) struct ReproOptions {
    /// Name of the paper [default: all].
    paper: Option<String>,
    /// Print a JSON list of claims instead of a table.
    #[arg(long)]
    json: bool,
    /// Run for the paper's own time instead of a tenth of it, and with more seeds.
    #[arg(long)]
    full: bool,
    /// Ask each claim also of the runs under which it must fail.
    #[arg(long)]
    teeth: bool,
    /// Folder for tables and figures, which go to `repro-PAPER` in it.
    #[arg(long, value_name = "DIR", default_value = "out")]
    out: PathBuf,
}

/// Simulates the papers' runs, judges the claims, prints them, writes tables and figures.
pub(crate) fn run(options: &ReproOptions) -> Result<(), Failure> {
    let papers = Paper::shipped(options.paper.as_deref())?;
    let folder_of = |paper: &Paper| options.out.join(format!("repro-{}", paper.name));
    for paper in papers.iter().filter(|paper| paper.has_files()) {
        folder::probe(&folder_of(paper))?;
    }
    let began = Instant::now();
    let reproduction = Reproduction::simulate(&papers, options.full, options.teeth)?;
    let (mut judgements, mut bites, mut exhibits) = (Vec::new(), Vec::new(), String::new());
    for paper in &papers {
        judgements.extend(reproduction.judgements(paper)?);
        if options.teeth {
            bites.extend(reproduction.bites(paper)?);
        }
        let of_paper = reproduction.exhibits(paper)?;
        exhibits += &of_paper.printed;
        if !of_paper.files.is_empty() {
            let (folder, files) = (folder_of(paper), of_paper.files);
            folder::write(&folder, &files)?;
            let names: Vec<_> = files.iter().map(|file| file.name.as_str()).collect();
            exhibits += &written(&folder, &names);
        }
    }
    if options.json {
        let json = if options.teeth {
            serde_json::to_string_pretty(&serde_json::json!({ "claims": judgements, "teeth": bites }))
        } else {
            serde_json::to_string_pretty(&judgements)
        };
        let json = json.expect("judgements are plain data");
        print(&(json + "\n"));
    } else {
        print(&printed::judgements_table(&papers, &judgements));
        print(&exhibits);
        let (totals, runs) = (printed::totals(&judgements), reproduction.runs());
        if options.teeth {
            print(&(printed::bites_table(&bites) + "\n"));
        }
        print(&format!("{totals}\n{runs} runs in {:.1} s\n", began.elapsed().as_secs_f64()));
    }
    verdict(&judgements, &bites)
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
