//! Ranges of numbers, as the fields of a scenario state them.
//!
//! Invariant: a range is written once, beside its field (`#[schemars(range(..))]`), and found by the types that
//! lead to the field, never by the field's name alone.
//!
//! | used by | the field is found by |
//! |---|---|
//! | the reader, to explain a value that it refuses ([`at`]) | a path, and the names of variants in the text |
//! | the check ([`range_check`](super::range_check)) | a table by type and field, made from the schema |

use core::fmt::{self, Display, Formatter};

use serde_json::Value;
use settings::{FieldPath, PathStep};

use super::schema::{SCHEMA, resolved};
use crate::text::Outline;

/// A number of a scenario.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    Whole(u64),
    Signed(i64),
    Real(f64),
}

/// The numbers that a field accepts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum NumberRange {
    /// Whole numbers, both ends included.
    Whole { least: u64, most: u64 },
    /// Numbers with a fraction.
    Real { least: RangeEnd, most: RangeEnd },
}

/// An end of a range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum RangeEnd {
    None,
    Included(f64),
    Excluded(f64),
}

/// Returns the range of the number at `path` in a text that has this outline; `None` if the field is not a number, or if
/// the text does not say which of several types it has.
pub(crate) fn at(outline: &Outline, text: &str, path: &FieldPath) -> Option<NumberRange> {
    let mut schemas = vec![&*SCHEMA];
    let mut above = FieldPath::default();
    for step in path.steps() {
        let variants = outline.variants(text, &above);
        schemas = schemas.into_iter().flat_map(|schema| alternatives(schema, &variants)).collect();
        schemas = schemas.into_iter().filter_map(|schema| below(schema, step)).collect();
        above = above.step(step.clone());
    }
    let variants = outline.variants(text, path);
    let schemas = schemas.into_iter().flat_map(|schema| alternatives(schema, &variants));
    let mut ranges = schemas.filter_map(NumberRange::of);
    let first = ranges.next()?;
    ranges.all(|range| range == first).then_some(first)
}

/// Returns the schemas of which a value fits one: those of an enum's variants (`oneOf`), or those of an optional value and
/// of `null` (`anyOf`).
pub(crate) fn list<'s>(schema: &'s Value, key: &str) -> impl Iterator<Item = &'s Value> {
    schema.get(key).and_then(Value::as_array).into_iter().flatten()
}

/// Returns the name and the content of an enum's variant; `None` for a variant without content.
pub(crate) fn variant_content(schema: &Value) -> Option<(&str, &Value)> {
    let [name] = schema.get("required")?.as_array()?.as_slice() else { return None };
    let properties = schema.get("properties")?.as_object().filter(|properties| properties.len() == 1)?;
    let name = name.as_str()?;
    Some((name, properties.get(name)?))
}

/// Returns the schemas that remain of a schema's choices where a text names these variants, outermost first.
fn alternatives<'s>(schema: &'s Value, variants: &[&str]) -> Vec<&'s Value> {
    let schema = resolved(schema);
    // RON's name around an optional value.
    if let Some((&"Some", deeper)) = variants.split_first() {
        return alternatives(schema, deeper);
    }
    let (named, deeper) =
        variants.split_first().map_or((None, variants), |(name, deeper)| (Some(*name), deeper));
    let contents = list(schema, "oneOf").filter_map(variant_content);
    let chosen = contents.filter(|(name, _)| named.is_none_or(|named| named == *name));
    let mut all: Vec<_> = chosen.flat_map(|(_, content)| alternatives(content, deeper)).collect();
    all.extend(list(schema, "anyOf").flat_map(|choice| alternatives(choice, variants)));
    if all.is_empty() { vec![schema] } else { all }
}

/// Returns the schema of the value one step below.
pub(super) fn below<'s>(schema: &'s Value, step: &PathStep) -> Option<&'s Value> {
    let schema = resolved(schema);
    match step {
        PathStep::Name(name) => {
            let field = schema.get("properties").and_then(|fields| fields.get(name));
            let by_pattern = || schema.get("patternProperties")?.as_object()?.values().next();
            field.or_else(by_pattern).or_else(|| schema.get("additionalProperties"))
        }
        PathStep::Index(index) => {
            let place = schema.get("prefixItems").and_then(|places| places.get(index));
            place.or_else(|| schema.get("items"))
        }
    }
}

impl NumberRange {
    /// Returns the range that a number's schema states, or that of its type.
    pub(crate) fn of(schema: &Value) -> Option<Self> {
        if has_type(schema, "integer") {
            let format = schema.get("format").and_then(Value::as_str);
            let widest = if format == Some("uint32") { u64::from(u32::MAX) } else { u64::MAX };
            let bound = |key| schema.get(key).and_then(Value::as_u64);
            Some(Self::Whole {
                least: bound("minimum").unwrap_or_default(),
                most: bound("maximum").unwrap_or(widest),
            })
        } else if has_type(schema, "number") {
            let least = RangeEnd::of(schema, "minimum", "exclusiveMinimum");
            Some(Self::Real { least, most: RangeEnd::of(schema, "maximum", "exclusiveMaximum") })
        } else {
            None
        }
    }

    /// Returns true if the range has this number. Infinite and undefined numbers are in no range.
    pub(super) fn holds(&self, number: Number) -> bool {
        match *self {
            Self::Whole { least, most } => {
                number.whole().is_some_and(|number| (least..=most).contains(&number))
            }
            Self::Real { least, most } => {
                let number = number.real();
                number.is_finite()
                    && least.admits(number, |end| number >= end)
                    && most.admits(number, |end| number <= end)
            }
        }
    }
}

impl Number {
    fn whole(self) -> Option<u64> {
        match self {
            Self::Whole(number) => Some(number),
            Self::Signed(number) => number.try_into().ok(),
            Self::Real(_) => None,
        }
    }

    const fn real(self) -> f64 {
        match self {
            Self::Whole(number) => number as f64,
            Self::Signed(number) => number as f64,
            Self::Real(number) => number,
        }
    }

    /// Returns true unless the number is infinite or undefined.
    pub(crate) const fn is_finite(self) -> bool {
        self.real().is_finite()
    }
}

impl RangeEnd {
    fn of(schema: &Value, included: &str, excluded: &str) -> Self {
        let end = |key| schema.get(key).and_then(Value::as_f64);
        end(excluded).map(Self::Excluded).or_else(|| end(included).map(Self::Included)).unwrap_or(Self::None)
    }

    fn admits(self, value: f64, is_within: impl Fn(f64) -> bool) -> bool {
        match self {
            Self::None => true,
            Self::Included(end) => is_within(end),
            Self::Excluded(end) => is_within(end) && value != end,
        }
    }
}

/// Returns true if a schema admits values of this JSON type.
pub(crate) fn has_type(schema: &Value, name: &str) -> bool {
    match schema.get("type") {
        Some(Value::Array(all)) => all.iter().any(|one| one == name),
        one => one.is_some_and(|one| one == name),
    }
}

/// Prints the number as a scenario may have it.
impl Display for Number {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(number) => write!(f, "{number}"),
            Self::Signed(number) => write!(f, "{number}"),
            Self::Real(number) => write!(f, "{number:?}"),
        }
    }
}

/// Prints the range as a help line does: `write a whole number from 1 to 15`.
impl Display for NumberRange {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole { least, most } => write!(f, "write a whole number from {least} to {most}"),
            Self::Real { least: RangeEnd::Included(least), most: RangeEnd::Included(most) } => {
                write!(f, "write a number from {least:?} to {most:?}")
            }
            Self::Real { least, most } => {
                f.write_str("write a number")?;
                let (and, most) = match (least, most) {
                    (RangeEnd::None, most) | (_, most @ RangeEnd::None) => ("", most),
                    (_, most) => (" and", most),
                };
                match least {
                    RangeEnd::None => {}
                    RangeEnd::Included(least) => write!(f, " of at least {least:?}")?,
                    RangeEnd::Excluded(least) => write!(f, " above {least:?}")?,
                }
                f.write_str(and)?;
                match most {
                    RangeEnd::None => Ok(()),
                    RangeEnd::Included(most) => write!(f, " up to {most:?}"),
                    RangeEnd::Excluded(most) => write!(f, " below {most:?}"),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The help for the value at a path of a text.
    fn help(text: &str, path: &str) -> Option<String> {
        let outline = Outline::new(text).expect("the text is well-formed");
        at(&outline, text, &path.into()).map(|range| range.to_string())
    }

    #[test]
    fn a_range_is_that_of_the_type() {
        let hosts = |topology: &str| help(&format!("(topology: {topology})"), "topology.hosts");
        let whole = |least, most| Some(format!("write a whole number from {least} to {most}"));
        assert_eq!(hosts("Crossbar(hosts: -1)"), whole(1, 254));
        assert_eq!(hosts("Crossbar((hosts: -1))"), whole(1, 254));
        assert_eq!(hosts("Torus(hosts: -1)"), whole(1, 253));
        assert_eq!(hosts("Dragonfly(hosts: -1)"), whole(1, 253));
        assert_eq!(help("(topology: Chain(hosts: [-1]))", "topology.hosts[0]"), whole(0, 253));
        let groups = r#"(topology: TwoSwitches(left: (hosts: {"R": -1})))"#;
        assert_eq!(help(groups, "topology.left.hosts.R"), whole(1, 253));
        assert_eq!(hosts("(hosts: -1)"), None, "no topology is named");
    }

    #[test]
    fn a_range_is_found_within_lists_maps_and_variants() {
        let whole = |least, most| Some(format!("write a whole number from {least} to {most}"));
        assert_eq!(help("(link: (sl_to_vl: {3: -1}))", "link.sl_to_vl.3"), whole(0, 14));
        assert_eq!(
            help("(link: (flow_control: Pause(quanta: -1)))", "link.flow_control.quanta"),
            whole(1, 65_535)
        );
        assert_eq!(help("(flows: [(load: Messages(-1))])", "flows[0].load"), whole(1, 1 << 26));
        assert_eq!(
            help("(flows: [(load: Saturate(outstanding: 0))])", "flows[0].load.outstanding"),
            whole(1, u32::MAX)
        );
        assert_eq!(help("(adapter: (max_reads: Some(0)))", "adapter.max_reads"), whole(1, 255));
        let cct = "(congestion_control: Iba(response: (cct: Entries([(0, -1)]))))";
        assert_eq!(help(cct, "congestion_control.response.cct[0][1]"), whole(0, 16_383));
        let window = "(congestion_control: Hp(response: (window: Fixed(-1))))";
        assert_eq!(help(window, "congestion_control.response.window"), whole(1, 65_535));
        let alpha = "(congestion_control: Mixed(response: Dcqcn(initial_alpha: x)))";
        let above = Some("write a number above 0.0 and up to 1.0".to_owned());
        assert_eq!(help(alpha, "congestion_control.response.initial_alpha"), above);
    }

    #[test]
    fn only_numbers_have_a_range() {
        assert_eq!(help("(duration: -1)", "duration"), None);
        assert_eq!(
            help("(seed: -1)", "seed").as_deref(),
            Some("write a whole number from 0 to 18446744073709551615")
        );
    }
}
