//! Tests of whole runs: laws of physics, and every shipped scenario to the byte.

mod cables;
mod closed;
mod combined;
mod common;
mod completions;
mod congestion;
mod deadlocks;
mod ethernet;
mod families;
mod golden;
mod groups;
mod imports;
mod lane_changes;
mod laws;
mod memory;
mod organisations;
mod parts;
mod patterns;
mod pausing;
mod priorities;
mod series;
mod sharing;
mod thresholds;
mod timeline;
mod transports;
mod until_done;
