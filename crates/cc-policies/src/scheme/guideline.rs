//! InfiniBand's parameters as Pfister and others (2005) propose them, from the size of a network and of its hot
//! spots.
//!
//! Invariant: a pure function of five numbers. A value that the paper leaves open is chosen here, once, with its
//! reason beside it.
//!
//! G. Pfister and others, "Solving hot spot contention using InfiniBand architecture congestion control", 2005:
//! "Preliminary guidelines". N is the number of ports of the network, H the maximum degree of a hot spot. H is "worst
//! case = N, but can be less if system partitioning known".

use units::{Bytes, Span};

use crate::iba::TIMER_UNIT;
use crate::iba::spec::{
    CctSpec, ComparedLoad, IbaEcho, IbaMarkingSpec, IbaResponseSpec, IbaScheme, PortControl, TimerStart,
    VictimMask,
};

/// "IPD table size: 128".
const TABLE: u16 = 128;
/// "Recovery timer: 10 us".
const RECOVERY: Span = Span::from_us(10);
/// `CCT_Shift` of every entry: the finest step, an eighth of a packet time.
const SHIFT: u8 = 3;
/// Highest `CCT_Multiplier`: fourteen bits.
const HIGHEST: u64 = (1 << 14) - 1;

/// Properties of a network that the guidelines depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    /// N: ports of the network, that is, hosts; at least 1.
    pub ports: u32,
    /// H: the largest number of hosts that send to the same hot spot, 1 to N.
    pub hotspot_degree: u32,
    /// Time of the longest packet on the link of a host: the unit of a congestion control table; above 0.
    pub packet_time: Span,
    /// Length of the longest packet.
    pub packet: Bytes,
}

/// Numbers of the guidelines, with the paper's names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guideline {
    /// "IPD table size".
    pub entries: u16,
    /// "IPD table index increment": `min(N/6, H/2)`, to the nearest whole number, 1 to 255.
    pub increment: u8,
    /// "Max IPD value": `2/3 H` us.
    pub longest: Span,
    /// "Recovery timer".
    pub recovery: Span,
    /// `Threshold`: the weight that puts the threshold nearest to "90 % of queue capacity".
    pub threshold: u8,
}

impl Guideline {
    /// Returns the guidelines for a network of N ports and hot spots of degree H.
    ///
    /// ```
    /// let guideline = cc_policies::Guideline::of(32, 32);
    /// assert_eq!(guideline.increment, 5); // min(32/6, 32/2) = 5.33
    /// assert_eq!(guideline.longest, units::Span::from_ps(21_333_333)); // 2/3 * 32 us
    /// ```
    #[must_use]
    pub const fn of(ports: u32, hotspot_degree: u32) -> Self {
        // N/6 and H/2 in twelfths: the minimum is found before anything is rounded; + 6 rounds.
        let (sixth, half) = (2 * ports as u64, 6 * hotspot_degree as u64);
        let increment = ((if sixth < half { sixth } else { half }) + 6) / 12;
        let increment = if increment == 0 {
            1 // An increment of 0 would be no control.
        } else if increment > u8::MAX as u64 {
            u8::MAX // `CCTI_Increase` has eight bits.
        } else {
            increment as u8
        };
        Self {
            entries: TABLE,
            increment,
            longest: Span::from_ps(2_000_000 * hotspot_degree as u64 / 3),
            recovery: RECOVERY,
            // DEVIATION: the paper says 90 % and that the value is not critical. 14/16 = 87.5 % is nearer than 15/16
            // = 93.75 %.
            threshold: 2,
        }
    }

    /// Returns `CCTI_Timer`: the recovery timer in units of 1.024 us, to the nearest. DEVIATION: 10.24 us, not 10.
    #[must_use]
    pub const fn timer(&self) -> u16 {
        let unit = TIMER_UNIT.ps();
        ((self.recovery.ps() + unit / 2) / unit) as u16
    }

    /// Returns the table. Entry `i` delays by `i / (entries - 1)` of the longest delay, to the nearest eighth of a
    /// packet time. The paper gives the table's length and its last entry; a straight line between is our choice.
    ///
    /// # Panics
    /// If a packet takes less than eight picoseconds.
    #[must_use]
    pub fn table(&self, packet_time: Span) -> CctSpec {
        // IRD = (packet time >> shift) * multiplier.
        let step = packet_time.ps() >> SHIFT;
        assert!(step > 0, "a packet of {packet_time} has no eighth");
        let last = u64::from(self.entries) - 1;
        let multiplier = |i: u64| {
            let delay = u128::from(self.longest.ps()) * u128::from(i) / u128::from(last);
            let nearest = (delay + u128::from(step / 2)) / u128::from(step);
            nearest.min(u128::from(HIGHEST)) as u16
        };
        CctSpec::Entries((0..=last).map(|i| (SHIFT, multiplier(i))).collect())
    }

    /// Returns the settings of InfiniBand's congestion control for a network.
    #[must_use]
    pub fn settings(network: Network) -> IbaScheme {
        let own = Self::of(network.ports, network.hotspot_degree);
        IbaScheme {
            name: Some("Guideline".to_owned()),
            marking: IbaMarkingSpec {
                threshold: own.threshold,
                // "Set FECN on all packets as long as congestion exists".
                packet_size: 0,
                marking_rate: 0,
                // "Optional: mark only if root = output credits available": IBA's rule, with its exception.
                victim_mask: VictimMask::AdapterPorts,
                // "Queue for VL > threshold": all packets in the switch that wait for the output.
                compare: ComparedLoad::Sum,
                // "With some hysteresis (not critical)": a packet.
                hysteresis: network.packet,
                ports: Vec::new(),
            },
            // "Part of normal response, or congestion notification packet".
            echo: IbaEcho::Acknowledgement,
            response: IbaResponseSpec {
                // "Sent back to source Queue Pair"; "one index per QP".
                port_control: PortControl::QueuePair,
                cct: own.table(network.packet_time),
                ccti_limit: own.entries - 1,
                ccti_increase: own.increment,
                ccti_min: 0,
                ccti_timer: own.timer(),
                trigger_threshold: 0,
                // "Whenever a timer pops, decrement all IPD table indices on CA".
                timer_start: TimerStart::FreeRunning,
                service_levels: Vec::new(),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scheme::Scheme;

    #[test]
    fn the_formulas_are_the_paper_s() {
        let increment = |ports, degree| Guideline::of(ports, degree).increment;
        // min(N/6, H/2): by N, by H, halves up, and the ends of the field.
        assert_eq!([increment(32, 32), increment(8, 8), increment(512, 512)], [5, 1, 85]);
        assert_eq!([increment(512, 3), increment(32, 3), increment(1, 1)], [2, 2, 1]);
        assert_eq!(increment(11_664, 11_664), 255);
        assert_eq!(Guideline::of(32, 3).longest, Span::from_us(2));
        assert_eq!(Guideline::of(32, 32).timer(), 10);
    }

    #[test]
    fn the_table_is_straight_and_ends_at_the_longest_delay() {
        let guideline = Guideline::of(32, 32);
        let packet_time = Span::from_us(2);
        let CctSpec::Entries(entries) = guideline.table(packet_time) else {
            panic!("every entry is written")
        };
        assert_eq!(entries.len(), 128);
        let delay = |i: usize| (packet_time.ps() >> entries[i].0) * u64::from(entries[i].1);
        for i in 0..128 {
            let wanted = guideline.longest.ps() * i as u64 / 127;
            assert!(delay(i).abs_diff(wanted) <= 125_000, "entry {i} delays by {}", delay(i));
        }
        assert!(delay(127).abs_diff(21_333_333) <= 125_000 && entries[0] == (3, 0));
    }

    #[test]
    fn the_settings_have_the_guideline_s_numbers() {
        let packet_time = Span::from_us(2);
        let network = Network { ports: 512, hotspot_degree: 32, packet_time, packet: Bytes::new(2_074) };
        let (own, settings) = (Guideline::of(512, 32), Guideline::settings(network));
        let response = settings.response;
        assert_eq!((response.ccti_increase, response.ccti_timer), (16, 10), "min(512/6, 32/2), 10 us");
        assert_eq!((response.cct, response.ccti_limit), (own.table(packet_time), 127));
        assert_eq!((settings.marking.threshold, settings.marking.hysteresis), (2, network.packet));
    }

    #[test]
    fn the_settings_can_be_built() {
        for (ports, hotspot_degree) in [(1, 1), (8, 3), (32, 32), (512, 512), (100_000, 100_000)] {
            for ns in [1, 100, 2000] {
                let packet_time = Span::from_ps(ns * 1000);
                let network = Network { ports, hotspot_degree, packet_time, packet: Bytes::kib(2) };
                assert_eq!(Scheme::Iba(Guideline::settings(network)).check(), Ok(()));
            }
        }
    }
}
