//! Imports of a Rust file, read as text.
//!
//! Invariant: every path that begins with `crate`, `super` or `self` is found, in a `use` or elsewhere, and so is
//! every name that the file re-exports. Comments and the test module at the end of the file are left out.

/// A path that a file names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Import {
    /// Segments from `crate`, `super`, `self`, or from the first name of a re-export, to the imported name.
    pub(super) path: Vec<String>,
    /// Name under which the file knows it.
    pub(super) name: String,
    /// The file re-exports the name.
    pub(super) public: bool,
}

/// The imports of a file.
pub(super) fn imports(text: &str) -> Vec<Import> {
    let code = code(text);
    let mut found = Vec::new();
    for keyword in ["crate::", "super::", "self::"] {
        for (at, _) in code.match_indices(keyword).filter(|(at, _)| begins_word(&code, *at)) {
            found.extend(paths(&code[at..]).into_iter().map(|path| import(path, false)));
        }
    }
    for keyword in ["pub use ", "pub(crate) use ", "pub(super) use "] {
        for (at, _) in code.match_indices(keyword) {
            found.extend(paths(&code[at + keyword.len()..]).into_iter().map(|path| import(path, true)));
        }
    }
    found
}

fn import((path, renamed): (Vec<String>, Option<String>), public: bool) -> Import {
    let name = renamed.or_else(|| path.last().cloned()).unwrap_or_default();
    Import { path, name, public }
}

/// The text without comments and without the test module.
fn code(text: &str) -> String {
    let end = text.find("#[cfg(test)]\nmod tests").unwrap_or(text.len());
    let lines = text[..end].lines().map(|line| line.split("//").next().unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}

fn begins_word(text: &str, at: usize) -> bool {
    !text[..at].ends_with(|letter: char| letter.is_alphanumeric() || letter == '_' || letter == ':')
}

type Renamed = (Vec<String>, Option<String>);

/// The paths of the use tree at the beginning of `text`, each with the name that `as` gives it.
fn paths(text: &str) -> Vec<Renamed> {
    let mut found = Vec::new();
    tree(text, &[], &mut found);
    found
}

/// Reads one tree below `prefix`, and returns the text behind it.
fn tree<'a>(text: &'a str, prefix: &[String], found: &mut Vec<Renamed>) -> &'a str {
    let (word, mut rest) = word(text);
    let mut path = prefix.to_vec();
    if word != "self" || prefix.is_empty() {
        path.push(word.to_owned());
    }
    let Some(below) = rest.strip_prefix("::") else {
        let renamed = rest.trim_start().strip_prefix("as ").map(self::word);
        rest = renamed.map_or(rest, |(_, after)| after);
        found.push((path, renamed.map(|(name, _)| name.to_owned())));
        return rest;
    };
    if let Some(group) = below.strip_prefix('{') {
        return members(group, &path, found);
    }
    if below.starts_with(|letter: char| letter.is_alphabetic() || letter == '_') {
        return tree(below, &path, found);
    }
    // A glob, or the generic arguments of an expression.
    found.push((path, None));
    below
}

/// Reads the members of a group behind its brace, and returns the text behind the group.
fn members<'a>(mut text: &'a str, prefix: &[String], found: &mut Vec<Renamed>) -> &'a str {
    loop {
        text = text.trim_start_matches(|letter: char| letter.is_whitespace() || letter == ',');
        if let Some(behind) = text.strip_prefix('}') {
            return behind;
        }
        if text.is_empty() {
            return text;
        }
        text = match tree(text, prefix, found) {
            // Nothing was read: whatever stands here is no use tree.
            same if same.len() == text.len() => return "",
            behind => behind.trim_start_matches('*'),
        };
    }
}

/// The identifier at the beginning of a text, and the text behind it.
fn word(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    let end = text.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(text.len());
    text.split_at(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        let shown = |import: Import| {
            let renamed = import.path.last() != Some(&import.name);
            let name = if renamed { format!(" as {}", import.name) } else { String::new() };
            format!("{}{}{name}", if import.public { "pub " } else { "" }, import.path.join("::"))
        };
        imports(text).into_iter().map(shown).collect()
    }

    #[test]
    fn groups_are_taken_apart() {
        let text = "use crate::{\n    a::{self, A, b::*},\n    c::C as D,\n};\nuse super::E;\n";
        assert_eq!(found(text), ["crate::a", "crate::a::A", "crate::a::b", "crate::c::C as D", "super::E"]);
    }

    #[test]
    fn paths_in_expressions_count_and_other_words_do_not() {
        let text = "fn f(x: crate::a::A) -> u8 { self::g::<u8>() + x.crate_size } // crate::b::B\n";
        assert_eq!(found(text), ["crate::a::A", "self::g"]);
    }

    #[test]
    fn reexports_are_public() {
        assert_eq!(
            found("pub use a::{A, B};\npub(crate) use crate::c::C;\n"),
            ["crate::c::C", "pub a::A", "pub a::B", "pub crate::c::C"]
        );
    }

    #[test]
    fn tests_at_the_end_of_a_file_do_not_count() {
        assert_eq!(
            found("use crate::a::A;\n#[cfg(test)]\nmod tests {\n    use crate::b::B;\n}\n"),
            ["crate::a::A"]
        );
    }
}
