//! Connection matrices with triggers become jobs: local triggers exactly, others with their place, in the order of the
//! file. Times are those of a replay with messages that each take 10 us, and 11 us until they are acknowledged.

use interop::import::{self, ImportedScenario, KeyFate, SourceText};
use scenario::{Scenario, ScenarioText};
use simulators::htsim::{self, HtsimProgram};
use units::Span;
use workload::job::Programs;
use workload::job::goal::read_text;
use workload::job::ideal::{IdealMessage, replay};

const TOPO: &str = include_str!("../../../../fixtures/import/fat_tree.topo");

/// Returns the matrix of these lines: connections, then triggers.
fn matrix(lines: &[&str]) -> String {
    let triggers = lines.iter().filter(|line| line.starts_with("trigger")).count();
    let connections = lines.len() - triggers;
    format!("Nodes 16\nConnections {connections}\nTriggers {triggers}\n{}\n", lines.join("\n"))
}

fn import_for(lines: &[&str], program: Option<HtsimProgram>) -> Result<ImportedScenario, String> {
    let topo = SourceText { name: "fat_tree.topo", text: TOPO };
    let text = matrix(lines);
    htsim::read(topo, SourceText { name: "job.cm", text: &text }, program).map_err(|said| said.to_string())
}

fn read(lines: &[&str]) -> ImportedScenario {
    let imported = import_for(lines, Some(HtsimProgram::Uet)).unwrap_or_else(|said| panic!("{said}"));
    // Every import is a scenario that runs.
    let source = ScenarioText::new("job.ron", &imported.scenario).with_files(imported.files.clone());
    let checked = Scenario::read(&source).and_then(|scenario| scenario.check(&source));
    assert_eq!(
        checked.unwrap_or_else(|said| panic!("{said}\n{}", imported.scenario)).workload().jobs.len(),
        1
    );
    imported
}

fn programs(imported: &ImportedScenario) -> Programs {
    let unit =
        if imported.scenario.contains("calc_unit: \"1 ps\"") { Span::from_ps(1) } else { Span::from_ns(1) };
    read_text(imported.files[0].1.as_bytes(), unit).expect("it was written so").programs
}

/// Returns the ends of all ranks, in us.
fn ends(imported: &ImportedScenario) -> Vec<u64> {
    let message = IdealMessage {
        delivered: Span::from_us(10),
        completed: Span::from_us(11),
        ..IdealMessage::default()
    };
    let replayed = replay(&programs(imported), |_, _, _| message).expect("the job ends");
    replayed.ends.iter().map(|end| end.since_start().ps() / 1_000_000).collect()
}

fn completion(imported: &ImportedScenario) -> u64 {
    ends(imported).into_iter().max().unwrap_or(0)
}

/// Returns the changes of an import, without their excerpts.
fn changes(imported: &ImportedScenario) -> Vec<String> {
    let said = import::changes(&imported.account, "").map(|said| said.to_string()).unwrap_or_default();
    said.lines().filter_map(|line| line.strip_prefix("error: ").map(str::to_owned)).collect()
}

/// The sender waits for its acknowledgement, the receiver for the arrival.
#[test]
fn triggers_at_one_host_are_exact() {
    for (second, us) in [("0->2 id 2 trigger 1 size 9", 22), ("1->2 id 2 trigger 2 size 9", 21)] {
        let both = "0->1 id 1 start 0 size 9 send_done_trigger 1 recv_done_trigger 2";
        let imported = read(&[both, second, "trigger id 1 oneshot", "trigger id 2 multishot"]);
        assert_eq!(completion(&imported), us, "{second}");
        assert_eq!(changes(&imported), [] as [&str; 0], "{second}");
        assert!(imported.account.iter().any(|entry| entry.key == "trigger id" && entry.given == "1"));
    }
}

#[test]
fn triggers_between_hosts_are_approximated_and_said() {
    for (first, second, us, said) in [
        ("send", "1->2", 21, "job.cm:5:1: send_done_trigger: starts at the receiver come with the arrival"),
        (
            "recv",
            "0->2",
            22,
            "job.cm:5:1: recv_done_trigger: starts at the sender come with the last acknowledgement",
        ),
        (
            "send",
            "3->2",
            32,
            "job.cm:5:1: trigger (at a third host): triggers between other hosts are messages of 0",
        ),
        (
            "recv",
            "3->2",
            31,
            "job.cm:5:1: trigger (at a third host): triggers between other hosts are messages of 0",
        ),
    ] {
        let first = format!("0->1 id 1 start 0 size 9 {first}_done_trigger 1");
        let second = format!("{second} id 2 trigger 1 size 9");
        let imported = read(&[&first, &second, "trigger id 1 oneshot"]);
        assert_eq!(completion(&imported), us, "{second}");
        let [only] = &changes(&imported)[..] else { panic!("{:?}", changes(&imported)) };
        assert!(only.starts_with(said), "{only}");
    }
}

/// A barrier at one host is exact; over hosts, its first connection's host collects, and tells the others.
#[test]
fn barriers_wait_for_all_their_ends() {
    let fires =
        |pair: &str, id: u32, at: u32| format!("{pair} id {id} start {at} size 9 send_done_trigger 1");
    let local = [fires("0->1", 1, 0), fires("0->2", 2, 7), "0->3 id 3 trigger 1 size 9".to_owned()];
    let barrier = "trigger id 1 barrier count 2";
    let local = read(&[&local[0], &local[1], &local[2], barrier]);
    assert_eq!((completion(&local), changes(&local).len()), (7 + 22, 0));
    let spread = [fires("0->1", 1, 0), fires("4->5", 2, 7)];
    let imported =
        read(&[&spread[0], &spread[1], "0->3 id 3 trigger 1 size 9", "6->3 id 4 trigger 1 size 9", barrier]);
    // The acknowledgement at host 4, the signal to host 0, the signal to host 6, and the connection.
    assert_eq!(completion(&imported), 7 + 11 + 10 + 10 + 11);
    let [only] = &changes(&imported)[..] else { panic!("{:?}", changes(&imported)) };
    assert!(only.starts_with("job.cm:6:1: trigger (at a third host)"), "{only}");
    for (count, words) in
        [(1, "this is a barrier of 1, fired by 2 ends"), (3, "this is a barrier of 3, fired by 2 ends")]
    {
        let barrier = format!("trigger id 1 barrier count {count}");
        let said = import_for(&[&spread[0], &spread[1], "0->3 id 3 trigger 1 size 9", &barrier], None);
        assert!(
            said.as_ref().is_err_and(|said| said.starts_with(&format!("error: job.cm:7:1: {words}"))),
            "{said:?}"
        );
    }
}

/// A trigger that fires more than once starts a connection each time. If its ends follow each other, the file's order
/// is theirs.
#[test]
fn multishots_start_one_connection_at_each_end() {
    let serial = [
        "0->1 id 1 start 0 size 9 send_done_trigger 1",
        "0->2 id 2 trigger 1 size 9 send_done_trigger 1",
        "0->3 id 3 trigger 1 size 9 send_done_trigger 1",
        "trigger id 1 multishot",
    ];
    let imported = read(&serial);
    assert_eq!((completion(&imported), changes(&imported).len()), (33, 0));
    // Two at a time, as `gen_serialn_alltoall.py` has them.
    let two = [
        "0->1 id 1 start 0 size 9 send_done_trigger 1",
        "0->2 id 2 start 5 size 9 send_done_trigger 1",
        "0->3 id 3 trigger 1 size 9 send_done_trigger 1",
        "0->4 id 4 trigger 1 size 9 send_done_trigger 1",
        "trigger id 1 multishot",
    ];
    let imported = read(&two);
    assert_eq!(completion(&imported), 5 + 22);
    let [only] = &changes(&imported)[..] else { panic!("{:?}", changes(&imported)) };
    assert!(only.starts_with("job.cm:6:1: multishot: the n-th connection waits for the n-th"), "{only}");
    let said = import_for(
        &[serial[0], serial[1], "0->3 id 3 trigger 1 size 9", "0->4 id 4 trigger 1 size 9", serial[3]],
        None,
    );
    let words = "error: job.cm:7:1: trigger 1 starts this connection, and fires 2 times";
    assert!(said.as_ref().is_err_and(|said| said.starts_with(words)), "{said:?}");
}

/// Chains that do not wait for each other have ranks of their own, so that two connections between the same hosts run
/// side by side; messages of one connection share a queue pair.
#[test]
fn connections_side_by_side_have_queue_pairs_of_their_own() {
    let chains = [
        "0->1 id 1 start 0 size 9 send_done_trigger 1",
        "0->2 id 2 trigger 1 size 9",
        "0->1 id 3 start 0 size 9 send_done_trigger 2",
        "0->2 id 4 trigger 2 size 9",
        "trigger id 1 oneshot",
        "trigger id 2 oneshot",
    ];
    let imported = read(&chains);
    assert!(imported.scenario.contains("hosts: [\"h1\", \"h1\", \"h2\", \"h3\"]"), "{}", imported.scenario);
    assert_eq!(programs(&imported).ranks.iter().map(|rank| rank.send_channels().len()).max(), Some(2));
    assert_eq!(changes(&imported), [] as [&str; 0]);
    // Both connections of a fork are of one rank, so its receivers differ.
    let fork = [
        "0->1 id 1 start 0 size 9 send_done_trigger 1",
        "0->2 id 2 trigger 1 size 9",
        "0->2 id 3 trigger 1 size 9",
        "trigger id 1 oneshot",
    ];
    assert!(read(&fork).scenario.contains("hosts: [\"h1\", \"h2\", \"h3\", \"h3\"]"));
    for msg in ["msg", "msg 3"] {
        let message = format!("0->15 id 1 {msg} start 0 size 40860");
        let imported = read(&[&message, &message]);
        assert!(imported.scenario.contains("hosts: [\"h1\", \"h16\"]"), "{}", imported.scenario);
        assert_eq!(changes(&imported), [] as [&str; 0]);
        assert!(imported.account.iter().any(|entry| entry.key == "msg" && entry.fate == KeyFate::Used));
    }
}

/// A rank posts messages that start at one instant in the order of the file, and others at their times.
#[test]
fn starts_are_times_of_the_job() {
    let lines = [
        "0->3 id 1 msg start 3 size 1",
        "0->3 id 1 msg start 3 size 2",
        "0->3 id 1 msg start 1 size 3",
        "0->3 id 1 msg start 0 size 4",
    ];
    let imported = read(&lines);
    assert_eq!(completion(&imported), 3 + 11);
    let text = &imported.files[0].1;
    let order: Vec<_> = ["calc 1000", "calc 2000", "send 1b", "send 2b", "send 3b", "send 4b"]
        .map(|word| text.find(word))
        .into();
    assert!(order.is_sorted() && order.iter().all(Option::is_some), "{text}");
    let picoseconds = import_for(&lines, Some(HtsimProgram::CsgNdp)).unwrap();
    assert!(picoseconds.scenario.contains("calc_unit: \"1 ps\""), "{}", picoseconds.scenario);
}

/// `htsim_roce` starts all at once and fires no trigger at arrivals.
#[test]
fn programs_differ_in_their_triggers() {
    let lines = [
        "0->1 id 1 start 9 size 9 recv_done_trigger 2",
        "1->2 id 2 trigger 2 size 9",
        "trigger id 2 oneshot",
    ];
    let roce = import_for(&lines, Some(HtsimProgram::CsgRoce)).unwrap();
    let [only] = &changes(&roce)[..] else { panic!("{:?}", changes(&roce)) };
    assert!(only.starts_with("job.cm:4:1: recv_done_trigger (csg-roce): `htsim_roce` ignores it"), "{only}");
    assert_eq!(completion(&roce), 21);
    assert_eq!(completion(&read(&lines)), 30);
}

#[test]
fn triggers_that_cannot_be_are_refused() {
    let first = "0->1 id 1 start 0 size 9 send_done_trigger 1";
    let second = "0->2 id 2 trigger 1 size 9";
    for (lines, words) in [
        (&[first, second][..], "job.cm:4:1: there is no trigger 1"),
        (
            &["0->1 id 1 start 0 size 9", second, "trigger id 1 oneshot"],
            "job.cm:5:1: trigger 1 starts this connection, and fires 0 times",
        ),
        (
            &[first, "0->3 id 4 start 0 size 9 send_done_trigger 1", second, "trigger id 1 oneshot"],
            "job.cm:5:1: trigger 1 fires once",
        ),
        (
            &[first, "0->2 trigger 1 size 9", "trigger id 1 oneshot"],
            "job.cm:5:1: a trigger starts this connection, which has no number",
        ),
        (
            &[first, "0->2 id 1 trigger 1 size 9", "trigger id 1 oneshot"],
            "job.cm:5:1: connection 1 is there twice",
        ),
        (
            &[first, second, "trigger id 1 oneshot", "trigger id 1 oneshot"],
            "job.cm:7:1: trigger 1 is there twice",
        ),
        (&[first, second, "trigger id 1 twoshot"], "job.cm:6:1: this is no trigger"),
        (&[first, second, "trigger id 1 barrier count 0"], "job.cm:6:1: this is no trigger"),
        (
            &["0->1 id 1 trigger 1 size 9 send_done_trigger 1", "trigger id 1 oneshot"],
            "job.cm:4:1: this connection waits for itself",
        ),
        (
            &["0->1 id 7 msg start 0 size 9", "0->2 id 7 msg start 0 size 9"],
            "job.cm:5:1: messages of connection 7 have different ends",
        ),
    ] {
        let said = import_for(lines, None).expect_err("it is wrong");
        assert!(said.starts_with(&format!("error: {words}")), "{lines:?}: {said}");
    }
    let few = matrix(&[first, second, "trigger id 1 oneshot"]).replace("Triggers 1", "Triggers 2");
    let [topo, few] =
        [("fat_tree.topo", TOPO), ("job.cm", &few)].map(|(name, text)| SourceText { name, text });
    let said = htsim::read(topo, few, None).expect_err("a trigger is missing").to_string();
    assert!(said.starts_with("error: job.cm:3:1: 1 triggers follow"), "{said}");
}
