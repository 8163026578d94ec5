//! Tests of scenario files from outside the crate, in one program: it is linked once.

mod bad;
mod entries;
mod extremes;
mod files;
mod manual;
mod memory;
mod messages;
mod overrides;
mod pattern_use;
mod series;
mod shipped;
mod two_leaves;
mod watch;
