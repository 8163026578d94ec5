//! Runs that are saved and go on from their states.
//!
//! Invariant: three independent guards against a forgotten field. A type's macro does not compile without it. The
//! `Debug` text of a loaded world equals the text of the saved world, so that no changing field is marked as `plan`.
//! The rest of the run is the same, to the last digit of its record and the last byte of its later states.

#[path = "../../../tests/whole/drawn.rs"]
mod drawn;
mod text;

use core::time::Duration;

use event_kernel::Digest;
use proptest::prelude::*;
use proptest::sample::select;
use scenario::Plan;
use state_codec::StateError;
use telemetry::RunRecord;
use topology::Partition;
use units::{Span, Time};

use self::drawn::{Drawn, cases, drawn, parts};
use crate::checkpoint::file::{Checkpoint, CheckpointError};
use crate::plans::shipped;
use crate::run::Run;
use crate::{ResumeError, RunError, RunOptions, Saving, simulate, simulate_saving};

/// A run that goes on from a state.
#[derive(Clone, Debug)]
struct ResumedRun {
    drawn: Drawn,
    /// Simulated time between two states, in ns.
    every: u64,
    /// The state that the run is resumed from, modulo their number.
    from: usize,
    /// Parts by node, for at least as many nodes as the fabric has: until the state, and from there on.
    parts: [Vec<u16>; 2],
}

fn resumed_run() -> impl Strategy<Value = ResumedRun> {
    let every = select(&[900_u64, 5000, 7300, 20_000][..]);
    let few = select(&[1_u16, 2, 3][..]).prop_flat_map(parts);
    (drawn(), every, 0..1000_usize, few, any::<bool>()).prop_map(|(drawn, every, from, few, is_first)| {
        let many = drawn.of_node.clone();
        let parts = if is_first { [few, many] } else { [many, few] };
        ResumedRun { drawn, every, from, parts }
    })
}

/// A run's outcome, and its states.
struct Saved {
    outcome: String,
    states: Vec<(Time, Vec<u8>)>,
}

/// Returns the contents of a record, or of a failure.
fn told<E: core::fmt::Debug>(outcome: Result<RunRecord, E>) -> String {
    match outcome {
        Ok(record) => format!("{record:#?}"),
        Err(failed) => format!("{failed:#?}"),
    }
}

/// Runs a plan, from a state if given, and keeps its states.
fn saved(plan: &Plan, run: &ResumedRun, parts: &Partition, from: Option<&[u8]>) -> Saved {
    let mut states = Vec::new();
    let keep = &mut |at, state| states.push((at, state));
    let saving = Saving { every: Some(Span::from_ns(run.every)), from, keep };
    let outcome = simulate_saving(
        plan,
        RunOptions { partition: Some(parts), ..run.drawn.options() },
        saving,
        &mut |_| {},
    )
    .map_err(|error| match error {
        ResumeError::Run(error) => error,
        ResumeError::State(error) => panic!("{run:#?}: {error}"),
        ResumeError::Ranks(fault) => panic!("{fault}"),
    });
    Saved { outcome: told::<RunError>(outcome), states }
}

/// Returns a run of a plan that has not begun.
fn new_run(plan: &Plan) -> Run<'static> {
    crate::new_run(plan, RunOptions { moments: drawn::MOMENTS, ..RunOptions::default() })
}

/// Panics at the first line that differs.
fn assert_same(one: &str, other: &str, what: &dyn core::fmt::Debug) {
    if one != other {
        let mut lines = one.lines().zip(other.lines()).enumerate();
        let differs = lines.find(|(_, (one, other))| one != other);
        panic!("{what:#?}\ndiffers: {differs:?}");
    }
}

/// Checks everything about a plan: in parts against a single part, saved against not saved, resumed against whole.
fn check(plan: &Plan, drawn: &ResumedRun) {
    let plain = told(simulate(plan, drawn.drawn.options(), &mut |_| {}));
    let [before, after] = drawn.parts.each_ref().map(|parts| Partition::new(&parts[..plan.graph().nodes()]));
    let whole = saved(plan, drawn, &before, None);
    assert_same(&whole.outcome, &plain, &("a checkpoint changes the run", drawn));
    if whole.states.is_empty() {
        return;
    }
    let chosen = drawn.from % whole.states.len();
    let (at, state) = &whole.states[chosen];

    let mut run = new_run(plan);
    run.restore(state).unwrap_or_else(|error| panic!("{drawn:#?}: {error}"));
    assert!(
        run.state_after(run.events()) == *state,
        "{drawn:#?}: a state is not that of the run that it is loaded into"
    );
    let mut original = new_run(plan);
    original.bring_up();
    // A failure before the state would have left none.
    original.run_until(*at, &mut |_| {}).unwrap();
    if let Some(until_done) = &mut original.until_done {
        until_done.recount(&original.world);
    }
    assert_same(&text::of(&run), &text::of(&original), &("a field is forgotten", drawn));

    let rest = saved(plan, drawn, &after, Some(state));
    assert_same(&rest.outcome, &plain, &("the resumed run differs", drawn));
    assert!(rest.states[..] == whole.states[chosen + 1..], "{drawn:#?}: a later state differs");
}

proptest! {
    #![proptest_config(cases(32))]

    #[test]
    fn a_run_goes_on_from_any_state(run in resumed_run()) {
        check(&run.drawn.plan(), &run);
    }
}

/// Schemes, hosts and patterns that are not drawn: shipped scenarios that can be cut to a millisecond.
#[test]
fn shipped_scenarios_go_on_from_a_state() {
    let names = [
        "conext2016-delay",
        "gran2011-placements",
        "hp2001-hybrid",
        "hp2001-rate",
        "hp2001-window-only",
        "pfister2005",
        "santos2003",
        "santos2003-sessions",
        "zhu2015-incast",
    ];
    for name in names {
        let plan = shipped(name, &["duration=\"400 us\"", "sample=\"20 us\""]);
        let of_nodes = |parts: usize| (0..plan.graph().nodes()).map(|node| (node % parts) as u16).collect();
        let drawn = Drawn {
            sets: vec![name.to_owned()],
            drain: false,
            scramble: None,
            in_turn: true,
            of_node: Vec::new(),
        };
        let parts = [of_nodes(1), of_nodes(2)];
        check(&plan, &ResumedRun { drawn, every: 170_000, from: 1, parts });
    }
}

fn sample() -> Checkpoint {
    Checkpoint {
        build: "version 1 (commit abc)".to_owned(),
        plan: "victim".to_owned(),
        plan_digest: Digest::of_text("victim"),
        at: Time::from_ps(7),
        wall: Duration::from_millis(3),
        state: vec![1; 300],
    }
}

#[test]
fn a_checkpoint_of_another_build_or_plan_is_refused() {
    let victim = shipped("victim", &[]);
    let own = Checkpoint { plan_digest: victim.digest(), ..sample() };
    let message = |checked: Result<(), CheckpointError>| checked.unwrap_err().to_string();
    assert_eq!(own.check("version 1 (commit abc)", &victim), Ok(()));
    assert_eq!(
        message(own.check("version 2 (commit def)", &victim)),
        "it was written by version 1 (commit abc), and this is version 2 (commit def)"
    );
    let other = shipped("victim", &["seed=2"]);
    assert_eq!(
        message(own.check("version 1 (commit abc)", &other)),
        format!(
            "it is of the plan `victim` with digest {}, and this is `victim` with digest {}",
            victim.digest(),
            other.digest()
        )
    );
}

#[test]
fn other_files_and_formats_are_refused() {
    let bytes = sample().bytes();
    assert_eq!(Checkpoint::read(&bytes), Ok(sample()));
    assert_eq!(Checkpoint::read(b""), Err(CheckpointError::Damaged));
    assert_eq!(Checkpoint::read(b"(duration: \"1 ms\")"), Err(CheckpointError::Foreign));
    let mut other = bytes;
    other[8] = 9;
    assert_eq!(Checkpoint::read(&other), Err(CheckpointError::Format { found: 9 }));
}

/// A state that does not fit a plan is refused, although its file is whole.
#[test]
fn the_state_of_another_fabric_is_refused() {
    let (one, other) = (shipped("victim", &[]), shipped("one-flow", &[]));
    let state = new_run(&one).state_after(0);
    assert!(new_run(&other).restore(&state).is_err());
    assert!(matches!(new_run(&one).restore(&state[..state.len() / 2]), Err(StateError::Truncated { .. })));
}

proptest! {
    #[test]
    fn a_damaged_file_is_refused(cut: prop::sample::Index, place: prop::sample::Index, bits in 1..=255_u8) {
        let bytes = sample().bytes();
        prop_assert!(Checkpoint::read(&bytes[..cut.index(bytes.len())]).is_err());
        let mut flipped = bytes.clone();
        flipped[place.index(bytes.len())] ^= bits;
        prop_assert!(Checkpoint::read(&flipped).is_err());
        prop_assert!(Checkpoint::read(&[&bytes[..], &[0]].concat()).is_err());
    }

    #[test]
    fn no_bytes_make_reading_panic(bytes in prop::collection::vec(any::<u8>(), 0..99)) {
        let _ = Checkpoint::read(&bytes);
        let _ = Checkpoint::read(&[&sample().bytes()[..12], &bytes[..]].concat());
    }
}
