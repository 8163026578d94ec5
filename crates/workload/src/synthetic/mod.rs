//! Synthetic traffic: every host sends, by a rule for destinations, one for arrivals, one for sizes.
//!
//! Invariant: destinations, arrivals and sizes of a source are three streams of its own, so that one of the
//! rules can be changed and the other two draw the same.
//!
//! | module | holds |
//! |---|---|
//! | [`spec`] | what a scenario writes down |
//! | `destinations` | to whom |
//! | `arrivals` | when |
//! | `sizes` | how long |
//! | [`closed`] | hosts that wait for completions |

pub(crate) mod arrivals;
pub mod closed;
mod destinations;
mod sizes;
pub mod spec;

use std::collections::BTreeMap;

use packet::{NodeId, ServiceLevel};
use units::{Bytes, Span};

use crate::MAX_LISTED;
use crate::builder::{Fault, check_period};
use crate::error::WorkloadErrorKind as Kind;
use crate::flow::{Flow, Post, Posting};
use crate::pattern::Pattern;
use arrivals::Period;
use closed::{ClosedLoop, Turn};
use destinations::Rule;
use sizes::Distribution;
use spec::{Arrivals, Synthetic};

/// Bits a byte times picoseconds a second: bytes over bits a second, in picoseconds.
const BIT_PS: f64 = 8e12;

/// A pattern whose fields have been checked.
struct Checked<'a> {
    spec: &'a Synthetic,
    rule: Rule,
    sizes: Distribution,
    period: Period,
}

impl Pattern<'_> {
    /// The flows, by source and then by destination; closed loops are added to `loops`.
    pub(crate) fn synthetic(
        &self,
        spec: &Synthetic,
        loops: &mut Vec<ClosedLoop>,
    ) -> Result<Vec<Flow>, Fault> {
        let checked = self.check(spec)?;
        let mut flows = Vec::new();
        for source in (0..).map(NodeId).take(self.site.hosts.len()) {
            if !checked.rule.sends(source.0) {
                continue;
            }
            match spec.arrivals {
                Arrivals::Closed { outstanding } => {
                    let turns = self.sequence(&checked, source, outstanding);
                    flows.extend(self.closed_loop(&checked, source, &turns, outstanding as usize, loops));
                }
                _ => flows.extend(self.open_loop(&checked, source)),
            }
        }
        Ok(flows)
    }

    fn check<'a>(&self, spec: &'a Synthetic) -> Result<Checked<'a>, Fault> {
        if let Some(stop) = spec.stop {
            check_period(spec.start, stop).map_err(|kind| ("stop", kind))?;
        }
        if spec.service_level > ServiceLevel(15) {
            return Err(("service_level", Kind::ServiceLevel { given: spec.service_level.0 }));
        }
        if spec.messages == Some(0) {
            return Err(("messages", Kind::NoMessages));
        }
        check_arrivals(spec)?;
        let permutation = self.stream("permutation", "all hosts");
        let rule = Rule::new(spec.destinations, self.site.hosts.len(), permutation)?;
        let sizes = Distribution::new(&spec.size, self.site)?;
        // What would be posted after the end of the run is not drawn.
        let stop = spec.stop.unwrap_or(self.site.end).min(self.site.end).max(spec.start);
        let period = Period { start: spec.start, stop };
        let checked = Checked { spec, rule, sizes, period };
        self.check_amount(&checked)?;
        Ok(checked)
    }

    /// What is drawn before a run has to fit into memory.
    fn check_amount(&self, checked: &Checked<'_>) -> Result<(), Fault> {
        let length = length(checked.period);
        let each = |source: NodeId| -> f64 {
            let most = checked.spec.messages.map_or(f64::INFINITY, f64::from);
            match checked.spec.arrivals {
                Arrivals::AtOnce => most,
                Arrivals::Closed { outstanding } => {
                    most.min(self.capacity(checked, source, outstanding) / checked.sizes.mean())
                }
                Arrivals::Fixed { load } | Arrivals::Poisson { load } => {
                    most.min(length / self.gap(checked, source, load))
                }
                Arrivals::OnOff { load, on, off } => {
                    let cycles = length / (on.ps() as f64 + off.ps() as f64);
                    most.min(length / self.gap(checked, source, load)).max(cycles)
                }
            }
        };
        let expected = (0..).map(NodeId).take(self.site.hosts.len()).map(each).sum::<f64>() as u64;
        if expected > MAX_LISTED { Err(("", Kind::TooManyMessages { expected })) } else { Ok(()) }
    }

    /// Mean time between two messages of a source, in ps.
    fn gap(&self, checked: &Checked<'_>, source: NodeId, load: f64) -> f64 {
        checked.sizes.mean() * BIT_PS / (load * self.rate(source))
    }

    /// Bytes of which a source cannot have posted all before its stop: what its link carries until then, and as many of the
    /// longest messages as may be outstanding.
    fn capacity(&self, checked: &Checked<'_>, source: NodeId, outstanding: u32) -> f64 {
        let carried = length(checked.period) * self.rate(source) / BIT_PS;
        carried + f64::from(outstanding) * checked.sizes.longest().get() as f64
    }

    fn rate(&self, source: NodeId) -> f64 {
        let rate = (self.site.host_rate)(source).get();
        assert!(rate > 0, "the link of host {} has no data rate", self.site.name(source));
        rate as f64
    }

    fn open_loop(&self, checked: &Checked<'_>, source: NodeId) -> Vec<Flow> {
        let name = self.site.name(source);
        let gap = match checked.spec.arrivals {
            Arrivals::Fixed { load } | Arrivals::Poisson { load } | Arrivals::OnOff { load, .. } => {
                self.gap(checked, source, load)
            }
            Arrivals::Closed { .. } | Arrivals::AtOnce => 0.0,
        };
        let most = checked.spec.messages.map_or(usize::MAX, |most| most as usize);
        let mut random = self.stream("arrivals", name);
        let times = arrivals::times(checked.spec.arrivals, checked.period, gap, most, &mut random);
        let messages = self.messages(checked, source).zip(times);
        let mut posts: BTreeMap<u32, Vec<Post>> = BTreeMap::new();
        for ((to, bytes), at) in messages {
            posts.entry(to).or_default().push(Post { at, bytes });
        }
        let flow = |(to, posts)| self.synthetic_flow(checked, (source, NodeId(to)), Posting::Listed(posts));
        posts.into_iter().map(flow).collect()
    }

    /// What a source sends, one after the other, as long as it is asked: to whom, and how long.
    fn messages(&self, checked: &Checked<'_>, source: NodeId) -> impl Iterator<Item = (u32, Bytes)> {
        let (name, n) = (self.site.name(source), self.site.hosts.len() as u32);
        let (mut targets, mut sizes) = (self.stream("destinations", name), self.stream("sizes", name));
        (0..).map(move |k| {
            let to = checked.rule.destination(source.0, k, n, &mut targets);
            (to, checked.sizes.draw(&mut sizes))
        })
    }

    /// All that a closed loop can post in its time.
    fn sequence(&self, checked: &Checked<'_>, source: NodeId, outstanding: u32) -> Vec<(u32, Bytes)> {
        let capacity = self.capacity(checked, source, outstanding).ceil() as u64;
        let most = checked.spec.messages.map_or(usize::MAX, |most| most as usize);
        let mut total = 0;
        let fits = |(_, bytes): &(u32, Bytes)| {
            let before = total;
            total += bytes.get();
            before <= capacity
        };
        self.messages(checked, source).take(most).take_while(fits).collect()
    }

    /// The flows of one closed loop, of which the first messages are posted at the start.
    fn closed_loop(
        &self,
        checked: &Checked<'_>,
        source: NodeId,
        sequence: &[(u32, Bytes)],
        outstanding: usize,
        loops: &mut Vec<ClosedLoop>,
    ) -> Vec<Flow> {
        let Period { start, stop } = checked.period;
        let mut first: BTreeMap<u32, Vec<Post>> = sequence.iter().map(|(to, _)| (*to, Vec::new())).collect();
        let outstanding = outstanding.min(sequence.len());
        for &(to, bytes) in &sequence[..outstanding] {
            first.entry(to).or_default().push(Post { at: start, bytes });
        }
        let places: BTreeMap<u32, u32> = first.keys().copied().zip(0..).collect();
        let later = sequence[outstanding..].iter();
        let turns = later.map(|&(to, bytes)| Turn { flow: places[&to], bytes }).collect();
        let number = loops.len() as u32;
        loops.push(ClosedLoop::new(turns, stop));
        let flow = |(to, first)| {
            let posting = Posting::Closed { number, first, start, stop };
            self.synthetic_flow(checked, (source, NodeId(to)), posting)
        };
        first.into_iter().map(flow).collect()
    }

    fn synthetic_flow(&self, checked: &Checked<'_>, ends: (NodeId, NodeId), posting: Posting) -> Flow {
        let service_level = checked.spec.service_level;
        Flow { service_level, posting, ..self.flow(ends.0, ends.1, Vec::new()) }
    }
}

/// How long it is, in ps.
fn length(period: Period) -> f64 {
    (period.stop - period.start).ps() as f64
}

fn check_arrivals(spec: &Synthetic) -> Result<(), Fault> {
    let in_range = |load: f64| {
        let right = load > 0.0 && load <= 1.0;
        if right { Ok(()) } else { Err(("arrivals.load", Kind::LoadRange { given: load })) }
    };
    match spec.arrivals {
        Arrivals::Fixed { load } | Arrivals::Poisson { load } => in_range(load),
        Arrivals::OnOff { load, on, off } => {
            in_range(load)?;
            for (field, given) in [("arrivals.on", on), ("arrivals.off", off)] {
                if given == Span::ZERO {
                    return Err((field, Kind::NoMean { given }));
                }
            }
            let most = on.ps() as f64 / (on.ps() as f64 + off.ps() as f64);
            if load > most { Err(("arrivals.load", Kind::LoadWhileOn { given: load, most })) } else { Ok(()) }
        }
        Arrivals::Closed { outstanding: 0 } => Err(("arrivals.outstanding", Kind::Outstanding)),
        Arrivals::AtOnce if spec.messages.is_none() => Err(("arrivals", Kind::AtOnceWithoutMessages)),
        Arrivals::Closed { .. } | Arrivals::AtOnce => Ok(()),
    }
}
