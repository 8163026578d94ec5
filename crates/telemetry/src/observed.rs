//! Series of single ports and sources, and the log of pauses, as far as the scenario asks for them.
//!
//! Invariant: samples stand in order of time, and at each time in the order of their objects. Counts are taken over
//! the interval that ends at the sample; all other values are taken at its instant.

use units::{Bytes, Rate, Span, Time};

/// Samples of outputs and lanes.
#[derive(Clone, Debug, Default)]
pub struct PortSeries {
    /// Index of each lane in the record, in order.
    pub lanes: Vec<u32>,
    /// Samples, in order of time: at each sample of the run an entry for each lane.
    pub samples: Vec<PortSample>,
}

/// An output and lane, and the input buffer of its port, at a sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PortSample {
    /// Bytes that wait in the switch for this output; `None` at an adapter, which makes packets as they leave.
    pub queue: Option<u32>,
    /// Bytes in the input buffer.
    pub held: u32,
    /// Packets marked at this output.
    pub marked: u32,
    /// Bytes sent.
    pub sent: Bytes,
    /// Time for which packets waited with the wire free, for credit or the end of a pause.
    pub stalled: Span,
}

state_codec::value!(PortSample { queue, held, marked, sent, stalled });

/// Samples of flows at their sources.
#[derive(Clone, Debug, Default)]
pub struct SourceSeries {
    /// Index of each flow in the record, in order.
    pub flows: Vec<u32>,
    /// Samples, in order of time: at each sample of the run an entry for each flow.
    pub samples: Vec<SourceSample>,
}

/// The control of a flow at a sample. A quantity that its response does not have is `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SourceSample {
    /// Payload that the destination's host took.
    pub delivered: Bytes,
    /// Largest rate that the rate or the delay allows.
    pub rate: Option<Rate>,
    /// Target of the rate (DCQCN `R_T`).
    pub target: Option<Rate>,
    /// Estimate of congestion (DCQCN alpha).
    pub alpha: Option<f64>,
    /// Delay after each packet, in times that this packet takes on the wire.
    pub delay: Option<f64>,
    /// Window, in packets.
    pub window: Option<u32>,
    /// Index into the congestion control table.
    pub ccti: Option<u16>,
}

state_codec::value!(SourceSample { delivered, rate, target, alpha, delay, window, ccti });

const _: () = assert!(size_of::<PortSample>() <= PortSample::SIZE, "the estimate of memory counts on it");
const _: () = assert!(size_of::<SourceSample>() <= SourceSample::SIZE, "the estimate of memory counts on it");
const _: () = assert!(size_of::<PauseEvent>() <= PauseEvent::SIZE, "the estimate of memory counts on it");

impl PortSample {
    /// Memory of a sample, in bytes.
    pub const SIZE: usize = 40;
}

impl SourceSample {
    /// Memory of a sample, in bytes.
    pub const SIZE: usize = 88;
}

/// Changes of outputs that pauses stop.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PauseEvents {
    /// Changes that were kept, in order of time, then lane.
    pub events: Vec<PauseEvent>,
    /// Number of changes that were not kept.
    pub lost: u64,
}

/// A pause that took effect on an output and lane, or ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PauseEvent {
    /// Time of the change.
    pub at: Time,
    /// Index of the lane in the record.
    pub lane: u32,
    /// True if a pause took effect, false if it ended.
    pub paused: bool,
}

impl PauseEvent {
    /// Memory of an event, in bytes.
    pub const SIZE: usize = 16;
}

impl PortSeries {
    /// Keeps the samples of these lanes, given by their places in `lanes` in ascending order.
    pub fn retain(&mut self, kept: &[usize]) {
        self.samples = retained(&self.samples, self.lanes.len(), kept);
        self.lanes = kept.iter().map(|place| self.lanes[*place]).collect();
    }
}

impl SourceSeries {
    /// Keeps the samples of these flows, given by their places in `flows` in ascending order.
    pub fn retain(&mut self, kept: &[usize]) {
        self.samples = retained(&self.samples, self.flows.len(), kept);
        self.flows = kept.iter().map(|place| self.flows[*place]).collect();
    }
}

/// Returns the columns `kept` of samples that have `width` columns.
fn retained<T: Copy>(samples: &[T], width: usize, kept: &[usize]) -> Vec<T> {
    // A series of no objects has no samples, but a width of 0 is not allowed.
    let rows = samples.chunks_exact(width.max(1));
    rows.flat_map(|row| kept.iter().map(|place| row[*place])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_of_other_lanes_go() {
        let sample = |sent| PortSample { sent: Bytes::new(sent), ..PortSample::default() };
        let mut series = PortSeries { lanes: vec![4, 7, 9], samples: (0..6).map(sample).collect() };
        series.retain(&[0, 2]);
        assert_eq!(series.lanes, [4, 9]);
        let sent: Vec<_> = series.samples.iter().map(|sample| sample.sent.get()).collect();
        assert_eq!(sent, [0, 2, 3, 5]);
        series.retain(&[]);
        assert!(series.lanes.is_empty() && series.samples.is_empty());
    }
}
