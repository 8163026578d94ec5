//! From a rate function to the proposal's tables of whole numbers.
//!
//! Invariant: every level is reached from below, and an increase follows the function's clock. A step makes up for the
//! rounding of the step before it. So a recovery is late by a packet or two, not by a packet for each step.
//!
//! A *level* is an IPD or a window, numbered from the slowest. The *clock* of a level is the time at which an
//! unmarked flow passes it. The times of a path are differences of clocks, which the tables only have to round.

use super::functions::RateFunction;

/// Largest difference of two results that counts as a rounding error of the arithmetic.
const EPSILON: f64 = 1e-9;

/// Levels, their rates, and the effect of a decrease.
#[derive(Clone, Debug)]
pub struct Ladder {
    /// Rates by level, rising, in units of the lowest.
    rates: Vec<f64>,
    /// By level: the level after a decrease.
    decrease: Vec<usize>,
    /// Clocks by level, rising from 0, in packet times at the lowest rate.
    clock: Vec<f64>,
}

/// Entries of a level in the proposal's tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LadderStep {
    /// Level after an increase.
    pub increase: u16,
    /// Level after a decrease.
    pub decrease: u16,
    /// Unmarked acknowledgements from the arrival at this level until the increase (the proposal's `new_*_RPI`).
    pub new_rpi: u32,
}

/// Returns the rates of all IPDs, the longest IPD first. At IPD i the rate is Rmax / (i + 1) (Shanley, *InfiniBand
/// Network Architecture*, on static rate control).
#[must_use]
pub fn ipd_rates(max_ipd: u8) -> Vec<f64> {
    let steps = f64::from(max_ipd) + 1.0;
    (0..=max_ipd).rev().map(|ipd| steps / (f64::from(ipd) + 1.0)).collect()
}

/// Returns the rates of all windows, the smallest first: as many packets in a round trip.
#[must_use]
pub fn window_rates(max_window: u16) -> Vec<f64> {
    (1..=max_window).map(f64::from).collect()
}

impl Ladder {
    /// Returns the levels of these rates under a function. A decrease leads to the highest level that is not faster
    /// than the function's result, and at least a level down.
    #[must_use]
    pub fn of(function: RateFunction, rates: Vec<f64>) -> Self {
        let highest = rates[rates.len() - 1];
        let below = |(level, &rate): (usize, &f64)| {
            let wanted = function.decrease(rate, highest) * (1.0 + EPSILON);
            rates.partition_point(|&rate| rate <= wanted).saturating_sub(1).min(level.saturating_sub(1))
        };
        let decrease = rates.iter().enumerate().map(below).collect();
        let clock = rates.iter().map(|&rate| function.clock(rate, highest)).collect();
        Self { rates, decrease, clock }
    }

    /// Returns the levels of these rates with a given decrease, and the increase that follows from it. Every recovery
    /// takes a packet time at the lowest rate, so the clock satisfies `clock(r) = clock(f_dec(r)) + 1`. Among the
    /// levels from which a decrease leads to the lowest, the clock rises with the logarithm of the rate.
    ///
    /// # Panics
    /// Unless each decrease but the lowest level's leads down, and none leads below the decrease of a lower level.
    #[must_use]
    pub fn derived(decrease: Vec<usize>, rates: Vec<f64>) -> Self {
        let mut clock = vec![0.0; rates.len()];
        let first = decrease.partition_point(|&level| level == 0) - 1;
        for level in 1..=first {
            clock[level] = rates[level].ln() / rates[first].ln();
        }
        let mut from = first + 1;
        while from < rates.len() {
            let lower = decrease[from];
            assert!(lower < from, "a decrease leads down");
            let run = decrease[from..].partition_point(|&level| level <= lower);
            assert!(run > 0, "decreases keep the order of levels");
            // Levels that fall to the same level divide the clock's distance from there to the next level evenly.
            clock[from] = clock[lower] + 1.0;
            let way = clock[lower + 1] - clock[lower];
            for place in 1..run {
                clock[from + place] = clock[from] + way * place as f64 / run as f64;
            }
            from += run;
        }
        Self { rates, decrease, clock }
    }

    /// Returns the rate of each level.
    #[must_use]
    pub fn rates(&self) -> &[f64] {
        &self.rates
    }

    /// Returns the clock of each level.
    #[must_use]
    pub fn clock(&self) -> &[f64] {
        &self.clock
    }

    /// Returns the tables, by level.
    #[must_use]
    pub fn steps(&self) -> Vec<LadderStep> {
        let top = self.rates.len() - 1;
        let mut climb = vec![(top, 1u32); top + 1];
        let (mut level, mut time) = (0, 0.0);
        while level < top {
            // From the lowest rate a single unmarked packet suffices (third property), whatever the clock.
            let acks = if level == 0 { 1.0 } else { self.acks(level, self.clock[level + 1] - time) };
            let until = time + acks / self.rates[level];
            let next = self.level_at(until).clamp(level + 1, self.most(level));
            climb[level] = (next, acks as u32);
            self.join(level, next, until.max(self.clock[next]), &mut climb);
            // Each unit of the clock starts anew: a packet time at the lowest rate is a recovery, and never less.
            let unit = |level: usize| (self.clock[level] + EPSILON).floor();
            let even = unit(next) > unit(level);
            time = if even { self.clock[next] } else { until.max(self.clock[next]) };
            level = next;
        }
        for level in (0..top).rev() {
            climb[level].0 = climb[level].0.min(climb[level + 1].0);
        }
        let step = |(&(increase, new_rpi), &decrease): (&(usize, u32), &usize)| LadderStep {
            increase: increase as u16,
            decrease: decrease as u16,
            new_rpi,
        };
        climb.iter().zip(&self.decrease).map(step).collect()
    }

    /// Lets the levels that the climb from `level` to `next` skips join at `next`, at its `time` or later.
    fn join(&self, level: usize, next: usize, time: f64, climb: &mut [(usize, u32)]) {
        for (skipped, entry) in climb.iter_mut().enumerate().take(next).skip(level + 1) {
            *entry = (next.min(self.most(skipped)), self.acks(skipped, time - self.clock[skipped]) as u32);
        }
    }

    /// Returns the highest level that an increase may reach: the highest level from which a decrease leads here (first
    /// property). Returns a number beyond all levels if all higher levels qualify.
    fn most(&self, level: usize) -> usize {
        if level == 0 { usize::MAX } else { self.decrease.partition_point(|&lower| lower < level) }
    }

    /// Returns the number of acknowledgements, at least 1, that take at least this long at a level's rate.
    fn acks(&self, level: usize, wait: f64) -> f64 {
        (wait * self.rates[level] - EPSILON).ceil().max(1.0)
    }

    /// Returns the highest level with a clock that is not after this time.
    fn level_at(&self, time: f64) -> usize {
        self.clock.partition_point(|&clock| clock <= time + EPSILON).saturating_sub(1)
    }
}
