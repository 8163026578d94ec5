//! Measures as users write them: `p99(victims)`, `goodput(all, 2)`, `last("my job")`.
//!
//! Invariant: a printed measure reads back as itself, and each measure has a single printed form.
//!
//! ```text
//! measure = quantity "(" group [ "," phase ] ")"
//! group   = name without spaces, brackets, commas and quotation marks, or any name in quotation marks
//! phase   = its number, from 1
//! ```

use std::fmt::{self, Display, Formatter};
use std::num::NonZeroU32;
use std::str::FromStr;

use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde::ser::{Serialize, Serializer};

use crate::quantity::{Quantity, Reach};

/// Name of the group of all flows.
pub const ALL: &str = "all";

/// A number to be read off a run: a quantity of a group of flows.
///
/// ```
/// use measures::Measure;
/// let measure: Measure = "goodput( \"my job\",2 )".parse()?;
/// assert_eq!(measure.to_string(), "goodput(\"my job\", 2)");
/// # Ok::<(), measures::MeasureError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Measure {
    /// Name of the group, of a flow, `all`, `others`, `victims` or `contributors`.
    pub group: String,
    /// The quantity.
    pub quantity: Quantity,
    /// The phase, counted from 1; `None` for the whole run or the quantity's own choice.
    pub phase: Option<NonZeroU32>,
}

/// Error of a text that is not a measure, or of a measure that a scenario does not have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("column {column} of `{text}`: {fault}")]
pub struct MeasureError {
    /// The text as given.
    pub text: String,
    /// First character at fault, counted from 1.
    pub column: usize,
    /// The fault.
    pub fault: MeasureFault,
    /// The correction, in a line.
    pub help: String,
}

/// Reason that a text is not a measure.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MeasureFault {
    /// No quantity has this name.
    #[error("`{0}` is no measure")]
    Quantity(String),
    /// The bracket before the group is missing.
    #[error("the group of flows is missing")]
    Open,
    /// The name of the group is empty.
    #[error("the name of the group is empty")]
    NoGroup,
    /// A quotation mark without its twin.
    #[error("a quotation mark is not closed")]
    Quote,
    /// Neither a comma nor the closing bracket follows the group.
    #[error("the closing bracket is missing")]
    Close,
    /// The phase is not a whole number of at least 1.
    #[error("`{0}` is not the number of a phase")]
    Phase(String),
    /// The quantity has no value in a phase.
    #[error("`{0}` is measured over the whole run")]
    WholeRun(&'static str),
    /// The quantity belongs to the whole fabric.
    #[error("`{0}` is measured over the whole fabric")]
    WholeFabric(&'static str),
    /// Something follows the measure.
    #[error("`{0}` does not belong to a measure")]
    Rest(String),
    /// The scenario has no such group.
    #[error("the scenario has no group or flow `{0}`")]
    UnknownGroup(String),
    /// The scenario has no such job.
    #[error("the scenario has no job `{0}`")]
    UnknownJob(String),
    /// The scenario has a group or flow with the name of all flows.
    #[error("the scenario has a group or flow `{ALL}`, so `{ALL}` has two meanings")]
    AmbiguousAll,
    /// The scenario has no such phase.
    #[error("the scenario has no phase {0}")]
    UnknownPhase(NonZeroU32),
}

/// A text, and the place that the reader has reached in it.
struct Reader<'a> {
    text: &'a str,
    place: usize,
}

impl Measure {
    /// Returns a quantity of all flows over the whole run.
    #[must_use]
    pub fn of_all(quantity: Quantity) -> Self {
        Self { group: ALL.to_owned(), quantity, phase: None }
    }

    /// Reads the measure at the beginning of a text, and returns it with the text behind it.
    ///
    /// # Errors
    /// If the text does not begin with a measure.
    pub fn read_first(text: &str) -> Result<(Self, &str), MeasureError> {
        let mut reader = Reader { text, place: 0 };
        let measure = reader.measure()?;
        Ok((measure, reader.rest()))
    }

    /// Reads measures separated by commas.
    ///
    /// # Errors
    /// If any of them is not a measure, or the list is empty.
    pub fn read_list(text: &str) -> Result<Vec<Self>, MeasureError> {
        let mut reader = Reader { text, place: 0 };
        let mut all = vec![reader.measure()?];
        while reader.takes(',') {
            all.push(reader.measure()?);
        }
        reader.end()?;
        Ok(all)
    }

    /// Returns a name for columns of tables, with the unit at its end: `p99(victims)_s`.
    #[must_use]
    pub fn column_name(&self) -> String {
        format!("{self}{}", self.quantity.info().unit.suffix())
    }

    /// Makes the error of this measure in its printed form; `at` is the part at fault.
    #[must_use]
    pub fn fault(&self, at: &str, fault: MeasureFault, help: String) -> MeasureError {
        let text = self.to_string();
        let column = text.rfind(at).map_or(1, |place| text[..place].chars().count() + 1);
        MeasureError { text, column, fault, help }
    }
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.place..]
    }

    fn skip_spaces(&mut self) {
        // Stored measures have hardly any spaces, and a sweep reads thousands of them.
        if self.text.as_bytes().get(self.place).is_some_and(|byte| !byte.is_ascii_graphic()) {
            self.place += self.rest().len() - self.rest().trim_start().len();
        }
    }

    /// Takes a character after spaces; returns false if another character is there.
    fn takes(&mut self, wanted: char) -> bool {
        self.skip_spaces();
        let there = self.rest().starts_with(wanted);
        self.place += if there { wanted.len_utf8() } else { 0 };
        there
    }

    /// Takes characters up to the first that ends a plain word.
    fn word(&mut self) -> &'a str {
        self.skip_spaces();
        let rest = self.rest();
        let end = rest.find(ends_a_word).unwrap_or(rest.len());
        self.place += end;
        &rest[..end]
    }

    fn error(&self, place: usize, fault: MeasureFault, help: impl Into<String>) -> MeasureError {
        let column = self.text[..place].chars().count() + 1;
        MeasureError { text: self.text.to_owned(), column, fault, help: help.into() }
    }

    fn measure(&mut self) -> Result<Measure, MeasureError> {
        self.skip_spaces();
        let at = self.place;
        let name = self.word();
        let quantity = Quantity::named(name)
            .ok_or_else(|| self.error(at, MeasureFault::Quantity(name.to_owned()), Quantity::help(name)))?;
        if !self.takes('(') {
            let help = format!("write `{name}({ALL})`, or the name of a group or flow in the brackets");
            return Err(self.error(self.place, MeasureFault::Open, help));
        }
        let group = self.group(quantity)?;
        let phase = if self.takes(',') { Some(self.phase(quantity)?) } else { None };
        if !self.takes(')') {
            let help = "write `)`, and the group's name in quotation marks if it has spaces or brackets";
            return Err(self.error(self.place, MeasureFault::Close, help));
        }
        Ok(Measure { group, quantity, phase })
    }

    fn group(&mut self, quantity: Quantity) -> Result<String, MeasureError> {
        self.skip_spaces();
        let at = self.place;
        let name = if self.takes('"') { self.quoted(at)? } else { self.word().to_owned() };
        if name.is_empty() {
            let help = format!("write `{ALL}`, or the name of a group or flow");
            return Err(self.error(at, MeasureFault::NoGroup, help));
        }
        let info = quantity.info();
        if info.reach == Reach::Fabric && name != ALL {
            let help = format!("write `{}({ALL})`", info.name);
            return Err(self.error(at, MeasureFault::WholeFabric(info.name), help));
        }
        Ok(name)
    }

    /// Reads a name up to its closing quotation mark. A backslash stands before a mark or a backslash in the name.
    fn quoted(&mut self, at: usize) -> Result<String, MeasureError> {
        let mut name = String::new();
        let mut escaped = false;
        for (place, letter) in self.rest().char_indices() {
            match letter {
                '"' if !escaped => {
                    self.place += place + 1;
                    return Ok(name);
                }
                '\\' if !escaped => escaped = true,
                other => {
                    name.push(other);
                    escaped = false;
                }
            }
        }
        Err(self.error(at, MeasureFault::Quote, "write `\"` at the end of the name"))
    }

    fn phase(&mut self, quantity: Quantity) -> Result<NonZeroU32, MeasureError> {
        self.skip_spaces();
        let at = self.place;
        let word = self.word();
        let info = quantity.info();
        if matches!(info.reach, Reach::Run | Reach::Fabric | Reach::Job) {
            let help = format!("leave the phase out: `{}(GROUP)`", info.name);
            return Err(self.error(at, MeasureFault::WholeRun(info.name), help));
        }
        word.parse().map_err(|_| {
            let help = "write a whole number from 1; `phases.csv` of a run lists its phases";
            self.error(at, MeasureFault::Phase(word.to_owned()), help)
        })
    }

    /// Checks that only spaces are left.
    fn end(&mut self) -> Result<(), MeasureError> {
        self.skip_spaces();
        let rest = self.rest();
        if rest.is_empty() {
            return Ok(());
        }
        Err(self.error(self.place, MeasureFault::Rest(rest.to_owned()), "end the measure with its bracket"))
    }
}

fn ends_a_word(letter: char) -> bool {
    letter.is_whitespace() || matches!(letter, '(' | ')' | ',' | '"')
}

impl FromStr for Measure {
    type Err = MeasureError;

    fn from_str(text: &str) -> Result<Self, MeasureError> {
        let mut reader = Reader { text, place: 0 };
        let measure = reader.measure()?;
        reader.end()?;
        Ok(measure)
    }
}

impl Display for Measure {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.quantity.name())?;
        f.write_str("(")?;
        if self.group.is_empty() || self.group.contains(ends_a_word) {
            write!(f, "\"{}\"", self.group.replace('\\', "\\\\").replace('"', "\\\""))?;
        } else {
            f.write_str(&self.group)?;
        }
        self.phase.map_or(Ok(()), |phase| write!(f, ", {phase}"))?;
        f.write_str(")")
    }
}

/// A measure is stored as users write it.
impl Serialize for Measure {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.to_string())
    }
}

impl<'de> Deserialize<'de> for Measure {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(MeasureVisitor)
    }
}

struct MeasureVisitor;

impl Visitor<'_> for MeasureVisitor {
    type Value = Measure;

    fn expecting(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("a measure")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Measure, E> {
        text.parse().map_err(|error: MeasureError| E::custom(format!("{error}; {}", error.help)))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn refused(text: &str) -> (usize, String, String) {
        let error = text.parse::<Measure>().expect_err(text);
        (error.column, error.fault.to_string(), error.help)
    }

    #[test]
    fn a_list_and_a_constraint_are_read_from_the_left() {
        let list = Measure::read_list(" p99(victims) , goodput(all, 2)").unwrap();
        assert_eq!(
            list.iter().map(Measure::to_string).collect::<Vec<_>>(),
            ["p99(victims)", "goodput(all, 2)"]
        );
        let (measure, rest) = Measure::read_first("last(incast) < 3 ms").unwrap();
        assert_eq!((measure.to_string().as_str(), rest), ("last(incast)", " < 3 ms"));
        assert_eq!(measure.column_name(), "last(incast)_s");
    }

    #[test]
    fn an_error_names_the_column_and_what_would_be_right() {
        let (column, fault, help) = refused("p98(victims)");
        assert_eq!((column, fault.as_str()), (1, "`p98` is no measure"));
        assert!(help.contains("`p99`"), "{help}");
        let (_, _, help) = refused("godput(all)");
        assert!(help.contains("did you mean `goodput`"), "{help}");
        let cases = [
            ("p99", 4, "the group of flows is missing"),
            ("p99 victims", 5, "the group of flows is missing"),
            ("p99()", 5, "the name of the group is empty"),
            ("p99(\"a)", 5, "a quotation mark is not closed"),
            ("p99(a b)", 7, "the closing bracket is missing"),
            ("p99(a", 6, "the closing bracket is missing"),
            ("p99(all, 2)", 10, "`p99` is measured over the whole run"),
            ("goodput(all, 0)", 14, "`0` is not the number of a phase"),
            ("goodput(all, last)", 14, "`last` is not the number of a phase"),
            ("dropped(victims)", 9, "`dropped` is measured over the whole fabric"),
            ("p99(all) < 3", 10, "`< 3` does not belong to a measure"),
            ("  ", 3, "`` is no measure"),
        ];
        for (text, column, fault) in cases {
            let (at, said, help) = refused(text);
            assert_eq!((at, said.as_str()), (column, fault), "{text}");
            assert!(!help.is_empty(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_printed_measure_reads_back_as_itself(group in "\\PC{1,12}", place in 0..Quantity::ALL.len(), phase in 0..3u32) {
            let quantity = Quantity::ALL[place];
            let reach = quantity.info().reach;
            let measure = Measure {
                group: if reach == Reach::Fabric { ALL.to_owned() } else { group },
                quantity,
                phase: NonZeroU32::new(phase).filter(|_| matches!(reach, Reach::Phase | Reach::RunOrPhase)),
            };
            prop_assert_eq!(measure.to_string().parse::<Measure>(), Ok(measure.clone()));
            let stored = serde_json::to_string(&measure).unwrap();
            prop_assert_eq!(serde_json::from_str::<Measure>(&stored).unwrap(), measure);
        }
    }
}
