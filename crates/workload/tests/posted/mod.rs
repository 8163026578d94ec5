//! What a workload's flows post as time goes on, if nothing completes.
//!
//! Invariant: what was foreseen of a flow is what it posts.

use core::ops::Deref;

use units::{Bytes, Time};
use workload::{Flow, Post, Poster, Posting, Workload};

/// A flow with its messages.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Posted {
    pub(crate) flow: Flow,
    pub(crate) posts: Vec<Post>,
}

impl Deref for Posted {
    type Target = Flow;

    fn deref(&self) -> &Flow {
        &self.flow
    }
}

/// All flows with all their messages.
pub(crate) fn posted(workload: &Workload) -> Vec<Posted> {
    let mut all: Vec<Posted> =
        workload.flows.iter().map(|flow| Posted { flow: flow.clone(), posts: Vec::new() }).collect();
    for one in all.iter_mut().filter(|one| matches!(one.flow.posting, Posting::Listed(_))) {
        let mut poster = Poster::new(&one.flow);
        while poster.deadline() != Time::NEVER {
            let at = poster.deadline();
            one.posts.extend(poster.on_deadline(at).map(|bytes| Post { at, bytes }));
        }
    }
    for (number, source) in (0..).zip(&workload.sources) {
        let mut source = source.clone();
        let mut flows: Vec<&mut Posted> = all.iter_mut().filter(|one| is_of(&one.flow, number)).collect();
        assert_eq!(flows.len(), source.flows());
        while let Some((at, flow)) = source.deadline() {
            let turn = source.on_deadline(at).expect("its deadline has come");
            assert_eq!(turn.flow, flow);
            flows[flow as usize].posts.push(Post { at, bytes: turn.bytes });
        }
    }
    for Posted { flow, posts } in &all {
        let total: Bytes = posts.iter().map(|post| post.bytes).sum();
        assert!(flow.posting.total().is_none_or(|foreseen| foreseen == total), "{}", flow.name);
        assert!(posts.first().is_none_or(|first| first.at == flow.posting.start()), "{}", flow.name);
    }
    all
}

/// Whether a flow's messages are drawn by this source.
pub(crate) fn is_of(flow: &Flow, number: u32) -> bool {
    matches!(flow.posting, Posting::Drawn { source, .. } if source == number)
}
