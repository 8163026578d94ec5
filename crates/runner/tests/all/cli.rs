//! The command as its user meets it: output, files, and exit status.

use std::fs;

use crate::scratch::{Scratch, assert_refused, json, text};
#[cfg(target_os = "linux")]
use crate::signals::interrupted;

const ONE_FLOW: [&str; 2] = ["sim", "one-flow"];
const FILES: [&str; 20] = [
    "completions.svg",
    "contributors.csv",
    "fabric.svg",
    "fct.csv",
    "flows.csv",
    "goodput.svg",
    "hosts.svg",
    "margins.csv",
    "paths.csv",
    "phases.csv",
    "plan.ron",
    "ports.csv",
    "roots.csv",
    "series.csv",
    "slowdown.svg",
    "summary.json",
    "timeline.csv",
    "timeline_trees.csv",
    "trees.csv",
    "victims.csv",
];

#[test]
fn an_unknown_scenario_is_refused_with_the_nearest_name() {
    let scratch = Scratch::new("unknown-scenario");
    assert_refused(&scratch.run(&["sim", "gran2011-scenaro1"]), "gran2011-scenario1");
    assert_eq!(scratch.names(), [""; 0]);
}

#[test]
fn an_unwritable_folder_is_refused_before_the_run_and_nothing_is_left() {
    let scratch = Scratch::new("unwritable");
    fs::write(scratch.0.join("file"), "mine").unwrap();
    let output = scratch.run(&["sim", "one-flow", "--out", "file/results"]);
    let message = "error: results go to a folder, and `file` is no folder\n\
                   help: name a folder with `--out DIR`: one that is there, or a new one\n";
    assert_refused(&output, message);
    let verbs: [&[&str]; 4] = [
        &["sim", "one-flow"],
        &["compare", "one-flow", "victim"],
        &["sweep", "one-flow", "--seeds", "1..=2"],
        &["repro", "gran2011"],
    ];
    for verb in verbs {
        for place in ["file", "/dev/null"] {
            let output = scratch.run(&[verb, &["--out", place]].concat());
            assert_refused(&output, &format!("results go to a folder, and `{place}` is no folder\n"));
        }
    }
    assert_eq!(scratch.names(), ["file"]);
    assert_eq!(scratch.read("file"), "mine");
}

#[test]
fn a_wrong_option_and_a_wrong_field_are_refused() {
    let scratch = Scratch::new("wrong-option");
    assert_refused(&scratch.run(&["sim", "--nonsense"]), "--nonsense");
    assert_refused(&scratch.run(&["sim", "one-flow", "--set", "durration=1 ms"]), "durration");
    assert_refused(&scratch.run(&["sim", "one-flow", "--set", "duration"]), "duration");
    assert_refused(&scratch.run(&["sim", "--seed", "5", "one-flow", "--nonsense"]), "[OPTIONS] [SCENARIO]");
    assert_refused(&scratch.run(&["repro", "gran2012"]), "did you mean `gran2011`?");
    assert_refused(&scratch.run(&["repro", "nobody1999"]), "gran2011");
    assert_refused(&scratch.run(&["repro", "conext2016"]), "did you mean `zhu2016`?");
    assert_refused(&scratch.run(&["sim", "one-flow", "--seed", "-1"]), "'-1' for '--seed");
    assert_refused(&scratch.run(&["bench", "z9"]), "f11664-setup");
    assert_eq!(scratch.names(), [""; 0]);
}

#[test]
fn list_has_a_line_for_each_scenario() {
    let printed = Scratch::new("list").printed(&["list"]);
    for name in
        ["gran2011-scenario1", "gran2011-scenario2", "one-flow", "two-flows-one-link", "victim", "bench-a32"]
    {
        let line = printed.lines().find(|line| line.split_whitespace().next() == Some(name));
        let line = line.unwrap_or_else(|| panic!("no {name} in {printed}"));
        assert!(line.split_whitespace().count() > 2, "`{line}` has no description");
    }
}

#[test]
fn show_prints_a_scenario_that_runs_from_a_file() {
    let scratch = Scratch::new("show");
    let text = scratch.printed(&["show", "roce-victim"]);
    assert!(text.contains("// "), "comments are kept");
    fs::write(scratch.0.join("mine.ron"), text).unwrap();
    let digest = |scenario| {
        let printed = scratch.printed(&["sim", scenario, "--json", "--set", "duration=3 ms"]);
        json(&printed)["digest"].clone()
    };
    assert_eq!(digest("mine.ron"), digest("roce-victim"));
    assert_refused(&scratch.run(&["show", "roce-victm"]), "did you mean `roce-victim`?");
}

#[test]
fn new_writes_a_scenario_that_runs_and_overwrites_nothing() {
    let scratch = Scratch::new("new");
    fs::write(
        scratch.0.join("fabric.txt"),
        "5 1 4\n4\n0 4 100Gbps 1000ns 0\n1 4 100Gbps 1000ns 0\n2 4 100Gbps 1000ns 0\n3 4 100Gbps 1000ns 0\n",
    )
    .unwrap();
    let drafts: [(&str, &[&str], &str); 6] = [
        ("tree.ron", &["new", "ib", "--speed", "ndr", "--hosts", "128"], "128 hosts, 6 switches"),
        ("one.ron", &["new", "ib", "--speed", "edr", "--hosts", "8"], "8 hosts, 1 switch,"),
        (
            "roce.ron",
            &["new", "roce", "--speed", "100G", "--leaves", "4", "--spines", "2"],
            "64 hosts, 6 switches",
        ),
        (
            "fast.ron",
            &["new", "roce", "--speed", "800G", "--leaves", "2", "--spines", "2"],
            "32 hosts, 4 switches",
        ),
        ("dragonfly.ron", &["new", "dragonfly"], "72 hosts, 36 switches"),
        ("file.ron", &["new", "file", "fabric.txt"], "4 hosts, 1 switch,"),
    ];
    for (file, arguments, size) in drafts {
        scratch.printed(&[arguments, &[file]].concat());
        let text = scratch.read(file);
        assert!(text.matches("//").count() > 10, "{file} is commented");
        assert!(scratch.printed(&["check", file]).contains(size), "{file}");
        let short =
            ["sim", file, "--quiet", "--json", "--set", "duration=20 us", "--set", "traffic[0].until=20 us"];
        let short = [&short[..], &["--set", "traffic[1].at=5 us"]].concat();
        let delivered = json(&scratch.printed(&short))["phases"][0]["total_goodput_bps"].as_f64();
        assert!(delivered.is_some_and(|goodput| goodput > 1e9), "{file} delivers {delivered:?}");
    }
    fs::write(scratch.0.join("mine.ron"), "mine").unwrap();
    assert_refused(&scratch.run(&["new", "ib", "mine.ron"]), "overwrite it with `--force`");
    assert_eq!(scratch.read("mine.ron"), "mine");
    scratch.printed(&["new", "ib", "mine.ron", "--force"]);
    assert!(scratch.read("mine.ron").contains("FatTree"));
    assert_refused(&scratch.run(&["new", "ib", "--hosts", "257", "no.ron"]), "help: write 256 or 259");
    assert_refused(&scratch.run(&["new", "roce", "--spines", "300", "no.ron"]), "at most 254 ports");
    assert_refused(&scratch.run(&["new", "file", "none.txt", "no.ron"]), "`none.txt` cannot be read");
    assert!(!scratch.0.join("no.ron").exists());
}

#[test]
fn settings_of_one_host_inherit_and_choices_have_any_case() {
    let scratch = Scratch::new("inherit");
    let short = ["--json", "--set", "duration=3 ms", "--set", "flows[0].start=0 s"];
    let run = |more: &[&str]| {
        let summary = json(
            &scratch
                .printed(&[&["sim", "roce-victim", "--out", "one", "--force"], &short[..], more].concat()),
        );
        summary["digest"].clone()
    };
    let slow = run(&["--set", "adapters.H4.drain_limit=10Gb/s"]);
    let whole = "adapters.H4=(receive_buffer: \"100 KiB\", drain_limit: \"10 Gb/s\", ack_every: 16, max_outstanding: 1024, \
                 ack_timeout: 8, retry_count: 7)";
    assert_eq!(slow, run(&["--set", whole]));
    assert_ne!(slow, run(&[]));
    assert_eq!(run(&["--set", "congestion_control=dcqcn()"]), run(&["--set", "congestion_control=Dcqcn()"]));
}

#[test]
fn fields_explains_a_path_and_corrects_a_wrong_one() {
    let scratch = Scratch::new("fields");
    let load = scratch.printed(&["fields", "flows[].load"]);
    for word in ["Saturate(...)", "outstanding", "Paced(rate)", "Messages(whole number)"] {
        assert!(load.contains(word), "no `{word}` in {load}");
    }
    assert!(scratch.printed(&["fields"]).contains("congestion_control"));
    assert!(scratch.printed(&["fields", "congestion_control.Dcqcn"]).contains("preset"));
    assert_refused(&scratch.run(&["fields", "link.mtuu"]), "help: did you mean `mtu`?");
    assert_refused(&scratch.run(&["fields", "kmin"]), "congestion_control.Dcqcn.marking.kmin");
}

#[test]
fn the_overrides_in_the_help_are_accepted() {
    let scratch = Scratch::new("help");
    let help = scratch.printed(&["check", "--help"]);
    for set in ["congestion_control=Off", "duration=1 s"] {
        assert!(help.contains(set), "no `{set}` in {help}");
        scratch.printed(&["check", "gran2011-scenario1", "--set", set]);
    }
}

#[test]
fn check_describes_a_scenario_and_writes_nothing() {
    let scratch = Scratch::new("check");
    let printed = scratch.printed(&["check", "gran2011-scenario1"]);
    assert_eq!(
        printed,
        "gran2011-scenario1: 7 hosts, 2 switches, 8 links; 5 named flows; 500 ms in 5 phases\n\
         memory: about 24.2 MB, most of it (23.3 MB) for completion times\n"
    );
    assert_eq!(scratch.names(), [""; 0]);
}

#[test]
fn the_json_is_the_summary_file_with_the_cost_of_the_run() {
    let scratch = Scratch::new("json");
    let printed = scratch.printed(&[&ONE_FLOW[..], &["--json", "--out", "results"]].concat());
    assert_eq!(printed, scratch.read("results/summary.json"));
    let summary = json(&printed);
    // The set of fields is a test of `results`; these depend on the machine and the run.
    for field in ["wall_s", "events", "packet_hops", "packet_hops_per_s", "peak_rss_bytes"] {
        assert!(summary[field].as_f64().is_some_and(|value| value > 0.0), "{field}: {}", summary[field]);
    }
    assert!(summary["phases"][0]["flows"][0]["second_half_goodput_bps"].as_f64().unwrap() > 1e9);
}

#[test]
fn the_default_folder_is_out_and_the_name_and_holds_ten_files() {
    let scratch = Scratch::new("folder");
    let printed = scratch.printed(&[&ONE_FLOW[..], &["--tables"]].concat());
    for words in [
        "congestion control ",
        "Goodput over each phase",
        "Jain (named)",
        "marks",
        "audit",
        "digest",
        "written to out/one-flow: ",
    ] {
        assert!(printed.contains(words), "no `{words}` in {printed}");
    }
    let mut files = FILES.map(str::to_owned).to_vec();
    files.extend(["run.json".to_owned()]);
    files.sort();
    assert_eq!(scratch.names_in("out/one-flow"), files);
}

#[test]
fn a_manifest_names_the_run_and_its_files() {
    let scratch = Scratch::new("manifest");
    scratch.printed(&[&ONE_FLOW[..], &["--set", "duration=3 ms", "--seed", "5", "--quiet"]].concat());
    let folder = "out/one-flow,duration=3_ms,seed=5";
    let manifest = json(&scratch.read(&format!("{folder}/run.json")));
    assert_eq!(manifest["schema"], "backwater-run/1");
    assert_eq!(manifest["ended"]["how"], "complete");
    assert_eq!(manifest["plans"][0]["overrides"][0], "duration=3 ms");
    assert_eq!(manifest["plans"][0]["seed"], 5);
    assert_eq!(manifest["command"][1], "sim");
    let files = manifest["files"].as_array().unwrap();
    assert_eq!(files.len(), FILES.len());
    for file in files {
        let name = file["name"].as_str().unwrap();
        let size = fs::metadata(scratch.0.join(folder).join(name)).unwrap().len();
        assert_eq!(file["bytes"], size, "{name}");
    }
}

#[test]
fn runs_with_other_overrides_or_seeds_go_to_other_folders() {
    let scratch = Scratch::new("apart");
    for more in [&[][..], &["--set", "congestion_control=Off"], &["--seed", "9"]] {
        scratch.printed(&[&ONE_FLOW[..], &["--quiet"], more].concat());
    }
    assert_eq!(scratch.names_in("out"), ["one-flow", "one-flow,congestion_control=Off", "one-flow,seed=9"]);
}

#[test]
fn the_results_of_another_run_are_overwritten_by_force_alone_and_leave_nothing() {
    let scratch = Scratch::new("force");
    let run = [&ONE_FLOW[..], &["--quiet", "--out", "results"]].concat();
    scratch.printed(&[&run[..], &["--fct-txt"]].concat());
    fs::write(scratch.0.join("results/mine.txt"), "mine").unwrap();
    let other = [&run[..], &["--set", "completions=NotKept"]].concat();
    let message = "error: `results` holds the results of another run: one-flow, seed 1\n\
                   help: choose another folder with `--out DIR`, or overwrite with `--force`\n";
    assert_refused(&scratch.run(&other), message);
    assert!(scratch.0.join("results/fct.csv").exists());
    scratch.printed(&[&other[..], &["--force"]].concat());
    let names = scratch.names_in("results");
    assert!(!names.contains(&"fct.csv".to_owned()) && !names.contains(&"fct.txt".to_owned()), "{names:?}");
    assert!(names.contains(&"mine.txt".to_owned()));
    // The same run again needs no force.
    scratch.printed(&other);
    fs::create_dir(scratch.0.join("foreign")).unwrap();
    fs::write(scratch.0.join("foreign/flows.csv"), "mine").unwrap();
    let foreign = scratch.run(&[&ONE_FLOW[..], &["--out", "foreign"]].concat());
    assert_refused(&foreign, "`foreign` holds a file `flows.csv` that no manifest names");
}

/// A run that Ctrl-C ends writes its results up to there.
#[cfg(target_os = "linux")]
#[test]
fn an_interrupted_run_writes_its_results_and_says_so() {
    let scratch = Scratch::new("interrupt");
    let run = ["sim", "one-flow", "--quiet", "--set", "duration=1000 s", "--set", "completions=NotKept"];
    let arguments = [&run[..], &["--set", "sample=1 s", "--out", "results"]].concat();
    let said = interrupted(&scratch, &arguments, "INT", "results/run.json");
    assert!(said.contains("interrupted at "), "{said}");
    let manifest = json(&scratch.read("results/run.json"));
    assert_eq!(manifest["ended"]["how"], "interrupted");
    let simulated = manifest["ended"]["simulated_s"].as_f64().unwrap();
    let summary = json(&scratch.read("results/summary.json"));
    assert!(0.0 < simulated && simulated < 1000.0);
    assert_eq!(summary["simulated_s"], simulated);
    assert_eq!(summary["phases"][0]["to_s"], simulated);
    assert!(summary["phases"][0]["total_goodput_bps"].as_f64().unwrap() > 1e9);
}

#[test]
fn the_resolved_plan_repeats_the_run() {
    let scratch = Scratch::new("plan");
    let set = ["--set", "duration=3 ms", "--seed", "5", "--quiet"];
    assert_eq!(scratch.printed(&[&ONE_FLOW[..], &set, &["--out", "first"]].concat()), "");
    scratch.printed(&["sim", "first/plan.ron", "--quiet", "--out", "second"]);
    for file in FILES {
        let (mut first, mut second) =
            (scratch.read(&format!("first/{file}")), scratch.read(&format!("second/{file}")));
        if file == "summary.json" {
            (first, second) = (repeatable(&first), repeatable(&second));
        }
        assert_eq!(first, second, "{file} differs");
    }
    assert_eq!(json(&scratch.read("second/summary.json"))["seed"], 5);
}

/// Returns a summary without the fields that depend on the machine.
fn repeatable(summary: &str) -> String {
    let mut summary = json(summary);
    for field in ["wall_s", "packet_hops_per_s", "peak_rss_bytes"] {
        summary.as_object_mut().unwrap().remove(field).unwrap_or_else(|| panic!("no {field}"));
    }
    // The advice names the command, which is another for a run from its plan.
    summary["verdict"].as_object_mut().unwrap().remove("advice").expect("a verdict has an advice");
    summary.to_string()
}

/// A drain is bounded as runs are: what hosts have posted may take years.
#[test]
fn a_drain_without_an_end_ends() {
    let scratch = Scratch::new("long-drain");
    let sets = ["--set", "adapter.injection_limit=1 b/s", "--set", "duration=20 us", "--set", "sample=10 us"];
    for verb in [
        &["sim", "one-flow", "--out", "run", "--quiet"][..],
        &["capture", "one-flow", "--ports", "H1:1", "--quiet"],
        &["compare", "one-flow", "one-flow:link.mtu=512 B", "--out", "both", "--quiet"],
    ] {
        let output = scratch.run(&[verb, &sets, &["--drain"]].concat());
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(6), "{said}");
        assert!(
            said.contains("not drained 1 s after the end of the run, the longest time of `--drain`"),
            "{said}"
        );
        assert!(said.contains("`adapter.injection_limit`"), "{said}");
    }
    assert_eq!(json(&scratch.read("run/summary.json"))["audit"]["drained"], false);
}

#[test]
fn a_drained_run_delivers_every_packet() {
    let scratch = Scratch::new("drain");
    let printed = scratch.printed(&[&ONE_FLOW[..], &["--drain", "--json"]].concat());
    let again = scratch.printed(&["sim", "out/one-flow/plan.ron", "--json"]);
    assert_eq!(json(&printed)["digest"], json(&again)["digest"], "a drain is not in the digest");
    let audit = &json(&printed)["audit"];
    assert_eq!(audit["drained"], true);
    assert_eq!(audit["under_way_packets"], 0);
    assert_eq!(audit["injected_packets"], audit["delivered_packets"]);
}

#[test]
fn a_deadlock_ends_the_run_with_its_cycle_and_its_own_status() {
    let scratch = Scratch::new("deadlock");
    let flow = |i: usize| {
        let to = (i + 2) % 7 + 1;
        format!(
            "(name: \"F{i}\", from: \"h{i}\", to: \"h{to}\", start: \"0 s\", message: \"64 KiB\", load: Saturate(outstanding: 4))"
        )
    };
    let flows = format!("flows=[{}]", (1..=7).map(flow).collect::<Vec<_>>().join(", "));
    let mut arguments = vec!["sim", "bench-a32"];
    for set in [
        "topology=Torus(sizes: [7], hosts: 1, host_cable: \"wire\", trunk_cable: \"wire\")",
        "routing=MinHop",
        "dependency_cycles=Allowed",
        "congestion_control=Off",
        "duration=\"20 ms\"",
        "sample=\"100 us\"",
        "traffic=[]",
        &flows,
    ] {
        arguments.extend(["--set", set]);
    }
    // The results of a run without a deadlock lie in the folder: none of them stays.
    scratch.printed(&["sim", "one-flow", "--quiet", "--out", "stuck"]);
    arguments.extend(["--out", "stuck", "--force"]);
    let output = scratch.run(&arguments);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(4), "{message}");
    assert!(message.contains("error: deadlock: by "), "{message}");
    assert_eq!(message.matches(": waits for room at ").count(), 7, "{message}");
    assert_eq!(scratch.names_in("stuck"), ["run.json"], "a run that fails leaves its manifest alone");
    let manifest = json(&scratch.read("stuck/run.json"));
    assert_eq!(manifest["ended"]["how"], "deadlock");
    assert!(message.contains(manifest["ended"]["message"].as_str().unwrap()), "{manifest}");
    // `check` warns of the cycle before the run.
    arguments[0] = "check";
    arguments.truncate(arguments.len() - 3);
    let said = text(&scratch.run(&arguments).stdout);
    assert!(
        said.contains("\nallowed: packets could wait for each other for ever, in the cycle `s1` port "),
        "{said}"
    );
}

/// A run with more traffic than memory is refused before it starts. The message has the estimate, its largest part and
/// the remedy. `check` prints the estimate.
#[test]
fn a_run_that_needs_too_much_memory_is_refused_with_the_estimate() {
    let scratch = Scratch::new("memory");
    let refused = |sets: &[&str], limit: &[&str]| {
        let sets = sets.iter().flat_map(|set| ["--set", set]);
        let arguments: Vec<_> =
            ["sim", "one-flow"].into_iter().chain(sets).chain(limit.iter().copied()).collect();
        let output = scratch.run(&arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert_eq!(scratch.names(), Vec::<String>::new(), "{arguments:?}");
        text(&output.stderr)
    };
    // 4 x 10^9 messages of 48 bytes: more than any machine has that runs this test.
    let many = ["flows[0].load=Saturate(outstanding: 4000000000)", "completions=NotKept"];
    let message = refused(&many, &[]);
    assert!(
        message.contains("needs about 128000.1 MB, most of it (128000.0 MB) for messages that wait"),
        "{message}"
    );
    assert!(message.contains(" MB, which is free\nhelp: post fewer"), "{message}");
    let check = ["check", "one-flow", "--set", many[0], "--set", many[1]];
    let said = text(&scratch.run(&check).stdout);
    assert!(said.contains("\nmemory: about 128000.1 MB, most of it (128000.0 MB) for "), "{said}");
    // A second of 2 GB/s in messages of 2 KiB makes 976,562 completion times of 305 bytes.
    let long = ["flows[0].message=2 KiB", "duration=1 s"];
    let message = refused(&long, &["--memory-limit", "100 MB"]);
    assert!(
        message.contains("(297.9 MB) for completion times: more than the limit, 100 MB\nhelp: "),
        "{message}"
    );
    assert!(
        message.contains("write `completions: NotKept`, or a shorter `duration`; `--memory-limit"),
        "{message}"
    );
    let less = ["sim", "one-flow", "--memory-limit", "1 MB", "--set", "duration=1 ms"];
    assert!(scratch.run(&less).status.success());
}

#[test]
fn completion_times_are_written_on_request() {
    let scratch = Scratch::new("fct");
    let printed = scratch.printed(&[&ONE_FLOW[..], &["--fct-txt", "--tables", "--out", "with"]].concat());
    assert!(printed.contains("Completion of messages: "), "{printed}");
    let (lines, rows) = (scratch.read("with/fct.txt"), scratch.read("with/fct.csv"));
    assert!(printed.contains("fct.txt lacks "), "a saturating flow has messages under way: {printed}");
    let acknowledged = |row: &&str| row.split(',').nth(7).is_some_and(|at| !at.is_empty());
    assert_eq!(lines.lines().count(), rows.lines().skip(1).filter(acknowledged).count());
    assert!(lines.starts_with("0b000001 0b000101 10000 100 "), "{lines}");
    let without = ["--set", "completions=NotKept", "--out", "without"];
    let printed = scratch.printed(&[&ONE_FLOW[..], &without].concat());
    assert!(printed.contains("Completion times were"), "{printed}");
    assert!(!scratch.0.join("without/fct.csv").exists());
    assert_refused(&scratch.run(&[&ONE_FLOW[..], &without, &["--fct-txt"]].concat()), "completions=Kept");
}

const CONFIG: &str = "ENABLE_QCN 1\nPACKET_PAYLOAD_SIZE 1000\nTOPOLOGY_FILE mix/topology.txt\nFLOW_FILE mix/flow.txt\n\
    SIMULATOR_STOP_TIME 2.001\nCC_MODE 1\nRP_TIMER 300\nRATE_AI 50000000.0\nRATE_HAI 100Mb/s\nCLAMP_TARGET_RATE 0\nKMIN_MAP 1 25000000000 100\n\
    KMAX_MAP 1 25000000000 400\nPMAX_MAP 1 25000000000 0.2\nBUFFER_SIZE 32\nLINK_DOWN 0 0 0\nU_TARGET 0.95\nMY_KEY 7\n";

/// Imports and runs four hosts at a switch, with two flows to a host, as that simulator's own files have them. The
/// switch is node 0, and more lines follow the flows. Both flows complete, and `fct.txt` has the file's numbers and
/// clock.
#[test]
fn a_configuration_of_hpcc_is_imported_and_runs() {
    let scratch = Scratch::new("import");
    fs::create_dir(scratch.0.join("mix")).unwrap();
    let links: String = (1..5).map(|host| format!("0 {host} 25Gbps 1us 0\n")).collect();
    let flows = "2\n1 4 3 100 200000 2.000000\n2 4 3 100 200000 2.000010\n3 4 3 100 200000 2.000020\n\nFirst line: flow #\n";
    for (file, text) in
        [("config.txt", CONFIG), ("topology.txt", &format!("5 1 4\n0\n{links}")), ("flow.txt", flows)]
    {
        fs::write(scratch.0.join("mix").join(file), text).unwrap();
    }
    let printed = scratch.printed(&["import", "hpcc", "mix/config.txt", "--out", "mine"]);
    for (key, fate) in [
        ("RP_TIMER", " used "),
        ("RATE_AI", " used "),
        ("RATE_HAI", " used "),
        ("BUFFER_SIZE", " approximated "),
        ("FLOW_FILE", " used "),
        ("lines behind the last flow", " not used "),
        ("U_TARGET", " not used "),
        ("MY_KEY", " not used "),
    ] {
        let line = printed.lines().find(|line| line.trim_start().starts_with(key));
        assert!(line.is_some_and(|line| line.contains(fate)), "{key} in {printed}");
    }
    let summary = json(&scratch.printed(&["sim", "mine/config.ron", "--out", "run", "--fct-txt", "--json"]));
    assert_eq!(summary["congestion_control"], "Mixed");
    assert_eq!(summary["completions"]["delivered_messages"], 2);
    let ends = scratch.read("run/fct.txt");
    let mut starts: Vec<_> = ends.lines().map(|line| line.split(' ').collect::<Vec<_>>()).collect();
    starts.sort();
    let starts: Vec<_> = starts.iter().map(|words| [words[0], words[1], words[5]]).collect();
    assert_eq!(starts, [["0b000101", "0b000401", "2000000000"], ["0b000201", "0b000401", "2000010000"]]);
    let again = json(&scratch.printed(&["sim", "run/plan.ron", "--out", "again", "--fct-txt", "--json"]));
    assert_eq!((again["digest"] == summary["digest"], scratch.read("again/fct.txt") == ends), (true, true));
    let plan = scratch.read("run/plan.ron");
    for words in [
        "kmin: \"100000 B\"",
        "cut_timer: \"4 us\"",
        "timer: \"300 us\"",
        "additive_increase: \"50 Mb/s\"",
        "hyper_increase: \"100 Mb/s\"",
        "clamp_target: false",
        "routing: Ecmp",
    ] {
        assert!(plan.contains(words), "no `{words}` in {plan}");
    }
    let other = CONFIG.replace("CC_MODE 1", "CC_MODE 3").replace("LINK_DOWN 0", "LINK_DOWN 500");
    fs::write(scratch.0.join("mix/config.txt"), other).unwrap();
    let args = ["import", "hpcc", "mix/config.txt", "--out", "other"];
    let refused = scratch.run(&args);
    assert_refused(&refused, "config.txt:6:9: CC_MODE: HPCC is not modelled");
    assert_refused(&refused, "config.txt:15:11: LINK_DOWN: no link fails");
    assert_refused(&refused, "`--approximate`");
    assert!(!scratch.0.join("other").exists(), "nothing is written");
    let carried_on = scratch.run(&[&args[..], &["--approximate"]].concat());
    assert!(carried_on.status.success(), "{carried_on:?}");
    let warned = String::from_utf8(carried_on.stderr).unwrap();
    assert!(warned.contains("warning: config.txt: CC_MODE: HPCC is not modelled"), "{warned}");
    assert!(String::from_utf8(carried_on.stdout).unwrap().contains(" changed "));
    fs::write(scratch.0.join("mix/config.txt"), CONFIG.replace("RP_TIMER 300", "RP_TIMER soon")).unwrap();
    let wrong = scratch.run(&["import", "hpcc", "mix/config.txt", "--out", "wrong"]);
    assert_refused(&wrong, "config.txt:7:10: RP_TIMER: `soon` is not a number");
    fs::write(scratch.0.join("mix/config.txt"), CONFIG.replace("mix/flow", "mix/flows")).unwrap();
    let wrong = scratch.run(&["import", "hpcc", "mix/config.txt", "--out", "wrong"]);
    assert_refused(&wrong, "config.txt:4:11: FLOW_FILE: there is no file `mix/flows.txt`");
    assert!(!scratch.0.join("wrong").exists());
}

#[test]
fn a_schema_describes_a_file_or_all_files() {
    let scratch = Scratch::new("schema");
    let schema = json(&text(&scratch.run(&["schema", "ports.csv"]).stdout));
    let field = schema["fields"].as_array().unwrap().iter().find(|field| field["name"] == "link_rate_bps");
    assert_eq!((&field.unwrap()["type"], &field.unwrap()["unit"]), (&"number".into(), &"bit/s".into()));
    let schema = json(&text(&scratch.run(&["schema", "summary.json"]).stdout));
    assert_eq!(schema["properties"]["events"]["type"], "integer");
    let package = json(&text(&scratch.run(&["schema"]).stdout));
    assert!(package["resources"].as_array().unwrap().iter().any(|file| file["path"] == "run.json"));
    let refused = scratch.run(&["schema", "port.csv"]);
    assert_refused(
        &refused,
        "no schema describes a file `port.csv`\nhelp: name one of run.json, summary.json",
    );
}
