//! A CNP precedes all other packets of its adapter, of whatever lane.

use cc_policies::AnyEcho;
use cc_policies::dcqcn::spec::{CnpEcho, CnpWindow};
use cc_policies::hp::spec::HpResponseSpec;
use link_layer::spec::{VlArbitrationSpec, VlWeight};
use packet::{BthFlags, Opcode, ServiceLevel, TransportService};
use units::{Bytes, Span, Time};
use workload::Operation;

use crate::rig::{Fate, Pair, Setup, saturating};

/// "The CNP precedes other traffic" (Gran and Reinemo 2011, 3.2.2). The lane of CNPs has low priority beside a saturated
/// lane of high priority without limit, which alone would starve them: each leaves in the first gap between packets.
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
