//! Imports of adaptive routing, run: groups of `ibdiagnet2.far` choose ports as the same groups made by rule do.

use std::fs;

use fabric::{RunOptions, simulate};
use interop::import::SourceText;
use interop::import::infiniband::{self, ClusterFiles, ClusterOptions};
use scenario::{Plan, Scenario, ScenarioText};
use telemetry::RunRecord;

use crate::scratch::{Scratch, assert_refused};

const CLUSTER: &str = include_str!("../../../../fixtures/import/two-switches.net");
const FAR: &str = include_str!("../../../../fixtures/import/two-switches.far");
const MANAGER: &str = include_str!("../../../../fixtures/import/ar_mgr.conf");

/// Returns the plan of the cluster with groups, after settings.
fn plan(far: &str, sets: &[&str]) -> Plan {
    let source = |name, text| SourceText { name, text };
    let files = ClusterFiles { far: Some(source("far", far)), ..ClusterFiles::default() };
    let imported = infiniband::import(source("net", CLUSTER), files, &ClusterOptions::default());
    let imported = imported.unwrap_or_else(|said| panic!("{said}"));
    let mut text = ScenarioText::new("imported.ron", &imported.scenario);
    sets.iter().for_each(|set| text.set(set).unwrap_or_else(|said| panic!("{said}")));
    let checked = Scenario::read(&text).and_then(|scenario| scenario.check(&text));
    checked.unwrap_or_else(|said| panic!("{said}\n{}", imported.scenario))
}

fn run(plan: &Plan) -> RunRecord {
    let options = RunOptions { drain: true, ..RunOptions::default() };
    simulate(plan, options, &mut |_| {}).unwrap_or_else(|violation| panic!("{violation}"))
}

/// Every group of the file made adaptive is what `Adaptive` makes of the same cables: the same events happen. By hash
/// others do, which shows that the states of the file decide.
#[test]
fn imported_groups_run_as_groups_by_rule() {
    let all = FAR.replace(" HBF ", " Free ").replace("Free        5", "Free        4");
    let imported = run(&plan(&all, &[]));
    assert_eq!(imported.digest, run(&plan(&all, &["routing=Adaptive"])).digest);
    let hashed = all.replace(" Free ", " HBF ");
    let by_hash = run(&plan(&hashed, &[]));
    assert_ne!(imported.digest, by_hash.digest);
    assert_eq!(by_hash.digest, run(&plan(&hashed, &["routing=Ecmp"])).digest);
    // A port an entry is a path for all packets.
    let single = run(&plan(&all, &["routing=MinHop", "switch.selection=Hash"]));
    assert_ne!(imported.digest, single.digest);
}

/// The command line takes the files, and leaves a user's routing alone.
#[test]
fn adaptive_files_are_imported_and_no_routing_is_overwritten() {
    let scratch = Scratch::new("import-adaptive");
    for (name, text) in [("cluster.net", CLUSTER), ("cluster.far", FAR), ("ar_mgr.conf", MANAGER)] {
        fs::write(scratch.0.join(name), text).unwrap();
    }
    let account = scratch.printed(&[
        "import",
        "ibnetdiscover",
        "cluster.net",
        "--far",
        "cluster.far",
        "--out",
        "cluster",
    ]);
    assert!(account.contains("public readers of the file"), "{account}");
    assert!(scratch.read("cluster/cluster.ron").contains("17/20 #17/20"));
    scratch.printed(&["import", "opensm", "ar_mgr.conf", "--out", "draft"]);
    assert!(scratch.read("draft/ar_mgr.ron").contains("Flowlet(gap: \"30 us\", then: LeastLoaded)"));
    // The tables of the cluster stay, and get the selection.
    scratch.printed(&["import", "opensm", "ar_mgr.conf", "--into", "cluster/cluster.ron", "--out", "both"]);
    let both = scratch.read("both/ar_mgr.ron");
    assert!(both.contains("17/20 #17/20") && both.contains("Flowlet(gap"), "{both}");
    // Paths that the import of the cables assumed are replaced, a user's are not.
    scratch.printed(&["import", "ibnetdiscover", "cluster.net", "--out", "static"]);
    let tuned = |file: &str, out: &str| {
        scratch.printed(&["import", "opensm", file, "--into", "static/cluster.ron", "--out", out])
    };
    let account = tuned("ar_mgr.conf", "tuned");
    assert!(account.contains("`routing: Adaptive` replaces `MinHop`"), "{account}");
    scratch.printed(&["check", "tuned/ar_mgr.ron"]);
    // No packet of RC may choose, which the account says.
    fs::write(scratch.0.join("ud.conf"), "routing_engine ar_updn\nar_transport_mask 0x1\n").unwrap();
    let account = tuned("ud.conf", "idle");
    assert!(
        account.contains("(effect of switch.selection)") && account.contains("chooses for no packet"),
        "{account}"
    );
    let own = scratch.read("static/cluster.ron").replace("routing: MinHop", "routing: Random");
    fs::write(scratch.0.join("own.ron"), own).unwrap();
    let refused = scratch.run(&["import", "opensm", "ar_mgr.conf", "--into", "own.ron"]);
    assert_refused(
        &refused,
        "the scenario has `routing: Random`, and the settings have `Adaptive`, which would overwrite it",
    );
    let refused = scratch.run(&[
        "import",
        "ibnetdiscover",
        "cluster.net",
        "--far",
        "cluster.far",
        "--lfts",
        "cluster.far",
    ]);
    assert!(!refused.status.success(), "{refused:?}");
}
