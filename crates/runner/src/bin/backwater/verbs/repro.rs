//! `repro`: published results, run again and compared.
//!
//! Invariant: output folders that cannot be written to are refused before the runs.

use std::path::PathBuf;
use std::time::Instant;

use claims::{Judgement, Paper, Reproduction, Verdict, printed};
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
    let reproduction = Reproduction::simulate(&papers, options.full)?;
    let (mut judgements, mut exhibits) = (Vec::new(), String::new());
    for paper in &papers {
        judgements.extend(reproduction.judgements(paper)?);
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
        let json = serde_json::to_string_pretty(&judgements).expect("judgements are plain data");
        print(&(json + "\n"));
    } else {
        print(&printed::judgements_table(&papers, &judgements));
        print(&exhibits);
        let (totals, runs) = (printed::totals(&judgements), reproduction.runs());
        print(&format!("{totals}; {runs} runs in {:.1} s\n", began.elapsed().as_secs_f64()));
    }
    verdict(&judgements)
}

fn verdict(judgements: &[Judgement]) -> Result<(), Failure> {
    match judgements.iter().filter(|one| one.verdict == Verdict::Fail).count() {
        0 => Ok(()),
        failed => Err(Failure::ClaimsFailed(failed)),
    }
}
