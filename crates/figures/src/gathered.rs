//! Rows of a file by the object that they are about.
//!
//! Invariant: objects are in the order of their first rows, and the rows of an object in the order of the file.

use std::collections::BTreeMap;

use results::rows::PortSeriesRow;

pub(super) fn by_object<Name: Ord + Clone, Row>(
    rows: impl IntoIterator<Item = Row>,
    name: impl Fn(&Row) -> Name,
) -> Vec<(Name, Vec<Row>)> {
    let (mut places, mut objects) = (BTreeMap::new(), Vec::<(Name, Vec<Row>)>::new());
    for row in rows {
        let name = name(&row);
        let place = *places.entry(name.clone()).or_insert(objects.len());
        if place == objects.len() {
            objects.push((name, Vec::new()));
        }
        objects[place].1.push(row);
    }
    objects
}

/// Gathers the rows of each object, and returns them with the sum of a value over them, largest sum first.
pub(super) fn by_sum<Row>(
    rows: impl IntoIterator<Item = Row>,
    name: impl Fn(&Row) -> String,
    value: impl Fn(&Row) -> f64,
) -> Vec<(String, f64, Vec<Row>)> {
    let sum = |rows: &[Row]| rows.iter().map(&value).sum();
    let objects = by_object(rows, name).into_iter();
    let mut sums: Vec<(String, f64, Vec<Row>)> =
        objects.map(|(name, rows)| (name, sum(&rows), rows)).collect();
    sums.sort_by(|one, other| other.1.total_cmp(&one.1));
    sums
}

/// Returns the time in seconds from sample to sample, which is the first sample's time; infinite if there is no sample.
pub(super) fn interval(samples: &[PortSeriesRow<'_>]) -> f64 {
    samples.iter().map(|sample| sample.time_s).filter(|time| *time > 0.0).fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_and_rows_keep_their_order() {
        let gathered = by_object([("b", 1), ("a", 2), ("b", 3)], |row| row.0);
        assert_eq!(gathered, [("b", vec![("b", 1), ("b", 3)]), ("a", vec![("a", 2)])]);
    }

    #[test]
    fn the_largest_sum_comes_first() {
        let rows = [("b", 1.0), ("a", 3.0), ("b", 1.5), ("c", 3.0)];
        let sums = by_sum(rows, |row| row.0.to_owned(), |row| row.1);
        let sums: Vec<_> = sums.iter().map(|(name, sum, rows)| (name.as_str(), *sum, rows.len())).collect();
        assert_eq!(sums, [("a", 3.0, 1), ("c", 3.0, 1), ("b", 2.5, 2)]);
    }
}
