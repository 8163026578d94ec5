//! Packets as the bytes of a link, and files of them for other tools.
//!
//! Invariant: encoders are pure. The same packets give the same bytes, and a packet has as many bytes as the simulator counts for it on
//! its link.
//!
//! Floors, lowest first; a module imports only from modules above its line:
//!
//! | module | contents |
//! |---|---|
//! | [`checks`] | ICRC, VCRC, FCS and the checksum of IPv4 |
//! | [`headers`] | headers from the LRH or the Ethernet addresses to the last extension, field by field |
//! | [`frame`] | whole packets and PAUSE frames, with payload and checks |
//! | [`pcapng`] | files of packets, for Wireshark and its relatives |
//! | [`protobuf`] | messages of Protocol Buffers |
//! | [`perfetto`] | traces, for Perfetto |

pub mod checks;
pub mod frame;
pub mod headers;
pub mod pcapng;
pub mod perfetto;
pub mod protobuf;
