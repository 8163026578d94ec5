//! `cargo xtask docs-figures [--check]`: the figures of README.md and of the book, drawn by the simulator itself.
//!
//! Invariant: a figure is the output of one command that its row names, byte for byte. `--check` draws anew and
//! compares, so that no page shows a result that the present version does not give.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use crate::cargo::root;
use crate::simulate;

/// A figure, and the command that draws it.
struct Figure {
    /// Name of the file in docs/figures, without `.svg`.
    name: &'static str,
    /// Arguments for `backwater`, without `--out`.
    arguments: &'static [&'static str],
    /// File that the command writes.
    drawn: &'static str,
}

const FIGURES: &[Figure] = &[
    Figure {
        name: "victim",
        arguments: &["compare", "victim:congestion_control=Off", "victim"],
        drawn: "compare.svg",
    },
    Figure {
        name: "gran2011-scenario1",
        arguments: &["compare", "gran2011-scenario1:congestion_control=Off", "gran2011-scenario1"],
        drawn: "compare.svg",
    },
    Figure {
        name: "credits-and-pfc",
        arguments: &["compare", "gran2011-scenario1", "gran2011-scenario1-roce"],
        drawn: "compare.svg",
    },
    Figure {
        name: "zhu2015-victim",
        arguments: &["compare", "zhu2015-victim:congestion_control=Off", "zhu2015-victim"],
        drawn: "compare.svg",
    },
    Figure {
        name: "conext2016-join",
        arguments: &["sim", "conext2016-join", "--quiet", "--set", "sample=1 ms"],
        drawn: "goodput.svg",
    },
    Figure {
        name: "paths-parking-lot",
        arguments: &["repro", "paths", "--figure", "parking-lot"],
        drawn: "repro-paths,figure=parking-lot/parking-lot.svg",
    },
    Figure {
        name: "paths-dragonfly",
        arguments: &["repro", "paths", "--figure", "dragonfly"],
        drawn: "repro-paths,figure=dragonfly/dragonfly.svg",
    },
    Figure {
        name: "paths-incast",
        arguments: &["repro", "paths", "--figure", "incast"],
        drawn: "repro-paths,figure=incast/incast.svg",
    },
    Figure {
        name: "jobs-large",
        arguments: &["repro", "jobs", "--figure", "large"],
        drawn: "repro-jobs,figure=large/large.svg",
    },
    Figure {
        name: "jobs-placement",
        arguments: &["repro", "jobs", "--figure", "placement"],
        drawn: "repro-jobs,figure=placement/placement.svg",
    },
    Figure {
        name: "jobs-incast",
        arguments: &["repro", "jobs", "--figure", "incast"],
        drawn: "repro-jobs,figure=incast/incast.svg",
    },
    Figure {
        name: "ndr-slow-host",
        arguments: &["sim", "ndr-job-256", "--quiet", "--files", "fabric.svg"],
        drawn: "fabric.svg",
    },
];

/// Draws every figure; with `--check`, compares instead of writing.
pub(crate) fn run(arguments: &[OsString]) -> ExitCode {
    match arguments {
        [] => draw_all(false),
        [one] if one == "--check" => draw_all(true),
        _ => {
            eprintln!("error: `cargo xtask docs-figures` takes `--check` and nothing else");
            ExitCode::from(2)
        }
    }
}

fn draw_all(check: bool) -> ExitCode {
    let program = match simulate::build() {
        Ok(program) => program,
        Err(failed) => return failed,
    };
    let mut stale = Vec::new();
    for figure in FIGURES {
        match draw(&program, figure) {
            Ok(drawn) if fs::read(figure.path()).is_ok_and(|shown| shown == drawn) => {}
            Ok(_) if check => stale.push(figure.name),
            Ok(drawn) => {
                if let Err(cause) = fs::write(figure.path(), drawn) {
                    eprintln!("error: cannot write {}: {cause}", figure.path().display());
                    return ExitCode::FAILURE;
                }
                eprintln!("docs-figures: {}.svg drawn anew", figure.name);
            }
            Err(failed) => {
                eprintln!("error: {failed}");
                return ExitCode::FAILURE;
            }
        }
    }
    if stale.is_empty() {
        eprintln!("docs-figures: {} are up to date", FIGURES.len());
        return ExitCode::SUCCESS;
    }
    eprintln!("error: docs/figures shows what this version does not give: {}.svg", stale.join(".svg, "));
    ExitCode::FAILURE
}

impl Figure {
    fn path(&self) -> PathBuf {
        root().join("docs").join("figures").join(self.name).with_extension("svg")
    }
}

/// The bytes of a figure as the present version draws it.
fn draw(program: &Path, figure: &Figure) -> Result<Vec<u8>, String> {
    let folder = root().join("target").join("figures").join(figure.name);
    let mut command = Command::new(program);
    command.args(figure.arguments).arg("--out").arg(&folder);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let output = command.output().map_err(|cause| format!("cannot start backwater: {cause}"))?;
    if !output.status.success() {
        return Err(format!("{} is not drawn:\n{}", figure.name, String::from_utf8_lossy(&output.stderr)));
    }
    let file = folder.join(figure.drawn);
    fs::read(&file).map_err(|cause| format!("{} is not there: {cause}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `docs-figures --check` itself needs a release build, and is a step of `cargo xtask ci`.
    #[test]
    fn every_figure_is_kept_and_shown() {
        let pages: String = ["README.md", "docs/guide.md", "docs/validation.md"]
            .iter()
            .map(|page| root().join(page))
            .chain(models())
            .map(|page| fs::read_to_string(page).expect("the page is there"))
            .collect();
        for figure in FIGURES {
            assert!(figure.path().exists(), "{} is not drawn", figure.name);
            assert!(pages.contains(&format!("figures/{}.svg", figure.name)), "no page shows {}", figure.name);
        }
    }

    fn models() -> Vec<PathBuf> {
        let folder = fs::read_dir(root().join("docs").join("models")).expect("the folder is there");
        folder.map(|entry| entry.expect("the entry can be read").path()).collect()
    }
}
