//! Distributions of message sizes: `SIZE CUMULATIVE` a line, sizes in bytes.
//!
//! Invariant: sizes and shares do not descend, and the last share is 1. Sizes are uniformly distributed between two
//! points (linear interpolation), and the share at the first point belongs to its size alone.
//!
//! | dialect | last line | of |
//! |---|---|---|
//! | percent | `30000000 100` | HPCC's `traffic_gen` |
//! | fraction | `30000000 1` | `cdf.c` of HKUST's traffic generator, and its descendants |

use rand::Rng;
use units::Bytes;
use units::words::{Word, lines};

use super::flaw::{Flaw, number, wrong_number};
use crate::chance::unit;
use crate::error::FileFault;
use crate::limits::LONGEST_MESSAGE;

/// A piecewise linear distribution.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SizeCdf {
    points: Vec<CdfPoint>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct CdfPoint {
    /// Size of a message, in bytes.
    size: f64,
    /// Share of messages that are no longer than `size`, 0 to 1.
    share: f64,
}

impl SizeCdf {
    /// Reads either dialect; the last line tells them apart.
    pub(crate) fn read(text: &str) -> Result<Self, Flaw> {
        let mut points: Vec<CdfPoint> = Vec::new();
        let mut last = None;
        for words in lines(text) {
            let [size, share] = words[..] else {
                let (given, expected) = (words.len(), "two, a size in bytes and its cumulative share");
                return Err(Flaw::line(&words, FileFault::Columns { given, expected }));
            };
            let point = CdfPoint {
                size: amount(size, "a size in bytes")?,
                share: amount(share, "a cumulative share")?,
            };
            if let Some(before) = points.last() {
                rises(size, point.size, before.size, "sizes")?;
                rises(share, point.share, before.share, "cumulative shares")?;
            }
            points.push(point);
            last = Some((size, share));
        }
        let (Some((size, share)), Some(&end)) = (last, points.last()) else {
            return Err(Flaw::empty(text, "a size and a cumulative share a line"));
        };
        if end.share != 1.0 && end.share != 100.0 {
            return Err(Flaw::word(share, FileFault::LastShare { given: end.share }));
        }
        if end.size < 1.0 || end.size > LONGEST_MESSAGE.get() as f64 {
            return Err(Flaw::word(size, FileFault::LongestSize { given: end.size }));
        }
        for point in &mut points {
            point.share /= end.share;
        }
        Ok(Self { points })
    }

    /// Mean size in bytes of the distribution as written; draws are rounded to whole bytes, at least to 1 B.
    pub(crate) fn mean(&self) -> f64 {
        let first = self.points[0];
        let parts = self.points.windows(2).map(|ends| {
            let [from, to] = [ends[0], ends[1]];
            (to.share - from.share) * (from.size + to.size) / 2.0
        });
        first.share * first.size + parts.sum::<f64>()
    }

    pub(crate) fn longest(&self) -> Bytes {
        whole(self.points[self.points.len() - 1].size)
    }

    /// Draws a size, by operations that IEEE 754 rounds correctly, so that machines agree.
    pub(crate) fn draw(&self, random: &mut impl Rng) -> Bytes {
        let at = unit(random.next_u64());
        // The last share is 1 and a draw is below 1, so a point with a greater share exists.
        let next = self.points.partition_point(|point| point.share <= at);
        let to = self.points[next];
        let Some(from) = next.checked_sub(1).map(|before| self.points[before]) else { return whole(to.size) };
        whole(from.size + (to.size - from.size) * (at - from.share) / (to.share - from.share))
    }
}

fn whole(size: f64) -> Bytes {
    Bytes::new((size.round() as u64).max(1))
}

fn amount(word: Word<'_>, expected: &'static str) -> Result<f64, Flaw> {
    const RIGHT: &str = "a number of at least 0";
    let number: f64 = number(word, expected, RIGHT)?;
    if number.is_finite() && number >= 0.0 { Ok(number) } else { Err(wrong_number(word, expected, RIGHT)) }
}

fn rises(word: Word<'_>, given: f64, before: f64, column: &'static str) -> Result<(), Flaw> {
    if given < before {
        Err(Flaw::word(word, FileFault::Descending { given, before, column }))
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::FileError;

    const PERCENT: &str = "# bytes  percent\n0 0\n1000 20\n10000 60\n\n1000000 100\n";
    const FRACTION: &str = "0 0\n1000 0.2\n10000 0.6\n1000000 1\n";

    /// 0.2 x 500 + 0.4 x 5,500 + 0.4 x 505,000.
    #[test]
    fn both_dialects_mean_the_same() {
        let (percent, fraction) = (SizeCdf::read(PERCENT).unwrap(), SizeCdf::read(FRACTION).unwrap());
        assert!((percent.mean() - 204_300.0).abs() < 1e-6, "{}", percent.mean());
        assert!((fraction.mean() - percent.mean()).abs() < 1e-6);
        assert_eq!(percent.longest(), Bytes::new(1_000_000));
    }

    /// Shares at and between the points; five standard deviations of a share found in n draws.
    #[test]
    fn draws_follow_the_curve() {
        let cdf = SizeCdf::read(PERCENT).unwrap();
        let mut random = event_kernel::stream(1, "cdf", "test");
        let n = 200_000;
        let draws: Vec<u64> = (0..n).map(|_| cdf.draw(&mut random).get()).collect();
        for (size, p) in [(500, 0.1), (1000, 0.2), (5500, 0.4), (10_000, 0.6), (505_000, 0.8_f64)] {
            let found = draws.iter().filter(|draw| **draw <= size).count() as f64 / f64::from(n);
            assert!((found - p).abs() < 5.0 * (p * (1.0 - p) / f64::from(n)).sqrt(), "{size}: {found}");
        }
        assert!(draws.iter().all(|draw| (1..=1_000_000).contains(draw)));
    }

    /// A share at the first point belongs to a single size, as does a share where the curve goes straight up.
    #[test]
    fn steps_are_single_sizes() {
        let cdf = SizeCdf::read("64 0.5\n4096 0.5\n4096 1\n").unwrap();
        let mut random = event_kernel::stream(1, "cdf", "test");
        let draws: Vec<u64> = (0..1000).map(|_| cdf.draw(&mut random).get()).collect();
        assert!(draws.iter().all(|draw| [64, 4096].contains(draw)));
        let short = draws.iter().filter(|draw| **draw == 64).count();
        assert!((420..580).contains(&short), "{short}");
        assert_eq!(cdf.mean(), 2080.0);
    }

    #[test]
    fn faults_are_reported_with_their_place() {
        let flaw = |text: &str| {
            let FileError::InFile(found) = SizeCdf::read(text).unwrap_err().in_file("f", text) else {
                unreachable!()
            };
            (found.line, found.column, format!("{}: {}", found.fault, found.fault.help()))
        };
        let said = |line, column, text: &str| (line, column, text.to_owned());
        assert_eq!(flaw("# none\n").2, "the file is empty: write a size and a cumulative share a line");
        assert_eq!(
            flaw("0 0\n 5 1 1\n"),
            said(2, 2, "this line has 3 columns: write two, a size in bytes and its cumulative share")
        );
        assert_eq!(
            flaw("0 0\n1k 100\n"),
            said(2, 1, "`1k` is not a size in bytes: write a number of at least 0")
        );
        assert_eq!(
            flaw("0 0\n9 60\n20 50\n"),
            said(
                3,
                4,
                "50 is less than 60 in the line before: write 60 or more, since cumulative shares never descend"
            )
        );
        assert_eq!(
            flaw("0 0\n9 99.9\n"),
            said(
                2,
                3,
                "the last cumulative share is 99.9: end with 1, or with 100 where shares are percentages"
            )
        );
        assert_eq!(flaw("0 0\n0 1\n").0, 2);
        assert_eq!(flaw("0 0\n4e9 1\n").1, 1);
        assert_eq!(flaw("0 0\nnan 1\n").1, 1);
    }
}
