//! The account of a connection matrix.
//!
//! Invariant: each attribute that the matrix has has an entry. A trigger that a job has only nearly is another
//! experiment, with the place of the first.

use std::collections::BTreeSet;

use interop::import::KeyFate;

use super::job::Inexact;
use super::matrix::{HtsimConnection, HtsimMatrix};
use super::{Draft, HtsimProgram, as_float, closed};

impl Draft<'_> {
    /// Enters the connections of a list of flows.
    pub(super) fn note_connections(&mut self, matrix: &HtsimMatrix, program: Option<HtsimProgram>) {
        let what = "`flows.txt`, beside the scenario, in the order of the file";
        self.note_matrix("Connections", matrix.connections.len(), None, KeyFate::Used, what);
        self.note_starts(matrix, program);
        self.note_unfired(matrix);
        self.note_rest(matrix);
    }

    /// Enters connections that are a job.
    pub(super) fn note_job(
        &mut self,
        matrix: &HtsimMatrix,
        hosts: &[u64],
        inexact: &Inexact,
        program: Option<HtsimProgram>,
    ) {
        let count = matrix.connections.len();
        let what = format!(
            "messages of `jobs[0]`, in the order of the file, between {} ranks: connections that do not wait for each other at \
             their host are ranks of their own, with queue pairs of their own",
            hosts.len()
        );
        self.note_matrix("Connections", count, None, KeyFate::Used, &what);
        self.note_starts(matrix, program);
        let triggered = matrix.connections.iter().filter(|own| own.trigger.is_some()).count();
        if triggered > 0 {
            let what = "a message starts when its trigger fires; at one host in the same instant";
            self.note_matrix("trigger", triggered, None, KeyFate::Used, what);
        }
        let messages = matrix.connections.iter().filter(|own| own.is_message).count();
        if messages > 0 {
            let what = "messages of one connection share its queue pair, as with `-conn_reuse`";
            self.note_matrix("msg", messages, None, KeyFate::Used, what);
        }
        self.note_inexact(matrix, inexact);
        self.note_ignored(matrix, program);
        self.note_unfired(matrix);
        self.note_rest(matrix);
    }

    /// Enters triggers that a job has only nearly.
    fn note_inexact(&mut self, matrix: &HtsimMatrix, inexact: &Inexact) {
        let kinds = [
            (
                "send_done_trigger",
                inexact.by_arrival,
                "starts at the receiver come with the arrival, earlier by the flight of the last acknowledgement",
            ),
            (
                "recv_done_trigger",
                inexact.by_acknowledgement,
                "starts at the sender come with the last acknowledgement, later by its flight",
            ),
            (
                "trigger (at a third host)",
                inexact.by_message,
                "triggers between other hosts are messages of 0 bytes, which take the time of their path; in htsim they take none",
            ),
            (
                "multishot",
                inexact.by_order,
                "the n-th connection waits for the n-th that fires the trigger in the order of the file, not for the n-th to end",
            ),
            (
                "->",
                inexact.shared,
                "connections between two ranks that may run at the same time share a queue pair, one after the other",
            ),
        ];
        for (key, (count, first), what) in kinds {
            if let Some(first) = first {
                let at = &matrix.connections[first].at;
                self.note_matrix(key, count as u32 as usize, Some(at), KeyFate::Changed, what);
            }
        }
    }

    /// Enters ends on arrival, which a program does not look for.
    fn note_ignored(&mut self, matrix: &HtsimMatrix, program: Option<HtsimProgram>) {
        let received: Vec<_> = matrix.connections.iter().filter(|own| own.received.is_some()).collect();
        if let Some(first) = received.first().filter(|_| program == Some(HtsimProgram::CsgRoce)) {
            let what = "`htsim_roce` ignores it, so its connections never start; here they start";
            let at = Some(&first.at);
            self.note_matrix("recv_done_trigger (csg-roce)", received.len(), at, KeyFate::Changed, what);
        }
    }

    /// Enters ends that fire a trigger without connections.
    fn note_unfired(&mut self, matrix: &HtsimMatrix) {
        let started: BTreeSet<u64> = matrix.connections.iter().filter_map(|own| own.trigger).collect();
        let idle = matrix.triggers.iter().filter(|trigger| !started.contains(&trigger.id)).count();
        if idle > 0 {
            let what = "triggers that start no connection";
            self.note_matrix("trigger id", idle, None, KeyFate::NotUsed, what);
        }
    }

    /// Enters the start times and their unit.
    fn note_starts(&mut self, matrix: &HtsimMatrix, program: Option<HtsimProgram>) {
        let own: Vec<_> = matrix.connections.iter().filter(|own| own.start.is_some()).collect();
        let moved = own.iter().any(|own| own.start != Some(0));
        let (fate, what) = match program {
            Some(HtsimProgram::CsgNdp) => (KeyFate::Used, "picoseconds, as `htsim_ndp` takes them"),
            Some(HtsimProgram::Uet) => (KeyFate::Used, "microseconds, as uet-htsim takes them"),
            Some(HtsimProgram::CsgRoce) => {
                (KeyFate::Used, "ignored, as csg-htsim's `htsim_roce` does: all connections start at 0")
            }
            None if moved => (
                KeyFate::Approximated,
                "picoseconds, as htsim's loader and `htsim_ndp` take them; `htsim_uec` takes microseconds (`--program uet`), \
                 and csg-htsim's `htsim_roce` starts all at 0 (`--program csg-roce`)",
            ),
            None => (KeyFate::Used, "all connections start at 0"),
        };
        self.note_matrix("start", own.len(), None, fate, what);
        let fractions: Vec<_> = own.iter().filter(|own| own.fraction).collect();
        if let Some(first) = fractions.first() {
            let what = "whole units: htsim's loader drops fractions";
            self.note_matrix("fractions of start", fractions.len(), Some(&first.at), KeyFate::Used, what);
        }
        let rounds = |own: &&&HtsimConnection| own.start.is_some_and(|start| as_float(start) != start);
        let rounded: Vec<_> = own.iter().filter(rounds).collect();
        if let Some(first) = rounded.first().filter(|_| program == Some(HtsimProgram::CsgNdp)) {
            let what = "rounded to 24 bits, as csg-htsim's loader reads them through a float";
            self.note_matrix("digits of start", rounded.len(), Some(&first.at), KeyFate::Used, what);
        }
    }

    /// Enters connections that are a closed loop.
    pub(super) fn note_closed(
        &mut self,
        matrix: &HtsimMatrix,
        groups: &[closed::Group],
        program: Option<HtsimProgram>,
    ) {
        let what = format!(
            "`Synthetic`, `AllToAll`, `Closed(outstanding: 1)`: in {} each host sends to one after the other",
            if groups.len() == 1 {
                "one group".to_owned()
            } else {
                format!("each of {} groups", groups.len())
            }
        );
        self.note_matrix("Connections", matrix.connections.len(), None, KeyFate::Used, &what);
        self.note_starts(matrix, program);
        let triggered = matrix.connections.iter().filter(|own| own.trigger.is_some()).count();
        let on_arrival = matrix.connections.iter().any(|own| own.received.is_some());
        let (fate, what) = if on_arrival {
            (
                KeyFate::Approximated,
                "a message starts when the former has been acknowledged, there when it has arrived",
            )
        } else {
            (KeyFate::Used, "a message starts when the former has been acknowledged")
        };
        self.note_matrix("trigger", triggered, None, fate, what);
        self.note_ignored(matrix, program);
        self.note_rest(matrix);
    }

    /// Enters words that nothing stands for, priorities, and failures.
    fn note_rest(&mut self, matrix: &HtsimMatrix) {
        let others: Vec<_> = matrix.connections.iter().filter(|own| !own.others.is_empty()).collect();
        if let Some(first) = others.first() {
            let what = "nothing stands for this here";
            self.note_matrix("addon", others.len(), Some(&first.at), KeyFate::Changed, what);
        }
        let priorities = matrix.connections.iter().filter(|own| own.prio.is_some()).count();
        if priorities > 0 {
            let what = if matrix.is_job() {
                "a job has one service level"
            } else {
                "a service level of one lane: all take turns"
            };
            self.note_matrix("prio", priorities, None, KeyFate::Approximated, what);
        }
        if let Some(first) = matrix.failures.first() {
            let count = matrix.failures.len();
            self.note_matrix("failure", count, Some(first), KeyFate::Changed, "no link fails");
        }
    }
}
