//! `list`: the scenarios that ship.

use report::printed::{aligned, plain_table};

/// Prints a line each: its name, and what it shows.
pub(crate) fn run() {
    let mut table = plain_table();
    for shipped in scenario::shipped() {
        table.add_row(vec![shipped.name.to_owned(), first_sentence(&shipped.about())]);
    }
    crate::print(&(aligned(table, 2) + "\n"));
}

/// Up to the first full stop that ends a sentence, on one line.
fn first_sentence(about: &str) -> String {
    let words: Vec<_> = about.split_whitespace().collect();
    let text = words.join(" ");
    text.split_once(". ").map_or_else(|| text.clone(), |(first, _)| format!("{first}."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_ends_with_a_stop_and_a_space() {
        assert_eq!(first_sentence("Flows at 13.2 Gb/s,\n   two. More."), "Flows at 13.2 Gb/s, two.");
        assert_eq!(first_sentence("No stop"), "No stop");
    }
}
