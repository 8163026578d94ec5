//! Uniform traffic, of which a share goes to a few hosts for a while: hot spots, at rest or moving.
//!
//! Invariant: what a source offers does not change with a hot spot, nor do its times of arrival; and what it
//! sends elsewhere goes where it would have gone without one. A window only redirects.
//!
//! The pattern is that of Pfister and Norton ("Hot spot contention and combining in multistage interconnection
//! networks", 1985), and of Pfister and others (2005): each source moves a share h of its load to one host.

use std::sync::Arc;

use event_kernel::Stream;
use packet::NodeId;
use rand::RngExt;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::{Bytes, Time};

use crate::builder::{Fault, Site, check_message, check_period};
use crate::change::Change;
use crate::draws::{self, Message};
use crate::error::WorkloadErrorKind as Kind;
use crate::exponential::exponential;
use crate::flow::Flow;
use crate::host_traffic::HostTraffic;
use crate::pattern::{Pattern, check_drawn};

/// Every host sends messages to uniformly drawn others; within each window, contributors send a share of
/// theirs to its targets instead, so that the load of each source stays what it is.
///
/// DEVIATION: no host sends to itself, where the paper has "each source to each destination".
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HotSpot {
    /// From when.
    pub from: Time,
    /// Until when messages are posted, later than `from`.
    pub until: Time,
    /// Payload of each message.
    pub message: Bytes,
    /// Mean rate of payload of each host, as a share of its link's data rate: above 0, at most 1.
    #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0.0))]
    pub load: f64,
    /// How messages of a source follow each other.
    #[serde(default)]
    pub arrivals: Spacing,
    /// Whose messages a window redirects.
    #[serde(default)]
    pub contributors: Contributors,
    /// When, how much, and where to: each begins no earlier than the one before it ends.
    pub windows: Vec<Window>,
}

/// How the messages of a source follow each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Spacing {
    /// At exponentially distributed intervals.
    #[default]
    Poisson,
    /// Evenly spaced; each source begins after a part of an interval that is drawn for it uniformly.
    Fixed,
}

/// The hosts that contribute to a hot spot.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Contributors {
    /// All.
    #[default]
    All,
    /// So many, the first in the order of the topology that are not a target themselves: 1 to all.
    First(#[schemars(range(min = 1))] u32),
    /// The host of this name, or those whose name begins with what stands before a `*` at the end.
    Named(String),
}

/// A time in which there is a hot spot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Window {
    /// Its begin: the first message redirected is posted then or later.
    pub from: Time,
    /// Its end, later than `from`.
    pub until: Time,
    /// The share of a contributor's load that is redirected (h): above 0, at most 1.
    #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0.0))]
    pub fraction: f64,
    /// The hosts that it goes to, at least one, each drawn with the same probability. A contributor that is a
    /// target itself goes on to the others; if it is the only one, it redirects nothing.
    pub to: Vec<String>,
}

/// A window with its hosts found.
#[derive(Debug, PartialEq)]
struct Hot {
    from: Time,
    until: Time,
    fraction: f64,
    targets: Vec<NodeId>,
    /// By host.
    contributes: Vec<bool>,
}

/// The messages of one source. Each takes one draw from each of its streams, needed or not, so that a window
/// changes nothing outside of itself.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Draws {
    source: NodeId,
    hosts: u32,
    hot: Arc<[Hot]>,
    message: Bytes,
    /// Mean time between two messages, in ps.
    mean: f64,
    until: Time,
    clock: Clock,
    gaps: Stream,
    others: Stream,
    redirects: Stream,
}

/// When the last message came.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Clock {
    Poisson {
        at: Time,
    },
    /// So many intervals after `from`, once there was one.
    Fixed {
        from: Time,
        places: Option<f64>,
    },
}

impl Iterator for Draws {
    type Item = Message;

    fn next(&mut self) -> Option<Message> {
        let at = self.clock.next(self.mean, &mut self.gaps);
        if at >= self.until {
            return None;
        }
        let other = self.others.random_range(0..self.hosts - 1);
        let draw = unit(&mut self.redirects);
        let uniform = || NodeId(other + u32::from(other >= self.source.0));
        let to = redirected(&self.hot, self.source, at, draw).unwrap_or_else(uniform);
        Some(Message { at, to: to.0, bytes: self.message })
    }
}

impl Clock {
    fn next(&mut self, mean: f64, gaps: &mut Stream) -> Time {
        // The casts saturate: what outlasts the clock ends the source.
        match self {
            // Gaps are rounded one by one.
            Self::Poisson { at } => {
                let gap = exponential(gaps) * mean;
                *at = Time::from_ps(at.ps().saturating_add(gap.round() as u64));
                *at
            }
            // Places are rounded one by one, so that rounding does not add up.
            Self::Fixed { from, places } => {
                let place = places.map_or_else(|| unit(gaps), |last| last + 1.0);
                *places = Some(place);
                Time::from_ps(from.ps().saturating_add((place * mean).round() as u64))
            }
        }
    }
}

/// Uniform from 0 to 1.
fn unit(random: &mut Stream) -> f64 {
    random.random_range(0..1u64 << 53) as f64 / (1u64 << 53) as f64
}

impl HotSpot {
    /// How many hosts send to the same target at most: the degree of the hot spot. All is all, as Pfister and others
    /// count, although a target sends nothing to itself.
    #[must_use]
    pub fn degree(&self, hosts: &[&str]) -> u32 {
        if self.contributors == Contributors::All && !self.windows.is_empty() {
            return hosts.len() as u32;
        }
        let count = |window: &Window| {
            let contributes = self.contributors.among(hosts, &window.to);
            contributes.into_iter().filter(|contributes| *contributes).count() as u32
        };
        self.windows.iter().map(count).max().unwrap_or_default()
    }

    /// Whether its windows can be: what is wrong with them, and in which field.
    pub(crate) fn check_windows(&self, site: &Site<'_>) -> Result<(), (String, Kind)> {
        hot(self, site).map(|_| ())
    }

    /// When its windows begin and end.
    pub(crate) fn changes(&self) -> Vec<Change> {
        let whose = |window: &Window| match window.to.as_slice() {
            [one] => format!("hot spot at {one}"),
            several => format!("hot spots at {} hosts", several.len()),
        };
        let change = |window: &Window, at, verb: [&str; 2]| Change {
            at,
            what: format!("{} {}", whose(window), verb[usize::from(window.to.len() > 1)]),
        };
        let both = |window: &Window| {
            [
                change(window, window.from, ["starts", "start"]),
                change(window, window.until, ["stops", "stop"]),
            ]
        };
        self.windows.iter().flat_map(both).collect()
    }
}

impl Contributors {
    /// Whether each host contributes to a hot spot at these.
    fn among(&self, hosts: &[&str], to: &[String]) -> Vec<bool> {
        let mut left = match self {
            Self::First(count) => *count,
            _ => u32::MAX,
        };
        // Whoever is the only target has nobody to redirect to.
        let alone = |host: &str| to.len() == 1 && to[0] == host;
        let one = |host: &&str| match self {
            Self::All => !alone(host),
            Self::First(_) if left == 0 || to.iter().any(|target| target == host) => false,
            Self::First(_) => {
                left -= 1;
                true
            }
            Self::Named(name) => {
                !alone(host)
                    && name.strip_suffix('*').map_or(*host == name, |beginning| host.starts_with(beginning))
            }
        };
        hosts.iter().map(one).collect()
    }
}

impl Pattern<'_> {
    pub(crate) fn hot_spot(
        &self,
        spec: &HotSpot,
        host_traffic: &mut Vec<HostTraffic>,
    ) -> Result<Vec<Flow>, Fault> {
        check_period(spec.from, spec.until).map_err(|kind| ("until", kind))?;
        check_message(spec.message).map_err(|kind| ("message", kind))?;
        if !(spec.load > 0.0 && spec.load <= 1.0) {
            return Err(("load", Kind::LoadRange { given: spec.load }));
        }
        let hot: Arc<[Hot]> = hot(spec, self.site).expect("windows have been checked").into();
        let hosts = || (0..).map(NodeId).take(self.site.hosts.len());
        let length = (spec.until - spec.from).ps() as f64;
        let expected = hosts().map(|source| length / self.mean_spacing(source, spec)).sum();
        check_drawn(expected).map_err(|kind| ("", kind))?;
        let draws = |source: NodeId| {
            let name = self.site.name(source);
            draws::Draws::HotSpot(Draws {
                source,
                hosts: self.site.hosts.len() as u32,
                hot: Arc::clone(&hot),
                message: spec.message,
                mean: self.mean_spacing(source, spec),
                until: spec.until,
                clock: match spec.arrivals {
                    Spacing::Poisson => Clock::Poisson { at: spec.from },
                    Spacing::Fixed => Clock::Fixed { from: spec.from, places: None },
                },
                gaps: self.stream("arrivals", name),
                others: self.stream("destinations", name),
                redirects: self.stream("hot spot", name),
            })
        };
        Ok(hosts().flat_map(|source| self.drawn(source, draws(source), host_traffic)).collect())
    }

    /// Mean time between two messages of a source, in ps: `message / (load * rate)`.
    fn mean_spacing(&self, source: NodeId, spec: &HotSpot) -> f64 {
        let rate = (self.site.host_rate)(source).get();
        assert!(rate > 0, "the link of host {} has no data rate", self.site.name(source));
        spec.message.get() as f64 * 8e12 / (spec.load * rate as f64)
    }
}

/// Where a window sends a message instead, if it does: `draw` is uniform from 0 to 1, and its part below the
/// fraction is cut into equal pieces, one a target.
fn redirected(hot: &[Hot], source: NodeId, at: Time, draw: f64) -> Option<NodeId> {
    let in_time = |hot: &&Hot| hot.from <= at && at < hot.until;
    let Hot { fraction, targets, contributes, .. } = hot.iter().find(in_time)?;
    if !contributes[source.index()] || draw >= *fraction {
        return None;
    }
    let own = usize::from(targets.contains(&source));
    let count = targets.len() - own;
    let place = ((draw / fraction * count as f64) as usize).min(count - 1);
    targets.iter().copied().filter(|target| *target != source).nth(place)
}

/// The windows with their hosts, if nothing is wrong with them; else what is, and in which field.
fn hot(spec: &HotSpot, site: &Site<'_>) -> Result<Vec<Hot>, (String, Kind)> {
    let mut last = Time::ZERO;
    let mut all = Vec::new();
    for (i, window) in spec.windows.iter().enumerate() {
        let at = |field: &str| format!("windows[{i}].{field}");
        if window.from < last {
            return Err((at("from"), Kind::WindowsOverlap { from: window.from, last }));
        }
        check_period(window.from, window.until).map_err(|kind| (at("until"), kind))?;
        last = window.until;
        if !(window.fraction > 0.0 && window.fraction <= 1.0) {
            return Err((at("fraction"), Kind::FractionRange { given: window.fraction }));
        }
        let targets = targets(window, site).map_err(|(place, kind)| match place {
            Some(place) => (at(&format!("to[{place}]")), kind),
            None => (at("to"), kind),
        })?;
        let contributes = spec.contributors.among(site.hosts, &window.to);
        let found = contributes.iter().filter(|contributes| **contributes).count();
        let fault = match &spec.contributors {
            Contributors::Named(given) if found == 0 => Kind::NoSuchHosts { given: given.clone() },
            Contributors::First(given) if *given == 0 || found < *given as usize => {
                Kind::Contributors { given: *given, others: site.hosts.len() - targets.len() }
            }
            _ => {
                let Window { from, until, fraction, .. } = *window;
                all.push(Hot { from, until, fraction, targets, contributes });
                continue;
            }
        };
        return Err(("contributors".to_owned(), fault));
    }
    Ok(all)
}

/// The targets of a window, or which of them is wrong, if it is one.
fn targets(window: &Window, site: &Site<'_>) -> Result<Vec<NodeId>, (Option<usize>, Kind)> {
    let mut targets = Vec::new();
    for (place, name) in window.to.iter().enumerate() {
        let target = site.host(name).map_err(|kind| (Some(place), kind))?;
        if targets.contains(&target) {
            return Err((Some(place), Kind::TargetTwice { name: name.clone() }));
        }
        targets.push(target);
    }
    if targets.is_empty() { Err((None, Kind::NoTargets)) } else { Ok(targets) }
}
