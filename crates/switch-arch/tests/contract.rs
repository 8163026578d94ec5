//! What every buffer organisation and every arbiter promises, run for each of them.

use std::collections::{BTreeMap, VecDeque};

use packet::{
    Bth, BthFlags, FlowId, Lane, Lid, Lrh, Opcode, Packet, PacketPool, PortId, Psn, QpNumber, ServiceLevel,
    VoqId,
};
use proptest::prelude::*;
use switch_arch::arbiter::{AnyArbiter, Arbiter, Request, Requests};
use switch_arch::buffering::{AnyBuffering, Taken};
use switch_arch::ledger::Ledger;
use switch_arch::port_set::PortSet;
use switch_arch::spec::{ArbiterSpec, BufferingSpec};
use units::Time;

const PORTS: u16 = 5;
const LANES: u8 = 2;

/// Every arbiter; iSLIP also with enough iterations for a maximal match.
fn arbiters() -> impl Iterator<Item = ArbiterSpec> {
    ArbiterSpec::EXAMPLES.into_iter().chain([ArbiterSpec::Islip { iterations: PORTS as u8 }])
}

fn packet(number: u32, place: VoqId) -> Packet {
    let lrh = Lrh { source: Lid(1), destination: Lid(2), lane: place.lane, service_level: ServiceLevel(0) };
    let flags = BthFlags::empty();
    let bth = Bth {
        destination_qp: QpNumber(0),
        psn: Psn::new(number),
        opcode: Opcode::SendOnly,
        transport: packet::TransportService::Rc,
        flags,
    };
    let mut packet = Packet::new(lrh, bth, QpNumber(0), FlowId(0), 64);
    (packet.input, packet.output) = (place.input.0 as u8, place.output.0 as u8);
    packet
}

fn places() -> impl Iterator<Item = VoqId> {
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

fn place() -> impl Strategy<Value = VoqId> {
    (0..PORTS, 0..PORTS, 0..LANES).prop_map(|(input, output, lane)| VoqId {
        input: PortId(input),
        output: PortId(output),
        lane: Lane(lane),
    })
}

/// Stores and takes in any order: nothing is lost or invented, every flow keeps its order, somebody contends
/// whenever something waits, and all buffers drain.
fn keeps_every_packet(spec: BufferingSpec, ops: Vec<(VoqId, bool)>) -> Result<(), TestCaseError> {
    let mut buffering = AnyBuffering::new(spec, usize::from(PORTS), usize::from(LANES));
    let mut ledger = Ledger::new(usize::from(PORTS), usize::from(LANES));
    let mut pool = PacketPool::default();
    let mut stored: BTreeMap<(u16, u16, u8), VecDeque<u32>> = BTreeMap::new();
    let key = |place: VoqId| (place.input.0, place.output.0, place.lane.0);
    for (number, (place, store)) in (0..).zip(ops) {
        if store {
            let id = pool.insert(packet(number, place));
            buffering.store(place, id, &mut ledger, &mut pool);
            stored.entry(key(place)).or_default().push_back(number);
        } else if ledger.contenders(place.output, place.lane).contains(place.input) {
            take((&mut buffering, &mut ledger), &mut pool, place, stored.get_mut(&key(place)))?;
        }
        for place in places() {
            let contends = ledger.contenders(place.output, place.lane).contains(place.input);
            prop_assert!(!contends || stored.get(&key(place)).is_some_and(|queue| !queue.is_empty()));
            prop_assert!(!contends || ledger.lanes(place.output).contains(place.lane));
        }
        let waits = stored.values().any(|queue| !queue.is_empty());
        prop_assert_eq!(waits, (0..PORTS).any(|output| !ledger.lanes(PortId(output)).is_empty()));
    }
    while let Some(place) =
        places().find(|place| ledger.contenders(place.output, place.lane).contains(place.input))
    {
        take((&mut buffering, &mut ledger), &mut pool, place, stored.get_mut(&key(place)))?;
    }
    prop_assert!(pool.is_empty(), "something stays behind for ever");
    prop_assert!((0..PORTS).all(|output| ledger.lanes(PortId(output)).is_empty()));
    Ok(())
}

fn take(
    (buffering, ledger): (&mut AnyBuffering, &mut Ledger),
    pool: &mut PacketPool,
    place: VoqId,
    oracle: Option<&mut VecDeque<u32>>,
) -> Result<(), TestCaseError> {
    let head = buffering.head(place, ledger);
    let others = || places().filter(|other| other.output != place.output);
    let contending = |ledger: &Ledger| -> Vec<VoqId> {
        let contends = |other: &VoqId| ledger.contenders(other.output, other.lane).contains(other.input);
        others().filter(contends).collect()
    };
    let before = contending(ledger);
    let Taken { packet, exposed } = buffering.take(place, ledger, pool);
    prop_assert_eq!(packet, head);
    prop_assert_eq!(Some(pool.remove(packet).bth.psn.get()), oracle.and_then(VecDeque::pop_front));
    let mut after = contending(ledger);
    after.retain(|other| !before.contains(other));
    prop_assert_eq!(after.first().map(|other| other.output), exposed, "another output is told of");
    prop_assert!(after.len() <= 1);
    Ok(())
}

/// Requests in which every input can be read once.
struct Once {
    requests: Vec<Request>,
    read: PortSet,
    granted: Vec<(PortId, PortId)>,
    ages: Ages,
}

/// When the present packet of every input for every output came in.
#[derive(Clone, Copy)]
struct Ages {
    since: [[u64; PORTS as usize]; PORTS as usize],
    now: u64,
}

impl Ages {
    const ALIKE: Self = Self { since: [[0; PORTS as usize]; PORTS as usize], now: 0 };

    /// The next packets come in as those leave that were granted.
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
    fn len(&self) -> usize {
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
        assert!(self.request(index).contenders.contains(input), "granted to one who did not ask");
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
    fn organisations_keep_every_packet(ops in prop::collection::vec((place(), any::<bool>()), 0..300)) {
        for spec in BufferingSpec::ALL {
            keeps_every_packet(spec, ops.clone())?;
        }
    }

    /// A match is one: no output twice, no input twice, only what was asked; and nothing that asks and
    /// could be served is left out, but that iSLIP may stop after one grant in each of its iterations.
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
                for index in 0..requests.len() {
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
            // Two outputs want the same input, and in between two others want another.
            for asking in [[(1, vec![0]), (2, vec![0])], [(3, vec![3]), (4, vec![3])]] {
                let mut requests = once(&asking, ages);
                arbiter.matching(&mut requests);
                ages = Ages::after(&requests);
                wins[requests.granted[0].1.index()] += 1;
            }
        }
        assert_eq!(wins, [0, 500, 500, 500, 500], "outputs that want one input share it alike");
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
        assert_eq!(wins, [200; 5], "inputs that always ask share alike");
    }
}

/// Oldest first goes by age, packet by packet.
#[test]
fn oldest_first_goes_by_age() {
    let everything: Vec<_> = (0..PORTS).map(|output| (output, (0..PORTS).collect())).collect();
    let mut ages = Ages::ALIKE;
    for (number, since) in (0..).zip(ages.since.as_flattened_mut()) {
        *since = number * 7 % 25 / 2; // Each age twice, but for one.
    }
    let mut requests = once(&everything, ages);
    AnyArbiter::new(ArbiterSpec::OldestFirst, usize::from(PORTS), 1).matching(&mut requests);
    assert_eq!(requests.granted.len(), usize::from(PORTS));
    let mut open: Vec<_> = places().filter(|place| place.lane == Lane(0)).collect();
    for (input, output) in requests.granted {
        let age = |place: &&VoqId| {
            (ages.since[place.input.index()][place.output.index()], place.input, place.output)
        };
        let first = open.iter().min_by_key(age).expect("as many are open as are granted");
        assert_eq!((first.input, first.output), (input, output));
        open.retain(|place| place.input != input && place.output != output);
    }
}

/// Where every input has something for every output, the pointers of iSLIP get out of each other's step, and from
/// then on one iteration matches all (McKeown 1999, section II.C).
#[test]
fn islip_gets_out_of_step() {
    let everything: Vec<_> = (0..PORTS).map(|output| (output, (0..PORTS).collect())).collect();
    let mut arbiter = AnyArbiter::new(ArbiterSpec::Islip { iterations: 1 }, usize::from(PORTS), 1);
    let mut sizes = Vec::new();
    for _ in 0..20 {
        let mut requests = once(&everything, Ages::ALIKE);
        arbiter.matching(&mut requests);
        sizes.push(requests.granted.len());
    }
    assert_eq!(sizes[0], 1, "in step at first");
    assert!(sizes[usize::from(PORTS)..].iter().all(|size| *size == usize::from(PORTS)), "{sizes:?}");
}
