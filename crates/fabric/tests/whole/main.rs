//! Tests of whole runs: laws of physics, and every shipped scenario to the byte.

mod cables;
mod clocking;
mod closed;
mod combined;
mod common;
mod completions;
mod congestion;
mod deadlocks;
mod drawn;
mod ethernet;
mod families;
mod golden;
mod groups;
mod identical;
mod lane_changes;
mod laws;
mod memory;
#[path = "../../../cc-policies/tests/all/mirror.rs"]
mod mirror;
mod organisations;
mod own;
mod parts;
mod patterns;
mod pausing;
mod plans;
mod priorities;
mod ranks;
mod series;
mod sharing;
mod static_routes;
mod stepped;
mod tap;
mod thresholds;
mod timeline;
mod transports;
mod until_done;
