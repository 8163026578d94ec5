//! A run by several ranks: processes of which each handles some parts, on one thread for each part.
//!
//! Invariant: each rank holds its own parts alone, and rank 0 leads. It alone has instruments, decides how far all go, and ends the run;
//! the others do what it orders, and answer what it [asks](crate::state::world::observed). What it learns so is what a run in one process sees.
//!
//! ```text
//! rank 0   order: advance to T    windows    ask: counts    ask: look    instruments look    order: advance ...
//! others   .......... wait ....   windows    ... own nodes, in order ..  ........... wait ................
//!                                (all meet after each)
//! ```
//!
//! Three things need all parts at once, and rank 0 then holds an image of the others for that long: a state that is saved, a state that
//! is resumed, and the proof of a deadlock, once outputs wait in a circle.
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
