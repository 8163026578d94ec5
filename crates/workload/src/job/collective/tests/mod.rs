//! Laws of collectives: the result at each rank, the counts of messages, and the order of operations.
//!
//! | module | contents |
//! |---|---|
//! | `cases` | all kinds for a number of ranks |
//! | `interpreter` | runs of graphs in which messages carry sets of contributions |
//! | `meaning` | results under random interleavings, and their failure without an order |
//! | `counts` | numbers of messages and bytes, sides that match, formulas against graphs |
//! | `schedules` | peers and blocks of small cases, written out |
//! | `refusals` | settings that cannot be run |

mod cases;
mod counts;
mod interpreter;
mod meaning;
mod refusals;
mod schedules;
