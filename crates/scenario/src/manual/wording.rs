//! Documentation comments as the manual prints them.
//!
//! Invariant: no word of Rust is left: a link keeps its text, the path of an item its last name, and examples of code are
//! left out.

use serde_json::Value;

use super::kind::present;
use crate::format::schema::{SCHEMA, resolved};

/// Returns the description of a field, a type or a choice, as one paragraph.
pub(super) fn about(schema: &Value) -> String {
    let own = schema.get("description").and_then(Value::as_str);
    let text =
        own.or_else(|| resolved(schema).get("description").and_then(Value::as_str)).unwrap_or_default();
    match referred(text) {
        Some(other) => about(other),
        None => plain(text),
    }
}

/// Returns the description of a value's type; empty if the value has no description of its own, which [`about`] then
/// takes from the type.
pub(super) fn about_type(schema: &Value) -> String {
    let of_type = resolved(present(schema));
    let text = of_type.get("description").and_then(Value::as_str).map(plain).unwrap_or_default();
    if text == about(schema) { String::new() } else { text }
}

/// Returns the field whose description stands for this one: `` As in [`TYPE::FIELD`]. ``
fn referred(text: &str) -> Option<&'static Value> {
    let path = text.strip_prefix("As in [`")?.strip_suffix("`].")?;
    let (owner, field) = path.split_once("::")?;
    SCHEMA["$defs"].get(owner)?.get("properties")?.get(field)
}

/// Returns the text as one paragraph, without links and examples.
fn plain(text: &str) -> String {
    let mut code = false;
    let prose = text.lines().filter(|line| {
        let fence = line.trim_start().starts_with("```");
        code ^= fence;
        !code && !fence
    });
    let words: Vec<_> = prose.flat_map(str::split_whitespace).collect();
    without_links(&words.join(" "))
}

/// Returns the text with each link replaced by its text, and each path of an item by its last name.
fn without_links(text: &str) -> String {
    let Some((before, rest)) = text.split_once('[') else { return text.to_owned() };
    let linked = |rest: &str| {
        let (label, after) = rest.split_once(']')?;
        let target = after.strip_prefix('(').and_then(|after| after.split_once(')'));
        let name = label.strip_prefix('`').and_then(|label| label.strip_suffix('`'));
        match (target, name) {
            (_, Some(path)) => {
                let last = path.rsplit("::").next().unwrap_or(path);
                Some((format!("`{last}`"), target.map_or(after, |(_, after)| after).to_owned()))
            }
            (Some((_, after)), None) => Some((label.to_owned(), after.to_owned())),
            (None, None) => None,
        }
    };
    // Brackets in code are no links.
    let in_code = before.matches('`').count() % 2 == 1;
    match linked(rest).filter(|_| !in_code) {
        Some((shown, after)) => format!("{before}{shown}{}", without_links(&after)),
        None => {
            let (until, after) = rest.split_at(rest.find('`').filter(|_| in_code).map_or(0, |end| end + 1));
            format!("{before}[{until}{}", without_links(after))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_replaced_by_their_text() {
        assert_eq!(plain("See [`A::b`],\nor [`C`](crate::C), [d](e)."), "See `b`, or `C`, d.");
        assert_eq!(plain("`d[i] = s[(i + 1) mod b]`: as [`A`]."), "`d[i] = s[(i + 1) mod b]`: as `A`.");
        assert_eq!(plain("A list [1, 2] and `x[2]`"), "A list [1, 2] and `x[2]`");
    }

    #[test]
    fn examples_of_code_are_left_out() {
        assert_eq!(plain("Two switches.\n\n```\nlet two = 2;\n```\nMore."), "Two switches. More.");
    }
}
