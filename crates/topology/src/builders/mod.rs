//! Families of topologies, each in its own file: their parameters, checks and graphs.
//!
//! Invariant: names and ports follow from the parameters alone. Sizes are checked before anything is allocated,
//! so a mistyped digit costs a message and no memory. The structure that a routing rule needs (`..Shape`) is
//! made from parameters that have been checked.
//!
//! | module | families |
//! |---|---|
//! | [`custom`] | any fabric, node by node and link by link |
//! | [`two_switches`] | dumbbells with named groups of hosts |
//! | [`chain`] | a single switch, and switches in a row |
//! | [`fat_tree`] | folded Clos networks of any number of tiers |
//! | [`clos`] | fat trees by fewer parameters: two-tier Clos, k-ary n-tree, Sun DCS 648 |
//! | [`omega`] | Omega networks |
//! | [`grid`] | meshes, rings and tori, HyperX |
//! | [`dragonfly`] | dragonflies |
//!
//! `checks` holds the checks that several families share.

pub mod chain;
mod checks;
pub mod clos;
pub mod custom;
pub mod dragonfly;
pub mod fat_tree;
pub mod grid;
pub mod omega;
pub mod two_switches;
