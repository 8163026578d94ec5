//! Steady state of a series: the end of its warm-up, and whether the rest is stationary.
//!
//! Invariant: a series has a mean only if its warm-up ends in its first half, and the rest shows no trend. Else it has
//! the reason for which it has none.
//!
//! Warm-up: MSER-5 (White 1997, "An effective truncation heuristic for bias reduction in simulation output"; White,
//! Cobb and Spratt 2000). The series is averaged in batches of five samples. Of `n` batches, the first `d` are cut for
//! which the squared standard error of the mean of the rest is smallest:
//!
//! ```text
//! d = argmin  sum over i >= d of (Z[i] - mean of Z[d..])^2 / (n - d)^2
//! ```
//!
//! A series for which that is more than half was too short. The last quarter is not searched, where a few batches look
//! quiet by chance. Hoad, Robinson and Davies 2010, "Automating warm-up length estimation", leave out the last batches
//! for the same reason. Chance does that before too. Of stationary series, MSER-5 would refuse 44 % with 50 samples, 12
//! % with 100 samples, 2 % with 200 samples. So a series is refused only if the test below finds it not stationary as a
//! whole; else nothing is cut.
//!
//! Stationarity: the rest is averaged in 20 batches, and von Neumann's ratio compares neighbours with all
//! ("Distribution of the ratio of the mean square successive difference to the variance", 1941). Fishman 1978,
//! "Grouping observations in digital simulation", applies it to batch means. Trends and jumps, and waves longer than a
//! batch, make neighbours too alike:
//!
//! ```text
//! C = 1 - sum of (Y[j+1] - Y[j])^2 / (2 sum of (Y[j] - mean)^2)
//! ```
//!
//! For 20 independent batches C has mean 0 and variance 18/399, and is nearly normal (Young 1941). A series is not
//! stationary if C is above the 99 % quantile, and the drift is above 1 % of the mean. Without the second rule, a run
//! of a few thousand samples would show drifts that change nothing. The drift is four times the largest deviation of
//! the cumulated sums from a straight line, over the length. That is the height of a step in the middle that deviates
//! as much.

use schemars::JsonSchema;
use serde::Serialize;
use telemetry::{Phase, RunRecord, SeriesColumn};

use crate::samples::Samples;
use crate::statistics;

/// Samples in a batch of MSER-5.
const BATCH: usize = 5;
/// Smallest number of samples that a warm-up is looked for in: ten batches.
pub const FEWEST_SAMPLES: usize = 10 * BATCH;
/// Number of batches that are compared with their neighbours.
const COMPARED: usize = 20;
/// The 0.99 quantile of the normal distribution.
const Z_99: f64 = 2.326_347_874_040_841;
/// Largest drift of a series that counts as stationary, as a share of its mean.
pub const SMALL_DRIFT: f64 = 0.01;

/// A series after its warm-up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SteadyState {
    /// Number of samples cut at the beginning.
    pub warm_up: usize,
    /// Number of samples left.
    pub samples: usize,
    /// Mean of these.
    pub mean: f64,
    /// Their drift, as a share of the mean.
    pub drift: f64,
}

/// Reason for which a series has no steady state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum Unsteady {
    /// The series is too short: fewer than 50 samples.
    #[error("fewer than {FEWEST_SAMPLES} samples")]
    FewSamples,
    /// The warm-up takes more than half of the series.
    #[error("goodput settles late or never; the warm-up (MSER-5) would take more than half")]
    WarmingUp,
    /// What is left after the warm-up has a trend, a jump, or waves longer than a twentieth of it.
    #[error("goodput is not stationary; it drifts, jumps or swings slowly")]
    NotStationary,
}

/// Goodput of all flows together in the steady state of a phase, from the samples within the phase.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SteadyInPhase {
    /// Time from the start of the first sample to the end of the warm-up; `None` without a steady state.
    pub warm_up_s: Option<f64>,
    /// Mean goodput after the warm-up; `None` without a steady state.
    pub goodput_bps: Option<f64>,
    /// Reason for which there is no steady state.
    pub reason: Option<Unsteady>,
}

impl SteadyInPhase {
    /// Returns the steady state of a phase of a run.
    #[must_use]
    pub fn of(record: &RunRecord, phase: &Phase) -> Self {
        let series = &record.series;
        let interval = series.interval;
        let total = series.place(SeriesColumn::Total);
        let samples = total.map_or_else(Vec::new, |total| Samples::of_phase(series, phase).bytes(&[total]));
        match steady_state(&samples) {
            Ok(SteadyState { warm_up, mean, .. }) => Self {
                warm_up_s: Some((interval * warm_up as u64).seconds()),
                goodput_bps: Some((mean * 8.0 / interval.seconds()).round()),
                reason: None,
            },
            Err(reason) => Self { warm_up_s: None, goodput_bps: None, reason: Some(reason) },
        }
    }
}

/// Returns the number of samples that MSER-5 cuts at the beginning of a series.
///
/// # Errors
/// If the series is too short, or warms up for more than half of it.
pub fn warm_up(series: &[f64]) -> Result<usize, Unsteady> {
    if series.len() < FEWEST_SAMPLES {
        return Err(Unsteady::FewSamples);
    }
    let batches = means(series, BATCH);
    let count = batches.len();
    let searched = count - count / 4;
    // From the last batch to the first, by Welford's update, which has exactly no deviation over equal values.
    let (mut center, mut squares, mut best) = (0.0, 0.0, (f64::INFINITY, 0));
    for cut in (0..count).rev() {
        let left = (count - cut) as f64;
        let step = batches[cut] - center;
        center += step / left;
        squares += step * (batches[cut] - center);
        let error = squares / (left * left);
        if cut <= searched && error <= best.0 {
            best = (error, cut);
        }
    }
    match best.1 {
        cut if cut <= count / 2 => Ok(cut * BATCH),
        _ if has_alike_neighbours(series) => Err(Unsteady::WarmingUp),
        _ => Ok(0),
    }
}

/// Returns the steady state of a series.
///
/// # Errors
/// If it has none.
pub fn steady_state(series: &[f64]) -> Result<SteadyState, Unsteady> {
    let warm_up = warm_up(series)?;
    let rest = &series[warm_up..];
    let (mean, drift) = (mean(rest), drift(rest));
    if drift > SMALL_DRIFT && has_alike_neighbours(rest) {
        return Err(Unsteady::NotStationary);
    }
    Ok(SteadyState { warm_up, samples: rest.len(), mean, drift })
}

/// Returns true if neighbours among 20 batches are more alike than neighbours of independent batches: von Neumann's
/// ratio.
fn has_alike_neighbours(series: &[f64]) -> bool {
    let batches = means(series, (series.len() / COMPARED).max(1));
    // Short series have up to 39 batches.
    let count = batches.len() as f64;
    let center = mean(&batches);
    let squares: f64 = batches.iter().map(|batch| (batch - center).powi(2)).sum();
    let steps: f64 = batches.windows(2).map(|pair| (pair[1] - pair[0]).powi(2)).sum();
    let alike = 1.0 - steps / (2.0 * squares);
    squares > 0.0 && alike > Z_99 * ((count - 2.0) / (count * count - 1.0)).sqrt()
}

/// Returns the drift of a series as a share of its mean; 0 if the series is zero throughout.
fn drift(series: &[f64]) -> f64 {
    let center = mean(series);
    let (mut sum, mut largest) = (0.0, 0.0_f64);
    for value in series {
        sum += value - center;
        largest = largest.max(f64::abs(sum));
    }
    if largest == 0.0 { 0.0 } else { 4.0 * largest / (series.len() as f64 * center.abs()) }
}

/// Returns the means of batches of `batch` values each. Values at the end that fill no batch are left out.
#[must_use]
pub fn means(series: &[f64], batch: usize) -> Vec<f64> {
    series.chunks_exact(batch).map(mean).collect()
}

/// Returns the mean of a stretch, which is never empty here.
fn mean(values: &[f64]) -> f64 {
    statistics::mean(values).unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns white noise of mean 0, uniform between -1 and 1: the bits of a multiplicative generator.
    fn noise(seed: u64, count: usize) -> Vec<f64> {
        let mut state = u128::from(seed) << 1 | 1;
        let draw = || {
            state = state.wrapping_mul(0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645);
            2.0 * ((state >> 75) as f64 / (1u64 << 53) as f64) - 1.0
        };
        std::iter::repeat_with(draw).skip(8).take(count).collect()
    }

    fn series(of: impl Fn(usize, f64) -> f64, count: usize) -> Vec<f64> {
        noise(1, count).into_iter().enumerate().map(|(place, noise)| of(place, noise)).collect()
    }

    #[test]
    fn a_start_that_is_off_is_cut() {
        let step = series(|place, noise| if place < 100 { 5.0 } else { 10.0 } + noise, 1000);
        let steady = steady_state(&step).unwrap();
        // Noise may make it a few batches more, and never less than the step.
        assert!((100..=200).contains(&steady.warm_up), "{steady:?}");
        assert!((steady.mean - 10.0).abs() < 0.1 && steady.warm_up + steady.samples == 1000, "{steady:?}");
        let decay = series(|place, noise| 10.0 + 50.0 * (-(place as f64) / 40.0).exp() + noise, 2000);
        let cut = warm_up(&decay).unwrap();
        assert!((100..400).contains(&cut), "{cut}");
    }

    /// Samples of 1 ms: 20 of the first phase, then 100 of the second, which rises for its first 10 ms.
    #[test]
    fn a_phase_has_the_samples_that_lie_within_it() {
        let ms = |ms: u64| units::Span::from_us(1000 * ms).after_start();
        let row = |sample: u64| vec![units::Bytes::new(if sample < 30 { 1000 } else { 5000 })];
        let mut record = RunRecord::default();
        record.series.interval = units::Span::from_us(1000);
        record.series.columns = vec![SeriesColumn::Total];
        record.series.rows = (0..120).map(row).collect();
        let of = |from, to| SteadyInPhase::of(&record, &Phase::new(String::new(), from, to));
        let steady = of(ms(20), ms(120));
        // 5,000 bytes in 1 ms.
        let expected = SteadyInPhase { warm_up_s: Some(0.01), goodput_bps: Some(40e6), reason: None };
        assert_eq!(steady, expected);
        let off = units::Span::from_us(300);
        assert_eq!(of(ms(20) - off, ms(120) + off), expected);
        assert_eq!(of(ms(0), ms(20)).reason, Some(Unsteady::FewSamples));
        assert_eq!(of(ms(0), ms(55)).reason, Some(Unsteady::WarmingUp));
    }

    /// The formula of the module, term by term.
    #[test]
    fn the_cut_is_the_one_of_the_formula() {
        let series: Vec<_> = (0..200).map(|i| 100.0 / f64::from(i + 1) + f64::from(i * 7919 % 13)).collect();
        let batches = means(&series, 5);
        let error = |cut: usize| {
            let rest = &batches[cut..];
            let mean = mean(rest);
            rest.iter().map(|batch| (batch - mean).powi(2)).sum::<f64>() / (rest.len() as f64).powi(2)
        };
        let best = (0..=30).min_by(|a, b| error(*a).total_cmp(&error(*b))).unwrap();
        assert_eq!(warm_up(&series), Ok(5 * best));
        assert!(best > 0);
    }

    #[test]
    fn a_constant_series_is_steady_from_its_start() {
        let constant = SteadyState { warm_up: 0, samples: 60, mean: 0.1, drift: 0.0 };
        let steady = steady_state(&[0.1; 60]).unwrap();
        assert_eq!((steady.warm_up, steady.samples), (constant.warm_up, constant.samples));
        assert!(steady.drift < 1e-12);
        assert_eq!(steady_state(&[0.0; 60]).unwrap().mean, 0.0);
        let jump = [vec![7.0; 20], vec![3.0; 60]].concat();
        assert_eq!(steady_state(&jump).map(|steady| (steady.warm_up, steady.mean)), Ok((20, 3.0)));
    }

    #[test]
    fn a_series_that_is_too_short_or_never_settles_has_no_mean() {
        assert_eq!(steady_state(&[1.0; 49]), Err(Unsteady::FewSamples));
        let late = series(|place, noise| if place < 600 { 5.0 } else { 10.0 } + 0.1 * noise, 1000);
        assert_eq!(steady_state(&late), Err(Unsteady::WarmingUp));
        let swing = series(|place, noise| 10.0 + (place as f64 / 100.0).sin() + noise, 1000);
        assert_eq!(steady_state(&swing), Err(Unsteady::NotStationary));
        let small = series(|place, noise| 1000.0 + (place as f64 / 100.0).sin() + noise, 1000);
        assert!(steady_state(&small).is_ok_and(|steady| steady.drift < SMALL_DRIFT));
    }

    /// Short series of independent samples, in which MSER-5 alone would see a late end of the warm-up in 44, 12 and 2
    /// of a hundred.
    #[test]
    fn few_short_stationary_series_are_refused() {
        for samples in [50, 100, 200] {
            let one = |seed: &u64| {
                let series: Vec<_> =
                    noise(seed * 7919 + 1, samples).iter().map(|noise| 10.0 + noise).collect();
                steady_state(&series).is_err()
            };
            let refused = (0..2000).filter(one).count() as f64 / 2000.0;
            println!("{samples} samples: {refused} of stationary series refused");
            assert!(refused < 0.03, "{samples}: {refused}");
        }
    }

    /// Of stationary series, one in a hundred is refused for its neighbours. Of series with a trend of two deviations from
    /// start to end, nearly all are refused.
    #[test]
    fn one_stationary_series_in_a_hundred_is_refused() {
        let refused = |trend: f64| {
            let one = |seed: u64| {
                let noise = noise(seed * 7919 + 1, 400);
                let with_trend = |(place, noise): (usize, &f64)| noise + trend * place as f64 / 400.0;
                has_alike_neighbours(&noise.iter().enumerate().map(with_trend).collect::<Vec<_>>())
            };
            (0..4000).filter(|seed| one(*seed)).count()
        };
        let [level, power] = [refused(0.0), refused(1.2)].map(|refused| refused as f64 / 4000.0);
        println!("refused: {level} of stationary series, {power} with a trend");
        assert!((0.004..0.016).contains(&level) && power > 0.9, "{level} {power}");
    }
}
