//! Links in pages.
//!
//! Invariant: a link to a file of the repository leads to one. Links to elsewhere, and to a heading
//! of the same page, are the reader's to follow.

use std::path::Path;

use super::Finding;

/// The relative links of a page that lead nowhere, by `leads`.
pub(super) fn check(file: &Path, text: &str, leads: impl Fn(&str) -> bool) -> Vec<Finding> {
    links(text)
        .filter_map(|(line, target)| {
            let path = path_of(target)?;
            let remedy = if path.starts_with('/') {
                "write it relative to the page"
            } else if leads(path) {
                return None;
            } else {
                "name a file that is there, relative to the page"
            };
            Some(Finding::error(file, line, format!("the link to `{target}` leads nowhere"), remedy))
        })
        .collect()
}

/// The line and the target of every link in the page; those in code are not links.
fn links(text: &str) -> impl Iterator<Item = (usize, &str)> {
    unfenced(text)
        .flat_map(|(number, line)| inline(line).chain(definition(line)).map(move |target| (number, target)))
}

/// Returns the lines of a page outside blocks of code, with their numbers.
pub(super) fn unfenced(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fenced = false;
    (1..).zip(text.lines()).filter(move |(_, line)| {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        !fenced && !fence
    })
}

/// The targets of `[text](target)`.
fn inline(line: &str) -> impl Iterator<Item = &str> {
    line.match_indices("](").filter_map(|(at, opening)| {
        let in_code = line[..at].matches('`').count() % 2 == 1;
        let target = line[at + opening.len()..].split(')').next()?;
        (!in_code).then_some(target)
    })
}

/// The target of `[name]: target`.
fn definition(line: &str) -> Option<&str> {
    line.strip_prefix('[')?.split_once("]: ").map(|(_, target)| target)
}

/// The part of a target that names a file of the repository.
fn path_of(target: &str) -> Option<&str> {
    let path = target.split([' ', '#']).next()?.trim_start_matches('<').trim_end_matches('>');
    let elsewhere = path.contains("://") || path.starts_with("mailto:");
    (!path.is_empty() && !elsewhere).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> Vec<String> {
        let found = check(Path::new("docs/a.md"), text, |path| path == "there.md");
        found.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_link_leads_somewhere() {
        assert_eq!(told("[a](there.md), [b](there.md#part) and [c](there.md \"title\")\n"), [""; 0]);
        let gone = "error: docs/a.md:2: the link to `gone.md` leads nowhere: \
                    name a file that is there, relative to the page";
        assert_eq!(told("one\n[a](there.md) [b](gone.md)\n"), [gone]);
        assert_eq!(told("one\n[b]: gone.md\n"), [gone]);
        let rooted =
            "error: docs/a.md:1: the link to `/there.md` leads nowhere: write it relative to the page";
        assert_eq!(told("![picture](/there.md)\n"), [rooted]);
    }

    #[test]
    fn what_is_elsewhere_or_code_is_let_be() {
        assert_eq!(told("[a](https://example.org/x) [b](#part) [c](mailto:a@example.org)\n"), [""; 0]);
        assert_eq!(told("`[a](gone.md)`\n```text\n[a](gone.md)\n```\n"), [""; 0]);
        assert_eq!(told("```text\n```\n[a](gone.md)\n").len(), 1);
    }
}
