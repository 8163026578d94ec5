//! What every value promises: it is loaded as it was saved, and no bytes make a reader panic.

use core::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, VecDeque};

use proptest::prelude::*;
use rand::Rng;
use rand_pcg::Pcg64Mcg;
use state_codec::{State, StateError, StateReader, StateWriter, Value};

/// One of each form that a field of a state has.
#[derive(Clone, Debug, PartialEq)]
enum Shape {
    Nothing,
    Number(u64),
    Signed(i64),
    Wide(u128),
    Float(f64),
    Text(String),
    Maybe(Option<(u8, bool)>),
    Many { list: Vec<u32>, queue: VecDeque<u16>, set: BTreeSet<u8>, map: BTreeMap<u8, Vec<bool>> },
}

state_codec::value!(enum Shape {
    0 = Nothing,
    1 = Number(number),
    2 = Signed(number),
    3 = Wide(number),
    4 = Float(number),
    5 = Text(text),
    6 = Maybe(value),
    7 = Many { list, queue, set, map },
});

fn shape() -> impl Strategy<Value = Shape> {
    use prop::collection::{btree_map, btree_set, vec, vec_deque};
    let many = (vec(any::<u32>(), 0..9), vec_deque(any::<u16>(), 0..9), btree_set(any::<u8>(), 0..9));
    prop_oneof![
        Just(Shape::Nothing),
        any::<u64>().prop_map(Shape::Number),
        any::<i64>().prop_map(Shape::Signed),
        any::<u128>().prop_map(Shape::Wide),
        (-1e300..1e300).prop_map(Shape::Float),
        ".*".prop_map(Shape::Text),
        any::<Option<(u8, bool)>>().prop_map(Shape::Maybe),
        (many, btree_map(any::<u8>(), vec(any::<bool>(), 0..4), 0..4))
            .prop_map(|((list, queue, set), map)| Shape::Many { list, queue, set, map }),
    ]
}

fn saved(value: &impl Value) -> Vec<u8> {
    let mut to = StateWriter::new();
    value.put(&mut to);
    to.into_bytes()
}

fn loaded<T: Value>(bytes: &[u8]) -> Result<T, StateError> {
    let mut from = StateReader::new(bytes);
    let value = T::take(&mut from)?;
    from.finish()?;
    Ok(value)
}

proptest! {
    #[test]
    fn values_are_loaded_as_they_were_saved(shapes in prop::collection::vec(shape(), 0..20)) {
        let bytes = saved(&shapes);
        prop_assert_eq!(loaded::<Vec<Shape>>(&bytes), Ok(shapes.clone()));
        let mut others = vec![Shape::Nothing; 3];
        prop_assert_eq!(others.replace(&mut StateReader::new(&bytes)), Ok(()));
        prop_assert_eq!(others, shapes);
    }

    #[test]
    fn shorter_and_longer_bytes_are_refused(shapes in prop::collection::vec(shape(), 1..9), cut: prop::sample::Index) {
        let mut bytes = saved(&shapes);
        let cut = cut.index(bytes.len());
        prop_assert!(loaded::<Vec<Shape>>(&bytes[..cut]).is_err());
        bytes.push(0);
        prop_assert!(loaded::<Vec<Shape>>(&bytes).is_err());
    }

    #[test]
    fn no_bytes_make_a_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = loaded::<Vec<Shape>>(&bytes);
        let _ = loaded::<Pcg64Mcg>(&bytes);
        let _ = loaded::<[Option<u16>; 3]>(&bytes);
    }

    /// The memory of a heap is a state, too: what comes out first among equals may depend on it.
    #[test]
    fn heaps_keep_the_order_of_their_memory(numbers in prop::collection::vec(0..9_u64, 0..99), pops in 0..20_usize) {
        let mut heap: BinaryHeap<Reverse<u64>> = numbers.into_iter().map(Reverse).collect();
        for _ in 0..pops {
            heap.pop();
        }
        let other: BinaryHeap<Reverse<u64>> = loaded(&saved(&heap)).unwrap();
        prop_assert!(heap.iter().eq(other.iter()));
    }

    #[test]
    fn streams_continue(seed: u128, draws in 0..99_usize) {
        let mut stream = Pcg64Mcg::new(seed);
        for _ in 0..draws {
            stream.next_u64();
        }
        let mut other: Pcg64Mcg = loaded(&saved(&stream)).unwrap();
        prop_assert_eq!((stream.next_u64(), stream.next_u64()), (other.next_u64(), other.next_u64()));
    }
}

fn refused<T: State + ?Sized>(object: &mut T, bytes: &[u8]) -> String {
    object.load(&mut StateReader::new(bytes)).unwrap_err().to_string()
}

#[test]
fn the_state_of_another_plan_is_refused() {
    let table = saved(&vec![1_u8, 2, 3]);
    assert_eq!([0_u8; 3].as_mut_slice().load(&mut StateReader::new(&table)), Ok(()));
    assert_eq!(
        refused([0_u8; 4].as_mut_slice(), &table),
        "byte 1: a table has another length than the plan gives it"
    );
    assert_eq!(
        refused(&mut None::<u8>, &saved(&Some(1_u8))),
        "byte 1: the plan and the state differ in an object that not every plan has"
    );
    assert_eq!(refused(&mut 0_u8, &[]), "it ends too early, at byte 0");
    assert_eq!(refused(&mut 0_u8, &saved(&256_u16)), "byte 2: an integer is too large");
    assert_eq!(refused(&mut 0_u64, &[0xff; 10]), "byte 10: an integer has more than 64 bits");
    assert_eq!(refused(&mut Shape::Nothing, &[8]), "byte 1: no variant of Shape");
}

/// Packets of two pools, mentioned in turns, are numbered in the order of first mention, and come into pools of any number.
#[test]
fn packets_are_numbered_by_their_first_mention() {
    let mut to = StateWriter::new();
    to.add_pool(vec![1, 7, 7, 0]);
    to.add_pool(vec![7, 7]);
    to.packet(3);
    assert_eq!(to.successor(3), 0);
    to.enter_pool(1);
    to.packet(1);
    to.enter_pool(0);
    [0, 3, 1].into_iter().for_each(|slot| to.packet(slot));
    assert_eq!(to.bytes(), [0, 1, 2, 0, 3]);

    let mut from = StateReader::new(to.bytes());
    (0..3).for_each(|_| from.add_pool());
    from.enter_pool(2);
    assert_eq!(from.packet(), Ok(0));
    from.enter_pool(1);
    assert_eq!(from.packet(), Ok(0));
    from.enter_pool(2);
    assert_eq!([(); 3].map(|()| from.packet()), [Ok(1), Ok(0), Ok(2)]);
    from.link(1, 2);
    assert_eq!((from.successors(1), from.successors(2)), (&[u32::MAX][..], &[u32::MAX, 2, u32::MAX][..]));

    // A packet is in one pool, and numbers leave no gap.
    for bytes in [[0, 0], [0, 2]] {
        let mut from = StateReader::new(&bytes);
        (0..2).for_each(|_| from.add_pool());
        assert_eq!(from.packet(), Ok(0));
        from.enter_pool(1);
        assert_eq!(from.packet().unwrap_err().to_string(), "byte 2: a packet is not where it is said to be");
    }
}
