//! `backwater compare`: runs side by side.

use std::fs;

use crate::scratch::{Scratch, assert_refused, json, one_line};

#[test]
fn compare_runs_side_by_side_with_one_seed() {
    let scratch = Scratch::new("compare");
    let pair = ["compare", "one-flow", "one-flow:link.mtu=512 B", "--out"];
    let runs = [&pair[..], &["both", "--seed", "4"]].concat();
    let brief = scratch.printed(&runs);
    let more = "All tables: `--tables`, or compare.txt";
    assert!(!brief.contains("packets marked") && brief.contains(more), "{brief}");
    let printed = scratch.printed(&[&runs[..], &["--tables", "--force"]].concat());
    for words in ["A  one-flow: ", "B  one-flow:link.mtu=512 B: ", "seed 4", "packets marked"] {
        assert!(printed.contains(words), "no `{words}` in {printed}");
    }
    assert_eq!(scratch.names_in("both"), ["A", "B", "compare.csv", "compare.svg", "compare.txt", "run.json"]);
    assert!(printed.starts_with(&scratch.read("both/compare.txt")));
    // The answer comes first, with the command that answers the next question.
    assert!(printed.starts_with("Found     "), "{printed}");
    let advice = "\nTry       The page of the best, A:\n          backwater report both/A\n";
    assert!(printed.contains(advice), "{printed}");
    // Nothing is drawn at random, so that no seeds are asked for.
    let sentences = one_line(&printed);
    assert!(sentences.contains("every seed gives this difference."), "{printed}");
    assert!(!sentences.contains("run several"), "{printed}");
    // Each run leaves the results that `sim` leaves.
    scratch.printed(&["sim", "one-flow", "--seed", "4", "--quiet", "--out", "alone"]);
    assert_eq!(scratch.names_in("both/A"), scratch.names_in("alone"));
    assert_eq!(scratch.read("both/A/flows.csv"), scratch.read("alone/flows.csv"));
    fs::remove_dir_all(scratch.0.join("alone")).unwrap();
    // Named measures are the whole table, and one that no run has is refused before any run.
    let named = ["--measures", "goodput(all, 1), marks(F1)", "--json"];
    let named = json(&scratch.printed(&[&runs[..], &named, &["--force"]].concat()));
    let measures: Vec<_> =
        named["rows"].as_array().unwrap().iter().map(|row| row["measure"].clone()).collect();
    assert_eq!(measures, ["goodput(all, 1)", "marks(F1)"]);
    let nobody = ["--measures", "marks(nobody)"];
    assert_refused(&scratch.run(&[&pair[..], &["none"], &nobody].concat()), "no group or flow `nobody`");
    let wrong = ["compare", "one-flow", "one-flow:congestion_contrl=Off", "--out", "wrong"];
    assert_refused(&scratch.run(&wrong), "congestion_contrl");
    assert_refused(&scratch.run(&["compare", "victim"]), "2 ");
    assert_eq!(scratch.names(), ["both"], "nothing runs before everything is checked");
}

#[test]
fn compared_runs_have_labels_and_may_have_seeds_of_their_own() {
    let scratch = Scratch::new("labels");
    let runs = ["compare", "base=one-flow", "other=one-flow:seed=8; duration=3 ms", "--json"];
    let compared = json(&scratch.printed(&runs));
    assert_eq!(compared["schema"], "backwater-comparison/3");
    assert_eq!((&compared["runs"][0]["seed"], &compared["runs"][1]["seed"]), (&json("1"), &json("8")));
    assert_eq!(compared["runs"][1]["label"], "other");
    let rows = compared["rows"].as_array().unwrap();
    let row = rows.iter().find(|row| row["what"] == "total").unwrap();
    assert!(row["values"]["base"].is_f64() && row["values"]["other"].is_f64(), "{row}");
    let folder = "out/compare,base=one-flow,other=one-flow_seed=8__duration=3_ms";
    assert!(scratch.names_in(folder).contains(&"other".to_owned()));
    let twice = ["compare", "a=one-flow", "a=one-flow:seed=2"];
    assert_refused(&scratch.run(&twice), "error: two runs are called `a`");
}

/// Of several seeds each run has a folder, and each number a row in `compare.csv`; the table has means and differences.
#[test]
fn several_seeds_have_means_intervals_and_paired_differences() {
    let scratch = Scratch::new("compare-seeds");
    let short = ["--set", "duration=10 ms", "--set", "sample=100 us", "--seeds", "1,2,3"];
    let runs = ["compare", "off=santos2003-sessions:congestion_control=Off", "on=santos2003-sessions"];
    let all = [&runs[..], &short, &["--out", "c"]].concat();
    let printed = scratch.printed(&[&all[..], &["--tables"]].concat());
    assert!(
        printed.starts_with("Found     ") && printed.starts_with(&scratch.read("c/compare.txt")),
        "{printed}"
    );
    for words in [
        "\nWhy       In seed 1: with off: ",
        "\nHow sure  Best of 2 settings by ",
        "\nTry       ",
        "seeds 1, 2, 3",
        "on - off",
    ] {
        assert!(printed.contains(words), "no `{words}` in {printed}");
    }
    let folders: Vec<_> = scratch.names_in("c").into_iter().filter(|name| name.contains("seed")).collect();
    assert_eq!(folders, ["off,seed=1", "off,seed=2", "off,seed=3", "on,seed=1", "on,seed=2", "on,seed=3"]);
    // A row of the table is the mean of its seeds' rows in the file.
    let table = scratch.read("c/compare.csv");
    let totals = |seed: &str| {
        let is_row = |line: &&str| {
            line.starts_with("on,") && line.contains(",run,,\"goodput, Gb/s\",") && line.ends_with(seed)
        };
        let line = table.lines().find(is_row).unwrap_or_else(|| panic!("no row of {seed} in {table}"));
        line.split("\"goodput, Gb/s\",").nth(1).unwrap().split(',').next().unwrap().parse::<f64>().unwrap()
    };
    let mean = (totals(",1") + totals(",2") + totals(",3")) / 3.0;
    let again = json(&scratch.printed(&[&all[..], &["--json", "--force"]].concat()));
    let rows = again["rows"].as_array().unwrap();
    let row = rows.iter().find(|row| row["topic"] == "run" && row["what"] == "goodput, Gb/s").unwrap();
    assert!((row["values"]["on"].as_f64().unwrap() - mean).abs() < 2e-6, "{row} {mean}");
    assert!(row["ci95"]["on"].is_f64() && row["differences"]["on"]["mean"].is_f64(), "{row}");
    assert_eq!(again["seeds"], json("[1, 2, 3]"));
    assert!(
        again["verdict"]["confidence"].as_str().unwrap().contains("over 3 seeds"),
        "{}",
        again["verdict"]
    );
    // The figure is drawn again from the folder of the first seed.
    let drawn = scratch.read("c/compare.svg");
    scratch.printed(&["figure", "c", "compare"]);
    assert_eq!(scratch.read("c/compare.svg"), drawn);
    let both = scratch.run(&["compare", "one-flow:seed=3", "one-flow", "--seeds", "1,2"]);
    assert_refused(&both, "error: `one-flow:seed=3` names a seed beside `--seeds`");
}

/// Completion times are bounds while messages are under way at the end, and numbers after a drain. The answer asks for
/// it, and the run that a part of the comparison leaves is repeated with it.
#[test]
fn compared_runs_are_drained() {
    let scratch = Scratch::new("compare-drained");
    let runs = ["compare", "one-flow", "one-flow:link.mtu=512 B", "--set", "duration=300 us", "--json"];
    let asked = ["--measures", "p99(all)", "--out"];
    let bound = json(&scratch.printed(&[&runs[..], &asked, &["short"]].concat()));
    assert!(bound["rows"][0]["values"]["A"]["at_least"].is_f64(), "{bound}");
    let advice = bound["verdict"]["advice"].as_str().expect("there is advice");
    assert!(advice.starts_with("Numbers instead of bounds") && advice.ends_with(" --drain`"), "{advice}");
    let drained = json(&scratch.printed(&[&runs[..], &asked, &["drained", "--drain"]].concat()));
    assert!(drained["rows"][0]["values"]["A"].is_f64(), "{drained}");
    assert_eq!(drained["runs"][0]["digest"], bound["runs"][0]["digest"], "a drain is not in the digest");
    let is_drained =
        |run: &str| json(&scratch.read(&format!("{run}/A/summary.json")))["audit"]["drained"] == true;
    assert!(is_drained("drained") && !is_drained("short"));
    let advice = drained["verdict"]["advice"].as_str().expect("there is advice");
    assert!(!advice.contains("instead of bounds"), "{advice}");
    scratch.printed(&["rerun", "drained/A"]);
}

/// A run in lockstep is told as `sim` tells it, with the label of the run alone that it holds for, and the time at which
/// finite traffic was delivered stands in the answer and in the short table.
#[test]
fn compared_runs_have_the_remarks_of_single_runs_and_the_time_of_completion() {
    let scratch = Scratch::new("compare-remarks");
    let traffic = |size: &str| {
        format!(
            "traffic=[Synthetic(name: \"a2a\", destinations: AllToAll, size: {size}, arrivals: Closed(outstanding: 1), \
             start: \"0 s\", messages: 31)]"
        )
    };
    let (step, mixed) = (traffic("Fixed(\"4 KiB\")"), traffic("Uniform(least: \"1 KiB\", most: \"7 KiB\")"));
    let set = ["--set", &step, "--set", "duration=1 ms", "--set", "sample=10 us", "--until-done"];
    let other = format!("mixed=bench-a32:{mixed}");
    let runs = [&["compare", "step=bench-a32", &other][..], &set, &["--out", "both"]].concat();
    let printed = scratch.printed(&runs);
    let alone = scratch.printed(&[&["sim", "bench-a32"][..], &set, &["--out", "alone"]].concat());
    let remark = json(&scratch.read("alone/summary.json"))["remarks"][0]["text"].clone();
    let remark = remark.as_str().expect("it is in lockstep");
    assert!(one_line(&alone).contains(&format!("Note {remark}")), "{alone}");
    let said = one_line(&printed);
    assert!(
        said.contains(&format!("Note With step: {remark}")) && said.matches("Note ").count() == 1,
        "{printed}"
    );
    assert!(one_line(&scratch.read("both/compare.txt")).contains(remark));
    let done = json(&scratch.read("alone/summary.json"))["done_s"].as_f64().expect("it is done");
    let row = printed.lines().find(|line| line.contains("last message of finite traffic delivered, us"));
    let row = row.unwrap_or_else(|| panic!("no time in {printed}"));
    assert!(row.contains(&format!(" {:.1} ", done * 1e6)), "{done}: {row}");
    assert!(said.contains("All finite traffic was delivered at "), "{printed}");
    let same =
        [&["compare", "step=bench-a32", "again=bench-a32"][..], &set, &["--json", "--out", "same"]].concat();
    let same = json(&scratch.printed(&same));
    assert_eq!(same["remarks"][0]["runs"], json("[\"step\", \"again\"]"));
    assert_eq!(same["remarks"].as_array().map(Vec::len), Some(1), "a shared remark stands once");
}
