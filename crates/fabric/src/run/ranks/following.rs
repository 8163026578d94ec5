//! The work of all ranks but rank 0.
//!
//! Invariant: a rank holds its own parts alone, without names, instruments and records. It decides nothing: whatever depends on
//! more than its parts, rank 0 tells it.

use core::ops::Range;
use core::sync::atomic::AtomicBool;
use core::time::Duration;
use std::sync::Arc;

use ca_transport::Adapter;
use event_kernel::Digest;
use parallel::{Ranks, Stopwatch};
use scenario::Plan;
use state_codec::{StateReader, StateWriter, Value};
use topology::Partition;
use units::Span;

use super::office::{Office, Stint};
use super::order::{Order, Reading};
use super::parts_of;
use crate::build;
use crate::checkpoint::parts;
use crate::run::threads::{Signal, Watch};
use crate::run::turns::Turns;
use crate::run::until_done::Counting;
use crate::run::{PROGRESS_EVERY, RunOptions};
use crate::state::interconnect::Divided;
use crate::state::part::Part;

/// Runs parts of a plan as rank 0 orders, until it [releases](crate::release) this rank. `plan` is `None` if it could not be read:
/// rank 0 learns of it.
///
/// Of the options, only the ranks, the interrupt and the seed that scrambles turns count; rank 0 tells the rest. An interrupt ends
/// the run on all ranks.
///
/// # Panics
/// If the options have no ranks, if this is rank 0, or if another rank fails.
pub fn follow(plan: Option<&Plan>, options: RunOptions<'_>) {
    let ranks = options.ranks.expect("a rank follows another");
    assert_ne!(ranks.rank(), 0, "rank 0 leads");
    let mut messages = vec![Vec::new(); ranks.count()];
    let mut share = None;
    loop {
        messages.iter_mut().for_each(Vec::clear);
        ranks.exchange(&mut messages);
        let mut from = StateReader::new(&messages[0]);
        let order = Value::take(&mut from).expect("ranks are of one build");
        let share = match order {
            Order::End => return,
            Order::Begin { plan: digest, of_node, windows } => {
                let reading = compared(plan, digest);
                answer(ranks, |to| reading.put(to));
                let plan = plan.filter(|_| reading == Reading::Same);
                share = plan.map(|plan| Share::new(plan, options, (&of_node, &windows)));
                continue;
            }
            _ => share.as_mut().expect("rank 0 begins"),
        };
        match order {
            Order::Begin { .. } | Order::End => unreachable!("these are handled above"),
            Order::BringUp => share.bring_up(),
            Order::Silence => share.adapters().for_each(Adapter::silence),
            Order::Advance { .. } => share.advance(&order),
            Order::Save => answer(ranks, |to| share.save(to)),
            Order::Load { handled } => {
                let events = parts::load(&mut share.parts, handled, &mut from);
                let events = events.unwrap_or_else(|error| panic!("the parts of rank 0: {error}"));
                share.turns.iter_mut().zip(events).for_each(|(turns, events)| turns.events = events);
            }
        }
    }
}

fn compared(plan: Option<&Plan>, digest: Digest) -> Reading {
    match plan {
        None => Reading::None,
        Some(plan) if plan.digest() == digest => Reading::Same,
        Some(_) => Reading::Other,
    }
}

/// Sends a message to rank 0 alone.
fn answer(ranks: &dyn Ranks, write: impl FnOnce(&mut StateWriter)) {
    let mut messages = vec![Vec::new(); ranks.count()];
    let mut to = StateWriter::new();
    write(&mut to);
    messages[0] = to.into_bytes();
    ranks.exchange(&mut messages);
}

/// The parts of a rank.
struct Share<'a> {
    office: Office<'a>,
    parts: Vec<Part>,
    turns: Vec<Turns>,
    /// Finite flows, by flow.
    finite: Arc<[bool]>,
    /// By part, positions of the adapters that finite flows lead to, whose hosts take their time.
    slow: Vec<Vec<u32>>,
    interrupt: Option<&'a AtomicBool>,
    /// Number of events of the first part at which the interrupt is looked at next.
    report_at: u64,
}

impl<'a> Share<'a> {
    fn new(plan: &Plan, options: RunOptions<'a>, (of_node, windows): (&[u16], &[Span])) -> Self {
        let ranks = options.ranks.expect("a rank follows another");
        let partition = Partition::new(of_node);
        let own: Range<usize> = parts_of(ranks.rank(), ranks.count(), windows.len());
        let parts = build::share(plan, &partition, own.clone(), windows);
        let finite: Arc<[bool]> = plan.workload().flows.iter().map(|flow| flow.finite).collect();
        Self {
            office: Office::new(ranks, windows.len()),
            slow: slow(plan, &parts),
            parts,
            turns: own.map(|part| Turns::new(part, options.scramble)).collect(),
            finite,
            interrupt: options.interrupt,
            report_at: PROGRESS_EVERY,
        }
    }

    fn adapters(&mut self) -> impl Iterator<Item = &mut Adapter> {
        self.parts.iter_mut().flat_map(|part| &mut part.adapters)
    }

    fn bring_up(&mut self) {
        self.parts.iter_mut().for_each(Part::bring_up::<Divided>);
    }

    fn save(&self, to: &mut StateWriter) {
        let events = self.turns.iter().map(|turns| turns.events);
        parts::save(&self.parts, events, to);
    }

    fn advance(&mut self, order: &Order) {
        let Order::Advance { windows, handled, missing } = *order else {
            unreachable!("{order:?} is no advance")
        };
        let finite = &self.finite;
        let counting = missing.into_iter().flat_map(|missing| {
            self.slow.iter().map(move |slow| Counting {
                finite: Arc::clone(finite),
                slow: slow.clone(),
                missing,
            })
        });
        let counting = counting.collect();
        let mut watch = Watch {
            progress: &mut |_| {},
            interrupt: self.interrupt,
            report_at: self.report_at,
            slice: Duration::MAX,
            stopwatch: Stopwatch::start(),
            windows: 0,
        };
        let look = |events, now, hops| -> Signal { watch.look(events, now, hops) };
        self.office.advance((&mut self.parts, &mut self.turns), Stint { windows, handled, counting }, look);
        self.report_at = watch.report_at;
    }
}

/// Returns the adapters of each part that finite flows lead to, whose hosts take their time.
fn slow(plan: &Plan, parts: &[Part]) -> Vec<Vec<u32>> {
    let mut is_sink = vec![false; plan.nodes().adapters.len()];
    for flow in plan.workload().flows.iter().filter(|flow| flow.finite) {
        is_sink[flow.destination.index()] = true;
    }
    let of_part = |part: &Part| {
        let hosts = (0..).zip(part.adapters.iter().zip(&part.numbers));
        let slow = hosts.filter(|(_, (adapter, node))| adapter.is_slow() && is_sink[node.index()]);
        slow.map(|(index, _)| index).collect()
    };
    parts.iter().map(of_part).collect()
}
