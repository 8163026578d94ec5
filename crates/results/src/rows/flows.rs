//! Rows of `flows.csv`, `paths.csv` and `phases.csv`.

use std::borrow::Cow;

use crate::table_row;

table_row! {
    "flows.csv": "one row per flow, named or not";
    /// A flow over the whole run.
    pub struct FlowRow<'a> {
        /// Name of the flow.
        pub flow: Cow<'a, str>,
        /// Source host of its data.
        pub src: Cow<'a, str>,
        /// Destination host of its data.
        pub dst: Cow<'a, str>,
        /// `true` for a named flow, `false` for a flow of a traffic pattern.
        pub named: bool,
        /// Its group, if it has one.
        pub group: Option<Cow<'a, str>>,
        /// Transport service, as in `summary.json`.
        pub transport: Cow<'a, str>,
        /// Operation, as in `summary.json`.
        pub operation: Cow<'a, str>,
        /// Time at which it posts its first message.
        pub start_s: f64,
        /// Time from which it posts no further message, if the scenario sets one.
        pub stop_s: Option<f64>,
        /// Total payload to send, if known beforehand.
        pub size_bytes: Option<u64>,
        /// Time at which the last of that payload was delivered, if it was.
        pub completed_s: Option<f64>,
        /// Payload that its destination's host took.
        pub delivered_bytes: u64,
        /// Data packets accepted by the destination's adapter: in order, but for UD and with `delivery: AnyOrder`.
        pub delivered_packets: u64,
        /// Messages that are complete for the host that posts them: acknowledged, read, or, over UC and UD, sent.
        pub acknowledged_messages: u64,
        /// BECNs that reached its ends: its source or, for an RDMA READ request, the requesting host.
        pub received_becns: u64,
        /// `delivered_bytes` from `start_s` to the last delivery.
        pub mean_goodput_bps: f64,
        /// Goodput that it would have without other flows, if it keeps messages outstanding or paces them: at most this
        /// where its packets may take several paths. Empty for listed or drawn messages, with detours, and beyond
        /// 4,096 such flows.
        pub alone_bps: Option<f64>,
        /// Mean time from the first byte of a packet leaving its source to its payload being taken by the destination's
        /// host; 0 if no packet was delivered.
        pub mean_packet_latency_us: f64,
        /// The longest such time.
        pub max_packet_latency_us: f64,
        /// Share of its data packets, without those accepted before, that arrived while a packet before them was
        /// missing, 0 to 1. This and the next two are empty for UC and UD, whose receivers do not wait for packets.
        pub out_of_order_share: Option<f64>,
        /// Largest distance from the first missing packet to one that was accepted, in packets.
        pub largest_distance_packets: Option<u64>,
        /// Most payload accepted ahead of a missing packet, each packet counted as one MTU: the size of a buffer that
        /// would restore the order.
        pub largest_ahead_bytes: Option<u64>,
        /// Data packets sent again; of an RDMA READ its requests, each of which asks for one or more data packets.
        pub retransmitted_packets: u64,
        /// Data packets, also READ responses, that arrived although they had been accepted before: they were not
        /// needed.
        pub spurious_packets: u64,
        /// Delivered packets that arrived marked, marked first for the reason `root` (see `marks`).
        pub marked_root_packets: u64,
        /// Delivered packets that arrived marked, marked first for the reason `victim_mask` (see `marks`).
        pub marked_victim_mask_packets: u64,
        /// Delivered packets that arrived marked, marked first for the reason `propagation` (see `marks`).
        pub marked_propagation_packets: u64,
        /// Delivered packets that arrived marked, marked first for the reason `generation` (see `marks`).
        pub marked_generation_packets: u64,
        /// Delivered packets that arrived marked, marked first for the reason `red` (see `marks`).
        pub marked_red_packets: u64,
    }
}

table_row! {
    "paths.csv": "one row per flow and output that its data leaves by, from source to destination; of the first flows if these are more than 50,000 rows, and of none from the first with detours on, as `paths` in `summary.json` says";
    /// An output on the path of a flow.
    pub struct PathRow<'a> {
        /// Name of the flow.
        pub flow: Cow<'a, str>,
        /// Links between the flow's source host and `node`: 0 at the host. Rows of a flow with the same number are
        /// alternatives.
        pub hop: u32,
        /// The output's node.
        pub node: Cow<'a, str>,
        /// Its number, from 1.
        pub port: u32,
        /// The node at the other end of the link.
        pub peer: Cow<'a, str>,
    }
}

table_row! {
    "phases.csv": "one row per phase and flow, with its goodput; also the sums of flows";
    /// A flow, or a sum of flows, in a phase.
    pub struct PhaseRow<'a> {
        /// Number of the phase, from 1, in the order of `summary.json`.
        pub phase: u64,
        /// The change at its start: `F3 starts`.
        pub change: Cow<'a, str>,
        /// Its start.
        pub from_s: f64,
        /// The start of its second half.
        pub second_half_s: f64,
        /// Its end.
        pub to_s: f64,
        /// `flow`: one flow, named or not; `group`: all flows of a group; `others`: all flows with neither a name nor a
        /// group, where there are any; `total`: all flows.
        pub kind: Cow<'a, str>,
        /// Name of the flow or group; `others` and `total` again for those.
        pub name: Cow<'a, str>,
        /// Goodput over the whole phase.
        pub goodput_bps: f64,
        /// Goodput over its second half.
        pub second_half_goodput_bps: f64,
    }
}
