//! Queue pairs of an adapter, and the origins of their messages.
//!
//! Invariant: a queue pair takes as little memory as possible, since there may be a million. State that only the
//! receiving end of a flow needs is kept apart, in its [`Reception`].

use core::num::NonZeroU32;
use std::collections::VecDeque;

use cc_policies::EchoState;
use packet::{MarkCode, QpNumber};
use prefetch::prefetch;
use telemetry::Marks;
use units::Time;
use workload::HostTraffic;
use workload::job::HostJobs;

use super::next_timer::NextTimer;
use super::setup::FlowEnd;
use crate::host_drain::SinkTally;

/// Place among the receptions of a queue pair that receives neither data nor requests for data.
pub(super) const NO_RECEPTION: u32 = u32::MAX;

/// A queue pair: its other end, and its statistics.
#[derive(Clone, Debug)]
#[repr(align(16))] // Three in four lie in one cache line.
pub(super) struct QueuePair {
    pub(super) end: FlowEnd,
    /// Number of the endpoint that the flow uses.
    pub(super) endpoint: u32,
    pub(super) origin: MessageSource,
    /// Place among the receptions; [`NO_RECEPTION`] at the end that data leaves, unless it is asked for the data.
    pub(super) reception: u32,
    pub(super) becns: u64,
    pub(super) messages: u64,
}

state_codec::state!(QueuePair { end: plan, endpoint: plan, origin: plan, reception: plan, becns, messages });

const _: () = assert!(size_of::<QueuePair>() == 48, "as small as can be: there may be a million");

/// State of a queue pair that data or requests for data come in for.
#[derive(Clone, Debug, Default)]
#[repr(align(64))]
pub(super) struct Reception {
    /// Data that the host has consumed.
    pub(super) tally: SinkTally,
    /// State of the notification policy.
    pub(super) echo: EchoState,
    /// Place among the adapter's counts of marks, counted from 1; `None` before the first mark.
    marks: Option<NonZeroU32>,
}

state_codec::value!(Reception { tally, echo, marks });

const _: () = assert!(size_of::<Reception>() == 64, "a reception is a cache line: there may be a million");

impl Reception {
    /// Counts a packet that a switch had marked for this reason. `all` has the adapter's counts, an entry for each
    /// reception with a mark.
    pub(super) fn count_mark(&mut self, reason: MarkCode, all: &mut Vec<Marks>) {
        let place = *self.marks.get_or_insert_with(|| {
            all.push(Marks::default());
            NonZeroU32::new(all.len() as u32).expect("the count that was added")
        });
        all[place.get() as usize - 1].count(reason);
    }

    /// Prefetches the counts of marks, if the reception has any.
    #[inline]
    pub(super) fn prefetch_marks(&self, all: &[Marks]) {
        if let Some(marks) = self.marks.and_then(|place| all.get(place.get() as usize - 1)) {
            prefetch(marks);
        }
    }

    /// Returns the marked packets that were consumed, by the first reason.
    pub(super) fn marks(&self, all: &[Marks]) -> Option<Marks> {
        self.marks.map(|place| all[place.get() as usize - 1])
    }
}

/// The origin of the messages of a queue pair, by number.
#[derive(Clone, Copy, Debug)]
pub(super) enum MessageSource {
    Peer,
    /// Index among the adapter's generators.
    Generator(u32),
    /// Index among the adapter's shared traffic.
    HostTraffic(u32),
    /// Index among the flows of jobs that leave.
    JobLink(u32),
    /// Index among the flows of jobs that come in; the other end posts their messages.
    JobSink(u32),
}
/// Ranks of jobs, and the queue pairs of the flows that leave them.
#[derive(Clone, Debug)]
pub(super) struct AdapterJobs {
    pub(super) jobs: HostJobs,
    /// In the order of the jobs' links.
    pub(super) queue_pairs: Box<[QpNumber]>,
    pub(super) timer: NextTimer,
    /// Last packets of messages that have not ended for their rank, in the order of their numbers, for each flow that
    /// comes in; no list if packets are taken in order, where the last packet ends its message.
    pub(super) ends: Vec<VecDeque<LastPacket>>,
}

state_codec::state!(AdapterJobs { jobs: part, queue_pairs: plan, timer, ends });

/// The last packet of a job's message, which was taken in any order.
#[derive(Clone, Copy, Debug)]
pub(super) struct LastPacket {
    /// Number after the packet's, lower 32 bits.
    pub(super) end: u32,
    pub(super) immediate: u32,
    /// Departure of its first byte from the sender's adapter.
    pub(super) departed: Time,
}

state_codec::value!(LastPacket { end, immediate, departed });

/// Host traffic and the queue pairs that it posts to.
#[derive(Clone, Debug)]
pub(super) struct SharedTraffic {
    pub(super) traffic: HostTraffic,
    /// In the order of the traffic's flows.
    pub(super) queue_pairs: Box<[QpNumber]>,
}

state_codec::state!(SharedTraffic { traffic: part, queue_pairs: plan });
