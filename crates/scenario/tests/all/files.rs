//! Files beside a scenario: they are read from its folder, after overrides too, and from nowhere else.

use std::fs;
use std::path::Path;

use scenario::{Plan, Scenario, ScenarioText};
use units::Time;

const SIZES: &str = "0 0\n1000 20\n10000 100\n";
const FLOWS: &str = "1\n0 2 3 100 5000 0.000001\n";

fn plan(source: ScenarioText) -> Result<Plan, String> {
    let traffic = "traffic=[Synthetic(destinations: Uniform, arrivals: Poisson(load: 0.1), size: Cdf(\"sizes.txt\")), \
                   FlowList(file: \"flow.txt\")]";
    let mut source = source;
    for set in ["duration=\"1 ms\"", "sample=\"100 us\"", "flows=[]", traffic] {
        source.set(set).map_err(|diagnostic| diagnostic.to_string())?;
    }
    let read = Scenario::read(&source).and_then(|scenario| scenario.check(&source));
    read.map_err(|diagnostic| diagnostic.to_string())
}

#[test]
fn files_lie_beside_the_scenario() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("beside");
    fs::create_dir_all(&folder).expect("a writable folder");
    let text = scenario::shipped().iter().find(|known| known.name == "victim").expect("it ships").text;
    for (name, text) in [("mine.ron", text), ("sizes.txt", SIZES), ("flow.txt", FLOWS)] {
        fs::write(folder.join(name), text).expect("a writable folder");
    }
    let found = plan(ScenarioText::find(&folder.join("mine.ron").to_string_lossy()).expect("it is there"))
        .unwrap_or_else(|said| panic!("{said}"));
    let flows = &found.workload().flows;
    let list = flows.iter().filter(|flow| flow.name.starts_with("flow-list:1:")).count();
    assert_eq!((list, flows.len() > 2), (1, true));
    // The resolved text with its files gives the same plan.
    let again = Path::new(env!("CARGO_TARGET_TMPDIR")).join("again");
    fs::create_dir_all(&again).expect("a writable folder");
    for (name, text) in found.files() {
        fs::write(again.join(name), text).expect("a writable folder");
    }
    let source = ScenarioText::new("mine.ron", &found.resolved()).beside(&again);
    let same = Scenario::read(&source).and_then(|scenario| scenario.check(&source));
    assert!(same.unwrap_or_else(|said| panic!("{said}")) == found);
    let mut traffic = found.workload().host_traffic.clone();
    let sizes = traffic.iter_mut().flat_map(|host| {
        core::iter::from_fn(|| host.on_deadline(Time::from_ps(u64::MAX - 1))).map(|post| post.bytes.get())
    });
    let sizes: Vec<u64> = sizes.collect();
    assert!(sizes.iter().all(|size| (1..=10_000).contains(size)) && sizes.len() > 10);
    // A shipped scenario has no folder, so it reads no file of the present folder.
    let said = plan(ScenarioText::find("victim").expect("it ships")).expect_err("nothing lies beside it");
    assert!(said.contains("there is no file `sizes.txt` beside the scenario"), "{said}");
}

/// The files of some editors: a byte order mark at the beginning, and carriage returns.
#[test]
fn byte_order_marks_and_carriage_returns_are_accepted() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("marked");
    fs::create_dir_all(&folder).expect("a writable folder");
    let text = scenario::shipped().iter().find(|known| known.name == "victim").expect("it ships").text;
    for (name, text) in [("victim.ron", text), ("sizes.txt", SIZES), ("flow.txt", FLOWS)] {
        fs::write(folder.join(name), format!("\u{feff}{}", text.replace('\n', "\r\n")))
            .expect("a writable folder");
    }
    let found = plan(ScenarioText::find(&folder.join("victim.ron").to_string_lossy()).expect("it is there"));
    assert_eq!(found.unwrap_or_else(|said| panic!("{said}")).files().len(), 2);
    let said = ScenarioText::find(&folder.to_string_lossy()).expect_err("it is none").to_string();
    assert!(said.contains("this is a folder"), "{said}");
}

/// A fabric and its flows from HPCC's files, whose hosts have the same numbers in both, although a switch precedes them.
#[test]
fn a_topology_file_is_read_beside_the_scenario() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("hpcc");
    fs::create_dir_all(&folder).expect("a writable folder");
    let links = "0 1 100Gbps 1us 0\n2 1 100Gbps 1us 0\n3 1 25Gbps 1us 0\n4 1 25Gbps 1us 0\n";
    let text = scenario::shipped().iter().find(|known| known.name == "victim").expect("it ships").text;
    let files =
        [("mine.ron", text), ("flow.txt", FLOWS), ("topology.txt", &format!("5 1 4\n1\n{links}") as &str)];
    for (name, text) in files {
        fs::write(folder.join(name), text).expect("a writable folder");
    }
    let mut source = ScenarioText::find(&folder.join("mine.ron").to_string_lossy()).expect("it is there");
    let sets = [
        "duration=\"1 ms\"",
        "sample=\"100 us\"",
        "flows=[]",
        "cables={}",
        "congestion_control=Off",
        "topology=HpccFile(\"topology.txt\")",
        "traffic=[FlowList(file: \"flow.txt\")]",
    ];
    for set in sets {
        source.set(set).unwrap_or_else(|said| panic!("{said}"));
    }
    let read = Scenario::read(&source).and_then(|scenario| scenario.check(&source));
    let plan = read.unwrap_or_else(|said| panic!("{said}"));
    let graph = plan.graph();
    assert_eq!(graph.names().collect::<Vec<_>>(), ["h0", "h2", "h3", "h4", "s1"]);
    let rates: Vec<_> = graph.ports(graph.find("s1").expect("it is there")).iter().collect();
    let rates: Vec<_> = rates.iter().map(|end| plan.cable(end.cable).rate).collect();
    assert_eq!(rates, [100, 100, 25, 25].map(units::Rate::gbps));
    assert_eq!(*plan.workload().flows[0].name, *"flow-list:1:h0->h2");
    assert!(plan.resolved().contains("host_prefix"));
    // The resolved text does not need the fabric's file.
    assert!(plan.resolved().contains("\"25 Gb/s, 1 us\""));
    assert_eq!(plan.files().keys().collect::<Vec<_>>(), ["flow.txt"]);
}

/// Files may lie in folders below the scenario's, and have any ending. None is read from elsewhere, though it be there.
#[test]
fn files_may_lie_in_folders_below() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("below");
    fs::create_dir_all(folder.join("mine/traces/web")).expect("a writable folder");
    let text = scenario::shipped().iter().find(|known| known.name == "victim").expect("it ships").text;
    for (name, text) in [("mine/mine.ron", text), ("mine/traces/web/sizes.csv", SIZES), ("sizes.csv", SIZES)]
    {
        fs::write(folder.join(name), text).expect("a writable folder");
    }
    let found = |name: &str| {
        let mut source =
            ScenarioText::find(&folder.join("mine/mine.ron").to_string_lossy()).expect("it is there");
        let traffic = format!(
            "traffic=[Synthetic(destinations: Uniform, arrivals: Poisson(load: 0.1), size: Cdf({name:?}))]"
        );
        for set in ["duration=\"1 ms\"", "sample=\"100 us\"", "flows=[]", &traffic] {
            source.set(set).unwrap_or_else(|said| panic!("{said}"));
        }
        let plan = Scenario::read(&source).and_then(|scenario| scenario.check(&source));
        plan.map(|plan| plan.files().clone()).map_err(|said| said.to_string())
    };
    let files = found("traces/web/sizes.csv").unwrap_or_else(|said| panic!("{said}"));
    assert_eq!(
        files.into_iter().collect::<Vec<_>>(),
        [("traces/web/sizes.csv".to_owned(), SIZES.to_owned())]
    );
    let absolute = folder.join("sizes.csv").to_string_lossy().into_owned();
    for name in ["../sizes.csv", "traces/../../sizes.csv", &absolute] {
        let said = found(name).expect_err("it lies elsewhere");
        assert!(said.contains("is not the name of a file in the scenario's folder"), "{said}");
    }
}
