//! Rate at which hosts complete messages, and hosts that stand still.
//!
//! A closed loop posts a message when another is complete. A host that waits for a slow message posts no others, so
//! slow messages are few among all messages, however much time they take: quantiles over messages hide them (the
//! *coordinated omission* of load generators; G. Tene, "How NOT to Measure Latency", 2015). Rates and hosts that stand
//! still do not.
//!
//! Invariant: a host's message is complete when the host learns of it: by its acknowledgement, or, over a service
//! without acknowledgements, by its delivery. Messages of a host count with all of these flows together.

use telemetry::{FlowRecord, MessageRecord, RunRecord};
use units::{Span, Time};

use crate::completion::Completion;

/// A host stands still if it completes no message for this many times the time that all its outstanding messages take
/// alone, one after another.
pub const STILL: u64 = 10;
/// Least number of messages with a slowest hundredth.
const LEAST_MESSAGES: usize = 100;

/// Messages and hosts of some flows, from the first posting to the last delivery, or to the end of the run if messages
/// are outstanding then.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turnover {
    /// Number of hosts that post.
    pub hosts: usize,
    /// Messages delivered, per second.
    pub messages_per_s: f64,
    /// Mean time from the posting of a message to the host's knowledge of its completion, in an empty fabric, in s;
    /// `None` if the hosts learned of none.
    pub alone_s: Option<f64>,
    /// Number of hosts that stand still, as a mean over time.
    pub still_hosts: f64,
    /// Number of hosts that stand still at the end.
    pub still_hosts_at_end: usize,
    /// Share of the time of all messages, completion times added up, that the slowest hundredth of them takes. `None`
    /// below 100 messages.
    pub slowest_hundredth: Option<f64>,
}

/// A message of a host.
#[derive(Clone, Copy)]
struct Posted {
    host: u32,
    at: Time,
    known: Option<Time>,
    alone: Span,
}

/// Times of a host that stands still.
#[derive(Default)]
struct Stillness {
    /// Sum over hosts, in ps. Many hosts add up to more than a [`Span`] holds.
    total_ps: u128,
    at_end: usize,
}

impl Turnover {
    /// Returns the messages and hosts of the flows that `is_member` names. `None` if the run did not keep completion
    /// times, or these flows posted no message.
    #[must_use]
    pub fn of(record: &RunRecord, is_member: impl Fn(usize) -> bool) -> Option<Self> {
        let all = record.completions.as_ref()?;
        let messages: Vec<_> = all.messages.iter().filter(|one| is_member(one.flow as usize)).collect();
        let mut posted: Vec<_> =
            messages.iter().map(|one| Posted::of(one, &record.flows[one.flow as usize])).collect();
        posted.sort_unstable_by_key(|one| (one.host, one.at));
        let first = posted.iter().map(|one| one.at).min()?;
        let delivered: Vec<_> = messages.iter().filter_map(|one| one.completed).collect();
        let is_open = delivered.len() < messages.len();
        let end = delivered.iter().max().copied().filter(|_| !is_open).unwrap_or(all.end);
        let length = end.since(first).seconds();
        let still = stillness(&posted, all.end);
        let per_second = |amount: f64| if length > 0.0 { amount / length } else { 0.0 };
        let known: Vec<_> = posted.iter().filter(|one| one.known.is_some()).collect();
        let alone = known.iter().map(|one| one.alone.seconds()).sum::<f64>() / known.len().max(1) as f64;
        Some(Self {
            hosts: posted.chunk_by(|one, next| one.host == next.host).count(),
            messages_per_s: per_second(delivered.len() as f64),
            alone_s: (!known.is_empty()).then_some(alone),
            still_hosts: per_second(still.total_ps as f64 / 1e12),
            still_hosts_at_end: still.at_end,
            slowest_hundredth: slowest_hundredth(
                messages.iter().map(|one| Completion::of(one, all.end).time.seconds()).collect(),
            ),
        })
    }
}

impl Posted {
    fn of(message: &MessageRecord, flow: &FlowRecord) -> Self {
        let known = if flow.transport.is_reliable() {
            message.acknowledged.map(|acknowledged| acknowledged.at)
        } else {
            message.completed
        };
        Self {
            host: flow.poster(),
            at: message.posted,
            known,
            alone: message.acknowledged.map_or(message.ideal, |acknowledged| acknowledged.ideal),
        }
    }
}

/// Returns the time for which hosts stand still. Messages are in the order of their hosts.
fn stillness(posted: &[Posted], end: Time) -> Stillness {
    let mut still = Stillness::default();
    for of_host in posted.chunk_by(|one, next| one.host == next.host) {
        // A completion goes before the posting that it brings.
        let completions = of_host.iter().filter_map(|one| Some((one.known?, false, one.alone)));
        let mut changes: Vec<_> =
            of_host.iter().map(|one| (one.at, true, one.alone)).chain(completions).collect();
        changes.sort_unstable();
        let (mut outstanding, mut alone_ps, mut since) = (0_usize, 0_u128, Time::ZERO);
        let waited = |since: Time, at: Time, alone_ps: u128| {
            let waited = u128::from(at.since(since).ps());
            if waited > u128::from(STILL) * alone_ps { waited } else { 0 }
        };
        for (at, is_posting, alone) in changes {
            let alone = u128::from(alone.ps());
            if is_posting {
                since = if outstanding == 0 { at } else { since };
                (outstanding, alone_ps) = (outstanding + 1, alone_ps + alone);
            } else {
                still.total_ps += waited(since, at, alone_ps);
                (outstanding, alone_ps, since) = (outstanding - 1, alone_ps - alone, at);
            }
        }
        let last = if outstanding > 0 { waited(since, end, alone_ps) } else { 0 };
        still.total_ps += last;
        still.at_end += usize::from(last > 0);
    }
    still
}

/// Returns the share that the slowest hundredth has in the completion times of all messages, in s.
fn slowest_hundredth(mut times: Vec<f64>) -> Option<f64> {
    if times.len() < LEAST_MESSAGES {
        return None;
    }
    times.sort_unstable_by(|one, other| other.total_cmp(one));
    let sum = |times: &[f64]| times.iter().sum::<f64>();
    let (slowest, total) = (sum(&times[..times.len() / LEAST_MESSAGES]), sum(&times));
    (total > 0.0).then_some(slowest / total)
}

#[cfg(test)]
mod tests {
    use telemetry::{Acknowledged, Completions};
    use units::Bytes;

    use super::*;

    fn us(us: u64) -> Time {
        Span::from_us(us).after_start()
    }

    /// Makes a run of 1000 us in which each flow, of a host of its own, posts messages that take these times, one
    /// after another. A message takes 1 us alone, and its acknowledgement a further 1 us in any case.
    fn run(hosts: &[&[u64]]) -> RunRecord {
        let flow = |host| FlowRecord { hosts: (host, 99), ..FlowRecord::default() };
        let mut messages = Vec::new();
        for (flow, times) in (0..).zip(hosts) {
            let mut posted = 0;
            for (number, time) in (1..).zip(*times) {
                let (completed, back) = (posted + time, posted + time + 1);
                messages.push(MessageRecord {
                    flow,
                    number,
                    size: Bytes::new(1000),
                    posted: us(posted),
                    completed: (completed <= 1000).then(|| us(completed)),
                    ideal: Span::from_us(1),
                    acknowledged: (back <= 1000)
                        .then(|| Acknowledged { at: us(back), ideal: Span::from_us(2) }),
                });
                posted = back;
            }
        }
        let mut completions = Completions { messages, end: us(1000), ..Completions::default() };
        completions.sort();
        let flows = (0..hosts.len() as u32).map(flow).collect();
        RunRecord { flows, completions: Some(completions), ..RunRecord::default() }
    }

    /// Both hosts begin with quick messages. One goes on, and the other waits for its eleventh to the end: a message
    /// in a hundred, half of all time.
    #[test]
    fn a_host_that_waits_for_a_message_stands_still_however_few_its_messages() {
        let (quick, slow) = ([1; 500], [&[1; 10][..], &[2000]].concat());
        let record = run(&[&quick, &slow]);
        let turnover = Turnover::of(&record, |_| true).expect("they post");
        assert_eq!((turnover.hosts, turnover.still_hosts_at_end), (2, 1));
        assert_eq!(turnover.messages_per_s.round(), 510.0 / 1e-3);
        assert!((turnover.alone_s.unwrap() - 2e-6).abs() < 1e-15, "{turnover:?}");
        // From 20 us on.
        assert!((turnover.still_hosts - 0.98).abs() < 1e-9, "{turnover:?}");
        // 5 of 511 messages: 980 us, and four of 1 us, of 510 and 980 us.
        assert!((turnover.slowest_hundredth.unwrap() - 984.0 / 1490.0).abs() < 1e-9, "{turnover:?}");
        let one = Turnover::of(&record, |flow| flow == 0).expect("it posts");
        assert_eq!((one.hosts, one.still_hosts, one.still_hosts_at_end), (1, 0.0, 0));
    }

    /// Messages that a host posts together take turns on its link, and complete late, and together.
    #[test]
    fn a_host_with_many_messages_at_once_does_not_stand_still() {
        let mut record = run(&[&[1; 100]]);
        let all = record.completions.as_mut().unwrap();
        for one in &mut all.messages {
            (one.posted, one.completed) = (us(0), Some(us(900)));
            one.acknowledged = Some(Acknowledged { at: us(901), ideal: Span::from_us(2) });
        }
        assert_eq!(Turnover::of(&record, |_| true).unwrap().still_hosts, 0.0);
        // Alone, all hundred take 200 us at most, and the host waits more than ten times as long for ten of them.
        record.completions.as_mut().unwrap().messages.truncate(10);
        let turnover = Turnover::of(&record, |_| true).unwrap();
        assert!((turnover.still_hosts - 901.0 / 900.0).abs() < 1e-9, "{turnover:?}");
        assert_eq!(turnover.slowest_hundredth, None);
    }

    #[test]
    fn traffic_that_posts_nothing_has_no_turnover() {
        let record = run(&[&[1]]);
        assert_eq!(Turnover::of(&record, |_| false), None);
        assert_eq!(Turnover::of(&RunRecord { completions: None, ..record }, |_| true), None);
    }
}
