//! A CNP precedes all other packets of its adapter, of whatever lane; replies leave as soon as the wire is free.

use ca_transport::AdapterSpec;
use cc_policies::AnyEcho;
use cc_policies::dcqcn::spec::{CnpEcho, CnpWindow};
use cc_policies::hp::spec::HpResponseSpec;
use link_layer::spec::{VlArbitrationSpec, VlWeight};
use packet::header::Syndrome;
use packet::{BthFlags, Opcode, Packet, ServiceLevel, TransportService};
use units::{Bytes, Rate, Span, Time};
use workload::Operation;

use super::rig::{Fate, PLAIN, Pair, Setup, listed, saturating};

/// "The CNP precedes other traffic" (Gran and Reinemo 2011, 3.2.2). The lane of CNPs has low priority beside a
/// saturated lane of high priority without limit, which alone would starve them: each leaves in the first gap between
/// packets.
#[test]
fn a_cnp_leaves_before_all_other_lanes() {
    let dcqcn = CnpEcho { interval: Span::from_us(3), window: CnpWindow::FromCnp, service_level: Some(0) };
    for echo in [AnyEcho::Cnp, AnyEcho::Hp, AnyEcho::Dcqcn(dcqcn)] {
        let arbitration = VlArbitrationSpec {
            high: vec![VlWeight { lane: 1, weight: 255 }],
            low: vec![VlWeight { lane: 0, weight: 1 }],
            limit_of_high_priority: 255,
            ..Default::default()
        };
        let setup = Setup { arbitration, ..Setup::new(echo, HpResponseSpec::NONE) };
        let mut data = 0;
        let mut pair = Pair::new(&setup, |node, packet| {
            data += u64::from(node == 0 && packet.payload > 0);
            let marked = node == 0 && packet.payload > 0 && data.is_multiple_of(3);
            if marked { Fate::Marked } else { Fate::Arrives }
        });
        let service = (TransportService::Uc, Operation::Send);
        pair.open(service, 0, ServiceLevel(0), &saturating(Bytes::kib(2), Time::NEVER));
        pair.open(service, 1, ServiceLevel(1), &saturating(Bytes::kib(2), Time::NEVER));
        let record = pair.run(Span::from_us(300).after_start());
        let marks =
            record.iter().enumerate().filter(|(_, seen)| seen.arrives && seen.packet.has(BthFlags::FECN));
        let mut answered = 0;
        for (index, mark) in marks {
            let next = record[index..].iter().find(|seen| seen.node == 1 && !seen.arrives);
            let Some(next) = next else { continue };
            assert_eq!(next.packet.bth.opcode, Opcode::Cnp, "{echo:?}: after the mark at {}", mark.at);
            answered += 1;
        }
        assert!(answered > 30, "{echo:?}: {answered} CNPs");
    }
}

/// Replies that wait for the wire leave when it is free, without another event to remind the adapter. The data on the
/// wire go first, then the CNP, then the acknowledgement.
#[test]
fn replies_leave_when_the_wire_is_free() {
    for lanes in [1, 2] {
        let setup = Setup { lanes, ..Setup::new(AnyEcho::Cnp, HpResponseSpec::NONE) };
        let mark = |node, _: &Packet| if node == 0 { Fate::Marked } else { Fate::Arrives };
        let mut pair = Pair::new(&setup, mark);
        let at_once = |bytes| listed([(Time::ZERO, Bytes::new(bytes))]);
        pair.open((TransportService::Rc, Operation::Send), 0, ServiceLevel(0), &at_once(64));
        pair.open((TransportService::Uc, Operation::Send), 1, ServiceLevel(0), &at_once(2048));
        let record = pair.run(Span::from_us(1).after_start()).to_vec();
        assert!(!pair.adapters[1].at_rest(Span::from_us(1).after_start()), "a packet and replies are left");
        assert_eq!(record.iter().filter(|seen| seen.node == 1 && seen.arrives).count(), 1, "it has come");
        let record = pair.run_on(Span::from_us(100).after_start());
        let left: Vec<_> = record.iter().filter(|seen| seen.node == 1 && !seen.arrives).collect();
        let opcodes: Vec<_> = left.iter().map(|seen| seen.packet.bth.opcode).collect();
        assert_eq!(opcodes, [Opcode::SendOnly, Opcode::Cnp, Opcode::Acknowledge]);
        for pair in left.windows(2) {
            let wire_time = Rate::gbps(8).time_for(pair[0].packet.wire_bytes());
            assert_eq!(pair[1].at, pair[0].at + wire_time, "{lanes} lanes");
        }
    }
}

/// An adapter is at rest only once its last packet has left, though no endpoint waits for anything.
#[test]
fn an_adapter_with_a_busy_wire_is_not_at_rest() {
    let mut pair = Pair::new(&Setup::new(AnyEcho::Cnp, HpResponseSpec::NONE), |_, _| Fate::Arrives);
    let once = listed([(Time::ZERO, Bytes::kib(2))]);
    pair.open((TransportService::Uc, Operation::Send), 0, ServiceLevel(0), &once);
    let at = |us| Span::from_us(us).after_start();
    pair.run(at(1));
    assert_eq!(pair.adapters.each_ref().map(|adapter| adapter.at_rest(at(1))), [false, true]);
    pair.run_on(at(1000));
    assert!(pair.adapters.iter().all(|adapter| adapter.at_rest(at(1000))));
}

/// Acknowledgements, positive and negative, take their own service level and its lane; data and CNPs keep their flow's.
#[test]
fn acknowledgements_take_their_own_level() {
    let adapter = AdapterSpec { ack_service_level: Some(1), ..PLAIN };
    for (adapter, level) in [(adapter, 1), (PLAIN, 0)] {
        let setup = Setup { lanes: 2, adapter, ..Setup::new(AnyEcho::Cnp, HpResponseSpec::NONE) };
        let mut data = 0;
        let mut pair = Pair::new(&setup, |node, packet| {
            data += u64::from(node == 0 && packet.payload > 0);
            match data {
                5 if node == 0 => Fate::Lost,
                9 if node == 0 => Fate::Marked,
                _ => Fate::Arrives,
            }
        });
        let service = (TransportService::Rc, Operation::Send);
        let until = Span::from_us(60).after_start();
        pair.open(service, 0, ServiceLevel(0), &saturating(Bytes::kib(2), until));
        let record = pair.run(Span::from_us(20_000).after_start());
        let of = |opcode| record.iter().filter(move |seen| !seen.arrives && seen.packet.bth.opcode == opcode);
        let levels =
            |opcode| of(opcode).map(|seen| (seen.packet.lrh.service_level().0, seen.packet.lrh.lane.0));
        let mut acknowledged = levels(Opcode::Acknowledge);
        assert!(of(Opcode::Acknowledge).any(|seen| seen.packet.syndrome == Syndrome::SequenceError));
        assert!(acknowledged.all(|seen| seen == (level, level)), "level {level}");
        assert_eq!(levels(Opcode::Cnp).collect::<Vec<_>>(), [(0, 0)]);
        assert!(levels(Opcode::SendOnly).all(|seen| seen == (0, 0)));
    }
}
