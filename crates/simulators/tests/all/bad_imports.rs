//! Every fault of a file of another simulator has a file in `fixtures/bad`, and beside it the exact message that it
//! must give.
//!
//! The file's name says which reader it is for: `import-FORMAT-WHAT.txt`. `cargo xtask bless` writes the messages as
//! they are now.

use interop::import::{KeyAccount, SourceText, changes};
use simulators::htsim;

use crate::et::Traces;
use crate::{chakra, messages};

/// Returns the message with which a file is refused, at once or for the experiment that it changes.
fn said(name: &str, text: &str) -> Result<String, String> {
    let source = SourceText { name, text };
    let file = |name, text| SourceText { name, text };
    let topo = file("fat_tree.topo", include_str!("../../../../fixtures/import/fat_tree.topo"));
    let cm = file("incast.cm", include_str!("../../../../fixtures/import/incast.cm"));
    let imported = match name.split('-').nth(1) {
        Some("topo") => htsim::read(source, cm, None),
        Some("cm") => htsim::read(topo, source, None),
        Some("chakra") => {
            return match chakra::import(&Traces::written(text)) {
                Err(diagnostic) => Ok(format!("{diagnostic}\n")),
                Ok(job) => changed(&job.account, name),
            };
        }
        _ => return Err("no reader has this name".to_owned()),
    };
    match imported {
        Err(diagnostic) => Ok(format!("{diagnostic}\n")),
        Ok(imported) => changed(&imported.account, name),
    }
}

/// Returns the message for the experiment that a file changes.
fn changed(account: &[KeyAccount], name: &str) -> Result<String, String> {
    let changes = changes(account, name);
    changes.map(|changes| format!("{changes}\n")).ok_or_else(|| "nothing was found wrong".to_owned())
}

#[test]
fn every_message_is_the_expected_one() {
    let is_own = |name: &str| {
        ["import-topo-", "import-cm-", "import-chakra-"].iter().any(|own| name.starts_with(own))
            && !name.ends_with(".stderr")
    };
    messages::compare(30, is_own, said);
}
