//! Jobs as a scenario writes them.

use packet::{ServiceLevel, TransportService};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::{Span, Time};

use super::HostsSpec;

/// A job: ranks on hosts, each with a program of operations that wait for each other and for messages.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename = "Job")]
pub struct JobSpec {
    /// Name in tables and files, unlike that of any flow, group or other job.
    pub name: String,
    /// Programs of the ranks.
    pub program: ProgramSpec,
    /// Host of each rank, in order: rank 0 runs on the first. A host that the list names twice runs two ranks. Hosts
    /// beyond the last rank run none. If left out, each host of the topology, in its order.
    #[serde(default)]
    pub hosts: HostsSpec,
    /// Time at which all ranks begin.
    #[serde(default = "at_once")]
    pub start: Time,
    /// Runs of the program, one after the other; 1.
    #[serde(default = "once")]
    pub iterations: u32,
    /// Service level of all messages, 0 to 15.
    #[serde(default)]
    pub service_level: ServiceLevel,
    /// Transport service of all messages, `Rc` or `Uc`. Each message is a SEND with immediate data, which names its tag:
    /// 4 bytes more in its last packet.
    #[serde(default)]
    pub transport: TransportService,
}

/// The programs of a job's ranks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum ProgramSpec {
    /// From a text in GOAL, the Group Operation Assembly Language (Hoefler, Siebert, Lumsdaine, ICPP 2009).
    Goal {
        /// Name of the file, in the scenario's folder or below it.
        file: String,
        /// Time of `calc 1`, above 0. The file does not say; 1 ns if left out, as in traces of MPI.
        #[serde(default = "nanosecond")]
        calc_unit: Span,
    },
}

impl JobSpec {
    /// Returns the file that the job names, and the field that names it.
    #[must_use]
    pub fn file(&self) -> (&str, &'static str) {
        match &self.program {
            ProgramSpec::Goal { file, .. } => (file, "program.file"),
        }
    }
}

const fn at_once() -> Time {
    Time::ZERO
}

const fn once() -> u32 {
    1
}

const fn nanosecond() -> Span {
    Span::from_ns(1)
}
