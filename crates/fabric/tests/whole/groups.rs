//! Groups of flows: their members and their series, against the flows themselves.

use scenario::Plan;
use telemetry::{RunRecord, SeriesColumn};
use units::Bytes;

use crate::common::{run, shipped};

/// Returns the smallest victim with two groups of named flows, a group of a pattern, and a pattern without a name.
fn three_groups() -> Plan {
    let background = r#"Synthetic(name: "background", destinations: Shift(2), arrivals: Poisson(load: 0.05), size: Fixed("2 KiB"))"#;
    let traffic = format!(r#"traffic=[{background}, Permutation(at: "21 ms", bytes: "40 KiB")]"#);
    let sets = [
        "congestion_control=Off",
        "duration=\"25 ms\"",
        "flows.victim.group=\"victims\"",
        "flows.far.group=\"contributors\"",
        "flows.near.group=\"contributors\"",
        &traffic,
    ];
    shipped("victim", &sets)
}

/// Returns the payload that flows had delivered by the end of a phase.
fn delivered(record: &RunRecord, flows: &[usize], phase: usize) -> Bytes {
    flows.iter().map(|flow| record.delivered_by(*flow, record.phases[phase].to)).sum()
}

#[test]
fn flows_belong_to_the_groups_that_the_scenario_names() {
    let record = run(&three_groups());
    let names: Vec<_> = record.groups.iter().map(|group| group.name.as_str()).collect();
    assert_eq!(names, ["victims", "contributors", "background"]);
    let of = |flows: &[usize]| -> Vec<&str> { flows.iter().map(|flow| &*record.flows[*flow].name).collect() };
    let members = record.members();
    assert_eq!((of(&members[0]), of(&members[1])), (vec!["victim"], vec!["far", "near"]));
    assert_eq!(of(&members[2])[0], "background:H1->H3");
    assert_eq!(members[2].len(), 5);
    assert_eq!(record.others().count(), 5);
}

/// The samples of each column add up to the deliveries of its flows, at the end of every phase.
#[test]
fn a_group_delivers_what_its_flows_deliver() {
    let record = run(&three_groups());
    let series = &record.series;
    let mut columns = vec![
        (SeriesColumn::Others, record.others().collect::<Vec<_>>()),
        (SeriesColumn::Total, (0..record.flows.len()).collect()),
    ];
    columns.extend((0..).zip(record.members()).map(|(group, flows)| (SeriesColumn::Group(group), flows)));
    columns.extend((0..3).map(|flow| (SeriesColumn::Flow(flow), vec![flow as usize])));
    assert_eq!(columns.len(), series.columns.len());
    assert_eq!(record.phases.len(), 3, "{:?}", record.phases);
    for (column, flows) in columns {
        for (number, phase) in record.phases.iter().enumerate() {
            let samples = (phase.to.since_start().ps() / series.interval.ps()) as usize;
            let sampled: Bytes = series.values(column).take(samples).sum();
            assert_eq!(sampled, delivered(&record, &flows, number), "{column:?} {}", phase.name);
        }
        assert!(delivered(&record, &flows, 2) > Bytes::ZERO, "{column:?}");
    }
}

/// Groups are counted apart, and change nothing else.
#[test]
fn groups_change_no_digest() {
    let digest = |sets: &[&str]| run(&shipped("victim", &[&["duration=\"22 ms\""], sets].concat())).digest;
    assert_eq!(digest(&[]), digest(&["flows.victim.group=\"victims\"", "flows.far.group=\"contributors\""]));
}
