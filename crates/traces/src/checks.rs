//! Check sequences: ICRC and VCRC of InfiniBand, FCS of Ethernet, header checksum of IPv4.
//!
//! Invariant: a check is a function of the bytes that it covers, in wire order.
//!
//! | check | polynomial | covers | source |
//! |---|---|---|---|
//! | ICRC | CRC-32 of Ethernet | all that no switch changes; changing fields count as ones | IBA volume 1, 7.8.1; RoCEv2: Annex A17.3.3 |
//! | VCRC | 0x100B, 16 bits | the LRH to the ICRC | IBA volume 1, 7.8.2 |
//! | FCS | CRC-32 of Ethernet | the addresses to the ICRC | IEEE 802.3, 3.2.9 |
//!
//! All three have the bits of each byte in the order of transmission, lowest first, begin with ones, and are sent inverted, lowest byte
//! first. The clauses of IBA are cited from memory; the tests have its sample packet.

use crc::{Algorithm, CRC_32_ISO_HDLC, Crc, Table};

/// The 32-bit check of Ethernet, which is the ICRC, too.
static CRC32: Crc<u32, Table<16>> = Crc::<u32, Table<16>>::new(&CRC_32_ISO_HDLC);
/// The 16-bit check of InfiniBand's links.
static CRC16: Crc<u16, Table<16>> = Crc::<u16, Table<16>>::new(&VCRC);

const VCRC: Algorithm<u16> = Algorithm {
    width: 16,
    poly: 0x100B,
    init: 0xFFFF,
    refin: true,
    refout: true,
    xorout: 0xFFFF,
    check: 0,
    residue: 0,
};

/// Returns the ICRC of an InfiniBand packet without GRH, from the LRH to the padded payload.
///
/// # Panics
/// If there are fewer bytes than an LRH and a BTH have, 20.
#[must_use]
pub fn icrc_of_infiniband(packet: &[u8]) -> [u8; 4] {
    let (headers, rest) = packet.split_at(20);
    let mut masked: [u8; 20] = headers.try_into().expect("20 bytes");
    masked[0] |= 0xF0; // VL, which each link may change.
    masked[12] = 0xFF; // FECN, BECN and the rest of `resv8a`.
    let mut digest = CRC32.digest();
    digest.update(&masked);
    digest.update(rest);
    digest.finalize().to_le_bytes()
}

/// Returns the ICRC of a RoCEv2 packet, from its IPv4 header without options to the padded payload.
///
/// # Panics
/// If there are fewer bytes than IPv4, UDP and BTH have, 40.
#[must_use]
pub fn icrc_of_rocev2(packet: &[u8]) -> [u8; 4] {
    let (headers, rest) = packet.split_at(40);
    let mut masked: [u8; 40] = headers.try_into().expect("40 bytes");
    masked[1] = 0xFF; // DSCP and ECN.
    masked[8] = 0xFF; // Time to live.
    masked[10..12].fill(0xFF); // Header checksum.
    masked[26..28].fill(0xFF); // Checksum of UDP.
    masked[32] = 0xFF; // FECN, BECN and the rest of `resv8a`.
    let mut digest = CRC32.digest();
    digest.update(&[0xFF; 8]); // In the place of an LRH.
    digest.update(&masked);
    digest.update(rest);
    digest.finalize().to_le_bytes()
}

/// Returns the VCRC of an InfiniBand packet, from the LRH to the ICRC.
#[must_use]
pub fn vcrc(packet: &[u8]) -> [u8; 2] {
    CRC16.checksum(packet).to_le_bytes()
}

/// Returns the FCS of an Ethernet frame, from the addresses on.
#[must_use]
pub fn fcs(frame: &[u8]) -> [u8; 4] {
    CRC32.checksum(frame).to_le_bytes()
}

/// Returns the checksum of an IPv4 header whose own field for it is zero (RFC 791): the inverted sum of its 16-bit words, in ones' complement.
#[must_use]
pub fn ipv4(header: &[u8; 20]) -> [u8; 2] {
    let words = header.chunks_exact(2).map(|word| u32::from(u16::from_be_bytes([word[0], word[1]])));
    let sum: u32 = words.sum();
    let folded = (sum & 0xFFFF) + (sum >> 16);
    (!((folded & 0xFFFF) + (folded >> 16)) as u16).to_be_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sample of IBA volume 1, 7.8: an RDMA WRITE Only over RC with 14 bytes of payload and 2 of pad.
    const SAMPLE: [u8; 52] = [
        0x70, 0x12, 0x37, 0x5C, 0x00, 0x0E, 0x17, 0xD2, 0x0A, 0x20, 0x24, 0x87, 0x00, 0x87, 0xB1, 0xB3, 0x00,
        0x0D, 0xEC, 0x2A, 0x01, 0x71, 0x0A, 0x1C, 0x01, 0x5D, 0x40, 0x02, 0x38, 0xF2, 0x7A, 0x05, 0x00, 0x00,
        0x00, 0x0E, 0xBB, 0x88, 0x4D, 0x85, 0xFD, 0x5C, 0xFB, 0xA4, 0x72, 0x8B, 0xC0, 0x69, 0x0E, 0xD4, 0x00,
        0x00,
    ];

    #[test]
    fn the_icrc_of_the_standards_sample() {
        assert_eq!(icrc_of_infiniband(&SAMPLE), [0x96, 0x25, 0xB7, 0x5A]);
        // Neither the lane nor a mark changes it.
        let mut marked = SAMPLE;
        (marked[0], marked[12]) = (0x30, 0x80);
        assert_eq!(icrc_of_infiniband(&marked), icrc_of_infiniband(&SAMPLE));
        marked[1] ^= 0x10;
        assert_ne!(icrc_of_infiniband(&marked), icrc_of_infiniband(&SAMPLE), "the service level does");
    }

    /// Bit by bit, as the standard's shift register computes it: no table, no reflection of constants.
    #[test]
    fn the_vcrc_is_that_of_the_standards_shift_register() {
        let register = |bytes: &[u8]| {
            let bits = bytes.iter().flat_map(|byte| (0..8).map(move |bit| u16::from(byte >> bit & 1)));
            let shifted = bits.fold(0xFFFF_u16, |register, bit| {
                let out = register >> 15 ^ bit;
                register << 1 ^ if out == 1 { 0x100B } else { 0 }
            });
            // Sent from the highest coefficient on, each byte lowest bit first.
            (!shifted.reverse_bits()).to_le_bytes()
        };
        let mut whole = SAMPLE.to_vec();
        whole.extend(icrc_of_infiniband(&SAMPLE));
        for length in [0, 1, 7, 52, 56] {
            assert_eq!(vcrc(&whole[..length]), register(&whole[..length]), "{length} bytes");
        }
        assert_eq!(vcrc(&whole), [0x45, 0xFA]);
    }

    /// The example of another encoder's tests (Scapy, `roce.uts`): a UC SEND Only.
    #[test]
    fn the_icrc_of_a_known_packet_over_ethernet() {
        let mut packet =
            vec![0x45, 0x01, 0, 64, 0x04, 0x78, 0x40, 0, 64, 17, 0, 0, 192, 168, 0, 7, 192, 168, 0, 7];
        packet.extend([0xC0, 0, 0x12, 0xB7, 0, 44, 0, 0]);
        packet.extend([0x24, 0x60, 0xFF, 0xFF, 0, 0, 0, 211, 0, 0xCF, 0x17, 0x10]);
        packet.extend(b"F0\x81\x8b\xe2\x895\xd9\x0e\x9a\x95PT\x01\xbe\x88^P\x00\x00");
        assert_eq!(icrc_of_rocev2(&packet), [0x78, 0xF3, 0x53, 0xF3]);
        (packet[1], packet[8], packet[32]) = (0x03, 9, 0xC0);
        assert_eq!(icrc_of_rocev2(&packet), [0x78, 0xF3, 0x53, 0xF3], "what routers change is not covered");
    }

    #[test]
    fn published_values_of_the_fcs_and_of_the_checksum_of_ipv4() {
        assert_eq!(fcs(b"123456789"), 0xCBF4_3926_u32.to_le_bytes());
        let header =
            [0x45, 0, 0, 0x73, 0, 0, 0x40, 0, 0x40, 0x11, 0, 0, 0xC0, 0xA8, 0, 1, 0xC0, 0xA8, 0, 0xC7];
        assert_eq!(ipv4(&header), [0xB8, 0x61]);
    }
}
