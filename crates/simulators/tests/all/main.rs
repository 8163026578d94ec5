//! Tests of imports from other simulators, in a single program: it is linked once.

mod bad_imports;
mod chakra;
mod et;
mod hostile_names;
mod hpcc;
mod htsim;
mod htsim_jobs;
#[path = "../../../scenario/tests/all/messages.rs"]
mod messages;
mod relatives;
