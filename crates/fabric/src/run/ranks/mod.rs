//! A run by several ranks. Each rank is a process that handles some parts, on one thread for each part.
//!
//! Invariant: each rank holds its own parts alone, and rank 0 leads. Only rank 0 has instruments, decides how far all
//! ranks go, and ends the run. The others obey its orders and answer its [questions](crate::state::world::observed).
//! From the answers it learns the same as a run in a single process sees.
//!
//! ```text
//! rank 0   order: advance to T    windows    ask: counts    ask: look    instruments look    order: advance ...
//! others   .......... wait ....   windows    ... own nodes, in order ..  ........... wait ................
//!                                (all meet after each)
//! ```
//!
//! Saving a state, resuming from a state, and proving a deadlock need all parts at once. Rank 0 then holds an image
//! of the other parts for that long. It looks for a proof only once outputs wait in a circle.
//!
//! | module | contents |
//! |---|---|
//! | `order` | the orders of rank 0 |
//! | `office` | the meetings of all threads of all ranks, and the mail between them |
//! | `leading` | the run, as rank 0 leads it |
//! | `following` | the work of the others |

pub(crate) mod following;
pub(crate) mod leading;
mod office;
mod order;
