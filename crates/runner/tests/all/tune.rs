//! `tune` as its user meets it: the answer, its files, going on, refusals.

use crate::scratch::{Scratch, assert_refused, json, one_line, text};

/// Two parameters.
const SPACE: &str = r#"(
    about: "Timer and increase.",
    parameters: [
        (name: "timer", path: "congestion_control.response.ccti_timer", values: LogInteger(from: 2, to: 300)),
        (name: "increase", path: "congestion_control.response.ccti_increase", values: LogInteger(from: 1, to: 16)),
    ],
)"#;

/// The smallest victim in a fifth of its time.
const SHORT: [&str; 6] =
    ["--set", "duration=6 ms", "--set", "flows.far.start=1 ms", "--set", "flows.near.start=2 ms"];

/// Returns the arguments of a tuning of the smallest victim for the goodput of all flows.
fn tune<'a>(more: &[&'a str]) -> Vec<&'a str> {
    tune_for("goodput(all)", more)
}

fn tune_for<'a>(measure: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let goal = ["--space", "space.ron", "--maximise", measure, "--seeds", "1,2", "--held-out", "11..=13"];
    [&["tune", "victim"], &goal[..], &SHORT[..], more].concat()
}

fn scratch(test: &str) -> Scratch {
    let scratch = Scratch::new(test);
    std::fs::write(scratch.0.join("space.ron"), SPACE).unwrap();
    scratch
}

/// 34 runs: 9 on held-out seeds, 8 for the sensitivity, 17 for the search: 8 settings with 2 seeds.
#[test]
fn an_answer_is_the_same_with_any_number_of_threads_and_after_an_interruption() {
    let scratch = scratch("tune-again");
    let whole =
        json(&scratch.printed(&tune(&["--runs", "34", "--threads", "1", "--out", "a", "--json", "--quiet"])));
    assert_eq!(
        scratch.names_in("a"),
        ["run.json", "runs", "searched.set", "trials.csv", "tuning.json", "winner.ron", "winner.set"]
    );
    assert_eq!((whole["trials"].as_u64(), whole["runs"].as_u64() <= Some(34)), (Some(8), true));
    let budget = serde_json::json!({ "runs": 34, "search": 17, "held_out": 9, "sensitivity": 8 });
    assert_eq!(whole["budget"], budget);
    // A search that time ended leaves runs in the folder; a torn run is made again.
    let begun =
        tune(&["--runs", "34", "--minutes", "0", "--threads", "2", "--out", "b", "--json", "--quiet"]);
    let begun = scratch.run(&begun);
    assert_eq!(begun.status.code(), Some(1), "there is no answer yet");
    let begun = json(&text(&begun.stdout));
    assert_eq!((begun["out_of_time"].as_bool(), begun["runs"].as_u64()), (Some(true), Some(3)));
    let runs = scratch.names_in("b/runs");
    std::fs::write(scratch.0.join("b/runs").join(&runs[0]).join("result.json"), "{").unwrap();
    let output = scratch.run(&tune(&["--runs", "34", "--threads", "2", "--out", "b", "--json", "--quiet"]));
    assert!(text(&output.stderr).contains(&runs[0]), "{}", text(&output.stderr));
    assert_eq!(json(&text(&output.stdout)), whole);
    assert_eq!(scratch.read("b/trials.csv"), scratch.read("a/trials.csv"));
    // The winner's overrides equal its runs', and the scenario takes them.
    let winner = scratch.read("a/winner.set");
    assert_eq!(scratch.read("a/searched.set"), winner);
    let sets: Vec<_> = winner.lines().flat_map(|line| ["--set", line]).collect();
    assert_eq!(sets, ["--set", "congestion_control=Guideline"]);
    assert_eq!(
        (whole["advice"].as_str(), whole["winner"]["setting"].as_str()),
        (Some("change"), Some("guideline"))
    );
    scratch.printed(&[&["check", "victim"], &sets[..]].concat());
    // An export of the winner equals an export of the tuning's overrides with the winner's.
    let exported =
        |more: &[&str]| text(&scratch.run(&[&["export", "opensm", "victim"], more].concat()).stdout);
    let tuned = exported(&["--tuned", "a"]);
    assert!(tuned.contains("\ncongestion_control TRUE\n"), "{tuned}");
    assert_eq!(tuned, exported(&[&SHORT[..], &sets].concat()));
    assert_ne!(tuned, exported(&SHORT));
    // Each setting names its first run.
    let runs = scratch.names_in("a/runs");
    let table = scratch.read("a/trials.csv");
    let mut named = table.lines().skip(1).map(|line| line.split(',').nth(1).expect("a second column"));
    assert!(named.all(|run| runs.iter().any(|known| known == run)), "{table}");
    // The folder gets a page, which the same tuning leaves there.
    assert_eq!(scratch.printed(&["report", "a"]), "wrote a/report.html\n");
    let page = scratch.read("a/report.html");
    let sure = whole["answer"]["confidence"].as_str().expect("a sentence");
    for words in ["<h1>Tuning of victim</h1>", sure, winner.lines().next().expect("a setting")] {
        assert!(page.contains(words), "no `{words}` in {page}");
    }
    assert_eq!(json(&scratch.printed(&tune(&["--runs", "34", "--out", "a", "--json", "--quiet"]))), whole);
    assert_eq!(scratch.read("a/report.html"), page);
}

/// The victim's goodput is as high as it can be with the scenario's own settings: they win, and there is nothing to
/// apply.
#[test]
fn a_baseline_that_nothing_beats_is_kept() {
    let scratch = scratch("tune-keep");
    for method in ["tpe", "grid", "lhs", "halving"] {
        let more = ["--runs", "34", "--method", method, "--out", method];
        let output = scratch.run(&tune_for("goodput(victim)", &more));
        let printed = text(&output.stdout);
        assert_eq!(output.status.code(), Some(1), "{printed}{}", text(&output.stderr));
        assert!(
            printed.contains("\nHow sure  Keep the settings: on the training seeds none of "),
            "{printed}"
        );
        assert!(
            printed.starts_with(
                "At most 34 runs: 17 for the search, of which 4 for baseline and guideline and 13 for "
            ),
            "{printed}"
        );
        assert!(printed.contains("baseline (winner)"), "{printed}");
        assert_eq!(
            scratch.names_in(method),
            ["run.json", "runs", "searched.set", "trials.csv", "tuning.json"]
        );
        // The best of the search is there for a trial by hand: its overrides, which the advice compares, are taken.
        let searched = scratch.read(&format!("{method}/searched.set"));
        let sets: Vec<_> = searched.lines().flat_map(|line| ["--set", line]).collect();
        assert!(!sets.is_empty());
        scratch.printed(&[&["check", "victim"], &sets[..]].concat());
        let file = format!("{method}/searched.set");
        let by_file = ["export", "opensm", "victim", "--set-file", &file];
        let by_hand = [&["export", "opensm", "victim"], &sets[..]].concat();
        let exported = |arguments: &[&str]| text(&scratch.run(arguments).stdout);
        assert_eq!(exported(&by_file), exported(&by_hand));
        let table = scratch.read(&format!("{method}/trials.csv"));
        let baseline = table.lines().nth(1).expect("a row");
        assert!(baseline.contains(",baseline,2,1,,true,true,true,15,1,"), "{table}");
        let answer = json(&scratch.read(&format!("{method}/tuning.json")));
        assert_eq!((answer["advice"].as_str(), answer["winner"]["trial"].as_u64()), (Some("keep"), Some(1)));
        let verdict = answer["verdict"].as_str().expect("a sentence");
        assert_eq!(answer["answer"]["confidence"], verdict);
        assert_eq!(answer["settings"][0]["values"][0]["setting"], "baseline");
        assert!(one_line(&printed).contains(verdict), "{verdict}");
        let refused = scratch.run(&["export", "opensm", "victim", "--tuned", method]);
        assert_refused(
            &refused,
            &format!("error: `{method}` has no winner: {verdict}\nhelp: leave out `--tuned`"),
        );
    }
    // What the budget has no room for is said before the first run.
    let few = ["--runs", "21", "--method", "lhs", "--out", "few"];
    let printed = text(&scratch.run(&tune_for("goodput(victim)", &few)).stdout);
    let left_out = "\nThe sensitivity is left out, since half of the runs are for the search; 34 runs have room for it.\n";
    assert!(printed.contains(left_out), "{printed}");
    // The guideline is no candidate where it is the baseline, and the answer says why.
    let own = ["--runs", "34", "--set", "congestion_control=Guideline", "--no-sensitivity", "--out", "own"];
    let printed = text(&scratch.run(&tune_for("goodput(victim)", &own)).stdout);
    assert!(
        one_line(&printed).contains("No published guideline is among the settings: the baseline has"),
        "{printed}"
    );
}

#[test]
fn the_winner_keeps_its_constraint_or_there_is_none() {
    let scratch = scratch("tune-constraint");
    let more =
        ["--runs", "19", "--no-sensitivity", "--method", "lhs", "--subject-to", "goodput(all, 3) > 1 Tb/s"];
    // On a slow machine there are lines of progress.
    let output = scratch.run(&tune_for("goodput(victim)", &more));
    let printed = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{printed}{}", text(&output.stderr));
    assert!(
        one_line(&printed).contains("No answer: none of 5 settings, the scenario's own included"),
        "{printed}"
    );
    let folder = "out/tune,victim,space.ron";
    assert_eq!(scratch.names_in(folder), ["run.json", "runs", "trials.csv", "tuning.json"]);
    let table = scratch.read(&format!("{folder}/trials.csv"));
    let lines: Vec<_> = table.lines().collect();
    assert_eq!(
        lines[0],
        "trial,run,setting,seeds,duration_share,bounds,feasible,front,winner,timer,increase,goodput(victim)_bps,violation"
    );
    assert_eq!(lines.len(), 6);
    assert!(lines[1..].iter().all(|line| line.contains(",2,1,,false,false,false,")), "{table}");
}

#[test]
fn a_wrong_question_is_refused_and_leaves_nothing() {
    let scratch = scratch("tune-refused");
    let refused = |more: &[&str], message: &str| assert_refused(&scratch.run(&tune(more)), message);
    refused(
        &["--runs", "9"],
        "error: 9 runs are too few: at least half of them are for the search, and the judgement of baseline, guideline and winner takes \
         9 held-out runs; 18 runs are enough",
    );
    refused(
        &["--subject-to", "goodput(all)"],
        "error: column 13 of `goodput(all)`: the comparison is missing",
    );
    refused(&["--minimise", "p98(victim)"], "error: column 1 of `p98(victim)`: `p98` is no measure");
    refused(
        &["--minimise", "p99(victm)"],
        "error: column 5 of `p99(victm)`: the scenario has no group or flow `victm`",
    );
    refused(&["--set", "flows.near.start=x"], "error: --set flows.near.start=x:1:1: flows[2].start: ");
    let space = |space| scratch.run(&["tune", "victim", "--space", space, "--maximise", "goodput(all)"]);
    assert_refused(&space("ibm"), "error: ibm: there is no file and no shipped space of this name");
    assert_refused(&space("dcqcn"), "error: --set congestion_control.");
    assert_eq!(scratch.names(), ["space.ron"]);
}

/// Of runs that end with messages under way, the p99 of a tuning is a bound and has its sign; drained, or run until all is
/// delivered, it is a number.
#[test]
fn bounds_of_a_tuning_have_their_sign_and_go_with_its_ends() {
    let scratch = scratch("tune-ends");
    let poisson =
        "traffic=[Poisson(name: \"u\", from: \"0 s\", until: \"200 us\", message: \"64 KiB\", load: 0.5)]";
    let common = ["tune", "victim", "--space", "space.ron", "--minimise", "p99(u)", "--seeds", "1,2"];
    let sets = ["--set", "flows=[]", "--set", poisson, "--set", "sample=10 us"];
    let runs = ["--held-out", "11..=13", "--runs", "26", "--no-sensitivity", "--out"];
    let duration = ["--set", "duration=200 us"];
    let tuned = |out: &str, more: &[&str]| {
        let output = scratch.run(&[&common[..], &sets, &runs, &[out], more].concat());
        (text(&output.stdout), json(&scratch.read(&format!("{out}/tuning.json"))))
    };
    let (printed, answer) = tuned("short", &duration);
    let own = &answer["baseline"]["objectives"][0];
    assert_eq!((&own["bound"], &own["ci95"]), (&json("\"at_least\""), &json("null")), "{own}");
    let said = one_line(&printed);
    assert!(said.contains("p99(u): the scenario's own settings have ≥ "), "{printed}");
    assert!(
        said.contains("No searched setting has a known number") && said.contains("`--drain`"),
        "{printed}"
    );
    let drained = [&duration[..], &["--drain"]].concat();
    let until_done = [&duration[..], &["--until-done"]].concat();
    for (out, more) in
        [("a", &drained[..]), ("b", &until_done), ("c", &["--until-done", "--at-most", "9 ms"])]
    {
        let (printed, answer) = tuned(out, more);
        assert_eq!(answer["baseline"]["objectives"][0]["bound"], json("null"), "{out}");
        let row = printed.lines().find(|line| line.starts_with(" p99(u) "));
        assert!(row.is_some_and(|row| !row.contains('≥')), "{printed}");
        assert!(!printed.contains("loss if it is moved alone"), "{printed}");
        // Both side by side have the same end.
        let advice = answer["answer"]["advice"].as_str().expect("there is advice");
        let options = more.iter().filter(|word| word.starts_with("--") && **word != "--set");
        assert!(options.clone().all(|option| advice.contains(option)), "{advice}");
        // Every run of the table is so, and its result knows.
        let run = &scratch.names_in(&format!("{out}/runs"))[0];
        let unit = json(&scratch.read(&format!("{out}/runs/{run}/result.json"))).to_string();
        assert!(unit.contains(if out == "a" { "\"drain\":true" } else { "until_done=true" }), "{unit}");
    }
    let halved = ["none", "--method", "halving", "--halve", "duration", "--until-done"];
    let refused = scratch.run(&[&common[..], &sets, &runs, &halved].concat());
    assert_refused(&refused, "have no duration that halving could shorten");
    let twice = [&["none"][..], &duration, &["--until-done", "--at-most", "9 ms"]].concat();
    assert_refused(&scratch.run(&[&common[..], &sets, &runs, &twice].concat()), "duration");
}
