//! Spaces of settings: the parameters of a search, their ranges, and the overrides that a point stands for.
//!
//! Invariant: every point of the unit cube is a setting of the space. A number that depends on another is a multiple of
//! it, so no point breaks their order.
//!
//! ```text
//! (
//!     about: "what the space is for",
//!     base: ["link.mtu=4 KiB"],                                        // overrides of every setting; may be left out
//!     parameters: [
//!         (name: "threshold", path: "congestion_control.marking.threshold", values: Integer(from: 1, to: 15)),
//!         (name: "kmin", path: "...", values: Log(from: 5, to: 400), unit: "KB"),
//!         (name: "kmax", path: "...", values: Log(from: 1.1, to: 40), unit: "KB", times: "kmin"),
//!         (name: "table", path: "...", values: LogInteger(from: 1, to: 64), text: "Linear(entries: 128, shift: 3, step: {})"),
//!         (name: "arbiter", path: "switch.arbiter", values: Choice(["RoundRobin", "OldestFirst"])),
//!     ],
//! )
//! ```
//!
//! | module | contents |
//! |---|---|
//! | here | the space: files, points, overrides |
//! | `parameter` | a parameter, and how its value stands behind the path |
//! | `values` | ranges and choices |

mod parameter;
mod values;

use settings::files::{MOST_TEXT, limited_text};
use std::path::Path;

use scenario::{Diagnostic, LocatedFault, ScenarioText, help_with_name};
use serde::Deserialize;
use settings::FieldPath;

use super::point::Point;
use values::{FINE_DIGITS, rounded};

pub use parameter::Parameter;
pub use values::{Value, Values};

macro_rules! spaces {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../../../../fixtures/spaces/", $name, ".ron")))),*]
    };
}

/// Spaces that ship, by name, with their text.
pub const SPACES: &[(&str, &str)] = spaces!["iba", "dcqcn", "pfc", "hp"];

/// A space of settings, checked.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Space {
    /// Purpose of the space, in a sentence.
    pub about: String,
    /// Overrides of every setting of the space, each as `PATH=VALUE`; the baseline is run without them.
    #[serde(default)]
    pub base: Vec<String>,
    /// Parameters, in the order of their overrides. The list is not empty.
    pub parameters: Vec<Parameter>,
}

impl Space {
    /// Finds the space that a command line names. It is a file if a file has this name or the name ends in `.ron`, else
    /// a shipped space.
    ///
    /// # Errors
    /// If there is no such space, or the file is not a space.
    pub fn find(argument: &str) -> Result<Self, Diagnostic> {
        let file = Path::new(argument);
        let is_file = file.is_file() || file.extension().is_some_and(|extension| extension == "ron");
        if !is_file && let Some((name, text)) = SPACES.iter().find(|(name, _)| *name == argument) {
            return Self::read(&ScenarioText::new(&format!("{name}.ron"), text));
        }
        let whole = |message: String, help: String| LocatedFault {
            file: argument.to_owned(),
            place: None,
            path: String::new(),
            message,
            help: Some(help),
        };
        let names = || SPACES.iter().map(|(name, _)| *name);
        if !is_file {
            let help = help_with_name(argument, names(), "spaces");
            return Err(whole("there is no file and no shipped space of this name".to_owned(), help).into());
        }
        let text = limited_text(file, MOST_TEXT).map_err(|error| {
            let help = format!("name a file of parameters, or a shipped space: {}", SPACES.map_names());
            whole(format!("it cannot be read: {error}"), help)
        })?;
        Self::read(&ScenarioText::new(argument, text.trim_start_matches('\u{feff}')))
    }

    /// Reads and checks a space.
    ///
    /// # Errors
    /// If the text is not a space: the place, the path and the correction of every fault.
    pub fn read(source: &ScenarioText) -> Result<Self, Diagnostic> {
        let space: Self = source.read_as()?;
        let faults = space.faults();
        if faults.is_empty() {
            return Ok(space);
        }
        let located = faults.into_iter().map(|(path, message, help)| {
            source.fault_at(&FieldPath::from(path.as_str()), message, Some(help))
        });
        Err(Diagnostic::new(located.collect()))
    }

    /// Returns the number of parameters.
    #[must_use]
    pub fn dimensions(&self) -> usize {
        self.parameters.len()
    }

    /// Returns the values at a point of the unit cube, in the order of the parameters.
    #[must_use]
    pub fn values(&self, point: &Point) -> Vec<Value> {
        self.parameters
            .iter()
            .zip(point.coordinates())
            .map(|(parameter, at)| parameter.values.at(*at))
            .collect()
    }

    /// Returns the overrides of a point: the base's overrides, then an override for each parameter.
    #[must_use]
    pub fn overrides(&self, point: &Point) -> Vec<String> {
        let written = self.written(point);
        let own = self
            .parameters
            .iter()
            .zip(written)
            .map(|(parameter, value)| format!("{}={value}", parameter.path));
        self.base.iter().cloned().chain(own).collect()
    }

    /// Returns the value of each parameter as it stands behind its path.
    #[must_use]
    pub fn written(&self, point: &Point) -> Vec<String> {
        let numbers = self.numbers(point);
        let write =
            |(parameter, (value, number)): (&Parameter, (Value, f64))| parameter.written(&value, number);
        self.parameters.iter().zip(self.values(point).into_iter().zip(numbers)).map(write).collect()
    }

    /// Returns the value of each parameter for a table: a number with its unit, without the text around it, or a
    /// choice.
    #[must_use]
    pub fn shown(&self, point: &Point) -> Vec<String> {
        let written = self.written(point).into_iter().zip(self.numbers(point));
        let shown = |(parameter, (written, number)): (&Parameter, (String, f64))| match parameter.values {
            Values::Choice(_) => written,
            _ => {
                parameter.unit.as_ref().map_or_else(|| number.to_string(), |unit| format!("{number} {unit}"))
            }
        };
        self.parameters.iter().zip(written).map(shown).collect()
    }

    /// Returns the number of each parameter, with multiples written out; the index of a choice.
    #[must_use]
    pub fn numbers(&self, point: &Point) -> Vec<f64> {
        let mut numbers: Vec<f64> = Vec::with_capacity(self.dimensions());
        for (parameter, value) in self.parameters.iter().zip(self.values(point)) {
            numbers.push(match value {
                Value::Choice(index) => index as f64,
                Value::Number(factor) => match parameter.times.as_ref().and_then(|name| self.place(name)) {
                    Some(place) => rounded(factor * numbers[place], FINE_DIGITS),
                    None => factor,
                },
            });
        }
        numbers
    }

    /// Returns the names of the parameters with numbers at an end of their ranges.
    #[must_use]
    pub fn at_ends(&self, point: &Point) -> Vec<&str> {
        let at_end = |parameter: &Parameter, at: f64| {
            let own = parameter.values.at(at);
            let ends = [0.0, 1.0 - f64::EPSILON].map(|end| parameter.values.at(end));
            parameter.values.choices().is_none() && ends.contains(&own)
        };
        let all = self.parameters.iter().zip(point.coordinates());
        all.filter(|(parameter, at)| at_end(parameter, **at)).map(|(one, _)| one.name.as_str()).collect()
    }

    fn place(&self, name: &str) -> Option<usize> {
        self.parameters.iter().position(|parameter| parameter.name == name)
    }

    /// Returns the faults: path, message, help.
    fn faults(&self) -> Vec<(String, String, String)> {
        if self.parameters.is_empty() {
            let help = "write at least one `(name: ..., path: ..., values: ...)`".to_owned();
            return vec![("parameters".to_owned(), "a space has no parameters".to_owned(), help)];
        }
        let mut faults = Vec::new();
        for (place, assignment) in self.base.iter().enumerate() {
            if !assignment.contains('=') {
                let message = format!("`{assignment}` is not an override");
                faults.push((format!("base[{place}]"), message, "write `PATH=VALUE`".to_owned()));
            }
        }
        for (place, parameter) in self.parameters.iter().enumerate() {
            let found = parameter.fault().or_else(|| self.fault_among(place));
            if let Some((field, message, help)) = found {
                faults.push((format!("parameters[{place}].{field}"), message, help));
            }
        }
        faults
    }

    /// Returns the fault of a parameter beside the earlier parameters.
    fn fault_among(&self, place: usize) -> Option<(&'static str, String, String)> {
        let (earlier, parameter) = (&self.parameters[..place], &self.parameters[place]);
        if earlier.iter().any(|one| one.name == parameter.name) {
            let message = format!("two parameters are called `{}`", parameter.name);
            return Some(("name", message, "write another name".to_owned()));
        }
        if earlier.iter().any(|one| one.path == parameter.path) {
            let message = format!("two parameters set `{}`: the second would hide the first", parameter.path);
            return Some(("path", message, "delete one of them".to_owned()));
        }
        let times = parameter.times.as_ref()?;
        let numbers = earlier.iter().filter(|one| !matches!(one.values, Values::Choice(_)));
        if numbers.clone().any(|one| one.name == *times) {
            return None;
        }
        let help =
            help_with_name(times, numbers.map(|one| one.name.as_str()), "earlier parameters with numbers");
        Some(("times", format!("there is no earlier parameter `{times}` with a number"), help))
    }
}

/// Names of the spaces that ship, for messages.
trait Names {
    fn map_names(&self) -> String;
}

impl Names for &[(&str, &str)] {
    fn map_names(&self) -> String {
        self.iter().map(|(name, _)| format!("`{name}`")).collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests;
