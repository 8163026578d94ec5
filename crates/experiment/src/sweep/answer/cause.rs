//! The cause of a difference: further differences between the runs of two settings, and which field moves the measure.
//!
//! Invariant: a quantity is named only if it is known in every run of both settings, and differs by a tenth. The
//! share of a field is told only where every combination of values was run, and every number is known.

use std::collections::BTreeMap;

use measures::{Direction, Measure, Quantity, Unit};

use super::{Asked, Judged};
use crate::sweep::cases::{CaseSetting, assigned};
use crate::sweep::means::mean_of;

/// Quantities that explain others, causes before their effects.
const EXPLAINING: [Quantity; 7] = [
    Quantity::Dropped,
    Quantity::Retransmitted,
    Quantity::Waited,
    Quantity::Paused,
    Quantity::Stalled,
    Quantity::Marks,
    Quantity::QueuePeak,
];
/// Largest number of them that are named.
const MOST: usize = 3;
/// Smallest difference that is named, as a share of the larger number.
const LEAST: f64 = 0.1;
/// Smallest share of time that is named.
const LEAST_SHARE: f64 = 0.001;

impl Asked<'_> {
    /// Returns the cause of the largest difference, in sentences.
    pub(super) fn cause(&self) -> String {
        if self.choices.is_empty() {
            return match self.conditions.len() {
                0 => "Nothing is varied but the seed.".to_owned(),
                _ => "Only conditions are varied, so that there is no setting to choose.".to_owned(),
            };
        }
        let explained = self.largest().and_then(|(judged, comparison)| {
            let verdict = judged.verdict.as_ref().ok()?;
            let settings = &judged.case.settings;
            Some((judged, &settings[verdict.best.place], &settings[comparison.other.place]))
        });
        let explained = explained.map(|(judged, best, other)| self.explained(judged, best, other));
        let effects = match &self.cases[..] {
            [only] => self.effects(only),
            _ => None,
        };
        let sentences: Vec<_> = explained.into_iter().chain(effects).collect();
        if !sentences.is_empty() {
            return sentences.join(" ");
        }
        let (bounds, missing) = self.unknown();
        match (bounds, missing) {
            (_, 1..) => "Runs without a number cannot be compared with others.".to_owned(),
            (1.., 0) => "Bounds in place of numbers say nothing more about the difference.".to_owned(),
            (0, 0) => "No two settings can be compared.".to_owned(),
        }
    }

    fn explained(&self, judged: &Judged, best: &CaseSetting, other: &CaseSetting) -> String {
        let told = |measure: Measure| -> Option<(bool, String)> {
            let [mine, theirs] = [best, other].map(|one| mean_of(&measure, &one.runs, self.results));
            let is_whole = !mine.is_bound && !theirs.is_bound && mine.missing + theirs.missing == 0;
            let (own, its) = (mine.mean.filter(|_| is_whole)?, theirs.mean?);
            let differs = (own - its).abs() >= LEAST * own.abs().max(its.abs()) && own != its;
            let unit = measure.quantity.info().unit;
            let is_small = unit == Unit::One && own.max(its) < LEAST_SHARE;
            // The spread of an explanation would only hide it.
            let spelled = |mean: f64| match unit {
                Unit::One => format!("{:.1} %", 100.0 * mean),
                // The title has the word.
                Unit::Packets => format!("{mean:.0}"),
                Unit::BitsPerSecond
                | Unit::Seconds
                | Unit::MessagesPerSecond
                | Unit::Bytes
                | Unit::BytesPerSecond => unit.spelled(mean),
            };
            let title = measure.quantity.title();
            let speaks_for = match measure.quantity.info().better {
                Direction::Larger => own > its,
                Direction::Smaller => own < its,
            };
            (differs && !is_small)
                .then(|| (speaks_for, format!("{title} {} instead of {}", spelled(own), spelled(its))))
        };
        let found: Vec<_> = EXPLAINING
            .into_iter()
            .map(Measure::of_all)
            .filter(|measure| *measure != self.measure)
            .filter_map(told)
            .take(MOST)
            .collect();
        let at = match &judged.case.condition[..] {
            [] => String::new(),
            condition => format!("At {}: ", assigned(&self.conditions, condition)),
        };
        let (best, other) = (assigned(&self.choices, &best.values), assigned(&self.choices, &other.values));
        if found.is_empty() {
            return format!(
                "{at}Waiting, stalls, marks, drops and queues of {best} are those of {other}, within 10 %."
            );
        }
        let [reasons, against] = [true, false].map(|wanted| {
            let all = found.iter().filter(|(speaks_for, _)| *speaks_for == wanted);
            all.map(|(_, text)| text.as_str()).collect::<Vec<_>>().join("; ")
        });
        match (reasons.is_empty(), against.is_empty()) {
            (false, true) => format!("{at}With {best} instead of {other}: {reasons}."),
            (false, false) => format!("{at}With {best} instead of {other}: {reasons}; but {against}."),
            (true, _) => format!("{at}Nothing explains that {best} is better than {other}: {against}."),
        }
    }

    /// Says how much each field moves the measure.
    fn effects(&self, judged: &Judged) -> Option<String> {
        let settings = &judged.case.settings;
        let means: Option<Vec<f64>> = settings
            .iter()
            .map(|setting| {
                let mean = mean_of(&self.measure, &setting.runs, self.results);
                mean.mean.filter(|_| !mean.is_bound && mean.missing == 0)
            })
            .collect();
        let means = means?;
        let levels: Vec<BTreeMap<&str, Vec<f64>>> = (0..self.choices.len())
            .map(|column| {
                let mut levels = BTreeMap::<_, Vec<f64>>::new();
                for (setting, mean) in settings.iter().zip(&means) {
                    levels.entry(setting.values[column].as_str()).or_default().push(*mean);
                }
                levels
            })
            .collect();
        let is_crossed = levels.iter().map(BTreeMap::len).product::<usize>() == settings.len();
        let varied = levels.iter().filter(|levels| levels.len() > 1).count();
        if !is_crossed || varied < 2 {
            return None;
        }
        let average = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        let all = average(&means).abs();
        let share = |levels: &BTreeMap<&str, Vec<f64>>| {
            let averages = levels.values().map(|values| average(values));
            let (low, high) = averages
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), one| (low.min(one), high.max(one)));
            100.0 * (high - low) / all
        };
        let mut shares: Vec<_> = self.choices.iter().zip(levels.iter().map(share)).collect();
        shares.sort_by(|one, other| other.1.total_cmp(&one.1));
        let told: Vec<_> = shares.iter().map(|(path, share)| format!("{path} by {share:.1} %")).collect();
        (all > 0.0).then(|| {
            format!("On average over the others, each field moves {}: {}.", self.measure, told.join(", "))
        })
    }
}
