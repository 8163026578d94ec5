//! The work of all ranks but rank 0.
//!
//! Invariant: a rank holds its own parts alone, without instruments and records. It decides nothing: rank 0 sends it
//! everything that depends on more than its parts.

use core::ops::Range;
use core::sync::atomic::AtomicBool;

use ca_transport::Adapter;
use event_kernel::{Digest, Lookahead};
use parallel::{Clock, Ranks, parts_of};
use scenario::Plan;
use state_codec::{StateReader, StateWriter, Value};
use topology::Partition;
use units::{Span, Time};

use super::office::{AdvanceOrder, Office};
use super::order::{Order, Reading};
use crate::build;
use crate::checkpoint::parts;
use crate::observe::{digest, last_look};
use crate::run::RunOptions;
use crate::run::audit::{Sums, carries_here};
use crate::run::drain::Rest;
use crate::run::threads::{RunWatch, Signal};
use crate::run::turns::Turns;
use crate::run::until_done::UntilDone;
use crate::state::interconnect::Divided;
use crate::state::part::Part;
use crate::state::world::World;
use crate::state::world::observed::{Counts, RankQuestion, taken};

/// Runs parts of a plan as rank 0 orders, until it [releases](crate::release) this rank. `plan` is `None` if it could
/// not be read, which this rank reports to rank 0.
///
/// Of the options, only the ranks, the interrupt and the seed that scrambles turns count. The rest comes from rank 0.
/// An interrupt ends the run on all ranks.
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
        // The first byte of a message is true for a question, and false for an order.
        if taken(&mut from) {
            let share: &mut Share<'_, '_> = share.as_mut().expect("rank 0 begins");
            let (now, question) = (taken(&mut from), taken(&mut from));
            answer(ranks, |to| share.answer(now, &question, to));
            continue;
        }
        let order = taken(&mut from);
        let share = match order {
            Order::End => return,
            Order::Begin { plan: digest, of_node, inner, between } => {
                let reading = compared(plan, digest);
                answer(ranks, |to| reading.put(to));
                // A rank with another plan stays in the loop without a share: rank 0 reports the fault and then
                // releases all ranks.
                let plan = plan.filter(|_| reading == Reading::Same);
                share = plan.map(|plan| Share::new(plan, options, &of_node, (between, &inner)));
                continue;
            }
            _ => share.as_mut().expect("rank 0 begins"),
        };
        match order {
            Order::Begin { .. } | Order::End => unreachable!("these are handled above"),
            Order::BringUp => share.world.parts.iter_mut().for_each(Part::bring_up::<Divided>),
            Order::Silence => share.world.adapters_mut().for_each(Adapter::silence),
            Order::Advance { .. } => share.advance(&order),
            Order::Save => answer(ranks, |to| share.save(to)),
            Order::Load { handled } => {
                let events = parts::load(&mut share.world.parts, handled, &mut from);
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
struct Share<'a, 'p> {
    plan: &'p Plan,
    office: Office<'a>,
    world: World<'a>,
    turns: Vec<Turns>,
    /// Only if the run ends when its finite traffic is delivered.
    until_done: Option<UntilDone>,
    interrupt: Option<&'a AtomicBool>,
}

impl<'a, 'p> Share<'a, 'p> {
    fn new(
        plan: &'p Plan,
        options: RunOptions<'a>,
        of_node: &[u16],
        (between, inner): (Option<Span>, &[Lookahead]),
    ) -> Self {
        let ranks = options.ranks.expect("a rank follows another");
        let own: Range<usize> = parts_of(ranks.rank(), ranks.count(), inner.len());
        let world = build::share(plan, &Partition::new(of_node), own.clone(), (between, inner));
        let clock = Clock::of_machine().expect("a process of several has a clock");
        Self {
            plan,
            office: Office::new(ranks, inner.len(), clock),
            turns: own.map(|part| Turns::new(part, options.scramble, Some(clock))).collect(),
            until_done: plan.until_done().then(|| UntilDone::new(plan, &world)),
            world,
            interrupt: options.interrupt,
        }
    }

    fn save(&self, to: &mut StateWriter) {
        let events = self.turns.iter().map(|turns| turns.events);
        parts::save(&self.world.parts, events, to);
    }

    fn advance(&mut self, order: &Order) {
        let Order::Advance { windows, handled, missing } = *order else {
            unreachable!("{order:?} is no advance")
        };
        let counting = self.until_done.as_ref().zip(missing);
        let counting = counting.map(|(until_done, missing)| until_done.counting_from(missing, &self.world));
        let counting = counting.unwrap_or_default();
        let progress = &mut |_| {};
        let mut watch = RunWatch::start(progress, self.interrupt, self.turns[0].events, None);
        let look = |events, now, hops| -> Signal { watch.look(events, now, hops) };
        let advance = AdvanceOrder { windows, handled, counting };
        let advanced = self.office.advance((&mut self.world.parts, &mut self.turns), advance, look);
        self.world.window_end = advanced.end.unwrap_or(self.world.window_end);
    }

    /// Answers a question of rank 0 for the nodes of this rank.
    fn answer(&mut self, now: Time, question: &RankQuestion, to: &mut StateWriter) {
        self.world.now = now;
        let Self { plan, world, .. } = self;
        match question {
            RankQuestion::Counts => self.counts().put(to),
            RankQuestion::Look { open } => world.put_seen(*open, plan, to),
            RankQuestion::Finite => world.finite_messages(now).put(to),
            RankQuestion::Audit => Sums::of(world).put(to),
            RankQuestion::Digests => digest::put(world, to),
            RankQuestion::Rest => Rest::of(world).put(to),
            RankQuestion::Deliveries { end } => {
                let until_done = self.until_done.as_ref().expect("the run ends when its traffic is done");
                until_done.put_deliveries(world, *end, to);
            }
            RankQuestion::Packets { at } => world.put_packets(at, to),
            RankQuestion::Lanes => last_look::put_lanes(world, plan, to),
            RankQuestion::Flows => {
                world.parts.iter_mut().for_each(Part::note_waiting);
                last_look::put_flows(world, to);
            }
            RankQuestion::Messages => last_look::put_messages(world, to),
            RankQuestion::LastDelivery => last_look::last_delivery(world, plan).put(to),
            RankQuestion::Unfinished => world.own_unfinished().put(to),
            RankQuestion::Jobs => world.job_ranks().put(to),
            RankQuestion::Carries { from } => carries_here(world, *from).put(to),
        }
    }

    fn counts(&mut self) -> Counts {
        Counts {
            events: self.turns.iter().map(|turns| turns.events).sum(),
            packet_hops: self.world.packet_hops(),
            broken: self.world.broken(),
            next: self.world.parts.iter_mut().filter_map(Part::next_time).min(),
        }
    }
}
