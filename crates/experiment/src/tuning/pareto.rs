//! Pareto fronts of several objectives, all to be minimised.
//!
//! Invariant: no member of a front is dominated by any point, and every point outside is dominated by a member or
//! equals a member.

/// Returns true if `a` is at most `b` in every objective, and below it in at least 1.
#[must_use]
pub(super) fn dominates(a: &[f64], b: &[f64]) -> bool {
    a.iter().zip(b).all(|(a, b)| a <= b) && a.iter().zip(b).any(|(a, b)| a < b)
}

/// Returns the places of the points that no other dominates, in their order; of equal points all.
#[must_use]
pub(super) fn front(points: &[&[f64]]) -> Vec<usize> {
    let free = |place: &usize| !points.iter().any(|other| dominates(other, points[*place]));
    (0..points.len()).filter(free).collect()
}

/// Returns the crowding distance of each member of a front (Deb and others 2002). It is the sum of the sides of the box
/// between its neighbours, each relative to the range of its objective. It is infinite at the ends.
#[must_use]
pub(super) fn crowding_distances(points: &[&[f64]]) -> Vec<f64> {
    let mut distances = vec![0.0; points.len()];
    for objective in 0..points.first().map_or(0, |point| point.len()) {
        let mut order: Vec<usize> = (0..points.len()).collect();
        order.sort_by(|a, b| points[*a][objective].total_cmp(&points[*b][objective]));
        let at = |place: usize| points[order[place]][objective];
        let last = order.len() - 1;
        let range = at(last) - at(0);
        distances[order[0]] = f64::INFINITY;
        distances[order[last]] = f64::INFINITY;
        for place in 1..last {
            let side = if range > 0.0 { (at(place + 1) - at(place - 1)) / range } else { 0.0 };
            distances[order[place]] += side;
        }
    }
    distances
}

/// Returns the place of the member nearest to the ideal point, which has the best value of each objective. Distances
/// are relative to the range of each objective. `None` for an empty front.
#[must_use]
pub(super) fn nearest_to_ideal(points: &[&[f64]]) -> Option<usize> {
    let objectives = points.first()?.len();
    let ends: Vec<(f64, f64)> = (0..objectives)
        .map(|objective| {
            let own = points.iter().map(|point| point[objective]);
            own.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), at| (low.min(at), high.max(at)))
        })
        .collect();
    let distance = |point: &[f64]| -> f64 {
        let relative =
            |(at, (low, high)): (&f64, &(f64, f64))| if high > low { (at - low) / (high - low) } else { 0.0 };
        point.iter().zip(&ends).map(relative).map(|side| side * side).sum()
    };
    (0..points.len()).min_by(|a, b| distance(points[*a]).total_cmp(&distance(points[*b])))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// By the definition, on small whole numbers, so that equal points occur.
        #[test]
        fn a_front_is_what_nobody_dominates(points in proptest::collection::vec(proptest::collection::vec(0..4_u8, 3), 1..30)) {
            let points: Vec<Vec<f64>> =
                points.into_iter().map(|point| point.into_iter().map(f64::from).collect()).collect();
            let all: Vec<&[f64]> = points.iter().map(Vec::as_slice).collect();
            let members = front(&all);
            prop_assert!(!members.is_empty());
            for place in 0..all.len() {
                let beaten = all.iter().any(|other| dominates(other, all[place]));
                prop_assert_eq!(members.contains(&place), !beaten);
                if beaten {
                    prop_assert!(members.iter().any(|member| dominates(all[*member], all[place])));
                }
            }
        }
    }

    #[test]
    fn the_ideal_point_is_nearest_to_the_knee() {
        let points: [&[f64]; 4] = [&[0.0, 10.0], &[1.0, 2.0], &[5.0, 1.0], &[10.0, 0.0]];
        assert_eq!(nearest_to_ideal(&points), Some(1));
        assert_eq!(nearest_to_ideal(&[]), None);
        assert_eq!(crowding_distances(&points)[0], f64::INFINITY);
        assert!(crowding_distances(&points)[1] > 0.0);
    }
}
