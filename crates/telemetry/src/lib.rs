//! The record of a run as plain data: written by the nodes and the event loop, read by the report.
//!
//! Invariant: a record has counts, spans and snapshots that can be added up. Rates, shares and indices are computed
//! by its readers.

mod busiest;
mod completions;
mod congestion;
mod detours;
mod ending;
mod idle_setting;
mod jobs;
mod lane;
mod margin;
mod observed;
mod phase;
mod record;
mod repeats;
mod series;
mod sighting;
mod timeline;
mod traffic;

pub use busiest::busiest;
pub use completions::{Acknowledged, Completions, MessageRecord};
pub use congestion::{
    BranchRecord, Cause, Congestion, ContributorRecord, OutputLoad, RootRecord, TreeSample, VictimRecord,
    WorstTree,
};
pub use detours::DetourTally;
pub use ending::{FailedFlow, FiniteRecord, RunEnding};
pub use idle_setting::{IdleReason, IdleSettingRecord};
pub use jobs::{
    CriticalPath, IterationRecord, JobMeasures, JobRecord, MOST_OPERATIONS, MOST_WAITING, NotMeasured,
    OperationKind, OperationRecord, PathIteration, PathParts, PathPlace, PathStep, PathStepKind, RankRecord,
    SharedLink, StuckCause, UnequalSizes, WaitingRank,
};
pub use lane::{LaneInput, LaneOutput, Marks};
pub use margin::{MarginCounts, MarginRecord};
pub use observed::{PauseEvent, PauseEvents, PortSample, PortSeries, SourceSample, SourceSeries};
pub use phase::Phase;
pub use record::{
    Audit, FlowRecord, GroupRecord, LaneRecord, PauseRecord, Progress, QueueRecord, RunRecord, Snapshot,
    TransportTally, Watched, WatchedQuantity,
};
pub use repeats::RepeatTally;
pub use series::{FlowSpread, Series, SeriesColumn};
pub use sighting::{Passing, Sighting, Wait};
pub use timeline::{LaneMoment, Moment, Timeline, TreeMoment};
pub use traffic::{ClosedLoopRecord, LockstepRecord, PatternRecord, ShortWindowRecord, SlowHostRecord};
