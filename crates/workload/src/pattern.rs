//! The flows of a rule.
//!
//! Invariant: a pattern draws from streams of its own, named by its place in the scenario and, where
//! sources act alone, by the source; so what one host sends does not depend on what another does.
//!
//! | pattern | streams |
//! |---|---|
//! | permutation | `traffic[i] permutation`, one for all hosts |
//! | Poisson | `traffic[i] arrivals` and `traffic[i] destinations`, of each source |
//! | incast, list of flows | none |
//! | synthetic | `traffic[i] arrivals`, `traffic[i] destinations`, `traffic[i] sizes`, of each source; `traffic[i] permutation` |
//! | converge | `traffic[i] jitter`, of each source |
//! | sessions | `traffic[i] sessions`, of each source |
//! | hot spot | `traffic[i] arrivals`, `destinations` and `hot spot`, of each source |

use event_kernel::Stream;
use packet::{NodeId, ServiceLevel, TransportService};
use rand::seq::SliceRandom;
use rand::{Rng, RngExt};
use units::{Bytes, Time};

use crate::MAX_DRAWN;
use crate::builder::{Fault, Site, check_message, check_period};
use crate::draws::{Draws, Foreseen, Message};
use crate::error::WorkloadErrorKind as Kind;
use crate::exponential::exponential;
use crate::flow::{Flow, ListedMessage, MessageSchedule, Posting};
use crate::host_traffic::HostTraffic;
use crate::spec::{Operation, PatternSpec};
use crate::synthetic::spec::{Bits, Destinations};

/// The flows of `patterns[i]`, by source and then by destination.
/// What draws its messages while the run goes on is added to `host_traffic`.
pub(crate) fn flows(
    patterns: &[PatternSpec],
    i: usize,
    site: &Site<'_>,
    host_traffic: &mut Vec<HostTraffic>,
) -> Result<Vec<Flow>, Fault> {
    let hosts = site.hosts.len();
    if hosts < 2 {
        return Err(("", Kind::TooFewHosts { hosts }));
    }
    let made = Pattern { i, prefix: prefix(patterns, i), site };
    match &patterns[i] {
        PatternSpec::Permutation { at, bytes } => made.permutation(ListedMessage { at: *at, bytes: *bytes }),
        PatternSpec::Poisson { from, until, message, load } => {
            let arrivals = Arrivals { from: *from, until: *until, message: *message, load: *load };
            made.poisson(arrivals, host_traffic)
        }
        PatternSpec::Incast { at, to, senders, bytes } => {
            made.incast(to, *senders, ListedMessage { at: *at, bytes: *bytes })
        }
        PatternSpec::Synthetic(synthetic) => made.synthetic(synthetic, host_traffic),
        PatternSpec::FlowList(list) => made.flow_list(list),
        PatternSpec::Converge(converge) => made.converge(converge),
        PatternSpec::Sessions(sessions) => made.sessions(sessions),
        PatternSpec::HotSpot(hot_spot) => made.hot_spot(hot_spot, host_traffic),
    }
}

/// A pattern while its flows are made.
pub(crate) struct Pattern<'a> {
    i: usize,
    prefix: String,
    pub(crate) site: &'a Site<'a>,
}

/// What is to be drawn for each source of a Poisson pattern.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Arrivals {
    from: Time,
    until: Time,
    message: Bytes,
    load: f64,
}

/// The messages of one source of a Poisson pattern. Gaps are rounded to picoseconds one by one, and then added.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PoissonDraws {
    source: u32,
    hosts: u32,
    arrivals: Arrivals,
    /// Mean gap, in ps.
    mean: f64,
    at: Time,
    gaps: Stream,
    targets: Stream,
}

impl Iterator for PoissonDraws {
    type Item = Message;

    fn next(&mut self) -> Option<Message> {
        // The cast saturates: a gap that outlasts the clock ends the source, as it should.
        let gap = (exponential(&mut self.gaps) * self.mean).round() as u64;
        self.at = Time::from_ps(self.at.ps().saturating_add(gap));
        if self.at >= self.arrivals.until {
            return None;
        }
        let other = self.targets.random_range(0..self.hosts - 1);
        let to = other + u32::from(other >= self.source);
        Some(Message { at: self.at, to, bytes: self.arrivals.message })
    }
}

/// A single message, listed.
pub(crate) fn one_message(message: ListedMessage) -> Posting {
    Posting::Scheduled(MessageSchedule::Listed([message].into()))
}

/// What is drawn before a run is not too much.
pub(crate) fn check_drawn(messages: f64) -> Result<(), Kind> {
    let (expected, most) = (messages as u64, MAX_DRAWN);
    if expected > most { Err(Kind::TooManyMessages { expected, most }) } else { Ok(()) }
}

impl Pattern<'_> {
    fn permutation(&self, post: ListedMessage) -> Result<Vec<Flow>, Fault> {
        check_message(post.bytes).map_err(|kind| ("bytes", kind))?;
        let mut random = self.stream("permutation", "all hosts");
        let to = derangement(self.site.hosts.len(), &mut random);
        Ok((0..).zip(to).map(|(from, to)| self.flow(NodeId(from), NodeId(to), one_message(post))).collect())
    }

    fn incast(&self, to: &str, senders: u32, post: ListedMessage) -> Result<Vec<Flow>, Fault> {
        let to = self.site.host(to).map_err(|kind| ("to", kind))?;
        let hosts = self.site.hosts.len();
        let others = hosts - 1;
        if senders == 0 || senders as usize > others {
            return Err(("senders", Kind::Senders { given: senders, others }));
        }
        check_message(post.bytes).map_err(|kind| ("bytes", kind))?;
        let mut from: Vec<usize> = (1..=senders as usize).map(|k| (to.index() + k) % hosts).collect();
        from.sort_unstable();
        Ok(from.into_iter().map(|from| self.flow(NodeId(from as u32), to, one_message(post))).collect())
    }

    fn poisson(&self, arrivals: Arrivals, host_traffic: &mut Vec<HostTraffic>) -> Result<Vec<Flow>, Fault> {
        let Arrivals { from, until, message, load } = arrivals;
        check_period(from, until).map_err(|kind| ("until", kind))?;
        check_message(message).map_err(|kind| ("message", kind))?;
        if !(load > 0.0 && load <= 1.0) {
            return Err(("load", Kind::LoadRange { given: load }));
        }
        let hosts = || (0..).map(NodeId).take(self.site.hosts.len());
        let each = |source| (until - from).ps() as f64 / self.mean_gap(source, arrivals);
        check_drawn(hosts().map(each).sum::<f64>()).map_err(|kind| ("", kind))?;
        let draws = |source| {
            let name = self.site.name(source);
            Draws::Poisson(PoissonDraws {
                source: source.0,
                hosts: self.site.hosts.len() as u32,
                arrivals,
                mean: self.mean_gap(source, arrivals),
                at: from,
                gaps: self.stream("arrivals", name),
                targets: self.stream("destinations", name),
            })
        };
        Ok(hosts().flat_map(|source| self.drawn(source, draws(source), host_traffic)).collect())
    }

    /// The flows of a source whose messages are drawn while the run goes on. They are drawn once before it, to know
    /// which flows there are, and how much they post.
    pub(crate) fn drawn(
        &self,
        source: NodeId,
        draws: Draws,
        host_traffic: &mut Vec<HostTraffic>,
    ) -> Vec<Flow> {
        let foreseen = draws.foresee(self.site.hosts.len());
        if foreseen.is_empty() {
            return Vec::new();
        }
        let number = host_traffic.len() as u32;
        host_traffic.push(HostTraffic::timed(foreseen.iter().map(|one| one.to.0).collect(), draws));
        let flow = |one: Foreseen| {
            let (start, stop, total) = (one.first, Time::NEVER, Some(one.total));
            self.flow(source, one.to, Posting::Drawn { host_traffic: number, start, stop, total })
        };
        foreseen.into_iter().map(flow).collect()
    }

    /// Mean time between two messages of a source, in ps: `message / (load * rate)`.
    fn mean_gap(&self, source: NodeId, arrivals: Arrivals) -> f64 {
        let rate = (self.site.host_rate)(source).get();
        assert!(rate > 0, "the link of host {} has no data rate", self.site.name(source));
        arrivals.message.get() as f64 * 8e12 / (arrivals.load * rate as f64)
    }

    pub(crate) fn flow(&self, source: NodeId, destination: NodeId, posting: Posting) -> Flow {
        Flow {
            name: format!("{}:{}->{}", self.prefix, self.site.name(source), self.site.name(destination)),
            named: false,
            group: None,
            source,
            destination,
            service_level: ServiceLevel::default(),
            transport: TransportService::default(),
            operation: Operation::default(),
            posting,
        }
    }

    pub(crate) fn prefix(&self) -> &str {
        &self.prefix
    }

    pub(crate) fn stream(&self, purpose: &str, owner: &str) -> Stream {
        event_kernel::stream(self.site.seed, &format!("traffic[{}] {purpose}", self.i), owner)
    }
}

/// What the names of the flows of `patterns[i]` begin with, where the scenario does not say: its kind, and
/// which of its kind it is if not the first.
fn prefix(patterns: &[PatternSpec], i: usize) -> String {
    let word = |pattern: &PatternSpec| match pattern {
        PatternSpec::Permutation { .. } => "permutation",
        PatternSpec::Poisson { .. } => "poisson",
        PatternSpec::Incast { .. } => "incast",
        PatternSpec::HotSpot(_) => "hot-spot",
        PatternSpec::Synthetic(spec) => word_of(spec.destinations),
        PatternSpec::FlowList(_) => "flow-list",
        PatternSpec::Converge(_) | PatternSpec::Sessions(_) => "",
    };
    let kind = word(&patterns[i]);
    match patterns[..i].iter().filter(|earlier| word(earlier) == kind).count() {
        0 => kind.to_owned(),
        earlier => format!("{kind}{}", earlier + 1),
    }
}

fn word_of(destinations: Destinations) -> &'static str {
    match destinations {
        Destinations::Uniform => "uniform",
        Destinations::Permutation => "permutation",
        Destinations::Shift(_) => "shift",
        Destinations::Bits(Bits::Complement) => "complement",
        Destinations::Bits(Bits::Reverse) => "reverse",
        Destinations::Bits(Bits::Rotation) => "rotation",
        Destinations::Bits(Bits::Shuffle) => "shuffle",
        Destinations::Bits(Bits::Transpose) => "transpose",
        Destinations::AllToAll => "all-to-all",
    }
}

/// A uniformly drawn permutation of 0 to n - 1 without a fixed point; n is at least 2.
///
/// By rejection: of all permutations a share of about 1/e has no fixed point, so this takes e tries on
/// average, and every derangement is equally likely. Sattolo's algorithm takes one try, but draws only
/// among permutations that are one single cycle: two hosts would never send to each other.
pub(crate) fn derangement(n: usize, random: &mut impl Rng) -> Vec<u32> {
    let mut to: Vec<u32> = (0..).take(n).collect();
    loop {
        to.shuffle(random);
        if (0..).zip(&to).all(|(from, to)| from != *to) {
            return to;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// Of four hosts there are nine derangements, six of them single cycles. Chi-squared with 8 degrees of
    /// freedom passes 37.3 once in 100,000.
    #[test]
    fn derangements_are_uniform() {
        let mut random = event_kernel::stream(3, "derangement", "test");
        let mut found = BTreeMap::new();
        for _ in 0..9_000 {
            *found.entry(derangement(4, &mut random)).or_insert(0.0) += 1.0;
        }
        assert_eq!(found.len(), 9);
        let chi_squared: f64 = found.values().map(|n: &f64| (n - 1000.0).powi(2) / 1000.0).sum();
        assert!(chi_squared < 37.3, "{chi_squared}");
    }
}
