//! Cost of a packet's decisions: marking at a switch, and the response's gap at a source.
//!
//! A marker sees a packet join and leave an output's queue; a response sees a packet sent, and every 64th packet
//! notified. Each policy decides through the closed set, as in a run. `hot` and `calm` differ by the queue: above every
//! threshold, or empty.
//!
//! `cargo bench -p cc-policies`

use std::hint::black_box;

use cc_policies::dcqcn::spec::{DcqcnResponseSpec, MarkedAt, Preset, RedMarkingSpec};
use cc_policies::hp::spec::{HpMarkingSpec, HpResponseSpec, RateControl, RpiAfterDecrease};
use cc_policies::iba::spec::{
    CctSpec, ComparedLoad, IbaMarkingSpec, IbaResponseSpec, PortControl, TimerStart, VictimMask,
};
use cc_policies::own::{OwnPolicies, ResponseSetup};
use cc_policies::{
    AnyMarker, AnyResponse, BufferOwner, BufferView, LimitedBy, Marker, MarkerSetup, MarkingSpec,
    Notification, QueueView, Response, ResponseSpec, SentPacket,
};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use packet::{Lane, PortId, ServiceLevel, VoqId};
use rand_pcg::Pcg64Mcg;
use units::{Bytes, Rate, Span, Time};

const RADIX: u16 = 36;
const PACKET: Bytes = Bytes::new(2074);
const CAPACITY: Bytes = Bytes::kib(32);

fn markings() -> [(&'static str, MarkingSpec); 4] {
    let iba = IbaMarkingSpec {
        threshold: 15,
        packet_size: 0,
        marking_rate: 0,
        victim_mask: VictimMask::AdapterPorts,
        compare: ComparedLoad::Sum,
        hysteresis: Bytes::ZERO,
        ports: Vec::new(),
    };
    let hp = HpMarkingSpec::PROPOSAL;
    let red = RedMarkingSpec {
        kmin: Bytes::new(5_000),
        kmax: Bytes::kib(200),
        pmax: 0.01,
        by_rate: Vec::new(),
        at: MarkedAt::Departure,
    };
    [
        ("Off", MarkingSpec::Off),
        ("Iba", MarkingSpec::Iba(iba)),
        ("Hp", MarkingSpec::Hp(hp)),
        ("Red", MarkingSpec::Red(red)),
    ]
}

fn responses() -> [(&'static str, ResponseSpec); 4] {
    let iba = IbaResponseSpec {
        port_control: PortControl::QueuePair,
        cct: CctSpec::Linear { entries: 128, shift: 0, step: 1 },
        ccti_limit: 127,
        ccti_increase: 1,
        ccti_min: 0,
        ccti_timer: 150,
        trigger_threshold: 0,
        timer_start: TimerStart::FirstBecn,
        service_levels: Vec::new(),
    };
    let hp = HpResponseSpec {
        rate: Some(RateControl::Lipd { max_ipd: 255 }),
        rpi_after_decrease: RpiAfterDecrease::Reloaded,
        ..HpResponseSpec::NONE
    };
    [
        ("Off", ResponseSpec::Off),
        ("Iba", ResponseSpec::Iba(iba)),
        ("Hp", ResponseSpec::Hp(hp)),
        ("Dcqcn", ResponseSpec::Dcqcn(DcqcnResponseSpec::preset(Preset::Recommended))),
    ]
}

/// Reports a packet to a marker: entering a buffer, joining a queue of `behind` bytes, and leaving.
fn pass(marker: &mut AnyMarker, voq: VoqId, behind: Bytes) -> bool {
    let view = |sum| QueueView { voq: sum, sum, inputs: 1, wire_busy: false };
    if marker.heeds_buffers(BufferOwner::Inputs) {
        let held = behind + PACKET;
        let buffer = BufferView { held, room: CAPACITY.saturating_sub(held) };
        marker.buffer_changed(voq.input, voq.lane, buffer);
    }
    marker.queue_changed(voq, view(behind + PACKET));
    marker.queue_changed(voq, view(behind));
    let at_input = marker.left_input(voq);
    at_input.or(marker.departing(voq, PACKET)).is_some()
}

fn marking(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("marking");
    group.throughput(Throughput::Elements(1));
    let setup = MarkerSetup {
        name: "S".to_owned(),
        radix: RADIX.into(),
        lanes: 1,
        buffers_of: BufferOwner::Inputs,
        capacity: CAPACITY,
        longest_packet: PACKET,
        numbers: (1..=RADIX).collect(),
        faces_adapter: vec![true; RADIX.into()],
        rates: vec![Rate::gbps(40); RADIX.into()],
        stream: Pcg64Mcg::new(1),
    };
    for (name, spec) in markings() {
        for (load, behind) in [("calm", Bytes::ZERO), ("hot", CAPACITY)] {
            let mut marker = AnyMarker::new(&spec, &OwnPolicies::NONE, &setup);
            let mut port = 0;
            group.bench_function(BenchmarkId::new(name, load), |bencher| {
                bencher.iter(|| {
                    port = (port + 1) % RADIX;
                    let voq =
                        VoqId { input: PortId(port), output: PortId((port + 7) % RADIX), lane: Lane(0) };
                    pass(&mut marker, voq, black_box(behind))
                });
            });
        }
    }
    group.finish();
}

fn response(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("response");
    group.throughput(Throughput::Elements(1));
    let (line, packet_time) = (Rate::gbps(40), Rate::gbps(40).time_for(PACKET));
    for (name, spec) in responses() {
        for (load, notified_every) in [("calm", u64::MAX), ("hot", 64)] {
            let response =
                AnyResponse::new(&spec, &OwnPolicies::NONE, ResponseSetup { line, stream: Pcg64Mcg::new(1) });
            let mut flow = response.at_rest(ServiceLevel(0));
            let (mut now, mut number) = (Time::ZERO, 0);
            group.bench_function(BenchmarkId::new(name, load), |bencher| {
                bencher.iter(|| {
                    number += 1;
                    if number % notified_every == 0 {
                        response.on_notification(&mut flow, Notification { psn: None, next: number }, now);
                    }
                    let sent = SentPacket { limited_by: LimitedBy::Rate, length: PACKET };
                    response.on_sent(&mut flow, sent, now);
                    let gap = response.gap(&mut flow, black_box(packet_time), now);
                    now += packet_time;
                    gap.max(Span::from_ps(u64::from(response.window(&flow))))
                });
            });
        }
    }
    group.finish();
}

criterion_group! {
    name = decisions;
    config = Criterion::default().sample_size(20).warm_up_time(std::time::Duration::from_millis(200))
        .measurement_time(std::time::Duration::from_millis(500));
    targets = marking, response
}
criterion_main!(decisions);
