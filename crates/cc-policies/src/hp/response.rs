//! From acknowledgements, marked and not, to an inter-packet delay and a window: the general response function of
//! the proposal.
//!
//! Invariant: rate and window stay within their tables whatever comes, and of the marks of one flight only
//! one counts.
//!
//! ```text
//! packet sent      RWL = what held it back: rate, window, other
//! unmarked ACK     if RWL is rate or window: RPI -= 1 for each packet that it acknowledges
//!   RPI = 0        CWND = window_increase[CWND], RPI = new_window_RPI[CWND]    if RWL = window
//!                  CIPD = rate_increase[CIPD],   RPI = new_rate_RPI[CIPD]      if RWL = rate
//! marked ACK, CN   if its PSN >= APSN: CWND = window_decrease[CWND], CIPD = rate_decrease[CIPD],
//!                  APSN = PSN of the next packet
//! ```

use packet::ServiceLevel;
use units::{Span, Time};

use super::functions::RateFunction;
use super::ladder::{Ladder, Step, ipd_rates, window_rates};
use super::spec::{HpResponse, RateControl, RpiAfterDecrease, WindowControl};
use crate::policy::{Acknowledged, LimitedBy, Notified, Reaction, Response};

/// The settings of an adapter, shared by all that it sends.
///
/// ```
/// use cc_policies::hp::HpSource;
/// use cc_policies::spec::{HpResponse, RateControl, RpiAfterDecrease};
/// use cc_policies::{Acknowledged, Response};
/// use packet::ServiceLevel;
/// use units::{Span, Time};
///
/// let source = HpSource::new(&HpResponse {
///     rate: Some(RateControl::Lipd { max_ipd: 255 }),
///     window: None,
///     rpi_after_decrease: RpiAfterDecrease::Reloaded,
/// });
/// let mut flow = source.at_rest(ServiceLevel(0));
/// let marked = Acknowledged { psn: 0, next: 1, packets: 1, marked: true };
/// source.on_acknowledged(&mut flow, marked, Time::ZERO);
/// // Half of Rmax: the next packet waits for one packet time.
/// assert_eq!(source.gap(&mut flow, Span::from_ns(1000), Time::ZERO), Span::from_ns(1000));
/// ```
#[derive(Clone, Debug)]
pub struct HpSource {
    /// By CIPD; empty without control of the rate.
    rate: Vec<Step>,
    /// By CWND less one; empty without control of the window.
    window: Vec<Step>,
    /// The window where it is not controlled, `u32::MAX` for none.
    fixed_window: u32,
    reload: bool,
}

/// What is remembered of one controlled flow. OUTS, the number of packets outstanding, is the requester's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HpState {
    /// Packets before this one were sent before the last decrease (APSN), counted with 64 bits.
    apsn: u64,
    /// Unmarked acknowledgements until the next increase (RPI).
    rpi: u32,
    /// Congestion window less one (CWND).
    window: u16,
    /// Inter-packet delay in packet times (CIPD).
    ipd: u8,
    /// What held the last packet back (RWL).
    limited_by: LimitedBy,
}

const _: () = assert!(size_of::<HpState>() <= 16, "a controlled flow is two words");

impl HpSource {
    /// An adapter with these settings.
    ///
    /// # Panics
    /// If the settings have not passed [`Scheme::check`](crate::Scheme::check).
    #[must_use]
    pub fn new(settings: &HpResponse) -> Self {
        let fixed = |control: &WindowControl| match *control {
            WindowControl::Fixed(packets) => Some(u32::from(packets)),
            _ => None,
        };
        Self {
            rate: settings.rate.as_ref().map(RateControl::table).unwrap_or_default(),
            window: settings.window.as_ref().map(WindowControl::table).unwrap_or_default(),
            fixed_window: settings.window.as_ref().and_then(fixed).unwrap_or(u32::MAX),
            reload: settings.rpi_after_decrease == RpiAfterDecrease::Reloaded,
        }
    }

    /// The flow's delay after each packet, in packet times (CIPD).
    #[must_use]
    pub const fn ipd(&self, state: &HpState) -> u8 {
        state.ipd
    }

    fn marked(&self, state: &mut HpState, next: u64) {
        if let Some(step) = self.rate.get(usize::from(state.ipd)) {
            state.ipd = step.decrease as u8;
        }
        if let Some(step) = self.window.get(usize::from(state.window)) {
            state.window = step.decrease;
        }
        state.apsn = next;
        if self.reload {
            let rate = self.rate.get(usize::from(state.ipd));
            let window = self.window.get(usize::from(state.window));
            let first = if state.limited_by == LimitedBy::Window { window.or(rate) } else { rate.or(window) };
            state.rpi = first.map_or(state.rpi, |step| step.new_rpi);
        }
    }

    fn unmarked(&self, state: &mut HpState, packets: u32) {
        let (table, at) = match state.limited_by {
            LimitedBy::Rate => (&self.rate, usize::from(state.ipd)),
            LimitedBy::Window => (&self.window, usize::from(state.window)),
            LimitedBy::Other => return,
        };
        if table.is_empty() {
            return; // What is not controlled cannot be increased.
        }
        let (mut left, mut at) = (packets, at);
        while left >= state.rpi {
            left -= state.rpi;
            at = usize::from(table[at].increase);
            state.rpi = table[at].new_rpi;
        }
        state.rpi -= left;
        if state.limited_by == LimitedBy::Rate {
            state.ipd = at as u8;
        } else {
            state.window = at as u16;
        }
    }
}

impl Response for HpSource {
    type State = HpState;

    /// At full rate and the widest window.
    fn at_rest(&self, _: ServiceLevel) -> HpState {
        let window = self.window.len().saturating_sub(1) as u16;
        HpState { apsn: 0, rpi: 1, window, ipd: 0, limited_by: LimitedBy::Other }
    }

    fn on_sent(&self, state: &mut HpState, limited_by: LimitedBy, _: Time) {
        state.limited_by = limited_by;
    }

    fn on_acknowledged(&self, state: &mut HpState, ack: Acknowledged, _: Time) -> Reaction {
        if !ack.marked {
            self.unmarked(state, ack.packets);
        } else if ack.psn >= state.apsn {
            self.marked(state, ack.next);
        }
        Reaction::default()
    }

    /// A notification that does not name its packet cannot be told to be of an earlier flight: it counts.
    fn on_notification(&self, state: &mut HpState, notified: Notified, _: Time) -> Reaction {
        if notified.psn.is_none_or(|psn| psn >= state.apsn) {
            self.marked(state, notified.next);
        }
        Reaction::default()
    }

    /// The next packet waits IPD packet times: start to start IPD + 1 of them, the rate Rmax / (IPD + 1).
    fn gap(&self, state: &mut HpState, packet_time: Span, _: Time) -> Span {
        packet_time * u64::from(state.ipd)
    }

    fn window(&self, state: &HpState) -> u32 {
        if self.window.is_empty() { self.fixed_window } else { u32::from(state.window) + 1 }
    }
}

impl RateControl {
    /// The tables, by IPD.
    fn table(&self) -> Vec<Step> {
        match self {
            Self::Aimd { max_ipd, divisor } => by_ipd(RateFunction::Aimd(*divisor), *max_ipd),
            Self::Fimd { max_ipd, divisor } => by_ipd(RateFunction::Fimd(*divisor), *max_ipd),
            Self::Lipd { max_ipd } => by_ipd(RateFunction::Lipd, *max_ipd),
            Self::Derived { rate_decrease } => {
                let longest = rate_decrease.len() - 1;
                let levels = rate_decrease.iter().rev().map(|ipd| longest - usize::from(*ipd)).collect();
                upside_down(&Ladder::derived(levels, ipd_rates(longest as u8)).steps())
            }
            Self::Tables { rate_increase, rate_decrease, new_rate_rpi } => {
                let steps = rate_increase.iter().zip(rate_decrease).zip(new_rate_rpi);
                steps
                    .map(|((up, down), rpi)| Step {
                        increase: u16::from(*up),
                        decrease: u16::from(*down),
                        new_rpi: *rpi,
                    })
                    .collect()
            }
        }
    }
}

fn by_ipd(function: RateFunction, max_ipd: u8) -> Vec<Step> {
    upside_down(&Ladder::of(function, ipd_rates(max_ipd)).steps())
}

/// Levels go from slow to fast, delays from fast to slow.
fn upside_down(steps: &[Step]) -> Vec<Step> {
    let top = steps.len() as u16 - 1;
    let turned = |step: &Step| Step {
        increase: top - step.increase,
        decrease: top - step.decrease,
        new_rpi: step.new_rpi,
    };
    steps.iter().rev().map(turned).collect()
}

impl WindowControl {
    /// The tables, by CWND less one; none for a window that does not change.
    fn table(&self) -> Vec<Step> {
        let of = |function, max_window| Ladder::of(function, window_rates(max_window)).steps();
        match self {
            Self::Fixed(_) => Vec::new(),
            Self::Aimd { max_window, divisor } => of(RateFunction::Aimd(*divisor), *max_window),
            Self::Fimd { max_window, divisor } => of(RateFunction::Fimd(*divisor), *max_window),
            Self::Derived { window_decrease } => {
                let levels = window_decrease.iter().map(|window| usize::from(*window) - 1).collect();
                Ladder::derived(levels, window_rates(window_decrease.len() as u16)).steps()
            }
            Self::Tables { window_increase, window_decrease, new_window_rpi } => {
                let steps = window_increase.iter().zip(window_decrease).zip(new_window_rpi);
                steps
                    .map(|((up, down), rpi)| Step { increase: up - 1, decrease: down - 1, new_rpi: *rpi })
                    .collect()
            }
        }
    }
}
