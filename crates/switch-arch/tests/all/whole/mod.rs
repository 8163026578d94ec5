//! Whole switches, from the wire of a host to the wire of another. The tests hold promises of every organisation,
//! reservations of read bandwidth, and the laws of combined input and output queueing.

mod bench;
mod crossing;
mod output_queued;
mod promises;
mod reservations;
mod views;
