//! Every fault of a table of addresses has a file in `fixtures/bad`, and beside it the exact message that it must give.
//!
//! `export-nodes-WHAT.csv` is in the place of `nodes.csv` of the imported two switches, `export-ports-WHAT.csv` in that
//! of `ports.csv`.
//!
//! `BLESS=1 cargo test -p interop --test all bad_exports::`, like `cargo xtask bless`, writes the messages as they are
//! now.

use interop::export::addresses::Addresses;
use interop::import::SourceText;
use interop::import::infiniband::{self, ClusterFiles, ClusterOptions};
use scenario::{Scenario, ScenarioText};

use crate::messages;

const CLUSTER: &str = include_str!("../../../../fixtures/import/two-switches.net");

/// Returns the message for a table.
fn said(name: &str, text: &str) -> Result<String, String> {
    let cluster = SourceText { name: "two-switches.net", text: CLUSTER };
    let imported = infiniband::import(cluster, ClusterFiles::default(), &ClusterOptions::default());
    let imported = imported.expect("it is right");
    let scenario = ScenarioText::new("cluster.ron", &imported.scenario);
    let plan = Scenario::read(&scenario).and_then(|read| read.check(&scenario)).expect("it is right");
    let of_import = |(name, text)| SourceText { name, text };
    let [nodes, ports] = [0, 1].map(|place| {
        let (name, text) = &imported.files[place];
        of_import((name.as_str(), text.as_str()))
    });
    let own = SourceText { name, text };
    let addresses = match name.split('-').nth(1) {
        Some("nodes") => Addresses::of_cluster(&plan, own, ports),
        Some("ports") => Addresses::of_cluster(&plan, nodes, own),
        _ => return Err("no reader has this name".to_owned()),
    };
    addresses.err().map(|said| format!("{said}\n")).ok_or_else(|| "nothing was found wrong".to_owned())
}

#[test]
fn every_message_is_the_expected_one() {
    let is_own = |name: &str| name.starts_with("export-") && name.ends_with(".csv");
    messages::compare(8, is_own, said);
}
