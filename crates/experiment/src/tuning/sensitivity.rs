//! Sensitivity of the objective to each parameter.
//!
//! Invariant: two methods, each named where its numbers are printed. Spearman's rank correlation over all settings that
//! were tried says which parameters mattered in the search. A search that converges has tried few values far from its
//! best. So the second method moves each parameter from the winner by itself ("one at a time"; Saltelli and others
//! 2008, "Global Sensitivity Analysis: The Primer", 2.1 and 1.2.1).

use super::point::Point;
use super::space::{Space, Values};

/// Distance of a neighbour, as a share of the parameter's range.
pub const DISTANCE: f64 = 0.1;

/// Returns Spearman's rank correlation of two lists (Spearman 1904). Equal values have their mean rank. `None` for
/// fewer than three pairs, or if a list is constant.
///
/// # Panics
/// If the lists differ in length.
#[must_use]
pub fn rank_correlation(a: &[f64], b: &[f64]) -> Option<f64> {
    assert_eq!(a.len(), b.len(), "pairs have two numbers");
    if a.len() < 3 {
        return None;
    }
    let (a, b) = (ranks(a), ranks(b));
    let mean = (a.len() as f64 + 1.0) / 2.0;
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - mean) * (b - mean)).sum::<f64>();
    let spread = (product(&a, &a) * product(&b, &b)).sqrt();
    (spread > 0.0).then(|| product(&a, &b) / spread)
}

/// Returns the rank of each number, from 1; equal numbers have the mean of their ranks.
fn ranks(numbers: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..numbers.len()).collect();
    order.sort_by(|a, b| numbers[*a].total_cmp(&numbers[*b]));
    let mut ranks = vec![0.0; numbers.len()];
    let mut start = 0;
    while start < order.len() {
        let equal =
            order[start..].iter().take_while(|place| numbers[**place] == numbers[order[start]]).count();
        let mean = start as f64 + (equal as f64 + 1.0) / 2.0;
        order[start..start + equal].iter().for_each(|place| ranks[*place] = mean);
        start += equal;
    }
    ranks
}

/// Returns the neighbours of a point in a dimension: the points a tenth of the range below and above. A choice has the
/// choices before and after. A neighbour with the same setting, at the end of the range, is left out.
#[must_use]
pub fn neighbours(space: &Space, point: &Point, dimension: usize) -> Vec<Point> {
    let at = point.coordinates()[dimension];
    let moved: Vec<Point> = match &space.parameters[dimension].values {
        Values::Choice(choices) => {
            let count = choices.len() as f64;
            let own = (at * count).floor();
            let others = [own - 1.0, own + 1.0].into_iter().filter(|choice| (0.0..count).contains(choice));
            others.map(|choice| point.moved(dimension, (choice + 0.5) / count - at)).collect()
        }
        _ => vec![point.moved(dimension, -DISTANCE), point.moved(dimension, DISTANCE)],
    };
    let own = space.overrides(point);
    moved.into_iter().filter(|neighbour| space.overrides(neighbour) != own).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_order_counts() {
        let a = [1.0, 2.0, 3.0, 4.0, 5.0];
        let cubes = a.map(|a: f64| a.powi(3));
        let falling = a.map(|a: f64| -a.exp());
        assert_eq!(rank_correlation(&a, &cubes), Some(1.0));
        assert_eq!(rank_correlation(&a, &falling), Some(-1.0));
        assert_eq!(rank_correlation(&a, &[7.0; 5]), None);
        assert_eq!(rank_correlation(&a[..2], &cubes[..2]), None);
        // Any textbook's formula without ties, 1 - 6 sum d^2 / (n (n^2 - 1)): d = 1, 1, 0, 1, 1.
        let swapped = [2.0, 1.0, 3.0, 5.0, 4.0];
        assert!((rank_correlation(&a, &swapped).unwrap() - (1.0 - 6.0 * 4.0 / 120.0)).abs() < 1e-12);
        assert_eq!(ranks(&[3.0, 1.0, 3.0, 2.0]), [3.5, 1.0, 3.5, 2.0]);
    }

    #[test]
    fn neighbours_differ_in_one_parameter() {
        let space = Space::find("pfc").unwrap_or_else(|error| panic!("{error}"));
        let point = Point::new(vec![0.99, 0.5]);
        let own = space.written(&point);
        assert_eq!(neighbours(&space, &point, 0).len(), 1, "the alpha before the last");
        for neighbour in neighbours(&space, &point, 1) {
            let other = space.written(&neighbour);
            assert!(other[0] == own[0] && other[1] != own[1]);
        }
        // At the end of the range there is a single neighbour.
        assert_eq!(neighbours(&space, &Point::new(vec![0.5, 1.0]), 1).len(), 1);
    }
}
