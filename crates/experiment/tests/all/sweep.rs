//! Sweeps: rows, their order, faults with their places, and the collected table.
//!
//! Invariant: the table does not depend on threads or shards; seeds of traffic, paths and congestion control are apart.

use std::fs;
use std::path::{Path, PathBuf};

use experiment::store::BatchOptions;
use experiment::sweep::{Collected, Given, PlannedRun, Shard, SweepPlan, SweepRequest};
use experiment::{Store, Unit, UnitSeeds, plan};

fn scratch(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sweep").join(test);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a writable folder");
    folder
}

fn given(option: &'static str, texts: &[&str]) -> Vec<Given> {
    texts.iter().map(|text| Given::by_option(option, text)).collect()
}

fn request(vary: &[&str], seeds: &[&str]) -> SweepRequest {
    let mut request = SweepRequest::default();
    request.scenario = Some("one-flow".to_owned());
    request.set = given("--set", &["duration=200 us"]);
    request.vary = given("--vary", vary);
    request.seeds = given("--seeds", seeds);
    request
}

fn planned(request: &SweepRequest) -> SweepPlan {
    request.sweep().and_then(|sweep| sweep.identify()).unwrap_or_else(|fault| panic!("{fault}"))
}

/// Returns the settings and seeds of all runs, a line each.
fn rows(plan: &SweepPlan) -> Vec<String> {
    let row = |run: &PlannedRun| {
        let settings = run.settings.iter().map(|(path, value)| format!("{path}={value}"));
        let seeds = run.unit.seeds.given().map(|(path, seed)| format!("{path}={seed}"));
        settings.chain(seeds).collect::<Vec<_>>().join(" ")
    };
    plan.runs.iter().map(row).collect()
}

#[test]
fn axes_are_crossed_and_the_last_changes_fastest() {
    let mut request = request(&[], &["1..=2"]);
    // The flows of both scenarios begin by then.
    request.set = given("--set", &["duration=11 ms"]);
    request.variant = given("--variant", &["a: switch.latency=100 ns", "b: scenario=two-flows-one-link"]);
    request.zip = given("--zip", &["link.mtu=1 KiB,2 KiB; switch.buffer=16 KiB,32 KiB"]);
    let plan = planned(&request);
    assert_eq!(
        rows(&plan),
        [
            "variant=a link.mtu=1 KiB switch.buffer=16 KiB seed=1",
            "variant=a link.mtu=1 KiB switch.buffer=16 KiB seed=2",
            "variant=a link.mtu=2 KiB switch.buffer=32 KiB seed=1",
            "variant=a link.mtu=2 KiB switch.buffer=32 KiB seed=2",
            "variant=b link.mtu=1 KiB switch.buffer=16 KiB seed=1",
            "variant=b link.mtu=1 KiB switch.buffer=16 KiB seed=2",
            "variant=b link.mtu=2 KiB switch.buffer=32 KiB seed=1",
            "variant=b link.mtu=2 KiB switch.buffer=32 KiB seed=2",
        ]
    );
    assert!(plan.runs[4].name.starts_with("two-flows-one-link-seed1-"));
    assert!(plan.runs.iter().all(|run| run.unit.overrides[0] == "duration=11 ms"));
}

#[test]
fn a_sweep_file_has_the_syntax_of_the_options() {
    let folder = scratch("file");
    let text = r#"(
    scenario: "mine.ron",
    set: ["duration=200 us"],
    variants: {"schemes": [(name: "off", set: ["congestion_control=Off"]), (name: "other", scenario: "victim")]},
    vary: ["@schemes", "link.mtu=1 KiB,2 KiB"],
    seeds: ["traffic=3,4"],
)"#;
    let own = scenario::shipped().iter().find(|one| one.name == "one-flow").unwrap().text;
    fs::write(folder.join("mine.ron"), own).unwrap();
    fs::write(folder.join("s.ron"), text).unwrap();
    let request = SweepRequest::of_file(&folder.join("s.ron")).unwrap();
    let sweep = request.sweep().unwrap();
    assert_eq!(sweep.len(), 8);
    let fault = sweep.identify().unwrap_err().to_string();
    assert!(fault.contains("would start when the run is over"), "`victim` is longer than 200 us: {fault}");
    fs::write(folder.join("s.ron"), text.replace("victim", "two-flows-one-link").replace("200 us", "11 ms"))
        .unwrap();
    let plan = planned(&SweepRequest::of_file(&folder.join("s.ron")).unwrap());
    assert_eq!(rows(&plan)[5], "schemes=other link.mtu=1 KiB seeds.traffic=4");
    assert!(plan.runs[0].name.starts_with("mine-seed1-"));
}

/// Wrong entries of a sweep file, and the first line of the message.
const WRONG_FILES: [(&str, &str); 9] = [
    ("vary: [\"link.mtu=1 KiB,,2 KiB\"]", "s.ron:3:12: vary[0]: a value is empty"),
    ("vary: [\"link.mtu=1 KiB,3 KiB\"]", "s.ron:3:12: vary[0]: `link.mtu=3 KiB`: link.mtu: "),
    ("vary: [\"link.mtuu=1,2\"]", "s.ron:3:12: vary[0]: `link.mtuu=1`: link.mtuu: there is no field `mtuu`"),
    ("vary: [\"@schemes\"]", "s.ron:3:12: vary[0]: there are no variants `schemes`"),
    ("range: [\"duration=lin:1 ms..2 ms\"]", "s.ron:3:13: range[0]: the range has no number of values"),
    ("lhs: 4", "s.ron:3:10: lhs: a Latin hypercube needs a range"),
    ("seeds: [\"1..3\"]", "s.ron:3:13: seeds[0]: `1..3` is not a list of seeds"),
    ("varry: []", "s.ron:3:5: varry: there is no field `varry`"),
    ("set: [\"duration\"]", "s.ron:3:11: set[0]: `duration`: `=` is missing"),
];

#[test]
fn faults_of_a_sweep_file_have_their_place() {
    let folder = scratch("wrong");
    for (entry, message) in WRONG_FILES {
        fs::write(folder.join("s.ron"), format!("(\n    scenario: \"one-flow\",\n    {entry},\n)")).unwrap();
        let request = SweepRequest::of_file(&folder.join("s.ron"));
        let fault =
            request.and_then(|request| request.sweep()).and_then(|sweep| sweep.identify()).unwrap_err();
        assert!(fault.to_string().contains(message), "no `{message}` in {fault}");
        assert!(fault.faults().iter().all(|fault| fault.help.is_some()), "{fault}");
    }
}

#[test]
fn faults_of_options_name_the_option() {
    let fault =
        |request: &SweepRequest| request.sweep().and_then(|sweep| sweep.identify()).unwrap_err().to_string();
    let wrong = fault(&request(&["link.mtu=1 KiB,3 KiB,5 KiB"], &["1..=3"]));
    assert!(wrong.contains("error: --vary link.mtu=3 KiB:1:1: link.mtu: "), "{wrong}");
    assert!(wrong.contains("error: --vary link.mtu=5 KiB:1:1: link.mtu: "), "{wrong}");
    assert_eq!(wrong.matches("error: ").count(), 2, "each fault once, not for every seed: {wrong}");
    let wrong = fault(&request(&["seed=1,2"], &[]));
    assert!(wrong.starts_with("error: --vary seed=1,2: `seed` is a seed\nhelp: write `--seeds"), "{wrong}");
    let twice = fault(&request(&["link.mtu=1 KiB", "link.mtu=2 KiB"], &[]));
    assert!(twice.starts_with("error: --vary link.mtu=2 KiB: `link.mtu` is varied twice"), "{twice}");
    let many = fault(&request(&["link.mtu=1 KiB,2 KiB"], &["1..=900000"]));
    assert!(many.contains("the sweep has 2 x 900000 runs, more than 1000000"), "{many}");
    let none = fault(&SweepRequest::default());
    assert!(none.contains("no scenario is named"), "{none}");
}

#[test]
fn a_plan_is_read_as_it_was_written_or_not_at_all() {
    let folder = scratch("plan");
    let plan = planned(&request(&["link.mtu=1 KiB,2 KiB"], &["1..=2"]));
    let file = folder.join("sweep.jsonl");
    let text = plan.lines();
    let read = |text: &str| {
        fs::write(&file, text).unwrap();
        SweepPlan::read(&file)
    };
    assert_eq!(read(&text).unwrap(), plan);
    let lines: Vec<_> = text.lines().collect();
    let fault = |text: &str| read(text).unwrap_err().to_string();
    assert!(fault(&lines[..3].join("\n")).contains("sweep.jsonl: it holds 3 of 4 runs"));
    assert!(fault(&[lines[0], lines[2]].join("\n")).contains("sweep.jsonl:2:1: run 3 stands where run 2"));
    assert!(fault(&text[..text.len() - 20]).contains("sweep.jsonl:4:"));
    assert!(fault("").contains("it holds no run"));
    for name in [
        "../../thesis",
        "/tmp/thesis",
        "",
        "..",
        "a\ntouch x\n#",
        &format!("x/{}", plan.runs[1].name),
        &plan.runs[0].name,
    ] {
        let forged = text.replace(&plan.runs[1].name, &name.replace('\n', "\\n"));
        let said = fault(&forged);
        assert!(
            said.contains("sweep.jsonl:2:") && said.contains("is not the name of a run of this plan"),
            "{said}"
        );
    }
}

#[test]
fn two_shards_give_what_one_run_gives() {
    let plan = planned(&request(&["link.mtu=1 KiB,2 KiB"], &["1..=3"]));
    let run = |store: &Store, shards: &[&str]| {
        for shard in shards {
            let shard: Shard = shard.parse().unwrap();
            let units: Vec<_> = plan.part(shard).map(PlannedRun::unit).collect();
            assert_eq!(units.len(), 6 / shard.of);
            store.run(&units, &BatchOptions::default(), &|_| {}).unwrap();
        }
        let results: Vec<_> = plan.runs.iter().map(|run| store.result(&run.unit())).collect();
        Collected::of(&plan, &results, None)
    };
    let whole = run(&Store::open(&scratch("whole")), &["1/1"]);
    let halves = run(&Store::open(&scratch("halves")), &["2/2", "1/2"]);
    assert_eq!(whole.csv(), halves.csv());
    let csv = whole.csv();
    let header = csv.lines().next().unwrap();
    assert!(header.starts_with("run,link.mtu_bytes,seed,ended,lost_packets,"), "{header}");
    assert!(header.contains(",goodput(all)_bps,"), "{header}");
    assert!(csv.lines().nth(4).unwrap().starts_with("4,2048,1,complete,0,"), "{csv}");
    let half = Store::open(&scratch("half"));
    let partial = run(&half, &["1/2"]);
    assert_eq!(partial.csv().matches(",not_run,").count(), 3, "runs without a result have their rows");
    for wrong in ["0/2", "3/2", "1", "a/2", "1/0"] {
        assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
    }
}

/// Seeds of traffic change the traffic alone, seeds of ECMP the paths alone. All seeds alike equal a single seed.
#[test]
fn seeds_are_apart() {
    let of = |seeds: &[&str]| {
        let sets: Vec<_> = seeds.iter().map(|&one| one.to_owned()).collect();
        plan("roce400-leaf-spine", &sets, Some(1)).unwrap_or_else(|fault| panic!("{fault}"))
    };
    let (plain, traffic, ecmp) = (of(&[]), of(&["seeds.traffic=2"]), of(&["seeds.ecmp=2"]));
    let marking = of(&["seeds.marking=2"]);
    assert_ne!(plain.workload(), traffic.workload());
    assert_eq!(plain.routes(), traffic.routes());
    assert_eq!(plain.workload(), ecmp.workload());
    assert_ne!(plain.routes(), ecmp.routes());
    assert_eq!((plain.workload(), plain.routes()), (marking.workload(), marking.routes()));
    assert_eq!((plain.marking_seed(), marking.marking_seed()), (1, 2));
    let alike = of(&["seeds=(traffic: 1, ecmp: 1, marking: 1)"]);
    assert_eq!((alike.workload(), alike.routes()), (plain.workload(), plain.routes()));
    let seeds = UnitSeeds { marking: Some(9), ..UnitSeeds::of_run(4) };
    let unit = Unit { scenario: "one-flow".to_owned(), overrides: vec![], seeds, drain: false };
    assert_eq!(unit.plan().unwrap().marking_seed(), 9);
}
