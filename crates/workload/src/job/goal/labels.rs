//! Labels of a rank's operations.
//!
//! Invariant: labels `l1`, `l2`, as writers of large files number them, stand in an array by their number, others in a
//! map. A label has one place of the two at any time.

use std::collections::BTreeMap;

use crate::job::graph::OperationId;

/// Operations by label.
#[derive(Debug, Default)]
pub(super) struct Labels {
    /// Operations of `lN` plus one, by N; 0 is free.
    numbered: Vec<u32>,
    named: BTreeMap<Box<[u8]>, OperationId>,
}

/// Largest gap in the numbers of labels that the array bridges.
const GAP: usize = 1 << 16;

impl Labels {
    /// Enters a label. Returns the operation that has it already.
    pub(super) fn enter(&mut self, label: &[u8], operation: OperationId) -> Option<OperationId> {
        if let Some(before) = self.find(label) {
            return Some(before);
        }
        match number(label).filter(|number| *number < self.numbered.len() + GAP) {
            Some(number) => {
                if self.numbered.len() <= number {
                    self.numbered.resize(number + 1, 0);
                }
                self.numbered[number] = operation + 1;
            }
            None => _ = self.named.insert(label.into(), operation),
        }
        None
    }

    /// Returns the operation with a label.
    pub(super) fn find(&self, label: &[u8]) -> Option<OperationId> {
        let entry = number(label).and_then(|number| self.numbered.get(number).copied());
        match entry {
            Some(entry) if entry > 0 => Some(entry - 1),
            // A label whose number was once too far off the others stands in the map.
            _ if self.named.is_empty() => None,
            _ => self.named.get(label).copied(),
        }
    }

    /// Forgets all labels, and keeps the memory for the next rank.
    pub(super) fn clear(&mut self) {
        self.numbered.clear();
        self.named.clear();
    }
}

/// Returns N of `lN` without a leading zero.
fn number(label: &[u8]) -> Option<usize> {
    let digits = label.strip_prefix(b"l")?;
    let plain = !digits.is_empty() && digits.len() < 10 && (digits[0] != b'0' || digits.len() == 1);
    if !plain || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    Some(digits.iter().fold(0, |number, digit| 10 * number + usize::from(digit - b'0')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_with_and_without_numbers_are_told_apart() {
        let mut labels = Labels::default();
        let names: [&[u8]; 8] =
            [b"l999999999", b"l1", b"l01", b"L1", b"l", b"l0", b"l99999999999999999999", b"x"];
        for (operation, name) in (0..).zip(names) {
            assert_eq!(labels.enter(name, operation), None, "{name:?}");
        }
        for (operation, name) in (0..).zip(names) {
            assert_eq!(labels.find(name), Some(operation));
            assert_eq!(labels.enter(name, 99), Some(operation));
        }
        assert_eq!(labels.find(b"l2"), None);
        labels.clear();
        assert_eq!(labels.find(b"l1"), None);
    }
}
