//! Mutants: small faults put into the code one by one, each of which a test must catch.
//!
//! Invariant: a golden digest or a snapshot catches nothing here, and a busy machine catches nothing either. Nothing is
//! written but below the folder of the work.
//!
//! cargo-mutants says which mutants there are. A build for each would take half a day, so one build holds all of a crate,
//! each chosen by a number at run time. A run of each test says which mutants it reaches; only those need it.
//!
//! | module | contents |
//! |---|---|
//! | [`rounds`] | from the mutants of a crate to their outcomes |
//! | `suite` | tests, one by one, under limits |
//! | `schema` | the crate with all mutants that the compiler accepts |
//! | `rewriting` | the text of a file with its mutants |
//! | `places` | places of a file where a mutant can be chosen |
//! | `compile`, `tree`, `workers` | cargo, the copy of the workspace, threads |
//! | [`listing`] | the mutants that cargo-mutants lists |
//! | [`outcomes`], [`survivors`] | the table, and the list of accepted survivors |

mod compile;
pub mod listing;
pub mod outcomes;
mod places;
mod rewriting;
pub mod rounds;
mod schema;
mod suite;
pub mod survivors;
mod tree;
mod workers;
