//! The use that each pattern makes of the fabric: flows, messages, cables, and the load of its busiest link.
//!
//! Invariant: paths are those of the run. Where several ports are equally good, a switch hashes the numbers of queue
//! pairs, which flows get in the order of the workload, here as in the run; or its selector is taken to spread packets
//! evenly.

use std::collections::{BTreeMap, BTreeSet};

use packet::{NodeId, PortId, QpNumber, flow_key};
use units::{Bytes, Span, Time};
use workload::spec::{ArrivalSpec, DestinationSpec, RepeatSpec};
use workload::{Flow, LoadSpec, MessageSchedule, PatternSpec, PostedVolume, Posting};

use crate::data_paths::{DataOutput, DataPaths};
use crate::plan::Plan;

/// Bits a byte times picoseconds a second: bytes over bits a second, in picoseconds.
const BIT_PS: f64 = 8e12;

/// The use that a pattern makes of the fabric, by the data of its flows. Acknowledgements and requests do not count.
#[derive(Clone, Debug, PartialEq)]
pub struct PatternUse {
    /// Its name, if the scenario gives it one.
    pub name: Option<String>,
    /// Beginning of the names of its flows.
    pub label: String,
    /// Incasts, if it makes any.
    pub incasts: Option<IncastUse>,
    /// Hosts that data comes from.
    pub sources: BTreeSet<NodeId>,
    /// Hosts that data goes to.
    pub destinations: BTreeSet<NodeId>,
    /// Number of flows.
    pub flows: usize,
    /// True if a closed loop has further flows, which its hosts cannot come to within the run.
    pub is_cut: bool,
    /// Messages that are posted before the end of the run; those that replace others do not count.
    pub volume: PostedVolume,
    /// Number of flows between hosts that are attached to different switches.
    pub leaving: usize,
    /// Switches that the flows between hosts of one switch cross.
    pub switches: BTreeSet<NodeId>,
    /// Cables between switches that its flows cross.
    pub cables: CableUse,
    /// Load of the output that its payload keeps busy for longest; `None` without messages.
    pub busiest: Option<BusiestLink>,
}

/// The incasts of a pattern before the end of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IncastUse {
    /// Their number.
    pub count: usize,
    /// The least number of hosts that send in one of them.
    pub least: usize,
    /// The largest number of hosts that send in one of them.
    pub most: usize,
}

/// Cables between switches, in the direction of data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CableUse {
    /// Cables between switches of the fabric.
    pub all: usize,
    /// Cables that a flow crosses.
    pub used: usize,
    /// Cables that two or more flows cross in the same direction.
    pub shared: usize,
    /// The output that most flows leave by, and their number; the first such output.
    pub most: Option<(NodeId, PortId, usize)>,
}

/// The output that a pattern keeps busy for longest, of all whose load is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BusiestLink {
    /// The node that sends.
    pub node: NodeId,
    /// The port by which it sends.
    pub port: PortId,
    /// Load of its link.
    pub load: PatternLoad,
    /// True if packets are spread over other outputs by load, so that theirs are not known.
    pub some_by_load: bool,
}

/// Payload of a pattern on a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PatternLoad {
    /// Share of the link's data rate, over the time in which the pattern posts.
    Share(f64),
    /// Time that the link needs at its data rate for messages that are all posted at one time.
    Time(Span),
    /// Messages are posted as others complete.
    ByCompletions,
}

/// Flows and payload that one output carries.
#[derive(Clone, Copy, Default)]
struct OutputUse {
    flows: usize,
    bytes: f64,
    /// True if loads decide how much of some flow passes.
    is_by_load: bool,
}

impl Plan {
    /// Returns the use that each pattern makes of the fabric, in the order of the scenario.
    #[must_use]
    pub fn pattern_uses(&self) -> Vec<PatternUse> {
        let (flows, mut paths) = (self.flows_by_pattern(), DataPaths::new(self));
        flows.iter().enumerate().map(|(i, flows)| self.pattern_use(i, flows, &mut paths)).collect()
    }

    /// Returns the flows of each pattern, with their keys, in the order of the scenario.
    pub(crate) fn flows_by_pattern(&self) -> Vec<Vec<(&Flow, u64)>> {
        let mut flows = vec![Vec::new(); self.workload().patterns.len()];
        for (flow, key) in self.workload().flows.iter().zip(self.flow_keys()) {
            if let Some(pattern) = flow.pattern {
                flows[pattern as usize].push((flow, key));
            }
        }
        flows
    }

    /// Returns the keys of the flows' data, by which switches choose among equally good ports.
    pub(crate) fn flow_keys(&self) -> Vec<u64> {
        let mut next = vec![0; self.graph().hosts()];
        let mut open = |host: NodeId| {
            next[host.index()] += 1;
            QpNumber(next[host.index()] - 1)
        };
        let key = |flow: &Flow| {
            let (asks, answers) = (open(flow.requester()), open(flow.responder()));
            let ends = if flow.source == flow.requester() { (asks, answers) } else { (answers, asks) };
            flow_key((flow.source.lid(), flow.destination.lid()), ends)
        };
        self.workload().flows.iter().map(key).collect()
    }

    fn pattern_use(&self, i: usize, flows: &[(&Flow, u64)], paths: &mut DataPaths<'_>) -> PatternUse {
        let (pattern, spec) = (&self.workload().patterns[i], &self.scenario.traffic[i]);
        let mut outputs: BTreeMap<(NodeId, PortId), OutputUse> = BTreeMap::new();
        let (mut leaving, mut switches) = (0, BTreeSet::new());
        for (flow, key) in flows {
            let path = paths.of(flow, *key);
            match path.as_slice() {
                [_, DataOutput { at: (switch, _), .. }] => drop(switches.insert(*switch)),
                path => leaving += usize::from(path.len() > 2),
            }
            let bytes = self.payload(flow);
            for DataOutput { at, share, spread, .. } in path {
                let used = outputs.entry(at).or_default();
                used.is_by_load |= spread.is_by_load();
                (used.flows, used.bytes) = (used.flows + 1, used.bytes + bytes * share);
            }
        }
        let volume = self.volume_of(flows);
        let sources: BTreeSet<_> = flows.iter().map(|(flow, _)| flow.source).collect();
        let destinations: BTreeSet<_> = flows.iter().map(|(flow, _)| flow.destination).collect();
        PatternUse {
            name: pattern.name.clone(),
            label: pattern.label.clone(),
            is_cut: meets_all(spec, destinations.len()) && flows.len() < pairs(&sources, &destinations),
            incasts: matches!(spec, PatternSpec::Incast(_)).then(|| self.incasts(flows)),
            sources,
            destinations,
            flows: flows.len(),
            volume,
            leaving,
            switches,
            cables: self.cables_between_switches(&outputs),
            busiest: self.busiest(&outputs, volume, self.posting_time(spec)),
        }
    }

    /// Returns every output that the data of a flow leaves by if hashes choose, its host's first.
    pub(crate) fn path_of_data(&self, flow: &Flow, key: u64) -> Vec<(NodeId, PortId)> {
        let (graph, to) = (self.graph(), flow.destination);
        let mut path = vec![(flow.source, PortId(0))];
        loop {
            let (node, port) = path[path.len() - 1];
            let next = graph.ports(node)[port.index()].peer;
            if next == to {
                return path;
            }
            let output = self.routes().table(next).output(to.lid(), || key);
            path.push((next, output.expect("a checked flow has a path")));
        }
    }

    /// Payload of a flow, in bytes: what it posts before the end of the run, or of drawn messages all that are drawn.
    fn payload(&self, flow: &Flow) -> f64 {
        let bytes = match &flow.posting {
            Posting::Scheduled(schedule) => Some(schedule.volume(self.end()).payload),
            Posting::Drawn { total, .. } => total.get(),
            Posting::Job { total, .. } => Some(*total),
        };
        bytes.map_or(0.0, |bytes| bytes.get() as f64)
    }

    /// Time in which a pattern posts the payload of its flows; `None` if all is posted at one time.
    fn posting_time(&self, spec: &PatternSpec) -> Option<Span> {
        let within =
            |start: Time, stop: Option<Time>| Some(stop.unwrap_or(Time::NEVER).min(self.end()).since(start));
        match spec {
            PatternSpec::Permutation(_) => None,
            // Drawn messages are those until the declared end, even if the run ends before.
            PatternSpec::Poisson(spec) => Some(spec.until.since(spec.from)),
            PatternSpec::HotSpot(spec) => Some(spec.until.since(spec.from)),
            PatternSpec::Incast(spec) => match spec.repeat {
                RepeatSpec::Once => None,
                RepeatSpec::Every { until, .. } | RepeatSpec::Poisson { until, .. } => within(spec.at, until),
            },
            PatternSpec::Synthetic(spec) if spec.arrivals == ArrivalSpec::AtOnce => None,
            PatternSpec::Synthetic(spec) => within(spec.start, spec.stop),
            PatternSpec::Converge(spec) if matches!(spec.load, LoadSpec::Messages(_)) => None,
            PatternSpec::Converge(spec) => within(spec.start, spec.stop),
            PatternSpec::Sessions(spec) => within(spec.start, Some(spec.stop)),
            PatternSpec::FlowList(_) => within(Time::ZERO, None),
        }
    }

    /// Messages that flows post before the end of the run.
    fn volume_of(&self, flows: &[(&Flow, u64)]) -> PostedVolume {
        let mut all = PostedVolume::default();
        let mut add = |volume: PostedVolume| {
            all.messages += volume.messages;
            all.payload += volume.payload;
            all.at_once += volume.at_once;
            all.replaced |= volume.replaced;
            all.to_come = all.to_come.saturating_add(volume.to_come);
            all.until = all.until.max(volume.until);
        };
        let mut drawn = BTreeSet::new();
        for (flow, _) in flows {
            match &flow.posting {
                Posting::Scheduled(schedule) => add(schedule.volume(self.end())),
                Posting::Drawn { host_traffic, .. } => drop(drawn.insert(*host_traffic)),
                Posting::Job { .. } => unreachable!("a job's flow belongs to no pattern"),
            }
        }
        drawn.into_iter().for_each(|number| add(self.workload().host_traffic[number as usize].volume()));
        all
    }

    fn incasts(&self, flows: &[(&Flow, u64)]) -> IncastUse {
        let mut senders: BTreeMap<(Time, NodeId), usize> = BTreeMap::new();
        for (flow, _) in flows {
            if let Posting::Scheduled(MessageSchedule::Listed(messages)) = &flow.posting {
                for message in messages.iter().filter(|message| message.at < self.end()) {
                    *senders.entry((message.at, flow.destination)).or_default() += 1;
                }
            }
        }
        let (least, most) = (senders.values().min(), senders.values().max());
        let [least, most] = [least, most].map(|count| count.copied().unwrap_or_default());
        IncastUse { count: senders.len(), least, most }
    }

    fn cables_between_switches(&self, outputs: &BTreeMap<(NodeId, PortId), OutputUse>) -> CableUse {
        let graph = self.graph();
        let mut found = CableUse::default();
        for switch in graph.switch_ids() {
            for (port, far) in (0..).map(PortId).zip(graph.ports(switch)) {
                if graph.is_host(far.peer) {
                    continue;
                }
                let flows = |output| outputs.get(&output).map_or(0, |output| output.flows);
                let here = flows((switch, port));
                if here > found.most.map_or(0, |(.., most)| most) {
                    found.most = Some((switch, port, here));
                }
                // Each cable is met at both ends, and counts at the first.
                if (switch, port) < (far.peer, far.peer_port) {
                    let there = flows((far.peer, far.peer_port));
                    found.all += 1;
                    found.used += usize::from(here + there > 0);
                    found.shared += usize::from(here.max(there) > 1);
                }
            }
        }
        found
    }

    fn busiest(
        &self,
        outputs: &BTreeMap<(NodeId, PortId), OutputUse>,
        volume: PostedVolume,
        posting_time: Option<Span>,
    ) -> Option<BusiestLink> {
        let graph = self.graph();
        let busy = |(node, port): (NodeId, PortId), bytes: f64| {
            bytes * BIT_PS / self.cable(graph.ports(node)[port.index()].cable).rate.get() as f64
        };
        let some_by_load = outputs.values().any(|output| output.is_by_load);
        let known = outputs.iter().filter(|(_, output)| !output.is_by_load);
        let times = known.map(|(at, output)| (*at, busy(*at, output.bytes)));
        // The first of equal ones.
        let (at, time) = times.reduce(|most, next| if next.1 > most.1 { next } else { most })?;
        let load = match posting_time {
            _ if volume.replaced => PatternLoad::ByCompletions,
            None => PatternLoad::Time(Span::from_ps(time.round() as u64)),
            Some(length) => PatternLoad::Share(time / length.ps().max(1) as f64),
        };
        (volume.payload > Bytes::ZERO).then_some(BusiestLink { node: at.0, port: at.1, load, some_by_load })
    }

    pub(crate) fn end(&self) -> Time {
        self.duration().after_start()
    }
}

/// Returns true if each host would post to all of this many destinations, as its messages complete.
fn meets_all(spec: &PatternSpec, destinations: usize) -> bool {
    let PatternSpec::Synthetic(spec) = spec else { return false };
    let closed = matches!(spec.arrivals, ArrivalSpec::Closed { .. });
    closed
        && match spec.destinations {
            DestinationSpec::AllToAll => {
                spec.messages.is_none_or(|messages| messages as usize + 1 >= destinations)
            }
            DestinationSpec::Uniform => spec.messages.is_none(),
            DestinationSpec::OtherRacks
            | DestinationSpec::Permutation
            | DestinationSpec::Shift(_)
            | DestinationSpec::Bits(_) => false,
        }
}

fn pairs(sources: &BTreeSet<NodeId>, destinations: &BTreeSet<NodeId>) -> usize {
    sources.len() * destinations.len() - sources.intersection(destinations).count()
}
