//! Rows of `fct.csv`.

use std::borrow::Cow;

use serde::Deserialize;

use crate::table_row;

table_row! {
    "fct.csv": "one row per posted message, with its completion time or its age; not with `completions: NotKept`";
    /// A posted message.
    pub struct MessageRow<'a> {
        /// Its flow.
        pub flow: Cow<'a, str>,
        /// Source host of its data.
        pub src: Cow<'a, str>,
        /// Destination host of its data.
        pub dst: Cow<'a, str>,
        /// Its number among the messages of its flow, from 1.
        pub message: u64,
        /// Its payload.
        pub size_bytes: u64,
        /// Time of its posting.
        pub posted_s: f64,
        /// Time at which the destination's host took the last of its payload; empty if it did not by the end of the
        /// run, as are `fct_us` and `slowdown` then.
        pub completed_s: Option<f64>,
        /// Time at which its last acknowledgement, or the last response to an RDMA READ, was back at the host that
        /// posted it; empty over UC and UD, which do not acknowledge, and if it was not back by the end of the run.
        pub acknowledged_s: Option<f64>,
        /// The time from `posted_s` to `completed_s`, waiting behind earlier messages of the same flow included.
        pub fct_us: Option<f64>,
        /// The same in the empty fabric.
        pub ideal_us: f64,
        /// `fct_us` over `ideal_us`.
        pub slowdown: Option<f64>,
        /// The time from `posted_s` to the end of the run, if the message is not complete by then at both of its
        /// ends: a lower bound of its completion time at the destination, if `completed_s` is empty, and at the host
        /// that posted it, if `acknowledged_s` is empty and the service acknowledges.
        pub age_s: Option<f64>,
    }
}

/// Part of a [`MessageRow`] that figures and pages keep: a large run has millions of messages.
#[derive(Clone, Debug, Deserialize)]
pub struct MessageTimes {
    /// As [`MessageRow::flow`].
    pub flow: Cow<'static, str>,
    /// As [`MessageRow::size_bytes`].
    pub size_bytes: u64,
    /// As [`MessageRow::fct_us`].
    pub fct_us: Option<f64>,
    /// As [`MessageRow::ideal_us`].
    pub ideal_us: f64,
    /// As [`MessageRow::slowdown`].
    pub slowdown: Option<f64>,
    /// As [`MessageRow::age_s`].
    pub age_s: Option<f64>,
}

impl From<MessageRow<'static>> for MessageTimes {
    /// Ties the names and types of the fields to those of the row, in whose file they are read.
    fn from(row: MessageRow<'static>) -> Self {
        let MessageRow { flow, size_bytes, fct_us, ideal_us, slowdown, age_s, .. } = row;
        Self { flow, size_bytes, fct_us, ideal_us, slowdown, age_s }
    }
}
