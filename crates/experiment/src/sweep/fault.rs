//! Faults of what a sweep is asked for, each with its place.
//!
//! Invariant: a fault names the option or the place in the sweep file, and says what would be right.

use scenario::{Diagnostic, LocatedFault, ScenarioText};
use settings::FieldPath;

use crate::seeds::SeedListError;

/// A fault of a list, a range or a choice of seeds, without its place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the message of each says what it is")]
pub enum ValueFault {
    #[error("a value is empty")]
    Empty,
    #[error("the value `{value}` is there twice")]
    Twice { value: String },
    #[error("`{bracket}` closes nothing that is open")]
    Bracket { bracket: char },
    #[error("`{missing}` is missing")]
    Open { missing: char },
    #[error("`=` is missing")]
    NoEquals,
    #[error("the path is empty")]
    NoPath,
    #[error("`{given}` is not a range")]
    RangeForm { given: String },
    #[error("`{given}` is neither a number nor a quantity")]
    End { given: String },
    #[error("`{from}` and `{to}` are not of one kind")]
    Ends { from: String, to: String },
    #[error("a range cannot lead from `{from}` to `{to}`")]
    Order { from: String, to: String },
    #[error("a logarithmic range cannot begin at `{from}`")]
    LogOfZero { from: String },
    #[error("the range has no number of values")]
    NoSteps,
    #[error("`{given}` is not a number of values")]
    Steps { given: String, most: usize },
    #[error("of {steps} values two are `{value}`")]
    TooDense { steps: usize, value: String },
    #[error("a range of a Latin hypercube has no number of values")]
    StepsOfHypercube,
    #[error("a Latin hypercube needs a range")]
    HypercubeAlone,
    #[error("two points of the Latin hypercube are `{point}`")]
    SamePoints { point: String },
    #[error("`{given}` is not a number of points")]
    Points { given: usize, most: usize },
    #[error("the lists have {lengths} values")]
    Lengths { lengths: String },
    #[error("`{path}` is varied twice")]
    VariedTwice { path: String },
    #[error("`{path}` is a seed")]
    Seed { path: String },
    #[error("there are no variants `{name}`")]
    UnknownVariants { name: String, known: Vec<String> },
    #[error("the variant `{name}` is there twice")]
    VariantTwice { name: String },
    #[error("the variant `{name}`: {fault}")]
    VariantName { name: String, fault: names::rule::NameFault },
    #[error("there is no variant in the list")]
    NoVariants,
    #[error("the variant has no name")]
    UnnamedVariant,
    #[error(transparent)]
    Seeds(#[from] SeedListError),
    #[error("`{given}` is not a kind of seeds")]
    SeedKind { given: String },
    #[error("the seeds of `{kind}` are given twice")]
    SeedsTwice { kind: String },
    #[error("the sweep has {runs} runs, more than {most}")]
    TooMany { runs: String, most: usize },
    #[error("no scenario is named")]
    NoScenario,
    #[error("`duration` is given beside `--at-most`")]
    TwoDurations,
}

impl ValueFault {
    /// Returns the correction.
    #[must_use]
    pub fn help(&self) -> String {
        match self {
            Self::Empty => "write values between the commas, such as `PATH=A,B`".to_owned(),
            Self::Twice { .. } => "write each value once".to_owned(),
            Self::Bracket { .. } | Self::Open { .. } => {
                "write a value with brackets or quotes as a scenario has it; a comma in it divides no values".to_owned()
            }
            Self::NoEquals | Self::NoPath => {
                "write the path of a field, `=` and its values, such as `link.mtu=1 KiB,2 KiB`".to_owned()
            }
            Self::RangeForm { .. } => {
                "write `PATH=lin:FROM..TO:N` or `PATH=log:FROM..TO:N`, such as `duration=lin:1 ms..5 ms:3`".to_owned()
            }
            Self::End { .. } => "write numbers, such as `1..10`, or quantities, such as `1 us..10 us`".to_owned(),
            Self::Ends { .. } => "write both ends as times, amounts of data, rates, lengths or plain numbers".to_owned(),
            Self::Order { .. } => "write the smaller end first".to_owned(),
            Self::LogOfZero { .. } => "begin above 0, or write `lin:`".to_owned(),
            Self::NoSteps => "add it, such as `lin:1..10:4`, or draw points with `--lhs N`".to_owned(),
            Self::Steps { most, .. } | Self::Points { most, .. } => {
                format!("write a whole number from 2 to {most}")
            }
            Self::TooDense { .. } => "write fewer values".to_owned(),
            Self::StepsOfHypercube => {
                "leave the number of values out: `--lhs` gives the number of points; or list the values with `--vary`"
                    .to_owned()
            }
            Self::HypercubeAlone => "add `--range PATH=lin:FROM..TO` for each parameter".to_owned(),
            Self::SamePoints { .. } => "write fewer points, or wider ranges".to_owned(),
            Self::Lengths { .. } => "write lists of one length, or vary each with `--vary`".to_owned(),
            Self::VariedTwice { .. } => "write all its values in one list".to_owned(),
            Self::Seed { .. } => "write `--seeds 1..=20`, or `--seeds traffic=1..=20`".to_owned(),
            Self::UnknownVariants { name, known } => scenario::help_with_name(name, known, "lists of variants"),
            Self::VariantTwice { .. } => "give it another name".to_owned(),
            Self::VariantName { fault, .. } => fault.help(),
            Self::NoVariants | Self::UnnamedVariant => {
                "write `--variant 'NAME: PATH=VALUE; PATH=VALUE'`, such as `--variant 'off: congestion_control=Off'`".to_owned()
            }
            Self::Seeds(error @ SeedListError::Form { .. }) => {
                format!("{}; `traffic=`, `ecmp=` or `marking=` before it varies these seeds apart", error.help())
            }
            Self::Seeds(error) => error.help().to_owned(),
            Self::SeedKind { .. } => "write `traffic`, `ecmp`, `marking`, or no name for all streams".to_owned(),
            Self::SeedsTwice { .. } => "write them in one list".to_owned(),
            Self::TooMany { .. } => "vary fewer fields at once, or draw points with `--lhs N`".to_owned(),
            Self::TwoDurations => "with `--until-done`, leave out one of the two: both are the longest time of a run".to_owned(),
            Self::NoScenario => "name a file or a shipped scenario: `backwater sweep victim --seeds 1..=5`".to_owned(),
        }
    }
}

/// A text of the command line or of a sweep file, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    /// The text.
    pub text: String,
    /// The place.
    pub place: GivenPlace,
}

/// Place of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GivenPlace {
    /// An option of the command line.
    Option(&'static str),
    /// A path in the sweep file.
    File(FieldPath),
}

impl Given {
    /// Takes the value of an option.
    #[must_use]
    pub fn by_option(option: &'static str, text: &str) -> Self {
        Self { text: text.to_owned(), place: GivenPlace::Option(option) }
    }

    /// Returns a fault of this text. `file` is the sweep file, if any.
    pub(crate) fn fault(&self, fault: &ValueFault, file: Option<&ScenarioText>) -> Diagnostic {
        let (message, help) = (fault.to_string(), Some(fault.help()));
        match (&self.place, file) {
            (GivenPlace::File(path), Some(source)) => source.fault_at(path, message, help).into(),
            (place, _) => {
                let file = match place {
                    GivenPlace::Option(option) if self.text.is_empty() => (*option).to_owned(),
                    GivenPlace::Option(option) => format!("{option} {}", self.text),
                    GivenPlace::File(path) => path.to_string(),
                };
                LocatedFault { file, place: None, path: String::new(), message, help }.into()
            }
        }
    }
}
