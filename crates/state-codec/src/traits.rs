//! Values and objects that have a state.

use crate::error::StateError;
use crate::reader::StateReader;
use crate::writer::StateWriter;

/// A type that is saved and loaded as a whole.
pub trait Value: Sized {
    /// Appends the value.
    fn put(&self, to: &mut StateWriter);

    /// Reads a value.
    ///
    /// # Errors
    /// If the next bytes are none.
    fn take(from: &mut StateReader<'_>) -> Result<Self, StateError>;

    /// Reads a value in place of this one, whose memory it may keep.
    ///
    /// # Errors
    /// If the next bytes are no value. This one is then unspecified.
    fn replace(&mut self, from: &mut StateReader<'_>) -> Result<(), StateError> {
        *self = Self::take(from)?;
        Ok(())
    }
}

/// A type of which a part is built from the plan, and not saved.
pub trait State {
    /// Appends the state.
    fn save(&self, to: &mut StateWriter);

    /// Replaces the state of an object that has been built from the same plan.
    ///
    /// # Errors
    /// If the next bytes are not the state of such an object. Its state is then unspecified.
    fn load(&mut self, from: &mut StateReader<'_>) -> Result<(), StateError>;
}
