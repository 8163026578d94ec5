//! The files of a run, with its figures.
//!
//! Invariant: a chosen figure is among the files, or among those that cannot be drawn, with its reason.

use results::{FileChoice, MadeFiles, OutputFile, RunFiles, Summary};
use telemetry::RunRecord;

use super::catalogue::FIGURES;
use super::fault::UndrawnFigure;

/// The files of a run, and the figures that are not among them.
#[derive(Debug)]
pub struct RunOutput {
    /// Files, in the order in which they are listed.
    pub files: Vec<OutputFile>,
    /// Figures for which the run has no data, or that cannot be drawn.
    pub undrawn: Vec<UndrawnFigure>,
}

/// Returns the files of a run, and the figures that cannot be drawn from them. `plan` is the resolved plan as text.
#[must_use]
pub fn output(summary: &Summary, record: &RunRecord, plan: String) -> RunOutput {
    output_of(MadeFiles::new(summary, record, plan), &FileChoice::All)
}

/// Returns those files of a run that are chosen, and the chosen figures that cannot be drawn.
#[must_use]
pub fn output_of(made: MadeFiles<'_>, choice: &FileChoice) -> RunOutput {
    let (mut drawn, mut undrawn) = (Vec::new(), Vec::new());
    for figure in FIGURES.iter().filter(|figure| choice.has(figure.file.name)) {
        match figure.drawn(RunFiles::Made(&made)) {
            Ok(file) => drawn.push(file),
            Err(fault) => undrawn.push(UndrawnFigure { file: figure.file.name, fault }),
        }
    }
    let mut files = made.into_files(|name| choice.has(name));
    files.extend(drawn);
    RunOutput { files, undrawn }
}

#[cfg(test)]
mod tests {
    use results::{FILE_NAMES, sample};

    use super::*;

    #[test]
    fn every_file_of_a_run_has_a_known_name() {
        let record = sample::record();
        let summary = Summary::new(sample::CONTEXT, &record, sample::cost());
        for OutputFile { name, .. } in output(&summary, &record, String::new()).files {
            assert!(FILE_NAMES.contains(&name.as_str()), "{name}");
        }
    }

    #[test]
    fn chosen_files_are_those_of_all_files() {
        let record = sample::record();
        let summary = Summary::new(sample::CONTEXT, &record, sample::cost());
        let all = output(&summary, &record, String::new()).files;
        assert!(MadeFiles::names().all(|name| FILE_NAMES.contains(&name)));
        for name in FILE_NAMES {
            let choice = FileChoice::read(name).unwrap();
            let output = output_of(MadeFiles::new(&summary, &record, String::new()), &choice);
            assert_eq!(output.undrawn.len(), 0);
            let found = output.files.iter().map(|file| (&*file.name, &*file.contents)).collect::<Vec<_>>();
            let is_named_only = !FileChoice::All.has(name);
            let wanted =
                all.iter().filter(|file| file.name == name).map(|file| (&*file.name, &*file.contents));
            assert!(is_named_only || found == wanted.collect::<Vec<_>>(), "{name}");
            assert!(found.iter().all(|(found, _)| *found == name), "{name}");
        }
    }

    #[test]
    fn every_figure_is_drawn_or_has_a_reason() {
        let mut record = sample::record();
        let undrawn = |record: &RunRecord| {
            let summary = Summary::new(sample::CONTEXT, record, sample::cost());
            let output = output(&summary, record, String::new());
            let figures = output.files.iter().filter(|file| file.name.ends_with(".svg")).count();
            assert_eq!(figures + output.undrawn.len(), FIGURES.len());
            let undrawn = output.undrawn.iter();
            undrawn.map(|one| format!("{}: {}", one.file, one.fault)).collect::<Vec<_>>()
        };
        assert_eq!(undrawn(&record), [""; 0]);
        (record.port_series, record.watched, record.completions) =
            (None, telemetry::Watched::default(), None);
        assert_eq!(
            undrawn(&record),
            [
                "completions.svg: there is no `fct.csv`",
                "slowdown.svg: there is no `fct.csv`",
                "watch.svg: there is no `watch.csv`",
                "ports.svg: there is no `port_series.csv`",
            ]
        );
    }
}
