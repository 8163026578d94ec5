//! Finite traffic: flows and patterns that end by themselves, by a number of messages, a stop, or a list.
//!
//! Invariant: traffic is finite if the scenario says so, whatever the run. Traffic that a run would cut short is never
//! taken to have ended by then.

use units::Time;

use crate::flow::{Flow, Posting};
use crate::run::HostTraffic;
use crate::volume::FiniteAmount;

/// The messages of all finite traffic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FiniteTraffic {
    /// Number of messages. `None` if it depends on the run, because some traffic posts until a stop as completions
    /// allow.
    pub messages: Option<u64>,
    /// Time by which time alone has brought all its messages, and by which traffic that only a stop ends has stopped.
    /// [`Time::NEVER`] if that is not before the end of the run.
    pub last_posting: Time,
    /// Stops of closed loops that may end before, by their number of messages; in order of time.
    pub loop_stops: Vec<Time>,
}

impl Default for FiniteTraffic {
    /// No message at all.
    fn default() -> Self {
        Self { messages: Some(0), last_posting: Time::ZERO, loop_stops: Vec::new() }
    }
}

impl FiniteTraffic {
    /// Adds up the finite traffic of a run that ends at `end`. `stop_of` is the declared stop of a flow, or of its
    /// pattern.
    pub(crate) fn of(
        flows: &[Flow],
        host_traffic: &[HostTraffic],
        end: Time,
        stop_of: impl Fn(&Flow) -> Time,
    ) -> Self {
        let of_flow = |flow: &Flow| {
            let stop = stop_of(flow);
            match &flow.posting {
                Posting::Scheduled(_) if stop != Time::NEVER && stop > end => {
                    Some(FiniteAmount::beyond_the_run())
                }
                Posting::Scheduled(schedule) => Some(FiniteAmount::of(schedule)),
                // Host traffic counts its messages itself, once for all of its flows.
                Posting::Drawn { .. } => None,
                Posting::Job { .. } => unreachable!("jobs are added after all other traffic"),
            }
        };
        let scheduled = flows.iter().filter(|flow| flow.finite).filter_map(of_flow);
        let drawn = host_traffic.iter().filter_map(HostTraffic::finite);
        let mut all = Self::default();
        scheduled.chain(drawn).for_each(|amount| all.add(amount));
        all.loop_stops.sort_unstable();
        all.loop_stops.dedup();
        all
    }

    fn add(&mut self, amount: FiniteAmount) {
        self.messages = self.messages.zip(amount.messages).map(|(sum, more)| sum + more);
        self.last_posting = self.last_posting.max(amount.last_posting);
        self.loop_stops.extend(amount.loop_stop);
    }
}
