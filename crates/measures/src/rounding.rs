//! Numbers without digits that have no meaning.

/// Rounds `value` to a number of decimals.
///
/// ```
/// assert_eq!(measures::rounded(2.346, 2), 2.35);
/// ```
#[must_use]
pub fn rounded(value: f64, decimals: i32) -> f64 {
    let scale = 10f64.powi(decimals);
    (value * scale).round() / scale
}
