//! Loads of links in intervals, as shares of their capacity.
//!
//! Invariant: the lanes of a link have at most 1 together. The simulator counts a packet in full when it begins to
//! leave, so that a busy link has up to a packet too much in an interval. The excess counts in the next interval.

use telemetry::LaneRecord;
use units::{Bytes, Span};

/// Loads of lanes, interval by interval.
#[derive(Debug)]
pub(super) struct LinkLoads {
    /// Bits of each lane that its link could not carry in the former intervals.
    late: Vec<f64>,
}

impl LinkLoads {
    pub(super) fn new(lanes: usize) -> Self {
        Self { late: vec![0.0; lanes] }
    }

    /// Returns the share of each lane in the next interval. Lanes of a link are neighbours.
    pub(super) fn next(&mut self, interval: Span, lanes: &[(&LaneRecord, Bytes)]) -> Vec<f64> {
        let mut shares = Vec::with_capacity(lanes.len());
        let links = lanes.chunk_by(|(one, _), (next, _)| one.port == next.port && one.node == next.node);
        let mut rest = self.late.as_mut_slice();
        for link in links {
            let late;
            (late, rest) = rest.split_at_mut(link.len());
            let possible = link[0].0.rate.get() as f64 * interval.seconds();
            for (bits, (_, sent)) in late.iter_mut().zip(link) {
                *bits += sent.get() as f64 * 8.0;
            }
            let due: f64 = late.iter().sum();
            // The lane of the last packet is not known, so all lanes are late in proportion.
            let carried = if due > possible { possible / due } else { 1.0 };
            for bits in late {
                shares.push(*bits * carried / possible);
                *bits *= 1.0 - carried;
            }
        }
        shares
    }
}

#[cfg(test)]
mod tests {
    use units::Rate;

    use super::*;
    use crate::sample;

    /// Links of 1 Gb/s, which carry 1250 bytes in 10 us: the first with a lane, the second with two.
    fn shares(intervals: &[[u64; 3]]) -> Vec<Vec<f64>> {
        let of = |port: u16, lane: u8| {
            let record = sample::record().lanes.remove(0);
            LaneRecord { port, lane, rate: Rate::gbps(1), ..record }
        };
        let lanes = [of(1, 0), of(2, 0), of(2, 1)];
        let mut loads = LinkLoads::new(3);
        let next = |sent: &[u64; 3]| {
            let lanes: Vec<_> = lanes.iter().zip(sent.map(Bytes::new)).collect();
            loads.next(Span::from_us(10), &lanes)
        };
        intervals.iter().map(next).collect()
    }

    #[test]
    fn a_packet_that_the_link_cannot_carry_counts_in_the_next_interval() {
        let shares = shares(&[[1500, 0, 0], [1250, 0, 0], [500, 0, 0], [0, 0, 0]]);
        let of_first: Vec<_> = shares.iter().map(|lanes| lanes[0]).collect();
        assert_eq!(of_first, [1.0, 1.0, 0.6, 0.0]);
    }

    #[test]
    fn lanes_of_a_link_share_what_it_carries() {
        let shares = shares(&[[0, 1000, 500], [0, 0, 125]]);
        let near = |one: f64, other: f64| (one - other).abs() < 1e-12;
        assert!(near(shares[0][1], 2.0 / 3.0) && near(shares[0][2], 1.0 / 3.0), "{shares:?}");
        // 250 bytes are late, in proportion: 166.7 and 83.3.
        assert!(near(shares[1][1], 2.0 / 15.0) && near(shares[1][2], 1.0 / 6.0), "{shares:?}");
    }
}
