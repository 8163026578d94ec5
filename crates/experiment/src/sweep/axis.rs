//! Axes of a sweep: each is a list of settings, and the sweep is their cross product.
//!
//! Invariant: every point of an axis has a value for each of its columns. The points of a Latin hypercube follow from
//! its seed alone.

use std::collections::{BTreeMap, BTreeSet};

use event_kernel::stream;
use rand::RngExt;
use rand::seq::SliceRandom;

use super::fault::ValueFault;
use super::values::{self, ValueRange};

/// Column of variants that the command line names.
pub(crate) const VARIANT: &str = "variant";
/// Largest number of points of a Latin hypercube.
const MOST_POINTS: usize = 100_000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Axis {
    /// Paths of fields, or the name of a list of variants.
    pub(crate) columns: Vec<String>,
    pub(crate) points: Vec<AxisPoint>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct AxisPoint {
    /// A value for each column, as written.
    pub(crate) labels: Vec<String>,
    /// Overrides, each as `PATH=VALUE`.
    pub(crate) overrides: Vec<String>,
    /// The scenario, if it differs from the sweep's.
    pub(crate) scenario: Option<String>,
}

/// A named bundle of overrides, or another scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Variant {
    pub(crate) name: String,
    pub(crate) scenario: Option<String>,
    pub(crate) set: Vec<String>,
}

/// Divides `PATH=REST`, and refuses the paths of seeds.
fn path_of(text: &str) -> Result<(&str, &str), ValueFault> {
    let (path, rest) = text.split_once('=').ok_or(ValueFault::NoEquals)?;
    match path.trim() {
        "" => Err(ValueFault::NoPath),
        path if path == "seed" || path == "seeds" || path.starts_with("seeds.") => {
            Err(ValueFault::Seed { path: path.to_owned() })
        }
        path => Ok((path, rest)),
    }
}

/// Returns the first point that equals an earlier point.
fn repeated(points: &[AxisPoint]) -> Option<&AxisPoint> {
    let mut known = BTreeSet::new();
    points.iter().find(|point| !known.insert(*point))
}

impl Axis {
    /// Reads `PATH=A,B,C`, or `@NAME` for a list of variants.
    pub(crate) fn vary(text: &str, variants: &BTreeMap<String, Vec<Variant>>) -> Result<Self, ValueFault> {
        if let Some(name) = text.trim().strip_prefix('@') {
            let unknown = || ValueFault::UnknownVariants {
                name: name.to_owned(),
                known: variants.keys().cloned().collect(),
            };
            return Self::variants(name, variants.get(name).ok_or_else(unknown)?);
        }
        let (path, list) = path_of(text)?;
        Ok(Self::of(path, &values::list(list)?))
    }

    /// Reads `PATH=A,B; PATH=C,D`: lists of equal length that are varied together.
    pub(crate) fn zip(text: &str) -> Result<Self, ValueFault> {
        let mut zipped: Option<Self> = None;
        for part in values::divided(text, ';')? {
            let (path, list) = path_of(part)?;
            let list = values::divided(list, ',')?;
            if list.contains(&"") {
                return Err(ValueFault::Empty);
            }
            let values: Vec<_> = list.into_iter().map(str::to_owned).collect();
            let own = Self::of(path, &values);
            zipped = Some(match zipped {
                None => own,
                Some(before) => before.together(own)?,
            });
        }
        let zipped = zipped.expect("a text has at least one part");
        match repeated(&zipped.points) {
            Some(point) => Err(ValueFault::Twice { value: point.labels.join("; ") }),
            None => Ok(zipped),
        }
    }

    /// Reads `PATH=lin:FROM..TO:N`.
    pub(crate) fn range(text: &str) -> Result<(String, ValueRange), ValueFault> {
        let (path, range) = path_of(text)?;
        Ok((path.to_owned(), ValueRange::parse(range)?))
    }

    /// Makes the axis of a list of variants.
    pub(crate) fn variants(name: &str, variants: &[Variant]) -> Result<Self, ValueFault> {
        let mut points: Vec<AxisPoint> = Vec::with_capacity(variants.len());
        let mut known = BTreeSet::new();
        for Variant { name, scenario, set } in variants {
            if name.is_empty() {
                return Err(ValueFault::UnnamedVariant);
            }
            names::rule::check(name)
                .map_err(|fault| ValueFault::VariantName { name: name.clone(), fault })?;
            if !known.insert(name) {
                return Err(ValueFault::VariantTwice { name: name.clone() });
            }
            points.push(AxisPoint {
                labels: vec![name.clone()],
                overrides: set.clone(),
                scenario: scenario.clone(),
            });
        }
        if points.is_empty() {
            return Err(ValueFault::NoVariants);
        }
        Ok(Self { columns: vec![name.to_owned()], points })
    }

    pub(crate) fn of(path: &str, values: &[String]) -> Self {
        let point = |value: &String| AxisPoint {
            labels: vec![value.clone()],
            overrides: vec![format!("{path}={value}")],
            scenario: None,
        };
        Self { columns: vec![path.to_owned()], points: values.iter().map(point).collect() }
    }

    /// Draws a Latin hypercube. Each range is cut into as many equal parts as there are points. Each part has a single
    /// point, at a place drawn in it. The parts of the ranges are matched by drawn permutations (Technometrics 21,
    /// 1979, page 239).
    pub(crate) fn hypercube(
        ranges: &[(String, ValueRange)],
        points: usize,
        seed: u64,
    ) -> Result<Self, ValueFault> {
        if ranges.is_empty() {
            return Err(ValueFault::HypercubeAlone);
        }
        if !(2..=MOST_POINTS).contains(&points) {
            return Err(ValueFault::Points { given: points, most: MOST_POINTS });
        }
        let columns = ranges.iter().map(|(path, range)| {
            let mut stream = stream(seed, "latin hypercube", path);
            let mut parts: Vec<usize> = (0..points).collect();
            parts.shuffle(&mut stream);
            let value = |part: usize| range.at((part as f64 + stream.random::<f64>()) / points as f64);
            Self::of(path, &parts.into_iter().map(value).collect::<Vec<_>>())
        });
        let drawn = columns.reduce(|all, next| all.together(next).expect("all have as many points"));
        let drawn = drawn.expect("there is a range");
        match repeated(&drawn.points) {
            Some(point) => Err(ValueFault::SamePoints { point: point.overrides.join("; ") }),
            None => Ok(drawn),
        }
    }

    /// Joins the points of two axes pairwise.
    fn together(mut self, other: Self) -> Result<Self, ValueFault> {
        if self.points.len() != other.points.len() {
            let lengths = format!("{} and {}", self.points.len(), other.points.len());
            return Err(ValueFault::Lengths { lengths });
        }
        self.columns.extend(other.columns);
        for (own, others) in self.points.iter_mut().zip(other.points) {
            own.labels.extend(others.labels);
            own.overrides.extend(others.overrides);
        }
        Ok(self)
    }
}

impl Variant {
    /// Reads `NAME: PATH=VALUE; PATH=VALUE`. The path `scenario` names another scenario.
    pub(crate) fn parse(text: &str) -> Result<Self, ValueFault> {
        let (name, rest) = text.split_once(':').unwrap_or((text, ""));
        if name.contains('=') {
            return Err(ValueFault::UnnamedVariant);
        }
        let mut variant = Self { name: name.trim().to_owned(), scenario: None, set: Vec::new() };
        for part in values::divided(rest, ';')?.into_iter().filter(|part| !part.is_empty()) {
            let (path, value) = path_of(part)?;
            if path == "scenario" {
                variant.scenario = Some(value.trim().trim_matches('"').to_owned());
            } else {
                variant.set.push(part.to_owned());
            }
        }
        Ok(variant)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn overrides(axis: &Axis) -> Vec<String> {
        axis.points.iter().map(|point| point.overrides.join(" ")).collect()
    }

    #[test]
    fn lists_are_zipped_point_by_point() {
        let axis = Axis::zip("a.b=1,2; c=x(1; 2),y").unwrap();
        assert_eq!(axis.columns, ["a.b", "c"]);
        assert_eq!(overrides(&axis), ["a.b=1 c=x(1; 2)", "a.b=2 c=y"]);
        assert_eq!(overrides(&Axis::zip("a=1,1; b=1,2").unwrap()), ["a=1 b=1", "a=1 b=2"]);
        assert!(matches!(Axis::zip("a=1,1; b=2,2"), Err(ValueFault::Twice { .. })));
        assert!(matches!(Axis::zip("a=1,2; b=1"), Err(ValueFault::Lengths { .. })));
        assert!(matches!(Axis::zip("seed=1,2; b=1,2"), Err(ValueFault::Seed { .. })));
    }

    #[test]
    fn variants_are_bundles_or_other_scenarios() {
        let variant = Variant::parse("b: scenario=b.ron; x=f(1, 2); y=3").unwrap();
        assert_eq!((variant.name.as_str(), variant.scenario.as_deref()), ("b", Some("b.ron")));
        assert_eq!(variant.set, ["x=f(1, 2)", "y=3"]);
        let known = BTreeMap::from([("schemes".to_owned(), vec![variant.clone()])]);
        assert_eq!(Axis::vary("@schemes", &known).unwrap().columns, ["schemes"]);
        assert!(matches!(Axis::vary("@scheme", &known), Err(ValueFault::UnknownVariants { .. })));
        assert!(matches!(
            Axis::variants("v", &[variant.clone(), variant.clone()]),
            Err(ValueFault::VariantTwice { .. })
        ));
        assert_eq!(Variant::parse("x=1"), Err(ValueFault::UnnamedVariant));
        let hostile = Variant { name: "a\u{1b}[31m".to_owned(), ..variant };
        assert!(matches!(Axis::variants("v", &[hostile]), Err(ValueFault::VariantName { .. })));
    }

    #[test]
    fn every_part_of_every_range_has_one_point() {
        let ranges = ["a=lin:0.0..100.0", "b=log:1 ns..1 ms"].map(|text| Axis::range(text).unwrap());
        let axis = Axis::hypercube(&ranges, 20, 7).unwrap();
        assert_eq!(axis, Axis::hypercube(&ranges, 20, 7).unwrap());
        assert_ne!(axis, Axis::hypercube(&ranges, 20, 8).unwrap());
        let share = |label: &str, column: usize| match (values::quantity(label).unwrap().1, column) {
            (value, 0) => value / 100.0,
            (value, _) => (value / 1e3).ln() / 1e6f64.ln(),
        };
        for column in 0..2 {
            let parts =
                axis.points.iter().map(|point| (share(&point.labels[column], column) * 20.0) as usize);
            let mut parts: Vec<_> = parts.collect();
            assert_ne!(parts, (0..20).collect::<Vec<_>>(), "the parts are shuffled");
            parts.sort_unstable();
            assert_eq!(parts, (0..20).collect::<Vec<_>>());
        }
        let narrow = [Axis::range("a=lin:1..3").unwrap()];
        assert!(matches!(Axis::hypercube(&narrow, 20, 1), Err(ValueFault::SamePoints { .. })));
    }
}
