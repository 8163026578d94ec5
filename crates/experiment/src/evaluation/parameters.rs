//! Parameters of an evaluation: paths of fields and their values, as an outside optimiser writes them.
//!
//! Invariant: each parameter becomes an override. A path that is given twice, and a value that no field can have, are
//! refused. Nothing is left out.
//!
//! | format | value | override |
//! |---|---|---|
//! | JSON | `"link.mtu": "2 KiB"` | `link.mtu=2 KiB` |
//! | JSON | `"congestion_control": "Off"` | `congestion_control=Off` |
//! | JSON | `"flows.F1.load": "Paced(\"1 Gb/s\")"` | `flows.F1.load=Paced("1 Gb/s")` |
//! | JSON | `"switch.speedup": 1.5`, `true`, `[1, 2]` | as written |
//! | RON | `"link.mtu": "2 KiB"`, `"congestion_control": Off` | as written, quotation marks included |

use std::fmt::{self, Formatter};
use std::marker::PhantomData;

use ron::value::RawValue;
use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// Error of parameters that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParameterError {
    /// The text is not an object of paths and values.
    #[error("{origin}: {fault}")]
    Text {
        /// Name of the file, or the line of the standard input.
        origin: String,
        /// The fault, with its line and column.
        fault: String,
    },
    /// A path is given twice.
    #[error("{origin}: `{path}` is given twice")]
    Twice {
        /// Name of the file, or the line of the standard input.
        origin: String,
        /// The path.
        path: String,
    },
}

impl ParameterError {
    /// Returns the correct form.
    #[must_use]
    pub const fn help(&self) -> &'static str {
        match self {
            Self::Text { .. } => {
                "write an object of paths and values: {\"link.mtu\": \"2 KiB\", \"switch.speedup\": 1.5}"
            }
            Self::Twice { .. } => "leave out one of them",
        }
    }
}

/// Formats of parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterFormat {
    /// JSON: an object.
    Json,
    /// RON: a map with the paths in quotation marks, and values as in a scenario.
    Ron,
}

/// Reads parameters, and returns an override for each, `PATH=VALUE`, in their order. `origin` names the text in errors.
///
/// ```
/// use experiment::evaluation::{ParameterFormat, overrides};
/// let text = r#"{"link.mtu": "2 KiB", "switch.speedup": 1.5}"#;
/// assert_eq!(overrides("p.json", text, ParameterFormat::Json)?, ["link.mtu=2 KiB", "switch.speedup=1.5"]);
/// # Ok::<(), experiment::evaluation::ParameterError>(())
/// ```
///
/// # Errors
/// If the text is not an object, a path is given twice, or a value is `null` or an object.
pub fn overrides(origin: &str, text: &str, format: ParameterFormat) -> Result<Vec<String>, ParameterError> {
    let fault = |fault: String| ParameterError::Text { origin: origin.to_owned(), fault };
    let pairs: Vec<(String, String)> = match format {
        ParameterFormat::Json => {
            let read: Pairs<JsonText> =
                serde_json::from_str(text).map_err(|error| fault(error.to_string()))?;
            read.0.into_iter().map(|(path, value)| (path, value.0)).collect()
        }
        ParameterFormat::Ron => {
            let read: Pairs<Box<RawValue>> = ron::from_str(text).map_err(|error| fault(error.to_string()))?;
            read.0.into_iter().map(|(path, value)| (path, value.trim().get_ron().to_owned())).collect()
        }
    };
    for (place, (path, _)) in pairs.iter().enumerate() {
        if pairs[..place].iter().any(|(before, _)| before.trim() == path.trim()) {
            return Err(ParameterError::Twice { origin: origin.to_owned(), path: path.clone() });
        }
        if path.contains('=') {
            return Err(fault(format!("`{path}` is not the path of a field")));
        }
    }
    Ok(pairs.into_iter().map(|(path, value)| format!("{path}={value}")).collect())
}

/// An object, with every entry that was written.
struct Pairs<V>(Vec<(String, V)>);

impl<'de, V: Deserialize<'de>> Deserialize<'de> for Pairs<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(PairsVisitor(PhantomData))
    }
}

struct PairsVisitor<V>(PhantomData<V>);

impl<'de, V: Deserialize<'de>> Visitor<'de> for PairsVisitor<V> {
    type Value = Pairs<V>;

    fn expecting(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("an object of paths and values")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pairs<V>, A::Error> {
        let mut pairs = Vec::new();
        while let Some(pair) = map.next_entry()? {
            pairs.push(pair);
        }
        Ok(Pairs(pairs))
    }
}

/// A value of JSON as the text of a scenario: a string without its quotation marks, everything else as in JSON.
struct JsonText(String);

impl<'de> Deserialize<'de> for JsonText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(JsonVisitor { in_list: false }).map(Self)
    }
}

/// An element of a list: a string keeps its quotation marks.
struct JsonElement(String);

impl<'de> Deserialize<'de> for JsonElement {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(JsonVisitor { in_list: true }).map(Self)
    }
}

#[derive(Clone, Copy)]
struct JsonVisitor {
    in_list: bool,
}

impl<'de> Visitor<'de> for JsonVisitor {
    type Value = String;

    fn expecting(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("a string, a number, true, false or a list")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<String, E> {
        Ok(value.to_string())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<String, E> {
        Ok(value.to_string())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<String, E> {
        Ok(value.to_string())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<String, E> {
        Ok(format!("{value:?}"))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<String, E> {
        Ok(if self.in_list { format!("{value:?}") } else { value.to_owned() })
    }

    fn visit_unit<E: Error>(self) -> Result<String, E> {
        Err(E::custom("null is no value of a field: leave its path out"))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<String, A::Error> {
        let mut elements = Vec::new();
        while let Some(JsonElement(element)) = list.next_element()? {
            elements.push(element);
        }
        Ok(format!("[{}]", elements.join(", ")))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<String, A::Error> {
        let first: Option<String> = map.next_key()?;
        map.next_value::<IgnoredAny>()?;
        let field = first.unwrap_or_default();
        Err(A::Error::custom(format!(
            "an object is no value of a field: write each of its fields as a path that ends with `.{field}`"
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> Result<Vec<String>, ParameterError> {
        overrides("p.json", text, ParameterFormat::Json)
    }

    fn refused(text: &str) -> String {
        json(text).expect_err("a fault").to_string()
    }

    #[test]
    fn each_value_of_json_becomes_an_override() {
        let text = r#"{"a": 7, "b": -1, "c": 0.1, "d": true, "e.f": "1 ms", "g": "Paced(\"1 Gb/s\")", "h": ["x", 2, [1]]}"#;
        let wanted =
            ["a=7", "b=-1", "c=0.1", "d=true", "e.f=1 ms", "g=Paced(\"1 Gb/s\")", "h=[\"x\", 2, [1]]"];
        assert_eq!(json(text).expect("parameters"), wanted);
        assert_eq!(json("{}").expect("parameters"), [""; 0]);
    }

    #[test]
    fn values_of_ron_stay_as_they_are() {
        let text = "{\"a\": Off, \"b.c\": \"1 ms\", // a comment\n \"d\": Paced(\"1 Gb/s\")}";
        let read = overrides("p.ron", text, ParameterFormat::Ron).expect("parameters");
        assert_eq!(read, ["a=Off", "b.c=\"1 ms\"", "d=Paced(\"1 Gb/s\")"]);
        let twice = overrides("p.ron", "{\"a\": 1, \"a\": 2}", ParameterFormat::Ron);
        assert_eq!(twice.expect_err("a fault").to_string(), "p.ron: `a` is given twice");
    }

    #[test]
    fn what_is_no_parameter_is_refused() {
        assert_eq!(refused(r#"{"a": 1, "b": 2, "a": 3}"#), "p.json: `a` is given twice");
        assert_eq!(refused(r#"{"a=b": 1}"#), "p.json: `a=b` is not the path of a field");
        assert!(
            refused(r#"{"a": null}"#).contains("null is no value of a field: leave its path out at line 1")
        );
        assert!(refused(r#"{"a": {"b": 1}}"#).contains("a path that ends with `.b`"));
        assert!(refused("[1]").contains("invalid type: sequence, expected an object of paths and values"));
        assert!(refused("{\"a\": 1").contains("EOF while parsing an object at line 1 column 7"));
        assert!(refused("{} {}").contains("trailing characters"));
    }
}
