//! The median and the middle half of many objects over time.
//!
//! Invariant: a band has a gap where no object has a value, and at most 400 points, as a line has.

use measures::censoring::quantile;

use super::engine::{Band, Ink, Layer, Line};

/// Lower quartile, median and upper quartile at a place of the horizontal axis; `None` where no object has a value.
pub(super) type Quartiles = (f64, Option<[f64; 3]>);

/// Most points of a band.
const MOST: usize = 400;

/// Returns the quartiles of values in any order, by nearest rank; `None` if there is no value.
pub(super) fn quartiles(mut values: Vec<f64>) -> Option<[f64; 3]> {
    values.sort_by(f64::total_cmp);
    Some([quantile(&values, 0.25)?, quantile(&values, 0.5)?, quantile(&values, 0.75)?])
}

/// Returns the median as a line within the middle half as a band. Both have the name; without a name they are
/// `median` and `middle half`.
pub(super) fn layers(name: &str, ink: Ink, points: &[Quartiles]) -> Vec<Layer> {
    let named = |part: &str| if name.is_empty() { part.to_owned() } else { name.to_owned() };
    let band = |points: Vec<(f64, f64, f64)>| Layer::Band(Band { name: named("middle half"), ink, points });
    let mut layers: Vec<Layer> = bands(points).into_iter().map(band).collect();
    let median = points.iter().map(|(x, at)| (*x, at.map(|[_, median, _]| median))).collect();
    layers.push(Layer::Line(Line::new(named("median"), ink, median)));
    layers
}

/// Returns the pieces of the band between gaps. Many points are reduced to means of consecutive points, as for a line.
fn bands(points: &[Quartiles]) -> Vec<Vec<(f64, f64, f64)>> {
    let (mut pieces, mut piece) = (Vec::new(), Vec::new());
    for chunk in points.chunks(points.len().div_ceil(MOST).max(1)) {
        let known: Vec<[f64; 3]> = chunk.iter().filter_map(|(_, at)| *at).collect();
        if known.is_empty() {
            pieces.push(core::mem::take(&mut piece));
            continue;
        }
        let x = chunk.iter().map(|(x, _)| x).sum::<f64>() / chunk.len() as f64;
        let mean = |which: usize| known.iter().map(|at| at[which]).sum::<f64>() / known.len() as f64;
        piece.push((x, mean(0), mean(2)));
    }
    pieces.push(piece);
    pieces.retain(|piece| !piece.is_empty());
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_are_nearest_ranks() {
        assert_eq!(quartiles(vec![]), None);
        assert_eq!(quartiles(vec![3.0]), Some([3.0; 3]));
        assert_eq!(quartiles(vec![4.0, 1.0, 3.0, 2.0]), Some([1.0, 2.0, 3.0]));
    }

    #[test]
    fn a_band_has_gaps_and_few_points() {
        let at = |x: usize| (x as f64, (x != 3).then_some([1.0, 2.0, x as f64]));
        let points: Vec<_> = (0..6).map(at).collect();
        let pieces = bands(&points);
        assert_eq!(
            pieces,
            [vec![(0.0, 1.0, 0.0), (1.0, 1.0, 1.0), (2.0, 1.0, 2.0)], vec![(4.0, 1.0, 4.0), (5.0, 1.0, 5.0)]]
        );
        let many: Vec<_> = (0..2 * MOST).map(at).collect();
        let pieces = bands(&many);
        assert_eq!((pieces.len(), pieces[0].len(), pieces[0][1]), (1, MOST, (2.5, 1.0, 2.0)));
        let Some(Layer::Line(median)) = layers("a", Ink::Grey, &points).pop() else {
            panic!("the median is last")
        };
        assert_eq!((median.name.as_str(), median.points[3]), ("a", (3.0, None)));
    }
}
