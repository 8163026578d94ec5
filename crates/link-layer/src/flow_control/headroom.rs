//! Headroom: the bytes that still arrive after a receiver has decided to send a PAUSE.
//!
//! Invariant: an upper bound. A receiver with this much memory beyond its threshold drops nothing, whatever frames both
//! ends have just begun when the load crosses the threshold.
//!
//! ```text
//! receiver                                        sender
//! a frame crosses the threshold              |
//! it is counted: header, latency             |
//! a frame of the receiver's has just begun   |
//! PAUSE waits for its end      longest frame |    sends at line rate during all of this
//! PAUSE is sent                       PAUSE  |
//!                                     flight |
//!                                            |    reaction; then the frame that has just begun ends: longest frame
//!                                     flight |    the bytes on the cable arrive
//! ```
//!
//! IEEE 802.1Qbb, annex O, and vendors' guidelines have the same terms. An example is Cisco, "Priority flow control:
//! build reliable layer 2 infrastructure" (a frame at either end, the cable twice, the sender's response).

use packet::Framing;
use units::{Bytes, Rate, Span};

use super::pause::PAUSE_FRAME;

/// Preamble and gap of a frame, which no memory stores (IEEE 802.3, 4.4.2).
const AROUND_FRAME: u64 = Framing::RoCEv2.around().get();

/// A pause quantum: the time of 512 bits (IEEE 802.3, 31B.2).
pub const QUANTUM_BYTES: u64 = 64;

/// The loop between the frame that crosses a threshold and silence. Frames are counted as they occupy the wire, with
/// preamble and gap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PauseLoop {
    /// Rate of the link, the same in both directions.
    pub rate: Rate,
    /// Time of flight from end to end.
    pub flight: Span,
    /// The longest frame that either end may have begun.
    pub longest_frame: Bytes,
    /// Number of priorities. Each may have a PAUSE of its own under way.
    pub priorities: u8,
    /// Time for which the sender still starts frames after it has received a PAUSE.
    pub reaction: Span,
    /// Part of a frame that the receiver waits for before it counts the frame; 0 B if it counts each byte on arrival.
    pub lead: Bytes,
    /// Time from the arrival of that part until the frame is counted.
    pub latency: Span,
}

/// Headroom, term by term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Headroom {
    /// Bytes that arrive while the PAUSE waits for the frame before it.
    pub waiting: Bytes,
    /// Bytes that arrive while the PAUSE frames of all priorities are sent.
    pub pause: Bytes,
    /// Bytes that arrive during the flight of the PAUSE, and bytes on the cable when the sender stops.
    pub cable: Bytes,
    /// Bytes that the sender sends while it reacts.
    pub reaction: Bytes,
    /// The frame that the sender has just begun.
    pub begun: Bytes,
    /// Bytes that arrive until the frame that crosses the threshold is counted.
    pub counting: Bytes,
}

impl Headroom {
    /// Computes the headroom that this loop needs.
    ///
    /// ```
    /// use link_layer::{Headroom, PauseLoop};
    /// use units::{Bytes, Rate, Span};
    /// let headroom = Headroom::of(PauseLoop {
    ///     rate: Rate::gbps(100),
    ///     flight: Span::from_ns(500), // 100 m
    ///     longest_frame: Bytes::new(1542),
    ///     priorities: 1,
    ///     reaction: Span::from_us(1),
    ///     lead: Bytes::new(46),
    ///     latency: Span::from_ns(300),
    /// });
    /// assert_eq!(headroom.total(), Bytes::new(2 * 1542 + 84 + 12_500 + 12_500 + 46 + 3_750));
    /// ```
    #[must_use]
    pub const fn of(pause: PauseLoop) -> Self {
        let reaction = pause.rate.amount_in(pause.reaction);
        let counted = pause.latency.ps() + pause.rate.time_for(pause.lead).ps();
        // Rounded once for both terms: they follow each other on the wire.
        let both = pause.rate.amount_in(Span::from_ps(pause.reaction.ps() + counted));
        Self {
            waiting: pause.longest_frame,
            pause: Bytes::new(PAUSE_FRAME.get() * pause.priorities as u64),
            cable: pause.rate.amount_in(Span::from_ps(2 * pause.flight.ps())),
            reaction,
            begun: pause.longest_frame,
            counting: Bytes::new(both.get() - reaction.get()),
        }
    }

    /// Returns the headroom of a port and priority: the sum of all terms.
    #[must_use]
    pub const fn total(&self) -> Bytes {
        let of_sender = self.reaction.get() + self.begun.get();
        Bytes::new(self.waiting.get() + self.pause.get() + self.cable.get() + of_sender + self.counting.get())
    }
}

/// Headroom of memory that holds packets in whole cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellHeadroom {
    /// Length of the packets that take most memory for their time on the wire.
    pub packet: Bytes,
    /// Number of cells.
    pub cells: u64,
    /// Memory of these cells.
    pub total: Bytes,
}

impl Headroom {
    /// Returns the headroom of a switch that stores packets in whole cells of this size, 1 B or more. All bytes but
    /// the last frame's may be of packets of the worst length: the least, or a byte more than some whole cells.
    ///
    /// ```
    /// # use link_layer::{Headroom, PauseLoop};
    /// # use units::{Bytes, Rate, Span};
    /// # let (rate, flight, reaction) = (Rate::gbps(100), Span::from_ns(500), Span::from_us(1));
    /// # let (longest_frame, lead, latency) = (Bytes::new(1542), Bytes::ZERO, Span::ZERO);
    /// # let pause = PauseLoop { rate, flight, longest_frame, priorities: 1, reaction, lead, latency };
    /// let headroom = Headroom::of(pause); // 28,168 B, of which 26,626 B may be of small packets
    /// let in_cells = headroom.in_cells(Bytes::new(144));
    /// // 162 packets of 145 B, 165 B each on the wire, take two cells each. The last frame takes 11.
    /// assert_eq!((in_cells.packet, in_cells.cells), (Bytes::new(145), 2 * 162 + 11));
    /// ```
    #[must_use]
    pub fn in_cells(&self, cell: Bytes) -> CellHeadroom {
        let cell = cell.get();
        let least = PAUSE_FRAME.get() - AROUND_FRAME;
        let longest = self.begun.get().saturating_sub(AROUND_FRAME).max(least);
        // Of two lengths with as many cells the shorter one is worse.
        let lengths = (least.div_ceil(cell)..longest.div_ceil(cell)).map(|cells| cells * cell + 1);
        let worse = |one: u64, other: u64| {
            let [a, b] = [(one, other), (other, one)].map(|(of, by)| of.div_ceil(cell) * (by + AROUND_FRAME));
            if b > a { other } else { one }
        };
        let packet = lengths.fold(least, worse);
        let small = (self.total().get() - self.begun.get()).div_ceil(packet + AROUND_FRAME);
        let cells = small * packet.div_ceil(cell) + longest.div_ceil(cell);
        CellHeadroom { packet: Bytes::new(packet), cells, total: Bytes::new(cells * cell) }
    }
}

/// Returns the quanta after a PAUSE within which a sender may still start frames (IEEE 802.3, 31B.3.7). The limit is
/// known at 10, 25, 40, 50, 100, 200 and 400 Gb/s. At 50 and 200 Gb/s the source is SONiC's
/// `cfgmgr/buffer_headroom_barefoot.lua`, which names the same clause.
#[must_use]
pub const fn slowest_reaction(rate: Rate) -> Option<u64> {
    match rate.get() {
        10_000_000_000 => Some(60),
        25_000_000_000 => Some(80),
        40_000_000_000 => Some(118),
        50_000_000_000 => Some(147),
        100_000_000_000 => Some(394),
        200_000_000_000 => Some(453),
        400_000_000_000 => Some(905),
        _ => None,
    }
}

/// Returns the duration of `count` quanta at this rate.
#[must_use]
pub const fn quanta(count: u64, rate: Rate) -> Span {
    rate.time_for(Bytes::new(count * QUANTUM_BYTES))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loop_of(rate: Rate, metres: u64) -> PauseLoop {
        PauseLoop {
            rate,
            flight: Span::from_ns(5 * metres),
            longest_frame: FRAME,
            priorities: 1,
            reaction: quanta(394, rate),
            lead: Bytes::ZERO,
            latency: Span::ZERO,
        }
    }

    /// No mixture of packets takes more cells than the bound, whatever the cell.
    #[test]
    fn no_packets_take_more_cells_than_the_worst() {
        let headroom = Headroom::of(loop_of(Rate::gbps(100), 300));
        let bytes = headroom.total().get() - headroom.begun.get();
        for cell in [48, 80, 144, 208, 256, 384] {
            let most = headroom.in_cells(Bytes::new(cell));
            for length in 64..=1522 {
                let cells =
                    (bytes / (length + AROUND_FRAME)) * length.div_ceil(cell) + 1522_u64.div_ceil(cell);
                assert!(
                    cells <= most.cells,
                    "{cell} B: packets of {length} B take {cells}, not {}",
                    most.cells
                );
            }
            assert_eq!(most.total.get(), most.cells * cell);
        }
        let whole = headroom.in_cells(Bytes::new(1));
        assert!(whole.total < headroom.total(), "preambles and gaps are not stored: {whole:?}");
    }

    /// An IP packet of 1,500 bytes with Ethernet header, priority tag, FCS, preamble and gap.
    const FRAME: Bytes = Bytes::new(1542);
    #[test]
    fn the_dcqcn_papers_headroom_is_that_of_300_metres() {
        let rate = Rate::gbps(40);
        let headroom = Headroom::of(PauseLoop {
            rate,
            // 5.13 ns a metre.
            flight: Span::from_ns(1539),
            longest_frame: FRAME,
            priorities: 1,
            reaction: quanta(60, rate),
            // The paper's sum has no such term.
            lead: Bytes::ZERO,
            latency: Span::ZERO,
        });
        assert_eq!(headroom.cable, Bytes::new(15_390));
        assert_eq!(headroom.reaction, Bytes::new(3_840));
        assert_eq!(headroom.total(), Bytes::new(22_398));
    }

    #[test]
    fn every_term_counts_once_or_twice() {
        let base = PauseLoop {
            rate: Rate::gbps(8),
            flight: Span::from_ns(100),
            longest_frame: Bytes::new(1000),
            priorities: 1,
            reaction: Span::from_ns(50),
            lead: Bytes::new(46),
            latency: Span::from_ns(30),
        };
        let total = |own: PauseLoop| Headroom::of(own).total().get();
        assert_eq!(total(base), 1000 + 84 + 200 + 50 + 1000 + 46 + 30);
        assert_eq!(total(PauseLoop { flight: Span::from_ns(101), ..base }) - total(base), 2);
        assert_eq!(total(PauseLoop { longest_frame: Bytes::new(1001), ..base }) - total(base), 2);
        assert_eq!(total(PauseLoop { reaction: Span::from_ns(51), ..base }) - total(base), 1);
        assert_eq!(total(PauseLoop { latency: Span::from_ns(31), ..base }) - total(base), 1);
        assert_eq!(total(PauseLoop { lead: Bytes::new(47), ..base }) - total(base), 1);
        assert_eq!(total(PauseLoop { priorities: 3, ..base }) - total(base), 2 * 84);
    }

    #[test]
    fn a_quantum_is_512_bits() {
        assert_eq!(quanta(1, Rate::gbps(1)), Span::from_ns(512));
        assert_eq!(quanta(118, Rate::gbps(40)), Span::from_ps(1_510_400));
        assert_eq!(slowest_reaction(Rate::gbps(40)), Some(118));
        assert_eq!(slowest_reaction(Rate::gbps(56)), None);
    }
}
