//! Lengths of the packets of flows, on which selectors that spare short packets depend.
//!
//! Invariant: no packet of a flow is longer in a run than here.

use link_layer::LinkPlan;
use packet::{Mtu, Opcode};
use units::Bytes;
use workload::{Flow, MessageSchedule, Operation, Posting, Workload};

use crate::ideal;
use crate::plan::Plan;

/// Lengths of packets on a link, from the first header to the last check sequence.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PacketLengths<'a> {
    pub(crate) link: &'a LinkPlan,
    pub(crate) workload: &'a Workload,
}

impl Plan {
    pub(crate) fn packet_lengths(&self) -> PacketLengths<'_> {
        PacketLengths { link: self.link(), workload: self.workload() }
    }

    /// Returns the length of the longest data packet that a flow can send, from its first header to its last check
    /// sequence.
    #[must_use]
    pub fn longest_data_packet(&self, flow: &Flow) -> Bytes {
        self.packet_lengths().data(flow)
    }
}

impl PacketLengths<'_> {
    /// Returns the length of the longest packet from a flow's source to its destination.
    pub(crate) fn data(self, flow: &Flow) -> Bytes {
        let mtu = self.link.mtu;
        let message = self.longest_message(flow);
        // A message of several packets may have a longer header in its first or last packet than one of a single
        // packet.
        self.of_message(flow, message).max(self.of_message(flow, message.min(Bytes::from(mtu))))
    }

    /// Returns the length of the longest packet from a flow's destination to its source: acknowledgements,
    /// notifications, and requests of READs.
    pub(crate) fn answers(self, flow: &Flow) -> Bytes {
        let request = (flow.operation == Operation::RdmaRead).then_some(Opcode::ReadRequest);
        let opcodes = [Some(Opcode::Acknowledge), Some(Opcode::Cnp), request];
        opcodes.into_iter().flatten().map(|opcode| self.of(flow, opcode, 0)).max().unwrap_or_default()
    }

    fn of_message(self, flow: &Flow, size: Bytes) -> Bytes {
        let mtu: Mtu = self.link.mtu;
        let message = ideal::message(flow, size, mtu);
        let last = message.end - 1;
        // Packets between the first and the last are alike.
        let segments = [0, last.min(1), last].map(|number| message.segment(number, mtu));
        segments.into_iter().map(|one| self.of(flow, one.opcode, one.payload)).max().unwrap_or_default()
    }

    fn of(self, flow: &Flow, opcode: Opcode, payload: u16) -> Bytes {
        Bytes::new(u64::from(self.link.framing.bytes(flow.transport, opcode, payload)))
    }

    fn longest_message(self, flow: &Flow) -> Bytes {
        match &flow.posting {
            Posting::Scheduled(
                MessageSchedule::Saturate { message, .. } | MessageSchedule::Paced { message, .. },
            ) => *message,
            Posting::Scheduled(MessageSchedule::Listed(messages)) => {
                messages.iter().map(|message| message.bytes).max().unwrap_or_default()
            }
            Posting::Drawn { .. } => {
                let pattern = flow.pattern.map(|pattern| &self.workload.patterns[pattern as usize]);
                pattern.map_or_else(|| Bytes::from(self.link.mtu), |pattern| pattern.longest)
            }
            Posting::Job { job, .. } => {
                let pairs = &self.workload.jobs[*job as usize].pairs;
                let place = pairs.binary_search_by_key(&flow.numbers, |pair| (pair.from, pair.to));
                Bytes::new(place.map_or(0, |place| pairs[place].longest))
            }
        }
    }
}
