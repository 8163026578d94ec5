//! Paths that the pages for contributors name.
//!
//! Invariant: a path in backquotes leads to a file or folder, from the repository's root or from the page's folder. Recipes
//! that name files are read by people who do not know the code yet, so a stale path costs them most.
//!
//! Text in backquotes is a path if it holds a slash, or ends as source files do, and has no character that paths here do
//! not have: commands, patterns and types are none.

use std::ffi::OsStr;
use std::path::Path;

use super::Finding;
use super::links::unfenced;

/// Pages whose paths must lead somewhere, beside each `README.md` in a folder.
const PAGES: [&str; 2] = ["ARCHITECTURE.md", "CONTRIBUTING.md"];

/// Endings by which a name without a folder is a path.
const ENDINGS: [&str; 5] = [".rs", ".md", ".ron", ".toml", ".yml"];

/// Returns true if the paths of this page are checked.
pub(super) fn concerns(file: &Path) -> bool {
    let in_folder = file.parent().is_some_and(|folder| folder != Path::new(""));
    PAGES.iter().any(|page| file == Path::new(page))
        || in_folder && file.file_name() == Some(OsStr::new("README.md"))
}

/// Returns the paths of a page that lead nowhere, by `leads`.
pub(super) fn check(file: &Path, text: &str, leads: impl Fn(&str) -> bool) -> Vec<Finding> {
    unfenced(text)
        .flat_map(|(number, line)| quoted(line).map(move |path| (number, path)))
        .filter(|(_, path)| is_path(path) && !leads(path))
        .map(|(number, path)| {
            let fault = format!("`{path}` is neither in the repository's root nor beside the page");
            Finding::error(file, number, fault, "name the place that has its contents now")
        })
        .collect()
}

/// Returns the texts in backquotes.
fn quoted(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

fn is_path(text: &str) -> bool {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "._-/".contains(letter);
    // What is built is not in the repository.
    let made = text.starts_with("target/");
    text.chars().all(plain)
        && !made
        && (text.contains('/') || ENDINGS.iter().any(|ending| text.ends_with(ending)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> Vec<String> {
        let found =
            check(Path::new("crates/a/README.md"), text, |path| ["src/there.rs", "docs"].contains(&path));
        found.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_path_leads_somewhere() {
        assert_eq!(told("a module in `src/there.rs`, its page in `docs`\n"), [""; 0]);
        let gone = |line: u32, path: &str| {
            format!(
                "error: crates/a/README.md:{line}: `{path}` is neither in the repository's root nor beside the page: \
                 name the place that has its contents now"
            )
        };
        assert_eq!(told("see\n`gone.rs` and `src/there.rs`\n"), [gone(2, "gone.rs")]);
        assert_eq!(told("`src/gone` and `docs/gone.md`\n"), [gone(1, "src/gone"), gone(1, "docs/gone.md")]);
    }

    #[test]
    fn what_is_no_path_is_let_be() {
        assert_eq!(
            told("`cargo xtask ci`, `Marker`, `fixtures/bad/*.ron`, `results.csv`, `target/x`\n"),
            [""; 0]
        );
        assert_eq!(told("```text\n`src/gone.rs`\n```\n"), [""; 0]);
    }

    #[test]
    fn pages_for_contributors_are_concerned() {
        let concerned = |page: &str| concerns(Path::new(page));
        assert!(["ARCHITECTURE.md", "CONTRIBUTING.md", "crates/a/README.md"].into_iter().all(concerned));
        assert!(!["README.md", "docs/guide.md", "CHANGELOG.md"].into_iter().any(concerned));
    }
}
