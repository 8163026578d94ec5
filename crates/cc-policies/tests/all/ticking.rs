//! DCQCN by the clock: each rule as the papers put it, a tick at a time.
//!
//! Invariant: nothing here is shared with the crate but the settings.

use cc_policies::dcqcn::spec::{AlphaUpdate, CnpWindow, DcqcnResponseSpec, StageRule};
use units::{Rate, Span};

/// Highest stage that the byte counter counts to, as eight bits hold it.
const MOST_BYTE_STAGE: u64 = 255;

/// Source of a flow.
pub(crate) struct ReactionPoint {
    spec: DcqcnResponseSpec,
    /// Settings in ticks and kb/s.
    timer: u64,
    alpha_timer: u64,
    line: u64,
    /// `R_C` and `R_T`, in kb/s.
    current: u64,
    target: u64,
    alpha: f64,
    /// Whether the flow has had a CNP.
    controlled: bool,
    /// Whether a CNP has come since alpha's clock last expired.
    cnp_in_interval: bool,
    ticks_to_increase: u64,
    ticks_to_alpha: u64,
    bytes: u64,
    timer_stage: u64,
    byte_stage: u64,
}

impl ReactionPoint {
    /// "Flows start at line rate"; alpha is 1 at first, or what the settings say.
    pub(crate) fn new(spec: &DcqcnResponseSpec, line: Rate, tick: Span) -> Self {
        let line = line.get() / 1000;
        Self {
            spec: *spec,
            timer: spec.timer.ps() / tick.ps(),
            alpha_timer: spec.alpha_timer.ps() / tick.ps(),
            line,
            current: line,
            target: line,
            alpha: spec.initial_alpha,
            controlled: false,
            cnp_in_interval: false,
            ticks_to_increase: 0,
            ticks_to_alpha: 0,
            bytes: 0,
            timer_stage: 0,
            byte_stage: 0,
        }
    }

    pub(crate) fn current_kbps(&self) -> u64 {
        self.current
    }

    pub(crate) fn target_kbps(&self) -> u64 {
        self.target
    }

    pub(crate) fn alpha(&self) -> f64 {
        self.alpha
    }

    /// Lets a tick pass.
    pub(crate) fn tick(&mut self) {
        if !self.controlled {
            return;
        }
        self.ticks_to_alpha -= 1;
        if self.ticks_to_alpha == 0 {
            self.ticks_to_alpha = self.alpha_timer;
            self.alpha_clock_expires();
        }
        // At line rate nothing can raise the rate, and nothing is counted.
        if self.current == self.line {
            return;
        }
        self.ticks_to_increase -= 1;
        if self.ticks_to_increase == 0 {
            self.ticks_to_increase = self.timer;
            self.timer_stage += 1;
            self.increase(self.timer_stage, self.byte_stage);
        }
    }

    fn alpha_clock_expires(&mut self) {
        let raises = self.spec.alpha_update == AlphaUpdate::EachInterval && self.cnp_in_interval;
        self.alpha = (1.0 - self.spec.g) * self.alpha + if raises { self.spec.g } else { 0.0 };
        self.cnp_in_interval = false;
    }

    /// Sends a packet.
    pub(crate) fn sent(&mut self, length: u64) {
        if self.current == self.line || self.spec.stages == StageRule::TimerAlone {
            return;
        }
        self.bytes += length;
        while self.bytes >= self.spec.byte_counter.get() && self.current < self.line {
            self.bytes -= self.spec.byte_counter.get();
            self.byte_stage = (self.byte_stage + 1).min(MOST_BYTE_STAGE);
            self.increase(self.byte_stage, self.timer_stage);
        }
    }

    /// Increases the rate, after the counter at stage `own` expired.
    fn increase(&mut self, own: u64, other: u64) {
        let f = u64::from(self.spec.fast_recovery);
        let (lower, higher) = (own.min(other), own.max(other));
        let additive = self.spec.additive_increase.get() / 1000;
        let hyper = self.spec.hyper_increase.get() / 1000;
        let increment = match self.spec.stages {
            // CoNEXT 2016: additive increases follow F expiries of a counter; hyper increases F expiries of both.
            StageRule::Own if own <= f => 0,
            StageRule::Own if other <= f => additive,
            StageRule::Own => hyper * (lower - f),
            // SIGCOMM 2015, by hearsay: max(T, BC) < F; min(T, BC) > F; or neither.
            StageRule::Both if higher < f => 0,
            StageRule::Both if lower > f => hyper * (lower - f),
            StageRule::Both => additive,
            // HPCC's simulator compares the stage before it counts: below F, F, above F.
            StageRule::TimerAlone if own - 1 < f => 0,
            StageRule::TimerAlone if own - 1 == f => additive,
            StageRule::TimerAlone => hyper,
        };
        self.target = (self.target + increment).min(self.line);
        self.current = (self.target + self.current).div_ceil(2);
    }

    /// Handles a CNP; the cut is by `alpha`, in parts of 2^30.
    pub(crate) fn cnp(&mut self, alpha: u64) {
        let raised_by_bytes = self.byte_stage > 0;
        let raised_by_timer = self.timer_stage > 0;
        let clamps = self.spec.clamp_target
            || raised_by_bytes
            || self.spec.clamp_after_timer && raised_by_timer
            || !self.controlled;
        if clamps {
            self.target = self.current;
        }
        let lowest = (self.spec.min_rate.get() / 1000).min(self.line);
        self.current = (self.current - self.current * alpha / (1 << 31)).max(lowest);
        self.target = self.target.max(self.current);
        (self.timer_stage, self.byte_stage, self.bytes) = (0, 0, 0);
        self.ticks_to_increase = self.timer;
        match self.spec.alpha_update {
            AlphaUpdate::EachCnp => {
                self.alpha = (1.0 - self.spec.g) * self.alpha + self.spec.g;
                self.ticks_to_alpha = self.alpha_timer;
            }
            AlphaUpdate::EachInterval if self.controlled => self.cnp_in_interval = true,
            AlphaUpdate::EachInterval => self.ticks_to_alpha = self.alpha_timer,
        }
        self.controlled = true;
    }
}

/// Destination of a flow.
pub(crate) struct NotificationPoint {
    window: CnpWindow,
    interval: u64,
    /// Ticks until the silence or the interval ends; `None` before the first packet.
    remaining: Option<u64>,
    /// A CNP of this interval has left, or, under `FreeRunning`, is due at its end.
    answered: bool,
}

impl NotificationPoint {
    pub(crate) fn new(window: CnpWindow, interval: u64) -> Self {
        Self { window, interval, remaining: None, answered: false }
    }

    /// Lets a tick pass. Returns whether a CNP leaves.
    pub(crate) fn tick(&mut self) -> bool {
        let Some(remaining) = self.remaining.map(|ticks| ticks - 1) else { return false };
        self.remaining = Some(remaining);
        if remaining > 0 {
            return false;
        }
        let due = self.answered && self.window == CnpWindow::FreeRunning;
        self.answered = false;
        // The paper's silence ends for good; the intervals of the other two go on.
        self.remaining = (self.window != CnpWindow::FromCnp).then_some(self.interval);
        due
    }

    /// Handles the arrival of a packet. Returns whether a CNP leaves at once.
    pub(crate) fn packet(&mut self, marked: bool) -> bool {
        if self.window != CnpWindow::FromCnp && self.remaining.is_none() {
            self.remaining = Some(self.interval);
        }
        if !marked || self.answered {
            return false;
        }
        self.answered = true;
        if self.window == CnpWindow::FromCnp {
            self.remaining = Some(self.interval);
        }
        self.window != CnpWindow::FreeRunning
    }
}
