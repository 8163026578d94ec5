//! `cargo xtask test-opensm [PROGRAM] [--only NAME]`: the tools of real InfiniBand clusters as judges.
//!
//! Invariant: nothing is installed, and no file of the system is changed: OpenSM's tables, caches and logs are in
//! `target/opensm`, and each ibsim has a socket of its own. Every simulated fabric ends with the verb. A difference is a row of
//! the table, and the exit status is 1.
//!
//! | step | tool | compared |
//! |---|---|---|
//! | a fabric of the simulator, as a net file | ibsim | |
//! | its routing: minhop, ftree, dfsssp | OpenSM | the engine that was asked for made the tables |
//! | back: cables and forwarding tables | `ibnetdiscover`, `opensm-lfts.dump` | imported, simulated |
//! | credit loops of the tables | `ibdmchk` | its verdict and that of the import |
//! | tables of the imported scenario | `opensm -R file -U` | its tables and those before, entry by entry |
//! | `cc_*` of each scenario with IBA congestion control | `opensm -F FILE -c OUT` | value by value |
//! | captures of packets | `tshark` | `test-captures` |
//!
//! | module | contents |
//! |---|---|
//! | `fabrics` | the fabrics |
//! | `tools` | ibsim, OpenSM and others, each call with its folder |
//! | `tables` | forwarding tables as text |
//! | `trip` | one fabric and one engine, there and back |
//! | `parameters` | exports of congestion control |

mod fabrics;
mod parameters;
mod tables;
mod tools;
mod trip;

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::cargo::root;
use crate::{captures, simulate};

pub(super) type Fault = Box<dyn std::error::Error>;

/// Name of the part in which `tshark` reads captures.
const CAPTURES: &str = "captures";
/// Programs, and the packages of Debian that hold them.
const PROGRAMS: [(&str, &str); 5] = [
    ("opensm", "opensm"),
    ("ibsim", "ibsim-utils"),
    ("ibnetdiscover", "infiniband-diags"),
    ("ibdmchk", "ibutils"),
    ("tshark", "tshark"),
];

/// Runs every comparison, and prints a table.
pub(crate) fn run(arguments: &[OsString]) -> ExitCode {
    let (program, only) = match options(arguments) {
        Ok(options) => options,
        Err(message) => {
            eprintln!("{message}");
            return ExitCode::from(2);
        }
    };
    if let Some(message) = lacking() {
        eprintln!("{message}");
        return ExitCode::FAILURE;
    }
    let program = match program.map_or_else(simulate::build, Ok) {
        Ok(program) => program,
        Err(failed) => return failed,
    };
    let folder = root().join("target/opensm");
    match judged(&program, &folder, only.as_deref()) {
        Ok((_, 0)) => ExitCode::SUCCESS,
        Ok((rows, wrong)) => {
            eprintln!(
                "error: {wrong} of {rows} rows differ\nhelp: the files of each are in {}",
                folder.display()
            );
            ExitCode::FAILURE
        }
        Err(fault) => {
            eprintln!("error: {fault}\nhelp: the files are in {}", folder.display());
            ExitCode::FAILURE
        }
    }
}

/// Reads the arguments: a build of `backwater`, and the fabric to which the run is limited.
fn options(arguments: &[OsString]) -> Result<(Option<PathBuf>, Option<String>), String> {
    let (mut program, mut only) = (None, None);
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        if argument == "--only" {
            let name = rest.next().ok_or("error: `--only` needs the name of a fabric, or `parameters`")?;
            only = Some(name.to_string_lossy().into_owned());
        } else if program.replace(PathBuf::from(argument)).is_some() {
            return Err(format!(
                "error: `cargo xtask test-opensm` takes one build of `backwater`, and there is `{}`",
                argument.to_string_lossy()
            ));
        }
    }
    let known = |name: &String| {
        [parameters::NAME, CAPTURES].contains(&name.as_str())
            || fabrics::all().iter().any(|fabric| fabric.name == *name)
    };
    match &only {
        Some(name) if !known(name) => Err(format!("error: there is no fabric `{name}`")),
        _ => Ok((program, only)),
    }
}

/// Returns what is missing, with the way to get it; `None` if nothing is.
pub(crate) fn lacking() -> Option<String> {
    missing(tools::found)
}

/// Returns the programs that are missing, with the way to get them; `None` if none is.
fn missing(is_there: impl Fn(&str) -> bool) -> Option<String> {
    let lacking: Vec<_> = PROGRAMS.into_iter().filter(|(program, _)| !is_there(program)).collect();
    let programs: Vec<_> = lacking.iter().map(|(program, _)| format!("`{program}`")).collect();
    let packages: Vec<_> = lacking.iter().map(|(_, package)| *package).collect();
    (!lacking.is_empty()).then(|| {
        format!(
            "error: {} cannot be found\nhelp: on Debian: apt-get install {}",
            programs.join(", "),
            packages.join(" ")
        )
    })
}

/// Compares everything, row by row. Returns the number of rows, and of those that differ.
fn judged(program: &Path, folder: &Path, only: Option<&str>) -> Result<(usize, usize), Fault> {
    // What an earlier call left may be missing.
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder)?;
    let program = program.canonicalize()?;
    let (mut rows, mut wrong) = (0, 0);
    let mut count = |same: bool| {
        rows += 1;
        wrong += usize::from(!same);
    };
    let wanted = |name: &str| only.is_none_or(|only| only == name);
    let fabrics: Vec<_> = fabrics::all().into_iter().filter(|fabric| wanted(fabric.name)).collect();
    if !fabrics.is_empty() {
        println!("{}", trip::HEADER);
    }
    for fabric in fabrics {
        for engine in fabric.engines {
            let row = trip::there_and_back(&program, folder, &fabric, engine);
            println!("{row}");
            count(row.is_same());
        }
    }
    if wanted(parameters::NAME) {
        println!();
        let compared = parameters::compared(&program, &folder.join(parameters::NAME))?;
        for (line, same) in compared {
            println!("{line}");
            count(same);
        }
    }
    if wanted(CAPTURES) {
        println!();
        count(captures::run(&[program.into_os_string()]) == ExitCode::SUCCESS);
    }
    println!("\n{rows} rows, {wrong} differ");
    Ok((rows, wrong))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_programs_are_named_with_their_packages() {
        assert_eq!(missing(|_| true), None);
        let message = missing(|program| program != "ibsim" && program != "ibdmchk").expect("two are missing");
        assert_eq!(
            message,
            "error: `ibsim`, `ibdmchk` cannot be found\nhelp: on Debian: apt-get install ibsim-utils ibutils"
        );
    }

    #[test]
    fn a_fabric_is_chosen_by_its_name() {
        let read = |words: &[&str]| options(&words.iter().map(OsString::from).collect::<Vec<_>>());
        assert_eq!(read(&["b", "--only", "ring-5"]), Ok((Some("b".into()), Some("ring-5".to_owned()))));
        assert_eq!(read(&[]), Ok((None, None)));
        for (wrong, words) in [
            (&["a", "b"][..], "there is `b`"),
            (&["--only"], "needs the name"),
            (&["--only", "moon"], "no fabric `moon`"),
        ] {
            assert!(read(wrong).expect_err("it is wrong").contains(words), "{wrong:?}");
        }
    }
}
