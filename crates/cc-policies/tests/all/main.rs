//! Tests of markers, echoes and responses from outside the crate, in a single program: it is linked once.

mod closed_sets;
mod contract;
mod dcqcn_fixed_point;
mod dcqcn_laws;
mod dcqcn_reference;
mod dcqcn_timed;
mod hp_fairness;
mod hp_laws;
mod hp_marking;
mod hp_response;
mod hp_unacknowledged;
mod iba_marking;
mod iba_response;
mod mirror;
mod own;
mod red_marking;
mod schemes;
mod settings;
mod ticking;
