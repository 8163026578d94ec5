//! Settings without a fabric: fields of a scenario by their paths.
//!
//! Invariant: each is put into a scenario like `--set PATH=VALUE`, so that its value is read and checked like any
//! other.

use settings::{FieldPath, SettingError};
use switch_arch::spec::SelectionSpec;
use topology::{GroupsSpec, RoutingSpec, TopologySpec};

use super::account::{ImportedScenario, KeyAccount, KeyFate};
use scenario::Scenario;
use scenario::ScenarioText;
use scenario::{Diagnostic, LocatedFault};

/// Fields of a scenario, and the fate of every key that they come from.
#[derive(Clone, Debug, Default)]
pub struct ImportedSettings {
    /// Paths and values.
    pub settings: Vec<(String, String)>,
    /// The fate of every key.
    pub account: Vec<KeyAccount>,
    /// True if the files say that no switch chooses ports by their load.
    pub without_choice: bool,
}

/// Path of the routing, which a scenario of the user's keeps.
const ROUTING: &str = "routing";

/// Routing that an import takes where its files have none. An adaptive engine of the same cluster replaces it.
const ASSUMED: &str = "MinHop";
/// Comment above such a routing, by which it is known from a user's.
const MARK: &str =
    "    // Assumed: `import opensm --into` puts the groups of an adaptive engine in its place.\n";

/// Returns the comment above a routing of this word that an import has assumed; empty for other routings.
pub(super) fn assumed(word: &str) -> &'static str {
    if word == ASSUMED { MARK } else { "" }
}

/// Returns true if the routing of a scenario is still the one that an import has assumed.
fn is_assumed(base: &ScenarioText) -> bool {
    base.text().contains(&format!("{MARK}    {ROUTING}: {ASSUMED},"))
}

/// Routing with tables of a cluster.
const TABLES: &str = "Tables";
/// Adaptive routings, as written.
pub(super) const SHORTEST: &str = "Adaptive";
pub(super) const PARALLEL: &str = "Adaptive(groups: Parallel)";

/// Returns the fields of adaptive routing: the groups, the selection, and the transport that it needs.
pub(super) fn adaptive(routing: &str, selection: &str) -> impl Iterator<Item = (String, String)> {
    let fields = [
        (ROUTING, routing),
        ("switch.selection", selection),
        ("adapter.delivery", "AnyOrder"),
        ("adapter.recovery", "SelectiveRepeat"),
    ];
    fields.map(|(path, value)| (path.to_owned(), value.to_owned())).into_iter()
}

/// Returns the entry of the transport that no file has.
pub(super) fn order_of_packets() -> KeyAccount {
    let what = "not in the file: `adapter.delivery: AnyOrder` and `adapter.recovery: SelectiveRepeat`, since packets \
                overtake each other";
    KeyAccount::new("(order of packets)", "", KeyFate::Approximated, what)
}

/// A scenario with another routing than the settings.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the scenario has `routing: {own}`, and the settings have `{wanted}`, which would overwrite it")]
struct OtherRouting {
    own: &'static str,
    wanted: String,
}

impl SettingError for OtherRouting {
    fn path(&self) -> FieldPath {
        ROUTING.into()
    }

    fn help(&self) -> Option<String> {
        if self.own == TABLES {
            return Some(format!(
                "its tables have a port for each host: import the fabric again without `--lfts`, for `{}`, or with `--far`, \
                 for the groups of the cluster; or leave out `--into`, for a draft",
                self.wanted
            ));
        }
        Some(format!(
            "write `routing: {}` in the place of `{}` there first; or leave out `--into`, for a draft of this kind",
            self.wanted, self.own
        ))
    }
}

impl ImportedSettings {
    /// Returns true if the settings have a routing with groups of ports.
    #[must_use]
    pub fn have_groups(&self) -> bool {
        self.settings.iter().any(|(path, _)| path == ROUTING)
    }

    /// Leaves the routing of a user's scenario as it is, for [`into_scenario`](Self::into_scenario) into it. A routing
    /// that an import has assumed is not the user's, and is replaced.
    ///
    /// # Errors
    /// If the scenario's routing has a single port for each host, or is wrong itself.
    pub fn keeping_routing_of(mut self, base: &ScenarioText) -> Result<Self, Diagnostic> {
        let scenario = Scenario::read(base)?;
        let routing = &scenario.routing;
        let Some(place) = self.settings.iter().position(|(path, _)| path == ROUTING) else {
            if self.without_choice && chooses(&scenario) {
                let what = format!(
                    "the scenario keeps its `routing: {}` with adaptive choices, which the file has not: write \
                     `switch.selection: Hash`, or a routing of one port, for the file's",
                    routing.word()
                );
                self.account.push(KeyAccount::new("(routing)", "", KeyFate::Changed, what));
            }
            return Ok(self);
        };
        let wanted = self.settings[place].1.clone();
        let own = match routing {
            RoutingSpec::Adaptive { groups: GroupsSpec::Parallel } => PARALLEL,
            other => other.word(),
        };
        let replaced = is_assumed(base);
        let (fate, what) = match routing {
            _ if replaced => (
                KeyFate::Used,
                format!("`routing: {wanted}` replaces `{own}`, which the import of the fabric had assumed"),
            ),
            RoutingSpec::Adaptive { .. } if own == wanted => {
                (KeyFate::Used, format!("the scenario has `routing: {wanted}`, like the file"))
            }
            RoutingSpec::Ecmp if wanted == SHORTEST => (
                KeyFate::Used,
                format!("the scenario keeps its `routing: Ecmp`, which has the groups of `{wanted}`"),
            ),
            other if matches!(other, RoutingSpec::Adaptive { .. }) || own == TABLES && other.has_groups() => {
                (
                    KeyFate::Approximated,
                    format!("the scenario keeps its own `routing: {own}`; the file has `{wanted}`"),
                )
            }
            _ => return Err(base.diagnostic(&OtherRouting { own, wanted })),
        };
        if !replaced {
            self.settings.remove(place);
        }
        self.account.push(KeyAccount::new("(routing)", "", fate, what));
        Ok(self)
    }

    /// Puts the fields into a scenario. Files that the scenario names come along.
    ///
    /// # Errors
    /// If the scenario has no such field, is wrong itself, or names a file that is not there.
    pub fn into_scenario(self, base: ScenarioText) -> Result<ImportedScenario, Diagnostic> {
        self.into_scenario_with(base, Vec::new())
    }

    /// Puts the fields into a scenario, with files of the import's own that the fields name.
    ///
    /// # Errors
    /// As [`into_scenario`](Self::into_scenario), or if the scenario names another file of such a name.
    pub(super) fn into_scenario_with(
        self,
        mut base: ScenarioText,
        mut files: Vec<(String, String)>,
    ) -> Result<ImportedScenario, Diagnostic> {
        let own = files.len();
        for (path, value) in &self.settings {
            let origin = format!("imported {path}");
            base.set_by(origin.clone(), &format!("{path}={value}"))
                .map_err(|fault| unfit(&fault, &origin, path))?;
        }
        let scenario = Scenario::read(&base)?;
        let topology = match &scenario.topology {
            TopologySpec::HpccFile(file) => Some(file.as_str()),
            _ => None,
        };
        let named = scenario.traffic.iter().filter_map(|pattern| pattern.file().map(|(name, _)| name));
        for name in topology.into_iter().chain(named) {
            match files.iter().position(|(known, _)| known == name) {
                Some(place) if place < own => return Err(taken(name)),
                Some(_) => continue,
                None => {}
            }
            let text = base.text_beside(name).map_err(|error| LocatedFault {
                file: name.to_owned(),
                place: None,
                path: String::new(),
                message: format!("the file that the scenario names cannot be read: {error}"),
                help: Some("put it beside the scenario".to_owned()),
            })?;
            files.push((name.to_owned(), text));
        }
        let scenario = base.text().to_owned();
        Ok(ImportedScenario { scenario, files, account: self.account, warnings: Vec::new() })
    }
}

/// Returns true if switches of a scenario choose ports by another rule than a hash.
fn chooses(scenario: &Scenario) -> bool {
    let by_default = matches!(scenario.routing, RoutingSpec::Adaptive { .. });
    let selection = scenario.switch.selection;
    scenario.routing.has_groups() && selection.map_or(by_default, |selector| selector != SelectionSpec::Hash)
}

/// Returns the fault of a scenario that names a file like one of the import.
fn taken(name: &str) -> Diagnostic {
    let fault = LocatedFault {
        file: name.to_owned(),
        place: None,
        path: String::new(),
        message: "the scenario names a file of this name, which the imported file would overwrite".to_owned(),
        help: Some("rename one of the two".to_owned()),
    };
    fault.into()
}

/// Returns a fault of a setting that a scenario does not take, as a fault of the scenario: nobody has written the
/// setting.
fn unfit(fault: &Diagnostic, origin: &str, path: &str) -> Diagnostic {
    let told = |one: &LocatedFault| match one {
        one if one.file != origin => one.clone(),
        LocatedFault { file, message, .. } => LocatedFault {
            file: file.clone(),
            place: None,
            path: String::new(),
            message: message.clone(),
            help: Some(format!(
                "import into a scenario with a `{path}` of the same kind, or into a new one: leave out `--into`"
            )),
        },
    };
    Diagnostic::new(fault.faults().iter().map(told).collect())
}
