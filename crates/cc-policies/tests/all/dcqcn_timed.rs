//! The reaction point by timers, against a model that ticks, and its laws.
//!
//! The reference knows nothing of the response's tricks: it asks at each tick which timers expire, and every rule is a
//! line. Its numbers are floating-point; the response's are whole, and differ by their rounding.

use cc_policies::dcqcn::timed::TimedResponse;
use cc_policies::dcqcn::timed::spec::TimedResponseSpec;
use cc_policies::{Acknowledgement, FlowRate, Notification, Response};
use packet::ServiceLevel;
use proptest::prelude::*;
use settings::SettingError as _;
use units::{Rate, Span, Time};

const LINE: Rate = Rate::gbps(40);
/// Odd, so that no interval is a power of two.
const TICK: Span = Span::from_ns(99);

/// Source of a flow. Intervals are in ticks, rates in bit/s.
struct TickingSource {
    spec: TimedResponseSpec,
    intervals: [u64; 3],
    now: u64,
    first_cnp: Option<u64>,
    last_cut: Option<u64>,
    stage: u64,
    rate: f64,
    target: f64,
    alpha: f64,
    cnp_for_alpha: bool,
    cnp_for_cut: bool,
}

impl TickingSource {
    fn new(spec: &TimedResponseSpec) -> Self {
        let line = LINE.get() as f64;
        let intervals = [spec.alpha_timer, spec.cut_timer, spec.timer].map(|time| time.ps() / TICK.ps());
        Self {
            spec: *spec,
            intervals,
            now: 0,
            first_cnp: None,
            last_cut: None,
            stage: 0,
            rate: line,
            target: line,
            alpha: 1.0,
            cnp_for_alpha: false,
            cnp_for_cut: false,
        }
    }

    /// Ends the present tick, and begins the next.
    fn tick(&mut self) {
        let [k, d, t] = self.intervals;
        let expires = |from: Option<u64>, interval: u64, now: u64| {
            from.is_some_and(|from| now > from && (now - from).is_multiple_of(interval))
        };
        // Each is planned an interval ahead. In the same instant the longer has been planned before the shorter.
        if t > d && expires(self.last_cut, t, self.now) {
            self.increase();
        }
        let cuts = expires(self.first_cnp, d, self.now) && self.cnp_for_cut;
        if cuts {
            self.cut();
        }
        if t <= d && !cuts && expires(self.last_cut, t, self.now) {
            self.increase();
        }
        self.now += 1;
        if expires(self.first_cnp, k, self.now) {
            let risen = if self.cnp_for_alpha { self.spec.g } else { 0.0 };
            self.alpha = (1.0 - self.spec.g) * self.alpha + risen;
            self.cnp_for_alpha = false;
        }
    }

    fn increase(&mut self) {
        let f = u64::from(self.spec.fast_recovery);
        // That simulator compares the stage before it counts: below F, F, above F.
        let more = if self.stage < f {
            Rate::bps(0)
        } else if self.stage == f {
            self.spec.additive_increase
        } else {
            self.spec.hyper_increase
        };
        self.stage += 1;
        self.target = (self.target + more.get() as f64).min(LINE.get() as f64);
        self.rate = self.rate / 2.0 + self.target / 2.0;
    }

    fn cut(&mut self) {
        if self.spec.clamp_target || self.stage != 0 {
            self.target = self.rate;
        }
        let least = self.spec.min_rate.min(LINE).get() as f64;
        self.rate = (self.rate * (1.0 - self.alpha / 2.0)).max(least);
        self.target = self.target.max(self.rate);
        (self.stage, self.cnp_for_cut, self.last_cut) = (0, false, Some(self.now));
    }

    fn cnp(&mut self) {
        self.cnp_for_cut = true;
        if self.first_cnp.is_none() {
            self.first_cnp = Some(self.now);
        } else {
            self.cnp_for_alpha = true;
        }
    }
}

prop_compose! {
    fn any_spec()(
        (timer, cut_timer, alpha_timer) in (1..40u64, 1..12u64, 1..25u64),
        g in prop_oneof![4 => (1..1024u32).prop_map(|g| f64::from(g) / 1024.0), 1 => Just(0.0), 1 => Just(1.0)],
        fast_recovery in 0..7u8,
        (additive, hyper) in (0..2_000_000u64, 0..8_000_000u64),
        min_rate in prop_oneof![4 => 1_000..20_000_000u64, 1 => Just(40_000_000), 1 => Just(50_000_000)],
        clamp_target in any::<bool>(),
    ) -> TimedResponseSpec {
        TimedResponseSpec {
            g,
            alpha_timer: TICK * alpha_timer,
            cut_timer: TICK * cut_timer,
            clamp_target,
            timer: TICK * timer,
            fast_recovery,
            additive_increase: Rate::bps(additive * 1000),
            hyper_increase: Rate::bps(hyper * 1000),
            min_rate: Rate::bps(min_rate * 1000),
        }
    }
}

fn cnp(response: &TimedResponse, flow: &mut <TimedResponse as Response>::State, now: Time) {
    response.on_notification(flow, Notification { psn: None, next: 0 }, now);
}

fn rate(response: &TimedResponse, flow: &<TimedResponse as Response>::State, now: Time) -> FlowRate {
    response.flow_rate(flow, now).expect("a rate")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn counting_expiries_is_ticking(
        spec in any_spec(),
        start in 0..1000u64,
        steps in prop::collection::vec(
            (prop_oneof![4 => 0..4u64, 4 => 0..40u64, 1 => 0..400u64], 0..4u8), 1..120
        ),
    ) {
        prop_assert_eq!(spec.check(), Ok(()));
        let response = TimedResponse::new(&spec, LINE);
        let mut flow = response.at_rest(ServiceLevel(0));
        let mut reference = TickingSource::new(&spec);
        let mut tick = start;
        (0..start).for_each(|_| reference.tick());
        for (wait, event) in steps {
            tick += wait;
            (0..wait).for_each(|_| reference.tick());
            let now = (TICK * tick).after_start();
            match event {
                0 => {
                    cnp(&response, &mut flow, now);
                    reference.cnp();
                }
                1 => {
                    let ack = Acknowledgement { psn: 0, next: 1, packets: 1, marked: true };
                    response.on_acknowledged(&mut flow, ack, now);
                    reference.cnp();
                }
                2 => {
                    response.gap(&mut flow, Span::from_ns(200), now);
                }
                _ => {}
            }
            let FlowRate { current, target, alpha } = rate(&response, &flow, now);
            // alpha's rounding, 2^-30 at each change and twice that in each power, spreads to cuts.
            let rounding = 4.0 * (tick + 1) as f64 / f64::from(1u32 << 30);
            let near = |one: f64, other: f64, within: f64| (one - other).abs() <= within;
            let of_rates = rounding * LINE.get() as f64 + 2_000.0 * 120.0;
            prop_assert!(near(alpha, reference.alpha, rounding), "{} {}", alpha, reference.alpha);
            prop_assert!(near(current.get() as f64, reference.rate, of_rates), "{} {}", current, reference.rate);
            prop_assert!(near(target.get() as f64, reference.target, of_rates), "{} {}", target, reference.target);
        }
    }
}

/// With a mark in each interval, alpha stays 1, and each cut halves the rate. With the same cuts, but a mark in every
/// fourth interval of alpha only, alpha falls towards a quarter. A CNP for each cut does not do what all marks do.
#[test]
fn alpha_is_the_share_of_its_intervals_with_a_mark() {
    let spec = TimedResponseSpec { min_rate: Rate::bps(1_000), ..TimedResponseSpec::VENDOR };
    let response = TimedResponse::new(&spec, LINE);
    let after = |every: u64, us: u64| {
        let mut flow = response.at_rest(ServiceLevel(0));
        (0..us)
            .step_by(every as usize)
            .for_each(|us| cnp(&response, &mut flow, Span::from_ns(1000 * us + 500).after_start()));
        rate(&response, &flow, Span::from_us(us).after_start())
    };
    // The first CNP counts for no interval of alpha.
    let first = 1.0 - spec.g;
    assert!((after(1, 4000).alpha - 1.0).abs() < 1e-4);
    // Each fourth interval raises alpha: its mean is a quarter, and it moves by at most g around that.
    assert!((after(4, 8000).alpha - 0.25).abs() < spec.g);
    let at_first = after(1, 5).current.get() as f64 / LINE.get() as f64;
    let alpha = 1.0 - spec.g * first.powi(3);
    assert!((at_first - (1.0 - alpha / 2.0)).abs() < 1e-6, "{at_first}");
}

/// After a cut, the rate recovers half of the difference at each expiry. With F = 0 the first expiry adds `R_AI`, and
/// all later expiries `R_HAI`.
#[test]
fn increases_follow_the_timer_alone() {
    let gbps = |flow: FlowRate| flow.current.get() as f64 / 1e9;
    for (fast_recovery, target) in
        [(0, [30.0_f64, 35.0, 40.0]), (1, [20.0, 30.0, 35.0]), (2, [20.0, 20.0, 30.0])]
    {
        let spec = TimedResponseSpec {
            g: 0.0,
            clamp_target: true,
            fast_recovery,
            additive_increase: Rate::gbps(10),
            hyper_increase: Rate::gbps(5),
            ..TimedResponseSpec::VENDOR
        };
        let response = TimedResponse::new(&spec, LINE);
        let mut flow = response.at_rest(ServiceLevel(0));
        cnp(&response, &mut flow, Time::ZERO);
        // A second cut, from 20 to 10 Gb/s, makes 20 Gb/s the target.
        cnp(&response, &mut flow, Span::from_us(5).after_start());
        let mut expected = 10.0_f64;
        for (nth, target) in (1..=3u64).zip(target) {
            expected = f64::midpoint(expected, target);
            let at = Span::from_us(8 + 300 * nth + 1).after_start();
            assert!((gbps(rate(&response, &flow, at)) - expected).abs() < 1e-5, "F {fast_recovery}, {nth}");
        }
    }
}

/// Stages beyond 16 bits move the timer by less than a cut's interval, and nothing else.
#[test]
fn a_flow_that_never_reaches_its_line_keeps_increasing() {
    let spec = TimedResponseSpec {
        clamp_target: true,
        g: 0.0,
        timer: Span::from_us(7),
        fast_recovery: 0,
        additive_increase: Rate::bps(1_000),
        hyper_increase: Rate::bps(1_000),
        ..TimedResponseSpec::VENDOR
    };
    let response = TimedResponse::new(&spec, LINE);
    let mut flow = response.at_rest(ServiceLevel(0));
    cnp(&response, &mut flow, Time::ZERO);
    cnp(&response, &mut flow, Span::from_us(5).after_start());
    for expiries in [60_000_u64, 65_535, 65_536, 65_540, 98_000, 200_000] {
        let at = Span::from_us(8 + 7 * expiries + 6).after_start();
        let target = rate(&response, &flow, at).target.get();
        let expected = 20_000_000_000 + 1_000 * expiries;
        assert!(target.abs_diff(expected) <= 1_000, "{expiries}: {target}");
    }
}

#[test]
fn settings_out_of_range_are_refused() {
    let mistakes: [fn(&mut TimedResponseSpec); 9] = [
        |all| all.g = 1.1,
        |all| all.g = f64::NAN,
        |all| all.cut_timer = Span::ZERO,
        |all| all.cut_timer = Span::from_ps(9_999),
        |all| all.alpha_timer = Span::ZERO,
        |all| all.timer = Span::ZERO,
        |all| all.alpha_timer = all.cut_timer * 251,
        |all| all.fast_recovery = 254,
        |all| all.min_rate = Rate::bps(0),
    ];
    assert_eq!(TimedResponseSpec::VENDOR.check(), Ok(()));
    for mistake in mistakes {
        let mut all = TimedResponseSpec::VENDOR;
        mistake(&mut all);
        assert!(all.check().is_err(), "{all:?}");
    }
    let cut_timer = Span::from_ns(10);
    let alpha_timer = cut_timer * 250;
    let edge = TimedResponseSpec { cut_timer, alpha_timer, fast_recovery: 253, ..TimedResponseSpec::VENDOR };
    assert_eq!(edge.check(), Ok(()));
    let beyond = TimedResponseSpec { alpha_timer: alpha_timer + Span::from_ps(1), ..edge };
    let fault = beyond.check().expect_err("an interval too long");
    assert!(fault.help().expect("a proposal").contains(&alpha_timer.to_string()), "{:?}", fault.help());
}

/// HPCC's authors give g of 1/256 with the vendor's intervals.
#[test]
fn the_vendor_s_weight_is_a_256th() {
    assert_eq!((TimedResponseSpec::VENDOR.g * 256.0).to_bits(), 1.0_f64.to_bits());
}

/// The first CNP starts the clocks, and each counts for the next cut.
#[test]
fn every_notification_counts() {
    let response = TimedResponse::new(&TimedResponseSpec::VENDOR, LINE);
    let mut flow = response.at_rest(ServiceLevel(0));
    for us in 0..10 {
        let now = Span::from_us(us).after_start();
        let outcome = response.on_notification(&mut flow, Notification { psn: None, next: 0 }, now);
        assert!(outcome.decreased && !outcome.reached_trigger, "at {now}");
    }
}
