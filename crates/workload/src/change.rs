//! Declared changes of traffic, which a reader of a time series wants marked.

use units::Time;

/// Named flows and hot spots that start or stop at the same instant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrafficChange {
    /// The instant.
    pub at: Time,
    /// Names of the flows, in the order of the scenario: `F1 stops; F2, F3 start`.
    pub what: String,
}
