//! Commented scenario files to begin with.
//!
//! Invariant: a draft passes the check of scenarios as it is. Its comments name the source of each number that is not a
//! choice of the user.
//!
//! | module | contents |
//! |---|---|
//! | `tree` | fat trees with a number of hosts, of switches with a number of ports |
//! | `infiniband` | InfiniBand fat trees and dragonflies |
//! | `roce` | RoCEv2 leaf-spine fabrics, and fabrics in a file |

mod infiniband;
mod roce;
mod tree;

pub use infiniband::{Dragonfly, FatTree};
pub use roce::{LeafSpine, of_file};

/// A size of which no fabric can be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct DraftError {
    message: String,
    /// Proposal of a size.
    pub help: String,
}

/// Returns a template with each `@NAME@` replaced by its text.
fn filled(template: &str, names: &[(&str, String)]) -> String {
    let text = names
        .iter()
        .fold(template.to_owned(), |text, (name, value)| text.replace(&format!("@{name}@"), value));
    debug_assert!(!text.contains('@'), "a name of the template is left: {text}");
    text
}
