//! The reaction point: a rate that CNPs cut, and that a timer and a byte counter restore.
//!
//! Invariant: the rate stays between `min_rate` and the line's, and the target is never below the rate. Their values
//! at an instant do not depend on how often they were read before.
//!
//! ```text
//! CNP            R_T = R_C; R_C = R_C (1 - alpha/2); alpha = (1 - g) alpha + g; both counters from the start
//! K without CNP  alpha = (1 - g) alpha
//! T; B bytes     that counter's stage += 1, and by it, under `StageRule::Own`:
//!                  stage <= F                 fast recovery
//!                  the other's stage <= F     additive        R_T += R_AI
//!                  else                       hyper           R_T += (lower stage - F) R_HAI
//!                R_C = (R_T + R_C) / 2
//! ```
//!
//! Under `AlphaUpdate::EachInterval` a CNP leaves alpha; each K since the first CNP changes it.
//!
//! No timer is an event: expiries are counted when the state is read. A flow starts at line rate. At line rate
//! nothing is counted, since nothing can raise the rate.

use packet::ServiceLevel;
use units::{Rate, Span, Time};

use super::alpha_clock::AlphaClock;
use super::rates::{self, kbps, rate};
use super::share::{ONE, SCALE, power, times};
use super::spec::{AlphaUpdate, CnpOrder, DcqcnResponseSpec, StageRule};
use crate::policy::{Acknowledgement, FlowRate, Notification, NotificationOutcome, Response, SentPacket};

/// Response of an adapter, shared by all its flows.
///
/// ```
/// use cc_policies::dcqcn::DcqcnResponse;
/// use cc_policies::dcqcn::spec::{DcqcnResponseSpec, Preset};
/// use cc_policies::{Notification, Response};
/// use packet::ServiceLevel;
/// use units::{Rate, Span, Time};
///
/// let response = DcqcnResponse::new(&DcqcnResponseSpec::preset(Preset::Recommended), Rate::gbps(40));
/// let mut flow = response.at_rest(ServiceLevel(0));
/// response.on_notification(&mut flow, Notification { psn: None, next: 0 }, Time::ZERO);
/// // alpha is 1 at first: half the line's rate, so that a packet's time is waited after each.
/// assert_eq!(response.gap(&mut flow, Span::from_ns(200), Time::ZERO), Span::from_ns(200));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DcqcnResponse {
    timer: Span,
    alpha_timer: Span,
    /// Rates in kb/s.
    line: u32,
    min_rate: u32,
    additive: u32,
    hyper: u32,
    byte_counter: u32,
    /// In parts of [`ONE`].
    g: u32,
    initial_alpha: u32,
    fast_recovery: u8,
    stages: StageRule,
    alpha_update: AlphaUpdate,
    alpha_first: bool,
    clamp_target: bool,
    clamp_after_timer: bool,
}

/// State of a controlled flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DcqcnState {
    /// Next expiry of the timer; [`Time::NEVER`] before the first CNP.
    expires: Time,
    /// `R_C` and `R_T`, in kb/s.
    current: u32,
    target: u32,
    /// alpha as of the last CNP, in parts of [`ONE`].
    alpha: u32,
    /// Bytes until the byte counter expires.
    bytes_left: u32,
    /// Expiries of the timer since the last CNP.
    timer_stage: u32,
    /// Clock of alpha under [`AlphaUpdate::EachInterval`].
    alpha_clock: AlphaClock,
    byte_stage: u8,
    /// Whether the rate is below line rate.
    slowed: bool,
}

state_codec::value!(DcqcnState {
    expires,
    current,
    target,
    alpha,
    bytes_left,
    timer_stage,
    alpha_clock,
    byte_stage,
    slowed,
});

const _: () = assert!(size_of::<DcqcnState>() <= 32, "a controlled flow is half a cache line");

impl DcqcnResponse {
    /// Returns the response with these settings, which have passed [`DcqcnResponseSpec::check`], on a link of rate
    /// `line`.
    #[must_use]
    pub fn new(settings: &DcqcnResponseSpec, line: Rate) -> Self {
        let share = |share: f64| ((share * ONE as f64).round() as u32).max(1);
        Self {
            timer: settings.timer,
            alpha_timer: settings.alpha_timer,
            line: kbps(line),
            min_rate: kbps(settings.min_rate).min(kbps(line)),
            additive: kbps(settings.additive_increase),
            hyper: kbps(settings.hyper_increase),
            byte_counter: settings.byte_counter.get() as u32,
            g: share(settings.g),
            initial_alpha: share(settings.initial_alpha),
            fast_recovery: settings.fast_recovery,
            stages: settings.stages,
            alpha_update: settings.alpha_update,
            alpha_first: settings.order == CnpOrder::AlphaFirst,
            clamp_target: settings.clamp_target,
            clamp_after_timer: settings.clamp_after_timer,
        }
    }

    /// Counts the expiries of the timer up to and including `now`. In the same instant, an expiry precedes other
    /// events.
    fn settle(&self, state: &mut DcqcnState, now: Time) {
        while state.slowed && state.expires <= now {
            state.expires += self.timer;
            state.timer_stage = state.timer_stage.saturating_add(1);
            self.increase(state, state.timer_stage, u32::from(state.byte_stage));
        }
    }

    /// Increases the rate after a counter has reached stage `own`; the other counter is at `other`.
    fn increase(&self, state: &mut DcqcnState, own: u32, other: u32) {
        let more = self.increment(own, other);
        state.target = state.target.saturating_add(more).min(self.line);
        // Rounded up, so that the rate reaches its target.
        state.current += (state.target - state.current).div_ceil(2);
        state.slowed = state.current < self.line;
    }

    /// Returns the increment of the target at these stages: 0 in fast recovery.
    fn increment(&self, own: u32, other: u32) -> u32 {
        let recovery = u32::from(self.fast_recovery);
        let hyper = |stage: u32| self.hyper.saturating_mul(stage);
        match self.stages {
            StageRule::Own if own <= recovery => 0,
            StageRule::Both if own.max(other) < recovery => 0,
            StageRule::Own | StageRule::Both => match own.min(other).checked_sub(recovery) {
                None | Some(0) => self.additive,
                Some(stage) => hyper(stage),
            },
            StageRule::TimerAlone => match own.checked_sub(recovery) {
                None | Some(0) => 0,
                Some(1) => self.additive,
                Some(_) => self.hyper,
            },
        }
    }

    /// Returns the time of the last CNP, which has come.
    fn last_cnp(&self, state: &DcqcnState) -> Time {
        let counted = self.timer * (u64::from(state.timer_stage) + 1);
        Time::from_ps(state.expires.ps() - counted.ps())
    }

    /// Returns alpha at `now`, after the expiries of its timer since the last CNP.
    fn alpha(&self, state: &DcqcnState, now: Time) -> u64 {
        let (alpha, g) = (u64::from(state.alpha), u64::from(self.g));
        if state.expires == Time::NEVER {
            return alpha;
        }
        let last_cnp = self.last_cnp(state);
        match self.alpha_update {
            AlphaUpdate::EachCnp => {
                let expiries = now.since(last_cnp).ps() / self.alpha_timer.ps();
                times(alpha, power(ONE - g, expiries))
            }
            AlphaUpdate::EachInterval => {
                let expiries = state.alpha_clock.expiries(self.alpha_timer, last_cnp, now);
                let risen = u64::from(expiries > 0 && state.alpha_clock.counts_last_cnp());
                // The interval of the last CNP ends with a rise; the others pass without a CNP.
                let after = times(alpha, power(ONE - g, risen)) + risen * g;
                times(after, power(ONE - g, expiries - risen))
            }
        }
    }

    /// Returns alpha after a CNP at `now`, `before` being alpha before it.
    fn alpha_after_cnp(&self, state: &mut DcqcnState, before: u64, now: Time) -> u64 {
        match self.alpha_update {
            AlphaUpdate::EachCnp => times(before, ONE - u64::from(self.g)) + u64::from(self.g),
            AlphaUpdate::EachInterval if state.expires == Time::NEVER => {
                state.alpha_clock = AlphaClock::start(self.alpha_timer, now);
                before
            }
            AlphaUpdate::EachInterval => {
                state.alpha_clock.count_cnp();
                before
            }
        }
    }

    fn cnp(&self, state: &mut DcqcnState, now: Time) -> NotificationOutcome {
        self.settle(state, now);
        let before = self.alpha(state, now);
        let after = self.alpha_after_cnp(state, before, now);
        let raised = state.byte_stage > 0 || self.clamp_after_timer && state.timer_stage > 0;
        if self.clamp_target || raised || state.expires == Time::NEVER {
            state.target = state.current;
        }
        let alpha = if self.alpha_first { after } else { before };
        let cut = (u64::from(state.current) * alpha) >> (SCALE + 1);
        state.current = (state.current - cut as u32).max(self.min_rate);
        state.target = state.target.max(state.current);
        state.alpha = after as u32;
        (state.timer_stage, state.byte_stage, state.bytes_left) = (0, 0, self.byte_counter);
        state.expires = now + self.timer;
        state.slowed = state.current < self.line;
        NotificationOutcome { decreased: true, ..NotificationOutcome::default() }
    }
}

impl Response for DcqcnResponse {
    type State = DcqcnState;

    /// Starts at line rate: there is no slow start.
    fn at_rest(&self, _: ServiceLevel) -> DcqcnState {
        DcqcnState {
            expires: Time::NEVER,
            current: self.line,
            target: self.line,
            alpha: self.initial_alpha,
            bytes_left: self.byte_counter,
            timer_stage: 0,
            alpha_clock: AlphaClock::default(),
            byte_stage: 0,
            slowed: false,
        }
    }

    fn on_sent(&self, state: &mut DcqcnState, sent: SentPacket, now: Time) {
        if !state.slowed {
            return;
        }
        self.settle(state, now);
        let mut length = sent.length.get() as u32;
        while state.slowed && length >= state.bytes_left {
            length -= state.bytes_left;
            state.bytes_left = self.byte_counter;
            if self.stages == StageRule::TimerAlone {
                continue;
            }
            state.byte_stage = state.byte_stage.saturating_add(1);
            self.increase(state, u32::from(state.byte_stage), state.timer_stage);
        }
        // At line rate the loop ends early, so `length` can exceed the bytes left.
        state.bytes_left = state.bytes_left.saturating_sub(length).max(1);
    }

    /// A mark on an acknowledgement counts as a CNP.
    fn on_acknowledged(
        &self,
        state: &mut DcqcnState,
        ack: Acknowledgement,
        now: Time,
    ) -> NotificationOutcome {
        if ack.marked { self.cnp(state, now) } else { NotificationOutcome::default() }
    }

    fn on_notification(&self, state: &mut DcqcnState, _: Notification, now: Time) -> NotificationOutcome {
        self.cnp(state, now)
    }

    fn gap(&self, state: &mut DcqcnState, packet_time: Span, now: Time) -> Span {
        self.settle(state, now);
        rates::gap(packet_time, state.current, self.line)
    }

    fn flow_rate(&self, state: &DcqcnState, now: Time) -> Option<FlowRate> {
        let mut settled = *state;
        self.settle(&mut settled, now);
        let alpha = self.alpha(&settled, now) as f64 / ONE as f64;
        Some(FlowRate { current: rate(settled.current), target: rate(settled.target), alpha })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dcqcn::spec::Preset;

    const LINE: Rate = Rate::gbps(40);
    const CNP: Notification = Notification { psn: None, next: 0 };

    /// Returns the target after a CNP at 0, which halves the rate, and a second CNP `us` later.
    fn target(clamp_target: bool, clamp_after_timer: bool, us: u64) -> Rate {
        let preset = DcqcnResponseSpec::preset(Preset::Recommended);
        let settings = DcqcnResponseSpec { clamp_target, clamp_after_timer, ..preset };
        let response = DcqcnResponse::new(&settings, LINE);
        let mut flow = response.at_rest(ServiceLevel(0));
        response.on_notification(&mut flow, CNP, Time::ZERO);
        let second = Span::from_us(us).after_start();
        response.on_notification(&mut flow, CNP, second);
        response.flow_rate(&flow, second).expect("a rate").target
    }

    /// T is 55 us: an expiry restores half of the first CNP's cut.
    #[test]
    fn the_target_is_clamped_after_what_raised_the_rate() {
        assert_eq!([50, 60].map(|us| target(true, false, us)), [Rate::gbps(20), Rate::gbps(30)]);
        assert_eq!([50, 60].map(|us| target(false, false, us)), [LINE, LINE]);
        assert_eq!([50, 60].map(|us| target(false, true, us)), [LINE, Rate::gbps(30)]);
    }
}
