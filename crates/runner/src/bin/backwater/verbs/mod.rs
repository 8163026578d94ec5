//! A module for each verb: its options and its work.
//!
//! Invariant: verbs do not use each other.

pub(crate) mod bench;
pub(crate) mod capture;
pub(crate) mod check;
pub(crate) mod cite;
pub(crate) mod compare;
pub(crate) mod eval;
pub(crate) mod export;
pub(crate) mod fields;
pub(crate) mod figure;
pub(crate) mod guideline;
pub(crate) mod headroom;
pub(crate) mod import;
pub(crate) mod list;
pub(crate) mod new;
pub(crate) mod report;
pub(crate) mod repro;
pub(crate) mod rerun;
pub(crate) mod schema;
pub(crate) mod show;
pub(crate) mod sim;
pub(crate) mod sweep;
pub(crate) mod thresholds;
pub(crate) mod trace;
pub(crate) mod tune;
