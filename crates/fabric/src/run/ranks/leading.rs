//! The run, as rank 0 leads it.
//!
//! Invariant: after each advance, the images of other ranks' parts are as these are. Nothing reads them during one.

use core::time::Duration;

use ca_transport::Adapter;
use parallel::{Ranks, Stopwatch};
use scenario::Plan;
use state_codec::{StateReader, StateWriter, Value};
use telemetry::Progress;
use topology::Partition;
use units::Time;

use super::office::{Advanced, Office, Stint};
use super::order::{Order, Reading};
use super::parts_of;
use crate::checkpoint::parts;
use crate::run::common_windows::CommonWindows;
use crate::run::error::RunError;
use crate::run::threads::{Signal, Watch};
use crate::run::until_done::UntilDone;
use crate::run::{Advance, Run};

/// A reason for which ranks cannot run a plan together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RankFault {
    /// A rank has no plan.
    #[error("rank {rank} cannot read the scenario, or a file that it names, which rank 0 can")]
    NoPlan {
        /// The first such rank.
        rank: usize,
    },
    /// A rank has another plan.
    #[error("rank {rank} has read another scenario than rank 0")]
    OtherPlan {
        /// The first such rank.
        rank: usize,
    },
}

/// The other ranks of a run, as rank 0 commands them.
#[derive(Debug)]
pub(crate) struct Leader<'a> {
    ranks: &'a dyn Ranks,
    office: Office<'a>,
    /// By rank.
    messages: Vec<Vec<u8>>,
}

/// Lets the other ranks of a run return from [`follow`](crate::follow). Rank 0 calls it once, at the end of its work, whether it
/// has run a plan or not.
pub fn release(ranks: &dyn Ranks) {
    let mut messages = vec![Vec::new(); ranks.count()];
    order(ranks, &mut messages, &Order::End, |_, _| {});
}

/// Gives an order to all other ranks. `more` appends to the message for a rank.
fn order(
    ranks: &dyn Ranks,
    messages: &mut [Vec<u8>],
    order: &Order,
    mut more: impl FnMut(usize, &mut StateWriter),
) {
    for (rank, message) in messages.iter_mut().enumerate() {
        message.clear();
        if rank == ranks.rank() {
            continue;
        }
        let mut to = StateWriter::appending(core::mem::take(message));
        order.put(&mut to);
        more(rank, &mut to);
        *message = to.into_bytes();
    }
    ranks.exchange(messages);
}

impl Leader<'_> {
    fn order(&mut self, given: &Order) {
        order(self.ranks, &mut self.messages, given, |_, _| {});
    }

    /// Waits for the answers of all other ranks, which are by rank in `messages` then.
    fn await_answers(&mut self) {
        self.messages.iter_mut().for_each(Vec::clear);
        self.ranks.exchange(&mut self.messages);
    }
}

impl<'a> Run<'a> {
    /// Lets the other ranks build their parts of the world. Rank 0 has built it as a whole.
    ///
    /// # Errors
    /// If one of them has read another plan, or none.
    ///
    /// # Panics
    /// If there are fewer parts than ranks.
    pub(crate) fn begin_on_ranks(
        &mut self,
        plan: &Plan,
        (ranks, partition): (&'a dyn Ranks, Option<&Partition>),
    ) -> Result<(), RankFault> {
        let parts = self.world.parts.len();
        assert!(parts >= ranks.count(), "{} ranks for {parts} parts", ranks.count());
        let messages = vec![Vec::new(); ranks.count()];
        let mut leader = Leader { ranks, office: Office::new(ranks, parts), messages };
        let nodes = 0..self.world.places.len();
        leader.order(&Order::Begin {
            plan: plan.digest(),
            of_node: nodes.map(|node| partition.map_or(0, |partition| partition.part_of(node))).collect(),
            windows: self.world.parts.iter().map(|part| part.interconnect.queue.window_length()).collect(),
        });
        leader.await_answers();
        for (rank, answer) in leader.messages.iter().enumerate().skip(1) {
            match Value::take(&mut StateReader::new(answer)).expect("ranks are of one build") {
                Reading::Same => {}
                Reading::Other => return Err(RankFault::OtherPlan { rank }),
                Reading::None => return Err(RankFault::NoPlan { rank }),
            }
        }
        self.leader = Some(leader);
        Ok(())
    }

    /// Lets the other ranks bring up their links.
    pub(in crate::run) fn order_bring_up(&mut self) {
        if let Some(leader) = &mut self.leader {
            leader.order(&Order::BringUp);
        }
    }

    /// Silences the sources on all ranks.
    pub(in crate::run) fn silence(&mut self) {
        if let Some(leader) = &mut self.leader {
            leader.order(&Order::Silence);
        }
        self.world.adapters_mut().for_each(Adapter::silence);
    }

    /// Handles every event up to and including the instant `stop`, together with the other ranks.
    pub(in crate::run) fn advance_with_ranks(
        &mut self,
        stop: Time,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Advance, RunError> {
        loop {
            let advance = match self.advance_on_ranks(stop, progress)? {
                Advance::NearEnd => self.advance_in_turn((stop, None), progress)?,
                other => other,
            };
            if !matches!(advance, Advance::Paused) {
                return Ok(advance);
            }
        }
    }

    fn advance_on_ranks(
        &mut self,
        stop: Time,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Advance, RunError> {
        let is_counting = self.until_done.as_ref().is_some_and(UntilDone::is_counting);
        let windows = CommonWindows::new(&self.world, stop, is_counting);
        let mut watch = Watch {
            progress,
            interrupt: self.interrupt,
            report_at: self.report_at,
            slice: Duration::MAX,
            stopwatch: Stopwatch::start(),
            windows: 0,
        };
        let Advanced { end, signal, missing } =
            self.handle_windows(windows, is_counting, |events, now, hops| watch.look(events, now, hops));
        self.report_at = watch.report_at;
        self.world.window_end = end.unwrap_or(self.world.window_end);
        self.load_images(self.world.window_end);
        self.conclude(signal, missing)
    }

    /// Handles all events before `end` on all ranks, in one window.
    pub(in crate::run) fn handle_window_on_ranks(&mut self, end: Time) {
        self.handle_windows(CommonWindows::one(end), false, |_, _, _| Signal::None);
        self.load_images(end);
    }

    fn handle_windows(
        &mut self,
        windows: CommonWindows,
        is_counting: bool,
        look: impl FnMut(u64, Time, u64) -> Signal,
    ) -> Advanced {
        let handled = self.world.window_end;
        let leader = self.leader.as_mut().expect("rank 0 leads");
        let counting = self.until_done.as_ref().filter(|_| is_counting);
        let counting = counting.and_then(|until_done| until_done.counting(&self.world));
        let missing =
            counting.as_ref().and_then(|counting| counting.first()).map(|counting| counting.missing);
        leader.order(&Order::Advance { windows, handled, missing });
        let own = leader.office.own.clone();
        let counting = counting.into_iter().flatten().take(own.len()).collect();
        let stint = Stint { windows, handled, counting };
        leader.office.advance((&mut self.world.parts, &mut self.turns), stint, look)
    }

    /// Loads the parts of all other ranks. All events before `handled` are handled.
    fn load_images(&mut self, handled: Time) {
        let leader = self.leader.as_mut().expect("rank 0 leads");
        leader.order(&Order::Save);
        leader.await_answers();
        let all = self.world.parts.len();
        for (rank, answer) in leader.messages.iter().enumerate().skip(1) {
            let own = parts_of(rank, leader.ranks.count(), all);
            let loaded =
                parts::load(&mut self.world.parts[own.clone()], handled, &mut StateReader::new(answer));
            let events = loaded.unwrap_or_else(|error| panic!("the parts of rank {rank}: {error}"));
            self.turns[own].iter_mut().zip(events).for_each(|(turns, events)| turns.events = events);
        }
    }

    /// Lets all other ranks load their parts of the world as rank 0 has it.
    pub(in crate::run) fn hand_out_to_ranks(&mut self) {
        let Some(leader) = &mut self.leader else { return };
        let (world, turns, count) = (&self.world, &self.turns, leader.ranks.count());
        let given = Order::Load { handled: world.window_end };
        order(leader.ranks, &mut leader.messages, &given, |rank, to| {
            let own = parts_of(rank, count, world.parts.len());
            let events = turns[own.clone()].iter().map(|turns| turns.events);
            parts::save(&world.parts[own], events, to);
        });
    }
}
