//! `slowdown.svg`: quantiles of the slowdown of messages by their size.
//!
//! Invariant: a quantile that undelivered messages could change has no point. It has a bar from its lower to its upper
//! bound, or nothing without an upper bound. A note counts both.

use measures::censoring::quantile;
use results::RunFiles;
use results::format::grouped;
use results::rows::MessageTimes;

use super::engine::axis::number;
use super::engine::{Axis, Chart, Ink, Layer, Line, Panel, Reduction};
use super::fault::FigureFault;

/// Most distinct sizes that have a place of their own.
const SIZES: usize = 16;
const QUANTILES: [(&str, f64); 3] = [("p50", 0.5), ("p95", 0.95), ("p99", 0.99)];

/// Messages of about the same size.
struct SizeClass {
    /// Mean size in bytes.
    size: f64,
    /// Slowdowns of delivered messages, and of the others what they have reached already, lowest first.
    least: Vec<f64>,
    /// The same, where undelivered messages are endless.
    most: Vec<f64>,
}

impl SizeClass {
    fn of(messages: &[&MessageTimes]) -> Self {
        let size =
            messages.iter().map(|message| message.size_bytes as f64).sum::<f64>() / messages.len() as f64;
        let reached = |message: &&MessageTimes| match message.slowdown {
            Some(slowdown) => slowdown,
            None => (message.age_s.unwrap_or_default() * 1e6 / message.ideal_us).max(1.0),
        };
        let mut least: Vec<f64> = messages.iter().map(reached).collect();
        least.sort_unstable_by(f64::total_cmp);
        let most = if messages.iter().all(|message| message.slowdown.is_some()) {
            least.clone()
        } else {
            let mut most: Vec<f64> =
                messages.iter().map(|message| message.slowdown.unwrap_or(f64::INFINITY)).collect();
            most.sort_unstable_by(f64::total_cmp);
            most
        };
        Self { size, least, most }
    }

    /// Returns the lowest and the highest value that the quantile can have.
    fn bounds(&self, share: f64) -> Option<(f64, f64)> {
        Some((quantile(&self.least, share)?, quantile(&self.most, share)?))
    }

    /// Returns the quantile, if undelivered messages cannot change it.
    fn quantile(&self, share: f64) -> Option<f64> {
        self.bounds(share).filter(|(least, most)| least.total_cmp(most).is_eq()).map(|(_, most)| most)
    }

    /// Returns the bounds of the quantile, if undelivered messages could change it and it has an upper bound.
    fn interval(&self, share: f64) -> Option<(f64, f64)> {
        self.bounds(share).filter(|(least, most)| least < most && most.is_finite())
    }
}

pub(super) fn chart(files: RunFiles<'_>) -> Result<Chart, FigureFault> {
    let facts = files.summary()?;
    let messages = files.messages()?;
    if messages.iter().all(|message| message.slowdown.is_none()) {
        return Err(FigureFault::Empty("no message was delivered"));
    }
    let classes = classes(&messages);
    let line = |(place, (name, share)): (usize, &(&str, f64))| {
        let classes = || (0..).map(|place: u32| f64::from(place) + 0.5).zip(&classes);
        let points = classes().map(|(x, class)| (x, class.quantile(*share))).collect();
        let interval =
            |(x, class): (f64, &SizeClass)| class.interval(*share).map(|(low, high)| (x, low, high));
        let line = Line::new(*name, Ink::Palette(place), points);
        Line {
            intervals: classes().filter_map(interval).collect(),
            dots: true,
            reduction: Reduction::None,
            ..line
        }
    };
    let lines: Vec<Line> = QUANTILES.iter().enumerate().map(line).collect();
    let ends = lines.iter().flat_map(|line| &line.intervals).flat_map(|(_, low, high)| [*low, *high]);
    let values = lines.iter().flat_map(Line::drawn_values).chain(ends);
    let y = Axis::log("slowdown", values.chain([1.0]));
    let sizes = classes.iter().map(|class| number(class.size.round()));
    let x = Axis::of_names("message size (bytes), or the mean size of a class", sizes);
    let bars = lines.iter().map(|line| line.intervals.len()).sum::<usize>();
    let uncertain = lines.iter().flat_map(|line| &line.points).filter(|(_, y)| y.is_none()).count() - bars;
    let mut notes =
        vec![format!("Quantiles are those of all {} posted messages.", grouped(messages.len() as u64))];
    if bars > 0 {
        notes.push(format!(
            "{bars} quantiles are bars between bounds: messages that were not delivered could change them."
        ));
    }
    if uncertain > 0 {
        notes.push(format!(
            "{uncertain} quantiles are not drawn: messages that were not delivered could make them any longer."
        ));
    }
    let layers = lines.into_iter().map(Layer::Line).collect();
    Ok(Chart {
        title: format!("{}, {}: slowdown of messages by size", facts.scenario, facts.scheme()),
        description:
            "Quantiles by nearest rank of the completion time over that on the empty fabric, by message size."
                .to_owned(),
        panels: vec![Panel { title: String::new(), x, y, height: 300.0, layers }],
        columns: 1,
        notes,
        ..Chart::default()
    })
}

/// Returns the messages by size: each size where there are few, else three classes for each power of ten.
fn classes(messages: &[MessageTimes]) -> Vec<SizeClass> {
    let mut sorted: Vec<&MessageTimes> = messages.iter().collect();
    sorted.sort_by_key(|message| message.size_bytes);
    let sizes = sorted.chunk_by(|one, other| one.size_bytes == other.size_bytes).count();
    let class = |message: &MessageTimes| ((message.size_bytes.max(1) as f64).log10() * 3.0).floor() as i64;
    let together = |one: &&MessageTimes, other: &&MessageTimes| {
        if sizes <= SIZES { one.size_bytes == other.size_bytes } else { class(one) == class(other) }
    };
    sorted.chunk_by(together).map(SizeClass::of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(size: u64, slowdown: Option<f64>, age_us: f64) -> MessageTimes {
        let age_s = slowdown.is_none().then_some(age_us / 1e6);
        MessageTimes { flow: "".into(), size_bytes: size, fct_us: slowdown, slowdown, age_s, ideal_us: 1.0 }
    }

    #[test]
    fn a_quantile_that_the_undelivered_could_change_has_no_point() {
        let all = [
            message(1000, Some(1.0), 0.0),
            message(1000, Some(2.0), 0.0),
            message(1000, Some(3.0), 0.0),
            message(1000, None, 2.5),
        ];
        let classes = classes(&all);
        assert_eq!(classes.len(), 1);
        // The undelivered message is at least the third of four: the second is certain, the third is not.
        assert_eq!([0.5, 0.75, 1.0].map(|share| classes[0].quantile(share)), [Some(2.0), None, None]);
        assert_eq!([0.5, 0.75, 1.0].map(|share| classes[0].interval(share)), [None, Some((2.5, 3.0)), None]);
    }

    #[test]
    fn many_sizes_are_classed() {
        let all: Vec<_> = (1..=1000).map(|size| message(size, Some(1.0), 0.0)).collect();
        let classes = classes(&all);
        assert_eq!(classes.len(), 10);
        assert_eq!(classes.iter().map(|class| class.least.len()).sum::<usize>(), 1000);
    }
}
