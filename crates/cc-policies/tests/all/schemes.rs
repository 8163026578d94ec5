//! Examples of every policy, for tests of the contracts of all of them.
//!
//! Invariant: every value of every choice occurs, and each kind of marking meets each kind of response.

use core::iter;
use std::collections::BTreeSet;

use crate::own::{mirrored_marking, mirrored_response};
use cc_policies::dcqcn::spec::{
    AlphaUpdate, CnpEcho, CnpOrder, CnpWindow, DcqcnResponseSpec, DcqcnScheme, MarkedAt, Preset,
    RateThresholds, RedMarkingSpec, StageRule,
};
use cc_policies::dcqcn::timed::spec::TimedResponseSpec;
use cc_policies::hp::spec::{
    FullTrigger, HpMarkingSpec, HpResponseSpec, HpScheme, ImmediatePackets, MarkTiming, MarkedSet,
    PropagatingPackets, RateControl, RootTrigger, RpiAfterDecrease, RpiLimits, RpiUnit, WindowControl,
};
use cc_policies::iba::spec::{
    CctSpec, ComparedLoad, IbaEcho, IbaMarkingSpec, IbaResponseSpec, IbaScheme, PortControl, TimerStart,
    VictimMask,
};
use cc_policies::{AnyEcho, Control, MarkingSpec, ResponseSpec};
use units::{Bytes, Rate};

const ECHOES: [IbaEcho; 2] = [IbaEcho::Cnp, IbaEcho::Acknowledgement];

/// Returns every example.
pub(crate) fn schemes() -> Vec<Control> {
    let own = iba().map(Control::from).chain(hp().map(Control::from)).chain(dcqcn().map(Control::from));
    iter::once(Control::OFF).chain(own).chain(mixed()).collect()
}

/// Returns InfiniBand's control, with every value of its choices.
fn iba() -> impl Iterator<Item = IbaScheme> {
    let compares = [
        ComparedLoad::EachVoq,
        ComparedLoad::Sum,
        ComparedLoad::SumOverInputs,
        ComparedLoad::SumAgainstShare,
    ];
    let masks = [VictimMask::None, VictimMask::AdapterPorts, VictimMask::All];
    let starts = [
        TimerStart::FreeRunning,
        TimerStart::FreeRunningOwnPhase,
        TimerStart::FirstBecn,
        TimerStart::EachBecn,
    ];
    let combinations = compares.into_iter().zip(masks.into_iter().cycle()).zip(starts.into_iter().cycle());
    combinations.zip(ECHOES.into_iter().cycle()).map(|(((compare, victim_mask), timer_start), echo)| {
        IbaScheme {
            name: None,
            marking: IbaMarkingSpec {
                threshold: 12,
                packet_size: 8,
                marking_rate: 2,
                victim_mask,
                compare,
                hysteresis: Bytes::new(512),
                ports: Vec::new(),
            },
            echo,
            response: IbaResponseSpec {
                port_control: PortControl::QueuePair,
                cct: CctSpec::Linear { entries: 32, shift: 1, step: 3 },
                ccti_limit: 31,
                ccti_increase: 4,
                ccti_min: 2,
                ccti_timer: 7,
                trigger_threshold: 9,
                timer_start,
                service_levels: vec![],
            },
        }
    })
}

/// Returns the HP proposal's control, with every value of its choices.
fn hp() -> impl Iterator<Item = HpScheme> {
    let sets = [
        MarkedSet::Naive,
        MarkedSet::Selective(RootTrigger::Input),
        MarkedSet::Selective(RootTrigger::InputAndOutput),
        MarkedSet::Selective(RootTrigger::InputAndQueued { present: 2 }),
    ];
    let triggers = [FullTrigger::Full, FullTrigger::Above(Bytes::kib(8)), FullTrigger::Packets(3)];
    let places = sets.into_iter().flat_map(move |set| triggers.map(|trigger| (set, trigger)));
    let markings = places.zip(
        [ImmediatePackets::Marked, ImmediatePackets::Spared, ImmediatePackets::Spared].into_iter().cycle(),
    );
    let rates = [
        Some(RateControl::Lipd { max_ipd: 255 }),
        Some(RateControl::Fimd { max_ipd: 31, divisor: 2.0 }),
        Some(RateControl::Aimd { max_ipd: 15, divisor: 1.5 }),
        Some(RateControl::Derived { rate_decrease: vec![2, 2, 3, 5, 5, 5] }),
        None,
    ];
    let windows = [
        Some(WindowControl::Fixed(1)),
        Some(WindowControl::Aimd { max_window: 16, divisor: 2.0 }),
        None,
        Some(WindowControl::Fimd { max_window: 9, divisor: 3.0 }),
    ];
    let responses = rates.into_iter().cycle().zip(windows.into_iter().cycle());
    let rpis = [RpiAfterDecrease::Kept, RpiAfterDecrease::Reloaded];
    // `Off` meets the sets that have roots: `Naive` is the first three of twelve.
    let propagations = [
        PropagatingPackets::All,
        PropagatingPackets::ToCongested,
        PropagatingPackets::All,
        PropagatingPackets::Off,
    ];
    let timings = [MarkTiming::NextDepartures, MarkTiming::PresentAtEvent, MarkTiming::WhileFull];
    let choices = rpis.into_iter().cycle().zip(propagations.into_iter().cycle());
    let choices = choices.zip(timings.into_iter().cycle());
    markings.zip(responses).zip(choices).map(
        |((((set, trigger), immediate), (rate, window)), ((rpi_after_decrease, propagation), timing))| {
            HpScheme {
                marking: HpMarkingSpec { trigger, set, propagation, timing, immediate },
                response: HpResponseSpec {
                    rate,
                    window,
                    rpi_after_decrease,
                    rpi_limits: match rpi_after_decrease {
                        RpiAfterDecrease::Kept => RpiLimits::RateOrWindow,
                        RpiAfterDecrease::Reloaded => RpiLimits::Controlled,
                    },
                    rpi_unit: match propagation {
                        PropagatingPackets::All => RpiUnit::Packet,
                        PropagatingPackets::ToCongested | PropagatingPackets::Off => RpiUnit::Acknowledgement,
                    },
                },
            }
        },
    )
}

/// Returns marking by thresholds that fit a small buffer: the same for all rates, or by rate.
fn red(preset: Preset, at: MarkedAt) -> RedMarkingSpec {
    let [kmin, kmax] = [4_000, 7_000].map(Bytes::new);
    match at {
        MarkedAt::Departure => RedMarkingSpec { kmin, kmax, pmax: 0.5, by_rate: Vec::new(), at },
        MarkedAt::Arrival => {
            let of = |rate, kmax| RateThresholds { rate: Rate::gbps(rate), kmin, kmax, pmax: 0.5 };
            RedMarkingSpec {
                by_rate: vec![of(40, kmax), of(100, kmax * 2)],
                at,
                ..RedMarkingSpec::preset(preset)
            }
        }
    }
}

/// Returns DCQCN, with every value of its choices, and thresholds that fit a small buffer.
fn dcqcn() -> impl Iterator<Item = DcqcnScheme> {
    let presets = [Preset::Recommended, Preset::Strawman].into_iter().cycle();
    let orders = [CnpOrder::CutFirst, CnpOrder::CutFirst, CnpOrder::AlphaFirst, CnpOrder::AlphaFirst];
    let places = [MarkedAt::Departure, MarkedAt::Arrival, MarkedAt::Arrival, MarkedAt::Departure];
    let windows =
        [CnpWindow::FromCnp, CnpWindow::FreeRunning, CnpWindow::FreeRunningAtOnce].into_iter().cycle();
    let stages = [StageRule::Own, StageRule::Both, StageRule::TimerAlone].into_iter().cycle();
    let rules = windows.zip(stages);
    presets.zip(orders).zip(places).zip(rules).map(|(((preset, order), at), (window, stages))| DcqcnScheme {
        marking: red(preset, at),
        echo: CnpEcho { window, ..CnpEcho::preset(preset) },
        response: DcqcnResponseSpec {
            order,
            stages,
            alpha_update: if stages == StageRule::TimerAlone {
                AlphaUpdate::EachInterval
            } else {
                AlphaUpdate::EachCnp
            },
            clamp_target: preset == Preset::Recommended,
            clamp_after_timer: order == CnpOrder::AlphaFirst,
            initial_alpha: if order == CnpOrder::CutFirst { 1.0 } else { 0.5 },
            fast_recovery: if order == CnpOrder::CutFirst { 5 } else { 4 },
            ..DcqcnResponseSpec::preset(preset)
        },
    })
}

/// Returns every marking with every response, and the echoes in turn.
fn mixed() -> impl Iterator<Item = Control> {
    let echoes = [
        AnyEcho::Cnp,
        AnyEcho::Acknowledgement,
        AnyEcho::Dcqcn(CnpEcho::preset(Preset::Recommended)),
        AnyEcho::Hp,
        AnyEcho::Off,
    ];
    let settings = iba().zip(hp()).zip(hp().skip(3)).zip(dcqcn());
    let pairs = settings.flat_map(|(((iba, hp), other), dcqcn)| {
        let markings = [
            MarkingSpec::Off,
            mirrored_marking(&iba.marking),
            MarkingSpec::Iba(iba.marking),
            MarkingSpec::Hp(hp.marking),
            MarkingSpec::Red(dcqcn.marking),
        ];
        markings.into_iter().flat_map(move |marking| {
            let responses = [
                ResponseSpec::Off,
                mirrored_response(&iba.response),
                ResponseSpec::Iba(iba.response.clone()),
                ResponseSpec::Hp(other.response.clone()),
                ResponseSpec::Dcqcn(dcqcn.response),
                ResponseSpec::DcqcnTimed(TimedResponseSpec {
                    clamp_target: dcqcn.response.clamp_target,
                    ..TimedResponseSpec::VENDOR
                }),
            ];
            responses.map(|response| (marking.clone(), response))
        })
    });
    pairs.zip(echoes.into_iter().cycle()).map(|((marking, response), echo)| Control {
        marking,
        echo,
        response,
    })
}

/// Names the example of each policy. A new policy does not compile before it stands here; give it an example above.
fn example(control: &Control) -> [&'static str; 3] {
    let marking = match control.marking {
        MarkingSpec::Off => "Off",
        MarkingSpec::Iba(_) => "Iba",
        MarkingSpec::Hp(_) => "Hp",
        MarkingSpec::Red(_) => "Red",
        MarkingSpec::Own(_) => "Own",
    };
    let echo = match control.echo {
        AnyEcho::Off => "Off",
        AnyEcho::Cnp => "Cnp",
        AnyEcho::Acknowledgement => "Acknowledgement",
        AnyEcho::Hp => "Hp",
        AnyEcho::Dcqcn(_) => "Dcqcn",
    };
    let response = match control.response {
        ResponseSpec::Off => "Off",
        ResponseSpec::Iba(_) => "Iba",
        ResponseSpec::Hp(_) => "Hp",
        ResponseSpec::Dcqcn(_) => "Dcqcn",
        ResponseSpec::DcqcnTimed(_) => "DcqcnTimed",
        ResponseSpec::Own(_) => "Own",
    };
    [marking, echo, response]
}

/// Returns how many markings, echoes and responses have an example.
pub(crate) fn examples() -> [usize; 3] {
    let names: Vec<_> = schemes().iter().map(example).collect();
    [0, 1, 2].map(|part| names.iter().map(|names| names[part]).collect::<BTreeSet<_>>().len())
}

/// Returns whether switches mark under this control.
pub(crate) fn marks(control: &Control) -> bool {
    control.marking != MarkingSpec::Off
}
