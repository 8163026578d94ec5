//! Groups of a whole run: the numbers of each group, in the summary and in the files, against its flows.
//!
//! The flows of a group are read from `flows.csv`, and everything else is added up from the rows of its flows.

use std::collections::BTreeMap;

use backwater::{FinishedRun, Simulation};
use serde_json::Value;

/// The columns of a row by name.
type Row = BTreeMap<String, String>;

/// Runs the smallest victim without congestion control, with three groups, the last of a pattern, and flows with
/// neither a name nor a group.
fn run() -> FinishedRun {
    run_with(&[])
}

fn run_with(more: &[&str]) -> FinishedRun {
    let background = r#"Synthetic(name: "background", start: "1 ms", destinations: Shift(2), arrivals: Poisson(load: 0.05), size: Fixed("2 KiB"))"#;
    let traffic = format!(r#"traffic=[{background}, Permutation(at: "21 ms", bytes: "40 KiB")]"#);
    let sets = [
        "congestion_control=Off",
        "duration=\"25 ms\"",
        "flows.victim.group=\"victims\"",
        "flows.far.group=\"contributors\"",
        "flows.near.group=\"contributors\"",
        &traffic,
    ];
    let found = Simulation::find("victim").expect("it is shipped");
    let simulation =
        sets.iter().chain(more).fold(found, |all, set| all.set(set).expect("the override can be read"));
    simulation.run().unwrap_or_else(|error| panic!("{error}"))
}

fn rows(run: &FinishedRun, name: &str) -> Vec<Row> {
    let file = run.files().into_iter().find(|file| file.name == name).expect("the run writes it");
    let mut lines = file.contents.lines().map(|line| line.split(',').map(str::to_owned));
    let header: Vec<_> = lines.next().expect("it has a header").collect();
    lines.map(|cells| header.iter().cloned().zip(cells).collect()).collect()
}

fn number(row: &Row, column: &str) -> f64 {
    row[column].parse().unwrap_or_else(|_| panic!("{column}: {row:?}"))
}

fn sum(rows: &[Row], flows: &[String], column: &str) -> f64 {
    rows.iter().filter(|row| flows.contains(&row["flow"])).map(|row| number(row, column)).sum()
}

/// Returns the names of the flows of each group.
fn members(run: &FinishedRun) -> BTreeMap<String, Vec<String>> {
    let mut members: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for row in rows(run, "flows.csv") {
        members.entry(row["group"].clone()).or_default().push(row["flow"].clone());
    }
    members
}

fn summary(run: &FinishedRun) -> Value {
    serde_json::from_str(&run.summary.json()).expect("the summary is JSON")
}

/// Returns a quantile of the summary, or its lower bound.
fn lowest(quantile: &Value) -> f64 {
    quantile.as_f64().or_else(|| quantile["at_least"].as_f64()).expect("it is a number or has a bound")
}

/// Returns the median by nearest rank, where a message that was not delivered counts with its age.
fn median(messages: &[&Row]) -> Option<f64> {
    let time = |row: &&Row| match row["fct_us"].as_str() {
        "" => number(row, "age_s") * 1e6,
        time => time.parse().expect("it is a number"),
    };
    let mut times: Vec<f64> = messages.iter().map(time).collect();
    times.sort_by(f64::total_cmp);
    times.get(times.len().div_ceil(2).checked_sub(1)?).copied()
}

fn assert_messages(object: &Value, messages: &[&Row]) {
    let delivered = messages.iter().filter(|row| !row["completed_s"].is_empty()).count();
    assert_eq!(object["posted_messages"], messages.len(), "{object}");
    assert_eq!(object["delivered_messages"], delivered, "{object}");
    match median(messages) {
        Some(median) => {
            assert!((lowest(&object["fct_us"]["p50"]) - median).abs() < 1e-5, "{object}: {median}");
        }
        None => assert!(object["fct_us"].is_null(), "{object}"),
    }
}

#[test]
fn a_group_is_the_sum_of_its_flows_over_the_run() {
    let run = run();
    let (summary, members) = (summary(&run), members(&run));
    let [flows, victims, messages] = ["flows.csv", "victims.csv", "fct.csv"].map(|name| rows(&run, name));
    let groups = summary["groups"].as_array().expect("it is a list");
    let names: Vec<_> = groups.iter().map(|group| group["group"].as_str().unwrap()).collect();
    assert_eq!(names, ["victims", "contributors", "background"]);
    for group in groups {
        let own = &members[group["group"].as_str().unwrap()];
        assert_eq!(group["flows"], own.len());
        assert_eq!(group["delivered_bytes"].as_f64(), Some(sum(&flows, own, "delivered_bytes")));
        let goodput = sum(&flows, own, "delivered_bytes") * 8.0 / summary["simulated_s"].as_f64().unwrap();
        assert!((group["goodput_bps"].as_f64().unwrap() - goodput).abs() < 1.0, "{group}");
        let waited = sum(&victims, own, "waited_s");
        assert!((group["waited_s"].as_f64().unwrap() - waited).abs() < 1e-9, "{group}: {waited}");
        let own_messages: Vec<_> = messages.iter().filter(|row| own.contains(&row["flow"])).collect();
        assert_messages(group, &own_messages);
    }
    let waited: Vec<_> = groups.iter().map(|group| group["waited_s"].as_f64().unwrap()).collect();
    assert!(waited[0] > 0.0 && waited[1] == 0.0, "{waited:?}");
    let in_groups: usize = groups.iter().map(|group| group["flows"].as_u64().unwrap() as usize).sum();
    assert_eq!(in_groups + summary["others"]["flows"].as_u64().unwrap() as usize, flows.len());
    assert_eq!(summary["others"]["flows"], members[""].len());
}

#[test]
fn a_group_is_the_sum_of_its_flows_in_every_phase() {
    let run = run();
    let (summary, members) = (summary(&run), members(&run));
    let [table, messages] = ["phases.csv", "fct.csv"].map(|name| rows(&run, name));
    for (number_of, phase) in (1..).zip(summary["phases"].as_array().expect("it is a list")) {
        let of_phase = |row: &&Row| row["phase"] == number_of.to_string() && row["kind"] == "flow";
        let in_phase: Vec<_> = table.iter().filter(of_phase).collect();
        let total: f64 = in_phase.iter().map(|row| number(row, "goodput_bps")).sum();
        assert!((phase["total_goodput_bps"].as_f64().unwrap() - total).abs() < in_phase.len() as f64);
        for group in phase["groups"].as_array().expect("it is a list") {
            let own = &members[group["group"].as_str().unwrap()];
            for column in ["goodput_bps", "second_half_goodput_bps"] {
                let rows = in_phase.iter().filter(|row| own.contains(&row["name"]));
                let of_flows: f64 = rows.map(|row| number(row, column)).sum();
                // Each flow's goodput is rounded to whole bit/s.
                assert!((group[column].as_f64().unwrap() - of_flows).abs() <= own.len() as f64, "{group}");
            }
            let (from, to) = (phase["from_s"].as_f64().unwrap(), phase["to_s"].as_f64().unwrap());
            let is_own =
                |row: &&Row| own.contains(&row["flow"]) && (from..to).contains(&number(row, "posted_s"));
            assert_messages(group, &messages.iter().filter(is_own).collect::<Vec<_>>());
        }
    }
    let last = summary["phases"].as_array().and_then(|phases| phases.last()).expect("there is a phase");
    assert!(
        last["groups"][0]["second_half_goodput_bps"].as_f64()
            < last["groups"][1]["second_half_goodput_bps"].as_f64()
    );
}

/// Quartiles of groups and others cover their flows with data. `source_series.csv` has their payload by sample, and
/// `fct.csv` the messages that they have posted.
#[test]
fn quartiles_are_those_of_the_flows_with_data() {
    let run = run_with(&[r#"series=(sources: ["*"])"#]);
    let [flows, sources, series] =
        ["flows.csv", "source_series.csv", "series.csv"].map(|name| rows(&run, name));
    let flow_of: BTreeMap<&str, &Row> = flows.iter().map(|row| (row["flow"].as_str(), row)).collect();
    let messages = rows(&run, "fct.csv");
    let is_open = |flow: &str, now: f64| {
        messages
            .iter()
            .filter(|row| row["flow"] == flow && number(row, "posted_s") <= now)
            .any(|row| row["acknowledged_s"].parse().map_or(true, |acknowledged: f64| acknowledged > now))
    };
    let (mut last, mut compared, mut none) = (0.0, 0, 0);
    for at_sample in sources.chunk_by(|one, other| one["time_s"] == other["time_s"]) {
        let now = number(&at_sample[0], "time_s");
        let mut payloads: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
        for row in at_sample {
            let (flow, gained) = (flow_of[row["flow"].as_str()], number(row, "delivered_bytes"));
            let is_alone = flow["named"] == "true" && flow["group"].is_empty();
            let has_begun = number(flow, "start_s") < now;
            if !is_alone && has_begun && (gained > 0.0 || is_open(&row["flow"], now)) {
                payloads.entry(flow["group"].as_str()).or_default().push(gained * 8.0 / (now - last));
            }
        }
        for row in series.iter().filter(|row| row["time_s"] == at_sample[0]["time_s"]) {
            let name = match row["kind"].as_str() {
                "group" => row["name"].as_str(),
                "others" => "",
                _ => {
                    assert_eq!(row["flows"], "", "only several flows have quartiles: {row:?}");
                    continue;
                }
            };
            let mut own = payloads.remove(name).unwrap_or_default();
            own.sort_by(f64::total_cmp);
            assert_eq!(row["flows"], own.len().to_string(), "{row:?}");
            for (column, quarter) in [("lower_quartile_bps", 1), ("median_bps", 2), ("upper_quartile_bps", 3)]
            {
                match own.get((own.len() * quarter).div_ceil(4).saturating_sub(1)) {
                    Some(expected) => {
                        assert!((number(row, column) - expected).abs() < 1.0, "{row:?}: {own:?}");
                    }
                    None => assert_eq!(row[column], ""),
                }
            }
            compared += 1;
            none += u32::from(own.is_empty());
        }
        last = now;
    }
    assert!(compared > 20 && none > 0 && none < compared, "{compared} rows, {none} of them without a flow");
}

/// The printed tables have a column and a row for each group.
#[test]
fn groups_are_printed() {
    let printed = run().tables_within(110);
    let tables: Vec<_> = printed.split("\n\n").filter(|part| part.contains("contributors")).collect();
    assert!(tables.len() >= 4, "{printed}");
    assert!(printed.lines().any(|line| line.starts_with(" victims ")), "{printed}");
}
