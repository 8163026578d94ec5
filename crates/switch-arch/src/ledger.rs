//! How much waits from where to where: the one count that markers and reports read.
//!
//! Invariant: a packet is in the ledger from the time it is ready to leave until it starts to. What
//! still streams out of its buffer no longer waits.

use cc_policies::policy::{Place, QueueView};
use packet::{Lane, PortId};
use units::Bytes;

/// Bytes that wait, by virtual output queue and by output and lane.
#[derive(Clone, Debug)]
pub struct Ledger {
    ports: usize,
    lanes: usize,
    /// By (output, lane, input).
    voq: Vec<u32>,
    /// By (output, lane).
    outputs: Vec<OutputCount>,
}

#[derive(Clone, Copy, Debug, Default)]
struct OutputCount {
    bytes: u64,
    inputs: u32,
}

impl Ledger {
    /// An empty ledger for a switch of this many ports and lanes.
    #[must_use]
    pub fn new(ports: usize, lanes: usize) -> Self {
        Self {
            ports,
            lanes,
            voq: vec![0; ports * ports * lanes],
            outputs: vec![OutputCount::default(); ports * lanes],
        }
    }

    /// A packet of this length on the wire now waits at `place`.
    #[inline(always)]
    pub fn add(&mut self, place: Place, length: u16) -> QueueView {
        let (voq, output) = self.at(place);
        output.inputs += u32::from(*voq == 0);
        *voq += u32::from(length);
        output.bytes += u64::from(length);
        Self::view(*voq, *output)
    }

    /// A packet of this length on the wire no longer waits at `place`.
    ///
    /// # Panics
    /// If more is taken away than waits there.
    #[inline(always)]
    pub fn remove(&mut self, place: Place, length: u16) -> QueueView {
        let (voq, output) = self.at(place);
        *voq = voq.checked_sub(u32::from(length)).expect("what leaves a queue was in it");
        output.inputs -= u32::from(*voq == 0);
        output.bytes -= u64::from(length);
        Self::view(*voq, *output)
    }

    /// What waits for an output and lane, over all inputs.
    #[must_use]
    pub fn waiting(&self, output: PortId, lane: Lane) -> Bytes {
        Bytes::new(self.outputs[output.index() * self.lanes + lane.index()].bytes)
    }

    /// Whether something that came by an input waits for an output, on this lane.
    #[must_use]
    pub fn waits(&self, Place { input, output, lane }: Place) -> bool {
        self.voq[(output.index() * self.lanes + lane.index()) * self.ports + input.index()] > 0
    }

    #[inline]
    fn at(&mut self, place: Place) -> (&mut u32, &mut OutputCount) {
        let output = place.output.index() * self.lanes + place.lane.index();
        (&mut self.voq[output * self.ports + place.input.index()], &mut self.outputs[output])
    }

    fn view(voq: u32, output: OutputCount) -> QueueView {
        QueueView {
            voq: Bytes::new(u64::from(voq)),
            sum: Bytes::new(output.bytes),
            inputs: output.inputs,
            wire_busy: false, // The ledger does not know; the switch does.
        }
    }
}
