//! Colours, fonts and labels that all figures share.
//!
//! Invariant: widths of text are estimates, since no font is read.

use plotters::coord::Shift;
use plotters::prelude::*;

use crate::format::rounded;

/// Colours that can be distinguished under every common form of colour blindness (Okabe and Ito 2008), without black, and
/// without the yellow, which is too light for a line on white.
pub(super) const COLOURS: [RGBColor; 6] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
];
pub(super) const GREY: RGBColor = RGBColor(110, 110, 110);
pub(super) const FAINT: RGBColor = RGBColor(225, 225, 225);

pub(super) type DrawingError = DrawingAreaErrorKind<std::io::Error>;
pub(super) type SvgArea<'a> = DrawingArea<SVGBackend<'a>, Shift>;
pub(super) fn sans(size: u32, colour: &'static RGBColor) -> TextStyle<'static> {
    TextStyle::from(("sans-serif", size).into_font()).color(colour)
}

/// Returns the approximate width of a name, in pixels.
pub(super) fn width(name: &str) -> i32 {
    name.chars().count() as i32 * 8
}

/// Returns the largest unit of time in which the run lasts at least 1, and the number of units in a second.
pub(super) fn unit_of_time(seconds: f64) -> (&'static str, f64) {
    if seconds >= 1.0 {
        ("s", 1.0)
    } else if seconds >= 1e-3 {
        ("ms", 1e3)
    } else {
        ("us", 1e6)
    }
}

/// Returns the label of a tick, without digits that only rounding made.
pub(super) fn number(value: f64) -> String {
    rounded(value, 6).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_axis_of_time_has_a_unit_that_fits() {
        assert_eq!([2.0, 0.5, 0.000_2].map(|seconds| unit_of_time(seconds).0), ["s", "ms", "us"]);
    }
}
