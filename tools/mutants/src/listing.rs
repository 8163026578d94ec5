//! Mutants as cargo-mutants lists them: the place, the text that replaces it, and the function around it.
//!
//! Invariant: positions are byte offsets into the file as it was listed.

use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::Deserialize;

/// A small fault that can be put into the code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutant {
    /// Number by which the switch knows the mutant, from 1.
    pub number: u32,
    /// `FILE:LINE:COLUMN: CHANGE`.
    pub place: String,
    /// Path relative to the workspace.
    pub file: PathBuf,
    /// Text that is replaced.
    pub span: Range<usize>,
    /// Function around it, from its attributes to its closing brace; `None` in an item that is no function.
    pub function: Option<Range<usize>>,
    /// Text that replaces it.
    pub replacement: String,
}

impl Mutant {
    /// Returns the source with this mutant in place of the original.
    pub(crate) fn applied(&self, source: &str, within: &Range<usize>) -> String {
        let (before, after) = (within.start..self.span.start, self.span.end..within.end);
        format!("{} {} {}", &source[before], self.replacement, &source[after])
    }
}

/// Removes line and column from `FILE:LINE:COLUMN: CHANGE`.
#[must_use]
pub fn name(place: &str) -> String {
    let (position, change) = place.split_once(": ").unwrap_or((place, ""));
    let file = position.split(':').next().unwrap_or(position);
    format!("{file}: {change}")
}

#[derive(Deserialize)]
struct Listed {
    file: PathBuf,
    function: Option<ListedFunction>,
    name: String,
    replacement: String,
    span: ListedSpan,
}

#[derive(Deserialize)]
struct ListedFunction {
    span: ListedSpan,
}

/// From the first character to the one after the last.
#[derive(Deserialize)]
struct ListedSpan {
    start: Position,
    end: Position,
}

/// Line and column, both from 1, columns in characters.
#[derive(Clone, Copy, Deserialize)]
struct Position {
    line: usize,
    column: usize,
}

/// Reads the output of `cargo mutants --list --json`, in its order. `read` returns the text of a file of the workspace.
///
/// # Errors
///
/// Says which part is not as expected.
pub fn read(
    json: &str,
    mut source: impl FnMut(&Path) -> Result<String, String>,
) -> Result<Vec<Mutant>, String> {
    let all: Vec<Listed> =
        serde_json::from_str(json).map_err(|cause| format!("the list of mutants: {cause}"))?;
    let mut open: Option<(PathBuf, String)> = None;
    let mut mutants = Vec::new();
    for (number, listed) in (1..).zip(all) {
        if open.as_ref().is_none_or(|(file, _)| *file != listed.file) {
            open = Some((listed.file.clone(), source(&listed.file)?));
        }
        let text = open.as_ref().map_or("", |(_, text)| text);
        let bytes = |span: &ListedSpan| {
            let range = offset(text, span.start)..offset(text, span.end);
            text.get(range.clone()).map(|_| range).ok_or_else(|| format!("{}: no such place", listed.name))
        };
        mutants.push(Mutant {
            number,
            span: bytes(&listed.span)?,
            function: listed.function.as_ref().map(|function| bytes(&function.span)).transpose()?,
            place: listed.name,
            file: listed.file,
            replacement: listed.replacement,
        });
    }
    Ok(mutants)
}

/// Returns the offset of a position; behind the text if there is none.
fn offset(text: &str, position: Position) -> usize {
    let line = text.split_inclusive('\n').take(position.line - 1).map(str::len).sum::<usize>();
    let rest = text.get(line..).unwrap_or_default();
    line + rest.chars().take(position.column - 1).map(char::len_utf8).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_found_behind_letters_of_several_bytes() {
        let json = r#"[{"file": "a.rs", "function": null, "name": "a.rs:2:5: replace < with >", "replacement": ">",
            "span": {"start": {"line": 2, "column": 5}, "end": {"line": 2, "column": 6}}}]"#;
        let text = "// α\n'β' < 'γ'\n";
        let mutants = read(json, |_| Ok(text.to_owned())).unwrap();
        assert_eq!(&text[mutants[0].span.clone()], "<");
        assert_eq!(name(&mutants[0].place), "a.rs: replace < with >");
        assert_eq!(mutants[0].applied(text, &(6..text.len() - 1)), "'β'  >  'γ'");
    }
}
