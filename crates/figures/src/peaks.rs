//! Panels with an axis that ends below lone peaks, so that these do not squeeze everything else.
//!
//! Invariant: the title of such a panel states the highest value and its time. A mark stands at each place where a line
//! leaves the plot.

use measures::rounded;

use super::engine::axis::number;
use super::engine::{Axis, Layer, Panel};

/// Least distance of two marks, as a share of the horizontal axis.
const APART: f64 = 0.02;

/// Returns the panel of these layers, `height` pixels high. `label` names the vertical axis, with its unit in brackets.
#[must_use]
pub fn below_peaks(title: String, x: Axis, label: &str, height: f64, mut layers: Vec<Layer>) -> Panel {
    let mut tops: Vec<(f64, f64)> = layers.iter().flat_map(Layer::tops).collect();
    let heights: Vec<f64> = tops.iter().map(|(_, height)| *height).collect();
    let (y, peak) = Axis::below_peaks(label, &heights);
    let Some(peak) = peak else { return Panel { title, x, y, height, layers } };
    tops.retain(|(_, height)| *height > y.to);
    tops.sort_by(|one, other| one.0.total_cmp(&other.0));
    let mut last = f64::NEG_INFINITY;
    for (place, _) in &tops {
        if place - last >= APART * (x.to - x.from) {
            layers.push(Layer::Beyond { x: *place });
            last = *place;
        }
    }
    let at = tops.iter().find(|(_, height)| *height >= peak).map_or(0.0, |(place, _)| *place);
    let which = if title.is_empty() { "The" } else { "the" };
    let (peak, at) = (with_unit(peak, label), with_unit(at, &x.label));
    let stated = format!("{which} highest, {peak} at {at}, is above the axis");
    let title = if title.is_empty() { stated } else { format!("{title}; {stated}") };
    Panel { title, x, y, height, layers }
}

/// Returns a value with three digits and the unit that stands in brackets in the label of its axis.
fn with_unit(value: f64, label: &str) -> String {
    let digits = 3 - (value.abs().max(1e-9).log10().floor() as i32 + 1);
    let value = number(rounded(value, digits.clamp(0, 6)));
    let unit = label.rsplit_once('(').and_then(|(_, unit)| unit.split_once(')')).map_or("", |(unit, _)| unit);
    format!("{value} {unit}").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::super::engine::{Ink, Line};
    use super::*;

    fn panel(peak: f64) -> Panel {
        let value = |place: u32| if (10..12).contains(&place) { peak } else { 20.0 };
        let points = (0..200).map(|place| (f64::from(place) / 10.0, Some(value(place)))).collect();
        let line = Layer::Line(Line::new("a", Ink::Palette(0), points));
        below_peaks(
            "Queues".to_owned(),
            Axis::linear("simulated time (ms)", 0.0, 20.0),
            "queue (KB)",
            100.0,
            vec![line],
        )
    }

    #[test]
    fn a_lone_peak_is_stated_and_marked() {
        let clipped = panel(1234.5);
        assert_eq!(clipped.title, "Queues; the highest, 1235 KB at 1 ms, is above the axis");
        assert_eq!(clipped.layers.iter().filter(|layer| matches!(layer, Layer::Beyond { .. })).count(), 1);
        assert!(clipped.y.to < 30.0);
        let whole = panel(50.0);
        assert_eq!((whole.title.as_str(), whole.layers.len()), ("Queues", 1));
        assert!(whole.y.to > 50.0);
    }

    #[test]
    fn values_have_three_digits_and_their_unit() {
        assert_eq!(with_unit(0.123_456, "alpha"), "0.123");
        assert_eq!(with_unit(98_765.4, "queue (KB)"), "98,765 KB");
        assert_eq!(with_unit(9.876, "simulated time (ms)"), "9.88 ms");
    }
}
