//! Tracks of a trace: of nodes with their ports, and of flows.
//!
//! Invariant: tracks stand in the order of nodes, ports and lanes, then of flows.

use std::collections::BTreeMap;
use std::io::{self, Write};

use packet::{FlowId, Lane, NodeId, PortId};
use scenario::Plan;
use traces::perfetto::{PerfettoWriter, TrackId};

/// Tracks of an output and lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct OutputTracks {
    /// Bytes that wait in the switch; `None` at an adapter.
    pub(super) queue: Option<TrackId>,
    /// Rate at which the output sends.
    pub(super) rate: TrackId,
    /// Waits with the wire free.
    pub(super) waits: TrackId,
    /// Pauses; `None` without PFC.
    pub(super) pauses: Option<TrackId>,
    /// Marks; `None` at an adapter, which marks nothing.
    pub(super) marks: Option<TrackId>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct FlowTracks {
    /// Groups the others. Rows of messages are made below it as they are needed.
    pub(super) group: TrackId,
    /// Notifications sent and received.
    pub(super) notifications: TrackId,
    /// Payload delivered over time.
    pub(super) goodput: TrackId,
}

#[derive(Debug)]
pub(super) struct Tracks {
    outputs: BTreeMap<(NodeId, PortId, Lane), OutputTracks>,
    flows: BTreeMap<FlowId, FlowTracks>,
}

impl Tracks {
    /// Describes the tracks of all ports and flows that the plan's `series` names.
    pub(super) fn new<W: Write>(plan: &Plan, writer: &mut PerfettoWriter<W>) -> io::Result<Self> {
        let mut tracks = Self { outputs: BTreeMap::new(), flows: BTreeMap::new() };
        let series = plan.series();
        for ports in series.ports.named.chunk_by(|one, next| one.0 == next.0) {
            let node = writer.track(None, plan.graph().name(ports[0].0))?;
            for port in ports {
                tracks.add_port(plan, *port, node, writer)?;
            }
        }
        for flow in &series.sources.named {
            let of = &plan.workload().flows[flow.index()];
            let [from, to] = [of.source, of.destination].map(|host| plan.graph().name(host));
            let group = writer.track(None, &format!("flow {}: {from} to {to}", of.name))?;
            let notifications = writer.track(Some(group), "notifications")?;
            let goodput = writer.counter(Some(group), "goodput", "bit/s")?;
            tracks.flows.insert(*flow, FlowTracks { group, notifications, goodput });
        }
        Ok(tracks)
    }

    fn add_port<W: Write>(
        &mut self,
        plan: &Plan,
        (node, port): (NodeId, PortId),
        parent: TrackId,
        writer: &mut PerfettoWriter<W>,
    ) -> io::Result<()> {
        let graph = plan.graph();
        let end = graph.ports(node)[port.index()];
        let number = graph.port_number((node, port));
        let name = format!("{}:{number} to {}", graph.name(node), graph.name(end.peer));
        let group = Some(writer.track(Some(parent), &name)?);
        let lanes = plan.nodes().port(node, port).capacity.len() as u8;
        let is_switch = !graph.is_host(node);
        for lane in (0..lanes).map(Lane) {
            let name = |what: &str| if lanes == 1 { what.to_owned() } else { format!("{what}, {lane}") };
            let queue = if is_switch { Some(writer.counter(group, &name("queue"), "B")?) } else { None };
            let rate = writer.counter(group, &name("rate"), "bit/s")?;
            let waits = writer.track(group, &name("waits"))?;
            let is_paused = !plan.link().has_credits();
            let pauses = if is_paused { Some(writer.track(group, &name("pauses"))?) } else { None };
            let marks = if is_switch { Some(writer.track(group, &name("marks"))?) } else { None };
            self.outputs.insert((node, port, lane), OutputTracks { queue, rate, waits, pauses, marks });
        }
        Ok(())
    }

    /// Returns the tracks of an output and lane, if the port is named.
    pub(super) fn output(&self, node: NodeId, port: PortId, lane: Lane) -> Option<OutputTracks> {
        self.outputs.get(&(node, port, lane)).copied()
    }

    /// Returns the tracks of a flow, if it is named.
    pub(super) fn flow(&self, flow: FlowId) -> Option<FlowTracks> {
        self.flows.get(&flow).copied()
    }
}
