//! The content of htsim's connection matrices (`.cm`).
//!
//! Invariant: every line is read or is a fault with its place. This is what a file says: nothing has been compared with
//! another.

use core::ops::Range;

use interop::import::source::{Part, SourceText, decimal};
use scenario::{Diagnostic, help_with_name};
use workload::LONGEST_MESSAGE;

/// A connection matrix.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HtsimMatrix {
    /// Number of hosts.
    pub nodes: u64,
    /// The connections, in the order of the file.
    pub connections: Vec<HtsimConnection>,
    /// The triggers, in the order of the file.
    pub triggers: Vec<HtsimTrigger>,
    /// Places of the failures.
    pub failures: Vec<Range<usize>>,
}

/// A trigger: something that starts connections when others end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HtsimTrigger {
    /// Its number.
    pub id: u64,
    /// Its kind.
    pub kind: TriggerKind,
    /// Bytes of the file.
    pub at: Range<usize>,
}

/// Kind of a trigger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TriggerKind {
    /// The first end starts all connections.
    Oneshot,
    /// Each end starts the next connection in the order of the file.
    Multishot,
    /// The n-th end starts all connections.
    Barrier(u64),
}

/// A connection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HtsimConnection {
    /// Source, counted from 0.
    pub from: u64,
    /// Destination.
    pub to: u64,
    /// Its number; `None` if the file has none.
    pub id: Option<u64>,
    /// Payload in bytes.
    pub size: u64,
    /// Start time in whole units of the file, as htsim's loader drops fractions; `None` if a trigger starts the
    /// connection.
    pub start: Option<u64>,
    /// True if the start has a fraction.
    pub fraction: bool,
    /// Number of the trigger that starts the connection.
    pub trigger: Option<u64>,
    /// Priority; `None` if the file has none.
    pub prio: Option<u64>,
    /// Number of the trigger that the last acknowledgement fires.
    pub sent: Option<u64>,
    /// Number of the trigger that the arrival of all bytes fires.
    pub received: Option<u64>,
    /// True for a message of the connection with its number, as uet-htsim has them when it uses connections again.
    pub is_message: bool,
    /// Words that nothing stands for here.
    pub others: Vec<String>,
    /// Bytes of the file.
    pub at: Range<usize>,
}

/// Attributes of a connection.
const ATTRIBUTES: [&str; 9] =
    ["id", "start", "size", "prio", "trigger", "send_done_trigger", "recv_done_trigger", "msg", "addon"];

impl HtsimMatrix {
    /// Returns true if connections wait for others, or share one: a list of flows cannot say this.
    #[must_use]
    pub fn is_job(&self) -> bool {
        self.connections.iter().any(|own| own.trigger.is_some() || own.is_message)
    }

    /// Reads a file.
    ///
    /// # Errors
    /// If a line is no connection, trigger or failure, or names a host that does not exist.
    pub fn read(source: SourceText<'_>) -> Result<Self, Diagnostic> {
        let mut matrix = Self::default();
        let mut counted = [const { None }; 3];
        for line in source.lines().filter(|line| !line.text.starts_with('#')) {
            let words: Vec<_> = line.words().collect();
            let count = || -> Result<u64, Diagnostic> {
                let word = words.get(1).copied().unwrap_or(line);
                let wrong = || {
                    source.wrong(
                        &word.range(),
                        format!("`{}` is not a number", word.text),
                        "write a whole number",
                    )
                };
                decimal(word.text).ok_or_else(wrong)
            };
            match words[0].text.to_ascii_lowercase().as_str() {
                "nodes" => matrix.nodes = count()?,
                "connections" => counted[0] = Some((count()?, line.range())),
                "triggers" => counted[1] = Some((count()?, line.range())),
                "failures" => counted[2] = Some((count()?, line.range())),
                "trigger" => matrix.triggers.push(trigger(source, line, &words)?),
                "failure" => matrix.failures.push(line.range()),
                _ => {
                    let connection = connection(source, line, &words)?;
                    let most = connection.from.max(connection.to);
                    if most >= matrix.nodes {
                        let message = format!("there is no host {most}");
                        let help =
                            format!("hosts are numbered from 0, and `Nodes` says {} of them", matrix.nodes);
                        return Err(source.wrong(&line.range(), message, &help));
                    }
                    matrix.connections.push(connection);
                }
            }
        }
        let found = [
            (matrix.connections.len(), "connections"),
            (matrix.triggers.len(), "triggers"),
            (matrix.failures.len(), "failures"),
        ];
        for (counted, (found, noun)) in counted.into_iter().zip(found) {
            if let Some((_, at)) = counted.filter(|(count, _)| *count != found as u64) {
                return Err(source.wrong(&at, format!("{found} {noun} follow"), "write their number"));
            }
        }
        Ok(matrix)
    }
}

/// Reads a trigger: `trigger id 1 barrier count 4`.
fn trigger(source: SourceText<'_>, line: Part<'_>, words: &[Part<'_>]) -> Result<HtsimTrigger, Diagnostic> {
    let texts: Vec<&str> = words.iter().map(|word| word.text).collect();
    let read = |id: &str, kind: TriggerKind| {
        let id = decimal(id).filter(|id: &u64| *id > 0)?;
        Some(HtsimTrigger { id, kind, at: line.range() })
    };
    let trigger = match texts[1..] {
        ["id", id, "oneshot"] => read(id, TriggerKind::Oneshot),
        ["id", id, "multishot"] => read(id, TriggerKind::Multishot),
        ["id", id, "barrier", "count", count] => {
            decimal(count).filter(|count| *count > 0).and_then(|count| read(id, TriggerKind::Barrier(count)))
        }
        _ => None,
    };
    trigger.ok_or_else(|| {
        let help = "write `trigger id 1 oneshot`, `multishot` or `barrier count 4`; numbers count from 1";
        source.wrong(&line.range(), "this is no trigger", help)
    })
}

/// Reads a connection: `0->3 id 1 start 0 size 2000000`.
fn connection(
    source: SourceText<'_>,
    line: Part<'_>,
    words: &[Part<'_>],
) -> Result<HtsimConnection, Diagnostic> {
    let help = "write `0->3 id 1 start 0 size 2000000`";
    let ends = words[0].text.split_once("->").and_then(|(from, to)| Some((decimal(from)?, decimal(to)?)));
    let (from, to) = ends.ok_or_else(|| {
        source.wrong(&words[0].range(), format!("`{}` is no connection", words[0].text), help)
    })?;
    if from == to {
        return Err(source.wrong(
            &words[0].range(),
            format!("host {from} sends to itself"),
            "write two different hosts",
        ));
    }
    let mut connection = HtsimConnection { from, to, at: line.range(), ..HtsimConnection::default() };
    let mut size = None;
    let mut rest = words[1..].iter().copied().peekable();
    while let Some(name) = rest.next() {
        let mut value = || -> Result<u64, Diagnostic> {
            let word = rest.next().unwrap_or(name);
            let wrong =
                || source.wrong(&word.range(), format!("`{}` is not a whole number", word.text), help);
            decimal(word.text).ok_or_else(wrong)
        };
        match name.text {
            "id" => connection.id = Some(value()?),
            "start" => {
                let word = rest.next().unwrap_or(name);
                let wrong = || source.wrong(&word.range(), format!("`{}` is not a time", word.text), help);
                let (start, fraction) = time(word.text).ok_or_else(wrong)?;
                (connection.start, connection.fraction) = (Some(start), fraction);
            }
            "size" => {
                let bytes = value()?;
                if bytes > LONGEST_MESSAGE.get() {
                    let message = format!("{bytes} bytes are more than the longest message, 2 GiB");
                    let help = format!(
                        "write a whole number up to {}, or several connections",
                        LONGEST_MESSAGE.get()
                    );
                    return Err(source.wrong(&line.range(), message, &help));
                }
                size = Some(bytes);
            }
            "prio" => connection.prio = Some(value()?),
            "trigger" => connection.trigger = Some(value()?),
            "send_done_trigger" => connection.sent = Some(value()?),
            "recv_done_trigger" => connection.received = Some(value()?),
            "msg" | "addon" => {
                if name.text == "msg" {
                    connection.is_message = true;
                } else {
                    connection.others.push(name.text.to_owned());
                }
                // The number may be missing: uet-htsim's loader then takes 0, and goes on with the next attribute.
                if rest.peek().is_some_and(|next| !ATTRIBUTES.contains(&next.text)) {
                    rest.next();
                }
            }
            other => {
                let message = format!("`{other}` is no attribute of a connection");
                return Err(source.wrong(
                    &name.range(),
                    message,
                    &help_with_name(other, ATTRIBUTES, "attributes"),
                ));
            }
        }
    }
    let triggered = connection.trigger.is_some();
    if connection.start.is_some() == triggered {
        let message = if triggered {
            "a start and a trigger start this connection"
        } else {
            "nothing starts this connection"
        };
        return Err(source.wrong(&line.range(), message, "write either `start` or `trigger`"));
    }
    let missing = || source.wrong(&line.range(), "the connection has no size", help);
    connection.size = size.filter(|size| *size > 0).ok_or_else(missing)?;
    Ok(connection)
}

/// Reads a start: the whole units, and true if a fraction was dropped.
fn time(text: &str) -> Option<(u64, bool)> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let fraction: u64 = decimal(fraction.trim_end_matches('0'))
        .or(Some(0).filter(|_| fraction.trim_matches('0').is_empty()))?;
    Some((decimal(whole)?, fraction > 0))
}
