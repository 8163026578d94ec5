//! Traces of Chakra from a short text: the bytes that Chakra's own tools write for such nodes.
//!
//! ```text
//! file all_reduce.0.et
//! metadata 0.0.4
//! node 3 COMM_COLL reduce data=1,2 ctrl=0 us=5 is_cpu_op=false comm_type=0 comm_size=1048576 pg_name=1
//! cut 4                       # the last 4 bytes of the file so far
//! raw 0a 05                   # bytes as they stand
//! groups {"1": [0, 4]}
//! ranks 4
//! ```
//!
//! A value is a boolean (`true`), a signed number, an unsigned number (`u7`), a list of booleans (`[1,0]`) or a text.
//! Ends and tags of messages have 32 bits, other numbers 64.

/// Files, groups and copies.
#[derive(Clone, Debug, Default)]
pub(crate) struct Traces {
    pub(crate) files: Vec<(String, Vec<u8>)>,
    pub(crate) groups: Option<String>,
    pub(crate) copies: Option<u32>,
}

impl Traces {
    pub(crate) fn written(text: &str) -> Self {
        let mut traces = Self::default();
        for line in text.lines().map(|line| line.split('#').next().unwrap_or("").trim()) {
            let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
            match word {
                "" => {}
                "file" => traces.files.push((rest.to_owned(), Vec::new())),
                "groups" => traces.groups = Some(rest.to_owned()),
                "ranks" => traces.copies = Some(rest.parse().expect("a number")),
                "metadata" => {
                    let version = field(1, rest.as_bytes());
                    framed(&version, traces.last());
                }
                "node" => framed(&node(rest), traces.last()),
                "cut" => {
                    let bytes = traces.last();
                    bytes.truncate(bytes.len() - rest.parse::<usize>().expect("a number"));
                }
                "raw" => {
                    let bytes = rest.split_whitespace();
                    traces.last().extend(bytes.map(|byte| u8::from_str_radix(byte, 16).expect("a byte")));
                }
                other => panic!("`{other}` is no word of traces"),
            }
        }
        traces
    }

    /// Returns the bytes of the last file so far.
    fn last(&mut self) -> &mut Vec<u8> {
        &mut self.files.last_mut().expect("a file comes first").1
    }
}

fn framed(message: &[u8], file: &mut Vec<u8>) {
    varint(message.len() as u64, file);
    file.extend(message);
}

fn varint(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Returns a field of bytes.
fn field(number: u64, bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    varint(number << 3 | 2, &mut out);
    framed(bytes, &mut out);
    out
}

/// Returns a field of a number.
fn number_field(number: u64, value: u64) -> Vec<u8> {
    let mut out = Vec::new();
    varint(number << 3, &mut out);
    varint(value, &mut out);
    out
}

/// Returns the message of `ID TYPE NAME KEY=VALUE ..`.
fn node(text: &str) -> Vec<u8> {
    const TYPES: [&str; 8] =
        ["INVALID", "METADATA", "MEM_LOAD", "MEM_STORE", "COMP", "COMM_SEND", "COMM_RECV", "COMM_COLL"];
    let mut words = text.split_whitespace();
    let id = words.next().expect("an id").parse().expect("a number");
    let kind = words.next().expect("a type");
    let kind = TYPES.iter().position(|known| *known == kind).unwrap_or_else(|| kind.parse().expect("a type"));
    let mut out = Vec::new();
    // Numbers that are 0 are not written.
    if id > 0 {
        out.extend(number_field(1, id));
    }
    out.extend(field(2, words.next().expect("a name").as_bytes()));
    if kind > 0 {
        out.extend(number_field(3, kind as u64));
    }
    for (key, value) in words.map(|word| word.split_once('=').expect("a key and a value")) {
        match key {
            "data" | "ctrl" => {
                let mut packed = Vec::new();
                value.split(',').for_each(|id| varint(id.parse().expect("an id"), &mut packed));
                out.extend(field(if key == "data" { 5 } else { 4 }, &packed));
            }
            "start" => out.extend(number_field(6, value.parse().expect("a number"))),
            "us" => out.extend(number_field(7, value.parse().expect("a number"))),
            "inputs" => out.extend(field(8, &field(1, value.as_bytes()))),
            _ => out.extend(field(10, &[field(1, key.as_bytes()), attribute(key, value)].concat())),
        }
    }
    out
}

fn attribute(key: &str, value: &str) -> Vec<u8> {
    let is_short = matches!(key, "comm_src" | "comm_dst" | "comm_tag");
    match value {
        "true" => number_field(27, 1),
        "false" => number_field(27, 0),
        list if list.starts_with('[') => {
            let bools: Vec<u8> = list.bytes().filter(u8::is_ascii_digit).map(|digit| digit - b'0').collect();
            field(28, &field(1, &bools))
        }
        other => {
            let unsigned = other.strip_prefix('u').and_then(|digits| digits.parse::<u64>().ok());
            match (unsigned, other.parse::<i64>()) {
                (Some(number), _) => number_field(13, number),
                (None, Ok(number)) if key != "pg_name" => {
                    number_field(if is_short { 7 } else { 9 }, number.cast_unsigned())
                }
                _ => field(29, other.as_bytes()),
            }
        }
    }
}
