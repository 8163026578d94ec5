//! Files beside a scenario: tables of numbers, as other tools of the field write them.
//!
//! Invariant: every fault is reported with its line and column. Only empty lines and the text after a `#` are skipped.
//!
//! | module | contents |
//! |---|---|
//! | `flaw` | faults and where they stand in the text |
//! | `cdf` | distributions of message sizes |
//! | `flow_list` | lists of flows |

mod cdf;
mod flaw;
mod flow_list;

pub(crate) use cdf::SizeCdf;
pub(crate) use flow_list::{FlowLine, HostNumbering, after_the_run, flow_lines};
