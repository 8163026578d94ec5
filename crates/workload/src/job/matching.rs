//! The check of a job before its run: each send has a receive of its size, and no operations wait in a circle.
//!
//! Invariant: time is linear in operations and edges, apart from sorting the channels, and no recursion follows a
//! chain. Besides the programs, the check takes at most 20 bytes an operation.
//!
//! Sends and receives of a source, destination and tag are paired in the order of their posting, if the programs fix
//! it. Otherwise, and where a wildcard of the rank may take them, too, the run decides which message a receive takes:
//! there numbers and sizes are compared, and receives count as satisfied in the search for circles. So what is refused
//! never ends well.

use super::channel::Channel;
use super::fitting::{Contested, Fitting};
use super::graph::{Graph, OperationId, Programs, Work};
use super::mismatch::{Mismatch, NamedOperation};
use super::posting_order::{PostingOrder, is_led_to};
use super::replay::{NOBODY, Replay};

/// The findings of a check that found no fault.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Matched {
    /// Number of messages.
    pub messages: u64,
    /// Bytes of all messages.
    pub bytes: u128,
    /// Number of receives from any rank or with any tag.
    pub wildcards: u64,
    /// Two sends with one receiver and tag; neither is seen to wait for the other.
    pub unordered: Option<(NamedOperation, NamedOperation)>,
}

/// Checks the programs of a job. The `requires` of a send of more bytes than `rendezvous_above` also wait for the
/// receive to start; `None` if no send waits.
///
/// # Errors
/// If sends and receives differ in number or size, a rank does not exist, or operations wait in a circle.
pub fn check(programs: &Programs, rendezvous_above: Option<u64>) -> Result<Matched, Mismatch> {
    check_asking(programs, |_, _, bytes| rendezvous_above.is_some_and(|most| bytes > most))
}

/// Checks the programs of a job as [`check`] does. `asks` tells of a send, by its rank, its receiver and its bytes,
/// whether it waits for the receive to start.
///
/// # Errors
/// As of [`check`].
pub fn check_asking(programs: &Programs, asks: impl Fn(u32, u32, u64) -> bool) -> Result<Matched, Mismatch> {
    let (partners, matched) = pair(programs)?;
    Replay::new(programs, partners, asks).run()?;
    Ok(matched)
}

/// Sends of one source, destination and tag.
#[derive(Clone, Copy)]
struct SendList {
    to: u32,
    from: u32,
    tag: u32,
    /// Place among the source's channels.
    channel: u32,
}

impl SendList {
    /// Returns the channel as its receiver has it.
    const fn channel(&self) -> Channel {
        Channel { peer: self.from, tag: self.tag }
    }
}

/// Operations of a rank by channel, in order.
struct ByChannel {
    first: Vec<u32>,
    operations: Vec<OperationId>,
    /// By channel: true if every run posts them in this order.
    ordered: Vec<bool>,
}

/// Finds the partner of each operation, by rank and number.
fn pair(programs: &Programs) -> Result<(Vec<Vec<OperationId>>, Matched), Mismatch> {
    let ranks = programs.ranks.len() as u32;
    let mut matched = Matched::default();
    let mut partners: Vec<Vec<OperationId>> = Vec::new();
    let mut sends = Vec::new();
    let mut lists = Vec::new();
    for (graph, rank) in programs.ranks.iter().zip(0..) {
        in_range(programs, graph, rank, ranks)?;
        partners.push(vec![NOBODY; graph.operations()]);
        let by_channel = ByChannel::of(graph, graph.send_channels().len(), true);
        matched.unordered = matched.unordered.or_else(|| by_channel.unordered(programs, graph, rank));
        sends.push(by_channel);
        lists.extend(graph.send_channels().iter().zip(0..).map(|(to, channel)| SendList {
            to: to.peer,
            from: rank,
            tag: to.tag,
            channel,
        }));
    }
    lists.sort_unstable_by_key(|list| (list.to, list.from, list.tag));
    for (graph, rank) in programs.ranks.iter().zip(0..) {
        let to_it =
            lists.partition_point(|list| list.to < rank)..lists.partition_point(|list| list.to <= rank);
        let pairing = Pairing { programs, sends: &sends, lists: &lists[to_it], graph, rank };
        pairing.run(&mut partners, &mut matched)?;
    }
    Ok((partners, matched))
}

/// Refuses messages from or to ranks that the job does not have.
fn in_range(programs: &Programs, graph: &Graph, rank: u32, ranks: u32) -> Result<(), Mismatch> {
    let beyond = |channel: &Channel| channel.peer >= ranks && channel.peer != Channel::ANY;
    if !graph.send_channels().iter().chain(&*graph.receive_channels()).any(beyond) {
        return Ok(());
    }
    let names = |work: Work| match work {
        Work::Send { to: peer, .. } | Work::Receive { from: Some(peer), .. } => peer >= ranks,
        Work::Receive { from: None, .. } | Work::Compute { .. } => false,
    };
    let wrong = (0..graph.operations() as u32).find(|id| names(graph.operation(*id).work));
    let operation = NamedOperation::new(programs, rank, wrong.expect("a channel has an operation"));
    Err(Mismatch::NoRank { operation, ranks })
}

/// The messages to one rank.
struct Pairing<'a> {
    programs: &'a Programs,
    sends: &'a [ByChannel],
    /// Sends to the rank, by source and tag.
    lists: &'a [SendList],
    graph: &'a Graph,
    rank: u32,
}

impl Pairing<'_> {
    fn run(&self, partners: &mut [Vec<OperationId>], matched: &mut Matched) -> Result<(), Mismatch> {
        let receives = ByChannel::of(self.graph, self.graph.receive_channels().len(), false);
        let sent: u64 = self.lists.iter().map(|list| self.sent(*list).len() as u64).sum();
        for list in self.lists {
            let graph = &self.programs.ranks[list.from as usize];
            matched.bytes +=
                self.sent(*list).iter().map(|id| u128::from(graph.message_bytes(*id))).sum::<u128>();
        }
        matched.messages += sent;
        let channels = self.graph.receive_channels();
        let wild = channels.iter().zip(0..).filter(|(channel, _)| channel.is_wild());
        matched.wildcards += wild.map(|(_, place)| receives.of_channel(place).len() as u64).sum::<u64>();
        let contested = Contested::of(&channels);
        let own = channels.iter().copied().zip(0..).filter(|(channel, _)| !contested.has(*channel));
        let mut own: Vec<(Channel, u32)> = own.collect();
        own.sort_unstable();
        let lists = self.lists.iter().filter(|list| !contested.has(list.channel()));
        let (mut lists, mut own) = (lists.peekable(), own.into_iter().peekable());
        loop {
            let next = lists.peek().map(|list| list.channel());
            let next = next.into_iter().chain(own.peek().map(|(channel, _)| *channel)).min();
            let Some(next) = next else { break };
            let list = lists.next_if(|list| list.channel() == next);
            let received = own.next_if(|(channel, _)| *channel == next);
            let is_ordered = list
                .is_none_or(|list| self.sends[list.from as usize].ordered[list.channel as usize])
                && received.is_none_or(|(_, place)| receives.ordered[place as usize]);
            let sent = list.map_or(&[][..], |list| self.sent(*list));
            let received = received.map_or(&[][..], |(_, place)| receives.of_channel(place));
            if !is_ordered && sent.len() == received.len() {
                self.fit_sizes(next.peer, sent, received)?;
            } else {
                self.pair(next, sent, received, partners)?;
            }
        }
        self.fit(&contested, &receives, sent)
    }

    /// Compares the messages that receives from any rank or with any tag may take, and the receives that may take them.
    fn fit(&self, contested: &Contested, receives: &ByChannel, sent: u64) -> Result<(), Mismatch> {
        let received = receives.operations.len() as u64;
        // All others are as many.
        if sent != received {
            return Err(Mismatch::Number { rank: self.rank, sends: sent, receives: received });
        }
        let mut fitting = Fitting::new(self.programs, self.rank);
        for list in self.lists.iter().filter(|list| contested.has(list.channel())) {
            self.sent(*list).iter().for_each(|id| fitting.send(list.channel(), *id));
        }
        let channels = self.graph.receive_channels();
        for (channel, place) in channels.iter().zip(0..).filter(|(channel, _)| contested.has(**channel)) {
            receives.of_channel(place).iter().for_each(|id| fitting.receive(*channel, *id));
        }
        fitting.check()
    }

    fn sent(&self, list: SendList) -> &[OperationId] {
        self.sends[list.from as usize].of_channel(list.channel)
    }

    /// Pairs the sends of a source and tag with their receives.
    fn pair(
        &self,
        Channel { peer: source, tag }: Channel,
        sent: &[OperationId],
        received: &[OperationId],
        partners: &mut [Vec<OperationId>],
    ) -> Result<(), Mismatch> {
        let named = |rank, id| NamedOperation::new(self.programs, rank, id);
        let graph = &self.programs.ranks[source as usize];
        for (send, receive) in sent.iter().zip(received) {
            let sizes = (graph.message_bytes(*send), self.graph.message_bytes(*receive));
            if sizes.0 != sizes.1 {
                let (send, receive) = (named(source, *send), named(self.rank, *receive));
                return Err(Mismatch::Size { send, receive, sent: sizes.0, received: sizes.1 });
            }
            partners[source as usize][*send as usize] = *receive;
            partners[self.rank as usize][*receive as usize] = *send;
        }
        let (sends, receives) = (sent.len() as u64, received.len() as u64);
        let channel = (source, self.rank, tag);
        if let Some(send) = sent.get(received.len()) {
            return Err(Mismatch::NoReceive { send: named(source, *send), sends, receives, channel });
        }
        if let Some(receive) = received.get(sent.len()) {
            return Err(Mismatch::NoSend { receive: named(self.rank, *receive), sends, receives, channel });
        }
        Ok(())
    }
}

impl Pairing<'_> {
    /// Compares the sizes of sends and receives, as many of both, that the run pairs.
    fn fit_sizes(&self, source: u32, sent: &[OperationId], received: &[OperationId]) -> Result<(), Mismatch> {
        let by_size = |graph: &Graph, ids: &[OperationId]| {
            let mut all: Vec<(u64, OperationId)> =
                ids.iter().map(|id| (graph.message_bytes(*id), *id)).collect();
            all.sort_unstable();
            all
        };
        let sent = by_size(&self.programs.ranks[source as usize], sent);
        let received = by_size(self.graph, received);
        match sent.into_iter().zip(received).find(|(send, receive)| send.0 != receive.0) {
            None => Ok(()),
            Some(((sent, send), (received, receive))) => {
                let send = NamedOperation::new(self.programs, source, send);
                let receive = NamedOperation::new(self.programs, self.rank, receive);
                Err(Mismatch::Size { send, receive, sent, received })
            }
        }
    }
}

impl ByChannel {
    /// Sorts the sends or the receives of a rank.
    fn of(graph: &Graph, channels: usize, sends: bool) -> Self {
        let place = |id: OperationId| {
            let is_send = matches!(graph.operation(id).work, Work::Send { .. });
            graph.channel(id).filter(|_| is_send == sends).map(|channel| channel as usize)
        };
        let mut first = vec![0_u32; channels + 1];
        (0..graph.operations() as u32).filter_map(place).for_each(|channel| first[channel + 1] += 1);
        for channel in 0..channels {
            first[channel + 1] += first[channel];
        }
        let mut next = first.clone();
        let mut operations = vec![0; first[channels] as usize];
        let mut enter = |id: OperationId| {
            if let Some(channel) = place(id) {
                operations[next[channel] as usize] = id;
                next[channel] += 1;
            }
        };
        match order(graph) {
            None => (0..graph.operations() as u32).for_each(&mut enter),
            Some(order) => order.into_iter().for_each(&mut enter),
        }
        let mut by_channel = Self { first, operations, ordered: Vec::new() };
        let mut order = PostingOrder::of(graph);
        let ordered = (0..channels as u32).map(|channel| order.has(by_channel.of_channel(channel)));
        by_channel.ordered = ordered.collect();
        by_channel
    }

    fn of_channel(&self, channel: u32) -> &[OperationId] {
        let channel = channel as usize;
        &self.operations[self.first[channel] as usize..self.first[channel + 1] as usize]
    }

    /// Returns two sends of a channel without a short path from one to the other.
    fn unordered(
        &self,
        programs: &Programs,
        graph: &Graph,
        rank: u32,
    ) -> Option<(NamedOperation, NamedOperation)> {
        let channels = 0..self.first.len() as u32 - 1;
        let pairs = channels.flat_map(|channel| self.of_channel(channel).windows(2));
        let mut pairs = pairs.map(|pair| (pair[0], pair[1]));
        let (first, second) = pairs.find(|(first, second)| !is_led_to(graph, *first, *second))?;
        let named = |id| NamedOperation::new(programs, rank, id);
        Some((named(first), named(second)))
    }
}

/// Returns an order that the edges allow; `None` if the order of numbers is one.
fn order(graph: &Graph) -> Option<Vec<OperationId>> {
    let ids = 0..graph.operations() as u32;
    let successors = |id| graph.after_end(id).chain(graph.after_start(id));
    if ids.clone().all(|id| successors(id).all(|next| next > id)) {
        return None;
    }
    let mut waiting: Vec<u32> = ids.map(|id| graph.predecessors(id)).collect();
    let mut order: Vec<OperationId> = graph.roots().collect();
    let mut at = 0;
    while let Some(id) = order.get(at).copied() {
        at += 1;
        for next in successors(id) {
            waiting[next as usize] -= 1;
            if waiting[next as usize] == 0 {
                order.push(next);
            }
        }
    }
    Some(order)
}

#[cfg(test)]
#[path = "matching_tests.rs"]
mod tests;
