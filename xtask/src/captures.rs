//! `cargo xtask test-captures [PROGRAM]`: captures of shipped scenarios, dissected by `tshark`.
//!
//! Invariant: nothing is installed here. The counts that `tshark` finds are compared with those that `backwater capture --json` prints; the
//! filters are the field names of Wireshark, and know nothing of the simulator.
//!
//! `tshark` checks the sums of Ethernet and IPv4. It does not compute ICRC and VCRC: the tests of the crate `traces` do.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use serde_json::Value;

use crate::cargo::root;
use crate::simulate;

/// Link of a capture, which decides about Wireshark's fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Link {
    InfiniBand,
    Ethernet,
}

/// A capture: its name, link, scenario, and arguments.
struct Case {
    name: &'static str,
    link: Link,
    arguments: &'static [&'static str],
}

const EARLY: [&str; 3] = ["flows[1].start=100 us", "flows[2].start=200 us", "duration=1 ms"];

/// Marks and CNPs, BECN on acknowledgements, each transport service, RDMA READ and SEND, PAUSE frames, DCQCN, cut packets, and a filter.
const CASES: [Case; 10] = [
    Case { name: "credits", link: Link::InfiniBand, arguments: &["victim"] },
    Case {
        name: "becn-on-acknowledgements",
        link: Link::InfiniBand,
        arguments: &["victim", "--set", "congestion_control.echo=Acknowledgement"],
    },
    Case {
        name: "read",
        link: Link::InfiniBand,
        arguments: &[
            "victim",
            "--set",
            "flows[0].operation=RdmaRead",
            "--set",
            "adapter.max_reads=16",
            "--set",
            "flows[1].operation=Send",
        ],
    },
    Case { name: "uc", link: Link::InfiniBand, arguments: &["victim", "--set", "flows[0].transport=Uc"] },
    Case {
        name: "ud",
        link: Link::InfiniBand,
        arguments: &[
            "victim",
            "--set",
            "flows[0].transport=Ud",
            "--set",
            "flows[0].operation=Send",
            "--set",
            "flows[0].message=2 KiB",
        ],
    },
    Case { name: "rd", link: Link::InfiniBand, arguments: &["victim", "--set", "flows[0].transport=Rd"] },
    Case {
        name: "pauses",
        link: Link::Ethernet,
        arguments: &["roce-victim", "--set", "flows[3].start=300 us"],
    },
    Case { name: "dcqcn", link: Link::Ethernet, arguments: &["conext2016-join"] },
    Case { name: "cut", link: Link::InfiniBand, arguments: &["victim", "--snap", "64"] },
    Case {
        name: "filtered",
        link: Link::InfiniBand,
        arguments: &[
            "victim",
            "--flow",
            "far",
            "--kind",
            "data,cnp",
            "--direction",
            "out",
            "--begin",
            "300 us",
        ],
    },
];

/// Captures, dissects and compares.
pub(crate) fn run(arguments: &[OsString]) -> ExitCode {
    if let [_, extra, ..] = arguments {
        let extra = extra.to_string_lossy();
        eprintln!(
            "error: `cargo xtask test-captures` takes one argument, a build of `backwater`, and there is `{extra}`"
        );
        return ExitCode::from(2);
    }
    if let Some(message) = lacking() {
        eprintln!("{message}");
        return ExitCode::FAILURE;
    }
    let program = match arguments.first() {
        Some(program) => Ok(PathBuf::from(program)),
        None => simulate::build(),
    };
    match program.map(|program| checked(&program, &root().join("target/captures"))) {
        Ok(Ok(said)) => {
            println!("{said}");
            ExitCode::SUCCESS
        }
        Ok(Err(fault)) => {
            eprintln!("error: {fault}");
            ExitCode::FAILURE
        }
        Err(failed) => failed,
    }
}

/// Returns the message about a missing `tshark`, if it is missing.
pub(crate) fn lacking() -> Option<String> {
    missing("tshark")
}

/// Returns the message about a missing program of this name.
pub(crate) fn missing(tshark: &str) -> Option<String> {
    let tried = Command::new(tshark).arg("--version").stdin(Stdio::null()).output();
    let found = tried.is_ok_and(|output| output.status.success());
    (!found).then(|| {
        format!(
            "error: there is no `{tshark}`\nhelp: install it: `apt-get install tshark` on Debian and Ubuntu"
        )
    })
}

/// Makes all captures in a folder, which is emptied, and compares each with what `tshark` finds in it. Returns what was compared.
///
/// # Errors
/// The first difference.
pub(crate) fn checked(program: &Path, folder: &Path) -> Result<String, String> {
    // What an earlier call left may be missing.
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder).map_err(|cause| format!("{}: {cause}", folder.display()))?;
    let mut said = String::new();
    for case in &CASES {
        let file = folder.join(case.name).with_extension("pcapng");
        let counts = captured(program, case, &file)?;
        said += &compared(case, &file, &counts).map_err(|fault| format!("{}: {fault}", file.display()))?;
    }
    Ok(said + "tshark and backwater agree")
}

/// Makes a capture. Returns the counts that are printed.
fn captured(program: &Path, case: &Case, file: &Path) -> Result<Value, String> {
    let mut command = Command::new(program);
    command
        .arg("capture")
        .args(case.arguments)
        .args(["--ports", "*", "--json", "--quiet", "--force", "--out"]);
    command.arg(file).stdin(Stdio::null());
    let is_dcqcn = case.name == "dcqcn";
    // Two flows of this scenario are there from the start.
    EARLY.iter().skip(usize::from(is_dcqcn)).for_each(|set| {
        command.args(["--set", set]);
    });
    let output = command.output().map_err(|cause| format!("{}: {cause}", program.display()))?;
    if !output.status.success() {
        return Err(format!("{}: {}", case.name, String::from_utf8_lossy(&output.stderr)));
    }
    serde_json::from_slice(&output.stdout).map_err(|error| format!("{}: no JSON: {error}", case.name))
}

/// Compares the counts of a capture with those of `tshark`. Returns a line about it.
fn compared(case: &Case, file: &Path, counts: &Value) -> Result<String, String> {
    let packets = &counts["packets"];
    let of_kind = |kind: &str| counts["kinds"][kind]["written"].as_u64().unwrap_or(0);
    let of_all = |count: &str| packets[count].as_u64().unwrap_or(0);
    let (fecn, becn, cnp) = match case.link {
        Link::InfiniBand => {
            ("infiniband.bth[4] & 80", "infiniband.bth[4] & 40", "infiniband.bth.opcode == 0x80")
        }
        Link::Ethernet => ("ip.dsfield.ecn == 3", "infiniband.bth[4] & 40", "infiniband.bth.opcode == 0x81"),
    };
    let ack = "infiniband.bth.opcode in {0x11, 0x51}";
    let request = "infiniband.bth.opcode in {0x0c, 0x4c}";
    let damaged = "_ws.malformed || eth.fcs.status == 0 || ip.checksum.status == 0 || udp.length.bad";
    let mut expected = vec![
        ("all", "frame", of_all("written")),
        ("damaged", damaged, 0),
        ("InfiniBand headers", "infiniband.bth", of_all("written") - of_kind("pause")),
        ("FECN", fecn, of_all("written_fecn")),
        ("BECN", becn, of_all("written_becn")),
        ("CNPs", cnp, of_kind("cnp")),
        ("acknowledgements", ack, of_kind("ack")),
        ("requests of READs", request, of_kind("read-request")),
        ("pauses", "macc.opcode == 0x0101", of_kind("pause")),
    ];
    if case.link == Link::InfiniBand {
        expected.push(("local route headers", "infiniband.lrh", of_all("written")));
    }
    for (what, filter, ours) in expected {
        let theirs = count(file, filter)?;
        if theirs != ours {
            return Err(format!("{what} (`{filter}`): {theirs} by tshark, {ours} by backwater"));
        }
    }
    let all = of_all("written");
    if all < 100 {
        return Err(format!("only {all} packets: the case shows too little"));
    }
    let [fecn, becn, pauses] = [of_all("written_fecn"), of_all("written_becn"), of_kind("pause")];
    Ok(format!("{:<26}{all:>7} packets, {fecn} with FECN, {becn} with BECN, {pauses} pauses\n", case.name))
}

/// Returns the number of packets that a display filter of `tshark` takes.
fn count(file: &Path, filter: &str) -> Result<u64, String> {
    let mut command = Command::new("tshark");
    command.args(["-n", "-o", "eth.check_fcs:TRUE", "-o", "ip.check_checksum:TRUE"]);
    command
        .arg("-r")
        .arg(file)
        .args(["-Y", filter, "-T", "fields", "-e", "frame.number"])
        .stdin(Stdio::null());
    let output = command.output().map_err(|cause| format!("tshark: {cause}"))?;
    if !output.status.success() {
        return Err(format!("tshark -Y '{filter}': {}", String::from_utf8_lossy(&output.stderr)));
    }
    Ok(output.stdout.iter().filter(|byte| **byte == b'\n').count() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_tshark_is_named_with_the_way_to_get_it() {
        let message = missing("/no/such/tshark").expect("it is not there");
        assert!(message.starts_with("error: there is no `/no/such/tshark`"), "{message}");
        assert!(message.contains("apt-get install tshark"), "{message}");
    }
}
