//! JSON schemas of types. Other crates know this one as `schemars`, the crate that it stands for.
//!
//! Invariant: a program holds no code that makes schemas. It reads them from files (`schema.json` of `scenario` and of `results`), and tests
//! of these crates hold the files to the types: they set the feature `schema` of `units`, and with it `real` here.
//!
//! | feature `real` | `derive(JsonSchema)` |
//! |---|---|
//! | set, in those tests | the one of `schemars`, with all else of that crate |
//! | not set | writes nothing; there is no trait of that name |
//!
//! That code is a third of what the compiler optimises of `cc-policies`, and a tenth of `topology` and `workload`.

#[cfg(not(feature = "real"))]
pub use schema_derive::JsonSchema;
#[cfg(feature = "real")]
pub use schemars::*;
