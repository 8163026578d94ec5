//! Threads that work in step: they are handed their work, meet, tell each other a few words, and exchange mail.
//! Processes that do the same exchange messages.
//!
//! Invariant: mail is sent before a member comes to a meeting, and received after it. The receiver alone gets it,
//! before it comes to the next meeting. No member is ahead of another by more than a meeting.
//!
//! ```text
//! member 0   work, send   meet   receive, work, send   meet   receive ...
//! member 1   work, send   meet   receive, work, send   meet   receive ...
//! ```
//!
//! To meet is to come, and to wait for the others. A member without more mail may work in between. If members have
//! different work, the slower members then have less to make up for.
//!
//! A thread that waits spins first, since others on processors of their own will soon be there. It then yields, and
//! at last sleeps, so that a busy machine loses no time to it.
//!
//! | module | contents |
//! |---|---|
//! | `meeting`, `handoff`, `waiting`, `patience` | threads of the same process |
//! | `ranks` | processes with memory of their own, by whatever carries their messages |
//! | `lookout` | waiting for another process |
//! | `threads` | the number of threads |
//! | `stopwatch` | elapsed time, for those who hold a clock |
//! | `contest`, `pace` | the choice between two ways of the same work by their speed; between a thread and several |
//! | `sync` | the primitives of synchronisation |

mod contest;
mod handoff;
#[cfg(not(any(loom, target_family = "wasm")))]
mod lookout;
mod meeting;
mod pace;
mod patience;
#[cfg(not(loom))]
mod ranks;
mod stopwatch;
mod sync;
mod threads;
mod waiting;

pub use contest::Contest;
pub use handoff::Handoff;
#[cfg(not(any(loom, target_family = "wasm")))]
pub use lookout::look_until;
pub use meeting::{Meeting, Member};
pub use pace::{Pace, SliceRest, Stretch, Way};
#[cfg(not(loom))]
pub use ranks::{Ranks, RanksInThreads, parts_of, rank_of};
pub use stopwatch::{Clock, Stopwatch};
pub use threads::Threads;
