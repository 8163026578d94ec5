//! Oldest first: of all packets that could move, the first to have come in wins.
//!
//! Invariant: a packet is passed over for a younger packet only if it could not move. The age of a packet is the time
//! at which its tail came in. Among packets of the same age the lowest input wins, then the lowest output.

use packet::PortId;
use units::Time;

use super::arbiter::{Arbiter, Requests};

/// The packet that came in first wins.
#[derive(Clone, Debug)]
pub struct OldestFirst {
    /// Arrival and input of each request's oldest packet; `None` once the request is settled.
    oldest: Vec<Option<(Time, PortId)>>,
}

state_codec::state!(OldestFirst { oldest });

impl OldestFirst {
    /// Creates an arbiter for a switch of this many ports.
    #[must_use]
    pub fn new(ports: usize) -> Self {
        Self { oldest: Vec::with_capacity(ports) }
    }

    /// Returns the index of the request with the oldest packet of all, and that packet's input.
    fn first(&self) -> Option<(usize, PortId)> {
        let open = self.oldest.iter().enumerate().filter_map(|(index, oldest)| Some((index, (*oldest)?)));
        open.min_by_key(|(_, age)| *age).map(|(index, (_, input))| (index, input))
    }
}

/// Returns arrival and input of a request's oldest packet.
fn oldest<const WORDS: usize>(index: usize, requests: &impl Requests<WORDS>) -> Option<(Time, PortId)> {
    let contenders = requests.request(index).contenders;
    contenders.map(|input| (requests.since(index, input), input)).min()
}

impl Arbiter for OldestFirst {
    // Not inlined: a switch with round robin does not carry this code in its loop.
    #[inline(never)]
    fn matching<const WORDS: usize>(&mut self, requests: &mut impl Requests<WORDS>) {
        self.oldest.clear();
        self.oldest.extend((0..requests.count()).map(|index| oldest(index, requests)));
        while let Some((index, input)) = self.first() {
            if requests.request(index).contenders.contains(input) {
                requests.grant(index, input);
                self.oldest[index] = None;
            } else {
                // An earlier grant has taken the input: the request continues with its next oldest packet.
                self.oldest[index] = oldest(index, requests);
            }
        }
    }
}
