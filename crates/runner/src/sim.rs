//! `sim`: one run, printed and written to a folder.
//!
//! Invariant: whether the folder can be written to is known before the run, and nothing is in it before
//! the run is over.

use std::path::PathBuf;

use report::{File, completions, congestion, folder, margins, printed};

use crate::check;
use crate::cli::SimOptions;
use crate::engine;
use crate::failure::Failure;
use crate::progress::Bar;

/// Runs, prints, writes.
pub(crate) fn run(options: &SimOptions) -> Result<(), Failure> {
    let plan = engine::plan(&options.scenario, &options.set, options.seed)?;
    let out = options.out.clone().unwrap_or_else(|| default_folder(plan.name()));
    if options.fct_txt && !plan.keeps_completions() {
        return Err(Failure::NoCompletions);
    }
    folder::probe(&out)?;
    let mut bar = Bar::new(plan.duration(), !options.quiet);
    let outcome = engine::run(&plan, options.drain, &mut |progress| bar.update(progress))?;
    drop(bar);
    let mut files = report::files(&outcome.summary, &outcome.record, plan.resolved());
    // So that the plan can be run again from there. Their names end in `.txt`, as no other result's does.
    files.extend(plan.files().clone().into_iter().map(|(name, contents)| File { name, contents }));
    if options.fct_txt {
        let contents = completions::hpcc(&outcome.record).ok_or(Failure::NoCompletions)?;
        files.push(File { name: "fct.txt".to_owned(), contents });
    }
    folder::write(&out, &files)?;
    if options.json {
        crate::print(&outcome.summary.json());
    } else if !options.quiet {
        let names: Vec<_> = files.iter().map(|file| file.name.as_str()).collect();
        crate::print(&printed::tables(&outcome.summary));
        if let Some(first) = plan.ecn_first() {
            crate::print(&format!("\n{}", check::ecn_before_pfc(&first)));
        }
        crate::print(&format!("\n{}", completions::printed(outcome.summary.completions.as_ref())));
        crate::print(&format!("\n{}", congestion::printed(&outcome.record)));
        crate::print(&format!("\n{}", margins::printed(&outcome.record)));
        crate::print(&format!("\n{}", printed::written(&out, &names)));
    }
    Ok(())
}

/// `out/NAME`, whatever characters the name has.
fn default_folder(name: &str) -> PathBuf {
    let safe = |c: char| if c.is_alphanumeric() || "-_+".contains(c) { c } else { '_' };
    PathBuf::from("out").join(name.chars().map(safe).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_leads_out_of_the_folder() {
        assert_eq!(default_folder("gran2011-scenario1"), PathBuf::from("out/gran2011-scenario1"));
        assert_eq!(default_folder("../a b"), PathBuf::from("out/___a_b"));
    }
}
