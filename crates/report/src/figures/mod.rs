//! Figures, as SVG.
//!
//! Invariant: the same values draw the same bytes.
//!
//! | module | draws |
//! |---|---|
//! | `style` | colours, fonts and labels that all figures share |
//! | `coincidence` | the parts of lines that lie upon one another |
//! | `throughput` | `throughput.svg`: one run |
//! | [`panels`] | several runs below each other |
//! | [`curves`] | a number against a setting |

mod coincidence;
pub mod curves;
pub mod panels;
mod style;
mod throughput;

pub use throughput::throughput;
