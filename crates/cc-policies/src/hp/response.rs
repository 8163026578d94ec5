//! Response at the source: from acknowledgements, marked and not, to an inter-packet delay and a window. This is the
//! general response function of the proposal.
//!
//! Invariant: rate and window stay within their tables, and of the marks of a flight only the first counts.
//!
//! ```text
//! packet sent      RWL = its constraint: rate, window, other
//! unmarked ACK     if RWL is rate or window: RPI -= 1 for each packet that it acknowledges, or once
//!   RPI = 0        CWND = window_increase[CWND], RPI = new_window_RPI[CWND]    if RWL = window
//!                  CIPD = rate_increase[CIPD],   RPI = new_rate_RPI[CIPD]      if RWL = rate
//! marked ACK, CN   if its PSN >= APSN: CWND = window_decrease[CWND], CIPD = rate_decrease[CIPD],
//!                  APSN = PSN of the next packet
//! ```

use packet::{ServiceLevel, TransportService};
use units::{Span, Time};

use super::ladder::LadderStep;
use super::spec::{HpResponseSpec, RateControl, RpiAfterDecrease, RpiLimits, RpiUnit, WindowControl};
use crate::policy::{
    Acknowledgement, ControlState, LimitedBy, Notification, NotificationOutcome, Response, SentPacket,
    StateScope, TrafficKind,
};

/// Response of an adapter, shared by all its flows.
///
/// ```
/// use cc_policies::hp::HpResponse;
/// use cc_policies::hp::spec::{HpResponseSpec, RateControl, RpiAfterDecrease};
/// use cc_policies::{Acknowledgement, Response};
/// use packet::ServiceLevel;
/// use units::{Span, Time};
///
/// let response = HpResponse::new(&HpResponseSpec {
///     rate: Some(RateControl::Lipd { max_ipd: 255 }),
///     rpi_after_decrease: RpiAfterDecrease::Reloaded,
///     ..HpResponseSpec::NONE
/// });
/// let mut flow = response.at_rest(ServiceLevel(0));
/// let marked = Acknowledgement { psn: 0, next: 1, packets: 1, marked: true };
/// response.on_acknowledged(&mut flow, marked, Time::ZERO);
/// // Half of Rmax: the next packet waits for one packet time.
/// assert_eq!(response.gap(&mut flow, Span::from_ns(1000), Time::ZERO), Span::from_ns(1000));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HpResponse {
    /// By CIPD; empty without control of the rate.
    rate: Vec<LadderStep>,
    /// By CWND less 1; empty without control of the window.
    window: Vec<LadderStep>,
    /// Window without tables; `u32::MAX` for none.
    fixed_window: u32,
    reload: bool,
    /// Whether RPI is counted down for a constraint without tables.
    counts_uncontrolled: bool,
    /// Whether an acknowledgement counts once, whatever the number of its packets.
    counts_acknowledgements: bool,
}

/// State of a controlled flow. OUTS, the number of outstanding packets, is kept by the requester.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HpState {
    /// First packet sent after the last decrease (APSN), counted with 64 bits.
    apsn: u64,
    /// Unmarked acknowledgements until the next increase (RPI).
    rpi: u32,
    /// Congestion window less 1 (CWND).
    window: u16,
    /// Inter-packet delay in packet times (CIPD).
    ipd: u8,
    /// Constraint that held the last packet back (RWL).
    limited_by: LimitedBy,
}

state_codec::value!(HpState { apsn, rpi, window, ipd, limited_by });

const _: () = assert!(size_of::<HpState>() <= 16, "a controlled flow is two words");

impl HpResponse {
    /// Returns the response with these settings.
    ///
    /// # Panics
    /// If the settings have not passed [`HpResponseSpec::check`].
    #[must_use]
    pub fn new(settings: &HpResponseSpec) -> Self {
        let fixed = |control: &WindowControl| match *control {
            WindowControl::Fixed(packets) => Some(u32::from(packets)),
            _ => None,
        };
        Self {
            rate: settings.rate.as_ref().map(RateControl::table).unwrap_or_default(),
            window: settings.window.as_ref().map(WindowControl::table).unwrap_or_default(),
            fixed_window: settings.window.as_ref().and_then(fixed).unwrap_or(u32::MAX),
            reload: settings.rpi_after_decrease == RpiAfterDecrease::Reloaded,
            counts_uncontrolled: settings.rpi_limits == RpiLimits::RateOrWindow,
            counts_acknowledgements: settings.rpi_unit == RpiUnit::Acknowledgement,
        }
    }

    /// Returns the flow's delay after each packet, in packet times (CIPD).
    #[must_use]
    pub const fn ipd(&self, state: &HpState) -> u8 {
        state.ipd
    }

    fn marked(&self, state: &mut HpState, next: u64) -> NotificationOutcome {
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
        NotificationOutcome { decreased: true, ..NotificationOutcome::default() }
    }

    fn unmarked(&self, state: &mut HpState, count: u32) {
        let (table, at) = match state.limited_by {
            LimitedBy::Rate => (&self.rate, usize::from(state.ipd)),
            LimitedBy::Window => (&self.window, usize::from(state.window)),
            LimitedBy::Other => return,
        };
        if table.is_empty() {
            // What is not controlled cannot be increased.
            if self.counts_uncontrolled {
                state.rpi = state.rpi.saturating_sub(count).max(1);
            }
            return;
        }
        let (mut left, mut at) = (count, at);
        // An acknowledgement of many packets can suffice for several increases.
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

impl Response for HpResponse {
    type State = HpState;

    /// "Unreliable transport and RDMA READ responses: rate; by SLID, DLID and SL" (HP proposal).
    fn scope(&self, transport: TransportService, sends: TrafficKind) -> StateScope {
        if sends.is_acknowledged(transport) {
            StateScope::connection(transport)
        } else {
            StateScope::DestinationLevel
        }
    }

    /// Starts at full rate and the widest window.
    fn at_rest(&self, _: ServiceLevel) -> HpState {
        let window = self.window.len().saturating_sub(1) as u16;
        HpState { apsn: 0, rpi: 1, window, ipd: 0, limited_by: LimitedBy::Other }
    }

    fn on_sent(&self, state: &mut HpState, sent: SentPacket, _: Time) {
        state.limited_by = sent.limited_by;
    }

    fn on_acknowledged(&self, state: &mut HpState, ack: Acknowledgement, _: Time) -> NotificationOutcome {
        if !ack.marked {
            self.unmarked(state, if self.counts_acknowledgements { 1 } else { ack.packets });
        } else if ack.psn >= state.apsn {
            return self.marked(state, ack.next);
        }
        NotificationOutcome::default()
    }

    /// A notification that does not name its packet may be of the present flight, and counts.
    fn on_notification(&self, state: &mut HpState, notified: Notification, _: Time) -> NotificationOutcome {
        if notified.psn.is_none_or(|psn| psn >= state.apsn) {
            self.marked(state, notified.next)
        } else {
            NotificationOutcome::default()
        }
    }

    /// The next packet waits IPD packet times. From start to start these are IPD + 1, which is the rate Rmax / (IPD +
    /// 1).
    fn gap(&self, state: &mut HpState, packet_time: Span, _: Time) -> Span {
        packet_time * u64::from(state.ipd)
    }

    fn window(&self, state: &HpState) -> u32 {
        if self.window.is_empty() { self.fixed_window } else { u32::from(state.window) + 1 }
    }

    fn control_state(&self, state: &HpState, _: Time) -> ControlState {
        let delay = (!self.rate.is_empty()).then(|| f64::from(state.ipd));
        let window = Some(self.window(state)).filter(|window| *window != u32::MAX);
        ControlState { delay, window, ..ControlState::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use RpiAfterDecrease::{Kept, Reloaded};

    const PACKET: Span = Span::from_ns(1000);

    fn rate() -> Option<RateControl> {
        Some(RateControl::Tables {
            rate_increase: vec![0, 0, 1, 2],
            rate_decrease: vec![1, 2, 3, 3],
            new_rate_rpi: vec![9, 4, 3, 2],
        })
    }

    fn window() -> Option<WindowControl> {
        Some(WindowControl::Tables {
            window_increase: vec![2, 3, 4, 4],
            window_decrease: vec![1, 1, 2, 3],
            new_window_rpi: vec![1, 2, 5, 9],
        })
    }

    /// A flow and the response of its adapter.
    struct Flow(HpResponse, HpState);

    impl Flow {
        fn new(rate: Option<RateControl>, window: Option<WindowControl>, then: RpiAfterDecrease) -> Self {
            Self::of(&HpResponseSpec { rate, window, rpi_after_decrease: then, ..HpResponseSpec::NONE })
        }

        fn of(settings: &HpResponseSpec) -> Self {
            let response = HpResponse::new(settings);
            let state = response.at_rest(ServiceLevel(0));
            Self(response, state)
        }

        fn sent(&mut self, limited_by: LimitedBy) {
            let sent = SentPacket { limited_by, length: units::Bytes::new(2074) };
            self.0.on_sent(&mut self.1, sent, Time::ZERO);
        }

        fn acknowledged(&mut self, psn: u64, next: u64, packets: u32, marked: bool) -> (u8, u32) {
            let ack = Acknowledgement { psn, next, packets, marked };
            self.0.on_acknowledged(&mut self.1, ack, Time::ZERO);
            self.levels()
        }

        /// Reports a mark of the present flight.
        fn marked(&mut self) -> (u8, u32) {
            let next = self.1.apsn + 1;
            self.acknowledged(self.1.apsn, next, 1, true)
        }

        fn unmarked(&mut self, packets: u32) -> (u8, u32) {
            self.acknowledged(0, 0, packets, false)
        }

        /// CIPD and CWND.
        fn levels(&self) -> (u8, u32) {
            (self.1.ipd, self.0.window(&self.1))
        }
    }

    #[test]
    fn what_held_the_last_packet_back_is_what_grows() {
        for (limited_by, grown) in
            [(LimitedBy::Rate, (2, 1)), (LimitedBy::Window, (3, 2)), (LimitedBy::Other, (3, 1))]
        {
            let mut flow = Flow::new(rate(), window(), Kept);
            (0..4).for_each(|_| _ = flow.marked());
            assert_eq!(flow.levels(), (3, 1), "hybrid: a mark lowers both");
            assert_eq!(flow.0.gap(&mut flow.1, PACKET, Time::ZERO), PACKET * 3);
            // Only the constraint on the last packet counts.
            [LimitedBy::Window, LimitedBy::Rate, limited_by].into_iter().for_each(|by| flow.sent(by));
            assert_eq!(flow.unmarked(1), grown, "{limited_by:?}");
        }
    }

    #[test]
    fn one_count_serves_rate_and_window() {
        let mut flow = Flow::new(rate(), window(), Kept);
        (0..4).for_each(|_| _ = flow.marked());
        flow.sent(LimitedBy::Rate);
        assert_eq!(flow.unmarked(1), (2, 1), "RPI is now 3, by the new CIPD");
        assert_eq!(flow.unmarked(2), (2, 1));
        flow.sent(LimitedBy::Window);
        assert_eq!(flow.unmarked(1), (2, 2), "what the rate counted down, the window goes by");
        assert_eq!(flow.1.rpi, 2, "by the new CWND");
    }

    #[test]
    fn a_decrease_keeps_or_reloads_the_count() {
        let count = |limited_by, then| {
            let mut flow = Flow::new(rate(), window(), then);
            flow.marked();
            flow.sent(limited_by);
            flow.marked();
            assert_eq!(flow.levels(), (2, 2));
            flow.1.rpi
        };
        for limited_by in [LimitedBy::Rate, LimitedBy::Window, LimitedBy::Other] {
            assert_eq!(count(limited_by, Kept), 1, "as at rest");
        }
        assert_eq!(count(LimitedBy::Rate, Reloaded), 3);
        assert_eq!(count(LimitedBy::Window, Reloaded), 2);
        // If only the rate or only the window is controlled, the count is its own.
        for limited_by in [LimitedBy::Rate, LimitedBy::Window] {
            let mut only = [Flow::new(rate(), None, Reloaded), Flow::new(None, window(), Reloaded)];
            let counts = only.each_mut().map(|flow| {
                flow.sent(limited_by);
                flow.marked();
                flow.1.rpi
            });
            assert_eq!(counts, [4, 5]);
        }
    }

    #[test]
    fn what_is_not_controlled_does_not_count_down() {
        let mut flow = Flow::new(rate(), Some(WindowControl::Fixed(7)), Reloaded);
        flow.sent(LimitedBy::Rate);
        assert_eq!(flow.marked(), (1, 7));
        flow.sent(LimitedBy::Window);
        assert_eq!((flow.unmarked(100), flow.1.rpi), ((1, 7), 4));
        let mut flow = Flow::new(None, window(), Reloaded);
        flow.sent(LimitedBy::Window);
        assert_eq!(flow.marked(), (0, 3));
        flow.sent(LimitedBy::Rate);
        assert_eq!((flow.unmarked(100), flow.1.rpi), ((0, 3), 5));
    }

    #[test]
    fn without_rate_and_window_nothing_has_an_effect() {
        for then in [Kept, Reloaded] {
            let mut flow = Flow::new(None, None, then);
            for limited_by in [LimitedBy::Rate, LimitedBy::Window, LimitedBy::Other] {
                flow.sent(limited_by);
                assert_eq!(flow.marked(), (0, u32::MAX));
                assert_eq!(flow.unmarked(1000), (0, u32::MAX));
            }
            assert_eq!(flow.0.gap(&mut flow.1, PACKET, Time::ZERO), Span::ZERO);
        }
    }

    /// The wire's PSN has 24 bits. The requester counts on, so that packets sent after the wrap follow those before.
    #[test]
    fn marks_of_one_flight_count_once_also_where_the_psn_wraps() {
        const WRAP: u64 = 1 << 24;
        let mut flow = Flow::new(rate(), window(), Kept);
        assert_eq!(flow.acknowledged(WRAP - 3, WRAP + 2, 1, true), (1, 3));
        // Sent before the decrease, on either side of the wrap.
        for psn in [WRAP - 2, WRAP - 1, WRAP, WRAP + 1] {
            assert_eq!(flow.acknowledged(psn, WRAP + 2, 1, true), (1, 3), "{psn:#x}");
        }
        assert_eq!(flow.acknowledged(WRAP + 2, WRAP + 4, 1, true), (2, 2));
        // A notification that names its packet obeys the same rule; a notification that does not always counts.
        let mut notified = |psn, next| {
            flow.0.on_notification(&mut flow.1, Notification { psn, next }, Time::ZERO);
            flow.levels()
        };
        assert_eq!(notified(Some(WRAP + 3), WRAP + 5), (2, 2));
        assert_eq!(notified(Some(WRAP + 4), WRAP + 5), (3, 1));
        assert_eq!(notified(None, WRAP + 6), (3, 1), "both at their lowest");
        assert_eq!(flow.1.apsn, WRAP + 6);
    }

    #[test]
    fn a_window_shrinks_under_what_is_outstanding() {
        // Four packets are under way when the first of them comes back marked: the rest of the flight changes
        // nothing.
        let mut flow = Flow::new(None, window(), Reloaded);
        flow.sent(LimitedBy::Window);
        assert_eq!(flow.acknowledged(0, 4, 1, true), (0, 3));
        assert_eq!(flow.acknowledged(3, 4, 3, true), (0, 3));
        // Now three are under way, and so on down to 1, the lowest window.
        assert_eq!(flow.acknowledged(4, 7, 1, true), (0, 2));
        assert_eq!(flow.acknowledged(7, 9, 1, true), (0, 1));
        assert_eq!(flow.acknowledged(9, 10, 1, true), (0, 1));
        // From there a packet suffices. An acknowledgement of many packets counts as many acknowledgements of a packet.
        assert_eq!(flow.unmarked(1), (0, 2));
        assert_eq!(flow.unmarked(2 + 5 + 8), (0, 4));
        assert_eq!(flow.1.rpi, 1);
    }

    #[test]
    fn by_the_letter_a_fixed_window_counts_down_the_rate() {
        let one_entry = WindowControl::Tables {
            window_increase: vec![1],
            window_decrease: vec![1],
            new_window_rpi: vec![1],
        };
        for (rpi_limits, window, counts) in [
            (RpiLimits::Controlled, Some(WindowControl::Fixed(1)), false),
            (RpiLimits::Controlled, None, false),
            (RpiLimits::RateOrWindow, Some(WindowControl::Fixed(1)), true),
            (RpiLimits::RateOrWindow, None, true),
            // A single entry: the slides' window of 1, by tables alone.
            (RpiLimits::Controlled, Some(one_entry.clone()), true),
            (RpiLimits::RateOrWindow, Some(one_entry), true),
        ] {
            let rpi_after_decrease = Reloaded;
            let case = format!("{rpi_limits:?} {window:?}");
            let settings = HpResponseSpec {
                rate: rate(),
                window,
                rpi_after_decrease,
                rpi_limits,
                ..HpResponseSpec::NONE
            };
            assert_eq!(settings.check(), Ok(()));
            let mut flow = Flow::of(&settings);
            flow.sent(LimitedBy::Rate);
            flow.marked();
            assert_eq!((flow.marked().0, flow.1.rpi), (2, 3));
            flow.sent(LimitedBy::Window);
            flow.unmarked(1);
            assert_eq!(flow.1.rpi, if counts { 2 } else { 3 }, "{case}");
            flow.unmarked(9);
            assert_eq!((flow.1.ipd, flow.1.rpi), (2, if counts { 1 } else { 3 }), "{case}");
            flow.sent(LimitedBy::Other);
            flow.unmarked(9);
            flow.sent(LimitedBy::Rate);
            assert_eq!(flow.unmarked(1).0, if counts { 1 } else { 2 }, "{case}");
        }
    }

    #[test]
    fn by_the_letter_an_acknowledgement_counts_once() {
        for (rpi_unit, left) in [(RpiUnit::Packet, 1), (RpiUnit::Acknowledgement, 3)] {
            let mut flow = Flow::of(&HpResponseSpec {
                rate: rate(),
                rpi_after_decrease: Reloaded,
                rpi_unit,
                ..HpResponseSpec::NONE
            });
            flow.sent(LimitedBy::Rate);
            flow.marked();
            flow.unmarked(3);
            assert_eq!((flow.1.ipd, flow.1.rpi), (1, left), "{rpi_unit:?}");
        }
    }
}
