//! Figures of runs, drawn from the files of their result folders.
//!
//! Invariant: the same files draw the same bytes, whether they are about to be written or are read from a folder.
//!
//! | module | draws |
//! |---|---|
//! | [`engine`] | any chart, as SVG |
//! | `fault` | nothing: reasons why a figure cannot be drawn |
//! | `gathered` | nothing: rows by object |
//! | `quartiles` | the median and the middle half of many objects |
//! | `heat` | heat maps over time |
//! | `scales` | nothing: common axes of panels |
//! | `victims` | nothing: named flows that waited in congestion trees |
//! | `peaks` | panels with an axis that ends below lone peaks |
//! | `goodput` | goodput over time |
//! | `completions`, `slowdown` | completion times of messages; their slowdown by size |
//! | `hosts` | goodput by host |
//! | `quantities` | watched quantities, and the control of sources |
//! | `queues` | queues at roots and watched outputs |
//! | `ports` | ports by time |
//! | `fabric` | the fabric with the worst congestion tree |
//! | `compared` | several runs in a panel |
//! | `catalogue` | the list of all figures of a run |
//! | `output` | the files of a run, with its figures |

mod catalogue;
mod compared;
mod completions;
pub mod engine;
mod fabric;
mod fault;
#[cfg(test)]
mod fixture;
mod gathered;
mod goodput;
mod heat;
#[cfg(test)]
mod hostile_names;
mod hosts;
mod output;
pub mod peaks;
mod ports;
mod quantities;
mod quartiles;
mod queues;
mod scales;
mod slowdown;
mod victims;

pub use catalogue::{FIGURES, FigureKind};
pub use compared::{RunCurves, compared};
pub use fault::{FigureFault, UndrawnFigure};
pub use output::{RunOutput, output, output_of};
