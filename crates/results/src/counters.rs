//! Counters of ports, as the tools of InfiniBand and Ethernet show them after a run.
//!
//! Invariant: counters are a function of `ports.csv`. Tables hold whole counts. In ibsim's script a count that
//! overflows the real register is cut at the register's largest value, and named.
//!
//! | counter | computed as | width of the register |
//! |---|---|---|
//! | `PortXmitData`, `PortRcvData` | bytes from the LRH to the ICRC, over 4 | 64 bits extended; 32 in `PortCounters` |
//! | `PortXmitPkts`, `PortRcvPkts` | packets | the same |
//! | `PortXmitWait` | time without credit over a tick | 32 bits |
//! | `PortXmitDiscards` | packets dropped at the output: none under credits | 16 bits |
//! | `tx_prioN_bytes`, `rx_prioN_bytes` | bytes from the addresses to the FCS | 64 bits, as all of Ethernet |
//! | `rx_prioN_pause`, `tx_prioN_pause` | PAUSE frames, without RESUME | |
//! | `rx_prioN_pause_duration` | time for which the port was paused, in us | |
//!
//! Registers: IBA volume 1, 16.1.3.5 and 16.1.4.11 (cited from memory); names of Ethernet: `ethtool -S` of mlx5.

use std::fmt::Write;

use crate::format;
use crate::reader::{ReadError, RunFiles};
use crate::rows::PortRow;

/// Length of the VCRC, which counters of data leave out, in bytes.
const VCRC_BYTES: u64 = 2;
/// Bytes of a word: the unit of counters of data.
const WORD: u64 = 4;

/// Counters of a port of InfiniBand, or of a single lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InfiniBandCounters {
    /// Node of the port.
    pub node: String,
    /// Number of the port, from 1.
    pub port: u32,
    /// Lane; `None` for the port.
    pub lane: Option<u32>,
    /// Words sent.
    pub xmit_data: u64,
    /// Packets sent.
    pub xmit_pkts: u64,
    /// Words received.
    pub rcv_data: u64,
    /// Packets received.
    pub rcv_pkts: u64,
    /// Ticks without credit. Lanes that wait at a time count each.
    pub xmit_wait: u64,
    /// Packets dropped at the output.
    pub xmit_discards: u64,
}

/// Reads the counts of all ports and lanes from a run's folder.
///
/// # Errors
/// If there is no `ports.csv`, or it is of an older version.
pub fn lanes(files: RunFiles<'_>) -> Result<Vec<PortRow<'static>>, ReadError> {
    files.rows()
}

/// Returns the counters of each port. The lanes of a port with several lanes follow it. `tick_s` is the unit of
/// `PortXmitWait`; `None` stands for the time in which the link carries a word.
#[must_use]
pub fn infiniband(lanes: &[PortRow<'_>], tick_s: Option<f64>) -> Vec<InfiniBandCounters> {
    let mut counters = Vec::new();
    for port in lanes.chunk_by(|one, next| (&one.node, one.port) == (&next.node, next.port)) {
        let each: Vec<_> = port.iter().map(|lane| InfiniBandCounters::of(lane, tick_s)).collect();
        let sum = |counter: fn(&InfiniBandCounters) -> u64| each.iter().map(counter).sum();
        counters.push(InfiniBandCounters {
            node: port[0].node.to_string(),
            port: port[0].port,
            lane: None,
            xmit_data: sum(|lane| lane.xmit_data),
            xmit_pkts: sum(|lane| lane.xmit_pkts),
            rcv_data: sum(|lane| lane.rcv_data),
            rcv_pkts: sum(|lane| lane.rcv_pkts),
            xmit_wait: sum(|lane| lane.xmit_wait),
            xmit_discards: sum(|lane| lane.xmit_discards),
        });
        if each.len() > 1 {
            counters.extend(each);
        }
    }
    counters
}

impl InfiniBandCounters {
    fn of(lane: &PortRow<'_>, tick_s: Option<f64>) -> Self {
        let words = |bytes: u64, packets: u64| bytes.saturating_sub(packets * VCRC_BYTES) / WORD;
        let tick_s = tick_s.unwrap_or((8 * WORD) as f64 / lane.link_rate_bps);
        Self {
            node: lane.node.to_string(),
            port: lane.port,
            lane: Some(lane.lane),
            xmit_data: words(lane.sent_bytes, lane.sent_packets),
            xmit_pkts: lane.sent_packets,
            rcv_data: words(lane.received_bytes, lane.received_packets),
            rcv_pkts: lane.received_packets,
            xmit_wait: (lane.stalled_s / tick_s).round() as u64,
            xmit_discards: lane.dropped_at_output_packets,
        }
    }

    /// Returns the counters with the names and the largest values of their registers in ibsim.
    fn registers(&self) -> [(&'static str, u64, u64); 10] {
        const BITS_16: u64 = u16::MAX as u64;
        const BITS_32: u64 = u32::MAX as u64;
        [
            ("PortCountersExtended.PortXmitData", self.xmit_data, u64::MAX),
            ("PortCountersExtended.PortRcvData", self.rcv_data, u64::MAX),
            ("PortCountersExtended.PortXmitPkts", self.xmit_pkts, u64::MAX),
            ("PortCountersExtended.PortRcvPkts", self.rcv_pkts, u64::MAX),
            ("PortCounters.PortXmitData", self.xmit_data, BITS_32),
            ("PortCounters.PortRcvData", self.rcv_data, BITS_32),
            ("PortCounters.PortXmitPkts", self.xmit_pkts, BITS_32),
            ("PortCounters.PortRcvPkts", self.rcv_pkts, BITS_32),
            ("PortCounters.PortXmitWait", self.xmit_wait, BITS_32),
            ("PortCounters.PortXmitDiscards", self.xmit_discards, BITS_16),
        ]
    }
}

/// Returns counters of InfiniBand as CSV: a row for each port, and for each of its lanes if it has several.
#[must_use]
pub fn infiniband_csv(counters: Vec<InfiniBandCounters>) -> String {
    let header = [
        "node",
        "port",
        "lane",
        "PortXmitData",
        "PortXmitPkts",
        "PortRcvData",
        "PortRcvPkts",
        "PortXmitWait",
        "PortXmitDiscards",
    ];
    let row = |row: InfiniBandCounters| {
        let lane = row.lane.map_or_else(String::new, |lane| lane.to_string());
        let counts =
            [row.xmit_data, row.xmit_pkts, row.rcv_data, row.rcv_pkts, row.xmit_wait, row.xmit_discards];
        let counts = counts.map(|count| count.to_string());
        [row.node, row.port.to_string(), lane].into_iter().chain(counts).collect()
    };
    format::csv(header.map(str::to_owned).into(), counters.into_iter().map(row))
}

/// A script for the console of ibsim, and the counters that its registers cannot hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IbsimScript {
    /// A command for each counter that is not 0.
    pub text: String,
    /// Counters that are cut, in words.
    pub cut: Vec<String>,
}

/// Returns the counters of ports as commands of ibsim. `place` returns a node's name and port number in ibsim's net
/// file.
///
/// # Errors
/// The node and the port for which `place` returns none.
pub fn ibsim(
    counters: &[InfiniBandCounters],
    place: impl Fn(&str, u32) -> Option<(String, u32)>,
) -> Result<IbsimScript, (String, u32)> {
    let mut script = IbsimScript { text: String::new(), cut: Vec::new() };
    for counters in counters.iter().filter(|counters| counters.lane.is_none()) {
        let unknown = || (counters.node.clone(), counters.port);
        let (node, port) = place(&counters.node, counters.port).ok_or_else(unknown)?;
        for (register, value, most) in counters.registers().into_iter().filter(|(_, value, _)| *value > 0) {
            let held = value.min(most);
            writeln!(script.text, "PerformanceSet \"{node}\"[{port}] {register}={held}").expect("memory");
            if held < value {
                let InfiniBandCounters { node, port, .. } = counters;
                script.cut.push(format!("{node}:{port}: {register} holds {held} instead of {value}"));
            }
        }
    }
    Ok(script)
}

/// Returns counters of Ethernet as CSV: a row for each port and priority.
#[must_use]
pub fn ethernet_csv(lanes: &[PortRow<'_>]) -> String {
    let header = ["node", "port", "priority"].into_iter().chain(ETHERNET.map(|(name, _)| name));
    let row = |lane: &PortRow<'_>| {
        let counts = ETHERNET.map(|(_, value)| value(lane).to_string());
        [lane.node.to_string(), lane.port.to_string(), lane.lane.to_string()]
            .into_iter()
            .chain(counts)
            .collect()
    };
    format::csv(header.map(str::to_owned).collect(), lanes.iter().map(row))
}

/// A counter of a port and priority: its name, and the function that makes it.
type EthernetCounter = (&'static str, fn(&PortRow<'_>) -> u64);

/// Counters of a port and priority, by their names without the priority.
const ETHERNET: [EthernetCounter; 9] = [
    ("rx_prio_bytes", |lane| lane.received_bytes),
    ("rx_prio_packets", |lane| lane.received_packets),
    ("rx_prio_discards", |lane| lane.dropped_at_input_packets),
    ("tx_prio_bytes", |lane| lane.sent_bytes),
    ("tx_prio_packets", |lane| lane.sent_packets),
    ("tx_prio_discards", |lane| lane.dropped_at_output_packets),
    ("rx_prio_pause", |lane| lane.pauses_heard),
    ("rx_prio_pause_duration", |lane| (lane.paused_s * 1e6).round() as u64),
    ("tx_prio_pause", |lane| lane.pauses_sent),
];

/// Returns counters of Ethernet in the form of `ethtool -S`, port by port.
#[must_use]
pub fn ethtool(lanes: &[PortRow<'_>]) -> String {
    let mut text = String::new();
    for port in lanes.chunk_by(|one, next| (&one.node, one.port) == (&next.node, next.port)) {
        let PortRow { node, port: number, .. } = &port[0];
        let node = names::shown::comment(node);
        write!(text, "{}# {node}:{number}\nNIC statistics:\n", if text.is_empty() { "" } else { "\n" })
            .expect("memory");
        for lane in port {
            for (name, value) in ETHERNET {
                let name = name.replacen("prio", &format!("prio{}", lane.lane), 1);
                writeln!(text, "     {name}: {}", value(lane)).expect("memory");
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::OutputFile;
    use crate::tables::ports::ports;

    fn lane(port: u32, lane: u32) -> PortRow<'static> {
        PortRow {
            node: "S1".into(),
            port,
            lane,
            link_rate_bps: 16e9,
            sent_bytes: 2078 * 10,
            sent_packets: 10,
            received_bytes: 30 * 3,
            received_packets: 3,
            stalled_s: 1e-3,
            pauses_sent: 5,
            pauses_heard: 6,
            paused_s: 7.4e-6,
            dropped_at_input_packets: 8,
            dropped_at_output_packets: 70_000,
            ..PortRow::default()
        }
    }

    /// 2,078 bytes are 519 words and a VCRC; 1 ms are 500,000 words at 16 Gb/s.
    #[test]
    fn data_is_counted_in_words_and_waits_in_ticks() {
        let counters = infiniband(&[lane(1, 0)], None);
        let [port] = &counters[..] else { panic!("a port with one lane has one row: {counters:?}") };
        assert_eq!((port.lane, port.xmit_data, port.rcv_data), (None, 5190, 21));
        assert_eq!((port.xmit_wait, port.xmit_discards), (500_000, 70_000));
        assert_eq!(infiniband(&[lane(1, 0)], Some(1e-6))[0].xmit_wait, 1000);
    }

    #[test]
    fn a_port_with_several_lanes_has_a_row_for_each_and_their_sum() {
        let counters = infiniband(&[lane(1, 0), lane(1, 1), lane(2, 0), lane(2, 1)], None);
        let rows: Vec<_> = counters.iter().map(|row| (row.port, row.lane, row.xmit_pkts)).collect();
        assert_eq!(
            rows,
            [
                (1, None, 20),
                (1, Some(0), 10),
                (1, Some(1), 10),
                (2, None, 20),
                (2, Some(0), 10),
                (2, Some(1), 10)
            ]
        );
        let csv = infiniband_csv(counters);
        assert_eq!(csv.lines().nth(1), Some("S1,1,,10380,20,42,6,1000000,140000"), "{csv}");
        assert_eq!(csv.lines().nth(2), Some("S1,1,0,5190,10,21,3,500000,70000"), "{csv}");
    }

    #[test]
    fn registers_that_cannot_hold_a_counter_are_named() {
        let large = PortRow { stalled_s: 100.0, received_packets: 0, received_bytes: 0, ..lane(1, 0) };
        let place = |node: &str, port| Some((format!("S-{node}"), port + 1));
        let script = ibsim(&infiniband(&[large], None), place).expect("both nodes have a place");
        let expected = "\
PerformanceSet \"S-S1\"[2] PortCountersExtended.PortXmitData=5190
PerformanceSet \"S-S1\"[2] PortCountersExtended.PortXmitPkts=10
PerformanceSet \"S-S1\"[2] PortCounters.PortXmitData=5190
PerformanceSet \"S-S1\"[2] PortCounters.PortXmitPkts=10
PerformanceSet \"S-S1\"[2] PortCounters.PortXmitWait=4294967295
PerformanceSet \"S-S1\"[2] PortCounters.PortXmitDiscards=65535
";
        assert_eq!(script.text, expected);
        assert_eq!(
            script.cut,
            [
                "S1:1: PortCounters.PortXmitWait holds 4294967295 instead of 50000000000",
                "S1:1: PortCounters.PortXmitDiscards holds 65535 instead of 70000"
            ]
        );
    }

    #[test]
    fn a_port_without_a_place_is_named() {
        assert_eq!(ibsim(&infiniband(&[lane(1, 0)], None), |_, _| None), Err(("S1".to_owned(), 1)));
    }

    #[test]
    fn counters_of_priorities_have_the_names_of_ethtool() {
        let text = ethtool(&[lane(1, 0), lane(1, 3), lane(2, 0)]);
        assert!(text.starts_with("# S1:1\nNIC statistics:\n     rx_prio0_bytes: 90\n"), "{text}");
        for line in
            ["     rx_prio3_pause: 6\n", "     rx_prio3_pause_duration: 7\n", "     tx_prio3_pause: 5\n"]
        {
            assert!(text.contains(line), "{line} in {text}");
        }
        assert_eq!(text.matches("NIC statistics:").count(), 2);
        let csv = ethernet_csv(&[lane(1, 3)]);
        assert_eq!(csv.lines().nth(1), Some("S1,1,3,90,3,8,20780,10,70000,6,7,5"), "{csv}");
    }

    /// Counts are read back from the file that a run writes.
    #[test]
    fn counts_are_read_from_the_file_that_is_written() {
        let record = crate::sample::record();
        let files = [OutputFile { name: "ports.csv".to_owned(), contents: ports(&record) }];
        let read = lanes(RunFiles::Written(&files)).expect("the file is right");
        assert_eq!(read.len(), record.lanes.len());
        for (read, written) in read.iter().zip(&record.lanes) {
            assert_eq!(
                (read.sent_bytes, read.received_packets),
                (written.sent.get(), written.received_packets)
            );
        }
    }
}
