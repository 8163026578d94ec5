//! The run, as rank 0 leads it.
//!
//! Invariant: rank 0 holds its own parts alone, except while it [needs all](Run::with_all_parts). After each advance
//! it knows the counts of the others.

use ca_transport::Adapter;
use event_kernel::Lookahead;
use parallel::{Clock, Ranks, parts_of};
use scenario::Plan;
use state_codec::{StateError, StateReader, StateWriter, Value};
use telemetry::Progress;
use topology::Partition;
use units::{Span, Time};

use super::office::{AdvanceOrder, Advanced, Office};
use super::order::{Order, Reading};
use crate::build;
use crate::checkpoint::parts;
use crate::run::common_windows::CommonWindows;
use crate::run::error::RunError;
use crate::run::threads::{RunWatch, Signal};
use crate::run::until_done::UntilDone;
use crate::run::{Advance, Run};
use crate::state::part::Part;
use crate::state::world::World;
use crate::state::world::observed::{Others, taken};

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
    plan: &'a Plan,
    partition: &'a Partition,
    /// Lookahead within each part.
    inner: Vec<Lookahead>,
}

/// Lets the other ranks of a run return from [`follow`](crate::follow). Rank 0 calls it once, at the end of its work,
/// even if it has not run a plan.
pub fn release(ranks: &dyn Ranks) {
    let mut messages = vec![Vec::new(); ranks.count()];
    order(ranks, &mut messages, &Order::End, |_, _| {});
}

/// Gives an order to all other ranks. `more` appends to the message for each rank.
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
        // An order, not a question: see `follow`.
        false.put(&mut to);
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

    /// Waits for the answers of all other ranks, and leaves them in `messages`, by rank.
    fn await_answers(&mut self) {
        self.messages.iter_mut().for_each(Vec::clear);
        self.ranks.exchange(&mut self.messages);
    }
}

impl<'a> Leader<'a> {
    /// Lets the other ranks build their parts of the world. Returns rank 0's own, and itself.
    ///
    /// # Errors
    /// If a rank has read another plan, or none.
    ///
    /// # Panics
    /// If there are fewer parts than ranks, or a packet takes no time from part to part.
    pub(crate) fn begin(
        plan: &'a Plan,
        (ranks, partition): (&'a dyn Ranks, &'a Partition),
        clock: Clock,
    ) -> Result<(World<'a>, Self), RankFault> {
        let parts = partition.parts();
        assert!(parts >= ranks.count(), "{} ranks for {parts} parts", ranks.count());
        let (between, inner) = build::lookaheads(plan, partition);
        assert_ne!(between, Some(Span::ZERO), "a packet takes time from part to part");
        let messages = vec![Vec::new(); ranks.count()];
        let office = Office::new(ranks, parts, clock);
        let mut leader = Self { ranks, office, messages, plan, partition, inner };
        leader.order(&Order::Begin {
            plan: plan.digest(),
            of_node: (0..plan.graph().nodes()).map(|node| partition.part_of(node)).collect(),
            inner: leader.inner.clone(),
            between,
        });
        leader.await_answers();
        for (rank, answer) in leader.messages.iter().enumerate().skip(1) {
            match taken(&mut StateReader::new(answer)) {
                Reading::Same => {}
                Reading::Other => return Err(RankFault::OtherPlan { rank }),
                Reading::None => return Err(RankFault::NoPlan { rank }),
            }
        }
        let own = leader.office.own.clone();
        let mut world = build::share(plan, partition, own, (between, &leader.inner));
        world.others = Others::new(ranks, &leader.inner, plan);
        world.look_at_others(false);
        Ok((world, leader))
    }

    /// Builds the parts of all other ranks, at rest.
    fn others(&self) -> Vec<Part> {
        let all = self.office.own.end..self.inner.len();
        build::share(self.plan, self.partition, all, (None, &self.inner)).parts
    }

    /// Loads the state of all other ranks' parts into these images. All events before `handled` are handled.
    fn load(&mut self, images: &mut [Part], handled: Time) {
        self.order(&Order::Save);
        self.await_answers();
        let first = self.office.own.end;
        for (rank, answer) in self.messages.iter_mut().enumerate().skip(1) {
            let own = parts_of(rank, self.ranks.count(), self.inner.len());
            let images = &mut images[own.start - first..own.end - first];
            let loaded = parts::load(images, handled, &mut StateReader::new(answer));
            loaded.unwrap_or_else(|error| panic!("the parts of rank {rank}: {error}"));
            // Freed at once: the states of all ranks together may be as large as the images.
            *answer = Vec::new();
        }
    }

    /// Lets all other ranks load their parts from these images, at the beginning of a resumed run.
    fn hand_out(&mut self, images: &[Part], handled: Time) {
        let (first, count, parts) = (self.office.own.end, self.ranks.count(), self.inner.len());
        order(self.ranks, &mut self.messages, &Order::Load { handled }, |rank, to| {
            let own = parts_of(rank, count, parts);
            let images = &images[own.start - first..own.end - first];
            parts::save(images, images.iter().map(|_| 0), to);
        });
        // Later orders are a few bytes. Cleared vectors would keep the memory of whole states for the rest of the
        // run.
        self.messages.fill(Vec::new());
    }
}

impl Run<'_> {
    /// Does something that looks at every node. Rank 0 holds an image of all other parts for that long.
    pub(in crate::run) fn with_all_parts<R>(&mut self, look: impl FnOnce(&mut Self) -> R) -> R {
        let Some(leader) = &mut self.leader else { return look(self) };
        let mut images = leader.others();
        leader.load(&mut images, self.world.window_end);
        let (done, _) = self.with_images(images, look);
        done
    }

    /// Loads every node of a run that has not begun, and hands the parts of other ranks out to them.
    ///
    /// # Errors
    /// If `load` fails. The other ranks then keep their parts as they are, since images may be half loaded.
    pub(in crate::run) fn load_all_parts(
        &mut self,
        load: impl FnOnce(&mut Self) -> Result<(), StateError>,
    ) -> Result<(), StateError> {
        let Some(leader) = &self.leader else { return load(self) };
        let images = leader.others();
        let (loaded, images) = self.with_images(images, load);
        // Nothing is handed out before the whole state has proved valid: a rank cannot undo a load.
        loaded?;
        let handled = self.world.window_end;
        if let Some(leader) = &mut self.leader {
            leader.hand_out(&images, handled);
        }
        drop(images);
        self.world.count_others();
        Ok(())
    }

    fn with_images<R>(&mut self, images: Vec<Part>, work: impl FnOnce(&mut Self) -> R) -> (R, Vec<Part>) {
        let own = self.world.parts.len();
        // With `others` in place the world would also ask the ranks, and count their nodes twice.
        let others = core::mem::take(&mut self.world.others);
        self.world.parts.extend(images);
        let done = work(self);
        let images = self.world.parts.split_off(own);
        self.world.parts.shrink_to_fit();
        self.world.others = others;
        (done, images)
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

    /// Handles every event up to and including the instant `stop`, together with the other ranks. All stop earlier if
    /// any has a reason.
    pub(in crate::run) fn advance_on_ranks(
        &mut self,
        stop: Time,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Advance, RunError> {
        let is_counting = self.until_done.as_ref().is_some_and(UntilDone::is_counting);
        let windows = CommonWindows::new(&self.world, stop, is_counting);
        let mut watch = RunWatch::start(progress, self.interrupt, self.turns[0].events, None);
        let Advanced { end, signal, missing } =
            self.handle_windows(windows, is_counting, |events, now, hops| watch.look(events, now, hops));
        self.world.window_end = end.unwrap_or(self.world.window_end);
        // Other ranks have handled events since the last count. Their totals, violations and next events are asked
        // for once an advance.
        self.world.count_others();
        self.conclude(signal, missing)
    }

    /// Handles all events before `end` on all ranks, in a single window.
    pub(in crate::run) fn handle_window_on_ranks(&mut self, end: Time) {
        self.handle_windows(CommonWindows::one(end), false, |_, _, _| Signal::None);
        self.world.count_others();
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
        let counting = counting.unwrap_or_default();
        let advance = AdvanceOrder { windows, handled, counting };
        leader.office.advance((&mut self.world.parts, &mut self.turns), advance, look)
    }
}
