//! Commented scenario files to begin with.
//!
//! Invariant: a draft passes the check of scenarios as it is. Its comments name the source of each number that is not a
//! choice of the user.
//!
//! | module | contents |
//! |---|---|
//! | `tree` | fat trees with a number of hosts, of switches with a number of ports |
//! | `infiniband` | InfiniBand fat trees, with a job or without, and dragonflies |
//! | `roce` | RoCEv2 leaf-spine fabrics, and fabrics of a file or with a topology of their own |

mod infiniband;
mod roce;
mod tree;

pub use infiniband::{Dragonfly, FatTree};
pub use roce::{CustomRoce, LeafSpine, of_file};

/// A size of which no fabric can be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct DraftError {
    message: String,
    /// Proposal of a size.
    pub help: String,
}

/// Returns a template with each `@NAME@` replaced by its text, which may hold anything.
fn filled(template: &str, names: &[(&str, String)]) -> String {
    let text = |(i, part): (usize, &str)| {
        if i % 2 == 0 {
            return part.to_owned();
        }
        let found = names.iter().find(|(name, _)| *name == part);
        found.unwrap_or_else(|| panic!("the template has no text for {part}")).1.clone()
    };
    template.split('@').enumerate().map(text).collect()
}
