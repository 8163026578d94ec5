//! Policies of one's own: the wrapper decides as the policy within it does, and refuses other settings.
//!
//! The examples are IBA's response and marker behind the wrapper, so that the contracts of all policies hold it too.

use cc_policies::iba::spec::{IbaMarkingSpec, IbaResponseSpec};
use cc_policies::own::{OwnPolicies, OwnResponse, OwnSpec, ResponseSetup, reasons};
use cc_policies::{
    AnyEcho, AnyMarker, AnyResponse, AnyState, BufferOwner, Control, Marker, MarkerSetup, MarkingSpec,
    Notification, QueueView, Response, ResponseSpec,
};
use packet::{Lane, PortId, ServiceLevel, VoqId};
use rand_pcg::Pcg64Mcg;
use serde::Deserialize;
use serde_json::{Value, json};
use settings::Fault;
use state_codec::{State, StateReader, StateWriter};
use units::{Bytes, Rate, Time};

use crate::mirror::policies;

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
        ["marking mirror (all::mirror::MirroredMarker)", "response mirror (all::mirror::MirroredResponse)"]
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
