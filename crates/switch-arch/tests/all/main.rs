//! Tests of switches from outside the crate, in a single program: it is linked once.

mod contract;
mod driven;
mod laws;
mod selection;
mod settings;
mod sharing;
mod whole;
