//! InfiniBand's response against a model with a timer that ticks, and against its own equilibrium. The index of a flow
//! is constant if the BECN rate times `CCTI_Increase` is 1 over `CCTI_Timer`.

use cc_policies::iba::IbaResponse;
use cc_policies::iba::spec::{CctSpec, IbaResponseSpec, PortControl, ServiceLevelSetting, TimerStart};
use cc_policies::{Notification, Response};
use packet::ServiceLevel;
use proptest::prelude::*;
use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;
use units::{Span, Time};

/// Unit of `CCTI_Timer`.
const TIMER_UNIT: Span = Span::from_ps(1_024_000);

const CNP: Notification = Notification { psn: None, next: 0 };
const PACKET_TIME: Span = Span::from_ns(1200);
const STARTS: [TimerStart; 4] =
    [TimerStart::FreeRunning, TimerStart::FreeRunningOwnPhase, TimerStart::FirstBecn, TimerStart::EachBecn];

fn settings(limit: u16, min: u8, increase: u8, timer: u16, timer_start: TimerStart) -> IbaResponseSpec {
    IbaResponseSpec {
        port_control: PortControl::QueuePair,
        cct: CctSpec::Linear { entries: limit + 1, shift: 1, step: 1 },
        ccti_limit: limit,
        ccti_increase: increase,
        ccti_min: min,
        ccti_timer: timer,
        trigger_threshold: 0,
        timer_start,
        service_levels: vec![],
    }
}

fn at(units: u64) -> Time {
    (TIMER_UNIT * units).after_start()
}

/// The same response with a timer that ticks, as an adapter's does.
struct Ticking {
    start: TimerStart,
    period: Span,
    limit: u16,
    min: u16,
    increase: u16,
    index: u16,
    expires: Option<Time>,
}

impl Ticking {
    /// A timer that runs from the start on expires first after `first`.
    fn new(of: &IbaResponseSpec, first: Span) -> Self {
        let period = TIMER_UNIT * u64::from(of.ccti_timer);
        Self {
            start: of.timer_start,
            period,
            limit: of.ccti_limit,
            min: of.ccti_min.into(),
            increase: of.ccti_increase.into(),
            index: of.ccti_min.into(),
            expires: runs_freely(of.timer_start).then(|| first.after_start()),
        }
    }

    fn run_to(&mut self, now: Time) {
        while let Some(expiry) = self.expires.filter(|&expiry| expiry <= now) {
            self.index -= u16::from(self.index > self.min);
            let goes_on = runs_freely(self.start) || self.index > self.min;
            self.expires = goes_on.then(|| expiry + self.period);
        }
    }

    fn becn(&mut self, now: Time) {
        self.run_to(now);
        self.index = (self.index + self.increase).min(self.limit);
        match self.start {
            TimerStart::FreeRunning | TimerStart::FreeRunningOwnPhase => {}
            TimerStart::FirstBecn => self.expires = self.expires.or(Some(now + self.period)),
            TimerStart::EachBecn => self.expires = Some(now + self.period),
        }
    }
}

fn runs_freely(start: TimerStart) -> bool {
    matches!(start, TimerStart::FreeRunning | TimerStart::FreeRunningOwnPhase)
}

/// Returns the first expiry of a timer of period `timer` at service level 3 of the adapter with this random stream. It
/// is found by trial: a step up at the start, and a step down at that time.
fn first_expiry(timer: u16, stream: &Pcg64Mcg) -> Span {
    let settings = settings(1, 0, 1, timer, TimerStart::FreeRunningOwnPhase);
    let response = IbaResponse::new(&settings).with_timer_ages(stream.clone());
    let mut flow = response.at_rest(ServiceLevel(3));
    response.on_notification(&mut flow, CNP, Time::ZERO);
    let (mut before, mut after) = (0, (TIMER_UNIT * u64::from(timer)).ps());
    while before + 1 < after {
        let middle = before.midpoint(after);
        let down = response.index(&flow, Time::from_ps(middle)) == 0;
        (before, after) = if down { (before, middle) } else { (middle, after) };
    }
    Span::from_ps(after)
}

prop_compose! {
    fn any_settings()(
        limit in 0..40u16, min in 0..40u8, increase in 0..12u8, timer in 1..20u16,
        start in prop::sample::select(&STARTS[..]),
    ) -> IbaResponseSpec {
        settings(limit, min.min(limit as u8), increase, timer, start)
    }
}

/// Generates spans between events, many of them whole numbers of the timer's unit.
fn any_wait() -> impl Strategy<Value = Span> {
    prop_oneof![(0..40u64).prop_map(|units| TIMER_UNIT * units), (0..60_000_000u64).prop_map(Span::from_ps),]
}

proptest! {
    #[test]
    fn counting_expiries_is_ticking(
        settings in any_settings(), seed: u128,
        steps in prop::collection::vec((any_wait(), 0..3u8), 1..100),
    ) {
        let stream = Pcg64Mcg::new(seed);
        let first = match settings.timer_start {
            TimerStart::FreeRunningOwnPhase => first_expiry(settings.ccti_timer, &stream),
            _ => TIMER_UNIT * u64::from(settings.ccti_timer),
        };
        let response = IbaResponse::new(&settings).with_timer_ages(stream);
        let mut flow = response.at_rest(ServiceLevel(3));
        let mut ticking = Ticking::new(&settings, first);
        let mut now = Time::ZERO;
        for (wait, what) in steps {
            now += wait;
            ticking.run_to(now);
            match what {
                0 => {
                    response.on_notification(&mut flow, CNP, now);
                    ticking.becn(now);
                }
                1 => {
                    let gap = response.gap(&mut flow, PACKET_TIME, now);
                    prop_assert_eq!(gap, Span::from_ns(600) * u64::from(ticking.index));
                }
                _ => {}
            }
            prop_assert_eq!(response.index(&flow, now), ticking.index);
            prop_assert!((u16::from(settings.ccti_min)..=settings.ccti_limit).contains(&ticking.index));
        }
    }

    /// As many steps up as down: `increase` for each BECN, a step for each period, and a BECN in each window of
    /// `increase` periods.
    #[test]
    fn an_index_in_balance_stays(
        increase in 1..8u64, timer in 1..20u64, jitter in prop::collection::vec(0.0..1.0f64, 100),
        start in prop::sample::select(&[TimerStart::FreeRunning, TimerStart::FirstBecn][..]),
    ) {
        let response = IbaResponse::new(&settings(200, 0, increase as u8, timer as u16, start));
        let mut flow = response.at_rest(ServiceLevel(0));
        for _ in 0..100 / increase {
            response.on_notification(&mut flow, CNP, Time::ZERO);
        }
        let level = response.index(&flow, Time::ZERO);
        for (window, share) in (0..).zip(jitter) {
            let length = TIMER_UNIT * (timer * increase);
            let begin = (length * window).after_start();
            let within = Span::from_ps((length.ps() as f64 * share) as u64);
            prop_assert_eq!(response.index(&flow, begin), level);
            response.on_notification(&mut flow, CNP, begin + within);
        }
    }

    /// A timer that each BECN restarts holds the balance only if BECNs are periodic.
    #[test]
    fn a_restarted_timer_balances_regular_becns(increase in 1..8u64, timer in 1..20u64) {
        let response = IbaResponse::new(&settings(200, 0, increase as u8, timer as u16, TimerStart::EachBecn));
        let mut flow = response.at_rest(ServiceLevel(0));
        for _ in 0..100 / increase {
            response.on_notification(&mut flow, CNP, Time::ZERO);
        }
        let level = response.index(&flow, Time::ZERO);
        for window in 1..100 {
            response.on_notification(&mut flow, CNP, at(timer * increase * window));
            prop_assert_eq!(response.index(&flow, at(timer * increase * window)), level);
        }
    }
}

#[test]
fn faster_than_its_period_a_restarted_timer_never_expires() {
    for (start, expected) in STARTS.into_iter().zip([10, 10, 10, 100]) {
        let response = IbaResponse::new(&settings(127, 0, 1, 10, start));
        let mut flow = response.at_rest(ServiceLevel(0));
        for becn in 0..100 {
            response.on_notification(&mut flow, CNP, at(9 * becn));
        }
        // 100 BECNs up, and 90 periods of 10 in 900 units down; the last BECN is at 891.
        assert_eq!(response.index(&flow, at(900)), expected, "{start:?}");
    }
}

/// Phases of adapters are uniform over a period. For 1,000 of them, the first expiries deviate from their share nowhere
/// by more than 2.69 / sqrt(1000). This is Kolmogorov and Smirnov's bound for a case in a million.
#[test]
fn phases_are_spread_over_a_period() {
    let timer = 150;
    let period = (TIMER_UNIT * u64::from(timer)).ps() as f64;
    let adapters = (0..1000).map(Pcg64Mcg::seed_from_u64);
    let mut shares: Vec<_> =
        adapters.map(|stream| first_expiry(timer, &stream).ps() as f64 / period).collect();
    shares.sort_by(f64::total_cmp);
    for (rank, share) in shares.iter().enumerate() {
        assert!((share - rank as f64 / 1000.0).abs() < 2.69 / 1000f64.sqrt(), "{share} has rank {rank}");
    }
    // Without phases of their own, all expire at the end of the first period.
    let response = IbaResponse::new(&settings(1, 0, 1, timer, TimerStart::FreeRunning));
    let response = response.with_timer_ages(Pcg64Mcg::new(7));
    let mut flow = response.at_rest(ServiceLevel(3));
    response.on_notification(&mut flow, CNP, Time::ZERO);
    assert_eq!([149, 150].map(|units| response.index(&flow, at(units))), [1, 0]);
}

#[test]
fn a_trigger_is_crossed_from_below() {
    let response = IbaResponse::new(&IbaResponseSpec {
        trigger_threshold: 5,
        ..settings(20, 0, 3, 10, TimerStart::FirstBecn)
    });
    let mut flow = response.at_rest(ServiceLevel(0));
    let mut reaches = |units| response.on_notification(&mut flow, CNP, at(units)).reached_trigger;
    assert_eq!([reaches(0), reaches(1), reaches(2)], [false, true, false], "3, 6, 9");
    // Six expiries later the index is 3, so the next BECN crosses again.
    assert!(reaches(60));
}

#[test]
fn a_service_level_may_have_settings_of_its_own() {
    let own = ServiceLevelSetting {
        service_level: 2,
        ccti_increase: 7,
        ccti_min: 4,
        ccti_timer: 1,
        trigger_threshold: 0,
    };
    let response = IbaResponse::new(&IbaResponseSpec {
        service_levels: vec![own],
        ..settings(20, 1, 3, 100, TimerStart::FirstBecn)
    });
    let indices = |level| {
        let mut flow = response.at_rest(ServiceLevel(level));
        let rest = response.index(&flow, at(0));
        response.on_notification(&mut flow, CNP, at(0));
        [rest, response.index(&flow, at(0)), response.index(&flow, at(5)), response.index(&flow, at(50))]
    };
    assert_eq!(indices(1), [1, 4, 4, 4]);
    assert_eq!(indices(2), [4, 11, 6, 4]);
}

#[test]
fn an_entry_is_a_shift_and_a_multiplier() {
    let cct = CctSpec::Entries(vec![(0, 0), (3, 5), (0, 16_383)]);
    let response =
        IbaResponse::new(&IbaResponseSpec { cct, ..settings(2, 0, 1, 100, TimerStart::FirstBecn) });
    let mut flow = response.at_rest(ServiceLevel(0));
    let mut gap = |units| response.gap(&mut flow, Span::from_ps(1_000_007), at(units));
    assert_eq!(gap(0), Span::ZERO);
    let mut flow = response.at_rest(ServiceLevel(0));
    response.on_notification(&mut flow, CNP, at(1));
    // 1,000,007 >> 3 = 125,000: the shift comes first.
    assert_eq!(response.gap(&mut flow, Span::from_ps(1_000_007), at(1)), Span::from_ps(625_000));
    response.on_notification(&mut flow, CNP, at(2));
    assert_eq!(response.gap(&mut flow, Span::from_ns(1000), at(2)), Span::from_us(16_383));
}
