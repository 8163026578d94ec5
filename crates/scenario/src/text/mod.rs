//! The text of a scenario: the place of each value in it, and the origin of each byte.
//!
//! Invariant: nothing here knows the fields of a scenario.
//!
//! | module | contents |
//! |---|---|
//! | `node` | a value in a text, with everything in it |
//! | `flaw` | wrong brackets, quotes and commas |
//! | `scan` | from a text to its values, or to the first flaw |
//! | `outline` | the value at a path |
//! | `shipped` | the texts of the scenarios that ship |
//! | `scenario_text` | a scenario's text, with parts of it overridden |
//! | `written` | the fields that a text writes, with their values |
//! | `faults` | faults found in a scenario, each at its place in the text |

mod faults;
mod flaw;
mod node;
mod outline;
pub(crate) mod scan;
mod scenario_text;
mod shipped;
mod written;

pub(crate) use faults::Faults;
pub(crate) use flaw::{SyntaxFlaw, SyntaxFlawKind};
pub(crate) use node::{NamedNode, NodeShape, TextNode, unquoted};
pub(crate) use outline::{Outline, ReachedNode};
pub use scenario_text::ScenarioText;
pub(crate) use scenario_text::TextPatch;
pub use shipped::{ShippedScenario, shipped};
pub use written::WrittenField;
