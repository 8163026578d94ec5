//! Policies of a user's program: a response or a marking rule that a scenario names, and that no enum here knows.
//!
//! Invariant: the sets of built-in policies stay closed. Only a run with a policy of its own pays an indirect call for
//! each decision.
//!
//! | module | contents |
//! |---|---|
//! | `spec` | [`OwnSpec`]: the name and the settings, as a scenario has them |
//! | `packed` | [`Packed`]: the state of a flow as bytes of a fixed number |
//! | `response` | [`OwnResponse`]: the trait of a response of one's own |
//! | `marker` | [`OwnMarker`]: the trait of a marking rule of one's own |
//! | `registry` | [`OwnPolicies`]: the policies of a program, by name |

mod marker;
mod packed;
mod registry;
mod response;
mod spec;

pub(crate) use marker::REASONS;
pub use marker::{BoxedMarker, OwnMarker, reasons};
pub use packed::{Packed, PackedState};
pub use registry::{OwnPolicies, OwnPolicy};
pub use response::{OwnResponse, ResponseSetup, SharedResponse};
pub use spec::OwnSpec;
// Its macros name the fields of a marker's state.
pub use state_codec;
