//! `report` and `sim --open`: pages of folders.

use crate::scratch::{Scratch, assert_refused, json};

const SHORT: [&str; 5] = ["sim", "one-flow", "--set", "duration=1 ms", "--quiet"];

fn run(scratch: &Scratch, further: &[&str]) {
    scratch.printed(&[&SHORT[..], &["--out", "run"], further].concat());
}

#[test]
fn a_folder_gets_a_page_that_its_manifest_names() {
    let scratch = Scratch::new("report");
    run(&scratch, &[]);
    assert_eq!(scratch.printed(&["report", "run"]), "wrote run/report.html\n");
    let page = scratch.read("run/report.html");
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("<h1>one-flow, with 1 override</h1>"));
    let digest = json(&scratch.read("run/summary.json"))["digest"].as_str().map(str::to_owned);
    assert!(page.contains(&digest.expect("a summary has a digest")));
    let files = json(&scratch.read("run/run.json"))["files"].to_string();
    assert!(files.contains("\"report.html\""), "{files}");
    assert_eq!(scratch.printed(&["report", "run", "--out", "page.html"]), "wrote page.html\n");
    assert_eq!(scratch.read("page.html"), page);
    // The same run clears its page, which is among its files.
    run(&scratch, &[]);
    assert!(!scratch.names_in("run").contains(&"report.html".to_owned()));
}

/// Without a display the path is printed. Elsewhere than on Linux the page would really be opened.
#[cfg(target_os = "linux")]
#[test]
fn a_run_that_is_to_open_its_page_makes_the_same_one() {
    let scratch = Scratch::new("open");
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_backwater"));
    command.args(SHORT).args(["--out", "run", "--open"]).current_dir(&scratch.0);
    let output = command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY").output().expect("it runs");
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && message.starts_with("note: no browser"), "{message}");
    assert!(message.trim_end().ends_with("run/report.html"), "{message}");
    let opened = scratch.read("run/report.html");
    scratch.printed(&["report", "run"]);
    assert_eq!(scratch.read("run/report.html"), opened);
}

#[test]
fn folders_without_a_page_are_refused_with_the_reason() {
    let scratch = Scratch::new("no-page");
    let refused = |arguments: &[&str], words: &[&str]| {
        words.iter().for_each(|word| assert_refused(&scratch.run(arguments), word));
    };
    refused(&["report", "nowhere"], &["error: there is no folder `nowhere`", "help: "]);
    assert_eq!(scratch.names(), [""; 0]);
    std::fs::create_dir(scratch.0.join("empty")).expect("a folder can be made");
    refused(&["report", "empty"], &["`empty` cannot become a page", "there is no `run.json`"]);
    scratch.printed(&[
        "compare",
        "one-flow",
        "two=one-flow",
        "--set",
        "duration=1 ms",
        "--quiet",
        "--out",
        "two",
    ]);
    refused(&["report", "two"], &["holds 2 runs", "help: name the folder of one of the runs in it"]);
    scratch.printed(&["sweep", "plan", "one-flow", "--out", "sweep"]);
    refused(&["report", "sweep"], &["there is no `results.csv`"]);
    for (file, text) in [("results.csv", "run,seed\n1,1\n"), ("report.html", "mine")] {
        std::fs::write(scratch.0.join("sweep").join(file), text).expect("a file can be written");
    }
    refused(&["report", "sweep"], &["`results.csv` is not as this version writes it", "`lost_packets`"]);
    let table = "run,seed,ended,lost_packets,digest,name\n1,1,complete,0,aa,one\n";
    std::fs::write(scratch.0.join("sweep/results.csv"), table).expect("a file can be written");
    refused(&["report", "sweep"], &["`sweep/report.html` is no page of this program", "`--out FILE`"]);
    assert_eq!(scratch.read("sweep/report.html"), "mine");
    scratch.printed(&["report", "sweep", "--out", "page.html"]);
    assert!(scratch.read("page.html").contains("/sweep/runs/"));
}
