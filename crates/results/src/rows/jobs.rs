//! Rows of the files of jobs.

use std::borrow::Cow;

use crate::table_row;

table_row! {
    "jobs.csv": "one row per job; only with `jobs`";
    /// A job.
    pub struct JobRow<'a> {
        /// Its name.
        pub job: Cow<'a, str>,
        /// Number of its ranks.
        pub ranks: u32,
        /// Number of the hosts that run them.
        pub hosts: u32,
        /// Its start.
        pub start_s: f64,
        /// The time from its start to the end of its last operation; empty if an operation has not ended.
        pub completion_s: Option<f64>,
        /// Runs of its program.
        pub iterations: u32,
        /// `completion_s` divided by `iterations`.
        pub iteration_s: Option<f64>,
        /// The longest row of `iterations.csv`; empty with fewer than two.
        pub longest_iteration_s: Option<f64>,
        /// Bytes of the collective over `iteration_s`, in GB/s, as nccl-tests define it: of a rank's vector for an
        /// all-reduce, of all blocks where each rank has one; empty if the program is no collective, and for a barrier.
        pub algbw_gbyte_per_s: Option<f64>,
        /// `algbw` times 2 (p-1)/p for an all-reduce of p ranks, (p-1)/p where each rank has a block, else 1. At most
        /// the rate of a link, unless a host runs several ranks.
        pub busbw_gbyte_per_s: Option<f64>,
        /// Operations in the programs of all ranks, of all iterations.
        pub operations: u64,
        /// Operations that have ended.
        pub ended_operations: u64,
        /// Messages in the programs, of all iterations.
        pub messages: u64,
        /// Payload of these messages.
        pub bytes: u64,
        /// Completion of the same programs with each message at its ideal time.
        pub ideal_s: Option<f64>,
        /// Completion over the ideal completion.
        pub slowdown: Option<f64>,
        /// The rank that ends last, the first of several.
        pub straggler: Option<u32>,
        /// The time from the end of the first rank to the end of the last.
        pub spread_s: Option<f64>,
        /// The longest exposed communication of a rank.
        pub exposed_s: Option<f64>,
        /// Messages that arrived before their receive was posted.
        pub unexpected_messages: u64,
        /// Computations on the critical path; the columns from here on add up to the completion.
        pub path_compute_s: Option<f64>,
        /// Messages on the critical path, at their ideal time.
        pub path_wire_s: Option<f64>,
        /// Waits of these messages for others of the job at their host, as if nothing held up its wire, and of the
        /// job for the start of a rank.
        pub path_waiting_s: Option<f64>,
        /// Their further lateness where other traffic shares the wire of their host, or samples show congestion of
        /// their flow or of messages before them at the host. Without its only source the job is shorter by exactly
        /// this if the same messages stay on the path and wait for the same ones.
        pub path_congestion_s: Option<f64>,
        /// Their other lateness up to the departure of their last packet.
        pub path_source_s: Option<f64>,
        /// Their other lateness after it.
        pub path_fabric_s: Option<f64>,
    }
}

table_row! {
    "iterations.csv": "one row per iteration that all ranks have ended, up to 100,000 a job; only with `jobs`";
    /// An iteration of a job.
    pub struct IterationRow<'a> {
        /// The job.
        pub job: Cow<'a, str>,
        /// Run of the program, from 0; without a barrier all iterations are one run.
        pub iteration: u32,
        /// Its end at all ranks.
        pub end_s: f64,
        /// The time from the end of the one before at all ranks, or the start of the job, to its own.
        pub iteration_s: f64,
        /// The same with each message at its ideal time.
        pub ideal_s: Option<f64>,
        /// `iteration_s` minus `ideal_s`; 0 where it is negative.
        pub late_s: Option<f64>,
        /// Computations of this iteration on the job's critical path. The columns from here to `path_fabric_s` add up
        /// to the path's stay in the iteration: ranks of one may end before others, so `iteration_s` can differ.
        pub path_compute_s: Option<f64>,
        /// Its messages on the path, at their ideal time.
        pub path_wire_s: Option<f64>,
        /// Waits of these messages for others of the job at their host, as if nothing held up its wire, and of the
        /// job for the start of a rank.
        pub path_waiting_s: Option<f64>,
        /// Their further lateness that is blamed on outputs.
        pub path_congestion_s: Option<f64>,
        /// Their other lateness up to the departure of their last packet.
        pub path_source_s: Option<f64>,
        /// Their other lateness after it.
        pub path_fabric_s: Option<f64>,
        /// The switch, or the host with a shared link, that most of the congestion is blamed on.
        pub node: Option<Cow<'a, str>>,
        /// Its output port, counted from 1.
        pub port: Option<u32>,
        /// Whether that output is the root of a tree that held the messages.
        pub tree: Option<bool>,
        /// The part of `path_congestion_s` lost there.
        pub place_s: Option<f64>,
    }
}

table_row! {
    "ranks.csv": "one row per rank of each job; only with `jobs`";
    /// A rank of a job.
    pub struct RankRow<'a> {
        /// The job.
        pub job: Cow<'a, str>,
        /// Number of the rank.
        pub rank: u32,
        /// Its host.
        pub host: Cow<'a, str>,
        /// Operations of its program, of all iterations.
        pub operations: u64,
        /// The end of its last operation; empty if an operation has not ended.
        pub end_s: Option<f64>,
        /// Time in which a processor computes.
        pub compute_s: f64,
        /// Time between its start and its end in which no processor computes.
        pub exposed_s: f64,
        /// Time in which a processor computes, and a send is not complete or a posted receive has no message.
        pub overlap_s: f64,
        /// Time in which posted receives have no message, summed over receives.
        pub wait_s: f64,
        /// Messages that arrived before their receive was posted.
        pub unexpected_messages: u32,
        /// Time until these had a receive, summed over messages.
        pub unexpected_s: f64,
        /// Messages that it posted.
        pub messages: u64,
        /// Payload of these messages.
        pub bytes: u64,
        /// The part of the critical path at this rank; messages count for their sender.
        pub path_s: f64,
    }
}

table_row! {
    "operations.csv": "operations of critical paths, and of ranks at equal distances, up to 100,000 a job; with `jobs`";
    /// An operation of a rank.
    pub struct OperationRow<'a> {
        /// The job.
        pub job: Cow<'a, str>,
        /// The rank.
        pub rank: u32,
        /// Number of the operation in the rank's program, from 0.
        pub operation: u32,
        /// Run of the program, from 0; without a barrier all iterations are one run.
        pub iteration: u32,
        /// `send`, `receive` or `compute`.
        pub kind: Cow<'a, str>,
        /// The rank at the other end of a message; empty of a receive from any.
        pub peer: Option<u32>,
        /// Payload of the message.
        pub bytes: u64,
        /// The start: a send or a receive is posted, a processor begins to compute; empty if it has not started.
        pub start_s: Option<f64>,
        /// The end: a send is complete, a receive has its message; empty if it has not ended.
        pub end_s: Option<f64>,
        /// Whether it is on the critical path.
        pub critical: bool,
    }
}

table_row! {
    "critical_path.csv": "steps of each job's critical path, in order of time, up to 100,000; only with `jobs`";
    /// A step of a critical path.
    pub struct PathStepRow<'a> {
        /// The job.
        pub job: Cow<'a, str>,
        /// The rank; the sender of a message, the receiver that clears one.
        pub rank: u32,
        /// Number of the operation; the send of a message, the receive that clears one.
        pub operation: u32,
        /// Run of the program, from 0.
        pub iteration: u32,
        /// `compute`, `message` up to its arrival, `completion` of a message at its sender, `request` to send and
        /// `clear` to send by rendezvous, or `start` of a rank after the job.
        pub kind: Cow<'a, str>,
        /// The rank that a message goes to.
        pub to_rank: Option<u32>,
        /// Number of the receive that a message ends, or that takes a request.
        pub receive: Option<u32>,
        /// The beginning of the step.
        pub start_s: f64,
        /// The end of the step.
        pub end_s: f64,
        /// The computation; the columns from here to `fabric_s` add up to the step's length.
        pub compute_s: f64,
        /// The message's ideal time.
        pub wire_s: f64,
        /// Its wait for other messages of the job at its host, as if nothing held up the host's wire.
        pub waiting_s: f64,
        /// Its further lateness that is blamed on outputs.
        pub congestion_s: f64,
        /// Its other lateness up to the departure of its last packet.
        pub source_s: f64,
        /// Its other lateness after it.
        pub fabric_s: f64,
        /// The switch, or the host with a shared link, that most of the congestion is blamed on.
        pub node: Option<Cow<'a, str>>,
        /// Its output port, counted from 1.
        pub port: Option<u32>,
        /// Whether that output is the root of a tree that held the message.
        pub tree: Option<bool>,
    }
}
