//! IBA's response and marker as policies of one's own, for the tests of such policies here and in whole runs.

use cc_policies::iba::spec::{IbaMarkingSpec, IbaResponseSpec};
use cc_policies::iba::{IbaMarker, IbaResponse, IbaState};
use cc_policies::own::{OwnMarker, OwnPolicies, OwnResponse, Packed, ResponseSetup};
use cc_policies::{
    Acknowledgement, BufferOwner, BufferView, ControlState, Margin, Marker, MarkerSetup, Notification,
    NotificationOutcome, QueueView, Response, SentPacket, StateScope, TrafficKind,
};
use packet::{Lane, MarkCode, PortId, ServiceLevel, TransportService, VoqId};
use state_codec::{State, StateError, StateReader, StateWriter};
use units::{Bytes, Span, Time};

/// Returns both, registered as `mirror`.
pub(crate) fn policies() -> OwnPolicies {
    OwnPolicies::new().response::<MirroredResponse>("mirror").marker::<MirroredMarker>("mirror")
}

/// IBA's response as one of one's own.
#[derive(Debug)]
struct MirroredResponse(IbaResponse);

/// IBA's state. It is saved as in a checkpoint, behind the number of its bytes.
#[derive(Clone, Copy)]
struct Mirrored(IbaState);

impl Packed for Mirrored {
    const BYTES: usize = 24;

    fn pack(self, to: &mut [u8]) {
        let mut saved = StateWriter::new();
        self.0.save(&mut saved);
        let bytes = saved.bytes();
        to[0] = bytes.len() as u8;
        to[1..=bytes.len()].copy_from_slice(bytes);
    }

    fn unpack(from: &[u8]) -> Self {
        let mut saved = StateReader::new(&from[1..=usize::from(from[0])]);
        Self(state_codec::Value::take(&mut saved).expect("it was packed"))
    }
}

impl Response for MirroredResponse {
    type State = Mirrored;

    fn scope(&self, transport: TransportService, sends: TrafficKind) -> StateScope {
        self.0.scope(transport, sends)
    }

    fn at_rest(&self, service_level: ServiceLevel) -> Mirrored {
        Mirrored(self.0.at_rest(service_level))
    }

    fn on_sent(&self, state: &mut Mirrored, sent: SentPacket, now: Time) {
        self.0.on_sent(&mut state.0, sent, now);
    }

    fn on_acknowledged(&self, state: &mut Mirrored, ack: Acknowledgement, now: Time) -> NotificationOutcome {
        self.0.on_acknowledged(&mut state.0, ack, now)
    }

    fn on_notification(&self, state: &mut Mirrored, told: Notification, now: Time) -> NotificationOutcome {
        self.0.on_notification(&mut state.0, told, now)
    }

    fn gap(&self, state: &mut Mirrored, packet_time: Span, now: Time) -> Span {
        self.0.gap(&mut state.0, packet_time, now)
    }

    fn control_state(&self, state: &Mirrored, now: Time) -> ControlState {
        self.0.control_state(&state.0, now)
    }
}

impl OwnResponse for MirroredResponse {
    type Settings = IbaResponseSpec;

    fn new(settings: IbaResponseSpec, adapter: ResponseSetup) -> Self {
        Self(IbaResponse::new(&settings).with_timer_ages(adapter.stream))
    }
}

/// IBA's marker as one of one's own.
#[derive(Clone, Debug)]
struct MirroredMarker(IbaMarker);

impl State for MirroredMarker {
    fn save(&self, to: &mut StateWriter) {
        self.0.save(to);
    }

    fn load(&mut self, from: &mut StateReader<'_>) -> Result<(), StateError> {
        self.0.load(from)
    }
}

impl Marker for MirroredMarker {
    fn queue_changed(&mut self, voq: VoqId, view: QueueView) {
        self.0.queue_changed(voq, view);
    }

    fn heeds_buffers(&self, of: BufferOwner) -> bool {
        self.0.heeds_buffers(of)
    }

    fn buffer_changed(&mut self, port: PortId, lane: Lane, view: BufferView) {
        self.0.buffer_changed(port, lane, view);
    }

    fn stalled(&mut self, output: PortId, lane: Lane) {
        self.0.stalled(output, lane);
    }

    fn left_input(&mut self, voq: VoqId) -> Option<MarkCode> {
        self.0.left_input(voq)
    }

    fn departing(&mut self, voq: VoqId, length: Bytes) -> Option<MarkCode> {
        self.0.departing(voq, length)
    }

    fn margins(&self, output: PortId, lane: Lane) -> [Option<Margin>; 2] {
        self.0.margins(output, lane)
    }
}

impl OwnMarker for MirroredMarker {
    type Settings = IbaMarkingSpec;

    fn new(settings: IbaMarkingSpec, switch: &MarkerSetup) -> Self {
        Self(IbaMarker::new(&settings, switch))
    }
}
