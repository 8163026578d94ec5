//! The file format of experiments: RON to [`Scenario`] (as written) to [`Plan`] (checked).
//!
//! Invariant: only a checked plan runs. Every fault of a file or an override is reported with its
//! place, its path and a correction; nothing is guessed, and nothing is silently ignored.
//!
//! ```text
//! ScenarioText::find --set*--> ScenarioText --Scenario::read--> Scenario --check--> Plan
//!    a file's text                  |                              |
//!                                   +--------- Diagnostic ---------+
//! ```
//!
//! The modules are floors, lowest first; each uses only those before it.
//!
//! | module | contents |
//! |---|---|
//! | `diagnostics` | faults with their places, and how they are printed |
//! | `text` | the text of a file, with parts of it overridden: the place of each value |
//! | `format` | the fields of the file; from a text to a scenario; `--set PATH=VALUE` |
//! | [`draft`] | commented scenario files to begin with |
//! | [`manual`] | every field and choice, with type, range, default and meaning |
//! | `resolve` | parts that stand for others, replaced by them |
//! | `layers` | the service levels of packets whose routing has layers |
//! | `series` | ports and sources that a plan records over time |
//! | `plan` | all that a run needs to know |
//! | `cycles` | the paths of flows, and cycles in which their packets could wait for each other |
//! | `check` | from a scenario to a plan |
//! | `headroom` | headroom of each port, and the headroom that it needs |
//! | `ecn_first` | whether ECN can mark before PFC pauses |
//! | `memory` | memory that the traffic of a run is expected to need |
//! | `pattern_use` | the use that each pattern makes of the fabric |
//! | `closed_loops` | closed loops of patterns, and loops in lockstep |
//! | `credit_windows` | bytes by which credits of a shared memory run ahead |
//! | `path_choices` | choices of switches with groups of ports |
//! | `data_paths` | outputs by which the data of a flow leave |
//! | `packet_lengths` | the longest packets of a flow |
//! | `idle_settings` | settings of paths that cannot have an effect |
//! | `other_paths` | the least loaded path that switches could choose for a flow |
//! | `cable_loads` | pairs of hosts and flows of every cable, in each direction |
//! | `detour_loads` | largest expected loads of cables by minimal routes and by others |
//! | `expected_work` | work that a run is expected to be, by node |
//! | `ideal` | completion times of messages on the empty fabric, to which slowdowns refer |
//! | `job_ideal` | ideal times of jobs and of their messages |
//! | `job_outlook` | jobs before their run: ideal times, bounds, loads |
//! | `flow_paths` | outputs by which the data of flows leaves nodes |
//! | `best_rates` | rates of flows alone, and fair rates of all together |
//! | `draws` | whether a run depends on its seed |

mod best_rates;
mod buffer_setting;
mod cable_loads;
mod check;
mod closed_loops;
mod credit_windows;
mod cycles;
mod data_paths;
mod detour_loads;
mod diagnostics;
pub mod draft;
mod draws;
mod ecn_first;
mod expected_work;
mod flow_paths;
mod format;
mod headroom;
mod ideal;
mod idle_settings;
mod job_ideal;
mod job_outlook;
mod layers;
pub mod manual;
mod memory;
mod other_paths;
mod packet_lengths;
mod path_choices;
mod pattern_use;
mod plan;
mod resolve;
mod series;
mod text;

pub use best_rates::{BestRates, PathPart};
pub use buffer_setting::BufferSetting;
pub use cable_loads::CableLoad;
pub use check::selected::help as help_with_ports;
pub use credit_windows::CreditLoop;
pub use detour_loads::{DetourLoads, LargestLoads, LoadedOutput};
pub use diagnostics::{Diagnostic, Excerpt, LocatedFault};
pub use ecn_first::EcnFirst;
pub use expected_work::ExpectedWork;
pub use flow_paths::{FlowOutput, FlowPaths};
pub use format::{
    AT_MOST_DURATIONS, DependencyCycles, LayerLanes, Scenario, SeedsSpec, SeriesSpec, WatchSpec,
};
pub use headroom::PortHeadroom;
pub use ideal::{IdealTime, IdealTimes};
pub use job_ideal::{IdealJobMessage, JobIdeal};
pub use job_outlook::{CoarseTree, JobOutlook, JobOutput, StepLoad, WholeOutlook};
pub use memory::MemoryEstimate;
pub use other_paths::{BusiestOutput, OtherPaths};
pub use path_choices::{PacketClass, PathChoices};
pub use pattern_use::{BusiestLink, CableUse, IncastUse, PatternLoad, PatternUse};
pub use plan::{NodePlan, NodePlans, Plan, WatchPlan};
pub use series::{PauseLogPlan, PortSeriesPlan, SeriesPlan, SourceSeriesPlan};
pub use settings::nearest::help as help_with_name;
pub use text::{ScenarioText, ShippedScenario, WrittenField, shipped};
