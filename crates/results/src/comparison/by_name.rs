//! Items of a run by name, such as its flows or its phases.

use std::collections::BTreeMap;

/// Items by name. The first of several items with the same name counts.
///
/// Rows of a comparison are matched by name. A fabric has a million flows, so each run is read once, not once a row.
pub(super) struct ByName<'a, T>(BTreeMap<&'a str, T>);

impl<'a, T: Copy> ByName<'a, T> {
    pub(super) fn of(items: impl IntoIterator<Item = (&'a str, T)>) -> Self {
        let mut all = BTreeMap::new();
        for (name, item) in items {
            all.entry(name).or_insert(item);
        }
        Self(all)
    }

    pub(super) fn get(&self, name: &str) -> Option<T> {
        self.0.get(name).copied()
    }
}
