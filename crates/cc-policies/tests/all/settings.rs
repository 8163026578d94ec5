//! Ranges of the settings. The last value inside passes. The first value outside is refused, at its own path and with
//! the edge in the proposal.

use cc_policies::dcqcn::spec::{DcqcnScheme, Preset, RateThresholds, RedMarkingSpec};
use cc_policies::dcqcn::timed::spec::TimedResponseSpec;
use cc_policies::dcqcn::vendor;
use cc_policies::hp::spec::{
    HpMarkingSpec, HpResponseSpec, MarkedSet, PropagatingPackets, RateControl, RootTrigger, WindowControl,
};
use cc_policies::iba::spec::{
    CctSpec, ComparedLoad, IbaEcho, IbaMarkingSpec, IbaResponseSpec, IbaScheme, PortControl, PortMarking,
    ServiceLevelSetting, TimerStart, VictimMask,
};
use cc_policies::{MarkingSpec, ResponseSpec, Scheme};
use settings::Fault;
use units::{Bytes, Rate, Span};

/// Checks that the fault is at this path, and that its proposal names these words.
fn says(checked: Result<(), Fault>, path: &str, words: &[&str]) {
    let fault = checked.expect_err(path);
    assert_eq!(fault.path.to_string(), path, "{fault:?}");
    let help = fault.help.expect("a proposal");
    assert!(words.iter().all(|word| help.contains(word)), "{help}, without {words:?}");
}

fn rate(rate: RateControl) -> Result<(), Fault> {
    ResponseSpec::Hp(HpResponseSpec { rate: Some(rate), ..HpResponseSpec::NONE }).check()
}

fn window(window: WindowControl) -> Result<(), Fault> {
    ResponseSpec::Hp(HpResponseSpec { window: Some(window), ..HpResponseSpec::NONE }).check()
}

#[test]
fn a_marking_of_the_hp_proposal_marks_something() {
    const SETS: [MarkedSet; 2] = [MarkedSet::Naive, MarkedSet::Selective(RootTrigger::Input)];
    for set in SETS {
        for propagation in [PropagatingPackets::All, PropagatingPackets::ToCongested, PropagatingPackets::Off]
        {
            let checked =
                MarkingSpec::Hp(HpMarkingSpec { set, propagation, ..HpMarkingSpec::PROPOSAL }).check();
            if (set, propagation) == (MarkedSet::Naive, PropagatingPackets::Off) {
                says(checked, "propagation", &["`All`", "`Selective`"]);
            } else {
                assert_eq!(checked, Ok(()), "{set:?}, {propagation:?}");
            }
        }
    }
}

#[test]
fn increments_of_the_timed_response_are_0_or_rates_of_whole_kilobits() {
    let additive =
        |given| TimedResponseSpec { additive_increase: Rate::bps(given), ..TimedResponseSpec::VENDOR };
    let hyper = |given| TimedResponseSpec { hyper_increase: Rate::bps(given), ..TimedResponseSpec::VENDOR };
    for (field, with) in [("additive_increase", additive as fn(u64) -> _), ("hyper_increase", hyper)] {
        let checked = |bps| ResponseSpec::DcqcnTimed(with(bps)).check();
        for bps in [0, 1_000, 5_000_000] {
            assert_eq!(checked(bps), Ok(()), "{field}, {bps}");
        }
        for bps in [1, 999, 1_500] {
            says(checked(bps), field, &["kb/s"]);
        }
    }
}

#[test]
fn divisors_of_the_hp_proposal_are_1_01_to_256() {
    let rates = |divisor| {
        [rate(RateControl::Aimd { max_ipd: 9, divisor }), rate(RateControl::Fimd { max_ipd: 9, divisor })]
    };
    let windows = |divisor| {
        [
            window(WindowControl::Aimd { max_window: 9, divisor }),
            window(WindowControl::Fimd { max_window: 9, divisor }),
        ]
    };
    for divisor in [1.01, 2.0, 256.0] {
        assert_eq!((rates(divisor), windows(divisor)), ([Ok(()), Ok(())], [Ok(()), Ok(())]));
    }
    for divisor in [1.0, 1.009, 256.1, f64::NAN] {
        rates(divisor).into_iter().for_each(|one| says(one, "rate.divisor", &["1.01 to 256"]));
        windows(divisor).into_iter().for_each(|one| says(one, "window.divisor", &["1.01 to 256"]));
    }
}

#[test]
fn a_controlled_rate_has_a_delay_and_a_controlled_window_two_sizes() {
    let rates = |max_ipd| {
        [
            rate(RateControl::Aimd { max_ipd, divisor: 2.0 }),
            rate(RateControl::Fimd { max_ipd, divisor: 2.0 }),
            rate(RateControl::Lipd { max_ipd }),
        ]
    };
    assert_eq!(rates(1), [Ok(()), Ok(()), Ok(())]);
    rates(0).into_iter().for_each(|one| says(one, "rate.max_ipd", &["1 or more", "`rate`"]));
    let windows = |max_window| {
        [
            window(WindowControl::Aimd { max_window, divisor: 2.0 }),
            window(WindowControl::Fimd { max_window, divisor: 2.0 }),
        ]
    };
    assert_eq!(windows(2), [Ok(()), Ok(())]);
    for one in [0, 1] {
        windows(one).into_iter().for_each(|one| says(one, "window.max_window", &["2 or more", "`window`"]));
    }
    assert_eq!(window(WindowControl::Fixed(1)), Ok(()));
    says(window(WindowControl::Fixed(0)), "window", &["1 or more"]);
}

/// A decrease leads to a longer delay, or to the longest, and keeps the order of delays.
#[test]
fn a_decrease_of_the_rate_leads_down() {
    let derived = |table: &[u8]| rate(RateControl::Derived { rate_decrease: table.to_vec() });
    for table in [&[1, 1][..], &[1, 2, 2], &[2, 2, 2], &[1, 3, 3, 3]] {
        assert_eq!(derived(table), Ok(()), "{table:?}");
    }
    says(derived(&[0, 1]), "rate.rate_decrease[0]", &["write 1"]);
    says(derived(&[1, 1, 2]), "rate.rate_decrease[1]", &["write 2"]);
    says(derived(&[2, 1, 2]), "rate.rate_decrease[1]", &["write 2"]);
    says(derived(&[1, 3, 2, 3]), "rate.rate_decrease[2]", &["write 3"]);
    says(derived(&[1, 2, 3]), "rate.rate_decrease[2]", &["write 2"]);
    says(derived(&[0]), "rate.rate_decrease", &["2 to 256"]);
    let longest: Vec<u8> = (1..=255).chain([255]).collect();
    assert_eq!(derived(&longest), Ok(()));
    says(derived(&[&longest[..], &[255]].concat()), "rate.rate_decrease", &["2 to 256"]);
}

#[test]
fn a_decrease_of_the_window_leads_down() {
    let derived = |table: &[u16]| window(WindowControl::Derived { window_decrease: table.to_vec() });
    for table in [&[1, 1][..], &[1, 1, 2], &[1, 1, 1, 3]] {
        assert_eq!(derived(table), Ok(()), "{table:?}");
    }
    says(derived(&[2, 1]), "window.window_decrease[0]", &["write 1"]);
    says(derived(&[1, 2]), "window.window_decrease[1]", &["write 1"]);
    says(derived(&[1, 1, 0]), "window.window_decrease[2]", &["1 to 2"]);
    says(derived(&[1, 1, 2, 1]), "window.window_decrease[3]", &["2 to 3"]);
    says(derived(&[1]), "window.window_decrease", &["2 to 65535"]);
}

#[test]
fn written_rate_tables_have_one_length_and_lead_the_right_way() {
    let tables = |up: &[u8], down: &[u8], rpi: &[u32]| {
        rate(RateControl::Tables {
            rate_increase: up.to_vec(),
            rate_decrease: down.to_vec(),
            new_rate_rpi: rpi.to_vec(),
        })
    };
    assert_eq!(tables(&[0, 0], &[1, 1], &[1, u32::MAX]), Ok(()));
    assert_eq!(tables(&[0, 1], &[0, 1], &[1, 1]), Ok(()), "a rate may stay");
    says(tables(&[0], &[0], &[1]), "rate.rate_increase", &["2 to 256"]);
    says(tables(&[0, 0], &[1], &[1, 1]), "rate.rate_decrease", &["write 2"]);
    says(tables(&[0, 0], &[1, 1], &[1, 1, 1]), "rate.new_rate_rpi", &["write 2"]);
    says(tables(&[0, 2], &[1, 1], &[1, 1]), "rate.rate_increase[1]", &["0 to 1"]);
    says(tables(&[0, 0], &[2, 1], &[1, 1]), "rate.rate_decrease[0]", &["0 to 1"]);
    says(tables(&[0, 0], &[1, 0], &[1, 1]), "rate.rate_decrease[1]", &["write 1"]);
    says(tables(&[0, 0], &[1, 1], &[1, 0]), "rate.new_rate_rpi[1]", &["1 to 4294967295"]);
}

#[test]
fn written_window_tables_have_one_length_and_lead_the_right_way() {
    let tables = |up: &[u16], down: &[u16], rpi: &[u32]| {
        window(WindowControl::Tables {
            window_increase: up.to_vec(),
            window_decrease: down.to_vec(),
            new_window_rpi: rpi.to_vec(),
        })
    };
    assert_eq!(tables(&[1], &[1], &[1]), Ok(()), "one packet, as in the slides' experiment");
    assert_eq!(tables(&[1, 2], &[1, 2], &[1, u32::MAX]), Ok(()), "a window may stay");
    assert_eq!(tables(&[2, 2], &[1, 1], &[1, 1]), Ok(()));
    says(tables(&[], &[], &[]), "window.window_increase", &["1 to 65535"]);
    says(tables(&[1, 2], &[1], &[1, 1]), "window.window_decrease", &["write 2"]);
    says(tables(&[1, 2], &[1, 1], &[1]), "window.new_window_rpi", &["write 2"]);
    says(tables(&[0, 2], &[1, 1], &[1, 1]), "window.window_increase[0]", &["1 to 2"]);
    says(tables(&[3, 2], &[1, 1], &[1, 1]), "window.window_increase[0]", &["1 to 2"]);
    says(tables(&[1, 1], &[1, 1], &[1, 1]), "window.window_increase[1]", &["write 2"]);
    says(tables(&[2, 2], &[2, 1], &[1, 1]), "window.window_decrease[0]", &["write 1"]);
    says(tables(&[2, 2], &[1, 0], &[1, 1]), "window.window_decrease[1]", &["1 to 2"]);
    says(tables(&[2, 2], &[1, 3], &[1, 1]), "window.window_decrease[1]", &["1 to 2"]);
    says(tables(&[2, 2], &[1, 1], &[0, 1]), "window.new_window_rpi[0]", &["1 to 4294967295"]);
}

fn iba() -> IbaScheme {
    let level = |service_level| ServiceLevelSetting {
        service_level,
        ccti_increase: 0,
        ccti_min: 0,
        ccti_timer: 1,
        trigger_threshold: 0,
    };
    IbaScheme {
        name: None,
        marking: IbaMarkingSpec {
            threshold: 15,
            packet_size: 8,
            marking_rate: 0,
            victim_mask: VictimMask::AdapterPorts,
            compare: ComparedLoad::Sum,
            hysteresis: Bytes::ZERO,
            ports: Vec::new(),
        },
        echo: IbaEcho::Cnp,
        response: IbaResponseSpec {
            port_control: PortControl::QueuePair,
            cct: CctSpec::Linear { entries: 128, shift: 3, step: 129 },
            ccti_limit: 127,
            ccti_increase: 1,
            ccti_min: 127,
            ccti_timer: 1,
            trigger_threshold: 127,
            timer_start: TimerStart::FirstBecn,
            service_levels: vec![level(0), level(15)],
        },
    }
}

fn iba_with(change: impl FnOnce(&mut IbaScheme)) -> Result<(), Fault> {
    let mut scheme = iba();
    change(&mut scheme);
    Scheme::Iba(scheme).check()
}

fn port(threshold: u8) -> PortMarking {
    let (packet_size, marking_rate, victim_mask) = (0, 0, false);
    PortMarking { switch: "S".to_owned(), port: 1, threshold, packet_size, marking_rate, victim_mask }
}

#[test]
fn infiniband_s_marking_keeps_to_its_bits() {
    assert_eq!(iba_with(|_| ()), Ok(()), "127 * 129 = 16,383, of fourteen bits");
    assert_eq!(iba_with(|iba| iba.marking.ports = vec![port(0), port(15)]), Ok(()));
    says(iba_with(|iba| iba.marking.threshold = 16), "marking.threshold", &["0", "15"]);
    says(
        iba_with(|iba| iba.marking.ports = vec![port(15), port(16)]),
        "marking.ports[1].threshold",
        &["0", "15"],
    );
}

#[test]
fn infiniband_s_table_and_limit_agree() {
    let with = |cct: CctSpec, limit: u16| {
        iba_with(|iba| {
            (iba.response.cct, iba.response.ccti_limit) = (cct, limit);
            (iba.response.ccti_min, iba.response.trigger_threshold) = (0, 0);
        })
    };
    let linear = |entries, shift, step| CctSpec::Linear { entries, shift, step };
    assert_eq!(with(linear(1, 3, u16::MAX), 0), Ok(()), "the first entry is 0");
    assert_eq!(with(CctSpec::Entries(vec![(3, 16_383)]), 0), Ok(()));
    says(with(linear(0, 0, 1), 0), "response.cct.entries", &["at least one entry"]);
    says(with(linear(9, 4, 1), 8), "response.cct.shift", &["0 to 3"]);
    says(with(linear(128, 0, 130), 127), "response.cct.step", &["16383"]);
    says(with(CctSpec::Entries(vec![(0, 0), (4, 0)]), 1), "response.cct[1]", &["0 to 3"]);
    says(with(CctSpec::Entries(vec![(0, 16_384)]), 0), "response.cct[0]", &["16383"]);
    assert_eq!(with(linear(9, 0, 1), 8), Ok(()));
    says(with(linear(9, 0, 1), 9), "response.ccti_limit", &["write 8"]);
    says(with(linear(9, 0, 1), 7), "response.ccti_limit", &["write 8 to use all 9", "the table to 8"]);
}

#[test]
fn infiniband_s_service_levels_have_ranges_of_their_own() {
    let level =
        |change: fn(&mut ServiceLevelSetting)| iba_with(|iba| change(&mut iba.response.service_levels[1]));
    assert_eq!(level(|own| (own.ccti_min, own.trigger_threshold) = (127, 127)), Ok(()));
    let at = |field: &str| format!("response.service_levels[1].{field}");
    says(level(|own| own.ccti_min = 128), &at("ccti_min"), &["0 to 127"]);
    says(level(|own| own.ccti_timer = 0), &at("ccti_timer"), &["1 or more"]);
    says(level(|own| own.trigger_threshold = 128), &at("trigger_threshold"), &["1 to 127"]);
    says(level(|own| own.service_level = 16), &at("service_level"), &["0 to 15"]);
    says(level(|own| own.service_level = 0), &at("service_level"), &["once"]);
    says(iba_with(|iba| iba.response.ccti_min = 128), "response.ccti_min", &["0 to 127"]);
    says(iba_with(|iba| iba.response.ccti_timer = 0), "response.ccti_timer", &["1 or more"]);
    says(iba_with(|iba| iba.response.trigger_threshold = 128), "response.trigger_threshold", &["1 to 127"]);
}

fn dcqcn(change: impl FnOnce(&mut DcqcnScheme)) -> Result<(), Fault> {
    let mut scheme = DcqcnScheme::preset(Preset::Recommended);
    change(&mut scheme);
    Scheme::Dcqcn(scheme).check()
}

#[test]
fn thresholds_of_red_make_a_ramp() {
    assert_eq!(dcqcn(|all| (all.marking.kmin, all.marking.pmax) = (Bytes::new(1), 1.0)), Ok(()));
    assert_eq!(dcqcn(|all| (all.marking.kmax, all.marking.pmax) = (all.marking.kmin, 1.0)), Ok(()), "a step");
    says(dcqcn(|all| all.marking.kmin = Bytes::ZERO), "marking.kmin", &["1 B"]);
    let kmin = DcqcnScheme::preset(Preset::Recommended).marking.kmin;
    says(dcqcn(|all| all.marking.kmax = kmin - Bytes::new(1)), "marking.kmax", &[&kmin.to_string()]);
    for pmax in [0.0, 1.001, f64::NAN] {
        says(dcqcn(|all| all.marking.pmax = pmax), "marking.pmax", &["above 0", "up to 1"]);
    }
    let idle = dcqcn(|all| (all.marking.kmax, all.marking.pmax) = (all.marking.kmin, 0.999));
    says(idle, "marking.pmax", &["1.0"]);
}

/// Thresholds by rate take the place of thresholds for all outputs, which would be without effect.
#[test]
fn thresholds_stand_once() {
    let by_rate = |change: fn(&mut DcqcnScheme)| {
        dcqcn(|all| {
            let RedMarkingSpec { kmin, kmax, pmax, .. } = all.marking;
            all.marking.by_rate = vec![RateThresholds { rate: Rate::gbps(40), kmin, kmax, pmax }];
            change(all);
        })
    };
    assert_eq!(by_rate(|_| ()), Ok(()));
    says(by_rate(|all| all.marking.kmin = Bytes::new(1)), "marking.kmin", &["leave it out", "by_rate"]);
    says(by_rate(|all| all.marking.kmax += Bytes::new(1)), "marking.kmax", &["leave it out", "by_rate"]);
    says(by_rate(|all| all.marking.pmax = 0.5), "marking.pmax", &["leave it out", "by_rate"]);
}

#[test]
fn dcqcn_s_settings_keep_to_their_ranges() {
    let most = Rate::bps(u64::from(u32::MAX) * 1_000);
    for right in [
        (|all| all.echo.service_level = None) as fn(&mut DcqcnScheme),
        |all| all.echo.service_level = Some(15),
        |all| all.echo.interval = Span::from_ps(1),
        |all| all.response.g = 0.999,
        |all| all.response.initial_alpha = 1.0,
        |all| all.response.byte_counter = Bytes::new(1),
        |all| all.response.byte_counter = Bytes::new(u64::from(u32::MAX)),
        |all| all.response.fast_recovery = 1,
        |all| all.response.fast_recovery = 254,
        |all| all.response.min_rate = Rate::bps(1_000),
    ] {
        assert_eq!(dcqcn(right), Ok(()));
    }
    assert_eq!(dcqcn(|all| all.response.min_rate = most), Ok(()));
    says(dcqcn(|all| all.echo.service_level = Some(16)), "echo.service_level", &["0 to 15"]);
    says(dcqcn(|all| all.echo.interval = Span::ZERO), "echo.interval", &["write more"]);
    for g in [0.0, 1.0, f64::NAN] {
        says(dcqcn(|all| all.response.g = g), "response.g", &["above 0 and below 1"]);
    }
    for alpha in [0.0, 1.001, f64::NAN] {
        says(dcqcn(|all| all.response.initial_alpha = alpha), "response.initial_alpha", &["up to 1"]);
    }
    says(dcqcn(|all| all.response.alpha_timer = Span::ZERO), "response.alpha_timer", &["write more"]);
    says(dcqcn(|all| all.response.timer = Span::ZERO), "response.timer", &["write more"]);
    for bytes in [0, 1 << 32] {
        says(
            dcqcn(|all| all.response.byte_counter = Bytes::new(bytes)),
            "response.byte_counter",
            &["1 byte"],
        );
    }
    for stages in [0, 255] {
        says(dcqcn(|all| all.response.fast_recovery = stages), "response.fast_recovery", &["1 to 254"]);
    }
    for rate in [0, 999, 1_500, most.get() + 1_000] {
        let rate = Rate::bps(rate);
        says(dcqcn(|all| all.response.additive_increase = rate), "response.additive_increase", &["1 kb/s"]);
        says(dcqcn(|all| all.response.hyper_increase = rate), "response.hyper_increase", &["1 kb/s"]);
        says(dcqcn(|all| all.response.min_rate = rate), "response.min_rate", &["1 kb/s"]);
    }
}

#[test]
fn a_vendor_s_parameter_without_a_field_has_a_replacement_of_its_own() {
    assert!(vendor::help("dce_tcp_g").is_some_and(|help| help.contains("`g`")));
    assert!(vendor::help("initial_alpha_value").is_some_and(|help| help.contains("`initial_alpha`")));
    assert!(vendor::help("rpg_gd").is_some_and(|help| help.contains("11")));
    assert_eq!(vendor::help("additive_increase"), None);
}
