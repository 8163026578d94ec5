//! A rank's time: computing, exposed communication, overlap, waiting.
//!
//! Invariant: between its start and its end a rank computes on some processor, or it does not: both spans add up.
//! Computations on several processors at once count once.
//!
//! | span | time in which |
//! |---|---|
//! | computing | a processor computes |
//! | exposed | no processor computes, between the rank's start and its end |
//! | overlap | a processor computes, and a send is not complete or a posted receive has no message |
//! | waited | posted receives have no whole message, summed over receives |
//! | unexpected | messages, or their requests, have no receive, summed over messages |

use units::{Span, Time};

use super::graph::{Graph, Work};
use super::times::{ArrivedAt, RankTimes};

/// A rank's time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RankSpans {
    /// From its start to its end.
    pub whole: Span,
    /// A processor computes.
    pub computing: Span,
    /// No processor computes.
    pub exposed: Span,
    /// A processor computes while a message is under way.
    pub overlap: Span,
    /// Sum over receives: from the posting to the message.
    pub waited: Span,
    /// Messages that arrived before their receive was posted.
    pub unexpected: u32,
    /// Sum over these messages: from the arrival to the receive.
    pub unexpected_wait: Span,
    /// Messages that it has posted.
    pub messages: u64,
    /// Payload of these messages, in bytes.
    pub bytes: u64,
}

/// Returns the time of a rank up to `until`, which is its end if all operations have ended.
#[must_use]
pub fn of_rank(graph: &Graph, times: &RankTimes, until: Time) -> RankSpans {
    let mut spans = RankSpans::default();
    if times.begun > until {
        return spans;
    }
    spans.whole = until.since(times.begun);
    let (mut computing, mut open) = (Vec::new(), Vec::new());
    let count = graph.operations() as u32;
    for (id, (started, ended)) in (0..).zip(times.started.iter().zip(&times.ended)) {
        let (from, to) = (*started, (*ended).min(until));
        // A message that is posted in the last instant is a message of the rank.
        if from > until {
            continue;
        }
        match graph.operation(id % count).work {
            Work::Compute { .. } => computing.push((from, to)),
            Work::Send { bytes, .. } => {
                open.push((from, to));
                spans.messages += 1;
                spans.bytes += bytes;
            }
            Work::Receive { .. } => {
                open.push((from, to));
                spans.waited += to.since(from);
            }
        }
    }
    let (computing, open) = (union(computing), union(open));
    spans.computing = computing.iter().map(|(from, to)| to.since(*from)).sum();
    spans.exposed = spans.whole - spans.computing;
    spans.overlap = overlap(&computing, &open);
    for message in times.arrivals() {
        let taken = match message.receive {
            ArrivedAt::UNTAKEN => until,
            receive => times.matched(receive).min(until),
        };
        if message.at < taken {
            spans.unexpected += 1;
            spans.unexpected_wait += taken.since(message.at);
        }
    }
    spans
}

/// Returns intervals that cover the same time, in order, without common points inside.
fn union(mut all: Vec<(Time, Time)>) -> Vec<(Time, Time)> {
    all.sort_unstable();
    let mut joined: Vec<(Time, Time)> = Vec::new();
    for (from, to) in all {
        match joined.last_mut() {
            Some((_, end)) if from <= *end => *end = to.max(*end),
            _ => joined.push((from, to)),
        }
    }
    joined
}

/// Returns the time that two unions have in common.
fn overlap(one: &[(Time, Time)], other: &[(Time, Time)]) -> Span {
    let (mut sum, mut left, mut right) = (Span::ZERO, 0, 0);
    while let (Some(a), Some(b)) = (one.get(left), other.get(right)) {
        let (from, to) = (a.0.max(b.0), a.1.min(b.1));
        if from < to {
            sum += to.since(from);
        }
        if a.1 <= b.1 { left += 1 } else { right += 1 }
    }
    sum
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::job::GraphBuilder;

    fn at(ps: u64) -> Time {
        Time::from_ps(ps)
    }

    /// Two processors compute at once, for 100 of 150 ps: a rank of 200 ps is exposed for 50 ps, although its
    /// computations have 250 ps in all.
    #[test]
    fn computations_at_once_count_once() {
        let mut builder = GraphBuilder::default();
        let compute = |ps| Work::Compute { span: Span::from_ps(ps) };
        builder.add(compute(100).on_cpu(0));
        builder.add(compute(150).on_cpu(1));
        builder.add(Work::Send { to: 1, bytes: 9, tag: 0 }.on_cpu(0));
        builder.add(Work::Receive { from: Some(1), bytes: 9, tag: Some(0) }.on_cpu(0));
        let graph = builder.build().expect("no edges");
        let mut times = RankTimes::of(&graph, 1);
        times.begun = at(10);
        times.started = [10, 10, 20, 200].map(at).to_vec();
        times.ended = [110, 160, 170, 210].map(at).to_vec();
        times.arrive(1, at(50), at(180));
        times.take(0, 3);
        let spans = of_rank(&graph, &times, at(210));
        let ps = Span::from_ps;
        let expected = RankSpans {
            whole: ps(200),
            computing: ps(150),
            exposed: ps(50),
            overlap: ps(140),
            waited: ps(10),
            unexpected: 1,
            unexpected_wait: ps(30),
            messages: 1,
            bytes: 9,
        };
        assert_eq!(spans, expected);
        let half = of_rank(&graph, &times, at(100));
        assert_eq!((half.whole, half.computing, half.overlap, half.waited), (ps(90), ps(90), ps(80), ps(0)));
        assert_eq!(of_rank(&graph, &times, at(10)), RankSpans::default());
        assert_eq!(of_rank(&graph, &times, at(9)), RankSpans::default());
        let sent = of_rank(&graph, &times, at(20));
        assert_eq!((sent.messages, sent.bytes), (1, 9), "posted in the last instant");
    }

    proptest! {
        /// Unions and their common time, against a count of each picosecond.
        #[test]
        fn intervals_are_counted(
            one in prop::collection::vec((0_u64..40, 0_u64..12), 0..8),
            other in prop::collection::vec((0_u64..40, 0_u64..12), 0..8),
        ) {
            let of = |all: &[(u64, u64)]| union(all.iter().map(|(from, long)| (at(*from), at(from + long))).collect());
            let has = |all: &[(u64, u64)], ps: u64| all.iter().any(|(from, long)| (*from..from + long).contains(&ps));
            let both = (0..60).filter(|ps| has(&one, *ps) && has(&other, *ps)).count() as u64;
            prop_assert_eq!(overlap(&of(&one), &of(&other)).ps(), both);
            let any = (0..60).filter(|ps| has(&one, *ps)).count() as u64;
            prop_assert_eq!(of(&one).iter().map(|(from, to)| to.since(*from).ps()).sum::<u64>(), any);
        }
    }
}
