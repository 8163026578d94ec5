//! What a run records, as plain data: filled by the nodes and the loop, read by the report.
//!
//! Invariant: nothing here is computed for show. Rates, shares and indices are the reader's business;
//! a record holds counts, spans and snapshots that can be added up.

mod congestion;
mod lane;
mod record;

pub use congestion::{Congestion, RootRecord, TreeSample, VictimRecord};
pub use lane::{LaneInput, LaneOutput, Marks};
pub use record::{
    Audit, Completion, Completions, FlowRecord, LaneRecord, MarginCounts, MarginRecord, PauseRecord, Phase,
    Progress, QueueRecord, RunRecord, Series, Snapshot, TransportTally, Watched,
};
