//! Arbitration: which input wins which output, once per switch and instant.
//!
//! Invariant: an output is never granted to two inputs at once, and an input is never read faster than its buffer
//! allows.
//!
//! | module | contents |
//! |---|---|
//! | `arbiter` | the trait [`Arbiter`], with the requests that it sees and the grants that it gives |
//! | `round_robin`, `islip`, `oldest_first` | the arbiters |
//! | `any` | [`AnyArbiter`]: the closed set of them |
//! | `read_bandwidth` | read bandwidth of each input's buffer, in use and reserved |
//! | `round` | `Arbitration`: the arbiter at work on the requests of an instant |

mod any;
mod arbiter;
mod islip;
mod oldest_first;
mod read_bandwidth;
mod round;
mod round_robin;

pub use self::any::AnyArbiter;
pub use self::arbiter::{Arbiter, Grant, Request, Requests};
pub(crate) use self::read_bandwidth::ReadBandwidth;
pub(crate) use self::round::Arbitration;
