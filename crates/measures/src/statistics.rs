//! Statistics over values that are all known.
//!
//! Invariant: without values, or where a formula would divide by zero, there is no number, rather than 0.

/// Returns the arithmetic mean; `None` of no values.
///
/// ```
/// assert_eq!(measures::statistics::mean(&[1.0, 2.0, 6.0]), Some(3.0));
/// assert_eq!(measures::statistics::mean(&[]), None);
/// ```
#[must_use]
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Returns the median of values in ascending order; of an even number the mean of the middle two. `None` of no values.
///
/// [`censoring::quantile`](crate::censoring::quantile) takes the lower of the two instead, so that the result is among
/// the values.
///
/// ```
/// assert_eq!(measures::statistics::median(&[1.0, 2.0, 4.0, 9.0]), Some(3.0));
/// ```
#[must_use]
pub fn median(sorted: &[f64]) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    Some(f64::midpoint(sorted[last / 2], sorted[last.div_ceil(2)]))
}

/// Returns the coefficient of variation, the standard deviation of the values over their mean; `None` of no values, or
/// if their mean is zero.
///
/// The values are all that there are, not a sample of more: the squares are divided by their number.
///
/// ```
/// assert_eq!(measures::statistics::variation(&[1.0, 3.0]), Some(0.5));
/// assert_eq!(measures::statistics::variation(&[0.0, 0.0]), None);
/// ```
#[must_use]
pub fn variation(values: &[f64]) -> Option<f64> {
    let mean = mean(values).filter(|mean| *mean != 0.0)?;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    Some((squares / values.len() as f64).sqrt() / mean)
}

/// Returns the largest deviation of a value from the mean, as a share of the mean. `None` for no values, or if their
/// mean is zero.
///
/// ```
/// assert_eq!(measures::statistics::spread(&[1.0, 3.0, 2.0]), Some(0.5));
/// ```
#[must_use]
pub fn spread(values: &[f64]) -> Option<f64> {
    let mean = mean(values).filter(|mean| *mean != 0.0)?;
    Some(values.iter().map(|value| (value - mean).abs() / mean).fold(0.0, f64::max))
}

/// Returns Jain's fairness index, `(sum x)^2 / (n * sum x^2)`: 1 if all values are equal, `1/n` if a single value is
/// not zero (Jain, Chiu and Hawe 1984). `None` if there is no value, or all are zero: the index is then 0/0.
///
/// ```
/// use measures::statistics::jain;
/// assert_eq!([jain([5.0, 5.0]), jain([5.0, 0.0]), jain([0.0, 0.0])], [Some(1.0), Some(0.5), None]);
/// ```
#[must_use]
pub fn jain(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let (mut count, mut sum, mut squares) = (0u32, 0.0, 0.0);
    for value in values {
        count += 1;
        sum += value;
        squares += value * value;
    }
    (squares > 0.0).then(|| sum * sum / (f64::from(count) * squares))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jains_index_has_its_known_values() {
        assert_eq!([jain([]), jain([0.0, 0.0])], [None; 2]);
        assert_eq!(jain([7.0]), Some(1.0));
        assert_eq!(jain([1.0, 0.0, 0.0, 0.0]), Some(0.25));
        // The parking lot of two remote and two local contributors.
        let parking_lot = jain([1.0 / 6.0, 1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0]);
        assert!(parking_lot.is_some_and(|index| (index - 0.9).abs() < 1e-12));
    }

    #[test]
    fn no_values_have_no_statistic() {
        assert_eq!([mean(&[]), median(&[]), variation(&[]), spread(&[])], [None; 4]);
        assert_eq!([variation(&[0.0; 3]), spread(&[0.0; 3])], [None; 2]);
        assert_eq!([variation(&[7.0]), spread(&[7.0])], [Some(0.0); 2]);
    }

    #[test]
    fn a_median_is_the_middle_value_or_the_mean_of_the_middle_two() {
        assert_eq!([median(&[3.0]), median(&[1.0, 3.0, 8.0])], [Some(3.0); 2]);
        assert_eq!(median(&[1.0, 3.0, 5.0, 8.0]), Some(4.0));
    }

    /// Of 2, 4, 4, 4, 5, 5, 7, 9 the mean is 5 and the standard deviation 2.
    #[test]
    fn variation_is_the_deviation_over_the_mean() {
        assert_eq!(variation(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]), Some(0.4));
    }
}
