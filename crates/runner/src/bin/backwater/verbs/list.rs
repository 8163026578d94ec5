//! `list`: the shipped scenarios.

use results::format::{aligned, plain_table};

use crate::terminal::print;

/// Prints the name and the purpose of each scenario.
pub(crate) fn run() {
    let mut table = plain_table();
    for shipped in scenario::shipped() {
        table.add_row(vec![shipped.name.to_owned(), first_sentence(&shipped.about())]);
    }
    print(&(aligned(table, 2) + "\n"));
}

/// Returns the first sentence, on a single line.
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
