//! `figure` and `figures`: figures of a result folder, drawn from its files.
//!
//! Invariant: a figure of a run is the same, byte for byte, as the figure that the run wrote.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::Args;
use experiment::sweep::{SweepAxes, SweepFigureFault, chart};
use figures::{FIGURES, FigureFault, FigureKind, RunCurves, compared};
use measures::Measure;
use results::folder::{add_file, check_whole};
use results::reader::ReadError;
use results::rows::CompareRow;
use results::{OutputFile, RunFiles};

use crate::failure::Failure;
use crate::folder_name;
use crate::new_file;
use crate::terminal::print;

/// Name of the figure of a comparison.
const COMPARE: &str = "compare";
/// Name of the figure of a sweep.
const SWEEP: &str = "sweep";

#[derive(Args, Debug)]
pub(crate) struct FigureOptions {
    /// Result folder of `sim`, `compare` or `sweep`.
    folder: PathBuf,
    /// Name of the figure (see `figures`) [default: all that can be drawn].
    name: Option<String>,
    /// Varied field on the horizontal axis of `sweep` [default: a condition, else the field with the most numbers].
    #[arg(long, value_name = "PATH", requires = "name")]
    x: Option<String>,
    /// Measures of `sweep`, a panel for each [default: goodput(all),p99(all)].
    #[arg(long, value_name = "LIST", requires = "name")]
    y: Option<String>,
    /// File for the figure, instead of `NAME.svg` in the folder.
    #[arg(long, value_name = "FILE", requires = "name")]
    out: Option<PathBuf>,
    /// Overwrite the file of `--out` if it is there.
    #[arg(long, requires = "out")]
    force: bool,
}

#[derive(Args, Debug)]
pub(crate) struct FiguresOptions {
    /// Result folder of `sim`, `compare` or `sweep`.
    folder: PathBuf,
}

/// Draws a named figure, or all that can be drawn.
pub(crate) fn run(options: &FigureOptions) -> Result<(), Failure> {
    let folder = &options.folder;
    check_is_folder(folder)?;
    check_whole(folder)?;
    let drawn = match &options.name {
        Some(name) if name == SWEEP => {
            let y = options.y.as_deref().map(Measure::read_list).transpose()?.unwrap_or_default();
            vec![sweep(folder, SweepAxes { x: options.x.as_deref(), y: &y })?]
        }
        Some(name) if options.x.is_some() || options.y.is_some() => {
            return Err(Failure::NoAxes(name.clone()));
        }
        Some(name) => vec![drawn(folder, name)?],
        None => names().filter_map(|name| present(drawn(folder, name))).collect::<Result<_, _>>()?,
    };
    if drawn.is_empty() {
        return Err(Failure::NoFigure(folder.clone()));
    }
    for figure in &drawn {
        match &options.out {
            Some(file) => new_file::write(file, &figure.contents, options.force)?,
            None => add_file(folder, figure)?,
        }
    }
    let names: Vec<_> = drawn.iter().map(|figure| figure.name.as_str()).collect();
    match &options.out {
        Some(file) => print(&format!("wrote {}\n", file.display())),
        None => print(&format!("wrote {} to {}\n", names.join(", "), folder.display())),
    }
    Ok(())
}

/// Prints which figures can be drawn, and why others cannot.
pub(crate) fn list(options: &FiguresOptions) -> Result<(), Failure> {
    check_is_folder(&options.folder)?;
    check_whole(&options.folder)?;
    let mut text = String::new();
    let of_sweep = sweep(&options.folder, SweepAxes::default());
    let is_sweep = of_sweep.is_ok();
    for figure in FIGURES.iter().filter(|_| !is_sweep) {
        let state = match figure.drawn(RunFiles::Folder(&options.folder)) {
            Ok(_) => figure.file.contents.to_owned(),
            Err(fault) => format!("not possible: {fault}"),
        };
        text += &format!("{:<12} {state}\n", figure.file.figure);
    }
    let state = match comparison(&options.folder) {
        Ok(_) => "goodput and completion times of the compared runs".to_owned(),
        Err(fault) => format!("not possible: {fault}"),
    };
    if !is_sweep {
        text += &format!("{COMPARE:<12} {state}\n");
    }
    let state = match of_sweep {
        Ok(_) => "measures against a varied field, a line for each setting".to_owned(),
        Err(fault) => format!("not possible: {fault}"),
    };
    text += &format!("{SWEEP:<12} {state}\n");
    print(&text);
    Ok(())
}

fn check_is_folder(folder: &Path) -> Result<(), Failure> {
    if folder.is_dir() { Ok(()) } else { Err(Failure::NoFolder(folder.to_owned())) }
}

fn names() -> impl Iterator<Item = &'static str> {
    FIGURES.iter().map(|figure| figure.file.figure).chain([COMPARE, SWEEP])
}

fn drawn(folder: &Path, name: &str) -> Result<OutputFile, Failure> {
    if name == COMPARE {
        return Ok(comparison(folder)?);
    }
    if name == SWEEP {
        return Ok(sweep(folder, SweepAxes::default())?);
    }
    let unknown = || Failure::UnknownFigure {
        name: name.to_owned(),
        help: scenario::help_with_name(name, names(), "figures"),
    };
    let figure = FigureKind::named(name).ok_or_else(unknown)?;
    Ok(figure.drawn(RunFiles::Folder(folder))?)
}

/// Leaves out a figure for which the folder has no data. Data that cannot be drawn, as of another version, are a fault.
fn present(drawn: Result<OutputFile, Failure>) -> Option<Result<OutputFile, Failure>> {
    match drawn {
        Err(Failure::Figure(fault)) if !fault.is_failure() => None,
        Err(Failure::SweepFigure(
            SweepFigureFault::Read(ReadError::Missing(_)) | SweepFigureFault::NothingVaried,
        )) => None,
        drawn => Some(drawn),
    }
}

/// Draws the figure of a comparison. Its runs have folders of their own.
fn comparison(folder: &Path) -> Result<OutputFile, FigureFault> {
    let rows: Vec<CompareRow<'_>> = RunFiles::Folder(folder).rows()?;
    let mut known = BTreeSet::new();
    // Of several seeds, whose runs have folders of their own, the first is drawn.
    let first = rows.iter().filter(|row| known.insert(&*row.run));
    let read = |CompareRow { run, asked, seed, .. }: &CompareRow<'_>| {
        let alone = folder.join(folder_name::safe(run));
        let place = if alone.is_dir() { alone } else { folder.join(folder_name::of_seed(run, *seed)) };
        RunCurves::read((run, asked), RunFiles::Folder(&place))
    };
    let contents = compared(&first.map(read).collect::<Result<Vec<_>, _>>()?).svg();
    Ok(OutputFile { name: format!("{COMPARE}.svg"), contents })
}

/// Draws the figure of a sweep. Its plan has the name of its scenario.
fn sweep(folder: &Path, axes: SweepAxes<'_>) -> Result<OutputFile, SweepFigureFault> {
    let plan = std::fs::read_to_string(folder.join("sweep.jsonl")).unwrap_or_default();
    let first: Option<serde_json::Value> =
        plan.lines().next().and_then(|line| serde_json::from_str(line).ok());
    let scenario = first.as_ref().and_then(|run| run["unit"]["scenario"].as_str());
    let contents = chart(RunFiles::Folder(folder), scenario.unwrap_or(SWEEP), axes)?.svg();
    Ok(OutputFile { name: format!("{SWEEP}.svg"), contents })
}
