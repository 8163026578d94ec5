//! From a scenario as written to a plan.
//!
//! Invariant: every range that the documentation of a field states is held here, or by the crate that
//! owns the field. All faults that do not follow from one another are reported together.
//!
//! | module | checks |
//! |---|---|
//! | here | the run as a whole, and the order of the checks |
//! | `dcqcn` | thresholds and rates that fit the fabric |
//! | `hpcc` | a topology in a file, and puts what it holds in its place |
//! | `guideline` | nothing: resolves the congestion control, and replaces `Guideline` by its settings |
//! | `link` | cables, lanes, credits |
//! | `marking` | ports whose marking differs, and buffers too small for what triggers it |
//! | `node` | switches and adapters |
//! | `pausing` | PFC: its times, headroom, and the memory that is left |
//! | `routing` | forwarding tables, and whether packets could wait in a cycle |
//! | `sharing` | memory that ports and lanes share |
//! | `traffic` | flows, and whether they can reach their hosts |
//! | `transport` | whether what carries a flow can carry it, and is controlled |
//! | `watch` | whether what is to be watched is there |

mod dcqcn;
mod guideline;
mod hpcc;
mod link;
mod marking;
mod node;
mod pausing;
pub(crate) mod routing;
mod sharing;
mod traffic;
mod transport;
mod watch;

use core::fmt::Display;

use settings::FieldPath;
use topology::{Graph, TopologyError, TopologyErrorKind, TopologySpec};
use units::Span;

use crate::diagnostic::{Diagnostic, Fault};
use crate::plan::Plan;
use crate::ranges::Violation;
use crate::source::Source;
use crate::spec::Scenario;
use crate::{nearest, ranges, wording};

/// The most samples of a run: each has a row in memory and in a file.
const MOST_SAMPLES: u64 = 1_000_000;

impl Scenario {
    /// Checks the scenario; `source` is the text that it was read from.
    ///
    /// # Errors
    /// If anything is out of range, missing, or at odds with something else.
    pub fn check(mut self, source: &Source) -> Result<Plan, Diagnostic> {
        let mut faults = Faults { source, found: Vec::new(), of_ranges: 0 };
        faults.check_ranges(&self);
        self.check_run(&mut faults);
        hpcc::resolve(&mut self, &mut faults);
        link::check_cables(&self, &mut faults);
        link::check(&self, &mut faults);
        pausing::check_values(&self, &mut faults);
        node::check_values(&self, &mut faults);
        sharing::check_values(&self, &mut faults);
        if let Err(fault) = self.congestion_control.check() {
            faults.of_setting(&"congestion_control".into(), fault);
        }
        let has_rates = link::check_rates(&self, &mut faults);
        if matches!(self.topology, TopologySpec::HpccFile(_)) {
            return Err(faults.into_diagnostic());
        }
        let Some(graph) = self.graph(&mut faults).filter(|_| has_rates) else {
            return Err(faults.into_diagnostic());
        };
        let control = guideline::resolve(&mut self, &graph);
        node::check_names(&self, &graph, &mut faults);
        sharing::check_memory(&self, &graph, &mut faults);
        pausing::check_memory(&self, &graph, &mut faults);
        marking::check_ports(&control.marking, &graph, &mut faults);
        marking::check_trigger(&self, &control.marking, &graph, &mut faults);
        let Some(routes) = routing::routes(&self, &graph, &mut faults) else {
            return Err(faults.into_diagnostic());
        };
        transport::check(&self, &control.response, &mut faults);
        dcqcn::check(&self, &control, &graph, &routes, &mut faults);
        let workload = traffic::workload(&self, &graph, &routes, &mut faults);
        if let Some((workload, _)) = &workload
            && faults.found.is_empty()
        {
            routing::check(&self, &graph, &routes, &workload.flows, &mut faults);
        }
        if let Some((workload, _)) = &workload {
            watch::check(&self, &control.response, &graph, &workload.flows, &mut faults);
        }
        match workload {
            Some(workload) if faults.found.is_empty() => {
                Ok(Plan::new(self, source.stem(), control, graph, routes, workload))
            }
            _ => Err(faults.into_diagnostic()),
        }
    }

    fn check_run(&self, faults: &mut Faults<'_>) {
        if self.duration == Span::ZERO {
            faults.add(&"duration".into(), "the run is over before it begins", "write at least \"1 ps\"");
        }
        let too_long = self.sample > self.duration && self.duration > Span::ZERO;
        if self.sample == Span::ZERO || too_long {
            let message = format!("{} cannot be the interval of samples", self.sample);
            let help = format!("write more than 0, and at most the duration, {}", self.duration);
            faults.add(&"sample".into(), message, help);
        } else {
            self.check_samples(faults);
        }
        if self.name.as_deref() == Some("") {
            faults.add(&"name".into(), "the scenario's name is empty", "give it one, or leave `name` out");
        }
    }

    /// Samples are kept to the end of the run. Where only an override made it long, the override is at fault.
    fn check_samples(&self, faults: &mut Faults<'_>) {
        let Self { duration, sample, .. } = self;
        let count = duration.ps() / sample.ps();
        if count <= MOST_SAMPLES {
            return;
        }
        let (here, other) = (FieldPath::from("sample"), FieldPath::from("duration"));
        let longer = faults.overridden(&other) && !faults.overridden(&here);
        let message = format!(
            "a `sample` of {sample} over a `duration` of {duration} makes {count} samples, more than {MOST_SAMPLES}"
        );
        let least = Span::from_ps(duration.ps().div_ceil(MOST_SAMPLES));
        let most = *sample * MOST_SAMPLES;
        let help = format!("write a `sample` of at least \"{least}\", or a `duration` of at most \"{most}\"");
        faults.add(if longer { &other } else { &here }, message, help);
    }

    /// The fabric, unless something is wrong with it.
    fn graph(&self, faults: &mut Faults<'_>) -> Option<Graph> {
        let cables: Vec<&str> = self.cables.keys().map(String::as_str).collect();
        match self.topology.build(&cables) {
            Ok(graph) => Some(graph),
            Err(error) => {
                let path = FieldPath::from("topology").join(&relative(&error.path()));
                match self.names_for(&error, &cables) {
                    Some(help) => faults.add(&path, wording::in_two(&error.to_string()).0, help),
                    None => faults.of_crate(&path, &error),
                }
                None
            }
        }
    }

    /// The name that was probably meant, where an unknown one stands in the topology.
    fn names_for(&self, error: &TopologyError, cables: &[&str]) -> Option<String> {
        match (error.kind(), &self.topology) {
            (TopologyErrorKind::UnknownCable { given }, _) => Some(nearest::help(given, cables, "cables")),
            (TopologyErrorKind::UnknownNode { given }, TopologySpec::Custom(custom)) => {
                let nodes = custom.hosts.iter().chain(&custom.switches).map(String::as_str);
                Some(nearest::help(given, nodes, "nodes"))
            }
            _ => None,
        }
    }
}

/// A path as another crate writes it.
fn relative(path: &str) -> FieldPath {
    FieldPath::parse(path).unwrap_or_default()
}

/// What has been found wrong.
struct Faults<'a> {
    source: &'a Source,
    found: Vec<Fault>,
    /// How many of them, the first, say only that a number is out of its range: what is said later of the same number
    /// says more, and takes their place.
    of_ranges: usize,
}

impl Faults<'_> {
    /// The value at this path is wrong.
    fn add(&mut self, path: &FieldPath, message: impl Display, help: impl Display) {
        self.push(path, message.to_string(), Some(help.to_string()), false);
    }

    /// The name at the end of this path is wrong.
    fn add_name(&mut self, path: &FieldPath, message: impl Display, help: impl Display) {
        self.push(path, message.to_string(), Some(help.to_string()), true);
    }

    /// Adds a fault that the check of a setting found below `parent`.
    fn of_setting(&mut self, parent: &FieldPath, fault: settings::Fault) {
        let path = parent.join(&fault.path);
        self.push(&path, fault.message, fault.help, false);
    }

    /// What another crate says is wrong, in the form `WRONG: RIGHT`.
    fn of_crate(&mut self, path: &FieldPath, error: &dyn Display) {
        let (message, help) = wording::in_two(&error.to_string());
        self.push(path, message, help, false);
    }

    /// Every number has to be in the range that its field states.
    fn check_ranges(&mut self, scenario: &Scenario) {
        for Violation { path, value, range } in ranges::violations(scenario) {
            let value = value.unwrap_or_else(|| self.written(&path));
            self.push(&path, format!("{value} is out of range"), Some(range.to_string()), false);
        }
        self.found.sort_by_key(|fault| fault.place.as_ref().map(|place| (place.line, place.column)));
        self.of_ranges = self.found.len();
    }

    /// Whether something is wrong with the value at this path.
    fn has(&self, path: &FieldPath) -> bool {
        let path = path.to_string();
        self.found.iter().any(|fault| fault.path == path)
    }

    fn push(&mut self, path: &FieldPath, message: String, help: Option<String>, of_name: bool) {
        let fault = match self.source.outline() {
            Ok(outline) => {
                let text = self.source.text();
                let span = if of_name { outline.key_span(text, path) } else { outline.span(text, path) };
                self.source.fault(&span, path, message, help)
            }
            Err(fault) => Fault { path: path.to_string(), message, help, ..fault },
        };
        let known = self.found[..self.of_ranges].iter().position(|known| known.path == fault.path);
        match known {
            Some(place) => self.found[place] = fault,
            None => self.found.push(fault),
        }
    }

    /// The value at this path, as it is written.
    fn written(&self, path: &FieldPath) -> String {
        let text = self.source.text();
        self.source
            .outline()
            .map_or_else(|_| String::new(), |outline| text[outline.span(text, path)].to_owned())
    }

    /// Whether the value at this path comes from an override.
    fn overridden(&self, path: &FieldPath) -> bool {
        let source = self.source;
        source.outline().is_ok_and(|outline| {
            let site = outline.reach(source.text(), path);
            site.steps == path.steps().len() && source.is_overridden(site.node.span.start)
        })
    }

    fn into_diagnostic(self) -> Diagnostic {
        Diagnostic::new(self.found)
    }
}
