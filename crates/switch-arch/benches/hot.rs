//! Hot parts of a switch: storing and taking packets in each organisation, and the matchings of each arbiter.
//!
//! A crossbar of 32 ports and a single lane, full: every input has four packets for every output. A pass takes a packet
//! of every virtual output queue and stores it again, so queues stay as long as they are.
//!
//! `cargo bench -p switch-arch`

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use packet::{
    Bth, BthFlags, FlowId, Lane, Lid, Lrh, Opcode, Packet, PacketPool, PortId, Psn, QpNumber, ServiceLevel,
    VoqId,
};
use switch_arch::arbitration::{AnyArbiter, Arbiter, Request, Requests};
use switch_arch::buffering::{
    Buffering, Central, CombinedInputOutput, Contention, InputFifo, InputVoq, Output,
};
use switch_arch::spec::{ArbiterSpec, BufferingSpec};
use switch_arch::tables::PortSet;
use units::{Bytes, Time};

const PORTS: u16 = 32;
const LANES: usize = 1;
/// Packets of each virtual output queue.
const DEPTH: u16 = 4;

fn packet(voq: VoqId) -> Packet {
    let lrh = Lrh::new(Lid(1), Lid(2), voq.lane, ServiceLevel(0));
    let bth = Bth {
        destination_qp: QpNumber(0),
        psn: Psn::new(0),
        opcode: Opcode::SendOnly,
        transport: packet::TransportService::Rc,
        flags: BthFlags::empty(),
    };
    let mut packet = Packet::new(lrh, bth, QpNumber(0), FlowId(0), 2048);
    packet.set_ports(voq.input, voq.output);
    packet
}

fn voqs() -> impl Iterator<Item = VoqId> {
    let ports = || (0..PORTS).map(PortId);
    ports().flat_map(move |input| ports().map(move |output| VoqId { input, output, lane: Lane(0) }))
}

/// Measures a pass through an organisation full of packets.
fn hold(criterion: &mut Criterion, name: &str, mut buffering: impl Buffering) {
    let mut contention = Contention::<1>::new(usize::from(PORTS), LANES);
    let mut pool = PacketPool::default();
    for voq in (0..DEPTH).flat_map(|_| voqs()) {
        let id = pool.insert(packet(voq));
        buffering.store(voq, id, &mut contention, &mut pool);
    }
    let mut group = criterion.benchmark_group("store and take");
    group.throughput(Throughput::Elements(u64::from(PORTS)));
    group.bench_function(BenchmarkId::from_parameter(name), |bencher| {
        bencher.iter(|| {
            for output in (0..PORTS).map(PortId) {
                let mut contenders = contention.contenders(output, Lane(0));
                let Some(input) = contenders.pop() else { continue };
                let voq = VoqId { input, output, lane: Lane(0) };
                let taken = buffering.take(voq, &mut contention, &pool);
                buffering.depart(voq, pool[taken.packet].wire, &mut contention, Time::ZERO);
                black_box(buffering.store(voq, taken.packet, &mut contention, &mut pool));
            }
        });
    });
    group.finish();
}

fn organisations(criterion: &mut Criterion) {
    let (ports, lanes) = (usize::from(PORTS), LANES);
    for spec in BufferingSpec::ALL {
        let name = format!("{spec:?}");
        match spec {
            BufferingSpec::InputFifo => hold(criterion, &name, InputFifo::new(ports, lanes)),
            BufferingSpec::InputVoq => hold(criterion, &name, InputVoq::new(ports, lanes)),
            BufferingSpec::Output => hold(criterion, &name, Output::new(ports, lanes, Bytes::kib(64))),
            BufferingSpec::Central => hold(criterion, &name, Central::new(ports, lanes)),
            BufferingSpec::CombinedInputOutput => {
                let limits = vec![100_000_000_000; ports];
                hold(criterion, &name, CombinedInputOutput::new(lanes, Bytes::kib(64), &limits));
            }
        }
    }
}

/// Requests of an instant in which every input can be read once.
struct Once {
    requests: Vec<Request<1>>,
    read: PortSet<1>,
}

impl Requests<1> for Once {
    fn count(&self) -> usize {
        self.requests.len()
    }

    fn request(&self, index: usize) -> Request<1> {
        let request = self.requests[index];
        Request { contenders: request.contenders.without(&self.read), ..request }
    }

    fn since(&self, index: usize, input: PortId) -> Time {
        Time::from_ps(index as u64 * 7 + u64::from(input.0) * 13)
    }

    fn grant(&mut self, _: usize, input: PortId) {
        self.read.insert(input);
    }
}

/// Measures matchings between this many outputs and inputs that all contend for all of them.
fn matchings(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("matching");
    for outputs in [1, 2, 8, PORTS] {
        let mut contenders = PortSet::EMPTY;
        (0..outputs).for_each(|input| contenders.insert(PortId(input)));
        let request = |output| Request { output: PortId(output), lane: Lane(0), contenders };
        let mut requests = Once { requests: (0..outputs).map(request).collect(), read: PortSet::EMPTY };
        group.throughput(Throughput::Elements(u64::from(outputs)));
        for spec in ArbiterSpec::EXAMPLES {
            let mut arbiter = AnyArbiter::new(spec, usize::from(PORTS), LANES);
            group.bench_function(BenchmarkId::new(format!("{spec:?}"), outputs), |bencher| {
                bencher.iter(|| {
                    requests.read = PortSet::EMPTY;
                    arbiter.matching(&mut requests);
                    black_box(&requests.read);
                });
            });
        }
    }
    group.finish();
}

criterion_group!(benches, organisations, matchings);
criterion_main!(benches);
