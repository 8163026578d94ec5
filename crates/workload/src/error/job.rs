//! Faults in jobs.

use packet::TransportService;
use units::Bytes;

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
    /// A program runs another number of times than once.
    #[error("`iterations` is {given}, and a program runs once")]
    Iterations {
        /// The number as given.
        given: u32,
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
            Self::Iterations { .. } => "leave `iterations` out".to_owned(),
            Self::Transport { .. } => "write `Rc` or `Uc`".to_owned(),
            Self::CalcUnit => "write the time of `calc 1`, such as \"1 ns\"".to_owned(),
            Self::TooLong { .. } => {
                format!("send it as several of at most {}", Bytes::new(LONGEST_MESSAGE.get()))
            }
            Self::Mismatch(_) => {
                "give each send a receive of its size and tag at the rank that it goes to, and no two operations a reason to wait for each other".to_owned()
            }
            Self::TooMany { what, .. } => format!("divide the job, or use fewer {what}"),
        }
    }
}
