//! The engine of all figures: charts as values, and their drawing as SVG.
//!
//! Invariant: the same chart draws the same bytes, without clock, chance or fonts. Nothing is drawn outside the area of
//! its plot.
//!
//! Floors, lowest first; each module imports from those above it in this table only.
//!
//! | module | contents |
//! |---|---|
//! | `svg` | elements of an SVG file |
//! | `style` | colours, dashes, and estimated widths of text |
//! | `axis` | scales and ticks |
//! | `points` | few points for long lines |
//! | `chart` | a chart as a value, and its points as CSV |
//! | `frame` | the place of each panel, and its axes |
//! | `drawing` | a chart as SVG |

pub mod axis;
pub mod chart;
mod drawing;
mod frame;
mod points;
pub(super) mod style;
pub(super) mod svg;

pub use axis::{Axis, AxisScale};
pub use chart::{Band, Chart, Ink, Layer, Line, LinePoints, Panel};
pub use points::Reduction;
