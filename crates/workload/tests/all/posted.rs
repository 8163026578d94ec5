//! The messages that a workload posts by time alone, without completions.
//!
//! Invariant: a flow posts the messages of its forecast.

use core::ops::Deref;

use units::{Bytes, Time};
use workload::{Flow, ListedMessage, MessageGenerator, MessageSchedule, Posting, Workload};

/// A flow with its messages.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Posted {
    pub(crate) flow: Flow,
    pub(crate) posts: Vec<ListedMessage>,
}

impl Deref for Posted {
    type Target = Flow;

    fn deref(&self) -> &Flow {
        &self.flow
    }
}

/// Returns all flows with all their messages.
pub(crate) fn posted(workload: &Workload) -> Vec<Posted> {
    let mut all: Vec<Posted> =
        workload.flows.iter().map(|flow| Posted { flow: flow.clone(), posts: Vec::new() }).collect();
    for one in &mut all {
        let Posting::Scheduled(schedule @ MessageSchedule::Listed(_)) = &one.flow.posting else { continue };
        let mut generator = MessageGenerator::new(schedule);
        while generator.deadline() != Time::NEVER {
            let at = generator.deadline();
            one.posts.extend(generator.on_deadline(at).map(|bytes| ListedMessage { at, bytes }));
        }
    }
    for (number, traffic) in (0..).zip(&workload.host_traffic) {
        let mut traffic = traffic.clone();
        let mut flows: Vec<&mut Posted> = all.iter_mut().filter(|one| is_of(&one.flow, number)).collect();
        assert_eq!(flows.len(), traffic.flows());
        while let Some((at, flow)) = traffic.deadline() {
            let post = traffic.on_deadline(at).expect("its deadline has come");
            assert_eq!(post.flow, flow);
            flows[flow as usize].posts.push(ListedMessage { at, bytes: post.bytes });
        }
    }
    for Posted { flow, posts } in &all {
        let total: Bytes = posts.iter().map(|post| post.bytes).sum();
        assert!(flow.posting.total().is_none_or(|foreseen| foreseen == total), "{}", flow.name);
        assert!(posts.first().is_none_or(|first| first.at == flow.posting.start()), "{}", flow.name);
    }
    all
}

/// Returns whether a flow's messages come from the host traffic of this number.
pub(crate) fn is_of(flow: &Flow, number: u32) -> bool {
    matches!(flow.posting, Posting::Drawn { host_traffic, .. } if host_traffic == number)
}
