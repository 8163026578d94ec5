//! The trait of arbiters, the requests of an instant, and the grants.
//!
//! Invariant: an arbiter sees only which inputs contend for which outputs. It grants an output to no more than a single
//! input. [`Requests`] keeps the reads of an input within the read bandwidth of its buffer.

use packet::{Lane, PortId};
use units::Time;

use crate::tables::PortSet;

/// An output that could send now, and the inputs with a packet for it.
#[derive(Clone, Copy, Debug)]
pub struct Request<const WORDS: usize = 4> {
    /// The output.
    pub output: PortId,
    /// Lane chosen for the output's next packet.
    pub lane: Lane,
    /// Inputs with a packet for this output and lane that fits the credit.
    pub contenders: PortSet<WORDS>,
}

state_codec::value!([const WORDS: usize] Request<WORDS> { output, lane, contenders });

/// A match: `input` sends to `output` now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grant {
    /// The input.
    pub input: PortId,
    /// The output.
    pub output: PortId,
    /// The lane.
    pub lane: Lane,
}

state_codec::value!(Grant { input, output, lane });

/// The requests at a switch in an instant, and the grants so far.
pub trait Requests<const WORDS: usize> {
    /// Returns the number of requests.
    fn count(&self) -> usize;

    /// Returns a request as it stands after the grants so far, without inputs that have no read bandwidth left.
    fn request(&self, index: usize) -> Request<WORDS>;

    /// Returns the time at which the tail of a contender's packet came in, or will have.
    fn since(&self, index: usize, input: PortId) -> Time;

    /// Grants a request to `input`, which contends for it.
    fn grant(&mut self, index: usize, input: PortId);
}

/// An arbiter of a switch.
pub trait Arbiter {
    /// Grants the requests that shall be served in this instant.
    fn matching<const WORDS: usize>(&mut self, requests: &mut impl Requests<WORDS>);
}
