//! Explanations of a reader's error.
//!
//! Invariant: a message gives the value as written, and the help a correct one, in the words of the scenario's
//! fields. Where the reader's error does not contain the expected fields or choices, the reader is run again with
//! another value in the same place (`RefusedValue::probe`).

use super::parse::{ReadFault, parse};
use super::ranges;
use crate::diagnostics::LocatedFault;
use crate::diagnostics::nearest_field;
use crate::text::{NodeShape, ScenarioText, unquoted};
use settings::nearest::{self, list};
use settings::{FieldPath, PathStep};

/// Explains the error of a text that is well-formed RON, but not a scenario.
pub(crate) fn explain(source: &ScenarioText, fault: &ReadFault) -> LocatedFault {
    if let Some(told) = field_among_nodes(source, &fault.path) {
        return told;
    }
    if let Some(named) = named(source, fault) {
        return named;
    }
    let Ok(outline) = source.outline() else { return plain(source, fault) };
    let text = source.text();
    let path = &fault.path;
    match &fault.error {
        ron::Error::DuplicateStructField { field, .. } => {
            let path =
                if path.names_upwards().next() == Some(field) { path.clone() } else { path.name(field) };
            let message = format!("`{field}` is given twice, once by another name");
            source.fault(&fault.span, &path, message, Some("write it once".to_owned()))
        }
        error => match own_error(error) {
            Some((message, help)) => source.fault(&outline.span(text, path), path, message, help),
            None => wrong_value(source, fault),
        },
    }
}

/// Explains an error that names the expected fields or choices; `None` for another.
pub(super) fn named(source: &ScenarioText, fault: &ReadFault) -> Option<LocatedFault> {
    let (outline, text) = (source.outline().ok()?, source.text());
    let path = &fault.path;
    Some(match &fault.error {
        ron::Error::NoSuchStructField { expected, found, .. } => {
            let path =
                if path.names_upwards().next() == Some(found) { path.clone() } else { path.name(found) };
            let help = former_spelling(source, &path, expected)
                .unwrap_or_else(|| nearest_field(found, expected.iter()));
            let message = format!("there is no field `{found}`");
            source.fault(&outline.key_span(text, &path), &path, message, Some(help))
        }
        ron::Error::MissingStructField { field, .. } => {
            let path = lacking(source, path, field);
            let span = outline.span(text, &path);
            let help = format!("write `{field}: ...` among the fields here");
            source.fault(&span, &path.name(field), "this field is missing".to_owned(), Some(help))
        }
        ron::Error::NoSuchEnumVariant { expected, found, .. } => {
            let help = choice_meant(found, expected);
            let message = format!("there is no choice `{found}`");
            source.fault(&outline.span(text, path), path, message, Some(help))
        }
        _ => return None,
    })
}

/// Names of choices in manuals and papers, and ours: vendors call adaptive routing AR, J. Kim, W. J. Dally, S. Scott
/// and D. Abts (2008) call the routings of a dragonfly MIN and VAL, NCCL calls its double binary tree `Tree`.
const ALSO_CALLED: [(&str, &str); 4] =
    [("AR", "Adaptive"), ("MIN", "DragonflyMinimal"), ("VAL", "Valiant"), ("Tree", "DoubleBinaryTree")];

/// Returns the help for a choice that is none of the expected ones.
fn choice_meant(found: &str, expected: &[&str]) -> String {
    let ours =
        ALSO_CALLED.iter().find(|(name, ours)| name.eq_ignore_ascii_case(found) && expected.contains(ours));
    ours.map_or_else(
        || nearest::help(found, expected.iter(), "choices"),
        |(_, ours)| format!("did you mean `{ours}`?"),
    )
}

/// Returns the fault of a field of all switches or adapters that stands where the name of a single one is expected:
/// `switches.selection`. `None` for other names, which may be those of nodes.
fn field_among_nodes(source: &ScenarioText, path: &FieldPath) -> Option<LocatedFault> {
    let [PathStep::Name(map), PathStep::Name(field), ..] = path.steps() else { return None };
    let all = match map.as_str() {
        "switches" => "switch",
        "adapters" => "adapter",
        _ => return None,
    };
    let error = parse(&format!("({all}: (_: ()))")).err()?.error;
    let ron::Error::NoSuchStructField { expected: fields, .. } = error else { return None };
    if !fields.contains(&field.as_str()) {
        return None;
    }
    let message = format!("`{map}` holds single nodes by their names, and `{field}` is a field");
    let help = format!("write `{all}.{field}` for all of them, or `{map}.NAME.{field}` for the node NAME");
    let outline = source.outline().ok()?;
    Some(source.fault(&outline.span(source.text(), path), path, message, Some(help)))
}

/// Returns the path of the value that lacks a field. The reader stops behind the last value that it has read, which may
/// have fields itself.
fn lacking(source: &ScenarioText, path: &FieldPath, field: &str) -> FieldPath {
    let (Ok(outline), text) = (source.outline(), source.text()) else { return path.clone() };
    let mut owner = path.clone();
    loop {
        let node = outline.reach(text, &owner).node.inside();
        if matches!(node.shape, NodeShape::Fields(_)) {
            let at = node.opening(text);
            let with_field = [&text[..at], field, ": (), ", &text[at..]].concat();
            let unknown = |fault: ReadFault| matches!(fault.error, ron::Error::NoSuchStructField { found, .. } if found == field);
            if !parse(&with_field).is_err_and(unknown) {
                return owner;
            }
        }
        if owner.steps().is_empty() {
            return path.clone();
        }
        owner.pop();
    }
}

/// Returns the present spelling of fields that a former version had: `Queue(switch: "S", port: 2)` of `watch`.
fn former_spelling(source: &ScenarioText, path: &FieldPath, expected: &[&str]) -> Option<String> {
    let field = path.names_upwards().next()?;
    if !["switch", "port"].contains(&field) || !expected.contains(&"ports") {
        return None;
    }
    let (outline, text) = (source.outline().ok()?, source.text());
    let steps = path.steps();
    let holder =
        steps[..steps.len() - 1].iter().cloned().fold(FieldPath::default(), |path, step| path.step(step));
    let written = |name: &str| {
        let own = holder.name(name);
        let site = outline.reach(text, &own);
        (site.steps == own.steps().len()).then(|| unquoted(&text[site.node.span.clone()]))
    };
    let (switch, port) = (written("switch"), written("port"));
    let [switch, port] =
        [(switch, "SWITCH"), (port, "PORT")].map(|(own, any)| own.unwrap_or_else(|| any.to_owned()));
    Some(format!(
        "outputs are written as `ports: \"{switch}:{port}\"`, with a port's number or the node that its cable leads to"
    ))
}

/// Explains a value of the wrong type.
fn wrong_value(source: &ScenarioText, fault: &ReadFault) -> LocatedFault {
    let Ok(outline) = source.outline() else { return plain(source, fault) };
    let (text, path) = (source.text(), &fault.path);
    let site = outline.reach(text, path);
    if site.steps < path.steps().len() {
        return plain(source, fault);
    }
    let place =
        RefusedValue { source, path, given: &text[site.node.span.clone()], at: site.node.span.clone() };
    let range = || ranges::at(outline, text, path).map(|range| range.to_string());
    let whole_number = || (format!("{} is not a whole number", place.shown()), range());
    let (message, help) = match &fault.error {
        ron::Error::IntegerOutOfBounds => (format!("{} is out of range", place.shown()), range()),
        ron::Error::ExpectedInteger | ron::Error::InvalidIntegerDigit { .. } => whole_number(),
        ron::Error::ExpectedComma if matches!(site.node.shape, NodeShape::Scalar) => whole_number(),
        ron::Error::ExpectedFloat => (
            format!("{} is not a number", place.shown()),
            range().or_else(|| Some("write a number, such as 0.5".to_owned())),
        ),
        ron::Error::ExpectedBoolean => {
            (format!("{} is not a truth value", place.shown()), Some("write `true` or `false`".to_owned()))
        }
        ron::Error::ExpectedString => place.expected_text(),
        ron::Error::ExpectedIdentifier | ron::Error::SuggestRawIdentifier(_) => place.expected_choice(),
        ron::Error::ExpectedArray => place.expected("a list", "[ ]"),
        ron::Error::ExpectedMap => place.expected("a map", "{ }"),
        ron::Error::ExpectedStructLike | ron::Error::ExpectedNamedStructLike(_) => place.expected_fields(),
        ron::Error::InvalidValueForType { expected, .. } => {
            (format!("{} is not {expected}", place.shown()), None)
        }
        _ => return plain(source, fault),
    };
    source.fault(&outline.span(text, path), path, message, help)
}

/// Explains an error in the reader's own words.
pub(super) fn plain(source: &ScenarioText, fault: &ReadFault) -> LocatedFault {
    let said = fault.error.to_string();
    let mut letters = said.chars();
    let said = letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect());
    source.fault(&fault.span, &fault.path, said, None)
}

/// A value that the reader refuses, and its place in the text.
struct RefusedValue<'a> {
    source: &'a ScenarioText,
    path: &'a FieldPath,
    given: &'a str,
    at: core::ops::Range<usize>,
}

type MessageAndHelp = (String, Option<String>);

impl RefusedValue<'_> {
    /// Returns the value as a message shows it: the first line.
    fn shown(&self) -> String {
        let first = self.given.lines().next().unwrap_or_default().trim_end();
        let more = if first.len() < self.given.len() { " ..." } else { "" };
        format!("`{first}{more}`")
    }

    fn expected(&self, what: &str, brackets: &str) -> MessageAndHelp {
        (format!("{} is not {what}", self.shown()), Some(format!("write {what} in {brackets}")))
    }

    fn expected_text(&self) -> MessageAndHelp {
        if self.given.starts_with(['"', '(', '[', '{']) {
            return self.expected("a text", "quotes");
        }
        // The text of a choice is missing its quotes, not the choice: `Compute(10)`.
        let of_choice = self.given.split_once('(').and_then(|(choice, rest)| {
            let inner = rest.trim_end().strip_suffix(')')?.trim();
            let is_plain = choice.starts_with(char::is_alphabetic) && !inner.contains(['(', ')', '"', ',']);
            is_plain.then(|| format!("{choice}(\"{inner}\")"))
        });
        let quoted = of_choice.unwrap_or_else(|| format!("\"{}\"", self.given.replace(['"', '\\'], "")));
        match self.probe(&quoted).as_ref().and_then(own_error) {
            Some(message_and_help) => message_and_help,
            None => (format!("{} lacks quotes", self.shown()), Some(format!("write `{quoted}`"))),
        }
    }

    fn expected_choice(&self) -> MessageAndHelp {
        let Some(ron::Error::NoSuchEnumVariant { expected, .. }) = self.probe("_") else {
            return (format!("{} is out of place", self.shown()), None);
        };
        let name = unquoted(self.given);
        if let Some((choice, _)) = name.split_once('(').filter(|(choice, _)| expected.contains(choice)) {
            return self.lacking_fields(choice);
        }
        if expected.contains(&name.as_str()) {
            return (format!("{} is in quotes", self.shown()), Some(format!("write `{name}`")));
        }
        let help = match self.choices_that_take(expected) {
            forms if forms.is_empty() => nearest::help(&name, expected.iter(), "choices"),
            forms => format!("write {}", nearest::either(&forms)),
        };
        (format!("{} is none of the choices", self.shown()), Some(help))
    }

    /// Returns the choices that take the value, a number or a text, in parentheses.
    fn choices_that_take(&self, choices: &[&str]) -> Vec<String> {
        if !self.given.starts_with(|first: char| first.is_ascii_digit() || first == '"') {
            return Vec::new();
        }
        let forms = choices.iter().map(|choice| format!("{choice}({})", self.given));
        forms.filter(|form| self.probe(form).is_none()).collect()
    }

    /// Explains a choice with a bare value where it has fields.
    fn lacking_fields(&self, choice: &str) -> MessageAndHelp {
        let help = match self.probe(&format!("{choice}(_: ())")) {
            Some(ron::Error::NoSuchStructField { expected: [only], .. }) => {
                format!("write `{}`", self.given.replacen('(', &format!("({only}: "), 1))
            }
            Some(ron::Error::NoSuchStructField { expected, .. }) => {
                format!("write `{choice}(...)`, with the fields {}", list(expected))
            }
            _ => format!("write `{choice}(...)`, with the names of its fields"),
        };
        (format!("{} lacks the names of its fields", self.shown()), Some(help))
    }

    fn expected_fields(&self) -> MessageAndHelp {
        let is_name = self.given.starts_with(char::is_alphabetic);
        let name = if is_name { self.given } else { "" };
        let fields = match self.probe(&format!("{name}(_: ())")) {
            Some(ron::Error::NoSuchStructField { expected, .. }) => {
                format!(", with the fields {}", list(expected))
            }
            _ => String::new(),
        };
        let message = if is_name {
            format!("{} lacks its fields", self.shown())
        } else {
            format!("{} is not a value with fields", self.shown())
        };
        if is_name && self.probe(&format!("{name}()")).is_none() {
            let help = if fields.is_empty() { String::new() } else { format!(", or `{name}(...)`{fields}") };
            return (message, Some(format!("write `{name}()`{help}")));
        }
        (message, Some(format!("write `{name}(...)`{fields}")))
    }

    /// Returns the reader's error for another value in this place; `None` if that value is accepted, or the error lies
    /// elsewhere.
    fn probe(&self, value: &str) -> Option<ron::Error> {
        let text = self.source.text();
        let text = [&text[..self.at.start], value, &text[self.at.end..]].concat();
        let fault = parse(&text).err()?;
        fault.path.starts_with(self.path).then_some(fault.error)
    }
}

/// Returns the message and the help of an error that a type of the scenario has raised. A quantity, for instance, gives
/// its message, which begins with the text as given, as the unexpected value, and the correction as the expected one.
fn own_error(error: &ron::Error) -> Option<MessageAndHelp> {
    match error {
        ron::Error::InvalidValueForType { expected, found } if found.starts_with('`') => {
            Some((found.clone(), Some(format!("write {expected}"))))
        }
        ron::Error::Message(message) => Some((message.clone(), None)),
        _ => None,
    }
}
