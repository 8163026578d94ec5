//! Table of ports and lanes: `ports.csv`.
//!
//! Invariant: one row for each port and lane that can carry data, adapters first.

use telemetry::{LaneRecord, PauseRecord, RunRecord};

use super::marks::marked;
use crate::congestion::utilisation;
use crate::rows::PortRow;
use crate::table::TableRow;
use measures::rounded;

/// Returns `ports.csv`: one row for each port and lane.
#[must_use]
pub fn ports(record: &RunRecord) -> String {
    // The lanes of a node follow each other.
    let nodes = record.lanes.chunk_by(|a, b| a.node == b.node).flat_map(|lanes| {
        let choices = lanes.iter().filter_map(|lane| lane.chosen).sum();
        lanes.iter().map(move |lane| row(record, lane, choices))
    });
    PortRow::csv(nodes)
}

/// Returns the row of a lane of a node with this number of choices.
fn row<'a>(record: &RunRecord, lane: &'a LaneRecord, choices: u64) -> PortRow<'a> {
    let (load, queue, pause) = (lane.load, lane.output_queue, lane.pause.as_ref());
    // Under credits there are neither pauses nor drops.
    let of_pause = |count: fn(&PauseRecord) -> u64| pause.map_or(0, count);
    PortRow {
        node: lane.node.as_str().into(),
        port: lane.port.into(),
        peer: lane.peer.as_str().into(),
        lane: lane.lane.into(),
        link_rate_bps: lane.rate.get() as f64,
        sent_bytes: lane.sent.get(),
        sent_packets: lane.packets,
        received_bytes: lane.received.get(),
        received_packets: lane.received_packets,
        utilisation: rounded(utilisation(record, lane), 6),
        stalled_s: lane.stalled.seconds(),
        sampled_queue_peak_bytes: load.map(|load| load.queue_peak.get()),
        sampled_queue_mean_bytes: load.map(|load| rounded(load.queue_mean, 3)),
        flows: load.and_then(|load| load.flows),
        congested_samples: load.map(|load| load.congested),
        root_samples: load.map(|load| load.rooted),
        stalled_samples: load.map(|load| load.stalled),
        chosen_share: lane
            .chosen
            .filter(|_| choices > 0)
            .map(|chosen| rounded(chosen as f64 / choices as f64, 6)),
        buffer_bytes: lane.buffer.get(),
        buffer_peak_bytes: lane.peak.get(),
        buffer_mean_bytes: rounded(lane.mean, 3),
        output_queue_peak_bytes: queue.map(|queue| queue.peak.get()),
        output_queue_mean_bytes: queue.map(|queue| rounded(queue.mean, 3)),
        pauses_sent: of_pause(|pause| pause.sent),
        pauses_heard: of_pause(|pause| pause.heard),
        paused_s: pause.map_or(0.0, |pause| pause.paused.seconds()),
        dropped_at_input_packets: of_pause(|pause| pause.dropped_at_input),
        dropped_at_output_packets: of_pause(|pause| pause.dropped_at_output),
        marked_root_packets: marked(record, &lane.marks, "root"),
        marked_victim_mask_packets: marked(record, &lane.marks, "victim_mask"),
        marked_propagation_packets: marked(record, &lane.marks, "propagation"),
        marked_generation_packets: marked(record, &lane.marks, "generation"),
        marked_red_packets: marked(record, &lane.marks, "red"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn the_table_as_it_is_written() {
        insta::assert_snapshot!("ports", ports(&sample::record()));
    }

    #[test]
    fn a_lane_that_sends_all_the_time_uses_all_of_its_link() {
        let mut record = sample::record();
        let lane = &mut record.lanes[0];
        // 20 ms of 16 Gb/s.
        (lane.sent, lane.rate) = (units::Bytes::new(40_000_000), units::Rate::gbps(16));
        assert_eq!(utilisation(&record, &record.lanes[0]), 1.0);
    }

    /// Choices are shared out among the outputs of their switch, and an adapter has none.
    #[test]
    fn choices_are_shares_of_their_switch() {
        let mut record = sample::record();
        let template = record.lanes[0].clone();
        let lane = |node: &str, chosen| LaneRecord { node: node.to_owned(), chosen, ..template.clone() };
        record.lanes = vec![
            lane("h1", None),
            lane("s1", Some(1)),
            lane("s1", Some(3)),
            lane("s2", Some(0)),
            lane("s3", Some(5)),
        ];
        let table = ports(&record);
        let mut rows = table.lines().map(|line| line.split(',').collect::<Vec<_>>());
        let place = rows.next().and_then(|header| header.iter().position(|name| *name == "chosen_share"));
        let place = place.expect("there is such a column");
        assert_eq!(rows.map(|row| row[place]).collect::<Vec<_>>(), ["", "0.25", "0.75", "", "1.0"]);
    }

    /// The columns of a table must not depend on the marking rule of the run.
    #[test]
    fn marks_have_a_column_for_each_reason_of_every_marking_rule() {
        let mut record = sample::record();
        let reasons: Vec<_> = record.mark_reasons.iter().map(|(_, name)| *name).collect();
        assert_eq!(reasons, ["root", "victim_mask", "propagation", "generation", "red"]);
        let columns: Vec<_> = reasons.iter().map(|reason| format!("marked_{reason}_packets")).collect();
        for kept in [5, 1, 0] {
            record.mark_reasons.truncate(kept);
            for table in [crate::tables::flows::flows(&record, &[]), ports(&record)] {
                let header = table.lines().next().expect("a table has a header");
                let marks: Vec<_> = header.split(',').filter(|name| name.starts_with("marked_")).collect();
                assert_eq!(marks, columns);
                let first = table.lines().nth(1).expect("a table has a row");
                let victim_mask = first.split(',').nth_back(3).expect("it has five columns of marks");
                assert_eq!(victim_mask == "0", kept < 2, "{first}");
            }
        }
    }
}
