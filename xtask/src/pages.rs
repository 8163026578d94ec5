//! `cargo xtask test-report`: pages of results in headless Chromium, offline.
//!
//! Invariant: nothing is installed here, and nothing is asked of a network. The script `pages.cjs` knows the page's
//! controls, and no crate.
//!
//! Pages: `run`, a run with a congestion tree; `large`, 648 hosts and 10,000 flows; `sweep`, the table
//! `pages.csv`; `tuning`, three settings.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use crate::cargo::{finish, root};
use crate::{help, simulate};

/// Names of the browser.
const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];
/// A collected table of a sweep, made by hand, with a missing run and lower bounds.
const SWEEP: &str = include_str!("pages.csv");
/// Its manifest, with the answer that the page opens with.
const SWEEP_MANIFEST: &str = r#"{"schema": "backwater-run/1", "version": "0", "commit": null, "kind": "sweep", "command": ["sweep", "victim", "--minimise", "p99(all)"],
"plans": [], "verdict": "Best of 6 settings: made by hand.", "ended": {"how": "complete"}, "files": []}"#;
/// Settings of a tuning, made by hand.
const TRIALS: &str = "trial,run,setting,seeds,feasible,front,winner,threshold,p99(all)_s,violation\n\
    1,victim-seed1-00000001,baseline,3,true,false,false,7,0.003,0\n\
    2,victim-seed1-00000002,searched,3,true,true,true,12,0.002,0\n\
    3,victim-seed1-00000003,searched,3,true,false,false,2,0.004,0\n";
/// Its answer.
const TUNED: &str = r#"{"scenario": "victim", "set": [], "held_out_seeds": [7, 8],
    "objectives": [{"measure": "p99(all)"}],
    "parameters": [{"name": "threshold", "path": "congestion_control.marking.threshold"}],
    "baseline": {"objectives": [{"mean": 0.003, "ci95": 0.0001}]},
    "judged": [{"trial": 2, "held_out": {"objectives": [{"mean": 0.002, "ci95": 0.0001}]}, "gains": [{"mean": 0.001, "ci95": 0.0002}]}],
    "winner": {"set": ["congestion_control.marking.threshold=12"]},
    "sensitivity": [{"parameter": "threshold", "rank_correlation": -0.5,
        "neighbours": [{"value": "11", "loss": {"mean": 0.0002, "ci95": null}}, {"value": "13", "loss": {"mean": -0.0001, "ci95": null}}]}]}"#;
/// Finds the library that drives the browser, and prints its path.
const RESOLVE: &str = "process.stdout.write(require.resolve('playwright-core', \
                       { paths: [process.argv[1], process.argv[1] + '/web', '/usr/share/nodejs', '/usr/lib/node_modules', '/usr/local/lib/node_modules'] }))";

/// Makes the pages and tries their controls.
pub(crate) fn run(arguments: &[OsString]) -> ExitCode {
    if let Some(refused) = help::refused("test-report", arguments) {
        return refused;
    }
    let (playwright, browser) = match tools() {
        Ok(tools) => tools,
        Err(missing) => {
            eprintln!("{missing}");
            return ExitCode::FAILURE;
        }
    };
    let folder = root().join("target/pages");
    match simulate::build().and_then(|program| make_pages(&program, &folder)) {
        Err(failed) => failed,
        Ok(()) => {
            let mut trying = Command::new("node");
            trying.arg(root().join("xtask/src/pages.cjs")).args([&playwright, &browser]).arg(folder);
            finish(trying)
        }
    }
}

/// Returns what is missing, with the way to get it; `None` if nothing is.
pub(crate) fn lacking() -> Option<String> {
    tools().err()
}

/// Returns the library by which Node.js drives a browser, and the browser; or what is missing, with the way to get it.
pub(crate) fn tools() -> Result<(OsString, OsString), String> {
    match (playwright(), browser()) {
        (Some(playwright), Some(browser)) => Ok((playwright, browser)),
        (playwright, browser) => Err(missing(playwright.is_some(), browser.is_some())),
    }
}

/// Returns the library by which Node.js drives a browser: that of the variable `PLAYWRIGHT`, or the one installed.
fn playwright() -> Option<OsString> {
    let given = env::var_os("PLAYWRIGHT");
    let found = || {
        let output =
            Command::new("node").args(["-e", RESOLVE]).arg(root()).stdin(Stdio::null()).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned().into())
    };
    given.or_else(found)
}

/// Returns the browser: that of the variable `CHROMIUM`, or the first that starts.
fn browser() -> Option<OsString> {
    let starts = |name: &OsStr| {
        let version = Command::new(name).arg("--version").stdin(Stdio::null()).output();
        version.is_ok_and(|output| output.status.success())
    };
    if let Some(given) = env::var_os("CHROMIUM") {
        return Some(given).filter(|name| starts(name));
    }
    let folders: Vec<PathBuf> = env::split_paths(&env::var_os("PATH")?).collect();
    let paths = BROWSERS.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    paths.map(PathBuf::into_os_string).find(|path| Path::new(path).is_file() && starts(path))
}

fn missing(has_playwright: bool, has_browser: bool) -> String {
    let mut lines = Vec::new();
    if !has_playwright {
        lines.push(
            "error: Node.js with `playwright-core` is not there\n\
             help: install Node.js, then `npm install --no-save playwright-core`, or name its folder with \
             PLAYWRIGHT=/path/to/node_modules/playwright-core",
        );
    }
    if !has_browser {
        lines.push(
            "error: no Chromium starts\n\
             help: install it (Debian: `apt-get install chromium`), or name it with CHROMIUM=/path/to/chromium",
        );
    }
    lines.join("\n")
}

/// Returns the traffic of the large page: ten permutations of 648 hosts, and six incasts of 647 senders each.
fn large_traffic() -> String {
    let permutation =
        "Synthetic(destinations: Permutation, arrivals: Poisson(load: 0.019), size: Fixed(\"32 KiB\"))";
    let mut patterns = vec![permutation.to_owned(); 10];
    patterns.extend((0..6).map(|place| {
        let (at, host) = (place + 1, place * 90 + 1);
        format!("Incast(at: \"{at} ms\", to: \"h{host}\", senders: 647, bytes: \"32 KiB\")")
    }));
    format!("traffic=[{}]", patterns.join(","))
}

/// Makes the pages.
fn make_pages(program: &Path, folder: &Path) -> Result<(), ExitCode> {
    let failed = |what: &str| {
        eprintln!("error: {what}");
        ExitCode::FAILURE
    };
    // What an earlier call left may be missing.
    let _ = fs::remove_dir_all(folder);
    let sweep = folder.join("sweep");
    let tuning = folder.join("tuning");
    let tuning_manifest = SWEEP_MANIFEST.replace("\"kind\": \"sweep\"", "\"kind\": \"tuning\"");
    let by_hand = [
        (&sweep, "results.csv", SWEEP),
        (&sweep, "run.json", SWEEP_MANIFEST),
        (&tuning, "trials.csv", TRIALS),
        (&tuning, "tuning.json", TUNED),
        (&tuning, "run.json", &tuning_manifest),
    ];
    for (folder, file, contents) in by_hand {
        let written = fs::create_dir_all(folder).and_then(|()| fs::write(folder.join(file), contents));
        written.map_err(|cause| failed(&format!("{}: {cause}", folder.display())))?;
    }
    let succeeds =
        |command: &mut Command| command.stdin(Stdio::null()).status().is_ok_and(|status| status.success());
    let traffic = large_traffic();
    let runs: [(&str, &[&str]); 2] = [
        ("run", &["roce-victim"]),
        ("large", &["dcs648", "--set", "duration=10 ms", "--set", "sample=100 us", "--set", &traffic]),
    ];
    for (name, arguments) in runs {
        let mut sim = Command::new(program);
        sim.arg("sim").args(arguments).arg("--quiet").arg("--out").arg(folder.join(name));
        if !succeeds(&mut sim) {
            return Err(failed(&format!("the run `{name}` failed")));
        }
    }
    for name in ["run", "large", "sweep", "tuning"] {
        if !succeeds(Command::new(program).arg("report").arg(folder.join(name))) {
            return Err(failed(&format!("`{name}` has no page")));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_programs_are_named_with_the_way_to_get_them() {
        assert!(missing(false, true).contains("npm install --no-save playwright-core"));
        assert!(missing(true, false).contains("apt-get install chromium"));
        assert_eq!(missing(false, false).matches("error: ").count(), 2);
    }

    #[test]
    fn the_large_page_has_ten_thousand_flows() {
        let traffic = large_traffic();
        let flows = traffic.matches("Permutation").count() * 648 + traffic.matches("Incast").count() * 647;
        assert!(flows > 10_000, "{flows}");
    }
}
