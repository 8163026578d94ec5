//! The text of a scenario: a file's, with parts of it overridden.
//!
//! Invariant: the origin of every byte of the text is known, so a fault is shown in the file as it is
//! on disk, or in the override as it was given.

use core::ops::Range;
use settings::files::{MOST_TEXT, limited_text};
use std::io;
use std::path::{Path, PathBuf};

use cc_policies::own::OwnPolicies;
use names::file::stays_below;
use settings::FieldPath;

use super::flaw::SyntaxFlaw;
use super::outline::Outline;
use super::shipped::shipped;
use crate::diagnostics::{Diagnostic, Excerpt, LocatedFault};
use settings::nearest;

/// Most bytes of a file that a scenario names: a job of 10^7 operations has 500 MB.
const MOST_BESIDE: u64 = 4 << 30;

/// A scenario as text, before it is read.
///
/// ```
/// let mut source = scenario::ScenarioText::find("one-flow")?;
/// source.set("duration=2 ms")?;
/// let plan = scenario::Scenario::read(&source)?.check(&source)?;
/// assert_eq!(plan.duration(), units::Span::from_us(2000));
/// # Ok::<(), scenario::Diagnostic>(())
/// ```
#[derive(Clone, Debug)]
pub struct ScenarioText {
    stem: String,
    /// The folder of the files that the scenario names; `None` for a scenario without a file.
    folder: Option<PathBuf>,
    /// Files that the scenario names and that lie in no folder: name and text.
    files: Vec<(String, String)>,
    /// Policies of the program, which the scenario may name.
    own: OwnPolicies,
    /// The file, then every override, in the order of the command line.
    origins: Vec<TextOrigin>,
    /// The parts of the text, in order.
    pieces: Vec<TextPiece>,
    text: String,
    outline: Result<Outline, SyntaxFlaw>,
}

/// An origin of text: a file or an override.
#[derive(Clone, Debug)]
struct TextOrigin {
    name: String,
    text: String,
}

/// A part of the text that comes from one place.
#[derive(Clone, Debug)]
struct TextPiece {
    origin: usize,
    /// Offset in the origin.
    start: usize,
    length: usize,
    /// True for punctuation that was added around an override's value, and is in no origin.
    added: bool,
}

/// A value to be put into the text, with punctuation around it.
#[derive(Clone, Debug)]
pub(crate) struct TextPatch<'a> {
    /// The part of the text that it replaces.
    pub(crate) span: Range<usize>,
    pub(crate) before: String,
    pub(crate) value: &'a str,
    pub(crate) after: String,
}

impl ScenarioText {
    /// Finds the scenario that a command line names: a file if there is one of this name or the name ends in
    /// `.ron`, else a shipped scenario.
    ///
    /// # Errors
    /// If there is no such file or scenario, or the file cannot be read.
    pub fn find(argument: &str) -> Result<Self, Diagnostic> {
        let file = Path::new(argument);
        // A pipe is a file too, and a folder may have the name of a shipped scenario.
        let there = file.exists() && !file.is_dir();
        if there || file.extension().is_some_and(|extension| extension == "ron") {
            let text = read(file, MOST_TEXT).map_err(|error| unreadable(argument, &error))?;
            let folder = file.parent().unwrap_or_else(|| Path::new(""));
            return Ok(Self::new(argument, &text).beside(folder));
        }
        let known = || shipped().iter().map(|scenario| scenario.name);
        let found = shipped().iter().find(|scenario| scenario.name == argument);
        found.map(|scenario| Self::new(&format!("{argument}.ron"), scenario.text)).ok_or_else(|| {
            if file.is_dir() {
                let help = "name a file in it, or a shipped scenario".to_owned();
                return nowhere(argument, "this is a folder".to_owned(), help);
            }
            let message = "there is no file and no shipped scenario of this name".to_owned();
            nowhere(
                argument,
                message,
                nearest::help(argument, known(), "shipped scenarios, which `backwater list` names"),
            )
        })
    }

    /// Makes the text of a scenario in a file called `file`.
    #[must_use]
    pub fn new(file: &str, text: &str) -> Self {
        let stem = Path::new(file).file_stem().map(|stem| stem.to_string_lossy().into_owned());
        Self {
            stem: stem.unwrap_or_default(),
            folder: None,
            files: Vec::new(),
            own: OwnPolicies::NONE,
            origins: vec![TextOrigin { name: file.to_owned(), text: text.to_owned() }],
            pieces: vec![TextPiece { origin: 0, start: 0, length: text.len(), added: false }],
            text: text.to_owned(),
            outline: Outline::new(text),
        }
    }

    /// Sets the folder of the files that the scenario names.
    #[must_use]
    pub fn beside(self, folder: &Path) -> Self {
        Self { folder: Some(folder.to_owned()), ..self }
    }

    /// Gives the scenario files that it names, each with its name and text, in place of a folder's.
    #[must_use]
    pub fn with_files(self, files: Vec<(String, String)>) -> Self {
        Self { files, ..self }
    }

    /// Gives the scenario policies that it may name (`Own`), in place of any that it had.
    #[must_use]
    pub fn with_own(self, own: OwnPolicies) -> Self {
        Self { own, ..self }
    }

    /// Returns the policies that the scenario may name.
    #[must_use]
    pub const fn own(&self) -> &OwnPolicies {
        &self.own
    }

    /// Reads a file that the scenario names.
    ///
    /// # Errors
    /// If the file cannot be read. A name that leads out of the scenario's folder is not found.
    pub fn text_beside(&self, name: &str) -> io::Result<String> {
        if let Some((_, text)) = self.files.iter().find(|(given, _)| given == name) {
            return Ok(text.clone());
        }
        let folder = self.folder.as_ref().filter(|_| stays_below(name)).ok_or(io::ErrorKind::NotFound)?;
        read(&folder.join(name), MOST_BESIDE)
    }

    /// Returns the file's name without folder and extension: the name of a scenario that gives none.
    #[must_use]
    pub fn stem(&self) -> &str {
        &self.stem
    }

    /// Returns the text, with all overrides.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the text's outline, or the fault of its brackets, quotes and commas.
    pub(crate) fn outline(&self) -> Result<&Outline, LocatedFault> {
        self.outline.as_ref().map_err(|flaw| self.flawed(flaw))
    }

    /// Returns the text with a value put in; `name` is the override that gives it.
    pub(crate) fn patched(&self, patch: &TextPatch<'_>, name: &str) -> Self {
        let TextPatch { span, before, value, after } = patch;
        let mut origins = self.origins.clone();
        origins.push(TextOrigin { name: name.to_owned(), text: (*value).to_owned() });
        let origin = origins.len() - 1;
        let piece = |length: usize, added: bool| TextPiece { origin, start: 0, length, added };
        let (mut pieces, rest) = self.cut(span);
        pieces.extend([piece(before.len(), true), piece(value.len(), false), piece(after.len(), true)]);
        pieces.extend(rest);
        let text = [&self.text[..span.start], before.as_str(), value, after.as_str(), &self.text[span.end..]]
            .concat();
        let outline = Outline::new(&text);
        let (stem, folder, files) = (self.stem.clone(), self.folder.clone(), self.files.clone());
        Self { stem, folder, files, own: self.own.clone(), origins, pieces, text, outline }
    }

    /// Returns the pieces before and after a part that is removed.
    fn cut(&self, gone: &Range<usize>) -> (Vec<TextPiece>, Vec<TextPiece>) {
        let (mut before, mut after) = (Vec::new(), Vec::new());
        let mut at = 0;
        for piece in &self.pieces {
            let end = at + piece.length;
            if at < gone.start {
                let length = end.min(gone.start) - at;
                before.push(TextPiece { length, ..piece.clone() });
            }
            if end > gone.end {
                let skipped = gone.end.saturating_sub(at);
                let length = piece.length - skipped;
                after.push(TextPiece { start: piece.start + skipped, length, ..piece.clone() });
            }
            at = end;
        }
        (before, after)
    }

    /// Returns true if the text at this offset comes from an override.
    pub(crate) fn is_overridden(&self, offset: usize) -> bool {
        self.piece_at(offset).0.origin > 0
    }

    /// Returns true if the text at this offset comes from the last override.
    pub(crate) fn is_of_last_override(&self, offset: usize) -> bool {
        self.piece_at(offset).0.origin == self.origins.len() - 1
    }

    /// Returns the line of an offset in its origin.
    pub(crate) fn line(&self, offset: usize) -> usize {
        self.place(&(offset..offset)).1.line
    }

    /// Locates the fault of a text whose form is wrong.
    pub(crate) fn flawed(&self, flaw: &SyntaxFlaw) -> LocatedFault {
        let help = flaw.kind.help(|offset| self.line(offset));
        self.fault(&flaw.span, &flaw.path, flaw.kind.to_string(), Some(help))
    }

    /// Reads the text of a file that is not a scenario, but names scenarios and overrides.
    ///
    /// # Errors
    /// If there is no such file, or it cannot be read.
    pub fn of_file(file: &Path) -> Result<Self, Diagnostic> {
        let name = file.display().to_string();
        let text = read(file, MOST_TEXT).map_err(|error| {
            let missing = error.kind() == io::ErrorKind::NotFound;
            let message = if missing {
                "there is no such file".to_owned()
            } else {
                format!("it cannot be read: {error}")
            };
            nowhere(&name, message, "name a text file in UTF-8".to_owned())
        })?;
        let folder = file.parent().unwrap_or_else(|| Path::new(""));
        Ok(Self::new(&name, &text).beside(folder))
    }

    /// Returns the folder of the files that the text names; `None` for a text without a file.
    #[must_use]
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// Locates a fault at this part of the text.
    pub(crate) fn fault(
        &self,
        span: &Range<usize>,
        path: &FieldPath,
        message: String,
        help: Option<String>,
    ) -> LocatedFault {
        let (file, place) = self.place(span);
        LocatedFault {
            file: file.to_owned(),
            place: Some(Box::new(place)),
            path: path.to_string(),
            message,
            help,
        }
    }

    /// Returns the origin of a part of the text, and its place there.
    fn place(&self, span: &Range<usize>) -> (&str, Excerpt) {
        let (piece, offset) = self.piece_at(span.start);
        let origin = &self.origins[piece.origin];
        if piece.added {
            return (&origin.name, Excerpt::new(&origin.text, 0, origin.text.len()));
        }
        let start = piece.start + offset;
        let (last, into) = self.piece_at(span.end.max(span.start + 1) - 1);
        let whole = last.origin == piece.origin && !last.added;
        let end = if whole { last.start + into + 1 } else { piece.start + piece.length };
        let end = if span.is_empty() { start } else { end };
        (&origin.name, Excerpt::new(&origin.text, start.min(origin.text.len()), end.min(origin.text.len())))
    }

    /// Returns the piece at this offset, and the distance from its beginning.
    fn piece_at(&self, offset: usize) -> (&TextPiece, usize) {
        let mut at = 0;
        for piece in &self.pieces {
            if offset < at + piece.length {
                return (piece, offset - at);
            }
            at += piece.length;
        }
        let last = self.pieces.last().expect("a text has at least one piece");
        (last, last.length)
    }
}

/// Reads a file of at most `most` bytes, without the byte order mark that some editors write.
fn read(file: &Path, most: u64) -> io::Result<String> {
    let text = limited_text(file, most)?;
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

fn unreadable(file: &str, error: &io::Error) -> Diagnostic {
    let missing = error.kind() == io::ErrorKind::NotFound;
    let message =
        if missing { "there is no such file".to_owned() } else { format!("it cannot be read: {error}") };
    let help = if missing {
        nearest::help(
            file.trim_end_matches(".ron"),
            shipped().iter().map(|scenario| scenario.name),
            "shipped scenarios (named without `.ron`), which `backwater list` names",
        )
    } else {
        "a scenario is a text file in UTF-8".to_owned()
    };
    nowhere(file, message, help)
}

fn nowhere(file: &str, message: String, help: String) -> Diagnostic {
    LocatedFault { file: file.to_owned(), place: None, path: String::new(), message, help: Some(help) }.into()
}
