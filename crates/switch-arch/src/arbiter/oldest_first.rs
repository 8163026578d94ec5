//! Oldest first: of all that could move, what came in first goes first.
//!
//! Invariant: no packet is passed over for one whose tail came in later, unless it could not move. Of two
//! whose tails came in at one instant, the one at the lower input goes first, then the one for the lower output.

use packet::PortId;
use units::Time;

use super::{Arbiter, Requests};

/// What came in first goes first.
#[derive(Clone, Debug)]
pub struct OldestFirst {
    /// When the oldest packet of each request came in, and at which input; none if the request is done with.
    oldest: Vec<Option<(Time, PortId)>>,
}

impl OldestFirst {
    /// For a switch of this many ports.
    #[must_use]
    pub fn new(ports: usize) -> Self {
        Self { oldest: Vec::with_capacity(ports) }
    }

    /// The request whose packet is the oldest of all, and that packet's input.
    fn first(&self) -> Option<(usize, PortId)> {
        let open = self.oldest.iter().enumerate().filter_map(|(index, oldest)| Some((index, (*oldest)?)));
        open.min_by_key(|(_, age)| *age).map(|(index, (_, input))| (index, input))
    }
}

fn oldest<const WORDS: usize>(index: usize, requests: &impl Requests<WORDS>) -> Option<(Time, PortId)> {
    let contenders = requests.request(index).contenders;
    contenders.map(|input| (requests.since(index, input), input)).min()
}

impl Arbiter for OldestFirst {
    // Apart, so that switches that take turns do not carry its code in their loop.
    #[inline(never)]
    fn matching<const WORDS: usize>(&mut self, requests: &mut impl Requests<WORDS>) {
        self.oldest.clear();
        self.oldest.extend((0..requests.len()).map(|index| oldest(index, requests)));
        while let Some((index, input)) = self.first() {
            if requests.request(index).contenders.contains(input) {
                requests.grant(index, input);
                self.oldest[index] = None;
            } else {
                // A grant since has taken the input: its turn comes with the next oldest.
                self.oldest[index] = oldest(index, requests);
            }
        }
    }
}
