//! The fields that all patterns share.
//!
//! Invariant: a shared field is declared once, here. RON cannot place the fields of a struct among the fields of
//! another, since serde's `flatten` makes a map of both. A macro therefore writes them into each pattern's own
//! struct.

use packet::{ServiceLevel, TransportService};

use packet::Operation;

/// Declares the fields of a pattern: `name`, `group`, `transport`, `operation` and `service_level`, then the pattern's own.
/// A pattern `without service_level` takes the service level of each flow from elsewhere.
macro_rules! pattern_spec {
    ($(#[$about:meta])* pub struct $spec:ident { $($own:tt)* }) => {
        pattern_spec! {
            @fields |spec: &$spec| Some(spec.service_level),
            $(#[$about])*
            pub struct $spec {
                /// Service level of all flows, 0 to 15.
                #[serde(default)]
                pub service_level: packet::ServiceLevel,
                $($own)*
            }
        }
    };
    ($(#[$about:meta])* pub struct $spec:ident without service_level { $($own:tt)* }) => {
        pattern_spec! { @fields |_| None, $(#[$about])* pub struct $spec { $($own)* } }
    };
    (@fields $level:expr, $(#[$about:meta])* pub struct $spec:ident { $($own:tt)* }) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub struct $spec {
            /// Name of the pattern in tables and files, unlike that of any flow or other pattern. The start of a
            /// pattern with a name begins a phase, and so does its declared end. No name if left out.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub name: Option<String>,
            /// Group whose flows are counted together. If left out, a pattern with a name is a group of its own.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub group: Option<String>,
            /// Transport service of all flows, as in [`FlowSpec::transport`](crate::FlowSpec::transport).
            #[serde(default)]
            pub transport: packet::TransportService,
            /// Operation that each message performs. With `RdmaRead` in a pattern whose hosts draw their messages, each
            /// host reads from the hosts that it draws.
            #[serde(default)]
            pub operation: crate::Operation,
            $($own)*
        }

        impl $crate::spec::shared::Labelled for $spec {
            fn label(&self) -> $crate::spec::shared::Label<'_> {
                $crate::spec::shared::Label { name: self.name.as_deref(), group: self.group.as_deref() }
            }
        }

        impl $crate::spec::shared::Carried for $spec {
            fn carriage(&self) -> $crate::spec::shared::Carriage {
                let level: fn(&$spec) -> Option<packet::ServiceLevel> = $level;
                $crate::spec::shared::Carriage {
                    service_level: level(self).unwrap_or_default(),
                    transport: self.transport,
                    operation: self.operation,
                }
            }
        }
    };
}

pub(crate) use pattern_spec;

/// The names that a flow or pattern goes by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Label<'a> {
    pub(crate) name: Option<&'a str>,
    /// The group as written.
    pub(crate) group: Option<&'a str>,
}

/// Something that a scenario can give a name and a group.
pub(crate) trait Labelled {
    /// Returns the names as written.
    fn label(&self) -> Label<'_>;
}

/// The way in which the flows of a pattern are carried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Carriage {
    /// Service level of all flows, unless a file gives the level of each.
    pub service_level: ServiceLevel,
    /// Transport service of all flows.
    pub transport: TransportService,
    /// Operation of all messages.
    pub operation: Operation,
}

/// A pattern with flows that are all carried alike.
pub(crate) trait Carried {
    /// Returns the way in which they are carried.
    fn carriage(&self) -> Carriage;
}
