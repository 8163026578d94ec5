//! Statements of a line.
//!
//! Invariant: a line holds one statement, whole. Numbers are checked against their ranges; ranks by the caller.

use units::Span;

use super::MAX_RANKS;
use super::fault::{GoalError, GoalFault};
use super::line::{Comment, Line, Word};
use crate::job::graph::{Operation, Work};

type Parsed<T> = Result<T, Box<GoalError>>;

/// A statement between blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outer {
    Ranks(u32),
    Rank(u32),
}

/// A statement of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Inner<'a> {
    Operation { label: Option<&'a [u8]>, operation: Operation },
    Edge { later: &'a [u8], earlier: &'a [u8], at_start: bool },
    Close,
}

/// Words of the language. `b` is none of them: writers use it as a label.
const KEYWORDS: [&[u8]; 12] = [
    b"send",
    b"recv",
    b"calc",
    b"rank",
    b"num_ranks",
    b"requires",
    b"irequires",
    b"to",
    b"from",
    b"tag",
    b"cpu",
    b"nic",
];
/// Options in their order.
const OPTIONS: [&str; 3] = ["tag", "cpu", "nic"];
const STATEMENT: &str = "`send`, `recv`, `calc`, a label or `}`";

/// Words of a line, with what they mean.
pub(super) struct Statement<'a, 'c> {
    pub(super) line: Line<'a>,
    comment: &'c mut Comment,
    calc_unit: Span,
}

impl<'a, 'c> Statement<'a, 'c> {
    pub(super) const fn new(line: Line<'a>, comment: &'c mut Comment, calc_unit: Span) -> Self {
        Self { line, comment, calc_unit }
    }

    /// Returns true if the line has no further word.
    pub(super) fn is_empty(&self) -> bool {
        self.line.peek() == Word::End
    }

    /// Takes `num_ranks N` or `rank N {`.
    pub(super) fn outer(&mut self) -> Parsed<Outer> {
        match self.next() {
            Word::Name(b"num_ranks") => {
                let ranks = self.number("number of ranks", u64::from(MAX_RANKS))? as u32;
                if ranks == 0 {
                    return Err(self.line.wrong(GoalFault::ZeroRanks));
                }
                self.end()?;
                Ok(Outer::Ranks(ranks))
            }
            Word::Name(b"rank") => {
                let rank = self.number("rank", u64::from(u32::MAX - 1))? as u32;
                self.mark(b'{', "`{`")?;
                self.end()?;
                Ok(Outer::Rank(rank))
            }
            other => Err(self.line.unexpected(other, "`num_ranks` or `rank`")),
        }
    }

    /// Takes a statement of a block.
    pub(super) fn inner(&mut self) -> Parsed<Inner<'a>> {
        let first = match self.next() {
            Word::Mark(b'}') => {
                self.end()?;
                return Ok(Inner::Close);
            }
            Word::Name(name) => name,
            other => return Err(self.line.unexpected(other, STATEMENT)),
        };
        if self.line.peek() == Word::Mark(b':') {
            self.label(first)?;
            self.next();
            let operation = match self.next() {
                Word::Name(kind) => self.operation(kind)?,
                other => return Err(self.line.unexpected(other, "`send`, `recv` or `calc`")),
            };
            return Ok(Inner::Operation { label: Some(first), operation });
        }
        let is_edge = matches!(self.line.peek(), Word::Name(b"requires" | b"irequires"));
        if !is_edge {
            return Ok(Inner::Operation { label: None, operation: self.operation(first)? });
        }
        self.label(first)?;
        let at_start = self.next() == Word::Name(b"irequires");
        let earlier = match self.next() {
            Word::Name(name) => name,
            other => return Err(self.line.unexpected(other, "a label")),
        };
        self.label(earlier)?;
        self.end()?;
        Ok(Inner::Edge { later: first, earlier, at_start })
    }

    /// Takes the rest of an operation behind its first word.
    fn operation(&mut self, kind: &[u8]) -> Parsed<Operation> {
        let (work, tag) = match kind {
            b"calc" => (Work::Compute { span: self.span()? }, None),
            b"send" => {
                let bytes = self.size()?;
                self.name(b"to", "`to`")?;
                let to = self.peer("to", false)?.expect("a send names its receiver");
                (Work::Send { to, bytes, tag: 0 }, Some(false))
            }
            b"recv" => {
                let bytes = self.size()?;
                self.name(b"from", "`from`")?;
                let from = self.peer("from", true)?;
                (Work::Receive { from, bytes, tag: Some(0) }, Some(true))
            }
            b"num_ranks" | b"rank" => {
                let given = Word::Name(kind);
                return Err(self.line.unexpected(given, STATEMENT));
            }
            other => {
                // A name that begins neither an operation nor an edge: the word behind it is missing or wrong.
                let expected = if KEYWORDS.contains(&other) {
                    STATEMENT
                } else {
                    "`:`, `requires` or `irequires` behind a label"
                };
                let word = if KEYWORDS.contains(&other) { Word::Name(kind) } else { self.next() };
                return Err(self.line.unexpected(word, expected));
            }
        };
        let operation = self.options(work.on_cpu(0), tag)?;
        self.end()?;
        Ok(operation)
    }

    /// Takes options. `wildcard` tells of a message whether its tag may be any; computations have `None`.
    fn options(&mut self, mut operation: Operation, wildcard: Option<bool>) -> Parsed<Operation> {
        let mut before: Option<usize> = None;
        while let Word::Name(name) = self.line.peek() {
            let Some(place) = OPTIONS.iter().position(|option| option.as_bytes() == name) else { break };
            self.next();
            let given = OPTIONS[place];
            if wildcard.is_none() && given != "cpu" {
                return Err(self.line.wrong(GoalFault::OptionOfCalc { given }));
            }
            if let Some(before) = before.filter(|before| *before >= place) {
                return Err(self.line.wrong(GoalFault::OptionOrder { given, before: OPTIONS[before] }));
            }
            before = Some(place);
            match place {
                0 => {
                    let tag = self.wild("tag", "tag", wildcard == Some(true))?;
                    match &mut operation.work {
                        Work::Send { tag: own, .. } => *own = tag.expect("a send names its tag"),
                        Work::Receive { tag: own, .. } => *own = tag,
                        Work::Compute { .. } => unreachable!("computations have no tag"),
                    }
                }
                1 => operation.cpu = self.number("cpu", 255)? as u8,
                _ => operation.nic = self.number("nic", 255)? as u8,
            }
        }
        Ok(operation)
    }

    fn span(&mut self) -> Parsed<Span> {
        let units = self.number("length of a `calc`", u64::MAX / self.calc_unit.ps())?;
        Ok(Span::from_ps(units * self.calc_unit.ps()))
    }

    fn size(&mut self) -> Parsed<u64> {
        let bytes = self.number("size", u64::MAX)?;
        self.name(b"b", "`b`, for bytes,")?;
        Ok(bytes)
    }

    fn peer(&mut self, what: &'static str, wildcard: bool) -> Parsed<Option<u32>> {
        self.wild(what, "rank", wildcard)
    }

    /// Takes a number up to 2^32 - 2, or `-1` for any.
    fn wild(&mut self, what: &'static str, quantity: &'static str, wildcard: bool) -> Parsed<Option<u32>> {
        if let word @ Word::Name(_) = self.line.peek()
            && wildcard
        {
            self.next();
            return Err(self.line.unexpected(word, "a number, or `-1` for any,"));
        }
        if self.line.peek() != Word::Mark(b'-') {
            return Ok(Some(self.number(quantity, u64::from(u32::MAX - 1))? as u32));
        }
        self.next();
        match self.next() {
            Word::Digits(b"1") if wildcard => Ok(None),
            Word::Digits(b"1") => Err(self.line.wrong(GoalFault::WildcardSend { what })),
            other => Err(self.line.unexpected(other, "1, as `-1` stands for any,")),
        }
    }

    fn number(&mut self, what: &'static str, most: u64) -> Parsed<u64> {
        let digits = match self.next() {
            Word::Digits(digits) => digits,
            other => return Err(self.line.unexpected(other, "a whole number")),
        };
        let value = digits
            .iter()
            .try_fold(0_u64, |value, digit| value.checked_mul(10)?.checked_add(u64::from(digit - b'0')));
        value.filter(|value| *value <= most).ok_or_else(|| {
            let given = String::from_utf8_lossy(digits).into_owned();
            self.line.wrong(GoalFault::TooLarge { given, most, what })
        })
    }

    fn name(&mut self, wanted: &[u8], expected: &'static str) -> Parsed<()> {
        match self.next() {
            Word::Name(name) if name == wanted => Ok(()),
            other => Err(self.line.unexpected(other, expected)),
        }
    }

    fn mark(&mut self, wanted: u8, expected: &'static str) -> Parsed<()> {
        match self.next() {
            Word::Mark(mark) if mark == wanted => Ok(()),
            other => Err(self.line.unexpected(other, expected)),
        }
    }

    fn end(&mut self) -> Parsed<()> {
        match self.next() {
            Word::End => Ok(()),
            other => Err(self.line.unexpected(other, "the end of the line")),
        }
    }

    /// Refuses the last word as a label if it is a keyword.
    fn label(&self, name: &[u8]) -> Parsed<()> {
        if KEYWORDS.contains(&name) || name.starts_with(b"_") {
            let given = String::from_utf8_lossy(name).into_owned();
            return Err(self.line.wrong(GoalFault::Keyword { given }));
        }
        Ok(())
    }

    fn next(&mut self) -> Word<'a> {
        self.line.next(self.comment)
    }
}
