//! The HP proposal's properties, over generated parameters. They hold for the functions as real numbers, for the tables
//! made of them, and for the response that uses the tables.
//!
//! 1. An increase after a decrease leads no higher than before: `f_inc(f_dec(r)) <= r`. Below `f_inc(Rmin)` this
//!    contradicts the third property, which wins there.
//! 2. Recovery takes no longer at a lower rate. With a step for each acknowledgement it may be late by a packet.
//! 3. From the lowest rate a single unmarked packet suffices.

use cc_policies::hp::functions::RateFunction;
use cc_policies::hp::ladder::{Ladder, LadderStep, ipd_rates, window_rates};
use cc_policies::hp::spec::{HpResponseSpec, RateControl, RpiAfterDecrease, WindowControl};
use cc_policies::hp::{HpResponse, HpState};
use cc_policies::{Acknowledgement, LimitedBy, Response, SentPacket};
use packet::ServiceLevel;
use proptest::prelude::*;
use units::{Bytes, Span, Time};

/// Returns a packet of some length, held back by this constraint.
fn sent(limited_by: LimitedBy) -> SentPacket {
    SentPacket { limited_by, length: Bytes::new(2074) }
}

fn any_function() -> impl Strategy<Value = RateFunction> {
    prop_oneof![
        (1.05..8.0).prop_map(RateFunction::Aimd),
        (1.05..8.0).prop_map(RateFunction::Fimd),
        Just(RateFunction::Lipd),
    ]
}

fn any_rates() -> impl Strategy<Value = Vec<f64>> {
    prop_oneof![(1..=255u8).prop_map(ipd_rates), (2..=300u16).prop_map(window_rates)]
}

/// Generates a decrease of each level that leads down and keeps the order of levels.
fn any_decrease(levels: usize) -> impl Strategy<Value = Vec<usize>> {
    prop::collection::vec(0.0..1.0f64, levels).prop_map(|shares| {
        let mut lowest = 0;
        let level = |(level, share): (usize, f64)| {
            let highest = level.saturating_sub(1);
            lowest = (lowest + (share * share * share * (highest - lowest + 1) as f64) as usize).min(highest);
            lowest
        };
        shares.into_iter().enumerate().map(level).collect()
    })
}

/// Returns the packet times at the lowest rate from a decrease at `level` until the flow is back there.
fn recovery(steps: &[LadderStep], rates: &[f64], level: usize) -> f64 {
    let (mut at, mut time) = (usize::from(steps[level].decrease), 0.0);
    while at < level {
        time += f64::from(steps[at].new_rpi) / rates[at];
        at = usize::from(steps[at].increase);
    }
    time
}

/// Checks the properties of all tables. A recovery may be late by `late` packets at the rate reached. It may be late by
/// another packet for each packet time at the lowest rate that it takes. `early` gives the packet times at the lowest
/// rate by which a recovery from a level may be early.
fn check_tables(ladder: &Ladder, late: f64, early: impl Fn(usize) -> f64) -> Result<(), TestCaseError> {
    let (steps, rates, clock) = (ladder.steps(), ladder.rates(), ladder.clock());
    let top = rates.len() - 1;
    prop_assert_eq!(steps[0].new_rpi, 1, "third property");
    prop_assert_eq!((steps[0].decrease, usize::from(steps[top].increase)), (0, top));
    for (level, step) in steps.iter().enumerate() {
        let (up, down) = (usize::from(step.increase), usize::from(step.decrease));
        prop_assert!(up <= top && (up > level || level == top) && (down < level || level == 0));
        prop_assert!(step.new_rpi >= 1);
        if let Some(next) = steps.get(level + 1) {
            prop_assert!(
                step.increase <= next.increase && step.decrease <= next.decrease,
                "order at {}",
                level
            );
        }
        let back = usize::from(steps[down].increase);
        let first = usize::from(steps[0].increase);
        prop_assert!(back <= level.max(first), "first property: {} -> {} -> {}", level, down, back);
        if level > first {
            // Second property: the time of the function.
            let (time, ideal) = (recovery(&steps, rates, level), clock[level] - clock[down]);
            let packet = 1.0 / rates[down];
            prop_assert!(time > ideal - early(down) - 1e-6, "{} early: {} of {}", level, time, ideal);
            prop_assert!(
                time < ideal + (late + ideal) * packet + 1e-6,
                "{} late: {} of {}",
                level,
                time,
                ideal
            );
        }
    }
    Ok(())
}

/// FIMD's rates at whole packet times at the lowest rate are powers of the divisor. The clock starts anew at each, so
/// that a recovery from a power to the next is never early, whatever was rounded up before.
#[test]
fn a_recovery_between_whole_units_is_never_early() {
    for max_ipd in [15, 127, 255] {
        let ladder = Ladder::of(RateFunction::Fimd(2.0), ipd_rates(max_ipd));
        let (steps, rates) = (ladder.steps(), ladder.rates());
        let powers: Vec<_> = (1..rates.len()).filter(|level| rates[*level].log2().fract() == 0.0).collect();
        assert_eq!(powers.len() as u32, rates.len().ilog2());
        for level in powers {
            let time = recovery(&steps, rates, level);
            assert!(time >= 1.0 - 1e-9, "{} of {max_ipd}: {time}", rates[level]);
        }
    }
}

proptest! {
    #[test]
    fn functions_have_the_properties(function in any_function(), highest in 2.0..300.0f64, share in 0.0..1.0f64) {
        let rate = 1.0 + share * (highest - 1.0);
        let (up, down) = (function.increase(rate, highest), function.decrease(rate, highest));
        prop_assert!(1.0 <= down && down <= rate && rate <= up && up <= highest);
        let least = function.increase(1.0, highest);
        prop_assert!(function.increase(down, highest) <= rate.max(least) * (1.0 + 1e-12), "first property");
        // In the continuous limit recovery takes the difference of the clocks.
        let recovery = |rate: f64| function.clock(rate, highest) - function.clock(function.decrease(rate, highest), highest);
        let lower = 1.0 + share * share * (highest - 1.0);
        prop_assert!(recovery(lower) <= recovery(rate) + 1e-6, "second property");
        if down > 1.0 && !matches!(function, RateFunction::Aimd(_)) {
            prop_assert!((recovery(rate) - 1.0).abs() < 1e-6, "one packet time at the lowest rate");
        }
        prop_assert!(least > 1.0, "third property");
    }

    /// The clock is the integral of the increase: an acknowledgement advances it by its own time. Under FIMD and LIPD
    /// the rate grows meanwhile, and the advance is slightly less than the next would be.
    #[test]
    fn steps_follow_the_clock(function in any_function(), highest in 4.0..300.0f64, share in 0.0..1.0f64) {
        let rate = 1.0 + share * (highest - 1.0);
        let next = function.increase(rate, highest);
        prop_assume!(next < highest);
        let gain = function.clock(next, highest) - function.clock(rate, highest);
        prop_assert!((gain - 1.0 / rate).abs() < 1e-6, "{} of {}", gain, 1.0 / rate);
    }

    #[test]
    fn tables_have_the_properties(function in any_function(), rates in any_rates()) {
        let ladder = Ladder::of(function, rates);
        check_tables(&ladder, 2.0, |down| 2.0 / ladder.rates()[down])?;
    }

    /// If neighbouring levels fall to neighbouring levels, the first property lets a climb skip none of them, and each
    /// may cost a packet. No narrower bound holds for every decrease. A climb thus reaches a level late, by at most a
    /// packet of each level below. Its entry there makes up for that, so a flow that falls to the level is as early.
    #[test]
    fn derived_tables_have_the_properties(
        (rates, decrease) in any_rates().prop_flat_map(|rates| {
            let levels = rates.len();
            (Just(rates), any_decrease(levels))
        }),
    ) {
        let levels = rates.len() as f64;
        let ladder = Ladder::derived(decrease, rates);
        check_tables(&ladder, levels, |down| ladder.rates()[..down].iter().map(|rate| 1.0 / rate).sum())?;
    }

    /// Rate and window stay in their ranges under all events; a flight brings a single decrease.
    #[test]
    fn rates_are_bounded(
        max_ipd in 1..=255u8, max_window in 2..100u16, divisor in 1.01..8.0f64, kept: bool,
        story in prop::collection::vec((0..20u64, 0..4u32, any::<bool>(), 0..3u8), 0..300),
    ) {
        let response = HpResponse::new(&HpResponseSpec {
            rate: Some(RateControl::Fimd { max_ipd, divisor }),
            window: Some(WindowControl::Aimd { max_window, divisor }),
            rpi_after_decrease: if kept { RpiAfterDecrease::Kept } else { RpiAfterDecrease::Reloaded },
            ..HpResponseSpec::NONE
        });
        let mut flow = response.at_rest(ServiceLevel(0));
        let mut apsn = 0;
        let mut next = 20;
        for (back, packets, marked, limit) in story {
            let limited_by = [LimitedBy::Rate, LimitedBy::Window, LimitedBy::Other][usize::from(limit)];
            response.on_sent(&mut flow, sent(limited_by), Time::ZERO);
            let before = flow;
            let psn = next - back;
            response.on_acknowledged(&mut flow, Acknowledgement { psn, next, packets, marked }, Time::ZERO);
            prop_assert!(response.ipd(&flow) <= max_ipd);
            prop_assert!((1..=u32::from(max_window)).contains(&response.window(&flow)));
            let (slower, narrower) = (response.ipd(&flow) > response.ipd(&before), response.window(&flow) < response.window(&before));
            if marked && psn >= apsn {
                prop_assert!(slower || response.ipd(&flow) == max_ipd);
                prop_assert!(narrower || response.window(&flow) == 1);
                apsn = next;
            } else {
                prop_assert!(!slower && !narrower);
            }
            next += u64::from(packets);
        }
    }
}

/// Generates an event of a hybrid flow that its rate or its window holds back all the time.
fn any_story() -> impl Strategy<Value = Vec<(bool, u32)>> {
    prop::collection::vec((prop::bool::weighted(0.2), 1..40u32), 0..200)
}

/// A rate and a window that adapt together, and each of the two alone.
fn hybrid(then: RpiAfterDecrease, divisor: f64, max_ipd: u8, max_window: u16) -> [HpResponse; 3] {
    let rate = Some(RateControl::Fimd { max_ipd, divisor });
    let window = Some(WindowControl::Aimd { max_window, divisor });
    [(rate.clone(), window.clone()), (rate, None), (None, window)].map(|(rate, window)| {
        HpResponse::new(&HpResponseSpec { rate, window, rpi_after_decrease: then, ..HpResponseSpec::NONE })
    })
}

/// Handles a mark, or an unmarked acknowledgement, of the flow's present flight.
fn acknowledge(response: &HpResponse, state: &mut HpState, number: u64, packets: u32, marked: bool) {
    let ack = Acknowledgement { psn: number, next: number + 1, packets, marked };
    response.on_acknowledged(state, ack, Time::ZERO);
}

proptest! {
    /// The rate of a hybrid flow that is held back by its rate behaves as without a window, and its window as without a
    /// rate. So each of them has the three properties of its tables.
    #[test]
    fn what_holds_a_hybrid_back_behaves_as_alone(
        kept: bool, divisor in 1.01..8.0f64, max_ipd in 1..=255u8, max_window in 2..100u16, story in any_story(),
    ) {
        let then = if kept { RpiAfterDecrease::Kept } else { RpiAfterDecrease::Reloaded };
        let [both, rate, window] = hybrid(then, divisor, max_ipd, max_window);
        for (alone, limited_by) in [(&rate, LimitedBy::Rate), (&window, LimitedBy::Window)] {
            let (mut flow, mut other) = (both.at_rest(ServiceLevel(0)), alone.at_rest(ServiceLevel(0)));
            both.on_sent(&mut flow, sent(limited_by), Time::ZERO);
            alone.on_sent(&mut other, sent(limited_by), Time::ZERO);
            for (number, &(marked, packets)) in (0..).zip(&story) {
                acknowledge(&both, &mut flow, number, packets, marked);
                acknowledge(alone, &mut other, number, packets, marked);
                if limited_by == LimitedBy::Rate {
                    prop_assert_eq!(both.ipd(&flow), alone.ipd(&other));
                } else {
                    prop_assert_eq!(both.window(&flow), alone.window(&other));
                }
            }
        }
    }

    /// First and third property of a hybrid flow that its rate and its window hold back in any order. The third holds
    /// if a decrease reloads RPI.
    #[test]
    fn a_hybrid_held_back_by_both_has_the_properties(
        divisor in 1.01..8.0f64, max_ipd in 1..=255u8, max_window in 2..100u16,
        story in any_story(), limits in prop::collection::vec(any::<bool>(), 200), by_rate: bool,
    ) {
        let [both, ..] = hybrid(RpiAfterDecrease::Reloaded, divisor, max_ipd, max_window);
        let by = |rate: bool| sent(if rate { LimitedBy::Rate } else { LimitedBy::Window });
        let mut flow = both.at_rest(ServiceLevel(0));
        for (number, (&(marked, packets), &rate)) in (0..).zip(story.iter().zip(&limits)) {
            both.on_sent(&mut flow, by(rate), Time::ZERO);
            acknowledge(&both, &mut flow, number, packets, marked);
        }
        // From its lowest rate and window an unmarked packet suffices for either.
        let (mut lowest, mut number) = (flow, 1_000);
        while both.ipd(&lowest) < max_ipd || both.window(&lowest) > 1 {
            acknowledge(&both, &mut lowest, number, 1, true);
            number += 1;
        }
        let mut first = lowest;
        both.on_sent(&mut first, by(by_rate), Time::ZERO);
        acknowledge(&both, &mut first, number, 1, false);
        prop_assert!(if by_rate { both.ipd(&first) < max_ipd } else { both.window(&first) > 1 }, "third property");
        // The lowest levels leave further: there the first property gives way to the third.
        let mut after_both = lowest;
        both.on_sent(&mut after_both, by(!by_rate), Time::ZERO);
        acknowledge(&both, &mut after_both, number, 1, false);
        let (least_ipd, least_window) = if by_rate {
            (both.ipd(&first), both.window(&after_both))
        } else {
            (both.ipd(&after_both), both.window(&first))
        };
        // A mark, and then an increase of the quantity that holds the flow back.
        let before = flow;
        acknowledge(&both, &mut flow, number, 1, true);
        let low = flow;
        both.on_sent(&mut flow, by(by_rate), Time::ZERO);
        while (both.ipd(&flow), both.window(&flow)) == (both.ipd(&low), both.window(&low)) {
            acknowledge(&both, &mut flow, number, 1, false);
        }
        prop_assert!(both.ipd(&flow) >= both.ipd(&before).min(least_ipd), "first property of the rate");
        prop_assert!(both.window(&flow) <= both.window(&before).max(least_window), "first property of the window");
    }
}

/// From the papers' decrease follows the papers' increase.
#[test]
fn what_is_derived_is_what_the_papers_have() {
    for (function, decrease) in [
        (RateFunction::Fimd(2.0), (0..=255usize).map(|ipd| (2 * ipd + 1).min(255)).collect::<Vec<_>>()),
        (RateFunction::Lipd, (0..=255).map(|ipd| (ipd + 1).min(255)).collect()),
    ] {
        let levels = decrease.iter().rev().map(|ipd| 255 - ipd).collect();
        let (derived, papers) =
            (Ladder::derived(levels, ipd_rates(255)), Ladder::of(function, ipd_rates(255)));
        for (one, other) in derived.clock().iter().zip(papers.clock()) {
            assert!((one - other).abs() < 1e-6, "{function:?}: {one} {other}");
        }
        assert_eq!(derived.steps(), papers.steps(), "{function:?}");
    }
}

/// LIPD's table as it follows from the formula: an IPD is left after 256 / (IPD + 1) acknowledgements, rounded up.
#[test]
fn lipd_as_a_table() {
    let steps = Ladder::of(RateFunction::Lipd, ipd_rates(255)).steps();
    for (ipd, step) in (0..=255u32).rev().zip(&steps).filter(|(ipd, _)| *ipd > 0) {
        assert_eq!(
            (step.new_rpi, u32::from(step.increase)),
            (256u32.div_ceil(ipd + 1), 256 - ipd),
            "IPD {ipd}"
        );
    }
}

#[test]
fn a_gap_is_as_many_packet_times_as_the_ipd() {
    let rate = Some(RateControl::Tables {
        rate_increase: vec![0, 0, 1],
        rate_decrease: vec![2, 2, 2],
        new_rate_rpi: vec![1, 3, 2],
    });
    let response = HpResponse::new(&HpResponseSpec { rate, ..HpResponseSpec::NONE });
    let mut flow = response.at_rest(ServiceLevel(0));
    let mut course = Vec::new();
    for (number, marked) in (0..).zip([true, true, false, false, false, false]) {
        response.on_sent(&mut flow, sent(LimitedBy::Rate), Time::ZERO);
        let ack = Acknowledgement { psn: number, next: 2, packets: 1, marked };
        response.on_acknowledged(&mut flow, ack, Time::ZERO);
        course.push(response.gap(&mut flow, Span::from_ns(100), Time::ZERO));
    }
    // A single decrease for the flight; RPI stays 1, as in the slides; then 3 acknowledgements at IPD 1.
    assert_eq!(course, [200, 200, 100, 100, 100, 0].map(Span::from_ns));
    assert_eq!(response.window(&flow), u32::MAX);
}
