//! Suggestions for unknown names: the name that was probably meant.
//!
//! Invariant: a name is suggested only if it is nearer than all others; names that are equally near are suggested
//! together. Where none is nearest, the names are listed.

use core::fmt::Display;

use strsim::damerau_levenshtein;

/// Largest number of names in a list.
const MOST_LISTED: usize = 12;
/// Fewest letters of a name's end that stand for the name.
const LONG_ENDING: usize = 6;
/// Largest number of names in a list where none is near.
const MOST_LISTED_ALONE: usize = 32;
/// Largest number of names that are suggested together.
const MOST_MEANT: usize = 4;

/// Returns a help line for `given`, which is none of the `known` names of such `things`.
///
/// ```
/// let help = settings::nearest::help("grna2011", ["gran2011"], "papers");
/// assert_eq!(help, "did you mean `gran2011`?");
/// ```
#[must_use]
pub fn help(given: &str, known: impl IntoIterator<Item = impl AsRef<str>>, things: &str) -> String {
    let known: Vec<_> = known.into_iter().collect();
    let known: Vec<&str> = known.iter().map(AsRef::as_ref).collect();
    let near = nearest(given, &known);
    let most = match (known.len(), given.chars().count()) {
        // Of names as short as `H1`, too many are one letter away.
        (_, ..=3) | (..=1, _) => 1,
        (names, _) => MOST_MEANT.min(names - 1),
    };
    if !(1..=most).contains(&near.len()) {
        return listed(&known, &near, things);
    }
    let meant = format!("did you mean {}?", quoted(&near, " or "));
    if known.len() == 1 || known.len() > MOST_LISTED {
        meant
    } else {
        format!("{meant} {}", capital(&listed(&known, &near, things)))
    }
}

/// Returns a help line with the names that may stand here.
#[must_use]
pub fn listed_names(known: &[String]) -> String {
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    listed(&known, &[], "names here")
}

/// Lists all names if they are few, else the nearest.
fn listed(known: &[&str], near: &[&str], things: &str) -> String {
    match (known, near) {
        ([], _) => format!("there are no {things}"),
        ([only], _) => format!("the only {} is `{only}`", singular(things)),
        (all, _) if all.len() <= MOST_LISTED => format!("the {things} are {}", list(all)),
        (all, []) if all.len() <= MOST_LISTED_ALONE => format!("the {things} are {}", list(all)),
        (_, []) => format!("there are {} {things}", known.len()),
        (_, near) => format!("the nearest {things} are {}", list(&near[..near.len().min(MOST_LISTED)])),
    }
}

/// Lists names in backticks.
#[must_use]
pub fn list(names: &[impl Display]) -> String {
    quoted(names, ", ")
}

/// Lists names in backticks that all will do.
#[must_use]
pub fn either(names: &[impl Display]) -> String {
    quoted(names, " or ")
}

/// Lists names in backticks, with `last` before the last one.
fn quoted(names: &[impl Display], last: &str) -> String {
    let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    match names.split_last() {
        Some((end, rest)) if !rest.is_empty() => format!("{}{last}{end}", rest.join(", ")),
        _ => names.concat(),
    }
}

/// Returns all names that are nearest to `given` and near enough to be meant.
fn nearest<'a>(given: &str, known: &[&'a str]) -> Vec<&'a str> {
    let given = given.to_lowercase();
    let scored = known.iter().filter_map(|name| Some((distance(&given, &name.to_lowercase())?, *name)));
    let mut scored: Vec<_> = scored.collect();
    scored.sort_by_key(|(distance, _)| *distance);
    let best = scored.first().map(|(distance, _)| *distance);
    scored.into_iter().take_while(|(distance, _)| Some(*distance) == best).map(|(_, name)| name).collect()
}

/// Returns the distance of a name from the text given. A name that is only cut short is farther than any misspelt one;
/// its beginning may be misspelt too, and a long end will do.
fn distance(given: &str, name: &str) -> Option<(bool, usize)> {
    let (length, whole) = (given.chars().count(), name.chars().count());
    if let Some(edits) = edits(given, name, length.max(whole).div_ceil(3)) {
        return Some((false, edits));
    }
    if length >= 3 && given.starts_with(name) {
        return Some((true, 0));
    }
    if length < 3 || whole <= length {
        return None;
    }
    if length >= LONG_ENDING && name.ends_with(given) {
        return Some((true, 0));
    }
    // A slip may have taken a letter from the beginning of the name, or added one.
    let cuts = length - 1..=length + 1;
    let beginnings = cuts.map(|cut| name.chars().take(cut).collect::<String>());
    beginnings.filter_map(|beginning| edits(given, &beginning, length / 4)).min().map(|slips| (true, slips))
}

/// Returns the number of edits from one text to another if it is at most `most`. Texts that differ in more letters than that
/// are not compared letter by letter, which takes a time that grows with the product of their lengths.
fn edits(from: &str, to: &str, most: usize) -> Option<usize> {
    if from.len().abs_diff(to.len()) > 4 * most {
        return None;
    }
    // Each edit removes or adds at most one letter, or a letter of each. Letters that share a counter only seem fewer.
    let mut surplus = [0_i32; 64];
    from.chars().for_each(|letter| surplus[letter as usize % 64] += 1);
    to.chars().for_each(|letter| surplus[letter as usize % 64] -= 1);
    let more: i32 = surplus.iter().filter(|count| **count > 0).sum();
    let fewer: i32 = surplus.iter().filter(|count| **count < 0).sum();
    let least = more.max(-fewer) as usize;
    Some(least).filter(|least| *least <= most)?;
    Some(damerau_levenshtein(from, to)).filter(|edits| *edits <= most)
}

/// Returns the singular, `cable` of `cables`: the first word with a plural ending loses it.
fn singular(things: &str) -> String {
    let (mut words, mut done) = (Vec::new(), false);
    for word in things.split(' ') {
        let ending = if word.ends_with("ches") { "es" } else { "s" };
        let one = word.strip_suffix(ending).filter(|_| !done);
        done |= one.is_some();
        words.push(one.unwrap_or(word));
    }
    words.join(" ")
}

/// Returns the text with a capital first letter.
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
            help("minimal", ["Native", "DragonflyMinimal"], "choices"),
            "did you mean `DragonflyMinimal`? The choices are `Native`, `DragonflyMinimal`"
        );
        assert_eq!(
            help("Qdr", ["SDR", "QDR"], "choices"),
            "did you mean `QDR`? The choices are `SDR`, `QDR`"
        );
    }

    /// Texts that are not compared letter by letter would not have been near enough.
    #[test]
    fn edits_are_those_of_the_whole_comparison() {
        let texts = [
            "",
            "e",
            "ab",
            "ba",
            "abab",
            "rpg_gd",
            "rpg_dg",
            "rgp_time",
            "rpg_time_reset",
            "\u{e9}\u{1f980}\u{1f980}",
        ];
        for (from, to) in texts.iter().flat_map(|from| texts.map(|to| (*from, to))) {
            for most in 0..8 {
                let all = Some(damerau_levenshtein(from, to)).filter(|edits| *edits <= most);
                assert_eq!(edits(from, to, most), all, "{from} {to} {most}");
            }
        }
    }

    #[test]
    fn all_that_are_as_near_are_suggested() {
        let known = ["victim", "gran2011-scenario1", "gran2011-scenario2"];
        let both = "did you mean `gran2011-scenario1` or `gran2011-scenario2`? The scenarios are `victim`";
        for given in ["gran2011-scenario3", "gran2011", "grna2011", "gra2011", "GRAN2011-scen"] {
            let said = help(given, known, "scenarios");
            assert!(said.starts_with(both), "{given}: {said}");
        }
        assert!(help("vic", known, "scenarios").starts_with("did you mean `victim`?"));
        assert!(help("grain", known, "scenarios").starts_with("did you mean"));
        assert!(help("scenario", known, "scenarios").starts_with("the scenarios are"));
    }

    #[test]
    fn where_none_stands_out_the_names_are_listed() {
        assert_eq!(help("H9", ["H1", "H2"], "hosts"), "the hosts are `H1`, `H2`");
        assert_eq!(help("none-of-it", ["one", "two"], "flows"), "the flows are `one`, `two`");
        assert_eq!(help("none-of-it", ["F1"], "names here"), "the only name here is `F1`");
        assert_eq!(help("none-of-it", [""; 0], "names here"), "there are no names here");
        let many: Vec<String> = (1..100).map(|i| format!("h{i}")).collect();
        let many = || many.iter().map(String::as_str);
        assert_eq!(help("h64", many(), "hosts"), "did you mean `h64`?");
        assert!(help("h9x", many(), "hosts").starts_with("the nearest hosts are `h9`, `h90`"));
        assert_eq!(help("zzzz", many(), "hosts"), "there are 99 hosts");
    }
}
