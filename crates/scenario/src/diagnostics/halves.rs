//! Messages that say what is wrong and what would be right in one text.

/// A message of the form `WHAT IS WRONG: WHAT WOULD BE RIGHT`, in its two halves.
pub(crate) fn in_two(message: &str) -> (String, Option<String>) {
    match message.rsplit_once(": ") {
        Some((wrong, right)) => (wrong.to_owned(), Some(right.to_owned())),
        None => (message.to_owned(), None),
    }
}
