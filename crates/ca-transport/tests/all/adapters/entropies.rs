//! Entropy values of packets, and their repetition by acknowledgements.

use std::collections::BTreeSet;

use ca_transport::entropy::{BitmapSpec, EntropySpec, RepsSpec};
use ca_transport::{AdapterSpec, DeliverySpec, RecoverySpec};
use cc_policies::AnyEcho;
use packet::{BthFlags, Opcode, Packet, ServiceLevel, TransportService};
use units::{Bytes, Span, Time};
use workload::Operation;

use super::rig::{Fate, PLAIN, Pair, Record, Setup, listed, services};

const ALL: [EntropySpec; 5] = [
    EntropySpec::Flow,
    EntropySpec::Random,
    EntropySpec::RoundRobin,
    EntropySpec::Bitmap(BitmapSpec { values: 64 }),
    EntropySpec::Reps(RepsSpec { kept: 8, freeze: Span::from_us(100) }),
];

/// Returns the packets of a message of 64 KiB, with these values, service and fates.
fn packets(
    entropy: EntropySpec,
    service: (TransportService, Operation),
    fates: impl FnMut(usize, &Packet) -> Fate,
) -> Vec<Record> {
    let mut setup = Setup::new(AnyEcho::Cnp, cc_policies::hp::spec::HpResponseSpec::NONE);
    setup.adapter = AdapterSpec { entropy, ..PLAIN };
    // Losses and in-order delivery would repeat packets.
    if service.0 == TransportService::Rc {
        setup.adapter.delivery = DeliverySpec::AnyOrder(ca_transport::reordering::AnyOrderSpec::default());
        setup.adapter.recovery =
            RecoverySpec::SelectiveRepeat(ca_transport::reordering::SelectiveRepeatSpec::default());
    }
    let mut pair = Pair::new(&setup, fates);
    pair.open(service, 0, ServiceLevel(0), &listed([(Time::ZERO, Bytes::kib(64))]));
    pair.run(Span::from_us(500).after_start()).to_vec()
}

fn values(records: &[Record], is_it: impl Fn(&Packet) -> bool) -> Vec<u16> {
    let sent = records.iter().filter(|record| !record.arrives && is_it(&record.packet));
    sent.map(|record| record.packet.entropy()).collect()
}

/// Every service and operation sprays its data, and only data: 32 packets have as many values, or one without a source. The
/// headers that share their room with values are those without a source.
#[test]
fn data_of_every_service_has_the_values_of_its_source() {
    for (service, entropy) in services().into_iter().flat_map(|service| ALL.map(|entropy| (service, entropy)))
    {
        // A message of UD is one packet.
        if service.0 == TransportService::Ud {
            continue;
        }
        let records = packets(entropy, service, |_, _| Fate::Arrives);
        let data = values(&records, |packet| packet.bth.opcode.is_data());
        assert_eq!(data.len(), 32, "{service:?}, {entropy:?}");
        let different = data.iter().collect::<BTreeSet<_>>().len();
        match entropy {
            EntropySpec::Flow => assert_eq!(data, [0; 32], "{service:?}"),
            EntropySpec::RoundRobin | EntropySpec::Bitmap(_) => assert_eq!(different, 32, "{service:?}"),
            EntropySpec::Random => assert!(different > 30 && !data.contains(&0), "{service:?}"),
            // On an idle wire each value comes back as good before two more packets have left.
            EntropySpec::Reps(_) => assert!(different >= 2 && !data.contains(&0), "{service:?}"),
        }
        let keys: BTreeSet<u64> = records
            .iter()
            .filter(|record| !record.packet.bth.opcode.is_data() && record.packet.lrh.source().0 == 2)
            .map(|record| record.packet.flow_key())
            .collect();
        assert!(keys.len() <= 1, "answers of a flow have its key: {keys:?}");
    }
}

/// An acknowledgement repeats the value of its packet, and whether the packet came marked.
#[test]
fn acknowledgements_repeat_the_value_and_the_mark() {
    let marks = |from: usize, packet: &Packet| {
        if from == 0 && packet.bth.psn.get().is_multiple_of(3) { Fate::Marked } else { Fate::Arrives }
    };
    let records = packets(EntropySpec::Random, (TransportService::Rc, Operation::RdmaWrite), marks);
    let arrived = records.iter().filter(|record| record.arrives && record.packet.bth.opcode.is_data());
    let arrived: Vec<_> =
        arrived.map(|record| (record.packet.entropy(), record.packet.has(BthFlags::FECN))).collect();
    let acknowledgements =
        records.iter().filter(|record| !record.arrives && record.packet.bth.opcode == Opcode::Acknowledge);
    let repeated: Vec<_> =
        acknowledgements.map(|record| (record.packet.entropy(), record.packet.has(BthFlags::ECHO))).collect();
    assert!(arrived.iter().any(|(_, marked)| *marked) && arrived.len() == 32);
    assert_eq!(repeated, arrived);
}

/// Recycling avoids the values that were marked; a random source does not.
#[test]
fn recycled_values_avoid_the_marked() {
    let odd = |from: usize, packet: &Packet| {
        if from == 0 && packet.entropy() % 2 == 1 { Fate::Marked } else { Fate::Arrives }
    };
    let share = |entropy| {
        let records = packets(entropy, (TransportService::Rc, Operation::RdmaWrite), odd);
        let data = values(&records, |packet| packet.bth.opcode.is_data());
        // The first values are drawn before any answer is there.
        data[8..].iter().filter(|value| **value % 2 == 1).count()
    };
    let (recycled, random) = (
        share(EntropySpec::Reps(RepsSpec { kept: 8, freeze: Span::from_us(100) })),
        share(EntropySpec::Random),
    );
    assert!(recycled <= 3 && random >= 7, "{recycled} and {random} of 24");
}
