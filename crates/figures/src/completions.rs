//! `completions.svg`: the share of the posted messages that were delivered within a time.
//!
//! Invariant: a message that was not delivered counts as posted. Right of the shortest such wait the share is a lower
//! bound, and a note says so.

use std::collections::BTreeMap;

use measures::rounded;
use results::distinct::distinct;
use results::format::grouped;
use results::reader::{ReadError, RunFiles};
use results::rows::{FlowRow, MessageTimes};

use super::engine::axis::number;
use super::engine::{Axis, Chart, Ink, Layer, Line, LinePoints, Panel, Reduction};
use super::fault::FigureFault;
use super::goodput::OVERLAID;

/// Most steps of a curve, and as many again of its last hundredth.
const POINTS: usize = 200;

/// Completion times of some messages.
#[derive(Clone, Debug)]
pub(super) struct CompletionCurve {
    /// Completion times of delivered messages in us, shortest first.
    times: Vec<f64>,
    /// Number of messages posted.
    posted: usize,
    /// The shortest time for which an undelivered message has waited, in us.
    bound_from: Option<f64>,
}

impl CompletionCurve {
    /// Returns the curve of all messages of a run; `None` if no message was delivered.
    pub(super) fn read(files: RunFiles<'_>) -> Result<Option<Self>, ReadError> {
        let rows = files.messages()?;
        Ok(Self::of(&rows.iter().collect::<Vec<_>>()))
    }

    fn of(messages: &[&MessageTimes]) -> Option<Self> {
        let (mut times, mut posted, mut bound_from) = (Vec::new(), 0, None);
        for message in messages {
            posted += 1;
            match message.fct_us {
                Some(time) => times.push(time),
                None => {
                    let age = message.age_s.unwrap_or_default() * 1e6;
                    bound_from = Some(bound_from.map_or(age, |least: f64| least.min(age)));
                }
            }
        }
        times.sort_unstable_by(f64::total_cmp);
        (!times.is_empty()).then_some(Self { times, posted, bound_from })
    }

    /// Returns the curve as a line: share of the posted messages by time, in us.
    pub(super) fn line(&self, name: String, ink: Ink) -> Line {
        let last = self.times.len() - 1;
        let step = |messages: usize| messages.div_ceil(POINTS).max(1);
        // The slowest messages, which readers ask for, would otherwise be a step or two.
        let tail = self.times.len() - self.times.len() / 100;
        let places = (0..tail.min(last)).step_by(step(tail));
        let places = places.chain((tail..last).step_by(step(last.saturating_sub(tail)))).chain([last]);
        let share = |place: usize| (place + 1) as f64 / self.posted as f64;
        let mut points: LinePoints = Vec::new();
        for place in places {
            // The share stays until the next message, and is 0 before the first.
            let before = points.last().map_or(Some(0.0), |(_, before)| *before);
            points.extend([(self.times[place], before), (self.times[place], Some(share(place)))]);
        }
        Line { reduction: Reduction::None, ..Line::new(name, ink, points) }
    }
}

/// Returns the axes of completion curves.
pub(super) fn axes(times: impl Iterator<Item = f64>) -> (Axis, Axis) {
    (Axis::log("completion time (us)", times), Axis::linear("share of posted messages", 0.0, 1.02))
}

pub(super) fn chart(files: RunFiles<'_>) -> Result<Chart, FigureFault> {
    let facts = files.summary()?;
    let (messages, flows) = (files.messages()?, files.flows()?);
    let curves = curves(&messages, &flows);
    let lines: Vec<Line> = curves
        .iter()
        .enumerate()
        .map(|(place, (name, curve))| curve.line(name.clone(), Ink::Palette(place)))
        .collect();
    let (x, y) = axes(lines.iter().flat_map(|line| line.points.iter().map(|(time, _)| *time)));
    let notes = curves.iter().filter_map(|(name, curve)| {
        let missing = curve.posted - curve.times.len();
        let from = curve.bound_from.filter(|_| missing > 0)?;
        let from = number(rounded(from, 1));
        let (missing, posted) = (grouped(missing as u64), grouped(curve.posted as u64));
        Some(format!(
            "{name}: {missing} of {posted} messages were not delivered; beyond {from} us the share is a lower bound."
        ))
    });
    let mut notes: Vec<_> = notes.collect();
    let groups = group_names(&flows).len();
    if groups >= OVERLAID {
        notes.push(format!("{} of {groups} groups are drawn.", OVERLAID - 1));
    }
    if lines.is_empty() {
        return Err(FigureFault::Empty("no message was delivered"));
    }
    let layers = lines.into_iter().map(Layer::Line).collect();
    let panel = Panel { title: String::new(), x, y, height: 300.0, layers };
    let title = format!("{}, {}: messages delivered within a time", facts.scenario, facts.scheme());
    let description =
        "Share of the posted messages whose last payload was delivered within a time after posting."
            .to_owned();
    Ok(Chart { title, description, panels: vec![panel], columns: 1, notes, ..Chart::default() })
}

/// Returns the groups of flows, in the order of first appearance.
fn group_names<'a>(flows: &'a [FlowRow<'_>]) -> Vec<&'a str> {
    distinct(flows.iter().filter_map(|flow| flow.group.as_deref()))
}

/// Returns a curve for all messages and, if there are several groups, a curve for each.
fn curves(messages: &[MessageTimes], flows: &[FlowRow<'_>]) -> Vec<(String, CompletionCurve)> {
    let all = CompletionCurve::of(&messages.iter().collect::<Vec<_>>());
    let mut curves: Vec<_> = all.map(|curve| ("all messages".to_owned(), curve)).into_iter().collect();
    let names = group_names(flows);
    let place_of: BTreeMap<&str, usize> =
        names[..names.len().min(OVERLAID - 1)].iter().copied().zip(0..).collect();
    let group_of: BTreeMap<&str, usize> =
        flows.iter().filter_map(|flow| Some((&*flow.flow, *place_of.get(flow.group.as_deref()?)?))).collect();
    if group_of.is_empty() {
        return curves;
    }
    let mut by_group: Vec<Vec<&MessageTimes>> = vec![Vec::new(); place_of.len()];
    for message in messages {
        if let Some(group) = group_of.get(&*message.flow) {
            by_group[*group].push(message);
        }
    }
    if by_group.iter().any(|own| own.len() == messages.len()) {
        return curves; // All messages are the group's.
    }
    let of_groups = names.iter().zip(&by_group);
    curves.extend(of_groups.filter_map(|(name, own)| Some(((*name).to_owned(), CompletionCurve::of(own)?))));
    curves
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(flow: &str, fct_us: Option<f64>, age_s: Option<f64>) -> MessageTimes {
        MessageTimes {
            flow: flow.to_owned().into(),
            size_bytes: 1000,
            ideal_us: 1.0,
            fct_us,
            slowdown: fct_us,
            age_s,
        }
    }

    #[test]
    fn undelivered_messages_lower_the_share() {
        let all = [
            message("a", Some(30.0), None),
            message("a", None, Some(20e-6)),
            message("a", Some(10.0), None),
            message("a", None, Some(50e-6)),
        ];
        let curve = CompletionCurve::of(&all.iter().collect::<Vec<_>>()).expect("two are delivered");
        assert_eq!(
            curve.line(String::new(), Ink::Grey).points,
            [(10.0, Some(0.0)), (10.0, Some(0.25)), (30.0, Some(0.25)), (30.0, Some(0.5))]
        );
        assert_eq!((curve.posted, curve.bound_from), (4, Some(20.0)));
        assert!(CompletionCurve::of(&[&all[1]]).is_none());
    }

    #[test]
    fn a_long_curve_has_steps_alone_and_many_of_them_in_its_tail() {
        let all: Vec<_> = (1..=100_000).map(|time| message("a", Some(f64::from(time)), None)).collect();
        let curve = CompletionCurve::of(&all.iter().collect::<Vec<_>>()).expect("all are delivered");
        let points = curve.line(String::new(), Ink::Grey).points;
        let is_step =
            |pair: &[(f64, Option<f64>)]| pair[0].0.total_cmp(&pair[1].0).is_eq() || pair[0].1 == pair[1].1;
        assert!(points.windows(2).all(is_step), "{points:?}");
        assert!(points.iter().filter(|(_, share)| *share > Some(0.99)).count() > POINTS);
    }

    #[test]
    fn long_curves_keep_their_ends() {
        let all: Vec<_> = (1..=1001).map(|time| message("a", Some(f64::from(time)), None)).collect();
        let curve = CompletionCurve::of(&all.iter().collect::<Vec<_>>()).expect("all are delivered");
        let points = curve.line(String::new(), Ink::Grey).points;
        assert!(points.len() <= 4 * POINTS + 2, "{}", points.len());
        assert_eq!((points[0].0, points[points.len() - 1]), (1.0, (1001.0, Some(1.0))));
    }
}
