//! DCQCN as a fluid, for comparison with simulated runs. N flows share an output, as delay differential equations (C16:
//! Zhu and others, "ECN or Delay", CoNEXT 2016).
//!
//! Invariant: pure functions of their arguments. Nothing here takes part in a simulation, so floating-point numbers
//! decide nothing there.
//!
//! Rates are in packets a second and queues in packets, as in the paper. p, and the rates within probabilities, are
//! taken tau* earlier:
//!
//! ```text
//! dq/dt     = sum R_C - C
//! dalpha/dt = (g / tau') ((1 - (1-p)^(tau' R_C)) - alpha)
//! dR_T/dt   = -(R_T - R_C)/tau a + R_AI R_C (c + e)
//! dR_C/dt   = -R_C alpha / (2 tau) a + (R_T - R_C)/2 R_C (b + d)
//! a = 1 - (1-p)^(tau R_C)       b = p / ((1-p)^-B - 1)         c = b (1-p)^(F B)
//!                               d = p / ((1-p)^-(T R_C) - 1)   e = d (1-p)^(F T R_C)
//! ```

use std::collections::VecDeque;

use units::{Bytes, Rate, Span};

use super::spec::{DcqcnScheme, RateThresholds};

/// Settings of the fluid, in its own units.
#[derive(Clone, Copy, Debug)]
pub struct Fluid {
    /// Length of a packet on the wire, in bytes.
    packet: f64,
    /// C, in packets/s.
    capacity: f64,
    kmin: f64,
    kmax: f64,
    pmax: f64,
    g: f64,
    initial_alpha: f64,
    /// tau: interval between CNPs of a flow, in s.
    interval: f64,
    /// tau', in s.
    alpha_timer: f64,
    /// B, in packets.
    byte_counter: f64,
    /// T, in s.
    timer: f64,
    /// F.
    fast_recovery: f64,
    /// `R_AI`, in packets/s.
    additive: f64,
    min_rate: f64,
    /// tau*, in s.
    delay: f64,
}

/// Equilibrium of equal flows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FixedPoint {
    /// p*: probability of a mark.
    pub probability: f64,
    /// alpha*.
    pub alpha: f64,
    /// Rate of each flow, in bit/s on the wire: C / N.
    pub rate: f64,
    /// q*, in bytes; `None` if p* is above Pmax: the queue then stays at Kmax, where the probability jumps to 1.
    pub queue: Option<f64>,
}

/// State of the fluid at an instant.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// Time since the start, in s.
    pub time: f64,
    /// Queue length, in bytes.
    pub queue: f64,
    /// Rate of each flow, in bit/s on the wire; 0 before it starts.
    pub rates: Vec<f64>,
}

#[derive(Clone, Copy, Debug)]
struct Flow {
    current: f64,
    target: f64,
    alpha: f64,
}

/// Terms by which a rate rises and falls, at a probability of marks and a rate.
struct Terms {
    /// Probability of a CNP within tau.
    cnp: f64,
    /// Probability that alpha rises within tau'.
    alpha: f64,
    /// Increases for each packet, by the byte counter and by the timer.
    increases: f64,
    /// The additive increases among these.
    additive: f64,
}

impl Fluid {
    /// Returns the fluid of these settings on a link of rate `link`, with packets of `packet` bytes on the wire.
    /// Marks take `delay` (tau*) from the queue to the source.
    ///
    /// # Panics
    /// If the settings have thresholds by rate, and none for the link's rate.
    #[must_use]
    pub fn new(settings: &DcqcnScheme, link: Rate, packet: Bytes, delay: Span) -> Self {
        let packet = packet.get() as f64;
        let rate = |rate: Rate| rate.get() as f64 / 8.0 / packet;
        let response = &settings.response;
        let RateThresholds { kmin, kmax, pmax, .. } =
            settings.marking.thresholds(link).expect("the check finds thresholds for each rate");
        Self {
            packet,
            capacity: rate(link),
            kmin: kmin.get() as f64 / packet,
            kmax: kmax.get() as f64 / packet,
            pmax,
            g: response.g,
            initial_alpha: response.initial_alpha,
            interval: settings.echo.interval.seconds(),
            alpha_timer: response.alpha_timer.seconds(),
            byte_counter: response.byte_counter.get() as f64 / packet,
            timer: response.timer.seconds(),
            fast_recovery: f64::from(response.fast_recovery),
            additive: rate(response.additive_increase),
            min_rate: rate(response.min_rate),
            delay: delay.seconds(),
        }
    }

    /// Returns the equilibrium of `flows` flows, if they reach any. It solves `a^2 alpha / ((b + d)(c + e)) = tau^2
    /// R_AI R_C` with `R_C = C / N`, by bisection.
    ///
    /// # Panics
    /// If `flows` is 0.
    #[must_use]
    pub fn fixed_point(&self, flows: u32) -> FixedPoint {
        assert!(flows > 0, "a fixed point of no flows");
        let rate = self.capacity / f64::from(flows);
        let gap = |p: f64| {
            let terms = self.terms(p, rate);
            terms.cnp * terms.cnp * terms.alpha
                - self.interval * self.interval * self.additive * rate * terms.increases * terms.additive
        };
        // The left side grows with p and the right side falls.
        let (mut low, mut high) = (1e-9f64, 0.999_999);
        for _ in 0..200 {
            // The logarithm is halved, since p spans several orders of magnitude.
            let middle = (low * high).sqrt();
            if gap(middle) < 0.0 {
                low = middle;
            } else {
                high = middle;
            }
        }
        let probability = (low * high).sqrt();
        let queue = self.kmin + probability / self.pmax * (self.kmax - self.kmin);
        FixedPoint {
            probability,
            alpha: self.terms(probability, rate).alpha,
            rate: rate * 8.0 * self.packet,
            queue: (probability <= self.pmax).then_some(queue * self.packet),
        }
    }

    /// Returns the trajectory of flows that start at these times, each at line rate, until `end`: a sample each
    /// `interval`. Euler's method, with steps of 1 us, or an eighth of tau* if that is less.
    ///
    /// # Panics
    /// If `interval` is 0.
    #[must_use]
    pub fn trajectory(&self, starts: &[Span], end: Span, interval: Span) -> Vec<Sample> {
        assert!(interval > Span::ZERO, "samples that are no time apart");
        let step = if self.delay > 0.0 { (self.delay / 8.0).min(1e-6) } else { 1e-6 };
        let starts: Vec<_> = starts.iter().map(|start| start.seconds()).collect();
        let at_rest = Flow { current: self.capacity, target: self.capacity, alpha: self.initial_alpha };
        let (mut flows, mut queue) = (vec![at_rest; starts.len()], 0.0f64);
        let steps_back = (self.delay / step).round() as usize;
        let mut past: VecDeque<(f64, Vec<f64>)> = VecDeque::with_capacity(steps_back + 1);
        let mut samples = Vec::new();
        for number in 0..=(end.seconds() / step).round() as u64 {
            let time = number as f64 * step;
            let active: Vec<_> = starts.iter().map(|start| *start <= time).collect();
            let rates: Vec<f64> =
                flows.iter().zip(&active).map(|(flow, on)| if *on { flow.current } else { 0.0 }).collect();
            if time + step / 2.0 >= samples.len() as f64 * interval.seconds() {
                let rates = rates.iter().map(|rate| rate * 8.0 * self.packet).collect();
                samples.push(Sample { time, queue: queue * self.packet, rates });
            }
            past.push_back((self.probability(queue), rates.clone()));
            let (p, before) = past.front().expect("one was put there").clone();
            for ((flow, rate), _) in flows.iter_mut().zip(before).zip(&active).filter(|(_, on)| **on) {
                // A rate of 0 is from before the flow's start, when no packet of the flow could be marked.
                self.advance(flow, if rate > 0.0 { p } else { 0.0 }, rate.max(self.min_rate), step);
            }
            queue = (queue + step * (rates.iter().sum::<f64>() - self.capacity)).max(0.0);
            if past.len() > steps_back {
                past.pop_front();
            }
        }
        samples
    }

    /// Makes a step of a flow; `p` and `rate` are taken tau* earlier.
    fn advance(&self, flow: &mut Flow, p: f64, rate: f64, step: f64) {
        let terms = self.terms(p, rate);
        let Flow { current, target, alpha } = *flow;
        flow.alpha += step * self.g / self.alpha_timer * (terms.alpha - alpha);
        flow.target +=
            step * (-(target - current) / self.interval * terms.cnp + self.additive * rate * terms.additive);
        flow.current += step
            * (-current * alpha / (2.0 * self.interval) * terms.cnp
                + (target - current) / 2.0 * rate * terms.increases);
        flow.target = flow.target.clamp(self.min_rate, self.capacity);
        flow.current = flow.current.clamp(self.min_rate, flow.target);
    }

    fn probability(&self, queue: f64) -> f64 {
        if queue <= self.kmin {
            0.0
        } else if queue <= self.kmax {
            self.pmax * (queue - self.kmin) / (self.kmax - self.kmin)
        } else {
            1.0
        }
    }

    fn terms(&self, p: f64, rate: f64) -> Terms {
        let log = (-p).ln_1p(); // of 1 - p
        let within = |packets: f64| -(log * packets).exp_m1();
        // p / ((1-p)^-n - 1): the number of runs of n packets without a mark, for each packet.
        let runs = |n: f64| if p > 0.0 { p / (-log * n).exp_m1() } else { 1.0 / n };
        let additive = |n: f64| runs(n) * (log * self.fast_recovery * n).exp();
        let per_timer = self.timer * rate;
        Terms {
            cnp: within(self.interval * rate),
            alpha: within(self.alpha_timer * rate),
            increases: runs(self.byte_counter) + runs(per_timer),
            additive: additive(self.byte_counter) + additive(per_timer),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dcqcn::spec::Preset;

    const PACKET: Bytes = Bytes::new(1000);

    fn fluid(settings: &DcqcnScheme, delay: Span) -> Fluid {
        Fluid::new(settings, Rate::gbps(40), PACKET, delay)
    }

    /// Our table of C16's equations, solved by a separate program: N, p* in %, alpha*, and q* in KB. q* is given for
    /// Kmax 200 KB and Pmax 1 %, and for 2,000 KB and 10 %.
    #[test]
    fn fixed_points_are_those_of_the_equations() {
        let table = [
            (2, 0.0777, 0.101, Some(20.2), 20.5),
            (4, 0.189, 0.122, Some(41.8), 42.7),
            (8, 0.455, 0.145, Some(93.8), 95.8),
            (10, 0.603, 0.153, Some(122.6), 125.3),
            (16, 1.087, 0.171, None, 221.9),
            (20, 1.435, 0.180, None, 291.3),
            (64, 5.91, 0.230, None, 1183.0),
        ];
        let usual = DcqcnScheme::preset(Preset::Recommended);
        let mut wide = usual.clone();
        (wide.marking.kmax, wide.marking.pmax) = (Bytes::new(2_000_000), 0.1);
        for (flows, p, alpha, queue, wide_queue) in table {
            let point = fluid(&usual, Span::from_us(4)).fixed_point(flows);
            assert!((point.probability * 100.0 / p - 1.0).abs() < 2e-3, "N = {flows}: {point:?}");
            assert!((point.alpha - alpha).abs() < 6e-4, "N = {flows}: {point:?}");
            assert_eq!(point.queue.map(|bytes| (bytes / 100.0).round() / 10.0), queue, "N = {flows}");
            let other = fluid(&wide, Span::from_us(4)).fixed_point(flows).queue.unwrap_or_default();
            assert!((other / 1e3 / wide_queue - 1.0).abs() < 2e-3, "N = {flows}: {other}");
        }
    }

    /// The authors' own table for B 150 KB, T 1.5 ms and `R_AI` 5 Mb/s. It has p* in hundredths of a per cent, for 2 to
    /// 20 flows. Two of the 19 differ by slightly more than half a digit.
    #[test]
    fn the_strawman_s_are_those_of_the_authors() {
        let table = [4, 5, 6, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13, 14, 14, 15];
        let mut settings = DcqcnScheme::preset(Preset::Strawman);
        settings.marking = DcqcnScheme::preset(Preset::Recommended).marking;
        let fluid = fluid(&settings, Span::from_us(4));
        for (flows, expected) in (2..=20).zip(table) {
            let found = fluid.fixed_point(flows).probability * 1e4;
            assert!((found - f64::from(expected)).abs() < 0.53, "N = {flows}: {found}, not {expected}");
        }
    }

    /// Returns the mean and the spread of the queue, in KB, from 60 ms to 100 ms, and the last samples.
    fn settled(settings: &DcqcnScheme, flows: usize, delay: u64) -> (f64, f64, Vec<Sample>) {
        let starts = vec![Span::ZERO; flows];
        let fluid = fluid(settings, Span::from_us(delay));
        let samples = fluid.trajectory(&starts, Span::from_us(100_000), Span::from_us(100));
        let queues: Vec<_> = samples[600..].iter().map(|sample| sample.queue / 1e3).collect();
        let (lowest, highest) = queues.iter().fold((f64::MAX, 0f64), |(a, b), q| (a.min(*q), b.max(*q)));
        (queues.iter().sum::<f64>() / queues.len() as f64, highest - lowest, samples)
    }

    #[test]
    fn a_short_delay_leads_to_the_fixed_point() {
        let settings = DcqcnScheme::preset(Preset::Recommended);
        for flows in [2, 10] {
            let (mean, spread, samples) = settled(&settings, flows, 4);
            let point = fluid(&settings, Span::from_us(4)).fixed_point(flows as u32);
            let expected = point.queue.expect("below Kmax") / 1e3;
            assert!(
                (mean / expected - 1.0).abs() < 0.05 && spread < 0.2 * expected,
                "{flows}: {mean} {spread}"
            );
            let last = samples.last().expect("there are samples");
            assert!(last.rates.iter().all(|rate| (rate / point.rate - 1.0).abs() < 0.02), "{last:?}");
        }
    }

    /// C16: at 85 us ten flows oscillate; 64 do not, nor do 2.
    #[test]
    fn a_long_delay_makes_ten_flows_oscillate() {
        let mut settings = DcqcnScheme::preset(Preset::Recommended);
        let (_, ten, _) = settled(&settings, 10, 85);
        assert!(ten > 100.0, "{ten} KB from valley to peak");
        (settings.marking.kmax, settings.marking.pmax) = (Bytes::new(2_000_000), 0.1);
        let (mean, spread, _) = settled(&settings, 64, 85);
        assert!(spread < 0.1 * mean, "{mean} KB, {spread} KB from valley to peak");
    }

    #[test]
    fn marks_follow_a_ramp_and_a_step() {
        let fluid = fluid(&DcqcnScheme::preset(Preset::Recommended), Span::ZERO);
        let (kmin, kmax) = (fluid.kmin, fluid.kmax);
        for (queue, p) in [(kmin, 0.0), ((kmin + kmax) / 2.0, fluid.pmax / 2.0), (kmax, fluid.pmax)] {
            assert!((fluid.probability(queue) - p).abs() < 1e-12, "{queue}");
        }
        assert_eq!([fluid.probability(0.0), fluid.probability(kmax * 1.001)], [0.0, 1.0]);
    }

    /// The equations at the head of this file, with powers written out.
    #[test]
    fn a_step_is_that_of_the_equations() {
        let fluid = fluid(&DcqcnScheme::preset(Preset::Strawman), Span::ZERO);
        let (p, rate, step) = (2e-3f64, 3e5, 1e-7);
        let (current, target, alpha) = (4e5, 9e5, 0.3);
        let none = |packets: f64| (1.0 - p).powf(packets);
        let (n, by_time) = (fluid.byte_counter, fluid.timer * rate);
        let (b, d) = (p / (1.0 / none(n) - 1.0), p / (1.0 / none(by_time) - 1.0));
        let (c, e) = (b * none(fluid.fast_recovery * n), d * none(fluid.fast_recovery * by_time));
        let a = 1.0 - none(fluid.interval * rate);
        let rises = 1.0 - none(fluid.alpha_timer * rate);
        let mut flow = Flow { current, target, alpha };
        fluid.advance(&mut flow, p, rate, step);
        for (found, before, slope) in [
            (flow.alpha, alpha, fluid.g / fluid.alpha_timer * (rises - alpha)),
            (flow.target, target, -(target - current) / fluid.interval * a + fluid.additive * rate * (c + e)),
            (
                flow.current,
                current,
                -current * alpha / (2.0 * fluid.interval) * a + (target - current) / 2.0 * rate * (b + d),
            ),
        ] {
            let rise = (found - before) / step;
            assert!((rise / slope - 1.0).abs() < 1e-6, "{rise} a second, not {slope}");
        }
    }

    /// Samples more often than steps show every step.
    #[test]
    fn steps_are_1_us_or_an_eighth_of_the_delay() {
        for (delay, step) in [(0, 1e-6), (4, 0.5e-6), (8, 1e-6), (80, 1e-6)] {
            let fluid = fluid(&DcqcnScheme::preset(Preset::Recommended), Span::from_us(delay));
            let often = fluid.trajectory(&[Span::ZERO], Span::from_us(20), Span::from_ns(100));
            assert_eq!(often.len(), (20e-6f64 / step).round() as usize + 1, "{delay} us");
            let rarely = fluid.trajectory(&[Span::ZERO], Span::from_us(20), Span::from_us(5));
            assert_eq!(rarely.len(), 5);
            for (samples, interval) in [(often, step), (rarely, 5e-6)] {
                for (number, sample) in samples.iter().enumerate() {
                    assert!((sample.time - number as f64 * interval).abs() < step / 4.0, "{}", sample.time);
                }
            }
        }
    }

    /// Two flows at line rate: 2.5 packets more in each half microsecond, above Kmin (5 packets) after three of them.
    /// The rates fall once that is 4 us old. The rate of a flow that has just started falls 4 us after its start.
    #[test]
    fn marks_take_the_delay() {
        let fluid = fluid(&DcqcnScheme::preset(Preset::Recommended), Span::from_us(4));
        let starts = [Span::ZERO, Span::ZERO, Span::from_ns(200_200)];
        let samples = fluid.trajectory(&starts, Span::from_us(210), Span::from_ns(500));
        let line = 40e9;
        let is_full = |rate: f64| (rate / line - 1.0).abs() < 1e-12;
        for (number, sample) in samples.iter().take(13).enumerate() {
            assert_eq!(is_full(sample.rates[0]), number < 12, "step {number}: {sample:?}");
            assert_eq!(sample.rates[2], 0.0);
            if number < 12 {
                assert!((sample.queue - 2_500.0 * number as f64).abs() < 1e-6, "step {number}: {sample:?}");
            }
        }
        // The third flow starts between steps 400 and 401, when the queue has long been marking.
        let late = |after: usize| is_full(samples[401 + after].rates[2]);
        assert!(samples[400].queue > 5_000.0, "the queue marks: {:?}", samples[400]);
        assert!(late(0) && late(8) && !late(9), "{:?}", &samples[400..411]);
    }
}
