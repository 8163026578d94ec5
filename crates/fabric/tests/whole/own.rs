//! Policies of a user's program in whole runs: IBA's response and marker, registered as a program's own, have the
//! results of the built-in ones, in parts and after a checkpoint too.

use cc_policies::iba::spec::{IbaMarkingSpec, IbaResponseSpec};
use cc_policies::iba::{IbaMarker, IbaResponse, IbaState};
use cc_policies::own::{OwnMarker, OwnPolicies, OwnResponse, Packed, ResponseSetup};
use cc_policies::{
    Acknowledgement, ControlState, Margin, Marker, MarkerSetup, Notification, NotificationOutcome, QueueView,
    Response, StateScope, TrafficKind,
};
use fabric::{RunOptions, Saving, simulate_saving};
use packet::{Lane, MarkCode, PortId, ServiceLevel, TransportService, VoqId};
use scenario::{Plan, Scenario, ScenarioText};
use state_codec::{State, StateError, StateReader, StateWriter, Value};
use topology::Partition;
use units::{Bytes, Span, Time};

use crate::common::run;
use crate::parts::{assert_same, told};

/// IBA's response as a program's own.
#[derive(Debug)]
struct Mirror(IbaResponse);

/// IBA's state, saved as in a checkpoint, behind the number of its bytes.
#[derive(Clone, Copy)]
struct Mirrored(IbaState);

impl Packed for Mirrored {
    const BYTES: usize = 24;

    fn pack(self, to: &mut [u8]) {
        let mut saved = StateWriter::new();
        self.0.put(&mut saved);
        let bytes = saved.bytes();
        to[0] = bytes.len() as u8;
        to[1..=bytes.len()].copy_from_slice(bytes);
    }

    fn unpack(from: &[u8]) -> Self {
        Self(Value::take(&mut StateReader::new(&from[1..=usize::from(from[0])])).expect("it was packed"))
    }
}

impl Response for Mirror {
    type State = Mirrored;

    fn scope(&self, transport: TransportService, sends: TrafficKind) -> StateScope {
        self.0.scope(transport, sends)
    }

    fn at_rest(&self, service_level: ServiceLevel) -> Mirrored {
        Mirrored(self.0.at_rest(service_level))
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

impl OwnResponse for Mirror {
    type Settings = IbaResponseSpec;

    fn new(settings: IbaResponseSpec, adapter: ResponseSetup) -> Self {
        Self(IbaResponse::new(&settings).with_timer_ages(adapter.stream))
    }
}

/// IBA's marker as a program's own.
#[derive(Clone, Debug)]
struct MirrorMarker(IbaMarker);

impl State for MirrorMarker {
    fn save(&self, to: &mut StateWriter) {
        self.0.save(to);
    }

    fn load(&mut self, from: &mut StateReader<'_>) -> Result<(), StateError> {
        self.0.load(from)
    }
}

impl Marker for MirrorMarker {
    fn queue_changed(&mut self, voq: VoqId, view: QueueView) {
        self.0.queue_changed(voq, view);
    }

    fn stalled(&mut self, output: PortId, lane: Lane) {
        self.0.stalled(output, lane);
    }

    fn departing(&mut self, voq: VoqId, length: Bytes) -> Option<MarkCode> {
        self.0.departing(voq, length)
    }

    fn margins(&self, output: PortId, lane: Lane) -> [Option<Margin>; 2] {
        self.0.margins(output, lane)
    }
}

impl OwnMarker for MirrorMarker {
    type Settings = IbaMarkingSpec;

    fn new(settings: IbaMarkingSpec, switch: &MarkerSetup) -> Self {
        Self(IbaMarker::new(&settings, switch))
    }
}

const BUILT_IN: [&str; 2] =
    ["Iba(threshold: 15, victim_mask: All)", "Iba(ccti_timer: 15, timer_start: FreeRunningOwnPhase)"];
const OWN: [&str; 2] = [
    r#"Own(name: "mirror", settings: {"threshold": 15, "victim_mask": "All"})"#,
    r#"Own(name: "mirror", settings: {"ccti_timer": 15, "timer_start": "FreeRunningOwnPhase"})"#,
];

/// Returns the plan of `victim` with these policies, in a program with policies of its own.
fn plan(marking: &str, response: &str) -> Plan {
    let own = OwnPolicies::new().response::<Mirror>("mirror").marker::<MirrorMarker>("mirror");
    let mut source = ScenarioText::find("victim").expect("it ships").with_own(own);
    let control = format!("congestion_control=Mixed(marking: {marking}, echo: Cnp, response: {response})");
    for set in [control.as_str(), "duration=25 ms", "watch=[Control(flow: \"far\")]"] {
        source.set(set).unwrap_or_else(|error| panic!("{error}"));
    }
    Scenario::read(&source).and_then(|read| read.check(&source)).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn a_response_of_one_s_own_has_the_record_of_the_same_built_in_one() {
    let (built_in, own) = (plan(BUILT_IN[0], BUILT_IN[1]), plan(BUILT_IN[0], OWN[1]));
    let of_built_in = told(&built_in, RunOptions::default());
    assert_same(&of_built_in, &told(&own, RunOptions::default()), &"a response of one's own");
    let halves = Partition::balanced(&own.weighed_graph(&own.expected_work()), 2);
    let in_parts = RunOptions { partition: Some(&halves), ..RunOptions::default() };
    assert_same(&of_built_in, &told(&own, in_parts), &"in two parts");
    let record = run(&own);
    assert_ne!(run(&plan(BUILT_IN[0], "Iba(ccti_timer: 150)")).digest, record.digest, "the response acts");
}

/// A run that is saved goes on to the same record, with the states of flows and switches.
#[test]
fn a_run_with_policies_of_one_s_own_goes_on_from_a_checkpoint() {
    let own = plan(OWN[0], OWN[1]);
    let mut states = Vec::new();
    let keep = &mut |_, state| states.push(state);
    let saving = Saving { every: Some(Span::from_us(12_000)), from: None, keep };
    let whole = simulate_saving(&own, RunOptions::default(), saving, &mut |_| {}).expect("it runs");
    let state = states.last().expect("it was saved");
    let from = Saving { every: None, from: Some(state), keep: &mut |_, _| {} };
    let resumed = simulate_saving(&own, RunOptions::default(), from, &mut |_| {}).expect("it goes on");
    assert_same(&format!("{whole:#?}"), &format!("{resumed:#?}"), &"after a checkpoint");
}

#[test]
fn a_marker_of_one_s_own_marks_the_packets_of_the_same_built_in_one() {
    let (built_in, own) = (run(&plan(BUILT_IN[0], BUILT_IN[1])), run(&plan(OWN[0], BUILT_IN[1])));
    assert!(built_in.marks.total() > 100);
    assert_eq!(own.digest, built_in.digest);
    assert_eq!(format!("{:#?}", own.marks), format!("{:#?}", built_in.marks));
    assert_eq!(format!("{:#?}", own.lanes), format!("{:#?}", built_in.lanes));
    assert_eq!(format!("{:#?}", own.congestion), format!("{:#?}", built_in.congestion));
}

/// A plan's digest covers name and settings.
#[test]
fn the_plan_s_digest_covers_the_name_and_the_settings() {
    let digest =
        |settings: &str| plan("Off", &format!("Own(name: \"mirror\", settings: {settings})")).digest();
    let digests = [r#"{"ccti_timer": 15}"#, r#"{"ccti_timer": 16}"#, "{}"].map(digest);
    assert!(digests[0] != digests[1] && digests[1] != digests[2] && digests[0] != digests[2]);
    let own = plan(OWN[0], OWN[1]);
    assert!(own.resolved().contains(r#"name: "mirror""#), "{}", own.resolved());
    assert_eq!(own.own_policies().len(), 2);
    assert_eq!(own.congestion_control(), "mirror");
    assert!(plan(BUILT_IN[0], BUILT_IN[1]).own_policies().is_empty());
}
