//! Queueing theory with a known answer, for switches of every organisation.
//!
//! Invariant: the expected value comes from a theorem, and the tolerance from the run's own statistics. The tolerance
//! is four standard errors of the mean, which are asserted to be small.
//!
//! M. J. Karol, M. G. Hluchyj, S. P. Morgan: Input versus output queueing on a space-division packet switch, IEEE
//! Transactions on Communications 35(12), 1987.

mod rig;

use self::rig::{Departure, Rig, packet, slot};
use event_kernel::stream;
use packet::PortId;
use rand::RngExt;
use switch_arch::spec::{ArbiterSpec, BufferingSpec};
use units::{Span, Time};

/// Number of parts of a run. Their means give the standard error of the whole mean.
const BATCHES: usize = 50;

/// A mean and its standard error, from the means of batches.
struct Estimate {
    mean: f64,
    error: f64,
}

impl Estimate {
    fn of(batches: &[f64]) -> Self {
        let n = batches.len() as f64;
        let mean = batches.iter().sum::<f64>() / n;
        let variance = batches.iter().map(|batch| (batch - mean).powi(2)).sum::<f64>() / (n - 1.0);
        Self { mean, error: (variance / n).sqrt() }
    }

    /// Asserts that `expected` is within four standard errors, which are less than the fraction `surely` of it.
    fn meets(&self, expected: f64, surely: f64, what: &str) {
        let Self { mean, error } = self;
        assert!(4.0 * error < surely * expected, "{what}: too uncertain, {mean} +- {error}");
        assert!((mean - expected).abs() < 4.0 * error, "{what}: {mean} +- {error}, not {expected}");
    }
}

/// Returns the packets that leave per port and slot, from slot `warm` on, for `slots` slots.
fn throughput(departures: &[Departure], ports: usize, warm: u64, slots: u64) -> Estimate {
    let mut batches = [0.0; BATCHES];
    let each = slots / BATCHES as u64;
    for departure in departures {
        let number = departure.at.ps() / slot().ps();
        if let Some(number) = number.checked_sub(warm).filter(|number| *number < each * BATCHES as u64) {
            batches[(number / each) as usize] += 1.0 / (each as f64 * ports as f64);
        }
    }
    Estimate::of(&batches)
}

/// Returns the throughput with saturated inputs and uniformly random outputs.
fn saturated(ports: usize, buffering: BufferingSpec, arbiter: ArbiterSpec, slots: u64) -> Estimate {
    let warm = 2_000;
    let mut outputs: Vec<_> =
        (0..ports).map(|input| stream(1, "outputs", &format!("input {input}"))).collect();
    let mut rig = Rig::new(ports, buffering, arbiter);
    let end = Time::ZERO + slot() * (warm + slots);
    let departures = rig.saturate(end, |input| PortId(outputs[input.index()].random_range(0..ports as u16)));
    throughput(departures, ports, warm, slots)
}

/// With a single queue at each input, an output serves a head that contends for it. The next head is for a random
/// output. The number of heads for each output does not depend on the choice, so no arbiter changes the throughput.
/// Table I of Karol, Hluchyj and Morgan.
#[test]
fn input_fifo_saturates_as_karol_says() {
    for (ports, expected) in [(2, 0.75), (3, 0.6825), (4, 0.6553), (8, 0.6184)] {
        for arbiter in ArbiterSpec::EXAMPLES {
            let got = saturated(ports, BufferingSpec::InputFifo, arbiter, 50_000);
            got.meets(expected, 0.01, &format!("{ports} ports, {arbiter:?}"));
        }
    }
}

/// The throughput approaches 2 - sqrt(2) from above as the number of ports grows. The excess is 0.0326 for 8 ports. If
/// it falls with the number of ports, it is an eighth of that for 64, and certainly below a third.
#[test]
fn input_fifo_tends_to_0_586() {
    let Estimate { mean, error } = saturated(64, BufferingSpec::InputFifo, ArbiterSpec::RoundRobin, 5_000);
    let over = mean - (2.0 - f64::sqrt(2.0));
    assert!(over > -4.0 * error && over < 0.0109, "{mean} +- {error}");
}

/// Without head-of-line blocking the inputs' links are the limit. The shortfall from 1 still fills the buffers. At
/// critical load a queue that starts empty grows with the square root of time. Here it grows to about 0.4 % of all
/// packets for output queueing.
#[test]
fn the_others_saturate_near_one() {
    let at_outputs = [BufferingSpec::Output, BufferingSpec::Central];
    let at_outputs = at_outputs.map(|buffering| (buffering, ArbiterSpec::RoundRobin));
    let at_inputs = ArbiterSpec::EXAMPLES.map(|arbiter| (BufferingSpec::InputVoq, arbiter));
    let at_both = ArbiterSpec::EXAMPLES.map(|arbiter| (BufferingSpec::CombinedInputOutput, arbiter));
    for ports in [2, 4, 16] {
        for (buffering, arbiter) in at_inputs.into_iter().chain(at_both).chain(at_outputs) {
            let got = saturated(ports, buffering, arbiter, 20_000);
            assert!(got.mean > 0.98, "{ports} ports, {buffering:?}, {arbiter:?}: {}", got.mean);
        }
    }
}

/// Returns the mean wait in slots.
fn wait(departures: &[Departure]) -> Estimate {
    let warm = &departures[departures.len() / 10..];
    let mean = |batch: &[Departure]| {
        let sum: f64 = batch.iter().map(|departure| departure.wait.ps() as f64).sum();
        sum / batch.len() as f64 / slot().ps() as f64
    };
    let batches: Vec<_> = warm.chunks_exact(warm.len() / BATCHES).map(mean).collect();
    Estimate::of(&batches)
}

/// Packets of equal length that arrive at random for the same output wait rho/(2(1-rho)) packet times: M/D/1 (Pollaczek
/// and Khinchine). Each comes by the next input with a free link, so arrivals stay a Poisson process.
#[test]
fn an_output_queue_is_m_d_1() {
    for rho in [0.5, 0.8] {
        let mut intervals = stream(1, "arrivals", "all");
        let mut at = 0.0;
        let mut rig = Rig::new(64, BufferingSpec::Output, ArbiterSpec::RoundRobin);
        let departures = rig.offer(Time::ZERO + slot() * 1_000_000, || {
            let uniform: f64 = intervals.random();
            at -= (1.0 - uniform).ln() * slot().ps() as f64 / rho;
            (Time::from_ps(at as u64), PortId(0))
        });
        wait(departures).meets(rho / (2.0 * (1.0 - rho)), 0.05, &format!("M/D/1 at {rho}"));
    }
}

/// In each slot each input receives a packet with probability p, for a random output of N. The mean wait is (N-1)/N
/// p/(2(1-p)) slots: equation 8 of Karol, Hluchyj and Morgan.
#[test]
fn an_output_queue_fed_in_slots_waits_as_karol_says() {
    for (ports, p) in [(2_u16, 0.5), (4, 0.8), (16, 0.8)] {
        let mut random = stream(1, "arrivals", "all");
        let mut plan = Vec::new();
        for number in 0..1_000_000 / u64::from(ports) {
            for input in 0..ports {
                let (uniform, output): (f64, _) = (random.random(), random.random_range(0..ports));
                if uniform < p {
                    plan.push((Time::ZERO + slot() * number, PortId(input), PortId(output)));
                }
            }
        }
        let mut rig = Rig::new(usize::from(ports), BufferingSpec::Output, ArbiterSpec::RoundRobin);
        let departures = rig.play(&plan);
        assert_eq!(departures.len(), plan.len(), "every packet leaves");
        let n = f64::from(ports);
        let expected = (n - 1.0) / n * p / (2.0 * (1.0 - p));
        wait(departures).meets(expected, 0.06, &format!("{ports} ports at {p}"));
    }
}

/// With a single destination no packet blocks another: input FIFO and virtual output queues agree, packet by packet.
#[test]
fn input_fifo_equals_voq_for_one_destination() {
    for arbiter in ArbiterSpec::EXAMPLES {
        let run = |buffering| {
            let mut rig = Rig::new(5, buffering, arbiter);
            rig.saturate(Time::ZERO + slot() * 5_000, |_| PortId(2)).to_vec()
        };
        let fifo = run(BufferingSpec::InputFifo);
        assert!(fifo.len() > 4_900);
        assert_eq!(fifo, run(BufferingSpec::InputVoq), "{arbiter:?}");
    }
}

/// Five inputs that always have packets for two overloaded outputs get a fifth each.
#[test]
fn no_organisation_starves_an_input() {
    for buffering in BufferingSpec::ALL {
        for arbiter in ArbiterSpec::EXAMPLES {
            let mut random = stream(1, "outputs", "all");
            let mut rig = Rig::new(5, buffering, arbiter);
            let end = Time::ZERO + slot() * 20_000;
            let departures = rig.saturate(end, |_| PortId(random.random_range(0..2)));
            let mut shares = [0.0; 5];
            for departure in departures {
                shares[departure.input.index()] += 5.0 / departures.len() as f64;
            }
            assert!(
                shares.iter().all(|share| (share - 1.0).abs() < 0.05),
                "{buffering:?}, {arbiter:?}: {shares:?}"
            );
        }
    }
}

/// Returns the times at which packets start, if they are served in sequence in the order of these arrivals.
fn served_in_turn(arrivals: &[Time]) -> Vec<Time> {
    let mut free = Time::ZERO;
    let starts = arrivals.iter().map(|arrival| {
        let start = free.max(*arrival);
        free = start + slot();
        start
    });
    starts.collect()
}

/// The definition of an output-queued switch: packets for an output leave in order of arrival, each as soon as the
/// packet before has left (Lindley's recursion). The size of the queues at the outputs has no effect while the landing
/// buffers have room. Neither has the place of the memory. The other organisations do not meet it.
#[test]
fn an_output_queued_switch_serves_in_the_order_of_arrival() {
    let ports = 6;
    let mut random = stream(1, "arrivals", "all");
    let mut plan = Vec::new();
    for number in 0..3_000 {
        for input in 0..ports {
            // A packet in every fourth slot of an input. Half of them go to output 0, which is loaded to seven eighths.
            if random.random_bool(0.5) {
                let output = if random.random_bool(0.5) { 0 } else { random.random_range(0..ports) };
                let late = Span::from_ps(random.random_range(0..slot().ps() / 2));
                plan.push((Time::ZERO + slot() * (2 * number) + late, PortId(input), PortId(output)));
            }
        }
    }
    plan.sort_unstable_by_key(|(at, ..)| *at);
    let run = |buffering, packets| {
        let arbiter = ArbiterSpec::RoundRobin;
        let mut rig = Rig::with_output_queues(usize::from(ports), buffering, arbiter, packet() * packets);
        rig.play(&plan).to_vec()
    };
    let ideal = run(BufferingSpec::Output, 409);
    for output in (0..ports).map(PortId) {
        let here = || ideal.iter().filter(move |departure| departure.output == output);
        let mut arrivals: Vec<_> =
            here().map(|departure| Time::from_ps(departure.at.ps() - departure.wait.ps())).collect();
        assert!(arrivals.is_sorted(), "the order of arrival is kept at output {output:?}");
        arrivals.sort_unstable();
        let starts: Vec<_> = here().map(|departure| departure.at).collect();
        assert_eq!(starts, served_in_turn(&arrivals), "output {output:?}");
    }
    assert_eq!(ideal.len(), plan.len(), "every packet leaves");
    for packets in [1, 2, 5] {
        assert!(run(BufferingSpec::Output, packets) == ideal, "queues of {packets} packets");
    }
    assert!(run(BufferingSpec::Central, 1) == ideal, "a central memory");
    for buffering in [BufferingSpec::InputFifo, BufferingSpec::InputVoq] {
        assert!(run(buffering, 1) != ideal, "{buffering:?}");
    }
}
