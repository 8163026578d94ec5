//! Spaces of settings: the parameters of a search, their ranges, and the overrides that a point stands for.
//!
//! Invariant: every point of the unit cube is a setting of the space. A number that depends on another is a multiple of it,
//! so no point breaks their order.
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

use std::path::Path;

use scenario::{Diagnostic, LocatedFault, ScenarioText, help_with_name};
use serde::Deserialize;
use settings::FieldPath;
use units::{Bytes, Rate, Span};

use super::point::Point;

macro_rules! spaces {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../../../fixtures/spaces/", $name, ".ron")))),*]
    };
}

/// Spaces that ship, by name, with their text.
pub const SPACES: &[(&str, &str)] = spaces!["iba", "dcqcn", "pfc", "hp"];

/// Place of the number in the text of a parameter.
const PLACE: &str = "{}";

/// A space of settings, checked.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Space {
    /// Purpose of the space, in a sentence.
    pub about: String,
    /// Overrides of every setting of the space, each as `PATH=VALUE`; the baseline is run without them.
    #[serde(default)]
    pub base: Vec<String>,
    /// Parameters, in the order of their overrides; at least one.
    pub parameters: Vec<Parameter>,
}

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

/// Values of a parameter. Ends belong to the range.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Values {
    /// Whole numbers, each as likely.
    Integer {
        /// Smallest number.
        from: i64,
        /// Largest number.
        to: i64,
    },
    /// Whole numbers above 0, each factor as likely.
    LogInteger {
        /// Smallest number, at least 1.
        from: i64,
        /// Largest number.
        to: i64,
    },
    /// Numbers, each as likely, to three significant digits of the range.
    Linear {
        /// Smallest number.
        from: f64,
        /// Largest number.
        to: f64,
    },
    /// Numbers above 0, each factor as likely, to three significant digits.
    Log {
        /// Smallest number, above 0.
        from: f64,
        /// Largest number.
        to: f64,
    },
    /// Values as they are written, without an order.
    Choice(Vec<String>),
}

/// Value of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Number, in the parameter's unit.
    Number(f64),
    /// Index among the choices.
    Choice(usize),
}

impl Space {
    /// Finds the space that a command line names: a file if there is one of this name or the name ends in `.ron`, else one
    /// that ships.
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
        let text = std::fs::read_to_string(file).map_err(|error| {
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

    /// Returns the values at a point of the unit cube, one for each parameter.
    #[must_use]
    pub fn values(&self, point: &Point) -> Vec<Value> {
        self.parameters
            .iter()
            .zip(point.coordinates())
            .map(|(parameter, at)| parameter.values.at(*at))
            .collect()
    }

    /// Returns the overrides of a point: those of the base, then one for each parameter.
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

    /// Returns the value of each parameter for a table: a number with its unit, without the text around it, or a choice.
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

    /// Returns the names of the parameters whose numbers lie at an end of their ranges.
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

    /// Returns the fault of a parameter beside the earlier ones.
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

    /// Returns the number of a value that stands behind the path, in the parameter's unit: of `"100 KB"` 100, of a choice its
    /// index; `None` if the value is no such number.
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
    fn fault(&self) -> Option<(&'static str, String, String)> {
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

/// Significant digits of numbers.
const DIGITS: i32 = 3;
/// Significant digits of a quantity in another unit, fewer than a division leaves right.
const PLAIN_DIGITS: i32 = 12;
/// Significant digits of a multiple, more than those of its factor and of the number below it.
const FINE_DIGITS: i32 = 4;

impl Values {
    /// Returns the value at a coordinate of 0 up to, and without, 1.
    #[must_use]
    pub fn at(&self, coordinate: f64) -> Value {
        let whole = |number: f64, from: i64, to: i64| (number.floor() as i64).clamp(from, to) as f64;
        match self {
            Self::Integer { from, to } => {
                Value::Number(whole(*from as f64 + coordinate * (to - from + 1) as f64, *from, *to))
            }
            Self::LogInteger { from, to } => {
                // Half a step beyond each end, so that the ends are as likely as their neighbours.
                let (low, high) = ((*from as f64 - 0.5).ln(), (*to as f64 + 0.5).ln());
                Value::Number(whole((low + coordinate * (high - low)).exp() + 0.5, *from, *to))
            }
            Self::Linear { from, to } => {
                let step = 10_f64.powi((to - from).log10().floor() as i32 - DIGITS + 1);
                let number = ((from + coordinate * (to - from)) / step).round() * step;
                Value::Number(rounded(number, 12).clamp(*from, *to))
            }
            Self::Log { from, to } => {
                let number = (from.ln() + coordinate * (to.ln() - from.ln())).exp();
                Value::Number(rounded(number, DIGITS).clamp(*from, *to))
            }
            Self::Choice(choices) => {
                Value::Choice(((coordinate * choices.len() as f64) as usize).min(choices.len() - 1))
            }
        }
    }

    /// Returns the number of choices; `None` for numbers.
    #[must_use]
    pub fn choices(&self) -> Option<usize> {
        match self {
            Self::Choice(choices) => Some(choices.len()),
            _ => None,
        }
    }

    /// Returns the number of different values; `None` if there are more than a table holds.
    #[must_use]
    pub fn count(&self) -> Option<usize> {
        match self {
            Self::Integer { from, to } | Self::LogInteger { from, to } => usize::try_from(to - from + 1).ok(),
            Self::Linear { .. } | Self::Log { .. } => None,
            Self::Choice(choices) => Some(choices.len()),
        }
    }

    /// Returns message and help of a wrong range.
    fn fault(&self) -> Option<(String, String)> {
        let order = |low: f64, high: f64, least: Option<(f64, &str)>| {
            let finite = low.is_finite() && high.is_finite();
            if !finite || low >= high {
                let help =
                    "write a `from` below `to`; a parameter with one value belongs to `base`".to_owned();
                return Some((format!("the range from {low} to {high} has no two values"), help));
            }
            let (_, words) = least.filter(|(least, _)| low < *least)?;
            let help = format!("write a `from` {words}, or values without factors");
            Some((format!("a range by factors does not begin at {low}"), help))
        };
        match self {
            Self::Integer { from, to } => order(*from as f64, *to as f64, None),
            Self::LogInteger { from, to } => order(*from as f64, *to as f64, Some((1.0, "of at least 1"))),
            Self::Linear { from, to } => order(*from, *to, None),
            Self::Log { from, to } => order(*from, *to, Some((f64::MIN_POSITIVE, "above 0"))),
            Self::Choice(choices) if choices.len() < 2 => {
                let help =
                    "write two choices or more; a parameter with one value belongs to `base`".to_owned();
                Some((format!("a choice among {} values is none", choices.len()), help))
            }
            Self::Choice(choices) => {
                let twice =
                    choices.iter().enumerate().find(|(place, one)| choices[..*place].contains(one))?;
                Some((format!("`{}` is given twice", twice.1), "write each choice once".to_owned()))
            }
        }
    }
}

/// Returns a quantity as a multiple of a unit; `None` if they are not of one dimension.
fn in_unit(quantity: &str, unit: &str) -> Option<f64> {
    let one = format!("1 {unit}");
    let ratio = |read: fn(&str) -> Option<f64>| Some(rounded(read(quantity)? / read(&one)?, PLAIN_DIGITS));
    ratio(|text| text.parse().ok().map(|span: Span| span.ps() as f64))
        .or_else(|| ratio(|text| text.parse().ok().map(|bytes: Bytes| bytes.get() as f64)))
        .or_else(|| ratio(|text| text.parse().ok().map(|rate: Rate| rate.get() as f64)))
}

/// Rounds a number to this many significant digits.
fn rounded(number: f64, digits: i32) -> f64 {
    if number == 0.0 || !number.is_finite() {
        return number;
    }
    let text = format!("{number:.*e}", (digits - 1) as usize);
    text.parse().expect("a number that was printed can be read")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shipped() -> Vec<(&'static str, Space)> {
        SPACES
            .iter()
            .map(|(name, _)| (*name, Space::find(name).unwrap_or_else(|error| panic!("{error}"))))
            .collect()
    }

    fn refused(text: &str) -> String {
        Space::read(&ScenarioText::new("mine.ron", text)).expect_err("the text is no space").to_string()
    }

    fn with(parameters: &str) -> String {
        format!("(about: \"a\", parameters: [{parameters}])")
    }

    #[test]
    fn ends_of_every_range_are_reached() {
        for (name, space) in shipped() {
            for parameter in &space.parameters {
                let (low, high) = (parameter.values.at(0.0), parameter.values.at(1.0 - 1e-12));
                let ends = match &parameter.values {
                    Values::Integer { from, to } | Values::LogInteger { from, to } => {
                        (*from as f64, *to as f64)
                    }
                    Values::Linear { from, to } | Values::Log { from, to } => (*from, *to),
                    Values::Choice(choices) => {
                        assert_eq!((low, high), (Value::Choice(0), Value::Choice(choices.len() - 1)));
                        continue;
                    }
                };
                assert_eq!(
                    (low, high),
                    (Value::Number(ends.0), Value::Number(ends.1)),
                    "{name}: {}",
                    parameter.name
                );
            }
        }
    }

    #[test]
    fn whole_numbers_are_equally_likely() {
        let values = Values::Integer { from: 3, to: 7 };
        let mut counts = [0; 5];
        for step in 0..1000 {
            let Value::Number(number) = values.at(f64::from(step) / 1000.0) else { panic!("it is a number") };
            counts[number as usize - 3] += 1;
        }
        assert_eq!(counts, [200; 5]);
    }

    #[test]
    fn the_text_of_a_value_has_its_unit_and_its_place() {
        let text = with(
            r#"(name: "a", path: "x.a", values: Log(from: 10, to: 1000), unit: "KB"),
               (name: "b", path: "x.b", values: Log(from: 2, to: 8), unit: "KB", times: "a"),
               (name: "c", path: "x.c", values: Integer(from: 1, to: 9), text: "Fixed({})"),
               (name: "d", path: "x.d", values: Choice(["On", "Off"]))"#,
        );
        let space =
            Space::read(&ScenarioText::new("mine.ron", &text)).unwrap_or_else(|error| panic!("{error}"));
        let overrides = space.overrides(&Point::new(vec![0.5, 0.5, 0.5, 0.9]));
        assert_eq!(space.at_ends(&Point::new(vec![0.0, 0.5, 0.99, 0.9])), ["a", "c"]);
        assert_eq!(overrides, ["x.a=\"100 KB\"", "x.b=\"400 KB\"", "x.c=Fixed(5)", "x.d=Off"]);
    }

    proptest! {
        /// The number of a value as it is written is the number of the point.
        #[test]
        fn a_value_reads_back_as_its_number(coordinates in proptest::collection::vec(0.0..1.0, 8)) {
            for (name, space) in shipped() {
                let point = Point::new(coordinates[..space.dimensions()].to_vec());
                let written = space.written(&point);
                for ((parameter, written), number) in space.parameters.iter().zip(written).zip(space.numbers(&point)) {
                    prop_assert_eq!(parameter.number_of(&written), Some(number), "{}: {}", name, written);
                }
            }
        }

        /// Kmin stays below Kmax, and R_AI below R_HAI, at every point of the cube.
        #[test]
        fn a_multiple_keeps_its_order(coordinates in proptest::collection::vec(0.0..1.0, 8)) {
            let space = Space::find("dcqcn").unwrap();
            let numbers = space.numbers(&Point::new(coordinates));
            let place = |name: &str| space.place(name).unwrap();
            prop_assert!(numbers[place("kmin")] < numbers[place("kmax")]);
            prop_assert!(numbers[place("r_ai")] < numbers[place("r_hai")]);
        }
    }

    #[test]
    fn a_value_of_another_form_has_no_number() {
        let space = Space::find("dcqcn").unwrap();
        let kmin = &space.parameters[0];
        assert_eq!(kmin.number_of("\"0.1 MB\""), Some(100.0));
        assert_eq!(
            (kmin.number_of("\"3 us\""), kmin.number_of("Off"), kmin.number_of("")),
            (None, None, None)
        );
        let step = &Space::find("iba").unwrap().parameters[4];
        assert_eq!(step.number_of("Entries([(0, 1)])"), None);
    }

    #[test]
    fn faults_have_a_place_and_a_correction() {
        let all = [
            refused("(about: \"a\", parameters: [])"),
            refused(&with("(name: \"a\", path: \"x..y\", values: Integer(from: 1, to: 2))")),
            refused(&with("(name: \"a\", path: \"x\", values: Integer(from: 2, to: 2))")),
            refused(&with("(name: \"a\", path: \"x\", values: Log(from: 0, to: 2))")),
            refused(&with("(name: \"a\", path: \"x\", values: Choice([\"A\", \"A\"]))")),
            refused(&with("(name: \"a\", path: \"x\", values: Integer(from: 1, to: 2), text: \"F\")")),
            refused(&with("(name: \"a\", path: \"x\", values: Log(from: 2, to: 3), times: \"b\")")),
            refused(&with("(name: \"a\", path: \"x\", values: Log(from: 2, to: 3), until: \"b\")")),
            refused(&with("(name: \"a\", path: \"x\", values: Logg(from: 2, to: 3))")),
            refused("(about: \"a\", parameters: ["),
        ];
        insta::assert_snapshot!(all.join("\n\n"));
    }
}
