//! The reaction point of HPCC's simulator: alpha, cuts and increases have timers of their own.
//!
//! Invariant: the rate stays between `min_rate` and the line's, and the target is never below the rate. Their values
//! at an instant do not depend on how often they were read before.
//!
//! ```text
//! first CNP                    starts the clocks of alpha and of cuts; alpha is 1
//! each K since the first CNP   alpha = (1 - g) alpha, and + g if a CNP other than the first came within this K
//! each D since the first CNP   if a CNP has come within this D:
//!                                R_T = R_C if `clamp_target`, or if T has expired since the last cut
//!                                R_C = R_C (1 - alpha/2); T and its stage from the start
//! each T since the last cut    the stage += 1
//!                                stage <= F: R_T stays;  stage = F + 1: R_T += R_AI;  else: R_T += R_HAI
//!                                R_C = (R_T + R_C) / 2
//! ```
//!
//! In the same instant alpha changes first, then come CNPs and packets, then T and D. T precedes D if it is longer,
//! which is the order in which that simulator plans them. There a cut comes 1 ns after its interval, and so it does
//! here.
//!
//! Source: `rdma-hw.cc` of HPCC's simulator (alibaba-edu/High-Precision-Congestion-Control), as read: "Mellanox's
//! version of DCQCN".
//!
//! No timer is an event: expiries are counted when the state is read. At line rate T does not count, since nothing can
//! raise the rate.
//!
//! | module | contents |
//! |---|---|
//! | here | the response, and the state of a flow |
//! | [`spec`] | settings, and their check |
//! | `clock` | clocks that expire each interval |

mod clock;
pub mod spec;

use packet::ServiceLevel;
use units::{Rate, Span, Time};

use self::clock::{Clock, widened};
use self::spec::TimedResponseSpec;
use super::rates::{self, kbps, rate};
use super::share::{ONE, SCALE, power, times};
use crate::policy::{Acknowledgement, FlowRate, Notification, NotificationOutcome, Response};

/// Delay of a cut after its interval, in that simulator.
const CUT_DELAY: Span = Span::from_ns(1);
/// [`TimedState::due`] of a flow without a CNP so far.
const NO_CNP: u8 = u8::MAX;

/// Response of an adapter, shared by all its flows.
///
/// ```
/// use cc_policies::dcqcn::timed::TimedResponse;
/// use cc_policies::dcqcn::timed::spec::TimedResponseSpec;
/// use cc_policies::{Notification, Response};
/// use packet::ServiceLevel;
/// use units::{Rate, Span, Time};
///
/// let response = TimedResponse::new(&TimedResponseSpec::VENDOR, Rate::gbps(40));
/// let mut flow = response.at_rest(ServiceLevel(0));
/// response.on_notification(&mut flow, Notification { psn: None, next: 0 }, Time::ZERO);
/// let rate = |us| response.flow_rate(&flow, Span::from_us(us).after_start()).expect("a rate").current;
/// // Cuts come each 4 us. By then alpha has fallen four times from 1, and is (255/256)^4 = 0.984.
/// assert_eq!((rate(4), rate(5)), (Rate::gbps(40), Rate::bps(20_310_674_000)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimedResponse {
    alpha_clock: Clock,
    cut_clock: Clock,
    cut_timer: Span,
    timer: Span,
    /// Rates in kb/s.
    line: u32,
    min_rate: u32,
    additive: u32,
    hyper: u32,
    /// In parts of [`ONE`].
    g: u64,
    fast_recovery: u16,
    clamp_target: bool,
}

/// State of a controlled flow. Expiries are counted modulo 2^32.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimedState {
    /// `R_C` and `R_T`, in kb/s.
    current: u32,
    target: u32,
    /// alpha after expiry `alpha_at` of its clock, in parts of [`ONE`].
    alpha: u32,
    alpha_at: u32,
    /// Expiry of the cuts' clock at which the last cut came.
    cut_at: u32,
    /// Phases of both clocks.
    alpha_phase: u16,
    cut_phase: u16,
    /// Expiries of T since the last cut.
    stage: u16,
    /// Expiries of the cuts' clock from expiry `alpha_at` of alpha's to the next cut; 0 if none is due, or [`NO_CNP`].
    due: u8,
    /// Whether a CNP has come since `alpha_at`.
    cnp_came: bool,
}

state_codec::value!(TimedState {
    current,
    target,
    alpha,
    alpha_at,
    cut_at,
    alpha_phase,
    cut_phase,
    stage,
    due,
    cnp_came,
});

const _: () = assert!(size_of::<TimedState>() <= 28, "any flow's state is half a cache line");

impl TimedResponse {
    /// Returns the response with these settings, which have passed [`TimedResponseSpec::check`], on a link of rate
    /// `line`.
    #[must_use]
    pub fn new(settings: &TimedResponseSpec, line: Rate) -> Self {
        Self {
            alpha_clock: Clock::prompt(settings.alpha_timer),
            cut_clock: Clock::late(settings.cut_timer, CUT_DELAY),
            cut_timer: settings.cut_timer,
            timer: settings.timer,
            line: kbps(line),
            min_rate: kbps(settings.min_rate).min(kbps(line)),
            additive: kbps(settings.additive_increase),
            hyper: kbps(settings.hyper_increase),
            g: (settings.g * ONE as f64).round() as u64,
            fast_recovery: u16::from(settings.fast_recovery),
            clamp_target: settings.clamp_target,
        }
    }

    /// Counts the expiries of T, and makes the cuts, up to and including `now`.
    fn settle(&self, state: &mut TimedState, now: Time) {
        if state.due == NO_CNP {
            return;
        }
        loop {
            let raised = self.next_increase(state, now);
            let cut = if state.due > 0 { self.next_cut(state, now) } else { Time::NEVER };
            if raised.min(cut) > now {
                return;
            }
            // In the same instant the longer timer comes first: that simulator planned it earlier.
            if raised < cut || raised == cut && self.timer > self.cut_timer {
                self.increase(state);
            } else {
                self.cut(state, cut);
            }
        }
    }

    /// Returns the next expiry of T.
    fn next_increase(&self, state: &TimedState, now: Time) -> Time {
        if state.current == self.line {
            return Time::NEVER;
        }
        self.last_cut(state, now) + self.timer * (u64::from(state.stage) + 1)
    }

    fn last_cut(&self, state: &TimedState, now: Time) -> Time {
        let present = self.cut_clock.count(state.cut_phase, now);
        self.cut_clock.time(state.cut_phase, widened(state.cut_at, present))
    }

    /// Returns the time of the cut that is due.
    fn next_cut(&self, state: &TimedState, now: Time) -> Time {
        let count = self.cuts_by_alpha(state, now) + u64::from(state.due);
        self.cut_clock.time(state.cut_phase, count)
    }

    /// Returns the count of the cuts' clock at expiry `alpha_at` of alpha's.
    fn cuts_by_alpha(&self, state: &TimedState, now: Time) -> u64 {
        let present = self.alpha_clock.count(state.alpha_phase, now);
        let at = self.alpha_clock.time(state.alpha_phase, widened(state.alpha_at, present));
        self.cut_clock.count(state.cut_phase, at)
    }

    /// Increases the rate after an expiry of T.
    fn increase(&self, state: &mut TimedState) {
        if state.stage == u16::MAX {
            // Moves the cut to keep the stage in 16 bits: T then comes earlier or later, once, by less than D.
            let passed = self.timer.ps() * u64::from(u16::MAX / 2) / self.cut_timer.ps();
            (state.cut_at, state.stage) = (state.cut_at.wrapping_add(passed as u32), u16::MAX / 2 + 1);
        }
        state.stage += 1;
        let more = match state.stage.checked_sub(self.fast_recovery) {
            None | Some(0) => 0,
            Some(1) => self.additive,
            Some(_) => self.hyper,
        };
        state.target = state.target.saturating_add(more).min(self.line);
        // Rounded up, so that the rate reaches its target.
        state.current += (state.target - state.current).div_ceil(2);
    }

    /// Cuts the rate, `at` being the time of the cut.
    fn cut(&self, state: &mut TimedState, at: Time) {
        self.settle_alpha(state, at);
        if self.clamp_target || state.stage > 0 {
            state.target = state.current;
        }
        let cut = (u64::from(state.current) * u64::from(state.alpha)) >> (SCALE + 1);
        state.current = (state.current - cut as u32).max(self.min_rate);
        state.target = state.target.max(state.current);
        state.cut_at = self.cut_clock.count(state.cut_phase, at) as u32;
        (state.stage, state.due) = (0, 0);
    }

    /// Brings alpha up to `now`.
    fn settle_alpha(&self, state: &mut TimedState, now: Time) {
        let present = self.alpha_clock.count(state.alpha_phase, now);
        let expiries = present - widened(state.alpha_at, present);
        if expiries == 0 {
            return;
        }
        let risen = u64::from(state.cnp_came);
        // The CNP came in the first of these intervals, since every CNP brings alpha up to date before it is noted.
        let after = times(u64::from(state.alpha), power(ONE - self.g, risen)) + risen * self.g;
        state.alpha = times(after, power(ONE - self.g, expiries - risen)) as u32;
        (state.alpha_at, state.cnp_came) = (present as u32, false);
    }

    /// Notes a CNP: it counts for the present interval of alpha, and for the next cut.
    fn cnp(&self, state: &mut TimedState, now: Time) -> NotificationOutcome {
        if state.due == NO_CNP {
            self.start(state, now);
        } else {
            self.settle(state, now);
            let present = self.cut_clock.count(state.cut_phase, now);
            let due = match state.due {
                0 => present + 1,
                due => self.cuts_by_alpha(state, now) + u64::from(due),
            };
            self.settle_alpha(state, now);
            state.due = (due - self.cuts_by_alpha(state, now)) as u8;
            state.cnp_came = true;
        }
        NotificationOutcome { decreased: true, ..NotificationOutcome::default() }
    }

    /// Starts the clocks at the first CNP, which counts for a cut, but not for alpha.
    fn start(&self, state: &mut TimedState, now: Time) {
        state.alpha_phase = self.alpha_clock.phase(now);
        state.cut_phase = self.cut_clock.phase(now);
        state.alpha_at = self.alpha_clock.count(state.alpha_phase, now) as u32;
        // The expiry of this very instant, which the clock's delay puts after it, is no cut.
        let own = self.cut_clock.count(state.cut_phase, now + self.cut_timer / 2);
        state.cut_at = own as u32;
        state.due = (own + 1 - self.cuts_by_alpha(state, now)) as u8;
    }
}

impl Response for TimedResponse {
    type State = TimedState;

    /// Starts at line rate: there is no slow start.
    fn at_rest(&self, _: ServiceLevel) -> TimedState {
        TimedState {
            current: self.line,
            target: self.line,
            alpha: ONE as u32,
            alpha_at: 0,
            cut_at: 0,
            alpha_phase: 0,
            cut_phase: 0,
            stage: 0,
            due: NO_CNP,
            cnp_came: false,
        }
    }

    /// A mark on an acknowledgement counts as a CNP.
    fn on_acknowledged(
        &self,
        state: &mut TimedState,
        ack: Acknowledgement,
        now: Time,
    ) -> NotificationOutcome {
        if ack.marked { self.cnp(state, now) } else { NotificationOutcome::default() }
    }

    fn on_notification(&self, state: &mut TimedState, _: Notification, now: Time) -> NotificationOutcome {
        self.cnp(state, now)
    }

    fn gap(&self, state: &mut TimedState, packet_time: Span, now: Time) -> Span {
        self.settle(state, now);
        rates::gap(packet_time, state.current, self.line)
    }

    fn flow_rate(&self, state: &TimedState, now: Time) -> Option<FlowRate> {
        let mut settled = *state;
        self.settle(&mut settled, now);
        if settled.due != NO_CNP {
            self.settle_alpha(&mut settled, now);
        }
        let alpha = f64::from(settled.alpha) / ONE as f64;
        Some(FlowRate { current: rate(settled.current), target: rate(settled.target), alpha })
    }
}
