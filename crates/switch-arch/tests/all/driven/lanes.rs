//! Lanes: the tables of service levels, and the order of lanes on a wire.

use std::sync::Arc;

use link_layer::VlArbiter;
use link_layer::spec::{VlArbitrationSpec, VlWeight};
use packet::{Lane, Lid, Lrh, PortId, ServiceLevel, VoqId};
use switch_arch::SwitchSetup;
use switch_arch::spec::BufferingSpec;
use switch_arch::tables::SlToVl;

use super::probe::{BLOCKS, Probe, RATE, SLOT, at, credits, parts};

const AMPLE: [u64; 2] = [2_000; 2];

/// Tables in which the lane depends on the input, the output and the service level.
fn tables() -> SlToVl {
    let mut tables = SlToVl::new(4, [Lane(0); 16]);
    for input in 0..4 {
        for output in 0..4 {
            let lane =
                |level: usize| Lane(u8::from((level + usize::from(input) * 3) % 5 < usize::from(output)));
            tables.set(Some(PortId(input)), Some(PortId(output)), core::array::from_fn(lane));
        }
    }
    tables
}

/// A packet leaves by the output of its destination, on the lane that the tables give its service level, or on its own.
/// The switch says beforehand which these are.
#[test]
fn a_packet_leaves_on_the_lane_of_its_service_level() {
    for buffering in BufferingSpec::ALL {
        for with_tables in [true, false] {
            let sl_to_vl = with_tables.then(|| Arc::new(tables()));
            let parts = parts(buffering, &[RATE; 4], &credits(&AMPLE, &AMPLE));
            let mut probe = Probe::new(SwitchSetup { sl_to_vl, ..parts });
            for number in 0..4 * 4 * 16_u64 {
                let (input, output, level) =
                    ((number / 64) as u16, (number / 16 % 4) as u16, (number % 16) as u8);
                probe.send_as(at(number * 300), input, output, 1, |packet| {
                    packet.tail = at(number * 300);
                    packet.lrh = packet.lrh.with_service_level(ServiceLevel(level));
                });
            }
            probe.run_until(at(300_000));
            assert_eq!(probe.world.departures.len(), 4 * 4 * 16, "{buffering:?}");
            for departure in &probe.world.departures {
                let (packet, output) = (&departure.packet, departure.output);
                let (input, level) = (packet.voq().input, packet.lrh.service_level());
                let table = with_tables.then(|| tables().lane((input, output), level));
                assert_eq!(packet.lrh.lane, table.unwrap_or(Lane(1)), "{buffering:?}");
                assert_eq!(packet.arrived_on(), Lane(1), "{buffering:?}");
                assert_eq!(probe.switch.lane_of(input, output, packet), table, "{buffering:?}");
                assert_eq!(probe.switch.output_of(packet), Some(output), "{buffering:?}");
                let mut elsewhere = *packet;
                let lrh = elsewhere.lrh;
                elsewhere.lrh = Lrh::new(lrh.source(), Lid(4), lrh.lane, lrh.service_level());
                assert_eq!(probe.switch.output_of(&elsewhere), None, "no port leads there");
            }
        }
    }
}

/// Where lanes change, packets of a virtual output queue may come from several buffers of their input.
#[test]
fn a_view_shows_the_buffers_that_a_queue_may_occupy() {
    for buffering in [BufferingSpec::InputFifo, BufferingSpec::InputVoq, BufferingSpec::Central] {
        let mut tables = SlToVl::new(4, [Lane(0); 16]);
        tables.set(None, Some(PortId(3)), [Lane(1); 16]);
        let parts = parts(buffering, &[RATE; 4], &credits(&AMPLE, &[0; 2]));
        let mut probe = Probe::new(SwitchSetup { sl_to_vl: Some(Arc::new(tables)), ..parts });
        probe.send(at(100), 0, 3, 0);
        probe.send(at(100), 0, 2, 1);
        probe.send(at(100), 1, 3, 1);
        probe.run_until(at(200));
        let (view, pool) = (probe.switch.view(), &probe.world.pool);
        let buffers = |input, output, lane| {
            let voq = VoqId { input: PortId(input), output: PortId(output), lane: Lane(lane) };
            [0, 1].map(|lane| view.arrived_on(voq, Lane(lane), pool))
        };
        assert_eq!(buffers(0, 3, 1), [true, false], "{buffering:?}");
        assert_eq!(buffers(0, 2, 0), [false, true], "{buffering:?}");
        assert_eq!(buffers(1, 3, 1), [false, true], "{buffering:?}");
        assert_eq!(buffers(1, 2, 0), [false, false], "{buffering:?}: no such packet waits");
    }
}

/// The lanes of an output share its wire as its arbitration table says, in every organisation. The lane with the larger
/// weight sends three packets for each packet of the other. With a crossbar that is fast enough the queues at the
/// output always have packets of both, after the first.
#[test]
fn lanes_share_a_wire_by_their_weights() {
    for buffering in BufferingSpec::ALL {
        for favoured in [0, 1] {
            // A turn ends with the packet that exceeds its weight: 13 times 64 bytes are two packets and a part.
            let weight = |lane| VlWeight { lane, weight: if lane == favoured { 13 } else { 4 } };
            let table = VlArbitrationSpec { low: vec![weight(0), weight(1)], ..VlArbitrationSpec::default() };
            let parts = parts(buffering, &[RATE; 4], &credits(&AMPLE, &AMPLE));
            let lanes = vec![VlArbiter::new(&table); 4];
            let mut probe = Probe::new(SwitchSetup { lanes, speedup_thousandths: 4_000, ..parts });
            for _ in 0..13 {
                (0..2).for_each(|lane| probe.send(at(100), u16::from(lane), 3, lane));
            }
            probe.run_until(at(100) + SLOT * 12);
            let lanes = probe.world.departures.iter().map(|departure| departure.packet.lrh.lane);
            let lanes: Vec<_> = lanes.skip(1).collect();
            let shares = [0, 1].map(|lane| lanes.iter().filter(|of| **of == Lane(lane)).count());
            assert_eq!(shares, if favoured == 0 { [9, 3] } else { [3, 9] }, "{buffering:?}: {lanes:?}");
        }
    }
}

/// An output without credit on a lane sends on the others. A switch with a packet that waits behind its crossbar is not
/// at rest, although the buffer at its input is free.
#[test]
fn a_lane_without_credit_holds_back_itself_alone() {
    for buffering in BufferingSpec::ALL {
        let far_room = [0, 3 * BLOCKS];
        let mut probe = Probe::new(parts(buffering, &[RATE; 4], &credits(&AMPLE, &far_room)));
        (0..3).for_each(|_| probe.send(at(100), 0, 3, 1));
        probe.grant(at(100) + SLOT * 8, 3, 1, 6 * BLOCKS);
        probe.send(at(100), 1, 3, 0);
        let later = at(100) + SLOT * 10;
        probe.run_until(later);
        assert_eq!([0, 1].map(|lane| probe.left(3, lane, |_| true)), [0, 3], "{buffering:?}");
        let view = probe.switch.view();
        let held = view.observed(PortId(1), Lane(0)).0.held();
        assert_eq!(held.get() == 0, buffering.has_output_queues(), "{buffering:?}");
        assert!(!view.at_rest(later), "{buffering:?}: a packet waits");
        assert!(view.links().nth(3).is_some_and(|link| link.at_rest(later)), "{buffering:?}");
    }
}
