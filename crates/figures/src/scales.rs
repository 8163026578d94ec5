//! Common vertical axes of panels.
//!
//! Invariant: panels of the same quantity have the same axis, or the title of the smaller says that it has a finer
//! scale.

use super::engine::{AxisScale, Layer, Panel};

/// Most times that the values of a panel may be lower than the end of its axis.
pub(super) const FACTOR: f64 = 10.0;

/// End of the title of a panel with a finer scale.
const FINER: &str = "(finer scale)";

/// Gives panels of the same quantity the same axis, where the lower values stay visible.
pub(super) fn share(panels: &mut [Panel]) {
    let mut rest: Vec<&mut Panel> = panels.iter_mut().filter(|panel| can_share(panel)).collect();
    let mut begun: Vec<String> = Vec::new();
    while let Some(highest) = rest.iter().max_by(|one, other| one.y.to.total_cmp(&other.y.to)) {
        let axis = highest.y.clone();
        let is_finer = begun.contains(&axis.label);
        let (together, lower): (Vec<_>, Vec<_>) =
            rest.into_iter().partition(|panel| panel.y.label == axis.label && panel.y.to * FACTOR >= axis.to);
        for panel in together {
            panel.y = axis.clone();
            if is_finer {
                name(panel);
            }
        }
        begun.push(axis.label);
        rest = lower;
    }
}

/// Says so in the titles of panels that have a finer scale than another panel of the figure.
pub(super) fn name_finer(panels: &mut [Panel], others: &[Panel]) {
    let coarsest = others.iter().map(|panel| panel.y.to).fold(0.0, f64::max);
    panels.iter_mut().filter(|panel| panel.y.to < coarsest && !panel.title.ends_with(FINER)).for_each(name);
}

fn name(panel: &mut Panel) {
    panel.title = [panel.title.as_str(), FINER].join(" ").trim().to_owned();
}

/// Returns true for a linear axis from 0 that holds all values of the panel.
fn can_share(panel: &Panel) -> bool {
    let is_plain = panel.y.scale == AxisScale::Linear && panel.y.from == 0.0 && panel.y.names.is_empty();
    is_plain && !panel.layers.iter().any(|layer| matches!(layer, Layer::Beyond { .. }))
}

#[cfg(test)]
mod tests {
    use super::super::engine::Axis;
    use super::*;

    fn panel(label: &str, to: f64) -> Panel {
        let (x, y) = (Axis::linear("", 0.0, 1.0), Axis::linear(label, 0.0, to));
        Panel { title: to.to_string(), x, y, height: 100.0, layers: Vec::new() }
    }

    #[test]
    fn values_that_stay_visible_share_an_axis_and_others_say_that_theirs_is_finer() {
        let mut panels =
            [("a", 20.0), ("a", 3.0), ("a", 1.0), ("b", 7.0), ("a", 0.5)].map(|(label, to)| panel(label, to));
        share(&mut panels);
        let shown: Vec<_> = panels.iter().map(|panel| (panel.title.as_str(), panel.y.to)).collect();
        let finer = ["1 (finer scale)", "0.5 (finer scale)"];
        assert_eq!(shown, [("20", 20.0), ("3", 20.0), (finer[0], 1.0), ("7", 7.0), (finer[1], 1.0)]);
    }
}
