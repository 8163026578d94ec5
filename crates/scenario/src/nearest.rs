//! The name that was probably meant.
//!
//! Invariant: a name is suggested only if it comes nearer than all others; otherwise the names are listed.

use core::fmt::Display;

use strsim::damerau_levenshtein;

/// The most names that are listed.
const MOST_LISTED: usize = 12;

/// A help line for `given`, which is none of the `known` names of such `things`.
pub(crate) fn help(given: &str, known: impl IntoIterator<Item = impl AsRef<str>>, things: &str) -> String {
    let known: Vec<_> = known.into_iter().collect();
    let known: Vec<&str> = known.iter().map(AsRef::as_ref).collect();
    let near = nearest(given, &known);
    let listed = match (known.as_slice(), near.as_slice()) {
        ([], _) => format!("there are no {things}"),
        ([only], _) => format!("the only one of the {things} is {}", quoted(&[only])),
        (all, _) if all.len() <= MOST_LISTED => format!("the {things} are {}", quoted(all)),
        (_, []) => format!("there are {} {things}", known.len()),
        (_, near) => format!("the nearest {things} are {}", quoted(&near[..near.len().min(MOST_LISTED)])),
    };
    match near[..] {
        [one] if known.len() == 1 => format!("did you mean `{one}`?"),
        [one] if known.len() > MOST_LISTED => format!("did you mean `{one}`?"),
        [one] => format!("did you mean `{one}`? {}", capital(&listed)),
        _ => listed,
    }
}

/// Names in backticks, as a list.
pub(crate) fn quoted(names: &[impl Display]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// All names that are equally near to `given` and near enough to be meant.
fn nearest<'a>(given: &str, known: &[&'a str]) -> Vec<&'a str> {
    let given = given.to_lowercase();
    let scored = known.iter().filter_map(|name| Some((distance(&given, &name.to_lowercase())?, *name)));
    let mut scored: Vec<_> = scored.collect();
    scored.sort_by_key(|(distance, _)| *distance);
    let best = scored.first().map(|(distance, _)| *distance);
    scored.into_iter().take_while(|(distance, _)| Some(*distance) == best).map(|(_, name)| name).collect()
}

/// How many letters are wrong; a name that is only cut short is farther off than any misspelling.
fn distance(given: &str, name: &str) -> Option<usize> {
    let longer = given.chars().count().max(name.chars().count());
    let edits = damerau_levenshtein(given, name);
    if edits <= longer.div_ceil(3) {
        return Some(edits);
    }
    let cut_short = given.len() >= 3 && (name.starts_with(given) || given.starts_with(name));
    cut_short.then_some(usize::MAX)
}

/// The same with a capital first letter.
fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_that_is_nearest_is_suggested() {
        assert_eq!(help("mtuu", ["mtu"], "fields here"), "did you mean `mtu`?");
        assert_eq!(
            help("Qdr", ["SDR", "QDR"], "choices"),
            "did you mean `QDR`? The choices are `SDR`, `QDR`"
        );
    }

    #[test]
    fn several_that_are_as_near_are_listed() {
        assert_eq!(help("H9", ["H1", "H2"], "hosts"), "the hosts are `H1`, `H2`");
        assert_eq!(help("none-of-it", ["one", "two"], "flows"), "the flows are `one`, `two`");
        let many: Vec<String> = (1..100).map(|i| format!("h{i}")).collect();
        let many = || many.iter().map(String::as_str);
        assert_eq!(help("h64", many(), "hosts"), "did you mean `h64`?");
        assert!(help("h9x", many(), "hosts").starts_with("the nearest hosts are `h9`, `h90`"));
        assert_eq!(help("zzzz", many(), "hosts"), "there are 99 hosts");
    }
}
