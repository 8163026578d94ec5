//! Names of nodes.
//!
//! Invariant: names differ, are not empty, and are accepted by the rule for names. They hold nothing that means
//! something else in a scenario: `*`, `?`, `..`, double quotes. A name of a stranger is changed, and never refused with
//! the whole cluster.

use core::cmp::Ordering;
use std::collections::BTreeMap;

use names::rule;

/// Returns a name without the characters that mean something else in a scenario.
pub(crate) fn plain(name: &str) -> String {
    let letter = |letter: char| match letter {
        '*' | '?' | '"' | '\\' => '_',
        letter => letter,
    };
    let name: String = rule::plain(name.trim()).chars().map(letter).collect();
    // A name may have been cut after a blank.
    name.replace("..", "__").trim_end().to_owned()
}

/// Returns the host in the name of an adapter, as Linux gives it: `node-1` of `node-1 HCA-1` and `node-1 mlx5_0`;
/// `None` for another name.
pub(super) fn host_part(name: &str) -> Option<&str> {
    const ADAPTERS: [&str; 6] = ["HCA-", "mlx5_", "mlx4_", "mthca", "qib", "hfi1_"];
    let (host, adapter) = name.rsplit_once(' ')?;
    let is_number = |rest: &str| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit());
    let is_adapter = ADAPTERS.iter().any(|prefix| adapter.strip_prefix(prefix).is_some_and(is_number));
    Some(host.trim_end()).filter(|host| is_adapter && !host.is_empty())
}

/// Makes names differ: a name of several nodes gets what stands behind it, a GUID, and a count if that is not enough.
pub(crate) fn distinct(names: &mut [(String, String)]) -> usize {
    let mut changed = 0;
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    names.iter().for_each(|(name, _)| *counts.entry(name.clone()).or_default() += 1);
    for (name, more) in names.iter_mut().filter(|(name, _)| counts[name] > 1) {
        *name = extended(name, &format!(" {more}"));
        changed += 1;
    }
    let mut taken: BTreeMap<String, usize> = BTreeMap::new();
    for (name, _) in names {
        let mut own = name.clone();
        while let Some(before) = taken.get_mut(&own) {
            *before += 1;
            own = extended(name, &format!(" ({before})"));
        }
        taken.insert(own.clone(), 1);
        *name = own;
    }
    changed
}

/// Returns a name with more at its end. A name that would be too long then is cut before that.
fn extended(name: &str, more: &str) -> String {
    let room = rule::LONGEST.saturating_sub(more.chars().count());
    let extended: String = name.chars().take(room).chain(more.chars()).collect();
    // Cells of tables do not begin with blanks.
    extended.trim_start().to_owned()
}

/// Compares names with their numbers as numbers: `node-2` before `node-10`.
pub(crate) fn natural(a: &str, b: &str) -> Ordering {
    let (mut a, mut b) = (pieces(a), pieces(b));
    loop {
        match (a.next(), b.next()) {
            (None, None) => return Ordering::Equal,
            (None, _) => return Ordering::Less,
            (_, None) => return Ordering::Greater,
            (Some(a), Some(b)) => match a.cmp(&b) {
                Ordering::Equal => {}
                order => return order,
            },
        }
    }
}

/// Splits a name into pieces that compare as they should: digits by their value, then their number, before other text.
fn pieces(name: &str) -> impl Iterator<Item = (bool, usize, &str, usize)> {
    let mut rest = name;
    core::iter::from_fn(move || {
        let digits = rest.chars().next()?.is_ascii_digit();
        let end = rest.find(|letter: char| letter.is_ascii_digit() != digits).unwrap_or(rest.len());
        let (piece, behind) = rest.split_at(end);
        rest = behind;
        let value = if digits { piece.trim_start_matches('0') } else { piece };
        Some((!digits, if digits { value.len() } else { 0 }, value, piece.len()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_names_count_as_numbers() {
        let mut names = ["node-10", "node-2", "node-02", "node", "leaf1", "node-2b", "9"];
        names.sort_by(|a, b| natural(a, b));
        assert_eq!(names, ["9", "leaf1", "node", "node-2", "node-2b", "node-02", "node-10"]);
    }

    #[test]
    fn the_host_is_the_part_before_an_adapter() {
        for (name, host) in [
            ("node-1 HCA-1", Some("node-1")),
            ("r1 n7 mlx5_10", Some("r1 n7")),
            ("node-1  qib0", Some("node-1")),
            ("node-1 HCA-", None),
            ("node-1 HCA-1a", None),
            ("node-1", None),
            (" HCA-1", None),
            ("MT4119 ConnectX5   Mellanox Technologies", None),
        ] {
            assert_eq!(host_part(name), host, "{name}");
        }
    }

    #[test]
    fn names_are_made_plain_and_distinct() {
        assert_eq!(plain(" MF0;sw*1:\"x\"..\t "), "MF0;sw_1:_x___");
        assert_eq!(plain("node\u{1b}[31m\u{202e}\u{9b}1\u{2028}"), "node_[31m__1");
        for real in
            ["node-01 HCA-1", "SwitchX -  Mellanox Technologies", "MF0;sw:MSB7700/U1", "'r1i0n0' #2 (left)"]
        {
            assert_eq!(plain(real), real);
        }
        let name = |name: &str, more: &str| (name.to_owned(), more.to_owned());
        let mut names = [name("sw", "a1"), name("x", ""), name("sw", "a2"), name("y", "b"), name("y", "b")];
        assert_eq!(distinct(&mut names), 4);
        let names: Vec<_> = names.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["sw a1", "x", "sw a2", "y b", "y b (2)"]);
        let mut names = [name("", "c"), name("", "d")];
        assert_eq!((distinct(&mut names), &*names[0].0, &*names[1].0), (2, "c", "d"));
        let long = "x".repeat(rule::LONGEST);
        assert_eq!(plain(&format!("{} y", &long[1..])), &long[1..]);
        let mut names = [name(&long, "é1"), name(&long, "é2"), name(&long, "é2")];
        assert_eq!(distinct(&mut names), 3);
        let ends = [" é1", " é2", " (2)"];
        for ((name, _), end) in names.iter().zip(ends) {
            assert_eq!((rule::check(name), name.ends_with(end)), (Ok(()), true), "{name}");
        }
    }
}
