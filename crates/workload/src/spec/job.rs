//! Jobs as a scenario writes them.

use packet::{ServiceLevel, TransportService};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::{Bytes, Rate, Span, Time};

use super::program::once;
use super::{HostsSpec, ProgramSpec};

/// A job: ranks on hosts, each with a program of operations that wait for each other and for messages.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename = "Job")]
pub struct JobSpec {
    /// Name in tables and files, unlike that of any flow, group or other job.
    pub name: String,
    /// Programs of the ranks.
    pub program: ProgramSpec,
    /// Hosts that run the ranks; each host of the topology if left out. Without `place`, rank r runs on the r-th host
    /// of the list, and a host that the list names twice runs two ranks. Hosts beyond the last rank run none.
    #[serde(default)]
    pub hosts: HostsSpec,
    /// Rule that gives each rank its host, and takes each of `hosts` once, in the order of the topology; the order of
    /// the list if left out.
    #[serde(default)]
    pub place: Option<PlaceSpec>,
    /// Hosts of other jobs.
    #[serde(default)]
    pub shared_hosts: SharedHosts,
    /// Time at which all ranks begin.
    #[serde(default = "at_once")]
    pub start: Time,
    /// Longest delay of a rank's start: each rank draws its own, all equally likely. 0 if left out.
    #[serde(default)]
    pub start_skew: Span,
    /// Runs of the program, one after the other; 1 if left out.
    #[serde(default = "once")]
    #[schemars(range(min = 1))]
    pub iterations: u32,
    /// Condition on which a rank begins its next iteration.
    #[serde(default)]
    pub barrier: BarrierSpec,
    /// Random differences between computations of equal length, drawn by job, rank, iteration and operation: designs of
    /// a fabric meet equal computations.
    #[serde(default)]
    pub compute_noise: NoiseSpec,
    /// Ranks that compute more slowly or faster than the program says.
    #[serde(default)]
    pub stragglers: Vec<StragglerSpec>,
    /// Messages between ranks of a host, which do not enter the fabric.
    #[serde(default)]
    pub local: LocalSpec,
    /// Service level of all messages, 0 to 15.
    #[serde(default)]
    pub service_level: ServiceLevel,
    /// Transport service of all messages, `Rc` or `Uc`. Each message is a SEND with immediate data, which names its
    /// tag: 4 bytes more in its last packet.
    #[serde(default)]
    pub transport: TransportService,
    /// Least size of messages to other hosts that ask their receiver first: a request to send of 32 bytes, a clear to
    /// send of 40 bytes once a receive is posted, then the payload. Both are SENDs among the job's messages, as long as
    /// the headers of Open MPI's `ob1` that they stand for. UCX begins at about 8 to 64 KiB. If left out, all payload
    /// goes at once.
    #[serde(default)]
    pub rendezvous: Option<Bytes>,
    /// Queue pairs from a rank to each other, 1 to 128. Messages are dealt to them in turn, in the order of posting, as
    /// NCCL does with `NCCL_IB_QPS_PER_CONNECTION` and `NCCL_IB_SPLIT_DATA_ON_QPS=0`; the receiver takes them in that
    /// order, whichever arrives first. Switches hash queue pairs to different paths. More than one need `Rc`: the
    /// others would wait for a lost message for ever. 1 if left out.
    #[serde(default = "once")]
    #[schemars(range(min = 1, max = 128))]
    pub queue_pairs: u32,
}

/// Rule that gives each rank of a job its host. Names follow Slurm's `--distribution` and Open MPI's `--map-by`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum PlaceSpec {
    /// Consecutive ranks on a host, then on the next one: Slurm's `block`.
    Block {
        /// Ranks of a host; 1 if left out.
        #[serde(default = "once")]
        #[schemars(range(min = 1))]
        per_host: u32,
    },
    /// Consecutive ranks on consecutive hosts, from the first host again after the last: Slurm's `cyclic`.
    Cyclic,
    /// A rank on each host, in steps of `stride` hosts: on hosts 0, s, 2 s, .., then 1, 1 + s, ... With the hosts of a
    /// leaf as stride, consecutive ranks are on different leaves.
    Striped {
        /// Hosts from one rank to the next.
        #[schemars(range(min = 1))]
        stride: u32,
    },
    /// A rank on the first host of each leaf switch.
    OnePerLeaf,
    /// A rank on each host, in random order. The draw depends on the seed and the job's name alone.
    Random,
    /// As `Block`, on hosts in random order.
    RandomBlock {
        /// Ranks of a host.
        #[schemars(range(min = 1))]
        per_host: u32,
    },
    /// Host of each rank in order.
    Listed(HostsSpec),
    /// File with the host of each rank: lines `h3`, or lines `rank 0=h3` as in Open MPI's rankfiles, with `slot=`
    /// ignored; `#` begins a comment.
    File(String),
}

/// Hosts of other jobs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum SharedHosts {
    /// No host runs ranks of this job and of another.
    #[default]
    Refused,
    /// A host may run ranks of this job and of other jobs that allow it too; they share its adapter.
    Allowed,
}

/// Condition on which a rank begins its next iteration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum BarrierSpec {
    /// None: all iterations begin with the job. Computations of a processor take their turns.
    None,
    /// The rank's own last operation of the iteration has ended, as in MPI and NCCL.
    #[default]
    Rank,
    /// All ranks have ended the iteration. Ranks tell each other by a dissemination barrier, whose messages of no
    /// payload cross the fabric at the end of each iteration: no rank knows of another without a message.
    Job,
}

/// Random differences between computations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum NoiseSpec {
    /// Computations take as long as the program says.
    #[default]
    None,
    /// A computation takes up to this share longer or shorter, all lengths equally likely.
    Uniform(#[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0.0))] f64),
    /// A computation takes longer, by an exponentially distributed time of this mean.
    Exponential(Span),
}

/// Ranks that compute more slowly or faster than the program says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename = "Straggler")]
pub struct StragglerSpec {
    /// The ranks.
    pub ranks: Vec<u32>,
    /// Factor of the length of their computations: 1.5 takes half as long again.
    #[schemars(range(max = 1000.0), extend("exclusiveMinimum" = 0.0))]
    pub factor: f64,
}

/// Messages between ranks of a host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum LocalSpec {
    /// They take no time.
    #[default]
    Free,
    /// They take time, as over `NVLink` or shared memory. A rank sends one after the other.
    Link {
        /// Payload over time.
        rate: Rate,
        /// Time from the end of a message at its sender to its arrival.
        #[serde(default)]
        latency: Span,
    },
}

impl JobSpec {
    /// Returns true if hosts, starts or computations of ranks are drawn at random.
    #[must_use]
    pub fn draws_at_random(&self) -> bool {
        let by_place = matches!(self.place, Some(PlaceSpec::Random | PlaceSpec::RandomBlock { .. }));
        by_place || self.start_skew > Span::ZERO || self.compute_noise != NoiseSpec::None
    }

    /// Returns the files that the job names, and the fields that name them.
    pub fn files(&self) -> impl Iterator<Item = (&str, &'static str)> {
        let of_program = match &self.program {
            ProgramSpec::Goal { file, .. } => Some((&**file, "program.file")),
            _ => None,
        };
        let of_place = match &self.place {
            Some(PlaceSpec::File(file)) => Some((&**file, "place")),
            _ => None,
        };
        of_program.into_iter().chain(of_place)
    }
}

const fn at_once() -> Time {
    Time::ZERO
}
