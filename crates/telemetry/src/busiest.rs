//! The busiest of several objects.
//!
//! Invariant: among equals the first count as busier, so that the choice is the same in every run of a plan. An
//! object that did nothing is never chosen.

use std::cmp::Reverse;

use units::Bytes;

/// Returns the places of the objects that are chosen already, and of the `count` objects with the largest value by
/// each measure. Places are in ascending order.
#[must_use]
pub fn busiest(mut chosen: Vec<bool>, measures: &[(usize, &[Bytes])]) -> Vec<usize> {
    for (count, values) in measures {
        let mut order: Vec<usize> = (0..chosen.len()).filter(|place| values[*place] > Bytes::ZERO).collect();
        // The sort is stable, which makes the first of equals the busier.
        order.sort_by_key(|place| Reverse(values[*place]));
        order.iter().take(*count).for_each(|place| chosen[*place] = true);
    }
    (0..chosen.len()).filter(|place| chosen[*place]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_equals_is_busier_and_the_idle_are_left_out() {
        let values = [3, 9, 0, 9, 1].map(Bytes::new);
        let of = |count| busiest(vec![false; 5], &[(count, &values)]);
        assert_eq!(of(0), [0; 0]);
        assert_eq!(of(1), [1]);
        assert_eq!(of(3), [0, 1, 3]);
        assert_eq!(of(9), [0, 1, 3, 4]);
    }

    #[test]
    fn chosen_objects_stay_and_measures_add_up() {
        let (some, other) = ([3, 9, 0].map(Bytes::new), [0, 1, 2].map(Bytes::new));
        assert_eq!(busiest(vec![true, false, false], &[(1, &some), (1, &other)]), [0, 1, 2]);
    }
}
