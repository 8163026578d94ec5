//! Settings of IBA's congestion control beside those of a run.
//!
//! Invariant: what is not named stays as it is; a tuned run is the run with other settings written out, and checked as any.

use cc_policies::Scheme;
use cc_policies::iba::spec::{CctSpec, IbaScheme};
use ron::extensions::Extensions;
use serde::{Deserialize, Serialize};

use super::claims::Run;
use crate::engine;
use crate::failure::Failure;

/// The highest `CCT_Multiplier`: fourteen bits.
const HIGHEST: u64 = (1 << 14) - 1;

/// One setting, changed. Whole numbers, so that runs have an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Tuning {
    /// Every delay of the table, in percent of what it is.
    Table(u32),
    /// The recovery timer (`CCTI_Timer`), in percent of what it is; at least one unit.
    Timer(u32),
    /// The index increment (`CCTI_Increase`), in percent of what it is; 1 to 255.
    Increment(u32),
    /// The switch threshold's weight (`Threshold`).
    Threshold(u8),
    /// `Marking_Rate`.
    MarkingRate(u16),
}

impl Run {
    /// What is set in the run, its tunings as settings.
    ///
    /// # Errors
    /// Whatever is wrong with it.
    pub(super) fn settings(&self) -> Result<Vec<String>, Failure> {
        // Nothing here measures single messages, and a list of them for hundreds of runs takes gigabytes.
        let kept = "completions=NotKept".to_owned();
        let mut set: Vec<_> = self.set.iter().cloned().chain([kept]).collect();
        if self.tune.is_empty() {
            return Ok(set);
        }
        let plan = engine::plan(&self.scenario, &self.set, None)?;
        let Scheme::Iba(iba) = plan.scheme() else {
            panic!("only IBA's congestion control can be tuned, not that of {self:?}");
        };
        let mut iba = iba.clone();
        self.tune.iter().for_each(|tuning| tuning.apply(&mut iba));
        // As scenarios are written: a variant's fields without a second pair of brackets.
        let options = ron::Options::default().with_default_extension(Extensions::UNWRAP_VARIANT_NEWTYPES);
        let text = options.to_string(&Scheme::Iba(iba)).expect("settings are plain data");
        set.push(format!("congestion_control={text}"));
        Ok(set)
    }
}

impl Tuning {
    /// The setting, in percent of what it was; one that is no share of anything, as it is.
    pub(super) fn percent(self) -> f64 {
        match self {
            Self::Table(percent) | Self::Timer(percent) | Self::Increment(percent) => f64::from(percent),
            Self::Threshold(weight) => f64::from(weight),
            Self::MarkingRate(rate) => f64::from(rate),
        }
    }

    fn apply(self, iba: &mut IbaScheme) {
        let response = &mut iba.response;
        match self {
            Self::Table(percent) => {
                let CctSpec::Entries(entries) = &mut response.cct else {
                    panic!("only a table that is written out can be stretched, not {:?}", response.cct);
                };
                for (_, multiplier) in entries {
                    *multiplier = share(u64::from(*multiplier), percent).min(HIGHEST) as u16;
                }
            }
            Self::Timer(percent) => {
                let timer = share(u64::from(response.ccti_timer), percent);
                response.ccti_timer = timer.clamp(1, u64::from(u16::MAX)) as u16;
            }
            Self::Increment(percent) => {
                let increment = share(u64::from(response.ccti_increase), percent);
                response.ccti_increase = increment.clamp(1, u64::from(u8::MAX)) as u8;
            }
            Self::Threshold(weight) => iba.marking.threshold = weight,
            Self::MarkingRate(rate) => iba.marking.marking_rate = rate,
        }
    }
}

/// So many percent of a number, to the nearest.
const fn share(number: u64, percent: u32) -> u64 {
    (number * percent as u64 + 50) / 100
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_tuned_is_set_and_nothing_else() {
        let of = |tune: &[Tuning]| {
            let run = Run { scenario: "pfister2005".to_owned(), set: vec![], tune: tune.to_vec() };
            let set = run.settings().expect("it can be tuned");
            let plan = engine::plan(&run.scenario, &set, None).expect("tuned settings can be set");
            let Scheme::Iba(iba) = plan.scheme() else { panic!("a guideline is of IBA's") };
            iba.clone()
        };
        let (plain, tuned) = (of(&[]), of(&[Tuning::Timer(250), Tuning::Threshold(9)]));
        assert_eq!((plain.response.ccti_timer, tuned.response.ccti_timer), (10, 25));
        assert_eq!((plain.marking.threshold, tuned.marking.threshold), (2, 9));
        assert_eq!(plain.response.cct, tuned.response.cct);
        let last = |iba: &IbaScheme| match &iba.response.cct {
            CctSpec::Entries(entries) => entries[127],
            other => panic!("{other:?} is not written out"),
        };
        let (shift, multiplier) = last(&plain);
        assert_eq!(last(&of(&[Tuning::Table(50)])), (shift, multiplier.div_ceil(2)));
        let low = of(&[Tuning::Timer(0), Tuning::Increment(0), Tuning::MarkingRate(3)]);
        assert_eq!(
            (low.response.ccti_timer, low.response.ccti_increase, low.marking.marking_rate),
            (1, 1, 3)
        );
    }
}
