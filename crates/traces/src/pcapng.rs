//! Files of packets in pcapng, for Wireshark, tshark and their relatives.
//!
//! Invariant: a file is a section header, its interfaces, packets in the order in which they are given, and at the end statistics of each
//! interface. Every block has a length that is a multiple of 4, written twice. Nothing in a file depends on the machine or the day.
//!
//! | link | link type | a packet's bytes |
//! |---|---|---|
//! | InfiniBand | 197, ERF | ERF header of 16 bytes, record type 21, then LRH to VCRC |
//! | Ethernet | 1 | addresses to FCS, which the interface announces |
//!
//! tshark 4.0 refuses link type 247, InfiniBand without a header around it.
//!
//! Times are whole nanoseconds, rounded down: Wireshark computes with no finer ones. The format: draft-ietf-opsawg-pcapng; ERF: Endace, "ERF
//! types reference" (cited from memory).

use std::io::{self, Write};

use units::{Rate, Time};

use crate::frame::LinkFormat;

const SECTION: u32 = 0x0A0D_0D0A;
const INTERFACE: u32 = 1;
const STATISTICS: u32 = 5;
const PACKET: u32 = 6;

/// Length of the ERF header, in bytes.
const ERF_BYTES: usize = 16;
/// Record type of InfiniBand.
const ERF_INFINIBAND: u8 = 21;
/// Flag of ERF records whose length varies.
const VARYING_LENGTH: u8 = 0x04;

/// Writes a file.
#[derive(Debug)]
pub struct PcapngWriter<W> {
    file: W,
    format: LinkFormat,
    /// Bytes of a packet that are written at most; `None` for all.
    snap: Option<u32>,
    block: Vec<u8>,
}

/// The origin of a file.
#[derive(Clone, Copy, Debug)]
pub struct Origin<'a> {
    /// Program that writes it, with its version.
    pub program: &'a str,
    /// Remark about the file.
    pub comment: &'a str,
}

/// An interface: a port at which packets are captured.
#[derive(Clone, Copy, Debug)]
pub struct Interface<'a> {
    /// Name of the port.
    pub name: &'a str,
    /// The other end of its cable.
    pub description: &'a str,
    /// Filter, in words; empty for none.
    pub filter: &'a str,
    /// Rate of the link.
    pub rate: Rate,
}

/// Direction in which a packet passes a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// The port receives it.
    In,
    /// The port sends it.
    Out,
}

/// A packet at an interface.
#[derive(Clone, Copy, Debug)]
pub struct CapturedFrame<'a> {
    /// Interface, by its number in the file.
    pub interface: u32,
    /// Time at which its first bit passes.
    pub at: Time,
    /// Direction.
    pub direction: Direction,
    /// Whole packet.
    pub bytes: &'a [u8],
}

/// Counts of an interface over the whole time of a capture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InterfaceCounts {
    /// Packets that passed.
    pub passed: u64,
    /// Those that the filter took.
    pub taken: u64,
    /// Those of these that are in the file.
    pub written: u64,
}

impl<W: Write> PcapngWriter<W> {
    /// Begins a file. Of each packet the first `snap` bytes are written, of all links alike.
    ///
    /// # Errors
    /// If the file cannot be written, as all methods.
    pub fn new(file: W, format: LinkFormat, snap: Option<u32>, origin: Origin<'_>) -> io::Result<Self> {
        let mut writer = Self { file, format, snap, block: Vec::new() };
        writer.begin(SECTION);
        writer.number(0x1A2B_3C4D);
        writer.block.extend([1, 0, 0, 0]); // Version 1.0.
        writer.block.extend([0xFF; 8]); // Length of the section: not known.
        writer.option(1, origin.comment.as_bytes());
        writer.option(4, origin.program.as_bytes());
        writer.end_options()?;
        Ok(writer)
    }

    /// Adds an interface. Interfaces are numbered from 0, and come before packets.
    ///
    /// # Errors
    /// As [`PcapngWriter::new`].
    pub fn interface(&mut self, interface: Interface<'_>) -> io::Result<()> {
        let (link_type, around): (u16, u32) = match self.format {
            LinkFormat::InfiniBand => (197, ERF_BYTES as u32),
            LinkFormat::Ethernet => (1, 0),
        };
        self.begin(INTERFACE);
        self.block.extend(link_type.to_le_bytes());
        self.block.extend([0, 0]);
        self.number(self.snap.map_or(0, |snap| snap + around)); // 0 is no limit.
        self.option(2, interface.name.as_bytes());
        self.option(3, interface.description.as_bytes());
        self.option(8, &interface.rate.get().to_le_bytes());
        self.option(9, &[9]); // Nanoseconds.
        if !interface.filter.is_empty() {
            self.option(11, &[b"\0", interface.filter.as_bytes()].concat()); // A text.
        }
        if self.format == LinkFormat::Ethernet {
            self.option(13, &[4]); // Length of the FCS.
        }
        self.end_options()
    }

    /// Adds a packet.
    ///
    /// # Errors
    /// As [`PcapngWriter::new`].
    pub fn frame(&mut self, frame: CapturedFrame<'_>) -> io::Result<()> {
        let whole = frame.bytes.len();
        let kept = self.snap.map_or(whole, |snap| whole.min(snap as usize));
        let around = if self.format == LinkFormat::InfiniBand { ERF_BYTES } else { 0 };
        self.begin(PACKET);
        self.number(frame.interface);
        self.time(frame.at);
        self.number((around + kept) as u32);
        self.number((around + whole) as u32);
        if self.format == LinkFormat::InfiniBand {
            self.erf_header(frame.at, kept, whole);
        }
        self.block.extend(&frame.bytes[..kept]);
        self.pad();
        let direction: u32 = match frame.direction {
            Direction::In => 1,
            Direction::Out => 2,
        };
        self.option(2, &direction.to_le_bytes());
        self.end_options()
    }

    /// Adds the counts of an interface. `end` is the end of the capture.
    ///
    /// # Errors
    /// As [`PcapngWriter::new`].
    pub fn statistics(&mut self, interface: u32, end: Time, counts: InterfaceCounts) -> io::Result<()> {
        self.begin(STATISTICS);
        self.number(interface);
        self.time(end);
        self.option(4, &counts.passed.to_le_bytes());
        self.option(6, &counts.taken.to_le_bytes());
        self.option(8, &counts.written.to_le_bytes());
        self.end_options()
    }

    /// Ends the file, and returns it.
    ///
    /// # Errors
    /// As [`PcapngWriter::new`].
    pub fn finish(mut self) -> io::Result<W> {
        self.file.flush()?;
        Ok(self.file)
    }

    /// Appends an ERF header: a time in seconds with 32 binary places, type, flags, lengths, and no packets lost.
    fn erf_header(&mut self, at: Time, kept: usize, whole: usize) {
        const SECOND: u128 = 1_000_000_000_000;
        let stamp = ((u128::from(at.ps()) << 32) / SECOND) as u64;
        self.block.extend(stamp.to_le_bytes());
        self.block.extend([ERF_INFINIBAND, VARYING_LENGTH]);
        self.block.extend(((ERF_BYTES + kept) as u16).to_be_bytes());
        self.block.extend([0, 0]);
        self.block.extend((whole as u16).to_be_bytes());
    }

    fn begin(&mut self, kind: u32) {
        self.block.clear();
        self.number(kind);
        self.number(0); // The length, once it is known.
    }

    fn number(&mut self, number: u32) {
        self.block.extend(number.to_le_bytes());
    }

    /// Appends a time in nanoseconds, its upper half first.
    fn time(&mut self, at: Time) {
        let ns = at.ps() / 1000;
        self.number((ns >> 32) as u32);
        self.number(ns as u32);
    }

    /// Appends an option. A text is cut at 64 KiB, the most that an option holds.
    fn option(&mut self, code: u16, value: &[u8]) {
        let value = &value[..value.len().min(usize::from(u16::MAX))];
        self.block.extend(code.to_le_bytes());
        self.block.extend((value.len() as u16).to_le_bytes());
        self.block.extend(value);
        self.pad();
    }

    fn pad(&mut self) {
        self.block.resize(self.block.len().next_multiple_of(4), 0);
    }

    /// Ends the options of a block, and writes the block.
    fn end_options(&mut self) -> io::Result<()> {
        self.number(0);
        let length = (self.block.len() + 4) as u32;
        self.number(length);
        self.block[4..8].copy_from_slice(&length.to_le_bytes());
        self.file.write_all(&self.block)
    }
}

#[cfg(test)]
mod tests {
    use units::Span;

    use super::*;

    /// A block: its kind and its body.
    type Block = (u32, Vec<u8>);

    /// Reads blocks as the format defines them.
    fn blocks(mut file: &[u8]) -> Vec<Block> {
        let word = |bytes: &[u8]| u32::from_le_bytes(bytes[..4].try_into().expect("4 bytes"));
        let mut found = Vec::new();
        while !file.is_empty() {
            let length = word(&file[4..]) as usize;
            assert!(length.is_multiple_of(4), "{length}");
            assert_eq!(word(&file[length - 4..]) as usize, length, "the length stands at both ends");
            found.push((word(file), file[8..length - 4].to_vec()));
            file = &file[length..];
        }
        found
    }

    fn written(format: LinkFormat, snap: Option<u32>) -> Vec<Block> {
        let origin = Origin { program: "backwater", comment: "a remark" };
        let mut writer = PcapngWriter::new(Vec::new(), format, snap, origin).expect("a vector");
        let port = Interface { name: "leaf:1", description: "h1", filter: "", rate: Rate::gbps(40) };
        writer.interface(port).expect("a vector");
        let at = Time::from_ps(5_000_000_001_999);
        let frame = CapturedFrame { interface: 0, at, direction: Direction::Out, bytes: &[0xAA; 10] };
        writer.frame(frame).expect("a vector");
        let counts = InterfaceCounts { passed: 3, taken: 2, written: 1 };
        writer.statistics(0, Span::from_us(7_000_000).after_start(), counts).expect("a vector");
        blocks(&writer.finish().expect("a vector"))
    }

    #[test]
    fn a_file_of_ethernet() {
        let blocks = written(LinkFormat::Ethernet, None);
        assert_eq!(blocks.iter().map(|block| block.0).collect::<Vec<_>>(), [SECTION, 1, 6, 5]);
        assert_eq!(blocks[0].1[..8], [0x4D, 0x3C, 0x2B, 0x1A, 1, 0, 0, 0]);
        assert_eq!(blocks[1].1[..8], [1, 0, 0, 0, 0, 0, 0, 0], "Ethernet, whole packets");
        // 5.000000001999 s are 5,000,000,001 ns: 1 * 2^32 + 705,032,705.
        let expected =
            [[0; 4], [1, 0, 0, 0], 705_032_705_u32.to_le_bytes(), [10, 0, 0, 0], [10, 0, 0, 0]].concat();
        assert_eq!(blocks[2].1[..20], expected);
        assert_eq!(blocks[2].1[20..32], [0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0, 0]);
        assert_eq!(blocks[2].1[32..], [2, 0, 4, 0, 2, 0, 0, 0, 0, 0, 0, 0], "outbound");
        let expected =
            [&[4, 0, 8, 0, 3][..], &[0; 7], &[6, 0, 8, 0, 2], &[0; 7], &[8, 0, 8, 0, 1], &[0; 11]].concat();
        assert_eq!(blocks[3].1[12..], expected);
    }

    #[test]
    fn a_file_of_infiniband_cuts_packets_and_keeps_their_lengths() {
        let blocks = written(LinkFormat::InfiniBand, Some(4));
        assert_eq!(blocks[1].1[..8], [197, 0, 0, 0, 20, 0, 0, 0], "ERF, its header and 4 bytes");
        let packet = &blocks[2].1;
        assert_eq!(packet[12..20], [20, 0, 0, 0, 26, 0, 0, 0]);
        // 5.000000001999 s: 5 * 2^32, and 8.58 * 2^-32 s above.
        assert_eq!(packet[20..36], [8, 0, 0, 0, 5, 0, 0, 0, 21, 4, 0, 20, 0, 0, 0, 10]);
        assert_eq!(packet[36..40], [0xAA; 4]);
    }
}
