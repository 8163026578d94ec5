//! A policy of one's own, as a scenario has it.
//!
//! Invariant: the settings are plain data. Only the policy knows their meaning.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use settings::{Fault, FieldPath};

/// A policy of a user's program: `Own(name: "aimd", settings: {"cut": 0.5})`. The program that runs the scenario
/// registers the policy under this name; the command `backwater` has none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OwnSpec {
    /// Name under which the program registers the policy.
    pub name: String,
    /// Settings of the policy, by name: numbers, texts with units, lists.
    #[serde(default, deserialize_with = "without_nulls")]
    pub settings: BTreeMap<String, Value>,
}

impl OwnSpec {
    /// Reads the settings as the type of the policy.
    ///
    /// # Errors
    /// If they are not of that type.
    pub(super) fn read<S: DeserializeOwned>(&self) -> Result<S, Fault> {
        let settings = Value::Object(self.settings.clone().into_iter().collect());
        serde_json::from_value(settings).map_err(|error| Fault {
            path: "settings".into(),
            message: format!("`{}` cannot read its settings: {error}", self.name),
            help: Some("the type `Settings` of the policy has their names and kinds".to_owned()),
        })
    }

    /// Returns the path of the settings.
    pub(super) fn path() -> FieldPath {
        "settings".into()
    }
}

/// Reads settings. A word without quotes, which RON reads as a unit, is refused, so that `--set` puts quotes around it.
fn without_nulls<'de, D: Deserializer<'de>>(from: D) -> Result<BTreeMap<String, Value>, D::Error> {
    let settings = BTreeMap::<String, Value>::deserialize(from)?;
    match settings.iter().find(|(_, value)| has_null(value)) {
        Some((name, _)) => Err(D::Error::custom(format!("`{name}` has no value: a text stands in quotes"))),
        None => Ok(settings),
    }
}

fn has_null(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(values) => values.iter().any(has_null),
        Value::Object(fields) => fields.values().any(has_null),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}
