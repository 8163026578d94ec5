//! The triggers of a connection matrix: the ends that each connection waits for.
//!
//! Invariant: every connection starts. A trigger that htsim refuses when it fires too often, or that never fires, is a
//! fault with its place.
//!
//! | kind | starts | fires more often than it may |
//! |---|---|---|
//! | oneshot | all of its connections at its first end | htsim stops |
//! | multishot | its next connection at each end | nothing happens |
//! | barrier | all of its connections at its n-th end | htsim stops |
//!
//! Source: `trigger.cpp` and `connection_matrix.cpp` of htsim.

use core::ops::Range;
use std::collections::BTreeMap;

use interop::import::SourceText;
use scenario::Diagnostic;
use workload::job::counted;

use super::matrix::{HtsimMatrix, TriggerKind};

/// An end of a connection that others wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct End {
    /// Place of the connection in the matrix.
    pub(super) connection: usize,
    /// True for the arrival of all bytes, false for the last acknowledgement.
    pub(super) on_arrival: bool,
}

/// The start of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Start {
    /// A time of the file.
    AtTime,
    /// The end of another connection.
    Behind(End),
    /// All ends of a barrier, by its place in [`Starts::barriers`].
    Barrier(usize),
}

/// The starts of all connections.
#[derive(Clone, Debug, Default)]
pub(super) struct Starts {
    /// By connection.
    pub(super) of: Vec<Start>,
    /// Ends that each barrier waits for.
    pub(super) barriers: Vec<Vec<End>>,
    /// Connections of multishot triggers that are fired in an order which depends on the run: the place of the first,
    /// and their number.
    pub(super) unordered: Option<(usize, u64)>,
}

/// Ends that fire a trigger, and connections that it starts, in the order of the file.
#[derive(Default)]
struct Uses {
    ends: Vec<End>,
    started: Vec<usize>,
}

impl Starts {
    /// Finds the starts of all connections.
    pub(super) fn of(source: SourceText<'_>, matrix: &HtsimMatrix) -> Result<Self, Diagnostic> {
        check_ids(source, matrix)?;
        let mut uses = uses(source, matrix)?;
        let mut starts = Self { of: vec![Start::AtTime; matrix.connections.len()], ..Self::default() };
        let mut multishots = Vec::new();
        for trigger in &matrix.triggers {
            let Uses { ends, started } = uses.remove(&trigger.id).unwrap_or_default();
            let wrong = |at: &Range<usize>, message: String, help: &str| Err(source.wrong(at, message, help));
            let (id, fired) = (trigger.id, ends.len() as u64);
            match trigger.kind {
                TriggerKind::Oneshot if fired > 1 => {
                    let at = &matrix.connections[ends[1].connection].at;
                    let message = format!("trigger {id} fires once, and another connection fires it already");
                    return wrong(at, message, "make it `multishot`, or a `barrier`");
                }
                TriggerKind::Barrier(count) if fired != count && (fired > count || !started.is_empty()) => {
                    let message = format!("this is a barrier of {count}, fired by {}", counted(fired, "end"));
                    return wrong(&trigger.at, message, "write their number");
                }
                TriggerKind::Barrier(_) => {
                    started.iter().for_each(|own| starts.of[*own] = Start::Barrier(starts.barriers.len()));
                    starts.barriers.push(ends);
                }
                TriggerKind::Oneshot | TriggerKind::Multishot => {
                    for (own, number) in started.iter().zip(0_usize..) {
                        let is_once = trigger.kind == TriggerKind::Oneshot;
                        let Some(end) = ends.get(if is_once { 0 } else { number }) else {
                            let message = format!(
                                "trigger {id} starts this connection, and fires {}",
                                counted(fired, "time")
                            );
                            let help = "let an end fire it for each start, by `send_done_trigger` or `recv_done_trigger`";
                            return wrong(&matrix.connections[*own].at, message, help);
                        };
                        starts.of[*own] = Start::Behind(*end);
                    }
                    if trigger.kind == TriggerKind::Multishot && !started.is_empty() {
                        multishots.push((ends, started));
                    }
                }
            }
        }
        multishots.iter().for_each(|(ends, started)| starts.note_order(ends, started));
        starts.check_all_start(source, matrix)?;
        Ok(starts)
    }

    /// Counts the connections of a multishot trigger that follow its ends in an order which the run decides.
    fn note_order(&mut self, ends: &[End], started: &[usize]) {
        let is_ordered = |pair: &[End]| self.leads_to(pair[0].connection, pair[1].connection);
        if !ends.windows(2).all(is_ordered) {
            let (_, count) = self.unordered.get_or_insert((started[0], 0));
            *count += started.len() as u64;
        }
    }

    /// Returns true if a connection is seen to start behind an end of another.
    pub(super) fn leads_to(&self, earlier: usize, later: usize) -> bool {
        const MOST: usize = 64;
        let mut at = later;
        for _ in 0..MOST {
            at = match self.of[at] {
                Start::AtTime => return false,
                Start::Behind(end) => end.connection,
                Start::Barrier(barrier) => {
                    let ends = &self.barriers[barrier];
                    if ends.iter().any(|end| end.connection == earlier) {
                        return true;
                    }
                    ends[0].connection
                }
            };
            if at == earlier {
                return true;
            }
        }
        false
    }

    /// Refuses connections that wait for themselves.
    fn check_all_start(&self, source: SourceText<'_>, matrix: &HtsimMatrix) -> Result<(), Diagnostic> {
        let mut waiting: Vec<usize> = Vec::with_capacity(self.of.len());
        let mut behind: Vec<Vec<usize>> = vec![Vec::new(); self.of.len()];
        let mut behind_barrier: Vec<Vec<usize>> = vec![Vec::new(); self.barriers.len()];
        for (start, own) in self.of.iter().zip(0..) {
            waiting.push(usize::from(*start != Start::AtTime));
            match start {
                Start::AtTime => {}
                Start::Behind(end) => behind[end.connection].push(own),
                Start::Barrier(barrier) => behind_barrier[*barrier].push(own),
            }
        }
        let mut missing: Vec<usize> = self.barriers.iter().map(Vec::len).collect();
        let mut at_barrier: Vec<Vec<usize>> = vec![Vec::new(); self.of.len()];
        for (ends, barrier) in self.barriers.iter().zip(0..) {
            ends.iter().for_each(|end| at_barrier[end.connection].push(barrier));
        }
        let mut ready: Vec<usize> = (0..self.of.len()).filter(|own| waiting[*own] == 0).collect();
        while let Some(own) = ready.pop() {
            let mut start = |next: &usize| {
                waiting[*next] = 0;
                ready.push(*next);
            };
            behind[own].iter().for_each(&mut start);
            for barrier in &at_barrier[own] {
                missing[*barrier] -= 1;
                if missing[*barrier] == 0 {
                    behind_barrier[*barrier].iter().for_each(&mut start);
                }
            }
        }
        match waiting.iter().position(|waiting| *waiting > 0) {
            Some(own) => Err(source.wrong(
                &matrix.connections[own].at,
                "this connection waits for itself, through triggers",
                "give a connection of the circle a `start`",
            )),
            None => Ok(()),
        }
    }
}

/// Refuses numbers that name two things, and connections of triggers without a number.
fn check_ids(source: SourceText<'_>, matrix: &HtsimMatrix) -> Result<(), Diagnostic> {
    let mut known: BTreeMap<u64, usize> = BTreeMap::new();
    for (own, place) in matrix.connections.iter().zip(0..) {
        let Some(id) = own.id else {
            if own.trigger.is_some() {
                let message = "a trigger starts this connection, which has no number";
                return Err(source.wrong(&own.at, message, "write `id` and a number, as htsim needs"));
            }
            continue;
        };
        let Some(before) = known.insert(id, place) else { continue };
        let first = &matrix.connections[before];
        if !(first.is_message && own.is_message) {
            let message = format!("connection {id} is there twice");
            return Err(source.wrong(
                &own.at,
                message,
                "give each connection a number of its own, or write `msg`",
            ));
        }
        if (first.from, first.to) != (own.from, own.to) {
            let message = format!("messages of connection {id} have different ends");
            return Err(source.wrong(&own.at, message, "give messages of other hosts another number"));
        }
    }
    let mut triggers: Vec<_> = matrix.triggers.iter().map(|trigger| (trigger.id, &trigger.at)).collect();
    triggers.sort_unstable_by_key(|(id, at)| (*id, at.start));
    match triggers.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        Some(pair) => {
            let message = format!("trigger {} is there twice", pair[1].0);
            Err(source.wrong(pair[1].1, message, "give each trigger a number of its own"))
        }
        None => Ok(()),
    }
}

/// Returns the uses of each trigger.
fn uses(source: SourceText<'_>, matrix: &HtsimMatrix) -> Result<BTreeMap<u64, Uses>, Diagnostic> {
    let mut uses: BTreeMap<u64, Uses> =
        matrix.triggers.iter().map(|trigger| (trigger.id, Uses::default())).collect();
    for (own, connection) in matrix.connections.iter().zip(0..) {
        let unknown = |id: u64| {
            let message = format!("there is no trigger {id}");
            source.wrong(&own.at, message, &format!("write a line `trigger id {id} oneshot`"))
        };
        // All bytes arrive before their acknowledgement.
        for (id, on_arrival) in [(own.received, true), (own.sent, false)] {
            if let Some(id) = id {
                let ends = &mut uses.get_mut(&id).ok_or_else(|| unknown(id))?.ends;
                ends.push(End { connection, on_arrival });
            }
        }
        if let Some(id) = own.trigger {
            uses.get_mut(&id).ok_or_else(|| unknown(id))?.started.push(connection);
        }
    }
    Ok(uses)
}
