//! The program, optimised by a profile of its own runs: how often each branch is taken, and which functions are hot.
//!
//! Invariant: the profile comes from other runs than those whose speed is reported (`bench`, `dcs648`), and the optimised
//! program has the same digests as the one that wrote the profile.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use crate::cargo::{output, root};
use crate::simulate;

/// Fat tree of 2,000 hosts: three tiers of switches with 20 ports.
const F2000: &str =
    "topology=FatTree(down: [10, 10, 20], up: [10, 10], host_cable: \"wire\", trunk_cable: \"wire\")";

/// The runs that are profiled: a scenario that ships, and overrides. Both flow controls, all five systems, fabrics of 8 to 2,000
/// hosts; none is a case of `bench`. Prefetching is rare in fabrics that fit a cache, and a program by a profile without the
/// largest of these would take it for code that hardly runs. The code of a part among others is compiled apart, so each run is
/// profiled on two threads too.
const RUNS: [(&str, &[&str]); 9] = [
    ("hdr-fat-tree-slow-receiver", &[]),
    ("roce400-leaf-spine", &[]),
    ("gran2011-scenario2", &[]),
    ("pfister2005", &[]),
    ("santos2003", &[]),
    ("zhu2015-victim", &[]),
    ("bench-b128", &["topology.radix=24", "seed=77", "duration=\"1 ms\""]),
    ("bench-b128-roce", &["topology.radix=24", "seed=77", "duration=\"1 ms\""]),
    ("bench-b128", &[F2000, "seed=78", "duration=\"200 us\""]),
];

/// Folder of profiles, beside those of results: the tool that joins profiles reads all that is there.
const PROFILES: &str = "profiles";

/// A program, or the reason for which the toolchain cannot make one by a profile.
pub(crate) enum Profiled {
    Program(PathBuf),
    NoTools(String),
}

/// Builds the program with these features twice: first to write a profile of [`RUNS`], then by that profile.
pub(crate) fn build(features: &[&str]) -> Result<Profiled, ExitCode> {
    let Toolchain { host, merge } = match toolchain() {
        Ok(found) => found,
        Err(missing) => return Ok(Profiled::NoTools(missing)),
    };
    let folder = root().join("target").join("profile");
    let (raw, merged) = (folder.join("raw"), folder.join("merged.profdata"));
    let checked = folder.join("checked");
    let build = |flag: String, name: &str| {
        let flags = format!("target.'cfg(all())'.rustflags = [{flag:?}]");
        let target_dir = folder.join(name).display().to_string();
        // A target of its own keeps the flag away from build scripts, which would write profiles as well.
        let arguments = ["--target", &host, "--target-dir", &target_dir, "--config", &flags];
        simulate::build_by(features, &arguments.map(str::to_owned))
    };
    let steps = || -> io::Result<Result<PathBuf, ExitCode>> {
        let observed = match build(format!("-Cprofile-generate={}", raw.display()), "observed") {
            Ok(program) => program,
            Err(failed) => return Ok(Err(failed)),
        };
        eprintln!("profile: {} runs", 2 * RUNS.len());
        let digests = digests(&observed, &raw)?;
        output(Command::new(&merge).args(["merge", "-o"]).arg(&merged).arg(raw.join(PROFILES)))?;
        let program = match build(format!("-Cprofile-use={}", merged.display()), "optimised") {
            Ok(program) => program,
            Err(failed) => return Ok(Err(failed)),
        };
        match self::digests(&program, &checked)? {
            same if same == digests => Ok(Ok(program)),
            other => Err(io::Error::other(format!(
                "a digest of the program by the profile differs: {other:?}, not {digests:?}"
            ))),
        }
    };
    match steps() {
        Ok(built) => built.map(Profiled::Program),
        Err(cause) => {
            eprintln!("error: the program is not built by a profile: {cause}");
            Err(ExitCode::FAILURE)
        }
    }
}

/// Tools of the toolchain that a profile needs.
struct Toolchain {
    /// The target that it compiles for by default.
    host: String,
    /// The program that joins profiles, of the compiler's own version.
    merge: PathBuf,
}

/// Finds the tools, or says which is missing and how to get it.
fn toolchain() -> Result<Toolchain, String> {
    let rustc = |argument: &[&str]| {
        let printed =
            output(Command::new("rustc").args(argument)).map_err(|cause| format!("rustc: {cause}"))?;
        String::from_utf8(printed).map_err(|_| "rustc does not print UTF-8".to_owned())
    };
    let version = rustc(&["-vV"])?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    let host = host.ok_or("rustc does not name its host")?.to_owned();
    let sysroot = rustc(&["--print", "sysroot"])?;
    let tools = Path::new(sysroot.trim_end()).join("lib").join("rustlib").join(&host).join("bin");
    let merge = tools.join(format!("llvm-profdata{}", std::env::consts::EXE_SUFFIX));
    if merge.exists() {
        Ok(Toolchain { host, merge })
    } else {
        Err("this toolchain has no llvm-profdata: run `rustup component add llvm-tools`".to_owned())
    }
}

/// Runs all of [`RUNS`] with results in folders of one, on one thread and on two, and returns their digests. A program that
/// writes profiles writes them there as well.
fn digests(program: &Path, folder: &Path) -> io::Result<Vec<String>> {
    let _ = fs::remove_dir_all(folder); // Left by an earlier build; there may be none.
    fs::create_dir_all(folder)?;
    let digest = |threads: &str, (name, sets): &(&str, &[&str])| {
        let results = folder.join(threads);
        fs::create_dir_all(&results)?;
        let mut run = Command::new(program);
        run.current_dir(results).env("LLVM_PROFILE_FILE", folder.join(PROFILES).join("%m-%p.profraw"));
        run.args(["sim", name, "--threads", threads, "--quiet", "--json"])
            .args(sets.iter().flat_map(|set| ["--set", set]));
        let summary: serde_json::Value = serde_json::from_slice(&output(&mut run)?)?;
        let found = summary["digest"].as_str().map(str::to_owned);
        found.ok_or_else(|| io::Error::other(format!("the summary of `{name}` has no digest")))
    };
    let threads = ["1", "2"].into_iter();
    threads
        .flat_map(|threads| RUNS.iter().map(move |run| (threads, run)))
        .map(|(threads, run)| digest(threads, run))
        .collect()
}
