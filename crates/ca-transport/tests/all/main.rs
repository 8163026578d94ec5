//! Tests of channel adapters from outside the crate, in one program: it is linked once.

mod adapters;
mod answers;
mod any_order;
mod contract;
mod endpoints;
mod host;
mod recovery_laws;
mod settings;
