//! Mean rate of DCQCN, with marks of a fixed probability, against the protocol's own fixed point.
//!
//! A flow is always busy. Each packet arrives at once and is marked with probability p, independently; there is no
//! queue and no delay. The expected rate comes from a renewal argument, in which no step is simulated. Marks come each
//! m = 1 / (p r) of a flow with r packets/s. The gap G between two CNPs is at least t, for t at least the interval tau,
//! with probability
//!
//! ```text
//! P(G >= t) = phi e^(-t/m)     phi = e^(tau/m)             FromCnp: a silence of tau, then the next mark
//!                              phi = (1 + e^(tau/m)) / 2   FreeRunningAtOnce: mean over the place of the first mark
//! ```
//!
//! The timer makes n increases in a gap, the first F of them recoveries and k additive. Rate and alpha are held at
//! their means. From a CNP to the next the rate changes by `R_AI (k - 1 + 2^-k) - r alpha/2 2^-n`, which is 0 in the
//! mean. Meanwhile alpha rises by g (1 - alpha) and falls by g alpha for each K. The byte counter is left out: at these
//! rates it expires in less than a gap of 10,000.
//!
//! Rate and alpha do vary, so that the two cannot agree exactly. The bound of 3 % comes from an independent simulation
//! written for this project's review. Its p at a given rate was 0.6 to 2.6 % from this closed form.

use cc_policies::dcqcn::spec::{CnpEcho, CnpWindow, DcqcnResponseSpec, DcqcnScheme, Preset};
use cc_policies::dcqcn::{DcqcnResponse, Fluid};
use cc_policies::{Echo, EchoState, LimitedBy, Notification, Response, SentPacket};
use packet::{
    Bth, BthFlags, FlowId, Lane, Lid, Lrh, Opcode, Packet, Psn, QpNumber, ServiceLevel, TransportService,
};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use units::{Bytes, Rate, Span, Time};

const LINE: Rate = Rate::gbps(40);
const PACKET: Bytes = Bytes::new(1110);
/// Batches of a run, after a batch that is not counted.
const BATCHES: u64 = 20;
/// Length of a batch for each flow that the rate is a share of: slow flows send fewer packets.
const BATCH: Span = Span::from_us(350_000);

fn packet(flags: BthFlags) -> Packet {
    let lrh = Lrh::new(Lid(1), Lid(2), Lane(0), ServiceLevel(0));
    let (opcode, transport) = (Opcode::WriteMiddle, TransportService::Rc);
    let bth = Bth { destination_qp: QpNumber(0), psn: Psn::new(0), opcode, transport, flags };
    Packet::new(lrh, bth, QpNumber(0), FlowId(0), 0)
}

/// Returns the mean rate in bit/s with marks of probability `p`, and its standard error over batches of this length.
fn measured(echo: CnpEcho, p: f64, length: Span, seed: u64) -> (f64, f64) {
    let response = DcqcnResponse::new(&DcqcnResponseSpec::preset(Preset::Recommended), LINE);
    let (mut flow, mut destination) = (response.at_rest(ServiceLevel(0)), EchoState::default());
    let (marked, unmarked) = (packet(BthFlags::FECN), packet(BthFlags::empty()));
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    let (mut now, mut batches) = (Time::ZERO, Vec::new());
    let packet_time = LINE.time_for(PACKET);
    for batch in 0..=BATCHES {
        let (start, mut packets) = (now, 0u64);
        while now < (length * (batch + 1)).after_start() {
            response.on_sent(&mut flow, SentPacket { limited_by: LimitedBy::Rate, length: PACKET }, now);
            let arrives = if random.random_bool(p) { &marked } else { &unmarked };
            if echo.answer(arrives, &mut destination, now).is_some() {
                response.on_notification(&mut flow, Notification { psn: None, next: 0 }, now);
            }
            now += packet_time + response.gap(&mut flow, packet_time, now);
            packets += 1;
        }
        batches.push((packets * PACKET.get() * 8) as f64 / now.since(start).seconds());
    }
    batches.remove(0);
    let mean = batches.iter().sum::<f64>() / BATCHES as f64;
    let variance = batches.iter().map(|rate| (rate - mean).powi(2)).sum::<f64>() / (BATCHES - 1) as f64;
    (mean, (variance / BATCHES as f64).sqrt())
}

/// Returns the rate, in bit/s, at which the mean change of the rate from a CNP to the next is 0.
fn expected(window: CnpWindow, p: f64) -> f64 {
    let response = DcqcnResponseSpec::preset(Preset::Recommended);
    let interval = CnpEcho::preset(Preset::Recommended).interval;
    let bits = (PACKET.get() * 8) as f64;
    let additive = response.additive_increase.get() as f64 / bits;
    let change = |rate: f64| {
        let survives = |time: Span| (-time.seconds() * p * rate).exp();
        let silence = 1.0 / survives(interval);
        let phi = match window {
            CnpWindow::FromCnp => silence,
            CnpWindow::FreeRunningAtOnce => f64::midpoint(1.0, silence),
            CnpWindow::FreeRunning => unreachable!("its CNPs come late"),
        };
        // The sum of x^n from n = 1 on.
        let sum = |x: f64| x / (1.0 - x);
        let alpha = 1.0 / (1.0 + phi * sum(survives(response.alpha_timer)));
        let x = survives(response.timer);
        let unrecovered = 1.0 - phi * sum(x / 2.0);
        let raised = phi * x.powi(response.fast_recovery.into()) * (sum(x) - sum(x / 2.0));
        additive * raised - rate * alpha / 2.0 * unrecovered
    };
    let (mut low, mut high) = (1e3f64, LINE.get() as f64 / bits);
    for _ in 0..100 {
        let middle = (low * high).sqrt();
        if change(middle) > 0.0 { low = middle } else { high = middle }
    }
    low * bits
}

/// Compares at the probability for which the fluid's rate is the link's through `flows`. The protocol's is above the
/// fluid's by a factor of `above_fluid` at least.
fn compare(window: CnpWindow, flows: u32, above_fluid: f64) {
    let scheme = DcqcnScheme::preset(Preset::Recommended);
    let fluid = Fluid::new(&scheme, LINE, PACKET, Span::ZERO).fixed_point(flows);
    let echo = CnpEcho { window, ..scheme.echo };
    let (rate, error) = measured(echo, fluid.probability, BATCH * u64::from(flows), 7 + u64::from(flows));
    let expected = expected(window, fluid.probability);
    let difference = rate / expected - 1.0;
    println!("{window:?}, N {flows}: {rate:.4e} +- {error:.1e} bit/s, {:+.2} %", difference * 100.0);
    assert!(error < 0.005 * rate, "{window:?}, N {flows}: {rate} +- {error}");
    assert!(difference.abs() < 0.03, "{window:?}, N {flows}: {rate}, not {expected}");
    assert!(rate > above_fluid * fluid.rate, "{window:?}, N {flows}: {rate}");
}

/// Measured: -0.6, -0.6, -1.5 and -1.6 % from the closed form, and 20 % above the fluid.
#[test]
fn the_mean_rate_is_the_protocol_s_fixed_point() {
    for flows in [2, 4, 8, 10] {
        compare(CnpWindow::FromCnp, flows, 1.10);
    }
}

/// Measured: -0.5 and -1.1 % from the closed form, and 8 to 9 % above the fluid.
#[test]
fn free_running_intervals_answered_at_once_are_nearer_to_the_fluid() {
    for flows in [2, 10] {
        compare(CnpWindow::FreeRunningAtOnce, flows, 1.02);
    }
}
