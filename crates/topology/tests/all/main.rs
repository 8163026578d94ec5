//! Tests of fabrics and routes from outside the crate, in one program: it is linked once.

mod changed_cables;
mod channels;
mod detours;
mod errors;
mod families;
mod graphs;
mod partitions;
mod routes;
mod selection;
mod written_groups;
