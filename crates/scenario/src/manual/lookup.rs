//! The places that a path means, or the names that may be meant.
//!
//! Invariant: a path of an error message, of `--set` and of the manual lead to the same place. A path that leaves a
//! choice out means that field of every choice that has it.

use serde_json::Value;
use settings::{FieldPath, PathStep};

use super::entry::{Entry, joined, parts, variants};
use super::kind::{Shape, present};
use super::places::Places;
use crate::format::schema::SCHEMA;
use settings::nearest;

/// A path that leads nowhere.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct UnknownPlace {
    message: String,
    /// Proposal of a right path.
    pub help: String,
}

/// A place that a path may mean.
#[derive(Clone)]
struct Found {
    path: String,
    schema: &'static Value,
    required: bool,
}

/// Returns the entries of the places that a path means, at least one: `flows[].load`, `flows[0].load`, `flows.load`,
/// `congestion_control.Dcqcn`. The empty path means the scenario.
///
/// # Errors
/// If a step of the path leads nowhere. The help names the nearest field or choice, or the places of a field of that
/// name.
///
/// ```
/// let found = scenario::manual::find("flows[].load")?;
/// assert_eq!(found[0].choices[0].form, "Saturate(...)");
/// # Ok::<(), scenario::manual::UnknownPlace>(())
/// ```
pub fn find(path: &str) -> Result<Vec<Entry>, UnknownPlace> {
    let places = Places::new();
    let mut found = vec![Found { path: String::new(), schema: &SCHEMA, required: true }];
    if !path.trim().is_empty() {
        let parsed = FieldPath::parse(&path.replace("[]", "[0]")).map_err(|error| UnknownPlace {
            message: format!("`{path}` is not a path: {error}"),
            help: "write a path such as `flows[].load`".to_owned(),
        })?;
        for step in parsed.steps() {
            let next: Vec<_> = found.iter().flat_map(|place| below(place, step)).collect();
            if next.is_empty() {
                return Err(unknown(&found, step, &places));
            }
            found = next;
        }
    }
    let links = |schema: &Value| places.entry(schema);
    Ok(found.iter().map(|place| Entry::new(&place.path, place.schema, place.required, &links)).collect())
}

/// Returns the places to which a step leads.
fn below(place: &Found, step: &PathStep) -> Vec<Found> {
    let Found { path, schema, required } = place;
    let value = present(schema);
    let element = |schema| Found { path: format!("{path}[]"), schema, required: *required };
    match (Shape::of(value), step) {
        (Shape::Fields(own), PathStep::Name(name)) => {
            let field = parts(own).into_iter().find(|(field, ..)| field == name);
            let found =
                field.map(|(field, schema, required)| Found { path: joined(path, field), schema, required });
            found.into_iter().collect()
        }
        (Shape::Choice(own), _) => of_choice(path, own, step),
        (Shape::List(items), PathStep::Index(_)) => vec![element(items)],
        (Shape::List(items), PathStep::Name(_)) => {
            // A field of the elements, or the name of one of them.
            let fields = below(&element(items), step);
            let named = matches!(Shape::of(present(items)), Shape::Fields(own) if parts(own).iter().any(|part| part.0 == "name"));
            if fields.is_empty() && named { vec![element(items)] } else { fields }
        }
        (Shape::Tuple(values), PathStep::Index(index)) => {
            values.get(*index).map(element).into_iter().collect()
        }
        (Shape::Map(values), _) => {
            vec![Found { path: joined(path, "NAME"), schema: values, required: *required }]
        }
        (Shape::Fields(_) | Shape::Tuple(_) | Shape::Single(_), _) => Vec::new(),
    }
}

/// Returns the choice of a name, or the places to which the step leads in the choices.
fn of_choice(path: &str, schema: &'static Value, step: &PathStep) -> Vec<Found> {
    let contents = || {
        variants(schema).into_iter().filter_map(|(choice, content, variant)| {
            // A choice without content is described by its own schema.
            let schema = content.or_else(|| variant.get("const").map(|_| variant))?;
            Some((choice, Found { path: joined(path, choice), schema, required: true }))
        })
    };
    if let PathStep::Name(name) = step {
        let named = contents().find(|(choice, _)| choice.eq_ignore_ascii_case(name));
        if let Some((_, found)) = named {
            return vec![found];
        }
    }
    // A choice that lists values of its own type, as a sequence of programs does, has no further fields by name.
    let is_own = |found: &Found| match Shape::of(present(found.schema)) {
        Shape::List(items) => {
            matches!(Shape::of(present(items)), Shape::Choice(inner) if core::ptr::eq(inner, schema))
        }
        _ => false,
    };
    let by_name = matches!(step, PathStep::Name(_));
    contents()
        .filter(|(_, found)| !(by_name && is_own(found)))
        .flat_map(|(_, found)| below(&found, step))
        .collect()
}

/// Returns the names that a step may have at a place.
fn names(place: &Found) -> Vec<String> {
    match Shape::of(present(place.schema)) {
        Shape::Fields(own) => parts(own).into_iter().map(|(name, ..)| name.to_owned()).collect(),
        Shape::Choice(own) => variants(own).into_iter().map(|(name, ..)| name.to_owned()).collect(),
        Shape::List(items) => names(&Found { schema: items, ..place.clone() }),
        Shape::Tuple(_) | Shape::Map(_) | Shape::Single(_) => Vec::new(),
    }
}

fn unknown(found: &[Found], step: &PathStep, places: &Places) -> UnknownPlace {
    let at = match found[0].path.as_str() {
        "" => "a scenario".to_owned(),
        path => format!("`{path}`"),
    };
    let known: Vec<_> = found.iter().flat_map(names).collect();
    match step {
        PathStep::Index(_) => {
            UnknownPlace { message: format!("{at} is not a list"), help: nearest::listed_names(&known) }
        }
        PathStep::Name(name) => {
            let ending = format!(".{name}");
            let elsewhere: Vec<_> = places.fields.iter().filter(|path| path.ends_with(&ending)).collect();
            let help = if elsewhere.is_empty() {
                nearest::help(name, &known, "names here")
            } else {
                format!("{} has this name", nearest::list(&elsewhere))
            };
            UnknownPlace { message: format!("{at} has no part `{name}`"), help }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(path: &str) -> Vec<String> {
        let found = find(path).unwrap_or_else(|error| panic!("{error}; {}", error.help));
        found.into_iter().map(|entry| entry.place.name).collect()
    }

    #[test]
    fn one_place_has_many_spellings() {
        for path in ["flows[].load", "flows[3].load", "flows.F1.load", "flows.load"] {
            assert_eq!(paths(path), ["flows[].load"], "{path}");
        }
        assert_eq!(paths("cables.copper.rate"), ["cables.NAME.rate"]);
        assert_eq!(paths("congestion_control.dcqcn"), ["congestion_control.Dcqcn"]);
        assert_eq!(paths(""), [""]);
    }

    #[test]
    fn a_choice_that_is_left_out_means_every_one() {
        let found = paths("congestion_control.marking.kmin");
        assert_eq!(
            found,
            ["congestion_control.Dcqcn.marking.kmin", "congestion_control.Mixed.marking.Red.kmin"]
        );
    }

    #[test]
    fn a_wrong_step_is_answered_with_the_nearest_name() {
        let said = |path: &str| find(path).map(|_| ()).unwrap_err();
        assert_eq!(said("link.mtuu").to_string(), "`link` has no part `mtuu`");
        assert!(said("link.mtuu").help.starts_with("did you mean `mtu`?"), "{}", said("link.mtuu").help);
        assert!(said("flows[].load.Pased").help.starts_with("did you mean `Paced`?"));
        assert_eq!(said("mtu").help, "`link.mtu` has this name");
        assert_eq!(said("duration[0]").to_string(), "`duration` is not a list");
        assert_eq!(said("a..b").help, "write a path such as `flows[].load`");
    }
}
