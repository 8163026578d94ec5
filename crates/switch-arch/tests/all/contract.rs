//! The contracts of buffer organisations and of arbiters, run for each of them.
//!
//! Invariant: a variant of `BufferingSpec` or `ArbiterSpec` that is not run here does not compile.

use std::collections::{BTreeMap, VecDeque};

use cc_policies::policy::QueueView;
use packet::{
    Bth, BthFlags, FlowId, Lane, Lid, Lrh, Opcode, Packet, PacketPool, PortId, Psn, QpNumber, ServiceLevel,
    VoqId,
};
use proptest::prelude::*;
use switch_arch::arbitration::{AnyArbiter, Arbiter, Request, Requests};
use switch_arch::buffering::{
    Buffering, Central, CombinedInputOutput, Contention, InputFifo, InputVoq, Output, Taken,
};
use switch_arch::spec::{ArbiterSpec, BufferingSpec};
use switch_arch::tables::PortSet;
use units::{Bytes, Time};

const PORTS: u16 = 5;
const LANES: u8 = 2;

/// Every arbiter; iSLIP also with enough iterations for a maximal match.
fn arbiters() -> impl Iterator<Item = ArbiterSpec> {
    ArbiterSpec::EXAMPLES.into_iter().chain([ArbiterSpec::Islip { iterations: PORTS as u8 }])
}

fn packet(number: u32, voq: VoqId) -> Packet {
    let lrh = Lrh::new(Lid(1), Lid(2), voq.lane, ServiceLevel(0));
    let flags = BthFlags::empty();
    let bth = Bth {
        destination_qp: QpNumber(0),
        psn: Psn::new(number),
        opcode: Opcode::SendOnly,
        transport: packet::TransportService::Rc,
        flags,
    };
    let mut packet = Packet::new(lrh, bth, QpNumber(0), FlowId(0), 64);
    packet.set_ports(voq.input, voq.output);
    packet
}

fn voqs() -> impl Iterator<Item = VoqId> {
    (0..PORTS).flat_map(|input| {
        (0..PORTS).flat_map(move |output| {
            (0..LANES).map(move |lane| VoqId {
                input: PortId(input),
                output: PortId(output),
                lane: Lane(lane),
            })
        })
    })
}

fn voq() -> impl Strategy<Value = VoqId> {
    (0..PORTS, 0..PORTS, 0..LANES).prop_map(|(input, output, lane)| VoqId {
        input: PortId(input),
        output: PortId(output),
        lane: Lane(lane),
    })
}

/// An organisation under test, and an oracle: the numbers of the packets of each virtual output queue, in order.
struct Bench<B> {
    buffering: B,
    contention: Contention,
    pool: PacketPool,
    stored: BTreeMap<(u16, u16, u8), VecDeque<u32>>,
}

impl<B: Buffering> Bench<B> {
    fn new(buffering: B) -> Self {
        let contention = Contention::new(usize::from(PORTS), usize::from(LANES));
        Self { buffering, contention, pool: PacketPool::default(), stored: BTreeMap::new() }
    }

    fn oracle(&mut self, voq: VoqId) -> &mut VecDeque<u32> {
        self.stored.entry((voq.input.0, voq.output.0, voq.lane.0)).or_default()
    }

    fn contends(&self, voq: VoqId) -> bool {
        self.contention.contenders(voq.output, voq.lane).contains(voq.input)
    }

    fn store(&mut self, number: u32, voq: VoqId) -> Result<(), TestCaseError> {
        let id = self.pool.insert(packet(number, voq));
        let view = self.buffering.store(voq, id, &mut self.contention, &mut self.pool);
        self.oracle(voq).push_back(number);
        self.shows(voq, view)
    }

    /// A marker learns the length of the queue that changed, and the load of its output and lane: bytes and inputs.
    fn shows(&self, voq: VoqId, view: QueueView) -> Result<(), TestCaseError> {
        let packets = |input: u16| {
            self.stored.get(&(input, voq.output.0, voq.lane.0)).map_or(0, |queue| queue.len() as u64)
        };
        let length = packet(0, voq).wire_bytes();
        prop_assert_eq!(view.voq, length * packets(voq.input.0));
        prop_assert_eq!(view.sum, length * (0..PORTS).map(packets).sum());
        prop_assert_eq!(view.inputs as usize, (0..PORTS).filter(|input| packets(*input) > 0).count());
        Ok(())
    }

    fn take(&mut self, voq: VoqId) -> Result<(), TestCaseError> {
        let head = self.buffering.head(voq);
        let others = |bench: &Self| -> Vec<VoqId> {
            voqs().filter(|other| other.output != voq.output && bench.contends(*other)).collect()
        };
        let before = others(self);
        let Taken { packet, exposed } = self.buffering.take(voq, &mut self.contention, &self.pool);
        prop_assert_eq!(packet, head);
        let packet = self.pool.remove(packet);
        let view = self.buffering.depart(voq, packet.wire, &mut self.contention, Time::ZERO);
        prop_assert_eq!(Some(packet.bth.psn.get()), self.oracle(voq).pop_front());
        self.shows(voq, view)?;
        let mut after = others(self);
        after.retain(|other| !before.contains(other));
        prop_assert_eq!(after.first().map(|other| other.output), exposed, "another output gains a contender");
        prop_assert!(after.len() <= 1);
        Ok(())
    }

    /// An input contends only if it has a packet waiting, and some input contends whenever a packet waits. Bytes are
    /// counted for exactly the packets that wait.
    fn check(&mut self) -> Result<(), TestCaseError> {
        for voq in voqs() {
            let waiting = self.oracle(voq).len() as u32;
            prop_assert_eq!(*self.buffering.waiting(voq), waiting * u32::from(packet(0, voq).wire));
            prop_assert!(!self.contends(voq) || waiting > 0);
            prop_assert!(!self.contends(voq) || self.contention.lanes(voq.output).contains(voq.lane));
        }
        let waits = self.stored.values().any(|queue| !queue.is_empty());
        prop_assert_eq!(waits, (0..PORTS).any(|output| !self.contention.lanes(PortId(output)).is_empty()));
        Ok(())
    }
}

/// Packets are stored and taken in any order: none is lost or invented, every flow keeps its order, and all queues
/// drain.
fn keeps_every_packet(buffering: impl Buffering, ops: &[(VoqId, bool)]) -> Result<(), TestCaseError> {
    let mut bench = Bench::new(buffering);
    for (number, (voq, store)) in (0..).zip(ops) {
        if *store {
            bench.store(number, *voq)?;
        } else if bench.contends(*voq) {
            bench.take(*voq)?;
        }
        bench.check()?;
    }
    while let Some(voq) = voqs().find(|voq| bench.contends(*voq)) {
        bench.take(voq)?;
    }
    prop_assert!(bench.pool.is_empty(), "a packet stays behind for ever");
    bench.check()
}

/// Runs the contract for the organisation that `spec` names.
fn check_organisation(spec: BufferingSpec, ops: &[(VoqId, bool)]) -> Result<(), TestCaseError> {
    let (ports, lanes) = (usize::from(PORTS), usize::from(LANES));
    match spec {
        BufferingSpec::InputFifo => keeps_every_packet(InputFifo::new(ports, lanes), ops),
        BufferingSpec::InputVoq => keeps_every_packet(InputVoq::new(ports, lanes), ops),
        BufferingSpec::Output => keeps_every_packet(Output::new(ports, lanes, Bytes::kib(64)), ops),
        BufferingSpec::Central => keeps_every_packet(Central::new(ports, lanes), ops),
        BufferingSpec::CombinedInputOutput => {
            let combined = CombinedInputOutput::new(lanes, Bytes::kib(64), &vec![8_000_000_000; ports]);
            keeps_every_packet(combined, ops)
        }
    }
}

/// Requests in which every input can be read once.
struct Once {
    requests: Vec<Request>,
    read: PortSet,
    granted: Vec<(PortId, PortId)>,
    ages: Ages,
}

/// Arrival of the present packet of every input for every output.
#[derive(Clone, Copy)]
struct Ages {
    since: [[u64; PORTS as usize]; PORTS as usize],
    now: u64,
}

impl Ages {
    const ALIKE: Self = Self { since: [[0; PORTS as usize]; PORTS as usize], now: 0 };

    /// Replaces the packets that were granted by packets that come in now.
    fn after(requests: &Once) -> Self {
        let mut ages = requests.ages;
        ages.now += 1;
        for (input, output) in &requests.granted {
            ages.since[input.index()][output.index()] = ages.now;
        }
        ages
    }
}

impl Requests<4> for Once {
    fn count(&self) -> usize {
        self.requests.len()
    }

    fn request(&self, index: usize) -> Request {
        let mut request = self.requests[index];
        for input in self.read {
            request.contenders.remove(input);
        }
        request
    }

    fn since(&self, index: usize, input: PortId) -> Time {
        Time::from_ps(self.ages.since[input.index()][self.requests[index].output.index()])
    }

    fn grant(&mut self, index: usize, input: PortId) {
        assert!(self.request(index).contenders.contains(input), "granted to an input that does not contend");
        self.read.insert(input);
        self.granted.push((input, self.requests[index].output));
    }
}

fn once(asking: &[(u16, Vec<u16>)], ages: Ages) -> Once {
    let requests = asking.iter().map(|(output, inputs)| {
        let mut contenders = PortSet::EMPTY;
        inputs.iter().for_each(|input| contenders.insert(PortId(*input)));
        Request { output: PortId(*output), lane: Lane(0), contenders }
    });
    Once { requests: requests.collect(), read: PortSet::EMPTY, granted: Vec::new(), ages }
}

proptest! {
    #[test]
    fn organisations_keep_every_packet(ops in prop::collection::vec((voq(), any::<bool>()), 0..300)) {
        for spec in BufferingSpec::ALL {
            check_organisation(spec, &ops)?;
        }
    }

    /// No output and no input is matched twice, and every match was requested. A request that could be served is left
    /// out only by iSLIP, which may stop after a single grant in each of its iterations.
    #[test]
    fn arbiters_match_as_they_promise(rows in prop::collection::vec(prop::collection::btree_set(0..PORTS, 0..4), 1..5)) {
        for spec in arbiters() {
            let mut arbiter = AnyArbiter::new(spec, usize::from(PORTS), 1);
            let asking: Vec<_> =
                (0..).zip(&rows).map(|(output, inputs)| (output, inputs.iter().copied().collect())).collect();
            let enough = match spec {
                ArbiterSpec::Islip { iterations } => usize::from(iterations),
                ArbiterSpec::RoundRobin | ArbiterSpec::OldestFirst => usize::MAX,
            };
            let mut ages = Ages::ALIKE;
            for _ in 0..8 {
                let mut requests = once(&asking, ages);
                arbiter.matching(&mut requests);
                ages = Ages::after(&requests);
                let outputs: Vec<_> = requests.granted.iter().map(|grant| grant.1).collect();
                for index in 0..requests.count() {
                    let times = outputs.iter().filter(|output| **output == requests.requests[index].output).count();
                    prop_assert!(times <= 1);
                    let could = !requests.request(index).contenders.is_empty();
                    prop_assert!(times == 1 || !could || outputs.len() >= enough);
                }
            }
        }
    }
}

#[test]
fn arbiters_starve_no_output() {
    for spec in arbiters() {
        let mut arbiter = AnyArbiter::new(spec, usize::from(PORTS), 1);
        let mut wins = [0; PORTS as usize];
        let mut ages = Ages::ALIKE;
        for _ in 0..1000 {
            // Two outputs compete for the same input; in every other matching two other outputs compete for another.
            for asking in [[(1, vec![0]), (2, vec![0])], [(3, vec![3]), (4, vec![3])]] {
                let mut requests = once(&asking, ages);
                arbiter.matching(&mut requests);
                ages = Ages::after(&requests);
                wins[requests.granted[0].1.index()] += 1;
            }
        }
        assert_eq!(wins, [0, 500, 500, 500, 500], "outputs that compete for one input get equal shares");
    }
}

#[test]
fn arbiters_starve_no_input() {
    for spec in arbiters() {
        let mut arbiter = AnyArbiter::new(spec, usize::from(PORTS), 1);
        let mut wins = [0; PORTS as usize];
        let mut ages = Ages::ALIKE;
        for _ in 0..1000 {
            let mut requests = once(&[(0, vec![0, 1, 2, 3, 4])], ages);
            arbiter.matching(&mut requests);
            ages = Ages::after(&requests);
            wins[requests.granted[0].0.index()] += 1;
        }
        assert_eq!(wins, [200; 5], "inputs that always contend get equal shares");
    }
}

/// Oldest first serves packets strictly by age.
#[test]
fn oldest_first_goes_by_age() {
    let everything: Vec<_> = (0..PORTS).map(|output| (output, (0..PORTS).collect())).collect();
    let mut ages = Ages::ALIKE;
    for (number, since) in (0..).zip(ages.since.as_flattened_mut()) {
        *since = number * 7 % 25 / 2; // Each age twice, with a single exception.
    }
    let mut requests = once(&everything, ages);
    AnyArbiter::new(ArbiterSpec::OldestFirst, usize::from(PORTS), 1).matching(&mut requests);
    assert_eq!(requests.granted.len(), usize::from(PORTS));
    let mut open: Vec<_> = voqs().filter(|place| place.lane == Lane(0)).collect();
    for (input, output) in requests.granted {
        let age = |place: &&VoqId| {
            (ages.since[place.input.index()][place.output.index()], place.input, place.output)
        };
        let first = open.iter().min_by_key(age).expect("one is open for each grant");
        assert_eq!((first.input, first.output), (input, output));
        open.retain(|place| place.input != input && place.output != output);
    }
}

/// If every input has a packet for every output, the pointers of iSLIP desynchronise. From then on a single iteration
/// matches all (McKeown 1999, section II.C).
#[test]
fn islip_desynchronises() {
    let everything: Vec<_> = (0..PORTS).map(|output| (output, (0..PORTS).collect())).collect();
    let mut arbiter = AnyArbiter::new(ArbiterSpec::Islip { iterations: 1 }, usize::from(PORTS), 1);
    let mut sizes = Vec::new();
    for _ in 0..20 {
        let mut requests = once(&everything, Ages::ALIKE);
        arbiter.matching(&mut requests);
        sizes.push(requests.granted.len());
    }
    assert_eq!(sizes[0], 1, "synchronised at first");
    assert!(sizes[usize::from(PORTS)..].iter().all(|size| *size == usize::from(PORTS)), "{sizes:?}");
}
