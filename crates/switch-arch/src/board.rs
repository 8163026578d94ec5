//! The requests of one instant, as the arbiter sees them.
//!
//! Invariant: no grant lets an input be read faster than it can be.

use packet::{PacketPool, PortId, VoqId};
use units::{Rate, Time};

use crate::arbiter::{Grant, Request, Requests};
use crate::buffering::AnyBuffering;
use crate::ledger::Ledger;
use crate::port::SwitchPort;
use crate::readers::Readers;

/// The requests of one instant, and the watch over what inputs can be read for.
pub(crate) struct Board<'a, const WORDS: usize> {
    pub(crate) requests: &'a [Request<WORDS>],
    pub(crate) ports: &'a [SwitchPort],
    pub(crate) buffering: &'a AnyBuffering,
    pub(crate) ledger: &'a Ledger<WORDS>,
    pub(crate) packets: &'a PacketPool,
    pub(crate) readers: &'a mut Readers<WORDS>,
    pub(crate) grants: &'a mut Vec<Grant>,
}

impl<const WORDS: usize> Board<'_, WORDS> {
    /// Grants every request to its contender: outputs that do not read at inputs do not compete.
    // Apart, so that switches with an arbiter do not carry its code in their loop.
    #[inline(never)]
    pub(crate) fn grant_all(&mut self) {
        for index in 0..self.requests.len() {
            let mut contenders = self.requests[index].contenders;
            let input = contenders.pop().expect("what asks has something to send");
            self.grant(index, input);
        }
    }

    fn rate(&self, output: PortId) -> Rate {
        self.ports[output.index()].link.wire().rate()
    }
}

impl<const WORDS: usize> Requests<WORDS> for Board<'_, WORDS> {
    fn len(&self) -> usize {
        self.requests.len()
    }

    fn request(&self, index: usize) -> Request<WORDS> {
        let request = self.requests[index];
        if self.grants.is_empty() {
            return request; // Nothing has been taken since it was made.
        }
        let contenders =
            self.readers.available(request.contenders, request.output, || self.rate(request.output));
        Request { contenders, ..request }
    }

    fn since(&self, index: usize, input: PortId) -> Time {
        let Request { output, lane, .. } = self.requests[index];
        self.packets[self.buffering.head(VoqId { input, output, lane }, self.ledger)].tail
    }

    fn grant(&mut self, index: usize, input: PortId) {
        let Request { output, lane, .. } = self.requests[index];
        self.readers.start(input, output, self.rate(output));
        self.grants.push(Grant { input, output, lane });
    }
}
