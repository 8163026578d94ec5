//! Flow control of a lane: the state machines of its sender and of its receiver.
//!
//! Invariant: nothing here sends, waits or knows a wire. The caller passes the time and sends the signals.
//!
//! | module | discipline | standard |
//! |---|---|---|
//! | [`credits`] | credits | IBA volume 1, 7.9 |
//! | [`pause`] | PAUSE and RESUME, or no flow control at all | IEEE 802.1Qbb |
//! | `pause_log` | times of pauses, for ports with a log | |
//! | [`headroom`] | memory that PFC needs beyond its threshold | IEEE 802.1Qbb |
//! | [`signal`] | the signals of both | |
//! | [`lasting`] | memory in use that is never released, for the proof of a deadlock | |

pub mod credits;
pub mod headroom;
pub mod lasting;
pub mod pause;
pub(crate) mod pause_log;
pub mod signal;
