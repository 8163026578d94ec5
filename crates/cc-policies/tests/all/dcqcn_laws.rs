//! Laws of DCQCN's reaction point: bounds, the stages and their order, and a CNP's fresh start.

use cc_policies::dcqcn::spec::{AlphaUpdate, CnpOrder, DcqcnResponseSpec, DcqcnScheme, Preset, StageRule};
use cc_policies::dcqcn::{DcqcnResponse, DcqcnState};
use cc_policies::{FlowRate, LimitedBy, Notification, Response, SentPacket};
use packet::ServiceLevel;
use proptest::prelude::*;
use units::{Bytes, Rate, Span, Time};

const LINE: Rate = Rate::gbps(40);
const RULES: [StageRule; 3] = [StageRule::Own, StageRule::Both, StageRule::TimerAlone];

/// A flow under test, with its own clock, in us.
struct Flow {
    response: DcqcnResponse,
    state: DcqcnState,
    us: u64,
}

impl Flow {
    fn new(spec: &DcqcnResponseSpec) -> Self {
        Self::on(spec, LINE)
    }

    /// A flow on a link of this rate.
    fn on(spec: &DcqcnResponseSpec, line: Rate) -> Self {
        assert_eq!(spec.check(), Ok(()));
        let response = DcqcnResponse::new(spec, line);
        Self { state: response.at_rest(ServiceLevel(0)), response, us: 0 }
    }

    fn now(&self) -> Time {
        Span::from_us(self.us).after_start()
    }

    fn cnp(&mut self) -> &mut Self {
        let now = self.now();
        self.response.on_notification(&mut self.state, Notification { psn: None, next: 0 }, now);
        self
    }

    fn wait(&mut self, us: u64) -> &mut Self {
        self.us += us;
        self
    }

    fn send(&mut self, bytes: u64) -> &mut Self {
        let sent = SentPacket { limited_by: LimitedBy::Rate, length: Bytes::new(bytes) };
        let now = self.now();
        self.response.on_sent(&mut self.state, sent, now);
        self
    }

    fn rate(&self) -> FlowRate {
        self.response.flow_rate(&self.state, self.now()).expect("a rate")
    }

    /// Returns `R_C` and `R_T`, in kb/s.
    fn kbps(&self) -> (u64, u64) {
        let rate = self.rate();
        (rate.current.get() / 1000, rate.target.get() / 1000)
    }

    /// Lets `event` cause an increase. Returns the increment of the target, in kb/s, and checks that `R_C` covers half
    /// of the distance to the target, but for rounding.
    fn increment(&mut self, event: impl FnOnce(&mut Self)) -> u64 {
        let (current, target) = self.kbps();
        event(self);
        let (after, new_target) = self.kbps();
        assert!(2 * after - current - new_target <= 1, "{current} of {target} to {after} of {new_target}");
        new_target - target
    }
}

/// T 10 us, B 1,000 bytes, F 3, `R_AI` 40 Mb/s, `R_HAI` 200 Mb/s.
fn spec(stages: StageRule) -> DcqcnResponseSpec {
    DcqcnResponseSpec {
        stages,
        timer: Span::from_us(10),
        byte_counter: Bytes::new(1000),
        fast_recovery: 3,
        ..DcqcnResponseSpec::preset(Preset::Recommended)
    }
}

/// Returns a flow after CNPs that leave it far below line rate.
fn slowed(spec: &DcqcnResponseSpec) -> Flow {
    let mut flow = Flow::new(spec);
    (0..5).for_each(|_| {
        flow.cnp();
    });
    flow
}

fn by_timer(flow: &mut Flow) -> u64 {
    flow.increment(|flow| {
        flow.wait(10);
    })
}

fn by_bytes(flow: &mut Flow) -> u64 {
    flow.increment(|flow| {
        flow.send(1000);
    })
}

/// Increments in kb/s of the target by eight expiries of the timer alone, of the bytes alone, and of both in turn.
fn increments(stages: StageRule) -> [Vec<u64>; 3] {
    let mut flow = slowed(&spec(stages));
    let timer = (0..8).map(|_| by_timer(&mut flow)).collect();
    let mut flow = slowed(&spec(stages));
    let bytes = (0..8).map(|_| by_bytes(&mut flow)).collect();
    let mut flow = slowed(&spec(stages));
    let both = (0..8).flat_map(|_| [by_timer(&mut flow), by_bytes(&mut flow)]).collect();
    [timer, bytes, both]
}

const AI: u64 = 40_000;
const HAI: u64 = 200_000;
/// Hyper increases of two counters that expire in turn: the i-th pair with i times `R_HAI`.
const HYPER: [u64; 9] = [HAI, HAI, 2 * HAI, 2 * HAI, 3 * HAI, 3 * HAI, 4 * HAI, 4 * HAI, 5 * HAI];

/// F fast recoveries of a counter, then additive increases; hyper increases begin where both counters are above F.
#[test]
fn each_counter_s_own_stage_decides() {
    let [timer, bytes, both] = increments(StageRule::Own);
    assert_eq!(timer, [0, 0, 0, AI, AI, AI, AI, AI]);
    assert_eq!(bytes, timer);
    assert_eq!(both[..7], [0, 0, 0, 0, 0, 0, AI]);
    assert_eq!(both[7..], HYPER);
}

/// Fast recovery while the higher stage is below F; hyper increase where the lower stage is above F.
#[test]
fn the_higher_stage_ends_recovery_and_the_lower_one_starts_hyper_increase() {
    let [timer, bytes, both] = increments(StageRule::Both);
    assert_eq!(timer, [0, 0, AI, AI, AI, AI, AI, AI]);
    assert_eq!(bytes, timer);
    assert_eq!(both[..7], [0, 0, 0, 0, AI, AI, AI]);
    assert_eq!(both[7..], HYPER);
}

/// F fast recoveries, an additive increase, hyper increases by `R_HAI`; the bytes count nothing.
#[test]
fn the_timer_alone_goes_through_all_stages() {
    let mut flow = slowed(&spec(StageRule::TimerAlone));
    let timer: Vec<_> = (0..8).map(|_| by_timer(&mut flow)).collect();
    assert_eq!(timer, [0, 0, 0, AI, HAI, HAI, HAI, HAI]);
    let mut flow = slowed(&spec(StageRule::TimerAlone));
    let before = flow.kbps();
    assert_eq!(flow.send(1_000_000).kbps(), before);
}

/// After a CNP a flow takes the same path as a flow that has the same rates and alpha, and had no increases before.
/// Neither stage, nor the bytes so far, nor the time so far survive.
#[test]
fn a_cnp_starts_all_counters_anew() {
    for stages in RULES {
        let mut flow = slowed(&spec(stages));
        for _ in 0..5 {
            flow.wait(10).send(1000);
        }
        flow.wait(7).send(999).cnp();
        let cut = flow.kbps();
        assert_eq!(flow.wait(9).send(999).kbps(), cut, "{stages:?}: nothing is due 9 us and 999 bytes later");
        if stages != StageRule::TimerAlone {
            let quiet = flow.kbps().1;
            assert_eq!(by_one_byte(&mut flow), 0, "the first recovery by bytes");
            assert!(flow.kbps().0 > cut.0 && flow.kbps().1 == quiet);
        }
        let recoveries = if stages == StageRule::Both { 1 } else { 2 };
        flow.increment(|flow| {
            flow.wait(1);
        });
        for _ in 0..recoveries {
            assert_eq!(by_timer(&mut flow), 0, "{stages:?}: stages from 0");
        }
        assert_eq!(by_timer(&mut flow), AI, "{stages:?}: no stage of bytes makes this a hyper increase");
    }
}

fn by_one_byte(flow: &mut Flow) -> u64 {
    flow.increment(|flow| {
        flow.send(1);
    })
}

/// n bytes in packets of any length make n / B expiries: what a packet has beyond B counts for the next.
#[test]
fn bytes_beyond_an_expiry_count_for_the_next() {
    let (mut packets, mut whole) = (slowed(&spec(StageRule::Own)), slowed(&spec(StageRule::Own)));
    for sent in 1..=40 {
        packets.send(700);
        let expired = |sent: u64| sent * 700 / 1000;
        (expired(sent - 1)..expired(sent)).for_each(|_| {
            whole.send(1000);
        });
        assert_eq!(packets.kbps(), whole.kbps(), "{sent} packets of 700 bytes");
    }
}

/// A CNP cuts by half at most, down to the lowest rate and not further, and the flow recovers from there.
#[test]
fn cnps_cut_to_the_lowest_rate() {
    let mut flow = Flow::new(&DcqcnResponseSpec::preset(Preset::Recommended));
    let mut expected = 40_000_000;
    for _ in 0..50 {
        expected = (expected / 2).max(100_000);
        flow.cnp();
        // alpha is 1 after 0 us and stays there, but for its rounding.
        let current = flow.kbps().0;
        assert!(current.abs_diff(expected) < 20, "{current} kb/s, not {expected}");
        expected = current;
    }
    assert_eq!(flow.kbps().0, 100_000);
}

/// alpha falls by 1 - g each K after a CNP, whatever T is, and rises by g at the CNP.
#[test]
fn alpha_falls_by_its_own_timer() {
    let g = 1.0 / 16.0;
    let spec = DcqcnResponseSpec { g, alpha_timer: Span::from_us(23), ..spec(StageRule::Own) };
    let mut flow = slowed(&spec);
    let first = flow.rate().alpha;
    for us in 1..200 {
        let alpha = flow.wait(1).rate().alpha;
        assert!((alpha - first * (1.0 - g).powi(us / 23)).abs() < 1e-7, "{alpha} after {us} us");
    }
    let before = flow.rate().alpha;
    assert!((flow.cnp().rate().alpha - (before * (1.0 - g) + g)).abs() < 1e-7);
}

/// alpha by intervals: it rises at the end of an interval with a CNP, and falls at the end of an interval without. A
/// second CNP in an interval has no weight, and the first of all only starts the clock.
#[test]
fn alpha_counts_intervals_with_a_cnp() {
    let g = 1.0 / 16.0;
    let intervals = AlphaUpdate::EachInterval;
    let spec = DcqcnResponseSpec {
        g,
        initial_alpha: 0.5,
        alpha_update: intervals,
        alpha_timer: Span::from_us(23),
        order: CnpOrder::AlphaFirst,
        ..spec(StageRule::Own)
    };
    let (rise, fall) = (|alpha: f64| alpha * (1.0 - g) + g, |alpha: f64| alpha * (1.0 - g));
    let mut flow = Flow::new(&spec);
    flow.wait(1000).cnp();
    let mut expected = 0.5;
    for cnps in [0, 2, 1, 0, 0, 3, 1] {
        for _ in 0..cnps {
            assert!((flow.wait(5).cnp().rate().alpha - expected).abs() < 1e-7);
        }
        flow.wait(23 - 5 * cnps);
        expected = if cnps > 0 { rise(expected) } else { fall(expected) };
        assert!((flow.rate().alpha - expected).abs() < 1e-7, "{} is not {expected}", flow.rate().alpha);
    }
}

prop_compose! {
    fn any_spec()(
        (timer, alpha_timer, byte_counter) in (1..200u64, 1..200u64, 1..200_000u64),
        fast_recovery in 1..12u8,
        (additive, hyper) in (1..2_000_000u64, 1..8_000_000u64),
        min_rate in 1..50_000_000u64,
        stages in prop::sample::select(&RULES[..]),
        alpha_update in prop::sample::select(vec![AlphaUpdate::EachCnp, AlphaUpdate::EachInterval]),
        (alpha_first, clamp_target, clamp_after_timer) in any::<(bool, bool, bool)>(),
        g in 0.001..0.9f64,
    ) -> DcqcnResponseSpec {
        DcqcnResponseSpec {
            g,
            initial_alpha: 1.0,
            alpha_update,
            alpha_timer: Span::from_us(alpha_timer),
            order: if alpha_first { CnpOrder::AlphaFirst } else { CnpOrder::CutFirst },
            clamp_target,
            clamp_after_timer,
            byte_counter: Bytes::new(byte_counter),
            stages,
            timer: Span::from_us(timer),
            fast_recovery,
            additive_increase: Rate::bps(additive * 1000),
            hyper_increase: Rate::bps(hyper * 1000),
            min_rate: Rate::bps(min_rate * 1000),
        }
    }
}

proptest! {
    /// `min_rate <= R_C <= R_T <= line`, alpha within 0 and 1; only a CNP lowers `R_C`.
    #[test]
    fn rates_stay_between_their_bounds(
        spec in any_spec(),
        steps in prop::collection::vec((0..500u64, 0..20_000u64, any::<bool>()), 1..200),
    ) {
        let mut flow = Flow::new(&spec);
        let lowest = (spec.min_rate.get() / 1000).min(LINE.get() / 1000);
        for (us, bytes, notified) in steps {
            let before = flow.kbps();
            flow.wait(us);
            if notified { flow.cnp(); } else { flow.send(bytes); }
            let (current, target) = flow.kbps();
            prop_assert!(lowest <= current && current <= target && target <= LINE.get() / 1000);
            prop_assert!(notified || current >= before.0 && target >= before.1);
            prop_assert!((0.0..=1.0).contains(&flow.rate().alpha));
        }
    }
}

/// Returns `R_C` in parts of the link's rate after each microsecond: two CNPs 50 us apart, and then none. A flow sends
/// at `R_C` all the time.
fn recovery(spec: &DcqcnResponseSpec, line: Rate) -> Vec<f64> {
    let mut flow = Flow::on(spec, line);
    let mut shares = Vec::new();
    for us in 0..40_000_u64 {
        if us == 0 || us == 50 {
            flow.cnp();
        }
        let current = flow.rate().current;
        flow.send(current.get() / 8_000_000);
        flow.wait(1);
        shares.push(flow.rate().current.get() as f64 / line.get() as f64);
    }
    shares
}

/// With the preset scaled to its link, a flow takes the same course back to the link's rate at every rate. The preset
/// as it is takes another at 400 Gb/s.
#[test]
fn a_scaled_preset_recovers_in_the_same_time_at_every_rate() {
    let papers = DcqcnResponseSpec::preset(Preset::Recommended);
    let back = |shares: &[f64]| shares.iter().rposition(|share| *share < 0.999).expect("the CNPs cut") + 1;
    let slow = recovery(&papers, LINE);
    assert!(back(&slow) < slow.len(), "the flow is back at {} of its link's rate", slow[slow.len() - 1]);
    assert_eq!(DcqcnScheme::scaled_to(LINE), DcqcnScheme::preset(Preset::Recommended));
    for gbps in [10, 100, 400, 800] {
        let line = Rate::gbps(gbps);
        let fast = recovery(&DcqcnScheme::scaled_to(line).response, line);
        // Rates are whole kb/s, and the bytes of a microsecond whole bytes. So an increase comes a microsecond apart at
        // most, and is at most half of R_T - R_C.
        assert!(back(&slow).abs_diff(back(&fast)) <= 2, "{} and {} us", back(&slow), back(&fast));
        let apart = slow.iter().zip(&fast).filter(|(slow, fast)| (*slow - *fast).abs() > 1e-4).count();
        assert!(apart < slow.len() / 100, "{apart} of {} differ at {gbps} Gb/s", slow.len());
    }
    let unscaled = recovery(&papers, Rate::gbps(400));
    assert!(back(&unscaled).abs_diff(back(&slow)) > 1000, "{} and {} us", back(&unscaled), back(&slow));
}

/// Every rate and every amount of bytes is scaled; times, shares and counts are not.
#[test]
fn scaling_multiplies_rates_and_bytes() {
    let (one, ten) = (DcqcnScheme::preset(Preset::Recommended), DcqcnScheme::scaled_to(Rate::gbps(400)));
    assert_eq!((ten.marking.kmin, ten.marking.kmax), (Bytes::new(50_000), Bytes::new(2_000_000)));
    let expected = DcqcnResponseSpec {
        byte_counter: Bytes::new(100_000_000),
        additive_increase: Rate::bps(400_000_000),
        hyper_increase: Rate::gbps(2),
        min_rate: Rate::gbps(1),
        ..one.response
    };
    assert_eq!(ten.response, expected);
    assert_eq!((ten.echo, ten.marking.pmax), (one.echo, one.marking.pmax));
}
