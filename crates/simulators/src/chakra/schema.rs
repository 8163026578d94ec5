//! The messages of `MLCommons` Chakra's schema (proto3, October 2023 and later): metadata and nodes of a rank's trace.
//!
//! Invariant: a file begins with a `GlobalMetadata`, all other messages are nodes with a type, and each known field has
//! the type of the schema on the wire. Fields that the schema does not have are skipped, as protocol buffers do.
//!
//! ```text
//! GlobalMetadata { 1 version, 2 attr* }
//! Node           { 1 id, 2 name, 3 type, 4 ctrl_deps*, 5 data_deps*, 6 start_time_micros, 7 duration_micros,
//!                  8 inputs, 9 outputs, 10 attr* }
//! IOInfo         { 1 values, 2 shapes, 3 types }
//! AttributeProto { 1 name, 2 doc_string, one of 3 .. 32 by type }
//! ```
//!
//! Source: `schema/protobuf/et_def.proto` of mlcommons/chakra, and its `protolib.py` for the lengths before messages.

use std::collections::BTreeMap;

use super::attributes::Attributes;
use super::faults::{SchemaFault, TraceError};
use super::wire::Message;

/// The trace of a rank.
#[derive(Clone, Debug)]
pub(super) struct Trace<'a> {
    /// Version of the schema as the file says it; empty if it does not.
    pub(super) version: &'a str,
    /// Nodes in the order of the file.
    pub(super) nodes: Vec<Node<'a>>,
    /// Attributes that nothing here reads, with the number of nodes that have them.
    pub(super) unread: BTreeMap<&'a str, u64>,
}

/// A node of a trace.
#[derive(Clone, Debug)]
pub(super) struct Node<'a> {
    pub(super) id: u64,
    pub(super) name: &'a str,
    pub(super) kind: NodeKind,
    pub(super) ctrl_deps: Vec<u64>,
    pub(super) data_deps: Vec<u64>,
    pub(super) starts: bool,
    /// Duration in microseconds.
    pub(super) duration: u64,
    /// `inputs.values`.
    pub(super) inputs: &'a str,
    pub(super) attributes: Attributes<'a>,
    /// Offset of its message in the file.
    pub(super) at: usize,
}

/// Type of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NodeKind {
    Metadata,
    MemLoad,
    MemStore,
    Comp,
    Send,
    Receive,
    Collective,
    /// A type of a later schema.
    Unknown(u64),
}

impl NodeKind {
    /// Returns the name in the schema.
    pub(super) fn name(self) -> String {
        match self {
            Self::Metadata => "METADATA",
            Self::MemLoad => "MEM_LOAD",
            Self::MemStore => "MEM_STORE",
            Self::Comp => "COMP",
            Self::Send => "COMM_SEND",
            Self::Receive => "COMM_RECV",
            Self::Collective => "COMM_COLL",
            Self::Unknown(number) => return format!("type {number}"),
        }
        .to_owned()
    }
}

impl<'a> Trace<'a> {
    /// Reads a file, which is not compressed.
    pub(super) fn read(bytes: &'a [u8]) -> Result<Self, TraceError> {
        let empty = TraceError::Schema { at: 0, fault: SchemaFault::Empty };
        let (first, mut rest) = Message { bytes, at: 0 }.framed()?.ok_or(empty)?;
        // A file of another kind begins with a length that no message has, or with a message of another shape.
        let version = metadata(first)
            .map_err(|_| TraceError::Schema { at: first.at, fault: SchemaFault::NoMetadata })?;
        let mut trace = Self { version, nodes: Vec::new(), unread: BTreeMap::new() };
        while let Some((message, behind)) = rest.framed()? {
            let node = trace.node(message)?;
            trace.nodes.push(node);
            rest = behind;
        }
        trace.check_ids()?;
        Ok(trace)
    }

    fn node(&mut self, message: Message<'a>) -> Result<Node<'a>, TraceError> {
        const NODE: &str = "a node";
        let mut node = Node {
            id: 0,
            name: "",
            kind: NodeKind::Unknown(0),
            ctrl_deps: Vec::new(),
            data_deps: Vec::new(),
            starts: false,
            duration: 0,
            inputs: "",
            attributes: Attributes::default(),
            at: message.at,
        };
        let mut rest = message;
        while let Some(field) = rest.field()? {
            match field.number {
                1 => node.id = field.number_of(NODE)?,
                2 => node.name = field.text_of(NODE)?,
                3 => node.kind = kind(field.number_of(NODE)?),
                4 => field.numbers_of(NODE, &mut node.ctrl_deps)?,
                5 => field.numbers_of(NODE, &mut node.data_deps)?,
                6 => node.starts = field.number_of(NODE)? > 0,
                7 => node.duration = field.number_of(NODE)?,
                8 => node.inputs = values(field.message_of(NODE)?)?,
                9 => _ = field.message_of(NODE)?,
                10 => {
                    if let Some(unread) = node.attributes.read(field.message_of(NODE)?)? {
                        *self.unread.entry(unread).or_default() += 1;
                    }
                }
                _ => {}
            }
        }
        if node.kind == NodeKind::Unknown(0) {
            return Err(TraceError::Schema { at: node.at, fault: SchemaFault::NoType { id: node.id } });
        }
        Ok(node)
    }

    /// Refuses numbers of nodes that are there twice.
    fn check_ids(&self) -> Result<(), TraceError> {
        let mut ids: Vec<(u64, usize)> = self.nodes.iter().map(|node| (node.id, node.at)).collect();
        ids.sort_unstable();
        match ids.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            Some(pair) => {
                let fault = SchemaFault::Twice { id: pair[0].0, before: pair[0].1 };
                Err(TraceError::Schema { at: pair[1].1, fault })
            }
            None => Ok(()),
        }
    }
}

fn kind(number: u64) -> NodeKind {
    match number {
        1 => NodeKind::Metadata,
        2 => NodeKind::MemLoad,
        3 => NodeKind::MemStore,
        4 => NodeKind::Comp,
        5 => NodeKind::Send,
        6 => NodeKind::Receive,
        7 => NodeKind::Collective,
        other => NodeKind::Unknown(other),
    }
}

/// Reads the first message: the version.
fn metadata(mut message: Message<'_>) -> Result<&str, TraceError> {
    const METADATA: &str = "a `GlobalMetadata`";
    let mut version = "";
    while let Some(field) = message.field()? {
        match field.number {
            1 => version = field.text_of(METADATA)?,
            2 => _ = Attributes::default().read(field.message_of(METADATA)?)?,
            // A node has these.
            3..=10 => return Err(field.wrong_type(METADATA)),
            _ => {}
        }
    }
    Ok(version)
}

/// Returns `values` of an `IOInfo`.
fn values(mut message: Message<'_>) -> Result<&str, TraceError> {
    let mut values = "";
    while let Some(field) = message.field()? {
        if field.number == 1 {
            values = field.text_of("an `IOInfo`")?;
        }
    }
    Ok(values)
}
