//! Work that has a single place in the crates.
//!
//! Invariant: what could lose data, or let a name act on a terminal or another program, is done by one module, which its tests
//! then cover for all. Tests may do it anywhere. The functions here read no disk.

use std::path::Path;

use super::Finding;

/// Work, and its place.
struct Single {
    /// The words that do it.
    words: &'static [&'static str],
    /// Files and folders that may hold them.
    places: &'static [&'static str],
    /// Words of a line in which they are right; empty if there are none.
    unless: &'static str,
    fault: &'static str,
    remedy: &'static str,
}

const ALL: [Single; 6] = [
    Single {
        words: &[
            "fs::write",
            "fs::rename",
            "fs::copy",
            "hard_link",
            "remove_file",
            "remove_dir",
            "remove_dir_all",
            "File::create",
            "File::create_new",
            "OpenOptions",
        ],
        places: &["crates/files/src"],
        unless: "",
        fault: "a file is written, renamed or removed here",
        remedy: "call the crate `files`, which loses nothing",
    },
    Single {
        words: &["println!", "eprintln!", "print!", "eprint!", "dbg!", "io::stdout", "io::stderr"],
        places: &[
            "crates/runner/src/bin/backwater/terminal.rs",
            // Numbers of runs and their noun.
            "crates/experiment/src/pool.rs",
        ],
        unless: "",
        fault: "something is printed here",
        remedy: "print through `terminal`, in which no name acts on the terminal",
    },
    Single {
        words: &["csv::Reader", "csv::Writer", "csv::ReaderBuilder", "csv::WriterBuilder"],
        places: &[
            "crates/results/src/csv_text",
            "crates/results/src/parquet",
            // Tests alone.
            "crates/results/src/hostile_names.rs",
            "crates/claims/src/exhibits",
        ],
        unless: "",
        fault: "a table is written or read here",
        remedy: "call `results::csv_text`, in which no name is a formula",
    },
    Single {
        words: &["\"&lt;\"", "\"&amp;\""],
        places: &["crates/names/src/markup.rs"],
        unless: "",
        fault: "text is escaped for markup here",
        remedy: "call `names::markup`",
    },
    Single {
        words: &["r\"'\\''\"", "\"'\\\\''\""],
        places: &["crates/names/src/shell.rs"],
        unless: "",
        fault: "a word of a shell is quoted here",
        remedy: "call `names::shell`",
    },
    Single {
        words: &["serde_json::to_string", "serde_json::to_string_pretty"],
        places: &[
            // Sizes of files to come.
            "crates/experiment/src/store/batch.rs",
            // Parts of the data of a page, all of which `document` escapes.
            "crates/page/src/numbers.rs",
            "crates/page/src/run/mod.rs",
            // Readings and verdicts of the program's own.
            "crates/runner/src/bin/backwater/verbs/bench",
            "crates/runner/src/bin/backwater/verbs/repro.rs",
            // Data of a page, which shows them as text.
            "crates/web/src/bindings.rs",
        ],
        unless: "json::escaped(",
        fault: "JSON is written here",
        remedy: "call `names::json`, in which no name acts on a terminal",
    },
];

/// Checks a Rust file of a crate.
pub(super) fn check(file: &Path, text: &str) -> Vec<Finding> {
    if !is_of_crate(file) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for Single { words, places, unless, fault, remedy } in ALL {
        if places.iter().any(|place| file.starts_with(place)) {
            continue;
        }
        for (number, line) in code(text) {
            let is_right = !unless.is_empty() && line.contains(unless);
            if !is_right && words.iter().any(|word| has_word(line, word)) {
                found.push(Finding::error(file, number, fault, remedy));
            }
        }
    }
    found
}

/// Returns true for files of the crates that are compiled into the program.
fn is_of_crate(file: &Path) -> bool {
    let parts: Vec<_> = file.components().filter_map(|part| part.as_os_str().to_str()).collect();
    let is_test = |part: &&str| matches!(*part, "tests" | "tests.rs");
    parts.first() == Some(&"crates") && parts.get(2) == Some(&"src") && !parts.iter().any(is_test)
}

/// Returns the lines of a file with their numbers, up to its tests, without comments.
fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let end = text.find("\n#[cfg(test)]\nmod ").map_or(text.len(), |at| at + 1);
    let lines = (1..).zip(text[..end].lines());
    lines.filter(|(_, line)| !line.trim_start().starts_with("//"))
}

/// Returns true if a word stands in a line, and not as a part of another.
fn has_word(line: &str, word: &str) -> bool {
    let is_letter = |letter: char| letter.is_alphanumeric() || letter == '_';
    line.match_indices(word).any(|(at, _)| {
        let (before, after) = (&line[..at], &line[at + word.len()..]);
        !before.ends_with(is_letter) && !after.starts_with(is_letter)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(file: &str, text: &str) -> Vec<String> {
        check(Path::new(file), text).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn files_are_written_in_one_place() {
        let text = "//! A thing.\nfn f() {\n    fs::write(a, b)?;\n}\n";
        let refused = "error: crates/results/src/a.rs:3: a file is written, renamed or removed here: call the crate `files`, which loses nothing";
        assert_eq!(of("crates/results/src/a.rs", text), [refused]);
        for elsewhere in [
            "crates/files/src/a.rs",
            "crates/results/tests/a.rs",
            "crates/results/src/tests.rs",
            "xtask/src/a.rs",
        ] {
            assert_eq!(of(elsewhere, text), [""; 0], "{elsewhere}");
        }
    }

    #[test]
    fn names_are_shown_in_one_place() {
        let faults = [
            ("    println!(\"{name}\");", "something is printed here"),
            ("    let mut err = io::stderr();", "something is printed here"),
            ("    let rows = csv::Reader::from_reader(bytes);", "a table is written or read here"),
            ("    name.replace('<', \"&lt;\")", "text is escaped for markup here"),
            ("    format!(\"'{}'\", word.replace('\\'', r\"'\\''\"))", "a word of a shell is quoted here"),
            ("    serde_json::to_string(&all)?", "JSON is written here"),
        ];
        for (line, fault) in faults {
            let found = of("crates/runner/src/a.rs", &format!("//! A.\n{line}\n"));
            assert!(found.len() == 1 && found[0].contains(&format!(":2: {fault}: ")), "{line}: {found:?}");
        }
        let escaped = "//! A.\n    names::json::escaped(serde_json::to_string(&all)?)\n";
        assert_eq!(of("crates/runner/src/a.rs", escaped), [""; 0]);
    }

    #[test]
    fn tests_comments_and_longer_words_are_free() {
        let text = "//! fs::write\nfn f() {\n    dont_fs::write_all();\n}\n\n#[cfg(test)]\nmod tests {\n    fs::write();\n}\n";
        assert_eq!(of("crates/results/src/a.rs", text), [""; 0]);
        for line in [
            "use std::fs::{self, remove_dir_all};",
            "File::create_new(path)",
            "let mut o = OpenOptions::new();",
        ] {
            assert_eq!(of("crates/results/src/a.rs", &format!("//! A.\n{line}\n")).len(), 1, "{line}");
        }
    }
}
