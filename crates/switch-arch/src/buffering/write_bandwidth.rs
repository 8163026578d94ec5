//! Write bandwidth of each output's queues, behind the crossbar of
//! [`CombinedInputOutput`](super::CombinedInputOutput).
//!
//! Invariant: no output is written faster than its limit, except by a single packet, which is written at the rate of
//! its wire.

use link_layer::LaneSet;
use packet::{Lane, PortId};
use units::Rate;

/// Write bandwidth of all outputs.
#[derive(Clone, Debug)]
pub(crate) struct WriteBandwidth {
    /// By output.
    outputs: Box<[OutputWriter]>,
}

state_codec::state!(WriteBandwidth { outputs: part });

/// Write side of an output's queues.
#[derive(Clone, Debug)]
struct OutputWriter {
    /// Lane of the packet that was the last to start to cross.
    last: Lane,
    /// Write bandwidth in use, in bit/s.
    writing: u64,
    /// Write bandwidth available, in bit/s.
    limit: u64,
}

state_codec::state!(OutputWriter { last, writing, limit: plan });

impl WriteBandwidth {
    /// Creates the state of outputs that are not written. `limits` is the write bandwidth of each, in bit/s.
    pub(super) fn new(limits: &[u64]) -> Self {
        let writer = |limit: &u64| OutputWriter { last: Lane(0), writing: 0, limit: *limit };
        Self { outputs: limits.iter().map(writer).collect() }
    }

    /// Returns true if `output` can be written at `rate` in addition to the present writes. An idle output always can.
    #[inline]
    pub(crate) fn can_write(&self, output: PortId, rate: Rate) -> bool {
        let OutputWriter { writing, limit, .. } = self.outputs[output.index()];
        writing == 0 || writing + rate.get() <= limit
    }

    /// Returns the write bandwidth of `output`, in bit/s.
    #[inline]
    pub(crate) fn limit(&self, output: PortId) -> u64 {
        self.outputs[output.index()].limit
    }

    /// Returns the next lane in turn of those that are ready to cross to `output`.
    #[inline]
    pub(crate) fn next_lane(&self, output: PortId, ready: LaneSet) -> Option<Lane> {
        ready.next_after(self.outputs[output.index()].last)
    }

    /// Starts the write of a packet on `lane` of `output` at `rate`.
    #[inline]
    pub(crate) fn start(&mut self, output: PortId, lane: Lane, rate: Rate) {
        let writer = &mut self.outputs[output.index()];
        writer.last = lane;
        writer.writing += rate.get();
    }

    /// Ends the write of a packet at `rate`, once its tail has crossed.
    #[inline]
    pub(crate) fn end(&mut self, output: PortId, rate: Rate) {
        self.outputs[output.index()].writing -= rate.get();
    }
}
