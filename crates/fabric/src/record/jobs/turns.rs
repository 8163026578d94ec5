//! The wire of a host with messages of any flows, as if nothing held it up.
//!
//! Invariant: departures are those of an [`Interface`] with only this work: its flows take turns packet by packet, or
//! the message posted first goes first.

use units::{Span, Time};
use workload::job::ideal::interface::{Interface, Transmission};

/// A message that is to leave by the wire.
#[derive(Clone, Copy, Debug)]
pub(super) struct Load {
    /// Flow whose turn it takes.
    pub(super) flow: u32,
    pub(super) posted: Time,
    /// The first packet, which may have a longer header, unless it is the last.
    first: Option<Span>,
    others: Transmission,
}

impl Load {
    /// A message of this number of packets, the last of which departs at best after `departed`, and has left after
    /// `occupied`.
    pub(super) fn new(flow: u32, posted: Time, packets: u64, (departed, occupied): (Span, Span)) -> Self {
        let packet = Span::from_ps(departed.ps() / packets.saturating_sub(1).max(1));
        let before = packets.saturating_sub(2);
        // The first packet has what the division leaves, too.
        let first = (packets > 1).then(|| departed - packet * before);
        Self { flow, posted, first, others: Transmission { before, packet, last: occupied - departed } }
    }
}

/// Returns the time at which the last packet of each message departs. `loads` are in the order of posting. With
/// `in_turn` their flows take turns; else the message posted first goes first.
pub(super) fn departures(loads: &[Load], in_turn: bool) -> Vec<Time> {
    let mut departures = vec![Time::NEVER; loads.len()];
    let mut wire = Interface::new();
    // A first packet is posted as a message of its own, which leaves before the others.
    let mut take_round = |wire: &mut Interface<u32, usize>| {
        wire.take_round(|left| departures[left.message] = left.end - left.transmission.last);
    };
    for (place, Load { flow, posted, first, others }) in loads.iter().enumerate() {
        while wire.due().is_some_and(|due| due < *posted) {
            take_round(&mut wire);
        }
        let turn = if in_turn { *flow } else { 0 };
        let first = first.map(Transmission::single);
        first.into_iter().chain([*others]).for_each(|part| wire.post(*posted, turn, place, part));
    }
    while wire.due().is_some() {
        take_round(&mut wire);
    }
    departures
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A message of packets of 10 ps, the last of 7 ps.
    fn load(flow: u32, posted: u64, packets: u64) -> Load {
        let departed = Span::from_ps(10 * (packets - 1));
        Load::new(flow, Time::from_ps(posted), packets, (departed, departed + Span::from_ps(7)))
    }

    fn of(loads: &[Load], in_turn: bool) -> Vec<u64> {
        departures(loads, in_turn).into_iter().map(Time::ps).collect()
    }

    #[test]
    fn flows_take_turns_and_messages_of_a_flow_do_not() {
        let loads = [load(4, 100, 3), load(4, 100, 1), load(9, 100, 2), load(9, 400, 1)];
        // 4: 100, 120, 137; 9: 110, 130; 4's second message in its next turn, at 144.
        assert_eq!(of(&loads, true), [137, 144, 130, 400]);
        assert_eq!(of(&loads, false), [120, 127, 144, 400]);
    }

    /// A flow that joins while a packet is on the wire comes after that packet's flow.
    #[test]
    fn a_flow_joins_at_the_end() {
        assert_eq!(of(&[load(0, 0, 3), load(1, 5, 1), load(2, 10, 1)], true), [34, 20, 27]);
    }

    /// Long messages are passed in rounds: the same as packet by packet, by a sum.
    #[test]
    fn rounds_are_skipped_up_to_the_next_posting() {
        let million = 1_000_000;
        // Two flows until the third joins in the midst of a packet, then three.
        let loads = [load(0, 0, million), load(1, 0, million), load(2, 7_777_775, 2)];
        let last = 10 * 2 * (million - 1) + 17;
        assert_eq!(of(&loads, true), [last, last + 7, 7_777_830]);
        assert_eq!(of(&loads[..1], true), [10 * (million - 1)]);
    }
}
