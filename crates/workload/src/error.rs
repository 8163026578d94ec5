//! What can be wrong with a scenario's traffic, and in which field.
//!
//! Invariant: a message says what is wrong and what would be right; names that come close to an
//! unknown one are found by the caller, who knows all that may stand there.

use packet::TransportService;
use units::{Bytes, Span, Time};

use crate::file::InFile;
use crate::spec::Operation;
use crate::{LONGEST_MESSAGE, MAX_SESSIONS};

/// Why a workload cannot be built.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{kind}")]
pub struct WorkloadError {
    path: String,
    kind: WorkloadErrorKind,
}

/// What is wrong, apart from where.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum WorkloadErrorKind {
    /// A flow without a name.
    #[error("a flow has no name: give it one")]
    EmptyName,
    /// Two flows of one name.
    #[error("a second flow is called `{name}`: give it another name")]
    DuplicateFlow {
        /// The name.
        name: String,
    },
    /// A flow names a host that does not exist.
    #[error("`{given}` is not a host of the topology: name one that is")]
    UnknownHost {
        /// The name as given.
        given: String,
    },
    /// A flow from a host to itself.
    #[error("the flow leads from `{name}` back to `{name}`: it is between two different hosts")]
    FlowToItself {
        /// The host.
        name: String,
    },
    /// Hosts that are to send, and none of that name.
    #[error("no host is called `{given}`: write a host's name, or the beginning of some and `*`")]
    NoSuchHosts {
        /// The name or its beginning, as given.
        given: String,
    },
    /// A pattern in which the host that receives would send.
    #[error("`{name}` is among the hosts that send to it: name another, or let fewer send")]
    ReceiverAmongSenders {
        /// The host.
        name: String,
    },
    /// A stop before each flow has started for sure.
    #[error(
        "with this jitter a flow may start as late as {latest}, not before the stop, {stop}: make it less, or the stop later"
    )]
    JitterBeyondStop {
        /// The latest start.
        latest: Time,
        /// The stop as given.
        stop: Time,
    },
    /// Sessions that last, or pause, for no time.
    #[error("a mean of {given} is no time: it is above 0")]
    NoMean {
        /// The mean as given.
        given: Span,
    },
    /// Sessions of a counted number of messages.
    #[error("a session lasts for a time, not for a number of messages: let it `Saturate`, or give its rate")]
    SessionOfMessages,
    /// More sessions than queue pairs are made for.
    #[error(
        "this makes about {expected} sessions, more than the {MAX_SESSIONS} that have a queue pair each: make them or their pauses longer, or the time less"
    )]
    TooManySessions {
        /// How many there would be.
        expected: u64,
    },
    /// A message of no length, or longer than IBA allows.
    #[error("a message of {given} cannot be sent: its payload is 1 B to {LONGEST_MESSAGE}")]
    MessageSize {
        /// The length as given.
        given: Bytes,
    },
    /// A service level that IBA does not have.
    #[error("there is no service level {given}: IBA has 0 to 15")]
    ServiceLevel {
        /// The service level as given.
        given: u8,
    },
    /// An operation that the transport service does not have.
    #[error(
        "{} does not carry {}: write {}",
        transport.word(), operation.word(), instead(*transport)
    )]
    NotCarried {
        /// The service.
        transport: TransportService,
        /// What it does not have.
        operation: Operation,
    },
    /// A flow that keeps no message posted.
    #[error("with 0 messages outstanding the flow sends nothing: keep at least 1 posted")]
    Outstanding,
    /// A flow of no messages.
    #[error("a flow of 0 messages sends nothing: give it at least 1")]
    NoMessages,
    /// A flow at no rate.
    #[error("at a rate of 0 the flow sends nothing: give a rate above 0")]
    ZeroRate,
    /// A load that is not a share of a link.
    #[error("a load of {given} is not a share of a link's data rate: it is above 0 and at most 1")]
    LoadRange {
        /// The load as given.
        given: f64,
    },
    /// A load that a source can only offer if it sends more than its link carries while it is on.
    #[error(
        "a mean load of {given} is more than a source can offer that is on for {most:.3} of the time: write at most that, or make times on longer"
    )]
    LoadWhileOn {
        /// The load as given.
        given: f64,
        /// The share of time on.
        most: f64,
    },
    /// A shift that leads nowhere else.
    #[error("a shift by {given} leads no host to another, or is not less than the number of hosts, {hosts}: write 1 to {}", hosts - 1)]
    ShiftRange {
        /// The shift as given.
        given: u32,
        /// How many hosts there are.
        hosts: usize,
    },
    /// A pattern of bits, and numbers that do not have all bits.
    #[error("the bits of a host's number make no pattern of {hosts} hosts: their number is a power of two")]
    HostsNotPowerOfTwo {
        /// How many hosts there are.
        hosts: u32,
    },
    /// A transposition of an odd number of bits.
    #[error(
        "the numbers of {hosts} hosts have an odd number of bits, with no two halves to transpose: there are 4, 16, 64, ... hosts"
    )]
    TransposeOfOddBits {
        /// How many hosts there are.
        hosts: u32,
    },
    /// A pattern that leads every host to itself.
    #[error("with {hosts} hosts this leads every host to itself: take another pattern, or more hosts")]
    NobodySends {
        /// How many hosts there are.
        hosts: usize,
    },
    /// A range of sizes that is upside down.
    #[error("the longest message, {most}, is shorter than the shortest, {least}: write at least that")]
    SizesReversed {
        /// The shortest as given.
        least: Bytes,
        /// The longest as given.
        most: Bytes,
    },
    /// All messages at the start, and not how many.
    #[error("how many messages each host posts at the start is not said: write `messages`")]
    AtOnceWithoutMessages,
    /// A name that is not that of a file beside the scenario.
    #[error(
        "`{given}` is not the name of a text file beside the scenario: it has no folder, and ends in `.txt`"
    )]
    FileName {
        /// The name as given.
        given: String,
    },
    /// A file that is not there.
    #[error("there is no file `{given}` beside the scenario: put it there")]
    NoSuchFile {
        /// The name as given.
        given: String,
    },
    /// Something wrong within a file.
    #[error("{0}")]
    InFile(Box<InFile>),
    /// An end that does not come after the beginning.
    #[error("{stop} is not later than the start, {start}: nothing would be sent")]
    StopBeforeStart {
        /// The beginning.
        start: Time,
        /// The end as given.
        stop: Time,
    },
    /// A stop for a flow that posts everything at its start.
    #[error("a flow of a counted number of messages posts them all at its start: leave `stop` out")]
    StopWithMessages,
    /// More senders than hosts, or none.
    #[error("{given} hosts cannot send to this one: between 1 and all {others} others can")]
    Senders {
        /// The number as given.
        given: u32,
        /// How many other hosts there are.
        others: usize,
    },
    /// A hot spot of no or more hosts than there are besides its targets.
    #[error("{given} hosts cannot contribute to this hot spot: between 1 and all {others} others can")]
    Contributors {
        /// The number as given.
        given: u32,
        /// How many hosts are no target.
        others: usize,
    },
    /// A share of the load that is none.
    #[error("a fraction of {given} is not a share of a source's load: it is above 0 and at most 1")]
    FractionRange {
        /// The fraction as given.
        given: f64,
    },
    /// A hot spot nowhere.
    #[error("a hot spot without a target is none: name at least one host")]
    NoTargets,
    /// A target named twice.
    #[error("`{name}` is a target twice: name each once")]
    TargetTwice {
        /// The host.
        name: String,
    },
    /// Hot spots out of order, or at the same time.
    #[error(
        "a hot spot begins at {from}, and the one before it ends at {last}: write them in order, none before the last is over"
    )]
    WindowsOverlap {
        /// The beginning as given.
        from: Time,
        /// The end of the one before.
        last: Time,
    },
    /// A pattern that needs other hosts.
    #[error("a pattern needs at least 2 hosts, and the topology has {hosts}")]
    TooFewHosts {
        /// How many there are.
        hosts: usize,
    },
    /// More messages than there may be.
    #[error(
        "this makes about {expected} messages, and at most {most} are allowed: make messages longer, or the time or the load less"
    )]
    TooManyMessages {
        /// How many there would be.
        expected: u64,
        /// How many there may be.
        most: u64,
    },
}

/// What to write instead of an operation that this service does not have.
const fn instead(transport: TransportService) -> &'static str {
    match transport {
        TransportService::Ud => "the operation `Send`, or another transport",
        _ => "the operation `Send` or `RdmaWrite`, or the transport `Rc` or `Rd`",
    }
}

impl WorkloadError {
    pub(crate) fn new(path: impl Into<String>, kind: WorkloadErrorKind) -> Self {
        Self { path: path.into(), kind }
    }

    /// The path of the field at fault in the scenario: `flows[2].to`, `traffic[0].load`.
    #[must_use]
    pub fn path(&self) -> String {
        self.path.clone()
    }

    /// What is wrong.
    #[must_use]
    pub fn kind(&self) -> &WorkloadErrorKind {
        &self.kind
    }
}
