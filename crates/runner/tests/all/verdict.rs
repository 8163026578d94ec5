//! The verdict of a run, sentence by sentence, against the run's own files.
//!
//! Invariant: numbers are computed again from the CSV files of the same run, and advised commands are run.

use backwater::{FinishedRun, Simulation};
use measures::spelling::{Dimension, Zeros, spelled};

use crate::scratch::{Scratch, text};

/// A table of a run: its header, and its rows.
pub(crate) struct Table(Vec<Vec<String>>);

impl Table {
    pub(crate) fn of(run: &FinishedRun, name: &str) -> Self {
        let file = run.files().into_iter().find(|file| file.name == name);
        let file = file.unwrap_or_else(|| panic!("no {name}"));
        Self(file.contents.lines().map(cells).collect())
    }

    fn column(&self, name: &str) -> usize {
        self.0[0]
            .iter()
            .position(|column| column == name)
            .unwrap_or_else(|| panic!("no {name}: {:?}", self.0[0]))
    }

    /// Returns the cells of a column in rows that have these cells.
    fn cells(&self, column: &str, wanted: &[(&str, &str)]) -> Vec<&str> {
        let place = self.column(column);
        let wanted: Vec<_> = wanted.iter().map(|(name, cell)| (self.column(name), *cell)).collect();
        let rows = self.0[1..].iter().filter(|row| wanted.iter().all(|(place, cell)| row[*place] == *cell));
        rows.map(|row| row[place].as_str()).collect()
    }

    pub(crate) fn number(&self, column: &str, wanted: &[(&str, &str)]) -> f64 {
        self.numbers(column, wanted).last().copied().unwrap_or_else(|| panic!("no row with {wanted:?}"))
    }

    pub(crate) fn numbers(&self, column: &str, wanted: &[(&str, &str)]) -> Vec<f64> {
        let cells = self.cells(column, wanted);
        cells.iter().filter(|cell| !cell.is_empty()).map(|cell| cell.parse().expect("a number")).collect()
    }
}

/// Splits a line of CSV whose cells hold no quotes of their own.
fn cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut quoted = false;
    for letter in line.chars() {
        match letter {
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            letter => cells.last_mut().expect("a cell").push(letter),
        }
    }
    cells
}

pub(crate) fn run(scenario: &str, sets: &[&str]) -> FinishedRun {
    let mut simulation = Simulation::find(scenario).expect("it ships");
    for set in sets {
        simulation = simulation.set(set).expect("it can be set");
    }
    simulation.run().unwrap_or_else(|error| panic!("{scenario} {sets:?}: {error}"))
}

fn rate(bps: f64) -> String {
    spelled(bps, Dimension::Rate, Zeros::Dropped)
}

#[track_caller]
fn says(sentence: &str, part: &str) {
    assert!(sentence.contains(part), "`{part}` is not in: {sentence}");
}

#[track_caller]
fn is_silent(sentence: &str, part: &str) {
    assert!(!sentence.contains(part), "`{part}` is in: {sentence}");
}

/// Goodput of a named flow over the second half of the last phase.
fn goodput(run: &FinishedRun, flow: &str) -> f64 {
    let phases = Table::of(run, "phases.csv");
    let last = phases.cells("phase", &[]).last().expect("a phase").to_string();
    phases.number("second_half_goodput_bps", &[("phase", &last), ("kind", "flow"), ("name", flow)])
}

#[test]
fn a_victim_is_named_with_its_fair_share_and_the_root_of_others() {
    let run = run("victim", &["congestion_control=Off", "duration=30 ms"]);
    let verdict = &run.summary.verdict;
    let got = goodput(&run, "victim");
    says(&verdict.loss, &format!("victim got {} (fair share: ", rate(got)));
    // Its own rate in the first phase, alone, is its fair share: it crosses no full link.
    let phases = Table::of(&run, "phases.csv");
    let alone = phases.numbers("second_half_goodput_bps", &[("kind", "flow"), ("name", "victim")])[0];
    says(&verdict.loss, &format!("(fair share: {})", rate(alone)));
    for other in ["far got", "near got"] {
        is_silent(&verdict.loss, other);
    }
    let roots = Table::of(&run, "roots.csv");
    let root = [roots.cells("root_node", &[])[0], roots.cells("root_port", &[])[0]];
    says(&verdict.cause, &format!("{} port {} to H5", root[0], root[1]));
    says(&verdict.cause, "far 50 % and near 50 %");
    says(&verdict.confidence, "draws nothing at random");
    says(&verdict.advice, "congestion_control=Guideline");
}

#[test]
fn flows_that_congestion_control_holds_back_too_far_are_named_without_a_tree() {
    let run = run("victim", &["duration=30 ms"]);
    let verdict = &run.summary.verdict;
    assert_eq!(Table::of(&run, "roots.csv").0.len(), 1, "no root");
    is_silent(&verdict.loss, "victim got");
    let [far, near] = ["far", "near"].map(|flow| goodput(&run, flow));
    let alone = goodput(&run, "victim");
    for (flow, got) in [("far", far), ("near", near)] {
        says(&verdict.loss, &format!("{flow} got {} (fair share: {})", rate(got), rate(alone / 2.0)));
    }
    says(&verdict.cause, "No congestion tree: at none of 150 samples");
    // The payload of `victim`, alone, is all that a link of the same rate carries.
    says(&verdict.cause, &format!("S2 port 3 to H5 was used to {:.0} %", (far + near) / alone * 100.0));
    let becns = Table::of(&run, "flows.csv").number("received_becns", &[("flow", "far")]);
    says(&verdict.cause, &format!("{} notifications", results::format::grouped(becns as u64)));
    says(&verdict.confidence, "random draws: other seeds");
    let measure = verdict.measure.as_ref().expect("there is a loss");
    assert!(["goodput(far", "goodput(near"].iter().any(|one| measure.starts_with(one)), "{measure}");
    let sweep = format!("--vary congestion_control.marking.threshold=15,11,7,3 --maximise '{measure}'`");
    says(&verdict.advice, &sweep);
}

/// Packets that are sent again fill the link of h1. Its payload alone is less than half of that.
#[test]
fn a_link_full_of_repeats_is_not_called_half_used() {
    let in_order = ["adapter.delivery=InOrder", "adapter.recovery=GoBackN", "switch.selection=Random"];
    let run = run("paths-parking-lot", &[&in_order[..], &["duration=100 us"]].concat());
    let used = Table::of(&run, "ports.csv").number("utilisation", &[("peer", "h1")]);
    assert!(used > 0.95 && run.record.transport.retransmitted > 100, "{used}");
    is_silent(&run.summary.verdict.cause, "was used to");
}

/// Three cables, of which packets leave the slow one aside by load: even spreading would be a third of what they get.
#[test]
fn no_fair_share_is_told_where_packets_choose_cables_by_load() {
    let cable = |rate: &str| format!("(rate: \"{rate}\", propagation: Cable(\"20 m\"))");
    let cables = ["host", "slow"].map(|name| {
        let rate = if name == "slow" { "10 Gb/s" } else { "100 Gb/s" };
        format!("\"{name}\": {}", cable(rate))
    });
    let links = ["A to S", "B to T", "S to T", "S to T", "S to T slow"].map(|link| {
        let words: Vec<_> = link.split(' ').collect();
        format!(
            "(from: \"{}\", to: \"{}\", cable: \"{}\")",
            words[0],
            words[2],
            words.get(3).unwrap_or(&"host")
        )
    });
    let flow = |name: &str, from: &str, to: &str| {
        format!(
            "(name: \"{name}\", from: \"{from}\", to: \"{to}\", start: \"0 s\", message: \"16 KiB\", load: Saturate(outstanding: 4))"
        )
    };
    let fabric = [
        format!(
            "topology=Custom(hosts: [\"A\", \"B\"], switches: [\"S\", \"T\"], links: [{}])",
            links.join(", ")
        ),
        format!("cables={{{}}}", cables.join(", ")),
        "traffic=[]".to_owned(),
        "duration=200 us".to_owned(),
    ];
    let run = |selector: &str, flows: &[String]| {
        let (selection, flows) =
            (format!("switch.selection={selector}"), format!("flows=[{}]", flows.join(", ")));
        let sets: Vec<_> = fabric.iter().chain([&selection, &flows]).map(String::as_str).collect();
        run("paths-incast", &sets)
    };
    let both = [flow("a", "A", "B"), flow("b", "B", "A")];
    let by_load = run("LeastLoaded", &both);
    is_silent(&by_load.summary.verdict.loss, "of its fair share");
    says(&by_load.summary.verdict.loss, "fair shares are not known where packets choose cables by load");
    let even = run("RoundRobin", &both);
    is_silent(&even.summary.verdict.loss, "not known");
    // By turns the slow cable holds a flow to three times that cable's rate.
    says(&even.summary.verdict.loss, "(fair share: 29");
    assert!(
        goodput(&even, "a") < 31e9 && goodput(&by_load, "a") > 31e9,
        "{} {}",
        goodput(&even, "a"),
        goodput(&by_load, "a")
    );
}

#[test]
fn a_slow_receiver_is_the_cause_and_its_victims_are_counted() {
    let run = run("hdr-fat-tree-slow-receiver", &["duration=400 us"]);
    let verdict = &run.summary.verdict;
    let victims = Table::of(&run, "victims.csv");
    let of_background = victims.cells("flow", &[]);
    let mut of_background: Vec<_> =
        of_background.into_iter().filter(|flow| flow.starts_with("background")).collect();
    of_background.sort_unstable();
    of_background.dedup();
    says(
        &verdict.loss,
        &format!("{} flows of background waited", results::format::grouped(of_background.len() as u64)),
    );
    says(&verdict.cause, "leaf1 port 1 to h1");
    says(&verdict.cause, "host h1 takes 100 Gb/s of payload, less than its link of 200 Gb/s brings");
    let waited: f64 = victims.numbers("waited_s", &[]).iter().sum();
    let named = victims.numbers("waited_s", &[("flow", "victim")]).iter().sum::<f64>();
    let told = [waited, waited - named].map(|time| spelled(time, Dimension::Time, Zeros::Dropped));
    assert!(
        told.iter().any(|time| verdict.loss.contains(&format!("waited {time} in all"))),
        "{told:?} {verdict}"
    );
}

/// Its rate is still cut when the tree has gone: the cause is told for the time in which the loss was measured.
#[test]
fn a_victim_beside_traffic_of_patterns_is_held_against_its_rate_alone() {
    let run = run("roce400-leaf-spine", &[]);
    let verdict = &run.summary.verdict;
    says(&verdict.loss, &format!("victim got {} (50 Gb/s alone)", rate(goodput(&run, "victim"))));
    let last_tree = Table::of(&run, "roots.csv").numbers("to_s", &[]).into_iter().fold(0.0, f64::max);
    let second_half = Table::of(&run, "phases.csv").number("second_half_s", &[]);
    assert!(last_tree < second_half, "{last_tree} {second_half}");
    let becns = Table::of(&run, "flows.csv").number("received_becns", &[("flow", "victim")]);
    let becns = results::format::grouped(becns as u64);
    says(&verdict.cause, &format!("on victim waited in no tree: {becns} notifications had cut its rate"));
}

#[test]
fn a_fabric_that_drops_says_so_first_and_the_advised_headroom_loses_nothing() {
    let few = "link.flow_control.headroom=\"2 KB\"";
    let run = run("roce-victim", &[few]);
    let verdict = &run.summary.verdict;
    let ports = Table::of(&run, "ports.csv");
    let dropped: f64 = ["dropped_at_input_packets", "dropped_at_output_packets"]
        .iter()
        .map(|column| ports.numbers(column, &[]).iter().sum::<f64>())
        .sum();
    let dropped = results::format::grouped(dropped as u64);
    assert!(
        verdict.loss.starts_with(&format!("NOT LOSSLESS: {dropped} packets dropped at ")),
        "{}",
        verdict.loss
    );
    says(&verdict.loss, "headroom 2,000 B of 7,906 B needed");
    says(&verdict.cause, "the headroom is too small for the cable");
    let scratch = Scratch::new("verdict-headroom");
    let first = scratch.run(&["sim", "roce-victim", "--set", few, "--out", "o", "--force"]);
    assert_eq!(first.status.code(), Some(7));
    let command = advised(&text(&first.stdout));
    let again = rerun(&scratch, &command);
    assert_eq!(again.status.code(), Some(0), "{command}: {}", text(&again.stderr));
}

#[test]
fn a_run_without_traffic_says_that_nothing_was_sent() {
    let run = run("one-flow", &["flows=[]"]);
    let verdict = &run.summary.verdict;
    says(&verdict.loss, "Nothing was sent");
    says(&verdict.advice, "`backwater check plan.ron`");
}

#[test]
fn a_closed_loop_is_held_against_its_links() {
    let traffic = "traffic=[Synthetic(name: Some(\"a2a\"), group: Some(\"job\"), destinations: AllToAll, \
                   arrivals: Closed(outstanding: 1), size: Fixed(\"64 KiB\"))]";
    let run = run("bench-a32", &[traffic, "duration=1 ms", "completions=Kept"]);
    let verdict = &run.summary.verdict;
    let phases = Table::of(&run, "phases.csv");
    let got = phases.number("second_half_goodput_bps", &[("kind", "group"), ("name", "job")]);
    says(
        &verdict.loss,
        &format!("a2a moved {} of the 3.2 Tb/s that the links of its 32 hosts carry", rate(got)),
    );
    says(&verdict.loss, "closed loop");
    is_silent(&verdict.loss, "as long as on the empty fabric");
}

/// A scenario whose plan draws nothing has one digest; one that draws has others, in these cases.
#[test]
fn seeds_change_runs_with_random_draws_and_no_others() {
    let cases: [(&str, &[&str], bool); 9] = [
        ("ring-all-reduce", &[], true),
        ("ring-all-reduce", &["jobs[1].compute_noise=None"], false),
        ("victim", &["congestion_control=Off", "duration=25 ms"], false),
        ("victim", &["duration=25 ms"], true),
        ("ring", &["duration=1 ms"], false),
        ("roce-victim", &["duration=4 ms"], false),
        ("one-flow", &["duration=1 ms"], false),
        ("bench-a32", &["duration=2 ms", "traffic[0].until=2 ms"], true),
        ("hp2001-window-only", &["duration=1 ms"], true),
    ];
    for (scenario, sets, draws) in cases {
        let digest = |seed: &str| run(scenario, &[sets, &[seed]].concat()).summary.digest;
        let first = run(scenario, sets);
        assert_eq!(digest("seed=1") != digest("seed=2"), draws, "{scenario} {sets:?}");
        assert_eq!(first.summary.verdict.confidence.contains("draws nothing"), !draws, "{scenario} {sets:?}");
    }
}

/// Every advised command is one that the program takes.
#[test]
fn advised_commands_run() {
    let alone = "traffic=[Incast(at: \"0 us\", to: \"h1\", senders: 8, bytes: \"256 KiB\")]";
    let cases: [(&str, &[&str]); 8] = [
        ("roce-victim", &["link.flow_control=Lossy", "duration=4 ms"]),
        ("bench-a32", &[KEPT, STUCK, alone, "duration=100 us"]),
        ("victim", &["congestion_control=Off", "duration=25 ms"]),
        ("victim", &["duration=25 ms"]),
        ("one-flow", &["duration=1 ms"]),
        ("roce-victim", &["duration=4 ms"]),
        ("two-flows-one-link", &["duration=12 ms"]),
        (
            "bench-a32",
            &[
                "switch.buffering=InputFifo",
                "duration=500 us",
                "traffic[0].until=400 us",
                "traffic[1].at=100 us",
            ],
        ),
    ];
    for (number, (scenario, sets)) in cases.into_iter().enumerate() {
        let scratch = Scratch::new(&format!("advised-{number}"));
        let sets: Vec<_> = sets.iter().flat_map(|set| ["--set", set]).collect();
        let first = scratch.run(&[&["sim", scenario, "--out", "o"], sets.as_slice()].concat());
        assert_eq!(first.status.code(), Some(0), "{scenario}: {}", text(&first.stderr));
        let command = advised(&text(&first.stdout));
        let again = rerun(&scratch, &command);
        assert_eq!(again.status.code(), Some(0), "{command}: {}", text(&again.stderr));
        // The first thing that the program prints is the verdict, and it is not torn.
        let printed = text(&first.stdout);
        assert!(printed.starts_with("Lost      "), "{printed}");
        assert!(
            printed.lines().any(|line| line.trim() == command),
            "{command} is not on a line of: {printed}"
        );
        assert!(printed.lines().count() <= 45, "{} lines: {printed}", printed.lines().count());
    }
}

/// Runs a command as it stands, with a folder of its own for results.
pub(crate) fn rerun(scratch: &Scratch, command: &str) -> std::process::Output {
    let words = words(command);
    let mut words: Vec<_> = words.iter().map(String::as_str).collect();
    assert_eq!(words[0], "backwater");
    if words[1] != "check" {
        words.extend(["--out", "p"]);
    }
    scratch.run(&words[1..])
}

/// Returns the command that a run advises, from its output.
pub(crate) fn advised(printed: &str) -> String {
    let mut lines = printed.lines().skip_while(|line| !line.starts_with("Try"));
    let command = lines.find(|line| line.trim_start().starts_with("backwater ")).expect("a command");
    command.trim().to_owned()
}

/// Splits a command as a shell does, whose quotes are single ones.
pub(crate) fn words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for letter in command.chars() {
        match letter {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            letter => words.last_mut().expect("a word").push(letter),
        }
    }
    words
}

#[test]
fn a_deadlock_has_a_verdict_too() {
    let scratch = Scratch::new("verdict-deadlock");
    let sets = ["--set", "routing=MinHop", "--set", "dependency_cycles=Allowed"];
    let run = scratch.run(&[&["sim", "ring", "--out", "o"], &sets[..]].concat());
    assert_eq!(run.status.code(), Some(4));
    let (printed, failure) = (text(&run.stdout), text(&run.stderr));
    assert!(printed.starts_with("Lost      DEADLOCK: "), "{printed}");
    let stuck = failure.lines().find(|line| line.contains("outputs stand still")).expect("a count");
    let stuck = stuck.split(' ').next().expect("a number");
    says(&printed, &format!("{stuck} outputs"));
    let command = printed.lines().last().expect("a command").trim().to_owned();
    let again = rerun(&scratch, &command);
    assert_eq!(again.status.code(), Some(0), "{command}: {}", text(&again.stderr));
}

/// Keeps completion times, which a benchmark does not.
const KEPT: &str = "completions=Kept";
/// A receiver that takes next to nothing.
const STUCK: &str = "adapters={\"h1\": (drain_limit: \"1 Mb/s\")}";

/// Runs that lose something that no rate of a flow shows: dropped packets, messages that never arrive, idle hosts.
/// Each sentence is made again from the files of the run.
#[test]
fn whatever_a_run_loses_is_told() {
    let alone = "traffic=[Incast(at: \"0 us\", to: \"h1\", senders: 8, bytes: \"256 KiB\")]";
    let beside = "traffic=[Poisson(name: \"bg\", load: 0.3, from: \"0 us\", until: \"80 us\", message: \"64 KiB\"), \
                  Incast(at: \"0 us\", to: \"h1\", senders: 20, bytes: \"512 KiB\")]";
    let unreliable = "flows[0].transport=Uc";
    let cases: [(&str, &[&str]); 8] = [
        ("victim", &["congestion_control=Off", "duration=25 ms"]),
        ("roce-victim", &["link.flow_control=Lossy"]),
        ("roce-victim", &["link.flow_control=Lossy", unreliable]),
        ("roce-victim", &["link.flow_control=Lossy", "congestion_control=Dcqcn()"]),
        ("bench-a32", &[KEPT, STUCK, alone, "duration=100 us"]),
        ("bench-a32", &[KEPT, STUCK, beside, "duration=100 us"]),
        ("bench-a32", &[KEPT, STUCK, beside, "duration=100 us", "congestion_control=Off"]),
        ("hp2001-noncompliant", &[]),
    ];
    for (scenario, sets) in cases {
        let run = run(scenario, sets);
        let (summary, lost) = (&run.summary, &run.summary.verdict.loss);
        let grouped = results::format::grouped;
        let (dropped, resent) = (summary.dropped_packets, summary.transport.retransmitted_packets);
        assert_eq!(
            dropped > 0,
            lost.contains(&format!("{} packets were dropped", grouped(dropped))),
            "{lost}"
        );
        assert_eq!(
            resent > 0,
            lost.contains(&format!("{} were sent again", grouped(resent)))
                || lost.contains(&format!("{} packets were sent again", grouped(resent))),
            "{lost}"
        );
        if let Some(slow) = summary.slow_hosts.first() {
            let fct = Table::of(&run, "fct.csv");
            let to_host = fct.cells("completed_s", &[("dst", &slow.host)]);
            assert!(to_host.iter().all(|cell| cell.is_empty()), "{to_host:?}");
            let incast = to_host.len().min(if sets.contains(&alone) { 8 } else { 20 });
            says(lost, &format!("None of {incast} messages of incast "));
            says(lost, "h1 takes 1 Mb/s at most");
            says(&summary.verdict.cause, "h1 takes");
            is_silent(&summary.verdict.cause, "which 0 flows");
            is_silent(lost, "Nothing");
        }
        if summary.completions.as_ref().is_some_and(|all| all.excluded_messages > 0) {
            says(&summary.verdict.confidence, "are not counted: packets were lost");
        }
    }
}

/// The payload that trees cost a flow with messages of its own times is at most the payload that it posted.
#[test]
fn no_flow_loses_more_than_it_posted() {
    let listed = "traffic=[Poisson(name: \"bg\", load: 0.3, from: \"0 us\", until: \"250 us\", message: \"16 KiB\"), \
                  Incast(at: \"20 us\", to: \"h1\", senders: 24, bytes: \"512 KiB\")]";
    let cases: [(&str, &[&str]); 2] = [
        ("bench-a32", &[listed, "duration=300 us", "congestion_control=Off", "completions=Kept"]),
        ("hdr-fat-tree-slow-receiver", &["duration=400 us"]),
    ];
    for (scenario, sets) in cases {
        let run = run(scenario, sets);
        let (victims, fct) = (Table::of(&run, "victims.csv"), Table::of(&run, "fct.csv"));
        let mut flows = victims.cells("flow", &[]);
        assert!(!flows.is_empty(), "{scenario} has no victim");
        flows.sort_unstable();
        flows.dedup();
        // A flow that keeps messages outstanding would have posted more.
        for flow in flows.into_iter().filter(|flow| *flow != "victim") {
            let lost: f64 = victims.numbers("lost_bytes", &[("flow", flow)]).iter().sum();
            let posted: f64 = fct.numbers("size_bytes", &[("flow", flow)]).iter().sum();
            assert!(lost <= posted, "{scenario}: {flow} lost {lost} of {posted}");
        }
        let roots: f64 = Table::of(&run, "roots.csv").numbers("lost_bytes", &[]).iter().sum();
        assert_eq!(roots, victims.numbers("lost_bytes", &[]).iter().sum::<f64>(), "{scenario}");
    }
}

/// Flows to a host that takes all that its limit allows share that limit.
#[test]
fn a_host_that_takes_all_it_can_is_full() {
    let run = run("gran2011-scenario1-roce", &["duration=480 ms"]);
    let verdict = &run.summary.verdict;
    says(&verdict.cause, "Host H5 takes 13.2 Gb/s of payload at most");
    says(&verdict.cause, "Host H5 is full");
    is_silent(&verdict.cause, "than the link needs");
}

/// Few unfinished messages of a flow may be most of its own.
#[test]
fn an_unfinished_message_that_changes_a_quantile_of_its_flow_is_a_doubt() {
    let run = run("victim", &["congestion_control=Off"]);
    is_silent(&run.summary.verdict.confidence, "too few to change a quantile");
    says(&run.summary.verdict.confidence, "quantiles that they could change are bounds");
}

/// A trunk of 3 km has a quarter of the buffer that it needs. It is named beside the worst root, which is another output,
/// and the advised buffer frees the trunk; a trunk of 2 m has all that it needs.
#[test]
fn a_buffer_too_small_for_a_trunk_is_named_beside_a_tree() {
    let short = ["duration=6 ms", "flows.far.start=1 ms", "flows.near.start=2 ms", "congestion_control=Off"];
    let with = |more: &[&str]| run("victim", &[&short[..], more].concat());
    let trunk = "cables.trunk.propagation=Cable(\"3 km\")";
    let long = with(&[trunk]);
    let verdict = &long.summary.verdict;
    says(&verdict.cause, "The worst of 2 roots of congestion is S2 port 3 to H5");
    let at_most = "S1 port 3 to S2 carries at most 8.53 Gb/s of 32 Gb/s, since credits return too late: the buffer at S2 has 32.8 KB";
    says(&verdict.cause, at_most);
    assert!(goodput(&long, "victim") + goodput(&long, "far") < 8.53e9, "it carries no more");
    says(&verdict.advice, "The run with a buffer for the round trip of a credit, 121 KiB");
    let mended = with(&[trunk, "switch.buffer=121 KiB"]);
    is_silent(&mended.summary.verdict.cause, "since credits return too late");
    assert!(goodput(&mended, "victim") + goodput(&mended, "far") > 8.53e9);
    is_silent(&with(&[]).summary.verdict.cause, "since credits return too late");
}
