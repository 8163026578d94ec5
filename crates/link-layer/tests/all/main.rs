//! Tests of links and ports from outside the crate, in a single program: it is linked once.

mod lane_set;
mod memory_pool;
mod pause;
mod ports;
mod settings;
mod shared_memory;
