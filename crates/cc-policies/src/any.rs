//! The closed sets of policies: one enum for each trait, at the edge of this crate.
//!
//! Invariant: one [`Scheme`] builds all of them, each of its own kind; `Off` is among each.
//!
//! Closed, not `dyn`, for three reasons. The decisions lie in the innermost loop, where a `match` on a
//! known set costs nothing and an indirect call does. A flow's state stays `Copy` and of known size. And
//! the compiler lists every place that a new scheme must fill in: a variant here, an arm in `dispatch!`,
//! an arm in each `new`.

use packet::{Lane, MarkReason, Packet, PortId, ServiceLevel, Transport, VoqId};
use units::{Bytes, Rate, Span, Time};

use crate::dcqcn::{DcqcnSource, DcqcnState, RedMarker};
use crate::hp::{HpMarker, HpSource, HpState};
use crate::iba::{Ccti, IbaMarker, IbaSource};
use crate::margin::Margin;
use crate::policy::{
    Acknowledged, Answer, BufferView, Echo, EchoState, FlowRate, Marker, MarkerSetup, Notified, QueueView,
    Reaction, Response, Sends, Sent, StateScope,
};
use crate::spec::{CnpEcho, EchoChoice, IbaEcho, MarkingChoice, PortControl, ResponseChoice, Scheme};

/// Hands a call to the response that is there, with the state that it made; `Off` has a value of its own.
macro_rules! dispatch {
    ($any:expr, $state:expr, Off => $nothing:expr, ($policy:ident, $own:ident) => $call:expr) => {
        match ($any, $state) {
            (Self::Off, _) => $nothing,
            (Self::Iba($policy), AnyState::Iba($own)) => $call,
            (Self::Hp($policy), AnyState::Hp($own)) => $call,
            (Self::Dcqcn($policy), AnyState::Dcqcn($own)) => $call,
            (_, other) => unreachable!("a state of another scheme: {other:?}"),
        }
    };
}

/// Any marker.
#[derive(Clone, Debug)]
pub enum AnyMarker {
    /// Marks nothing.
    Off,
    /// InfiniBand's.
    Iba(IbaMarker),
    /// The HP proposal's, which remembers much.
    Hp(Box<HpMarker>),
    /// DCQCN's, which remembers much.
    Red(Box<RedMarker>),
}

/// Any echo.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AnyEcho {
    /// Answers nothing.
    Off,
    /// InfiniBand's.
    Iba(IbaEcho),
    /// The HP proposal's: on an acknowledgement where there is one, else by a CN packet that names the packet.
    Hp,
    /// DCQCN's.
    Dcqcn(CnpEcho),
}

/// Any response.
#[derive(Clone, Debug, PartialEq)]
pub enum AnyResponse {
    /// Heeds no notification.
    Off,
    /// InfiniBand's.
    Iba(IbaSource),
    /// The HP proposal's.
    Hp(HpSource),
    /// DCQCN's.
    Dcqcn(DcqcnSource),
}

/// What any response remembers of one controlled flow. Only the response that made it can use it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnyState {
    /// Nothing.
    Off,
    /// The index into the table, and its timer.
    Iba(Ccti),
    /// Rate, window, and what led to them.
    Hp(HpState),
    /// Rate, target, alpha and counters.
    Dcqcn(DcqcnState),
}

const _: () = assert!(size_of::<AnyState>() <= 32, "a controlled flow is half a cache line");

/// A guideline is no scheme until it is known for which network.
const fn unresolved() -> ! {
    panic!("a guideline stands for settings that the check of a scenario puts in its place")
}

impl AnyMarker {
    /// The marker of one switch. The scheme has passed [`Scheme::check`].
    ///
    /// # Panics
    /// If the scheme is a guideline still.
    #[must_use]
    pub fn new(scheme: &Scheme, switch: &MarkerSetup) -> Self {
        match scheme {
            Scheme::Off => Self::Off,
            Scheme::Iba(iba) => Self::Iba(IbaMarker::new(&iba.marking, switch)),
            Scheme::Guideline => unresolved(),
            Scheme::Hp(hp) => Self::Hp(Box::new(HpMarker::new(&hp.marking, switch))),
            Scheme::Dcqcn(dcqcn) => Self::Red(Box::new(RedMarker::new(&dcqcn.marking, switch))),
            Scheme::Mixed(mixed) => match &mixed.marking {
                MarkingChoice::Off => Self::Off,
                MarkingChoice::Iba(marking) => Self::Iba(IbaMarker::new(marking, switch)),
                MarkingChoice::Hp(marking) => Self::Hp(Box::new(HpMarker::new(marking, switch))),
                MarkingChoice::Red(marking) => Self::Red(Box::new(RedMarker::new(marking, switch))),
            },
        }
    }

    /// Whether it makes use of [`Marker::buffer_changed`]: else it need not be told.
    #[inline]
    #[must_use]
    pub const fn heeds_buffers(&self) -> bool {
        matches!(self, Self::Hp(_))
    }

    /// Reads what it will need to know of an output and lane, so that it is in the cache when it does. What this
    /// returns is of no meaning, but must not be optimised away.
    #[inline]
    #[must_use]
    pub fn fetch(&self, output: PortId, lane: Lane) -> u64 {
        if let Self::Iba(marker) = self { marker.fetch(output, lane) } else { 0 }
    }
}

impl AnyMarker {
    /// How near what waits for an output and lane came to the threshold there above which packets are marked, and to
    /// the one above which all are, where there are such.
    #[must_use]
    pub fn margins(&self, output: PortId, lane: Lane) -> [Option<Margin>; 2] {
        match self {
            Self::Iba(marker) => [marker.margin(output, lane), None],
            Self::Red(marker) => marker.margins(output, lane).map(Some),
            Self::Off | Self::Hp(_) => [None; 2],
        }
    }
}

impl AnyEcho {
    /// The echo of an adapter. The scheme has passed [`Scheme::check`].
    ///
    /// # Panics
    /// If the scheme is a guideline still.
    #[must_use]
    pub const fn new(scheme: &Scheme) -> Self {
        match scheme {
            Scheme::Off => Self::Off,
            Scheme::Iba(iba) => Self::Iba(iba.echo),
            Scheme::Guideline => unresolved(),
            Scheme::Hp(_) => Self::Hp,
            Scheme::Dcqcn(dcqcn) => Self::Dcqcn(dcqcn.echo),
            Scheme::Mixed(mixed) => match mixed.echo {
                EchoChoice::Cnp => Self::Iba(IbaEcho::Cnp),
                EchoChoice::Acknowledgement => Self::Iba(IbaEcho::Acknowledgement),
                EchoChoice::Dcqcn(echo) => Self::Dcqcn(echo),
            },
        }
    }

    /// Whether a notification packet carries the PSN of the packet that was marked, as HP's does ("CN: if PSN >=
    /// APSN"), and IBA's does not.
    #[must_use]
    pub const fn names_packets(&self) -> bool {
        matches!(self, Self::Hp)
    }

    /// The service level of its notification packets, where it is not that of their flow.
    #[must_use]
    pub fn service_level(&self) -> Option<ServiceLevel> {
        if let Self::Dcqcn(echo) = self { echo.service_level.map(ServiceLevel) } else { None }
    }
}

impl AnyResponse {
    /// The response of an adapter on a link of this rate.
    ///
    /// # Panics
    /// If the scheme has not passed [`Scheme::check`], or is a guideline still.
    #[must_use]
    pub fn new(scheme: &Scheme, line: Rate) -> Self {
        match scheme {
            Scheme::Off => Self::Off,
            Scheme::Iba(iba) => Self::Iba(IbaSource::new(&iba.response)),
            Scheme::Guideline => unresolved(),
            Scheme::Hp(hp) => Self::Hp(HpSource::new(&hp.response)),
            Scheme::Dcqcn(dcqcn) => Self::Dcqcn(DcqcnSource::new(&dcqcn.response, line)),
            Scheme::Mixed(mixed) => match &mixed.response {
                ResponseChoice::Off => Self::Off,
                ResponseChoice::Iba(response) => Self::Iba(IbaSource::new(response)),
                ResponseChoice::Hp(response) => Self::Hp(HpSource::new(response)),
                ResponseChoice::Dcqcn(response) => Self::Dcqcn(DcqcnSource::new(response, line)),
            },
        }
    }

    /// Who shares the state for what is sent over a transport service.
    #[must_use]
    pub const fn scope(&self, transport: Transport, sends: Sends) -> StateScope {
        let service_level = match self {
            Self::Iba(source) => matches!(source.port_control(), PortControl::ServiceLevel),
            // "Unreliable transport and RDMA READ responses: rate; by SLID, DLID and SL" (HP proposal).
            Self::Hp(_) if !sends.is_acknowledged(transport) => return StateScope::DestinationLevel,
            Self::Off | Self::Hp(_) | Self::Dcqcn(_) => false,
        };
        match transport {
            _ if service_level => StateScope::ServiceLevel,
            Transport::Rd => StateScope::EeContext,
            Transport::Rc | Transport::Uc | Transport::Ud => StateScope::QueuePair,
        }
    }
}

impl Marker for AnyMarker {
    #[inline(always)]
    fn queue_changed(&mut self, voq: VoqId, view: QueueView) {
        match self {
            Self::Off => {}
            Self::Iba(marker) => marker.queue_changed(voq, view),
            Self::Hp(marker) => marker.queue_changed(voq, view),
            Self::Red(marker) => marker.queue_changed(voq, view),
        }
    }

    fn buffer_changed(&mut self, input: PortId, lane: Lane, view: BufferView) {
        if let Self::Hp(marker) = self {
            marker.buffer_changed(input, lane, view);
        }
    }

    fn starved(&mut self, output: PortId, lane: Lane) {
        match self {
            Self::Off | Self::Red(_) => {}
            Self::Iba(marker) => marker.starved(output, lane),
            Self::Hp(marker) => marker.starved(output, lane),
        }
    }

    fn left_input(&mut self, voq: VoqId) -> Option<MarkReason> {
        if let Self::Hp(marker) = self { marker.left_input(voq) } else { None }
    }

    #[inline(always)]
    fn departing(&mut self, voq: VoqId, length: Bytes) -> Option<MarkReason> {
        match self {
            Self::Off => None,
            Self::Iba(marker) => marker.departing(voq, length),
            Self::Hp(marker) => marker.departing(voq, length),
            Self::Red(marker) => marker.departing(voq, length),
        }
    }
}

impl Echo for AnyEcho {
    #[inline]
    fn answer(&self, packet: &Packet, flow: &mut EchoState, now: Time) -> Option<Answer> {
        match self {
            Self::Off => None,
            Self::Iba(echo) => echo.answer(packet, flow, now),
            Self::Dcqcn(echo) => echo.answer(packet, flow, now),
            // The mark is copied to the acknowledgement; "special CN packets" where there is none (HP proposal).
            Self::Hp => IbaEcho::Acknowledgement.answer(packet, flow, now),
        }
    }
}

impl Response for AnyResponse {
    type State = AnyState;

    fn at_rest(&self, service_level: ServiceLevel) -> AnyState {
        match self {
            Self::Off => AnyState::Off,
            Self::Iba(source) => AnyState::Iba(source.at_rest(service_level)),
            Self::Hp(source) => AnyState::Hp(source.at_rest(service_level)),
            Self::Dcqcn(source) => AnyState::Dcqcn(source.at_rest(service_level)),
        }
    }

    // What a policy does not heed costs no look at the flow's state, which may lie far away.
    #[inline]
    fn on_sent(&self, state: &mut AnyState, sent: Sent, now: Time) {
        match (self, state) {
            (Self::Hp(source), AnyState::Hp(own)) => source.on_sent(own, sent, now),
            (Self::Dcqcn(source), AnyState::Dcqcn(own)) => source.on_sent(own, sent, now),
            _ => {}
        }
    }

    fn on_acknowledged(&self, state: &mut AnyState, ack: Acknowledged, now: Time) -> Reaction {
        match self {
            Self::Off => Reaction::default(),
            Self::Iba(_) | Self::Dcqcn(_) if !ack.marked => Reaction::default(),
            Self::Iba(_) | Self::Hp(_) | Self::Dcqcn(_) => {
                dispatch!(self, state, Off => Reaction::default(), (source, own) => source.on_acknowledged(own, ack, now))
            }
        }
    }

    fn on_notification(&self, state: &mut AnyState, notified: Notified, now: Time) -> Reaction {
        dispatch!(self, state, Off => Reaction::default(),
            (source, own) => source.on_notification(own, notified, now))
    }

    fn gap(&self, state: &mut AnyState, packet_time: Span, now: Time) -> Span {
        dispatch!(self, state, Off => Span::ZERO, (source, ccti) => source.gap(ccti, packet_time, now))
    }

    fn window(&self, state: &AnyState) -> u32 {
        match (self, state) {
            (Self::Hp(source), AnyState::Hp(own)) => source.window(own),
            _ => u32::MAX,
        }
    }

    fn flow_rate(&self, state: &AnyState, now: Time) -> Option<FlowRate> {
        dispatch!(self, state, Off => None, (source, own) => source.flow_rate(own, now))
    }
}
