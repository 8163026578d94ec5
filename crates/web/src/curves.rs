//! Curves of a run that goes on.
//!
//! Invariant: a curve has at most 1,000 points. Once it would have more, two consecutive points become one, and from then on a point stands for
//! twice as many values. A report of progress has only the points that are new since the last, unless lines or points have changed: then
//! it has all.

use page::numbers::{FloatRange, Numbers};
use serde::Serialize;

/// Most points of a curve.
pub(crate) const MOST_POINTS: usize = 1000;

/// New points of the curves of a panel.
#[derive(Debug, Serialize)]
pub struct LivePanel {
    /// `goodput`, `queues`, `rates`, `marks`.
    pub id: &'static str,
    /// The lines, if they or points of before have changed: the points are then all. `None` if they go on.
    pub lines: Option<LiveLines>,
    /// Times in s.
    pub x: FloatRange,
    /// Values of each line, one for each time; not a number where there is none.
    pub y: Vec<FloatRange>,
}

/// Words and lines of a panel.
#[derive(Debug, Serialize)]
pub struct LiveLines {
    /// Heading.
    pub heading: &'static str,
    /// A sentence.
    pub about: &'static str,
    /// Unit of the values: `bit/s`, `B`, or `1/s`.
    pub unit: &'static str,
    /// Values behind each point; 1 if the lines have every value.
    pub samples_a_pair: usize,
    /// Lines.
    pub lines: Vec<LiveLine>,
}

/// A line of the curves so far.
#[derive(Debug, Serialize)]
pub struct LiveLine {
    /// Name of its subject.
    pub name: String,
    /// Kind of its subject: `flow`, `group`, `others`, `total`, `output`, `source`.
    pub kind: &'static str,
    /// True if the line is on at first.
    pub shown: bool,
}

/// Words of a panel.
#[derive(Debug)]
pub(crate) struct Words {
    pub(crate) id: &'static str,
    pub(crate) heading: &'static str,
    pub(crate) about: &'static str,
    pub(crate) unit: &'static str,
}

/// The way in which the values of two consecutive spans of time become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Joined {
    /// Their mean over time, of rates.
    Mean,
    /// The larger one, of queues.
    Larger,
    /// The later one.
    Later,
}

impl Joined {
    /// Joins two values, each with its span in s.
    fn of(self, one: (f64, f64), later: (f64, f64)) -> f64 {
        match self {
            Self::Mean => (one.0 * one.1 + later.0 * later.1) / (one.1 + later.1),
            Self::Larger => one.0.max(later.0),
            Self::Later => later.0,
        }
    }
}

/// A line that grows.
#[derive(Debug)]
struct Growing {
    /// Number of its subject, by which the caller knows it.
    subject: u32,
    y: Vec<f64>,
    /// Value of the point that is not complete.
    open: f64,
}

/// The curves of a panel.
#[derive(Debug)]
pub(crate) struct Curves {
    words: Words,
    joined: Joined,
    x: Vec<f64>,
    lines: Vec<Growing>,
    /// Values behind each point: a power of two.
    stride: usize,
    /// Values of the point that is not complete, and their span in s.
    open: usize,
    open_s: f64,
    /// Time of the last value.
    last_s: f64,
    /// Points that the page has.
    sent: usize,
    /// Lines that the page has, by their subjects.
    known: Vec<u32>,
}

impl Curves {
    /// Creates a panel without lines.
    pub(crate) fn new(words: Words, joined: Joined) -> Self {
        let (x, lines, known) = (Vec::new(), Vec::new(), Vec::new());
        Self { words, joined, x, lines, stride: 1, open: 0, open_s: 0.0, last_s: 0.0, sent: 0, known }
    }

    /// Adds a line. Its values up to now are `before`.
    pub(crate) fn add_line(&mut self, subject: u32, before: f64) {
        self.lines.push(Growing { subject, y: vec![before; self.x.len()], open: before });
    }

    /// Removes the line of a subject.
    pub(crate) fn remove(&mut self, subject: u32) {
        self.lines.retain(|line| line.subject != subject);
    }

    /// Returns the subjects of all lines, in the order in which they were added.
    pub(crate) fn subjects(&self) -> impl Iterator<Item = u32> {
        self.lines.iter().map(|line| line.subject)
    }

    /// Returns true if a line has a value.
    pub(crate) fn has_value(&self, subject: u32) -> bool {
        self.lines.iter().any(|line| line.subject == subject && line.y.iter().any(|y| !y.is_nan()))
    }

    /// Adds the value of every line at a time in s, later than the last.
    pub(crate) fn push(&mut self, time_s: f64, value: impl Fn(u32) -> f64) {
        let span_s = time_s - self.last_s;
        for line in &mut self.lines {
            let new = value(line.subject);
            let is_first = self.open == 0;
            line.open = if is_first { new } else { self.joined.of((line.open, self.open_s), (new, span_s)) };
        }
        self.last_s = time_s;
        self.open += 1;
        self.open_s += span_s;
        if self.open < self.stride {
            return;
        }
        (self.open, self.open_s) = (0, 0.0);
        self.x.push(time_s);
        self.lines.iter_mut().for_each(|line| line.y.push(line.open));
        if self.x.len() > MOST_POINTS {
            self.halve();
        }
    }

    /// Makes one point of two. The last, without a partner, becomes a point that is not complete.
    fn halve(&mut self) {
        let spans: Vec<f64> =
            [0.0].iter().chain(&self.x).zip(&self.x).map(|(before, at)| at - before).collect();
        if self.x.len() % 2 == 1 {
            self.x.pop();
            for line in &mut self.lines {
                line.open = line.y.pop().unwrap_or(f64::NAN);
            }
            (self.open, self.open_s) = (self.stride, spans[spans.len() - 1]);
        }
        self.x = self.x.chunks_exact(2).map(|pair| pair[1]).collect();
        let joined = self.joined;
        for line in &mut self.lines {
            let pairs = line.y.chunks_exact(2).zip(spans.chunks_exact(2));
            line.y = pairs.map(|(y, span)| joined.of((y[0], span[0]), (y[1], span[1]))).collect();
        }
        self.stride *= 2;
        self.known.clear();
    }

    /// Returns the new points of these lines, or all points; `None` if there is no point, or no line. Begins the next report.
    pub(crate) fn news(
        &mut self,
        shown: Vec<u32>,
        named: impl Fn(u32) -> LiveLine,
        numbers: &mut Numbers,
    ) -> Option<LivePanel> {
        if shown.is_empty() || self.x.is_empty() {
            return None;
        }
        let goes_on = shown == self.known;
        let from = if goes_on { self.sent } else { 0 };
        let lines = (!goes_on).then(|| LiveLines {
            heading: self.words.heading,
            about: self.words.about,
            unit: self.words.unit,
            samples_a_pair: self.stride,
            lines: shown.iter().map(|subject| named(*subject)).collect(),
        });
        let x = numbers.add(self.x[from..].iter().copied());
        let of = |subject: &u32| self.lines.iter().find(|line| line.subject == *subject);
        let y = shown.iter().filter_map(of).map(|line| numbers.add(line.y[from..].iter().copied())).collect();
        (self.sent, self.known) = (self.x.len(), shown);
        Some(LivePanel { id: self.words.id, lines, x, y })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curves(joined: Joined) -> Curves {
        let mut curves = Curves::new(Words { id: "p", heading: "", about: "", unit: "" }, joined);
        curves.add_line(7, 0.0);
        curves
    }

    /// Returns all points of the only line.
    fn points(curves: &mut Curves) -> Vec<(f64, f64)> {
        curves.known.clear();
        let mut numbers = Numbers::default();
        let name = |_| LiveLine { name: String::new(), kind: "flow", shown: true };
        curves.news(vec![7], name, &mut numbers).expect("there are points");
        let (x, y) = numbers.floats.split_at(numbers.floats.len() / 2);
        x.iter().copied().zip(y.iter().copied()).collect()
    }

    /// The mean over time of a curve is that of its values, however often it was halved and however uneven the steps are.
    #[test]
    fn a_thinned_curve_keeps_its_mean_or_its_largest_value() {
        let value = |at: usize| (at * 37 % 101) as f64;
        let time = |at: usize| (at + 1) as f64 + 0.3 * (at % 3) as f64;
        for count in [MOST_POINTS, MOST_POINTS + 1, 4 * MOST_POINTS, 5 * MOST_POINTS + 123] {
            let [mut mean, mut larger] = [Joined::Mean, Joined::Larger].map(curves);
            let (mut area, mut before) = (0.0, 0.0);
            let mut points_of_mean = 0;
            for at in 0..count {
                mean.push(time(at), |_| value(at));
                larger.push(time(at), |_| value(at));
                if mean.open == 0 {
                    points_of_mean = at + 1;
                }
            }
            for at in 0..points_of_mean {
                area += value(at) * (time(at) - before);
                before = time(at);
            }
            let (mut drawn, mut last) = (0.0, 0.0);
            let points_drawn = points(&mut mean);
            assert!(points_drawn.len() <= MOST_POINTS && points_drawn.len() > MOST_POINTS / 2 - 1);
            for (x, y) in points_drawn {
                drawn += y * (x - last);
                last = x;
            }
            assert!((drawn - area).abs() < 1e-6 * area, "{count}: {drawn} and {area}");
            let largest = points(&mut larger).into_iter().map(|point| point.1).fold(0.0, f64::max);
            assert!((largest - 100.0).abs() < f64::EPSILON, "{count}: {largest}");
        }
    }

    #[test]
    fn reports_together_are_the_curve() {
        let mut curves = curves(Joined::Later);
        let name = |_| LiveLine { name: String::new(), kind: "flow", shown: true };
        let mut seen: Vec<(f64, f64)> = Vec::new();
        let mut wholes = 0;
        for at in 0..2500 {
            curves.push(f64::from(at + 1), |_| f64::from(at));
            if at % 70 != 0 {
                continue;
            }
            let mut numbers = Numbers::default();
            let Some(panel) = curves.news(vec![7], name, &mut numbers) else { continue };
            if panel.lines.is_some() {
                (seen, wholes) = (Vec::new(), wholes + 1);
            }
            let (x, y) = numbers.floats.split_at(numbers.floats.len() / 2);
            seen.extend(x.iter().copied().zip(y.iter().copied()));
        }
        assert_eq!(wholes, 3, "at first, and after each time that points were joined");
        assert_eq!(seen[..], points(&mut curves)[..seen.len()]);
        assert!(seen.len() > 600);
    }
}
