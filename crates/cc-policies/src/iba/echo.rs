//! The notification point of InfiniBand: the answer to a FECN.
//!
//! Invariant: an answer is never answered, so notifications cannot multiply.
//!
//! | a FECN on | `Cnp` | `Acknowledgement` |
//! |---|---|---|
//! | SEND, RDMA WRITE over RC and RD | CNP | BECN on an acknowledgement |
//! | SEND, RDMA WRITE over UC and UD | CNP | CNP |
//! | RDMA READ request and response | CNP | CNP |
//! | acknowledgement, CNP | nothing | nothing |
//! | a packet that has BECN too | nothing | nothing |

use packet::{BthFlags, Opcode, Packet};
use units::Time;

use super::spec::IbaEcho;
use crate::policy::{Answer, Echo, EchoState};

impl Echo for IbaEcho {
    fn answer(&self, packet: &Packet, _: &mut EchoState, _: Time) -> Option<Answer> {
        // "If both bits are set, the FECN bit is ignored" (Gran and Reinemo 2011, 3.2.2).
        if !packet.has(BthFlags::FECN) || packet.has(BthFlags::BECN) {
            return None;
        }
        match packet.bth.opcode {
            // Exempt (Gran and Reinemo 2011, footnote 2), as is multicast, which does not exist here.
            Opcode::Acknowledge | Opcode::Cnp => None,
            Opcode::SendFirst
            | Opcode::SendMiddle
            | Opcode::SendLast
            | Opcode::SendOnly
            | Opcode::SendLastImmediate
            | Opcode::SendOnlyImmediate
            | Opcode::WriteFirst
            | Opcode::WriteMiddle
            | Opcode::WriteLast
            | Opcode::WriteOnly => Some(match self {
                Self::Acknowledgement if packet.bth.transport.is_reliable() => Answer::Acknowledgement,
                Self::Cnp | Self::Acknowledgement => Answer::Cnp,
            }),
            // A request is acknowledged by its response, which is data and may come much later; a response is not
            // acknowledged at all.
            Opcode::ReadRequest
            | Opcode::ReadResponseFirst
            | Opcode::ReadResponseMiddle
            | Opcode::ReadResponseLast
            | Opcode::ReadResponseOnly => Some(Answer::Cnp),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use packet::{Bth, FlowId, Lane, Lid, Lrh, Psn, QpNumber, ServiceLevel, TransportService};

    fn packet(opcode: Opcode, flags: BthFlags) -> Packet {
        let lrh = Lrh::new(Lid(1), Lid(2), Lane(0), ServiceLevel(0));
        let bth = Bth {
            destination_qp: QpNumber(0),
            psn: Psn::new(0),
            opcode,
            transport: TransportService::Rc,
            flags,
        };
        Packet::new(lrh, bth, QpNumber(0), FlowId(0), 0)
    }

    fn answer(echo: IbaEcho, packet: &Packet) -> Option<Answer> {
        echo.answer(packet, &mut EchoState::default(), Time::ZERO)
    }

    #[test]
    fn a_fecn_is_answered_as_the_scheme_says() {
        let by = |echo: IbaEcho, opcode| answer(echo, &packet(opcode, BthFlags::FECN));
        assert_eq!(by(IbaEcho::Cnp, Opcode::WriteLast), Some(Answer::Cnp));
        assert_eq!(by(IbaEcho::Acknowledgement, Opcode::WriteLast), Some(Answer::Acknowledgement));
        assert_eq!(by(IbaEcho::Acknowledgement, Opcode::SendOnly), Some(Answer::Acknowledgement));
        assert_eq!(by(IbaEcho::Acknowledgement, Opcode::ReadResponseMiddle), Some(Answer::Cnp));
        assert_eq!(by(IbaEcho::Acknowledgement, Opcode::ReadRequest), Some(Answer::Cnp));
        for echo in [IbaEcho::Cnp, IbaEcho::Acknowledgement] {
            assert_eq!(by(echo, Opcode::Acknowledge), None);
            assert_eq!(by(echo, Opcode::Cnp), None);
        }
    }

    #[test]
    fn what_is_not_acknowledged_is_answered_by_a_cnp() {
        let over = |transport| {
            let mut packet = packet(Opcode::SendOnly, BthFlags::FECN);
            packet.bth.transport = transport;
            answer(IbaEcho::Acknowledgement, &packet)
        };
        assert_eq!(over(TransportService::Rd), Some(Answer::Acknowledgement));
        assert_eq!([TransportService::Uc, TransportService::Ud].map(over), [Some(Answer::Cnp); 2]);
    }

    #[test]
    fn becn_hides_fecn() {
        let both = packet(Opcode::SendMiddle, BthFlags::FECN | BthFlags::BECN);
        assert_eq!(answer(IbaEcho::Cnp, &both), None);
    }
}
