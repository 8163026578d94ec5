//! Policies of one's own: the wrapper decides as the policy within it does, and refuses other settings.
//!
//! The examples are IBA's response and marker behind the wrapper, so that the contracts of all policies hold it too.

use cc_policies::iba::spec::{IbaMarkingSpec, IbaResponseSpec};
use cc_policies::iba::{IbaMarker, IbaResponse, IbaState};
use cc_policies::own::{OwnMarker, OwnPolicies, OwnResponse, OwnSpec, Packed, ResponseSetup, reasons};
use cc_policies::{
    Acknowledgement, AnyEcho, AnyMarker, AnyResponse, AnyState, BufferOwner, BufferView, Control,
    ControlState, Margin, Marker, MarkerSetup, MarkingSpec, Notification, NotificationOutcome, QueueView,
    Response, ResponseSpec, SentPacket, StateScope, TrafficKind,
};
use packet::{Lane, MarkCode, PortId, ServiceLevel, TransportService, VoqId};
use rand_pcg::Pcg64Mcg;
use serde::Deserialize;
use serde_json::{Value, json};
use settings::Fault;
use state_codec::{State, StateReader, StateWriter};
use units::{Bytes, Rate, Span, Time};

/// Returns the policies of this program.
pub(crate) fn policies() -> OwnPolicies {
    OwnPolicies::new().response::<MirroredResponse>("mirror").marker::<MirroredMarker>("mirror")
}

/// Returns a response of any kind.
pub(crate) fn response(spec: &ResponseSpec, line: Rate) -> AnyResponse {
    AnyResponse::new(spec, &policies(), ResponseSetup { line, stream: Pcg64Mcg::new(1) })
}

/// Returns a marker of any kind.
pub(crate) fn marker(spec: &MarkingSpec, switch: &MarkerSetup) -> AnyMarker {
    AnyMarker::new(spec, &policies(), switch)
}

/// Returns an example of a response of one's own: IBA's with these settings.
pub(crate) fn mirrored_response(settings: &IbaResponseSpec) -> ResponseSpec {
    ResponseSpec::Own(spec("mirror", json!(settings)))
}

/// Returns an example of a marking rule of one's own: IBA's with these settings.
pub(crate) fn mirrored_marking(settings: &IbaMarkingSpec) -> MarkingSpec {
    MarkingSpec::Own(spec("mirror", json!(settings)))
}

fn spec(name: &str, settings: Value) -> OwnSpec {
    let Value::Object(settings) = settings else { panic!("settings have names: {settings}") };
    OwnSpec { name: name.to_owned(), settings: settings.into_iter().collect() }
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

    fn load(&mut self, from: &mut StateReader<'_>) -> Result<(), state_codec::StateError> {
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

/// A response with a setting that it checks, and with no state.
#[derive(Debug)]
struct Steady;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SteadySettings {
    share: f64,
}

impl Response for Steady {
    type State = ();

    fn at_rest(&self, _: ServiceLevel) {}
}

impl OwnResponse for Steady {
    type Settings = SteadySettings;

    fn check(settings: &SteadySettings) -> Result<(), Fault> {
        let found = settings.share;
        if found > 0.0 && found <= 1.0 {
            return Ok(());
        }
        let help = Some("write a share above 0, at most 1".to_owned());
        Err(Fault { path: "share".into(), message: format!("{found} is no share"), help })
    }

    fn new(_: SteadySettings, _: ResponseSetup) -> Self {
        Self
    }
}

fn fault(own: &OwnPolicies, name: &str, settings: Value) -> Option<(String, String)> {
    let response = ResponseSpec::Own(spec(name, settings));
    let control = Control { marking: MarkingSpec::Off, echo: AnyEcho::Off, response };
    control.check().expect("what a program's own policies say is not looked at");
    let fault = control.check_own(own).err()?;
    Some((fault.path.to_string(), format!("{}; {}", fault.message, fault.help.unwrap_or_default())))
}

#[test]
fn a_program_runs_what_it_registers_and_names_the_nearest_to_a_wrong_name() {
    let own = policies().response::<Steady>("steady");
    assert_eq!(own.names(), ["mirror", "steady", "mirror"]);
    assert_eq!(fault(&own, "steady", json!({"share": 0.5})), None);
    for (own, name, settings, path, said) in [
        (&own, "steadi", json!({"share": 1}), "response.name", "did you mean `steady`?"),
        (
            &own,
            "steady",
            json!({"share": 2}),
            "response.settings.share",
            "2 is no share; write a share above 0",
        ),
        (
            &own,
            "steady",
            json!({"shares": 1}),
            "response.settings",
            "unknown field `shares`, expected `share`",
        ),
        (&own, "steady", json!({}), "response.settings", "missing field `share`"),
        (&OwnPolicies::NONE, "steady", json!({}), "response.name", ".response::<YourType>(\"steady\")"),
    ] {
        let (at, text) = fault(own, name, settings).expect("it is wrong");
        assert_eq!(at, path);
        assert!(text.contains(said), "{text}");
    }
}

#[test]
fn a_setting_has_a_value() {
    let read =
        |settings: Value| serde_json::from_value::<OwnSpec>(json!({"name": "mirror", "settings": settings}));
    assert!(read(json!({"a": 1, "b": [true, "x"], "c": {"d": 0.5}})).is_ok());
    for settings in [json!({"a": null}), json!({"a": [1, null]}), json!({"a": {"b": null}})] {
        let fault = read(settings).expect_err("a value is missing").to_string();
        assert!(fault.contains("`a` has no value: a text stands in quotes"), "{fault}");
    }
}

#[test]
fn a_plan_s_policies_are_named_with_their_types() {
    let settings = IbaResponseSpec::default();
    let control = Control {
        marking: mirrored_marking(&IbaMarkingSpec::default()),
        echo: AnyEcho::Cnp,
        response: mirrored_response(&settings),
    };
    let named: Vec<_> = control.own_policies(&policies()).iter().map(ToString::to_string).collect();
    assert_eq!(
        named,
        ["marking mirror (all::own::MirroredMarker)", "response mirror (all::own::MirroredResponse)"]
    );
    assert!(Control::OFF.own_policies(&policies()).is_empty());
}

/// A clone of a marker goes on as the marker does, and does not change it.
#[test]
fn a_marker_is_cloned_with_its_state_and_saved() {
    let switch = MarkerSetup {
        name: "S".to_owned(),
        radix: 2,
        lanes: 1,
        buffers_of: BufferOwner::Inputs,
        capacity: Bytes::kib(16),
        longest_packet: Bytes::new(1_082),
        numbers: vec![1, 2],
        faces_adapter: vec![false; 2],
        rates: vec![Rate::gbps(40); 2],
        stream: Pcg64Mcg::new(5),
    };
    let settings = IbaMarkingSpec { marking_rate: 0, packet_size: 0, ..IbaMarkingSpec::default() };
    let marking = mirrored_marking(&settings);
    let at = VoqId { input: PortId(0), output: PortId(1), lane: Lane(0) };
    let view = |bytes| QueueView { voq: bytes, sum: bytes, inputs: 1, wire_busy: true };
    let mut full = marker(&marking, &switch);
    full.queue_changed(at, view(Bytes::kib(15)));
    let mut saved = StateWriter::new();
    full.save(&mut saved);
    let mut loaded = marker(&marking, &switch);
    loaded.load(&mut StateReader::new(saved.bytes())).expect("it was saved");
    let mut cloned = full.clone();
    cloned.queue_changed(at, view(Bytes::ZERO));
    let leaves = |marker: &mut AnyMarker| marker.departing(at, Bytes::new(1_082));
    assert_eq!(leaves(&mut full), Some(reasons::ROOT));
    assert_eq!(leaves(&mut loaded), Some(reasons::ROOT));
    assert_eq!(leaves(&mut cloned), None);
    assert_eq!(leaves(&mut marker(&marking, &switch)), None);
}

/// A state of a flow survives a checkpoint, and no other response accepts it.
#[test]
fn the_state_of_a_flow_is_saved() {
    let own = response(&mirrored_response(&IbaResponseSpec::default()), Rate::gbps(40));
    let mut state = own.at_rest(ServiceLevel(0));
    own.on_notification(&mut state, Notification { psn: None, next: 0 }, Time::ZERO);
    let mut saved = StateWriter::new();
    state.save(&mut saved);
    let mut loaded = own.at_rest(ServiceLevel(0));
    assert_ne!(loaded, state);
    loaded.load(&mut StateReader::new(saved.bytes())).expect("it was saved");
    assert_eq!(loaded, state);
    assert!(AnyState::Off.load(&mut StateReader::new(saved.bytes())).is_err());
}
