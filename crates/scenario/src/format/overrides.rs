//! `--set PATH=VALUE`: one field of a scenario, set from outside.
//!
//! Invariant: an override changes only the text, so its value is read, checked and
//! reported like any value in the file. An override that cannot be read changes nothing.
//!
//! | in the text | effect |
//! |---|---|
//! | the value | it is replaced |
//! | the struct or map, without the field or entry | the field or entry is added |
//! | neither | the struct or map is added too |
//!
//! A value that cannot be read as given is read as a text in quotes: `duration=5 ms`.

use settings::{FieldPath, PathStep};
use units::Span;

use super::explain::explain;
use super::parse::parse;
use super::spec::Scenario;
use crate::diagnostics::{Diagnostic, Excerpt, LocatedFault, nearest_field};
use crate::text::{
    NodeShape, ReachedNode, ScenarioText, SyntaxFlaw, SyntaxFlawKind, TextNode, TextPatch, scan,
};
use settings::nearest;

/// Longest time of a run that ends when it is done, in durations of its scenario, unless it is stated.
pub const AT_MOST_DURATIONS: u64 = 10;

impl ScenarioText {
    /// Sets the value at a path: `PATH=VALUE`, such as `duration=5 ms`, `flows.F3.start="1 s"` or
    /// `congestion_control=Off`. Elements of a list are found by index or by their `name`.
    ///
    /// # Errors
    /// If there is no such path, if the value does not have its type, or if the file's own brackets,
    /// quotes or commas are wrong. Values are compared with each other by [`Scenario::check`](crate::Scenario::check).
    pub fn set(&mut self, assignment: &str) -> Result<(), Diagnostic> {
        self.set_by(format!("--set {assignment}"), assignment)
    }

    /// Lets the run end when all its finite traffic is delivered, as `--until-done` does: after `at_most` at the latest. If that
    /// is left out, after [`AT_MOST_DURATIONS`] times the duration, or, if the scenario itself says `until_done`, its
    /// duration.
    ///
    /// # Errors
    /// If the text is not a scenario.
    pub fn set_until_done(&mut self, at_most: Option<Span>) -> Result<(), Diagnostic> {
        let Scenario { duration, until_done, .. } = Scenario::read(self)?;
        let by_default = || Span::from_ps(duration.ps().saturating_mul(AT_MOST_DURATIONS).min(u64::MAX - 1));
        if let Some(longest) = at_most.or_else(|| (!until_done).then(by_default)) {
            let name = if at_most.is_some() { "--at-most" } else { "--until-done" };
            self.set_by(name.to_owned(), &format!("duration=\"{longest}\""))?;
        }
        self.set_by("--until-done".to_owned(), "until_done=true")
    }

    /// Sets a value as [`set`](Self::set) does; `name` is that of its origin in messages, in place of `--set`.
    ///
    /// # Errors
    /// As [`set`](Self::set).
    pub fn set_by(&mut self, name: String, assignment: &str) -> Result<(), Diagnostic> {
        let given = Override::new(name, assignment)?;
        let site = self.outline()?.reach(self.text(), &given.path);
        let places = given.places(self, &site)?;
        let own = site.path.steps().iter().chain(&given.path.steps()[site.steps..]);
        let own = own.fold(FieldPath::default(), |path, step| path.step(step.clone()));
        *self = given.put(self, &places, &own)?;
        Ok(())
    }
}

/// An override: `PATH=VALUE`.
struct Override<'a> {
    name: String,
    written_path: &'a str,
    path: FieldPath,
    value: &'a str,
}

/// A place for a value: the part of the text that it replaces, and the text before and after it.
type Insertion = (core::ops::Range<usize>, String, String);

/// The text with a value put in, or the number of steps that could be read, and the fault.
type TrialResult = Result<ScenarioText, (usize, LocatedFault)>;

impl<'a> Override<'a> {
    fn new(name: String, assignment: &'a str) -> Result<Self, LocatedFault> {
        let nowhere = |message: String| LocatedFault {
            file: name.clone(),
            place: None,
            path: String::new(),
            message,
            help: Some("write `--set PATH=VALUE`, such as `--set congestion_control=Off`".to_owned()),
        };
        let (path, value) = assignment.split_once('=').ok_or_else(|| nowhere("`=` is missing".to_owned()))?;
        let parsed = FieldPath::parse(path).map_err(|error| nowhere(error.to_string()))?;
        Ok(Self { written_path: path.trim(), path: parsed, value: value.trim(), name })
    }

    /// Returns the places where the value could go, likeliest first.
    fn places(&self, source: &ScenarioText, site: &ReachedNode<'_>) -> Result<Vec<Insertion>, LocatedFault> {
        let missing = &self.path.steps()[site.steps..];
        let holder = site.node.inside();
        let opening = holder.opening(source.text());
        let add = |key: &str, wraps: Vec<(String, String)>| {
            let around = |(open, close): (String, String)| {
                (opening..opening, format!("{key}: {open}"), format!("{close}, "))
            };
            wraps.into_iter().map(around).collect::<Vec<_>>()
        };
        match (&holder.shape, missing) {
            (_, []) => Ok(vec![(site.node.span.clone(), String::new(), String::new())]),
            (NodeShape::Fields(_), [PathStep::Name(field), deeper @ ..]) if deeper.len() <= 2 => {
                match wraps(deeper) {
                    Some(wraps) => Ok(add(field, wraps)),
                    None => Err(self.absent(source, site, field)),
                }
            }
            (NodeShape::Map(_), [PathStep::Name(key)]) => {
                let plain = (String::new(), String::new());
                let mut places = add(key, vec![plain.clone()]);
                places.extend(add(&format!("{key:?}"), vec![plain]));
                Ok(places)
            }
            _ => Err(self.unreachable(source, site, &missing[0])),
        }
    }

    /// Returns the text with the value in the first place that accepts it, as given or in quotes.
    fn put(
        &self,
        source: &ScenarioText,
        places: &[Insertion],
        own: &FieldPath,
    ) -> Result<ScenarioText, LocatedFault> {
        let flaw = self.flaw(own);
        let quotable = !self.value.contains(['"', '\\']);
        let mut best: Option<(usize, LocatedFault)> = None;
        for place in places {
            let raw = flaw.is_none().then_some("");
            for quote in raw.into_iter().chain(quotable.then_some("\"")) {
                match self.try_at(source, place, quote, own) {
                    Ok(source) => return Ok(source),
                    Err(fault) if best.as_ref().is_none_or(|best| fault.0 > best.0) => best = Some(fault),
                    Err(_) => {}
                }
            }
        }
        match (flaw, best) {
            (Some(flaw), _) if self.value.is_empty() || self.value.contains(['(', '[', '{', '"']) => {
                Err(flaw)
            }
            (_, Some((_, fault))) => Err(fault),
            (flaw, None) => Err(flaw.expect("a value is tried as given unless it has a flaw")),
        }
    }

    fn try_at(&self, source: &ScenarioText, place: &Insertion, quote: &str, own: &FieldPath) -> TrialResult {
        let (span, before, after) = place.clone();
        let patch =
            TextPatch { span, before: before + quote, value: self.value, after: format!("{quote}{after}") };
        let patched = source.patched(&patch, &self.name);
        if let Err(fault) = patched.outline() {
            return Err((0, fault));
        }
        let Err(fault) = parse(patched.text()) else { return Ok(patched) };
        let reached = &fault.path;
        if !reached.starts_with(own) && !patched.is_of_last_override(fault.span.start) {
            return Ok(patched);
        }
        let explained = match &fault.error {
            ron::Error::NoSuchStructField { expected, found, .. } if own.starts_with(reached) => {
                let help = nearest_field(found, expected.iter());
                self.at_path(reached, format!("there is no field `{found}`"), help)
            }
            // The struct that was added around the field needs more fields.
            ron::Error::MissingStructField { field: missing, .. }
                if own.starts_with(reached) && own != reached =>
            {
                let message = format!("this is left out, and needs `{missing}` too");
                self.at_path(reached, message, format!("set `{reached}` as a whole: `{reached}=(...)`"))
            }
            _ => explain(&patched, &fault),
        };
        Err((reached.steps().len(), explained))
    }

    /// Returns the fault of the value's own brackets, quotes and commas, if there is one.
    fn flaw(&self, own: &FieldPath) -> Option<LocatedFault> {
        let found = |flaw: SyntaxFlaw| {
            let alone = ScenarioText::new(&self.name, self.value);
            let path = own.join(&flaw.path);
            alone.flawed(&SyntaxFlaw { path, ..flaw })
        };
        let several_words = |node: &TextNode| {
            matches!(node.shape, NodeShape::Scalar)
                && !self.value.starts_with(['"', '\'', 'r', 'b'])
                && self.value.contains(char::is_whitespace)
        };
        match scan::single(self.value) {
            Err(flaw) => Some(found(flaw)),
            Ok(node) if several_words(&node) => {
                let kind = SyntaxFlawKind::AfterEnd;
                Some(found(SyntaxFlaw { span: 0..self.value.len(), path: FieldPath::default(), kind }))
            }
            Ok(_) => None,
        }
    }

    /// Explains a step that leads nowhere.
    fn unreachable(&self, source: &ScenarioText, site: &ReachedNode<'_>, step: &PathStep) -> LocatedFault {
        let (text, holder) = (source.text(), site.node.inside());
        let path = site.path.step(step.clone());
        let names = holder.names(text);
        let (message, help) = match (&holder.shape, step) {
            (NodeShape::List(all) | NodeShape::Tuple { values: all, .. }, PathStep::Index(index)) => {
                let help = match all.len() {
                    0 => "the list is empty".to_owned(),
                    count => format!("its elements are [0] to [{}]", count - 1),
                };
                (format!("there is no element {index}"), help)
            }
            (NodeShape::List(_) | NodeShape::Map(_), PathStep::Name(name)) => {
                let message = format!("there is no `{name}` in `{}`", site.path);
                (message, nearest::help(name, &names, "names here"))
            }
            _ => {
                let shown = text[site.node.span.clone()].lines().next().unwrap_or_default();
                (format!("`{shown}` has no such part"), format!("set `{}` as a whole", site.path))
            }
        };
        self.at_path(&path, message, help)
    }

    /// Explains a field on the path that the file leaves out, or that does not exist.
    fn absent(&self, source: &ScenarioText, site: &ReachedNode<'_>, field: &str) -> LocatedFault {
        let path = site.path.name(field);
        let opening = site.node.inside().opening(source.text());
        let place = (opening..opening, format!("{field}: "), ", ".to_owned());
        let unit = Override { name: self.name.clone(), path: path.clone(), value: "()", ..*self };
        match unit.try_at(source, &place, "", &path) {
            Err((_, LocatedFault { message, help: Some(help), .. }))
                if message.starts_with("there is no field") =>
            {
                self.at_path(&path, message, help)
            }
            _ => self.at_path(&path, "this field is left out".to_owned(), format!("set `{path}` as a whole")),
        }
    }

    /// Locates a fault of the path, not of the value.
    fn at_path(&self, path: &FieldPath, message: String, help: String) -> LocatedFault {
        let shown = format!("{}={}", self.written_path, self.value);
        let place = Box::new(Excerpt::new(&shown, 0, self.written_path.len()));
        LocatedFault {
            file: self.name.clone(),
            place: Some(place),
            path: path.to_string(),
            message,
            help: Some(help),
        }
    }
}

/// Returns every way to wrap a value so that it has these names: structs, maps by name, maps by text.
fn wraps(names: &[PathStep]) -> Option<Vec<(String, String)>> {
    let Some((first, deeper)) = names.split_first() else {
        return Some(vec![(String::new(), String::new())]);
    };
    let PathStep::Name(name) = first else { return None };
    let inner = wraps(deeper)?;
    let forms = [("(", name.clone(), ")"), ("{", name.clone(), "}"), ("{", format!("{name:?}"), "}")];
    let wrap = |(open, key, close): &(&str, String, &str)| {
        let within = |(before, after): &(String, String)| {
            (format!("{open}{key}: {before}"), format!("{after}{close}"))
        };
        inner.iter().map(within).collect::<Vec<_>>()
    };
    Some(forms.iter().flat_map(wrap).collect())
}
