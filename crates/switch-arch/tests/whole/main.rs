//! Whole switches, from the wire of one host to the wire of another: what every organisation promises, and the
//! laws of combined input and output queueing.

mod bench;
mod claims;
mod crossing;
mod promises;
