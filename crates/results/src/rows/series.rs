//! Rows of `series.csv` and `watch.csv`.

use std::borrow::Cow;

use crate::table_row;

table_row! {
    "series.csv": "goodput over time: one row per sample for each named flow, each group, all others and the total";
    /// A flow, or a sum of flows, in an interval.
    pub struct SeriesRow<'a> {
        /// End of the interval, which begins a `sample` earlier.
        pub time_s: f64,
        /// `flow`: one named flow; `group`: all flows of a group, named ones included; `others`: all flows with
        /// neither a name nor a group, where there are any; `total`: all flows.
        pub kind: Cow<'a, str>,
        /// Name of the flow or group; `others` and `total` again for those.
        pub name: Cow<'a, str>,
        /// Goodput within the interval, of several flows their sum.
        pub goodput_bps: f64,
        /// Of a group and of all others, the number of flows that the quartiles are of: those that had begun before
        /// the end of the interval, and delivered payload within it or had a message at its end that was not complete
        /// at its source; of more than 16,384 flows only that many, evenly spaced in their order, are looked at.
        pub flows: Option<u32>,
        /// Lower quartile of the goodput of one of these flows, by nearest rank; empty where there is none.
        pub lower_quartile_bps: Option<f64>,
        /// Its median.
        pub median_bps: Option<f64>,
        /// Its upper quartile.
        pub upper_quartile_bps: Option<f64>,
    }
}

table_row! {
    "watch.csv": "one row per sample and quantity that the scenario's `watch` lists; no file without `watch`";
    /// A watched quantity at a sample.
    pub struct WatchRow<'a> {
        /// The sample.
        pub time_s: f64,
        /// An output and lane, `SWITCH:PORT VL0`, or the name of a flow.
        pub object: Cow<'a, str>,
        /// `Queue(ports, lane)` has `queue_bytes`: packets waiting for this output and lane. `Control(flow)` has what
        /// its response has: DCQCN `rate_bps` and `target_bps`, `R_C` and `R_T` of the reaction point, on the wire,
        /// and `alpha`; IBA `ccti`, `delay_packet_times` (the injection rate delay, in times of a packet on the wire)
        /// and `rate_bps` (the rate that this allows); the HP proposal `delay_packet_times` (CIPD), `rate_bps` and
        /// `window_packets` (CWND).
        pub quantity: Cow<'a, str>,
        /// Its value at this instant, in the unit that ends the quantity's name.
        pub value: f64,
    }
}
