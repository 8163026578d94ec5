//! Fabrics from a file: HPCC's `topology.txt` and its dialects.
//!
//! Invariant: every fault is reported with its place in the text; only empty lines and text behind a `#` are skipped.
//! The result is a fabric node by node, as if written by hand. A scenario's file is read as a whole or refused; an
//! import may read it in part, and then learns which parts were left out.
//!
//! | first line | then | of |
//! |---|---|---|
//! | `NODES SWITCHES LINKS` | `SWITCH ...`, for each link `SOURCE DESTINATION RATE DELAY ERROR_RATE` | HPCC, `ConWeave` |
//! | the same | the same, links without `ERROR_RATE` | ns3-rdma |
//! | `NODES SWITCHES TORS LINKS` | the same | ns3-datacenter |
//! | `NODES SWITCHES TORS LINKS RATE RATE` | the same | ns3-datacenter: Reverie |
//! | `NODES GPUS_A_SERVER NVSWITCHES SWITCHES LINKS GPU_TYPE` | `NVSwitches` are listed before switches | `SimAI` |
//! | the same and `NICS` | the same | ns-3-alibabacloud |
//!
//! The number of words of the first line tells the dialect. Nodes are numbered from 0; nodes that are not listed as
//! switches are hosts, before or after them. Names keep the numbers of the file: host 7 is `h7`, switch 9 `s9`. Rates
//! and delays are ns-3's: `100Gbps` or plain bit/s, `1us` or plain seconds. Ports are numbered in the order in which
//! links name a node.

use core::ops::Range;
use core::str::FromStr;
use std::collections::BTreeSet;

use units::words::{Word, lines, range};
use units::{Rate, Span};

use crate::builders::custom::{CustomFabric, LinkEnds};
use crate::limits::MAX_NODES;

/// Beginning of the names of hosts, before their numbers.
pub const HOST_PREFIX: &str = "h";

/// The fabric that a file describes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HpccFabric {
    /// Nodes in the order of their numbers, and links by kind of cable: host 7 is `h7`, switch 9 is `s9`.
    pub custom: CustomFabric,
    /// Kinds of cable, in the order of their first links: name, rate, time of flight.
    pub cables: Vec<(String, Rate, Span)>,
}

/// A fault in the file, and its place in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HpccFlaw {
    /// The bytes at fault.
    pub at: Range<usize>,
    /// The fault.
    pub kind: HpccFlawKind,
}

/// A fault in the file. Its `Display` is the message; [`help`](Self::help) says what to write instead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HpccFlawKind {
    /// A first line of no dialect.
    #[error("the first line has {given} words")]
    Header {
        /// Number of words.
        given: usize,
    },
    /// A file that ends early.
    #[error("the file ends before {missing}")]
    Ends {
        /// The missing part.
        missing: &'static str,
    },
    /// A word that cannot be read as the quantity of its column.
    #[error("`{given}` is not {quantity}")]
    Word {
        /// The word as written.
        given: String,
        /// The quantity, with its article.
        quantity: &'static str,
        /// An example or a range.
        right: &'static str,
    },
    /// A node that does not exist.
    #[error("there is no node {given}")]
    NoNode {
        /// The number as written.
        given: usize,
        /// Number of nodes.
        nodes: usize,
    },
    /// A switch listed twice.
    #[error("switch {given} is listed a second time")]
    Twice {
        /// The switch.
        given: usize,
    },
    /// A line for a link with the wrong number of words.
    #[error("this line has {given} words")]
    Link {
        /// Number of words.
        given: usize,
        /// Number of words of the first link.
        first: usize,
    },
    /// A link that loses packets.
    #[error("an error rate of {given} cannot be simulated, since wires here lose nothing")]
    ErrorRate {
        /// The rate as written.
        given: String,
    },
    /// A second link at a host.
    #[error("host {given} has a link already")]
    SecondLink {
        /// The host.
        given: usize,
    },
    /// A link from a node to itself.
    #[error("the link leads from node {given} back to it")]
    ToItself {
        /// The node.
        given: usize,
    },
    /// Lines after the last link.
    #[error("this is a link more than the {links} of the first line")]
    TooMany {
        /// Number of links in the first line.
        links: usize,
    },
}

impl HpccFlawKind {
    /// Returns what to write instead.
    #[must_use]
    pub fn help(&self) -> String {
        match self {
            Self::Header { .. } => {
                "write 3 (nodes, switches, links), 4 (with top-of-rack switches before links), \
                 6 as Reverie or SimAI has, or 7 as ns-3-alibabacloud has"
                    .to_owned()
            }
            Self::Ends { .. } => "write the missing ones, or fewer in the first line".to_owned(),
            Self::Word { right, .. } => format!("write {right}"),
            Self::NoNode { nodes, .. } => {
                format!("nodes are numbered from 0, and the first line says {nodes} of them")
            }
            Self::Twice { .. } => "list each once".to_owned(),
            Self::Link { first: 4, .. } => "write four, as in the first link".to_owned(),
            Self::Link { .. } => "write five, source, destination, rate, delay, error rate".to_owned(),
            Self::ErrorRate { .. } => "write 0".to_owned(),
            Self::SecondLink { .. } => {
                "a host here has one port, so leave NVSwitches and second planes out".to_owned()
            }
            Self::ToItself { .. } => "name two different nodes".to_owned(),
            Self::TooMany { .. } => {
                "delete this and what follows, as that simulator does not read it, or write its number there"
                    .to_owned()
            }
        }
    }
}

/// Reads any of the dialects, and refuses parts that a fabric here cannot have.
///
/// # Errors
/// If the text is none of them.
pub fn read(text: &str) -> Result<HpccFabric, HpccFlaw> {
    let file = HpccFile::parse(text)?;
    if let Some(at) = file.rest.clone() {
        return Err(HpccFlaw { at, kind: HpccFlawKind::TooMany { links: file.links.len() } });
    }
    let (fabric, left_out) = file.fabric(&[])?;
    left_out.flaw.map_or(Ok(fabric), Err)
}

/// A file, of which everything but rates, delays and error rates has been checked.
#[derive(Clone, Debug)]
pub struct HpccFile<'a> {
    /// True for each node that is a switch.
    is_switch: Vec<bool>,
    /// The `NVSwitches` of `SimAI`'s dialect, which are switches, too.
    nvswitches: BTreeSet<usize>,
    links: Vec<FileLink<'a>>,
    /// End of the last link in the text.
    end: usize,
    /// The first line behind the last link.
    rest: Option<Range<usize>>,
    /// Number of lines behind the last link.
    rest_lines: usize,
}

/// The line of a link.
#[derive(Clone, Debug)]
struct FileLink<'a> {
    words: Vec<Word<'a>>,
    ends: [usize; 2],
}

/// Parts of a file that a fabric lacks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HpccLeftOut {
    /// Number of links that lead to a host with a link before.
    pub second_links: usize,
    /// Number of links that lose packets, which do not lose them here.
    pub lossy: usize,
    /// Number of hosts without a link.
    pub unlinked: usize,
    /// The first second link or link that loses packets, for which a file is refused as a whole.
    pub flaw: Option<HpccFlaw>,
}

impl<'a> HpccFile<'a> {
    /// Reads any of the dialects.
    ///
    /// # Errors
    /// If the text is none of them, or names nodes that do not exist.
    pub fn parse(text: &'a str) -> Result<Self, HpccFlaw> {
        let mut lines = lines(text);
        let written = text.trim_end();
        let last = written.char_indices().next_back().map_or(0, |(at, _)| at);
        let ends = |missing| HpccFlaw { at: last..written.len(), kind: HpccFlawKind::Ends { missing } };
        let header = lines.next().ok_or_else(|| ends("its first line"))?;
        let Header { nodes, switches, nvswitches, links: count } = Header::read(&header)?;
        let mut listed = Vec::new();
        let mut known = BTreeSet::new();
        while listed.len() < switches {
            for word in lines.next().ok_or_else(|| ends("the last switch"))? {
                let given = node(word, nodes)?;
                if !known.insert(given) {
                    return Err(flaw(word, HpccFlawKind::Twice { given }));
                }
                listed.push(given);
            }
        }
        let is_switch = (0..nodes).map(|node| known.contains(&node)).collect();
        let nvswitches = listed[..nvswitches.min(listed.len())].iter().copied().collect();
        let mut links: Vec<FileLink<'a>> = Vec::new();
        for _ in 0..count {
            let words = lines.next().ok_or_else(|| ends("the last link"))?;
            links.push(FileLink::read(words, nodes, links.first())?);
        }
        let end = links.last().map_or(written.len(), |link| range(&link.words).end);
        let rest = lines.next().map(|line| range(&line));
        let rest_lines = rest.iter().len() + lines.count();
        Ok(Self { is_switch, nvswitches, links, end, rest, rest_lines })
    }

    /// Returns the number of lines behind the last link, which that simulator does not read.
    #[must_use]
    pub fn lines_behind(&self) -> usize {
        self.rest_lines
    }

    /// Returns the end of the last link in the text.
    #[must_use]
    pub fn end(&self) -> usize {
        self.end
    }

    /// Returns the `NVSwitches` and the number of links that lead to them; none unless a host has another link, too.
    #[must_use]
    pub fn nvswitches(&self) -> (Vec<usize>, usize) {
        let of_nvlink = |link: &&FileLink<'_>| link.ends.iter().any(|node| self.nvswitches.contains(node));
        let mut links = vec![0; self.is_switch.len()];
        self.links.iter().flat_map(|link| link.ends).for_each(|node| links[node] += 1);
        if links.iter().zip(&self.is_switch).all(|(links, switch)| *switch || *links < 2) {
            return (Vec::new(), 0);
        }
        (self.nvswitches.iter().copied().collect(), self.links.iter().filter(of_nvlink).count())
    }

    /// Returns the place of the first link to one of these nodes.
    #[must_use]
    pub fn link_to(&self, nodes: &[usize]) -> Option<Range<usize>> {
        let first = self.links.iter().find(|link| link.ends.iter().any(|node| nodes.contains(node)));
        first.map(|link| range(&link.words))
    }

    /// Returns the fabric without these nodes, and without further links of hosts and hosts without links.
    ///
    /// # Errors
    /// If a rate, a delay or an error rate is none.
    pub fn fabric(&self, without: &[usize]) -> Result<(HpccFabric, HpccLeftOut), HpccFlaw> {
        let without: BTreeSet<usize> = without.iter().copied().collect();
        let mut left_out = HpccLeftOut::default();
        let mut linked = vec![false; self.is_switch.len()];
        let mut links = Vec::new();
        let mut cables: Vec<(String, Rate, Span)> = Vec::new();
        for link in self.links.iter().filter(|link| link.ends.iter().all(|node| !without.contains(node))) {
            let taken = |node: &usize| linked[*node] && !self.is_switch[*node];
            if let Some(end) = link.ends.iter().position(taken) {
                left_out.second_links += 1;
                let kind = HpccFlawKind::SecondLink { given: link.ends[end] };
                left_out.flaw.get_or_insert_with(|| flaw(link.words[end], kind));
                continue;
            }
            let [_, _, rate, delay, ..] = link.words[..] else { unreachable!("links have 4 words or more") };
            let (rate, delay) = (data_rate(rate)?, time(delay)?);
            if let Some(errors) = link.words.get(4)
                && number::<f64>(*errors, "an error rate", "0")? != 0.0
            {
                left_out.lossy += 1;
                let kind = HpccFlawKind::ErrorRate { given: errors.text.to_owned() };
                left_out.flaw.get_or_insert_with(|| flaw(*errors, kind));
            }
            link.ends.iter().for_each(|node| linked[*node] = true);
            let cable = format!("{rate}, {delay}");
            if !cables.iter().any(|(name, ..)| *name == cable) {
                cables.push((cable.clone(), rate, delay));
            }
            let [from, to] = link.ends.map(|node| self.name(node));
            links.push(LinkEnds { from, to, cable, from_port: None, to_port: None });
        }
        let kept = (0..self.is_switch.len()).filter(|node| !without.contains(node));
        let (switches, hosts): (Vec<_>, Vec<_>) = kept.partition(|node| self.is_switch[*node]);
        left_out.unlinked = hosts.iter().filter(|host| !linked[**host]).count();
        let names = |nodes: Vec<usize>| nodes.into_iter().map(|node| self.name(node)).collect();
        let custom = CustomFabric { hosts: names(hosts), switches: names(switches), links };
        Ok((HpccFabric { custom, cables }, left_out))
    }

    fn name(&self, node: usize) -> String {
        let prefix = if self.is_switch[node] { "s" } else { HOST_PREFIX };
        format!("{prefix}{node}")
    }
}

impl<'a> FileLink<'a> {
    /// Reads the line of a link, which has as many words as the first.
    fn read(words: Vec<Word<'a>>, nodes: usize, first: Option<&Self>) -> Result<Self, HpccFlaw> {
        let first = first.map_or(words.len(), |first| first.words.len());
        if !(4..=5).contains(&words.len()) || words.len() != first {
            return Err(whole(&words, HpccFlawKind::Link { given: words.len(), first }));
        }
        let ends = [node(words[0], nodes)?, node(words[1], nodes)?];
        if ends[0] == ends[1] {
            return Err(flaw(words[1], HpccFlawKind::ToItself { given: ends[1] }));
        }
        Ok(Self { words, ends })
    }
}

/// Numbers of the first line.
struct Header {
    nodes: usize,
    switches: usize,
    nvswitches: usize,
    links: usize,
}

impl Header {
    fn read(words: &[Word<'_>]) -> Result<Self, HpccFlaw> {
        let number = |place: usize| number(words[place], "a count", "a whole number");
        // Reverie's last word is a rate, SimAI's the name of a GPU.
        let rates = words.len() == 6 && words[5].text.parse::<f64>().is_ok();
        let (switches, nvswitches, links) = match words.len() {
            3 => (number(1)?, 0, number(2)?),
            4 => (number(1)?, 0, number(3)?),
            6 if rates => (number(1)?, 0, number(3)?),
            6 | 7 => (usize::saturating_add(number(2)?, number(3)?), number(2)?, number(4)?),
            given => return Err(whole(words, HpccFlawKind::Header { given })),
        };
        let nodes = number(0)?;
        if nodes > MAX_NODES {
            let right = "at most 262143, as many as the simulator has addresses";
            return Err(wrong(words[0], "a number of nodes", right));
        }
        if switches > nodes {
            return Err(whole(words, HpccFlawKind::NoNode { given: switches, nodes }));
        }
        Ok(Self { nodes, switches, nvswitches, links })
    }
}

fn flaw(word: Word<'_>, kind: HpccFlawKind) -> HpccFlaw {
    HpccFlaw { at: word.range(), kind }
}

/// Returns the flaw of a whole line.
fn whole(words: &[Word<'_>], kind: HpccFlawKind) -> HpccFlaw {
    HpccFlaw { at: range(words), kind }
}

/// Returns the flaw of a word that is not this quantity.
fn wrong(word: Word<'_>, quantity: &'static str, right: &'static str) -> HpccFlaw {
    flaw(word, HpccFlawKind::Word { given: word.text.to_owned(), quantity, right })
}

fn number<T: FromStr>(word: Word<'_>, quantity: &'static str, right: &'static str) -> Result<T, HpccFlaw> {
    word.text.parse().map_err(|_| wrong(word, quantity, right))
}

fn node(word: Word<'_>, nodes: usize) -> Result<usize, HpccFlaw> {
    let given = number(word, "the number of a node", "a whole number from 0")?;
    if given < nodes { Ok(given) } else { Err(flaw(word, HpccFlawKind::NoNode { given, nodes })) }
}

/// Reads ns-3's `DataRate`: a number and a unit, or bit/s.
fn data_rate(word: Word<'_>) -> Result<Rate, HpccFlaw> {
    const UNITS: [(&str, u64); 9] = [
        ("", 1),
        ("bps", 1),
        ("b/s", 1),
        ("kbps", 1_000),
        ("Kbps", 1_000),
        ("Mbps", 1_000_000),
        ("Mb/s", 1_000_000),
        ("Gbps", 1_000_000_000),
        ("Gb/s", 1_000_000_000),
    ];
    let rate = quantity(word, &UNITS).map(Rate::bps);
    let range = Rate::gbps(1)..=Rate::gbps(800);
    rate.filter(|rate| range.contains(rate))
        .ok_or_else(|| wrong(word, "a rate", "`100Gbps` or bit/s, 1 to 800 Gb/s"))
}

/// Reads ns-3's `Time`: a number and a unit, or seconds; above 0.
fn time(word: Word<'_>) -> Result<Span, HpccFlaw> {
    const UNITS: [(&str, u64); 6] = [
        ("", 1_000_000_000_000),
        ("s", 1_000_000_000_000),
        ("ms", 1_000_000_000),
        ("us", 1_000_000),
        ("ns", 1_000),
        ("ps", 1),
    ];
    let span = quantity(word, &UNITS).map(Span::from_ps);
    let range = Span::from_ps(1)..=Span::from_us(1_000_000);
    span.filter(|span| range.contains(span))
        .ok_or_else(|| wrong(word, "a delay", "`1us`, `0.001ms` or seconds, more than 0"))
}

/// Returns a decimal number times its unit; `None` if the product is not a whole number.
fn quantity(word: Word<'_>, units: &[(&str, u64)]) -> Option<u64> {
    let split = word.text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(word.text.len());
    let (number, unit) = word.text.split_at(split);
    let size = units.iter().find(|(name, _)| *name == unit)?.1;
    // Computed in integers: a float could round a product that is whole, or hide that it is not.
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let fraction = fraction.trim_end_matches('0');
    let digits: u128 = format!("{whole}{fraction}").parse().ok()?;
    let scale = 10u128.checked_pow(u32::try_from(fraction.len()).ok()?)?;
    let scaled = digits.checked_mul(u128::from(size))?;
    if scaled % scale == 0 { u64::try_from(scaled / scale).ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINKS: &str = "0 4 100Gbps 1us 0\n1 4 100000000000.0 0.001ms 0.000000\n2 5 25Gbps 1000ns 0\n\
                         3 5 25Gbps 0.000001 0\n4 5 400Gbps 1us 0\n";

    #[test]
    fn every_dialect_says_the_same() {
        let hpcc = read(&format!("6 2 5\n4 5\n{LINKS}")).expect("it is right");
        assert_eq!(hpcc.custom.hosts, ["h0", "h1", "h2", "h3"]);
        assert_eq!(hpcc.custom.switches, ["s4", "s5"]);
        let cables: Vec<_> = hpcc.cables.iter().map(|(name, ..)| name.as_str()).collect();
        assert_eq!(cables, ["100 Gb/s, 1 us", "25 Gb/s, 1 us", "400 Gb/s, 1 us"]);
        assert_eq!(read(&format!("6 2 1 5\n4\n5\n\n{LINKS}")).as_ref(), Ok(&hpcc), "ns3-datacenter");
        assert_eq!(read(&format!("6 8 0 2 5 H100 # GPUs\n4 5\n{LINKS}")).as_ref(), Ok(&hpcc), "SimAI");
        assert_eq!(read(&format!("6 8 0 2 5 H100 1\n4 5\n{LINKS}")).as_ref(), Ok(&hpcc), "ns-3-alibabacloud");
        assert_eq!(read(&format!("6 2 1 5 25000000000 1e11\n4 5\n{LINKS}")).as_ref(), Ok(&hpcc), "Reverie");
        let without_errors = LINKS.replace(" 0\n", "\n").replace(" 0.000000\n", "\n");
        assert_eq!(read(&format!("6 2 5\n4 5\n{without_errors}")).as_ref(), Ok(&hpcc), "ns3-rdma");
        let graph = hpcc.custom.build(&cables).expect("it can be built");
        assert_eq!((graph.hosts(), graph.switches()), (4, 2));
    }

    #[test]
    fn hosts_may_stand_after_switches_and_keep_their_numbers() {
        let fabric =
            read("5 2 4\n0 3\n1 0 25Gbps 1us 0\n4 3 25Gbps 1us 0\n2 3 25Gbps 1us 0\n0 3 100Gbps 1us 0\n")
                .expect("it is right");
        assert_eq!(
            (fabric.custom.hosts, fabric.custom.switches),
            (["h1", "h2", "h4"].map(str::to_owned).to_vec(), ["s0", "s3"].map(str::to_owned).to_vec(),)
        );
        let ends: Vec<_> = fabric.custom.links.iter().map(|link| [&*link.from, &*link.to]).collect();
        assert_eq!(ends, [["h1", "s0"], ["h4", "s3"], ["h2", "s3"], ["s0", "s3"]]);
    }

    #[test]
    fn every_flaw_has_its_place() {
        let said = |text: &str| {
            let flaw = read(text).expect_err("it is wrong");
            (text[flaw.at].to_owned(), flaw.kind.to_string())
        };
        let starts = |text: &str, at: &str, with: &str| {
            let (place, message) = said(text);
            assert_eq!(place, at, "{message}");
            assert!(message.starts_with(with), "{message}");
        };
        starts("", "", "the file ends before its first line");
        starts("5 1\n", "5 1", "the first line has 2 words");
        starts("5 x 4\n", "x", "`x` is not a count");
        starts("5 6 4\n", "5 6 4", "there is no node 6");
        starts("3 2 1\n1\n", "1", "the file ends before the last switch");
        starts("3 2 1\n1 µ\n", "µ", "`µ` is not");
        starts("6 1 2 1 5 µ\n", "µ", "the file ends before the last switch");
        starts("3 1 1\n3\n", "3", "there is no node 3");
        starts("3 2 1\n2 2\n", "2", "switch 2 is listed a second time");
        starts("3 1 2\n2\n0 2 1Gbps\n", "0 2 1Gbps", "this line has 3 words");
        starts("3 1 2\n2\n0 2 1Gbps 1us 0\n1 2 1Gbps 1us\n", "1 2 1Gbps 1us", "this line has 4 words");
        starts("3 1 2\n2\n0 7 1Gbps 1us 0\n", "7", "there is no node 7");
        starts("3 1 1\n2\n0 2 1Gbit 1us 0\n", "1Gbit", "`1Gbit` is not a rate");
        starts("3 1 1\n2\n0 2 1Gbps 0us 0\n", "0us", "`0us` is not a delay");
        starts("3 1 1\n2\n0 2 1Gbps 1us 0.1\n", "0.1", "an error rate of 0.1");
        starts("3 1 2\n2\n0 2 1Gbps 1us 0\n0 2 1Gbps 1us 0\n", "0", "host 0 has a link already");
        starts("3 1 2\n2\n0 2 1Gbps 1us 0\n", "0", "the file ends before the last link");
        starts("3 1 1\n2\n0 2 1Gbps 1us 0\n1 2 1Gbps 1us 0\n", "1 2 1Gbps 1us 0", "this is a link more");
    }

    /// Two servers of two GPUs with an `NVSwitch` each. `NVLinks` may have any rate.
    #[test]
    fn nvswitches_are_left_out_where_hosts_have_other_links() {
        let text = "8 2 2 2 10 A100\n4 5 6 7\n0 4 2400Gbps 25ns 0\n1 4 2400Gbps 25ns 0\n2 5 2400Gbps 25ns 0\n\
                    3 5 2400Gbps 25ns 0\n0 6 100Gbps 1us 0\n1 7 100Gbps 1us 0\n2 6 100Gbps 1us 0\n3 7 100Gbps 1us 0.1\n\
                    6 7 100Gbps 1us 0\n4 5 2400Gbps 25ns 0\nprose\n";
        let file = HpccFile::parse(text).expect("it is right");
        assert_eq!((file.lines_behind(), &text[file.end()..]), (1, "\nprose\n"));
        assert_eq!(file.nvswitches(), (vec![4, 5], 5));
        let (fabric, left_out) = file.fabric(&file.nvswitches().0).expect("it is right");
        assert_eq!((left_out.second_links, left_out.lossy, left_out.unlinked), (0, 1, 0));
        assert_eq!((fabric.custom.hosts.len(), fabric.custom.links.len()), (4, 5));
        assert_eq!(fabric.custom.switches, ["s6", "s7"]);
        let (_, left_out) = file.fabric(&[4, 5, 7]).expect("it is right");
        assert_eq!(left_out.unlinked, 2, "without the switch of two hosts");
    }

    #[test]
    fn further_links_of_hosts_are_counted() {
        let text = "3 2 4\n1 2\n0 1 1Gbps 1us 0\n0 2 1Gbps 1us 0\n0 2 1Gbps 1us 0\n1 2 1Gbps 1us 0\n";
        let (fabric, left_out) =
            HpccFile::parse(text).expect("it is right").fabric(&[]).expect("it is right");
        assert_eq!((fabric.custom.links.len(), left_out.second_links), (2, 2));
    }
}
