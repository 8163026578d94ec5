//! Tests of many runs from outside the crate, in a single program: it is linked once.

mod coverage;
mod cut_short;
mod readers;
mod store;
mod sweep;
