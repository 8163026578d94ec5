//! GOAL: text to binary to text. The binary files in `fixtures/import` were made by `txt2bin` of `LogGOPSim` 76451de.

use std::io::{Cursor, ErrorKind};

use proptest::prelude::*;
use units::Span;
use workload::job::goal::{
    CALC_UNIT, GoalReadError, calc_unit, read_binary, read_text, write_binary, write_text,
};
use workload::job::{GraphBuilder, Operation, Programs, Work};

const FEATURES: (&str, &[u8]) = (
    include_str!("../../../../fixtures/import/features.goal"),
    include_bytes!("../../../../fixtures/import/features.goal.bin"),
);
const RING: (&str, &[u8]) = (
    include_str!("../../../../fixtures/import/ring8.goal"),
    include_bytes!("../../../../fixtures/import/ring8.goal.bin"),
);

fn binary(programs: &Programs, unit: Span) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_binary(programs, unit, &mut bytes).unwrap();
    bytes
}

fn text(programs: &Programs, unit: Span) -> String {
    let mut bytes = Vec::new();
    write_text(programs, unit, &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

#[test]
fn binary_files_are_those_of_txt2bin() {
    for (goal, expected) in [FEATURES, RING] {
        let job = read_text(goal.as_bytes(), CALC_UNIT).unwrap();
        assert!(binary(&job.programs, CALC_UNIT) == expected, "{goal}");
        assert_eq!(read_binary(expected, CALC_UNIT).unwrap().programs, job.programs);
    }
}

/// Each byte in turn gets another value: the file is refused, or is another job; nothing panics, and a count cannot
/// claim memory.
#[test]
fn changed_bytes_are_refused_or_mean_something_else() {
    let (_, good) = FEATURES;
    let programs = read_binary(good, CALC_UNIT).unwrap().programs;
    for at in 0..good.len() {
        for value in [0, 1, 0x7F, 0xFF] {
            let mut changed = good.to_vec();
            if core::mem::replace(&mut changed[at], value) == value {
                continue;
            }
            if let Ok(job) = read_binary(&changed[..], CALC_UNIT) {
                // The header may name more cpus and nics than are used, and 0 be the place of no successors.
                let is_unused = matches!(at, 12 | 13) || value == 0;
                assert!(job.programs != programs || is_unused, "byte {at}: {value}");
            }
        }
    }
}

#[test]
fn faults_of_binary_files_have_their_offset() {
    let (_, good) = FEATURES;
    let said = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = good.to_vec();
        change(&mut bytes);
        match read_binary(&bytes[..], CALC_UNIT) {
            Err(GoalReadError::Binary(error)) => error.to_string(),
            other => panic!("{other:?}"),
        }
    };
    let put = |at: usize, value: u8| move |bytes: &mut Vec<u8>| bytes[at] = value;
    assert_eq!(said(&put(0, 0x80)), "byte 8: the file begins with 4224; GOAL's binary form with 4223");
    assert_eq!(
        said(&|bytes| bytes[..2].copy_from_slice(&2342_u16.to_le_bytes())),
        "byte 8: the file was destroyed by a run of LogGOPSim with `--save-mem`"
    );
    assert_eq!(said(&|bytes| bytes.truncate(700)), "byte 700: the file ends in the middle of an operation");
    assert_eq!(said(&|bytes| bytes.truncate(5)), "byte 0: the file ends in the middle of the first number");
    assert_eq!(said(&put(8, 0)), "byte 12: 0 ranks are not 1 to 1048576");
    assert_eq!(
        said(&put(14, 0x45)),
        "byte 78: the block of rank 0 is at 69 to 340, and 70 is the end of the part before"
    );
    assert_eq!(said(&put(22, 0x53)), "byte 332: the block of rank 0 has 269 bytes, and its contents 270");
    assert_eq!(
        said(&put(102, 4)),
        "byte 121: operation 0 of rank 0 has the type 4: 1 is a send, 2 a receive, 3 a computation"
    );
    assert_eq!(said(&put(12, 0)), "byte 160: operation 1 of rank 0: cpu is 1, and at most 0");
    assert_eq!(
        said(&put(98, 1)),
        "byte 348: operation 0 of rank 0: number of predecessors is 1, and 0 by the edges"
    );
}

#[test]
fn a_source_that_fails_is_no_fault_of_the_file() {
    struct Broken;
    impl std::io::Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            Err(ErrorKind::ConnectionReset.into())
        }
    }
    let source = std::io::Read::chain(Cursor::new(b"num_ranks 1\n"), Broken);
    let error = read_text(std::io::BufReader::new(source), CALC_UNIT).unwrap_err();
    assert!(matches!(error, GoalReadError::Io(error) if error.kind() == ErrorKind::ConnectionReset));
}

fn operations() -> impl Strategy<Value = Operation> {
    let maybe = |most: u32| prop_oneof![3 => (0..=most).prop_map(Some), 1 => Just(None)];
    let tag = prop_oneof![0_u32..3, Just(u32::MAX - 1)];
    let size = || prop_oneof![Just(0_u64), 1_u64..5000, Just(u64::MAX)];
    let work = prop_oneof![
        (0_u32..3, size(), tag).prop_map(|(to, bytes, tag)| Work::Send { to, bytes, tag }),
        (maybe(2), size(), maybe(3)).prop_map(|(from, bytes, tag)| Work::Receive { from, bytes, tag }),
        (0_u64..9_000).prop_map(|ps| Work::Compute { span: Span::from_ps(ps) }),
    ];
    (work, any::<u8>(), any::<u8>()).prop_map(|(work, cpu, nic)| {
        let nic = if matches!(work, Work::Compute { .. }) { 0 } else { nic };
        Operation { work, cpu, nic }
    })
}

fn programs() -> impl Strategy<Value = Programs> {
    let edge = (0_u32..20, 0_u32..20, any::<bool>());
    let rank =
        (prop::collection::vec(operations(), 0..20), prop::collection::vec(edge, 0..40), any::<bool>());
    prop::collection::vec(rank, 3).prop_map(|ranks| {
        let build = |(operations, edges, turned): (Vec<Operation>, Vec<(u32, u32, bool)>, bool)| {
            let count = operations.len() as u32;
            let mut builder = GraphBuilder::default();
            for operation in operations {
                builder.add(operation);
            }
            for (one, other, at_start) in edges.into_iter().filter(|edge| edge.0.max(edge.1) < count) {
                // All edges of a rank lead the same way, so that they close no circle.
                let (low, high) = (one.min(other), one.max(other));
                let (later, earlier) = if turned { (low, high) } else { (high, low) };
                match at_start {
                    _ if low == high => {}
                    true => builder.starts_after(later, earlier),
                    false => builder.requires(later, earlier),
                }
            }
            builder.build().unwrap()
        };
        Programs { ranks: ranks.into_iter().map(build).collect() }
    })
}

proptest! {
    #[test]
    fn text_to_binary_to_text_changes_nothing(programs in programs()) {
        let unit = calc_unit(&programs);
        let first = text(&programs, unit);
        let read = read_text(first.as_bytes(), unit).unwrap();
        prop_assert_eq!(&read.programs, &programs);
        prop_assert_eq!((read.forward, read.missing.len()), (0, 0));
        let bytes = binary(&read.programs, unit);
        let back = read_binary(&bytes[..], unit).unwrap().programs;
        prop_assert_eq!(&back, &programs);
        prop_assert_eq!(text(&back, unit), first);
    }
}
