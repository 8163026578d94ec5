//! Every fault of a table of addresses has a file in `fixtures/bad`, and beside it the exact message that it must give.
//!
//! `export-nodes-WHAT.csv` is in the place of `nodes.csv` of the imported two switches, `export-ports-WHAT.csv` in that of
//! `ports.csv`.
//!
//! `BLESS=1 cargo test -p scenario --test bad_exports`, like `cargo xtask bless`, writes the messages as they are now.

use std::path::{Path, PathBuf};
use std::{env, fs};

use scenario::export::addresses::Addresses;
use scenario::import::SourceText;
use scenario::import::infiniband::{self, ClusterFiles, ClusterOptions};
use scenario::{Scenario, ScenarioText};

const CLUSTER: &str = include_str!("../../../fixtures/import/two-switches.net");

/// Returns the message for a table.
fn said(name: &str, text: &str) -> Result<String, &'static str> {
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
        _ => return Err("no reader has this name"),
    };
    addresses.err().map(|said| format!("{said}\n")).ok_or("nothing was found wrong")
}

#[test]
fn every_message_is_the_expected_one() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/bad");
    let blessed = env::var_os("BLESS").is_some()
        || env::var_os("INSTA_UPDATE").is_some_and(|update| update == "always");
    let entries = fs::read_dir(folder).expect("the fixtures are there");
    let name = |path: &PathBuf| path.file_name().expect("a file").to_string_lossy().into_owned();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("a readable folder").path()).collect();
    files.retain(|file| name(file).starts_with("export-") && name(file).ends_with(".csv"));
    files.sort();
    assert!(files.len() >= 8, "only {} fixtures", files.len());
    let mut wrong = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).expect("a readable fixture");
        match said(&name(&file), &text) {
            Err(what) => wrong.push(format!("{}: {what}", name(&file))),
            Ok(said) => {
                let expected = file.with_extension("stderr");
                if blessed {
                    fs::write(&expected, said).expect("a writable folder");
                } else if fs::read_to_string(&expected).unwrap_or_default() != said {
                    wrong.push(format!("{} now says:\n{said}", name(&file)));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
