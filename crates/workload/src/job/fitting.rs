//! Messages to a rank that receives from any rank or with any tag, against its receives.
//!
//! Invariant: what is refused fits in no run: some message finds no receive of its size that may take it, or some
//! receive no message. Sizes are compared one by one, since a receive takes a message of its own size only. What is
//! accepted may still not fit, by the order in which messages come.

use std::collections::{BTreeMap, BTreeSet};

use super::channel::Channel;
use super::graph::{OperationId, Programs};
use super::mismatch::{Mismatch, NamedOperation};

/// Sends or receives that are alike: their number, and the first, by rank and number.
type Alike = (u64, (u32, OperationId));

/// Sends or receives by size and channel.
type ByKind = BTreeMap<(u64, Channel), Alike>;

/// The messages to a rank, and its receives.
pub(super) struct Fitting<'a> {
    programs: &'a Programs,
    rank: u32,
    sends: ByKind,
    receives: ByKind,
}

impl<'a> Fitting<'a> {
    pub(super) const fn new(programs: &'a Programs, rank: u32) -> Self {
        Self { programs, rank, sends: BTreeMap::new(), receives: BTreeMap::new() }
    }

    /// Adds a message: its source and tag, and its number at the source.
    pub(super) fn send(&mut self, channel: Channel, id: OperationId) {
        let bytes = self.programs.ranks[channel.peer as usize].message_bytes(id);
        self.sends.entry((bytes, channel)).or_insert((0, (channel.peer, id))).0 += 1;
    }

    /// Adds a receive.
    pub(super) fn receive(&mut self, channel: Channel, id: OperationId) {
        let bytes = self.programs.ranks[self.rank as usize].message_bytes(id);
        self.receives.entry((bytes, channel)).or_insert((0, (self.rank, id))).0 += 1;
    }

    /// Looks for a send or a receive that is left over in every run. There are as many of both.
    pub(super) fn check(&self) -> Result<(), Mismatch> {
        self.sizes()?;
        let mut rest = self.sends.clone();
        // A receive of one source and tag takes no other message, whichever comes first.
        for ((bytes, channel), (count, first)) in &self.receives {
            if !channel.is_wild() {
                let sends = rest.get(&(*bytes, *channel)).map_or(0, |(sends, _)| *sends);
                if sends < *count {
                    return Err(self.no_fit(*first, (sends, *count), *channel, *bytes));
                }
                rest.entry((*bytes, *channel)).or_insert((0, *first)).0 -= count;
            }
        }
        let mut takable: BTreeMap<(u64, Channel), u64> = BTreeMap::new();
        for ((bytes, channel), (count, _)) in &rest {
            for channel in open(*channel) {
                *takable.entry((*bytes, channel)).or_default() += count;
            }
        }
        for ((bytes, channel), (count, first)) in &self.receives {
            let sends = takable.get(&(*bytes, *channel)).copied().unwrap_or(0);
            if channel.is_wild() && sends < *count {
                return Err(self.no_fit(*first, (sends, *count), *channel, *bytes));
            }
        }
        for ((bytes, channel), (count, first)) in &rest {
            let open = open(*channel)
                .map(|channel| self.receives.get(&(*bytes, channel)).map_or(0, |(count, _)| *count));
            let receives: u64 = open.iter().sum();
            if receives < *count {
                let exact = self.receives.get(&(*bytes, *channel)).map_or(0, |(count, _)| *count);
                return Err(self.no_fit(*first, (count + exact, receives + exact), *channel, *bytes));
            }
        }
        Ok(())
    }

    /// Looks for a size with more receives than messages, and names one of these receives with a message of another
    /// size that has too few receives.
    fn sizes(&self) -> Result<(), Mismatch> {
        let mut counts: BTreeMap<u64, (u64, u64)> = BTreeMap::new();
        for ((bytes, _), (count, _)) in &self.sends {
            counts.entry(*bytes).or_default().0 += count;
        }
        for ((bytes, _), (count, _)) in &self.receives {
            counts.entry(*bytes).or_default().1 += count;
        }
        let is_short = |bytes: u64| counts[&bytes].0 < counts[&bytes].1;
        let is_left = |bytes: u64| counts[&bytes].0 > counts[&bytes].1;
        let left = || self.sends.iter().filter(|((bytes, _), _)| is_left(*bytes));
        let short = || self.receives.iter().filter(|((bytes, _), _)| is_short(*bytes));
        // The first pairs are enough to find one that fits otherwise, if the file has a single mistake.
        let pairs = || left().flat_map(|send| short().map(move |receive| (send, receive))).take(1 << 16);
        let fitting = pairs().find(|((sent, _), (received, _))| received.1.takes(sent.1));
        let Some(((sent, send), (received, receive))) = fitting.or_else(|| pairs().next()) else {
            return Ok(());
        };
        let named = |(_, (rank, id)): &Alike| NamedOperation::new(self.programs, *rank, *id);
        Err(Mismatch::Size { send: named(send), receive: named(receive), sent: sent.0, received: received.0 })
    }

    fn no_fit(
        &self,
        (rank, id): (u32, OperationId),
        (sends, receives): (u64, u64),
        Channel { peer, tag }: Channel,
        bytes: u64,
    ) -> Mismatch {
        let operation = NamedOperation::new(self.programs, rank, id);
        Mismatch::NoFit { operation, sends, receives, channel: (peer, self.rank, tag), bytes }
    }
}

/// The channels of a rank on which receives from any rank or with any tag may take messages.
pub(super) struct Contested(BTreeSet<Channel>);

impl Contested {
    /// Returns them, by the channels of the rank's receives.
    pub(super) fn of(receives: &[Channel]) -> Self {
        Self(receives.iter().copied().filter(|channel| channel.is_wild()).collect())
    }

    /// Returns true if messages of this channel may go to such receives, or if it is a channel of such receives.
    pub(super) fn has(&self, channel: Channel) -> bool {
        !self.0.is_empty() && (channel.is_wild() || open(channel).iter().any(|open| self.0.contains(open)))
    }
}

/// Returns the sources and tags, with any of one or both, of receives that take a message.
const fn open(Channel { peer, tag }: Channel) -> [Channel; 3] {
    let any = Channel::ANY;
    [Channel { peer: any, tag }, Channel { peer, tag: any }, Channel { peer: any, tag: any }]
}
