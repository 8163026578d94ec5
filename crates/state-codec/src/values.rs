//! Values and states of the standard library's types, and of random streams.
//!
//! Invariant: a sequence that is a value is loaded with the length that it had when it was saved. One that is a state keeps the
//! length that the plan gives it, and must have been saved with it.

use core::cmp::Reverse;
use core::num::{NonZeroU8, NonZeroU32, NonZeroU64};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, VecDeque};

use rand_pcg::Pcg64Mcg;

use crate::error::StateError;
use crate::reader::StateReader;
use crate::traits::{State, Value};
use crate::writer::StateWriter;

/// Most elements for which memory is reserved before they are read.
const MOST_RESERVED: usize = 1 << 16;

/// Implements both traits of an unsigned integer.
macro_rules! integers {
    ($($type:ty),*) => {$(
        impl Value for $type {
            fn put(&self, to: &mut StateWriter) {
                to.integer(*self as u64);
            }

            fn take(from: &mut StateReader<'_>) -> Result<Self, StateError> {
                let value = from.integer()?;
                Self::try_from(value).map_err(|_| from.malformed("an integer is too large"))
            }
        }
        crate::value!(@state [] $type);
    )*};
}

integers!(u8, u16, u32, u64, usize);

/// Implements both traits of a type by its bytes.
macro_rules! plain_bytes {
    ($($type:ty),*) => {$(
        impl Value for $type {
            fn put(&self, to: &mut StateWriter) {
                to.raw(&self.to_le_bytes());
            }

            fn take(from: &mut StateReader<'_>) -> Result<Self, StateError> {
                let bytes = from.raw(size_of::<Self>())?;
                Ok(Self::from_le_bytes(bytes.try_into().expect("as many bytes as asked for")))
            }
        }
        crate::value!(@state [] $type);
    )*};
}

plain_bytes!(f64, i64, u128);

impl Value for bool {
    fn put(&self, to: &mut StateWriter) {
        to.tag(u8::from(*self));
    }

    fn take(from: &mut StateReader<'_>) -> Result<Self, StateError> {
        match from.tag()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(from.malformed("a truth value is neither 0 nor 1")),
        }
    }
}

crate::value!(@state [] bool);

/// Implements the value of an integer that is not 0.
macro_rules! non_zero {
    ($($type:ty),*) => {$(
        impl Value for $type {
            fn put(&self, to: &mut StateWriter) {
                self.get().put(to);
            }

            fn take(from: &mut StateReader<'_>) -> Result<Self, StateError> {
                let value = Value::take(from)?;
                Self::new(value).ok_or_else(|| from.malformed("an integer is 0"))
            }
        }
    )*};
}

non_zero!(NonZeroU8, NonZeroU32, NonZeroU64);

impl Value for String {
    fn put(&self, to: &mut StateWriter) {
        self.len().put(to);
        to.raw(self.as_bytes());
    }

    fn take(from: &mut StateReader<'_>) -> Result<Self, StateError> {
        let length = from.length()?;
        let text = from.raw(length)?;
        Self::from_utf8(text.to_vec()).map_err(|_| from.malformed("a text is not UTF-8"))
    }
}

impl<T: Value> Value for Option<T> {
    fn put(&self, to: &mut StateWriter) {
        self.is_some().put(to);
        if let Some(value) = self {
            value.put(to);
        }
    }

    fn take(from: &mut StateReader<'_>) -> Result<Self, StateError> {
        Ok(if bool::take(from)? { Some(T::take(from)?) } else { None })
    }
}

impl<T: Value> Value for Box<T> {
    fn put(&self, to: &mut StateWriter) {
        T::put(self, to);
    }

    fn take(from: &mut StateReader<'_>) -> Result<Self, StateError> {
        T::take(from).map(Self::new)
    }
}

impl<T: Value + Clone> Value for Cow<'_, T> {
    fn put(&self, to: &mut StateWriter) {
        T::put(self, to);
    }

    fn take(from: &mut StateReader<'_>) -> Result<Self, StateError> {
        T::take(from).map(Self::Owned)
    }
}

impl<T: Value> Value for Reverse<T> {
    fn put(&self, to: &mut StateWriter) {
        self.0.put(to);
    }

    fn take(from: &mut StateReader<'_>) -> Result<Self, StateError> {
        T::take(from).map(Self)
    }
}

impl<T: Value, const N: usize> Value for [T; N] {
    fn put(&self, to: &mut StateWriter) {
        self.iter().for_each(|element| element.put(to));
    }

    fn take(from: &mut StateReader<'_>) -> Result<Self, StateError> {
        let elements: Vec<T> = (0..N).map(|_| T::take(from)).collect::<Result<_, _>>()?;
        Ok(elements.try_into().unwrap_or_else(|_| unreachable!("{N} elements were read")))
    }
}

/// Implements the value of a tuple.
macro_rules! tuples {
    ($(($($type:ident $place:tt),*)),*) => {$(
        impl<$($type: Value),*> Value for ($($type,)*) {
            fn put(&self, to: &mut StateWriter) {
                $(self.$place.put(to);)*
            }

            fn take(from: &mut StateReader<'_>) -> Result<Self, StateError> {
                Ok(($($type::take(from)?,)*))
            }
        }
    )*};
}

tuples!((A 0, B 1), (A 0, B 1, C 2));

/// Appends a sequence: its length, then its elements.
fn put_all<'a, T: Value + 'a>(elements: impl ExactSizeIterator<Item = &'a T>, to: &mut StateWriter) {
    elements.len().put(to);
    elements.for_each(|element| element.put(to));
}

/// Reads a sequence.
fn take_all<T: Value>(from: &mut StateReader<'_>) -> Result<Vec<T>, StateError> {
    let length = from.length()?;
    let mut elements = Vec::with_capacity(length.min(MOST_RESERVED));
    for _ in 0..length {
        elements.push(T::take(from)?);
    }
    Ok(elements)
}

impl<T: Value> Value for Vec<T> {
    fn put(&self, to: &mut StateWriter) {
        put_all(self.iter(), to);
    }

    fn take(from: &mut StateReader<'_>) -> Result<Self, StateError> {
        take_all(from)
    }

    /// Keeps the vector's memory, which may have been reserved for the whole run.
    fn replace(&mut self, from: &mut StateReader<'_>) -> Result<(), StateError> {
        self.clear();
        self.append(&mut take_all(from)?);
        Ok(())
    }
}

/// Implements the value of a collection that can be made of a vector of its elements in order.
macro_rules! collections {
    ($([$($bound:ident)?] $type:ty),*) => {$(
        impl<T: Value $(+ $bound)?> Value for $type {
            fn put(&self, to: &mut StateWriter) {
                put_all(self.iter(), to);
            }

            fn take(from: &mut StateReader<'_>) -> Result<Self, StateError> {
                Ok(take_all::<T>(from)?.into_iter().collect())
            }
        }
    )*};
}

// The elements of a heap are in the order of its memory, which is that of a heap: a heap made of them has the same order.
collections!([] VecDeque<T>, [] Box<[T]>, [Ord] BTreeSet<T>, [Ord] BinaryHeap<T>);

impl<K: Value + Ord, V: Value> Value for BTreeMap<K, V> {
    fn put(&self, to: &mut StateWriter) {
        self.len().put(to);
        for (key, value) in self {
            key.put(to);
            value.put(to);
        }
    }

    fn take(from: &mut StateReader<'_>) -> Result<Self, StateError> {
        let length = from.length()?;
        (0..length).map(|_| Ok((K::take(from)?, V::take(from)?))).collect()
    }
}

/// The generator hides its state, which `serde` alone reads.
impl Value for Pcg64Mcg {
    fn put(&self, to: &mut StateWriter) {
        let mut memory = [0; 32];
        let bytes = postcard::to_slice(self, &mut memory).expect("the state of a generator has 16 bytes");
        let length = bytes.len();
        to.tag(length as u8);
        to.raw(&memory[..length]);
    }

    fn take(from: &mut StateReader<'_>) -> Result<Self, StateError> {
        let length = from.tag()?;
        let bytes = from.raw(length.into())?;
        postcard::from_bytes(bytes).map_err(|_| from.malformed("not the state of a random stream"))
    }
}

crate::value!(@state [] Pcg64Mcg);

crate::value!(@state [T: Value + Ord] BinaryHeap<T>);

impl<T: State> State for [T] {
    fn save(&self, to: &mut StateWriter) {
        self.len().put(to);
        self.iter().for_each(|element| element.save(to));
    }

    fn load(&mut self, from: &mut StateReader<'_>) -> Result<(), StateError> {
        if from.integer()? != self.len() as u64 {
            return Err(from.malformed("a table has another length than the plan gives it"));
        }
        self.iter_mut().try_for_each(|element| element.load(from))
    }
}

impl<T: State> State for Vec<T> {
    fn save(&self, to: &mut StateWriter) {
        self.as_slice().save(to);
    }

    fn load(&mut self, from: &mut StateReader<'_>) -> Result<(), StateError> {
        self.as_mut_slice().load(from)
    }
}

impl<T: State + ?Sized> State for Box<T> {
    fn save(&self, to: &mut StateWriter) {
        T::save(self, to);
    }

    fn load(&mut self, from: &mut StateReader<'_>) -> Result<(), StateError> {
        T::load(self, from)
    }
}

impl<T: State> State for Option<T> {
    fn save(&self, to: &mut StateWriter) {
        self.is_some().put(to);
        if let Some(object) = self {
            object.save(to);
        }
    }

    fn load(&mut self, from: &mut StateReader<'_>) -> Result<(), StateError> {
        match (bool::take(from)?, self) {
            (true, Some(object)) => object.load(from),
            (false, None) => Ok(()),
            _ => Err(from.malformed("the plan and the state differ in an object that not every plan has")),
        }
    }
}
