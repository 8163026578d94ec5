//! Points of the unit cube, in which all methods search.
//!
//! Invariant: every coordinate is at least 0 and below 1.

/// A point of the unit cube, a coordinate for each parameter.
#[derive(Clone, Debug, PartialEq, PartialOrd)]
pub struct Point(Vec<f64>);

/// Largest coordinate.
const LARGEST: f64 = 1.0 - f64::EPSILON;

impl Point {
    /// Makes a point. Coordinates outside the cube are moved to its border.
    ///
    /// # Panics
    /// If a coordinate is not a number.
    #[must_use]
    pub fn new(coordinates: Vec<f64>) -> Self {
        assert!(coordinates.iter().all(|at| !at.is_nan()), "a coordinate is a number: {coordinates:?}");
        Self(coordinates.into_iter().map(|at| at.clamp(0.0, LARGEST)).collect())
    }

    /// Returns the coordinates.
    #[must_use]
    pub fn coordinates(&self) -> &[f64] {
        &self.0
    }

    /// Returns the point with a coordinate moved by `distance`, and held at the border.
    #[must_use]
    pub fn moved(&self, dimension: usize, distance: f64) -> Self {
        let mut coordinates = self.0.clone();
        coordinates[dimension] += distance;
        Self::new(coordinates)
    }
}
