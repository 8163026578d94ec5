//! Rows of `port_series.csv`, `source_series.csv` and `pauses.csv`.

use std::borrow::Cow;

use super::output_name;
use crate::table_row;

table_row! {
    "port_series.csv": "one row per sample, port and lane that the scenario's `series` asks for; no file otherwise";
    /// A port and lane in an interval.
    pub struct PortSeriesRow<'a> {
        /// The sample, which ends an interval of the scenario's `sample`.
        pub time_s: f64,
        /// The port's node.
        pub node: Cow<'a, str>,
        /// The port's number, from 1.
        pub port: u32,
        /// The node at the other end of the link.
        pub peer: Cow<'a, str>,
        /// The virtual lane.
        pub lane: u32,
        /// Packets that wait in the switch for this output, at this instant; empty at an adapter, which makes packets
        /// as they leave.
        pub queue_bytes: Option<u64>,
        /// Packets in the buffer for packets that arrive by this port, at this instant.
        pub buffer_bytes: u64,
        /// Departures within the interval, headers included, without flow-control packets; a packet counts in full
        /// when it begins to leave.
        pub sent_bytes: u64,
        /// `sent_bytes` over the bytes that the link carries in the interval, at most 1: what it cannot carry counts in
        /// the next.
        pub utilisation: f64,
        /// Time within the interval for which it was stalled: packets waited here with the wire free, for credit or
        /// the end of a pause.
        pub stalled_s: f64,
        /// Packets marked on leaving here within the interval.
        pub marked_packets: u64,
    }
}

impl PortSeriesRow<'_> {
    /// Returns the name of the output.
    #[must_use]
    pub fn output(&self) -> String {
        output_name(&self.node, self.port, &self.peer, self.lane)
    }
}

table_row! {
    "source_series.csv": "one row per sample and flow that the scenario's `series` asks for; no file otherwise";
    /// A flow at its source in an interval.
    pub struct SourceSeriesRow<'a> {
        /// The sample, which ends an interval of the scenario's `sample`.
        pub time_s: f64,
        /// The flow's source host.
        pub host: Cow<'a, str>,
        /// The flow.
        pub flow: Cow<'a, str>,
        /// Payload of the flow that its destination's host took within the interval.
        pub delivered_bytes: u64,
        /// The largest rate on the wire that congestion control allows the flow, at this instant: DCQCN's `R_C`, or
        /// the link's rate over 1 + `delay_packet_times`; empty without control of the rate.
        pub rate_bps: Option<f64>,
        /// DCQCN's `R_T`.
        pub target_bps: Option<f64>,
        /// DCQCN's alpha.
        pub alpha: Option<f64>,
        /// Delay after each packet, in times that the packet takes on the wire: IBA's injection rate delay, or the HP
        /// proposal's inter-packet delay.
        pub delay_packet_times: Option<f64>,
        /// The window, where one is set.
        pub window_packets: Option<u32>,
        /// IBA's index into the congestion control table.
        pub ccti: Option<u32>,
    }
}

/// Names fields of a row beside their values.
macro_rules! quantities {
    ($row:ident: $($column:ident $value:expr,)+) => {
        [$((stringify!($column), { let $column = &$row.$column; $value })),+]
    };
}

impl SourceSeriesRow<'_> {
    /// Returns the quantities of the flow, each with the name of its column.
    #[must_use]
    pub fn quantities(&self) -> [(&'static str, Option<f64>); 7] {
        quantities! { self:
            delivered_bytes Some(*delivered_bytes as f64),
            rate_bps *rate_bps,
            target_bps *target_bps,
            alpha *alpha,
            delay_packet_times *delay_packet_times,
            window_packets window_packets.map(f64::from),
            ccti ccti.map(f64::from),
        }
    }
}

table_row! {
    "pauses.csv": "one row per beginning and end of a pause at the ports that the scenario's `series` asks for; no file otherwise";
    /// The beginning or the end of a pause of an output.
    pub struct PauseRow<'a> {
        /// Time at which the event took effect on this output.
        pub time_s: f64,
        /// The node of the output that is paused.
        pub node: Cow<'a, str>,
        /// The output's number, from 1.
        pub port: u32,
        /// The node at the other end of the link, which asked for the pause.
        pub peer: Cow<'a, str>,
        /// The virtual lane.
        pub lane: u32,
        /// `pause`: a PAUSE frame took effect on an output that could send; `resume`: the pause was over, by RESUME or
        /// because its time had passed. Repetitions of a PAUSE have no row.
        pub event: Cow<'a, str>,
    }
}

impl PauseRow<'_> {
    /// Word for the beginning of a pause.
    pub const PAUSE: &'static str = "pause";
    /// Word for the end of a pause.
    pub const RESUME: &'static str = "resume";

    /// Returns true if the output could not send from then on.
    #[must_use]
    pub fn is_pause(&self) -> bool {
        self.event == Self::PAUSE
    }

    /// Returns the name of the output.
    #[must_use]
    pub fn output(&self) -> String {
        output_name(&self.node, self.port, &self.peer, self.lane)
    }
}
