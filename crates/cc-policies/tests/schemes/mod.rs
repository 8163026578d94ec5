//! Every scheme that a scenario can name, for tests of what all of them promise.
//!
//! Invariant: the choices of a scheme are made in turn, and each kind of marking meets each kind of response.

use core::iter;

use cc_policies::Scheme;
use cc_policies::spec::{
    Cct, CnpEcho, CnpOrder, CnpWindow, Compare, Dcqcn, DcqcnResponse, EchoChoice, Hp, HpMarking, HpResponse,
    Iba, IbaEcho, IbaMarking, IbaResponse, Immediate, MarkedAt, MarkedSet, MarkingChoice, Mixed, PortControl,
    Preset, RateControl, RedMarking, ResponseChoice, RootTrigger, RpiAfterDecrease, TimerStart, Trigger,
    VictimMask, WindowControl,
};
use units::Bytes;

const ECHOES: [IbaEcho; 2] = [IbaEcho::Cnp, IbaEcho::Acknowledgement];

/// Every scheme, with every way of its choices.
pub(crate) fn schemes() -> Vec<Scheme> {
    let own = iba().map(Scheme::Iba).chain(hp().map(Scheme::Hp)).chain(dcqcn().map(Scheme::Dcqcn));
    iter::once(Scheme::Off).chain(own).chain(mixed()).collect()
}

/// InfiniBand's, with every way of its choices.
fn iba() -> impl Iterator<Item = Iba> {
    let compares = [Compare::EachVoq, Compare::Sum, Compare::SumOverInputs, Compare::SumAgainstShare];
    let masks = [VictimMask::None, VictimMask::AdapterPorts, VictimMask::All];
    let starts = [TimerStart::FreeRunning, TimerStart::FirstBecn, TimerStart::EachBecn];
    let combinations = compares.into_iter().zip(masks.into_iter().cycle()).zip(starts.into_iter().cycle());
    combinations.zip(ECHOES.into_iter().cycle()).map(|(((compare, victim_mask), timer_start), echo)| Iba {
        marking: IbaMarking {
            threshold: 12,
            packet_size: 8,
            marking_rate: 2,
            victim_mask,
            compare,
            hysteresis: Bytes::new(512),
            ports: Vec::new(),
        },
        echo,
        response: IbaResponse {
            port_control: PortControl::QueuePair,
            cct: Cct::Linear { entries: 32, shift: 1, step: 3 },
            ccti_limit: 31,
            ccti_increase: 4,
            ccti_min: 2,
            ccti_timer: 7,
            trigger_threshold: 9,
            timer_start,
            service_levels: vec![],
        },
    })
}

/// The HP proposal's, with every way of its choices.
fn hp() -> impl Iterator<Item = Hp> {
    let sets = [
        MarkedSet::Naive,
        MarkedSet::Selective(RootTrigger::Input),
        MarkedSet::Selective(RootTrigger::InputAndOutput),
    ];
    let triggers = [Trigger::Full, Trigger::Above(Bytes::kib(8))];
    let places = sets.into_iter().flat_map(move |set| triggers.map(|trigger| (set, trigger)));
    let markings = places.zip([Immediate::Marked, Immediate::Spared, Immediate::Spared].into_iter().cycle());
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
    markings.zip(responses).zip(rpis.into_iter().cycle()).map(
        |((((set, trigger), immediate), (rate, window)), rpi_after_decrease)| Hp {
            marking: HpMarking { trigger, set, immediate },
            response: HpResponse { rate, window, rpi_after_decrease },
        },
    )
}

/// DCQCN, with every way of its choices; small enough thresholds for a small buffer.
fn dcqcn() -> impl Iterator<Item = Dcqcn> {
    let presets = [Preset::Recommended, Preset::Strawman].into_iter().cycle();
    let orders = [CnpOrder::CutFirst, CnpOrder::CutFirst, CnpOrder::AlphaFirst, CnpOrder::AlphaFirst];
    let places = [MarkedAt::Departure, MarkedAt::Arrival, MarkedAt::Arrival, MarkedAt::Departure];
    let windows = [CnpWindow::FromCnp, CnpWindow::FreeRunning].into_iter().cycle();
    presets.zip(orders).zip(places).zip(windows).map(|(((preset, order), at), window)| Dcqcn {
        marking: RedMarking { kmin: Bytes::new(4_000), kmax: Bytes::new(7_000), pmax: 0.5, at },
        echo: CnpEcho { window, ..CnpEcho::preset(preset) },
        response: DcqcnResponse {
            order,
            clamp_target: preset == Preset::Recommended,
            clamp_after_timer: order == CnpOrder::AlphaFirst,
            initial_alpha: if order == CnpOrder::CutFirst { 1.0 } else { 0.5 },
            fast_recovery: if order == CnpOrder::CutFirst { 5 } else { 4 },
            ..DcqcnResponse::preset(preset)
        },
    })
}

/// Every marking with every response.
fn mixed() -> impl Iterator<Item = Scheme> {
    let echoes = [
        EchoChoice::Cnp,
        EchoChoice::Acknowledgement,
        EchoChoice::Dcqcn(CnpEcho::preset(Preset::Recommended)),
    ];
    let pairs = iba().zip(hp()).zip(hp().skip(3)).zip(dcqcn()).zip(echoes.into_iter().cycle());
    pairs.flat_map(|((((iba, hp), other), dcqcn), echo)| {
        let markings = [
            MarkingChoice::Off,
            MarkingChoice::Iba(iba.marking),
            MarkingChoice::Hp(hp.marking),
            MarkingChoice::Red(dcqcn.marking),
        ];
        markings.into_iter().flat_map(move |marking| {
            let responses = [
                ResponseChoice::Off,
                ResponseChoice::Iba(iba.response.clone()),
                ResponseChoice::Hp(other.response.clone()),
                ResponseChoice::Dcqcn(dcqcn.response),
            ];
            responses.map(|response| Scheme::Mixed(Mixed { marking: marking.clone(), echo, response }))
        })
    })
}

/// Whether switches mark under this scheme.
pub(crate) fn marks(scheme: &Scheme) -> bool {
    !matches!(scheme, Scheme::Off | Scheme::Mixed(Mixed { marking: MarkingChoice::Off, .. }))
}
