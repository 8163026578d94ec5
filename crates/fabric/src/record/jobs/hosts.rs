//! Messages that leave the same host as a job's, and keep them waiting there.
//!
//! Invariant: the waits are those on a wire that nothing holds up, with every message posted when it was. So a wait
//! that is longer than them has another reason.

use std::collections::{BTreeMap, BTreeSet};

use ca_transport::ScheduleSpec;
use packet::{Lane, NodeId, PortId};
use scenario::{IdealJobMessage, IdealTime, IdealTimes, JobIdeal, Plan};
use telemetry::Completions;
use units::{Bytes, Span, Time};
use workload::job::path::{JobTimes, Posted};
use workload::job::rendezvous::WirePart;
use workload::job::{Job, OperationId};
use workload::{Flow, Operation};

use super::turns::{self, Load};
use crate::state::world::OutputLane;

/// The messages of all flows that leave hosts of jobs.
#[derive(Debug, Default)]
pub(super) struct AllMessages {
    by_host: BTreeMap<NodeId, Vec<Sent>>,
}

/// A message of any flow.
#[derive(Clone, Copy, Debug)]
struct Sent {
    flow: u32,
    posted: Time,
    size: Bytes,
    /// Time at which it was delivered; never, if it was not.
    completed: Time,
}

/// The messages that leave the hosts of a job, once they are asked for.
pub(super) struct Hosts<'a> {
    plan: &'a Plan,
    all: &'a AllMessages,
    times: Option<IdealTimes<'a>>,
    by_host: BTreeMap<NodeId, Host>,
}

struct Host {
    /// Messages of the job, in order of posting.
    own: Vec<OwnMessage>,
    of_own: Queue,
    /// Messages of other flows.
    of_others: Queue,
}

/// A message of the job.
struct OwnMessage {
    key: MessageKey,
    /// Its wait for others of the job.
    own: Span,
    /// Its further wait for messages of other flows.
    shared: Span,
}

/// A message's posting, its sender, its operation and its part: the order of a host's messages.
type MessageKey = (Time, u32, OperationId, WirePart);

/// Messages in order of posting.
#[derive(Default)]
struct Queue(Vec<Leaving>);

/// A message that leaves a host.
#[derive(Clone, Copy)]
struct Leaving {
    flow: u32,
    posted: Time,
    /// Time at which its last packet would depart if nothing held up the wire.
    departs: Time,
    /// Time at which its last byte has left, or a later one; never, if it has not arrived.
    left: Time,
    /// Latest such time of the messages up to this one.
    latest: Time,
}

/// The wait of a message for others that leave the same host, from its posting to the departure of its last packet.
#[derive(Debug, Default)]
pub(super) struct Wait {
    /// Wait for messages of the job, if nothing held up the wire.
    pub(super) own: Span,
    /// Further wait for messages of other flows, if nothing held up the wire.
    pub(super) shared: Span,
    /// These flows.
    pub(super) others: BTreeSet<u32>,
    /// Flows of all messages that were at the host with it, and went first or in between; a wait that is longer than
    /// `own` and `shared` is theirs as well.
    pub(super) ahead: BTreeSet<u32>,
    /// First posting of these messages that is not later than its own.
    pub(super) since: Time,
}

/// A message that waits: its sender, operation and part.
pub(super) type Waiting = (u32, OperationId, WirePart);

impl AllMessages {
    /// Takes the messages of a run; none if a job has the fabric to itself.
    pub(super) fn new(plan: &Plan, completions: Option<&Completions>) -> Self {
        let workload = plan.workload();
        let mut by_host = BTreeMap::<NodeId, Vec<Sent>>::new();
        if let [only] = &workload.jobs[..]
            && only.first_flow == 0
        {
            return Self { by_host };
        }
        let hosts: BTreeSet<NodeId> =
            workload.jobs.iter().flat_map(|job| job.hosts.iter().copied()).collect();
        for one in completions.iter().flat_map(|all| &all.messages) {
            let host = workload.flows[one.flow as usize].source;
            if hosts.contains(&host) {
                let completed = one.completed.unwrap_or(Time::NEVER);
                let sent = Sent { flow: one.flow, posted: one.posted, size: one.size, completed };
                by_host.entry(host).or_default().push(sent);
            }
        }
        Self { by_host }
    }
}

impl<'a> Hosts<'a> {
    pub(super) const fn new(plan: &'a Plan, all: &'a AllMessages) -> Self {
        Self { plan, all, times: None, by_host: BTreeMap::new() }
    }

    /// Returns the wait of a message of the job from its posting to the departure of its last packet.
    ///
    /// # Panics
    /// If the job has not posted it, or it does not leave its host.
    pub(super) fn wait(
        &mut self,
        (job, times, ideal): (&Job, &mut JobTimes<'_>, &mut JobIdeal<'_>),
        (from, operation, part): Waiting,
        (posted, departed): (Time, Time),
    ) -> Wait {
        let host = job.hosts[from as usize];
        if !self.by_host.contains_key(&host) {
            let messages = self.host(job, host, times, ideal);
            self.by_host.insert(host, messages);
        }
        let Host { own, of_own, of_others } = &self.by_host[&host];
        let key = (posted, from, operation, part);
        let place = own.binary_search_by_key(&key, |one| one.key).expect("a message of the path is posted");
        let OwnMessage { own, shared, .. } = own[place];
        let mut wait = Wait { own, shared, since: posted, ..Wait::default() };
        let Leaving { flow, departs, .. } = of_own.0[place];
        for (other, one) in of_own.between(posted, departed) {
            // A queue pair sends its messages in order: later ones of the same pair do not hold this one up.
            if other != place && (one.flow != flow || other < place) {
                wait.ahead.insert(one.flow);
                wait.since = wait.since.min(one.posted);
            }
        }
        for (_, one) in of_others.between(posted, departed) {
            wait.ahead.insert(one.flow);
            wait.since = wait.since.min(one.posted);
            if one.posted < departs && one.departs > posted {
                wait.others.insert(one.flow);
            }
        }
        wait
    }

    /// Returns the output by which messages of a flow leave their host.
    pub(super) fn output(&self, flow: u32) -> OutputLane {
        let Flow { source, destination, service_level, .. } = &self.plan.workload().flows[flow as usize];
        let level = self.plan.service_level(*service_level, *source, *destination);
        let lane: Lane = self.plan.link().lanes[usize::from(level.0)];
        (*source, PortId(0), lane)
    }

    /// Returns the messages that leave a host, with their waits.
    fn host(&mut self, job: &Job, host: NodeId, times: &mut JobTimes<'_>, ideal: &mut JobIdeal<'_>) -> Host {
        let in_turn = self.plan.nodes().adapter(host).schedule == ScheduleSpec::RoundRobin;
        let (mut own, loads, mut of_own) = self.own(job, host, times, ideal);
        let (other_loads, mut of_others) = self.others(job, host);
        let alone = turns::departures(&loads, in_turn);
        let mut together = alone.clone();
        if !other_loads.is_empty() {
            // Others come first in an instant, so that the wait for them is never too short.
            let order = |is_own, loads: &[Load]| {
                let posted: Vec<_> = loads.iter().map(|load| load.posted).collect();
                posted.into_iter().zip(0..).map(move |(at, place)| (at, is_own, place))
            };
            let mut order: Vec<(Time, bool, usize)> =
                order(false, &other_loads).chain(order(true, &loads)).collect();
            order.sort_unstable();
            let list = |is_own, place: usize| if is_own { loads[place] } else { other_loads[place] };
            let merged: Vec<Load> = order.iter().map(|(_, is_own, place)| list(*is_own, *place)).collect();
            for ((_, is_own, place), departs) in order.into_iter().zip(turns::departures(&merged, in_turn)) {
                if is_own {
                    together[place] = departs;
                } else {
                    of_others[place].departs = departs;
                }
            }
        }
        for (place, (alone, together)) in alone.into_iter().zip(together).enumerate() {
            let OwnMessage { own, shared, key: (posted, ..) } = &mut own[place];
            *own = Span::from_ps(alone.since(*posted).ps().saturating_sub(own.ps()));
            *shared = together.since(alone);
            of_own[place].departs = together;
        }
        Host { own, of_own: Queue::new(of_own), of_others: Queue::new(of_others) }
    }

    /// Returns the messages of a job that leave a host, in order of posting. For the time being, the wait of each is
    /// the time until its last packet would depart alone.
    fn own(
        &self,
        job: &Job,
        host: NodeId,
        times: &mut JobTimes<'_>,
        ideal: &mut JobIdeal<'_>,
    ) -> (Vec<OwnMessage>, Vec<Load>, Vec<Leaving>) {
        let mut all: Vec<(MessageKey, Posted)> = Vec::new();
        for from in (0..job.programs.ranks.len() as u32).filter(|rank| job.hosts[*rank as usize] == host) {
            let posted = times.posted(from).into_iter();
            let leaving = posted.filter(|one| job.flows(from, one.to).is_some());
            all.extend(leaving.map(|one| ((one.posted, from, one.operation, one.part), one)));
        }
        all.sort_unstable_by_key(|(key, _)| *key);
        // Messages to a rank take the queue pairs in turn.
        let mut turns = BTreeMap::<u32, u32>::new();
        let (mut own, mut loads, mut of_own) = (Vec::new(), Vec::new(), Vec::new());
        for (key, Posted { to, bytes, posted, arrived, .. }) in all {
            let flows = job.flows(key.1, to).expect("it leaves the host");
            let turn = turns.entry(flows.start).or_default();
            let flow = flows.start + *turn % job.queue_pairs;
            *turn += 1;
            let IdealJobMessage { occupied, departed, .. } = ideal.message(key.1, to, bytes);
            let left = arrived.map_or(Time::NEVER, |(last, _)| last + (occupied - departed));
            own.push(OwnMessage { key, own: departed, shared: Span::ZERO });
            loads.push(Load::new(flow, posted, self.packets(Bytes::new(bytes)), (departed, occupied)));
            of_own.push(Leaving { flow, posted, left, departs: posted, latest: left });
        }
        (own, loads, of_own)
    }

    /// Returns the messages of other flows that leave a host, in order of posting.
    fn others(&mut self, job: &Job, host: NodeId) -> (Vec<Load>, Vec<Leaving>) {
        let flows = job.first_flow..job.first_flow + job.pairs.len() as u32 * job.queue_pairs;
        let all = self.all.by_host.get(&host).map_or(&[][..], Vec::as_slice);
        let mut all: Vec<Sent> = all.iter().filter(|one| !flows.contains(&one.flow)).copied().collect();
        all.sort_by_key(|one| (one.posted, one.flow));
        let (mut loads, mut leaving) = (Vec::new(), Vec::new());
        for Sent { flow, posted, size, completed } in all {
            let plan = self.plan;
            let ideal = self.times.get_or_insert_with(|| IdealTimes::new(plan));
            let mut way = Span::ZERO;
            if plan.workload().flows[flow as usize].operation == Operation::RdmaRead {
                // The only packet departs when the request has arrived.
                way = ideal.times(flow as usize, Bytes::new(1)).departed;
            }
            let IdealTime { departed, occupied, .. } = ideal.times(flow as usize, size);
            let posted = posted + way;
            loads.push(Load::new(flow, posted, self.packets(size), (departed - way, occupied - way)));
            leaving.push(Leaving { flow, posted, left: completed, departs: posted, latest: completed });
        }
        (loads, leaving)
    }

    fn packets(&self, size: Bytes) -> u64 {
        size.get().div_ceil(u64::from(self.plan.link().mtu.bytes())).max(1)
    }
}

impl Queue {
    fn new(mut all: Vec<Leaving>) -> Self {
        let mut latest = Time::ZERO;
        for one in &mut all {
            latest = latest.max(one.left);
            one.latest = latest;
        }
        Self(all)
    }

    /// Returns the messages that were at the host in an interval, with their places.
    fn between(&self, from: Time, to: Time) -> impl Iterator<Item = (usize, &Leaving)> {
        let before = self.0.partition_point(|one| one.posted < to);
        let all = self.0[..before].iter().enumerate().rev();
        all.take_while(move |(_, one)| one.latest > from).filter(move |(_, one)| one.left > from)
    }
}
