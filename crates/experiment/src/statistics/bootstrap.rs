//! Bootstrap intervals, for statistics without a formula: quantiles over the messages of several runs, ratios, medians.
//!
//! Invariant: seeds are resampled, never single messages, which depend on each other within a run. The draws come from
//! a named stream, so an interval is the same on every machine.

use event_kernel::stream;
use measures::statistics::median;
use rand::Rng;

/// Number of resamples. With 2,000, the ends of a 95 % interval are the 50th and the 1,951st (Efron and Tibshirani
/// 1993, "An Introduction to the Bootstrap", 13.3 and 14.4).
pub const RESAMPLES: usize = 2000;

/// Returns the interval that contains the statistic with a chance of `level`, by the percentile method. `statistic` is
/// given the places of a resample among the `count` seeds, with repetitions. The name distinguishes the streams of
/// several intervals. `None` for fewer than two seeds, or if the statistic has no value for a resample.
///
/// The interval is too narrow for few seeds: with 30, a 95 % interval holds in 93.5 % of cases; with fewer, in fewer.
///
/// # Panics
/// If `level` is not between 0 and 1.
pub fn interval(
    name: &str,
    count: usize,
    level: f64,
    mut statistic: impl FnMut(&[usize]) -> Option<f64>,
) -> Option<(f64, f64)> {
    assert!(level > 0.0 && level < 1.0, "a level lies between 0 and 1: {level}");
    if count < 2 {
        return None;
    }
    let mut random = stream(0, "bootstrap", name);
    let mut resample = vec![0; count];
    let mut one = || {
        for place in &mut resample {
            // A product of 64-bit numbers has the place in its upper half; the bias is below count / 2^64.
            let drawn = ((u128::from(random.next_u64()) * count as u128) >> 64) as u64;
            *place = usize::try_from(drawn).expect("a place below the count");
        }
        statistic(&resample)
    };
    let mut values = (0..RESAMPLES).map(|_| one()).collect::<Option<Vec<f64>>>()?;
    values.sort_unstable_by(f64::total_cmp);
    let cut = ((1.0 - level) / 2.0 * RESAMPLES as f64).floor() as usize;
    Some((values[cut.saturating_sub(1)], values[RESAMPLES - cut.max(1)]))
}

/// Returns the interval of the median of a number per seed.
#[must_use]
pub fn of_median(name: &str, values: &[f64], level: f64) -> Option<(f64, f64)> {
    interval(name, values.len(), level, |places| {
        let mut drawn: Vec<_> = places.iter().map(|place| values[*place]).collect();
        drawn.sort_unstable_by(f64::total_cmp);
        median(&drawn)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_is_repeatable_and_needs_two_seeds() {
        let values = [3.0, 1.0, 4.0, 1.5, 9.0, 2.6, 5.0];
        let interval = of_median("p99", &values, 0.95).unwrap();
        assert_eq!(Some(interval), of_median("p99", &values, 0.95));
        assert!(interval.0 <= 3.0 && interval.1 >= 3.0 && interval.0 < interval.1, "{interval:?}");
        assert_eq!(of_median("p99", &[3.0], 0.95), None);
        assert_eq!(of_median("p99", &[3.0, 3.0], 0.95), Some((3.0, 3.0)));
    }

    /// The interval of a mean against the true mean of uniform numbers, over 400 samples of 30. A correct interval
    /// holds in 95 %, less a little for the method. An interval of 50 % holds in half of the cases, so the count can
    /// fail on both sides.
    #[test]
    fn intervals_hold_as_often_as_they_say() {
        let covered = |level: f64| {
            let holds = |sample: &u32| {
                let mut random = stream(u64::from(*sample), "uniform", "test");
                let values: Vec<f64> =
                    (0..30).map(|_| (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64).collect();
                let mean =
                    |places: &[usize]| Some(places.iter().map(|place| values[*place]).sum::<f64>() / 30.0);
                interval("mean", 30, level, mean).is_some_and(|(low, high)| low <= 0.5 && 0.5 <= high)
            };
            f64::from((0..400).filter(holds).count() as u32) / 400.0
        };
        let (wide, half) = (covered(0.95), covered(0.5));
        println!("bootstrap: 95 % interval holds in {wide}, 50 % interval in {half}");
        assert!((0.90..0.98).contains(&wide) && (0.42..0.58).contains(&half), "{wide} {half}");
    }
}
