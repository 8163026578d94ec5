//! The reader: from a text to a scenario as written, or to the reader's error.
//!
//! Invariant: the scenario is exactly as in the text; no value is checked against another.

use core::ops::Range;

use ron::extensions::Extensions;
use serde::de::DeserializeOwned;
use settings::FieldPath;

use super::inherit::Inherited;
use super::spec::Scenario;
use crate::text::Outline;

/// Returns the options of reading and writing: `Some` may be left out, and so may the second parentheses of a
/// variant with a struct in it.
pub(crate) fn options() -> ron::Options {
    let extensions = Extensions::IMPLICIT_SOME | Extensions::UNWRAP_VARIANT_NEWTYPES;
    ron::Options::default().with_default_extension(extensions)
}

/// An error of the reader.
#[derive(Clone, Debug)]
pub(crate) struct ReadFault {
    pub(crate) error: ron::Error,
    /// Path of the value at which reading stopped; the root if the text has no outline.
    pub(crate) path: FieldPath,
    /// The part of the text at which reading stopped.
    pub(crate) span: Range<usize>,
}

/// Reads a scenario from a text. Names of choices may have capital and small letters of any kind, and stand alone if all of
/// their fields have defaults; settings of single switches and adapters inherit fields (see [`inherit`](super::inherit)).
pub(crate) fn parse(text: &str) -> Result<Scenario, ReadFault> {
    let mut inherited = Inherited::new(text);
    loop {
        let fault = match parse_as(&inherited.text) {
            Ok(scenario) => return Ok(scenario),
            Err(fault) => fault,
        };
        if let Some((at, name)) = other_case(&inherited.text, &fault) {
            inherited.text.replace_range(at, name);
        } else if let Some(at) = bare_name(&inherited.text, &fault) {
            inherited.insert(at, "()");
        } else {
            return Err(ReadFault { span: inherited.origin(&fault.span), ..fault });
        }
    }
}

/// Returns the end of a choice's name that stands without parentheses, if its fields can all be left out.
fn bare_name(text: &str, fault: &ReadFault) -> Option<usize> {
    if !matches!(fault.error, ron::Error::ExpectedStructLike | ron::Error::ExpectedNamedStructLike(_)) {
        return None;
    }
    let before = text[..fault.span.start].trim_end();
    let name = before.rsplit(|letter: char| !letter.is_alphanumeric() && letter != '_').next()?;
    if !name.starts_with(char::is_uppercase) {
        return None;
    }
    let (at, mut with) = (before.len(), text.to_owned());
    with.insert_str(at, "()");
    // The reader must come further than the parentheses: else a field is missing there.
    match parse_as::<Scenario>(&with) {
        Err(next) if next.span.start <= at + 2 => None,
        _ => Some(at),
    }
}

/// Returns the place of a choice's name that differs from a known one in its capital letters only, and the known one.
fn other_case(text: &str, fault: &ReadFault) -> Option<(Range<usize>, &'static str)> {
    let ron::Error::NoSuchEnumVariant { expected, found, .. } = &fault.error else { return None };
    let known = expected.iter().copied().find(|name| name.eq_ignore_ascii_case(found))?;
    let value = Outline::new(text).ok()?.reach(text, &fault.path).node.span.clone();
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let is_whole = |at: &usize| {
        let after = text[at + found.len()..].chars().next();
        !text[..*at].ends_with(is_part) && !after.is_some_and(is_part)
    };
    let mut places = text[value.clone()].match_indices(found.as_str()).map(|(at, _)| value.start + at);
    let at = places.find(is_whole)?;
    Some((at..at + found.len(), known))
}

/// Reads a value from a text as it is.
pub(super) fn parse_as<T: DeserializeOwned>(text: &str) -> Result<T, ReadFault> {
    let fault = |error: ron::error::SpannedError| ReadFault::new(text, error);
    let mut deserializer = ron::Deserializer::from_str_with_options(text, &options()).map_err(fault)?;
    let value = T::deserialize(&mut deserializer).map_err(|error| fault(deserializer.span_error(error)))?;
    deserializer.end().map_err(|error| fault(deserializer.span_error(error)))?;
    Ok(value)
}

impl ReadFault {
    /// Locates an error of the reader in the outline of the text.
    fn new(text: &str, error: ron::error::SpannedError) -> Self {
        let span = span_of(text, &error.span);
        let path =
            Outline::new(text).map_or_else(|_| FieldPath::default(), |outline| outline.path_at(span.start));
        Self { error: error.code, path, span }
    }
}

fn span_of(text: &str, span: &ron::error::Span) -> Range<usize> {
    let start = offset_of(text, span.start);
    start..offset_of(text, span.end).max(start)
}

/// Returns the byte at a line and column, both counted from 1, columns in characters.
fn offset_of(text: &str, position: ron::error::Position) -> usize {
    let line_start: usize = text.split_inclusive('\n').take(position.line - 1).map(str::len).sum();
    let column = text[line_start..].char_indices().nth(position.col - 1);
    column.map_or(text.len(), |(at, _)| line_start + at)
}
