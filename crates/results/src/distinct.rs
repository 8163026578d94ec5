//! Items without their repetitions.

use std::collections::BTreeSet;

/// Returns each item once, in the order of first appearance.
pub fn distinct<T: Ord + Copy>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut known = BTreeSet::new();
    items.into_iter().filter(|item| known.insert(*item)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_item_stands_once_where_it_came_first() {
        assert_eq!(distinct(["b", "a", "b", "c", "a"]), ["b", "a", "c"]);
    }
}
