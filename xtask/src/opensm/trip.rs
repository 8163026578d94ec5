//! One fabric and one engine of OpenSM: out to ibsim, back, and out again.
//!
//! Invariant: a step that fails is a row that differs, with the reason; the next fabric is tried all the same.

use std::ffi::OsStr;
use std::fmt;
use std::fs;
use std::path::Path;

use super::Fault;
use super::fabrics;
use super::tables::{difference, entries, host_lids};
use super::tools::{self, backwater, said};

/// Heading of the table of rows.
pub(super) const HEADER: &str =
    "fabric               engine   hosts switches  credit loop: ours, ibdmchk  simulated  loaded again  same";
/// Exit status of a run that stops in a deadlock, which may happen where the tables have a credit loop.
const DEADLOCK: i32 = 4;

/// What became of a fabric.
pub(super) struct Row {
    fabric: &'static str,
    engine: &'static str,
    outcome: Result<Outcome, Fault>,
}

/// Findings about a fabric.
struct Outcome {
    hosts: usize,
    switches: usize,
    /// Verdicts on credit loops.
    ours: bool,
    theirs: bool,
    /// End of the run.
    run: &'static str,
    /// Number of entries for hosts, and the first that differs once the tables are loaded again.
    entries: usize,
    difference: Option<String>,
}

impl Row {
    /// Returns true if no tool says anything else than the simulator.
    pub(super) fn is_same(&self) -> bool {
        self.outcome.as_ref().is_ok_and(|found| found.ours == found.theirs && found.difference.is_none())
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { fabric, engine, outcome } = self;
        write!(f, "{fabric:<20} {engine:<8} ")?;
        let found = match outcome {
            Ok(found) => found,
            Err(fault) => return write!(f, "NO: {fault}"),
        };
        let word = |found: bool| if found { "yes" } else { "no" };
        let Outcome { hosts, switches, run, entries, .. } = found;
        write!(f, "{hosts:>5} {switches:>8}  {:>17}, {:<7}  ", word(found.ours), word(found.theirs))?;
        write!(f, "{run:<9}  {entries:>12}  {}", if self.is_same() { "yes" } else { "NO" })?;
        found.difference.as_ref().map_or(Ok(()), |difference| write!(f, ": {difference}"))
    }
}

/// Takes a fabric there and back.
pub(super) fn there_and_back(
    program: &Path,
    folder: &Path,
    fabric: &fabrics::Fabric,
    engine: &'static str,
) -> Row {
    let folder = folder.join(format!("{}-{engine}", fabric.name));
    Row { fabric: fabric.name, engine, outcome: outcome(program, &folder, fabric, engine) }
}

fn outcome(program: &Path, folder: &Path, fabric: &fabrics::Fabric, engine: &str) -> Result<Outcome, Fault> {
    fs::create_dir_all(folder)?;
    fs::write(folder.join("fabric.ron"), fabric.scenario())?;
    let run = |arguments: &[&str]| {
        let words: Vec<&OsStr> = arguments.iter().map(OsStr::new).collect();
        backwater(program, &words, folder)
    };
    let succeeds = |arguments: &[&str]| said(&run(arguments)?, &format!("backwater {}", arguments.join(" ")));
    succeeds(&["export", "ibsim", "fabric.ron", "--out", "fabric.net"])?;
    let routed = folder.join("routed");
    let before = {
        let ibsim = tools::Fabric::start(&folder.join("fabric.net"), folder)?;
        let before = ibsim.route(engine, &[], &routed)?;
        fs::write(folder.join("cluster.net"), ibsim.discover(folder)?)?;
        before
    };
    fs::write(folder.join("cluster.lfts"), &before)?;
    let account =
        succeeds(&["import", "ibnetdiscover", "cluster.net", "--lfts", "cluster.lfts", "--out", "imported"])?;
    let ours = verdict(&account).ok_or("the import says nothing about credit loops")?;
    let theirs = tools::has_credit_loop(&routed)?;
    let simulated = run(&[
        "sim",
        "imported/cluster.ron",
        "--set",
        "duration=\"20 us\"",
        "--set",
        "sample=\"2 us\"",
        "--set",
        "traffic=[Permutation(at: \"0 s\", bytes: \"16 KiB\")]",
        "--out",
        "run",
        "--quiet",
    ])?;
    let end = match simulated.status.code() {
        Some(DEADLOCK) if ours => "deadlock",
        _ => said(&simulated, "backwater sim imported/cluster.ron").map(|_| "yes")?,
    };
    succeeds(&["export", "lfts", "imported/cluster.ron", "--out", "again.lfts"])?;
    let again = folder.join("again.lfts");
    let loaded = folder.join("loaded");
    fs::create_dir_all(&loaded)?;
    // LIDs are those of the first time.
    fs::copy(routed.join("guid2lid"), loaded.join("guid2lid"))?;
    let ibsim = tools::Fabric::start(&folder.join("cluster.net"), folder)?;
    let after = ibsim.route("file", &[OsStr::new("-U"), again.as_os_str()], &loaded)?;
    let all = entries(&before);
    let lids = host_lids(&before);
    Ok(Outcome {
        hosts: lids.len(),
        switches: before.lines().filter(|line| line.starts_with("Unicast lids")).count(),
        ours,
        theirs,
        run: end,
        entries: all.keys().filter(|(_, lid)| lids.binary_search(&lid.as_str()).is_ok()).count(),
        difference: difference(&before, &after),
    })
}

/// Returns true if the account of an import has a credit loop, false if it has none; `None` if it does not say.
fn verdict(account: &str) -> Option<bool> {
    let row = account.lines().map(str::trim_start).find(|line| line.starts_with("credit loops"))?;
    let value = row.trim_start_matches("credit loops").split_whitespace().next()?;
    match value {
        "found" => Some(true),
        "none" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_verdict_is_in_the_account() {
        assert_eq!(verdict("    credit loops  none   used  packets between"), Some(false));
        assert_eq!(verdict("x\ncredit loops   found  used"), Some(true));
        assert_eq!(verdict("nothing"), None);
    }

    #[test]
    fn a_row_with_two_verdicts_differs() {
        let outcome = |ours, theirs, difference: Option<&str>| {
            let difference = difference.map(str::to_owned);
            let outcome = Outcome { hosts: 4, switches: 2, ours, theirs, run: "yes", entries: 8, difference };
            Row { fabric: "ring-5", engine: "minhop", outcome: Ok(outcome) }
        };
        assert!(outcome(true, true, None).is_same() && outcome(false, false, None).is_same());
        let wrong = outcome(true, false, None);
        assert!(!wrong.is_same() && wrong.to_string().ends_with(" NO"), "{wrong}");
        let wrong = outcome(false, false, Some("switch 1"));
        assert!(!wrong.is_same() && wrong.to_string().ends_with(" NO: switch 1"), "{wrong}");
        let failed = Row { fabric: "ring-5", engine: "ftree", outcome: Err("no tables".into()) };
        assert!(!failed.is_same() && failed.to_string().ends_with("NO: no tables"), "{failed}");
        assert_eq!(HEADER.find("engine"), failed.to_string().find("ftree"));
    }
}
