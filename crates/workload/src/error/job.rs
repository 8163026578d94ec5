//! Faults in jobs.

use packet::TransportService;
use units::Bytes;

use crate::job::collective::CollectiveError;
use crate::job::placement::PlacementError;
use crate::job::{Mismatch, counted};
use crate::limits::LONGEST_MESSAGE;

/// A job that cannot run.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum JobError {
    /// The name is empty, or has another owner.
    #[error("`{name}` is no name that a job can have here")]
    Name {
        /// The name as given.
        name: String,
    },
    /// There are more ranks than hosts to run them.
    #[error("{} for a program of {}", counted(*hosts as u64, "host"), counted(*ranks as u64, "rank"))]
    TooFewHosts {
        /// Ranks of the program.
        ranks: usize,
        /// Hosts of the list.
        hosts: usize,
    },
    /// A list names another number of hosts than there are ranks.
    #[error("{listed} hosts are listed for {ranks} ranks")]
    ListLength {
        /// Ranks of the program.
        ranks: usize,
        /// Hosts of the list.
        listed: usize,
    },
    /// A list names a host that is none of the job's.
    #[error("host `{host}` of rank {rank} is none of `hosts`")]
    ForeignHost {
        /// The rank.
        rank: usize,
        /// Name of the host.
        host: String,
    },
    /// A rule of placement that the hosts do not allow.
    #[error(transparent)]
    Placement(PlacementError),
    /// Two jobs have a host in common, and one of them does not say that it may.
    #[error("host `{host}` has ranks of job `{other}` too")]
    SharedHost {
        /// Name of the other job.
        other: String,
        /// Name of the host.
        host: String,
    },
    /// A number that is to be at least 1.
    #[error("`{field}` cannot be 0")]
    Zero {
        /// Name of the field.
        field: &'static str,
    },
    /// A share of noise outside its range.
    #[error("a computation cannot differ by the share {given}")]
    Noise {
        /// The share as given.
        given: f64,
    },
    /// A factor of computations outside its range.
    #[error("computations cannot take {given} times their length")]
    Factor {
        /// The factor as given.
        given: f64,
    },
    /// A rank that the job lacks.
    #[error("rank {given} is none of {ranks} ranks")]
    NoRank {
        /// Number of the rank.
        given: u32,
        /// Ranks of the job.
        ranks: u32,
    },
    /// A rank that has two factors.
    #[error("rank {given} has a factor already")]
    TwoFactors {
        /// Number of the rank.
        given: u32,
    },
    /// A collective that cannot be run.
    #[error(transparent)]
    Collective(#[from] CollectiveError),
    /// Channels or servers of an algorithm without rings.
    #[error("`{field}` belongs to `Ring` and `OpenMpiRing`")]
    NoRing {
        /// Name of the field.
        field: &'static str,
    },
    /// Groups that leave ranks over.
    #[error("groups of {size} ranks with a stride of {stride} take multiples of {} ranks: {ranks} are none", u64::from(*size) * u64::from(*stride))]
    Groups {
        /// Ranks of a group.
        size: u32,
        /// Ranks from a member to the next.
        stride: u32,
        /// Ranks that take part.
        ranks: u32,
    },
    /// A sequence without programs.
    #[error("the list of programs is empty")]
    NoPrograms,
    /// A file inside a sequence.
    #[error("a file is a program by itself, and no part of a sequence")]
    FileInside,
    /// A barrier that needs tags of its own, and a program with receives from any source or with any tag.
    #[error(
        "{wildcards} receives take a message of any source or tag, and would take those of other iterations or of the barrier"
    )]
    Wildcards {
        /// Number of these receives.
        wildcards: u64,
    },
    /// The transport service cannot carry the messages.
    #[error("messages of jobs are not carried by {}", .given.word())]
    Transport {
        /// The service as given.
        given: TransportService,
    },
    /// The unit of computations is zero.
    #[error("a `calc` would take no time, however long it is")]
    CalcUnit,
    /// A message is too long.
    #[error("rank {from} sends {bytes} bytes to rank {to} in one message")]
    TooLong {
        /// Rank that sends.
        from: u32,
        /// Rank that receives.
        to: u32,
        /// Length of the message.
        bytes: u64,
    },
    /// Programs do not fit together.
    #[error(transparent)]
    Mismatch(Box<Mismatch>),
    /// Programs that end only if no message waits for its receive.
    #[error("messages of {least} and more wait for their receive, and {circle}")]
    Rendezvous {
        /// Least size of such messages.
        least: Bytes,
        /// The fault.
        circle: Box<Mismatch>,
    },
    /// A number of queue pairs outside its range.
    #[error("a rank cannot have {given} queue pairs to another")]
    QueuePairs {
        /// The number as given.
        given: u32,
        /// Most that are allowed.
        most: u32,
    },
    /// Several queue pairs without retransmission.
    #[error("messages of {given} queue pairs over UC would wait for a lost one for ever")]
    Unordered {
        /// Number of the queue pairs.
        given: u32,
    },
    /// There are too many tags or flows.
    #[error("{given} {what} of a job are more than {most}")]
    TooMany {
        /// Number of the job.
        given: u64,
        /// Most that are allowed.
        most: u64,
        /// What is counted.
        what: &'static str,
    },
}

impl JobError {
    pub(super) fn help(&self) -> String {
        match self {
            Self::Name { .. } => "write a name that no flow, group or other job has".to_owned(),
            Self::TooFewHosts { .. } => {
                "name more hosts; `hosts: [\"h1\", \"h1\"]` runs two ranks on `h1`".to_owned()
            }
            Self::ListLength { .. } => "list the host of each rank".to_owned(),
            Self::ForeignHost { .. } => "add it to `hosts`, or leave `hosts` out".to_owned(),
            Self::Placement(_) => "name more hosts, run fewer ranks, or place them otherwise".to_owned(),
            Self::SharedHost { .. } => {
                "give each job hosts of its own, or write `shared_hosts: Allowed` in both jobs".to_owned()
            }
            Self::Zero { .. } => "write at least 1".to_owned(),
            Self::Noise { .. } => "write a number above 0, at most 1: `Uniform(0.05)`".to_owned(),
            Self::Factor { .. } => "write a number above 0, at most 1000: 1.5 takes half as long again".to_owned(),
            Self::NoRank { ranks, .. } => format!("write 0 to {}", ranks.saturating_sub(1)),
            Self::TwoFactors { .. } => "name a rank in one entry only: with the product, if both hold".to_owned(),
            Self::Collective(_) => "write other numbers, or choose another algorithm".to_owned(),
            Self::NoRing { .. } => "leave it out, or cut blocks into `chunks`".to_owned(),
            Self::Groups { .. } => "write sizes and strides that divide the ranks, or fewer `ranks`".to_owned(),
            Self::NoPrograms => "write programs into it, such as `Compute(\"3 ms\")`".to_owned(),
            Self::FileInside => "write the sequence into the file, or a job for each".to_owned(),
            Self::Wildcards { .. } => "write `barrier: Rank`".to_owned(),
            Self::Transport { .. } => "write `Rc` or `Uc`".to_owned(),
            Self::CalcUnit => "write the time of `calc 1`, such as \"1 ns\"".to_owned(),
            Self::TooLong { .. } => {
                format!("send it as several of at most {}", Bytes::new(LONGEST_MESSAGE.get()))
            }
            Self::Mismatch(_) => {
                "give each send a receive of its size and tag at the rank that it goes to, and no two operations a reason to wait for each other".to_owned()
            }
            Self::Rendezvous { .. } => {
                "write a larger `rendezvous`, or let these ranks post their receives before they wait for sends"
                    .to_owned()
            }
            Self::QueuePairs { most, .. } => format!("write 1 to {most}"),
            Self::Unordered { .. } => "write `transport: Rc`, or leave `queue_pairs` out".to_owned(),
            Self::TooMany { what: what @ ("operations" | "flows"), .. } => format!(
                "divide the job, use fewer {what}, or do the first steps only: `AllToAll(.., steps: 16)`"
            ),
            Self::TooMany { what, .. } => format!("divide the job, or use fewer {what}"),
        }
    }
}
