//! Configurations of HPCC's simulator (ns-3) that ship with its results: `fixtures/import/ns3-hpcc`.
//!
//! Invariant: a configuration is imported anew for each plan, and only if the import changes nothing of the experiment.

use interop::import::changes;
use scenario::{Diagnostic, ScenarioText};
use simulators::hpcc;

/// A configuration, the files that it names, and the results.
#[derive(Clone, Copy, Debug)]
pub struct Configuration {
    /// Name, as runs give it.
    pub name: &'static str,
    /// File name of the configuration.
    file: &'static str,
    /// The configuration as text.
    text: &'static str,
    /// Files that it names, by name.
    files: [(&'static str, &'static str); 2],
    /// Completion times of that simulator: source, destination, two ports, bytes, start, time and ideal time in ns.
    pub fct: &'static str,
}

macro_rules! configurations {
    ($($name:literal),* $(,)?) => {
        &[$(Configuration {
            name: concat!("ns3-hpcc/", $name),
            file: concat!($name, ".conf"),
            text: include_str!(concat!("../../../fixtures/import/ns3-hpcc/", $name, ".conf")),
            files: [
                (concat!($name, ".topo"), include_str!(concat!("../../../fixtures/import/ns3-hpcc/", $name, ".topo"))),
                (concat!($name, ".flow"), include_str!(concat!("../../../fixtures/import/ns3-hpcc/", $name, ".flow"))),
            ],
            fct: include_str!(concat!("../../../fixtures/import/ns3-hpcc/", $name, ".fct")),
        }),*]
    };
}

/// All configurations.
pub const CONFIGURATIONS: &[Configuration] = configurations!["incast8", "incast2_40g", "gran_pfc"];

/// Imports the configuration of a name; `None` if there is none.
pub(crate) fn find(name: &str) -> Option<Result<ScenarioText, Diagnostic>> {
    CONFIGURATIONS.iter().find(|one| one.name == name).map(Configuration::import)
}

impl Configuration {
    /// Imports the configuration.
    ///
    /// # Errors
    /// If it cannot be read, or only as another experiment.
    pub fn import(&self) -> Result<ScenarioText, Diagnostic> {
        let beside = |name: &str| {
            self.files.iter().find(|(file, _)| *file == name).map(|(_, text)| (*text).to_owned())
        };
        let imported = hpcc::read(self.file, self.text, &beside)?;
        if let Some(refused) = changes(&imported.account, self.file) {
            return Err(refused);
        }
        Ok(ScenarioText::new(&format!("{}.ron", self.name), &imported.scenario).with_files(imported.files))
    }

    /// Returns the completion times of that simulator in seconds, in its order.
    pub fn completion_times(&self) -> impl Iterator<Item = f64> {
        let of = |line: &str| line.split_whitespace().nth(6).and_then(|ns| ns.parse::<f64>().ok());
        self.fct.lines().map(move |line| of(line).expect("every line has a completion time") / 1e9)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The import is exact enough to need no `--approximate`, and as many flows run as that simulator reports.
    #[test]
    fn every_configuration_is_imported_unchanged() {
        for one in CONFIGURATIONS {
            let plan = crate::plan(one.name, &[], None).unwrap_or_else(|refused| panic!("{refused}"));
            assert_eq!(plan.workload().flows.len(), one.completion_times().count(), "{}", one.name);
        }
    }
}
