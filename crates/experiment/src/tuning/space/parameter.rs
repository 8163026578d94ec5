//! Parameters of a space: name, path, and how a value stands behind the path.
//!
//! Invariant: a value that was written reads back as its number.

use serde::Deserialize;
use settings::FieldPath;
use units::{Bytes, Rate, Span};

use super::values::{Value, Values, rounded};

/// Place of the number in the text of a parameter.
const PLACE: &str = "{}";

/// Significant digits of a quantity in another unit, fewer than a division leaves right.
const PLAIN_DIGITS: i32 = 12;

/// A parameter of a space.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parameter {
    /// Name in tables.
    pub name: String,
    /// Path of the field, as `--set` takes it.
    pub path: String,
    /// Values.
    pub values: Values,
    /// Unit written behind a number; none if left out.
    #[serde(default)]
    pub unit: Option<String>,
    /// Text of the value, with `{}` in place of the number; the number itself if left out.
    #[serde(default)]
    pub text: Option<String>,
    /// Name of an earlier parameter that the number is a multiple of: `values` are the factors.
    #[serde(default)]
    pub times: Option<String>,
}

impl Parameter {
    /// Returns the value as it stands behind the path: `128`, `"12.5 KB"`, `Linear(entries: 128, shift: 3, step: 2)`.
    #[must_use]
    pub fn written(&self, value: &Value, number: f64) -> String {
        let bare = match (value, &self.values) {
            (Value::Choice(index), Values::Choice(choices)) => choices[*index].clone(),
            _ => number.to_string(),
        };
        let with_unit = match &self.unit {
            Some(unit) if self.text.is_none() => format!("\"{bare} {unit}\""),
            Some(unit) => format!("{bare} {unit}"),
            None => bare,
        };
        self.text.as_ref().map_or(with_unit.clone(), |text| text.replace(PLACE, &with_unit))
    }

    /// Returns the number of a value that stands behind the path, in the parameter's unit. `"100 KB"` gives 100; a
    /// choice gives its index. `None` if the value is no such number.
    #[must_use]
    pub fn number_of(&self, written: &str) -> Option<f64> {
        let (before, behind) =
            self.text.as_deref().and_then(|text| text.split_once(PLACE)).unwrap_or_default();
        let bare = written.trim().strip_prefix(before)?.strip_suffix(behind)?.trim_matches('"');
        match (&self.values, &self.unit) {
            (Values::Choice(choices), _) => {
                choices.iter().position(|choice| choice == bare).map(|index| index as f64)
            }
            (_, Some(unit)) => in_unit(bare, unit),
            (_, None) => bare.parse().ok().filter(|number: &f64| number.is_finite()),
        }
    }

    /// Returns the fault of the parameter by itself: field, message, help.
    pub(super) fn fault(&self) -> Option<(&'static str, String, String)> {
        if self.name.is_empty() {
            return Some((
                "name",
                "a parameter has no name".to_owned(),
                "write a name for tables".to_owned(),
            ));
        }
        if let Err(error) = FieldPath::parse(&self.path) {
            let help = "write a path as `--set` takes it, such as `congestion_control.marking.kmin`";
            return Some(("path", format!("`{}` is not a path: {error}", self.path), help.to_owned()));
        }
        if let Some(text) = &self.text
            && text.matches(PLACE).count() != 1
        {
            let message = format!("`{text}` has no single place for the number");
            return Some(("text", message, format!("write `{PLACE}` where the number stands, once")));
        }
        if self.times.is_some() && !matches!(self.values, Values::Linear { .. } | Values::Log { .. }) {
            let message = "a multiple has no whole number or choice as its factor".to_owned();
            return Some(("values", message, "write `Linear` or `Log`, or leave out `times`".to_owned()));
        }
        if matches!(self.values, Values::Choice(_)) && self.unit.is_some() {
            let message = "choices are written as they are, without a unit".to_owned();
            return Some(("unit", message, "write the unit in each choice".to_owned()));
        }
        let (message, help) = self.values.fault()?;
        Some(("values", message, help))
    }
}

/// Returns a quantity as a multiple of a unit; `None` if their dimensions differ.
fn in_unit(quantity: &str, unit: &str) -> Option<f64> {
    let one = format!("1 {unit}");
    let ratio = |read: fn(&str) -> Option<f64>| Some(rounded(read(quantity)? / read(&one)?, PLAIN_DIGITS));
    ratio(|text| text.parse().ok().map(|span: Span| span.ps() as f64))
        .or_else(|| ratio(|text| text.parse().ok().map(|bytes: Bytes| bytes.get() as f64)))
        .or_else(|| ratio(|text| text.parse().ok().map(|rate: Rate| rate.get() as f64)))
}
