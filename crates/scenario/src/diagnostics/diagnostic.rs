//! Faults with their places in a text, and their printed form.
//!
//! Invariant: the first line of every printed fault is `error: FILE:LINE:COLUMN: PATH: MESSAGE`. A part that does not
//! apply is left out. Names in a fault act on no terminal: they are shown before colours are put around them.
//!
//! ```text
//! error: mine.ron:12:8: link.mtu: `3 KiB` is not an MTU
//!    |
//! 12 |   mtu: "3 KiB",
//!    |        ^^^^^^^
//!    |
//! help: write "256 B", "512 B", "1 KiB", "2 KiB" or "4 KiB"
//! ```

use core::fmt::{self, Display, Formatter};

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use names::shown;

/// Largest number of faults that are printed.
const MOST_SHOWN: usize = 8;

/// Faults for which a scenario is refused: one or several, none of which follows from another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    faults: Vec<LocatedFault>,
}

/// A fault with its place in a text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LocatedFault {
    /// The file, or `--set PATH=VALUE` where an override is at fault.
    pub file: String,
    /// The place in the file; `None` for a fault of the file as a whole.
    pub place: Option<Box<Excerpt>>,
    /// Path of the field at fault, as `--set` takes it; empty if no field is at fault.
    pub path: String,
    /// The fault, in one line.
    pub message: String,
    /// The correction, in one line.
    pub help: Option<String>,
}

/// A part of a line, with the whole line.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Excerpt {
    /// The line, counted from 1.
    pub line: usize,
    /// The first character of the part, counted from 1.
    pub column: usize,
    /// Length in characters.
    pub width: usize,
    /// Text of the whole line.
    pub text: String,
}

impl Diagnostic {
    /// Makes a diagnostic of these faults.
    ///
    /// # Panics
    /// If there are none.
    #[must_use]
    pub fn new(faults: Vec<LocatedFault>) -> Self {
        assert!(!faults.is_empty(), "a diagnostic holds at least one fault");
        Self { faults }
    }

    /// Returns the faults, at least one.
    #[must_use]
    pub fn faults(&self) -> &[LocatedFault] {
        &self.faults
    }

    /// Renders the faults, with colours for a terminal or without.
    #[must_use]
    pub fn render(&self, colours: bool) -> String {
        let renderer = if colours { Renderer::styled() } else { Renderer::plain() };
        let shown = self.faults.iter().take(MOST_SHOWN).map(|fault| fault.render(&renderer));
        let left_out = self.faults.len().saturating_sub(MOST_SHOWN);
        let more = (left_out > 0).then(|| format!("and {left_out} more errors"));
        shown.chain(more).collect::<Vec<_>>().join("\n\n")
    }
}

impl From<LocatedFault> for Diagnostic {
    fn from(fault: LocatedFault) -> Self {
        Self { faults: vec![fault] }
    }
}

/// Prints without colours.
impl Display for Diagnostic {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

impl core::error::Error for Diagnostic {}

impl LocatedFault {
    /// Returns the first line, without the word `error`.
    fn title(&self) -> String {
        let place = self.place.as_ref().map(|place| format!(":{}:{}", place.line, place.column));
        let path = if self.path.is_empty() { String::new() } else { format!("{}: ", self.path) };
        format!("{}{}: {path}{}", self.file, place.unwrap_or_default(), self.message)
    }

    fn render(&self, renderer: &Renderer) -> String {
        let title = self.title();
        let title = Group::with_title(Level::ERROR.primary_title(shown::line(&title)));
        let help = self.help.as_deref().map(shown::line);
        let help = help.map(|help| Group::with_title(Level::HELP.secondary_title(help)));
        let Some(place) = &self.place else {
            // Rendered one by one: together, an empty margin would separate the two lines.
            let groups = [Some(title), help].into_iter().flatten();
            return groups.map(|group| renderer.render(&[group])).collect::<Vec<_>>().join("\n");
        };
        let (text, part) = place.shown();
        let mark = AnnotationKind::Primary.span(part);
        let line = Snippet::source(text).line_start(place.line).fold(false).annotation(mark);
        let report: Vec<_> = [Some(title.element(line)), help].into_iter().flatten().collect();
        renderer.render(&report)
    }
}

impl Excerpt {
    /// Takes the part of `text` from byte `start` to byte `end`, up to the end of the line.
    ///
    /// # Panics
    /// If an end is not within the text, at a whole character.
    #[must_use]
    pub fn new(text: &str, start: usize, end: usize) -> Self {
        let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line = text[line_start..].lines().next().unwrap_or_default();
        let end = end.clamp(start, (line_start + line.len()).max(start));
        Self {
            line: text[..line_start].matches('\n').count() + 1,
            column: text[line_start..start].chars().count() + 1,
            width: text[start..end].chars().count().max(1),
            text: line.to_owned(),
        }
    }

    /// Returns the line as it is shown, and the part as bytes of it.
    fn shown(&self) -> (String, core::ops::Range<usize>) {
        let part = self.bytes();
        // The renderer has pictures for control characters, but none for all that changes the direction of text.
        let mut text = shown::lines(&self.text[..part.start]).into_owned();
        let start = text.len();
        text += &shown::lines(&self.text[part.clone()]);
        let end = text.len();
        (text + &shown::lines(&self.text[part.end..]), start..end)
    }

    /// Returns the part as bytes of the line.
    fn bytes(&self) -> core::ops::Range<usize> {
        let at = |column: usize| self.text.char_indices().nth(column).map_or(self.text.len(), |(at, _)| at);
        at(self.column - 1)..at(self.column - 1 + self.width)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault() -> LocatedFault {
        let text = "(\n    µ: \"3 KiB\",\n)";
        let start = text.find('"').unwrap();
        LocatedFault {
            file: "a.ron".to_owned(),
            place: Some(Box::new(Excerpt::new(text, start, start + 7))),
            path: "µ".to_owned(),
            message: "wrong".to_owned(),
            help: Some("right".to_owned()),
        }
    }

    #[test]
    fn a_fault_is_printed_with_its_line() {
        let expected =
            "error: a.ron:2:8: µ: wrong\n  |\n2 |     µ: \"3 KiB\",\n  |        ^^^^^^^\n  |\nhelp: right";
        assert_eq!(Diagnostic::from(fault()).to_string(), expected);
    }

    #[test]
    fn the_line_of_a_fault_acts_on_no_terminal() {
        let text = "a\u{200f}\t: \u{202e}\u{1b}[2J\u{200b}";
        let start = text.find('\u{202e}').unwrap();
        let place = Excerpt::new(text, start, start + '\u{202e}'.len_utf8());
        assert_eq!(place.width, 1);
        let fault = LocatedFault { place: Some(Box::new(place)), ..fault() };
        let expected = "error: a.ron:1:6: µ: wrong\n  |\n1 | a<U+200F>    : <U+202E>␛[2J<U+200B>\n  |                ^^^^^^^^\n  |\nhelp: right";
        assert_eq!(Diagnostic::from(fault).to_string(), expected);
    }

    #[test]
    fn faults_stand_apart() {
        let bare = LocatedFault { place: None, path: String::new(), help: None, ..fault() };
        let two = Diagnostic::new(vec![bare.clone(), bare]);
        assert_eq!(two.to_string(), "error: a.ron: wrong\n\nerror: a.ron: wrong");
    }
}
