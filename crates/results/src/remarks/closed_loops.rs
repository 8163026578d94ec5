//! Closed loops: the rate of their messages, and hosts that stand still.
//!
//! Invariant: the numbers are from [`Turnover`], over the flows of a pattern.

use measures::censoring::{CensoredSample, CensoredValue};
use measures::completion::Completion;
use measures::rounded;
use measures::turnover::Turnover;
use schemars::JsonSchema;
use serde::Serialize;
use telemetry::{LockstepRecord, PatternRecord, RunRecord};

use super::{Remark, RemarkKind};
use crate::format::grouped;

/// Least share of all time that the slowest hundredth of messages takes where quantiles hide it: ten times the share
/// of equal messages.
const HIDDEN: f64 = 0.1;
/// Least share of hosts that stand still where quantiles hide them.
const MANY: f64 = 0.01;

/// A pattern with a closed loop at each host: a message is posted when another is complete.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ClosedLoopSummary {
    /// Name of the pattern, or its kind.
    pub pattern: String,
    /// Messages of a host that are posted and not yet acknowledged.
    pub outstanding_messages: u32,
    /// Hosts that post.
    pub hosts: usize,
    /// Messages delivered per second, from the first posting to the last delivery, or to the end if messages are
    /// outstanding.
    pub messages_per_s: f64,
    /// Messages per second that the hosts would complete in an empty fabric; `None` with several messages outstanding.
    pub alone_messages_per_s: Option<f64>,
    /// Hosts that stand still, as a mean over the same time: they complete no message for ten times as long as those
    /// that they have outstanding take alone, one after another.
    pub still_hosts: f64,
    /// Hosts that stand still at the end.
    pub still_hosts_at_end: usize,
    /// Share of the time of all messages that the slowest hundredth of them takes; `None` below 100 messages.
    pub slowest_hundredth_share: Option<f64>,
    /// 99th percentile of the completion times, in microseconds.
    pub fct_p99_us: CensoredValue,
    /// Stages in which all hosts proceed together; `None` if they do not, or if flows have several paths.
    pub lockstep: Option<LockstepSummary>,
}

/// The stages of a closed loop in which every host sends to the receiver at the same distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LockstepSummary {
    /// Number of stages.
    pub stages: u32,
    /// Most flows of a stage that leave by the same output.
    pub most_flows: u32,
}

/// Returns the closed loops of a run that posted messages, in the order of the scenario.
pub(super) fn of(record: &RunRecord) -> Vec<ClosedLoopSummary> {
    let patterns = (0_u32..).zip(&record.patterns);
    patterns
        .filter_map(|(number, pattern)| {
            let closed = pattern.closed?;
            let is_member = |flow: usize| record.flows[flow].pattern.get() == Some(number);
            let turnover = Turnover::of(record, is_member)?;
            let alone = turnover.alone_s.filter(|_| closed.outstanding == 1);
            Some(ClosedLoopSummary {
                pattern: pattern.label.clone(),
                outstanding_messages: closed.outstanding,
                hosts: turnover.hosts,
                messages_per_s: turnover.messages_per_s.round(),
                alone_messages_per_s: alone.map(|alone| (turnover.hosts as f64 / alone).round()),
                still_hosts: rounded(turnover.still_hosts, 3),
                still_hosts_at_end: turnover.still_hosts_at_end,
                slowest_hundredth_share: turnover.slowest_hundredth.map(|share| rounded(share, 6)),
                fct_p99_us: p99(record, is_member)?,
                lockstep: closed
                    .lockstep
                    .map(|LockstepRecord { stages, most_flows }| LockstepSummary { stages, most_flows }),
            })
        })
        .collect()
}

fn p99(record: &RunRecord, is_member: impl Fn(usize) -> bool) -> Option<CensoredValue> {
    let all = record.completions.as_ref()?;
    let messages = all.messages.iter().filter(|one| is_member(one.flow as usize));
    let times: CensoredSample = messages.map(|one| Completion::of(one, all.end).microseconds()).collect();
    Some(times.sorted().quantile(0.99)?.rounded(6))
}

impl ClosedLoopSummary {
    /// Returns true if some hosts stand still at the end, or a hundredth of them on average.
    pub(crate) fn stands(&self) -> bool {
        self.still_hosts_at_end > 0 || self.still_hosts >= MANY * self.hosts as f64
    }

    /// Says what the quantiles of the loop hide; `None` if they hide nothing.
    pub(super) fn hidden(&self) -> Option<Remark> {
        let share = self.slowest_hundredth_share.filter(|share| *share >= HIDDEN);
        let stands = self.stands();
        if share.is_none() && !stands {
            return None;
        }
        let mut facts = Vec::new();
        facts.extend(share.map(|share| {
            format!("{:.0} % of the time of all messages is that of the slowest hundredth", share * 100.0)
        }));
        if stands {
            facts.push(format!(
                "{:.1} of {} hosts stand still on average, {} at the end",
                self.still_hosts,
                grouped(self.hosts as u64),
                grouped(self.still_hosts_at_end as u64)
            ));
        }
        let rate = format!("{} messages/s are delivered", grouped(self.messages_per_s as u64));
        facts.push(self.alone_messages_per_s.map_or_else(
            || rate.clone(),
            |alone| format!("{rate}, where an empty fabric gives {}", grouped(alone as u64)),
        ));
        let text = format!(
            "`{}` is a closed loop: a host that waits for a message posts no other, so slow messages are few, and quantiles hide \
             them. p99 of completion is {} us, but {}.",
            self.pattern,
            self.fct_p99_us.printed(3),
            facts.join("; ")
        );
        Some(Remark { about: RemarkKind::ClosedLoop, text })
    }
}

/// Says that the hosts of a pattern proceed in lockstep, if they do.
pub(super) fn lockstep(pattern: &PatternRecord) -> Option<Remark> {
    let LockstepRecord { stages, most_flows } = pattern.closed?.lockstep?;
    Some(Remark { about: RemarkKind::Lockstep, text: in_lockstep(&pattern.label, (stages, most_flows)) })
}

/// Says that a pattern is in lockstep, with its stages and the most flows of a stage that leave by the same output.
#[must_use]
pub fn in_lockstep(pattern: &str, (stages, most_flows): (u32, u32)) -> String {
    let meet = match most_flows {
        0 | 1 => "no two flows of a stage leave by the same output, so that they do not congest each other"
            .to_owned(),
        most => format!("at most {most} flows of a stage leave by the same output"),
    };
    format!(
        "`{pattern}` is in lockstep: in each of {stages} stages every host sends to the one at the same distance, and {meet}. This \
         holds as long as nothing delays a host: sizes that differ (`size: Uniform(...)`) or `arrivals: Poisson(...)` show the \
         same traffic out of step."
    )
}
