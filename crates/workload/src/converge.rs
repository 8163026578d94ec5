//! Flows from several hosts to one: at once, or in sessions that come and go.
//!
//! Invariant: what one source draws depends on no other source, nor on how many there are.

use event_kernel::Stream;
use packet::NodeId;
use rand::RngExt;
use units::{Span, Time};

use crate::MAX_SESSIONS;
use crate::builder::{Fault, check_period};
use crate::error::WorkloadErrorKind as Kind;
use crate::exponential::exponential;
use crate::flow::{Flow, Group};
use crate::pattern::Pattern;
use crate::spec::{Converge, FlowSpec, Load, Sessions};

impl Pattern<'_> {
    pub(crate) fn converge(&self, spec: &Converge) -> Result<Vec<Flow>, Fault> {
        let sources = self.sources(&spec.name, &spec.from, &spec.to)?;
        let latest = spec.start + spec.jitter;
        match spec.stop {
            Some(stop) if stop > spec.start && stop <= latest => {
                return Err(("jitter", Kind::JitterBeyondStop { latest, stop }));
            }
            _ => {}
        }
        let flow = |(number, source): (usize, NodeId)| {
            let from = self.site.name(source);
            let late = self.stream("jitter", from).random_range(0..=spec.jitter.ps());
            let one = FlowSpec {
                name: format!("{}{number}", spec.name),
                from: from.to_owned(),
                to: spec.to.clone(),
                start: spec.start + Span::from_ps(late),
                stop: spec.stop,
                service_level: spec.service_level,
                transport: spec.transport,
                operation: spec.operation,
                message: spec.message,
                load: spec.load,
            };
            let group = Some(Group { name: spec.name.clone(), start: spec.start });
            Ok(Flow { group, ..one.flow(self.site)? })
        };
        (1..).zip(sources).map(flow).collect()
    }

    pub(crate) fn sessions(&self, spec: &Sessions) -> Result<Vec<Flow>, Fault> {
        let sources = self.sources(&spec.name, &spec.from, &spec.to)?;
        check_period(spec.start, spec.stop).map_err(|kind| ("stop", kind))?;
        for (field, given) in [("on", spec.on), ("off", spec.off)] {
            if given == Span::ZERO {
                return Err((field, Kind::NoMean { given }));
            }
        }
        if matches!(spec.load, Load::Messages(_)) {
            return Err(("load", Kind::SessionOfMessages));
        }
        let cycle = spec.on.ps() as f64 + spec.off.ps() as f64;
        let expected = (spec.stop - spec.start).ps() as f64 / cycle * sources.len() as f64;
        if expected > MAX_SESSIONS as f64 {
            return Err(("", Kind::TooManySessions { expected: expected as u64 }));
        }
        let whole = FlowSpec {
            name: spec.name.clone(),
            from: self.site.name(sources[0]).to_owned(),
            to: spec.to.clone(),
            start: spec.start,
            stop: Some(spec.stop),
            service_level: spec.service_level,
            transport: spec.transport,
            operation: spec.operation,
            message: spec.message,
            load: spec.load,
        };
        // What is wrong is wrong even if no session should come of it.
        whole.flow(self.site)?;
        let mut flows = Vec::new();
        for source in sources {
            let from = self.site.name(source);
            let stream = self.stream("sessions", from);
            let periods = Periods::new((spec.on, spec.off), spec.start, spec.stop, stream);
            for (number, (start, stop)) in (1..).zip(periods) {
                let name = format!("{}:{from}->{}#{number}", spec.name, spec.to);
                let one = FlowSpec { name, from: from.to_owned(), start, stop: Some(stop), ..whole.clone() };
                flows.push(Flow { named: false, ..one.flow(self.site)? });
            }
        }
        Ok(flows)
    }

    /// The hosts that `from` means, in order.
    fn sources(&self, name: &str, from: &str, to: &str) -> Result<Vec<NodeId>, Fault> {
        if name.is_empty() {
            return Err(("name", Kind::EmptyName));
        }
        let receiver = self.site.host(to).map_err(|kind| ("to", kind))?;
        let meant = |host: &str| match from.strip_suffix('*') {
            Some(beginning) => host.starts_with(beginning),
            None => host == from,
        };
        let hosts = (0..).map(NodeId).zip(self.site.hosts);
        let sources: Vec<_> = hosts.filter(|(_, host)| meant(host)).map(|(node, _)| node).collect();
        if sources.is_empty() {
            return Err(("from", Kind::NoSuchHosts { given: from.to_owned() }));
        }
        if sources.contains(&receiver) {
            return Err(("from", Kind::ReceiverAmongSenders { name: to.to_owned() }));
        }
        Ok(sources)
    }
}

/// When a source is on: exponential times on and off, with no memory, so that the first is drawn like any
/// other. Times are rounded to picoseconds one by one, and then added; a time on of none is left out.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Periods {
    /// Mean times on and off, in ps.
    means: (u64, u64),
    at: Time,
    stop: Time,
    is_on: bool,
    random: Stream,
}

impl Periods {
    pub(crate) fn new((on, off): (Span, Span), start: Time, stop: Time, mut random: Stream) -> Self {
        let (on, off) = (on.ps(), off.ps());
        // Compared as integers: of on + off equally likely numbers, the first `on`.
        let is_on = random.random_range(0..u128::from(on) + u128::from(off)) < u128::from(on);
        Self { means: (on, off), at: start, stop, is_on, random }
    }
}

impl Iterator for Periods {
    type Item = (Time, Time);

    fn next(&mut self) -> Option<(Time, Time)> {
        while self.at < self.stop {
            let mean = if self.is_on { self.means.0 } else { self.means.1 };
            // The cast saturates: a time that outlasts the clock ends the source, as it should.
            let length = (exponential(&mut self.random) * mean as f64).round() as u64;
            let (from, was_on) = (self.at, self.is_on);
            self.at = Time::from_ps(from.ps().saturating_add(length)).min(self.stop);
            self.is_on = !was_on;
            if was_on && self.at > from {
                return Some((from, self.at));
            }
        }
        None
    }
}
