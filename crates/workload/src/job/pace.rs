//! Lengths of computations: the program's, times the rank's factor, with noise.
//!
//! Invariant: a length depends on the job's name and seed, the rank, the iteration and the operation alone, not on
//! time. Two designs of a fabric therefore meet equal computations, and nothing has to be saved.

use event_kernel::{Stream, finalise, stream};
use rand::Rng;
use units::Span;

use crate::chance::{exponential, unit};

/// Random differences between computations of equal length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Noise {
    /// None.
    #[default]
    None,
    /// Up to this many millionths longer or shorter.
    Uniform(u64),
    /// Longer by an exponentially distributed time of this mean.
    Exponential(Span),
}

/// The pace at which a rank computes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pace {
    /// Length of a computation in millionths of the program's; 0 stands for the program's own.
    pub(super) factor: u64,
    pub(super) noise: Noise,
    /// Number drawn for the rank.
    key: u64,
}

/// Millionths of a whole.
pub(crate) const WHOLE: u64 = 1_000_000;

/// 2^64 divided by the golden ratio: the step of `SplitMix64`.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

impl Pace {
    /// The pace of a rank. `factor` is in millionths.
    #[must_use]
    pub fn new((seed, job, rank): (u64, &str, u32), factor: u64, noise: Noise) -> Self {
        let key = match noise {
            Noise::None => 0,
            Noise::Uniform(_) | Noise::Exponential(_) => {
                stream(seed, "compute noise", &format!("{job}:{rank}")).next_u64()
            }
        };
        Self { factor: if factor == WHOLE { 0 } else { factor }, noise, key }
    }

    /// Returns the length of an operation whose program says `span`. A computation that takes time in the program
    /// takes at least a picosecond.
    #[must_use]
    pub fn length(&self, span: Span, iteration: u32, operation: u32) -> Span {
        if span == Span::ZERO || (self.factor == 0 && self.noise == Noise::None) {
            return span;
        }
        let scaled = if self.factor == 0 { span } else { share(span, self.factor) };
        let with_noise = match self.noise {
            Noise::None => scaled,
            Noise::Uniform(most) => {
                let drawn = unit(self.draw(iteration, operation).next_u64());
                // From 1 - most to 1 + most.
                let millionths = (WHOLE - most) as f64 + drawn * (2 * most) as f64;
                share(scaled, millionths.round() as u64)
            }
            Noise::Exponential(mean) => {
                let drawn = exponential(&mut self.draw(iteration, operation));
                Span::from_ps(scaled.ps().saturating_add((drawn * mean.ps() as f64).round() as u64))
            }
        };
        with_noise.max(Span::from_ps(1))
    }

    /// Returns a bound of the length of any operation whose program says `span`, in picoseconds.
    #[must_use]
    pub fn at_most(&self, span: Span) -> u128 {
        if span == Span::ZERO {
            return 0;
        }
        let factor = if self.factor == 0 { WHOLE } else { self.factor };
        let scaled = u128::from(span.ps()) * u128::from(factor) / u128::from(WHOLE) + 1;
        scaled
            + match self.noise {
                Noise::None => 0,
                Noise::Uniform(_) => scaled,
                // A draw has 53 bits: no more than 37 means.
                Noise::Exponential(mean) => 37 * u128::from(mean.ps()),
            }
    }

    /// The stream of an operation, seeded as named streams are, from numbers instead of a name.
    fn draw(&self, iteration: u32, operation: u32) -> Stream {
        let hash = finalise(self.key ^ (u64::from(iteration) << 32 | u64::from(operation)));
        let word = |turn: u64| u128::from(finalise(hash.wrapping_add(GOLDEN.wrapping_mul(turn))));
        Stream::new(word(2) << 64 | word(1))
    }
}

/// Returns this many millionths of a span, to the nearest picosecond.
fn share(span: Span, millionths: u64) -> Span {
    let ps = (u128::from(span.ps()) * u128::from(millionths) + u128::from(WHOLE / 2)) / u128::from(WHOLE);
    Span::from_ps(u64::try_from(ps).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPAN: Span = Span::from_ps(1_000_000);

    fn lengths(pace: &Pace) -> Vec<u64> {
        (0..100_u32)
            .flat_map(|i| (0..100).map(move |id| (i, id)))
            .map(|(i, id)| pace.length(SPAN, i, id).ps())
            .collect()
    }

    fn mean(lengths: &[u64]) -> f64 {
        lengths.iter().sum::<u64>() as f64 / lengths.len() as f64
    }

    /// Without noise a length is the program's times the factor, and a join takes no time under any noise.
    #[test]
    fn lengths_are_scaled() {
        let pace = |factor, noise| Pace::new((1, "A", 3), factor, noise);
        assert_eq!(pace(WHOLE, Noise::None).length(SPAN, 0, 0), SPAN);
        assert_eq!(Pace::default().length(SPAN, 7, 7), SPAN);
        assert_eq!(pace(1_500_000, Noise::None).length(SPAN, 0, 0), SPAN + Span::from_ps(500_000));
        assert_eq!(pace(1, Noise::None).length(Span::from_ps(3), 0, 0), Span::from_ps(1), "never nothing");
        for noise in [Noise::None, Noise::Uniform(WHOLE), Noise::Exponential(SPAN)] {
            assert_eq!(pace(2 * WHOLE, noise).length(Span::ZERO, 0, 0), Span::ZERO);
        }
    }

    /// 10,000 uniform draws of a half-width of 5 % have a mean within five standard deviations of 0.029 %, and an
    /// exponential one within five of 1 %.
    #[test]
    fn noise_has_its_distribution() {
        let uniform = lengths(&Pace::new((1, "A", 3), WHOLE, Noise::Uniform(50_000)));
        assert!((mean(&uniform) / 1e6 - 1.0).abs() < 5.0 * 0.000_289, "{}", mean(&uniform));
        let (least, most) = (uniform.iter().min().unwrap(), uniform.iter().max().unwrap());
        assert!(
            (950_000..951_000).contains(least) && (1_049_000..=1_050_000).contains(most),
            "{least} {most}"
        );
        let longer = lengths(&Pace::new((1, "A", 3), WHOLE, Noise::Exponential(Span::from_ps(20_000))));
        assert!(((mean(&longer) - 1e6) / 2e4 - 1.0).abs() < 0.05, "{}", mean(&longer));
        assert!(longer.iter().all(|ps| *ps >= 1_000_000));
    }

    /// Seed, job, rank, iteration and operation each make a draw of its own; equal ones make the same.
    #[test]
    fn draws_depend_on_their_names_alone() {
        let noise = Noise::Uniform(50_000);
        let drawn = |seed, job, rank| Pace::new((seed, job, rank), WHOLE, noise).length(SPAN, 1, 1);
        assert_eq!(drawn(1, "A", 0), drawn(1, "A", 0));
        let mut all = vec![drawn(1, "A", 0), drawn(2, "A", 0), drawn(1, "B", 0), drawn(1, "A", 1)];
        all.extend((2..50).map(|i| Pace::new((1, "A", 0), WHOLE, noise).length(SPAN, i, 1)));
        all.extend((2..50).map(|id| Pace::new((1, "A", 0), WHOLE, noise).length(SPAN, 1, id)));
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert!(all.len() + 2 >= count, "of {count} draws from 100,000 numbers, {} differ", all.len());
    }
}
