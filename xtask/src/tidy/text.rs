//! Rules on the lines of a file.
//!
//! Invariant: the functions here read no disk.

use std::path::Path;

use super::{Finding, Grade};

/// Number of lines from which a Rust file gets a warning.
const LONG: usize = 400;
/// Number of lines from which a Rust file is refused.
const TOO_LONG: usize = 600;

/// The file with the only unsafe code of the program, and a test that replaces functions of the C library.
const UNSAFE: [&str; 2] = ["crates/prefetch/src/lib.rs", "crates/web/tests/without_machine.rs"];

/// Checks the rules for Rust files.
pub(super) fn check_rust(file: &Path, text: &str) -> Vec<Finding> {
    let mut found = Vec::new();
    if !text.starts_with("//!") {
        let remedy = "open it with `//!`: its purpose in one sentence, then its invariant";
        found.push(Finding::error(file, 1, "the file does not state its purpose", remedy));
    }
    let lines = text.lines().count();
    if lines > LONG {
        let fault = format!("the file has {lines} lines");
        let remedy = format!("aim for {LONG}, and split what passes {TOO_LONG}");
        let grade = if lines > TOO_LONG { Grade::Error } else { Grade::Warning };
        found.push(Finding { grade, ..Finding::error(file, lines, fault, remedy) });
    }
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim_start();
        let is_attribute = line.starts_with("#[") || line.starts_with("#![");
        if is_attribute && has_word(line, "allow(") {
            let remedy = "write `#[expect(LINT, reason = \"...\")]`, which says why and goes stale loudly";
            found.push(Finding::error(file, number, "a lint is allowed", remedy));
        }
        if is_attribute && line.contains("unsafe_code") && !UNSAFE.iter().any(|other| file.ends_with(other)) {
            let remedy = format!("`{}` has the only unsafe code of the program", UNSAFE[0]);
            found.push(Finding::error(file, number, "unsafe code is allowed", remedy));
        }
    }
    found
}

/// Checks the rules for every text file.
pub(super) fn check_lines(file: &Path, text: &str) -> Vec<Finding> {
    let mut found = Vec::new();
    // `split` and not `lines`, which would hide a carriage return.
    for (number, line) in (1..).zip(text.split('\n')) {
        if line.contains('\t') {
            found.push(Finding::error(
                file,
                number,
                "there is a tab",
                "indent with spaces, write `\\t` in a string",
            ));
        }
        if line.ends_with(char::is_whitespace) {
            found.push(Finding::error(
                file,
                number,
                "there are blanks at the end",
                "end the line with its text",
            ));
        }
    }
    if !text.is_empty() && !text.ends_with('\n') {
        let last = text.lines().count();
        found.push(Finding::error(file, last, "the last line has no end", "end the file with a line feed"));
    }
    found
}

/// Returns whether `word` occurs in the line, and not as the tail of another word.
fn has_word(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| !line[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rust(text: &str) -> Vec<String> {
        check_rust(Path::new("a.rs"), text).iter().map(ToString::to_string).collect()
    }

    fn lines(text: &str) -> Vec<String> {
        check_lines(Path::new("a.md"), text).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_file_opens_with_its_purpose() {
        assert_eq!(rust("//! A thing.\n"), [""; 0]);
        let mute = "error: a.rs:1: the file does not state its purpose: \
                    open it with `//!`: its purpose in one sentence, then its invariant";
        assert_eq!(rust("// A thing.\n"), [mute]);
        assert_eq!(rust(""), [mute]);
    }

    #[test]
    fn a_file_stays_short() {
        let of = |lines: usize| rust(&"//! A line.\n".repeat(lines));
        assert_eq!(of(400), [""; 0]);
        assert_eq!(
            of(401),
            ["warning: a.rs:401: the file has 401 lines: aim for 400, and split what passes 600"]
        );
        assert_eq!(of(600).len(), 1);
        assert!(of(601)[0].starts_with("error: a.rs:601: the file has 601 lines"));
    }

    #[test]
    fn lints_are_expected_and_not_allowed() {
        let on = |attribute: &str| rust(&format!("//! A thing.\n{attribute}\nfn f() {{}}\n"));
        let allowed = "error: a.rs:2: a lint is allowed: \
                       write `#[expect(LINT, reason = \"...\")]`, which says why and goes stale loudly";
        assert_eq!(on("#[allow(dead_code)]"), [allowed]);
        assert_eq!(on("#![allow(dead_code)]"), [allowed]);
        assert_eq!(on("    #[cfg_attr(test, allow(dead_code))]"), [allowed]);
        assert_eq!(on("#[expect(dead_code, reason = \"soon\")]"), [""; 0]);
        assert_eq!(on("// #[allow(dead_code)] would not do"), [""; 0]);
        assert_eq!(on("#[disallow(that)]"), [""; 0]);
    }

    #[test]
    fn blanks_are_where_they_show() {
        assert_eq!(lines("a\n\n    b\n"), [""; 0]);
        assert_eq!(
            lines("a\n\tb\n"),
            ["error: a.md:2: there is a tab: indent with spaces, write `\\t` in a string"]
        );
        let blanks = "error: a.md:1: there are blanks at the end: end the line with its text";
        assert_eq!(lines("a \n"), [blanks]);
        assert_eq!(lines("a\r\n"), [blanks]);
        assert_eq!(lines("a\nb"), ["error: a.md:2: the last line has no end: end the file with a line feed"]);
    }
}
