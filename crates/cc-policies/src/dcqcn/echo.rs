//! The notification point of DCQCN: CNPs for marked packets, no two of them in the same interval.
//!
//! Invariant: an interval of N has no second CNP of a flow, and an answer is never answered. Under `FreeRunningAtOnce`
//! two CNPs may be close: at the end of an interval and at the start of the next.
//!
//! ```text
//! FromCnp             mark, none sent within N -> CNP at once; quiet for N              the paper
//! FreeRunning         mark -> CNP at the end of the present N since the first packet    the authors' simulator
//! FreeRunningAtOnce   mark -> CNP at once; quiet until that end                         the paper's fluid model
//! ```

use packet::{Packet, ServiceLevel};
use units::{Span, Time};

use super::spec::{CnpEcho, CnpWindow};
use crate::iba::spec::IbaEcho;
use crate::policy::{Answer, Echo, EchoState};

impl Echo for CnpEcho {
    fn answer(&self, packet: &Packet, flow: &mut EchoState, now: Time) -> Option<Answer> {
        flow.first_arrival = flow.first_arrival.min(now);
        IbaEcho::Cnp.answer(packet, flow, now)?;
        if now < flow.quiet_until {
            return None;
        }
        match self.window {
            CnpWindow::FromCnp => {
                flow.quiet_until = now + self.interval;
                Some(Answer::Cnp)
            }
            CnpWindow::FreeRunning => {
                flow.quiet_until = end_of_interval(flow.first_arrival, self.interval, now);
                Some(Answer::CnpAt(flow.quiet_until))
            }
            CnpWindow::FreeRunningAtOnce => {
                flow.quiet_until = end_of_interval(flow.first_arrival, self.interval, now);
                Some(Answer::Cnp)
            }
        }
    }

    fn service_level(&self) -> Option<ServiceLevel> {
        self.service_level.map(ServiceLevel)
    }
}

/// Returns the end of the interval, counted from `first`, that contains `now`.
fn end_of_interval(first: Time, interval: Span, now: Time) -> Time {
    let past = now.since(first).ps() / interval.ps();
    first + interval * (past + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use packet::{Bth, BthFlags, FlowId, Lane, Lid, Lrh, Opcode, Psn, QpNumber, TransportService};

    fn packet(flags: BthFlags) -> Packet {
        let lrh = Lrh::new(Lid(1), Lid(2), Lane(0), ServiceLevel(0));
        let (opcode, transport) = (Opcode::WriteMiddle, TransportService::Rc);
        let bth = Bth { destination_qp: QpNumber(0), psn: Psn::new(0), opcode, transport, flags };
        Packet::new(lrh, bth, QpNumber(0), FlowId(0), 0)
    }

    /// Lets a packet arrive each 10 us from 5 us on, marked at the times `marked`. Returns the answers and their
    /// times.
    fn answers(window: CnpWindow, marked: &[u64]) -> Vec<(u64, Answer)> {
        let echo = CnpEcho { interval: Span::from_us(50), window, service_level: None };
        let mut flow = EchoState::default();
        let mut given = Vec::new();
        for us in (5..300).step_by(10) {
            let flags = if marked.contains(&us) { BthFlags::FECN } else { BthFlags::empty() };
            let now = Span::from_us(us).after_start();
            given.extend(echo.answer(&packet(flags), &mut flow, now).map(|answer| (us, answer)));
        }
        given
    }

    #[test]
    fn the_first_mark_is_answered_at_once_and_the_next_an_interval_later() {
        let given = answers(CnpWindow::FromCnp, &[25, 35, 65, 75, 85, 245, 285]);
        assert_eq!(given, [25, 75, 245].map(|us| (us, Answer::Cnp)));
    }

    #[test]
    fn a_free_running_interval_answers_at_its_end() {
        // From the first packet, at 5 us: intervals end at 55, 105, 155 us.
        let given = answers(CnpWindow::FreeRunning, &[25, 35, 55, 145, 155]);
        let at = |us| Answer::CnpAt(Span::from_us(us).after_start());
        assert_eq!(given, [(25, at(55)), (55, at(105)), (145, at(155)), (155, at(205))]);
    }

    #[test]
    fn the_first_mark_of_a_free_running_interval_may_be_answered_at_once() {
        let given = answers(CnpWindow::FreeRunningAtOnce, &[25, 35, 55, 95, 145, 155]);
        assert_eq!(given, [25, 55, 145, 155].map(|us| (us, Answer::Cnp)));
    }
}
