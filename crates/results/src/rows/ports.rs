//! Rows of `ports.csv` and `margins.csv`.

use std::borrow::Cow;

use crate::table_row;

table_row! {
    "ports.csv": "one row per port and lane";
    /// A port and lane over the whole run.
    pub struct PortRow<'a> {
        /// The port's node.
        pub node: Cow<'a, str>,
        /// The port's number, from 1.
        pub port: u32,
        /// The node at the other end of the link.
        pub peer: Cow<'a, str>,
        /// The virtual lane.
        pub lane: u32,
        /// The rate of the link.
        pub link_rate_bps: f64,
        /// Departures, headers included, without flow-control packets.
        pub sent_bytes: u64,
        /// Their number.
        pub sent_packets: u64,
        /// Arrivals, headers included, without flow-control packets; packets that found no room are among them.
        pub received_bytes: u64,
        /// Their number.
        pub received_packets: u64,
        /// `sent_bytes` of this lane over the bytes that the link carries in `simulated_s`, 0 to 1; a packet counts
        /// in full when it begins to leave.
        pub utilisation: f64,
        /// Time for which it was stalled: packets waited here with the wire free, for credit or the end of a pause.
        pub stalled_s: f64,
        /// The most bytes that waited in the switch for this output at a sample; this and the next five are empty for
        /// adapters.
        pub sampled_queue_peak_bytes: Option<u64>,
        /// Their mean over the samples.
        pub sampled_queue_mean_bytes: Option<f64>,
        /// Number of flows that delivered payload through this output; also empty if packets of some had other
        /// outputs to choose from.
        pub flows: Option<u32>,
        /// Number of samples at which it was congested by itself: packets waited, and its wire had been busy for 90 %
        /// of the interval, or the adapter behind it had had no room for a tenth of it.
        pub congested_samples: Option<u32>,
        /// Number of samples at which it was the root of a tree.
        pub root_samples: Option<u32>,
        /// Number of samples at which packets waited, and it had been stalled for a tenth of the interval, towards
        /// another switch.
        pub stalled_samples: Option<u32>,
        /// Share of the packets for which the selector of the switch (`switch.selection`) chose this output and lane, 0 to
        /// 1; empty without a selector, and before its first choice.
        pub chosen_share: Option<f64>,
        /// Size of the buffer for arriving packets; of shared memory, the maximum that the port and lane can hold.
        pub buffer_bytes: u64,
        /// Its highest occupancy.
        pub buffer_peak_bytes: u64,
        /// Its mean occupancy over the run.
        pub buffer_mean_bytes: f64,
        /// Highest occupancy of this output's queue, packets on their way in or out included; empty where there is none
        /// (`Output` and `CombinedInputOutput` have them).
        pub output_queue_peak_bytes: Option<u64>,
        /// Its mean occupancy over the run.
        pub output_queue_mean_bytes: Option<f64>,
        /// PAUSE frames sent by this port for this lane, repetitions included, without RESUME; this and the next four
        /// are 0 under credits.
        pub pauses_sent: u64,
        /// PAUSE frames that took effect on this output.
        pub pauses_heard: u64,
        /// Time for which this output was paused.
        pub paused_s: f64,
        /// Arriving packets that found neither room nor headroom.
        pub dropped_at_input_packets: u64,
        /// Packets for this output that found more than `egress_limit` waiting, or no room in `egress_pool`.
        pub dropped_at_output_packets: u64,
        /// Packets marked on leaving here for the reason `root` (see `marks`).
        pub marked_root_packets: u64,
        /// Packets marked on leaving here for the reason `victim_mask` (see `marks`).
        pub marked_victim_mask_packets: u64,
        /// Packets marked on leaving here for the reason `propagation` (see `marks`).
        pub marked_propagation_packets: u64,
        /// Packets marked on leaving here for the reason `generation` (see `marks`).
        pub marked_generation_packets: u64,
        /// Packets marked on leaving here for the reason `red` (see `marks`).
        pub marked_red_packets: u64,
    }
}

table_row! {
    "margins.csv": "one row per port, lane and limit: the nearest approach of loads to it";
    /// A limit of a port and lane.
    pub struct MarginRow<'a> {
        /// The port's node, as in `ports.csv`.
        pub node: Cow<'a, str>,
        /// The port's number.
        pub port: u32,
        /// The node at the other end of the link.
        pub peer: Cow<'a, str>,
        /// The virtual lane.
        pub lane: u32,
        /// `marking`: the packets waiting for this output against IBA's marking threshold, compared as the scenario's
        /// `compare` says, or against DCQCN's Kmin; `marking_all`: the same against Kmax; `trigger`: the occupancy of
        /// this buffer, with `buffering: Output` of this output's queue, against the trigger of the HP proposal (of
        /// `Full`: its size less a packet of the MTU); `xoff`: under PFC, what was held under the threshold against
        /// the threshold (of shared memory, as it was then); `headroom`: what was held in the headroom against it;
        /// `buffer`: what the buffer held against its size.
        pub limit: Cow<'a, str>,
        /// The limit; where it varies (with the number of inputs with waiting packets, or with the free memory), the
        /// value that a load came nearest to.
        pub limit_bytes: u64,
        /// The load that came nearest to it.
        pub highest_bytes: u64,
        /// `highest_bytes` over `limit_bytes`.
        pub highest_share: f64,
        /// Number of times that a load passed the limit, for `marking`, `marking_all` and `xoff` only; for `xoff` the
        /// number of PAUSE requests, without repetitions.
        pub crossings: Option<u32>,
        /// Number of times that a load passed 90 % of the limit and fell below that again without passing the limit,
        /// for the same three.
        pub above_90_percent: Option<u32>,
        /// The first sample by which the limit had been passed, for the same three; for `xoff` the time of the first
        /// crossing.
        pub crossed_by_s: Option<f64>,
    }
}
