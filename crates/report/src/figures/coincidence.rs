//! Lines of a figure that coincide: the first is drawn widest, so that each can be seen.
//!
//! Invariant: every stretch contains the first row of the next one, so that a line has no gaps except where it has no
//! values.

use core::ops::Range;

/// Number of rows before and after a row for which lines have to stay near one another to coincide.
const LASTING: usize = 3;

/// The value of a line in each row; `None` where it has none.
pub(crate) type LinePoints = Vec<Option<f64>>;

/// Consecutive rows of a line over which the same number of other lines cover it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LineStretch {
    /// Rows of the stretch.
    pub rows: Range<usize>,
    /// Number of lines that cover it.
    pub covered: u32,
}

/// Returns the stretches of the first of these lines. The others are drawn after it, and cover it where their distance is
/// at most `near`. Lines that only meet or cross do not count.
pub(crate) fn stretches(lines: &[LinePoints], near: f64) -> Vec<LineStretch> {
    let Some((line, later)) = lines.split_first() else { return Vec::new() };
    let covered = covered(line, later, near);
    let mut stretches: Vec<LineStretch> = Vec::new();
    for row in (0..line.len()).filter(|row| line[*row].is_some()) {
        match stretches.last_mut() {
            Some(last) if last.rows.end == row => {
                last.rows.end += 1;
                if covered[row] != last.covered {
                    stretches.push(LineStretch { rows: row..row + 1, covered: covered[row] });
                }
            }
            _ => stretches.push(LineStretch { rows: row..row + 1, covered: covered[row] }),
        }
    }
    stretches
}

fn covered(line: &LinePoints, later: &[LinePoints], near: f64) -> Vec<u32> {
    let is_near = |other: &LinePoints, row: usize| match (line[row], other.get(row)) {
        (Some(own), Some(Some(other))) => (own - other).abs() <= near,
        _ => false,
    };
    let count = |row| later.iter().filter(|other| is_near(other, row)).count() as u32;
    let counts: Vec<_> = (0..line.len()).map(count).collect();
    let lasting = |row: usize| {
        let around = row.saturating_sub(LASTING)..(row + LASTING + 1).min(counts.len());
        counts[around].iter().copied().min().unwrap_or_default()
    };
    (0..counts.len()).map(lasting).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flat(first: usize) -> LinePoints {
        (0..12).map(|row| (row >= first).then_some(5.0)).collect()
    }

    #[test]
    fn a_line_is_covered_where_a_later_one_stays_upon_it() {
        let crossing: LinePoints = (0..12).map(|row| Some(f64::from(row).min(9.0))).collect();
        assert_eq!(covered(&flat(0), &[crossing], 0.06), [0; 12]);
        assert_eq!(covered(&flat(0), &[flat(2)], 0.06), [0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1]);
    }

    #[test]
    fn stretches_end_where_the_count_changes_and_at_gaps() {
        let stretch = |rows, covered| LineStretch { rows, covered };
        assert_eq!(stretches(&[flat(0), flat(2)], 0.06), [stretch(0..6, 0), stretch(5..12, 1)]);
        assert_eq!(stretches(&[flat(4)], 0.06), [stretch(4..12, 0)]);
        let gap = vec![Some(1.0), None, Some(2.0), Some(3.0)];
        assert_eq!(stretches(&[gap], 0.06), [stretch(0..1, 0), stretch(2..4, 0)]);
        assert_eq!(stretches(&[], 0.06), []);
    }
}
