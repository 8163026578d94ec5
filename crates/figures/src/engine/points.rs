//! Few points for long lines.
//!
//! Invariant: a reduced line has at most [`MOST`] points, and its mean equals the mean of its samples.

/// Most points of a line.
pub(super) const MOST: usize = 400;

/// A line that is short enough to be drawn.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ReducedLine {
    /// Points without gaps between them, piece by piece.
    pub pieces: Vec<Vec<(f64, f64)>>,
    /// Lowest and highest sample at each point of each piece, if they are to be drawn: x, low, high.
    pub ranges: Vec<Vec<(f64, f64, f64)>>,
}

/// Reduction of the points of a long line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// Each point is the mean of consecutive samples.
    Means,
    /// Each point is the mean of consecutive samples, within a band from the lowest to the highest.
    Extremes,
    /// None: the line has few points.
    None,
}

impl Reduction {
    /// Returns the number of consecutive samples to a point of a line with `samples` samples.
    pub(super) fn samples_to_a_point(self, samples: usize) -> usize {
        if self == Self::None { 1 } else { samples.div_ceil(MOST).max(1) }
    }
}

/// Returns the points to draw. Each is the mean of the samples with a value among as many consecutive samples.
pub(super) fn reduced(points: &[(f64, Option<f64>)], reduction: Reduction) -> ReducedLine {
    let samples = reduction.samples_to_a_point(points.len());
    let with_ranges = reduction == Reduction::Extremes && samples > 1;
    let (mut pieces, mut ranges) = (Vec::new(), Vec::new());
    let (mut piece, mut range) = (Vec::new(), Vec::new());
    for chunk in points.chunks(samples) {
        let values: Vec<f64> = chunk.iter().filter_map(|(_, y)| *y).filter(|y| y.is_finite()).collect();
        // A gap ends the piece: a line across it would show values that nobody has measured.
        if values.is_empty() {
            pieces.push(core::mem::take(&mut piece));
            ranges.push(core::mem::take(&mut range));
            continue;
        }
        let x = chunk.iter().map(|(x, _)| x).sum::<f64>() / chunk.len() as f64;
        piece.push((x, values.iter().sum::<f64>() / values.len() as f64));
        let extreme = |of: fn(f64, f64) -> f64| values.iter().copied().reduce(of).unwrap_or_default();
        range.push((x, extreme(f64::min), extreme(f64::max)));
    }
    pieces.push(piece);
    ranges.push(range);
    pieces.retain(|piece| !piece.is_empty());
    ranges.retain(|range| with_ranges && !range.is_empty());
    ReducedLine { pieces, ranges }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(reduction: Reduction, values: impl Iterator<Item = Option<f64>>) -> ReducedLine {
        let points: Vec<_> = values.enumerate().map(|(x, y)| (x as f64, y)).collect();
        reduced(&points, reduction)
    }

    #[test]
    fn short_lines_stay_and_gaps_divide_them() {
        let drawn = line(Reduction::Means, [Some(1.0), None, Some(2.0), Some(4.0)].into_iter());
        assert_eq!(drawn.pieces, [vec![(0.0, 1.0)], vec![(2.0, 2.0), (3.0, 4.0)]]);
        assert!(drawn.ranges.is_empty());
    }

    #[test]
    fn long_lines_become_means_with_their_extremes_where_asked_for() {
        let values = || (0..2 * MOST).map(|place| (place % 4 != 0).then_some(place as f64));
        let drawn = line(Reduction::Extremes, values());
        assert_eq!(drawn.pieces.len(), 1);
        assert_eq!(drawn.pieces[0].len(), MOST);
        assert_eq!(drawn.pieces[0][..2], [(0.5, 1.0), (2.5, 2.5)]);
        assert_eq!(drawn.ranges[0][1], (2.5, 2.0, 3.0));
        assert!(line(Reduction::Means, values()).ranges.is_empty());
        assert_eq!(line(Reduction::None, values()).pieces.concat().len(), 2 * MOST * 3 / 4);
    }
}
