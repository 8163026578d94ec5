//! Every fault of an imported file has a file in `fixtures/bad`, and beside it the exact message that it must give.
//!
//! The file's name says which reader it is for: `import-FORMAT-WHAT.txt`.
//!
//! `BLESS=1 cargo test -p interop --test all bad_imports::`, like `cargo xtask bless`, writes the messages as they are
//! now.

use interop::import::infiniband::{self, ClusterFiles, ClusterOptions};
use interop::import::{
    self, ImportedScenario, ImportedSettings, SourceText, goal, lldp, mlx5, opensm, sonic,
};
use scenario::Diagnostic;

use crate::messages;

/// Imports a file by the reader that its name says; `None` if there is none.
fn imported(name: &str, text: &str) -> Option<Result<ImportedScenario, Diagnostic>> {
    let source = SourceText { name, text };
    let file = |name, text| SourceText { name, text };
    let cluster = || file("two-switches.net", include_str!("../../../../fixtures/import/two-switches.net"));
    let sl2vl = || file("two-switches.sl2vl", include_str!("../../../../fixtures/import/two-switches.sl2vl"));
    let with = |lfts, sl2vl, vlarb| {
        let files = ClusterFiles { lfts, sl2vl, vlarb, ..ClusterFiles::default() };
        infiniband::import(cluster(), files, &ClusterOptions::default())
    };
    let template =
        || file("config_db.json", include_str!("../../../../fixtures/import/before-profiles.json"));
    let put = |settings: Result<ImportedSettings, Diagnostic>| settings.map(account);
    match name.split('-').nth(1)? {
        "ibnetdiscover" | "ibdiagnet" => {
            Some(infiniband::import(source, ClusterFiles::default(), &ClusterOptions::default()))
        }
        "far" => {
            let files = ClusterFiles { far: Some(source), ..ClusterFiles::default() };
            Some(infiniband::import(cluster(), files, &ClusterOptions::default()))
        }
        "lfts" => Some(with(Some(source), None, None)),
        "sl2vl" => Some(with(None, Some(source), None)),
        "vlarb" => Some(with(None, Some(sl2vl()), Some(source))),
        "opensm" => Some(put(opensm::read(source))),
        "mlx5" => Some(put(mlx5::read(source, None))),
        "sonic" => Some(put(sonic::read(source))),
        "lldp" => Some(lldp::import(&[source], &[], &lldp::LldpOptions::default())),
        "goal" => {
            let no_scenario = |_| {
                account(ImportedSettings { settings: Vec::new(), account: Vec::new(), without_choice: false })
            };
            Some(goal::from_text(source.name, source.text.to_owned(), goal::CALC_UNIT).map(no_scenario))
        }
        "buffers" => Some(put(sonic::read_with(template(), Some(source)))),
        _ => None,
    }
}

fn account(settings: ImportedSettings) -> ImportedScenario {
    let account = settings.account;
    ImportedScenario { scenario: String::new(), files: Vec::new(), account, warnings: Vec::new() }
}

/// Returns the message with which a file is refused, at once or for the experiment that it changes.
fn said(name: &str, text: &str) -> Result<String, String> {
    match imported(name, text).ok_or("no reader has this name")? {
        Err(diagnostic) => Ok(format!("{diagnostic}\n")),
        Ok(imported) => {
            let changes = import::changes(&imported.account, name);
            changes.map(|changes| format!("{changes}\n")).ok_or_else(|| "nothing was found wrong".to_owned())
        }
    }
}

#[test]
fn every_message_is_the_expected_one() {
    // Files of other simulators and of traces are compared where their readers are.
    let is_other = |name: &str| {
        ["import-topo-", "import-cm-", "import-chakra-"].iter().any(|other| name.starts_with(other))
    };
    let is_own = |name: &str| name.starts_with("import-") && !name.ends_with(".stderr") && !is_other(name);
    messages::compare(5, is_own, said);
}
