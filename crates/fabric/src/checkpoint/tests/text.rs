//! The `Debug` text of a run, without differences that a run loaded from its state may have.
//!
//! Invariant: only names of packets and messages may differ, which are slots in the pool and keys. The text numbers
//! them in the order in which a node mentions them. Their contents, and the events, show in the state's bytes.

use std::collections::BTreeMap;

use crate::run::Run;

/// Returns the text of a run's nodes, instruments, and watch for its end, with a field in each line.
pub(super) fn of(run: &Run<'_>) -> String {
    let adapters = run.world.adapters().map(|adapter| numbered(format!("{adapter:?}")));
    let switches = run.world.switches().map(|(_, switch)| numbered(format!("{switch:?}")));
    let rest = format!("{:?}\n{:?}", run.instruments, run.until_done);
    let all: Vec<String> = adapters.chain(switches).chain([rest]).collect();
    all.join("\n").replace(", ", ",\n")
}

/// Returns the text of a node with its packets and messages numbered. The text leaves out the messages themselves,
/// since they are in the order of their keys. It also leaves out the tails of empty queues, which mean nothing.
fn numbered(mut text: String) -> String {
    for (field, brackets) in [("messages: Messages {", ['{', '}']), ("ages: Some(MessageAges {", ['{', '}'])]
    {
        if let Some(begin) = text.find(field) {
            let end = end_of(&text, begin, brackets);
            text.replace_range(begin..end, field);
        }
    }
    let none = "PacketQueue { head: PacketId(4294967295), tail: PacketId(";
    let mut pieces = text.split(none);
    let first = pieces.next().unwrap_or_default().to_owned();
    let without = |piece: &str| piece.find(')').map_or(String::new(), |end| piece[end + 1..].to_owned());
    let text = pieces.fold(first, |text, piece| format!("{text}PacketQueue {{ none{}", without(piece)));
    ["PacketId(", "MessageKey("].iter().fold(text, |text, name| renamed(&text, name))
}

/// Returns the position after the bracket that closes the first bracket from `begin` on.
fn end_of(text: &str, begin: usize, [open, close]: [char; 2]) -> usize {
    let mut depth = 0;
    for (at, letter) in text[begin..].char_indices() {
        depth += i32::from(letter == open) - i32::from(letter == close);
        if depth == 0 && letter == close {
            return begin + at + 1;
        }
    }
    text.len()
}

/// Returns the text with everything called `name` numbered in the order of first mention.
fn renamed(text: &str, name: &str) -> String {
    let mut numbers = BTreeMap::new();
    let mut pieces = text.split(name);
    let first = pieces.next().unwrap_or_default().to_owned();
    pieces.fold(first, |text, piece| {
        let (id, rest) = piece.split_once(')').unwrap_or((piece, ""));
        let next = numbers.len();
        let number = *numbers.entry(id.to_owned()).or_insert(next);
        text + name + "#" + &number.to_string() + ")" + rest
    })
}
