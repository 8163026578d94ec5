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

pub(crate) mod arrivals;
mod destinations;
mod sizes;
pub mod spec;

use std::sync::Arc;

use event_kernel::Stream;
use packet::{NodeId, ServiceLevel};
use units::{Bytes, Span, Time};

use crate::builder::{Fault, check_period};
use crate::draws::{Draws, Foreseen, Message};
use crate::error::WorkloadErrorKind as Kind;
use crate::flow::{Flow, Posting};
use crate::host_traffic::HostTraffic;
use crate::pattern::Pattern;
use crate::{MAX_DRAWN, MAX_LISTED};
use arrivals::{Period, Times};
use destinations::Rule;
use sizes::Distribution;
use spec::{Arrivals, Synthetic};

/// Bits a byte times picoseconds a second: bytes over bits a second, in picoseconds.
const BIT_PS: f64 = 8e12;

/// A pattern whose fields have been checked.
struct Checked<'a> {
    spec: &'a Synthetic,
    rule: Arc<Rule>,
    sizes: Arc<Distribution>,
    period: Period,
}

/// What a source sends, one after the other, as long as it is asked: to whom, and how long.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Order {
    rule: Arc<Rule>,
    sizes: Arc<Distribution>,
    source: u32,
    hosts: u32,
    /// How many it has been asked for.
    k: u64,
    targets: Stream,
    lengths: Stream,
}

impl Iterator for Order {
    type Item = (u32, Bytes);

    fn next(&mut self) -> Option<(u32, Bytes)> {
        let to = self.rule.destination(self.source, self.k, self.hosts, &mut self.targets);
        self.k += 1;
        Some((to, self.sizes.draw(&mut self.lengths)))
    }
}

/// The messages of a source that does not wait for completions.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct OpenDraws {
    order: Order,
    times: Times,
}

impl Iterator for OpenDraws {
    type Item = Message;

    fn next(&mut self) -> Option<Message> {
        let at = self.times.next()?;
        let (to, bytes) = self.order.next()?;
        Some(Message { at, to, bytes })
    }
}

impl Pattern<'_> {
    /// The flows, by source and then by destination.
    pub(crate) fn synthetic(
        &self,
        spec: &Synthetic,
        host_traffic: &mut Vec<HostTraffic>,
    ) -> Result<Vec<Flow>, Fault> {
        let checked = self.check(spec)?;
        let mut flows = Vec::new();
        for host in (0..).map(NodeId).take(self.site.hosts.len()) {
            if !checked.rule.sends(host.0) {
                continue;
            }
            let more = match spec.arrivals {
                Arrivals::Closed { outstanding } => {
                    self.closed_loop(&checked, host, outstanding, host_traffic)
                }
                Arrivals::AtOnce => self.at_once(&checked, host, host_traffic),
                _ => self.drawn(host, Draws::Open(self.open(&checked, host)), host_traffic),
            };
            let service_level = spec.service_level;
            flows.extend(more.into_iter().map(|flow| Flow { service_level, ..flow }));
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
        let checked = Checked { spec, rule: rule.into(), sizes: sizes.into(), period };
        self.check_amount(&checked)?;
        Ok(checked)
    }

    /// What is drawn before a run is not too much.
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
        let most = if checked.spec.arrivals == Arrivals::AtOnce { MAX_LISTED } else { MAX_DRAWN };
        if expected > most { Err(("", Kind::TooManyMessages { expected, most })) } else { Ok(()) }
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

    fn order(&self, checked: &Checked<'_>, source: NodeId) -> Order {
        let name = self.site.name(source);
        Order {
            rule: Arc::clone(&checked.rule),
            sizes: Arc::clone(&checked.sizes),
            source: source.0,
            hosts: self.site.hosts.len() as u32,
            k: 0,
            targets: self.stream("destinations", name),
            lengths: self.stream("sizes", name),
        }
    }

    fn open(&self, checked: &Checked<'_>, source: NodeId) -> OpenDraws {
        let gap = match checked.spec.arrivals {
            Arrivals::Fixed { load } | Arrivals::Poisson { load } | Arrivals::OnOff { load, .. } => {
                self.gap(checked, source, load)
            }
            Arrivals::Closed { .. } | Arrivals::AtOnce => 0.0,
        };
        let most = checked.spec.messages.map_or(usize::MAX, |most| most as usize);
        let random = self.stream("arrivals", self.site.name(source));
        let times = Times::new(checked.spec.arrivals, checked.period, gap, most, random);
        OpenDraws { order: self.order(checked, source), times }
    }

    fn at_once(
        &self,
        checked: &Checked<'_>,
        source: NodeId,
        host_traffic: &mut Vec<HostTraffic>,
    ) -> Vec<Flow> {
        let open = self.open(checked, source);
        let foreseen = Draws::Open(open.clone()).foresee(self.site.hosts.len());
        let to: Arc<[u32]> = foreseen.iter().map(|one| one.to.0).collect();
        let start = checked.period.start;
        let (number, messages) = (host_traffic.len() as u32, open.map(|message| (message.to, message.bytes)));
        host_traffic.push(HostTraffic::at_once(to, messages, start));
        let flow = |one: Foreseen| {
            let (stop, total) = (Time::NEVER, Some(one.total));
            self.flow(source, one.to, Posting::Drawn { host_traffic: number, start, stop, total })
        };
        foreseen.into_iter().map(flow).collect()
    }

    /// The flows of one closed loop: to all hosts that it can come to send to in its time.
    fn closed_loop(
        &self,
        checked: &Checked<'_>,
        source: NodeId,
        outstanding: u32,
        host_traffic: &mut Vec<HostTraffic>,
    ) -> Vec<Flow> {
        let Period { start, stop } = checked.period;
        let capacity = self.capacity(checked, source, outstanding).ceil() as u64;
        let most = checked.spec.messages.map_or(u64::MAX, u64::from);
        let order = self.order(checked, source);
        let mut meant = vec![false; self.site.hosts.len()];
        let (mut messages, mut total) = (0, 0);
        for (to, bytes) in order.clone() {
            if messages == most || total > capacity {
                break;
            }
            meant[to as usize] = true;
            messages += 1;
            total += bytes.get();
        }
        let to: Arc<[u32]> = (0..).zip(&meant).filter(|(_, meant)| **meant).map(|(to, _)| to).collect();
        let number = host_traffic.len() as u32;
        let posting = Posting::Drawn { host_traffic: number, start, stop, total: None };
        let flows = to.iter().map(|to| self.flow(source, NodeId(*to), posting.clone())).collect();
        host_traffic.push(HostTraffic::closed(to, order, messages, outstanding, (start, stop)));
        flows
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
