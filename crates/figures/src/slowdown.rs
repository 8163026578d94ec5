//! `slowdown.svg`: quantiles of the slowdown of messages by their size, or by their group if all have the same size.
//!
//! Invariant: a quantile that undelivered messages could change has no point. It has a bar from its lower to its upper
//! bound, or an arrow from its lower bound upwards. A note counts both.

use std::collections::BTreeMap;

use measures::censoring::quantile;
use results::format::grouped;
use results::reader::{ReadError, RunFiles};
use results::rows::{FlowRow, MessageTimes};
use results::table::TableRow;

use super::engine::axis::number;
use super::engine::{Axis, Chart, Ink, Layer, Line, Panel, Reduction};
use super::fault::FigureFault;
use super::gathered::by_object;

/// Most distinct sizes that have a place of their own.
const SIZES: usize = 16;
const QUANTILES: [(&str, f64); 3] = [("p50", 0.5), ("p95", 0.95), ("p99", 0.99)];

/// Horizontal distance of the quantiles of a class, which would hide each other, as a share of its width.
const APART: f64 = 0.08;

/// Messages of about the same size, or of a group.
struct MessageClass {
    name: String,
    /// Slowdowns of delivered messages, and of the others what they have reached already, lowest first.
    least: Vec<f64>,
    /// The same, where undelivered messages are endless.
    most: Vec<f64>,
}

impl MessageClass {
    fn by_size(messages: &[&MessageTimes]) -> Self {
        let size =
            messages.iter().map(|message| message.size_bytes as f64).sum::<f64>() / messages.len() as f64;
        Self::of(number(size.round()), messages)
    }

    fn of(name: String, messages: &[&MessageTimes]) -> Self {
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
        Self { name, least, most }
    }

    /// Returns the lowest and the highest value that the quantile can have.
    fn bounds(&self, share: f64) -> Option<(f64, f64)> {
        Some((quantile(&self.least, share)?, quantile(&self.most, share)?))
    }

    /// Returns the quantile, if undelivered messages cannot change it.
    fn quantile(&self, share: f64) -> Option<f64> {
        self.bounds(share).filter(|(least, most)| least.total_cmp(most).is_eq()).map(|(_, most)| most)
    }

    /// Returns the bounds of the quantile, if undelivered messages could change it; the upper one may be infinite.
    fn interval(&self, share: f64) -> Option<(f64, f64)> {
        self.bounds(share).filter(|(least, most)| least < most)
    }
}

pub(super) fn chart(files: RunFiles<'_>) -> Result<Chart, FigureFault> {
    let facts = files.summary()?;
    let messages = files.messages()?;
    if messages.iter().all(|message| message.slowdown.is_none()) {
        return Err(FigureFault::Empty("no message was delivered"));
    }
    let classes = Classes::of(&messages, files)?;
    let line = |(place, (name, share)): (usize, &(&str, f64))| {
        let shift = (place as f64 - (QUANTILES.len() - 1) as f64 / 2.0) * APART;
        let all = || (0..).map(|place: u32| f64::from(place) + 0.5 + shift).zip(&classes.all);
        let points = all().map(|(x, class)| (x, class.quantile(*share))).collect();
        let interval =
            |(x, class): (f64, &MessageClass)| class.interval(*share).map(|(low, high)| (x, low, high));
        let line = Line::new(*name, Ink::Palette(place), points);
        Line {
            intervals: all().filter_map(interval).collect(),
            dots: true,
            reduction: Reduction::None,
            ..line
        }
    };
    let mut lines: Vec<Line> = QUANTILES.iter().enumerate().map(line).collect();
    if !classes.are_sizes {
        // Groups have no order that a line could follow.
        for line in &mut lines {
            line.points = line.points.drain(..).flat_map(|(x, y)| [(x, y), (x, None)]).collect();
        }
    }
    let ends = lines.iter().flat_map(|line| &line.intervals).flat_map(|(_, low, high)| [*low, *high]);
    let values = lines.iter().flat_map(Line::drawn_values).chain(ends);
    let y = Axis::log("slowdown", values.chain([1.0]));
    let x = Axis::of_names(classes.label(), classes.all.iter().map(|class| class.name.clone()));
    let notes = notes(&messages, &lines, &classes);
    let layers = lines.into_iter().map(Layer::Line).collect();
    // A lone class has no more to show than its three quantiles.
    let height = if classes.all.len() > 1 { 300.0 } else { 150.0 };
    Ok(Chart {
        title: format!("{}, {}: {}", facts.scenario, facts.scheme(), classes.title()),
        description:
            "Quantiles by nearest rank of the completion time over that on the empty fabric, by message size, or by group."
                .to_owned(),
        panels: vec![Panel { title: String::new(), x, y, height, layers }],
        columns: 1,
        notes,
        ..Chart::default()
    })
}

fn notes(messages: &[MessageTimes], lines: &[Line], classes: &Classes) -> Vec<String> {
    let mut notes =
        vec![format!("Quantiles are those of all {} posted messages.", grouped(messages.len() as u64))];
    let intervals = || lines.iter().flat_map(|line| &line.intervals);
    let bars = intervals().filter(|(_, _, high)| high.is_finite()).count();
    if bars > 0 {
        notes.push(format!(
            "{bars} quantiles are bars between bounds: messages that were not delivered could change them."
        ));
    }
    let open = intervals().count() - bars;
    if open > 0 {
        notes.push(format!(
            "{open} quantiles are arrows from a lower bound: messages that were not delivered could make them any longer."
        ));
    }
    if classes.all.len() == 1 {
        notes.push(
            "There is nothing to compare: all messages have this size. Their times are in completions.svg."
                .to_owned(),
        );
    }
    notes
}

/// Classes of messages.
struct Classes {
    all: Vec<MessageClass>,
    /// Whether they are of sizes, not of groups.
    are_sizes: bool,
    /// The size of all messages, if they are of groups.
    size: u64,
}

impl Classes {
    /// Returns the messages by size or, if they have the same size and several groups, by group.
    fn of(messages: &[MessageTimes], files: RunFiles<'_>) -> Result<Self, ReadError> {
        let size = messages.first().map_or(0, |first| first.size_bytes);
        if messages.iter().all(|message| message.size_bytes == size) && files.has(FlowRow::FILE) {
            let all = by_group(messages, &files.flows()?);
            if all.len() > 1 {
                return Ok(Self { all, are_sizes: false, size });
            }
        }
        Ok(Self { all: by_size(messages), are_sizes: true, size })
    }

    fn label(&self) -> String {
        if self.are_sizes {
            return "message size (bytes), or the mean size of a class".to_owned();
        }
        format!("group of messages, all of {} bytes", grouped(self.size))
    }

    const fn title(&self) -> &'static str {
        if self.are_sizes { "slowdown of messages by size" } else { "slowdown of messages by group" }
    }
}

/// Returns the messages by group of their flows, as many as there are sizes at most; named flows without a group are a
/// class, and so are all others.
fn by_group(messages: &[MessageTimes], flows: &[FlowRow<'_>]) -> Vec<MessageClass> {
    let class = |flow: &FlowRow<'_>| match &flow.group {
        Some(group) => group.to_string(),
        None if flow.named => flow.flow.to_string(),
        None => "others".to_owned(),
    };
    let class_of: BTreeMap<&str, String> = flows.iter().map(|flow| (&*flow.flow, class(flow))).collect();
    let classes =
        by_object(messages, |message| class_of.get(&*message.flow).map_or("others", String::as_str));
    if classes.len() > SIZES {
        return Vec::new();
    }
    classes.into_iter().map(|(name, messages)| MessageClass::of(name.to_owned(), &messages)).collect()
}

/// Returns the messages by size: each size where there are few, else three classes for each power of ten.
fn by_size(messages: &[MessageTimes]) -> Vec<MessageClass> {
    let mut sorted: Vec<&MessageTimes> = messages.iter().collect();
    sorted.sort_by_key(|message| message.size_bytes);
    let sizes = sorted.chunk_by(|one, other| one.size_bytes == other.size_bytes).count();
    let class = |message: &MessageTimes| ((message.size_bytes.max(1) as f64).log10() * 3.0).floor() as i64;
    let together = |one: &&MessageTimes, other: &&MessageTimes| {
        if sizes <= SIZES { one.size_bytes == other.size_bytes } else { class(one) == class(other) }
    };
    sorted.chunk_by(together).map(MessageClass::by_size).collect()
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
        let classes = by_size(&all);
        assert_eq!(classes.len(), 1);
        // The undelivered message is at least the third of four: the second is certain, the third is not.
        assert_eq!([0.5, 0.75, 1.0].map(|share| classes[0].quantile(share)), [Some(2.0), None, None]);
        let intervals = [0.5, 0.75, 1.0].map(|share| classes[0].interval(share));
        assert_eq!(intervals, [None, Some((2.5, 3.0)), Some((3.0, f64::INFINITY))]);
    }

    #[test]
    fn many_sizes_are_classed() {
        let all: Vec<_> = (1..=1000).map(|size| message(size, Some(1.0), 0.0)).collect();
        let classes = by_size(&all);
        assert_eq!(classes.len(), 10);
        assert_eq!(classes.iter().map(|class| class.least.len()).sum::<usize>(), 1000);
    }

    /// Two groups of messages of the same size, and a named flow without a group.
    #[test]
    fn messages_of_the_same_size_are_classed_by_group() {
        let flow = |name: &'static str, group: Option<&'static str>, named| FlowRow {
            flow: name.into(),
            group: group.map(Into::into),
            named,
            ..FlowRow::default()
        };
        let flows = [flow("a", Some("bulk"), false), flow("b", Some("bulk"), false), flow("F1", None, true)];
        let of = |flow: &'static str, slowdown| MessageTimes {
            flow: flow.into(),
            ..message(1000, Some(slowdown), 0.0)
        };
        let classes = by_group(&[of("a", 1.0), of("F1", 5.0), of("b", 3.0)], &flows);
        let medians: Vec<_> =
            classes.iter().map(|class| (class.name.as_str(), class.quantile(1.0))).collect();
        assert_eq!(medians, [("bulk", Some(3.0)), ("F1", Some(5.0))]);
    }
}
