//! Tests of traffic from outside the crate, in one program: it is linked once.

mod contract;
mod errors;
mod groups;
mod hot_spots;
mod parties;
mod posted;
mod synthetic;
mod workloads;
