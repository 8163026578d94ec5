//! Settings without a fabric: fields of a scenario by their paths.
//!
//! Invariant: each is put into a scenario like `--set PATH=VALUE`, so that its value is read and checked like any
//! other.

use settings::{FieldPath, SettingError};
use topology::{RoutingSpec, TopologySpec};

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
}

/// Path of the routing, which a scenario of the user's keeps.
const ROUTING: &str = "routing";

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
        Some(format!(
            "write `routing: {}` there first; or leave out `--into`, for a draft of this kind",
            self.wanted
        ))
    }
}

impl ImportedSettings {
    /// Returns true if the settings have a routing with groups of ports.
    #[must_use]
    pub fn have_groups(&self) -> bool {
        self.settings.iter().any(|(path, _)| path == ROUTING)
    }

    /// Leaves the routing of a user's scenario as it is, for [`into_scenario`](Self::into_scenario) into it.
    ///
    /// # Errors
    /// If the scenario's routing has a single port for each host, or is wrong itself.
    pub fn keeping_routing_of(mut self, base: &ScenarioText) -> Result<Self, Diagnostic> {
        let Some(place) = self.settings.iter().position(|(path, _)| path == ROUTING) else { return Ok(self) };
        let routing = Scenario::read(base)?.routing;
        let (_, wanted) = self.settings.remove(place);
        let kept = match &routing {
            RoutingSpec::Adaptive { .. } | RoutingSpec::Tables(_) => routing.word(),
            other => return Err(base.diagnostic(&OtherRouting { own: other.word(), wanted })),
        };
        let what = format!("the scenario keeps its own `routing: {kept}` in place of `{wanted}`");
        self.account.push(KeyAccount::new("(routing)", "", KeyFate::Approximated, what));
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
