//! The scanner: from RON text to its values, or to the first flaw in its brackets, quotes and commas.
//!
//! Invariant: every text that the RON parser accepts can be scanned. The scanner finds the beginning and the end of
//! values, not their meaning.

use core::ops::Range;

use settings::{FieldPath, PathStep};

use super::flaw::{SyntaxFlaw, SyntaxFlawKind};
use super::node::{NamedNode, NodeShape, TextNode, first_line, unquoted};

/// Scans a whole scenario.
pub(crate) fn document(text: &str) -> Result<TextNode, SyntaxFlaw> {
    let mut scanner = Scanner::new(text);
    scanner.skip_attributes()?;
    if scanner.rest().is_empty() {
        return Err(SyntaxFlaw { kind: SyntaxFlawKind::NotAScenario, ..scanner.unclosed() });
    }
    let node = scanner.value()?;
    if !matches!(node.shape, NodeShape::Fields(_)) {
        return Err(scanner.flaw(first_line(text, node.span), SyntaxFlawKind::NotAScenario));
    }
    scanner.end()?;
    Ok(node)
}

/// Scans a single value.
pub(crate) fn single(text: &str) -> Result<TextNode, SyntaxFlaw> {
    let mut scanner = Scanner::new(text);
    let node = scanner.value()?;
    scanner.end()?;
    Ok(node)
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
    open: Vec<(char, usize)>,
    path: FieldPath,
}

/// Most brackets that may be open at once: each takes part of the stack, and of that of the reader of values.
const MOST_OPEN: usize = 100;

type ScanResult<T> = Result<T, SyntaxFlaw>;

impl<'a> Scanner<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, at: 0, open: Vec::new(), path: FieldPath::default() }
    }

    fn end(&mut self) -> ScanResult<()> {
        self.skip()?;
        match self.rest() {
            "" => Ok(()),
            _ => Err(self.flaw(first_line(self.text, self.at..self.text.len()), SyntaxFlawKind::AfterEnd)),
        }
    }

    fn value(&mut self) -> ScanResult<TextNode> {
        self.skip()?;
        let start = self.at;
        if self.open.len() >= MOST_OPEN {
            return Err(self.flaw(start..start, SyntaxFlawKind::TooDeep));
        }
        match self.peek() {
            None => Err(self.unclosed()),
            Some('[') => self
                .values('[', ']', start, false)
                .map(|(span, all)| TextNode { span, shape: NodeShape::List(all) }),
            Some('{') => {
                self.items('{', '}', start).map(|(span, all)| TextNode { span, shape: NodeShape::Map(all) })
            }
            Some('(') => self.group(start),
            Some('\'') => self.character(start),
            Some(_) if self.begins_text() => self.quoted(start),
            Some(_) => self.bare(start),
        }
    }

    /// Scans parentheses: fields, or values without names.
    fn group(&mut self, start: usize) -> ScanResult<TextNode> {
        let mut ahead = Self { at: self.at + 1, path: FieldPath::default(), open: Vec::new(), ..*self };
        ahead.skip()?;
        if matches!(ahead.peek(), Some(')')) || ahead.begins_field()? {
            return self
                .items('(', ')', start)
                .map(|(span, all)| TextNode { span, shape: NodeShape::Fields(all) });
        }
        let named = self.at > start;
        let (span, values) = self.values('(', ')', start, named)?;
        Ok(TextNode { span, shape: NodeShape::Tuple { named, values } })
    }

    /// Scans a sequence of values. The first value after a name is one with that name, and has its path.
    fn values(
        &mut self,
        open: char,
        close: char,
        start: usize,
        named: bool,
    ) -> ScanResult<(Range<usize>, Vec<TextNode>)> {
        self.enter(open);
        let mut values = Vec::new();
        while !self.leaves(close)? {
            let one_with_name = named && values.is_empty();
            if !one_with_name {
                self.path.push(PathStep::Index(values.len()));
            }
            let value = self.value()?;
            if self.rest().trim_start().starts_with(':') {
                let name = self.text[value.span.clone()].to_owned();
                if !one_with_name {
                    self.path.pop();
                }
                return Err(self.flaw(first_line(self.text, value.span), SyntaxFlawKind::Named { name }));
            }
            values.push(value);
            self.separated(close)?;
            if !one_with_name {
                self.path.pop();
            }
        }
        Ok((start..self.at, values))
    }

    fn items(&mut self, open: char, close: char, start: usize) -> ScanResult<(Range<usize>, Vec<NamedNode>)> {
        self.enter(open);
        let mut items: Vec<NamedNode> = Vec::new();
        while !self.leaves(close)? {
            let (key, key_span) = self.key()?;
            self.path.push(PathStep::Name(key.clone()));
            if items.iter().any(|item| item.key == key) {
                return Err(self.flaw(key_span, SyntaxFlawKind::Twice { name: key }));
            }
            let value = self.value()?;
            items.push(NamedNode { key, key_span, value });
            self.separated(close)?;
            self.path.pop();
        }
        Ok((start..self.at, items))
    }

    /// Scans a field's name or a map's key, and the colon after it.
    fn key(&mut self) -> ScanResult<(String, Range<usize>)> {
        let start = self.at;
        let node = if self.begins_text() { self.quoted(start)? } else { self.bare(start)? };
        let written = &self.text[node.span.clone()];
        self.skip()?;
        if self.peek() != Some(':') {
            if self.rest().is_empty() {
                return Err(self.unclosed());
            }
            let span = first_line(self.text, node.span);
            let found = self.text[span.clone()].to_owned();
            return Err(self.flaw(span, SyntaxFlawKind::NoField { found }));
        }
        self.at += 1;
        Ok((unquoted(written), node.span))
    }

    /// Scans a number, a name with any parentheses after it, or several words without quotes.
    fn bare(&mut self, start: usize) -> ScanResult<TextNode> {
        let rest = self.rest();
        let stop = |c| matches!(c, ',' | '(' | ')' | '[' | ']' | '{' | '}' | ':' | '"' | '\n');
        let mut end = rest.find(stop).unwrap_or(rest.len());
        if rest[..end].contains('/') {
            end = ["//", "/*"].iter().filter_map(|comment| rest[..end].find(comment)).min().unwrap_or(end);
        }
        let word = rest[..end].trim_end();
        if word.is_empty() {
            let shown = self.at..self.at + rest.chars().next().map_or(0, char::len_utf8);
            return Err(self.flaw(shown, SyntaxFlawKind::NoValue));
        }
        self.at += end;
        if self.peek() == Some('(') && is_name(word) {
            return self.group(start);
        }
        self.at = start + word.len();
        Ok(TextNode { span: start..self.at, shape: NodeShape::Scalar })
    }

    fn begins_text(&self) -> bool {
        let rest = self.rest();
        if !rest.starts_with(['"', 'b', 'r']) {
            return false;
        }
        let after_b = rest.strip_prefix('b').unwrap_or(rest);
        let raw = after_b.strip_prefix('r').map(|raw| raw.trim_start_matches('#'));
        after_b.starts_with('"') || raw.is_some_and(|raw| raw.starts_with('"'))
    }

    fn quoted(&mut self, start: usize) -> ScanResult<TextNode> {
        let rest = self.rest();
        let opening = rest.find('"').unwrap_or_default();
        let prefix = &rest[..opening];
        let hashes = prefix.matches('#').count();
        let body = &rest[opening + 1..];
        let length = if prefix.contains('r') {
            let closing = format!("\"{}", "#".repeat(hashes));
            body.find(&closing).map(|end| end + closing.len())
        } else {
            end_of_escaped(body, '"')
        };
        let Some(length) = length else {
            let shown = first_line(self.text, start..self.text.len());
            return Err(self.flaw(shown, SyntaxFlawKind::UnclosedText));
        };
        self.at += opening + 1 + length;
        Ok(TextNode { span: start..self.at, shape: NodeShape::Scalar })
    }

    fn character(&mut self, start: usize) -> ScanResult<TextNode> {
        let Some(length) = end_of_escaped(&self.rest()[1..], '\'') else {
            return Err(
                self.flaw(first_line(self.text, start..self.text.len()), SyntaxFlawKind::UnclosedText)
            );
        };
        self.at += 1 + length;
        Ok(TextNode { span: start..self.at, shape: NodeShape::Scalar })
    }

    /// Returns true if a name and a colon come next.
    fn begins_field(&self) -> ScanResult<bool> {
        let rest = self.rest();
        let after = rest.trim_start_matches(|c: char| c.is_alphanumeric() || "_#+-.".contains(c));
        let mut ahead = Scanner { at: self.text.len() - after.len(), ..Self::new(self.text) };
        ahead.skip()?;
        Ok(after.len() < rest.len() && ahead.peek() == Some(':'))
    }

    fn enter(&mut self, open: char) {
        self.open.push((open, self.at));
        self.at += 1;
    }

    /// Goes past the closing bracket, and returns true, if the innermost bracket is closed next.
    fn leaves(&mut self, close: char) -> ScanResult<bool> {
        self.skip()?;
        match self.peek() {
            None => Err(self.unclosed()),
            Some(found) if found == close => {
                self.at += 1;
                self.open.pop();
                Ok(true)
            }
            Some(found) if ")]}".contains(found) => {
                let (bracket, opened) = *self.open.last().expect("within a bracket");
                Err(self.flaw(self.at..self.at + 1, SyntaxFlawKind::Mismatch { found, bracket, opened }))
            }
            Some(_) => Ok(false),
        }
    }

    /// Goes past the comma after a value, unless the bracket is closed next.
    fn separated(&mut self, close: char) -> ScanResult<()> {
        let end = self.at;
        self.skip()?;
        match self.peek() {
            Some(',') => {
                self.at += 1;
                Ok(())
            }
            None => Err(self.unclosed()),
            Some(next) if next == close || ")]}".contains(next) => Ok(()),
            Some(_) => {
                let last = self.text[..end].char_indices().next_back().map_or(0, |(at, _)| at);
                Err(self.flaw(last..end, SyntaxFlawKind::MissingComma))
            }
        }
    }

    /// Goes past blanks and comments.
    fn skip(&mut self) -> ScanResult<()> {
        loop {
            match self.text.as_bytes().get(self.at) {
                Some(byte) if byte.is_ascii_whitespace() => self.at += 1,
                Some(b'/') if self.rest().starts_with("//") => {
                    self.at += self.rest().find('\n').unwrap_or(self.rest().len());
                }
                Some(b'/') if self.rest().starts_with("/*") => {
                    let Some(length) = block_comment(self.rest()) else {
                        let shown = first_line(self.text, self.at..self.text.len());
                        return Err(self.flaw(shown, SyntaxFlawKind::UnclosedComment));
                    };
                    self.at += length;
                }
                // Blanks beyond ASCII are rare.
                Some(..b' ' | 0x80..) if self.rest().starts_with(char::is_whitespace) => {
                    self.at += self.rest().len() - self.rest().trim_start().len();
                }
                _ => return Ok(()),
            }
        }
    }

    fn skip_attributes(&mut self) -> ScanResult<()> {
        self.skip()?;
        while self.rest().starts_with("#!") {
            self.at += self.rest().find(']').map_or(self.rest().len(), |end| end + 1);
            self.skip()?;
        }
        Ok(())
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        match self.text.as_bytes().get(self.at)? {
            byte if byte.is_ascii() => Some(char::from(*byte)),
            _ => self.rest().chars().next(),
        }
    }

    fn unclosed(&self) -> SyntaxFlaw {
        let end = self.text.trim_end().len();
        let last = self.text[..end].char_indices().next_back().map_or(0, |(at, _)| at);
        let kind = if self.open.is_empty() {
            SyntaxFlawKind::NoValue
        } else {
            SyntaxFlawKind::Unclosed { open: self.open.clone() }
        };
        self.flaw(last..end, kind)
    }

    fn flaw(&self, span: Range<usize>, kind: SyntaxFlawKind) -> SyntaxFlaw {
        SyntaxFlaw { span, path: self.path.clone(), kind }
    }
}

fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_alphabetic() || c == '_') && !word.contains(char::is_whitespace)
}

/// Returns the length of the rest of a text, including its closing mark.
fn end_of_escaped(body: &str, mark: char) -> Option<usize> {
    let mut escaped = false;
    for (at, c) in body.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == mark => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// Returns the length of a block comment, including comments nested in it.
fn block_comment(text: &str) -> Option<usize> {
    let (mut depth, mut at) = (0_usize, 0);
    loop {
        let rest = &text[at..];
        let (opens, closes) = (rest.find("/*"), rest.find("*/")?);
        if opens.is_some_and(|opens| opens < closes) {
            depth += 1;
            at += opens.unwrap_or_default() + 2;
        } else {
            depth -= 1;
            at += closes + 2;
            if depth == 0 {
                return Some(at);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flaw_is_found_at_its_place() {
        let flaw = |text: &str| {
            let flaw = document(text).expect_err(text);
            (flaw.path.to_string(), text[flaw.span].to_owned(), flaw.kind.to_string())
        };
        let found = |path: &str, at: &str, kind: &str| (path.to_owned(), at.to_owned(), kind.to_owned());
        assert_eq!(flaw("(a: [1, (b: 2"), found("a[1].b", "2", "the text ends here, and `(` is not closed"));
        assert_eq!(flaw("(a: [1)"), found("a", ")", "`)` does not close `[`"));
        assert_eq!(flaw("(a: \"x)"), found("a", "\"x)", "this quotation mark is not closed"));
        assert_eq!(flaw("(a: 1 /* b)"), found("a", "/* b)", "this comment is not closed"));
        assert_eq!(flaw("(a: \"x\" b: 2)"), found("a", "\"", "a comma is missing after this"));
        assert_eq!(flaw("(a: 1, a: 2)"), found("a", "a", "`a` is given twice here"));
        assert_eq!(flaw("(a: , b: 1)"), found("a", ",", "a value is missing here"));
        assert_eq!(flaw("(a: 1, 2)"), found("", "2", "`2` is out of place"));
        assert_eq!(flaw("[1]"), found("", "[1]", "a scenario is a list of fields in ( )"));
        assert_eq!(flaw("(a: 1) b"), found("", "b", "this comes after the end of the scenario"));
    }
}
